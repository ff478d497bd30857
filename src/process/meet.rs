//! Several ways of an `either` as one: if each of them comes to the place after it without an event, what they did is merged.
//!
//! `either { n := 1; } or { m := 2; } reply n;` gives `n = if #1 { 1 } else { n }` and `m = if #1 { m } else { 2 }`, where #1
//! says that the first way was taken. What has no form inside, as lists of different lengths, is not merged.

use super::Process;
use super::evaluate::Executed;
use super::operands::At;
use super::run::carry_out;
use super::task::{Frame, Waiting, is_forced};
use crate::spec::code::{Meeting, Pc, Program};
use crate::term::Term;
use crate::value::{self, Value};

/// An arm of more instructions than this is not followed.
const STEPS: usize = 2_000;

/// The place at which the ways of an [`Event::Or`](super::Event::Or) come together, if all that is known is in memory and in registers.
#[must_use]
pub fn meeting<'p>(process: &Process, program: &'p Program) -> Option<&'p Meeting> {
    let plain = process.task.guards.is_empty() && process.unknowns.is_empty() && process.task.oversize.is_none();
    let is_select = matches!(process.task.waiting, Waiting::Target(_));
    let Frame { function, pc, .. } = process.task.frame;
    program.functions[function as usize].meetings.get(&pc).filter(|_| plain && is_select)
}

/// Runs a process on to an instruction of the function that runs; whether it comes there without an event.
pub fn run_to(process: &mut Process, program: &Program, place: Pc) -> bool {
    let (function, depth) = (process.task.frame.function, process.task.callers.len());
    for _ in 0..STEPS {
        let at = At::of(&process.task, program);
        if at.frame.pc == place && at.frame.function == function && process.task.callers.len() == depth {
            return true;
        }
        process.task.fuel = process.task.fuel.saturating_sub(1);
        match carry_out(process, at) {
            Ok(Executed::Following) => process.task.jump(at.frame.pc + 1),
            Ok(Executed::Moved) => {}
            Ok(Executed::Event(_)) | Err(_) => return false,
        }
        if process.task.oversize.is_some() || process.task.fuel == 0 {
            return false;
        }
    }
    false
}

/// Merges two processes under a condition: this one if the condition holds, else the other one, which has come to the same meeting from
/// the same place. Returns `false` if a difference has no merged form; then the process is neither.
pub fn merge(process: &mut Process, condition: &Term, other: &Process, Meeting { live, .. }: &Meeting) -> bool {
    other.task.stored.iter().for_each(|slot| process.task.stored.insert(slot));
    let stored: Vec<u32> = process.task.stored.iter().collect();
    for slot in stored.into_iter().map(|slot| slot as usize) {
        let Some(merged) = merged(condition, &process.memory[slot], &other.memory[slot]) else { return false };
        process.memory[slot] = merged;
    }
    let base = process.task.frame.base;
    for register in live.iter().map(|register| (base + register) as usize) {
        let Some(merged) = merged(condition, &process.task.registers[register], &other.task.registers[register]) else {
            return false;
        };
        process.task.registers[register] = merged;
    }
    process.task.fuel = process.task.fuel.min(other.task.fuel);
    for read in &other.task.read_open {
        if !process.task.read_open.contains(read) {
            process.task.read_open.push(read.clone());
        }
    }
    for touched in &other.task.notes.read().touched {
        if !process.task.notes.read().touched.contains(touched) {
            process.task.notes.make().touched.push(touched.clone());
        }
    }
    true
}

/// One of two values by a condition, if that is a value of one form, or a union of constructors.
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
