//! One run of a program under exploration, from its beginning to whatever ends it.

use super::chooser::Escape;
use super::quiet::{self, Caught};
use super::{ChoiceError, Choices, Chooser, Outcome};

/// How a run ended.
pub(super) enum End {
    Passed,
    Failed(Failed),
    Escaped(ChoiceError),
}

/// Why a run failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failed {
    /// What failures have in common that are one: the place of the panic, or the error's text.
    pub kind: String,
    pub message: String,
}

/// Runs the program once, with at most `bound` choices.
#[inline]
pub(super) fn once<R: Outcome>(
    source: &mut dyn Choices,
    bound: usize,
    program: &mut impl FnMut(&mut Chooser) -> R,
) -> End {
    let mut chooser = Chooser::new(source, bound);
    let outcome = quiet::caught(|| program(&mut chooser).failure());
    match (outcome, chooser.escaped) {
        (Ok(None), None) => End::Passed,
        (Ok(Some(message)), None) => End::Failed(Failed { kind: message.clone(), message }),
        (Err(caught), None) => panicked(caught),
        (outcome, Some(error)) => escaped(matches!(outcome, Ok(None)), chooser.swallowed, error),
    }
}

#[cold]
fn escaped(returned: bool, asked: Option<super::Label>, error: ChoiceError) -> End {
    let label = asked.or(returned.then(|| error.label()));
    match label {
        Some(label) if !error.is_mistake() => End::Escaped(ChoiceError::Swallowed { label }),
        _ => End::Escaped(error),
    }
}

#[cold]
fn panicked(caught: Caught) -> End {
    if caught.payload.is::<Escape>() {
        // Another chooser's escape, of an exploration around this one.
        std::panic::resume_unwind(caught.payload);
    }
    let (kind, said) = caught.panic.unwrap_or_else(|| (String::new(), "unwound without a panic".into()));
    let message = if kind.is_empty() { said } else { format!("{kind}: {said}") };
    End::Failed(Failed { kind: if kind.is_empty() { message.clone() } else { kind }, message })
}
