//! A specification composed with the network to its clients.
//!
//! Over `udp`, `c1 Put(1)` and `c1 Put(2)` under way have no order: both orders are one state.

use crate::judge::candidate::Candidate;
use crate::judge::options::Options;
use crate::network::{Network, PacketOrder};
use crate::spec::Spec;
use crate::spec::code::{Op, Program};

/// A specification, and the network to its clients.
#[derive(Clone, Copy)]
pub(crate) struct Composition<'s> {
    pub(crate) spec: &'s Spec,
    pub(crate) network: &'s dyn Network,
    /// Set if equal packets without order count as one, and so do all messages of a step that can be repeated.
    pub(crate) reduces: bool,
    /// Set if packets may be lost; they are lost only when they are in the way.
    pub(crate) loses: bool,
    /// Set if the next section of a task may be looked at ahead; that needs answers that are known before they are seen.
    pub(crate) looks_ahead: bool,
    /// Set if there is a candidate for each fate of a message as soon as it is sent: it is one of the answers to come, or nobody sees it.
    pub(crate) splits_by_fate: bool,
    /// Set if each message is the answer to a request, and each request has at most one answer: then answers to come need requests.
    pub(crate) counts_requests: bool,
}

impl<'s> Composition<'s> {
    pub(crate) fn new(spec: &'s Spec, network: &'s dyn Network, options: &Options) -> Composition<'s> {
        let reduces = options.reduces();
        // The messages of a failing run must still be seen, so they are not lost.
        let loses = reduces && network.loses() && !spec.program.may_fail;
        let is_in_order = network.order() == PacketOrder::Connection && !network.counts_packets();
        let counts_requests = reduces && answers_only(&spec.program);
        let looks_ahead = counts_requests && is_in_order;
        Composition { spec, network, reduces, loses, looks_ahead, splits_by_fate: false, counts_requests }
    }

    /// This composition, with a candidate for each fate of a message if reductions are made and that is possible: messages have no order,
    /// and those that nobody sees can be left out.
    pub(crate) fn splitting_by_fate(self) -> Composition<'s> {
        let may_be_unseen = !self.network.counts_packets();
        let is_free = self.network.order() == PacketOrder::Free;
        Composition { splits_by_fate: self.reduces && is_free && may_be_unseen, ..self }
    }

    /// Sorts the packets under way, as far as their order means nothing.
    pub(crate) fn order(self, candidate: &mut Candidate) {
        match self.network.order() {
            PacketOrder::Free if self.reduces => candidate.process.order_by_value(),
            PacketOrder::Connection => candidate.process.order_by_port(),
            PacketOrder::Free | PacketOrder::Global => {}
        }
    }

    /// Tests whether equal packets count as one: the first of them stands for all.
    pub(crate) fn has_equal_packets(self) -> bool {
        self.reduces && self.network.order() == PacketOrder::Free
    }

    /// Tests whether a message of a step that can be repeated stays under way: it may be seen any number of times, and is not counted.
    pub(crate) fn repeats(self) -> bool {
        self.reduces && self.network.order() == PacketOrder::Free && !self.network.counts_packets()
    }
}

/// Tests whether the only messages to clients are answers: no code sends others, or closes connections.
pub(crate) fn answers_only(program: &Program) -> bool {
    let is_other = |op: &Op| matches!(op.plain(), Op::SendTo { .. } | Op::Close { .. });
    !program.functions.iter().any(|function| function.code.iter().any(is_other))
}
