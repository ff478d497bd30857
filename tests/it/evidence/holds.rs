//! Evidence holds: the witness of every accepted trace replays, the reason of every rejected one is a reason, and none of
//! its answers can be left out.
//!
//! The traces are those whose verdicts are known (`judge/conformance.rs`); random programs do the same in `brute_force/random_programs.rs`.
//! Also how large reasons are, and that looking for one stays fast however far back it lies.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, Cursor};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::judge::{cases, compiled, exchanges, text};
use mayhap::details::Observed;
use mayhap::evidence::{
    Minimality, Rechecked, Witness, WitnessError, WitnessStep, check_reason, reason, witness, witness_forwards,
    witness_in_segments,
};
use mayhap::judge::Options;
use mayhap::reading::{Recording, StoredTrace, exchange_at};
use mayhap::{Exchange, Spec, Validator, Verdict};

/// A reason of at most so many answers is one that people read.
const SHORT: usize = 6;

/// Witnesses are made in parts of so many exchanges, too.
const SEGMENTS: [usize; 3] = [1, 3, 10];

/// What was found in a collection of traces.
#[derive(Default, Debug)]
struct Tally {
    accepted: usize,
    rejected: usize,
    short: usize,
    cut_off: usize,
    /// Witnesses that were made in parts, or should have been but for parts that do not fit.
    in_segments: usize,
    in_longer_segments: usize,
    /// Witnesses that were made forwards, looked at after each exchange.
    forwards: usize,
}

/// What does not hold, if anything.
fn check(spec: &Arc<Spec>, exchanges: &[Exchange], tally: &mut Tally) -> Result<(), String> {
    let mut validator = Validator::new(spec);
    let observed = exchanges.iter().take_while(|exchange| validator.observe_exchange(exchange)).count();
    let options = Options::default();
    match validator.verdict() {
        Verdict::Accept { .. } => {
            tally.accepted += 1;
            match witness(spec, &options, exchanges) {
                Ok(whole) => forwards(spec, exchanges, &whole, tally).and_then(|()| {
                    SEGMENTS.iter().try_for_each(|longest| in_segments(spec, exchanges, *longest, &whole, tally))
                }),
                Err(error) if error.is_doubt() => Ok(()),
                Err(error) => Err(error.to_string()),
            }
        }
        Verdict::Reject { .. } => {
            let exchanges = &exchanges[..=observed];
            let found = reason(spec, &options, exchanges).ok_or("no reason")?;
            tally.rejected += 1;
            tally.short += usize::from(found.because.len() <= SHORT);
            tally.cut_off += usize::from(found.minimal == Minimality::CutOff);
            let holds = check_reason(spec, &options, exchanges, &found);
            if holds == Rechecked::Holds { Ok(()) } else { Err(format!("{found:?} is no minimal reason")) }
        }
        Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => Ok(()),
    }
}

/// Makes the witness forwards, looking after each exchange what is decided: it tells the same lines, where it is not given up.
fn forwards(spec: &Arc<Spec>, exchanges: &[Exchange], whole: &Witness, tally: &mut Tally) -> Result<(), String> {
    let mut lines = Vec::new();
    let made = witness_forwards(spec, &Options::default(), exchanges, 1, &mut |segment| {
        lines.extend(segment.steps.iter().map(|step| step.line));
        ControlFlow::Continue(())
    });
    match made {
        Err(error) if error.is_doubt() => return Ok(()),
        made => made.map_err(|error| format!("forwards: {error}"))?,
    };
    tally.forwards += 1;
    if lines.iter().eq(whole.steps.iter().map(|step| &step.line)) { Ok(()) } else { Err("other lines".to_owned()) }
}

/// Makes the witness part by part, each as short as that: there must be one, and it tells the same lines.
fn in_segments(
    spec: &Arc<Spec>,
    exchanges: &[Exchange],
    longest: usize,
    whole: &Witness,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut steps: BTreeMap<usize, WitnessStep> = BTreeMap::new();
    let mut longer = false;
    let made = witness_in_segments(spec, &Options::default(), exchanges, longest, &mut |segment| {
        longer |= segment.steps.len() > longest;
        steps.extend(segment.steps.into_iter().enumerate().map(|(at, step)| (segment.at + at, step)));
        ControlFlow::Continue(())
    });
    let made = made.map_err(|error| format!("in segments of {longest}: {error}"))?;
    tally.in_segments += usize::from(!longer);
    tally.in_longer_segments += usize::from(longer);
    let lines = |step: &WitnessStep| step.line;
    let same = steps.values().map(lines).eq(whole.steps.iter().map(lines));
    let same_start = made.choices.len() == whole.initial.len();
    if same && same_start { Ok(()) } else { Err(format!("segments of {longest} tell other lines")) }
}

fn check_all(traces: &str, specs: &str) -> Tally {
    let mut tally = Tally::default();
    let mut wrong = String::new();
    for case in cases(traces, specs) {
        let spec = compiled(&text(&case.spec));
        if let Err(why) = check(&spec, &exchanges(&spec, &text(&case.trace)), &mut tally) {
            let _ = writeln!(wrong, "{}: {why}", case.name);
        }
    }
    eprintln!("{traces}: {tally:?}");
    assert!(wrong.is_empty(), "{wrong}");
    tally
}

#[test]
fn traces_of_the_shipped_specifications() {
    let tally = check_all("tests/data/traces", "specs");
    assert!(tally.accepted > 30 && tally.rejected > 40, "{tally:?}");
    assert_eq!((tally.short, tally.cut_off), (tally.rejected, 0), "{tally:?}");
}

#[test]
fn known_verdicts() {
    for directory in ["tests/data/conformance/machine", "tests/data/conformance/protocol"] {
        let tally = check_all(directory, directory);
        assert!(tally.short * 100 >= tally.rejected * 90, "{tally:?}");
    }
}

/// Compare-and-reset, whose last answer cannot be, because of the one on line 2, a long way before.
fn far_back(length: u64) -> (Arc<Spec>, Vec<Exchange>) {
    let spec = compiled(&text("specs/cmp_rst.may"));
    let mut trace = "{\"q\":5000,\"a\":1}\n{\"q\":3000,\"a\":0}\n".to_owned();
    for at in 0..length {
        let _ = writeln!(trace, "{{\"q\":{},\"a\":0}}", at * 7919 % 2500);
    }
    trace += "{\"q\":2999,\"a\":1}\n";
    let exchanges = exchanges(&spec, &trace);
    (spec, exchanges)
}

#[test]
fn a_reason_far_back_is_found() {
    let (spec, exchanges) = far_back(20_000);
    let found = reason(&spec, &Options::default(), &exchanges).unwrap();
    assert_eq!((found.because.as_slice(), found.minimal), (&[1][..], Minimality::Minimal));
    assert_eq!(check_reason(&spec, &Options::default(), &exchanges, &found), Rechecked::Holds);
}

#[test]
fn what_is_no_reason_is_told() {
    let (spec, exchanges) = far_back(10);
    let found = reason(&spec, &Options::default(), &exchanges).unwrap();
    for because in [vec![], vec![0], vec![2], vec![1, 5]] {
        let wrong = mayhap::evidence::Reason { because, ..found.clone() };
        assert_eq!(check_reason(&spec, &Options::default(), &exchanges, &wrong), Rechecked::Fails, "{wrong:?}");
    }
}

/// Two parts meet in a state of all cells, those that the next request writes anew included.
#[test]
fn the_witness_of_a_machine_is_made_in_short_parts() {
    let absolute = |line: i64| format!("{{\"q\":{},\"a\":{line}}}\n", if line % 2 == 0 { line } else { -line });
    let (_, mut guesses) = far_back(400);
    guesses.pop();
    let [abs, rst] = ["abs_machine", "cmp_rst_machine"].map(|name| compiled(&text(format!("specs/{name}.may"))));
    let absolutes = exchanges(&abs, &(0..400).map(absolute).collect::<String>());
    for (spec, exchanges) in [(abs, absolutes), (rst, guesses)] {
        let (whole, mut tally) = (witness(&spec, &Options::default(), &exchanges).unwrap(), Tally::default());
        in_segments(&spec, &exchanges, 20, &whole, &mut tally).unwrap();
        assert_eq!((tally.in_segments, tally.in_longer_segments), (1, 0));
    }
}

/// Choices that are made for the elements of a set stand in the order of these, which is not known where they are hidden.
#[test]
fn the_witness_of_choices_for_hidden_elements_is_found_or_said_to_be_missing() {
    let text = "protocol p {\n  request int; response int;\n  var n: int = 0; var m: map<int, int> = {};\n  var s: set<int> = {}; var o: option<int> = None;\n  on q {\n    s := {m.get_or(q, q), (match pick [(3, 1), (2, q)] { (a, b) => a - b })};\n    m := {x: (either 1 or x) for x in (either s or (either s or {n, q}))};\n    o := m.get(q - n);\n    reply q;\n  }\n}\n";
    let spec = compiled(text);
    let exchanges = exchanges(&spec, &"{\"q\":0,\"a\":0}\n".repeat(3));
    for segment in [1, 2] {
        let found =
            witness_in_segments(&spec, &Options::default(), &exchanges, segment, &mut |_| ControlFlow::Continue(()));
        let is_known = |error: &WitnessError| *error == WitnessError::Disordered;
        assert!(found.as_ref().err().is_none_or(is_known), "in segments of {segment}: {found:?}");
    }
}

#[test]
fn a_long_trace_has_a_witness() {
    let (spec, mut exchanges) = far_back(20_000);
    exchanges.pop();
    assert_eq!(witness(&spec, &Options::default(), &exchanges).unwrap().steps.len(), exchanges.len());
}

/// A trace outside of memory tells the same as one inside, wherever it is read from.
#[test]
fn a_recorded_trace_is_read_again_from_anywhere() {
    let (spec, exchanges) = far_back(20_000);
    let mut trace = "{\"mayhap\":1}\n\n".to_owned();
    for Exchange { request, observed, .. } in &exchanges {
        let Observed::Answer(answer) = observed else { panic!("{observed:?}") };
        let [q, a] = [request, answer].map(|value| mayhap::json::encode(&spec.types, spec.program.request, value));
        let _ = writeln!(trace, "{{\"q\": {q}, \"a\": {a}}}\r\n");
    }
    let open = |bytes: u64| Ok(Box::new(Cursor::new(trace.as_bytes()[bytes as usize..].to_vec())) as Box<dyn BufRead>);
    let recorded = StoredTrace::new(&spec, exchanges.len(), open);
    for at in [0, 15_000, 1, 20_001, 4_095, 8_191, 7, 12_345, 20_002] {
        let found = exchange_at(&recorded, at).unwrap();
        assert_eq!(Exchange { line: at as u64 + 1, ..found }, exchanges[at], "{at}");
    }
    assert_eq!((exchange_at(&recorded, exchanges.len()), recorded.failure()), (None, None));
    assert_eq!(reason(&spec, &Options::default(), &recorded), reason(&spec, &Options::default(), &exchanges));
    let shorter = StoredTrace::new(&spec, exchanges.len() + 1, open);
    assert_eq!(exchange_at(&shorter, exchanges.len()), None);
    assert!(shorter.failure().is_some_and(|why| why.contains("shorter than before")));
}
