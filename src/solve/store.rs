//! Stores: the constraint set of one candidate. Cloning shares everything; questions cost what they touch.
//!
//! For example `q <= #n` for a known q updates one bound, and nothing is asked. [`Store::assume`] implements the rules *if* and
//! *unify* of Figure 3.1: it adds a condition and says whether an assignment is left.

use super::domains::domain::{Domain, Narrowing};
use super::domains::literal::{About, literal};
use super::facts::{Conflict, Facts, Touched};
use super::forgetting::trail::{Elimination, Trail};
use super::tiers;
use super::{Answer, Solver, Why};
use crate::scalar::{Int, Scalar};
use crate::term::{Condition, Side, Term, Var};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The constraints of one candidate: facts in solved form, with a model of those that remain.
///
/// 1. A dead store has no assignment; its facts mean nothing.
/// 2. A store that is not dead has an assignment, or a doubt: a question about it was not decided.
/// 3. Each assignment of the facts extends to the variables that were eliminated; the trail, if there is one, says how.
#[derive(Clone, Default)]
pub struct Store {
    pub(super) facts: Facts,
    /// Set if the store was refuted.
    pub(super) dead: bool,
    /// The reason why a component that was dropped had not been decided.
    pub(super) doubt: Option<Why>,
    pub(super) trail: Option<Trail>,
}

impl Store {
    /// A store that logs what it eliminates, for evidence.
    pub fn with_trail() -> Store {
        Store { trail: Some(Trail::default()), ..Store::default() }
    }

    /// The log of eliminations, if one is kept.
    pub fn trail(&self) -> Option<&Trail> {
        self.trail.as_ref()
    }

    /// Replaces the log of eliminations by this one, which goes on from here.
    pub fn go_on_from(&mut self, trail: Trail) {
        self.trail = Some(trail);
    }

    pub(super) fn log(&mut self, step: impl FnOnce() -> Elimination) {
        if let Some(trail) = &mut self.trail {
            trail.push(step());
        }
    }

    /// Tests whether nothing is known: there is no binding, no domain and no constraint, and the store was not refuted.
    pub fn is_empty(&self) -> bool {
        self.facts.bindings.is_empty() && self.facts.domains.is_empty() && self.facts.rest_is_empty() && !self.dead
    }

    /// Tests whether the store is as one that was just made: nothing is known or in doubt, and no log is kept.
    pub fn is_new(&self) -> bool {
        let Facts { bindings, domains, rest, .. } = &self.facts;
        let nothing = bindings.is_empty() && domains.is_empty() && rest.is_none();
        nothing && !self.dead && self.doubt.is_none() && self.trail.is_none()
    }

    /// Tests whether there are bindings, which the caller should substitute ([`Store::resolve`]) before it forgets.
    pub fn has_bindings(&self) -> bool {
        !self.facts.bindings.is_empty()
    }

    /// Tests whether a variable was solved for since [`Store::clear_news`].
    pub fn has_news(&self) -> bool {
        self.facts.has_news
    }

    /// Notes that the bindings have been substituted.
    pub fn clear_news(&mut self) {
        self.facts.has_news = false;
    }

    /// Tests whether nothing is known but the domains of single variables, so that resolving leaves a term as it is.
    pub fn has_only_domains(&self) -> bool {
        self.facts.bindings.is_empty() && self.facts.rest.is_none()
    }

    /// Tests whether the store was refuted.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    /// The reason why the store is doubtful, if it is: some question about it was not decided, so it may be unsatisfiable.
    pub fn doubt(&self) -> Option<Why> {
        self.doubt.or_else(|| self.facts.rest.as_ref().and_then(|rest| Some(*rest.open.unsorted().next()?.1)))
    }

    /// The domain of a variable: all that is known of it alone. The domain of a bound variable is everything.
    pub fn domain(&self, var: Var) -> &Domain {
        self.facts.domain(var)
    }

    /// The term that the variable is bound to, resolved, if it is bound.
    pub fn binding(&self, var: Var) -> Option<Term> {
        self.facts.bindings.get(var).map(|value| self.facts.resolve(value))
    }

    /// The values in the domain of a variable, if they are at most this many.
    pub fn few_values(&self, var: Var, most: usize) -> Option<Vec<Scalar>> {
        self.facts.domains.few_values(var, most)
    }

    /// Replaces the domain of a variable.
    pub fn set_domain(&mut self, var: Var, domain: Domain) {
        if domain.is_all() {
            self.facts.domains.remove(var);
        } else {
            self.facts.domains.insert(var, domain);
        }
    }

    /// Tests whether a variable is bound, or occurs in the value of a bound variable.
    pub fn is_in_binding(&self, var: Var) -> bool {
        self.facts.bindings.unsorted().any(|(bound, value)| bound == var || value.mentions(var))
    }

    /// Tests whether a variable occurs in no constraint and in no binding: only its domain says something of it.
    pub fn is_alone(&self, var: Var) -> bool {
        !self.is_constrained(var) && !self.is_in_binding(var)
    }

    /// Tests whether a constraint beyond domains and bindings mentions the variable.
    pub fn is_constrained(&self, var: Var) -> bool {
        self.facts.constrained(var)
    }

    /// The constraints beyond domains and bindings that mention the variable.
    pub fn constraints_on(&self, var: Var) -> impl Iterator<Item = &Term> {
        self.facts.rest.iter().flat_map(move |rest| rest.terms_of(var))
    }

    /// The numbers of bindings, of variables with a domain, and of other constraints.
    pub fn size(&self) -> (usize, usize, usize) {
        let rest = self.facts.rest.as_ref().map_or(0, |rest| rest.terms.len());
        (self.facts.bindings.len(), self.facts.domains.len(), rest)
    }

    /// The number of constraints that were searched since variables were last forgotten: the work that forgetting now may save the
    /// next time.
    pub fn searched(&self) -> u32 {
        self.facts.rest.as_ref().map_or(0, |rest| rest.searched)
    }

    /// Replaces bound variables in a term by their values, and simplifies it.
    pub fn resolve(&self, term: &Term) -> Term {
        self.facts.resolve(term)
    }

    /// Tests whether the store entails the condition (`Some(true)`) or its negation (`Some(false)`), as far as bindings, domains
    /// and kept constraints say; it never searches.
    pub fn decide(&self, condition: &Term) -> Option<bool> {
        if let Some(known) = condition.as_bool() {
            return Some(known);
        }
        if self.facts.bindings.is_empty() {
            return self.facts.decide(condition);
        }
        self.facts.decide(&self.facts.resolve(condition))
    }

    /// Adds a condition, and returns whether an assignment is left. After `Unsat` the store is dead. After `Unknown` it keeps the
    /// condition, and is doubtful.
    pub fn assume(&mut self, condition: &Term, solver: &mut Solver) -> Answer {
        let stated = literal(condition).and_then(|(var, about)| self.assume_of(var, &about));
        self.answer_or_assume(stated, || condition.clone(), solver)
    }

    /// Adds a condition as [`Store::assume`] does. No term is made of a bound if the domain of its variable gives the answer.
    pub fn assume_condition(&mut self, condition: &Condition, solver: &mut Solver) -> Answer {
        let stated = match condition {
            Condition::Bound(bound) => self.assume_of(bound.var(), &About::bound(bound)),
            Condition::Term(term) => return self.assume(term, solver),
        };
        self.answer_or_assume(stated, || condition.term(), solver)
    }

    /// Returns the answer that a domain gave for a condition, if it gave one; else assumes the condition.
    fn answer_or_assume(&mut self, stated: Option<Answer>, term: impl FnOnce() -> Term, solver: &mut Solver) -> Answer {
        match stated {
            Some(answer) => {
                solver.statistics.by_domain += 1;
                answer
            }
            None => self.assume_all([term()], solver),
        }
    }

    /// Decides a condition as [`Store::decide`] does. No term is made of a bound if only the domain restricts its variable.
    pub fn decide_condition(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::Term(term) => self.decide(term),
            Condition::Bound(bound) if self.is_only_in_domain(bound.var()) => {
                let (side, end) = bound.end();
                self.facts.domains.decide_bound(bound.var(), side, end)
            }
            Condition::Bound(bound) => self.decide(&bound.term()),
        }
    }

    /// Tests whether a variable is at least (or at most) `end`; `None` if something else than its domain restricts it, or the domain
    /// does not decide.
    pub fn decide_bound(&self, var: Var, side: Side, end: &Int) -> Option<bool> {
        if self.is_only_in_domain(var) { self.facts.domains.decide_bound(var, side, end) } else { None }
    }

    /// Tests whether nothing but its domain restricts a variable: it is not bound, and the store has no other constraints at all.
    pub(super) fn is_only_in_domain(&self, var: Var) -> bool {
        self.facts.rest.is_none() && self.facts.bindings.get(var).is_none()
    }

    /// Assumes a bound of a variable, if nothing but its domain restricts it; returns true if that has been done and an assignment
    /// is left. If it returns false, the caller assumes the condition as a term, which may find that the store is dead.
    pub fn assume_bound(&mut self, var: Var, side: Side, end: &Int) -> bool {
        self.assume_of(var, &About::end(side, end)) == Some(Answer::Sat)
    }

    /// The hot path of `assume`: a literal about a variable that only its domain restricts. `None`, and nothing is done, if that
    /// leaves a single value, which is a binding, or every value of the sort.
    fn assume_of(&mut self, var: Var, about: &About<'_>) -> Option<Answer> {
        if self.dead || self.doubt.is_some() || !self.is_only_in_domain(var) {
            return None;
        }
        let mut domain = self.facts.domain(var).clone();
        match about.apply(&mut domain) {
            Narrowing::Same if domain.is_all() => return None,
            Narrowing::Same => {}
            Narrowing::Narrowed if domain.single().is_some() => return None,
            Narrowing::Narrowed => self.facts.domains.insert(var, domain),
            Narrowing::Empty => self.dead = true,
        }
        Some(self.standing())
    }

    /// Adds several conditions at once, as [`Store::assume`] adds their conjunction.
    pub fn assume_all(&mut self, conditions: impl IntoIterator<Item = Term>, solver: &mut Solver) -> Answer {
        if self.dead {
            return Answer::Unsat;
        }
        let mut touched = Touched::default();
        let added = conditions.into_iter().try_for_each(|condition| self.facts.conjoin(condition, &mut touched));
        solver.statistics.by_domain += u64::from(added.is_err());
        self.check_after(added, &touched, solver)
    }

    /// Checks that a model is left after facts changed, by the cheapest tier that can tell; a conflict makes the store dead.
    pub(super) fn check_after(
        &mut self,
        changed: Result<(), Conflict>,
        touched: &Touched,
        solver: &mut Solver,
    ) -> Answer {
        self.dead |= changed.and_then(|()| tiers::check(&mut self.facts, touched, solver)).is_err();
        self.standing()
    }

    /// The answer for the store as it is.
    pub(super) fn standing(&self) -> Answer {
        if self.dead { Answer::Unsat } else { self.doubt().map_or(Answer::Sat, Answer::Unknown) }
    }

    /// Tests whether the store is satisfiable together with the condition; the store stays as it is.
    pub fn check(&self, condition: &Term, solver: &mut Solver) -> Answer {
        match self.decide(condition) {
            Some(false) => Answer::Unsat,
            Some(true) if !self.dead => self.doubt().map_or(Answer::Sat, Answer::Unknown),
            _ => self.clone().assume(condition, solver),
        }
    }

    /// Tests whether the store entails all the conditions; `None` if that was not decided.
    pub fn implies(&self, conditions: &[Term], solver: &mut Solver) -> Option<bool> {
        let mut all = Some(true);
        for condition in conditions {
            match self.decide(condition) {
                Some(true) => continue,
                Some(false) => return Some(false),
                None => {}
            }
            match self.check(&condition.not(), solver) {
                Answer::Unsat => {}
                Answer::Sat => return Some(false),
                Answer::Unknown(_) => all = None,
            }
        }
        all
    }

    /// All facts as conditions: bindings, then domains by variable, then the rest in order. Evidence shows them, tests compare them.
    pub fn constraints(&self) -> Vec<Term> {
        if self.dead { vec![Term::falsity()] } else { self.facts.conditions() }
    }

    /// All variables that occur in the facts.
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut vars = BTreeSet::new();
        self.constraints().iter().for_each(|condition| condition.vars(&mut |var| _ = vars.insert(var)));
        vars
    }
}

/// Stores are equal if they have the same bindings, domains, constraints and doubt, whatever the cached model and the trail.
impl PartialEq for Store {
    fn eq(&self, other: &Store) -> bool {
        if self.dead || other.dead {
            return self.dead == other.dead;
        }
        self.doubt() == other.doubt()
            && self.facts.bindings == other.facts.bindings
            && self.facts.domains == other.facts.domains
            && same_rest(&self.facts, &other.facts)
    }
}

impl Eq for Store {}

fn same_rest(a: &Facts, b: &Facts) -> bool {
    match (&a.rest, &b.rest) {
        (Some(x), Some(y)) if Arc::ptr_eq(x, y) => true,
        (Some(x), Some(y)) => x.terms.len() == y.terms.len() && x.terms.values().all(|term| y.contains(term)),
        (Some(rest), None) | (None, Some(rest)) => rest.terms.is_empty(),
        (None, None) => true,
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.constraints()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::term::Bound;

    /// A condition on one or two of three variables.
    fn condition(next: &mut dyn FnMut(u64) -> u64) -> Term {
        let [x, y] = [(); 2].map(|()| Term::var(Var { id: next(3), sort: Sort::Int }));
        let known = Term::int(Int::from(next(9)));
        match next(8) {
            0 => Term::eq(&x, &known),
            1 => Term::eq(&x, &y.add(&known)),
            2 => Term::le(&x.add(&y), &known),
            3 => Term::ne(&x, &known),
            4 | 5 => Term::le(&x, &known),
            _ => Term::le(&known, &x),
        }
    }

    #[test]
    fn a_bound_is_answered_as_its_term() {
        let (mut next, mut solver) = (numbers(7), Solver::default());
        let (mut decided, mut open) = (0, 0);
        for _ in 0..2_000 {
            let mut store = Store::default();
            while next(4) > 0 {
                store.assume_all([condition(&mut next)], &mut solver);
            }
            let side = if next(2) == 0 { Side::Least } else { Side::Most };
            let subject = Term::var(Var { id: next(3), sort: Sort::Int });
            let bound = Bound::of(&subject, side, Int::from(next(10))).unwrap();
            let (asked, term) = (Condition::Bound(bound.clone()), bound.term());
            assert_eq!(store.decide_condition(&asked), store.decide(&term), "{:?}: {term}", store.constraints());
            let mut plain = store.clone();
            let answer = plain.assume_all([term.clone()], &mut solver);
            assert_eq!(store.assume_condition(&asked, &mut solver), answer, "{term}");
            assert!(store == plain, "{term}: {:?} for {:?}", store.constraints(), plain.constraints());
            *(if answer == Answer::Sat { &mut open } else { &mut decided }) += 1;
        }
        assert!(decided > 200 && open > 200, "{decided} refuted, {open} not");
    }
}
