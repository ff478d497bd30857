//! Names of the places in a program that ask for a choice.
//!
//! A label names a place, not data: a program has few of them. In Rust it is a literal; one that is read (from a token,
//! from a program in another language) is looked up in a table of all labels read so far, so that it is one as well.
//!
//! ```
//! use mayhap::choice::label;
//! assert_eq!(label(&String::from("coin"))?, "coin");
//! # Ok::<(), mayhap::choice::ChoiceError>(())
//! ```

use super::ChoiceError;
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The name of a place that asks for choices.
pub type Label = &'static str;

/// The longest label that is read, in bytes.
const MAX_BYTES: usize = 256;
/// The number of different labels that are read: they are kept for as long as the process lives.
const MAX_LABELS: usize = 1 << 16;

static READ: LazyLock<Mutex<HashSet<Label>>> = LazyLock::new(Mutex::default);

/// The label that a text is.
///
/// # Errors
/// [`ChoiceError::BadLabel`] where it is empty, too long or has control characters, or there are too many others.
pub fn label(text: &str) -> Result<Label, ChoiceError> {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = read.get(text) {
        return Ok(known);
    }
    let bad = text.is_empty() || text.len() > MAX_BYTES || text.contains(char::is_control);
    if bad || read.len() >= MAX_LABELS {
        return Err(ChoiceError::BadLabel);
    }
    let kept: Label = Box::leak(text.into());
    read.insert(kept);
    Ok(kept)
}

/// Whether two labels are the same; that they are the same literal is the usual case and decided first.
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
        for bad in ["", "two\nlines", &"long".repeat(100)] {
            assert_eq!(label(bad), Err(ChoiceError::BadLabel));
        }
    }
}
