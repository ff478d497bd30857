//! A hand-written state machine test (proptest-state-machine), and a test by specification, of one server of CMP-SET in this
//! process.
//!
//! `cargo run --release` in this directory, or `make bench`, runs it. In the hand-written test the model is a number, and the
//! expected answer is computed from it, as nothing is hidden in CMP-SET. mayhap gets `specs/cmp_set.may`. Both tests get the same
//! requests, which proptest draws. The time of drawing is printed apart.

use mayhap::{Spec, Validator};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};
use std::time::{Duration, Instant};

/// The number of requests in a test, and the number of tests.
const LENGTH: usize = 1_000;
const TESTS: usize = 200;

/// A server of CMP-SET, as somebody might write it: if `q <= n` it answers 0; otherwise n becomes q, and it answers 1.
#[derive(Clone, Default, Debug)]
struct Server {
    n: i64,
}

impl Server {
    fn handle(&mut self, query: i64) -> i64 {
        if query <= self.n {
            return 0;
        }
        self.n = query;
        1
    }
}

/// The hand-written model.
struct Model;

impl ReferenceStateMachine for Model {
    type State = i64;
    type Transition = i64;

    fn init_state() -> BoxedStrategy<i64> {
        Just(0).boxed()
    }

    fn transitions(_: &i64) -> BoxedStrategy<i64> {
        (0i64..100_000).boxed()
    }

    fn apply(n: i64, query: &i64) -> i64 {
        n.max(*query)
    }
}

/// The hand-written test: the answer is 1 if and only if the request is larger than all before.
struct ByHand {
    server: Server,
    before: i64,
}

impl StateMachineTest for ByHand {
    type SystemUnderTest = ByHand;
    type Reference = Model;

    fn init_test(state: &i64) -> ByHand {
        ByHand { server: Server::default(), before: *state }
    }

    fn apply(mut test: ByHand, state: &i64, query: i64) -> ByHand {
        assert_eq!(test.server.handle(query), i64::from(query > test.before));
        test.before = *state;
        test
    }
}

/// The test by specification.
fn by_specification(spec: &std::sync::Arc<Spec>, queries: &[i64]) {
    let (mut server, mut validator) = (Server::default(), Validator::new(spec));
    for query in queries {
        let answer = server.handle(*query);
        assert!(validator.observe(query, &answer).expect("integers"));
    }
}

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/cmp_set.may");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut runner = TestRunner::deterministic();
    let strategy = Model::sequential_strategy(LENGTH);
    let [mut drawing, mut by_hand, mut specified] = [Duration::ZERO; 3];
    for _ in 0..TESTS {
        let started = Instant::now();
        let tree = strategy.new_tree(&mut runner).expect("a strategy without filters");
        drawing += started.elapsed();
        let (state, queries, seen) = tree.current();
        let started = Instant::now();
        by_specification(&spec, &queries);
        specified += started.elapsed();
        let started = Instant::now();
        ByHand::test_sequential(Config::default(), state, queries, seen);
        by_hand += started.elapsed();
    }
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / (TESTS * LENGTH) as f64;
    let [drawing, by_hand, specified] = [drawing, by_hand, specified].map(micros);
    println!("| CMP-SET in process, {TESTS} tests of {LENGTH} requests | µs a request |\n|---|---|");
    println!("| proptest draws the requests | {drawing:.3} |");
    println!("| proptest-state-machine, model by hand: applied and checked | {by_hand:.3} |");
    println!("| mayhap, `specs/cmp_set.may`: applied and judged | {specified:.3} |");
    println!("| ratio, without and with drawing | {:.1}, {:.2} |", specified / by_hand, (drawing + specified) / (drawing + by_hand));
}
