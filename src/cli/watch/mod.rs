//! `mayhap watch`: stands between clients and a server, passes everything on, and judges it.
//!
//! `mayhap watch kv.may --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080` prints a rejection when it happens.
//!
//! | file | its one job |
//! |---|---|
//! | `relay.rs` | passes bytes on |
//! | `talk.rs` | turns the bytes of a connection into events |
//! | `watcher.rs` | judges events, and reports rejections |
//! | `demultiplexer.rs` | assigns overlapping requests of a connection to several clients |
//! | `window.rs` | keeps the last events, from which judging can begin again |
//! | `kept.rs` | the file of `--state` |
//! | `arguments.rs` | the command line |

pub mod arguments;
mod demultiplexer;
mod kept;
mod relay;
mod talk;
mod watcher;
mod window;

use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::test::stopping;
use super::validate::limits_of;
use super::{failed, load};
use arguments::WatchArguments;
use kept::{KeptPlace, KeptRecording, LeftState};
use mayhap::choice::counted;
use mayhap::limits::end::{self, WorkEnd};
use mayhap::spec::Tasks;
use mayhap::trace::Header;
use mayhap::{Session, Spec};
use relay::{ListenerHandle, Overheard};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use watcher::Watcher;

/// The time between two tests whether watching should end.
const LOOK: Duration = Duration::from_millis(100);
/// The time for judging what has passed before watching ends; the rest is only recorded.
const MOMENT: Duration = Duration::from_millis(500);
/// The number of waiting bytes at which judging pauses, and the number at which it goes on.
const TOO_MANY: usize = 1 << 24;
const FEW: usize = 1 << 16;

pub fn run(options: &WatchArguments, terminal: &mut Terminal) -> Exit {
    // This comes first, so that no signal is missed.
    let stop = stopping::begin();
    let spec = match load::compile_for(Tasks::Either, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let (mut watcher, listener) = match begin(&spec, options, terminal) {
        Ok(begun) => begun,
        Err(why) => return failed(terminal, &why),
    };
    let (sender, heard) = channel();
    let (ear, server) = (ListenerHandle::new(sender), options.upstream.address.clone());
    let ear_there = ear.clone();
    thread::spawn(move || relay::relay(&listener, &server, &ear_there));
    // After a signal there is a moment to finish what is being judged.
    let end = WorkEnd::of(&stopping::soon_after(&stop)).enter();
    while !stop.load(Ordering::Relaxed) {
        if let Err(why) = hear(&heard, ear.waiting(), &mut watcher, terminal) {
            no_recording(options, &why, terminal);
        }
    }
    ear.close();
    let since = Instant::now();
    while let Ok(next) = heard.try_recv() {
        watcher.set_overloaded(since.elapsed() > MOMENT || end::is_over(), terminal);
        if let Err(why) = watcher.hear(next, terminal) {
            no_recording(options, &why, terminal);
        }
    }
    // What was cut off while it was judged is left out, too.
    watcher.set_overloaded(watcher.is_overloaded() || end::is_over(), terminal);
    drop(end);
    self::end(watcher, options, terminal)
}

/// A watcher, and the socket at which it listens.
fn begin(
    spec: &Arc<Spec>,
    options: &WatchArguments,
    terminal: &mut Terminal,
) -> Result<(Watcher, TcpListener), String> {
    if !spec.program.peers.is_empty() {
        return Err("the specification calls peers, which are not seen between its clients and the server".to_owned());
    }
    if spec.program.opens.is_some() || spec.program.closes.is_some() {
        let why = "the specification says what happens when connections begin and end (`on open`, `on close`)";
        return Err(format!("{why}: that cannot be judged from any state"));
    }
    if spec.program.names_clients && spec.http.is_some() {
        return Err("the specification asks who its clients are (`from c`), which no request of HTTP says".to_owned());
    }
    let any = spec.in_any_state().map_err(|_| "the specification cannot be judged from any state".to_owned())?;
    let limits = limits_of(options.exchange_time, options.memory);
    let left = options.state.as_deref().map_or(Ok(LeftState::Nothing), kept::read)?;
    // An old session says nothing about a server that was just started.
    let left = if options.fresh { LeftState::Nothing } else { left };
    let new = |is_of_any| Watcher::new(spec, &any, limits.clone(), is_of_any);
    let (watcher, gone_on) = match left {
        LeftState::Nothing => (new(!options.fresh), None),
        LeftState::Unfinished => {
            terminal.complain("watching did not end in good order: judging begins in any state\n");
            (new(true), None)
        }
        LeftState::Session(place, saved) => {
            let KeptPlace { line, connected, is_of_any, .. } = place;
            let begun = if is_of_any { &any } else { spec };
            let path = options.state.as_deref().unwrap_or(Path::new(""));
            let session = Session::resume(begun, limits.clone(), &saved);
            let session = session.map_err(|why| format!("{}: {why}", files::shown(path)))?;
            (new(is_of_any).recovery(session, line, connected), Some(place))
        }
    };
    let address = &options.listen;
    let failed = |cause: std::io::Error| match cause.kind() {
        ErrorKind::InvalidInput => format!("--listen {address}: {cause}; expected HOST:PORT, as in 127.0.0.1:8081"),
        _ => format!("--listen {address}: cannot listen: {}", files::reason(&cause)),
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let begun = RecordingStart { spec, is_fresh: options.fresh, gone_on: gone_on.as_ref() };
    let recording = options.record.as_deref().map(|path| begun.file(path, terminal)).transpose()?;
    if let Some(path) = &options.state {
        kept::mark(path)?;
    }
    terminal.print(&format!("listening on {bound}\n"));
    terminal.flush();
    Ok((watcher.under(&options.upstream.prefix).recording(recording), listener))
}

/// The way in which a recording begins.
struct RecordingStart<'b> {
    spec: &'b Spec,
    /// Set if the server was just started.
    is_fresh: bool,
    /// The place from which a session continues, if it does.
    gone_on: Option<&'b KeptPlace>,
}

impl RecordingStart<'_> {
    /// Opens the file: the old one if the session continues at its end, and otherwise a new one. An existing file is renamed.
    fn file(&self, path: &Path, terminal: &mut Terminal) -> Result<File, String> {
        let unwritable = |cause: std::io::Error| files::unwritable(path, &cause);
        let there = KeptRecording::of(path).filter(|there| there.bytes > 0);
        let continued = self.gone_on.and_then(|place| place.recording.as_ref());
        if there.is_some() && there.as_ref() == continued {
            return OpenOptions::new().append(true).open(path).map_err(unwritable);
        }
        if there.is_some() {
            let numbered = |number: u32| PathBuf::from(format!("{}.{number}", path.display()));
            let free = (1..).map(numbered).find(|other| !other.exists()).unwrap_or_default();
            fs::rename(path, &free).map_err(unwritable)?;
            terminal.complain(&format!("{}: the recording before is {}\n", files::shown(path), files::shown(&free)));
        }
        if let Some(place) = self.gone_on {
            let (shown, line) = (files::shown(path), place.line + 1);
            terminal.complain(&format!("{shown}: its line 2 is line {line} in what is reported\n"));
        }
        let header = Header {
            begins_in_any_state: self.gone_on.is_some() || !self.is_fresh,
            restarts_in_any_state: true,
            ..Header::of(&self.spec.program.name)
        };
        let mut file = File::create(path).map_err(unwritable)?;
        file.write_all(format!("{header}\n").as_bytes()).map_err(unwritable)?;
        Ok(file)
    }
}

/// Handles the next message from the relay, if one comes soon.
fn hear(
    heard: &Receiver<Overheard>,
    waiting: &AtomicUsize,
    watcher: &mut Watcher,
    terminal: &mut Terminal,
) -> std::io::Result<()> {
    match heard.recv_timeout(LOOK) {
        Ok(next) => {
            let length = relay::length(&next.what);
            let before = waiting.fetch_sub(length, Ordering::Relaxed);
            if before > TOO_MANY {
                watcher.set_overloaded(true, terminal);
            } else if before < FEW {
                watcher.set_overloaded(false, terminal);
            }
            watcher.hear(next, terminal)
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(()),
    }
}

/// Ends in good order, and saves the session.
fn end(mut watcher: Watcher, options: &WatchArguments, terminal: &mut Terminal) -> Exit {
    let saved = watcher.save(terminal);
    let kept = match (&options.state, saved) {
        (None, Ok(_)) => Ok(()),
        (Some(path), Ok(saved)) => {
            let recording = options.record.as_deref().and_then(KeptRecording::of);
            let Watcher { line, connected, is_of_any, .. } = watcher;
            kept::save(path, KeptPlace { line, connected, is_of_any, recording }, &saved)
        }
        // The mark stays, so the next watcher begins from any state.
        (_, Err(why)) => Err(why),
    };
    let counts = &watcher.counts;
    let mut summary = vec![counted(counts.events, "event"), counted(counts.rejections, "rejection")];
    if counts.unknown > 0 {
        summary.push(format!("{} undecided", counts.unknown));
    }
    if counts.foreign > 0 {
        summary.push(format!("{} not judged", counted(counts.foreign, "request")));
    }
    terminal.complain(&format!("{}\n", summary.join(", ")));
    match kept {
        Ok(()) => watcher.exit(),
        Err(why) if options.state.is_some() => failed(terminal, &why).worst(watcher.exit()),
        Err(_) => watcher.exit(),
    }
}

/// Goes on without the recording, which cannot be written, as traffic must never wait for it.
fn no_recording(options: &WatchArguments, cause: &std::io::Error, terminal: &mut Terminal) {
    let why = files::unwritable(options.record.as_deref().unwrap_or(Path::new("")), cause);
    terminal.complain(&format!("{why}; nothing more is recorded\n"));
}
