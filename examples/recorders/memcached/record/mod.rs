//! One recording of memcached: the server, a connection to it, and a workload.
//!
//! `set a 0 0 1` and then `x` was answered with `STORED`:
//!
//! ```text
//! {"q":{"Set":{"key":"a","flags":0,"exptime":0,"data":"x"}},"a":"Stored"}
//! ```

mod exchange;
mod workload;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::recorder::connection::Connection;
use crate::recorder::server::{self, Launch, Server};
use crate::recorder::{Program, Settings, Subject, Trouble};
use exchange::{Answer, Request, read_answer};
use workload::{Step, Workload};

const PROGRAM: Program = Program { name: "memcached", package: "memcached" };
/// The way in which memcached is started.
pub const LAUNCH: Launch =
    Launch { program: PROGRAM, prepare: arguments, is_up: Server::listens, complaint: "failed to listen" };
/// The wait for an item with a time of one second; the clock of memcached ticks once per second.
const EXPIRY: Duration = Duration::from_millis(2100);

/// A memcached that is being recorded.
pub struct Memcached {
    connection: Connection,
    workload: Workload,
    version: String,
    // It is dropped last, so that it outlives the connection.
    _server: Server,
}

impl Subject for Memcached {
    type Request = Request;
    type Answer = Answer;
    const SPEC: &'static str = "memcached";

    fn start(settings: &Settings) -> Result<Memcached, Trouble> {
        let server = Server::start(&LAUNCH)?;
        let connection = Connection::open(PROGRAM, server.address())?;
        let version = server::version(PROGRAM, "-V")?;
        Ok(Memcached { connection, workload: Workload::new(settings), version, _server: server })
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn next_request(&mut self) -> Result<Request, Trouble> {
        match self.workload.next_step()? {
            Step::Ask(request) => Ok(request),
            Step::AskLater(request) => {
                sleep(EXPIRY);
                Ok(request)
            }
        }
    }

    fn perform(&mut self, request: &Request) -> Result<Option<Answer>, Trouble> {
        let quiet = self.workload.wants_no_answer(request)?;
        self.connection.send(request.command(quiet).as_bytes())?;
        if quiet { Ok(None) } else { read_answer(request, &mut self.connection).map(Some) }
    }

    fn learn(&mut self, _: &Request, answer: &Answer) {
        self.workload.learn(answer);
    }
}

/// The arguments: no UDP, one thread, and no more rights than needed.
fn arguments(_: &Path, address: SocketAddr) -> io::Result<Vec<String>> {
    let port = address.port().to_string();
    let arguments = ["-l", &address.ip().to_string(), "-p", &port, "-U", "0", "-t", "1", "-m", "64", "-u", "nobody"];
    Ok(arguments.map(str::to_owned).to_vec())
}
