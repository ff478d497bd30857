//! Starting and ending a system: the command, the sign that it is ready, and the way to reset it.
//!
//! ```
//! use mayhap::sut::process::{Launcher, StartOptions};
//! let options = StartOptions { command: Some("echo listening; sleep 60".into()), ..StartOptions::default() };
//! let options = StartOptions { ready: Some("line:^listening".parse()?), ..options };
//! let mut system = Launcher::new(&options, None)?;
//! system.reset()?;
//! assert_eq!(system.output(None), ["listening"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(unix)]
pub mod group;
#[cfg(unix)]
pub mod ready;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::peers::PeerAddress;
use super::tail::OutputTail;
use super::{SutFailure, SutFailureKind};
use crate::limits::end;
use group::{Ending, GroupPipes, ProcessGroup};
use ready::{ReadySign, connect, http_answers};

/// The default time within which a system must be ready.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time between two tests whether it is ready.
const LOOK: Duration = Duration::from_millis(20);
/// The time within which the address of an ended process must be free again.
const LEAVING: Duration = Duration::from_secs(5);

/// The way in which a system is started and reset.
#[derive(Clone, Debug)]
pub struct StartOptions {
    /// The command that starts the system; `None` if it runs already.
    pub command: Option<String>,
    /// The sign that the system is ready.
    pub ready: Option<ReadySign>,
    /// The way in which the system is reset.
    pub reset: Option<ResetWay>,
    /// The time within which the system must be ready, or reset.
    pub patience: Duration,
    /// Set when nobody waits for the system any more.
    pub stop: Arc<AtomicBool>,
    /// The headers of each request to an HTTP server.
    pub headers: Vec<(String, String)>,
    /// The addresses at which the peers of the system are played.
    pub peers: Vec<PeerAddress>,
    /// The certificates that are trusted at `https://…`.
    pub trust: TlsTrust,
}

/// The certificates that are trusted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum TlsTrust {
    /// Certificates by the authorities that this machine trusts.
    #[default]
    Machine,
    /// In addition, certificates by the authorities in this PEM file.
    File(PathBuf),
    /// All certificates.
    Anything,
}

/// The way in which a system is brought back to its first state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResetWay {
    /// The system is ended and started again.
    Restart,
    /// The system is ended, this command removes what it stored, and the system is started again.
    RestartAfter(String),
    /// This command resets the running system.
    Command(String),
    /// The system is not reset.
    Nothing,
}

impl Default for StartOptions {
    fn default() -> StartOptions {
        StartOptions {
            command: None,
            ready: None,
            reset: None,
            patience: PATIENCE,
            stop: Arc::default(),
            headers: Vec::new(),
            peers: Vec::new(),
            trust: TlsTrust::default(),
        }
    }
}

impl FromStr for ResetWay {
    type Err = String;

    fn from_str(text: &str) -> Result<ResetWay, String> {
        match text.trim() {
            "restart" => Ok(ResetWay::Restart),
            "restart:" => Err("expected a command after `restart:`".to_owned()),
            "none" => Ok(ResetWay::Nothing),
            "" => Err("expected restart, none, or a command".to_owned()),
            command => Ok(match command.strip_prefix("restart:") {
                Some(before) => ResetWay::RestartAfter(before.trim().to_owned()),
                None => ResetWay::Command(command.to_owned()),
            }),
        }
    }
}

impl fmt::Display for ResetWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResetWay::Restart => f.write_str("restart"),
            ResetWay::RestartAfter(command) => write!(f, "restart: {command}"),
            ResetWay::Nothing => f.write_str("none"),
            ResetWay::Command(command) => f.write_str(command),
        }
    }
}

/// A system that is started here, or runs already. If it was started here, it ends when this is dropped.
#[derive(Debug)]
pub struct Launcher {
    command: Option<String>,
    ready: ReadySign,
    reset: ResetWay,
    patience: Duration,
    stop: Arc<AtomicBool>,
    group: Option<ProcessGroup>,
    /// Set after the system was started.
    was_started: bool,
    /// Set as long as nobody has used the system since its start.
    is_fresh: bool,
    /// The last lines of output of the process before this one.
    before: Option<OutputTail>,
}

impl Launcher {
    /// A system that is not started yet. `address` is its later address, if this is known.
    ///
    /// # Errors
    /// The options do not fit together.
    pub fn new(options: &StartOptions, address: Option<&str>) -> Result<Launcher, SutFailure> {
        let StartOptions { command, ready, reset, patience, stop, .. } = options.clone();
        if command.is_none() && matches!(reset, Some(ResetWay::Restart | ResetWay::RestartAfter(_))) {
            return Err(failed(
                "a system can only be restarted (--reset restart) if it is started here (--start COMMAND)",
            ));
        }
        if command.is_none() && ready.is_some() {
            return Err(failed("only a system that is started here (--start COMMAND) is waited for (--ready)"));
        }
        let by_address = address.map(|address| ReadySign::Tcp(address.to_owned()));
        let ready = match (ready.or(by_address), &command) {
            (Some(ready), _) => ready,
            (None, None) => ReadySign::After(Duration::ZERO),
            (None, Some(_)) => return Err(failed("--start needs --ready here: say how it shows that it is ready")),
        };
        let usual = if command.is_some() { ResetWay::Restart } else { ResetWay::Nothing };
        let reset = reset.unwrap_or(usual);
        Ok(Launcher {
            command,
            ready,
            reset,
            patience,
            stop,
            group: None,
            was_started: false,
            is_fresh: false,
            before: None,
        })
    }

    /// Makes sure that the system runs, in its first state as far as it can be reset.
    ///
    /// # Errors
    /// The system cannot be started or reset, or is not ready in time.
    pub fn reset(&mut self) -> Result<(), SutFailure> {
        let is_up = self.command.is_none() || self.group.is_some();
        match &self.reset {
            ResetWay::Restart | ResetWay::RestartAfter(_) if is_up && self.is_fresh => {}
            ResetWay::Restart => {
                self.end(Ending::Kindly);
                self.start()?;
            }
            ResetWay::RestartAfter(command) => {
                let command = command.clone();
                self.end(Ending::Kindly);
                self.run(&command)?;
                self.start()?;
            }
            ResetWay::Command(_) | ResetWay::Nothing if !is_up => {
                self.start()?;
                return self.reset();
            }
            ResetWay::Command(command) => self.run(&command.clone())?,
            ResetWay::Nothing => {}
        }
        Ok(())
    }

    /// Ends the system if the next reset starts it again; returns whether it was ended.
    pub(super) fn end_before_reset(&mut self) -> bool {
        let ends = self.restarts() && !self.is_fresh && self.group.is_some();
        if ends {
            self.end(Ending::Kindly);
        }
        ends
    }

    /// Tests whether a reset starts the system again.
    #[must_use]
    pub fn restarts(&self) -> bool {
        matches!(self.reset, ResetWay::Restart | ResetWay::RestartAfter(_))
    }

    /// Tests whether the next reset certainly ends the connections to a running system.
    pub(super) fn cuts_off(&self) -> bool {
        match self.reset {
            ResetWay::Restart | ResetWay::RestartAfter(_) => !self.is_fresh,
            ResetWay::Command(_) => true,
            ResetWay::Nothing => false,
        }
    }

    /// Notes that the system is used, so that the next reset is not skipped.
    pub fn used(&mut self) {
        self.is_fresh = false;
    }

    /// Kills the system.
    pub(super) fn kill(&mut self) {
        self.end(Ending::AtOnce);
    }

    /// Kills the system and starts it again.
    ///
    /// # Errors
    /// The system was not started here, or does not start again.
    pub fn crash(&mut self) -> Result<(), SutFailure> {
        if self.command.is_none() {
            return Err(failed("only a system that is started here (--start COMMAND) can be killed (--crash)"));
        }
        self.end(Ending::AtOnce);
        self.start()?;
        // The system keeps what it has stored, so it is not in its first state.
        self.is_fresh = false;
        Ok(())
    }

    /// The failure that the system has ended by itself, if it ends within this time.
    pub fn ended_within(&mut self, longest: Duration) -> Option<SutFailure> {
        let status = self.group.as_mut()?.exited_within(longest)?;
        let what = format!("the system ended by itself ({}){}", in_words(status), self.printed_last());
        Some(SutFailure::new(SutFailureKind::Crash, what))
    }

    /// Tests whether the system was started here and certainly lives on.
    #[must_use]
    pub fn lives_on(&self) -> bool {
        self.group.as_ref().is_some_and(ProcessGroup::lives_on)
    }

    /// The last lines of the system's output.
    #[must_use]
    pub fn output(&self, since: Option<Instant>) -> Vec<String> {
        last_lines(self.group.as_ref(), self.before.as_ref(), since)
    }

    fn end(&mut self, how: Ending) {
        if let Some(mut group) = self.group.take() {
            group.end(how);
            self.before = Some(group.tail().clone());
        }
    }

    fn start(&mut self) -> Result<(), SutFailure> {
        let Some(command) = self.command.clone() else { return Ok(()) };
        let until = Instant::now() + if self.was_started { LEAVING } else { Duration::ZERO };
        while let Some(address) = self.ready.address().filter(|address| connect(address).is_ok()) {
            // The process before this one may need a moment to end.
            if Instant::now() < until {
                self.go_on()?;
                sleep(LOOK);
                continue;
            }
            let what = format!("{address} is in use: something listens there before `{command}` is started");
            return Err(failed(what));
        }
        let awaited = if let ReadySign::Line(regex) = &self.ready { Some(regex.clone()) } else { None };
        let started = ProcessGroup::start(&command, GroupPipes::Output(awaited));
        self.group = Some(started.map_err(|error| failed(format!("`{command}` cannot be started: {error}")))?);
        self.was_started = true;
        self.await_ready(&command)?;
        self.is_fresh = true;
        Ok(())
    }

    fn await_ready(&mut self, command: &str) -> Result<(), SutFailure> {
        let began = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            // This test comes first: if the process has not ended after it, the process itself has answered.
            let is_ready = self.is_ready(began, pause);
            if let Some(status) = self.group.as_mut().and_then(ProcessGroup::exited) {
                let hint = if status.success() { ": it has to stay in the foreground" } else { "" };
                let what = format!("`{command}` ended before it was ready ({}{hint})", in_words(status));
                return Err(failed(what + &self.printed_last()));
            }
            if is_ready {
                return Ok(());
            }
            self.go_on()?;
            if began.elapsed() >= self.patience && !matches!(self.ready, ReadySign::After(_)) {
                let (seconds, awaited) = (self.patience.as_secs_f64(), self.ready.awaited());
                let what = format!("`{command}` was not ready after {seconds} s: {awaited}{}", self.printed_last());
                self.end(Ending::Kindly);
                return Err(failed(what));
            }
            pause = (2 * pause).min(LOOK);
        }
    }

    /// Tests whether the system is ready, and waits a little if it is not.
    fn is_ready(&self, began: Instant, pause: Duration) -> bool {
        let is_ready = match &self.ready {
            ReadySign::Tcp(address) => connect(address).is_ok(),
            ReadySign::Http { address, path } => http_answers(address, path).unwrap_or(false),
            ReadySign::Line(_) => {
                return self.group.as_ref().is_some_and(|group| group.tail().wait_for_line(pause));
            }
            ReadySign::After(time) => began.elapsed() >= *time,
        };
        if !is_ready {
            sleep(pause);
        }
        is_ready
    }

    /// The last line of output, as the end of a message.
    fn printed_last(&self) -> String {
        printed_last(&self.output(None))
    }

    /// Fails if the wait was called off.
    ///
    /// # Errors
    /// Somebody asked for the end.
    pub(super) fn go_on(&self) -> Result<(), SutFailure> {
        if self.stop.load(Ordering::Relaxed) || end::is_over() { Err(failed("interrupted")) } else { Ok(()) }
    }

    /// Runs a command that should end soon and succeed.
    fn run(&self, command: &str) -> Result<(), SutFailure> {
        let started = ProcessGroup::start(command, GroupPipes::Output(None));
        let mut group = started.map_err(|error| failed(format!("`{command}` cannot be started: {error}")))?;
        let until = Instant::now() + self.patience;
        let ended = loop {
            let ended = group.exited_within(LOOK);
            if ended.is_some() || Instant::now() >= until {
                break ended;
            }
            self.go_on()?;
        };
        let what = match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => format!("`{command}`, which resets the system, failed ({})", in_words(status)),
            None => {
                let seconds = self.patience.as_secs_f64();
                format!("`{command}`, which resets the system, had not ended after {seconds} s")
            }
        };
        Err(failed(what + &printed_last(&group.output())))
    }
}

/// The last lines of the output of a command that runs, or else of the one before it.
pub(super) fn last_lines(
    running: Option<&ProcessGroup>,
    before: Option<&OutputTail>,
    since: Option<Instant>,
) -> Vec<String> {
    running.map(ProcessGroup::tail).or(before).map_or_else(Vec::new, |tail| tail.lines(since))
}

/// The last line of an output, as the end of a message.
pub(super) fn printed_last(lines: &[String]) -> String {
    let last = lines.iter().rev().find(|line| !line.is_empty());
    last.map_or("; it printed nothing".to_owned(), |line| format!("; it printed last: {line}"))
}

/// The exit status of a command in words.
pub(super) fn in_words(status: ExitStatus) -> String {
    match status.code() {
        Some(126) => "exit status: 126, it cannot be run".to_owned(),
        Some(127) => "exit status: 127, no such command".to_owned(),
        Some(_) | None => status.to_string(),
    }
}

fn failed(what: impl Into<String>) -> SutFailure {
    SutFailure::new(SutFailureKind::Start, what)
}
