//! The strategy of a specification's requests: what it draws, and where shrinking ends.

use std::sync::Arc;

use mayhap::Spec;
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestError, TestRng, TestRunner};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::judge::compiled;
use crate::shipped;

fn spec(name: &str) -> Arc<Spec> {
    compiled(&shipped::named(name).text)
}

fn runner() -> TestRunner {
    let config = Config { failure_persistence: None, max_shrink_iters: 100_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(Default::default()))
}

/// The request at which shrinking ends, among those of which this is true.
fn simplest(spec: &Arc<Spec>, fails: impl Fn(&Value) -> bool) -> Value {
    match runner().run(&mayhap::requests::<Value>(spec), |request| {
        proptest::prop_assert!(!fails(&request));
        Ok(())
    }) {
        Err(TestError::Fail(_, request)) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn shrinking_ends_at_the_simplest_request() {
    for shipped in shipped::all() {
        let spec = shipped.compile().unwrap_or_else(|error| panic!("{error}"));
        let (types, request) = (&spec.types, spec.program.request);
        let simplest = mayhap::shrink::simplest_request(types, request);
        let mut tree = mayhap::requests::<Value>(&spec).new_tree(&mut runner()).expect("a request");
        let mut steps = 0;
        while tree.simplify() {
            steps += 1;
            assert!(steps < 1_000, "{}", shipped.name);
        }
        let mut generator = mayhap::generate::Generator::new(&spec, Default::default());
        if generator.allows(&simplest) && generator.keeps_duty(&simplest) {
            let simplest: Value = mayhap::json::to_serde(types, request, &simplest).expect("JSON");
            assert_eq!(tree.current(), simplest, "{}", shipped.name);
        }
    }
}

#[test]
fn values_of_recursive_types_shrink_to_an_end() {
    let text = "enum Tree { Node(Tree, Tree), Leaf(int) } protocol p { request Tree; response int; on q { reply 0; } }";
    let spec = compiled(text);
    let is_node = |request: &Value| request.get("Node").is_some();
    assert_eq!(simplest(&spec, |_| true), json!({"Leaf": 0}));
    assert_eq!(simplest(&spec, is_node), json!({"Node": [{"Leaf": 0}, {"Leaf": 0}]}));
}

#[test]
fn shrinking_keeps_what_the_failure_needs_and_nothing_else() {
    let bank = spec("bank");
    let deposit = |request: &Value| request["Deposit"]["amount"].as_i64().unwrap_or_default();
    assert_eq!(simplest(&bank, |request| deposit(request) > 2), json!({"Deposit": {"account": "", "amount": 3}}));
    let account = |request: &Value| request["Balance"]["account"].as_str().unwrap_or_default().len();
    assert_eq!(simplest(&bank, |request| account(request) > 1), json!({"Balance": {"account": "aa"}}));
    let keys = |request: &Value| request["Del"].as_array().map_or(0, Vec::len);
    assert_eq!(simplest(&spec("redis_strings"), |request| keys(request) > 1), json!({"Del": ["", ""]}));
    let tag = |request: &Value| request["Put"]["if_match"]["weak"].as_bool() == Some(true);
    let put = json!({"Put": {"key": "", "value": "", "if_match": {"weak": true, "opaque": "t1"}}});
    assert_eq!(simplest(&spec("kv_etag"), tag), put);
}

#[test]
fn what_does_not_fail_is_left_as_it_was_shrunk_to() {
    let mut tree = mayhap::requests::<Value>(&spec("bank")).new_tree(&mut runner()).expect("a request");
    let first = tree.current();
    assert!(tree.simplify());
    while tree.current() != first {
        assert!(tree.complicate());
    }
    assert!(!tree.simplify() && !tree.complicate(), "nothing simpler fails");
}

#[test]
fn requests_keep_the_duty_and_fit_the_type_of_the_program() {
    #[derive(Deserialize, Clone, Debug)]
    #[allow(dead_code, reason = "only the amount is looked at")]
    enum Request {
        Open { account: String },
        Deposit { account: String, amount: u8 },
        Transfer { from: String, to: String, amount: i64 },
        Balance { account: String },
    }
    let bank = spec("bank");
    let strategy = vec(mayhap::requests::<Request>(&bank), 200);
    let mut tree = strategy.new_tree(&mut runner()).expect("requests");
    let mut variants = [0; 4];
    for _ in 0..100 {
        for request in tree.current() {
            variants[match request {
                Request::Open { .. } => 0,
                Request::Deposit { .. } => 1,
                Request::Transfer { amount, .. } => {
                    assert!(amount >= 0, "the client's duty");
                    2
                }
                Request::Balance { .. } => 3,
            }] += 1;
        }
        if !tree.simplify() {
            break;
        }
    }
    assert!(variants.iter().all(|count| *count > 0), "{variants:?}");
    let none = mayhap::requests::<u8>(&bank).new_tree(&mut runner()).map(|_| ()).expect_err("no request is a number");
    assert!(none.message().contains("no request fits u8"), "{none}");
}
