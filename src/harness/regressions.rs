//! Regressions: the scripts of found failures, which are kept in a directory and run again.
//!
//! `mayhap-regressions/48-put-nocontent.ndjson` is a violation at line 48 of the specification: a `Put` with the answer
//! `NoContent`.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::thread;

use crate::report::campaign::baseline::parts;
use crate::report::campaign::{CampaignReport, FailureKind, FoundFailure, RegressionOutcome, RegressionRun};
use crate::report::place;
use crate::script::{Script, ScriptHeader, ScriptStep};
use crate::shrink::ShrunkScript;
use crate::spec::Spec;
use crate::sut::System;

use super::failure::Failing;
use super::found::found;
use super::run::{Judging, OutsideRequest};
use super::trial::{ScriptRun, run_once};
use super::waves::WaitLimits;

/// The most runs of a regression that does not fail in each run.
const MOST_RUNS: usize = 20;

/// A directory of regressions.
#[derive(Clone, Debug)]
pub struct Regressions {
    directory: PathBuf,
}

impl Regressions {
    /// The regressions in a directory, which need not exist yet.
    #[must_use]
    pub fn of(directory: &Path) -> Regressions {
        Regressions { directory: directory.to_owned() }
    }

    /// Makes sure that regressions can be written, before any failure is found.
    ///
    /// # Errors
    /// The directory cannot be made or written.
    pub fn prepare(&self) -> io::Result<()> {
        // A test without failures makes no directory, so where there is none the one that it would stand in is tried.
        let there = self.directory.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
        // Other tests, of this process too, may try the same directory now.
        let trial = there.join(format!(".mayhap-trial-{}-{:?}", process::id(), thread::current().id()));
        fs::write(&trial, "")?;
        fs::remove_file(&trial)
    }

    /// The files of the regressions, in the order of their names.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn files(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "ndjson") {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Writes the script of a failure, into its own file if it has one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&self, failure: &FoundFailure) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.directory)?;
        // The file appears as a whole, so an interrupted process leaves no half of it.
        let (path, mut file) = match &failure.file {
            Some(file) => (PathBuf::from(file), fs::File::create(unfinished(Path::new(file)))?),
            None => self.new_file(&file_name(&failure.cause))?,
        };
        file.write_all(failure.script.as_bytes())?;
        fs::rename(unfinished(&path), &path)?;
        Ok(path)
    }

    /// A name that no other test takes meanwhile: who makes its unfinished file has it.
    fn new_file(&self, name: &str) -> io::Result<(PathBuf, fs::File)> {
        let mut number = 1;
        loop {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = self.directory.join(format!("{name}{suffix}.ndjson"));
            match fs::File::create_new(unfinished(&path)) {
                Ok(_) if path.exists() => fs::remove_file(unfinished(&path))?,
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            number += 1;
        }
    }
}

fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("ndjson.part")
}

/// The name of the file for a cause: `kv_etag.may:48 Put NoContent` gives `48-put-nocontent`.
fn file_name(cause: &str) -> String {
    let line = |word: &str| word.rsplit_once(".may:").map_or(word.to_owned(), |(_, line)| line.to_owned());
    let words: Vec<String> = cause.split_whitespace().map(line).collect();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    words.join("-").chars().map(letter).take(80).collect()
}

/// The reason why a script cannot be run, with the name of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnreadScript {
    /// The script names another specification.
    OfAnother(String),
    /// The script cannot be read, or does not fit the types.
    Wrong(String),
}

impl fmt::Display for UnreadScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (UnreadScript::OfAnother(why) | UnreadScript::Wrong(why)) = self;
        f.write_str(why)
    }
}

/// Reads a script of a specification.
///
/// # Errors
/// The script does not fit the specification, or cannot be read.
pub fn read_script(spec: &Arc<Spec>, path: &Path) -> Result<Script, UnreadScript> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| UnreadScript::Wrong(format!("{shown}: {error}")))?;
    if text.trim().is_empty() {
        return Err(UnreadScript::Wrong(format!("{shown}: the file is empty, expected a script")));
    }
    let own = &spec.program.name;
    match ScriptHeader::said(&text) {
        Ok(ScriptHeader { spec: other, .. }) if !other.is_empty() && other != *own => {
            let why = format!("{shown}: this is a script of `{other}`, not of `{own}`");
            return Err(UnreadScript::OfAnother(why));
        }
        _ => {}
    }
    let script = Script::read(spec, &text).map_err(|error| {
        let rendered = error.render(&shown.to_string());
        UnreadScript::Wrong(rendered.trim_end().trim_start_matches("error: ").to_owned())
    })?;
    match script.steps.is_empty() {
        true => Err(UnreadScript::Wrong(format!("{shown}: the script has no steps, so nothing would be tested"))),
        false => Ok(script),
    }
}

/// The outcome of the runs of a script.
pub struct ReplayedScript {
    /// The outcome.
    pub outcome: RegressionOutcome,
    /// The failure, if the script fails for its own cause.
    pub failing: Option<Failing>,
}

/// The runs of all regressions in a directory.
#[derive(Default)]
pub struct KeptRuns {
    /// The regressions with their outcomes.
    pub runs: Vec<RegressionRun>,
    /// The failures that they show.
    pub shown: Vec<Failing>,
    /// The reasons why some scripts cannot be run.
    pub unread: Vec<UnreadScript>,
}

impl Regressions {
    /// Runs each regression of a specification, as long as there is time.
    pub fn run(
        &self,
        judging: &Judging,
        spec: &Arc<Spec>,
        system: &mut dyn System,
        clients: u64,
        patience: WaitLimits<'_>,
    ) -> KeptRuns {
        let mut kept = KeptRuns::default();
        for path in self.files().unwrap_or_default() {
            let (cause, outcome, failure) = match read_script(spec, &path) {
                // Several specifications may share a directory.
                Err(UnreadScript::OfAnother(_)) => continue,
                Ok(script) => {
                    let times = runs_to_see(script.header.failed, MOST_RUNS);
                    let ReplayedScript { outcome, failing } =
                        replay(judging, &script, &mut *system, clients, patience, times);
                    if matches!(outcome, RegressionOutcome::Error(_)) && patience.is_over() {
                        break;
                    }
                    let failure = failing.as_ref().map(|failing| Box::new(reported(judging, failing, &outcome)));
                    kept.shown.extend(failing);
                    (script.header.cause.unwrap_or_default(), outcome, failure)
                }
                Err(why) => {
                    let outcome = RegressionOutcome::Error(why.to_string());
                    kept.unread.push(why);
                    (String::new(), outcome, None)
                }
            };
            kept.runs.push(RegressionRun { file: path.display().to_string(), cause, outcome, known: false, failure });
        }
        kept
    }
}

/// The report of the failure that a script shows.
pub fn reported(judging: &Judging, failing: &Failing, outcome: &RegressionOutcome) -> FoundFailure {
    let fails = if let RegressionOutcome::Fails(failed, of) = outcome { (*failed, *of) } else { (1, 1) };
    let script = failing.script.clone();
    let shrunk = ShrunkScript { script, runs: 0, fails, others: Vec::new(), minimal: false, stopped: None };
    found(judging, failing, &shrunk, &CampaignReport::default())
}

/// Runs a script at most `times` times, and returns the outcome; a breakdown of the system ends this early.
pub fn replay(
    judging: &Judging,
    script: &Script,
    system: &mut dyn System,
    clients: u64,
    patience: WaitLimits<'_>,
    times: usize,
) -> ReplayedScript {
    let (mut failed, mut otherwise, mut outside, mut undecided, mut shown) = (0, None, None, None, None);
    for _ in 0..times {
        match run_once(judging, script, &mut *system, clients, patience) {
            Ok(ScriptRun::Passes) => {}
            Ok(ScriptRun::Outside(request)) => outside = Some(request),
            Ok(ScriptRun::Undecided(why)) => undecided = Some(why),
            Ok(ScriptRun::Fails(failing)) => match &script.header.cause {
                cause if is_unreached(&failing) && cause.as_ref() != Some(&failing.cause()) => {
                    let why = failing.explanation.join("\n");
                    return ReplayedScript { outcome: RegressionOutcome::Error(why), failing: None };
                }
                Some(cause) if *cause != failing.cause() && !is_named(cause, &failing) => {
                    otherwise = Some(failing.cause());
                }
                _ => (failed, shown) = (failed + 1, Some(*failing)),
            },
            Err(failure) => {
                return ReplayedScript { outcome: RegressionOutcome::Error(failure.to_string()), failing: None };
            }
        }
    }
    let outcome = match (failed, otherwise) {
        (0, None) => match (outside, undecided) {
            (Some(request), _) => RegressionOutcome::Outside(outside_said(&judging.spec, script, request)),
            (None, Some(why)) => RegressionOutcome::Undecided(why),
            (None, None) => RegressionOutcome::Pass,
        },
        (0, Some(cause)) => RegressionOutcome::Otherwise(cause),
        (failed, _) => RegressionOutcome::Fails(failed, times as u64),
    };
    ReplayedScript { outcome, failing: shown }
}

/// Tests whether the system could not be connected to, and had not answered anything before.
fn is_unreached(failing: &Failing) -> bool {
    let is_answer = |step: &ScriptStep| matches!(step, ScriptStep::Await { .. } | ScriptStep::Seen { .. });
    failing.kind == FailureKind::Refused && !failing.script.steps.iter().any(is_answer)
}

/// The request of a script that may break the client's duty, in words: `step 3 breaks the client's duty (duty.may:9: …)`.
fn outside_said(spec: &Spec, script: &Script, OutsideRequest { label, duty }: OutsideRequest) -> String {
    let asked = script.steps.iter().filter_map(|step| match step {
        ScriptStep::Ask { label, .. } => Some(*label),
        _ => None,
    });
    let step = asked.take_while(|own| *own != label).count() + 1;
    match duty {
        Some(site) if spec.program.untaken == Some(site) => {
            format!("step {step}: no handler takes this request {}", place(spec, site))
        }
        Some(site) => format!("step {step} may break the client's duty {}", place(spec, site)),
        None => format!("whether step {step} keeps the client's duty is too hard to decide"),
    }
}

/// Tests whether a cause has the constructors of a failure. The line in a cause does not count: lines change more often than types, and
/// a shorter script may show the failure without any. A violation without constructors, as of requests that are numbers, has the line only.
fn is_named(cause: &str, failing: &Failing) -> bool {
    let constructors = parts(cause).1;
    match failing.constructors.as_str() {
        "" => failing.kind == FailureKind::Violation && matches!(constructors, "" | "violation"),
        own => own == constructors,
    }
}

/// The number of runs, at most `most`, in which a script that has failed at this rate fails again with a probability of 95 %.
#[must_use]
pub fn runs_to_see(failed: Option<(u64, u64)>, most: usize) -> usize {
    const MISSED: f64 = 0.05;
    let Some((failed, of)) = failed.filter(|(failed, of)| *failed > 0 && failed < of) else { return 1 };
    let passes = 1.0 - failed as f64 / of as f64;
    ((MISSED.ln() / passes.ln()).ceil() as usize).clamp(1, most.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::campaign::FailureKind;

    #[test]
    fn tests_that_share_a_directory_take_no_file_from_each_other() {
        let directory = std::env::temp_dir().join(format!("mayhap-regressions-{}", process::id()));
        let regressions = Regressions::of(&directory);
        let failure = FoundFailure::new(FailureKind::Violation, "p.may:1 Put Done".to_owned());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        regressions.prepare().unwrap();
                        regressions.keep(&failure).unwrap();
                    }
                });
            }
        });
        let files = regressions.files().unwrap();
        let all = fs::read_dir(&directory).unwrap().count();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!((files.len(), all), (100, 100));
    }
}
