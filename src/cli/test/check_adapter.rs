//! `mayhap test --check-adapter`: sends one request of each kind, and prints the outcomes.
//!
//! ```text
//! Get {"key": "a"}: {"Values": []}
//! Set {"key": "a", "flags": 0, "exptime": 0, "data": ""}: "Stored"
//! ```
//!
//! Each request keeps the client's duty, as in a test.

use crate::cli::arguments::testing_arguments::SutArguments;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use mayhap::choice::{ChoiceError, Random};
use mayhap::generate::{GenerateSettings, Generator};
use mayhap::harness::{Judging, LiveEventKind, LiveRun, RunState, WaitLimits};
use mayhap::json::encode;
use mayhap::limits::end;
use mayhap::script::{Plan, RequestTemplate};
use mayhap::sut::{SutFailure, SutFailureKind, System, request_kinds};
use mayhap::value::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The seed of the requests that are drawn in the place of others.
const SEED: u64 = 0;

/// Sends one request of each kind as client 1, each after the answer to the one before.
pub fn run(
    judging: &Judging,
    system: &mut dyn System,
    options: &SutArguments,
    stop: &Arc<AtomicBool>,
    terminal: &mut Terminal,
) -> Exit {
    let spec = &judging.spec;
    let run = match LiveRun::begin(judging, 1, system) {
        Ok(run) => run,
        Err(_) if end::is_over() => return Exit::Interrupted,
        Err(failure) => return failed(terminal, system, &failure.to_string()),
    };
    let patience = WaitLimits { deadline: options.deadline, silence: options.deadline, stop, until: None };
    let generator = Generator::new(spec, GenerateSettings::default());
    let mut check = AdapterCheck { run, generator, choices: Random::new(SEED), patience };
    let mut exit = Exit::Fine;
    for smallest in request_kinds(spec) {
        let shown = |request: &Value| encode(&spec.types, spec.program.request, request);
        let (request, outcome) = match check.ask(&smallest, system) {
            Ok(Some(asked)) => asked,
            Ok(None) => {
                let why = match check.generator.draws(kind(&smallest)) {
                    true => "not sent, as no request of its kind was found that keeps the client's duty",
                    false => "not sent, as its weight is 0",
                };
                terminal.print(&format!("{}: {why}\n", shown(&smallest)));
                continue;
            }
            Err(why) => return failed(terminal, system, &why.to_string()),
        };
        let said = match outcome {
            AskedOutcome::Is(LiveEventKind::Answered(answer)) => encode(&spec.types, spec.program.response, &answer),
            AskedOutcome::Is(LiveEventKind::Closed) => "the connection was closed".to_owned(),
            AskedOutcome::Is(_) => "lost".to_owned(),
            AskedOutcome::Refused if check.run.unsent() == Some(&request) => {
                "not sent: it has no form in HTTP".to_owned()
            }
            AskedOutcome::Refused => "refused".to_owned(),
            AskedOutcome::Failed(failure) if failure.kind == SutFailureKind::Hang => {
                exit = Exit::SystemFailed;
                _ = system.close(1);
                format!("no answer within {} s", options.deadline.as_secs_f64())
            }
            AskedOutcome::Failed(failure) => {
                return failed(terminal, system, &format!("{}: {failure}", shown(&request)));
            }
            AskedOutcome::Interrupted => return Exit::Interrupted,
        };
        terminal.print(&format!("{}: {said}\n", shown(&request)));
    }
    exit
}

/// The run in which the requests are sent.
struct AdapterCheck<'c> {
    run: LiveRun,
    generator: Generator,
    choices: Random,
    patience: WaitLimits<'c>,
}

/// The outcome of a request.
enum AskedOutcome {
    /// The client saw this.
    Is(LiveEventKind),
    /// The system refused the request.
    Refused,
    /// The system broke down.
    Failed(SutFailure),
    /// Somebody asked for the end.
    Interrupted,
}

/// The number of the variant of a request.
fn kind(request: &Value) -> usize {
    request.variant() as usize
}

impl AdapterCheck<'_> {
    /// Sends a request, or another one of its kind if this one may break the client's duty. Returns the request with its outcome; `None` if
    /// none was found that keeps the duty.
    fn ask(&mut self, smallest: &Value, system: &mut dyn System) -> Result<Option<(Value, AskedOutcome)>, ChoiceError> {
        if self.generator.allows(smallest)
            && let Some(outcome) = self.send(smallest, system)
        {
            return Ok(Some((smallest.clone(), outcome)));
        }
        if !self.generator.draws(kind(smallest)) {
            return Ok(None);
        }
        self.generator.begin_run(&mut self.choices)?;
        let Some(other) = self.generator.request_of(kind(smallest), self.run.session(), &mut self.choices)? else {
            return Ok(None);
        };
        Ok(self.send(&other, system).map(|outcome| (other, outcome)))
    }

    /// Sends a request; `None` if it may break the client's duty, and was not sent.
    fn send(&mut self, request: &Value, system: &mut dyn System) -> Option<AskedOutcome> {
        let label = self.run.next_label();
        let plan = Plan::of_one(label, 1, RequestTemplate::plain(request.clone()));
        let seen = self.run.events().len();
        match self.run.perform(&plan, system, self.patience) {
            RunState::Outside(_) => return None,
            RunState::Broken(failure) => return Some(AskedOutcome::Failed(failure)),
            RunState::Interrupted => return Some(AskedOutcome::Interrupted),
            RunState::Explained | RunState::Violated(_) | RunState::Undecided(_) => {}
        }
        let own = self.run.events()[seen..].iter().filter(|event| event.label == label);
        let mut ends = own.map(|event| event.kind.clone()).filter(|kind| !matches!(kind, LiveEventKind::Sent(_)));
        Some(ends.next().map_or(AskedOutcome::Refused, AskedOutcome::Is))
    }
}

fn failed(terminal: &mut Terminal, system: &mut dyn System, why: &str) -> Exit {
    terminal.complain(&format!("error: {why}\n"));
    system.last_output(None).iter().for_each(|line| terminal.complain(&format!("  | {line}\n")));
    Exit::SystemFailed
}
