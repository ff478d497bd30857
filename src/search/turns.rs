//! The two strategies of a search, which take turns.
//!
//! ```text
//! event by event    all configurations after n events, then all after n + 1 …        ends early at a rejection
//! deepest first     one order as far as it goes, then another                        ends early at an acceptance
//! ```
//!
//! They are two orders in which open configurations are taken out. Deepest first goes on while it comes further. If it does not, the
//! strategy that has done less work in vain takes the next turn, and deepest first waits while event by event is likely to end soon.

use super::bits::PlaceSet;
use super::budget::OrderBudget;
use super::configuration::{Configuration, ServedSet};
use super::forms::StateNumber;
use super::open::TakenFirst;
use super::order_search::{OrderSearch, ResumePoint, SearchEnd};
use super::states::States;
use crate::limits;

/// The dead ends for each jump: a stuck search jumps back from one of this many. After the others it follows the last alternative, which
/// keeps the order so far.
const JUMPS: u64 = 3;

/// The work of both strategies.
struct Turns {
    by_event: u64,
    /// The work of deepest first that led it no further; `stuck` is the part of it since it last came further.
    in_vain: u64,
    stuck: u64,
    /// The dead ends that deepest first met while it was stuck.
    dead_ends: u64,
}

impl Turns {
    /// Tests whether event by event takes the next turn; it has come from the event `from` to the event `to`, of `end` events.
    fn is_by_event(&self, from: usize, to: usize, end: usize) -> bool {
        let (done, all) = (to.saturating_sub(from) as u64, end.saturating_sub(from) as u64);
        let likely =
            self.by_event.saturating_mul(all).checked_div(done).filter(|likely| *likely > 0).unwrap_or(u64::MAX);
        self.by_event < self.in_vain || self.stuck.saturating_mul(limits::BRIEF_SHARE) > likely
    }

    /// Tests whether deepest first jumps back from a dead end; it is stuck after `patience` work without coming further.
    fn jumps(&mut self, patience: u64) -> bool {
        self.dead_ends += u64::from(self.stuck > patience);
        self.stuck > patience && self.dead_ends.is_multiple_of(JUMPS)
    }

    /// Adds the work of a turn; `is_further` says whether the search came to a later event than before.
    fn add(&mut self, work: u64, turn: TakenFirst, is_further: bool) {
        match turn {
            TakenFirst::Earliest => self.by_event += work,
            TakenFirst::Deepest if is_further => self.stuck = 0,
            TakenFirst::Deepest => (self.in_vain, self.stuck) = (self.in_vain + work, self.stuck + work),
        }
    }
}

impl OrderSearch<'_> {
    /// Searches from an initial state.
    pub(super) fn run(self, states: &mut States, budget: &mut OrderBudget, initial: StateNumber) -> SearchEnd {
        self.run_from(states, budget, 0, initial, PlaceSet::default())
    }

    /// Searches from a state before an event; the requests at these places were perhaps served.
    pub(super) fn run_from(
        self,
        states: &mut States,
        budget: &mut OrderBudget,
        at: usize,
        state: StateNumber,
        perhaps: PlaceSet,
    ) -> SearchEnd {
        let done = ServedSet { served: PlaceSet::default(), perhaps };
        self.resume(states, budget, &ResumePoint::first(at, Configuration::of(state, done)))
    }

    /// Searches from the configurations at the end of a search of more events.
    pub(super) fn resume(mut self, states: &mut States, budget: &mut OrderBudget, last: &ResumePoint) -> SearchEnd {
        self.begin(states, budget, last);
        let mut turns = Turns { by_event: 0, in_vain: 0, stuck: 0, dead_ends: 0 };
        let mut doubtful = None;
        while let Some(first) = self.open.first_event() {
            if let Some(limit) = budget.exceeded(states) {
                return SearchEnd::GivenUp(limit, self.deepest);
            }
            let (before, reached) = (budget.done(states), self.deepest);
            let is_by_event = budget.has_room() && turns.is_by_event(last.at(), first, self.events.end);
            let turn = if is_by_event { TakenFirst::Earliest } else { TakenFirst::Deepest };
            let Some((at, open)) = self.open.take(turn) else { break };
            if at == self.events.end {
                let configuration = open.configuration;
                if states.is_clean(configuration.state) {
                    return SearchEnd::Explained(configuration);
                }
                self.begun.push(configuration.state);
                doubtful = Some(configuration);
            } else if let Some(dead) = self.follow(states, budget, at, open)
                && turn == TakenFirst::Deepest
                && turns.jumps(self.events.known.rules.patience())
            {
                self.jump(states, budget, at, &dead);
            }
            self.forget();
            self.forget_states(states);
            turns.add(budget.done(states) - before + 1, turn, self.deepest > reached);
        }
        doubtful.map_or_else(|| SearchEnd::Nothing(self.last()), SearchEnd::Doubtful)
    }
}
