//! The server's part in a conversation: it runs sections, and sends the messages of a section when the section ends.
//!
//! `on q from c { send c, 1; close c; }` leads to a message and then to the end of the connection, if the section comes to its end and
//! the network has room for the message.

use super::conversation::{Conversation, draw};
use super::packets::{CallPacket, CallStage, MessagePacket, Notice, OpenTask, RequestPacket};
use super::{Departure, Reply, SectionDone, Stop};
use crate::choice::Choices;
use crate::network::{Observation, ServerMove, ServerSection, moves};
use crate::process::{ConnectionList, Port, Situation};

/// The weights of a step that the server takes before a section, and of none; no more of them are taken than this.
const STEPPING: [u64; 2] = [1, 3];
const STEPS: usize = 16;
/// The number of times in a row that a server with steps tries in vain to go on.
const PATIENCE: usize = 64;

/// A section that has ended: whose it is, and the number of the request that it handles.
#[derive(Clone, Copy)]
struct EndedSection {
    port: Port,
    request: Option<u64>,
}

/// The outcome of a section that has ended, before it is known whether the network has room for it.
struct Outgoing {
    messages: Vec<MessagePacket>,
    departures: Vec<Departure>,
}

impl Conversation {
    /// The server runs a section of a task, a new one or one that is suspended.
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

    /// Lets the server do what it may do by itself; how often is drawn.
    fn take_steps(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        for taken in 0..STEPS {
            // What could not go on may wait for a step.
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

    /// Runs a section; true if that could be.
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

    /// Begins with the request at this place.
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

    /// Goes on with the task of a connection.
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

    /// Takes notice of a connection that has begun, or has ended.
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

    /// A section has ended, and its task with it or not.
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

    /// Lets what comes of a section leave the server.
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

    /// The server ends a connection: it reads no more of it.
    fn close(&mut self, port: Port) {
        self.drop_unread(port, 0);
        self.opening.retain(|notice| notice.port != port);
        if self.is_open(port) {
            self.closed.push(port);
            self.has_left(port);
        }
    }
}
