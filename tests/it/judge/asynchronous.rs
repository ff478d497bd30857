//! Servers that do more than answering each request at once, judged over connections: they answer several times, in another order or
//! not at all, call peers, end connections and take notice of them.
//!
//! A recording is written as its lines without braces, separated by semicolons: `c1 q5; c1 a6; c1 lost`.

use std::sync::Arc;

use crate::brute_force::random_tasks;
use crate::random::Rng;

use mayhap::details::Selection;
use mayhap::evidence::{
    Budget, Minimality, NetworkRecording, Rechecked, answer_values, check_values, witness_of_recording,
};
use mayhap::judge::{Judge, RecordedEvent, judge_at_once, judge_recorded, judge_within};
use mayhap::network::{Network, NetworkChoice, Tcp, Udp};
use mayhap::reading::{Events, FormatRules, observations};
use mayhap::spec::Tasks;
use mayhap::spec::load::Text;
use mayhap::trace::TraceFormat;
use mayhap::{Options, Spec, Verdict};

/// Compiles a protocol of integers.
fn compiled(members: &str) -> Arc<Spec> {
    let head = if members.starts_with("serial:") { "serial protocol" } else { "protocol" };
    let members = members.trim_start_matches("serial:");
    let text = format!("{head} p {{ request int; response int; {members} }}");
    let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
    let text = Text { name: "p.may".to_owned(), text };
    Spec::compile(text, &mut |name| Err(format!("there is no {name}")), &selection)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The line of a recording in full: `p7k3 q5` is a call of the peer `p` with the key 3.
fn line(short: &str) -> String {
    let (who, what) = short.trim().split_once(' ').expect("who, and what");
    let what = match what.split_at(1) {
        ("q", value) => format!("\"q\": {value}"),
        ("a", value) => format!("\"a\": {value}"),
        _ => format!("{what:?}: true"),
    };
    match who.split_at(1) {
        ("c", number) => format!("{{\"c\": {number}, {what}}}\n"),
        (_, call) => {
            let (number, key) = call
                .split_once('k')
                .map_or((call, String::new()), |(number, key)| (number, format!("\"key\": {key}, ")));
            format!("{{\"peer\": \"p\", {key}\"c\": {number}, {what}}}\n")
        }
    }
}

/// The events of a recording.
fn recorded(spec: &Arc<Spec>, recording: &str) -> Vec<RecordedEvent> {
    let text: String = recording.split(';').map(line).collect();
    let mut events = Events::open(spec, text.as_bytes(), TraceFormat::Ndjson, FormatRules::default());
    observations(spec, &mut events).unwrap_or_else(|error| panic!("{}", error.render("t"))).events
}

/// The verdict on a recording, and its event.
fn judged(spec: &Arc<Spec>, network: &dyn Network, recording: &str) -> (&'static str, Option<u64>) {
    let (events, options) = (recorded(spec, recording), &Options::default());
    let verdict = judge_recorded(spec, network, &events, options).verdict();
    check_evidence((spec, network), recording, &events, &verdict);
    named(&verdict)
}

/// Checks that an accepted recording has a run that replays, and a rejected one a reason that holds.
fn check_evidence(
    (spec, network): (&Arc<Spec>, &dyn Network),
    recording: &str,
    events: &[RecordedEvent],
    verdict: &Verdict,
) {
    let options = &Options::default();
    match verdict {
        Verdict::Accept { .. } => {
            let found = witness_of_recording(NetworkRecording { spec, network, events, options });
            found.map(drop).unwrap_or_else(|error| assert!(error.is_doubt(), "{recording}: {error}"));
        }
        Verdict::Reject { event: line, .. } => {
            let events = &events[..events.partition_point(|(own, _)| own <= line)];
            let rejected = NetworkRecording { spec, network, events, options };
            let values = answer_values(rejected, Budget::seconds(5.0));
            assert_eq!(values.minimal, Minimality::Minimal, "{recording}: {values:?}");
            assert_eq!(check_values(rejected, &values), Rechecked::Holds, "{recording}: {values:?}");
        }
        Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => {}
    }
}

/// The same, of which no later event is known at any.
fn judged_as_it_comes(spec: &Arc<Spec>, network: &dyn Network, recording: &str) -> (&'static str, Option<u64>) {
    let mut judge = Judge::new(spec.clone(), Options::default());
    let events = recorded(spec, recording);
    _ = events.iter().all(|(line, event)| judge.observe_over(network, *line, event));
    named(&judge.verdict())
}

fn named(verdict: &Verdict) -> (&'static str, Option<u64>) {
    match verdict {
        Verdict::Accept { .. } => ("accept", None),
        Verdict::Reject { event, .. } => ("reject", Some(*event)),
        Verdict::Unknown { .. } => ("unknown", None),
        Verdict::Outside { event, .. } => ("outside", Some(*event)),
        Verdict::Fault(fault) => ("fault", Some(fault.event)),
    }
}

/// Compares recordings of a protocol with their verdicts over connections; a number is the event of a rejection.
fn check(members: &str, recordings: &[(&str, Option<u64>)]) {
    let spec = compiled(members);
    for (recording, rejected) in recordings {
        let expected = rejected.map_or(("accept", None), |event| ("reject", Some(event)));
        assert_eq!(judged(&spec, &Tcp, recording), expected, "{recording}\n{members}");
    }
}

#[test]
fn requests_are_pipelined() {
    let echo = "on q { reply q; }";
    check(
        echo,
        &[
            ("c1 q1; c1 q2; c1 q3; c1 a1; c1 a2; c1 a3", None),
            ("c1 q1; c1 q2; c1 a1; c1 q3; c1 a2; c1 a3", None),
            ("c1 q1; c1 q2; c1 a2", Some(3)),
            ("c1 q1; c1 q2; c1 a1; c1 a1", Some(4)),
            ("c1 a1; c1 q1", Some(1)),
        ],
    );
    // The second request is read behind the first, whose effect it sees.
    let count = "var n: int = 0; on q { n := n + 1; yield; reply n; }";
    check(
        count,
        &[
            ("c1 q0; c1 q0; c1 a1; c1 a2", None),
            ("c1 q0; c1 q0; c1 a2", Some(3)),
            ("c1 q0; c2 q0; c1 a2; c2 a2", None),
            ("c1 q0; c2 q0; c1 a1; c2 a2", None),
            ("c1 q0; c2 q0; c1 a1; c2 a1", Some(4)),
        ],
    );
}

#[test]
fn a_server_that_answers_out_of_order_is_rejected_over_connections() {
    let late = "var first: option<int> = None;
        on q from c { match first { None => { first := Some(q); return; } Some(x) => { send c, q; send c, x; } } }";
    check(
        late,
        &[
            ("c1 q1; c1 q2; c1 a2; c1 a1", None),
            ("c1 q1; c1 q2; c1 a1", Some(3)),
            ("c1 q1; c1 q2; c1 a2; c1 a2", Some(4)),
            ("c1 q1; c1 a1", Some(2)),
        ],
    );
}

#[test]
fn answers_that_overtake_each_other_are_accepted_over_datagrams_only() {
    let spec = compiled("on q { reply q; }");
    let overtaken = "c1 q1; c1 q2; c1 a2; c1 a1";
    assert_eq!(judged(&spec, &Tcp, overtaken), ("reject", Some(3)));
    for duplication in [false, true] {
        let udp = Udp { duplication };
        assert_eq!(judged(&spec, &udp, overtaken), ("accept", None));
        assert_eq!(judged(&spec, &udp, "c1 q1; c1 q2; c1 a2; c1 a3"), ("reject", Some(4)));
        // One that comes again is an answer that was given twice.
        let twice = judged(&spec, &udp, "c1 q1; c1 a1; c1 a1");
        assert_eq!(twice, if duplication { ("accept", None) } else { ("reject", Some(3)) });
    }
}

#[test]
fn a_server_answers_twice_or_not_at_all() {
    let twice = "on q from c { send c, q; if q > 0 { reply q + 1; } }";
    check(
        twice,
        &[
            ("c1 q1; c1 a1; c1 a2", None),
            ("c1 q1; c1 a2", Some(2)),
            ("c1 q1; c1 a1; c1 a1", Some(3)),
            ("c1 q1; c2 q5; c2 a5; c1 a1; c2 a6; c1 a2", None),
            ("c1 q0; c1 a0", None),
            ("c1 q0; c1 a0; c1 a1", Some(3)),
            // What nobody saw yet is still under way.
            ("c1 q1; c1 a1; c1 q3; c1 a2; c1 a3", None),
            ("c1 q1; c1 a1; c1 q3; c1 a3", Some(4)),
        ],
    );
    let unasked = "var who: option<client> = None;
        on q from c { match who { None => { who := Some(c); } Some(first) => { send first, q; reply 0; } } }";
    check(
        unasked,
        &[
            ("c1 q1; c2 q7; c2 a0; c1 a7", None),
            ("c1 q1; c2 q7; c1 a7; c2 a0", None),
            ("c1 q1; c2 q7; c2 a7", Some(3)),
            ("c1 q1; c2 q7; c1 a1", Some(3)),
            ("c1 q1; c2 q7; c1 a0; c2 a1", None),
            // Whoever gave up sees nothing; the number is another client then.
            ("c1 q1; c1 lost; c2 q7; c2 a0; c1 q3; c1 a0", None),
            ("c1 q1; c1 lost; c2 q7; c2 a0; c1 a7", Some(5)),
        ],
    );
}

#[test]
fn a_section_happens_wholly_or_not_at_all() {
    let all = "var n: int = 0; on q from c { if q == 0 { send c, 5; yield; send c, 6; assume n > 0; reply 7; } n := q; reply n; }";
    check(
        all,
        &[
            ("c1 q0; c1 a5", None),
            ("c1 q0; c1 a5; c1 a6", Some(3)),
            ("c1 q0; c1 a5; c2 q1; c1 a6; c1 a7; c2 a1", None),
            ("c1 q0; c1 a5; c2 q0; c2 a5; c1 a6", Some(5)),
        ],
    );
}

#[test]
fn connections_end() {
    let closes = "var n: int = 0; on q from c { n := n + 1; send c, n; if q == 0 { close c; } if q == 9 { reply 9; } }";
    check(
        closes,
        &[
            ("c1 q0; c1 a1; c1 closed", None),
            ("c1 q0; c1 closed", Some(2)),
            ("c1 q1; c1 a1; c1 closed", Some(3)),
            ("c1 q0; c1 q9; c1 a1; c1 closed", None),
            ("c1 q0; c1 q9; c1 a1; c1 a9", Some(4)),
            // Behind its end, the number is another connection.
            ("c1 q0; c1 a1; c1 closed; c1 q9; c1 a2; c1 a9", None),
            ("c1 q0; c1 q3; c1 a1; c1 closed; c2 q9; c2 a2; c2 a9", None),
            ("c1 q0; c1 q3; c1 a1; c1 closed; c2 q9; c2 a3", Some(6)),
            // Of a lost connection some of the first requests are read, sooner or later.
            ("c1 q1; c1 q1; c1 lost; c2 q9; c2 a1", None),
            ("c1 q1; c1 q1; c1 lost; c2 q9; c2 a3", None),
            ("c1 q1; c1 q1; c1 lost; c2 q9; c2 a1; c2 a9; c2 q9; c2 a4", None),
            ("c1 q1; c1 q1; c1 lost; c2 q9; c2 a4", Some(5)),
            // What the server has closed it reads no more of, also where the client has given up.
            ("c1 q0; c1 q1; c1 lost; c2 q9; c2 a2", None),
            ("c1 q0; c1 q1; c1 lost; c2 q9; c2 a3", Some(5)),
        ],
    );
}

#[test]
fn the_server_takes_notice_of_connections() {
    let counts = "var n: int = 0; on open from c { n := n + 1; send c, 100 + n; } on close from c { n := n - 1; } on q { reply n; }";
    check(
        counts,
        &[
            ("c1 a101; c1 q0; c1 a1", None),
            ("c1 q0; c1 a1", Some(2)),
            ("c1 q0; c1 a101; c1 a1", None),
            ("c1 a102", Some(1)),
            ("c1 a101; c2 a102; c1 q0; c1 a2", None),
            ("c1 a101; c2 a102; c1 q0; c1 a1", Some(4)),
            ("c1 a101; c2 a102; c2 lost; c1 q0; c1 a1", None),
            ("c1 a101; c2 a102; c2 lost; c1 q0; c1 a2", None),
            ("c1 a101; c2 lost; c1 q0; c1 a0", Some(4)),
            // Who has left has seen that the server knows it.
            ("c1 a101; c2 a102; c2 left; c1 q0; c1 a1", None),
            ("c1 a101; c2 a102; c2 left; c1 q0; c1 a2", Some(5)),
            ("c1 a101; c2 a102; c2 left; c2 a102; c1 q0; c1 a2", None),
            ("c1 a101; c2 q0; c2 left; c1 q0; c1 a1", None),
        ],
    );
}

#[test]
fn tasks_of_a_serial_protocol_do_not_interleave() {
    let body = "var n: int = 0; step { n := (n + 10) % 20; } on q { let x = n; yield; n := x + 1; reply n; }";
    check(body, &[("c1 q0; c2 q0; c1 a1; c2 a1", None), ("c1 q0; c2 q0; c1 a1; c2 a2", None)]);
    let serial = "var n: int = 0; on q { let x = n; yield; n := x + 1; reply n; }";
    check(
        &format!("serial:{serial}"),
        &[("c1 q0; c2 q0; c1 a1; c2 a1", Some(4)), ("c1 q0; c2 q0; c2 a1; c1 a2", None)],
    );
    let stepped = "serial:var n: int = 0; step { assume n < 2; n := n + 1; } on q { let x = n; yield; reply n - x; }";
    check(
        stepped,
        &[("c1 q0; c2 q0; c1 a1; c2 a1", None), ("c1 q0; c2 q0; c1 a1; c2 a2", Some(4)), ("c1 q0; c1 a2", None)],
    );
}

#[test]
fn peers_are_called_while_others_are_served() {
    let calls = "peer p(key: int): int -> int; var n: int = 0;
        on q { if q == 0 { reply n; } let got = call p(q), q + 1; n := n + 1; reply match got { Some(x) => x, None => 0 - 1 }; }";
    check(
        calls,
        &[
            ("c1 q5; p7k5 q6; p7 a8; c1 a8", None),
            ("c1 q5; p7k5 q6; p7 lost; c1 a-1", None),
            ("c1 q5; p7k5 q7", Some(2)),
            ("c1 q5; p7k4 q6", Some(2)),
            ("c1 q5; c1 a8", Some(2)),
            ("c1 q5; p7k5 q6; c1 a-1", Some(3)),
            // One that never answers is in the way of nobody else.
            ("c1 q5; p7k5 q6; c2 q0; c2 a0; c2 q6; p8k6 q7; p8 a2; c2 a2; c2 q0; c2 a1", None),
            ("c1 q5; p7k5 q6; c2 q0; c2 a1", Some(4)),
            ("c1 q5; p7k5 q6; c1 q0; c1 a0", Some(4)),
            // Calls are answered in any order, and a number may come again.
            ("c1 q5; c2 q6; p1k6 q7; p2k5 q6; p2 a1; p1 a2; c2 a2; c1 a1", None),
            ("c1 q5; c2 q6; p1k6 q7; p2k5 q6; p2 a1; p1 a2; c2 a1", Some(7)),
            ("c1 q5; p1k5 q6; p1 a1; c1 a1; c1 q5; p1k5 q6; p1 a2; c1 a2", None),
            ("c1 q5; p1k5 q6; p2k5 q6", Some(3)),
        ],
    );
    let only = "peer p: int -> int; on q { let got = call p, q + 1; reply match got { Some(x) => x, None => 0 }; }";
    check(only, &[("c1 q5; p7 q6; p7 a8; c1 a8", None), ("c1 q5; p7 q5", Some(2))]);
    let serial = format!("serial:{calls}");
    check(&serial, &[("c1 q5; p7k5 q6; c2 q0; c2 a0", Some(4)), ("c1 q5; p7k5 q6; c2 q0; p7 a1; c2 a1; c1 a1", None)]);
}

#[test]
fn several_peers_are_called_at_once() {
    let peers = "peer p(key: int): int -> int; proc sum(got: map<int, int>): int {
            var total = 100 * len(got); for k in got.keys().to_list() { total := total + got[k]; } return total; }";
    let all =
        format!("{peers} on q {{ let got = call all p(k) for k in 1..3, q + k; let total = sum(got); reply total; }}");
    check(
        &all,
        &[
            ("c1 q5; p1k1 q6; p2k2 q7; p1 a3; p2 a4; c1 a207", None),
            ("c1 q5; p1k2 q7; p2k1 q6; p2 a4; p1 a3; c1 a207", None),
            // Each is asked its own.
            ("c1 q5; p1k1 q7", Some(2)),
            ("c1 q5; p1k1 q6; p2k1 q6", Some(3)),
            // One that has failed is left out; one that says nothing is waited for.
            ("c1 q5; p1k1 q6; p1 lost; p2k2 q7; p2 a4; c1 a104", None),
            ("c1 q5; p1k1 q6; p1 lost; p2k2 q7; p2 lost; c1 a0", None),
            ("c1 q5; p1k1 q6; p2k2 q7; p1 a3; c1 a103", Some(5)),
            ("c1 q5; p1k1 q6; p1 a3; c1 a103", Some(4)),
        ],
    );
    let any =
        format!("{peers} on q {{ let got = call any q of p(k) for k in 1..4, k; let total = sum(got); reply total; }}");
    check(
        &any,
        &[
            ("c1 q2; p1k1 q1; p2k2 q2; p1 a3; p2 a4; c1 a207", None),
            ("c1 q2; p1k1 q1; p1 a3; c1 a103", Some(4)),
            // The third is called as well, and may answer behind that: it is not in the answer.
            ("c1 q2; p1k1 q1; p2k2 q2; p3k3 q3; p1 a3; p2 a4; p3 a5; c1 a207", None),
            ("c1 q2; p1k1 q1; p2k2 q2; p3k3 q3; p1 a3; p2 a4; p3 a5; c1 a312", Some(8)),
            ("c1 q2; p1k1 q1; p2k2 q2; p1 a3; p2 a4; c1 a207; p3k3 q3; p3 a5", None),
            ("c1 q2; p1k1 q1; p2k2 q2; p1 a3; p2 a4; c1 a207; p3k3 q3; p3 lost; p4k3 q3", Some(9)),
            // Two have failed: the third is all that can come.
            ("c1 q2; p1k1 q1; p2k2 q2; p3k3 q3; p1 lost; p2 lost; p3 a5; c1 a105", None),
            ("c1 q2; p1k1 q1; p2k2 q2; p1 lost; p2 lost; c1 a0", Some(6)),
            // Nobody is waited for, or more than there are.
            ("c1 q0; c1 a0; p1k1 q1; p1 a3; c1 q0; c1 a0", None),
            ("c1 q-1; c1 a0", None),
            ("c1 q9; p1k1 q1; p2k2 q2; p3k3 q3; p1 a1; p2 a1; p3 a1; c1 a303", None),
        ],
    );
    // A key that occurs twice is called once, with its last request; where there is none, nobody is.
    let twice =
        format!("{peers} on q {{ let got = call all p(k % 2) for k in 0..q, k; let total = sum(got); reply total; }}");
    check(
        &twice,
        &[
            ("c1 q3; p1k1 q1; p2k0 q2; p1 a3; p2 a4; c1 a207", None),
            ("c1 q3; p1k0 q0", Some(2)),
            ("c1 q0; c1 a0", None),
        ],
    );
}

/// Which keys there are, and how many answers are waited for, may not be known.
#[test]
fn peers_are_called_under_keys_that_are_not_known() {
    let hidden = "peer p(key: int): int -> int; var n: int = choose; var m: int = choose;
        on q { expects q > 0; let got = call any m of p(k) for k in [n, 3] if k < 5, q; reply match got.get(n) { Some(x) => x, None => 0 - len(got) }; }";
    check(
        hidden,
        &[
            ("c1 q1; p1k3 q1; p2k4 q1; p2 a7; c1 a7", None),
            ("c1 q1; p1k3 q1; p2k4 q1; p1 a8; c1 a-1; c1 q1; p3k4 q1; p3 a2; c1 a2", None),
            ("c1 q1; p1k3 q1; p2k4 q1; p1 a8; c1 a-1; c1 q1; p3k2 q1", Some(7)),
            ("c1 q1; p1k4 q1; p2k2 q1", Some(3)),
            ("c1 q1; p1k5 q1", Some(2)),
            ("c1 q1; p1k3 q1; p1 a8; c1 a8; c1 q1; p2k3 q1; p2 a9; c1 a9", None),
            ("c1 q1; p1k3 q1; p1 a8; c1 a8; c1 q1; p2k4 q1", Some(6)),
            ("c1 q1; c1 a0; c1 q1; p1k3 q1; p1 a8; c1 a0", None),
            ("c1 q1; c1 a0; c1 q1; p1k3 q1; p1 a8; c1 a8", Some(6)),
        ],
    );
}

/// A timer sends again what was not acknowledged: however often, that is one state.
#[test]
fn a_server_sends_again_by_a_timer() {
    let again = "var waits: map<client, int> = {}; on q from c {
            if q == 0 { waits := waits.remove(c); return; } waits[c] := q; send c, q; }
        step { let c = pick waits.keys(); send c, waits[c]; }";
    let spec = compiled(again);
    let udp = Udp { duplication: false };
    let seen = "c1 a5; ".repeat(30);
    for (recording, expected) in [
        (format!("c1 q5; c2 q6; {seen}c2 a6; c1 q0; c1 a5"), ("accept", None)),
        (format!("c1 q5; c2 q6; {seen}c2 a5"), ("reject", Some(33))),
        ("c1 q5; c1 a6".to_owned(), ("reject", Some(2))),
        // What is under way comes before the acknowledgement, or behind it.
        ("c1 q5; c1 q0; c1 a5; c1 a5".to_owned(), ("accept", None)),
        ("c1 q5; c1 a5; c1 q6; c1 a6; c1 a5; c1 a6; c1 a5".to_owned(), ("accept", None)),
        ("c1 q0; c1 a0".to_owned(), ("reject", Some(2))),
    ] {
        assert_eq!(judged(&spec, &udp, &recording), expected, "{recording}");
        assert_eq!(judged_as_it_comes(&spec, &udp, &recording), expected, "{recording}");
    }
}

#[test]
fn what_a_client_is_sent_by_the_server_alone_may_come_or_not() {
    let ticks = "var who: option<client> = None; on q from c { who := Some(c); reply 0; } step { if who is Some(c) { send c, 1; } }";
    check(
        ticks,
        &[
            ("c1 q5; c1 a0; c1 a1; c1 a1; c1 a1", None),
            ("c1 q5; c1 a1", Some(2)),
            ("c1 q5; c1 a0; c2 q3; c2 a0; c1 a1; c2 a1; c1 a1", None),
            ("c1 q5; c1 a0; c1 lost; c2 q3; c2 a0; c2 a1", None),
            ("c1 q5; c1 a0; c2 q3; c2 a1", Some(4)),
        ],
    );
}

/// A request may be read again and again, and each time what the server goes on from is one of few values, nobody sees which. These are
/// soon all met, wherever that is hidden.
#[test]
fn few_hidden_values_are_soon_met() {
    let kept = "if q == 0 { reply n; } send c, 5; yield; n := pick [q, (n + q) % 4]; reply 6 + n % 2;";
    let noted = "if q == 0 { reply n; } let before = n; yield; n := pick [q, (n + q) % 4]; reply 6 + (before + n) % 2;";
    for handler in [kept, noted] {
        let spec = compiled(&format!("var n: int = 0; on q from c {{ {handler} }}"));
        for (recording, expected) in
            [("c2 q1; c1 q0; c1 a7", ("reject", Some(3))), ("c2 q1; c1 q0; c1 a3", ("accept", None))]
        {
            for network in ["udp,duplication", "udp,loss,duplication"] {
                let network = network.parse::<NetworkChoice>().expect("a network").network();
                let verdict =
                    judge_recorded(&spec, &*network, &recorded(&spec, recording), &Options::default()).verdict();
                assert_eq!(named(&verdict), expected, "{handler}: {recording}");
            }
        }
    }
}

#[test]
fn keys_are_judged_one_by_one_in_sections_too() {
    let spec = random_tasks::compiled(
        "enum Request { Add { key: int, by: int }, Get { key: int } }
         protocol p {
             request Request;
             response int;
             var m: map<int, int> = {};
             on Add { key, by } { let n = m.get_or(key, 0); yield; m[key] := n + by; reply n; }
             on Get { key } { reply m.get_or(key, 0); }
         }",
    );
    let (mut rng, mut rejected) = (Rng::new(5), 0);
    let network = NetworkChoice::TCP.network();
    for _ in 0..120 {
        let (mut lines, mut open) = (Vec::new(), Vec::new());
        for _ in 0..7 {
            let client = rng.between(1, 3);
            match open.iter().position(|other| *other == client) {
                Some(at) => {
                    open.remove(at);
                    lines.push(format!("c{client} a{}", rng.between(0, 1)));
                }
                None => {
                    open.push(client);
                    let key = rng.between(1, 2);
                    lines.push(match rng.between(0, 2) {
                        0 => format!("c{client} q{{\"Get\": {{\"key\": {key}}}}}"),
                        _ => format!("c{client} q{{\"Add\": {{\"key\": {key}, \"by\": 1}}}}"),
                    });
                }
            }
        }
        let events = recorded(&spec, &lines.join(";"));
        let options = Options::default();
        let whole = |count: usize| judge_at_once(&spec, &*network, &events[..count], &options).verdict().is_accept();
        let first = (1..=events.len()).find(|count| !whole(*count));
        let by_key = named(&judge_recorded(&spec, &*network, &events, &options).verdict());
        assert_eq!(by_key, first.map_or(("accept", None), |count| ("reject", Some(count as u64))), "{lines:?}");
        rejected += u32::from(first.is_some());
    }
    assert!((20..110).contains(&rejected), "{rejected}");
}

/// However little work is allowed, the events that were not looked at are not taken for explained.
#[test]
fn what_is_given_up_is_not_accepted() {
    let spec = compiled("var n: int = 0; on q { n := n + q; reply n; }");
    let sums = (1..=500).map(|n| format!("c1 q1; c1 a{n}; ")).collect::<String>();
    let events = recorded(&spec, &format!("{sums}c1 q1; c1 a7"));
    for work in [0, 1, 1_000, 100_000, 10_000_000] {
        for network in [NetworkChoice::SYNC, NetworkChoice::TCP] {
            let verdict = judge_within(&spec, &*network.network(), &events, work, &Options::default()).verdict();
            assert!(
                matches!(verdict, Verdict::Unknown { .. } | Verdict::Reject { event: 1002, .. }),
                "{work}: {verdict:?}"
            );
        }
    }
}
