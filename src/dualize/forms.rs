//! The forms of the states that were met: a state of a known form is followed once.
//!
//! `{n: #1}` and `{n: #2}`, with the same known of both variables, are of one form. A doubtful state does not stand for a clean one.

use rustc_hash::FxHashMap;

use super::candidate::Candidate;
use super::subsume::Form;

/// Forms, each with whether a clean state had it.
#[derive(Default)]
pub(super) struct Forms(FxHashMap<Form, bool>);

impl Forms {
    /// Adds the form of a state.
    pub(super) fn add(&mut self, form: Form, state: &Candidate) {
        *self.0.entry(form).or_default() |= state.is_clean();
    }

    /// Tests whether a state of this form was met that is no more doubtful.
    pub(super) fn stand_for(&self, form: &Form, state: &Candidate) -> bool {
        self.0.get(form).is_some_and(|is_clean| *is_clean || !state.is_clean())
    }

    /// The number of forms.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
