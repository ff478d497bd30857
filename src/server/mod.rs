//! A specification run for real: choices are drawn from a [`Choices`], or *given* by a witness.
//!
//! The same process runs here as in the judge; values are known, but for what the beginning chose, which is drawn when it
//! shows (`open`). Where a drawn choice meets an `assume` or `where` that is false, the section is run again with symbols
//! for its choices: its paths are tried in drawn order until one has a model, and what the model gave is recorded as
//! [`Given`], so that a replay needs no solver.

mod attending;
mod client;
mod complete;
mod conversation;
mod draw;
mod given;
mod occurrence;
mod open;
mod own;
mod packets;
mod peers;
mod run;
mod section;

use std::fmt;
use std::sync::Arc;

use crate::choice::{ChoiceError, Choices};
use crate::json;
use crate::process::{Fault, Fresh, Limit, Port, Process, copy_values};
use crate::solve::{Solver, Why};
use crate::spec::code::Op;
use crate::spec::{Site, Spec, TypeId, Types};
use crate::symbolic::drive;
use crate::value::Value;

pub use client::Asked;
pub(crate) use complete::Completion;
pub use conversation::{Conversation, Population};
pub use draw::Ranges;
use draw::{Drawing, Variety};
pub(crate) use given::{GivenServer, SectionStop};
pub use occurrence::{CallEvent, Occurrence, PeerOccurrence};
use open::OpenState;
pub use own::Departure;
use run::{ChoiceSource, Run};
use section::{PATHS, PathSearch, RunPath};

/// A choice of a run, by what was chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// A known value.
    Value(Value),
    /// The number of one of several ways.
    Way(usize),
    /// One element of a collection.
    Element(Value),
}

/// The way in which a request ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// With an answer.
    Answer(Value),
    /// Without one.
    Nothing,
}

/// The end of a section of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum SectionDone {
    /// The request has ended, too.
    Ended(Reply),
    /// It goes on later: others may go on now.
    Suspended,
}

/// The way in which a section meets a `yield`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AtYield {
    /// It goes on.
    GoesOn,
    /// It ends, and its task is suspended.
    Suspends,
}

/// Why a server could not go on.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The specification is wrong.
    Fault(Fault),
    /// The request breaks the client's duty, at this place.
    Outside(Site),
    /// No run exists: an `assume` or `where` cannot hold, at this place.
    Stuck(Site),
    /// A limit was reached.
    Limit(Limit),
    /// The solver did not decide whether a run exists.
    Undecided(Why),
    /// A given choice does not fit the run, at this place.
    Mismatch(Site),
    /// The source of choices failed.
    Choice(ChoiceError),
}

impl Stop {
    /// This stop; if no run exists, with the place at which the first one ended.
    fn stopped_at(self, site: Site) -> Stop {
        if let Stop::Stuck(_) = self { Stop::Stuck(site) } else { self }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Fault(fault) => write!(f, "{}", fault.kind),
            Stop::Outside(_) => f.write_str("the request is outside the specification"),
            Stop::Stuck(_) => f.write_str("no run of the server exists: the condition cannot hold"),
            Stop::Limit(Limit::Paths) => {
                write!(f, "a limit was reached: {} paths were tried for one request", section::PATHS)
            }
            Stop::Limit(Limit::Effort) => {
                f.write_str("a limit was reached: to find a run of the server takes too much work")
            }
            Stop::Limit(limit) => write!(f, "a limit was reached: {limit}"),
            Stop::Undecided(why) => write!(f, "{why}"),
            Stop::Mismatch(_) => f.write_str("the given choice does not fit here"),
            Stop::Choice(error) => write!(f, "{error}"),
        }
    }
}

/// A server that follows a specification.
///
/// Invariants, between two sections:
/// 1. If `open` is `None`, all of the state is known and the path's store says nothing.
/// 2. A symbol that occurs in the state or the store has a number up to that of `open`'s last fresh one.
#[derive(Debug)]
pub struct Server {
    spec: Arc<Spec>,
    /// The state, and what is known of the symbols in it.
    path: RunPath,
    /// The state before the section that was begun last.
    before: Vec<Value>,
    at_yield: AtYield,
    /// Set if a section may do more than answering its request.
    is_asynchronous: bool,
    /// The number of calls of peers so far.
    calls: u64,
    solver: Solver,
    drawing: Drawing,
    /// The data that is kept besides the state if part of that is not known yet; `None` once all of it was found known.
    open: Option<OpenState>,
    /// The choices that the last section made, with their types; none if part of the state was not known before it.
    made: Vec<(Given, TypeId)>,
}

/// The event that a section begins with.
#[derive(Clone, Copy)]
enum Begun<'r> {
    /// Nothing has happened yet.
    Boot,
    /// A client's request.
    Request(&'r Value, u64),
    /// An internal step of the server.
    Step(usize),
    /// The next section of the task that is suspended at this place.
    Task(usize),
    /// A client's connection.
    Opened(u64),
    /// The end of a client's connection.
    Left(u64),
    /// The server was killed, and starts again.
    Restart,
}

/// A state of a server, to which it can return.
#[derive(Clone, Debug)]
pub struct ServerMark {
    path: RunPath,
    open: Option<OpenState>,
    calls: u64,
}

impl Given {
    /// Returns the value that was chosen; `None` for a way, which is no value.
    fn value(&self) -> Option<&Value> {
        match self {
            Given::Value(value) | Given::Element(value) => Some(value),
            Given::Way(_) => None,
        }
    }
}

impl Server {
    /// A server in an initial state; a choice of the initial state is drawn when an answer shows it.
    ///
    /// # Errors
    /// If the initial state cannot be computed.
    pub fn new(spec: Arc<Spec>, ranges: Ranges, source: &mut dyn Choices) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::new(ranges, Variety::Wide));
        server.open = Some(OpenState::default());
        server.section(Begun::Boot, source)?;
        Ok(server)
    }

    /// A server for visiting all choices: few values are drawn, and a section whose choices contradict a
    /// condition is stuck, instead of being run again with other choices.
    ///
    /// # Errors
    /// If the initial state cannot be computed, or does not exist by these choices.
    pub fn explored(spec: Arc<Spec>, ranges: Ranges, source: &mut dyn Choices) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::new(ranges, Variety::Small));
        server.section(Begun::Boot, source)?;
        Ok(server)
    }

    /// A server whose choices are all to be visited, in a state in which tokens up to this number occur.
    pub(crate) fn explored_at(spec: Arc<Spec>, ranges: Ranges, state: Vec<Value>, tokens: usize) -> Server {
        let mut server = Server::unset(spec, Drawing { naming: None, ..Drawing::new(ranges, Variety::Small) });
        server.path.process.memory = state;
        server.drawing.tokens = tokens;
        server
    }

    /// A server whose choices are drawn, in a state in which tokens up to this number occur.
    pub(crate) fn drawn_at(spec: Arc<Spec>, state: Vec<Value>, tokens: usize) -> Server {
        let mut server = Server::resumed(spec, state);
        server.drawing.tokens = tokens;
        server
    }

    /// The number of the last token that there is: they are `t1`, `t2` and so on.
    pub(crate) fn tokens(&self) -> usize {
        self.drawing.tokens
    }

    /// Sets the number of the last token that there is.
    pub(crate) fn count_tokens(&mut self, tokens: usize) {
        self.drawing.tokens = tokens;
    }

    /// A server in the initial state that the given choices lead to.
    ///
    /// # Errors
    /// If the choices lead to no initial state.
    pub fn given(spec: Arc<Spec>, initial: Vec<Given>) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::default());
        server.enter(Begun::Boot);
        server.replay(initial)?;
        Ok(server)
    }

    /// A server in a state: the values of its variables.
    #[must_use]
    pub fn resumed(spec: Arc<Spec>, state: Vec<Value>) -> Server {
        let mut server = Server::unset(spec, Drawing::default());
        server.path.process.memory = state;
        server
    }

    fn unset(spec: Arc<Spec>, drawing: Drawing) -> Server {
        let path = RunPath::new(Process::new(&spec.program));
        let (before, solver, made) = (Vec::new(), Solver::default(), Vec::new());
        let mut code = spec.program.functions.iter().flat_map(|function| &function.code);
        let notices = spec.program.opens.is_some() || spec.program.closes.is_some();
        let is_asynchronous = notices || code.any(Op::is_asynchronous);
        let at_yield = AtYield::GoesOn;
        Server { path, before, at_yield, is_asynchronous, calls: 0, solver, drawing, open: None, made, spec }
    }

    /// Handles a request, now and then after an internal step; choices are drawn. If the request has no run, it waits for a few internal
    /// steps. If it still has none, nothing has happened.
    ///
    /// # Errors
    /// If the request has no run.
    pub fn handle(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<Reply, Stop> {
        self.idle(source)?;
        self.attend(request, client, source).map(SectionDone::reply)
    }

    /// Runs the first section of a request.
    fn attend(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        self.drawing.see(request);
        self.patiently(Begun::Request(request, client), source)
    }

    /// Runs a section; if it has no run, the server takes internal steps first.
    fn patiently(&mut self, begun: Begun, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        let mut waited = 0;
        loop {
            match self.section(begun, source) {
                Err(Stop::Stuck(_)) if waited < self.patience() => self.act(source)?,
                done => return done,
            }
            waited += 1;
        }
    }

    /// Tests whether the request has a run now, by whichever choices, one that is faulty or breaks the client's duty included.
    /// The state stays as it is.
    ///
    /// # Errors
    /// If a limit or the solver leaves that open, or the source of choices, which decides what is tried first, fails.
    pub fn has_run(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<bool, Stop> {
        let before = self.path.process.memory.clone();
        self.enter(Begun::Request(request, client));
        let found = self.given_by_symbols(source);
        self.path.process.memory = before;
        match found {
            Err(stop @ (Stop::Choice(_) | Stop::Limit(_) | Stop::Undecided(_))) => Err(stop),
            found => Ok(!matches!(found, Err(Stop::Stuck(_)))),
        }
    }

    /// Handles a request with known choices.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn handle_given(&mut self, request: &Value, client: u64, given: Vec<Given>) -> Result<Reply, Stop> {
        self.drawing.see(request);
        self.enter(Begun::Request(request, client));
        self.replay(given).map(SectionDone::reply)
    }

    /// The state that it is in.
    #[must_use]
    pub fn mark(&self) -> ServerMark {
        ServerMark { path: self.path.clone(), open: self.open.clone(), calls: self.calls }
    }

    /// Returns to a state: nothing that came after it has happened.
    pub fn return_to(&mut self, ServerMark { path, open, calls }: ServerMark) {
        (self.path, self.open, self.calls) = (path, open, calls);
    }

    fn enter(&mut self, begun: Begun) {
        begun.on(&self.spec, &mut self.path.process);
    }

    /// A copy of the state in which a section has begun.
    fn copy_with(&self, begun: Begun) -> RunPath {
        let mut path = self.path.clone();
        begun.on(&self.spec, &mut path.process);
        path
    }

    /// Returns the choices that the last section made, as JSON; a way is its number. None are kept if part of the state
    /// was not known before it.
    #[must_use]
    pub fn made_json(&self) -> Vec<String> {
        written(&self.spec.types, &self.made)
    }

    /// The state: the values of the variables in the order of their declaration. A part that is not known yet is
    /// symbolic.
    #[must_use]
    pub fn state(&self) -> &[Value] {
        &self.path.process.memory
    }

    /// Draws a request; it may break the client's duty.
    ///
    /// # Errors
    /// If the source of choices fails.
    pub fn draw_request(&mut self, source: &mut dyn Choices) -> Result<Value, ChoiceError> {
        self.drawing.asking(&self.spec.types, source).request(self.spec.program.request)
    }

    /// Runs a section, all or nothing.
    fn section(&mut self, begun: Begun, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        if let Some(open) = self.open.take() {
            return self.section_open(begun, open, source);
        }
        let suspended = self.remember();
        self.enter(begun);
        let done = match self.run(ChoiceSource::Drawn(source)) {
            Err(Stop::Stuck(site)) if self.drawing.variety == Variety::Wide => {
                self.restore(suspended.as_ref());
                self.enter(begun);
                let given = self.given_by_symbols(source).map_err(|stop| stop.stopped_at(site));
                given.and_then(|given| self.replay(given))
            }
            done => done,
        };
        done.inspect_err(|_| self.restore(suspended.as_ref()))
    }

    /// Remembers the state before a section; all of the process if there may be more to it than memory.
    fn remember(&mut self) -> Option<Process> {
        copy_values(&mut self.before, &self.path.process.memory);
        self.is_asynchronous.then(|| self.path.process.clone())
    }

    fn restore(&mut self, suspended: Option<&Process>) {
        match suspended {
            Some(process) => self.path.process = process.clone(),
            None => copy_values(&mut self.path.process.memory, &self.before),
        }
    }

    /// Choices with which the section that has begun comes to its end; its conditions allow them.
    fn given_by_symbols(&mut self, source: &mut dyn Choices) -> Result<Vec<Given>, Stop> {
        let start = self.path.clone();
        let mut search = self.search(self.drawing.fresh(), source);
        search.first(start, &mut |search, path, _| search.given(&path))
    }

    fn search<'s>(&'s mut self, fresh: Fresh, source: &'s mut dyn Choices) -> PathSearch<'s> {
        let Server { spec, solver, drawing, at_yield, .. } = self;
        PathSearch { spec, fresh, solver, drawing, source, paths: PATHS, at_yield: *at_yield }
    }

    fn replay(&mut self, given: Vec<Given>) -> Result<SectionDone, Stop> {
        self.run(ChoiceSource::Given(given.into()))
    }

    fn run(&mut self, source: ChoiceSource) -> Result<SectionDone, Stop> {
        let Server { spec, drawing, made, at_yield, .. } = self;
        made.clear();
        let mut run = Run { spec, drawing, source, made, fresh: Fresh::default(), at_yield: *at_yield };
        drive(spec, &mut run, &mut self.path).0
    }
}

/// Choices with their types, as JSON; a way is its number.
fn written(types: &Types, made: &[(Given, TypeId)]) -> Vec<String> {
    let show = |(made, ty): &(Given, TypeId)| match made {
        Given::Value(value) | Given::Element(value) => json::encode(types, *ty, value),
        Given::Way(way) => way.to_string(),
    };
    made.iter().map(show).collect()
}

impl Begun<'_> {
    fn on(self, spec: &Spec, process: &mut Process) {
        match self {
            Begun::Boot => process.boot(&spec.program),
            Begun::Request(request, client) => process.receive(&spec.program, request, client),
            Begun::Step(step) => process.step(&spec.program, step),
            Begun::Task(at) => process.wake(at),
            Begun::Opened(client) => process.open(&spec.program, Port(client)),
            Begun::Left(client) => process.leave(&spec.program, Port(client)),
            Begun::Restart => _ = process.restart(&spec.program),
        }
    }
}

impl SectionDone {
    /// The way in which the task ended; a suspended one has given no answer.
    fn reply(self) -> Reply {
        match self {
            SectionDone::Ended(reply) => reply,
            SectionDone::Suspended => Reply::Nothing,
        }
    }
}

impl AtYield {
    /// Answers a `yield`: the section goes on, or has come to its end.
    fn meet(self, process: &mut Process) -> Option<SectionDone> {
        match self {
            AtYield::GoesOn => {
                process.proceed();
                None
            }
            AtYield::Suspends => {
                process.suspend();
                Some(SectionDone::Suspended)
            }
        }
    }
}
