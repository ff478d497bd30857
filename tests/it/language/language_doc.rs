//! The examples of docs/LANGUAGE.md: they are read and checked without an error, and are in the one layout.
//!
//! A block is marked by the words after its three backquotes: `may` is a whole file; `may shared` one that the others
//! build on; `may statements` is part of a handler of it; `may typed` holds lines of the form `expression: type`.

use mayhap::diagnostic::{Colour, Sources};
use mayhap::spec::load::{Text, load};
use mayhap::syntax::{parse, print};

/// The examples with the line they begin at, those marked so.
fn examples(mark: &str) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/LANGUAGE.md")).unwrap();
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line.strip_prefix("```").is_some_and(|rest| !rest.is_empty()) {
            let example: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            if line == format!("```{mark}") {
                found.push((number + 1, example.join("\n") + "\n"));
            }
        }
    }
    assert!(!found.is_empty(), "no example is marked `{mark}`");
    found
}

/// Reads and checks a file; no error is among the findings.
fn check(line: usize, text: &str) {
    let mut sources = Sources::default();
    let file = Text { name: format!("LANGUAGE.md-{line}.may"), text: text.to_owned() };
    let (loaded, mut findings) = load(file, &mut |_| Err("no such file".to_owned()), &mut sources);
    findings.extend(loaded.check().1);
    let errors = findings.iter().filter(|finding| finding.is_error());
    let shown: Vec<String> = errors.map(|error| sources.render(error, Colour::Never)).collect();
    assert!(shown.is_empty(), "{}\n{text}", shown.join("\n"));
}

/// The printer changes nothing.
fn check_layout(line: usize, text: &str) {
    let parsed = parse(text, Default::default(), mayhap::syntax::ast::NodeId(0));
    assert_eq!(print(&parsed.file, text), text, "LANGUAGE.md:{line}");
}

/// The shared declarations, with statements in a handler.
fn handler(statements: &str) -> String {
    let (_, shared) = examples("may shared").remove(0);
    let members = shared.trim_end().strip_suffix('}').expect("the shared example ends in a protocol");
    let indented: Vec<String> = statements.lines().map(|line| format!("        {line}")).collect();
    format!("{members}\n    on q {{\n{}\n    }}\n}}\n", indented.join("\n"))
}

#[test]
fn files_are_checked() {
    for (line, text) in examples("may") {
        check(line, &text);
        check_layout(line, &text);
    }
}

#[test]
fn shared_declarations_are_checked() {
    let (line, text) = examples("may shared").remove(0);
    check(line, &handler("reply area(q);"));
    check_layout(line, &text);
}

#[test]
fn statements_are_checked() {
    for (line, statements) in examples("may statements") {
        check(line, &handler(&statements));
        check_layout(line, &handler(&statements));
    }
}

#[test]
fn types_are_as_said() {
    for (line, typed) in examples("may typed") {
        for typed in typed.lines() {
            let (expression, ty) = typed.rsplit_once(": ").expect("a line is `expression: type`");
            check(line, &handler(&format!("let value: {ty} = {expression};\nlet other = value;\nreply 0;")));
        }
    }
}
