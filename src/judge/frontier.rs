//! The frontier: the candidates that explain a trace.

use super::candidate::Candidate;
use super::context::Context;
use super::normal_form::growth::LastComparison;
use super::work::Followed;
use crate::process::Limit;

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
}
