//! The reason why there is no recording, with an exit code: `memcached is not installed; install it with: …`.

use std::fmt;
use std::io;

use mayhap::choice::ChoiceError;

/// The program of a server, and how to get it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// The name of the file.
    pub name: &'static str,
    /// The Debian package.
    pub package: &'static str,
}

/// The reason why there is no recording.
#[derive(Debug)]
pub enum Trouble {
    /// The program was not found.
    Missing(Program),
    /// The server did not start, and printed this.
    NotStarted(Program, String),
    /// The server answered something that the trace cannot hold.
    BadAnswer(Program, String),
    /// The scratch directory or the connection failed, at this step.
    Io(&'static str, io::Error),
    /// The trace could not be written.
    Output(io::Error),
    /// The source of choices failed.
    Choice(ChoiceError),
}

impl Trouble {
    /// The exit code for this reason: 2 if the job could not be done, and 4 if the server failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Trouble::Output(_) | Trouble::Choice(_) => 2,
            Trouble::Missing(_) | Trouble::NotStarted(..) | Trouble::BadAnswer(..) | Trouble::Io(..) => 4,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing(Program { name, package }) => {
                write!(f, "{name} is not installed; install it with: apt-get install {package}")
            }
            Trouble::NotStarted(program, log) => write!(f, "{} did not start: {}", program.name, log.trim_end()),
            Trouble::BadAnswer(program, what) => write!(f, "{} answered {what}", program.name),
            Trouble::Io(step, error) => write!(f, "{step}: {error}"),
            Trouble::Output(error) => write!(f, "the trace cannot be written: {error}"),
            Trouble::Choice(error) => write!(f, "{error}"),
        }
    }
}

impl From<ChoiceError> for Trouble {
    fn from(error: ChoiceError) -> Trouble {
        Trouble::Choice(error)
    }
}
