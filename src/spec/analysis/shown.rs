//! Variables whose texts are only stored, appended to, and answered: no handler compares them or looks into them.
//!
//! For example `data[k] := data.get_or(k, "") + v; reply data.get_or(k, "");` takes the same path whatever text `data[k]` is, and the
//! texts that it stores and answers begin with that text. It is not so for `if data[k] == v { .. }` and `reply v + data[k];`.
//!
//! The analysis knows for each register the variables whose texts it may hold. A variable is given up if an instruction does more with
//! such a register than pass it on.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::dataflow::{Graph, Lattice};
use crate::spec::Spec;
use crate::spec::code::{Binary, Function, Op, Operand, Pc};
use crate::spec::types::Type;

/// A set of variables, as bits by their numbers.
type Variables = u64;

/// Marks the variables whose texts are only stored, appended to and answered.
#[must_use]
pub fn shown(spec: &Spec) -> Vec<bool> {
    let program = &spec.program;
    let variables = program.state_slots();
    if variables > Variables::BITS as usize || !program.steps.is_empty() {
        return vec![false; variables];
    }
    let mut holding = Holding { spec, of: (0..variables).map(|slot| 1 << slot).collect(), looked_into: 0 };
    let functions = program.functions.iter().zip(0..).filter(|(_, number)| *number != program.init);
    let functions: Vec<(&Function, Graph)> = functions.map(|(function, _)| (function, Graph::of(function))).collect();
    loop {
        let before = (holding.of.clone(), holding.looked_into);
        functions.iter().for_each(|(function, graph)| holding.follow(function, graph));
        if before == (holding.of.clone(), holding.looked_into) {
            break;
        }
    }
    (0..variables).map(|slot| holding.looked_into >> slot & 1 == 0).collect()
}

/// The state of the analysis: for each variable, the variables whose texts it may hold; and the variables whose texts are looked into.
struct Holding<'s> {
    spec: &'s Spec,
    of: Vec<Variables>,
    looked_into: Variables,
}

/// For each register, the variables whose texts it may hold.
#[derive(Clone)]
struct HeldTexts(Vec<Variables>);

impl Lattice for HeldTexts {
    fn join(&mut self, other: &HeldTexts) -> bool {
        let mut changes = false;
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            changes |= *more & !*own != 0;
            *own |= more;
        }
        changes
    }
}

impl Holding<'_> {
    /// Follows a function, and notes the texts that it stores and those that it looks into.
    fn follow(&mut self, function: &Function, graph: &Graph) {
        // The value of the first arm is kept while the second arm uses the registers.
        let arms: RefCell<FxHashMap<Pc, Variables>> = RefCell::default();
        let mut known;
        loop {
            let waiting = arms.borrow().clone();
            let first = HeldTexts(vec![0; function.registers as usize]);
            let transfer = |at: usize, before: &HeldTexts| {
                let op = function.code.get(at)?.plain();
                let held = self.result(op, before, &waiting);
                if let Op::Swap { split, .. } = op {
                    *arms.borrow_mut().entry(*split).or_default() |= held;
                }
                Some(held_after(op, before, held))
            };
            known = graph.forward((0, first), transfer);
            if *arms.borrow() == waiting {
                break;
            }
        }
        for (op, before) in function.code.iter().zip(&known) {
            let Some(before) = before else { continue };
            self.looked_into |= self.looks_into(op.plain(), before);
            if let Some((slot, held)) = self.stored(op.plain(), before) {
                self.of[slot as usize] |= held;
            }
        }
    }

    /// The variables whose texts an operand may hold.
    fn held(&self, operand: Operand, registers: &HeldTexts) -> Variables {
        match operand {
            Operand::Register(register) => registers.0[register as usize],
            Operand::Slot(slot) => self.of.get(slot as usize).copied().unwrap_or_default(),
            Operand::Constant(_) => 0,
        }
    }

    fn all_held(&self, operands: impl IntoIterator<Item = Operand>, registers: &HeldTexts) -> Variables {
        operands.into_iter().map(|operand| self.held(operand, registers)).fold(0, |all, one| all | one)
    }

    /// The variables whose texts may be in the result of an instruction.
    fn result(&self, op: &Op, before: &HeldTexts, waiting: &FxHashMap<Pc, Variables>) -> Variables {
        let held = |operand: &Operand| self.held(*operand, before);
        match op {
            Op::Copy { src, .. }
            | Op::Field { src, .. }
            | Op::Nth { src, .. }
            | Op::Tail { src, .. }
            | Op::Index { src, .. }
            | Op::Swap { src, .. } => held(src),
            Op::Find { map, .. } => held(map),
            Op::Binary { op: Binary::Get | Binary::Add, a, .. } => held(a),
            Op::Insert { map, value, .. } => held(map) | held(value),
            Op::Retain { slot, .. } | Op::Append { slot, .. } => held(&Operand::Slot(*slot)),
            Op::AppendOne { slot, element, .. } => held(&Operand::Slot(*slot)) | held(element),
            Op::Join { src, split, .. } => held(src) | waiting.get(split).copied().unwrap_or_default(),
            Op::Make { .. } | Op::MakeList { .. } | Op::With { .. } => self.all_held(op.operands(), before),
            _ => 0,
        }
    }

    /// The variable to which an instruction stores, and the variables whose texts it may store.
    fn stored(&self, op: &Op, before: &HeldTexts) -> Option<(u32, Variables)> {
        let (slot, _) = op.stores()?;
        let stored = match op {
            Op::Store { src, .. } => self.held(*src, before),
            Op::Put { value, .. } | Op::PutIf { value, .. } => self.held(*value, before),
            Op::AppendOne { element, .. } => self.held(*element, before),
            _ => 0,
        };
        ((slot as usize) < self.of.len()).then_some((slot, stored))
    }

    /// The variables whose texts an instruction looks into: they decide its effect, or it computes something else from them.
    fn looks_into(&self, op: &Op, before: &HeldTexts) -> Variables {
        let held = |operand: &Operand| self.held(*operand, before);
        match op {
            Op::Copy { .. }
            | Op::Store { .. }
            | Op::Field { .. }
            | Op::Nth { .. }
            | Op::Tail { .. }
            | Op::DropFirst { .. }
            | Op::Make { .. }
            | Op::MakeList { .. }
            | Op::With { .. }
            | Op::IsVariant { .. }
            | Op::ByVariant { .. }
            | Op::HasLength { .. }
            | Op::AppendOne { .. }
            | Op::Unless { .. }
            | Op::Branch { .. }
            | Op::Split { .. }
            | Op::Swap { .. }
            | Op::Join { .. }
            | Op::Reply { .. } => 0,
            Op::PutIf { key, when, .. } => held(key) | held(when),
            Op::Find { key, .. } | Op::Put { key, .. } | Op::Insert { key, .. } | Op::Index { at: key, .. } => {
                held(key)
            }
            Op::Binary { op: Binary::Get | Binary::Add, b, .. } => held(b),
            Op::Append { src, .. } => held(src),
            Op::Binary { op: Binary::In, a, b, .. } if self.is_keyed(*b) => held(a),
            Op::Delete { slot, key } | Op::Retain { slot, key, .. } if self.is_keyed(Operand::Slot(*slot)) => held(key),
            op => self.all_held(op.operands(), before),
        }
    }

    /// Tests whether an operand is a variable with entries under keys: a lookup in it does not look into the texts of its values.
    fn is_keyed(&self, operand: Operand) -> bool {
        let Operand::Slot(slot) = operand else { return false };
        let ty = self.spec.program.slots.get(slot as usize).map(|slot| self.spec.types.get(slot.ty));
        matches!(ty, Some(Type::Map(..) | Type::Set(_)))
    }
}

/// The texts that the registers hold after an instruction.
fn held_after(op: &Op, before: &HeldTexts, held: Variables) -> HeldTexts {
    let mut after = before.clone();
    op.defs().into_iter().for_each(|register| after.0[register as usize] = held);
    after
}

#[cfg(test)]
mod tests {
    use super::shown;
    use crate::spec::Spec;

    #[test]
    fn some_texts_are_only_shown() {
        let cases = [
            ("reply s;", [true, true]),
            ("s := s + q; reply s;", [true, true]),
            ("m[q] := m.get_or(q, \"\") + q; reply m.get_or(q, \"\");", [true, true]),
            ("if s == q { reply q; } reply s;", [false, true]),
            ("s := q + s; reply s;", [false, true]),
            ("s := s + s; reply s;", [false, true]),
            ("reply s.lower();", [false, true]),
            ("if len(s) > 3 { reply q; } reply s;", [false, true]),
        ];
        for (body, expected) in cases {
            let text = format!(
                "protocol p {{ request string; response string; var s: string = \"\"; var m: map<string, string> = {{}};
                 on q {{ {body} }} }}"
            );
            let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{body}: {error}"));
            assert_eq!(shown(&spec), expected, "{body}");
        }
    }
}
