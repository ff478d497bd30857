//! The checker: golden diagnostics for each case, no error in any specification that is shipped or shared, no panic on
//! any text, and what the tables say.
//!
//! A case is a file `tests/data/check/*.may` with the expected output beside it (`*.txt`); `BLESS=1 cargo test --test it
//! check::` writes the outputs anew, to be reviewed as a diff.

use crate::golden::{files, golden};
use crate::random;
use mayhap::diagnostic::{Colour, Diagnostic, Sources};
use mayhap::spec::check::{Builtin, Checked, Res};
use mayhap::spec::load::{Loaded, Text, load};
use mayhap::spec::types::{INT, STRING};
use mayhap::syntax::ast::{BinaryOp, Expr, ExprKind, PatternKind, StatementKind, Trigger};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What `check` says of a file, rendered.
fn output(path: &Path) -> (String, Vec<Diagnostic>) {
    let text = fs::read_to_string(path).expect("a case is readable");
    let name = path.file_name().expect("a case has a name").to_string_lossy().into_owned();
    let mut sources = Sources::default();
    let mut beside = |used: &str| {
        let name = format!("{used}.may");
        let text = fs::read_to_string(path.with_file_name(&name)).map_err(|_| "no such file".to_owned())?;
        Ok(Text { name, text })
    };
    let (loaded, mut found) = load(Text { name, text }, &mut beside, &mut sources);
    found.extend(loaded.check().1);
    (found.iter().map(|finding| sources.render(finding, Colour::Never) + "\n").collect(), found)
}

#[test]
fn every_case_says_what_it_should() {
    for (path, _) in files("tests/data/check", "may") {
        golden(&path.with_extension("txt"), &output(&path).0);
    }
}

#[test]
fn shipped_and_kept_specifications_have_no_errors() {
    for directory in ["specs", "tests/data/conformance", "tests/data/hidden", "tests/data/user"] {
        for (path, _) in files(directory, "may") {
            let (text, found) = output(&path);
            assert!(!found.iter().any(Diagnostic::is_error), "{}:\n{text}", path.display());
        }
    }
}

fn read(text: &str) -> (Loaded, Vec<Diagnostic>) {
    let first = Text { name: "it.may".into(), text: text.into() };
    load(first, &mut |_| Err("there is nothing else".into()), &mut Sources::default())
}

/// How many errors a text has.
fn errors(text: &str) -> usize {
    let (loaded, mut found) = read(text);
    found.extend(loaded.check().1);
    found.iter().filter(|finding| finding.is_error()).count()
}

#[test]
fn what_is_suggested_where_a_type_is_open_mends_it() {
    let handler = |line: &str, value: &str| {
        format!("protocol p {{ request int; response int; on q {{ {line} let found = {value}; reply q; }} }}")
    };
    for (value, open) in [
        ("[]", "[]"),
        ("pick [Some([]), None]", "[]"),
        ("[None]", "None"),
        ("Some({})", "{}"),
        ("(1, choose)", "choose"),
    ] {
        let (loaded, _) = read(&handler("", value));
        let (_, found) = loaded.check();
        let help = &found.iter().find(|finding| finding.is_error()).expect(value).help[0];
        let suggested = help.split('`').nth(1).expect("a suggestion").replace("T", "int");
        let (line, value) = match suggested.starts_with("let") {
            true => (suggested.as_str(), value.replace(open, "x")),
            false => ("", value.replace(open, &suggested)),
        };
        assert_eq!(errors(&handler(line, &value)), 0, "{line} {value}");
    }
}

/// Looks at the tables of a text without errors.
fn with_tables(text: &str, look: impl FnOnce(&Checked<'_>)) {
    assert_eq!(errors(text), 0, "{text}");
    look(&read(text).0.check().0);
}

const REGISTER: &str = "
enum Request { Read, Write(int), Drop(string) }
protocol register {
    request Request;
    response option<int>;
    var cells: map<string, int> = {};
    on Write(n) | Write(n) if n > 0 { cells[\"x\"] := n; reply None; }
    on q { let found = cells.get(\"x\"); reply found; }
}
";

#[test]
fn the_tables_say_what_names_and_expressions_mean() {
    with_tables(REGISTER, |checked| {
        let (protocol, tables) = (&checked.protocols[0], &checked.tables);
        assert_eq!(checked.types.name(protocol.vars[0].ty), "map<string, int>");
        assert_eq!(tables.type_of(protocol.vars[0].value.id), protocol.vars[0].ty);
        let Trigger::Request(pattern) = protocol.handlers[0].trigger else { panic!("a request") };
        let PatternKind::Or(all) = &pattern.kind else { panic!("alternatives") };
        let bound: Vec<_> = all
            .iter()
            .map(|one| match &one.kind {
                PatternKind::Variant { name, args, .. } => {
                    let write = Res::Variant { ty: protocol.request, index: 1 };
                    assert_eq!(tables.resolution(name.id), Some(write));
                    let PatternKind::Name(n) = &args[0].kind else { panic!("a name") };
                    (n.id, tables.resolution(n.id), tables.type_of(n.id))
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let local = Some(Res::Local(bound[0].0));
        assert_eq!(bound.iter().map(|name| (name.1, name.2)).collect::<Vec<_>>(), [(local, INT), (local, INT)]);
        let guard = protocol.handlers[0].guard.expect("a guard");
        let ExprKind::Binary(BinaryOp::Gt, left, _) = &guard.kind else { panic!("a comparison") };
        let ExprKind::Name(n) = &left.kind else { panic!("a name") };
        assert_eq!(tables.resolution(n.id), local);
        let StatementKind::Let { value, .. } = &protocol.handlers[1].body.statements[0].kind else { panic!("a let") };
        let ExprKind::Method { receiver, name, args } = &value.kind else { panic!("a method") };
        assert_eq!(tables.resolution(name.id), Some(Res::Builtin(Builtin::Get)));
        assert_eq!(checked.types.name(tables.type_of(value.id)), "option<int>");
        assert_eq!(tables.type_of(args[0].id), STRING);
        let ExprKind::Name(cells) = &receiver.kind else { panic!("a name") };
        assert_eq!(tables.resolution(cells.id), Some(Res::StateVar(0)));
    });
}

#[test]
fn what_receives_a_value_says_its_type() {
    let text = "def f(m: map<int, set<string>>): map<int, set<string>> = either {} or { 1: {} };";
    with_tables(text, |checked| {
        let ExprKind::Either(all) = &checked.functions[0].body.kind else { panic!("alternatives") };
        let ExprKind::Map(entries) = &all[1].kind else { panic!("a map") };
        let name = |expr: &Expr| checked.types.name(checked.tables.type_of(expr.id));
        assert_eq!(name(&all[0]), "map<int, set<string>>");
        assert_eq!(name(&entries[0].1), "set<string>");
    });
}

#[test]
fn constants_come_after_what_they_need() {
    let text = "const A: int = f(1); const B: int = 2; const C: int = A + B; fn f(n: int): int = n + B;";
    with_tables(text, |checked| {
        assert_eq!(checked.const_order, [1, 0, 2]);
        assert_eq!(checked.const_named("C"), Some(2));
    });
}

#[test]
fn a_machine_lists_its_cells() {
    with_tables("machine m { if !1 <= !4000000000 { !7 := !0; } }", |checked| {
        assert_eq!(checked.machines[0].cells, [0, 1, 7, 4_000_000_000]);
    });
}

/// Whatever nests, as deep as the parser takes it, and wide.
#[test]
fn deep_and_wide_texts_end() {
    let deep = 250;
    let nested = |open: &str, middle: &str, close: &str| {
        let value = format!("{}{middle}{}", open.repeat(deep), close.repeat(deep));
        format!("fn f(n: int): int = {{ let x = {value}; n }};")
    };
    for (open, middle, close) in [
        ("(", "n", ")"),
        ("[", "n", "]"),
        ("-", "n", ""),
        ("Some(", "n", ")"),
        ("{ let y = ", "n", "; y }"),
        ("if n > 0 { ", "n", " } else { n }"),
        ("match n { _ => ", "n", " }"),
        ("any y in [", "n > 0", "]: y"),
        ("(n, ", "n", ")"),
        ("n + ", "n", ""),
    ] {
        errors(&nested(open, middle, close));
    }
    let doubled: String = (1..60).map(|i| format!("type T{i} = (T{}, T{});", i - 1, i - 1)).collect();
    errors(&format!("type T0 = int; {doubled} protocol p {{ request T59; response T59; on q {{ reply 5; }} }}"));
    let sharing: String = (1..100).map(|i| format!("let x{i} = (x{}, x{});", i - 1, i - 1)).collect();
    errors(&format!("fn f(n: int): int = {{ let x0 = []; {sharing} n }};"));
    let growing: String = (1..500).map(|i| format!("let x{i} = [x{}];", i - 1)).collect();
    errors(&format!("fn f(n: int): int = {{ let x0 = n; {growing} n }};"));
    errors(&format!("protocol p {{ request int; response int; on x0 {{ {growing} reply 0; }} }}"));
    let chain: String = (1..3000).map(|i| format!("struct S{i} {{ s: S{} }}", i - 1)).collect();
    assert_eq!(errors(&format!("struct S0 {{ n: int }} {chain}")), 0);
    let wide = ["_"; 2000].join(", ");
    errors(&format!("fn f(l: list<int>): int = match l {{ [{wide}] => 1, [{wide}, ..] => 2, _ => 3 }};"));
    let booleans = ["true | false, false"; 12].join(", ");
    let tuple = ["bool"; 24].join(", ");
    errors(&format!("fn f(t: ({tuple})): int = match t {{ ({booleans}) => 1, ({booleans}) => 2 }};"));
}

/// Checking 500 lines is not noticed.
#[test]
fn five_hundred_lines_are_checked_at_once() {
    let one = crate::judge::text("specs/kv_etag.may");
    let names = ["FRESH", "Opaque", "Tag", "Resource", "Request", "Response", "strong", "weak(", "kv_etag"];
    let mut text = String::new();
    for copy in 0.. {
        if text.lines().count() > 500 {
            break;
        }
        let renamed = names.iter().fold(one.clone(), |text, name| {
            let (stem, rest) = name.strip_suffix('(').map_or((*name, ""), |stem| (stem, "("));
            text.replace(name, &format!("{stem}{copy}{rest}"))
        });
        text += &renamed;
    }
    let begun = Instant::now();
    let count = errors(&text);
    assert!(begun.elapsed() < Duration::from_millis(150), "{:?}", begun.elapsed());
    assert_eq!(count, 0);
}

/// Expressions that do not say their type, wherever one may stand: a property of a type is asked once the type is known.
#[test]
fn open_types_are_reported_and_never_a_panic() {
    for mut rng in random::seeds(47, 3000).map(random::Rng::new) {
        let text = random::grammar::program("untyped", "start", &mut rng);
        let found = std::panic::catch_unwind(|| errors(&text));
        found.unwrap_or_else(|_| panic!("the check of this panics:\n{text}"));
    }
}

fn some_text() -> impl Strategy<Value = String> {
    let texts = ["specs", "tests/data/check"].iter().flat_map(|directory| files(directory, "may"));
    proptest::sample::select(texts.map(|(_, text)| text).collect::<Vec<String>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Words of a specification are moved, lost and doubled.
    #[test]
    fn checking_never_panics(text in some_text(), edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3u8), 1..6)) {
        let mut words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for (from, to, edit) in edits {
            if words.is_empty() {
                break;
            }
            let (from, to) = (from.index(words.len()), to.index(words.len()));
            match edit {
                0 => drop(words.remove(from)),
                1 => words.insert(to, words[from]),
                _ => words.swap(from, to),
            }
        }
        errors(&words.concat());
    }
}

#[test]
fn what_is_picked_may_be_of_a_type_that_contains_itself() {
    let text = "enum Tree { Leaf, Node(Tree, Tree) } protocol p { request int; response Tree;
        on q { reply pick t in [Leaf, Node(Leaf, Leaf)] where t != Leaf || q > 0; } }";
    assert!(mayhap::Spec::from_text(text).is_ok());
}
