//! Expressions of a world, sort by sort; compound ones are in brackets.
//!
//! Example, of `Sort::Maybe`: `(if m.contains(x1) { w.get(x1) } else { Some((n + 1)) })`.

use super::{Feature, Key, Sort, Writer};

impl Writer<'_> {
    /// An expression of the sort.
    pub fn expression(&mut self, sort: Sort, depth: usize) -> String {
        if depth == 0 || self.rng.percent(25) {
            return self.simple(sort);
        }
        match self.rng.below(10) {
            0 if !self.bounded => {
                let (condition, bound) = self.condition(depth - 1);
                let then = self.within(&bound, |w| w.expression(sort, depth - 1));
                format!("(if ({condition}) {{ {then} }} else {{ {} }})", self.expression(sort, depth - 1))
            }
            1 if !self.bounded && self.may_choose(2) => {
                format!("(either {} or {})", self.expression(sort, depth - 1), self.expression(sort, depth - 1))
            }
            2 if self.may_choose(self.size(sort)) => {
                self.features.insert(Feature::Choose(sort));
                format!("(choose {})", self.written(sort))
            }
            3 => self.chosen(sort, depth - 1),
            _ => self.operation(sort, depth - 1),
        }
    }

    /// A variable, or a constant.
    pub fn simple(&mut self, sort: Sort) -> String {
        let variable = if self.rng.percent(80) { self.variable(sort) } else { None };
        if let Some(variable) = variable {
            return variable;
        }
        if (sort, self.key) == (Sort::Key, Key::Token) {
            return self.variable(sort).unwrap_or_else(|| "(choose Key)".to_owned());
        }
        self.constant(sort)
    }

    /// `choose x: T where …`
    fn chosen(&mut self, sort: Sort, depth: usize) -> String {
        if !self.may_choose(self.size(sort).min(4)) {
            return self.operation(sort, depth);
        }
        self.features.insert(Feature::Choose(sort));
        let name = self.fresh();
        let condition = self.within(&[(name.clone(), sort)], |w| w.pure(|w| w.truth(depth.min(1))));
        format!("(choose {name}: {} where {condition})", self.written(sort))
    }

    fn operation(&mut self, sort: Sort, depth: usize) -> String {
        if let Some(value) = self.taken_apart(sort, depth) {
            return value;
        }
        match sort {
            Sort::Int => self.integer(depth),
            Sort::Bool => self.truth(depth),
            Sort::Key => self.key(depth),
            Sort::Maybe => self.maybe(depth),
            Sort::Pair => format!("({}, {})", self.expression(Sort::Int, depth), self.expression(Sort::Bool, depth)),
            Sort::Record => self.record(depth),
            Sort::Shape => match self.rng.below(3) {
                0 => "Dot".to_owned(),
                1 => format!("Line({})", self.expression(Sort::Int, depth)),
                _ => {
                    let (w, h) = (self.expression(Sort::Int, depth), self.expression(Sort::Bool, depth));
                    format!("(Box {{ w: {w}, h: {h} }})")
                }
            },
            Sort::Tree if !self.bounded => {
                let depth = depth.min(1);
                let (l, n) = (self.expression(Sort::Tree, depth), self.expression(Sort::Int, depth));
                format!("Node({l}, {n}, {})", self.expression(Sort::Tree, depth))
            }
            Sort::Tree => self.simple(sort),
            Sort::List => self.list(depth),
            Sort::Map => self.map(depth),
            Sort::Set => self.set(depth),
            Sort::Text => self.text(depth),
            Sort::Bytes => self.bytes(depth),
        }
    }

    /// A part of something else that has one of the sort.
    fn taken_apart(&mut self, sort: Sort, depth: usize) -> Option<String> {
        if self.bounded || self.rng.percent(50) {
            return None;
        }
        if sort == self.value && self.rng.percent(50) {
            let (map, key) = (self.variable(Sort::Map)?, self.expression(Sort::Key, depth.min(1)));
            if self.rng.below(100) < self.faults {
                self.features.insert(Feature::Fault);
                return Some(format!("{map}[{key}]"));
            }
            return Some(match self.rng.below(3) {
                0 => format!("{map}.get_or({key}, {})", self.expression(sort, depth)),
                1 => format!(
                    "(if ({map}.contains({key})) {{ {map}[{key}] }} else {{ {} }})",
                    self.expression(sort, depth)
                ),
                _ => {
                    let name = self.fresh();
                    let some = self.within(&[(name.clone(), sort)], |w| w.expression(sort, depth));
                    format!(
                        "(match {map}.get({key}) {{ Some({name}) => {some}, None => {} }})",
                        self.expression(sort, depth)
                    )
                }
            });
        }
        if matches!(sort, Sort::Int | Sort::Maybe)
            && self.rng.percent(40)
            && let Some(record) = self.variable(Sort::Record)
        {
            return Some(format!("{record}.{}", if sort == Sort::Int { "a" } else { "b" }));
        }
        let subjects = [Sort::Maybe, Sort::Pair, Sort::Record, Sort::Shape, Sort::Tree, Sort::List];
        let (subject, of) = self.scope_of(&subjects)?;
        let (pattern, bound) = self.pattern(of, 1);
        let then = self.within(&bound, |w| w.expression(sort, depth));
        let otherwise = match self.rng.below(100) < self.faults {
            true => String::new(),
            false => format!(", _ => {}", self.expression(sort, depth)),
        };
        Some(format!("(match {subject} {{ {pattern} => {then}{otherwise} }})"))
    }

    /// A variable of one of the sorts.
    pub fn scope_of(&mut self, sorts: &[Sort]) -> Option<(String, Sort)> {
        let all: Vec<_> = self.scope.iter().filter(|(_, sort)| sorts.contains(sort)).cloned().collect();
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }

    fn integer(&mut self, depth: usize) -> String {
        match self.rng.below(9) {
            0 => match self.scope_of(&[Sort::List, Sort::Text, Sort::Bytes]) {
                Some((name, _)) => format!("len({name})"),
                None => self.simple(Sort::Int),
            },
            1 => self.variable(Sort::Tree).map_or("1".to_owned(), |tree| format!("total({tree})")),
            2 => self.walked().map_or("0".to_owned(), |list| format!("sum({list})")),
            3 => match self.variable(Sort::Text) {
                Some(text) => {
                    let name = self.fresh();
                    self.features.insert(Feature::TextMade);
                    format!("(match {text}.to_int() {{ Some({name}) => {name}, None => {} }})", self.simple(Sort::Int))
                }
                None => self.simple(Sort::Int),
            },
            4 if !self.bounded && self.may_choose(2) => {
                self.features.insert(Feature::Def);
                format!("near({})", self.expression(Sort::Int, depth))
            }
            _ if self.bounded => self.simple(Sort::Int),
            _ => {
                let operator = *self.rng.pick(&["+", "-"]);
                format!("({} {operator} {})", self.expression(Sort::Int, depth), self.simple(Sort::Int))
            }
        }
    }

    /// A key to be put into a collection: a step, which is taken any number of times, puts in what is named already.
    pub fn inner_key(&mut self, depth: usize) -> String {
        self.expression(Sort::Key, if self.bounded { 0 } else { depth })
    }

    fn key(&mut self, depth: usize) -> String {
        let name = self.fresh();
        let over = match self.rng.below(5) {
            0 | 1 => self.variable(Sort::Map).map(|map| format!("{map}.keys()")),
            2 => self.variable(Sort::Set),
            3 if self.may_choose(4) => {
                let fresh = self.within(&[(name.clone(), Sort::Key)], |w| w.pure(|w| w.truth(depth.min(1))));
                self.features.insert(Feature::Choose(Sort::Key));
                return format!("(choose {name}: Key where {fresh})");
            }
            _ => None,
        };
        match over {
            Some(over) if self.may_choose(2) => {
                self.features.insert(Feature::PickKey);
                if self.rng.percent(40) {
                    return format!("(pick {over})");
                }
                let condition = self.within(&[(name.clone(), Sort::Key)], |w| w.pure(|w| w.truth(depth.min(1))));
                format!("(pick {name} in {over} where {condition})")
            }
            _ => self.simple(Sort::Key),
        }
    }

    fn maybe(&mut self, depth: usize) -> String {
        match self.rng.below(5) {
            0 if self.value == Sort::Int
                && let Some(map) = self.variable(Sort::Map) =>
            {
                format!("{map}.get({})", self.expression(Sort::Key, depth))
            }
            1 if let Some(text) = self.variable(Sort::Text) => {
                self.features.insert(Feature::TextMade);
                format!("{text}.to_int()")
            }
            2 => "None".to_owned(),
            4 if !self.bounded && self.may_choose(self.size(Sort::Maybe)) => {
                self.features.insert(Feature::Choose(Sort::Maybe));
                self.rng.pick(&["(either None or Some(choose int))", "(either Some(choose int) or None)"]).to_string()
            }
            _ => format!("Some({})", self.expression(Sort::Int, depth)),
        }
    }

    fn record(&mut self, depth: usize) -> String {
        match (self.rng.below(4), self.variable(Sort::Record)) {
            (0, Some(record)) => format!("({{ {record} with a: {} }})", self.expression(Sort::Int, depth)),
            (1, Some(record)) => format!("({{ {record} with b: {} }})", self.expression(Sort::Maybe, depth)),
            (2, _) if self.may_choose(12) => self.rest(depth),
            _ => {
                let (a, b) = (self.expression(Sort::Int, depth), self.expression(Sort::Maybe, depth.min(1)));
                let k = match self.rng.percent(40) {
                    true => format!("Some({})", self.expression(Sort::Key, 0)),
                    false => "None".to_owned(),
                };
                format!("(Record {{ a: {a}, b: {b}, k: {k} }})")
            }
        }
    }

    /// A record with free fields.
    pub fn rest(&mut self, depth: usize) -> String {
        self.features.insert(Feature::Rest);
        match self.rng.below(2) {
            0 => format!("(Record {{ a: {}, k: None, ..choose }})", self.expression(Sort::Int, depth)),
            _ => format!("(Record {{ b: {}, k: None, ..choose }})", self.expression(Sort::Maybe, depth)),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let list = self.variable(Sort::List);
        if self.bounded {
            return self.simple(Sort::List);
        }
        match (self.rng.below(5), list) {
            (0, Some(list)) => format!("({list} + [{}])", self.expression(Sort::Int, depth)),
            (1, Some(list)) => format!("(if (len({list}) >= 1) {{ {list}[1..len({list})] }} else {{ {list} }})"),
            (2, Some(list)) if self.walks > 0 => {
                self.walks = 0;
                let name = self.fresh();
                let bound = [(name.clone(), Sort::Int)];
                let element = self.within(&bound, |w| w.pure(|w| w.expression(Sort::Int, depth.min(1))));
                let filter = self.within(&bound, |w| w.pure(|w| w.truth(0)));
                format!("[{element} for {name} in {list} if {filter}]")
            }
            (3, _) => "[]".to_owned(),
            _ => format!("[{}]", self.expression(Sort::Int, depth)),
        }
    }

    fn map(&mut self, depth: usize) -> String {
        match (self.rng.below(5), self.variable(Sort::Map)) {
            (0..=2, Some(map)) => format!("{map}.remove({})", self.inner_key(depth)),
            (3, _) => {
                let (key, value) = (self.expression(Sort::Key, 0), self.expression(self.value, depth.min(1)));
                format!("({{{key}: {value}}})")
            }
            _ => self.simple(Sort::Map),
        }
    }

    fn set(&mut self, depth: usize) -> String {
        let key = self.inner_key(depth.min(1));
        match (self.rng.below(6), self.variable(Sort::Set)) {
            (0 | 1, Some(set)) => format!("({set} + {{{key}}})"),
            (2 | 3, Some(set)) => format!("({set} - {{{key}}})"),
            (4, _) if let Some(map) = self.variable(Sort::Map) => format!("{map}.keys()"),
            _ => format!("({{{key}}})"),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let text = self.simple(Sort::Text);
        if self.bounded {
            return text;
        }
        self.features.insert(Feature::TextMade);
        match self.rng.below(6) {
            0 | 1 => format!("({text} + {})", self.expression(Sort::Text, depth.min(1))),
            2 => format!("{}.lower()", self.variable(Sort::Text).unwrap_or("(\"A\")".to_owned())),
            3 if self.variable(Sort::Int).is_some() => {
                format!("{}.to_string()", self.variable(Sort::Int).unwrap_or_default())
            }
            4 => match self.variable(Sort::Text) {
                Some(text) => self.sliced(&text),
                None => text,
            },
            _ => text,
        }
    }

    fn sliced(&mut self, text: &str) -> String {
        match self.rng.below(3) {
            0 => format!("(if (len({text}) >= 1) {{ {text}[0..1] }} else {{ {text} }})"),
            1 => format!("(if (len({text}) >= 1) {{ {text}[1..len({text})] }} else {{ {text} }})"),
            _ if self.rng.below(100) < self.faults => {
                self.features.insert(Feature::Fault);
                format!("{text}[0..2]")
            }
            _ => format!("{text}[len({text}) / 2..len({text})]"),
        }
    }

    fn bytes(&mut self, depth: usize) -> String {
        let bytes = self.simple(Sort::Bytes);
        if self.bounded {
            return bytes;
        }
        match (self.rng.below(4), self.variable(Sort::Bytes)) {
            (0 | 1, _) => format!("({bytes} + {})", self.expression(Sort::Bytes, depth.min(1))),
            (2, Some(bytes)) => self.sliced(&bytes),
            _ => bytes,
        }
    }
}
