//! Short strings of a trace, allocated once: a string that was read before is shared, not copied.
//!
//! Keys and states occur again and again. A string of up to 15 octets is looked up by two words that hold its octets, without hashing it or
//! comparing it octet by octet. A place of the table holds the last string that was read for it.
//!
//! ```
//! use mayhap::json::{Forms, Scanner, Spacing};
//! use mayhap::spec::types::{STRING, Types};
//! let types = Types::new();
//! let mut forms = Forms::new(&types, Spacing::Spaced);
//! let mut next = |text| forms.next(&types, STRING, &mut Scanner::new(text));
//! assert_eq!(next("\"a\", \"b\""), next("\"a\""));
//! ```

use std::sync::Arc;

/// The number of places at first, and the largest number of places, which bounds the memory. Both are powers of two.
const FEW: usize = 1 << 6;
const MANY: usize = 1 << 12;

/// Strings that were read before.
///
/// Invariants:
/// 1. There are no places and `mask` is 0, or there are `mask` + 1, a power of two.
/// 2. Each place has the words of its text; at first those of the empty text.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    /// Empty before the first string.
    places: Vec<Interned>,
    /// The mask that takes the index of a place from a mixed word.
    mask: usize,
    /// The number of strings that were made for these places.
    made: usize,
}

/// A string and its octets: eight in each word, zeros past the end.
#[derive(Clone, Default, Debug)]
struct Interned {
    words: [u64; 2],
    text: Arc<str>,
}

impl Interner {
    /// The string with these words, if it is in its place.
    pub(crate) fn get(&self, words: [u64; 2]) -> Option<Arc<str>> {
        self.places.get(self.place(words)).filter(|place| place.words == words).map(|place| place.text.clone())
    }

    /// Allocates the string with these words, and puts it in its place.
    pub(crate) fn learn(&mut self, words: [u64; 2], text: &str) -> Arc<str> {
        if self.made == 2 * self.places.len() && self.made < 2 * MANY {
            self.grow();
        }
        self.made += 1;
        let text: Arc<str> = text.into();
        let place = self.place(words);
        self.places[place] = Interned { words, text: text.clone() };
        text
    }

    /// Starts an empty table with more places. Each place has the empty string, whose words are zeros.
    #[cold]
    fn grow(&mut self) {
        let places = (4 * self.places.len()).max(FEW);
        *self = Interner { places: vec![Interned::default(); places], mask: places - 1, made: 0 };
    }

    fn place(&self, words: [u64; 2]) -> usize {
        let mixed = (words[0] ^ words[1].rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 48) as usize & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was read before and however many places there are, the words that are asked for are those of the string.
    #[test]
    fn a_string_is_the_one_that_its_words_are() {
        let mut known = Interner::default();
        for round in 0..3 {
            for number in 0..4 * MANY as u64 {
                let text = if number == 0 { String::new() } else { format!("{number}") };
                let words = [super::super::words::word(text.as_bytes()), 0];
                let found = known.get(words);
                assert!(found.as_deref().is_none_or(|found| found == text), "{found:?} {text}");
                assert_eq!(&*found.unwrap_or_else(|| known.learn(words, &text)), text, "{round}");
                assert_eq!(known.get(words).as_deref(), Some(text.as_str()));
            }
            assert_eq!(known.places.len(), MANY);
        }
    }
}
