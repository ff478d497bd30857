//! `mayhap convert`: histories of other tools, translated to traces.
//!
//! `mayhap convert jepsen.log --nil null` prints `{"c": 0, "q": {"Write": 4}}` for `0 :invoke :write 4`.

use super::arguments::Convert;
use super::arguments::recording::named;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::terminal::sink::Sink;
use super::validate::reread::{RereadableTrace, Rereading};
use super::validate::sniffed::sniffed_format;
use super::{failed, load, observed};
use mayhap::reading::{Events, FormatRules, decoded_part};
use mayhap::spec::Spec;
use mayhap::trace::{ExchangePart, Header, JepsenCounts, JepsenTrace, TraceError, TraceFormat};
use std::io::BufRead;
use std::sync::Arc;

pub fn run(options: &Convert, terminal: &mut Terminal) -> Exit {
    let spec = match options.target.as_ref().map(|file| load::compile(file, &options.selection, terminal)).transpose() {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let input = match RereadableTrace::open(&options.trace, Rereading::Once, Arc::default()) {
        Ok(opened) => opened.input,
        Err(why) => return failed(terminal, &why),
    };
    let sink = match Sink::new(options.out.as_deref(), &options.trace) {
        Ok(sink) => sink,
        Err(why) => return failed(terminal, &why),
    };
    let mut output = ConvertedLines { sink, terminal };
    let converted = convert(options, spec, input, &mut output);
    let ConvertedLines { sink, .. } = output;
    match converted.and_then(|notes| sink.finish(terminal).map(|()| notes).map_err(|why| format!("error: {why}\n"))) {
        Ok(notes) => {
            notes.iter().for_each(|note| terminal.complain(note));
            Exit::Fine
        }
        Err(error) => {
            terminal.complain(&error);
            Exit::Failed
        }
    }
}

/// The output of the translated lines.
struct ConvertedLines<'t> {
    sink: Sink,
    terminal: &'t mut Terminal,
}

impl ConvertedLines<'_> {
    fn line(&mut self, mut line: String) {
        line.push('\n');
        self.sink.write(&line, self.terminal);
    }
}

/// Writes the events of a trace, and returns the notes on it. An error is ready to be shown.
fn convert(
    options: &Convert,
    spec: Option<Arc<Spec>>,
    mut input: impl BufRead,
    output: &mut ConvertedLines<'_>,
) -> Result<Vec<String>, String> {
    let name = files::shown(&options.trace);
    let format = options.recorded.from.unwrap_or_else(|| sniffed_format(&mut input));
    if format == TraceFormat::Ndjson {
        let formats = "others are read with --from jepsen-edn, jepsen-json, jepsen-log, har or porcupine";
        return Err(format!("error: {name}: this looks like a recording in our own format; {formats}\n"));
    }
    let rules = options.recorded.rules(spec.as_ref())?;
    if let TraceFormat::Har | TraceFormat::Porcupine = format {
        let Some(spec) = spec else {
            let file = if format == TraceFormat::Har { "a HAR file is read" } else { "these operations are read" };
            return Err(format!("error: {name}: --for says by which specification {file}\n"));
        };
        let header = options.recorded.header(Header::of(&spec.program.name), format);
        let passed_over =
            convert_by_spec(&spec, &header, (input, format), rules, output).map_err(|error| error.render(&name))?;
        return Ok(passed_over.into_iter().map(|what| format!("note: {name}: {what}\n")).collect());
    }
    let rules = rules.jepsen;
    if let Some(spec) = &spec {
        output.line(Header::of(&spec.program.name).to_string());
    }
    let trace = match spec {
        None => JepsenTrace::texts(input, format, rules),
        Some(spec) => {
            let check = move |part: ExchangePart, text: &str| decoded_part(&spec, part, text).map(|_| ());
            JepsenTrace::checked(input, format, rules, check)
        }
    };
    let (counts, unmet) = write_events(trace, output).map_err(|error| error.render(&name))?;
    if counts.is_empty() {
        return Err(format!("error: {name}: no operations, so there is nothing to convert\n"));
    }
    let passed_over = counts.passed_over().map(|what| format!("note: {name}: {what}\n"));
    let unmet = unmet.map(|what| format!("note: {name}: {what}\n"));
    Ok(passed_over.into_iter().chain(unmet).collect())
}

/// Writes the events of a file that is read by a specification, and returns the notes on it.
fn convert_by_spec(
    spec: &Arc<Spec>,
    header: &Header,
    (input, format): (impl BufRead, TraceFormat),
    rules: FormatRules,
    output: &mut ConvertedLines<'_>,
) -> Result<Option<String>, TraceError> {
    let mut events = Events::open(spec, input, format, rules);
    let mut next = events.next_event()?;
    output.line(header.to_string());
    while let Some(event) = next {
        let mut line = String::new();
        observed::write_seen(&mut line, spec, &event);
        output.line(line);
        next = events.next_event()?;
    }
    Ok(events.passed_over())
}

/// Writes events, and returns the counts of what was read, and a note on an option for a function that did not occur.
fn write_events<R: BufRead>(
    mut trace: JepsenTrace<R, String>,
    output: &mut ConvertedLines<'_>,
) -> Result<(JepsenCounts, Option<String>), TraceError> {
    while let Some(event) = trace.next_event()? {
        output.line(event.to_string());
        if output.terminal.is_gone() {
            break;
        }
    }
    let unmet = trace.unmet_function().map(|(unmet, known)| {
        format!("--fail {unmet}=…: no operation is `{unmet}`, there are only {}", named(unmet, &known))
    });
    Ok((trace.counts(), unmet))
}
