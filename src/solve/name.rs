//! Naming what a term may be by one variable (rule 5 of *Forgetting, exactly*), and joining what two stores say of one.
//!
//! A term whose variables occur nowhere else stands for its values alone. For example `#1 + #2` with `#1 in 3..=5` and
//! `#2 in 0..=9` is a fresh `#3 in 3..=14`, and the store has one variable less; `#1 % 2` is a fresh `#3 in 0..=1`.

use super::Solver;
use super::domain::Domain;
use super::facts::{Touched, solve_for};
use super::store::{Dead, Store};
use super::table::Table;
use super::trail::Step;
use crate::scalar::{Int, Scalar, Sort};
use crate::term::{Kind, Linear, Term, Var};
use smallvec::SmallVec;

/// A term of one variable with at most this many values is computed for each of them.
const COMPUTED: usize = 64;

/// One of several known values, for each of them.
const LOOKED_UP: usize = 4096;

/// Variables of a term.
type Vars = SmallVec<[Var; 4]>;

impl Store {
    /// Rule 5: a variable for a live term whose own variables occur nowhere else in the memory, so that they die. The caller
    /// replaces the term by what is returned, everywhere. `fresh` must be new. `None` where nothing would be gained.
    pub fn name(&mut self, term: &Term, fresh: &Term, solver: &mut Solver) -> Option<Term> {
        if let Some(named) = self.name_range(term, fresh) {
            return Some(named);
        }
        let vars = vars(term);
        if vars.iter().all(|var| !self.is_constrained(*var)) {
            return None;
        }
        let mut named = self.clone();
        if !named.name_term(term, fresh, solver) {
            return None;
        }
        named.forget(&|var| !vars.contains(&var), solver);
        let (before, after) = (self.size(), named.size());
        let gone = !named.vars().iter().any(|var| vars.contains(var));
        (gone && after.0 <= before.0 && after.2 <= before.2).then(|| {
            *self = named;
            fresh.clone()
        })
    }

    /// Names a live term of which its values are all that is known ([`Store::range`]): a fresh variable gets these as its domain.
    /// Returns the variable, or the only value, by which the caller replaces the term everywhere. `fresh` must be new. `None`
    /// where [`Store::range`] gives none.
    pub fn name_range(&mut self, term: &Term, fresh: &Term) -> Option<Term> {
        let range = self.range(term)?;
        let named = range.single().map_or_else(|| fresh.clone(), Term::constant);
        self.replace_range(term, &named);
        if let Some(var) = named.as_var() {
            self.set_domain(var, range);
        }
        Some(named)
    }

    /// Unifies a live term of which its values are all that is known ([`Store::range`]) with a value that it was seen to have;
    /// returns whether it can have it, else the store is dead. The caller replaces the term by the value everywhere. `None` where
    /// [`Store::range`] gives none.
    pub fn unify_range(&mut self, term: &Term, value: &Scalar) -> Option<bool> {
        let stated = self.range(term)?.admits(value);
        match stated {
            true => self.replace_range(term, &Term::constant(value.clone())),
            false => self.dead = Some(Dead),
        }
        Some(stated)
    }

    /// Forgets the variables of a term that is replaced, as its values were all that was known of it.
    fn replace_range(&mut self, term: &Term, by: &Term) {
        let vars = vars(term);
        if self.trail.is_some() {
            let mut constraints: Vec<Term> =
                vars.iter().flat_map(|var| self.domain(*var).conditions(&Term::var(*var))).collect();
            constraints.push(Term::eq(term, by));
            self.log(|| Step::Eliminated { vars: vars.to_vec(), constraints });
        }
        vars.iter().for_each(|var| drop(self.facts.domains.remove(*var)));
    }

    /// The values of a term, where its variables are in no constraint and in no binding, so that its values are all that is
    /// known of it. `None` where they are no domain, or too many to compute.
    pub fn range(&self, term: &Term) -> Option<Domain> {
        if let Some(var) = term.as_var() {
            return self.is_alone(var).then(|| self.domain(var).clone());
        }
        let vars = vars(term);
        if !vars.iter().all(|var| self.is_alone(*var)) {
            return None;
        }
        self.range_of_sum(term).or_else(|| match vars.as_slice() {
            [var] => self.range_by_value(term, *var),
            _ => None,
        })
    }

    /// Tests whether all variables of a term are known by their domains alone.
    pub fn is_free(&self, term: &Term) -> bool {
        vars(term).iter().all(|var| self.is_alone(*var))
    }

    /// Tests whether a variable is known by its domain alone: it is in no constraint and in no binding.
    fn is_alone(&self, var: Var) -> bool {
        let bindings = &self.facts.bindings;
        let bound = || bindings.get(var).is_some() || bindings.iter().any(|(_, value)| value.mentions(var));
        !self.is_constrained(var) && (bindings.is_empty() || !bound())
    }

    /// The values that a variable has by its domain, where they are no more than this.
    pub fn few_values(&self, var: Var, most: usize) -> Option<Vec<Scalar>> {
        self.facts.few_values(var, most)
    }

    /// The values of a sum of variables: each atom's own, shifted and added.
    fn range_of_sum(&self, term: &Term) -> Option<Domain> {
        let Kind::Linear(linear) = term.kind() else { return None };
        let mut parts: SmallVec<[(&Domain, &Int); 4]> = SmallVec::new();
        for (atom, coefficient) in linear.terms() {
            parts.push((self.domain(atom.as_var()?), coefficient));
        }
        if let [(domain, coefficient)] = parts.as_slice() {
            return domain.moved(coefficient, linear.constant());
        }
        parts.sort_by_key(|(_, coefficient)| coefficient.abs());
        let mut sum = Domain::single_value(&Scalar::Int(linear.constant().clone()));
        for (domain, coefficient) in parts {
            sum = sum.plus(domain, coefficient)?;
        }
        Some(sum)
    }

    /// A table is computed for as many values as there may be in a domain.
    fn range_by_value(&self, term: &Term, only: Var) -> Option<Domain> {
        let computed = if matches!(term.kind(), Kind::Table(..)) { LOOKED_UP } else { COMPUTED };
        let values = self.few_values(only, computed)?;
        let value = |of: &Scalar| term.eval(&mut |var| (var == only).then(|| of.clone()));
        let range: Option<Vec<Scalar>> = values.iter().map(value).collect();
        Domain::of(range?)
    }

    /// Names a live term by a fresh variable, where an equation in which one of its variables has coefficient ±1 can be solved
    /// for that one. True if it was done: the caller replaces the term by `fresh` in its memory. Only for terms whose variables
    /// occur nowhere else in the memory; `fresh` must be new.
    pub fn name_term(&mut self, term: &Term, fresh: &Term, solver: &mut Solver) -> bool {
        let term = self.facts.resolve(term);
        if term.sort() != Sort::Int || fresh.sort() != Sort::Int {
            return false;
        }
        let equation = Linear::of(&term).plus(&Int::MINUS_ONE, &Linear::of(fresh));
        let Some(named) = fresh.as_var() else { return false };
        let Some((var, value)) = solve_for(&equation, &|var| var != named) else { return false };
        self.put(var, value, (named, &term), solver);
        true
    }

    /// Makes a fresh variable stand for the sum of a variable and another term: the variable is their difference then, which is
    /// returned. The caller puts that in its place.
    pub fn stand_for_sum(&mut self, other: &Term, var: Var, fresh: Var, solver: &mut Solver) -> Term {
        let sum = Term::add(other, &Term::var(var));
        let difference = Term::var(fresh).sub(other);
        self.put(var, difference.clone(), (fresh, &sum), solver);
        difference
    }

    /// Puts a term in the place of a variable, in which a fresh variable stands for another term.
    fn put(&mut self, var: Var, value: Term, (fresh, term): (Var, &Term), solver: &mut Solver) {
        let values = self.facts.rest.as_ref().map(|rest| self.with_value(&rest.model, fresh, term));
        let (mut pending, mut touched) = (Default::default(), Touched::default());
        let mut bound = self.facts.bind(var, value, &mut pending);
        while let (Ok(()), Some(next)) = (bound, pending.pop()) {
            bound = self.facts.conjoin(next, &mut touched);
        }
        values.into_iter().for_each(|values| self.give_values(&values, &touched));
        match bound {
            Ok(()) => _ = self.check_standing(touched, solver),
            Err(_) => self.dead = Some(Dead),
        }
    }

    /// A model with the value of a term for a variable; variables of the term that have none there take the first of theirs.
    fn with_value(&self, model: &Table<Scalar>, fresh: Var, term: &Term) -> Table<Scalar> {
        let mut values = model.clone();
        let value = term.eval(&mut |var| {
            let known = model.get(var).cloned().unwrap_or_else(|| self.facts.domain(var).first(var));
            values.insert(var, known.clone());
            Some(known)
        });
        value.into_iter().for_each(|value| values.insert(fresh, value));
        values
    }

    /// Gives values to the variables of constraints that were added that have none in the cached model: to no others, of which a
    /// domain may change without a look at the model.
    fn give_values(&mut self, values: &Table<Scalar>, touched: &Touched) {
        let Some(rest) = &self.facts.rest else { return };
        let mut given: SmallVec<[(Var, Scalar); 4]> = SmallVec::new();
        for term in touched.added.iter().filter_map(|id| rest.terms.get(id)) {
            term.vars(&mut |var| {
                let value = values.get(var).filter(|value| self.facts.domain(var).admits(value));
                let missing = value.filter(|_| !rest.model.contains_key(var));
                given.extend(missing.map(|value| (var, value.clone())));
            });
        }
        let model = &mut self.facts.rest_mut().model;
        given.into_iter().for_each(|(var, value)| model.insert(var, value));
    }

    /// Makes this all that is known of a variable.
    pub fn set_domain(&mut self, var: Var, domain: Domain) {
        if domain.is_all() {
            self.facts.domains.remove(var);
        } else {
            self.facts.domains.insert(var, domain);
        }
    }
}

fn vars(term: &Term) -> Vars {
    let mut vars = Vars::new();
    term.vars(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    vars
}
