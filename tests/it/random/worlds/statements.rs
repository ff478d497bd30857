//! Statements of a world, one a line.
//!
//! Example: `w := m;`, `m[x1] := (n + 1);`, `if ((x1 in s)) {` … `}`.

use super::{Feature, Sort, Writer};

impl Writer<'_> {
    pub fn block(&mut self, statements: usize, depth: usize) {
        let mark = self.scope.len();
        for _ in 0..1 + self.rng.below(statements) {
            self.statement(depth);
        }
        self.scope.truncate(mark);
    }

    fn statement(&mut self, depth: usize) {
        let line = match self.rng.below(if depth == 0 { 12 } else { 16 }) {
            0..=4 => self.assigned(),
            5 | 6 => match self.state.iter().find(|(_, sort)| *sort == Sort::Map).cloned() {
                Some((map, _)) => {
                    let (key, value) = (self.inner_key(1), self.expression(self.value, 1));
                    format!("{map}[{key}] := {value};")
                }
                None => self.assigned(),
            },
            7 => self.declared(),
            8 => format!("assume {};", self.truth(1)),
            9 if !self.bounded && self.rng.percent(25) => {
                self.features.insert(Feature::Expects);
                format!("expects {};", self.truth(1))
            }
            9 if self.procs > 0 && self.may_choose(2) => {
                self.features.insert(Feature::Proc);
                format!("act({});", self.expression(Sort::Int, 1))
            }
            10 | 11 if !self.bounded => {
                let (condition, bound) = self.condition(1);
                self.lines.line(format!("if ({condition}) {{"));
                self.within(&bound, Writer::reply);
                "}".to_owned()
            }
            12 | 13 => return self.conditional(depth - 1),
            14 if self.may_choose(2) => return self.either(depth - 1),
            14 => self.matching(depth - 1),
            _ => self.inside(),
        };
        if !line.is_empty() {
            self.lines.line(line);
        }
    }

    fn assigned(&mut self) -> String {
        let (name, sort) = self.rng.pick(&self.state.clone()).clone();
        let value = self.expression(sort, 2);
        if sort == Sort::Map && self.state.iter().any(|(other, _)| *other == value && *other != name) {
            self.features.insert(Feature::Copy);
        }
        format!("{name} := {value};")
    }

    /// A part of a variable.
    fn inside(&mut self) -> String {
        if let Some((record, _)) = self.state.clone().iter().find(|(_, sort)| *sort == Sort::Record) {
            return format!("{record}.b := {};", self.expression(Sort::Maybe, 1));
        }
        self.assigned()
    }

    fn declared(&mut self) -> String {
        let sorts: Vec<Sort> = self.scope.iter().map(|(_, sort)| *sort).collect();
        let sort = *self.rng.pick(&sorts);
        let (value, name) = (self.expression(sort, 2), self.fresh());
        self.scope.push((name.clone(), sort));
        format!("let {name}: {} = {value};", self.written(sort))
    }

    fn conditional(&mut self, depth: usize) {
        let (condition, bound) = self.condition(2);
        self.lines.line(format!("if ({condition}) {{"));
        self.within(&bound, |w| w.block(2, depth));
        self.lines.line("} else {");
        self.block(2, depth);
        self.lines.line("}");
    }

    fn either(&mut self, depth: usize) {
        self.lines.line("either {");
        self.block(2, depth);
        self.lines.line("} or {");
        if self.rng.percent(60) {
            self.block(2, depth);
        }
        self.lines.line("}");
    }

    fn matching(&mut self, depth: usize) -> String {
        let subjects = [Sort::Maybe, Sort::Pair, Sort::Record, Sort::Shape, Sort::Tree, Sort::List];
        let Some((subject, sort)) = self.scope_of(&subjects) else { return self.assigned() };
        let (pattern, bound) = self.pattern(sort, 1);
        self.lines.line(format!("match {subject} {{"));
        self.lines.line(format!("{pattern} => {{"));
        self.within(&bound, |w| w.block(2, depth));
        self.lines.line("}");
        self.lines.line("_ => {");
        self.block(1, depth);
        self.lines.line("}");
        "}".to_owned()
    }

    pub fn reply(&mut self) {
        let (name, sort) = self.rng.pick(&self.responses.clone()).clone();
        let value = if self.rng.percent(40) { self.simple(sort) } else { self.expression(sort, 2) };
        self.lines.line(format!("reply {name}({value});"));
    }
}
