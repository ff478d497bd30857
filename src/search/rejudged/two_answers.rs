//! Judging two answers of a history alone: both can be true if some other requests between them make it possible.
//!
//! ```text
//! any state    8 answered 0: n >= 8    any other requests: n >= 8 still    5 answered 1: never
//! ```
//!
//! The recorded requests between the two are not looked at, so the cost does not depend on the distance.

use super::relaxed::RelaxedOutcome;
use crate::judge::{Candidate, Context, Exchange, Observed};
use crate::limits;
use crate::spec::{Spec, Type};
use crate::term::made;
use crate::value::Value;

/// The rounds in which states are followed by the requests under way: their number may square with each.
const ROUNDS: usize = 4;

/// A judge of two answers.
pub(crate) struct AnswerPairs {
    context: Context,
    /// The candidates that stand for every state.
    any: Vec<Candidate>,
    /// An unknown request of each variant; none if handlers see who asks.
    requests: Vec<Exchange>,
}

impl AnswerPairs {
    /// A judge of pairs that begin in any state; `any` are the candidates that stand for every state.
    pub(crate) fn new(context: &Context, any: Vec<Candidate>) -> AnswerPairs {
        let spec = context.spec();
        let requests = if spec.program.names_clients { Vec::new() } else { any_requests(spec) };
        let exchange = |request: Value| Exchange { line: 1, client: 0, request, observed: Observed::Any };
        let requests = requests.into_iter().map(exchange).collect();
        AnswerPairs { context: context.clone(), any, requests }
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The outcome if one request is served in any state; at most `effort` terms are made.
    pub(crate) fn one(&self, only: &Exchange, effort: u64) -> RelaxedOutcome {
        let mut context = self.within(effort);
        let after = context.after(self.any.clone(), only);
        explained(&context, &after)
    }

    /// The outcome if a request is served in any state, then any others, then the second one. It is undecided if the others might make
    /// the second answer possible, or if `effort` terms do not suffice to exclude that.
    pub(crate) fn in_order(&self, first: &Exchange, second: &Exchange, effort: u64) -> RelaxedOutcome {
        let mut context = self.within(effort);
        let between = context.after(self.any.clone(), first);
        let at_once = context.after(between.clone(), second);
        match explained(&context, &at_once) {
            RelaxedOutcome::Rejected if !self.stays_impossible(context, between, second, effort) => {
                RelaxedOutcome::Undecided
            }
            outcome => outcome,
        }
    }

    /// A context in which at most `effort` terms are made for an exchange.
    fn within(&self, effort: u64) -> Context {
        let mut context = self.context.clone();
        context.follow_at_most(limits::FOLLOWED, effort);
        context
    }

    /// Tests whether nothing explains a request in these states, nor in any to which other requests lead from them.
    ///
    /// `context` made these states, so its next variables are none of theirs. A fault or a limit that an invented request meets counts
    /// in it, so nothing else is asked of it.
    fn stays_impossible(&self, mut context: Context, states: Vec<Candidate>, request: &Exchange, effort: u64) -> bool {
        let last = made().saturating_add(effort);
        let mut new = context.uncovered(states, &[]);
        let mut closed = new.clone();
        for _ in 0..ROUNDS {
            let mut after = Vec::new();
            for any in &self.requests {
                if made() > last {
                    return false;
                }
                after.extend(context.after(new.clone(), any));
            }
            new = context.uncovered(after, &closed);
            if !context.after(new.clone(), request).is_empty() {
                return false;
            }
            if new.is_empty() {
                return !self.requests.is_empty() && context.rejects_the_rest();
            }
            closed.extend(new.iter().cloned());
        }
        false
    }
}

/// The outcome if these candidates are left.
fn explained(context: &Context, left: &[Candidate]) -> RelaxedOutcome {
    if left.iter().any(Candidate::is_clean) {
        return RelaxedOutcome::Explained;
    }
    let is_certain = left.is_empty() && context.rejects_the_rest();
    if is_certain { RelaxedOutcome::Rejected } else { RelaxedOutcome::Undecided }
}

/// An unknown request, with holes; one of each variant if requests are an enum.
fn any_requests(spec: &Spec) -> Vec<Value> {
    let (types, ty) = (&spec.types, spec.program.request);
    let Type::Enum(at) = types.get(ty) else { return vec![Value::Any] };
    let variants = types.enums[*at as usize].variants.iter().zip(0..);
    variants.map(|(variant, tag)| Value::data(tag, vec![Value::Any; variant.fields.len()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::judge::{Judge, Options};
    use crate::search::states::States;

    /// Judges a request and its answer, and another one after it.
    fn judge(text: &str, exchanges: [(&str, &str); 2]) -> RelaxedOutcome {
        let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
        let (states, first) = States::from_any(Judge::of_any_state(&spec, &Options::default()));
        let any = states.frontier(first.expect("there is a state")).to_vec();
        let [first, second] = exchanges.map(|(request, answer)| {
            let read = |ty, text: &str| json::decode_recorded(&spec.types, ty, text).unwrap();
            let request = read(spec.program.request, request);
            let observed = Observed::Answer(read(spec.program.response, answer));
            Exchange { line: 1, client: 0, request, observed }
        });
        AnswerPairs::new(&states.context, any).in_order(&first, &second, u64::MAX)
    }

    #[test]
    fn answers_that_no_request_between_reconciles_contradict_each_other() {
        let rises = include_str!("../../../specs/cmp_set.may");
        assert_eq!(judge(rises, [("8", "0"), ("5", "1")]), RelaxedOutcome::Rejected);
        assert_eq!(judge(rises, [("8", "1"), ("8", "1")]), RelaxedOutcome::Rejected);
        assert_eq!(judge(rises, [("8", "0"), ("9", "1")]), RelaxedOutcome::Explained);
        let ids = include_str!("../../../specs/idgen.may");
        let fresh = |id: &str| format!("{{\"Fresh\": \"{id}\"}}");
        let (a, b) = (fresh("a"), fresh("b"));
        assert_eq!(judge(ids, [("\"New\"", &a), ("\"New\"", &a)]), RelaxedOutcome::Rejected);
        assert_eq!(judge(ids, [("\"New\"", &a), ("\"New\"", &b)]), RelaxedOutcome::Explained);
        let register = include_str!("../../../specs/register.may");
        // Another request may have written in between.
        let write = "{\"Write\": 1}";
        assert_eq!(judge(register, [(write, write), ("\"Read\"", "{\"Read\": 2}")]), RelaxedOutcome::Undecided);
    }

    #[test]
    fn requests_between_choose_for_themselves() {
        let text = "enum Request { Set { to: int }, Draw, Get }
             protocol p {
                 request Request; response int; var n: int = 0;
                 on Draw { n := choose x: int where x < 5; reply 0; }
                 on Set { to } { n := to; reply 0; }
                 on Get { reply n; }
             }";
        // What is set in between is another number than the drawn one.
        assert_eq!(judge(text, [("\"Draw\"", "0"), ("\"Get\"", "7")]), RelaxedOutcome::Undecided);
        assert_eq!(judge(text, [("\"Draw\"", "0"), ("\"Get\"", "4")]), RelaxedOutcome::Explained);
        let without = text.replace("Set { to: int }, ", "").replace("on Set { to } { n := to; reply 0; }", "");
        assert_eq!(judge(&without, [("\"Draw\"", "0"), ("\"Get\"", "7")]), RelaxedOutcome::Rejected);
    }
}
