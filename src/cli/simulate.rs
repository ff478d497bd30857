//! `mayhap simulate`: a specification as a server, a random client, and the trace of their exchanges.
//!
//! `mayhap simulate specs/kv.may --steps 3 --seed 7` prints three exchanges. With `--clients 2 --net tcp` it prints three
//! requests of two clients, and their answers, in the order in which the clients see them. The same seed gives the same bytes.

use super::arguments::Simulate;
use super::arguments::values;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::sink::Sink;
use super::terminal::stopped;
use super::{failed, load, observed};
use mayhap::choice::Random;
use mayhap::diagnostic::Diagnostic;
use mayhap::limits::end;
use mayhap::server::{Asked, Conversation, Population, Server, Stop};
use mayhap::spec::{Spec, Tasks};
use mayhap::trace::Header;
use std::sync::Arc;

pub fn run(options: &Simulate, terminal: &mut Terminal) -> Exit {
    if let Some(why) = nonsense(options) {
        return failed(terminal, &why);
    }
    let tasks = if options.net.is_sync() { Tasks::Alone } else { Tasks::Interleaved };
    let spec = match load::compile_for(tasks, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    match Sink::new(options.out.as_deref(), &options.file) {
        Err(why) => failed(terminal, &why),
        Ok(mut sink) => {
            let simulate = if options.net.is_sync() { simulate } else { converse };
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
        if terminal.is_gone() || end::is_over() {
            break;
        }
    }
    Exit::Fine
}

/// The reason why the given options make no sense together, if they do not.
fn nonsense(options: &Simulate) -> Option<String> {
    let Simulate { net, clients, .. } = options;
    if *clients == 0 {
        return Some("expected at least one client: --clients 1".to_owned());
    }
    if net.is_sync() && (options.lost > 0 || options.pipeline.get() > 1) {
        let why = "--lost and --pipeline need a network on which clients do not wait, as in --net tcp";
        return Some(why.to_owned());
    }
    if let Some(most) = net.connections().filter(|most| *clients > *most as u64) {
        return Some(format!("--clients {clients} needs as many connections, but `--net {net}` has {most}"));
    }
    None
}

/// Writes what several clients do and see, with each event on a line of its own.
fn converse(spec: &Arc<Spec>, options: &Simulate, sink: &mut Sink, terminal: &mut Terminal) -> Exit {
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
        network: options.net,
    };
    let mut conversation = Conversation::new(server, population);
    let mut line = format!("{}\n", Header::of(&spec.program.name));
    loop {
        sink.write(&line, terminal);
        if terminal.is_gone() || end::is_over() {
            return Exit::Fine;
        }
        line.clear();
        match conversation.next(&mut choices) {
            Ok(Some(occurrence)) => observed::write_event(&mut line, spec, &occurrence),
            Ok(None) => return finished(options, conversation.unsent(), terminal),
            Err(stop) => return explain(spec, &stop, options, terminal),
        }
        line.push('\n');
    }
}

/// Reports if fewer requests were sent than wanted.
fn finished(options: &Simulate, unsent: u64, terminal: &mut Terminal) -> Exit {
    if unsent == 0 {
        return Exit::Fine;
    }
    let Simulate { steps, net, .. } = options;
    let sent = steps - unsent;
    let why = "what nobody reads any more takes room for ever, unless there is `loss`";
    failed(terminal, &format!("`--net {net}` is full after {sent} of {steps} requests: {why}"))
}

/// Reports why the trace ends here.
fn explain(spec: &Spec, stop: &Stop, options: &Simulate, terminal: &mut Terminal) -> Exit {
    let Stop::Outside(site) = stop else { return stopped::report(spec, stop, terminal) };
    let why = match spec.program.untaken == Some(*site) {
        true => "no request was found that a handler accepts",
        false if spec.program.peers.is_empty() => "no request was found that keeps the client's duty",
        false => "no request was found that keeps the client's duty, and no answer of a peer that keeps its own",
    };
    let mut finding = Diagnostic::error(spec.span(*site), why);
    if let Some((low, high)) = values::ranges(&options.ranges).request {
        finding = finding.help(format!("its integers are drawn from `--range request={low}..{high}`"));
    }
    load::report(&spec.sources, &[finding], terminal);
    stopped::exit(stop)
}
