//! The loop that runs a process to its next event.

use super::instructions::collect;
use super::instructions::collect::RANGE;
use super::instructions::evaluate;
use super::instructions::evaluate::{Executed, Obstacle};
use super::instructions::fast_path;
use super::instructions::fast_path::{KnownBounds, has_fast_path};
use super::instructions::operands;
use super::instructions::operands::At;
use super::instructions::{arms, bounded, effects, maps, prices};
use super::task::{Task, Waiting};
use super::{Answered, Event, Limit, Process};
use crate::spec::Site;
use crate::spec::code::{Binary, ChoiceDomain, FaultKind, Op, Operand, Program, Register};
use crate::term::{Condition, Term};
use crate::value::{self, Ask, Truth, Value};

/// After this many instructions beside the fast path, their handler is asked whether a limit is exceeded.
const ASKED: u32 = 1024;

impl Process {
    /// Runs to the next event.
    pub fn advance(&mut self, program: &Program) -> Event {
        self.advance_knowing(program, &mut ())
    }

    /// Runs to the next event. A bound that `knows` decides, or assumes, is not an event.
    pub fn advance_knowing(&mut self, program: &Program, knows: &mut impl KnownBounds) -> Event {
        if self.task.held.is_some()
            && let Some(held) = self.task.held.take()
        {
            return *held;
        }
        if !self.task.running {
            return Event::Recv;
        }
        let function = &program.functions[self.task.frame.function as usize];
        if self.task.oversize.is_none() && knows.has_fast_path() {
            fast_path::fast_path(self, program, function, knows);
            match &function.code[self.task.frame.pc as usize] {
                Op::Reply { src } if self.task.fuel > 0 => {
                    return reply(self, At { program, function, frame: self.task.frame }, *src);
                }
                Op::Choose { dst, domain: ChoiceDomain::Type(ty) }
                    if self.task.fuel > 0 && self.task.guards.is_empty() =>
                {
                    return effects::choose_any(&mut self.task, function, *dst, *ty);
                }
                _ => {}
            }
        }
        general_path(self, program, knows)
    }
}

/// Runs to the next event by the general evaluator.
#[inline(never)] // It needs more machine registers than the fast path leaves.
fn general_path(process: &mut Process, program: &Program, knows: &mut impl KnownBounds) -> Event {
    let mut carried_out: u32 = 0;
    while process.task.running {
        let at = At::of(&process.task, program);
        carried_out += 1;
        if carried_out == ASKED {
            carried_out = 0;
            if let Some(limit) = knows.exceeded(ASKED) {
                process.task.fuel = 0;
                return arms::cut(&mut process.task, program, limit);
            }
        }
        if process.task.fuel == 0 {
            return arms::cut(&mut process.task, program, Limit::Section);
        }
        if process.task.oversize.is_some()
            && let Some(register) = process.task.oversize.take()
        {
            return force(&mut process.task, register, at.site());
        }
        process.task.fuel -= 1;
        match carry_out(process, at) {
            Ok(Executed::Following) => process.task.jump(at.frame.pc + 1),
            Ok(Executed::Moved) => {}
            Ok(Executed::Event(event)) => return event,
            Err(obstacle) => {
                if let Some(event) = resolve_decision(process, at, obstacle) {
                    return event;
                }
            }
        }
        if process.task.oversize.is_none() && knows.has_fast_path() {
            take_fast_path(process, program, knows);
        }
    }
    Event::Recv
}

/// Executes the current instruction.
fn carry_out(process: &mut Process, at: At<'_>) -> Result<Executed, Obstacle> {
    let op = match &at.function.code[at.frame.pc as usize] {
        Op::Watched { op, touches } => {
            effects::touch(process, at, touches);
            op
        }
        op => op,
    };
    prices::charge(process, at, op);
    execute(process, at, op)
}

/// Runs the fast path ([`fast_path::fast_path`]) if the current instruction is one for it.
fn take_fast_path(process: &mut Process, program: &Program, knows: &mut impl KnownBounds) {
    let function = process.task.function(program);
    if function.code.get(process.task.frame.pc as usize).is_some_and(has_fast_path) {
        fast_path::run_apart(process, program, function, knows);
    }
}

/// The event that an obstacle leads to, if any.
#[cold]
fn resolve_decision(process: &mut Process, at: At<'_>, obstacle: Obstacle) -> Option<Event> {
    match obstacle {
        Obstacle::Limit(limit) => Some(cut(&mut process.task, at, limit)),
        Obstacle::Ask(ask) => ask_for(process, at, &ask),
        // An unknown collection may be one of several alternatives: which one is decided first.
        Obstacle::Uncounted => match alternative(process, at) {
            Some(guard) => fork_on(process, at, guard),
            None => uncounted(&mut process.task, at),
        },
        Obstacle::Decide(condition) => fork_on(process, at, condition),
    }
}

/// The guard of an alternative among the operands of the instruction.
fn alternative(process: &Process, at: At<'_>) -> Option<Term> {
    let operands = at.function.code[at.frame.pc as usize].operands();
    operands.into_iter().find_map(|operand| match at.read(process, operand) {
        Value::Union(alternatives) => Some(alternatives[0].0.clone()),
        _ => None,
    })
}

/// Ends the path at an instruction that exceeds a limit.
fn cut(task: &mut Task, at: At<'_>, limit: Limit) -> Event {
    task.jump(at.frame.pc + 1);
    arms::cut(task, at.program, limit)
}

/// Fills a part of an unknown value into the operands of the instruction; returns the event that must come first, if any.
fn ask_for(process: &mut Process, at: At<'_>, ask: &Ask) -> Option<Event> {
    match process.ask(at.program, ask) {
        Answered::Part(part) if operands::fill(process, at, &part) => None,
        Answered::Part(_) => Some(cut(&mut process.task, at, Limit::Undecidable)),
        Answered::Branch(condition) => Some(branch(condition, at.site())),
        Answered::Look(look) => Some(Event::Look { look, site: at.site() }),
        Answered::Cut(limit) => Some(cut(&mut process.task, at, limit)),
    }
}

/// Forks on an alternative of a value that has too many.
fn force(task: &mut Task, register: Register, site: Site) -> Event {
    let condition = match task.register(register) {
        Value::Union(alternatives) => alternatives[0].0.clone(),
        _ => Truth::Known(true).term(),
    };
    task.waiting = Waiting::Force(register, condition.clone());
    branch(condition, site)
}

/// Forks on a condition that the instruction depends on, or applies the decision that was made on it.
fn fork_on(process: &mut Process, at: At<'_>, condition: Term) -> Option<Event> {
    let known = condition.as_bool().or_else(|| process.task.decided(&condition));
    match known {
        Some(holds) if operands::decide(process, at, &condition, holds) => None,
        // The decision does not help the instruction.
        Some(_) => Some(cut(&mut process.task, at, Limit::Undecidable)),
        None => {
            process.task.waiting = Waiting::Decision(condition.clone());
            Some(branch(condition, at.site()))
        }
    }
}

/// The event of a condition after which both sides go on at the same place.
fn branch(condition: Term, site: Site) -> Event {
    Event::Branch { condition: Condition::Term(condition), sides: None, site }
}

/// The fault of counting an unknown collection.
fn uncounted(task: &mut Task, at: At<'_>) -> Option<Event> {
    // If the arm is not taken its result has no value; the register must not keep an earlier one.
    if let Some(dst) = at.function.code[at.frame.pc as usize].result() {
        task.set(dst, Value::Absent);
    }
    match effects::fault(task, at, Truth::Known(true), FaultKind::Uncounted) {
        Ok(Executed::Event(event)) => Some(event),
        Ok(Executed::Following | Executed::Moved) | Err(_) => {
            task.jump(at.frame.pc + 1);
            None
        }
    }
}

/// Answers the request.
fn reply(process: &mut Process, at: At<'_>, src: Operand) -> Event {
    // No register is read after the reply, so its value may be moved out.
    let value = match src {
        Operand::Register(register) => {
            std::mem::replace(&mut process.task.registers[at.index(register)], Value::Absent)
        }
        Operand::Slot(_) | Operand::Constant(_) => at.read(process, src).copied(),
    };
    process.task.running = false;
    Event::Send(value, at.site())
}

fn execute(process: &mut Process, at: At<'_>, op: &Op) -> Result<Executed, Obstacle> {
    match op {
        Op::Copy { dst, src } => process.task.keep(*dst, Ok(at.read(process, *src).clone())),
        Op::Store { slot, src } => {
            process.memory[*slot as usize] = at.read(process, *src).clone();
            process.task.stored.insert(*slot);
            Ok(Executed::Following)
        }
        Op::Unary { dst, op, a } => process.task.keep(*dst, evaluate::unary(*op, at.read(process, *a))),
        Op::Binary { dst, op: Binary::Split, a, b } => {
            let [a, b] = [*a, *b].map(|operand| at.read(process, operand).clone());
            bounded::pieces(&mut process.task, at, *dst, [&a, &b])
        }
        Op::Binary { dst, op: Binary::Get, a: Operand::Slot(slot), b } => maps::get(process, at, *dst, *slot, *b),
        Op::Binary { dst, op, a, b } => {
            process.task.keep(*dst, evaluate::binary(*op, at.read(process, *a), at.read(process, *b)))
        }
        Op::Find { dst, there, map, key } => maps::find(process, at, [*dst, *there], *map, *key),
        Op::Append { dst, slot, src } => collect::append(process, at, *dst, *slot, *src),
        Op::AppendOne { dst, slot, element } => collect::append_one(process, at, *dst, *slot, *element),
        Op::Retain { dst, slot, key, kept, stored } => maps::retain(process, at, *dst, *slot, *stored, [*key, *kept]),
        Op::DropFirst { slot, from } => collect::drop_first(process, *slot, *from as usize),
        Op::Put { slot, key, value } => maps::put(process, at, *slot, [*key, *value]),
        Op::PutIf { slot, key, value, when } => maps::put_if(process, at, *slot, [*key, *value], *when),
        Op::Delete { slot, key } => maps::delete(process, at, *slot, *key),
        Op::Insert { dst, map, key, value } => {
            process.task.keep(*dst, maps::insert([*map, *key, *value].map(|operand| at.read(process, operand))))
        }
        Op::Replace { dst, list, at: place, value } => collect::replace(process, at, *dst, [*list, *place, *value]),
        Op::Index { dst, src, at: place } => maps::index(process, at, *dst, [*src, *place]),
        Op::Slice { dst, src, from, to } => {
            let [src, from, to] = [*src, *from, *to].map(|operand| at.read(process, operand));
            let found = match src {
                Value::List(list) => {
                    let from = collect::position(&process.task, from, list.len())?;
                    let to = collect::position(&process.task, to, list.len())?;
                    value::slice(src, &from, &to)?
                }
                src => value::slice(src, from, to)?,
            };
            effects::partial(&mut process.task, at, (*dst, FaultKind::OutOfRange), found)
        }
        Op::Make { dst, tag, fields } => {
            let fields: std::sync::Arc<[Value]> = fields.iter().map(|f| at.read(process, *f).clone()).collect();
            process.task.keep(*dst, evaluate::bounded(Value::data(*tag, fields)))
        }
        Op::MakeList { dst, elements } => {
            process.task.keep(*dst, Ok(Value::list(elements.iter().map(|e| at.read(process, *e).clone()))))
        }
        Op::IsVariant { dst, src, tag } => {
            process.task.keep(*dst, Ok(node(at.read(process, *src))?.is_variant(*tag).into()))
        }
        Op::Field { dst, src, tag, index } => {
            process.task.keep(*dst, Ok(node(at.read(process, *src))?.field(*tag, *index)))
        }
        Op::With { dst, src, fields } => {
            let replaced: Vec<(u32, Value)> =
                fields.iter().map(|(index, f)| (*index, at.read(process, *f).clone())).collect();
            process.task.keep(*dst, evaluate::bounded(node(at.read(process, *src))?.with_fields(&replaced)))
        }
        Op::ByVariant { src, targets, none } => match at.read(process, *src) {
            Value::Data { tag, .. } => process.task.goto(targets.get(*tag as usize).copied().unwrap_or(*none)),
            _ => Ok(Executed::Following),
        },
        Op::HasLength { dst, src, length, exact } => {
            let truth = evaluate::has_length(at.read(process, *src), *length as usize, *exact);
            process.task.keep(*dst, Ok(truth.into()))
        }
        Op::Nth { dst, src, at: place } => {
            let src = at.read(process, *src);
            evaluate::places(src, *place as usize + 1)?;
            process.task.keep(*dst, Ok(evaluate::nth(src, *place as usize)))
        }
        Op::NthLast { dst, src, at: place } => {
            let src = at.read(process, *src);
            value::all_places(src)?;
            process.task.keep(*dst, Ok(evaluate::nth_last(src, *place as usize)))
        }
        Op::Init { dst, src, count } => {
            let src = at.read(process, *src);
            value::all_places(src)?;
            process.task.keep(*dst, Ok(evaluate::without_last(src, *count as usize)))
        }
        Op::Tail { dst, src, from } => {
            let src = at.read(process, *src);
            evaluate::places(src, *from as usize)?;
            process.task.keep(*dst, Ok(evaluate::tail(src, *from as usize)))
        }
        Op::Iterate { dst, over } => {
            let cursor = collect::iterate(at.read(process, *over), at);
            process.task.keep(*dst, cursor)
        }
        Op::IterateInOrder { dst, over, ordered } => collect::in_order(process, at, [*dst, *ordered], *over),
        Op::IterateRange { dst, from, to } => {
            let [from, to] = [*from, *to].map(|operand| at.read(process, operand).clone());
            process.task.keep(*dst, Ok(Value::data(RANGE, [from, to])))
        }
        Op::Next { cursor, element, presence, done } => {
            collect::next(&mut process.task, [*cursor, *element, *presence], *done)
        }
        Op::RangeList { dst, from, to } => {
            let range = bounded::integers(&process.task, at.read(process, *from), at.read(process, *to))?;
            process.task.fuel = process.task.fuel.saturating_sub(value::extent(&range) as u32);
            process.task.keep(*dst, Ok(range))
        }
        Op::Push { dst, src, when } => collect::push(process, at, *dst, [*src, *when]),
        Op::Gather { dst, key, value, when, from } => collect::gather(process, at, *dst, [*key, *value, *when, *from]),
        Op::Jump { to } => process.task.goto(*to),
        Op::Unless { cond, to } => match at.read(process, *cond).truth() {
            Truth::Known(false) => process.task.goto(*to),
            Truth::Known(true) | Truth::Term(_) => Ok(Executed::Following),
        },
        Op::Branch { cond, otherwise } => arms::statement(process, at, *cond, *otherwise),
        Op::Compare { op, a, b, otherwise } => arms::compare(process, at, *op, *a, *b, *otherwise),
        Op::Split { cond, otherwise } => arms::split(process, at, *cond, *otherwise),
        Op::Swap { dst, src, end, split } => arms::swap(process, at, *dst, *src, *end, *split),
        Op::Join { dst, src, split } => arms::join(process, at, *dst, *src, *split),
        Op::Call { dst, function, args } => effects::call(process, at, *dst, *function, args),
        Op::Return { src } => effects::give_back(process, at, *src),
        Op::Choose { dst, domain } => effects::choose(process, at, *dst, domain),
        Op::Within { element, over } => effects::within(process, at, *element, *over),
        Op::PickElement { dst, over, ty } => effects::pick(process, at, *dst, *ty, *over),
        Op::Select { targets } => {
            process.task.waiting = Waiting::Target(targets.clone());
            Ok(Executed::Event(Event::Or { ways: targets.len(), site: at.site() }))
        }
        Op::Require { dst, op, a, b } => {
            let holds = evaluate::binary(*op, at.read(process, *a), at.read(process, *b))?;
            process.task.set(*dst, holds);
            effects::assume(process, at, Operand::Register(*dst))
        }
        Op::Assume { cond } => effects::assume(process, at, *cond),
        Op::Expects { cond } => {
            let cond = process.task.where_guarded(at.read(process, *cond).truth_or_absent());
            process.task.condition(cond, |cond| Event::Expects(cond, at.site()))
        }
        Op::Fault { kind } => effects::fault(&mut process.task, at, Truth::Known(true), *kind),
        Op::Reply { src } => Ok(Executed::Event(reply(process, at, *src))),
        Op::Announce { src } => {
            let answer = at.read(process, *src).clone();
            process.task.event(Event::Announce(answer, at.site()))
        }
        Op::Yield => process.task.event(Event::Yield),
        Op::SendTo { client, src } => effects::emit(process, at, *client, *src),
        Op::Close { client } => effects::close(process, at, *client),
        Op::CallPeer { dst, peer, key, request } => effects::call_peer(process, at, *dst, *peer, [*key, *request]),
        Op::CallPeers { dst, peer, requests, least } => {
            effects::call_peers(process, at, *dst, *peer, [*requests, *least])
        }
        // `carry_out` unwraps watched instructions, so only `End` comes here.
        Op::End | Op::Watched { .. } => {
            process.task.running = false;
            Ok(Executed::Event(Event::End))
        }
    }
}

/// Checks that the constructor of a value is known in every alternative.
fn node(value: &Value) -> Result<&Value, Obstacle> {
    if let Value::Data { .. } = value {
        return Ok(value);
    }
    value.unseen().map_or(Ok(value), |ask| Err(Obstacle::Ask(ask)))
}
