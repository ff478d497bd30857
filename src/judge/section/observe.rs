//! The judge's policy: the effect of each event on a candidate in a section.
//!
//! ```text
//! if q <= n { reply 0; } …     n is #1; observed 0: #1 >= q is assumed; observed 1: the other side, #1 < q
//! ```

use smallvec::SmallVec;

use super::{GivenAnswer, Goal, OpenPath, PathOutcome, Section};
use super::{fork, unify};
use crate::judge::candidate::{Candidate, Logged, State};
use crate::judge::findings::{Finding, Findings};
use crate::judge::normal_form::forget;
use crate::judge::verdict::FaultReport;
use crate::limits;
use crate::process::{Choice, Event, Fault, Fresh, KnownBounds, Limit, PeerCalls, Port};
use crate::scalar::{Int, Scalar};
use crate::solve::{Answer, Store};
use crate::spec::{Site, Spec};
use crate::symbolic::{Chosen, Fork, Infeasible, Policy, havoc};
use crate::term::{Side, Term, Var};
use crate::value::{self, Truth, Value};

impl Policy for Section<'_> {
    type Path = Candidate;
    type Stopped = PathOutcome;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.context.fresh
    }

    fn advance(&mut self, spec: &Spec, candidate: &mut Candidate) -> Result<Event, PathOutcome> {
        let event = self.advance_knowing(spec, candidate);
        self.context.work.without_terms += 1;
        if self.is_exhausted() {
            return Err(PathOutcome::Infeasible);
        }
        self.context.steps.notice(&spec.program, candidate);
        Ok(event)
    }

    fn restrict(
        &mut self,
        path: &mut Candidate,
        facts: Vec<Term>,
        variables: u64,
        site: Site,
    ) -> Result<(), PathOutcome> {
        path.growth.count_choice(variables);
        let at = Some(self.context.place(site));
        Ok(path.assume_each(&facts, at, &mut self.context.solver)?)
    }

    fn choose(&mut self, candidate: &mut Candidate, chosen: Chosen) -> Result<(), PathOutcome> {
        let Section { spec, goal, .. } = *self;
        if let (Goal::Answer(answer), None, true) = (goal, &chosen.guard, self.context.options.reduces())
            && let Some((value, is_used)) = candidate.process.shown_by(&spec.program, answer)
            && value.is_known()
        {
            let (ty, before) = (chosen.choice.value_type(), self.context.fresh.last);
            let value = match is_used && spec.types.holds_maps(ty) {
                true => self.context.fresh.with_unknown_maps(&spec.types, ty, value),
                false => value.clone(),
            };
            candidate.growth.count_choice(self.context.fresh.last - before);
            self.go_on_with(candidate, value, None);
            return Ok(());
        }
        if !self.may_still_show(candidate) {
            return Err(PathOutcome::Infeasible);
        }
        if let (Choice::Element(over, _), None) = (&chosen.choice, &chosen.guard)
            && let Some(wanted) = self.context.steps.only_element(over, chosen.site)
        {
            let (there, only) = wanted?;
            candidate.require(there, None, &mut self.context.solver)?;
            self.go_on_with(candidate, only, None);
            return Ok(());
        }
        Ok(self.choose_any(candidate, chosen)?)
    }

    fn fork(&mut self, candidate: &mut Candidate, fork: Fork) -> Result<(), PathOutcome> {
        Ok(fork::follow(self, candidate, &fork)?)
    }

    fn select(&mut self, candidate: &mut Candidate, ways: usize, site: Site) -> Result<(), PathOutcome> {
        let mut followed: SmallVec<[usize; 8]> = (0..ways).rev().collect();
        followed.retain(|way| self.may_go(candidate, *way, site));
        let Some(first) = followed.pop() else {
            self.is_exhaustive = false;
            return Err(PathOutcome::Infeasible);
        };
        for way in followed {
            self.pay(candidate)?;
            self.context.count_fork(site);
            let mut other = self.context.spares.copy(candidate);
            self.go(&mut other, way);
            self.open.push(OpenPath::Running(other));
        }
        self.go(candidate, first);
        Ok(())
    }

    fn assume(&mut self, candidate: &mut Candidate, condition: Truth, site: Site) -> Result<(), PathOutcome> {
        self.is_exhaustive &= matches!(condition, Truth::Known(true));
        let at = self.context.place(site);
        Ok(forget::assume_last(self.context, candidate, condition, at)?)
    }

    /// Goes on with the states in which the client does its duty: `expects q > 0;` with q = #1 is broken if `#1 <= 0`.
    fn expects(&mut self, candidate: &mut Candidate, duty: Truth, site: Site) -> Result<(), PathOutcome> {
        let (broken, at) = (duty.clone().not(), self.context.place(site));
        match candidate.allows(&broken, &mut self.context.solver) {
            Answer::Unsat => return Ok(()),
            Answer::Sat if candidate.is_clean() => {
                if !self.found().any(|found| found.knows_breach(at.event, &self.sent)) {
                    let state = self.as_it_began(candidate);
                    let breaches = vec![(at, state.where_holds(broken, at, &mut self.context.solver))];
                    self.findings.add(Finding { breaches, ..Finding::default() });
                }
            }
            Answer::Sat | Answer::Unknown(_) => {
                self.findings.add(Finding { perhaps_outside: Some(at), ..Finding::default() });
            }
        }
        self.is_exhaustive = false;
        Ok(candidate.require(duty, Some(at), &mut self.context.solver)?)
    }

    fn fault(&mut self, candidate: &mut Candidate, wrong: Truth, fault: Fault) -> Result<(), PathOutcome> {
        self.is_exhaustive = false;
        let at = self.context.place(fault.site);
        match candidate.allows(&wrong, &mut self.context.solver) {
            Answer::Unsat => {}
            Answer::Sat if candidate.is_clean() => {
                if !self.found().any(|found| found.knows_fault(&self.sent)) {
                    let state = self.as_it_began(candidate);
                    // A fault of the initial state is reported at the first event.
                    let report = FaultReport { fault, event: self.context.event.max(1) };
                    let faults = vec![(report, state.where_holds(wrong.clone(), at, &mut self.context.solver))];
                    self.findings.add(Finding { faults, ..Finding::default() });
                }
            }
            Answer::Sat | Answer::Unknown(_) => {
                self.findings.add(Finding { perhaps_faulty: Some(at), ..Finding::default() });
            }
        }
        Ok(candidate.require(wrong.not(), Some(at), &mut self.context.solver)?)
    }

    fn cut(
        &mut self,
        candidate: &mut Candidate,
        reached: Truth,
        limit: Limit,
        site: Option<Site>,
    ) -> Result<(), PathOutcome> {
        self.is_exhaustive = false;
        let at = site.map(|site| self.context.place(site));
        if candidate.allows(&reached, &mut self.context.solver) != Answer::Unsat {
            self.findings.cut(limit, at);
        }
        Ok(candidate.require(reached.not(), at, &mut self.context.solver)?)
    }

    fn pause(&mut self, candidate: &mut Candidate) -> Result<(), PathOutcome> {
        if self.goal == Goal::Section {
            candidate.process.suspend();
            return Err(PathOutcome::Shows);
        }
        candidate.process.proceed();
        Ok(())
    }

    /// Unifies the answer with the observed one before the statements after it run: in `reply l then { for x in l { … } }` the loop
    /// runs over the elements that were seen.
    fn announce(&mut self, candidate: &mut Candidate, (value, site): (Value, Site)) -> Result<(), PathOutcome> {
        candidate.process.proceed();
        match self.goal {
            Goal::Answer(_) | Goal::Section => {
                Ok(unify::answer(self, candidate, GivenAnswer { value, site, is_last: false })?)
            }
            Goal::Nothing => Err(PathOutcome::Infeasible),
            Goal::Any | Goal::Lost => Ok(()),
        }
    }

    fn emit(
        &mut self,
        candidate: &mut Candidate,
        to: &Value,
        (message, site): (Value, Site),
    ) -> Result<(), PathOutcome> {
        let send = |candidate: &mut Candidate, port: Port| candidate.process.emit(port, message.clone(), site);
        let there = self.context.wire.ports();
        Ok(to_each_client(self, candidate, to, &there, &send)?)
    }

    fn close(&mut self, candidate: &mut Candidate, client: &Value, _: Site) -> Result<(), PathOutcome> {
        let is_noticed = self.spec.program.closes.is_some();
        let there = self.context.wire.ports();
        let close = |candidate: &mut Candidate, port: Port| {
            if !there.contains(&port) {
                return candidate.process.abandon(port);
            }
            if is_noticed && !candidate.process.situation().closed.contains(&port) {
                candidate.process.end_connection(port);
            }
            candidate.process.close(port);
        };
        // A client that has given up may have requests that were not read.
        let situation = candidate.process.situation();
        let mut ports: Vec<Port> = situation.arrived.iter().chain(&situation.opening).chain(&there).copied().collect();
        ports.sort_unstable();
        ports.dedup();
        Ok(to_each_client(self, candidate, client, &ports, &close)?)
    }

    fn call(&mut self, candidate: &mut Candidate, calls: PeerCalls) -> Result<(), PathOutcome> {
        candidate.process.suspend_calling(calls);
        Err(PathOutcome::Shows)
    }

    fn end(&mut self, candidate: &mut Candidate, answer: Option<(Value, Site)>) -> PathOutcome {
        let shows = match answer {
            Some((value, site)) => {
                candidate.replied = Some(site);
                unify::answer(self, candidate, GivenAnswer { value, site, is_last: true }).is_ok()
            }
            None => {
                self.is_exhaustive &= self.goal == Goal::Lost;
                matches!(self.goal, Goal::Nothing | Goal::Lost | Goal::Section)
            }
        };
        if shows { PathOutcome::Shows } else { PathOutcome::Infeasible }
    }
}

impl Section<'_> {
    fn found(&self) -> impl Iterator<Item = &Findings> {
        [&self.context.findings, &self.findings].into_iter()
    }

    /// The state in which a run fails, with the messages that were under way before the section: if a section does not come to its end,
    /// nobody sees what it sent.
    fn as_it_began(&self, candidate: &Candidate) -> Candidate {
        let mut state = candidate.clone();
        if state.process.sent() != self.sent {
            state.process.replace_sent(self.sent.clone());
        }
        state
    }

    /// Chooses any of the values that a choice ranges over.
    fn choose_any(&mut self, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Infeasible> {
        let before = self.context.fresh.last;
        let (value, restrictions) = havoc(&mut self.context.fresh, &self.spec.types, &chosen);
        candidate.growth.count_choice(self.context.fresh.last - before);
        // A range or a collection may be empty.
        self.is_exhaustive &= !matches!(chosen.choice, Choice::Range(..) | Choice::Element(..));
        let at = Some(self.context.place(chosen.site));
        candidate.assume_each(&restrictions, at, &mut self.context.solver)?;
        let is_followed = self.context.steps.follow_where(&value, chosen.site);
        candidate.require(is_followed, None, &mut self.context.solver)?;
        self.go_on_with(candidate, value, chosen.guard);
        Ok(())
    }

    /// Runs a candidate to its next event. `if q <= n` with q = 5 asks whether n is at least 5, and `choose x: int where 0 <= x` assumes a
    /// bound: what the store decides or takes up at once is no event.
    fn advance_knowing(&mut self, spec: &Spec, candidate: &mut Candidate) -> Event {
        let State { process, store, .. } = &mut **candidate;
        let fuel = process.fuel();
        let context = &*self.context;
        let left = context.work.instructions_left(&context.options, &context.solver);
        let mut bounds = StoreBounds { store, assumed: 0, has_fast_path: context.options.reduces(), left };
        let event = process.advance_knowing(&spec.program, &mut bounds);
        let assumed = bounds.assumed;
        self.context.work.count_instructions(fuel.saturating_sub(process.fuel()));
        if assumed > 0 {
            self.is_exhaustive = false;
            self.context.solver.statistics.by_domain += assumed;
        }
        event
    }

    /// Goes on with the chosen value.
    fn go_on_with(&mut self, candidate: &mut Candidate, value: Value, guard: Option<Term>) {
        self.context.log(candidate, || Logged::Value { value: value.clone(), guard });
        candidate.process.resume(value);
    }
}

/// A candidate's store, and the number of bounds that it assumed.
struct StoreBounds<'s> {
    store: &'s mut Store,
    assumed: u64,
    /// Set if instructions on known values are carried out in a loop of their own.
    has_fast_path: bool,
    /// The number of instructions beside the fast path that the exchange may still take.
    left: u64,
}

impl KnownBounds for StoreBounds<'_> {
    fn has_fast_path(&self) -> bool {
        self.has_fast_path
    }

    fn bound(&self, var: Var, side: Side, end: &Int) -> Option<bool> {
        self.store.decide_bound(var, side, end)
    }

    fn assume_bound(&mut self, var: Var, side: Side, end: &Int) -> bool {
        let assumed = self.store.assume_bound(var, side, end);
        self.assumed += u64::from(assumed);
        assumed
    }

    fn exceeded(&mut self, instructions: u32) -> Option<Limit> {
        self.left = self.left.saturating_sub(u64::from(instructions));
        let is_over = limits::end::is_over().then_some(Limit::Ended);
        is_over.or((self.left == 0).then_some(Limit::Effort))
    }
}

/// Applies an operation to the connection of a client, if the client is one of these ports, and goes on.
fn to_each_client(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    client: &Value,
    ports: &[Port],
    act: &dyn Fn(&mut Candidate, Port),
) -> Result<(), Infeasible> {
    candidate.process.proceed();
    if let Some(port) = Port::of(client) {
        if ports.contains(&port) {
            act(candidate, port);
        }
        return Ok(());
    }
    for port in ports.iter().copied() {
        let Ok(is_it) = value::equal(client, &Value::Scalar(Scalar::Client(port.0))) else { continue };
        section.pay(candidate)?;
        let mut other = section.context.spares.copy(candidate);
        if other.require(is_it.clone(), None, &mut section.context.solver).is_ok() {
            act(&mut other, port);
            section.open.push(OpenPath::Running(other));
        }
        candidate.require(is_it.not(), None, &mut section.context.solver)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::choice::{Choices, Random};
    use crate::judge::{Exchange, Judge, Observed, Options};
    use crate::spec::Spec;
    use crate::value::Value;

    const TEXT: &str = "protocol p { request int; response int; var n: int = 0;
        on q { if q <= n { reply 0; } n := choose x: int where 0 <= x && x < 10; reply 1; } }";

    /// The step of each of the ten values that n may have.
    fn step(states: &[i64], q: i64, a: i64) -> Vec<i64> {
        match a {
            0 => states.iter().copied().filter(|n| q <= *n).collect(),
            _ if states.iter().any(|n| q > *n) => (0..10).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn bounds_without_an_event_are_those_of_all_states() {
        let spec = Spec::from_text(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let mut random = Random::new(7);
        let mut draw = |n: usize| random.choose("number", n).map_or(0, |drawn| drawn as i64);
        let mut rejected = 0;
        for _ in 0..2_000 {
            let (mut judge, mut states) = (Judge::new(spec.clone(), Options::default()), vec![0]);
            for line in 1..=8 {
                let (q, a) = (draw(12), draw(2));
                states = step(&states, q, a);
                let observed = Observed::Answer(Value::from(a));
                let alive = judge.observe(&Exchange { line, client: 1, request: Value::from(q), observed });
                assert_eq!(alive, !states.is_empty(), "{q} {a} at {line}");
                rejected += u32::from(!alive);
            }
        }
        assert!((500..14_000).contains(&rejected), "{rejected} rejections");
    }
}
