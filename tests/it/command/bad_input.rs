//! Input that is wrong, absurd or hostile, end to end: the command says what is the matter, soon, and never panics.

use std::time::{Duration, Instant};

use crate::command::{check, file};

const GUESS: &str = "specs/cmp_rst.may";

/// Judges a trace against the text of a specification.
fn judge(name: &str, spec: &str, trace: &str, code: i32, parts: &[&str]) {
    let spec = file(&format!("{name}.may"), spec);
    check(&["validate", spec.to_str().unwrap(), "-"], trace, code, parts);
}

/// The same, in a few seconds, even of an unoptimised build.
fn judge_soon(name: &str, spec: &str, trace: &str, code: i32, parts: &[&str]) {
    let begin = Instant::now();
    judge(name, spec, trace, code, parts);
    let elapsed = begin.elapsed();
    assert!(elapsed < Duration::from_secs(30), "{name}: {elapsed:?}");
}

#[test]
fn files_that_are_no_specifications() {
    let empty = file("bad_empty.may", "");
    let latin = file("bad_latin.may", b"machine m { // caf\xe9\n}");
    let zeros = file("bad_zeros.may", [0; 1000]);
    for command in ["check", "dualize", "simulate"] {
        check(&[command, "no/such.may"], "", 2, &["no/such.may: cannot read"]);
        check(&[command, "src"], "", 2, &["src: this is a directory"]);
        check(&[command, latin.to_str().unwrap()], "", 2, &["bad_latin.may:1: this file is not valid UTF-8"]);
        check(&[command, zeros.to_str().unwrap()], "", 2, &["bad_zeros.may:1:1"]);
    }
    for command in ["dualize", "simulate"] {
        check(&[command, empty.to_str().unwrap()], "", 2, &["there is no machine and no protocol here"]);
    }
    check(&["validate", empty.to_str().unwrap(), "-"], "{\"q\": 1, \"a\": 1}", 2, &["no machine and no protocol"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let path = file("bad_secret.may", "machine m { !1 := 0; }");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything.
    if std::fs::read(&path).is_err() {
        check(&["check", path.to_str().unwrap()], "", 2, &["bad_secret.may: cannot read: permission denied"]);
        check(&["validate", GUESS, path.to_str().unwrap()], "", 2, &["bad_secret.may: cannot read: permission denied"]);
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn traces_in_which_nothing_is_tested() {
    for trace in ["", "\n", "\n\n  \n\t\n\r\n", "{\"mayhap\": 1}\n\n"] {
        check(&["validate", GUESS, "-"], trace, 2, &["no events, so nothing was tested"]);
    }
    // Empty lines are counted.
    let trace = "{\"q\": 0, \"a\": 0}\n\n\r\n{\"q\": 1, \"a\": 0}";
    check(&["validate", GUESS, "-"], trace, 1, &["reject at line 4"]);
}

#[test]
fn integers_of_10_000_digits_are_integers() {
    let (nines, power) = ("9".repeat(10_000), format!("1{}", "0".repeat(10_000)));
    let successor = "protocol p { request int; response int; on q { reply q + 1; } }";
    judge("bad_big", successor, &format!("{{\"q\": {nines}, \"a\": {power}}}"), 0, &["accept"]);
    judge("bad_big", successor, &format!("{{\"q\": \"{nines}\", \"a\": \"{power}\"}}"), 0, &["accept"]);
    judge("bad_big", successor, &format!("{{\"q\": {power}, \"a\": {nines}}}"), 1, &["reject at line 1"]);
    let trace = format!("{{\"q\": {power}, \"a\": 1}}\n{{\"q\": {nines}, \"a\": 0}}\n{{\"q\": -{nines}, \"a\": 1}}\n");
    check(&["validate", GUESS, "-"], &trace, 1, &["reject at line 3"]);
    let literal = format!("protocol p {{ request int; response int; on q {{ reply {nines}; }} }}");
    judge("bad_literal", &literal, &format!("{{\"q\": 0, \"a\": {nines}}}"), 0, &["accept"]);
}

#[test]
fn nesting_100_000_deep_is_one_error() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"Node\": ", "}")] {
        check(&["validate", GUESS, "-"], &format!("{{\"q\": {}, \"a\": 1}}", deep(open, close)), 2, &[":1:7"]);
        let unclosed = format!("{{\"q\": {}", open.repeat(100_000));
        check(&["validate", GUESS, "-"], &unclosed, 2, &[":1:"]);
    }
    let tree = "enum Tree { Leaf, Node(Tree) } protocol p { request Tree; response int; on t { reply 0; } }";
    let value = format!("{}\"Leaf\"{}", "{\"Node\": ".repeat(100_000), "}".repeat(100_000));
    judge("bad_tree", tree, &format!("{{\"q\": {value}, \"a\": 0}}"), 2, &["nested more deeply than"]);
    let note = format!("{{\"q\": 1, \"a\": 1, \"note\": {}}}", deep("[", "]"));
    check(&["validate", GUESS, "-"], &note, 0, &["accept"]);
    for (open, close) in [("(", ")"), ("[", "]"), ("-", ""), ("if true { ", " } else { 1 }")] {
        let spec = format!("protocol p {{ request int; response int; on q {{ reply {}; }} }}", deep(open, close));
        judge("bad_deep", &spec, "{\"q\": 1, \"a\": 1}", 2, &["128 levels"]);
    }
}

/// A server that takes some word in secret, and tells whether a text is it, is in it, how long it is, and what it is.
const WORD: &str =
    "enum Q { Is(string), Has(string), Begins(string), Length, Tell } enum A { Yes, No, Length(int), Word(string) }
    protocol p { request Q; response A; var w: string = \"\"; var known: bool = false;
        on _ if !known { known := true; w := choose string; reply No; }
        on Is(s) { if s == w { reply Yes; } reply No; }
        on Has(s) { if w.contains(s) { reply Yes; } reply No; }
        on Begins(s) { if w.starts_with(s) { reply Yes; } reply No; }
        on Length { reply Length(len(w)); }
        on Tell { reply Word(w); }
    }";

/// The trace of questions about the word, one of each kind that a text is good for.
fn asked(word: &str, part: &str, length: usize, last: &str) -> String {
    format!(
        "{{\"q\": \"Tell\", \"a\": \"No\"}}\n{{\"q\": {{\"Has\": {part}}}, \"a\": \"Yes\"}}\n\
         {{\"q\": \"Length\", \"a\": {{\"Length\": {length}}}}}\n{{\"q\": {{\"Begins\": {part}}}, \"a\": \"Yes\"}}\n\
         {{\"q\": \"Tell\", \"a\": {{\"Word\": {word}}}}}\n{{\"q\": {{\"Is\": {word}}}, \"a\": \"{last}\"}}\n"
    )
}

#[test]
fn odd_strings_are_what_they_are() {
    for (at, (word, part, length)) in [
        ("\"abc\"", "\"ab\"", 3),
        ("\"\\\\u{41}\"", "\"\\\\u\"", 6),
        ("\"\\\\x41\"", "\"\\\\\"", 4),
        ("\"\u{1f600}!\"", "\"\u{1f600}\"", 2),
        ("\"\\ud83d\\ude00!\"", "\"\u{1f600}\"", 2),
        ("\"\\u0000b\"", "\"\\u0000\"", 2),
        ("\"\u{e9}\u{65}\u{301}\"", "\"\u{e9}\"", 3),
        ("\"\u{2ffff}x\"", "\"\u{2ffff}\"", 2),
        ("\"\\\"\\n\\t\"", "\"\\\"\"", 3),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("bad_word{at}");
        judge_soon(&name, WORD, &asked(word, part, length, "Yes"), 0, &["accept (6 events)"]);
        judge_soon(&name, WORD, &asked(word, part, length, "No"), 1, &["reject at line 6"]);
        judge_soon(&name, WORD, &asked(word, part, length + 1, "Yes"), 1, &["reject at line 5"]);
    }
}

#[test]
fn characters_beyond_those_of_the_solver_are_never_rejected_wrongly() {
    for (name, first) in [("bad_plane3", '\u{30000}'), ("bad_plane16", '\u{10ffff}')] {
        let beginning = format!(
            "{{\"q\": \"Tell\", \"a\": \"No\"}}\n{{\"q\": \"Tell\", \"a\": {{\"Word\": \"{first}x\"}}}}\n\
             {{\"q\": \"Length\", \"a\": {{\"Length\": 2}}}}\n{{\"q\": {{\"Has\": \"x\"}}, \"a\": \"Yes\"}}\n"
        );
        let begins = |answer: &str| format!("{beginning}{{\"q\": {{\"Begins\": \"{first}\"}}, \"a\": \"{answer}\"}}");
        judge_soon(name, WORD, &begins("Yes"), 0, &["accept"]);
        judge_soon(name, WORD, &begins("No"), 1, &["reject at line 5"]);
        let (word, part) = (format!("\"{first}x\""), format!("\"{first}\""));
        judge_soon(name, WORD, &asked(&word, &part, 2, "Yes"), 0, &["accept (6 events)"]);
        judge_soon(name, WORD, &asked(&word, &part, 2, "No"), 1, &["reject at line 6"]);
    }
}

#[test]
fn texts_that_look_like_escapes_are_not_what_they_would_escape() {
    let escape = "{\"q\": \"Tell\", \"a\": \"No\"}\n{\"q\": {\"Begins\": \"\\\\u{41}\"}, \"a\": \"Yes\"}\n";
    judge_soon(
        "bad_escape",
        WORD,
        &format!("{escape}{{\"q\": {{\"Begins\": \"A\"}}, \"a\": \"Yes\"}}"),
        1,
        &["line 3"],
    );
    judge_soon(
        "bad_escape",
        WORD,
        &format!("{escape}{{\"q\": {{\"Begins\": \"\\\\\"}}, \"a\": \"No\"}}"),
        1,
        &["line 3"],
    );
    judge_soon("bad_escape", WORD, &format!("{escape}{{\"q\": {{\"Begins\": \"A\"}}, \"a\": \"No\"}}"), 0, &["accept"]);
}

#[test]
fn unpaired_surrogates_and_control_characters_in_json_are_errors() {
    for word in ["\"\\ud83d\"", "\"\\ude00x\"", "\"\u{1}\"", "\"\\x41\"", "\"abc"] {
        judge("bad_json", WORD, &format!("{{\"q\": {{\"Is\": {word}}}, \"a\": \"No\"}}"), 2, &[":1:"]);
    }
}
