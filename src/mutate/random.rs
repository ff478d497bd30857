//! The simplest tester of a mutant: a random client in the same process.
//!
//! A run is so many requests of few values, or of many; then the mutant begins anew.

use std::sync::Arc;

use super::score::{KillOutcome, Killer};
use crate::choice::Random;
use crate::dualize::{Exchange, Observed, Verdict};
use crate::server::{Ranges, Reply, Server, Stop};
use crate::spec::Spec;
use crate::validate::Validator;

/// Integers of few values.
const FEW: (i64, i64) = (-1, 5);

/// A random client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomKiller {
    /// The number of requests in all.
    pub requests: u64,
    /// The number of requests of one run.
    pub run: u64,
}

impl Default for RandomKiller {
    fn default() -> RandomKiller {
        RandomKiller { requests: 2_000, run: 40 }
    }
}

/// How a run ended.
enum RunOfMutant {
    Killed,
    Over,
    Failed(String),
}

impl Killer for RandomKiller {
    fn kill(&mut self, spec: &Arc<Spec>, mutant: &Arc<Spec>, seed: u64) -> KillOutcome {
        let mut requests = 0;
        let mut runs = 0;
        while requests < self.requests {
            let before = requests;
            let mut source = Random::of_run(seed, runs);
            match self.run(spec, mutant, runs, &mut source, &mut requests) {
                RunOfMutant::Killed => return KillOutcome::Killed { requests },
                RunOfMutant::Over if requests > before => {}
                RunOfMutant::Over => requests += 1,
                RunOfMutant::Failed(why) => return KillOutcome::Failed(why),
            }
            runs += 1;
        }
        KillOutcome::Survived { requests }
    }
}

impl RandomKiller {
    fn run(
        &self,
        spec: &Arc<Spec>,
        mutant: &Arc<Spec>,
        number: u64,
        source: &mut Random,
        requests: &mut u64,
    ) -> RunOfMutant {
        let is_wide = number % 4 == 3;
        let ranges = Ranges { request: (!is_wide).then_some(FEW), choose: None };
        let mut server = match Server::new(mutant.clone(), ranges, source) {
            Ok(server) => server,
            Err(Stop::Stuck(_) | Stop::Fault(_)) => return RunOfMutant::Killed,
            Err(stop) => return RunOfMutant::Failed(stop.to_string()),
        };
        let mut validator = Validator::new(spec);
        let mut line = 0;
        for _ in 0..self.run {
            let drawn = if is_wide { server.draw_request(source) } else { server.draw_few(source) };
            let Ok(request) = drawn else { return RunOfMutant::Over };
            line += 1;
            let (observed, is_dead) = match server.handle(&request, 1, source) {
                Ok(Reply::Answer(answer)) => (Observed::Answer(answer), false),
                Ok(Reply::Nothing) => (Observed::Nothing, false),
                Err(Stop::Outside(_)) => continue,
                Err(Stop::Stuck(_) | Stop::Fault(_)) => (Observed::Any, true),
                Err(_) => return RunOfMutant::Over,
            };
            *requests += 1;
            validator.observe_exchange(&Exchange { line, client: 1, request, observed });
            match validator.verdict() {
                Verdict::Accept { .. } if is_dead => return RunOfMutant::Killed,
                Verdict::Accept { .. } => {}
                Verdict::Reject { .. } => return RunOfMutant::Killed,
                Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => return RunOfMutant::Over,
            }
        }
        RunOfMutant::Over
    }
}
