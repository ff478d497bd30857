//! The server's own work between two requests: the `step`s of its specification, and the requests that it suspended.
//!
//! `step { n := n + 1; }` is taken now and then: before each request, as often as a choice by [`RARITY`] says so. A server with
//! several clients suspends a request where its handler yields:
//!
//! ```
//! use mayhap::choice::Random;
//! use mayhap::details::{Selection, Value};
//! use mayhap::server::{Ranges, Reply, SectionDone, Server};
//! use mayhap::spec::{Spec, Tasks, load::Text};
//!
//! let text = "protocol p { request int; response int; var n: int = 0; on q { let old = n; yield; n := old + q; reply n; } }";
//! let text = Text { name: "p.may".into(), text: text.into() };
//! let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
//! let spec = Spec::compile(text, &mut |name| Err(format!("there is no {name}")), &selection)?;
//! let mut choices = Random::new(1);
//! let mut server = Server::new(spec, Ranges::default(), &mut choices).expect("it starts").interleaved();
//! for client in [1, 2] {
//!     assert_eq!(server.begin(&Value::from(5), client, &mut choices), Ok(SectionDone::Suspended));
//! }
//! for client in [1, 2] {
//!     // Neither sees what the other one adds.
//!     let answer = SectionDone::Ended(Reply::Answer(Value::from(5)));
//!     assert_eq!(server.go_on(client, &mut choices), Ok(answer));
//! }
//! # Ok::<(), mayhap::error::SpecError>(())
//! ```

use super::draw::Variety;
use super::{AtYield, Begun, Given, SectionDone, Server, Stop};
use crate::choice::Choices;
use crate::process::{ConnectionList, PeerCall, Sent, Situation};
use crate::spec::Site;
use crate::value::Value;

/// The weights of taking a step before a request, and then perhaps another one, and of taking none.
const RARITY: [u64; 2] = [1, 3];
/// No more steps than this are taken before one request; and if all choices are to be visited.
const STEPS: [usize; 2] = [16, 2];
/// The number of steps after each of which a request that has no run is tried again.
const WAITED: usize = 64;

/// Something that leaves the server at the end of a section, besides the answer of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Departure {
    /// A message to a client.
    Message(u64, Value),
    /// The end of a client's connection, after what was sent on it.
    End(u64),
    /// A call of a peer.
    Call {
        /// The number of the call.
        exchange: u64,
        /// The number of the peer in the specification.
        peer: u32,
        /// The key that says which of the peers of that name.
        key: Value,
        /// The request.
        request: Value,
    },
}

impl Server {
    /// This server, for several clients: from now on a request is suspended where its handler yields.
    #[must_use]
    pub fn interleaved(self) -> Server {
        Server { at_yield: AtYield::Suspends, ..self }
    }

    /// Tests whether some request may be suspended, or lead to more than its answer.
    #[must_use]
    pub fn is_asynchronous(&self) -> bool {
        self.is_asynchronous
    }

    /// Handles a request up to where its handler yields, if it does; choices are drawn. It waits as in [`Server::handle`].
    ///
    /// # Errors
    /// If that has no run: nothing has come of it.
    pub fn begin(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        self.attend(request, client, source)
    }

    /// Goes on with the suspended request of a client; choices are drawn.
    ///
    /// # Errors
    /// If that has no run now: the request stays suspended as it was. A client without a suspended request is a choice that does
    /// not fit.
    pub fn go_on(&mut self, client: u64, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        let place = self.suspended().position(|other| other == client).ok_or(Stop::Mismatch(Site(0)))?;
        self.patiently(Begun::Task(place), source)
    }

    /// Forgets the suspended request of a client, if it has one: nothing more comes of it.
    pub fn abandon(&mut self, client: u64) {
        let place = self.suspended().position(|other| other == client);
        if let Some(place) = place {
            self.path.process.wake(place);
            self.path.process.rest();
        }
    }

    /// Takes what leaves the server with the end of the sections that it ran: messages, ends of connections and calls. What was not known
    /// of it is drawn.
    ///
    /// # Errors
    /// If that is too hard, or the source of choices fails.
    pub fn departures(&mut self, source: &mut dyn Choices) -> Result<Vec<Departure>, Stop> {
        let mut left = Vec::new();
        if !self.is_asynchronous {
            return Ok(left);
        }
        while !self.path.process.sent().is_empty() {
            let Sent { port, value, .. } = self.path.process.take_sent(0);
            left.push(Departure::Message(port.0, self.leaving(value, source)?));
        }
        for port in self.path.process.situation().closed {
            self.path.process.drop_sent(port);
            left.push(Departure::End(port.0));
        }
        while let Some(place) = self.path.process.unseen_calls().first() {
            self.calls += 1;
            let Some(call) = self.path.process.take_call(*place, self.calls) else { break };
            let PeerCall { peer, key, request, .. } = call;
            let [key, request] = [self.leaving(key, source)?, self.leaving(request, source)?];
            left.push(Departure::Call { exchange: self.calls, peer, key, request });
        }
        Ok(left)
    }

    /// A peer answers a call of this number, or fails: what called it can go on.
    pub fn answer_call(&mut self, exchange: u64, answer: Option<Value>) {
        self.path.process.answer_call(exchange, answer.as_ref());
    }

    /// Runs what the specification says of a connection that begins, or has ended, up to where that yields; nothing, if it says nothing.
    ///
    /// # Errors
    /// If that has no run: nothing has happened.
    pub fn noticed(
        &mut self,
        client: u64,
        list: ConnectionList,
        source: &mut dyn Choices,
    ) -> Result<SectionDone, Stop> {
        let begun = match list {
            ConnectionList::Opening => Begun::Opened(client),
            ConnectionList::Leaving => Begun::Left(client),
        };
        self.patiently(begun, source)
    }

    /// Is killed and starts again: what was under way is lost, and what the specification says of a restart (`on restart`) is run;
    /// choices are drawn. Connections begin anew.
    ///
    /// # Errors
    /// If that has no run: nothing has happened.
    pub fn restart(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        match self.spec.program.restarts {
            Some(_) => self.section(Begun::Restart, source).map(drop),
            None => {
                self.enter(Begun::Restart);
                Ok(())
            }
        }
    }

    /// Is killed and starts again with known choices.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn restart_given(&mut self, given: Vec<Given>) -> Result<(), Stop> {
        self.enter(Begun::Restart);
        match self.spec.program.restarts {
            Some(_) => self.replay(given).map(drop),
            None => {
                self.made.clear();
                Ok(())
            }
        }
    }

    /// The situation of what is suspended in it.
    pub(super) fn situation(&self) -> Situation {
        self.path.process.situation()
    }

    /// Tests whether the specification says something of connections that begin, and that end.
    #[must_use]
    pub fn notices_connections(&self) -> [bool; 2] {
        [self.spec.program.opens.is_some(), self.spec.program.closes.is_some()]
    }

    /// Draws the answer of a peer.
    ///
    /// # Errors
    /// If the source of choices fails.
    pub fn draw_peer_answer(&mut self, peer: u32, source: &mut dyn Choices) -> Result<Value, Stop> {
        let ty = self.spec.program.peers[peer as usize].response;
        self.drawing.asking(&self.spec.types, source).request(ty).map_err(Stop::Choice)
    }

    /// The numbers of the calls that the suspended task of a client waits for.
    #[must_use]
    pub fn awaited(&self, client: u64) -> Vec<u64> {
        let suspended = self.path.process.situation().suspended;
        let own = suspended.iter().filter(|task| task.port.0 == client);
        own.flat_map(|task| &task.calls).filter_map(|call| call.exchange).collect()
    }

    /// Tests whether a task waits for the call of this number.
    #[must_use]
    pub fn is_awaited(&self, exchange: u64) -> bool {
        let suspended = self.path.process.situation().suspended;
        suspended.iter().flat_map(|task| &task.calls).any(|call| call.exchange == Some(exchange))
    }

    /// Tests whether a section that has no run may have one after a step, which it does not take itself.
    #[must_use]
    pub fn waits_for_steps(&self) -> bool {
        self.takes_steps() && self.is_asynchronous
    }

    /// The clients whose requests are suspended.
    pub fn suspended(&self) -> impl Iterator<Item = u64> {
        self.path.process.suspended().map(|port| port.0)
    }

    /// Tests whether a request of a client may be begun: none of its own is suspended, nor any if one is served after the other.
    #[must_use]
    pub fn may_begin(&self, client: u64) -> bool {
        let mut suspended = self.suspended();
        if self.spec.program.is_serial { suspended.next().is_none() } else { suspended.all(|other| other != client) }
    }

    /// Lets the server do what it may do by itself; how often, and what, is drawn. A step that has no run is not taken.
    /// If the specification has no `step`, nothing is drawn.
    ///
    /// # Errors
    /// If a step is faulty, or the source of choices fails. What was taken before has happened.
    pub fn idle(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let steps = self.spec.program.steps.len();
        for _ in 0..self.drawing.bound(STEPS) {
            if steps == 0 || source.weighted("a step of the server", &RARITY).map_err(Stop::Choice)? != 0 {
                return Ok(());
            }
            self.act(source)?;
        }
        Ok(())
    }

    /// Lets the server do one of the things that it may do by itself, if that has a run now.
    pub(super) fn act(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let step = source.choose("which step", self.spec.program.steps.len()).map_err(Stop::Choice)?;
        match self.step(step, source) {
            Ok(()) | Err(Stop::Stuck(_)) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    /// Tests whether there is something that it may do by itself.
    #[must_use]
    pub fn takes_steps(&self) -> bool {
        !self.spec.program.steps.is_empty()
    }

    /// Returns the number of steps that a request waits for that has no run.
    pub(super) fn patience(&self) -> usize {
        match self.drawing.variety {
            // What a step sends leaves before anything else happens.
            Variety::Wide if self.takes_steps() && !self.is_asynchronous => WAITED,
            Variety::Wide | Variety::Small => 0,
        }
    }

    /// Takes the step of that number, in the order of the declarations; choices are drawn. Nothing has happened if it
    /// stops.
    ///
    /// # Errors
    /// If it has no run; if there is no such step, that is a choice that does not fit.
    pub fn step(&mut self, step: usize, source: &mut dyn Choices) -> Result<(), Stop> {
        let begun = self.begun(step)?;
        self.section(begun, source).map(drop)
    }

    /// Takes the step of that number with known choices.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn step_given(&mut self, step: usize, given: Vec<Given>) -> Result<(), Stop> {
        let begun = self.begun(step)?;
        self.enter(begun);
        self.replay(given).map(drop)
    }

    fn begun(&self, step: usize) -> Result<Begun<'static>, Stop> {
        if step < self.spec.program.steps.len() { Ok(Begun::Step(step)) } else { Err(Stop::Mismatch(Site(0))) }
    }
}
