//! Choices that the answer shows: for each, in which field of which answer, if no other path leads to such an answer.
//!
//! In `let id = choose Id; used := used + {id}; reply Fresh(id);` the choice is field 0 of every answer `Fresh` that follows.
//! A judge that observed `Fresh("a")` follows `"a"` alone. Nothing may be told on the way, whatever was chosen: that the
//! specification is faulty, or that the client broke its duty.

use rustc_hash::FxHashMap;

use super::code::{Domain, Function, Op, Operand, Pc, Register};
use super::operands::{visit_ways, visit_written};
use super::reply_shapes::{ReplyShape, is_reported};
use crate::value::Value;

/// The answers that show a choice, and the places in them where they do.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Provenance {
    /// Every answer is the choice itself.
    whole: bool,
    /// Each answer of the first number's variant has it in the field of the second one's.
    fields: Vec<(u32, u32)>,
}

impl Provenance {
    /// Returns what was chosen, as this answer shows it; `None` if answers with its head do not.
    #[must_use]
    pub fn within<'v>(&self, answer: &'v Value) -> Option<&'v Value> {
        if self.whole {
            return Some(answer);
        }
        let Value::Data { tag, .. } = answer else { return None };
        let (_, field) = self.fields.iter().find(|(own, _)| own == tag)?;
        answer.fields().get(*field as usize)
    }
}

/// The form in which a register holds the choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    /// The choice.
    Itself,
    /// A constructor with it in a field.
    In { tag: u32, field: u32 },
}

/// The registers that hold something of the choice, whichever way was taken.
type Held = FxHashMap<Register, Holds>;

/// The record of what the answers that follow say of the choice.
#[derive(Default)]
struct Answers {
    /// The variants that have it in a field, and in which.
    fields: FxHashMap<u32, u32>,
    /// The variants of which some show something else.
    other: Vec<u32>,
    /// Set where some answers are the choice itself.
    whole: bool,
    /// Set where some answers are neither the choice nor a constructor.
    scalar: bool,
}

/// The choices of a function that are shown.
pub(super) fn choices(function: &Function) -> FxHashMap<Pc, Provenance> {
    let choices = function.code.iter().enumerate().filter_map(|(pc, op)| match op.plain() {
        Op::Choose { dst, domain: Domain::Type(_) } => Some((pc, *dst)),
        _ => None,
    });
    choices.filter_map(|(pc, dst)| Some((pc as Pc, provenance(function, pc, dst)?))).collect()
}

/// Follows a choice through the code; nothing where something else may be told of a path, or no answer shows it.
fn provenance(function: &Function, pc: usize, dst: Register) -> Option<Provenance> {
    let mut held: Vec<Option<Held>> = vec![None; function.code.len() + 1];
    held[pc + 1] = Some(Held::from_iter([(dst, Holds::Itself)]));
    let mut open = vec![pc + 1];
    while let Some(at) = open.pop() {
        let op = function.code.get(at)?.plain();
        if is_reported(function, at) || matches!(op, Op::Call { .. } | Op::Return { .. }) {
            return None;
        }
        let mut after = held[at].clone()?;
        carry_out(op, &mut after);
        visit_ways(op, at as Pc + 1, &mut |to| {
            if meet(&mut held[to as usize], &after) {
                open.push(to as usize);
            }
        });
    }
    let mut answers = Answers::default();
    for (at, held) in held.iter().enumerate() {
        if let (Some(held), Some(Op::Reply { src })) = (held, function.code.get(at).map(Op::plain)) {
            answers.note(function, at, *src, held)?;
        }
    }
    answers.provenance()
}

/// Changes what the registers hold of the choice to what they hold behind an instruction.
fn carry_out(op: &Op, held: &mut Held) {
    let of = |operand: &Operand| match operand {
        Operand::Register(register) => held.get(register).copied(),
        Operand::Constant(_) | Operand::Slot(_) => None,
    };
    let result = match op {
        Op::Copy { dst, src } => of(src).map(|holds| (*dst, holds)),
        Op::Make { dst, tag, fields } => {
            let field = fields.iter().position(|field| of(field) == Some(Holds::Itself));
            field.map(|field| (*dst, Holds::In { tag: *tag, field: field as u32 }))
        }
        _ => None,
    };
    visit_written(op, &mut |register| {
        held.remove(&register);
    });
    held.extend(result);
}

/// Keeps what holds on this way too; returns whether that is less than before, or the first way.
fn meet(known: &mut Option<Held>, held: &Held) -> bool {
    let Some(known) = known else {
        *known = Some(held.clone());
        return true;
    };
    let before = known.len();
    known.retain(|register, holds| held.get(register) == Some(holds));
    known.len() < before
}

impl Answers {
    /// Takes up an answer; `None` where it may be anything.
    fn note(&mut self, function: &Function, at: usize, src: Operand, held: &Held) -> Option<()> {
        let holds = match src {
            Operand::Register(register) => held.get(&register),
            Operand::Constant(_) | Operand::Slot(_) => None,
        };
        match holds {
            Some(Holds::Itself) => self.whole = true,
            Some(Holds::In { tag, field }) => {
                if *self.fields.entry(*tag).or_insert(*field) != *field {
                    self.other.push(*tag);
                }
            }
            None => {
                let shapes = function.reply_shapes.get(at).filter(|shapes| !shapes.any)?;
                for shape in &shapes.set {
                    match shape {
                        ReplyShape::Tag(tag) => self.other.push(*tag),
                        ReplyShape::Scalar(_) | ReplyShape::Nothing => self.scalar = true,
                    }
                }
            }
        }
        Some(())
    }

    fn provenance(mut self) -> Option<Provenance> {
        let is_data = !(self.fields.is_empty() && self.other.is_empty());
        if self.whole {
            return (!is_data && !self.scalar).then(|| Provenance { whole: true, fields: Vec::new() });
        }
        self.fields.retain(|tag, _| !self.other.contains(tag));
        let mut fields: Vec<(u32, u32)> = self.fields.into_iter().collect();
        fields.sort_unstable();
        (!fields.is_empty()).then_some(Provenance { whole: false, fields })
    }
}
