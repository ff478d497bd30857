//! A server over a network that runs the sections of a witness with their choices, without symbols.
//!
//! ```text
//! the request Take(3) of client 1, with []      up to its `yield`; a message is under way to client 2
//! the task of client 1, with [7]                to its end; 7 is under way to client 1
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use super::draw::Drawing;
use super::run::{ChoiceSource, Run};
use super::section::{RunPath, SectionEnd};
use super::{AtYield, Begun, Given, SectionDone, Stop, written};
use crate::process::{Event, Fault, Fresh, Limit, PeerCalls, Port, Process};
use crate::spec::{Site, Spec, TypeId};
use crate::symbolic::{Chosen, Fork, Policy, drive};
use crate::term::Term;
use crate::value::{Truth, Value};

/// A server that runs given sections.
#[derive(Debug)]
pub(crate) struct GivenServer {
    spec: Arc<Spec>,
    path: RunPath,
    /// The existing connections; messages to others are dropped.
    pub(crate) there: BTreeSet<Port>,
    drawing: Drawing,
    made: Vec<(Given, TypeId)>,
}

/// The way in which a section ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SectionStop {
    /// The task has ended, without an answer.
    Ended,
    /// The task has ended, with an answer.
    Answered,
    /// The section yielded at this place.
    Yielded(Option<Site>),
    /// The section called peers.
    Called(PeerCalls),
}

/// A section with given choices. Its messages go to existing connections only.
struct GivenSection<'r, 's> {
    run: Run<'r, 's>,
    there: &'r BTreeSet<Port>,
    stop: SectionStop,
}

impl GivenServer {
    /// A server in the initial state that the given choices lead to.
    ///
    /// # Errors
    /// The choices lead to no initial state.
    pub(crate) fn new(spec: &Arc<Spec>, initial: Vec<Given>) -> Result<GivenServer, Stop> {
        let path = RunPath::new(Process::new(&spec.program));
        let (there, drawing, made) = (BTreeSet::new(), Drawing::default(), Vec::new());
        let mut server = GivenServer { spec: spec.clone(), path, there, drawing, made };
        Begun::Boot.on(spec, &mut server.path.process);
        server.run(initial)?;
        Ok(server)
    }

    /// The process: its memory, and everything that is under way.
    pub(crate) fn process(&mut self) -> &mut Process {
        &mut self.path.process
    }

    /// Runs the section that was begun, with these choices.
    ///
    /// # Errors
    /// The section does not end with them.
    pub(crate) fn run(&mut self, given: Vec<Given>) -> Result<SectionStop, Stop> {
        let GivenServer { spec, path, there, drawing, made } = self;
        made.clear();
        let source = ChoiceSource::Given(given.into());
        let run = Run { spec, drawing, source, made, fresh: Fresh::default(), at_yield: AtYield::Suspends };
        let mut section = GivenSection { run, there, stop: SectionStop::Ended };
        let done = drive(spec, &mut section, path).0;
        done.map(|_| section.stop)
    }

    /// The choices of the last section, as JSON; a way is its number.
    pub(crate) fn made_json(&self) -> Vec<String> {
        written(&self.spec.types, &self.made)
    }
}

impl GivenSection<'_, '_> {
    /// The connection of a client, if it exists.
    fn there(&self, client: &Value) -> Option<Port> {
        Port::of(client).filter(|port| self.there.contains(port))
    }
}

impl Policy for GivenSection<'_, '_> {
    type Path = RunPath;
    type Stopped = SectionEnd;

    fn fresh(&mut self) -> &mut Fresh {
        self.run.fresh()
    }

    fn advance(&mut self, spec: &Spec, path: &mut RunPath) -> Result<Event, SectionEnd> {
        self.run.advance(spec, path)
    }

    fn restrict(&mut self, path: &mut RunPath, facts: Vec<Term>, count: u64, site: Site) -> Result<(), SectionEnd> {
        self.run.restrict(path, facts, count, site)
    }

    fn choose(&mut self, path: &mut RunPath, chosen: Chosen) -> Result<(), SectionEnd> {
        self.run.choose(path, chosen)
    }

    fn fork(&mut self, path: &mut RunPath, fork: Fork) -> Result<(), SectionEnd> {
        self.run.fork(path, fork)
    }

    fn select(&mut self, path: &mut RunPath, ways: usize, site: Site) -> Result<(), SectionEnd> {
        self.run.select(path, ways, site)
    }

    fn assume(&mut self, path: &mut RunPath, condition: Truth, site: Site) -> Result<(), SectionEnd> {
        self.run.assume(path, condition, site)
    }

    fn expects(&mut self, path: &mut RunPath, duty: Truth, site: Site) -> Result<(), SectionEnd> {
        self.run.expects(path, duty, site)
    }

    fn fault(&mut self, path: &mut RunPath, wrong: Truth, fault: Fault) -> Result<(), SectionEnd> {
        self.run.fault(path, wrong, fault)
    }

    fn cut(&mut self, path: &mut RunPath, reached: Truth, limit: Limit, at: Option<Site>) -> Result<(), SectionEnd> {
        self.run.cut(path, reached, limit, at)
    }

    fn pause(&mut self, path: &mut RunPath) -> Result<(), SectionEnd> {
        self.stop = SectionStop::Yielded(path.process.site(&self.run.spec.program));
        self.run.pause(path)
    }

    fn emit(&mut self, path: &mut RunPath, to: &Value, (message, site): (Value, Site)) -> Result<(), SectionEnd> {
        path.process.proceed();
        self.there(to).into_iter().for_each(|port| path.process.emit(port, message.clone(), site));
        Ok(())
    }

    fn close(&mut self, path: &mut RunPath, client: &Value, _: Site) -> Result<(), SectionEnd> {
        path.process.proceed();
        let Some(port) = self.there(client) else {
            Port::of(client).into_iter().for_each(|port| path.process.abandon(port));
            return Ok(());
        };
        if self.run.spec.program.closes.is_some() && !path.process.situation().closed.contains(&port) {
            path.process.end_connection(port);
        }
        path.process.close(port);
        Ok(())
    }

    fn call(&mut self, path: &mut RunPath, calls: PeerCalls) -> Result<(), SectionEnd> {
        self.stop = SectionStop::Called(calls.clone());
        path.process.suspend_calling(calls);
        Err(SectionEnd(Ok(SectionDone::Suspended)))
    }

    fn end(&mut self, path: &mut RunPath, answer: Option<(Value, Site)>) -> SectionEnd {
        if let Some((answer, site)) = &answer {
            path.process.send(answer.clone(), *site);
            self.stop = SectionStop::Answered;
        }
        self.run.end(path, answer)
    }
}
