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
use crate::spec::Site;
use crate::spec::code::Op;
use crate::value::Value;

/// The weights of taking a step before a request, and then perhaps another one, and of taking none.
const RARITY: [u64; 2] = [1, 3];
/// No more steps than this are taken before one request; and where all choices are to be visited.
const STEPS: [usize; 2] = [16, 2];
/// A request that has no run is tried again after each of so many steps.
const WAITED: usize = 64;

impl Server {
    /// This server, for several clients: from now on a request is suspended where its handler yields.
    #[must_use]
    pub fn interleaved(self) -> Server {
        Server { at_yield: AtYield::Suspends, ..self }
    }

    /// Tests whether some request may be suspended.
    #[must_use]
    pub fn may_suspend(&self) -> bool {
        let mut functions = self.spec.program.functions.iter();
        functions.any(|function| function.code.iter().any(|op| matches!(op.plain(), Op::Yield)))
    }

    /// Handles a request up to where its handler yields, if it does; choices are drawn. It waits as in [`Server::handle`].
    ///
    /// # Errors
    /// Where that has no run: nothing has come of it.
    pub fn begin(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        self.attend(request, client, source)
    }

    /// Goes on with the suspended request of a client; choices are drawn.
    ///
    /// # Errors
    /// Where that has no run now: the request stays suspended as it was. A client without a suspended request is a choice that does
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

    /// The clients whose requests are suspended.
    pub fn suspended(&self) -> impl Iterator<Item = u64> {
        self.path.process.suspended().map(|port| port.0)
    }

    /// Tests whether a request of a client may be begun: none of its own is suspended, nor any where one is served after the other.
    #[must_use]
    pub fn may_begin(&self, client: u64) -> bool {
        let mut suspended = self.suspended();
        if self.spec.program.is_serial { suspended.next().is_none() } else { suspended.all(|other| other != client) }
    }

    /// Lets the server do what it may do by itself; how often, and what, is drawn. A step that has no run is not taken.
    /// Where the specification has no `step`, nothing is drawn.
    ///
    /// # Errors
    /// Where a step is faulty, or the source of choices fails. What was taken before has happened.
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
            Variety::Wide if self.takes_steps() => WAITED,
            Variety::Wide | Variety::Small => 0,
        }
    }

    /// Takes the step of that number, in the order of the declarations; choices are drawn. Nothing has happened where it
    /// stops.
    ///
    /// # Errors
    /// Where it has no run; where there is no such step, that is a choice that does not fit.
    pub fn step(&mut self, step: usize, source: &mut dyn Choices) -> Result<(), Stop> {
        let begun = self.begun(step)?;
        self.section(begun, source).map(drop)
    }

    /// Takes the step of that number with known choices.
    ///
    /// # Errors
    /// Where they do not fit.
    pub fn step_given(&mut self, step: usize, given: Vec<Given>) -> Result<(), Stop> {
        let begun = self.begun(step)?;
        self.enter(begun);
        self.replay(given).map(drop)
    }

    fn begun(&self, step: usize) -> Result<Begun<'static>, Stop> {
        if step < self.spec.program.steps.len() { Ok(Begun::Step(step)) } else { Err(Stop::Mismatch(Site(0))) }
    }
}
