//! One recording: an nginx, a connection to it, a workload, and the trace that comes out.
//!
//! The loop is all there is to a recorder: decide what to do, do it, remember what the answer showed, write both down.
//! A recording of two GETs and one change looks like this:
//!
//! ```text
//! {"mayhap":1,"spec":"static_etag","note":"nginx/1.22.1, seed 1"}
//! {"q":{"Get":{"path":"/a","if_none_match":null}},"a":"NotFound"}
//! {"q":{"Write":{"path":"/a","content":"xyz"}},"a":"Done"}
//! {"q":{"Get":{"path":"/a","if_none_match":null}},"a":{"Ok":{"tag":{"weak":false,"opaque":"6553f100-3"},"content":"xyz"}}}
//! ```

mod exchange;
mod http;
mod nginx;
mod workload;

use std::fmt;
use std::io::{self, Write};

use mayhap::choice::{ChoiceError, Random};
use serde_json::json;

use exchange::{Answer, Request, Tag};
use http::Connection;
use nginx::Nginx;
use workload::Workload;

/// What a recording depends on, besides the nginx that is installed.
pub struct Settings {
    /// Decides the requests and the changes.
    pub seed: u64,
    /// How many GET requests are made.
    pub requests: u64,
}

/// How many exchanges of which kind were recorded.
#[derive(Default)]
pub struct Summary {
    /// GETs that were answered 200.
    pub ok: u64,
    /// GETs that were answered 304.
    pub not_modified: u64,
    /// GETs that were answered 404.
    pub not_found: u64,
    /// Files written or removed.
    pub changes: u64,
}

impl Summary {
    /// How many GETs were made.
    pub fn gets(&self) -> u64 {
        self.ok + self.not_modified + self.not_found
    }

    fn count(&mut self, answer: &Answer) {
        match answer {
            Answer::Ok { .. } => self.ok += 1,
            Answer::NotModified { .. } => self.not_modified += 1,
            Answer::NotFound => self.not_found += 1,
            Answer::Done => self.changes += 1,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { ok, not_modified, not_found, changes } = self;
        let gets = self.gets();
        write!(f, "{gets} GETs ({ok} times 200, {not_modified} times 304, {not_found} times 404), {changes} changes")
    }
}

/// Why there is no recording.
#[derive(Debug)]
pub enum Trouble {
    /// No program called nginx was found.
    Missing,
    /// nginx did not come up; this is what it said.
    NotStarted(String),
    /// nginx answered something that no trace for `static_etag` can hold.
    BadAnswer(String),
    /// The scratch directory or the connection failed, at this step.
    Io(&'static str, io::Error),
    /// The trace could not be written.
    Output(io::Error),
    /// The source of choices failed.
    Choice(ChoiceError),
}

impl Trouble {
    /// The exit code of a command that ends for this reason: 2 if the job could not be done, 4 if nginx failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Trouble::Output(_) | Trouble::Choice(_) => 2,
            Trouble::Missing | Trouble::NotStarted(_) | Trouble::BadAnswer(_) | Trouble::Io(..) => 4,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing => write!(f, "nginx is not installed; install it with: apt-get install nginx-light"),
            Trouble::NotStarted(log) => write!(f, "nginx did not start: {}", log.trim_end()),
            Trouble::BadAnswer(what) => write!(f, "nginx answered {what}"),
            Trouble::Io(step, error) => write!(f, "{step}: {error}"),
            Trouble::Output(error) => write!(f, "the trace cannot be written: {error}"),
            Trouble::Choice(error) => write!(f, "{error}"),
        }
    }
}

impl From<ChoiceError> for Trouble {
    fn from(error: ChoiceError) -> Trouble {
        Trouble::Choice(error)
    }
}

/// Runs nginx and writes the trace of `settings.requests` GETs, and of the changes between them, to `out`.
///
/// # Errors
/// A [`Trouble`]; what was written until then is a valid trace. nginx does not outlive the call.
pub fn record(settings: &Settings, out: &mut impl Write) -> Result<Summary, Trouble> {
    let nginx = Nginx::start()?;
    let mut connection = Connection::open(nginx.address())?;
    let mut workload = Workload::new(Random::new(settings.seed));
    let mut summary = Summary::default();
    let note = format!("{}, seed {}", nginx.version(), settings.seed);
    writeln!(out, "{}", json!({"mayhap": 1, "spec": "static_etag", "note": note})).map_err(Trouble::Output)?;
    while summary.gets() < settings.requests {
        let request = workload.next_request()?;
        let answer = perform(&request, &nginx, &mut connection)?;
        workload.learn(&request, &answer);
        summary.count(&answer);
        writeln!(out, "{}", exchange::line(&request, &answer)).map_err(Trouble::Output)?;
    }
    Ok(summary)
}

fn perform(request: &Request, nginx: &Nginx, connection: &mut Connection) -> Result<Answer, Trouble> {
    match request {
        Request::Get { path, condition } => {
            let header = condition.as_ref().map(|condition| condition.to_string());
            connection.get(path, header.as_deref())
        }
        Request::Write { path, content, modified } => {
            nginx.write(path, content.as_bytes(), *modified)?;
            Ok(Answer::Done)
        }
        Request::Remove { path } => {
            nginx.remove(path)?;
            Ok(Answer::Done)
        }
    }
}
