//! The names of the events of a recording: the line, the operation or the entry of the file that an event stands for.
//!
//! Events have numbers, which increase from one event to the next. In a recording with one event a line, the number is the line. Other
//! files have several events on a line, or events in another order than their lines; the number says nothing to people there.
//!
//! ```
//! use mayhap::trace::{EventPlace, Places};
//! let mut places = Places::default();
//! assert_eq!(places.at(5), "line 5");
//! places.note(1, EventPlace::OnLine { line: 1, nth: 1 });
//! places.note(2, EventPlace::OnLine { line: 1, nth: 2 });
//! places.note(3, EventPlace::Entry { entry: 7, started: "2026-01-02T10:00:00.120Z".into() });
//! assert_eq!([1, 2].map(|event| places.at(event)), ["operation 1 of line 1", "operation 2 of line 1"]);
//! assert_eq!(places.at(3), "entry 7 (2026-01-02T10:00:00.120Z)");
//! assert_eq!(places.all(&[2, 3]), "operation 2 of line 1, entry 7");
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

/// The place of an event in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventPlace {
    /// An operation on a line.
    OnLine {
        /// The line, from 1.
        line: u64,
        /// The number of the operation among those that begin on this line, from 1.
        nth: u32,
    },
    /// An entry of a HAR file.
    Entry {
        /// Its number, from 1.
        entry: u64,
        /// The time at which it started, as the file writes it.
        started: Arc<str>,
    },
    /// A request of a test, or its answer: its step, from 1.
    Step(u64),
    /// An event of a test that belongs to no request, in words: `the end of the connection`.
    Words(&'static str),
}

/// The places of the events of a recording, by the numbers of the events.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Places {
    noted: Arc<NotedPlaces>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct NotedPlaces {
    /// The events whose number is not simply their line, in order.
    events: Vec<(u64, EventPlace)>,
    /// The lines with several operations.
    shared: BTreeSet<u64>,
}

impl Places {
    /// Notes the place of the next event, whose number is greater than those of the events before.
    pub fn note(&mut self, number: u64, place: EventPlace) {
        match place {
            EventPlace::OnLine { line, nth: 1 } if line == number => {}
            EventPlace::OnLine { line, nth } => {
                let noted = Arc::make_mut(&mut self.noted);
                if nth > 1 {
                    noted.shared.insert(line);
                }
                noted.events.push((number, place));
            }
            EventPlace::Entry { .. } | EventPlace::Step(_) | EventPlace::Words(_) => {
                Arc::make_mut(&mut self.noted).events.push((number, place));
            }
        }
    }

    /// The line of an event; its number if it has none.
    #[must_use]
    pub fn line(&self, number: u64) -> u64 {
        match self.noted(number) {
            Some(EventPlace::OnLine { line, .. }) => *line,
            Some(EventPlace::Entry { .. } | EventPlace::Step(_) | EventPlace::Words(_)) | None => number,
        }
    }

    /// Tests whether the number of every event is its line.
    #[must_use]
    pub fn are_lines(&self) -> bool {
        self.noted.events.is_empty()
    }

    /// The name of an event: `line 5`.
    #[must_use]
    pub fn at(&self, number: u64) -> String {
        match self.noted(number) {
            Some(EventPlace::Entry { entry, started }) => format!("entry {entry} ({started})"),
            _ => self.short(number),
        }
    }

    /// The names of several events: `lines 5, 7`.
    #[must_use]
    pub fn all(&self, numbers: &[u64]) -> String {
        if let [number] = numbers {
            return self.at(*number);
        }
        if self.are_lines() {
            return format!("lines {}", numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", "));
        }
        let steps: Option<Vec<u64>> = numbers.iter().map(|number| self.step(*number)).collect();
        if let Some(mut steps) = steps.filter(|steps| !steps.is_empty()) {
            steps.dedup();
            let listed = steps.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            return format!("{} {listed}", if steps.len() == 1 { "step" } else { "steps" });
        }
        numbers.iter().map(|number| self.short(*number)).collect::<Vec<_>>().join(", ")
    }

    /// The name of all events between two, these included: `lines 5 to 7`.
    #[must_use]
    pub fn between(&self, from: u64, to: u64) -> String {
        match (self.step(from), self.step(to)) {
            _ if self.are_lines() => format!("lines {from} to {to}"),
            (Some(from), Some(to)) if from == to => format!("step {from}"),
            (Some(from), Some(to)) => format!("steps {from} to {to}"),
            _ => format!("{} to {}", self.short(from), self.short(to)),
        }
    }

    /// Tests whether an event belongs to no request, so that it is named in words.
    #[must_use]
    pub fn is_unasked(&self, number: u64) -> bool {
        matches!(self.noted(number), Some(EventPlace::Words(_)))
    }

    fn step(&self, number: u64) -> Option<u64> {
        match self.noted(number)? {
            EventPlace::Step(step) => Some(*step),
            EventPlace::OnLine { .. } | EventPlace::Entry { .. } | EventPlace::Words(_) => None,
        }
    }

    /// The name of an event without a time.
    fn short(&self, number: u64) -> String {
        match self.noted(number) {
            Some(EventPlace::Entry { entry, .. }) => format!("entry {entry}"),
            Some(EventPlace::Step(step)) => format!("step {step}"),
            Some(EventPlace::Words(words)) => (*words).to_owned(),
            Some(EventPlace::OnLine { line, nth }) if self.noted.shared.contains(line) => {
                format!("operation {nth} of line {line}")
            }
            Some(EventPlace::OnLine { line, .. }) => format!("line {line}"),
            None if self.noted.shared.contains(&number) => format!("operation 1 of line {number}"),
            None => format!("line {number}"),
        }
    }

    fn noted(&self, number: u64) -> Option<&EventPlace> {
        let events = &self.noted.events;
        let at = events.binary_search_by_key(&number, |(own, _)| *own).ok()?;
        events.get(at).map(|(_, place)| place)
    }
}
