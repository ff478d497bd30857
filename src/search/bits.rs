//! Sets of small numbers: the requests under way that have been served, or may have been.
//!
//! `{1, 4}` is the word `10010`. Most sets have places below a few dozen, so they are kept in two words, or more if needed.

use smallvec::SmallVec;

const WORD: usize = u64::BITS as usize;

/// A set of places. The last word is never empty, so that equal sets are equal.
#[derive(PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct PlaceSet(SmallVec<[u64; 2]>);

/// Copies the words at once: searches copy more sets than they look at.
impl Clone for PlaceSet {
    fn clone(&self) -> PlaceSet {
        PlaceSet(SmallVec::from_slice(&self.0))
    }
}

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

    /// The words of several sets side by side; words that a set does not have are 0.
    pub(super) fn words<const SETS: usize>(sets: [&PlaceSet; SETS]) -> impl Iterator<Item = [u64; SETS]> {
        let sets = sets.map(|set| &set.0[..]);
        let length = sets.iter().map(|set| set.len()).max().unwrap_or_default();
        (0..length).map(move |at| sets.map(|set| set.get(at).copied().unwrap_or_default()))
    }

    /// The set whose words are made of those of several sets.
    pub(super) fn of_words<const SETS: usize>(sets: [&PlaceSet; SETS], word: impl Fn([u64; SETS]) -> u64) -> PlaceSet {
        let mut words: SmallVec<[u64; 2]> = PlaceSet::words(sets).map(word).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        PlaceSet(words)
    }

    /// Tests whether the set is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the places of another set.
    pub(super) fn add(&mut self, other: &PlaceSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, more)| *own |= more);
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
        assert_ne!(same, set);
        let words: Vec<[u64; 2]> = PlaceSet::words([&set, &same]).collect();
        assert_eq!(words, [[8, 0], [64, 64]]);
        assert_eq!(PlaceSet::of_words([&set, &same], |[set, same]| set & same), same);
        same.add(&set);
        assert_eq!(same, set);
        same.remove(3);
        same.remove(70);
        assert!(same.is_empty() && PlaceSet::words([&same]).next().is_none());
    }
}
