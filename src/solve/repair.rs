//! The cached model: does it still satisfy, and if not, does changing one value mend it?
//!
//! Exact by evaluation: constraints that do not mention a changed variable keep their value. For example after `#1 != #2` a
//! fresh `#3 != #1`, `#3 != #2` takes a value that neither has, in one pass over the constraints of `#3`.

use super::facts::{Id, Rest, Touched, solve_for};
use super::store::Store;
use crate::scalar::Scalar;
use crate::term::{Kind, Term, Var};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Variables whose value is changed to repair a model.
const SUSPECTS: usize = 4;
/// Values tried for one of them, beside those known to be forbidden.
const REPAIRS: usize = 6;

impl Store {
    /// Whether the cached model satisfies what is new; variables without a value get one.
    pub(super) fn model_stays(&mut self, touched: &Touched) -> bool {
        let Some(rest) = &self.facts.rest else { return true };
        let mut fresh: SmallVec<[Var; 4]> = SmallVec::new();
        for term in touched.added.iter().filter_map(|id| rest.terms.get(id)) {
            term.vars(&mut |var| {
                if !rest.model.contains_key(&var) {
                    fresh.push(var);
                }
            });
        }
        let defaults: SmallVec<[(Var, Scalar); 4]> =
            fresh.into_iter().map(|var| (var, self.facts.domain(var).first(var))).collect();
        if !defaults.is_empty() {
            self.facts.rest_mut().model.extend(defaults);
        }
        self.model_holds(touched)
    }

    /// Whether the cached model satisfies the touched constraints and domains.
    fn model_holds(&self, touched: &Touched) -> bool {
        let Some(rest) = &self.facts.rest else { return true };
        let within = |var: &Var| rest.model.get(var).is_none_or(|value| self.facts.domain(*var).admits(value));
        touched.vars.iter().all(within) && touched.added.iter().all(|id| rest.holds(*id))
    }

    /// Changes the value of one variable so that all its constraints hold again.
    pub(super) fn repair(&mut self, touched: &Touched) -> bool {
        let Some(rest) = self.facts.rest.clone() else { return true };
        let mut suspects: BTreeSet<Var> =
            touched.vars.iter().copied().filter(|var| rest.of_var.contains_key(var)).collect();
        for term in touched.added.iter().filter(|id| !rest.holds(**id)).filter_map(|id| rest.terms.get(id)) {
            term.vars(&mut |var| {
                suspects.insert(var);
            });
        }
        suspects.into_iter().rev().take(SUSPECTS).any(|var| self.repair_one(var, touched))
    }

    fn repair_one(&mut self, var: Var, touched: &Touched) -> bool {
        let Some(rest) = self.facts.rest.clone() else { return true };
        let ids: Vec<Id> = rest.of_var.get(&var).into_iter().flatten().copied().collect();
        let forbidden = forbidden_values(&rest, var, &ids);
        let mut model = rest.model.clone();
        let domain = self.facts.domain(var).clone();
        let value = domain.candidates(var).filter(|value| !forbidden.contains(value)).take(REPAIRS).find(|value| {
            model.insert(var, value.clone());
            ids.iter().all(|id| rest.terms.get(id).is_some_and(|term| holds(term, &model)))
        });
        let Some(value) = value else { return false };
        self.facts.rest_mut().model.insert(var, value);
        if self.model_holds(touched) {
            return true;
        }
        self.facts.rest_mut().model = rest.model.clone();
        false
    }
}

impl Rest {
    fn holds(&self, id: Id) -> bool {
        self.terms.get(&id).is_none_or(|term| holds(term, &self.model))
    }
}

fn holds(term: &Term, model: &im::OrdMap<Var, Scalar>) -> bool {
    term.eval(&mut |var| model.get(&var).cloned()).and_then(|value| value.as_bool()) == Some(true)
}

/// Values that the disequalities of a variable forbid under the model.
fn forbidden_values(rest: &Rest, var: Var, ids: &[Id]) -> FxHashSet<Scalar> {
    let value = |term: &Term| term.eval(&mut |other| if other == var { None } else { rest.model.get(&other).cloned() });
    let apart = |term: &Term| match term.kind() {
        Kind::Not(inner) => match inner.kind() {
            Kind::Eq(a, b) if a.as_var() == Some(var) => value(b),
            Kind::Eq(a, b) if b.as_var() == Some(var) => value(a),
            Kind::Eq0(linear) => {
                let (_, other) = solve_for(linear, &|known| known == var)?;
                value(&other)
            }
            _ => None,
        },
        _ => None,
    };
    ids.iter().filter_map(|id| rest.terms.get(id)).filter_map(apart).collect()
}
