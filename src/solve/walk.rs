//! Local search from the cached model: a constraint that does not hold is mended by the change of one variable that breaks the fewest
//! others, until all hold (WalkSAT: Selman, Kautz, Cohen, *Noise strategies for improving local search*, 1994).
//!
//! From `#1 = 0, #2 = 1` and `#1 != #2`, the new `#1 = 1` breaks the disequality, which `#2 := 0` mends. What is found is a model, as
//! each constraint of a variable that changed was evaluated; if nothing is found, nothing is said.

use super::eliminate::coefficient_and_rest;
use super::facts::Facts;
use super::mdd;
use super::residual::{Component, Id, Residual};
use crate::scalar::{Int, Scalar};
use crate::term::{Kind, Linear, Term, Var, count_walked, made};
use rustc_hash::FxHashMap;

/// A component of no more constraints than this is searched by cases, which refutes, too.
const SEARCHED: usize = 32;
/// Changes that a search makes at most.
const STEPS: usize = 48;
/// Constraints that it evaluates at most.
const EVALUATIONS: usize = 2_000;
/// Variables of a constraint that are considered.
const VARIABLES: usize = 12;
/// Values that are considered of a domain, beside those that the constraint compares with.
const VALUES: usize = 4;
/// The steps during which a variable is not changed again, unless nothing breaks.
const TABU: usize = 4;

/// A search: the values that were changed, and what does not hold under them.
struct Walk<'s> {
    facts: &'s Facts,
    rest: &'s Residual,
    changed: FxHashMap<Var, Scalar>,
    broken: Vec<Id>,
    recent: Vec<Var>,
    /// Constraints that may still be evaluated.
    left: usize,
    /// The number of terms made by this thread at which it gives up.
    last_made: u64,
}

/// A change of one variable.
struct Change {
    var: Var,
    value: Scalar,
    /// The number of constraints of the variable that do not hold after it.
    broken: usize,
    /// The distance of the constraint that is mended from holding after it.
    missing: Int,
}

/// Changes values of the cached model until a component holds, if that is large; returns whether it does.
pub(super) fn walk(facts: &mut Facts, component: &Component, last_made: u64) -> bool {
    let Some(rest) = facts.rest.clone().filter(|_| component.ids.len() > SEARCHED) else { return false };
    // How far a relation is from holding is not the sum of its parts; diagrams decide it.
    if rest.terms_in(component).any(mdd::is_relation) {
        return false;
    }
    let mut walk = Walk {
        facts,
        rest: &rest,
        changed: FxHashMap::default(),
        broken: Vec::new(),
        recent: Vec::new(),
        left: EVALUATIONS,
        last_made,
    };
    let found = walk.run(component);
    if found {
        let changed = walk.changed;
        facts.rest_mut().model.extend(changed);
    }
    found
}

impl Walk<'_> {
    fn run(&mut self, component: &Component) -> bool {
        count_walked(component.ids.len());
        component.ids.iter().for_each(|id| self.note(*id));
        for var in component.vars.iter().copied() {
            let is_outside = self.value(var).is_some_and(|value| !self.facts.domain(var).admits(&value));
            if is_outside && !self.move_inside(var) {
                return false;
            }
        }
        for _ in 0..STEPS {
            let Some(id) = self.broken.pop() else { return true };
            if made() > self.last_made {
                return false;
            }
            let Some(constraint) = self.rest.terms.get(id).filter(|term| !self.holds(term)) else { continue };
            let Some(change) = self.best(constraint) else { return false };
            self.broken.push(id);
            self.make(change);
        }
        self.broken.is_empty()
    }

    /// The value of a variable now.
    fn value(&self, var: Var) -> Option<Scalar> {
        self.changed.get(&var).or_else(|| self.rest.model.get(var)).cloned()
    }

    fn holds(&self, term: &Term) -> bool {
        term.eval(&mut |var| self.value(var)).and_then(|value| value.as_bool()) == Some(true)
    }

    /// Notes a constraint that does not hold, if it must.
    fn note(&mut self, id: Id) {
        let must = self.rest.terms.get(id).filter(|_| !self.rest.open.contains_key(id));
        if must.is_some_and(|term| !self.holds(term)) && !self.broken.contains(&id) {
            self.broken.push(id);
        }
    }

    /// Gives a variable whose domain changed the value in it that breaks the fewest constraints.
    fn move_inside(&mut self, var: Var) -> bool {
        let domain = self.facts.domain(var);
        let values: Vec<Scalar> = domain.candidates(var).take(2 * VALUES).collect();
        let mut best: Option<Change> = None;
        for value in values {
            let limit = best.as_ref().map_or(usize::MAX, |best| best.broken);
            match self.broken_by(limit, var, &value) {
                Some(broken) if broken < limit => best = Some(Change { var, value, broken, missing: Int::ZERO }),
                Some(_) | None => {}
            }
        }
        let found = best.is_some();
        best.into_iter().for_each(|change| self.make(change));
        found
    }

    /// The change that brings a constraint nearer to holding and breaks the fewest others; not of a variable that was changed just
    /// now.
    fn best(&mut self, constraint: &Term) -> Option<Change> {
        let mut vars: Vec<Var> = Vec::new();
        constraint.vars(&mut |var| {
            if vars.len() < VARIABLES && !vars.contains(&var) {
                vars.push(var);
            }
        });
        let now = missing(constraint, &|var| self.value(var));
        let mut best: Option<Change> = None;
        for var in vars.into_iter().rev() {
            let is_recent = self.recent.iter().rev().take(TABU).any(|recent| *recent == var);
            for value in self.values(constraint, var) {
                let missing =
                    missing(constraint, &|other| if other == var { Some(value.clone()) } else { self.value(other) });
                if now.as_ref().zip(missing.as_ref()).is_some_and(|(now, missing)| missing >= now) {
                    continue;
                }
                let Some(missing) = missing else { continue };
                let limit = best.as_ref().map_or(usize::MAX, |best| best.broken);
                let Some(broken) = self.broken_by(limit, var, &value) else { continue };
                let is_better = best.as_ref().is_none_or(|best| (broken, &missing) < (best.broken, &best.missing));
                if is_better && (!is_recent || broken == 0) {
                    best = Some(Change { var, value, broken, missing });
                }
                if best.as_ref().is_some_and(|best| best.broken == 0) || self.left == 0 {
                    return best;
                }
            }
        }
        best
    }

    /// Values of a variable that may make a constraint hold: those at which its parts change, and some of its domain.
    fn values(&self, constraint: &Term, var: Var) -> Vec<Scalar> {
        let (domain, now) = (self.facts.domain(var), self.value(var));
        let mut values: Vec<Scalar> = Vec::new();
        let mut add = |value: Scalar| {
            if Some(&value) != now.as_ref() && domain.admits(&value) && !values.contains(&value) {
                values.push(value);
            }
        };
        constraint.visit(&mut |node| match node.kind() {
            Kind::Eq(a, b) => {
                let other = if a.as_var() == Some(var) { b } else { a };
                if other != a || b.as_var() == Some(var) {
                    other.eval(&mut |var| self.value(var)).into_iter().for_each(&mut add);
                }
            }
            Kind::Le0(linear) | Kind::Eq0(linear) => {
                // At the zero of the sum, rounded down, and beside it.
                let split = coefficient_and_rest(linear, var, &|var| self.value(var));
                let zero = split.map(|(factor, rest)| rest.neg().floor_div(&factor));
                zero.into_iter().flat_map(around).for_each(&mut add);
            }
            _ => {}
        });
        domain.candidates(var).take(VALUES).for_each(&mut add);
        values
    }

    /// The number of constraints of a variable that do not hold with a value; `None` if more than a limit, or if no more
    /// constraints may be evaluated.
    fn broken_by(&mut self, limit: usize, var: Var, value: &Scalar) -> Option<usize> {
        let own = self.rest.of(var);
        count_walked(own.len());
        let mut broken = 0;
        for id in own {
            let Some(term) = self.rest.terms.get(id).filter(|_| !self.rest.open.contains_key(id)) else { continue };
            self.left = self.left.saturating_sub(1);
            let holds = term.eval(&mut |other| if other == var { Some(value.clone()) } else { self.value(other) });
            broken += usize::from(holds.and_then(|holds| holds.as_bool()) != Some(true));
            if broken > limit || self.left == 0 {
                return None;
            }
        }
        Some(broken)
    }

    fn make(&mut self, Change { var, value, .. }: Change) {
        self.changed.insert(var, value);
        self.recent.push(var);
        self.rest.of(var).into_iter().for_each(|id| self.note(id));
    }
}

/// A number, the one before and the one after it.
fn around(value: Int) -> [Scalar; 3] {
    [value.clone(), value.sub(&Int::ONE), value.add(&Int::ONE)].map(Scalar::Int)
}

/// The distance of a condition from holding: 0 if it does; for an inequality, the amount by which its sum is too large; for an
/// equation, the distance of its sum from 0. `None` if a value is missing.
fn missing(condition: &Term, of: &impl Fn(Var) -> Option<Scalar>) -> Option<Int> {
    let sum = |linear: &Linear| {
        let mut sum = linear.constant().clone();
        for (atom, coefficient) in linear.terms() {
            sum = sum.add(&atom.eval(&mut |var| of(var))?.as_int()?.mul(coefficient));
        }
        Some(sum)
    };
    match condition.kind() {
        Kind::Le0(linear) => sum(linear).map(|sum| sum.max(Int::ZERO)),
        Kind::Eq0(linear) => sum(linear).map(|sum| sum.abs()),
        Kind::Or(parts) => parts.iter().filter_map(|part| missing(part, of)).min(),
        Kind::And(parts) => {
            parts.iter().map(|part| missing(part, of)).try_fold(Int::ZERO, |all, part| Some(all.add(&part?)))
        }
        _ => condition.eval(&mut |var| of(var))?.as_bool().map(|holds| if holds { Int::ZERO } else { Int::ONE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Sort, numbers};
    use crate::solve::facts::Touched;
    use crate::solve::{Answer, Limits, Solver, Store};

    const VARIABLES: u64 = 12;
    const VALUES: i64 = 6;

    fn var(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Int })
    }

    /// A constraint of some variables that holds under these values: a disequality, a bound of a sum, a clause or a count.
    fn constraint(random: &mut impl FnMut(u64) -> u64, values: &[i64]) -> Term {
        loop {
            let mut any = || var(random(VARIABLES));
            let (a, b, c) = (any(), any(), any());
            let [n, m] = [(); 2].map(|()| random(2 * VALUES as u64) as i64);
            let is = |a: &Term, n: i64| Term::eq(a, &Term::int(n % VALUES));
            let constraint = match random(4) {
                0 => Term::ne(&a, &b.add(&Term::int(n - m))),
                1 => Term::le(&a.add(&b), &c.add(&Term::int(n))),
                2 => Term::or_all([is(&a, n), is(&b, m), Term::le(&c, &Term::int(n))]),
                _ => Term::le(&Term::bit(&is(&a, n)).add(&Term::bit(&is(&b, n))), &Term::bit(&is(&c, m))),
            };
            let holds = constraint.eval(&mut |var| Some(Scalar::int(values[var.id as usize])));
            if holds.and_then(|holds| holds.as_bool()) == Some(true) && !constraint.is_ground() {
                return constraint;
            }
        }
    }

    #[test]
    fn what_a_walk_finds_is_a_model() {
        let mut random = numbers(17);
        let (mut walked, mut found) = (0, 0);
        for _ in 0..60 {
            let (mut store, mut solver) = (Store::default(), Solver::new(Limits::default()));
            let values: Vec<i64> = (0..VARIABLES).map(|_| random(VALUES as u64) as i64).collect();
            for id in 0..VARIABLES {
                for end in [Term::at_least(&var(id), &Int::ZERO), Term::at_most(&var(id), &Int::from(VALUES - 1))] {
                    store.assume(&end, &mut solver);
                }
            }
            for _ in 0..60 {
                let (new, mut touched) = (constraint(&mut random, &values), Touched::default());
                let mut next = store.clone();
                assert!(next.facts.conjoin(new.clone(), &mut touched).is_ok(), "{new:?} holds under {values:?}");
                if let Some(id) = touched.added.first() {
                    let component = next.facts.component([*id]);
                    let is_model = walk(&mut next.facts, &component, u64::MAX);
                    walked += usize::from(component.ids.len() > SEARCHED);
                    found += usize::from(is_model);
                    let rest = next.facts.rest.as_ref().expect("a constraint");
                    let value = |var: Var| rest.model.get(var).cloned();
                    let holds = |id: &Id| {
                        rest.terms.get(*id).and_then(|term| term.eval(&mut |var| value(var)))
                            == Some(Scalar::Bool(true))
                    };
                    let within = |var: &Var| value(*var).is_some_and(|value| next.facts.domain(*var).admits(&value));
                    let all = component.ids.iter().all(holds) && component.vars.iter().all(within);
                    assert!(!is_model || all, "{:?}", next.constraints());
                }
                assert_eq!(store.assume(&new, &mut solver), Answer::Sat, "{new:?} holds under {values:?}");
            }
        }
        assert!(walked > 200 && found > walked / 2, "{found} of {walked}");
    }
}
