//! The last events, from which judging can begin again in any state.
//!
//! A request that was under way before the window may have been served before the window or in it. So it is sent again at the
//! beginning of the window, and its answer is hidden. A request that was given up before the window may still be served, too:
//!
//! ```text
//! before              │ in the window                 what is judged
//! c1 → Put  c3 → Put  │ c2 → Get   c1 ← Ok   c2 ← 5   c3 → Put, c3 lost, c1 → Put, c2 → Get, c1 ← ?, c2 ← 5
//! c3 lost             │
//! ```

use mayhap::trace::{EventKind, TraceEvent};
use mayhap::value::Value;
use std::collections::{BTreeMap, VecDeque};

/// An event of watched traffic.
pub type WatchedEvent = TraceEvent<Value>;

/// The number of events after which a request that was given up counts as never served.
const LATE: u64 = 1_000;

/// The last events.
#[derive(Default)]
pub struct EventWindow {
    /// The requests that were under way before the window, by client.
    before: BTreeMap<u64, VecDeque<WatchedEvent>>,
    /// The requests that were given up before the window, each with the number of its event.
    lost: VecDeque<(u64, WatchedEvent)>,
    events: VecDeque<WatchedEvent>,
    /// The number of events that were forgotten.
    forgotten: u64,
}

/// The number of answers to hide, by client, as they belong to requests that were sent again.
#[derive(Clone, Default)]
pub struct HiddenAnswers(BTreeMap<u64, usize>);

impl EventWindow {
    /// Adds an event. At most `most` events are kept.
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
        self.forgotten += 1;
        let under_way = self.before.entry(event.client.unwrap_or_default()).or_default();
        match event.kind {
            EventKind::Request(_) => under_way.push_back(event),
            EventKind::Answer(_) => _ = under_way.pop_front(),
            _ => self.lost.extend(under_way.drain(..).map(|request| (self.forgotten, request))),
        }
        while self.lost.front().is_some_and(|(at, _)| at + LATE < self.forgotten) {
            self.lost.pop_front();
        }
    }

    /// The answers to hide if judging begins with this window.
    pub fn hidden(&self) -> HiddenAnswers {
        HiddenAnswers(self.before.iter().map(|(client, requests)| (*client, requests.len())).collect())
    }

    /// The events to judge if the state before the window may be any.
    pub fn events(&self) -> Vec<WatchedEvent> {
        let mut all = Vec::new();
        for (_, request) in &self.lost {
            let given_up = TraceEvent { kind: EventKind::Lost, ..request.clone() };
            all.extend([request.clone(), given_up]);
        }
        let mut under_way: Vec<WatchedEvent> = self.before.values().flatten().cloned().collect();
        under_way.sort_by_key(|event| event.line);
        let mut hidden = self.hidden();
        all.extend(under_way);
        all.extend(self.events.iter().map(|event| hidden.shown(event.clone())));
        all
    }
}

impl HiddenAnswers {
    /// The event as the judge sees it: a hidden answer is a hole.
    pub fn shown(&mut self, event: WatchedEvent) -> WatchedEvent {
        let hidden = self.0.entry(event.client.unwrap_or_default()).or_default();
        match event.kind {
            EventKind::Request(_) => event,
            EventKind::Answer(_) if *hidden > 0 => {
                *hidden -= 1;
                TraceEvent { kind: EventKind::Answer(Value::Any), ..event }
            }
            EventKind::Answer(_) => event,
            _ => {
                *hidden = 0;
                event
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

    /// The events in short, such as `1?1` for a request of client 1 on line 1.
    fn shown(events: &[WatchedEvent]) -> String {
        let shown = |event: &WatchedEvent| {
            let sign = match event.kind {
                EventKind::Request(_) => '?',
                EventKind::Answer(Value::Any) => '*',
                EventKind::Answer(_) => '!',
                _ => 'x',
            };
            format!("{}{sign}{}", event.line, event.client.unwrap_or_default())
        };
        events.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_under_way_before_is_sent_again() {
        let (request, answer) = (|| EventKind::Request(Value::NONE), || EventKind::Answer(Value::NONE));
        let all = [(1, request()), (1, request()), (2, request()), (1, answer()), (3, request()), (1, answer())];
        let mut window = EventWindow::default();
        for (at, (client, kind)) in all.into_iter().enumerate() {
            window.push(event(at as u64 + 1, client, kind), 3);
        }
        // Both requests of client 1 were answered in the window.
        assert_eq!(shown(&window.events()), "1?1 2?1 3?2 4*1 5?3 6*1");
        window.push(event(7, 2, EventKind::Lost), 3);
        assert_eq!(shown(&window.events()), "2?1 3?2 5?3 6*1 7x2");
        // A request that was given up may still be served for a while.
        window.clear();
        assert_eq!(shown(&window.events()), "3?2 3x2 5?3");
        for line in 8..2_000 {
            window.push(event(line, 4, if line % 2 == 0 { request() } else { answer() }), 3);
        }
        assert_eq!(shown(&window.events()), "5?3 1996?4 1997*4 1998?4 1999!4");
    }
}
