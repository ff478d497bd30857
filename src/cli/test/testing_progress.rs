//! A progress line for a test, on standard error if that is a terminal.
//!
//! `4200 of 10000 requests in 21 runs, 5120/s` is overwritten in place, and removed at the end.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The shortest time between two updates of the line.
const MOMENT: Duration = Duration::from_millis(200);

/// Writes a text to standard error if the result still exists after this time.
pub fn say_if_long(time: Duration, text: &'static str) -> Sender<()> {
    let (there, gone) = channel();
    thread::spawn(move || {
        if let Err(RecvTimeoutError::Timeout) = gone.recv_timeout(time) {
            _ = std::io::stderr().write_all(text.as_bytes());
        }
    });
    there
}

/// A line with the numbers of requests and runs.
pub struct TestProgress {
    bar: ProgressBar,
    started: Instant,
    shown: Instant,
    all: u64,
}

impl TestProgress {
    /// The line for a test with this number of requests.
    pub fn new(all: u64) -> TestProgress {
        let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let now = Instant::now();
        TestProgress { bar: bar.with_style(style), started: now, shown: now, all }
    }

    /// Shows the numbers of requests and runs so far.
    pub fn show(&mut self, requests: u64, runs: u64) {
        if self.shown.elapsed() < MOMENT {
            return;
        }
        self.shown = Instant::now();
        let rate = requests as f64 / self.started.elapsed().as_secs_f64();
        let of = if self.all == u64::MAX { String::new() } else { format!(" of {}", self.all) };
        self.bar.set_message(format!("{requests}{of} requests in {runs} runs, {rate:.0}/s"));
    }

    /// Writes something else while the line is hidden.
    pub fn pause(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Clears the line.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
