//! Witnesses cost a fixed number of passes over the trace, and hold a short part of it: counted, not timed.
//!
//! For example for every shipped specification, simulated, each exchange is judged once, and read again where it was open for
//! long. Where too much stays open the run is made backwards, with five passes at most.

use crate::shipped;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::command::run;
use crate::hidden::workloads::{CLOCKED, STEPPING, WORKLOADS};
use mayhap::dualize::Options;
use mayhap::evidence::{WitnessError, witness_in_parts, witness_in_segments};
use mayhap::validate::{Exchanges, Recording};
use mayhap::{Exchange, Spec};

/// A trace that counts how many of its exchanges were read.
struct Counted {
    exchanges: Vec<Exchange>,
    read: Cell<usize>,
}

impl Counted {
    fn new(exchanges: Vec<Exchange>) -> Counted {
        Counted { exchanges, read: Cell::new(0) }
    }
}

impl Recording for Counted {
    fn length(&self) -> usize {
        self.exchanges.len()
    }

    fn read(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>) {
        self.exchanges.read(from, &mut |exchange| {
            self.read.set(self.read.get() + 1);
            see(exchange)
        });
    }
}

/// What looking for a witness cost.
#[derive(Debug)]
struct Cost {
    /// Exchanges read for each one of the trace.
    passes: f64,
    /// The most exchanges that were made at once.
    longest: usize,
}

fn cost(name: &str, spec: &Arc<Spec>, exchanges: Vec<Exchange>) -> Cost {
    let counted = Counted::new(exchanges);
    let (mut steps, mut longest) = (0, 0);
    let found = witness_in_parts(spec, &Options::default(), &counted, &mut |segment| {
        steps += segment.steps.len();
        longest = longest.max(segment.steps.len());
        ControlFlow::Continue(())
    });
    assert!(found.is_ok() && steps >= counted.length(), "{name}: {found:?}, {steps} steps");
    let cost = Cost { passes: counted.read.get() as f64 / counted.length() as f64, longest };
    eprintln!("{name}: {cost:?}");
    cost
}

/// A trace that a specification makes itself.
fn simulated(path: &str, spec: &Arc<Spec>, steps: usize) -> Vec<Exchange> {
    let steps = steps.to_string();
    let output = run(&["simulate", path, "--steps", &steps, "--seed", "1", "--range", "request=0..100"], "");
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    Exchanges::new(spec, output.stdout.as_slice()).collect::<Result<_, _>>().unwrap()
}

/// Exchanges of a trace.
const EXCHANGES: usize = 3_000;
/// Where each choice shows at once, no more exchanges than this are held.
const OPEN: usize = 256;

#[test]
fn a_shipped_specification_is_judged_once_for_a_witness() {
    for shipped in shipped::all() {
        // Its traces are judged slowly.
        let steps = if shipped.name == "pages" { EXCHANGES / 3 } else { EXCHANGES };
        let spec = shipped.compile().unwrap();
        let exchanges = simulated(&shipped.path.to_string_lossy(), &spec, steps);
        let cost = cost(&shipped.name, &spec, exchanges);
        assert!(cost.passes <= 2.0, "{}: {cost:?}", shipped.name);
    }
}

/// A server whose first choice never shows in full.
const OPEN_TO_THE_END: &str =
    "protocol first { request int; response bool; var n: int = choose; on q { reply n > q; } }";

#[test]
fn what_stays_open_is_read_again() {
    let spec = Spec::from_text(OPEN_TO_THE_END).unwrap();
    let text: String = (0..20_000).map(|at| format!("{{\"q\":{},\"a\":true}}\n", at % 7)).collect();
    let exchanges: Vec<Exchange> = Exchanges::new(&spec, text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let cost = cost("first", &spec, exchanges);
    assert!(cost.passes <= 2.0 && cost.longest <= 1_024, "{cost:?}");
}

/// Paths that never meet again.
#[test]
fn what_becomes_too_much_is_made_backwards() {
    let workload = WORKLOADS.iter().find(|workload| workload.name == "two_counters").unwrap();
    let spec = workload.spec();
    let cost = cost(workload.name, &spec, workload.exchanges(&spec, 50_000, 1));
    assert!(cost.passes > 2.0 && cost.passes <= 3.0 && cost.longest <= 2_048, "{cost:?}");
}

#[test]
fn hidden_branches_cost_few_passes() {
    for workload in WORKLOADS {
        let spec = workload.spec();
        let cost = cost(workload.name, &spec, workload.exchanges(&spec, EXCHANGES as u64, 1));
        // Those of which many explanations stay apart are divided again, and judged less often with all choices kept.
        assert!(cost.passes <= 5.0, "{}: {cost:?}", workload.name);
    }
}

/// With their choices kept, what explains ten of these exchanges is hundreds of times more.
#[test]
fn what_is_put_together_has_a_witness() {
    for workload in CLOCKED.iter().chain(STEPPING) {
        let spec = workload.spec();
        let cost = cost(workload.name, &spec, workload.exchanges(&spec, 200, 1));
        assert!(cost.passes <= 12.0, "{}: {cost:?}", workload.name);
    }
}

/// What is written to a map of many keys is all that a part costs; it is never held whole.
#[test]
fn many_keys_cost_what_is_written() {
    let kv = shipped::all().into_iter().find(|shipped| shipped.name == "kv").unwrap();
    let spec = kv.compile().unwrap();
    let put = |at: usize| format!("{{\"q\":{{\"Put\":[\"key{at}\",\"v\"]}},\"a\":{{\"Put\":[\"key{at}\",\"v\"]}}}}\n");
    let text: String = (0..20_000).map(put).collect();
    let exchanges: Vec<Exchange> = Exchanges::new(&spec, text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let cost = cost("kv", &spec, exchanges);
    assert!(cost.passes <= 1.0 && cost.longest <= OPEN, "{cost:?}");
}

#[test]
fn no_more_is_read_once_no_more_is_wanted() {
    let spec = Spec::from_text("protocol echo { request int; response int; on q { reply q; } }").unwrap();
    let text: String = (0..20_000).map(|at| format!("{{\"q\":{at},\"a\":{at}}}\n")).collect();
    let exchanges: Vec<Exchange> = Exchanges::new(&spec, text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let counted = Counted::new(exchanges);
    let mut given = 0;
    let stop = &mut |_| {
        given += 1;
        ControlFlow::Break(())
    };
    assert_eq!(witness_in_parts(&spec, &Options::default(), &counted, stop), Err(WitnessError::Stopped));
    assert!(counted.read.get() <= OPEN, "{}", counted.read.get());
    assert_eq!(witness_in_segments(&spec, &Options::default(), &counted, 100, stop), Err(WitnessError::Stopped));
    assert_eq!(given, 2);
}
