//! The script of a run over a network: the sections that the server runs before each observation, with their choices.
//!
//! ```text
//! c1 q5   c2 q3   c2 a0          before the third: the request of c1 with [7], that of c2 with []
//! ```

use std::iter::Peekable;

use crate::evidence::witness::made;
use crate::judge::{BegunSection, Candidate, Log, Logged};
use crate::process::Port;
use crate::server::{Completion, Given};
use crate::solve::Model;
use crate::spec::Types;
use crate::value::Value;

/// A run over a network, to be repeated.
pub(crate) struct ChoiceScript {
    /// The choices of the initial state.
    pub(crate) initial: Vec<Given>,
    /// The part of the run before and at each observation.
    pub(crate) observed: Vec<ScriptedEvent>,
}

/// The part of a run before and at an observation.
#[derive(Default)]
pub(crate) struct ScriptedEvent {
    /// The sections before the event.
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
    pub(crate) start: ScriptedStart,
    pub(crate) choices: Vec<Given>,
    /// Messages of the section that are copies of present ones, or that nobody sees.
    pub(crate) copies: Vec<(Port, Value)>,
}

/// The beginning of a section.
pub(crate) enum ScriptedStart {
    /// A section that an event on a connection begins, with all values known.
    Of(BegunSection),
    /// The internal step with this number.
    Step(usize),
}

impl ChoiceScript {
    /// The script of a candidate that explains all observations, with the values of a model.
    pub(crate) fn of(types: &Types, candidate: &Candidate, model: &Model) -> ChoiceScript {
        let completion = Completion { types, model, process: &candidate.process };
        let log: Vec<&Log> = candidate.log.iter().collect();
        let mut log = log.into_iter().rev().peekable();
        let initial = made::initial(&completion, &mut log);
        let events = std::iter::from_fn(|| ScriptedEvent::of(&completion, &mut log));
        ChoiceScript { initial, observed: events.collect() }
    }
}

impl ScriptedEvent {
    /// Takes the script of the next observation off a log; `None` after the last one. Losses after the last observation do not
    /// matter.
    fn of<'l>(completion: &Completion<'_>, log: &mut Peekable<impl Iterator<Item = &'l Log>>) -> Option<ScriptedEvent> {
        let mut event = ScriptedEvent::default();
        for Log { entry, .. } in log.by_ref() {
            match entry {
                Logged::Observed => return Some(event),
                Logged::Section(begun) => event.begin(ScriptedStart::Of(completed(completion, begun))),
                Logged::Step(step) => event.begin(ScriptedStart::Step(*step)),
                Logged::Request(value) => event.filled = Some(completion.value(value)),
                Logged::Seen(value) => event.seen = Some(completion.value(value)),
                Logged::Called(port) => event.called = *port,
                Logged::Copied => event.is_copy = true,
                Logged::NeverRead => event.never_read += 1,
                Logged::Dropped(port, value) => {
                    let section = event.sections.last_mut().filter(|_| event.seen.is_none());
                    let copies = section.map_or(&mut event.copies, |section| &mut section.copies);
                    copies.push((*port, completion.value(value)));
                }
                Logged::Value { .. } | Logged::Way(_) | Logged::Element { .. } => {
                    let choices = event.sections.last_mut().map(|section| &mut section.choices);
                    choices.into_iter().for_each(|choices| choices.extend(made::known(completion, entry)));
                }
                Logged::Received | Logged::Began(_) => {}
            }
        }
        None
    }

    fn begin(&mut self, start: ScriptedStart) {
        self.sections.push(ScriptedSection { start, choices: Vec::new(), copies: Vec::new() });
    }
}

/// The beginning of a section, with the values of a model.
fn completed(completion: &Completion<'_>, begun: &BegunSection) -> BegunSection {
    match begun {
        BegunSection::Request(port, value) => BegunSection::Request(*port, completion.value(value)),
        BegunSection::Task(_) | BegunSection::Opened(_) | BegunSection::Left(_) | BegunSection::Restarted => {
            begun.clone()
        }
    }
}
