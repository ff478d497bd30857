//! Parts of a store: the facts about some variables, taken out of a store and put back.
//!
//! The part of `#1 <= #2, #3 = 5` about #1 and #2 is `#1 <= #2`. Stores that grew out of one store share memory, so the facts that
//! differ are found without a look at all of them.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Store;
use crate::term::{Term, Var};

/// Connections between variables: constraints and bindings. With `#1 <= #2` and `#3 := #2 + 1` all three are connected.
#[derive(Debug)]
pub struct Connections<'s> {
    stores: SmallVec<[&'s Store; 1]>,
    /// The variables that bindings connect, both ways.
    bound: FxHashMap<Var, Vec<Var>>,
}

impl<'s> Connections<'s> {
    /// The connections by the constraints of a store alone, whose bindings have been substituted.
    #[must_use]
    pub fn by_constraints(store: &'s Store) -> Connections<'s> {
        Connections { stores: SmallVec::from_buf([store]), bound: FxHashMap::default() }
    }

    /// The connections by the constraints and bindings of some stores.
    #[must_use]
    pub fn of(stores: impl IntoIterator<Item = &'s Store>) -> Connections<'s> {
        let stores: SmallVec<[&Store; 1]> = stores.into_iter().collect();
        let mut bound: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
        for (var, value) in stores.iter().flat_map(|store| store.facts.bindings.iter()) {
            value.vars(&mut |other| {
                bound.entry(var).or_default().push(other);
                bound.entry(other).or_default().push(var);
            });
        }
        Connections { stores, bound }
    }

    /// These variables and all that are connected with them.
    #[must_use]
    pub fn close(&self, vars: FxHashSet<Var>) -> FxHashSet<Var> {
        self.close_among(vars, |_| true).unwrap_or_default()
    }

    /// These variables and all that are connected with them; `None` if one of them does not pass a test.
    #[must_use]
    pub fn close_among(&self, vars: FxHashSet<Var>, test: impl Fn(Var) -> bool) -> Option<FxHashSet<Var>> {
        let (first, mut all) = (vars.iter().copied().collect(), vars);
        self.follow(&mut all, first, test).map(|_| all)
    }

    /// Adds variables, and all that are connected with them, to the set of variables that were met; returns those that are new in it.
    pub fn extend(&self, met: &mut FxHashSet<Var>, vars: impl IntoIterator<Item = Var>) -> Vec<Var> {
        let first = vars.into_iter().filter(|var| met.insert(*var)).collect();
        self.follow(met, first, |_| true).unwrap_or_default()
    }

    /// Adds the variables that are connected with the new ones to the new ones and to the set of variables that were met; `None` as soon
    /// as one does not pass a test.
    fn follow(&self, met: &mut FxHashSet<Var>, mut new: Vec<Var>, test: impl Fn(Var) -> bool) -> Option<Vec<Var>> {
        let (mut at, mut walked) = (0, FxHashSet::default());
        while at < new.len() {
            let var = new[at];
            if !test(var) {
                return None;
            }
            let mut visit = |other: Var| {
                if met.insert(other) {
                    new.push(other);
                }
            };
            self.bound.get(&var).into_iter().flatten().for_each(|other| visit(*other));
            let constraints = self.stores.iter().flat_map(|store| store.constraints_on(var));
            let new_ones = constraints.filter(|constraint| walked.insert(std::ptr::from_ref(*constraint)));
            new_ones.for_each(|constraint| constraint.vars(&mut visit));
            at += 1;
        }
        Some(new)
    }
}

impl Store {
    /// Tests whether every question was decided and no log is kept: then parts without common variables are independent.
    #[must_use]
    pub fn is_separable(&self) -> bool {
        self.is_decided() && self.trail.is_none()
    }

    /// Tests whether the store is alive and every question about it was decided.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        let is_open = self.facts.rest.as_ref().is_some_and(|rest| !rest.open.is_empty());
        !self.dead && self.doubt.is_none() && !is_open
    }

    /// Visits every variable with a binding, a domain or a constraint that another store does not have alike; it may visit others.
    pub fn differing_variables(&self, other: &Store, visit: &mut dyn FnMut(Var)) {
        self.facts.bindings.differing(&other.facts.bindings, visit);
        self.facts.domains.differing(&other.facts.domains, visit);
        let (Some(own), Some(theirs)) = (&self.facts.rest, &other.facts.rest) else {
            let only = self.facts.rest.iter().chain(&other.facts.rest);
            return only.flat_map(|rest| rest.terms.values()).for_each(|term| term.vars(&mut |var| visit(var)));
        };
        if std::sync::Arc::ptr_eq(own, theirs) {
            return;
        }
        own.terms.differing(&theirs.terms, &mut |id| {
            let of_own = own.terms.get(id).filter(|term| !theirs.contains(term));
            let of_other = theirs.terms.get(id).filter(|term| !own.contains(term));
            of_own.into_iter().chain(of_other).for_each(|term| term.vars(&mut |var| visit(var)));
        });
    }

    /// The part of the store about some variables; no other variable may be connected with them.
    #[must_use]
    pub fn part(&self, vars: &FxHashSet<Var>) -> Store {
        let mut part = Store::default();
        for var in vars {
            if let Some(value) = self.facts.bindings.get(*var) {
                part.facts.bindings.insert(*var, value.clone());
            } else if let Some(domain) = self.facts.domains.get(*var) {
                part.facts.domains.insert(*var, domain.clone());
            }
        }
        let Some(rest) = &self.facts.rest else { return part };
        let mut ids: Vec<_> = vars.iter().flat_map(|var| rest.of(*var)).collect();
        ids.sort_unstable();
        ids.dedup();
        if !ids.is_empty() {
            let target = part.facts.rest_mut();
            ids.iter().filter_map(|id| rest.terms.get(id)).for_each(|term| _ = target.insert(term.clone()));
            let valued = |var: &Var| Some((*var, rest.model.get(*var)?.clone()));
            target.model.extend(vars.iter().filter_map(valued));
        }
        part
    }

    /// Drops the part of the store about some variables; no other variable may be connected with them.
    pub fn remove_part(&mut self, vars: &FxHashSet<Var>) {
        for var in vars {
            self.facts.bindings.remove(*var);
            self.facts.domains.remove(*var);
            let ids = self.facts.rest.as_ref().map(|rest| rest.of(*var)).filter(|ids| !ids.is_empty());
            ids.into_iter().flatten().for_each(|id| _ = self.facts.rest_mut().remove(id));
        }
        if self.facts.rest_is_empty() {
            self.facts.rest = None;
        }
    }

    /// Adds the facts of another store, which has no variable in common with this one.
    pub fn add_part(&mut self, part: &Store) {
        let entries = |(var, value): (Var, &Term)| (var, value.clone());
        self.facts.bindings.extend(part.facts.bindings.iter().map(entries));
        self.facts.domains.extend(part.facts.domains.iter().map(|(var, domain)| (var, domain.clone())));
        if let Some(rest) = part.facts.rest.as_ref().filter(|rest| !rest.terms.is_empty()) {
            let target = self.facts.rest_mut();
            for (id, term) in rest.terms.iter() {
                let new = target.insert(term.clone());
                target.open.extend(new.zip(rest.open.get(id).copied()));
            }
            target.model.extend(rest.model.iter().map(|(var, value)| (var, value.clone())));
        }
        (self.dead, self.doubt) = (self.dead || part.dead, self.doubt.or(part.doubt));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::solve::{Answer, Solver};

    const VARIABLES: u64 = 40;

    /// A condition on variables of one of two halves.
    fn condition(next: &mut dyn FnMut(u64) -> u64) -> (bool, Term) {
        let upper = next(2) == 1;
        let mut var = || Term::var(Var { id: 2 * next(VARIABLES / 2) + u64::from(upper), sort: Sort::Int });
        let (x, y) = (var(), var());
        let known = Term::int(next(9) as i64);
        let term = match next(6) {
            0 => Term::eq(&x, &known),
            1 => Term::eq(&x, &y.add(&known)),
            2 => Term::le(&x.add(&y), &known),
            3 => Term::ne(&x, &y),
            _ => Term::le(&x, &known),
        };
        (upper, term)
    }

    #[test]
    fn a_store_is_its_parts() {
        let (mut next, mut solver) = (numbers(3), Solver::default());
        let mut stated = 0;
        for _ in 0..400 {
            let (mut whole, mut halves) = (Store::default(), [Store::default(), Store::default()]);
            for _ in 0..1 + next(60) {
                let (upper, term) = condition(&mut next);
                let mut longer = whole.clone();
                if longer.assume(&term, &mut solver) == Answer::Sat {
                    (whole, stated) = (longer, stated + 1);
                    halves[usize::from(upper)].assume(&term, &mut solver);
                }
            }
            let of = |upper: bool| (0..VARIABLES).filter(move |id| (id % 2 == 1) == upper);
            let vars = |upper: bool| of(upper).map(|id| Var { id, sort: Sort::Int }).collect::<FxHashSet<Var>>();
            let mut lower = whole.clone();
            lower.remove_part(&vars(true));
            let upper = whole.part(&vars(true));
            assert!(lower == halves[0] && upper == halves[1], "{whole:?}");
            lower.add_part(&upper);
            assert!(lower == whole, "{lower:?} for {whole:?}");
        }
        assert!(stated > 2_000, "{stated}");
    }

    #[test]
    fn what_is_said_of_other_variables_is_the_same() {
        let (mut next, mut solver) = (numbers(4), Solver::default());
        let mut pool = vec![Store::default(); 5];
        let (mut same, mut different) = (0, 0);
        for _ in 0..20_000 {
            let (at, other) = (next(5) as usize, next(5) as usize);
            match next(12) {
                0 => pool[at] = Store::default(),
                1 | 2 => pool[at] = pool[other].clone(),
                _ => {
                    let mut longer = pool[at].clone();
                    if longer.assume(&condition(&mut next).1, &mut solver) == Answer::Sat {
                        pool[at] = longer;
                    }
                }
            }
            let (one, two) = (&pool[at], &pool[other]);
            let mut differing = FxHashSet::default();
            one.differing_variables(two, &mut |var| _ = differing.insert(var));
            for var in (0..VARIABLES).map(|id| Var { id, sort: Sort::Int }).filter(|var| !differing.contains(var)) {
                assert_eq!(
                    (one.binding(var).is_some(), one.domain(var)),
                    (two.binding(var).is_some(), two.domain(var))
                );
                let on =
                    |store: &Store| store.constraints_on(var).cloned().collect::<std::collections::BTreeSet<Term>>();
                assert_eq!(on(one), on(two));
                same += 1;
            }
            different += differing.len();
        }
        assert!(same > 10_000 && different > 10_000, "{same}, {different}");
    }
}
