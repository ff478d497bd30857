//! The reductions of judging over networks, against brute force on random programs: tasks that are looked at ahead, packets as a set, a
//! message that is sent again and again as one, candidates that merge, recordings searched deepest first.
//!
//! ```text
//! on q from c { if n == m { reply 1; } last := Some(c); yield; n := m; reply 1; }     step { if last is Some(to) { send to, n; } }
//! ```
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --release --test it network_reductions::` runs N, and
//! `MAYHAP_SEED=S` begins elsewhere.

use crate::brute_force::random_tasks::{EFFORT, Tally, compiled, domains, is_balanced, name, observation};
use crate::oracle::tasks::Wire;
use crate::oracle::{self, Oracle};
use crate::random::judge::shown;
use crate::random::{Rng, seeds, tasks};
use mayhap::judge::{Judge, Options, RecordedEvent, Reductions, judge_recorded};
use mayhap::network::NetworkChoice;

/// The networks, each as the oracle has it.
const NETWORKS: [(Wire, &str); 4] =
    [(Wire::Tcp, "tcp"), (Wire::Fifo, "fifo"), (Wire::Udp, "udp"), (Wire::UdpAgain, "udp,duplication")];

/// Compares the verdicts of all settings on traces of a program with that of brute force.
fn compare(rng: &mut Rng, text: &str, (wire, network): (Wire, &str), tally: &mut Tally) {
    let (file, spec) = (oracle::load(text), compiled(text));
    let model = network.parse::<NetworkChoice>().unwrap().network();
    let length = 3 + rng.below(8);
    let run = tasks::run(rng, &file, domains(), (wire, length, 5));
    for trace in [tasks::altered(rng, &run), run] {
        let outcome = Oracle::new(&file, None, domains()).brute_force_tasks(wire, &trace);
        let Some((verdict, event)) = shown(&outcome) else {
            *tally.entry("too large").or_default() += 1;
            continue;
        };
        let expected = (verdict, event.map(|event| event as u64).filter(|_| verdict != "outside"));
        let events: Vec<RecordedEvent> = (1..).zip(trace.iter().map(|event| observation(&spec, event))).collect();
        for reductions in [Reductions::Usual, Reductions::Eager, Reductions::None] {
            let options = Options { reductions, effort: EFFORT, ..Options::default() };
            let mut online = Judge::new(spec.clone(), options.clone());
            _ = events.iter().all(|(line, event)| online.observe_over(&*model, *line, event));
            let whole = judge_recorded(&spec, &*model, &events, &options);
            for actual in [name(&online.verdict()), name(&whole.verdict())] {
                *tally.entry(actual.0).or_default() += 1;
                let agrees = actual == expected || actual.0 == "unknown";
                assert!(agrees, "{actual:?}, not {expected:?} over {network}, {reductions:?}\n{text}\n{trace:?}");
            }
        }
    }
}

#[test]
fn all_reductions_and_none_give_the_verdict_of_brute_force() {
    let mut tally = Tally::new();
    for (at, mut rng) in seeds(97, 16).map(Rng::new).enumerate() {
        let text = match rng.below(6) {
            0 => tasks::random_talking(&mut rng),
            1 => tasks::random_waiting(&mut rng),
            2 => tasks::random_calling(&mut rng),
            _ => tasks::random_comparing(&mut rng),
        };
        compare(&mut rng, &text, NETWORKS[at % NETWORKS.len()], &mut tally);
    }
    println!("{tally:?}");
    assert!(is_balanced(&tally), "{tally:?}");
}

#[test]
fn servers_that_only_answer_agree_with_brute_force_over_datagrams() {
    let mut tally = Tally::new();
    let networks = NETWORKS.into_iter().filter(|(_, network)| network.starts_with("udp"));
    let mut networks = networks.collect::<Vec<_>>().into_iter().cycle();
    for mut rng in seeds(101, 40).map(Rng::new) {
        let text = tasks::random_answering(&mut rng);
        compare(&mut rng, &text, networks.next().expect("there are some"), &mut tally);
    }
    println!("{tally:?}");
    assert!(is_balanced(&tally), "{tally:?}");
}
