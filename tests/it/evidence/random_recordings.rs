//! Evidence for random recordings that are judged event by event: the run that explains an accepted one replays, and the reason of a
//! rejection is one for brute force, too, and minimal.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --test it evidence::random_recordings::` runs N, and `MAYHAP_SEED=S`
//! begins elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::brute_force::random_tasks::{EFFORT, compiled, domains, expected, network, observation};
use crate::oracle;
use crate::oracle::tasks::{Event, Events, Wire};
use crate::random::{self, Rng, tasks};
use mayhap::evidence::{
    AnswerValues, Budget, Minimality, NetworkRecording, NetworkWitness, Rechecked, answer_values, check_values,
    witness_of_recording,
};
use mayhap::judge::{Options, RecordedEvent, judge_recorded};
use mayhap::network::{Network, Observation};
use mayhap::syntax::ast::File;
use mayhap::{Spec, Verdict};

/// The number of times that each thing came out.
type Tally = BTreeMap<&'static str, u64>;

/// A random program, and what was recorded of it.
struct Recorded<'r> {
    text: &'r str,
    spec: &'r Arc<Spec>,
    events: Vec<RecordedEvent>,
    options: Options,
}

fn recorded<'r>(text: &'r str, spec: &'r Arc<Spec>, trace: &Events) -> Recorded<'r> {
    let events = (1..).zip(trace.iter().map(|event| observation(spec, event))).collect();
    Recorded { text, spec, events, options: Options { effort: EFFORT, ..Options::default() } }
}

impl Recorded<'_> {
    fn verdict(&self, network: &dyn Network) -> Verdict {
        judge_recorded(self.spec, network, &self.events, &self.options).verdict()
    }

    /// Checks that an accepted recording has a run that replays, where that is not too hard.
    fn check_witness(&self, network: &dyn Network, tally: &mut Tally) {
        let Recorded { text, spec, events, options } = self;
        match witness_of_recording(NetworkRecording { spec, network, events, options }) {
            Ok(witness) => {
                check_seen(&witness, events);
                *tally.entry("replayed").or_default() += 1;
            }
            Err(error) if error.is_doubt() => *tally.entry("no witness").or_default() += 1,
            Err(error) => panic!("{error}\n{text}\n{events:?}"),
        }
    }

    /// The reason of a rejection, judged again.
    fn reason(&self, network: &dyn Network, line: u64) -> AnswerValues {
        let Recorded { text, spec, events, options } = self;
        let events = &events[..events.partition_point(|(own, _)| *own <= line)];
        let rejected = NetworkRecording { spec, network, events, options };
        let values = answer_values(rejected, Budget::seconds(2.0));
        let checked = check_values(rejected, &values);
        assert!(checked != Rechecked::Fails, "{values:?} at {line}\n{text}\n{events:?}");
        values
    }
}

/// Checks that each answer and call that was observed is one that a section of the witness sent, and is seen once.
fn check_seen(witness: &NetworkWitness, events: &[RecordedEvent]) {
    let mut seen: Vec<u64> =
        witness.sections.iter().flat_map(|section| &section.sent).flat_map(|message| message.seen.clone()).collect();
    seen.sort_unstable();
    let answers = events.iter().filter(|(_, event)| matches!(event, Observation::Answer(..)));
    assert_eq!(seen, answers.map(|(line, _)| *line).collect::<Vec<u64>>(), "{events:?}\n{witness:?}");
    let after: Vec<u64> = witness.sections.iter().map(|section| section.after).collect();
    assert!(after.is_sorted(), "{after:?}");
}

/// The trace up to a line, with the answers on these lines and on that one, and holes else.
fn with_holes(trace: &Events, line: u64, known: &[u64]) -> Events {
    let shown = |(at, (client, event)): (u64, &(u64, Event))| match event {
        Event::Answer(_) if at != line && !known.contains(&at) => (*client, Event::Hole),
        event => (*client, event.clone()),
    };
    (1..).zip(trace).take(line as usize).map(shown).collect()
}

/// Compares the reason of a rejection with what brute force says of it.
fn check_reason((file, text): (&File, &str), (wire, trace): (Wire, &Events), (line, values): (u64, &AnswerValues)) {
    let rejected = |known: &[u64]| {
        let trace = with_holes(trace, line, known);
        expected(file, (wire, &trace)).map(|(verdict, event)| (verdict == "reject", event))
    };
    let whole = rejected(&values.lines);
    assert!(whole.is_none_or(|whole| whole == (true, Some(line))), "{whole:?}, {values:?}\n{text}\n{trace:?}");
    if values.minimal == Minimality::CutOff {
        return;
    }
    for left_out in &values.lines {
        let known: Vec<u64> = values.lines.iter().copied().filter(|line| line != left_out).collect();
        let still = rejected(&known);
        assert!(still.is_none_or(|(still, _)| !still), "without {left_out} of {values:?}\n{text}\n{trace:?}");
    }
}

/// Checks the evidence for recordings of random programs over a network.
fn check(seed: u64, wire: Wire, program: fn(&mut Rng) -> String) {
    check_some(12, seed, wire, program);
}

fn check_some(programs: u64, seed: u64, wire: Wire, program: fn(&mut Rng) -> String) {
    let mut tally = Tally::new();
    for mut rng in random::seeds(seed, programs).map(Rng::new) {
        let text = program(&mut rng);
        let (file, spec, length) = (oracle::load(&text), compiled(&text), 3 + rng.below(9));
        for _ in 0..2 {
            let run = tasks::run(&mut rng, &file, domains(), (wire, length, 6));
            for trace in [tasks::altered(&mut rng, &run), run] {
                let recorded = recorded(&text, &spec, &trace);
                match recorded.verdict(&*network(wire)) {
                    Verdict::Accept { .. } => recorded.check_witness(&*network(wire), &mut tally),
                    Verdict::Reject { event, .. } => {
                        let values = recorded.reason(&*network(wire), event);
                        check_reason((&file, &text), (wire, &trace), (event, &values));
                        *tally.entry("reasons").or_default() += 1;
                    }
                    _ => {}
                }
            }
        }
    }
    eprintln!("{tally:?}");
    let of = |what: &str| tally.get(what).copied().unwrap_or_default();
    let replayed = random::at_least(programs / 2, programs);
    assert!(of("replayed") >= replayed && of("reasons") > 0 && of("no witness") * 4 < of("replayed"), "{tally:?}");
}

#[test]
fn evidence_holds_for_tasks_that_yield() {
    // Some reasons take seconds.
    check_some(4, 61, Wire::Tcp, tasks::random);
}

#[test]
fn evidence_holds_over_connections() {
    check(67, Wire::Tcp, tasks::random_talking);
}

#[test]
fn evidence_holds_over_one_queue() {
    check(71, Wire::Fifo, tasks::random_talking);
}

#[test]
fn evidence_holds_over_datagrams() {
    check(73, Wire::Udp, tasks::random_talking);
}

#[test]
fn evidence_holds_over_datagrams_that_come_again() {
    check(79, Wire::UdpAgain, tasks::random_talking);
}

#[test]
fn evidence_holds_where_several_peers_are_called_at_once() {
    check(89, Wire::Tcp, tasks::random_calling);
}
