//! A server that runs a specification: its choices are drawn from a [`Choices`], or *given* by a witness.
//!
//! It runs the same code as the judge, with known values. Only choices of the initial state are symbols until an answer shows
//! them (`open`). If a drawn choice makes an `assume` or `where` false, the section runs again with symbols for its choices. Its
//! paths are tried in drawn order until one has a model. The choices of this model are recorded as [`Given`], so that a replay
//! needs no solver.

mod attending;
mod client;
mod complete;
mod conversation;
mod draw;
mod listed;
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
use crate::process::{Fault, Fresh, Limit, PeerCalls, Process, copy_values};
pub use crate::process::{Port, SectionStart};
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
pub(crate) use listed::{ListedValues, PlaceList};
pub use occurrence::{CallEvent, Occurrence, PeerOccurrence};
use open::SymbolicState;
pub use own::Departure;
use run::{ChoiceSource, Run};
use section::{PATHS, PathSearch, RunPath};

/// A choice of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// A known value.
    Value(Value),
    /// The number of the way that was taken, out of several.
    Way(usize),
    /// An element of a collection.
    Element(Value),
}

/// The outcome of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// The server answered.
    Answer(Value),
    /// The server gave no answer.
    Nothing,
}

/// The outcome of a section.
#[derive(Clone, PartialEq, Debug)]
pub enum SectionDone {
    /// The task has ended, too.
    Ended(Reply),
    /// The task goes on later; other tasks may go on meanwhile.
    Suspended,
}

/// The event that suspended a task.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Suspension {
    /// A `yield` at this place.
    Yielded(Option<Site>),
    /// Calls of peers.
    Called(PeerCalls),
}

/// The effect of a `yield`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AtYield {
    /// The section goes on.
    GoesOn,
    /// The section ends, and its task is suspended.
    Suspends,
}

/// The reason why a server could not go on.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The specification is at fault.
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
    /// The stop, with another place if it says that no run exists.
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

/// A server that runs a specification.
///
/// Invariants, between two sections:
/// 1. If `open` is `None`, all of the state is known, and the store of the path has no constraints.
/// 2. No symbol in the state or the store has a greater number than the last fresh symbol of `open`.
#[derive(Debug)]
pub struct Server {
    spec: Arc<Spec>,
    /// The state, and the constraints on the symbols in it.
    path: RunPath,
    /// The state before the current or last section.
    before: Vec<Value>,
    at_yield: AtYield,
    /// Set if a section may do more than answer its request.
    is_asynchronous: bool,
    /// The number of calls of peers so far.
    calls: u64,
    solver: Solver,
    drawing: Drawing,
    /// The additional data for a state with symbols; `None` as soon as all of the state is known.
    open: Option<SymbolicState>,
    /// The choices of the last section, with their types; empty if the state had symbols before the section.
    made: Vec<(Given, TypeId)>,
    /// The event that suspended the task of the last section, if all of the state was known before the section.
    pub(crate) suspension: Option<Suspension>,
}

/// A state that a server can return to.
#[derive(Clone, Debug)]
pub struct ServerMark {
    path: RunPath,
    open: Option<SymbolicState>,
    calls: u64,
}

impl Given {
    /// The chosen value; `None` for a way.
    fn value(&self) -> Option<&Value> {
        match self {
            Given::Value(value) | Given::Element(value) => Some(value),
            Given::Way(_) => None,
        }
    }
}

impl Server {
    /// A server in an initial state. A choice of the initial state is drawn only when an answer shows it.
    ///
    /// # Errors
    /// The initial state cannot be computed.
    pub fn new(spec: Arc<Spec>, ranges: Ranges, source: &mut dyn Choices) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::new(ranges, Variety::Wide));
        server.open = Some(SymbolicState::default());
        server.section(&SectionStart::Boot, source)?;
        Ok(server)
    }

    /// A server all of whose choices are to be visited. Few different values are drawn. A section whose choices contradict a
    /// condition is stuck, and is not run again with other choices.
    ///
    /// # Errors
    /// The initial state cannot be computed, or does not exist with these choices.
    pub fn explored(spec: Arc<Spec>, ranges: Ranges, source: &mut dyn Choices) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::new(ranges, Variety::Small));
        server.section(&SectionStart::Boot, source)?;
        Ok(server)
    }

    /// A server all of whose choices are to be visited, in a state with tokens up to this number.
    pub(crate) fn explored_at(spec: Arc<Spec>, ranges: Ranges, state: Vec<Value>, tokens: usize) -> Server {
        let mut server = Server::unset(spec, Drawing { naming: None, ..Drawing::new(ranges, Variety::Small) });
        server.path.process.memory = state;
        server.drawing.tokens = tokens;
        server
    }

    /// The number of the last token: the tokens are `t1`, `t2` and so on.
    pub(crate) fn tokens(&self) -> usize {
        self.drawing.tokens
    }

    /// Sets the number of the last token.
    pub(crate) fn count_tokens(&mut self, tokens: usize) {
        self.drawing.tokens = tokens;
    }

    /// A server in the initial state that the given choices lead to.
    ///
    /// # Errors
    /// The choices lead to no initial state.
    pub fn given(spec: Arc<Spec>, initial: Vec<Given>) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::default());
        server.repeat(&SectionStart::Boot, initial)?;
        Ok(server)
    }

    /// A server in this state, which has the values of the variables.
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
        Server {
            path,
            before,
            at_yield,
            is_asynchronous,
            calls: 0,
            solver,
            drawing,
            open: None,
            made,
            suspension: None,
            spec,
        }
    }

    /// Handles a request with drawn choices, now and then after an internal step. A request without a run waits for a few
    /// internal steps. If it still has none, nothing has happened.
    ///
    /// # Errors
    /// The request has no run.
    pub fn handle(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<Reply, Stop> {
        self.idle(source)?;
        self.run(&SectionStart::Request(Port(client), request.clone()), source).map(SectionDone::reply)
    }

    /// Runs a section with drawn choices, up to the end or the next `yield` or call of its task. A section of a task without a run
    /// waits for a few internal steps. Without a handler nothing runs; a restart drops what is under way even so.
    ///
    /// # Errors
    /// The section has no run, and nothing has happened. If there is no such step or task, this is a [`Stop::Mismatch`].
    pub fn run(&mut self, start: &SectionStart, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        self.see(start);
        let patience = if start.port().is_some() { self.patience() } else { 0 };
        let mut waited = 0;
        loop {
            match self.section(start, source) {
                Err(Stop::Stuck(_)) if waited < patience => self.act(source)?,
                done => return done,
            }
            waited += 1;
        }
    }

    /// Tests whether the request has a run in this state, with any choices. A run that is faulty or breaks the client's duty
    /// counts. The state does not change.
    ///
    /// # Errors
    /// A limit or the solver leaves this open, or the source of choices fails, which decides what is tried first.
    pub fn has_run(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<bool, Stop> {
        match self.given_by_symbols(&SectionStart::Request(Port(client), request.clone()), source) {
            Err(stop @ (Stop::Choice(_) | Stop::Limit(_) | Stop::Undecided(_))) => Err(stop),
            found => Ok(!matches!(found, Err(Stop::Stuck(_)))),
        }
    }

    /// Runs a section with given choices.
    ///
    /// # Errors
    /// The choices do not fit. If there is no such step or task, this is a [`Stop::Mismatch`].
    pub fn repeat(&mut self, start: &SectionStart, given: Vec<Given>) -> Result<SectionDone, Stop> {
        self.see(start);
        self.once(start, ChoiceSource::Given(given.into()))
    }

    /// Counts the tokens of a request as existing.
    fn see(&mut self, start: &SectionStart) {
        start.request().into_iter().for_each(|request| self.drawing.see(request));
    }

    /// The current state, to return to.
    #[must_use]
    pub fn mark(&self) -> ServerMark {
        ServerMark { path: self.path.clone(), open: self.open.clone(), calls: self.calls }
    }

    /// Says whether parts of answers that nobody has looked at are drawn from now on. Otherwise they are the simplest of their types.
    pub fn draw_unseen_parts(&mut self, draws: bool) {
        self.drawing.draws_unseen = draws;
    }

    /// Returns to a state, and undoes everything since.
    pub fn return_to(&mut self, ServerMark { path, open, calls }: ServerMark) {
        (self.path, self.open, self.calls) = (path, open, calls);
    }

    /// A copy of the state, in which a section begins.
    fn copy_with(&self, start: &SectionStart) -> Result<RunPath, Stop> {
        let mut path = self.path.clone();
        begin(&self.spec, &mut path.process, start).map(|()| path)
    }

    /// The choices of the last section, as JSON; a way is its number. Empty if the state had symbols before the section.
    #[must_use]
    pub fn made_json(&self) -> Vec<String> {
        written(&self.spec.types, &self.made)
    }

    /// The values of the variables, in the order of their declarations. Parts that are not known yet are symbolic.
    #[must_use]
    pub fn state(&self) -> &[Value] {
        &self.path.process.memory
    }

    /// Draws a request, which may break the client's duty.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn draw_request(&mut self, source: &mut dyn Choices) -> Result<Value, ChoiceError> {
        if self.drawing.listed.is_none() {
            let memory = &self.path.process.memory;
            let computed = memory.get(self.spec.program.state_slots()..).unwrap_or_default();
            self.drawing.listed = Some(Arc::new(ListedValues::of(&self.spec, computed)));
        }
        self.drawing.asking(&self.spec.types, source).request(self.spec.program.request)
    }

    /// Runs a section completely, or leaves the state as it was.
    fn section(&mut self, start: &SectionStart, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        if self.open.is_some() {
            return self.section_open(start, source);
        }
        let suspended = self.remember();
        let done = match self.once(start, ChoiceSource::Drawn(source)) {
            Err(Stop::Stuck(site)) if self.drawing.variety == Variety::Wide => {
                self.restore(suspended.as_ref());
                let given = self.given_by_symbols(start, source).map_err(|stop| stop.stopped_at(site));
                given.and_then(|given| self.once(start, ChoiceSource::Given(given.into())))
            }
            done => done,
        };
        done.inspect_err(|_| self.restore(suspended.as_ref()))
    }

    /// Remembers the state before a section: the memory, or, if there may be more to it, the whole process.
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

    /// Finds choices with which the section ends and its conditions hold.
    fn given_by_symbols(&mut self, start: &SectionStart, source: &mut dyn Choices) -> Result<Vec<Given>, Stop> {
        let start = self.copy_with(start)?;
        let mut search = self.search(self.drawing.fresh(), source);
        search.first(start, &mut |search, path, _| search.given(&path))
    }

    fn search<'s>(&'s mut self, fresh: Fresh, source: &'s mut dyn Choices) -> PathSearch<'s> {
        let Server { spec, solver, drawing, at_yield, .. } = self;
        PathSearch { spec, fresh, solver, drawing, source, paths: PATHS, at_yield: *at_yield }
    }

    /// Runs a section in a known state once, whether it comes to its end or not.
    fn once(&mut self, start: &SectionStart, source: ChoiceSource) -> Result<SectionDone, Stop> {
        let Server { spec, path, drawing, made, at_yield, suspension, .. } = self;
        begin(spec, &mut path.process, start)?;
        made.clear();
        *suspension = None;
        let fresh = Fresh::default();
        drive(spec, &mut Run { spec, drawing, source, made, fresh, at_yield: *at_yield, suspension }, path).0
    }
}

/// Begins a section.
fn begin(spec: &Spec, process: &mut Process, start: &SectionStart) -> Result<(), Stop> {
    let program = &spec.program;
    match start {
        SectionStart::Boot => process.boot(program),
        SectionStart::Request(port, request) => process.receive(program, request, port.0),
        SectionStart::Task(port) => {
            let at = process.suspended().position(|other| other == *port);
            process.wake(at.ok_or(Stop::Mismatch(Site(0)))?);
        }
        SectionStart::Step(step) if *step >= program.steps.len() => return Err(Stop::Mismatch(Site(0))),
        SectionStart::Step(step) => process.step(program, *step),
        SectionStart::Opened(port) => process.open(program, *port),
        SectionStart::Left(port) => process.leave(program, *port),
        SectionStart::Restarted => _ = process.restart(program),
    }
    Ok(())
}

/// The choices as JSON; a way is its number.
fn written(types: &Types, made: &[(Given, TypeId)]) -> Vec<String> {
    let show = |(made, ty): &(Given, TypeId)| match made {
        Given::Value(value) | Given::Element(value) => json::encode(types, *ty, value),
        Given::Way(way) => way.to_string(),
    };
    made.iter().map(show).collect()
}

impl SectionDone {
    /// The outcome of the task; a suspended task has no answer yet.
    pub(crate) fn reply(self) -> Reply {
        match self {
            SectionDone::Ended(reply) => reply,
            SectionDone::Suspended => Reply::Nothing,
        }
    }
}

impl AtYield {
    /// Handles a `yield`: the section goes on (`None`), or has ended.
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
