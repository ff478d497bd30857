//! The observations of a repeated run: a request arrives, and a message or call that was recorded must be there to be seen.
//!
//! ```text
//! under way: 7 to client 1          `{"c": 1, "a": 7}` can be seen, and 8 cannot
//! ```

use super::network_witness::WitnessEnd;
use super::repeated::{Repeat, Repeated, Unread, UnseenCall};
use crate::evidence::witness::script::ScriptedEvent;
use crate::network::{CallSeen, Observation, PacketOrder, moves};
use crate::process::{PeerCall, Port, SectionStart, Sent};
use crate::value::{self, Truth, Value};

impl Repeated<'_> {
    /// Runs the sections before an observation, and then observes it.
    pub(crate) fn event(&mut self, line: u64, observation: &Observation, scripted: ScriptedEvent) -> Repeat<()> {
        if let Some(port) = observation.port()
            && self.there.insert(port)
            && self.spec.program.opens.is_some()
        {
            self.server.process().begin_connection(port);
        }
        let ScriptedEvent { mut sections, filled, is_copy, seen, copies, never_read, called } = scripted;
        let restart = sections.pop_if(|last| matches!(last.start, SectionStart::Restarted));
        for section in sections {
            self.section(section, observation)?;
        }
        let situation = self.server.process().situation();
        if !moves::may_be_made(self.network, &situation, observation) {
            return Err("this cannot be observed there".to_owned());
        }
        match observation {
            Observation::Request(port, request) => self.arrive(*port, request, filled, is_copy, line),
            Observation::Answer(port, answer) => {
                self.see(*port, answer.as_ref(), seen, line)?;
                self.drop_copies(copies);
                Ok(())
            }
            Observation::Lost(port) => {
                self.lose(*port, situation.closed.contains(port));
                self.drop_unread(*port, never_read)
            }
            Observation::Closed(port) => {
                self.there.remove(port);
                self.server.process().drop_sent(*port);
                Ok(())
            }
            Observation::Called(seen) => self.see_call(seen, called, line),
            Observation::CallAnswered(exchange, answer) => {
                let known = filled.unwrap_or_else(|| answer.clone());
                shows(&known, answer)?;
                answered(self.server.process().answer_call(*exchange, Some(&known)))
            }
            Observation::AnswerSent(exchange, answer) => {
                let known = filled.unwrap_or_else(|| answer.clone());
                shows(&known, answer)?;
                answered(self.server.process().send_answer(*exchange, &known))
            }
            Observation::CallLost(exchange) => answered(self.server.process().answer_call(*exchange, None)),
            Observation::Restart => self.restart(restart.map(|section| section.choices), line),
            Observation::Noticed(_) | Observation::End => Ok(()),
        }
    }

    /// Lets a request arrive. A copy must be there already, on a network that delivers requests more than once.
    fn arrive(&mut self, port: Port, request: &Value, filled: Option<Value>, is_copy: bool, line: u64) -> Repeat<()> {
        let known = filled.clone().unwrap_or_else(|| request.clone());
        shows(&known, request)?;
        let process = self.server.process();
        if is_copy {
            let is_there = self.network.duplicates() && process.has_arrived(port, &known);
            return if is_there { Ok(()) } else { Err("the request was not there already".to_owned()) };
        }
        process.arrive(port, known.clone());
        self.unread.push(Unread { port, request: known, line, filled, is_read: false });
        self.normalize();
        Ok(())
    }

    /// Observes a message: the first on its connection, or, if messages may overtake each other, any of them.
    fn see(&mut self, port: Port, expected: Option<&Value>, seen: Option<Value>, line: u64) -> Repeat<()> {
        let is_free = self.network.order() == PacketOrder::Free;
        let process = self.server.process();
        let may_be =
            |sent: &Sent| sent.port == port && seen.as_ref().is_none_or(|seen| !is_free || sent.value == *seen);
        let at = process.sent().iter().position(may_be).ok_or("no such message was sent")?;
        let value = process.sent()[at].value.clone();
        expected.map_or(Ok(()), |expected| shows(&value, expected))?;
        let stays = self.network.duplicates();
        if !stays {
            process.take_sent(at);
        }
        let sections = &mut self.sections;
        let is_it = |(at, number): &(usize, usize)| {
            let message = &sections[*at].sent[*number];
            message.to == port && message.value == value
        };
        if let Some(place) = self.unseen.iter().position(is_it) {
            let (at, number) = self.unseen[place];
            sections[at].sent[number].seen.push(line);
            if !stays {
                self.unseen.remove(place);
            }
        }
        Ok(())
    }

    /// Lets a client give up its connection.
    fn lose(&mut self, port: Port, was_ended: bool) {
        self.there.remove(&port);
        let process = self.server.process();
        process.drop_sent(port);
        if self.spec.program.closes.is_some() && !was_ended {
            process.end_connection(port);
        }
    }

    /// Forgets the last `count` requests of a connection: the server never reads them.
    fn drop_unread(&mut self, port: Port, count: usize) -> Repeat<()> {
        for _ in 0..count {
            let arrived = self.server.process().situation().arrived;
            let at = arrived.iter().rposition(|own| *own == port).ok_or("there is no request that was not read")?;
            self.server.process().take_arrived(at);
            if let Some(place) = self.unread.iter().rposition(|unread| unread.port == port) {
                self.unread.remove(place);
            }
        }
        Ok(())
    }

    /// Lets a peer see a call. `caller` is the connection whose task waits for the answer; `None` if no task waits.
    fn see_call(&mut self, seen: &CallSeen, caller: Option<Port>, line: u64) -> Repeat<()> {
        let before = self.server.process().clone();
        for place in before.unseen_calls() {
            if before.waiting(place) != caller {
                continue;
            }
            let mut process = before.clone();
            let taken = process.take_call(place, seen.exchange);
            let is_it = |call: &PeerCall| {
                call.peer == seen.peer
                    && shows(&call.key, &seen.key).is_ok()
                    && shows(&call.request, &seen.request).is_ok()
            };
            if let Some(call) = taken.filter(is_it) {
                *self.server.process() = process;
                self.mark_seen(&call, caller, line);
                return Ok(());
            }
        }
        Err("no such call was made".to_owned())
    }

    /// Notes the line on which a call was seen, at the first such call of the caller. If the caller is not given, it is a section
    /// whose task does not wait.
    fn mark_seen(&mut self, call: &PeerCall, caller: Option<Port>, line: u64) {
        let waiting: Vec<Port> = {
            let suspended = self.server.process().situation().suspended.into_iter();
            suspended.filter(|task| !task.calls.is_empty()).map(|task| task.port).collect()
        };
        let Repeated { sections, tasks, calling, .. } = self;
        let waits = |unseen: &UnseenCall| {
            waiting.contains(&unseen.port) && tasks.get(&unseen.port).is_some_and(|(_, at)| *at == unseen.section)
        };
        let place = calling.iter().position(|unseen| {
            let made = match &sections[unseen.section].end {
                WitnessEnd::Called(calls, _) => calls.get(unseen.number),
                WitnessEnd::Done | WitnessEnd::Yielded(_) => None,
            };
            let is_callers = caller.map_or(!waits(unseen), |caller| caller == unseen.port);
            is_callers && made.is_some_and(|made| made.call == *call)
        });
        let Some(UnseenCall { section, number, .. }) = place.map(|at| calling.remove(at)) else { return };
        if let WitnessEnd::Called(calls, _) = &mut sections[section].end {
            calls[number].seen = Some(line);
        }
    }
}

fn answered(is_call: bool) -> Repeat<()> {
    if is_call { Ok(()) } else { Err("no such call waits for an answer".to_owned()) }
}

/// Compares a value with the recorded one, in which parts may be holes.
fn shows(value: &Value, recorded: &Value) -> Repeat<()> {
    match value::equal(value, recorded) {
        Ok(Truth::Known(true)) => Ok(()),
        _ => Err("it is another value".to_owned()),
    }
}
