//! Suspended tasks, looked at ahead of their next section: a task may be dead, or be finished at once.
//!
//! ```text
//! let x = total; yield; total := x + q; reply total;     suspended with x = 5, q = 2, and 9 is seen: dead
//! total := total + q; yield; reply total;                suspended, total = 9, and 9 is seen: finished at once
//! ```
//!
//! Both are exact if only the task of a request answers it, the connection keeps its order, and its next answer is known
//! (`proofs-notes/tasks.md`, *Tasks ahead*).

use super::composition::Composition;
use super::wire::MessageFate;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::process::Port;
use crate::spec::analysis::section_ahead::{only_answers, reads_no_state};

/// The places of suspended tasks whose next section, if it can be run now, gives the answer that is seen and changes nothing.
pub(crate) fn ready_to_end(context: &Context, composed: Composition<'_>, candidate: &Candidate) -> Vec<usize> {
    let program = &composed.spec.program;
    let suspended = candidate.process.situation().suspended;
    let is_ready = |at: &usize| {
        let task = &suspended[*at];
        let [place] = task.places().collect::<Vec<_>>()[..] else { return false };
        match context.wire.next_on(task.port, candidate.process.sent()) {
            Some(MessageFate::Is(answer)) if answer.is_known() => {
                task.calls.is_empty() && only_answers(program, place, &answer)
            }
            _ => false,
        }
    };
    (0..suspended.len()).filter(is_ready).collect()
}

/// Tests whether a section has ended a task and changed nothing else, for all states of a candidate.
pub(crate) fn has_only_ended(before: &Candidate, after: &Candidate) -> bool {
    let tasks = |candidate: &Candidate| candidate.process.suspended().count();
    tasks(after) + 1 == tasks(before)
        && (after.is_clean() || !before.is_clean())
        && !before.process.has_unknowns()
        && after.process.memory == before.process.memory
        && after.store.constraints() == before.store.constraints()
}

/// The place of the suspended task of a connection, if its next section must be run and does not read the state.
pub(crate) fn certain_section(
    context: &Context,
    composed: Composition<'_>,
    candidate: &Candidate,
    port: Port,
) -> Option<usize> {
    let program = &composed.spec.program;
    let suspended = candidate.process.situation().suspended;
    let at = suspended.iter().position(|task| task.port == port && task.calls.is_empty())?;
    let is_seen =
        matches!(context.wire.next_on(port, candidate.process.sent()), Some(MessageFate::Is(_) | MessageFate::Any));
    (is_seen && suspended[at].places().all(|place| reads_no_state(program, place))).then_some(at)
}
