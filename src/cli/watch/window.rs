//! The last events that were observed, from which judging can begin again in any state.
//!
//! A request that was sent before the window may have been served before it or in it, so it counts as given up there:
//!
//! ```text
//! before    │ in the window                      what is judged
//! c1 → Put  │ c2 → Get   c1 ← Ok   c2 ← 5        c1 → Put, c1 lost, c2 → Get, c2 ← 5
//! ```

use mayhap::trace::{EventKind, TraceEvent};
use mayhap::value::Value;
use std::collections::{BTreeMap, VecDeque};

/// An event that was observed.
pub type WatchedEvent = TraceEvent<Value>;

/// The last events.
#[derive(Default)]
pub struct EventWindow {
    /// The requests that were under way before them, by client.
    before: BTreeMap<u64, VecDeque<WatchedEvent>>,
    events: VecDeque<WatchedEvent>,
}

/// The answers that are not looked at, by client: those to requests that were given up.
#[derive(Clone, Default)]
pub struct IgnoredAnswers(BTreeMap<u64, usize>);

impl EventWindow {
    /// Adds an event; more than `most` are not kept.
    pub fn push(&mut self, event: WatchedEvent, most: usize) {
        self.events.push_back(event);
        while self.events.len() > most {
            self.forget_first();
        }
    }

    /// Forgets all events.
    pub fn clear(&mut self) {
        while !self.events.is_empty() {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        let Some(event) = self.events.pop_front() else { return };
        let under_way = self.before.entry(event.client.unwrap_or_default()).or_default();
        match event.kind {
            EventKind::Request(_) => under_way.push_back(event),
            EventKind::Answer(_) => _ = under_way.pop_front(),
            _ => under_way.clear(),
        }
    }

    /// The answers that are not looked at, if judging begins with this window.
    pub fn ignored(&self) -> IgnoredAnswers {
        IgnoredAnswers(self.before.iter().map(|(client, requests)| (*client, requests.len())).collect())
    }

    /// The events to judge if the state before the window may be any.
    pub fn events(&self) -> Vec<WatchedEvent> {
        let mut given_up: Vec<WatchedEvent> = self.before.values().flatten().cloned().collect();
        given_up.sort_by_key(|event| event.line);
        let last = given_up.last().map_or(0, |event| event.line);
        let is_given_up = |(_, requests): &(&u64, &VecDeque<WatchedEvent>)| !requests.is_empty();
        let clients = self.before.iter().filter(is_given_up).map(|(client, _)| *client);
        let lost = clients.map(|client| TraceEvent { line: last, client: Some(client), kind: EventKind::Lost });
        let mut ignored = self.ignored();
        let kept = self.events.iter().filter(|event| ignored.is_looked_at(event)).cloned();
        given_up.into_iter().chain(lost).chain(kept).collect()
    }
}

impl IgnoredAnswers {
    /// Tests whether an event is looked at, and takes notice of it.
    pub fn is_looked_at(&mut self, event: &WatchedEvent) -> bool {
        let ignored = self.0.entry(event.client.unwrap_or_default()).or_default();
        match event.kind {
            EventKind::Request(_) => true,
            EventKind::Answer(_) => {
                let is_looked_at = *ignored == 0;
                *ignored = ignored.saturating_sub(1);
                is_looked_at
            }
            _ => {
                *ignored = 0;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(line: u64, client: u64, kind: EventKind<Value>) -> WatchedEvent {
        TraceEvent { line, client: Some(client), kind }
    }

    /// `c1 → 1` and the like.
    fn shown(events: &[WatchedEvent]) -> String {
        let shown = |event: &WatchedEvent| {
            let sign = match event.kind {
                EventKind::Request(_) => '?',
                EventKind::Answer(_) => '!',
                _ => 'x',
            };
            format!("{}{sign}{}", event.line, event.client.unwrap_or_default())
        };
        events.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_under_way_before_is_given_up() {
        let (request, answer) = (|| EventKind::Request(Value::NONE), || EventKind::Answer(Value::NONE));
        let all = [(1, request()), (1, request()), (2, request()), (1, answer()), (3, request()), (1, answer())];
        let mut window = EventWindow::default();
        for (at, (client, kind)) in all.into_iter().enumerate() {
            window.push(event(at as u64 + 1, client, kind), 3);
        }
        // The first request of client 1 was answered in the window, the second one, too.
        assert_eq!(shown(&window.events()), "1?1 2?1 3?2 3x1 3x2 5?3");
        window.push(event(7, 2, EventKind::Lost), 3);
        assert_eq!(shown(&window.events()), "2?1 3?2 3x1 3x2 5?3 7x2");
        window.clear();
        assert_eq!(shown(&window.events()), "5?3 5x3");
    }
}
