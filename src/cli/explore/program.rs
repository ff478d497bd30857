//! One run of a program in any language: it asks for its choices on a descriptor, and what it prints is its output.
//!
//! The program is a shell command that finds descriptor 3 open and its number in `MAYHAP_CHOICES`. It writes
//! `choose which way 3` and reads `2`; it may write `refuse too late` and end: that run does not exist. `docs/CHOICES.md`
//! describes it for those who write such programs.

use super::ran::{MAX_OUTPUT, Ran, Trouble};
use crate::choice::{ChoiceError, Chooser, Step, label};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A line that asks for a choice, in bytes.
const MAX_LINE: u64 = 1024;
/// What is told of the standard error of a program that died, in bytes.
const TOLD: usize = 2_000;

/// A program to explore.
pub struct Program<'o> {
    /// For the shell.
    pub command: &'o str,
    /// How long a run may take.
    pub timeout: Duration,
}

/// A request of the program.
enum Request {
    Choose(String, usize),
    Refuse(String),
}

impl Program<'_> {
    /// Runs the program with the chooser's choices.
    pub fn run(&self, c: &mut Chooser) -> Result<Ran, Trouble> {
        let deadline = Instant::now() + self.timeout;
        let mut started = Started::new(self.command).map_err(|error| Trouble::System(error.to_string()))?;
        let mut run = Vec::new();
        let refused = self.talk(&started.choices, deadline, c, &mut run)?;
        let output = self.wait(&started.output, deadline)?;
        let said = self.wait(&started.complaints, deadline)?;
        let status = started.end().map_err(|error| Trouble::System(error.to_string()))?;
        match refused {
            Some(error) => Err(Trouble::Escaped(error)),
            None if output.len() as u64 > MAX_OUTPUT => Err(Trouble::TooMuch),
            None if status.success() => Ok(Ran { output, run }),
            None => Err(died(status, &said, run.is_empty())),
        }
    }

    /// Answers the program's requests until it asks no more; the error of a run that does not exist.
    fn talk(
        &self,
        choices: &UnixStream,
        deadline: Instant,
        c: &mut Chooser,
        run: &mut Vec<Step>,
    ) -> Result<Option<ChoiceError>, Trouble> {
        let mut reader = BufReader::new(choices);
        let mut refused = None;
        while let Some(request) = self.request(&mut reader, deadline)? {
            match request {
                Request::Choose(place, arity) => {
                    let label = label(&place).map_err(Trouble::Escaped)?;
                    let pick = c.try_choose(label, arity).map_err(Trouble::Escaped)?;
                    if arity > 1 {
                        run.push(Step { label, arity, pick });
                    }
                    // A program that does not wait for its answer is met again when it ends.
                    _ = (&*choices).write_all(format!("{pick}\n").as_bytes());
                }
                Request::Refuse(place) => {
                    let label = label(&place).map_err(Trouble::Escaped)?;
                    refused = c.try_assume(label, false).err();
                }
            }
        }
        Ok(refused)
    }

    /// The next request; `None` where the program has closed its end.
    fn request(&self, reader: &mut BufReader<&UnixStream>, deadline: Instant) -> Result<Option<Request>, Trouble> {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        reader.get_ref().set_read_timeout(Some(left)).map_err(|error| Trouble::System(error.to_string()))?;
        let mut line = Vec::new();
        match reader.take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) => Ok(None),
            Ok(_) => {
                let line = String::from_utf8_lossy(&line);
                parse(line.trim_end()).map(Some).ok_or_else(|| Trouble::Malformed(line.trim_end().into()))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                Err(Trouble::Endless(self.timeout))
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(None),
            Err(error) => Err(Trouble::System(error.to_string())),
        }
    }

    fn wait(&self, bytes: &Receiver<Vec<u8>>, deadline: Instant) -> Result<Vec<u8>, Trouble> {
        let left = deadline.saturating_duration_since(Instant::now());
        bytes.recv_timeout(left).map_err(|_| Trouble::Endless(self.timeout))
    }
}

fn parse(line: &str) -> Option<Request> {
    let (word, rest) = line.split_once(' ')?;
    match word {
        "choose" => {
            let (label, arity) = rest.rsplit_once(' ')?;
            Some(Request::Choose(label.trim().into(), arity.parse().ok()?))
        }
        "refuse" => Some(Request::Refuse(rest.trim().into())),
        _ => None,
    }
}

fn died(status: ExitStatus, said: &[u8], asked_nothing: bool) -> Trouble {
    let said = String::from_utf8_lossy(&said[said.len().saturating_sub(TOLD)..]).trim_end().to_owned();
    match (status.code(), status.signal()) {
        (Some(126 | 127), _) if asked_nothing => Trouble::NoProgram(said),
        // A shell tells so by which signal its program ended.
        (Some(code @ 129..=192), _) => Trouble::Died(format!("killed by signal {}", code - 128), said),
        (Some(code), _) => Trouble::Died(format!("exit status {code}"), said),
        (None, signal) => Trouble::Died(format!("killed by signal {}", signal.unwrap_or_default()), said),
    }
}

/// A program that was started; it does not outlive this.
struct Started {
    child: Child,
    choices: UnixStream,
    output: Receiver<Vec<u8>>,
    complaints: Receiver<Vec<u8>>,
}

impl Started {
    /// The shell finds the choices as its standard input and moves them to descriptor 3.
    fn new(command: &str) -> io::Result<Started> {
        let (choices, theirs) = UnixStream::pair()?;
        let script = format!("exec 3<&0 0</dev/null\n{command}\n");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("MAYHAP_CHOICES", "3").process_group(0);
        shell.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn()?;
        let (output, complaints) = (collected(child.stdout.take()), collected(child.stderr.take()));
        Ok(Started { child, choices, output, complaints })
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // The shell and all that it started are one group.
            let kill = format!("kill -KILL -{}", self.child.id());
            _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
            _ = self.child.kill();
            _ = self.child.wait();
        }
    }
}

/// Everything that can be read, as far as it is wanted, once the other end is closed.
fn collected(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            _ = stream.by_ref().take(MAX_OUTPUT + 1).read_to_end(&mut bytes);
            _ = io::copy(&mut stream, &mut io::sink());
        }
        _ = sender.send(bytes);
    });
    receiver
}
