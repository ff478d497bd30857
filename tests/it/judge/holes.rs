//! Holes in requests, of every type: some value in the place of the hole explains the rest of the recording, or none does, or that is not
//! known. A hole is never a fault of the specification.
//!
//! `on q { reply len(q); }` with a `set<bool>` answers a hole with 0, 1 or 2, and never with 3.

use crate::judge::{compiled, named, verdict};

const HOLE: &str = r#"{"$any": null}"#;

/// Types, each with all of its values as JSON and with what a handler does.
const FINITE: [(&str, &[&str], &[&str]); 4] = [
    (
        "set<bool>",
        &["[]", "[true]", "[false]", "[true, false]"],
        &[
            "reply len(q);",
            "var n = 0; for x in q { if x { n := n + 2; } else { n := n + 1; } } reply n;",
            "reply if q == {true} { 1 } else { 0 };",
            "let l = q.to_list(); reply if len(l) > 0 && l[0] { 3 } else { len(l) };",
            "kept := q; reply len(kept & {true});",
        ],
    ),
    (
        "map<bool, bool>",
        &[
            "[]",
            "[[true, true]]",
            "[[true, false]]",
            "[[false, true]]",
            "[[false, false]]",
            "[[true, true], [false, true]]",
            "[[true, true], [false, false]]",
            "[[true, false], [false, true]]",
            "[[true, false], [false, false]]",
        ],
        &[
            "reply len(q);",
            "var n = 0; for (k, v) in q.to_list() { if k == v { n := n + 1; } } reply n;",
            "assume len(q) == 2; var n = 0; for v in q.values() { if v { n := n + 1; } } reply n;",
        ],
    ),
    (
        "option<set<bool>>",
        &["null", "[]", "[true]", "[false]", "[true, false]"],
        &["match q { None => { reply 3; } Some(s) => { assume !(false in s); reply len(s); } }"],
    ),
    (
        "(set<Color>, bool)",
        &[
            r"[[], true]",
            r"[[], false]",
            r#"[["R"], true]"#,
            r#"[["R"], false]"#,
            r#"[["G"], true]"#,
            r#"[["G"], false]"#,
            r#"[["R", "G"], true]"#,
            r#"[["R", "G"], false]"#,
        ],
        &["let (s, b) = q; assume b || len(s) != 1; reply len(s) + if R in s { 1 } else { 0 };"],
    ),
];

fn protocol(ty: &str, body: &str) -> String {
    format!(
        "enum Color {{ R, G }} enum Tree {{ Leaf, Node(Tree, Tree) }} token K;
         fn leaves(t: Tree): int = match t {{ Leaf => 1, Node(a, b) => leaves(a) + leaves(b) }};
         protocol p {{ request {ty}; response int; var kept: set<bool> = {{}}; on q {{ {body} }} }}"
    )
}

#[test]
fn a_hole_is_explained_if_one_of_all_values_is() {
    for (ty, values, bodies) in FINITE {
        for body in bodies {
            let spec = compiled(&protocol(ty, body));
            for answer in -1..5 {
                let of = |request: &str| named(&verdict(&spec, &format!("{{\"q\": {request}, \"a\": {answer}}}\n"))).0;
                let wanted = if values.iter().any(|value| of(value) == "accept") { "accept" } else { "reject" };
                assert_eq!(of(HOLE), wanted, "{ty}: {body} answers {answer}");
            }
        }
    }
}

/// A type with infinitely many values, what a handler does, a request, its answer, and the verdict.
#[test]
fn a_hole_with_infinitely_many_values_is_followed_case_by_case() {
    let map = r#"{"a": 5, "b": {"$any": null}}"#;
    for (ty, body, request, answer, wanted) in [
        ("set<string>", "reply len(q);", HOLE, 3, "accept"),
        ("set<string>", "reply len(q);", HOLE, 40, "unknown"),
        ("set<int>", "assume len(q) <= 2; reply len(q);", HOLE, 3, "unknown"),
        ("set<int>", "assume q <= {1, 2}; reply len(q);", HOLE, 2, "accept"),
        ("set<int>", "reply if 3 in q { len(q) } else { 0 };", HOLE, 2, "accept"),
        ("set<int>", "var n = 0; for x in q { assume x > 4; n := n + x; } reply n;", HOLE, 11, "accept"),
        (
            "set<option<bool>>",
            "var n = 0; for x in q { if x is Some(b) && b { n := n + 1; } } reply n;",
            HOLE,
            1,
            "accept",
        ),
        ("(set<int>, set<int>)", "let (a, b) = q; assume a == b; reply len(b);", HOLE, 1, "accept"),
        ("map<string, int>", "var n = 0; for v in q.values() { n := n + v; } reply n;", HOLE, 7, "accept"),
        ("map<string, int>", "var n = 0; for v in q.values() { n := n + v; } reply n;", map, 7, "accept"),
        ("map<string, int>", "assume q[\"b\"] > 0; reply q[\"a\"] + q[\"b\"];", map, 5, "reject"),
        ("list<set<K>>", "var n = 0; for s in q { n := n + len(s); } reply n;", HOLE, 2, "accept"),
        ("list<int>", "assume len(q) == 2; reply q[0] + q[1];", HOLE, 9, "accept"),
        ("set<list<int>>", "assume all x in q: x == [1]; reply len(q);", HOLE, 1, "accept"),
        ("set<list<int>>", "assume all x in q: x == [1]; reply len(q);", HOLE, 2, "unknown"),
        ("Tree", "reply leaves(q);", HOLE, 2, "accept"),
        ("string", "assume q != \"\"; reply len(q);", HOLE, 0, "reject"),
    ] {
        let spec = compiled(&protocol(ty, body));
        let said = verdict(&spec, &format!("{{\"q\": {request}, \"a\": {answer}}}\n"));
        assert_eq!(named(&said).0, wanted, "{ty}: {body} answers {request} with {answer}: {said:?}");
    }
}

/// What a handler keeps of a hole is one value from then on.
#[test]
fn a_hole_that_is_kept_stays_the_same() {
    let spec = compiled(
        "enum Q { Keep(set<int>), Has(int), Count }
         protocol p { request Q; response int; var kept: set<int> = {};
             on Keep(s) { kept := s; reply if 3 in s { 1 } else { 0 }; }
             on Has(x) { reply if x in kept { 1 } else { 0 }; }
             on Count { reply len(kept); } }",
    );
    let keep = |answer: i64| format!("{{\"q\": {{\"Keep\": {HOLE}}}, \"a\": {answer}}}\n");
    let has = |x: i64, answer: i64| format!("{{\"q\": {{\"Has\": {x}}}, \"a\": {answer}}}\n");
    let count = |answer: i64| format!("{{\"q\": \"Count\", \"a\": {answer}}}\n");
    for (lines, wanted) in [
        (vec![keep(1), count(1), has(4, 0), has(3, 1)], "accept"),
        (vec![keep(0), has(4, 1), count(2), has(5, 1), has(6, 0)], "accept"),
        (vec![keep(0), has(4, 1), has(4, 0)], "reject"),
    ] {
        assert_eq!(named(&verdict(&spec, &lines.concat())).0, wanted, "{lines:?}");
    }
    for lines in [
        vec![keep(1), count(0)],
        vec![keep(1), count(1), has(4, 1)],
        vec![keep(0), has(4, 1), count(2), has(5, 1), has(6, 1)],
    ] {
        // That more than a few elements explain it is not ruled out.
        assert!(["reject", "unknown"].contains(&named(&verdict(&spec, &lines.concat())).0), "{lines:?}");
    }
}
