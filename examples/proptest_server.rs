//! A property test of your own server: its answers must be allowed by the specification, whatever it is asked.
//!
//! `cargo run --example proptest_server` tests a key-value store with entity tags, and then one with a bug, which proptest
//! shrinks to a few requests. In your own tests [`follows_its_specification`] is the body of a `proptest!` block.

use mayhap::{Spec, Validator};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use serde::Serialize;
use std::collections::HashMap;

/// The whole test: a new server and a new validator, which observes each request and answer, and must accept in the end.
pub fn follows_its_specification(bug: Option<Bug>) -> Result<(), TestError<Vec<Request>>> {
    let spec = Spec::from_text(include_str!("../specs/kv_etag.may")).expect("the specification has no errors");
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, prop::test_runner::TestRng::deterministic_rng(Default::default())).run(
        &prop::collection::vec(request(), 1..30),
        |requests| {
            let mut server = Server { bug, ..Server::default() };
            let mut validator = Validator::new(&spec);
            for request in &requests {
                let answer = server.handle(request);
                prop_assert!(validator.observe(request, &answer).unwrap(), "{request:?} answered {answer:?}");
            }
            prop_assert!(validator.verdict().is_accept());
            Ok(())
        },
    )
}

/// Requests with few keys and tags, so that these repeat.
fn request() -> impl Strategy<Value = Request> {
    let key = || prop::sample::select(vec!["a", "b"]);
    let tag = || prop::option::of((any::<bool>(), 1..4u32).prop_map(|(weak, opaque)| Tag { weak, opaque }));
    prop_oneof![
        (key(), tag()).prop_map(|(key, if_none_match)| Request::Get { key, if_none_match }),
        (key(), "[a-z]", tag()).prop_map(|(key, value, if_match)| Request::Put { key, value, if_match }),
    ]
}

/// The server under test, with its own types, whose JSON is that of the specification.
#[derive(Default, Debug)]
struct Server {
    stored: HashMap<&'static str, (String, Tag)>,
    tags: u32,
    bug: Option<Bug>,
}

/// The bug of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// If-Match accepts a weak tag.
    WeakIfMatch,
    /// A refused Put is still carried out.
    RefusedPutIsDone,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Tag {
    weak: bool,
    opaque: u32,
}

#[derive(Clone, Debug, Serialize)]
pub enum Request {
    Get { key: &'static str, if_none_match: Option<Tag> },
    Put { key: &'static str, value: String, if_match: Option<Tag> },
}

#[derive(Debug, Serialize)]
enum Response {
    Ok { value: String, tag: Option<Tag> },
    NotModified,
    NotFound,
    PreconditionFailed,
    NoContent,
}

impl Server {
    fn handle(&mut self, request: &Request) -> Response {
        match request {
            Request::Get { key, if_none_match } => match self.stored.get(key) {
                None => Response::NotFound,
                Some((_, tag)) if if_none_match.is_some_and(|t| t.opaque == tag.opaque) => Response::NotModified,
                Some((value, tag)) => Response::Ok { value: value.clone(), tag: Some(*tag) },
            },
            Request::Put { key, value, if_match } => {
                let refused = if_match.is_some_and(|tag| !self.matches(key, tag));
                if !refused || self.bug == Some(Bug::RefusedPutIsDone) {
                    self.tags += 1;
                    self.stored.insert(key, (value.clone(), Tag { weak: false, opaque: self.tags }));
                }
                if refused { Response::PreconditionFailed } else { Response::NoContent }
            }
        }
    }

    fn matches(&self, key: &str, asked: Tag) -> bool {
        let weakness = self.bug == Some(Bug::WeakIfMatch) || !asked.weak;
        weakness && self.stored.get(key).is_some_and(|(_, tag)| tag.opaque == asked.opaque)
    }
}

fn main() {
    assert!(follows_its_specification(None).is_ok());
    println!("the server follows specs/kv_etag.may");
    for bug in [Bug::WeakIfMatch, Bug::RefusedPutIsDone] {
        match follows_its_specification(Some(bug)) {
            Err(TestError::Fail(why, requests)) => {
                println!("\n{bug:?} is found: {why}, after");
                requests.iter().for_each(|request| println!("  {request:?}"));
            }
            other => panic!("{bug:?} was not found: {other:?}"),
        }
    }
}
