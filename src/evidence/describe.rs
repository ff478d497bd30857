//! States, answers and constraints in the words of the specification: `n >= 3`, `data["x"].tag = Some("t7")`.

use std::fmt::{self, Write};

use rustc_hash::FxHashSet;

use crate::json;
use crate::judge::Candidate;
use crate::scalar::Int;
use crate::solve::Store;
use crate::spec::code::ProgramKind;
use crate::spec::types::BOOL;
use crate::spec::{Spec, Type, TypeId, Types};
use crate::term::{Kind, Term, Var, VariableNames};
use crate::value::{Entry, ListItem, Map, Presence, Substitution, Truth, Value, equal};

/// Something that is known, as a reader sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fact {
    text: String,
    is_disjunction: bool,
}

impl Fact {
    /// A fact in these words.
    pub(super) fn new(text: impl Into<String>) -> Fact {
        Fact { text: text.into(), is_disjunction: false }
    }

    /// A fact whose text ends in a term; the text is cut if it is long.
    fn of_term(text: &str, term: Option<&Term>) -> Fact {
        Fact { text: shortened(text), is_disjunction: term.is_some_and(|term| matches!(term.kind(), Kind::Or(_))) }
    }

    /// Tests whether the text ends in an *or* of conditions: beside other facts it needs parentheses.
    #[must_use]
    pub fn is_disjunction(&self) -> bool {
        self.is_disjunction
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The server's state, as far as a candidate knows it.
#[derive(Clone, Debug)]
pub struct KnownState {
    leaves: Vec<StatePart>,
    /// The variables that are maps.
    maps: Vec<StateMap>,
    /// The constraints on the undetermined parts.
    constraints: Vec<Term>,
}

/// A variable of the server that is a map.
#[derive(Clone, Debug)]
struct StateMap {
    name: String,
    ty: TypeId,
    map: Map,
}

/// A variable of the server, or an entry of a variable that is a map.
#[derive(Clone, PartialEq, Debug)]
struct StatePart {
    path: String,
    ty: TypeId,
    value: Value,
    /// The words that are put after the value, such as [`STEPPED`]; often none.
    aside: &'static str,
}

impl StatePart {
    /// Tests whether one of the conditions mentions a variable of this part.
    fn is_mentioned(&self, conditions: &[&Term]) -> bool {
        let mut own = FxHashSet::default();
        self.value.visit_variables(&mut |var| {
            own.insert(var);
        });
        let mut is_mentioned = false;
        for condition in conditions {
            condition.vars(&mut |var| is_mentioned |= own.contains(&var));
        }
        is_mentioned
    }
}

/// The value with everything that a store knows of its variables put in.
pub(super) fn resolved(store: &Store, value: &Value) -> Value {
    let mut resolve = |term: &Term| Some(store.resolve(term));
    Substitution::everywhere(&mut resolve).apply(value).unwrap_or_else(|| value.clone())
}

/// The most bytes of a value that are shown; a longer one is cut in the middle.
const SHOWN: usize = 120;

/// The most bytes of a term that are written before the text is shortened to [`SHOWN`].
const WRITTEN: usize = 64 * SHOWN;

/// Names for variables.
pub(super) struct PartNames {
    of: VariableNames,
    anonymous: usize,
}

impl PartNames {
    /// Names for variables in the order in which they are met: `#1`, `#2` …
    pub(super) fn anonymous() -> PartNames {
        PartNames { of: VariableNames::default(), anonymous: 0 }
    }

    fn name(&mut self, var: Var) {
        if !self.of.contains_key(&var.id) {
            self.anonymous += 1;
            self.of.insert(var.id, format!("#{}", self.anonymous));
        }
    }

    /// The value as JSON, with names in the place of undetermined parts.
    pub(super) fn render(&mut self, types: &Types, ty: TypeId, store: &Store, value: &Value) -> String {
        let value = resolved(store, value);
        self.name_shown(&value);
        self.show(types, ty, &value)
    }

    /// Gives names to the variables that a shown value has.
    fn name_shown(&mut self, value: &Value) {
        match value {
            Value::Union(alternatives) => alternatives.iter().for_each(|(_, value)| self.name_shown(value)),
            Value::Data { .. } => value.fields().iter().for_each(|field| self.name_shown(field)),
            Value::List(_) | Value::Open(_) => {
                value.items().filter_map(ListItem::value).for_each(|value| self.name_shown(value));
            }
            Value::Map(map) => {
                elements(map).into_iter().flatten().for_each(|element| self.name_shown(element));
                certain(map).for_each(|(_, entry)| self.name_shown(&entry.value));
            }
            Value::Scalar(_) | Value::Term(_) | Value::Absent => {
                value.visit_variables(&mut |var| self.name(var));
            }
            Value::Unknown(_) | Value::Any => {}
        }
    }

    fn show(&self, types: &Types, ty: TypeId, value: &Value) -> String {
        if is_missing(types, ty, value) {
            return "nothing".to_owned();
        }
        if value.is_known() {
            return json::encode(types, ty, value);
        }
        match value {
            Value::Term(term) => self.term(term),
            Value::Union(alternatives) => {
                let shown = alternatives.iter().map(|(_, value)| self.show(types, ty, value));
                shown.collect::<Vec<_>>().join(" or ")
            }
            Value::Data { tag, .. } => self.show_data(types, ty, *tag, value.fields()),
            Value::List(_) | Value::Open(_) => {
                let of = types.parts(ty).first().copied().unwrap_or(ty);
                let item = |item: ListItem<'_>| match item {
                    ListItem::One(value) => Some(self.show(types, of, value)),
                    ListItem::Maybe(optional) => Some(format!("{}?", self.show(types, of, &optional.value))),
                    ListItem::Rest(rest) => (rest.length.as_int() != Some(&Int::ZERO)).then(|| "..".to_owned()),
                };
                format!("[{}]", value.items().filter_map(item).collect::<Vec<_>>().join(", "))
            }
            Value::Map(map) => self.show_map(types, ty, map),
            Value::Unknown(_) | Value::Any | Value::Scalar(_) | Value::Absent => json::encode(types, ty, value),
        }
    }

    /// Shows the entries that are certainly in a map or set. A final `..` stands for further entries that there may be.
    fn show_map(&self, types: &Types, ty: TypeId, map: &Map) -> String {
        if let (Type::Set(of), Some(elements)) = (types.get(ty), elements(map)) {
            let shown: Vec<String> = elements.into_iter().map(|element| self.show(types, *of, element)).collect();
            return format!("[{}]", shown.join(", "));
        }
        let certain = certain(map).map(|(key, entry)| match types.get(ty) {
            Type::Map(key_type, of) => {
                format!("{}: {}", self.show(types, *key_type, key), self.show(types, *of, &entry.value))
            }
            _ => self.show(types, types.parts(ty).first().copied().unwrap_or(ty), key),
        });
        let all = certain.chain(["..".to_owned()]).collect::<Vec<_>>().join(", ");
        if let Type::Map(..) = types.get(ty) { format!("{{{all}}}") } else { format!("[{all}]") }
    }

    fn show_data(&self, types: &Types, ty: TypeId, tag: u32, fields: &[Value]) -> String {
        if let Type::Option(inner) = types.get(ty) {
            return fields.first().map_or_else(|| "null".to_owned(), |field| self.show(types, *inner, field));
        }
        let known = types.fields(ty, tag);
        let there = known.iter().zip(fields).filter(|((_, ty), field)| !is_missing(types, *ty, field));
        let shown: Vec<(Option<&str>, String)> =
            there.map(|((name, ty), field)| (*name, self.show(types, *ty, field))).collect();
        let members = |shown: &[(Option<&str>, String)]| {
            let named = shown.iter().map(|(name, text)| format!("\"{}\": {text}", name.unwrap_or_default()));
            format!("{{{}}}", named.collect::<Vec<_>>().join(", "))
        };
        let positional = |shown: &[(Option<&str>, String)]| match shown {
            [(_, one)] => one.clone(),
            many => format!("[{}]", many.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ")),
        };
        let named = shown.iter().all(|(name, _)| name.is_some());
        match types.get(ty) {
            Type::Enum(at) => {
                let variant = &types.enums[*at as usize].variants[tag as usize].name;
                let inner = if named { members(&shown) } else { positional(&shown) };
                format!("{{\"{variant}\": {inner}}}")
            }
            _ if named => members(&shown),
            _ => format!("[{}]", shown.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", ")),
        }
    }

    /// A term in the notation of the language, with the names of its variables.
    pub(super) fn term(&self, term: &Term) -> String {
        let mut written = Beginning(String::new());
        if write!(written, "{}", term.display_with(&self.of)).is_err() {
            written.0.push('…');
        }
        written.0
    }

    /// A condition; of a large set of values only their number.
    fn condition(&self, condition: &Term) -> String {
        if let Kind::Not(inner) = condition.kind()
            && let Kind::Member(subject, set) = inner.kind()
        {
            return format!("{} is none of {} values", self.term(subject), set.len());
        }
        self.term(condition)
    }

    /// Tests whether a variable has a name.
    pub(super) fn has(&self, var: Var) -> bool {
        self.of.contains_key(&var.id)
    }

    /// Tests whether all variables of a condition have names.
    pub(super) fn has_all_of(&self, condition: &Term) -> bool {
        !condition.any_var(&mut |var| !self.has(var))
    }

    /// The constraints whose variables all have names, as facts.
    pub(super) fn facts<'c>(&self, constraints: impl IntoIterator<Item = &'c Term>) -> Vec<Fact> {
        let mut facts = Vec::new();
        for constraint in constraints {
            if self.has_all_of(constraint) {
                facts.push(Fact::of_term(&self.condition(constraint), Some(constraint)));
            }
        }
        facts.sort();
        facts.dedup();
        facts
    }
}

/// The elements of a set that certainly has these and no others; some may be equal.
fn elements(map: &Map) -> Option<Vec<&Value>> {
    let is_there = |entry: &Entry| entry.presence == Presence::Always && entry.value == Value::UNIT;
    let looked_at = map.looked_at().map(|(key, entry)| (key, Some(entry), Truth::Known(true)));
    let all = looked_at.chain(map.pending()).map(|(key, entry, when)| (key, entry.filter(|_| when.is_true())));
    let elements = all.map(|(key, entry)| entry.is_some_and(is_there).then_some(key)).collect::<Option<Vec<_>>>();
    elements.filter(|_| map.base().is_none())
}

/// The entries that a map certainly has, under known keys.
fn certain(map: &Map) -> impl Iterator<Item = (&Value, &Entry)> {
    let seen = map.last_seen(&|a, b| !matches!(equal(a, b), Ok(Truth::Known(false))));
    let shown = |(key, entry): (_, Option<_>)| Some((key, entry?));
    seen.into_iter()
        .filter_map(shown)
        .filter(|(key, entry): &(&Value, &Entry)| key.is_known() && entry.presence == Presence::Always)
}

/// Tests whether a value is the `None` of an `option<json>`. It has no JSON form: a field with this value is left out.
fn is_missing(types: &Types, ty: TypeId, value: &Value) -> bool {
    *value == Value::NONE && types.is_option_of_json(ty)
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The beginning of a text. The rest is never made, as a term with shared parts may be small and its text huge.
struct Beginning(String);

impl fmt::Write for Beginning {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.push_str(part);
        if self.0.len() > WRITTEN { Err(fmt::Error) } else { Ok(()) }
    }
}

impl KnownState {
    /// The state as a candidate knows it, with the constraints on its undetermined parts.
    #[must_use]
    pub fn of(spec: &Spec, candidate: &Candidate) -> KnownState {
        let (mut leaves, mut maps) = (Vec::new(), Vec::new());
        // The first two cells of a machine are the choice and the answer: they tell nothing new.
        let hidden = if spec.program.kind == ProgramKind::Machine { 2 } else { 0 };
        let state = spec.program.slots.iter().zip(&candidate.process.memory).take(spec.program.state_slots());
        for (at, (slot, value)) in state.enumerate().skip(hidden) {
            let first = leaves.len();
            let value = resolved(&candidate.store, &candidate.process.unknowns.expanded(value));
            collect(&spec.types, &slot.name, slot.ty, &value, &candidate.store, &mut leaves);
            if let (Value::Map(map), Type::Map(..)) = (&value, spec.types.get(slot.ty)) {
                maps.push(StateMap { name: slot.name.clone(), ty: slot.ty, map: map.clone() });
            }
            if is_stepped(spec, at) {
                let whole = leaves[first..].iter_mut().filter(|leaf| leaf.path == slot.name);
                whole.for_each(|leaf| leaf.aside = STEPPED);
            }
        }
        KnownState { leaves, maps, constraints: candidate.store.constraints() }
    }

    /// The facts that are known here and were not known in all of the states before.
    #[must_use]
    pub fn news(&self, spec: &Spec, before: &[KnownState]) -> Vec<Fact> {
        let is_old = |constraint: &Term| before.iter().all(|old| old.constraints.contains(constraint));
        let learned: Vec<&Term> = self.constraints.iter().filter(|constraint| !is_old(constraint)).collect();
        let is_new =
            |leaf: &&StatePart| leaf.is_mentioned(&learned) || !before.iter().all(|old| old.leaves.contains(leaf));
        let changed: Vec<&StatePart> = self.leaves.iter().filter(is_new).collect();
        let mut names = PartNames::anonymous();
        for leaf in &self.leaves {
            name_place(leaf, &mut names);
        }
        changed.iter().for_each(|leaf| names.name_shown(&leaf.value));
        let mut facts: Vec<Fact> = changed
            .iter()
            .map(|leaf| (leaf, names.show(&spec.types, leaf.ty, &leaf.value)))
            .filter(|(leaf, shown)| *shown != leaf.path)
            .map(|(leaf, shown)| {
                Fact::of_term(&format!("{} = {shown}{}", leaf.path, leaf.aside), leaf.value.as_term().as_ref())
            })
            .collect();
        facts.extend(self.gone(&spec.types, before));
        facts.extend(names.facts(learned));
        facts
    }

    /// The keys that maps had in all of the states before, and have no more: `locks has no "a"`.
    fn gone(&self, types: &Types, before: &[KnownState]) -> Vec<Fact> {
        let mut gone = Vec::new();
        for StateMap { name, ty, map } in &self.maps {
            // On an unknown base a removed key has a part of its own.
            let known = map.base().is_none();
            let had = |key: &Value| before.iter().all(|state| state.has(name, key));
            let earlier = before.first().and_then(|state| state.map(name)).filter(|_| known);
            let keys = earlier.into_iter().flat_map(certain).map(|(key, _)| key);
            for key in keys.filter(|key| map.contains(key) == Ok(Truth::Known(false)) && had(key)) {
                let shown = json::encode(types, types.parts(*ty)[0], key);
                gone.push(Fact::of_term(&format!("{name} has no {shown}"), None));
            }
        }
        gone
    }

    fn map(&self, name: &str) -> Option<&Map> {
        self.maps.iter().find(|own| own.name == name).map(|own| &own.map)
    }

    fn has(&self, name: &str, key: &Value) -> bool {
        self.map(name).is_some_and(|map| map.contains(key) == Ok(Truth::Known(true)))
    }
}

/// The words after the value of a variable that [steps](is_stepped) may have changed.
pub(super) const STEPPED: &str = " unless a step changed it";

/// Tests whether a variable is a map, a set or a list that steps change. The judge takes only those steps that a request depends
/// on, and others may have happened.
pub(super) fn is_stepped(spec: &Spec, slot: usize) -> bool {
    let is_collection =
        matches!(spec.types.get(spec.program.slots[slot].ty), Type::Map(..) | Type::Set(_) | Type::List(_));
    is_collection && spec.program.component_of.get(slot).copied().flatten().is_some()
}

/// Collects the parts of a state that are facts of their own: variables, and the entries of maps and sets.
fn collect(types: &Types, path: &str, ty: TypeId, value: &Value, store: &Store, leaves: &mut Vec<StatePart>) {
    let map = match (value, types.get(ty)) {
        (Value::Map(map), Type::Map(..)) => map,
        (Value::Map(map), Type::Set(_)) if map.base().is_some() => map,
        _ => return leaves.push(StatePart { path: path.to_owned(), ty, value: value.clone(), aside: "" }),
    };
    for (key, entry) in map.last_seen(&|a, b| may_be_equal(store, a, b)) {
        let shown = if key.is_known() { json::encode(types, types.parts(ty)[0], key) } else { "..".to_owned() };
        leaves.extend(entry_leaf(types, path, ty, &shown, entry));
        if entry.is_none_or(|entry| entry.presence != Presence::Always) || matches!(types.get(ty), Type::Set(_)) {
            let there = entry.map_or(Truth::Known(false), Entry::truth);
            leaves.push(StatePart { path: format!("({shown} in {path})"), ty: BOOL, value: there.into(), aside: "" });
        }
    }
}

/// The part for what a map holds under a key; `None` if it holds nothing there, and for a set.
fn entry_leaf(types: &Types, path: &str, ty: TypeId, key: &str, entry: Option<&Entry>) -> Option<StatePart> {
    let (Type::Map(_, of), Some(entry)) = (types.get(ty), entry) else { return None };
    let aside = match entry.presence {
        Presence::Always | Presence::Never => "",
        Presence::When(_) => " if it is there",
    };
    Some(StatePart { path: format!("{path}[{key}]"), ty: *of, value: entry.value.clone(), aside })
}

fn may_be_equal(store: &Store, a: &Value, b: &Value) -> bool {
    match equal(a, b) {
        Ok(Truth::Known(same)) => same,
        Ok(Truth::Term(same)) => store.decide(&same) != Some(false),
        Err(_) => true,
    }
}

/// Names a variable after its place, if the place holds nothing else.
fn name_place(leaf: &StatePart, names: &mut PartNames) {
    if let Value::Term(term) = &leaf.value
        && let Some(var) = term.as_var()
    {
        names.of.entry(var.id).or_insert_with(|| leaf.path.clone());
    }
}
