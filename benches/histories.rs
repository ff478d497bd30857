//! Recorded histories of concurrent clients, read and judged in one process, beside what Porcupine took for each on a machine of two
//! cores.
//!
//! `cargo bench --bench histories` prints a line a group: how long reading and judging all of its histories takes, the sum of what
//! Porcupine took, the ratio, and the dearest history. A verdict that is not the known one ends it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayhap::trace::{FailRule, JepsenRules, TraceFormat};
use mayhap::validate::{Events, history};
use mayhap::{Options, Spec, schedule};

/// The histories with their verdicts, which tests check, too.
const HISTORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/histories");

/// The number of times that a group is judged; the fastest counts.
const ROUNDS: usize = 5;

/// A history, as its file has it.
struct Recorded {
    name: String,
    bytes: Vec<u8>,
    rules: JepsenRules,
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
            rules: JepsenRules { fail, ..JepsenRules::default() },
            spec,
            is_accepted: verdict == "accept",
            porcupine_ms: porcupine_ms.parse().expect("a number"),
        }
    }

    /// The time that reading it takes, and judging it.
    fn judge(&self) -> (Duration, Duration) {
        let begun = Instant::now();
        let format = TraceFormat::sniffed(&self.bytes);
        let mut events = Events::open(&self.spec, self.bytes.as_slice(), format, self.rules.clone());
        let read = history(&self.spec, &mut events).unwrap_or_else(|error| panic!("{}", error.render(&self.name)));
        let reading = begun.elapsed();
        let judged = schedule::judge(&self.spec, &read, &Options::default());
        assert_eq!(judged.verdict.is_accept(), self.is_accepted, "{}: {:?}", self.name, judged.verdict);
        (reading, begun.elapsed() - reading)
    }
}

/// The time that a group takes.
struct Round<'g> {
    reading: Duration,
    judging: Duration,
    dearest: (Duration, &'g str),
}

impl<'g> Round<'g> {
    fn of(group: &'g [Recorded]) -> Round<'g> {
        let mut round = Round { reading: Duration::ZERO, judging: Duration::ZERO, dearest: (Duration::ZERO, "") };
        for recorded in group {
            let (reading, judging) = recorded.judge();
            round.reading += reading;
            round.judging += judging;
            round.dearest = round.dearest.max((judging, &recorded.name));
        }
        round
    }

    fn all(&self) -> Duration {
        self.reading + self.judging
    }
}

fn main() {
    let manifest = std::fs::read_to_string(Path::new(HISTORIES).join("manifest.tsv")).expect("the manifest");
    let mut specs = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    for row in manifest.lines().skip(1) {
        let recorded = Recorded::of(row, &mut specs);
        let group = recorded.name.split('/').next().unwrap_or_default().to_owned();
        groups.entry(group).or_default().push(recorded);
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    for (name, group) in &groups {
        let rounds = (0..ROUNDS).map(|_| Round::of(group));
        let Some(best) = rounds.min_by_key(Round::all) else { continue };
        let porcupine: f64 = group.iter().map(|recorded| recorded.porcupine_ms).sum();
        println!(
            "{name:8} {:3} histories  read {:6.2} ms  judged {:7.2} ms  Porcupine {porcupine:7.2} ms  ratio {:6.3}  dearest {:6.2} ms ({})",
            group.len(),
            ms(best.reading),
            ms(best.judging),
            ms(best.all()) / porcupine,
            ms(best.dearest.0),
            best.dearest.1,
        );
    }
}
