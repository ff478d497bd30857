//! Operations as events: each request finds what became of it, and one that failed is dropped where that is the rule.
//!
//! ```text
//!   0 :invoke :cas [1 2]   1 :invoke :read   1 :ok :read 3   0 :fail :cas [1 2]
//!
//!   :fail is an answer     {"c": 0, "q": …}  {"c": 1, "q": …}  {"c": 1, "a": …}  {"c": 0, "a": "Fail"}
//!   :fail is dropped                         {"c": 1, "q": …}  {"c": 1, "a": …}     what comes after a request waits for its end
//! ```

use super::super::event::{EventKind, TraceEvent};
use super::event::{JepsenCounts, JepsenEvent};
use super::operation::{JepsenRecord, Operation, OperationKind};
use super::rules::{FailRule, JepsenRules};
use crate::json::{Decoded, JsonError};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The part of an exchange that a text stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExchangePart {
    /// The request.
    Request,
    /// Its answer.
    Answer,
}

/// Makes the value out of the JSON of a request or an answer.
pub(super) type DecodePart<V> = Box<dyn Fn(ExchangePart, String) -> Decoded<V> + Send>;

/// A request that has no end yet.
#[derive(Debug)]
struct InvokedRequest {
    function: String,
    line: u64,
    /// The number of its event, counted from the beginning of the history.
    number: u64,
}

/// An event that waits for those before it.
enum HeldEvent<V> {
    /// A request whose end is not known yet: it may have failed.
    Open(JepsenEvent<V>),
    Ready(JepsenEvent<V>),
    Dropped,
}

/// The requests under way, and the events that wait.
pub(super) struct Pairing<V> {
    pub(super) rules: JepsenRules,
    decode: DecodePart<V>,
    keeps_notes: bool,
    under_way: FxHashMap<u64, InvokedRequest>,
    waiting: VecDeque<HeldEvent<V>>,
    /// The number of the first event that waits.
    first: u64,
    pub(super) counts: JepsenCounts,
}

impl<V> Pairing<V> {
    pub(super) fn new(rules: JepsenRules, keeps_notes: bool, decode: DecodePart<V>) -> Pairing<V> {
        let (under_way, waiting) = (FxHashMap::default(), VecDeque::new());
        Pairing { rules, decode, keeps_notes, under_way, waiting, first: 0, counts: JepsenCounts::default() }
    }

    /// The next event that waits for nothing.
    pub(super) fn next(&mut self) -> Option<JepsenEvent<V>> {
        loop {
            if let HeldEvent::Open(_) = self.waiting.front()? {
                return None;
            }
            self.first += 1;
            if let HeldEvent::Ready(event) = self.waiting.pop_front()? {
                return Some(event);
            }
        }
    }

    /// Ends the history: what is still under way has no end.
    pub(super) fn end(&mut self) {
        for waiting in &mut self.waiting {
            *waiting = waiting.ready();
        }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: &JepsenRecord<'_>) -> Decoded<()> {
        match record {
            JepsenRecord::Nothing => self.counts.other_lines += 1,
            JepsenRecord::NoClient => self.counts.no_client += 1,
            JepsenRecord::Operation(operation) => {
                self.counts.operations += 1;
                match operation.kind {
                    OperationKind::Invoke => self.invoke(operation)?,
                    OperationKind::Ok | OperationKind::Fail | OperationKind::Info => self.complete(operation)?,
                }
            }
        }
        Ok(())
    }

    fn invoke(&mut self, operation: &Operation<'_>) -> Decoded<()> {
        let text = self.rules.request(operation)?;
        let value = self.decoded(ExchangePart::Request, text, operation)?;
        let event = self.event(operation, EventKind::Request(value), self.rules.is_of_answer(operation))?;
        let number = self.first + self.waiting.len() as u64;
        let request = InvokedRequest { function: operation.function.clone(), line: operation.line, number };
        if let Some(earlier) = self.under_way.insert(operation.process, request) {
            let (process, line) = (operation.process, earlier.line);
            let message = format!("process {process} still waits for the end of what it invoked on line {line}");
            return Err(JsonError::new(operation.offset, message));
        }
        self.waiting.push_back(match self.rules.fail {
            FailRule::Answer => HeldEvent::Ready(event),
            FailRule::Drop => HeldEvent::Open(event),
        });
        Ok(())
    }

    fn complete(&mut self, operation: &Operation<'_>) -> Decoded<()> {
        let process = operation.process;
        let Some(request) = self.under_way.remove(&process) else {
            let message = format!("process {process} has invoked nothing that this could be the end of");
            return Err(JsonError::new(operation.offset, message));
        };
        if request.function != operation.function {
            let (own, line) = (&operation.function, request.line);
            let message = format!("expected the end of {} of line {line}, found that of {own}", request.function);
            return Err(JsonError::new(operation.offset, message));
        }
        let is_dropped =
            self.rules.fail == FailRule::Drop && operation.kind == OperationKind::Fail && !operation.is_lost();
        if let Some(waiting) = self.waiting_at(request.number) {
            *waiting = if is_dropped { HeldEvent::Dropped } else { waiting.ready() };
        }
        if is_dropped {
            self.counts.dropped += 1;
            return Ok(());
        }
        let event = if operation.is_lost() {
            self.event(operation, EventKind::Lost, true)?
        } else {
            let text = self.rules.answer(operation)?;
            let value = self.decoded(ExchangePart::Answer, text, operation)?;
            self.event(operation, EventKind::Answer(value), operation.kind == OperationKind::Fail)?
        };
        self.waiting.push_back(HeldEvent::Ready(event));
        Ok(())
    }

    /// The event that waits under a number.
    fn waiting_at(&mut self, number: u64) -> Option<&mut HeldEvent<V>> {
        self.waiting.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn decoded(&self, part: ExchangePart, text: String, operation: &Operation<'_>) -> Decoded<V> {
        let is_fail = operation.kind == OperationKind::Fail;
        (self.decode)(part, text).map_err(|error| {
            let hint = if is_fail { " (or --fail drop: the request never happened)" } else { "" };
            JsonError::new(operation.value.offset, format!("{error}{hint}"))
        })
    }

    fn event(&self, operation: &Operation<'_>, kind: EventKind<V>, keeps_value: bool) -> Decoded<JepsenEvent<V>> {
        let notes = if self.keeps_notes { JepsenRules::notes(operation, keeps_value)? } else { String::new() };
        Ok(JepsenEvent { event: TraceEvent { line: operation.line, client: Some(operation.process), kind }, notes })
    }
}

impl<V> HeldEvent<V> {
    /// Takes it out, as one that waits for nothing.
    fn ready(&mut self) -> HeldEvent<V> {
        match std::mem::replace(self, HeldEvent::Dropped) {
            HeldEvent::Open(event) | HeldEvent::Ready(event) => HeldEvent::Ready(event),
            HeldEvent::Dropped => HeldEvent::Dropped,
        }
    }
}
