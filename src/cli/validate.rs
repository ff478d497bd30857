//! `mayhap validate`: recorded traces, judged while they are read.
//!
//! `mayhap validate specs/cmp_rst.may t.ndjson` ends with 0 (accept), 1 (reject), 3 (unknown), or 2 where there is
//! nothing to judge: a malformed line, no events, a trace outside the specification, a fault of the specification.

use super::again::{Need, Once};
use super::arguments::{Format, Net, Validate};
use super::evidence::{self, Recheck, Wanted, WitnessWanted};
use super::exit::Exit;
use super::progress::Progress;
use super::terminal::Terminal;
use super::{abreast, failed, files, load};
use crate::dualize::Verdict;
use crate::report::{self, Report, Stats, text};
use crate::spec::Spec;
use crate::validate::{Exchanges, Validator};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub fn run(options: &Validate, terminal: &mut Terminal) -> Exit {
    if options.net == Some(Net::Tcp) {
        return failed(terminal, "--net tcp is not supported yet: only --net sync, one request at a time");
    }
    if options.witness.is_some() && options.traces.len() > 1 {
        return failed(terminal, "--witness is for one trace");
    }
    let read = options.traces.iter().chain([&options.file]).map(PathBuf::as_path);
    if let Err(why) = options.witness.as_deref().map_or(Ok(()), |out| files::apart(out, read)) {
        return failed(terminal, &why);
    }
    let spec = match load::compile(&options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let progress = Progress::new(&options.traces);
    let work = |trace: &PathBuf| {
        let judged = judge(&spec, trace, options, &progress);
        progress.judged();
        judged
    };
    let mut exit = Exit::Fine;
    let jobs = if options.jobs == 0 { abreast::workers() } else { options.jobs };
    abreast::in_order(&options.traces, jobs, work, |judged| {
        progress.pause(|| exit = exit.worst(tell(&spec, &judged, options, terminal)));
    });
    progress.end();
    exit
}

/// What came out for one trace; or why there is nothing to judge.
type Outcome = Result<Judged, String>;

struct Judged {
    report: Report,
    verdict: Verdict,
    /// What the user should know besides.
    note: Option<String>,
}

/// Reads and judges a trace.
fn judge(spec: &Arc<Spec>, path: &Path, options: &Validate, progress: &Progress) -> Outcome {
    let name = files::shown(path);
    let told = |why: String| format!("error: {why}\n");
    let need = if is_evidence_wanted(options) { Need::Again } else { Need::Once };
    let mut trace = Once::open(path, need, progress.read()).map_err(told)?;
    let mut exchanges = Exchanges::new(spec, &mut trace.input);
    let mut validator = Validator::new(spec);
    let started = Instant::now();
    while let Some(exchange) = exchanges.next_exchange().map_err(|error| error.render(&name))? {
        progress.tick(exchanges.events());
        if !validator.observe_exchange(&exchange) {
            break;
        }
    }
    let length = exchanges.events() as usize;
    if length == 0 {
        return Err(format!("error: {name}: no events, so nothing was tested\n"));
    }
    let named = exchanges.header().and_then(|header| header.spec.clone()).filter(|other| *other != spec.program.name);
    let judged_by = |other| format!("note: {name} says that it is of {other:?}; judged by `{}`\n", spec.program.name);
    let note = named.map(judged_by);
    let verdict = validator.verdict();
    let stats = Stats { elapsed_ms: started.elapsed().as_millis() as u64, ..stats(&validator) };
    let mut report = Report::new(spec, name, &verdict, stats);
    if need == Need::Again {
        let recorded = trace.again(spec, length);
        let added = evidence::add(&mut report, validator.into_judge(), spec, &recorded, wanted(options));
        // What was found in a trace that could not be read as before is worth nothing.
        recorded.failure().map_or(added, Err).map_err(told)?;
    }
    Ok(Judged { report, verdict, note })
}

fn wanted(options: &Validate) -> Wanted<'_> {
    let recheck = if options.check_reason { Recheck::Yes } else { Recheck::No };
    let witness = match (&options.witness, options.format) {
        (Some(path), _) => WitnessWanted::File(path),
        (None, Format::Json) => WitnessWanted::Inline,
        (None, Format::Text) => WitnessWanted::No,
    };
    Wanted { recheck, witness }
}

/// Evidence is for one trace, or where it was asked for: with several there is one line each.
fn is_evidence_wanted(options: &Validate) -> bool {
    let is_shown = options.traces.len() == 1 || options.format == Format::Json || options.check_reason;
    is_shown && !options.no_evidence
}

fn stats(validator: &Validator) -> Stats {
    let (counts, solving) = (validator.counts(), validator.statistics());
    Stats {
        events: counts.events,
        candidates_max: counts.candidates_max as u64,
        forks: counts.forks,
        merges: counts.merges,
        subsumptions: counts.subsumptions,
        projections: counts.projections,
        by_domain: solving.by_domain,
        by_model: solving.by_model,
        by_search: solving.by_search,
        by_memory: solving.by_memory,
        z3_checks: solving.z3_checks,
        z3_ms: solving.z3_time.as_millis() as u64,
        undecided: solving.unknown,
        elapsed_ms: 0,
    }
}

fn tell(spec: &Spec, outcome: &Outcome, options: &Validate, terminal: &mut Terminal) -> Exit {
    let judged = match outcome {
        Ok(judged) => judged,
        Err(message) => {
            terminal.complain(message);
            return Exit::Failed;
        }
    };
    judged.note.iter().for_each(|note| terminal.complain(note));
    let length = if options.traces.len() > 1 { text::Length::Line } else { text::Length::Whole };
    match options.format {
        Format::Json => terminal.print(&report::json::report(&judged.report)),
        Format::Text => {
            terminal.print(&text::report(&judged.report, length));
            if options.stats {
                terminal.print(&format!("  {}\n", text::stats(&judged.report.stats)));
            }
        }
    }
    if let Some(fault) = report::fault(spec, &judged.verdict) {
        load::tell(&spec.sources, &[fault], terminal);
    }
    exit(&judged.verdict)
}

fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Accept { .. } => Exit::Fine,
        Verdict::Reject { .. } => Exit::Rejected,
        Verdict::Unknown { .. } => Exit::Inconclusive,
        Verdict::Outside { .. } | Verdict::Fault(_) => Exit::Failed,
    }
}
