//! The cost of an unknown start and of missing answers: the ratio of the time for such a trace to the time for the same trace
//! with a known start and all answers.
//!
//! `cargo bench --bench holes` prints a line for each shipped trace, and a line for [`LENGTH`] simulated exchanges of each
//! specification. A shipped trace has two ratios: for judging alone, which takes microseconds, and for everything that
//! `mayhap validate` does, from the texts of the specification and the trace to the verdict. `cargo bench --bench holes -- command`
//! runs `mayhap validate` itself on each shipped trace, as a user does. One answer in [`GAP`] is a hole. In a shipped trace each
//! such answer is one in turn, so that the ratio is a mean over their places. `cargo bench --bench holes -- TRACE known|unknown N`
//! judges one shipped trace N times, and `-- SPEC known|unknown N` judges N simulated exchanges once, for counting instructions.

#[allow(dead_code)] // its texts are enough, nothing asks for their files
#[path = "../tests/it/shipped.rs"]
mod shipped;
#[allow(dead_code)] // what only other benchmarks and the tests use
mod workload;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayhap::choice::Random;
use mayhap::details::Counts;
use mayhap::judge::Observed;
use mayhap::reading::Exchanges;
use mayhap::server::{Ranges, Server};
use mayhap::{Exchange, Spec, Validator};
use shipped::Shipped;

/// One answer in [`GAP`] is a hole.
const GAP: usize = 10;
/// The number of simulated exchanges of a specification.
const LENGTH: usize = 10_000;
/// The longest time for judging simulated exchanges.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of times that a shipped trace is judged. The shortest time counts, as the machine may have other work.
const TIMES: usize = 50;
/// The number of times that the command judges each trace.
const COMMANDS: usize = 10;
/// A specification that walks a whole collection. This cannot be done with an unknown one, so its start stays known.
const LISTED: &str = "pages";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let all = shipped::all();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [name, start, count] => return one(&all, name, start, count.parse().unwrap_or(LENGTH)),
        ["short"] => all.iter().for_each(short),
        ["long"] => all.iter().for_each(long),
        ["command"] => by_command(&all),
        _ => {
            all.iter().for_each(short);
            all.iter().for_each(long);
        }
    }
    ExitCode::SUCCESS
}

/// A specification with its known start, and with an unknown one if that is possible.
fn starts(shipped: &Shipped) -> (Arc<Spec>, Arc<Spec>) {
    let compiled = |spec: Result<Arc<Spec>, _>| spec.unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
    let known = compiled(shipped.compile());
    let unknown = shipped.unknown().filter(|_| shipped.name != LISTED).map(compiled);
    (known.clone(), unknown.unwrap_or(known))
}

fn exchanges(spec: &Arc<Spec>, trace: &str) -> Vec<Exchange> {
    Exchanges::new(spec, trace.as_bytes()).map(|exchange| exchange.expect("an exchange")).collect()
}

/// The exchanges with holes in the place of answers, beginning with the one at `first`.
fn with_holes(exchanges: &[Exchange], first: usize) -> Vec<Exchange> {
    let mut exchanges = exchanges.to_vec();
    for exchange in exchanges.iter_mut().skip(first).step_by(GAP) {
        if matches!(exchange.observed, Observed::Answer(_)) {
            exchange.observed = Observed::Any;
        }
    }
    exchanges
}

/// The work that is measured.
#[inline(never)]
fn judge_all(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Validator {
    let mut validator = Validator::new(spec);
    for exchange in exchanges {
        validator.observe_exchange(exchange);
    }
    validator
}

/// The time of judging, after a warm-up, and the counts of the judge.
fn fastest(spec: &Arc<Spec>, traces: &[Vec<Exchange>]) -> (Duration, Counts) {
    let candidates = |trace: &Vec<Exchange>| {
        let validator = judge_all(spec, trace);
        assert!(validator.verdict().is_accept(), "{:?}", validator.verdict());
        validator.counts()
    };
    let most = traces.iter().map(candidates).max_by_key(|counts| counts.candidates_max).unwrap_or_default();
    let least = |trace: &Vec<Exchange>| (0..TIMES).map(|_| time_of(spec, trace)).min().unwrap_or_default();
    (traces.iter().map(least).sum::<Duration>() / traces.len() as u32, most)
}

fn time_of(spec: &Arc<Spec>, trace: &[Exchange]) -> Duration {
    let begun = Instant::now();
    judge_all(spec, trace);
    begun.elapsed()
}

/// A line for each of the accepted traces of a specification.
fn short(shipped: &Shipped) {
    let (known, unknown) = starts(shipped);
    for (name, trace) in shipped.traces("accept") {
        let whole = exchanges(&known, &trace);
        let holes: Vec<Vec<Exchange>> = (0..GAP).map(|first| with_holes(&whole, first)).collect();
        let ((before, _), (after, counts)) = (fastest(&known, std::slice::from_ref(&whole)), fastest(&unknown, &holes));
        row(&name, before, after, counts);
        let read = |text: &str| (0..TIMES).map(|_| time_of_reading(text, &trace)).min().unwrap_or_default();
        let text = if shipped.name == LISTED { shipped.text.clone() } else { shipped.unknown_text() };
        let (before, after) = (before + read(&shipped.text), after + read(&text));
        row("  from the texts", before, after, counts);
    }
}

/// A line for each of the accepted traces, judged by the command from files.
fn by_command(all: &[Shipped]) {
    let directory = std::env::temp_dir().join(format!("mayhap-holes-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    let file = |name: String, text: &str| {
        let path = directory.join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    for shipped in all {
        let text = if shipped.name == LISTED { shipped.text.clone() } else { shipped.unknown_text() };
        let specs = [file("known.may".into(), &shipped.text), file("unknown.may".into(), &text)];
        for (name, trace) in shipped.traces("accept") {
            let holes = |first: usize| file(format!("holes{first}.ndjson"), &holes_in(&trace, first));
            let mut runs = vec![(&specs[0], file("whole.ndjson".into(), &trace), Duration::MAX)];
            runs.extend((0..GAP).map(|first| (&specs[1], holes(first), Duration::MAX)));
            for _ in 0..COMMANDS {
                runs.iter_mut().for_each(|(spec, trace, least)| *least = (*least).min(time_of_command(spec, trace)));
            }
            let after: Duration = runs[1..].iter().map(|(.., least)| *least).sum();
            row(&name, runs[0].2, after / GAP as u32, Counts::default());
        }
    }
    fs::remove_dir_all(directory).expect("the directory");
}

/// The text of a trace with holes for answers.
fn holes_in(trace: &str, first: usize) -> String {
    let hole = |(at, line): (usize, &str)| {
        let mut record: serde_json::Value = serde_json::from_str(line).expect("a record");
        if at >= first
            && (at - first).is_multiple_of(GAP)
            && let Some(answer) = record.get_mut("a")
        {
            *answer = serde_json::json!({"$any": null});
        }
        format!("{record}\n")
    };
    trace.lines().filter(|line| !line.trim().is_empty()).enumerate().map(hole).collect()
}

/// The time that the command takes for a trace, from its start to its end.
fn time_of_command(spec: &Path, trace: &Path) -> Duration {
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_mayhap")).arg("validate").args([spec, trace]).output();
    assert!(output.expect("the command").status.success(), "{} accepts {}", spec.display(), trace.display());
    begun.elapsed()
}

/// The time of reading a specification and a trace.
fn time_of_reading(text: &str, trace: &str) -> Duration {
    let begun = Instant::now();
    let spec = Spec::from_text(text).expect("a specification");
    exchanges(&spec, trace);
    begun.elapsed()
}

fn row(name: &str, before: Duration, after: Duration, counts: Counts) {
    let ratio = after.as_secs_f64() / before.as_secs_f64();
    println!(
        "{name:40} known {before:9.1?}  unknown with holes {after:9.1?}  ratio {ratio:5.2}  candidates {}  forks {}",
        counts.candidates_max, counts.forks
    );
}

/// Prints a line for simulated exchanges of a specification. If they take too long, the line covers the ones judged in time.
fn long(shipped: &Shipped) {
    let (known, unknown) = starts(shipped);
    let whole = simulate(&known, LENGTH);
    let (before, _) = timed(&known, &whole);
    let (after, counts) = timed(&unknown, &with_holes(&whole, 0));
    row(&format!("{}, an exchange of {}", shipped.name, counts.events), before, after, counts);
}

/// The time of an exchange.
fn timed(spec: &Arc<Spec>, exchanges: &[Exchange]) -> (Duration, Counts) {
    let (begun, mut validator) = (Instant::now(), Validator::new(spec));
    let in_time = |_: &&Exchange| begun.elapsed() < PATIENCE;
    let explained = exchanges.iter().take_while(in_time).all(|exchange| validator.observe_exchange(exchange));
    if !(explained && validator.verdict().is_accept()) {
        println!("not accepted: {:?}", validator.verdict());
    }
    let counts = validator.counts();
    (begun.elapsed() / (counts.events as u32).max(1), counts)
}

/// Runs a specification as a server.
fn simulate(spec: &Arc<Spec>, count: usize) -> Vec<Exchange> {
    let request = &mut |server: &mut Server, choices: &mut Random| server.draw_request(choices).expect("a request");
    workload::served(spec, Ranges::default(), 1, count as u64, request).0
}

/// Judges one shipped trace, or simulated exchanges, and prints the counts.
fn one(all: &[Shipped], name: &str, start: &str, count: usize) -> ExitCode {
    let Some(shipped) = all.iter().find(|shipped| name.split('/').next() == Some(&shipped.name)) else {
        eprintln!("there is no specification of {name}");
        return ExitCode::from(2);
    };
    let (known, unknown) = starts(shipped);
    let kept = shipped.traces("accept").into_iter().find(|(trace, _)| trace == name);
    let (whole, times) = match kept {
        Some((_, trace)) => (exchanges(&known, &trace), count),
        None => (simulate(&known, count), 1),
    };
    let gaps = |at: usize| match start {
        "known" => whole.clone(),
        _ => with_holes(&whole, at % GAP),
    };
    let spec = if start == "known" { &known } else { &unknown };
    if let Some(validator) = (0..times).map(|at| judge_all(spec, &gaps(at))).reduce(|_, last| last) {
        println!("{name} {start} {:?} z3 checks {}", validator.counts(), validator.statistics().z3_checks);
    }
    ExitCode::SUCCESS
}
