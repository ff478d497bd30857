//! A memcached that was emptied, as a system under test for `specs/memcached.may`.
//!
//! What the text protocol cannot carry is refused: a key with a blank in it, say. So the tester may think of any text.
//! If there are several clients, so is what a memcached with several threads does not do at once, as the specification has it.

use std::net::SocketAddr;

use mayhap::sut::{Sut, SutAnswer};

use crate::recorder::clients::Clients;
use crate::recorder::{Program, Trouble};
use exchange::{Answer, Request, read_answer};

#[path = "../recorders/memcached/record/exchange.rs"]
mod exchange;

const PROGRAM: Program = Program { name: "memcached", package: "memcached" };
/// The longest key, in octets.
const LONGEST_KEY: usize = 250;

/// A memcached in which there was nothing when this was made.
pub struct Emptied {
    connections: Clients,
    /// Set if several clients ask.
    is_shared: bool,
}

impl Emptied {
    /// Empties the memcached at this address, for a number of clients.
    pub fn at(address: SocketAddr, clients: u64) -> Result<Emptied, String> {
        let emptied = Emptied { connections: Clients::new(PROGRAM, address), is_shared: clients > 1 };
        match emptied.exchange(0, &Request::FlushAll) {
            SutAnswer::Is(Answer::Ok) => Ok(emptied),
            _ => Err("memcached was not emptied".to_owned()),
        }
    }

    fn exchange(&self, client: u64, request: &Request) -> SutAnswer<Answer> {
        let command = request.command(false);
        self.connections.ask(client, command.as_bytes(), |connection| read_answer(request, connection))
    }
}

impl Sut for Emptied {
    type Request = Request;
    type Response = Answer;

    fn ask(&self, client: u64, request: Request) -> SutAnswer<Answer> {
        if !can_be_sent(&request) || self.is_shared && !is_atomic(&request) {
            return SutAnswer::Refused;
        }
        self.exchange(client, &request)
    }

    fn close(&self, client: u64) {
        self.connections.close(client);
    }
}

/// Whether the text protocol has a command for it, and one that the specification speaks of.
fn can_be_sent(request: &Request) -> bool {
    match request {
        Request::Get(keys) | Request::Gets(keys) => !keys.is_empty() && keys.iter().all(|key| is_key(key)),
        Request::Set { key, exptime, data, .. }
        | Request::Add { key, exptime, data, .. }
        | Request::Replace { key, exptime, data, .. }
        | Request::Cas { key, exptime, data, .. } => is_key(key) && is_time(*exptime) && is_data(data),
        Request::Append { key, data } | Request::Prepend { key, data } => is_key(key) && is_data(data),
        Request::Delete { key } => is_key(key),
        Request::Incr { key, delta } | Request::Decr { key, delta } => is_key(key) && is_delta(*delta),
        Request::Touch { key, exptime } => is_key(key) && is_time(*exptime),
        Request::FlushAll => true,
    }
}

/// Tests whether nothing that others ask comes between. memcached looks up the keys of a retrieval one by one, and an Append, an Incr or a Touch
/// that has begun before a FlushAll may bring the item back after it.
fn is_atomic(request: &Request) -> bool {
    match request {
        Request::Get(keys) | Request::Gets(keys) => keys.len() == 1,
        Request::FlushAll => false,
        _ => true,
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.len() <= LONGEST_KEY && !key.bytes().any(|octet| octet <= b' ' || octet == 0x7f)
}

/// Sizes are those of ASCII text, and what looks like a number ends at a zero octet.
fn is_data(data: &str) -> bool {
    data.is_ascii() && !data.contains('\0')
}

fn is_time(seconds: i64) -> bool {
    i32::try_from(seconds).is_ok()
}

/// What is below is read modulo 2^64, as C reads it; the protocol has no negative numbers at all.
fn is_delta(delta: i128) -> bool {
    delta >= i128::from(i64::MIN)
}
