//! How far long work has come, on standard error, where that is a terminal and the work takes more than a moment.
//!
//! `t.ndjson: 12000000 events` is overwritten in place and gone at the end.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// How often it is looked at the clock, in events; a power of two.
const EVERY: u64 = 1 << 14;

/// Work shorter than this shows nothing, and this is how often the line changes.
const MOMENT: Duration = Duration::from_millis(500);

/// A line that tells how many events were read.
pub struct Progress {
    name: String,
    shown: Shown,
}

enum Shown {
    /// Nobody looks.
    Never,
    /// Last changed then.
    Since(Instant),
}

impl Progress {
    /// Starts; `name` is what is worked on.
    pub fn new(name: &str) -> Progress {
        let shown = if stderr().is_terminal() { Shown::Since(Instant::now()) } else { Shown::Never };
        Progress { name: name.into(), shown }
    }

    /// Notes that so many events are done.
    #[inline]
    pub fn tick(&mut self, events: u64) {
        if events.is_multiple_of(EVERY) {
            self.show(events);
        }
    }

    fn show(&mut self, events: u64) {
        if let Shown::Since(last) = &mut self.shown
            && last.elapsed() >= MOMENT
        {
            *last = Instant::now();
            _ = write!(stderr(), "\r{}: {events} events\x1b[K", self.name);
        }
    }

    /// Clears the line.
    pub fn end(self) {
        if let Shown::Since(_) = self.shown {
            _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
