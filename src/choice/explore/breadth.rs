//! All runs, in the order of their lengths: breadth-first search over replayed beginnings.
//!
//! A run repeats a beginning. If the program asks for one more choice, the run ends, and the alternatives of this choice are visited after
//! all beginnings of the same length. So the first failure that is found is a shortest one. The price is a run for each inner node, and
//! memory for the waiting nodes. The search cannot be split, as several searches would not keep the order of the waiting nodes.
//!
//! ```
//! use mayhap_choice::{BreadthFirst, explore};
//! let mut lengths = Vec::new();
//! explore(BreadthFirst::new(), |c| {
//!     let length = (0..3).take_while(|_| c.choose("more", 2) == 0).count();
//!     lengths.push(length);
//! });
//! assert_eq!(lengths, [0, 1, 3, 2]);
//! ```

use crate::replay::{recorded, used};
use crate::{ChoiceError, Choices, Label, Step, Strategy};
use std::collections::VecDeque;

/// The largest number of branch points that a search holds, which bounds the memory; deeper runs are cut and counted.
const MAX_HELD: usize = 1 << 24;

/// The enumeration of the runs of a program by length, and those of one length in lexicographic order.
///
/// ```text
///   nodes     0: a = 0     1: a = 1         `a` is asked first, then `c` after 0 and `b` after 1
///   run       a = 0, c = 0                  `before` is node 0
///   waiting   (0, c = 1), (1, b = 0)
/// ```
///
/// Invariants:
/// 1. The parent of a node has a lower number, so that following parents ends.
/// 2. `run` is empty at first; later it has the steps of the nodes from the root to `before`, and one more step.
/// 3. `position` is at most the length of `run`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BreadthFirst {
    /// The branch points that were taken, each with its parent.
    nodes: Vec<(Option<usize>, Step)>,
    /// The branch points with alternatives left: the parent, and the next step.
    waiting: VecDeque<(Option<usize>, Step)>,
    /// The present beginning; its last step has no node yet, and `before` is the node of the step before it.
    run: Vec<Step>,
    before: Option<usize>,
    position: usize,
    done: bool,
}

impl BreadthFirst {
    /// The search before its first run.
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
    fn branch(&mut self, label: Label, arity: usize, _: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let pick = recorded(&self.run, self.position, label, arity)?.ok_or_else(|| self.postpone(label, arity))?;
        self.position += 1;
        Ok(pick)
    }
}

impl Strategy for BreadthFirst {
    fn run(&self) -> &[Step] {
        &self.run[..self.position]
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        used(&self.run, self.position)?;
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
}
