//! The open connections, as the observations show them, and the answers that a recording still has for each.
//!
//! ```text
//! c1 Take   c1 Take   c1 Taken(1)   c1 Taken(2)       the first answer that is sent to c1 is Taken(1), the second Taken(2),
//!                                                     and a third one nobody sees
//! ```
//!
//! On a connection that keeps its order, the n-th message sent is the n-th seen, if any is: it is unified with that answer as soon as it
//! is sent (`proofs-notes/tasks.md`, *Lookahead*).

use std::sync::Arc;

use im::OrdMap;
use rustc_hash::FxHashMap;

use crate::judge::candidate::Candidate;
use crate::network::{Network, Observation, PacketOrder};
use crate::process::{Port, Process, Sent};
use crate::solve::Store;
use crate::value::{self, Truth, Value};

/// An observation, with its line in the recording before it.
pub type RecordedEvent = (u64, Observation);

/// The answers that a recording has for each connection, in their order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ahead(FxHashMap<Port, AnswersAhead>);

/// The answers on one connection.
#[derive(Clone, Default, Debug)]
struct AnswersAhead {
    /// The answers; `None` is one that is not known.
    answers: Vec<Option<Value>>,
    /// Set if the server is seen to end the connection after these answers.
    is_closed: bool,
}

/// The use that a judge makes of the answers to come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookahead {
    /// Candidates with messages, tasks or requests that cannot lead to the answers are dropped.
    All,
    /// Candidates with a message that is not the one that is seen are dropped; those with tasks and requests that cannot lead to an answer
    /// are not, as a failing run need not give the answer.
    Messages,
    /// The answers are not used before they are seen.
    None,
}

/// The fate of a message.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum MessageFate {
    /// The message is seen, and is this one.
    Is(Value),
    /// The message is seen, but its value is not known.
    Any,
    /// Nobody sees it.
    Unseen,
    /// There can be no such message.
    Impossible,
}

/// The open connections, each with the number of answers that were seen on it, and the answers to come, if these are known.
#[derive(Clone, Default, Debug)]
pub(crate) struct Wire {
    there: OrdMap<Port, usize>,
    ahead: Option<Arc<Ahead>>,
    /// Set if the n-th message that is sent on a connection is the n-th that is seen there.
    keeps_order: bool,
    /// The answer to which the server runs, on a connection that keeps its order.
    awaited: Option<(Port, Value)>,
    /// Set if candidates with tasks that cannot give these answers are dropped.
    looks_at_tasks: bool,
}

impl Ahead {
    /// The answers of a recording.
    pub(crate) fn of<'o>(observations: impl IntoIterator<Item = &'o Observation>) -> Ahead {
        let mut ahead = Ahead::default();
        for observation in observations {
            match observation {
                Observation::Answer(port, answer) => ahead.0.entry(*port).or_default().answers.push(answer.clone()),
                Observation::Closed(port) => ahead.0.entry(*port).or_default().is_closed = true,
                _ => {}
            }
        }
        ahead
    }

    /// The fate of the message with this number, from 0, on a connection that keeps its order.
    fn fate(&self, port: Port, number: usize) -> MessageFate {
        let Some(coming) = self.0.get(&port) else { return MessageFate::Unseen };
        match coming.answers.get(number) {
            Some(Some(answer)) => MessageFate::Is(answer.clone()),
            Some(None) => MessageFate::Any,
            None if coming.is_closed => MessageFate::Impossible,
            None => MessageFate::Unseen,
        }
    }

    /// The number of answers on a connection, after the `first` ones, that a message may be.
    fn places(&self, port: Port, first: usize, message: &Value, store: &Store) -> usize {
        let answers = self.0.get(&port).map_or(&[][..], |coming| coming.answers.get(first..).unwrap_or_default());
        let may_be = |answer: &&Option<Value>| match answer {
            Some(answer) => may_be(message, answer, store),
            None => true,
        };
        answers.iter().filter(may_be).count()
    }
}

impl Wire {
    /// Sets the answers to come, and the use that is made of them.
    pub(crate) fn look_ahead(&mut self, ahead: Ahead, lookahead: Lookahead, network: &dyn Network) {
        self.ahead = Some(Arc::new(ahead));
        self.keeps_order = keeps_order(network);
        self.looks_at_tasks = lookahead == Lookahead::All;
    }

    /// Tests whether candidates with tasks that cannot give the answers to come are dropped.
    pub(crate) fn looks_at_tasks(&self) -> bool {
        self.looks_at_tasks
    }

    /// Tests whether the answers to come are known.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.ahead.is_some()
    }

    /// Opens a connection at its first event; returns whether it was not open yet.
    pub(crate) fn open(&mut self, port: Port) -> bool {
        let is_new = !self.there.contains_key(&port);
        self.there.entry(port).or_default();
        is_new
    }

    pub(crate) fn end(&mut self, port: Port) {
        self.there.remove(&port);
    }

    /// Ends all connections.
    pub(crate) fn end_all(&mut self) {
        self.there.clear();
    }

    pub(crate) fn is_there(&self, port: Port) -> bool {
        self.there.contains_key(&port)
    }

    /// The open connections, each with the number of answers that were seen on it.
    pub(crate) fn shown(&self) -> Vec<(u64, usize)> {
        self.there.iter().map(|(port, shown)| (port.0, *shown)).collect()
    }

    /// Adds an open connection on which this many answers were seen.
    pub(crate) fn resume(&mut self, port: Port, shown: usize) {
        self.there.insert(port, shown);
    }

    /// The open connections.
    pub(crate) fn ports(&self) -> Vec<Port> {
        self.there.keys().copied().collect()
    }

    /// Counts an answer that was seen.
    pub(crate) fn show(&mut self, port: Port) {
        *self.there.entry(port).or_default() += 1;
    }

    /// The fate of the message that is sent next on a connection that keeps its order, if it is known.
    pub(crate) fn next_on(&self, port: Port, sent: &[Sent]) -> Option<MessageFate> {
        let under_way = sent.iter().filter(|message| message.port == port).count();
        Some(self.ahead.as_ref()?.fate(port, self.there.get(&port)? + under_way))
    }

    /// Sets the observation to which the server runs next; `None` after it.
    pub(crate) fn run_to(&mut self, network: &dyn Network, observation: Option<&Observation>) {
        self.awaited = match observation {
            Some(Observation::Answer(port, Some(answer))) if keeps_order(network) => Some((*port, answer.clone())),
            _ => None,
        };
    }

    /// The fate of the answer that a task has announced, if it is known: it is the next message on the connection of the task.
    pub(crate) fn fate_of_announced(&self, process: &Process) -> Option<MessageFate> {
        let (port, sent) = (process.open_port()?, process.sent());
        match &self.awaited {
            Some((on, answer)) if *on == port && !sent.iter().any(|message| message.port == port) => {
                Some(MessageFate::Is(answer.clone()))
            }
            _ if self.keeps_order => self.next_on(port, sent),
            _ => None,
        }
    }

    /// The place and the fate of the first message under way whose fate is known and was not applied yet.
    pub(crate) fn next_fate(&self, candidate: &Candidate, network: &dyn Network) -> Option<(usize, MessageFate)> {
        let sent = candidate.process.sent();
        (0..sent.len()).find_map(|at| {
            let fate = self.fate(sent, &candidate.store, at, network)?;
            (!matches!(sent[at].value, Value::Absent)).then_some((at, fate))
        })
    }

    /// Tests whether there are answers enough of a message on its connection, which keeps no order, if those to come are known.
    fn is_unseen(&self, sent: &[Sent], store: &Store, at: usize) -> Option<bool> {
        let Sent { port, value, .. } = &sent[at];
        let equal = sent[..at].iter().filter(|other| other.port == *port && other.value == *value).count();
        let shown = self.there.get(port).copied()?;
        Some(equal >= self.ahead.as_ref()?.places(*port, shown, value, store))
    }

    /// The place of the first message that is not fully known, and the answers that it may be, the earliest one first. Only messages on
    /// connections whose answers to come are all known count.
    pub(crate) fn open_message(&self, candidate: &Candidate) -> Option<(usize, Vec<Value>)> {
        let sent = candidate.process.sent();
        (0..sent.len()).find_map(|at| Some((at, self.answers_of(&sent[at], &candidate.store)?)))
    }

    /// The different answers that a message may be if it is not fully known; `None` if an answer to come is not known.
    fn answers_of(&self, message: &Sent, store: &Store) -> Option<Vec<Value>> {
        if message.value.is_known() || matches!(message.value, Value::Absent) {
            return None;
        }
        let first = self.there.get(&message.port)?;
        let coming = self.ahead.as_ref()?.0.get(&message.port).map_or(&[][..], |coming| &coming.answers);
        let mut answers: Vec<Value> = Vec::new();
        for answer in coming.get(*first..).unwrap_or_default() {
            let answer = answer.as_ref().filter(|answer| answer.is_known())?;
            if !answers.contains(answer) && may_be(&message.value, answer, store) {
                answers.push(answer.clone());
            }
        }
        Some(answers)
    }

    fn fate(&self, sent: &[Sent], store: &Store, at: usize, network: &dyn Network) -> Option<MessageFate> {
        let port = sent[at].port;
        let Some(shown) = self.there.get(&port) else { return Some(MessageFate::Unseen) };
        let before = sent[..at].iter().filter(|other| other.port == port);
        let order = network.order();
        if order == PacketOrder::Free {
            let is_equal = |other: &&Sent| other.value == sent[at].value;
            let is_covered = before.clone().filter(is_equal).any(|other| other.is_endless);
            let equal = before.filter(is_equal).count();
            if is_covered || (network.duplicates() && equal > 0) {
                return Some(MessageFate::Unseen);
            }
            return (!network.counts_packets() && self.is_unseen(sent, store, at)?).then_some(MessageFate::Unseen);
        }
        let fate = self.ahead.as_ref()?.fate(port, shown + before.count());
        // An unseen message stays under way if it is in the way of later ones, or the network counts it.
        let stays = order == PacketOrder::Global || network.counts_packets();
        (!(stays && fate == MessageFate::Unseen)).then_some(fate)
    }
}

/// Tests whether the n-th message that is sent on a connection is the n-th that is seen there.
fn keeps_order(network: &dyn Network) -> bool {
    network.order() != PacketOrder::Free && !network.duplicates() && !network.loses()
}

/// Tests whether a message may be an answer, as far as its value and the store show without a search.
fn may_be(message: &Value, answer: &Value, store: &Store) -> bool {
    match value::equal(message, answer) {
        Ok(Truth::Known(is_equal)) => is_equal,
        Ok(Truth::Term(is_equal)) => store.decide(&is_equal) != Some(false),
        Err(_) => true,
    }
}
