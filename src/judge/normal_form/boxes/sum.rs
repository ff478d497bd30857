//! Sums of boxes: covered boxes are dropped, others united, and the sum is taken apart into factors (`proofs-notes/frontier.md`,
//! *Normal form*).
//!
//! A box is a set of atoms for each cell. {a: 0, b: 0 to 1} and {a: 1, b: 0 to 1} are one box, {a: 0 to 1, b: 0 to 1}, which is the
//! product of a part {a: 0 to 1} and a part {b: 0 to 1}. {a: 0, b: 0} and {a: 1, b: 1} stay a part of two boxes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::atoms::{AtomSet, Atoms};
use super::content::Content;
use crate::limits;

/// The pieces of a box that are looked for in others.
const PIECES: usize = 64;
/// The rounds in which boxes are made of pairs: their number may square with each.
const ROUNDS: usize = 4;
/// If there are more boxes than this, no larger ones are made of pairs.
const CONSENSUS: usize = 48;
/// At most this many boxes are made of pairs of boxes in one round.
const NEW: usize = 192;

/// A box: the atoms that each cell may hold.
pub(crate) type Box = Vec<AtomSet>;

/// A sum of boxes over some cells.
///
/// 1. Each box has a nonempty set of atoms for each cell.
/// 2. The sum stands for the union of the products of these sets; dropping, uniting and taking apart do not change this union.
#[derive(Debug)]
pub(crate) struct Sum {
    /// The atoms of each cell.
    cells: Vec<Atoms>,
    boxes: Vec<Box>,
}

/// A factor of a sum of boxes: some of its cells, by their positions, and what they hold together. The boxes have a set for each of
/// `cells`, in that order.
#[derive(Debug)]
pub(crate) struct Factor {
    pub(crate) cells: Vec<usize>,
    pub(crate) boxes: Vec<Box>,
}

impl Sum {
    /// The sum of some boxes.
    pub(crate) fn of(boxes: &[Vec<Content>]) -> Sum {
        let width = boxes.first().map_or(0, Vec::len);
        let cells: Vec<Atoms> = (0..width).map(|cell| Atoms::of(boxes.iter().map(|own| &own[cell]))).collect();
        let numbered = |own: &Vec<Content>| own.iter().zip(&cells).map(|(content, atoms)| atoms.set(content)).collect();
        let boxes = boxes.iter().map(numbered).collect();
        Sum { cells, boxes }
    }

    /// The contents of a cell that holds some atoms.
    pub(crate) fn contents(&self, cell: usize, set: &AtomSet) -> Vec<Content> {
        self.cells[cell].contents(set)
    }

    /// Drops boxes that others cover, and unites others.
    pub(crate) fn reduce(&mut self) {
        self.subsume();
        while (0..self.cells.len()).any(|cell| self.unite(cell)) {
            self.subsume();
        }
        if self.boxes.len() <= CONSENSUS {
            self.drop_covered();
            let mut rounds = 0..ROUNDS;
            while self.boxes.len() > 2 && rounds.next().is_some() && self.exchange() {}
        }
    }

    /// Adds larger boxes, and drops those that others cover; returns whether fewer are left. If more are left, nothing is changed.
    fn exchange(&mut self) -> bool {
        let before = self.boxes.clone();
        if !self.grow() {
            return false;
        }
        self.subsume();
        self.drop_covered();
        if self.boxes.len() > before.len() {
            self.boxes = before;
            return false;
        }
        self.boxes.len() < before.len()
    }

    /// Drops boxes that another one includes.
    fn subsume(&mut self) {
        let mut met = FxHashSet::default();
        self.boxes.retain(|own| met.insert(own.clone()));
        if self.boxes.len() > limits::ROWS {
            return;
        }
        let mut kept: Vec<Box> = Vec::with_capacity(self.boxes.len());
        for own in std::mem::take(&mut self.boxes) {
            if kept.iter().any(|other| includes(other, &own)) {
                continue;
            }
            kept.retain(|other| !includes(&own, other));
            kept.push(own);
        }
        self.boxes = kept;
    }

    /// Unites boxes that are equal in all cells but one; returns whether there were any.
    fn unite(&mut self, cell: usize) -> bool {
        let before = self.boxes.len();
        let mut alike: FxHashMap<Box, usize> = FxHashMap::default();
        let mut united: Vec<Box> = Vec::with_capacity(before);
        for own in std::mem::take(&mut self.boxes) {
            let mut beside = own.clone();
            beside[cell] = AtomSet::default();
            match alike.entry(beside) {
                std::collections::hash_map::Entry::Occupied(at) => {
                    let other: &mut Box = &mut united[*at.get()];
                    other[cell] = other[cell].union(&own[cell]);
                }
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(united.len());
                    united.push(own);
                }
            }
        }
        self.boxes = united;
        self.boxes.len() < before
    }

    /// Adds the boxes that two boxes cover together ([`consensus`]) and no single box includes; returns whether there were any.
    fn grow(&mut self) -> bool {
        let mut new: Vec<Box> = Vec::new();
        for (at, one) in self.boxes.iter().enumerate() {
            for two in &self.boxes[..at] {
                for cell in 0..one.len() {
                    if new.len() >= NEW {
                        break;
                    }
                    let Some(both) = consensus(one, two, cell) else { continue };
                    let known = |other: &Box| includes(other, &both);
                    if !self.boxes.iter().any(known) && !new.iter().any(known) {
                        new.push(both);
                    }
                }
            }
        }
        let grows = !new.is_empty();
        self.boxes.extend(new);
        grows
    }

    /// Drops boxes that others cover together, small ones first.
    fn drop_covered(&mut self) {
        self.boxes.sort_by_cached_key(|own| std::cmp::Reverse(own.iter().map(AtomSet::len).sum::<usize>()));
        let mut at = self.boxes.len();
        while at > 0 {
            at -= 1;
            let own = self.boxes.swap_remove(at);
            if !is_covered(own.clone(), &self.boxes) {
                self.boxes.push(own);
                let last = self.boxes.len() - 1;
                self.boxes.swap(at, last);
            }
        }
    }

    /// Splits the boxes of a part until each cell of a box holds a single content: a sum of shapes, or one linked content.
    pub(crate) fn split(&self, part: &mut Factor) {
        for (at, cell) in part.cells.iter().enumerate() {
            let each = |own: Box| {
                let sets = self.cells[*cell].split(&own[at]);
                sets.into_iter().map(move |set| [&own[..at], &[set], &own[at + 1..]].concat())
            };
            part.boxes = std::mem::take(&mut part.boxes).into_iter().flat_map(each).collect();
        }
    }

    /// The factors whose product is the sum.
    pub(crate) fn parts(&self) -> Vec<Factor> {
        let mut parts: Vec<Factor> = Vec::new();
        let mut rest: Vec<usize> = Vec::new();
        for cell in 0..self.cells.len() {
            let part = self.part(vec![cell]);
            if part.boxes.len() == 1 { parts.push(part) } else { rest.push(cell) }
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for cell in rest {
            let depends = |group: &Vec<usize>| group.iter().any(|other| !self.are_factors(&[*other], &[cell]));
            let (dependent, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(depends);
            groups = others;
            groups.push(dependent.into_iter().flatten().chain([cell]).collect());
        }
        // Groups that are pairwise independent need not be independent together.
        let mut factors = Vec::new();
        let mut left: Vec<usize> = groups.iter().flatten().copied().collect();
        for group in groups {
            let others: Vec<usize> = left.iter().copied().filter(|cell| !group.contains(cell)).collect();
            if self.are_factors(&group, &others) {
                factors.push(group);
                left = others;
            }
        }
        factors.extend((!left.is_empty()).then_some(left));
        parts.extend(factors.into_iter().map(|group| self.part(group)));
        parts
    }

    /// Tests whether what some cells hold is independent of what others hold.
    fn are_factors(&self, some: &[usize], others: &[usize]) -> bool {
        let both: Vec<usize> = some.iter().chain(others).copied().collect();
        self.part(some.to_vec()).boxes.len() * self.part(others.to_vec()).boxes.len() == self.part(both).boxes.len()
    }

    /// The projection to some cells.
    fn part(&self, cells: Vec<usize>) -> Factor {
        let mut met = FxHashSet::default();
        let projected = self.boxes.iter().map(|own| cells.iter().map(|cell| own[*cell].clone()).collect::<Box>());
        let boxes = projected.filter(|projected| met.insert(projected.clone())).collect();
        Factor { cells, boxes }
    }
}

fn includes(general: &[AtomSet], special: &[AtomSet]) -> bool {
    general.iter().zip(special).all(|(general, special)| general.includes(special))
}

/// The box that two boxes cover together: their union in one cell, their intersection in the others. `None` if it is empty, or if one
/// of the two includes it.
fn consensus(one: &Box, two: &Box, cell: usize) -> Option<Box> {
    let either = one[cell].union(&two[cell]);
    if either == one[cell] || either == two[cell] {
        return None;
    }
    let mut both = Vec::with_capacity(one.len());
    for (at, (one, two)) in one.iter().zip(two).enumerate() {
        let set = if at == cell { either.clone() } else { one.intersection(two) };
        if set.is_empty() {
            return None;
        }
        both.push(set);
    }
    Some(both)
}

/// Tests whether each state of a box is one of others; `false` also if that takes too long to see.
fn is_covered(own: Box, others: &[Box]) -> bool {
    let mut open = vec![own];
    let mut pieces = 0;
    while let Some(own) = open.pop() {
        if others.iter().any(|other| includes(other, &own)) {
            continue;
        }
        let meets = |other: &&Box| own.iter().zip(*other).all(|(own, other)| !own.intersection(other).is_empty());
        let Some(other) = others.iter().find(meets) else { return false };
        let mut left = own.clone();
        for cell in 0..own.len() {
            let outside = left[cell].without(&other[cell]);
            if !outside.is_empty() {
                let mut piece = left.clone();
                piece[cell] = outside;
                open.push(piece);
                pieces += 1;
            }
            left[cell] = left[cell].intersection(&other[cell]);
        }
        if pieces > PIECES {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::content::{Content, DomainTree};
    use super::*;
    use crate::choice::numbers;
    use crate::value::Value;

    const CELLS: usize = 4;
    const VALUES: u64 = 3;

    type World = Vec<Content>;

    fn content(values: &[i64]) -> Content {
        Content::of(values.iter().map(|value| DomainTree::Known(Value::from(*value))))
    }

    /// The states of boxes over some cells, one value a cell.
    fn states(boxes: &[Vec<Vec<i64>>]) -> BTreeSet<Vec<i64>> {
        let mut all = BTreeSet::new();
        for own in boxes {
            let mut products: Vec<Vec<i64>> = vec![Vec::new()];
            for values in own {
                let with = |product: &Vec<i64>, value: &i64| product.iter().chain([value]).copied().collect();
                products = products.iter().flat_map(|p| values.iter().map(move |v| with(p, v))).collect();
            }
            all.extend(products);
        }
        all
    }

    /// The values of each cell in the boxes of a part.
    fn listed(sum: &Sum, part: &Factor) -> Vec<Vec<Vec<i64>>> {
        let values = |cell: usize, set: &AtomSet| -> Vec<i64> {
            let known = |value: &i64| {
                let contents = sum.contents(cell, set);
                contents.iter().any(|content| match content {
                    Content::Shapes(shapes) => {
                        shapes.iter().any(|shape| shape.includes(&DomainTree::Known(Value::from(*value))))
                    }
                    Content::Linked { .. } => false,
                })
            };
            (0..VALUES as i64).filter(|value| known(value)).collect()
        };
        let of = |own: &Box| part.cells.iter().zip(own).map(|(cell, set)| values(*cell, set)).collect();
        part.boxes.iter().map(of).collect()
    }

    #[test]
    fn no_state_comes_or_goes() {
        let mut next = numbers(11);
        let (mut fewer, mut factored) = (0, 0);
        for _ in 0..1_000 {
            let boxes: Vec<Vec<Vec<i64>>> = (0..1 + next(7))
                .map(|_| {
                    let set = |bits: u64| (0..VALUES as i64).filter(|value| bits >> value & 1 == 1).collect();
                    (0..CELLS).map(|_| set(1 + next((1 << VALUES) - 1))).collect()
                })
                .collect();
            let contents: Vec<World> =
                boxes.iter().map(|own| own.iter().map(|values| content(values)).collect()).collect();
            let mut sum = Sum::of(&contents);
            let before = sum.boxes.len();
            sum.reduce();
            fewer += usize::from(sum.boxes.len() < before);
            let whole = sum.part((0..CELLS).collect());
            assert_eq!(states(&listed(&sum, &whole)), states(&boxes), "{boxes:?}");
            let parts = sum.parts();
            factored += usize::from(parts.len() > 1);
            let mut product: Vec<Vec<i64>> = vec![vec![0; CELLS]];
            for part in &parts {
                let own = states(&listed(&sum, part));
                let with = |state: &Vec<i64>, values: &Vec<i64>| {
                    let mut state = state.clone();
                    part.cells.iter().zip(values).for_each(|(cell, value)| state[*cell] = *value);
                    state
                };
                product = product.iter().flat_map(|state| own.iter().map(move |values| with(state, values))).collect();
            }
            assert_eq!(product.into_iter().collect::<BTreeSet<_>>(), states(&boxes), "{boxes:?}");
        }
        assert!(fewer > 100 && factored > 100, "{fewer} with fewer boxes, {factored} factored");
    }
}
