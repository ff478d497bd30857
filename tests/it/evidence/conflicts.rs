//! Evidence for histories of concurrent clients against all orders in which their requests may have been served: the order of an
//! accepted one has a witness that replays, and the conflict of a rejected one is one, and minimal.
//!
//! `MAYHAP_LONG=N cargo test --release --test it conflicts::` tries N histories of each specification, and `MAYHAP_SEED=S` begins
//! elsewhere.

use std::ops::ControlFlow;
use std::sync::Arc;

use mayhap::details::{Observed, Value};
use mayhap::evidence::{
    AnswerConflict, Budget, Minimality, OtherAnswers, Rechecked, check_conflict, conflict, witness_of_order,
};
use mayhap::json;
use mayhap::judge::Judge;
use mayhap::network::Observation;
use mayhap::process::Port;
use mayhap::search;
use mayhap::search::History;
use mayhap::server::Reply;
use mayhap::spec::analysis::pure::RequestFacts;
use mayhap::{Exchange, Options, Spec, Verdict};

use crate::random::{Rng, at_least, restarts, seeds};
use crate::schedules::restarts::RESTARTS;
use crate::schedules::{Case, Event, SPECS, happened, random, random_with_restarts};

/// The part of a case that is known.
struct View<'c> {
    case: &'c Case,
    /// The first events that are looked at.
    end: usize,
    /// The answers that were seen, by request.
    seen: Vec<bool>,
    /// Requests that may have been served before it begins.
    perhaps: Vec<bool>,
    /// The request before each on its connection, where that was under way.
    before: Vec<Option<usize>>,
}

/// The requests that were sent and not answered before an event.
fn under_way(case: &Case, event: usize) -> Vec<usize> {
    let mut open = Vec::new();
    for event in &case.events[..event] {
        match event {
            Event::Sent(request) => open.push(*request),
            Event::Answered(request) => open.retain(|other| other != request),
            Event::Lost(_) => {}
            Event::Restart => open.clear(),
        }
    }
    open
}

impl<'c> View<'c> {
    fn new(case: &'c Case, end: usize, seen: &dyn Fn(usize) -> bool, begin: Option<usize>) -> View<'c> {
        let client = |request: usize| case.requests[request].1.client;
        let sent = |request: usize| case.events.iter().position(|e| matches!(e, Event::Sent(r) if *r == request));
        let before = |request: usize| {
            let open = under_way(case, sent(request).unwrap());
            open.into_iter().rfind(|other| client(*other) == client(request))
        };
        let of_all = |is: &dyn Fn(usize) -> bool| (0..case.requests.len()).map(is).collect::<Vec<bool>>();
        let open = under_way(case, begin.unwrap_or(0));
        View {
            case,
            end,
            seen: of_all(seen),
            perhaps: of_all(&|request| open.contains(&request)),
            before: (0..case.requests.len()).map(before).collect(),
        }
    }

    /// Tests whether some order explains the events from `at` on; those in `pending` were sent and not served.
    fn explains(&self, at: usize, judge: &Judge, pending: &[usize]) -> bool {
        for request in pending {
            let is_free = |before: usize| !pending.contains(&before) || self.perhaps[before];
            if !self.before[*request].is_none_or(is_free) {
                continue;
            }
            let (_, exchange) = &self.case.requests[*request];
            let observed = if self.seen[*request] { exchange.observed.clone() } else { Observed::Any };
            let mut judge = judge.clone();
            if judge.observe(&Exchange { line: 1, observed, ..exchange.clone() }) {
                let earlier: Vec<usize> = std::iter::successors(Some(*request), |own| self.before[*own]).collect();
                let rest: Vec<usize> = pending.iter().copied().filter(|other| !earlier.contains(other)).collect();
                if self.explains(at, &judge, &rest) {
                    return true;
                }
            }
        }
        if at == self.end {
            return true;
        }
        match self.case.events[at] {
            Event::Sent(request) => self.explains(at + 1, judge, &[pending, &[request]].concat()),
            Event::Answered(request) if self.seen[request] => {
                let rest: Vec<usize> = pending.iter().copied().filter(|other| *other != request).collect();
                (rest.len() == pending.len() || self.perhaps[request]) && self.explains(at + 1, judge, &rest)
            }
            Event::Answered(_) | Event::Lost(_) => self.explains(at + 1, judge, pending),
            Event::Restart => {
                let mut judge = judge.clone();
                judge.observe(&Exchange::restart(1)) && self.explains(at + 1, &judge, &[])
            }
        }
    }

    /// Tests whether some order explains it from an initial state, or from any before an event.
    fn is_explained(&self, spec: &Arc<Spec>, begin: Option<usize>) -> bool {
        let judge = Judge::new(spec.clone(), Options::default());
        match begin {
            None => self.explains(0, &judge, &[]),
            Some(at) => {
                let any = judge.knowing_only(&[], &spec.for_unknown_maps());
                self.explains(at, &any, &under_way(self.case, at))
            }
        }
    }
}

/// Tests a witness: each request of the order is served as it was seen to be.
fn check_witness(spec: &Arc<Spec>, case: &Case, history: &History, order: &[(u64, u64)], about: &str) {
    let mut steps = Vec::new();
    let found = witness_of_order(spec, &Options::default(), history, order, &mut |segment| {
        steps.extend(segment.steps);
        ControlFlow::Continue(())
    });
    assert!(found.is_ok(), "{about}: {found:?}");
    let served: Vec<(u64, u64)> = steps.iter().map(|step| (step.after.unwrap(), step.line)).collect();
    assert_eq!(served, order, "{about}");
    for step in &steps {
        let request = match case.events[step.line as usize - 1] {
            Event::Sent(request) => request,
            Event::Restart if !step.skipped && step.reply == Reply::Nothing => continue,
            _ => panic!("{about}: {step:?}"),
        };
        let answer = case.requests[request].1.observed.answer();
        let shown = matches!((&step.reply, answer), (Reply::Answer(own), Some(answer)) if own == answer);
        assert!(!step.skipped && (shown || answer.is_none()), "{about}: {step:?}");
    }
}

/// The request that is answered on a line.
fn answered(case: &Case, line: u64) -> usize {
    let Event::Answered(request) = case.events[line as usize - 1] else { panic!("line {line} is no answer") };
    request
}

/// Tests a conflict of a case that is rejected at an event.
fn check(spec: &Arc<Spec>, case: &Case, event: usize, found: &AnswerConflict, about: &str) {
    let requests: Vec<usize> = found.lines.iter().map(|line| answered(case, *line)).collect();
    assert_eq!(found.lines.last(), Some(&(event as u64)), "{about}");
    assert_eq!((found.minimal, found.all_from), (Minimality::Minimal, None), "{about}: {found:?}");
    let begin = found.any_state_before.map(|line| line as usize - 1);
    let explained = |but: Option<usize>| {
        let seen = |request: usize| requests.contains(&request) && but != Some(request);
        View::new(case, event, &seen, begin).is_explained(spec, begin)
    };
    assert!(!explained(None), "{about}: {found:?} is no conflict");
    requests.iter().for_each(|request| assert!(explained(Some(*request)), "{about}: {found:?} needs no {request}"));
    // What was answered before it begins was served before.
    let is_before = |request: usize| {
        let mut earlier = case.events[..begin.unwrap_or(0)].iter();
        earlier.any(|event| matches!(event, Event::Answered(other) if *other == request))
    };
    let seen = |request: usize| requests.contains(&request) || is_before(request);
    assert!(!View::new(case, event, &seen, None).is_explained(spec, None), "{about}: {found:?} depends on the state");
}

/// Tests the answers that were possible: each of those that were seen somewhere is listed if some order explains it.
fn check_others(spec: &Arc<Spec>, case: &Case, event: usize, others: Option<&OtherAnswers>, about: &str) {
    let rejected = answered(case, event as u64);
    let explained = |answer: &Value| {
        let observed = Observed::Answer(answer.clone());
        let mut requests = case.requests.clone();
        requests[rejected].1.observed = observed;
        let altered = Case { requests, events: case.events.clone() };
        let is_seen = |request: usize| {
            altered.events[..event].iter().any(|e| matches!(e, Event::Answered(other) if *other == request))
        };
        View::new(&altered, event, &is_seen, None).is_explained(spec, None)
    };
    let (types, response) = (&spec.types, spec.program.response);
    let listed = others.map_or(&[][..], |others| &others.json);
    for text in listed {
        let answer = json::decode_recorded(types, response, text).unwrap();
        assert!(explained(&answer), "{about}: {text} is not possible at {event}");
    }
    for (possible, example) in others.map_or(&[][..], |others| &others.open) {
        assert!(explained(example), "{about}: {example:?} of {possible:?} is not possible at {event}");
    }
    let Some(OtherAnswers { more: false, open, .. }) = others else { return };
    if !open.is_empty() {
        return;
    }
    for answer in case.requests.iter().filter_map(|(_, exchange)| exchange.observed.answer()) {
        let text = json::encode(types, response, answer);
        assert_eq!(explained(answer), listed.contains(&text), "{about}: {text} at {event} and {listed:?}");
    }
}

/// What evidence was found.
#[derive(Default, Debug)]
struct Found {
    accepted: u64,
    /// The conflicts that begin in any state behind the first event, and those that begin in an initial state.
    near: u64,
    whole: u64,
    /// Those of several answers.
    several: u64,
    /// All answers that were possible.
    others: u64,
}

impl Found {
    /// Judges a case, and checks the evidence for the verdict.
    fn check(&mut self, spec: &Arc<Spec>, case: &Case, about: &str) {
        let history = search::history(spec, case.events.iter().map(|event| happened(case, *event)));
        let mut judged = search::judge(spec, &history, &Options::default());
        let requests: Vec<(u64, &Value, &Observed)> =
            case.requests.iter().map(|(_, e)| (e.client, &e.request, &e.observed)).collect();
        let about = format!("{about}: {requests:?} {:?}", case.events);
        let Verdict::Reject { event, .. } = judged.verdict else {
            check_witness(spec, case, &history, &judged.order, &about);
            self.accepted += 1;
            return;
        };
        if let Event::Restart = case.events[event as usize - 1] {
            assert!(conflict(spec, &history, &mut judged, Budget::seconds(1.0)).is_none(), "{about}");
            return;
        }
        let found = conflict(spec, &history, &mut judged, Budget::seconds(1.0));
        if RequestFacts::new(&spec.program).restart_may_fail() && found.is_none() {
            // On a way that the search drops the handler may be faulty.
            return;
        }
        let (found, possible) = found.expect(&about);
        check(spec, case, event as usize, &found, &about);
        assert_eq!(check_conflict(spec, &history, &found), Rechecked::Holds, "{about}: {found:?}");
        check_others(spec, case, event as usize, possible.as_ref(), &about);
        self.near += u64::from(found.any_state_before.is_some_and(|line| line > 1));
        self.whole += u64::from(found.any_state_before.is_none());
        self.several += u64::from(found.lines.len() > 1);
        self.others += u64::from(possible.is_some_and(|possible| !possible.more));
    }
}

#[test]
fn evidence_agrees_with_trying_all_orders() {
    let mut found = Found::default();
    for (kind, (name, text)) in (0..).zip(SPECS) {
        let spec = Spec::from_text(text).unwrap();
        for seed in seeds(400 + kind, 100) {
            found.check(&spec, &random(&spec, &mut Rng::new(seed)), &format!("{name}, seed {seed}"));
        }
    }
    println!("{found:?}");
    let Found { accepted, near, whole, several, others } = found;
    let tallies = [(accepted, 100), (near, 5), (whole, 5), (several, 10), (others, 10)];
    assert!(tallies.iter().all(|(tally, usual)| *tally >= at_least(*usual, 100)));
}

#[test]
fn evidence_of_histories_with_restarts_agrees_with_trying_all_orders() {
    let mut found = Found::default();
    for (kind, (name, text)) in (0..).zip(SPECS) {
        for seed in seeds(420 + kind, 60) {
            let mut rng = Rng::new(seed);
            let text = if rng.percent(30) { (*text).to_owned() } else { restarts::with_handler(text, &mut rng) };
            let spec = Spec::from_text(&text).unwrap();
            let total = 2 + rng.below(7);
            let case = random_with_restarts(&spec, &mut rng, total, RESTARTS);
            found.check(&spec, &case, &format!("{name}, seed {seed}\n{text}\n"));
        }
    }
    println!("{found:?}");
    let tallies = [(found.accepted, 40), (found.near, 2), (found.several, 2), (found.others, 5)];
    assert!(tallies.iter().all(|(tally, usual)| *tally >= at_least(*usual, 60)));
}

/// A history of many clients of compare-and-set that all raise the number, and two of them to the same.
fn contended(clients: u64, requests: i64, rng: &mut Rng) -> Vec<Observation> {
    let (mut held, mut next, mut happened) = (0, 0, Vec::new());
    // Of each client the number that it asks for, and its answer once it was served.
    let mut asked: Vec<Option<(i64, Option<i64>)>> = vec![None; clients as usize];
    while next < requests || asked.iter().any(Option::is_some) {
        let client = rng.below(clients as usize);
        let number = client as u64 + 1;
        asked[client] = match asked[client] {
            None if next < requests => {
                next += 1;
                // The last two ask for the same.
                let number_asked = next.min(requests - 1);
                happened.push(Observation::Request(Port(number), Value::from(number_asked)));
                Some((number_asked, None))
            }
            Some((number_asked, None)) => {
                let wins = number_asked > held || number_asked == requests - 1;
                held = held.max(number_asked);
                Some((number_asked, Some(i64::from(wins))))
            }
            Some((_, Some(answer))) => {
                happened.push(Observation::Answer(Port(number), Some(Value::from(answer))));
                None
            }
            None => None,
        };
    }
    happened
}

#[test]
fn of_many_clients_the_two_answers_are_named_that_contradict_each_other() {
    let spec = Spec::from_text(SPECS[1].1).unwrap();
    let happened = contended(20, 400, &mut Rng::new(9));
    let history = search::history(&spec, happened.iter().cloned());
    let mut judged = search::judge(&spec, &history, &Options::default());
    let Verdict::Reject { .. } = judged.verdict else { panic!("{:?}", judged.verdict) };
    let (found, others) = conflict(&spec, &history, &mut judged, Budget::seconds(1.0)).unwrap();
    assert_eq!((found.lines.len(), found.minimal), (2, Minimality::Minimal), "{found:?}");
    let timeline = history.timeline(&judged);
    let of_lines: Vec<(&Value, Option<&Value>)> = timeline
        .requests
        .iter()
        .filter(|request| request.answered.is_some_and(|line| found.lines.contains(&line)))
        .map(|request| (&request.request, request.answer.as_ref()))
        .collect();
    let both = (&Value::from(399), Some(&Value::from(1)));
    assert_eq!(of_lines, [both, both], "{found:?}");
    assert_eq!(others.map(|others| others.json), Some(vec!["0".to_owned()]));
    assert_eq!(check_conflict(&spec, &history, &found), Rechecked::Holds);
}

/// Tests that a history is rejected at the last one of two answers, and that these are named as what contradicts each other, with so many
/// seconds of work.
fn check_pair(spec: &Arc<Spec>, happened: impl Iterator<Item = Observation>, lines: [u64; 2], seconds: f64) {
    let history = search::history(spec, happened);
    let mut judged = search::judge(spec, &history, &Options::default());
    assert_eq!(judged.verdict, Verdict::Reject { event: lines[1], event_from: None });
    let (found, _) = conflict(spec, &history, &mut judged, Budget::seconds(seconds)).unwrap();
    assert_eq!((&found.lines[..], found.minimal), (&lines[..], Minimality::Minimal), "{found:?}");
    assert_eq!(check_conflict(spec, &history, &found), Rechecked::Holds);
}

#[test]
fn two_answers_that_contradict_each_other_are_named_however_far_apart_they_are() {
    let spec = Spec::from_text(include_str!("../../../specs/idgen.may")).unwrap();
    let new = json::decode_recorded(&spec.types, spec.program.request, "\"New\"").unwrap();
    let fresh = |id: usize| {
        json::decode_recorded(&spec.types, spec.program.response, &format!("{{\"Fresh\": \"t{id}\"}}")).unwrap()
    };
    // Two clients at once; the last one of all is given what the first ones were.
    let ids = (0..1_000).chain([7]);
    let pairs =
        ids.flat_map(|id| [Observation::Request(Port(0), new.clone()), Observation::Answer(Port(1), Some(fresh(id)))]);
    let happened =
        [Observation::Request(Port(1), new.clone())].into_iter().chain(pairs.enumerate().map(|(at, happened)| {
            // The clients take turns.
            let client = |number: u64| (number + at as u64 / 2) % 2;
            match happened {
                Observation::Request(Port(number), request) => Observation::Request(Port(client(number)), request),
                Observation::Answer(Port(number), answer) => Observation::Answer(Port(client(number)), answer),
                other => other,
            }
        }));
    check_pair(&spec, happened, [17, 2_003], 1.0);
}

#[test]
fn what_many_clients_may_have_done_in_any_state_is_not_tried_out() {
    let spec = Spec::from_text(include_str!("../../../specs/register.may")).unwrap();
    let request = |text: &str| json::decode_recorded(&spec.types, spec.program.request, text).unwrap();
    let answer = |text: &str| Some(json::decode_recorded(&spec.types, spec.program.response, text).unwrap());
    let swap =
        |client: u64| Observation::Request(Port(client), request(&format!("{{\"Cas\": [{}, {client}]}}", client - 1)));
    // Each of these may have been served before the two requests with a known answer, with either answer.
    let happened = (10..34).map(swap).chain([
        Observation::Request(Port(1), request("{\"Write\": 0}")),
        Observation::Answer(Port(1), answer("{\"Write\": 0}")),
        Observation::Request(Port(2), request("\"Read\"")),
        Observation::Answer(Port(2), answer("{\"Read\": 7}")),
    ]);
    check_pair(&spec, happened, [26, 28], 0.2);
}
