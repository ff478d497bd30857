//! Builtins on known strings and octets: `+`, `len`, `contains`, `split`, `to_int` and others. All are total.
//!
//! Lengths and positions count code points of a string and octets of bytes. Arguments of a wrong sort, or of different sorts, give
//! `None`.
//!
//! ```
//! use mayhap::scalar::{text, Int, Scalar};
//! assert_eq!(text::len(&Scalar::str("é😀")), Some(Int::from(2)));
//! assert_eq!(text::to_int("-07"), Some(Int::from(-7)));
//! ```

use super::{Int, Scalar};

/// The concatenation `s + t`.
pub fn concat(s: &Scalar, t: &Scalar) -> Option<Scalar> {
    match (s, t) {
        (Scalar::Str(s), Scalar::Str(t)) => Some(Scalar::Str([&**s, &**t].concat().into())),
        (Scalar::Bytes(s), Scalar::Bytes(t)) => Some(Scalar::Bytes([&**s, &**t].concat().into())),
        _ => None,
    }
}

/// The length `len(s)`: code points of a string, octets of bytes.
pub fn len(s: &Scalar) -> Option<Int> {
    match s {
        Scalar::Str(s) => Some(Int::from(s.chars().count())),
        Scalar::Bytes(s) => Some(Int::from(s.len())),
        _ => None,
    }
}

/// Tests whether t occurs in s: `s.contains(t)`. The empty text always does.
pub fn contains(s: &Scalar, t: &Scalar) -> Option<bool> {
    match (s, t) {
        (Scalar::Str(s), Scalar::Str(t)) => Some(s.contains(&**t)),
        (Scalar::Bytes(s), Scalar::Bytes(t)) => Some(t.is_empty() || find(s, t).is_some()),
        _ => None,
    }
}

/// Tests whether s begins with t: `s.starts_with(t)`.
pub fn starts_with(s: &Scalar, t: &Scalar) -> Option<bool> {
    octets(s, t).map(|(s, t)| s.starts_with(t))
}

/// Tests whether s ends with t: `s.ends_with(t)`.
pub fn ends_with(s: &Scalar, t: &Scalar) -> Option<bool> {
    octets(s, t).map(|(s, t)| s.ends_with(t))
}

/// The pieces `s.split(t)` between the non-overlapping occurrences of t, found from the left; at least one piece. An empty
/// separator splits nothing: `s.split("") = [s]`.
pub fn split(s: &Scalar, t: &Scalar) -> Option<Vec<Scalar>> {
    match (s, t) {
        (Scalar::Str(text), Scalar::Str(by)) if !by.is_empty() => Some(text.split(&**by).map(Scalar::str).collect()),
        (Scalar::Bytes(data), Scalar::Bytes(by)) if !by.is_empty() => Some(split_octets(data, by)),
        (Scalar::Str(_), Scalar::Str(_)) | (Scalar::Bytes(_), Scalar::Bytes(_)) => Some(vec![s.clone()]),
        _ => None,
    }
}

/// The lower case `s.lower()`: A–Z become a–z, everything else stays.
pub fn lower(s: &Scalar) -> Option<Scalar> {
    match s {
        Scalar::Str(s) => Some(Scalar::Str(s.to_ascii_lowercase().into())),
        Scalar::Bytes(s) => Some(Scalar::Bytes(s.to_ascii_lowercase().into())),
        _ => None,
    }
}

/// The number `s.to_int()`: an optional `-`, then at least one decimal digit; no blanks, no `+`. Leading zeros are allowed: `"007"`
/// is 7, and `"-0"` is 0.
pub fn to_int(s: &str) -> Option<Int> {
    Int::parse(s)
}

/// The slice `s[from..to]`, made total: both ends are clamped into `0..=len(s)`, and an end before the start gives the empty text.
/// The caller checks that the ends are in range; if they are not, the specification is faulty.
pub fn slice(s: &Scalar, from: &Int, to: &Int) -> Option<Scalar> {
    let length = len(s)?.to_usize()?;
    let clamp = |at: &Int| if at.signum() < 0 { 0 } else { at.to_usize().map_or(length, |at| at.min(length)) };
    let (from, to) = (clamp(from), clamp(to).max(clamp(from)));
    match s {
        Scalar::Str(s) => Some(Scalar::Str(s.chars().skip(from).take(to - from).collect::<String>().into())),
        Scalar::Bytes(s) => Some(Scalar::Bytes(s[from..to].into())),
        _ => None,
    }
}

/// Both texts as octets: UTF-8 keeps prefixes and suffixes.
fn octets<'a>(s: &'a Scalar, t: &'a Scalar) -> Option<(&'a [u8], &'a [u8])> {
    match (s, t) {
        (Scalar::Str(s), Scalar::Str(t)) => Some((s.as_bytes(), t.as_bytes())),
        (Scalar::Bytes(s), Scalar::Bytes(t)) => Some((s, t)),
        _ => None,
    }
}

/// The first place where the non-empty `t` occurs in `s`.
fn find(s: &[u8], t: &[u8]) -> Option<usize> {
    s.windows(t.len()).position(|window| window == t)
}

fn split_octets(mut rest: &[u8], by: &[u8]) -> Vec<Scalar> {
    let mut pieces = Vec::new();
    while let Some(at) = find(rest, by) {
        pieces.push(Scalar::bytes(&rest[..at]));
        rest = &rest[at + by.len()..];
    }
    pieces.push(Scalar::bytes(rest));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(text: &str) -> Scalar {
        Scalar::str(text)
    }

    fn b(text: &str) -> Scalar {
        Scalar::bytes(text.as_bytes())
    }

    #[test]
    fn strings_and_octets_split_alike() {
        let cases: [(&str, &str, &[&str]); 5] = [
            ("a,b", ",", &["a", "b"]),
            ("", ",", &[""]),
            ("a", "", &["a"]),
            ("aaa", "aa", &["", "a"]),
            (",", ",", &["", ""]),
        ];
        for (text, by, want) in cases {
            assert_eq!(split(&s(text), &s(by)), Some(want.iter().map(|piece| s(piece)).collect()));
            assert_eq!(split(&b(text), &b(by)), Some(want.iter().map(|piece| b(piece)).collect()));
        }
    }

    #[test]
    fn slices_clamp_and_count_code_points() {
        let cut = |from: i64, to: i64| slice(&s("aé😀z"), &Int::from(from), &Int::from(to)).unwrap();
        assert_eq!([cut(1, 3), cut(-5, 1), cut(2, 99), cut(3, 1)], [s("é😀"), s("a"), s("😀z"), s("")]);
        assert_eq!(slice(&b("aé"), &Int::from(1), &Int::from(2)), Some(Scalar::bytes(&[0xc3])));
    }

    #[test]
    fn occurrences() {
        assert_eq!(contains(&s("abc"), &s("")), Some(true));
        assert_eq!(contains(&b(""), &b("")), Some(true));
        assert_eq!((starts_with(&s("ab"), &s("a")), ends_with(&b("ab"), &b("b"))), (Some(true), Some(true)));
        assert_eq!(contains(&s("a"), &b("a")), None);
    }

    #[test]
    fn lower_touches_ascii_only() {
        assert_eq!(lower(&s("ÀBc")), Some(s("Àbc")));
    }
}
