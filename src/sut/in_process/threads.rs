//! The thread of a client, which sends requests to a system in Rust, one after another.
//!
//! A thread that is stuck in a request is abandoned: its outcome is ignored.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use super::ask::{RawAnswer, Sut, ask_json};
use crate::choice::explore::panics;

/// The reason why a request has no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NoAnswer {
    /// The types of the program and of the specification do not fit together.
    Mismatch(String),
    /// The system panicked.
    Panic(String),
}

/// A task for the thread of a client.
enum ClientTask {
    /// A request on a connection.
    Ask(u64, String),
    Close,
}

/// A client's connection to a system, with its thread.
pub(crate) struct ClientThread {
    tasks: Sender<ClientTask>,
    is_heard: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ClientThread {
    /// Starts a thread that reports the outcome of each request, with the connection of the request. After an outcome that ends a
    /// connection, further requests of this connection are not sent and have no outcome: a server does not serve what it reads later.
    pub(crate) fn start<S: Sut>(
        sut: Arc<S>,
        client: u64,
        report: impl Fn(u64, Result<RawAnswer, NoAnswer>) + Send + 'static,
    ) -> ClientThread {
        let (tasks, to_do) = channel();
        let is_heard = Arc::new(AtomicBool::new(true));
        let heard = is_heard.clone();
        let report = move |connection, outcome| {
            if heard.load(Ordering::Relaxed) {
                report(connection, outcome);
            }
        };
        let thread = thread::spawn(move || attend(&*sut, client, &to_do, report));
        ClientThread { tasks, is_heard, thread }
    }

    /// Sends a request on a connection; the request is given as JSON.
    pub(crate) fn ask(&self, connection: u64, request: String) {
        // A thread that has ended has reported why.
        _ = self.tasks.send(ClientTask::Ask(connection, request));
    }

    /// Gives up the connection: no more outcomes are reported.
    pub(crate) fn close(self) {
        self.is_heard.store(false, Ordering::Relaxed);
        _ = self.tasks.send(ClientTask::Close);
    }

    /// Gives up the connection, and waits for the current request, at most until a deadline.
    pub(crate) fn finish(self, deadline: Instant) {
        self.is_heard.store(false, Ordering::Relaxed);
        drop(self.tasks);
        while !self.thread.is_finished() && Instant::now() < deadline {
            sleep(Duration::from_millis(1));
        }
    }
}

/// Does the tasks of a client, and reports their outcomes.
fn attend<S: Sut>(
    sut: &S,
    client: u64,
    tasks: &Receiver<ClientTask>,
    report: impl Fn(u64, Result<RawAnswer, NoAnswer>),
) {
    // The last connection that has ended.
    let mut ended = None;
    for task in tasks {
        let asked = match task {
            ClientTask::Ask(connection, _) if ended == Some(connection) => continue,
            ClientTask::Ask(connection, request) => Some((connection, request)),
            ClientTask::Close => None,
        };
        let connection = asked.as_ref().map_or(0, |(connection, _)| *connection);
        let done = panics::unreported(|| {
            panics::caught(|| match &asked {
                Some((_, request)) => Some(ask_json(sut, client, request)),
                None => {
                    sut.close(client);
                    None
                }
            })
        });
        match done {
            Ok(Some(outcome)) => {
                if matches!(outcome, Ok(RawAnswer::Lost | RawAnswer::Closed)) {
                    ended = Some(connection);
                }
                report(connection, outcome.map_err(NoAnswer::Mismatch));
            }
            Ok(None) => {}
            Err(caught) => {
                let place = caught.place.map_or(String::new(), |place| format!(" at {place}"));
                let panicked = NoAnswer::Panic(format!("the system panicked{place}: {}", caught.message));
                return report(connection, Err(panicked));
            }
        }
    }
}
