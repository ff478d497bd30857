//! `mayhap serve`: a specification as a real server, on standard input and output, or for TCP connections.
//!
//! `echo 5 | mayhap serve specs/cmp_rst.may --stdio` prints 1. Other threads read and write lines, and this thread handles the
//! requests one after another. So a trace of whole exchanges in this order is everything that happened. Over TCP a request is
//! suspended at each `yield` of its handler, and others are handled before it goes on.

mod answering;
mod connection;
mod http;
mod outbox;
mod peers;
mod record;
mod redrawn;
mod talking;
mod tcp;
mod under_way;
mod wire;

use super::arguments::Serve;
use super::arguments::values::RangeUse;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::{files, stopped};
use super::test::stopping;
use super::{failed, load, mutate};
use answering::Answering;
use connection::{ClientLine, Message, RequestChannel};
use mayhap::choice::Random;
use mayhap::limits::end::WorkEnd;
use mayhap::server::{Ranges, Server};
use mayhap::spec::code::Op;
use mayhap::spec::{Spec, Tasks};
use outbox::write;
use peers::Peers;
use record::{Clients, TraceRecord};
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tcp::{AllowedClients, Speech};
use under_way::UnderWay;
use wire::{Refusal, Unanswered};

/// The time that clients have, at the end, to take the answers that are under way.
const GRACE: Duration = Duration::from_millis(300);
/// The default range of chosen integers over HTTP, as dates, for example, must not be negative.
const WRITTEN: (i64, i64) = (0, 1_000_000);
/// The time without a request after which the server takes internal steps.
const IDLE: Duration = Duration::from_millis(20);

pub fn run(options: &Serve, terminal: &mut Terminal) -> Exit {
    if options.stdio && files::is_stdin(&options.file) {
        return failed(terminal, "standard input (`-`) cannot be both the specification and the client");
    }
    let tasks = if options.stdio { Tasks::Alone } else { Tasks::Interleaved };
    let spec = match load::compile_for(tasks, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let spec = match options.mutant.map_or(Ok(spec.clone()), |number| mutate::numbered(&spec, number, terminal)) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    if options.http.is_some() {
        let name = &spec.program.name;
        if spec.http.is_none() {
            return failed(terminal, &format!("--http: the specification {name} has no http block"));
        }
        if is_talking(&spec) {
            let why =
                "tells clients what they did not ask for, or takes notice of connections, which HTTP has no form for";
            return failed(terminal, &format!("--http: the specification {name} {why}"));
        }
    }
    match ranges(options) {
        Err(why) => failed(terminal, why),
        Ok(ranges) => begin(spec, ranges, options, terminal).unwrap_or_else(|exit| exit),
    }
}

fn ranges(options: &Serve) -> Result<Ranges, &'static str> {
    if options.ranges.iter().any(|range| range.what == RangeUse::Request) {
        return Err("--range request=LO..HI is for `mayhap simulate`: here the requests come from the clients");
    }
    let choose = options.ranges.last().map(|range| (range.low, range.high));
    let choose = choose.or(options.http.is_some().then_some(WRITTEN));
    Ok(Ranges { choose, ..Ranges::default() })
}

/// Starts a server, and serves until the end.
fn begin(spec: Arc<Spec>, ranges: Ranges, options: &Serve, terminal: &mut Terminal) -> Result<Exit, Exit> {
    let mut choices = Random::new(options.seed);
    let server =
        Server::new(spec.clone(), ranges, &mut choices).map_err(|stop| stopped::report(&spec, &stop, terminal))?;
    let server = server.interleaved();
    let record = record(&server, &spec, options).map_err(|why| failed(terminal, &why))?;
    let clients = Arc::new(AtomicUsize::new(usize::from(options.stdio)));
    let (sender, messages) = channel();
    let desk = RequestChannel::new(sender);
    let peers = Peers::at(&spec, &options.peers, desk.clone()).map_err(|why| failed(terminal, &why))?;
    let mut answering = Answering {
        server,
        choices,
        record,
        stated: HashSet::new(),
        exit: Exit::Fine,
        waiting: Vec::new(),
        suspended: Vec::new(),
        leaving: Vec::new(),
        is_talking: is_talking(&spec),
        is_http: options.http.is_some(),
        connections: HashMap::new(),
        peers,
        clients: clients.clone(),
        spec,
    };
    let speech = match &options.http {
        Some(_) => Speech::Http(answering.spec.clone()),
        None if answering.is_talking => Speech::LinesAtAnyTime,
        None => Speech::Lines,
    };
    let under_way = desk.under_way();
    let stop = Arc::new(AtomicBool::new(false));
    let _end = WorkEnd::of(&stopping::soon_after(&stop)).enter();
    open(options, desk, &stop, AllowedClients { most: options.clients.get(), open: clients, speech }, terminal)
        .map_err(|why| failed(terminal, &why))?;
    let idle = (!options.stdio && answering.server.takes_steps()).then_some(IDLE);
    let exit = handle(&messages, &mut answering, idle, terminal);
    end(messages, answering.unanswered(), &under_way);
    if let Some(record) = &answering.record {
        terminal.complain(&format!("{}\n", record.summary()));
    }
    Ok(exit.worst(answering.exit))
}

fn record(server: &Server, spec: &Spec, options: &Serve) -> Result<Option<TraceRecord>, String> {
    let clients = match server.is_asynchronous() {
        _ if options.stdio => Clients::One,
        true => Clients::Interleaved,
        false => Clients::Several,
    };
    options.trace.as_deref().map(|path| TraceRecord::create(path, &options.file, spec, clients)).transpose()
}

/// Tests whether clients may get messages without asking, or be disconnected by the server.
fn is_talking(spec: &Spec) -> bool {
    let program = &spec.program;
    let is_it = |op: &Op| matches!(op.plain(), Op::SendTo { .. } | Op::Close { .. });
    let talks = program.functions.iter().any(|function| function.code.iter().any(is_it));
    talks || program.opens.is_some() || program.closes.is_some()
}

/// Starts to accept clients.
fn open(
    options: &Serve,
    desk: RequestChannel,
    stop: &Arc<AtomicBool>,
    clients: AllowedClients,
    terminal: &mut Terminal,
) -> Result<(), String> {
    stop_on_signals(desk.clone(), stop.clone())?;
    match options.tcp.as_ref().or(options.http.as_ref()) {
        Some(address) => {
            let address = tcp::listen(address, clients, desk)?;
            terminal.print(&format!("listening on {address}\n"));
            terminal.flush();
        }
        None => {
            _ = std::thread::spawn(move || {
                desk.send(Message::Ended(desk.serve(1, io::stdin().lock(), |line| write(&mut io::stdout(), &line))))
            })
        }
    }
    Ok(())
}

/// Asks the server to end at the first signal, and sets the flag; ends the process at the second.
fn stop_on_signals(desk: RequestChannel, stop: Arc<AtomicBool>) -> Result<(), String> {
    let asked = move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code().into());
        }
        desk.send(Message::Interrupted);
    };
    ctrlc::set_handler(asked).map_err(|cause| format!("cannot listen for signals: {cause}"))
}

/// Handles messages until the end, and returns the exit code. If no message comes for this time, the server takes internal steps.
fn handle(
    messages: &Receiver<Message>,
    answering: &mut Answering,
    idle: Option<Duration>,
    terminal: &mut Terminal,
) -> Exit {
    loop {
        let patience = if answering.may_go_on() { Some(answering.pause()) } else { idle };
        let message = match patience {
            // Suspended tasks go on even if there are always more messages.
            Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
            Some(patience) => messages.recv_timeout(patience),
            None => messages.recv().map_err(RecvTimeoutError::from),
        };
        let done = match message {
            Ok(Message::Interrupted) => return Exit::Interrupted,
            Ok(Message::Ended(result)) => return ended(result, terminal),
            Ok(Message::Request(request)) => answering.take(request, terminal),
            Ok(Message::Arrived(client, outbox)) => answering.arrived(client, outbox, terminal),
            Ok(Message::Left(client)) => answering.left(client, terminal),
            Ok(Message::CallEnded(end)) => answering.call_ended(end, terminal),
            Err(RecvTimeoutError::Timeout) if answering.may_go_on() => answering.go_on(terminal),
            Err(RecvTimeoutError::Timeout) => answering.idle(terminal),
            Err(RecvTimeoutError::Disconnected) => return Exit::Fine,
        };
        if let Err(why) = done {
            return failed(terminal, &why);
        }
    }
}

/// The exit code for the end of a single client; one that goes away is no error.
fn ended(result: io::Result<()>, terminal: &mut Terminal) -> Exit {
    match result {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => failed(terminal, &format!("the client: {cause}")),
        Err(_) | Ok(()) => Exit::Fine,
    }
}

/// Refuses everything that still comes, and lets clients take their last answers.
fn end(messages: Receiver<Message>, waiting: Vec<ClientLine>, under_way: &UnderWay) {
    let stopping = Refusal::new(Unanswered::Stopping, "the server is shutting down");
    let asked = messages.try_iter().filter_map(|message| match message {
        Message::Request(request) => Some(request),
        Message::Arrived(..) | Message::Left(_) | Message::CallEnded(_) => None,
        Message::Ended(_) | Message::Interrupted => None,
    });
    for request in waiting.into_iter().chain(asked) {
        _ = request.back.send(Some(stopping.clone().of_line(request.line).to_string()));
    }
    drop(messages);
    under_way.wait(GRACE);
}
