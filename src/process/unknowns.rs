//! The expanded parts of unknown values: one table for each candidate, so that a part that was expanded through one copy of an unknown
//! map, list or tree is the same in all copies.
//!
//! An instruction that needs a part of an unknown value asks for it. The part is in the table, or the handler of events makes it out
//! of fresh variables ([`Event::Look`](super::Event::Look)). Then the part is filled into the operands, and the instruction is
//! executed again.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::task::{Task, Waiting};
use super::{Limit, Look};
use crate::limits;
use crate::scalar::Int;
use crate::spec::code::Program;
use crate::term::Term;
use crate::value::{
    self, Ask, Entry, ExpandedPart, Keys, Map, OpenItem, OpenList, Reach, Truth, Unknown, Unseen, Value,
};

/// The answer to a question for a part of an unknown value.
pub enum Answered {
    /// The part.
    Part(ExpandedPart),
    /// A condition must be decided first: [`Process::branch`](super::Process::branch).
    Branch(Term),
    /// The part must be made first: [`Process::look`](super::Process::look).
    Look(Look),
    /// The part is beyond a limit.
    Cut(Limit),
}

/// At most this many recent entries that are not known yet are rewritten after each request; older ones wait longer.
const RECENT: usize = 4;

/// The expanded parts of unknown values, by identity: an addition to the memory.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    table: Option<Arc<im::OrdMap<u64, Value>>>,
    /// The entries of bases that were asked for recently and may not be known yet: the identity of the base, and the key.
    recent: Vec<(u64, Value)>,
}

impl Unknowns {
    pub(super) fn is_empty(&self) -> bool {
        self.table.is_none() && self.recent.is_empty()
    }

    /// The table of these parts, by identity.
    pub(super) fn of(seen: Vec<(u64, Value)>) -> Unknowns {
        let table = (!seen.is_empty()).then(|| Arc::new(seen.into_iter().collect()));
        Unknowns { table, recent: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.table = None;
        self.recent.clear();
    }

    /// All expanded parts, with their identities.
    pub fn seen(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.table.iter().flat_map(|table| table.iter().map(|(id, value)| (*id, value)))
    }

    /// Tests whether any part has been expanded.
    #[must_use]
    pub fn has_seen(&self) -> bool {
        self.table.is_some()
    }

    /// The expanded part of one unknown value.
    #[must_use]
    pub fn seen_of(&self, id: u64) -> Option<&Value> {
        self.table.as_ref()?.get(&id)
    }

    fn set(&mut self, id: u64, value: Value) {
        Arc::make_mut(self.table.get_or_insert_default()).insert(id, value);
    }

    fn map_mut(&mut self, unknown: Unknown) -> &mut Map {
        let table = Arc::make_mut(self.table.get_or_insert_default());
        let fresh = || Value::Map(Map::unknown(unknown, Keys::Endless, []));
        match table.entry(unknown.id).or_insert_with(fresh) {
            Value::Map(map) => map,
            _ => unreachable!("what has the type of a map was seen as one"),
        }
    }

    /// A value with all expanded parts of lists and trees filled in.
    #[must_use]
    pub fn expanded(&self, value: &Value) -> Value {
        let mut value = value.clone();
        loop {
            let mut ids = Vec::new();
            value.visit_unknowns(&mut |id| ids.push(id));
            let part = |id: u64| match self.seen_of(id)? {
                Value::Map(_) => None,
                Value::Open(items) if items.len() == 2 => Some(vec![ExpandedPart::Item(id, first_of(items))]),
                seen => Some(vec![ExpandedPart::Node(id, seen.clone()), ExpandedPart::Item(id, None)]),
            };
            let parts = ids.into_iter().filter_map(part).flatten();
            let Some(more) = parts.into_iter().find_map(|part| value.filled(&part)) else { return value };
            value = more;
        }
    }

    /// Replaces the expanded parts for which a function gives another value.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let changed: Vec<(u64, Value)> = self.seen().filter_map(|(id, value)| Some((id, rewrite(value)?))).collect();
        changed.into_iter().for_each(|(id, value)| self.set(id, value));
    }

    /// Rewrites the recent entries of unknown maps. Returns the identity of the base and the key of each one that changed: the caller
    /// rewrites it in every value that stands on this base.
    pub(super) fn normalize_recent(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Vec<(u64, Value)> {
        let mut decided = Vec::new();
        for (id, key) in std::mem::take(&mut self.recent) {
            let key = rewrite(&key).unwrap_or(key);
            let Some(Value::Map(origin)) = self.seen_of(id) else { continue };
            let changed = origin.entry_rewritten(&key, rewrite);
            let entry = changed.as_ref().unwrap_or(origin).seen_entry(&key);
            if entry.is_some_and(|entry| !entry.is_known()) {
                self.recent.push((id, key.clone()));
            }
            if let Some(changed) = changed {
                self.set(id, Value::Map(changed));
                decided.push((id, key));
            }
        }
        decided
    }

    /// Forgets the expanded parts that cannot be asked for again: those that the held values do not mention, not even through other
    /// parts, and entries of bases under keys for which every map on the base has an entry of its own.
    pub(super) fn prune<'v>(&mut self, held: impl Iterator<Item = &'v Value>) {
        let Some(table) = &self.table else { return };
        let mut holders: FxHashMap<u64, Vec<&Map>> = FxHashMap::default();
        let mut live = FxHashSet::default();
        let mut todo: Vec<&Value> = held.collect();
        while let Some(value) = todo.pop() {
            value.visit_bases(&mut |id, map| holders.entry(id).or_default().push(map));
            value.visit_unknowns(&mut |id| {
                if live.insert(id) {
                    todo.extend(table.get(&id));
                }
            });
        }
        let needed = |id: u64, seen: &Value| match (seen, holders.get(&id)) {
            (Value::Map(origin), Some(holders)) => origin.without_entries_of_all(holders).map(Value::Map),
            _ => Some(seen.clone()),
        };
        let live = table.iter().filter(|(id, _)| live.contains(*id));
        let kept: im::OrdMap<u64, Value> = live.filter_map(|(id, seen)| Some((*id, needed(*id, seen)?))).collect();
        self.table = if kept.is_empty() { None } else { Some(Arc::new(kept)) };
    }

    /// Answers the question of a task for a part. If the part must be made, or a condition decided first, the task waits for that.
    pub(super) fn ask(&mut self, task: &mut Task, program: &Program, ask: &Ask) -> Answered {
        let answered = match ask {
            Ask::Entry(unknown, _) | Ask::Others(unknown, _) | Ask::Whole(unknown) if self.is_whole(*unknown) => {
                Answered::Part(self.whole(*unknown))
            }
            Ask::Node(unknown) => match self.seen_of(unknown.id) {
                Some(value) => Answered::Part(ExpandedPart::Node(unknown.id, value.clone())),
                None if task.notes.read().looked == limits::NODE_LIMIT || share_of(task, *unknown) == 0 => {
                    Answered::Cut(Limit::Nodes)
                }
                None => {
                    task.notes.make().looked += 1;
                    Answered::Look(Look::Node(*unknown))
                }
            },
            Ask::Item(rest, reach) => self.ask_item(task, rest, *reach),
            Ask::Entry(unknown, key) => self.ask_entry(task, program, *unknown, key),
            Ask::Others(unknown, keys) => match self.ask_others(*unknown, keys) {
                Ok(answered) => answered,
                Err(first) => return self.ask(task, program, &first),
            },
            Ask::Whole(unknown) => match self.ask_whole(task, program, *unknown) {
                Ok(answered) => answered,
                Err(first) => return self.ask(task, program, &first),
            },
        };
        match &answered {
            Answered::Look(_) => task.waiting = Waiting::Look(ask.clone()),
            Answered::Branch(condition) => task.waiting = Waiting::Decision(condition.clone()),
            Answered::Part(_) | Answered::Cut(_) => {}
        }
        answered
    }

    fn ask_item(&mut self, task: &mut Task, rest: &Unseen, reach: Reach) -> Answered {
        let id = rest.unknown.id;
        match self.seen_of(id) {
            Some(Value::Open(items)) => return Answered::Part(ExpandedPart::Item(id, first_of(items))),
            Some(_) => return Answered::Part(ExpandedPart::Item(id, None)),
            None => {}
        }
        let some = Term::at_least(&rest.length, &Int::ONE);
        match some.as_bool().or_else(|| task.decided(&some)) {
            Some(true) => Answered::Look(Look::Item(rest.unknown, rest.length.clone())),
            Some(false) => {
                self.set(id, Value::list([]));
                Answered::Part(ExpandedPart::Item(id, None))
            }
            None => {
                let notes = task.notes.make();
                notes.stretches = reach == Reach::Unbounded;
                if notes.stretches && notes.stretched >= limits::STRETCH_LIMIT {
                    return Answered::Cut(Limit::Stretch);
                }
                Answered::Branch(some)
            }
        }
    }

    fn ask_entry(&self, task: &Task, program: &Program, unknown: Unknown, key: &Value) -> Answered {
        let found = |key: &Value, entry: &Entry| ExpandedPart::Entry(unknown.id, key.clone(), entry.clone());
        let Some(Value::Map(origin)) = self.seen_of(unknown.id) else {
            return Answered::Look(Look::Entry(unknown));
        };
        if let Some(entry) = origin.seen_entry(key) {
            return Answered::Part(found(key, entry));
        }
        if program.must_look_to_compare(unknown.ty) {
            for (other, entry) in origin.looked_at() {
                let Ok(Truth::Term(same)) = value::equal(other, key) else { continue };
                match task.decided(&same) {
                    Some(true) => return Answered::Part(found(key, entry)),
                    Some(false) => {}
                    None => return Answered::Branch(same),
                }
            }
        }
        Answered::Look(Look::Entry(unknown))
    }

    /// Answers the question for other keys of a base; an error asks for the entry under one of the known keys first.
    fn ask_others(&self, unknown: Unknown, keys: &[Value]) -> Result<Answered, Ask> {
        let origin = match self.seen_of(unknown.id) {
            Some(Value::Map(map)) => map.clone(),
            _ => Map::unknown(unknown, Keys::Endless, []),
        };
        if let Some(key) = keys.iter().find(|key| origin.seen_entry(key).is_none()) {
            return Err(Ask::Entry(unknown, key.clone()));
        }
        Ok(match origin.base().and_then(|base| base.others.clone()) {
            Some(others) => {
                let mut entries: Vec<(Value, Entry)> =
                    origin.looked_at().map(|(key, entry)| (key.clone(), entry.clone())).collect();
                entries.sort();
                Answered::Part(ExpandedPart::Others(unknown.id, entries, others))
            }
            None => Answered::Look(Look::Others),
        })
    }

    /// Tests whether all entries of a base were listed.
    fn is_whole(&self, unknown: Unknown) -> bool {
        let Some(Value::Map(origin)) = self.seen_of(unknown.id) else { return false };
        origin.base().is_some_and(|base| base.keys == Keys::Covered)
    }

    /// All entries of a base that were asked for: first those under known keys.
    fn whole(&self, unknown: Unknown) -> ExpandedPart {
        let mut entries: Vec<(Value, Entry)> = Vec::new();
        if let Some(Value::Map(origin)) = self.seen_of(unknown.id) {
            entries.extend(origin.looked_at().map(|(key, entry)| (key.clone(), entry.clone())));
        }
        entries.sort();
        ExpandedPart::Whole(unknown.id, entries)
    }

    /// Answers the question for all entries of a base: one further entry after the other is made, until there are no further keys. An
    /// error asks whether there are further keys first.
    fn ask_whole(&mut self, task: &mut Task, program: &Program, unknown: Unknown) -> Result<Answered, Ask> {
        let origin = self.map_mut(unknown);
        let alternative = |(key, _): (&Value, &Entry)| match key {
            Value::Union(alternatives) => Some((key.clone(), alternatives[0].0.clone())),
            _ => None,
        };
        loop {
            let found = origin.looked_at().find_map(alternative);
            let Some((key, guard)) = found else { break };
            let Some(holds) = guard.as_bool().or_else(|| task.decided(&guard)) else {
                return Ok(Answered::Branch(guard));
            };
            origin.rename_touched(&key, key.decide(&guard, holds));
        }
        let is_empty = origin.looked_at().next().is_none();
        let Some(others) = origin.base().and_then(|base| base.others.clone()) else {
            return Err(Ask::Others(unknown, Vec::new()));
        };
        Ok(match others.as_bool().or_else(|| task.decided(&others)) {
            Some(false) => {
                origin.cover();
                Answered::Part(self.whole(unknown))
            }
            // Its key must differ from the others, and cannot be compared with them.
            Some(true) if !is_empty && program.has_opaque_keys(unknown.ty) => Answered::Cut(Limit::Undecidable),
            Some(true) => Answered::Look(Look::Another(unknown)),
            None => {
                let notes = task.notes.make();
                notes.stretches = true;
                match notes.stretched >= limits::STRETCH_LIMIT {
                    true => Answered::Cut(Limit::Stretch),
                    false => Answered::Branch(others),
                }
            }
        })
    }

    /// Keeps a part that was made; returns the facts that hold of it.
    pub(super) fn looked(&mut self, task: &mut Task, made: Value) -> Vec<Term> {
        let Waiting::Look(ask) = std::mem::take(&mut task.waiting) else { return Vec::new() };
        match ask {
            Ask::Node(unknown) => {
                share(task, unknown, &made);
                self.set(unknown.id, made);
            }
            Ask::Item(rest, _) => self.set(rest.unknown.id, made),
            Ask::Entry(unknown, key) => return self.entry_made(unknown, key, &made),
            Ask::Others(unknown, _) => {
                self.map_mut(unknown).bind_others(&made.truth().term());
            }
            Ask::Whole(unknown) => {
                let (origin, key) = (self.map_mut(unknown), made.field(0, 0));
                let fact = origin.differs_from_all(&key).term();
                origin.fill(&ExpandedPart::Entry(unknown.id, key, Entry::always(made.field(0, 1))));
                origin.bind_others(&made.field(0, 2).truth().term());
                return vec![fact];
            }
        }
        Vec::new()
    }

    /// Adds an entry to a base; returns the facts that hold of it. If its key equals an earlier one, both entries are the same; else it is
    /// one of the other keys that the base was said to have, if any.
    fn entry_made(&mut self, unknown: Unknown, key: Value, made: &Value) -> Vec<Term> {
        let there = made.field(0, 0).truth();
        let entry = Entry::when(there.clone(), made.field(0, 1));
        let origin = self.map_mut(unknown);
        let mut facts = origin.agreement(&key, &entry);
        let before = origin.base().and_then(|base| base.others.clone());
        if let Some(before) = &before {
            let left = made.field(0, 2).truth();
            let new = origin.differs_from_all(&key).and(there);
            facts.push(Term::eq(before, &new.or(left).term()));
        }
        origin.fill(&ExpandedPart::Entry(unknown.id, key.clone(), entry));
        if before.is_some() {
            origin.bind_others(&made.field(0, 2).truth().term());
        }
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push((unknown.id, key));
        facts
    }
}

/// The number of nodes of an unknown value that may still be expanded.
fn share_of(task: &Task, unknown: Unknown) -> u32 {
    if task.guards.is_empty() {
        return limits::NODE_LIMIT;
    }
    let share = task.notes.read().shares.iter().find(|(id, _)| *id == unknown.id);
    share.map_or(limits::GUARDED_NODE_LIMIT, |(_, share)| *share)
}

/// Divides the number of nodes that may still be expanded below a node among its unknown parts.
fn share(task: &mut Task, unknown: Unknown, made: &Value) {
    let left = share_of(task, unknown).min(limits::GUARDED_NODE_LIMIT).saturating_sub(1);
    let mut inside = Vec::new();
    made.visit_unknowns(&mut |id| inside.push(id));
    let each = left / (inside.len().max(1) as u32);
    task.notes.make().shares.extend(inside.into_iter().map(|id| (id, each)));
}

fn first_of(items: &OpenList) -> Option<(Value, Unseen)> {
    match (items.front(), items.get(1)) {
        (Some(OpenItem::One(first)), Some(OpenItem::Rest(rest))) => Some((first.clone(), Unseen::clone(rest))),
        _ => None,
    }
}
