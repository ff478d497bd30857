//! A started program, with pipes to it. It can be read from, written to and ended at any time.
//!
//! A program may write requests without reading the answers, and print at the same time. Whoever waits for only one of its pipes
//! may then wait for ever. So one `poll` serves all pipes, answers wait in a buffer until the program reads them, and every wait
//! ends at the deadline or at a signal.
//!
//! ```text
//!            requests ─▶ lines, which are taken one at a time
//! program ◀─ answers ─── at most MAX_ANSWERS; then no request is read before the program has read some
//!             stdout, stderr ─▶ kept up to MAX_OUTPUT
//! ```

use super::is_interrupted;
use super::ran::{MAX_OUTPUT, Trouble};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The most bytes of a line that asks for a choice.
const MAX_LINE: usize = 1024;
/// The most bytes of answers that wait to be read.
const MAX_ANSWERS: usize = 1 << 20;
/// The bytes that are read at once.
const CHUNK: usize = 1 << 14;
/// The longest time between two tests for a signal.
const LOOK: Duration = Duration::from_millis(20);
/// The first wait for the end of a program that has closed all pipes; it doubles up to [`LOOK`].
const PAUSE: Duration = Duration::from_micros(50);

/// The bytes that were read from a program, with their stream until the program closes it.
struct Incoming<S> {
    stream: Option<S>,
    bytes: Vec<u8>,
}

impl<S: Read + AsFd> Incoming<S> {
    fn new(stream: Option<S>) -> Incoming<S> {
        Incoming { stream, bytes: Vec::new() }
    }

    fn is_open(&self) -> bool {
        self.stream.is_some()
    }

    /// Reads without waiting, and keeps the bytes up to a limit.
    fn read(&mut self, limit: u64) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        match stream.read(&mut chunk) {
            Ok(0) => self.stream = None,
            Ok(read) => {
                let room = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(self.bytes.len());
                self.bytes.extend_from_slice(&chunk[..read.min(room)]);
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => self.stream = None,
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The end of a program that has closed all its pipes: its status, and its output.
pub struct Finished {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub complaints: Vec<u8>,
}

/// A started program. Neither the program nor the other processes of its group outlive this.
pub struct Started {
    child: Child,
    /// Set after the end of the program was seen, and its group was killed.
    reaped: bool,
    choices: Incoming<UnixStream>,
    /// The answers that were not written yet, as the program has not read the earlier ones.
    answers: Vec<u8>,
    output: Incoming<ChildStdout>,
    complaints: Incoming<ChildStderr>,
    timeout: Duration,
    deadline: Instant,
}

impl Started {
    /// Starts a command. The shell gets the socket for choices as its standard input, and moves it to descriptor 3.
    pub fn new(command: &str, timeout: Duration) -> io::Result<Started> {
        let deadline = Instant::now() + timeout;
        let (choices, theirs) = UnixStream::pair()?;
        choices.set_nonblocking(true)?;
        let script = format!("exec 3<&0 0</dev/null\n{command}\n");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("MAYHAP_CHOICES", "3").process_group(0);
        shell.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn()?;
        let (output, complaints) = (Incoming::new(child.stdout.take()), Incoming::new(child.stderr.take()));
        let (choices, answers) = (Incoming::new(Some(choices)), Vec::new());
        Ok(Started { child, reaped: false, choices, answers, output, complaints, timeout, deadline })
    }

    /// The next line of the program; `None` if it has closed the socket.
    pub fn request(&mut self) -> Result<Option<String>, Trouble> {
        loop {
            self.in_time()?;
            self.write();
            if self.answers.len() <= MAX_ANSWERS {
                if let Some(line) = self.line()? {
                    return Ok(Some(line));
                }
                if !self.choices.is_open() {
                    return Ok(None);
                }
            }
            self.turn()?;
        }
    }

    /// Answers a request. What cannot be written at once is written while the next request is awaited.
    pub fn answer(&mut self, answer: usize) {
        self.answers.extend_from_slice(format!("{answer}\n").as_bytes());
        self.write();
    }

    /// Waits until the program, and all others that have its output open, have closed it and ended.
    pub fn finish(mut self) -> Result<Finished, Trouble> {
        while self.output.is_open() || self.complaints.is_open() {
            self.in_time()?;
            self.turn()?;
        }
        let mut pause = PAUSE;
        while !self.has_exited() {
            self.in_time()?;
            std::thread::sleep(pause);
            pause = (2 * pause).min(LOOK);
        }
        let status = self.reap()?;
        let (output, complaints) = (&mut self.output.bytes, &mut self.complaints.bytes);
        Ok(Finished { status, output: std::mem::take(output), complaints: std::mem::take(complaints) })
    }

    /// Takes the first line that was read. It has no line end if the program wrote none before it closed the socket.
    fn line(&mut self) -> Result<Option<String>, Trouble> {
        let bytes = &mut self.choices.bytes;
        let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
        let end = end.or((self.choices.stream.is_none() && !bytes.is_empty()).then_some(bytes.len()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if end.unwrap_or(bytes.len()) > MAX_LINE {
            return Err(Trouble::Malformed(text(&bytes[..MAX_LINE])));
        }
        Ok(end.map(|end| text(&bytes.drain(..end).collect::<Vec<u8>>())))
    }

    /// Writes answers without waiting.
    fn write(&mut self) {
        while let (Some(stream), false) = (&mut self.choices.stream, self.answers.is_empty()) {
            match stream.write(&self.answers) {
                Ok(written) => _ = self.answers.drain(..written),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A program that does not read its answer is noticed at its end.
                Err(_) => self.answers.clear(),
            }
        }
        self.answers.clear();
    }

    /// Waits a little until a pipe can be read or written, and reads from each readable pipe.
    fn turn(&mut self) -> Result<(), Trouble> {
        let left = self.deadline.saturating_duration_since(Instant::now()).min(LOOK);
        let left = Timespec::try_from(left).map_err(system)?;
        let room = if self.answers.len() <= MAX_ANSWERS { PollFlags::IN } else { PollFlags::empty() };
        let wanted = room | if self.answers.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let mut polled = Vec::with_capacity(3);
        polled.extend(self.choices.stream.as_ref().map(|stream| PollFd::new(stream, wanted)));
        polled.extend(self.output.stream.as_ref().map(|stream| PollFd::new(stream, PollFlags::IN)));
        polled.extend(self.complaints.stream.as_ref().map(|stream| PollFd::new(stream, PollFlags::IN)));
        match poll(&mut polled, Some(&left)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(system(error)),
        }
        let mut ready = polled.iter().map(PollFd::revents).collect::<Vec<_>>().into_iter();
        let readable = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let mut is_ready = |open: bool| open && ready.next().is_some_and(|events| events.intersects(readable));
        let [choices, output, complaints] =
            [self.choices.is_open(), self.output.is_open(), self.complaints.is_open()].map(&mut is_ready);
        if choices && !room.is_empty() {
            self.choices.read(u64::MAX).map_err(system)?;
        }
        if output {
            self.output.read(MAX_OUTPUT + 1).map_err(system)?;
        }
        if complaints {
            self.complaints.read(MAX_OUTPUT).map_err(system)?;
        }
        Ok(())
    }

    /// Fails after a signal or the deadline.
    fn in_time(&mut self) -> Result<(), Trouble> {
        if is_interrupted() {
            return Err(Trouble::Interrupted);
        }
        if Instant::now() < self.deadline { Ok(()) } else { Err(self.late()) }
    }

    /// The reason why the run has not ended by its deadline.
    fn late(&mut self) -> Trouble {
        let open = [
            (self.choices.is_open(), "descriptor 3"),
            (self.output.is_open(), "its standard output"),
            (self.complaints.is_open(), "its standard error"),
        ];
        let held: Vec<&str> = open.into_iter().filter(|(open, _)| *open).map(|(_, what)| what).collect();
        match (self.has_exited() && !held.is_empty(), self.answers.is_empty()) {
            (true, _) => match self.reap() {
                Ok(status) if status.success() => Trouble::Held(held, self.timeout),
                Ok(status) => Trouble::died(status, &self.complaints.bytes, false),
                Err(trouble) => trouble,
            },
            (false, true) => Trouble::Endless(self.timeout),
            (false, false) => Trouble::Unread(self.timeout),
        }
    }

    /// Tests whether the program has ended. It keeps its number, which is the number of its group, until it is reaped.
    fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.reaped || waitid(WaitId::Pid(Pid::from_child(&self.child)), look).is_ok_and(|status| status.is_some())
    }

    /// Kills what is left of the program's group, and returns the status of the program.
    fn reap(&mut self) -> Result<ExitStatus, Trouble> {
        if !self.reaped {
            // The signal fails if all processes have ended.
            _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.reaped = true;
        }
        self.child.wait().map_err(system)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        _ = self.reap();
    }
}

fn system(error: impl std::fmt::Display) -> Trouble {
    Trouble::System(error.to_string())
}
