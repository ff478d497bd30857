//! Calls, internal choices and faults.
//!
//! `choose int` stops the process with an event; it goes on with the value that it is given.

use super::evaluate::{Next, Obstacle};
use super::{CALL_LIMIT, Choice, Event, Fault, Frame, Limit, Presences, Process, Waiting};
use crate::spec::TypeId;
use crate::spec::code::{Domain, FaultKind, Function, Operand, Program, Register};
use crate::value::{self, Presence, Truth, Value};

impl Process {
    pub(super) fn call(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        callee: u32,
        args: &[Operand],
    ) -> Result<Next, Obstacle> {
        if self.task.callers.len() >= CALL_LIMIT {
            return Err(Obstacle::Limit(Limit::Calls));
        }
        self.jump(frame.pc + 1);
        let base = self.task.registers.len() as u32;
        for arg in args {
            let value = self.read(program, frame.base, *arg).clone();
            self.task.registers.push(value);
        }
        let registers = program.functions[callee as usize].registers;
        self.task.registers.resize((base + registers) as usize, Value::Absent);
        self.task.callers.push(self.task.frame);
        self.task.frame = Frame { function: callee, pc: 0, base, result: dst };
        Ok(Next::Moved)
    }

    pub(super) fn give_back(&mut self, program: &Program, frame: Frame, src: Operand) -> Result<Next, Obstacle> {
        let value = self.read(program, frame.base, src).clone();
        self.task.registers.truncate(frame.base as usize);
        let Some(caller) = self.task.callers.pop() else {
            self.task.running = false;
            return Ok(Next::Event(Event::End));
        };
        self.task.frame = caller;
        self.set(frame.result, value);
        Ok(Next::Moved)
    }

    /// A choice among the values of a type that is made always.
    #[inline]
    pub(super) fn choose_any(&mut self, function: &Function, dst: Register, ty: TypeId) -> Event {
        let pc = self.frame().pc;
        self.task.fuel -= 1;
        self.wait(Waiting::Value(dst));
        self.jump(pc + 1);
        Event::Choose { choice: Choice::Type(ty), site: function.origin[pc as usize], guard: None }
    }

    pub(super) fn choose(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        dst: Register,
        domain: &Domain,
    ) -> Result<Next, Obstacle> {
        let read = |operand: Operand| self.read(program, frame.base, operand).clone();
        let choice = match domain {
            Domain::Type(ty) => Choice::Type(*ty),
            Domain::Alternatives(n) => Choice::Alternatives(*n),
            Domain::Range(from, to) => Choice::Range(read(*from), read(*to)),
            Domain::Element(over, ty) => {
                let over = read(*over);
                value::settled(&over)?;
                Choice::Element(over, *ty)
            }
        };
        let site = function.origin[frame.pc as usize];
        let guard = self.task.guards.last().map(|guard| guard.path.clone());
        self.wait(Waiting::Value(dst));
        self.event(frame, Event::Choose { choice, site, guard })
    }

    pub(super) fn pick(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        (dst, ty): (Register, TypeId),
        over: Operand,
    ) -> Result<Next, Obstacle> {
        if let Value::Map(map) = self.read(program, frame.base, over)
            && map.base().is_some()
        {
            // Whether it is an element is found out next, by `within`.
            return self.choose(program, function, frame, dst, &Domain::Type(ty));
        }
        let over = self.read(program, frame.base, over);
        let elements = value::elements(over)?;
        let site = function.origin[frame.pc as usize];
        // An element that may not be there is picked where it is; hidden ones of a set may be equal.
        let are_distinct = matches!(over, Value::Map(_));
        let is_open = |(presence, element): &(Presence, Value)| {
            matches!(presence, Presence::When(_)) || (are_distinct && !element.is_known())
        };
        let there = || elements.iter().map(|(there, _)| there.truth()).collect();
        let presences = (elements.iter().any(is_open)).then(|| Presences { there: there(), are_distinct, site });
        let mut elements: Vec<Value> = elements.into_iter().map(|(_, element)| element).collect();
        match elements.len() {
            0 => {
                self.set(dst, Value::Absent);
                let never = self.where_guarded(Truth::Known(false));
                self.condition(frame, never, |never| Event::Assume(never, site))
            }
            1 if !program.chooses_maps && presences.is_none() => self.keep(dst, Ok(elements.remove(0))),
            ways => {
                self.task.waiting = Waiting::Element(dst, elements, presences.map(Box::new));
                self.event(frame, Event::Or { ways, site })
            }
        }
    }

    /// An element of a map or set on an unknown base is one that it has.
    pub(super) fn within(
        &mut self,
        program: &Program,
        frame: Frame,
        element: Operand,
        over: Operand,
    ) -> Result<Next, Obstacle> {
        let [element, over] = [element, over].map(|operand| self.read(program, frame.base, operand));
        match over {
            Value::Map(map) if map.base().is_some() => {
                let within = self.where_guarded(map.contains(element)?);
                let site = program.functions[frame.function as usize].origin[frame.pc as usize];
                self.condition(frame, within, |within| Event::Assume(within, site))
            }
            _ => Ok(Next::Following),
        }
    }

    pub(super) fn fault(
        &mut self,
        program: &Program,
        frame: Frame,
        here: Truth,
        kind: FaultKind,
    ) -> Result<Next, Obstacle> {
        let site = program.functions[frame.function as usize].origin[frame.pc as usize];
        match self.under_guard(here) {
            Truth::Known(false) => Ok(Next::Following),
            here => self.event(frame, Event::Fault(here, Fault { kind, site })),
        }
    }
}
