//! Why a trace is rejected, in words: what was possible, and which earlier answers leave nothing else.
//!
//! For compare-and-reset and (5,1), (3,0), (2,1):
//!
//! ```text
//! line 3 answered 1 to 2; only 0 was possible, because
//!   line 2 answered 0 to 3, which means n >= 3
//!     (specs/cmp_rst.may:15: `if q <= n { reply 0; }`)
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{place, shortened};
use crate::choice::counted;
use crate::dualize::{Exchange, Judge, Observed, Options};
use crate::evidence::{self, Allowed, Fact, Learned, Minimality, Reason};
use crate::json::encode;
use crate::spec::{Spec, TypeId};
use crate::validate::{Recording, exchange_at};
use crate::value::Value;

/// Why a trace is rejected.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// In words, line by line.
    pub lines: Vec<String>,
    /// The lines of the trace whose answers leave the rejected one without explanation.
    pub because: Vec<u64>,
    /// Where looking for them was cut off: the line from which on all answers are among them.
    pub and_from: Option<u64>,
    /// The same as positions; [`evidence::check_reason`] judges it again.
    pub reason: Reason,
}

/// Why the last of these exchanges is rejected; nothing where it is not, or no reason was found within the limits.
#[must_use]
pub fn explain<R: Recording + ?Sized>(spec: &Arc<Spec>, recording: &R) -> Option<Explanation> {
    let options = Options::default();
    let last = recording.length().checked_sub(1)?;
    let rejected = exchange_at(recording, last)?;
    let allowed = evidence::allowed(spec, &before(spec, &options, recording, &rejected)?, &rejected);
    let reason = evidence::reason(spec, &options, recording)?;
    let learned = evidence::learned(spec, &options, recording, &reason.because);
    let told = Rejection { spec, rejected: &rejected, allowed: &allowed, reason: &reason, learned: &learned };
    let line_at = |at: usize| exchange_at(recording, at).map(|exchange| exchange.line);
    let because = reason.because.iter().filter_map(|at| line_at(*at)).collect();
    Some(Explanation { lines: told.lines(), because, and_from: reason.and_from.and_then(line_at), reason })
}

/// A judge that has seen all before the rejected exchange; nothing where that is not rejected.
fn before<R>(spec: &Arc<Spec>, options: &Options, recording: &R, rejected: &Exchange) -> Option<Judge>
where
    R: Recording + ?Sized,
{
    let mut judge = Judge::new(spec.clone(), options.clone());
    recording.read(0, &mut |exchange| match exchange.line < rejected.line && judge.observe(exchange) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    (!judge.clone().observe(rejected)).then_some(judge)
}

/// What is known about a rejection.
pub struct Rejection<'e> {
    /// The specification.
    pub spec: &'e Spec,
    /// The rejected exchange.
    pub rejected: &'e Exchange,
    /// What would have been possible instead.
    pub allowed: &'e [Allowed],
    /// The earlier answers that matter.
    pub reason: &'e Reason,
    /// What each of them told.
    pub learned: &'e [Learned],
}

impl Rejection<'_> {
    /// The explanation, line by line.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let because = match (self.learned, self.reason.and_from, self.reason.rejected) {
            ([], None, 0) => "",
            ([], None, _) => " (this answer is wrong whatever was answered before)",
            _ => ", because",
        };
        let rejected = self.answered(self.rejected);
        let mut lines = vec![format!("{rejected}; {}{because}", self.possible())];
        for lesson in self.learned {
            lines.push(format!("  {}{}", self.answered(&lesson.exchange), means(&lesson.news)));
            lines.extend(lesson.sites.iter().map(|site| format!("    {}", place(self.spec, *site))));
        }
        if self.learned.len() < self.reason.because.len() {
            let more = self.reason.because.len() - self.learned.len();
            lines.push(format!("  … and {}", counted(more as u64, "more answer")));
        }
        if let Some(from) = self.reason.and_from {
            lines.push(match self.reason.rejected - from {
                1 => "  the answer right before it leaves nothing else".into(),
                count => format!("  the {count} answers right before it leave nothing else"),
            });
        }
        if self.reason.minimal == Minimality::CutOff {
            lines.push("  (there may be a smaller reason; looking for it was cut off)".into());
        }
        lines
    }

    fn answered(&self, exchange: &Exchange) -> String {
        let Exchange { line, request, observed, .. } = exchange;
        let program = &self.spec.program;
        let request = self.json(program.request, request);
        match observed {
            Observed::Answer(answer) => {
                format!("line {line} answered {} to {request}", self.json(program.response, answer))
            }
            Observed::Any => format!("line {line} answered {request}, nobody knows what"),
            Observed::Nothing => format!("line {line} gave no answer to {request}"),
            Observed::Lost => format!("line {line} lost the answer to {request}"),
        }
    }

    fn json(&self, ty: TypeId, value: &Value) -> String {
        shortened(&encode(&self.spec.types, ty, value))
    }

    fn possible(&self) -> String {
        let listed: Vec<String> = self.allowed.iter().map(allowed).collect();
        match listed.split_last() {
            None => "nothing was possible".into(),
            Some((only, [])) => format!("only {only} was possible"),
            Some((last, others)) => format!("only {} or {last} was possible", others.join(", ")),
        }
    }
}

fn allowed(allowed: &Allowed) -> String {
    match allowed {
        Allowed::Answer { json, where_ } if where_.is_empty() => shortened(json),
        Allowed::Answer { json, where_ } => format!("{} where {}", shortened(json), facts(where_)),
        Allowed::Nothing => "no answer".into(),
        Allowed::More => "others like these".into(),
    }
}

/// What an answer tells, in each state that it leaves possible.
fn means(news: &[Vec<Fact>]) -> String {
    let told: Vec<String> = news.iter().filter(|facts| !facts.is_empty()).map(|news| facts(news)).collect();
    if told.is_empty() { String::new() } else { format!(", which means {}", told.join("; or ")) }
}

fn facts(facts: &[Fact]) -> String {
    facts.iter().map(|fact| shortened(&fact.to_string())).collect::<Vec<_>>().join(" and ")
}
