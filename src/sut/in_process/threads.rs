//! The thread of a client that asks a system in Rust, one request after another.
//!
//! A thread that is stuck in a request is abandoned: what it finds out then interests nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use super::ask::{RawAnswer, Sut, ask_json};
use crate::choice::explore::panics;

/// A reason why a request has no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NoAnswer {
    /// The types of the program and of the specification do not fit together.
    Mismatch(String),
    /// The system panicked.
    Panic(String),
}

/// A thing that a client does.
enum ClientTask {
    Ask(String),
    Close,
}

/// A client's connection to a system, with the thread that asks.
pub(crate) struct ClientThread {
    tasks: Sender<ClientTask>,
    is_heard: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ClientThread {
    /// Starts a thread that tells what came of each request.
    pub(crate) fn start<S: Sut>(
        sut: Arc<S>,
        client: u64,
        report: impl Fn(Result<RawAnswer, NoAnswer>) + Send + 'static,
    ) -> ClientThread {
        let (tasks, to_do) = channel();
        let is_heard = Arc::new(AtomicBool::new(true));
        let heard = is_heard.clone();
        let report = move |outcome| {
            if heard.load(Ordering::Relaxed) {
                report(outcome);
            }
        };
        let thread = thread::spawn(move || attend(&*sut, client, &to_do, report));
        ClientThread { tasks, is_heard, thread }
    }

    /// Asks a request, as JSON.
    pub(crate) fn ask(&self, request: String) {
        // A thread that is no more has said why.
        _ = self.tasks.send(ClientTask::Ask(request));
    }

    /// Gives up the connection: no more outcomes are told.
    pub(crate) fn close(self) {
        self.is_heard.store(false, Ordering::Relaxed);
        _ = self.tasks.send(ClientTask::Close);
    }

    /// Gives up the connection, and waits a little for what is under way.
    pub(crate) fn finish(self, deadline: Instant) {
        self.is_heard.store(false, Ordering::Relaxed);
        drop(self.tasks);
        while !self.thread.is_finished() && Instant::now() < deadline {
            sleep(Duration::from_millis(1));
        }
    }
}

/// Does what a client does.
fn attend<S: Sut>(sut: &S, client: u64, tasks: &Receiver<ClientTask>, report: impl Fn(Result<RawAnswer, NoAnswer>)) {
    for task in tasks {
        let done = panics::unreported(|| {
            panics::caught(|| match task {
                ClientTask::Ask(request) => Some(ask_json(sut, client, &request)),
                ClientTask::Close => {
                    sut.close(client);
                    None
                }
            })
        });
        match done {
            Ok(Some(outcome)) => report(outcome.map_err(NoAnswer::Mismatch)),
            Ok(None) => {}
            Err(caught) => {
                let place = caught.place.map_or(String::new(), |place| format!(" at {place}"));
                return report(Err(NoAnswer::Panic(format!("the system panicked{place}: {}", caught.message))));
            }
        }
    }
}
