//! Several random clients at once: what is simulated over a network is accepted over it, and with one answer altered it is judged as
//! by trying all orders.
//!
//! `mayhap simulate specs/register.may --clients 3 --net tcp` prints what three clients send and see; an order in which the server
//! may have served them explains it. `MAYHAP_LONG=N cargo test --release --test it simulated_clients::` tries N traces of each
//! specification, and `MAYHAP_SEED=S` begins elsewhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::details::{Observed, Value};
use mayhap::dualize::Judge;
use mayhap::schedule::{self, Happened};
use mayhap::server::{Carrier, Conversation, Occurrence, Population, Ranges, Server};
use mayhap::{Exchange, Options, Spec, Verdict, json};

use crate::command::{check, file, place, run, simulated};
use crate::random::{Rng, seeds};
use crate::shipped;

/// The requests of a trace.
const REQUESTS: u64 = 30;
/// The most requests that brute force serves for one trace.
const EFFORT: u32 = 20_000;

/// The events between clients and a server, until all is answered.
fn conversation(spec: &Arc<Spec>, population: Population, seed: u64) -> Vec<Occurrence> {
    let mut source = Random::new(seed);
    let ranges = Ranges { request: Some((0, 4)), choose: Some((0, 4)) };
    let server = Server::new(spec.clone(), ranges, &mut source).unwrap();
    let mut conversation = Conversation::new(server, population);
    let mut all = Vec::new();
    while let Some(occurrence) = conversation.next(&mut source).unwrap_or_else(|stop| panic!("{seed}: {stop}")) {
        all.push(occurrence);
    }
    all
}

fn happened(occurrence: &Occurrence) -> Happened {
    match occurrence.clone() {
        Occurrence::Sent(client, request) => Happened::Sent(client, request),
        Occurrence::Answered(client, answer) => Happened::Answered(client, Some(answer)),
        Occurrence::Lost(client) => Happened::Lost(client),
    }
}

fn verdict(spec: &Arc<Spec>, trace: &[Occurrence]) -> Verdict {
    let history = schedule::history(spec, trace.iter().map(happened));
    schedule::judge(spec, &history, &Options::default()).verdict
}

fn shown(spec: &Spec, trace: &[Occurrence]) -> String {
    let line = |occurrence: &Occurrence| match occurrence {
        Occurrence::Sent(client, q) => format!("{client} {}", json::encode(&spec.types, spec.program.request, q)),
        Occurrence::Answered(client, a) => {
            format!("{client} = {}", json::encode(&spec.types, spec.program.response, a))
        }
        Occurrence::Lost(client) => format!("{client} lost"),
    };
    trace.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// All orders of service of the first events of a trace, one by one, without any rule.
struct Orders<'t> {
    /// Each event with the number of its connection.
    events: &'t [(usize, Occurrence)],
    /// The answers that each connection sees.
    answers: Vec<Vec<Value>>,
    left: u32,
    /// Set where an order was met that explains the trace for another reason than a clean run.
    is_doubtful: bool,
}

/// The requests that were sent and not served yet, and the number of answers of each connection.
#[derive(Clone)]
struct Served {
    pending: Vec<(usize, Value)>,
    answered: Vec<usize>,
}

impl Orders<'_> {
    /// Tests whether some order explains the events from `at` on.
    fn explain(&mut self, at: usize, judge: &Judge, served: &Served) -> bool {
        for place in 0..served.pending.len() {
            let (connection, request) = &served.pending[place];
            let is_first = !served.pending[..place].iter().any(|(other, _)| other == connection);
            if !is_first || self.left == 0 {
                continue;
            }
            self.left -= 1;
            let seen = self.answers[*connection].get(served.answered[*connection]).cloned();
            let answers = [Observed::Nothing, seen.map_or(Observed::Any, Observed::Answer)];
            for observed in answers {
                let mut after = served.clone();
                after.pending.remove(place);
                after.answered[*connection] += usize::from(observed != Observed::Nothing);
                let mut judge = judge.clone();
                let client = *connection as u64;
                let exchange = Exchange { line: 1, client, request: request.clone(), observed };
                if judge.observe(&exchange) && self.explain(at, &judge, &after) {
                    return true;
                }
            }
        }
        let Some((connection, event)) = self.events.get(at) else {
            let is_clean = judge.verdict().is_accept();
            self.is_doubtful |= !is_clean;
            return is_clean;
        };
        let mut after = served.clone();
        match event {
            Occurrence::Sent(_, request) => after.pending.push((*connection, request.clone())),
            Occurrence::Answered(..) => {
                let seen = self.events[..at].iter();
                let seen = seen.filter(|(c, event)| c == connection && matches!(event, Occurrence::Answered(..)));
                if served.answered[*connection] <= seen.count() {
                    return false;
                }
            }
            Occurrence::Lost(_) => {}
        }
        self.explain(at + 1, judge, &after)
    }
}

/// Events with the numbers of their connections.
fn connected(trace: &[Occurrence]) -> Vec<(usize, Occurrence)> {
    let (mut current, mut next) = (std::collections::BTreeMap::new(), 0);
    let number = |occurrence: &Occurrence| {
        let (Occurrence::Sent(client, _) | Occurrence::Answered(client, _) | Occurrence::Lost(client)) = occurrence;
        let number = *current.entry(*client).or_insert_with(|| {
            next += 1;
            next - 1
        });
        if let Occurrence::Lost(client) = occurrence {
            current.remove(client);
        }
        (number, occurrence.clone())
    };
    trace.iter().map(number).collect()
}

/// The finding of brute force: the first event that nothing explains, if there is one; nothing where that is too much work, or not clean.
fn first_unexplained(spec: &Arc<Spec>, trace: &[Occurrence]) -> Option<Option<u64>> {
    let events = connected(trace);
    let connections = 1 + events.iter().map(|(connection, _)| *connection).max()?;
    for end in 1..=events.len() {
        let mut answers = vec![Vec::new(); connections];
        for (connection, event) in &events[..end] {
            if let Occurrence::Answered(_, answer) = event {
                answers[*connection].push(answer.clone());
            }
        }
        let mut orders = Orders { events: &events[..end], answers, left: EFFORT, is_doubtful: false };
        let nothing = Served { pending: Vec::new(), answered: vec![0; connections] };
        if !orders.explain(0, &Judge::new(spec.clone(), Options::default()), &nothing) {
            return (orders.left > 0 && !orders.is_doubtful).then_some(Some(end as u64));
        }
    }
    Some(None)
}

/// The trace with the answer at a place replaced by another one.
fn altered(trace: &[Occurrence], at: usize, answer: &Value) -> Vec<Occurrence> {
    let mut trace = trace.to_vec();
    if let Occurrence::Answered(_, old) = &mut trace[at] {
        *old = answer.clone();
    }
    trace
}

/// Populations by which traces are simulated: pipelined, with clients that give up, over each carrier whose traces are ones over TCP.
fn populations(requests: u64) -> impl Iterator<Item = Population> {
    let of = move |(clients, pipelined, lost, carrier)| Population { clients, requests, pipelined, lost, carrier };
    let all = [(2, 1, 0, Carrier::Tcp), (3, 1, 10, Carrier::Tcp), (4, 3, 0, Carrier::Tcp), (2, 4, 10, Carrier::Tcp)];
    all.into_iter().chain([(3, 2, 10, Carrier::Fifo), (4, 1, 10, Carrier::Udp)]).map(of)
}

/// The shipped specifications of which concurrent clients are judged by a search for an order: those without steps.
fn judged() -> impl Iterator<Item = (String, Arc<Spec>)> {
    let all = shipped::all().into_iter().map(|shipped| (shipped.compile().unwrap(), shipped.name));
    all.filter(|(spec, _)| schedule::is_judged(spec) && spec.program.steps.is_empty()).map(|(spec, name)| (name, spec))
}

#[test]
fn what_several_clients_see_is_accepted() {
    let mut accepted = 0;
    for (kind, (name, spec)) in (0..).zip(judged()) {
        for seed in seeds(300 + kind, 2) {
            for population in populations(REQUESTS) {
                let trace = conversation(&spec, population, seed);
                let verdict = verdict(&spec, &trace);
                assert!(verdict.is_accept(), "{name}, {population:?}, {seed}: {verdict:?}\n{}", shown(&spec, &trace));
                let sent = trace.iter().filter(|event| matches!(event, Occurrence::Sent(..))).count();
                let answered = trace.iter().filter(|event| matches!(event, Occurrence::Answered(..))).count();
                assert_eq!(sent as u64, REQUESTS, "{name}, {population:?}, {seed}");
                assert!(population.lost > 0 || answered == sent, "{name}, {population:?}, {seed}: {answered} answers");
                accepted += 1;
            }
        }
    }
    assert!(accepted >= 200, "{accepted}");
}

#[test]
fn with_one_answer_altered_it_is_judged_as_by_trying_all_orders() {
    let (mut accepted, mut rejected, mut unknown, mut undecided) = (0, 0, 0, 0);
    for (kind, (name, spec)) in (0..).zip(judged()) {
        for seed in seeds(400 + kind, 1) {
            let mut rng = Rng::new(seed);
            for population in populations(3 + rng.below(4) as u64) {
                let trace = conversation(&spec, population, seed);
                let others = conversation(&spec, Population { requests: 30, ..population }, seed + 1);
                let answers: Vec<Value> = trace.iter().chain(&others).filter_map(answer).cloned().collect();
                let places: Vec<usize> = (0..trace.len()).filter(|at| answer(&trace[*at]).is_some()).collect();
                for at in places {
                    let trace = altered(&trace, at, rng.pick(&answers));
                    let actual = verdict(&spec, &trace);
                    let about = || format!("{name}, {population:?}, {seed}: {actual:?}\n{}", shown(&spec, &trace));
                    match (first_unexplained(&spec, &trace), &actual) {
                        (None, _) => undecided += 1,
                        (Some(_), Verdict::Unknown { .. }) => unknown += 1,
                        (Some(None), _) => {
                            assert!(actual.is_accept(), "{}", about());
                            accepted += 1;
                        }
                        (Some(Some(event)), Verdict::Reject { event: found, event_from: None }) => {
                            assert_eq!(event, *found, "{}", about());
                            rejected += 1;
                        }
                        (Some(Some(event)), _) => panic!("not rejected at {event}: {}", about()),
                    }
                }
            }
        }
    }
    println!("{accepted} accepted, {rejected} rejected, {unknown} unknown, {undecided} undecided by brute force");
    // Of specifications that may be faulty, or whose client has a duty, nothing is rejected.
    assert!(accepted > 100 && rejected > 100 && unknown + undecided < rejected);
}

fn answer(occurrence: &Occurrence) -> Option<&Value> {
    if let Occurrence::Answered(_, answer) = occurrence { Some(answer) } else { None }
}

/// A lock that its holder gives back, so that others wait.
const LOCK: &str = "enum Q { Take, Give } protocol lock { request Q; response bool; var by: option<client> = None;
     on Take from c { if by == Some(c) { reply false; } yield; assume by == None; by := Some(c); reply true; }
     on Give from c { if by != Some(c) { reply false; } by := None; reply true; } }";

#[test]
fn tasks_of_several_clients_are_interleaved() {
    let text = "protocol p { request int; response int; var n: int = 0;
         on q { let old = n; yield; n := old + 1; reply n; } }";
    let lost_updates = |text: &str, seed: u64| {
        let trace = simulated(&file("updates.may", text), &format!("--clients 4 --net tcp --steps 40 --seed {seed}"));
        let answers: BTreeSet<&str> = trace.lines().filter(|line| line.contains("\"a\"")).collect();
        40 - answers.iter().map(|line| line.rsplit(' ').next()).collect::<BTreeSet<_>>().len()
    };
    assert!((0..5).all(|seed| lost_updates(text, seed) > 5));
    let serial = text.replace("protocol", "serial protocol");
    assert!((0..5).all(|seed| lost_updates(&serial, seed) == 0));
}

#[test]
fn clients_that_wait_for_each_other_are_served_in_the_end_or_told() {
    let path = file("lock.may", LOCK);
    let arguments = ["simulate", path.to_str().unwrap(), "--net", "tcp", "--clients", "3", "--steps", "60"];
    let output = run(&arguments, "");
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    // One that holds the lock and asks no more leaves the others waiting; it ends well where all had asked by then.
    let sent = out.lines().filter(|line| line.contains("\"q\"")).count();
    match output.status.code() {
        Some(0) => assert_eq!(sent, 60),
        _ => assert!(sent < 60 && err.contains("lock.may:2:") && err.contains("no run of the server exists"), "{err}"),
    }
    assert!(out.contains(r#"{"c": 1, "a": true}"#), "{out}");
    // Nobody ever gives anything back: all wait for ever in the end, the one that has it, too.
    let text = LOCK
        .replace("by := None; reply true;", "reply true;")
        .replace("if by == Some(c) { reply false; } yield;", "yield;");
    let path = file("taken.may", text);
    check(&[&["simulate", path.to_str().unwrap()], &arguments[2..]].concat(), "", 2, &["no run of the server exists"]);
}

#[test]
fn a_duty_is_kept_although_others_are_served_first() {
    let text = "protocol order { request int; response int; var last: int = 0;
         on q { expects q > last; last := q; reply q; } }";
    let path = file("order.may", text);
    for seed in 0..4 {
        let options = format!("--clients 3 --net tcp --pipeline 2 --steps 50 --seed {seed}");
        let trace = simulated(&path, &options);
        assert_eq!(trace.lines().filter(|line| line.contains("\"a\"")).count(), 50, "{trace}");
        let trace = file("order.ndjson", &trace);
        check(&["validate", path.to_str().unwrap(), trace.to_str().unwrap()], "", 0, &["accept (100 events)"]);
    }
}

#[test]
fn the_command_writes_what_validate_reads() {
    let trace = place("register.ndjson");
    let name = trace.to_str().unwrap();
    let simulate = ["simulate", "specs/register.may", "--clients", "3", "--net", "tcp", "--steps", "100"];
    check(&[&simulate[..], &["--lost", "10", "--out", name]].concat(), "", 0, &["written"]);
    let written = std::fs::read_to_string(&trace).unwrap();
    assert!(written.starts_with("{\"mayhap\": 1, \"spec\": \"register\"}\n{\"c\": "), "{written}");
    assert!(written.contains("\"lost\": true}"), "{written}");
    check(&["validate", "specs/register.may", name], "", 0, &["accept"]);
    let options = "--clients 3 --net tcp --steps 100 --lost 10 --seed 4";
    let again = || simulated("specs/register.may".as_ref(), options);
    assert_eq!(again(), again());
    for (options, part) in [
        (&["--lost", "5"] as &[&str], "--lost and --pipeline need a network"),
        (&["--pipeline", "2"], "--lost and --pipeline need a network"),
        (&["--net", "tcp", "--pipeline", "0"], "expected a number of at least 1"),
        (&["--net", "tcp", "--lost", "101"], "101 is not in 0..=100"),
        (&["--net", "tcp", "--clients", "0"], "expected at least one client"),
    ] {
        check(&[&["simulate", "specs/register.may"], options].concat(), "", 2, &[part]);
    }
}
