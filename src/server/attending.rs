//! The server's part in a conversation: it runs sections, and sends the messages of a section when the section ends.
//!
//! `on q from c { send c, 1; close c; }` leads to a message and then to the end of the connection. Both leave when the section
//! ends.

use super::conversation::{Conversation, draw};
use super::packets::{CallPacket, CallStage, MessagePacket, OpenTask, RequestPacket};
use super::{Departure, Reply, SectionDone, SectionStart, Stop};
use crate::choice::Choices;
use crate::network::{Observation, ServerMove, ServerSection, moves};
use crate::process::{Port, Situation};

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
        let state = self.waiting.state;
        let port = match section {
            ServerSection::Open(port) | ServerSection::Leave(port) => Some(port),
            ServerSection::Move(_) => section.port(situation),
        };
        // Steps, which have no connection, come before each section.
        let Some(port) = port else { return Ok(false) };
        if self.tried(section, port).is_none_or(|tried| *tried == Some(state)) {
            return Ok(false);
        }
        let done = match section {
            ServerSection::Move(ServerMove::Receive(at)) => self.read(at, source).map(Some),
            ServerSection::Open(port) => self.server.run(&SectionStart::Opened(port), source).map(Some),
            ServerSection::Leave(port) => self.server.run(&SectionStart::Left(port), source).map(Some),
            ServerSection::Move(ServerMove::Resume(_) | ServerMove::Step) => self.go_on(port, source),
        };
        let Some(done) = self.waiting.sift(done)? else {
            self.tried(section, port).into_iter().for_each(|tried| *tried = Some(state));
            return Ok(false);
        };
        let Some(done) = done else { return Ok(false) };
        let request = match section {
            ServerSection::Move(ServerMove::Receive(at)) => Some(self.requests[at].noted),
            _ => self.tasks.get(&port).and_then(|task| task.request),
        };
        let ended = EndedSection { port, request };
        let outgoing = self.outgoing(Some((ended, &done)), source)?;
        match section {
            ServerSection::Move(ServerMove::Receive(at)) => self.has_read(at, source)?,
            ServerSection::Open(_) => self.opening.retain(|notice| notice.port != port),
            ServerSection::Leave(_) => {
                self.leaving.retain(|notice| notice.port != port);
                self.drop_unread(port, 0);
            }
            ServerSection::Move(ServerMove::Resume(_) | ServerMove::Step) => _ = self.tasks.remove(&port),
        }
        self.end(ended, &done);
        self.depart(outgoing, source).map(|()| true)
    }

    /// The number of the state in which a section was last tried in vain; `None` if there is no such section.
    fn tried(&mut self, section: ServerSection, port: Port) -> Option<&mut Option<u64>> {
        let notices = match section {
            ServerSection::Move(ServerMove::Receive(at)) => return Some(&mut self.requests[at].tried),
            ServerSection::Move(_) => return self.tasks.get_mut(&port).map(|task| &mut task.tried),
            ServerSection::Open(_) => &mut self.opening,
            ServerSection::Leave(_) => &mut self.leaving,
        };
        notices.iter_mut().find(|notice| notice.port == port).map(|notice| &mut notice.tried)
    }

    /// Begins to serve the request at this position, or another one in its place if it breaks the client's duty.
    fn read(&mut self, at: usize, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        let RequestPacket { port, ref request, is_read, .. } = self.requests[at];
        let request = request.clone();
        if is_read {
            return self.server.run(&SectionStart::Request(port, request), source);
        }
        let kept = self.server.kept_or_another(port.0, request, source)?;
        self.requests[at].request = kept.request;
        Ok(kept.done)
    }

    /// Notes that the request at this position was read: it is final now, and perhaps arrives again.
    fn has_read(&mut self, at: usize, source: &mut dyn Choices) -> Result<(), Stop> {
        let comes_again = self.comes_again(source)?;
        let packet = &mut self.requests[at];
        if !packet.is_read {
            self.journal.fix_request(packet.noted, packet.request.clone());
        }
        (packet.is_read, packet.tried) = (true, None);
        if !comes_again {
            self.requests.remove(at);
        }
        Ok(())
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
