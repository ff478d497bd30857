//! Ways through the code, which are followed symbolically until they take a further branch.
//!
//! The variable with the trail shows the branches that a way has taken: a way is stopped as soon as its trail is long enough.

use crate::coverage::trail;
use crate::limits::end;
use crate::process::{Event, Fault, Fresh, Limit, Port, Process};
use crate::solve::{Solver, Store};
use crate::spec::{Site, Spec};
use crate::symbolic::{self, Chosen, Driven, Fork, Infeasible, Policy, drive, havoc};
use crate::term::Term;
use crate::value::{Truth, Value};

/// The client that makes all requests.
pub(super) const CLIENT: u64 = 1;
/// The number of branches after which a way is followed to its end.
const ANY: usize = usize::MAX - 1;
/// The most ways through the code that are followed for one path of the graph.
const WAYS: usize = 512;

/// A way through the code, with its requests and answers.
#[derive(Clone)]
pub(super) struct CodeWay {
    pub path: symbolic::Path<()>,
    pub exchanges: Vec<(Value, Option<Value>)>,
    /// True if the last request was handled.
    pub is_done: bool,
}

impl Driven for CodeWay {
    fn parts(&mut self) -> (&mut Process, &Store) {
        (&mut self.path.process, &self.path.store)
    }
}

/// The end of following a way, for now.
pub(super) enum WayEnd {
    Infeasible,
    /// The trail is as long as was asked for.
    Branched,
    /// The request was handled, and answered by this.
    Handled(Option<Value>),
    /// The way was given up.
    GivenUp,
}

impl From<Infeasible> for WayEnd {
    fn from(_: Infeasible) -> WayEnd {
        WayEnd::Infeasible
    }
}

/// A follower of ways through the code of a specification.
pub(super) struct WayFollower<'g> {
    pub spec: &'g Spec,
    /// The slot of the variable with the trail.
    slot: usize,
    fresh: Fresh,
    pub solver: Solver,
    /// The ways that forked off while another one was followed.
    open: Vec<CodeWay>,
    /// The length of a trail at which a way is stopped.
    until: usize,
    /// Set if a way was given up.
    pub gave_up: bool,
}

impl<'g> WayFollower<'g> {
    pub fn new(spec: &'g Spec, slot: usize) -> WayFollower<'g> {
        let (fresh, solver) = (Fresh::default(), Solver::default());
        WayFollower { spec, slot, fresh, solver, open: Vec::new(), until: 0, gave_up: false }
    }

    /// The ways to the initial states, with the connection of the client.
    pub fn started(&mut self) -> Vec<CodeWay> {
        let program = &self.spec.program;
        let mut process = Process::new(program);
        process.boot(program);
        let first = CodeWay { path: symbolic::Path::new(process), exchanges: Vec::new(), is_done: false };
        let mut ways = self.further(vec![first], ANY);
        if program.opens.is_some() {
            for way in &mut ways {
                way.is_done = false;
                way.path.process.open(program, Port(CLIENT));
            }
            ways = self.further(ways, ANY);
        }
        ways
    }

    /// The branches that the last request of a way has taken.
    pub fn trail(&self, way: &CodeWay) -> Vec<usize> {
        way.path.process.memory.get(self.slot).map_or_else(Vec::new, trail)
    }

    /// Follows ways until each of them has taken a further branch or has ended.
    pub fn further(&mut self, ways: Vec<CodeWay>, taken: usize) -> Vec<CodeWay> {
        let mut further = Vec::new();
        self.until = taken + 1;
        self.open = ways;
        while let Some(mut way) = self.open.pop() {
            if further.len() >= WAYS {
                self.gave_up = true;
                break;
            }
            if way.is_done {
                further.push(way);
                continue;
            }
            match drive(self.spec, self, &mut way) {
                WayEnd::Infeasible => continue,
                WayEnd::GivenUp => {
                    self.gave_up = true;
                    continue;
                }
                WayEnd::Branched => {}
                WayEnd::Handled(answer) => {
                    way.is_done = true;
                    if let Some((_, answered)) = way.exchanges.last_mut() {
                        *answered = answer;
                    }
                }
            }
            further.push(way);
        }
        self.open.clear();
        further
    }

    /// An unknown request of each kind, with the facts about it.
    pub fn requests(&mut self) -> Vec<(Value, Vec<Term>)> {
        self.fresh.each_kind(&self.spec.types, self.spec.program.request)
    }

    fn require(&mut self, way: &mut CodeWay, condition: Truth) -> Result<(), WayEnd> {
        Ok(way.path.require(condition, &mut self.solver)?)
    }
}

impl Policy for WayFollower<'_> {
    type Path = CodeWay;
    type Stopped = WayEnd;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.fresh
    }

    fn advance(&mut self, spec: &Spec, way: &mut CodeWay) -> Result<Event, WayEnd> {
        if self.until <= ANY && self.trail(way).len() >= self.until {
            return Err(WayEnd::Branched);
        }
        if end::is_over() {
            return Err(WayEnd::GivenUp);
        }
        Ok(way.path.process.advance(&spec.program))
    }

    fn restrict(&mut self, way: &mut CodeWay, facts: Vec<Term>, _: u64, _: Site) -> Result<(), WayEnd> {
        Ok(facts.iter().try_for_each(|fact| way.path.assume(fact, &mut self.solver))?)
    }

    fn choose(&mut self, way: &mut CodeWay, chosen: Chosen) -> Result<(), WayEnd> {
        let (value, facts) = havoc(&mut self.fresh, &self.spec.types, &chosen);
        way.path.process.resume(value);
        self.restrict(way, facts, 0, chosen.site)
    }

    fn fork(&mut self, way: &mut CodeWay, Fork { condition, .. }: Fork) -> Result<(), WayEnd> {
        if self.open.len() >= WAYS {
            return Err(WayEnd::GivenUp);
        }
        if let Some(path) = way.path.fork(&condition.term(), true, &mut self.solver, |_, _| {})? {
            self.open.push(CodeWay { path, ..way.clone() });
        }
        Ok(())
    }

    fn select(&mut self, way: &mut CodeWay, ways: usize, _: Site) -> Result<(), WayEnd> {
        for number in 1..ways {
            let mut other = way.clone();
            other.path.process.select(number);
            self.open.push(other);
        }
        way.path.process.select(0);
        Ok(())
    }

    fn assume(&mut self, way: &mut CodeWay, condition: Truth, _: Site) -> Result<(), WayEnd> {
        self.require(way, condition)
    }

    fn expects(&mut self, way: &mut CodeWay, duty: Truth, _: Site) -> Result<(), WayEnd> {
        self.require(way, duty)
    }

    fn fault(&mut self, way: &mut CodeWay, wrong: Truth, _: Fault) -> Result<(), WayEnd> {
        self.require(way, wrong.not())
    }

    fn cut(&mut self, way: &mut CodeWay, reached: Truth, _: Limit, _: Option<Site>) -> Result<(), WayEnd> {
        self.gave_up = true;
        self.require(way, reached.not())
    }

    fn end(&mut self, _: &mut CodeWay, answer: Option<(Value, Site)>) -> WayEnd {
        WayEnd::Handled(answer.map(|(answer, _)| answer))
    }
}
