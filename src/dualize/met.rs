//! The states that were met before an observation: one that leads to nothing new is not followed.
//!
//! Over a network that loses packets one with more of them under way can do what one with fewer can:
//!
//! ```text
//! n = 1, c1 W(2) and c2 W(3) not read      covers      n = 1, c1 W(2) not read
//! ```
//!
//! (`proofs-notes/datagrams.md`.)

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::Candidate;
use super::composed::Composed;
use super::forms::{self, CanonicalForm};
use crate::process::Port;
use crate::value::Value;

/// The packets of a state that may be lost, each kind in order; without them, it has one form.
#[derive(Default, Debug)]
struct Packets {
    arrived: Arc<Vec<(Port, Value)>>,
    sent: Vec<(Port, Value)>,
    /// Those that were sent and are there any number of times.
    endless: Vec<(Port, Value)>,
    is_clean: bool,
}

/// The states that were met: of those that differ in their packets only the ones that no other covers.
pub(super) struct MetStates {
    /// By their forms, in which packets that may be lost are missing.
    forms: FxHashMap<Vec<CanonicalForm>, Vec<Vec<Packets>>>,
    /// The lists of requests that are not read: where they may be read again few are different.
    arrived: FxHashSet<Arc<Vec<(Port, Value)>>>,
    /// Set where packets may be lost.
    loses: bool,
    count: usize,
}

impl MetStates {
    pub(super) fn new(composed: Composed<'_>) -> MetStates {
        MetStates { forms: FxHashMap::default(), arrived: FxHashSet::default(), loses: composed.loses, count: 0 }
    }

    /// Adds states that are followed together, unless others were met that cover them one by one; whether it did.
    pub(super) fn add(&mut self, states: &[Candidate]) -> bool {
        let (form, mut new): (Vec<_>, Vec<_>) = states.iter().map(|state| split(state, self.loses)).unzip();
        for Packets { arrived, .. } in &mut new {
            match self.arrived.get(arrived) {
                Some(same) => *arrived = same.clone(),
                None => _ = self.arrived.insert(arrived.clone()),
            }
        }
        let met = self.forms.entry(form).or_default();
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
    pub(super) fn len(&self) -> usize {
        self.count
    }
}

impl Packets {
    /// Tests whether a state with these packets can do all that one can that differs from it in its packets only.
    fn covers(&self, other: &Packets) -> bool {
        let rest = other.sent.iter().filter(|message| self.endless.binary_search(message).is_err());
        (self.is_clean || !other.is_clean)
            && (Arc::ptr_eq(&self.arrived, &other.arrived) || has_all(&self.arrived, other.arrived.iter()))
            && has_all(&self.sent, rest)
            && has_all(&self.endless, &other.endless)
    }
}

/// Tests whether a list has all elements of another one, as often; both are in order.
fn has_all<'v>(all: &'v [(Port, Value)], some: impl IntoIterator<Item = &'v (Port, Value)>) -> bool {
    let mut left = all.iter();
    some.into_iter().all(|one| left.find(|other| *other >= one) == Some(one))
}

/// The form of a state, and its packets.
fn split(state: &Candidate, loses: bool) -> (CanonicalForm, Packets) {
    let (mut situation, mut values, facts) = forms::canonical(state);
    let mut packets = Packets { is_clean: state.is_clean(), ..Packets::default() };
    if loses {
        let [arrived, sent] = [&mut situation.arrived, &mut situation.sent].map(std::mem::take);
        let endless = std::mem::take(&mut situation.endless);
        let from = state.process.memory.len();
        let mut all = values.drain(from..from + arrived.len() + sent.len());
        let mut arrived: Vec<_> = arrived.into_iter().zip(all.by_ref()).collect();
        arrived.sort_unstable();
        packets.arrived = Arc::new(arrived);
        for (at, message) in sent.into_iter().zip(all).enumerate() {
            if endless.contains(&at) { &mut packets.endless } else { &mut packets.sent }.push(message);
        }
        for all in [&mut packets.sent, &mut packets.endless] {
            all.sort_unstable();
            all.shrink_to_fit();
        }
    }
    ((situation, values, facts), packets)
}
