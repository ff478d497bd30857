//! Ways through handlers: the branches that a request may take if it gets a certain answer, and the statements that may answer it.
//!
//! ```text
//! on Get { key } { if key in data { reply Found(data[key]); } reply Missing; }      Get, answered Missing: never the `if`, but its other side
//! ```
//!
//! These are facts about the code, so that a run is looked at only if a request of it may have taken a branch that matters. The code is
//! compiled without passes: each statement that notes a branch is there as it was written.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::instrument::{InstrumentedSpec, NotedBranches, instrumented_as};
use crate::diagnostic::Span;
use crate::spec::analysis::pure::RequestFacts;
use crate::spec::{Code, Spec};
use crate::syntax::ast::NodeId;
use crate::value::Value;

/// The variants of a request and of its answer; `None` stands for any.
type Exchanged = (Option<u32>, Option<u32>);

/// The ways through the handlers of a specification.
pub(super) struct HandlerWays {
    noting: InstrumentedSpec,
    /// The branches that may be taken, for each request and answer that was asked for.
    branches: RefCell<FxHashMap<Exchanged, Arc<[usize]>>>,
}

impl HandlerWays {
    /// The ways of a specification; none if it cannot be instrumented.
    pub(super) fn of(spec: &Spec) -> Option<HandlerWays> {
        let noting = instrumented_as(spec, NotedBranches::Run, Code::Plain)?;
        Some(HandlerWays { noting, branches: RefCell::default() })
    }

    /// The numbers of the branches that a request may take if it gets this answer (`None`: any answer, or none).
    pub(super) fn branches(&self, request: &Value, answer: Option<&Value>) -> Arc<[usize]> {
        let [asked, given] = [Some(request), answer].map(|value| value.and_then(variant));
        if let Some(known) = self.branches.borrow().get(&(asked, given)) {
            return known.clone();
        }
        let InstrumentedSpec { spec, marks, .. } = &self.noting;
        let passed = RequestFacts::new(&spec.program).passed(request, answer.filter(|_| given.is_some()));
        let taken: BTreeSet<usize> = passed.iter().filter_map(|node| branch(marks, *node)).collect();
        let branches: Arc<[usize]> = taken.into_iter().collect();
        self.branches.borrow_mut().insert((asked, given), branches.clone());
        branches
    }

    /// The places of the statements by which a handler may answer this request, each with the variant of its answer, and whether there is a
    /// way to it that takes no branch to be avoided.
    pub(super) fn replies(&self, request: &Value, is_avoided: &dyn Fn(usize) -> bool) -> Vec<(u32, Span, bool)> {
        let InstrumentedSpec { spec, marks, .. } = &self.noting;
        let facts = RequestFacts::new(&spec.program);
        let other = facts.replies(request, &|node| branch(marks, node).is_some_and(is_avoided));
        let replies = facts.replies(request, &|_| false);
        replies.into_iter().map(|(tag, node)| (tag, spec.span(node), other.contains(&(tag, node)))).collect()
    }
}

/// The branch that a node notes; the nodes of each mark come before those of the next one.
pub(super) fn branch(marks: &[Range<u32>], NodeId(node): NodeId) -> Option<usize> {
    let at = marks.partition_point(|mark| mark.end <= node);
    marks.get(at).is_some_and(|mark| mark.contains(&node)).then_some(at)
}

fn variant(value: &Value) -> Option<u32> {
    if let Value::Data { tag, .. } = value { Some(*tag) } else { None }
}
