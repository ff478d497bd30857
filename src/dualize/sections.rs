//! Observing over a network: the server runs sections until what is observed may be observed (semantics 4).
//!
//! ```text
//! c1 Take    c2 Take    c2 1    c1 2       the server began with the request of c2, or went on with it first
//! ```
//!
//! A candidate has requests, suspended tasks and messages under way. Before an observation all sections are tried that the
//! network allows, until it may be made; equal candidates on the way are one.

use super::candidate::{BegunSection, Candidate, Logged};
use super::composed::Composed;
use super::forms::{self, MetForms};
use super::frontier::Judge;
use super::options::Options;
use super::request::Filled;
use super::section::{GivenAnswer, Goal, OpenPath, Section};
use super::verdict::CLOSURE_LIMIT;
use super::wire::MessageFate;
use super::{fire, prospects, split, tidy};
use crate::network::{CallSeen, Network, Observation, PacketOrder, ServerMove, ServerSection, moves};
use crate::process::{ConnectionList, Limit, PeerCall, Port, Sent, Situation};
use crate::spec::{Spec, TypeId};
use crate::value::Value;

/// The candidates that explain an observation over a network.
pub(super) fn observe(
    judge: &mut Judge,
    mut candidates: Vec<Candidate>,
    network: &dyn Network,
    observation: &Observation,
) -> Vec<Candidate> {
    let spec = judge.spec.clone();
    let Options { packets_as_sets: has_sets, endless_messages: has_endless, .. } = judge.options;
    let composed = Composed { spec: &spec, network, has_sets, has_endless };
    if let Some(port) = observation.port()
        && judge.wire.open(port)
        && spec.program.opens.is_some()
    {
        candidates.iter_mut().for_each(|candidate| candidate.process.begin_connection(port));
    }
    let ready = run_sections(judge, composed, candidates, observation);
    let mut after = observed(judge, composed, ready, observation);
    after.iter_mut().for_each(|candidate| judge.log(candidate, || Logged::Observed));
    after
}

/// The candidates behind an observation, out of those in which it may be made.
fn observed(
    judge: &mut Judge,
    composed: Composed<'_>,
    ready: Vec<Candidate>,
    observation: &Observation,
) -> Vec<Candidate> {
    let spec = composed.spec;
    match observation {
        Observation::Request(port, value) => with_arrived(judge, composed, ready, (*port, value)),
        Observation::Answer(port, answer) => {
            let after = with_shown(judge, composed, ready, (*port, answer.as_ref()));
            judge.wire.show(*port);
            // Messages that could still be this one are none that are seen any more.
            if composed.network.order() == PacketOrder::Free { delivered(judge, composed, after) } else { after }
        }
        Observation::Lost(port) => ended(judge, composed, ready, *port),
        Observation::Closed(port) => without_end(judge, ready, *port),
        Observation::Called(seen) => with_called(judge, spec, ready, seen),
        Observation::CallAnswered(exchange, answer) => with_call_answered(judge, spec, ready, (*exchange, answer)),
        Observation::CallLost(exchange) => retained(ready, |candidate| candidate.process.answer_call(*exchange, None)),
        Observation::End => ready,
    }
}

fn retained(mut candidates: Vec<Candidate>, mut keeps: impl FnMut(&mut Candidate) -> bool) -> Vec<Candidate> {
    candidates.retain_mut(|candidate| keeps(candidate));
    candidates
}

/// The candidates in which an observation may be made, after what the server may have done before it.
fn run_sections(
    judge: &mut Judge,
    composed: Composed<'_>,
    candidates: Vec<Candidate>,
    observation: &Observation,
) -> Vec<Candidate> {
    let network = composed.network;
    let mut met = MetForms::default();
    let (mut open, mut ready) = (candidates, Vec::new());
    while let Some(candidate) = open.pop() {
        let situation = candidate.process.situation();
        if moves::may_be_made(network, &situation, observation) {
            if is_enough(network, &candidate, observation) {
                ready.push(candidate);
                continue;
            }
            ready.push(candidate.clone());
        }
        if judge.is_exhausted() {
            break;
        }
        if met.len() > CLOSURE_LIMIT {
            judge.give_up(Limit::Steps);
            break;
        }
        for next in following(judge, composed, (&candidate, &situation), observation) {
            let form = forms::canonical(&next);
            if met.stand_for(&form, &next) {
                judge.counts.merges += 1;
            } else {
                met.add(form, &next);
                open.push(next);
            }
        }
    }
    ready
}

/// Tests whether a candidate in which an observation may be made need not go on first: all that it leads to can come behind it. Where
/// messages overtake each other another one may be the one that is seen, unless one that is there already certainly is.
fn is_enough(network: &dyn Network, candidate: &Candidate, observation: &Observation) -> bool {
    match observation {
        Observation::Called(_) => false,
        Observation::Answer(port, answer) if network.order() == PacketOrder::Free => {
            let is_it = |sent: &Sent| {
                sent.port == *port
                    && answer
                        .as_ref()
                        .is_some_and(|answer| answer.is_known() && sent.value.is_known() && *answer == sent.value)
            };
            candidate.process.sent().iter().any(is_it)
        }
        _ => true,
    }
}

/// The candidates to which a section leads that need to be followed.
fn following(
    judge: &mut Judge,
    composed: Composed<'_>,
    (from, situation): (&Candidate, &Situation),
    observation: &Observation,
) -> Vec<Candidate> {
    let Composed { spec, network, .. } = composed;
    let looks_ahead = prospects::looks_ahead(judge, composed);
    if looks_ahead && let Some(next) = finished_at_once(judge, composed, from) {
        return vec![next];
    }
    let mut all = Vec::new();
    for next in moves::of(&spec.program, network, situation, observation) {
        if is_repeated(composed, from, next) {
            continue;
        }
        let mut led = moved(judge, composed, from, next);
        if let Some(port) = next.port(situation).filter(|_| looks_ahead) {
            led.retain(|next| !is_dead(judge, composed, next, port));
        }
        all.append(&mut led);
    }
    all
}

/// Tests whether the server begins with a request that equals another one, where their order means nothing.
fn is_repeated(composed: Composed<'_>, candidate: &Candidate, next: ServerSection) -> bool {
    match next {
        ServerSection::Move(ServerMove::Receive(at)) => {
            composed.has_equal_packets() && candidate.process.has_arrived_twice(at)
        }
        _ => false,
    }
}

/// The candidate after the last section of a task that can be run at once as well as later.
fn finished_at_once(judge: &mut Judge, composed: Composed<'_>, from: &Candidate) -> Option<Candidate> {
    prospects::ready_to_end(judge, composed, from).into_iter().find_map(|at| {
        let mut next = moved(judge, composed, from, ServerSection::Move(ServerMove::Resume(at)));
        next.pop().filter(|only| next.is_empty() && prospects::has_only_ended(from, only))
    })
}

/// Tests whether a task of a port, whose answer is seen, cannot come to it in any state.
fn is_dead(judge: &mut Judge, composed: Composed<'_>, candidate: &Candidate, port: Port) -> bool {
    let next = prospects::certain_section(judge, composed, candidate, port);
    next.is_some_and(|at| moved(judge, composed, candidate, ServerSection::Move(ServerMove::Resume(at))).is_empty())
}

/// The candidates to which a section leads.
fn moved(judge: &mut Judge, composed: Composed<'_>, from: &Candidate, next: ServerSection) -> Vec<Candidate> {
    let Composed { spec, network, .. } = composed;
    let mut first = from.clone();
    if judge.options.keep_choices
        && let Some(begun) = begun(from, next)
    {
        judge.log(&mut first, || Logged::Section(begun));
    }
    match next {
        ServerSection::Move(ServerMove::Receive(at)) if network.duplicates() => {
            first.process.receive_copy(&spec.program, at);
        }
        ServerSection::Move(ServerMove::Receive(at)) => first.process.receive_arrived(&spec.program, at),
        ServerSection::Move(ServerMove::Resume(at)) => first.process.wake(at),
        ServerSection::Move(ServerMove::Step) => return stepped_each(judge, composed, from),
        ServerSection::Move(ServerMove::Lose(at)) => {
            first.process.take_sent(at);
            return vec![first];
        }
        ServerSection::Move(ServerMove::LoseRequest(at)) => {
            first.process.take_arrived(at);
            return vec![first];
        }
        ServerSection::Open(port) => {
            first.process.take_notice(port, ConnectionList::Opening);
            first.process.open(&spec.program, port);
        }
        ServerSection::Leave(port) => {
            first.process.take_notice(port, ConnectionList::Leaving);
            first.process.drop_unread(port);
            first.process.leave(&spec.program, port);
        }
    }
    let next = Section::new(judge, spec, Goal::Section).results(first);
    let mut next = delivered(judge, composed, next);
    next.iter_mut().for_each(|candidate| tidy::for_comparing(judge, candidate));
    next
}

/// The section that a server begins, as it is logged; a step logs itself.
fn begun(candidate: &Candidate, next: ServerSection) -> Option<BegunSection> {
    let process = &candidate.process;
    let sent = |at: usize| (process.sent()[at].port, process.sent()[at].value.clone());
    Some(match next {
        ServerSection::Move(ServerMove::Step) => return None,
        ServerSection::Move(ServerMove::Receive(at)) => {
            let (port, request) = process.arrived(at);
            BegunSection::Request(port, request.clone())
        }
        ServerSection::Move(ServerMove::LoseRequest(at)) => {
            let (port, request) = process.arrived(at);
            BegunSection::LostRequest(port, request.clone())
        }
        ServerSection::Move(ServerMove::Lose(at)) => {
            let (port, message) = sent(at);
            BegunSection::LostMessage(port, message)
        }
        ServerSection::Move(ServerMove::Resume(at)) => BegunSection::Task(process.situation().suspended[at].port),
        ServerSection::Open(port) => BegunSection::Opened(port),
        ServerSection::Leave(port) => BegunSection::Left(port),
    })
}

/// The candidates to which the steps lead: from known states to known ones, which are soon all met.
fn stepped_each(judge: &mut Judge, composed: Composed<'_>, from: &Candidate) -> Vec<Candidate> {
    let mut after = Vec::new();
    for step in 0..composed.spec.program.steps.len() {
        let stepped = fire::run_step(judge, composed.spec, from, step);
        for mut next in delivered(judge, composed, stepped) {
            tidy::for_comparing(judge, &mut next);
            // A run that is repeated for real takes each step as often as it sends.
            let is_kept = judge.options.keep_choices;
            if composed.repeats() && !is_kept && next.store.constraints() == from.store.constraints() {
                next.process.repeat_sent_since(&from.process);
            }
            after.extend(split::wholly(judge, next));
        }
    }
    after
}

/// The candidates behind a section whose messages the network takes, each compared with what is known to be seen of it.
fn delivered(judge: &mut Judge, composed: Composed<'_>, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let Composed { spec, network, .. } = composed;
    let (mut open, mut after) = (candidates, Vec::new());
    while let Some(mut candidate) = open.pop() {
        composed.order(&mut candidate);
        let Some((at, fate)) = judge.wire.next_fate(candidate.process.sent(), network) else {
            if network.takes(&candidate.process.situation()) {
                after.push(candidate);
            }
            continue;
        };
        match fate {
            MessageFate::Impossible => continue,
            MessageFate::Unseen => {
                let Sent { port, value, .. } = candidate.process.take_sent(at);
                if network.duplicates() && judge.wire.is_there(port) {
                    judge.log(&mut candidate, || Logged::Dropped(port, value));
                }
            }
            MessageFate::Any => candidate.process.settle_sent(at),
            MessageFate::Is(answer) => {
                let Sent { value, site, .. } = candidate.process.sent()[at].clone();
                candidate.process.settle_sent(at);
                let answering = OpenPath::Answering(candidate, GivenAnswer { value, site });
                Section::new(judge, spec, Goal::Answer(&answer)).explore_from(answering, &mut open);
                continue;
            }
        }
        open.push(candidate);
    }
    after
}

/// The candidates after a request has arrived.
fn with_arrived(
    judge: &mut Judge,
    composed: Composed<'_>,
    candidates: Vec<Candidate>,
    (port, request): (Port, &Value),
) -> Vec<Candidate> {
    let Composed { spec, network, .. } = composed;
    let filled = Filled::of_type(request, spec, spec.program.request, &mut judge.fresh);
    let request = filled.as_ref().map_or(request, |filled| &filled.request);
    retained(candidates, |candidate| {
        filled.iter().for_each(|filled| judge.log(candidate, || Logged::Request(filled.request.clone())));
        if network.duplicates() && candidate.process.has_arrived(port, request) {
            judge.log(candidate, || Logged::Copied);
        } else {
            candidate.process.arrive(port, request.clone());
        }
        composed.order(candidate);
        filled.as_ref().is_none_or(|filled| filled.assume(candidate, &mut judge.solver).is_ok())
    })
}

/// The candidates in which the message that was observed on a port is one that may be seen there.
fn with_shown(
    judge: &mut Judge,
    composed: Composed<'_>,
    candidates: Vec<Candidate>,
    (port, expected): (Port, Option<&Value>),
) -> Vec<Candidate> {
    let Composed { spec, network, .. } = composed;
    let goal = expected.map_or(Goal::Any, Goal::Answer);
    let mut after = Vec::new();
    for candidate in candidates {
        let sent = candidate.process.sent();
        let is_first = |at: &usize| !composed.has_equal_packets() || !sent[..*at].contains(&sent[*at]);
        let on_port = (0..sent.len()).filter(|at| sent[*at].port == port);
        let seen: Vec<usize> = if network.order() == PacketOrder::Free {
            on_port.filter(is_first).collect()
        } else {
            on_port.take(1).collect()
        };
        for at in seen {
            let mut candidate = candidate.clone();
            let sent = &candidate.process.sent()[at];
            let Sent { value, site, .. } = match network.duplicates() || sent.is_endless {
                true => candidate.process.sent()[at].clone(),
                false => candidate.process.take_sent(at),
            };
            if matches!(value, Value::Absent) {
                after.push(candidate);
                continue;
            }
            judge.log(&mut candidate, || Logged::Seen(value.clone()));
            let answering = OpenPath::Answering(candidate, GivenAnswer { value, site });
            Section::new(judge, spec, goal).explore_from(answering, &mut after);
        }
    }
    after
}

/// The candidates after a client has given up its connection: nothing that is sent on it is seen any more, and of its requests that were
/// not read some first ones may be yet. Where the others would be in the way, or take room, they are dropped now.
fn ended(judge: &mut Judge, composed: Composed<'_>, candidates: Vec<Candidate>, port: Port) -> Vec<Candidate> {
    judge.wire.end(port);
    let Composed { spec, network, .. } = composed;
    let is_noticed = spec.program.closes.is_some();
    let may_drop = match network.order() {
        PacketOrder::Free => false,
        PacketOrder::Connection => network.counts_packets(),
        PacketOrder::Global => true,
    };
    let mut after = Vec::new();
    for mut candidate in candidates {
        let situation = candidate.process.situation();
        candidate.process.drop_sent(port);
        if is_noticed && !situation.closed.contains(&port) {
            candidate.process.end_connection(port);
        }
        let of_port = |at: &usize| situation.arrived[*at] == port;
        let unread: Vec<usize> = (0..situation.arrived.len()).rev().filter(of_port).filter(|_| may_drop).collect();
        for last in unread {
            let mut other = candidate.clone();
            other.process.take_arrived(last);
            after.push(std::mem::replace(&mut candidate, other));
        }
        after.push(candidate);
    }
    after
}

/// The candidates after it was seen that the server has ended a connection.
fn without_end(judge: &mut Judge, candidates: Vec<Candidate>, port: Port) -> Vec<Candidate> {
    judge.wire.end(port);
    retained(candidates, |candidate| {
        candidate.process.drop_sent(port);
        true
    })
}

/// The candidates in which a call that a peer has seen is one that was sent.
fn with_called(judge: &mut Judge, spec: &Spec, candidates: Vec<Candidate>, seen: &CallSeen) -> Vec<Candidate> {
    let mut after = Vec::new();
    for candidate in candidates {
        for place in candidate.process.unseen_calls() {
            let caller = candidate.process.waiting(place);
            let mut called = candidate.clone();
            let taken = called.process.take_call(place, seen.exchange).filter(|call| call.peer == seen.peer);
            let Some(PeerCall { key, request, site, .. }) = taken else { continue };
            judge.log(&mut called, || Logged::Called(caller));
            let pair = |key, request| Value::data(0, [key, request]);
            let expected = pair(seen.key.clone(), seen.request.clone());
            let answering = OpenPath::Answering(called, GivenAnswer { value: pair(key, request), site });
            Section::new(judge, spec, Goal::Answer(&expected)).explore_from(answering, &mut after);
        }
    }
    after
}

/// The candidates in which a peer has answered a call.
fn with_call_answered(
    judge: &mut Judge,
    spec: &Spec,
    candidates: Vec<Candidate>,
    (exchange, answer): (u64, &Value),
) -> Vec<Candidate> {
    retained(candidates, |candidate| {
        let Some(peer) = candidate.process.called_peer(exchange) else { return false };
        let response: TypeId = spec.program.peers[peer as usize].response;
        let filled = Filled::of_type(answer, spec, response, &mut judge.fresh);
        let answer = filled.as_ref().map_or(answer, |filled| &filled.request);
        filled.iter().for_each(|filled| judge.log(candidate, || Logged::Request(filled.request.clone())));
        candidate.process.answer_call(exchange, Some(answer))
            && filled.as_ref().is_none_or(|filled| filled.assume(candidate, &mut judge.solver).is_ok())
    })
}
