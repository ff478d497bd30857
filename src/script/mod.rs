//! Scripts: the steps of a tester, whose values may refer to parts of earlier messages.
//!
//! ```text
//! {"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "x", "if_match": null}}, "a": "NoContent"}
//! {"n": 3, "c": 1, "q": {"Get": {"key": "a", "if_none_match": null}}, "a": {"Ok": {"value": "x", "tag": "33f"}}}
//! {"n": 5, "c": 1, "q": {"Put": {"key": "a", "value": "y", "if_match": {"$ref": "4@Ok@tag", "was": "33f"}}}, "a": "NoContent"}
//! ```
//!
//! A request has an odd label (`"n"`), and its answer the label after it.

mod events;
mod messages;
mod part;
mod plan;
#[cfg(test)]
mod random_tests;
mod read;
mod reference;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use crate::trace::PeerEvent;
use crate::value::Value;

pub use events::observed_events;
pub use messages::{MessageKind, Messages};
pub use part::{ScalarPart, changed, scalar_parts, smallest};
pub use reference::{evaluated, read_path};
pub use tree::JsonTree;

/// A script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Script {
    /// The first line.
    pub header: ScriptHeader,
    /// The steps, on the other lines.
    pub steps: Vec<ScriptStep>,
}

/// The first line of a script: its specification, and what happened when it was run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScriptHeader {
    /// The name of the specification.
    pub spec: String,
    /// The constants that were set, with their values as JSON.
    pub set: Vec<(String, String)>,
    /// The cause of the script's failure.
    pub cause: Option<String>,
    /// The number of runs that failed, and the number of all runs.
    pub failed: Option<(u64, u64)>,
    /// Other keys, with their values as JSON.
    pub other: Vec<(String, String)>,
}

/// A step of a script. A line with a whole exchange is two steps.
#[derive(Clone, PartialEq, Debug)]
pub enum ScriptStep {
    /// A client sends a request.
    Ask {
        /// The label of the request, an odd number.
        label: u64,
        /// The client.
        client: u64,
        /// The request.
        request: RequestTemplate,
    },
    /// The script waits for the answer to the request with this label, at most until the deadline.
    Await {
        /// The label of the request.
        label: u64,
        /// The outcome when the script was recorded.
        seen: RecordedOutcome,
    },
    /// A client sees something that answers none of its requests: a message that it did not ask for, or the end of its
    /// connection.
    Seen {
        /// The client.
        client: u64,
        /// The message or end that the client saw when the script was recorded.
        seen: RecordedOutcome,
    },
    /// A client ends its connection. Its next request is sent on a new one.
    Close {
        /// The client.
        client: u64,
        /// Set if the client saw that the system took notice when the script was recorded.
        noticed: bool,
    },
    /// The script waits for this number of seconds.
    Wait(f64),
    /// The next requests, which are released at once.
    Together {
        /// The labels of the requests.
        labels: Vec<u64>,
        /// The delay of each request, in milliseconds.
        offsets: Vec<f64>,
    },
    /// The system is killed and started again.
    Restart,
    /// The system calls a peer, or the peer ends a call.
    Peer(PeerEvent<Value>),
}

/// The outcome of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum RecordedOutcome {
    /// The system gave this answer.
    Answer(Value),
    /// No answer came; the request may have taken effect.
    Lost,
    /// The system ended the connection.
    Closed,
    /// No answer is owed.
    Nothing,
}

/// A request with references in it.
#[derive(Clone, PartialEq, Debug)]
pub struct RequestTemplate {
    /// The request, with the values that its references had when it was made or recorded.
    pub value: Value,
    /// The references, with their places in the request.
    pub references: Vec<PlacedReference>,
}

/// A reference at a place of a value.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedReference {
    /// The place: the numbers of fields and elements from the root, with a 0 for the value in an option.
    pub at: Vec<usize>,
    /// The reference.
    pub to: Reference,
}

/// The value at a path of a message: `4@Ok@tag`; or a number near it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// The label of the message.
    pub label: u64,
    /// The path in the message.
    pub path: Vec<PathStep>,
    /// The name of a pure function of the specification, which is applied to the value.
    pub via: Option<String>,
    /// The number that is added to the value, which is an integer if this is not 0.
    pub plus: i64,
}

/// A step of a path in a JSON value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PathStep {
    /// `@field`: the member of an object.
    Field(String),
    /// `#n`: the n-th element of an array, from 1.
    Element(usize),
}

/// The requests of a run, each with the answers that must come before it is sent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The requests, in the order in which they are sent unless they have to wait.
    pub asks: Vec<PlannedAsk>,
    /// The answers of peers, in the order in which they are given.
    pub answers: Vec<PlannedAnswer>,
}

/// The answer of a peer to a call.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedAnswer {
    /// The peer.
    pub peer: String,
    /// The key, which tells peers of one kind apart.
    pub key: Option<Value>,
    /// The request that the peer answered when the script was recorded.
    pub request: Value,
    /// The answer; `None` if the peer fails.
    pub answer: Option<Value>,
}

/// A request of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedAsk {
    /// The label, an odd number.
    pub label: u64,
    /// The client.
    pub client: u64,
    /// The request.
    pub request: RequestTemplate,
    /// The labels of the requests that must have ended before this one is sent.
    pub after: Vec<u64>,
    /// The delay after that, in seconds.
    pub delay: f64,
    /// The number of the barrier, if the request is released together with others.
    pub barrier: Option<u32>,
    /// Set if the system is killed and started again before the request.
    pub restart: bool,
    /// The clients that end their connections before the request, after the restart and before the delay.
    pub closes: Vec<u64>,
}

impl PlannedAsk {
    /// A request that is sent at once.
    #[must_use]
    pub fn new(label: u64, client: u64, request: RequestTemplate) -> PlannedAsk {
        let (after, closes) = (Vec::new(), Vec::new());
        PlannedAsk { label, client, request, after, delay: 0.0, barrier: None, restart: false, closes }
    }
}

impl Script {
    /// The number of requests in the script.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.steps.iter().filter(|step| matches!(step, ScriptStep::Ask { .. })).count() as u64
    }

    /// The largest number of a client.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.asked().map(|(_, client)| client).max().unwrap_or(1)
    }

    /// The client that sends the request with a label; 1 if there is no such request.
    #[must_use]
    pub fn client_of(&self, label: u64) -> u64 {
        self.asked().find(|(asked, _)| *asked == label).map_or(1, |(_, client)| client)
    }

    /// Tests whether a client sends a request before its earlier ones have ended.
    #[must_use]
    pub fn pipelines(&self) -> bool {
        let mut open: Vec<(u64, u64)> = Vec::new();
        for step in &self.steps {
            match step {
                ScriptStep::Ask { client, .. } if open.iter().any(|(_, own)| own == client) => return true,
                ScriptStep::Ask { label, client, .. } => open.push((*label, *client)),
                ScriptStep::Await { label, .. } => open.retain(|(own, _)| own != label),
                ScriptStep::Restart => open.clear(),
                ScriptStep::Seen { .. } | ScriptStep::Close { .. } | ScriptStep::Peer(_) => {}
                ScriptStep::Wait(_) | ScriptStep::Together { .. } => {}
            }
        }
        false
    }

    fn asked(&self) -> impl Iterator<Item = (u64, u64)> {
        self.steps.iter().filter_map(|step| match step {
            ScriptStep::Ask { label, client, .. } => Some((*label, *client)),
            ScriptStep::Await { .. } | ScriptStep::Seen { .. } | ScriptStep::Close { .. } => None,
            ScriptStep::Wait(_) | ScriptStep::Together { .. } | ScriptStep::Restart | ScriptStep::Peer(_) => None,
        })
    }

    /// The script that repeats a run: the messages that were sent and seen, in the order in which they were observed.
    #[must_use]
    pub fn of_run(header: ScriptHeader, observed: impl IntoIterator<Item = ScriptStep>) -> Script {
        Script { header, steps: observed.into_iter().collect() }
    }

    /// Removes a request and its outcome, as if it had never been sent.
    pub fn forget(&mut self, asked: u64) {
        self.steps.retain(|step| match step {
            ScriptStep::Ask { label, .. } | ScriptStep::Await { label, .. } => *label != asked,
            ScriptStep::Seen { .. } | ScriptStep::Close { .. } | ScriptStep::Wait(_) => true,
            ScriptStep::Together { .. } | ScriptStep::Restart | ScriptStep::Peer(_) => true,
        });
    }
}

impl RequestTemplate {
    /// A request without references.
    #[must_use]
    pub fn plain(value: Value) -> RequestTemplate {
        RequestTemplate { value, references: Vec::new() }
    }
}

impl Plan {
    /// The plan in which each request waits for the one before it.
    #[must_use]
    pub fn one_after_another(mut self) -> Plan {
        let mut before = None;
        for ask in &mut self.asks {
            ask.after = before.replace(ask.label).into_iter().collect();
            ask.barrier = None;
        }
        self
    }

    /// The plan of a single request.
    #[must_use]
    pub fn of_one(label: u64, client: u64, request: RequestTemplate) -> Plan {
        Plan { asks: vec![PlannedAsk::new(label, client, request)], answers: Vec::new() }
    }

    /// The plan with labels from `first` on, and with clients up to this number, to which the other clients are mapped.
    #[must_use]
    pub fn moved(mut self, first: u64, clients: u64) -> Plan {
        let by = first - 1;
        for ask in &mut self.asks {
            ask.label += by;
            ask.client = (ask.client - 1) % clients.max(1) + 1;
            ask.closes.iter_mut().for_each(|client| *client = (*client - 1) % clients.max(1) + 1);
            ask.after.iter_mut().for_each(|label| *label += by);
            ask.request.references.iter_mut().for_each(|placed| placed.to.label += by);
        }
        self
    }
}
