//! The test of mutants with generated requests, as of a live system. The mutant is served in this process, and judged online.

mod random;
mod served;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::run::{Judging, LiveRun, RunState};
use super::waves::{LiveEventKind, WaitLimits};
use crate::choice::Random;
use crate::generate::{GenerateSettings, Generator};
use crate::judge::Options;
use crate::mutate::{KillOutcome, Killer};
use crate::network::NetworkChoice;
use crate::spec::Spec;
use crate::sut::SutFailureKind;
use random::{MutantRunEnd, RandomClients};
use served::ServedSpec;

/// The longest wait for a served mutant, as an answer that does not come at once never comes.
const DEADLINE: Duration = Duration::from_millis(1);

/// A tester of mutants, with a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MutantTester {
    /// The number of requests of all runs together.
    pub requests: u64,
}

impl Default for MutantTester {
    fn default() -> MutantTester {
        MutantTester { requests: 2_000 }
    }
}

/// The lengths of runs, in requests, in turn. The mutant starts afresh after each run, and short runs show more different
/// beginnings.
const RUNS: [u64; 5] = [4, 8, 16, 32, 64];

fn length(run: u64) -> u64 {
    RUNS[(run % RUNS.len() as u64) as usize]
}

/// Makes the run with this number, and counts its requests.
type RunMutant<'r> = Box<dyn FnMut(u64, &mut u64) -> MutantRunEnd + 'r>;

impl Killer for MutantTester {
    fn kill(&mut self, spec: &Arc<Spec>, mutant: &Arc<Spec>, seed: u64) -> KillOutcome {
        let is_asynchronous = [spec, mutant].into_iter().any(|spec| spec.program.is_asynchronous());
        let mut requests = 0;
        let mut run: RunMutant<'_> = if is_asynchronous {
            let clients = RandomClients { spec, mutant };
            Box::new(move |number, requests| {
                clients.converse(length(number), &mut Random::of_run(seed, number), requests)
            })
        } else {
            let mut testing = Generated::new(spec, mutant, seed);
            Box::new(move |number, requests| testing.run(length(number), requests))
        };
        for number in 0.. {
            let before = requests;
            match run(number, &mut requests) {
                MutantRunEnd::Killed => return KillOutcome::Killed { requests: requests.max(1) },
                MutantRunEnd::Failed(why) => return KillOutcome::Failed(why),
                MutantRunEnd::Over => requests = requests.max(before + 1),
            }
            if requests >= self.requests {
                break;
            }
        }
        KillOutcome::Survived { requests }
    }
}

/// The generated requests to a mutant.
struct Generated {
    judging: Judging,
    generator: Generator,
    choices: Random,
    system: ServedSpec,
}

impl Generated {
    fn new(spec: &Arc<Spec>, mutant: &Arc<Spec>, seed: u64) -> Generated {
        let judging = Judging::new(spec, NetworkChoice::TCP, Options::default());
        Generated {
            judging,
            generator: Generator::new(spec, GenerateSettings::default()),
            choices: Random::new(seed),
            system: ServedSpec::new(mutant, seed),
        }
    }

    fn run(&mut self, length: u64, requests: &mut u64) -> MutantRunEnd {
        let mut run = match LiveRun::begin(&self.judging, 1, &mut self.system) {
            Ok(run) => run,
            Err(failure) if failure.kind == SutFailureKind::Start => return MutantRunEnd::Killed,
            Err(failure) => return MutantRunEnd::Failed(failure.what),
        };
        if let Err(error) = self.generator.begin_run(&mut self.choices) {
            return MutantRunEnd::Failed(error.to_string());
        }
        let before = *requests;
        while run.requests() < length {
            let (label, seen) = (run.next_label(), run.events().len());
            let plan = match self.generator.wave_for(run.session(), label, &mut self.choices) {
                Ok(plan) => plan,
                Err(error) => return MutantRunEnd::Failed(error.to_string()),
            };
            if plan.asks.is_empty() {
                break;
            }
            let stop = AtomicBool::new(false);
            let patience = WaitLimits { deadline: DEADLINE, silence: DEADLINE, stop: &stop, until: None };
            let state = run.perform(&plan, &mut self.system, patience);
            *requests = before + run.requests();
            self.learn(&run, seen);
            match state {
                RunState::Explained => {}
                RunState::Violated(_) => return MutantRunEnd::Killed,
                RunState::Broken(failure) if failure.kind != SutFailureKind::Adapter => return MutantRunEnd::Killed,
                RunState::Undecided(_) | RunState::Broken(_) => return MutantRunEnd::Over,
                RunState::Interrupted | RunState::Outside(_) => return MutantRunEnd::Over,
            }
        }
        match run.settle() {
            RunState::Violated(_) => MutantRunEnd::Killed,
            _ => MutantRunEnd::Over,
        }
    }

    /// Shows the generator what was observed.
    fn learn(&mut self, run: &LiveRun, from: usize) {
        for event in &run.events()[from..] {
            match &event.kind {
                LiveEventKind::Sent(request) => self.generator.sent(&request.value),
                LiveEventKind::Answered(answer) => self.generator.answered(event.label, answer),
                LiveEventKind::Lost | LiveEventKind::Closed | LiveEventKind::Left => {}
                LiveEventKind::Restarted | LiveEventKind::Peer(_) => {}
            }
        }
    }
}
