//! The cells of the state without which an event would not be rejected.
//!
//! With `m = {"a": 2, "b": 7}` and `n = 3`, a wrong answer to `Get("a")` needs the cell `m["a"]` alone: whatever all other cells
//! hold, the answer is still rejected. Cells are left out one after another; a map or a set is divided into its entries first.

use super::{Reason, ReasonSearch};
use crate::judge::{Cell, Exchange, Judge};
use crate::reading::{Recording, exchange_at};
use crate::search::RelaxedOutcome;
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::Value;

/// The most entries of a map that are all tried as cells; of a larger map only the keys in the exchanges are tried.
const ENTRIES: usize = 1024;

impl<R: Recording + ?Sized> ReasonSearch<'_, R> {
    /// The cells of a frontier that are needed; `None` if this was not found out.
    pub(super) fn needed_cells(&mut self, start: &Judge) -> Option<Vec<Cell>> {
        let enough = self.budget.left() / 2;
        if self.rejects_knowing(start, &[]) {
            return Some(Vec::new());
        }
        let memory = &start.candidates().first()?.process.memory;
        let slots = 0..self.spec.program.state_slots() as u32;
        let slots = slots.filter(|slot| memory[*slot as usize] != Value::Absent);
        let mut cells: Vec<Cell> = slots.map(|slot| Cell { slot, key: None }).collect();
        self.leave_out(start, &mut cells, enough);
        let mut at = 0;
        while at < cells.len() && self.goes_on(enough) {
            let slot = cells[at].slot;
            let keys = if cells[at].key.is_none() { self.keys(start, slot) } else { Vec::new() };
            if keys.is_empty() {
                at += 1;
                continue;
            }
            let entries = keys.into_iter().map(|key| Cell { slot, key: Some(key) });
            let mut divided: Vec<Cell> = cells.iter().filter(|cell| cell.slot != slot).cloned().collect();
            divided.extend(entries);
            if self.rejects_knowing(start, &divided) {
                let mut own: Vec<Cell> = divided.split_off(cells.len() - 1);
                self.halve(start, &divided, &mut own, enough);
                cells = [divided, own].concat();
            } else {
                at += 1;
            }
        }
        self.leave_out(start, &mut cells, enough);
        self.goes_on(enough).then_some(cells)
    }

    /// Tests whether the search may go on: more than `enough` is left, and nobody has called it off.
    fn goes_on(&self, enough: u64) -> bool {
        self.budget.left() > enough && !self.budget.is_spent()
    }

    /// Leaves out halves of these cells, then quarters and so on, while the others stay.
    fn halve(&mut self, start: &Judge, others: &[Cell], own: &mut Vec<Cell>, enough: u64) {
        let mut width = own.len() / 2;
        while width > 0 && self.goes_on(enough) {
            let mut at = 0;
            while at < own.len() && self.goes_on(enough) {
                let end = (at + width).min(own.len());
                let fewer = [&own[..at], &own[end..]].concat();
                if self.rejects_knowing(start, &[others, &fewer].concat()) {
                    *own = fewer;
                } else {
                    at = end;
                }
            }
            width /= 2;
        }
    }

    /// Leaves out cells, one at a time.
    fn leave_out(&mut self, start: &Judge, cells: &mut Vec<Cell>, enough: u64) {
        let mut at = 0;
        while at < cells.len() && self.goes_on(enough) {
            let fewer = [&cells[..at], &cells[at + 1..]].concat();
            if self.rejects_knowing(start, &fewer) {
                *cells = fewer;
            } else {
                at += 1;
            }
        }
    }

    /// Tests whether the event is certainly rejected if only these cells are known.
    fn rejects_knowing(&mut self, start: &Judge, cells: &[Cell]) -> bool {
        let judge = self.budget.knowing_only(start, cells, &self.phases.spec);
        let ReasonSearch { phases, suffix, budget, before, found: Reason { because: needed, .. }, .. } = self;
        match suffix.outcome_briefly(&judge, *before, needed, budget) {
            RelaxedOutcome::Undecided => phases.reject(suffix, &judge, *before, needed, budget),
            outcome => outcome == RelaxedOutcome::Rejected,
        }
    }

    /// The keys under which a map or set may matter: the keys in the exchanges, and its own keys if it has at most [`ENTRIES`].
    /// Empty for other variables.
    fn keys(&self, start: &Judge, slot: u32) -> Vec<Value> {
        let types = &self.spec.types;
        let key_type = match types.get(self.spec.program.slots[slot as usize].ty) {
            Type::Map(key, _) | Type::Set(key) => *key,
            _ => return Vec::new(),
        };
        let mut keys = Vec::new();
        let kept = self.found.because.iter().filter_map(|at| exchange_at(self.suffix.recording, *at));
        for exchange in kept.chain([self.suffix.rejected.clone()]) {
            add_keys(self.spec, &exchange, key_type, &mut keys);
        }
        for candidate in start.candidates() {
            if let Value::Map(map) = &candidate.process.memory[slot as usize]
                && map.bound() <= ENTRIES
                && let Ok(entries) = map.entries()
            {
                let own = entries.into_iter().map(|(key, _)| key).filter(|key| matches!(key, Value::Scalar(_)));
                let new: Vec<Value> = own.filter(|key| !keys.contains(key)).cloned().collect();
                keys.extend(new);
            }
        }
        keys
    }
}

/// Collects the parts of an exchange that have the type of a key.
pub(super) fn add_keys(spec: &Spec, exchange: &Exchange, key: TypeId, keys: &mut Vec<Value>) {
    of_type(&spec.types, spec.program.request, &exchange.request, key, keys);
    if let Some(answer) = exchange.observed.answer() {
        of_type(&spec.types, spec.program.response, answer, key, keys);
    }
}

/// Collects the known parts of a value that have a type.
fn of_type(types: &Types, ty: TypeId, value: &Value, wanted: TypeId, found: &mut Vec<Value>) {
    if ty == wanted && matches!(value, Value::Scalar(_)) && !found.contains(value) {
        found.push(value.clone());
    }
    let part = |at: usize| types.parts(ty).get(at).copied().unwrap_or(ty);
    match value {
        Value::Data { tag, .. } => {
            for (field, (_, ty)) in value.fields().iter().zip(types.fields(ty, *tag)) {
                of_type(types, ty, field, wanted, found);
            }
        }
        Value::List(list) => list.iter().for_each(|element| of_type(types, part(0), element, wanted, found)),
        Value::Map(map) => {
            for (key, entry) in map.entries().unwrap_or_default() {
                of_type(types, part(0), key, wanted, found);
                if matches!(types.get(ty), Type::Map(..)) {
                    of_type(types, part(1), &entry.value, wanted, found);
                }
            }
        }
        Value::Scalar(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => {}
        Value::Unknown(_) | Value::Any | Value::Absent => {}
    }
}
