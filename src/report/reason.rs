//! Why a trace is rejected, in words: what was possible, and which earlier answers leave nothing else.
//!
//! For compare-and-reset and (5,1), (3,0), (2,1):
//!
//! ```text
//! line 3 answered 1 to 2; only 0 was possible, because
//!   line 2 answered 0 to 3, which means n >= 3
//!     (specs/cmp_rst.may:15: `if q <= n { reply 0; }`)
//! ```

use std::sync::Arc;

use super::{place, shortened};
use crate::dualize::{Exchange, Judge, Observed, Options};
use crate::evidence::{self, Allowed, Fact, Learned, Minimality, Reason};
use crate::json::encode;
use crate::spec::{Spec, TypeId};
use crate::value::Value;

/// Why a trace is rejected.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// In words, line by line.
    pub lines: Vec<String>,
    /// The lines of the trace whose answers leave the rejected one without explanation.
    pub because: Vec<u64>,
    /// The same as positions; [`evidence::check_reason`] judges it again.
    pub reason: Reason,
}

/// Why the last of these exchanges is rejected; nothing where it is not, or no reason was found within the limits.
#[must_use]
pub fn explain(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Option<Explanation> {
    let options = Options::default();
    let (rejected, earlier) = exchanges.split_last()?;
    let mut judge = Judge::new(spec.clone(), options.clone());
    earlier.iter().all(|exchange| judge.observe(exchange));
    if judge.clone().observe(rejected) {
        return None;
    }
    let reason = evidence::reason(spec, &options, exchanges)?;
    let allowed = evidence::allowed(spec, &judge, rejected);
    let learned = evidence::learned(spec, &options, exchanges, &reason.because);
    let told = Rejection { spec, exchanges, allowed: &allowed, reason: &reason, learned: &learned };
    Some(Explanation { lines: told.lines(), because: told.because(), reason })
}

/// What is known about a rejection.
pub struct Rejection<'e> {
    /// The specification.
    pub spec: &'e Spec,
    /// All exchanges up to the rejected one.
    pub exchanges: &'e [Exchange],
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
        let because = match (self.learned, self.reason.rejected) {
            ([], 0) => "",
            ([], _) => " (this answer is wrong whatever was answered before)",
            _ => ", because",
        };
        let rejected = self.answered(self.reason.rejected);
        let mut lines = vec![format!("{rejected}; {}{because}", self.possible())];
        for lesson in self.learned {
            lines.push(format!("  {}{}", self.answered(lesson.at), means(&lesson.news)));
            lines.extend(lesson.sites.iter().map(|site| format!("    {}", place(self.spec, *site))));
        }
        if self.learned.len() < self.reason.because.len() {
            lines.push(format!("  … and {} more answers", self.reason.because.len() - self.learned.len()));
        }
        if self.reason.minimal == Minimality::CutOff {
            lines.push("  (there may be a smaller reason; looking for it was cut off)".into());
        }
        lines
    }

    /// The lines of the trace that the reason consists of.
    #[must_use]
    pub fn because(&self) -> Vec<u64> {
        self.reason.because.iter().map(|at| self.exchanges[*at].line).collect()
    }

    fn answered(&self, at: usize) -> String {
        let Exchange { line, request, observed, .. } = &self.exchanges[at];
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
