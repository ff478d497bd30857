//! Zones: sets of integer tuples given by bounds of single integers and of differences of two, as closed difference bound
//! matrices (Dill, 1989).
//!
//! For example the matrix of `x - y <= 2`, `y - z <= 3` has the entry `x - z <= 5`. Over the integers each entry of a closed matrix
//! is attained. So an integer is projected away by leaving out its row and column, inclusion is decided entry by entry, and equal
//! sets have equal matrices.

/// The entry of the matrix for a difference without bound.
const NONE: i64 = i64::MAX;
/// Bounds must be less than this in size, so that sums of them do not overflow.
const FAR: i64 = 1 << 48;

/// A set of tuples of integers.
///
/// ```text
/// x <= 5, x - y <= 2, y - z <= 3         most   0   x   y   z
///                                          0    0   .   .   .
///                                          x    5   0   2   5        x - z <= 5 by closure
///                                          y    .   .   0   3        . is no bound
///                                          z    .   .   .   0
/// ```
///
/// 1. `most` has `size * size` entries; its diagonal is zero, unless the set is empty and the matrix not closed yet.
/// 2. The set of a closed matrix is not empty, and no entry is more than the sum along any path from its row to its column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    /// The number of integers, plus one: the first row and column stand for the constant 0.
    size: usize,
    /// The matrix, row by row: the entry at `i * size + j` is an upper bound of the i-th integer minus the j-th.
    most: Vec<i64>,
}

/// A bound `(i, j, most)`: the i-th integer minus the j-th is at most `most`.
pub(crate) type Edge = (usize, usize, i64);

impl Zone {
    /// The zone of all tuples of this many integers.
    pub(crate) fn all(integers: usize) -> Zone {
        let size = integers + 1;
        let mut most = vec![NONE; size * size];
        (0..size).for_each(|i| most[i * size + i] = 0);
        Zone { size, most }
    }

    pub(crate) fn most(&self, i: usize, j: usize) -> i64 {
        self.most[i * self.size + j]
    }

    /// The upper bound of the i-th integer minus the j-th, if there is one.
    pub(crate) fn bound(&self, i: usize, j: usize) -> Option<i64> {
        Some(self.most(i, j)).filter(|most| *most != NONE)
    }

    /// Notes a bound; the matrix is closed later. `None` if the bound is too large.
    pub(crate) fn note(&mut self, (i, j, most): Edge) -> Option<()> {
        let entry = &mut self.most[i * self.size + j];
        *entry = most.min(*entry);
        (most.abs() < FAR).then_some(())
    }

    /// Closes the matrix. `None` if the set is empty.
    pub(crate) fn closed(mut self) -> Option<Zone> {
        let size = self.size;
        for k in 0..size {
            for i in 0..size {
                let first = self.most(i, k);
                for j in 0..size {
                    let way = sum(first, self.most(k, j));
                    let entry = &mut self.most[i * size + j];
                    *entry = way.min(*entry);
                }
            }
        }
        (0..size).all(|i| self.most(i, i) == 0).then_some(self)
    }

    /// The intersection of a closed zone with a bound, closed; `None` if it is empty.
    fn narrowed(&self, (i, j, most): Edge) -> Option<Zone> {
        if sum(self.most(j, i), most) < 0 {
            return None;
        }
        let (size, mut zone) = (self.size, self.clone());
        for a in 0..size {
            let to = sum(self.most(a, i), most);
            for b in 0..size {
                let entry = &mut zone.most[a * size + b];
                *entry = sum(to, self.most(j, b)).min(*entry);
            }
        }
        Some(zone)
    }

    /// The projection of a closed zone to these integers.
    pub(crate) fn only(&self, kept: &[usize]) -> Zone {
        let mut zone = Zone::all(kept.len());
        let rows = || std::iter::once((0, 0)).chain(kept.iter().enumerate().map(|(new, old)| (new + 1, *old)));
        for (i, row) in rows() {
            rows().for_each(|(j, column)| zone.most[i * zone.size + j] = self.most(row, column));
        }
        zone
    }

    /// Tests whether this closed zone has all tuples of another one.
    #[must_use]
    pub fn includes(&self, other: &Zone) -> bool {
        self.size == other.size && self.most.iter().zip(&other.most).all(|(own, other)| own >= other)
    }

    /// The union of two closed zones, if that is a zone.
    #[must_use]
    pub fn union(&self, other: &Zone) -> Option<Zone> {
        if self.size != other.size {
            return None;
        }
        let most = self.most.iter().zip(&other.most).map(|(own, other)| *own.max(other)).collect();
        let hull = Zone { size: self.size, most };
        let mut left = hull.clone();
        for (i, j, most) in self.edges() {
            // The tuples of the hull beyond this bound are not in this zone: the other one must have them.
            if hull.most(i, j) == most {
                continue;
            }
            if left.narrowed((j, i, -most - 1)).is_some_and(|beyond| !other.includes(&beyond)) {
                return None;
            }
            let Some(within) = left.narrowed((i, j, most)) else { break };
            left = within;
        }
        Some(hull)
    }

    /// Bounds that define a closed zone: all those of single integers, and the differences that no others imply. Of integers at known
    /// distances from each other only the first has bounds with integers outside of the group.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let first: Vec<usize> = (0..self.size).map(|i| self.first_known_from(i)).collect();
        let mut edges = Vec::new();
        for i in 0..self.size {
            for j in (0..self.size).filter(|j| *j != i) {
                let apart = first[i] == i && first[j] == j;
                let known = first[i] == j || first[j] == i;
                if known || (apart && self.is_needed(i, j, &first)) {
                    edges.extend(self.bound(i, j).map(|most| (i, j, most)));
                }
            }
        }
        edges
    }

    /// The first of the integers (0 is the constant) at a known distance from the i-th; i, if no integer before it is at one.
    pub(crate) fn first_known_from(&self, i: usize) -> usize {
        let known = |j: &usize| sum(self.most(i, *j), self.most(*j, i)) == 0;
        (0..i).find(known).unwrap_or(i)
    }

    fn is_needed(&self, i: usize, j: usize, first: &[usize]) -> bool {
        let between = |k: usize| first[k] == k && k != i && k != j;
        let implied = |k: usize| sum(self.most(i, k), self.most(k, j)) <= self.most(i, j);
        i == 0 || j == 0 || !(0..self.size).any(|k| between(k) && implied(k))
    }

    /// A tuple of a closed zone, near 0.
    pub(crate) fn point(&self) -> Vec<i64> {
        let mut values = vec![0];
        for i in 1..self.size {
            let low = (0..i).filter_map(|j| Some(values[j] - self.bound(j, i)?)).max();
            let high = (0..i).filter_map(|j| Some(values[j] + self.bound(i, j)?)).min();
            let value = low.map_or(0, |low: i64| low.max(0));
            values.push(high.map_or(value, |high| value.min(high)));
        }
        values.remove(0);
        values
    }
}

/// The sum of two bounds; none if one of them is none.
fn sum(first: i64, second: i64) -> i64 {
    if first == NONE || second == NONE { NONE } else { first + second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;

    const INTEGERS: usize = 3;
    type Tuple = [i64; INTEGERS];

    fn tuples() -> impl Iterator<Item = Tuple> {
        (0..5i64).flat_map(|x| (0..5).flat_map(move |y| (0..5).map(move |z| [x, y, z])))
    }

    fn holds(tuple: &Tuple, (i, j, most): Edge) -> bool {
        let at = |i: usize| if i == 0 { 0 } else { tuple[i - 1] };
        at(i) - at(j) <= most
    }

    /// Bounds to 0..=4 and some differences, with the tuples that satisfy them.
    fn random(next: &mut dyn FnMut(u64) -> u64) -> (Vec<Edge>, Vec<Tuple>) {
        let mut edges: Vec<Edge> = (1..=INTEGERS).flat_map(|i| [(i, 0, 4), (0, i, 0)]).collect();
        for _ in 0..next(5) {
            let (i, j) = (next(4) as usize, next(4) as usize);
            if i != j {
                edges.push((i, j, next(7) as i64 - 2));
            }
        }
        let all = tuples().filter(|tuple| edges.iter().all(|edge| holds(tuple, *edge))).collect();
        (edges, all)
    }

    fn zone(edges: &[Edge]) -> Option<Zone> {
        let mut zone = Zone::all(INTEGERS);
        edges.iter().for_each(|edge| zone.note(*edge).unwrap());
        zone.closed()
    }

    fn tuples_of(zone: &Zone) -> Vec<Tuple> {
        let edges = zone.edges();
        tuples().filter(|tuple| edges.iter().all(|edge| holds(tuple, *edge))).collect()
    }

    #[test]
    fn zones_are_the_sets_that_enumeration_finds() {
        let mut next = numbers(11);
        let (mut empty, mut united, mut apart) = (0, 0, 0);
        for _ in 0..4_000 {
            let [(one, mine), (two, theirs)] = [(); 2].map(|()| random(&mut next));
            let (Some(one), Some(two)) = (zone(&one), zone(&two)) else {
                assert!(mine.is_empty() || theirs.is_empty());
                empty += 1;
                continue;
            };
            assert_eq!(tuples_of(&one), mine);
            assert!(mine.contains(&one.point().try_into().unwrap()));
            assert_eq!(one == two, mine == theirs);
            assert_eq!(one.includes(&two), theirs.iter().all(|tuple| mine.contains(tuple)));
            let rest = one.only(&[1, 3]);
            for (x, z) in (0..5).flat_map(|x| (0..5).map(move |z| (x, z))) {
                let kept = rest.edges().into_iter().all(|(i, j, most)| {
                    let back = |i: usize| [0, 1, 3][i];
                    holds(&[x, 0, z], (back(i), back(j), most))
                });
                assert_eq!(kept, mine.iter().any(|tuple| (tuple[0], tuple[2]) == (x, z)));
            }
            let both: Vec<Tuple> = tuples().filter(|t| mine.contains(t) || theirs.contains(t)).collect();
            let hull = Zone { size: one.size, most: one.most.iter().zip(&two.most).map(|(a, b)| *a.max(b)).collect() };
            match one.union(&two) {
                Some(union) => {
                    assert_eq!(tuples_of(&union), both);
                    united += 1;
                }
                None => {
                    assert_ne!(tuples_of(&hull), both);
                    apart += 1;
                }
            }
        }
        assert!(empty > 200 && united > 200 && apart > 200, "{empty} {united} {apart}");
    }
}
