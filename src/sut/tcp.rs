//! A system at a TCP address: one connection a client, one JSON value a line, all served by one `poll`.
//!
//! ```text
//!   send(1, …), send(2, …)     two lines wait in the buffers of two connections
//!   next(…)                    both are written; whichever answers first is read, with all that is there
//! ```
//!
//! Requests may be sent before the answers to earlier ones; the answers of a connection are in the order of its requests.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::set_socket_linger;

use super::lines::{LineBuffer, MAX_ANSWER_BYTES, StreamState, UnwrittenLines, is_blank, read_from};
use super::process::Launcher;
use super::ready::connect;
use super::wire::{LineCodec, garbage, shown};
use super::{SutEvent, SutEventKind, SutFailure, SutFailureKind, System};
use crate::spec::Spec;
use crate::value::Value;

/// The bytes that are read at a time.
const CHUNK: usize = 1 << 16;
/// The time in which a system that takes no more connections turns out to have ended.
const DYING: Duration = Duration::from_millis(500);
/// The time after the end of a connection in which the whole system may turn out to end: its sockets are closed one by one.
const SUSPECTED: Duration = Duration::from_millis(200);

/// A system at a TCP address.
pub struct TcpSystem {
    codec: LineCodec,
    address: String,
    launcher: Launcher,
    links: BTreeMap<u64, TcpLink>,
    /// The connections that have just ended, the first one first.
    ended: VecDeque<EndedLink>,
    /// The things that were read and are not handed out yet.
    read: VecDeque<Result<SutEvent, SutFailure>>,
    chunk: Vec<u8>,
    line: String,
}

/// The connection of a client.
struct TcpLink {
    stream: TcpStream,
    out: UnwrittenLines,
    input: LineBuffer,
}

/// A connection that has ended; whether the system has ended, too, is not known yet.
struct EndedLink {
    client: u64,
    /// The beginning of a line.
    rest: Vec<u8>,
    /// The moment at which that is decided.
    decided: Instant,
}

impl TcpSystem {
    /// A system at this address.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, address: &str, launcher: Launcher) -> TcpSystem {
        TcpSystem {
            codec: LineCodec::new(spec),
            address: address.to_owned(),
            launcher,
            links: BTreeMap::new(),
            ended: VecDeque::new(),
            read: VecDeque::new(),
            chunk: vec![0; CHUNK],
            line: String::new(),
        }
    }

    /// The connection of a client; none if what is sent on it is lost, as it has ended.
    fn link(&mut self, client: u64) -> Result<Option<&mut TcpLink>, SutFailure> {
        if self.ended.iter().any(|ended| ended.client == client) {
            return Ok(None);
        }
        if !self.links.contains_key(&client) {
            self.launcher.used();
            match TcpLink::open(&self.address) {
                Ok(link) => _ = self.links.insert(client, link),
                Err(error) => return Err(self.unreachable(&error).of_client(client)),
            }
        }
        Ok(self.links.get_mut(&client))
    }

    /// The failure that a connection cannot be made.
    fn unreachable(&mut self, error: &io::Error) -> SutFailure {
        let crash = self.launcher.ended_within(DYING);
        crash.unwrap_or_else(|| {
            let what = format!("the system at {} takes no connection: {error}", self.address);
            SutFailure::new(SutFailureKind::Refused, what)
        })
    }

    /// Writes what can be written, waits until there is something to read or to write, and reads it.
    fn turn(&mut self, until: Instant) -> Result<(), SutFailure> {
        self.links.values_mut().for_each(|link| link.out.write_to(&mut link.stream));
        let until = self.ended.front().map_or(until, |ended| ended.decided.min(until));
        for client in self.readable(until)? {
            let Some(link) = self.links.get_mut(&client) else { continue };
            let TcpLink { stream, input, .. } = link;
            let state = read_from(stream, &mut self.chunk, |bytes| {
                take(client, input, bytes, &mut self.codec, &mut self.read);
            });
            if state == StreamState::Ended {
                let rest = self.links.remove(&client).map(|link| link.input.rest().to_vec()).unwrap_or_default();
                let doubt = if self.launcher.lives_on() { Duration::ZERO } else { SUSPECTED };
                self.ended.push_back(EndedLink { client, rest, decided: Instant::now() + doubt });
            }
        }
        if self.ended.front().is_some_and(|ended| ended.decided <= Instant::now()) {
            let decided = self.ended.pop_front().map(|ended| self.meaning(&ended));
            self.read.extend(decided);
        }
        Ok(())
    }

    /// The clients that have something to read; waits for one, or for room to write.
    fn readable(&self, until: Instant) -> Result<Vec<u64>, SutFailure> {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
        let left = left.map_err(|error| broken(&error.to_string()))?;
        let flags = |link: &TcpLink| if link.out.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let mut polled: Vec<PollFd<'_>> =
            self.links.values().map(|link| PollFd::new(&link.stream, flags(link))).collect();
        match poll(&mut polled, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(broken(&error.to_string())),
        }
        let events = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let ready = self.links.keys().zip(&polled).filter(|(_, polled)| polled.revents().intersects(events));
        Ok(ready.map(|(client, _)| *client).collect())
    }

    /// The meaning of the end of a connection: the system closed it, or is no more.
    fn meaning(&mut self, ended: &EndedLink) -> Result<SutEvent, SutFailure> {
        let client = ended.client;
        if let Some(crash) = self.launcher.ended_within(Duration::ZERO) {
            return Err(crash);
        }
        if !self.launcher.lives_on()
            && let Err(error) = connect(&self.address)
        {
            return Err(self.launcher.ended_within(DYING).unwrap_or_else(|| {
                let what = format!("the system ended a connection and takes no more ({}: {error})", self.address);
                SutFailure::new(SutFailureKind::Crash, what)
            }));
        }
        if !ended.rest.is_empty() {
            return Err(garbage(&ended.rest, "the connection ended in the middle of this line").of_client(client));
        }
        Ok(SutEvent { client, kind: SutEventKind::Closed })
    }

    fn disconnect(&mut self) {
        if self.launcher.restarts() {
            // The system is about to end. A connection that lingers on a port of the kernel's choice would keep a server from that port.
            for link in self.links.values() {
                _ = set_socket_linger(&link.stream, Some(Duration::ZERO));
            }
        }
        self.links.clear();
        self.ended.clear();
        self.read.clear();
    }
}

impl System for TcpSystem {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        self.codec.write_request(&mut line, request);
        line.push('\n');
        if let Some(link) = self.link(client)? {
            link.out.push(line.as_bytes());
            if link.out.is_full() {
                link.out.write_to(&mut link.stream);
            }
        }
        self.line = line;
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure> {
        loop {
            if let Some(event) = self.read.pop_front() {
                return event.map(Some);
            }
            self.turn(until)?;
            if self.read.is_empty() && Instant::now() >= until {
                let crash = self.launcher.ended_within(Duration::ZERO);
                return crash.map_or(Ok(None), Err);
            }
        }
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.links.remove(&client);
        self.ended.retain(|ended| ended.client != client);
        self.read.retain(|event| !matches!(event, Ok(event) if event.client == client));
        Ok(())
    }

    fn reset(&mut self, _clients: u64) -> Result<(), SutFailure> {
        self.disconnect();
        self.launcher.reset()
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        self.disconnect();
        self.launcher.crash()
    }

    fn ended_within(&mut self, longest: Duration) -> Option<SutFailure> {
        self.launcher.ended_within(longest)
    }

    fn last_output(&mut self) -> Vec<String> {
        self.launcher.output()
    }
}

impl TcpLink {
    fn open(address: &str) -> io::Result<TcpLink> {
        let stream = connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(TcpLink { stream, out: UnwrittenLines::default(), input: LineBuffer::default() })
    }
}

/// Takes the lines that end in these bytes, and keeps the rest.
fn take(
    client: u64,
    input: &mut LineBuffer,
    bytes: &[u8],
    codec: &mut LineCodec,
    to: &mut VecDeque<Result<SutEvent, SutFailure>>,
) {
    input.take(bytes, |line| {
        if !is_blank(line) {
            let event = |value| SutEvent { client, kind: SutEventKind::Answer(value) };
            to.push_back(codec.answer(line).map(event).map_err(|failure| failure.of_client(client)));
        }
    });
    if input.is_too_long() {
        let begun = shown(input.rest());
        let what = format!("a line of more than {MAX_ANSWER_BYTES} bytes is no answer; it begins {begun}");
        to.push_back(Err(SutFailure::new(SutFailureKind::Garbage, what).of_client(client)));
        *input = LineBuffer::default();
    }
}

fn broken(why: &str) -> SutFailure {
    SutFailure::new(SutFailureKind::Start, format!("connections cannot be waited for: {why}"))
}
