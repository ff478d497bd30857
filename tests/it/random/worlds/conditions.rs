//! Conditions and patterns of a world.
//!
//! Example: `(m.get(x1) is Some(x2) && (x2 <= n))` binds `x2`.

use super::{Feature, Key, Sort, Writer};

/// What may be compared with `==`.
const COMPARED: [Sort; 11] = [
    Sort::Int,
    Sort::Bool,
    Sort::Key,
    Sort::Maybe,
    Sort::Pair,
    Sort::Record,
    Sort::Shape,
    Sort::Tree,
    Sort::List,
    Sort::Text,
    Sort::Bytes,
];

type Bound = Vec<(String, Sort)>;

impl Writer<'_> {
    /// A condition, and what is in scope where it holds.
    pub fn condition(&mut self, depth: usize) -> (String, Bound) {
        let subjects = [Sort::Maybe, Sort::Pair, Sort::Record, Sort::Shape, Sort::Tree, Sort::List];
        match self.rng.below(4) {
            0 if let Some((subject, sort)) = self.scope_of(&subjects) => {
                let (pattern, bound) = self.pattern(sort, 1);
                let more = self.within(&bound, |w| w.truth(depth.min(1)));
                (format!("{subject} is {pattern} && {more}"), bound)
            }
            1 if let Some(map) = self.variable(Sort::Map) => {
                let (key, name) = (self.expression(Sort::Key, depth.min(1)), self.fresh());
                let bound = vec![(name.clone(), self.value)];
                let more = self.within(&bound, |w| w.truth(depth.min(1)));
                (format!("{map}.get({key}) is Some({name}) && {more}"), bound)
            }
            _ => (self.truth(depth), Vec::new()),
        }
    }

    /// A truth value, in brackets.
    pub fn truth(&mut self, depth: usize) -> String {
        let deeper = depth.saturating_sub(1);
        match self.rng.below(if depth == 0 { 7 } else { 12 }) {
            0 => {
                let operator = *self.rng.pick(&["==", "<", "<=", "!="]);
                format!("({} {operator} {})", self.simple(Sort::Int), self.expression(Sort::Int, deeper))
            }
            1 | 2 => {
                let sort = *self.rng.pick(&COMPARED);
                match self.variable(sort) {
                    Some(left) => {
                        let operator = *self.rng.pick(&["==", "!="]);
                        format!("({left} {operator} {})", self.expression(sort, deeper))
                    }
                    None => self.membership(deeper),
                }
            }
            3 | 4 => self.membership(deeper),
            5 => self.text_test(),
            6 => self.variable(Sort::Bool).unwrap_or_else(|| format!("({} <= 1)", self.simple(Sort::Int))),
            7 => format!("(!{})", self.truth(deeper)),
            8 => format!("({} && {})", self.truth(deeper), self.truth(deeper)),
            9 => format!("({} || {})", self.truth(deeper), self.truth(deeper)),
            10 => self.compared_collection(deeper),
            _ => self.quantified(deeper),
        }
    }

    fn membership(&mut self, depth: usize) -> String {
        if self.rng.percent(30)
            && let Some(list) = self.walked()
        {
            return format!("({} in {list})", self.expression(Sort::Int, depth.min(1)));
        }
        match self.scope_of(&[Sort::Map, Sort::Map, Sort::Set]) {
            Some((map, Sort::Map)) => format!("({map}.contains({}))", self.expression(Sort::Key, depth.min(1))),
            Some((set, _)) => format!("({} in {set})", self.expression(Sort::Key, depth.min(1))),
            None => format!("({} <= {})", self.simple(Sort::Int), self.simple(Sort::Int)),
        }
    }

    fn text_test(&mut self) -> String {
        let Some((text, sort)) = self.scope_of(&[Sort::Text, Sort::Bytes]) else {
            return format!("({} == {})", self.simple(Sort::Key), self.simple(Sort::Key));
        };
        self.features.insert(Feature::TextTest);
        let other = self.simple(sort);
        match self.rng.below(6) {
            0 => format!("({text} < {other})"),
            1 => format!("({text} <= {other})"),
            2 if sort == Sort::Text => {
                self.features.insert(Feature::Split);
                let pattern = *self.rng.pick(&["[_]", "[\"a\", _]", "[_, \"b\"]", "[\"\", ..]"]);
                format!("({text}.split(\",\") is {pattern})")
            }
            _ => {
                let method = *self.rng.pick(&["contains", "starts_with", "ends_with"]);
                format!("({text}.{method}({other}))")
            }
        }
    }

    /// A whole map or set compared with a known one.
    fn compared_collection(&mut self, depth: usize) -> String {
        let Some((name, sort)) = self.scope_of(&[Sort::Map, Sort::Set]) else { return self.truth(depth) };
        self.features.insert(Feature::CompareMap);
        let known: Vec<String> = (0..self.rng.below(3))
            .map(|i| {
                let key = match self.key {
                    Key::Token => self.variable(Sort::Key).expect("a world of tokens has one"),
                    Key::Int => format!("{i}"),
                    Key::Text => format!("\"{}\"", ["a", "b", "ab"][i]),
                };
                if sort == Sort::Set { key } else { format!("{key}: {}", self.constant(self.value)) }
            })
            .collect();
        let operator = *self.rng.pick(&["==", "!="]);
        format!("({name} {operator} ({{{}}}))", known.join(", "))
    }

    fn quantified(&mut self, depth: usize) -> String {
        let Some(list) = self.walked() else { return self.truth(depth) };
        let (name, quantifier) = (self.fresh(), *self.rng.pick(&["any", "all"]));
        let body = self.within(&[(name.clone(), Sort::Int)], |w| w.unchoosing(|w| w.truth(depth)));
        format!("({quantifier} {name} in {list}: {body})")
    }

    /// A pattern of the sort, and what it binds.
    pub fn pattern(&mut self, sort: Sort, depth: usize) -> (String, Bound) {
        let (x, y) = (self.fresh(), self.fresh());
        let ints = |names: &[&String]| names.iter().map(|name| ((*name).clone(), Sort::Int)).collect::<Bound>();
        match (sort, self.rng.below(4)) {
            (Sort::Maybe, 0) => ("None".to_owned(), Vec::new()),
            (Sort::Maybe, 1) => ("Some(0 | 1)".to_owned(), Vec::new()),
            (Sort::Maybe, _) => (format!("Some({x})"), ints(&[&x])),
            (Sort::Pair, 0) => (format!("({x}, true)"), ints(&[&x])),
            (Sort::Pair, _) => (format!("({x}, {y})"), vec![(x, Sort::Int), (y, Sort::Bool)]),
            (Sort::Record, 0) => (format!("(Record {{ a: {x}, b: Some({y}), .. }})"), ints(&[&x, &y])),
            (Sort::Record, 1) => (format!("(Record {{ k: Some({x}), .. }})"), vec![(x, Sort::Key)]),
            (Sort::Record, _) => {
                (format!("(Record {{ a: {x}, b: {y}, k: _ }})"), vec![(x, Sort::Int), (y, Sort::Maybe)])
            }
            (Sort::Shape, 0) => ("Dot".to_owned(), Vec::new()),
            (Sort::Shape, 1) => (format!("Line({x})"), ints(&[&x])),
            (Sort::Shape, _) => (format!("(Box {{ w: {x}, h: {y} }})"), vec![(x, Sort::Int), (y, Sort::Bool)]),
            (Sort::Tree, 0) => ("Leaf".to_owned(), Vec::new()),
            (Sort::Tree, 1) if depth > 0 => {
                let (left, bound) = self.pattern(sort, depth - 1);
                (format!("Node({left}, {x}, _)"), [bound, vec![(x, Sort::Int)]].concat())
            }
            (Sort::Tree, _) => (format!("Node({x}, {y}, _)"), vec![(x, Sort::Tree), (y, Sort::Int)]),
            (Sort::List, 0) => ("[]".to_owned(), Vec::new()),
            (Sort::List, 1) => (format!("[{x}]"), ints(&[&x])),
            (Sort::List, _) => (format!("[{x}, ..{y}]"), vec![(x, Sort::Int), (y, Sort::List)]),
            (Sort::Int, 0 | 1) => ("1 | 2".to_owned(), Vec::new()),
            (sort, _) => (x.clone(), vec![(x, sort)]),
        }
    }
}
