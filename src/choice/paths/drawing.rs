//! CountedPaths of paths, each with the same probability among those that are left.

use num_bigint::BigUint;

use super::count::{Count, CountTable};
use super::graph::{FlowGraph, NoPaths};
use super::remaining::{DrawnPath, Remaining};
use crate::Random;

/// The paths of a graph, from which paths are drawn and taken away.
///
/// A path is the list of the numbers of its edges, each among the edges that leave its vertex. If edges leave the end, a path that ends
/// there has one more step: the number of these edges. So no path is the beginning of another one.
pub struct PathDrawing(CountedPaths);

enum CountedPaths {
    /// All counts fit.
    Narrow(Remaining<u128>),
    Wide(Remaining<BigUint>),
}

/// Calls a method of the drawing, whatever its counts are.
macro_rules! of {
    ($drawing:expr, $remaining:ident => $result:expr) => {
        match $drawing {
            CountedPaths::Narrow($remaining) => $result,
            CountedPaths::Wide($remaining) => $result,
        }
    };
}

impl PathDrawing {
    /// All paths from the entry to the end that have at most this number of edges. Without a bound, the graph must have no cycle.
    ///
    /// # Errors
    /// There is no path, or there are too many lengths to count.
    pub fn new(graph: FlowGraph, bound: Option<usize>) -> Result<PathDrawing, NoPaths> {
        if let Some(table) = CountTable::new(&graph, bound)? {
            return Ok(PathDrawing(CountedPaths::Narrow(Remaining::all(table))));
        }
        let table = CountTable::new(&graph, bound)?.expect("an integer of any size has room for a sum");
        Ok(PathDrawing(CountedPaths::Wide(Remaining::all(table))))
    }

    /// The number of all paths.
    #[must_use]
    pub fn total(&self) -> BigUint {
        of!(&self.0, remaining => remaining.total().big())
    }

    /// The number of paths that were not taken away.
    #[must_use]
    pub fn left(&self) -> BigUint {
        of!(&self.0, remaining => remaining.left().big())
    }

    /// Draws one of the paths that are left, each with the same probability; `None` if there is none.
    pub fn draw(&self, random: &mut Random) -> Option<DrawnPath> {
        of!(&self.0, remaining => remaining.draw(random))
    }

    /// Takes away all paths that begin with these steps: an infeasible beginning, or a path that was drawn. Returns how many paths this
    /// takes away.
    pub fn forbid(&mut self, beginning: &[usize]) -> BigUint {
        of!(&mut self.0, remaining => remaining.forbid(beginning).big())
    }
}
