//! The frontier: the candidates that explain a trace, and the verdict that they mean.

use super::candidate::Candidate;
use super::context::Context;
use super::findings::Finding;
use super::normal_form::growth::LastComparison;
use super::verdict::{Doubt, Place, Verdict};
use super::work::Followed;
use crate::process::Limit;

/// The doubt of a verdict that leaves open whether the specification is faulty, or the client broke its duty.
const PERHAPS: Doubt = Doubt::Limit(Limit::Undecidable);

/// The candidates that explain a trace: they stand for all states that do, except those that a limit in the findings cut off. In normal form
/// the frontier is few candidates, which hold parts that are independent of each other. A part is a sum of boxes, which say what each cell
/// may hold:
///
/// ```text
/// cells       n        m["a"]               m["b"], m["c"]
/// parts       5        {0 to 2}       x     {1} {2}  +  {3} {0, 4}
/// memory      known    #1 in 0 to 2         #2 says which box, #3 which of 0 and 4
/// ```
///
/// These are 3 * (1 + 2) states in one candidate. A part with many boxes stays several candidates, and so does everything if choices
/// are kept.
#[derive(Clone, Default, Debug)]
pub(crate) struct Frontier {
    pub(super) candidates: Vec<Candidate>,
    /// The event at which the last clean candidate died, if none is left.
    pub(super) clean_died: Option<u64>,
}

impl Frontier {
    /// A frontier of these candidates.
    pub(super) fn of(candidates: Vec<Candidate>) -> Frontier {
        Frontier { candidates, ..Frontier::default() }
    }

    /// Takes the candidates out to observe the event on a line of the trace; `None` if nothing explains the trace up to there.
    pub(super) fn begin(&mut self, context: &mut Context, line: u64) -> Option<Vec<Candidate>> {
        if self.candidates.is_empty() && context.event > 0 {
            return None;
        }
        context.event = line;
        context.counts.events += 1;
        self.begin_exchange(context);
        Some(std::mem::take(&mut self.candidates))
    }

    /// Begins to count the work on an exchange.
    pub(super) fn begin_exchange(&self, context: &mut Context) {
        let is_doubtful = !self.candidates.is_empty() && !self.candidates.iter().any(Candidate::is_clean);
        let follows = if context.is_cut() || is_doubtful { Followed::Few } else { Followed::All };
        context.work.begin(follows, &context.options, &mut context.solver);
        if self.candidates.len() < 2 || context.work.is_full() {
            context.work.measure_anew(&context.options);
        }
    }

    /// The frontier that goes on with these candidates, at most as many as the limit allows.
    pub(super) fn with(mut self, context: &mut Context, mut candidates: Vec<Candidate>) -> Frontier {
        if candidates.len() < 2 {
            context.compared = LastComparison::default();
        }
        if candidates.len() > context.options.candidates {
            context.give_up(Limit::Paths);
            candidates.truncate(context.options.candidates);
        }
        match candidates.iter().any(Candidate::is_clean) {
            true => self.clean_died = None,
            false => _ = self.clean_died.get_or_insert(context.event),
        }
        context.counts.candidates_max = context.counts.candidates_max.max(candidates.len());
        Frontier { candidates, ..self }
    }

    /// Tests whether the next observation may change the verdict: something explains the trace so far, but not everything that may come.
    pub(super) fn is_open(&self, context: &Context) -> bool {
        !self.candidates.is_empty() || !context.is_cut() && context.findings.may_be_contradicted()
    }

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
