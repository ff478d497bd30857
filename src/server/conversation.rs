//! Several random clients of a server at once, over a network that delays what they say and hear.
//!
//! ```text
//! client 1   Write(1) ▶ ⋯ ⋯ ▶ ┌────────┐ ⋯ ▶ ok          what happens next is drawn: a client asks, the server begins with
//! client 2   Read ▶ ⋯ ⋯ ⋯ ⋯ ▶ │ server │ ⋯ ⋯ ⋯ ⋯ ▶ 1     a request or goes on with a task, an answer arrives,
//! client 3   Read ▶ ⋯ lost     └────────┘                 a client gives up
//! ```
//!
//! A request is drawn when it is sent. Where it breaks the client's duty by the time that the server takes it, another one stands in
//! its place: until then nobody has seen it, and a client that guessed well is one, too. So what happened is known for good from
//! where no request before it is under way.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::carrier::{Carrier, Lanes};
use super::{Reply, SectionDone, Server, Stop};
use crate::choice::Choices;
use crate::value::Value;

/// The weights of a request that is sent, of a section of the server, of an answer that arrives and of a client that gives up.
const WEIGHTS: [u64; 4] = [3, 3, 3, 1];

/// The clients that are to be there, and how they behave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Population {
    /// The number of clients; each has one connection at a time.
    pub clients: u64,
    /// The number of requests of all of them.
    pub requests: u64,
    /// The number of requests that one connection may have under way.
    pub pipelined: usize,
    /// The number of requests in a hundred that are given up.
    pub lost: u64,
    /// The network between them and the server.
    pub carrier: Carrier,
}

/// Something that a client does or sees; clients have numbers from 1.
#[derive(Clone, PartialEq, Debug)]
pub enum Occurrence {
    /// It sends a request.
    Sent(u64, Value),
    /// It sees an answer.
    Answered(u64, Value),
    /// It gives up: what comes later under its number is another connection.
    Lost(u64),
}

/// An occurrence, and what may still change about it.
#[derive(Debug)]
struct Noted {
    occurrence: Occurrence,
    /// Set where the server has not taken the request yet.
    is_open: bool,
}

/// A request under way.
#[derive(Debug)]
struct RequestPacket {
    sender: Sender,
    request: Value,
    /// The number of its occurrence.
    noted: u64,
    /// The server's state in which it was tried in vain.
    tried: Option<u64>,
}

/// An answer under way.
#[derive(Debug)]
struct AnswerPacket {
    to: Sender,
    answer: Value,
}

/// A connection, as the other end of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sender {
    /// The client as the server sees it: another one for each connection.
    client: u64,
    /// The place of its connection.
    at: usize,
}

/// A connection.
#[derive(Debug)]
struct ClientEnd {
    client: u64,
    /// The number of its requests that have no answer yet and may get one.
    under_way: usize,
    gives_up: bool,
}

/// A suspended task.
#[derive(Debug)]
struct OpenTask {
    sender: Sender,
    /// The server's state in which it was tried in vain.
    tried: Option<u64>,
}

/// Random clients of a server, and what happens between them.
#[derive(Debug)]
pub struct Conversation {
    server: Server,
    population: Population,
    /// The number of requests that are still to be sent.
    left: u64,
    connections: Vec<ClientEnd>,
    /// The places of the connections that may send.
    ready: Vec<usize>,
    /// The places of those whose clients will give up.
    giving_up: Vec<usize>,
    to_server: Lanes<RequestPacket>,
    to_clients: Lanes<AnswerPacket>,
    /// The suspended tasks, by their clients.
    tasks: FxHashMap<u64, OpenTask>,
    /// The number of clients that the server has seen.
    clients: u64,
    /// The occurrences that were not passed on yet, and the number of those that were.
    noted: VecDeque<Noted>,
    passed: u64,
    waiting: Waits,
    ended: Option<Result<(), Stop>>,
}

/// A record of what the server could not do.
#[derive(Debug, Default)]
struct Waits {
    /// The number of the server's state: each section leads to another one.
    state: u64,
    /// Set where nothing that is there can go on.
    is_blocked: bool,
    /// Why something could not go on.
    stop: Option<Stop>,
}

impl Waits {
    fn progress(&mut self) {
        *self = Waits { state: self.state + 1, ..Waits::default() };
    }
}

impl Conversation {
    /// Clients of a server that nobody has asked anything yet; it suspends its tasks where they yield.
    #[must_use]
    pub fn new(server: Server, population: Population) -> Conversation {
        let end = |at: u64| ClientEnd { client: at + 1, under_way: 0, gives_up: false };
        Conversation {
            server: server.interleaved(),
            population,
            left: population.requests,
            connections: (0..population.clients).map(end).collect(),
            ready: (0..population.clients as usize).collect(),
            giving_up: Vec::new(),
            to_server: Lanes::new(population.carrier),
            to_clients: Lanes::new(population.carrier),
            tasks: FxHashMap::default(),
            clients: population.clients,
            noted: VecDeque::new(),
            passed: 0,
            waiting: Waits::default(),
            ended: None,
        }
    }

    /// The next thing that happened; nothing where all requests were sent, and nothing more can happen.
    ///
    /// # Errors
    /// Where the server cannot go on and requests are still to be sent; all that happened before was passed on.
    pub fn next(&mut self, source: &mut dyn Choices) -> Result<Option<Occurrence>, Stop> {
        loop {
            let is_known = |noted: &Noted| !noted.is_open || self.ended.is_some();
            if self.noted.front().is_some_and(is_known) {
                self.passed += 1;
                return Ok(self.noted.pop_front().map(|noted| noted.occurrence));
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

    /// Lets one thing happen; false where nothing can.
    fn advance(&mut self, source: &mut dyn Choices) -> Result<bool, Stop> {
        let is_work = !self.waiting.is_blocked && self.to_server.open_lanes() + self.tasks.len() > 0;
        let can_be = [
            self.left > 0 && !self.ready.is_empty(),
            is_work,
            self.to_clients.open_lanes() > 0,
            !self.giving_up.is_empty(),
        ];
        if can_be == [false; 4] {
            return Ok(false);
        }
        let mut weights = WEIGHTS;
        weights.iter_mut().zip(can_be).for_each(|(weight, can)| *weight *= u64::from(can));
        match source.weighted("what happens next", &weights).map_err(Stop::Choice)? {
            0 => self.send(source),
            1 => self.serve(source),
            2 => self.deliver(source),
            _ => {
                let at = draw(source, "who gives up", self.giving_up.len())?;
                self.give_up(self.giving_up[at], source)
            }
        }?;
        Ok(true)
    }

    /// The outcome where nothing more can happen: requests that are not answered then never are.
    fn outcome(&mut self) -> Result<(), Stop> {
        match self.waiting.stop.take().filter(|_| self.left > 0) {
            Some(stop) => Err(stop),
            None => Ok(()),
        }
    }

    fn note(&mut self, occurrence: Occurrence, is_open: bool) {
        self.noted.push_back(Noted { occurrence, is_open });
    }

    /// A client sends a request.
    fn send(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let place = draw(source, "which client", self.ready.len())?;
        let at = self.ready[place];
        let request = self.server.draw_request(source).map_err(Stop::Choice)?;
        let noted = self.passed + self.noted.len() as u64;
        self.note(Occurrence::Sent(at as u64 + 1, request.clone()), true);
        let lost = [self.population.lost, 100 - self.population.lost];
        let connection = &mut self.connections[at];
        connection.under_way += 1;
        if lost[0] > 0 && source.weighted("gives up", &lost).map_err(Stop::Choice)? == 0 {
            connection.gives_up = true;
            self.giving_up.push(at);
        }
        if connection.gives_up || connection.under_way >= self.population.pipelined {
            self.ready.swap_remove(place);
        }
        let sender = Sender { client: connection.client, at };
        self.to_server.send(sender.client, RequestPacket { sender, request, noted, tried: None });
        self.waiting.is_blocked = false;
        self.left -= 1;
        Ok(())
    }

    /// The server runs a section of a task, a new one or one that is suspended.
    fn serve(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        if self.server.takes_steps() {
            self.server.idle(source)?;
            self.waiting.state += 1;
        }
        let suspended: Vec<u64> = self.server.suspended().collect();
        let all = suspended.len() + self.to_server.open_lanes();
        let first = draw(source, "who is served", all)?;
        for place in (first..all).chain(0..first) {
            let is_served = match suspended.get(place) {
                Some(client) => self.go_on(*client, source)?,
                None => self.receive(place - suspended.len(), source)?,
            };
            if is_served {
                self.waiting.progress();
                return Ok(());
            }
        }
        self.waiting.is_blocked = true;
        Ok(())
    }

    /// Goes on with the task of a client; true if that could be.
    fn go_on(&mut self, client: u64, source: &mut dyn Choices) -> Result<bool, Stop> {
        let Some(task) = self.tasks.get_mut(&client) else { return Ok(false) };
        if task.tried == Some(self.waiting.state) {
            return Ok(false);
        }
        let sender = task.sender;
        match self.server.go_on(client, source) {
            Ok(done) => self.done(sender, done),
            Err(stop @ (Stop::Stuck(_) | Stop::Outside(_))) => {
                task.tried = Some(self.waiting.state);
                self.waiting.stop = Some(stop);
                return Ok(false);
            }
            Err(stop) => return Err(stop),
        }
        Ok(true)
    }

    /// Begins with the request at the head of a lane; true if that could be.
    fn receive(&mut self, lane: usize, source: &mut dyn Choices) -> Result<bool, Stop> {
        let Some(packet) = self.to_server.head(lane) else { return Ok(false) };
        let sender = packet.sender;
        if packet.tried == Some(self.waiting.state) || !self.server.may_begin(sender.client) {
            return Ok(false);
        }
        match self.server.kept_or_another(sender.client, packet.request.clone(), source) {
            Ok(kept) => {
                let noted = packet.noted;
                _ = self.to_server.take(lane);
                self.fix_request(noted, Some(kept.request));
                self.done(sender, kept.done);
                Ok(true)
            }
            Err(stop @ (Stop::Stuck(_) | Stop::Outside(_))) => {
                packet.tried = Some(self.waiting.state);
                self.waiting.stop = Some(stop);
                Ok(false)
            }
            Err(stop) => Err(stop),
        }
    }

    /// The request of an occurrence is known for good: it is this one, or stays as it is.
    fn fix_request(&mut self, noted: u64, request: Option<Value>) {
        let noted = &mut self.noted[(noted - self.passed) as usize];
        noted.is_open = false;
        if let (Occurrence::Sent(_, sent), Some(request)) = (&mut noted.occurrence, request) {
            *sent = request;
        }
    }

    /// A section has ended: what comes of it leaves now.
    fn done(&mut self, sender: Sender, done: SectionDone) {
        if done == SectionDone::Suspended {
            self.tasks.insert(sender.client, OpenTask { sender, tried: None });
            return;
        }
        self.tasks.remove(&sender.client);
        if self.connections[sender.at].client != sender.client {
            return;
        }
        match done.reply() {
            Reply::Answer(answer) => self.to_clients.send(sender.client, AnswerPacket { to: sender, answer }),
            Reply::Nothing => self.waits_less(sender.at),
        }
    }

    /// A client waits for one answer less.
    fn waits_less(&mut self, at: usize) {
        let connection = &mut self.connections[at];
        if connection.under_way == self.population.pipelined && !connection.gives_up {
            self.ready.push(at);
        }
        connection.under_way -= 1;
    }

    /// An answer arrives, where its client has the patience.
    fn deliver(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let lane = draw(source, "which answer", self.to_clients.open_lanes())?;
        let Some(AnswerPacket { to, answer }) = self.to_clients.take(lane) else { return Ok(()) };
        if self.connections[to.at].gives_up {
            return self.give_up(to.at, source);
        }
        self.note(Occurrence::Answered(to.at as u64 + 1, answer), false);
        self.waits_less(to.at);
        Ok(())
    }

    /// A client gives up, and has another connection from now on. Of its requests that were not read the first ones may be yet.
    fn give_up(&mut self, at: usize, source: &mut dyn Choices) -> Result<(), Stop> {
        self.giving_up.retain(|other| *other != at);
        self.note(Occurrence::Lost(at as u64 + 1), false);
        self.clients += 1;
        let next = ClientEnd { client: self.clients, under_way: 0, gives_up: false };
        let client = std::mem::replace(&mut self.connections[at], next).client;
        self.ready.push(at);
        self.to_clients.retain(|packet| packet.to.client != client);
        let mut unread = 0;
        self.to_server.retain(|packet| {
            unread += usize::from(packet.sender.client == client);
            true
        });
        let mut read = draw(source, "read all the same", unread + 1)?;
        let mut dropped = Vec::new();
        self.to_server.retain(|packet| {
            if packet.sender.client != client {
                return true;
            }
            let is_read = read > 0;
            read = read.saturating_sub(1);
            dropped.extend((!is_read).then_some(packet.noted));
            is_read
        });
        dropped.into_iter().for_each(|noted| self.fix_request(noted, None));
        self.waiting.is_blocked = false;
        Ok(())
    }
}

fn draw(source: &mut dyn Choices, label: &'static str, arity: usize) -> Result<usize, Stop> {
    source.choose(label, arity).map_err(Stop::Choice)
}
