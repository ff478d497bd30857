//! Running one section of the server over a network, from what is under way before it to what is after it.
//!
//! ```text
//! c1 Put(1) not read      the server reads it      {x: 1}, and `Done` is under way to c1
//! ```

use std::slice;

use super::composed::Composed;
use super::visited::VisitedStates;
use super::wire::MessageFate;
use crate::judge::candidate::{BegunSection, Candidate, Logged};
use crate::judge::frontier::Judge;
use crate::judge::normal_form::{split, tidy};
use crate::judge::own_steps::fire;
use crate::judge::section::{COPIED, GivenAnswer, Goal, OpenPath, Section};
use crate::network::{ServerMove, ServerSection};
use crate::process::{ConnectionList, Sent};
use crate::value::Value;

/// The work that a section counts as at least, in made terms.
const SECTION: u64 = 10;
/// The number of comparisons of messages that count as one made term.
const COMPARED: usize = 10;

/// The candidates to which a section leads.
#[derive(Default)]
pub(crate) struct AfterSection {
    pub(crate) states: Vec<Candidate>,
    /// Set if there was no room for all that it sent, on some path.
    pub(crate) is_full: bool,
}

/// The work that packets under way are to a section: each message is compared with those before it.
fn compared(candidate: &Candidate) -> u64 {
    let sent = candidate.process.sent().len();
    (packets(candidate) + sent * sent / COMPARED) as u64
}

/// The number of packets under way.
pub(crate) fn packets(candidate: &Candidate) -> usize {
    candidate.process.arrived_count() + candidate.process.sent().len()
}

/// The candidates to which a section leads.
pub(crate) fn moved(judge: &mut Judge, composed: Composed<'_>, from: &Candidate, next: ServerSection) -> AfterSection {
    let Composed { spec, network, .. } = composed;
    judge.work.without_terms += SECTION + from.process.size() as u64 / COPIED + compared(from);
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
            return AfterSection { states: vec![first], is_full: false };
        }
        ServerSection::Move(ServerMove::LoseRequest(at)) => {
            first.process.take_arrived(at);
            return AfterSection { states: vec![first], is_full: false };
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
    for candidate in &mut next.states {
        lose_unseen(judge, composed, candidate);
        tidy::between_sections(judge, candidate);
    }
    next
}

/// The candidates to which a section leads after a loss of messages: of as few as leave room for those that it sends.
pub(crate) fn behind_losses(
    judge: &mut Judge,
    composed: Composed<'_>,
    from: &Candidate,
    next: ServerSection,
) -> Vec<Candidate> {
    let (mut full, mut after) = (vec![from.clone()], Vec::new());
    while !full.is_empty() {
        let sent = |one: &Candidate| (0..one.process.sent().len()).map(ServerMove::Lose).collect();
        full = after_loss(judge, composed, &full, sent);
        full.retain(|candidate| {
            let AfterSection { mut states, is_full } = moved(judge, composed, candidate, next);
            after.append(&mut states);
            is_full
        });
    }
    after
}

/// The candidates after a loss of one packet more.
pub(crate) fn after_loss(
    judge: &mut Judge,
    composed: Composed<'_>,
    candidates: &[Candidate],
    losses: impl Fn(&Candidate) -> Vec<ServerMove>,
) -> Vec<Candidate> {
    let mut visited = VisitedStates::new(composed);
    let mut after = Vec::new();
    for candidate in candidates {
        for loss in losses(candidate) {
            after.append(&mut moved(judge, composed, candidate, ServerSection::Move(loss)).states);
        }
    }
    after.retain(|candidate| visited.add(judge, slice::from_ref(candidate)));
    after
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

/// The candidates to which the steps lead: from known states to known ones, which are soon all visited.
fn stepped_each(judge: &mut Judge, composed: Composed<'_>, from: &Candidate) -> AfterSection {
    let mut after = AfterSection::default();
    for step in 0..composed.spec.program.steps.len() {
        let stepped = fire::run_step(judge, composed.spec, from, step);
        let AfterSection { states, is_full } = delivered(judge, composed, stepped);
        after.is_full |= is_full;
        for mut next in states {
            lose_unseen(judge, composed, &mut next);
            tidy::for_comparing(judge, &mut next);
            // A run that is repeated for real takes each step as often as it sends.
            let is_kept = judge.options.keep_choices;
            if composed.repeats() && !is_kept && next.store.constraints() == from.store.constraints() {
                next.process.repeat_sent_since(&from.process);
            }
            after.states.extend(split::wholly(judge, next));
        }
    }
    after
}

/// The candidates after a section whose messages the network takes, each compared with what is known to be seen of it.
pub(crate) fn delivered(judge: &mut Judge, composed: Composed<'_>, candidates: Vec<Candidate>) -> AfterSection {
    let Composed { spec, network, .. } = composed;
    let (mut open, mut after) = (candidates, AfterSection::default());
    while let Some(mut candidate) = open.pop() {
        composed.order(&mut candidate);
        let Some((at, fate)) = judge.wire.next_fate(&candidate, network) else {
            if !network.takes(&candidate.process.situation()) {
                after.is_full = true;
            } else if composed.tells_apart
                && let Some((at, answers)) = judge.wire.open_message(&candidate)
            {
                tell_apart(judge, composed, (candidate, at), answers, &mut open);
            } else {
                after.states.push(candidate);
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
                let answering = OpenPath::Answering(candidate, GivenAnswer { value, site, is_last: true });
                Section::new(judge, spec, Goal::Answer(&answer)).explore_from(answering, &mut open);
                continue;
            }
        }
        open.push(candidate);
    }
    after
}

/// Adds the candidates in which a message is each of the answers that it may be, the earliest one first, and the one in which nobody
/// sees it.
fn tell_apart(
    judge: &mut Judge,
    composed: Composed<'_>,
    (candidate, at): (Candidate, usize),
    answers: Vec<Value>,
    open: &mut Vec<Candidate>,
) {
    for answer in answers {
        let mut seen = candidate.clone();
        let Sent { value, site, .. } = seen.process.sent()[at].clone();
        seen.process.set_sent(at, answer.clone());
        let answering = OpenPath::Answering(seen, GivenAnswer { value, site, is_last: true });
        Section::new(judge, composed.spec, Goal::Answer(&answer)).explore_from(answering, open);
    }
    let mut unseen = candidate;
    let Sent { port, value, .. } = unseen.process.take_sent(at);
    if composed.network.counts_packets() {
        judge.log(&mut unseen, || Logged::Section(BegunSection::LostMessage(port, value)));
    } else if composed.network.duplicates() {
        judge.log(&mut unseen, || Logged::Dropped(port, value));
    }
    open.push(unseen);
}

/// Loses the messages at once that take room and that nobody will see.
pub(crate) fn lose_unseen(judge: &Judge, composed: Composed<'_>, candidate: &mut Candidate) {
    if !(composed.loses && composed.network.counts_packets()) {
        return;
    }
    while let Some(at) = judge.wire.unneeded(candidate) {
        let Sent { port, value, .. } = candidate.process.take_sent(at);
        judge.log(candidate, || Logged::Section(BegunSection::LostMessage(port, value)));
    }
}
