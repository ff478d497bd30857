//! The picture of a recording that is judged event by event: requests with their answers, messages that nobody asked for, calls
//! of peers, and the sections of the server in which a witness lets each take effect.
//!
//! ```text
//! client 1   Take(3) ├──(1)────────(4)──┤ 7        two sections, after and before a `yield`
//! client 2                    ◆ Taken(3)          a message
//! store            ├──────────┤                   a call
//! server     (2)                                  a step
//! ```

use std::collections::{HashMap, VecDeque};

use super::super::{SHOWN, located, shortened};
use super::request::{DrawnPart, DrawnRequest, LONGEST, RequestEnd, key_of};
use super::{DrawnTrace, MOST_DRAWN, RESTARTED, StrayEvent};
use crate::evidence::{NetworkWitness, SectionWork, WitnessEnd, WitnessSection};
use crate::json::encode;
use crate::network::{CallSeen, Observation};
use crate::process::Port;
use crate::reading::Observations;
use crate::report::TraceReport;
use crate::spec::analysis::partition::RequestKeys;
use crate::spec::{Site, Spec, TypeId};
use crate::value::Value;

/// The lane of the server's internal steps.
const SERVER: &str = "server";

impl DrawnTrace {
    /// The picture of a trace that was judged event by event over a network of this name, with the run that explains it, if one
    /// was found.
    #[must_use]
    pub fn networked(
        spec: &Spec,
        report: &TraceReport,
        network: &str,
        observed: &Observations,
        witness: Option<&NetworkWitness>,
    ) -> DrawnTrace {
        let count = observed.events.len();
        if count > MOST_DRAWN {
            return DrawnTrace::new(report, network, Vec::new()).limited(count);
        }
        let mut lanes = DrawnLanes::new(spec, observed, witness);
        observed.events.iter().for_each(|(line, observation)| lanes.add(*line, observation));
        lanes.take_part();
        let mut conflict: Vec<u64> = report.reason.iter().flatten().copied().collect();
        conflict.extend(report.event);
        let drawn = DrawnTrace::new(report, network, lanes.drawn);
        DrawnTrace { conflict, ..drawn }.marking(lanes.marks)
    }
}

/// The events of the picture, in lanes.
struct DrawnLanes<'s> {
    spec: &'s Spec,
    observed: &'s Observations,
    witness: Option<&'s NetworkWitness>,
    keys: Option<RequestKeys>,
    /// The lines on which messages were seen that are no answers, as a witness says.
    messages: Vec<u64>,
    drawn: Vec<DrawnRequest>,
    marks: Vec<StrayEvent>,
    /// The requests without an answer so far, by connection.
    waiting: HashMap<Port, VecDeque<usize>>,
    /// The calls without an answer so far, by their numbers.
    calls: HashMap<u64, usize>,
    /// The requests by their lines.
    sent: HashMap<u64, usize>,
}

impl<'s> DrawnLanes<'s> {
    fn new(spec: &'s Spec, observed: &'s Observations, witness: Option<&'s NetworkWitness>) -> DrawnLanes<'s> {
        let sent = witness.into_iter().flat_map(|witness| &witness.sections).flat_map(|section| &section.sent);
        let mut messages: Vec<u64> =
            sent.filter(|message| !message.is_answer).flat_map(|message| message.seen.iter().copied()).collect();
        messages.sort_unstable();
        DrawnLanes {
            spec,
            observed,
            witness,
            keys: RequestKeys::of(&spec.program),
            messages,
            drawn: Vec::new(),
            marks: Vec::new(),
            waiting: HashMap::new(),
            calls: HashMap::new(),
            sent: HashMap::new(),
        }
    }

    fn text(&self, ty: TypeId, value: &Value) -> String {
        shortened(&encode(&self.spec.types, ty, value), LONGEST)
    }

    fn client(&self, port: Port) -> String {
        self.observed.client(port).to_string()
    }

    /// Adds an event.
    fn add(&mut self, line: u64, observation: &Observation) {
        let program = &self.spec.program;
        match observation {
            Observation::Request(port, request) => {
                let text = self.text(program.request, request);
                let key = self.keys.as_ref().and_then(|keys| key_of(self.spec, keys, request));
                let mut drawn = DrawnRequest::open(self.client(*port), text, line);
                drawn.key = key;
                self.waiting.entry(*port).or_default().push_back(self.drawn.len());
                self.sent.insert(line, self.drawn.len());
                self.drawn.push(drawn);
            }
            Observation::Answer(port, answer) => {
                let answer = answer.as_ref().map(|answer| self.text(program.response, answer));
                self.answer(*port, answer, line);
            }
            Observation::Lost(port) => self.end(*port, RequestEnd::Lost, line),
            Observation::Noticed(_) => {
                self.marks.push(StrayEvent { line, what: "the server took notice of the end of a connection" })
            }
            Observation::Closed(port) => {
                self.end(*port, RequestEnd::Closed, line);
                self.marks.push(StrayEvent { line, what: "the server ended the connection" });
            }
            Observation::Called(CallSeen { exchange, peer, key, request }) => {
                let peer = &program.peers[*peer as usize];
                let key = peer.key.map_or_else(String::new, |ty| format!("({})", self.text(ty, key)));
                let request = self.text(peer.request, request);
                self.calls.insert(*exchange, self.drawn.len());
                self.drawn.push(DrawnRequest::open(format!("{}{key}", peer.name), request, line));
            }
            Observation::CallAnswered(exchange, answer) | Observation::AnswerSent(exchange, answer) => {
                let ty = self.called_response(*exchange);
                let answer = ty.map(|ty| self.text(ty, answer));
                self.called(*exchange, RequestEnd::Answered, answer, line);
            }
            Observation::CallLost(exchange) => self.called(*exchange, RequestEnd::Failed, None, line),
            Observation::Restart => {
                let waiting: Vec<Port> = self.waiting.keys().copied().collect();
                waiting.into_iter().for_each(|port| self.end(port, RequestEnd::Lost, line));
                self.marks.push(StrayEvent { line, what: RESTARTED });
            }
            Observation::End => {}
        }
    }

    /// Adds an answer. It belongs to the first request of its connection that waits for one; if there is none, it is a message.
    fn answer(&mut self, port: Port, answer: Option<String>, line: u64) {
        let is_message = self.messages.binary_search(&line).is_ok();
        let asked = self.waiting.get_mut(&port).filter(|_| !is_message).and_then(VecDeque::pop_front);
        match asked {
            Some(at) => self.drawn[at].ends(RequestEnd::Answered, answer, line),
            None => {
                let mut drawn = DrawnRequest::open(self.client(port), String::new(), line);
                drawn.ends(RequestEnd::Message, answer, line);
                self.drawn.push(drawn);
            }
        }
    }

    /// Ends a connection, and all requests that wait on it.
    fn end(&mut self, port: Port, how: RequestEnd, line: u64) {
        for at in self.waiting.remove(&port).into_iter().flatten() {
            self.drawn[at].ends(how, None, line);
        }
    }

    /// The type of the answers to a call.
    fn called_response(&self, exchange: u64) -> Option<TypeId> {
        let called = self.observed.events.iter().find_map(|(_, observation)| match observation {
            Observation::Called(seen) if seen.exchange == exchange => Some(seen.peer),
            _ => None,
        });
        called.map(|peer| self.spec.program.peers[peer as usize].response)
    }

    fn called(&mut self, exchange: u64, how: RequestEnd, answer: Option<String>, line: u64) {
        if let Some(at) = self.calls.remove(&exchange) {
            self.drawn[at].ends(how, answer, line);
        }
    }

    /// Adds the sections of a witness, each to the request that it serves. Internal steps have a lane of their own.
    fn take_part(&mut self) {
        let Some(witness) = self.witness else { return };
        for (place, section) in (1..).zip(&witness.sections) {
            let part = self.part(place, section);
            match &section.work {
                SectionWork::Request { line, .. } => {
                    self.sent.get(line).copied().into_iter().for_each(|at| self.drawn[at].parts.push(part.clone()));
                }
                SectionWork::Step(_, site) => {
                    let text = self.quoted(*site);
                    self.by_itself(section.after, text, part);
                }
                SectionWork::Opened(port, _) => {
                    let text = format!("client {} opened its connection", self.client(*port));
                    self.by_itself(section.after, text, part);
                }
                SectionWork::Left(port, _) => {
                    let text = format!("client {} has left", self.client(*port));
                    self.by_itself(section.after, text, part);
                }
                SectionWork::Restart(_) => self.by_itself(section.after, "the server started again".to_owned(), part),
            }
        }
    }

    fn by_itself(&mut self, after: u64, text: String, part: DrawnPart) {
        let mut drawn = DrawnRequest::open(SERVER.to_owned(), text, after);
        drawn.ends(RequestEnd::Step, None, after);
        drawn.parts.push(part);
        self.drawn.push(drawn);
    }

    /// The content of the page for a section.
    fn part(&self, place: usize, section: &WitnessSection) -> DrawnPart {
        let end = match &section.end {
            WitnessEnd::Done => None,
            WitnessEnd::Yielded(site) => site.map(|site| format!("up to {}", self.quoted(site))),
            WitnessEnd::Called(calls, _) => {
                calls.first().map(|made| format!("up to its call, {}", self.quoted(made.call.site)))
            }
        };
        let sends = section.sent.iter().filter(|message| !message.is_answer).map(|message| {
            let text = encode(&self.spec.types, self.spec.program.response, &message.value);
            format!("sends {} to client {}", shortened(&text, SHOWN), self.client(message.to))
        });
        let closes = section.closed.iter().map(|port| format!("ends the connection of client {}", self.client(*port)));
        let did: Vec<String> = end.into_iter().chain(sends).chain(closes).collect();
        let chosen = Some(shortened(&section.json.join(", "), LONGEST)).filter(|chosen| !chosen.is_empty());
        DrawnPart { behind: section.after, place, chosen, did: did.join(", ") }
    }

    /// The place of a statement, with its line of the specification.
    fn quoted(&self, site: Site) -> String {
        let (place, line) = located(self.spec, site);
        format!("{place}: {line}")
    }
}
