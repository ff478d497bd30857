//! Lookups in steps whose key is certainly present, such as `held[u]` after `let u = pick held.keys()`.
//!
//! Such a lookup is no possible fault. A step that cannot be faulty is followed only if a request depends on it.

use super::registers::Registers;
use crate::spec::code::{Binary, ChoiceDomain, Function, Op, Operand, Unary};

/// The lookups of a function: its code, and the known contents of its registers.
pub(super) struct Lookups<'a> {
    pub(super) function: &'a Function,
    pub(super) registers: &'a Registers,
}

impl Lookups<'_> {
    /// Tests whether an instruction looks up a key that is certainly in the map of a variable: the key was chosen among the keys of the
    /// variable, comes from a loop over them, or was assumed to be one, and nothing was stored to the variable since.
    pub(super) fn is_there(&self, pc: usize) -> bool {
        let Op::Index { src: Operand::Slot(slot), at, .. } = &self.function.code[pc] else { return false };
        let Operand::Register(key) = self.registers.origin(*at) else { return false };
        !self.may_have_stored(*slot, pc) && (self.is_element(key, *slot) || self.is_required(key, *slot, pc))
    }

    /// The position of the only instruction that writes a register, and the instruction.
    fn written(&self, register: u32) -> Option<(usize, &Op)> {
        let mut places = self.function.code.iter().enumerate().filter(|(_, op)| op.result() == Some(register));
        let only = places.next()?;
        places.next().is_none().then_some(only)
    }

    /// Tests whether an operand holds the keys of a variable.
    fn are_keys(&self, operand: Operand, slot: u32) -> bool {
        let Operand::Register(register) = operand else { return false };
        let written = self.written(register).map(|(_, op)| op);
        matches!(written, Some(Op::Unary { op: Unary::Keys, a: Operand::Slot(of), .. }) if *of == slot)
    }

    /// Tests whether a register holds a key of a variable that was chosen, or comes from a loop over the keys.
    fn is_element(&self, key: u32, slot: u32) -> bool {
        let chosen = self.written(key).is_some_and(|(_, op)| match op {
            Op::Choose { domain: ChoiceDomain::Element(over, _), .. } | Op::PickElement { over, .. } => {
                self.are_keys(*over, slot)
            }
            _ => false,
        });
        let mut loops = self.function.code.iter().filter_map(|op| match op {
            Op::Next { cursor, element, .. } if *element == key => Some(*cursor),
            _ => None,
        });
        let over = |cursor: u32| match self.written(cursor) {
            Some((_, Op::Iterate { over, .. } | Op::IterateInOrder { over, .. })) => self.are_keys(*over, slot),
            _ => false,
        };
        chosen || loops.next().is_some_and(over)
    }

    /// Tests whether every path to an instruction assumes that a variable has a key.
    fn is_required(&self, key: u32, slot: u32, pc: usize) -> bool {
        let code = &self.function.code;
        (0..pc).any(|at| {
            let Op::Assume { cond: Operand::Register(condition) } = &code[at] else { return false };
            let is_in = match self.written(*condition) {
                Some((_, Op::Binary { op: Binary::In, a, b: Operand::Slot(of), .. })) => {
                    *of == slot && self.registers.origin(*a) == Operand::Register(key)
                }
                _ => false,
            };
            is_in && code[..at].iter().all(|op| op.ways().iter().all(|to| *to as usize <= at))
        })
    }

    /// Tests whether an instruction before `pc`, or in a loop with it, stores to a variable.
    fn may_have_stored(&self, slot: u32, pc: usize) -> bool {
        let code = &self.function.code;
        let stores = |op: &Op| matches!(op, Op::Call { .. }) || op.stores().is_some_and(|(stored, _)| stored == slot);
        let comes_back = |from: usize| code[from..].iter().any(|op| op.ways().iter().any(|to| *to as usize <= pc));
        code.iter().enumerate().any(|(at, op)| stores(op) && (at < pc || comes_back(at)))
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::Spec;

    #[test]
    fn a_lookup_is_safe_where_the_key_is_certainly_there() {
        let cases = [
            ("let k = pick m.keys(); n := m[k];", true),
            ("let k = choose k: int where m.contains(k); n := m[k];", true),
            ("n := len({k for k in m.keys() if m[k] == 1});", true),
            ("let k = pick k in m.keys() where m[k] == 1 && (all j in m.keys(): m[j] < 2); m[k] := 2;", true),
            ("let k = pick m.keys(); m := m.remove(k); n := m[k];", false),
            ("let k = pick o.keys(); n := m[k];", false),
            ("let k = pick m.keys(); n := m[k + 1];", false),
            ("let k = pick 0..3; if k > 1 { assume m.contains(k); } n := m[k];", false),
            ("let old = m.keys(); m := {}; n := len({k for k in old if m[k] == 1});", false),
        ];
        for (body, faultless) in cases {
            let members = "var m: map<int, int> = {}; var o: map<int, int> = {}; var n: int = 0; on q { reply n; }";
            let text = format!("protocol p {{ request int; response int; {members} step {{ {body} }} }}");
            let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{body}: {error}"));
            let found: Vec<bool> = spec.program.components.iter().map(|component| component.faultless).collect();
            assert_eq!(found, [faultless], "{body}");
        }
    }
}
