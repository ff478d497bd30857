//! Histories without invocations: nobody recorded when their requests were sent.
//!
//! ```text
//!   1 :ok :append 5     2 :ok :r 5     1 :ok :append 6          1 ●────────●   ●──────────●
//!                                                               2 ●──────────────●
//! ```
//!
//! A process has at most one request under way, so it sent each request after the answer to its previous one, and the first at the
//! beginning or later. Each request is taken as sent as early as possible, which allows every order that may have happened. If operations
//! have no process, nothing orders the requests, and Elle reads such a history in the same way.

use super::edn::{Edn, EdnForm};
use super::event::JepsenEvent;
use super::json::text;
use super::names::is_same;
use rustc_hash::FxHashMap;

/// The requests of a history without invocations.
pub(super) struct CompletedRequests<V> {
    /// The line of the first completion.
    first_line: u64,
    /// The first request of each process, which may have been sent at the beginning.
    early: Vec<JepsenEvent<V>>,
    /// The outcomes, each with the next request of its process, which may have been sent immediately after it.
    outcomes: Vec<(JepsenEvent<V>, Option<JepsenEvent<V>>)>,
    /// The last outcome of each process, as an index into `outcomes`.
    last: FxHashMap<u64, usize>,
}

impl<V> CompletedRequests<V> {
    pub(super) fn new(first_line: u64) -> CompletedRequests<V> {
        CompletedRequests { first_line, early: Vec::new(), outcomes: Vec::new(), last: FxHashMap::default() }
    }

    /// The line of the first completion.
    pub(super) fn first_line(&self) -> u64 {
        self.first_line
    }

    /// The number of requests.
    pub(super) fn len(&self) -> u64 {
        self.outcomes.len() as u64
    }

    /// Adds a request with its outcome. The request gets the number of the event that it follows, so that numbers keep their order.
    pub(super) fn add(&mut self, process: u64, mut request: JepsenEvent<V>, outcome: JepsenEvent<V>) {
        match self.last.insert(process, self.outcomes.len()) {
            None => {
                request.event.line = self.first_line;
                self.early.push(request);
            }
            Some(before) => {
                let (earlier, next) = &mut self.outcomes[before];
                request.event.line = earlier.event.line;
                *next = Some(request);
            }
        }
        self.outcomes.push((outcome, None));
    }

    /// The events, in their order.
    pub(super) fn events(self) -> impl Iterator<Item = JepsenEvent<V>> {
        let outcomes =
            self.outcomes.into_iter().flat_map(|(outcome, next)| [Some(outcome), next].into_iter().flatten());
        self.early.into_iter().chain(outcomes)
    }
}

/// The value with which an operation was invoked, made from the value of its completion: values that were read become nil.
pub(super) fn asked<'a>(function: &str, value: &EdnForm<'a>) -> EdnForm<'a> {
    EdnForm { value: unread(is_read(function), &value.value), offset: value.offset }
}

fn is_read(name: &str) -> bool {
    is_same(name, "read")
}

/// A value without the values that were read: that of a read, and that in each `[:r k v]`.
fn unread<'a>(is_of_read: bool, value: &Edn<'a>) -> Edn<'a> {
    let (Edn::Vector(parts) | Edn::List(parts)) = value else {
        return if is_of_read { Edn::Nil } else { value.clone() };
    };
    match &parts[..] {
        [name, key, ..] if text(name).is_some_and(is_read) => Edn::Vector(vec![name.clone(), key.clone(), Edn::Nil]),
        [key, _] if is_of_read => Edn::Vector(vec![key.clone(), Edn::Nil]),
        _ if is_of_read => Edn::Nil,
        _ => Edn::Vector(parts.iter().map(|part| unread(false, part)).collect()),
    }
}
