//! A run of the specification that shows exactly what was observed: the completeness of dualizing, made visible.
//!
//! The trace is judged again with the choices of every path kept. A model of what is left at the end is extended backwards
//! to all variables that were forgotten on the way, which gives every choice its value; the concrete server then repeats
//! the run.

use std::fmt;
use std::sync::Arc;

use crate::dualize::{Candidate, Exchange, Judge, Logged, Observed, Options, Verdict};
use crate::server::{Completion, Given, Reply, Server, Stop};
use crate::solve::{Answer, Model};
use crate::spec::{Site, Spec};
use crate::value::{self, Truth, Value};

/// A concrete run that explains a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The choices that made the initial state.
    pub initial: Vec<Given>,
    /// The same as JSON.
    pub initial_json: Vec<String>,
    /// The exchanges, in order.
    pub steps: Vec<WitnessStep>,
}

/// One exchange of the run.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessStep {
    /// Its line.
    pub line: u64,
    /// What the server did by itself before the request, in order.
    pub before: Vec<WitnessOwn>,
    /// What the server chose.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
    /// The request, where a part of it was not known.
    pub request: Option<Value>,
    /// What it replied (which fills a hole).
    pub reply: Reply,
    /// Whether the request was lost before it had any effect.
    pub skipped: bool,
}

/// Something that the server did by itself: a `step` of its specification.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessOwn {
    /// The step's number, in the order of the declarations.
    pub step: usize,
    /// Where it is declared.
    pub site: Site,
    /// What the server chose.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
}

/// Why there is no witness.
#[derive(Clone, PartialEq, Debug)]
pub enum WitnessError {
    /// The trace is not accepted.
    NotAccepted,
    /// A question about the values was too hard.
    Undecided(Answer),
    /// The run did not show what was observed: a bug of this program, to be reported.
    DoesNotReplay {
        /// The line of the exchange at which it differs.
        line: u64,
        /// How.
        why: String,
    },
}

impl fmt::Display for WitnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessError::NotAccepted => f.write_str("the trace is not accepted"),
            WitnessError::Undecided(_) => f.write_str("the solver could not find the values of the choices"),
            WitnessError::DoesNotReplay { line, why } => {
                write!(f, "bug in mayhap: the witness does not replay at line {line}: {why}; please report it")
            }
        }
    }
}

impl std::error::Error for WitnessError {}

/// Finds a witness of an accepted trace, and replays it.
///
/// # Errors
/// Where the trace is not accepted, or the values could not be found.
pub fn witness(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange]) -> Result<Witness, WitnessError> {
    let options = Options { keep_choices: true, ..options.clone() };
    let mut judge = Judge::new(spec.clone(), options);
    exchanges.iter().all(|exchange| judge.observe(exchange));
    if !matches!(judge.verdict(), Verdict::Accept { .. }) {
        return Err(WitnessError::NotAccepted);
    }
    let clean = judge.candidates().iter().find(|candidate| candidate.is_clean()).cloned();
    let candidate = clean.ok_or(WitnessError::NotAccepted)?;
    let model = complete_model(&mut judge, &candidate)?;
    let (initial, made) = choices(spec, &candidate, &model, exchanges);
    replay(spec, initial, made, exchanges)
}

/// A model of the candidate's variables, those that were forgotten included.
fn complete_model(judge: &mut Judge, candidate: &Candidate) -> Result<Model, WitnessError> {
    let mut model = candidate.store.model(&[], judge.solver(), &mut |_| 0).map_err(WitnessError::Undecided)?;
    // Variables of the memory that nothing restricts get the simplest value of their sort.
    for slot in candidate.process.memory.iter().chain(candidate.process.seen().map(|(_, value)| value)) {
        slot.visit_variables(&mut |var| {
            if model.get(var).is_none() && candidate.store.binding(var).is_none() {
                model.insert(var, var.sort.simplest());
            }
        });
    }
    if let Some(trail) = candidate.store.trail() {
        match model.extend(trail, judge.solver()) {
            Answer::Sat => {}
            answer => return Err(WitnessError::Undecided(answer)),
        }
    }
    Ok(model)
}

/// What a run chose for one exchange.
#[derive(Default)]
struct Made {
    /// The steps before the request, by number.
    before: Vec<(usize, Vec<Given>)>,
    /// The request, where a part of it was not known.
    request: Option<Value>,
    /// The choices of its handler; `None` where the request never took effect.
    handler: Option<Vec<Given>>,
}

/// The choices of the initial state and of each exchange.
fn choices(spec: &Spec, candidate: &Candidate, model: &Model, exchanges: &[Exchange]) -> (Vec<Given>, Vec<Made>) {
    let completion = Completion { types: &spec.types, model, process: &candidate.process };
    let mut log = Vec::new();
    let mut at = candidate.log.as_ref();
    while let Some(entry) = at {
        log.push(entry);
        at = entry.before.as_ref();
    }
    let mut log = log.into_iter().rev().peekable();
    let initial = std::iter::from_fn(|| log.next_if(|entry| entry.event == 0));
    let initial = initial.filter_map(|entry| known(&completion, &entry.entry)).collect();
    let mut of_event = |event: u64| {
        let mut made = Made::default();
        while let Some(entry) = log.next_if(|entry| entry.event == event) {
            made.add(&completion, &entry.entry);
        }
        made
    };
    (initial, exchanges.iter().map(|exchange| of_event(exchange.line)).collect())
}

impl Made {
    fn add(&mut self, completion: &Completion<'_>, logged: &Logged) {
        match logged {
            Logged::Request(request) => self.request = Some(completion.value(request)),
            Logged::Received => self.handler = Some(Vec::new()),
            Logged::Step(step) => self.before.push((*step, Vec::new())),
            Logged::Value { .. } | Logged::Element { .. } | Logged::Way(_) => {
                let last = self.handler.as_mut().or(self.before.last_mut().map(|(_, choices)| choices));
                if let Some(choices) = last {
                    choices.extend(known(completion, logged));
                }
            }
        }
    }
}

/// What was chosen, under a model; `None` where it stands in an arm that is not taken.
fn known(completion: &Completion<'_>, logged: &Logged) -> Option<Given> {
    match logged {
        Logged::Value { value, guard } => Given::Value(value.clone()).under(completion, guard.as_ref()),
        Logged::Element { value, guard } => Given::Element(value.clone()).under(completion, guard.as_ref()),
        Logged::Way(way) => Some(Given::Way(*way)),
        Logged::Received | Logged::Request(_) | Logged::Step(_) => None,
    }
}

/// Repeats the run on the concrete server and compares its answers with the observed ones.
fn replay(
    spec: &Arc<Spec>,
    initial: Vec<Given>,
    made: Vec<Made>,
    exchanges: &[Exchange],
) -> Result<Witness, WitnessError> {
    let mut server = Server::given(spec.clone(), initial.clone()).map_err(|stop| wrong(0, stop.to_string()))?;
    let initial_json = server.made_json();
    let mut steps = Vec::with_capacity(exchanges.len());
    for (exchange, made) in exchanges.iter().zip(made) {
        steps.push(replay_exchange(spec, &mut server, made, exchange)?);
    }
    Ok(Witness { initial, initial_json, steps })
}

fn wrong(line: u64, why: String) -> WitnessError {
    WitnessError::DoesNotReplay { line, why }
}

/// Repeats what the server did by itself, and then what it did with the request.
fn replay_exchange(
    spec: &Spec,
    server: &mut Server,
    made: Made,
    exchange: &Exchange,
) -> Result<WitnessStep, WitnessError> {
    let line = exchange.line;
    let stopped = |stop: Stop| wrong(line, stop.to_string());
    let mut before = Vec::with_capacity(made.before.len());
    for (step, choices) in made.before {
        server.step_given(step, choices.clone()).map_err(stopped)?;
        let site = spec.program.steps[step].site;
        before.push(WitnessOwn { step, site, choices, json: server.made_json() });
    }
    let skipped = WitnessStep {
        line,
        before,
        choices: Vec::new(),
        json: Vec::new(),
        request: made.request,
        reply: Reply::Nothing,
        skipped: true,
    };
    let Some(choices) = made.handler else { return Ok(skipped) };
    let request = skipped.request.as_ref().unwrap_or(&exchange.request);
    let reply = server.handle_given(request, exchange.client, choices.clone()).map_err(stopped)?;
    let shows = match &exchange.observed {
        Observed::Answer(answer) => {
            matches!(&reply, Reply::Answer(reply) if value::equal(reply, answer) == Ok(Truth::Known(true)))
        }
        Observed::Any => matches!(reply, Reply::Answer(_)),
        Observed::Nothing => reply == Reply::Nothing,
        Observed::Lost => true,
    };
    if !shows {
        return Err(wrong(line, "the server replies something else".to_owned()));
    }
    Ok(WitnessStep { choices, json: server.made_json(), reply, skipped: false, ..skipped })
}
