//! The constructs in which choices are not allowed.
//!
//! A choice is an error in the condition of `choose n: int where n > 0`, in `any` and `all`, in a `fn`, in a `const` and in the guard of a
//! handler.

use crate::diagnostic::Span;
use crate::spec::check::context::Checker;
use crate::spec::check::report::mistake;

/// The names of the quantifiers in reports; no choice may stand in a quantifier.
pub(crate) const ANY: &str = "an `any`";
pub(crate) const ALL: &str = "an `all`";

/// Notes a choice in the present unit, and reports it if it is not allowed there.
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

/// Runs `work` for a construct in which choices are not allowed; reports name the outermost such construct.
pub(crate) fn without_choices<'a>(cx: &mut Checker<'a>, place: &'static str, work: impl FnOnce(&mut Checker<'a>)) {
    let before = cx.choiceless;
    cx.choiceless = before.or(Some(place));
    work(cx);
    cx.choiceless = before;
}
