//! The loop that runs a process to its next event.

use super::collect::{RANGE, chooses_for_each, cursor};
use super::evaluate::{self, Evaluated, Next, Obstacle};
use super::glide::{Knows, glides};
use super::reading::decide_state;
use super::{Event, Frame, Limit, Process, Waiting};
use crate::spec::Site;
use crate::spec::code::{Binary, Domain, FaultKind, Function, Op, Operand, Pc, Program, Register};
use crate::spec::heads::writes;
use crate::term::{Condition, Term};
use crate::value::{self, Truth, Value};

impl Process {
    /// Runs to the next event.
    pub fn advance(&mut self, program: &Program) -> Event {
        self.advance_knowing(program, &mut ())
    }

    /// The same; a condition that its handler can tell, or take up, at once is no event.
    pub fn advance_knowing(&mut self, program: &Program, knows: &mut impl Knows) -> Event {
        if self.task.held.is_some()
            && let Some(held) = self.task.held.take()
        {
            return *held;
        }
        if !self.task.running {
            return Event::Recv;
        }
        let function = &program.functions[self.task.frame.function as usize];
        if self.task.oversize.is_none() && knows.glides() {
            self.glide(program, function, knows);
            match &function.code[self.task.frame.pc as usize] {
                Op::Reply { src } if self.task.fuel > 0 => return self.reply(program, function, *src),
                Op::Choose { dst, domain: Domain::Type(ty) } if self.task.fuel > 0 && self.task.guards.is_empty() => {
                    return self.choose_any(function, *dst, *ty);
                }
                _ => {}
            }
        }
        self.stride(program, knows)
    }

    /// Runs to the next event, whatever it takes.
    #[inline(never)] // It keeps more at hand than there is room for beside what glides.
    fn stride(&mut self, program: &Program, knows: &mut impl Knows) -> Event {
        while self.task.running {
            let frame = self.task.frame;
            let function = &program.functions[frame.function as usize];
            if self.task.fuel == 0 {
                return self.cut(program, Limit::Section);
            }
            if self.task.oversize.is_some()
                && let Some(register) = self.task.oversize.take()
            {
                return self.force(register, function.origin[frame.pc as usize]);
            }
            self.task.fuel -= 1;
            match self.carry_out(program, function, frame) {
                Ok(Next::Following) => self.jump(frame.pc + 1),
                Ok(Next::Moved) => {}
                Ok(Next::Event(event)) => return event,
                Err(obstacle) => {
                    if let Some(event) = self.overcome(program, frame, obstacle, function.origin[frame.pc as usize]) {
                        return event;
                    }
                }
            }
            if self.task.oversize.is_none() && knows.glides() {
                self.glide_on(program, knows);
            }
        }
        Event::Recv
    }

    /// Carries out the instruction at which the process stands.
    #[inline]
    pub(super) fn carry_out(&mut self, program: &Program, function: &Function, frame: Frame) -> Result<Next, Obstacle> {
        let op = match &function.code[frame.pc as usize] {
            Op::Watched { op, touches } => {
                self.note_touches(program, frame.base, touches);
                op
            }
            op => op,
        };
        self.execute(program, function, frame, op)
    }

    /// [`Process::glide`], where that gets anywhere.
    #[inline]
    fn glide_on(&mut self, program: &Program, knows: &mut impl Knows) {
        let function = self.function(program);
        if function.code.get(self.task.frame.pc as usize).is_some_and(glides) {
            self.glide_apart(program, function, knows);
        }
    }

    /// What an obstacle leads to.
    #[cold]
    fn overcome(&mut self, program: &Program, frame: Frame, obstacle: Obstacle, site: Site) -> Option<Event> {
        match obstacle {
            Obstacle::Limit(limit) => {
                self.jump(frame.pc + 1);
                Some(self.cut(program, limit))
            }
            Obstacle::Ask(ask) => self.ask_for(program, &ask, site),
            Obstacle::Uncounted => self.uncounted(program, frame),
            Obstacle::Decide(condition) => self.fork_on(program, condition, site),
        }
    }

    /// Answers the request.
    #[inline]
    fn reply(&mut self, program: &Program, function: &Function, src: Operand) -> Event {
        let frame = self.task.frame;
        // No register is read any more.
        let value = match src {
            Operand::Register(register) => {
                std::mem::replace(&mut self.task.registers[(frame.base + register) as usize], Value::Absent)
            }
            Operand::Slot(_) | Operand::Constant(_) => self.read(program, frame.base, src).copied(),
        };
        self.task.running = false;
        Event::Send(value, function.origin[frame.pc as usize])
    }

    /// Asks for a decision that takes alternatives away from a value.
    fn force(&mut self, register: Register, site: Site) -> Event {
        let condition = match self.register(register) {
            Value::Union(alternatives) => alternatives[0].0.clone(),
            _ => Truth::Known(true).term(),
        };
        self.task.waiting = Waiting::Force(register, condition.clone());
        Event::Branch { condition: Condition::Term(condition), sides: None, site }
    }

    /// Asks for a decision on which the current instruction depends, or uses the one that was made.
    fn fork_on(&mut self, program: &Program, condition: Term, site: Site) -> Option<Event> {
        let known = condition.as_bool().or_else(|| self.decided(&condition));
        match known {
            Some(holds) if self.decide_operands(program, &condition, holds) => None,
            Some(_) => {
                // Nothing that can be decided brings the instruction forward.
                let pc = self.frame().pc;
                self.jump(pc + 1);
                Some(self.cut(program, Limit::Undecidable))
            }
            None => {
                self.task.waiting = Waiting::Decision(condition.clone());
                Some(Event::Branch { condition: Condition::Term(condition), sides: None, site })
            }
        }
    }

    /// An unknown collection was counted.
    fn uncounted(&mut self, program: &Program, frame: Frame) -> Option<Event> {
        // Where the arm is not taken, what would have been its result has no value; an earlier one must not be met there.
        if let Some(dst) = writes(&program.functions[frame.function as usize].code[frame.pc as usize]) {
            self.set(dst, Value::Absent);
        }
        match self.fault(program, frame, Truth::Known(true), FaultKind::Uncounted) {
            Ok(Next::Event(event)) => Some(event),
            Ok(Next::Following | Next::Moved) | Err(_) => {
                self.jump(frame.pc + 1);
                None
            }
        }
    }

    /// The end of a path by a limit. Without a guard nothing follows; under one, what follows the arm.
    pub(super) fn cut(&mut self, program: &Program, limit: Limit) -> Event {
        self.task.fuel = self.task.fuel.max(1);
        let condition = self.under_guard(Truth::Known(true));
        self.leave_arm(program);
        Event::Cut(condition, limit)
    }

    #[inline]
    pub(super) fn execute(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        op: &Op,
    ) -> Result<Next, Obstacle> {
        let base = frame.base;
        match op {
            Op::Copy { dst, src } => self.keep(*dst, Ok(self.read(program, base, *src).clone())),
            Op::Store { slot, src } => self.store(program, base, *slot, *src),
            Op::Unary { dst, op, a } => self.keep(*dst, evaluate::unary(*op, self.read(program, base, *a))),
            Op::Binary { dst, op: Binary::Split, a, b } => {
                let [a, b] = [*a, *b].map(|operand| self.read(program, base, operand).clone());
                self.split_text(frame, *dst, [&a, &b], function.origin[frame.pc as usize])
            }
            Op::Binary { dst, op: Binary::Get, a: Operand::Slot(slot), b } => {
                self.get(program, frame, *dst, (*slot, *b))
            }
            Op::Binary { dst, op, a, b } => {
                self.keep(*dst, evaluate::binary(*op, self.read(program, base, *a), self.read(program, base, *b)))
            }
            Op::Find { dst, there, map, key } => self.find(program, frame, [*dst, *there], (*map, *key)),
            Op::Append { dst, slot, src } => self.append(program, frame, *dst, *slot, *src),
            Op::AppendOne { dst, slot, element } => self.append_one(program, frame, *dst, *slot, *element),
            Op::Retain { dst, slot, key, kept, stored } => self.retain(program, (*dst, *slot), [*key, *kept], *stored),
            Op::Behead { slot, from } => self.behead(*slot, *from as usize),
            Op::Put { slot, key, value } => self.put(program, base, *slot, *key, *value),
            Op::Delete { slot, key } => self.delete(program, base, *slot, *key),
            Op::Insert { dst, map, key, value } => self.keep(*dst, self.insert(program, base, [*map, *key, *value])),
            Op::Replace { dst, list, at, value } => self.replace(program, frame, *dst, [*list, *at, *value]),
            Op::Index { dst, src, at } => {
                let (src, at) = (self.read(program, base, *src), self.read(program, base, *at));
                decide_state(src, at)?;
                let is_list = matches!(src, Value::List(_) | Value::Open(_));
                let kind = if is_list { FaultKind::OutOfRange } else { FaultKind::MissingKey };
                let found = value::index(src, at)?;
                self.partial(program, frame, *dst, found, kind)
            }
            Op::Slice { dst, src, from, to } => {
                let [src, from, to] = [*src, *from, *to].map(|operand| self.read(program, base, operand));
                let found = match src {
                    Value::List(list) => {
                        let bounds = [self.position(from, list.len())?, self.position(to, list.len())?];
                        value::slice(src, &bounds[0], &bounds[1])?
                    }
                    src => value::slice(src, from, to)?,
                };
                self.partial(program, frame, *dst, found, FaultKind::OutOfRange)
            }
            Op::Make { dst, tag, fields } => {
                let fields: std::sync::Arc<[Value]> =
                    fields.iter().map(|f| self.read(program, base, *f).clone()).collect();
                self.keep(*dst, Ok(Value::data(*tag, fields)))
            }
            Op::MakeList { dst, elements } => {
                self.keep(*dst, Ok(Value::list(elements.iter().map(|e| self.read(program, base, *e).clone()))))
            }
            Op::IsVariant { dst, src, tag } => {
                self.keep(*dst, Ok(self.node(program, base, *src)?.is_variant(*tag).into()))
            }
            Op::Field { dst, src, tag, index } => {
                self.keep(*dst, Ok(self.node(program, base, *src)?.field(*tag, *index)))
            }
            Op::With { dst, src, fields } => {
                let replaced: Vec<(u32, Value)> =
                    fields.iter().map(|(at, f)| (*at, self.read(program, base, *f).clone())).collect();
                self.keep(*dst, Ok(self.node(program, base, *src)?.with_fields(&replaced)))
            }
            Op::ByVariant { src, targets, none } => match self.read(program, base, *src) {
                Value::Data { tag, .. } => self.goto(targets.get(*tag as usize).copied().unwrap_or(*none)),
                _ => Ok(Next::Following),
            },
            Op::HasLength { dst, src, length, exact } => {
                let truth = evaluate::has_length(self.read(program, base, *src), *length as usize, *exact);
                self.keep(*dst, Ok(truth.into()))
            }
            Op::Nth { dst, src, at } => {
                let nth = |list: &std::sync::Arc<im::Vector<Value>>| list.get(*at as usize).cloned();
                let src = self.read(program, base, *src);
                evaluate::places(src, *at as usize + 1)?;
                let found = evaluate::over_lists(src, &|l| nth(l).unwrap_or(Value::Absent));
                self.keep(*dst, Ok(found))
            }
            Op::Tail { dst, src, from } => {
                let src = self.read(program, base, *src);
                evaluate::places(src, *from as usize)?;
                self.keep(*dst, Ok(evaluate::tail(src, *from as usize)))
            }
            Op::Iterate { dst, over } => {
                let over = self.read(program, base, *over);
                if chooses_for_each(function, frame.pc) {
                    value::told_apart(over)?;
                }
                self.keep(*dst, cursor(over))
            }
            Op::IterateRange { dst, from, to } => {
                let [from, to] = [*from, *to].map(|operand| self.read(program, base, operand).clone());
                self.keep(*dst, Ok(Value::data(RANGE, [from, to])))
            }
            Op::Next { cursor, element, presence, done } => self.next(base, [*cursor, *element, *presence], *done),
            Op::RangeList { dst, from, to } => {
                let range = self.range_list(self.read(program, base, *from), self.read(program, base, *to));
                self.keep(*dst, range)
            }
            Op::Push { dst, src, when } => self.push(program, base, *dst, [*src, *when]),
            Op::Gather { dst, key, value, when } => self.gather(program, base, *dst, [*key, *value, *when]),
            Op::Jump { to } => self.goto(*to),
            Op::Unless { cond, to } => match self.read(program, base, *cond).truth() {
                Truth::Known(false) => self.goto(*to),
                Truth::Known(true) | Truth::Term(_) => Ok(Next::Following),
            },
            Op::Branch { cond, otherwise } => self.statement(program, function, frame, *cond, *otherwise),
            Op::Compare { op, a, b, otherwise } => self.compare(program, function, frame, (*op, *a, *b), *otherwise),
            Op::Split { cond, otherwise } => self.split(program, frame, *cond, *otherwise),
            Op::Swap { dst, src, end, split } => self.swap(program, base, *dst, *src, (*end, *split)),
            Op::Join { dst, src, split } => self.join(program, base, *dst, *src, *split),
            Op::Call { dst, function, args } => self.call(program, frame, *dst, *function, args),
            Op::Return { src } => self.give_back(program, frame, *src),
            Op::Choose { dst, domain } => self.choose(program, function, frame, *dst, domain),
            Op::Within { element, over } => self.within(program, frame, *element, *over),
            Op::PickElement { dst, over, ty } => self.pick(program, function, frame, (*dst, *ty), *over),
            Op::Select { targets } => {
                self.task.waiting = Waiting::Target(targets.clone());
                Ok(Next::Event(Event::Or { ways: targets.len(), site: function.origin[frame.pc as usize] }))
            }
            Op::Require { dst, op, a, b } => {
                let holds = evaluate::binary(*op, self.read(program, base, *a), self.read(program, base, *b))?;
                self.set(*dst, holds);
                self.assume(program, function, frame, Operand::Register(*dst))
            }
            Op::Assume { cond } => self.assume(program, function, frame, *cond),
            Op::Expects { cond } => {
                let cond = self.where_guarded(self.read(program, base, *cond).truth_or_absent());
                self.condition(frame, cond, |cond| Event::Expects(cond, function.origin[frame.pc as usize]))
            }
            Op::Fault { kind } => self.fault(program, frame, Truth::Known(true), *kind),
            Op::Reply { src } => Ok(Next::Event(self.reply(program, function, *src))),
            Op::Yield => self.event(frame, Event::Yield),
            // The loop has taken a watched instruction out of its wrapping.
            Op::End | Op::Unsupported | Op::Watched { .. } => {
                self.task.running = false;
                Ok(Next::Event(Event::End))
            }
        }
    }

    /// A value whose constructor is there, in every alternative.
    #[inline]
    fn node<'a>(&'a self, program: &'a Program, base: u32, operand: Operand) -> Result<&'a Value, Obstacle> {
        let value = self.read(program, base, operand);
        if let Value::Data { .. } = value {
            return Ok(value);
        }
        value.unseen().map_or(Ok(value), |ask| Err(Obstacle::Ask(ask)))
    }

    #[inline]
    pub(super) fn keep(&mut self, dst: Register, value: Evaluated) -> Result<Next, Obstacle> {
        self.keep_small(dst, value?);
        Ok(Next::Following)
    }

    pub(super) fn goto(&mut self, pc: Pc) -> Result<Next, Obstacle> {
        self.jump(pc);
        Ok(Next::Moved)
    }

    pub(super) fn event(&mut self, frame: Frame, event: Event) -> Result<Next, Obstacle> {
        self.jump(frame.pc + 1);
        Ok(Next::Event(event))
    }

    pub(super) fn condition(
        &mut self,
        frame: Frame,
        condition: Truth,
        event: impl FnOnce(Truth) -> Event,
    ) -> Result<Next, Obstacle> {
        if condition.is_true() { Ok(Next::Following) } else { self.event(frame, event(condition)) }
    }

    fn assume(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        cond: Operand,
    ) -> Result<Next, Obstacle> {
        let cond = self.assumed(program, frame.base, cond);
        self.condition(frame, cond, |cond| Event::Assume(cond, function.origin[frame.pc as usize]))
    }

    /// A condition that is assumed. Where it is read again it is true.
    fn assumed(&mut self, program: &Program, base: u32, cond: Operand) -> Truth {
        if let (Operand::Register(register), true) = (cond, self.task.guards.is_empty())
            && let Value::Term(_) = self.register(register)
        {
            let held = &mut self.task.registers[(base + register) as usize];
            return std::mem::replace(held, Value::from(true)).truth();
        }
        self.where_guarded(self.read(program, base, cond).truth_or_absent())
    }

    fn store(&mut self, program: &Program, base: u32, slot: u32, src: Operand) -> Result<Next, Obstacle> {
        self.memory[slot as usize] = self.read(program, base, src).clone();
        self.note_stored(slot);
        Ok(Next::Following)
    }

    #[inline]
    pub(super) fn note_stored(&mut self, slot: u32) {
        self.task.stored.insert(slot);
    }
}

impl Value {
    /// The condition; what has no value is not required to hold.
    pub(super) fn truth_or_absent(&self) -> Truth {
        if matches!(self, Value::Absent) { Truth::Known(true) } else { self.truth() }
    }
}
