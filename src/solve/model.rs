//! Models: values for variables, checked by evaluation before anyone sees them.
//!
//! For example a model of `#1 <= 3 && #2 == #1 + 1` is `#1 = 3, #2 = 4`.

use super::domains::domain;
use super::forgetting::trail::{Elimination, Trail};
use super::{Answer, Solver, Store, Why};
use crate::scalar::Scalar;
use crate::term::{Term, Var};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The values that are tried before a variable stays open.
const PICKED: usize = 64;

/// Values for variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<Var, Scalar>,
}

/// The variables that are open in a model: something may still restrict their values.
#[derive(Clone, Debug)]
pub enum Open {
    /// Any variable without a value.
    All,
    /// The variables without a value among these.
    These(FxHashSet<Var>),
}

impl Open {
    /// Tests whether a variable is open: it has no value in the model, and something may still restrict it.
    #[must_use]
    pub fn has(&self, var: Var, model: &Model) -> bool {
        let may_be = match self {
            Open::All => true,
            Open::These(vars) => vars.contains(&var),
        };
        may_be && model.get(var).is_none()
    }

    fn add(&mut self, var: Var) {
        if let Open::These(vars) = self {
            vars.insert(var);
        }
    }
}

impl Model {
    /// The value of `var`, if it has one.
    pub fn get(&self, var: Var) -> Option<&Scalar> {
        self.values.get(&var)
    }

    /// Gives `var` a value.
    pub fn insert(&mut self, var: Var, value: Scalar) {
        self.values.insert(var, value);
    }

    /// All values, by variable.
    pub fn iter(&self) -> impl Iterator<Item = (Var, &Scalar)> {
        self.values.iter().map(|(var, value)| (*var, value))
    }

    /// The value of a term, if the model gives every variable that matters a value.
    pub fn eval(&self, term: &Term) -> Option<Scalar> {
        term.eval(&mut |var| self.values.get(&var).cloned())
    }

    /// The value of a term; a variable without value counts as the simplest of its sort.
    pub fn eval_or_simplest(&self, term: &Term) -> Option<Scalar> {
        term.eval(&mut |var| Some(self.values.get(&var).cloned().unwrap_or_else(|| var.sort.simplest())))
    }

    /// Tests whether the condition holds under the model; `false` even if the values in it are too few to tell.
    pub fn satisfies(&self, condition: &Term) -> bool {
        self.eval(condition).and_then(|value| value.as_bool()) == Some(true)
    }

    /// Adds values for all eliminated variables of a trail, latest first. If each elimination was exact there always are some; an
    /// answer other than `Sat` says why a question was too hard.
    pub fn extend(&mut self, trail: &Trail, solver: &mut Solver) -> Answer {
        let mut steps = trail.iter().map(|step| self.extend_by(step, solver));
        steps.find(|answer| *answer != Answer::Sat).unwrap_or(Answer::Sat)
    }

    /// Adds values for the eliminated variables that depend on no open variable. The other eliminated variables become open, too;
    /// returns the part of the trail that is about them.
    ///
    /// # Errors
    /// A question was too hard.
    pub fn extend_decided(&mut self, trail: &Trail, open: &mut Open, solver: &mut Solver) -> Result<Trail, Answer> {
        let mut left = Vec::new();
        for step in trail.iter() {
            let (own, terms) = step.parts();
            let is_open = |var: Var| !own.contains(&var) && open.has(var, self);
            if terms.iter().any(|term| term.any_var(&mut |var| is_open(var))) {
                step.vars(&mut |var| open.add(var));
                left.push(step.clone());
                continue;
            }
            match self.extend_by(step, solver) {
                Answer::Sat => {}
                answer => return Err(answer),
            }
        }
        let mut rest = Trail::default();
        left.into_iter().rev().for_each(|step| rest.push(step));
        Ok(rest)
    }

    /// Adds values for the variables of one elimination.
    fn extend_by(&mut self, step: &Elimination, solver: &mut Solver) -> Answer {
        match step {
            Elimination::Bound { var, value } => {
                self.extend_bound(*var, value);
                Answer::Sat
            }
            Elimination::Projected { vars, constraints } => self.extend_eliminated(vars, constraints, solver),
        }
    }

    /// Keeps the values of these variables only.
    pub fn retain(&mut self, wanted: &FxHashSet<Var>) {
        self.values.retain(|var, _| wanted.contains(var));
    }

    fn extend_bound(&mut self, var: Var, value: &Term) {
        value.vars(&mut |var| {
            self.values.entry(var).or_insert_with(|| var.sort.simplest());
        });
        if !self.values.contains_key(&var)
            && let Some(value) = self.eval(value)
        {
            self.values.insert(var, value);
        }
    }

    fn extend_eliminated(&mut self, vars: &[Var], constraints: &[Term], solver: &mut Solver) -> Answer {
        let mut store = Store::default();
        for constraint in constraints {
            let known = constraint.substitute(&mut |var| self.values.get(&var).cloned().map(Term::constant));
            let answer = store.assume(&known, solver);
            if answer == Answer::Unsat {
                return answer;
            }
        }
        if self.extend_by_domains(vars, constraints, &store) {
            return Answer::Sat;
        }
        let wanted: Vec<Term> = vars.iter().map(|var| Term::var(*var)).collect();
        match store.model_of(&wanted, solver, &mut |_| 0) {
            Ok(found) => {
                for (var, value) in found.values {
                    self.values.entry(var).or_insert(value);
                }
                Answer::Sat
            }
            Err(answer) => answer,
        }
    }
}

impl Model {
    /// Gives each variable without a value one of its domain, or its constant, if a store knows constants and domains only; returns
    /// whether it did.
    fn extend_by_domains(&mut self, vars: &[Var], constraints: &[Term], store: &Store) -> bool {
        if !store.facts.rest_is_empty() || store.doubt().is_some() {
            return false;
        }
        let mut open: Vec<Var> = vars.to_vec();
        constraints.iter().for_each(|constraint| constraint.vars(&mut |var| open.push(var)));
        open.retain(|var| !self.values.contains_key(var));
        let is_computed = |var: &Var| store.binding(*var).is_some_and(|value| value.as_const().is_none());
        if open.iter().any(is_computed) {
            return false;
        }
        for var in open {
            let known = store.binding(var).and_then(|value| value.as_const().cloned());
            self.values.insert(var, known.unwrap_or_else(|| store.domain(var).first(var)));
        }
        true
    }
}

impl FromIterator<(Var, Scalar)> for Model {
    fn from_iter<I: IntoIterator<Item = (Var, Scalar)>>(values: I) -> Model {
        Model { values: values.into_iter().collect() }
    }
}

impl Store {
    /// An assignment of every variable that occurs, under which the store and the conditions `extra` hold; it is checked by
    /// evaluation before it is returned. `pick(n)` gives a number below n, which chooses among values that are free.
    pub fn model(
        &self,
        extra: &[Term],
        solver: &mut Solver,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Result<Model, Answer> {
        let mut store = self.clone();
        let answer = store.assume(&Term::and_all(extra.iter().cloned()), solver);
        if answer != Answer::Sat {
            return Err(answer);
        }
        let all: Vec<Term> = self.constraints().into_iter().chain(extra.iter().cloned()).collect();
        let model = store.model_of(&all, solver, pick)?;
        let holds = all.iter().all(|condition| model.satisfies(condition));
        if holds { Ok(model) } else { Err(Answer::Unknown(Why::Effort)) }
    }

    fn model_of(
        &self,
        terms: &[Term],
        solver: &mut Solver,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Result<Model, Answer> {
        if self.dead {
            return Err(Answer::Unsat);
        }
        if let Some(why) = self.doubt() {
            return Err(Answer::Unknown(why));
        }
        let mut vars = self.vars();
        terms.iter().for_each(|term| term.vars(&mut |var| _ = vars.insert(var)));
        let mut store = self.clone();
        store.trail = None;
        let mut model = Model::default();
        for (tried, var) in vars.iter().filter(|var| self.facts.bindings.get(**var).is_none()).enumerate() {
            store.choose(*var, tried, solver, pick);
        }
        let rest = store.facts.rest.clone().unwrap_or_default();
        for var in vars.iter().filter(|var| store.facts.bindings.get(**var).is_none()) {
            let value = rest.model.get(var).cloned();
            model.insert(*var, value.unwrap_or_else(|| store.domain(*var).first(*var)));
        }
        for var in vars.iter().filter(|var| store.facts.bindings.get(**var).is_some()) {
            if let Some(value) = model.eval_or_simplest(&store.resolve(&Term::var(*var))) {
                model.insert(*var, value);
            }
        }
        Ok(model)
    }

    /// Gives one variable a picked value, if that leaves the store satisfiable; else the store stays as it is.
    fn choose(&mut self, var: Var, tried: usize, solver: &mut Solver, pick: &mut dyn FnMut(usize) -> usize) {
        if self.facts.bindings.get(var).is_some() || tried >= PICKED {
            return;
        }
        if let Some(value) = domain::draw(self.domain(var), var, pick) {
            self.give(var, value, solver);
        }
    }

    /// Gives a variable a value, if that is satisfiable, or leaves fewer undecided constraints than before; returns whether it did.
    fn give(&mut self, var: Var, value: Scalar, solver: &mut Solver) -> bool {
        let open = |store: &Store| store.facts.rest.as_ref().map_or(0, |rest| rest.open.len());
        let mut given = self.clone();
        let is_given = match given.assume(&Term::eq(&Term::var(var), &Term::constant(value)), solver) {
            Answer::Sat => true,
            Answer::Unknown(_) => open(&given) < open(self),
            Answer::Unsat => false,
        };
        if is_given {
            *self = given;
        }
        is_given
    }

    /// Gives a variable a value for good: the first wanted one that it can have, else a picked one, else its value in a model.
    /// Returns the answer for the store after that; if it is `Unknown`, the variable may have no value yet.
    pub fn fix(
        &mut self,
        var: Var,
        wanted: impl IntoIterator<Item = Scalar>,
        solver: &mut Solver,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Answer {
        let is_bound = self.binding(var).is_some();
        if is_bound || wanted.into_iter().any(|value| self.give(var, value, solver)) {
            return self.standing();
        }
        self.choose(var, 0, solver, pick);
        if self.binding(var).is_some() || self.doubt().is_some() {
            return self.standing();
        }
        let of_model = self.facts.rest.as_ref().and_then(|rest| rest.model.get(var).cloned());
        let value = of_model.unwrap_or_else(|| self.domain(var).first(var));
        self.assume(&Term::eq(&Term::var(var), &Term::constant(value)), solver)
    }
}
