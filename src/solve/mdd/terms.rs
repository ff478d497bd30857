//! Terms as diagrams, and relations as conditions.
//!
//! `#1 + #2 = 2`, each 0 to 2, is summed up first: its terminals 0 to 4 are compared with 2 then.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{ALWAYS, DEPTH, Diagrams, Met, NEVER, Ref, Refs, Result, TooLarge, VALUES, Vertex};
use crate::scalar::{Scalar, Sort};
use crate::solve::Solved;
use crate::solve::facts::Facts;
use crate::solve::model::Model;
use crate::term::{Kind, Linear, Term, Var};

impl Diagrams {
    /// The diagram of a term, all of whose variables must have levels.
    pub(in crate::solve) fn of(&mut self, term: &Term) -> Result<Ref> {
        if let Some(known) = self.of_terms.get(term) {
            return Ok(*known);
        }
        if term.depth() as usize > DEPTH {
            return Err(TooLarge);
        }
        let result = match term.kind() {
            Kind::Const(value) => self.intern(Vertex::Known(value.clone()))?,
            Kind::Var(var) => self.variable(*var)?,
            Kind::Not(inner) => {
                let inner = self.of(inner)?;
                self.not(inner)?
            }
            Kind::And(parts) => parts.iter().try_fold(ALWAYS, |all, part| {
                let part = self.of(part)?;
                self.and(all, part)
            })?,
            Kind::Or(parts) => parts.iter().try_fold(NEVER, |any, part| {
                let part = self.of(part)?;
                self.or(any, part)
            })?,
            Kind::Eq(a, b) if a.sort() == Sort::Bool => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                self.same(a, b)?
            }
            Kind::Ite(condition, yes, no) => {
                let ways = [self.of(condition)?, self.of(yes)?, self.of(no)?];
                self.choice(ways)?
            }
            Kind::Linear(sum) => self.sum(sum)?,
            Kind::Eq0(sum) => {
                let sum = self.sum(sum)?;
                self.map(&[sum], &|values| Some(Scalar::Bool(values[0].as_int()?.is_zero())), &mut Met::default())?
            }
            Kind::Le0(sum) => {
                let sum = self.sum(sum)?;
                self.map(&[sum], &|values| Some(Scalar::Bool(values[0].as_int()?.signum() <= 0)), &mut Met::default())?
            }
            _ => self.operation(term)?,
        };
        self.of_terms.insert(term.clone(), result);
        Ok(result)
    }

    fn variable(&mut self, var: Var) -> Result<Ref> {
        let level = self.level_of.get(&var).copied().ok_or(TooLarge)?;
        let values = self.levels[level as usize].1.clone();
        let children = values.into_iter().map(|value| self.intern(Vertex::Known(value))).collect::<Result<Refs>>()?;
        self.node(level, children)
    }

    /// The relation of a variable having the value of a diagram.
    pub(in crate::solve) fn equation(&mut self, var: Var, a: Ref) -> Result<Ref> {
        let own = self.variable(var)?;
        self.map(&[own, a], &|values| Some(Scalar::Bool(values[0] == values[1])), &mut Met::default())
    }

    /// A sum, one atom after the other.
    fn sum(&mut self, sum: &Linear) -> Result<Ref> {
        let mut so_far = self.intern(Vertex::Known(Scalar::Int(sum.constant().clone())))?;
        for (atom, coefficient) in sum.terms() {
            let atom = self.of(atom)?;
            let plus =
                |values: &[&Scalar]| Some(Scalar::Int(values[0].as_int()?.add(&values[1].as_int()?.mul(coefficient))));
            so_far = self.map(&[so_far, atom], &plus, &mut Met::default())?;
        }
        Ok(so_far)
    }

    /// An operation on the values of the children of a term.
    fn operation(&mut self, term: &Term) -> Result<Ref> {
        let mut children: Vec<Term> = Vec::new();
        term.for_each_child(&mut |child| children.push(child.clone()));
        let nodes = children.iter().map(|child| self.of(child)).collect::<Result<Refs>>()?;
        let value = |values: &[&Scalar]| {
            let of = |child: &Term| children.iter().position(|other| other == child).map(|at| values[at].clone());
            term.eval_outermost(&mut |child| of(child))
        };
        self.map(&nodes, &value, &mut Met::default())
    }

    /// A relation as a condition with a node for each of its own.
    pub(in crate::solve) fn condition(&self, a: Ref) -> Term {
        let mut made: FxHashMap<Ref, Term> = FxHashMap::default();
        made.insert(NEVER, Term::falsity());
        made.insert(ALWAYS, Term::truth());
        let mut order: Vec<Ref> = self.reached(a).collect();
        order.sort_unstable_by_key(|at| std::cmp::Reverse(self.level(*at)));
        for at in order {
            if let Vertex::Cases(level, children) = &self.nodes[at.0 as usize] {
                made.insert(at, self.cases(*level, children, &made));
            }
        }
        made[&a].clone()
    }

    fn cases(&self, level: u32, children: &[Ref], made: &FxHashMap<Ref, Term>) -> Term {
        let (var, values) = &self.levels[level as usize];
        let ways = conditions_of(*var, values.iter().zip(children.iter().copied()));
        Term::or_all(ways.into_iter().map(|(child, conditions)| Term::and(&Term::or_all(conditions), &made[&child])))
    }
}

/// The different results for the values of a variable, each with the equations of the variable that lead to it.
pub(in crate::solve) fn conditions_of<'v, R: PartialEq>(
    var: Var,
    results: impl IntoIterator<Item = (&'v Scalar, R)>,
) -> SmallVec<[(R, Vec<Term>); 4]> {
    let var = Term::var(var);
    let mut ways: SmallVec<[(R, Vec<Term>); 4]> = SmallVec::new();
    for (value, result) in results {
        let is = Term::eq(&var, &Term::constant(value.clone()));
        match ways.iter_mut().find(|(known, _)| *known == result) {
            Some((_, conditions)) => conditions.push(is),
            None => ways.push((result, vec![is])),
        }
    }
    ways
}

/// Conditions that are no deeper are clauses, which case splits decide soon.
const SHALLOW: u32 = 8;
/// No more nodes than this are looked at to answer a question.
const ANSWERED: usize = 50_000;

/// Tests whether a condition is a relation as diagrams make them, in which parts are shared, rather than a clause.
pub(in crate::solve) fn is_relation(condition: &Term) -> bool {
    condition.depth() > SHALLOW && matches!(condition.kind(), Kind::And(_) | Kind::Or(_))
}

/// The answer of a diagram if some condition is a relation, and all variables have few values.
pub(in crate::solve) fn decide(facts: &Facts) -> Option<Solved> {
    let rest = facts.rest.as_ref()?;
    if !rest.terms.values().any(is_relation) {
        return None;
    }
    let mut vars: Vec<Var> = rest.of_var.keys().collect();
    vars.sort_unstable();
    let levels =
        vars.into_iter().map(|var| Some((var, facts.domains.few_values(var, VALUES)?))).collect::<Option<Vec<_>>>()?;
    let mut diagrams = Diagrams::new(levels, ANSWERED).ok()?;
    let mut conditions: Vec<&Term> = rest.terms.values().collect();
    conditions.sort_unstable_by_key(|term| term.size());
    let all = conditions.into_iter().try_fold(ALWAYS, |all, condition| {
        let condition = diagrams.of(condition)?;
        diagrams.and(all, condition)
    });
    let Some(values) = diagrams.model(all.ok()?) else { return Some(Solved::Unsat) };
    let mut model = Model::default();
    diagrams.levels.iter().for_each(|(var, values)| model.insert(*var, values[0].clone()));
    values.into_iter().for_each(|(var, value)| model.insert(var, value));
    facts.conditions().iter().all(|condition| model.satisfies(condition)).then_some(Solved::Sat(model))
}
