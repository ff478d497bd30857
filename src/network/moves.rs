//! The sections that the server may run next over a network, and the observations that may be made without any.
//!
//! ```text
//! arrived: c1, c2      suspended: c3, which waits for a peer        the request of c1 or c2 is next, or a step
//! ```

use super::{Network, Observation, PacketOrder, ServerMove};
use crate::process::{Port, Situation};
use crate::spec::code::Program;

/// A section that the server may run next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerSection {
    /// A move that the network lists.
    Move(ServerMove),
    /// The server takes notice of a connection that has begun.
    Open(Port),
    /// The server takes notice of a connection that has ended, from which it reads no more.
    Leave(Port),
}

impl ServerSection {
    /// The connection of the request that the section handles, if it handles one.
    #[must_use]
    pub fn port(self, situation: &Situation) -> Option<Port> {
        match self {
            ServerSection::Move(ServerMove::Receive(at)) => Some(situation.arrived[at]),
            ServerSection::Move(ServerMove::Resume(at)) => Some(situation.suspended[at].port),
            _ => None,
        }
    }
}

/// Tests whether an observation may be made in a situation.
pub fn may_be_made(network: &dyn Network, situation: &Situation, observation: &Observation) -> bool {
    match observation {
        Observation::Request(..) | Observation::Answer(..) | Observation::End => network.allows(situation, observation),
        // If messages overtake each other, the end of a connection overtakes them, too.
        Observation::Closed(port) => {
            let is_last = network.order() == PacketOrder::Free || !situation.sent.contains(port);
            situation.closed.contains(port) && is_last
        }
        Observation::Noticed(port) => !situation.leaving.contains(port),
        Observation::Called(seen) => situation.unseen_calls().any(|call| call.peer == seen.peer),
        Observation::Lost(_) | Observation::Restart => true,
        Observation::CallAnswered(..) | Observation::AnswerSent(..) | Observation::CallLost(_) => true,
    }
}

/// The sections that may run next, before an observation.
pub fn of(
    program: &Program,
    network: &dyn Network,
    situation: &Situation,
    observation: &Observation,
) -> Vec<ServerSection> {
    // In a serial protocol, no task begins before the suspended one has ended.
    let is_held = program.is_serial && !situation.suspended.is_empty();
    let may_run = |next: &ServerMove| match *next {
        ServerMove::Receive(at) => !is_held && !situation.opening.contains(&situation.arrived[at]),
        ServerMove::Resume(at) => situation.suspended[at].may_go_on(),
        ServerMove::Step => !program.steps.is_empty(),
    };
    let moves = network.moves(situation, observation).into_iter().filter(may_run).map(ServerSection::Move);
    let opening = situation.opening.iter().map(|port| ServerSection::Open(*port));
    let has_left = |port: &&Port| !situation.is_busy(**port) && !situation.opening.contains(port);
    let leaving = situation.leaving.iter().filter(has_left).map(|port| ServerSection::Leave(*port));
    moves.chain(opening.chain(leaving).filter(|_| !is_held)).collect()
}
