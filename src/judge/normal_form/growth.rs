//! The moments at which dead variables are collected, and candidates compared: as soon as the exchanges since then have cost as much.
//!
//! The memory is walked only after as many fresh variables as the last walk had nodes, so an exchange pays for it in
//! constant time, whatever the size of the state; or after searches went through as many constraints, so that
//! `now := choose t: int where t >= now`, once an exchange, leaves no long chain that every question goes along.

/// The cost of an exchange for a candidate, in values that comparing walks through.
const EXCHANGE: usize = 8;
/// Fresh variables between two walks at least.
const WALK_INTERVAL: u32 = 16;
/// The work in an exchange that counts as one fresh variable: terms may grow without any.
const WORK_PER_VARIABLE: u64 = 2_048;
/// A state of which more values than this were walked last is not walked again for one condition or answer.
const EAGER_WALK_LIMIT: u32 = 64;

/// The growth of a candidate since dead variables were last looked for in it.
///
/// Invariant: if `choices` is 0 and `open` is not set, all of the memory is known.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Growth {
    /// Choices.
    pub(crate) choices: u32,
    /// The variables of these.
    pub(crate) variables: u32,
    /// Work, counted in choices.
    worked: u32,
    /// The values in memory that were walked then.
    pub(crate) walked: u32,
    /// The last variable that there was when sums were named last.
    pub(crate) summed: u64,
    /// Set if something in memory was not known then.
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

    /// Begins anew, after `walked` values of the memory were walked for dead variables.
    pub(crate) fn begin(&mut self, walked: u32) {
        (self.choices, self.variables, self.worked) = (0, 0, 0);
        self.walked = walked;
    }

    /// Tests whether dead variables are to be looked for, if searches have gone through `searched` constraints.
    pub(crate) fn is_due(&self, searched: u32) -> bool {
        let due = self.choices.min(self.variables).saturating_add(searched).saturating_add(self.worked);
        due >= WALK_INTERVAL.max(self.walked)
    }

    /// Tests whether the memory is soon walked.
    pub(crate) fn is_soon_walked(&self) -> bool {
        self.walked <= EAGER_WALK_LIMIT
    }
}

/// The last time that candidates were compared.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LastComparison {
    /// The number that was left.
    pub(crate) left: usize,
    /// The number of their values.
    pub(crate) walked: usize,
    /// The cost of the exchanges since then, in values.
    pub(crate) spent: usize,
    /// The number that was left the last time that putting them together gained little.
    pub(crate) stuck: usize,
}

impl LastComparison {
    /// Tests whether the candidates are to be compared: because there are more than were left last time, or because the exchanges since
    /// then have cost as much as comparing will.
    pub(crate) fn is_due(&mut self, candidates: usize) -> bool {
        self.spent += EXCHANGE * candidates;
        candidates > self.left || self.spent >= self.walked
    }
}
