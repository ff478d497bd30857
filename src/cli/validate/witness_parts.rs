//! The parts of a witness, gathered for a report and a file.
//!
//! The lines of the parts are kept in an unnamed file, and put into order at the end. So a witness of ten million lines needs no
//! more memory than one of a thousand. If no file is wanted, the parts are dropped as soon as the witness is too long to be
//! shown.

use super::reread::spool;
use mayhap::choice::counted;
use mayhap::evidence::{Initial, Segment, WitnessStep};
use mayhap::report::{INLINE, witness as shown};
use mayhap::spec::Spec;
use mayhap::trace::Places;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// The parts of a witness.
pub struct Gathered<'s> {
    spec: &'s Spec,
    /// The names of the events for people.
    places: Places,
    /// The parts, by the position of their first exchange.
    parts: BTreeMap<usize, WitnessPart>,
    /// The size of all parts together.
    size: Size,
    /// The file that keeps the lines, if they are wanted.
    lines: Option<File>,
    /// The number of bytes in this file.
    written: u64,
    failed: Option<io::Error>,
}

/// A part of a witness: its size, its steps, and the place of its lines.
struct WitnessPart {
    size: Size,
    /// The bytes of the part's lines in the file.
    lines: Range<u64>,
    /// Its steps, as long as the witness is short enough to be shown.
    steps: Vec<shown::StepLine>,
    /// The first internal steps of the server, in words.
    own: Vec<String>,
    /// The number of all internal steps of the server in this part.
    did: usize,
}

/// The size of a witness, or of a part, in exchanges and in values.
#[derive(Clone, Copy, Default)]
struct Size {
    exchanges: usize,
    values: usize,
}

impl Size {
    /// Tests whether a witness of this size is short enough to be shown.
    fn is_shown(self) -> bool {
        self.exchanges.max(self.values) <= INLINE
    }
}

impl<'s> Gathered<'s> {
    /// No parts so far.
    ///
    /// # Errors
    /// The file for the lines cannot be made.
    pub fn new(spec: &'s Spec, places: &Places, file: Option<&Path>) -> io::Result<Gathered<'s>> {
        let lines = file.map(|_| spool()).transpose()?;
        let (places, parts) = (places.clone(), BTreeMap::new());
        Ok(Gathered { spec, places, parts, size: Size::default(), lines, written: 0, failed: None })
    }

    /// Adds a part, which replaces earlier parts with the same exchanges. Answers with a break if further parts are of no use.
    pub fn add(&mut self, segment: &Segment) -> ControlFlow<()> {
        self.remove(segment.at, segment.at + segment.steps.len());
        let size = Size { exchanges: segment.steps.len(), values: segment.steps.iter().map(WitnessStep::values).sum() };
        self.size.exchanges += size.exchanges;
        self.size.values += size.values;
        let start = self.written;
        if let Err(cause) = self.keep(&segment.steps) {
            self.failed.get_or_insert(cause);
        }
        let shown = if self.size.is_shown() { segment.steps.as_slice() } else { &[] };
        let steps = shown.iter().map(|step| shown::step(self.spec, step)).collect();
        let did = segment.steps.iter().map(|step| step.before.len()).sum();
        let own = shown::own(self.spec, &self.places, &segment.steps);
        self.parts.insert(segment.at, WitnessPart { size, lines: start..self.written, steps, own, did });
        let of_use = self.lines.is_some() || self.size.is_shown();
        if of_use { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Removes the parts with exchanges in this range.
    fn remove(&mut self, from: usize, to: usize) {
        while let Some(last) = self.parts.range(..to).next_back().map(|(at, part)| (*at, part.size)) {
            let (at, size) = last;
            if at + size.exchanges <= from {
                break;
            }
            self.parts.remove(&at);
            self.size.exchanges -= size.exchanges;
            self.size.values -= size.values;
        }
    }

    fn keep(&mut self, steps: &[WitnessStep]) -> io::Result<()> {
        let Some(file) = &mut self.lines else { return Ok(()) };
        let mut text = String::new();
        steps.iter().for_each(|step| shown::write_line(&mut text, self.spec, step));
        self.written += text.len() as u64;
        file.write_all(text.as_bytes())
    }

    /// Writes all lines in order.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(&mut self, initial: &Initial, path: &Path) -> io::Result<()> {
        if let Some(cause) = self.failed.take() {
            return Err(cause);
        }
        let mut out = BufWriter::new(File::create(path)?);
        if let Some(step) = shown::initial(initial) {
            out.write_all(shown::line(&step).as_bytes())?;
        }
        if let Some(file) = &mut self.lines {
            for part in self.parts.values() {
                file.seek(SeekFrom::Start(part.lines.start))?;
                io::copy(&mut file.take(part.lines.end - part.lines.start), &mut out)?;
            }
        }
        out.flush()
    }

    /// The internal steps of the server, in words: the first few, and the number of the others.
    #[must_use]
    pub fn own(&self) -> Vec<String> {
        let stated = self.parts.values().flat_map(|part| &part.own).take(shown::LISTED);
        let mut stated: Vec<String> = stated.cloned().collect();
        let more = self.parts.values().map(|part| part.did).sum::<usize>() - stated.len();
        if more > 0 {
            stated.push(format!("… and {} by itself", counted(more as u64, "more step")));
        }
        stated
    }

    /// The whole witness, if it is short enough to be shown.
    #[must_use]
    pub fn inline(&mut self, initial: &Initial) -> Option<Vec<shown::StepLine>> {
        let initial = shown::initial(initial);
        let of_initial = initial.as_ref().map_or(0, shown::StepLine::values);
        let exchanges = self.size.exchanges + usize::from(initial.is_some());
        let size = Size { exchanges, values: self.size.values + of_initial };
        let steps = self.parts.values_mut().flat_map(|part| std::mem::take(&mut part.steps));
        let steps: Vec<shown::StepLine> = initial.into_iter().chain(steps).collect();
        (size.is_shown() && steps.len() == exchanges).then_some(steps)
    }
}
