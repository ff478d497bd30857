//! A request as candidates receive it: variables stand for what is not known of it, and what only asked is joined again.

use super::candidate::{Candidate, Logged};
use super::frontier::Judge;
use super::{Exchange, Observed};
use crate::spec::Spec;
use crate::spec::code::Program;
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::Value;

/// A request as a candidate receives it, and what was observed.
pub(super) struct Received<'r> {
    pub(super) request: &'r Value,
    /// Where a part of the request is not known: what stands for it.
    filled: Option<&'r Filled>,
    pub(super) client: u64,
    pub(super) seen: &'r Observed,
}

/// A request of which a part was not known.
pub(super) struct Filled {
    /// With variables in its place.
    pub(super) request: Value,
    /// What restricts these.
    facts: Vec<Term>,
    /// How many they are.
    variables: u64,
}

impl<'r> Received<'r> {
    /// The request of an exchange, with what stands for the parts that are not known.
    pub(super) fn of(exchange: &'r Exchange, filled: Option<&'r Filled>) -> Received<'r> {
        let request = filled.map_or(&exchange.request, |filled| &filled.request);
        Received { request, filled, client: exchange.client, seen: &exchange.observed }
    }
}

impl Judge {
    /// A request with something in the place of what is not known of it; nothing where all is known.
    pub(super) fn filled(&mut self, spec: &Spec, recorded: &Value) -> Option<Filled> {
        recorded.has_holes().then(|| {
            let before = self.fresh.last;
            let (request, facts) = self.fresh.fill_holes(&spec.types, spec.program.request, recorded);
            Filled { request, facts, variables: self.fresh.last - before }
        })
    }

    /// A request of which a part is not known is one choice more.
    pub(super) fn ask(&mut self, candidate: &mut Candidate, received: &Received<'_>) -> Result<(), Infeasible> {
        let Some(filled) = received.filled else { return Ok(()) };
        self.log(candidate, || Logged::Request(received.request.clone()));
        self.fill(candidate, filled)
    }

    /// Takes up what restricts the variables in a request.
    pub(super) fn fill(&mut self, candidate: &mut Candidate, filled: &Filled) -> Result<(), Infeasible> {
        candidate.growth.count_choice(filled.variables);
        candidate.assume_each(&filled.facts, None, &mut self.solver)
    }

    /// The handler of requests: where nobody wants to know what was chosen, the one that chooses late.
    pub(super) fn handler(&self, program: &Program) -> u32 {
        let unwatched = self.options.late && !self.options.keep_choices && self.wanted.is_none();
        if unwatched { program.late } else { program.serve }
    }

    /// Tests whether paths that only asked are joined: not where the choices or answers of each path are kept.
    pub(super) fn may_join(&self, observed: &Observed) -> bool {
        matches!(observed, Observed::Any | Observed::Lost) && self.options.merge && !self.options.keep_paths()
    }

    /// Paths on which nothing was written differ in what they asked only. Where every state that entered the section left
    /// it on one of them, and any answer will do, together they are the candidate that entered.
    pub(super) fn join(
        &mut self,
        before: Candidate,
        candidate: &mut Candidate,
        others: &mut Vec<Candidate>,
        first: usize,
    ) {
        let unchanged = |path: &Candidate| path.process.stored().is_empty();
        if others.len() > first && unchanged(candidate) && others[first..].iter().all(unchanged) {
            self.counts.merges += (others.len() - first) as u64;
            others.truncate(first);
            *candidate = before;
        }
    }
}
