//! One run of a program under exploration, from its beginning to its end.

use super::panics::{self, Caught};
use crate::chooser::Escape;
use crate::{ChoiceError, Choices, Chooser, Coverage, Outcome, Replay, Step, Strategy};

/// The end of a run: it passed, it failed, or it escaped with an error.
pub(crate) enum End {
    Passed,
    Failed(Failed),
    Escaped(ChoiceError),
}

/// The reason why a run failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failed {
    /// The text that is equal for failures that count as one: the place of the panic or the error's text; the panic's message if its place
    /// is unknown.
    pub kind: String,
    pub message: String,
    /// True if the place of the panic is unknown, because the program has set a panic hook of its own.
    placeless: bool,
}

impl Failed {
    /// A failure that a program returned, or that was noted before.
    pub fn new(kind: String, message: String) -> Failed {
        Failed { kind, message, placeless: false }
    }

    fn returned(message: String) -> Failed {
        Failed::new(message.clone(), message)
    }

    fn panicked(caught: Caught) -> Failed {
        match caught.place {
            Some(place) => Failed { message: format!("{place}: {}", caught.message), kind: place, placeless: false },
            None => Failed { placeless: true, ..Failed::returned(caught.message) },
        }
    }
}

/// Runs the program once, with at most `bound` choices.
#[inline]
pub(crate) fn once<R: Outcome>(
    source: &mut dyn Choices,
    bound: usize,
    program: &mut impl FnMut(&mut Chooser) -> R,
) -> End {
    let mut chooser = Chooser::new(source, bound);
    let outcome = panics::caught(|| program(&mut chooser).failure());
    match (outcome, chooser.escaped.take()) {
        (Ok(None), None) => End::Passed,
        (Ok(Some(message)), None) => End::Failed(Failed::returned(message)),
        (Err(caught), None) => panicked(caught),
        (outcome, Some(error)) => escaped(outcome, error, &chooser),
    }
}

/// Runs the program once, with at most `bound` choices. If a panic's place is unknown, repeats the run to learn it, so that two failures do
/// not count as one. A recorded run is the only one of its search, so it is not repeated.
#[inline]
pub(crate) fn placed<S: Strategy, R: Outcome>(
    search: &mut S,
    bound: usize,
    program: &mut impl FnMut(&mut Chooser) -> R,
) -> End {
    let mut end = once(search, bound, program);
    if let End::Failed(failed) = &mut end
        && failed.placeless
        && search.coverage() != Coverage::Recorded
    {
        place(failed, search.run(), bound, program);
    }
    end
}

#[cold]
fn place<R: Outcome>(failed: &mut Failed, run: &[Step], bound: usize, program: &mut impl FnMut(&mut Chooser) -> R) {
    panics::install();
    match once(&mut Replay::new(run.to_vec()), bound, program) {
        End::Failed(again) if !again.placeless => *failed = again,
        End::Failed(_) | End::Passed | End::Escaped(_) => {}
    }
}

/// The end of a run that the chooser ended with `error`: this error, a failure of the program itself, or [`ChoiceError::Swallowed`] if the
/// program went on.
#[cold]
fn escaped(outcome: Result<Option<String>, Caught>, error: ChoiceError, chooser: &Chooser) -> End {
    if error.is_mistake() || error == ChoiceError::Interrupted {
        return End::Escaped(error);
    }
    let returned = matches!(outcome, Ok(None));
    let own = own_failure(outcome, &error, chooser.unwound);
    let asked = chooser.swallowed.or((returned || own.is_some()).then(|| error.label()));
    match (own, asked) {
        // A postponed run is only the beginning of runs, so it does not count as failed.
        (Some(failed), _) if !matches!(error, ChoiceError::Postponed { .. }) => End::Failed(failed),
        (_, Some(label)) => End::Escaped(ChoiceError::Swallowed { label }),
        (_, None) => End::Escaped(error),
    }
}

/// The failure of a program that caught its escape; `None` if it passed the escape on, as a panic or as an error.
fn own_failure(outcome: Result<Option<String>, Caught>, escape: &ChoiceError, unwound: bool) -> Option<Failed> {
    let failed = match outcome {
        Err(caught) if caught.payload.is::<Escape>() => return None,
        Err(caught) => Failed::panicked(caught),
        Ok(message) => Failed::returned(message.filter(|_| unwound)?),
    };
    let passes_on = [escape.to_string(), format!("{escape:?}")].iter().any(|text| failed.message.contains(text));
    (!passes_on).then_some(failed)
}

#[cold]
fn panicked(caught: Caught) -> End {
    if caught.payload.is::<Escape>() {
        // The escape of another chooser: this exploration runs inside of another one.
        std::panic::resume_unwind(caught.payload);
    }
    End::Failed(Failed::panicked(caught))
}
