//! A part of a witness: the run that shows some exchanges in a row, from a checkpoint into a given state.
//!
//! The exchanges are judged with the choices of every path kept. A model of the remaining constraints, with the memory equal to
//! the given state, is extended backwards to all eliminated variables. It gives every choice its value, and the checkpoint its
//! state. The concrete server then repeats the run. For example from `n >= 3` into `n = 7` by (9, 1): the run begins with `n = 3`
//! and chooses 7.

use std::sync::Arc;

use super::made;
use super::script::ChoiceScript;
use super::{Initial, WitnessError, WitnessStep};
use crate::judge::{Candidate, Doubt, Exchange, Judge, Log, Logged, Options, Patience, Verdict};
use crate::server::{Completion, Server};
use crate::solve::{Answer, Model, Why};
use crate::spec::Spec;
use crate::term::Term;
use crate::value::{self, Truth, Value};

/// The state in which a run is to begin.
pub(crate) enum Begin<'b> {
    /// An initial state.
    Initially(&'b Options),
    /// One of the states that a judge considers possible.
    At(&'b Judge),
}

/// The beginning of a run that was found: the choices of an initial state, or a state.
pub(crate) enum SegmentStart {
    /// The choices of the initial state.
    Initial(Initial),
    /// The values of the variables in a state.
    State(Vec<Value>),
}

/// The reason why there is no run.
pub(crate) enum SegmentError {
    /// Too many explanations, or too hard questions, after this number of exchanges: fewer exchanges may do.
    TooMany {
        /// The number of exchanges.
        after: usize,
    },
    /// No run was found that ends in the given state. As the server may still take steps, there may be one from a nearer
    /// checkpoint.
    Misfit,
    /// Another error.
    Failed(WitnessError),
}

impl From<WitnessError> for SegmentError {
    fn from(error: WitnessError) -> SegmentError {
        SegmentError::Failed(error)
    }
}

impl From<SegmentError> for WitnessError {
    fn from(error: SegmentError) -> WitnessError {
        match error {
            SegmentError::TooMany { .. } => WitnessError::TooMany,
            SegmentError::Misfit => WitnessError::Undecided(Answer::Unsat),
            SegmentError::Failed(error) => error,
        }
    }
}

/// Finds a run that shows the exchanges, and replays it. The run ends in the state `into`, if one is given.
///
/// # Errors
/// There is no such run, the values could not be found, or it would cost too much.
pub(crate) fn run(
    spec: &Arc<Spec>,
    begin: Begin<'_>,
    exchanges: &[Exchange],
    into: Option<&[Value]>,
    patience: Patience,
) -> Result<(SegmentStart, Vec<WitnessStep>), SegmentError> {
    let (mut judge, starts) = match begin {
        Begin::Initially(options) => (Judge::new(spec.clone(), options.keeping_choices(patience)), [].as_slice()),
        Begin::At(before) => (before.keeping_choices(patience), before.candidates()),
    };
    // If only a few explanations are followed after a limit, none of them is likely to end in a given state.
    let follows_few = patience == Patience::All && (into.is_none() || exchanges.len() == 1);
    for (after, exchange) in exchanges.iter().enumerate() {
        judge.observe(exchange);
        if judge.is_cut() && !follows_few {
            return Err(SegmentError::TooMany { after });
        }
    }
    accepted(&judge.verdict())?;
    let (state, made) = chosen(spec, &mut judge, starts, exchanges, into).map_err(|error| match error {
        WitnessError::Undecided(answer) if patience == Patience::Little && answer != Answer::Unsat => {
            SegmentError::TooMany { after: exchanges.len() }
        }
        WitnessError::Undecided(Answer::Unsat) if patience == Patience::Little => SegmentError::Misfit,
        error => error.into(),
    })?;
    Ok(replay(spec, state, made, exchanges, into)?)
}

/// The state in which a run begins, and its choices. The run leads to a state that the judge considers possible, and to the given
/// one if there is one. The state is `None` if the run begins in an initial state.
pub(crate) fn chosen(
    spec: &Spec,
    judge: &mut Judge,
    starts: &[Candidate],
    exchanges: &[Exchange],
    into: Option<&[Value]>,
) -> Result<(Option<Vec<Value>>, ChoiceScript), WitnessError> {
    let (candidate, model) = explanation(judge, into, &Model::default())?;
    let completion = Completion { types: &spec.types, model: &model, process: &candidate.process };
    let mut log: Vec<&Log> = candidate.log.iter().collect();
    let began = log.pop_if(|first| matches!(first.entry, Logged::Began(_)));
    let made = ChoiceScript::of_exchanges(spec, &completion, log.into_iter().rev(), exchanges);
    let start = began.and_then(|began| if let Logged::Began(number) = began.entry { starts.get(number) } else { None });
    let state = start.map(|start| state(&Completion { process: &start.process, ..completion }, start));
    Ok((state, made))
}

/// Checks the verdict of a judgement with choices kept. The solver may have given up, as it is asked more than without them.
pub(crate) fn accepted(verdict: &Verdict) -> Result<(), WitnessError> {
    match verdict {
        Verdict::Accept { .. } => Ok(()),
        Verdict::Unknown { doubt: Doubt::Solver(why), .. } => Err(WitnessError::Undecided(Answer::Unknown(*why))),
        Verdict::Unknown { doubt: Doubt::Limit(_), .. } => Err(WitnessError::TooMany),
        Verdict::Reject { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => Err(WitnessError::NotAccepted),
    }
}

/// The state of a candidate under a model.
fn state(completion: &Completion<'_>, candidate: &Candidate) -> Vec<Value> {
    candidate.process.memory.iter().map(|slot| completion.value(slot)).collect()
}

/// A candidate that may be in the state, and a model that extends the given values and puts it there.
pub(crate) fn explanation(
    judge: &mut Judge,
    into: Option<&[Value]>,
    decided: &Model,
) -> Result<(Candidate, Model), WitnessError> {
    let clean: Vec<Candidate> = judge.candidates().iter().filter(|candidate| candidate.is_clean()).cloned().collect();
    let mut failed = WitnessError::Undecided(Answer::Unsat);
    for candidate in clean {
        match complete_model(judge, &candidate, into, decided) {
            Ok(model) => return Ok((candidate, model)),
            Err(Answer::Unsat) => {}
            Err(answer) => failed = WitnessError::Undecided(answer),
        }
    }
    Err(failed)
}

/// A model of all variables of the candidate, with the eliminated ones.
fn complete_model(
    judge: &mut Judge,
    candidate: &Candidate,
    into: Option<&[Value]>,
    decided: &Model,
) -> Result<Model, Answer> {
    let there = into.map_or(Ok(Vec::new()), |state| conditions(candidate, state))?;
    let mut model = candidate.store.model(&there, judge.solver(), &mut |_| 0)?;
    // Variables of the memory that no constraint mentions get the simplest value of their sort.
    for slot in candidate.process.memory.iter().chain(candidate.process.unknowns.seen().map(|(_, value)| value)) {
        slot.visit_variables(&mut |var| {
            if model.get(var).is_none() && candidate.store.binding(var).is_none() {
                model.insert(var, var.sort.simplest());
            }
        });
    }
    decided.iter().for_each(|(var, value)| model.insert(var, value.clone()));
    let Some(trail) = candidate.store.trail() else { return Ok(model) };
    match model.extend(trail, judge.solver()) {
        Answer::Sat => Ok(model),
        answer => Err(answer),
    }
}

/// The conditions under which a candidate is in a state; an error if it cannot be in the state, or this is undecided.
fn conditions(candidate: &Candidate, state: &[Value]) -> Result<Vec<Term>, Answer> {
    let mut conditions = Vec::new();
    for (slot, wanted) in candidate.process.memory.iter().zip(state).filter(|(slot, wanted)| slot != wanted) {
        match value::equal(&candidate.process.unknowns.expanded(slot), wanted) {
            Ok(Truth::Known(true)) => {}
            Ok(Truth::Known(false)) => return Err(Answer::Unsat),
            Ok(Truth::Term(condition)) => conditions.push(condition),
            // The keys of a map could not be told apart. Another candidate, or a longer part, may do.
            Err(_) => return Err(Answer::Unknown(Why::Effort)),
        }
    }
    Ok(conditions)
}

/// Tests whether one of the candidates certainly may be in a state.
pub(crate) fn is_among(judge: &mut Judge, candidates: &[Candidate], state: &[Value]) -> bool {
    let mut clean = candidates.iter().filter(|candidate| candidate.is_clean());
    clean.any(|candidate| {
        conditions(candidate, state)
            .is_ok_and(|there| candidate.store.check(&Term::and_all(there), judge.solver()) == Answer::Sat)
    })
}

/// Repeats the run on the concrete server. Compares the answers with the observed ones, and the last state with the given one.
pub(crate) fn replay(
    spec: &Arc<Spec>,
    state: Option<Vec<Value>>,
    script: ChoiceScript,
    exchanges: &[Exchange],
    into: Option<&[Value]>,
) -> Result<(SegmentStart, Vec<WitnessStep>), WitnessError> {
    let (mut server, begun) = match state {
        Some(state) => (Server::resumed(spec.clone(), state.clone()), SegmentStart::State(state)),
        None => {
            let (server, initial) = made::begin(spec, script.initial)?;
            (server, SegmentStart::Initial(initial))
        }
    };
    let mut steps = Vec::with_capacity(exchanges.len());
    for (exchange, scripted) in exchanges.iter().zip(script.observed) {
        steps.push(made::repeat(spec, &mut server, scripted, exchange)?);
    }
    if into.is_some_and(|state| state != server.state()) {
        let line = exchanges.last().map_or(0, |exchange| exchange.line);
        return Err(made::wrong(spec, line, "the run ends in another state".to_owned()));
    }
    Ok((begun, steps))
}
