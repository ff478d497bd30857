//! A specification run for real: choices are drawn from a [`Choices`], or *given* by a witness.
//!
//! The same process runs here as in the judge; values are known, but for what the beginning chose, which is drawn when it
//! shows (`open`). Where a drawn choice meets an `assume` or `where` that is false, the section is run again with symbols
//! for its choices: its paths are tried in drawn order until one has a model, and what the model gave is recorded as
//! [`Given`], so that a replay needs no solver.

mod client;
mod complete;
mod draw;
mod open;
mod own;
mod place;
mod section;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::choice::{ChoiceError, Choices};
use crate::json;
use crate::process::{Choice, Event, Fault, Limit, Process, copy_values};
use crate::solve::{Solver, Store, Why};
use crate::spec::types::ERROR;
use crate::spec::{Site, Spec, TypeId};
use crate::value::{Truth, Value};

pub use client::Asked;
pub use complete::{Completion, sample};
use draw::Variety;
pub use draw::{Drawing, Ranges};
use open::Open;
use section::{PATHS, Path, Search};

/// A choice of a run, by what was chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// A known value.
    Value(Value),
    /// One of several ways.
    Way(usize),
    /// One element of a collection.
    Element(Value),
}

/// How a request ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// With an answer.
    Answer(Value),
    /// Without one.
    Nothing,
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
    /// A run that does not exist is told where the first one ended.
    fn told_at(self, site: Site) -> Stop {
        if let Stop::Stuck(_) = self { Stop::Stuck(site) } else { self }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Fault(fault) => write!(f, "{}", fault.kind),
            Stop::Outside(_) => f.write_str("the request is outside the specification"),
            Stop::Stuck(_) => f.write_str("no run of the server exists: the condition cannot hold"),
            Stop::Limit(limit) => write!(f, "a limit was reached: {limit}"),
            Stop::Undecided(why) => write!(f, "{why}"),
            Stop::Mismatch(_) => f.write_str("the given choice does not fit here"),
            Stop::Choice(error) => write!(f, "{error}"),
        }
    }
}

/// A server that follows a specification.
#[derive(Debug)]
pub struct Server {
    spec: Arc<Spec>,
    process: Process,
    /// The state before the section that was begun last.
    before: Vec<Value>,
    solver: Solver,
    drawing: Drawing,
    /// What is known of the symbols in the state, where part of it is not known yet.
    open: Option<Open>,
    /// What the last section chose.
    made: Vec<Given>,
    /// The types of what it chose; that of an element is not known.
    made_types: Vec<TypeId>,
}

/// Where a section's choices come from.
pub(crate) enum Source<'s> {
    /// They are drawn.
    Drawn(&'s mut dyn Choices),
    /// They are known.
    Given(VecDeque<Given>),
}

/// What a section begins with.
#[derive(Clone, Copy)]
enum Begun<'r> {
    /// Nothing has happened yet.
    Boot,
    /// A client's request.
    Request(&'r Value, u64),
    /// Something that the server does by itself.
    Step(usize),
}

impl Given {
    /// What was chosen; a way is no value.
    fn value(&self) -> Option<&Value> {
        match self {
            Given::Value(value) | Given::Element(value) => Some(value),
            Given::Way(_) => None,
        }
    }
}

impl Server {
    /// A server in an initial state; what that chooses is drawn when it shows.
    ///
    /// # Errors
    /// Where the initial state cannot be computed.
    pub fn new(spec: Arc<Spec>, ranges: Ranges, source: &mut dyn Choices) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::new(ranges, Variety::Wide));
        server.open = Some(Open::default());
        server.section(Begun::Boot, source)?;
        Ok(server)
    }

    /// A server whose choices are all to be visited: few values are drawn, and a section whose choices contradict a
    /// condition is stuck, instead of being run with choices that do not.
    ///
    /// # Errors
    /// Where the initial state cannot be computed, or does not exist by these choices.
    pub fn explored(spec: Arc<Spec>, ranges: Ranges, source: &mut dyn Choices) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::new(ranges, Variety::Small));
        server.section(Begun::Boot, source)?;
        Ok(server)
    }

    /// A server in the initial state that the given choices lead to.
    ///
    /// # Errors
    /// Where they lead to none.
    pub fn given(spec: Arc<Spec>, initial: Vec<Given>) -> Result<Server, Stop> {
        let mut server = Server::unset(spec, Drawing::default());
        server.begin(Begun::Boot);
        server.replay(initial)?;
        Ok(server)
    }

    /// A server in a state: the values of its variables.
    #[must_use]
    pub fn resumed(spec: Arc<Spec>, state: Vec<Value>) -> Server {
        let mut server = Server::unset(spec, Drawing::default());
        server.process.memory = state;
        server
    }

    fn unset(spec: Arc<Spec>, drawing: Drawing) -> Server {
        let process = Process::new(&spec.program);
        let (before, made, made_types) = (Vec::new(), Vec::new(), Vec::new());
        Server { process, before, solver: Solver::default(), drawing, open: None, made, made_types, spec }
    }

    /// Handles a request, now and then after something that the server does by itself; choices are drawn. A request that
    /// has no run waits for what the server does by itself, for a while. Nothing has come of it where it stops.
    ///
    /// # Errors
    /// Where the request has no run.
    pub fn handle(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<Reply, Stop> {
        self.idle(source)?;
        self.attend(request, client, source)
    }

    fn attend(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<Reply, Stop> {
        let mut waited = 0;
        self.drawing.see(request);
        loop {
            match self.section(Begun::Request(request, client), source) {
                Err(Stop::Stuck(_)) if waited < self.patience() => self.act(source)?,
                reply => return reply,
            }
            waited += 1;
        }
    }

    /// Whether the request has a run now, whatever its choices are. Nothing has come of it.
    ///
    /// # Errors
    /// Where the source of choices, which decides what is tried first, fails.
    pub fn has_run(&mut self, request: &Value, client: u64, source: &mut dyn Choices) -> Result<bool, ChoiceError> {
        let before = self.process.memory.clone();
        self.begin(Begun::Request(request, client));
        let found = self.given_by_symbols(source);
        self.process.memory = before;
        match found {
            Err(Stop::Choice(error)) => Err(error),
            found => Ok(found.is_ok()),
        }
    }

    /// Handles a request with known choices.
    ///
    /// # Errors
    /// Where they do not fit.
    pub fn handle_given(&mut self, request: &Value, client: u64, given: Vec<Given>) -> Result<Reply, Stop> {
        self.drawing.see(request);
        self.begin(Begun::Request(request, client));
        self.replay(given)
    }

    fn begin(&mut self, begun: Begun) {
        let Server { spec, process, .. } = self;
        match begun {
            Begun::Boot => process.boot(&spec.program),
            Begun::Request(request, client) => {
                process.receive(&spec.program, request, client);
            }
            Begun::Step(step) => process.step(&spec.program, step),
        }
    }

    /// What the last section chose.
    #[must_use]
    pub fn made(&self) -> &[Given] {
        &self.made
    }

    /// What the last section chose, as JSON; a way is its number.
    #[must_use]
    pub fn made_json(&self) -> Vec<String> {
        let show = |(made, ty): (&Given, &TypeId)| match made {
            Given::Value(value) | Given::Element(value) => json::encode(&self.spec.types, *ty, value),
            Given::Way(way) => way.to_string(),
        };
        self.made.iter().zip(&self.made_types).map(show).collect()
    }

    /// The state: the values of the variables in the order of their declaration. Where part of it is not known yet, that is
    /// symbols.
    #[must_use]
    pub fn state(&self) -> &[Value] {
        &self.process.memory
    }

    /// Draws values; shared with the client that makes requests.
    pub fn drawing(&mut self) -> &mut Drawing {
        &mut self.drawing
    }

    /// Runs a section, all or nothing.
    fn section(&mut self, begun: Begun, source: &mut dyn Choices) -> Result<Reply, Stop> {
        if let Some(open) = self.open.take() {
            return self.section_open(begun, open, source);
        }
        copy_values(&mut self.before, &self.process.memory);
        self.begin(begun);
        let reply = match self.run(&mut Source::Drawn(source)) {
            Err(Stop::Stuck(site)) if self.drawing.variety == Variety::Wide => {
                copy_values(&mut self.process.memory, &self.before);
                self.begin(begun);
                self.find(site, source)
            }
            reply => reply,
        };
        reply.inspect_err(|_| copy_values(&mut self.process.memory, &self.before))
    }

    /// Runs a section with choices that its conditions allow, where those that were drawn failed.
    fn find(&mut self, site: Site, source: &mut dyn Choices) -> Result<Reply, Stop> {
        let given = self.given_by_symbols(source).map_err(|stop| stop.told_at(site))?;
        self.replay(given)
    }

    /// Choices with which the section that has begun comes to its end.
    fn given_by_symbols(&mut self, source: &mut dyn Choices) -> Result<Vec<Given>, Stop> {
        let start = Path { process: self.process.clone(), store: Store::default(), made: Vec::new() };
        let Server { spec, solver, drawing, .. } = self;
        let mut search = Search { spec, fresh: drawing.fresh(), solver, drawing, source, paths: PATHS };
        search.first(start, &mut |search, path, _| search.given(&path))
    }

    fn replay(&mut self, given: Vec<Given>) -> Result<Reply, Stop> {
        self.run(&mut Source::Given(given.into()))
    }

    fn run(&mut self, source: &mut Source) -> Result<Reply, Stop> {
        self.made.clear();
        self.made_types.clear();
        loop {
            match self.process.advance(&self.spec.program) {
                Event::Choose { choice, site, .. } => {
                    let value = self.choose(&choice, site, source)?;
                    self.made.push(Given::Value(value.clone()));
                    self.made_types.push(choice.value_type());
                    self.process.resume(value);
                }
                Event::Or { ways, site } => self.select(ways, site, source)?,
                Event::Assume(Truth::Known(false), site) => return Err(Stop::Stuck(site)),
                Event::Expects(Truth::Known(false), site) => return Err(Stop::Outside(site)),
                Event::Fault(_, fault) => return Err(Stop::Fault(fault)),
                Event::Cut(_, limit) => return Err(Stop::Limit(limit)),
                Event::Assume(..) | Event::Expects(..) | Event::Yield => self.process.proceed(),
                Event::Send(answer, _) => {
                    self.process.rest();
                    return Ok(Reply::Answer(answer));
                }
                Event::End => {
                    self.process.rest();
                    return Ok(Reply::Nothing);
                }
                // Nothing is symbolic in a concrete run.
                Event::Branch { .. } | Event::Guard { .. } | Event::Look { .. } | Event::Recv => {
                    return Err(Stop::Limit(Limit::Undecidable));
                }
            }
        }
    }

    fn choose(&mut self, choice: &Choice, site: Site, source: &mut Source) -> Result<Value, Stop> {
        match source {
            Source::Drawn(choices) => {
                self.announce(site);
                self.drawing.choice(&self.spec.types, choice, *choices).map_err(Stop::Choice)?.ok_or(Stop::Stuck(site))
            }
            Source::Given(given) => match given.pop_front() {
                Some(Given::Value(value)) => {
                    self.drawing.see(&value);
                    Ok(value)
                }
                Some(Given::Way(_) | Given::Element(_)) | None => Err(Stop::Mismatch(site)),
            },
        }
    }

    /// Says what is chosen next.
    fn announce(&mut self, site: Site) {
        if self.drawing.place.is_some() {
            let (subject, line) = self.spec.choice_at(site);
            self.drawing.draw_for(subject, &line);
        }
    }

    fn select(&mut self, ways: usize, site: Site, source: &mut Source) -> Result<(), Stop> {
        self.announce(site);
        let elements = self.process.elements();
        let way = match source {
            Source::Drawn(choices) => choices.choose(self.drawing.label("way"), ways).map_err(Stop::Choice)?,
            Source::Given(given) => match given.pop_front() {
                Some(Given::Way(way)) if way < ways => way,
                Some(Given::Element(element) | Given::Value(element)) => {
                    elements.iter().position(|known| *known == element).ok_or(Stop::Mismatch(site))?
                }
                Some(Given::Way(_)) | None => return Err(Stop::Mismatch(site)),
            },
        };
        let made = elements.get(way).map_or(Given::Way(way), |element| Given::Element(element.clone()));
        self.made.push(made);
        self.made_types.push(ERROR);
        self.process.select(way);
        Ok(())
    }
}
