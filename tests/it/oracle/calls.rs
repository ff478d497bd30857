//! Calls of peers: those that a task waits for, and those that nobody waits for any more.
//!
//! Of `call any 1 of p(k) for k in [1, 2], 0` the first answer ends the waiting; the other peer may still see its call, and answer it.

use super::tasks::World;
use super::*;
use num_traits::{Signed, ToPrimitive};

/// A call of a peer that has no answer: its key and its request.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Called {
    pub key: Value,
    pub request: Value,
    /// The number under which the peer has seen it.
    pub exchange: Option<u64>,
    /// The answer that the peer has sent, which may arrive at any time.
    pub sent: Option<Value>,
}

/// The calls that a task waits for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Calls {
    pub open: Vec<Called>,
    /// The number of answers that it waits for.
    wanted: usize,
    /// The answers so far, as the value of the call.
    pub answers: Value,
}

impl Calls {
    pub fn of_one(key: Value, request: Value) -> Calls {
        Calls {
            open: vec![Called { key, request, exchange: None, sent: None }],
            wanted: 1,
            answers: Value::option(None),
        }
    }

    /// Calls that leave together; all answers are waited for where no number is said.
    pub fn of_several(requests: BTreeMap<Value, Value>, least: Option<&Value>) -> Calls {
        let open: Vec<Called> =
            requests.into_iter().map(|(key, request)| Called { key, request, exchange: None, sent: None }).collect();
        let wanted = match least {
            Some(Value::Int(least)) if least.is_negative() => 0,
            Some(Value::Int(least)) => least.to_usize().unwrap_or(usize::MAX),
            Some(other) => panic!("{other:?} is no number"),
            None => open.len(),
        };
        Calls { open, wanted, answers: Value::Map(BTreeMap::new()) }
    }

    pub fn is_enough(&self) -> bool {
        self.wanted == 0 || self.open.is_empty()
    }

    /// Takes up an answer; whether it is one to these calls.
    fn answer(&mut self, exchange: u64, answer: Option<&Value>) -> bool {
        let Some(at) = self.open.iter().position(|call| call.exchange == Some(exchange)) else { return false };
        let call = self.open.remove(at);
        if let Some(answer) = answer {
            self.wanted -= 1;
            match &mut self.answers {
                Value::Map(map) => drop(map.insert(call.key, answer.clone())),
                only => *only = Value::option(Some(answer.clone())),
            }
        }
        true
    }
}

impl World {
    /// Lets tasks go on that have enough answers; nobody waits for their other calls.
    pub fn settle_calls(&mut self) {
        for task in &mut self.tasks {
            if let Some(calls) = task.calls.take_if(|calls| calls.is_enough()) {
                task.answer = Some(calls.answers);
                self.unawaited.extend(calls.open.into_iter().filter(|call| call.sent.is_none()));
            }
        }
        self.tasks.sort();
        self.unawaited.sort();
    }

    /// The worlds in which a peer has seen a call.
    pub fn called(&self, exchange: u64, [key, request]: &[Value; 2]) -> Vec<World> {
        let is_it = |call: &Called| call.exchange.is_none() && call.key.shows(key) && call.request.shows(request);
        let all = self.all_calls().len();
        let seen = (0..all).filter(|at| is_it(self.all_calls()[*at]));
        let with = |at: usize| {
            let mut world = self.clone();
            let awaited = world.tasks.iter_mut().flat_map(|task| &mut task.calls).flat_map(|calls| &mut calls.open);
            let call = awaited.chain(&mut world.unawaited).nth(at).expect("a call");
            *call = Called { key: key.clone(), request: request.clone(), exchange: Some(exchange), sent: None };
            world.settle_calls();
            world
        };
        seen.map(with).collect()
    }

    /// The world in which a peer has answered a call, or failed.
    pub fn answered(&self, exchange: u64, answer: Option<&Value>) -> Option<World> {
        let mut world = self.clone();
        let before = world.unawaited.len();
        world.unawaited.retain(|call| call.exchange != Some(exchange));
        let takes = |calls: &mut Calls| calls.answer(exchange, answer);
        let is_answered = world.tasks.iter_mut().filter_map(|task| task.calls.as_mut()).any(takes);
        world.settle_calls();
        (is_answered || world.unawaited.len() < before).then_some(world)
    }

    /// The world in which a peer has sent an answer to a call.
    pub fn sent_answer(&self, exchange: u64, answer: &Value) -> Option<World> {
        let mut world = self.clone();
        let mut awaited = world.tasks.iter_mut().flat_map(|task| &mut task.calls).flat_map(|calls| &mut calls.open);
        match awaited.find(|call| call.exchange == Some(exchange)) {
            Some(call) => {
                call.sent = Some(answer.clone());
                world.tasks.sort();
                Some(world)
            }
            None => self.answered(exchange, Some(answer)),
        }
    }

    /// The calls whose answers may arrive next, with these.
    pub fn sent_answers(&self) -> Vec<(u64, Value)> {
        let calls = self.all_calls();
        calls.iter().filter_map(|call| Some((call.exchange?, call.sent.clone()?))).collect()
    }

    /// Drops calls that nobody waits for, of which there are more equal ones than peers will see calls: a request that comes again may
    /// make them without end.
    pub fn drop_unseen_calls(&mut self, most: usize) {
        let all = std::mem::take(&mut self.unawaited);
        for call in all {
            let equal = self.unawaited.iter().filter(|other| **other == call).count();
            if call.exchange.is_some() || equal < most {
                self.unawaited.push(call);
            }
        }
    }

    fn all_calls(&self) -> Vec<&Called> {
        let awaited = self.tasks.iter().flat_map(|task| &task.calls).flat_map(|calls| &calls.open);
        awaited.chain(&self.unawaited).collect()
    }

    /// The calls that no peer has seen.
    pub fn unseen_calls(&self) -> Vec<Called> {
        self.all_calls().into_iter().filter(|call| call.exchange.is_none()).cloned().collect()
    }

    /// Takes notice that a peer has seen a call.
    pub fn see_call(&self, call: &Called, exchange: u64) -> Option<World> {
        self.called(exchange, &[call.key.clone(), call.request.clone()]).pop()
    }
}
