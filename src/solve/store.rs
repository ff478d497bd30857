//! Stores: the constraint set of one candidate. Cloning shares everything; questions cost what they touch.
//!
//! `assume` is the rule *if* and *unify* of Figure 3.1: conjoin a condition and say whether an assignment is left. For example
//! `q <= #n` for a known q updates one bound and asks nobody.

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

/// The constraints of one candidate: what is known, in solved form, with a model of what that leaves open.
///
/// 1. A dead store has no assignment; what else is in it means nothing.
/// 2. A store that is not dead has an assignment, or there is a doubt: a question about it was not decided.
/// 3. Each assignment of the facts extends to the variables that were eliminated; the trail says how, if one is kept.
#[derive(Clone, Default)]
pub struct Store {
    pub(super) facts: Facts,
    /// The store was refuted.
    pub(super) dead: bool,
    /// A component that no tier could decide was dropped.
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

    /// Logs what it eliminates after this instead of what was logged.
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

    /// Tests whether nothing is known or in doubt and no log is kept, as in a store that was just made.
    pub fn is_new(&self) -> bool {
        let Facts { bindings, domains, rest, .. } = &self.facts;
        let nothing = bindings.is_empty() && domains.is_empty() && rest.is_none();
        nothing && !self.dead && self.doubt.is_none() && self.trail.is_none()
    }

    /// Tests whether variables were solved for that the caller should substitute ([`Store::resolve`]) before it forgets.
    pub fn has_bindings(&self) -> bool {
        !self.facts.bindings.is_empty()
    }

    /// Tests whether a variable was solved for since [`Store::clear_news`].
    pub fn has_news(&self) -> bool {
        self.facts.has_news
    }

    /// Notes that what was solved for has been substituted.
    pub fn clear_news(&mut self) {
        self.facts.has_news = false;
    }

    /// Tests whether nothing is known but the domains of single variables, so that a term is as simple as it was.
    pub fn has_only_domains(&self) -> bool {
        self.facts.bindings.is_empty() && self.facts.rest.is_none()
    }

    /// Tests whether the store was refuted.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    /// The reason why the store is doubtful: some question about it was not decided, so it may be unsatisfiable.
    pub fn doubt(&self) -> Option<Why> {
        self.doubt.or_else(|| self.facts.rest.as_ref().and_then(|rest| Some(*rest.open.unsorted().next()?.1)))
    }

    /// The domain of a variable: all that is known of it alone (nothing, for a bound one).
    pub fn domain(&self, var: Var) -> &Domain {
        self.facts.domain(var)
    }

    /// The term that the variable is bound to, resolved, if it is bound.
    pub fn binding(&self, var: Var) -> Option<Term> {
        self.facts.bindings.get(var).map(|value| self.facts.resolve(value))
    }

    /// The values that a variable has by its domain, if they are no more than this.
    pub fn few_values(&self, var: Var, most: usize) -> Option<Vec<Scalar>> {
        self.facts.domains.few_values(var, most)
    }

    /// Makes this all that is known of a variable.
    pub fn set_domain(&mut self, var: Var, domain: Domain) {
        if domain.is_all() {
            self.facts.domains.remove(var);
        } else {
            self.facts.domains.insert(var, domain);
        }
    }

    /// Tests whether a variable is bound, or the value of a bound one mentions it.
    pub fn is_in_binding(&self, var: Var) -> bool {
        self.facts.bindings.unsorted().any(|(bound, value)| bound == var || value.mentions(var))
    }

    /// Tests whether a variable is known by its domain alone: it is in no constraint and in no binding.
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

    /// Number of bindings, variables with a domain, and other constraints.
    pub fn size(&self) -> (usize, usize, usize) {
        let rest = self.facts.rest.as_ref().map_or(0, |rest| rest.terms.len());
        (self.facts.bindings.len(), self.facts.domains.len(), rest)
    }

    /// The number of constraints that were searched since variables were last forgotten: the work that forgetting now would save
    /// again.
    pub fn searched(&self) -> u32 {
        self.facts.rest.as_ref().map_or(0, |rest| rest.searched)
    }

    /// Applies what is known: bindings, then simplification.
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

    /// Adds a condition. `Sat`: there is an assignment (checked). `Unsat`: there is none, the store is dead. `Unknown`: it was
    /// not decided; the condition stays, and the store is doubtful.
    pub fn assume(&mut self, condition: &Term, solver: &mut Solver) -> Answer {
        let stated = literal(condition).and_then(|(var, about)| self.assume_of(var, &about));
        self.answer_or_assume(stated, || condition.clone(), solver)
    }

    /// Adds a condition of which no term was made, as [`Store::assume`] adds a term; none is made of a bound if the domain of
    /// its variable gives the answer.
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

    /// [`Store::decide`] for a condition of which no term was made.
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

    /// Tests whether the least or the largest value of a variable is `end` or beyond, if nothing but its domain says anything
    /// of it; `None` if something else does, or the domain does not decide.
    pub fn decide_bound(&self, var: Var, side: Side, end: &Int) -> Option<bool> {
        if self.is_only_in_domain(var) { self.facts.domains.decide_bound(var, side, end) } else { None }
    }

    /// Tests whether nothing but its domain says anything of a variable: it is not bound, and no constraints remain.
    pub(super) fn is_only_in_domain(&self, var: Var) -> bool {
        self.facts.rest.is_none() && self.facts.bindings.get(var).is_none()
    }

    /// Assumes a bound if nothing but its domain says anything of the variable, and that has an assignment with it: whether
    /// it was done. Else the condition is still to be assumed.
    pub fn assume_bound(&mut self, var: Var, side: Side, end: &Int) -> bool {
        self.assume_of(var, &About::end(side, end)) == Some(Answer::Sat)
    }

    /// The hot path: a literal about an unbound variable that no other constraint mentions. `None`, and nothing is done, if
    /// that leaves a single value, or all are left.
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

    /// After facts changed, if that was possible: makes sure that a model is left, by the cheapest tier that can tell.
    pub(super) fn check_after(
        &mut self,
        changed: Result<(), Conflict>,
        touched: &Touched,
        solver: &mut Solver,
    ) -> Answer {
        self.dead |= changed.and_then(|()| tiers::check(&mut self.facts, touched, solver)).is_err();
        self.standing()
    }

    /// The answer if nothing new is in doubt.
    pub(super) fn standing(&self) -> Answer {
        if self.dead { Answer::Unsat } else { self.doubt().map_or(Answer::Sat, Answer::Unknown) }
    }

    /// Satisfiable together with the condition? The store stays as it is.
    pub fn check(&self, condition: &Term, solver: &mut Solver) -> Answer {
        match self.decide(condition) {
            Some(false) => Answer::Unsat,
            Some(true) if !self.dead => self.doubt().map_or(Answer::Sat, Answer::Unknown),
            _ => self.clone().assume(condition, solver),
        }
    }

    /// Tests whether all the conditions follow from the store; `None` if that was not decided.
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

    /// All facts as conditions: bindings, then domains by variable, then the rest in order. For evidence, and to compare.
    pub fn constraints(&self) -> Vec<Term> {
        if self.dead { vec![Term::falsity()] } else { self.facts.conditions() }
    }

    /// All variables that occur.
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut vars = BTreeSet::new();
        self.constraints().iter().for_each(|condition| condition.vars(&mut |var| _ = vars.insert(var)));
        vars
    }
}

/// Equal content: bindings, domains, constraints and doubt; not the cached model, not the trail.
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
    use crate::scalar::{Sort, numbers};
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
