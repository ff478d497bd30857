//! The verdict that a frontier means, with the findings of the steps that led to it.

use super::candidate::Candidate;
use super::context::Context;
use super::findings::Finding;
use super::frontier::Frontier;
use super::verdict::{Doubt, Place, Verdict};
use crate::process::Limit;

/// The doubt of a verdict that leaves open whether the specification is faulty, or the client broke its duty.
const PERHAPS: Doubt = Doubt::Limit(Limit::Undecidable);

impl Frontier {
    /// The verdict after an event.
    pub(super) fn verdict(&self, context: &Context, event: u64) -> Verdict {
        let found = context.findings.found();
        let fault = found.and_then(Finding::fault).map(|(fault, _)| fault.clone());
        if self.candidates.iter().any(Candidate::is_clean) || event == 0 {
            return Verdict::Accept { warning: fault };
        }
        if let Some((doubt, _)) = self.undecided(context) {
            return Verdict::Unknown { doubt, warning: fault };
        }
        if let Some(fault) = fault {
            return Verdict::Fault(fault);
        }
        if let Some(found) = found {
            match found.breach() {
                Some((Place { event, site }, _)) if found.perhaps_faulty.is_none() => {
                    return Verdict::Outside { event: *event, site: *site };
                }
                Some(_) | None if found.perhaps_wrong().is_some() => {
                    return Verdict::Unknown { doubt: PERHAPS, warning: None };
                }
                Some(_) | None => {}
            }
        }
        let event_from = self.clean_died.filter(|from| *from < event);
        Verdict::Reject { event, event_from }
    }

    /// The reason why the verdict is unknown, if it is, and the place at which the question was asked.
    pub(super) fn doubt(&self, context: &Context) -> Option<(Doubt, Option<Place>)> {
        let perhaps = || context.findings.found()?.perhaps_wrong().map(|at| (PERHAPS, Some(at)));
        self.undecided(context).or_else(perhaps)
    }

    /// The reason why a clean run may explain the trace although none is known to.
    fn undecided(&self, context: &Context) -> Option<(Doubt, Option<Place>)> {
        if let Some(candidate) = self.candidates.first() {
            return candidate.doubt.clone();
        }
        context.findings.limit().map(|(limit, at)| (Doubt::Limit(limit), at))
    }
}
