//! The answers that may still be given from a program point on: sets of *heads* of answers, computed backwards once
//! for each specification.
//!
//! A head is the outermost constructor or the constant of an answer. The judge does not fork into a side from which the
//! observed answer cannot come; a point that may fault, or break the client's duty, counts as giving every reply.

use std::collections::BTreeSet;

use super::code::{Function, Op, Operand, Pc};
use super::operands::visit_ways;
use crate::scalar::Scalar;
use crate::value::Value;

/// The head of an answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// A constructor.
    Tag(u32),
    /// A known scalar.
    Scalar(Scalar),
    /// The handler ends without an answer.
    Nothing,
}

impl Head {
    /// Tests whether an answer may have this head; `None` is no answer.
    fn fits(&self, answer: Option<&Value>) -> bool {
        match (self, answer) {
            (Head::Tag(own), Some(Value::Data { tag, .. })) => own == tag,
            (Head::Scalar(own), Some(Value::Scalar(scalar))) => own == scalar,
            (Head::Tag(_), Some(Value::Scalar(_))) | (Head::Scalar(_), Some(Value::Data { .. })) => false,
            (Head::Nothing, answer) => answer.is_none(),
            (Head::Tag(_) | Head::Scalar(_), answer) => answer.is_some(),
        }
    }
}

/// A set of heads.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Heads {
    /// Every head is possible.
    pub any: bool,
    /// The function may return to its caller, whose own heads are then possible too.
    pub returns: bool,
    /// The possible heads.
    pub set: Vec<Head>,
}

/// More heads than this count as any.
const HEADS_LIMIT: usize = 16;

impl Heads {
    fn any() -> Heads {
        Heads { any: true, returns: true, set: Vec::new() }
    }

    fn join(&mut self, other: &Heads) {
        self.any |= other.any;
        self.returns |= other.returns;
        for head in &other.set {
            if !self.set.contains(head) {
                self.set.push(head.clone());
            }
        }
        self.any |= self.set.len() > HEADS_LIMIT;
    }

    /// The head of a known value.
    fn head_of(value: &Value) -> Option<Head> {
        match value {
            Value::Scalar(scalar) => Some(Head::Scalar(scalar.clone())),
            Value::Data { tag, .. } => Some(Head::Tag(*tag)),
            Value::Term(_) | Value::List(_) | Value::Open(_) | Value::Map(_) | Value::Union(_) => None,
            Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => None,
        }
    }

    /// Tests whether an answer is possible by these heads; `None` is no answer.
    #[must_use]
    pub fn admits(&self, answer: Option<&Value>) -> bool {
        self.any || self.set.iter().any(|head| head.fits(answer))
    }
}

/// Computes the heads of every instruction of every function.
pub(super) fn compute(functions: &mut [Function], constants: &[Value]) {
    let mut entries: Vec<Heads> = vec![Heads::default(); functions.len()];
    loop {
        let before = entries.clone();
        for (at, function) in functions.iter_mut().enumerate() {
            function.heads = function_heads(function, constants, &entries);
            entries[at] = function.heads.first().cloned().unwrap_or_else(Heads::any);
        }
        if before == entries {
            return;
        }
    }
}

fn function_heads(function: &Function, constants: &[Value], entries: &[Heads]) -> Vec<Heads> {
    let mut heads = vec![Heads::default(); function.code.len()];
    loop {
        let mut changed = false;
        for pc in (0..function.code.len()).rev() {
            let own = transfer(function, pc, constants, entries, &heads);
            changed |= own != heads[pc];
            heads[pc] = own;
        }
        if !changed {
            return heads;
        }
    }
}

fn transfer(function: &Function, pc: usize, constants: &[Value], entries: &[Heads], heads: &[Heads]) -> Heads {
    let mut own = Heads::default();
    let follow = |own: &mut Heads, to: Pc| {
        if let Some(next) = heads.get(to as usize) {
            own.join(next);
        }
    };
    let following = pc as Pc + 1;
    if is_reported(function, pc) {
        return Heads::any();
    }
    match &function.code[pc] {
        Op::Reply { src } => reply(&mut own, part(function, pc), *src, constants),
        Op::End => own.set.push(Head::Nothing),
        Op::Return { .. } => own.returns = true,
        Op::Call { function: callee, .. } => {
            let callee = &entries[*callee as usize];
            own.join(&Heads { returns: false, ..callee.clone() });
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

fn reply(own: &mut Heads, part: (&[Op], u32), src: Operand, constants: &[Value]) {
    let mut seen = BTreeSet::new();
    let mut found = Some(Vec::new());
    heads_of(part, src, constants, &mut seen, &mut found);
    match found {
        Some(heads) if heads.len() <= HEADS_LIMIT => own.set.extend(heads),
        _ => *own = Heads::any(),
    }
}

/// Collects the heads of what an operand may hold; `None` where they are not known.
fn heads_of(
    part: (&[Op], u32),
    operand: Operand,
    constants: &[Value],
    seen: &mut BTreeSet<u32>,
    found: &mut Option<Vec<Head>>,
) {
    let register = match operand {
        Operand::Register(register) => register,
        Operand::Constant(constant) => return add(found, Heads::head_of(&constants[constant as usize])),
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
            Op::Make { dst, tag, .. } if *dst == register => add(found, Some(Head::Tag(*tag))),
            Op::Copy { dst, src } | Op::Swap { dst, src, .. } | Op::Join { dst, src, .. } if *dst == register => {
                heads_of(part, *src, constants, seen, found);
            }
            op if writes(op) == Some(register) => *found = None,
            Op::Next { element, presence, cursor, .. } if [*element, *presence, *cursor].contains(&register) => {
                *found = None;
            }
            _ => {}
        }
    }
}

fn add(found: &mut Option<Vec<Head>>, head: Option<Head>) {
    match (found.as_mut(), head) {
        (Some(heads), Some(head)) if !heads.contains(&head) => heads.push(head),
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
