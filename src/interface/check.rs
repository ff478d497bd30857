//! Checking an interface: `mayhap::check_interface::<Set>().values(0..8_u8).run()`.

use std::fmt;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::InterfaceFinding;
use super::concurrent::ConcurrentCheck;
use super::declared::Interface;
use super::literal::Literals;
use super::programs::CallCounts;
use super::work::{CheckWork, InterfaceFailure, MakeLiterals, WatchedCheck};
use crate::choice::{counted, token};
use crate::report::campaign::{CampaignVerdict, text};

/// The number of calls unless another one is given.
const CALLS: u64 = 100_000;
/// The time for one call.
const CALL: Duration = Duration::from_secs(5);
/// The result of checking an interface.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InterfaceReport {
    /// The name of the interface.
    pub name: String,
    /// The seed.
    pub seed: u64,
    /// The number of programs.
    pub programs: u64,
    /// The number of calls that were made.
    pub calls: u64,
    /// The number of calls whose precondition does not hold, which were not made.
    pub refused: u64,
    /// The number of calls that were too hard to judge by the specification.
    pub undecided: u64,
    /// The functions that were never called: there was no value for a parameter, or a precondition never held.
    pub never: Vec<String>,
    /// The most calls of a program, if all programs up to this size were run.
    pub size: Option<usize>,
    /// The failure, if there is one.
    pub failure: Option<InterfaceFailure>,
}

impl fmt::Display for InterfaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InterfaceReport { name, seed, programs, calls, refused, undecided, never, size, failure } = self;
        let (programs, calls) = (counted(*programs, "program"), counted(*calls, "call"));
        let some = |number: u64, what: &str| if number > 0 { format!(", {number} {what}") } else { String::new() };
        let refused =
            some(*refused, "more not made as a precondition does not hold") + &some(*undecided, "too hard to judge");
        let never = if never.is_empty() { String::new() } else { format!("; never called: {}", never.join(", ")) };
        let Some(failure) = failure else {
            return match size {
                Some(size) => write!(
                    f,
                    "{name}: all {programs} of at most {} pass, {calls}{refused}{never}",
                    counted(*size as u64, "call")
                ),
                None => write!(f, "{name}, seed {seed}: {calls} in {programs}{refused}: nothing failed{never}"),
            };
        };
        match &failure.finding {
            InterfaceFinding::Law { law, why } if why.is_empty() => {
                writeln!(f, "{name}: the law `{law}` does not hold")?
            }
            InterfaceFinding::Law { law, why } => writeln!(f, "{name}: the law `{law}` does not hold: {why}")?,
            InterfaceFinding::Differs { returned, model } => {
                writeln!(f, "{name}: a call returned {returned}, and the model {model}")?
            }
            InterfaceFinding::Rejected { request, answer, why } => {
                writeln!(f, "{name}: no server that follows the specification answers {answer} to {request} then")?;
                why.lines().try_for_each(|line| writeln!(f, "  {line}"))?;
            }
            InterfaceFinding::Panic { message, place } => writeln!(f, "{name}: a call panicked at {place}: {message}")?,
            InterfaceFinding::Endless => writeln!(f, "{name}: a call did not come back")?,
            InterfaceFinding::Race { report } => return write!(f, "{name}: calls from several threads\n{report}"),
        }
        writeln!(f, "after {calls} in {programs}{refused}; shrunk to {}:\n", counted(failure.calls as u64, "call"))?;
        for line in failure.program.lines() {
            writeln!(f, "    {line}")?;
        }
        match &*failure.token {
            "" => write!(f, "\nagain: MAYHAP_SEED={seed}"),
            token => write!(f, "\nagain: .replay(\"{token}\"), or MAYHAP_SEED={seed}"),
        }
    }
}

/// The settings of a check, which [`InterfaceTest::run`] runs.
#[must_use]
pub struct InterfaceTest<I> {
    literals: Vec<MakeLiterals>,
    calls: u64,
    time: Option<Duration>,
    call: Duration,
    seed: u64,
    size: Option<usize>,
    regressions: Option<PathBuf>,
    interface: PhantomData<fn() -> I>,
}

/// A check of an interface: 100,000 calls in random programs, with the seed 0.
///
/// The environment variables `MAYHAP_SEED`, `MAYHAP_CALLS` and `MAYHAP_TIME` (in seconds) override the settings.
pub fn check_interface<I: Interface>() -> InterfaceTest<I> {
    InterfaceTest {
        literals: Vec::new(),
        calls: CALLS,
        time: None,
        call: CALL,
        seed: 0,
        size: None,
        regressions: None,
        interface: PhantomData,
    }
}

impl<I: Interface> InterfaceTest<I> {
    /// Sets the literals of a type, such as the numbers that a set holds.
    pub fn values<T: Clone + Debug + Send + Sync + 'static>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        self.literals.push(Arc::new(move || Literals::of(values.clone())));
        self
    }

    /// Sets the number of calls of all random programs together.
    pub fn calls(mut self, calls: u64) -> Self {
        self.calls = calls;
        self
    }

    /// Sets the time after which the check ends.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Sets the time after which a call counts as one that does not come back; 5 s by default.
    pub fn call_time(mut self, time: Duration) -> Self {
        self.call = time;
        self
    }

    /// Sets the seed from which programs are drawn.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs all programs of at most `size` calls, in place of random ones.
    pub fn exhaustive(mut self, size: usize) -> Self {
        self.size = Some(size);
        self
    }

    /// Keeps programs that fail in this directory, and runs them first the next time.
    pub fn regressions(mut self, directory: impl Into<PathBuf>) -> Self {
        self.regressions = Some(directory.into());
        self
    }

    /// Checks the interface.
    ///
    /// # Panics
    /// Something is wrong with it; the message is the report.
    #[track_caller]
    pub fn run(self) {
        let report = self.check();
        assert!(report.failure.is_none(), "{report}");
        println!("{report}");
    }

    /// Runs the program of a failure again.
    ///
    /// # Panics
    /// It still fails, or it is no program of this interface.
    #[track_caller]
    pub fn replay(self, token: &str) {
        if let Err(why) = token::read(token) {
            panic!("`{token}` is no program: {why}");
        }
        let report = self.watched(vec![token.to_owned()], true);
        assert!(report.programs > 0, "`{token}` is no program of {}", I::NAME);
        assert!(report.failure.is_none(), "{report}");
    }

    /// Checks the interface, and returns the report.
    #[must_use]
    pub fn check(mut self) -> InterfaceReport {
        let read = |name: &str| std::env::var(name).ok()?.trim().parse::<u64>().ok();
        self.seed = read("MAYHAP_SEED").unwrap_or(self.seed);
        self.calls = read("MAYHAP_CALLS").unwrap_or(self.calls);
        self.time = read("MAYHAP_TIME").map(Duration::from_secs).or(self.time);
        let file = self.regressions.as_ref().map(|directory| directory.join(kept_in::<I>()));
        let kept = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        let mut report = self.watched(kept.lines().map(str::to_owned).collect(), false);
        if report.failure.is_none() && self.size.is_none() {
            report.failure = self.race(&mut report);
        }
        if let (Some(file), Some(failure)) = (file, &report.failure)
            && !failure.token.is_empty()
            && !kept.lines().any(|line| line == failure.token)
        {
            let directory = file.parent().expect("a file in a directory");
            let written = std::fs::create_dir_all(directory)
                .and_then(|()| std::fs::write(&file, format!("{kept}{}\n", failure.token)));
            if let Err(why) = written {
                eprintln!("{}: {why}", file.display());
            }
        }
        report
    }

    /// Calls values from several threads, if the interface says so.
    fn race(&self, report: &mut InterfaceReport) -> Option<InterfaceFailure> {
        let InterfaceTest { calls, seed, time, call, .. } = *self;
        let made = I::concurrent(ConcurrentCheck { calls, seed, time, call })?;
        (report.calls, report.programs) = (report.calls + made.requests, report.programs + made.runs);
        let program = text::text(&made);
        (made.verdict != CampaignVerdict::Pass).then(|| InterfaceFailure {
            finding: InterfaceFinding::Race { report: program.clone() },
            program,
            calls: made.failures.first().map_or(0, |failure| failure.steps.len()),
            token: String::new(),
        })
    }

    /// Makes the calls in a thread of its own, after programs that were kept.
    fn watched(&self, kept: Vec<String>, only_kept: bool) -> InterfaceReport {
        let work = CheckWork {
            literals: self.literals.clone(),
            calls: if only_kept { 0 } else { self.calls },
            until: self.time.map(|time| Instant::now() + time),
            seed: self.seed,
            size: self.size.filter(|_| !only_kept),
            kept,
        };
        let WatchedCheck { programs, counts, never, is_all, failure } = work.watched::<I>(self.call);
        let CallCounts { made, refused, undecided, .. } = counts;
        InterfaceReport {
            name: I::NAME.to_owned(),
            seed: self.seed,
            programs,
            calls: made,
            refused,
            undecided,
            never,
            size: self.size.filter(|_| is_all),
            failure,
        }
    }
}

/// The file in which programs of an interface are kept.
fn kept_in<I: Interface>() -> String {
    let name = format!("{}-{}", I::MODULE, I::NAME);
    let letter = |letter: char| if letter.is_alphanumeric() || letter == '-' { letter } else { '_' };
    name.chars().map(letter).collect::<String>() + ".programs"
}
