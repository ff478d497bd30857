//! Random texts by grammars, which are data: `tests/data/grammars/NAME.txt`.
//!
//! A rule is its name on a line, and below it alternatives, each after `- `; lines that go on are indented. In front of an
//! alternative may stand, as one word, how likely it is (`3*`), how many ways it opens (`~2`: only while this number is left),
//! where it is allowed (`[s]`, `[!h]`), and `%` where it does not nest. Where no depth is left only those with `%` are taken.
//!
//! | in a text | |
//! |---|---|
//! | `@int` `@int/2` | a derivation of the rule, one less deep where it has a `%`; of this depth |
//! | `@truth!` `@set\` `@or#h` | without ways to choose; where the alternative's name is not known; where `[h]` is allowed |
//! | `@line*1-3` `@type*0-2,` | some of them, one a line; with commas, now and then one after the last |
//! | `@0..5` `@'a\|b'` `@30'text'` | a number; one of these; a text, 30 times in a hundred |
//! | `@E=int` `@E` | a derivation, and the same text again |
//! | `@*` `@+k` `@^` `@$` | makes a new name, or this one, known to the end of the alternative; writes it; one that is known |
//! | `@=8` `@:sn` | leaves this number of ways; allows `[s]` and `[n]` from here on, too |
//!
//! Names may have sorts: `@*:int` makes one, `@$int` is one that is known, `@expr:int` a derivation whose own sort that is, which
//! is written `~` (`@$~`, `@type_~`). `@!s` is any name of the state, and `@!r` any reply, whose sort is the own one from there on,
//! as that of any name is after `@?`; `@&map` is one of the state of that sort. What a derivation makes known stays known after `@pattern^`.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::LazyLock;

use super::{Lines, Rng};

#[derive(Debug)]
enum Part {
    Text(String),
    Rule(Call),
    Again(char),
    New(String, String),
    Name,
    Known(String),
    State(String),
    /// Any of these, whose sort is the own one then; written or not.
    Of(Kind, bool),
    Number(i64, i64),
    OneOf(Vec<Vec<Part>>),
    Maybe(usize, Vec<Part>),
    Ways(usize),
    Allowed(String),
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Local,
    State,
    Reply,
}

/// A name that is known.
#[derive(Clone, Debug)]
pub struct Known {
    pub name: String,
    pub sort: String,
    pub kind: Kind,
}

/// What is known and allowed where a text begins.
#[derive(Clone, Default)]
pub struct Place {
    pub known: Vec<Known>,
    pub allowed: String,
    pub ways: usize,
    /// The own sort, and what is called `value`.
    pub sort: String,
    pub value: String,
}

/// A use of a rule.
#[derive(Default, Debug)]
struct Call {
    rule: String,
    depth: Option<usize>,
    pure: bool,
    outside: bool,
    leaks: bool,
    sort: Option<String>,
    mode: Option<char>,
    /// The least, the most, and whether there are commas.
    repeat: Option<(usize, usize, bool)>,
    kept: Option<char>,
}

#[derive(Debug)]
struct Alternative {
    likely: usize,
    ways: usize,
    /// Where it is allowed, or not allowed.
    place: Option<(char, bool)>,
    is_leaf: bool,
    parts: Vec<Part>,
}

pub struct Grammar(BTreeMap<String, Vec<Alternative>>);

static GRAMMARS: LazyLock<BTreeMap<String, Grammar>> = LazyLock::new(|| {
    let directory = crate::judge::root().join("tests/data/grammars");
    let files = std::fs::read_dir(directory).expect("grammars").map(|entry| entry.expect("a file").path());
    let named = files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), crate::judge::text(&path)));
    named.map(|(name, text)| (name, Grammar::read(&text))).collect()
});

/// A program text by the grammar of this name, from its rule `start` or another one.
pub fn program(name: &str, start: &str, rng: &mut Rng) -> String {
    let mut lines = Lines::default();
    derived(name, start, 3, &mut |below| rng.below(below))
        .lines()
        .filter(|line| !line.trim().is_empty())
        .for_each(|line| lines.line(line.trim()));
    lines.finish()
}

/// A text by the grammar of this name, with numbers that are drawn; 0 is the first alternative.
pub fn derived(name: &str, start: &str, depth: usize, draw: &mut dyn FnMut(usize) -> usize) -> String {
    derived_at(name, start, depth, Place { ways: 1, ..Place::default() }, draw)
}

/// The same where names are known.
pub fn derived_at(name: &str, start: &str, depth: usize, place: Place, draw: &mut dyn FnMut(usize) -> usize) -> String {
    let grammar = GRAMMARS.get(name).unwrap_or_else(|| panic!("there is no grammar {name}"));
    let mut writer = Writer { grammar, draw, place, names: 0, mode: ' ', out: String::new() };
    writer.rule(start, depth, false);
    writer.out
}

impl Grammar {
    fn read(text: &str) -> Grammar {
        let mut rules: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut rule = String::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let alternatives = rules.entry(rule.clone()).or_default();
            if let Some(text) = line.strip_prefix('-') {
                alternatives.push(text.strip_prefix(' ').unwrap_or(text).to_owned());
            } else if let (Some(text), Some(last)) = (line.strip_prefix("  "), alternatives.last_mut()) {
                *last += "\n";
                *last += text;
            } else {
                rule = line.to_owned();
            }
        }
        rules.remove("");
        Grammar(
            rules.into_iter().map(|(name, all)| (name, all.iter().map(|text| alternative(text)).collect())).collect(),
        )
    }
}

fn alternative(text: &str) -> Alternative {
    let mut read = Alternative { likely: 1, ways: 1, place: None, is_leaf: false, parts: Vec::new() };
    let (head, body) = text.split_once(' ').unwrap_or((text, ""));
    let rest = prefixes(head, &mut read);
    if head.is_empty() || rest != Some("") {
        let parts = parts(&mut text.chars().peekable(), None);
        return Alternative { likely: 1, ways: 1, place: None, is_leaf: false, parts };
    }
    Alternative { parts: parts(&mut body.chars().peekable(), None), ..read }
}

/// Reads `3*~2[!s]%`, each of which may be missing; what is left.
fn prefixes<'t>(head: &'t str, read: &mut Alternative) -> Option<&'t str> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let mut rest = head;
    if let Some((likely, behind)) =
        rest.split_at_checked(digits(rest)).filter(|(n, behind)| !n.is_empty() && behind.starts_with('*'))
    {
        (read.likely, rest) = (likely.parse().ok()?, &behind[1..]);
    }
    if let Some(ways) = rest.strip_prefix('~') {
        let (ways, behind) = ways.split_at(digits(ways));
        (read.ways, rest) = (ways.parse().ok()?, behind);
    }
    if let Some((place, behind)) = rest.strip_prefix('[').and_then(|place| place.split_once(']')) {
        let allowed = !place.starts_with('!');
        let name = place.trim_start_matches('!');
        (read.place, rest) = (Some((name.chars().next().filter(|_| name.len() == 1)?, allowed)), behind);
    }
    if let Some(behind) = rest.strip_prefix('%') {
        (read.is_leaf, rest) = (true, behind);
    }
    Some(rest)
}

/// Reads parts, to the end or to a quote.
fn parts(text: &mut Peekable<Chars<'_>>, end: Option<char>) -> Vec<Part> {
    let mut parts = vec![Part::Text(String::new())];
    while let Some(c) = text.next_if(|c| Some(*c) != end && !(end.is_some() && *c == '|')) {
        if c == '@' {
            parts.push(part(text));
            parts.push(Part::Text(String::new()));
        } else if let Some(Part::Text(last)) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

fn word(text: &mut Peekable<Chars<'_>>, of: impl Fn(char) -> bool) -> String {
    std::iter::from_fn(|| text.next_if(|c| of(*c))).collect()
}

fn number(text: &mut Peekable<Chars<'_>>) -> i64 {
    let sign = if text.next_if_eq(&'-').is_some() { -1 } else { 1 };
    sign * word(text, |c| c.is_ascii_digit()).parse::<i64>().expect("a number")
}

fn part(text: &mut Peekable<Chars<'_>>) -> Part {
    match text.peek().copied().expect("a name") {
        '\'' => Part::OneOf(quoted(text)),
        '+' => {
            text.next();
            let name = word(text, |c| c.is_ascii_lowercase());
            Part::New(name, sort(text).unwrap_or_default())
        }
        '*' => {
            text.next();
            Part::New(String::new(), sort(text).unwrap_or_default())
        }
        '&' => {
            text.next();
            Part::State(word(text, is_sort))
        }
        '!' => {
            text.next();
            Part::Of(if text.next() == Some('r') { Kind::Reply } else { Kind::State }, true)
        }
        '?' => text.next().map(|_| Part::Of(Kind::Local, false)).expect("it is there"),
        '^' => text.next().map(|_| Part::Name).expect("it is there"),
        '$' => {
            text.next();
            Part::Known(word(text, is_sort))
        }
        '=' => {
            text.next();
            Part::Ways(number(text) as usize)
        }
        ':' => {
            text.next();
            Part::Allowed(word(text, |c| c.is_ascii_lowercase()))
        }
        c if c.is_ascii_uppercase() => {
            text.next();
            if text.next_if_eq(&'=').is_none() {
                return Part::Again(c);
            }
            Part::Rule(Call { kept: Some(c), ..call(text) })
        }
        c if c.is_ascii_digit() || c == '-' => {
            let first = number(text);
            if text.peek() == Some(&'\'') {
                return Part::Maybe(first as usize, quoted(text).remove(0));
            }
            word(text, |c| c == '.');
            Part::Number(first, number(text))
        }
        _ => Part::Rule(call(text)),
    }
}

fn is_sort(c: char) -> bool {
    c.is_ascii_lowercase() || c == '~'
}

/// `:int`, if it is there.
fn sort(text: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut ahead = text.clone();
    (ahead.next() == Some(':') && ahead.next().is_some_and(is_sort)).then(|| {
        text.next();
        word(text, is_sort)
    })
}

/// `'a|b'`
fn quoted(text: &mut Peekable<Chars<'_>>) -> Vec<Vec<Part>> {
    let mut all = Vec::new();
    loop {
        text.next();
        all.push(parts(text, Some('\'')));
        if text.peek() != Some(&'|') {
            text.next();
            return all;
        }
    }
}

fn call(text: &mut Peekable<Chars<'_>>) -> Call {
    let mut read = Call { rule: word(text, |c| c.is_ascii_lowercase() || c == '_' || c == '~'), ..Call::default() };
    loop {
        match text.peek().copied() {
            Some('/') => {
                text.next();
                read.depth = Some(number(text) as usize);
            }
            Some('!') => {
                text.next();
                read.pure = true;
            }
            Some('\\') => {
                text.next();
                read.outside = true;
            }
            Some('^') => {
                text.next();
                read.leaks = true;
            }
            Some(':') => match sort(text) {
                Some(sort) => read.sort = Some(sort),
                None => return read,
            },
            Some('#') => {
                text.next();
                read.mode = text.next();
            }
            Some('*') => {
                text.next();
                let (least, most) = (number(text), -number(text));
                read.repeat = Some((least as usize, most as usize, text.next_if_eq(&',').is_some()));
            }
            _ => return read,
        }
    }
}

struct Writer<'g, 'd> {
    grammar: &'g Grammar,
    draw: &'d mut dyn FnMut(usize) -> usize,
    place: Place,
    names: usize,
    mode: char,
    out: String,
}

impl<'g> Writer<'g, '_> {
    /// A sort as it is meant here.
    fn meant(&self, sort: &str) -> String {
        match sort {
            "~" => self.place.sort.clone(),
            "value" => self.place.value.clone(),
            sort => sort.to_owned(),
        }
    }

    fn named(&self, sort: &str, kinds: &[Kind]) -> Vec<&Known> {
        let sort = self.meant(sort);
        self.place.known.iter().filter(|known| known.sort == sort && kinds.contains(&known.kind)).collect()
    }

    /// Whether there is a name that a part needs.
    fn has(&self, part: &Part) -> bool {
        match part {
            Part::Known(sort) => !self.named(sort, &[Kind::Local, Kind::State]).is_empty(),
            Part::State(sort) => !self.named(sort, &[Kind::State]).is_empty(),
            Part::Rule(call) if call.sort.is_none() => self.grammar.0.get(&call.rule).is_none_or(|all| {
                let needed = |part: &&Part| matches!(part, Part::Known(_) | Part::State(_));
                all.iter().any(|alternative| alternative.parts.iter().filter(needed).all(|part| self.has(part)))
            }),
            _ => true,
        }
    }

    /// Writes a derivation; what it makes known stays so where it leaks.
    fn rule(&mut self, rule: &str, depth: usize, leaks: bool) {
        let (grammar, rule) = (self.grammar, rule.replace('~', &self.place.sort));
        let all = grammar.0.get(&rule).unwrap_or_else(|| panic!("there is no rule {rule}"));
        let nests = all.iter().any(|alternative| alternative.is_leaf);
        let may = |alternative: &&'g Alternative| {
            (depth > 0 || !nests || alternative.is_leaf)
                && alternative.ways <= self.place.ways
                && alternative.place.is_none_or(|(place, allowed)| {
                    (self.mode == place || self.place.allowed.contains(place)) == allowed
                })
                && alternative.parts.iter().all(|part| self.has(part))
        };
        let possible: Vec<&Alternative> = all.iter().filter(may).collect();
        let mut drawn = (self.draw)(possible.iter().map(|alternative| alternative.likely).sum());
        let taken = possible.iter().find(|alternative| {
            let found = drawn < alternative.likely;
            drawn = drawn.saturating_sub(alternative.likely);
            found
        });
        let taken = taken.unwrap_or_else(|| panic!("{rule} has no alternative here"));
        self.place.ways /= taken.ways;
        let (known, sort) = (self.place.known.len(), self.place.sort.clone());
        self.parts(&taken.parts, depth - usize::from(nests && depth > 0), &mut BTreeMap::new());
        self.place.sort = sort;
        if !leaks {
            self.place.known.truncate(known);
        }
    }

    /// Writes one of some names.
    fn one_of(&mut self, sort: &str, kinds: &[Kind]) {
        let names: Vec<String> = self.named(sort, kinds).iter().map(|known| known.name.clone()).collect();
        self.out += &names[(self.draw)(names.len())];
    }

    fn parts(&mut self, parts: &'g [Part], depth: usize, kept: &mut BTreeMap<char, String>) {
        for part in parts {
            match part {
                Part::Text(text) => self.out += text,
                Part::Rule(call) => self.call(call, depth, kept),
                Part::Again(name) => self.out += &kept[name],
                Part::New(name, sort) => {
                    self.names += usize::from(name.is_empty());
                    let name = if name.is_empty() { format!("x{}", self.names) } else { name.clone() };
                    self.place.known.push(Known { name, sort: self.meant(sort), kind: Kind::Local });
                }
                Part::Name => self.out += &self.place.known.last().expect("a name").name,
                Part::Known(sort) => self.one_of(sort, &[Kind::Local, Kind::State]),
                Part::State(sort) => self.one_of(sort, &[Kind::State]),
                Part::Of(kind, is_written) => {
                    let fits = |known: &&Known| known.kind == *kind || (!is_written && known.kind == Kind::State);
                    let all: Vec<Known> = self.place.known.iter().filter(fits).cloned().collect();
                    let one = &all[(self.draw)(all.len())];
                    self.place.sort = one.sort.clone();
                    self.out += if *is_written { &one.name } else { "" };
                }
                Part::Number(low, high) => {
                    let drawn = (self.draw)((high - low + 1) as usize) as i64;
                    self.out += &(low + drawn).to_string();
                }
                Part::OneOf(all) => {
                    let drawn = (self.draw)(all.len());
                    self.parts(&all[drawn], depth, kept);
                }
                Part::Maybe(percent, parts) => {
                    if (self.draw)(100) >= 100 - percent {
                        self.parts(parts, depth, kept);
                    }
                }
                Part::Ways(ways) => self.place.ways = *ways,
                Part::Allowed(more) => self.place.allowed += more,
            }
        }
    }

    fn call(&mut self, call: &'g Call, depth: usize, kept: &mut BTreeMap<char, String>) {
        let (depth, from) = (call.depth.unwrap_or(depth), self.out.len());
        let outer = (self.place.ways, self.mode, self.place.sort.clone());
        self.place.ways = if call.pure { 1 } else { self.place.ways };
        self.mode = call.mode.unwrap_or(self.mode);
        self.place.sort = call.sort.as_ref().map_or_else(|| outer.2.clone(), |sort| self.meant(sort));
        let hidden = if call.outside { self.place.known.pop() } else { None };
        let (least, most, commas) = call.repeat.unwrap_or((1, 1, false));
        let count = if depth == 0 { least } else { least + (self.draw)(most - least + 1) };
        for at in 0..count {
            self.rule(&call.rule, depth, call.leaks);
            let is_last = at + 1 == count;
            if commas && (!is_last || (self.draw)(4) == 1) {
                self.out += " , ";
            } else if !is_last {
                self.out += "\n";
            }
        }
        self.place.known.extend(hidden);
        (self.mode, self.place.sort) = (outer.1, outer.2);
        self.place.ways = if call.pure { outer.0 } else { self.place.ways };
        if let Some(name) = call.kept {
            kept.insert(name, self.out[from..].to_owned());
        }
    }
}
