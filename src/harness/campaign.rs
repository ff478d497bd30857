//! A campaign: runs against a live system until the budget is used up or enough failures were found. Each failure is shrunk and
//! kept.
//!
//! The campaign begins with the corpus of the specification, and goes on with generated requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::choice::{ChoiceError, Choices, Random};
use crate::generate::{CampaignAims, EventSettings, GenerateSettings, Generator, LARGEST, RunEvents, SourceWeights};
use crate::http::why_unsent;
use crate::limits::end::{self, WorkEnd};
use crate::network::NetworkChoice;
use crate::report::campaign::baseline::{is_same_cause, parts};
use crate::report::campaign::shell;
use crate::report::campaign::text::INTERRUPTED;
use crate::report::campaign::{CampaignReport, FoundFailure};
use crate::script::{Plan, Script, ScriptHeader};
use crate::shrink::{self, ShrinkBudget, ShrunkScript};
use crate::sut::{SutFailure, System};

use super::causes::{Causes, SeenAgain};
use super::counted::{CountedAnswers, refused};
use super::covered::CoveredRuns;
use super::failure::{Failing, not_started};
use super::found::{found, verdict};
use super::run::{Judging, LiveRun, RunState};
use super::trial::LiveTrial;
use super::waves::{LiveEventKind, WaitLimits};

/// One run in so many begins with a script of the corpus, and one wave in so many is one: rare branches are near from there.
const RUNS_OF_SCRIPTS: usize = 2;
const WAVES_OF_SCRIPTS: usize = 8;

/// The settings of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignSettings {
    /// The number of clients.
    pub clients: u64,
    /// The number of requests of all runs together.
    pub requests: u64,
    /// The time of the test, with shrinking; `None` if it is not limited.
    pub time: Option<Duration>,
    /// The number of times that each branch is to be taken, if the campaign ends as soon as this is so.
    pub until: Option<u64>,
    /// The most requests of one run.
    pub steps: u64,
    /// The number of causes after which the campaign ends; `None` if it does not end early.
    pub max_failures: Option<usize>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The time within which an answer must come.
    pub deadline: Duration,
    /// The share of requests before which the system is killed and started again.
    pub crash: f64,
    /// The waits before some of the requests, in seconds. Each wait is made a little shorter or longer.
    pub waits: Vec<f64>,
    /// True if a client may send a request before its earlier ones are answered.
    pub pipelines: bool,
    /// The most requests in a second; `None` if they are not limited.
    pub rate: Option<f64>,
    /// The most time for shrinking one failure.
    pub shrink_time: Duration,
    /// The factors of the weights of the sources of values.
    pub weights: SourceWeights,
    /// The most characters of a long text that is drawn.
    pub largest: usize,
    /// The known causes, which do not count.
    pub known: BTreeSet<String>,
    /// The paths that are run. If there are any, the campaign runs each once, and draws no requests.
    pub paths: Vec<Script>,
    /// The number of first requests of each run that the report keeps.
    pub beginning: usize,
    /// The failures of regressions. Their causes are not shrunk and reported again.
    pub shown: Vec<Failing>,
    /// The aims of the campaign's requests; an aim is switched off only to measure its gain.
    pub aims: CampaignAims,
    /// The header of the scripts that are written.
    pub header: ScriptHeader,
    /// The options with which the command runs a script again, as they are typed; `None` if the command cannot run the system.
    pub replay_options: Option<String>,
    /// Set when somebody asks for the end.
    pub stop: Arc<AtomicBool>,
}

impl Default for CampaignSettings {
    fn default() -> CampaignSettings {
        CampaignSettings {
            clients: 3,
            requests: 10_000,
            time: None,
            until: None,
            steps: 200,
            max_failures: Some(1),
            seed: 0,
            deadline: Duration::from_secs(10),
            crash: 0.0,
            waits: Vec::new(),
            pipelines: true,
            rate: None,
            shrink_time: Duration::from_secs(30),
            weights: SourceWeights::default(),
            largest: LARGEST,
            known: BTreeSet::new(),
            paths: Vec::new(),
            beginning: 0,
            shown: Vec::new(),
            aims: CampaignAims::default(),
            header: ScriptHeader::default(),
            replay_options: None,
            stop: Arc::default(),
        }
    }
}

impl CampaignSettings {
    /// Tests whether a client sends a request before its earlier ones are answered. Clients of a system that calls peers do not: a
    /// request that is lost after another one may make calls at any later time, which is hard to judge.
    fn may_pipeline(&self, judging: &Judging) -> bool {
        self.pipelines && !judging.net.is_sync() && judging.spec.program.peers.is_empty()
    }
}

/// The receiver of the progress and the failures of a campaign.
pub trait Follower {
    /// Receives the numbers of requests and runs so far.
    fn proceed(&mut self, requests: u64, runs: u64);
    /// Keeps a failure before it is shrunk, and returns the path of its file.
    fn found(&mut self, failure: &FoundFailure) -> Option<String>;
    /// Keeps a failure after it was shrunk, in the same file.
    fn shrunk(&mut self, failure: &FoundFailure);
    /// Forgets a failure, as shrinking has shown that it is a known one.
    fn dropped(&mut self, failure: &FoundFailure);
}

/// The time after that of a test within which what was observed is judged.
pub const AFTERWARDS: Duration = Duration::from_millis(300);
/// The number of seeds for the answers of peers; each run draws one.
const SEEDS: usize = 1 << 16;
/// The silence after which a request that is owed no answer counts as unanswered.
const SILENCE: Duration = Duration::from_millis(300);
/// The most requests that one client has under way, if it may have several.
const DEPTH: usize = 4;
/// The campaign ends after this number of waves in a row if no request of any of them counts.
const IN_VAIN: u32 = 1_000;
/// The time for judging a wave after which a run with several clients ends, as more observations can be explained in more ways.
const SLOW: Duration = Duration::from_millis(50);
/// The time for judging a wave after which such a run ends even if it has only a few requests.
const VERY_SLOW: Duration = Duration::from_millis(200);
/// A campaign that goes on until all branches were taken ends after this number of requests if none of them took a branch that was
/// taken less often than is wanted.
const NOTHING_NEW: u64 = 10_000;
/// The most runs whose first exchanges are kept for the report.
const BEGINNINGS: usize = 10_000;

/// A campaign against a system.
pub struct Campaign<'c> {
    judging: &'c Judging,
    settings: &'c CampaignSettings,
    system: &'c mut dyn System,
    follower: &'c mut dyn Follower,
    choices: Random,
    generator: Generator,
    events: RunEvents,
    covered: CoveredRuns,
    /// The number of requests up to the last run that took a branch that was taken seldom before.
    last_new: u64,
    report: CampaignReport,
    started: Instant,
    causes: Causes<'c>,
    undecided: Vec<UndecidedRuns>,
    /// The number of waves in a row of which no request counts: all were refused, or none was sent.
    in_vain: u32,
    /// Set if the system refused a request of one of these waves.
    is_refused: bool,
    answers: CountedAnswers,
    /// Set after some request was answered.
    is_answered: bool,
    /// The scripts of the corpus.
    corpus: Vec<Plan>,
    /// The number of paths that were run.
    paths_run: usize,
}

/// The runs that were undecided for the same reason.
struct UndecidedRuns {
    why: String,
    runs: Vec<u64>,
}

impl fmt::Display for UndecidedRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.runs.as_slice() {
            [first, others @ ..] if !others.is_empty() => {
                write!(f, "run {first} and {} more: {}", others.len(), self.why)
            }
            runs => write!(f, "run {}: {}", runs.first().copied().unwrap_or_default(), self.why),
        }
    }
}

/// The reason why a run ended.
enum RunOver {
    /// The run has enough requests.
    Full,
    /// The campaign ends.
    Stop,
}

impl<'c> Campaign<'c> {
    /// A campaign that has not begun. `report` has what is known before it.
    #[must_use]
    pub fn new(
        judging: &'c Judging,
        settings: &'c CampaignSettings,
        system: &'c mut dyn System,
        follower: &'c mut dyn Follower,
        report: CampaignReport,
    ) -> Campaign<'c> {
        let CampaignSettings { clients, weights, largest, aims, .. } = *settings;
        let depth = if settings.may_pipeline(judging) { DEPTH } else { 1 };
        let generate = GenerateSettings { clients, depth, weights, largest, aims };
        Campaign {
            judging,
            settings,
            system,
            follower,
            choices: Random::new(settings.seed),
            generator: Generator::new(&judging.spec, generate),
            events: RunEvents::new(EventSettings { crash: settings.crash, waits: settings.waits.clone(), clients }),
            covered: CoveredRuns::new(&judging.spec, settings.until.unwrap_or_default()),
            last_new: 0,
            report,
            started: Instant::now(),
            causes: Causes::of(judging, &settings.shown),
            undecided: Vec::new(),
            in_vain: 0,
            is_refused: false,
            answers: CountedAnswers::default(),
            is_answered: false,
            corpus: Vec::new(),
            paths_run: 0,
        }
    }

    /// Runs the campaign to its end.
    ///
    /// # Errors
    /// The system could not be started for the first run. If it cannot be started for a later one, this is a failure in the
    /// report.
    pub fn run(mut self, corpus: &[Script]) -> Result<CampaignReport, SutFailure> {
        let end = WorkEnd::of(&self.settings.stop);
        let _end = self.settings.time.map_or(end.clone(), |time| end.within(time.saturating_add(AFTERWARDS))).enter();
        let corpus = if self.settings.aims.corpus { corpus } else { &[] };
        self.report.corpus = corpus.len() as u64;
        self.corpus = corpus.iter().map(Script::plan).collect();
        while !self.is_over() {
            let first = match self.report.runs {
                _ if self.is_of_paths() => vec![self.settings.paths[self.paths_run].plan()],
                0 => self.corpus.clone(),
                _ => self.script_of_corpus(RUNS_OF_SCRIPTS).map_err(drawn)?.into_iter().collect(),
            };
            match self.one_run(first) {
                Ok(RunOver::Full) => self.paths_run += 1,
                Ok(RunOver::Stop) => break,
                Err(_) if self.patience().is_over() => break,
                Err(failure) if self.report.runs == 0 => return Err(failure),
                Err(failure) => {
                    // Failures that were found earlier are kept.
                    let found = FoundFailure {
                        last_output: self.system.last_output(None),
                        requests_to_find: self.report.requests,
                        run: self.report.runs,
                        ..not_started(&failure)
                    };
                    _ = self.report_failure(found);
                    break;
                }
            }
        }
        Ok(self.reported())
    }

    /// Tests whether the campaign runs paths, and draws no requests.
    fn is_of_paths(&self) -> bool {
        !self.settings.paths.is_empty()
    }

    /// A script of the corpus for one client, which is drawn once in `one_in` times.
    fn script_of_corpus(&mut self, one_in: usize) -> Result<Option<Plan>, ChoiceError> {
        if self.corpus.is_empty() || self.choices.choose("script of the corpus", one_in)? > 0 {
            return Ok(None);
        }
        let mut plan = self.corpus[self.choices.choose("script", self.corpus.len())?].clone();
        let client = 1 + self.choices.choose("client", self.settings.clients.max(1) as usize)? as u64;
        plan.asks.iter_mut().for_each(|ask| ask.client = client);
        Ok(Some(plan))
    }

    /// The plan of the next wave: the next of the first plans, a script of the corpus, or generated requests.
    fn next_plan(&mut self, run: &mut LiveRun, first: Option<Plan>) -> Result<Plan, ChoiceError> {
        let label = run.next_label();
        let ages = self.events.begin_wait(first.is_none(), &mut self.choices)?;
        if ages {
            self.generator.age(&mut self.choices)?;
        }
        let known = match first {
            None if self.events.is_waiting() => None,
            None => self.script_of_corpus(WAVES_OF_SCRIPTS)?,
            first => first,
        };
        match known {
            Some(plan) => Ok(plan.moved(label, self.settings.clients)),
            None => self.generator.wave_for(run.session(), label, &mut self.choices),
        }
    }

    fn is_over(&self) -> bool {
        let is_late = self.settings.time.is_some_and(|time| self.started.elapsed() >= time);
        let is_enough = self.settings.max_failures.is_some_and(|most| most > 0 && self.new_failures() >= most);
        let is_over = self.report.requests >= self.settings.requests || self.in_vain >= IN_VAIN;
        let is_over = is_over || self.is_of_paths() && self.paths_run >= self.settings.paths.len();
        is_over || is_late || is_enough || self.is_stopped() || self.is_covered() || self.finds_nothing_new()
    }

    /// Tests whether every branch was taken as often as is wanted, if the campaign goes on until then.
    fn is_covered(&self) -> bool {
        self.settings.until.is_some_and(|wanted| matches!(self.covered.open(wanted), (0, all) if all > 0))
    }

    /// Tests whether the last requests took no branch that is wanted, if the campaign goes on until all were taken.
    fn finds_nothing_new(&self) -> bool {
        self.settings.until.is_some() && self.report.requests - self.last_new >= NOTHING_NEW
    }

    /// The reason why a campaign that goes on until all branches were taken has ended.
    fn why_ended(&self, wanted: u64) -> String {
        let is_late = self.settings.time.is_some_and(|time| self.started.elapsed() >= time);
        let why = match self.covered.open(wanted) {
            (0, all) if all > 0 => return "every branch was taken so often".to_owned(),
            _ if self.is_stopped() => INTERRUPTED.to_owned(),
            _ if is_late => "the time is over".to_owned(),
            _ if self.report.requests >= self.settings.requests => "all requests were sent".to_owned(),
            _ if self.finds_nothing_new() => {
                format!("{NOTHING_NEW} requests in a row took none of those that are left")
            }
            _ => "the test ended early".to_owned(),
        };
        let (open, all) = self.covered.open(wanted);
        format!("{open} of {all} branches were not taken so often, but {why}")
    }

    /// The number of failures with new causes.
    fn new_failures(&self) -> usize {
        self.report.failures.iter().filter(|failure| !failure.known).count()
    }

    /// The number of requests of this run. Most runs are short, as each draws its own bounds. Longer runs come again and again:
    /// an eighth of the longest, a quarter, an eighth, a half, and so on.
    fn length(&self) -> u64 {
        (self.shortest() << self.report.runs.trailing_zeros().min(3)).min(self.settings.steps)
    }

    /// The number of requests of a short run.
    fn shortest(&self) -> u64 {
        self.settings.steps.div_ceil(8)
    }

    fn is_stopped(&self) -> bool {
        self.settings.stop.load(Ordering::Relaxed)
    }

    /// Makes one run, which begins with these plans.
    fn one_run(&mut self, first: Vec<Plan>) -> Result<RunOver, SutFailure> {
        let mut run = LiveRun::begin(self.judging, self.settings.clients, self.system)?;
        if !self.judging.spec.program.peers.is_empty() {
            run = run.with_peers(self.choices.choose("answers of peers", SEEDS).map_err(drawn)? as u64);
        }
        self.report.runs += 1;
        self.generator.begin_run(&mut self.choices).map_err(drawn)?;
        let can_leave = self.judging.may_be_left() && self.system.can_leave();
        self.events.begin_run(can_leave, &mut self.choices).map_err(drawn)?;
        let mut first = first.into_iter();
        let (before, length) = (self.report.requests, self.length());
        let state = loop {
            let plan = self.next_plan(&mut run, first.next()).map_err(drawn)?;
            let plan = if self.judging.net.is_sync() { plan.one_after_another() } else { plan };
            let cut = self.cut(plan);
            let plan = match self.is_of_paths() {
                true => cut.one_after_another(),
                false => self.events.around(cut, &mut self.choices).map_err(drawn)?,
            };
            let seen = run.events().len();
            let patience = self.patience();
            let state = run.perform(&plan, self.system, patience);
            // A run is over if judging it event by event was too hard.
            self.generator.judged(plan.asks.len(), run.judged_in(), !run.is_over());
            self.learn(&run, seen);
            let made = before + run.requests();
            let is_sent = !plan.asks.is_empty() && !matches!(state, RunState::Outside(_));
            (self.in_vain, self.is_refused) = match made == self.report.requests {
                true => (self.in_vain + 1, self.is_refused || is_sent),
                false => (0, false),
            };
            self.report.requests = made;
            self.follower.proceed(self.report.requests, self.report.runs);
            let is_long = run.requests() >= self.shortest() || run.judged_in() > VERY_SLOW;
            let is_slow = self.settings.clients > 1 && run.judged_in() > SLOW && is_long;
            let may_end = first.len() == 0 && !self.events.is_waiting();
            let is_enough = run.requests() >= length || is_slow || self.is_of_paths();
            let is_full = is_enough && may_end || run.is_over();
            if self.in_vain == IN_VAIN {
                self.note_undecided(match self.is_refused {
                    true => in_vain(&run),
                    false => "no request was found that keeps the client's duty".to_owned(),
                });
                break run.settle();
            }
            match state {
                RunState::Explained | RunState::Outside(_) if !(is_full || self.is_over()) => self.keep_rate(),
                RunState::Undecided(why) => {
                    self.note_undecided(why);
                    if is_full || self.is_over() {
                        break run.settle();
                    }
                }
                RunState::Explained | RunState::Outside(_) => break run.settle(),
                state => break state,
            }
        };
        self.end(run, state)
    }

    fn end(&mut self, mut run: LiveRun, mut state: RunState) -> Result<RunOver, SutFailure> {
        if let RunState::Explained = state {
            let patience = self.patience();
            state = run.await_calls(self.system, patience);
        }
        let state = match state {
            RunState::Explained => run.check_silence(self.system),
            state => state,
        };
        if self.covered.add(&run, self.report.runs) {
            self.last_new = self.report.requests;
        }
        self.answers.add(&self.judging.spec, run.events());
        if self.settings.beginning > 0 && self.report.beginnings.len() < BEGINNINGS {
            self.report.beginnings.extend(run.first_exchanges(self.settings.beginning));
        }
        if let RunState::Interrupted = state {
            return Ok(RunOver::Stop);
        }
        if let RunState::Violated(event) = state
            && self.causes.has_violated(&run, event)
        {
            return Ok(RunOver::Full);
        }
        if let Some(failing) = Failing::of_run(&mut run, &state, self.system, &self.settings.header) {
            drop(run);
            self.take_up(failing);
        } else if let RunState::Undecided(why) = state {
            self.note_undecided(why);
        }
        Ok(RunOver::Full)
    }

    fn patience(&self) -> WaitLimits<'c> {
        let settings = self.settings;
        let until = settings.time.and_then(|time| self.started.checked_add(time));
        WaitLimits { deadline: settings.deadline, silence: SILENCE.min(settings.deadline), stop: &settings.stop, until }
    }

    /// The first requests of a plan, as many as the campaign may still send.
    fn cut(&self, mut plan: Plan) -> Plan {
        let left = self.settings.requests.saturating_sub(self.report.requests);
        plan.asks.truncate(usize::try_from(left).unwrap_or(usize::MAX).max(1));
        plan
    }

    /// Shows the generator what was observed, in the order of the labels, as the order in which answers came is random.
    fn learn(&mut self, run: &LiveRun, from: usize) {
        let mut events: BTreeMap<u64, Vec<&super::LiveEvent>> = BTreeMap::new();
        for event in &run.events()[from..] {
            events.entry(event.label).or_default().push(event);
        }
        for event in events.values().flatten() {
            match &event.kind {
                LiveEventKind::Sent(request) => self.generator.sent(&request.value),
                LiveEventKind::Answered(answer) => {
                    self.is_answered = true;
                    self.generator.answered(event.label, answer);
                }
                LiveEventKind::Lost | LiveEventKind::Closed | LiveEventKind::Left => {}
                LiveEventKind::Restarted | LiveEventKind::Peer(_) => {}
            }
        }
    }

    fn keep_rate(&self) {
        let Some(rate) = self.settings.rate else { return };
        let due = Duration::from_secs_f64(self.report.requests as f64 / rate.max(f64::MIN_POSITIVE));
        self.patience().sleep(self.started + due);
    }

    fn note_undecided(&mut self, why: String) {
        if end::is_over() {
            return;
        }
        let run = self.report.runs;
        match self.undecided.iter_mut().find(|noted| noted.why == why) {
            Some(noted) => noted.runs.extend((noted.runs.last() != Some(&run)).then_some(run)),
            None => self.undecided.push(UndecidedRuns { why, runs: vec![run] }),
        }
    }

    /// Adds a failure to the report, and returns its number there.
    fn report_failure(&mut self, failure: FoundFailure) -> usize {
        let again = failure.file.as_ref().zip(self.settings.replay_options.as_ref());
        let again = again.map(|(file, options)| shell::replay(file, options));
        let known = self.is_in_baseline(&failure.cause);
        self.report.failures.push(FoundFailure { known, again, ..failure });
        self.report.failures.len() - 1
    }

    fn is_in_baseline(&self, cause: &str) -> bool {
        self.settings.known.iter().any(|known| is_same_cause(known, cause))
    }

    /// Tests whether the cause of a failure is known, and notes that it was seen with this request and answer.
    fn is_old(&mut self, failing: &Failing) -> bool {
        let Some(SeenAgain { reported, name }) = self.causes.find(failing) else { return false };
        let is_known = self.is_in_baseline(&name);
        if let Some(failure) = reported.and_then(|at| self.report.failures.get_mut(at)) {
            failure.known |= is_known;
            if parts(&failure.cause).1 != name && !failure.also.contains(&name) {
                failure.also.push(name);
            }
        }
        true
    }

    /// Reports a new failure: keeps it, shrinks it, and keeps the result.
    fn take_up(&mut self, failing: Failing) {
        if self.is_old(&failing) {
            return;
        }
        let mut failure = found(self.judging, &failing, &unshrunk(&failing), &self.report);
        if failing.script.requests() == 0 {
            let number = self.report_failure(failure);
            self.causes.add(failing, Some(number));
            return;
        }
        failure.file = self.follower.found(&failure);
        let (mut last, mut others) = (None, Vec::new());
        if let Some((shown, mut shrunk, also_found)) = self.shrunk(&failing) {
            if self.is_old(&shown) {
                self.follower.dropped(&failure);
                self.causes.add(failing, None);
                return;
            }
            let file = failure.file.take();
            // The failure keeps its first name, without the optional parts of the request that are not needed.
            let named = Failing { options: shown.options.clone(), ..failing.clone() };
            shrunk.script.header.cause = Some(named.cause());
            failure = FoundFailure { file, ..found(self.judging, &shown, &shrunk, &self.report) };
            failure.original_requests = failing.script.requests();
            self.follower.shrunk(&failure);
            (last, others) = (Some(shown), also_found);
        }
        let number = self.report_failure(failure);
        last.into_iter().chain([failing]).for_each(|failing| self.causes.add(failing, Some(number)));
        for other in others {
            self.take_up_unshrunk(other);
        }
    }

    /// Reports a new failure that was found while another one was shrunk.
    fn take_up_unshrunk(&mut self, failing: Failing) {
        let is_wanted = self.settings.max_failures.is_none_or(|most| most == 0 || self.new_failures() < most);
        if is_wanted && !self.is_old(&failing) {
            let mut failure = found(self.judging, &failing, &unshrunk(&failing), &self.report);
            failure.file = self.follower.found(&failure);
            let number = self.report_failure(failure);
            self.causes.add(failing, Some(number));
        }
    }

    fn shrunk(&mut self, failing: &Failing) -> Option<(Failing, ShrunkScript, Vec<Failing>)> {
        let left = self.settings.time.map(|time| time.saturating_sub(self.started.elapsed()));
        let time = self.settings.shrink_time.min(left.unwrap_or(Duration::MAX));
        if time.is_zero() || self.is_stopped() {
            return None;
        }
        let end = end::within(time);
        let patience = self.patience();
        let mut trial = LiveTrial {
            judging: self.judging,
            clients: self.settings.clients,
            pipelines: self.settings.may_pipeline(self.judging),
            system: self.system,
            patience,
            failing,
            causes: &self.causes,
            last: None,
            is_known: false,
            others: Vec::new(),
        };
        let budget = ShrinkBudget::default();
        let shrunk =
            shrink::shrink(&self.judging.spec, &failing.script, &failing.reason, &failing.cause(), &mut trial, budget);
        drop(end);
        // The last failing run may have been a run of another script.
        let shown = Some(&shrunk.script).filter(|_| !trial.is_known);
        let shown = shown.and_then(|script| Failing::recorded(self.judging, script));
        let shown = shown.filter(|shown| failing.is_shown_by(shown));
        let last = shown.or(trial.last).unwrap_or_else(|| failing.clone());
        Some((last, shrunk, trial.others))
    }

    fn reported(self) -> CampaignReport {
        let (is_stopped, is_answered) = (self.is_stopped(), self.is_answered);
        let until = self.settings.until.map(|wanted| format!("covered={wanted}: {}", self.why_ended(wanted)));
        let Campaign { mut report, undecided, covered, started, judging, answers, paths_run, .. } = self;
        let coverage = &covered.coverage;
        report.until = until;
        report.answers = answers.reported(&judging.spec, coverage);
        report.refusals = refused(&report.answers);
        report.undecided = undecided.iter().map(UndecidedRuns::to_string).collect();
        report.coverage = covered.reported(&judging.spec);
        let sharpness = coverage.sharpness();
        report.sharpness = (sharpness.looked_at > 0).then(|| sharpness.forced as f64 / sharpness.looked_at as f64);
        report.seconds = started.elapsed().as_secs_f64();
        // Messages that overtake each other leave answers open, though each of them was tested.
        let is_ordered = judging.net == NetworkChoice::TCP || judging.net.is_sync();
        let is_over_network = !is_ordered || !coverage.notes_requests();
        let is_shaped = is_over_network || sharpness.looked_at == 0 || sharpness.shaped > 0;
        // An answer with an unknown status, or with content of another type, has the wrong form, so at least the form was tested.
        report.only_form = is_answered && !is_shaped && judging.spec.http.is_some();
        let is_tested = is_answered && is_shaped || report.only_form;
        report.stopped = is_stopped.then(|| INTERRUPTED.to_owned());
        if let Some(paths) = &mut report.paths {
            paths.run = paths_run as u64;
        }
        report.verdict = verdict(&report, is_stopped, is_tested);
        report
    }
}

/// A failure as it was found, without shrinking.
fn unshrunk(failing: &Failing) -> ShrunkScript {
    let script = failing.script.clone();
    ShrunkScript { script, runs: 0, fails: (1, 1), others: Vec::new(), minimal: false, stopped: None }
}

/// The reason why a test ends in which no request of many waves took effect.
fn in_vain(run: &LiveRun) -> String {
    let spec = &run.judging().spec;
    match run.unsent() {
        Some(request) if !run.has_refused() => {
            let why = why_unsent(spec, request);
            format!("no request of {IN_VAIN} waves could be sent; the first one: {why}")
        }
        Some(_) => format!("the system refused all requests of {IN_VAIN} waves that could be sent"),
        None => format!("the system refused all requests of {IN_VAIN} waves"),
    }
}

/// The failure that nothing could be drawn, which does not happen with seeds.
fn drawn(error: ChoiceError) -> SutFailure {
    SutFailure::new(crate::sut::SutFailureKind::Adapter, error.to_string())
}
