//! Making calls in a thread of its own, which is looked after: a call may not come back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::call::{Call, InterfaceFinding};
use super::declared::{Description, Interface, Prepared};
use super::literal::Literals;
use super::machine::CallMachine;
use super::programs::{self, CallCounts, CallProgram, RanProgram};
use super::rust::written;
use super::shrink::{FindingKind, shrunk};
use crate::choice::explore::panics::{self, Caught};
use crate::choice::token;

/// The number of programs without a call after which a check ends: it would go on for ever.
const IN_VAIN: u64 = 1_000;
/// The interval at which a thread that makes calls is looked after.
const LOOK: Duration = Duration::from_millis(50);
/// The number of calls, one in N, at which the clock is read.
const CLOCK: u64 = 16;
/// The text of a program that cannot be run again, as it does not come back or has dropped what it needs.
const LOST: &str = "// the program of this failure could not be run again\n";

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
    /// The text that runs it again, by [`super::InterfaceTest::replay`].
    pub token: String,
}

/// Makes the literals of a type.
pub(super) type MakeLiterals = Arc<dyn Fn() -> Literals + Send + Sync>;

/// The work of a thread.
#[derive(Clone)]
pub(super) struct CheckWork {
    pub literals: Vec<MakeLiterals>,
    pub calls: u64,
    pub until: Option<Instant>,
    pub seed: u64,
    pub size: Option<usize>,
    /// Programs that are run first.
    pub kept: Vec<String>,
}

/// The result of the work.
pub(super) struct WatchedCheck {
    pub programs: u64,
    pub counts: CallCounts,
    pub never: Vec<String>,
    /// True if all programs of the wanted size were run.
    pub is_all: bool,
    pub failure: Option<InterfaceFailure>,
}

/// The numbers of programs and calls so far.
#[derive(Clone, Default)]
struct CheckProgress {
    programs: u64,
    counts: CallCounts,
    functions: Vec<&'static str>,
    is_all: bool,
}

/// The data that a thread that makes calls shares with the one that looks after it.
#[derive(Default)]
struct Pulse {
    /// The number of calls that began.
    begun: AtomicU64,
    stop: AtomicBool,
    /// The calls of the program under way, the last one included, each with the number of values before it.
    log: Mutex<Vec<(Call, usize)>>,
    /// The failure as far as it is shrunk.
    failure: Mutex<Option<InterfaceFailure>>,
    progress: Mutex<CheckProgress>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pulse {
    /// Notes a call before it is made; false if the work is over.
    fn begins(&self, machine: &CallMachine<'_>, call: &Call, until: Option<Instant>) -> bool {
        let mut log = locked(&self.log);
        log.truncate(machine.calls.len());
        log.push((call.clone(), machine.made()));
        drop(log);
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        if begun.is_multiple_of(CLOCK) && until.is_some_and(|until| Instant::now() >= until) {
            self.stop.store(true, Ordering::Relaxed);
        }
        !self.is_over()
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl CheckWork {
    /// Does the work in a thread of its own, and ends when a call takes longer than it may.
    ///
    /// # Panics
    /// The description of the interface is wrong.
    pub fn watched<I: Interface>(self, call: Duration) -> WatchedCheck {
        let pulse = Arc::new(Pulse::default());
        let (watched, work) = (pulse.clone(), self.clone());
        let receive = started(move || work.done::<I>(&watched));
        let (mut last, mut since) = (0, Instant::now());
        let failure = loop {
            match receive.recv_timeout(LOOK) {
                Ok(Ok(failure)) => break failure,
                Ok(Err(caught)) => match locked(&pulse.failure).clone() {
                    // Values that are dropped may panic, too.
                    Some(failure) => break Some(failure),
                    None => panic!("{}: {}", I::NAME, caught.message),
                },
                Err(RecvTimeoutError::Disconnected) => panic!("{}: the thread that made calls has ended", I::NAME),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = pulse.begun.load(Ordering::Relaxed);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > call {
                pulse.stop.store(true, Ordering::Relaxed);
                let known = locked(&pulse.failure).clone();
                break Some(known.unwrap_or_else(|| self.endless::<I>(&locked(&pulse.log).clone(), call)));
            }
        };
        let CheckProgress { programs, counts, functions, is_all } = locked(&pulse.progress).clone();
        let never = functions.iter().zip(&counts.of).filter(|(_, calls)| **calls == 0);
        let never = never.map(|(name, _)| (*name).to_owned()).collect();
        WatchedCheck { programs, counts, never, is_all, failure }
    }

    fn prepared<I: Interface>(&self) -> Prepared {
        let mut description = Description::default();
        I::describe(&mut description);
        Prepared::new(description, self.literals.iter().map(|make| make()).collect())
    }

    /// The failure of a program whose last call does not come back.
    fn endless<I: Interface>(&self, log: &[(Call, usize)], call: Duration) -> InterfaceFailure {
        let whole = CallProgram::logged(log);
        let sliced = whole.sliced();
        let (work, tried) = (self.clone(), sliced.clone());
        let comes_back = started(move || tried.run(&work.prepared::<I>(), false).is_some()).recv_timeout(call).is_ok();
        let program = if comes_back { whole } else { sliced };
        let (work, shown) = (self.clone(), program.clone());
        let text =
            started(move || written(&work.prepared::<I>(), &shown, &InterfaceFinding::Endless)).recv_timeout(call);
        let text = text.ok().and_then(Result::ok).flatten().unwrap_or_else(|| LOST.to_owned());
        InterfaceFailure {
            finding: InterfaceFinding::Endless,
            calls: program.calls.len(),
            program: text,
            token: String::new(),
        }
    }

    fn done<I: Interface>(self, pulse: &Pulse) -> Option<InterfaceFailure> {
        let interface = self.prepared::<I>();
        assert!(!interface.functions.is_empty(), "there are no functions");
        let mut progress = CheckProgress { counts: CallCounts::none(&interface), ..CheckProgress::default() };
        progress.functions = interface.functions.iter().map(|function| function.name).collect();
        let (finding, function) = self.failed(&interface, pulse, &mut progress)?;
        let program = CallProgram::logged(&locked(&pulse.log));
        let kind = FindingKind::of(&finding, function);
        let keep = |failure| *locked(&pulse.failure) = Some(failure);
        let calls = program.calls.len();
        keep(InterfaceFailure { finding: finding.clone(), program: LOST.to_owned(), calls, token: String::new() });
        let report = |program: &CallProgram| {
            let found = program.run(&interface, true).and_then(|ran| ran.ended()).map(|(found, _, _)| found);
            let found =
                found.filter(|found| FindingKind::of(found, function) == kind).unwrap_or_else(|| finding.clone());
            let text = written(&interface, program, &found).unwrap_or_else(|| LOST.to_owned());
            let token = program.steps(&interface).map(|steps| token::write(&steps)).unwrap_or_default();
            InterfaceFailure { finding: found, program: text, calls: program.calls.len(), token }
        };
        keep(report(&program));
        let mut watch = |smaller: Option<&CallProgram>| {
            pulse.begun.fetch_add(1, Ordering::Relaxed);
            smaller.into_iter().for_each(|smaller| keep(report(smaller)));
        };
        Some(report(&shrunk(&interface, program, &kind, &mut watch)))
    }

    /// The finding of the first program that fails, which is the one in the log, and the function that was called last.
    fn failed(
        &self,
        interface: &Prepared,
        pulse: &Pulse,
        progress: &mut CheckProgress,
    ) -> Option<(InterfaceFinding, usize)> {
        *locked(&pulse.progress) = progress.clone();
        let until = self.until;
        let mut proceed = |machine: &CallMachine<'_>, call: &Call| pulse.begins(machine, call, until);
        let ended = |ran: RanProgram<'_>| ran.ended().map(|(finding, _, function)| (finding, function));
        for text in &self.kept {
            let steps = token::read(text).ok();
            match steps.map(|steps| programs::again(interface, steps, &mut proceed)) {
                Some(Ok(ran)) => {
                    progress.programs += 1;
                    *locked(&pulse.progress) = progress.clone();
                    if let Some(found) = ran.and_then(ended) {
                        return Some(found);
                    }
                }
                // The interface is another one by now.
                Some(Err(_)) | None => eprintln!("`{text}` is no program of this interface any more: it is left out"),
            }
        }
        if let Some(size) = self.size {
            let mut is_over = || pulse.is_over();
            let (number, ran) = programs::all(interface, size, &mut progress.counts, &mut proceed, &mut is_over);
            progress.programs += number;
            progress.is_all = !pulse.is_over();
            *locked(&pulse.progress) = progress.clone();
            return ran.and_then(ended);
        }
        let (mut made, mut number) = (0, 0);
        while progress.counts.made < self.calls && !pulse.is_over() {
            locked(&pulse.log).clear();
            let ran = programs::random(interface, self.seed, number, &mut progress.counts, &mut proceed)
                .expect(programs::CHOSEN);
            number += 1;
            progress.programs += 1;
            let found = ended(ran);
            *locked(&pulse.progress) = progress.clone();
            if found.is_some() {
                return found;
            }
            if number.is_multiple_of(IN_VAIN) {
                assert!(progress.counts.made != made, "no function of the interface can be called");
                made = progress.counts.made;
            }
        }
        None
    }
}

/// Starts a thread that reports no panics, and sends its result.
fn started<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> mpsc::Receiver<Result<R, Caught>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || _ = send.send(panics::unreported(|| panics::caught(work))));
    receive
}
