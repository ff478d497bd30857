//! All runs, those with fewer choices first: breadth-first over beginnings that are replayed.
//!
//! A run repeats a beginning; where it asks for more, the program is told to end, and its alternatives are visited after
//! all beginnings of the same length. So the first failure found is the shortest one there is, at the price of a run for
//! each inner node and of memory for the nodes that are waiting.
//!
//! ```
//! use mayhap::choice::{BreadthFirst, explore};
//! let mut lengths = Vec::new();
//! explore(BreadthFirst::new(), |c| {
//!     let length = (0..3).take_while(|_| c.choose("more", 2) == 0).count();
//!     lengths.push(length);
//! });
//! assert_eq!(lengths, [0, 1, 3, 2]);
//! ```

use super::error::differs;
use super::label::same;
use super::{ChoiceError, Choices, Coverage, Label, Step, Strategy};
use std::collections::VecDeque;

/// The number of branch points that a search holds; what lies behind more is cut, and counted.
pub const MAX_HELD: usize = 1 << 24;

/// Enumerates the runs of a program in the order of their lengths, those of one length in lexicographic order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BreadthFirst {
    /// The branch points that were taken, each with the one before it.
    nodes: Vec<(Option<usize>, Step)>,
    /// Branch points with alternatives left: the node before it, and the next step.
    waiting: VecDeque<(Option<usize>, Step)>,
    /// The beginning at hand, its last step not among the nodes yet, and the node before that.
    run: Vec<Step>,
    before: Option<usize>,
    position: usize,
    done: bool,
}

impl BreadthFirst {
    /// Stands before the first run.
    #[must_use]
    pub fn new() -> BreadthFirst {
        BreadthFirst::default()
    }

    fn postpone(&mut self, label: Label, arity: usize) -> ChoiceError {
        if self.nodes.len() + self.waiting.len() >= MAX_HELD {
            return ChoiceError::Cut { label, bound: MAX_HELD };
        }
        let node = self.run.last().map(|last| {
            self.nodes.push((self.before, *last));
            self.nodes.len() - 1
        });
        self.waiting.push_back((node, Step { label, arity, pick: 0 }));
        ChoiceError::Postponed { label }
    }

    fn take_next(&mut self) -> bool {
        let Some((before, step)) = self.waiting.pop_front() else { return false };
        if step.pick + 1 < step.arity {
            self.waiting.push_front((before, Step { pick: step.pick + 1, ..step }));
        }
        self.run.clear();
        self.run.push(step);
        let mut at = before;
        while let Some((earlier, step)) = at.map(|node| self.nodes[node]) {
            self.run.push(step);
            at = earlier;
        }
        self.run.reverse();
        self.before = before;
        true
    }
}

impl Choices for BreadthFirst {
    fn branch(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        match self.run.get(self.position) {
            None => Err(self.postpone(label, arity)),
            Some(step) if same(step.label, label) && step.arity == arity => {
                self.position += 1;
                Ok(step.pick)
            }
            Some(step) => Err(differs(self.position, (step.label, step.arity), (label, arity))),
        }
    }
}

impl Strategy for BreadthFirst {
    fn run(&self) -> &[Step] {
        &self.run[..self.position]
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        if let Some(step) = self.run.get(self.position) {
            return Err(ChoiceError::Unused { label: step.label, left: self.run.len() - self.position });
        }
        self.position = 0;
        self.done = !self.take_next();
        Ok(!self.done)
    }

    fn restart(&mut self) {
        self.position = 0;
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn coverage(&self) -> Coverage {
        Coverage::All
    }

    /// Gives away nothing: the beginnings that are waiting are in one order, which several searches would not keep.
    fn split(&mut self) -> Option<BreadthFirst> {
        None
    }
}
