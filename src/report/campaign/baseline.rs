//! The known causes of failures: a campaign that finds no other cause does not fail.
//!
//! ```text
//! {"mayhap_baseline": 1, "spec": "kv_etag", "known": [
//!   "kv_etag.may:48 Put NoContent"
//! ]}
//! ```
//!
//! ```
//! use mayhap::report::campaign::baseline::Baseline;
//! let known = Baseline { spec: "kv".into(), causes: ["kv.may:5 Get".to_owned()].into() };
//! assert_eq!(Baseline::read(&known.write()), Ok(known.clone()));
//! assert_eq!(known.compare(["kv.may:9 Put"]).new, ["kv.may:9 Put"]);
//! assert!(known.knows("Get") && !known.knows("kv.may:9 Get"));
//! ```

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{BaselineReport, CampaignReport, FoundFailure, RegressionOutcome, RegressionRun};
use crate::json::{self, quoted};

/// The version of the file format.
const BASELINE_VERSION: u32 = 1;

/// Tests whether two texts may name one cause: `kv.may:5 Get Ok` and `Get Ok` do, as a reason need not name a statement;
/// `kv.may:5 Get Ok` and `kv.may:9 Get Ok` do not.
#[must_use]
pub fn is_same_cause(one: &str, other: &str) -> bool {
    let ((place, constructors), (other_place, other_constructors)) = (parts(one), parts(other));
    let may_be_one_place = place.is_none() || other_place.is_none() || place == other_place;
    !constructors.is_empty() && constructors == other_constructors && may_be_one_place || one == other
}

/// The place of the statement that a cause names, if it names one, and the constructors of the request and of its answer.
#[must_use]
pub fn parts(cause: &str) -> (Option<&str>, &str) {
    match cause.split_once(' ') {
        Some((place, constructors)) if place.contains(':') => (Some(place), constructors),
        None if cause.contains(':') => (Some(cause), ""),
        Some(_) | None => (None, cause),
    }
}

/// The causes for which the system of a specification is known to fail.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline {
    /// The name of the specification.
    pub spec: String,
    /// The causes.
    pub causes: BTreeSet<String>,
}

/// The content of a baseline file.
#[derive(Deserialize)]
struct BaselineFile {
    mayhap_baseline: u32,
    spec: String,
    known: BTreeSet<String>,
}

impl Baseline {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The text is no baseline, or one of an unknown version; the message has one line.
    pub fn read(text: &str) -> Result<Baseline, String> {
        let file: BaselineFile = json::from_line(text).map_err(|why| format!("this is no baseline: {why}"))?;
        match file.mayhap_baseline {
            BASELINE_VERSION => Ok(Baseline { spec: file.spec, causes: file.known }),
            other => Err(format!("this is a baseline of version {other}, expected version {BASELINE_VERSION}")),
        }
    }

    /// The text of the file, with one cause a line, so that a diff shows each change on a line of its own.
    #[must_use]
    pub fn write(&self) -> String {
        let causes: Vec<String> = self.causes.iter().map(|cause| format!("  {}", quoted(cause))).collect();
        let list = if causes.is_empty() { String::new() } else { format!("\n{}\n", causes.join(",\n")) };
        format!("{{\"mayhap_baseline\": {BASELINE_VERSION}, \"spec\": {}, \"known\": [{list}]}}\n", quoted(&self.spec))
    }

    /// Compares the causes that a campaign found with the known ones.
    #[must_use]
    pub fn compare<'c>(&self, found: impl IntoIterator<Item = &'c str>) -> BaselineReport {
        let found: BTreeSet<String> = found.into_iter().map(str::to_owned).collect();
        let (known, new) = found.iter().cloned().partition(|cause| self.knows(cause));
        let is_unseen = |cause: &&String| !found.iter().any(|found| is_same_cause(found, cause));
        BaselineReport { known, new, unseen: self.causes.iter().filter(is_unseen).cloned().collect() }
    }

    /// Tests whether a cause is known.
    #[must_use]
    pub fn knows(&self, cause: &str) -> bool {
        self.causes.iter().any(|known| is_same_cause(known, cause))
    }

    /// Marks the failures whose causes are known, and adds the comparison to the report.
    pub fn mark(&self, report: &mut CampaignReport) {
        for found in &mut report.failures {
            let is_known = found.names().any(|name| self.knows(name));
            found.known = is_known;
        }
        for run in &mut report.regressions {
            run.known = matches!(run.outcome, RegressionOutcome::Fails(..)) && self.knows(&run.cause);
        }
        // A failure with one known name is known by all of them.
        let names = report.failures.iter().flat_map(|found| {
            let is_told = |name: &&str| if found.known { self.knows(name) } else { **name == found.cause };
            found.names().filter(is_told)
        });
        let comparison = self.compare(names.chain(failing_regressions(report)));
        report.baseline = Some(comparison);
    }

    /// The known causes, together with the causes that a campaign found. Other known causes stay: the campaign may have ended too
    /// early.
    #[must_use]
    pub fn with(mut self, report: &CampaignReport) -> Baseline {
        self.spec.clone_from(&report.spec);
        let names = report.failures.iter().flat_map(FoundFailure::names).chain(failing_regressions(report));
        let new: Vec<String> = names.filter(|cause| !self.knows(cause)).map(str::to_owned).collect();
        self.causes.extend(new);
        self
    }
}

/// The causes of the regressions that fail.
fn failing_regressions(report: &CampaignReport) -> impl Iterator<Item = &str> {
    let fails = |run: &&RegressionRun| matches!(run.outcome, RegressionOutcome::Fails(..)) && !run.cause.is_empty();
    report.regressions.iter().filter(fails).map(|run| run.cause.as_str())
}
