//! The words of the code: those of the field, and doc comments that can be read alone.
//!
//! `/// Where the result goes.` tells nothing in an editor's hover; `/// The register that gets the result.` does.

use crate::house::source::{Source, sources};

/// Words that doc comments do not open with.
const OPENINGS: &[&str] = &["What", "Whether", "Where", "How", "When", "The same"];

/// Identifiers that are no word of the field, with the word that is.
const PRIVATE: &[(&str, &str)] = &[
    ("told", "unify, or what is seen"),
    ("tell", "unify, report"),
    ("settled", "normalized, decided"),
    ("heads", "reply shapes"),
    ("Heads", "ReplyShapes"),
    ("quiet", "panics that are not reported"),
    ("quietly", "unreported"),
    ("leg", "segment"),
    ("legs", "segments"),
    ("Leg", "Segment"),
    ("Tight", "Optimized"),
    ("by_need", "expanded on demand"),
];

/// The text of a doc comment's line.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["///", "//!"].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim_start)
}

/// The first lines of doc comments that open with one of those words.
fn badly_opened(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let first = doc(line).filter(|_| !inside);
        let opens = |word: &str| first.and_then(|text| text.strip_prefix(word)).is_some_and(|rest| !continues(rest));
        if OPENINGS.iter().any(|word| opens(word)) {
            found.push((number, line));
        }
        inside = doc(line).is_some();
    }
    found
}

/// Whether a word goes on there.
fn continues(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The identifiers of a line, outside of strings and comments.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let outside = code.split('"').step_by(2);
    outside.flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || c == '_'))).filter(|word| !word.is_empty())
}

#[test]
fn doc_comments_can_be_read_alone() {
    let mut offences = Vec::new();
    for source in sources("src") {
        let bad = badly_opened(&source.text);
        offences.extend(bad.into_iter().map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim())));
    }
    assert!(offences.is_empty(), "open with a noun or a verb:\n  {}", offences.join("\n  "));
}

#[test]
fn identifiers_are_words_of_the_field() {
    let mut offences = Vec::new();
    let all = ["src", "tests", "benches"].into_iter().flat_map(sources);
    // This file names the words that are none.
    for Source { path, text } in all.filter(|source| source.path != "tests/it/words.rs") {
        for (number, line) in (1..).zip(text.lines()) {
            for word in identifiers(line) {
                if let Some((_, better)) = PRIVATE.iter().find(|(private, _)| *private == word) {
                    offences.push(format!("{path}:{number}: `{word}`, say {better}"));
                }
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn the_checks_see_what_they_should() {
    let text =
        "/// Where it is.\n/// What is more, this goes on.\nfn f() {}\n    //! The same again.\n/// Whatever it is.\n";
    assert_eq!(badly_opened(text).iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 4]);
    let words = |line: &'static str| identifiers(line).collect::<Vec<_>>();
    assert_eq!(words("let told = f(\"leg\", x); // settle"), ["let", "told", "f", "x"]);
}
