//! The paths that the first requests of runs took: the branches of each request, in their order.
//!
//! ```text
//! Put, Get, answered 304     [[on Put, else], [on Get, if]]
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{EFFORT, TrailSpec, trail};
use crate::judge::{Exchange, Inspected, Judge, Options};
use crate::spec::Spec;
use crate::value::Value;

/// The numbers of the branches that each request of a path takes.
pub type BranchNumbers = Vec<Vec<usize>>;

/// The paths that the first requests of runs took.
pub struct FirstPaths {
    trail: TrailSpec,
    taken: BTreeSet<BranchNumbers>,
}

impl FirstPaths {
    /// No paths yet; none if the branches of the specification cannot be noted.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> Option<FirstPaths> {
        Some(FirstPaths { trail: TrailSpec::of(spec)?, taken: BTreeSet::new() })
    }

    /// Adds the path of the first requests of a run, if all explanations of their answers took the same one.
    pub fn observe(&mut self, exchanges: &[Exchange]) {
        let TrailSpec { spec, slot, .. } = &self.trail;
        let options = Options { inspected: Inspected::Memory, effort: EFFORT, ..Options::default() };
        let (mut judge, mut path) = (Judge::new(spec.clone(), options), Vec::new());
        for exchange in exchanges {
            if !judge.observe(exchange) || judge.is_cut() {
                return;
            }
            let memories = judge.candidates().iter().filter_map(|candidate| candidate.process.memory.get(*slot));
            let trails: BTreeSet<Vec<usize>> = memories.map(|noted: &Value| trail(noted)).collect();
            match trails.into_iter().collect::<Vec<_>>().as_mut_slice() {
                [known] if !known.is_empty() => path.push(std::mem::take(known)),
                _ => return,
            }
        }
        self.taken.insert(path);
    }

    /// The paths.
    #[must_use]
    pub fn taken(&self) -> &BTreeSet<BranchNumbers> {
        &self.taken
    }
}
