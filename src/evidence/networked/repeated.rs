//! The repetition of a run over a network: the concrete server runs the sections of a script, and everything that was recorded
//! must be there to be observed.
//!
//! No solver is asked. The network is asked again for what the server may do next, and for what may be observed.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::network_witness::{
    NetworkRecording, NetworkWitness, PendingPart, SectionWork, WitnessCall, WitnessEnd, WitnessMessage, WitnessSection,
};
use crate::evidence::witness::WitnessError;
use crate::evidence::witness::made::{self, wrong};
use crate::evidence::witness::script::{ChoiceScript, ScriptedSection};
use crate::network::{Network, Observation, PacketOrder, ServerMove, ServerSection, moves};
use crate::process::{ConnectionList, PeerCalls, Port, SectionStart, Sent, Situation};
use crate::server::{Given, Reply, SectionDone, Server, Suspension};
use crate::spec::{Site, Spec};
use crate::value::Value;

/// A run that is being repeated.
pub(crate) struct Repeated<'r> {
    pub(crate) spec: &'r Arc<Spec>,
    pub(crate) network: &'r dyn Network,
    pub(crate) server: Server,
    /// The existing connections; messages to others are dropped.
    pub(crate) there: BTreeSet<Port>,
    /// The requests that were not read, or that may be read again.
    pub(crate) unread: Vec<Unread>,
    /// The work of the tasks that are suspended, and the numbers of their last sections, by their connections.
    pub(crate) tasks: FxHashMap<Port, (SectionWork, usize)>,
    /// The messages that may still be seen: for each the section that sent it, and its number among the messages of this section.
    pub(crate) unseen: Vec<(usize, usize)>,
    /// The calls that nobody has seen.
    pub(crate) calling: Vec<UnseenCall>,
    pub(crate) sections: Vec<WitnessSection>,
    /// The line of the last observation.
    line: u64,
}

/// A call that nobody has seen: the section that made it, its number there, and the connection of its task.
pub(crate) struct UnseenCall {
    pub(crate) section: usize,
    pub(crate) number: usize,
    pub(crate) port: Port,
}

/// A request that was not read, or that may be read again.
pub(crate) struct Unread {
    pub(crate) port: Port,
    pub(crate) request: Value,
    pub(crate) line: u64,
    /// The request in full, if the recording has a hole in it.
    pub(crate) filled: Option<Value>,
    /// Set if the request was read, and may be read again.
    pub(crate) is_read: bool,
}

/// The result of repeating a part of a run; the error says in words what does not fit.
pub(crate) type Repeat<T> = Result<T, String>;

/// Repeats a run.
///
/// # Errors
/// The run does not show what was recorded.
pub(crate) fn run(recording: NetworkRecording<'_>, script: ChoiceScript) -> Result<NetworkWitness, WitnessError> {
    let NetworkRecording { spec, network, events, .. } = recording;
    let (server, initial) = made::begin(spec, script.initial)?;
    let mut repeated = Repeated {
        spec,
        network,
        server: server.interleaved(),
        there: BTreeSet::new(),
        unread: Vec::new(),
        tasks: FxHashMap::default(),
        unseen: Vec::new(),
        calling: Vec::new(),
        sections: Vec::new(),
        line: 0,
    };
    if script.observed.len() != events.len() {
        return Err(wrong(spec, 0, "the run does not have all that was observed".to_owned()));
    }
    for ((line, observation), scripted) in events.iter().zip(script.observed) {
        repeated.event(*line, observation, scripted).map_err(|why| wrong(spec, *line, why))?;
        repeated.line = *line;
    }
    let under_way = repeated.under_way();
    Ok(NetworkWitness { initial, sections: repeated.sections, under_way })
}

impl Repeated<'_> {
    /// Everything that is under way.
    fn under_way(&mut self) -> Vec<PendingPart> {
        let process = self.server.process();
        let arrived: Vec<Port> = process.situation().arrived;
        let mut unread: Vec<u64> = self
            .unread
            .iter()
            .filter(|unread| !unread.is_read && arrived.contains(&unread.port))
            .map(|unread| unread.line)
            .collect();
        unread.sort_unstable();
        let mut tasks: Vec<usize> = self.tasks.values().map(|(_, at)| *at).collect();
        tasks.sort_unstable();
        let sent = process.sent().iter().map(|Sent { port, value, .. }| PendingPart::Message(*port, value.clone()));
        let tasks = tasks.into_iter().map(PendingPart::Task);
        unread.into_iter().map(PendingPart::Request).chain(tasks).chain(sent).collect()
    }

    /// Runs a section. Fails if the server may not run this section next.
    pub(crate) fn section(&mut self, section: ScriptedSection, observation: &Observation) -> Repeat<()> {
        let ScriptedSection { start, choices, arrived, copies } = section;
        let (next, work) = self.next(&start)?;
        let situation = self.server.process().situation();
        let program = &self.spec.program;
        if !moves::of(program, self.network, &situation, observation).contains(&next) {
            return Err("the server may not do this there".to_owned());
        }
        let at = self.sections.len();
        self.take(next, &arrived);
        let section = self.made(self.line, work, &start, choices)?;
        let port = start.port();
        if let (Some(port), true) = (port, section.end != WitnessEnd::Done) {
            self.tasks.insert(port, (section.work.clone(), at));
            if let WitnessEnd::Called(calls, _) = &section.end {
                let made = (0..calls.len()).map(|number| UnseenCall { section: at, number, port });
                self.calling.extend(made);
            }
        }
        self.unseen.extend((0..section.sent.len()).map(|number| (at, number)));
        self.sections.push(section);
        self.normalize();
        self.drop_copies(copies);
        Ok(())
    }

    /// Loses everything that is under way, and starts the server again with these choices, if the specification handles restarts.
    pub(crate) fn restart(&mut self, choices: Option<Vec<Given>>, line: u64) -> Repeat<()> {
        self.there.clear();
        (self.unread, self.unseen, self.calling) = (Vec::new(), Vec::new(), Vec::new());
        self.tasks.clear();
        let is_said = self.spec.program.restarts.is_some();
        if is_said && choices.is_none() {
            return Err("the server does not start again".to_owned());
        }
        let choices = choices.unwrap_or_default();
        let section = self.made(line, SectionWork::Restart(line), &SectionStart::Restarted, choices)?;
        self.sections.extend(Some(section).filter(|_| is_said));
        Ok(())
    }

    /// Runs a section, and returns its record.
    fn made(
        &mut self,
        after: u64,
        work: SectionWork,
        start: &SectionStart,
        choices: Vec<Given>,
    ) -> Repeat<WitnessSection> {
        let before = match start {
            SectionStart::Restarted => Situation::default(),
            _ => self.server.process().situation(),
        };
        let done = self.server.repeat(start, choices).map_err(|stop| stop.to_string())?;
        self.drop_lost(before.sent.len());
        let closed = self.ended(&before.closed);
        let process = self.server.process();
        let is_answer = match (done, start.port()) {
            (SectionDone::Ended(Reply::Answer(answer)), Some(port)) => {
                process.emit(port, answer, Site(0));
                !closed.contains(&port) && !before.closed.contains(&port)
            }
            _ => false,
        };
        let new = &process.sent()[before.sent.len()..];
        let message = |(number, Sent { port, value, .. }): (usize, &Sent)| WitnessMessage {
            to: *port,
            value: value.clone(),
            is_answer: is_answer && number + 1 == new.len(),
            seen: Vec::new(),
        };
        let sent = new.iter().enumerate().map(message).collect();
        let end = match self.server.suspension.take() {
            None => WitnessEnd::Done,
            Some(Suspension::Yielded(site)) => WitnessEnd::Yielded(site),
            Some(Suspension::Called(PeerCalls { calls, wanted, .. })) => {
                let unseen = |call| WitnessCall { call, seen: None };
                WitnessEnd::Called(calls.into_iter().map(unseen).collect(), wanted)
            }
        };
        Ok(WitnessSection { after, work, json: self.server.made_json(), sent, closed, end })
    }

    /// The connections that a section ended; those in `before` had ended before it. The server takes notice of each, unless the
    /// connection does not exist.
    fn ended(&mut self, before: &[Port]) -> Vec<Port> {
        let process = self.server.process();
        let new = process.situation().closed.into_iter().filter(|port| !before.contains(port));
        let (ended, gone): (Vec<Port>, Vec<Port>) = new.partition(|port| self.there.contains(port));
        gone.into_iter().for_each(|port| process.drop_sent(port));
        let noticed = ended.iter().filter(|_| self.spec.program.closes.is_some());
        noticed.for_each(|port| process.end_connection(*port));
        ended
    }

    /// Takes the beginning of a section out of what is under way, with the answers of peers that have arrived.
    fn take(&mut self, next: ServerSection, answers: &[u64]) {
        let process = self.server.process();
        match next {
            ServerSection::Move(ServerMove::Receive(at)) if !self.network.duplicates() => {
                process.take_arrived(at);
            }
            ServerSection::Move(ServerMove::Resume(at)) => process.arrive_answers(at, answers),
            ServerSection::Move(_) => {}
            ServerSection::Open(port) => process.take_notice(port, ConnectionList::Opening),
            ServerSection::Leave(port) => {
                process.take_notice(port, ConnectionList::Leaving);
                process.drop_unread(port);
            }
        }
    }

    /// Forgets each of these messages, if an equal one is there: either may be seen any number of times. If there is none, nobody
    /// sees the message, and it does no harm.
    pub(crate) fn drop_copies(&mut self, copies: Vec<(Port, Value)>) {
        let process = self.server.process();
        for (port, value) in copies {
            let is_it = |sent: &Sent| sent.port == port && sent.value == value;
            let equal: Vec<usize> = (0..process.sent().len()).filter(|at| is_it(&process.sent()[*at])).collect();
            if let [_, .., last] = equal[..] {
                process.take_sent(last);
            }
        }
    }

    /// Forgets messages to connections that are gone, and brings the others into the order that the network keeps.
    pub(crate) fn normalize(&mut self) {
        self.drop_lost(0);
        if self.network.order() != PacketOrder::Global {
            self.server.process().order_by_port();
        }
    }

    /// Forgets messages to connections that do not exist, except for the first `kept` messages.
    fn drop_lost(&mut self, kept: usize) {
        let process = self.server.process();
        let is_lost = |sent: &Sent| !self.there.contains(&sent.port);
        while let Some(at) = process.sent()[kept..].iter().position(is_lost) {
            process.take_sent(kept + at);
        }
    }

    /// The section that a script names, as the network lists it, and the work that the section is a part of.
    fn next(&mut self, start: &SectionStart) -> Repeat<(ServerSection, SectionWork)> {
        let missing = || "there is nothing to be done".to_owned();
        Ok(match start {
            SectionStart::Step(step) => {
                let site = self.spec.program.steps.get(*step).ok_or_else(missing)?.site;
                (ServerSection::Move(ServerMove::Step), SectionWork::Step(*step, site))
            }
            SectionStart::Request(port, request) => {
                let (at, Unread { line, filled, .. }) = self.read(*port, request).ok_or_else(missing)?;
                (ServerSection::Move(ServerMove::Receive(at)), SectionWork::Request { line, part: 1, filled })
            }
            SectionStart::Task(port) => {
                let at = self.server.process().suspended().position(|own| own == *port).ok_or_else(missing)?;
                let work = self.tasks.remove(port).map(|(work, _)| continued(work)).ok_or_else(missing)?;
                (ServerSection::Move(ServerMove::Resume(at)), work)
            }
            SectionStart::Opened(port) => (ServerSection::Open(*port), SectionWork::Opened(*port, 1)),
            SectionStart::Left(port) => (ServerSection::Leave(*port), SectionWork::Left(*port, 1)),
            // A restart runs it, and no observation does.
            SectionStart::Boot | SectionStart::Restarted => return Err(missing()),
        })
    }

    /// Takes the first request of a connection that equals this one. Returns its place among all that have arrived.
    fn read(&mut self, port: Port, request: &Value) -> Option<(usize, Unread)> {
        let is_it = |own: Port, other: &Value| own == port && other == request;
        let process = self.server.process();
        let count = process.situation().arrived.len();
        let at = (0..count).find(|at| is_it(process.arrived(*at).0, process.arrived(*at).1))?;
        let place = self.unread.iter().position(|unread| is_it(unread.port, &unread.request))?;
        let Unread { line, filled, .. } = &self.unread[place];
        let read = Unread { port, request: request.clone(), line: *line, filled: filled.clone(), is_read: true };
        if self.network.duplicates() {
            self.unread[place].is_read = true;
        } else {
            self.unread.remove(place);
        }
        Some((at, read))
    }
}

/// The work of a task with its next section.
fn continued(work: SectionWork) -> SectionWork {
    match work {
        SectionWork::Request { line, part, filled } => SectionWork::Request { line, part: part + 1, filled },
        SectionWork::Opened(port, part) => SectionWork::Opened(port, part + 1),
        SectionWork::Left(port, part) => SectionWork::Left(port, part + 1),
        work @ (SectionWork::Step(..) | SectionWork::Restart(_)) => work,
    }
}
