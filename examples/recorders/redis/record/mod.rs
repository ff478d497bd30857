//! One recording of Redis: the server, a connection to it, and a workload.
//!
//! `INCR a` was answered with `:1`:
//!
//! ```text
//! {"q":{"Incr":{"key":"a"}},"a":{"Number":1}}
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

const PROGRAM: Program = Program { name: "redis-server", package: "redis-server" };
/// The way in which Redis is started.
pub const LAUNCH: Launch = Launch { program: PROGRAM, prepare: arguments, is_up: Server::listens, complaint: "Fatal" };
/// The wait for a value with a time to live of one second.
const EXPIRY: Duration = Duration::from_millis(1100);

/// A Redis that is being recorded.
pub struct Redis {
    connection: Connection,
    workload: Workload,
    version: String,
    // It is dropped last, so that it outlives the connection.
    _server: Server,
}

impl Subject for Redis {
    type Request = Request;
    type Answer = Answer;
    const SPEC: &'static str = "redis_strings";

    fn start(settings: &Settings) -> Result<Redis, Trouble> {
        let server = Server::start(&LAUNCH)?;
        let connection = Connection::open(PROGRAM, server.address())?;
        let said = server::version(PROGRAM, "--version")?;
        let version = said.split(' ').find_map(|word| word.strip_prefix("v=")).unwrap_or("of some version");
        Ok(Redis {
            connection,
            workload: Workload::new(settings),
            version: format!("Redis {version}"),
            _server: server,
        })
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
        self.connection.send(request.command().as_bytes())?;
        read_answer(&mut self.connection).map(Some)
    }

    fn learn(&mut self, _: &Request, _: &Answer) {}
}

/// The arguments: nothing is kept on disk, and only warnings are printed.
fn arguments(scratch: &Path, address: SocketAddr) -> io::Result<Vec<String>> {
    let (port, directory) = (address.port().to_string(), scratch.display().to_string());
    let host = address.ip().to_string();
    let options = [
        ("--bind", host.as_str()),
        ("--port", &port),
        ("--dir", &directory),
        ("--save", ""),
        ("--appendonly", "no"),
        ("--databases", "1"),
        ("--loglevel", "warning"),
    ];
    Ok(options.iter().flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()]).collect())
}
