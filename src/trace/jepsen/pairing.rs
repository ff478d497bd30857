//! Operations as events: each request is paired with its outcome, and a failed request is dropped if the rules say so.
//!
//! ```text
//!   0 :invoke :cas [1 2]   1 :invoke :read   1 :ok :read 3   0 :fail :cas [1 2]
//!
//!   :fail is an answer     {"c": 0, "q": …}  {"c": 1, "q": …}  {"c": 1, "a": …}  {"c": 0, "a": "Fail"}
//!   :fail is dropped                         {"c": 1, "q": …}  {"c": 1, "a": …}     what comes after a request waits for its end
//! ```
//!
//! A history without any `:invoke` does not say when its requests were sent. Its events wait for the end of the history, and each request
//! is then placed as early as it may have been sent (`completions`).

use super::super::event::{EventKind, TraceEvent};
use super::super::places::EventPlace;
use super::completions::{self, CompletedRequests};
use super::edn::EdnForm;
use super::event::{ExchangePart, JepsenCounts, JepsenEvent};
use super::operation::{JepsenRecord, Operation, OperationKind};
use super::rules::{FailRule, JepsenRules};
use crate::json::{Decoded, JsonError};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// A function that makes a value from the JSON of a request or an answer.
pub(super) type DecodePart<V> = Box<dyn Fn(ExchangePart, String) -> Decoded<V> + Send>;

/// A request without an outcome yet.
#[derive(Debug)]
struct InvokedRequest {
    function: String,
    /// The text of its value.
    value: String,
    line: u64,
    /// The number of its event, counted from the beginning of the history.
    number: u64,
}

/// An event that waits for earlier events.
enum HeldEvent<V> {
    /// A request whose outcome is not known yet: if it failed, it will be dropped.
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
    /// The functions of the operations so far.
    pub(super) functions: BTreeSet<String>,
    /// The requests of a history without invocations; none until its first operation is a completion.
    completed: Option<CompletedRequests<V>>,
    /// The rule whether operations name their process, found from the first operation.
    processes: ProcessNames,
}

/// The rule whether the operations of a history name their process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProcessNames {
    /// No operation has been read.
    Unseen,
    /// Every operation names its process.
    Named,
    /// No operation does: all are of one client, which waits for each answer.
    Missing,
}

impl<V> Pairing<V> {
    pub(super) fn new(rules: JepsenRules, keeps_notes: bool, decode: DecodePart<V>) -> Pairing<V> {
        Pairing {
            rules,
            decode,
            keeps_notes,
            under_way: FxHashMap::default(),
            waiting: VecDeque::new(),
            first: 0,
            counts: JepsenCounts::default(),
            functions: BTreeSet::new(),
            completed: None,
            processes: ProcessNames::Unseen,
        }
    }

    /// The next event, if it does not wait for earlier ones.
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

    /// Ends the history: requests under way get no outcome.
    pub(super) fn end(&mut self) {
        if let Some(completed) = self.completed.take() {
            self.waiting.extend(completed.events().map(HeldEvent::Ready));
        }
        for waiting in &mut self.waiting {
            *waiting = waiting.ready();
        }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: &JepsenRecord<'_>) -> Decoded<()> {
        match record {
            JepsenRecord::Nothing => self.counts.other_lines += 1,
            JepsenRecord::NoClient => self.counts.no_client += 1,
            JepsenRecord::Operation(operation) if self.is_of_no_client(operation) => self.counts.no_client += 1,
            JepsenRecord::Operation(operation) => {
                self.counts.operations += 1;
                if let Some(function) = operation.function.as_ref().filter(|own| !self.functions.contains(*own)) {
                    self.functions.insert(function.clone());
                }
                match operation.kind {
                    OperationKind::Invoke => self.invoke(operation)?,
                    _ if self.counts.operations == 1 || self.completed.is_some() => self.complete_alone(operation)?,
                    OperationKind::Ok | OperationKind::Fail | OperationKind::Info => self.complete(operation)?,
                }
            }
        }
        Ok(())
    }

    /// Tests whether an operation without a process is not a client's: an `:info` that completes no request.
    fn is_of_no_client(&self, operation: &Operation<'_>) -> bool {
        let is_info = operation.kind == OperationKind::Info && operation.process.is_none();
        is_info && !(self.processes == ProcessNames::Missing && self.under_way.contains_key(&0))
    }

    /// The number of the process of an operation.
    fn process(&mut self, operation: &Operation<'_>) -> Decoded<u64> {
        let own = if operation.process.is_some() { ProcessNames::Named } else { ProcessNames::Missing };
        if self.processes == ProcessNames::Unseen {
            self.processes = own;
        }
        if self.processes != own {
            let message = match own {
                ProcessNames::Missing => "expected the key :process in this operation, as in those before it",
                _ => "expected no key :process in this operation, as those before it have none",
            };
            return Err(JsonError::new(operation.offset, message));
        }
        Ok(operation.process.unwrap_or(0))
    }

    fn invoke(&mut self, operation: &Operation<'_>) -> Decoded<()> {
        if let Some(completed) = &self.completed {
            let line = completed.first_line();
            let message =
                format!("this history begins with the end of an operation, on line {line}, which nobody invoked");
            return Err(JsonError::new(operation.offset, message));
        }
        let process = self.process(operation)?;
        let function = operation.function.clone().unwrap_or_else(|| self.rules.only_function());
        let event = self.request(operation, process, &function, &operation.value)?;
        let number = self.first + self.waiting.len() as u64;
        let value = operation.value.value.to_string();
        let is_open = self.rules.fail(&function) == FailRule::Drop;
        let request = InvokedRequest { function, value, line: operation.line, number };
        if let Some(earlier) = self.under_way.insert(process, request) {
            let line = earlier.line;
            let message = match operation.process {
                Some(_) => format!("process {process} still waits for the end of what it invoked on line {line}"),
                None => format!("expected the key :process: what was invoked on line {line} has no end yet"),
            };
            return Err(JsonError::new(operation.offset, message));
        }
        self.waiting.push_back(if is_open { HeldEvent::Open(event) } else { HeldEvent::Ready(event) });
        Ok(())
    }

    fn request(
        &self,
        operation: &Operation<'_>,
        process: u64,
        function: &str,
        value: &EdnForm<'_>,
    ) -> Decoded<JepsenEvent<V>> {
        let text = self.rules.request(operation, function, value)?;
        let value = self.decoded(ExchangePart::Request, text, operation, function)?;
        let keeps_value = self.rules.is_of_answer(operation, function);
        self.event(operation, process, EventKind::Request(value), keeps_value)
    }

    fn complete(&mut self, operation: &Operation<'_>) -> Decoded<()> {
        let process = self.process(operation)?;
        let Some(request) = self.under_way.remove(&process) else {
            let message = format!("process {process} has invoked nothing that this could be the end of");
            return Err(JsonError::new(operation.offset, message));
        };
        if let Some(own) = operation.function.as_ref().filter(|own| **own != request.function) {
            let line = request.line;
            let message = format!("expected the end of {} of line {line}, found that of {own}", request.function);
            return Err(JsonError::new(operation.offset, message));
        }
        let is_dropped = self.is_dropped(operation, &request.function);
        if let Some(waiting) = self.waiting_at(request.number) {
            *waiting = if is_dropped { HeldEvent::Dropped } else { waiting.ready() };
        }
        if is_dropped {
            self.counts.dropped += 1;
            return Ok(());
        }
        let event = self.outcome(operation, process, &request.function, &request.value)?;
        self.waiting.push_back(HeldEvent::Ready(event));
        Ok(())
    }

    /// Adds a completion to a history without invocations.
    fn complete_alone(&mut self, operation: &Operation<'_>) -> Decoded<()> {
        _ = self.process(operation)?;
        let function = operation.function.clone().unwrap_or_else(|| self.rules.only_function());
        if self.is_dropped(operation, &function) {
            // The request counts as two operations, as if it had also been invoked.
            self.counts.operations += 1;
            self.counts.dropped += 1;
            self.completed.get_or_insert_with(|| CompletedRequests::new(operation.line));
            return Ok(());
        }
        let next = self.completed.as_ref().map_or(0, CompletedRequests::len);
        let process = operation.process.unwrap_or(next);
        let asked = completions::asked(&function, &operation.value);
        let request = self.request(operation, process, &function, &asked)?;
        let invoked = operation.value.value.to_string();
        let outcome = self.outcome(operation, process, &function, &invoked)?;
        let completed = self.completed.get_or_insert_with(|| CompletedRequests::new(operation.line));
        completed.add(process, request, outcome);
        Ok(())
    }

    fn is_dropped(&self, operation: &Operation<'_>, function: &str) -> bool {
        operation.kind == OperationKind::Fail && self.rules.fail(function) == FailRule::Drop && !operation.is_lost()
    }

    /// The event for the outcome of a request.
    fn outcome(
        &self,
        operation: &Operation<'_>,
        process: u64,
        function: &str,
        invoked: &str,
    ) -> Decoded<JepsenEvent<V>> {
        if operation.is_lost() {
            return self.event(operation, process, EventKind::Lost, true);
        }
        let text = self.rules.answer(operation, function, invoked)?;
        let value = self.decoded(ExchangePart::Answer, text, operation, function)?;
        self.event(operation, process, EventKind::Answer(value), operation.kind == OperationKind::Fail)
    }

    /// The waiting event with this number.
    fn waiting_at(&mut self, number: u64) -> Option<&mut HeldEvent<V>> {
        self.waiting.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn decoded(&self, part: ExchangePart, text: String, operation: &Operation<'_>, function: &str) -> Decoded<V> {
        let is_fail = operation.kind == OperationKind::Fail;
        (self.decode)(part, text).map_err(|error| {
            let hint = match is_fail {
                true => format!(
                    " (or --fail drop: the request never happened; --fail {}=drop says it of this function alone)",
                    function.to_lowercase()
                ),
                false => String::new(),
            };
            JsonError::new(operation.value.offset, format!("{error}{hint}"))
        })
    }

    fn event(
        &self,
        operation: &Operation<'_>,
        process: u64,
        kind: EventKind<V>,
        keeps_value: bool,
    ) -> Decoded<JepsenEvent<V>> {
        let notes = if self.keeps_notes { JepsenRules::notes(operation, keeps_value)? } else { String::new() };
        let place = EventPlace::OnLine { line: operation.line, nth: operation.nth };
        Ok(JepsenEvent { event: TraceEvent { line: operation.line, client: Some(process), kind }, place, notes })
    }
}

impl<V> HeldEvent<V> {
    /// Takes the event, so that it waits no longer.
    fn ready(&mut self) -> HeldEvent<V> {
        match std::mem::replace(self, HeldEvent::Dropped) {
            HeldEvent::Open(event) | HeldEvent::Ready(event) => HeldEvent::Ready(event),
            HeldEvent::Dropped => HeldEvent::Dropped,
        }
    }
}
