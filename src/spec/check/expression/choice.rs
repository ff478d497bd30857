//! The constructs in which no choice may stand.
//!
//! In the condition of `choose n: int where n > 0`, in `any` and `all`, in a `fn`, a `const` and the guard of a handler a
//! choice is an error.

use crate::diagnostic::Span;
use crate::spec::check::context::Checker;
use crate::spec::check::report::mistake;

/// The names of constructs in which no choice may stand, as a report gives them.
pub(crate) const ANY: &str = "an `any`";
pub(crate) const ALL: &str = "an `all`";

/// Reports a choice where none may stand.
pub(crate) fn chooses(cx: &mut Checker, span: Span) {
    cx.watched.chooses = true;
    if let Some(place) = cx.choiceless {
        let message = format!("choices are not allowed in {place}");
        let report = mistake(span, message, "expected an expression that does not choose");
        cx.report(report.help(match place {
            ANY | ALL => {
                "choose first, and then use the value: `let x = choose int;`, or `let ys = [choose int for x in xs];`"
            }
            _ => "choices are allowed in handlers, procs, steps, `def`s and initial values",
        }));
    }
}

/// Checks something in which no choice may stand; the outermost such construct is the one that is reported.
pub(crate) fn without_choices<'a>(cx: &mut Checker<'a>, place: &'static str, work: impl FnOnce(&mut Checker<'a>)) {
    let before = cx.choiceless;
    cx.choiceless = before.or(Some(place));
    work(cx);
    cx.choiceless = before;
}
