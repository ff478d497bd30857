//! The verdict on the trace so far, and what it rests on.

use super::candidate::Candidate;
use super::frontier::Judge;
use super::verdict::{Doubt, FaultReport, Place, Verdict};
use crate::process::Limit;

/// The reason why it is not known whether the specification is faulty, or the client broke its duty.
const PERHAPS: Doubt = Doubt::Limit(Limit::Undecidable);

impl Judge {
    /// The verdict on everything observed so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let fault: Option<FaultReport> = self.findings.faulty().map(|(fault, _)| fault.clone());
        let [perhaps_faulty, perhaps_outside] = self.findings.perhaps();
        if self.candidates.iter().any(Candidate::is_clean) || self.event == 0 {
            return Verdict::Accept { warning: fault };
        }
        if let Some((doubt, _)) = self.undecided() {
            return Verdict::Unknown { doubt, warning: fault };
        }
        if let Some(fault) = fault {
            return Verdict::Fault(fault);
        }
        if let (Some((Place { event, site }, _)), None) = (self.findings.outside(), perhaps_faulty) {
            return Verdict::Outside { event: *event, site: *site };
        }
        if perhaps_faulty.or(perhaps_outside).is_some() {
            return Verdict::Unknown { doubt: PERHAPS, warning: None };
        }
        let event_from = self.clean_died.filter(|from| *from < self.event);
        Verdict::Reject { event: self.event, event_from }
    }

    /// The reason why the verdict is unknown, where it is, and where the question was asked.
    #[must_use]
    pub fn doubt(&self) -> Option<(Doubt, Option<Place>)> {
        let [faulty, outside] = self.findings.perhaps();
        self.undecided().or_else(|| faulty.or(outside).map(|at| (PERHAPS, Some(at))))
    }

    /// The reason why something clean may explain everything, though nothing is known to.
    fn undecided(&self) -> Option<(Doubt, Option<Place>)> {
        if let Some(candidate) = self.candidates.first() {
            return Some((candidate.doubt.clone()?, candidate.doubted));
        }
        self.findings.limit().map(|(limit, at)| (Doubt::Limit(limit), at))
    }

    /// The state in which the fault that was found first is met, with what leads there.
    #[must_use]
    pub fn faulty(&self) -> Option<&Candidate> {
        self.findings.faulty().map(|(_, state)| state)
    }

    /// The state in which the client last broke its duty, if it did on some path.
    #[must_use]
    pub fn breached(&self) -> Option<&Candidate> {
        self.findings.outside().map(|(_, state)| state)
    }
}
