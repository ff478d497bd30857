//! Reading and printing: every specification there is, golden diagnostics and layouts, and bad input.
//!
//! `BLESS=1 cargo test --test syntax` writes the golden files anew; review them as a diff.

mod syntax {
    pub mod golden;
    pub mod programs;
}

use std::path::Path;

use mayhap::diagnostic::{Colour, FileId, Sources};
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{Parsed, parse, print};
use proptest::prelude::*;
use syntax::golden::{files, golden, shape};
use syntax::programs::program;

fn parsed(text: &str) -> Parsed {
    parse(text, FileId(0), NodeId(0))
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["specs", "../shared", "tests/data/spec"] {
        for (path, text) in files(&root.join(folder), "may") {
            check_printing(&path, &text);
        }
    }
}

#[test]
fn layouts_are_as_expected() {
    for (path, text) in files(Path::new("tests/data/syntax/layout"), "may") {
        golden(&path, "formatted", &check_printing(&path, &text));
    }
}

#[test]
fn errors_are_as_expected() {
    for (path, text) in files(Path::new("tests/data/syntax/errors"), "may") {
        let mut sources = Sources::default();
        let file = sources.add(Path::new(&path).file_name().unwrap().to_str().unwrap(), &text);
        let shown: Vec<String> =
            parse(&text, file, NodeId(0)).diagnostics.iter().map(|d| sources.render(d, Colour::Never)).collect();
        assert!(!shown.is_empty(), "{path} has errors");
        golden(&path, "txt", &shown.join("\n"));
    }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_is_undone_by_parsing(numbers in choices()) {
        check_printing("random", &program(numbers).join(" "));
    }

    #[test]
    fn comments_survive(numbers in choices(), gaps in prop::collection::vec(any::<u8>(), 0..40)) {
        check_printing("random", &spaced(&program(numbers), &gaps));
    }
}
