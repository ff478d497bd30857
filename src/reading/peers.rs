//! The messages between a server and its peers, decoded under the types of the peer.
//!
//! `{"peer": "store", "key": 3, "c": 7, "q": "Get"}` is a call of the `store` with the key 3.

use super::stream::decoded;
use crate::diagnostic::suggest;
use crate::json::JsonError;
use crate::spec::Spec;
use crate::trace::{PeerEvent, PeerMessage, Raw};
use crate::value::Value;

/// The index of the peer with this name.
///
/// # Errors
/// The specification has no such peer; the message may suggest a similar name.
pub fn number_of_peer(spec: &Spec, name: &str) -> Result<usize, String> {
    let peers = &spec.program.peers;
    if peers.is_empty() {
        return Err("the specification calls no peer".to_owned());
    }
    peers.iter().position(|peer| peer.name == name).ok_or_else(|| {
        let near = suggest(name, peers.iter().map(|peer| peer.name.as_str()));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        format!("the specification has no peer {name:?}{hint}")
    })
}

/// The message on a line, with its values decoded.
///
/// # Errors
/// The specification has no such peer, or a value does not have its type.
pub fn decoded_message(spec: &Spec, event: &PeerEvent<Raw<'_>>) -> Result<PeerEvent<Value>, JsonError> {
    let number = number_of_peer(spec, &event.peer).map_err(|why| JsonError::new(0, why))?;
    let declared = &spec.program.peers[number];
    let name = &event.peer;
    let (key, message) = match &event.message {
        PeerMessage::Call(query) => {
            let key = match (&event.key, declared.key) {
                (Some(key), Some(ty)) => Some(decoded(spec, ty, key)?),
                (None, None) => None,
                (Some(key), None) => return Err(JsonError::new(key.offset, format!("the peer {name:?} has no key"))),
                (None, Some(_)) => {
                    return Err(JsonError::new(0, format!("\"key\" is missing: which {name:?} is called?")));
                }
            };
            (key, PeerMessage::Call(decoded(spec, declared.request, query)?))
        }
        PeerMessage::Answer(answer) => (None, PeerMessage::Answer(decoded(spec, declared.response, answer)?)),
        PeerMessage::Sent(answer) => (None, PeerMessage::Sent(decoded(spec, declared.response, answer)?)),
        PeerMessage::Lost => (None, PeerMessage::Lost),
    };
    Ok(PeerEvent { peer: name.clone(), key, exchange: event.exchange, message })
}
