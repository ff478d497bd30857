//! Reading and printing: every specification there is, golden diagnostics and layouts, and bad input.
//!
//! `BLESS=1 cargo test --test it syntax::` writes the golden files anew; review them as a diff.

use std::fmt::Debug;

use crate::golden::{files, golden};
use crate::random::grammar;
use mayhap::diagnostic::{Colour, FileId, Sources};
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{Parsed, parse, parse_expression, print};
use proptest::prelude::*;

fn parsed(text: &str) -> Parsed {
    parse(text, FileId(0), NodeId(0))
}

/// A tree without places and numbers, and with the texts of its comments.
fn shape(tree: &impl Debug) -> String {
    let mut text = format!("{tree:?}");
    for (begin, end) in [("Span {", "}"), ("NodeId(", ")")] {
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(begin) {
            kept.push_str(&rest[..at]);
            let after = &rest[at..];
            rest = &after[after.find(end).map_or(after.len(), |end| end + 1)..];
        }
        kept.push_str(rest);
        text = kept;
    }
    text
}

/// A text without errors: printing keeps the tree and the comments, and printing again changes nothing.
fn check_printing(name: &str, text: &str) -> String {
    let first = parsed(text);
    assert!(first.diagnostics.is_empty(), "{name}: {:?}\n{text}", first.diagnostics);
    let printed = print(&first.file, text);
    let second = parsed(&printed);
    assert!(second.diagnostics.is_empty(), "{name}: {:?}\n{text}\n=>\n{printed}", second.diagnostics);
    assert_eq!(shape(&first.file), shape(&second.file), "{name}\n{text}\n=>\n{printed}");
    assert_eq!(print(&second.file, &printed), printed, "{name} again\n{text}");
    let without_text = print(&first.file, "");
    assert_eq!(shape(&first.file), shape(&parsed(&without_text).file), "{name} from the tree alone\n{without_text}");
    printed
}

#[test]
fn every_specification_is_read_and_printed() {
    for folder in ["specs", "tests/data/conformance", "tests/data/hidden", "tests/data/user"] {
        for (path, text) in files(folder, "may") {
            check_printing(&path.display().to_string(), &text);
        }
    }
}

#[test]
fn layouts_are_as_expected() {
    for (path, text) in files("tests/data/syntax/layout", "may") {
        golden(&path.with_extension("formatted"), &check_printing(&path.display().to_string(), &text));
    }
}

#[test]
fn errors_are_as_expected() {
    for (path, text) in files("tests/data/syntax/errors", "may") {
        let mut sources = Sources::default();
        let file = sources.add(path.file_name().unwrap().to_str().unwrap(), &text);
        let shown: Vec<String> =
            parse(&text, file, NodeId(0)).diagnostics.iter().map(|d| sources.render(d, Colour::Never)).collect();
        assert!(!shown.is_empty(), "{} has errors", path.display());
        golden(&path.with_extension("txt"), &shown.join("\n"));
    }
}

/// Reads what may be no program at all: it ends, places are in the text, and the tree can be printed and copied.
fn check_bad_input(text: &str) {
    let result = parsed(text);
    for finding in &result.diagnostics {
        let place = finding.primary.span;
        assert!(place.start <= place.end && place.end as usize <= text.len(), "{finding:?}");
        assert!(text.get(place.start as usize..place.end as usize).is_some(), "{finding:?}");
    }
    let copy = result.file.clone();
    assert_eq!(copy, result.file);
    let printed = print(&copy, text);
    if result.diagnostics.is_empty() {
        check_printing("bad input", text);
    } else {
        let _ = parsed(&printed);
    }
}

#[test]
fn odd_texts_are_read() {
    let long_name = "x".repeat(100_000);
    let long_string = format!("const A: string = \"{}\";", "é\\n".repeat(100_000));
    let long_number = format!("const A: int = {};", "9".repeat(10_000));
    let too_long_number = format!("const A: int = {};", "9".repeat(200_000));
    let long_list = format!("const A: list<int> = [{}];", "1, ".repeat(100_000));
    let many_errors = "on on ( ; }".repeat(10_000);
    let odd =
        ["", "\0", "\u{feff}", "\u{feff}token T;", "😀", "\"", "`", "\\", "//", "/", "!", "\r", "\"\\", "`\n`", "é"];
    for text in
        odd.into_iter().chain([&*long_name, &long_string, &long_number, &too_long_number, &long_list, &many_errors])
    {
        check_bad_input(text);
        check_bad_input(&format!("protocol p {{ on q {{ n := {text}"));
    }
    assert!(parsed("\u{feff}token T;").diagnostics.is_empty());
    assert!(parsed(&long_number).diagnostics.is_empty());
    assert!(!parsed(&too_long_number).diagnostics.is_empty());
}

/// What opens a nested construct, what is innermost, and what closes it; and a text before all that and one after.
#[rustfmt::skip]
const NESTED: [(&str, &str, &str, &str, &str); 34] = [
    ("const A: int = ", "(", "x", ")", ";"),
    ("const A: int = ", "[", "x", "]", ";"),
    ("const A: int = ", "{", "x", "}", ";"),
    ("const A: int = ", "!", "x", "", ";"),
    ("const A: int = ", "-", "x", "", ";"),
    ("const A: int = ", "f(", "x", ")", ";"),
    ("const A: int = ", "a[", "x", "]", ";"),
    ("const A: int = ", "R { f: ", "x", "}", ";"),
    ("const A: int = ", "{1: ", "x", "}", ";"),
    ("const A: int = ", "{ x with f: ", "x", "}", ";"),
    ("const A: int = ", "if a { ", "x", " } else { b }", ";"),
    ("const A: int = ", "if a { b } else ", "{ x }", "", ";"),
    ("const A: int = ", "match a { b => ", "x", " }", ";"),
    ("const A: int = ", "{ let x = ", "x", "; x }", ";"),
    ("const A: int = ", "either a or ", "x", "", ";"),
    ("const A: int = ", "pick ", "x", "", ";"),
    ("const A: int = ", "any x in a: ", "x", "", ";"),
    ("const A: int = ", "choose x: int where ", "x", "", ";"),
    ("const A: int = ", "1 + (", "x", ")", ";"),
    ("const A: int = ", "[x for x in ", "x", "]", ";"),
    ("machine m { ", "if a { ", "", "} ", "}"),
    ("machine m { ", "if a {} else ", "{}", "", " }"),
    ("machine m { ", "either { ", "", "} or {} ", "}"),
    ("machine m { ", "while a { ", "", "} ", "}"),
    ("machine m { ", "for x in a { ", "", "} ", "}"),
    ("machine m { ", "match a { b => { ", "", "} } ", "}"),
    ("machine m { let ", "(", "x", ")", " = 1; }"),
    ("machine m { let ", "[", "x", "]", " = 1; }"),
    ("machine m { let ", "V(", "x", ")", " = 1; }"),
    ("machine m { let ", "V { f: ", "x", "}", " = 1; }"),
    ("machine m { for ", "(", "x", ")", " in xs {} }"),
    ("type T = ", "list<", "int", ">", ";"),
    ("type T = ", "(int, ", "int", ")", ";"),
    ("type T = ", "map<int, ", "int", ">", ";"),
];

#[test]
fn deep_nesting_is_one_error() {
    for (before, open, middle, close, after) in NESTED {
        for depth in [50, 120, 130, 300, 100_000] {
            let text = format!("{before}{}{middle}{}{after}", open.repeat(depth), close.repeat(depth));
            check_bad_input(&text);
            let found = parsed(&text).diagnostics;
            assert!(found.len() <= 1 && (depth < 128 || found.len() == 1), "{open} {depth}: {found:?}");
            assert!(found.iter().all(|finding| finding.message.contains("128 levels")), "{open} {depth}: {found:?}");
            check_bad_input(&format!("{before}{}", open.repeat(depth)));
        }
    }
}

#[test]
fn long_chains_are_one_error() {
    for link in [" + 1", " || a", ".f", "[0]", ".f(1)", " - 1 * 2"] {
        for (length, errors) in [(60, 0), (1_000, 1), (100_000, 1)] {
            let text = format!("machine m {{ n := a{}; }}", link.repeat(length));
            assert_eq!(parsed(&text).diagnostics.len(), errors, "{link} {length}");
            check_bad_input(&text);
        }
    }
}

#[test]
fn expressions_are_read_alone() {
    for (text, errors) in [("5", 0), (" -1 + n ", 0), ("", 1), ("1 2", 1), ("1;", 1), ("choose", 0), ("\"", 1)] {
        let (expr, found, _) = parse_expression(text, FileId(0), NodeId(0));
        assert_eq!(found.len(), errors, "{text}: {found:?}");
        assert!(expr.is_some() || errors > 0, "{text}");
    }
}

/// `text` is read as if it were `grouped`.
fn check_precedence(text: &str, grouped: &str) {
    let tree = |expr: &str| {
        let result = parsed(&format!("const A: int = {expr};"));
        assert!(result.diagnostics.is_empty(), "{expr}: {:?}", result.diagnostics);
        shape(&result.file.items)
            .replace("Paren(Spanned", "")
            .replace(", span: , id: ", "")
            .replace(['(', ')', '{', '}', ' '], "")
    };
    assert_eq!(tree(text).replace("kind:", ""), tree(grouped).replace("kind:", ""), "{text}");
}

#[test]
fn operators_bind_as_documented() {
    check_precedence("a || b && c || d", "(a || (b && c)) || d");
    check_precedence("a == b && !c", "(a == b) && (!c)");
    check_precedence("1 + 2 * 3 - 4 % 5", "(1 + (2 * 3)) - (4 % 5)");
    check_precedence("a - b - c", "(a - b) - c");
    check_precedence("-a.f[0] * b", "(-((a.f)[0])) * b");
    check_precedence("x in 0..n + 1 && y", "(x in (0..(n + 1))) && y");
    check_precedence("x is Some(y) && y < 3", "(x is Some(y)) && (y < 3)");
    check_precedence("a is A | B || c", "(a is A | B) || c");
    check_precedence("1 + either 2 or 3 * 4", "1 + (either 2 or (3 * 4))");
    check_precedence("any x in xs: x == 1 || y", "any x in xs: ((x == 1) || y)");
    check_precedence("!choose bool", "!(choose bool)");
    check_precedence("a && choose x: int where x > 0 && b", "a && (choose x: int where ((x > 0) && b))");
    check_precedence("pick 0..n", "pick (0..n)");
    check_precedence("either a or either b or c", "either a or (either b or c)");
}

#[test]
fn five_hundred_lines_are_read_and_printed_at_once() {
    let text = std::fs::read_to_string("tests/data/syntax/layout/contract.may").unwrap();
    let text = text.repeat(500 / text.lines().count() + 1);
    let fastest = (0..5).map(|_| {
        let start = std::time::Instant::now();
        let length = print(&parsed(&text).file, &text).len();
        (start.elapsed(), length)
    });
    let (fastest, _) = fastest.min().unwrap();
    assert!(fastest.as_millis() < 50, "{fastest:?}");
}

/// What may stand between two tokens.
const GAPS: [&str; 9] = [" ", " ", " ", " ", "\n", "\n\n\n", " // c\n", "\n// own\n", "\n\n  // a \n\n//b\n\t"];

/// Tokens with gaps between them, which are drawn by numbers.
fn spaced(tokens: &[String], gaps: &[u8]) -> String {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        let gap = gaps.get(index % gaps.len().max(1)).copied().unwrap_or(0);
        text.push_str(GAPS[gap as usize % GAPS.len()]);
        text.push_str(token);
    }
    text
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..300)
}

#[rustfmt::skip]
const TOKENS: [&str; 88] = [
    "x", "Some", "_", "`a b`", "1", "!2", "\"s\"", "\"", "`", "é", "$", "{", "}", "(", ")", "[", "]", ";", ",", ":", ":=",
    "=", "==", "!=", "<", "<=", ">", ">=", "=>", "->", ".", "..", "+", "-", "*", "/", "%", "!", "&&", "||", "|", "if",
    "else", "match", "for", "in", "while", "let", "var", "either", "or", "assume", "expects", "reply", "send", "yield",
    "close", "return", "choose", "where", "pick", "is", "any", "all", "with", "call", "true", "false", "use", "const",
    "type", "token", "struct", "enum", "fn", "def", "machine", "serial", "protocol", "request", "response", "on", "proc",
    "step", "peer", "from", "list", "\n",
];

/// The tokens of a program, drawn by numbers: when these are used up every choice is the first, so programs shrink with them.
fn program(numbers: Vec<u16>) -> Vec<String> {
    let mut numbers = numbers.into_iter();
    let draw = &mut |below| numbers.next().map_or(0, |number| number as usize % below);
    grammar::derived("syntax", "program", 25, draw).split_whitespace().map(|token| token.replace('·', " ")).collect()
}

#[test]
fn a_comment_in_a_type_survives() {
    check_printing("a comment", " protocol p { } enum E { None { x : option < int // c\n> , } }");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn printing_is_undone_by_parsing(numbers in choices()) {
        check_printing("random", &program(numbers).join(" "));
    }

    #[test]
    fn comments_survive(numbers in choices(), gaps in prop::collection::vec(any::<u8>(), 0..40)) {
        check_printing("random", &spaced(&program(numbers), &gaps));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_bad_input(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_tokens_are_read(tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..120)) {
        check_bad_input(&tokens.join(" "));
    }

    #[test]
    fn damaged_programs_are_read(numbers in choices(), at in any::<prop::sample::Index>(), put in prop::sample::select(TOKENS.to_vec()), cut in 0usize..3) {
        let mut tokens = program(numbers);
        let at = at.index(tokens.len() + 1);
        let end = (at + cut).min(tokens.len());
        tokens.splice(at..end, [put.to_owned()]);
        check_bad_input(&tokens.join(" "));
    }
}
