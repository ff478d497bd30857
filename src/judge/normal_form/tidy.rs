//! Tidying a candidate after a section or an exchange, so that the candidate does not grow with the trace.
//!
//! ```text
//! n = #1, #1 <= #2, m = {#3: 5}, #3 = 2     ->     n = #1, m = {2: 5}
//! ```

use super::{forget, pending_writes, sums};
use crate::judge::candidate::Candidate;
use crate::judge::frontier::Judge;

/// Once the work limit is exceeded, this many candidates are still tidied, and the others are dropped.
const FOLLOWED: usize = 64;

/// Tidies each candidate. Once the work limit is exceeded, few of them are kept.
pub(crate) fn each(judge: &mut Judge, candidates: &mut Vec<Candidate>, tidy: fn(&mut Judge, &mut Candidate)) {
    let mut kept = 0;
    candidates.retain_mut(|candidate| {
        let followed = kept < FOLLOWED || !judge.is_exhausted();
        if followed {
            tidy(judge, candidate);
            kept += 1;
        }
        followed
    });
}

/// Tidies after a section: entries are put in their places whose keys have become known, and, now and then, dead variables are
/// forgotten.
pub(crate) fn after_section(judge: &mut Judge, candidate: &mut Candidate) {
    if candidate.is_known() {
        return candidate.process.rest();
    }
    pending_writes::put_in_place(candidate, &judge.solver);
    if is_due(judge, candidate) {
        forget::dead(judge, candidate);
    }
}

/// Tidies after an exchange, when nothing but the candidate mentions its variables: growing sums become differences, too.
pub(crate) fn after_exchange(judge: &mut Judge, candidate: &mut Candidate) {
    if candidate.is_known() {
        return candidate.process.rest();
    }
    pending_writes::put_in_place(candidate, &judge.solver);
    candidate.growth.count_work(judge.work.of_exchange(&judge.solver));
    if is_due(judge, candidate) {
        forget_and_name(judge, candidate);
    }
}

/// Tidies one of several candidates. If they may be put together, sums are left alone: new variables would tell them apart.
pub(crate) fn one_of_several(judge: &mut Judge, candidate: &mut Candidate) {
    if judge.may_unite() { after_section(judge, candidate) } else { after_exchange(judge, candidate) }
}

/// Forgets dead variables, and turns sums that grow with the trace into differences.
pub(crate) fn forget_and_name(judge: &mut Judge, candidate: &mut Candidate) {
    forget::substitute_solved(candidate);
    let may = !judge.options.keep_answers;
    if judge.options.rewrites_states() && may && candidate.growth.open {
        sums::name(&mut judge.fresh, &mut judge.solver, candidate);
    }
    forget::dead(judge, candidate);
}

/// Brings a candidate into the form in which it is compared.
pub(crate) fn for_comparing(judge: &mut Judge, candidate: &mut Candidate) {
    after_section(judge, candidate);
    forget::dead(judge, candidate);
}

/// Brings a candidate into the form in which it is compared between two sections, when nothing but the candidate mentions its
/// variables.
pub(crate) fn between_sections(judge: &mut Judge, candidate: &mut Candidate) {
    after_section(judge, candidate);
    forget_and_name(judge, candidate);
}

fn is_due(judge: &Judge, candidate: &Candidate) -> bool {
    judge.options.reduces() && candidate.growth.is_due(candidate.store.searched())
}
