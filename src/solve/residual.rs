//! The residual: the constraints that fit in no binding and no domain, indexed by variable; their components; a model of them.
//!
//! ```text
//! terms       0: #1 <= #2    1: #2 != #3    2: #4 || #5
//! of_var      #1: 0    #2: 0 1    #3: 1    #4: 2    #5: 2
//! components  {0, 1}    {2}
//! model       #1 = 0, #2 = 0, #3 = 1, #4 = true
//! ```

use super::Why;
use super::persistent::sorted_map::{Set, SortedMap};
use crate::scalar::Scalar;
use crate::term::{Kind, Term, Var, count_walked};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::hash::BuildHasherDefault;

/// The constraints on a variable that are looked at for each question.
const FEW_CONSTRAINTS: usize = 64;

/// The number of a remaining constraint.
pub(super) type Id = u32;

/// The constraints that remain, and a model of them.
///
/// 1. `terms` has no constraint twice; each is resolved, and no number is given again.
/// 2. `of_var` has the variables that occur in constraints and no others, each with the numbers of its constraints.
/// 3. `known` is empty, or has all the constraints.
/// 4. Once a change was checked, each constraint that is not in `open` holds under `model`, whatever the values of variables without
///    one are; and `model` has values of constrained variables only, each within its domain.
#[derive(Clone, Default)]
pub(super) struct Residual {
    next: Id,
    pub(super) terms: SortedMap<Term, Id>,
    pub(super) of_var: SortedMap<Set<Id>>,
    /// The constraints, if they are many; else empty.
    known: im::GenericHashSet<Term, BuildHasherDefault<FxHasher>, im::shared_ptr::DefaultSharedPtr>,
    /// Values under which the decided constraints hold.
    pub(super) model: SortedMap<Scalar>,
    /// Constraints of components that no tier could decide.
    pub(super) open: SortedMap<Why, Id>,
    /// The number of constraints in the components that were searched since variables were last forgotten.
    pub(super) searched: u32,
    /// Set if a constrained variable was bound to a constant since components were last searched.
    pub(super) gained: bool,
}

/// A connected component of the residual.
#[derive(Default, Debug)]
pub(super) struct Component {
    pub(super) ids: BTreeSet<Id>,
    pub(super) vars: BTreeSet<Var>,
}

/// Up to this many constraints are compared one by one; more are found by their hash.
const COMPARED: usize = 16;

impl Residual {
    /// Adds a constraint; `None` if it is there already.
    pub(super) fn insert(&mut self, term: Term) -> Option<Id> {
        if self.contains(&term) {
            return None;
        }
        let id = self.next;
        self.next += 1;
        term.vars(&mut |var| match self.of_var.get_mut(var) {
            Some(ids) => ids.insert(id, ()),
            None => self.of_var.insert(var, Set::from_iter([(id, ())])),
        });
        if !self.known.is_empty() {
            self.known.insert(term.clone());
        }
        self.terms.insert(id, term);
        if self.known.is_empty() && self.terms.len() > COMPARED {
            self.known = self.terms.values().cloned().collect();
        }
        Some(id)
    }

    /// Removes a constraint; a variable that no other constraint mentions loses its value in the model.
    pub(super) fn remove(&mut self, id: Id) -> Option<Term> {
        let term = self.terms.remove(id)?;
        if !self.known.is_empty() {
            self.known.remove(&term);
        }
        self.open.remove(id);
        term.vars(&mut |var| {
            if let Some(ids) = self.of_var.get_mut(var) {
                ids.remove(id);
                if ids.is_empty() {
                    self.of_var.remove(var);
                    self.model.remove(var);
                }
            }
        });
        Some(term)
    }

    /// The constraints that mention a variable.
    pub(super) fn terms_of(&self, var: Var) -> SmallVec<[&Term; 8]> {
        self.of(var).into_iter().filter_map(|id| self.terms.get(id)).collect()
    }

    /// The numbers of the constraints that mention a variable.
    pub(super) fn of(&self, var: Var) -> SmallVec<[Id; 8]> {
        self.of_var.get(var).into_iter().flat_map(Set::keys).collect()
    }

    /// The numbers of the constraints that mention a variable, if they are not too many; else none.
    pub(super) fn few_of(&self, var: Var) -> SmallVec<[Id; 8]> {
        let few = self.of_var.get(var).filter(|ids| ids.len() <= FEW_CONSTRAINTS);
        few.into_iter().flat_map(Set::keys).collect()
    }

    /// Tests whether the constraint is among those that remain.
    pub(super) fn contains(&self, term: &Term) -> bool {
        match self.known.is_empty() {
            true => self.terms.unsorted().any(|(_, known)| known == term),
            false => self.known.contains(term),
        }
    }

    /// Decides a condition if the condition, its negation, or a part that decides it is among the constraints.
    pub(super) fn decide(&self, term: &Term) -> Option<bool> {
        if self.terms.is_empty() || term.any_var(&mut |var| !self.of_var.contains_key(var)) {
            return None;
        }
        if self.contains(term) {
            return Some(true);
        }
        if self.contains(&term.not()) {
            return Some(false);
        }
        match term.kind() {
            Kind::Or(parts) => parts.iter().any(|part| self.contains(part)).then_some(true),
            Kind::And(parts) => parts.iter().any(|part| self.contains(&part.not())).then_some(false),
            _ => None,
        }
    }

    /// The constraints and variables that are connected with these constraints by shared variables.
    pub(super) fn component(&self, seeds: impl IntoIterator<Item = Id>) -> Component {
        let mut component = Component::default();
        let mut pending: Vec<Id> = seeds.into_iter().filter(|id| self.terms.contains_key(id)).collect();
        while let Some(id) = pending.pop() {
            if !component.ids.insert(id) {
                continue;
            }
            let Some(term) = self.terms.get(id) else { continue };
            term.vars(&mut |var| {
                if component.vars.insert(var) {
                    pending.extend(self.of_var.get(var).into_iter().flat_map(Set::keys));
                }
            });
        }
        count_walked(component.ids.len() + component.vars.len());
        component
    }

    /// The constraints of a component.
    pub(super) fn terms_in(&self, component: &Component) -> impl Iterator<Item = &Term> {
        component.ids.iter().filter_map(|id| self.terms.get(id))
    }
}
