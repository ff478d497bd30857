//! Facts: bindings, domains and a residual, closed under substitution and unit propagation.
//!
//! For example `#1 = #2 + 1`, then `#1 <= 3`, gives the binding `#1 := #2 + 1` and the domain `#2 <= 2`. Conjoining a condition is exact
//! and never searches: an equation binds a variable, a literal about one variable goes to its domain, a clause loses the literals
//! that are known false. The residual is indexed by variable.

use super::domains::Domains;
use super::domains::domain::{Domain, Narrowing};
use super::domains::literal::{About, listed, literal};
use super::pairwise;
use super::persistent::sorted_map::SortedMap;
use super::residual::{Component, Id, Residual};
use crate::scalar::{Int, Scalar, Sort};
use crate::term::{KeySet, Kind, Linear, Term, Var};
use smallvec::SmallVec;
use std::sync::Arc;

/// The values of a variable for which a condition is evaluated.
const VALUES: usize = 64;

/// A contradiction among the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

/// The facts of a store, in solved form.
///
/// ```text
/// #1 = #2 + 1,  #1 <= 3,  #2 != #3          is kept as
/// bindings  #1 := #2 + 1      domains  #2 in ..=2      rest  #2 != #3
/// ```
///
/// 1. A variable has a binding or a domain or neither, never both; no bound variable is in `rest`.
/// 2. No binding mentions its own variable, not even through other bindings: chains end.
/// 3. No domain is empty, and none has a single value: such a variable is bound.
/// 4. `rest` has no conjunction, and no literal that a binding or a domain can hold.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// The values of bound variables, which were solved for.
    pub(super) bindings: SortedMap<Term>,
    /// The domain of each unbound variable: all that is known of it alone.
    pub(super) domains: Domains,
    /// Constraints over several unbound variables, or too hard for a domain.
    pub(super) rest: Option<Arc<Residual>>,
    /// Set if a variable was solved for since the caller last substituted.
    pub(super) has_news: bool,
}

/// The changes that a conjunction made.
#[derive(Default)]
pub(super) struct Touched {
    /// Constrained variables whose domains shrank.
    pub(super) vars: SmallVec<[Var; 4]>,
    /// Constraints that were added.
    pub(super) added: SmallVec<[Id; 4]>,
    /// Conditions still to be added, last first.
    pending: SmallVec<[Term; 8]>,
}

/// Chains of bindings are followed for this many rounds. They are acyclic, so the limit is never reached: it makes the loop end
/// even if an invariant is broken.
const CHAIN: usize = 1_000_000;

impl Facts {
    pub(super) fn domain(&self, var: Var) -> &Domain {
        self.domains.of(var)
    }

    /// The constraints that remain, with their numbers.
    pub(super) fn remaining(&self) -> impl Iterator<Item = (Id, &Term)> {
        self.rest.iter().flat_map(|rest| rest.terms.iter())
    }

    /// Tests whether a constraint remains that mentions `var`.
    pub(super) fn constrained(&self, var: Var) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.of_var.contains_key(var))
    }

    pub(super) fn rest_is_empty(&self) -> bool {
        self.rest.as_ref().is_none_or(|rest| rest.terms.is_empty())
    }

    pub(super) fn rest_mut(&mut self) -> &mut Residual {
        Arc::make_mut(self.rest.get_or_insert_default())
    }

    /// Tests whether a resolved condition holds, as far as domains and kept constraints say; `None` if they leave it open.
    pub(super) fn decide(&self, term: &Term) -> Option<bool> {
        self.domains.decide(term).or_else(|| self.rest.as_ref()?.decide(term))
    }

    /// The constraints and variables that are connected with these constraints.
    pub(super) fn component(&self, seeds: impl IntoIterator<Item = Id>) -> Component {
        self.rest.as_ref().map_or_else(Component::default, |rest| rest.component(seeds))
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
        touched.pending.push(condition);
        self.propagate(touched)
    }

    /// Adds the pending conditions, and all that follows by substitution and unit propagation.
    pub(super) fn propagate(&mut self, touched: &mut Touched) -> Result<(), Conflict> {
        while let Some(next) = touched.pending.pop() {
            let next = self.resolve(&next);
            self.add(next, touched)?;
        }
        Ok(())
    }

    /// Adds one resolved condition.
    fn add(&mut self, condition: Term, touched: &mut Touched) -> Result<(), Conflict> {
        let solved = match condition.kind() {
            Kind::Const(scalar) => return if scalar.as_bool() == Some(true) { Ok(()) } else { Err(Conflict) },
            Kind::And(parts) => {
                touched.pending.extend(parts.iter().rev().cloned());
                return Ok(());
            }
            Kind::Var(var) => Some((*var, Term::truth())),
            Kind::Eq(a, b) => orient(a, b),
            Kind::Eq0(linear) => solve_for(linear, &|_| true),
            Kind::Not(inner) => match inner.kind() {
                Kind::Var(var) => Some((*var, Term::falsity())),
                Kind::And(parts) => {
                    touched.pending.push(Term::or_all(parts.iter().map(Term::not)));
                    return Ok(());
                }
                Kind::Or(parts) => {
                    touched.pending.extend(parts.iter().map(Term::not));
                    return Ok(());
                }
                Kind::Eq(a, b) if a.sort() == Sort::Bool => orient(a, b).map(|(var, value)| (var, value.not())),
                _ => None,
            },
            _ => None,
        };
        if let Some((var, value)) = solved {
            return self.bind(var, value, touched);
        }
        match literal(&condition) {
            Some((var, about)) => self.narrow(var, &about, touched),
            None => self.keep(condition, touched),
        }
    }

    /// Binds a variable, `var := value`. Its domain becomes conditions on the value, which are pending then, as are its constraints.
    pub(super) fn bind(&mut self, var: Var, value: Term, touched: &mut Touched) -> Result<(), Conflict> {
        if let Some(domain) = self.domains.remove(var) {
            match value.as_const() {
                Some(scalar) if !domain.admits(scalar) => return Err(Conflict),
                Some(_) => {}
                None => touched.pending.extend(domain.conditions(&value)),
            }
        }
        if self.constrained(var) {
            let rest = self.rest_mut();
            rest.gained |= value.as_const().is_some();
            let ids = rest.of(var);
            touched.pending.extend(ids.into_iter().filter_map(|id| rest.remove(id)));
        }
        self.bindings.insert(var, value);
        self.has_news = true;
        Ok(())
    }

    /// Narrows the domain of a variable by a literal about it.
    pub(super) fn narrow(&mut self, var: Var, about: &About<'_>, touched: &mut Touched) -> Result<(), Conflict> {
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
            Narrowing::Narrowed => self.narrowed(var, touched),
        }
    }

    /// Propagates from a domain that shrank: a variable with one value left is bound, and clauses that mention it are reduced.
    fn narrowed(&mut self, var: Var, touched: &mut Touched) -> Result<(), Conflict> {
        if let Some(only) = self.domain(var).single() {
            return self.bind(var, Term::constant(only), touched);
        }
        if !self.constrained(var) {
            return Ok(());
        }
        touched.vars.push(var);
        for id in self.rest.as_ref().map(|rest| rest.few_of(var)).unwrap_or_default() {
            let Some(term) = self.rest.as_ref().and_then(|rest| rest.terms.get(id)).cloned() else { continue };
            match self.reduce_after(&term, var) {
                Some(next) if next == term => {}
                Some(next) => {
                    self.rest_mut().remove(id);
                    touched.pending.push(next);
                }
                None => return Err(Conflict),
            }
        }
        Ok(())
    }

    /// The condition without the literals that domains refute; true if they entail it, `None` if they refute it.
    fn reduce(&self, term: &Term) -> Option<Term> {
        match (term.kind(), self.domains.decide(term)) {
            (_, Some(true)) => Some(Term::truth()),
            (_, Some(false)) => None,
            (Kind::Or(parts), None) => {
                Some(Term::or_all(parts.iter().filter(|part| self.domains.decide(part) != Some(false)).cloned()))
            }
            (_, None) => Some(term.clone()),
        }
    }

    /// Reduces a condition again that was reduced before the domain of one variable shrank; `None` if it is false.
    fn reduce_after(&self, term: &Term, var: Var) -> Option<Term> {
        let Kind::Or(parts) = term.kind() else { return self.reduce(term) };
        let is_decided = |part: &Term| part.mentions(var) && self.domains.decide(part).is_some();
        if parts.iter().any(is_decided) { self.reduce(term) } else { Some(term.clone()) }
    }

    /// Keeps a condition among the rest, reduced.
    fn keep(&mut self, condition: Term, touched: &mut Touched) -> Result<(), Conflict> {
        let reduced = self.reduce(&condition).ok_or(Conflict)?;
        if reduced != condition {
            touched.pending.push(reduced);
            return Ok(());
        }
        let about_text = pairwise::is_about_text(&condition);
        if let Some(rest) = self.rest.as_deref().filter(|_| about_text || matches!(condition.kind(), Kind::Le0(_))) {
            if pairwise::implied(rest, &condition).ok_or(Conflict)? {
                return Ok(());
            }
            for weaker in pairwise::weaker(rest, &condition) {
                self.rest_mut().remove(weaker);
            }
        }
        if let Some(rest) = self.rest.as_deref().filter(|_| about_text) {
            if let Some(simpler) = pairwise::with_known_values(rest, &condition) {
                touched.pending.push(simpler);
                return Ok(());
            }
            for (old, new) in pairwise::with_value_of(rest, &condition) {
                self.rest_mut().remove(old);
                touched.pending.push(new);
            }
        }
        if let Some((var, set)) = self.values_that_satisfy(&condition) {
            return self.narrow(var, &About::In(&set), touched);
        }
        touched.added.extend(self.rest_mut().insert(condition));
        Ok(())
    }

    /// The only variable of a condition and the values that satisfy it, if the variable has few values or the condition lists them:
    /// this set says all that the condition does.
    fn values_that_satisfy(&self, condition: &Term) -> Option<(Var, KeySet)> {
        let mut only = None;
        let another = condition.any_var(&mut |var| *only.get_or_insert(var) != var);
        let var = only.filter(|_| !another)?;
        let known = self.domains.get(var).and_then(|domain| domain.values(VALUES));
        let values = known.or_else(|| listed(condition, var, VALUES))?;
        let holds = |value: &Scalar| condition.eval(&mut |_| Some(value.clone()))?.as_bool();
        let held: Option<Vec<bool>> = values.iter().map(holds).collect();
        Some((var, KeySet::of(values.into_iter().zip(held?).filter(|(_, holds)| *holds).map(|(value, _)| value))))
    }

    /// All facts as conditions: bindings, domains, the rest; in an order that depends on content only.
    pub(super) fn conditions(&self) -> Vec<Term> {
        let bound = self.bindings.iter().map(|(var, value)| Term::eq(&Term::var(var), value));
        let mut list: Vec<Term> = bound.collect();
        list.extend(self.domains.iter().flat_map(|(var, domain)| domain.conditions(&Term::var(var))));
        let mut rest: Vec<Term> = self.remaining().map(|(_, term)| term.clone()).collect();
        rest.sort();
        list.extend(rest);
        list
    }

    /// Drops the constraints of a component and the domains of its variables.
    pub(super) fn take_out(&mut self, component: &Component) {
        component.ids.iter().for_each(|id| drop(self.rest_mut().remove(*id)));
        component.vars.iter().for_each(|var| drop(self.domains.remove(*var)));
    }

    /// The facts about these variables and constraints alone, without bindings, and their values in the model.
    pub(super) fn part(&self, component: &Component) -> Facts {
        let mut part = Facts::default();
        let Some(rest) = &self.rest else { return part };
        let known = |var: &Var| Some((*var, self.domains.get(*var)?.clone()));
        part.domains.extend(component.vars.iter().filter_map(known));
        let target = part.rest_mut();
        rest.terms_in(component).for_each(|term| _ = target.insert(term.clone()));
        target.model.extend(component.vars.iter().filter_map(|var| Some((*var, rest.model.get(*var)?.clone()))));
        part
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
