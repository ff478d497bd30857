//! The peers of a system, played by the tester: the system connects to them, and each request that it sends is a call.
//!
//! ```text
//! --peer store=127.0.0.1:7101        the system connects to this address and sends the line `{"Get": "a"}`; the answer is a line, too
//! ```
//!
//! The calls on one connection are answered one after another, in order.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::lines::{MAX_ANSWER_BYTES, StreamState, UnwrittenLines, is_blank, read_from};
use super::peers::{PeerAddress, PeerSpeech};
use super::wire::shown;
use super::{SutCall, SutFailure, SutFailureKind};
use crate::http::{MessageBuffer, message_of_answer, request_of};
use crate::json::{decode, encode};
use crate::limits::end;
use crate::spec::Spec;
use crate::value::Value;

/// The bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// The length of the silence after which no more calls are expected for an earlier run.
const SILENCE: Duration = Duration::from_millis(100);
/// The longest wait for this silence.
const LONGEST: Duration = Duration::from_secs(1);

/// The peers of a system.
pub(super) struct PlayedPeers {
    spec: Arc<Spec>,
    listeners: Vec<PeerListener>,
    links: Vec<PeerLink>,
    /// The number of calls so far.
    calls: u64,
    /// The number of calls at the last reset.
    before: u64,
    /// Set if the system may call peers for requests that have their answers.
    may_call_later: bool,
    /// Set if more may be read from a connection without waiting for it.
    is_behind: bool,
    chunk: Vec<u8>,
}

/// The address at which one peer is played.
struct PeerListener {
    socket: TcpListener,
    peer: u32,
    key: Option<Value>,
    speech: PeerSpeech,
}

/// A connection of the system to a peer.
struct PeerLink {
    listener: usize,
    stream: TcpStream,
    out: UnwrittenLines,
    input: PeerInput,
    open: Option<CallUnderWay>,
    /// Set if the system has ended the connection.
    is_ended: bool,
}

/// The bytes that were read from a connection, up to the next whole request.
enum PeerInput {
    Lines(Vec<u8>),
    Http(MessageBuffer),
}

/// A call without an answer.
struct CallUnderWay {
    number: u64,
    request: Value,
}

impl PlayedPeers {
    /// Opens the addresses at which the peers of a specification are played.
    ///
    /// # Errors
    /// An address belongs to no peer, a peer has no address, or an address cannot be used.
    pub(super) fn open(spec: &Arc<Spec>, addresses: &[PeerAddress]) -> Result<PlayedPeers, SutFailure> {
        let failed = |what| SutFailure::new(SutFailureKind::Start, what);
        let mut listeners: Vec<PeerListener> = Vec::new();
        for address in addresses {
            let (peer, key) = address.place_in(spec).map_err(failed)?;
            if listeners.iter().any(|other| other.peer == peer && other.key == key) {
                return Err(failed(format!("--peer {address}: this peer has an address already")));
            }
            let socket = TcpListener::bind(&address.address).and_then(|socket| {
                socket.set_nonblocking(true)?;
                Ok(socket)
            });
            let socket =
                socket.map_err(|error| failed(format!("--peer {address}: nobody can listen there: {error}")))?;
            listeners.push(PeerListener { socket, peer, key, speech: address.speech });
        }
        for (number, peer) in (0..).zip(&spec.program.peers) {
            if !listeners.iter().any(|listener| listener.peer == number) {
                let name = &peer.name;
                let key = if peer.key.is_some() { "(KEY)" } else { "" };
                return Err(failed(format!(
                    "the specification calls the peer `{name}`: --peer '{name}{key}=HOST:PORT' says where the system looks for it"
                )));
            }
        }
        let chunk = if listeners.is_empty() { Vec::new() } else { vec![0; CHUNK] };
        let may_call_later = spec.for_networks().program.may_call_later();
        let links = Vec::new();
        Ok(PlayedPeers {
            spec: spec.clone(),
            listeners,
            links,
            calls: 0,
            before: 0,
            may_call_later,
            is_behind: false,
            chunk,
        })
    }

    /// The sockets to wait for.
    pub(super) fn polled(&self) -> Vec<PollFd<'_>> {
        let listeners = self.listeners.iter().map(|listener| PollFd::new(&listener.socket, PollFlags::IN));
        let links = self.links.iter().map(|link| {
            let reads = if link.is_full() { PollFlags::empty() } else { PollFlags::IN };
            let writes = if link.out.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            PollFd::new(&link.stream, reads | writes)
        });
        listeners.chain(links).collect()
    }

    /// Accepts connections, writes and reads without waiting, and returns the new calls.
    pub(super) fn turn(&mut self) -> Vec<Result<SutCall, SutFailure>> {
        let mut made = Vec::new();
        self.is_behind = false;
        for at in 0..self.listeners.len() {
            while let Some(stream) = self.accepted(at) {
                self.links.push(PeerLink::new(at, self.listeners[at].speech, stream));
            }
        }
        for at in 0..self.links.len() {
            let link = &mut self.links[at];
            link.out.write_to(&mut link.stream);
            let is_full = link.is_full();
            let PeerLink { stream, input, .. } = link;
            link.is_ended |=
                !is_full && read_from(stream, &mut self.chunk, |bytes| input.push(bytes)) == StreamState::Ended;
            made.extend(self.next_call(at));
        }
        self.links.retain(|link| link.open.is_some() || !link.is_ended);
        made
    }

    fn accepted(&self, listener: usize) -> Option<TcpStream> {
        loop {
            match self.listeners[listener].socket.accept() {
                Ok((stream, _)) => {
                    // A connection that cannot be used is treated as ended.
                    let ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
                    if ready.is_ok() {
                        return Some(stream);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// The next call on a connection, if the last call has its answer.
    fn next_call(&mut self, at: usize) -> Option<Result<SutCall, SutFailure>> {
        let PlayedPeers { spec, listeners, links, calls, .. } = self;
        let link = &mut links[at];
        let listener = &listeners[link.listener];
        if link.open.is_some() {
            return None;
        }
        let peer = &spec.program.peers[listener.peer as usize];
        let read = link.input.request(spec, listener.peer)?;
        match read {
            Ok(request) => {
                *calls += 1;
                link.open = Some(CallUnderWay { number: *calls, request: request.clone() });
                Some(Ok(SutCall { number: *calls, peer: listener.peer, key: listener.key.clone(), request }))
            }
            Err(why) => {
                link.is_ended = true;
                let what = format!("what the system sent to the peer `{}` is no call of it: {why}", peer.name);
                Some(Err(SutFailure::new(SutFailureKind::Violation, what)))
            }
        }
    }

    /// Gives the answer to a call; `None` lets the peer fail. Returns false if the answer cannot be given, as it has no form on
    /// the wire, or the system no longer waits for it.
    pub(super) fn answer(&mut self, call: u64, answer: Option<&Value>) -> bool {
        let is_it = |link: &PeerLink| link.open.as_ref().is_some_and(|open| open.number == call);
        let Some(at) = self.links.iter().position(is_it) else { return answer.is_none() };
        let Some(answer) = answer else {
            // A peer fails by ending the connection.
            self.links.remove(at);
            return true;
        };
        let listener = &self.listeners[self.links[at].listener];
        let link = &mut self.links[at];
        let Some(open) = link.open.as_ref().filter(|_| !link.is_ended) else { return false };
        let written = match link.input {
            PeerInput::Lines(_) => {
                let Spec { program, types, http, .. } = &*self.spec;
                let peer = &program.peers[listener.peer as usize];
                // What a peer that speaks as the system does has said may be passed on over HTTP, so it has a form there.
                let is_alike = [peer.request, peer.response] == [program.request, program.response];
                let is_formed =
                    http.is_none() || !is_alike || message_of_answer(&self.spec, &open.request, answer).is_some();
                is_formed.then(|| (encode(types, peer.response, answer) + "\n").into_bytes())
            }
            PeerInput::Http(_) => message_of_answer(&self.spec, &open.request, answer).map(|message| {
                let mut bytes = Vec::new();
                message.write_to(&mut bytes);
                bytes
            }),
        };
        let Some(written) = written else { return false };
        link.out.push(&written);
        link.out.write_to(&mut link.stream);
        link.open = None;
        self.is_behind = true;
        true
    }

    /// Tests whether a call may have been read that waited for the answer to the one before it on its connection.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Tests whether the system may still call peers for requests that have their answers, since the last reset.
    pub(super) fn calls_later(&self) -> bool {
        self.may_call_later && self.calls > self.before
    }

    /// Begins to count calls anew, at a reset. Calls without an answer fail; connections without a call stay.
    pub(super) fn begin(&mut self) {
        self.links.retain(|link| link.open.is_none());
        self.before = self.calls;
    }

    /// Ends all connections, and forgets the calls on them, as the system that made them has ended.
    pub(super) fn disconnect(&mut self) {
        self.links.clear();
        for at in 0..self.listeners.len() {
            while self.accepted(at).is_some() {}
        }
    }

    /// Waits until the system has stopped making calls for earlier requests. These calls fail.
    pub(super) fn wait_for_silence(&mut self) {
        let last = Instant::now() + LONGEST;
        loop {
            self.turn();
            self.links.retain(|link| link.open.is_none());
            let silence = Timespec::try_from(SILENCE).ok();
            let is_called = poll(&mut self.polled(), silence.as_ref()).is_ok_and(|ready| ready > 0);
            if !is_called || Instant::now() >= last || end::is_over() {
                return;
            }
        }
    }
}

impl PeerLink {
    fn new(listener: usize, speech: PeerSpeech, stream: TcpStream) -> PeerLink {
        let input = match speech {
            PeerSpeech::Lines => PeerInput::Lines(Vec::new()),
            PeerSpeech::Http => PeerInput::Http(MessageBuffer::default()),
        };
        PeerLink { listener, stream, out: UnwrittenLines::default(), input, open: None, is_ended: false }
    }

    /// Tests whether so much was read behind the call that is under way that no more is read until it has its answer.
    fn is_full(&self) -> bool {
        let read = match &self.input {
            PeerInput::Lines(input) => input.len(),
            PeerInput::Http(input) => input.rest().len(),
        };
        self.open.is_some() && read > MAX_ANSWER_BYTES
    }
}

impl PeerInput {
    fn push(&mut self, bytes: &[u8]) {
        match self {
            PeerInput::Lines(input) => input.extend_from_slice(bytes),
            PeerInput::Http(input) => input.push(bytes),
        }
    }

    /// The next request, if all of it was read.
    fn request(&mut self, spec: &Spec, peer: u32) -> Option<Result<Value, String>> {
        match self {
            PeerInput::Lines(input) => loop {
                let Some(end) = memchr::memchr(b'\n', input) else {
                    let is_too_long = input.len() > MAX_ANSWER_BYTES;
                    return is_too_long.then(|| Err(format!("a line of more than {MAX_ANSWER_BYTES} bytes")));
                };
                let line: Vec<u8> = input.drain(..=end).collect();
                if is_blank(&line) {
                    continue;
                }
                let text = str::from_utf8(&line[..end]).map_err(|_| "it is not UTF-8".to_owned());
                let ty = spec.program.peers[peer as usize].request;
                let read = text.and_then(|text| decode(&spec.types, ty, text).map_err(|error| error.to_string()));
                let read = read.map_err(|why| format!("{}: {why}", shown(&line[..end])));
                return Some(read);
            },
            PeerInput::Http(input) => match input.request() {
                Ok(None) => {
                    let is_too_long = input.rest().len() > MAX_ANSWER_BYTES;
                    is_too_long.then(|| Err(format!("a request of more than {MAX_ANSWER_BYTES} bytes")))
                }
                Ok(Some(message)) => {
                    let read = request_of(spec, &message).map_err(|(_, why)| format!("{}: {why}", input.shown()));
                    Some(read)
                }
                Err(malformed) => Some(Err(malformed.to_string())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::thread;

    use super::*;
    use crate::spec::load::Text;
    use crate::spec::{Selection, Tasks};

    #[test]
    fn what_comes_after_an_open_call_is_read_up_to_a_limit() {
        let text = "protocol p { request int; response int; peer store: int -> int; on q { let a = call store, q; reply a.or(0); } }";
        let text = Text { name: "p".to_owned(), text: text.to_owned() };
        let selection = Selection { tasks: Tasks::Either, ..Selection::default() };
        let spec = Spec::compile(text, &mut |name| Err(name.to_owned()), &selection).unwrap();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut peers = PlayedPeers::open(&spec, &[format!("store={free}").parse().unwrap()]).unwrap();
        let address = peers.listeners[0].socket.local_addr().unwrap();
        let writer = thread::spawn(move || {
            let mut system = TcpStream::connect(address).unwrap();
            system.write_all(b"1\n").unwrap();
            // It is cut off as soon as the peers have gone.
            system.write_all(&vec![b'2'; 2 * MAX_ANSWER_BYTES])
        });
        let until = Instant::now() + Duration::from_secs(20);
        let mut calls = 0;
        while !peers.links.iter().any(PeerLink::is_full) && Instant::now() < until {
            calls += peers.turn().len();
        }
        (0..10).for_each(|_| calls += peers.turn().len());
        assert_eq!(calls, 1);
        let Some(PeerLink { input: PeerInput::Lines(read), .. }) = peers.links.first() else { panic!("no link") };
        assert!((MAX_ANSWER_BYTES..MAX_ANSWER_BYTES + 64 * CHUNK).contains(&read.len()), "{}", read.len());
        drop(peers);
        assert!(writer.join().unwrap().is_err());
    }
}
