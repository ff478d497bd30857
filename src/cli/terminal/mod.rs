//! The output that the user sees: standard output and standard error, with colour if someone looks at a terminal, or
//! if it is asked for.
//!
//! A reader that goes away (`mayhap simulate … | head`) is no error: what is written after that is dropped, and
//! [`Terminal::is_gone`] says that long work may stop.

pub mod exit;
pub(crate) mod files;
pub(crate) mod progress;
pub(crate) mod sink;
pub(crate) mod stopped;

use super::arguments::Color;
use mayhap::diagnostic::Colour;
use std::io::{self, IsTerminal, Write};

/// The two streams to the user.
pub struct Terminal {
    out: io::BufWriter<io::Stdout>,
    state: TerminalState,
    color: Color,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TerminalState {
    Open,
    /// The reader closed its end.
    Gone,
    /// Writing failed, the disk is full perhaps.
    Broken,
}

impl Terminal {
    /// The streams of this process.
    #[must_use]
    pub fn new(color: Color) -> Terminal {
        Terminal { out: io::BufWriter::new(io::stdout()), state: TerminalState::Open, color }
    }

    /// Writes a result to standard output.
    pub fn print(&mut self, text: &str) {
        if self.state == TerminalState::Open {
            let written = self.out.write_all(text.as_bytes());
            self.noticed(written);
        }
    }

    /// Writes a message to standard error, after everything printed so far.
    pub fn complain(&mut self, text: &str) {
        self.flush();
        // If standard error is closed too there is nobody left to tell.
        _ = io::stderr().write_all(text.as_bytes());
    }

    /// Tests whether standard output takes nothing any more: nobody reads it, or writing to it has failed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.state != TerminalState::Open
    }

    /// Ends output; false if some of it could not be written though someone was reading.
    pub fn finish(&mut self) -> bool {
        self.flush();
        if self.state == TerminalState::Broken {
            self.complain("error: cannot write to standard output\n");
        }
        self.state != TerminalState::Broken
    }

    /// Shows everything printed so far: for long work whose output is awaited.
    pub fn flush(&mut self) {
        if self.state == TerminalState::Open {
            let flushed = self.out.flush();
            self.noticed(flushed);
        }
    }

    fn noticed(&mut self, result: io::Result<()>) {
        self.state = match result {
            Ok(()) => TerminalState::Open,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => TerminalState::Gone,
            Err(_) => TerminalState::Broken,
        };
    }

    /// Decides whether messages on standard error may be coloured.
    #[must_use]
    pub fn colour(&self) -> Colour {
        match self.color {
            Color::Always => Colour::Always,
            Color::Never => Colour::Never,
            Color::Auto => {
                let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                if forbidden || dumb || !io::stderr().is_terminal() { Colour::Never } else { Colour::Always }
            }
        }
    }
}
