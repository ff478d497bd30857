//! Recorded histories of concurrent clients, read and judged in one process, compared with the time that Porcupine took for each
//! on a machine with two cores.
//!
//! `cargo bench --bench histories` prints a line for each group: the time for reading and judging all of its histories, the time
//! that Porcupine took, the ratio, the slowest history, and the slowest event if histories are judged event by event. The
//! benchmark ends at a verdict that is not the known one.
//!
//! `cargo bench --bench histories -- specs/cmp_set.may TRACE...` prints a line for each trace of a server that follows a
//! specification. A second line is for its events if they arrive one by one, as from a pipe: the time that 99 of 100 events take
//! at most, the slowest event with its line, the verdict after the last one, and the memory for all.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayhap::reading::{Events, FormatRules, each_happening, history};
use mayhap::search::OnlineHistory;
use mayhap::trace::{FailRule, JepsenRules, TraceFormat};
use mayhap::{Options, Spec, Verdict, search};

/// The histories with their verdicts, which tests check, too.
const HISTORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/histories");

/// The number of times that a group is judged; the fastest one counts.
const ROUNDS: usize = 5;

/// A history from a file.
struct Recorded {
    name: String,
    bytes: Vec<u8>,
    rules: FormatRules,
    spec: Arc<Spec>,
    is_accepted: bool,
    porcupine_ms: f64,
}

impl Recorded {
    fn of(row: &str, specs: &mut BTreeMap<String, Arc<Spec>>) -> Recorded {
        let columns: Vec<&str> = row.split('\t').collect();
        let [name, spec, options, verdict, porcupine_ms] = columns[..] else { panic!("not five columns: {row}") };
        let compiled = || {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(spec);
            Spec::from_text(&std::fs::read_to_string(path).expect("a specification")).expect("no errors")
        };
        let spec = specs.entry(spec.to_owned()).or_insert_with(compiled).clone();
        let fail = if options == "--fail drop" { FailRule::Drop } else { FailRule::Answer };
        Recorded {
            name: name.to_owned(),
            bytes: std::fs::read(Path::new(HISTORIES).join(name)).expect("a history"),
            rules: FormatRules { jepsen: JepsenRules { fail, ..JepsenRules::default() }, url: None },
            spec,
            is_accepted: verdict == "accept",
            porcupine_ms: porcupine_ms.parse().expect("a number"),
        }
    }

    /// The time of reading the history, and the time of judging it.
    fn judge(&self) -> (Duration, Duration) {
        let begun = Instant::now();
        let format = TraceFormat::sniffed(&self.bytes);
        let mut events = Events::open(&self.spec, self.bytes.as_slice(), format, self.rules.clone());
        let read =
            history(&self.spec, &mut events, None).unwrap_or_else(|error| panic!("{}", error.render(&self.name)));
        let reading = begun.elapsed();
        let judged = search::judge(&self.spec, &read, &Options::default());
        assert_eq!(judged.verdict.is_accept(), self.is_accepted, "{}: {:?}", self.name, judged.verdict);
        (reading, begun.elapsed() - reading)
    }
}

/// A trace whose next line arrives when it is asked for, so that the time between two lines is the time of an event.
struct LineByLine<'b> {
    left: &'b [u8],
    /// The number of bytes in the current line.
    line: usize,
    arrived: Instant,
    /// The time of each event, in nanoseconds.
    took: Vec<u32>,
    /// The memory in use at the beginning, and the most since then, in bytes.
    memory: (usize, usize),
}

/// The number of lines between two measurements of the memory.
const MEASURED: usize = 512;

/// The memory of the process, in bytes.
fn memory() -> usize {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem)
}

impl<'b> LineByLine<'b> {
    fn new(bytes: &'b [u8]) -> LineByLine<'b> {
        let took = Vec::with_capacity(bytes.iter().filter(|octet| **octet == b'\n').count() + 2);
        let memory = memory();
        LineByLine { left: bytes, line: 0, arrived: Instant::now(), took, memory: (memory, memory) }
    }

    /// The longest time of an event, and its line.
    fn slowest(&self) -> (Duration, usize) {
        let (line, took) = (0..).zip(&self.took).max_by_key(|(_, took)| **took).unwrap_or((0, &0));
        (Duration::from_nanos(u64::from(*took)), line)
    }

    /// The time that 99 of 100 events take at most.
    fn most(&self) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        Duration::from_nanos(took.get(took.len() * 99 / 100).copied().unwrap_or_default().into())
    }

    /// The memory for all events, in MiB.
    fn mebibytes(&self) -> f64 {
        (self.memory.1 - self.memory.0) as f64 / f64::from(1 << 20)
    }
}

impl Read for LineByLine<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let taken = self.fill_buf()?.read(into)?;
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for LineByLine<'_> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        if self.line == 0 {
            self.took.push(self.arrived.elapsed().as_nanos().try_into().unwrap_or(u32::MAX));
            if self.took.len().is_multiple_of(MEASURED) || self.left.is_empty() {
                self.memory.1 = self.memory.1.max(memory());
            }
            let end = self.left.iter().position(|octet| *octet == b'\n');
            self.line = end.map_or(self.left.len(), |end| end + 1);
            self.arrived = Instant::now();
        }
        Ok(&self.left[..self.line])
    }

    fn consume(&mut self, octets: usize) {
        self.left = &self.left[octets..];
        self.line -= octets;
    }
}

/// Judges a trace event by event, several times; the fastest time of each event counts. Returns the verdict after the last judged
/// event, too.
fn judge_online<'b>(spec: &Arc<Spec>, bytes: &'b [u8], rules: &FormatRules) -> (LineByLine<'b>, Option<Verdict>) {
    let (mut best, verdict) = judge_online_once(spec, bytes, rules);
    for _ in 1..ROUNDS {
        let again = judge_online_once(spec, bytes, rules).0;
        best.took.iter_mut().zip(again.took).for_each(|(best, took)| *best = took.min(*best));
    }
    (best, verdict)
}

fn judge_online_once<'b>(spec: &Arc<Spec>, bytes: &'b [u8], rules: &FormatRules) -> (LineByLine<'b>, Option<Verdict>) {
    let mut lines = LineByLine::new(bytes);
    let mut events = Events::open(spec, &mut lines, TraceFormat::sniffed(bytes), rules.clone());
    let (mut session, mut verdict) = (OnlineHistory::new(spec, Options::default()), None);
    let mut judge = |line, happened| {
        verdict = session.push(line, happened);
        verdict.as_ref().is_some_and(Verdict::is_accept)
    };
    each_happening(&mut events, &mut judge).expect("a history");
    drop(events);
    (lines, verdict)
}

/// Judges a trace of a server that follows a specification, and prints the times.
fn report(spec: &Arc<Spec>, name: &str) {
    let bytes = std::fs::read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (lines, online) = judge_online(spec, &bytes, &FormatRules::default());
    let (slowest, line) = lines.slowest();
    let begun = Instant::now();
    let mut events = Events::open(spec, bytes.as_slice(), TraceFormat::sniffed(&bytes), FormatRules::default());
    let read = history(spec, &mut events, None).unwrap_or_else(|error| panic!("{}", error.render(name)));
    let reading = ms(begun.elapsed());
    let begun = Instant::now();
    let judged = search::judge(spec, &read, &Options::default());
    println!(
        "{name:40} read {reading:6.1} ms  judged {:7.1} ms  {:?}\n{:40} events: {:5.3} ms, slowest {:6.1} ms (line {line}), {:.1} MiB  {}",
        ms(begun.elapsed()),
        judged.verdict,
        "",
        ms(lines.most()),
        ms(slowest),
        lines.mebibytes(),
        online.map_or("too hard".into(), |online| format!("{online:?}")),
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The times of a group.
struct Round<'g> {
    reading: Duration,
    judging: Duration,
    slowest: (Duration, &'g str),
}

impl<'g> Round<'g> {
    fn of(group: &'g [Recorded]) -> Round<'g> {
        let mut round = Round { reading: Duration::ZERO, judging: Duration::ZERO, slowest: (Duration::ZERO, "") };
        for recorded in group {
            let (reading, judging) = recorded.judge();
            round.reading += reading;
            round.judging += judging;
            round.slowest = round.slowest.max((judging, &recorded.name));
        }
        round
    }

    fn all(&self) -> Duration {
        self.reading + self.judging
    }
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [spec, traces @ ..] = &named[..] {
        let text = std::fs::read_to_string(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{spec}: {error:?}"));
        return traces.iter().for_each(|trace| report(&spec, trace));
    }
    let manifest = std::fs::read_to_string(Path::new(HISTORIES).join("manifest.tsv")).expect("the manifest");
    let mut specs = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    for row in manifest.lines().skip(1) {
        let recorded = Recorded::of(row, &mut specs);
        let group = recorded.name.split('/').next().unwrap_or_default().to_owned();
        groups.entry(group).or_default().push(recorded);
    }
    for (name, group) in &groups {
        let rounds = (0..ROUNDS).map(|_| Round::of(group));
        let Some(best) = rounds.min_by_key(Round::all) else { continue };
        let porcupine: f64 = group.iter().map(|recorded| recorded.porcupine_ms).sum();
        let events =
            group.iter().map(|recorded| judge_online(&recorded.spec, &recorded.bytes, &recorded.rules).0.slowest().0);
        println!(
            "{name:8} {:3} histories  read {:6.2} ms  judged {:7.2} ms  Porcupine {porcupine:7.2} ms  ratio {:6.3}  slowest {:6.2} ms ({})  slowest event {:6.2} ms",
            group.len(),
            ms(best.reading),
            ms(best.judging),
            ms(best.all()) / porcupine,
            ms(best.slowest.0),
            best.slowest.1,
            ms(events.max().unwrap_or_default()),
        );
    }
}
