//! Pending work between two sections: requests that have arrived, tasks that are suspended, answers that were sent.
//!
//! ```text
//! arrived: c2 Take(3)      suspended: c1, behind its `yield`      sent: c3 Taken
//! ```
//!
//! Each of the three is in the order of ports, and what has one port in the order in which it came.

use super::task::{Stack, Suspended};
use super::{Port, Process};
use crate::spec::Site;
use crate::spec::code::Program;
use crate::value::Value;

/// An answer under way.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    /// Whom it answers.
    pub port: Port,
    /// The answer.
    pub value: Value,
    /// The statement that sent it.
    pub site: Site,
}

/// Everything that is under way; there is none where nothing is.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Pending {
    arrived: Vec<(Port, Value)>,
    suspended: Vec<Suspended>,
    sent: Vec<Sent>,
}

/// The situation of everything that is under way, without its values: candidates in which this differs are different.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Situation {
    /// The ports of the requests that have arrived.
    pub arrived: Vec<Port>,
    /// The places at which the suspended tasks go on.
    pub suspended: Vec<Stack>,
    /// The ports of the answers that were sent.
    pub sent: Vec<Port>,
}

impl Process {
    /// The situation of everything that is under way.
    #[must_use]
    pub fn situation(&self) -> Situation {
        let Some(Pending { arrived, suspended, sent }) = self.pending.as_deref() else { return Situation::default() };
        Situation {
            arrived: arrived.iter().map(|(port, _)| *port).collect(),
            suspended: suspended.iter().map(|task| task.stack.clone()).collect(),
            sent: sent.iter().map(|answer| answer.port).collect(),
        }
    }

    /// Tests whether another process holds the same in memory and under way.
    #[must_use]
    pub fn holds_the_same(&self, other: &Process) -> bool {
        self.memory == other.memory && self.has_same_pending(other)
    }

    /// Tests whether another process has the same under way.
    #[must_use]
    pub fn has_same_pending(&self, other: &Process) -> bool {
        self.pending == other.pending
    }

    /// Tests whether all that is under way is known.
    #[must_use]
    pub fn is_pending_known(&self) -> bool {
        self.pending.iter().flat_map(|pending| pending.values()).all(Value::is_known)
    }

    /// A request arrives; it waits until it is received.
    pub fn arrive(&mut self, port: Port, value: Value) {
        insert(&mut self.pending.get_or_insert_default().arrived, (port, value), |(port, _)| *port);
    }

    /// Begins to handle the request at this place among those that have arrived.
    ///
    /// # Panics
    /// If there is none.
    pub fn receive_arrived(&mut self, program: &Program, at: usize) {
        let (port, value) = self.change_pending(|pending| pending.arrived.remove(at));
        self.receive(program, &value, port.0);
    }

    /// Sends an answer on the port of the task that runs or ran last.
    pub fn send(&mut self, value: Value, site: Site) {
        let answer = Sent { port: self.task.port, value, site };
        insert(&mut self.pending.get_or_insert_default().sent, answer, |answer| answer.port);
    }

    /// Takes the answer at this place among those that were sent: it has been observed.
    ///
    /// # Panics
    /// If there is none.
    pub fn take_sent(&mut self, at: usize) -> Sent {
        self.change_pending(|pending| pending.sent.remove(at))
    }

    pub(super) fn add_suspended(&mut self, task: Suspended) {
        insert(&mut self.pending.get_or_insert_default().suspended, task, |task| task.stack.port);
    }

    pub(super) fn take_suspended(&mut self, at: usize) -> Suspended {
        self.change_pending(|pending| pending.suspended.remove(at))
    }

    fn change_pending<T>(&mut self, change: impl FnOnce(&mut Pending) -> T) -> T {
        let mut pending = self.pending.take().unwrap_or_default();
        let changed = change(&mut pending);
        if *pending != Pending::default() {
            self.pending = Some(pending);
        }
        changed
    }
}

impl Pending {
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let Pending { arrived, suspended, sent } = self;
        let packets = arrived.iter().map(|(_, request)| request).chain(sent.iter().map(|answer| &answer.value));
        packets.chain(suspended.iter().flat_map(|task| &task.registers))
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let Pending { arrived, suspended, sent } = self;
        let answers = sent.iter_mut().map(|answer| &mut answer.value);
        let packets = arrived.iter_mut().map(|(_, request)| request).chain(answers);
        packets.chain(suspended.iter_mut().flat_map(|task| &mut task.registers))
    }
}

/// Puts something behind those of its port.
fn insert<T>(all: &mut Vec<T>, new: T, port: impl Fn(&T) -> Port) {
    let at = all.partition_point(|other| port(other) <= port(&new));
    all.insert(at, new);
}
