//! Choices that the answer shows: for each, in which field of which answer, if no other path leads to such an answer.
//!
//! In `let id = choose Id; used := used + {id}; reply Fresh(id);` the choice is field 0 of every answer `Fresh` that follows.
//! A judge that observed `Fresh("a")` follows `"a"` alone. Nothing may be told on the way, whatever was chosen: that the
//! specification is faulty, or that the client broke its duty.

use rustc_hash::FxHashMap;

use super::code::{ChoiceDomain, Function, Op, Operand, Pc, Provenance, Register, ReplyShape};
use super::dataflow::{Graph, Lattice};
use super::reply_shapes::is_reported;

/// The form in which a register holds the choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    /// The choice.
    Itself,
    /// A constructor with it in a field.
    In { tag: u32, field: u32 },
}

/// The registers that hold something of the choice, whichever way was taken.
#[derive(Clone)]
struct Copies(FxHashMap<Register, Holds>);

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
        Op::Choose { dst, domain: ChoiceDomain::Type(_) } => Some((pc, *dst)),
        _ => None,
    });
    let choices: Vec<(usize, Register)> = choices.collect();
    if choices.is_empty() {
        return FxHashMap::default();
    }
    let graph = Graph::of(function);
    choices.into_iter().filter_map(|(pc, dst)| Some((pc as Pc, provenance(function, &graph, pc, dst)?))).collect()
}

/// Follows a choice through the code; nothing where something else may be told of a path, or no answer shows it.
fn provenance(function: &Function, graph: &Graph, pc: usize, dst: Register) -> Option<Provenance> {
    let held = Copies(FxHashMap::from_iter([(dst, Holds::Itself)]));
    let before = graph.forward((pc + 1, held), |at, held| Some(held.behind(function.code.get(at)?.plain())));
    let mut answers = Answers::default();
    for (at, held) in before.iter().enumerate().filter_map(|(at, held)| Some((at, held.as_ref()?))) {
        match function.code.get(at)?.plain() {
            Op::Call { .. } | Op::Return { .. } => return None,
            _ if is_reported(function, at) => return None,
            Op::Reply { src } => answers.note(function, at, held.of(*src))?,
            _ => {}
        }
    }
    answers.provenance()
}

/// The copies that there are whichever way was taken.
impl Lattice for Copies {
    fn join(&mut self, other: &Copies) -> bool {
        let before = self.0.len();
        self.0.retain(|register, holds| other.0.get(register) == Some(holds));
        self.0.len() < before
    }
}

impl Copies {
    fn of(&self, operand: Operand) -> Option<Holds> {
        self.0.get(&operand.register()?).copied()
    }

    /// The registers that hold something of the choice after an instruction.
    fn behind(&self, op: &Op) -> Copies {
        let result = match op {
            Op::Copy { dst, src } => self.of(*src).map(|holds| (*dst, holds)),
            Op::Make { dst, tag, fields } => {
                let field = fields.iter().position(|field| self.of(*field) == Some(Holds::Itself));
                field.map(|field| (*dst, Holds::In { tag: *tag, field: field as u32 }))
            }
            _ => None,
        };
        let mut behind = self.clone();
        behind.0.retain(|register, _| !op.defs().contains(register));
        behind.0.extend(result);
        behind
    }
}

impl Answers {
    /// Takes up an answer; `None` where it may be anything.
    fn note(&mut self, function: &Function, at: usize, holds: Option<Holds>) -> Option<()> {
        match holds {
            Some(Holds::Itself) => self.whole = true,
            Some(Holds::In { tag, field }) => {
                if *self.fields.entry(tag).or_insert(field) != field {
                    self.other.push(tag);
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
