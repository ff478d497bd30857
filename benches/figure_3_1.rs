//! A comparison with Figure 3.1 to the letter, on Z3: for compare-and-reset, and for every machine that is shipped or has known
//! verdicts.
//!
//! `cargo bench --bench figure_3_1` prints the time of an exchange for both, and the ratio; with `--markdown` as tables, and with
//! a name for one machine only. A machine counts if both decide its trace. Each may take some seconds, so a ratio of `≥ 900`
//! means that Z3 was not done after 900 times the time of mayhap.

mod figure;

use figure::{Asked, Figure, Step};
use mayhap::choice::Random;
use mayhap::details::Observed;
use mayhap::reading::Exchanges;
use mayhap::scalar::Int;
use mayhap::server::{Ranges, Reply, Server};
use mayhap::validate::judge;
use mayhap::value::Value;
use mayhap::{Exchange, Spec, Validator};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of exchanges in a trace.
const LENGTH: u64 = 10_000;
/// The least time that Figure 3.1 may take for one trace.
const LIMIT: Duration = Duration::from_secs(1);
/// The time that mayhap may take for one trace.
const OWN_LIMIT: Duration = Duration::from_secs(10);
/// The most digits of a number in the state, at which a trace ends; a machine that squares soon exceeds them.
const DIGITS: usize = 4_000;

/// A trace of a machine.
struct Trace {
    spec: Arc<Spec>,
    exchanges: Vec<Exchange>,
    numbers: Vec<(Int, Int)>,
}

/// The time that a judge took.
enum Took {
    /// This time.
    Whole(Duration),
    /// More than the judge's limit.
    Limit(Duration),
    /// The judge did not decide.
    Undecided,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let is_markdown = arguments.iter().any(|argument| argument == "--markdown");
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    if only.is_none() {
        compare_and_reset(is_markdown);
    }
    let mut ratios = Ratios::default();
    let mut paths = machines();
    paths.retain(|path| only.is_none_or(|only| name(path) == *only));
    for path in paths {
        ratios.add(&path);
    }
    ratios.print(is_markdown);
}

/// The files of all machines.
fn machines() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = |directory: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "may"));
        paths.sort();
        paths
    };
    let mut all = listed(&root.join("specs"));
    all.retain(|path| figure::machine(&text(path)).is_some());
    all.extend(listed(&root.join("tests/data/conformance/machine")));
    all
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The results for all machines.
#[derive(Default)]
struct Ratios {
    /// The ratio and the name of each machine that both decide; for `unfinished` of them Z3 was not done.
    of: Vec<(f64, String)>,
    unfinished: usize,
    undecided: Vec<String>,
}

impl Ratios {
    fn add(&mut self, path: &Path) {
        let trace = simulate(path, LENGTH, Ranges::default());
        let ours = ours(&trace);
        // If mayhap takes long, Figure 3.1 gets even more time, so that it is known which of them is slower.
        let limit = if let Took::Whole(own) = ours { LIMIT.max(own * 2) } else { LIMIT };
        let theirs = figure(path, &trace, limit);
        let count = trace.exchanges.len().max(1) as f64;
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / count;
        let (Took::Whole(own), Took::Whole(other) | Took::Limit(other)) = (&ours, &theirs) else {
            let who = if matches!(ours, Took::Whole(_)) { "Figure 3.1" } else { "mayhap" };
            eprintln!("{}: not decided by {who}", name(path));
            return self.undecided.push(format!("{} ({who})", name(path)));
        };
        eprintln!("{}: {:.2} us an exchange, Figure 3.1 at least {:.2}", name(path), micros(*own), micros(*other));
        self.unfinished += usize::from(matches!(theirs, Took::Limit(_)));
        self.of.push((other.as_secs_f64() / own.as_secs_f64(), name(path)));
    }

    fn print(mut self, is_markdown: bool) {
        self.of.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(least), Some(most)) = (self.of.first(), self.of.last()) else { return };
        let median = self.of[self.of.len() / 2].0;
        let slower: Vec<&str> =
            self.of.iter().filter(|(ratio, _)| *ratio < 1.0).map(|(_, name)| name.as_str()).collect();
        let listed = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let undecided = listed(self.undecided.iter().map(String::as_str).collect());
        let rows = [
            ("machines that both decide".to_owned(), self.of.len().to_string()),
            (
                format!("… of which Z3 is not done in {} s, or twice as long as mayhap", LIMIT.as_secs()),
                self.unfinished.to_string(),
            ),
            (format!("least ratio ({})", least.1), format!("{:.1}", least.0)),
            ("median ratio".to_owned(), format!("{median:.0}")),
            (format!("largest ratio ({})", most.1), format!("{:.0}", most.0)),
            ("mayhap is slower".to_owned(), listed(slower)),
            ("one of them does not decide".to_owned(), undecided),
        ];
        if is_markdown {
            println!("\n| Figure 3.1 over all machines, {LENGTH} exchanges each | |\n|---|---|");
        }
        for (what, value) in rows {
            if is_markdown { println!("| {what} | {value} |") } else { println!("{what:45} {value}") }
        }
    }
}

/// Judges a trace with mayhap.
fn ours(trace: &Trace) -> Took {
    let started = Instant::now();
    let mut validator = Validator::new(&trace.spec);
    for exchange in &trace.exchanges {
        validator.observe_exchange(exchange);
        if started.elapsed() > OWN_LIMIT {
            return Took::Undecided;
        }
    }
    let time = started.elapsed();
    if validator.verdict().is_accept() { Took::Whole(time) } else { Took::Undecided }
}

/// Judges a trace by Figure 3.1.
fn figure(path: &Path, trace: &Trace, limit: Duration) -> Took {
    let body = figure::machine(&text(path)).unwrap_or_else(|| panic!("{}: no machine", path.display()));
    let started = Instant::now();
    let mut figure = Figure::new(body, Asked::Incrementally);
    for (query, answer) in &trace.numbers {
        match figure.step(query, answer) {
            Step::Alive => {}
            Step::Rejected => panic!("{}: a simulated trace is rejected by Figure 3.1", path.display()),
            Step::Undecided => return Took::Undecided,
        }
        if started.elapsed() > limit {
            return Took::Limit(started.elapsed());
        }
    }
    Took::Whole(started.elapsed())
}

/// Compare-and-reset: both versions of Figure 3.1, and mayhap with its library and from NDJSON.
fn compare_and_reset(is_markdown: bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/cmp_rst_machine.may");
    let trace = simulate(&path, 20_000, Ranges { request: Some((0, 1000)), choose: Some((900, 965)) });
    let by_figure = |asked: Asked, count: usize| {
        let body = figure::machine(&text(&path)).unwrap_or_else(|| panic!("no machine"));
        timed(count, || {
            let mut figure = Figure::new(body, asked);
            trace.numbers[..count].iter().all(|(query, answer)| figure.step(query, answer) == Step::Alive)
        })
    };
    let (scratch, incremental) = (by_figure(Asked::FromScratch, 256), by_figure(Asked::Incrementally, 2_000));
    let by_api = timed(trace.exchanges.len(), || {
        let mut validator = Validator::new(&trace.spec);
        trace.exchanges.iter().all(|exchange| validator.observe_exchange(exchange))
    });
    let line = |(query, answer): &(Int, Int)| format!("{{\"q\": {query}, \"a\": {answer}}}\n");
    let lines: String = trace.numbers.iter().map(line).collect();
    let from_lines = timed(trace.exchanges.len(), || {
        let mut validator = Validator::new(&trace.spec);
        judge(&mut validator, &mut Exchanges::new(&trace.spec, lines.as_bytes())).is_ok()
            && validator.verdict().is_accept()
    });
    let rows = [
        ("Figure 3.1 on Z3, from scratch, 256 exchanges", scratch),
        ("Figure 3.1 on Z3, incremental, 2,000 exchanges", incremental),
        ("mayhap, by the library", by_api),
        ("mayhap, from NDJSON", from_lines),
    ];
    if is_markdown {
        println!("| CMP-RST | µs an exchange | incremental Z3 takes N times as long |\n|---|---|---|");
    }
    for (what, micros) in rows {
        let ratio = incremental / micros;
        if is_markdown {
            println!("| {what} | {micros:.2} | {ratio:.0} |")
        } else {
            println!("{what:48} {micros:10.2} us {ratio:8.0}")
        }
    }
}

/// The time of an exchange, in microseconds.
fn timed(exchanges: usize, judge: impl FnOnce() -> bool) -> f64 {
    let start = Instant::now();
    assert!(judge(), "a simulated trace is accepted");
    start.elapsed().as_secs_f64() * 1e6 / exchanges as f64
}

/// Runs a machine as a server.
fn simulate(path: &Path, count: u64, ranges: Ranges) -> Trace {
    let spec = Spec::from_text(&text(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut choices = Random::new(1);
    let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
    let mut trace = Trace { spec: spec.clone(), exchanges: Vec::new(), numbers: Vec::new() };
    let number = |value: &Value| value.as_int().cloned().unwrap_or_else(|| panic!("{value:?} is no number"));
    for line in 1..=count {
        let request = server.draw_request(&mut choices);
        let request = request.unwrap_or_else(|error| panic!("{error}"));
        let Ok(Reply::Answer(answer)) = server.handle(&request, 1, &mut choices) else { continue };
        trace.numbers.push((number(&request), number(&answer)));
        trace.exchanges.push(Exchange { line, client: 1, request, observed: Observed::Answer(answer) });
        let is_long =
            |value: &Value| value.as_int().is_some_and(|n| n.to_i64().is_none() && n.to_string().len() > DIGITS);
        if server.state().iter().any(is_long) {
            break;
        }
    }
    trace
}
