//! Exact counts of paths, and the table of the paths from each vertex to the end.
//!
//! Counts are integers: at 2^61 a float cannot tell a number from the next one, so that taking away single paths would be lost.

use num_bigint::BigUint;
use num_traits::{CheckedAdd, One, Zero};
use std::ops::{AddAssign, SubAssign};

use super::graph::{FlowGraph, NoPaths};
use crate::Random;

/// The most counts that a table has, and the most bytes of them.
const COUNTS: usize = 1 << 26;
const BYTES: u64 = 1 << 30;

/// A number of paths.
pub(super) trait Count:
    Clone + Ord + Zero + One + CheckedAdd + for<'a> AddAssign<&'a Self> + for<'a> SubAssign<&'a Self>
{
    /// A number below this one, which is positive; each is equally likely.
    fn drawn_below(&self, random: &mut Random) -> Self;

    fn big(&self) -> BigUint;

    /// The memory that it takes.
    fn bytes(&self) -> u64;
}

impl Count for u128 {
    fn drawn_below(&self, random: &mut Random) -> u128 {
        match u64::try_from(*self) {
            Ok(bound) => u128::from(random.below(bound)),
            Err(_) => random.below_wide(*self),
        }
    }

    fn big(&self) -> BigUint {
        BigUint::from(*self)
    }

    fn bytes(&self) -> u64 {
        16
    }
}

impl Count for BigUint {
    fn drawn_below(&self, random: &mut Random) -> BigUint {
        let digits = self.bits().div_ceil(64);
        loop {
            let drawn = (0..digits).flat_map(|_| {
                let bits = random.next_u64();
                [bits as u32, (bits >> 32) as u32]
            });
            let drawn = BigUint::new(drawn.collect()) >> (digits * 64 - self.bits());
            if drawn < *self {
                return drawn;
            }
        }
    }

    fn big(&self) -> BigUint {
        self.clone()
    }

    fn bytes(&self) -> u64 {
        24 + self.bits() / 8
    }
}

/// A place on a path: a vertex, and the number of edges that may follow.
#[derive(Clone, Copy)]
pub(super) struct CountPlace {
    pub vertex: usize,
    /// The first count of the row for this number of edges.
    row: usize,
}

/// A choice at a place: the number of an edge and where it leads, or the number after those of all edges, by which the path ends.
pub(super) type PathChoice = (usize, Option<CountPlace>);

/// The numbers of paths from each place to the end.
pub(super) struct CountTable<N> {
    pub graph: FlowGraph,
    /// A row for each number of edges that may follow, from 0; only one if the graph has no cycle and there is no bound.
    counts: Vec<N>,
    /// The distance of the rows.
    row_length: usize,
    bound: usize,
    pub one: N,
}

impl<N: Count> CountTable<N> {
    /// The table of a graph whose paths have at most this number of edges; `Ok(None)` if a count is too large for its type.
    pub fn new(graph: &FlowGraph, bound: Option<usize>) -> Result<Option<CountTable<N>>, NoPaths> {
        let shortest = graph.shortest().ok_or(NoPaths::EndUnreachable)?;
        let vertices = graph.vertices();
        let (row_length, rows, order) = match bound {
            Some(bound) if bound < shortest => return Err(NoPaths::BoundTooSmall { bound, shortest }),
            Some(bound) => (vertices, bound.saturating_add(1), (0..vertices).collect()),
            None => (0, 1, graph.last_first().ok_or(NoPaths::Endless)?),
        };
        let size = rows.checked_mul(vertices).filter(|size| *size <= COUNTS);
        let size = size.ok_or(NoPaths::BoundTooLarge { bound: rows - 1 })?;
        let mut table = CountTable {
            graph: graph.clone(),
            counts: vec![N::zero(); size],
            row_length,
            bound: rows - 1,
            one: N::one(),
        };
        let mut bytes = 0;
        for row in 0..rows {
            for &vertex in &order {
                let place = CountPlace { vertex, row: row * vertices };
                let mut sum = N::zero();
                for (_, next) in table.choices(place) {
                    let Some(larger) = sum.checked_add(table.count(next)) else { return Ok(None) };
                    sum = larger;
                }
                bytes += sum.bytes();
                if bytes > BYTES {
                    return Err(NoPaths::BoundTooLarge { bound: rows - 1 });
                }
                let is_last = vertex == graph.end() && graph.targets(vertex).is_empty();
                table.counts[place.row + vertex] = if is_last { N::one() } else { sum };
            }
        }
        Ok(Some(table))
    }

    /// The place at which all paths begin.
    pub fn start(&self) -> CountPlace {
        CountPlace { vertex: self.graph.entry(), row: self.bound * self.row_length }
    }

    /// The number of paths from a place to the end; from none, the path has ended.
    pub fn count(&self, place: Option<CountPlace>) -> &N {
        place.map_or(&self.one, |CountPlace { vertex, row }| &self.counts[row + vertex])
    }

    /// The choices at a place. At an end that no edge leaves there is none.
    pub fn choices(&self, CountPlace { vertex, row }: CountPlace) -> impl Iterator<Item = PathChoice> {
        let targets = self.graph.targets(vertex);
        let followed = if self.row_length > 0 && row == 0 { &[] } else { targets };
        let edge = move |(edge, target): (usize, &usize)| {
            (edge, Some(CountPlace { vertex: *target, row: row - self.row_length }))
        };
        let ends = vertex == self.graph.end() && !targets.is_empty();
        followed.iter().enumerate().map(edge).chain(ends.then_some((targets.len(), None)))
    }
}
