//! Branch coverage: the branches of a specification that the explanations of a run took.
//!
//! ```
//! use mayhap::{Exchange, Spec};
//! use mayhap::coverage::SpecCoverage;
//! let text = "protocol p { request int; response bool; on q { if q > 3 { reply true; } reply false; } }";
//! let spec = Spec::from_text(text)?;
//! let mut coverage = SpecCoverage::new(&spec);
//! let news = coverage.observe_run(&[Exchange::of(&spec, &5, &true)?]);
//! assert_eq!((news.branches.len(), coverage.covered(), coverage.branches().len()), (2, 2, 3));
//! assert_eq!(coverage.never().map(|branch| branch.line).collect::<Vec<_>>(), [1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A request has taken a branch if an explanation that is left after its answer took the branch. Of a run over a network whose requests
//! have no order of service, the branches of one explanation of the whole run are counted.

mod instrument;
mod replies;
mod sharp;
mod taken;
mod ways;

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use instrument::BranchKind;
pub use sharp::Sharpness;

use crate::diagnostic::Span;
use crate::judge::{Exchange, Inspected, Judge, Options, RecordedEvent, judge_within};
use crate::limits::end;
use crate::network::{NetworkChoice, Observation};
use crate::spec::{Code, Spec};
use crate::syntax::ast::NodeId;
use crate::value::Value;
use instrument::{BranchSpans, InstrumentedSpec, NotedBranches, instrumented};
pub(crate) use replies::Replies;
use taken::taken;
pub(crate) use taken::{noted, trail};
use ways::HandlerWays;

/// The work that judging one exchange may take; coverage skips an exchange that takes more.
pub(crate) const EFFORT: u64 = 1_000_000;
/// The share of the work on a run over a network, one in N, that one of its events may take.
const NETWORK_SHARE: u64 = 20;

/// A branch of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecBranch {
    /// Its kind.
    pub kind: BranchKind,
    /// The name of its file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
    /// The byte range of its head in the file; the head is a condition, a pattern or the beginning of a handler.
    pub span: (u32, u32),
    /// The offset after its body.
    pub end: u32,
    /// The number of requests that took it.
    pub taken: u64,
}

impl SpecBranch {
    fn of(spec: &Spec, BranchSpans { kind, head, whole }: &BranchSpans) -> SpecBranch {
        let (line, column) = spec.sources.line_column(*head);
        SpecBranch {
            kind: *kind,
            file: spec.sources.name(head.file).to_owned(),
            line,
            column,
            span: (head.start, head.end),
            end: whole.end,
            taken: 0,
        }
    }
}

/// A statement of a specification that answers a request.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SpecReply {
    /// The number of the variant of the answer.
    pub variant: u32,
    /// The name of its file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Set if every way to it takes a branch that was seldom taken.
    pub in_seldom_branches: bool,
}

/// The coverage of a specification by runs.
pub struct SpecCoverage {
    spec: Arc<Spec>,
    /// The specification that notes the branches of each request; none if tasks yield or call peers.
    instrumented: Option<InstrumentedSpec>,
    /// The specification that notes the branches of a whole run over a network, once it is made.
    over_networks: OnceCell<Option<InstrumentedSpec>>,
    branches: Vec<SpecBranch>,
    /// The pairs of last branches of consecutive requests, with the number of times that each occurred.
    pairs: FxHashMap<(u32, u32), u64>,
    /// A flag for each branch: true if a request ended with it.
    is_last: Vec<bool>,
    sharpness: Sharpness,
    /// The ways through the handlers, once they are asked for.
    ways: OnceCell<Option<HandlerWays>>,
}

/// The branches and pairs that a run was the first to cover.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CoverageNews {
    /// The branches, each with the index of the exchange in the run and the number of the branch.
    pub branches: Vec<(usize, usize)>,
    /// The pairs of branches, each with the index of the second exchange.
    pub pairs: Vec<(usize, (usize, usize))>,
    /// Set if the branches of all exchanges of the run were noted.
    pub is_whole: bool,
}

impl SpecCoverage {
    /// The coverage of a specification before any run.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> SpecCoverage {
        let (each, over_networks) = match noted_of(spec) {
            NotedBranches::LastRequest => (instrumented(spec, NotedBranches::LastRequest), OnceCell::new()),
            noted => (None, OnceCell::from(instrumented(spec, noted))),
        };
        let whole = over_networks.get().into_iter().flatten();
        let made = each.iter().chain(whole).flat_map(|instrumented| &instrumented.branches);
        let branches: Vec<SpecBranch> = made.map(|branch| SpecBranch::of(spec, branch)).collect();
        let is_last = vec![false; branches.len()];
        let (pairs, sharpness) = (FxHashMap::default(), Sharpness::default());
        let (spec, ways) = (spec.clone(), OnceCell::new());
        SpecCoverage { spec, instrumented: each, over_networks, branches, pairs, is_last, sharpness, ways }
    }

    fn ways(&self) -> Option<&HandlerWays> {
        self.ways.get_or_init(|| HandlerWays::of(&self.spec)).as_ref()
    }

    /// Tests whether a request that gets this answer (`None`: any answer, or none) may take a branch that was taken less than `wanted`
    /// times.
    #[must_use]
    pub fn may_bring(&self, request: &Value, answer: Option<&Value>, wanted: u64) -> bool {
        let is_wanted = |branch: usize| self.branches.get(branch).is_none_or(|branch| branch.taken < wanted);
        match self.ways() {
            Some(ways) => ways.branches(request, answer).iter().any(|branch| is_wanted(*branch)),
            None => true,
        }
    }

    /// The statements by which a handler may answer this request. Those that may give answers of several variants are left out. A
    /// branch is seldom taken if it was taken less than `few` times.
    #[must_use]
    pub fn replies(&self, request: &Value, few: u64) -> Vec<SpecReply> {
        let is_seldom = |branch: usize| self.branches.get(branch).is_some_and(|branch| branch.taken < few);
        let reply = |(variant, span, is_open): (u32, Span, bool)| SpecReply {
            variant,
            file: self.spec.sources.name(span.file).to_owned(),
            line: self.spec.sources.line_column(span).0,
            in_seldom_branches: !is_open,
        };
        self.ways().map_or_else(Vec::new, |ways| ways.replies(request, &is_seldom).into_iter().map(reply).collect())
    }

    /// Tests whether the branches of each request can be noted: no task yields or calls peers.
    #[must_use]
    pub fn notes_requests(&self) -> bool {
        self.instrumented.is_some()
    }

    /// Adds the exchanges of a run, in an order of service that explains them, up to the first one without an explanation.
    pub fn observe_run(&mut self, exchanges: &[Exchange]) -> CoverageNews {
        self.observe(exchanges, true)
    }

    /// Adds the exchanges of a run as [`SpecCoverage::observe_run`] does, up to the last one that may take a branch that was taken less than
    /// `wanted` times; no answer is examined for sharpness. Returns whether all of these were explained.
    pub fn observe_wanted(&mut self, exchanges: &[Exchange], wanted: u64) -> bool {
        let is_wanted = |exchange: &Exchange| {
            !exchange.is_restart() && self.may_bring(&exchange.request, exchange.observed.answer(), wanted)
        };
        let Some(last) = exchanges.iter().rposition(is_wanted) else { return true };
        self.observe(&exchanges[..=last], false).is_whole
    }

    fn observe(&mut self, exchanges: &[Exchange], is_examined: bool) -> CoverageNews {
        let mut news = CoverageNews::default();
        let Some(InstrumentedSpec { spec, slot, .. }) = &self.instrumented else { return news };
        let (slot, options) = (*slot, Options { inspected: Inspected::Memory, effort: EFFORT, ..Options::default() });
        let mut judge = Judge::new(spec.clone(), options);
        let mut before = None;
        for (at, exchange) in exchanges.iter().enumerate() {
            if end::is_over() {
                return news;
            }
            if is_examined && !exchange.is_restart() {
                self.sharpness.observe(&judge, exchange);
            }
            if !judge.observe(exchange) || judge.is_cut() {
                return news;
            }
            if exchange.is_restart() {
                before = None;
                continue;
            }
            let taken = taken(judge.candidates(), slot);
            before = self.take(at, &taken, before, &mut news);
        }
        news.is_whole = true;
        news
    }

    /// Adds the observations of a run over a network, if they are explained within the limits; returns whether they are. Pairs of branches
    /// are not counted, as requests overlap. Answers are examined for sharpness if `is_examined` is set.
    pub fn observe_recorded(&mut self, net: NetworkChoice, events: &[RecordedEvent], is_examined: bool) -> bool {
        let network = net.network();
        let options = Options { inspected: Inspected::Memory, effort: EFFORT / NETWORK_SHARE, ..Options::default() };
        let noting = self.over_networks.get_or_init(|| instrumented(&self.spec, NotedBranches::Run));
        let mut is_explained = false;
        if let Some(InstrumentedSpec { spec, slot, .. }) = noting {
            let judge = judge_within(spec, &*network, events, EFFORT, &options);
            is_explained = judge.verdict().is_accept();
            let taken = taken(judge.candidates(), *slot).into_iter().filter(|_| is_explained);
            for branch in taken {
                self.branches.get_mut(branch).into_iter().for_each(|branch| branch.taken += 1);
            }
        }
        let mut judge = Judge::new(self.spec.for_networks(), options);
        for (line, observation) in events.iter().filter(|_| is_examined) {
            if let Observation::Answer(port, Some(answer)) = observation {
                self.sharpness.observe_over(&judge, &*network, (*port, answer));
            }
            if !judge.observe_over(&*network, *line, observation) || judge.is_cut() || judge.work_done() > EFFORT {
                break;
            }
        }
        is_explained
    }

    /// Adds the branches of a request, and returns the last one.
    pub(crate) fn take(
        &mut self,
        at: usize,
        taken: &[usize],
        before: Option<usize>,
        news: &mut CoverageNews,
    ) -> Option<usize> {
        for &branch in taken {
            let Some(known) = self.branches.get_mut(branch) else { continue };
            known.taken += 1;
            if known.taken == 1 {
                news.branches.push((at, branch));
            }
        }
        let last = taken.iter().copied().max().filter(|last| *last < self.branches.len())?;
        self.is_last[last] = true;
        if let Some(before) = before {
            let count = self.pairs.entry((before as u32, last as u32)).or_default();
            *count += 1;
            if *count == 1 {
                news.pairs.push((at, (before, last)));
            }
        }
        Some(last)
    }

    /// All branches, in the order of the text.
    #[must_use]
    pub fn branches(&self) -> &[SpecBranch] {
        &self.branches
    }

    /// The number of branches that were taken.
    #[must_use]
    pub fn covered(&self) -> usize {
        self.branches.iter().filter(|branch| branch.taken > 0).count()
    }

    /// The number of times that each branch was taken, of each no more than `wanted`.
    #[must_use]
    pub fn taken_of(&self, wanted: u64) -> u64 {
        self.branches.iter().map(|branch| branch.taken.min(wanted)).sum()
    }

    /// The branches that no request took.
    pub fn never(&self) -> impl Iterator<Item = &SpecBranch> {
        self.branches.iter().filter(|branch| branch.taken == 0)
    }

    /// The number of covered pairs of last branches of consecutive requests, and the number of all pairs of branches with which a request
    /// ended.
    #[must_use]
    pub fn pairs(&self) -> (usize, usize) {
        let last = self.is_last.iter().filter(|is_last| **is_last).count();
        (self.pairs.len(), last * last)
    }

    /// The share of answers that were forced.
    #[must_use]
    pub fn sharpness(&self) -> Sharpness {
        self.sharpness
    }

    /// The instrumented specification, and the slot of the variable that notes its branches.
    pub(crate) fn noting(&self) -> Option<(&Arc<Spec>, usize)> {
        self.instrumented.as_ref().map(|instrumented| (&instrumented.spec, instrumented.slot))
    }
}

/// The specification that notes the branches of its requests, and the slot of the variable that has their numbers; `None` if they cannot
/// be noted. If tasks wait for each other, the variable has the branches of all requests.
pub(crate) fn noting(spec: &Arc<Spec>) -> Option<(Arc<Spec>, usize)> {
    instrumented(spec, noted_of(spec)).map(|noting| (noting.spec, noting.slot))
}

/// A specification that notes the branches of its last request in their order.
pub(crate) struct TrailSpec {
    pub spec: Arc<Spec>,
    /// The slot of the variable with the trail, which [`trail`] reads.
    pub slot: usize,
    /// The branches, by number.
    pub branches: Vec<SpecBranch>,
    marks: Vec<std::ops::Range<u32>>,
}

impl TrailSpec {
    /// The specification, compiled without passes; none if its branches cannot be noted.
    pub fn of(spec: &Spec) -> Option<TrailSpec> {
        let InstrumentedSpec { spec: noting, branches, slot, marks } =
            instrument::instrumented_as(spec, NotedBranches::Trail, Code::Plain)?;
        let branches = branches.iter().map(|branch| SpecBranch::of(spec, branch)).collect();
        Some(TrailSpec { spec: noting, slot, branches, marks })
    }

    /// The branch that a node notes.
    pub fn branch(&self, node: NodeId) -> Option<usize> {
        ways::branch(&self.marks, node)
    }
}

/// The branches that can be noted: those of each request, or of whole runs if tasks wait for each other.
fn noted_of(spec: &Arc<Spec>) -> NotedBranches {
    let is_serial = !spec.for_networks().program.is_asynchronous();
    if is_serial { NotedBranches::LastRequest } else { NotedBranches::Run }
}
