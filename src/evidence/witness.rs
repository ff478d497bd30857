//! A run of the specification that shows exactly what was observed: the completeness of dualizing, made visible.
//!
//! The trace is judged again with the choices of every path kept. A model of what is left at the end is extended backwards
//! to all variables that were forgotten on the way, which gives every choice its value; the concrete server then repeats
//! the run.

use std::fmt;
use std::sync::Arc;

use super::example::under;
use crate::dualize::{Candidate, Exchange, Judge, Logged, Observed, Options, Verdict};
use crate::server::{Given, Reply, Server, Stop};
use crate::solve::{Answer, Model};
use crate::spec::Spec;

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
    /// What the server chose.
    pub choices: Vec<Given>,
    /// The same as JSON.
    pub json: Vec<String>,
    /// What it replied (which fills a hole).
    pub reply: Reply,
    /// Whether the request was lost before it had any effect.
    pub skipped: bool,
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
    let (initial, chosen) = choices(&candidate, &model, exchanges);
    replay(spec, initial, chosen, exchanges)
}

/// A model of the candidate's variables, those that were forgotten included.
fn complete_model(judge: &mut Judge, candidate: &Candidate) -> Result<Model, WitnessError> {
    let mut model = candidate.store.model(&[], judge.solver(), &mut |_| 0).map_err(WitnessError::Undecided)?;
    // Variables of the memory that nothing restricts get the simplest value of their sort.
    for slot in &candidate.process.memory {
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

type Chosen = Vec<Option<Vec<Given>>>;

/// The choices of the initial state and of each exchange; `None` for a request that never took effect.
fn choices(candidate: &Candidate, model: &Model, exchanges: &[Exchange]) -> (Vec<Given>, Chosen) {
    let mut log = Vec::new();
    let mut at = candidate.log.as_ref();
    while let Some(entry) = at {
        log.push(entry);
        at = entry.before.as_ref();
    }
    let mut log = log.into_iter().rev().peekable();
    let mut of_event = |event: u64| {
        let mut made = None;
        while let Some(entry) = log.next_if(|entry| entry.event == event) {
            let made: &mut Vec<Given> = made.get_or_insert_with(Vec::new);
            made.extend(known(model, &entry.entry));
        }
        made
    };
    let initial = of_event(0).unwrap_or_default();
    let chosen = exchanges.iter().map(|exchange| of_event(exchange.line)).collect();
    (initial, chosen)
}

/// What was chosen, under a model; `None` where it stands in an arm that is not taken.
fn known(model: &Model, logged: &Logged) -> Option<Given> {
    let guard = match logged {
        Logged::Value { guard, .. } | Logged::Element { guard, .. } => guard.as_ref(),
        Logged::Way(_) | Logged::Received => None,
    };
    if guard.is_some_and(|guard| model.eval_or_simplest(guard).and_then(|truth| truth.as_bool()) == Some(false)) {
        return None;
    }
    Some(match logged {
        Logged::Value { value, .. } => Given::Value(under(model, value)),
        Logged::Element { value, .. } => Given::Element(under(model, value)),
        Logged::Way(way) => Given::Way(*way),
        Logged::Received => return None,
    })
}

/// Repeats the run on the concrete server and compares its answers with the observed ones.
fn replay(
    spec: &Arc<Spec>,
    initial: Vec<Given>,
    chosen: Chosen,
    exchanges: &[Exchange],
) -> Result<Witness, WitnessError> {
    let wrong = |line: u64, why: String| WitnessError::DoesNotReplay { line, why };
    let stopped = |line: u64| move |stop: Stop| wrong(line, stop.to_string());
    let mut server = Server::given(spec.clone(), initial.clone()).map_err(stopped(0))?;
    let initial_json = server.made_json();
    let mut steps = Vec::with_capacity(exchanges.len());
    for (exchange, choices) in exchanges.iter().zip(chosen) {
        let line = exchange.line;
        let Some(choices) = choices else {
            steps.push(WitnessStep {
                line,
                choices: Vec::new(),
                json: Vec::new(),
                reply: Reply::Nothing,
                skipped: true,
            });
            continue;
        };
        let reply = server.handle_given(&exchange.request, exchange.client, choices.clone()).map_err(stopped(line))?;
        let shows = match &exchange.observed {
            Observed::Answer(answer) => reply == Reply::Answer(answer.clone()),
            Observed::Any => matches!(reply, Reply::Answer(_)),
            Observed::Nothing => reply == Reply::Nothing,
            Observed::Lost => true,
        };
        if !shows {
            return Err(wrong(line, "the server replies something else".to_owned()));
        }
        steps.push(WitnessStep { line, choices, json: server.made_json(), reply, skipped: false });
    }
    Ok(Witness { initial, initial_json, steps })
}
