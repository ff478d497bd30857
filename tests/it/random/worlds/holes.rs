//! Parts of a trace made unknown.
//!
//! Example: of `{"q": {"C0": ["t", 1]}, "a": {"A1": [2, true]}}` the answer may become `{"A1": [{"$any": null}, true]}`.

use super::{Feature, Sort, World};
use crate::oracle::{Answer, Json};
use crate::random::Rng;
use crate::random::traces::Trace;
use serde_json::json;
use std::collections::BTreeSet;

/// The trace with some answers, parts of answers and parts of requests made holes.
pub fn punched(rng: &mut Rng, world: &World, trace: &Trace, features: &mut BTreeSet<Feature>) -> Trace {
    let mut trace = trace.clone();
    for (request, answer) in &mut trace {
        if rng.percent(20) {
            features.insert(Feature::RequestHole);
            message(rng, world, request);
        }
        if let Answer::Is(json) = answer
            && rng.percent(40)
        {
            features.insert(Feature::PartialHole);
            message(rng, world, json);
        }
        // A hole that is the whole answer is written the same.
        if rng.percent(15) && *answer != Answer::Nothing || *answer == Answer::Is(hole()) {
            features.insert(Feature::Hole);
            *answer = Answer::Hole;
        }
    }
    trace
}

fn hole() -> Json {
    json!({"$any": null})
}

/// Makes a part of a request or response a hole.
fn message(rng: &mut Rng, world: &World, json: &mut Json) {
    let Json::Object(pairs) = json else { return *json = hole() };
    let (name, content) = pairs.iter_mut().next().expect("a variant");
    let sorts = match world.requests.iter().find(|(variant, _)| variant == name) {
        Some((_, sorts)) => sorts.clone(),
        None => world.responses.iter().filter(|(variant, _)| variant == name).map(|(_, sort)| *sort).collect(),
    };
    match (rng.below(10), sorts.as_slice(), content) {
        (0, ..) => *json = hole(),
        (1, _, content) => *content = hole(),
        (_, [sort], content) => part(rng, *sort, content),
        (_, sorts, Json::Array(items)) => {
            let at = rng.below(items.len());
            part(rng, sorts[at], &mut items[at]);
        }
        (.., content) => *content = hole(),
    }
}

/// Makes the value, or a part of it, a hole; keys and elements of sets stay.
fn part(rng: &mut Rng, sort: Sort, json: &mut Json) {
    match (sort, json) {
        (Sort::Map, Json::Array(pairs)) if !pairs.is_empty() => {
            let at = rng.below(pairs.len());
            punch(rng, &mut pairs[at][1]);
        }
        (Sort::Set, json) => *json = hole(),
        (_, json) => punch(rng, json),
    }
}

/// Makes one node of the JSON a hole; keys of objects stay.
fn punch(rng: &mut Rng, json: &mut Json) {
    let deeper = rng.percent(80);
    match json {
        Json::Array(items) if deeper && !items.is_empty() => {
            let at = rng.below(items.len());
            punch(rng, &mut items[at]);
        }
        Json::Object(pairs) if deeper && !pairs.is_empty() => {
            let at = rng.below(pairs.len());
            punch(rng, pairs.values_mut().nth(at).expect("it is below the length"));
        }
        _ => *json = hole(),
    }
}
