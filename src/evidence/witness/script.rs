//! The script of a run: the sections that the server runs for each exchange, or before each observation over a network, with their
//! choices.
//!
//! ```text
//! c1 q5   c2 q3   c2 a0          before the third: the request of c1 with [7], that of c2 with []
//! ```

use std::iter::Peekable;

use crate::judge::{Candidate, Exchange, Log, Logged, notes_requests};
use crate::process::{Port, SectionStart};
use crate::server::{Completion, Given};
use crate::solve::Model;
use crate::spec::{Spec, Types};
use crate::value::Value;

/// A run, to be repeated.
pub(crate) struct ChoiceScript {
    /// The choices of the initial state.
    pub(crate) initial: Vec<Given>,
    /// The part of the run for each exchange, or before and at each observation.
    pub(crate) observed: Vec<ScriptedEvent>,
}

/// The part of a run for an exchange, or before and at an observation.
#[derive(Default)]
pub(crate) struct ScriptedEvent {
    /// The sections for the exchange, or before the event.
    pub(crate) sections: Vec<ScriptedSection>,
    /// The request, or the answer of a peer, in full, if the recording has a hole in it.
    pub(crate) filled: Option<Value>,
    /// Set if the request that arrives is a copy of one that is there already.
    pub(crate) is_copy: bool,
    /// The message that is seen, if several messages under way may be.
    pub(crate) seen: Option<Value>,
    /// Messages that turn out to be copies of present ones, or that nobody sees.
    pub(crate) copies: Vec<(Port, Value)>,
    /// The number of last requests, on the connection that the client gives up, that are never read.
    pub(crate) never_read: usize,
    /// The connection whose task waits for the call that is seen; `None` if no task waits.
    pub(crate) called: Option<Port>,
}

/// A section, and what the server chooses in it.
pub(crate) struct ScriptedSection {
    /// The beginning of the section, with all values known.
    pub(crate) start: SectionStart,
    pub(crate) choices: Vec<Given>,
    /// The calls whose answers have arrived before the section, of those that peers have sent.
    pub(crate) arrived: Vec<u64>,
    /// Messages of the section that are copies of present ones, or that nobody sees.
    pub(crate) copies: Vec<(Port, Value)>,
}

impl ChoiceScript {
    /// The script of a candidate that explains all observations over a network, with the values of a model.
    pub(crate) fn of(types: &Types, candidate: &Candidate, model: &Model) -> ChoiceScript {
        let completion = Completion { types, model, process: &candidate.process };
        let log: Vec<&Log> = candidate.log.iter().collect();
        let mut log = log.into_iter().rev().peekable();
        let initial = initial(&completion, &mut log);
        let events = std::iter::from_fn(|| ScriptedEvent::of(&completion, &mut log));
        ChoiceScript { initial, observed: events.collect() }
    }

    /// The script of a path through some exchanges, from its log, the first entry first, with the values of a model.
    pub(crate) fn of_exchanges<'l>(
        spec: &Spec,
        completion: &Completion<'_>,
        log: impl Iterator<Item = &'l Log>,
        exchanges: &[Exchange],
    ) -> ChoiceScript {
        let mut log = log.peekable();
        let initial = initial(completion, &mut log);
        let events = exchanges.iter().map(|exchange| ScriptedEvent::of_exchange(spec, completion, &mut log, exchange));
        ChoiceScript { initial, observed: events.collect() }
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

impl ScriptedEvent {
    /// Takes the script of the next observation off a log; `None` after the last one. Losses after the last observation do not
    /// matter.
    fn of<'l>(completion: &Completion<'_>, log: &mut Peekable<impl Iterator<Item = &'l Log>>) -> Option<ScriptedEvent> {
        let mut event = ScriptedEvent::default();
        for Log { entry, .. } in log.by_ref() {
            if *entry == Logged::Observed {
                return Some(event);
            }
            event.add(completion, entry);
        }
        None
    }

    /// Takes the script of an exchange off a log: internal steps, and then the request, unless it never took effect.
    pub(crate) fn of_exchange<'l>(
        spec: &Spec,
        completion: &Completion<'_>,
        log: &mut Peekable<impl Iterator<Item = &'l Log>>,
        exchange: &Exchange,
    ) -> ScriptedEvent {
        let mut event = ScriptedEvent::default();
        let start = || match exchange.is_restart() {
            true => SectionStart::Restarted,
            false => SectionStart::Request(Port(exchange.client), exchange.request.clone()),
        };
        if !notes_requests(spec, &exchange.observed) {
            event.begin(start());
        }
        while let Some(Log { entry, .. }) = log.next_if(|entry| entry.event == exchange.line) {
            match entry {
                Logged::Received => event.begin(start()),
                entry => event.add(completion, entry),
            }
        }
        if let (Some(filled), Some(ScriptedSection { start: SectionStart::Request(_, request), .. })) =
            (&event.filled, event.sections.last_mut())
        {
            request.clone_from(filled);
        }
        event
    }

    fn add(&mut self, completion: &Completion<'_>, entry: &Logged) {
        match entry {
            Logged::Section(SectionStart::Request(port, value)) => {
                self.begin(SectionStart::Request(*port, completion.value(value)));
            }
            Logged::Section(start) => self.begin(start.clone()),
            Logged::Step(step) => self.begin(SectionStart::Step(*step)),
            Logged::Request(value) => self.filled = Some(completion.value(value)),
            Logged::Seen(value) => self.seen = Some(completion.value(value)),
            Logged::Called(port) => self.called = *port,
            Logged::Arrived(exchanges) => {
                self.sections.last_mut().into_iter().for_each(|section| section.arrived.clone_from(exchanges));
            }
            Logged::Copied => self.is_copy = true,
            Logged::NeverRead => self.never_read += 1,
            Logged::Dropped(port, value) => {
                let section = self.sections.last_mut().filter(|_| self.seen.is_none());
                let copies = section.map_or(&mut self.copies, |section| &mut section.copies);
                copies.push((*port, completion.value(value)));
            }
            Logged::Value { .. } | Logged::Way(_) | Logged::Element { .. } => {
                let choices = self.sections.last_mut().map(|section| &mut section.choices);
                choices.into_iter().for_each(|choices| choices.extend(known(completion, entry)));
            }
            Logged::Received | Logged::Began(_) | Logged::Observed => {}
        }
    }

    fn begin(&mut self, start: SectionStart) {
        self.sections.push(ScriptedSection { start, choices: Vec::new(), arrived: Vec::new(), copies: Vec::new() });
    }
}

/// The choice that an entry of a log stands for, with the value of a model; `None` if the entry is no choice, or is in an arm
/// that is not taken.
fn known(completion: &Completion<'_>, logged: &Logged) -> Option<Given> {
    match logged {
        Logged::Value { value, guard } => Given::Value(value.clone()).under(completion, guard.as_ref()),
        Logged::Element { value, guard } => Given::Element(value.clone()).under(completion, guard.as_ref()),
        Logged::Way(way) => Some(Given::Way(*way)),
        _ => None,
    }
}
