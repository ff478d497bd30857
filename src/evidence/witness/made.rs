//! The choices of a run, and its repetition: the concrete server is given the choices, and must show what was observed.
//!
//! For example a recording has the request 3 and the answer 1. With the choice 7, the concrete server gives this answer.

use super::{Initial, WitnessError, WitnessOwn, WitnessStep};
use crate::judge::{Exchange, Log, Logged, Observed, notes_requests};
use crate::server::{Completion, Given, Reply, Server, Stop};
use crate::spec::Spec;
use crate::value::{self, Truth, Value};
use std::iter::Peekable;
use std::sync::Arc;

/// The choices of a run.
pub(crate) struct RunChoices {
    /// The choices of the initial state.
    pub(crate) initial: Vec<Given>,
    /// The choices of each exchange.
    pub(crate) made: Vec<ExchangeChoices>,
}

/// The choices of a run for one exchange.
#[derive(Default)]
pub(crate) struct ExchangeChoices {
    /// The internal steps before the request: the number of each, and its choices.
    before: Vec<(usize, Vec<Given>)>,
    /// The request in full, if the recording has a hole in it.
    request: Option<Value>,
    /// The choices of the request's handler; `None` if the request never took effect.
    handler: Option<Vec<Given>>,
}

impl RunChoices {
    /// Reads the choices on a path from its log, the first one first, with the values of a model.
    pub(crate) fn of<'l>(
        spec: &Spec,
        completion: &Completion<'_>,
        log: impl Iterator<Item = &'l Log>,
        exchanges: &[Exchange],
    ) -> RunChoices {
        let mut log = log.peekable();
        let initial = initial(completion, &mut log);
        let made = exchanges.iter().map(|exchange| ExchangeChoices::of(spec, completion, &mut log, exchange)).collect();
        RunChoices { initial, made }
    }
}

/// Takes the choices of the initial state off a log.
pub(crate) fn initial<'l>(
    completion: &Completion<'_>,
    log: &mut Peekable<impl Iterator<Item = &'l Log>>,
) -> Vec<Given> {
    let first = std::iter::from_fn(|| log.next_if(|entry| entry.event == 0));
    first.filter_map(|entry| known(completion, &entry.entry)).collect()
}

impl ExchangeChoices {
    /// Takes the choices of an exchange off a log.
    pub(crate) fn of<'l>(
        spec: &Spec,
        completion: &Completion<'_>,
        log: &mut Peekable<impl Iterator<Item = &'l Log>>,
        exchange: &Exchange,
    ) -> ExchangeChoices {
        let handler = (!notes_requests(spec, &exchange.observed)).then(Vec::new);
        let mut made = ExchangeChoices { handler, ..ExchangeChoices::default() };
        while let Some(entry) = log.next_if(|entry| entry.event == exchange.line) {
            made.add(completion, &entry.entry);
        }
        made
    }

    /// Puts the internal steps of an earlier exchange before these choices.
    pub(crate) fn after(self, mut earlier: ExchangeChoices) -> ExchangeChoices {
        earlier.before.extend(self.before);
        ExchangeChoices { before: earlier.before, ..self }
    }

    fn add(&mut self, completion: &Completion<'_>, logged: &Logged) {
        match logged {
            Logged::Request(request) => self.request = Some(completion.value(request)),
            Logged::Received => self.handler = Some(Vec::new()),
            Logged::Step(step) => self.before.push((*step, Vec::new())),
            Logged::Began(_)
            | Logged::Section(_)
            | Logged::Seen(_)
            | Logged::Called(_)
            | Logged::Copied
            | Logged::Dropped(..)
            | Logged::NeverRead
            | Logged::Observed => {}
            Logged::Value { .. } | Logged::Element { .. } | Logged::Way(_) => {
                let last = self.handler.as_mut().or(self.before.last_mut().map(|(_, choices)| choices));
                if let Some(choices) = last {
                    choices.extend(known(completion, logged));
                }
            }
        }
    }
}

/// The choice that an entry of a log stands for, with the value of a model; `None` if the entry is no choice, or is in an arm
/// that is not taken.
pub(crate) fn known(completion: &Completion<'_>, logged: &Logged) -> Option<Given> {
    match logged {
        Logged::Value { value, guard } => Given::Value(value.clone()).under(completion, guard.as_ref()),
        Logged::Element { value, guard } => Given::Element(value.clone()).under(completion, guard.as_ref()),
        Logged::Way(way) => Some(Given::Way(*way)),
        Logged::Received | Logged::Request(_) | Logged::Step(_) | Logged::Began(_) => None,
        Logged::Section(_)
        | Logged::Seen(_)
        | Logged::Called(_)
        | Logged::Copied
        | Logged::Dropped(..)
        | Logged::NeverRead
        | Logged::Observed => None,
    }
}

/// A server in the initial state that these choices lead to.
pub(crate) fn begin(spec: &Arc<Spec>, choices: Vec<Given>) -> Result<(Server, Initial), WitnessError> {
    let server = Server::given(spec.clone(), choices.clone()).map_err(|stop| wrong(spec, 0, stop.to_string()))?;
    let json = server.made_json();
    Ok((server, Initial { choices, json }))
}

/// The error for a run that does not show what was observed. If the specification chooses once for each element of a set, this
/// may happen with a correct witness, as the choices are in the order in which the elements were met.
pub(crate) fn wrong(spec: &Spec, line: u64, why: String) -> WitnessError {
    if spec.program.chooses_for_elements { WitnessError::Disordered } else { WitnessError::DoesNotReplay { line, why } }
}

/// Repeats the internal steps of the server before a request, and then the handling of the request.
pub(crate) fn repeat(
    spec: &Spec,
    server: &mut Server,
    made: ExchangeChoices,
    exchange: &Exchange,
) -> Result<WitnessStep, WitnessError> {
    let line = exchange.line;
    let stopped = |stop: Stop| wrong(spec, line, stop.to_string());
    let mut before = Vec::with_capacity(made.before.len());
    for (step, choices) in made.before {
        server.step_given(step, choices.clone()).map_err(stopped)?;
        let site = spec.program.steps[step].site;
        before.push(WitnessOwn { step, site, choices, json: server.made_json() });
    }
    let skipped = WitnessStep {
        line,
        after: None,
        before,
        choices: Vec::new(),
        json: Vec::new(),
        request: made.request,
        reply: Reply::Nothing,
        skipped: true,
    };
    let Some(choices) = made.handler else { return Ok(skipped) };
    let request = skipped.request.as_ref().unwrap_or(&exchange.request);
    let reply = match exchange.is_restart() {
        true => server.restart_given(choices.clone()).map(|()| Reply::Nothing),
        false => server.handle_given(request, exchange.client, choices.clone()),
    };
    let reply = reply.map_err(stopped)?;
    let shows = match &exchange.observed {
        Observed::Answer(answer) => {
            matches!(&reply, Reply::Answer(reply) if value::equal(reply, answer) == Ok(Truth::Known(true)))
        }
        Observed::Any => matches!(reply, Reply::Answer(_)),
        Observed::Nothing | Observed::Restarted => reply == Reply::Nothing,
        Observed::Lost => true,
    };
    if !shows {
        return Err(wrong(spec, line, "the server replies something else".to_owned()));
    }
    Ok(WitnessStep { choices, json: server.made_json(), reply, skipped: false, ..skipped })
}
