//! `mayhap validate`: judges recorded traces while they are read.
//!
//! `mayhap validate specs/cmp_rst.may t.ndjson` ends with 0 (accept), 1 (reject), 3 (unknown), or 2 if it cannot judge: a
//! malformed line, no events, a trace outside the specification, or a fault of the specification.

pub(crate) mod compressed;
pub(crate) mod evidence;
pub(crate) mod html;
pub(crate) mod interrupt;
pub(crate) mod parallel;
pub(crate) mod reread;
pub(crate) mod sniffed;
pub(crate) mod witness_parts;

use super::arguments::recording;
use super::arguments::{Format, Validate};
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::terminal::progress::ProgressLine;
use super::{failed, load};
use evidence::{WantedEvidence, WitnessWanted};
use html::Page;
use indicatif::ProgressDrawTarget;
use interrupt::Interruptible;
use mayhap::evidence::Budget;
use mayhap::judge::{Options, Verdict};
use mayhap::limits::{CHECK_SECONDS, EFFORT_LIMIT, end};
use mayhap::network::NetworkChoice;
use mayhap::reading::FormatRules;
use mayhap::report::history::DrawnTrace;
use mayhap::report::{self, text};
use mayhap::session::{EvidenceKept, JudgedRecording, Proof, Recheck, RecordingJudge, RecordingSource};
use mayhap::spec::{Spec, Tasks};
use mayhap::trace::Header;
use reread::{RereadableTrace, Rereading};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub fn run(options: &Validate, terminal: &mut Terminal) -> Exit {
    if options.witness.is_some() && options.traces.len() > 1 {
        return failed(terminal, "--witness is for one recording");
    }
    let read = options.traces.iter().chain([&options.file]).map(PathBuf::as_path);
    let written = [&options.witness, &options.html].into_iter().flatten();
    if let Some(why) = written.filter_map(|out| files::apart(out, read.clone()).err()).next() {
        return failed(terminal, &why);
    }
    let tasks = if options.net == Some(NetworkChoice::SYNC) { Tasks::Alone } else { Tasks::Either };
    let spec = match load::compile_for(tasks, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let progress = ProgressLine::on(ProgressDrawTarget::stderr(), &options.traces);
    let mut page = Page::new(options.html.as_deref());
    let exit = match &options.traces[..] {
        [trace] => judge_one(&spec, trace, options, &progress, terminal, &mut page),
        traces => judge_several(&spec, traces, options, &progress, terminal, &mut page),
    };
    progress.end();
    exit.worst(page.write(terminal))
}

/// Judges one trace. The verdict is written before evidence is searched, unless the evidence verifies it.
fn judge_one(
    spec: &Arc<Spec>,
    path: &Path,
    options: &Validate,
    progress: &ProgressLine,
    terminal: &mut Terminal,
    page: &mut Page<'_>,
) -> Exit {
    let judging = Interruptible::begin_judging();
    let (mut judged, proof) = match Judged::of(spec, path, options, progress) {
        Ok(judged) => judged,
        Err(error) => {
            page.add_unjudged(path, &error);
            return refuse(spec, path, &error, options, terminal);
        }
    };
    let exit = exit(&judged.recording.verdict);
    let is_early = options.format == Format::Text && !is_verified(&judged.recording.verdict, options);
    if is_early {
        progress.pause(|| {
            write_verdict(&judged, terminal);
            terminal.flush();
        });
    }
    let unwritten = match options.format {
        Format::Text if is_early => String::new(),
        Format::Text => text::verdict(&judged.recording.report),
        Format::Json => report::json::report(&judged.recording.report),
    };
    drop(judging);
    let interruptible = Interruptible::begin(unwritten, exit);
    progress.search();
    let found = judged.find_evidence(proof, options, Some(&interruptible));
    let interrupted = if interruptible.was() { Exit::Interrupted } else { Exit::Fine };
    drop(interruptible);
    progress.end();
    page.add(judged.drawn.take());
    if let Err(error) = found {
        page.add_unjudged(path, &error);
        return exit.worst(refuse(spec, path, &error, options, terminal));
    }
    match options.format {
        Format::Text => {
            if !is_early {
                write_verdict(&judged, terminal);
            }
            terminal.print(&text::explanation(&judged.recording.report));
        }
        Format::Json => judged.note.iter().for_each(|note| terminal.complain(note)),
    }
    finish(spec, &judged, options, terminal);
    exit.worst(interrupted)
}

/// Writes the note on a trace, if there is one, and the verdict.
fn write_verdict(judged: &Judged, terminal: &mut Terminal) {
    judged.note.iter().for_each(|note| terminal.complain(note));
    terminal.print(&text::verdict(&judged.recording.report));
}

/// Judges several traces in parallel. Each report is written after those of the earlier traces.
fn judge_several(
    spec: &Arc<Spec>,
    traces: &[PathBuf],
    options: &Validate,
    progress: &ProgressLine,
    terminal: &mut Terminal,
    page: &mut Page<'_>,
) -> Exit {
    let interruptible = Interruptible::begin_several();
    let work = |trace: &PathBuf| {
        if interruptible.was() {
            return None;
        }
        let judge = || {
            let (mut judged, proof) = Judged::of(spec, trace, options, progress)?;
            judged.find_evidence(proof, options, Some(&interruptible))?;
            Ok(judged)
        };
        let judged = judge().map_err(|error: String| (trace.clone(), error));
        progress.judged();
        Some(judged)
    };
    let jobs = if options.jobs == 0 { parallel::workers() } else { options.jobs };
    let mut worst = Exit::Fine;
    parallel::in_order(traces, jobs, work, |judged| {
        let Some(judged) = judged else { return };
        progress.pause(|| {
            worst = worst.worst(match judged {
                Ok(mut judged) => {
                    page.add(judged.drawn.take());
                    write_line(spec, &judged, options, terminal)
                }
                Err((path, error)) => {
                    page.add_unjudged(&path, &error);
                    refuse(spec, &path, &error, options, terminal)
                }
            });
            // An interrupted process keeps the lines written so far.
            terminal.flush();
        });
    });
    if interruptible.was() { worst.worst(Exit::Interrupted) } else { worst }
}

/// Writes the report of one of several traces.
fn write_line(spec: &Spec, judged: &Judged, options: &Validate, terminal: &mut Terminal) -> Exit {
    judged.note.iter().for_each(|note| terminal.complain(note));
    if options.format == Format::Text {
        terminal.print(&text::verdict(&judged.recording.report));
        // A verified reason is shown.
        let explanation = options.check_reason.then(|| text::explanation(&judged.recording.report));
        terminal.print(&explanation.unwrap_or_default());
    }
    finish(spec, judged, options, terminal);
    exit(&judged.recording.verdict)
}

/// Writes everything after the verdict and the explanation.
fn finish(spec: &Spec, judged: &Judged, options: &Validate, terminal: &mut Terminal) {
    match options.format {
        Format::Json => terminal.print(&report::json::report(&judged.recording.report)),
        Format::Text if options.stats => {
            terminal.print(&format!("  {}\n", text::stats(&judged.recording.report.stats)))
        }
        Format::Text => {}
    }
    if let Some(fault) = report::fault(spec, &judged.recording.report.places, &judged.recording.verdict) {
        load::report(&spec.sources, &[fault], terminal);
    }
}

/// Reports that a trace cannot be judged; in JSON this has a line of its own.
fn refuse(spec: &Spec, path: &Path, error: &str, options: &Validate, terminal: &mut Terminal) -> Exit {
    if options.format == Format::Json {
        terminal.print(&report::json::failure(spec, &files::shown(path), error));
    }
    terminal.complain(error);
    Exit::Failed
}

/// The factor on the time for a reason after which the clock ends the search, as unoptimized code is slower.
const CLOCK: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

/// The time after that for a reason within which what was found is put into words.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A trace that was judged.
pub struct Judged {
    /// The trace, with its verdict and report.
    pub recording: JudgedRecording,
    /// A note for the user: the trace names another specification, or has entries that are no events.
    pub note: Option<String>,
    /// The picture of the trace's history, if it is wanted.
    pub drawn: Option<DrawnTrace>,
}

/// The note that a trace names another specification, if it does.
fn note(spec: &Spec, name: &str, header: Option<&Header>) -> Option<String> {
    let other = header.and_then(|header| header.spec.clone()).filter(|other| *other != spec.program.name)?;
    Some(format!("note: {name} says that it is of {other:?}; judged by `{}`\n", spec.program.name))
}

impl Judged {
    /// Reads and judges a trace, which can be read again if evidence is wanted. An accepted trace without any answer is an error,
    /// as nothing was tested. An error is ready to be shown.
    pub fn of(
        spec: &Arc<Spec>,
        path: &Path,
        options: &Validate,
        progress: &ProgressLine,
    ) -> Result<(Judged, Option<Box<dyn Proof>>), String> {
        let name = files::shown(path);
        let is_network = options.net.is_none_or(|net| !net.is_sync());
        let is_kept = is_network || kept(options) > EvidenceKept::Nothing || files::is_file(path);
        let need = if is_kept { Rereading::Again } else { Rereading::Once };
        let trace = RereadableTrace::open(path, need, progress.read()).map_err(|why| format!("error: {why}\n"))?;
        let grows = files::is_stdin(path) && !files::is_redirected();
        Judged::of_source(spec, (&name, Box::new(trace)), grows, options, progress)
    }

    /// Judges a trace from a source that has this name; `grows` is set if it may still be growing.
    pub fn of_source(
        spec: &Arc<Spec>,
        (name, mut trace): (&str, Box<dyn RecordingSource>),
        grows: bool,
        options: &Validate,
        progress: &ProgressLine,
    ) -> Result<(Judged, Option<Box<dyn Proof>>), String> {
        let format = options.recorded.from.unwrap_or_else(|| sniffed::sniffed_format(&mut trace.input()));
        let net = options.net.unwrap_or_else(|| sniffed::sniffed_network(&mut trace.input(), format));
        let header = sniffed::sniffed_header(&mut trace.input(), format).unwrap_or_else(|| Header::of(""));
        let spec = &recording::as_recorded(spec, &options.recorded.header(header, format))
            .map_err(|why| format!("error: {name}: {why}\n"))?;
        let recorded = RecordingJudge {
            spec,
            net,
            name,
            format,
            // Whole exchanges have no options of a format.
            rules: if net.is_sync() { FormatRules::default() } else { options.recorded.rules(Some(spec))? },
            grows,
            options: limits(options),
            kept: kept(options),
            shows_state: options.stats || options.format == Format::Json,
            progress: &|events| progress.tick(events),
        };
        let (recording, proof) = recorded.judge(trace)?;
        let notes = &recording.notes;
        let note = note(spec, name, notes.header.as_ref()).or(notes.passed_over.clone());
        if recording.verdict.is_accept() && !notes.is_tested {
            let note = note.unwrap_or_default();
            return Err(format!("error: {name}: nothing was answered, so nothing was tested\n{note}"));
        }
        Ok((Judged { recording, note, drawn: None }, proof))
    }

    /// Adds evidence to the report, if it is wanted. An error is ready to be shown.
    pub fn find_evidence(
        &mut self,
        proof: Option<Box<dyn Proof>>,
        options: &Validate,
        interruptible: Option<&Interruptible>,
    ) -> Result<(), String> {
        let Some(mut proof) = proof else { return Ok(()) };
        let is_over = || interruptible.is_some_and(Interruptible::was);
        let budget = Budget::seconds(options.reason_time.as_secs_f64()).until(&is_over);
        let time = options.reason_time.saturating_mul(CLOCK).saturating_add(LAST_WORDS);
        let checked = Duration::from_secs_f64(if options.check_reason { CHECK_SECONDS } else { 0.0 });
        let recording = &mut self.recording;
        let is_rejected = matches!(recording.verdict, Verdict::Reject { .. });
        let end = is_rejected.then(|| end::within(time.saturating_add(checked)));
        let added = evidence::add(recording, &mut *proof, wanted(options), budget);
        drop(end);
        let drawn = options.html.as_ref().map(|_| proof.drawn(&recording.report)).transpose();
        // Evidence from a trace that could not be read again as it was is worthless.
        let shown = proof.failure().map_or(added.and(drawn), Err).map_err(|why| format!("error: {why}\n"));
        shown.map(|drawn| self.drawn = drawn)
    }
}

/// The evidence that will be asked for.
fn kept(options: &Validate) -> EvidenceKept {
    match (is_evidence_wanted(options), is_witness_wanted(options)) {
        (_, true) => EvidenceKept::Witness,
        (true, false) => EvidenceKept::Explanation,
        (false, false) => EvidenceKept::Nothing,
    }
}

fn wanted(options: &Validate) -> WantedEvidence<'_> {
    let recheck = if options.check_reason { Recheck::Yes } else { Recheck::No };
    let witness = match (&options.witness, options.format) {
        (Some(path), _) => WitnessWanted::File(path),
        (None, Format::Json) => WitnessWanted::Inline,
        (None, Format::Text) => WitnessWanted::No,
    };
    WantedEvidence { recheck, witness }
}

/// The limits on the explanations of one exchange.
fn limits(options: &Validate) -> Options {
    limits_of(options.exchange_time, options.memory)
}

/// The limits of judging: the time for the work on one event, and the memory in MiB.
pub fn limits_of(time: Duration, memory: usize) -> Options {
    let effort = (time.as_secs_f64() * EFFORT_LIMIT as f64) as u64;
    Options { effort, memory: memory.saturating_mul(1 << 20), ..Options::default() }
}

/// Tests whether evidence is wanted: it is for a single trace, or if an option asks for it. Several traces have one line each,
/// but a page shows the evidence of each.
fn is_evidence_wanted(options: &Validate) -> bool {
    let is_shown = options.traces.len() == 1 || options.format == Format::Json || options.check_reason;
    (is_shown || options.html.is_some()) && !options.no_evidence
}

/// Tests whether a witness is wanted for an accepted trace.
fn is_witness_wanted(options: &Validate) -> bool {
    let is_inline = options.format == Format::Json && !options.no_evidence;
    is_inline || options.witness.is_some() || options.html.is_some()
}

/// Tests whether evidence verifies a verdict: a witness that is replayed, or a reason that is judged again.
fn is_verified(verdict: &Verdict, options: &Validate) -> bool {
    match verdict {
        Verdict::Accept { .. } => is_witness_wanted(options),
        _ => options.check_reason,
    }
}

fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Accept { .. } => Exit::Fine,
        Verdict::Reject { .. } => Exit::Rejected,
        Verdict::Unknown { .. } => Exit::Inconclusive,
        Verdict::Outside { .. } | Verdict::Fault(_) => Exit::Failed,
    }
}
