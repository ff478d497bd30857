//! Random protocols that write, read, count and enumerate sets and maps at keys that were picked and not shown.
//!
//! Example of a handler: `on q if q == 1 { let x1 = pick s; s := s - {x1}; held[q] := x1; reply len(s); }`. All values lie in
//! -2..=5, and requests and replies are integers.

use super::{Handlers, Lines, Rng, over_integers};

/// The function that every such protocol begins with.
const HEAD: &str = "fn sum(l: list<int>): int = match l { [] => 0, [x, ..rest] => x + sum(rest) };\n";
/// The variables of every such protocol.
const STATE: &str = "var s: set<int> = {0, 1, 2, 3}; var t: set<int> = {}; var held: map<int, int> = {};\n\
    var w: map<int, int> = {}; var last: int = 0; var ps: set<(int, int)> = {(0, 1), (2, 3)};";

/// A program text.
pub fn random(rng: &mut Rng) -> String {
    let mut writer = Writer { rng, lines: Lines::default(), names: 0 };
    over_integers(&mut writer, STATE);
    HEAD.to_owned() + &writer.lines.finish()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    lines: Lines,
    names: usize,
}

impl Handlers for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn handler(&mut self) {
        for _ in 0..self.rng.below(3) {
            self.statement();
        }
        // A single pick, so that brute force stays possible.
        if self.rng.percent(60) {
            self.pick();
        }
        for _ in 0..self.rng.below(2) {
            self.statement();
        }
        let answer = self.answer();
        self.lines.line(format!("reply {answer};"));
        self.lines.line("}");
    }
}

impl Writer<'_> {
    fn pick(&mut self) {
        if self.rng.percent(20) {
            let taken = *self.rng.pick(&["ps := ps - {(a, b)}; ", "ps := ps + {(b, a)}; ", ""]);
            return self.lines.line(format!("match pick ps {{ (a, b) => {{ {taken}last := a; }} }}"));
        }
        self.names += 1;
        let x = format!("x{}", self.names);
        let over = *self.rng.pick(&["s", "s", "s", "t", "{0, 2, 3}", "w.keys()", "(s + t)"]);
        if self.rng.percent(50) {
            self.lines.line(format!("if len({over}) == 0 {{ reply -2; }}"));
        }
        let such = if self.rng.percent(20) { format!(" where {}", self.truth("y")) } else { String::new() };
        let picked = if such.is_empty() { format!("pick {over}") } else { format!("pick y in {over}{such}") };
        self.lines.line(format!("let {x} = {picked};"));
        let key = self.int();
        let line = match self.rng.below(8) {
            0..3 => format!("s := s - {{{x}}}; held[{key}] := {x};"),
            3 => format!("s := s - {{{x}}}; last := {x};"),
            4 => format!("t := t + {{{x}}}; last := {x};"),
            5 => format!("w[{x}] := {key};"),
            6 => format!("t := t + {{{x}, {key}}};"),
            _ => format!("s := s - {{{x}}}; t := t + {{{x}}};"),
        };
        self.lines.line(line);
    }

    fn statement(&mut self) {
        let (e, f) = (self.int(), self.int());
        let line = match self.rng.below(16) {
            0..3 => format!("if held.get({e}) is Some(c) {{ s := s + {{c}}; held := held.remove({e}); }}"),
            3 => format!("if held.get({e}) is Some(c) {{ t := t - {{c}}; w := w.remove(c); }}"),
            4 => format!("s := s + {{{e}}};"),
            5 => format!("s := s - {{{e}}};"),
            6 => format!("t := t + {{{e}, {f}}};"),
            7 => format!("t := {};", self.set()),
            8 => format!("w[{e}] := {f};"),
            9 => format!("w := w.remove({e});"),
            10 => {
                let test = self.truth("y");
                format!("w := {{y: {e} for y in s if {test}}};")
            }
            11 => format!("if {} {{ last := {e}; }}", self.truth("last")),
            12 => format!("ps := ps + {{({e}, {f})}};"),
            13 => format!("ps := ps - {{({f}, {e})}};"),
            14 => "if held.get(0) is Some(c) { last := c; }".to_owned(),
            _ => format!("s := {};", self.set()),
        };
        self.lines.line(line);
    }

    /// A known integer, or a hidden one.
    fn int(&mut self) -> String {
        match self.rng.below(6) {
            0 | 1 => self.rng.between(0, 3).to_string(),
            2 => "q".to_owned(),
            3 => format!("held.get_or({}, 1)", self.rng.between(-1, 2)),
            _ => "last".to_owned(),
        }
    }

    fn truth(&mut self, x: &str) -> String {
        let e = self.int();
        match self.rng.below(4) {
            0 => format!("{x} <= {e}"),
            1 => format!("{x} != {e}"),
            2 => format!("!({x} in t)"),
            _ => format!("w.get_or({x}, 0) <= {e}"),
        }
    }

    fn set(&mut self) -> String {
        let e = self.int();
        match self.rng.below(8) {
            0 => "(s + t)".to_owned(),
            1 => "(s - t)".to_owned(),
            2 => "(t - s)".to_owned(),
            3 => "w.keys()".to_owned(),
            4 => format!("{{y for y in s if {}}}", self.truth("y")),
            5 => format!("{{(if y < 3 {{ y + 1 }} else {{ {e} }}) for y in t if {}}}", self.truth("y")),
            6 => format!("(t + {{{e}}})"),
            _ => format!("(s - {{{e}}})"),
        }
    }

    fn answer(&mut self) -> String {
        let set = self.set();
        let e = self.int();
        match self.rng.below(14) {
            0..3 => "len(s)".to_owned(),
            3 => "len(t)".to_owned(),
            4 => format!("len({set}) + len(w)"),
            5 => format!("(if {e} in {set} {{ 1 }} else {{ 0 }})"),
            6 => format!("(if any y in {set}: {} {{ 1 }} else {{ 0 }})", self.truth("y")),
            7 => format!("(if all y in {set}: {} {{ 1 }} else {{ 0 }})", self.truth("y")),
            8 => format!("(if t == {set} {{ 1 }} else {{ 0 }})"),
            9 => format!("w.get_or({e}, -1)"),
            10 => format!("sum({set}.to_list())"),
            11 => "len(ps)".to_owned(),
            12 => format!("(if ({e}, 3) in ps {{ 1 }} else {{ 0 }})"),
            _ => e,
        }
    }
}
