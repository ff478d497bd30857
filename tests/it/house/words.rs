//! The words of the code: those of the field, and doc comments that can be read alone.
//!
//! `/// Where the result goes.` tells nothing in an editor's hover; `/// The register that gets the result.` does. Pages for readers say
//! *after*, *if* and *N*.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::house::source::{Source, entries, root, sources};

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

/// Words that pages do not use, with plain ones.
const PAGE_WORDS: &[(&str, &str)] = &[
    ("behind", "after"),
    ("so many", "N"),
    ("dearest", "slowest"),
    ("that which", "what it is"),
    ("where that", "if that"),
    ("where there", "if there"),
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
    for Source { path, text } in all.filter(|source| source.path != "tests/it/house/words.rs") {
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

/// Words of a page that readers stumble over, with their lines.
fn stumbled_over(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = line.to_lowercase();
        for (word, plain) in PAGE_WORDS {
            let is_whole = |at: usize| {
                let (before, after) = (&words[..at], &words[at + word.len()..]);
                !before.ends_with(char::is_alphanumeric) && !continues(after)
            };
            if words.match_indices(word).any(|(at, _)| is_whole(at)) {
                found.push((number, *word, *plain));
            }
        }
    }
    found
}

#[test]
fn pages_use_plain_words() {
    let mut pages: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).into();
    for directory in ["docs", "specs", "specs/network", "specs/crash", "specs/systems"] {
        pages.extend(entries(&root().join(directory)));
    }
    pages.extend(
        ["mod", "testing_arguments", "mutate_arguments"]
            .map(|name| root().join(format!("src/cli/arguments/{name}.rs"))),
    );
    let is_text =
        |path: &PathBuf| path.extension().is_some_and(|ending| ["md", "may", "rs"].map(OsStr::new).contains(&ending));
    let mut offences = Vec::new();
    for path in pages.iter().filter(|path| is_text(path)) {
        for (number, word, plain) in stumbled_over(&fs::read_to_string(path).unwrap()) {
            offences.push(format!("{}:{number}: `{word}`, say {plain}", path.display()));
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn the_checks_see_what_they_should() {
    let text =
        "/// Where it is.\n/// What is more, this goes on.\nfn f() {}\n    //! The same again.\n/// Whatever it is.\n";
    assert_eq!(badly_opened(text).iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 4]);
    assert_eq!(
        stumbled_over("It comes\nbehind it, so many times.").iter().map(|found| found.1).collect::<Vec<_>>(),
        ["behind", "so many"]
    );
    assert_eq!(stumbled_over("It is there whereas that is not."), []);
    let words = |line: &'static str| identifiers(line).collect::<Vec<_>>();
    assert_eq!(words("let told = f(\"leg\", x); // settle"), ["let", "told", "f", "x"]);
}
