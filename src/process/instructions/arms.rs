//! Conditionals: statements fork, expressions join.
//!
//! For example the expression `if c { a } else { b }` with an open `c` evaluates both arms under their guards, and joins their values.

use super::evaluate::{self, Compared, Executed, Obstacle};
use super::operands::At;
use crate::limits;
use crate::process::task::{Guard, Task, Waiting};
use crate::process::{Event, Limit, Process};
use crate::spec::code::{Binary, Op, Operand, Pc, Program, Register};
use crate::term::{Condition, Term};
use crate::value::{self, Truth, Value};

pub(crate) fn statement(process: &mut Process, at: At<'_>, cond: Operand, otherwise: Pc) -> Result<Executed, Obstacle> {
    match at.read(process, cond).truth() {
        Truth::Known(true) => Ok(Executed::Following),
        Truth::Known(false) => process.task.goto(otherwise),
        Truth::Term(condition) => fork(&mut process.task, at, Condition::Term(condition), otherwise),
    }
}

/// Executes the condition of a statement that is a comparison by order.
pub(crate) fn compare(
    process: &mut Process,
    at: At<'_>,
    op: Binary,
    a: Operand,
    b: Operand,
    otherwise: Pc,
) -> Result<Executed, Obstacle> {
    match evaluate::order(op, at.read(process, a), at.read(process, b))? {
        Compared::Known(true) => Ok(Executed::Following),
        Compared::Known(false) => process.task.goto(otherwise),
        Compared::Open(condition) => fork(&mut process.task, at, condition, otherwise),
    }
}

fn fork(task: &mut Task, at: At<'_>, condition: Condition, otherwise: Pc) -> Result<Executed, Obstacle> {
    task.wait(Waiting::Side(otherwise));
    let sides = Some((at.frame.pc + 1, otherwise));
    task.event(Event::Branch { condition, sides, site: at.site() })
}

/// Executes the condition of an expression, whose first arm begins at the next instruction.
pub(crate) fn split(process: &mut Process, at: At<'_>, cond: Operand, otherwise: Pc) -> Result<Executed, Obstacle> {
    let truth = at.read(process, cond).truth();
    let task = &mut process.task;
    match truth {
        Truth::Known(true) => Ok(Executed::Following),
        Truth::Known(false) => task.goto(otherwise),
        Truth::Term(condition) if task.guards.len() >= limits::GUARD_LIMIT => {
            // Too many guards to join: the expression forks instead, and the judge limits the number of forks.
            task.waiting = Waiting::Side(otherwise);
            task.event(Event::Branch { condition: Condition::Term(condition), sides: None, site: at.site() })
        }
        Truth::Term(condition) => {
            task.waiting = Waiting::Arms { split: at.frame.pc, otherwise, condition: condition.clone() };
            let path = task.path().cloned();
            task.event(Event::Guard { condition, path })
        }
    }
}

/// Ends the path at a limit. Under a guard only the arm ends, and the process goes on after it.
pub(crate) fn cut(task: &mut Task, program: &Program, limit: Limit) -> Event {
    task.fuel = task.fuel.max(1);
    let condition = task.under_guard(Truth::Known(true));
    leave(task, program);
    Event::Cut(condition, limit)
}

/// Goes to the end of the arm that is being evaluated, and out of the functions called in it, since the rest of the arm is cut off.
/// Otherwise a recursive function would go on to the limit of nested calls, in each of its calls.
fn leave(task: &mut Task, program: &Program) {
    let Some(&Guard { depth, split, ref first, .. }) = task.guards.last() else { return };
    let is_first = first.is_none();
    if let Some(base) = task.callers.get(depth + 1).map(|frame| frame.base) {
        task.registers.truncate(base as usize);
    } else if task.callers.len() > depth {
        task.registers.truncate(task.frame.base as usize);
    }
    if let Some(frame) = task.callers.get(depth).copied() {
        task.callers.truncate(depth);
        task.frame = frame;
    }
    let ends = |op: &Op| match op.plain() {
        Op::Swap { src, split: own, .. } if is_first && *own == split => Some(*src),
        Op::Join { src, split: own, .. } if !is_first && *own == split => Some(*src),
        _ => None,
    };
    let mut code = task.function(program).code.iter().enumerate();
    let Some((ending, value)) = code.find_map(|(at, op)| Some((at, ends(op)?))) else { return };
    if let Operand::Register(register) = value {
        task.set(register, Value::Absent);
    }
    task.jump(ending as Pc);
}

fn is_open(task: &Task, split: Pc) -> bool {
    task.guards.last().is_some_and(|guard| guard.split == split && guard.depth == task.callers.len())
}

/// Executes the end of the first arm: the second one begins, unless only the first is evaluated.
pub(crate) fn swap(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    src: Operand,
    end: Pc,
    split: Pc,
) -> Result<Executed, Obstacle> {
    let value = at.read(process, src).clone();
    let task = &mut process.task;
    if !is_open(task, split) {
        task.keep(dst, Ok(value))?;
        return task.goto(end);
    }
    let outer = task.guards.len().checked_sub(2).map(|outer| task.guards[outer].path.clone());
    if let Some(guard) = task.guards.last_mut() {
        let negated = Term::not(&guard.condition);
        guard.path = outer.map_or_else(|| negated.clone(), |outer| Term::and(&outer, &negated));
        guard.first = Some(value);
    }
    let Op::Split { otherwise, .. } = at.function.code[split as usize].plain() else { return task.goto(end) };
    task.goto(*otherwise)
}

/// Executes the end of the second arm: the values of both are joined.
pub(crate) fn join(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    src: Operand,
    split: Pc,
) -> Result<Executed, Obstacle> {
    let value = at.read(process, src).clone();
    let task = &mut process.task;
    if !is_open(task, split) {
        return task.keep(dst, Ok(value));
    }
    let first = task.guards.last().and_then(|guard| guard.first.as_ref());
    if let Some(ask) = first.and_then(|first| value::before_joining(first, &value)) {
        return Err(Obstacle::Ask(ask));
    }
    match task.guards.pop() {
        Some(guard) => task.keep(dst, Ok(value::merge(&guard.condition, guard.first.unwrap_or(Value::Absent), value))),
        None => task.keep(dst, Ok(value)),
    }
}
