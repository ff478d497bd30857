//! Tidying a candidate after a section or an exchange, so that the candidate does not grow with the trace.
//!
//! ```text
//! n = #1, #1 <= #2, m = {#3: 5}, #3 = 2     ->     n = #1, m = {2: 5}
//! ```

use super::{forget, numbered, pending_writes, sums};
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;

/// The candidates that are tidied although the work of the exchange is over.
const EXHAUSTED: usize = 64;

/// Tidies each candidate. Once the work limit is exceeded, few of them are kept.
pub(crate) fn each(context: &mut Context, candidates: &mut Vec<Candidate>, tidy: fn(&mut Context, &mut Candidate)) {
    let mut kept = 0;
    candidates.retain_mut(|candidate| {
        let followed = kept < EXHAUSTED || !context.is_exhausted();
        if followed {
            tidy(context, candidate);
            kept += 1;
        }
        followed
    });
}

/// Tidies after a section: entries are put in their places whose keys have become known, and, now and then, dead variables are
/// forgotten.
pub(crate) fn after_section(context: &mut Context, candidate: &mut Candidate) {
    if candidate.is_known() {
        return candidate.process.rest();
    }
    pending_writes::put_in_place(candidate, &context.solver);
    if is_due(context, candidate) {
        forget::dead(context, candidate);
    }
}

/// Tidies after an exchange, when nothing but the candidate mentions its variables: growing sums become differences, too.
pub(crate) fn after_exchange(context: &mut Context, candidate: &mut Candidate) {
    if candidate.is_known() {
        return candidate.process.rest();
    }
    pending_writes::put_in_place(candidate, &context.solver);
    candidate.growth.count_work(context.work.of_exchange(&context.solver));
    if is_due(context, candidate) {
        forget_and_name(context, candidate);
    }
}

/// Tidies one of several candidates. If they may be put together, sums are left alone: new variables would tell them apart.
pub(crate) fn one_of_several(context: &mut Context, candidate: &mut Candidate) {
    if context.may_unite() { after_section(context, candidate) } else { after_exchange(context, candidate) }
}

/// Forgets dead variables, and turns sums that grow with the trace into differences.
pub(crate) fn forget_and_name(context: &mut Context, candidate: &mut Candidate) {
    forget::substitute_solved(candidate);
    let may = !context.options.keep_answers;
    if context.options.rewrites_states() && may && candidate.growth.open {
        sums::name(&mut context.fresh, &mut context.solver, candidate);
    }
    forget::dead(context, candidate);
    // What steps lead to is put together in another form, which numbers would hide.
    if context.options.rewrites_states() && may && candidate.growth.open && context.spec.program.steps.is_empty() {
        numbered::number(&mut context.fresh, &context.solver, candidate);
    }
}

/// Brings a candidate into the form in which it is compared.
pub(crate) fn for_comparing(context: &mut Context, candidate: &mut Candidate) {
    after_section(context, candidate);
    forget::dead(context, candidate);
}

/// Brings a candidate into the form in which it is compared between two sections, when nothing but the candidate mentions its
/// variables.
pub(crate) fn between_sections(context: &mut Context, candidate: &mut Candidate) {
    after_section(context, candidate);
    forget_and_name(context, candidate);
}

fn is_due(context: &Context, candidate: &Candidate) -> bool {
    context.options.reduces() && candidate.growth.is_due(candidate.store.searched())
}
