//! Facts: bindings, domains and what remains, closed under substitution and unit propagation.
//!
//! `conjoin` is exact and never searches: an equation binds a variable, a literal about one variable goes to its domain, a
//! clause loses the literals that are known false. What remains is indexed by variable. For example `#1 = #2 + 1`, then
//! `#1 <= 3`, leaves the binding `#1 := #2 + 1` and the domain `#2 <= 2`.

use super::beside::is_about_text;
use super::domain::{Domain, Narrowing};
use super::literal::{About, literal};
use super::news::News;
use super::table::{Set, Table};
use crate::scalar::{Int, Scalar, Sort};
use crate::term::{KeySet, Kind, Linear, Term, Var};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// The facts contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

/// Number of a remaining constraint.
pub(super) type Id = u32;

/// Everything known, in solved form.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// Variables that are solved for; no binding mentions its own variable, chains are allowed.
    pub(super) bindings: Table<Term>,
    /// The domain of each unbound variable: all that is known of it alone.
    pub(super) domains: Table<Domain>,
    /// Constraints over several unbound variables, or too hard for a domain.
    pub(super) rest: Option<Arc<Rest>>,
    /// The variables that were solved for of late.
    pub(super) news: News,
}

/// The constraints that remain, resolved, indexed by variable; and a model of them.
#[derive(Clone, Default)]
pub(super) struct Rest {
    next: Id,
    pub(super) terms: Table<Term, Id>,
    pub(super) of_var: Table<Set<Id>>,
    /// The constraints, where they are many; else empty.
    known: im::GenericHashSet<Term, BuildHasherDefault<FxHasher>, im::shared_ptr::DefaultSharedPtr>,
    /// Values under which every constraint holds that is not in `open`, whatever the values of variables without one are.
    pub(super) model: Table<Scalar>,
    /// Constraints of components that no tier could decide.
    pub(super) open: Table<super::Why, Id>,
    /// The number of constraints that searches have gone through since variables were last forgotten.
    pub(super) searched: u32,
    /// A constrained variable became known since Z3 was asked last.
    pub(super) gained: bool,
}

/// The changes that a conjunction made: constrained variables whose domains shrank, and constraints that were added.
#[derive(Default)]
pub(super) struct Touched {
    pub(super) vars: SmallVec<[Var; 4]>,
    pub(super) added: SmallVec<[Id; 4]>,
}

/// Clauses of a variable are looked at again after its domain changed, if it has at most this many constraints.
pub(super) const REVISITED: usize = 64;
/// Up to so many constraints are compared one by one.
const COMPARED: usize = 16;
/// A condition on one variable is tried on up to so many values.
const TRIED: usize = 64;
/// Binding chains are followed this far; they are acyclic, so this is never reached in practice.
const CHAIN: usize = 1_000_000;

impl Facts {
    pub(super) fn domain(&self, var: Var) -> &Domain {
        self.domains.get(var).unwrap_or(&Domain::ALL)
    }

    /// The values that a variable has by its domain, where they are no more than this.
    pub(super) fn few_values(&self, var: Var, most: usize) -> Option<Vec<Scalar>> {
        match var.sort {
            Sort::Bool => Some(vec![Scalar::Bool(true), Scalar::Bool(false)]),
            Sort::Int | Sort::Str | Sort::Bytes | Sort::Token(_) | Sort::Client | Sort::Json => {
                self.domain(var).values(most)
            }
        }
    }

    /// Tests whether a constraint remains that mentions `var`.
    #[inline]
    pub(super) fn constrained(&self, var: Var) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.of_var.contains_key(var))
    }

    pub(super) fn rest_is_empty(&self) -> bool {
        self.rest.as_ref().is_none_or(|rest| rest.terms.is_empty())
    }

    pub(super) fn rest_mut(&mut self) -> &mut Rest {
        Arc::make_mut(self.rest.get_or_insert_default())
    }

    /// Applies all bindings.
    pub(super) fn resolve(&self, term: &Term) -> Term {
        let mut term = term.clone();
        if self.bindings.is_empty() {
            return term;
        }
        let mut rounds = 0..CHAIN;
        while rounds.next().is_some() && self.mentions_bound(&term) {
            term = term.substitute(&mut |var| self.bindings.get(var).cloned());
        }
        term
    }

    /// Tests whether a bound variable occurs in a term; for most terms the range of their variables decides.
    fn mentions_bound(&self, term: &Term) -> bool {
        let Some((first, last)) = term.var_range() else { return false };
        self.bindings.has_within(first, last) && term.any_var(&mut |var| self.bindings.get(var).is_some())
    }

    /// Adds `condition` and all that follows by substitution and unit propagation.
    pub(super) fn conjoin(&mut self, condition: Term, touched: &mut Touched) -> Result<(), Conflict> {
        let mut pending: Pending = SmallVec::new();
        pending.push(condition);
        self.add_all(pending, touched)
    }

    /// Adds several conditions and all that follows by substitution and unit propagation.
    pub(super) fn add_all(&mut self, mut pending: Pending, touched: &mut Touched) -> Result<(), Conflict> {
        while let Some(next) = pending.pop() {
            let next = self.resolve(&next);
            self.add(next, &mut pending, touched)?;
        }
        Ok(())
    }

    /// Adds one resolved condition.
    fn add(&mut self, condition: Term, pending: &mut Pending, touched: &mut Touched) -> Result<(), Conflict> {
        match condition.kind() {
            Kind::Const(scalar) => {
                if scalar.as_bool() == Some(true) {
                    Ok(())
                } else {
                    Err(Conflict)
                }
            }
            Kind::And(parts) => {
                pending.extend(parts.iter().rev().cloned());
                Ok(())
            }
            Kind::Var(var) => self.bind(*var, Term::truth(), pending),
            Kind::Eq(a, b) => match orient(a, b) {
                Some((var, value)) => self.bind(var, value, pending),
                None => self.keep(condition, pending, touched),
            },
            Kind::Eq0(linear) => match solve_for(linear, &|_| true) {
                Some((var, value)) => self.bind(var, value, pending),
                None => self.keep(condition, pending, touched),
            },
            Kind::Not(inner) => self.add_not(inner, &condition, pending, touched),
            Kind::Le0(_) | Kind::Member(..) => match literal(&condition) {
                Some((var, about)) => self.narrow(var, &about, pending, touched),
                None => self.keep(condition, pending, touched),
            },
            _ => self.keep(condition, pending, touched),
        }
    }

    fn add_not(
        &mut self,
        inner: &Term,
        whole: &Term,
        pending: &mut Pending,
        touched: &mut Touched,
    ) -> Result<(), Conflict> {
        match inner.kind() {
            Kind::Var(var) => self.bind(*var, Term::falsity(), pending),
            Kind::And(parts) => {
                pending.push(Term::or_all(parts.iter().map(Term::not)));
                Ok(())
            }
            Kind::Or(parts) => {
                pending.extend(parts.iter().map(Term::not));
                Ok(())
            }
            Kind::Eq(a, b) if a.sort() == Sort::Bool => match orient(a, b) {
                Some((var, value)) => self.bind(var, value.not(), pending),
                None => self.keep(whole.clone(), pending, touched),
            },
            _ => match literal(whole) {
                Some((var, about)) => self.narrow(var, &about, pending, touched),
                None => self.keep(whole.clone(), pending, touched),
            },
        }
    }

    /// `var := value`: what was known of the variable becomes conditions on the value.
    pub(super) fn bind(&mut self, var: Var, value: Term, pending: &mut Pending) -> Result<(), Conflict> {
        if let Some(domain) = self.domains.remove(var) {
            match value.as_const() {
                Some(scalar) if !domain.admits(scalar) => return Err(Conflict),
                Some(_) => {}
                None => pending.extend(domain.conditions(&value)),
            }
        }
        if self.constrained(var) {
            let rest = self.rest_mut();
            rest.gained |= value.as_const().is_some();
            let ids = rest.of(var);
            pending.extend(ids.into_iter().filter_map(|id| rest.remove(id)));
        }
        self.bindings.insert(var, value);
        self.news.add(var);
        Ok(())
    }

    /// A literal about one variable.
    pub(super) fn narrow(
        &mut self,
        var: Var,
        about: &About<'_>,
        pending: &mut Pending,
        touched: &mut Touched,
    ) -> Result<(), Conflict> {
        let narrowing = match self.domains.get_mut(var) {
            Some(domain) => about.apply(domain),
            None => {
                let mut domain = Domain::ALL;
                let narrowing = about.apply(&mut domain);
                self.domains.insert(var, domain);
                narrowing
            }
        };
        match narrowing {
            Narrowing::Empty => Err(Conflict),
            Narrowing::Same => Ok(()),
            Narrowing::Narrowed => self.narrowed(var, pending, touched),
        }
    }

    /// After a domain shrank: one value left binds, clauses are looked at again.
    fn narrowed(&mut self, var: Var, pending: &mut Pending, touched: &mut Touched) -> Result<(), Conflict> {
        if let Some(only) = self.domain(var).single() {
            return self.bind(var, Term::constant(only), pending);
        }
        if !self.constrained(var) {
            return Ok(());
        }
        touched.vars.push(var);
        let Some(rest) =
            self.rest.as_ref().filter(|rest| rest.of_var.get(var).is_some_and(|ids| ids.len() <= REVISITED))
        else {
            return Ok(());
        };
        for id in rest.of(var) {
            let Some(term) = self.rest.as_ref().and_then(|rest| rest.terms.get(id)).cloned() else { continue };
            match self.reduce_after(&term, var) {
                Some(next) if next == term => {}
                Some(next) => {
                    self.rest_mut().remove(id);
                    pending.push(next);
                }
                None => return Err(Conflict),
            }
        }
        Ok(())
    }

    /// The condition without what domains decide of it; `None` if it is false.
    fn reduce(&self, term: &Term) -> Option<Term> {
        match (term.kind(), self.decide_by_domain(term)) {
            (_, Some(true)) => Some(Term::truth()),
            (_, Some(false)) => None,
            (Kind::Or(parts), None) => {
                Some(Term::or_all(parts.iter().filter(|part| self.decide_by_domain(part) != Some(false)).cloned()))
            }
            (_, None) => Some(term.clone()),
        }
    }

    /// Reduces a condition again, where only what is known of one variable has changed since it was reduced; `None` if it is
    /// false.
    fn reduce_after(&self, term: &Term, var: Var) -> Option<Term> {
        let Kind::Or(parts) = term.kind() else { return self.reduce(term) };
        let is_decided = |part: &Term| part.mentions(var) && self.decide_by_domain(part).is_some();
        if parts.iter().any(is_decided) { self.reduce(term) } else { Some(term.clone()) }
    }

    /// Keeps a condition among the rest, reduced.
    fn keep(&mut self, condition: Term, pending: &mut Pending, touched: &mut Touched) -> Result<(), Conflict> {
        let reduced = self.reduce(&condition).ok_or(Conflict)?;
        if reduced != condition {
            pending.push(reduced);
            return Ok(());
        }
        let about_text = is_about_text(&condition);
        if about_text || matches!(condition.kind(), Kind::Le0(_)) {
            if self.follows_from_one(&condition)? {
                return Ok(());
            }
            self.drop_what_follows_from(&condition);
        }
        if about_text {
            if let Some(simpler) = self.with_known_values(&condition) {
                pending.push(simpler);
                return Ok(());
            }
            self.unify_value(&condition, pending);
        }
        if let Some((var, set)) = self.values_that_satisfy(&condition) {
            return self.narrow(var, &About::In(&set), pending, touched);
        }
        touched.added.extend(self.rest_mut().insert(condition));
        Ok(())
    }

    /// The values of the only variable of a condition that satisfy it, where it has few values: that says all.
    fn values_that_satisfy(&self, condition: &Term) -> Option<(Var, KeySet)> {
        let mut only = None;
        let another = condition.any_var(&mut |var| *only.get_or_insert(var) != var);
        let var = only.filter(|_| !another)?;
        let values = self.domains.get(var)?.values(TRIED)?;
        let holds = |value: &Scalar| condition.eval(&mut |_| Some(value.clone()))?.as_bool();
        let held: Option<Vec<bool>> = values.iter().map(holds).collect();
        Some((var, KeySet::of(values.into_iter().zip(held?).filter(|(_, holds)| *holds).map(|(value, _)| value))))
    }

    /// Everything as conditions: bindings, domains, the rest; in an order that depends on content only.
    pub(super) fn conditions(&self) -> Vec<Term> {
        let bound = self.bindings.iter().map(|(var, value)| Term::eq(&Term::var(var), value));
        let mut list: Vec<Term> = bound.collect();
        list.extend(self.domains.iter().flat_map(|(var, domain)| domain.conditions(&Term::var(var))));
        let mut rest: Vec<Term> = self.rest.iter().flat_map(|rest| rest.terms.values().cloned()).collect();
        rest.sort();
        list.extend(rest);
        list
    }

    /// The facts about these variables and constraints alone, without bindings.
    pub(super) fn part(&self, component: &Component) -> Facts {
        let mut part = Facts::default();
        let Some(rest) = &self.rest else { return part };
        for var in &component.vars {
            if let Some(domain) = self.domains.get(*var) {
                part.domains.insert(*var, domain.clone());
            }
        }
        let target = part.rest_mut();
        for term in component.ids.iter().filter_map(|id| rest.terms.get(id)) {
            target.insert(term.clone());
        }
        part
    }

    /// All that is connected with these constraints, by shared variables.
    pub(super) fn component(&self, seeds: impl IntoIterator<Item = Id>) -> Component {
        let mut component = Component::default();
        let Some(rest) = &self.rest else { return component };
        let mut pending: Vec<Id> = seeds.into_iter().filter(|id| rest.terms.contains_key(id)).collect();
        while let Some(id) = pending.pop() {
            if !component.ids.insert(id) {
                continue;
            }
            let Some(term) = rest.terms.get(id) else { continue };
            term.vars(&mut |var| {
                if component.vars.insert(var) {
                    pending.extend(rest.of_var.get(var).into_iter().flat_map(Set::keys));
                }
            });
        }
        component
    }
}

/// Conditions still to be added, last first.
pub(super) type Pending = SmallVec<[Term; 8]>;

/// A connected part of what remains.
#[derive(Default, Debug)]
pub(super) struct Component {
    pub(super) ids: std::collections::BTreeSet<Id>,
    pub(super) vars: std::collections::BTreeSet<Var>,
}

impl Rest {
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

    /// Removes a constraint; variables without any lose their value in the model.
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
        let ids = self.of_var.get(var).into_iter().flat_map(Set::keys);
        ids.filter_map(|id| self.terms.get(id)).collect()
    }

    /// The numbers of the constraints that mention a variable.
    pub(super) fn of(&self, var: Var) -> SmallVec<[Id; 8]> {
        self.of_var.get(var).into_iter().flat_map(Set::keys).collect()
    }

    /// Tests whether every variable of the term has constraints.
    pub(super) fn mentions_all(&self, term: &Term) -> bool {
        !term.any_var(&mut |var| !self.of_var.contains_key(var))
    }

    /// Tests whether the constraint is among those that remain.
    pub(super) fn contains(&self, term: &Term) -> bool {
        match self.known.is_empty() {
            true => self.terms.values().any(|known| known == term),
            false => self.known.contains(term),
        }
    }
}

/// The variable to solve an equation for: the younger of two, or one against a term without it.
fn orient(a: &Term, b: &Term) -> Option<(Var, Term)> {
    match (a.as_var(), b.as_var()) {
        (Some(x), Some(y)) if x > y => Some((x, b.clone())),
        (Some(_), Some(y)) => Some((y, a.clone())),
        (Some(x), None) if !b.mentions(x) => Some((x, b.clone())),
        (None, Some(y)) if !a.mentions(y) => Some((y, a.clone())),
        _ => None,
    }
}

/// The youngest variable that passes the test, has coefficient ±1 and occurs in no other atom; with the value that the equation gives it.
pub(super) fn solve_for(linear: &Linear, eligible: &dyn Fn(Var) -> bool) -> Option<(Var, Term)> {
    let unit = |coefficient: &Int| *coefficient == Int::ONE || *coefficient == Int::MINUS_ONE;
    let vars = linear.terms().iter().filter(|(_, c)| unit(c)).filter_map(|(atom, c)| Some((atom.as_var()?, atom, c)));
    let alone = |var: Var, own: &Term| linear.terms().iter().all(|(atom, _)| atom == own || !atom.mentions(var));
    let (var, atom, coefficient) =
        vars.filter(|(var, atom, _)| eligible(*var) && alone(*var, atom)).max_by_key(|(var, ..)| *var)?;
    // c·x + r = 0 with c = ±1: x = −c·r.
    Some((var, linear.without(atom).scaled(&coefficient.neg()).into_term()))
}
