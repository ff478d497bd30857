//! What the product and the oracle say about a program and a trace, and whether the two contradict each other.
//!
//! Example: `("reject", Some(3))` against `("accept", None)` is a contradiction, `("unknown", None)` never is one.

use super::shrink::shrink;
use super::traces::Trace;
use crate::judge::named;
use crate::oracle::json::write_trace;
use crate::oracle::{self, Domains, Oracle, Outcome};
use mayhap::diagnostic::{Colour, Sources};
use mayhap::evidence::{Rechecked, check_reason, reason, witness, witness_forwards, witness_in_segments};
use mayhap::judge::Options;
use mayhap::reading::Exchanges;
use mayhap::spec::code::ProgramKind;
use mayhap::spec::load::{Text, load};
use mayhap::syntax::ast::File;
use mayhap::{Exchange, Spec, Validator};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What is known about how the domains of the oracle relate to those of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// They are the same: verdicts are equal.
    Exact,
    /// The oracle's are smaller: what it accepts is to be accepted.
    Sound,
}

/// A witness is also made in parts of this number of exchanges.
const SEGMENT: usize = 2;

/// A verdict as the command prints it.
pub type Verdict = (&'static str, Option<usize>);

/// What the product says. Every accepted trace must have a witness that replays, every rejected one a
/// reason that holds.
pub fn judge(spec: &str, trace: &str) -> Option<Result<Verdict, String>> {
    Some(compiled(spec).and_then(|spec| {
        let exchanges = Exchanges::new(&spec, trace.as_bytes()).collect::<Result<Vec<_>, _>>();
        judged_in_every_way(&spec, &exchanges.map_err(|error| error.render("trace"))?)
    }))
}

thread_local! {
    /// The specification that was judged last: many traces come with the same one.
    static LAST: RefCell<Option<(String, Arc<Spec>)>> = const { RefCell::new(None) };
}

fn compiled(text: &str) -> Result<Arc<Spec>, String> {
    LAST.with_borrow_mut(|last| match last {
        Some((known, spec)) if known == text => Ok(spec.clone()),
        _ => {
            let spec = Spec::from_text(text).map_err(|error| error.to_string())?;
            *last = Some((text.to_owned(), spec.clone()));
            Ok(spec)
        }
    })
}

/// The product's verdict on exchanges; its evidence must hold.
pub fn judged(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Result<Verdict, String> {
    let mut validator = Validator::new(spec);
    let observed = exchanges.iter().take_while(|exchange| validator.observe_exchange(exchange)).count();
    let (verdict, event) = named(&validator.verdict());
    match verdict {
        "accept" => match witness(spec, &Options::default(), exchanges) {
            // With all choices kept the solver has more to decide: the verdict stands, and that there is no witness is said.
            Err(error) if error.is_doubt() => return Ok(("unknown", None)),
            found => drop(found.map_err(|error| error.to_string())?),
        },
        "reject" => {
            let (options, exchanges) = (Options::default(), &exchanges[..=observed]);
            let found = match reason(spec, &options, exchanges) {
                // Choices are made at once where reasons are looked for: products and quotients of more unknown integers.
                None if spec.program.kind == ProgramKind::Machine => return Ok(("unknown", None)),
                found => found.ok_or("a rejection without reason")?,
            };
            if check_reason(spec, &options, exchanges, &found) == Rechecked::Fails {
                return Err(format!("{found:?} is no minimal reason"));
            }
        }
        // A limit may have cut off the clean run that explains it.
        _ if validator.judge().is_cut() => return Ok(("unknown", None)),
        _ => {}
    }
    Ok((verdict, event.filter(|_| verdict != "outside").map(|event| event as usize)))
}

/// The verdict, with a witness that is made in parts and forwards, too.
fn judged_in_every_way(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Result<Verdict, String> {
    let verdict = judged(spec, exchanges)?;
    if verdict.0 != "accept" {
        return Ok(verdict);
    }
    let options = Options::default();
    match witness_in_segments(spec, &options, exchanges, SEGMENT, &mut |_| ControlFlow::Continue(())) {
        Err(error) if error.is_doubt() => return Ok(("unknown", None)),
        in_segments => drop(in_segments.map_err(|error| format!("in segments of {SEGMENT}: {error}"))?),
    }
    let mut lines = Vec::new();
    let forwards = witness_forwards(spec, &options, exchanges, 1, &mut |segment| {
        lines.extend(segment.steps.iter().map(|step| step.line));
        ControlFlow::Continue(())
    });
    match forwards {
        Err(error) if !error.is_doubt() => Err(format!("forwards: {error}")),
        Ok(_) if lines.iter().ne(exchanges.iter().map(|exchange| &exchange.line)) => {
            Err(format!("forwards: the lines {lines:?}"))
        }
        _ => Ok(verdict),
    }
}

/// The errors that the checker finds in a text, as they are shown.
pub fn errors(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let text = Text { name: "p.may".to_owned(), text: text.to_owned() };
    let (loaded, mut found) = load(text, &mut |name| Err(format!("there is no {name}")), &mut sources);
    found.extend(loaded.check().1);
    found.iter().filter(|finding| finding.is_error()).map(|f| sources.render(f, Colour::Never)).collect()
}

/// What the oracle says; nothing where there are too many runs.
pub fn expected(file: &File, trace: &Trace, domains: Domains) -> Option<Verdict> {
    shown(&Oracle::new(file, None, domains).brute_force(trace))
}

/// What brute force found, as a verdict; nothing where there were too many runs.
pub fn shown(outcome: &Outcome) -> Option<Verdict> {
    match outcome {
        Outcome::Accept { .. } => Some(("accept", None)),
        Outcome::Reject { event } => Some(("reject", Some(*event))),
        Outcome::Outside { .. } => Some(("outside", None)),
        Outcome::Fault { event } => Some(("fault", Some(*event))),
        Outcome::TooLarge => None,
    }
}

/// Why the two verdicts contradict each other, if they do. Doubt contradicts nothing.
fn contradiction(expected: &Verdict, actual: &Result<Verdict, String>, exactness: Exactness) -> Option<String> {
    let actual = match actual {
        Ok(actual) if actual.0 == "unknown" => return None,
        Ok(actual) => actual,
        Err(error) => return Some(format!("not judged: {error}")),
    };
    let same = match (exactness, expected.0) {
        (Exactness::Exact, "accept" | "outside") | (Exactness::Sound, "accept") => actual.0 == expected.0,
        (Exactness::Exact, _) => actual == expected,
        (Exactness::Sound, "reject") => actual.0 != "reject" || actual.1 >= expected.1,
        (Exactness::Sound, _) => actual.0 != "reject",
    };
    (!same).then(|| format!("the oracle says {expected:?}, the validator {actual:?}"))
}

/// A kind of program that is judged.
pub struct Kind {
    pub name: &'static str,
    pub exactness: Exactness,
    pub domains: fn() -> Domains,
}

/// What went wrong.
enum Disagreement {
    /// The oracle panicked.
    Oracle,
    Verdicts(String),
}

/// How often what was said.
pub type Tally = BTreeMap<String, usize>;

impl Kind {
    /// Judges by both; panics with a small program and trace where they contradict each other.
    pub fn compare<'t>(&self, text: &str, traces: impl IntoIterator<Item = &'t Trace>, tally: &mut Tally) {
        let file = oracle::load(text);
        for trace in traces {
            match self.disagreement(text, &file, trace, tally) {
                Err(Disagreement::Oracle) => panic!("the oracle cannot run\n{text}\n{}", write_trace(trace)),
                Err(Disagreement::Verdicts(reason)) => self.report(text, trace, &reason),
                Ok(()) => (),
            }
        }
    }

    fn disagreement(&self, text: &str, file: &File, trace: &Trace, tally: &mut Tally) -> Result<(), Disagreement> {
        let oracle = catch_unwind(AssertUnwindSafe(|| expected(file, trace, (self.domains)())));
        let Some(expected) = oracle.map_err(|_| Disagreement::Oracle)? else {
            *tally.entry("too large".to_owned()).or_default() += 1;
            return Ok(());
        };
        *tally.entry(expected.0.to_owned()).or_default() += 1;
        let Some(actual) = judge(text, &write_trace(trace)) else {
            *tally.entry("NOT JUDGED BY THE VALIDATOR".to_owned()).or_default() += 1;
            return Ok(());
        };
        if let Ok((verdict, _)) = &actual {
            *tally.entry(format!("{verdict} by the validator")).or_default() += 1;
        }
        contradiction(&expected, &actual, self.exactness).map_or(Ok(()), |reason| Err(Disagreement::Verdicts(reason)))
    }

    /// How both differ, where they do.
    fn still_fails(&self, text: &str, trace: &Trace) -> Option<String> {
        if !errors(text).is_empty() {
            return None;
        }
        let file = catch_unwind(|| oracle::load(text)).ok()?;
        match self.disagreement(text, &file, trace, &mut Tally::new()) {
            Err(Disagreement::Verdicts(reason)) => Some(reason),
            Err(Disagreement::Oracle) | Ok(()) => None,
        }
    }

    fn report(&self, text: &str, trace: &Trace, reason: &str) -> ! {
        // The same is to be wrong, in a program of the same kind.
        let kind = |reason: &str| reason.chars().take_while(|c| !c.is_ascii_digit()).collect::<String>();
        let bounds: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("!0 :=")).collect();
        let (small, short) = shrink(text, trace, |text, trace| {
            let same = self.still_fails(text, trace).is_some_and(|other| kind(&other) == kind(reason));
            same && bounds.iter().all(|bound| text.contains(bound))
        });
        let small_reason = self.still_fails(&small, &short).unwrap_or_default();
        panic!(
            "{}: {reason}\n\n{text}\n{}\nshrunk: {small_reason}\n\n{small}\n{}",
            self.name,
            write_trace(trace),
            write_trace(&short)
        );
    }
}
