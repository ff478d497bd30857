//! The explanation, in words, of why a trace is rejected: the possible answers, and the earlier answers that rule out the
//! rejected one.
//!
//! For compare-and-reset and (5,1), (3,0), (2,1):
//!
//! ```text
//! line 3 answered 1 to 2; only 0 was possible, because
//!   line 2 answered 0 to 3, which means n >= 3
//!     (specs/cmp_rst.may:15: `if q <= n { reply 0; }`)
//! ```

use std::sync::Arc;

use super::{SHOWN, difference, no_short_reason, one_of, place, shortened};
use crate::choice::counted;
use crate::evidence::{
    self, Budget, Contribution, Fact, Learned, Minimality, Possibility, Reason, StateClaim, WhyRejected,
};
use crate::json::encode;
use crate::judge::{Exchange, Observed, Options};
use crate::reading::{Recording, exchange_at};
use crate::spec::{Site, Spec, TypeId};
use crate::trace::Places;
use crate::value::Value;

/// The explanation of a rejection.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The explanation in words, line by line.
    pub lines: Vec<String>,
    /// The lines of the trace whose answers rule out the rejected one.
    pub because: Vec<u64>,
    /// The lines whose requests set the state that matters, whatever their answers.
    pub requests: Vec<u64>,
    /// The line before which all answers belong to `because`, if the search for them was cut off.
    pub and_before: Option<u64>,
    /// The rejected answer, as JSON.
    pub answer: Option<String>,
    /// The answers that were possible instead, as JSON, as far as they are known in full.
    pub possible: Vec<String>,
    /// The statements of the specification that the explanation names.
    pub sites: Vec<Site>,
    /// The reason, with positions of exchanges instead of lines, so that [`evidence::check_reason`] can judge it again.
    pub reason: Reason,
}

/// Explains why the last of these exchanges is rejected, within a second of work; `None` if it is not rejected.
#[must_use]
pub fn explain<R: Recording + ?Sized>(spec: &Arc<Spec>, recording: &R) -> Option<Explanation> {
    explain_within(spec, recording, Budget::seconds(1.0))
}

/// Explains why the last of these exchanges is rejected, within a budget; `None` if it is not rejected.
#[must_use]
pub fn explain_within<R>(spec: &Arc<Spec>, recording: &R, budget: Budget<'_>) -> Option<Explanation>
where
    R: Recording + ?Sized,
{
    explain_named(spec, recording, &Places::default(), budget)
}

/// Explains as [`explain_within`] does, with the names of the events.
#[must_use]
pub fn explain_named<R>(spec: &Arc<Spec>, recording: &R, places: &Places, budget: Budget<'_>) -> Option<Explanation>
where
    R: Recording + ?Sized,
{
    let why = evidence::why(spec, &Options::default(), recording, budget)?;
    let line_at = |at: usize| exchange_at(recording, at).map(|exchange| exchange.line);
    let because = why.reason.because.iter().filter_map(|at| line_at(*at)).collect();
    let mut requests: Vec<u64> = why.reason.causes.iter().filter_map(|cause| line_at(cause.at)).collect();
    requests.extend(why.first.as_ref().map(|first| first.line));
    requests.sort_unstable();
    let and_before = why.reason.and_before.and_then(line_at);
    let any_state_before = why.reason.from.and_then(line_at);
    let all_from = why.reason.all_from.and_then(line_at);
    let lines =
        Rejection { spec, why: &why, places, requests: &requests, and_before, any_state_before, all_from }.lines();
    let possible = why.allowed.iter().filter_map(|allowed| allowed.in_full(spec)).collect();
    let mut sites: Vec<Site> = why.lessons.iter().flat_map(|lesson| lesson.sites.iter().copied()).collect();
    sites.sort_unstable();
    sites.dedup();
    let answer = why.rejected.observed.answer().map(|answer| encode(&spec.types, spec.program.response, answer));
    Some(Explanation { lines, because, requests, and_before, answer, possible, sites, reason: why.reason })
}

/// A rejection, to be put into words.
struct Rejection<'e> {
    spec: &'e Spec,
    why: &'e WhyRejected,
    /// The names of the events.
    places: &'e Places,
    /// The lines whose requests matter, whatever their answers.
    requests: &'e [u64],
    /// The line before which all answers matter.
    and_before: Option<u64>,
    /// The line before which the state may have been any.
    any_state_before: Option<u64>,
    /// The line from which on all answers matter.
    all_from: Option<u64>,
}

impl Rejection<'_> {
    /// The explanation, line by line.
    fn lines(&self) -> Vec<String> {
        let mut lines = self.reason();
        lines.extend(self.difference().map(|said| format!("  {said}")));
        lines
    }

    /// The requests that matter although nothing can be said of what they did, in words: `after line 3, `.
    fn after_requests(&self) -> String {
        let places: Vec<String> = self.requests.iter().map(|line| self.places.at(*line)).collect();
        if places.is_empty() { String::new() } else { format!("after {}, ", places.join(" and ")) }
    }

    /// The difference between a long answer and the possible ones, in words.
    fn difference(&self) -> Option<String> {
        let answer = self.why.rejected.observed.answer()?;
        let in_full = self.why.allowed.iter().filter_map(|allowed| allowed.in_full(self.spec));
        difference::of(self.spec, answer, &in_full.collect::<Vec<String>>())
    }

    /// The possible answers, and the exchanges that rule out the rejected one, in words.
    fn reason(&self) -> Vec<String> {
        let WhyRejected { rejected, reason, first, lessons, omitted, .. } = self.why;
        let because = match (&lessons[..], self.and_before, reason.rejected) {
            ([], None, 0) => "",
            ([], None, _) => &format!(" (this answer is wrong {}whatever was answered before)", self.after_requests()),
            ([], Some(_), _) => "",
            _ => ", because",
        };
        let because = match self.any_state_before {
            Some(line) => &format!(", because, whatever the state was before {},", self.places.at(line)),
            _ => because,
        };
        let mut lines = vec![format!("{}; {}{because}", self.answered(rejected), self.possible())];
        if let (Some(line), []) = (self.and_before, &lessons[..]) {
            lines.push(format!("  {}", no_short_reason(self.places, line)));
            return lines;
        }
        if let Some(line) = self.and_before {
            let before = self.places.at(line);
            lines.push(format!("  the answers before {before} leave nothing else, together with these:"));
        }
        lines.extend(first.as_ref().map(|first| format!("  {}", self.asked(first))));
        if *omitted > 0 {
            lines.push(format!("  … and {} before these", counted(*omitted as u64, "line")));
        } else if reason.more_causes {
            lines.push("  … and perhaps requests before these".into());
        }
        for lesson in lessons {
            lines.push(format!("  {}", self.lesson(lesson)));
            let mut places: Vec<String> = lesson.sites.iter().map(|site| place(self.spec, *site)).collect();
            places.dedup();
            lines.extend(places.into_iter().map(|place| format!("    {place}")));
        }
        if let Some(from) = self.all_from {
            let all = self.places.between(from, rejected.line.saturating_sub(1));
            lines.push(format!("  all answers in {all} (not reduced further)"));
        } else if reason.minimal == Minimality::CutOff {
            lines.push(
                "  (perhaps not minimal: a smaller reason was neither found nor ruled out within the limits)".into(),
            );
        }
        lines
    }

    /// The contribution of an exchange, or of the initial state, to the rejection, in words.
    fn lesson(&self, Contribution { exchange, said, sites: _ }: &Contribution) -> String {
        match (said, exchange) {
            (StateClaim::Answer(news), Some(exchange)) => format!("{}{}", self.answered(exchange), means(news)),
            (StateClaim::Request(changes), Some(exchange)) => {
                format!("{}, which {}", self.asked(exchange), changes.join(" and "))
            }
            (StateClaim::Initially(said), _) => said.clone(),
            (StateClaim::Answer(_) | StateClaim::Request(_), None) => String::new(),
        }
    }

    fn asked(&self, exchange: &Exchange) -> String {
        let place = self.places.at(exchange.line);
        if exchange.is_restart() {
            return format!("{place} restarted the server");
        }
        format!("{place} asked {}", self.json(self.spec.program.request, &exchange.request))
    }

    fn answered(&self, exchange: &Exchange) -> String {
        let Exchange { line, request, observed, .. } = exchange;
        let (program, place) = (&self.spec.program, self.places.at(*line));
        let request = || self.json(program.request, request);
        match observed {
            Observed::Answer(answer) => {
                format!("{place} answered {} to {}", self.json(program.response, answer), request())
            }
            Observed::Any => self.asked(exchange),
            Observed::Nothing => format!("{place} gave no answer to {}", request()),
            Observed::Lost => format!("{place} lost the answer to {}", request()),
            Observed::Restarted => self.asked(exchange),
        }
    }

    fn json(&self, ty: TypeId, value: &Value) -> String {
        shortened(&encode(&self.spec.types, ty, value), SHOWN)
    }

    fn possible(&self) -> String {
        if self.why.allowed == [Possibility::More] {
            return "the possible answers were not found within the limits".into();
        }
        let is_all = !self.why.allowed.contains(&Possibility::More);
        let known = self.why.allowed.iter().filter(|possible| **possible != Possibility::More);
        let listed: Vec<String> = known.map(allowed).collect();
        let open = if listed.iter().any(|answer| has_open_part(answer)) { OPEN_PART } else { "" };
        match one_of(&listed) {
            None => "nothing was possible".into(),
            Some(listed) if is_all => format!("only {listed} was possible{open}"),
            Some(listed) => format!("{listed} was possible{open}, for example"),
        }
    }
}

/// The remark on `..` in a possible answer.
const OPEN_PART: &str = " (`..` stands for elements that are not listed)";

/// Tests whether an answer has `..`, for parts that are not listed, outside of quotes.
fn has_open_part(answer: &str) -> bool {
    let (mut is_quoted, mut is_escaped, mut dots) = (false, false, 0);
    for c in answer.chars() {
        dots = if c == '.' && !is_quoted { dots + 1 } else { 0 };
        if dots == 2 {
            return true;
        }
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    false
}

/// The answers of a kind, in words.
pub(super) fn allowed(allowed: &Possibility) -> String {
    match allowed {
        Possibility::Answer { json, where_ } if where_.is_empty() => shortened(json, SHOWN),
        Possibility::Answer { json, where_ } => format!("{} where {}", shortened(json, SHOWN), facts(where_)),
        Possibility::Nothing => "no answer".into(),
        Possibility::More => "others like these".into(),
    }
}

/// The conclusion from an answer, in words.
fn means(news: &Learned) -> String {
    match news {
        Learned::None => String::new(),
        Learned::All(each) => {
            let each: Vec<String> = each.iter().map(|news| facts(news)).collect();
            format!(", which means {}", each.join("; or "))
        }
        Learned::OneOf(count, example) => {
            format!(", which leaves one of {count} possibilities, for example {}", facts(example))
        }
    }
}

/// The most facts that are listed; further ones are only counted.
const FACTS: usize = 6;

fn facts(facts: &[Fact]) -> String {
    let say = |fact: &Fact| {
        let text = shortened(&fact.to_string(), SHOWN);
        if fact.is_disjunction() && facts.len() > 1 { format!("({text})") } else { text }
    };
    let mut said: Vec<String> = facts.iter().take(FACTS).map(say).collect();
    if facts.len() > FACTS {
        said.push(counted((facts.len() - FACTS) as u64, "more condition"));
    }
    said.join(" and ")
}
