//! The loop that runs a process to its next event.

use super::evaluate::{self, Evaluated, Obstacle};
use super::{CALL_LIMIT, Choice, Event, Fault, Frame, GUARD_LIMIT, Limit, Process, Waiting};
use crate::spec::Site;
use crate::spec::code::{Domain, FaultKind, Function, Op, Operand, Pc, Program, Register};
use crate::term::Term;
use crate::value::{self, Entry, Presence, Truth, Value};

/// What an instruction leads to.
enum Next {
    /// The next instruction.
    Following,
    /// Another instruction; frames may have changed.
    Moved,
    /// An event, after which the process goes on behind the instruction.
    Event(Event),
}

impl Process {
    /// Runs to the next event.
    pub fn advance(&mut self, program: &Program) -> Event {
        while let Some(frame) = self.task.frames.last().copied() {
            let function = &program.functions[frame.function as usize];
            if self.task.fuel == 0 {
                return self.cut(Limit::Section);
            }
            if let Some(register) = self.task.oversize.take() {
                return self.force(register, function.origin[frame.pc as usize]);
            }
            self.task.fuel -= 1;
            let op = &function.code[frame.pc as usize];
            match self.execute(program, function, frame, op) {
                Ok(Next::Following) => self.jump(frame.pc + 1),
                Ok(Next::Moved) => {}
                Ok(Next::Event(event)) => return event,
                Err(Obstacle::Limit(limit)) => {
                    self.jump(frame.pc + 1);
                    return self.cut(limit);
                }
                Err(Obstacle::Decide(condition)) => {
                    if let Some(event) = self.fork_on(program, condition, function.origin[frame.pc as usize]) {
                        return event;
                    }
                }
            }
        }
        Event::Recv
    }

    /// Asks for a decision that takes alternatives away from a value.
    fn force(&mut self, register: Register, site: Site) -> Event {
        let condition = match self.register(register) {
            Value::Union(alternatives) => alternatives[0].0.clone(),
            _ => Truth::Known(true).term(),
        };
        self.task.waiting = Waiting::Force(register, condition.clone());
        Event::Branch { condition, sides: None, site }
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
                Some(self.cut(Limit::Undecidable))
            }
            None => {
                self.task.waiting = Waiting::Decision(condition.clone());
                Some(Event::Branch { condition, sides: None, site })
            }
        }
    }

    /// The end of a path by a limit. Without a guard nothing follows.
    fn cut(&mut self, limit: Limit) -> Event {
        self.task.fuel = self.task.fuel.max(1);
        Event::Cut(self.under_guard(Truth::Known(true)), limit)
    }

    fn execute(&mut self, program: &Program, function: &Function, frame: Frame, op: &Op) -> Result<Next, Obstacle> {
        let base = frame.base;
        match op {
            Op::Copy { dst, src } => self.keep(*dst, Ok(self.read(program, base, *src).clone())),
            Op::Store { slot, src } => self.store(program, base, *slot, *src),
            Op::Unary { dst, op, a } => self.keep(*dst, evaluate::unary(*op, self.read(program, base, *a))),
            Op::Binary { dst, op, a, b } => {
                self.keep(*dst, evaluate::binary(*op, self.read(program, base, *a), self.read(program, base, *b)))
            }
            Op::Put { slot, key, value } => self.put(program, base, *slot, *key, *value),
            Op::Insert { dst, map, key, value } => self.keep(*dst, self.insert(program, base, [*map, *key, *value])),
            Op::Replace { dst, list, at, value } => self.replace(program, frame, *dst, [*list, *at, *value]),
            Op::Index { dst, src, at } => {
                let (src, at) = (self.read(program, base, *src), self.read(program, base, *at));
                let kind = if matches!(src, Value::List(_)) { FaultKind::OutOfRange } else { FaultKind::MissingKey };
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
                let fields: Vec<Value> = fields.iter().map(|f| self.read(program, base, *f).clone()).collect();
                self.keep(*dst, Ok(Value::data(*tag, fields)))
            }
            Op::MakeList { dst, elements } => {
                self.keep(*dst, Ok(Value::list(elements.iter().map(|e| self.read(program, base, *e).clone()))))
            }
            Op::IsVariant { dst, src, tag } => {
                self.keep(*dst, Ok(self.read(program, base, *src).is_variant(*tag).into()))
            }
            Op::Field { dst, src, tag, index } => {
                self.keep(*dst, Ok(self.read(program, base, *src).field(*tag, *index)))
            }
            Op::With { dst, src, fields } => {
                let replaced: Vec<(u32, Value)> =
                    fields.iter().map(|(at, f)| (*at, self.read(program, base, *f).clone())).collect();
                self.keep(*dst, Ok(self.read(program, base, *src).with_fields(&replaced)))
            }
            Op::HasLength { dst, src, length, exact } => {
                let truth = evaluate::has_length(self.read(program, base, *src), *length as usize, *exact);
                self.keep(*dst, Ok(truth.into()))
            }
            Op::Nth { dst, src, at } => {
                let nth = |list: &std::sync::Arc<im::Vector<Value>>| list.get(*at as usize).cloned();
                let found = evaluate::over_lists(self.read(program, base, *src), &|l| nth(l).unwrap_or(Value::Absent));
                self.keep(*dst, Ok(found))
            }
            Op::Tail { dst, src, from } => {
                let rest = |list: &std::sync::Arc<im::Vector<Value>>| evaluate::tail(list, *from as usize);
                self.keep(*dst, Ok(evaluate::over_lists(self.read(program, base, *src), &rest)))
            }
            Op::Iterate { dst, over } => self.keep(*dst, cursor(self.read(program, base, *over))),
            Op::IterateRange { dst, from, to } => {
                let [from, to] = [*from, *to].map(|operand| self.read(program, base, operand).clone());
                self.keep(*dst, Ok(Value::data(1, [from, to])))
            }
            Op::Next { cursor, element, presence, done } => self.next(base, [*cursor, *element, *presence], *done),
            Op::RangeList { dst, from, to } => {
                self.keep(*dst, evaluate::range_list(self.read(program, base, *from), self.read(program, base, *to)))
            }
            Op::Push { dst, src } => self.push(program, base, *dst, *src),
            Op::Gather { dst, key, value, when } => self.gather(program, base, *dst, [*key, *value, *when]),
            Op::Jump { to } => self.goto(*to),
            Op::Unless { cond, to } => match self.read(program, base, *cond).truth() {
                Truth::Known(false) => self.goto(*to),
                Truth::Known(true) | Truth::Term(_) => Ok(Next::Following),
            },
            Op::Branch { cond, otherwise } => self.statement(program, function, frame, *cond, *otherwise),
            Op::Split { cond, otherwise } => self.split(program, frame, *cond, *otherwise),
            Op::Swap { dst, src, end, split } => self.swap(program, base, *dst, *src, (*end, *split)),
            Op::Join { dst, src, split } => self.join(program, base, *dst, *src, *split),
            Op::Call { dst, function, args } => self.call(program, frame, *dst, *function, args),
            Op::Return { src } => self.give_back(program, frame, *src),
            Op::Choose { dst, domain } => self.choose(program, function, frame, *dst, domain),
            Op::PickElement { dst, over } => self.pick(program, function, frame, *dst, *over),
            Op::Select { targets } => {
                self.task.waiting = Waiting::Target(targets.clone());
                Ok(Next::Event(Event::Or { ways: targets.len(), site: function.origin[frame.pc as usize] }))
            }
            Op::Assume { cond } => {
                let cond = self.where_guarded(self.read(program, base, *cond).truth_or_absent());
                self.condition(frame, cond, |cond| Event::Assume(cond, function.origin[frame.pc as usize]))
            }
            Op::Expects { cond } => {
                let cond = self.where_guarded(self.read(program, base, *cond).truth_or_absent());
                self.condition(frame, cond, |cond| Event::Expects(cond, function.origin[frame.pc as usize]))
            }
            Op::Fault { kind } => self.fault(program, frame, Truth::Known(true), *kind),
            Op::Reply { src } => {
                let value = self.read(program, base, *src).clone();
                self.task.frames.clear();
                Ok(Next::Event(Event::Send(value, function.origin[frame.pc as usize])))
            }
            Op::End | Op::Unsupported => {
                self.task.frames.clear();
                Ok(Next::Event(Event::End))
            }
        }
    }

    #[inline]
    fn keep(&mut self, dst: Register, value: Evaluated) -> Result<Next, Obstacle> {
        self.keep_small(dst, value?);
        Ok(Next::Following)
    }

    fn goto(&mut self, pc: Pc) -> Result<Next, Obstacle> {
        self.jump(pc);
        Ok(Next::Moved)
    }

    /// A symbolic position, decided to be one of `0..=length` (or, if none, one that is out of range).
    fn position(&self, at: &Value, length: usize) -> Evaluated {
        if at.is_known() {
            return Ok(at.clone());
        }
        for position in 0..=length as i64 {
            let here = value::equal(at, &Value::from(position))?.term();
            match here.as_bool().or_else(|| self.decided(&here)) {
                Some(true) => return Ok(Value::from(position)),
                Some(false) => {}
                None => return Err(Obstacle::Decide(here)),
            }
        }
        Ok(Value::from(-1))
    }

    fn event(&mut self, frame: Frame, event: Event) -> Result<Next, Obstacle> {
        self.jump(frame.pc + 1);
        Ok(Next::Event(event))
    }

    fn condition(
        &mut self,
        frame: Frame,
        condition: Truth,
        event: impl FnOnce(Truth) -> Event,
    ) -> Result<Next, Obstacle> {
        if condition.is_true() { Ok(Next::Following) } else { self.event(frame, event(condition)) }
    }

    fn store(&mut self, program: &Program, base: u32, slot: u32, src: Operand) -> Result<Next, Obstacle> {
        self.memory[slot as usize] = self.read(program, base, src).clone();
        self.note_stored(slot);
        Ok(Next::Following)
    }

    /// Sets an entry of a map in its slot; what is not shared is changed in place.
    fn put(&mut self, program: &Program, base: u32, slot: u32, key: Operand, value: Operand) -> Result<Next, Obstacle> {
        let [key, value] = [key, value].map(|operand| self.read(program, base, operand).clone());
        if let Value::Union(alternatives) = &key {
            return Err(Obstacle::Decide(alternatives[0].0.clone()));
        }
        match &mut self.memory[slot as usize] {
            Value::Map(map) => map.set_in_place(&key, Some(Entry::always(value))),
            Value::Union(alternatives) => return Err(Obstacle::Decide(alternatives[0].0.clone())),
            _ => {}
        }
        self.note_stored(slot);
        Ok(Next::Following)
    }

    fn note_stored(&mut self, slot: u32) {
        if !self.task.stored.contains(&slot) {
            self.task.stored.push(slot);
        }
    }

    fn insert(&self, program: &Program, base: u32, [map, key, value]: [Operand; 3]) -> Evaluated {
        let [map, key, value] = [map, key, value].map(|operand| self.read(program, base, operand));
        match map {
            Value::Map(map) => Ok(Value::Map(map.set(key, Some(Entry::always(value.clone())))?)),
            Value::Union(alternatives) => Err(Obstacle::Decide(alternatives[0].0.clone())),
            _ => Ok(Value::Absent),
        }
    }

    fn replace(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        [list, at, value]: [Operand; 3],
    ) -> Result<Next, Obstacle> {
        let [list, at, value] = [list, at, value].map(|operand| self.read(program, frame.base, operand));
        let Value::List(elements) = list else {
            return match list {
                Value::Union(alternatives) => Err(Obstacle::Decide(alternatives[0].0.clone())),
                _ => self.keep(dst, Ok(Value::Absent)),
            };
        };
        let (inside, _) = value::element(elements, at);
        let mut replaced = Vec::with_capacity(elements.len());
        for (position, old) in elements.iter().enumerate() {
            let here = value::equal(at, &Value::from(position as i64))?.term();
            replaced.push(value::merge(&here, value.clone(), old.clone()));
        }
        self.partial(program, frame, dst, (inside, Value::list(replaced)), FaultKind::OutOfRange)
    }

    /// Keeps the result of an operation that is a fault where it is not defined.
    fn partial(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        (defined, value): (Truth, Value),
        kind: FaultKind,
    ) -> Result<Next, Obstacle> {
        self.set(dst, value);
        if defined.is_true() { Ok(Next::Following) } else { self.fault(program, frame, defined.not(), kind) }
    }

    fn fault(&mut self, program: &Program, frame: Frame, here: Truth, kind: FaultKind) -> Result<Next, Obstacle> {
        let site = program.functions[frame.function as usize].origin[frame.pc as usize];
        match self.under_guard(here) {
            Truth::Known(false) => Ok(Next::Following),
            here => self.event(frame, Event::Fault(here, Fault { kind, site })),
        }
    }

    fn next(&mut self, base: u32, registers: [Register; 3], done: Pc) -> Result<Next, Obstacle> {
        let [cursor, element, presence] = registers.map(|register| (base + register) as usize);
        let at = std::mem::replace(&mut self.task.registers[cursor], Value::Absent);
        match at {
            Value::List(mut rest) => {
                let Some(head) = std::sync::Arc::make_mut(&mut rest).pop_front() else { return self.goto(done) };
                self.task.registers[presence] = head.field(0, 0);
                self.task.registers[element] = head.field(0, 1);
                self.task.registers[cursor] = Value::List(rest);
                Ok(Next::Following)
            }
            Value::Data { fields: Some(bounds), .. } => {
                let inside = match value::less(&bounds[0], &bounds[1]) {
                    Truth::Known(true) => true,
                    Truth::Known(false) => return self.goto(done),
                    Truth::Term(open) => match self.decided(&open) {
                        Some(true) => true,
                        Some(false) => return self.goto(done),
                        None => {
                            self.task.registers[cursor] = Value::Data { tag: 1, fields: Some(bounds) };
                            return Err(Obstacle::Decide(open));
                        }
                    },
                };
                self.task.registers[presence] = inside.into();
                self.task.registers[element] = bounds[0].clone();
                let following = value::add(&bounds[0], &Value::from(1))?;
                self.task.registers[cursor] = Value::data(1, [following, bounds[1].clone()]);
                Ok(Next::Following)
            }
            _ => self.goto(done),
        }
    }

    fn push(&mut self, program: &Program, base: u32, dst: Register, src: Operand) -> Result<Next, Obstacle> {
        let element = self.read(program, base, src).clone();
        if let Value::List(list) = &mut self.task.registers[(base + dst) as usize] {
            std::sync::Arc::make_mut(list).push_back(element);
        }
        Ok(Next::Following)
    }

    fn gather(
        &mut self,
        program: &Program,
        base: u32,
        dst: Register,
        [key, value, when]: [Operand; 3],
    ) -> Result<Next, Obstacle> {
        let [key, value, when] = [key, value, when].map(|operand| self.read(program, base, operand).clone());
        let Value::Map(map) = self.read(program, base, Operand::Register(dst)) else { return Ok(Next::Following) };
        let here = when.truth_or_absent();
        let gathered = match Presence::of(here.clone()) {
            None => return Ok(Next::Following),
            Some(Presence::Always) => map.set(&key, Some(Entry::always(value)))?,
            Some(presence) => {
                let (there, old) = map.get(&key)?;
                let condition = here.clone().term();
                let joined = value::merge(&condition, value, old);
                let presence = Presence::of(there.or(here)).unwrap_or(presence);
                map.set(&key, Some(Entry { presence, value: joined }))?
            }
        };
        self.keep(dst, Ok(Value::Map(gathered)))
    }

    fn statement(
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
            Truth::Term(condition) => {
                self.task.waiting = Waiting::Side(otherwise);
                let sides = Some((frame.pc + 1, otherwise));
                let site = function.origin[frame.pc as usize];
                self.event(frame, Event::Branch { condition, sides, site })
            }
        }
    }

    fn split(&mut self, program: &Program, frame: Frame, cond: Operand, otherwise: Pc) -> Result<Next, Obstacle> {
        match self.read(program, frame.base, cond).truth() {
            Truth::Known(true) => Ok(Next::Following),
            Truth::Known(false) => self.goto(otherwise),
            Truth::Term(_) if self.task.guards.len() >= GUARD_LIMIT => {
                // Too deep to join: the arms are told apart by forking instead, and forks are limited by the judge.
                let condition = self.read(program, frame.base, cond).truth().term();
                self.task.waiting = Waiting::Side(otherwise);
                let site = program.functions[frame.function as usize].origin[frame.pc as usize];
                self.event(frame, Event::Branch { condition, sides: None, site })
            }
            Truth::Term(condition) => {
                self.task.waiting = Waiting::Arms { split: frame.pc, otherwise, condition: condition.clone() };
                let path = self.task.guards.last().map(|outer| outer.path.clone());
                self.event(frame, Event::Guard { condition, path })
            }
        }
    }

    fn is_open(&self, split: Pc) -> bool {
        self.task.guards.last().is_some_and(|g| g.split == split && g.depth == self.task.frames.len())
    }

    fn swap(
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
        let Op::Split { otherwise, .. } = &self.function(program).code[split as usize] else { return self.goto(end) };
        self.goto(*otherwise)
    }

    fn join(&mut self, program: &Program, base: u32, dst: Register, src: Operand, split: Pc) -> Result<Next, Obstacle> {
        let value = self.read(program, base, src).clone();
        if !self.is_open(split) {
            return self.keep(dst, Ok(value));
        }
        match self.task.guards.pop() {
            Some(guard) => {
                self.keep(dst, Ok(value::merge(&guard.condition, guard.first.unwrap_or(Value::Absent), value)))
            }
            None => self.keep(dst, Ok(value)),
        }
    }

    fn call(
        &mut self,
        program: &Program,
        frame: Frame,
        dst: Register,
        callee: u32,
        args: &[Operand],
    ) -> Result<Next, Obstacle> {
        if self.task.frames.len() >= CALL_LIMIT {
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
        self.task.frames.push(Frame { function: callee, pc: 0, base, result: dst });
        Ok(Next::Moved)
    }

    fn give_back(&mut self, program: &Program, frame: Frame, src: Operand) -> Result<Next, Obstacle> {
        let value = self.read(program, frame.base, src).clone();
        self.task.frames.pop();
        self.task.registers.truncate(frame.base as usize);
        if self.task.frames.is_empty() {
            return Ok(Next::Event(Event::End));
        }
        self.set(frame.result, value);
        Ok(Next::Moved)
    }

    fn choose(
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
            Domain::Element(over) => Choice::Element(read(*over)),
        };
        if let Choice::Element(Value::Union(alternatives)) = &choice {
            return Err(Obstacle::Decide(alternatives[0].0.clone()));
        }
        let site = function.origin[frame.pc as usize];
        let guard = self.task.guards.last().map(|guard| guard.path.clone());
        self.task.waiting = Waiting::Value(dst);
        self.event(frame, Event::Choose { choice, site, guard })
    }

    fn pick(
        &mut self,
        program: &Program,
        function: &Function,
        frame: Frame,
        dst: Register,
        over: Operand,
    ) -> Result<Next, Obstacle> {
        let elements = value::elements(self.read(program, frame.base, over))?;
        if let Some((Presence::When(condition), _)) = elements.iter().find(|(p, _)| *p != Presence::Always) {
            return Err(Obstacle::Decide(condition.clone()));
        }
        let site = function.origin[frame.pc as usize];
        let mut elements: Vec<Value> = elements.into_iter().map(|(_, element)| element).collect();
        match elements.len() {
            0 => {
                self.set(dst, Value::Absent);
                let never = self.where_guarded(Truth::Known(false));
                self.condition(frame, never, |never| Event::Assume(never, site))
            }
            1 => self.keep(dst, Ok(elements.remove(0))),
            ways => {
                self.task.waiting = Waiting::Element(dst, elements);
                self.event(frame, Event::Or { ways, site })
            }
        }
    }
}

impl Value {
    /// The condition; what has no value is not required to hold.
    fn truth_or_absent(&self) -> Truth {
        if matches!(self, Value::Absent) { Truth::Known(true) } else { self.truth() }
    }
}

/// The cursor over a list or set: what is left of it, each element with its presence.
fn cursor(over: &Value) -> Evaluated {
    let elements = value::elements(over)?;
    Ok(Value::list(elements.into_iter().map(|(presence, element)| {
        let here = match presence {
            Presence::Always => Value::from(true),
            Presence::When(term) => Value::Term(term),
        };
        Value::data(0, [here, element])
    })))
}
