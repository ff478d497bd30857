//! Requests that change nothing in any state if they get a certain answer, and requests that may be faulty.
//!
//! For example `if v == n { reply 0; } n := v; reply 1;` has changed nothing if it answered 0; if it answered 1, it may have.
//!
//! The search follows paths from the entry of a handler, and notes whether anything was written: a procedure that writes counts as having
//! written before it answers. It leaves out sides from which the answer cannot come any more. Of a request only the variant counts, and of an answer only the instructions from which it can come.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::dataflow::reached;
use super::facts::{ReplyShape, ReplyShapes};
use crate::spec::code::{Function, Op, Operand, Program, Register};
use crate::syntax::ast::NodeId;
use crate::value::Value;

/// The register of a request, when its handler begins.
const REQUEST: Register = 0;

/// Facts about the requests of a program that hold in every state; each is computed once.
pub struct RequestFacts<'p> {
    program: &'p Program,
    serve: &'p Function,
    /// For each variant of the request and set of instructions from which the answer can come: set if the request may change something.
    changes: FxHashMap<(Option<u32>, Vec<bool>), bool>,
    /// For each variant of the request: set if it may be faulty, or break the client's duty.
    failures: FxHashMap<Option<u32>, bool>,
}

impl<'p> RequestFacts<'p> {
    /// The facts about a program, none of which is computed yet.
    #[must_use]
    pub fn new(program: &'p Program) -> RequestFacts<'p> {
        let serve = &program.functions[program.serve as usize];
        RequestFacts { program, serve, changes: FxHashMap::default(), failures: FxHashMap::default() }
    }

    /// Tests whether a handler that gives this answer (`None`: any answer) to this request has changed nothing, in every state.
    pub fn changes_nothing(&mut self, request: &Value, answer: Option<&Value>) -> bool {
        let admits = |shapes: &ReplyShapes| answer.is_none() || shapes.admits(answer);
        let about = (variant(request), self.serve.reply_shapes.iter().map(admits).collect());
        let (program, serve) = (self.program, self.serve);
        let changes = self.changes.entry(about).or_insert_with_key(|(variant, admitted)| {
            let mut writes = |_, op: &Op, wrote| wrote && program.may_end(op);
            WaySearch { program, serve, variant: *variant, admitted: Some(admitted) }.comes_to(&mut writes)
        });
        !*changes
    }

    /// Tests whether the handler of restarts may be faulty.
    #[must_use]
    pub fn restart_may_fail(&self) -> bool {
        self.program.restarts.is_some_and(|function| !self.program.all_called(function, &|op| !op.may_fault()))
    }

    /// Tests whether an internal step of the server may be faulty.
    #[must_use]
    pub fn steps_may_fail(&self) -> bool {
        let program = self.program;
        program.steps.iter().any(|step| !program.all_called(step.function, &|op| !op.may_fault()))
    }

    /// Tests whether the handler of a request may be faulty, or break the client's duty, in some state; or an internal step of the server.
    pub fn may_fail(&mut self, request: &Value) -> bool {
        if self.steps_may_fail() {
            return true;
        }
        let (program, serve) = (self.program, self.serve);
        *self.failures.entry(variant(request)).or_insert_with_key(|variant| {
            let mut fails = |_, op: &Op, _| match op {
                Op::Call { function, .. } => !program.all_called(*function, &|op| !op.may_fault()),
                op => op.may_fault(),
            };
            WaySearch { program, serve, variant: *variant, admitted: None }.comes_to(&mut fails)
        })
    }

    /// Tests whether a request may break the client's duty in some state, also by being one that no handler takes.
    #[must_use]
    pub fn may_break_duty(&self, request: &Value) -> bool {
        let (program, serve) = (self.program, self.serve);
        let is_other = |op: &Op| !matches!(op.plain(), Op::Expects { .. });
        let mut breaks = |_, op: &Op, _| match op {
            Op::Call { function, .. } => !program.all_called(*function, &is_other),
            op => !is_other(op),
        };
        WaySearch { program, serve, variant: variant(request), admitted: None }.comes_to(&mut breaks)
    }
}

impl RequestFacts<'_> {
    /// The statements and expressions that a handler may come to, or a procedure that it calls, if it gives this answer to this request
    /// (`None`: any answer).
    #[must_use]
    pub fn passed(&self, request: &Value, answer: Option<&Value>) -> FxHashSet<NodeId> {
        let admits = |pc: usize| answer.is_none() || self.serve.reply_shapes[pc].admits(answer);
        let mut passed = FxHashSet::default();
        self.follow(request, &admits, &mut |function, pc| {
            passed.insert(function.origin[pc]);
        });
        passed
    }

    /// The statements by which a handler may answer this request on a way that comes to no statement to be avoided, each with the variant of
    /// its answer. An answer whose variant is not known is left out.
    #[must_use]
    pub fn replies(&self, request: &Value, is_avoided: &dyn Fn(NodeId) -> bool) -> BTreeSet<(u32, NodeId)> {
        let mut replies = BTreeSet::new();
        self.follow(request, &|pc| !is_avoided(self.serve.origin[pc]), &mut |function, pc| {
            let shapes = function.reply_shapes.get(pc).filter(|shapes| !shapes.any);
            if let (Op::Reply { .. } | Op::Announce { .. }, Some(shapes)) = (function.code[pc].plain(), shapes) {
                let tag = |shape: &ReplyShape| if let ReplyShape::Tag(tag) = shape { Some(*tag) } else { None };
                let tags = shapes.set.iter().filter_map(tag);
                replies.extend(tags.map(|tag| (tag, function.origin[pc])));
            }
        });
        replies
    }

    /// Visits the instructions that a handler may come to with this request, past admitted positions only, and all those of the functions
    /// that it calls.
    fn follow(&self, request: &Value, admits: &dyn Fn(usize) -> bool, visit: &mut dyn FnMut(&Function, usize)) {
        let (program, serve) = (self.program, self.serve);
        let admitted: Vec<bool> = (0..serve.code.len()).map(admits).collect();
        let (mut open, mut met) = (Vec::new(), FxHashSet::default());
        WaySearch { program, serve, variant: variant(request), admitted: Some(&admitted) }.comes_to(
            &mut |pc, op, _| {
                visit(serve, pc);
                open.extend(called(op));
                false
            },
        );
        while let Some(number) = open.pop() {
            let function = &program.functions[number as usize];
            if met.insert(number) {
                (0..function.code.len()).for_each(|pc| visit(function, pc));
                open.extend(function.code.iter().filter_map(|op| called(op.plain())));
            }
        }
    }
}

/// The function that an instruction calls.
fn called(op: &Op) -> Option<u32> {
    if let Op::Call { function, .. } = op { Some(*function) } else { None }
}

fn variant(request: &Value) -> Option<u32> {
    if let Value::Data { tag, .. } = request { Some(*tag) } else { None }
}

impl Program {
    /// For each function and position, set if a path from there may come to a duty of the client, in the function or those that it calls.
    #[must_use]
    pub fn duties_ahead(&self) -> Vec<Vec<bool>> {
        let is_other = |op: &Op| !matches!(op.plain(), Op::Expects { .. });
        let is_met = |op: &Op| match op.plain() {
            Op::Call { function, .. } => !self.all_called(*function, &is_other),
            op => !is_other(op),
        };
        let ahead = |function: &Function| {
            let code = &function.code;
            let mut ahead: Vec<bool> = code.iter().map(is_met).collect();
            loop {
                let before = ahead.clone();
                for at in (0..code.len()).rev() {
                    ahead[at] |= code[at].successors(at).any(|to| ahead.get(to) == Some(&true));
                }
                if ahead == before {
                    return ahead;
                }
            }
        };
        self.functions.iter().map(ahead).collect()
    }

    /// For each variable, set if an internal step of the server may change it.
    #[must_use]
    pub fn changed_by_steps(&self) -> Vec<bool> {
        let keeps = |slot: u32, op: &Op| op.stores().is_none_or(|(other, _)| other != slot);
        let changes = |slot, function| !self.all_called(function, &|op| keeps(slot, op));
        (0..self.slots.len() as u32).map(|slot| self.steps.iter().any(|step| changes(slot, step.function))).collect()
    }

    /// Tests whether each handler answers once, and runs in one section.
    #[must_use]
    pub fn answers_at_once(&self) -> bool {
        self.all_called(self.serve, &|op| !matches!(op, Op::End) && !op.is_asynchronous())
    }

    /// Tests whether each handler answers once, and is suspended by calls of peers only.
    #[must_use]
    pub fn answers_after_calls(&self) -> bool {
        let is_call = |op: &Op| matches!(op.plain(), Op::CallPeer { .. } | Op::CallPeers { .. });
        self.all_called(self.serve, &|op| !matches!(op, Op::End) && (!op.is_asynchronous() || is_call(op)))
    }

    /// Tests whether a handler may have to wait for another request, as it has an `assume`.
    #[must_use]
    pub fn may_hold(&self) -> bool {
        !self.all_called(self.serve, &|op| !matches!(op, Op::Assume { .. } | Op::Require { .. }))
    }

    /// Tests whether an answer of a peer may break the client's duty: an `expects` may come after a call.
    #[must_use]
    pub fn has_duties_after_calls(&self) -> bool {
        let calls = |op: &Op| matches!(op.plain(), Op::CallPeer { .. } | Op::CallPeers { .. });
        let may_call = |op: &Op| match op.plain() {
            Op::Call { function, .. } => !self.all_called(*function, &|op| !calls(op)),
            op => calls(op),
        };
        let mut functions = self.functions.iter().zip(self.duties_ahead());
        functions.any(|(function, ahead)| {
            let is_before = |at: usize| function.code[at].successors(at).any(|to| ahead.get(to) == Some(&true));
            (0..function.code.len()).any(|at| may_call(&function.code[at]) && is_before(at))
        })
    }

    /// Tests whether peers may still be called, or see a call, once each request has its answer.
    #[must_use]
    pub fn may_call_later(&self) -> bool {
        let is_all =
            |least: &Operand| matches!(least, Operand::Constant(at) if self.constants[*at as usize] == Value::Absent);
        let is_left = |op: &Op| matches!(op.plain(), Op::CallPeers { least, .. } if !is_all(least));
        let calls = |op: &Op| matches!(op.plain(), Op::CallPeer { .. } | Op::CallPeers { .. });
        let is_in = |is_it: &dyn Fn(&Op) -> bool| self.functions.iter().any(|function| function.code.iter().any(is_it));
        let begun = self.steps.iter().map(|step| step.function).chain(self.opens).chain(self.closes);
        let mut unasked = begun.chain(self.restarts);
        is_in(&is_left)
            || is_in(&calls) && !self.answers_after_calls()
            || unasked.any(|function| !self.all_called(function, &|op| !calls(op)))
    }

    /// Tests whether the initial state, or a handler of connections, may be faulty.
    #[must_use]
    pub fn may_fail_unasked(&self) -> bool {
        let mut begun = [self.init].into_iter().chain(self.opens).chain(self.closes);
        begun.any(|function| !self.all_called(function, &|op| !op.may_fault()))
    }

    /// Tests whether nothing is pending once each request has its answer: no other messages are sent, and no step is suspended.
    #[must_use]
    pub fn rests_when_answered(&self) -> bool {
        let sends = |op: &Op| matches!(op.plain(), Op::SendTo { .. } | Op::Close { .. } | Op::CallPeers { .. });
        let is_told = self.opens.is_some() || self.closes.is_some();
        let mut steps = self.steps.iter();
        !is_told
            && !self.functions.iter().any(|function| function.code.iter().any(sends))
            && steps.all(|step| self.all_called(step.function, &|op| !op.is_asynchronous()))
    }

    /// Tests whether the server may be faulty anywhere, or a client break its duty. Counting a map or set that may be unknown is a fault,
    /// too: `counts_unknown` says whether the code does that.
    pub(crate) fn may_be_wrong(&self, counts_unknown: bool) -> bool {
        let steps = self.steps.iter().map(|step| step.function);
        let mut begun =
            [self.init, self.serve].into_iter().chain(self.opens).chain(self.closes).chain(self.restarts).chain(steps);
        let fails = |function| !self.all_called(function, &|op| !op.may_fault());
        counts_unknown || begun.any(fails)
    }

    /// Tests whether a condition holds for every reachable instruction of a function, and of those that it calls.
    pub(crate) fn all_called(&self, function: u32, holds: &dyn Fn(&Op) -> bool) -> bool {
        let (mut open, mut met) = (vec![function], FxHashSet::default());
        while let Some(number) = open.pop() {
            if !met.insert(number) {
                continue;
            }
            let (code, reachable) = (&self.functions[number as usize].code, &self.reachable[number as usize]);
            for (op, _) in code.iter().zip(reachable).filter(|(_, reachable)| **reachable) {
                if !holds(op.plain()) {
                    return false;
                }
                if let Op::Call { function, .. } = op.plain() {
                    open.push(*function);
                }
            }
        }
        true
    }

    /// Marks the instructions that some path may come to; to be called when all functions are there.
    pub(crate) fn note_reachable(&mut self) {
        let returning = self.returning();
        let of = |function: &Function| reached(function, |op| self.goes_on(op.plain(), &returning));
        self.reachable = self.functions.iter().map(of).collect();
    }

    /// Marks the functions whose calls may return: not those of which each path answers, or ends otherwise.
    fn returning(&self) -> Vec<bool> {
        let mut returning = vec![false; self.functions.len()];
        loop {
            let may_return = |function: &Function| {
                let reached = reached(function, |op| self.goes_on(op.plain(), &returning));
                let mut reached = function.code.iter().zip(reached).filter(|(_, reached)| *reached);
                reached.any(|(op, _)| matches!(op.plain(), Op::Return { .. }))
            };
            let next: Vec<bool> = self.functions.iter().map(may_return).collect();
            if next == returning {
                return returning;
            }
            returning = next;
        }
    }

    /// Tests whether some path may go on after an instruction.
    fn goes_on(&self, op: &Op, returning: &[bool]) -> bool {
        match op {
            Op::Call { function, .. } => returning[*function as usize],
            op => !self.ends(op),
        }
    }

    /// Tests whether a handler may be over at an instruction, with an answer or without one: a procedure that is called may answer.
    fn may_end(&self, op: &Op) -> bool {
        let is_end = |op: &Op| matches!(op, Op::Reply { .. } | Op::End);
        match op {
            Op::Call { function, .. } => !self.all_called(*function, &|op| !is_end(op)),
            op => is_end(op),
        }
    }

    /// Tests whether every path ends at an instruction: the specification is faulty there, the client breaks its duty, or the path is
    /// infeasible.
    fn ends(&self, op: &Op) -> bool {
        match op {
            Op::Fault { .. } => true,
            Op::Expects { cond: Operand::Constant(at) } | Op::Assume { cond: Operand::Constant(at) } => {
                self.constants[*at as usize] == Value::from(false)
            }
            _ => false,
        }
    }
}

/// A search along the paths that a handler can take with a request of this variant.
struct WaySearch<'s> {
    program: &'s Program,
    serve: &'s Function,
    variant: Option<u32>,
    /// The instructions that paths may pass, if not all.
    admitted: Option<&'s [bool]>,
}

/// The facts that hold before an instruction on a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathFacts {
    /// Set if something may have been written.
    wrote: bool,
    /// Set if the request is still in its register.
    has_request: bool,
    /// The register of the last test of the request's variant, and its outcome.
    tested: Option<(Register, bool)>,
}

impl WaySearch<'_> {
    /// Tests whether some path comes to an instruction that passes a test. The test also gets the position of the instruction, and whether
    /// something was written up to there.
    fn comes_to(&self, is_one: &mut dyn FnMut(usize, &Op, bool) -> bool) -> bool {
        let mut open = vec![(0, PathFacts { wrote: false, has_request: true, tested: None })];
        let mut met = FxHashSet::default();
        while let Some((pc, before)) = open.pop() {
            let is_admitted = self.admitted.is_none_or(|admitted| admitted[pc]);
            if !is_admitted || !met.insert((pc, before)) {
                continue;
            }
            let op = self.serve.code[pc].plain();
            let after = self.after(op, before);
            if is_one(pc, op, after.wrote) {
                return true;
            }
            match self.only_way(op, pc + 1, before) {
                Some(way) => open.push((way, after)),
                None => open.extend(op.successors(pc).map(|way| (way, after))),
            }
        }
        false
    }

    fn after(&self, op: &Op, before: PathFacts) -> PathFacts {
        let written = op.defs();
        let mut tested = before.tested.filter(|(known, _)| !written.contains(known));
        if let (Op::IsVariant { dst, src: Operand::Register(REQUEST), tag }, Some(own), true) =
            (op, self.variant, before.has_request)
        {
            tested = Some((*dst, *tag == own));
        }
        let has_request = before.has_request && !written.contains(&REQUEST);
        PathFacts { wrote: before.wrote || self.writes(op), has_request, tested }
    }

    /// The next position for a request of this variant, if the variant decides it.
    fn only_way(&self, op: &Op, following: usize, before: PathFacts) -> Option<usize> {
        let (cond, to) = match (op, self.variant) {
            (Op::ByVariant { src: Operand::Register(REQUEST), targets, none }, Some(own)) if before.has_request => {
                return Some(targets.get(own as usize).copied().unwrap_or(*none) as usize);
            }
            (Op::Unless { cond: Operand::Register(cond), to }, _) => (cond, to),
            (Op::Branch { cond: Operand::Register(cond), otherwise }, _) => (cond, otherwise),
            _ => return None,
        };
        let (_, holds) = before.tested.filter(|(register, _)| register == cond)?;
        Some(if holds { following } else { *to as usize })
    }

    /// Tests whether an instruction, or one of a procedure that it calls, may change the state.
    fn writes(&self, op: &Op) -> bool {
        match op {
            Op::Call { function, .. } => !self.program.all_called(*function, &|op| op.stores().is_none()),
            op => op.stores().is_some(),
        }
    }
}
