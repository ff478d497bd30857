//! The parser on every specification there is.

use std::path::{Path, PathBuf};

use mayhap::diagnostic::FileId;
use mayhap::syntax::{Parsed, ast::NodeId, parse};

fn parsed(text: &str) -> Parsed {
    parse(text, FileId(0), NodeId(0))
}

fn specifications(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            specifications(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "may") {
            found.push(path);
        }
    }
}

#[test]
fn every_specification_parses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    specifications(&root.join("specs"), &mut files);
    specifications(&root.join("../shared"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let diagnostics = parsed(&text).diagnostics;
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", file.display());
    }
}

#[test]
fn nothing_overflows() {
    let wrap = |e: String| format!("protocol p {{ on q {{ n := {e}; }} }}");
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("!", ""),
        ("-", ""),
        ("if a { ", " } else { b }"),
        ("either ", " or 1"),
        ("f(", ")"),
        ("x is Some(", ")"),
        ("R { f: ", "}"),
        ("choose x: int where ", ""),
        ("match ", " {}"),
    ] {
        for closing in [close, ""] {
            for wrapped in [true, false] {
                let e = format!("{}1{}", open.repeat(100_000), closing.repeat(100_000));
                let p = parsed(&if wrapped { wrap(e) } else { e });
                assert!(!p.diagnostics.is_empty());
                println!("{open} {closing} {wrapped}: {} {:?}", p.diagnostics.len(), p.diagnostics[0].message);
                drop(p.clone());
            }
        }
    }
    for chain in [" + 1", " || b", ".f", "[0]", ".f(1)", "..1", " == 1", " is Some(x)", " is A | B", " or 1"] {
        let p = parsed(&wrap(format!("1{}", chain.repeat(100_000))));
        println!("{chain}: {} {:?}", p.diagnostics.len(), p.diagnostics[0].message);
        drop(p.clone());
    }
    for (open, close) in [
        ("if a {", "}"),
        ("either {", "} or {}"),
        ("while a {", "}"),
        ("match a { b => {", "}}"),
        ("for x in y {", "}"),
    ] {
        for closing in [close, ""] {
            let p =
                parsed(&format!("protocol p {{ on q {{ {} {} }} }}", open.repeat(100_000), closing.repeat(100_000)));
            println!("{open}: {} {:?}", p.diagnostics.len(), p.diagnostics[0].message);
        }
    }
    let p = parsed(&format!("protocol p {{ on q {{ {} {{}} }} }}", "if a {} else ".repeat(100_000)));
    println!("else: {} {:?}", p.diagnostics.len(), p.diagnostics[0].message);
    let p = parsed(&format!("type T = {}int{};", "list<".repeat(100_000), ">".repeat(100_000)));
    println!("list: {} {:?}", p.diagnostics.len(), p.diagnostics[0].message);
    let p = parsed(&format!("type T = {}int{};", "(".repeat(100_000), ")".repeat(100_000)));
    println!("(: {} {:?}", p.diagnostics.len(), p.diagnostics[0].message);
}
