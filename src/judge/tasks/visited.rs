//! The states that were visited before an observation: a state that a visited one covers is not followed.
//!
//! Over a network that loses packets, a state with more packets under way can do all that a state with fewer can:
//!
//! ```text
//! n = 1, c1 W(2) and c2 W(3) not read      covers      n = 1, c1 W(2) not read
//! ```
//!
//! The note `proofs-notes/datagrams.md` says why.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::composition::Composition;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::normal_form::forms;
use crate::judge::normal_form::forms::CanonicalForm;
use crate::process::Port;
use crate::value::Value;

/// This many comparisons of packets count as one made term.
const COMPARED: usize = 32;

/// The packets of a state that may be lost, by their numbers; each list is in order.
#[derive(Default, Debug)]
struct Packets {
    arrived: Rc<Vec<u32>>,
    sent: Vec<u32>,
    /// The messages under way that may be seen any number of times.
    endless: Vec<u32>,
    is_clean: bool,
}

/// The visited states: if some differ only in their packets, those among them that no other one covers.
pub(crate) struct VisitedStates {
    /// The packets of the states, by the states' forms without packets that may be lost.
    forms: FxHashMap<Vec<CanonicalForm>, Vec<Vec<Packets>>>,
    /// The numbers of different packets.
    numbers: FxHashMap<(Port, Value), u32>,
    /// The lists of unread requests, shared by states: few lists are different if requests may be read again.
    arrived: FxHashSet<Rc<Vec<u32>>>,
    /// Set if packets may be lost.
    loses: bool,
    count: usize,
}

impl VisitedStates {
    pub(crate) fn new(composed: Composition<'_>) -> VisitedStates {
        VisitedStates {
            forms: FxHashMap::default(),
            numbers: FxHashMap::default(),
            arrived: FxHashSet::default(),
            loses: composed.loses,
            count: 0,
        }
    }

    /// Adds states that are followed together, unless visited ones cover them one by one; returns whether they were added.
    pub(crate) fn add(&mut self, context: &mut Context, states: &[Candidate]) -> bool {
        let (form, new): (Vec<_>, Vec<_>) = states.iter().map(|state| self.split(state)).unzip();
        let met = self.forms.entry(form).or_default();
        context.work.without_terms += (met.len() / COMPARED) as u64;
        let covers = |a: &Vec<Packets>, b: &Vec<Packets>| a.iter().zip(b).all(|(a, b)| a.covers(b));
        if met.iter().any(|other| covers(other, &new)) {
            return false;
        }
        met.retain(|other| !covers(&new, other));
        met.push(new);
        self.count += 1;
        true
    }

    /// The number of states that were added.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The form of a state without the packets that may be lost, and these packets.
    fn split(&mut self, state: &Candidate) -> (CanonicalForm, Packets) {
        let (mut situation, mut values, facts) = forms::canonical(state);
        let mut packets = Packets { is_clean: state.is_clean(), ..Packets::default() };
        if self.loses {
            let [arrived, sent] = [&mut situation.arrived, &mut situation.sent].map(std::mem::take);
            let endless = std::mem::take(&mut situation.endless);
            let from = state.process.memory.len();
            let all = values.drain(from..from + arrived.len() + sent.len());
            let ports = arrived.iter().chain(&sent).copied();
            let mut numbers: Vec<u32> = ports.zip(all).map(|packet| number(&mut self.numbers, packet)).collect();
            for (at, message) in numbers.split_off(arrived.len()).into_iter().enumerate() {
                if endless.contains(&at) { &mut packets.endless } else { &mut packets.sent }.push(message);
            }
            for all in [&mut numbers, &mut packets.sent, &mut packets.endless] {
                all.sort_unstable();
                all.shrink_to_fit();
            }
            packets.arrived = shared(&mut self.arrived, numbers);
        }
        ((situation, values, facts), packets)
    }
}

/// The number of a packet.
fn number(numbers: &mut FxHashMap<(Port, Value), u32>, packet: (Port, Value)) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(packet).or_insert(next)
}

/// The shared list that is equal to a new one.
fn shared(lists: &mut FxHashSet<Rc<Vec<u32>>>, new: Vec<u32>) -> Rc<Vec<u32>> {
    if let Some(same) = lists.get(&new) {
        return same.clone();
    }
    let new = Rc::new(new);
    lists.insert(new.clone());
    new
}

impl Packets {
    /// Tests whether a state with these packets can do all that the same state with the other packets can.
    fn covers(&self, other: &Packets) -> bool {
        let rest = other.sent.iter().filter(|message| self.endless.binary_search(message).is_err());
        (self.is_clean || !other.is_clean)
            && (Rc::ptr_eq(&self.arrived, &other.arrived) || has_all(&self.arrived, other.arrived.iter()))
            && has_all(&self.sent, rest)
            && has_all(&self.endless, &other.endless)
    }
}

/// Tests whether a list has all elements of another one, as often; both are in order.
fn has_all<'v>(all: &[u32], some: impl IntoIterator<Item = &'v u32>) -> bool {
    let mut left = all.iter();
    some.into_iter().all(|one| left.find(|other| *other >= one) == Some(one))
}
