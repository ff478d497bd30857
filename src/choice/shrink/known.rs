//! The knowledge of the program from the runs that were made: what it asks after which picks, and where it ends.
//!
//! A program asks for the same after the same picks, so edited steps can be read against what is known of it. If that
//! leads to the end of a run that was made already, the program need not run again: many edits come to the same run.

use super::super::{Choices, Label, Step};
use super::read::Read;
use std::collections::HashMap;

/// Longer runs are not kept: edits of them hardly ever come to the same run.
const LONGEST: usize = 256;

/// The next thing after the picks of a run's beginning: the program asks for a choice, or the run ends.
#[derive(Clone, Copy)]
enum Next {
    Asks(Label, usize),
    Ends(Fate),
}

/// The fate of a run, as far as it matters here: it fails in the way that is looked for, or not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It fails, in the way that is looked for.
    Fails,
    /// It does not, or it was cut.
    Passes,
}

impl Fate {
    /// A run fails if it has a message.
    pub fn of(message: &Option<String>) -> Fate {
        if message.is_some() { Fate::Fails } else { Fate::Passes }
    }
}

/// The outcome of edited steps.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    /// True if the run that the steps led to is the best one now.
    pub adopted: bool,
    /// The number of steps that the run had; that of the best one if it was cut.
    pub length: usize,
    /// True if the run went on after as many steps as the best one has.
    pub is_longer: bool,
}

impl Attempt {
    fn of(read: &Read<'_>) -> Attempt {
        Attempt { adopted: false, length: read.length(), is_longer: read.is_longer() }
    }
}

/// Runs that were made: a trie, whose nodes are numbers of the picks that lead to them.
///
/// ```text
///   () asks more: 2 ─0─▶ passes
///                   ─1─▶ asks number: 100 ─50─▶ asks more: 2 ─0─▶ fails
/// ```
///
/// Edited steps `1 50` come to `1 50 0`, which is known to fail: nothing need run.
#[derive(Default)]
pub(super) struct Known {
    /// Maps the picks of a run's beginning, as a number, to what comes next.
    next: HashMap<u64, Next>,
    /// Maps edited steps, as a number, to what became of them, if the run is longer than [`LONGEST`].
    edits: HashMap<u64, Attempt>,
}

/// The number of the place where a run begins.
const START: u64 = 0x51_7c_c1_b7_27_22_0a_95;

fn mixed(hash: u64, part: usize) -> u64 {
    let mixed = (hash ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// Steps as a number. Two that have the same number by accident cost an edit that is not tried.
fn number(steps: &[Step]) -> u64 {
    let parts = steps.iter().flat_map(|step| [step.label.as_ptr() as usize, step.arity, step.pick]);
    parts.fold(START, mixed)
}

impl Known {
    /// The outcome of edited steps, if it is known; only a run before the best one is wanted.
    pub fn recall(&self, best: &[Step], steps: &[Step]) -> Option<Attempt> {
        match best.len() {
            0..=LONGEST => self.follow(Read::before(best, steps)).map(|(read, _)| Attempt::of(&read)),
            _ => self.edits.get(&number(steps)).copied(),
        }
    }

    /// The run that edited steps lead to, and how it ends, if that is known.
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

    /// Notes what became of edited steps: not adopted, if they come again.
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
