//! Random protocols that do something or not: `either` with effects on variables, maps and sets, also in loops.
//!
//! Example of a handler: `on q if q == 1 { for i in 0..2 { either { a[i] := q; } or {} } reply a.get_or(0, -1); }`. All values lie
//! in -2..=5, and requests and replies are integers.

use super::{Handlers, Lines, Rng, over_integers};

/// The variables of every such protocol.
const STATE: &str = "var a: map<int, int> = {}; var b: map<int, int> = {0: 1}; var s: set<int> = {0, 1}; var n: int = 0;\n\
    var o: option<int> = None; var l: list<int> = [1, 2];";
/// A handler has at most so many runs, so that brute force stays possible.
const RUNS: usize = 8;

/// A program text.
pub fn random(rng: &mut Rng) -> String {
    let mut writer = Writer { rng, lines: Lines::default(), runs: 1 };
    over_integers(&mut writer, STATE);
    writer.lines.finish()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    lines: Lines,
    runs: usize,
}

impl Handlers for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn handler(&mut self) {
        self.runs = 1;
        for _ in 0..1 + self.rng.below(3) {
            match self.rng.below(7) {
                0..3 => self.either("q"),
                3 if 4 * self.runs <= RUNS => self.each(),
                4 => self.lines.line(*self.rng.pick(&["if n > 3 { n := 0; }", "if o is Some(x) { n := x; }"])),
                5 => {
                    let (test, e) = (self.truth(), self.int("q"));
                    self.lines.line(format!("if {test} {{ reply {e}; }}"));
                }
                _ => {
                    let line = self.effect("q");
                    self.lines.line(line);
                }
            }
        }
        let answer = self.answer();
        self.lines.line(format!("reply {answer};"));
        self.lines.line("}");
    }
}

impl Writer<'_> {
    /// Arms with up to two effects each.
    fn either(&mut self, key: &str) {
        let arms = 2 + self.rng.below(2);
        if arms * self.runs > RUNS {
            return;
        }
        self.runs *= arms;
        let arms: Vec<String> = (0..arms)
            .map(|_| {
                let effects: Vec<String> = (0..self.rng.below(3)).map(|_| self.effect(key)).collect();
                format!("{{ {} }}", effects.join(" "))
            })
            .collect();
        self.lines.line(format!("either {}", arms.join(" or ")));
    }

    /// A loop of two rounds, in each of which something is done or not.
    fn each(&mut self) {
        self.runs *= 4;
        let effect = self.effect("i");
        self.lines.line(format!("for i in 0..2 {{ either {{ {effect} }} or {{}} }}"));
    }

    fn effect(&mut self, key: &str) -> String {
        let e = self.int(key);
        match self.rng.below(14) {
            0..2 => format!("a[{key}] := {e};"),
            2 => format!("b[{key}] := {e};"),
            3 => format!("a[{e}] := {key};"),
            4 => format!("a := a.remove({key});"),
            5 => format!("s := s + {{{e}}};"),
            6 => format!("s := s - {{{e}}};"),
            7 => format!("n := {e};"),
            8 => "n := (n + 1) % 4;".to_owned(),
            9 => format!("o := Some({e});"),
            10 => "o := None;".to_owned(),
            11 => "b := a;".to_owned(),
            12 => format!("if {} {{ n := {e}; }}", self.truth()),
            _ => format!("l := [{e}] + [x for x in l if x != {e}];"),
        }
    }

    fn int(&mut self, key: &str) -> String {
        match self.rng.below(7) {
            0..2 => self.rng.between(0, 2).to_string(),
            2 => key.to_owned(),
            3 => format!("a.get_or({key}, 0)"),
            4 => format!("(match b.get({key}) {{ Some(x) => x, None => 3 }})"),
            5 => "(match o { Some(x) => x, None => 0 })".to_owned(),
            _ => "n".to_owned(),
        }
    }

    fn truth(&mut self) -> String {
        let e = self.int("q");
        match self.rng.below(4) {
            0 => format!("{e} <= n"),
            1 => format!("{e} in s"),
            2 => format!("a.contains({e})"),
            _ => format!("o == Some({e})"),
        }
    }

    fn answer(&mut self) -> String {
        let (e, test) = (self.int("q"), self.truth());
        match self.rng.below(9) {
            0 => "len(s)".to_owned(),
            1 => "len(a) + n".to_owned(),
            2 => format!("either a.get_or({e}, -1) or b.get_or({e}, -1)"),
            3 => format!("(if {test} {{ 1 }} else {{ 0 }})"),
            4 => "(if a == b { 1 } else { 0 })".to_owned(),
            5 => "(match l { [x, ..rest] => x, [] => -1 })".to_owned(),
            6 => "0".to_owned(),
            _ => e,
        }
    }
}
