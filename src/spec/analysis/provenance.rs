//! Choices that the answer shows: for each, at which place in which answer, if no other path leads to such an answer.
//!
//! In `let id = choose Id; used := used + {id}; reply Fresh(Some(id));` the choice is inside field 0 of every answer `Fresh` that
//! follows. A judge that observed `Fresh(Some("a"))` follows `"a"` alone. Nothing may be told on the way, whatever was chosen: that the
//! specification is faulty, or that the client broke its duty.

use rustc_hash::FxHashMap;

use super::dataflow::{Graph, Lattice};
use super::facts::FieldStep;
use super::reply_shapes::is_reported;
use crate::spec::code::{ChoiceDomain, Function, Op, Operand, Pc, Provenance, Register, ReplyShape};

/// The constructors between what a register holds and the choice in it, the outermost first; none if it holds the choice itself.
type ShownPath = Vec<FieldStep>;

/// The registers that hold something of the choice, whichever way was taken.
#[derive(Clone)]
struct Copies(FxHashMap<Register, ShownPath>);

/// The record of what the answers that follow say of the choice.
#[derive(Default)]
struct Answers {
    /// The variants that have it in them, and where.
    fields: FxHashMap<u32, ShownPath>,
    /// The variants of which some show something else.
    other: Vec<u32>,
    /// Set if some answers are the choice itself.
    whole: bool,
    /// Set if some answers are neither the choice nor a constructor.
    scalar: bool,
}

/// The choices of a function that are shown.
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

/// Follows a choice through the code; nothing if something else may be told of a path, or no answer shows it.
fn provenance(function: &Function, graph: &Graph, pc: usize, dst: Register) -> Option<Provenance> {
    let held = Copies(FxHashMap::from_iter([(dst, ShownPath::new())]));
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
    fn of(&self, operand: Operand) -> Option<&ShownPath> {
        self.0.get(&operand.register()?)
    }

    /// The registers that hold something of the choice after an instruction.
    fn behind(&self, op: &Op) -> Copies {
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
        let mut behind = self.clone();
        behind.0.retain(|register, _| !op.defs().contains(register));
        behind.0.extend(result);
        behind
    }
}

impl Answers {
    /// Takes up an answer; `None` if it may be anything.
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
            return (!is_data && !self.scalar).then(|| Provenance { whole: true, fields: Vec::new() });
        }
        self.fields.retain(|tag, _| !self.other.contains(tag));
        let mut fields: Vec<(u32, ShownPath)> = self.fields.into_iter().collect();
        fields.sort_unstable_by_key(|(tag, _)| *tag);
        (!fields.is_empty()).then_some(Provenance { whole: false, fields })
    }
}
