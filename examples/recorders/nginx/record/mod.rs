//! One recording of nginx: the server, its files, a connection to it, and a workload.
//!
//! A recording of two GETs and one change looks like this:
//!
//! ```text
//! {"mayhap":1,"spec":"static_etag","note":"nginx/1.22.1, seed 1"}
//! {"q":{"Get":{"path":"/a","if_none_match":null}},"a":"NotFound"}
//! {"q":{"Write":{"path":"/a","content":"xyz"}},"a":"Done"}
//! {"q":{"Get":{"path":"/a","if_none_match":null}},"a":{"Ok":{"tag":{"weak":false,"opaque":"6553f100-3"},"content":"xyz"}}}
//! ```

mod exchange;
mod files;
mod http;
mod workload;

use crate::recorder::server::{self, Launch, Server};
use crate::recorder::{Program, Settings, Subject, Trouble};
use exchange::{Answer, Request};
use http::Connection;
use workload::Workload;

const PROGRAM: Program = Program { name: "nginx", package: "nginx-light" };
const LAUNCH: Launch =
    Launch { program: PROGRAM, prepare: files::prepare, is_up: has_written_its_id, complaint: "[emerg]" };

/// An nginx that is being recorded.
pub struct Nginx {
    connection: Connection,
    workload: Workload,
    version: String,
    // It is dropped last, so that it outlives the connection.
    server: Server,
}

impl Subject for Nginx {
    type Request = Request;
    type Answer = Answer;
    const SPEC: &'static str = "static_etag";

    fn start(settings: &Settings) -> Result<Nginx, Trouble> {
        let server = Server::start(&LAUNCH)?;
        let connection = Connection::open(server.address())?;
        let said = server::version(PROGRAM, "-v")?;
        let version = said.rsplit(' ').next().unwrap_or(PROGRAM.name).to_owned();
        Ok(Nginx { connection, workload: Workload::new(settings.seed), version, server })
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn next_request(&mut self) -> Result<Request, Trouble> {
        Ok(self.workload.next_request()?)
    }

    fn perform(&mut self, request: &Request) -> Result<Option<Answer>, Trouble> {
        let scratch = self.server.scratch();
        let answer = match request {
            Request::Get { path, if_none_match } => {
                let header = if_none_match.as_ref().map(|condition| condition.to_string());
                self.connection.get(path, header.as_deref())?
            }
            Request::Write { path, content, modified } => {
                files::write(scratch, path, content, *modified)?;
                Answer::Done
            }
            Request::Remove { path } => {
                files::remove(scratch, path)?;
                Answer::Done
            }
        };
        Ok(Some(answer))
    }

    fn learn(&mut self, request: &Request, answer: &Answer) {
        self.workload.learn(request, answer);
    }
}

/// Tests whether nginx has written its process number, which it does when it listens.
fn has_written_its_id(server: &Server) -> bool {
    std::fs::metadata(server.scratch().join("nginx.pid")).is_ok_and(|file| file.len() > 0)
}
