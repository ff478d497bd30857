//! Tests of a system in the same program: `mayhap::test(&spec).clients(3).run(|| Store::new())`.
//!
//! ```
//! use mayhap::sut::{Sut, SutAnswer};
//! struct Echo;
//! impl Sut for Echo {
//!     type Request = i64;
//!     type Response = i64;
//!     fn ask(&self, _client: u64, request: i64) -> SutAnswer<i64> {
//!         SutAnswer::Is(request)
//!     }
//! }
//! let spec = mayhap::Spec::from_text("protocol echo { request int; response int; on q { reply q; } }")?;
//! mayhap::test(&spec).clients(2).requests(500).run(|| Echo);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::limits::end::WorkEnd;
use crate::mutate::starting_scripts_within;
use crate::network::NetworkChoice;
use crate::report::campaign::rust::again;
use crate::report::campaign::{CampaignReport, CampaignVerdict, FoundFailure, text};
use crate::script::{Script, ScriptHeader};
use crate::spec::Spec;
use crate::sut::{InProcess, Sut, SutFailure, SutFailureKind, System};

use super::campaign::{AFTERWARDS, Campaign, CampaignSettings, Follower};
use super::regressions::{KeptRuns, Regressions, ReplayedScript, replay, reported};
use super::run::Judging;
use super::waves::WaitLimits;

/// The most runs of a replayed script, so that a flaky failure shows.
const REPLAYS: usize = 20;

/// The settings of a test, which [`SystemTest::run`] runs.
#[derive(Clone, Debug)]
#[must_use]
pub struct SystemTest {
    spec: Arc<Spec>,
    settings: CampaignSettings,
    regressions: Option<PathBuf>,
}

/// A test of a system against a specification: 10,000 requests of one client, with the seed 0.
///
/// The environment variables `MAYHAP_SEED`, `MAYHAP_REQUESTS` and `MAYHAP_TIME` (in seconds) override the settings of the test.
pub fn test(spec: &Arc<Spec>) -> SystemTest {
    let header = ScriptHeader { spec: spec.program.name.clone(), ..ScriptHeader::default() };
    let settings = CampaignSettings { clients: 1, header, ..CampaignSettings::default() };
    SystemTest { spec: spec.clone(), settings, regressions: None }
}

impl SystemTest {
    /// Sets the number of clients, which send requests concurrently, each from a thread of its own.
    pub fn clients(mut self, clients: u64) -> SystemTest {
        self.settings.clients = clients.max(1);
        self
    }

    /// Sets the number of requests of all runs together.
    pub fn requests(mut self, requests: u64) -> SystemTest {
        self.settings.requests = requests;
        self
    }

    /// Sets the time after which the test ends.
    pub fn time(mut self, time: Duration) -> SystemTest {
        self.settings.time = Some(time);
        self
    }

    /// Sets the most requests of a run; after them a fresh system is made.
    pub fn steps(mut self, steps: u64) -> SystemTest {
        self.settings.steps = steps.max(1);
        self
    }

    /// Sets the seed from which everything is drawn.
    pub fn seed(mut self, seed: u64) -> SystemTest {
        self.settings.seed = seed;
        self
    }

    /// Sets the time after which a request without an answer counts as hanging.
    pub fn deadline(mut self, deadline: Duration) -> SystemTest {
        self.settings.deadline = deadline;
        self
    }

    /// Sets the number of causes after which the test ends; with 0 it ends only after all requests.
    pub fn max_failures(mut self, most: usize) -> SystemTest {
        self.settings.max_failures = Some(most);
        self
    }

    /// Keeps the scripts of failures in this directory. Those that are there are run first, so that a mistake that was found once is
    /// found at once.
    pub fn regressions(mut self, directory: impl Into<PathBuf>) -> SystemTest {
        self.regressions = Some(directory.into());
        self
    }

    /// Ends the test when this flag is set; what was found by then is reported.
    #[doc(hidden)]
    pub fn stopped_by(mut self, stop: &Arc<AtomicBool>) -> SystemTest {
        self.settings.stop = stop.clone();
        self
    }

    /// Tests systems that `make` makes, one for each run.
    ///
    /// # Panics
    /// The system violates the specification or breaks down, nothing was tested, or an environment variable is no number. The
    /// message is the report, with the line that runs the test again, and a script that can be pasted into it.
    #[track_caller]
    pub fn run<S: Sut + 'static>(self, make: impl Fn() -> S + Send + Sync + 'static) {
        let report = self.check(make);
        let thread = std::thread::current();
        // Of a test, the thread has the name.
        let test = thread.name().filter(|name| *name != "main");
        assert!(report.verdict == CampaignVerdict::Pass, "{}{}", text::text(&report), again(&report, test));
    }

    /// Runs a script that once showed a failure, as `mayhap replay --export rust` prints it, up to 20 times.
    ///
    /// # Panics
    /// The script fails again, or does not fit the specification.
    #[track_caller]
    pub fn replay<S: Sut + 'static>(self, script: &str, make: impl Fn() -> S + Send + Sync + 'static) {
        let mut system = InProcess::new(&self.spec, make).unwrap_or_else(|failure| panic!("{failure}"));
        let numbers_tokens = system.numbers_tokens();
        if let Err(complaint) = self.replayed(script, &mut system, numbers_tokens) {
            panic!("{complaint}");
        }
    }

    /// Runs a script that once showed a failure, up to 20 times.
    ///
    /// # Errors
    /// The script fails again, or does not fit the specification; in words.
    pub fn replay_system(&self, script: &str, system: &mut dyn System) -> Result<(), String> {
        self.replayed(script, system, false)
    }

    fn replayed(&self, script: &str, system: &mut dyn System, numbers_tokens: bool) -> Result<(), String> {
        let read = Script::read(&self.spec, script).map_err(|error| error.render("script"))?;
        let CampaignSettings { clients, deadline, stop, .. } = &self.settings;
        let patience = WaitLimits { deadline: *deadline, silence: *deadline, stop, until: None };
        let judging = judging(&self.spec, *clients, numbers_tokens);
        let ReplayedScript { outcome, failing } = replay(&judging, &read, system, *clients, patience, REPLAYS);
        let Some(complaint) = outcome.complaint() else { return Ok(()) };
        let story = failing.map_or_else(String::new, |failing| text::story(&reported(&judging, &failing, &outcome)));
        Err(format!("the script does not pass: {complaint}\n{story}").trim_end().to_owned())
    }

    /// Tests systems that `make` makes, one for each run, and returns the report.
    #[must_use]
    pub fn check<S: Sut + 'static>(self, make: impl Fn() -> S + Send + Sync + 'static) -> CampaignReport {
        match InProcess::new(&self.spec, make) {
            Ok(mut system) => {
                let numbers_tokens = system.numbers_tokens();
                self.checked(&mut system, numbers_tokens)
            }
            Err(failure) => not_started(self.empty_report(), &failure),
        }
    }

    /// Tests a system, and returns the report.
    #[must_use]
    pub fn check_system(self, system: &mut dyn System) -> CampaignReport {
        self.checked(system, false)
    }

    fn checked(mut self, system: &mut dyn System, numbers_tokens: bool) -> CampaignReport {
        if let Err(why) = self.read_environment() {
            return not_started(self.empty_report(), &SutFailure::new(SutFailureKind::Start, why));
        }
        let began = Instant::now();
        let end = WorkEnd::of(&self.settings.stop);
        let time = self.settings.time;
        let _end = time.map_or(end.clone(), |time| end.within(time.saturating_add(AFTERWARDS))).enter();
        let judging = judging(&self.spec, self.settings.clients, numbers_tokens);
        let mut keeper = Keeper { regressions: self.regressions.as_deref().map(Regressions::of) };
        let kept = keeper.regressions.as_ref().map(|regressions| self.rerun(regressions, &judging, system, began));
        let KeptRuns { runs, shown, unread } = kept.unwrap_or_default();
        let report = CampaignReport { regressions: runs, ..self.empty_report() };
        let scripts = starting_scripts_within(&self.spec, self.settings.seed, time);
        let time = time.map(|time| time.saturating_sub(began.elapsed()));
        let settings = CampaignSettings { shown, time, ..self.settings };
        let campaign = Campaign::new(&judging, &settings, system, &mut keeper, report.clone());
        let mut made = campaign.run(&scripts).unwrap_or_else(|failure| not_started(report, &failure));
        made.judge_regressions();
        if made.verdict == CampaignVerdict::Pass && !unread.is_empty() {
            // A script that says nothing any more is no test that passes.
            made.verdict = CampaignVerdict::Broken;
        }
        made
    }

    /// Runs the regressions, as long as there is time.
    fn rerun(&self, regressions: &Regressions, judging: &Judging, system: &mut dyn System, began: Instant) -> KeptRuns {
        let CampaignSettings { clients, deadline, stop, time, .. } = &self.settings;
        let until = time.and_then(|time| began.checked_add(time));
        let patience = WaitLimits { deadline: *deadline, silence: *deadline, stop, until };
        regressions.run(judging, &self.spec, system, *clients, patience)
    }

    fn empty_report(&self) -> CampaignReport {
        CampaignReport {
            spec: self.spec.program.name.clone(),
            file: self.spec.program.name.clone(),
            seed: self.settings.seed,
            clients: self.settings.clients,
            ..CampaignReport::default()
        }
    }

    fn read_environment(&mut self) -> Result<(), String> {
        let CampaignSettings { seed, requests, time, .. } = &mut self.settings;
        *seed = environment("MAYHAP_SEED")?.unwrap_or(*seed);
        *requests = environment("MAYHAP_REQUESTS")?.unwrap_or(*requests);
        *time = environment("MAYHAP_TIME")?.map(Duration::from_secs).or(*time);
        Ok(())
    }
}

/// The number in an environment variable; `None` if it is not set, or empty.
fn environment(name: &str) -> Result<Option<u64>, String> {
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let number = text.to_str().and_then(|text| text.trim().parse().ok());
    number.map(Some).ok_or_else(|| format!("{name}: expected a number from 0 to {}, found {text:?}", u64::MAX))
}

/// The specification, network and limits for a system that is new in each run.
fn judging(spec: &Arc<Spec>, clients: u64, numbers_tokens: bool) -> Judging {
    let mut judging = Judging::live(spec, NetworkChoice::TCP, clients);
    judging.numbers_tokens = numbers_tokens;
    judging
}

fn not_started(report: CampaignReport, failure: &SutFailure) -> CampaignReport {
    let found = super::failure::not_started(failure);
    CampaignReport { failures: vec![found], verdict: CampaignVerdict::Broken, ..report }
}

/// The follower of the campaign, which keeps failures if a directory was given.
struct Keeper {
    regressions: Option<Regressions>,
}

impl Follower for Keeper {
    fn proceed(&mut self, _: u64, _: u64) {}

    fn found(&mut self, failure: &FoundFailure) -> Option<String> {
        let path = self.regressions.as_ref()?.keep(failure).ok()?;
        Some(path.display().to_string())
    }

    fn shrunk(&mut self, failure: &FoundFailure) {
        _ = self.regressions.as_ref().map(|regressions| regressions.keep(failure));
    }

    fn dropped(&mut self, failure: &FoundFailure) {
        _ = failure.file.as_ref().map(std::fs::remove_file);
    }
}
