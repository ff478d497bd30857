//! Difference constraints over hidden integers: a component of a store that has no other constraints is a zone.
//!
//! For example the times `#1 <= #2`, `#2 <= #3`, `#3 <= #1 + 50` without `#2` are `#1 <= #3`, `#3 <= #1 + 50`. All dead variables of
//! such a component are forgotten at once, by leaving out their rows (`proofs-notes/differences.md`).

pub(crate) mod bounds;
pub(crate) mod zone;

use super::domains::domain::Domain;
use super::facts::{Facts, Touched};
use super::forgetting::eliminate::inequality;
use super::forgetting::trail::Elimination;
use super::residual::{Component, Id};
use super::store::Store;
use crate::limits;
use crate::scalar::{Int, Scalar};
use crate::term::{Linear, Term, Var};
use bounds::{edge, is_ranged, zone};
use std::collections::{BTreeMap, BTreeSet};
use zone::Zone;

/// A store in two independent parts: the zone of some integers, which only bounds and differences restrict, and the rest.
pub struct Differences {
    /// The integers.
    pub atoms: Vec<Term>,
    /// The values that the integers may have together.
    pub zone: Zone,
    /// Everything else that the store says.
    pub others: Vec<Term>,
}

impl Differences {
    /// Tests whether a store has bounds of integers, or constraints beyond the domains of single variables.
    #[must_use]
    pub fn may_be_in(store: &Store) -> bool {
        store.facts.rest.is_some() || store.facts.domains.unsorted().any(|(var, _)| is_ranged(&store.facts, var))
    }

    /// The zone of those `atoms` that only bounds and differences restrict, and everything else that the store says. Other variables
    /// with no more than differences are projected away, exactly. `None` if the store has bindings or doubts, or the zone would be
    /// too large.
    #[must_use]
    pub fn of(store: &Store, atoms: &[Term]) -> Option<Differences> {
        if store.dead || store.doubt().is_some() || store.has_bindings() {
            return None;
        }
        let facts = &store.facts;
        let mixed = mixed(facts);
        let is_plain = |var: &Var| !mixed.contains(var);
        let own = atoms.iter().filter(|atom| atom.as_var().is_some_and(|var| is_plain(&var) && is_ranged(facts, var)));
        let atoms: Vec<Term> = own.cloned().collect();
        let mut vars: Vec<Var> = atoms.iter().filter_map(Term::as_var).collect();
        let kept: Vec<usize> = (1..=vars.len()).collect();
        let constrained = facts.rest.iter().flat_map(|rest| rest.of_var.keys());
        let hidden: Vec<Var> = constrained.filter(|var| is_plain(var) && !vars.contains(var)).collect();
        vars.extend(hidden);
        let terms = facts.remaining().map(|(_, term)| term);
        let (own, others): (Vec<&Term>, Vec<&Term>) =
            terms.partition(|term| !term.any_var(&mut |var| mixed.contains(&var)));
        let zone = zone(facts, &vars, own)??.only(&kept);
        let beside = facts.domains.iter().filter(|(var, _)| !vars.contains(var));
        let mut left: Vec<Term> = beside.flat_map(|(var, domain)| domain.conditions(&Term::var(var))).collect();
        left.extend(others.into_iter().cloned());
        Some(Differences { atoms, zone, others: left })
    }
}

/// Replaces all that a store says of these variables by a zone. They are the atoms of [`Differences::of`]: nothing but bounds and
/// differences restricts them.
pub fn set_zone(store: &mut Store, atoms: &[Term], zone: &Zone) {
    let vars = atoms.iter().filter_map(Term::as_var);
    let ids: BTreeSet<Id> =
        store.facts.rest.iter().flat_map(|rest| vars.clone().flat_map(|var| rest.of(var))).collect();
    let component = store.facts.component(ids);
    store.facts.take_out(&component);
    put_zone(store, atoms, zone);
}

/// The variables of constraints that are no differences, and all variables that are connected with them.
fn mixed(facts: &Facts) -> BTreeSet<Var> {
    let beyond = facts.remaining().filter(|(_, term)| edge(facts, term).is_none()).map(|(id, _)| id);
    facts.component(beyond).vars
}

/// Forgets the dead variables of the components that have only differences; returns whether it replaced one.
pub(super) fn forget(store: &mut Store, live: &dyn Fn(Var) -> bool) -> bool {
    let Some(rest) = &store.facts.rest else { return false };
    let mut dead: BTreeSet<Var> = rest.of_var.keys().filter(|var| !live(*var)).collect();
    let mut any = false;
    while let Some(var) = dead.pop_first() {
        let Some(rest) = &store.facts.rest else { break };
        let component = rest.component(rest.of(var));
        dead.retain(|var| !component.vars.contains(var));
        any |= forget_in(store, &component, live).is_some();
    }
    any
}

/// Forgets the dead variables of a component, if it has only differences and as many constraints as before are enough.
fn forget_in(store: &mut Store, component: &Component, live: &dyn Fn(Var) -> bool) -> Option<()> {
    let rest = store.facts.rest.as_ref()?;
    if component.vars.len() > limits::ZONE || component.ids.iter().any(|id| rest.open.get(id).is_some()) {
        return None;
    }
    if component.vars.iter().any(|var| store.is_in_binding(*var)) {
        return None;
    }
    let terms: Vec<&Term> = rest.terms_in(component).collect();
    let named = atoms_of(&terms);
    let vars: Vec<Var> = named.keys().copied().collect();
    let kept: Vec<usize> = (0..vars.len()).filter(|at| live(vars[*at])).map(|at| at + 1).collect();
    let zone = zone(&store.facts, &vars, terms)??.only(&kept);
    let atoms: Vec<Term> = kept.iter().map(|at| named[&vars[at - 1]].clone()).collect();
    let more = zone.edges().iter().filter(|(i, j, _)| *i > 0 && *j > 0).count() > component.ids.len();
    if more {
        return None;
    }
    if store.trail.is_some() {
        let constraints = store.facts.part(component).conditions();
        let vars = vars.into_iter().filter(|var| !live(*var)).collect();
        store.log(|| Elimination::Projected { vars, constraints });
    }
    store.facts.take_out(component);
    put_zone(store, &atoms, &zone);
    Some(())
}

/// Adds the bounds of a zone to variables of which nothing is known.
fn put_zone(store: &mut Store, atoms: &[Term], zone: &Zone) {
    let is_known = |i: usize| zone.first_known_from(i) == 0;
    let mut known = Vec::new();
    for (at, atom) in atoms.iter().enumerate() {
        let Some(var) = atom.as_var() else { continue };
        if is_known(at + 1) {
            known.push(Term::eq(atom, &Term::int(zone.most(at + 1, 0))));
            continue;
        }
        let (lo, hi) = (zone.bound(0, at + 1).map(|most| Int::from(-most)), zone.bound(at + 1, 0).map(Int::from));
        store.set_domain(var, Domain::interval(lo, hi));
    }
    let facts = &mut store.facts;
    for (i, j, most) in zone.edges().into_iter().filter(|(i, j, _)| !is_known(*i) && !is_known(*j)) {
        let above = Linear::of(&atoms[i - 1]).plus(&Int::MINUS_ONE, &Linear::of(&atoms[j - 1]));
        facts.rest_mut().insert(Term::le0(above.plus_constant(&Int::from(-most))));
    }
    let mut touched = Touched::default();
    store.dead |= known.into_iter().try_for_each(|condition| facts.conjoin(condition, &mut touched)).is_err();
    if let Some(rest) = facts.rest.as_mut().map(std::sync::Arc::make_mut) {
        for (var, value) in atoms.iter().filter_map(Term::as_var).zip(zone.point()) {
            if rest.of_var.contains_key(var) {
                rest.model.insert(var, Scalar::Int(Int::from(value)));
            }
        }
    }
}

/// The variables of some inequalities, each with the term by which it occurs.
fn atoms_of(terms: &[&Term]) -> BTreeMap<Var, Term> {
    let atoms = terms.iter().filter_map(|term| inequality(term)).flat_map(Linear::terms);
    atoms.filter_map(|(atom, _)| Some((atom.as_var()?, atom.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::solve::{Answer, Solver};

    const VARS: u64 = 4;
    const VALUES: i64 = 5;

    fn int(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Int })
    }

    /// All values of all variables.
    fn tuples() -> impl Iterator<Item = Vec<i64>> {
        (0..VALUES.pow(VARS as u32)).map(|n| (0..VARS).map(|at| n / VALUES.pow(at as u32) % VALUES).collect())
    }

    fn holds(conditions: &[Term], tuple: &[i64]) -> bool {
        let mut value = |var: Var| tuple.get(var.id as usize).copied().map(Scalar::int);
        conditions.iter().all(|condition| condition.eval(&mut value).and_then(|value| value.as_bool()) == Some(true))
    }

    /// Bounds of all variables, some differences, and now and then a constraint that is neither.
    fn conditions(next: &mut dyn FnMut(u64) -> u64) -> Vec<Term> {
        let bounds =
            (0..VARS).flat_map(|id| [Term::le(&Term::int(0), &int(id)), Term::lt(&int(id), &Term::int(VALUES))]);
        let mut all: Vec<Term> = bounds.collect();
        let strange = next(3) == 0;
        for _ in 0..2 + next(5) {
            let (x, y) = (int(next(VARS)), int(next(VARS)));
            let known = Term::int(next(7) as i64 - 2);
            all.push(match next(if strange { 9 } else { 5 }) {
                0..4 => Term::le(&x, &y.add(&known)),
                4 => Term::le(&x, &known.add(&Term::int(2))),
                5 => Term::ne(&x, &known),
                6 => Term::ne(&x, &y.add(&known)),
                7 => Term::le(&x.add(&y), &known.add(&Term::int(3))),
                _ => Term::le(&x.add(&x), &y.add(&known)),
            });
        }
        all
    }

    /// The tuples that satisfy the conditions, projected to the given variables.
    fn possible(conditions: &[Term], kept: &[usize]) -> BTreeSet<Vec<i64>> {
        let all = tuples().filter(|tuple| holds(conditions, tuple));
        all.map(|tuple| kept.iter().map(|at| tuple[*at]).collect()).collect()
    }

    fn store(conditions: &[Term], solver: &mut Solver) -> Option<Store> {
        let mut store = Store::default();
        (store.assume_all(conditions.to_vec(), solver) == Answer::Sat).then_some(store)
    }

    #[test]
    fn zones_of_stores_are_the_sets_that_enumeration_finds() {
        let (mut next, mut solver) = (numbers(5), Solver::default());
        let (mut whole, mut partly, mut solved) = (0, 0, 0);
        for _ in 0..500 {
            let conditions = conditions(&mut next);
            let Some(store) = store(&conditions, &mut solver) else {
                assert!(possible(&conditions, &[0]).is_empty(), "{conditions:?}");
                continue;
            };
            let kept: Vec<usize> = (0..VARS as usize).filter(|_| next(3) > 0).collect();
            let atoms: Vec<Term> = kept.iter().map(|at| int(*at as u64)).collect();
            let Some(known) = Differences::of(&store, &atoms) else {
                assert!(store.has_bindings());
                solved += 1;
                continue;
            };
            let mut set = store.clone();
            set_zone(&mut set, &known.atoms, &known.zone);
            let all = possible(&conditions, &(0..VARS as usize).collect::<Vec<_>>());
            let plain: Vec<usize> = known.atoms.iter().filter_map(|a| Some(a.as_var()?.id as usize)).collect();
            *(if plain == kept { &mut whole } else { &mut partly }) += 1;
            let said = possible(&set.constraints(), &plain);
            assert_eq!(said, possible(&conditions, &plain), "{conditions:?} {set:?}");
            // The zone and the other conditions are independent of each other.
            let beside: Vec<usize> = (0..VARS as usize)
                .filter(|at| known.others.iter().any(|t| t.mentions(Var { id: *at as u64, sort: Sort::Int })))
                .collect();
            let both: Vec<usize> = plain.iter().chain(&beside).copied().collect();
            assert_eq!(possible(&conditions, &both).len(), said.len() * possible(&conditions, &beside).len());
            assert!(all.is_empty() || set.check(&Term::truth(), &mut solver) == Answer::Sat);
            assert!(set.model(&[], &mut solver, &mut |_| 0).is_ok(), "{set:?}");
        }
        assert!(whole > 100 && partly > 20 && solved > 20, "{whole} {partly} {solved}");
    }

    #[test]
    fn forgotten_differences_leave_what_is_possible() {
        let (mut next, mut solver) = (numbers(6), Solver::default());
        let (mut gone, mut kept) = (0, 0);
        for _ in 0..500 {
            let conditions = conditions(&mut next);
            let Some(mut store) = store(&conditions, &mut solver) else { continue };
            let live: Vec<usize> = (0..VARS as usize).filter(|_| next(2) > 0).collect();
            let is_live = |var: Var| live.contains(&(var.id as usize)) || store.is_in_binding(var);
            let mut forgotten = store.clone();
            let any = forget(&mut forgotten, &is_live);
            *(if any { &mut gone } else { &mut kept }) += 1;
            assert_eq!(possible(&forgotten.constraints(), &live), possible(&conditions, &live), "{conditions:?}");
            for _ in 0..3 {
                let more = Term::le(&int(next(VARS)), &int(next(VARS)).add(&Term::int(next(5) as i64 - 2)));
                if !more.any_var(&mut |var| !live.contains(&(var.id as usize))) {
                    let (one, two) = (store.assume(&more, &mut solver), forgotten.assume(&more, &mut solver));
                    assert_eq!(one, two, "{conditions:?} {more}");
                }
            }
        }
        assert!(gone > 60 && kept > 60, "{gone} {kept}");
    }
}
