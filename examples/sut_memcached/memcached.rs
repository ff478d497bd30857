//! A memcached that was emptied, as a system under test for `specs/memcached.may`.
//!
//! A request that the text protocol cannot carry is refused, such as one with a blank in its key, so the tester may try any text.
//! With several clients, requests that a memcached with several threads does not serve atomically are refused, too, as the
//! specification is atomic.

use std::net::SocketAddr;

use mayhap::sut::{Sut, SutAnswer};

use crate::recorder::clients::Clients;
use crate::recorder::{Program, Trouble};
use exchange::{Answer, Request, read_answer};

#[path = "../recorders/memcached/record/exchange.rs"]
mod exchange;

const PROGRAM: Program = Program { name: "memcached", package: "memcached" };
/// The most bytes of a key.
const LONGEST_KEY: usize = 250;

/// A memcached that was emptied when this was made.
pub struct Emptied {
    connections: Clients,
    /// Set if there are several clients.
    is_shared: bool,
}

impl Emptied {
    /// Empties the memcached at this address, for this number of clients.
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

/// Tests whether the text protocol has a command for a request, and the specification covers this command.
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

/// Tests whether a request is served without others in between. memcached looks up the keys of a retrieval one by one. An Append,
/// an Incr or a Touch that began before a FlushAll may bring the item back after it.
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

/// Tests whether data is ASCII, as sizes are in characters, and has no zero byte, which ends a number.
fn is_data(data: &str) -> bool {
    data.is_ascii() && !data.contains('\0')
}

fn is_time(seconds: i64) -> bool {
    i32::try_from(seconds).is_ok()
}

/// Tests whether a number is in range. Smaller ones are read modulo 2^64, as in C; the protocol has no negative numbers at all.
fn is_delta(delta: i128) -> bool {
    delta >= i128::from(i64::MIN)
}
