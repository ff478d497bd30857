//! A system in Rust as an adapter: a program that speaks the [protocol](super::protocol) on its standard input and output.
//!
//! ```no_run
//! # use mayhap::sut::{Sut, SutAnswer, serve_stdio};
//! # struct Store;
//! # impl Store { fn new() -> Store { Store } }
//! # impl Sut for Store {
//! #     type Request = i64;
//! #     type Response = i64;
//! #     fn ask(&self, _: u64, request: i64) -> SutAnswer<i64> { SutAnswer::Is(request) }
//! # }
//! fn main() -> std::process::ExitCode {
//!     serve_stdio(|_clients| Ok::<_, String>(Store::new()))
//! }
//! ```
//!
//! Each client has a thread. A thread that writes its answer also writes the answers that other threads have added by then.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::in_process::ask::{RawAnswer, Sut, SutAnswer};
use super::in_process::threads::{ClientThread, NoAnswer};
use super::protocol::{AdapterLine, TesterLine};

/// The longest wait for requests under way at a reset.
const UNDER_WAY: Duration = Duration::from_secs(1);

/// Serves a system as an adapter until its input ends. For each reset the factory makes a system in its first state, for this
/// number of clients.
///
/// Prints an error to standard error, and ends the program.
pub fn serve_stdio<S: Sut, E: Display>(factory: impl FnMut(u64) -> Result<S, E>) -> ExitCode {
    match serve(factory, io::stdin().lock(), io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves as an adapter on any pair of streams.
///
/// # Errors
/// A line does not belong to the protocol, the factory fails, or the streams fail. The message says which.
pub fn serve<S: Sut, E: Display>(
    mut factory: impl FnMut(u64) -> Result<S, E>,
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
) -> Result<(), String> {
    let output = AdapterOut::new(output);
    let mut served: Option<ServedClients<S>> = None;
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if input.read_line(&mut line).map_err(|error| format!("line {number} cannot be read: {error}"))? == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        match TesterLine::read(&line).map_err(|why| format!("line {number}, {}: {why}", line.trim_end()))? {
            TesterLine::Hello { .. } => output.write(&AdapterLine::Ready { closes: false }),
            TesterLine::Reset { clients } => {
                drop(served.take());
                served = Some(ServedClients::new(&mut factory, clients, &output)?);
                output.write(&AdapterLine::Ready { closes: false });
            }
            TesterLine::Ask { client, connection, request } => {
                let served = match &mut served {
                    Some(served) => served,
                    // A request came before any reset.
                    None => served.insert(ServedClients::new(&mut factory, 1, &output)?),
                };
                served.ask((client, connection), request.into_owned());
            }
            TesterLine::Close { client } => {
                if let Some(served) = &mut served {
                    served.close(client);
                }
            }
            TesterLine::End => break,
        }
    }
    Ok(())
}

/// A system, with the threads of its clients.
struct ServedClients<S> {
    sut: Arc<S>,
    output: AdapterOut,
    threads: BTreeMap<u64, ClientThread>,
}

impl<S: Sut> ServedClients<S> {
    fn new<E: Display>(
        factory: &mut impl FnMut(u64) -> Result<S, E>,
        clients: u64,
        output: &AdapterOut,
    ) -> Result<ServedClients<S>, String> {
        let sut = factory(clients).map_err(|error| error.to_string())?;
        Ok(ServedClients { sut: Arc::new(sut), output: output.clone(), threads: BTreeMap::new() })
    }

    fn ask(&mut self, (client, connection): (u64, u64), request: String) {
        let thread = self.threads.entry(client).or_insert_with(|| {
            let output = self.output.clone();
            ClientThread::start(self.sut.clone(), client, move |connection, outcome| match outcome {
                Ok(answer) => output.answer(client, Some(connection), &answer),
                Err(NoAnswer::Mismatch(why) | NoAnswer::Panic(why)) => give_up(&why),
            })
        });
        thread.ask(connection, request);
    }

    fn close(&mut self, client: u64) {
        if let Some(thread) = self.threads.remove(&client) {
            thread.close();
        }
    }
}

impl<S> Drop for ServedClients<S> {
    fn drop(&mut self) {
        let deadline = Instant::now() + UNDER_WAY;
        for (_, thread) in std::mem::take(&mut self.threads) {
            thread.finish(deadline);
        }
    }
}

/// Ends the program, as the adapter and the specification do not fit together.
fn give_up(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(1)
}

/// The output of the adapter. A thread that adds a line writes all waiting lines, unless another thread is writing.
#[derive(Clone)]
struct AdapterOut(Arc<(Mutex<Unwritten>, Mutex<LineSink>)>);

type LineSink = Box<dyn Write + Send>;

#[derive(Default)]
struct Unwritten {
    bytes: Vec<u8>,
    /// Set while a thread writes.
    is_written: bool,
}

impl AdapterOut {
    fn new(output: impl Write + Send + 'static) -> AdapterOut {
        AdapterOut(Arc::new((Mutex::default(), Mutex::new(Box::new(output)))))
    }

    fn answer(&self, client: u64, connection: Option<u64>, answer: &RawAnswer) {
        self.write(&match answer {
            SutAnswer::Is(answer) => AdapterLine::Answer { client, connection, answer },
            SutAnswer::Lost => AdapterLine::Lost { client, connection },
            SutAnswer::Refused => AdapterLine::Refused { client, connection },
            SutAnswer::Closed => AdapterLine::Closed { client, connection },
        });
    }

    fn write(&self, line: &AdapterLine<'_>) {
        let mut unwritten = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing to memory cannot fail.
        _ = writeln!(unwritten.bytes, "{line}");
        if std::mem::replace(&mut unwritten.is_written, true) {
            return;
        }
        let mut output = self.0.1.lock().unwrap_or_else(PoisonError::into_inner);
        while !unwritten.bytes.is_empty() {
            let bytes = std::mem::take(&mut unwritten.bytes);
            drop(unwritten);
            // The reader is gone, and the input will end next.
            _ = output.write_all(&bytes).and_then(|()| output.flush());
            unwritten = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        }
        unwritten.is_written = false;
    }
}
