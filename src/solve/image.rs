//! Images: what may be after some steps of a system with few values in each place, whatever led there (Burch, Clarke, McMillan,
//! Dill, Hwang, *Symbolic model checking: 10^20 states and beyond*, 1990).
//!
//! ```text
//! a = #1,  b = if #2 { #1 } else { #3 },  #1 || #3       before
//! a = #4,  b = #5,                        #4 || #5       after
//! ```
//!
//! The terms in memory get names; the relation between the names is what is left if all else is forgotten. It is as large as
//! what is known of the places, not as the way there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::mdd::{self, Diagrams, Ref, TooLarge, ValuedVar};
use super::trail::Elimination;
use super::{Domain, Solver, Store};
use crate::scalar::{Scalar, Sort};
use crate::term::{Term, Var};

/// No more nodes than this are looked at for an image.
const WORK: usize = 200_000;

/// A relation of more nodes is not kept.
const NODES: usize = 4_000;

/// A term with the variable that stands for it, and its values.
struct Named {
    var: Var,
    term: Term,
    values: Vec<Scalar>,
}

/// A system of constraints on variables that are to be forgotten, and the remaining terms over them.
struct LinearSystem {
    conditions: Vec<Term>,
    old: Vec<Var>,
    names: Vec<Named>,
}

/// Gives names to terms, and makes the relation between the names all that is known of some variables, with which no others
/// are connected; the names. Nothing is done if one of them has many values, or the relation would be too large.
pub fn take(
    store: &mut Store,
    vars: &FxHashSet<Var>,
    terms: &[Term],
    fresh: &mut dyn FnMut(Sort) -> Term,
    solver: &mut Solver,
) -> Option<FxHashMap<Term, Term>> {
    let (mut system, levels) = LinearSystem::of(store, vars, terms, fresh)?;
    let mut diagrams = Diagrams::new(levels, WORK).ok()?;
    let facts = system.image(&mut diagrams).ok()?;
    let values = |name: &Named| Domain::of(name.values.iter().cloned());
    let domains: Vec<Domain> = system.names.iter().map(values).collect::<Option<_>>()?;
    if store.trail().is_some() {
        let equations = system.names.iter().map(|name| Term::eq(&Term::var(name.var), &name.term));
        let domains = vars.iter().flat_map(|var| store.domain(*var).conditions(&Term::var(*var)));
        let constraints = system.conditions.iter().cloned().chain(domains).chain(equations).collect();
        store.log(|| Elimination::Projected { vars: vars.iter().copied().collect(), constraints });
    }
    store.remove_part(vars);
    for (Named { var, values, .. }, domain) in system.names.iter().zip(domains) {
        if var.sort != Sort::Bool && values.len() > 1 {
            store.set_domain(*var, domain);
        }
    }
    let known = system.names.iter().filter(|name| name.values.len() == 1);
    let known = known.map(|name| Term::eq(&Term::var(name.var), &Term::constant(name.values[0].clone())));
    store.assume_all(known.chain(facts), solver);
    Some(system.names.into_iter().map(|name| (name.term, Term::var(name.var))).collect())
}

impl LinearSystem {
    /// The system of some variables and terms, and the levels of its variables: those that belong together are close.
    fn of(
        store: &Store,
        vars: &FxHashSet<Var>,
        terms: &[Term],
        fresh: &mut dyn FnMut(Sort) -> Term,
    ) -> Option<(LinearSystem, Vec<ValuedVar>)> {
        let mut old: Vec<Var> = vars.iter().copied().collect();
        old.sort_unstable();
        let mut conditions: FxHashSet<Term> = FxHashSet::default();
        for var in &old {
            conditions.extend(store.constraints_on(*var).cloned());
            conditions.extend(store.binding(*var).map(|value| Term::eq(&Term::var(*var), &value)));
        }
        let mut conditions: Vec<Term> = conditions.into_iter().collect();
        conditions.sort_unstable();
        let placed: Vec<(f64, &Term)> = (0..).map(f64::from).zip(terms).collect();
        let positions = positions(store, &old, &placed);
        let mut levels: Vec<(f64, Var, Vec<Scalar>)> = Vec::new();
        for var in &old {
            levels.push((positions[var], *var, store.few_values(*var, mdd::VALUES)?));
        }
        let mut names = Vec::new();
        for (at, term) in placed {
            let var = fresh(term.sort()).as_var()?;
            levels.push((at, var, Vec::new()));
            names.push(Named { var, term: term.clone(), values: Vec::new() });
        }
        levels.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let levels = levels.into_iter().map(|(_, var, values)| (var, values)).collect();
        Some((LinearSystem { conditions, old, names }, levels))
    }

    /// The relation between the names as conditions, and their values under it.
    fn image(&mut self, diagrams: &mut Diagrams) -> Result<Vec<Term>, TooLarge> {
        let mut relations: Vec<Ref> = Vec::new();
        // What is said of a name is simpler than what is said of what it stands for.
        let names: FxHashMap<&Term, Term> = self.names.iter().map(|name| (&name.term, Term::var(name.var))).collect();
        let mut order: Vec<&Named> = self.names.iter().collect();
        order.sort_by_key(|name| name.term.size());
        for name in order {
            let inside = |node: &Term| names.get(node).filter(|_| *node != name.term).cloned();
            let value = diagrams.of(&name.term.replace(&inside))?;
            diagrams.set_values(name.var, diagrams.terminals(value).ok_or(TooLarge)?);
            relations.push(diagrams.equation(name.var, value)?);
        }
        for condition in &self.conditions {
            relations.push(diagrams.of(&condition.replace(&|node| names.get(node).cloned()))?);
        }
        let relation = diagrams.and_exists(relations, self.old.iter().copied())?;
        if relation == mdd::NEVER || diagrams.size(relation) > NODES {
            return Err(TooLarge);
        }
        for name in &mut self.names {
            name.values = diagrams.values(relation, name.var)?;
        }
        let factors = diagrams.factors(relation)?;
        Ok(factors.into_iter().map(|factor| diagrams.condition(factor)).collect())
    }
}

/// The places of variables among terms: in the middle of those that mention them. What nothing is known of was chosen of late; it
/// comes first, as much may depend on it.
fn positions(store: &Store, vars: &[Var], terms: &[(f64, &Term)]) -> FxHashMap<Var, f64> {
    let mut sums: FxHashMap<Var, (f64, f64)> = FxHashMap::default();
    for (at, term) in terms {
        let mut own: Vec<Var> = Vec::new();
        term.vars(&mut |var| own.push(var));
        let weight = 1.0 / own.len() as f64;
        for var in own {
            let (sum, total) = sums.entry(var).or_default();
            (*sum, *total) = (*sum + weight * at, *total + weight);
        }
    }
    let mut last = 0.0;
    let position = |var: &Var| {
        if !store.is_constrained(*var) {
            return (*var, -1.0);
        }
        last = sums.get(var).map_or(last, |(sum, total)| sum / total);
        (*var, last)
    };
    vars.iter().map(position).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::scalar::numbers;
    use crate::solve::{Answer, Limits};

    const PLACES: usize = 4;

    fn truth(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Bool })
    }

    /// The states that a store allows for some places.
    fn states(store: &Store, places: &[Term], solver: &mut Solver) -> BTreeSet<Vec<i64>> {
        let mut found = BTreeSet::new();
        let mut open = vec![(store.clone(), Vec::new())];
        while let Some((store, state)) = open.pop() {
            let Some(place) = places.get(state.len()) else {
                found.insert(state);
                continue;
            };
            for value in 0..3 {
                let is = match place.sort() {
                    Sort::Bool if value > 1 => continue,
                    Sort::Bool => Term::eq(place, &Term::constant(Scalar::Bool(value == 1))),
                    _ => Term::eq(place, &Term::int(value)),
                };
                let mut stated = store.clone();
                if stated.assume(&is, solver) == Answer::Sat {
                    open.push((stated, [&state[..], &[value]].concat()));
                }
            }
        }
        found
    }

    /// A server with some bits and a number from 0 to 2 goes on from state to state: copies one place to another that nobody
    /// sees, and learns a little. With images and without, the states are the same; with images, the store does not grow.
    #[test]
    fn an_image_has_the_same_states() {
        let mut random = numbers(3);
        let (mut taken, mut several) = (0, 0);
        for _ in 0..40 {
            let mut solver = Solver::new(Limits::default());
            let (mut plain, mut store) = (Store::default(), Store::default());
            let mut next = 0;
            let mut fresh = |sort: Sort| {
                next += 1;
                Term::var(Var { id: next, sort })
            };
            let mut places: Vec<Term> = (0..PLACES).map(|_| fresh(Sort::Bool)).collect();
            places.push(Term::int(0));
            let mut expected = places.clone();
            for _ in 0..6 {
                let (from, to) = (random(PLACES as u64) as usize, random(PLACES as u64) as usize);
                let choice = fresh(Sort::Bool);
                let change = |places: &mut Vec<Term>| {
                    places[to] = Term::or(&Term::and(&choice, &places[from]), &Term::and(&choice.not(), &places[to]));
                    let more = places[PLACES].add(&Term::int(1)).rem(&Term::int(3));
                    places[PLACES] = Term::ite(&places[to], &more, &places[PLACES]);
                };
                change(&mut places);
                change(&mut expected);
                let learned = |places: &[Term]| Term::or(&places[from], &places[(to + 1) % PLACES].not());
                if random(3) > 0 {
                    assert_eq!(store.assume(&learned(&places), &mut solver), Answer::Sat);
                    assert_eq!(plain.assume(&learned(&expected), &mut solver), Answer::Sat);
                }
                places.iter_mut().for_each(|place| *place = store.resolve(place));
                expected.iter_mut().for_each(|place| *place = plain.resolve(place));
                store.forget(&|var| places.iter().any(|place| place.mentions(var)), &mut solver);
                let mut vars = FxHashSet::default();
                places.iter().for_each(|place| place.vars(&mut |var| _ = vars.insert(var)));
                let vars = crate::solve::Connections::of([&store]).close(vars);
                let mut terms: Vec<Term> = Vec::new();
                for place in places.iter().filter(|place| !place.is_ground()) {
                    if !terms.contains(place) {
                        terms.push(place.clone());
                    }
                }
                if let Some(names) = take(&mut store, &vars, &terms, &mut fresh, &mut solver) {
                    taken += 1;
                    let named = |place: &Term| names.get(place).map(|name| store.resolve(name));
                    places = places.iter().map(|place| named(place).unwrap_or_else(|| place.clone())).collect();
                }
                let (own, all) = (states(&store, &places, &mut solver), states(&plain, &expected, &mut solver));
                assert_eq!(own, all);
                several += usize::from(own.len() > 1);
            }
        }
        assert!(taken > 100 && several > 100, "{taken} images, {several} of several states");
    }

    #[test]
    fn a_variable_of_many_values_has_no_level() {
        let (mut store, mut solver) = (Store::default(), Solver::default());
        let number = Term::var(Var { id: 1, sort: Sort::Int });
        store.assume(&Term::le(&Term::int(0), &number), &mut solver);
        let places = [Term::ite(&truth(2), &number, &Term::int(0))];
        let vars = [Var { id: 1, sort: Sort::Int }, Var { id: 2, sort: Sort::Bool }].into_iter().collect();
        let before = store.clone();
        let mut fresh = |sort: Sort| Term::var(Var { id: 3, sort });
        assert!(take(&mut store, &vars, &places, &mut fresh, &mut solver).is_none());
        assert!(store == before);
    }
}
