//! The answers that may still be given from a program point on: sets of *shapes* of answers, computed backwards once
//! for each specification.
//!
//! A shape is the outermost constructor or the constant of an answer. The judge does not fork into a side from which the
//! observed answer cannot come; a point that may fault, or break the client's duty, counts as giving every reply.

use std::collections::BTreeSet;

use super::code::{Function, Op, Operand, Register, ReplyShape, ReplyShapes};
use super::dataflow::{Graph, Lattice};
use crate::value::Value;

/// More shapes than this count as any.
const SHAPES_LIMIT: usize = 16;

impl Lattice for ReplyShapes {
    fn join(&mut self, other: &ReplyShapes) -> bool {
        let before = (self.any, self.returns, self.set.len());
        self.any |= other.any;
        self.returns |= other.returns;
        for shape in &other.set {
            if !self.set.contains(shape) {
                self.set.push(shape.clone());
            }
        }
        self.any |= self.set.len() > SHAPES_LIMIT;
        before != (self.any, self.returns, self.set.len())
    }
}

fn any() -> ReplyShapes {
    ReplyShapes { any: true, returns: true, set: Vec::new() }
}

/// Computes the shapes of every instruction of every function.
pub(super) fn compute(functions: &mut [Function], constants: &[Value]) {
    let graphs: Vec<Graph> = functions.iter().map(Graph::of).collect();
    let mut entries: Vec<ReplyShapes> = vec![ReplyShapes::default(); functions.len()];
    let calls = functions.iter().flat_map(|function| &function.code).any(|op| matches!(op, Op::Call { .. }));
    loop {
        let before = entries.clone();
        for (at, function) in functions.iter_mut().enumerate() {
            let mut shapes = graphs[at].backward(|pc, behind| transfer(function, pc, behind, constants, &entries));
            shapes.truncate(function.code.len());
            entries[at] = shapes.first().cloned().unwrap_or_else(any);
            function.reply_shapes = shapes;
        }
        if !calls || before == entries {
            return;
        }
    }
}

fn transfer(
    function: &Function,
    pc: usize,
    behind: &ReplyShapes,
    constants: &[Value],
    entries: &[ReplyShapes],
) -> ReplyShapes {
    if is_reported(function, pc) {
        return any();
    }
    match &function.code[pc] {
        Op::Reply { src } => reply(function, pc, *src, constants),
        Op::End => ReplyShapes { set: vec![ReplyShape::Nothing], ..ReplyShapes::default() },
        Op::Return { .. } => ReplyShapes { returns: true, ..ReplyShapes::default() },
        Op::Call { function: callee, .. } => {
            let callee = &entries[*callee as usize];
            let mut own = ReplyShapes { returns: false, ..callee.clone() };
            if callee.returns || callee.any {
                own.join(behind);
            }
            own
        }
        _ => behind.clone(),
    }
}

/// Tests whether something may be reported of an instruction, whatever is observed: that it is faulty, or that the client
/// broke its duty.
pub(super) fn is_reported(function: &Function, pc: usize) -> bool {
    function.code[pc].may_fault() || function.counting.contains(&(pc as u32))
}

/// The shapes of what an instruction of a function answers.
fn reply(function: &Function, pc: usize, src: Operand, constants: &[Value]) -> ReplyShapes {
    let part = function.ranges().into_iter().find(|part| part.contains(&pc)).unwrap_or_default();
    let mut search =
        WrittenBy { code: &function.code[part], params: function.params, constants, seen: BTreeSet::new() };
    match search.shapes(src) {
        Some(shapes) if shapes.len() <= SHAPES_LIMIT => ReplyShapes { set: shapes, ..ReplyShapes::default() },
        _ => any(),
    }
}

/// The search for what a register may hold, through all that writes it among the instructions that use the same registers.
struct WrittenBy<'a> {
    code: &'a [Op],
    params: u32,
    constants: &'a [Value],
    seen: BTreeSet<Register>,
}

impl WrittenBy<'_> {
    /// The shapes of what an operand may hold; `None` if they are not known.
    fn shapes(&mut self, operand: Operand) -> Option<Vec<ReplyShape>> {
        let register = match operand {
            Operand::Register(register) => register,
            Operand::Constant(constant) => return Some(vec![shape(&self.constants[constant as usize])?]),
            Operand::Slot(_) => return None,
        };
        let mut found = Vec::new();
        if !self.seen.insert(register) {
            return Some(found);
        }
        if register < self.params {
            return None;
        }
        for op in self.code.iter().filter(|op| op.defs().contains(&register)) {
            let shapes = match op {
                Op::Make { tag, .. } => vec![ReplyShape::Tag(*tag)],
                Op::Copy { src, .. } | Op::Swap { src, .. } | Op::Join { src, .. } => self.shapes(*src)?,
                _ => return None,
            };
            shapes.into_iter().for_each(|shape| {
                if !found.contains(&shape) {
                    found.push(shape)
                }
            });
        }
        Some(found)
    }
}

/// The shape of a known value.
fn shape(value: &Value) -> Option<ReplyShape> {
    match value {
        Value::Scalar(scalar) => Some(ReplyShape::Scalar(scalar.clone())),
        Value::Data { tag, .. } => Some(ReplyShape::Tag(*tag)),
        Value::Term(_) | Value::List(_) | Value::Open(_) | Value::Map(_) | Value::Union(_) => None,
        Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => None,
    }
}
