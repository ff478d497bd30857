//! Shipped specifications over each network: small traces of several clients with each answer replaced by each other one, against the
//! oracle, which keeps every state that some schedule leads to.
//!
//! ```text
//! c1 Write(1)   c2 Read   c2 = 1   c1 = ok          c2 = 0 is explained, too; c2 = 2 is not, nor is c2 = ok
//! ```
//!
//! An answer becomes any other of its type where there are few, or differs in one field, in a value of the trace or a new one; and any two
//! answers change places. What peers see and answer is replaced likewise. Two requests, or two answers, of different connections may as
//! well be recorded in the other order. Few small traces are judged in the suite;
//! `MAYHAP_LONG=N cargo test --release --test it altered_answers:: -- --nocapture` judges N larger ones of each specification over each
//! network, and tells what was left open; `MAYHAP_SEED=S` begins elsewhere, and `MAYHAP_ONLY=register` is that specification only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;

use crate::brute_force::random_tasks::{happened, name, observation};
use crate::judge::Named;
use crate::oracle::tasks::{Event, Events, Explained, Wire};
use crate::oracle::{self, Domains, Oracle, Outcome};
use crate::random::judge::shown;
use crate::random::{Rng, seeds};
use crate::shipped;
use crate::simulated::tasks::seen;
use mayhap::choice::Random;
use mayhap::judge::{Judge, Options, RecordedEvent, judge_recorded};
use mayhap::network::{NetworkChoice, Observation, Sync, most_outstanding};
use mayhap::search;
use mayhap::search::OnlineHistory;
use mayhap::server::{Asked, Population, Ranges, Reply, Server};
use mayhap::syntax::ast::File;
use mayhap::{Exchange, Spec, Validator, json};

/// A network, and what it is for the oracle.
struct Net {
    name: &'static str,
    wire: Wire,
}

const fn net(name: &'static str, wire: Wire) -> Net {
    Net { name, wire }
}

const NETWORKS: [Net; 6] = [
    net("tcp", Wire::Tcp),
    net("fifo", Wire::Fifo),
    net("udp", Wire::Udp),
    net("udp,duplication", Wire::UdpAgain),
    net("tcp,connections=2", Wire::Tcp),
    net("udp,loss", Wire::Udp),
];

/// The integers that requests and choices of a simulated server are drawn from.
const DRAWN: (i64, i64) = (0, 4);
/// The most values of a type that are all tried.
const FEW: usize = 12;
/// The work on one event after which a verdict is left open.
const EFFORT: u64 = 300_000;

/// A budget.
#[derive(Clone, Copy)]
struct Size {
    /// The traces of a specification over a network.
    traces: u64,
    /// The most requests of a trace.
    requests: usize,
    /// The runs after which brute force gives up.
    runs: usize,
    /// One of this number of altered traces is judged.
    every: usize,
}

impl Size {
    fn wanted() -> Size {
        match std::env::var("MAYHAP_LONG").ok() {
            Some(traces) => Size { traces: traces.parse().expect("a number"), requests: 6, runs: 20_000, every: 1 },
            None => Size { traces: 1, requests: 3, runs: 900, every: 5 },
        }
    }
}

/// A specification.
struct Served {
    name: String,
    file: File,
    /// It, compiled for clients that wait for each answer, where that is possible,
    alone: Option<Arc<Spec>>,
    /// and for networks.
    spec: Arc<Spec>,
}

impl Served {
    fn all() -> Vec<Served> {
        let only = std::env::var("MAYHAP_ONLY").unwrap_or_default();
        let of = |(name, text): (String, String)| {
            let spec = crate::brute_force::random_tasks::compiled(&text);
            Served { name, file: oracle::load(&text), alone: Spec::from_text(&text).ok(), spec }
        };
        // Brute force has too few texts for the names that a proxy gives itself.
        let network = crate::golden::files("specs/network", "may").into_iter();
        let network = network.filter(|(path, _)| !path.ends_with("forward_proxy.may"));
        let network = network.map(|(path, text)| (path.file_stem().unwrap().to_string_lossy().into_owned(), text));
        let all = shipped::all().into_iter().map(|shipped| (shipped.name, shipped.text)).chain(network);
        all.filter(|(name, _)| name.contains(&only)).map(of).collect()
    }

    fn calls(&self) -> bool {
        !self.spec.program.peers.is_empty()
    }

    /// Requests of several clients, each answered before the next.
    fn asked(&self, alone: &Arc<Spec>, requests: usize, seed: u64) -> Events {
        let mut source = Random::new(seed);
        let mut server = Server::new(alone.clone(), ranges(), &mut source).unwrap();
        let types = &alone.types;
        let ask = |_| {
            let Asked { client, request, reply } = server.asked(2, &mut source).unwrap();
            let Reply::Answer(answer) = reply else { panic!("an answer") };
            let [request, answer] = [(alone.program.request, request), (alone.program.response, answer)]
                .map(|(ty, value)| json::encode(types, ty, &value).parse().unwrap());
            [(client, Event::Request(request)), (client, Event::Answer(answer))]
        };
        (0..requests).flat_map(ask).collect()
    }
}

fn ranges() -> Ranges {
    Ranges { request: Some(DRAWN), choose: Some(DRAWN) }
}

/// The integers that a server may choose so that it makes a difference: those of the trace, those between and some around them.
fn integers(trace: &[BigInt], around: i64) -> Vec<BigInt> {
    let small = |n: &&BigInt| **n >= BigInt::from(-100) && **n <= BigInt::from(100);
    let near: BTreeSet<BigInt> = trace.iter().flat_map(|n| [n - 1, n.clone(), n + 1]).collect();
    let (least, most) = (trace.iter().filter(small).min(), trace.iter().filter(small).max());
    let zero = BigInt::default();
    let from = least.unwrap_or(&zero).min(&zero) - around;
    let to = most.unwrap_or(&zero).max(&zero) + around + 1;
    let between = std::iter::successors(Some(from), |n| Some(n + 1)).take_while(|n| *n <= to);
    between.chain(near).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A trace, all that may take its place, and brute force for them.
struct Compared<'s> {
    served: &'s Served,
    net: &'s Net,
    size: Size,
    tally: &'s mut Tally,
}

/// The number of verdicts by what they are, and of what was left open by specification and network.
#[derive(Default, Debug)]
struct Tally {
    verdicts: BTreeMap<&'static str, u64>,
    open: BTreeMap<(String, &'static str, &'static str), u64>,
    wrong: Vec<String>,
    beyond: u64,
    swapped: u64,
}

impl Tally {
    fn count(&mut self, verdict: &'static str) {
        *self.verdicts.entry(verdict).or_default() += 1;
    }

    fn leave_open(&mut self, served: &Served, net: &Net, who: &'static str) {
        self.count(who);
        *self.open.entry((served.name.clone(), net.name, who)).or_default() += 1;
    }
}

/// A trace in the place of another one, of which the first events are the same.
struct Altered {
    same: usize,
    trace: Events,
}

fn alterations(oracle: &Oracle<'_>, trace: &Events) -> Vec<Altered> {
    let scalars = oracle.scalars(trace);
    let says = |at: &usize| {
        matches!(
            trace[*at].1,
            Event::Answer(_) | Event::Called(..) | Event::CallAnswered(Some(_)) | Event::AnswerSent(_)
        )
    };
    let places: Vec<usize> = (0..trace.len()).filter(says).collect();
    let mut all = Vec::new();
    for (place, at) in places.iter().copied().enumerate() {
        for other in oracle.other_events(&trace[at].1, &scalars, FEW) {
            let mut trace = trace.clone();
            trace[at].1 = other;
            all.push(Altered { same: at, trace });
        }
        for other in places[place + 1..].iter().copied() {
            let is_like = std::mem::discriminant(&trace[at].1) == std::mem::discriminant(&trace[other].1);
            if is_like && trace[at].1 != trace[other].1 {
                let mut trace = trace.clone();
                let event = trace[at].1.clone();
                trace[at].1 = std::mem::replace(&mut trace[other].1, event);
                all.push(Altered { same: at, trace });
            }
        }
    }
    all
}

impl Compared<'_> {
    fn domains(&self, trace: &Events, altered: &[Altered], around: i64) -> Domains {
        let all: Events = trace.iter().chain(altered.iter().flat_map(|altered| &altered.trace)).cloned().collect();
        let scalars = Oracle::new(&self.served.file, None, Domains::default()).scalars(&all);
        let ints: Vec<BigInt> = scalars.ints.into_iter().collect();
        Domains {
            ints: integers(&ints, around),
            strings: scalars.strings.into_iter().collect(),
            // Without order there are many more worlds, and each has more in it.
            runs: if self.net.wire >= Wire::Udp { self.size.runs / 3 } else { self.size.runs },
            ..Domains::default()
        }
    }

    /// Compares the verdicts on a trace, and on each that may take its place, with brute force.
    fn compare(&mut self, trace: &Events, judged: &dyn Fn(&Events) -> Vec<Named>) {
        let mut oracle = Oracle::new(&self.served.file, None, Domains::default());
        oracle.mention(trace);
        let altered = alterations(&oracle, trace);
        let every = self.size.every;
        let altered: Vec<Altered> = altered.into_iter().skip(trace.len() % every).step_by(every).collect();
        let all: Events = trace.iter().chain(altered.iter().flat_map(|altered| &altered.trace)).cloned().collect();
        let mut oracle = Oracle::new(&self.served.file, None, self.domains(trace, &altered, 2));
        oracle.mention(&all);
        // What explains each beginning.
        let mut begun = vec![Some(oracle.begun())];
        let expected = self.explain(&oracle, trace, &mut |explained| begun.push(Some(explained.clone())));
        begun.push(None);
        self.agree(&Altered { same: 0, trace: trace.clone() }, expected, judged, true);
        for altered in &altered {
            let start = begun[altered.same.min(begun.len() - 1)].clone();
            let expected =
                start.and_then(|start| self.explain_from(&oracle, start, (altered, altered.same), &mut |_| {}));
            self.agree(altered, expected, judged, false);
        }
    }

    /// The verdict of brute force on a trace, if it is not too much work.
    fn explain(&self, oracle: &Oracle<'_>, trace: &Events, see: &mut dyn FnMut(&Explained)) -> Option<Named> {
        let trace = Altered { same: 0, trace: trace.clone() };
        self.explain_from(oracle, oracle.begun(), (&trace, 0), see)
    }

    /// The same from one of its events on.
    fn explain_from(
        &self,
        oracle: &Oracle<'_>,
        mut explained: Explained,
        (altered, from): (&Altered, usize),
        see: &mut dyn FnMut(&Explained),
    ) -> Option<Named> {
        oracle.begin_counting();
        let name = |outcome: Outcome| {
            let (name, event) = shown(&outcome)?;
            Some((name, event.map(|event| event as u64).filter(|_| name != "outside")))
        };
        for at in from..altered.trace.len() {
            if let Some(outcome) = oracle.explain_event(&mut explained, self.net.wire, &altered.trace[at..]) {
                return name(outcome);
            }
            see(&explained);
        }
        name(explained.accept())
    }

    fn agree(&mut self, altered: &Altered, expected: Option<Named>, judged: &dyn Fn(&Events) -> Vec<Named>, own: bool) {
        let Some(expected) = expected else {
            self.tally.leave_open(self.served, self.net, "too large for brute force");
            return;
        };
        let said = judged(&altered.trace);
        if own || self.size.every == 1 {
            self.swap(&altered.trace, &said[0], judged);
        }
        for actual in said {
            if actual.0 == "unknown" {
                self.tally.leave_open(self.served, self.net, "unknown");
                continue;
            }
            self.tally.count(actual.0);
            let is_wrong = actual != expected && !self.is_beyond(altered, &expected, &actual);
            if is_wrong || (own && expected.0 != "accept") {
                let Served { name, .. } = self.served;
                let trace: Vec<String> = altered.trace.iter().map(|event| format!("  {event:?}")).collect();
                let about = format!("{name} over {}: {actual:?}, not {expected:?}", self.net.name);
                eprintln!("{about}\n{}", trace.join("\n"));
                self.tally.wrong.push(about);
            }
        }
    }

    /// Compares the verdict on a trace with those on it with two requests, or two answers, of different connections in the other order:
    /// that makes no difference where each connection has its own queue, or none has an order.
    fn swap(&mut self, trace: &Events, said: &Named, judged: &dyn Fn(&Events) -> Vec<Named>) {
        if self.net.wire == Wire::Fifo || self.net.name == "sync" {
            return;
        }
        for at in 1..trace.len() {
            let pair = (&trace[at - 1].1, &trace[at].1);
            let is_like = matches!(pair, (Event::Request(_), Event::Request(_)) | (Event::Answer(_), Event::Answer(_)));
            if !is_like || trace[at - 1].0 == trace[at].0 {
                continue;
            }
            let mut swapped = trace.clone();
            swapped.swap(at - 1, at);
            self.tally.swapped += 1;
            let again = judged(&swapped).swap_remove(0);
            if again.0 != said.0 && again.0 != "unknown" && said.0 != "unknown" {
                let about = format!("{} over {}: {said:?}, and {again:?} swapped", self.served.name, self.net.name);
                eprintln!("{about} at {at}\n{trace:?}");
                self.tally.wrong.push(about);
            }
        }
    }

    /// Tests whether brute force agrees where there are more integers to choose from.
    fn is_beyond(&mut self, altered: &Altered, expected: &Named, actual: &Named) -> bool {
        if expected.0 != "reject" || (actual.0 == "reject" && actual.1 < expected.1) {
            return false;
        }
        for around in [6, 14] {
            let domains = Domains { runs: 50_000, ..self.domains(&altered.trace, &[], around) };
            let mut oracle = Oracle::new(&self.served.file, None, domains);
            oracle.mention(&altered.trace);
            match self.explain(&oracle, &altered.trace, &mut |_| {}) {
                None => return false,
                Some(other) if other == *actual => {
                    self.tally.beyond += 1;
                    return true;
                }
                Some(_) => {}
            }
        }
        false
    }
}

/// The verdicts of all engines that judge what happens over a network.
fn verdicts(served: &Served, network: NetworkChoice, trace: &Events) -> Vec<Named> {
    let options = Options { effort: EFFORT, ..Options::default() };
    let model = network.network();
    let events: Vec<RecordedEvent> = (1..).zip(trace.iter().map(|event| observation(&served.spec, event))).collect();
    let mut online = Judge::new(served.spec.clone(), options.clone());
    _ = events.iter().all(|(line, event)| online.observe_over(&*model, *line, event));
    let whole = judge_recorded(&served.spec, &*model, &events, &options).verdict();
    let mut all = vec![name(&online.verdict()), name(&whole)];
    let most = most_outstanding(events.iter().map(|(_, observation)| observation));
    let is_order = |spec: &&Arc<Spec>| spec.program.steps.is_empty() && search::is_judged(spec);
    if let Some(spec) = served.alone.as_ref().filter(is_order).filter(|_| network.is_like_tcp(most)) {
        let history = search::history(spec, trace.iter().map(|event| happened(spec, event)));
        all.push(name(&search::judge(spec, &history, &options).verdict));
        let mut session = OnlineHistory::new(spec, options);
        let each = (1..).zip(trace).map(|(line, event)| session.push(line, happened(spec, event)));
        // What is too hard event by event has no verdict of its own.
        all.extend(each.last().expect("an event").as_ref().map(name));
    }
    all
}

/// The verdicts on exchanges, one by one and event by event; an event is that of the answer.
fn verdicts_alone(spec: &Arc<Spec>, trace: &Events) -> Vec<Named> {
    let mut validator = Validator::new(spec);
    let observed: Vec<Observation> = trace.iter().map(|event| observation(spec, event)).collect();
    for (line, pair) in (1..).zip(observed.chunks(2)) {
        let [Observation::Request(port, request), Observation::Answer(_, Some(answer))] = pair else {
            panic!("{pair:?}")
        };
        let (request, observed) = (request.clone(), mayhap::details::Observed::Answer(answer.clone()));
        if !validator.observe_exchange(&Exchange { line, client: port.0, request, observed }) {
            break;
        }
    }
    let mut judge = Judge::new(spec.for_networks(), Options::default());
    _ = (1..).zip(&observed).all(|(line, event)| judge.observe_over(&Sync, line, event));
    let (verdict, line) = name(&validator.verdict());
    vec![(verdict, line.map(|line| 2 * line)), name(&judge.verdict())]
}

fn check(networks: &[Net]) {
    let (size, mut tally) = (Size::wanted(), Tally::default());
    for (kind, served) in (0..).zip(Served::all()) {
        if size.every == 1 {
            eprintln!("{}: {:?}", served.name, tally.verdicts);
        }
        for (place, net) in (0..).zip(networks) {
            let network: NetworkChoice = net.name.parse().unwrap();
            for seed in seeds(900 + 100 * kind + place, size.traces) {
                let mut rng = Rng::new(seed);
                let most = if served.calls() { 2 } else { size.requests };
                let population = Population {
                    clients: 2 + (rng.below(2) as u64).min(network.connections().map_or(1, |most| most as u64 - 2)),
                    requests: 2.max(most - rng.below(most.div_ceil(2))) as u64,
                    pipelined: 1 + rng.below(2),
                    lost: *rng.pick(&[0, 0, 20]),
                    network,
                };
                let trace = seen(&served.spec, ranges(), population, seed);
                if trace.is_empty() {
                    continue;
                }
                let mut compared = Compared { served: &served, net, size, tally: &mut tally };
                compared.compare(&trace, &|trace| verdicts(&served, network, trace));
            }
        }
    }
    tally.check();
}

impl Tally {
    fn check(self) {
        println!("{:?}, {} accepted with more to choose from, {} swapped", self.verdicts, self.beyond, self.swapped);
        for ((specification, network, who), count) in &self.open {
            println!("{specification} over {network}: {who} {count} times");
        }
        assert!(self.wrong.is_empty(), "{:#?}", self.wrong);
        let of = |verdict: &str| self.verdicts.get(verdict).copied().unwrap_or_default();
        assert!(of("accept") > 50 && of("reject") > 50, "{:?}", self.verdicts);
    }
}

#[test]
fn over_connections() {
    let is_own = |net: &Net| net.wire == Wire::Tcp;
    check(&NETWORKS.into_iter().filter(is_own).collect::<Vec<_>>());
}

#[test]
fn over_one_queue() {
    let is_own = |net: &Net| net.wire == Wire::Fifo;
    check(&NETWORKS.into_iter().filter(is_own).collect::<Vec<_>>());
}

#[test]
fn over_datagrams() {
    let is_own = |net: &Net| net.wire >= Wire::Udp;
    check(&NETWORKS.into_iter().filter(is_own).collect::<Vec<_>>());
}

#[test]
fn one_request_at_a_time() {
    let (size, mut tally) = (Size::wanted(), Tally::default());
    let net = net("sync", Wire::Tcp);
    for (kind, served) in (0..).zip(Served::all()) {
        let Some(alone) = &served.alone else { continue };
        for seed in seeds(890 + 100 * kind, size.traces) {
            let trace = served.asked(alone, size.requests, seed);
            let mut compared = Compared { served: &served, net: &net, size, tally: &mut tally };
            compared.compare(&trace, &|trace| verdicts_alone(alone, trace));
        }
    }
    tally.check();
}
