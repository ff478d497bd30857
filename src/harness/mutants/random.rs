//! Random concurrent clients of a mutant, with the peers that it calls.
//!
//! They test specifications that do more than answer requests.

use std::sync::Arc;

use crate::choice::Random;
use crate::network::NetworkChoice;
use crate::server::{CallEvent, Conversation, Occurrence, PeerOccurrence, Population, Ranges, Server, Stop};
use crate::session::{Session, SessionProgress};
use crate::spec::Spec;
use crate::trace::{EventKind, PeerEvent, PeerMessage, TraceEvent};
use crate::value::Value;

/// The range of the integers in requests; it is small so that values repeat.
const FEW: (i64, i64) = (-1, 5);
/// The number of clients.
const CLIENTS: u64 = 3;

/// The end of a run.
pub(super) enum MutantRunEnd {
    /// The mutant did something that the specification does not allow.
    Killed,
    /// The mutant did only what the specification allows.
    Over,
    /// The mutant cannot be tested, for this reason.
    Failed(String),
}

/// Random clients.
pub(super) struct RandomClients<'t> {
    pub spec: &'t Arc<Spec>,
    pub mutant: &'t Arc<Spec>,
}

impl RandomClients<'_> {
    /// Makes a run of `length` requests.
    pub fn converse(&self, length: u64, source: &mut Random, requests: &mut u64) -> MutantRunEnd {
        let ranges = Ranges { request: Some(FEW), choose: None };
        let server = match Server::new(self.mutant.clone(), ranges, source) {
            Ok(server) => server,
            Err(Stop::Stuck(_) | Stop::Fault(_)) => return MutantRunEnd::Killed,
            Err(stop) => return MutantRunEnd::Failed(stop.to_string()),
        };
        let network = NetworkChoice::TCP;
        let population = Population { clients: CLIENTS, requests: length, pipelined: 1, lost: 0, network };
        let mut conversation = Conversation::new(server, population);
        let mut session = Session::tcp(self.spec, Default::default());
        for line in 1.. {
            match conversation.next(source) {
                Ok(Some(occurrence)) => {
                    *requests += u64::from(matches!(occurrence, Occurrence::Sent(..)));
                    match session.push(event(self.mutant, occurrence, line)) {
                        Ok(SessionProgress::Rejected(_)) | Err(_) => return MutantRunEnd::Killed,
                        Ok(SessionProgress::Unknown(_) | SessionProgress::Outside(_) | SessionProgress::Faulty(_)) => {
                            return MutantRunEnd::Over;
                        }
                        Ok(SessionProgress::Explained) => {}
                    }
                }
                Ok(None) | Err(Stop::Outside(_)) => break,
                Err(Stop::Stuck(_) | Stop::Fault(_)) => return MutantRunEnd::Killed,
                Err(_) => return MutantRunEnd::Over,
            }
        }
        match session.settle() {
            SessionProgress::Rejected(_) => MutantRunEnd::Killed,
            SessionProgress::Unknown(_)
            | SessionProgress::Outside(_)
            | SessionProgress::Faulty(_)
            | SessionProgress::Explained => MutantRunEnd::Over,
        }
    }
}

/// The event of a trace for an occurrence.
fn event(spec: &Spec, occurrence: Occurrence, line: u64) -> TraceEvent<Value> {
    let (client, kind) = match occurrence {
        Occurrence::Sent(client, request) => (Some(client), EventKind::Request(request)),
        Occurrence::Answered(client, answer) => (Some(client), EventKind::Answer(answer)),
        Occurrence::Lost(client) => (Some(client), EventKind::Lost),
        Occurrence::Closed(client) => (Some(client), EventKind::Closed),
        Occurrence::Peer(PeerOccurrence { peer, exchange, event }) => {
            let peer = &spec.program.peers[peer as usize];
            let (key, message) = match event {
                CallEvent::Called(key, request) => (peer.key.map(|_| key), PeerMessage::Call(request)),
                CallEvent::Answered(answer) => (None, PeerMessage::Answer(answer)),
                CallEvent::Failed => (None, PeerMessage::Lost),
            };
            (None, EventKind::Peer(PeerEvent { peer: peer.name.clone(), key, exchange, message }))
        }
    };
    TraceEvent { line, client, kind }
}
