//! Conditions that are bounds of a variable: the store decides or assumes them while the process runs on.
//!
//! `if q <= n` with q = 5 asks whether n is at least 5, which the bounds of n mostly decide. `choose x: int where 0 <= x` assumes
//! a bound. These are the rules *if* and *assume* of Figure 3.1, without an event.

use super::Section;
use crate::judge::candidate::{Candidate, State};
use crate::process::{Event, KnownBounds};
use crate::scalar::Int;
use crate::solve::Store;
use crate::spec::code::Program;
use crate::term::{Side, Var};

/// A candidate's store, and the number of bounds that it assumed.
struct StoreBounds<'s> {
    store: &'s mut Store,
    assumed: u64,
    /// Set if instructions on known values are carried out in a loop of their own.
    has_fast_path: bool,
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
}

/// Runs a candidate to its next event; a bound that its store can decide or assume is no event.
pub(crate) fn advance(section: &mut Section<'_>, program: &Program, candidate: &mut Candidate) -> Event {
    let State { process, store, .. } = &mut **candidate;
    let fuel = process.fuel();
    let mut bounds = StoreBounds { store, assumed: 0, has_fast_path: section.context.options.reduces() };
    let event = process.advance_knowing(program, &mut bounds);
    let assumed = bounds.assumed;
    section.context.work.count_instructions(fuel.saturating_sub(process.fuel()));
    if assumed > 0 {
        section.is_exhaustive = false;
        section.context.solver.statistics.by_domain += assumed;
    }
    event
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
