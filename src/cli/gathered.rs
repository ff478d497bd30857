//! A witness that is made part by part, the last one first, gathered: what is told of it, and its lines in a file.
//!
//! The lines of the parts are kept in a file without a name, and put into their order at the end; so a witness of ten million
//! lines needs no more memory than one of a thousand.

use super::again::spool;
use crate::evidence::{Initial, Leg};
use crate::report::{INLINE, witness as shown};
use crate::spec::Spec;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The parts of a witness.
pub struct Gathered<'s> {
    spec: &'s Spec,
    /// The last part of the trace first.
    parts: Vec<Part>,
    /// Where lines are kept, if they are wanted.
    lines: Option<File>,
    /// How many bytes were written there.
    written: u64,
    failed: Option<io::Error>,
}

/// What is known of a part.
struct Part {
    at: usize,
    exchanges: usize,
    /// Where its lines are kept.
    lines: std::ops::Range<u64>,
    /// Its steps, where the trace is short enough to show them.
    steps: Vec<shown::Step>,
    /// The first things that the server did by itself, in words.
    own: Vec<String>,
    /// How many these were in all.
    did: usize,
}

impl<'s> Gathered<'s> {
    /// Nothing yet.
    ///
    /// # Errors
    /// Lines are wanted and cannot be kept.
    pub fn new(spec: &'s Spec, file: Option<&Path>) -> io::Result<Gathered<'s>> {
        let lines = file.map(|_| spool()).transpose()?;
        Ok(Gathered { spec, parts: Vec::new(), lines, written: 0, failed: None })
    }

    /// Adds a part, which stands for what was added of its exchanges before.
    pub fn add(&mut self, leg: &Leg) {
        let end = leg.at + leg.steps.len();
        self.parts.retain(|part| part.at >= end);
        let later = self.parts.iter().map(|part| part.exchanges).sum::<usize>();
        let mut steps: Vec<shown::Step> = leg.steps.iter().map(|step| shown::step(self.spec, step)).collect();
        let start = self.written;
        if let Err(cause) = self.keep(&steps) {
            self.failed.get_or_insert(cause);
        }
        if end + later > INLINE {
            steps = Vec::new();
        }
        let did = leg.steps.iter().map(|step| step.before.len()).sum();
        let own = shown::own(self.spec, &leg.steps);
        self.parts.push(Part { at: leg.at, exchanges: leg.steps.len(), lines: start..self.written, steps, own, did });
    }

    fn keep(&mut self, steps: &[shown::Step]) -> io::Result<()> {
        let Some(file) = &mut self.lines else { return Ok(()) };
        let text: String = steps.iter().map(shown::line).collect();
        self.written += text.len() as u64;
        file.write_all(text.as_bytes())
    }

    /// Writes all lines in their order.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&mut self, initial: &Initial, path: &Path) -> io::Result<()> {
        if let Some(cause) = self.failed.take() {
            return Err(cause);
        }
        let mut out = BufWriter::new(File::create(path)?);
        if let Some(step) = shown::initial(initial) {
            out.write_all(shown::line(&step).as_bytes())?;
        }
        if let Some(file) = &mut self.lines {
            for part in self.parts.iter().rev() {
                file.seek(SeekFrom::Start(part.lines.start))?;
                io::copy(&mut file.take(part.lines.end - part.lines.start), &mut out)?;
            }
        }
        out.flush()
    }

    /// What the server did by itself, in words.
    #[must_use]
    pub fn own(&self) -> Vec<String> {
        let told = self.parts.iter().rev().flat_map(|part| &part.own).take(shown::TOLD);
        let mut told: Vec<String> = told.cloned().collect();
        let more = self.parts.iter().map(|part| part.did).sum::<usize>() - told.len();
        if more > 0 {
            told.push(format!("… and {more} more steps by itself"));
        }
        told
    }

    /// How many steps it has.
    #[must_use]
    pub fn length(&self, initial: &Initial) -> usize {
        self.parts.iter().map(|part| part.exchanges).sum::<usize>() + usize::from(shown::initial(initial).is_some())
    }

    /// All of it, where it is short enough to be shown.
    #[must_use]
    pub fn inline(&mut self, initial: &Initial) -> Option<Vec<shown::Step>> {
        let length = self.length(initial);
        let steps = self.parts.iter_mut().rev().flat_map(|part| std::mem::take(&mut part.steps));
        let steps: Vec<shown::Step> = shown::initial(initial).into_iter().chain(steps).collect();
        let values: usize = steps.iter().map(shown::Step::values).sum();
        (steps.len() == length && length.max(values) <= INLINE).then_some(steps)
    }
}
