//! A Redis that was emptied, as a system under test for `specs/redis_strings.may`.
//!
//! Requests that the specification does not cover are refused: it counts characters, and Redis counts bytes.

use std::net::SocketAddr;

use mayhap::sut::{Sut, SutAnswer};

use crate::recorder::clients::Clients;
use crate::recorder::{Program, Trouble};
use exchange::{Answer, Request, read_answer};

#[path = "../recorders/redis/record/exchange.rs"]
mod exchange;

const PROGRAM: Program = Program { name: "redis-server", package: "redis-server" };

/// A Redis that was emptied when this was made.
pub struct Emptied(Clients);

impl Emptied {
    /// Empties the Redis at this address.
    pub fn at(address: SocketAddr) -> Result<Emptied, String> {
        let emptied = Emptied(Clients::new(PROGRAM, address));
        match emptied.ask(0, Request::FlushAll) {
            SutAnswer::Is(Answer::Ok) => Ok(emptied),
            _ => Err("Redis was not emptied".to_owned()),
        }
    }
}

impl Sut for Emptied {
    type Request = Request;
    type Response = Answer;

    fn ask(&self, client: u64, request: Request) -> SutAnswer<Answer> {
        if can_be_sent(&request) {
            self.0.ask(client, request.command().as_bytes(), read_answer)
        } else {
            SutAnswer::Refused
        }
    }

    fn close(&self, client: u64) {
        self.0.close(client);
    }
}

/// Tests whether Redis has a command for a request, and the specification covers this command.
fn can_be_sent(request: &Request) -> bool {
    match request {
        Request::Set { value, .. }
        | Request::SetNx { value, .. }
        | Request::GetSet { value, .. }
        | Request::Append { value, .. } => value.is_ascii(),
        Request::Del(keys) | Request::Exists(keys) => !keys.is_empty(),
        Request::Get { .. } | Request::Incr { .. } | Request::Decr { .. } | Request::Strlen { .. } => true,
        Request::Expire { .. } | Request::Persist { .. } | Request::Ttl { .. } | Request::FlushAll => true,
    }
}
