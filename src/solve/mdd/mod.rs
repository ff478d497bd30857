//! Relations between variables of few values as multi-valued decision diagrams (Kam, Villa, Brayton, Sangiovanni-Vincentelli,
//! *Multi-valued decision diagrams: theory and applications*, 1998), ordered and reduced: equal relations are equal nodes.
//!
//! A relation that holds 2^30 states may have a few dozen nodes. What would take more than a limit is not made.

mod terms;

pub(in crate::solve) use terms::{conditions_of, decide, is_relation};

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::scalar::Scalar;
use crate::term::{Term, Var, count_walked};

/// A variable with more values than this has no level.
pub(in crate::solve) const VALUES: usize = 16;
/// A term with more values than this is not listed.
const LISTED: usize = 64;
/// The nodes of a term, walked through, that a node counts as.
const WORK: usize = 2;
/// Terms deeper than this are not looked into, and diagrams have no more levels.
const DEPTH: usize = 256;

/// A node, by its number: a relation, or a value for each assignment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::solve) struct Ref(u32);

/// A relation that never holds.
pub(in crate::solve) const NEVER: Ref = Ref(0);
/// A relation that always holds.
pub(in crate::solve) const ALWAYS: Ref = Ref(1);

/// More work would be needed than the limit allows, or a variable has too many values.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct TooLarge;

type Result<T> = std::result::Result<T, TooLarge>;
type Refs = SmallVec<[Ref; 4]>;

/// A case for each value of the variable of a level, or a known value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Vertex {
    Cases(u32, Refs),
    Known(Scalar),
}

/// A variable with its values.
pub(in crate::solve) type ValuedVar = (Var, Vec<Scalar>);

/// The results of an operation on several diagrams, by those that it was applied to already.
type Met = FxHashMap<Refs, Ref>;

/// Diagrams over some variables in one order.
///
/// ```text
/// #1 <= #2, each 0 to 2, and nothing known of #3              level of #1   level of #2
///
///   #1 ─ 0 ──────────────────────────────▶ ALWAYS
///      ├ 1 ─▶ #2 ─ 0 ─▶ NEVER     1, 2 ──▶ ALWAYS             one node for each set of values of #2 that is left,
///      └ 2 ─▶ #2 ─ 0, 1 ─▶ NEVER     2 ──▶ ALWAYS             and none for #3
/// ```
///
/// 1. Levels grow from a node to its children, which are not all the same.
/// 2. No two nodes are equal: `numbers` has each node of `nodes` with its place there. So equal relations are equal numbers.
/// 3. A node has a child for each value of its level's variable, in their order.
/// 4. The first two nodes are [`NEVER`] and [`ALWAYS`].
#[derive(Debug)]
pub(in crate::solve) struct Diagrams {
    levels: Vec<ValuedVar>,
    level_of: FxHashMap<Var, u32>,
    nodes: Vec<Vertex>,
    numbers: FxHashMap<Vertex, Ref>,
    /// The choices that were made, by their three nodes.
    choices: FxHashMap<[Ref; 3], Ref>,
    of_terms: FxHashMap<Term, Ref>,
    /// The nodes that may still be looked at.
    left: usize,
}

impl Diagrams {
    /// Diagrams over variables with their values, in this order, which look at `work` nodes at most.
    pub(in crate::solve) fn new(levels: Vec<ValuedVar>, work: usize) -> Result<Diagrams> {
        if levels.len() > DEPTH {
            return Err(TooLarge);
        }
        let level_of = levels.iter().zip(0..).map(|((var, _), level)| (*var, level)).collect();
        let mut diagrams = Diagrams {
            levels,
            level_of,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            choices: FxHashMap::default(),
            of_terms: FxHashMap::default(),
            left: work,
        };
        for (truth, place) in [(false, NEVER), (true, ALWAYS)] {
            let known = diagrams.intern(Vertex::Known(Scalar::Bool(truth)))?;
            assert_eq!(known, place);
        }
        Ok(diagrams)
    }

    /// Says which values a variable has that was given none; no node may mention it yet.
    pub(in crate::solve) fn set_values(&mut self, var: Var, values: Vec<Scalar>) {
        if let Some(level) = self.level_of.get(&var) {
            self.levels[*level as usize].1 = values;
        }
    }

    fn intern(&mut self, node: Vertex) -> Result<Ref> {
        if let Some(known) = self.numbers.get(&node) {
            return Ok(*known);
        }
        self.count()?;
        let new = Ref(u32::try_from(self.nodes.len()).map_err(|_| TooLarge)?);
        self.nodes.push(node.clone());
        self.numbers.insert(node, new);
        Ok(new)
    }

    /// Counts a node that is looked at.
    fn count(&mut self) -> Result<()> {
        count_walked(WORK);
        self.left = self.left.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }

    fn level(&self, node: Ref) -> u32 {
        match &self.nodes[node.0 as usize] {
            Vertex::Cases(level, _) => *level,
            Vertex::Known(_) => u32::MAX,
        }
    }

    fn children(&self, node: Ref) -> &[Ref] {
        match &self.nodes[node.0 as usize] {
            Vertex::Cases(_, children) => children,
            Vertex::Known(_) => &[],
        }
    }

    fn known(&self, node: Ref) -> Option<&Scalar> {
        match &self.nodes[node.0 as usize] {
            Vertex::Cases(..) => None,
            Vertex::Known(value) => Some(value),
        }
    }

    /// The node of a case for each value of a variable.
    fn node(&mut self, level: u32, children: Refs) -> Result<Ref> {
        match children.first() {
            Some(first) if children.iter().all(|child| child == first) => Ok(*first),
            _ => self.intern(Vertex::Cases(level, children)),
        }
    }

    /// A node with a case for each value of a level, by what an operation makes of the cases of some nodes.
    fn by_cases(
        &mut self,
        nodes: &[Ref],
        operation: &mut dyn FnMut(&mut Diagrams, &[Ref]) -> Result<Ref>,
    ) -> Result<Ref> {
        self.count()?;
        let level = nodes.iter().map(|node| self.level(*node)).min().unwrap_or(u32::MAX);
        let mut children = Refs::new();
        for at in 0..self.levels[level as usize].1.len() {
            let case = |node: &Ref| if self.level(*node) == level { self.children(*node)[at] } else { *node };
            let cases: Refs = nodes.iter().map(case).collect();
            children.push(operation(self, &cases)?);
        }
        self.node(level, children)
    }

    /// Both relations.
    pub(in crate::solve) fn and(&mut self, a: Ref, b: Ref) -> Result<Ref> {
        self.choice([a, b, NEVER])
    }

    /// Either relation.
    pub(in crate::solve) fn or(&mut self, a: Ref, b: Ref) -> Result<Ref> {
        self.choice([a, ALWAYS, b])
    }

    /// The negation of a relation.
    pub(in crate::solve) fn not(&mut self, a: Ref) -> Result<Ref> {
        self.choice([a, NEVER, ALWAYS])
    }

    /// The relation that holds if two relations both hold or both do not.
    fn same(&mut self, a: Ref, b: Ref) -> Result<Ref> {
        let not_b = self.not(b)?;
        self.choice([a, b, not_b])
    }

    /// The second of three if the first, a relation, holds, else the third.
    fn choice(&mut self, [condition, yes, no]: [Ref; 3]) -> Result<Ref> {
        let yes = if yes == condition { ALWAYS } else { yes };
        let no = if no == condition { NEVER } else { no };
        match (condition, yes, no) {
            (ALWAYS, ..) => return Ok(yes),
            (NEVER, ..) => return Ok(no),
            (_, ALWAYS, NEVER) => return Ok(condition),
            _ if yes == no => return Ok(yes),
            _ => {}
        }
        let key = [condition, yes, no];
        if let Some(known) = self.choices.get(&key) {
            return Ok(*known);
        }
        let result = self.by_cases(&key, &mut |diagrams, cases| diagrams.choice([cases[0], cases[1], cases[2]]))?;
        self.choices.insert(key, result);
        Ok(result)
    }

    /// The diagram of the values that a function has for the values of some nodes.
    fn map(&mut self, nodes: &[Ref], function: &dyn Fn(&[&Scalar]) -> Option<Scalar>, met: &mut Met) -> Result<Ref> {
        let known: Option<SmallVec<[&Scalar; 4]>> = nodes.iter().map(|node| self.known(*node)).collect();
        if let Some(value) = known.map(|known| function(&known)) {
            return self.intern(Vertex::Known(value.ok_or(TooLarge)?));
        }
        if let Some(known) = met.get(nodes) {
            return Ok(*known);
        }
        let result = self.by_cases(nodes, &mut |diagrams, cases| diagrams.map(cases, function, met))?;
        met.insert(Refs::from_slice(nodes), result);
        Ok(result)
    }

    /// All relations together without some variables: it holds if they do for some values of these.
    pub(in crate::solve) fn and_exists(
        &mut self,
        relations: Vec<Ref>,
        without: impl Iterator<Item = Var>,
    ) -> Result<Ref> {
        let without = without.filter_map(|var| self.level_of.get(&var).copied()).collect();
        self.product(relations.into(), &without, &mut Met::default())
    }

    fn product(&mut self, mut relations: Refs, without: &FxHashSet<u32>, met: &mut Met) -> Result<Ref> {
        if relations.contains(&NEVER) {
            return Ok(NEVER);
        }
        relations.retain(|relation| *relation != ALWAYS);
        relations.sort_unstable();
        relations.dedup();
        let Some(level) = relations.iter().map(|relation| self.level(*relation)).min() else { return Ok(ALWAYS) };
        if let Some(known) = met.get(&relations) {
            return Ok(*known);
        }
        let result = if without.contains(&level) {
            let mut any = NEVER;
            self.by_cases(&relations, &mut |diagrams, cases| {
                if any != ALWAYS {
                    let case = diagrams.product(Refs::from_slice(cases), without, met)?;
                    any = diagrams.or(any, case)?;
                }
                Ok(NEVER)
            })?;
            any
        } else {
            self.by_cases(&relations, &mut |diagrams, cases| diagrams.product(Refs::from_slice(cases), without, met))?
        };
        met.insert(relations, result);
        Ok(result)
    }

    /// The nodes of a diagram, each once.
    fn reached(&self, a: Ref) -> impl Iterator<Item = Ref> {
        let (mut open, mut met) = (vec![a], FxHashSet::default());
        std::iter::from_fn(move || {
            loop {
                let at = open.pop()?;
                if met.insert(at) {
                    open.extend(self.children(at));
                    return Some(at);
                }
            }
        })
    }

    /// The values of a diagram; nothing if they are many.
    pub(in crate::solve) fn terminals(&self, a: Ref) -> Option<Vec<Scalar>> {
        let values: BTreeSet<&Scalar> = self.reached(a).filter_map(|at| self.known(at)).take(LISTED + 1).collect();
        (values.len() <= LISTED).then(|| values.into_iter().cloned().collect())
    }

    /// The number of nodes of a diagram.
    pub(in crate::solve) fn size(&self, a: Ref) -> usize {
        self.reached(a).count()
    }

    /// The values of a variable with which a relation may hold.
    pub(in crate::solve) fn values(&mut self, a: Ref, var: Var) -> Result<Vec<Scalar>> {
        let level = self.level_of.get(&var).copied().ok_or(TooLarge)?;
        let mut possible: FxHashSet<usize> = FxHashSet::default();
        let (mut open, mut met) = (vec![a], FxHashSet::default());
        while let Some(at) = open.pop() {
            if at == NEVER || !met.insert(at) {
                continue;
            }
            let (own, children) = (self.level(at), self.children(at));
            match own.cmp(&level) {
                std::cmp::Ordering::Less => open.extend(children),
                std::cmp::Ordering::Equal => {
                    possible.extend(children.iter().enumerate().filter(|(_, child)| **child != NEVER).map(|(at, _)| at))
                }
                std::cmp::Ordering::Greater => return Ok(self.levels[level as usize].1.clone()),
            }
        }
        let values = self.levels[level as usize].1.iter().enumerate();
        Ok(values.filter(|(at, _)| possible.contains(at)).map(|(_, value)| value.clone()).collect())
    }

    /// Values with which a relation holds, of the variables that decide it.
    pub(in crate::solve) fn model(&self, a: Ref) -> Option<Vec<(Var, Scalar)>> {
        let (mut at, mut model) = (a, Vec::new());
        while at != ALWAYS {
            let Vertex::Cases(level, children) = &self.nodes[at.0 as usize] else { return None };
            let (way, next) = children.iter().enumerate().find(|(_, child)| **child != NEVER)?;
            let (var, values) = &self.levels[*level as usize];
            model.push((*var, values[way].clone()));
            at = *next;
        }
        Some(model)
    }

    /// A relation as factors without common variables, of which all must hold: it is cut where all ways go through one node.
    pub(in crate::solve) fn factors(&mut self, a: Ref) -> Result<Vec<Ref>> {
        let (mut factors, mut rest) = (Vec::new(), a);
        while let Some(cut) = self.cut(rest) {
            factors.push(self.above(rest, cut, &mut FxHashMap::default())?);
            rest = cut;
        }
        if rest != ALWAYS {
            factors.push(rest);
        }
        Ok(factors)
    }

    /// The first node that all ways on which a relation holds go through, below the first one.
    fn cut(&self, a: Ref) -> Option<Ref> {
        if matches!(a, NEVER | ALWAYS) {
            return None;
        }
        // The nodes that the ways so far have reached, by their levels.
        let mut reached: BTreeSet<(u32, u32)> = [(self.level(a), a.0)].into();
        loop {
            let (_, at) = reached.pop_first()?;
            let next = self
                .children(Ref(at))
                .iter()
                .filter(|child| **child != NEVER)
                .map(|child| (self.level(*child), child.0));
            reached.extend(next);
            if reached.len() == 1 {
                return reached.first().map(|(_, at)| Ref(*at)).filter(|at| *at != ALWAYS);
            }
        }
    }

    /// The part of a relation above a node that all ways on which it holds go through.
    fn above(&mut self, a: Ref, cut: Ref, met: &mut FxHashMap<Ref, Ref>) -> Result<Ref> {
        if a == cut {
            return Ok(ALWAYS);
        }
        if a == NEVER {
            return Ok(NEVER);
        }
        if let Some(known) = met.get(&a) {
            return Ok(*known);
        }
        let result = self.by_cases(&[a], &mut |diagrams, cases| diagrams.above(cases[0], cut, met))?;
        met.insert(a, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Sort, numbers};

    const BITS: u64 = 3;
    const NUMBERS: u64 = 2;
    const MOST: i64 = 3;

    fn bit(id: u64) -> Var {
        Var { id, sort: Sort::Bool }
    }

    fn number(id: u64) -> Var {
        Var { id: BITS + id, sort: Sort::Int }
    }

    fn levels() -> Vec<ValuedVar> {
        let truths = vec![Scalar::Bool(true), Scalar::Bool(false)];
        let bits = (0..BITS).map(|id| (bit(id), truths.clone()));
        let numbers = (0..NUMBERS).map(|id| (number(id), (0..MOST).map(Scalar::int).collect()));
        bits.chain(numbers).collect()
    }

    /// All assignments.
    fn worlds() -> Vec<FxHashMap<Var, Scalar>> {
        let mut worlds = vec![FxHashMap::default()];
        for (var, values) in levels() {
            let with = |world: &FxHashMap<Var, Scalar>, value: &Scalar| {
                let mut world = world.clone();
                world.insert(var, value.clone());
                world
            };
            worlds = worlds.iter().flat_map(|world| values.iter().map(|value| with(world, value))).collect();
        }
        worlds
    }

    fn holds(condition: &Term, world: &FxHashMap<Var, Scalar>) -> bool {
        condition.eval(&mut |var| world.get(&var).cloned()).and_then(|value| value.as_bool()) == Some(true)
    }

    fn integer(random: &mut dyn FnMut(u64) -> u64, depth: u32) -> Term {
        match if depth == 0 { 0 } else { random(6) } {
            0 => Term::var(number(random(NUMBERS))),
            1 => integer(random, depth - 1).add(&integer(random, depth - 1)),
            2 => integer(random, depth - 1).mul(&integer(random, depth - 1)),
            3 => integer(random, depth - 1).rem(&Term::int(2 + random(2) as i64)),
            4 => integer(random, depth - 1).sub(&Term::int(random(4) as i64)),
            _ => Term::ite(&condition(random, depth - 1), &integer(random, depth - 1), &integer(random, depth - 1)),
        }
    }

    fn condition(random: &mut dyn FnMut(u64) -> u64, depth: u32) -> Term {
        match if depth == 0 { 0 } else { random(7) } {
            0 => Term::var(bit(random(BITS))),
            1 => condition(random, depth - 1).not(),
            2 => Term::and(&condition(random, depth - 1), &condition(random, depth - 1)),
            3 => Term::or(&condition(random, depth - 1), &condition(random, depth - 1)),
            4 => Term::eq(&condition(random, depth - 1), &condition(random, depth - 1)),
            5 => Term::le(&integer(random, depth - 1), &integer(random, depth - 1)),
            _ => Term::eq(&integer(random, depth - 1), &integer(random, depth - 1)),
        }
    }

    #[test]
    fn a_diagram_holds_where_its_condition_does() {
        let (mut random, worlds) = (numbers(5), worlds());
        let mut factored = 0;
        for _ in 0..600 {
            let conditions = [condition(&mut random, 3), condition(&mut random, 3)];
            let mut diagrams = Diagrams::new(levels(), 100_000).unwrap();
            let [a, b] = [0, 1].map(|at| diagrams.of(&conditions[at]).unwrap());
            let both = diagrams.and(a, b).unwrap();
            let wanted = Term::and_all(conditions.clone());
            assert!(worlds.iter().all(|world| holds(&diagrams.condition(both), world) == holds(&wanted, world)));
            let model = diagrams.model(both);
            assert_eq!(model.is_some(), worlds.iter().any(|world| holds(&wanted, world)), "{wanted}");
            for value in model.into_iter().flatten() {
                let (var, value) = value;
                assert!(diagrams.values(both, var).unwrap().contains(&value));
            }
            for (var, _) in levels() {
                let mut seen: Vec<&Scalar> =
                    worlds.iter().filter(|world| holds(&wanted, world)).map(|world| &world[&var]).collect();
                seen.sort_unstable();
                seen.dedup();
                let mut values = if both == NEVER { Vec::new() } else { diagrams.values(both, var).unwrap() };
                values.sort_unstable();
                assert_eq!(values.iter().collect::<Vec<_>>(), seen, "{var:?} where {wanted}");
            }
            let factors = diagrams.factors(both).unwrap();
            factored += usize::from(factors.len() > 1);
            let product = Term::and_all(factors.iter().map(|factor| diagrams.condition(*factor)));
            assert!(worlds.iter().all(|world| holds(&product, world) == holds(&wanted, world)), "{wanted}");
        }
        assert!(factored > 100, "{factored}");
    }

    #[test]
    fn what_is_left_without_a_variable_holds_for_some_value_of_it() {
        let (mut random, worlds) = (numbers(6), worlds());
        for _ in 0..300 {
            let conditions = [condition(&mut random, 3), condition(&mut random, 3)];
            let without = [bit(random(BITS)), number(random(NUMBERS))];
            let mut diagrams = Diagrams::new(levels(), 100_000).unwrap();
            let both = conditions.iter().map(|condition| diagrams.of(condition).unwrap()).collect();
            let left = diagrams.and_exists(both, without.into_iter()).unwrap();
            let left = diagrams.condition(left);
            for world in &worlds {
                let alike = |other: &&FxHashMap<Var, Scalar>| {
                    other.iter().all(|(var, value)| without.contains(var) || world[var] == *value)
                };
                let some = worlds.iter().filter(alike).any(|other| conditions.iter().all(|term| holds(term, other)));
                assert_eq!(holds(&left, world), some, "{conditions:?} without {without:?}");
            }
        }
    }
}
