//! `mayhap simulate`: a specification as a server, a random client, and the trace of what they say to each other.
//!
//! `mayhap simulate specs/kv.may --steps 3 --seed 7` prints three exchanges; with `--clients 2 --net tcp`, it prints three requests of
//! two clients, and their answers, in the order in which the clients see them. The same seed gives the same bytes.

use super::arguments::{Net, Simulate};
use super::exit::Exit;
use super::sink::Sink;
use super::terminal::Terminal;
use super::{failed, load, observed, stopped, values};
use mayhap::choice::Random;
use mayhap::diagnostic::Diagnostic;
use mayhap::server::{Asked, Carrier, Conversation, Population, Server, Stop};
use mayhap::spec::{Spec, Tasks};
use mayhap::trace::Header;
use std::sync::Arc;

pub fn run(options: &Simulate, terminal: &mut Terminal) -> Exit {
    if options.clients == 0 {
        return failed(terminal, "expected at least one client: --clients 1");
    }
    let carrier = carrier(options.net);
    if carrier.is_none() && (options.lost > 0 || options.pipeline.get() > 1) {
        return failed(terminal, "--lost and --pipeline need a network on which clients do not wait, as in --net tcp");
    }
    let tasks = if carrier.is_some() { Tasks::Interleaved } else { Tasks::Alone };
    // What a task that runs alone cannot have is not run yet.
    let spec = load::compile(&options.file, &options.selection, terminal)
        .and_then(|_| load::compile_for(tasks, &options.file, &options.selection, terminal));
    let spec = match spec {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    match Sink::new(options.out.as_deref(), &options.file) {
        Err(why) => failed(terminal, &why),
        Ok(mut sink) => {
            let exit = match carrier {
                None => simulate(&spec, options, &mut sink, terminal),
                Some(carrier) => converse(&spec, options, carrier, &mut sink, terminal),
            };
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

/// The carrier of a network on which clients do not wait for each other.
fn carrier(net: Net) -> Option<Carrier> {
    match net {
        Net::Sync => None,
        Net::Tcp => Some(Carrier::Tcp),
    }
}

/// Writes what several clients do and see, each event on a line of its own.
fn converse(spec: &Arc<Spec>, options: &Simulate, carrier: Carrier, sink: &mut Sink, terminal: &mut Terminal) -> Exit {
    let mut choices = Random::new(options.seed);
    let server = match Server::new(spec.clone(), values::ranges(&options.ranges), &mut choices) {
        Ok(server) => server,
        Err(stop) => return stopped::report(spec, &stop, terminal),
    };
    let population = Population {
        clients: options.clients,
        requests: options.steps,
        pipelined: options.pipeline.get(),
        lost: options.lost,
        carrier,
    };
    let mut conversation = Conversation::new(server, population);
    let mut line = format!("{}\n", Header::of(&spec.program.name));
    loop {
        sink.write(&line, terminal);
        if terminal.is_gone() {
            return Exit::Fine;
        }
        line.clear();
        match conversation.next(&mut choices) {
            Ok(Some(occurrence)) => observed::write_event(&mut line, spec, &occurrence),
            Ok(None) => return Exit::Fine,
            Err(stop) => return explain(spec, &stop, options, terminal),
        }
        line.push('\n');
    }
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
