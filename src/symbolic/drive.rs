//! The driver: the only loop over the events of a process.

use super::{Driven, Infeasible};
use crate::process::{Choice, Event, Fault, Fresh, Limit, Look, PeerCalls, Port, Process};
use crate::solve::Store;
use crate::spec::code::Pc;
use crate::spec::{Site, Spec, Types};
use crate::term::{Condition, Term};
use crate::value::{Truth, Value};

/// An internal choice that is to be made.
#[derive(Debug)]
pub struct Chosen {
    /// The range of the choice.
    pub choice: Choice,
    /// The condition of the arm in which it is made; `None` is always.
    pub guard: Option<Term>,
    /// The node.
    pub site: Site,
}

/// A condition that is open.
#[derive(Debug)]
pub struct Fork {
    /// The condition.
    pub condition: Condition,
    /// The places at which its two sides begin, first the side on which it holds; `None` if both are the same place.
    pub sides: Option<(Pc, Pc)>,
    /// The node.
    pub site: Site,
}

/// The policy by which a use of a specification answers the events of a path. An event is answered, and the path goes on; or the path
/// is stopped, which is an error.
pub trait Policy {
    /// The path that is driven.
    type Path: Driven;
    /// The reason why a path is stopped: it has come to its end, or is infeasible.
    type Stopped: From<Infeasible>;

    /// The source of the symbols that stand for choices and for parts of unknown values.
    fn fresh(&mut self) -> &mut Fresh;

    /// Runs a path to its next event.
    fn advance(&mut self, spec: &Spec, path: &mut Self::Path) -> Result<Event, Self::Stopped> {
        Ok(path.parts().0.advance(&spec.program))
    }

    /// Adds facts about `variables` new symbols.
    fn restrict(
        &mut self,
        path: &mut Self::Path,
        facts: Vec<Term>,
        variables: u64,
        site: Site,
    ) -> Result<(), Self::Stopped>;

    /// Makes an internal choice.
    fn choose(&mut self, path: &mut Self::Path, chosen: Chosen) -> Result<(), Self::Stopped>;

    /// Takes one side of an open condition, or both.
    fn fork(&mut self, path: &mut Self::Path, fork: Fork) -> Result<(), Self::Stopped>;

    /// Takes one or more of several branches.
    fn select(&mut self, path: &mut Self::Path, ways: usize, site: Site) -> Result<(), Self::Stopped>;

    /// Assumes a condition: runs in which it fails do not exist.
    fn assume(&mut self, path: &mut Self::Path, condition: Truth, site: Site) -> Result<(), Self::Stopped>;

    /// Goes on if the client does its duty.
    fn expects(&mut self, path: &mut Self::Path, duty: Truth, site: Site) -> Result<(), Self::Stopped>;

    /// Goes on if there is no fault.
    fn fault(&mut self, path: &mut Self::Path, wrong: Truth, fault: Fault) -> Result<(), Self::Stopped>;

    /// Goes on if a limit is not reached.
    fn cut(
        &mut self,
        path: &mut Self::Path,
        reached: Truth,
        limit: Limit,
        site: Option<Site>,
    ) -> Result<(), Self::Stopped>;

    /// Goes on if other tasks may run, or suspends the task.
    fn pause(&mut self, path: &mut Self::Path) -> Result<(), Self::Stopped> {
        path.parts().0.proceed();
        Ok(())
    }

    /// Takes notice of the answer that the path will give.
    fn announce(&mut self, path: &mut Self::Path, _answer: (Value, Site)) -> Result<(), Self::Stopped> {
        path.parts().0.proceed();
        Ok(())
    }

    /// Sends a message to a client.
    fn emit(&mut self, path: &mut Self::Path, to: &Value, (message, site): (Value, Site)) -> Result<(), Self::Stopped> {
        let process = path.parts().0;
        if let Some(port) = Port::of(to) {
            process.emit(port, message, site);
        }
        process.proceed();
        Ok(())
    }

    /// Ends the connection of a client.
    fn close(&mut self, path: &mut Self::Path, client: &Value, _site: Site) -> Result<(), Self::Stopped> {
        let process = path.parts().0;
        if let Some(port) = Port::of(client) {
            process.close(port);
        }
        process.proceed();
        Ok(())
    }

    /// Suspends the task that calls a peer, or goes on with the answer. If tasks run alone there are no calls.
    fn call(&mut self, _path: &mut Self::Path, _calls: PeerCalls) -> Result<(), Self::Stopped> {
        Err(Infeasible.into())
    }

    /// Returns the outcome of a path at its end, with its answer if it has one.
    fn end(&mut self, path: &mut Self::Path, answer: Option<(Value, Site)>) -> Self::Stopped;

    /// Expands an unknown value: makes a part of it out of fresh symbols.
    fn look(&mut self, spec: &Spec, path: &mut Self::Path, look: &Look, site: Site) -> Result<(), Self::Stopped> {
        let before = self.fresh().last;
        let facts = path.parts().0.look(self.fresh(), &spec.types, look);
        let variables = self.fresh().last - before;
        self.restrict(path, facts, variables, site)
    }
}

/// Runs a path until the policy stops it.
pub fn drive<P: Policy>(spec: &Spec, policy: &mut P, path: &mut P::Path) -> P::Stopped {
    loop {
        if let Err(stopped) = step(spec, policy, path) {
            return stopped;
        }
    }
}

/// Runs a path to its next event, and answers the event.
#[inline(always)] // Its only caller is the loop.
fn step<P: Policy>(spec: &Spec, policy: &mut P, path: &mut P::Path) -> Result<(), P::Stopped> {
    let event = policy.advance(spec, path)?;
    let (process, store) = path.parts();
    match event {
        Event::Choose { choice, guard, site } => policy.choose(path, Chosen { choice, guard, site }),
        Event::Look { look, site } => policy.look(spec, path, &look, site),
        Event::Branch { condition, sides, site } => match store.decide_condition(&condition) {
            Some(known) => {
                process.branch_as_known(known);
                Ok(())
            }
            None => policy.fork(path, Fork { condition, sides, site }),
        },
        Event::Guard { condition, path: around } => {
            let decided = decide_arm(store, &condition, around.as_ref());
            process.guard(decided);
            Ok(())
        }
        Event::Or { ways, site } => policy.select(path, ways, site),
        Event::Assume(condition, site) => policy.assume(proceeded(path), condition, site),
        Event::Expects(duty, site) => policy.expects(proceeded(path), duty, site),
        Event::Fault(wrong, fault) => policy.fault(proceeded(path), wrong, fault),
        Event::Cut(reached, limit) => {
            let site = process.site(&spec.program);
            policy.cut(proceeded(path), reached, limit, site)
        }
        Event::Yield => policy.pause(path),
        Event::Announce(answer, site) => policy.announce(path, (answer, site)),
        Event::Emit { to, message, site } => policy.emit(path, &to, (message, site)),
        Event::Close { client, site } => policy.close(path, &client, site),
        Event::Call(calls) => policy.call(path, calls),
        Event::Send(answer, site) => Err(policy.end(path, Some((answer, site)))),
        // A running process does not receive.
        Event::End | Event::Recv => Err(policy.end(path, None)),
    }
}

/// The path after an event that needs no answer.
fn proceeded<D: Driven>(path: &mut D) -> &mut D {
    let process: &mut Process = path.parts().0;
    process.proceed();
    path
}

/// A fresh value for a choice, and its restrictions, which hold under the guard of its arm.
pub fn havoc(fresh: &mut Fresh, types: &Types, chosen: &Chosen) -> (Value, Vec<Term>) {
    let (value, restrictions) = fresh.havoc(types, &chosen.choice);
    let guarded = |restriction: Term| match &chosen.guard {
        Some(guard) => Term::implies(guard, &restriction),
        None => restriction,
    };
    (value, restrictions.into_iter().map(guarded).collect())
}

/// The arm of a conditional expression that is taken, if the other one is infeasible on its path.
fn decide_arm(store: &Store, condition: &Term, path: Option<&Term>) -> Option<bool> {
    store.decide(condition).or_else(|| {
        let path = path?;
        if store.decide(&Term::and(path, condition)) == Some(false) {
            return Some(false);
        }
        (store.decide(&Term::and(path, &Term::not(condition))) == Some(false)).then_some(true)
    })
}
