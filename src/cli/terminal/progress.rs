//! A progress line for long work, on standard error if that is a terminal. It shows nothing in the first moment.
//!
//! `2 of 5 traces, 12000000 events, 2.4 M/s, 00:00:07 left` is overwritten in place, and removed at the end.

use super::files;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mayhap::choice::counted;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of events between two looks at the clock, which must be a power of two.
const EVERY: u64 = 1 << 14;

/// The time before the line is first shown.
const MOMENT: Duration = Duration::from_millis(500);

/// The line, with the numbers of traces and events, the rate and the remaining time.
pub struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
    traces: u64,
    judged: AtomicU64,
    events: AtomicU64,
    /// The number of bytes read from the traces.
    read: Arc<AtomicU64>,
}

impl ProgressLine {
    /// Starts the line on a target. The remaining time is estimated from the sizes of the traces, if all are files.
    pub fn on(target: ProgressDrawTarget, traces: &[PathBuf]) -> ProgressLine {
        let bytes: Option<u64> = traces.iter().map(|path| size(path)).sum();
        let bar = ProgressBar::with_draw_target(bytes, target);
        let line = if bytes.is_some() { "{msg}, {eta_precise} left" } else { "{msg}" };
        let style = ProgressStyle::with_template(line).unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressLine {
            bar: bar.with_style(style),
            started: Instant::now(),
            traces: traces.len() as u64,
            judged: AtomicU64::new(0),
            events: AtomicU64::new(0),
            read: Arc::default(),
        }
    }

    /// The counter of the bytes read from the traces.
    pub fn read(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }

    /// Notes that this number of events of a trace were judged.
    pub fn tick(&self, events: u64) {
        if events.is_multiple_of(EVERY) && events > 0 {
            self.show();
        }
    }

    /// Notes that the only trace has its verdict, and that evidence is being searched.
    pub fn search(&self) {
        if self.traces == 1 {
            let style = ProgressStyle::with_template("{spinner} looking for evidence, {elapsed}");
            self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.bar.enable_steady_tick(MOMENT);
        }
    }

    /// Notes that a trace was judged.
    pub fn judged(&self) {
        self.judged.fetch_add(1, Ordering::Relaxed);
    }

    fn show(&self) {
        let events = self.events.fetch_add(EVERY, Ordering::Relaxed) + EVERY;
        let elapsed = self.started.elapsed();
        if elapsed >= MOMENT {
            let judged = self.judged.load(Ordering::Relaxed);
            let traces = if self.traces == 1 { String::new() } else { format!("{judged} of {} traces, ", self.traces) };
            let rate = events as f64 / elapsed.as_secs_f64() / 1e6;
            self.bar.set_message(format!("{traces}{}, {rate:.1} M/s", counted(events, "event")));
            self.bar.set_position(self.read.load(Ordering::Relaxed));
        }
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

/// The size of a trace in bytes, if it is known.
fn size(path: &Path) -> Option<u64> {
    let data = (!files::is_stdin(path)).then(|| path.metadata().ok())??;
    data.is_file().then_some(data.len())
}
