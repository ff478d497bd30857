//! Sets of small numbers: the requests under way that have been served, or may have been.
//!
//! `{1, 4}` is the word `10010`. Most are subsets of a few dozen places, so they are kept in two words, or more where needed.

use smallvec::SmallVec;

const WORD: usize = u64::BITS as usize;

/// A set of places. The last word is never empty, so that equal sets are equal.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct PlaceSet(SmallVec<[u64; 2]>);

impl PlaceSet {
    pub(super) fn contains(&self, place: usize) -> bool {
        self.0.get(place / WORD).is_some_and(|word| word >> (place % WORD) & 1 == 1)
    }

    pub(super) fn insert(&mut self, place: usize) {
        if self.0.len() <= place / WORD {
            self.0.resize(place / WORD + 1, 0);
        }
        self.0[place / WORD] |= 1 << (place % WORD);
    }

    pub(super) fn remove(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / WORD) {
            *word &= !(1 << (place % WORD));
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// The places that both have.
    pub(super) fn common(&self, other: &PlaceSet) -> PlaceSet {
        let mut words: SmallVec<[u64; 2]> = self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        PlaceSet(words)
    }

    /// Tests whether another set has all of them.
    pub(super) fn is_within(&self, other: &PlaceSet) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(own, theirs)| own & !theirs == 0)
    }

    /// The places that another one has not.
    pub(super) fn without(&self, other: &PlaceSet) -> PlaceSet {
        let word = |(at, word): (usize, &u64)| word & !other.0.get(at).unwrap_or(&0);
        let mut words: SmallVec<[u64; 2]> = self.0.iter().enumerate().map(word).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        PlaceSet(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_what_was_put_into_it() {
        let mut set = PlaceSet::default();
        [3, 70, 200].into_iter().for_each(|place| set.insert(place));
        set.remove(200);
        assert!(set.contains(3) && set.contains(70) && !set.contains(200) && !set.contains(4));
        let mut same = PlaceSet::default();
        [70, 3].into_iter().for_each(|place| same.insert(place));
        assert_eq!(set, same);
        same.remove(3);
        assert!(same.is_within(&set) && !set.is_within(&same));
        assert_eq!(same.common(&set), same);
        same.remove(70);
        assert!(same == PlaceSet::default() && set.without(&same) == set);
    }
}
