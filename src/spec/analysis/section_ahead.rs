//! Facts that hold in every state about the section that begins at a place of the code.
//!
//! For example the section after the `yield` in `total := total + q; yield; reply total;` changes nothing. The section after the
//! `yield` in `let x = total; yield; total := x + q; reply total;` reads no variable before it has set it, so its result is the same in
//! every state.

use rustc_hash::FxHashSet;

use crate::spec::code::{Op, Operand, Pc, Program};
use crate::value::Value;

/// A place at which a task goes on: the number of a function, and a position in it.
pub type CodePlace = (u32, Pc);

/// Tests whether the section at a place ends with an answer, and has no other effect if it gives this answer.
#[must_use]
pub fn only_answers(program: &Program, (number, pc): CodePlace, answer: &Value) -> bool {
    let function = &program.functions[number as usize];
    let does_nothing =
        |op: &Op| op.stores().is_none() && !op.is_asynchronous() && !matches!(op, Op::Reply { .. } | Op::End);
    let mut open = vec![pc as usize];
    let mut met = FxHashSet::default();
    while let Some(at) = open.pop() {
        if !met.insert(at) {
            continue;
        }
        let Some(op) = function.code.get(at).map(Op::plain) else { return false };
        let does_more = match op {
            Op::End | Op::Return { .. } => return false,
            Op::Reply { .. } => false,
            Op::Call { function, .. } => !program.all_called(*function, &does_nothing),
            op => !does_nothing(op),
        };
        if does_more && function.reply_shapes.get(at).is_none_or(|shapes| shapes.admits(Some(answer))) {
            return false;
        }
        open.extend(op.successors(at));
    }
    true
}

/// Tests whether the section at a place reads no variable of the state that it has not set itself.
#[must_use]
pub fn reads_no_state(program: &Program, (number, pc): CodePlace) -> bool {
    let function = &program.functions[number as usize];
    let is_of_state = |operand: &Operand| matches!(operand, Operand::Slot(slot) if *slot < program.state);
    let reads_none = |op: &Op| !op.operands().iter().any(is_of_state);
    let mut open = vec![(pc as usize, SetVariables::default())];
    let mut met = FxHashSet::default();
    while let Some((at, set)) = open.pop() {
        if !met.insert((at, set)) {
            continue;
        }
        let Some(op) = function.code.get(at).map(Op::plain) else { return false };
        let reads = op.operands().iter().any(|operand| is_of_state(operand) && !set.has(*operand));
        let calls = matches!(op, Op::Call { function, .. } if !program.all_called(*function, &reads_none));
        if reads || calls {
            return false;
        }
        if matches!(op, Op::Yield | Op::CallPeer { .. } | Op::CallPeers { .. }) {
            continue;
        }
        let set = if let Op::Store { slot, .. } = op { set.with(*slot) } else { set };
        open.extend(op.successors(at).map(|next| (next, set)));
    }
    true
}

/// The variables that a path has set, as a bit set of the first 64; others count as not set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct SetVariables(u64);

impl SetVariables {
    fn with(self, slot: u32) -> SetVariables {
        SetVariables(self.0 | 1u64.checked_shl(slot).unwrap_or(0))
    }

    fn has(self, operand: Operand) -> bool {
        matches!(operand, Operand::Slot(slot) if self.0 & 1u64.checked_shl(slot).unwrap_or(0) != 0)
    }
}
