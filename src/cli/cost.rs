//! `mayhap check --cost`: what judging a specification costs, seen on a run of it that is simulated and judged.
//!
//! It names the statements at which explanations fork, and the variables and entries that depend on each other in the end: these
//! make judging dear.

use super::arguments::Check;
use super::terminal::Terminal;
use super::{load, observed, stopped, values};
use mayhap::choice::Random;
use mayhap::details::{Doubt, Selection};
use mayhap::report::{self, Stats, text};
use mayhap::schedule;
use mayhap::server::{Asked, Ranges, Server, Stop};
use mayhap::session::is_order;
use mayhap::spec::Tasks;
use mayhap::spec::load::Text;
use mayhap::{Exchange, Spec, Validator, Verdict};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Integers in requests, where nothing else is wanted: few, so that requests meet what others left.
const INTEGERS: (i64, i64) = (0, 10);
/// Judging ends after this time.
const TIME: Duration = Duration::from_secs(10);

/// Simulates and judges a machine or protocol of a text.
pub fn report((path, text): (&Path, Text), name: &str, options: &Check, terminal: &mut Terminal) {
    let selection = Selection { name: Some(name.to_owned()), tasks: Tasks::Interleaved, ..Selection::default() };
    // What cannot be run has been told.
    let Ok(interleaved) = load::compile_text(path, text.clone(), &selection) else { return };
    let selection = Selection { tasks: Tasks::Alone, ..selection };
    let Ok(spec) = load::compile_text(path, text, &selection) else {
        let why = "recordings are judged event by event, and that was not tried";
        terminal.print(&format!(
            "  no cost of `{name}`: {why} (`mayhap validate --net tcp --stats` says what one costs)\n"
        ));
        return;
    };
    let how = match (is_order(&interleaved), schedule::is_judged(&spec)) {
        (true, _) => report::partition(&spec),
        (false, true) => format!("event by event, {}", report::partition(&spec)),
        (false, false) => "event by event".to_owned(),
    };
    terminal.print(&format!("  concurrent clients of `{name}` are judged {how}\n"));
    let mut choices = Random::new(options.seed);
    let given = values::ranges(&options.ranges);
    let ranges = Ranges { request: given.request.or(Some(INTEGERS)), ..given };
    match Server::new(spec.clone(), ranges, &mut choices) {
        Ok(mut server) => profile(&spec, options, &mut server, &mut choices, terminal),
        Err(stop) => terminal.print(&format!("  no cost of `{name}`: {}\n", stopped::words(&spec, &stop))),
    }
}

/// Judges what a server answers to a random client, and prints what that cost.
fn profile(spec: &Arc<Spec>, options: &Check, server: &mut Server, choices: &mut Random, terminal: &mut Terminal) {
    let (begun, mut judging) = (Instant::now(), Duration::ZERO);
    let mut validator = Validator::new(spec);
    let (mut end, mut coupled, mut differing) = (String::new(), Vec::new(), String::new());
    for line in 1..=options.steps {
        let asked = match server.asked(1, choices) {
            Ok(asked) => asked,
            Err(stop) => {
                end = because(&stop);
                break;
            }
        };
        let started = Instant::now();
        validator.observe_exchange(&exchange(line, asked));
        judging += started.elapsed();
        if let Some(doubt) = validator.judge().limit().map(Doubt::Limit).or_else(|| doubt(&validator)) {
            end = format!(", ended as {doubt}");
            break;
        }
        // Where explanations become too many, few of them are left to be looked at: so it is done now and then.
        if line.is_power_of_two() || line == options.steps {
            (coupled, differing) = (Stats::coupled(validator.judge()), Stats::differing(validator.judge()));
        }
        if begun.elapsed() > TIME {
            end = format!(", ended after {} s", TIME.as_secs());
            break;
        }
    }
    let stats = Stats { elapsed_ms: judging.as_millis() as u64, coupled, differing, ..Stats::of(validator.judge()) };
    terminal.print(&format!("  cost of `{}`{end}: {}\n", spec.program.name, text::stats(&stats)));
}

/// Why the verdict is open, if it is.
fn doubt(validator: &Validator) -> Option<Doubt> {
    if let Verdict::Unknown { doubt, .. } = validator.verdict() { Some(doubt) } else { None }
}

/// Why the server could not go on.
fn because(stop: &Stop) -> String {
    match stop {
        Stop::Outside(_) => ", ended where no request was found that is in order (see --range)".to_owned(),
        _ => ", ended where the server had no way to go on".to_owned(),
    }
}

fn exchange(line: u64, Asked { client, request, reply }: Asked) -> Exchange {
    Exchange { line, client, request, observed: observed::seen(reply) }
}
