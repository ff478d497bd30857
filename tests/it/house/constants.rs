//! The numbers that decide what is tried: each has its reason above it, and those that a user meets, or that trade verdicts for work,
//! stand in `src/limits.rs`.
//!
//! `const CASES: usize = 16;` in the solver is an offence; `/// The values that …`, `const CASES: usize = 16;` is none.

use super::source::{Source, check, sources};

/// The modules that decide what is tried.
const MODULES: &[&str] = &["judge", "search", "solve", "evidence", "session", "process"];

/// The types of numbers.
const NUMBERS: &[&str] = &["usize", "u8", "u16", "u32", "u64", "u128", "isize", "i32", "i64", "i128", "f64"];

/// The constants that `src/limits.rs` may have.
const MOST_LIMITS: usize = 52;

/// The names of the constants whose type has a number type and whose value is written as a number, not derived from another constant;
/// each with its line.
fn numbers(source: &Source) -> Vec<(usize, String)> {
    let lines: Vec<(usize, &str)> = source.code().collect();
    let mut found = Vec::new();
    for (at, (number, line)) in lines.iter().enumerate() {
        let words = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        let Some(declared) = words.trim_start_matches("pub ").strip_prefix("const ") else { continue };
        let Some((name, ty)) = declared.split_once(": ") else { continue };
        let end =
            lines[at..].iter().position(|(_, line)| line.ends_with(';')).map_or(lines.len(), |more| at + more + 1);
        let value: Vec<&str> = lines[at..end].iter().map(|(_, line)| line.trim()).collect();
        let value = value.join(" ").split_once(" =").map(|(_, value)| value.to_owned()).unwrap_or_default();
        let ty = ty.split(" =").next().unwrap_or(ty);
        if tokens(ty).any(|word| NUMBERS.contains(&word)) && is_number(&value) {
            found.push((*number, name.to_owned()));
        }
    }
    found
}

/// Tests whether a value has a literal number and names no other constant.
fn is_number(value: &str) -> bool {
    let is_constant = |word: &str| word.chars().any(char::is_uppercase) && !word.contains(char::is_lowercase);
    let is_literal = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    tokens(value).any(is_literal) && !tokens(value).any(|word| !is_literal(word) && is_constant(word))
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[test]
fn a_number_has_its_reason() {
    let mut bare = Vec::new();
    for source in sources("src").iter().filter(|source| MODULES.contains(&source.module())) {
        let lines: Vec<&str> = source.text.lines().collect();
        let has_reason = |number: usize| {
            let mut before = lines[..number - 1].iter().rev().map(|line| line.trim_start());
            // One reason may be that of several constants in a row.
            before.find(|line| !line.contains("const ")).is_some_and(|line| line.starts_with("//"))
        };
        let numbers = numbers(source).into_iter().filter(|(number, _)| !has_reason(*number));
        bare.extend(numbers.map(|(number, name)| format!("{}:{number}: {name}", source.path)));
    }
    check("numbers without a reason above them", bare);
}

#[test]
fn limits_are_few_and_have_their_reasons() {
    let limits = sources("src").into_iter().find(|source| source.path == "src/limits.rs").unwrap();
    let lines: Vec<&str> = limits.text.lines().collect();
    let is_limit = |line: &str| line.starts_with("pub const ");
    let count = lines.iter().filter(|line| is_limit(line)).count();
    assert!((1..=MOST_LIMITS).contains(&count), "{count} limits, at most {MOST_LIMITS} may be");
    let bare = lines.windows(2).filter(|pair| is_limit(pair[1]) && !pair[0].starts_with("/// "));
    check("limits without a reason", bare.map(|pair| pair[1].to_owned()).collect());
}

#[test]
fn a_number_is_found_and_a_derived_one_is_not() {
    let text = "const FEW: usize = 16;
pub(super) const PARTS: [u64; 2] = [64, 8];
const SPREAD: u64 =
    1 << 42;
const HALF: usize = limits::LISTED / 2;
const WAYS: usize = 1 << BITS;
const LAST: i64 = i64::MAX;
const TEXT: &str = \"16\";
#[cfg(test)]
mod tests {
    const WORLDS: usize = 4;
}";
    let source = Source { path: "src/solve/facts.rs".to_owned(), text: text.to_owned() };
    let found: Vec<(usize, String)> = numbers(&source);
    let expected = [(1, "FEW"), (2, "PARTS"), (3, "SPREAD")].map(|(line, name)| (line, name.to_owned()));
    assert_eq!(found, expected);
}
