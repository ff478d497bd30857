//! The path that recorded requests took.
//!
//! ```text
//! Put, Get, answered 304     [[on Put, else], [on Get, if]]
//! ```

use std::collections::BTreeSet;

use super::graph::{BranchNumbers, HandlerGraph};
use crate::coverage::{EFFORT, trail};
use crate::judge::{Exchange, Inspected, Judge, Options};

impl HandlerGraph {
    /// The path that these requests took from the initial state; none if it is not known, as explanations of the answers took several.
    #[must_use]
    pub fn taken_by(&self, exchanges: &[Exchange]) -> Option<BranchNumbers> {
        let options = Options { inspected: Inspected::Memory, effort: EFFORT, ..Options::default() };
        let (mut judge, mut path) = (Judge::new(self.trail.spec.clone(), options), Vec::new());
        for exchange in exchanges {
            if !judge.observe(exchange) || judge.is_cut() {
                return None;
            }
            let memories =
                judge.candidates().iter().filter_map(|candidate| candidate.process.memory.get(self.trail.slot));
            let mut trails: BTreeSet<Vec<usize>> = memories.map(trail).collect();
            let known = trails.pop_first().filter(|known| !known.is_empty() && trails.is_empty())?;
            path.push(known);
        }
        Some(path)
    }
}
