//! Checking an interface: `mayhap::check_interface::<Set>().values(0..8_u8).run()`.

use std::fmt;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::call::{Call, InterfaceFinding};
use super::concurrent::ConcurrentCheck;
use super::declared::{Description, Interface, Prepared};
use super::literal::Literals;
use super::machine::CallMachine;
use super::programs::{self, CallCounts, CallProgram, DrawnProgram, RanProgram};
use super::rust::written;
use super::shrink::{FindingKind, shrunk};
use crate::choice::explore::panics;
use crate::choice::{counted, token};
use crate::report::campaign::{CampaignVerdict, text};

/// The number of calls unless another one is given.
const CALLS: u64 = 100_000;
/// The time for one call.
const CALL: Duration = Duration::from_secs(5);
/// The number of programs without a call after which a check ends: it would go on for ever.
const IN_VAIN: u64 = 1_000;
/// The interval at which a thread that makes calls is looked after.
const LOOK: Duration = Duration::from_millis(50);

/// A fault of an interface, and a program that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InterfaceFailure {
    /// The fault.
    pub finding: InterfaceFinding,
    /// The program, in Rust.
    pub program: String,
    /// The number of its calls.
    pub calls: usize,
    /// The text that runs it again, by [`InterfaceTest::replay`].
    pub token: String,
}

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

type MakeLiterals = Arc<dyn Fn() -> Literals + Send + Sync>;

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

/// The data that a thread that makes calls shares with the one that looks after it.
#[derive(Default)]
struct Pulse {
    /// The number of the random program.
    program: AtomicU64,
    /// The number of calls that began in this program.
    begun: AtomicU64,
    /// True if a program is shrunk.
    shrinks: AtomicBool,
    stop: AtomicBool,
    /// The failure as far as it is shrunk.
    failure: Mutex<Option<InterfaceFailure>>,
    /// The numbers of programs and calls, and the functions that were never called.
    counts: Mutex<(u64, CallCounts, Vec<String>)>,
}

/// The work of a thread.
struct CheckWork {
    literals: Vec<MakeLiterals>,
    calls: u64,
    until: Option<Instant>,
    seed: u64,
    size: Option<usize>,
    kept: Vec<String>,
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

    /// Runs all programs of at most so many calls, in place of random ones.
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
        let token = token.to_owned();
        let work = self.work(vec![token.clone()], true);
        let report = self.watched(work);
        assert!(report.failure.is_none(), "{report}");
    }

    /// Checks the interface, and returns the report.
    #[must_use]
    pub fn check(mut self) -> InterfaceReport {
        let read = |name: &str| std::env::var(name).ok()?.trim().parse::<u64>().ok();
        self.seed = read("MAYHAP_SEED").unwrap_or(self.seed);
        self.calls = read("MAYHAP_CALLS").unwrap_or(self.calls);
        self.time = read("MAYHAP_TIME").map(Duration::from_secs).or(self.time);
        let file = self.regressions.as_ref().map(|directory| directory.join(format!("{}.programs", I::NAME)));
        let kept = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        let work = self.work(kept.lines().map(str::to_owned).collect(), false);
        let mut report = self.watched(work);
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

    fn work(&self, kept: Vec<String>, only_kept: bool) -> CheckWork {
        CheckWork {
            literals: self.literals.clone(),
            calls: if only_kept { 0 } else { self.calls },
            until: self.time.map(|time| Instant::now() + time),
            seed: self.seed,
            size: self.size.filter(|_| !only_kept),
            kept,
        }
    }

    /// Does the work in a thread of its own, and ends when a call does not come back.
    fn watched(&self, work: CheckWork) -> InterfaceReport {
        let pulse = Arc::new(Pulse::default());
        let (send, receive) = mpsc::channel();
        let (seed, size, literals) = (work.seed, work.size, work.literals.clone());
        let watched = pulse.clone();
        thread::spawn(move || _ = send.send(panics::unreported(|| panics::caught(|| work.done::<I>(&watched)))));
        let (mut last, mut since) = ((0, 0), Instant::now());
        let failure = loop {
            match receive.recv_timeout(LOOK) {
                Ok(Ok(failure)) => break failure,
                Ok(Err(caught)) => panic!("{}: {}", caught.place.unwrap_or_default(), caught.message),
                Err(RecvTimeoutError::Disconnected) => panic!("the thread that made calls has ended"),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = (pulse.program.load(Ordering::Relaxed), pulse.begun.load(Ordering::Relaxed));
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > self.call {
                pulse.stop.store(true, Ordering::Relaxed);
                let known = pulse.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
                break known
                    .or_else(|| (!pulse.shrinks.load(Ordering::Relaxed)).then(|| endless::<I>(&literals, seed, last)));
            }
        };
        let (programs, counts, never) = pulse.counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let CallCounts { made, refused, undecided, .. } = counts;
        InterfaceReport {
            name: I::NAME.to_owned(),
            seed,
            programs,
            calls: made,
            refused,
            undecided,
            never,
            size,
            failure,
        }
    }
}

fn prepared<I: Interface>(literals: &[MakeLiterals]) -> Prepared {
    let mut description = Description::default();
    I::describe(&mut description);
    Prepared::new(description, literals.iter().map(|make| make()).collect())
}

/// The failure of a random program whose last call does not come back: the program is drawn again, up to that call.
fn endless<I: Interface>(literals: &[MakeLiterals], seed: u64, (program, begun): (u64, u64)) -> InterfaceFailure {
    let interface = prepared::<I>(literals);
    let drawn = DrawnProgram { seed, number: program, most: usize::MAX };
    let (mut seen, mut last) = (0, None);
    let drawn = programs::random(&interface, drawn, &mut CallCounts::none(&interface), &mut |_, call| {
        seen += 1;
        last = (seen == begun).then(|| call.clone());
        last.is_none()
    });
    let program = CallProgram::of(&drawn.expect(CHOSEN).machine, last).sliced();
    InterfaceFailure {
        finding: InterfaceFinding::Endless,
        calls: program.calls.len(),
        program: written(&interface, &program, &InterfaceFinding::Endless).unwrap_or_default(),
        token: String::new(),
    }
}

impl CheckWork {
    fn done<I: Interface>(self, pulse: &Pulse) -> Option<InterfaceFailure> {
        let interface = prepared::<I>(&self.literals);
        assert!(!interface.functions.is_empty(), "{} has no functions", I::NAME);
        let (mut counts, mut programs) = (CallCounts::none(&interface), 0);
        let failed = self.failed(&interface, pulse, &mut counts, &mut programs);
        let never = interface.functions.iter().zip(&counts.of).filter(|(_, calls)| **calls == 0);
        let never = never.map(|(function, _)| function.name.to_owned()).collect();
        *pulse.counts.lock().unwrap_or_else(PoisonError::into_inner) = (programs, counts, never);
        let RanProgram { machine, finding } = failed?;
        let finding = finding?;
        pulse.shrinks.store(true, Ordering::Relaxed);
        let program = CallProgram::of(&machine, None);
        let function = machine.calls.last()?.function;
        drop(machine);
        let kind = FindingKind::of(&finding, function);
        let report = |program: &CallProgram| {
            let found = program.run(&interface, true).and_then(|ran| ran.finding).unwrap_or_else(|| finding.clone());
            let text = written(&interface, program, &found).unwrap_or_default();
            let token = program.steps(&interface).map(|steps| token::write(&steps)).unwrap_or_default();
            InterfaceFailure { finding: found, program: text, calls: program.calls.len(), token }
        };
        let keep = |program: &CallProgram| {
            *pulse.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(report(program));
        };
        keep(&program);
        let mut watch = |smaller: Option<&CallProgram>| {
            pulse.begun.fetch_add(1, Ordering::Relaxed);
            smaller.into_iter().for_each(keep);
        };
        Some(report(&shrunk(&interface, program, &kind, &mut watch)))
    }

    /// The first program that fails.
    fn failed<'p>(
        &self,
        interface: &'p Prepared,
        pulse: &Pulse,
        counts: &mut CallCounts,
        programs: &mut u64,
    ) -> Option<RanProgram<'p>> {
        let mut proceed = |_: &CallMachine<'_>, _: &Call| {
            pulse.begun.fetch_add(1, Ordering::Relaxed);
            !pulse.stop.load(Ordering::Relaxed)
        };
        for text in &self.kept {
            let steps = token::read(text).unwrap_or_else(|why| panic!("`{text}` is no program: {why}"));
            match programs::again(interface, steps) {
                Ok(Some(ran)) if ran.finding.is_some() => return Some(ran),
                Ok(_) => {}
                Err(why) => panic!("`{text}` is no program of this interface: {why}"),
            }
        }
        if let Some(size) = self.size {
            let (number, ran) = programs::all(interface, size, counts, &mut proceed).expect(CHOSEN);
            *programs = number;
            return ran;
        }
        let mut made = 0;
        while counts.made < self.calls && self.until.is_none_or(|until| Instant::now() < until) {
            let drawn = DrawnProgram { seed: self.seed, number: *programs, most: usize::MAX };
            pulse.program.store(*programs, Ordering::Relaxed);
            pulse.begun.store(0, Ordering::Relaxed);
            let ran = programs::random(interface, drawn, counts, &mut proceed).expect(CHOSEN);
            *programs += 1;
            if ran.finding.is_some() {
                return Some(ran);
            }
            if programs.is_multiple_of(IN_VAIN) {
                assert!(counts.made != made, "no function of the interface can be called");
                made = counts.made;
            }
        }
        None
    }
}

/// Labels are texts of this crate, and no choice is from nothing.
const CHOSEN: &str = "every choice has alternatives";
