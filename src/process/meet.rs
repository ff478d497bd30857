//! Several ways of an `either` as one: where each of them comes to the place behind it without an event, what they did is merged.
//!
//! `either { n := 1; } or { m := 2; } reply n;` gives `n = if #1 { 1 } else { n }` and `m = if #1 { m } else { 2 }`, where #1
//! says that the first way was taken. What has no form inside, as lists of different lengths, is not merged.

use super::evaluate::Next;
use super::{Frame, Process, Waiting, is_forced};
use crate::spec::code::{Pc, Program};
use crate::spec::meetings::Meeting;
use crate::term::Term;
use crate::value::{self, Value};

/// An arm of more instructions than this is not followed.
const STEPS: usize = 2_000;

impl Process {
    /// At [`Event::Or`](super::Event::Or): where the ways come together, if all that is known is in memory and in registers.
    #[must_use]
    pub fn meeting<'p>(&self, program: &'p Program) -> Option<&'p Meeting> {
        let plain = self.task.guards.is_empty() && self.unknowns.is_empty() && self.task.oversize.is_none();
        let is_select = matches!(self.task.waiting, Waiting::Target(_));
        let Frame { function, pc, .. } = self.task.frame;
        program.functions[function as usize].meetings.get(&pc).filter(|_| plain && is_select)
    }

    /// Runs on to an instruction of the function that runs; whether it comes there without an event.
    pub fn run_to(&mut self, program: &Program, place: Pc) -> bool {
        let (function, depth) = (self.task.frame.function, self.task.callers.len());
        for _ in 0..STEPS {
            let frame = self.task.frame;
            if frame.pc == place && frame.function == function && self.task.callers.len() == depth {
                return true;
            }
            let running = &program.functions[frame.function as usize];
            self.task.fuel = self.task.fuel.saturating_sub(1);
            match self.carry_out(program, running, frame) {
                Ok(Next::Following) => self.jump(frame.pc + 1),
                Ok(Next::Moved) => {}
                Ok(Next::Event(_)) | Err(_) => return false,
            }
            if self.task.oversize.is_some() || self.task.fuel == 0 {
                return false;
            }
        }
        false
    }

    /// Becomes itself where a condition holds, and another process elsewhere, which has come to the same meeting from where it came.
    /// Returns `false` where something that differs has no form inside; then it is neither.
    pub fn merge(&mut self, condition: &Term, other: &Process, Meeting { live, .. }: &Meeting) -> bool {
        other.task.stored.iter().for_each(|slot| self.note_stored(slot));
        let stored: Vec<u32> = self.task.stored.iter().collect();
        for slot in stored.into_iter().map(|slot| slot as usize) {
            let Some(merged) = merged(condition, &self.memory[slot], &other.memory[slot]) else { return false };
            self.memory[slot] = merged;
        }
        let base = self.task.frame.base;
        for register in live.iter().map(|register| (base + register) as usize) {
            let Some(merged) = merged(condition, &self.task.registers[register], &other.task.registers[register])
            else {
                return false;
            };
            self.task.registers[register] = merged;
        }
        self.task.fuel = self.task.fuel.min(other.task.fuel);
        for read in &other.task.read_open {
            if !self.task.read_open.contains(read) {
                self.task.read_open.push(read.clone());
            }
        }
        for touched in &other.task.notes.read().touched {
            if !self.task.notes.read().touched.contains(touched) {
                self.task.notes.make().touched.push(touched.clone());
            }
        }
        true
    }
}

/// One of two values by a condition, where that is a value of one form, or a union of constructors.
fn merged(condition: &Term, then: &Value, otherwise: &Value) -> Option<Value> {
    if then == otherwise {
        return Some(then.clone());
    }
    let has_constructors = |value: &Value| matches!(value, Value::Data { .. } | Value::Union(_) | Value::Absent);
    let both = has_constructors(then) && has_constructors(otherwise);
    match value::merge(condition, then.clone(), otherwise.clone()) {
        Value::Union(alternatives) if !both || is_forced(&alternatives) => None,
        merged => Some(merged),
    }
}
