//! `mayhap validate`: judges recorded traces while they are read.
//!
//! `mayhap validate specs/cmp_rst.may t.ndjson` ends with 0 (accept), 1 (reject), 3 (unknown), or 2 if it cannot judge: a
//! malformed line, no events, a trace outside the specification, or a fault of the specification.

pub(crate) mod compressed;
pub(crate) mod concurrent;
pub(crate) mod evidence;
pub(crate) mod html;
pub(crate) mod interrupt;
pub(crate) mod network_evidence;
pub(crate) mod networked;
pub(crate) mod parallel;
pub(crate) mod reread;
pub(crate) mod streamed;
pub(crate) mod witness_parts;

use super::arguments::recording;
use super::arguments::{Format, Validate};
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::terminal::progress::ProgressLine;
use super::{failed, load};
use concurrent::{HistoryArrival, HistorySource, TraceNotes};
use evidence::{WantedEvidence, WitnessWanted};
use html::Page;
use interrupt::Interruptible;
use mayhap::evidence::Budget;
use mayhap::judge::{Judge, Observed, Options, Verdict};
use mayhap::limits::{CHECK_SECONDS, EFFORT_LIMIT, end};
use mayhap::network::NetworkChoice;
use mayhap::report::history::DrawnTrace;
use mayhap::report::{self, Stats, TraceReport, text};
use mayhap::search::History;
use mayhap::session::{ConcurrentEvidence, EngineKind, NetworkedEvidence, Recheck, WholeRecording};
use mayhap::spec::{Spec, Tasks};
use mayhap::trace::{Header, TraceFormat};
use mayhap::validate::{Exchanges, Validator};
use reread::{RereadableTrace, Rereading, TracePart};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use streamed::{Streamed, StreamedReport};

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
    let progress = ProgressLine::new(&options.traces);
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
    let (mut judged, trace) = match Judged::of(spec, path, options, progress) {
        Ok(judged) => judged,
        Err(error) => {
            page.add_unjudged(path, &error);
            return refuse(spec, path, &error, options, terminal);
        }
    };
    let exit = exit(&judged.verdict);
    let is_early = options.format == Format::Text && !is_verified(&judged.verdict, options);
    if is_early {
        progress.pause(|| {
            write_verdict(&judged, terminal);
            terminal.flush();
        });
    }
    let unwritten = match options.format {
        Format::Text if is_early => String::new(),
        Format::Text => text::verdict(&judged.report),
        Format::Json => report::json::report(&judged.report),
    };
    drop(judging);
    let interruptible = Interruptible::begin(unwritten, exit);
    progress.search();
    let found = judged.find_evidence(trace, options, Some(&interruptible));
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
            terminal.print(&text::explanation(&judged.report));
        }
        Format::Json => judged.note.iter().for_each(|note| terminal.complain(note)),
    }
    finish(spec, &judged, options, terminal);
    exit.worst(interrupted)
}

/// Writes the note on a trace, if there is one, and the verdict.
fn write_verdict(judged: &Judged, terminal: &mut Terminal) {
    judged.note.iter().for_each(|note| terminal.complain(note));
    terminal.print(&text::verdict(&judged.report));
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
            let (mut judged, recorded) = Judged::of(spec, trace, options, progress)?;
            judged.find_evidence(recorded, options, Some(&interruptible))?;
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
        terminal.print(&text::verdict(&judged.report));
        // A verified reason is shown.
        let explanation = options.check_reason.then(|| text::explanation(&judged.report));
        terminal.print(&explanation.unwrap_or_default());
    }
    finish(spec, judged, options, terminal);
    exit(&judged.verdict)
}

/// Writes everything after the verdict and the explanation.
fn finish(spec: &Spec, judged: &Judged, options: &Validate, terminal: &mut Terminal) {
    match options.format {
        Format::Json => terminal.print(&report::json::report(&judged.report)),
        Format::Text if options.stats => terminal.print(&format!("  {}\n", text::stats(&judged.report.stats))),
        Format::Text => {}
    }
    if let Some(fault) = report::fault(spec, &judged.report.places, &judged.verdict) {
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

/// The most bytes of a file that is judged again deepest first.
const SHORT: u64 = 64 << 20;

/// The material for evidence.
enum Again {
    /// A trace that can be read again, the number of its judged exchanges, and their judge.
    Trace(Box<(RereadableTrace, usize, Judge)>),
    /// A history of concurrent clients.
    History(Box<ConcurrentEvidence>),
    /// A recording that was judged event by event.
    Recording(Box<NetworkedEvidence>),
    /// No evidence is wanted.
    Nothing,
}

/// A trace that was judged.
struct Judged {
    /// The specification that the trace was judged by.
    spec: Arc<Spec>,
    report: TraceReport,
    verdict: Verdict,
    /// A note for the user: the trace names another specification.
    note: Option<String>,
    /// The picture of the trace's history, if it is wanted.
    drawn: Option<DrawnTrace>,
    /// Set if something was answered.
    is_tested: bool,
}

/// The note that a trace names another specification, if it does.
fn note(spec: &Spec, name: &str, header: Option<&Header>) -> Option<String> {
    let other = header.and_then(|header| header.spec.clone()).filter(|other| *other != spec.program.name)?;
    Some(format!("note: {name} says that it is of {other:?}; judged by `{}`\n", spec.program.name))
}

impl Judged {
    /// Reads and judges a trace, which can be read again if evidence is wanted. An accepted trace without any answer is an error,
    /// as nothing was tested. An error is ready to be shown.
    fn of(
        spec: &Arc<Spec>,
        path: &Path,
        options: &Validate,
        progress: &ProgressLine,
    ) -> Result<(Judged, Again), String> {
        let (judged, again) = Judged::read(spec, path, options, progress)?;
        if judged.verdict.is_accept() && !judged.is_tested {
            let note = judged.note.unwrap_or_default();
            return Err(format!("error: {}: nothing was answered, so nothing was tested\n{note}", files::shown(path)));
        }
        Ok((judged, again))
    }

    /// Reads and judges a trace, even if nothing was answered.
    fn read(
        spec: &Arc<Spec>,
        path: &Path,
        options: &Validate,
        progress: &ProgressLine,
    ) -> Result<(Judged, Again), String> {
        let name = files::shown(path);
        let is_network = options.net.is_none_or(|net| !net.is_sync());
        let is_kept = is_evidence_wanted(options) || files::is_file(path);
        let need = if is_kept || is_network { Rereading::Again } else { Rereading::Once };
        let mut trace = RereadableTrace::open(path, need, progress.read()).map_err(|why| format!("error: {why}\n"))?;
        let format = options.recorded.from.unwrap_or_else(|| concurrent::sniffed_format(&mut trace.input));
        let net = options.net.unwrap_or_else(|| concurrent::sniffed_network(&mut trace.input, format));
        let header = concurrent::sniffed_header(&mut trace.input, format).unwrap_or_else(|| Header::of(""));
        let spec = &recording::as_recorded(spec, &options.recorded.header(header, format))
            .map_err(|why| format!("error: {name}: {why}\n"))?;
        if !net.is_sync() {
            let is_written = files::is_stdin(path) && !files::is_redirected();
            let arrival = if is_written { HistoryArrival::EventByEvent } else { HistoryArrival::Whole };
            let source = HistorySource { name: &name, arrival, format, recorded: &options.recorded };
            return Judged::over(spec, net, &mut trace, &source, options, progress);
        }
        if !is_kept {
            trace.forget();
        }
        if format != TraceFormat::Ndjson {
            return Err(format!("error: {name}: a history of concurrent clients is judged with --net tcp\n"));
        }
        let mut exchanges = Exchanges::new(spec, &mut trace.input);
        let mut next = exchanges.next_exchange().map_err(|error| error.render(&name))?;
        if next.is_some() {
            networked::refuse_alone(spec, &name)?;
        }
        let mut validator = Validator::with_options(spec, limits(options));
        let (started, mut is_tested) = (Instant::now(), false);
        while let Some(exchange) = next {
            progress.tick(exchanges.position().events);
            is_tested |= !matches!(exchange.observed, Observed::Lost | Observed::Restarted);
            if !validator.observe_exchange(&exchange) {
                break;
            }
            next = exchanges.next_exchange().map_err(|error| error.render(&name))?;
        }
        let length = exchanges.position().events as usize;
        if length == 0 {
            return Err(format!("error: {name}: no events, so nothing was tested\n"));
        }
        let note = note(spec, &name, exchanges.header());
        if matches!(validator.verdict(), Verdict::Unknown { .. }) && files::is_file(path) && files::size(path) < SHORT {
            let source =
                HistorySource { name: &name, arrival: HistoryArrival::Whole, format, recorded: &options.recorded };
            if let Some(explained) = Judged::deepest_first(spec, &mut trace, &source, options)? {
                return Ok(explained);
            }
        }
        let stats = Stats { elapsed_ms: started.elapsed().as_millis() as u64, ..Stats::of(validator.judge()) };
        let is_shown = options.stats || options.format == Format::Json;
        let stats = if is_shown { stats.with_state(validator.judge()) } else { stats };
        let report = TraceReport::new(spec, name, validator.judge(), stats);
        let verdict = validator.verdict();
        let again = match is_evidence_wanted(options) {
            true => Again::Trace(Box::new((trace, length, validator.into_judge()))),
            false => Again::Nothing,
        };
        Ok((Judged { spec: spec.clone(), report, verdict, note, drawn: None, is_tested }, again))
    }

    /// Searches for one run that explains exchanges one after another, as it may be found even if there are too many
    /// explanations.
    fn deepest_first(
        spec: &Arc<Spec>,
        trace: &mut RereadableTrace,
        source: &HistorySource<'_>,
        options: &Validate,
    ) -> Result<Option<(Judged, Again)>, String> {
        let mut all = trace.anew(TracePart::All).map_err(|why| format!("error: {why}\n"))?;
        let composed = spec.for_networks();
        let (observed, notes) = networked::read(&composed, NetworkChoice::SYNC, &mut all, source)?;
        let started = Instant::now();
        let found = NetworkedEvidence::explained(&composed, NetworkChoice::SYNC, observed, &limits(options));
        Ok(found.map(|evidence| Judged::networked(spec, evidence, started, source.name, notes, options)))
    }

    /// Reads and judges a trace of a network: while it is read, if this gives everything that is wanted, and otherwise as a
    /// whole.
    fn over(
        spec: &Arc<Spec>,
        net: NetworkChoice,
        trace: &mut RereadableTrace,
        source: &HistorySource<'_>,
        options: &Validate,
        progress: &ProgressLine,
    ) -> Result<(Judged, Again), String> {
        let wanted = streamed::streaming(spec, net, source);
        // If a witness is wanted, the trace must be judged as a whole.
        let wanted = wanted.filter(|_| source.arrival == HistoryArrival::EventByEvent || !is_witness_wanted(options));
        let Some(streaming) = wanted else { return Judged::whole(spec, net, &mut trace.input, source, options) };
        let anew = |trace: &mut RereadableTrace, part| trace.anew(part).map_err(|why| format!("error: {why}\n"));
        match streamed::judge(spec, streaming, &mut trace.input, source, &limits(options), progress)? {
            Streamed::Judged(streamed) => {
                let is_enough = match streamed.rejected {
                    Some(_) => !is_evidence_wanted(options),
                    None => !is_witness_wanted(options),
                };
                if is_enough {
                    return Ok((Judged::streamed(spec, *streamed, source), Again::Nothing));
                }
                let read = concurrent::read(spec, &mut anew(trace, TracePart::Read)?, source, streamed.rejected);
                read.map(|(history, notes)| Judged::history(spec, net, history, source.name, notes, options))
            }
            Streamed::TooHard(events) => {
                let (history, notes) =
                    concurrent::read(spec, &mut anew(trace, TracePart::Read)?, source, Some(events))?;
                let judged = Judged::history(spec, net, history, source.name, notes, options);
                if let Verdict::Reject { .. } = judged.0.verdict {
                    return Ok(judged);
                }
                Judged::whole(spec, net, &mut anew(trace, TracePart::All)?, source, options)
            }
            Streamed::Whole => Judged::whole(spec, net, &mut anew(trace, TracePart::All)?, source, options),
        }
    }

    /// The result for a trace that was judged while it was read.
    fn streamed(spec: &Arc<Spec>, streamed: StreamedReport, source: &HistorySource<'_>) -> Judged {
        let StreamedReport { report, verdict, notes, .. } = streamed;
        let note = note(spec, source.name, notes.header.as_ref()).or(notes.passed_over);
        Judged { spec: spec.clone(), report, verdict, note, drawn: None, is_tested: notes.is_tested }
    }

    /// Reads a trace of a network to its end, and judges it.
    fn whole(
        spec: &Arc<Spec>,
        net: NetworkChoice,
        input: &mut impl BufRead,
        source: &HistorySource<'_>,
        options: &Validate,
    ) -> Result<(Judged, Again), String> {
        if EngineKind::of(spec, net) != EngineKind::Order {
            return Judged::by_event(spec, net, input, source, options);
        }
        let (history, notes) = concurrent::read(spec, input, source, None)?;
        Ok(Judged::history(spec, net, history, source.name, notes, options))
    }

    /// Judges a history.
    fn history(
        spec: &Arc<Spec>,
        net: NetworkChoice,
        history: History,
        name: &str,
        notes: TraceNotes,
        options: &Validate,
    ) -> (Judged, Again) {
        let started = Instant::now();
        let evidence = ConcurrentEvidence::of(spec, net, history, &limits(options));
        Judged::ordered(spec, evidence, started, name, notes, options)
    }

    /// The result for a history that was judged from this moment on.
    fn ordered(
        spec: &Arc<Spec>,
        evidence: ConcurrentEvidence,
        started: Instant,
        name: &str,
        notes: TraceNotes,
        options: &Validate,
    ) -> (Judged, Again) {
        let report = concurrent::report(spec, &evidence, name, started);
        let verdict = evidence.judged.verdict.clone();
        let note = note(spec, name, notes.header.as_ref()).or(notes.passed_over);
        let wanted = is_evidence_wanted(options);
        let again = if wanted { Again::History(Box::new(evidence)) } else { Again::Nothing };
        (Judged { spec: spec.clone(), report, verdict, note, drawn: None, is_tested: notes.is_tested }, again)
    }

    /// Reads a trace of a network. Judges it event by event, unless an order of requests alone explains it.
    fn by_event(
        spec: &Arc<Spec>,
        net: NetworkChoice,
        input: &mut impl BufRead,
        source: &HistorySource<'_>,
        options: &Validate,
    ) -> Result<(Judged, Again), String> {
        let composed = spec.for_networks();
        let (observed, notes) = networked::read(&composed, net, input, source)?;
        let started = Instant::now();
        Ok(match WholeRecording::of(&composed, net, observed, &limits(options)) {
            WholeRecording::Order(evidence) => Judged::ordered(spec, *evidence, started, source.name, notes, options),
            WholeRecording::Network(evidence) => {
                Judged::networked(spec, *evidence, started, source.name, notes, options)
            }
        })
    }

    /// The result for a trace that was judged event by event, from this moment on.
    fn networked(
        spec: &Arc<Spec>,
        evidence: NetworkedEvidence,
        started: Instant,
        name: &str,
        notes: TraceNotes,
        options: &Validate,
    ) -> (Judged, Again) {
        let report = networked::report(&evidence, name, started);
        let verdict = evidence.judge.verdict();
        let note = note(spec, name, notes.header.as_ref()).or(notes.passed_over);
        let wanted = is_evidence_wanted(options);
        let again = if wanted { Again::Recording(Box::new(evidence)) } else { Again::Nothing };
        (Judged { spec: spec.clone(), report, verdict, note, drawn: None, is_tested: notes.is_tested }, again)
    }

    /// Adds evidence to the report, if it is wanted. An error is ready to be shown.
    fn find_evidence(
        &mut self,
        again: Again,
        options: &Validate,
        interruptible: Option<&Interruptible>,
    ) -> Result<(), String> {
        let spec = &self.spec.clone();
        let is_over = || interruptible.is_some_and(Interruptible::was);
        let budget = Budget::seconds(options.reason_time.as_secs_f64()).until(&is_over);
        let time = options.reason_time.saturating_mul(CLOCK).saturating_add(LAST_WORDS);
        let checked = Duration::from_secs_f64(if options.check_reason { CHECK_SECONDS } else { 0.0 });
        let is_rejected = matches!(self.verdict, Verdict::Reject { .. });
        let end = is_rejected.then(|| end::within(time.saturating_add(checked)));
        let (trace, length, judge) = match again {
            Again::Trace(trace) => *trace,
            Again::History(mut history) => {
                let added = concurrent::add(&mut history, &mut self.report, spec, wanted(options), budget);
                drop(end);
                let draw = |_| concurrent::draw(&history, spec, &self.report);
                let drawn = options.html.as_ref().map(draw).transpose();
                let shown = added.and(drawn).map_err(|why| format!("error: {why}\n"));
                return shown.map(|drawn| self.drawn = drawn);
            }
            Again::Recording(mut recording) => {
                let added = network_evidence::add(&mut recording, &mut self.report, wanted(options), budget);
                drop(end);
                let draw = |_| network_evidence::draw(&mut recording, &self.report);
                let drawn = options.html.as_ref().map(draw).transpose();
                let shown = added.and(drawn).map_err(|why| format!("error: {why}\n"));
                return shown.map(|drawn| self.drawn = drawn);
            }
            Again::Nothing => return Ok(()),
        };
        let recorded = trace.again(spec, length);
        let added = evidence::add(&mut self.report, judge, spec, &recorded, wanted(options), budget);
        drop(end);
        let draw = |_| html::synchronous(spec, &self.report, &recorded);
        let drawn = options.html.as_ref().map(draw).transpose();
        // Evidence from a trace that could not be read again as it was is worthless.
        let shown = recorded.failure().map_or(added.and(drawn), Err).map_err(|why| format!("error: {why}\n"));
        shown.map(|drawn| self.drawn = drawn)
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
