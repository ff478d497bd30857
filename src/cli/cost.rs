//! `mayhap check --cost`: the work of judging a specification, measured on a simulated run.
//!
//! It names the statements at which explanations fork, and the variables and entries that depend on each other at the end, as
//! these make judging expensive. A fault that the run meets is reported at its place.

use super::arguments::Check;
use super::arguments::values;
use super::terminal::Terminal;
use super::{load, observed};
use mayhap::choice::Random;
use mayhap::details::{Doubt, Selection};
use mayhap::diagnostic::Diagnostic;
use mayhap::judge::{Judge, Options, judge_within};
use mayhap::limits::EFFORT_LIMIT;
use mayhap::network::NetworkChoice;
use mayhap::reading::{Events, FormatRules, observations};
use mayhap::report::{self, Stats, text};
use mayhap::search;
use mayhap::server::{Asked, Conversation, Population, Ranges, Server, Stop};
use mayhap::session::is_order;
use mayhap::spec::Tasks;
use mayhap::spec::load::Text;
use mayhap::trace::TraceFormat;
use mayhap::{Exchange, Spec, Validator, Verdict};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The range of integers in requests, unless another one is given; it is small so that keys repeat.
const INTEGERS: (i64, i64) = (0, 10);
/// The time after which judging ends.
const TIME: Duration = Duration::from_secs(10);

/// The result of simulating and judging a run.
#[derive(Default)]
struct Profile {
    /// The work of judging the run.
    stats: Stats,
    /// The reason why the run ended early, as it follows the name: `, ended after 10 s`.
    end: String,
    /// The faults that the run met.
    faults: Vec<Diagnostic>,
}

/// Simulates and judges a machine or protocol of a text, and prints the result. Returns the faults that were met; they were
/// reported, too.
pub fn report(path: &Path, text: Text, name: &str, options: &Check, terminal: &mut Terminal) -> Vec<Diagnostic> {
    let selection = Selection { name: Some(name.to_owned()), tasks: Tasks::Interleaved, ..Selection::default() };
    // A specification that cannot be run was reported before.
    let Ok(interleaved) = load::compile_text(path, text.clone(), &selection) else { return Vec::new() };
    let selection = Selection { tasks: Tasks::Alone, ..selection };
    let alone = load::compile_text(path, text, &selection).ok();
    let how = match &alone {
        Some(spec) if is_order(&interleaved) => report::partition(spec),
        Some(spec) if search::is_judged(spec) => format!("event by event, {}", report::partition(spec)),
        _ => "event by event".to_owned(),
    };
    terminal.print(&format!("  concurrent clients of `{name}` are judged {how}\n"));
    let spec = alone.as_ref().unwrap_or(&interleaved);
    let mut choices = Random::new(options.seed);
    let given = values::ranges(&options.ranges);
    let ranges = Ranges { request: given.request.or(Some(INTEGERS)), ..given };
    let profile = match Server::new(spec.clone(), ranges, &mut choices) {
        Ok(server) if alone.is_some() => profile(spec, options, server, &mut choices),
        Ok(server) => profile_with_peers(spec, options, server, &mut choices),
        Err(stop) => Profile { end: because(&stop), faults: fault(spec, &stop), ..Profile::default() },
    };
    terminal.print(&format!("  cost of `{name}`{}: {}\n", profile.end, text::stats(&profile.stats)));
    load::report(&spec.sources, &profile.faults, terminal);
    profile.faults
}

/// Judges the answers of a server to a random client.
fn profile(spec: &Arc<Spec>, options: &Check, mut server: Server, choices: &mut Random) -> Profile {
    let (begun, mut judging) = (Instant::now(), Duration::ZERO);
    let mut validator = Validator::new(spec);
    let (mut end, mut faults, mut coupled, mut differing) = (String::new(), Vec::new(), Vec::new(), String::new());
    for line in 1..=options.steps {
        let asked = match server.asked(1, choices) {
            Ok(asked) => asked,
            Err(stop) => {
                (end, faults) = (because(&stop), fault(spec, &stop));
                break;
            }
        };
        let started = Instant::now();
        let goes_on = validator.observe_exchange(&exchange(line, asked));
        judging += started.elapsed();
        if let Some(why) = doubt(validator.judge()) {
            end = why;
            break;
        }
        // If explanations become too many, only few are kept at the end, so they are inspected now and then.
        if line.is_power_of_two() || line == options.steps {
            (coupled, differing) = (Stats::coupled(validator.judge()), Stats::differing(validator.judge()));
        }
        if !goes_on {
            break;
        }
        if begun.elapsed() > TIME {
            end = format!(", ended after {} s", TIME.as_secs());
            break;
        }
    }
    if faults.is_empty() {
        faults.extend(met(spec, &validator.verdict()));
    }
    let stats = Stats { elapsed_ms: judging.as_millis() as u64, coupled, differing, ..Stats::of(validator.judge()) };
    Profile { stats, end, faults }
}

/// Judges, event by event, what a random client and the peers of a server see.
fn profile_with_peers(spec: &Arc<Spec>, options: &Check, server: Server, choices: &mut Random) -> Profile {
    let population =
        Population { clients: 1, requests: options.steps, pipelined: 1, lost: 0, network: NetworkChoice::TCP };
    let mut conversation = Conversation::new(server, population);
    let (mut recording, mut end, mut faults) = (String::new(), String::new(), Vec::new());
    let begun = Instant::now();
    loop {
        match conversation.next(choices) {
            Ok(Some(occurrence)) => observed::write_event(&mut recording, spec, &occurrence),
            Ok(None) => break,
            Err(stop) => {
                (end, faults) = (because(&stop), fault(spec, &stop));
                break;
            }
        }
        recording.push('\n');
        if begun.elapsed() > TIME {
            end = format!(", ended after {} s", TIME.as_secs());
            break;
        }
    }
    let mut events = Events::open(spec, recording.as_bytes(), TraceFormat::Ndjson, FormatRules::default());
    let Ok(observed) = observations(spec, &mut events) else { return Profile { end, faults, ..Profile::default() } };
    let started = Instant::now();
    let (network, work) = (NetworkChoice::TCP.network(), TIME.as_secs() * EFFORT_LIMIT);
    let judge = judge_within(spec, &*network, &observed.events, work, &Options::default());
    let elapsed_ms = started.elapsed().as_millis() as u64;
    end.push_str(&doubt(&judge).unwrap_or_default());
    if faults.is_empty() {
        faults.extend(met(spec, &judge.verdict()));
    }
    let (coupled, differing) = (Stats::coupled(&judge), Stats::differing(&judge));
    let stats = Stats { events: observed.events.len() as u64, elapsed_ms, coupled, differing, ..Stats::of(&judge) };
    Profile { stats, end, faults }
}

/// The reason why the verdict is unknown, if it is.
fn doubt(judge: &Judge) -> Option<String> {
    let doubt = match (judge.limit(), judge.verdict()) {
        (Some(limit), _) => Doubt::Limit(limit),
        (None, Verdict::Unknown { doubt, .. }) => doubt,
        (None, _) => return None,
    };
    Some(format!(", ended as {doubt}"))
}

/// The reason why the server could not go on.
fn because(stop: &Stop) -> String {
    match stop {
        Stop::Outside(_) => ", ended as no request that is in order was found (see --range)".to_owned(),
        Stop::Fault(_) => ", ended at a fault of the specification".to_owned(),
        Stop::Stuck(_) | Stop::Mismatch(_) => ", ended as the server had no way to go on".to_owned(),
        Stop::Limit(_) | Stop::Undecided(_) | Stop::Choice(_) => format!(", ended as {stop}"),
    }
}

/// The fault at which the server stopped, if it stopped at one.
fn fault(spec: &Spec, stop: &Stop) -> Vec<Diagnostic> {
    match stop {
        Stop::Fault(fault) => vec![report::fault_error(spec, fault, "in the simulated run")],
        _ => Vec::new(),
    }
}

/// The fault that the judge met, if any: an error, or a warning if other runs of the server explain the answers.
fn met(spec: &Spec, verdict: &Verdict) -> Option<Diagnostic> {
    report::fault_met(spec, verdict, |event| format!("when event {event} of the simulated run was judged"))
}

fn exchange(line: u64, Asked { client, request, reply }: Asked) -> Exchange {
    Exchange { line, client, request, observed: observed::seen(reply) }
}
