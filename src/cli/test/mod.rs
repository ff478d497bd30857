//! `mayhap test`: tests a live system against a specification.
//!
//! `mayhap test specs/kv.may --sut 127.0.0.1:7000` ends with 0 (no violation), 1 (a violation), 2 (nothing was tested), 3 (undecided),
//! 4 (the system broke down) or 130 (interrupted).

pub(crate) mod check_adapter;
pub(crate) mod export;
mod paths;
pub(crate) mod replay;
pub(crate) mod reports;
pub(crate) mod stopping;
pub(crate) mod testing_progress;

use super::terminal::exit::Exit;

use super::arguments::testing_arguments::{SutArguments, TestArguments};
use super::terminal::Terminal;
use super::terminal::files;
use super::{failed, load};
use mayhap::generate::CampaignAims;
use mayhap::harness::{
    AFTERWARDS, Campaign, CampaignSettings, Failing, Follower, Judging, Regressions, WaitLimits, not_started,
    starting_scripts_within,
};
use mayhap::json::quoted;
use mayhap::limits::end::WorkEnd;
use mayhap::report::campaign::baseline::Baseline;
use mayhap::report::campaign::{
    CampaignReport, CampaignVerdict, FoundFailure, RegressionOutcome, RegressionRun, SpecText, text,
};
use mayhap::script::{JsonTree, Script, ScriptHeader};
use mayhap::spec::{Spec, Tasks};
use mayhap::sut::{self, PeerAddress, SutAddress, System};
use paths::SampledPaths;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use testing_progress::{TestProgress, say_if_long};

/// The message if no system is given.
pub const NO_SUT: &str =
    "--sut says which system is tested: tcp:HOST:PORT, HOST:PORT, http://HOST:PORT, https://HOST:PORT or stdio:COMMAND";
const NOT_RESET: &str =
    "the system is not reset, and the specification cannot be judged from any state: --start, or --reset, is needed";
/// The time without any output after which a line says what is being done.
const SILENT: Duration = Duration::from_secs(2);

pub fn run(options: &TestArguments, terminal: &mut Terminal) -> Exit {
    // This comes first, so that no signal is missed.
    let (began, stop) = (Instant::now(), stopping::begin());
    let end = WorkEnd::of(&stop);
    let _end = options.time.map_or(end.clone(), |time| end.within(time.saturating_add(AFTERWARDS))).enter();
    let spec = match load::compile_for(Tasks::Either, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let regressions = Regressions::of(&options.regressions);
    let baseline = match baseline(options) {
        Ok(baseline) => baseline,
        Err(why) => return failed(terminal, &why),
    };
    if let Err(why) = regressions.prepare() {
        return failed(terminal, &format!("{}: {why}", options.regressions.display()));
    }
    let read = [options.file.as_path()].into_iter().chain(options.baseline.as_deref()).collect::<Vec<_>>();
    if let Err(why) = reports::check(&options.report, &read) {
        return failed(terminal, &why);
    }
    let Some(address) = &options.system.sut else { return failed(terminal, NO_SUT) };
    let mut system = match sut::open(&spec, address, &options.system.start_options(&stop)) {
        Ok(system) => system,
        Err(failure) => return failed(terminal, &failure.to_string()),
    };
    let judging = match judging(&spec, &options.system) {
        Ok(judging) => judging,
        Err(why) => return failed(terminal, &why),
    };
    if options.check_adapter {
        return check_adapter::run(&judging, &mut *system, &options.system, &stop, terminal);
    }
    let seed = options.seed.unwrap_or_else(drawn_seed);
    let sampled = match SampledPaths::wanted(options, &spec, seed) {
        Ok(sampled) => sampled,
        Err(why) => return failed(terminal, &why),
    };
    let test = LiveTest {
        options,
        sampled: sampled.as_ref(),
        spec: &spec,
        judging: &judging,
        regressions,
        began,
        stop,
        known: baseline.as_ref().map(|baseline| baseline.causes.clone()).unwrap_or_default(),
        seed,
    };
    let mut report = test.report(&mut *system, terminal);
    drop(system);
    report.covered_paths = paths::covered(options, &spec, &report.beginnings);
    if let (Some(sampled), Some(tested)) = (&sampled, &mut report.paths) {
        tested.taken = sampled.taken(&report.beginnings);
    }
    if let Some(baseline) = &baseline {
        baseline.mark(&mut report);
    }
    report.judge_regressions();
    finish(&report, options, baseline, terminal)
}

fn drawn_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The seed is short, so that it can be typed.
    std::collections::hash_map::RandomState::new().build_hasher().finish() % 100_000
}

/// The waits before some of the requests, in seconds. The default for HTTP is one second, in which it counts dates and ages.
fn waits(spec: &Spec, options: &TestArguments) -> Vec<f64> {
    let second = if spec.http.is_some() { vec![1.0] } else { Vec::new() };
    options.waits.as_ref().map_or(second, |waits| waits.iter().map(Duration::as_secs_f64).collect())
}

/// The files of a specification, for the HTML report.
fn texts(spec: &Spec) -> Vec<SpecText> {
    spec.sources.files().map(|(file, text)| SpecText { file: file.to_owned(), text: text.to_owned() }).collect()
}

/// The specification, network and limits of the judge. If the system is not reset, it may be in any state at first. An error is
/// ready to be shown.
pub fn judging(spec: &Arc<Spec>, system: &SutArguments) -> Result<Judging, String> {
    let spec = match system.is_reset() {
        true => spec.clone(),
        false => spec.in_any_state().map_err(|_| NOT_RESET.to_owned())?,
    };
    Ok(Judging::live(&spec, system.net, system.clients.get()))
}

/// A test to be run.
struct LiveTest<'t> {
    options: &'t TestArguments,
    /// The paths that are run instead of drawn requests.
    sampled: Option<&'t SampledPaths>,
    spec: &'t Arc<Spec>,
    judging: &'t Judging,
    regressions: Regressions,
    began: Instant,
    stop: Arc<AtomicBool>,
    known: BTreeSet<String>,
    seed: u64,
}

impl LiveTest<'_> {
    fn report(&self, system: &mut dyn System, terminal: &mut Terminal) -> CampaignReport {
        let options = self.options;
        let judging = self.judging;
        let corpus = if self.sampled.is_some() { Vec::new() } else { self.corpus(terminal) };
        let mut report = CampaignReport {
            spec: self.spec.program.name.clone(),
            file: files::shown(&options.file),
            seed: self.seed,
            clients: options.system.clients.get(),
            net: options.system.net.to_string(),
            corpus: corpus.len() as u64,
            texts: texts(self.spec),
            paths: self.sampled.map(|sampled| sampled.tested.clone()),
            ..CampaignReport::default()
        };
        let shown;
        (report.regressions, shown) = self.regression_runs(judging, system, terminal);
        let settings = CampaignSettings { shown, ..self.settings() };
        let mut follower =
            Keeping { progress: TestProgress::new(options.most_requests()), regressions: &self.regressions, terminal };
        let started = report.clone();
        let made = Campaign::new(judging, &settings, system, &mut follower, report).run(&corpus);
        follower.progress.end();
        made.unwrap_or_else(|failure| {
            let mut found = not_started(&failure);
            found.last_output = system.last_output(None);
            CampaignReport { failures: vec![found], verdict: CampaignVerdict::Broken, ..started }
        })
    }

    fn settings(&self) -> CampaignSettings {
        let options = self.options;
        CampaignSettings {
            clients: options.system.clients.get(),
            requests: options.most_requests(),
            until: options.until,
            time: self.time_left(),
            steps: options.steps.get(),
            max_failures: Some(options.max_failures),
            seed: self.seed,
            deadline: options.system.deadline,
            crash: options.crash,
            waits: waits(self.spec, options),
            pipelines: options.pipeline || !matches!(options.system.sut, Some(SutAddress::Http(_))),
            rate: options.rate,
            shrink_time: options.shrink_time,
            weights: options.generate,
            largest: options.largest,
            known: self.known.clone(),
            paths: self.sampled.map(|sampled| sampled.scripts.clone()).unwrap_or_default(),
            beginning: self.sampled.map_or(paths::FIRST_REQUESTS, |_| options.sample_requests.get()),
            shown: Vec::new(),
            aims: CampaignAims::default(),
            header: header(self.spec, options),
            replay_options: Some(options.system.again.clone()),
            stop: self.stop.clone(),
        }
    }

    /// The first scripts, which take a part of the time at most. If it takes a while to find them, a line says so.
    fn corpus(&self, terminal: &mut Terminal) -> Vec<Script> {
        terminal.flush();
        let _said = say_if_long(SILENT, "looking for requests that reach each branch of the specification\n");
        starting_scripts_within(self.spec, self.seed, self.options.time)
    }

    /// The time that is left of the test.
    fn time_left(&self) -> Option<Duration> {
        self.options.time.map(|time| time.saturating_sub(self.began.elapsed()))
    }

    /// Runs the regressions, as long as there is time, and returns the failures that they show, too.
    fn regression_runs(
        &self,
        judging: &Judging,
        system: &mut dyn System,
        terminal: &mut Terminal,
    ) -> (Vec<RegressionRun>, Vec<Failing>) {
        let deadline = self.options.system.deadline;
        let until = self.options.time.and_then(|time| self.began.checked_add(time));
        let patience = WaitLimits { deadline, silence: deadline, stop: &self.stop, until };
        let clients = self.options.system.clients.get();
        let kept = self.regressions.run(judging, self.spec, system, clients, patience);
        kept.unread.iter().for_each(|why| terminal.complain(&format!("error: {why}\n")));
        (kept.runs, kept.shown)
    }
}

/// The header of the scripts of a test. It also names the file of the specification, and says how the system was started: for
/// people, as `mayhap replay` runs no command that only stands in a script.
fn header(spec: &Spec, options: &TestArguments) -> ScriptHeader {
    // Most constants are written as in JSON.
    let json = |value: &str| JsonTree::read(value).map_or_else(|_| quoted(value), |_| value.to_owned());
    let set = options.selection.constants.iter().map(|constant| (constant.name.clone(), json(&constant.value)));
    let SutArguments { sut, start, ready, reset, peers, profile, .. } = &options.system;
    let shown = |text: &dyn ToString| quoted(&text.to_string());
    let other = [
        ("file", Some(quoted(&options.file.display().to_string()))),
        ("profile", profile.as_ref().map(|profile| quoted(profile))),
        ("sut", sut.as_ref().map(|sut| shown(sut))),
        ("start", start.as_ref().map(|start| shown(start))),
        ("ready", ready.as_ref().map(|ready| shown(ready))),
        ("reset", reset.as_ref().map(|reset| shown(reset))),
        // It has the form of the first line of a recording, as `mayhap validate` judges scripts, too.
        ("state", (!options.system.is_reset()).then(|| quoted("any"))),
        ("peers", Some(peers).filter(|peers| !peers.is_empty()).map(|peers| quoted(&listed(peers)))),
    ];
    let other = other.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    ScriptHeader { spec: spec.program.name.clone(), set: set.collect(), other, ..ScriptHeader::default() }
}

/// The addresses of peers, one on each line.
fn listed(peers: &[PeerAddress]) -> String {
    peers.iter().map(PeerAddress::to_string).collect::<Vec<_>>().join("\n")
}

/// The follower of a campaign, which keeps failures, and shows the progress.
struct Keeping<'k> {
    progress: TestProgress,
    regressions: &'k Regressions,
    terminal: &'k mut Terminal,
}

impl Keeping<'_> {
    fn keep(&mut self, failure: &FoundFailure) -> Option<String> {
        match self.regressions.keep(failure) {
            Ok(path) => Some(path.display().to_string()),
            Err(why) => {
                self.terminal.complain(&format!("warning: the script of a failure could not be written: {why}\n"));
                None
            }
        }
    }
}

impl Follower for Keeping<'_> {
    fn proceed(&mut self, requests: u64, runs: u64) {
        self.progress.show(requests, runs);
    }

    fn found(&mut self, failure: &FoundFailure) -> Option<String> {
        let file = self.keep(failure);
        let at = file.as_deref().unwrap_or("(not written)");
        let said = format!(
            "{} after {} requests: {}; its script, to be shrunk: {at}\n",
            failure.kind.word(),
            failure.requests_to_find,
            failure.cause
        );
        self.progress.pause(|| self.terminal.complain(&said));
        file
    }

    fn shrunk(&mut self, failure: &FoundFailure) {
        self.keep(failure);
    }

    fn dropped(&mut self, failure: &FoundFailure) {
        let removed = failure.file.as_ref().map(std::fs::remove_file);
        if let Some(Ok(())) = removed {
            self.progress.pause(|| self.terminal.complain("made smaller, that is a failure that is known\n"));
        }
    }
}

/// The known causes, if a baseline was given.
fn baseline(options: &TestArguments) -> Result<Option<Baseline>, String> {
    let Some(path) = &options.baseline else { return Ok(None) };
    if options.baseline_update && !path.exists() {
        return Ok(Some(Baseline::default()));
    }
    let text = files::read_text(path)?;
    Baseline::read(&text).map(Some).map_err(|why| format!("{}: {why}", files::shown(path)))
}

/// Writes the reports, and prints how the test ended.
fn finish(
    report: &CampaignReport,
    options: &TestArguments,
    baseline: Option<Baseline>,
    terminal: &mut Terminal,
) -> Exit {
    terminal.print(&text::text(report));
    let rate = report.requests as f64 / report.seconds.max(1e-9);
    terminal.complain(&format!("{:.1} s, {rate:.0} requests/s\n", report.seconds));
    reports::annotate(report, terminal);
    let mut exit = exit(report).worst(reports::write(report, &options.report, terminal));
    if let (true, Some(baseline), Some(path)) = (options.baseline_update, baseline, &options.baseline)
        && let Err(cause) = std::fs::write(path, baseline.with(report).write())
    {
        exit = exit.worst(failed(terminal, &files::unwritable(path, &cause)));
    }
    exit
}

fn exit(report: &CampaignReport) -> Exit {
    let of_regression = |run: &RegressionRun| match &run.outcome {
        RegressionOutcome::Fails(..) if run.known => Exit::Fine,
        RegressionOutcome::Pass => Exit::Fine,
        RegressionOutcome::Fails(..) | RegressionOutcome::Otherwise(_) => Exit::Rejected,
        RegressionOutcome::Outside(_) => Exit::Failed,
        RegressionOutcome::Undecided(_) => Exit::Inconclusive,
        // A script that could be read has a cause, so the system failed.
        RegressionOutcome::Error(_) if run.cause.is_empty() => Exit::Failed,
        RegressionOutcome::Error(_) => Exit::SystemFailed,
    };
    let own = match report.verdict {
        CampaignVerdict::Pass => Exit::Fine,
        CampaignVerdict::Violation => Exit::Rejected,
        CampaignVerdict::Broken => Exit::SystemFailed,
        CampaignVerdict::Untested => Exit::Failed,
        CampaignVerdict::Unknown => Exit::Inconclusive,
        CampaignVerdict::Interrupted => Exit::Interrupted,
    };
    report.regressions.iter().map(of_regression).fold(own, Exit::worst)
}
