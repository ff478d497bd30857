//! The server's part in a conversation: it runs sections, and sends the messages of a section when the section ends.
//!
//! `on q from c { send c, 1; close c; }` leads to a message and then to the end of the connection. Both leave when the section
//! ends.

use super::conversation::{Conversation, draw};
use super::packets::{CallPacket, CallStage, MessagePacket, Notice, OpenTask, RequestPacket};
use super::{Departure, Reply, SectionDone, Stop};
use crate::choice::Choices;
use crate::network::{Observation, ServerMove, ServerSection, moves};
use crate::process::{ConnectionList, Port, Situation};

/// The weights of a step before a section, and of no step; and the most steps before one section.
const STEPPING: [u64; 2] = [1, 3];
const STEPS: usize = 16;
/// The number of times that a server with steps tries in vain to go on, before it counts as blocked.
const PATIENCE: usize = 64;

/// A section that has ended: the connection that it serves, and the number of the request that it handles.
#[derive(Clone, Copy)]
struct EndedSection {
    port: Port,
    request: Option<u64>,
}

/// The outcome of a section that has not left the server yet.
struct Outgoing {
    messages: Vec<MessagePacket>,
    departures: Vec<Departure>,
}

impl Conversation {
    /// Runs the next section of a task, which is new or suspended.
    pub(super) fn serve(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        self.take_steps(source)?;
        let situation = self.situation();
        let sections = moves::of(&self.server.spec.program, &*self.network, &situation, &Observation::End);
        let first = if sections.is_empty() { 0 } else { draw(source, "who is served", sections.len())? };
        for place in (first..sections.len()).chain(0..first) {
            if self.run_section(sections[place], &situation, source)? {
                self.waiting.progress();
                return Ok(());
            }
        }
        self.waiting.in_vain += 1;
        self.waiting.is_blocked = !self.server.takes_steps() || self.waiting.in_vain >= PATIENCE;
        Ok(())
    }

    /// Takes internal steps; their number is drawn.
    fn take_steps(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        for taken in 0..STEPS {
            // After a vain try, what could not go on may need a step first.
            let is_wanted = taken == 0 && self.waiting.in_vain > 0;
            let is_taken = |source: &mut dyn Choices| {
                Ok(is_wanted || source.weighted("a step", &STEPPING).map_err(Stop::Choice)? == 0)
            };
            if !self.server.takes_steps() || !is_taken(source)? {
                break;
            }
            self.server.act(source)?;
            let outgoing = self.outgoing(None, source)?;
            self.depart(outgoing, source)?;
            self.waiting.state += 1;
        }
        Ok(())
    }

    /// Runs a section; returns false if it cannot be run now.
    fn run_section(
        &mut self,
        section: ServerSection,
        situation: &Situation,
        source: &mut dyn Choices,
    ) -> Result<bool, Stop> {
        match section {
            ServerSection::Move(ServerMove::Receive(at)) => self.receive(at, source),
            ServerSection::Move(ServerMove::Resume(at)) => self.go_on(situation.suspended[at].port, source),
            ServerSection::Open(port) => self.take_notice(port, ConnectionList::Opening, source),
            ServerSection::Leave(port) => self.take_notice(port, ConnectionList::Leaving, source),
            // Steps come before each section.
            ServerSection::Move(ServerMove::Step) => Ok(false),
        }
    }

    /// Begins to serve the request at this position.
    fn receive(&mut self, at: usize, source: &mut dyn Choices) -> Result<bool, Stop> {
        let RequestPacket { port, ref request, noted, is_read, tried } = self.requests[at];
        if tried == Some(self.waiting.state) {
            return Ok(false);
        }
        let request = request.clone();
        let kept = match is_read {
            true => self.server.begin(&request, port.0, source).map(|done| (request, done)),
            false => self.server.kept_or_another(port.0, request, source).map(|kept| (kept.request, kept.done)),
        };
        let Some((request, done)) = self.waiting.sift(kept, &mut self.requests[at].tried)? else { return Ok(false) };
        let ended = EndedSection { port, request: Some(noted) };
        let outgoing = self.outgoing(Some((ended, &done)), source)?;
        if !is_read {
            self.journal.fix_request(noted, request.clone());
        }
        if self.comes_again(source)? {
            self.requests[at] = RequestPacket { port, request, noted, is_read: true, tried: None };
        } else {
            self.requests.remove(at);
        }
        self.end(ended, &done);
        self.depart(outgoing, source).map(|()| true)
    }

    /// Continues the task of a connection.
    fn go_on(&mut self, port: Port, source: &mut dyn Choices) -> Result<bool, Stop> {
        let Some(OpenTask { request, tried }) = self.tasks.get(&port) else { return Ok(false) };
        if *tried == Some(self.waiting.state) {
            return Ok(false);
        }
        let ended = EndedSection { port, request: *request };
        let answered = self.answered(port);
        let done = self.go_on_answered(port, source);
        let Some(task) = self.tasks.get_mut(&port) else { return Ok(false) };
        let Some(done) = self.waiting.sift(done, &mut task.tried)?.flatten() else { return Ok(false) };
        let outgoing = self.outgoing(Some((ended, &done)), source)?;
        self.fix_answers(answered);
        self.tasks.remove(&port);
        self.end(ended, &done);
        self.depart(outgoing, source).map(|()| true)
    }

    /// Handles the beginning or the end of a connection.
    fn take_notice(&mut self, port: Port, list: ConnectionList, source: &mut dyn Choices) -> Result<bool, Stop> {
        let notices = if list == ConnectionList::Opening { &mut self.opening } else { &mut self.leaving };
        let Some(notice) = notices.iter_mut().find(|notice| notice.port == port) else { return Ok(false) };
        if notice.tried == Some(self.waiting.state) {
            return Ok(false);
        }
        let noticed = self.server.noticed(port.0, list, source);
        let Some(done) = self.waiting.sift(noticed, &mut notice.tried)? else { return Ok(false) };
        let ended = EndedSection { port, request: None };
        let outgoing = self.outgoing(Some((ended, &done)), source)?;
        let is_other = |notice: &Notice| notice.port != port;
        match list {
            ConnectionList::Opening => self.opening.retain(is_other),
            ConnectionList::Leaving => {
                self.leaving.retain(is_other);
                self.drop_unread(port, 0);
            }
        }
        self.end(ended, &done);
        self.depart(outgoing, source).map(|()| true)
    }

    /// Notes that a section has ended: its task is suspended, or has ended, too.
    fn end(&mut self, EndedSection { port, request }: EndedSection, done: &SectionDone) {
        match done {
            SectionDone::Suspended => _ = self.tasks.insert(port, OpenTask { request, tried: None }),
            SectionDone::Ended(Reply::Nothing) => {
                request.into_iter().for_each(|request| self.waits_less(port, request));
            }
            SectionDone::Ended(Reply::Answer(_)) => {}
        }
    }

    /// The outcome of a section.
    fn outgoing(
        &mut self,
        ended: Option<(EndedSection, &SectionDone)>,
        source: &mut dyn Choices,
    ) -> Result<Outgoing, Stop> {
        let departures = self.server.departures(source)?;
        let mut messages = Vec::new();
        for departure in &departures {
            if let Departure::Message(client, message) = departure {
                messages.push(MessagePacket { port: Port(*client), message: message.clone(), answers: None });
            }
        }
        if let Some((EndedSection { port, request }, SectionDone::Ended(Reply::Answer(answer)))) = ended
            && !departures.iter().any(|departure| matches!(departure, Departure::End(client) if *client == port.0))
        {
            messages.push(MessagePacket { port, message: answer.clone(), answers: request });
        }
        messages.retain(|packet| self.is_open(packet.port));
        Ok(Outgoing { messages, departures })
    }

    /// Sends what a section wants to send.
    fn depart(&mut self, Outgoing { messages, departures }: Outgoing, source: &mut dyn Choices) -> Result<(), Stop> {
        for packet in messages {
            if self.is_lost(source)? {
                packet.answers.into_iter().for_each(|request| self.waits_less(packet.port, request));
            } else {
                self.messages.push(packet);
            }
        }
        for departure in departures {
            match departure {
                Departure::Message(..) => {}
                Departure::End(client) => self.close(Port(client)),
                Departure::Call { exchange, peer, key, request } => {
                    self.calls.push(CallPacket { exchange, peer, stage: CallStage::Unseen(key, request) });
                }
            }
        }
        Ok(())
    }

    /// Ends a connection from the server's side: no more of its requests are read.
    fn close(&mut self, port: Port) {
        self.drop_unread(port, 0);
        self.opening.retain(|notice| notice.port != port);
        if self.is_open(port) {
            self.closed.push(port);
            self.has_left(port);
        }
    }
}
