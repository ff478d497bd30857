//! A variable that becomes what it is in one of two cases is left alone there.
//!
//! `items := if gone { items.remove(key) } else { items }` goes on behind itself where it is known that nothing is gone: then
//! no second reference to the map is made, and what is written next is written where it is.

use super::retained_entries::reads;
use crate::spec::code::{Function, Op, Operand, Pc};

/// Goes around what would store a variable into itself.
pub(super) fn variables(function: &mut Function) {
    let mut at = 0;
    while at < function.code.len() {
        if let Some(over) = around(function, at) {
            insert(function, at, over);
            at += 1;
        }
        at += 1;
    }
}

/// The test that goes around a conditional whose second arm is the variable that its value is stored to, and nothing else.
fn around(function: &Function, at: usize) -> Option<Op> {
    let Op::Split { cond, otherwise } = function.code[at] else { return None };
    let Op::Join { dst, src: Operand::Slot(own), split } = *function.code.get(otherwise as usize)? else { return None };
    let Op::Store { slot, src } = *function.code.get(otherwise as usize + 1)? else { return None };
    let is_stored = own == slot && split as usize == at && src == Operand::Register(dst);
    (is_stored && reads(function, at, dst) == 1).then_some(Op::Unless { cond, to: otherwise + 2 })
}

/// Puts a test in front of the opening instruction of a conditional; what jumped to that one comes to the test.
fn insert(function: &mut Function, at: usize, test: Op) {
    let behind = |pc: Pc| pc + Pc::from(pc as usize > at);
    let from = |pc: Pc| pc + Pc::from(pc as usize >= at);
    function.code.iter_mut().for_each(|op| op.retarget(&mut { behind }, &mut { from }));
    function.counting.iter_mut().for_each(|pc| *pc = from(*pc));
    function.parts.iter_mut().for_each(|pc| *pc = behind(*pc));
    let Op::Unless { cond, to } = test else { return };
    function.code.insert(at, Op::Unless { cond, to: to + 1 });
    function.origin.insert(at, function.origin[at]);
    function.reply_shapes.insert(at, function.reply_shapes[at].clone());
}
