//! Running one section of the server over a network, which may take and add packets under way.
//!
//! ```text
//! c1 Put(1) not read      the server reads it      {x: 1}, and `Done` is under way to c1
//! ```

use super::composition::Composition;
use super::wire::MessageFate;
use crate::judge::candidate::{Candidate, Logged};
use crate::judge::context::Context;
use crate::judge::normal_form::{split, tidy};
use crate::judge::own_steps::fire;
use crate::judge::section::{GivenAnswer, Goal, OpenPath, Section};
use crate::limits;
use crate::network::{ServerMove, ServerSection};
use crate::process::{ConnectionList, Limit, SectionStart, Sent};
use crate::value::Value;

/// The work that packets under way are to a section: each message is compared with those before it.
fn compared(candidate: &Candidate) -> u64 {
    let sent = candidate.process.sent().len();
    (packets(candidate) + sent * sent / limits::COPIES_PER_TERM as usize) as u64
}

/// The number of packets under way.
pub(crate) fn packets(candidate: &Candidate) -> usize {
    candidate.process.arrived_count() + candidate.process.sent().len()
}

/// The candidates to which a section leads.
pub(crate) fn moved(
    context: &mut Context,
    composed: Composition<'_>,
    from: &Candidate,
    next: ServerSection,
) -> Vec<Candidate> {
    let Composition { spec, network, .. } = composed;
    context.work.without_terms +=
        limits::COPIES_PER_TERM + from.process.size() as u64 / limits::COPIES_PER_TERM + compared(from);
    let mut first = from.clone();
    if context.options.keep_choices
        && let Some(begun) = begun(from, next)
    {
        context.log(&mut first, || Logged::Section(begun));
    }
    match next {
        ServerSection::Move(ServerMove::Receive(at)) if network.duplicates() => {
            first.process.receive_copy(&spec.program, at);
        }
        ServerSection::Move(ServerMove::Receive(at)) => first.process.receive_arrived(&spec.program, at),
        ServerSection::Move(ServerMove::Resume(at)) if from.process.situation().suspended[at].calls.is_empty() => {
            first.process.wake(at);
        }
        ServerSection::Move(ServerMove::Resume(at)) => return answered_each(context, composed, &first, at),
        ServerSection::Move(ServerMove::Step) => return stepped_each(context, composed, from),
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
    ended(context, composed, first)
}

/// The candidates at the end of a section that has begun.
fn ended(context: &mut Context, composed: Composition<'_>, first: Candidate) -> Vec<Candidate> {
    let next = Section::new(context, composed.spec, Goal::Section).results(first);
    let mut next = delivered(context, composed, next);
    for candidate in &mut next {
        tidy::between_sections(context, candidate);
    }
    next
}

/// The candidates to which the next section of a task leads that waits for some of the answers that peers have sent: for each choice
/// of the answers that have arrived first.
fn answered_each(context: &mut Context, composed: Composition<'_>, from: &Candidate, at: usize) -> Vec<Candidate> {
    let task = &from.process.situation().suspended[at];
    let sent: Vec<u64> =
        task.calls.iter().filter(|call| call.is_answer_sent).filter_map(|call| call.exchange).collect();
    let mut after = Vec::new();
    for (tried, arrived) in Combinations::of(&sent, task.wanted).enumerate() {
        if tried > limits::CLOSURE_LIMIT {
            context.give_up(Limit::Steps);
            break;
        }
        let mut first = from.clone();
        context.log(&mut first, || Logged::Arrived(arrived.clone()));
        first.process.arrive_answers(at, &arrived);
        first.process.wake(at);
        after.append(&mut ended(context, composed, first));
    }
    after
}

/// All choices of some of several numbers, in order.
struct Combinations<'n> {
    of: &'n [u64],
    /// The places of the next choice; `None` after the last one.
    next: Option<Vec<usize>>,
}

impl Combinations<'_> {
    fn of(numbers: &[u64], count: usize) -> Combinations<'_> {
        Combinations { of: numbers, next: (count <= numbers.len()).then(|| (0..count).collect()) }
    }
}

impl Iterator for Combinations<'_> {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        let mut places = self.next.take()?;
        let chosen = places.iter().map(|at| self.of[*at]).collect();
        let (count, last) = (places.len(), self.of.len());
        // The last place that can move on moves by one; the places after it become the next ones.
        if let Some(moved) = (0..count).rev().find(|at| places[*at] + (count - at) < last) {
            let first = places[moved] + 1;
            (moved..count).for_each(|at| places[at] = first + at - moved);
            self.next = Some(places);
        }
        Some(chosen)
    }
}

/// The section that a server begins, as it is logged; a step logs itself.
fn begun(candidate: &Candidate, next: ServerSection) -> Option<SectionStart> {
    let process = &candidate.process;
    Some(match next {
        ServerSection::Move(ServerMove::Step) => return None,
        ServerSection::Move(ServerMove::Receive(at)) => {
            let (port, request) = process.arrived(at);
            SectionStart::Request(port, request.clone())
        }
        ServerSection::Move(ServerMove::Resume(at)) => SectionStart::Task(process.situation().suspended[at].port),
        ServerSection::Open(port) => SectionStart::Opened(port),
        ServerSection::Leave(port) => SectionStart::Left(port),
    })
}

/// The candidates to which the steps lead: from known states to known ones, which are soon all visited.
fn stepped_each(context: &mut Context, composed: Composition<'_>, from: &Candidate) -> Vec<Candidate> {
    let mut after = Vec::new();
    for step in 0..composed.spec.program.steps.len() {
        let stepped = fire::run_step(context, composed.spec, from, step);
        for mut next in delivered(context, composed, stepped) {
            tidy::for_comparing(context, &mut next);
            // A witness is a real run, which takes the step once for each message.
            let is_kept = context.options.keep_choices;
            if composed.repeats() && !is_kept && next.store.constraints() == from.store.constraints() {
                next.process.repeat_sent_since(&from.process);
            }
            after.extend(split::wholly(context, next));
        }
    }
    after
}

/// The candidates after a section, each message compared with what is known to be seen of it.
pub(crate) fn delivered(
    context: &mut Context,
    composed: Composition<'_>,
    candidates: Vec<Candidate>,
) -> Vec<Candidate> {
    let Composition { spec, network, .. } = composed;
    let (mut open, mut after) = (candidates, Vec::new());
    while let Some(mut candidate) = open.pop() {
        composed.order(&mut candidate);
        let Some((at, fate)) = context.wire.next_fate(&candidate, network) else {
            if composed.splits_by_fate
                && let Some((at, answers)) = context.wire.open_message(&candidate)
            {
                tell_apart(context, composed, candidate, at, answers, &mut open);
            } else {
                after.push(candidate);
            }
            continue;
        };
        match fate {
            MessageFate::Impossible => continue,
            MessageFate::Unseen => {
                let Sent { port, value, .. } = candidate.process.take_sent(at);
                if network.duplicates() && context.wire.is_there(port) {
                    context.log(&mut candidate, || Logged::Dropped(port, value));
                }
            }
            MessageFate::Any => candidate.process.drop_sent_value(at),
            MessageFate::Is(answer) => {
                let Sent { value, site, .. } = candidate.process.sent()[at].clone();
                candidate.process.drop_sent_value(at);
                let answering = OpenPath::Answering(candidate, GivenAnswer { value, site, is_last: true });
                Section::new(context, spec, Goal::Answer(&answer)).explore_from(answering, &mut open);
                continue;
            }
        }
        open.push(candidate);
    }
    after
}

/// Adds a candidate for each answer that a message may be, the earliest one first, and the candidate in which nobody sees it.
fn tell_apart(
    context: &mut Context,
    composed: Composition<'_>,
    candidate: Candidate,
    at: usize,
    answers: Vec<Value>,
    open: &mut Vec<Candidate>,
) {
    for answer in answers {
        let mut seen = candidate.clone();
        let Sent { value, site, .. } = seen.process.sent()[at].clone();
        seen.process.set_sent(at, answer.clone());
        let answering = OpenPath::Answering(seen, GivenAnswer { value, site, is_last: true });
        Section::new(context, composed.spec, Goal::Answer(&answer)).explore_from(answering, open);
    }
    let mut unseen = candidate;
    let Sent { port, value, .. } = unseen.process.take_sent(at);
    if composed.network.duplicates() {
        context.log(&mut unseen, || Logged::Dropped(port, value));
    }
    open.push(unseen);
}
