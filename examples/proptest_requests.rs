//! A property test whose requests come from the specification: nobody writes a strategy for requests, and the answers are judged.
//!
//! `cargo run --example proptest_requests` tests a bank, and then one that lets an account be overdrawn. proptest shrinks the
//! failure to a single request. In your own tests [`follows_its_specification`] is the body of a `proptest!` block.

use mayhap::{Options, Session, SessionProgress, Spec};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRng, TestRunner};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The whole test: requests of the specification, a new bank, and a new session, which must explain each answer.
pub fn follows_its_specification(bug: Option<Bug>) -> Result<(), TestError<Vec<Request>>> {
    let spec = Spec::from_text(include_str!("../specs/bank.may")).expect("the specification has no errors");
    let config = Config { failure_persistence: None, ..Config::default() };
    let requests = prop::collection::vec(mayhap::requests::<Request>(&spec), 1..30);
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(Default::default())).run(&requests, |requests| {
        let mut bank = Bank { bug, ..Bank::default() };
        let mut session = Session::tcp(&spec, Options::default());
        for request in &requests {
            let answer = bank.handle(request);
            session.asked(1, request).unwrap();
            let progress = session.answered(1, &answer).unwrap();
            prop_assert_eq!(progress, SessionProgress::Explained, "{:?} answered {:?}", request, answer);
        }
        Ok(())
    })
}

/// The bank under test, with its own types, whose JSON is that of the specification.
#[derive(Default, Debug)]
struct Bank {
    balances: BTreeMap<String, i128>,
    bug: Option<Bug>,
}

/// The bug of a bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A transfer may take more from an account than there is.
    Overdraws,
    /// A transfer from an account to itself adds the amount without taking it.
    MakesMoney,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    Open { account: String },
    Deposit { account: String, amount: i128 },
    Transfer { from: String, to: String, amount: i128 },
    Balance { account: String },
}

#[derive(Debug, Serialize)]
enum Response {
    Done,
    Refused,
    NoAccount,
    Balance(i128),
}

impl Bank {
    fn handle(&mut self, request: &Request) -> Response {
        match request {
            Request::Open { account } if self.balances.contains_key(account) => Response::Refused,
            Request::Open { account } => {
                self.balances.insert(account.clone(), 0);
                Response::Done
            }
            Request::Deposit { account, amount } => match self.balances.get_mut(account) {
                None => Response::NoAccount,
                Some(balance) => {
                    *balance += amount;
                    Response::Done
                }
            },
            Request::Transfer { from, to, amount } => self.transfer(from, to, *amount),
            Request::Balance { account } => {
                self.balances.get(account).map_or(Response::NoAccount, |balance| Response::Balance(*balance))
            }
        }
    }

    fn transfer(&mut self, from: &str, to: &str, amount: i128) -> Response {
        let (Some(sender), Some(receiver)) = (self.balances.get(from).copied(), self.balances.get(to).copied()) else {
            return Response::NoAccount;
        };
        if sender < amount && self.bug != Some(Bug::Overdraws) {
            return Response::Refused;
        }
        self.balances.insert(from.to_owned(), sender - amount);
        let before = if from == to && self.bug != Some(Bug::MakesMoney) { sender - amount } else { receiver };
        self.balances.insert(to.to_owned(), before + amount);
        Response::Done
    }
}

fn main() {
    assert!(follows_its_specification(None).is_ok());
    println!("the bank follows specs/bank.may");
    for bug in [Bug::Overdraws, Bug::MakesMoney] {
        match follows_its_specification(Some(bug)) {
            Err(TestError::Fail(why, requests)) => {
                println!("\n{bug:?} is found: {why}, after");
                requests.iter().for_each(|request| println!("  {request:?}"));
            }
            other => panic!("{bug:?} was not found: {other:?}"),
        }
    }
}
