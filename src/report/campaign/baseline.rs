//! The causes that are known: a campaign that finds no other does not fail.
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
//! ```

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{BaselineReport, CampaignReport};
use crate::json::{self, quoted};

/// The version of the form of the file.
const BASELINE_VERSION: u32 = 1;

/// The causes that a specification's system is known to fail for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline {
    /// The name of the specification.
    pub spec: String,
    /// The causes.
    pub causes: BTreeSet<String>,
}

/// A file as it is written.
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
    /// A message, one line, where it is no baseline, or one of a version that is not known.
    pub fn read(text: &str) -> Result<Baseline, String> {
        let file: BaselineFile = json::from_line(text).map_err(|why| format!("this is no baseline: {why}"))?;
        match file.mayhap_baseline {
            BASELINE_VERSION => Ok(Baseline { spec: file.spec, causes: file.known }),
            other => Err(format!("this is a baseline of version {other}, expected version {BASELINE_VERSION}")),
        }
    }

    /// The text of its file: a cause a line, so that a change is one.
    #[must_use]
    pub fn write(&self) -> String {
        let causes: Vec<String> = self.causes.iter().map(|cause| format!("  {}", quoted(cause))).collect();
        let list = if causes.is_empty() { String::new() } else { format!("\n{}\n", causes.join(",\n")) };
        format!("{{\"mayhap_baseline\": {BASELINE_VERSION}, \"spec\": {}, \"known\": [{list}]}}\n", quoted(&self.spec))
    }

    /// The causes of a campaign beside these.
    #[must_use]
    pub fn compare<'c>(&self, found: impl IntoIterator<Item = &'c str>) -> BaselineReport {
        let found: BTreeSet<String> = found.into_iter().map(str::to_owned).collect();
        BaselineReport {
            known: found.intersection(&self.causes).cloned().collect(),
            new: found.difference(&self.causes).cloned().collect(),
            unseen: self.causes.difference(&found).cloned().collect(),
        }
    }

    /// Marks the failures that are known, and adds the comparison to the report.
    pub fn mark(&self, report: &mut CampaignReport) {
        for found in &mut report.failures {
            found.known = self.causes.contains(&found.cause);
        }
        report.baseline = Some(self.compare(report.failures.iter().map(|found| found.cause.as_str())));
    }

    /// These and the causes that a campaign found. Those that it did not find stay: it may have ended before it met them.
    #[must_use]
    pub fn with(mut self, report: &CampaignReport) -> Baseline {
        self.spec.clone_from(&report.spec);
        self.causes.extend(report.failures.iter().map(|found| found.cause.clone()));
        self
    }
}
