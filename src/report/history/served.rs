//! The part of a witness that the page shows: the choices of the server for each request, and the requests that were never
//! served.
//!
//! A step `{"line":3,"choices":[7]}` says that the server chose 7 while it handled the request of line 3.

use std::collections::BTreeMap;

use crate::evidence::Segment;

/// The choices of a witness, by the line of the request.
#[derive(Clone, Default, Debug)]
pub struct ServedRequests {
    /// The choices, separated by commas; `None` if the request never took effect.
    by_line: BTreeMap<u64, Option<String>>,
    /// The reason why there are no choices, in words, if a witness was looked for.
    pub(super) missing: Option<String>,
}

impl ServedRequests {
    /// No choices, as no witness was found.
    #[must_use]
    pub fn missing(why: String) -> ServedRequests {
        ServedRequests { missing: Some(why), ..ServedRequests::default() }
    }

    /// Adds a part of a witness, which replaces what was added for its requests before.
    pub fn add(&mut self, segment: &Segment) {
        let served = segment.steps.iter().map(|step| (step.line, (!step.skipped).then(|| step.json.join(", "))));
        self.by_line.extend(served);
    }

    /// The choices for the request on a line, if there are any.
    pub(super) fn chosen(&self, line: u64) -> Option<String> {
        self.by_line.get(&line)?.clone().filter(|choices| !choices.is_empty())
    }

    /// Tests whether the request on a line is known to have taken effect.
    pub(super) fn is_served(&self, line: u64) -> bool {
        matches!(self.by_line.get(&line), Some(Some(_)))
    }
}
