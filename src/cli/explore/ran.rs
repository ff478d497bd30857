//! The result of one run of an explored program or specification: an output, or trouble.
//!
//! A [`Trouble`] in words is, for example, `the program died: exit status 7`, and then its last output.

use crate::cli::terminal::exit::Exit;
use mayhap::choice::{ChoiceError, Step};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The most bytes of output of one run.
pub const MAX_OUTPUT: u64 = 16 << 20;

/// The number of last bytes of standard error that are printed for a program that died.
const LISTED: usize = 2_000;

/// A run of a specification that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckRun {
    /// The reason, at its place.
    pub message: String,
    /// The trace up to the point at which the run stopped.
    pub trace: String,
    pub run: Vec<Step>,
    pub exit: Exit,
}

/// A run that ended normally.
pub struct Ran {
    pub output: Vec<u8>,
    pub run: Vec<Step>,
}

/// The reason why a run has no output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The run breaks the rules of choosing, or ends by them.
    Escaped(ChoiceError),
    /// The run has not ended within this time.
    Endless(Duration),
    /// The run has not ended within this time, and has not read its answers.
    Unread(Duration),
    /// The program has ended, but after this time these are still open, in a process that it has started in the background.
    Held(Vec<&'static str>, Duration),
    /// A signal ended the run.
    Interrupted,
    /// The run printed more than [`MAX_OUTPUT`].
    TooMuch,
    /// The program ended with this status, and printed this to standard error.
    Died(String, String),
    /// The shell could not start the program.
    NoProgram(String),
    /// The program wrote this, a line or the beginning of a long one, which is no request.
    Malformed(String),
    /// The operating system refused something.
    System(String),
    /// The run of a specification cannot go on.
    Stopped(Box<StuckRun>),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Escaped(error) => error.fmt(f),
            Trouble::Endless(limit) => {
                write!(f, "the program does not end: it has run for {} s (--timeout)", limit.as_secs_f64())
            }
            Trouble::Unread(limit) => write!(
                f,
                "the program does not read the answers to its requests: it has run for {} s (--timeout)",
                limit.as_secs_f64()
            ),
            Trouble::Held(what, limit) => write!(
                f,
                "the program ended, but a process that it left in the background keeps {} open: after {} s (--timeout), it still did. Let the program wait for it, or redirect what it prints",
                what.join(" and "),
                limit.as_secs_f64()
            ),
            Trouble::Interrupted => write!(f, "interrupted"),
            Trouble::TooMuch => write!(f, "the program printed more than {MAX_OUTPUT} bytes"),
            Trouble::Died(status, said) => write!(f, "the program died: {status}{}", indented(said)),
            Trouble::NoProgram(said) => write!(f, "the program cannot be started{}", indented(said)),
            Trouble::Malformed(line) => {
                write!(f, "the program wrote {line:?} where `choose LABEL N` or `refuse LABEL` was expected")
            }
            Trouble::Stopped(stopped) => f.write_str(&stopped.message),
            Trouble::System(what) => write!(f, "the program cannot be run: {what}"),
        }
    }
}

fn indented(said: &str) -> String {
    said.lines().map(|line| format!("\n  | {line}")).collect()
}

impl Trouble {
    /// The trouble with a program that ended with a status other than 0.
    pub fn died(status: ExitStatus, said: &[u8], asked_nothing: bool) -> Trouble {
        let said = String::from_utf8_lossy(&said[said.len().saturating_sub(LISTED)..]).trim_end().to_owned();
        match (status.code(), status.signal()) {
            (Some(126 | 127), _) if asked_nothing => Trouble::NoProgram(said),
            // A shell reports the signal that ended its program in this way.
            (Some(code @ 129..=192), _) => Trouble::Died(format!("killed by signal {}", code - 128), said),
            (Some(code), _) => Trouble::Died(format!("exit status {code}"), said),
            (None, signal) => Trouble::Died(format!("killed by signal {}", signal.unwrap_or_default()), said),
        }
    }

    /// The exit code for the trouble.
    pub fn exit(&self) -> Exit {
        match self {
            Trouble::Endless(_) | Trouble::Unread(_) | Trouble::Held(..) | Trouble::TooMuch => Exit::Inconclusive,
            Trouble::Interrupted => Exit::Interrupted,
            Trouble::NoProgram(_) | Trouble::System(_) => Exit::Failed,
            Trouble::Died(..) | Trouble::Malformed(_) | Trouble::Escaped(_) => Exit::SystemFailed,
            Trouble::Stopped(stopped) => stopped.exit,
        }
    }

    /// Tests whether two runs ended in the same way. The standard error of programs that died may differ.
    pub fn is_like(&self, other: &Trouble) -> bool {
        if let (Trouble::Died(status, _), Trouble::Died(other, _)) = (self, other) {
            return status == other;
        }
        self == other
    }

    /// The run with this trouble, if it is known.
    pub fn run(&self) -> Option<&[Step]> {
        if let Trouble::Stopped(stopped) = self { Some(&stopped.run) } else { None }
    }

    /// The trace of the run before the trouble.
    pub fn trace(&self) -> &str {
        if let Trouble::Stopped(stopped) = self { &stopped.trace } else { "" }
    }
}
