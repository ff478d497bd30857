//! Shipped specifications, simulated over each network: what several clients see is accepted over it, and with one answer altered it is
//! judged as by trying all schedules.
//!
//! A schedule says when each request was read, and which of the answers that were seen was the one to it. For example of c1 Write(1),
//! c2 Read, c2 = 1, c1 = ok there is one over connections, and none over one queue each way, where c1 is answered first.
//! `MAYHAP_LONG=N cargo test --release --test it simulated::networks::` tries N traces of each specification over each network, and
//! `MAYHAP_SEED=S` begins elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::details::{Observed, Value};
use mayhap::judge::{Judge, RecordedEvent, judge_recorded};
use mayhap::network::{NetworkChoice, Observation};
use mayhap::process::Port;
use mayhap::search;
use mayhap::server::{Conversation, Occurrence, Population, Ranges, Server};
use mayhap::{Exchange, Options, Spec, Verdict, json};

use crate::random::{Rng, seeds};
use crate::shipped;

/// The requests of a trace that is to be accepted; and of one over a network that keeps no order, of which there are many more.
const REQUESTS: [u64; 2] = [30, 6];
/// The most requests that brute force serves for one trace.
const EFFORT: u32 = 20_000;
/// The networks.
const NETWORKS: [&str; 5] = ["tcp", "fifo", "udp", "udp,loss", "udp,loss,duplication"];
/// The clients, the requests that each may have under way, and the percentage of these that are given up.
const POPULATIONS: [(u64, usize, u64); 4] = [(2, 1, 0), (3, 1, 10), (4, 3, 0), (2, 4, 10)];

/// The events between clients and a server, until all is answered; each with the number of its connection.
type Trace = Vec<(u64, Occurrence)>;

fn simulated(spec: &Arc<Spec>, population: Population, seed: u64) -> Trace {
    let mut source = Random::new(seed);
    let ranges = Ranges { request: Some((0, 4)), choose: Some((0, 4)) };
    let server = Server::new(spec.clone(), ranges, &mut source).unwrap();
    let mut conversation = Conversation::new(server, population);
    let (mut connections, mut last) = (BTreeMap::new(), population.clients);
    let mut trace = Trace::new();
    while let Some(occurrence) = conversation.next(&mut source).unwrap_or_else(|stop| panic!("{seed}: {stop}")) {
        let (Occurrence::Sent(client, _) | Occurrence::Answered(client, _) | Occurrence::Lost(client)) = occurrence
        else {
            unreachable!("they only answer")
        };
        let connection = *connections.entry(client).or_insert(client);
        if let Occurrence::Lost(_) = occurrence {
            last += 1;
            connections.insert(client, last);
        }
        trace.push((connection, occurrence));
    }
    trace
}

/// The verdict on a trace, event by event.
fn judged(spec: &Arc<Spec>, network: NetworkChoice, trace: &Trace) -> Verdict {
    let observation = |(connection, occurrence): &(u64, Occurrence)| match occurrence {
        Occurrence::Sent(_, request) => Observation::Request(Port(*connection), request.clone()),
        Occurrence::Answered(_, answer) => Observation::Answer(Port(*connection), Some(answer.clone())),
        Occurrence::Lost(_) => Observation::Lost(Port(*connection)),
        Occurrence::Closed(_) | Occurrence::Peer(_) => unreachable!("they only answer"),
    };
    let events: Vec<RecordedEvent> = (1..).zip(trace.iter().map(observation)).collect();
    judge_recorded(&spec.for_networks(), &*network.network(), &events, &Options::default()).verdict()
}

/// The verdict on a trace, by a search for an order of service.
fn searched(spec: &Arc<Spec>, trace: &Trace) -> Verdict {
    let happened = trace.iter().map(|(_, occurrence)| match occurrence.clone() {
        Occurrence::Sent(client, request) => Observation::Request(Port(client), request),
        Occurrence::Answered(client, answer) => Observation::Answer(Port(client), Some(answer)),
        Occurrence::Lost(client) => Observation::Lost(Port(client)),
        Occurrence::Closed(_) | Occurrence::Peer(_) => unreachable!("they only answer"),
    });
    search::judge(spec, &search::history(spec, happened), &Options::default()).verdict
}

/// The verdicts of all engines that judge such a trace.
fn verdicts(spec: &Arc<Spec>, network: NetworkChoice, trace: &Trace) -> Vec<Verdict> {
    let is_searched = network == NetworkChoice::TCP && search::is_judged(spec) && spec.program.steps.is_empty();
    let mut verdicts = vec![judged(spec, network, trace)];
    verdicts.extend(is_searched.then(|| searched(spec, trace)));
    verdicts
}

fn shown(spec: &Spec, trace: &Trace) -> String {
    let line = |(connection, occurrence): &(u64, Occurrence)| match occurrence {
        Occurrence::Sent(_, q) => format!("c{connection} {}", json::encode(&spec.types, spec.program.request, q)),
        Occurrence::Answered(_, a) => {
            format!("c{connection} = {}", json::encode(&spec.types, spec.program.response, a))
        }
        Occurrence::Lost(_) => format!("c{connection} lost"),
        Occurrence::Closed(_) | Occurrence::Peer(_) => unreachable!("they only answer"),
    };
    trace.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The order in which packets arrive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packets {
    OfConnection,
    OfAll,
    Free,
}

/// All schedules of the events of a trace, one by one, without any rule.
struct Schedules<'t> {
    trace: &'t [(u64, Occurrence)],
    packets: Packets,
    left: u32,
    /// Set where a schedule was met that explains the trace for another reason than a clean run.
    is_doubtful: bool,
}

/// A server behind some sections, and what is under way.
#[derive(Clone)]
struct World {
    judge: Judge,
    arrived: Vec<(u64, Value)>,
    /// The answers, each with the event at which it is seen, if it is.
    sent: Vec<(u64, Option<usize>)>,
    gone: Vec<u64>,
    /// The events whose answers were sent.
    answered: Vec<usize>,
}

impl Packets {
    /// The places of those that may arrive next.
    fn next(self, connections: &[u64]) -> Vec<usize> {
        let is_next = |at: &usize| match self {
            Packets::Free => true,
            Packets::OfConnection => !connections[..*at].contains(&connections[*at]),
            Packets::OfAll => *at == 0,
        };
        (0..connections.len()).filter(is_next).collect()
    }
}

impl Schedules<'_> {
    /// Tests whether some schedule explains the events from `at` on.
    fn explain(&mut self, at: usize, world: &World) -> bool {
        self.pass(at, world) || self.serve(at, world)
    }

    /// Tests whether the next event may happen now, and the others later.
    fn pass(&mut self, at: usize, world: &World) -> bool {
        let Some((connection, event)) = self.trace.get(at) else {
            let is_clean = world.judge.verdict().is_accept();
            self.is_doubtful |= !is_clean;
            return is_clean;
        };
        let mut after = world.clone();
        match event {
            Occurrence::Sent(_, request) => after.arrived.push((*connection, request.clone())),
            Occurrence::Answered(..) => {
                let connections: Vec<u64> = world.sent.iter().map(|(to, _)| *to).collect();
                let seen = self.packets.next(&connections).into_iter().find(|place| world.sent[*place].1 == Some(at));
                let Some(place) = seen else { return false };
                after.sent.remove(place);
            }
            Occurrence::Lost(_) => {
                after.sent.retain(|(to, _)| to != connection);
                after.gone.push(*connection);
            }
            Occurrence::Closed(_) | Occurrence::Peer(_) => unreachable!("they only answer"),
        }
        self.explain(at + 1, &after)
    }

    /// Tests whether the server may read a request first.
    fn serve(&mut self, at: usize, world: &World) -> bool {
        let connections: Vec<u64> = world.arrived.iter().map(|(from, _)| *from).collect();
        for place in self.packets.next(&connections) {
            let mut after = world.clone();
            let (client, request) = after.arrived.remove(place);
            let is_seen = |event: &usize| {
                let (connection, occurrence) = &self.trace[*event];
                *connection == client
                    && matches!(occurrence, Occurrence::Answered(..))
                    && !world.answered.contains(event)
            };
            let seen: Vec<usize> = (at..self.trace.len()).filter(is_seen).collect();
            let mut ways = vec![(Observed::Nothing, None)];
            // A connection that keeps its order shows the first answer first.
            let most = if self.packets == Packets::Free { seen.len() } else { 1 };
            for event in seen.into_iter().take(most) {
                let Occurrence::Answered(_, answer) = &self.trace[event].1 else { continue };
                ways.push((Observed::Answer(answer.clone()), Some(event)));
            }
            ways.push((Observed::Any, None));
            for (observed, event) in ways {
                if self.left == 0 {
                    return false;
                }
                self.left -= 1;
                let mut after = after.clone();
                let answers = observed != Observed::Nothing;
                let exchange = Exchange { line: 1, client, request: request.clone(), observed };
                if !after.judge.observe(&exchange) {
                    continue;
                }
                if answers && !after.gone.contains(&client) {
                    after.sent.push((client, event));
                }
                after.answered.extend(event);
                if self.explain(at, &after) {
                    return true;
                }
            }
        }
        false
    }
}

/// The finding of brute force: the first event that nothing explains, if there is one; nothing where that is too much work, or not clean.
fn first_unexplained(spec: &Arc<Spec>, packets: Packets, trace: &Trace) -> Option<Option<u64>> {
    for end in 1..=trace.len() {
        let mut schedules = Schedules { trace: &trace[..end], packets, left: EFFORT, is_doubtful: false };
        let judge = Judge::new(spec.clone(), Options::default());
        let none = Vec::new();
        let world = World { judge, arrived: Vec::new(), sent: Vec::new(), gone: none, answered: Vec::new() };
        if !schedules.explain(0, &world) {
            return (schedules.left > 0 && !schedules.is_doubtful).then_some(Some(end as u64));
        }
    }
    Some(None)
}

/// All shipped specifications; each answers every request at once, with steps or without.
fn specifications() -> impl Iterator<Item = (String, Arc<Spec>)> {
    shipped::all().into_iter().map(|shipped| (shipped.name.clone(), shipped.compile().unwrap()))
}

fn population((clients, pipelined, lost): (u64, usize, u64), requests: u64, network: &str) -> Population {
    Population { clients, requests, pipelined, lost, network: network.parse().unwrap() }
}

fn answer((_, occurrence): &(u64, Occurrence)) -> Option<&Value> {
    if let Occurrence::Answered(_, answer) = occurrence { Some(answer) } else { None }
}

#[test]
fn what_several_clients_see_is_accepted_over_each_network() {
    let mut tally: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (kind, (name, spec)) in (0..).zip(specifications()) {
        for (place, network) in NETWORKS.into_iter().enumerate() {
            for seed in seeds(700 + kind, 1) {
                for who in POPULATIONS.into_iter().skip((kind as usize + place) % 2).step_by(2) {
                    let requests = REQUESTS[usize::from(network.starts_with("udp"))];
                    let population = population(who, requests, network);
                    let trace = simulated(&spec, population, seed);
                    let sent = trace.iter().filter(|(_, event)| matches!(event, Occurrence::Sent(..))).count();
                    assert_eq!(sent as u64, requests, "{name}, {population:?}, {seed}");
                    for verdict in verdicts(&spec, population.network, &trace) {
                        let is_open = matches!(verdict, Verdict::Unknown { .. });
                        let about = || format!("{name}, {population:?}, {seed}: {verdict:?}\n{}", shown(&spec, &trace));
                        assert!(verdict.is_accept() || is_open, "{}", about());
                        *tally.entry((network, if is_open { "unknown" } else { "accept" })).or_default() += 1;
                    }
                }
            }
        }
    }
    println!("{tally:?}");
    // What is read again and again may choose anew each time, without end.
    let of = |verdict: &str, again: bool| {
        let counts =
            tally.iter().filter(|((network, found), _)| *found == verdict && network.contains("dupl") == again);
        counts.map(|(_, count)| *count).sum::<u64>()
    };
    assert!(of("unknown", false) * 50 < of("accept", false) && of("accept", true) > of("unknown", true), "{tally:?}");
}

#[test]
fn with_one_answer_altered_it_is_judged_as_by_trying_all_schedules() {
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    let networks = [("tcp", Packets::OfConnection), ("fifo", Packets::OfAll), ("udp", Packets::Free)];
    for (kind, (name, spec)) in (0..).zip(specifications()) {
        for seed in seeds(800 + kind, 1) {
            let mut rng = Rng::new(seed);
            for (network, packets) in networks {
                let population = population(*rng.pick(&POPULATIONS), 3 + rng.below(4) as u64, network);
                let trace = simulated(&spec, population, seed);
                let others = simulated(&spec, Population { requests: 30, ..population }, seed + 1);
                let answers: Vec<Value> = trace.iter().chain(&others).filter_map(answer).cloned().collect();
                let places = (0..trace.len()).filter(|at| answer(&trace[*at]).is_some());
                for (at, _) in places.flat_map(|at| [(at, 0), (at, 1)]) {
                    let mut trace = trace.clone();
                    trace[at].1 = Occurrence::Answered(0, rng.pick(&answers).clone());
                    compare((&name, &spec), (population, packets), &trace, &mut tally);
                }
            }
        }
    }
    println!("{tally:?}");
    let of = |verdict: &str| tally.get(verdict).copied().unwrap_or_default();
    assert!(of("accept") > 100 && of("reject") > 100, "{tally:?}");
}

/// Compares the verdicts on a trace with brute force.
fn compare(
    (name, spec): (&str, &Arc<Spec>),
    (population, packets): (Population, Packets),
    trace: &Trace,
    tally: &mut BTreeMap<&str, u64>,
) {
    let Some(expected) = first_unexplained(spec, packets, trace) else {
        *tally.entry("not decided by brute force").or_default() += 1;
        return;
    };
    let mut trace = trace.clone();
    for (connection, occurrence) in &mut trace {
        // Connections, not clients: each has a number of its own.
        if let Occurrence::Sent(client, _) | Occurrence::Answered(client, _) | Occurrence::Lost(client) = occurrence {
            *client = *connection;
        }
    }
    for actual in verdicts(spec, population.network, &trace) {
        let about = || format!("{name}, {population:?}: {actual:?}, not {expected:?}\n{}", shown(spec, &trace));
        let verdict = match (expected, &actual) {
            (_, Verdict::Unknown { .. }) => "unknown",
            (None, Verdict::Accept { .. }) => "accept",
            (Some(event), Verdict::Reject { event: found, event_from: None }) if event == *found => "reject",
            _ => panic!("{}", about()),
        };
        *tally.entry(verdict).or_default() += 1;
    }
}
