//! Specifications for histories, drawn: handlers that ask who sent the request, branches that give an answer by writing, stored
//! values that are compared, choices, duties, faults, and steps that make possible again what was not.
//!
//! ```text
//! on B(x) from c { if n == m { n := x; reply Ok; } m := n; reply V(m); }      step { assume n < 2; n := n + 1; }
//! ```

use crate::random::Rng;

/// A specification that was drawn.
pub struct Drawn {
    pub text: String,
    /// Set where a run may be faulty, or the client break its duty.
    pub may_fail: bool,
}

impl Drawn {
    pub fn random(rng: &mut Rng) -> Drawn {
        let mut writer = Writer { rng, names_clients: false, may_fail: false };
        writer.names_clients = writer.rng.percent(25);
        let is_careful = writer.rng.percent(70);
        let handlers = [("A", &[][..]), ("B", &["x"]), ("C", &["x", "y"])]
            .map(|(name, fields)| writer.handler(name, fields, is_careful))
            .concat();
        let step = if writer.rng.percent(35) { writer.step() } else { String::new() };
        let text = format!(
            "enum Q {{ A, B(int), C(int, int) }} enum R {{ V(int), Ok, No }} protocol p {{ request Q; response R;
             var n: int = 0; var m: int = {}; var f: bool = false; var by: option<client> = None;\n{handlers}{step}}}",
            writer.rng.below(2)
        );
        Drawn { text, may_fail: writer.may_fail }
    }
}

struct Writer<'r> {
    rng: &'r mut Rng,
    names_clients: bool,
    may_fail: bool,
}

impl Writer<'_> {
    fn handler(&mut self, name: &str, fields: &[&str], is_careful: bool) -> String {
        let pattern = if fields.is_empty() { name.to_owned() } else { format!("{name}({})", fields.join(", ")) };
        let client = if self.names_clients { " from c" } else { "" };
        let mut body = String::new();
        for _ in 0..self.rng.below(3) {
            let (condition, reply) = (self.condition(fields), self.reply(fields));
            let change = if self.rng.percent(40) { self.change(fields) } else { String::new() };
            body += &format!("if {condition} {{ {change}reply {reply}; }} ");
        }
        if !is_careful && self.rng.percent(30) {
            body += &match self.rng.percent(50) {
                true => format!("expects {}; ", self.condition(fields)),
                false => format!("m := [0, 1][{}]; ", self.number(fields)),
            };
            self.may_fail = true;
        }
        for _ in 0..self.rng.below(3) {
            body += &self.change(fields);
        }
        format!(" on {pattern}{client} {{ {body}reply {}; }}\n", self.reply(fields))
    }

    /// One that does not go on for ever.
    fn step(&mut self) -> String {
        let body = *self.rng.pick(&[
            "assume n < 2; n := n + 1;",
            "assume n > 0; n := 0;",
            "assume f; f := false; m := n;",
            "n := choose v: int where v >= 0 && v < 2;",
            "assume by != None; by := None;",
            "assume m == n; f := !f;",
            "assume m < n; m := n;",
        ]);
        format!(" step {{ {body} }}\n")
    }

    fn condition(&mut self, fields: &[&str]) -> String {
        let number = self.number(fields);
        match self.rng.below(if self.names_clients { 8 } else { 6 }) {
            0 => format!("n == {number}"),
            1 => format!("{number} <= n"),
            2 => "n == m".to_owned(),
            3 => format!("m < {number}"),
            4 => format!("{number} == 1"),
            5 => "f".to_owned(),
            6 => "by == Some(c)".to_owned(),
            _ => "by == None".to_owned(),
        }
    }

    fn change(&mut self, fields: &[&str]) -> String {
        let number = self.number(fields);
        match self.rng.below(if self.names_clients { 9 } else { 7 }) {
            0 | 1 => format!("n := {number}; "),
            2 => format!("m := {number}; "),
            3 => "if n < 3 { n := n + 1; } ".to_owned(),
            4 => "f := !f; ".to_owned(),
            5 => "n := choose v: int where v >= 0 && v < 3; ".to_owned(),
            6 => "m := either 0 or n; ".to_owned(),
            7 => "by := Some(c); ".to_owned(),
            _ => "by := None; ".to_owned(),
        }
    }

    fn reply(&mut self, fields: &[&str]) -> String {
        match self.rng.below(5) {
            0 | 1 => "Ok".to_owned(),
            2 => "No".to_owned(),
            _ => format!("V({})", self.number(fields)),
        }
    }

    fn number(&mut self, fields: &[&str]) -> String {
        let known = ["n", "m", "0", "1"];
        let at = self.rng.below(known.len() + 2 * fields.len());
        known
            .get(at)
            .or_else(|| fields.get(at.saturating_sub(known.len()) / 2))
            .map_or_else(String::new, ToString::to_string)
    }
}
