//! A system at a TCP address, with a connection for each client. One `poll` serves all connections.
//!
//! ```text
//! send(1, …), send(2, …)     two requests wait in the buffers of two connections
//! next(…)                    both are written; then everything that can be read is read
//! ```
//!
//! A client may send requests before its earlier ones are answered. The answers on a connection are in the order of its requests.
//! A `Dialect` defines how both are written.

#[cfg(unix)]
pub(crate) mod dialect;
#[cfg(unix)]
pub(crate) mod http;
#[cfg(unix)]
pub(crate) mod stream;
#[cfg(all(unix, feature = "tls"))]
pub(crate) mod tls;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::set_socket_linger;

use super::lines::{StreamState, UnwrittenLines, read_from};
use super::played::PlayedPeers;
use super::process::Launcher;
use super::process::ready::connect;
use super::{Leave, SutEvent, SutEventKind, SutFailure, SutFailureKind, System, ends_connection, forget_client};
use crate::value::Value;
use dialect::{Dialect, SeenThings};
use stream::{LinkStream, SystemPlace};

/// The client number of events that no client sees.
const NOBODY: u64 = 0;
/// The bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// The time after a refused connection within which the system may show that it has ended.
const DYING: Duration = Duration::from_millis(500);
/// The time after the end of a connection within which the system may show that it has ended as a whole, as its sockets close one
/// by one.
const SUSPECTED: Duration = Duration::from_millis(200);
/// The time that a system has to end its side of a connection that the client has ended.
const LEAVING: Duration = Duration::from_secs(1);
/// The wait, at the end of a run, for content that must not follow the last answer. The second of two small packets may be this late.
const LATE: Duration = Duration::from_millis(50);

/// A system at a TCP address.
pub(super) struct TcpSystem<D: Dialect> {
    dialect: D,
    place: SystemPlace,
    launcher: Launcher,
    peers: PlayedPeers,
    /// Set if the system may still call peers for requests since the last reset: one was given up, or not all calls are waited for.
    may_still_call: bool,
    links: BTreeMap<u64, TcpLink<D::Link>>,
    /// The connections that have just ended, in order.
    ended: VecDeque<EndedLink<D::Link>>,
    /// The events that were read and not handed out yet.
    read: VecDeque<Result<SutEvent, SutFailure>>,
    /// Set if clients can end their connections: the system has always ended its side soon.
    can_leave: bool,
    chunk: Vec<u8>,
    /// The bytes of the request that is being sent.
    request: Vec<u8>,
}

/// The connection of a client.
struct TcpLink<L> {
    stream: LinkStream,
    out: UnwrittenLines,
    /// Set if not all was read that is known to be there.
    is_unread: bool,
    state: L,
}

/// A connection that has ended, as long as it is open whether the system has ended, too.
struct EndedLink<L> {
    client: u64,
    state: L,
    /// The moment at which this is decided.
    decided: Instant,
}

impl<D: Dialect> TcpSystem<D> {
    /// A system at this address, which calls these peers.
    #[must_use]
    pub(super) fn new(dialect: D, place: SystemPlace, launcher: Launcher, peers: PlayedPeers) -> TcpSystem<D> {
        TcpSystem {
            can_leave: dialect.can_leave(),
            dialect,
            place,
            launcher,
            peers,
            may_still_call: false,
            links: BTreeMap::new(),
            ended: VecDeque::new(),
            read: VecDeque::new(),
            chunk: vec![0; CHUNK],
            request: Vec::new(),
        }
    }

    /// Makes a connection for a client, unless it has one.
    fn connect(&mut self, client: u64) -> Result<(), SutFailure> {
        if !self.links.contains_key(&client) {
            self.launcher.used();
            match TcpLink::open(&self.place) {
                Ok(link) => _ = self.links.insert(client, link),
                Err(error) => return Err(self.unreachable(&error).of_client(client)),
            }
        }
        Ok(())
    }

    /// Drops the connection of a client if it cannot be used any more, or if the system has ended it unnoticed by the client.
    fn drop_unnoticed(&mut self, client: u64) {
        let Some(link) = self.links.get(&client) else { return };
        let mut is_over = self.dialect.is_over(&link.state);
        if !self.dialect.is_end_seen(&link.state) {
            is_over |= self.read_link(client) == StreamState::Ended;
        }
        if is_over || self.links.get(&client).is_some_and(|link| self.dialect.is_over(&link.state)) {
            self.links.remove(&client);
        }
    }

    /// Reads without waiting what there is on the connection of a client.
    fn read_link(&mut self, client: u64) -> StreamState {
        let Some(link) = self.links.get_mut(&client) else { return StreamState::Ended };
        let (dialect, mut seen) = (&mut self.dialect, SeenThings::new());
        let stream = read_from(&mut link.stream, &mut self.chunk, |bytes| {
            dialect.take(&mut link.state, bytes, &mut seen);
        });
        link.is_unread = stream == StreamState::Unread;
        if stream == StreamState::Ended && self.launcher.ended_within(Duration::ZERO).is_none() {
            dialect.take_end(&mut link.state, &mut seen);
        }
        self.see(client, seen);
        stream
    }

    /// The failure that a connection cannot be made.
    fn unreachable(&mut self, error: &io::Error) -> SutFailure {
        let crash = self.launcher.ended_within(DYING);
        crash.unwrap_or_else(|| {
            let what = format!("the system at {} takes no connection: {error}", self.place.address);
            SutFailure::new(SutFailureKind::Refused, what)
        })
    }

    /// Writes without waiting, then waits until something can be read or written, and reads.
    fn turn(&mut self, until: Instant) -> Result<(), SutFailure> {
        self.links.values_mut().for_each(|link| link.write());
        let until = if self.peers.is_behind() { Instant::now() } else { until };
        let until = self.ended.front().map_or(until, |ended| ended.decided.min(until));
        for client in self.readable(until)? {
            let is_ended = self.read_link(client) == StreamState::Ended;
            let is_left = |link: &TcpLink<D::Link>| is_ended || self.dialect.is_left(&link.state);
            if self.links.get(&client).is_some_and(is_left)
                && let Some(TcpLink { state, .. }) = self.links.remove(&client)
                && self.dialect.is_end_seen(&state)
            {
                let doubt = if self.launcher.lives_on() { Duration::ZERO } else { SUSPECTED };
                self.ended.push_back(EndedLink { client, state, decided: Instant::now() + doubt });
            }
        }
        let called =
            |call: Result<_, _>| call.map(|call| SutEvent { client: NOBODY, kind: SutEventKind::Called(call) });
        self.read.extend(self.peers.turn().into_iter().map(called));
        if self.ended.front().is_some_and(|ended| ended.decided <= Instant::now())
            && let Some(ended) = self.ended.pop_front()
        {
            self.meaning(ended);
        }
        Ok(())
    }

    /// Waits until something can be read or written, and returns the clients for which something can be read.
    fn readable(&self, until: Instant) -> Result<Vec<u64>, SutFailure> {
        let is_unread = |link: &TcpLink<D::Link>| link.is_unread;
        let left = match self.links.values().any(is_unread) {
            true => Duration::ZERO,
            false => until.saturating_duration_since(Instant::now()),
        };
        let left = Timespec::try_from(left).map_err(|error| broken(&error.to_string()))?;
        let waited = |link: &TcpLink<D::Link>| match link.out.is_empty() && !link.stream.wants_write() {
            true => PollFlags::IN,
            false => PollFlags::IN | PollFlags::OUT,
        };
        let polled = self.links.values().map(|link| PollFd::new(link.stream.socket(), waited(link)));
        let mut polled: Vec<PollFd<'_>> = polled.collect();
        polled.extend(self.peers.polled());
        match poll(&mut polled, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(broken(&error.to_string())),
        }
        let events = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let links = self.links.iter().zip(&polled);
        let ready = links.filter(|((_, link), polled)| link.is_unread || polled.revents().intersects(events));
        Ok(ready.map(|((client, _), _)| *client).collect())
    }

    /// Adds events of a client, to be handed out.
    fn see(&mut self, client: u64, seen: SeenThings) {
        let of_client = |seen: Result<_, SutFailure>| match seen {
            Ok(kind) => Ok(SutEvent { client, kind }),
            Err(failure) => Err(failure.of_client(client)),
        };
        self.may_still_call |= seen.iter().any(|seen| matches!(seen, Ok(SutEventKind::Lost | SutEventKind::Closed)));
        self.read.extend(seen.into_iter().map(of_client));
    }

    /// Decides what the end of a connection means: the system closed it, or has ended.
    fn meaning(&mut self, mut ended: EndedLink<D::Link>) {
        if let Some(crash) = self.launcher.ended_within(Duration::ZERO) {
            return self.read.push_back(Err(crash));
        }
        if !self.launcher.lives_on()
            && let Err(error) = connect(&self.place.address)
        {
            let crash = self.launcher.ended_within(DYING).unwrap_or_else(|| {
                let what = format!("the system ended a connection and takes no more ({}: {error})", self.place.address);
                SutFailure::new(SutFailureKind::Crash, what)
            });
            return self.read.push_back(Err(crash));
        }
        let mut seen = SeenThings::new();
        self.dialect.end(&mut ended.state, &mut seen);
        self.see(ended.client, seen);
    }

    fn disconnect(&mut self) {
        if self.launcher.restarts() {
            // The system is about to end. A lingering connection on a port that the kernel chose could keep a server from using
            // this port.
            for link in self.links.values() {
                _ = set_socket_linger(link.stream.socket(), Some(Duration::ZERO));
            }
        }
        self.links.clear();
        self.ended.clear();
        self.read.clear();
    }
}

impl<D: Dialect> System for TcpSystem<D> {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        if ends_connection(client, &self.read) {
            // The client does not know yet that its connection has ended, so its request is lost with it.
            return Ok(());
        }
        let mut seen = SeenThings::new();
        self.request.clear();
        let asked = self.dialect.write(request, &mut self.request);
        self.drop_unnoticed(client);
        if let Some(ended) = self.ended.iter_mut().find(|ended| ended.client == client) {
            // The request is lost, like those before it on the connection.
            self.dialect.ask(&mut ended.state, asked, &mut seen);
        } else if asked.is_none() && !self.links.contains_key(&client) {
            // A connection on which nothing is sent would keep a server that serves one connection at a time from all others.
            seen.push_back(Ok(SutEventKind::Unsent));
        } else {
            self.connect(client)?;
            if let Some(link) = self.links.get_mut(&client) {
                self.dialect.ask(&mut link.state, asked, &mut seen);
                link.out.push(&self.request);
                if link.out.is_full() {
                    link.write();
                }
            }
        }
        self.see(client, seen);
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

    fn answer_call(&mut self, call: u64, answer: Option<&Value>) -> bool {
        self.peers.answer(call, answer)
    }

    fn leaves_calls(&self) -> bool {
        self.peers.calls_later() && !self.launcher.restarts()
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.may_still_call = true;
        self.links.remove(&client);
        self.ended.retain(|ended| ended.client != client);
        forget_client(client, &mut self.read);
        Ok(())
    }

    fn can_leave(&self) -> bool {
        self.can_leave
    }

    fn leave(&mut self, client: u64, longest: Duration) -> Result<Leave, SutFailure> {
        let is_ended = ends_connection(client, &self.read) || self.ended.iter().any(|ended| ended.client == client);
        if !self.can_leave || is_ended {
            return Ok(Leave::NotThere);
        }
        let Some(mut link) = self.links.remove(&client) else { return Ok(Leave::NotThere) };
        forget_client(client, &mut self.read);
        // A system that does not end its side is not asked again, as each time would take as long.
        self.can_leave = link.stream.end(&mut self.chunk, Instant::now() + longest.min(LEAVING));
        Ok(if self.can_leave { Leave::Noticed } else { Leave::Unnoticed })
    }

    fn reset(&mut self, _clients: u64) -> Result<(), SutFailure> {
        self.disconnect();
        if self.launcher.restarts() {
            // What the system did before it ended is over, even if a peer did not take notice of it.
            if self.launcher.end_before_reset() {
                self.peers.disconnect();
            }
        } else if std::mem::take(&mut self.may_still_call) || self.peers.calls_later() {
            self.peers.wait_for_silence();
        }
        self.peers.begin();
        self.launcher.reset()
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        self.disconnect();
        self.launcher.kill();
        self.peers.disconnect();
        self.launcher.crash()
    }

    fn paused(&self) -> Option<Instant> {
        self.dialect.paused()
    }

    fn check_silence(&mut self) -> Result<(), SutFailure> {
        let until = Instant::now() + LATE;
        loop {
            if let Some(failure) = self.read.iter().find_map(|event| event.as_ref().err()) {
                return Err(failure.clone());
            }
            if !self.links.values().any(|link| self.dialect.is_late(&link.state)) || Instant::now() >= until {
                return Ok(());
            }
            self.turn(until)?;
        }
    }

    fn ended_within(&mut self, longest: Duration) -> Option<SutFailure> {
        self.launcher.ended_within(longest)
    }

    fn last_output(&mut self, since: Option<Instant>) -> Vec<String> {
        self.launcher.output(since)
    }
}

impl<L: Default> TcpLink<L> {
    fn open(place: &SystemPlace) -> io::Result<TcpLink<L>> {
        Ok(TcpLink { stream: place.connect()?, out: UnwrittenLines::default(), is_unread: false, state: L::default() })
    }

    /// Writes without waiting.
    fn write(&mut self) {
        self.out.write_to(&mut self.stream);
        // If nobody reads any more, the reader of the answers will notice.
        _ = self.stream.flush();
    }
}

fn broken(why: &str) -> SutFailure {
    SutFailure::new(SutFailureKind::Start, format!("connections cannot be waited for: {why}"))
}
