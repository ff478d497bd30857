//! Random traces: what the oracle's server answers under drawn choices, and the same with one answer changed.
//!
//! Example: `[("R0", "Done"), ({"R1": 2}, {"X1": 0})]`, and with the second answer changed `{"X1": 3}`, a hole, or none.

use super::Rng;
use super::declarations::STRINGS;
use super::protocol::Program;
use crate::oracle::{Answer, Domains, Json, Oracle, State, Stop};
use mayhap::syntax::ast::File;
use serde_json::json;

/// A trace.
pub type Trace = Vec<(Json, Answer)>;

/// Integers among which bounded choices of protocols lie.
pub const INTS: std::ops::RangeInclusive<i64> = -2..=5;

/// The choices of a machine with bounded ones.
pub const CHOICES: std::ops::RangeInclusive<i64> = 0..=4;

/// The domains of a protocol's choices.
pub fn domains() -> Domains {
    Domains::of(INTS, &STRINGS)
}

/// A trace of the program: a run, or what a fault or a breach of duty cut off.
pub fn run(rng: &mut Rng, file: &File, program: &Program, length: usize) -> Trace {
    let oracle = Oracle::new(file, None, domains());
    let request = |rng: &mut Rng| program.declarations.json(rng, &program.request);
    let invented = |rng: &mut Rng| Answer::Is(program.declarations.json(rng, &program.response));
    follow(rng, &oracle, length, request, invented)
}

/// A trace of a protocol whose requests and replies are small integers.
pub fn run_integers(rng: &mut Rng, file: &File, length: usize) -> Trace {
    let oracle = Oracle::new(file, None, domains());
    let small = |rng: &mut Rng| json!(rng.between(-1, 3));
    follow(rng, &oracle, length, small, |rng| Answer::Is(json!(rng.between(-1, 4))))
}

/// A trace of a machine.
pub fn run_machine(rng: &mut Rng, file: &File, choices: std::ops::RangeInclusive<i64>, length: usize) -> Trace {
    let oracle = Oracle::new(file, None, Domains::of(choices, &[]));
    let integer = |rng: &mut Rng| json!(rng.between(-6, 6));
    follow(rng, &oracle, length, integer, |rng| Answer::Is(json!(rng.between(-6, 6))))
}

/// A trace of a protocol whose requests and replies are integers, the server taking steps of its own in between.
pub fn run_with_steps(rng: &mut Rng, file: &File, length: usize, request: impl Fn(&mut Rng) -> Json) -> Trace {
    let oracle = Oracle::new(file, None, domains());
    let invented = |rng: &mut Rng| Answer::Is(json!(rng.between(-1, 4)));
    let Some(mut state) = start(rng, &oracle) else { return vec![(request(rng), invented(rng))] };
    let mut trace = Trace::new();
    while trace.len() < length {
        while rng.percent(40) {
            state = oracle.draw_step(&state, &mut |n| rng.below(n)).map_or(state, |(after, _)| after);
        }
        let q = request(rng);
        match drawn(rng, &oracle, &state, &q) {
            Ok((after, answer)) => {
                state = after;
                trace.push((q, answer));
            }
            Err(_) => trace.push((q, invented(rng))),
        }
    }
    trace
}

/// A run under drawn choices, the server taking steps of its own in between where it has any.
pub fn follow(
    rng: &mut Rng,
    oracle: &Oracle<'_>,
    length: usize,
    request: impl Fn(&mut Rng) -> Json,
    invented: impl Fn(&mut Rng) -> Answer,
) -> Trace {
    let Some(mut state) = start(rng, oracle) else { return vec![(request(rng), invented(rng))] };
    let mut trace = Trace::new();
    while trace.len() < length {
        while oracle.has_steps() && rng.percent(40) {
            state = oracle.draw_step(&state, &mut |n| rng.below(n)).map_or(state, |(after, _)| after);
        }
        let q = request(rng);
        match drawn(rng, oracle, &state, &q) {
            Ok((after, answer)) if rng.percent(5) => {
                state = if rng.percent(50) { after } else { state };
                trace.push((q, if answer == Answer::Nothing { answer } else { Answer::Lost }));
            }
            Ok((after, answer)) => {
                state = after;
                trace.push((q, answer));
            }
            Err(Stop::Pruned) if rng.percent(80) => (),
            Err(_) => {
                trace.push((q, invented(rng)));
                if rng.percent(50) {
                    return trace;
                }
            }
        }
    }
    trace
}

fn start(rng: &mut Rng, oracle: &Oracle<'_>) -> Option<State> {
    (0..10).find_map(|_| oracle.draw_initial(&mut |n| rng.below(n)).ok()).map(|(state, _)| state)
}

/// One exchange; a few more draws where the first are no runs.
pub fn drawn(rng: &mut Rng, oracle: &Oracle<'_>, state: &State, request: &Json) -> Result<(State, Answer), Stop> {
    let mut last = Stop::Pruned;
    for _ in 0..5 {
        match oracle.draw_exchange(state, request, &mut |n| rng.below(n)) {
            Ok((after, Some(reply))) => return Ok((after, Answer::Is(oracle.encode(&reply, oracle.response())))),
            Ok((after, None)) => return Ok((after, Answer::Nothing)),
            Err(stop) => last = stop,
        }
    }
    Err(last)
}

/// The trace with one answer changed.
pub fn altered(rng: &mut Rng, trace: &Trace, invented: impl Fn(&mut Rng) -> Json) -> Trace {
    let mut trace = trace.clone();
    let at = rng.below(trace.len());
    trace[at].1 = match (rng.below(10), &trace[at].1) {
        (0, _) => Answer::Hole,
        (1, _) => Answer::Nothing,
        (2, _) => Answer::Lost,
        (3..=6, Answer::Is(answer)) => Answer::Is(tweaked(rng, answer)),
        _ => Answer::Is(invented(rng)),
    };
    trace
}

/// Whether no two elements, nor what two pairs begin with, are the same.
fn is_distinct(items: &[Json]) -> bool {
    let key = |item: &Json| item.as_array().and_then(|pair| pair.first()).unwrap_or(item).clone();
    let keys: Vec<Json> = items.iter().map(key).collect();
    (1..keys.len()).all(|at| !keys[..at].contains(&keys[at]))
}

/// The same JSON with one integer or truth value in it changed, where there is one.
fn tweaked(rng: &mut Rng, json: &Json) -> Json {
    match json {
        Json::Bool(b) => json!(!b),
        Json::Number(n) => n.as_i64().map_or(json.clone(), |n| json!(n + rng.between(-1, 2))),
        Json::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            let at = rng.below(items.len());
            items[at] = tweaked(rng, &items[at]);
            // Of what may be a set or a map no element or key stands twice.
            if is_distinct(&items) { Json::Array(items) } else { json.clone() }
        }
        Json::Object(pairs) => pairs.iter().map(|(k, v)| (k.clone(), tweaked(rng, v))).collect(),
        _ => json.clone(),
    }
}
