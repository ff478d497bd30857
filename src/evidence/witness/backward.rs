//! A run that is made backwards, for traces that leave too much undecided. The judge's knowledge is kept at some positions.
//! The last part of the run may end in any state that is possible. Each other part ends in the state in which the next part
//! begins.
//!
//! ```text
//! judged once:  ├──────────▶ K ──────────▶ K ──────────┤      K: a checkpoint, at which the judge's knowledge is kept
//! made:         ├◀── n = 2 ──┼◀── n = 7 ───┼◀── any ───┤      the last part first, each into the state in which the next begins
//! ```
//!
//! For example each of 1,000 exchanges leaves two explanations that the judge merges. With choices kept they cannot be merged,
//! and become too many after six exchanges. So each part has six exchanges.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::segment::{self, Begin, SegmentError, SegmentStart};
use super::single;
use super::{Initial, Segment, WitnessError};
use crate::judge::{Candidate, Exchange, Inspected, Judge, Options, Patience};
use crate::limits;
use crate::reading::Recording;
use crate::solve::Answer;
use crate::spec::Spec;
use crate::value::Value;

/// The most checkpoints of one run. Of more, every second one is dropped, and made again.
const CHECKPOINTS: usize = 512;
/// The most checkpoints of one run whose states are of any size: the states of more have at most [`limits::KEPT`] values together.
const FEW: usize = 16;

/// The judge before the exchange at a position.
struct Checkpoint {
    at: usize,
    judge: Judge,
}

struct Backward<'r, R: ?Sized> {
    spec: &'r Arc<Spec>,
    options: &'r Options,
    recording: &'r R,
    /// The most exchanges of a part, unless only a longer part fits.
    longest: usize,
    /// The number of exchanges that is tried next, as more had too many explanations.
    fits: usize,
    give: &'r mut dyn FnMut(Segment) -> ControlFlow<()>,
}

/// Finds a witness of an accepted trace from its last exchange back, and hands over its replayed parts. A part has at most
/// `longest` exchanges, unless only a longer part fits.
///
/// # Errors
/// If the trace is not accepted, or the values could not be found.
pub fn witness_in_segments<R: Recording + ?Sized>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    longest: usize,
    give: &mut dyn FnMut(Segment) -> ControlFlow<()>,
) -> Result<Initial, WitnessError> {
    // A state between two parts must be known in full.
    let options = &Options { inspected: Inspected::Memory, ..options.clone() };
    let start = Checkpoint { at: 0, judge: Judge::new(spec.clone(), options.clone()) };
    // Internal steps between exchanges are made one after another, from the state before each exchange.
    let longest = if spec.program.steps.is_empty() { longest.max(1) } else { 1 };
    let mut backward = Backward { spec, options, recording, longest, fits: longest, give };
    let made = match backward.part(&start, recording.length(), None) {
        // The last resort is one part for the whole run.
        Err(error) if error.is_doubt() => backward.whole(&start, recording.length(), None),
        made => made,
    };
    match made? {
        SegmentStart::Initial(initial) => Ok(initial),
        SegmentStart::State(_) => Err(WitnessError::NotAccepted),
    }
}

impl<R: Recording + ?Sized> Backward<'_, R> {
    /// Runs the exchanges after a checkpoint, into a state if one is given: in one part if they fit, otherwise in several.
    fn part(&mut self, from: &Checkpoint, to: usize, into: Option<&[Value]>) -> Result<SegmentStart, WitnessError> {
        let length = to - from.at;
        if length > self.fits {
            return self.divided(from, to, into, self.fits);
        }
        if length == 1 && self.has_steps(from) {
            return self.whole(from, to, into);
        }
        match self.segment(from, to, into, Patience::Little) {
            Ok(begun) => {
                self.fits = self.fits.max(2 * length).min(self.longest);
                Ok(begun)
            }
            Err(SegmentError::TooMany { after }) => {
                self.fits = (after / 2).max(1).min(length / 2);
                self.divided(from, to, into, self.fits)
            }
            Err(SegmentError::Misfit) => self.divided(from, to, into, length / 2),
            Err(SegmentError::Failed(error)) => Err(error),
        }
    }

    /// Runs the exchanges in several parts, from the last part to the first. A part that cannot end in the state in which the
    /// next part begins is joined with the part before it.
    fn divided(
        &mut self,
        from: &Checkpoint,
        to: usize,
        into: Option<&[Value]>,
        width: usize,
    ) -> Result<SegmentStart, WitnessError> {
        let mut places = self.checkpoints(from, to, width)?;
        let (mut end, mut state, mut failed) = (to, into.map(<[Value]>::to_vec), 0);
        while let Some(place) = places.pop() {
            // The next try is at least twice as long as the failed one, so no exchange is judged again more than a few times.
            if end - place.at < 2 * failed {
                continue;
            }
            let made = match failed {
                0 => self.part(&place, end, state.as_deref()),
                _ => self.whole(&place, end, state.as_deref()),
            };
            match made {
                Ok(SegmentStart::State(found)) => (end, state, failed) = (place.at, Some(found), 0),
                Err(WitnessError::Undecided(Answer::Unsat) | WitnessError::TooMany) => failed = end - place.at,
                // It cannot be told whether the run ends in the given state, and more exchanges would not help.
                other => return other,
            }
        }
        let is_undivided = end == to;
        match failed {
            0 if !is_undivided => self.part(from, end, state.as_deref()),
            _ => self.whole(from, end, state.as_deref()),
        }
    }

    /// Checkpoints between two positions, in order. There is none if a part of the state was not expanded yet, as that part would
    /// have to be known before it is asked for.
    fn checkpoints(&self, from: &Checkpoint, to: usize, longest: usize) -> Result<Vec<Checkpoint>, WitnessError> {
        let mut judge = from.judge.clone();
        let (mut kept, mut at, mut last, mut width) = (Vec::new(), from.at, from.at, longest);
        self.recording.read(from.at, &mut |exchange| {
            at += 1;
            if at >= to || !judge.observe(exchange) {
                return ControlFlow::Break(());
            }
            let values = values(&judge);
            // A part is at least as long as the states at its ends are large, unless that many exchanges do not fit.
            if at - last >= width.max(values.min(longest)) && !has_unknowns(&judge) {
                last = at;
                kept.push(Checkpoint { at, judge: judge.clone() });
                if kept.len() > CHECKPOINTS || kept.len() > FEW && kept.len() * values > limits::KEPT {
                    let mut number = 0;
                    kept.retain(|_| {
                        number += 1;
                        number % 2 == 0
                    });
                    width *= 2;
                }
            }
            ControlFlow::Continue(())
        });
        match judge.candidates() {
            [] if judge.is_cut() => Err(WitnessError::TooMany),
            [] => Err(WitnessError::NotAccepted),
            _ => Ok(kept),
        }
    }

    /// Runs exchanges in one part, however many explanations they have.
    fn whole(&mut self, from: &Checkpoint, to: usize, into: Option<&[Value]>) -> Result<SegmentStart, WitnessError> {
        if to == from.at + 1 && self.has_steps(from) {
            let exchanges = self.exchanges(from.at, to);
            let initially = (from.at == 0).then_some(self.options);
            let made = single::run(self.spec, &from.judge, initially, &exchanges[0], into);
            match made {
                Ok((begun, steps)) => return self.give(begun, Segment { at: from.at, steps }),
                Err(WitnessError::Undecided(_)) => {}
                Err(error) => return Err(error),
            }
        }
        self.segment(from, to, into, Patience::All).map_err(WitnessError::from)
    }

    /// Runs exchanges in one part.
    fn segment(
        &mut self,
        from: &Checkpoint,
        to: usize,
        into: Option<&[Value]>,
        patience: Patience,
    ) -> Result<SegmentStart, SegmentError> {
        let exchanges = self.exchanges(from.at, to);
        let begin = if from.at == 0 { Begin::Initially(self.options) } else { Begin::At(&from.judge) };
        let (begun, steps) = segment::run(self.spec, begin, &exchanges, into, patience)?;
        Ok(self.give(begun, Segment { at: from.at, steps })?)
    }

    /// Tests whether the server may take internal steps, and these can be made one by one.
    fn has_steps(&self, from: &Checkpoint) -> bool {
        !self.spec.program.steps.is_empty() && !has_unknowns(&from.judge)
    }

    /// The exchanges between two positions.
    fn exchanges(&self, from: usize, to: usize) -> Vec<Exchange> {
        let mut exchanges = Vec::with_capacity(to - from);
        self.recording.read(from, &mut |exchange| {
            exchanges.push(exchange.clone());
            if exchanges.len() < to - from { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        exchanges
    }

    /// Hands over a part of the run; `begun` is the state in which the part begins.
    fn give(&mut self, begun: SegmentStart, segment: Segment) -> Result<SegmentStart, WitnessError> {
        match (self.give)(segment) {
            ControlFlow::Continue(()) => Ok(begun),
            ControlFlow::Break(()) => Err(WitnessError::Stopped),
        }
    }
}

fn has_unknowns(judge: &Judge) -> bool {
    judge.candidates().iter().any(|candidate| candidate.process.has_unknowns())
}

/// The approximate number of values in the states of a judge.
fn values(judge: &Judge) -> usize {
    let of = |candidate: &Candidate| candidate.process.memory.iter().map(Value::breadth).sum::<usize>();
    judge.candidates().iter().map(of).sum()
}
