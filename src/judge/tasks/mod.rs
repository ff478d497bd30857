//! Observing over a network: the server runs sections until the network allows the observation.
//!
//! ```text
//! c1 Take    c2 Take    c2 1    c1 2       the server began with the request of c2, or went on with it first
//! ```
//!
//! A candidate has requests, suspended tasks and messages under way. Before an observation, all sections that the network allows
//! are tried until the observation may be made; equal candidates on the way are one.

pub(crate) mod alternatives;
pub(crate) mod composition;
pub(crate) mod deepest;
pub(crate) mod discrepancies;
pub(crate) mod failing;
pub(crate) mod lookahead;
pub(crate) mod next_messages;
pub(crate) mod peer_duty;
pub(crate) mod recording;
pub(crate) mod remaining_answers;
pub(crate) mod run_section;
pub(crate) mod visited;
pub(crate) mod wire;

use std::cmp::Reverse;
use std::slice;

use super::candidate::{Candidate, Logged};
use super::context::Context;
use super::section::request::SymbolicRequest;
use super::section::{GivenAnswer, Goal, OpenPath, Section};
use composition::Composition;
use visited::VisitedStates;

use crate::limits;
use crate::network::{CallSeen, Network, Observation, PacketOrder, ServerMove, ServerSection, moves};
use crate::process::{Limit, PeerCall, Port, Process, SectionStart, Sent, Situation};
use crate::spec::{Spec, TypeId};
use crate::value::Value;

/// The candidates that explain an observation over a network.
pub(super) fn observe(
    context: &mut Context,
    candidates: Vec<Candidate>,
    network: &dyn Network,
    observation: &Observation,
) -> Vec<Candidate> {
    let spec = context.spec.clone();
    let composed = Composition::new(&spec, network, &context.options);
    context.wire.run_to(network, Some(observation));
    let ready = before(context, composed, candidates, observation);
    context.wire.run_to(network, None);
    observed(context, composed, ready, observation)
}

/// The candidates in which an observation may be made, after the sections that the server may have run before it.
pub(super) fn before(
    context: &mut Context,
    composed: Composition<'_>,
    mut candidates: Vec<Candidate>,
    observation: &Observation,
) -> Vec<Candidate> {
    take_notice(context, composed.spec, &mut candidates, observation);
    run_sections(context, composed, candidates, observation)
}

/// Notes that a connection has begun, if an observation is the first on it.
pub(super) fn take_notice(context: &mut Context, spec: &Spec, candidates: &mut [Candidate], observation: &Observation) {
    if let Some(port) = observation.port()
        && context.wire.open(port)
        && spec.program.opens.is_some()
    {
        candidates.iter_mut().for_each(|candidate| candidate.process.begin_connection(port));
    }
}

/// The candidates after an observation, from candidates in which it may be made.
pub(super) fn observed(
    context: &mut Context,
    composed: Composition<'_>,
    ready: Vec<Candidate>,
    observation: &Observation,
) -> Vec<Candidate> {
    let mut after = with_observed(context, composed, ready, observation);
    for candidate in &mut after {
        context.log(candidate, || Logged::Observed);
    }
    after
}

fn with_observed(
    context: &mut Context,
    composed: Composition<'_>,
    ready: Vec<Candidate>,
    observation: &Observation,
) -> Vec<Candidate> {
    let spec = composed.spec;
    match observation {
        Observation::Request(port, value) => with_arrived(context, composed, ready, *port, value),
        Observation::Answer(port, answer) => {
            let after = with_shown(context, composed, ready, *port, answer.as_ref());
            context.wire.show(*port);
            // Messages that could still be this one are none that are seen any more.
            if composed.network.order() == PacketOrder::Free {
                run_section::delivered(context, composed, after)
            } else {
                after
            }
        }
        Observation::Lost(port) => ended(context, composed, ready, *port),
        Observation::Closed(port) => without_end(context, ready, *port),
        Observation::Called(seen) => with_called(context, spec, ready, seen),
        Observation::CallAnswered(exchange, answer) => {
            let takes = |process: &mut Process, answer: &Value| process.answer_call(*exchange, Some(answer));
            with_call_answered(context, spec, ready, (*exchange, answer), &takes)
        }
        Observation::AnswerSent(exchange, answer) => {
            let takes = |process: &mut Process, answer: &Value| process.send_answer(*exchange, answer);
            with_call_answered(context, spec, ready, (*exchange, answer), &takes)
        }
        Observation::CallLost(exchange) => retained(ready, |candidate| candidate.process.answer_call(*exchange, None)),
        Observation::Restart => restarted(context, spec, ready),
        Observation::Noticed(_) | Observation::End => ready,
    }
}

fn retained(mut candidates: Vec<Candidate>, mut keeps: impl FnMut(&mut Candidate) -> bool) -> Vec<Candidate> {
    candidates.retain_mut(|candidate| keeps(candidate));
    candidates
}

/// The candidates in which an observation may be made, after the sections that the server may have run before it.
fn run_sections(
    context: &mut Context,
    composed: Composition<'_>,
    candidates: Vec<Candidate>,
    observation: &Observation,
) -> Vec<Candidate> {
    let network = composed.network;
    let mut met = VisitedStates::new(composed);
    let (mut open, mut ready) = (candidates, Vec::new());
    // Candidates with many packets under way come first: they may cover others.
    open.sort_by_cached_key(|candidate| Reverse(run_section::packets(candidate)));
    open.retain(|candidate| met.add(context, slice::from_ref(candidate)));
    while let Some(candidate) = open.pop() {
        let situation = candidate.process.situation();
        if moves::may_be_made(network, &situation, observation) {
            if is_enough(composed, &candidate, observation) {
                ready.push(candidate);
                continue;
            }
            ready.push(candidate.clone());
        }
        if context.is_exhausted() {
            break;
        }
        if met.len() > limits::CLOSURE_LIMIT {
            context.give_up(Limit::Steps);
            break;
        }
        for next in following(context, composed, &candidate, &situation, observation) {
            if met.add(context, slice::from_ref(&next)) {
                open.push(next);
            } else {
                context.counts.merges += 1;
            }
        }
    }
    ready
}

/// Tests whether a candidate in which an observation may be made need not go on first: all that it leads to can come after it. If
/// messages overtake each other another one may be the one that is seen, unless one that is there already certainly is. Behind a
/// restart nothing comes that was under way before it.
pub(super) fn is_enough(composed: Composition<'_>, candidate: &Candidate, observation: &Observation) -> bool {
    match observation {
        Observation::Called(_) => false,
        // Answers that were sent before may have arrived before this one.
        Observation::CallAnswered(..) => !candidate.process.situation().calls().any(|call| call.is_answer_sent),
        Observation::Restart => {
            composed.spec.program.restarts.is_none() && candidate.process.situation() == Situation::default()
        }
        Observation::Answer(port, answer) if composed.network.order() == PacketOrder::Free => {
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

/// The candidates after one section that may be run before an observation, as far as they need to be followed.
fn following(
    context: &mut Context,
    composed: Composition<'_>,
    from: &Candidate,
    situation: &Situation,
    observation: &Observation,
) -> Vec<Candidate> {
    if let Some(next) = finished_at_once(context, composed, from) {
        return vec![next];
    }
    let mut all = Vec::new();
    for next in moves::of(&composed.spec.program, composed.network, situation, observation) {
        let Successors { mut states, is_enough } = successors_after(context, composed, from, situation, next);
        if is_enough {
            return states;
        }
        all.append(&mut states);
    }
    all
}

/// The states to which a section leads, as far as they need to be followed.
#[derive(Default)]
pub(super) struct Successors {
    pub(super) states: Vec<Candidate>,
    /// Set if no other section needs to be run in the place of this one.
    pub(super) is_enough: bool,
}

/// The candidates to which a section leads before an observation.
pub(super) fn successors_after(
    context: &mut Context,
    composed: Composition<'_>,
    from: &Candidate,
    situation: &Situation,
    next: ServerSection,
) -> Successors {
    let network = composed.network;
    if is_repeated(composed, from, next) {
        return Successors::default();
    }
    let mut states = run_section::moved(context, composed, from, next);
    let port = next.port(situation);
    if let Some(port) = port.filter(|_| composed.looks_ahead && context.wire.looks_at_tasks()) {
        states.retain(|next| !is_dead(context, composed, next, port));
    }
    if let ServerSection::Move(ServerMove::Receive(_)) = next
        && composed.loses
        && network.duplicates()
        && let [only] = &states[..]
        && has_only_sent(from, only)
    {
        // The section only adds messages, which may be lost, so running it first excludes nothing.
        let is_new = from.process.sent().len() < only.process.sent().len();
        return if is_new { Successors { states, is_enough: true } } else { Successors::default() };
    }
    Successors { states, is_enough: false }
}

/// Tests whether a section has sent messages and changed nothing else, for all states of a candidate.
fn has_only_sent(before: &Candidate, after: &Candidate) -> bool {
    (after.is_clean() || !before.is_clean())
        && !before.process.has_unknowns()
        && after.process.has_only_sent_since(&before.process)
        && after.store.constraints() == before.store.constraints()
}

/// Tests whether a section begins with a request that equals an earlier one under way, if their order means nothing.
fn is_repeated(composed: Composition<'_>, candidate: &Candidate, next: ServerSection) -> bool {
    match next {
        ServerSection::Move(ServerMove::Receive(at)) => {
            composed.has_equal_packets() && candidate.process.has_arrived_twice(at)
        }
        _ => false,
    }
}

/// The candidate after the last section of a task, if there is a task whose last section can be run now as well as later.
pub(super) fn finished_at_once(
    context: &mut Context,
    composed: Composition<'_>,
    from: &Candidate,
) -> Option<Candidate> {
    if !(composed.looks_ahead && context.wire.looks_at_tasks()) {
        return None;
    }
    lookahead::ready_to_end(context, composed, from).into_iter().find_map(|at| {
        let mut next = run_section::moved(context, composed, from, ServerSection::Move(ServerMove::Resume(at)));
        next.pop().filter(|only| next.is_empty() && lookahead::has_only_ended(from, only))
    })
}

/// Tests whether the task of a connection cannot give the answer that is seen there, in any state.
fn is_dead(context: &mut Context, composed: Composition<'_>, candidate: &Candidate, port: Port) -> bool {
    let next = lookahead::certain_section(context, composed, candidate, port);
    next.is_some_and(|at| {
        run_section::moved(context, composed, candidate, ServerSection::Move(ServerMove::Resume(at))).is_empty()
    })
}

/// The candidates after a request has arrived.
fn with_arrived(
    context: &mut Context,
    composed: Composition<'_>,
    candidates: Vec<Candidate>,
    port: Port,
    request: &Value,
) -> Vec<Candidate> {
    let Composition { spec, network, .. } = composed;
    let filled = SymbolicRequest::of_type(request, spec, spec.program.request, &mut context.fresh);
    let request = filled.as_ref().map_or(request, |filled| &filled.request);
    retained(candidates, |candidate| {
        filled.iter().for_each(|filled| context.log(candidate, || Logged::Request(filled.request.clone())));
        if network.duplicates() && candidate.process.has_arrived(port, request) {
            context.log(candidate, || Logged::Copied);
        } else {
            candidate.process.arrive(port, request.clone());
        }
        composed.order(candidate);
        filled.as_ref().is_none_or(|filled| filled.assume(candidate, &mut context.solver).is_ok())
    })
}

/// The candidates in which a message under way unifies with the one that was observed on a connection.
pub(super) fn with_shown(
    context: &mut Context,
    composed: Composition<'_>,
    candidates: Vec<Candidate>,
    port: Port,
    expected: Option<&Value>,
) -> Vec<Candidate> {
    let Composition { spec, network, .. } = composed;
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
            context.log(&mut candidate, || Logged::Seen(value.clone()));
            let answering = OpenPath::Answering(candidate, GivenAnswer { value, site, is_last: true });
            Section::new(context, spec, goal).explore_from(answering, &mut after);
        }
    }
    after
}

/// The candidates after a client has given up its connection: no message on it is seen any more, and a prefix of its unread requests may
/// still be read. If the others would be in the way, or are counted, they are dropped now.
fn ended(context: &mut Context, composed: Composition<'_>, candidates: Vec<Candidate>, port: Port) -> Vec<Candidate> {
    context.wire.end(port);
    let Composition { spec, network, .. } = composed;
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
            context.log(&mut other, || Logged::NeverRead);
            after.push(std::mem::replace(&mut candidate, other));
        }
        after.push(candidate);
    }
    after
}

/// The candidates after a client has seen that the server ended its connection.
fn without_end(context: &mut Context, candidates: Vec<Candidate>, port: Port) -> Vec<Candidate> {
    context.wire.end(port);
    retained(candidates, |candidate| {
        candidate.process.drop_sent(port);
        true
    })
}

/// The candidates after a restart: nothing is under way any more, and the handler of restarts has run.
fn restarted(context: &mut Context, spec: &Spec, candidates: Vec<Candidate>) -> Vec<Candidate> {
    context.wire.end_all();
    let mut after = Vec::new();
    for mut candidate in candidates {
        if candidate.process.restart(&spec.program) {
            context.log(&mut candidate, || Logged::Section(SectionStart::Restarted));
            after.append(&mut Section::new(context, spec, Goal::Section).results(candidate));
        } else {
            after.push(candidate);
        }
    }
    after
}

/// The candidates in which a call that was sent unifies with the one that a peer has seen.
fn with_called(context: &mut Context, spec: &Spec, candidates: Vec<Candidate>, seen: &CallSeen) -> Vec<Candidate> {
    let mut after = Vec::new();
    for candidate in candidates {
        for place in candidate.process.unseen_calls() {
            let caller = candidate.process.waiting(place);
            let mut called = candidate.clone();
            let taken = called.process.take_call(place, seen.exchange).filter(|call| call.peer == seen.peer);
            let Some(PeerCall { key, request, site, .. }) = taken else { continue };
            context.log(&mut called, || Logged::Called(caller));
            let pair = |key, request| Value::data(0, [key, request]);
            let expected = pair(seen.key.clone(), seen.request.clone());
            let answering = OpenPath::Answering(called, GivenAnswer { value: pair(key, request), site, is_last: true });
            Section::new(context, spec, Goal::Answer(&expected)).explore_from(answering, &mut after);
        }
    }
    after
}

/// The candidates after a peer has answered a call, as their processes take it.
fn with_call_answered(
    context: &mut Context,
    spec: &Spec,
    candidates: Vec<Candidate>,
    (exchange, answer): (u64, &Value),
    takes: &dyn Fn(&mut Process, &Value) -> bool,
) -> Vec<Candidate> {
    retained(candidates, |candidate| {
        let Some(peer) = candidate.process.called_peer(exchange) else { return false };
        let response: TypeId = spec.program.peers[peer as usize].response;
        let filled = SymbolicRequest::of_type(answer, spec, response, &mut context.fresh);
        let answer = filled.as_ref().map_or(answer, |filled| &filled.request);
        filled.iter().for_each(|filled| context.log(candidate, || Logged::Request(filled.request.clone())));
        takes(&mut candidate.process, answer)
            && filled.as_ref().is_none_or(|filled| filled.assume(candidate, &mut context.solver).is_ok())
    })
}
