//! Evidence for a trace that was judged event by event: the sections of a run that explains it, or why none does.

use super::evidence::{self, Recheck, WantedEvidence, WitnessWanted};
use super::files;
use mayhap::dualize::{Judge, Options, RecordedEvent, Verdict, unanswered};
use mayhap::evidence::{
    Budget, Minimality, NetworkRecording, NetworkWitness, RejectedRecording, WitnessError, answer_values, check_values,
    witness_of_recording,
};
use mayhap::network::{NetworkChoice, Observation};
use mayhap::report::conflict::names_under_way;
use mayhap::report::history::{DrawnTrace, MOST_DRAWN, ServedRequests};
use mayhap::report::sections::{self, WitnessLines};
use mayhap::report::{ConcurrentReason, INLINE, TraceReport, values};
use mayhap::spec::Spec;
use mayhap::validate::Observations;
use std::path::Path;
use std::sync::Arc;

/// A recording that was judged event by event, of which evidence is looked for.
pub struct NetworkedEvidence {
    /// The judge that came to the verdict.
    pub judge: Judge,
    /// The specification, for networks.
    pub spec: Arc<Spec>,
    /// The network.
    pub net: NetworkChoice,
    /// The observations.
    pub observed: Observations,
    /// The limits on what explains an event.
    pub options: Options,
    /// The run that explains it, once it was looked for.
    pub witness: Option<Result<NetworkWitness, WitnessError>>,
}

impl NetworkedEvidence {
    /// Adds to a report why it is as it is.
    ///
    /// # Errors
    /// Evidence did not hold when it was checked.
    pub fn add(
        &mut self,
        report: &mut TraceReport,
        wanted: WantedEvidence<'_>,
        budget: Budget<'_>,
    ) -> Result<(), String> {
        let spec = &self.spec.clone();
        match self.judge.verdict() {
            Verdict::Reject { event, .. } => return self.rejection(report, (event, wanted.recheck), budget),
            Verdict::Unknown { doubt, warning } => {
                report.explanation = evidence::undecided(&self.judge, spec, &doubt);
                report
                    .explanation
                    .extend(warning.iter().flat_map(|fault| evidence::warned(&self.judge, spec, fault, None)));
            }
            Verdict::Outside { site, .. } => {
                report.explanation = evidence::outside(&self.judge, spec, site, None);
            }
            Verdict::Fault(fault) => report.explanation = evidence::faulty(&self.judge, spec, &fault, None),
            Verdict::Accept { warning } => {
                report
                    .explanation
                    .extend(warning.iter().flat_map(|fault| evidence::warned(&self.judge, spec, fault, None)));
                return self.acceptance(report, wanted.witness);
            }
        }
        Ok(())
    }

    /// Adds the witness of an accepted trace, where it is wanted.
    fn acceptance(&mut self, report: &mut TraceReport, wanted: WitnessWanted<'_>) -> Result<(), String> {
        let file = match wanted {
            WitnessWanted::No => return Ok(()),
            WitnessWanted::Inline if self.observed.events.len() > INLINE => {
                report.explanation.push(evidence::too_long());
                return Ok(());
            }
            WitnessWanted::Inline => None,
            WitnessWanted::File(path) => Some(path),
        };
        match self.witness().clone() {
            Ok(found) => self.show(report, &found, file),
            Err(error @ WitnessError::DoesNotReplay { .. }) => Err(error.to_string()),
            Err(error) => {
                report.explanation.push(format!("no witness: {error}"));
                Ok(())
            }
        }
    }

    /// The run that explains the recording, which is repeated.
    fn witness(&mut self) -> &Result<NetworkWitness, WitnessError> {
        let NetworkedEvidence { spec, net, observed, options, witness, .. } = self;
        witness.get_or_insert_with(|| {
            witness_of_recording(NetworkRecording { spec, network: &*net.network(), events: &observed.events, options })
        })
    }

    /// Draws the recording.
    ///
    /// # Errors
    /// The run that explains it does not replay.
    pub fn draw(&mut self, report: &TraceReport) -> Result<DrawnTrace, String> {
        let is_drawn = report.verdict == "accept" && self.observed.events.len() <= MOST_DRAWN;
        let found = if is_drawn { Some(self.witness().clone()) } else { None };
        let (witness, missing) = match found {
            Some(Ok(witness)) => (Some(witness), None),
            Some(Err(error @ WitnessError::DoesNotReplay { .. })) => return Err(error.to_string()),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        let network = self.net.to_string();
        let drawn = DrawnTrace::networked(&self.spec, report, (&network, &self.observed), witness.as_ref());
        Ok(match missing {
            Some(why) => drawn.noting(&ServedRequests::missing(why)),
            None => drawn,
        })
    }

    fn show(&self, report: &mut TraceReport, found: &NetworkWitness, file: Option<&Path>) -> Result<(), String> {
        let lines = sections::lines(&self.spec, &self.observed, found);
        if let Some(path) = file {
            let text: String = lines.iter().map(sections::line).collect();
            std::fs::write(path, text).map_err(|cause| files::unwritable(path, &cause))?;
            report.explanation.push(format!("a witness, replayed, is in {}", path.display()));
        }
        report.explanation.extend(sections::own(&self.spec, found));
        match found.values() <= INLINE {
            true => report.witness = Some(WitnessLines::Sections(lines)),
            false if file.is_none() => report.explanation.push(evidence::too_long()),
            false => {}
        }
        Ok(())
    }

    /// An example of what is under way before a rejected event, in words.
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

    fn rejection(
        &self,
        report: &mut TraceReport,
        (line, recheck): (u64, Recheck),
        budget: Budget<'_>,
    ) -> Result<(), String> {
        let network = self.net.network();
        let NetworkedEvidence { spec, observed, options, .. } = self;
        let rejected = RejectedRecording { spec, network: &*network, events: &observed.events, line, options };
        let values = answer_values(rejected, budget);
        let waiting = unanswered(&observed.events, line);
        report.explanation = values::explain(spec, observed, line, &values);
        let asks = |(own, event): &RecordedEvent| *own == line && matches!(event, Observation::Request(..));
        if self.net.is_limited() && observed.events.iter().any(asks) {
            let no_room = format!("  the limits of `--net {}` leave no room for one request more there", self.net);
            report.explanation.push(no_room);
        }
        report.explanation.extend(names_under_way(&waiting).map(|names| format!("  {names}")));
        report.explanation.extend(self.before(line)?.into_iter().map(|line| format!("  {line}")));
        report.reason = Some(values.lines.clone());
        report.concurrent = Some(ConcurrentReason {
            under_way: waiting,
            reason_from: values.all_from,
            minimal: Some(values.minimal == Minimality::Minimal),
            ..ConcurrentReason::default()
        });
        if recheck == Recheck::Yes {
            let outcome = check_values(rejected, &values);
            report.explanation.push(evidence::judged_again(outcome, values.minimal)?.to_owned());
        }
        Ok(())
    }
}
