//! Concurrent clients: the judge of histories against all orders in which the requests may have been served.
//!
//! The orders are tried one by one, without any rule, on the judge of single clients, which others compare with the oracle.
//! `MAYHAP_LONG=N cargo test --release --test it schedules::` tries N histories of each specification, and `MAYHAP_SEED=S` begins
//! elsewhere.

mod busy;
mod by_hand;
mod drawn;
pub mod restarts;

use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::details::{Observed, Value};
use mayhap::judge::Reductions;
use mayhap::judge::{Judge, RecordedEvent, judge_recorded};
use mayhap::network::{NetworkChoice, Observation, most_outstanding};
use mayhap::process::Port;
use mayhap::search;
use mayhap::search::{OnlineHistory, Timeline};
use mayhap::server::{Ranges, Reply, SectionStart, Server};
use mayhap::{Exchange, Options, Spec, Verdict};
use rustc_hash::FxHashMap;

use crate::random::{Rng, at_least, seeds};
use drawn::Drawn;

/// Specifications whose branches give the observed answer by writing, compare stored values, ask who sent the request, choose, and
/// enable again what was not possible.
pub const SPECS: &[(&str, &str)] = &[
    (
        "register",
        "enum Q { R, W(int), C(int, int) } enum A { V(int), Ok, No } protocol p { request Q; response A; var n: int = 0;
         on R { reply V(n); } on W(x) { n := x; reply Ok; } on C(a, b) { if n != a { reply No; } n := b; reply Ok; } }",
    ),
    (
        "compare and set",
        "protocol p { request int; response int; var n: int = 0; on q { if q <= n { reply 0; } n := q; reply 1; } }",
    ),
    (
        "compare and reset",
        "protocol p { request int; response int; var n: int = 0;
         on q { if q <= n { reply 0; } n := choose x: int where x >= 0 && x < 3; reply 1; } }",
    ),
    (
        "an answer by writing or not",
        "protocol p { request int; response int; var v: int = 0; var n: int = 1;
         on q { if v == n { reply 0; } n := v; if q == 1 { v := 1 - v; reply 1; } reply 0; } }",
    ),
    (
        "a lock of clients",
        "enum Q { Take, Give } protocol p { request Q; response bool; var by: option<client> = None;
         on Take from c { if by is Some(x) { reply x == c; } by := Some(c); reply true; }
         on Give from c { if by == Some(c) { by := None; reply true; } reply false; } }",
    ),
    (
        "a store",
        "enum Q { Get(int), Put(int, int), Add(int, int) } protocol p { request Q; response int; var m: map<int, int> = {};
         on Get(k) { reply m.get_or(k, 0); } on Put(k, v) { m[k] := v; reply 0; }
         on Add(k, v) { m[k] := m.get_or(k, 0) + v; reply m.get_or(k, 0); } }",
    ),
    (
        "a store of fresh values",
        "token T; enum Q { Get(int), Put(int) } protocol p { request Q; response option<T>; var m: map<int, T> = {};
         on Get(k) { reply m.get(k); } on Put(k) { m[k] := choose; reply either m.get(k) or None; } }",
    ),
    (
        "a text that grows",
        "enum Q { Get, Put(bool), Add(bool) } protocol p { request Q; response string; var s: string = \"\";
         on Get { reply s; } on Put(x) { s := if x { \"a\" } else { \"b\" }; reply \"\"; }
         on Add(x) { s := s + (if x { \"a\" } else { \"b\" }); reply if x { \"\" } else { s }; } }",
    ),
    (
        "texts under keys",
        "enum Q { Get(bool), Add(bool, bool), Move(bool) } protocol p { request Q; response string;
         var m: map<bool, string> = {}; on Get(k) { reply m.get_or(k, \"\"); }
         on Add(k, x) { m[k] := m.get_or(k, \"\") + (if x { \"a\" } else { \"b\" }); reply \"\"; }
         on Move(k) { m[!k] := m.get_or(k, \"\") + \"c\"; reply m.get_or(k, \"\"); } }",
    ),
    (
        "a bounded counter",
        "protocol p { request bool; response int; var n: int = 0;
         on up { if up && n < 2 { n := n + 1; } else { if !up && n > 0 { n := n - 1; } } reply n; } }",
    ),
    ("a queue", QUEUE),
];

/// A queue whose `match` fits every list.
const QUEUE: &str = "enum Q { Put(int), Take } protocol p { request Q; response int; var l: list<int> = [];
    on Put(x) { l := l + [x]; reply 0; }
    on Take { match l { [] => { reply -1; } [x, ..rest] => { l := rest; reply x; } } } }";

/// Judges that are compared with trying all orders.
const REDUCTIONS: [Reductions; 3] = [Reductions::Usual, Reductions::Eager, Reductions::None];

/// Specifications with steps.
const STEPS: &[(&str, &str)] = &[
    (
        "a store that expires",
        "enum Q { Get(int), Put(int, int) } protocol p { request Q; response int; var m: map<int, int> = {};
         on Get(k) { reply m.get_or(k, 0); } on Put(k, v) { m[k] := v; reply 0; }
         step { let k = pick m.keys(); m := m.remove(k); } }",
    ),
    (
        "compare and set that begins anew",
        "protocol p { request int; response int; var n: int = 0;
         on q { if q <= n { reply 0; } n := q; reply 1; } step { assume n > 1; n := 0; } }",
    ),
];

/// An event of a history; requests by their numbers.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Sent(usize),
    Answered(usize),
    Lost(u64),
    Restart,
}

pub struct Case {
    /// Of each request the number of its connection, the client on it, the value, and the answer where it is seen.
    pub requests: Vec<(u64, Exchange)>,
    pub events: Vec<Event>,
}

/// A history that a server made, perhaps with one answer altered.
pub fn random(spec: &Arc<Spec>, rng: &mut Rng) -> Case {
    let total = 1 + rng.below(6);
    random_of(spec, rng, total)
}

/// A history of this number of requests.
fn random_of(spec: &Arc<Spec>, rng: &mut Rng, total: usize) -> Case {
    random_with_restarts(spec, rng, total, 0)
}

/// A history of this number of requests, with this number of restarts in a hundred events.
pub fn random_with_restarts(spec: &Arc<Spec>, rng: &mut Rng, total: usize, restarts: usize) -> Case {
    let (clients, pipelines) = (1 + rng.below(3) as u64, rng.below(4) == 0);
    let mut source = Random::new(rng.next());
    let ranges = Ranges { request: Some((-1, 3)), choose: Some((-1, 3)) };
    let mut server = Server::new(spec.clone(), ranges, &mut source).unwrap();
    let mut case = Case { requests: Vec::new(), events: Vec::new() };
    // Of each connection: its number, those that were sent and not served, and those that were served and not seen.
    let mut open: Vec<(u64, Vec<usize>, Vec<usize>)> = (1..=clients).map(|c| (c, Vec::new(), Vec::new())).collect();
    let mut others = clients;
    for _ in 0..total * 5 {
        if restarts > 0 && rng.percent(restarts) {
            if server.run(&SectionStart::Restarted, &mut source).is_ok() {
                case.events.push(Event::Restart);
                (1..).zip(&mut open).for_each(|(at, one)| *one = (others + at, Vec::new(), Vec::new()));
                others += clients;
            }
            continue;
        }
        let at = rng.below(open.len());
        let number = at as u64 + 1;
        let (client, waiting, served) = &mut open[at];
        match rng.below(9) {
            0..=2 if case.requests.len() < total && (pipelines || waiting.is_empty() && served.is_empty()) => {
                let request = server.draw_request(&mut source).unwrap();
                waiting.push(case.requests.len());
                case.events.push(Event::Sent(case.requests.len()));
                let exchange = Exchange { line: 0, client: *client, request, observed: Observed::Any };
                case.requests.push((number, exchange));
            }
            3 | 4 if !waiting.is_empty() => {
                let request = waiting.remove(0);
                let exchange = &mut case.requests[request].1;
                let Ok(Reply::Answer(answer)) = server.handle(&exchange.request, *client, &mut source) else {
                    // What comes behind it on its connection would be answered in its place.
                    break;
                };
                exchange.observed = Observed::Answer(answer);
                served.push(request);
            }
            5 | 6 if !served.is_empty() => case.events.push(Event::Answered(served.remove(0))),
            7 if rng.below(3) == 0 && !(waiting.is_empty() && served.is_empty()) => {
                case.events.push(Event::Lost(number));
                others += 1;
                open[at] = (others, Vec::new(), Vec::new());
            }
            _ => {}
        }
    }
    let seen: Vec<usize> =
        case.events.iter().filter_map(|event| if let Event::Answered(at) = event { Some(*at) } else { None }).collect();
    for (at, (_, exchange)) in case.requests.iter_mut().enumerate() {
        if !seen.contains(&at) {
            exchange.observed = Observed::Any;
        }
    }
    for _ in 0..if seen.is_empty() { 0 } else { rng.below(7).min(total) } {
        let [to, from] = [seen[rng.below(seen.len())], seen[rng.below(seen.len())]];
        case.requests[to].1.observed = case.requests[from].1.observed.clone();
    }
    case
}

/// Tests whether some order explains the events from `at` on; those in `pending` were sent and not served.
fn explains(case: &Case, end: usize, at: usize, judge: &Judge, pending: &[usize]) -> bool {
    let is_seen = |request: usize| case.events[..end].iter().any(|e| matches!(e, Event::Answered(r) if *r == request));
    for (place, request) in pending.iter().enumerate() {
        let (_, exchange) = &case.requests[*request];
        let is_first = !pending[..place].iter().any(|other| case.requests[*other].1.client == exchange.client);
        let observed = if is_seen(*request) { exchange.observed.clone() } else { Observed::Any };
        let mut judge = judge.clone();
        let goes_on = is_first && judge.observe(&Exchange { line: 1, observed, ..exchange.clone() });
        if is_first && breaks_off(&judge) {
            return true;
        }
        if goes_on {
            let rest: Vec<usize> = pending.iter().copied().filter(|other| other != request).collect();
            if explains(case, end, at, &judge, &rest) {
                return true;
            }
        }
    }
    if at == end {
        return true;
    }
    match case.events[at] {
        Event::Sent(request) => explains(case, end, at + 1, judge, &[pending, &[request]].concat()),
        Event::Answered(request) => !pending.contains(&request) && explains(case, end, at + 1, judge, pending),
        Event::Lost(_) => explains(case, end, at + 1, judge, pending),
        Event::Restart => {
            let mut judge = judge.clone();
            let starts = judge.observe(&Exchange::restart(1));
            breaks_off(&judge) || starts && explains(case, end, at + 1, &judge, &[])
        }
    }
}

/// Tests whether some run was faulty, or broke the client's duty: then all that comes behind is explained.
fn breaks_off(judge: &Judge) -> bool {
    match judge.verdict() {
        Verdict::Accept { warning } | Verdict::Unknown { warning, .. } => warning.is_some(),
        Verdict::Outside { .. } | Verdict::Fault(_) => true,
        Verdict::Reject { .. } => false,
    }
}

/// The first event that no order explains.
fn first_unexplained(spec: &Arc<Spec>, case: &Case) -> Option<usize> {
    let judge = Judge::new(spec.clone(), Options::default());
    (1..=case.events.len()).find(|end| !explains(case, *end, 0, &judge, &[]))
}

pub fn happened(case: &Case, event: Event) -> Observation {
    match event {
        Event::Sent(request) => {
            Observation::Request(Port(case.requests[request].0), case.requests[request].1.request.clone())
        }
        Event::Answered(request) => {
            let answer = case.requests[request].1.observed.answer().cloned();
            Observation::Answer(Port(case.requests[request].0), answer)
        }
        Event::Lost(connection) => Observation::Lost(Port(connection)),
        Event::Restart => Observation::Restart,
    }
}

/// Tests that an order of service is one: each request behind its own line, each seen answer's request before it, in the order of its
/// connection, and the server answers so.
fn check_order(spec: &Arc<Spec>, case: &Case, order: &[(u64, u64)], about: &str) {
    let mut judge = Judge::new(spec.clone(), Options::default());
    let line = |request: usize| {
        1 + case.events.iter().position(|e| matches!(e, Event::Sent(r) if *r == request)).unwrap() as u64
    };
    let request = |own: u64| (0..case.requests.len()).find(|request| line(*request) == own);
    let served: Vec<Option<usize>> = order.iter().map(|(_, own)| request(*own)).collect();
    for (place, (after, own)) in order.iter().enumerate() {
        let Some(request) = served[place] else {
            assert!(matches!(case.events[*own as usize - 1], Event::Restart), "{about}: {order:?}");
            // All that was sent before it was served before it.
            assert!(order[..place].iter().all(|(_, other)| other < own), "{about}: {order:?}");
            assert!(order[place..].iter().all(|(_, other)| other >= own), "{about}: {order:?}");
            assert!(judge.observe(&Exchange::restart(1)), "{about}: {order:?} does not explain the restart {own}");
            continue;
        };
        assert!(!served[..place].contains(&Some(request)), "{about}: {order:?} serves {request} twice");
        assert!(after >= own && (place == 0 || order[place - 1].0 <= *after), "{about}: {order:?}");
        let seen = case.events.iter().position(|e| matches!(e, Event::Answered(r) if *r == request));
        assert!(seen.is_none_or(|seen| (seen as u64) >= *after), "{about}: {order:?} serves {request} too late");
        let (_, exchange) = &case.requests[request];
        let before = (0..request).filter(|other| case.requests[*other].1.client == exchange.client);
        assert!(
            before.into_iter().all(|other| served[..place].contains(&Some(other))),
            "{about}: {order:?} of a connection"
        );
        assert!(judge.observe(exchange), "{about}: {order:?} does not explain request {request}");
    }
    let is_served = |event: &Event| !matches!(event, Event::Answered(request) if !served.contains(&Some(*request)));
    let restarts = case.events.iter().filter(|event| matches!(event, Event::Restart)).count();
    assert_eq!(served.iter().filter(|served| served.is_none()).count(), restarts, "{about}: {order:?}");
    assert!(case.events.iter().all(is_served), "{about}: {order:?} leaves one out");
}

/// Tests that each request stands in the timeline where the case has it, and is served at its place in the order, while it is under way.
fn check_timeline(case: &Case, timeline: &Timeline, order: &[(u64, u64)], about: &str) {
    let line = |is: &dyn Fn(&Event) -> bool| case.events.iter().position(is).map(|event| event as u64 + 1);
    assert_eq!(timeline.requests.len(), case.requests.len(), "{about}");
    for (own, (number, exchange)) in timeline.requests.iter().zip(&case.requests) {
        let at = case.requests.iter().position(|(_, other)| std::ptr::eq(other, exchange)).unwrap();
        assert_eq!((own.connection, &own.request), (*number, &exchange.request), "{about}");
        assert_eq!(Some(own.sent), line(&|event| matches!(event, Event::Sent(other) if *other == at)), "{about}");
        let answered = line(&|event| matches!(event, Event::Answered(other) if *other == at));
        assert_eq!((own.answered, &own.answer), (answered, &exchange.observed.answer().cloned()), "{about}");
        let is_end = |event: u64| event > own.sent && own.answered.is_none();
        let ends = (1..).zip(&case.events).filter(|(_, event)| match event {
            Event::Lost(other) => other == number,
            event => matches!(event, Event::Restart),
        });
        assert_eq!(own.lost, ends.map(|(event, _)| event).find(|event| is_end(*event)), "{about}");
        let is_request = |(_, line): &&(u64, u64)| !matches!(case.events[*line as usize - 1], Event::Restart);
        let place = order.iter().filter(is_request).position(|(_, sent)| *sent == own.sent);
        assert_eq!(own.served.map(|moment| moment.place), place, "{about}");
        let is_in_time = |after: u64| after >= own.sent && own.answered.is_none_or(|answered| after < answered);
        assert!(own.served.is_none_or(|moment| is_in_time(moment.after)), "{about}: {own:?}");
    }
}

/// The histories that were judged.
#[derive(Default, Debug)]
struct Judged {
    accepted: u64,
    rejected: u64,
}

/// Compares the verdict on a history with trying all orders; where a run may fail, only what is decided.
fn compare(spec: &Arc<Spec>, seed: u64, by: &[Reductions], may_fail: bool, judged: &mut Judged, name: &str) {
    let case = random(spec, &mut Rng::new(seed));
    compare_case((spec, &case), seed, by, may_fail, judged, name);
}

fn compare_case(
    (spec, case): (&Arc<Spec>, &Case),
    seed: u64,
    by: &[Reductions],
    may_fail: bool,
    judged: &mut Judged,
    name: &str,
) {
    let history = search::history(spec, case.events.iter().map(|event| happened(case, *event)));
    let requests: Vec<(u64, &Value, &Observed)> =
        case.requests.iter().map(|(_, e)| (e.client, &e.request, &e.observed)).collect();
    let unexplained = first_unexplained(spec, case);
    check_online(spec, case, may_fail, &format!("{name}, seed {seed}: {requests:?} {:?}", case.events));
    for reductions in by {
        let about = format!("{name}, seed {seed}, {reductions:?}: {requests:?} {:?}", case.events);
        let found = search::judge(spec, &history, &Options { reductions: *reductions, ..Options::default() });
        match (unexplained, &found.verdict) {
            (None, Verdict::Accept { .. }) => {
                check_order(spec, case, &found.order, &about);
                check_timeline(case, &history.timeline(&found), &found.order, &about);
                judged.accepted += 1;
            }
            (Some(event), Verdict::Reject { event: own, event_from: None }) if event as u64 == *own => {
                judged.rejected += 1;
            }
            (None, Verdict::Reject { .. }) | (Some(_), Verdict::Accept { .. } | Verdict::Reject { .. }) => {
                panic!("{about}: {:?} instead of {unexplained:?}", found.verdict)
            }
            (_, verdict) => assert!(may_fail, "{about}: {verdict:?} instead of {unexplained:?}"),
        }
    }
}

/// Tests that each event, where it happens, has the verdict of the events up to it; where a run may fail, only what is decided.
fn check_online(spec: &Arc<Spec>, case: &Case, may_fail: bool, about: &str) {
    check_session(OnlineHistory::new(spec, Options::default()), spec, case, may_fail, about);
    let eager = Options { reductions: Reductions::Eager, ..Options::default() };
    check_session(OnlineHistory::new(spec, eager), spec, case, may_fail, about);
    // Much is kept, or little, and what is kept is gone back to.
    for kept in [6, 1 << 10] {
        let mut keeping = OnlineHistory::new(spec, Options::default());
        keeping.remember(kept);
        check_session(keeping, spec, case, may_fail, about);
    }
}

fn check_session(mut session: OnlineHistory, spec: &Arc<Spec>, case: &Case, may_fail: bool, about: &str) {
    for (at, event) in case.events.iter().enumerate() {
        let Some(online) = session.push(at as u64 + 1, happened(case, *event)) else { return };
        let so_far = case.events[..=at].iter().map(|event| happened(case, *event));
        let offline = search::judge(spec, &search::history(spec, so_far), &Options::default()).verdict;
        let is_same = if may_fail { online.is_accept() == offline.is_accept() } else { online == offline };
        // Many requests of few connections that wait for no answer are too many orders for the whole, and may not be for a session.
        let is_too_hard = matches!(offline, Verdict::Unknown { .. });
        assert!(is_same || is_too_hard, "{about}: {online:?} online, {offline:?} offline at event {at}");
    }
}

#[test]
fn histories_are_judged_as_by_trying_all_orders() {
    let mut judged = Judged::default();
    for (kind, (name, text)) in (0..).zip(SPECS.iter().chain(STEPS)) {
        let spec = Spec::from_text(text).unwrap();
        assert!(search::is_judged(&spec), "{name}");
        for seed in seeds(200 + kind, 50) {
            compare(&spec, seed, &REDUCTIONS, false, &mut judged, name);
        }
    }
    println!("{judged:?}");
    assert!(judged.accepted >= at_least(83, 50) && judged.rejected >= at_least(33, 50));
}

/// Sessions that go on after much of what happened was forgotten.
#[test]
fn what_happened_long_ago_is_forgotten_and_makes_no_difference() {
    let (mut judged, mut rejected) = (0, 0);
    for (kind, (name, text)) in (0..).zip(SPECS.iter().chain(STEPS)) {
        let spec = Spec::from_text(text).unwrap();
        for seed in seeds(260 + kind, 5) {
            let mut rng = Rng::new(seed);
            let mut case = random_of(&spec, &mut rng, 40);
            // Most of them up to a late event, if there is one that is not explained.
            case.events.truncate(20 + rng.below(100));
            check_online(&spec, &case, false, &format!("{name}, seed {seed}"));
            judged += 1;
            let events = case.events.iter().map(|event| happened(&case, *event));
            let history = search::history(&spec, events);
            rejected += usize::from(!search::judge(&spec, &history, &Options::default()).verdict.is_accept());
        }
    }
    println!("{rejected} of {judged} rejected");
    assert!(rejected > judged / 4 && rejected < judged);
}

#[test]
fn random_specifications_are_judged_as_by_trying_all_orders() {
    let mut judged = Judged::default();
    for seed in seeds(240, 80) {
        let mut rng = Rng::new(seed);
        let Drawn { text, may_fail } = Drawn::random(&mut rng);
        let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert!(search::is_judged(&spec), "{text}");
        for _ in 0..3 {
            compare(&spec, rng.next(), &REDUCTIONS, may_fail, &mut judged, &text);
        }
    }
    println!("{judged:?}");
    assert!(judged.accepted >= at_least(160, 80) && judged.rejected >= at_least(40, 80));
}

/// The history as it is judged event by event, each on a line of its own.
pub fn recorded(case: &Case) -> Vec<RecordedEvent> {
    let mut clients: FxHashMap<u64, u64> = FxHashMap::default();
    let observed = |event: &Event| match *event {
        Event::Sent(request) => {
            let (number, exchange) = &case.requests[request];
            clients.insert(*number, exchange.client);
            Observation::Request(Port(exchange.client), exchange.request.clone())
        }
        Event::Answered(request) => {
            let exchange = &case.requests[request].1;
            Observation::Answer(Port(exchange.client), exchange.observed.answer().cloned())
        }
        Event::Lost(number) => Observation::Lost(Port(clients[&number])),
        Event::Restart => Observation::Restart,
    };
    (1..).zip(case.events.iter().map(observed)).collect()
}

#[test]
fn networks_that_do_what_tcp_does_are_judged_by_orders() {
    let (mut compared, mut rejected) = (0, 0);
    for (kind, (name, text)) in (0..).zip(SPECS.iter().filter(|(_, text)| !text.contains("from c"))) {
        let spec = Spec::from_text(text).unwrap();
        for seed in seeds(700 + kind, 25) {
            let case = random(&spec, &mut Rng::new(seed));
            let events = recorded(&case);
            let most = most_outstanding(events.iter().map(|(_, observation)| observation));
            let history = search::history(&spec, case.events.iter().map(|event| happened(&case, *event)));
            let by_order = search::judge(&spec, &history, &Options::default()).verdict;
            for network in ["udp", "udp,loss", "tcp"] {
                let network: NetworkChoice = network.parse().unwrap();
                if !network.is_like_tcp(most) {
                    continue;
                }
                let judge = judge_recorded(&spec.for_networks(), &*network.network(), &events, &Options::default());
                assert_eq!(judge.verdict(), by_order, "{name}, seed {seed}, {network}: {events:?}");
                compared += 1;
                rejected += u64::from(!by_order.is_accept());
            }
        }
    }
    let are_enough = compared >= at_least(208, 25) && rejected >= at_least(25, 25);
    assert!(are_enough, "{compared} compared, {rejected} rejected");
    let of = |text: &str, each| text.parse::<NetworkChoice>().unwrap().is_like_tcp(each);
    assert!(of("tcp,connections=2", 9) && of("udp", 1) && !of("udp", 2) && !of("udp,duplication", 1) && !of("fifo", 1));
}
