//! Requests that change nothing, whatever the state, where they are answered as they were.
//!
//! `if v == n { reply 0; } n := v; reply 1;`: answered 0, it has changed nothing; answered 1, it may have.
//!
//! Code is followed from its entry, with whether anything was written on the way; a side from which the answer cannot come any more
//! is not.

use rustc_hash::FxHashSet;

use super::code::{Op, Operand, Program, Register};
use super::dataflow::Graph;
use crate::value::Value;

impl Program {
    /// Tests whether a handler that gives this answer to this request (`None`: any answer) has changed nothing, in every state.
    #[must_use]
    pub fn changes_nothing(&self, request: &Value, answer: Option<&Value>) -> bool {
        self.steps.is_empty()
            && !PureSearch { program: self, request, answer, met: FxHashSet::default() }
                .comes_to(&|_, op, wrote| wrote && matches!(op, Op::Reply { .. } | Op::End))
    }

    /// Tests whether serving a request may be faulty, or break the client's duty, in some state.
    #[must_use]
    pub fn may_fail(&self, request: &Value) -> bool {
        let mut search = PureSearch { program: self, request, answer: None, met: FxHashSet::default() };
        search.comes_to(&|program, op, _| match op {
            Op::Call { function, .. } => !program.all_called(*function, &|_, op| !op.may_fault()),
            op => op.may_fault(),
        })
    }

    /// Tests whether each handler answers just once, in one section.
    #[must_use]
    pub fn answers_at_once(&self) -> bool {
        self.all_called(self.serve, &|program, op| !program.ends_silently(op))
    }

    fn ends_silently(&self, op: &Op) -> bool {
        matches!(op, Op::End | Op::Yield)
    }

    /// Tests whether something holds of every instruction that a function comes to, and those that it calls.
    fn all_called(&self, function: u32, holds: &dyn Fn(&Program, &Op) -> bool) -> bool {
        let (mut open, mut met) = (vec![function], FxHashSet::default());
        while let Some(number) = open.pop() {
            let function = &self.functions[number as usize];
            let reached =
                Graph::of(function).reached(0, |at| !function.code.get(at).is_some_and(|op| self.ends(op.plain())));
            met.insert(number);
            for (op, _) in function.code.iter().zip(reached).filter(|(_, reached)| *reached) {
                if !holds(self, op.plain()) {
                    return false;
                }
                if let Op::Call { function, .. } = op.plain()
                    && !met.contains(function)
                {
                    open.push(*function);
                }
            }
        }
        true
    }

    /// Tests whether every path ends at an instruction: the client breaks its duty there, or the specification is wrong.
    fn ends(&self, op: &Op) -> bool {
        match op {
            Op::Fault { .. } => true,
            Op::Expects { cond: Operand::Constant(at) } => self.constants[*at as usize] == Value::from(false),
            _ => false,
        }
    }
}

struct PureSearch<'s> {
    program: &'s Program,
    request: &'s Value,
    answer: Option<&'s Value>,
    /// Positions that were met, each with whether something was written before, and what is known of a register.
    met: FxHashSet<(usize, PathFacts)>,
}

/// The facts that are known before an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct PathFacts {
    /// Something may have been written.
    wrote: bool,
    /// The register of the last test of the request's variant, and its outcome.
    tested: Option<(Register, bool)>,
}

impl PureSearch<'_> {
    /// Tests whether a way to the answer comes to an instruction of some kind; of each it is told whether something was written before.
    fn comes_to(&mut self, is_one: &dyn Fn(&Program, &Op, bool) -> bool) -> bool {
        let function = &self.program.functions[self.program.serve as usize];
        let mut open = vec![(0, PathFacts::default())];
        while let Some((pc, before)) = open.pop() {
            let can_answer = self.answer.is_none() || function.reply_shapes[pc].admits(self.answer);
            if !can_answer || !self.met.insert((pc, before)) {
                continue;
            }
            let op = function.code[pc].plain();
            let after = self.after(op, before);
            if is_one(self.program, op, after.wrote) {
                return true;
            }
            match self.only_way(op, pc + 1, after) {
                Some(way) => open.push((way, after)),
                None => open.extend(op.successors(pc).map(|way| (way, after))),
            }
        }
        false
    }

    fn after(&self, op: &Op, before: PathFacts) -> PathFacts {
        let written = op.defs();
        let mut tested = before.tested.filter(|(known, _)| !written.contains(known));
        if let (Op::IsVariant { dst, src: Operand::Register(0), tag }, Value::Data { tag: own, .. }) =
            (op, self.request)
        {
            tested = Some((*dst, tag == own));
        }
        PathFacts { wrote: before.wrote || self.writes(op), tested }
    }

    /// The way on that a request of this variant takes, where that decides it.
    fn only_way(&self, op: &Op, following: usize, before: PathFacts) -> Option<usize> {
        let (cond, to) = match (op, self.request) {
            (Op::ByVariant { src: Operand::Register(0), targets, none }, Value::Data { tag, .. }) => {
                return Some(targets.get(*tag as usize).copied().unwrap_or(*none) as usize);
            }
            (Op::Unless { cond: Operand::Register(cond), to }, _) => (cond, to),
            (Op::Branch { cond: Operand::Register(cond), otherwise }, _) => (cond, otherwise),
            _ => return None,
        };
        let (_, holds) = before.tested.filter(|(register, _)| register == cond)?;
        Some(if holds { following } else { *to as usize })
    }

    /// Tests whether an instruction may change the state; a procedure that may answer is taken to.
    fn writes(&self, op: &Op) -> bool {
        let stays = |_: &Program, op: &Op| op.stores().is_none() && !matches!(op, Op::Reply { .. });
        match op {
            Op::Call { function, .. } => !self.program.all_called(*function, &stays),
            op => op.stores().is_some(),
        }
    }
}
