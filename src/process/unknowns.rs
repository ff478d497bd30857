//! What has been seen of unknown values: one table a candidate, so that what is found out through one copy of an unknown
//! map, list or tree holds for all (semantics, *Values*).
//!
//! An instruction that lacks a part of an unknown value asks for it; the part is in the table, or the handler of events is
//! asked to make it ([`Event::Look`]) out of fresh variables. Then the part is put into the operands, and the instruction
//! is carried out again.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Event, Fresh, Limit, Process, Waiting};
use crate::scalar::Int;
use crate::spec::code::{Operand, Program};
use crate::spec::types::TypeId;
use crate::spec::{Site, Types};
use crate::term::{Condition, Term};
use crate::value::{self, Ask, Entry, Keys, Map, Part, Reach, Truth, Unknown, Value};

/// How many elements of an unknown stretch of a list one request may take, where nothing else bounds them.
pub const STRETCH_LIMIT: u32 = 8;

/// How many nodes of unknown recursive values one request may look at.
pub const NODE_LIMIT: u32 = 256;
/// How many of one value's where no statement has told them apart, as each condition on a node holds those of the nodes above.
/// What is inside a node shares what is left of them: a tree is looked at to the same depth everywhere.
pub const GUARDED_NODE_LIMIT: u32 = 64;

/// What an [`Event::Look`] wants to be made.
#[derive(Clone, PartialEq, Debug)]
pub enum Look {
    /// A value of a recursive type, one constructor deep.
    Node(TypeId),
    /// The first element of a list of this type that is not empty, and the stretch behind it; the length is that of both.
    Item(TypeId, Term),
    /// An entry of a map of this type: its presence, its value, and whether there are others besides.
    Entry(TypeId),
    /// Whether a map has other keys.
    Others,
}

/// What is to be done about a part that is asked for.
pub enum Answered {
    /// It is there.
    Part(Part),
    /// A condition must be decided first: [`Process::branch`].
    Branch(Term),
    /// It must be made: [`Process::look`].
    Look(Look),
    /// It is beyond a limit.
    Cut(Limit),
}

/// How many entries that are not determined yet are tried again after each request.
const RECENT: usize = 4;

/// What has been seen of unknown values, by their identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Unknowns {
    table: Option<Arc<im::OrdMap<u64, Value>>>,
    /// Entries of bases that were asked for a short while ago and may not be determined yet.
    recent: Vec<(u64, Value)>,
}

impl Unknowns {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.table.is_none() && self.recent.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.table = None;
        self.recent.clear();
    }

    fn get(&self, id: u64) -> Option<&Value> {
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
}

impl Process {
    /// What has been seen of unknown values, as more memory: identities and values.
    pub fn seen(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.unknowns.table.iter().flat_map(|table| table.iter().map(|(id, value)| (*id, value)))
    }

    /// Whether anything has been seen of unknown values.
    #[must_use]
    pub fn has_seen(&self) -> bool {
        self.unknowns.table.is_some()
    }

    /// What has been seen of one unknown value.
    #[must_use]
    pub fn seen_of(&self, id: u64) -> Option<&Value> {
        self.unknowns.get(id)
    }

    /// A value with all that has been seen of lists and trees in it.
    #[must_use]
    pub fn expanded(&self, value: &Value) -> Value {
        let mut value = value.clone();
        loop {
            let mut ids = Vec::new();
            value.visit_unknowns(&mut |id| ids.push(id));
            let part = |id: u64| match self.seen_of(id)? {
                Value::Map(_) => None,
                Value::Open(items) if items.len() == 2 => Some(vec![Part::Item(id, first_of(items))]),
                seen => Some(vec![Part::Node(id, seen.clone()), Part::Item(id, None)]),
            };
            let parts = ids.into_iter().filter_map(part).flatten();
            let Some(more) = parts.into_iter().find_map(|part| value.filled(&part)) else { return value };
            value = more;
        }
    }

    /// Replaces what has been seen of unknown values where a function gives something else.
    pub fn rewrite_seen(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let changed: Vec<(u64, Value)> = self.seen().filter_map(|(id, value)| Some((id, rewrite(value)?))).collect();
        changed.into_iter().for_each(|(id, value)| self.unknowns.set(id, value));
    }

    /// Entries of unknown maps that were asked for a short while ago are replaced by what has become known of them, where
    /// they were seen first and in every value that stands on the same base.
    pub fn settle_recent(&mut self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) {
        let mut open = Vec::new();
        for (id, key) in std::mem::take(&mut self.unknowns.recent) {
            let key = rewrite(&key).unwrap_or(key);
            let Some(Value::Map(origin)) = self.unknowns.get(id) else { continue };
            let changed = origin.entry_rewritten(&key, rewrite);
            let entry = changed.as_ref().unwrap_or(origin).seen_entry(&key);
            if entry.is_some_and(|entry| !entry.is_known()) {
                open.push((id, key.clone()));
            }
            let Some(changed) = changed else { continue };
            self.unknowns.set(id, Value::Map(changed));
            let pending = self.pending.iter_mut().flat_map(|pending| pending.values_mut());
            for value in self.memory.iter_mut().chain(pending) {
                if let Value::Map(map) = value
                    && map.base().is_some_and(|base| base.unknown.id == id)
                {
                    map.rewrite_entry(&key, rewrite);
                }
            }
        }
        self.unknowns.recent = open;
    }

    /// Forgets what was seen of unknown values and cannot be asked for again: what nothing mentions any more, and entries of
    /// bases under keys for which every map on the base has an entry of its own.
    pub fn prune_seen(&mut self) {
        let Some(table) = &self.unknowns.table else { return };
        let mut holders: FxHashMap<u64, Vec<&Map>> = FxHashMap::default();
        let mut live = FxHashSet::default();
        let mut todo: Vec<&Value> = self.held().collect();
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
        self.unknowns.table = if kept.is_empty() { None } else { Some(Arc::new(kept)) };
    }

    /// What to do about a part that an operation asks for. Where it must be made the process waits for
    /// [`Process::look`], and for [`Process::branch`] where a condition must be decided.
    pub fn ask(&mut self, program: &Program, ask: &Ask) -> Answered {
        let answered = match ask {
            Ask::Node(unknown) => match self.unknowns.get(unknown.id) {
                Some(value) => Answered::Part(Part::Node(unknown.id, value.clone())),
                None if self.task.notes.read().looked == NODE_LIMIT || self.share_of(*unknown) == 0 => {
                    Answered::Cut(Limit::Nodes)
                }
                None => {
                    self.task.notes.make().looked += 1;
                    Answered::Look(Look::Node(TypeId::of_number(unknown.ty)))
                }
            },
            Ask::Item(rest, reach) => self.ask_item(rest, *reach),
            Ask::Entry(unknown, key) => self.ask_entry(program, *unknown, key),
            Ask::Others(unknown, keys) => return self.ask_others(program, *unknown, keys),
        };
        match &answered {
            Answered::Look(_) => self.task.waiting = Waiting::Look(ask.clone()),
            Answered::Branch(condition) => self.task.waiting = Waiting::Decision(condition.clone()),
            Answered::Part(_) | Answered::Cut(_) => {}
        }
        answered
    }

    /// How many nodes of an unknown value may be looked at where it is asked for.
    fn share_of(&self, unknown: Unknown) -> u32 {
        if self.task.guards.is_empty() {
            return NODE_LIMIT;
        }
        let share = self.task.notes.read().shares.iter().find(|(id, _)| *id == unknown.id);
        share.map_or(GUARDED_NODE_LIMIT, |(_, share)| *share)
    }

    /// A node was looked at: what is unknown inside shares what is left.
    fn share(&mut self, unknown: Unknown, made: &Value) {
        let left = self.share_of(unknown).min(GUARDED_NODE_LIMIT).saturating_sub(1);
        let mut inside = Vec::new();
        made.visit_unknowns(&mut |id| inside.push(id));
        let each = left / (inside.len().max(1) as u32);
        self.task.notes.make().shares.extend(inside.into_iter().map(|id| (id, each)));
    }

    fn ask_item(&mut self, rest: &value::Rest, reach: Reach) -> Answered {
        let id = rest.unknown.id;
        match self.unknowns.get(id) {
            Some(Value::Open(items)) => return Answered::Part(Part::Item(id, first_of(items))),
            Some(_) => return Answered::Part(Part::Item(id, None)),
            None => {}
        }
        let some = Term::at_least(&rest.length, &Int::ONE);
        match some.as_bool().or_else(|| self.decided(&some)) {
            Some(true) => Answered::Look(Look::Item(TypeId::of_number(rest.unknown.ty), rest.length.clone())),
            Some(false) => {
                self.unknowns.set(id, Value::list([]));
                Answered::Part(Part::Item(id, None))
            }
            None => {
                let notes = self.task.notes.make();
                notes.stretches = reach == Reach::Unbounded;
                if notes.stretches && notes.stretched >= STRETCH_LIMIT {
                    return Answered::Cut(Limit::Stretch);
                }
                Answered::Branch(some)
            }
        }
    }

    fn ask_entry(&self, program: &Program, unknown: Unknown, key: &Value) -> Answered {
        let found = |key: &Value, entry: &Entry| Part::Entry(unknown.id, key.clone(), entry.clone());
        let Some(Value::Map(origin)) = self.unknowns.get(unknown.id) else {
            return Answered::Look(Look::Entry(TypeId::of_number(unknown.ty)));
        };
        if let Some(entry) = origin.seen_entry(key) {
            return Answered::Part(found(key, entry));
        }
        if program.must_look_to_compare(unknown.ty) {
            for (other, entry) in origin.looked_at() {
                let Ok(Truth::Term(same)) = value::equal(other, key) else { continue };
                match self.decided(&same) {
                    Some(true) => return Answered::Part(found(key, entry)),
                    Some(false) => {}
                    None => return Answered::Branch(same),
                }
            }
        }
        Answered::Look(Look::Entry(TypeId::of_number(unknown.ty)))
    }

    /// Each of the keys is looked at, then whether there are others.
    fn ask_others(&mut self, program: &Program, unknown: Unknown, keys: &[Value]) -> Answered {
        let origin = match self.unknowns.get(unknown.id) {
            Some(Value::Map(map)) => map.clone(),
            _ => Map::unknown(unknown, Keys::Endless, []),
        };
        if let Some(key) = keys.iter().find(|key| origin.seen_entry(key).is_none()) {
            return self.ask(program, &Ask::Entry(unknown, key.clone()));
        }
        match origin.base().and_then(|base| base.others.clone()) {
            Some(others) => {
                let mut entries: Vec<(Value, Entry)> =
                    origin.looked_at().map(|(key, entry)| (key.clone(), entry.clone())).collect();
                entries.sort();
                Answered::Part(Part::Others(unknown.id, entries, others))
            }
            None => {
                self.task.waiting = Waiting::Look(Ask::Others(unknown, keys.to_vec()));
                Answered::Look(Look::Others)
            }
        }
    }

    /// Answers [`Event::Look`] with fresh variables; the facts that hold of them.
    #[must_use]
    pub fn look(&mut self, fresh: &mut Fresh, types: &Types, look: &Look) -> Vec<Term> {
        let (made, mut facts) = fresh.look(types, look);
        facts.extend(self.looked(made));
        facts
    }

    /// Keeps what was made; the facts that hold of it.
    fn looked(&mut self, made: Value) -> Vec<Term> {
        let Waiting::Look(ask) = std::mem::take(&mut self.task.waiting) else { return Vec::new() };
        match ask {
            Ask::Node(unknown) => {
                self.share(unknown, &made);
                self.unknowns.set(unknown.id, made);
            }
            Ask::Item(rest, _) => self.unknowns.set(rest.unknown.id, made),
            Ask::Entry(unknown, key) => return self.entry_made(unknown, key, &made),
            Ask::Others(unknown, _) => {
                self.unknowns.map_mut(unknown).tell_others(&made.truth().term());
            }
        }
        Vec::new()
    }

    /// A base has an entry under another key now: where that equals a key before, it is the same entry; where it does not,
    /// it is one of the others that there were, if any.
    fn entry_made(&mut self, unknown: Unknown, key: Value, made: &Value) -> Vec<Term> {
        let there = made.field(0, 0).truth();
        let entry = Entry::when(there.clone(), made.field(0, 1));
        let origin = self.unknowns.map_mut(unknown);
        let mut facts = origin.agreement(&key, &entry);
        let before = origin.base().and_then(|base| base.others.clone());
        if let Some(before) = &before {
            let left = made.field(0, 2).truth();
            let new = origin.differs_from_all(&key).and(there);
            facts.push(Term::eq(before, &new.or(left).term()));
        }
        origin.fill(&Part::Entry(unknown.id, key.clone(), entry));
        if before.is_some() {
            origin.tell_others(&made.field(0, 2).truth().term());
        }
        if self.unknowns.recent.len() == RECENT {
            self.unknowns.recent.remove(0);
        }
        self.unknowns.recent.push((unknown.id, key));
        facts
    }

    /// Puts a part into the operands of the current instruction, and into arms that are to be joined; whether any changed.
    pub(super) fn fill_operands(&mut self, program: &Program, part: &Part) -> bool {
        let frame = self.frame();
        let op = &self.function(program).code[frame.pc as usize];
        let mut operands = Vec::new();
        crate::spec::operands::visit_operands(op, &mut |operand| operands.push(operand));
        let mut changed = false;
        for operand in operands {
            changed |= match operand {
                Operand::Register(register) => fill(&mut self.task.registers[(frame.base + register) as usize], part),
                Operand::Slot(slot) => {
                    let filled = fill(&mut self.memory[slot as usize], part);
                    if filled {
                        self.note_stored(slot);
                    }
                    filled
                }
                Operand::Constant(_) => false,
            };
        }
        for guard in &mut self.task.guards {
            if let Some(first) = &mut guard.first {
                changed |= fill(first, part);
            }
        }
        changed
    }

    /// Gets a part for the current instruction; the event that must come first, if one must.
    pub(super) fn ask_for(&mut self, program: &Program, ask: &Ask, site: Site) -> Option<Event> {
        match self.ask(program, ask) {
            Answered::Part(part) if self.fill_operands(program, &part) => None,
            Answered::Part(_) => {
                let pc = self.frame().pc;
                self.jump(pc + 1);
                Some(self.cut(program, Limit::Undecidable))
            }
            Answered::Branch(condition) => {
                Some(Event::Branch { condition: Condition::Term(condition), sides: None, site })
            }
            Answered::Look(look) => Some(Event::Look { look, site }),
            Answered::Cut(limit) => {
                let pc = self.frame().pc;
                self.jump(pc + 1);
                Some(self.cut(program, limit))
            }
        }
    }
}

fn fill(value: &mut Value, part: &Part) -> bool {
    match value {
        Value::Map(map) => map.fill(part),
        other => match other.filled(part) {
            Some(filled) => {
                *other = filled;
                true
            }
            None => false,
        },
    }
}

fn first_of(items: &im::Vector<Value>) -> Option<(Value, value::Rest)> {
    match (items.front(), items.get(1)) {
        (Some(first), Some(Value::Rest(rest))) => Some((first.clone(), value::Rest::clone(rest))),
        _ => None,
    }
}
