//! Forgetting the beginning of a history, once all its requests are answered or given up.
//!
//! ```text
//! r0 ├──┤  r2 ├ ─ ─ lost  │ r3 ├────       new numbers for the requests that may still be served (r2 is 0),
//!    r1 ├──────┤          │                and for those after the line (r3 is 1)
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use crate::search::history::{Building, HistoryEvent, Request};
use crate::search::rules::OrderRules;

/// The kinds of requests beyond which those that no longer occur are forgotten.
const KINDS: usize = 4_096;

/// The new numbers of requests after others were forgotten.
pub(crate) struct Renumbered {
    /// The requests before the event that are left, the first one first.
    left: Vec<usize>,
    /// The first request after the event.
    first: usize,
}

impl Renumbered {
    /// The new number of a request; `None` if it is forgotten.
    pub(crate) fn request(&self, old: usize) -> Option<usize> {
        match old.checked_sub(self.first) {
            Some(after) => Some(self.left.len() + after),
            None => self.left.binary_search(&old).ok(),
        }
    }
}

impl Building {
    /// Takes the open connections out, with an empty history.
    pub(crate) fn connections(&mut self) -> Building {
        let (open, clients) = (std::mem::take(&mut self.open), self.clients);
        Building { open, clients, ..Building::new(self.names_clients) }
    }

    /// Forgets the events before the given one, and the requests that these sent, except those in `left`: no other one is under way any
    /// more.
    pub(crate) fn forget(&mut self, before: usize, mut left: Vec<usize>) -> Renumbered {
        left.sort_unstable();
        let sent = |event: &HistoryEvent| if let HistoryEvent::Sent(request) = event { Some(*request) } else { None };
        let first = self.history.events[before..].iter().find_map(sent).unwrap_or(self.history.requests.len());
        let new = Renumbered { left, first };
        let is_left = |request: usize| new.request(request).is_some();
        let mut at = 0..;
        self.history.requests.retain(|_| at.next().is_some_and(is_left));
        for request in &mut self.history.requests {
            request.before = request.before.and_then(|earlier| new.request(earlier));
            request.answered = request.answered.map(|event| event - before);
        }
        self.history.events.drain(..before);
        self.history.lines.drain(..before);
        self.history.restarts.clear();
        for event in &mut self.history.events {
            if let HistoryEvent::Sent(request) | HistoryEvent::Answered(request) = event {
                *request = new.request(*request).expect("a request of which something is seen later is left");
            }
        }
        let waiting = self.open.values_mut().flat_map(|connection| &mut connection.waiting);
        waiting.for_each(|request| *request = new.request(*request).expect("a request that waits is left"));
        self.free_places();
        new
    }

    /// Frees the places of forgotten requests.
    fn free_places(&mut self) {
        let is_open = |request: &&Request| request.answered.is_none();
        let taken: FxHashSet<usize> = self.history.requests.iter().filter(is_open).map(|open| open.place).collect();
        self.places = self.history.requests.iter().map(|request| request.place + 1).max().unwrap_or_default();
        self.free = (0..self.places).rev().filter(|place| !taken.contains(place)).collect();
    }

    /// Forgets the kinds of forgotten requests, if there are many kinds; returns the new numbers of the others.
    pub(crate) fn forget_kinds(&mut self, rules: OrderRules) -> Option<FxHashMap<u32, u32>> {
        if self.kinds.len() < KINDS.min(rules.patience() as usize) {
            return None;
        }
        let (mut kinds, mut asks) = (FxHashMap::default(), FxHashMap::default());
        let new = |numbers: &mut FxHashMap<u32, u32>, old: u32| {
            let next = numbers.len() as u32;
            *numbers.entry(old).or_insert(next)
        };
        for request in &mut self.history.requests {
            request.unseen = new(&mut kinds, request.unseen);
            request.kind = new(&mut kinds, request.kind);
            request.asks = new(&mut asks, request.asks);
        }
        let taken = |numbers: &FxHashMap<u32, u32>, old: &mut u32| numbers.get(old).map(|new| *old = *new).is_some();
        self.asks.retain(|_, number| taken(&asks, number));
        let kept = std::mem::take(&mut self.kinds)
            .into_iter()
            .filter_map(|((asked, answer), kind)| Some(((*asks.get(&asked)?, answer), *kinds.get(&kind)?)));
        self.kinds = kept.collect();
        self.history.kinds = self.kinds.len();
        Some(kinds)
    }
}
