//! The server's work between requests: the `step`s of its specification, and its suspended tasks.
//!
//! `step { n := n + 1; }` is taken now and then before a request, as often as a choice with the weights [`RARITY`] says. A server
//! with several clients suspends a request at a `yield` of its handler:
//!
//! ```
//! use mayhap::choice::Random;
//! use mayhap::details::{Selection, Value};
//! use mayhap::server::{Port, Ranges, Reply, SectionDone, SectionStart, Server};
//! use mayhap::spec::{Spec, Tasks, load::Text};
//!
//! let text = "protocol p { request int; response int; var n: int = 0; on q { let old = n; yield; n := old + q; reply n; } }";
//! let text = Text { name: "p.may".into(), text: text.into() };
//! let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
//! let spec = Spec::compile(text, &mut |name| Err(format!("there is no {name}")), &selection)?;
//! let mut choices = Random::new(1);
//! let mut server = Server::new(spec, Ranges::default(), &mut choices).expect("it starts").interleaved();
//! for client in [Port(1), Port(2)] {
//!     let request = SectionStart::Request(client, Value::from(5));
//!     assert_eq!(server.run(&request, &mut choices), Ok(SectionDone::Suspended));
//! }
//! for client in [Port(1), Port(2)] {
//!     // Neither sees what the other one adds.
//!     let answer = SectionDone::Ended(Reply::Answer(Value::from(5)));
//!     assert_eq!(server.run(&SectionStart::Task(client), &mut choices), Ok(answer));
//! }
//! # Ok::<(), mayhap::error::SpecError>(())
//! ```

use super::draw::Variety;
use super::{AtYield, SectionStart, Server, Stop};
use crate::choice::Choices;
use crate::process::{PeerCall, Process, Sent, Situation};
use crate::value::Value;

/// The weights of taking a step before a request, and then perhaps another one, and of taking none.
const RARITY: [u64; 2] = [1, 3];
/// The most steps before one request, with wide and with small variety.
const STEPS: [usize; 2] = [16, 2];
/// The most steps that a request without a run waits for; it is tried again after each step.
const WAITED: usize = 64;

/// Something that leaves the server at the end of a section, besides the answer to a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Departure {
    /// A message to a client.
    Message(u64, Value),
    /// The end of a client's connection, after the messages that were sent on it.
    End(u64),
    /// A call of a peer.
    Call {
        /// The number of the call.
        exchange: u64,
        /// The number of the peer in the specification.
        peer: u32,
        /// The key, which tells peers of one kind apart.
        key: Value,
        /// The request.
        request: Value,
    },
}

impl Server {
    /// The server as one for several clients, which suspends a request at a `yield` of its handler.
    #[must_use]
    pub fn interleaved(self) -> Server {
        Server { at_yield: AtYield::Suspends, ..self }
    }

    /// Tests whether requests may be suspended, or lead to more than their answers.
    #[must_use]
    pub fn is_asynchronous(&self) -> bool {
        self.is_asynchronous
    }

    /// Forgets the suspended request of a client, if it has one.
    pub fn abandon(&mut self, client: u64) {
        let place = self.suspended().position(|other| other == client);
        if let Some(place) = place {
            self.path.process.wake(place);
            self.path.process.rest();
        }
    }

    /// Takes everything that leaves the server after the sections that it ran: messages, ends of connections and calls. Unknown
    /// parts are drawn.
    ///
    /// # Errors
    /// The drawing is too hard, or the source of choices fails.
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

    /// Ends a call with the answer of the peer, or with its failure, so that the task that waits for it can go on.
    pub fn answer_call(&mut self, exchange: u64, answer: Option<Value>) {
        self.path.process.answer_call(exchange, answer.as_ref());
    }

    /// The memory, and everything that is under way.
    pub(crate) fn process(&mut self) -> &mut Process {
        &mut self.path.process
    }

    /// The situation of the suspended tasks.
    pub(super) fn situation(&self) -> Situation {
        self.path.process.situation()
    }

    /// Tests whether the specification handles the beginning of connections, and their end.
    #[must_use]
    pub fn notices_connections(&self) -> [bool; 2] {
        [self.spec.program.opens.is_some(), self.spec.program.closes.is_some()]
    }

    /// Draws an answer of a peer.
    ///
    /// # Errors
    /// The source of choices fails.
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

    /// Tests whether a task waits for the call with this number.
    #[must_use]
    pub fn is_awaited(&self, exchange: u64) -> bool {
        let suspended = self.path.process.situation().suspended;
        suspended.iter().flat_map(|task| &task.calls).any(|call| call.exchange == Some(exchange))
    }

    /// Tests whether a section without a run may have one after a step that the caller has to take.
    #[must_use]
    pub fn waits_for_steps(&self) -> bool {
        self.takes_steps() && self.is_asynchronous
    }

    /// The clients with suspended requests.
    pub fn suspended(&self) -> impl Iterator<Item = u64> {
        self.path.process.suspended().map(|port| port.0)
    }

    /// Tests whether a request of a client may begin: the client has no suspended request, and, if requests are served one by
    /// one, nobody has.
    #[must_use]
    pub fn may_begin(&self, client: u64) -> bool {
        let mut suspended = self.suspended();
        if self.spec.program.is_serial { suspended.next().is_none() } else { suspended.all(|other| other != client) }
    }

    /// Takes internal steps; their number and kinds are drawn. A step without a run is not taken. If the specification has no
    /// `step`, nothing is drawn.
    ///
    /// # Errors
    /// A step is faulty, or the source of choices fails. Earlier steps have happened.
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

    /// Takes a drawn internal step, if it has a run now.
    pub(super) fn act(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let step = source.choose("which step", self.spec.program.steps.len()).map_err(Stop::Choice)?;
        match self.run(&SectionStart::Step(step), source) {
            Ok(_) | Err(Stop::Stuck(_)) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    /// Tests whether the specification has internal steps.
    #[must_use]
    pub fn takes_steps(&self) -> bool {
        !self.spec.program.steps.is_empty()
    }

    /// The most steps that a request without a run waits for.
    pub(super) fn patience(&self) -> usize {
        match self.drawing.variety {
            // What a step sends must leave before anything else happens, so an asynchronous server takes no steps here.
            Variety::Wide if self.takes_steps() && !self.is_asynchronous => WAITED,
            Variety::Wide | Variety::Small => 0,
        }
    }
}
