//! Random protocols over two lists and an integer: elements are added, picked, taken out, lost and doubled, and few answers show it.
//!
//! Example of a branch: `either { } or { let v1 = pick l; l := [x for x in l if x != v1]; n := v1; }`. Of one list most often only
//! the elements matter, of the other one their order.

use super::{Lines, Rng};

/// Changes of a list of which only the elements matter.
const ELEMENTS: &[&str] = &[
    "l := l + [q];",
    "l := l + [q, n];",
    "l := [q] + l;",
    "let V = pick l; l := [x for x in l if x != V]; n := V;",
    "let V = pick l; l := [x for x in l if x != V];",
    "let V = pick x in l where x >= q; l := [x for x in l if x != V]; n := V;",
    "l := [x for x in l if x > q];",
    "l := [x for x in l if x != q && x < 3];",
    "if q in l { n := 1; }",
    "if l == [] { n := 0; }",
    "match l { [] => { n := q; } _ => {} }",
    "n := pick l;",
    "l := [];",
];

/// Changes of a list whose order matters.
const ORDER: &[&str] = &[
    "w := w + [q];",
    "w := w + [q, q];",
    "match w { [x, ..rest] => { w := rest; n := x; } [] => { n := -1; } }",
    "match w { [a, b, ..rest] => { w := [b, a] + rest; } _ => {} }",
    "let V = choose i: int where 0 <= i && i <= len(w) && i <= 4; w := w[0..V];",
    "let V = choose i: int where 0 <= i && i <= len(w) && i <= 4; w := w[V..len(w)];",
    "let V = choose i: int where 0 <= i && i < len(w) && i <= 4; n := w[V];",
    "let V = pick w; w := [x for x in w if x != V]; n := V;",
    "w := [x for x in w if x != n];",
    "n := len(w);",
];

/// Statements that make the order of the first list matter, too.
const BOTH: &[&str] = &["w := l;", "n := len(l);", "match l { [x, ..] => { n := x; } [] => {} }", "w := w + l;"];

/// A program text.
pub fn random(rng: &mut Rng) -> String {
    let mut lines = Lines::default();
    let mut writer = Writer { choices: 4, names: 0, both: rng.percent(30), rng, lines: &mut lines };
    writer.lines.line("protocol p {");
    writer.lines.line("request int; response int;");
    writer.lines.line("var n: int = 0; var l: list<int> = []; var w: list<int> = [];");
    for head in ["on q if q > 0 {", "on q {"] {
        writer.lines.line(head);
        for _ in 0..1 + writer.rng.below(3) {
            writer.statement();
        }
        let answer = *writer.rng.pick(&["n", "n", "0", "0", "len(w)"]);
        writer.lines.line(format!("reply {answer};"));
        writer.lines.line("}");
    }
    writer.lines.line("}");
    lines.finish()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    lines: &'r mut Lines,
    names: usize,
    /// Branches left, so that brute force stays possible.
    choices: usize,
    /// Set where the order of the first list may matter.
    both: bool,
}

impl Writer<'_> {
    fn statement(&mut self) {
        let branches: &[&str] = match self.rng.below(5) {
            0 | 1 if self.choices > 0 => &["either {", "} or {", "}"],
            2 if self.choices > 0 => &["either {} or {", "}"],
            3 => &["if q != 2 {", "}"],
            _ => &["if true {", "}"],
        };
        self.choices -= usize::from(branches[0].starts_with("either"));
        for (at, branch) in branches.iter().enumerate() {
            self.lines.line(*branch);
            if at + 1 < branches.len() {
                self.change();
            }
        }
    }

    fn change(&mut self) {
        let from = match self.rng.below(10) {
            0 if self.both => BOTH,
            0..6 => ELEMENTS,
            _ => ORDER,
        };
        self.names += 1;
        let change = self.rng.pick(from).replace('V', &format!("v{}", self.names));
        self.lines.line(change);
    }
}
