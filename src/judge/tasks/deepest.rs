//! Judging a whole recording deepest first: the states that explain the longest beginning of it are followed first.
//!
//! Judging event by event keeps all states that explain the events so far. If many requests are under way these are many, though a single
//! run is enough to accept. Deepest first looks for one run, and backtracks if it cannot go on (Wing and Gong, 1993; Lowe, 2017):
//!
//! ```text
//! c1 W(1)   c2 W(2)   c3 R ... c3 2          before `c3 2` the server reads R, which would answer 0; then W(1), R: 1; then W(2), R: 2
//! ```
//!
//! Sections that an observation needs run before it: first those of its own connection, then those whose answers are seen soonest. A
//! section after which the event still cannot be observed is a discrepancy, and nodes with fewer discrepancies are followed first. States with the
//! same packets and tasks under way are one node of the search, and nodes of one form at one event are followed once
//! (`proofs-notes/deepest.md`).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::composition::Composition;
use super::discrepancies::DiscrepancyOrder;
use super::remaining_answers::RemainingAnswers;
use super::visited::VisitedStates;
use super::wire::{RecordedEvent, Wire};
use crate::judge::Judge;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::frontier::Frontier;
use crate::judge::normal_form::forms;
use crate::judge::step;
use crate::judge::tasks;
use crate::judge::work::Followed;
use crate::network::{Observation, ServerMove, ServerSection, moves};
use crate::process::{Limit, Port, Situation};
use crate::value::Value;

/// A node of the search: states before one event, with the same packets and tasks under way.
struct SearchNode {
    /// The number of the event, from 0.
    event: usize,
    candidates: Vec<Candidate>,
    history: NodeHistory,
    /// The sections that are still to be run from this node, the next one last; `None` before they are listed.
    left: Option<Vec<ServerSection>>,
}

/// The part of the path to a node that matters to the order of the search.
#[derive(Clone, Default)]
struct NodeHistory {
    /// The numbers of the requests that were read, if requests can be read again.
    read: ReadRequests,
    /// The number of discrepancies since the path was the first to explain an event: sections after which the next event could not be observed,
    /// and alternatives other than the one that is tried first.
    discrepancies: usize,
}

impl NodeHistory {
    /// This history with `more` further discrepancies.
    fn with_discrepancies(&self, more: usize) -> NodeHistory {
        NodeHistory { read: self.read.clone(), discrepancies: self.discrepancies + more }
    }
}

/// A set of requests: a bit for each number.
#[derive(Clone, Default)]
struct ReadRequests(Vec<u64>);

impl ReadRequests {
    fn set(&mut self, request: usize, is_read: bool) {
        let (at, bit) = (request / 64, 1 << (request % 64));
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = if is_read { self.0[at] | bit } else { self.0[at] & !bit };
    }

    fn contains(&self, request: usize) -> bool {
        self.0.get(request / 64).is_some_and(|bits| bits & (1 << (request % 64)) != 0)
    }
}

/// The end of a search.
pub(crate) enum Searched {
    /// The recording is explained: the judge has the states at its end.
    Explained(Judge),
    /// Nothing explains the recording: the judge stands at the first event that no run of the search passed.
    Nothing(Judge),
    /// The given work is used up, and the search may go on.
    Unfinished,
    /// A limit cut nodes off, and no other one explains the recording.
    Cut,
}

/// A search for a run that explains a recording.
pub(crate) struct DeepestFirst<'r> {
    composed: Composition<'r>,
    order: DiscrepancyOrder,
    events: &'r [RecordedEvent],
    context: Context,
    /// The nodes that are to be followed, by their priority ([`DiscrepancyOrder::priority`]): the highest is taken first.
    open: BTreeMap<(Reverse<usize>, isize), Vec<SearchNode>>,
    /// The nodes that were visited at each event.
    visited: Vec<VisitedStates>,
    /// The connections before each event.
    wires: Vec<Wire>,
    remaining: RemainingAnswers,
    /// The numbers of the requests that are different, if they can be read again.
    requests: FxHashMap<(Port, Value), usize>,
    /// The number of first events that a clean state explains.
    explained: usize,
    /// Set if a limit cut nodes off.
    is_cut: bool,
    /// The memory that the search has taken, in bytes.
    taken: usize,
}

impl<'r> DeepestFirst<'r> {
    /// A search that begins with the states of a judge that has seen nothing.
    pub(crate) fn new(composed: Composition<'r>, judge: Judge, events: &'r [RecordedEvent]) -> DeepestFirst<'r> {
        let composed = composed.splitting_by_fate();
        let remaining = RemainingAnswers::of(composed, events);
        let mut requests = FxHashMap::default();
        for (_, observation) in events {
            if let Observation::Request(port, request) = observation
                && composed.network.duplicates()
            {
                let number = requests.len();
                requests.entry((*port, request.clone())).or_insert(number);
            }
        }
        let (context, initial) = judge.into_parts();
        let order = DiscrepancyOrder::of(composed);
        let (open, visited, wires) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (explained, is_cut, taken) = (0, false, 0);
        let mut search = DeepestFirst {
            composed,
            order,
            events,
            context,
            open,
            visited,
            wires,
            remaining,
            requests,
            explained,
            is_cut,
            taken,
        };
        search.enter(0, initial, NodeHistory::default());
        search
    }

    /// Goes on with the search until its end, or until the given work is used up.
    pub(crate) fn search(&mut self, work: u64) -> Searched {
        self.context.work.resume(self.taken, &self.context.options);
        let searched = self.follow(work);
        self.taken = self.context.work.taken(&self.context.options);
        searched
    }

    fn follow(&mut self, work: u64) -> Searched {
        let last = self.context.work_done().saturating_add(work);
        while let Some(node) = self.next_node() {
            if node.event == self.events.len() && node.candidates.iter().any(Candidate::is_clean) {
                return Searched::Explained(self.ended_with(node.candidates));
            }
            if node.event < self.events.len() {
                self.advance(node);
            } else {
                self.is_cut = true;
            }
            if let Some((limit, _)) = self.context.findings.limit() {
                if matches!(limit, Limit::Memory(_) | Limit::Ended) {
                    return Searched::Cut;
                }
                self.context.findings.clear_cut();
                self.is_cut = true;
            }
            if self.context.work_done() > last {
                return Searched::Unfinished;
            }
        }
        if self.is_cut { Searched::Cut } else { Searched::Nothing(self.ended_with(Vec::new())) }
    }

    /// The judge at the end of the search with the states that are left; without any, at the first event that was not explained.
    fn ended_with(&mut self, candidates: Vec<Candidate>) -> Judge {
        let last = if candidates.is_empty() { self.explained } else { self.events.len().saturating_sub(1) };
        let line = self.events.get(last).map_or(0, |(line, _)| *line);
        let mut judge = Judge::with_left(self.context.clone(), candidates, line);
        judge.frontier.clean_died = judge.frontier.candidates.is_empty().then_some(line);
        judge
    }

    /// Goes on from a node: with its next section; if the node is new, past its event if that may be observed.
    fn advance(&mut self, mut node: SearchNode) {
        let (line, observation) = &self.events[node.event];
        self.context.event = *line;
        self.context.wire = self.wires[node.event].clone();
        self.context.work.begin(Followed::All, &self.context.options, &mut self.context.solver);
        let Some(mut left) = node.left.take() else { return self.look_at(node, observation) };
        let Some(next) = left.pop() else { return };
        let situation = node.candidates[0].process.situation();
        let (mut led, mut is_enough) = (Vec::new(), true);
        for candidate in &node.candidates {
            let mut own = tasks::successors_after(&mut self.context, self.composed, candidate, &situation, next);
            led.append(&mut own.states);
            is_enough &= own.is_enough;
        }
        let is_again = matches!(next, ServerSection::Move(ServerMove::Receive(at)) if self.has_read(&node, at));
        let history = self.after(&node, next);
        let event = node.event;
        if !is_enough && !left.is_empty() {
            self.push(SearchNode { left: Some(left), ..node });
        }
        let is_discrepancy =
            |one: &Candidate| self.order.is_discrepancy(is_again, || self.leads_on(&situation, one, observation));
        let (discrepancies, straight) = led.into_iter().partition(is_discrepancy);
        self.add_each(event, straight, &history);
        self.add_each(event, discrepancies, &history.with_discrepancies(1));
    }

    /// The history after a section that is run at a node.
    fn after(&self, node: &SearchNode, next: ServerSection) -> NodeHistory {
        let mut after = node.history.clone();
        if let ServerSection::Move(ServerMove::Receive(at)) = next
            && let Some(request) = self.request_at(node, at)
        {
            after.read.set(request, true);
        }
        after
    }

    /// Tests whether a section leads on: after it the observation can certainly be made, or, before a call, one more call can be seen.
    fn leads_on(&self, before: &Situation, after: &Candidate, observation: &Observation) -> bool {
        let network = self.composed.network;
        let situation = after.process.situation();
        match observation {
            Observation::Called(_) => situation.unseen_calls().count() > before.unseen_calls().count(),
            _ => {
                tasks::is_enough(self.composed, after, observation)
                    && moves::may_be_made(network, &situation, observation)
            }
        }
    }

    /// The number of the request at a place among the arrived ones, if requests can be read again.
    fn request_at(&self, node: &SearchNode, at: usize) -> Option<usize> {
        let (port, request) = node.candidates[0].process.arrived(at);
        self.requests.get(&(port, request.clone())).copied()
    }

    /// Tests whether the request at a place among the arrived ones was read before.
    fn has_read(&self, node: &SearchNode, at: usize) -> bool {
        self.request_at(node, at).is_some_and(|request| node.history.read.contains(request))
    }

    /// The node that is followed next.
    fn next_node(&mut self) -> Option<SearchNode> {
        let mut first = self.open.last_entry()?;
        let node = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        node
    }

    fn push(&mut self, node: SearchNode) {
        let priority = self.order.priority(node.event, node.history.discrepancies);
        self.open.entry(priority).or_default().push(node);
    }

    /// Makes the observation at a new node if that is possible, and lists the sections that may be run before it.
    fn look_at(&mut self, node: SearchNode, observation: &Observation) {
        let (event, network) = (node.event, self.composed.network);
        let (mut after, mut is_enough) = (Vec::new(), false);
        if moves::may_be_made(network, &node.candidates[0].process.situation(), observation) {
            is_enough = node.candidates.iter().all(|one| tasks::is_enough(self.composed, one, observation));
            after.push(node.candidates.clone());
        }
        let mut history = node.history.clone();
        if self.order.begins_anew(event >= self.explained) {
            history.discrepancies = 0;
        }
        if let Observation::Request(port, request) = observation
            && let Some(request) = self.requests.get(&(*port, request.clone()))
        {
            history.read.set(*request, false);
        }
        if !is_enough {
            self.list_sections(node, observation);
        }
        let last = after.len().saturating_sub(1);
        for (at, ready) in after.into_iter().enumerate() {
            self.context.wire = self.wires[event].clone();
            let after = tasks::observed(&mut self.context, self.composed, ready, observation);
            self.enter(event + 1, after, history.with_discrepancies(self.order.of_alternative(at == last)));
        }
    }

    /// Adds the state after a task that can be finished at once; if there is none, lists the sections of the node.
    fn list_sections(&mut self, mut node: SearchNode, observation: &Observation) {
        if let [only] = &node.candidates[..]
            && let Some(next) = tasks::finished_at_once(&mut self.context, self.composed, only)
        {
            return self.add_each(node.event, vec![next], &node.history);
        }
        let situation = node.candidates[0].process.situation();
        node.left = Some(self.sections(&node, &situation, observation));
        self.push(node);
    }

    /// The sections that may be run at a node, the one that is tried first last.
    fn sections(&self, node: &SearchNode, situation: &Situation, observation: &Observation) -> Vec<ServerSection> {
        let Composition { spec, network, .. } = self.composed;
        let mut all = moves::of(&spec.program, network, situation, observation);
        all.sort_by_cached_key(|next| Reverse(self.rank(node, next.port(situation), *next, observation)));
        all
    }

    /// The rank of a section: the lowest is tried first.
    fn rank(
        &self,
        node: &SearchNode,
        port: Option<Port>,
        next: ServerSection,
        observation: &Observation,
    ) -> (u8, usize) {
        let class = match next {
            ServerSection::Move(ServerMove::Step) => return (1, 0),
            ServerSection::Move(ServerMove::Receive(at)) if self.has_read(node, at) => 4,
            _ => 0,
        };
        let Some(port) = port else { return (0, node.event) };
        if observation.port() == Some(port) {
            return (class, node.event);
        }
        self.remaining.next(port, node.event).map_or((class.max(2), usize::MAX), |at| (class, at))
    }

    /// Adds the states before an event, after the one before it was observed.
    fn enter(&mut self, event: usize, mut candidates: Vec<Candidate>, history: NodeHistory) {
        if candidates.is_empty() {
            return;
        }
        if let Some((_, observation)) = self.events.get(event) {
            tasks::take_notice(&mut self.context, self.composed.spec, &mut candidates, observation);
        }
        if self.wires.len() == event {
            self.wires.push(self.context.wire.clone());
        }
        let Frontier { candidates, .. } = step::normalize(&mut self.context, Frontier::default(), candidates);
        if candidates.iter().any(Candidate::is_clean) {
            self.explained = self.explained.max(event);
        }
        self.add_each(event, candidates, &history);
    }

    /// Tests whether the requests that are there are too few for the answers that are seen from an event on.
    fn lacks_requests(&self, situation: &Situation, event: usize) -> bool {
        self.composed.counts_requests && self.remaining.are_too_many(situation, event)
    }

    /// Adds states before an event, as one node for each set of packets and tasks under way, unless visited nodes cover it.
    fn add_each(&mut self, event: usize, mut candidates: Vec<Candidate>, history: &NodeHistory) {
        forms::merge_equal(&mut candidates);
        let mut groups: Vec<(Situation, Vec<Candidate>)> = Vec::new();
        for candidate in candidates {
            let situation = candidate.process.situation();
            if self.lacks_requests(&situation, event) {
                continue;
            }
            let is_alike = |(other, group): &&mut (Situation, Vec<Candidate>)| {
                *other == situation
                    && !(self.composed.splits_by_fate && group[0].process.sent() != candidate.process.sent())
            };
            match groups.iter_mut().find(is_alike) {
                Some((_, group)) => group.push(candidate),
                None => groups.push((situation, vec![candidate])),
            }
        }
        if self.visited.len() <= event {
            self.visited.resize_with(event + 1, || VisitedStates::new(self.composed));
        }
        let last = groups.len().saturating_sub(1);
        for (at, (_, candidates)) in groups.into_iter().enumerate() {
            if self.visited[event].add(&mut self.context, &candidates) {
                let history = history.with_discrepancies(self.order.of_alternative(at == last));
                self.push(SearchNode { event, candidates, history, left: None });
            } else {
                self.context.counts.merges += 1;
            }
        }
    }
}
