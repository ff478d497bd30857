//! Reply provenance: the part of the answer that equals a choice.
//!
//! In `let id = choose Id; used := used + {id}; reply Fresh(Some(id));` the choice is inside field 0 of every answer `Fresh` that
//! follows it. So a judge that observed `Fresh(Some("a"))` follows the choice `"a"` alone. A choice has no provenance if a path after
//! it may be faulty, or break the client's duty: that is reported whatever the choice was.

use rustc_hash::FxHashMap;

use super::dataflow::{Graph, Lattice};
use super::facts::FieldStep;
use super::reply_shapes::is_reported;
use crate::spec::code::{ChoiceDomain, Function, Op, Operand, Pc, Provenance, Register, ReplyShape};

/// The path from the value of a register to the choice inside it, the outermost field first; empty if the register holds the choice
/// itself.
type ShownPath = Vec<FieldStep>;

/// The registers that hold the choice, or a constructor around it, on all paths.
#[derive(Clone)]
struct Copies(FxHashMap<Register, ShownPath>);

/// The answers that may follow a choice, as far as they concern it.
#[derive(Default)]
struct Answers {
    /// The variants with the choice inside, each with the path to it.
    fields: FxHashMap<u32, ShownPath>,
    /// The variants of which some answers do not have the choice at this path.
    other: Vec<u32>,
    /// Set if some answers are the choice itself.
    whole: bool,
    /// Set if some answers are neither the choice nor a constructor.
    scalar: bool,
}

/// The provenance of the choices of a function, by the position of the choice.
pub(crate) fn choices(function: &Function) -> FxHashMap<Pc, Provenance> {
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

/// Follows a choice through the code; nothing if a path may be reported, or no answer shows the choice.
fn provenance(function: &Function, graph: &Graph, pc: usize, dst: Register) -> Option<Provenance> {
    let held = Copies(FxHashMap::from_iter([(dst, ShownPath::new())]));
    // An announced answer is compared at once: what comes after it tells nothing of other values.
    let after = |at: usize, held: &Copies| match function.code.get(at)?.plain() {
        Op::Announce { .. } => None,
        op => Some(held.after(op)),
    };
    let before = graph.forward((pc + 1, held), after);
    let mut answers = Answers::default();
    for (at, held) in before.iter().enumerate().filter_map(|(at, held)| Some((at, held.as_ref()?))) {
        match function.code.get(at)?.plain() {
            Op::Call { .. } | Op::Return { .. } => return None,
            _ if is_reported(function, at) => return None,
            Op::Reply { src } | Op::Announce { src } => answers.note(function, at, held.of(*src))?,
            _ => {}
        }
    }
    let provenance = answers.provenance()?;
    Some(Provenance { is_used: is_used(function, dst), ..provenance })
}

/// Tests whether an instruction may read a choice for anything but an answer.
fn is_used(function: &Function, choice: Register) -> bool {
    let mut holding = vec![choice];
    let mut at = 0;
    while let Some(register) = holding.get(at).copied() {
        at += 1;
        for op in function.code.iter().map(Op::plain).filter(|op| op.uses().contains(&register)) {
            match op {
                Op::Copy { dst, .. } | Op::Make { dst, .. } if holding.contains(dst) => {}
                Op::Copy { dst, .. } | Op::Make { dst, .. } => holding.push(*dst),
                Op::Reply { .. } | Op::Announce { .. } => {}
                _ => return true,
            }
        }
    }
    false
}

/// The join keeps the copies that exist on both paths.
impl Lattice for Copies {
    fn join(&mut self, other: &Copies) -> bool {
        let before = self.0.len();
        self.0.retain(|register, holds| other.0.get(register) == Some(holds));
        self.0.len() < before
    }
}

impl Copies {
    fn of(&self, operand: Operand) -> Option<&ShownPath> {
        self.0.get(&operand.register()?)
    }

    /// The copies of the choice after an instruction.
    fn after(&self, op: &Op) -> Copies {
        let result = match op {
            Op::Copy { dst, src } => self.of(*src).map(|path| (*dst, path.clone())),
            Op::Make { dst, tag, fields } => {
                let mut held = fields.iter().zip(0..).filter_map(|(operand, field)| Some((field, self.of(*operand)?)));
                held.next().map(|(field, path)| {
                    let step = FieldStep { tag: *tag, field };
                    (*dst, [step].into_iter().chain(path.iter().copied()).collect())
                })
            }
            _ => None,
        };
        let mut after = self.clone();
        after.0.retain(|register, _| !op.defs().contains(register));
        after.0.extend(result);
        after
    }
}

impl Answers {
    /// Notes an answer; `None` if its shape is not known.
    fn note(&mut self, function: &Function, at: usize, held: Option<&ShownPath>) -> Option<()> {
        match held {
            Some(path) => match path.first() {
                None => self.whole = true,
                Some(FieldStep { tag, .. }) => {
                    if self.fields.entry(*tag).or_insert_with(|| path.clone()) != path {
                        self.other.push(*tag);
                    }
                }
            },
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
            return (!is_data && !self.scalar).then(|| Provenance { whole: true, ..Provenance::default() });
        }
        self.fields.retain(|tag, _| !self.other.contains(tag));
        let mut fields: Vec<(u32, ShownPath)> = self.fields.into_iter().collect();
        fields.sort_unstable_by_key(|(tag, _)| *tag);
        (!fields.is_empty()).then_some(Provenance { fields, ..Provenance::default() })
    }
}
