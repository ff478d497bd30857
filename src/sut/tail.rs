//! The last lines of a program's output, read by a thread of its own, so that the program never waits for a reader.
//!
//! ```
//! use mayhap::sut::tail::OutputTail;
//! let tail = OutputTail::reading(&b"one\ntwo\n"[..], None);
//! tail.wait_for_end(std::time::Duration::from_secs(1));
//! assert_eq!(tail.lines(None), ["one", "two"]);
//! ```

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use regex_lite::Regex;

/// The number of last lines that are kept.
const KEPT: usize = 20;
/// The most bytes of a line that are kept.
const WIDTH: usize = 1000;

/// The last lines of a stream.
#[derive(Clone, Debug)]
pub struct OutputTail(Arc<(Mutex<Printed>, Condvar)>);

#[derive(Default, Debug)]
struct Printed {
    /// The lines, each with the moment at which it was read.
    lines: VecDeque<(Instant, String)>,
    /// The line that somebody waits for.
    awaited: Option<Regex>,
    /// Set if this line came.
    came: bool,
    /// Set if the stream has ended.
    ended: bool,
}

impl OutputTail {
    /// Starts to read a stream to its end. A line that matches `awaited` can be waited for.
    pub fn reading(stream: impl Read + Send + 'static, awaited: Option<Regex>) -> OutputTail {
        let tail = OutputTail(Arc::new((Mutex::new(Printed { awaited, ..Printed::default() }), Condvar::new())));
        let to = tail.clone();
        // Nobody joins the thread, as a process that left the group may hold the other end of the stream for ever.
        thread::spawn(move || to.read(BufReader::new(stream)));
        tail
    }

    /// The last lines, of those that were read since a moment if one is given.
    #[must_use]
    pub fn lines(&self, since: Option<Instant>) -> Vec<String> {
        let printed = self.printed();
        let lines = printed.lines.iter().filter(|(read, _)| since.is_none_or(|since| since <= *read));
        lines.map(|(_, line)| line.clone()).collect()
    }

    /// Waits until the awaited line came or the stream ended; returns whether the line came.
    #[must_use]
    pub fn wait_for_line(&self, longest: Duration) -> bool {
        self.wait(longest, |printed| printed.came || printed.ended).came
    }

    /// Waits until all other ends of the stream are closed; returns whether they are.
    pub fn wait_for_end(&self, longest: Duration) -> bool {
        self.wait(longest, |printed| printed.ended).ended
    }

    fn wait(&self, longest: Duration, is_over: impl Fn(&Printed) -> bool) -> MutexGuard<'_, Printed> {
        let deadline = Instant::now() + longest;
        let mut printed = self.printed();
        while !is_over(&printed) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            printed = self.0.1.wait_timeout(printed, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        printed
    }

    fn read(&self, mut stream: impl BufRead) {
        let mut line = Vec::new();
        while read_line(&mut stream, &mut line) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            self.printed().push(text);
            self.0.1.notify_all();
        }
        self.printed().ended = true;
        self.0.1.notify_all();
    }

    fn printed(&self) -> MutexGuard<'_, Printed> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Printed {
    fn push(&mut self, line: String) {
        self.came |= self.awaited.as_ref().is_some_and(|regex| regex.is_match(&line));
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back((Instant::now(), line));
    }
}

/// Reads the next line, and keeps its beginning; returns false at the end of the stream.
fn read_line(stream: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    let mut read_any = false;
    loop {
        let buffer = match stream.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return read_any,
        };
        if buffer.is_empty() {
            return read_any;
        }
        read_any = true;
        let end = memchr::memchr(b'\n', buffer);
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&piece[..piece.len().min(WIDTH - line.len().min(WIDTH))]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        stream.consume(used);
        if end.is_some() {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_long_ones_cut() {
        let text = format!("{}\nlast, without an end", (0..100).map(|n| format!("{n}\n")).collect::<String>())
            + &"x".repeat(100_000);
        let tail = OutputTail::reading(std::io::Cursor::new(text), None);
        assert!(tail.wait_for_end(Duration::from_secs(5)));
        let lines = tail.lines(None);
        assert_eq!((lines.len(), lines[0].as_str(), lines[18].as_str(), lines[19].len()), (20, "82", "", WIDTH));
    }

    #[test]
    fn a_line_is_waited_for_even_if_it_is_no_longer_kept() {
        let text = format!("listening on 7\n{}", "more\n".repeat(50));
        for (pattern, comes) in [("^listening on [0-9]+$", true), ("^ready$", false)] {
            let awaited = Regex::new(pattern).ok();
            let tail = OutputTail::reading(std::io::Cursor::new(text.clone()), awaited);
            assert_eq!(tail.wait_for_line(Duration::from_secs(5)), comes, "{pattern}");
        }
    }

    #[test]
    fn only_lines_read_since_a_moment_are_given() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let tail = OutputTail::reading(reader, Regex::new("^ready$").ok());
        writer.write_all(b"before\nready\n").unwrap();
        assert!(tail.wait_for_line(Duration::from_secs(5)));
        let asked = Instant::now();
        writer.write_all(b"after\n").unwrap();
        drop(writer);
        assert!(tail.wait_for_end(Duration::from_secs(5)));
        assert_eq!(tail.lines(Some(asked)), ["after"]);
        assert_eq!(tail.lines(None).len(), 3);
    }
}
