//! Conditionals: statements fork, expressions join.
//!
//! `if c { a } else { b }` as an expression evaluates both arms under their guards where `c` is open, and joins their values.

use super::evaluate::{self, Compared, Next, Obstacle};
use super::{Event, Frame, GUARD_LIMIT, Guard, Process, Waiting};
use crate::spec::code::{Binary, Function, Op, Operand, Pc, Program, Register};
use crate::term::{Condition, Term};
use crate::value::{self, Truth, Value};

impl Process {
    pub(super) fn statement(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        cond: Operand,
        otherwise: Pc,
    ) -> Result<Next, Obstacle> {
        match self.read(program, frame.base, cond).truth() {
            Truth::Known(true) => Ok(Next::Following),
            Truth::Known(false) => self.goto(otherwise),
            Truth::Term(condition) => self.fork(function, frame, Condition::Term(condition), otherwise),
        }
    }

    /// A statement's condition that is a comparison by order.
    #[inline]
    pub(super) fn compare(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        (op, a, b): (Binary, Operand, Operand),
        otherwise: Pc,
    ) -> Result<Next, Obstacle> {
        match evaluate::order(op, self.read(program, frame.base, a), self.read(program, frame.base, b))? {
            Compared::Known(true) => Ok(Next::Following),
            Compared::Known(false) => self.goto(otherwise),
            Compared::Open(condition) => self.fork(function, frame, condition, otherwise),
        }
    }

    #[inline]
    fn fork(
        &mut self,
        function: &Function,
        frame: Frame,
        condition: Condition,
        otherwise: Pc,
    ) -> Result<Next, Obstacle> {
        self.wait(Waiting::Side(otherwise));
        let sides = Some((frame.pc + 1, otherwise));
        self.event(frame, Event::Branch { condition, sides, site: function.origin[frame.pc as usize] })
    }

    pub(super) fn split(
        &mut self,
        program: &Program,
        frame: Frame,
        cond: Operand,
        otherwise: Pc,
    ) -> Result<Next, Obstacle> {
        match self.read(program, frame.base, cond).truth() {
            Truth::Known(true) => Ok(Next::Following),
            Truth::Known(false) => self.goto(otherwise),
            Truth::Term(_) if self.task.guards.len() >= GUARD_LIMIT => {
                // Too deep to join: the arms are told apart by forking instead, and forks are limited by the judge.
                let condition = self.read(program, frame.base, cond).truth().term();
                self.task.waiting = Waiting::Side(otherwise);
                let site = program.functions[frame.function as usize].origin[frame.pc as usize];
                self.event(frame, Event::Branch { condition: Condition::Term(condition), sides: None, site })
            }
            Truth::Term(condition) => {
                self.task.waiting = Waiting::Arms { split: frame.pc, otherwise, condition: condition.clone() };
                let path = self.task.guards.last().map(|outer| outer.path.clone());
                self.event(frame, Event::Guard { condition, path })
            }
        }
    }

    /// Goes to the end of the arm that is being evaluated, out of the functions called in it: no run comes here any more. A
    /// recursive function, say, would go on in it to the depth at which calls are cut off, in each of its calls.
    pub(super) fn leave_arm(&mut self, program: &Program) {
        let Some(&Guard { depth, split, ref first, .. }) = self.task.guards.last() else { return };
        let is_first = first.is_none();
        if let Some(base) = self.task.callers.get(depth + 1).map(|frame| frame.base) {
            self.task.registers.truncate(base as usize);
        } else if self.task.callers.len() > depth {
            self.task.registers.truncate(self.task.frame.base as usize);
        }
        if let Some(frame) = self.task.callers.get(depth).copied() {
            self.task.callers.truncate(depth);
            self.task.frame = frame;
        }
        let ends = |op: &Op| match op.plain() {
            Op::Swap { src, split: own, .. } if is_first && *own == split => Some(*src),
            Op::Join { src, split: own, .. } if !is_first && *own == split => Some(*src),
            _ => None,
        };
        let mut code = self.function(program).code.iter().enumerate();
        let Some((ending, value)) = code.find_map(|(at, op)| Some((at, ends(op)?))) else { return };
        if let Operand::Register(register) = value {
            self.set(register, Value::Absent);
        }
        self.jump(ending as Pc);
    }

    pub(super) fn is_open(&self, split: Pc) -> bool {
        self.task.guards.last().is_some_and(|g| g.split == split && g.depth == self.task.callers.len())
    }

    pub(super) fn swap(
        &mut self,
        program: &Program,
        base: u32,
        dst: Register,
        src: Operand,
        (end, split): (Pc, Pc),
    ) -> Result<Next, Obstacle> {
        let value = self.read(program, base, src).clone();
        if !self.is_open(split) {
            self.keep(dst, Ok(value))?;
            return self.goto(end);
        }
        let outer = self.task.guards.len().checked_sub(2).map(|at| self.task.guards[at].path.clone());
        if let Some(guard) = self.task.guards.last_mut() {
            let negated = Term::not(&guard.condition);
            guard.path = outer.map_or_else(|| negated.clone(), |outer| Term::and(&outer, &negated));
            guard.first = Some(value);
        }
        let Op::Split { otherwise, .. } = self.function(program).code[split as usize].plain() else {
            return self.goto(end);
        };
        self.goto(*otherwise)
    }

    pub(super) fn join(
        &mut self,
        program: &Program,
        base: u32,
        dst: Register,
        src: Operand,
        split: Pc,
    ) -> Result<Next, Obstacle> {
        let value = self.read(program, base, src).clone();
        if !self.is_open(split) {
            return self.keep(dst, Ok(value));
        }
        let first = self.task.guards.last().and_then(|guard| guard.first.as_ref());
        if let Some(ask) = first.and_then(|first| value::before_joining(first, &value)) {
            return Err(Obstacle::Ask(ask));
        }
        match self.task.guards.pop() {
            Some(guard) => {
                self.keep(dst, Ok(value::merge(&guard.condition, guard.first.unwrap_or(Value::Absent), value)))
            }
            None => self.keep(dst, Ok(value)),
        }
    }
}
