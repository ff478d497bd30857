//! A part of a witness: the run that shows some exchanges in a row, from a checkpoint into a given state.
//!
//! The exchanges are judged with the choices of every path kept. A model of what is left at the end, in which the memory is the
//! given state, is extended backwards to all variables that were forgotten on the way, which gives every choice its value, and
//! the checkpoint its state; the concrete server then repeats the run. For example from `n >= 3` into `n = 7` by (9, 1):
//! the run begins with `n = 3` and chooses 7.

use std::sync::Arc;

use super::witness::{Initial, WitnessError, WitnessOwn, WitnessStep};
use crate::dualize::{Candidate, Doubt, Exchange, Judge, Log, Logged, Observed, Options, Verdict};
use crate::server::{Completion, Given, Reply, Server, Stop};
use crate::solve::{Answer, Model, Why};
use crate::spec::Spec;
use crate::term::Term;
use crate::value::{self, Truth, Value};

/// Where a run is to begin.
pub(super) enum Begin<'b> {
    /// In an initial state.
    Initially(&'b Options),
    /// In one of the states that a judge knows.
    At(&'b Judge),
}

/// What a run begins with.
pub(super) enum Begun {
    /// The choices of the initial state.
    Initial(Initial),
    /// A state: the values of the variables.
    State(Vec<Value>),
}

/// Finds a run that shows the exchanges, and ends in the state if one is given; replays it.
///
/// # Errors
/// There is none, or the values could not be found.
pub(super) fn run(
    spec: &Arc<Spec>,
    begin: Begin<'_>,
    exchanges: &[Exchange],
    into: Option<&[Value]>,
) -> Result<(Begun, Vec<WitnessStep>), WitnessError> {
    let (mut judge, starts) = match begin {
        Begin::Initially(options) => {
            (Judge::new(spec.clone(), Options { keep_choices: true, ..options.clone() }), [].as_slice())
        }
        Begin::At(before) => (before.keeping_choices(), before.candidates()),
    };
    exchanges.iter().all(|exchange| judge.observe(exchange));
    accepted(&judge.verdict())?;
    let (candidate, model) = explanation(&mut judge, into)?;
    let completion = Completion { types: &spec.types, model: &model, process: &candidate.process };
    let made = Choices::of(&completion, &candidate, exchanges);
    let start = made.began.and_then(|number| starts.get(number));
    let state = start.map(|start| state(&Completion { process: &start.process, ..completion }, start));
    replay(spec, state, made, exchanges, into)
}

/// Keeping what was chosen, the solver may have to be asked more than the judge had to ask, and give up.
fn accepted(verdict: &Verdict) -> Result<(), WitnessError> {
    match verdict {
        Verdict::Accept { .. } => Ok(()),
        Verdict::Unknown { doubt: Doubt::Solver(why), .. } => Err(WitnessError::Undecided(Answer::Unknown(*why))),
        Verdict::Unknown { doubt: Doubt::Limit(_), .. } => Err(WitnessError::Undecided(Answer::Unknown(Why::Effort))),
        Verdict::Reject { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => Err(WitnessError::NotAccepted),
    }
}

/// The state that a candidate is under a model.
fn state(completion: &Completion<'_>, candidate: &Candidate) -> Vec<Value> {
    candidate.process.memory.iter().map(|slot| completion.value(slot)).collect()
}

/// A candidate that may be in the state, and a model in which it is.
fn explanation(judge: &mut Judge, into: Option<&[Value]>) -> Result<(Candidate, Model), WitnessError> {
    let clean: Vec<Candidate> = judge.candidates().iter().filter(|candidate| candidate.is_clean()).cloned().collect();
    let mut failed = WitnessError::Undecided(Answer::Unsat);
    for candidate in clean {
        match complete_model(judge, &candidate, into) {
            Ok(model) => return Ok((candidate, model)),
            Err(Answer::Unsat) => {}
            Err(answer) => failed = WitnessError::Undecided(answer),
        }
    }
    Err(failed)
}

/// A model of the candidate's variables, those that were forgotten included.
fn complete_model(judge: &mut Judge, candidate: &Candidate, into: Option<&[Value]>) -> Result<Model, Answer> {
    let there = into.map_or(Ok(Vec::new()), |state| conditions(candidate, state))?;
    let mut model = candidate.store.model(&there, judge.solver(), &mut |_| 0)?;
    // Variables of the memory that nothing restricts get the simplest value of their sort.
    for slot in candidate.process.memory.iter().chain(candidate.process.seen().map(|(_, value)| value)) {
        slot.visit_variables(&mut |var| {
            if model.get(var).is_none() && candidate.store.binding(var).is_none() {
                model.insert(var, var.sort.simplest());
            }
        });
    }
    let Some(trail) = candidate.store.trail() else { return Ok(model) };
    match model.extend(trail, judge.solver()) {
        Answer::Sat => Ok(model),
        answer => Err(answer),
    }
}

/// On what conditions a candidate is in a state.
fn conditions(candidate: &Candidate, state: &[Value]) -> Result<Vec<Term>, Answer> {
    let mut conditions = Vec::new();
    for (slot, wanted) in candidate.process.memory.iter().zip(state).filter(|(slot, wanted)| slot != wanted) {
        match value::equal(&candidate.process.expanded(slot), wanted) {
            Ok(Truth::Known(true)) => {}
            Ok(Truth::Known(false)) => return Err(Answer::Unsat),
            Ok(Truth::Term(condition)) => conditions.push(condition),
            // A map whose keys are not told apart: another candidate, or a longer part, may do.
            Err(_) => return Err(Answer::Unknown(Why::Effort)),
        }
    }
    Ok(conditions)
}

/// What a run chose.
struct Choices {
    /// The candidate that it began in.
    began: Option<usize>,
    /// The choices of the initial state.
    initial: Vec<Given>,
    /// Those of each exchange.
    made: Vec<Made>,
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

impl Choices {
    /// What the log of a candidate says, under a model.
    fn of(completion: &Completion<'_>, candidate: &Candidate, exchanges: &[Exchange]) -> Choices {
        let log = std::iter::successors(candidate.log.as_deref(), |entry| entry.before.as_deref());
        let mut log: Vec<&Log> = log.collect();
        let began = match log.last() {
            Some(Log { entry: Logged::Began(number), .. }) => Some(*number),
            Some(_) | None => None,
        };
        if began.is_some() {
            log.pop();
        }
        let mut log = log.into_iter().rev().peekable();
        let initial = std::iter::from_fn(|| log.next_if(|entry| entry.event == 0));
        let initial = initial.filter_map(|entry| known(completion, &entry.entry)).collect();
        let mut of_event = |event: u64| {
            let mut made = Made::default();
            while let Some(entry) = log.next_if(|entry| entry.event == event) {
                made.add(completion, &entry.entry);
            }
            made
        };
        let made = exchanges.iter().map(|exchange| of_event(exchange.line)).collect();
        Choices { began, initial, made }
    }
}

impl Made {
    fn add(&mut self, completion: &Completion<'_>, logged: &Logged) {
        match logged {
            Logged::Request(request) => self.request = Some(completion.value(request)),
            Logged::Received => self.handler = Some(Vec::new()),
            Logged::Step(step) => self.before.push((*step, Vec::new())),
            Logged::Began(_) => {}
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
        Logged::Received | Logged::Request(_) | Logged::Step(_) | Logged::Began(_) => None,
    }
}

/// Repeats the run on the concrete server, and compares its answers with the observed ones and its last state with the given
/// one.
fn replay(
    spec: &Arc<Spec>,
    state: Option<Vec<Value>>,
    choices: Choices,
    exchanges: &[Exchange],
    into: Option<&[Value]>,
) -> Result<(Begun, Vec<WitnessStep>), WitnessError> {
    let (mut server, begun) = match state {
        Some(state) => (Server::resumed(spec.clone(), state.clone()), Begun::State(state)),
        None => {
            let server = Server::given(spec.clone(), choices.initial.clone());
            let server = server.map_err(|stop| wrong(0, stop.to_string()))?;
            let json = server.made_json();
            (server, Begun::Initial(Initial { choices: choices.initial, json }))
        }
    };
    let mut steps = Vec::with_capacity(exchanges.len());
    for (exchange, made) in exchanges.iter().zip(choices.made) {
        steps.push(replay_exchange(spec, &mut server, made, exchange)?);
    }
    if into.is_some_and(|state| state != server.state()) {
        let line = exchanges.last().map_or(0, |exchange| exchange.line);
        return Err(wrong(line, "the run ends in another state".to_owned()));
    }
    Ok((begun, steps))
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
