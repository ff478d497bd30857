//! Small case splits within one component: clauses, conditionals, finite domains, signs; with propagation, on a budget.
//!
//! For example `#1 || #2`, `!#1 || #3 <= 4` splits on `#1` first. This tier keeps clauses like `b || w || o != "t7"` away from Z3.
//! Branches are exhaustive (a condition and its negation), so closing all of them refutes. A model is a leaf in which no constraint
//! remains, or values that were tried and fit.

use super::texts::{self, Rewriting};
use crate::limits;
use crate::scalar::{Int, Scalar, Sort};
use crate::solve::Solved;
use crate::solve::facts::{Conflict, Facts, Touched};
use crate::solve::forgetting::eliminate::{eliminate_all, inequality};
use crate::solve::model::Model;
use crate::solve::persistent::sorted_map::SortedMap;
use crate::solve::residual::{Id, Residual};
use crate::term::{Kind, Linear, Term, Var, made};
use std::collections::BTreeSet;

/// A dive tries about this many values for a variable, half of them from its domain.
const TRIES: usize = 4;

/// A search for a model, with its budget, and the values of the last model as hints.
pub(crate) struct CaseSearch {
    budget: u32,
    /// The number of terms made by this thread after which the search gives up: a few conditions may be large.
    last_made: u64,
    hints: SortedMap<Scalar>,
    parts: texts::Pieces,
}

enum Expansion {
    Found(Model),
    /// Two conditions, one for each branch: their disjunction, with the facts that are left, says what the facts said before.
    Split(Term, Term),
    /// The facts are in a simpler form, which says as much as before.
    Simpler,
    /// A leaf that no method here decides.
    Stuck,
}

impl CaseSearch {
    /// A search that may add `budget` conditions.
    pub(crate) fn new(budget: u32, last_made: u64) -> CaseSearch {
        CaseSearch { budget, last_made, hints: SortedMap::default(), parts: texts::Pieces::default() }
    }

    /// Looks for a model of all variables in `facts`, which the caller checks by evaluation. `None` if the budget was used up, or a
    /// leaf was stuck.
    pub(crate) fn run(&mut self, facts: Facts) -> Option<Solved> {
        let vars = variables(&facts);
        self.hints = facts.rest.as_ref().map(|rest| rest.model.clone()).unwrap_or_default();
        let mut stack: Vec<(Facts, Term)> = Vec::new();
        let mut stuck = false;
        let mut current = Ok(facts);
        loop {
            match current.and_then(|facts| self.step(facts)) {
                Ok((facts, Expansion::Found(found))) => return Some(Solved::Sat(complete(found, &facts, &vars))),
                Ok((facts, Expansion::Split(one, other))) => {
                    stack.push((facts.clone(), other));
                    current = self.with(facts, one);
                    continue;
                }
                Ok((facts, Expansion::Simpler)) => {
                    current = Ok(facts);
                    continue;
                }
                Ok((_, Expansion::Stuck)) => stuck = true,
                Err(Conflict) => {}
            }
            match stack.pop() {
                None => return (!stuck).then_some(Solved::Unsat),
                Some(_) if self.budget == 0 => return None,
                Some((facts, other)) => current = self.with(facts, other),
            }
        }
    }

    /// Adds a condition; it costs one unit of the budget, and one more for every 64 constraints.
    fn with(&mut self, mut facts: Facts, condition: Term) -> Result<Facts, Conflict> {
        let size = facts.rest.as_ref().map_or(0, |rest| rest.terms.len());
        self.budget = self.budget.saturating_sub(1 + size as u32 / 64);
        facts.conjoin(condition, &mut Touched::default())?;
        Ok(facts)
    }

    fn step(&mut self, mut facts: Facts) -> Result<(Facts, Expansion), Conflict> {
        tighten(&mut facts)?;
        if facts.rest_is_empty() {
            return Ok((facts, Expansion::Found(Model::default())));
        }
        if self.budget == 0 || made() > self.last_made || limits::end::is_over() {
            return Ok((facts, Expansion::Stuck));
        }
        if let Some(Cases { old, one, other }) = split(&facts) {
            old.into_iter().for_each(|id| drop(facts.rest_mut().remove(id)));
            return Ok((facts, Expansion::Split(one, other)));
        }
        self.leaf(facts)
    }

    /// Expands facts without clauses: values are tried, then texts are solved, inequalities eliminated, signs split.
    fn leaf(&mut self, facts: Facts) -> Result<(Facts, Expansion), Conflict> {
        if let Some(solved) = self.dive(facts.clone()) {
            return Ok((solved, Expansion::Found(Model::default())));
        }
        if let Some(Rewriting { old, new }) = texts::rewritten(&facts, &mut self.parts) {
            let mut facts = facts;
            old.into_iter().for_each(|id| drop(facts.rest_mut().remove(id)));
            return Ok((self.with(facts, Term::and_all(new))?, Expansion::Simpler));
        }
        if let Some(answer) = linear_system(&facts).and_then(eliminate_all) {
            let model = answer.ok_or(Conflict)?;
            return Ok((facts, Expansion::Found(model.into_iter().collect())));
        }
        let step = sign(&facts).map(|below| Expansion::Split(below.clone(), below.not()));
        Ok((facts, step.unwrap_or(Expansion::Stuck)))
    }

    /// Gives one variable after the other a value, with a few tries each and without backtracking.
    fn dive(&mut self, mut facts: Facts) -> Option<Facts> {
        while let Some(var) = next_variable(&facts) {
            let mut next = None;
            for value in self.candidates(&facts, var) {
                if self.budget == 0 {
                    return None;
                }
                let chosen = Term::eq(&Term::var(var), &Term::constant(value));
                let tried = self.with(facts.clone(), chosen).and_then(|mut facts| tighten(&mut facts).map(|()| facts));
                if let Ok(fits) = tried {
                    next = Some(fits);
                    break;
                }
            }
            facts = next?;
        }
        Some(facts)
    }

    fn candidates(&self, facts: &Facts, var: Var) -> Vec<Scalar> {
        let domain = facts.domain(var);
        let mut list: Vec<Scalar> =
            self.hints.get(var).filter(|value| domain.admits(value)).cloned().into_iter().collect();
        if matches!(var.sort, Sort::Str | Sort::Bytes) {
            list.extend(texts::candidates(facts, var).into_iter().filter(|value| domain.admits(value)));
        }
        list.extend(domain.candidates(var).take(TRIES / 2));
        if let Some(hi) = domain.hi() {
            list.push(Scalar::Int(hi.clone()));
        }
        list.dedup();
        list
    }
}

/// Adds the bounds that follow from the sums among the rest, until nothing changes or the rounds are used up.
fn tighten(facts: &mut Facts) -> Result<(), Conflict> {
    for _ in 0..limits::DEPTH {
        let mut bounds = Vec::new();
        for (_, term) in facts.remaining() {
            match term.kind() {
                Kind::Le0(linear) => facts.domains.bounds_from(linear, &mut bounds),
                Kind::Eq0(linear) => {
                    facts.domains.bounds_from(linear, &mut bounds);
                    facts.domains.bounds_from(&linear.negated(), &mut bounds);
                }
                _ => {}
            }
        }
        if bounds.is_empty() {
            break;
        }
        bounds.into_iter().try_for_each(|bound| facts.conjoin(bound, &mut Touched::default()))?;
    }
    Ok(())
}

/// All variables that occur in the facts.
fn variables(facts: &Facts) -> BTreeSet<Var> {
    let mut vars: BTreeSet<Var> = facts.domains.iter().map(|(var, _)| var).collect();
    vars.extend(facts.rest.iter().flat_map(|rest| rest.of_var.keys()));
    for (var, value) in facts.bindings.iter() {
        vars.insert(var);
        value.vars(&mut |var| _ = vars.insert(var));
    }
    vars
}

/// A model of all `vars`: the values that were found, first values of domains for the others, bindings by evaluation.
fn complete(mut model: Model, facts: &Facts, vars: &BTreeSet<Var>) -> Model {
    let mut free: BTreeSet<Var> = vars.clone();
    free.extend(variables(facts));
    for var in &free {
        if facts.bindings.get(*var).is_none() && model.get(*var).is_none() {
            model.insert(*var, facts.domain(*var).first(*var));
        }
    }
    for (var, _) in facts.bindings.iter() {
        if let Some(value) = model.eval_or_simplest(&facts.resolve(&Term::var(var))) {
            model.insert(var, value);
        }
    }
    model
}

/// Two cases, whose disjunction says what the constraints `old` said.
struct Cases {
    old: Vec<Id>,
    one: Term,
    other: Term,
}

/// A split on a clause, a condition inside a term, half of a table, or a value of a small domain.
fn split(facts: &Facts) -> Option<Cases> {
    let rest = facts.rest.as_ref()?;
    if let Some(cases) = split_clause(rest).or_else(|| split_condition(rest)) {
        return Some(cases);
    }
    if let Some(low) = rest.terms.values().find_map(|term| half_of_index(facts, term)) {
        return Some(Cases { old: Vec::new(), other: low.not(), one: low });
    }
    let small = rest.of_var.keys().filter_map(|var| Some((var, facts.domain(var).values(limits::CASES)?)));
    let (var, values) = small.min_by_key(|(_, values)| values.len())?;
    let one = Term::eq(&Term::var(var), &Term::constant(values.into_iter().next()?));
    Some(Cases { old: Vec::new(), other: one.not(), one })
}

/// The condition that the index of a table is in the lower half of its domain, if it is a variable with both bounds.
fn half_of_index(facts: &Facts, term: &Term) -> Option<Term> {
    let mut found = None;
    term.visit(&mut |node| {
        let Kind::Table(index, _) = node.kind() else { return };
        let domain = index.as_var().map(|var| facts.domain(var));
        if let Some((lo, hi)) = domain.and_then(|domain| domain.lo().zip(domain.hi())) {
            found = Some(Term::at_most(index, &lo.add(hi).floor_div(&Int::from(2))));
        }
    });
    found
}

/// A split of the shortest clause `l or r` into `l`, and `not l and r`; l is its smallest literal.
fn split_clause(rest: &Residual) -> Option<Cases> {
    let clauses = rest.terms.iter().filter_map(|(id, term)| match term.kind() {
        Kind::Or(parts) => Some((id, parts)),
        _ => None,
    });
    let (id, parts) = clauses.min_by_key(|(_, parts)| parts.len())?;
    let first = parts.iter().min_by_key(|part| part.size())?;
    let others = Term::or_all(parts.iter().filter(|part| *part != first).cloned());
    Some(Cases { old: vec![id], one: first.clone(), other: Term::and(&first.not(), &others) })
}

/// A split on a condition inside of atoms: in each case it is replaced by its truth value in all constraints.
fn split_condition(rest: &Residual) -> Option<Cases> {
    let condition = rest.terms.values().find_map(inner_condition)?;
    let opposite = condition.not();
    let decided = |term: &Term, value: &Term| {
        let seen = |node: &Term| match node {
            node if *node == condition => Some(value.clone()),
            node if *node == opposite => Some(value.not()),
            _ => None,
        };
        term.replace(&seen)
    };
    let (mut old, mut one, mut other) = (Vec::new(), vec![condition.clone()], vec![opposite.clone()]);
    let elsewhere = |term: &Term| condition.any_var(&mut |var| !term.mentions(var));
    for (id, term) in rest.terms.iter().filter(|(_, term)| !elsewhere(term)) {
        let holds = decided(term, &Term::truth());
        if holds != *term {
            old.push(id);
            one.push(holds);
            other.push(decided(term, &Term::falsity()));
        }
    }
    Some(Cases { old, one: Term::and_all(one), other: Term::and_all(other) })
}

/// The smallest condition inside a term: that of a conditional, or one side of an equality of conditions.
fn inner_condition(term: &Term) -> Option<Term> {
    let mut found: Option<Term> = None;
    term.visit(&mut |node| {
        let inner = match node.kind() {
            Kind::Ite(condition, ..) => condition,
            Kind::Eq(a, b) if a.sort() == Sort::Bool => std::cmp::min_by_key(a, b, |side| side.size()),
            _ => return,
        };
        if found.as_ref().is_none_or(|known| inner.size() < known.size()) {
            found = Some(inner.clone());
        }
    });
    found
}

/// The variable with the fewest values left; the oldest if several have as few.
fn next_variable(facts: &Facts) -> Option<Var> {
    let rest = facts.rest.as_ref()?;
    let width = |var: &Var| {
        let domain = facts.domain(*var);
        match (domain.lo(), domain.hi()) {
            (Some(lo), Some(hi)) => (0, Some(hi.sub(lo))),
            (None, None) if domain.is_finite() => (1, None),
            (None, None) => (3, None),
            _ => (2, None),
        }
    };
    rest.of_var.keys().min_by_key(|var| (width(var), *var))
}

/// The rest as a system of inequalities, with the bounds of its variables; `None` if something else remains.
fn linear_system(facts: &Facts) -> Option<Vec<Linear>> {
    let rest = facts.rest.as_ref()?;
    let mut system = Vec::new();
    for term in rest.terms.values() {
        system.push(inequality(term)?.clone());
    }
    for var in rest.of_var.keys() {
        let domain = facts.domain(var);
        if !domain.is_interval() {
            return None;
        }
        let atom = Linear::of(&Term::var(var));
        system.extend(domain.lo().map(|lo| atom.negated().plus_constant(lo)));
        system.extend(domain.hi().map(|hi| atom.clone().plus_constant(&hi.neg())));
    }
    Some(system)
}

/// The condition that the sum of a disequality is below zero, to split on, if only inequalities and disequalities remain.
fn sign(facts: &Facts) -> Option<Term> {
    let rest = facts.rest.as_ref()?;
    let linear = |term: &Term| inequality(term).is_some() || disequality(term).is_some();
    if !rest.terms.values().all(linear) {
        return None;
    }
    let apart = rest.terms.values().find_map(disequality)?;
    Some(Term::le0(apart.clone().plus_constant(&Int::ONE)))
}

fn disequality(term: &Term) -> Option<&Linear> {
    let Kind::Not(inner) = term.kind() else { return None };
    if let Kind::Eq0(linear) = inner.kind() { Some(linear) } else { None }
}
