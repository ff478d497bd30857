//! The fast path: a loop of its own for instructions that need no decision, which are most of a handler.
//!
//! Copying a register, matching a known constructor, comparing numbers, jumping: none of these yields an event or changes the frame.
//! The loop is small enough to keep its state in machine registers. It leaves an instruction that may need a decision to the general
//! evaluator: in `reply m.get(k)` with a symbolic key both the lookup and the reply.

use super::collect::{SHORT, append_in_place, drop_first_in_place};
use super::evaluate::{Ordered, ordered};
use super::operands::PlainOperands;
use super::plain;
use super::plain::{constructor, few, known};
use crate::limits;
use crate::process::task::Task;
use crate::process::{Limit, Process};
use crate::scalar::{Int, Scalar};
use crate::spec::code::{Function, Op, Operand, Pc, Program, Register};
use crate::term::{Side, Var};
use crate::value::{LENGTH_LIMIT, Value};

/// The knowledge of a handler of events about variables. A bound that the handler decides, or assumes, is not an event.
pub trait KnownBounds {
    /// Tests whether the fast path may be used; else the general evaluator executes each instruction.
    fn has_fast_path(&self) -> bool;

    /// Decides whether an integer variable has this bound, if that is known.
    fn bound(&self, var: Var, side: Side, end: &Int) -> Option<bool>;

    /// Assumes a bound; returns whether it did. If not, the process yields an event.
    fn assume_bound(&mut self, var: Var, side: Side, end: &Int) -> bool;

    /// The limit that is exceeded after this many more instructions that are not on the fast path, if one is.
    fn exceeded(&mut self, _instructions: u32) -> Option<Limit> {
        limits::end::is_over().then_some(Limit::Ended)
    }
}

/// A handler without knowledge.
impl KnownBounds for () {
    fn has_fast_path(&self) -> bool {
        true
    }

    fn bound(&self, _: Var, _: Side, _: &Int) -> Option<bool> {
        None
    }

    fn assume_bound(&mut self, _: Var, _: Side, _: &Int) -> bool {
        false
    }
}

/// Executes instructions up to the first one that may need a decision.
#[inline(always)] // A handler that stays on the fast path makes no other call.
pub(crate) fn fast_path(process: &mut Process, program: &Program, function: &Function, knows: &mut impl KnownBounds) {
    let Process { memory, task, .. } = process;
    let joins = task.guards.is_empty();
    let (mut fuel, mut pc) = (task.fuel, task.frame.pc);
    let Task { stored, read_open, registers, frame, .. } = task;
    let registers = &mut registers[frame.base as usize..];
    let place = PlainOperands { registers, memory, stored, read_open, constants: &program.constants };
    let mut at = FastRun { place, knows, joins };
    while fuel > 0
        && let Some(op) = function.code.get(pc as usize)
        && let Some(next) = at.step(op, pc)
    {
        pc = next;
        fuel -= 1;
    }
    (task.fuel, task.frame.pc) = (fuel, pc);
}

/// Runs [`fast_path`] as a function of its own, not inlined.
#[inline(never)] // The caller needs the machine registers for itself.
pub(crate) fn run_apart(process: &mut Process, program: &Program, function: &Function, knows: &mut impl KnownBounds) {
    fast_path(process, program, function, knows);
}

/// The state of the fast path.
struct FastRun<'p, K> {
    place: PlainOperands<'p>,
    knows: &'p mut K,
    /// Set if no guard is open: then a join is a copy.
    joins: bool,
}

impl<K: KnownBounds> FastRun<'_, K> {
    /// Executes an instruction and returns the position after it. `None`, and nothing is done, if it may need a decision.
    #[inline(always)] // Its only caller is the loop.
    fn step(&mut self, op: &Op, pc: Pc) -> Option<Pc> {
        match op {
            Op::Jump { to } => Some(*to),
            Op::Unless { cond, to } => match self.place.read(*cond) {
                Value::Scalar(Scalar::Bool(holds)) => Some(if *holds { pc + 1 } else { *to }),
                Value::Term(_) => Some(pc + 1),
                _ => None,
            },
            Op::Branch { cond, otherwise } | Op::Split { cond, otherwise } => {
                Some(if known(self.place.read(*cond))? { pc + 1 } else { *otherwise })
            }
            Op::Compare { op, a, b, otherwise } => {
                let holds = match ordered(*op, self.place.read(*a), self.place.read(*b))? {
                    Ordered::Known(holds) => holds,
                    Ordered::Bound(_, var, side, end) => self.knows.bound(var, side, &end)?,
                };
                Some(if holds { pc + 1 } else { *otherwise })
            }
            Op::ByVariant { src, targets, none } => {
                Some(targets.get(constructor(self.place.read(*src))? as usize).copied().unwrap_or(*none))
            }
            Op::Copy { dst, src } => self.copy(*dst, *src, pc + 1),
            Op::Require { dst, op, a, b } if self.joins => {
                let holds = match ordered(*op, self.place.read(*a), self.place.read(*b))? {
                    Ordered::Known(holds) => holds,
                    Ordered::Bound(_, var, side, end) => self.knows.assume_bound(var, side, &end),
                };
                // An operand may be in the same register, so it is written only after the comparison is certain.
                holds.then(|| self.place.registers[*dst as usize].put(true.into()))?;
                Some(pc + 1)
            }
            Op::Join { dst, src, .. } if self.joins => self.copy(*dst, *src, pc + 1),
            Op::Swap { dst, src, end, .. } if self.joins => self.copy(*dst, *src, *end),
            Op::Store { slot, src } => {
                let copy = self.place.read(*src).copied();
                self.place.memory[*slot as usize].put(copy);
                self.place.stored.insert(*slot);
                Some(pc + 1)
            }
            Op::AppendOne { slot, element, .. } => {
                let element = self.place.read(*element).copied();
                let Value::List(list) = &mut self.place.memory[*slot as usize] else { return None };
                if list.len() >= LENGTH_LIMIT {
                    return None;
                }
                append_in_place(list, element);
                self.place.stored.insert(*slot);
                Some(pc + 2)
            }
            Op::DropFirst { slot, from } => {
                let (slot, count) = (*slot, *from as usize);
                let Value::List(list) = &mut self.place.memory[slot as usize] else { return None };
                if count > SHORT.min(list.len()) {
                    return None;
                }
                drop_first_in_place(list, count);
                self.place.stored.insert(slot);
                Some(pc + 1)
            }
            Op::Assume { cond } | Op::Expects { cond } => known(self.place.read(*cond))?.then_some(pc + 1),
            op => match plain::value(&self.place, op) {
                Some((dst, value)) => {
                    self.place.registers[dst as usize].put(value);
                    Some(pc + 1)
                }
                None => plain::carry_out(&mut self.place, op).then_some(pc + 1),
            },
        }
    }

    #[inline(always)]
    fn copy(&mut self, dst: Register, src: Operand, next: Pc) -> Option<Pc> {
        let copy = few(self.place.read(src))?.copied();
        self.place.registers[dst as usize].put(copy);
        Some(next)
    }
}

/// Tests whether an instruction needs no decision most of the time.
pub(crate) fn has_fast_path(op: &Op) -> bool {
    let asks = matches!(op, Op::Choose { .. } | Op::Select { .. } | Op::PickElement { .. } | Op::Within { .. });
    let calls = matches!(op, Op::Call { .. } | Op::Return { .. } | Op::Reply { .. } | Op::End | Op::Yield);
    let loops = matches!(op, Op::Iterate { .. } | Op::Next { .. } | Op::Push { .. } | Op::Gather { .. });
    let copies = matches!(op, Op::MakeList { .. } | Op::Slice { .. } | Op::Tail { .. } | Op::Append { .. });
    !(asks || calls || loops || copies || matches!(op, Op::Watched { .. } | Op::Insert { .. } | Op::Fault { .. }))
}
