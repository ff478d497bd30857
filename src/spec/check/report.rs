//! The form of reports: the text that says what was expected, and suggestions for unknown names.
//!
//! `there is no type `itn`` has the label `expected a type` and the help `did you mean `int`?`.

use crate::diagnostic::{Diagnostic, Span, suggest};

/// An error at a place, with what was expected there.
pub(super) fn mistake(span: Span, message: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
    Diagnostic::error(span, message).label(expected)
}

/// The report with a help, if there is one.
pub(super) fn helped(mut report: Diagnostic, help: Option<impl Into<String>>) -> Diagnostic {
    report.help.extend(help.map(Into::into));
    report
}

/// The report with another place, if there is one.
pub(super) fn noted(report: Diagnostic, place: Option<Span>, text: &str) -> Diagnostic {
    place.into_iter().fold(report, |report, place| report.also(place, text))
}

/// The known name that is nearest to an unknown one, if one is near enough to be meant; the first in the alphabet among equally near ones.
/// A name of one letter is only near to the same letter in the other case.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let short = name.chars().nth(1).is_none();
    let mut known: Vec<&str> = known.filter(|known| !short || known.eq_ignore_ascii_case(name)).collect();
    known.sort_unstable();
    suggest(name, known)
}

/// The help that names the [`nearest`] known name.
pub(super) fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    nearest(name, known).map(|near| format!("did you mean `{near}`?"))
}
