//! Texts that a regular expression matches, for the expressions that descriptions have: no looking ahead, no references back.
//!
//! For example `^[A-Z]{3}-\d+$` matches `AAA-0`, `FKP-50` and others.

use std::iter::Peekable;
use std::str::Chars;

use regex_lite::Regex;

/// The most levels of groups within one another.
const LEVELS: usize = 32;
/// The most characters of a text.
const LONGEST: usize = 400;
/// The most repetitions beyond the least number.
const MORE: [u32; 4] = [0, 1, 3, 9];
/// The texts that are tried.
const TURNS: usize = 12;
/// The most texts.
const TEXTS: usize = 6;
/// The characters of a class that excludes others, and of `.`.
const OTHERS: &str = "abcxyzABC0123-_. /:,";

/// A part of an expression.
enum PatternPart {
    /// One of these characters.
    One(Vec<char>),
    /// Parts one after another.
    All(Vec<PatternPart>),
    /// One of several parts.
    Any(Vec<PatternPart>),
    /// A part so many times: at least, at most.
    Repeated(Box<PatternPart>, u32, Option<u32>),
}

/// Some texts that an expression matches; none if it is of a kind that is not known.
pub fn texts(pattern: &str) -> Vec<String> {
    let mut reading = PatternReading { rest: pattern.chars().peekable(), levels: 0 };
    let Some(part) = reading.alternatives().filter(|_| reading.rest.peek().is_none()) else { return Vec::new() };
    let regex = Regex::new(pattern).ok();
    let mut found: Vec<String> = Vec::new();
    for turn in 0..TURNS {
        let mut text = String::new();
        write(&part, turn, &mut text);
        let is_match = regex.as_ref().is_none_or(|regex| regex.is_match(&text));
        if is_match && text.len() < LONGEST && !found.contains(&text) && found.len() < TEXTS {
            found.push(text);
        }
    }
    found
}

/// Tests whether a text matches an expression; true if the expression is of a kind that is not known.
pub fn fits(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).ok().is_none_or(|regex| regex.is_match(text))
}

fn write(part: &PatternPart, turn: usize, text: &mut String) {
    if text.len() >= LONGEST {
        return;
    }
    match part {
        PatternPart::One(of) => {
            let at = (turn * 7 + text.len() * turn * 5) % of.len().max(1);
            text.extend(of.get(at));
        }
        PatternPart::All(parts) => parts.iter().for_each(|part| write(part, turn, text)),
        PatternPart::Any(parts) => write(&parts[turn % parts.len()], turn / parts.len(), text),
        PatternPart::Repeated(part, least, most) => {
            // The first texts have more than the least number of characters: an empty one is seldom what is meant.
            let count = least.saturating_add(MORE[(turn + 1) % MORE.len()]);
            (0..count.min(most.unwrap_or(u32::MAX))).for_each(|_| write(part, turn, text));
        }
    }
}

struct PatternReading<'p> {
    rest: Peekable<Chars<'p>>,
    levels: usize,
}

impl PatternReading<'_> {
    fn alternatives(&mut self) -> Option<PatternPart> {
        self.levels += 1;
        if self.levels > LEVELS {
            return None;
        }
        let mut found = vec![self.sequence()?];
        while self.rest.next_if_eq(&'|').is_some() {
            found.push(self.sequence()?);
        }
        self.levels -= 1;
        Some(if found.len() == 1 { found.remove(0) } else { PatternPart::Any(found) })
    }

    fn sequence(&mut self) -> Option<PatternPart> {
        let mut parts = Vec::new();
        while let Some(next) = self.rest.next_if(|next| !matches!(next, '|' | ')')) {
            let part = match next {
                '^' | '$' => continue,
                '(' => self.group()?,
                '[' => PatternPart::One(self.class()?),
                '.' => PatternPart::One(OTHERS.chars().collect()),
                '\\' => match self.escape()? {
                    of if of.is_empty() => continue,
                    of => PatternPart::One(of),
                },
                '*' | '+' | '?' => return None,
                next => PatternPart::One(vec![next]),
            };
            parts.push(self.repeated(part)?);
        }
        Some(PatternPart::All(parts))
    }

    fn group(&mut self) -> Option<PatternPart> {
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.next()? {
                ':' => {}
                'P' | '<' => {
                    // A name, as in `(?<year>…)`; what looks behind has a sign that is in no name.
                    let name: String = self.rest.by_ref().take_while(|next| *next != '>').collect();
                    if name.contains(['=', '!']) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let of = self.alternatives()?;
        self.rest.next_if_eq(&')')?;
        Some(of)
    }

    fn repeated(&mut self, part: PatternPart) -> Option<PatternPart> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.rest.next();
                let counts: String = self.rest.by_ref().take_while(|next| *next != '}').collect();
                let (least, most) = counts.split_once(',').unwrap_or((&counts, &counts));
                let least = least.trim().parse().ok()?;
                let most = if most.trim().is_empty() { None } else { Some(most.trim().parse().ok()?) };
                self.rest.next_if(|next| matches!(next, '?' | '+'));
                return Some(PatternPart::Repeated(Box::new(part), least, most));
            }
            _ => return Some(part),
        };
        self.rest.next();
        self.rest.next_if(|next| matches!(next, '?' | '+'));
        Some(PatternPart::Repeated(Box::new(part), least, most))
    }

    /// The characters that an escape stands for; none for a place between characters.
    fn escape(&mut self) -> Option<Vec<char>> {
        Some(match self.rest.next()? {
            'd' => ('0'..='9').collect(),
            'w' => ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['_']).collect(),
            's' => vec![' '],
            'D' => vec!['a', 'b', '-'],
            'W' => vec!['-', ' ', '.'],
            'S' => vec!['a', 'b', '1'],
            'n' => vec!['\n'],
            't' => vec!['\t'],
            'r' => vec!['\r'],
            'A' | 'z' | 'Z' | 'b' => Vec::new(),
            'x' => vec![self.code(2)?],
            'u' => vec![self.code(4)?],
            'p' if self.rest.next_if_eq(&'{').is_some() => {
                let name: String = self.rest.by_ref().take_while(|next| *next != '}').collect();
                match name.chars().next()? {
                    'L' if name.starts_with("Lu") => vec!['A', 'B', 'Z'],
                    'L' => vec!['a', 'b', 'z'],
                    'N' => vec!['0', '1', '9'],
                    _ => return None,
                }
            }
            other if other.is_ascii_alphanumeric() => return None,
            other => vec![other],
        })
    }

    fn code(&mut self, length: usize) -> Option<char> {
        let digits: String = self.rest.by_ref().take(length).collect();
        char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
    }

    fn class(&mut self) -> Option<Vec<char>> {
        let is_other = self.rest.next_if_eq(&'^').is_some();
        let mut of: Vec<char> = Vec::new();
        let mut is_first = true;
        loop {
            let next = self.rest.next()?;
            let one = match next {
                ']' if !is_first => break,
                '[' | '&' if self.rest.peek() == Some(&next) || self.rest.peek() == Some(&':') => return None,
                '\\' => self.escape()?,
                other => vec![other],
            };
            is_first = false;
            match (one.as_slice(), self.rest.peek()) {
                ([from], Some('-')) => {
                    self.rest.next();
                    match self.rest.peek()? {
                        ']' => of.extend([*from, '-']),
                        _ => {
                            let to = match self.rest.next()? {
                                '\\' => *self.escape()?.first()?,
                                to => to,
                            };
                            of.extend((*from..=to).take(128));
                        }
                    }
                }
                _ => of.extend(one),
            }
        }
        let of = if is_other { OTHERS.chars().filter(|other| !of.contains(other)).collect() } else { of };
        Some(of).filter(|of| !of.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_their_pattern() {
        for pattern in [
            "^[A-Z]{3}$",
            r"^\d{5}(-\d{4})?$",
            r"^-?\d{0,8}(?:\.\d{0,2})?$",
            "^[-a-zA-Z0-9_]+$",
            "^(red|green|blue)$",
            r"^\+?[0-9]{7,15}$",
            r"^[^\s/]+\.(png|jpg)$",
            "[a-z]",
            r"^#[0-9a-fA-F]{6}$",
            r"^(?<year>\d{4})-(0[1-9]|1[0-2])$",
            "^.{2,4}$",
        ] {
            let found = texts(pattern);
            assert!(!found.is_empty(), "{pattern}");
            let regex = Regex::new(pattern).unwrap();
            assert!(found.iter().all(|text| regex.is_match(text)), "{pattern}: {found:?}");
        }
        assert!(texts("^[A-Z]{3}$").len() > 3 && texts(r"^\d+$").len() > 3);
        for unknown in
            ["^(?=.*a).+$", r"(a)\1", "*", "(", "[", "a{x}", "(?<!a)b", "[[:alpha:]]", r"\q", &"(".repeat(10_000)]
        {
            assert_eq!(texts(unknown), [""; 0], "{unknown}");
        }
        assert!(texts("^a{1000000000}$").is_empty());
    }
}
