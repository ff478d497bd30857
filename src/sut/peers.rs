//! The addresses at which peers are played, as `--peer` takes them.
//!
//! ```
//! use mayhap::sut::PeerAddress;
//! let store: PeerAddress = "store(3)=127.0.0.1:7003".parse()?;
//! assert_eq!((store.name.as_str(), store.key.as_deref()), ("store", Some("3")));
//! assert_eq!("origin=http://127.0.0.1:8085".parse::<PeerAddress>()?.to_string(), "origin=http://127.0.0.1:8085");
//! assert!("store".parse::<PeerAddress>().is_err());
//! # Ok::<(), String>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::process::ready::checked_address;
use crate::json::decode;
use crate::reading::number_of_peer;
use crate::spec::Spec;
use crate::value::Value;

/// The protocol between a system and a peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeerSpeech {
    /// One JSON value on each line.
    Lines,
    /// HTTP/1.1, by the `http` block of the specification.
    Http,
}

/// The address at which a peer is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerAddress {
    /// The name of the peer.
    pub name: String,
    /// The key, which tells peers of one kind apart, as JSON.
    pub key: Option<String>,
    /// The host and the port.
    pub address: String,
    /// The protocol at this address.
    pub speech: PeerSpeech,
}

impl FromStr for PeerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<PeerAddress, String> {
        let expected = || {
            format!(
                "expected NAME=HOST:PORT, NAME=http://HOST:PORT, or NAME(KEY)=… for one of several peers, found {text:?}"
            )
        };
        let (peer, address) = text.rsplit_once('=').ok_or_else(expected)?;
        let (name, key) = match peer.split_once('(') {
            Some((name, key)) => (name, Some(key.strip_suffix(')').ok_or_else(expected)?.to_owned())),
            None => (peer, None),
        };
        if name.is_empty() {
            return Err(expected());
        }
        let (speech, address) = match address.strip_prefix("http://") {
            Some(address) => (PeerSpeech::Http, address.strip_suffix('/').unwrap_or(address)),
            None => (PeerSpeech::Lines, address.strip_prefix("tcp:").unwrap_or(address)),
        };
        Ok(PeerAddress { name: name.to_owned(), key, address: checked_address(address)?, speech })
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.key.as_ref().map_or(Ok(()), |key| write!(f, "({key})"))?;
        write!(f, "={}{}", if self.speech == PeerSpeech::Http { "http://" } else { "" }, self.address)
    }
}

impl PeerAddress {
    /// The number of the peer in a specification, with the key that was given.
    ///
    /// # Errors
    /// The specification has no such peer, or the peer no such key. The message says so.
    pub fn given_in(&self, spec: &Spec) -> Result<(u32, Option<Value>), String> {
        let number = number_of_peer(spec, &self.name).map_err(|why| format!("--peer {self}: {why}"))?;
        let peer = &spec.program.peers[number];
        let key = match (&self.key, peer.key) {
            (None, _) => None,
            (Some(key), Some(ty)) => {
                Some(decode(&spec.types, ty, key).map_err(|error| format!("--peer {self}: its key: {error}"))?)
            }
            (Some(_), None) => return Err(format!("--peer {self}: the peer `{}` has no key", peer.name)),
        };
        Ok((number as u32, key))
    }

    /// The number of the peer in a specification, with its key.
    ///
    /// # Errors
    /// The specification has no such peer, or the peer does not speak like this. The message says so.
    pub(super) fn place_in(&self, spec: &Spec) -> Result<(u32, Option<Value>), String> {
        let (number, key) = self.given_in(spec)?;
        let peer = &spec.program.peers[number as usize];
        if let (None, Some(ty)) = (&key, peer.key) {
            let (name, ty) = (&peer.name, spec.types.name(ty));
            return Err(format!("--peer {self}: the peer `{name}` has a key of type {ty}: --peer '{name}(KEY)=…'"));
        }
        if self.speech == PeerSpeech::Http {
            let program = &spec.program;
            if spec.http.is_none() {
                return Err(format!("--peer {self}: the specification {} has no http block", program.name));
            }
            if [peer.request, peer.response] != [program.request, program.response] {
                let name = &peer.name;
                return Err(format!(
                    "--peer {self}: the http block says how requests of clients look; the peer `{name}` takes others"
                ));
            }
        }
        Ok((number, key))
    }
}
