//! Explanations that multiply with every exchange: the work on one exchange has an end, and a trace that it cuts off is never
//! rejected.
//!
//! In [`SPLITS`] each `Go` doubles the states that explain the trace. With little effort allowed, some of them are followed
//! only: what these explain is accepted, what they do not is unknown.

use crate::alone::alone;
use crate::hidden::workloads::simulated;
use mayhap::dualize::Options;
use mayhap::scalar::Sort;
use mayhap::server::Ranges;
use mayhap::term::{Term, Var, made};
use mayhap::validate::Exchanges;
use mayhap::{Spec, Validator, Verdict};

/// What is asked of an unknown tree doubles with each of its nodes.
const DOUBLES: &str = "
enum Tree { Nil, Cons(Tree) }
fn twice(t: Tree): int = match t { Nil => 0, Cons(a) => twice(a) + twice(a) };
protocol doubles {
    request int; response int;
    var t: Tree = choose;
    on q { reply twice(t); }
}";

const SPLITS: &str = "
enum Request { Go, Show }
enum Response { Done, Shown(int, int) }
protocol splits {
    request Request; response Response;
    var a: int = 0;
    var b: int = 0;
    on Go {
        either { a := a * 3 + 1; b := b + 1; } or { a := a + 1; b := b * 3 + 1; }
        reply Done;
    }
    on Show { reply Shown(a, b); }
}";

/// The load of a shard is a sum of conditions on hidden places, of which each request asks.
const SHARDS: &str = "
enum Request { Add(int), Full(int) }
enum Response { Ok, Refused, Load(int) }
protocol shards {
    request Request; response Response;
    var place: map<int, int> = choose;
    var load: list<int> = [0, 0, 0, 0];
    on Add(k) {
        assume place.contains(k) && place[k] >= 0 && place[k] < 4;
        let s = place[k];
        if load[s] >= 20 {
            load := [x / 2 for x in load];
            reply Refused;
        }
        load := [if i == s { load[i] + 1 } else { load[i] } for i in 0..4];
        reply Ok;
    }
    on Full(k) {
        assume place.contains(k) && place[k] >= 0 && place[k] < 4;
        reply Load(load[place[k]]);
    }
}";

const LATE: &str = "
enum Request { Write(int), TryWrite(int), Read }
enum Response { Ok, Maybe, Value(int) }
protocol late {
    request Request; response Response;
    var value: int = 0;
    var late: list<int> = [];
    on Write(v) { settle(); value := v; reply Ok; }
    on TryWrite(v) { settle(); late := late + [v]; reply Maybe; }
    on Read { settle(); reply Value(value); }
    proc settle() {
        either {} or {
            let v = pick late;
            late := [x for x in late if x != v];
            value := v;
        }
    }
}";

/// `Go` so many times, then what is shown.
fn judged(steps: usize, shown: (i64, i64), effort: u64) -> Verdict {
    let mut trace = "{\"q\":\"Go\",\"a\":\"Done\"}\n".repeat(steps);
    trace += &format!("{{\"q\":\"Show\",\"a\":{{\"Shown\":[{},{}]}}}}\n", shown.0, shown.1);
    verdict(SPLITS, &trace, effort)
}

fn verdict(spec: &str, trace: &str, effort: u64) -> Verdict {
    let spec = Spec::from_text(spec).expect("a specification");
    let mut validator = Validator::with_options(&spec, Options { effort, merge_ways: false, ..Options::default() });
    for exchange in Exchanges::new(&spec, trace.as_bytes()) {
        validator.observe_exchange(&exchange.expect("an exchange"));
    }
    validator.verdict()
}

#[test]
fn what_is_cut_off_is_not_rejected() {
    let whole = Options::default().effort;
    assert!(matches!(judged(10, (-1, -1), whole), Verdict::Reject { .. }));
    let Verdict::Unknown { doubt: unknown, .. } = judged(10, (-1, -1), 1_000) else {
        panic!("most explanations were not followed")
    };
    let why = unknown.to_string();
    assert!(why.contains("more work than the limit of effort"), "{why}");
}

#[test]
fn what_a_followed_one_explains_is_accepted() {
    // The first way each time is (3a + 1, b + 1).
    let first = (0..10).fold((0i64, 0i64), |(a, b), _| (a * 3 + 1, b + 1));
    assert!(judged(10, first, Options::default().effort).is_accept());
    assert!(judged(10, first, 1_000).is_accept());
}

#[test]
fn little_effort_is_enough_where_explanations_stay_few() {
    assert!(matches!(judged(3, (-1, -1), 1_000), Verdict::Reject { .. }));
}

#[test]
fn a_single_path_ends_too() {
    let trace = "{\"q\":1,\"a\":1}\n";
    assert!(matches!(verdict(DOUBLES, trace, 20_000), Verdict::Unknown { .. }), "nothing else is proven");
}

#[test]
fn what_a_thread_did_before_does_not_count() {
    let effort = 10_000;
    for id in 0..=effort {
        let _ = Term::var(Var { id, sort: Sort::Int }).add(&Term::int(1));
    }
    assert!(mayhap::term::made() > effort, "{}", mayhap::term::made());
    assert!(matches!(judged(3, (-1, -1), effort), Verdict::Reject { .. }));
}

#[test]
fn what_follows_a_cut_is_bounded() {
    let spec = Spec::from_text(SPLITS).expect("a specification");
    let mut validator =
        Validator::with_options(&spec, Options { effort: 20_000, merge_ways: false, ..Options::default() });
    let go = "{\"q\":\"Go\",\"a\":\"Done\"}\n".repeat(3_000);
    for exchange in Exchanges::new(&spec, go.as_bytes()) {
        validator.observe_exchange(&exchange.expect("an exchange"));
    }
    // Few are followed to the end; going on with all that were kept would fork six times as often.
    let forks = validator.counts().forks;
    assert!((3_000..200_000).contains(&forks), "{forks}");
}

/// Writes that take effect later, or never: the explanations are too many soon, and those that are followed stay few.
#[test]
fn what_few_explanations_explain_to_the_end_is_accepted() {
    let spec = Spec::from_text(LATE).expect("a specification");
    let mut validator = Validator::with_options(&spec, Options { effort: 10_000, ..Options::default() });
    let ranges = Ranges { request: Some((0, 10)), choose: None };
    for exchange in simulated(&spec, ranges, 300, 1) {
        validator.observe_exchange(&exchange);
    }
    assert!(validator.judge().is_cut(), "the limit was not reached");
    assert!(validator.verdict().is_accept(), "{:?}", validator.verdict());
}

/// What is measured is the memory of the process, which other tests would take, too, and leave to it.
#[test]
fn memory_for_explanations_is_limited() {
    alone("effort::memory_for_explanations_is_limited", || {
        let spec = Spec::from_text(SPLITS).expect("a specification");
        let options = Options { memory: 1 << 20, effort: u64::MAX, ..Options::default() };
        let mut validator = Validator::with_options(&spec, options);
        let go = "{\"q\":\"Go\",\"a\":\"Done\"}\n".repeat(16);
        for exchange in Exchanges::new(&spec, go.as_bytes()) {
            validator.observe_exchange(&exchange.expect("an exchange"));
        }
        validator.observe(&"Show", &serde_json::json!({"Shown": [-1, -1]})).expect("an exchange");
        let Verdict::Unknown { doubt, .. } = validator.verdict() else { panic!("{:?}", validator.verdict()) };
        assert!(doubt.to_string().contains("more than 1 MiB of memory"), "{doubt}");
    });
}

#[test]
fn a_question_about_large_terms_ends() {
    let effort = 20_000;
    let spec = Spec::from_text(SHARDS).expect("a specification");
    let mut validator = Validator::with_options(&spec, Options { effort, merge_ways: false, ..Options::default() });
    for exchange in simulated(&spec, Ranges { request: Some((0, 6)), choose: Some((0, 6)) }, 150, 1) {
        let before = made();
        validator.observe_exchange(&exchange);
        assert!(made() - before < 4 * effort, "{}", made() - before);
    }
}
