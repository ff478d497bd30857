//! Instructions that call, choose, assume, send, or may be faulty.
//!
//! For example `choose int` yields an event; the process goes on with the value that the handler gives.

use super::evaluate::{Executed, Obstacle};
use super::operands::At;
use crate::limits;
use crate::process::task::{Frame, Presences, Task, Waiting};
use crate::process::{Choice, Event, Fault, Limit, PeerCall, PeerCalls, Process, TouchedPart};
use crate::spec::TypeId;
use crate::spec::code::{ChoiceDomain, FaultKind, Function, Operand, Register, Touch};
use crate::value::{self, Map, Presence, Truth, Value};

pub(crate) fn call(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    callee: u32,
    args: &[Operand],
) -> Result<Executed, Obstacle> {
    if process.task.callers.len() >= limits::CALL_LIMIT {
        return Err(Obstacle::Limit(Limit::Calls));
    }
    process.task.jump(at.frame.pc + 1);
    let base = process.task.registers.len() as u32;
    for arg in args {
        let value = at.read(process, *arg).clone();
        process.task.registers.push(value);
    }
    let task = &mut process.task;
    let registers = at.program.functions[callee as usize].registers;
    task.registers.resize((base + registers) as usize, Value::Absent);
    task.callers.push(task.frame);
    task.frame = Frame { function: callee, pc: 0, base, result: dst };
    Ok(Executed::Moved)
}

pub(crate) fn give_back(process: &mut Process, at: At<'_>, src: Operand) -> Result<Executed, Obstacle> {
    let value = at.read(process, src).clone();
    let task = &mut process.task;
    task.registers.truncate(at.frame.base as usize);
    let Some(caller) = task.callers.pop() else {
        task.running = false;
        return Ok(Executed::Event(Event::End));
    };
    task.frame = caller;
    task.set(at.frame.result, value);
    Ok(Executed::Moved)
}

/// Yields a choice among the values of a type, outside of any guard.
pub(crate) fn choose_any(task: &mut Task, function: &Function, dst: Register, ty: TypeId) -> Event {
    let pc = task.frame.pc;
    task.fuel -= 1;
    task.wait(Waiting::Value(dst));
    task.jump(pc + 1);
    Event::Choose { choice: Choice::Type(ty), site: function.origin[pc as usize], guard: None }
}

/// Sends a message to one client, after deciding which one it is.
pub(crate) fn emit(process: &mut Process, at: At<'_>, client: Operand, src: Operand) -> Result<Executed, Obstacle> {
    let to = at.read(process, client).clone();
    value::decided(&to)?;
    let message = at.read(process, src).clone();
    process.task.event(Event::Emit { to, message, site: at.site() })
}

/// Ends the connection of one client, after deciding which one it is.
pub(crate) fn close(process: &mut Process, at: At<'_>, client: Operand) -> Result<Executed, Obstacle> {
    let client = at.read(process, client).clone();
    value::decided(&client)?;
    process.task.event(Event::Close { client, site: at.site() })
}

/// Calls a peer, whose answer goes to a register.
pub(crate) fn call_peer(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    peer: u32,
    [key, request]: [Operand; 2],
) -> Result<Executed, Obstacle> {
    let [key, request] = [key, request].map(|operand| at.read(process, operand).clone());
    process.task.wait(Waiting::Value(dst));
    let calls = vec![PeerCall { peer, key, request, site: at.site() }];
    process.task.event(Event::Call(PeerCalls { calls, wanted: 1, unanswered: Value::NONE }))
}

/// Calls the peers of several keys, whose answers go to a register, after deciding which keys these are, and how many answers are
/// wanted.
pub(crate) fn call_peers(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    peer: u32,
    [requests, least]: [Operand; 2],
) -> Result<Executed, Obstacle> {
    let [requests, least] = [requests, least].map(|operand| at.read(process, operand));
    let Value::Map(requests) = requests else { return process.task.keep(dst, Ok(Value::Absent)) };
    let mut calls = Vec::new();
    for (key, entry) in requests.entries()? {
        if process.task.asked(&entry.truth().term())? {
            calls.push(PeerCall { peer, key: key.clone(), request: entry.value.clone(), site: at.site() });
        }
    }
    let wanted = wanted(&process.task, least, calls.len())?;
    process.task.wait(Waiting::Value(dst));
    process.task.event(Event::Call(PeerCalls { calls, wanted, unanswered: Value::Map(Map::default()) }))
}

/// The number of answers that some calls want: all, if the specification says no number.
fn wanted(task: &Task, least: &Value, calls: usize) -> Result<usize, Obstacle> {
    if matches!(least, Value::Absent) {
        return Ok(calls);
    }
    for count in 0..calls {
        if task.asked(&value::less(least, &Value::from(count as i64 + 1)).term())? {
            return Ok(count);
        }
    }
    Ok(calls)
}

pub(crate) fn choose(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    domain: &ChoiceDomain,
) -> Result<Executed, Obstacle> {
    let read = |operand: Operand| at.read(process, operand).clone();
    let choice = match domain {
        ChoiceDomain::Type(ty) => Choice::Type(*ty),
        ChoiceDomain::Alternatives(n) => Choice::Alternatives(*n),
        ChoiceDomain::Range(from, to) => Choice::Range(read(*from), read(*to)),
        ChoiceDomain::Element(over, ty) => {
            let over = read(*over);
            value::decided(&over)?;
            Choice::Element(over, *ty)
        }
    };
    let guard = process.task.path().cloned();
    process.task.wait(Waiting::Value(dst));
    process.task.event(Event::Choose { choice, site: at.site(), guard })
}

pub(crate) fn pick(
    process: &mut Process,
    at: At<'_>,
    dst: Register,
    ty: TypeId,
    over: Operand,
) -> Result<Executed, Obstacle> {
    let over = at.read(process, over);
    if let Value::Map(map) = over
        && map.base().is_some()
    {
        // The next instruction, `within`, assumes that the value is an element.
        return choose(process, at, dst, &ChoiceDomain::Type(ty));
    }
    let elements = value::elements(over)?;
    let site = at.site();
    // An element that may be missing is picked only if it is present; symbolic elements of a set may be equal.
    let are_distinct = matches!(over, Value::Map(_));
    let is_open = |(presence, element): &(Presence, Value)| {
        matches!(presence, Presence::When(_)) || (are_distinct && !element.is_known())
    };
    let there = || elements.iter().map(|(there, _)| there.truth()).collect();
    let presences = (elements.iter().any(is_open)).then(|| Presences { there: there(), are_distinct, site });
    let mut elements: Vec<Value> = elements.into_iter().map(|(_, element)| element).collect();
    let task = &mut process.task;
    match elements.len() {
        0 => {
            task.set(dst, Value::Absent);
            let never = task.where_guarded(Truth::Known(false));
            task.condition(never, |never| Event::Assume(never, site))
        }
        1 if !at.program.chooses_maps && presences.is_none() => task.keep(dst, Ok(elements.remove(0))),
        ways => {
            task.waiting = Waiting::Element(dst, elements, presences.map(Box::new));
            task.event(Event::Or { ways, site })
        }
    }
}

/// Assumes that a value is an element of a map or set on an unknown base.
pub(crate) fn within(process: &mut Process, at: At<'_>, element: Operand, over: Operand) -> Result<Executed, Obstacle> {
    let [element, over] = [element, over].map(|operand| at.read(process, operand));
    match over {
        Value::Map(map) if map.base().is_some() => {
            let within = process.task.where_guarded(map.contains(element)?);
            process.task.condition(within, |within| Event::Assume(within, at.site()))
        }
        _ => Ok(Executed::Following),
    }
}

/// Assumes a condition. A register that held it is true from then on.
pub(crate) fn assume(process: &mut Process, at: At<'_>, cond: Operand) -> Result<Executed, Obstacle> {
    let cond = match cond {
        Operand::Register(register)
            if process.task.guards.is_empty() && matches!(process.task.register(register), Value::Term(_)) =>
        {
            let held = &mut process.task.registers[at.index(register)];
            std::mem::replace(held, Value::from(true)).truth()
        }
        cond => process.task.where_guarded(at.read(process, cond).truth_or_absent()),
    };
    process.task.condition(cond, |cond| Event::Assume(cond, at.site()))
}

pub(crate) fn fault(task: &mut Task, at: At<'_>, here: Truth, kind: FaultKind) -> Result<Executed, Obstacle> {
    match task.under_guard(here) {
        Truth::Known(false) => Ok(Executed::Following),
        // An earlier element, in the order that is not known, may end the loop before the fault.
        here if task.disordered > 0 => task.event(Event::Cut(here, Limit::Undecidable)),
        here => task.event(Event::Fault(here, Fault { kind, site: at.site() })),
    }
}

/// Keeps the result of a partial operation, which is a fault if it is not defined.
pub(crate) fn partial(
    task: &mut Task,
    at: At<'_>,
    (dst, kind): (Register, FaultKind),
    (defined, value): (Truth, Value),
) -> Result<Executed, Obstacle> {
    task.set(dst, value);
    if defined.is_true() { Ok(Executed::Following) } else { fault(task, at, defined.not(), kind) }
}

/// Notes the parts of the state that an instruction touches.
pub(crate) fn touch(process: &mut Process, at: At<'_>, touches: &[Touch]) {
    for touch in touches {
        let key = touch.key.map(|key| at.read(process, key).clone());
        process.task.notes.touch(TouchedPart { slot: touch.slot, key });
    }
}
