//! The canonical forms of states, by which states are told apart, and their numbers.

use crate::judge::{Candidate, CanonicalForm, canonical};

/// The number of a state.
pub(super) type StateNumber = u32;

/// The form of a state: states with equal forms differ in the names of variables only.
pub(super) type StateForm = Vec<(CanonicalForm, bool)>;

/// The form of the state that consists of these candidates.
pub(super) fn state_form(candidates: &[Candidate]) -> StateForm {
    let mut form: StateForm = candidates.iter().map(|candidate| (canonical(candidate), candidate.is_clean())).collect();
    if form.len() > 1 {
        form.sort_by(|a, b| (&a.0.1, &a.0.2).cmp(&(&b.0.1, &b.0.2)));
    }
    form
}
