//! `mayhap simulate`: a specification as a server, a random client, and the trace of what they say to each other.
//!
//! `mayhap simulate specs/kv.may --steps 3 --seed 7` prints three exchanges; the same seed gives the same bytes.

use super::arguments::{Net, Simulate};
use super::exit::Exit;
use super::terminal::Terminal;
use super::{failed, files, load, observed, stopped, values};
use mayhap::choice::Random;
use mayhap::diagnostic::Diagnostic;
use mayhap::server::{Asked, Server, Stop};
use mayhap::spec::Spec;
use std::io::Write;
use std::sync::Arc;

pub fn run(options: &Simulate, terminal: &mut Terminal) -> Exit {
    if options.net == Net::Tcp {
        return failed(terminal, "--net tcp is not supported yet: only --net sync, one request at a time");
    }
    if options.clients == 0 {
        return failed(terminal, "expected at least one client: --clients 1");
    }
    let spec = match load::compile(&options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    match Sink::new(options) {
        Err(why) => failed(terminal, &why),
        Ok(mut sink) => {
            let exit = simulate(&spec, options, &mut sink, terminal);
            sink.finish(terminal).map_or_else(|why| failed(terminal, &why), |()| exit)
        }
    }
}

fn simulate(spec: &Arc<Spec>, options: &Simulate, sink: &mut Sink, terminal: &mut Terminal) -> Exit {
    let mut choices = Random::new(options.seed);
    let mut server = match Server::new(spec.clone(), values::ranges(&options.ranges), &mut choices) {
        Ok(server) => server,
        Err(stop) => return stopped::report(spec, &stop, terminal),
    };
    let mut line = String::new();
    for _ in 0..options.steps {
        line.clear();
        match server.asked(options.clients, &mut choices) {
            Ok(Asked { client, request, reply }) => {
                observed::write(&mut line, spec, (options.clients > 1).then_some(client), &request, &reply);
            }
            Err(stop) => return explain(spec, &stop, options, terminal),
        }
        line.push('\n');
        sink.write(&line, terminal);
        if terminal.is_gone() {
            break;
        }
    }
    Exit::Fine
}

/// Says why the trace ends here.
fn explain(spec: &Spec, stop: &Stop, options: &Simulate, terminal: &mut Terminal) -> Exit {
    let Stop::Outside(site) = stop else { return stopped::report(spec, stop, terminal) };
    let why =
        if spec.program.untaken == Some(*site) { "that a handler accepts" } else { "that keeps the client's duty" };
    let mut finding = Diagnostic::error(spec.span(*site), format!("no request was found {why}"));
    if let Some((low, high)) = values::ranges(&options.ranges).request {
        finding = finding.help(format!("its integers are drawn from `--range request={low}..{high}`"));
    }
    load::report(&spec.sources, &[finding], terminal);
    stopped::exit(stop)
}

/// The place where the trace goes: standard output, or a file.
enum Sink {
    Terminal,
    File { name: String, file: std::io::BufWriter<std::fs::File>, failure: Option<std::io::Error> },
}

impl Sink {
    fn new(options: &Simulate) -> Result<Sink, String> {
        let Some(path) = options.out.as_ref().filter(|path| !files::is_stdin(path)) else { return Ok(Sink::Terminal) };
        let file = files::create(path, &options.file)?;
        Ok(Sink::File { name: files::shown(path), file: std::io::BufWriter::new(file), failure: None })
    }

    fn write(&mut self, line: &str, terminal: &mut Terminal) {
        match self {
            Sink::Terminal => terminal.print(line),
            Sink::File { file, failure, .. } => {
                let failed = file.write_all(line.as_bytes()).err();
                *failure = failure.take().or(failed);
            }
        }
    }

    fn finish(self, terminal: &mut Terminal) -> Result<(), String> {
        let Sink::File { name, mut file, failure } = self else { return Ok(()) };
        if let Some(cause) = failure.or(file.flush().err()) {
            return Err(files::unwritable(name.as_ref(), &cause));
        }
        terminal.complain(&format!("{name}: written\n"));
        Ok(())
    }
}
