//! The notes that a section makes on its way: the variables that it stored to, and what few sections have to note.
//!
//! A copy of a path copies its notes, so they are small: `n := 1; m := 2` is two bits of a word.

use super::instructions::lookup::{HowFound, WaitingLookup};
use crate::term::Term;
use crate::value::Value;

/// The variables of the state that a section stored to.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// The first 64, a bit each.
    first: u64,
    /// The others.
    more: Vec<u32>,
}

impl Slots {
    /// Their numbers, once each.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let mut bits = self.first;
        let first = std::iter::from_fn(move || {
            let at = bits.trailing_zeros();
            (bits != 0).then(|| {
                bits &= bits - 1;
                at
            })
        });
        first.chain(self.more.iter().copied())
    }

    /// Tests whether it stored to none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.is_empty()
    }

    pub(super) fn insert(&mut self, slot: u32) {
        match 1u64.checked_shl(slot) {
            Some(bit) => self.first |= bit,
            None if self.more.contains(&slot) => {}
            None => self.more.push(slot),
        }
    }

    pub(super) fn clear(&mut self) {
        self.first = 0;
        self.more.clear();
    }

    /// Makes it a copy of another one, if it already is.
    pub(super) fn copy_from(&mut self, other: &Slots) {
        self.first = other.first;
        if !(self.more.is_empty() && other.more.is_empty()) {
            self.more.clone_from(&other.more);
        }
    }
}

/// A part of the state that a section has touched, of the variables that the specification's steps touch. After `reply x in live`
/// that is `live` at the value of x.
#[derive(Clone, PartialEq, Debug)]
pub struct TouchedPart {
    /// The variable.
    pub slot: u32,
    /// The key or element, which may be symbolic; `None` is the variable as a whole.
    pub key: Option<Value>,
}

/// The most parts of a variable that are noted; beyond them it counts as touched as a whole.
const PARTS: usize = 64;

/// Notes that few sections make.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// The parts that it touched, in order.
    pub(super) touched: Vec<TouchedPart>,
    /// Conditions on which instructions of this section forked.
    pub(super) decided: Vec<(Term, bool)>,
    /// The number of guesses in this section that a stretch of a list goes on, without anything that bounds it.
    pub(super) stretched: u32,
    /// Set if such a guess is asked for now.
    pub(super) stretches: bool,
    /// The number of unknown nodes that were looked at in this section.
    pub(super) looked: u32,
    /// The number of nodes inside of those that may still be.
    pub(super) shares: Vec<(u64, u32)>,
    /// The way in which the lookup is made at which it stands, if that was asked.
    pub(super) how_found: Option<HowFound>,
    /// The lookups that wait.
    pub(super) lookups: Vec<WaitingLookup>,
}

static NONE: Notes = Notes {
    touched: Vec::new(),
    decided: Vec::new(),
    stretched: 0,
    stretches: false,
    looked: 0,
    shares: Vec::new(),
    how_found: None,
    lookups: Vec::new(),
};

/// Notes that are made when something is noted.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseNotes(Option<Box<Notes>>);

impl SparseNotes {
    pub(super) fn clear(&mut self) {
        self.0 = None;
    }

    /// The notes so far.
    pub(super) fn read(&self) -> &Notes {
        self.0.as_deref().unwrap_or(&NONE)
    }

    /// Notes to be added to, made if there are none.
    pub(super) fn make(&mut self) -> &mut Notes {
        self.0.get_or_insert_default()
    }

    /// Notes what is touched, once.
    pub(super) fn touch(&mut self, mut touched: TouchedPart) {
        if touched.key == Some(Value::Absent) || self.read().touched.len() >= PARTS {
            touched.key = None;
        }
        if !self.read().touched.contains(&touched) {
            self.make().touched.push(touched);
        }
    }

    /// Tests whether nothing was noted.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn slots_are_told_once_each() {
        let mut slots = Slots::default();
        [70, 3, 63, 64, 3, 70, 0].into_iter().for_each(|slot| slots.insert(slot));
        assert_eq!(slots.iter().collect::<Vec<_>>(), [0, 3, 63, 70, 64]);
        assert!(!slots.is_empty());
        slots.clear();
        assert!(slots.is_empty() && slots.iter().next().is_none());
    }
}
