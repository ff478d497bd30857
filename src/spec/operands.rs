//! What an instruction reads.
//!
//! `r2 := r0 + s1` reads a register and a variable of the state.

use super::code::{Domain, Op, Operand};

impl Op {
    /// The instruction itself, whether it is watched or not.
    #[must_use]
    pub fn plain(&self) -> &Op {
        match self {
            Op::Watched { op, .. } => op,
            op => op,
        }
    }
}

/// Calls a function on every operand that an instruction reads.
pub(crate) fn visit_operands(op: &Op, visit: &mut dyn FnMut(Operand)) {
    match op {
        Op::Copy { src, .. } | Op::Store { src, .. } | Op::Return { src } | Op::Reply { src } => visit(*src),
        Op::IsVariant { src, .. } | Op::Field { src, .. } | Op::HasLength { src, .. } => visit(*src),
        Op::Nth { src, .. } | Op::Tail { src, .. } | Op::Swap { src, .. } | Op::Join { src, .. } => visit(*src),
        Op::Unary { a, .. } => visit(*a),
        Op::Binary { a, b, .. } => [*a, *b].into_iter().for_each(visit),
        Op::Put { slot, key, value } => [Operand::Slot(*slot), *key, *value].into_iter().for_each(visit),
        Op::Insert { map, key, value, .. } => [*map, *key, *value].into_iter().for_each(visit),
        Op::Replace { list, at, value, .. } => [*list, *at, *value].into_iter().for_each(visit),
        Op::Index { src, at, .. } => [*src, *at].into_iter().for_each(visit),
        Op::Slice { src, from, to, .. } => [*src, *from, *to].into_iter().for_each(visit),
        Op::Make { fields, .. } => fields.iter().copied().for_each(visit),
        Op::MakeList { elements, .. } => elements.iter().copied().for_each(visit),
        Op::With { src, fields, .. } => {
            visit(*src);
            fields.iter().for_each(|(_, operand)| visit(*operand));
        }
        Op::Iterate { over, .. } | Op::PickElement { over, .. } => visit(*over),
        Op::IterateRange { from, to, .. } | Op::RangeList { from, to, .. } => [*from, *to].into_iter().for_each(visit),
        Op::Next { cursor, .. } => visit(Operand::Register(*cursor)),
        Op::Push { dst, src } => [Operand::Register(*dst), *src].into_iter().for_each(visit),
        Op::Gather { dst, key, value, when } => {
            [Operand::Register(*dst), *key, *value, *when].into_iter().for_each(visit);
        }
        Op::Unless { cond, .. } | Op::Branch { cond, .. } | Op::Split { cond, .. } => visit(*cond),
        Op::Assume { cond } | Op::Expects { cond } => visit(*cond),
        Op::Call { args, .. } => args.iter().copied().for_each(visit),
        Op::Choose { domain: Domain::Range(from, to), .. } => [*from, *to].into_iter().for_each(visit),
        Op::Choose { domain: Domain::Element(over, _), .. } => visit(*over),
        Op::Within { element, over } => [*element, *over].into_iter().for_each(visit),
        Op::Choose { domain: Domain::Type(_) | Domain::Alternatives(_), .. } => {}
        Op::Watched { op, .. } => visit_operands(op, visit),
        Op::Jump { .. } | Op::Select { .. } | Op::Fault { .. } | Op::End | Op::Unsupported => {}
    }
}
