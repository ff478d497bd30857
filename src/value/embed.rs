//! Equality of lists with optional elements, as a condition on their presences.
//!
//! `[1?p, 2?q, 3?r]` equals `[1, 3]` if p and r hold and q does not: the 2 equals no element of the other list, so there is only one
//! way to match the elements. The ways are paths through a grid: a point is a number of elements used up of each list. Points on no
//! path to the end are left out. A point that all paths pass divides the condition into a conjunction.

use super::{Lifted, ListItem, ListItems, Split, Truth, Value};
use crate::term::Term;

/// A grid of more points than this is not made: the first presence is decided instead.
const POINTS: usize = 1 << 20;
/// At most this many points between two points that all paths pass become one condition; with more, a presence at the first of the
/// two is decided instead.
const AMBIGUOUS: usize = 1024;

/// The function that compares two elements.
type Equal = fn(&Value, &Value) -> Lifted<Truth>;

/// The condition that two lists without stretches are equal, from the equality of their elements.
///
/// # Errors
/// The split that must come first.
pub(super) fn equal_lists(a: ListItems<'_>, b: ListItems<'_>, equal: Equal) -> Lifted<Truth> {
    let (mut a, mut b): (Vec<ListItem<'_>>, Vec<ListItem<'_>>) = (a.iter().collect(), b.iter().collect());
    let (mut conditions, mut split) = (Vec::new(), None);
    let mut all_equal = |x: ListItem<'_>, y: ListItem<'_>| -> bool {
        let Some((x, y)) = x.value().zip(y.value()) else { return false };
        match equal(x, y) {
            Ok(Truth::Known(known)) => return known,
            Ok(Truth::Term(condition)) => conditions.push(condition),
            Err(first) => split = split.take().or(Some(first)),
        }
        true
    };
    while let (Some(&x), Some(&y)) = (a.last(), b.last())
        && x.presence().or(y.presence()).is_none()
    {
        if !all_equal(x, y) {
            return Ok(Truth::Known(false));
        }
        a.pop();
        b.pop();
    }
    let certain = |(x, y): &(&ListItem<'_>, &ListItem<'_>)| x.presence().or(y.presence()).is_none();
    let common = a.iter().zip(&b).take_while(certain).count();
    if !a.iter().zip(&b).take(common).all(|(x, y)| all_equal(*x, *y)) {
        return Ok(Truth::Known(false));
    }
    let Some(grid) = Grid::of(&a[common..], &b[common..], equal)? else { return Ok(Truth::Known(false)) };
    if let Some(first) = split {
        return Err(first);
    }
    grid.conditions(&mut conditions)?;
    Ok(Truth::of(Term::and_all(conditions)))
}

/// A step from a point: which of the two next elements it uses up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Advance {
    /// The element of the first list, which is not present.
    First,
    /// The element of the second list, which is not present; that of the first is.
    Second,
    /// Both elements, which are present and equal.
    Both,
}

const STEPS: [Advance; 3] = [Advance::First, Advance::Second, Advance::Both];

/// The result of comparing two elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    Never,
    Always,
    /// Under a condition: the index of the comparison in `Grid::open`.
    Open(u32),
}

/// A grid of points: point `i * (b.len() + 1) + j` has used up i elements of `a` and j elements of `b`.
struct Grid<'v> {
    a: &'v [ListItem<'v>],
    b: &'v [ListItem<'v>],
    /// For each point, set if it is on a path from the beginning to the end.
    passed: Vec<bool>,
    /// For each point, the comparison of the two next elements.
    same: Vec<Same>,
    /// The results of the comparisons that `same` has as open: the condition under which the elements are equal, or the split that
    /// must come first.
    open: Vec<Lifted<Term>>,
}

impl<'v> Grid<'v> {
    /// The grid, with the points that are on a path marked; `None` if there is no path.
    fn of(a: &'v [ListItem<'v>], b: &'v [ListItem<'v>], equal: Equal) -> Lifted<Option<Grid<'v>>> {
        let least = |list: &[ListItem<'_>]| list.iter().filter(|item| item.presence().is_none()).count();
        if least(a) > b.len() || least(b) > a.len() {
            return Ok(None);
        }
        let points = (a.len() + 1) * (b.len() + 1);
        if points > POINTS {
            let first = a.iter().chain(b).find_map(|element| element.presence());
            return Err(first.map_or(Split::never(), |first| Split::On(first.clone())));
        }
        let mut grid = Grid { a, b, passed: vec![false; points], same: vec![Same::Never; points], open: Vec::new() };
        grid.passed[0] = true;
        for at in 0..points {
            if grid.passed[at] {
                grid.compare(at, equal);
                STEPS.into_iter().for_each(|step| {
                    if let Some(target) = grid.target(at, step) {
                        grid.passed[target] = true;
                    }
                });
            }
        }
        for at in (0..points - 1).rev() {
            grid.passed[at] = grid.passed[at] && grid.steps(at).next().is_some();
        }
        Ok((grid.passed[0] && grid.passed[points - 1]).then_some(grid))
    }

    fn places(&self, at: usize) -> (usize, usize) {
        (at / (self.b.len() + 1), at % (self.b.len() + 1))
    }

    fn elements(&self, at: usize) -> (Option<ListItem<'v>>, Option<ListItem<'v>>) {
        let (i, j) = self.places(at);
        (self.a.get(i).copied(), self.b.get(j).copied())
    }

    fn compare(&mut self, at: usize, equal: Equal) {
        let (x, y) = self.elements(at);
        let value = |item: Option<ListItem<'v>>| item.and_then(ListItem::value);
        let (Some(x), Some(y)) = (value(x), value(y)) else { return };
        let open = match equal(x, y) {
            Ok(Truth::Known(false)) => return,
            Ok(Truth::Known(true)) => return self.same[at] = Same::Always,
            Ok(Truth::Term(condition)) => Ok(condition),
            Err(split) => Err(split),
        };
        self.same[at] = Same::Open(self.open.len() as u32);
        self.open.push(open);
    }

    /// The point that a step leads to, if it can be taken.
    fn target(&self, at: usize, step: Advance) -> Option<usize> {
        let (x, y) = self.elements(at);
        let row = self.b.len() + 1;
        match step {
            Advance::First => x?.presence().map(|_| at + row),
            Advance::Second => y?.presence().map(|_| at + 1),
            Advance::Both => (self.same[at] != Same::Never).then_some(at + row + 1),
        }
    }

    /// Adds the conditions of a step.
    fn step(&self, at: usize, step: Advance, conditions: &mut Vec<Term>) -> Lifted<()> {
        let (x, y) = self.elements(at);
        let [x, y] = [x, y].map(|item| item.and_then(ListItem::presence));
        match step {
            Advance::First => conditions.extend(x.map(Term::not)),
            Advance::Second => conditions.extend(x.cloned().into_iter().chain(y.map(Term::not))),
            Advance::Both => {
                conditions.extend(x.into_iter().chain(y).cloned());
                if let Same::Open(open) = self.same[at] {
                    conditions.push(self.open[open as usize].clone()?);
                }
            }
        }
        Ok(())
    }

    /// The steps from a point that lie on a path, with the points that they lead to.
    fn steps(&self, at: usize) -> impl Iterator<Item = (Advance, usize)> {
        let passed = move |step| Some((step, self.target(at, step).filter(|target| self.passed[*target])?));
        STEPS.into_iter().filter_map(passed)
    }

    /// The points on paths in topological order, each marked if all paths pass it.
    fn points(&self) -> Vec<(usize, bool)> {
        let rank = |at: usize| self.places(at).0 + self.places(at).1;
        let mut order: Vec<usize> = (0..self.passed.len()).filter(|at| self.passed[*at]).collect();
        order.sort_by_key(|at| (rank(*at), *at));
        let mut furthest = 0;
        let mut points = Vec::with_capacity(order.len());
        for (n, at) in order.iter().enumerate() {
            let alone = |other: Option<&usize>| other.is_none_or(|other| rank(*other) != rank(*at));
            let is_alone = alone(n.checked_sub(1).and_then(|n| order.get(n))) && alone(order.get(n + 1));
            points.push((*at, is_alone && furthest <= rank(*at)));
            furthest = self.steps(*at).map(|(_, target)| rank(target)).fold(furthest, usize::max);
        }
        points
    }

    /// Adds the conditions that together say that the lists match along one of the paths.
    fn conditions(&self, conditions: &mut Vec<Term>) -> Lifted<()> {
        let points = self.points();
        let mut from = 0;
        for (n, (_, passed)) in points.iter().enumerate().skip(1) {
            if *passed {
                self.part(&points[from..=n], conditions)?;
                from = n;
            }
        }
        Ok(())
    }

    /// Adds the condition of the paths from the first to the last of some points; all paths pass these two.
    fn part(&self, points: &[(usize, bool)], conditions: &mut Vec<Term>) -> Lifted<()> {
        let [(first, _), between @ .., (last, _)] = points else { return Ok(()) };
        if between.is_empty() {
            let mut steps = self.steps(*first);
            return steps.next().map_or(Ok(()), |(step, _)| self.step(*first, step, conditions));
        }
        if between.len() > AMBIGUOUS {
            let (x, y) = self.elements(*first);
            let presence = x.and_then(ListItem::presence).or(y.and_then(ListItem::presence));
            return Err(presence.map_or(Split::never(), |presence| Split::On(presence.clone())));
        }
        let mut onwards = rustc_hash::FxHashMap::default();
        onwards.insert(*last, Term::truth());
        for (at, _) in points.iter().rev().skip(1) {
            let mut ways = Vec::new();
            for (step, target) in self.steps(*at) {
                let mut way = Vec::new();
                self.step(*at, step, &mut way)?;
                way.extend(onwards.get(&target).cloned());
                ways.push(Term::and_all(way));
            }
            onwards.insert(*at, Term::or_all(ways));
        }
        conditions.extend(onwards.remove(first));
        Ok(())
    }
}
