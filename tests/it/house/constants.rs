//! The numbers that stand outside of `src/limits.rs`.
//!
//! `const CASES: usize = 16;` in the solver is an offence; `const NODES: u32 = 2 * limits::LISTED as u32;` is none.

use std::collections::BTreeSet;

use super::source::{Source, check, sources};

/// The modules that decide what is tried.
const MODULES: &[&str] = &["judge", "search", "solve", "evidence", "session", "process"];

/// The types of numbers.
const NUMBERS: &[&str] = &["usize", "u8", "u16", "u32", "u64", "u128", "isize", "i32", "i64", "i128", "f64"];

/// The constants that `src/limits.rs` may have.
const MOST_LIMITS: usize = 60;

/// Constants that do not change what is tried, each with its file.
const NO_LIMITS: &[(&str, &str)] = &[
    // Sizes and marks of representations: words of bits, trees, matrices, sets of integers, caches of a fixed size, tags.
    ("src/judge/normal_form/boxes/atoms.rs", "WORD"),
    ("src/process/instructions/collect.rs", "DISORDERED"),
    ("src/process/instructions/collect.rs", "LISTED"),
    ("src/process/instructions/collect.rs", "OPEN"),
    ("src/process/instructions/collect.rs", "RANGE"),
    ("src/solve/differences/zone.rs", "FAR"),
    ("src/solve/domains/values.rs", "SPAN"),
    ("src/solve/domains/values.rs", "WORD"),
    ("src/solve/persistent/trie.rs", "BITS"),
    ("src/solve/persistent/trie.rs", "LEAF"),
    // The form in which a collection is kept or taken apart, and memory that is kept for reuse: these change time and memory only.
    ("src/judge/candidate.rs", "KEPT"),
    ("src/process/instructions/collect.rs", "SHORT"),
    ("src/process/instructions/evaluate.rs", "FEW"),
    ("src/process/roots.rs", "ROOM"),
    ("src/search/open.rs", "FEW"),
    ("src/solve/persistent/sorted_map.rs", "FEW"),
    ("src/solve/residual.rs", "COMPARED"),
    // The first numbers of variables that differ from all others.
    ("src/search/rules/every_state.rs", "OTHER_REQUEST"),
    ("src/search/rules/every_state.rs", "OTHER_STATE"),
    ("src/search/rules/shape.rs", "SCALARS"),
    ("src/solve/tiers/texts.rs", "FRESH"),
    // Properties of Z3, and the version of a format.
    ("src/session/saved/mod.rs", "VERSION"),
    ("src/solve/tiers/z3.rs", "LAST_CODE_POINT"),
    ("src/solve/tiers/z3.rs", "LAST_ORDERED"),
    // The end of a loop that an invariant ends earlier.
    ("src/solve/facts.rs", "CHAIN"),
    // The length of a report.
    ("src/evidence/allowed.rs", "FEW"),
    ("src/evidence/allowed.rs", "LISTED"),
    ("src/evidence/describe.rs", "SHOWN"),
    ("src/evidence/learned.rs", "ENTRIES"),
    ("src/evidence/learned.rs", "LISTED"),
    ("src/evidence/learned.rs", "SHOWN"),
    ("src/search/online/online_history.rs", "SHOWN"),
    ("src/session/mod.rs", "SHOWN"),
];

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
fn numbers_that_change_what_is_tried_stand_in_one_table() {
    let of_modules = |source: &Source| MODULES.contains(&source.module());
    let (mut offences, mut met) = (Vec::new(), BTreeSet::new());
    for source in sources("src").iter().filter(|source| of_modules(source)) {
        for (number, name) in numbers(source) {
            let allowed = NO_LIMITS.iter().find(|(path, allowed)| *path == source.path && *allowed == name);
            match allowed {
                Some(row) => _ = met.insert(row),
                None => offences.push(format!("{}:{number}: {name}, derive it from src/limits.rs", source.path)),
            }
        }
    }
    let gone = NO_LIMITS.iter().filter(|row| !met.contains(row));
    offences.extend(gone.map(|(path, name)| format!("{path}: {name} is no constant of this file any more")));
    check("numbers outside of src/limits.rs", offences);
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
