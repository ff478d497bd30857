//! Growing sums as differences: a clock that advances a little with each request gets a variable for each moment, in the place of one
//! for each advance.
//!
//! ```text
//! now = #1 + #2 + #3,  until = #1 + 8,  #2 + #3 <= 7         with 0 to 3 for each
//! now = #5,            until = #1 + 8,  #5 <= #1 + 7         with 0 to 3 for #4 - #1 and #5 - #4
//! ```
//!
//! Here #4 and #5 stand for the sums up to #2 and #3. PendingPerEvent that do not matter can be eliminated from differences
//! (`solve/differences/mod.rs`), but not from sums.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::groups;
use crate::judge::candidate::{Candidate, State};
use crate::judge::terms;
use crate::judge::terms::changed;
use crate::process::Fresh;
use crate::scalar::{Int, Sort};
use crate::solve::{self, Solver, Store};
use crate::term::{Kind, Term, Var};

/// The sums in which a variable occurs, by their numbers, each with the variable's coefficient.
type SumPlaces = Vec<(usize, Int)>;

/// Variables in their order, of which each sum has a contiguous stretch; `first` comes before them, and shares sums with the first of
/// them.
struct Chain {
    first: Var,
    others: Vec<Var>,
}

/// The occurrences of variables in terms.
#[derive(Default)]
struct Occurrences {
    /// The occurrences in sums.
    places: FxHashMap<Var, SumPlaces>,
    /// The variables that occur elsewhere, too.
    alone: FxHashSet<Var>,
    met: FxHashSet<Term>,
}

/// Turns summands into differences, if they are variables that were made since the last time and that constraints mention.
pub(crate) fn name(fresh: &mut Fresh, solver: &mut Solver, candidate: &mut Candidate) {
    let mut differences: FxHashMap<Var, Term> = FxHashMap::default();
    for Chain { first, others } in Occurrences::of(candidate).chains(&candidate.store, candidate.growth.summed) {
        let mut so_far = Term::var(first);
        for var in others {
            let Some(moment) = fresh.variable(Sort::Int).as_var() else { continue };
            let difference = solve::sum::stand_for_sum(&mut candidate.store, &so_far, var, moment, solver);
            differences.insert(var, difference);
            so_far = Term::var(moment);
        }
    }
    candidate.growth.summed = fresh.last;
    if !differences.is_empty() {
        terms::rewrite(&mut candidate.process, &mut |term| {
            let is_replaced = term.any_var(&mut |var| differences.contains_key(&var));
            is_replaced.then(|| changed(term, term.substitute(&mut |var| differences.get(&var).cloned()))).flatten()
        });
    }
}

impl Occurrences {
    /// The occurrences of the variables that a candidate's memory mentions, and of those that constraints connect with them.
    fn of(candidate: &Candidate) -> Occurrences {
        let State { process, store, .. } = &**candidate;
        let mut occurrences = Occurrences::default();
        terms::visit(process, &mut |term| occurrences.add(term));
        let mut connected: FxHashSet<Var> = FxHashSet::default();
        loop {
            let new: Vec<Var> = occurrences.places.keys().copied().filter(|var| connected.insert(*var)).collect();
            if new.is_empty() {
                return occurrences;
            }
            for var in new {
                store.constraints_on(var).for_each(|constraint| occurrences.add(constraint));
            }
        }
    }

    /// Adds what occurs in a term, unless it was met.
    fn add(&mut self, term: &Term) {
        let mut open = vec![term.clone()];
        if let Some(var) = term.as_var() {
            self.alone.insert(var);
        }
        while let Some(term) = open.pop() {
            if term.is_ground() || !self.met.insert(term.clone()) {
                continue;
            }
            if let Kind::Linear(sum) | Kind::Le0(sum) | Kind::Eq0(sum) = term.kind() {
                let place = self.met.len();
                for (var, coefficient) in sum.terms().iter().filter_map(|(atom, c)| Some((atom.as_var()?, c))) {
                    self.places.entry(var).or_default().push((place, coefficient.clone()));
                }
                open.extend(sum.terms().iter().map(|(atom, _)| atom).filter(|atom| atom.as_var().is_none()).cloned());
                continue;
            }
            term.for_each_child(&mut |child| match child.as_var() {
                Some(var) => _ = self.alone.insert(var),
                None => open.push(child.clone()),
            });
        }
    }

    /// The chains of variables after the number `since` that occur in sums only. Each sum has a stretch of a chain, and constraints
    /// mention some of its variables.
    fn chains(self, store: &Store, since: u64) -> Vec<Chain> {
        let is_link = |var: &Var| {
            var.sort == Sort::Int && var.id > since && store.domain(*var).is_interval() && !self.alone.contains(var)
        };
        let mut links: Vec<Var> = self.places.keys().copied().filter(is_link).collect();
        links.sort_unstable();
        let mut sums: BTreeMap<&(usize, Int), Vec<Var>> = BTreeMap::new();
        for var in &links {
            self.places[var].iter().for_each(|place| sums.entry(place).or_default().push(*var));
        }
        let sums: Vec<Vec<Var>> = sums.into_values().collect();
        let with_places = |var: Var| (var, self.places[&var].iter().collect());
        let mut classes: Vec<Vec<Var>> =
            groups::sharing(links.into_iter().map(with_places)).into_iter().map(|(class, _)| class).collect();
        classes.iter_mut().for_each(|class| class.sort_unstable());
        classes.sort_unstable();
        let constrained = classes.into_iter().filter(|class| class.iter().any(|var| store.is_constrained(*var)));
        constrained.flat_map(|class| self.chains_of(&in_stretches(class, &sums))).collect()
    }

    /// Cuts variables into chains, in which each variable shares a sum with the next.
    fn chains_of(&self, class: &[Var]) -> Vec<Chain> {
        let shared =
            |own: &SumPlaces, others: &SumPlaces| own.iter().filter(|at| others.binary_search(at).is_ok()).count();
        let shares = |one: &Var, next: &Var| shared(&self.places[one], &self.places[next]) > 0;
        let chain = |piece: &[Var]| {
            let own = &self.places[&piece[0]];
            let beside = self.places.iter().filter(|(var, _)| !class.contains(var));
            let shares = beside.map(|(var, places)| (shared(own, places), *var)).filter(|(sums, _)| *sums > 0);
            match shares.max() {
                Some((_, first)) => Chain { first, others: piece.to_vec() },
                None => Chain { first: piece[0], others: piece[1..].to_vec() },
            }
        };
        class.chunk_by(shares).map(chain).collect()
    }
}

/// The variables that are left, in their order, once enough are dropped that each sum has a contiguous stretch of them.
fn in_stretches(mut class: Vec<Var>, sums: &[Vec<Var>]) -> Vec<Var> {
    loop {
        let outside = sums.iter().find_map(|sum| {
            let ranks: Vec<usize> = sum.iter().filter_map(|var| class.binary_search(var).ok()).collect();
            let at = ranks.windows(2).rposition(|pair| pair[1] != pair[0] + 1)?;
            Some(ranks[..=at].iter().map(|rank| class[*rank]).collect::<Vec<Var>>())
        });
        let Some(outside) = outside else { return class };
        class.retain(|var| !outside.contains(var));
    }
}
