//! Models: values for variables, checked by evaluation before anyone sees them.
//!
//! For example a model of `#1 <= 3 && #2 == #1 + 1` is `#1 = 3, #2 = 4`.

use super::trail::{Step, Trail};
use super::{Answer, Solver, Store};
use crate::scalar::Scalar;
use crate::term::{Term, Var};
use std::collections::BTreeMap;

/// Values for variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<Var, Scalar>,
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

    /// The value of a term, if that of each variable that matters is known.
    pub fn eval(&self, term: &Term) -> Option<Scalar> {
        term.eval(&mut |var| self.values.get(&var).cloned())
    }

    /// The value of a term, where a variable without value counts as the simplest of its sort.
    pub fn eval_or_simplest(&self, term: &Term) -> Option<Scalar> {
        term.eval(&mut |var| Some(self.values.get(&var).cloned().unwrap_or_else(|| var.sort.simplest())))
    }

    /// Whether the condition holds under it.
    pub fn satisfies(&self, condition: &Term) -> bool {
        self.eval(condition).and_then(|value| value.as_bool()) == Some(true)
    }

    /// Adds values for all variables that were eliminated on the way, latest first. Where each elimination was exact there
    /// always are some; an answer other than `Sat` tells which question was too hard.
    pub fn extend(&mut self, trail: &Trail, solver: &mut Solver) -> Answer {
        for step in trail.steps() {
            match step {
                Step::Bound { var, value } => self.extend_bound(*var, value),
                Step::Eliminated { vars, constraints } => {
                    let answer = self.extend_eliminated(vars, constraints, solver);
                    if answer != Answer::Sat {
                        return answer;
                    }
                }
                Step::Renamed { pairs } => {
                    let old: Vec<(Var, Scalar)> =
                        pairs.iter().filter_map(|(old, new)| Some((*old, self.values.get(new)?.clone()))).collect();
                    self.values = old.into_iter().collect();
                }
            }
        }
        Answer::Sat
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
        let wanted: Vec<Term> = vars.iter().map(|var| Term::var(*var)).collect();
        match store.values(&wanted, solver) {
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

impl FromIterator<(Var, Scalar)> for Model {
    fn from_iter<I: IntoIterator<Item = (Var, Scalar)>>(values: I) -> Model {
        Model { values: values.into_iter().collect() }
    }
}
