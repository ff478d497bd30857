//! Random protocols whose state begins unknown, dense in what unknown values, holes, steps and texts add to the language.
//!
//! A world has a few variables of a few sorts, most of which begin as `choose`; requests and replies carry the same sorts.
//! Example of a handler: `on C1(k) { if (m.get(k) is Some(x1) && (x1 < n)) { w := m; m[k] := n; } reply A0(m.get(k)); }`.

pub mod holes;
pub mod traces;
pub mod values;

use super::grammar::{Kind, Known, Place, derived_at};
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
pub const MIXED: Family = Family { name: "mixed", sorts: &SORTS, steps: 30 };

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
/// How many ways a handler may take, about, and a step.
const WAYS: usize = 24;
const FEW_WAYS: usize = 4;

/// Writes a world, but for what the grammar `worlds` writes.
struct Writer<'r> {
    rng: &'r mut Rng,
    key: Key,
    value: Sort,
    sorts: Vec<Sort>,
    /// Variables and replies.
    known: Vec<Known>,
    /// What the grammar is allowed.
    allowed: String,
    features: BTreeSet<Feature>,
}

/// What every world declares.
const HEAD: &str = "struct Record { a: int, b: option<int>, k: option<Key> }
enum Shape { Dot, Line(int), Box { w: int, h: bool } }
enum Tree { Leaf, Node(Tree, int, Tree) }
fn total(t: Tree): int = match t { Leaf => 0, Node(l, n, r) => total(l) + n + total(r) };
fn sum(l: list<int>): int = match l { [] => 0, [x, ..rest] => x + sum(rest) };
def near(x: int): int = if (x <= 0) { either x or 1 } else { 0 };
";

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
    let mut allowed = match key {
        Key::Int => "i",
        Key::Text => "x",
        Key::Token => "t",
    }
    .to_owned();
    allowed += match value {
        Sort::Record => "r",
        Sort::Maybe => "o",
        _ => "n",
    };
    allowed += *rng.pick(&["", "", "f"]);
    let mut writer = Writer { rng, key, value, sorts, known: Vec::new(), allowed, features: BTreeSet::new() };
    let (requests, responses) = (writer.requests(), writer.responses());
    let text = writer.text(&requests, &responses, steps);
    let mut features = writer.features;
    features.extend(found(&text, value));
    World { text, key, value, requests, responses, features }
}

/// The constructs that a text shows.
fn found(text: &str, value: Sort) -> BTreeSet<Feature> {
    let members = text.split_once("protocol p").map_or("", |(_, members)| members);
    let has = |words: &[&str]| words.iter().any(|word| members.contains(word));
    let is_copy = |line: &str| {
        let sides = line.trim().trim_end_matches(';').split_once(" := ");
        sides.is_some_and(|(one, other)| {
            one != other && [one, other].iter().all(|side| side.starts_with('m') && side.len() == 2)
        })
    };
    let mut all: BTreeSet<Feature> = [
        (Feature::PickKey, has(&["pick "])),
        (Feature::CompareMap, has(&["== ({", "!= ({"])),
        (Feature::Rest, has(&["..choose"])),
        (Feature::Split, has(&[".split("])),
        (Feature::TextTest, has(&[".starts_with(", ".ends_with(", ".split("])),
        (Feature::TextMade, has(&[".lower()", ".to_string()", ".to_int()"])),
        (Feature::Expects, has(&["expects "])),
        (Feature::Proc, members.matches("act(").count() > members.matches("proc act(").count()),
        (Feature::Def, has(&["near("])),
        (Feature::Copy, members.lines().any(is_copy)),
    ]
    .into_iter()
    .filter_map(|(feature, is_there)| is_there.then_some(feature))
    .collect();
    for sort in SORTS {
        let written = sort.written(value);
        if has(&[&format!("(choose {written})"), &format!(": {written} where")]) {
            all.insert(Feature::Choose(sort));
        }
    }
    if members.contains("Some(choose int)") {
        all.insert(Feature::Choose(Sort::Maybe));
    }
    all
}

impl Writer<'_> {
    /// What the grammar writes, with more names known.
    fn derived(&mut self, rule: &str, (depth, ways): (usize, usize), sort: Sort, more: &[Known]) -> String {
        let place = Place {
            known: [&self.known, more].concat(),
            allowed: self.allowed.clone(),
            ways,
            sort: sort.name(),
            value: self.value.name(),
        };
        derived_at("worlds", rule, depth, place, &mut |below| self.rng.below(below))
    }

    fn text(&mut self, requests: &[(String, Vec<Sort>)], responses: &[(String, Sort)], steps: bool) -> String {
        let value = self.value;
        let carried = |sorts: &[Sort]| sorts.iter().map(|sort| sort.written(value)).collect::<Vec<_>>().join(", ");
        let variant = |(name, sorts): &(String, Vec<Sort>)| match sorts.as_slice() {
            [] => name.clone(),
            sorts => format!("{name}({})", carried(sorts)),
        };
        let variants: Vec<String> = requests.iter().map(variant).collect();
        let answers: Vec<String> =
            responses.iter().map(|(name, sort)| format!("{name}({})", carried(&[*sort]))).collect();
        let key = match self.key {
            Key::Int => "type Key = int;",
            Key::Text => "type Key = string;",
            Key::Token => "token Key;",
        };
        self.features.extend((self.key == Key::Token).then_some(Feature::Tokens));
        let mut text = format!("{key}\n{HEAD}enum Request {{ {} }}\n", variants.join(", "));
        text += &format!("enum Response {{ {} }}\nprotocol p {{\n", answers.join(", "));
        text += "request Request; response Response;\n";
        text += &self.variables();
        let replies = responses.iter();
        self.known.extend(replies.map(|(name, sort)| Known {
            name: name.clone(),
            sort: sort.name(),
            kind: Kind::Reply,
        }));
        if self.rng.percent(30) {
            let argument = Known { name: "a".to_owned(), sort: Sort::Int.name(), kind: Kind::Local };
            text +=
                &format!("proc act(a: int) {{\n{}\n}}\n", self.derived("small", (1, FEW_WAYS), Sort::Int, &[argument]));
            self.allowed += "p";
        }
        requests.iter().for_each(|(name, sorts)| text += &self.handlers(name, sorts));
        for _ in 0..if steps { 1 + self.rng.below(2) } else { 0 } {
            self.features.insert(Feature::Step);
            let allowed = self.allowed.replace('p', "") + "b";
            let outer = std::mem::replace(&mut self.allowed, allowed);
            text += &format!("step {{\n{}\n}}\n", self.derived("small", (1, FEW_WAYS), Sort::Int, &[]));
            self.allowed = outer;
        }
        let mut lines = Lines::default();
        text.lines().chain(["}"]).for_each(|line| lines.line(line.trim()));
        lines.finish()
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

    fn variables(&mut self) -> String {
        let (mut text, mut states) = (String::new(), 1);
        for (i, sort) in self.sorts.clone().into_iter().enumerate() {
            let (name, size, written) = (format!("{}{i}", letter(sort)), sort.size(), sort.written(self.value));
            let copied: Vec<String> =
                self.known.iter().filter(|k| k.sort == sort.name()).map(|k| k.name.clone()).collect();
            let value = match copied.first().filter(|_| self.rng.percent(40)) {
                Some(copied) => copied.clone(),
                None if states * size <= STATES && self.rng.percent(85) => {
                    states *= size;
                    self.features.insert(Feature::Unknown(sort));
                    match (sort, self.rng.below(6)) {
                        (Sort::Record, 0) => self.derived("rest", (1, 2), sort, &[]),
                        (Sort::Int, 0) => "choose x: int where x >= 0".to_owned(),
                        (_, 1) => format!("choose {written}"),
                        _ => "choose".to_owned(),
                    }
                }
                None if (sort, self.key) == (Sort::Key, Key::Token) => "choose".to_owned(),
                None => self.derived("constant", (1, 1), sort, &[]),
            };
            text += &format!("var {name}: {written} = {value};\n");
            self.known.push(Known { name, sort: sort.name(), kind: Kind::State });
        }
        text
    }

    fn handlers(&mut self, name: &str, sorts: &[Sort]) -> String {
        let known = |(at, sort): (usize, &Sort)| Known { name: format!("q{at}"), sort: sort.name(), kind: Kind::Local };
        let bound: Vec<Known> = sorts.iter().enumerate().map(known).collect();
        let names: Vec<&str> = bound.iter().map(|known| known.name.as_str()).collect();
        let pattern = if names.is_empty() { name.to_owned() } else { format!("{name}({})", names.join(", ")) };
        let mut text = String::new();
        if self.rng.percent(15) {
            let guarded = self.derived("guarded", (2, WAYS), Sort::Int, &bound);
            text += &format!("on {pattern} {guarded}\n");
        }
        if self.rng.percent(97) {
            text += &format!("on {pattern} {{\n{}\n}}\n", self.handler(&bound));
        }
        text
    }

    fn handler(&mut self, bound: &[Known]) -> String {
        let replies = self.rng.percent(93);
        self.features.extend((!replies).then_some(Feature::NoAnswer));
        self.derived(if replies { "handler" } else { "silent" }, (2, WAYS), Sort::Int, bound)
    }
}

/// All sorts.
const SORTS: [Sort; 13] = [
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
];

impl Sort {
    /// Its name in the grammar.
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
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
