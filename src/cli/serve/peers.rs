//! The peers that a served specification calls: their addresses, and one connection for each call.
//!
//! With `--peer 'store(3)=127.0.0.1:7003'`, `call store(3), Get` sends a line with the request to this address, and reads a line
//! with the answer. If the peer is not there, does not answer in time, or sends no value of its type, it has failed, and the call
//! is `None`.

use super::connection::{CallEnd, Message, RequestChannel};
use super::outbox::STACK;
use crate::cli::terminal::files;
use mayhap::json::{decode, encode};
use mayhap::spec::Spec;
use mayhap::spec::code::SpecPeer;
use mayhap::sut::{PeerAddress, PeerSpeech};
use mayhap::value::Value;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The time within which a peer must answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of an answer.
const MAX_ANSWER_BYTES: u64 = 1 << 24;

/// The addresses of peers, by the number of the peer in the specification, and its key as JSON. An address without a key is for
/// all keys without an address of their own.
type Addresses = HashMap<(u32, Option<String>), String>;

/// The peers of a served specification.
pub struct Peers {
    spec: Arc<Spec>,
    addresses: Addresses,
    desk: RequestChannel,
    /// The failures that were reported to the user.
    stated: HashSet<String>,
}

impl Peers {
    /// The peers at the given addresses.
    ///
    /// # Errors
    /// An address belongs to no peer, or is missing; a message says which.
    pub fn at(spec: &Arc<Spec>, given: &[PeerAddress], desk: RequestChannel) -> Result<Peers, String> {
        let mut addresses = Addresses::new();
        for peer in given {
            let place = place(spec, peer)?;
            if addresses.insert(place, peer.address.clone()).is_some() {
                return Err(format!("--peer {peer}: this peer has an address already"));
            }
        }
        for (number, peer) in (0..).zip(&spec.program.peers) {
            if !addresses.keys().any(|(given, _)| *given == number) {
                return Err(missing(spec, peer));
            }
        }
        Ok(Peers { spec: spec.clone(), addresses, desk, stated: HashSet::new() })
    }

    /// Calls a peer. A message will tell the outcome.
    pub fn call(&self, exchange: u64, peer: u32, key: &Value, request: &Value) {
        let (types, declared) = (&self.spec.types, &self.spec.program.peers[peer as usize]);
        let key = declared.key.map(|ty| encode(types, ty, key));
        let address = self.addresses.get(&(peer, key.clone())).or_else(|| self.addresses.get(&(peer, None)));
        let request = encode(types, declared.request, request);
        let missing = key.map(|key| format!("no address: --peer '{}({key})=HOST:PORT' gives one", declared.name));
        let (address, desk) = (address.cloned().ok_or(missing.unwrap_or_default()), self.desk.clone());
        let asking = move || {
            let line = address.and_then(|address| ask(&address, &request).map_err(|why| format!("{address}: {why}")));
            desk.send(Message::CallEnded(CallEnd { exchange, peer, line }));
        };
        if let Err(cause) = thread::Builder::new().stack_size(STACK).spawn(asking) {
            let line = Err(files::reason(&cause));
            self.desk.send(Message::CallEnded(CallEnd { exchange, peer, line }));
        }
    }

    /// The answer of a peer, if it gave one; otherwise the reason, unless it was reported before.
    pub fn answer(&mut self, CallEnd { peer, line, .. }: CallEnd) -> (Option<Value>, Option<String>) {
        let declared = &self.spec.program.peers[peer as usize];
        let decoded = line.and_then(|line| {
            let value = decode(&self.spec.types, declared.response, line.trim());
            value.map_err(|error| format!("its answer at character {}: {error}", error.offset + 1))
        });
        match decoded {
            Ok(answer) => (Some(answer), None),
            Err(why) => {
                let why = format!("the peer `{}` failed: {why}", declared.name);
                (None, self.stated.insert(why.clone()).then_some(why))
            }
        }
    }
}

/// The number of the peer at a given address, and its key as JSON.
fn place(spec: &Spec, given: &PeerAddress) -> Result<(u32, Option<String>), String> {
    if given.speech == PeerSpeech::Http {
        return Err(format!(
            "--peer {given}: a served specification calls its peers by one JSON value on each line: HOST:PORT"
        ));
    }
    let (number, key) = given.given_in(spec)?;
    let ty = spec.program.peers[number as usize].key;
    Ok((number, key.zip(ty).map(|(key, ty)| encode(&spec.types, ty, &key))))
}

/// The message that a peer has no address.
fn missing(spec: &Spec, peer: &SpecPeer) -> String {
    let name = &peer.name;
    match peer.key {
        None => format!("the specification calls the peer `{name}`: --peer {name}=HOST:PORT says where it is"),
        Some(ty) => format!(
            "the specification calls the peers `{name}(key: {})`: --peer '{name}(KEY)=HOST:PORT' says where one is, and --peer {name}=HOST:PORT where all others are",
            spec.types.name(ty)
        ),
    }
}

/// Sends a line to a peer, and returns the line that it sends back.
fn ask(address: &str, request: &str) -> Result<String, String> {
    let failed = |cause: std::io::Error| files::reason(&cause);
    let mut addresses = address.to_socket_addrs().map_err(failed)?;
    let address = addresses.next().ok_or("no such address")?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE))).map_err(failed)?;
    stream.write_all(format!("{request}\n").as_bytes()).map_err(failed)?;
    let mut line = String::new();
    let read = BufReader::new(stream.take(MAX_ANSWER_BYTES)).read_line(&mut line);
    match read.map_err(failed)? {
        0 => Err("it closed the connection without an answer".to_owned()),
        _ => Ok(line),
    }
}
