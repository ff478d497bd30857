//! A specification and a trace, judged through the library, and nothing else: what tests that know verdicts use.
//!
//! `judge(specs/cmp_rst.may, …/cmp_rst/reject_between.ndjson)` is `("reject", Some(3))`.

mod after_the_answer;
mod asynchronous;
mod conformance;
mod holes;
mod library;
mod network_reductions;
mod network_specs;
mod one_door;
mod random_sessions;
mod reductions;
mod session;
mod system_specs;
mod unknown_start;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayhap::details::Observed;
use mayhap::judge::Options;
use mayhap::reading::Exchanges;
use mayhap::{Exchange, Spec, Validator, Verdict, validate};

/// A verdict's name, as `--format json` has it, and the line it speaks of.
pub type Named = (&'static str, Option<u64>);

pub fn named(verdict: &Verdict) -> Named {
    match verdict {
        Verdict::Accept { warning: _ } => ("accept", None),
        Verdict::Reject { event, event_from: _ } => ("reject", Some(*event)),
        Verdict::Unknown { .. } => ("unknown", None),
        Verdict::Outside { event, .. } => ("outside", Some(*event)),
        Verdict::Fault(report) => ("fault", Some(report.event)),
    }
}

/// The specification of a text without errors.
pub fn compiled(text: &str) -> Arc<Spec> {
    Spec::from_text(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The text of a file of the crate.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The exchanges of a trace that can be read.
pub fn exchanges(spec: &Arc<Spec>, trace: &str) -> Vec<Exchange> {
    let read = Exchanges::new(spec, trace.as_bytes()).collect::<Result<_, _>>();
    read.unwrap_or_else(|error| panic!("{}", error.render("trace")))
}

/// The exchanges with one answer in so many not known, from the one at `first` on.
pub fn with_holes(mut exchanges: Vec<Exchange>, first: usize, gap: usize) -> Vec<Exchange> {
    let holes = exchanges.iter_mut().skip(first).step_by(gap);
    holes.filter(|exchange| matches!(exchange.observed, Observed::Answer(_))).for_each(|exchange| {
        exchange.observed = Observed::Any;
    });
    exchanges
}

/// A validator that has observed exchanges, up to one that nothing explains.
pub fn judged(spec: &Arc<Spec>, options: Options, exchanges: &[Exchange]) -> Validator {
    let mut validator = Validator::with_options(spec, options);
    _ = exchanges.iter().all(|exchange| validator.observe_exchange(exchange));
    validator
}

/// The verdict on the lines of a trace.
pub fn verdict(spec: &Arc<Spec>, trace: &str) -> Verdict {
    judged(spec, Options::default(), &exchanges(spec, trace)).verdict()
}

/// The verdict on a trace in a file; an error's text where there is no verdict.
pub fn judge(spec: &Path, trace: &Path) -> (String, Option<u64>) {
    judge_text(spec, &text(trace))
}

/// The verdict on a trace that is in no file; an error's text where there is none.
pub fn judge_text(spec: &Path, trace: &str) -> (String, Option<u64>) {
    let spec = match Spec::from_text(&text(spec)) {
        Ok(spec) => spec,
        Err(error) => return (error.to_string(), None),
    };
    let mut validator = Validator::new(&spec);
    match validate::judge(&mut validator, &mut Exchanges::new(&spec, trace.as_bytes())) {
        Ok(()) => {
            let (name, event) = named(&validator.verdict());
            (name.to_owned(), event)
        }
        Err(error) => (error.render("trace"), None),
    }
}

/// A row of a manifest.
pub struct Case {
    /// The name of the trace, with that of its directory.
    pub name: String,
    pub spec: PathBuf,
    pub trace: PathBuf,
    pub verdict: String,
    pub event: Option<u64>,
}

/// The cases of `directory/manifest.tsv`, whose specifications are in `specs`.
pub fn cases(directory: &str, specs: &str) -> Vec<Case> {
    let manifest = text(Path::new(directory).join("manifest.tsv"));
    let rows = manifest.lines().skip(1).map(|row| row.split('\t').collect::<Vec<&str>>());
    let case = |row: Vec<&str>| Case {
        name: row[1].to_owned(),
        spec: root().join(specs).join(row[0]),
        trace: root().join(directory).join(row[1]),
        verdict: row[2].to_owned(),
        event: row[3].parse().ok(),
    };
    rows.map(case).collect()
}
