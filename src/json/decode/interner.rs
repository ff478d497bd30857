//! Short strings of a trace, each made once: what was read before is shared, not copied.
//!
//! Keys and states come again and again. A string of up to 15 octets is known by the two words that it is, without hashing
//! its octets or comparing them one by one; which one a place of the table has is the one that was read last.
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

/// The number of strings that are remembered at first; `MANY` is the most. Both are powers of two.
const FEW: usize = 1 << 6;
const MANY: usize = 1 << 12;

/// Strings that were read before.
///
/// Invariants:
/// 1. There are no places and `mask` is 0, or there are `mask` + 1, a power of two.
/// 2. Each place has the words that its text is; at first those of the empty text.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    /// None before the first string.
    places: Vec<Interned>,
    /// The bits of a mixed word that say where its place is.
    mask: usize,
    /// The number of strings that were made for these places.
    made: usize,
}

/// A string, and the octets that it is: those of the first word, those of the second, zeros past the end.
#[derive(Clone, Default, Debug)]
struct Interned {
    words: [u64; 2],
    text: Arc<str>,
}

impl Interner {
    /// The string that is these words, which are of no other string.
    pub(crate) fn get(&self, words: [u64; 2]) -> Option<Arc<str>> {
        self.places.get(self.place(words)).filter(|place| place.words == words).map(|place| place.text.clone())
    }

    /// Makes the string that is these words.
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

    /// Begins anew, with more places. Each has the empty string, which is two words of zeros.
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
