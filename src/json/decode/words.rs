//! Octets of a text, eight at a time: a word is loaded, compared and searched without a loop.
//!
//! `["a` is the word 0x61225b; a [`Piece`] of a text is compared as up to three words. The end of a text reads as zeros, which count as
//! special octets and so occur nowhere inside a JSON string.
//!
//! ```
//! use mayhap::json::Scanner;
//! assert_eq!(Scanner::new(r#""gone through in words", 5"#).string()?, "gone through in words");
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// The last octets of a text, for loading a word at a position with fewer than eight octets left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastWord(u64);

impl LastWord {
    /// The last eight octets of `text`, preceded by zeros if it has fewer.
    pub(crate) fn of(text: &[u8]) -> LastWord {
        LastWord(
            text.last_chunk()
                .map_or_else(|| few(text).unbounded_shl(64 - 8 * text.len() as u32), |last| u64::from_le_bytes(*last)),
        )
    }

    /// The next eight octets of `rest`, an end of the text; the first octet is the lowest, zeros are past the end.
    pub(crate) fn word(self, rest: &[u8]) -> u64 {
        match rest.first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => self.0.unbounded_shr(64 - 8 * rest.len() as u32),
        }
    }
}

/// The first eight octets as a word; the first octet is the lowest, zeros are past the end.
pub(crate) fn word(octets: &[u8]) -> u64 {
    match octets.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => few(octets),
    }
}

#[cold]
fn few(octets: &[u8]) -> u64 {
    octets.iter().rev().fold(0, |word, octet| word << 8 | u64::from(*octet))
}

/// The number of octets before the first special one inside a string: a quote, a backslash, a control character or the end.
pub(crate) fn plain(octets: &[u8]) -> usize {
    let mut rest = octets;
    loop {
        let found = special(word(rest));
        if found != 0 {
            return octets.len() - rest.len() + found.trailing_zeros() as usize / 8;
        }
        rest = rest.get(8..).unwrap_or_default();
    }
}

/// Returns a word whose lowest set bit is in the first special octet (quote, backslash or control character); zero if no octet is special.
/// (The subtraction borrows from higher octets only, so the bits after the first one mean nothing.)
pub(crate) fn special(word: u64) -> u64 {
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let is = |octet: u8| below(word ^ (ONES * u64::from(octet)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\')
}

/// The number of digits that a word begins with, times eight: their number of bits.
pub(crate) fn digits(word: u64) -> u32 {
    let digits = word ^ (ONES * u64::from(b'0'));
    // Adding 0x76 makes the first octet that is no digit reach 0x80. (A carry into the next octet can only come from such an octet.)
    let other = (digits.wrapping_add(ONES * 0x76) | digits) & HIGH;
    other.trailing_zeros() & !7
}

/// The number whose digits are the lowest `bits` bits of a word: at least one digit, at most eight.
pub(crate) fn number(word: u64, bits: u32) -> u64 {
    // The digits become the last of eight digits; neighbours are combined, then pairs, then the halves.
    let ones = (word ^ (ONES * u64::from(b'0'))) << ((64 - bits) & 63);
    let pairs = ones.wrapping_mul(10).wrapping_add(ones >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// A text without zero octets, to compare with the next octets of another text.
#[derive(Debug)]
pub(crate) struct Piece {
    text: Box<[u8]>,
    /// The first eight octets, zeros past the end.
    first: u64,
    /// The mask for the octets of `first` that belong to the text.
    mask: u64,
    /// The eight octets after the first eight, or the last eight if there are fewer; unused for up to eight octets.
    second: u64,
    /// The last eight octets; unused for up to sixteen octets.
    last: u64,
}

impl Piece {
    pub(crate) fn new(text: &str) -> Piece {
        let octets = text.as_bytes();
        let length = octets.len();
        let mask = u64::MAX.unbounded_shr(64 - 8 * length.min(8) as u32);
        let second = word(&octets[length.saturating_sub(8).min(8)..]);
        Piece {
            text: octets.into(),
            first: word(octets),
            mask,
            second,
            last: word(&octets[length.saturating_sub(8)..]),
        }
    }

    pub(crate) fn octets(&self) -> &[u8] {
        &self.text
    }

    /// The octets after this text, if `octets` begin with it; `tail` holds the end of `octets`.
    pub(crate) fn rest_after<'a>(&self, octets: &'a [u8], tail: LastWord) -> Option<&'a [u8]> {
        let length = self.text.len();
        if (tail.word(octets) ^ self.first) & self.mask != 0 {
            return None;
        }
        let left = octets.get(length..)?;
        let is_next = match length {
            0..=8 => true,
            9..=16 => word(&octets[length - 8..]) == self.second,
            17..=24 => word(&octets[8..]) == self.second && word(&octets[length - 8..]) == self.last,
            _ => octets.starts_with(&self.text),
        };
        is_next.then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first special octet is found in words of eight octets as it is octet by octet.
    #[test]
    fn special_octets_are_found_wherever_they_stand() {
        let is_special = |b: &u8| *b == b'"' || *b == b'\\' || *b < 0x20;
        for special in 0..=255 {
            for length in 0..20 {
                for at in 0..=length {
                    let text: Vec<u8> = (0..length).map(|i| if i == at { special } else { b'x' }).collect();
                    assert_eq!(plain(&text), text.iter().position(is_special).unwrap_or(length), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_in_words() {
        for length in 0..=8 {
            for text in ["00000000", "99999999", "12345678", "80901020"].map(|text| &text[..length]) {
                let same = |word: u64| {
                    assert_eq!(digits(word), 8 * length as u32, "{text} {word:x}");
                    assert!(
                        length == 0 || number(word, 8 * length as u32) == text.parse::<u64>().unwrap(),
                        "{text} {word:x}"
                    );
                };
                same(word(text.as_bytes()));
                for after in (0..=255).filter(|octet: &u8| !octet.is_ascii_digit()) {
                    same(word(&[text.as_bytes(), &[after, b'7', 255, 0, b'1', 0x8a, b'3', b'3', b'3']].concat()));
                }
            }
        }
    }

    #[test]
    fn words_at_the_end_of_a_text() {
        let octets: Vec<u8> = (1..30).collect();
        for length in 0..octets.len() {
            let text = &octets[..length];
            (0..=length)
                .for_each(|at| assert_eq!(LastWord::of(text).word(&text[at..]), word(&text[at..]), "{length} {at}"));
        }
    }

    /// Tests pieces of every length before every rest: equal, cut off, and with each octet changed.
    #[test]
    fn pieces_are_compared_as_they_stand() {
        let long: String = ('A'..='Z').chain('a'..='z').collect();
        for length in 0..40 {
            let piece = Piece::new(&long[..length]);
            for rest in (0..20).map(|rest| &long[length..length + rest.min(long.len() - length)]) {
                let octets = [piece.octets(), rest.as_bytes()].concat();
                assert_eq!(piece.rest_after(&octets, LastWord::of(&octets)), Some(rest.as_bytes()), "{length} {rest}");
                for at in 0..length {
                    let mut other = octets.clone();
                    other[at] ^= 1 << (at % 8);
                    assert_eq!(piece.rest_after(&other, LastWord::of(&other)), None, "{length} {rest} {at}");
                }
            }
            for cut_off in (0..length).map(|end| &long.as_bytes()[..end]) {
                assert_eq!(piece.rest_after(cut_off, LastWord::of(cut_off)), None, "{length} {cut_off:?}");
            }
        }
    }
}
