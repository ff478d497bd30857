//! The paths that are left: the table of all paths, with a trie of the beginnings of those that were taken away.
//!
//! ```text
//! table: 3 paths from the entry, 1 by edge 0, 2 by edge 1
//! forbid [1, 0]      trie: () 2 left ─1─▶ 1 left ─0─▶ 0 left
//! ```
//!
//! The number of a node is the sum over its choices: of the number of its child, or, without a child, of the count in the table. So what is
//! forbidden on one path changes nothing for other paths through the same vertex. A node with the number 0 has no children: nothing is
//! drawn there any more.

use smallvec::SmallVec;

use super::count::{Count, CountPlace, CountTable, PathChoice};
use crate::Random;

/// The beginning of all paths.
const ROOT: usize = 0;

/// A path that was drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnPath {
    /// Its steps.
    pub steps: Vec<usize>,
    /// The number of its first steps with which a path began that was taken away.
    pub known: usize,
}

/// A beginning of paths, some of which were taken away.
struct PathBeginning<N> {
    left: N,
    /// The longer beginnings, by their last step.
    longer: SmallVec<[(usize, usize); 2]>,
}

impl<N> PathBeginning<N> {
    fn child(&self, step: usize) -> Option<usize> {
        self.longer.iter().find(|(by, _)| *by == step).map(|(_, child)| *child)
    }
}

/// The paths of a graph without those that were taken away.
pub(super) struct Remaining<N> {
    table: CountTable<N>,
    beginnings: Vec<PathBeginning<N>>,
}

impl<N: Count> Remaining<N> {
    pub fn all(table: CountTable<N>) -> Remaining<N> {
        let root = PathBeginning { left: table.count(Some(table.start())).clone(), longer: SmallVec::new() };
        Remaining { table, beginnings: vec![root] }
    }

    /// The number of all paths.
    pub fn total(&self) -> &N {
        self.table.count(Some(self.table.start()))
    }

    /// The number of paths that are left.
    pub fn left(&self) -> &N {
        &self.beginnings[ROOT].left
    }

    /// Draws one of the paths that are left: the one whose place in their order is a random number.
    pub fn draw(&self, random: &mut Random) -> Option<DrawnPath> {
        let left = self.left();
        if left.is_zero() {
            return None;
        }
        let mut rank = left.drawn_below(random);
        let mut path = DrawnPath { steps: Vec::new(), known: 0 };
        let (mut place, mut beginning) = (Some(self.table.start()), ROOT);
        while let Some(at) = place {
            let node = &self.beginnings[beginning];
            let child = |step| node.child(step);
            let of = |(step, next): PathChoice| {
                child(step).map_or(self.table.count(next), |child| &self.beginnings[child].left)
            };
            let Some((step, next)) = self.ranked(at, &mut rank, of) else { return Some(path) };
            path.steps.push(step);
            place = next;
            let Some(child) = child(step) else { break };
            (path.known, beginning) = (path.steps.len(), child);
        }
        while let Some(at) = place {
            let Some((step, next)) = self.ranked(at, &mut rank, |(_, next)| self.table.count(next)) else { break };
            path.steps.push(step);
            place = next;
        }
        Some(path)
    }

    /// The choice at a place to which a rank belongs; the rank becomes the one among the paths of this choice.
    fn ranked<'n>(&'n self, at: CountPlace, rank: &mut N, count: impl Fn(PathChoice) -> &'n N) -> Option<PathChoice> {
        self.table.choices(at).find(|choice| {
            let count = count(*choice);
            let is_here = *rank < *count;
            if !is_here {
                *rank -= count;
            }
            is_here
        })
    }

    /// Takes away all paths that begin with these steps; returns their number. Steps that no path takes take nothing away.
    pub fn forbid(&mut self, steps: &[usize]) -> N {
        let mut way = vec![ROOT];
        let mut place = Some(self.table.start());
        for &step in steps {
            let Some(next) = place.and_then(|at| self.table.choices(at).find(|choice| choice.0 == step)) else {
                return N::zero();
            };
            place = next.1;
            way.push(self.longer(way[way.len() - 1], next));
        }
        let taken = self.beginnings[way[steps.len()]].left.clone();
        way.iter().for_each(|node| self.beginnings[*node].left -= &taken);
        if let Some(dead) = way.into_iter().find(|node| self.beginnings[*node].left.is_zero()) {
            self.beginnings[dead].longer = SmallVec::new();
        }
        taken
    }

    /// The beginning that is longer by a choice. Where nothing is left, nothing is added.
    fn longer(&mut self, beginning: usize, (step, next): PathChoice) -> usize {
        let node = &self.beginnings[beginning];
        if node.left.is_zero() {
            return beginning;
        }
        if let Some(child) = node.child(step) {
            return child;
        }
        let child = self.beginnings.len();
        self.beginnings[beginning].longer.push((step, child));
        self.beginnings.push(PathBeginning { left: self.table.count(next).clone(), longer: SmallVec::new() });
        child
    }
}
