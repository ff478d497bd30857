//! Several random clients of a server at once, over a network that delays requests and answers.
//!
//! ```text
//! client 1   Write(1) ▶ ⋯ ⋯ ▶ ┌────────┐ ⋯ ▶ ok          the next event is drawn: a client sends a request, the server begins to
//! client 2   Read ▶ ⋯ ⋯ ⋯ ⋯ ▶ │ server │ ⋯ ⋯ ⋯ ⋯ ▶ 1     serve one or continues a task, a message arrives,
//! client 3   Read ▶ ⋯ lost     └────────┘                 a peer answers, a client gives up
//! ```
//!
//! The model of the network, with which traces are judged, tells what may happen: which requests the server may read next, and
//! which messages may arrive.
//!
//! A request is drawn when it is sent. If it breaks the client's duty at the moment at which the server takes it, another one
//! replaces it. Nobody has seen the request by then, and the client might just as well have guessed the other one. So an
//! occurrence is final as soon as no earlier request is under way. The same holds for the answer of a peer.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::occurrence::{Journal, Occurrence};
use super::packets::{CallPacket, ClientEnd, MessagePacket, Notice, OpenTask, RequestPacket, Waits};
use super::{Server, Stop};
use crate::choice::Choices;
use crate::network::{Network, NetworkChoice, Observation, PacketOrder, moves};
use crate::process::{Port, Situation};

/// The weights of the events that may come next: a client sends a request, the server runs a section, a message arrives, a peer
/// acts, and a client gives up.
const WEIGHTS: [u64; 5] = [3, 3, 3, 3, 1];
/// The weights of a lost packet, and of one that arrives, if the network loses packets.
const LOSSES: [u64; 2] = [1, 7];
/// The weights of a packet that arrives again, and of one that does not, if the network duplicates packets.
const COPIES: [u64; 2] = [1, 15];

/// The random clients: their number, and their behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Population {
    /// The number of clients, each with one connection at a time; at most the number of connections that the network has.
    pub clients: u64,
    /// The number of requests of all clients together.
    pub requests: u64,
    /// The most requests that one connection has under way.
    pub pipelined: usize,
    /// The share of requests that the client gives up, in percent.
    pub lost: u64,
    /// The network between the clients and the server. On it clients must not have to wait for each other.
    pub network: NetworkChoice,
}

/// Random clients of a server, and everything that is under way between them.
pub struct Conversation {
    pub(super) server: Server,
    pub(super) population: Population,
    pub(super) network: Box<dyn Network>,
    /// The number of requests that are not sent yet.
    left: u64,
    connections: Vec<ClientEnd>,
    /// The indices of the connections that may send a request.
    ready: Vec<usize>,
    /// The indices of the connections whose clients will give up.
    giving_up: Vec<usize>,
    /// The indices of the connections that have begun and not ended.
    places: FxHashMap<Port, usize>,
    /// The requests that may still be read, and the messages that may still be seen, each in the order of sending.
    pub(super) requests: Vec<RequestPacket>,
    pub(super) messages: Vec<MessagePacket>,
    pub(super) calls: Vec<CallPacket>,
    /// The suspended tasks.
    pub(super) tasks: FxHashMap<Port, OpenTask>,
    /// The connections that the server has ended, without their clients having seen it.
    pub(super) closed: Vec<Port>,
    pub(super) opening: Vec<Notice>,
    pub(super) leaving: Vec<Notice>,
    /// The number of connections so far.
    ports: u64,
    pub(super) journal: Journal,
    pub(super) waiting: Waits,
    ended: Option<Result<(), Stop>>,
}

/// An event that may come next at a client.
#[derive(Clone, Copy)]
enum ClientArrival {
    /// The message at this position.
    Message(usize),
    /// The end of this connection, by the server.
    End(Port),
}

impl Conversation {
    /// A conversation with a server that nobody has asked anything yet. The server suspends its tasks at each `yield`.
    #[must_use]
    pub fn new(server: Server, population: Population) -> Conversation {
        let most = population.network.connections().map_or(u64::MAX, |most| most as u64);
        let clients = population.clients.min(most);
        Conversation {
            server: server.interleaved(),
            population,
            network: population.network.network(),
            left: population.requests,
            connections: (1..=clients).map(|port| ClientEnd::new(Port(port))).collect(),
            ready: (0..clients as usize).collect(),
            giving_up: Vec::new(),
            places: FxHashMap::default(),
            requests: Vec::new(),
            messages: Vec::new(),
            calls: Vec::new(),
            tasks: FxHashMap::default(),
            closed: Vec::new(),
            opening: Vec::new(),
            leaving: Vec::new(),
            ports: clients,
            journal: Journal::default(),
            waiting: Waits::default(),
            ended: None,
        }
    }

    /// The next occurrence; `None` if all requests were sent and nothing more can happen.
    ///
    /// # Errors
    /// The server cannot go on although requests are not sent yet. All earlier occurrences were returned before.
    pub fn next(&mut self, source: &mut dyn Choices) -> Result<Option<Occurrence>, Stop> {
        loop {
            if let Some(occurrence) = self.journal.pass_on(self.ended.is_some()) {
                return Ok(Some(occurrence));
            }
            if let Some(ended) = &self.ended {
                return ended.clone().map(|()| None);
            }
            match self.advance(source) {
                Ok(true) => {}
                Ok(false) => self.ended = Some(self.outcome()),
                Err(stop) => self.ended = Some(Err(stop)),
            }
        }
    }

    /// The number of requests that were not sent. If nothing more happens, the network stays full for ever.
    #[must_use]
    pub fn unsent(&self) -> u64 {
        self.left
    }

    /// Lets one event happen; returns false if none can.
    fn advance(&mut self, source: &mut dyn Choices) -> Result<bool, Stop> {
        let senders = self.senders();
        let work = self.requests.len() + self.tasks.len() + self.opening.len() + self.leaving.len();
        let can_be = [
            !senders.is_empty(),
            !self.waiting.is_blocked && work > 0,
            !(self.messages.is_empty() && self.closed.is_empty()),
            self.may_call(),
            !self.giving_up.is_empty(),
        ];
        if !can_be.contains(&true) {
            return Ok(false);
        }
        let mut weights = WEIGHTS;
        weights.iter_mut().zip(can_be).for_each(|(weight, can)| *weight *= u64::from(can));
        match source.weighted("what happens next", &weights).map_err(Stop::Choice)? {
            0 => self.send(&senders, source),
            1 => self.serve(source),
            2 => self.deliver(source),
            3 => self.call_peer(source),
            _ => {
                let at = draw(source, "who gives up", self.giving_up.len())?;
                self.give_up(self.giving_up[at], source)
            }
        }?;
        Ok(true)
    }

    /// The outcome of the conversation if nothing more can happen. Requests without an answer then never get one.
    fn outcome(&mut self) -> Result<(), Stop> {
        match self.waiting.stop.take().filter(|_| self.left > 0) {
            Some(stop) => Err(stop),
            None => Ok(()),
        }
    }

    /// Everything that is under way, in the form that the network model asks for.
    pub(super) fn situation(&self) -> Situation {
        let Situation { mut suspended, unawaited, endless, .. } = self.server.situation();
        for task in suspended.iter_mut().filter(|task| !task.calls.is_empty()) {
            // A task of which a call was answered may be able to go on.
            if !self.answered(task.port).is_empty() {
                task.calls.clear();
            }
        }
        Situation {
            arrived: self.requests.iter().map(|packet| packet.port).collect(),
            suspended,
            sent: self.messages.iter().map(|packet| packet.port).collect(),
            closed: self.closed.clone(),
            opening: self.opening.iter().map(|notice| notice.port).collect(),
            leaving: self.leaving.iter().map(|notice| notice.port).collect(),
            unawaited,
            endless,
        }
    }

    /// The indices of the connections that may send a request.
    fn senders(&self) -> Vec<usize> {
        if self.left == 0 { Vec::new() } else { self.ready.clone() }
    }

    /// Lets a client send a request.
    fn send(&mut self, senders: &[usize], source: &mut dyn Choices) -> Result<(), Stop> {
        let at = senders[draw(source, "which client", senders.len())?];
        let request = self.server.draw_request(source).map_err(Stop::Choice)?;
        let noted = self.journal.note_open(Occurrence::Sent(at as u64 + 1, request.clone()));
        let lost = [self.population.lost, 100 - self.population.lost];
        let connection = &mut self.connections[at];
        let port = connection.port;
        connection.under_way.push(noted);
        if lost[0] > 0 && source.weighted("gives up", &lost).map_err(Stop::Choice)? == 0 {
            connection.gives_up = true;
            self.giving_up.push(at);
        }
        if connection.gives_up || connection.under_way.len() >= self.population.pipelined {
            self.ready.retain(|other| *other != at);
        }
        if self.places.insert(port, at).is_none() && self.server.notices_connections()[0] {
            self.opening.push(Notice::of(port));
        }
        self.left -= 1;
        self.waiting.is_blocked = false;
        if self.closed.contains(&port) {
            // Nobody reads the request.
            self.journal.fix(noted);
        } else if self.is_lost(source)? {
            self.journal.fix(noted);
            self.waits_less(port, noted);
        } else {
            self.requests.push(RequestPacket { port, request, noted, is_read: false, tried: None });
        }
        Ok(())
    }

    /// Draws whether the network loses a packet.
    pub(super) fn is_lost(&self, source: &mut dyn Choices) -> Result<bool, Stop> {
        if !self.population.network.loses() {
            return Ok(false);
        }
        Ok(source.weighted("is lost", &LOSSES).map_err(Stop::Choice)? == 0)
    }

    /// Draws whether a packet that has arrived arrives again.
    pub(super) fn comes_again(&self, source: &mut dyn Choices) -> Result<bool, Stop> {
        Ok(self.network.duplicates() && source.weighted("comes again", &COPIES).map_err(Stop::Choice)? == 0)
    }

    /// Notes that a client no longer waits for the answer to a request.
    pub(super) fn waits_less(&mut self, port: Port, request: u64) {
        let Some(at) = self.places.get(&port).copied() else { return };
        let connection = &mut self.connections[at];
        connection.under_way.retain(|waiting| *waiting != request);
        let may_send = connection.under_way.len() < self.population.pipelined && !connection.gives_up;
        if may_send && !self.ready.contains(&at) {
            self.ready.push(at);
        }
    }

    /// Tests whether a client may still see what is sent on a connection.
    pub(super) fn is_open(&self, port: Port) -> bool {
        self.places.contains_key(&port) && !self.closed.contains(&port)
    }

    /// Lets a message or an end of connection arrive at a client, or lets the client give up.
    fn deliver(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let arrivals = self.arrivals();
        let arrival = arrivals[draw(source, "which answer", arrivals.len())?];
        let port = match arrival {
            ClientArrival::Message(at) => self.messages[at].port,
            ClientArrival::End(port) => port,
        };
        let at = self.places[&port];
        if self.connections[at].gives_up {
            return self.give_up(at, source);
        }
        let client = at as u64 + 1;
        match arrival {
            ClientArrival::Message(place) => {
                let MessagePacket { message, answers, .. } = &self.messages[place];
                self.journal.note(Occurrence::Answered(client, message.clone()));
                let answers = *answers;
                if !self.comes_again(source)? {
                    self.messages.remove(place);
                }
                answers.into_iter().for_each(|request| self.waits_less(port, request));
            }
            ClientArrival::End(port) => {
                self.journal.note(Occurrence::Closed(client));
                self.closed.retain(|other| *other != port);
                self.reconnect(at);
            }
        }
        Ok(())
    }

    /// The messages and ends of connections that may arrive next.
    fn arrivals(&self) -> Vec<ClientArrival> {
        let mut met = FxHashSet::default();
        let is_next = |at: &usize| match self.network.order() {
            PacketOrder::Free => true,
            PacketOrder::Connection => met.insert(self.messages[*at].port),
            PacketOrder::Global => *at == 0,
        };
        let messages = (0..self.messages.len()).filter(is_next).map(ClientArrival::Message);
        let situation = if self.closed.is_empty() { Situation::default() } else { self.situation() };
        let is_end = |port: &&Port| moves::may_be_made(&*self.network, &situation, &Observation::Closed(**port));
        messages.chain(self.closed.iter().filter(is_end).map(|port| ClientArrival::End(*port))).collect()
    }

    /// Lets a client give up: it gets a new connection. The server may still read the first of its unread requests.
    fn give_up(&mut self, at: usize, source: &mut dyn Choices) -> Result<(), Stop> {
        self.journal.note(Occurrence::Lost(at as u64 + 1));
        let port = self.connections[at].port;
        let unread = self.requests.iter().filter(|packet| packet.port == port).count();
        let read = draw(source, "read all the same", unread + 1)?;
        self.drop_unread(port, read);
        let is_closed = self.closed.contains(&port);
        self.closed.retain(|other| *other != port);
        self.reconnect(at);
        if !is_closed {
            self.has_left(port);
        }
        Ok(())
    }

    /// The client at this place has another connection from now on: nothing that was sent to it on the old one is seen.
    fn reconnect(&mut self, at: usize) {
        self.ports += 1;
        let old = std::mem::replace(&mut self.connections[at], ClientEnd::new(Port(self.ports)));
        self.giving_up.retain(|other| *other != at);
        if !self.ready.contains(&at) {
            self.ready.push(at);
        }
        self.places.remove(&old.port);
        self.messages.retain(|packet| packet.port != old.port);
        self.waiting.is_blocked = false;
    }

    /// Notes that a connection has ended, if the specification has an `on close`.
    pub(super) fn has_left(&mut self, port: Port) {
        if self.server.notices_connections()[1] {
            self.leaving.push(Notice::of(port));
        }
    }

    /// Drops the unread requests of a connection, except for the first `read`.
    pub(super) fn drop_unread(&mut self, port: Port, mut read: usize) {
        let journal = &mut self.journal;
        self.requests.retain(|packet| {
            let is_kept = packet.port != port || read > 0;
            read -= usize::from(packet.port == port && is_kept);
            if !is_kept {
                journal.fix(packet.noted);
            }
            is_kept
        });
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("population", &self.population).field("left", &self.left).finish()
    }
}

pub(super) fn draw(source: &mut dyn Choices, label: &'static str, arity: usize) -> Result<usize, Stop> {
    source.choose(label, arity).map_err(Stop::Choice)
}
