//! Random protocols over one map, one set, one list and one option, thick with choices in arms: for joining under guards.
//!
//! Example of an assignment that is drawn: `s := (either ({n, q} - s) or ({(x1 + 1) for x1 in s if (x1 in m)}));`. All
//! choices lie in -2..=5, and requests and replies are integers.

use super::{Lines, Rng};

/// What every such protocol begins with.
const HEAD: &str = "fn sum(l: list<int>): int = match l { [] => 0, [x, ..rest] => x + sum(rest) };\n\
    def near(x: int): int = if x <= 0 { either x or 1 } else { x - 1 };\n";

/// A program text.
pub fn random(rng: &mut Rng) -> String {
    let mut writer = Writer { rng, lines: Lines::default(), names: 0, locals: Vec::new(), choices: 4, pure: false };
    writer.lines.line("protocol p {");
    writer.lines.line("request int; response int;");
    writer.lines.line("var n: int = 0; var m: map<int, int> = {}; var s: set<int> = {}; var l: list<int> = [];");
    writer.lines.line("var o: option<int> = None;");
    writer.lines.line("proc act(a: int) {");
    writer.locals = vec!["a".to_owned()];
    writer.block(2, 1);
    writer.lines.line("}");
    writer.locals = vec!["q".to_owned()];
    if writer.rng.percent(40) {
        let guard = writer.purely(|w| w.truth(1));
        writer.lines.line(format!("on q if ({guard}) {{"));
        writer.block(2, 2);
        writer.reply();
        writer.lines.line("}");
    }
    writer.lines.line("on q {");
    writer.block(4, 2);
    writer.reply();
    writer.lines.line("}");
    writer.lines.line("}");
    HEAD.to_owned() + &writer.lines.finish()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    lines: Lines,
    names: usize,
    locals: Vec<String>,
    /// Choices left, so that brute force stays possible.
    choices: usize,
    /// Where choices are not allowed.
    pure: bool,
}

impl Writer<'_> {
    fn purely(&mut self, write: impl FnOnce(&mut Self) -> String) -> String {
        let outer = std::mem::replace(&mut self.pure, true);
        let written = write(self);
        self.pure = outer;
        written
    }

    /// Whether a choice may stand here; it is counted.
    fn may_choose(&mut self) -> bool {
        let may = !self.pure && self.choices > 0;
        self.choices -= usize::from(may);
        may
    }

    /// Something with one more name in scope, which is put before it.
    fn binding(&mut self, write: impl FnOnce(&mut Self) -> String) -> (String, String) {
        self.names += 1;
        let name = format!("x{}", self.names);
        self.locals.push(name.clone());
        let written = write(self);
        self.locals.pop();
        (name, written)
    }

    fn reply(&mut self) {
        let answer = self.int(2);
        self.lines.line(format!("reply {answer};"));
    }

    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..1 + self.rng.below(statements) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let line = match self.rng.below(if depth == 0 { 10 } else { 13 }) {
            0 => format!("n := {};", self.int(2)),
            1 | 2 => format!("m[{}] := {};", self.int(1), self.int(2)),
            3 | 4 => format!("s := {};", self.set(2)),
            5 => format!("m := {};", self.map(2)),
            6 => format!("l := {};", self.list(2)),
            7 if self.may_choose() => format!("o := either None or Some({});", self.int(1)),
            7 => format!("o := m.get({});", self.int(1)),
            8 => format!("assume {};", self.truth(1)),
            9 if self.rng.percent(50) => format!("if ({}) {{ reply {}; }}", self.truth(2), self.int(1)),
            9 => format!("expects {};", self.truth(1)),
            10 if !self.locals.contains(&"a".to_owned()) => format!("act({});", self.int(1)),
            10 | 11 => {
                let head = format!("if ({}) {{", self.truth(2));
                return self.fork(&head, "} else {", depth - 1);
            }
            _ if self.may_choose() => return self.fork("either {", "} or {", depth - 1),
            _ => "n := n;".to_owned(),
        };
        self.lines.line(line);
    }

    fn fork(&mut self, head: &str, middle: &str, depth: usize) {
        self.lines.line(head);
        self.block(2, depth);
        self.lines.line(middle);
        self.block(2, depth);
        self.lines.line("}");
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.percent(25) {
            return match self.rng.below(4) {
                0 => "n".to_owned(),
                1 => self.rng.between(-1, 3).to_string(),
                _ => self.rng.pick(&self.locals.clone()).clone(),
            };
        }
        let depth = depth - 1;
        match self.rng.below(14) {
            0 | 1 if self.may_choose() => format!("(either {} or {})", self.int(depth), self.int(depth)),
            2 if self.may_choose() => "(choose c: int where 0 <= c && c <= 1)".to_owned(),
            3 if self.may_choose() => format!("(pick {})", self.list(depth)),
            4 if self.may_choose() => {
                let (set, (x, test)) = (self.set(depth), self.binding(|w| w.purely(|w| w.truth(depth))));
                format!("(pick {x} in {set} where {test})")
            }
            5 if self.may_choose() => format!("near({})", self.int(depth)),
            6 if self.may_choose() => {
                format!("(match pick [({}, 1), (2, {})] {{ (a1, b1) => a1 - b1 }})", self.int(depth), self.int(depth))
            }
            7 => format!("m.get_or({}, {})", self.int(depth), self.int(depth)),
            8 => format!("len({})", self.set(depth)),
            9 => format!("sum({})", self.list(depth)),
            10 => format!("(if ({}) {{ {} }} else {{ {} }})", self.truth(depth), self.int(depth), self.int(depth)),
            11 => {
                let (x, some) = self.binding(|w| w.int(depth));
                format!("(match o {{ Some({x}) => {some}, None => {} }})", self.int(depth))
            }
            12 if self.rng.percent(40) => format!("m[{}]", self.int(depth)),
            12 if self.rng.percent(40) => format!("{}[{}]", self.list(depth), self.int(depth)),
            _ => {
                let operator = *self.rng.pick(&["+", "-"]);
                format!("({} {operator} {})", self.int(depth), self.int(depth))
            }
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let deeper = depth.saturating_sub(1);
        match self.rng.below(if depth == 0 { 4 } else { 11 }) {
            0 => format!("({} <= {})", self.int(deeper), self.int(deeper)),
            1 => format!("({} == {})", self.int(deeper), self.int(deeper)),
            2 => format!("({} in {})", self.int(deeper), self.set(deeper)),
            3 => format!("m.contains({})", self.int(deeper)),
            4 | 5 => {
                let (over, quantifier) = (self.purely(|w| w.set(deeper)), *self.rng.pick(&["any", "all"]));
                let (x, mut body) = self.binding(|w| w.purely(|w| w.truth(deeper)));
                if self.rng.below(2) == 0 {
                    // Whether it is looked up at a key that is not there depends on what comes first.
                    let (operator, limit) = (*self.rng.pick(&["<=", ">", "=="]), self.purely(|w| w.int(deeper)));
                    body = format!("({body} {} m[{x}] {operator} {limit})", self.rng.pick(&["&&", "||"]));
                }
                format!("({quantifier} {x} in {over}: {body})")
            }
            6 => format!("({} == {})", self.set(deeper), self.set(deeper)),
            7 => format!("({} == {})", self.map(deeper), self.map(deeper)),
            8 => {
                let (x, body) = self.binding(|w| w.truth(deeper));
                format!("(o is Some({x}) && {body})")
            }
            9 => format!("(!{})", self.truth(deeper)),
            _ => {
                let operator = *self.rng.pick(&["&&", "||"]);
                format!("({} {operator} {})", self.truth(deeper), self.truth(deeper))
            }
        }
    }

    fn set(&mut self, depth: usize) -> String {
        if depth == 0 {
            return "s".to_owned();
        }
        let depth = depth - 1;
        match self.rng.below(8) {
            0 | 1 => format!("{{{}, {}}}", self.int(depth), self.int(depth)),
            2 => format!("({} + {{{}}})", self.set(depth), self.int(depth)),
            3 => format!("({} - {})", self.set(depth), self.set(1)),
            4 => self.comprehension('{', '}', |w| w.set(depth), depth),
            5 if self.may_choose() => format!("(either {} or {})", self.set(depth), self.set(1)),
            6 => format!("{}.keys()", self.map(depth)),
            _ => format!("(if ({}) {{ {} }} else {{ {} }})", self.truth(depth), self.set(depth), self.set(1)),
        }
    }

    fn map(&mut self, depth: usize) -> String {
        if depth == 0 {
            return "m".to_owned();
        }
        let depth = depth - 1;
        match self.rng.below(6) {
            0 => format!("{{{}: {}, {}: 7}}", self.int(depth), self.int(depth), self.int(depth)),
            1 => format!("m.remove({})", self.int(depth)),
            2 => {
                let (x, value) = self.binding(|w| w.int(depth));
                format!("({{{x}: {value} for {x} in {}}})", self.set(depth))
            }
            3 | 4 if self.may_choose() => format!("(either {} or {})", self.map(depth), self.map(1)),
            _ => format!("(if ({}) {{ {} }} else {{ m }})", self.truth(depth), self.map(depth)),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            return "l".to_owned();
        }
        let depth = depth - 1;
        match self.rng.below(7) {
            0 | 1 => format!("[{}, {}]", self.int(depth), self.int(depth)),
            2 => format!("(l[0..len(l) / 2] + [{}])", self.int(depth)),
            3 => self.comprehension('[', ']', |w| w.list(depth), depth),
            4 if self.may_choose() => format!("(either {} or {} or [3, 1, 2])", self.list(depth), self.list(1)),
            5 => format!("(if ({}) {{ {} }} else {{ [] }})", self.truth(depth), self.list(1)),
            _ => "(l + [n])[len(l) / 2..len(l) + 1]".to_owned(),
        }
    }

    fn comprehension(&mut self, open: char, close: char, over: impl Fn(&mut Self) -> String, depth: usize) -> String {
        let over = over(self);
        let (x, (element, filter)) = {
            self.names += 1;
            let x = format!("x{}", self.names);
            self.locals.push(x.clone());
            let parts = (self.int(depth), self.purely(|w| w.truth(depth)));
            self.locals.pop();
            (x, parts)
        };
        let filter = if self.rng.percent(60) { format!(" if {filter}") } else { String::new() };
        format!("({open}{element} for {x} in {over}{filter}{close})")
    }
}
