//! The output for the user: standard output and standard error, with colour if they are a terminal, or if the user wants it.
//!
//! A reader that goes away (`mayhap simulate … | head`) is no error. Further output is dropped, and [`Terminal::is_gone`] tells
//! long work that it may stop.

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
    /// Writing failed, for example as the disk is full.
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

    /// Writes a message to standard error, after everything that was printed before.
    pub fn complain(&mut self, text: &str) {
        self.flush();
        // If standard error is closed, too, there is nobody left to tell.
        _ = io::stderr().write_all(text.as_bytes());
    }

    /// Tests whether further output is lost: nobody reads standard output, or writing to it has failed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.state != TerminalState::Open
    }

    /// Ends the output. Returns false if some of it could not be written although somebody was reading.
    pub fn finish(&mut self) -> bool {
        self.flush();
        if self.state == TerminalState::Broken {
            self.complain("error: cannot write to standard output\n");
        }
        self.state != TerminalState::Broken
    }

    /// Writes out everything printed so far, for long work.
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

    /// The colour of messages on standard error.
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
