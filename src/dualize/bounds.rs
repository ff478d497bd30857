//! Bounds that a store tells, or takes up, while the process runs on.
//!
//! `if q <= n` asks whether the unknown n is 5 or more, and what is known of n alone most often tells;
//! `choose x: int where 0 <= x` is another such bound. The rules *if* and *assume* of Figure 3.1, without an event.

use super::candidate::{Candidate, State};
use super::frontier::Judge;
use crate::process::{Event, Knows};
use crate::scalar::Int;
use crate::solve::Store;
use crate::spec::code::Program;
use crate::term::{Side, Var};

/// A candidate's store, and how many bounds it took up.
struct Bounds<'s> {
    store: &'s mut Store,
    assumed: u64,
}

impl Knows for Bounds<'_> {
    #[inline]
    fn bound(&self, var: Var, side: Side, end: &Int) -> Option<bool> {
        self.store.decide_bound(var, side, end)
    }

    #[inline]
    fn assume_bound(&mut self, var: Var, side: Side, end: &Int) -> bool {
        let assumed = self.store.assume_bound(var, side, end);
        self.assumed += u64::from(assumed);
        assumed
    }
}

impl Judge {
    /// Runs a candidate to its next event.
    #[inline]
    pub(super) fn advance(&mut self, program: &Program, candidate: &mut Candidate) -> Event {
        let State { process, store, .. } = &mut **candidate;
        let mut bounds = Bounds { store, assumed: 0 };
        let event = process.advance_knowing(program, &mut bounds);
        if bounds.assumed > 0 {
            self.whole = false;
            self.solver.statistics.by_domain += bounds.assumed;
        }
        event
    }
}
