//! Random protocols whose state begins unknown, dense in what unknown values, holes, steps and texts add to the language.
//!
//! A world has a few variables of a few sorts, most of which begin as `choose`; requests and replies carry the same sorts.
//! Example of a handler: `on C1(k) { if (m.get(k) is Some(x1) && (x1 < n)) { w := m; m[k] := n; } reply A0(m.get(k)); }`.

mod conditions;
mod expressions;
mod statements;
pub mod traces;
pub mod values;

use super::{Lines, Rng};
use std::collections::BTreeSet;

/// What an expression stands for; each has one type in a world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sort {
    Int,
    Bool,
    /// Of maps and sets: an integer, a string or a token.
    Key,
    /// `option<int>`
    Maybe,
    /// `(int, bool)`
    Pair,
    /// A struct with an option and a key in it.
    Record,
    /// An enum.
    Shape,
    /// The recursive enum.
    Tree,
    /// `list<int>`
    List,
    Map,
    Set,
    Text,
    Bytes,
}

/// What the keys of a world are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Int,
    Text,
    Token,
}

/// What is counted: which constructs the judged programs have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Feature {
    Unknown(Sort),
    Choose(Sort),
    Copy,
    PickKey,
    CompareMap,
    Rest,
    Step,
    NoAnswer,
    Lost,
    Hole,
    PartialHole,
    RequestHole,
    Tokens,
    Split,
    TextTest,
    TextMade,
    Expects,
    Fault,
    Proc,
    Def,
}

/// A family of worlds.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// What variables may be of.
    pub sorts: &'static [Sort],
    /// How many of a hundred worlds have steps.
    pub steps: usize,
}

pub const MAPS: Family =
    Family { name: "unknown maps", sorts: &[Sort::Map, Sort::Map, Sort::Set, Sort::Key, Sort::Int], steps: 0 };
pub const DATA: Family = Family {
    name: "unknown data",
    sorts: &[Sort::Int, Sort::Bool, Sort::Key, Sort::Maybe, Sort::Pair, Sort::Record, Sort::Shape, Sort::Tree],
    steps: 0,
};
pub const LISTS: Family =
    Family { name: "unknown lists", sorts: &[Sort::List, Sort::List, Sort::Int, Sort::Maybe], steps: 0 };
pub const TEXTS: Family =
    Family { name: "texts", sorts: &[Sort::Text, Sort::Text, Sort::Bytes, Sort::Int, Sort::Maybe], steps: 0 };
pub const STEPS: Family =
    Family { name: "steps", sorts: &[Sort::Int, Sort::Bool, Sort::Key, Sort::Map, Sort::Set, Sort::Maybe], steps: 100 };
pub const MIXED: Family = Family {
    name: "mixed",
    sorts: &[
        Sort::Int,
        Sort::Bool,
        Sort::Key,
        Sort::Maybe,
        Sort::Pair,
        Sort::Record,
        Sort::Shape,
        Sort::Tree,
        Sort::List,
        Sort::Map,
        Sort::Set,
        Sort::Text,
        Sort::Bytes,
    ],
    steps: 30,
};

/// A protocol, with what is needed to draw traces for it.
pub struct World {
    pub text: String,
    pub key: Key,
    /// Of maps.
    pub value: Sort,
    /// Variants of requests, and what they carry.
    pub requests: Vec<(String, Vec<Sort>)>,
    /// Variants of responses; each carries one value.
    pub responses: Vec<(String, Sort)>,
    pub features: BTreeSet<Feature>,
}

/// How many values an unknown initial state may have in the oracle.
const STATES: usize = 200;
/// How often a handler may walk along a list.
const WALKS: usize = 2;
/// How many ways a handler may take, about.
const WAYS: usize = 24;

/// Writes a world.
struct Writer<'r> {
    rng: &'r mut Rng,
    lines: Lines,
    key: Key,
    value: Sort,
    sorts: Vec<Sort>,
    state: Vec<(String, Sort)>,
    scope: Vec<(String, Sort)>,
    responses: Vec<(String, Sort)>,
    features: BTreeSet<Feature>,
    names: usize,
    /// How many ways are left to take, about; 0 where choices may not stand.
    ways: usize,
    /// How often a list may still be walked along: one of unknown length is walked for each length.
    walks: usize,
    /// How likely a partial operation stands without its guard, in percent.
    faults: usize,
    /// Numbers and texts must not grow: a step is taken any number of times.
    bounded: bool,
    procs: usize,
}

/// A world of the family.
pub fn random(rng: &mut Rng, family: &Family) -> World {
    let key = *rng.pick(&[Key::Int, Key::Text, Key::Token, Key::Token]);
    let value = *rng.pick(&[Sort::Int, Sort::Int, Sort::Int, Sort::Record, Sort::Maybe]);
    let count = 1 + rng.below(3);
    let first = family.sorts[0];
    let mut sorts: Vec<Sort> = (0..count).map(|_| *rng.pick(family.sorts)).collect();
    if family.name != MIXED.name && !sorts.contains(&first) && rng.percent(70) {
        sorts[0] = first;
    }
    if key == Key::Token {
        // Tokens have no literals: some variable always holds one.
        sorts.insert(0, Sort::Key);
    }
    let steps = rng.percent(family.steps);
    let faults = *rng.pick(&[0, 0, 0, 5, 15]);
    let mut writer = Writer {
        rng,
        lines: Lines::default(),
        key,
        value,
        sorts,
        state: Vec::new(),
        scope: Vec::new(),
        responses: Vec::new(),
        features: BTreeSet::new(),
        names: 0,
        ways: 0,
        walks: 0,
        faults,
        bounded: false,
        procs: 0,
    };
    let requests = writer.file(steps);
    let Writer { lines, key, value, responses, features, .. } = writer;
    World { text: lines.finish(), key, value, requests, responses, features }
}

impl Writer<'_> {
    fn file(&mut self, steps: bool) -> Vec<(String, Vec<Sort>)> {
        if self.key == Key::Token {
            self.features.insert(Feature::Tokens);
        }
        let (requests, responses) = (self.requests(), self.responses());
        let carried = |sorts: &[Sort]| sorts.iter().map(|sort| self.written(*sort)).collect::<Vec<_>>().join(", ");
        let key = match self.key {
            Key::Int => "type Key = int;",
            Key::Text => "type Key = string;",
            Key::Token => "token Key;",
        };
        let variant = |(name, sorts): &(String, Vec<Sort>)| match sorts.as_slice() {
            [] => name.clone(),
            sorts => format!("{name}({})", carried(sorts)),
        };
        let variants: Vec<String> = requests.iter().map(variant).collect();
        let answers: Vec<String> =
            responses.iter().map(|(name, sort)| format!("{name}({})", carried(&[*sort]))).collect();
        let head = [
            key.to_owned(),
            "struct Record { a: int, b: option<int>, k: option<Key> }".to_owned(),
            "enum Shape { Dot, Line(int), Box { w: int, h: bool } }".to_owned(),
            "enum Tree { Leaf, Node(Tree, int, Tree) }".to_owned(),
            format!("enum Request {{ {} }}", variants.join(", ")),
            format!("enum Response {{ {} }}", answers.join(", ")),
            "fn total(t: Tree): int = match t { Leaf => 0, Node(l, n, r) => total(l) + n + total(r) };".to_owned(),
            "fn sum(l: list<int>): int = match l { [] => 0, [x, ..rest] => x + sum(rest) };".to_owned(),
            "def near(x: int): int = if (x <= 0) { either x or 1 } else { 0 };".to_owned(),
        ];
        head.iter().for_each(|line| self.lines.line(line));
        self.responses = responses;
        self.lines.line("protocol p {");
        self.lines.line("request Request; response Response;");
        self.variables();
        self.procs();
        requests.iter().for_each(|(name, sorts)| self.handlers(name, sorts));
        for _ in 0..if steps { 1 + self.rng.below(2) } else { 0 } {
            self.step();
        }
        self.lines.line("}");
        requests
    }

    /// What requests carry: mostly keys and integers, now and then what the state is made of.
    fn requests(&mut self) -> Vec<(String, Vec<Sort>)> {
        let keyed = self.sorts.iter().any(|sort| matches!(sort, Sort::Map | Sort::Set | Sort::Key | Sort::Record));
        let count = 1 + self.rng.below(3);
        let mut requests = Vec::new();
        for i in 0..count {
            let sorts = match self.rng.below(6) {
                0 => Vec::new(),
                1 | 2 if keyed => vec![Sort::Key],
                3 if keyed => vec![Sort::Key, *self.rng.pick(&[Sort::Int, Sort::Key, self.value])],
                4 => vec![*self.rng.pick(&self.sorts)],
                _ => vec![*self.rng.pick(&self.sorts), Sort::Int],
            };
            requests.push((format!("C{i}"), sorts));
        }
        requests
    }

    fn responses(&mut self) -> Vec<(String, Sort)> {
        let mut sorts = vec![Sort::Int, Sort::Bool];
        sorts.extend(self.sorts.iter().copied());
        if self.sorts.contains(&Sort::Map) {
            sorts.extend([Sort::Key, self.value]);
        }
        let unique: BTreeSet<Sort> = sorts.into_iter().collect();
        (0..).zip(unique).map(|(i, sort)| (format!("A{i}"), sort)).collect()
    }

    fn variables(&mut self) {
        let mut states = 1;
        for (i, sort) in self.sorts.clone().into_iter().enumerate() {
            let (name, size) = (format!("{}{i}", letter(sort)), self.size(sort));
            self.ways = 2;
            let copied = self.variable(sort).filter(|_| self.rng.percent(40));
            let value = match copied {
                Some(copied) => copied,
                None if states * size <= STATES && self.rng.percent(85) => {
                    states *= size;
                    self.features.insert(Feature::Unknown(sort));
                    match (sort, self.rng.below(6)) {
                        (Sort::Record, 0) => self.rest(1),
                        (Sort::Int, 0) => "choose x: int where x >= 0".to_owned(),
                        (_, 1) => format!("choose {}", self.written(sort)),
                        _ => "choose".to_owned(),
                    }
                }
                None => self.constant(sort),
            };
            self.lines.line(format!("var {name}: {} = {value};", self.written(sort)));
            self.state.push((name.clone(), sort));
            self.scope.push((name, sort));
        }
    }

    fn procs(&mut self) {
        if self.rng.percent(70) {
            return;
        }
        self.lines.line("proc act(a: int) {");
        self.ways = 4;
        self.scoped(&[("a".to_owned(), Sort::Int)], |w| w.block(2, 1));
        self.lines.line("}");
        self.procs = 1;
    }

    fn handlers(&mut self, name: &str, sorts: &[Sort]) {
        let bound: Vec<(String, Sort)> = sorts.iter().map(|sort| (self.fresh(), *sort)).collect();
        let names: Vec<&str> = bound.iter().map(|(name, _)| name.as_str()).collect();
        let pattern = if names.is_empty() { name.to_owned() } else { format!("{name}({})", names.join(", ")) };
        if self.rng.percent(15) {
            self.ways = 0;
            let (condition, more) = self.within(&bound, |w| w.pure(|w| w.condition(1)));
            self.lines.line(format!("on {pattern} if ({condition}) {{"));
            // What an `is` in brackets binds is in scope too.
            self.handler(&[bound.clone(), more].concat());
        }
        if self.rng.percent(97) {
            self.lines.line(format!("on {pattern} {{"));
            self.handler(&bound);
        }
    }

    fn handler(&mut self, bound: &[(String, Sort)]) {
        (self.ways, self.walks) = (WAYS, WALKS);
        self.scoped(bound, |w| {
            w.block(4, 2);
            if w.rng.percent(93) { w.reply() } else { _ = w.features.insert(Feature::NoAnswer) }
        });
        self.lines.line("}");
    }

    fn step(&mut self) {
        self.features.insert(Feature::Step);
        self.lines.line("step {");
        (self.ways, self.bounded) = (4, true);
        let procs = std::mem::take(&mut self.procs);
        self.scoped(&[], |w| w.block(2, 1));
        (self.bounded, self.procs) = (false, procs);
        self.lines.line("}");
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn within<T>(&mut self, more: &[(String, Sort)], write: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.scope.len();
        self.scope.extend(more.iter().cloned());
        let written = write(self);
        self.scope.truncate(mark);
        written
    }

    fn scoped(&mut self, more: &[(String, Sort)], write: impl FnOnce(&mut Self)) {
        self.within(more, write);
    }

    /// Without choices and faults.
    fn pure<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (std::mem::take(&mut self.ways), std::mem::take(&mut self.faults));
        let written = write(self);
        (self.ways, self.faults) = outer;
        written
    }

    /// Runs `write` with no choices allowed.
    fn unchoosing<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.ways);
        let written = write(self);
        self.ways = outer;
        written
    }

    /// Whether a choice among so many may stand here; it is counted.
    fn may_choose(&mut self, among: usize) -> bool {
        let may = self.ways >= among;
        self.ways = if may { self.ways / among } else { self.ways };
        may
    }

    /// A list that may be walked along, which is counted.
    fn walked(&mut self) -> Option<String> {
        self.walks = self.walks.checked_sub(1)?;
        self.variable(Sort::List)
    }

    /// A variable of the sort.
    fn variable(&mut self, sort: Sort) -> Option<String> {
        let all: Vec<String> = self.scope.iter().filter(|(_, s)| *s == sort).map(|(name, _)| name.clone()).collect();
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }
}

fn letter(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "n",
        Sort::Bool => "b",
        Sort::Key => "k",
        Sort::Maybe => "o",
        Sort::Pair => "p",
        Sort::Record => "r",
        Sort::Shape => "e",
        Sort::Tree => "t",
        Sort::List => "l",
        Sort::Map => "m",
        Sort::Set => "s",
        Sort::Text => "u",
        Sort::Bytes => "y",
    }
}
