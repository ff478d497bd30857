//! The knowledge about a program from its runs so far: the choices that it asks for after given picks, and the ends of its runs.
//!
//! A program asks for the same choice after the same picks, so edited steps can be read against this knowledge. If they lead to the end of
//! a run that was made already, the program need not run again; many edits lead to the same run.

use super::super::{Choices, Label, Step};
use super::read::Read;
use std::collections::HashMap;

/// The length of the longest runs that are kept; edits of longer ones rarely lead to the same run.
const LONGEST: usize = 256;

/// The event after the picks of a beginning: the program asks for a choice, or the run ends.
#[derive(Clone, Copy)]
enum Next {
    Asks(Label, usize),
    Ends(Fate),
}

/// The fate of a run: whether it fails with the kind of failure that is being shrunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It fails with this kind of failure.
    Fails,
    /// It passes, fails with another kind, or was cut.
    Passes,
}

impl Fate {
    /// The fate of a run with or without the message of this failure.
    pub fn of(message: &Option<String>) -> Fate {
        if message.is_some() { Fate::Fails } else { Fate::Passes }
    }
}

/// The outcome of edited steps.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    /// True if the run of the steps is the best one now.
    pub adopted: bool,
    /// The number of steps of the run; that of the best run if it was cut.
    pub length: usize,
    /// True if the run went on after the length of the best one.
    pub is_longer: bool,
}

impl Attempt {
    fn of(read: &Read<'_>) -> Attempt {
        Attempt { adopted: false, length: read.length(), is_longer: read.is_longer() }
    }
}

/// The runs so far, as a trie. Its nodes are hashes of the picks that lead to them.
///
/// ```text
///   () asks more: 2 ─0─▶ passes
///                   ─1─▶ asks number: 100 ─50─▶ asks more: 2 ─0─▶ fails
/// ```
///
/// The edited steps `1 50` lead to `1 50 0`, which is known to fail, so the program does not run.
#[derive(Default)]
pub(super) struct Known {
    /// Maps the hash of the picks of a beginning to the event after it.
    next: HashMap<u64, Next>,
    /// Maps the hash of edited steps to their outcome, for runs that are longer than [`LONGEST`].
    edits: HashMap<u64, Attempt>,
}

/// The hash of the empty beginning.
const START: u64 = 0x51_7c_c1_b7_27_22_0a_95;

fn mixed(hash: u64, part: usize) -> u64 {
    let mixed = (hash ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// A hash of steps. If two edits have the same hash by accident, one of them is not tried.
fn number(steps: &[Step]) -> u64 {
    let parts = steps.iter().flat_map(|step| [step.label.as_ptr() as usize, step.arity, step.pick]);
    parts.fold(START, mixed)
}

impl Known {
    /// The outcome of edited steps, if it is known; runs are read only as long as they may come before the best one.
    pub fn recall(&self, best: &[Step], steps: &[Step]) -> Option<Attempt> {
        match best.len() {
            0..=LONGEST => self.follow(Read::before(best, steps)).map(|(read, _)| Attempt::of(&read)),
            _ => self.edits.get(&number(steps)).copied(),
        }
    }

    /// The run of edited steps and its fate, if they are known.
    pub fn follow<'s>(&self, mut read: Read<'s>) -> Option<(Read<'s>, Fate)> {
        let mut place = START;
        loop {
            match *self.next.get(&place)? {
                Next::Ends(ended) => return Some((read, ended)),
                Next::Asks(label, arity) => match read.branch(label, arity, None) {
                    Ok(pick) => place = mixed(place, pick),
                    Err(_) => return Some((read, Fate::Passes)),
                },
            }
        }
    }

    /// Notes the outcome of edited steps, as one that is not adopted.
    pub fn note(&mut self, steps: &[Step], read: &Read<'_>, ended: Fate) -> Attempt {
        let attempt = Attempt::of(read);
        if read.made.len() > LONGEST {
            self.edits.insert(number(steps), attempt);
            return attempt;
        }
        let mut place = START;
        for step in &read.made {
            self.next.insert(place, Next::Asks(step.label, step.arity));
            place = mixed(place, step.pick);
        }
        self.next.insert(place, read.cut.map_or(Next::Ends(ended), |(label, arity)| Next::Asks(label, arity)));
        attempt
    }
}
