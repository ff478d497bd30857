//! Variables of which handlers read single entries only: `m.get(k)`, `k in m`, `m[k]`, not `len(m)` or `for k in m`.
//!
//! A symbolic entry of such a variable costs nothing as long as no request asks for it, so it may stay symbolic. If a variable is read
//! as a whole, most requests fork on it.

use crate::spec::code::{Binary, Op, Operand, Program};

/// Marks the variables that are read by single entries only.
pub(crate) fn keyed(program: &Program) -> Vec<bool> {
    let mut keyed = vec![true; program.slots.len()];
    let code = program.functions.iter().flat_map(|function| &function.code);
    for op in code.map(Op::plain) {
        let by_key = match op {
            Op::Binary { op: Binary::Get, a, .. } => Some(*a),
            Op::Binary { op: Binary::In, b, .. } => Some(*b),
            Op::Find { map, .. } => Some(*map),
            Op::Index { src, .. } => Some(*src),
            Op::Put { slot, .. } | Op::PutIf { slot, .. } | Op::Delete { slot, .. } | Op::Retain { slot, .. } => {
                Some(Operand::Slot(*slot))
            }
            _ => None,
        };
        for operand in op.operands() {
            if let (Operand::Slot(slot), true) = (operand, Some(operand) != by_key) {
                keyed[slot as usize] = false;
            }
        }
    }
    keyed
}
