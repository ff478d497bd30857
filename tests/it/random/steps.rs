//! Random protocols with steps: what a server does by itself at one key, at several, or to everything.
//!
//! Example of a member that is drawn: `step { let g = pick s; s := s - {g}; m := m.remove(g); }`. Requests are integers, from
//! which handlers take two keys below 3; all choices and values are small, so that brute force is the semantics.

use super::{Lines, Rng};

/// A program text.
pub fn random(rng: &mut Rng) -> String {
    let variables = *rng.pick(&["sn", "s", "ln", "m", "mn", "sm", "sl", "lm", "n", "slm", "e", "en", "em"]);
    let mut writer = Writer { rng, lines: Lines::default(), variables, keys: Vec::new(), names: 0 };
    if variables.contains('e') {
        writer.lines.line("enum E { A, B, C(int) }");
    }
    writer.lines.line("protocol p {");
    writer.lines.line("request int; response int;");
    writer.declare();
    let members = 1 + writer.rng.below(3);
    for _ in 0..members {
        writer.step();
    }
    if writer.rng.percent(30) {
        writer.lines.line("proc act(a: int) {");
        writer.keys = vec!["a".to_owned()];
        writer.block(2, 1);
        writer.lines.line("}");
        writer.keys.clear();
        writer.names += 1;
    }
    if writer.rng.percent(60) {
        let guard = writer.rng.between(2, 5);
        writer.handler(&format!("on q if q > {guard} {{"));
    }
    writer.handler("on q {");
    writer.lines.line("}");
    writer.lines.finish()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    lines: Lines,
    /// Those of `s`, `l`, `m`, `e` and `n` that there are; beside `n` there is `o`.
    variables: &'static str,
    keys: Vec<String>,
    names: usize,
}

impl Writer<'_> {
    fn declare(&mut self) {
        for variable in self.variables.chars() {
            let full = self.rng.percent(60);
            self.lines.line(match (variable, full) {
                ('s', false) => "var s: set<int> = {};",
                ('s', true) => "var s: set<int> = {0, 1};",
                ('l', false) => "var l: list<int> = [];",
                ('l', true) => "var l: list<int> = [1, 0];",
                ('m', false) => "var m: map<int, int> = {};",
                ('m', true) => "var m: map<int, int> = {0: 1, 2: 0};",
                ('e', false) => "var e: map<int, E> = {};",
                ('e', true) => "var e: map<int, E> = {0: A, 1: A};",
                _ => "var n: int = 0; var o: int = 1;",
            });
        }
    }

    fn has(&self, variable: char) -> bool {
        self.variables.contains(variable)
    }

    fn step(&mut self) {
        let sources: Vec<&str> = [('s', "s"), ('l', "l"), ('m', "m.keys()"), ('e', "e.keys()")]
            .into_iter()
            .filter(|(variable, _)| self.has(*variable))
            .map(|(_, source)| source)
            .chain(["0..3"])
            .collect();
        self.lines.line("step {");
        if self.rng.percent(80) {
            let source = *self.rng.pick(&sources);
            self.keys = vec!["x".to_owned()];
            let picked = match self.rng.percent(30) {
                true => format!("pick x in {source} where {}", self.truth()),
                false => format!("pick {source}"),
            };
            self.keys = vec!["g".to_owned()];
            self.lines.line(format!("let g = {picked};"));
        }
        self.block(2, 1);
        self.lines.line("}");
        self.keys.clear();
    }

    fn handler(&mut self, head: &str) {
        self.lines.line(head);
        self.keys = vec!["k".to_owned()];
        self.lines.line("let k = q % 3;");
        if self.rng.percent(40) {
            self.lines.line("let j = (q / 3) % 3;");
            self.keys.push("j".to_owned());
        }
        if self.rng.percent(35) {
            let outer = std::mem::replace(&mut self.keys, vec!["x".to_owned()]);
            let truth = if self.rng.percent(50) { "x != k".to_owned() } else { self.truth() };
            self.keys = outer;
            self.lines.line(format!("let c = pick x in 0..3 where {truth};"));
            self.keys.push("c".to_owned());
        }
        self.block(3, 2);
        let answer = if self.rng.percent(30) { self.keys[self.keys.len() - 1].clone() } else { self.int() };
        if self.rng.percent(95) {
            self.lines.line(format!("reply {answer};"));
        }
        self.lines.line("}");
        self.keys.clear();
    }

    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..1 + self.rng.below(statements) {
            self.statement(depth);
        }
    }

    fn key(&mut self) -> String {
        if self.keys.is_empty() || self.rng.percent(8) {
            return self.rng.between(0, 2).to_string();
        }
        self.rng.pick(&self.keys).clone()
    }

    fn statement(&mut self, depth: usize) {
        let (k, e) = (self.key(), self.int());
        let mut lines: Vec<String> = Vec::new();
        if self.has('s') {
            let listed = [
                format!("s := s + {{{k}}};"),
                format!("s := s - {{{k}}};"),
                format!("s := s - {{{k}}};"),
                format!("s := either s or s - {{{k}}};"),
                format!("if ({}) {{ s := {{}}; }}", self.truth()),
            ];
            lines.extend(listed);
        }
        if self.has('l') {
            lines.push(format!("l := [x for x in l if x != {k}];"));
            lines.push(format!("l := [x for x in l if {k} != x];"));
            lines.push(format!("if !({k} in l) {{ l := l + [{k}]; }}"));
            lines.push(format!("l := [x for x in l if x > {k}];"));
        }
        if self.has('m') {
            lines.push(format!("m[{k}] := ({e}) % 3;"));
            lines.push(format!("m := m.remove({k});"));
            lines.push(format!("m := m.remove({k});"));
            lines.push(format!("m := either m or m.remove({k});"));
            lines.push("let b = m; m := m.remove(1); m := b;".to_owned());
            lines.push(format!("if m.get({k}) is Some(v) && v > 0 {{ m[{k}] := v - 1; }}"));
        }
        if self.has('e') {
            lines.push(format!("if e.get({k}) == Some(A) {{ e[{k}] := B; }}"));
            lines.push(format!("if e.get({k}) == Some(B) {{ e[{k}] := C({k}); }}"));
            lines.push(format!("if e.get({k}) != Some(A) {{ e[{k}] := A; }}"));
            lines.push(format!("if e.get({k}) is Some(C(_)) {{ e := e.remove({k}); }}"));
        }
        if self.has('n') {
            lines.push(format!("n := ({e}) % 4;"));
            lines.push("n := (n + 1) % 4;".to_owned());
            lines.push("o := (o + 1) % 3;".to_owned());
            let condition = if self.rng.percent(60) { "choose bool".to_owned() } else { self.truth() };
            lines.push(format!("n := if {condition} {{ o }} else {{ n }};"));
        }
        lines.push(format!("assume {};", self.truth()));
        if self.names > 0 && !self.keys.contains(&"a".to_owned()) && !self.keys.contains(&"g".to_owned()) {
            lines.push(format!("act({k});"));
        }
        if depth > 0 && self.rng.percent(25) {
            let truth = self.truth();
            self.lines.line(format!("if ({truth}) {{"));
            self.block(2, depth - 1);
            self.lines.line("} else {");
            self.block(2, depth - 1);
            return self.lines.line("}");
        }
        let line = self.rng.pick(&lines).clone();
        self.lines.line(line);
    }

    fn int(&mut self) -> String {
        let k = self.key();
        let mut found = vec![k.clone(), self.rng.between(0, 2).to_string(), format!("(either {k} or 1)")];
        if self.has('s') {
            found.extend([format!("(if {k} in s {{ 1 }} else {{ 0 }})"), "len(s)".to_owned()]);
        }
        if self.has('l') {
            found.extend([format!("(if {k} in l {{ 2 }} else {{ 0 }})"), "len(l)".to_owned()]);
        }
        if self.has('m') {
            let get = format!("m.get_or({k}, 2)");
            found.extend([get.clone(), get, "len(m)".to_owned()]);
            if self.rng.percent(15) {
                found.push(format!("m[{k}]"));
            }
        }
        if self.has('e') {
            found.push("len({x for x in e.keys() if e[x] == B})".to_owned());
            found.push(format!("(match e.get({k}) {{ None => 0, Some(A) => 1, Some(B) => 2, Some(C(x)) => x }})"));
        }
        if self.has('n') {
            found.push("n".to_owned());
        }
        self.rng.pick(&found).clone()
    }

    fn truth(&mut self) -> String {
        let k = self.key();
        let mut found = vec![format!("{k} > 0"), format!("{k} != 1")];
        if self.has('s') {
            found.extend([format!("{k} in s"), format!("!({k} in s)"), "len(s) > 1".to_owned()]);
        }
        if self.has('l') {
            found.extend([format!("{k} in l"), format!("!({k} in l)")]);
        }
        if self.has('m') {
            found.extend([format!("m.contains({k})"), format!("m.get_or({k}, 0) > 0"), format!("{k} in m.keys()")]);
        }
        if self.has('e') {
            found.extend([format!("e.get({k}) == Some(A)"), "(any x in e.keys(): e[x] == B)".to_owned()]);
        }
        if self.has('n') {
            found.push("n < 2".to_owned());
        }
        self.rng.pick(&found).clone()
    }
}
