//! The moments at which dead variables are collected and candidates compared: either is due once the exchanges since the last time have
//! cost as much as it will.
//!
//! The memory is walked after as many fresh variables were made as the last walk visited values, so an exchange pays constant
//! time for it, whatever the size of the state. It is also walked after searches have gone through as many constraints: otherwise
//! `now := choose t: int where t >= now` in each exchange would leave a long chain of constraints, which every question searches.

use crate::limits;

/// The values of a memory that takes little time to walk.
const SOON_WALKED: u32 = 64;
/// This much work on an exchange, in made terms, counts as one fresh variable: terms may grow without any.
const WORK_PER_VARIABLE: u64 = 2048;
/// At least this many fresh variables are made between two walks, so that small memories are not walked all the time.
const WALK_INTERVAL: u32 = 16;

/// The growth of a candidate since dead variables were last looked for in it.
///
/// Invariant: if `choices` is 0 and `open` is not set, all of the memory is known.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Growth {
    /// The number of choices.
    pub(crate) choices: u32,
    /// The number of variables of these choices.
    pub(crate) variables: u32,
    /// Work, counted in choices.
    worked: u32,
    /// The number of values in memory that the last walk visited.
    pub(crate) walked: u32,
    /// The number of the last variable when sums were last turned into differences.
    pub(crate) summed: u64,
    /// Set once states were numbered, until the memory has no terms: the next ones are numbered as soon as there was a choice.
    pub(crate) numbered: bool,
    /// Set if something in memory was not known at the last walk.
    pub(crate) open: bool,
}

impl Growth {
    /// Counts the variables of a choice.
    pub(crate) fn count_choice(&mut self, variables: u64) {
        self.choices += 1;
        self.variables = self.variables.saturating_add(u32::try_from(variables).unwrap_or(u32::MAX));
    }

    /// Counts the work on an exchange.
    pub(crate) fn count_work(&mut self, work: u64) {
        self.worked = self.worked.saturating_add(u32::try_from(work / WORK_PER_VARIABLE).unwrap_or(u32::MAX));
    }

    /// Begins anew after a walk for dead variables that visited `walked` values of the memory.
    pub(crate) fn begin(&mut self, walked: u32) {
        (self.choices, self.variables, self.worked) = (0, 0, 0);
        self.walked = walked;
    }

    /// Tests whether dead variables are to be looked for, if searches have gone through `searched` constraints.
    pub(crate) fn is_due(&self, searched: u32) -> bool {
        let due = self.choices.min(self.variables).saturating_add(searched).saturating_add(self.worked);
        due >= WALK_INTERVAL.max(self.walked) || (self.numbered && self.choices > 0)
    }

    /// Tests whether walking the memory takes little time.
    pub(crate) fn is_soon_walked(&self) -> bool {
        self.walked <= SOON_WALKED
    }
}

/// The last time that candidates were compared.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LastComparison {
    /// The number of candidates that were left.
    pub(crate) left: usize,
    /// The number of their values.
    pub(crate) walked: usize,
    /// The cost of the exchanges since then, in values.
    pub(crate) spent: usize,
    /// The number of candidates that were left when putting them together last gained little; 0 if it gained much since.
    pub(crate) stuck: usize,
}

impl LastComparison {
    /// Tests whether the candidates are to be compared: because there are more than were left last time, or because the exchanges since
    /// then have cost as much as comparing will.
    pub(crate) fn is_due(&mut self, candidates: usize) -> bool {
        self.spent += limits::EXCHANGE_WORK * candidates;
        candidates > self.left || self.spent >= self.walked
    }
}
