//! The notes of a section: the variables to which it stored, and rarer facts of its run.
//!
//! For example the notes of `n := 1; m := 2` are two bits of a word: they are small because a fork copies them.

use crate::term::Term;
use crate::value::Value;

/// The touched parts that are noted one by one; beyond them, only the cells are.
const TOUCHED: usize = 64;

/// The variables of the state to which a section stored, as a set of slots.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// The slots below 64, a bit each.
    first: u64,
    /// The other slots.
    more: Vec<u32>,
}

impl Slots {
    /// The numbers of the slots, once each.
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

    /// Tests whether there is no slot.
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

    /// Copies another set into this one, whose memory it reuses.
    pub(super) fn copy_from(&mut self, other: &Slots) {
        self.first = other.first;
        if !(self.more.is_empty() && other.more.is_empty()) {
            self.more.clone_from(&other.more);
        }
    }
}

/// A part of the state that a section has touched: after `reply x in live`, the variable `live` at the value of x. Only variables that
/// the specification's steps touch are noted.
#[derive(Clone, PartialEq, Debug)]
pub struct TouchedPart {
    /// The variable.
    pub slot: u32,
    /// The key or element, which may be symbolic; `None` if the whole variable was touched.
    pub key: Option<Value>,
}

/// The notes that only few sections make.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// The parts of the state that the section touched, in order.
    pub(super) touched: Vec<TouchedPart>,
    /// The conditions on which instructions of this section forked, with their decisions.
    pub(super) decided: Vec<(Term, bool)>,
    /// The number of guesses in this section that an unbounded stretch of a list has another element.
    pub(super) stretched: u32,
    /// Set if the decision that is asked for now is such a guess.
    pub(super) stretches: bool,
    /// The number of unknown nodes that were expanded in this section.
    pub(super) looked: u32,
    /// For unknown parts inside these nodes, by identity, the number of nodes that may still be expanded.
    pub(super) shares: Vec<(u64, u32)>,
}

static NONE: Notes =
    Notes { touched: Vec::new(), decided: Vec::new(), stretched: 0, stretches: false, looked: 0, shares: Vec::new() };

/// Notes that take no memory until something is noted.
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

    /// The notes, to be added to; made if there are none.
    pub(super) fn make(&mut self) -> &mut Notes {
        self.0.get_or_insert_default()
    }

    /// Notes a touched part, once.
    pub(super) fn touch(&mut self, mut touched: TouchedPart) {
        if touched.key == Some(Value::Absent) || self.read().touched.len() >= TOUCHED {
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
