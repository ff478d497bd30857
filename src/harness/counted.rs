//! The answers of a campaign, counted: how often each request was answered in which way, and which answers are refusals.
//!
//! ```text
//! Release   483 sent   482 NotFound (a refusal)   1 Released
//! ```
//!
//! A *refusal* over HTTP is an answer with a status from 400 on. Elsewhere it is an answer of which three things are so. It has no data but
//! names of variants. No handler has changed anything when it gives the answer. One of the handlers that gave it may change
//! something when it answers otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::coverage::{SpecCoverage, SpecReply};
use crate::report::campaign::tested::FEW;
use crate::report::campaign::{AnswerCount, RefusedRequests, RequestCount, SpecPlace};
use crate::scalar::Scalar;
use crate::spec::analysis::pure::RequestFacts;
use crate::spec::{Spec, Type, TypeId};
use crate::value::Value;

use super::waves::{LiveEvent, LiveEventKind};

/// The number of a variant; `None` if the type has none.
type VariantNumber = Option<u32>;

/// The requests of one variant, and their answers.
#[derive(Default)]
struct CountedRequests {
    sent: u64,
    /// The number of answers of each variant, with each status over HTTP.
    answers: BTreeMap<(VariantNumber, Option<u16>), u64>,
}

/// The requests and answers of a campaign so far.
#[derive(Default)]
pub(super) struct CountedAnswers {
    requests: BTreeMap<VariantNumber, CountedRequests>,
}

impl CountedAnswers {
    /// Adds the events of a run.
    pub(super) fn add(&mut self, spec: &Spec, events: &[LiveEvent]) {
        let types = &spec.types;
        let (request, response) = (spec.program.request, spec.program.response);
        let mut asked: BTreeMap<u64, VariantNumber> = BTreeMap::new();
        for event in events {
            match &event.kind {
                LiveEventKind::Sent(template) => {
                    let of = variant(types.get(request), &template.value);
                    asked.insert(event.label, of);
                    self.requests.entry(of).or_default().sent += 1;
                }
                LiveEventKind::Answered(answer) => {
                    let Some(of) = asked.get(&event.label) else { continue };
                    let status = status(spec, *of, answer);
                    let counted = self.requests.entry(*of).or_default();
                    *counted.answers.entry((variant(types.get(response), answer), status)).or_default() += 1;
                }
                LiveEventKind::Lost | LiveEventKind::Closed | LiveEventKind::Left => {}
                LiveEventKind::Restarted | LiveEventKind::Peer(_) => {}
            }
        }
    }

    /// The counts for a report, in the order of the variants of the request: of all variants that a handler may answer.
    pub(super) fn reported(&self, spec: &Arc<Spec>, coverage: &SpecCoverage) -> Vec<RequestCount> {
        let (none, known) = (CountedRequests::default(), KnownAnswers { spec, refusals: self.refusals(spec) });
        let request = |of: VariantNumber| {
            let counted = self.requests.get(&of).unwrap_or(&none);
            let given = coverage.replies(&of.map_or_else(|| Value::from(0), |tag| Value::data(tag, [])), FEW);
            let answers = known.of(of, counted, &given);
            let request = name(spec, spec.program.request, of);
            (counted.sent > 0 || !answers.is_empty()).then_some(RequestCount { request, sent: counted.sent, answers })
        };
        variants(spec, spec.program.request).filter_map(request).collect()
    }

    /// The variants of answers that are refusals, apart from those of HTTP.
    fn refusals(&self, spec: &Arc<Spec>) -> BTreeSet<VariantNumber> {
        let (Type::Enum(asked), Type::Enum(answered)) =
            (spec.types.get(spec.program.request), spec.types.get(spec.program.response))
        else {
            return BTreeSet::new();
        };
        let requests: Vec<Value> =
            (0..spec.types.enums[*asked as usize].variants.len() as u32).map(|tag| Value::data(tag, [])).collect();
        let composed = spec.for_networks();
        let mut facts = RequestFacts::new(&composed.program);
        let mut is_refusal = |tag: u32| {
            let given = Value::data(tag, []);
            let mut gave = self
                .requests
                .iter()
                .filter(|(_, counted)| counted.answers.keys().any(|(of, status)| *of == Some(tag) && status.is_none()));
            let fields = &spec.types.enums[*answered as usize].variants[tag as usize].fields;
            fields.iter().all(|(_, ty)| is_name(spec, *ty))
                && gave.any(|(of, _)| of.is_some_and(|of| !facts.changes_nothing(&requests[of as usize], None)))
                && requests.iter().all(|request| facts.changes_nothing(request, Some(&given)))
        };
        let variants = 0..spec.types.enums[*answered as usize].variants.len() as u32;
        variants.filter(|tag| is_refusal(*tag)).map(Some).collect()
    }
}

/// The facts about all answers.
struct KnownAnswers<'k> {
    spec: &'k Spec,
    refusals: BTreeSet<VariantNumber>,
}

impl KnownAnswers<'_> {
    /// The answers to the requests of one variant: those that came, and those that these statements give and that did not come.
    fn of(&self, request: VariantNumber, counted: &CountedRequests, given: &[SpecReply]) -> Vec<AnswerCount> {
        let spec = self.spec;
        let mut counts = counted.answers.clone();
        for tag in given.iter().map(|reply| reply.variant) {
            let is_named = variant_name(spec, spec.program.response, tag).is_some();
            if is_named && !counts.keys().any(|(of, _)| *of == Some(tag)) {
                counts.insert((Some(tag), status(spec, request, &Value::data(tag, []))), 0);
            }
        }
        counts.into_iter().map(|((of, status), count)| self.answer((of, status), count, given)).collect()
    }

    fn answer(&self, (of, status): (VariantNumber, Option<u16>), count: u64, given: &[SpecReply]) -> AnswerCount {
        let own: Vec<&SpecReply> = given.iter().filter(|reply| of == Some(reply.variant)).collect();
        let places: BTreeSet<SpecPlace> =
            own.iter().map(|reply| SpecPlace { file: reply.file.clone(), line: reply.line as u64 }).collect();
        AnswerCount {
            answer: name(self.spec, self.spec.program.response, of),
            status,
            count,
            refusal: status.map_or(self.refusals.contains(&of), |status| status >= 400),
            places: places.into_iter().collect(),
            in_seldom_branches: !own.is_empty() && own.iter().all(|reply| reply.in_seldom_branches),
        }
    }
}

/// The status of an answer over HTTP.
fn status(spec: &Spec, request: VariantNumber, answer: &Value) -> Option<u16> {
    spec.http.as_deref().and_then(|forms| forms.status(request.unwrap_or(0), answer))
}

/// The refused requests of each variant of which some were refused.
pub(super) fn refused(counts: &[RequestCount]) -> Vec<RefusedRequests> {
    let of = |counted: &RequestCount| {
        let (answered, refused) = (counted.answered(), counted.refused());
        (refused > 0).then(|| RefusedRequests { request: counted.request.clone(), answered, refused })
    };
    counts.iter().filter_map(of).collect()
}

/// Tests whether the values of a type are names of variants: those of an enum without data.
fn is_name(spec: &Spec, ty: TypeId) -> bool {
    let Type::Enum(at) = spec.types.get(ty) else { return false };
    spec.types.enums[*at as usize].variants.iter().all(|variant| variant.fields.is_empty())
}

fn variant(ty: &Type, value: &Value) -> VariantNumber {
    match (ty, value) {
        (Type::Enum(_) | Type::Option(_), Value::Data { tag, .. }) => Some(*tag),
        (Type::Bool, Value::Scalar(Scalar::Bool(holds))) => Some(u32::from(*holds)),
        _ => None,
    }
}

/// The variants of a type; a type that has none counts as one.
fn variants(spec: &Spec, ty: TypeId) -> impl Iterator<Item = VariantNumber> + use<> {
    let tags = (0..).take_while(|tag| variant_name(spec, ty, *tag).is_some()).count() as u32;
    (0..tags).map(Some).chain((tags == 0).then_some(None))
}

/// The name of a variant of a type, or of the type itself.
fn name(spec: &Spec, ty: TypeId, variant: VariantNumber) -> String {
    variant.and_then(|tag| variant_name(spec, ty, tag)).unwrap_or_else(|| spec.types.name(ty))
}

/// The name of a variant of a type; `None` if the type has no such variant.
fn variant_name(spec: &Spec, ty: TypeId, tag: u32) -> Option<String> {
    let at = tag as usize;
    match spec.types.get(ty) {
        Type::Enum(own) => spec.types.enums[*own as usize].variants.get(at).map(|variant| variant.name.clone()),
        Type::Option(_) => ["None", "Some"].get(at).map(|name| (*name).to_owned()),
        Type::Bool => ["false", "true"].get(at).map(|name| (*name).to_owned()),
        _ => None,
    }
}
