//! The answers that may still be given from a program point on: sets of *shapes* of answers, computed backwards once
//! for each specification.
//!
//! A shape is the outermost constructor or the constant of an answer. The judge does not fork into a side from which the
//! observed answer cannot come; a point that may fault, or break the client's duty, counts as giving every reply.

use std::collections::BTreeSet;

use super::code::{Function, Op, Operand, Pc};
use super::operands::visit_ways;
use crate::scalar::Scalar;
use crate::value::Value;

/// The shape of an answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReplyShape {
    /// A constructor.
    Tag(u32),
    /// A known scalar.
    Scalar(Scalar),
    /// The handler ends without an answer.
    Nothing,
}

impl ReplyShape {
    /// Tests whether an answer may have this shape; `None` is no answer.
    fn fits(&self, answer: Option<&Value>) -> bool {
        match (self, answer) {
            (ReplyShape::Tag(own), Some(Value::Data { tag, .. })) => own == tag,
            (ReplyShape::Scalar(own), Some(Value::Scalar(scalar))) => own == scalar,
            (ReplyShape::Tag(_), Some(Value::Scalar(_))) | (ReplyShape::Scalar(_), Some(Value::Data { .. })) => false,
            (ReplyShape::Nothing, answer) => answer.is_none(),
            (ReplyShape::Tag(_) | ReplyShape::Scalar(_), answer) => answer.is_some(),
        }
    }
}

/// A set of shapes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReplyShapes {
    /// Every shape is possible.
    pub any: bool,
    /// The function may return to its caller, whose own shapes are then possible too.
    pub returns: bool,
    /// The possible shapes.
    pub set: Vec<ReplyShape>,
}

/// More shapes than this count as any.
const SHAPES_LIMIT: usize = 16;

impl ReplyShapes {
    fn any() -> ReplyShapes {
        ReplyShapes { any: true, returns: true, set: Vec::new() }
    }

    fn join(&mut self, other: &ReplyShapes) {
        self.any |= other.any;
        self.returns |= other.returns;
        for shape in &other.set {
            if !self.set.contains(shape) {
                self.set.push(shape.clone());
            }
        }
        self.any |= self.set.len() > SHAPES_LIMIT;
    }

    /// The shape of a known value.
    fn head_of(value: &Value) -> Option<ReplyShape> {
        match value {
            Value::Scalar(scalar) => Some(ReplyShape::Scalar(scalar.clone())),
            Value::Data { tag, .. } => Some(ReplyShape::Tag(*tag)),
            Value::Term(_) | Value::List(_) | Value::Open(_) | Value::Map(_) | Value::Union(_) => None,
            Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => None,
        }
    }

    /// Tests whether an answer is possible by these shapes; `None` is no answer.
    #[must_use]
    pub fn admits(&self, answer: Option<&Value>) -> bool {
        self.any || self.set.iter().any(|shape| shape.fits(answer))
    }
}

/// Computes the shapes of every instruction of every function.
pub(super) fn compute(functions: &mut [Function], constants: &[Value]) {
    let mut entries: Vec<ReplyShapes> = vec![ReplyShapes::default(); functions.len()];
    loop {
        let before = entries.clone();
        for (at, function) in functions.iter_mut().enumerate() {
            function.reply_shapes = function_shapes(function, constants, &entries);
            entries[at] = function.reply_shapes.first().cloned().unwrap_or_else(ReplyShapes::any);
        }
        if before == entries {
            return;
        }
    }
}

fn function_shapes(function: &Function, constants: &[Value], entries: &[ReplyShapes]) -> Vec<ReplyShapes> {
    let mut shapes = vec![ReplyShapes::default(); function.code.len()];
    loop {
        let mut changed = false;
        for pc in (0..function.code.len()).rev() {
            let own = transfer(function, pc, constants, entries, &shapes);
            changed |= own != shapes[pc];
            shapes[pc] = own;
        }
        if !changed {
            return shapes;
        }
    }
}

fn transfer(
    function: &Function,
    pc: usize,
    constants: &[Value],
    entries: &[ReplyShapes],
    shapes: &[ReplyShapes],
) -> ReplyShapes {
    let mut own = ReplyShapes::default();
    let follow = |own: &mut ReplyShapes, to: Pc| {
        if let Some(next) = shapes.get(to as usize) {
            own.join(next);
        }
    };
    let following = pc as Pc + 1;
    if is_reported(function, pc) {
        return ReplyShapes::any();
    }
    match &function.code[pc] {
        Op::Reply { src } => reply(&mut own, part(function, pc), *src, constants),
        Op::End => own.set.push(ReplyShape::Nothing),
        Op::Return { .. } => own.returns = true,
        Op::Call { function: callee, .. } => {
            let callee = &entries[*callee as usize];
            own.join(&ReplyShapes { returns: false, ..callee.clone() });
            if callee.returns || callee.any {
                follow(&mut own, following);
            }
        }
        op => visit_ways(op, following, &mut |to| follow(&mut own, to)),
    }
    own
}

/// Tests whether something may be reported of an instruction, whatever is observed: that it is faulty, or that the client
/// broke its duty.
pub(super) fn is_reported(function: &Function, pc: usize) -> bool {
    let op = function.code[pc].plain();
    let is_wrong = matches!(op, Op::Expects { .. } | Op::Fault { .. } | Op::Unsupported);
    let is_partial = matches!(op, Op::Index { .. } | Op::Slice { .. } | Op::Replace { .. });
    is_wrong || is_partial || function.counting.contains(&(pc as Pc))
}

/// The instructions that use the same registers as one of them, and how many registers are parameters.
fn part(function: &Function, pc: usize) -> (&[Op], u32) {
    let next = function.parts.partition_point(|start| *start as usize <= pc);
    let start = next.checked_sub(1).map_or(0, |at| function.parts[at] as usize);
    let end = function.parts.get(next).map_or(function.code.len(), |end| *end as usize);
    (&function.code[start..end], function.params)
}

fn reply(own: &mut ReplyShapes, part: (&[Op], u32), src: Operand, constants: &[Value]) {
    let mut seen = BTreeSet::new();
    let mut found = Some(Vec::new());
    shapes_of(part, src, constants, &mut seen, &mut found);
    match found {
        Some(shapes) if shapes.len() <= SHAPES_LIMIT => own.set.extend(shapes),
        _ => *own = ReplyShapes::any(),
    }
}

/// Collects the shapes of what an operand may hold; `None` where they are not known.
fn shapes_of(
    part: (&[Op], u32),
    operand: Operand,
    constants: &[Value],
    seen: &mut BTreeSet<u32>,
    found: &mut Option<Vec<ReplyShape>>,
) {
    let register = match operand {
        Operand::Register(register) => register,
        Operand::Constant(constant) => return add(found, ReplyShapes::head_of(&constants[constant as usize])),
        Operand::Slot(_) => return *found = None,
    };
    if !seen.insert(register) || found.is_none() {
        return;
    }
    let (code, params) = part;
    if register < params {
        return *found = None;
    }
    for op in code {
        match op {
            Op::Make { dst, tag, .. } if *dst == register => add(found, Some(ReplyShape::Tag(*tag))),
            Op::Copy { dst, src } | Op::Swap { dst, src, .. } | Op::Join { dst, src, .. } if *dst == register => {
                shapes_of(part, *src, constants, seen, found);
            }
            op if writes(op) == Some(register) => *found = None,
            Op::Next { element, presence, cursor, .. } if [*element, *presence, *cursor].contains(&register) => {
                *found = None;
            }
            _ => {}
        }
    }
}

fn add(found: &mut Option<Vec<ReplyShape>>, shape: Option<ReplyShape>) {
    match (found.as_mut(), shape) {
        (Some(shapes), Some(shape)) if !shapes.contains(&shape) => shapes.push(shape),
        (_, None) => *found = None,
        _ => {}
    }
}

/// The register that an instruction writes its result to.
pub(crate) fn writes(op: &Op) -> Option<u32> {
    match op {
        Op::Copy { dst, .. } | Op::Unary { dst, .. } | Op::Binary { dst, .. } | Op::Insert { dst, .. } => Some(*dst),
        Op::Replace { dst, .. } | Op::Index { dst, .. } | Op::Slice { dst, .. } | Op::Make { dst, .. } => Some(*dst),
        Op::MakeList { dst, .. } | Op::IsVariant { dst, .. } | Op::Field { dst, .. } | Op::With { dst, .. } => {
            Some(*dst)
        }
        Op::HasLength { dst, .. } | Op::Nth { dst, .. } | Op::Tail { dst, .. } | Op::Iterate { dst, .. } => Some(*dst),
        Op::IterateInOrder { dst, .. } | Op::IterateRange { dst, .. } | Op::RangeList { dst, .. } => Some(*dst),
        Op::Push { dst, .. } | Op::Gather { dst, .. } => Some(*dst),
        Op::Swap { dst, .. } | Op::Join { dst, .. } | Op::Call { dst, .. } | Op::Choose { dst, .. } => Some(*dst),
        Op::PickElement { dst, .. } | Op::Append { dst, .. } | Op::AppendOne { dst, .. } => Some(*dst),
        Op::Retain { dst, .. } | Op::Find { dst, .. } => Some(*dst),
        Op::Require { dst, .. } => Some(*dst),
        Op::Store { .. }
        | Op::Put { .. }
        | Op::Delete { .. }
        | Op::Behead { .. }
        | Op::Next { .. }
        | Op::Jump { .. }
        | Op::Unless { .. }
        | Op::Branch { .. }
        | Op::Compare { .. } => None,
        Op::Within { .. } => None,
        Op::ByVariant { .. }
        | Op::Split { .. }
        | Op::Return { .. }
        | Op::Select { .. }
        | Op::Assume { .. }
        | Op::Expects { .. } => None,
        Op::Watched { op, .. } => writes(op),
        Op::Fault { .. } | Op::Reply { .. } | Op::End | Op::Yield | Op::Unsupported => None,
    }
}
