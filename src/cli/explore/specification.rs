//! One run of a specification: a given number of requests, of clients that may ask for anything, with their answers.
//!
//! The requests are choices like those of the server, with few values, so that all runs are all behaviours of `mayhap simulate`.
//! A run in which a client breaks its duty, or the choices contradict a condition, does not exist. A request that no choices can
//! answer is reported, and so is a fault.

use super::is_interrupted;
use super::ran::{Ran, StuckRun, Trouble};
use crate::cli::arguments::ExploreArguments as Options;
use crate::cli::arguments::values;
use crate::cli::observed;
use crate::cli::terminal::stopped;
use mayhap::choice::{ChoiceError, Choices, Chooser, Label, Random, Recorded, Step};
use mayhap::diagnostic::{Colour, Diagnostic};
use mayhap::judge::{Exchange, Observed};
use mayhap::server::{Ranges, Server, Stop};
use mayhap::spec::Spec;
use mayhap::validate::Validator;
use mayhap::value::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// The range of integers, unless another one is given.
const INTEGERS: (i64, i64) = (0, 3);

/// A specification to explore.
pub struct Behaviours {
    spec: Arc<Spec>,
    ranges: Ranges,
    clients: usize,
    requests: u64,
    /// The choices that led to the last request for which another run was found, though the current run has none.
    answered: Mutex<Vec<Step>>,
}

/// The reason why a run did not end normally.
enum RunEnd {
    /// The run does not exist, as this does not hold.
    Refused(Label),
    /// The server could not go on.
    Stopped(Stop),
}

impl From<Stop> for RunEnd {
    fn from(stop: Stop) -> RunEnd {
        RunEnd::Stopped(stop)
    }
}

impl From<ChoiceError> for RunEnd {
    fn from(error: ChoiceError) -> RunEnd {
        RunEnd::Stopped(Stop::Choice(error))
    }
}

impl Behaviours {
    pub fn new(spec: Arc<Spec>, options: &Options) -> Behaviours {
        let ranges = values::ranges(&options.ranges);
        let ranges = Ranges { request: ranges.request.or(Some(INTEGERS)), choose: ranges.choose.or(Some(INTEGERS)) };
        Behaviours { spec, ranges, clients: options.clients.get(), requests: options.steps, answered: Mutex::default() }
    }

    /// The behaviours with this number of requests.
    pub fn of(&self, requests: u64) -> Behaviours {
        let Behaviours { spec, ranges, clients, .. } = self;
        Behaviours { spec: spec.clone(), ranges: *ranges, clients: *clients, requests, answered: Mutex::default() }
    }

    /// Runs the specification with the chooser's choices.
    pub fn run(&self, c: &mut Chooser) -> Result<Ran, Trouble> {
        let mut choices = Recorded::new(&mut *c);
        let mut output = String::new();
        let ended = self.exchanges(&mut output, &mut choices);
        let run = choices.into_run();
        match ended {
            Ok(()) => Ok(Ran { output: output.into_bytes(), run }),
            Err(RunEnd::Refused(label)) => {
                c.try_assume(label, false).map_err(Trouble::Escaped)?;
                Ok(Ran { output: Vec::new(), run })
            }
            Err(RunEnd::Stopped(Stop::Choice(error))) => Err(Trouble::Escaped(error)),
            Err(RunEnd::Stopped(stop)) => {
                let exit = stopped::exit(&stop);
                Err(Trouble::Stopped(Box::new(StuckRun { message: self.shown(&stop), trace: output, run, exit })))
            }
        }
    }

    /// Makes the exchanges, and appends the line of each.
    fn exchanges(&self, output: &mut String, choices: &mut Recorded<&mut Chooser>) -> Result<(), RunEnd> {
        let mut server = Server::explored(self.spec.clone(), self.ranges, choices).map_err(|stop| match stop {
            Stop::Stuck(_) => RunEnd::Refused("what the specification assumes"),
            stop => stop.into(),
        })?;
        let begun = choices.run().len();
        let mut done = Vec::new();
        for _ in 0..self.requests {
            if is_interrupted() {
                return Err(choices.source().interrupt().into());
            }
            let client = 1 + choices.choose("client", self.clients)? as u64;
            let request = server.draw_request(choices)?;
            let asked = choices.run().len();
            let reply = match server.handle(&request, client, choices) {
                Ok(reply) => reply,
                Err(Stop::Outside(_)) => return Err(RunEnd::Refused("the client's duty")),
                Err(Stop::Stuck(site)) => {
                    let is_answered = self.is_answered(&mut server, &request, client, &choices.run()[..asked])?;
                    return Err(if is_answered || begun > 0 && self.has_beginning(&done, &request, client) {
                        RunEnd::Refused("what the specification assumes")
                    } else {
                        Stop::Stuck(site).into()
                    });
                }
                Err(stop) => return Err(stop.into()),
            };
            observed::write(output, &self.spec, (self.clients > 1).then_some(client), &request, &reply);
            output.push('\n');
            done.push(Exchange { line: 0, client, request, observed: observed::seen(reply) });
        }
        Ok(())
    }

    /// Tests whether the request at the end of the choices `asked` has a run with other choices. If the server may take internal
    /// steps first, this is assumed.
    fn is_answered(&self, server: &mut Server, request: &Value, client: u64, asked: &[Step]) -> Result<bool, Stop> {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.spec.program.steps.is_empty() || *answered == asked {
            return Ok(true);
        }
        let has_run = server.has_run(request, client, &mut Random::new(0))?;
        if has_run {
            *answered = asked.to_vec();
        }
        Ok(has_run)
    }

    /// Tests whether these exchanges and then a run of the request are possible from some initial state. The chosen one may be
    /// one that an `assume` excludes only now.
    fn has_beginning(&self, done: &[Exchange], request: &Value, client: u64) -> bool {
        let ends = [Observed::Any, Observed::Nothing];
        ends.into_iter().any(|observed| {
            let mut validator = Validator::new(&self.spec);
            let last = Exchange { line: 0, client, request: request.clone(), observed };
            done.iter().chain([&last]).all(|exchange| validator.observe_exchange(exchange))
        })
    }

    /// The reason why the server could not go on, at its place.
    fn shown(&self, stop: &Stop) -> String {
        let at = |site| Diagnostic::error(self.spec.span(site), stopped::words(&self.spec, stop));
        stopped::site(stop).map_or_else(
            || stop.to_string(),
            |site| self.spec.sources.render(&at(site), Colour::Never).trim_end().to_owned(),
        )
    }
}
