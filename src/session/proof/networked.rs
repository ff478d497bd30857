//! The evidence for a recording that was judged event by event.
//!
//! ```text
//! no run of the server explains line 6
//!   these cannot all be so, whatever the values of all other answers were:
//! ```

use std::sync::Arc;

use super::explanation::stated;
use super::rejection::{FoundRejection, Recheck, judged_again};
use super::{Proof, WitnessWay};
use crate::evidence::{
    Budget, Minimality, NetworkRecording, NetworkWitness, WitnessError, answer_values, check_values,
    witness_of_recording,
};
use crate::json::RawJson;
use crate::judge::{Judge, Options, Verdict, judge_recorded, judge_within, unanswered};
use crate::limits;
use crate::network::NetworkChoice;
use crate::reading::Observations;
use crate::report::conflict::names_under_way;
use crate::report::history::{DrawnTrace, MOST_DRAWN, ServedRequests};
use crate::report::{ConcurrentReason, INLINE, TraceReport, sections, values};
use crate::spec::Spec;
use crate::trace::Places;

/// A recording that was judged event by event, and for which evidence is sought.
pub struct NetworkedEvidence {
    /// The judge with the verdict.
    pub judge: Judge,
    /// The specification, compiled for networks.
    pub spec: Arc<Spec>,
    /// The network.
    pub net: NetworkChoice,
    /// The observations.
    pub observed: Observations,
    /// The limits on what explains an event.
    pub options: Options,
    /// The run that explains the recording, after the search for it.
    witness: Option<Result<NetworkWitness, WitnessError>>,
}

impl NetworkedEvidence {
    /// Judges a recording as a whole.
    #[must_use]
    pub fn of(spec: &Arc<Spec>, net: NetworkChoice, observed: Observations, options: &Options) -> NetworkedEvidence {
        let judge = judge_recorded(spec, &*net.network(), &observed.events, options);
        NetworkedEvidence { judge, spec: spec.clone(), net, observed, options: options.clone(), witness: None }
    }

    /// A recording that is known to be rejected, and is not judged as a whole again.
    pub(in crate::session) fn unjudged(
        spec: &Arc<Spec>,
        net: NetworkChoice,
        observed: Observations,
        options: &Options,
    ) -> NetworkedEvidence {
        let judge = Judge::new(spec.clone(), options.clone());
        NetworkedEvidence { judge, spec: spec.clone(), net, observed, options: options.clone(), witness: None }
    }

    /// Looks for one run that explains a recording, within the work that is allowed for one exchange; `None` if none is found.
    #[must_use]
    pub fn explained(
        spec: &Arc<Spec>,
        net: NetworkChoice,
        observed: Observations,
        options: &Options,
    ) -> Option<NetworkedEvidence> {
        let each = Options { effort: options.effort / limits::TRIAL_SHARE, ..options.clone() };
        let judge = judge_within(spec, &*net.network(), &observed.events, options.effort, &each);
        let is_accept = judge.verdict().is_accept();
        let (spec, options) = (spec.clone(), options.clone());
        is_accept.then(|| NetworkedEvidence { judge, spec, net, observed, options, witness: None })
    }

    /// Finds the run that explains the recording, and repeats it on the concrete server.
    pub fn run(&mut self) -> &Result<NetworkWitness, WitnessError> {
        let NetworkedEvidence { spec, net, observed, options, witness, .. } = self;
        witness.get_or_insert_with(|| {
            witness_of_recording(NetworkRecording { spec, network: &*net.network(), events: &observed.events, options })
        })
    }

    /// The things that are under way before a rejected event in one run, in words.
    fn before(&self, line: u64) -> Result<Vec<String>, String> {
        let NetworkedEvidence { spec, net, observed, options, .. } = self;
        let count = observed.events.partition_point(|(own, _)| *own < line);
        if count > INLINE {
            return Ok(Vec::new());
        }
        let events = &observed.events[..count];
        match witness_of_recording(NetworkRecording { spec, network: &*net.network(), events, options }) {
            Ok(found) => Ok(sections::under_way(spec, observed, &found)),
            Err(error @ WitnessError::DoesNotReplay { .. }) => Err(error.to_string()),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// The reason why the event on a line is rejected.
    ///
    /// # Errors
    /// The reason did not hold in a second judgement.
    pub fn rejection(&self, line: u64, recheck: Recheck, budget: Budget<'_>) -> Result<FoundRejection, String> {
        let network = self.net.network();
        let NetworkedEvidence { spec, observed, options, .. } = self;
        let events = &observed.events[..observed.events.partition_point(|(own, _)| *own <= line)];
        let rejected = NetworkRecording { spec, network: &*network, events, options };
        let values = answer_values(rejected, budget);
        let waiting = unanswered(&observed.events, line);
        let possible = values::possible(spec, observed, line, &values);
        let mut explanation = values::explain(spec, observed, line, &possible, &values);
        explanation.extend(names_under_way(&observed.places, &waiting).map(|names| format!("  {names}")));
        explanation.extend(self.before(line)?.into_iter().map(|line| format!("  {line}")));
        let is_minimal = values.minimal == Minimality::Minimal;
        if recheck == Recheck::Yes {
            let outcome = check_values(rejected, &values);
            explanation.push(judged_again(outcome, values.minimal)?.to_owned());
        }
        let concurrent = ConcurrentReason {
            under_way: waiting,
            reason_from: values.all_from,
            minimal: Some(is_minimal),
            possible_are_all: (!possible.is_empty()).then_some(true),
            possible: possible.into_iter().map(RawJson).collect(),
            ..ConcurrentReason::default()
        };
        let (because, concurrent) = (Some(values.lines), Some(concurrent));
        Ok(FoundRejection { explanation, because, concurrent, is_minimal, ..FoundRejection::default() })
    }
}

impl Proof for NetworkedEvidence {
    fn judge(&self) -> &Judge {
        &self.judge
    }

    fn verdict(&self) -> Verdict {
        self.judge.verdict()
    }

    fn places(&self) -> &Places {
        &self.observed.places
    }

    fn recorded(&self) -> u64 {
        self.observed.recorded()
    }

    fn explained(&mut self, recheck: Recheck, budget: Budget<'_>) -> Result<FoundRejection, String> {
        if let Verdict::Reject { event, .. } = self.judge.verdict() {
            return self.rejection(event, recheck, budget);
        }
        Ok(FoundRejection::stating(stated(&self.judge, &self.spec, &self.observed.places, &|_| None)))
    }

    fn witness(&mut self) -> WitnessWay<'_> {
        WitnessWay::Sections(self)
    }

    fn drawn(&mut self, report: &TraceReport) -> Result<DrawnTrace, String> {
        let is_drawn = report.verdict == "accept" && self.observed.events.len() <= MOST_DRAWN;
        let found = is_drawn.then(|| self.run().clone());
        let (run, missing) = match found {
            Some(Ok(run)) => (Some(run), None),
            Some(Err(error @ WitnessError::DoesNotReplay { .. })) => return Err(error.to_string()),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        let drawn = DrawnTrace::networked(&self.spec, report, &self.net.to_string(), &self.observed, run.as_ref());
        Ok(missing.into_iter().fold(drawn, |drawn, why| drawn.noting(&ServedRequests::missing(why))))
    }
}
