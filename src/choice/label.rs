//! Labels: names of the places in a program that ask for a choice.
//!
//! A label names a place, not data, so a program has few labels. In Rust a label is a literal. A label that is read (from a token, or from
//! a program in another language) is looked up in a table of all labels read so far, so that it is a `&'static str` as well.
//!
//! ```
//! use mayhap_choice::label;
//! assert_eq!(label(&String::from("coin"))?, "coin");
//! # Ok::<(), mayhap_choice::ChoiceError>(())
//! ```

use super::{BadLabel, ChoiceError};
use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The name of a place that asks for choices.
pub type Label = &'static str;

/// The largest number of bytes of a label; longer texts are data rather than names of places.
const MAX_BYTES: usize = 256;
/// The largest number of different labels that are read, as they stay in memory for the life of the process.
const MAX_LABELS: usize = 1 << 16;

static READ: LazyLock<Mutex<HashSet<Label>>> = LazyLock::new(Mutex::default);

/// The reason why a text is no label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Unfit {
    /// It is empty.
    Empty,
    /// It has too many bytes; this is their number.
    Long(usize),
    /// It has a control character, such as a line break.
    Control,
    /// There are too many labels already.
    Many,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Empty => write!(f, "is empty: a label names the place that chooses"),
            Unfit::Long(bytes) => {
                write!(f, "has {bytes} bytes, more than {MAX_BYTES}: a label is a short name of the place that chooses")
            }
            Unfit::Control => write!(f, "has a control character: a run with it could not be written as a token"),
            Unfit::Many => {
                write!(f, "is one of more than {MAX_LABELS}: a label names a place in the program, not data")
            }
        }
    }
}

/// The label for a text.
///
/// # Errors
/// [`ChoiceError::BadLabel`] if the text is empty, too long or has control characters, or if there are too many labels.
pub fn label(text: &str) -> Result<Label, ChoiceError> {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = read.get(text) {
        return Ok(known);
    }
    fits(text)?;
    if read.len() >= MAX_LABELS {
        return Err(bad(text, Unfit::Many));
    }
    let kept: Label = Box::leak(text.into());
    read.insert(kept);
    Ok(kept)
}

/// Checks that a run with this label can be written as a token and read again.
#[inline]
pub(super) fn fits(text: &str) -> Result<(), ChoiceError> {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte);
    // Nearly all labels are short ASCII texts; a fold without early exit checks many bytes at a time.
    if !text.is_empty() && text.len() <= MAX_BYTES && text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return Ok(());
    }
    checked(text)
}

#[cold]
fn checked(text: &str) -> Result<(), ChoiceError> {
    match text.len() {
        0 => Err(bad(text, Unfit::Empty)),
        bytes if bytes > MAX_BYTES => Err(bad(text, Unfit::Long(bytes))),
        _ if text.contains(char::is_control) => Err(bad(text, Unfit::Control)),
        _ => Ok(()),
    }
}

fn bad(text: &str, unfit: Unfit) -> ChoiceError {
    ChoiceError::BadLabel(Box::new(BadLabel { text: text.to_owned(), unfit }))
}

/// Tests whether two labels are equal; the usual case, that they are the same literal, is tested first.
#[inline]
pub(super) fn same(a: Label, b: Label) -> bool {
    (a.as_ptr() == b.as_ptr() && a.len() == b.len()) || a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_twice_is_kept_once() {
        let first = label("a place").unwrap();
        assert!(std::ptr::eq(first, label(&String::from("a place")).unwrap()));
        assert!(same(first, "a place") && !same(first, "a plac"));
        let long = "long".repeat(100);
        for (text, unfit) in
            [("", Unfit::Empty), ("two\nlines", Unfit::Control), ("a\u{85}", Unfit::Control), (&long, Unfit::Long(400))]
        {
            assert_eq!(label(text), Err(bad(text, unfit)));
        }
    }
}
