//! Forgetting, exactly: projection of a store to its live variables, those that the memory mentions. No accepted future changes.
//!
//! For example `#1 >= 3`, `#1 <= #2` without `#1` is `#2 >= 3`. Bindings, domains and components of dead variables alone are
//! dropped. A dead variable x of a component with live ones is eliminated if `∃x. constraints` can be written with no more
//! constraints than before (`proofs-notes/forgetting.md` says why each rule is exact):
//!
//! 1. x occurs in disequalities only, and has infinitely many values: they are dropped.
//! 2. x occurs in inequalities with coefficient ±1 only: each lower bound is paired with each upper bound. Bits in sums and
//!    clauses are such variables, too ([`counted`]).
//! 3. x has two bounds and more values than disequalities, or its constraints bound it from one side only: they are dropped.
//! 4. x is solved for: its binding is dropped.
//! 5. x has few values, and so has the only other variable of its constraints: one case for each value ([`cases`]).
//! 6. x occurs in differences only: its row leaves the zone ([`differences`]).

pub(crate) mod cases;
pub(crate) mod counted;
pub(crate) mod eliminate;
pub mod sum;
pub(crate) mod trail;

use super::differences;
use super::domains::domain::Domain;
use super::domains::literal::About;
use super::facts::{Facts, Touched};
use super::persistent::sorted_map::SortedMap;
use super::residual::{Component, Id, Residual};
use super::{Answer, Solver, Store};
use crate::limits;
use crate::scalar::{Int, Sort};
use crate::term::{Kind, Linear, Term, Var, count_walked, made};
use cases::without_cases;
use counted::without_bit;
use eliminate::{BoundPairs, inequality};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use trail::Elimination;

/// The constraints on a variable up to which it is eliminated: they are combined with each other.
const CONSTRAINTS: usize = 256;

impl Store {
    /// Forgets the dead variables, as far as that is exact. `live` tells which variables the memory still mentions, *after* the
    /// caller has replaced bound ones by [`Store::resolve`].
    pub fn forget(&mut self, live: &dyn Fn(Var) -> bool, solver: &mut Solver) {
        if self.dead {
            return;
        }
        self.drop_dead(live);
        let closed = differences::forget(self, live);
        if self.project_all(live, solver) || closed {
            self.drop_dead(live);
        }
        if self.facts.rest_is_empty() {
            self.facts.rest = None;
        } else {
            self.facts.rest_mut().searched = 0;
        }
    }

    /// The variable of `#1 <= #2` that may be forgotten at once: no other term shares its node, and only plain bounds are known of
    /// it. If nothing else mentions it, [`Store::assume_without`] may assume the condition without it.
    pub fn last_of(&self, condition: &Term) -> Option<Var> {
        let [(a, _), (b, _)] = inequality(condition)?.terms() else { return None };
        let (own, other) = if a.is_shared() { (b, a) } else { (a, b) };
        let alone = self.trail.is_none() && self.doubt.is_none() && !self.dead;
        let (var, other) = (own.as_var().filter(|_| alone && !own.is_shared())?, other.as_var()?);
        let is_plain = self.is_alone(var) && self.facts.domain(var).is_interval();
        (is_plain && self.facts.bindings.get(other).is_none() && !self.is_constrained(other)).then_some(var)
    }

    /// Adds an inequality of two variables and forgets the one that is mentioned nowhere else ([`Store::last_of`]): by rule 2 a
    /// bound of the other variable is left, or nothing. `None`, and nothing is done, if the rule does not apply.
    pub fn assume_without(&mut self, condition: &Term, var: Var, solver: &mut Solver) -> Option<Answer> {
        let linear = inequality(condition)?;
        let domain = self.facts.domain(var);
        let bound = bound_of_other(domain, var, linear);
        if bound.is_none() && !is_unbounded_towards(domain, var, linear) {
            return None;
        }
        self.facts.domains.remove(var);
        let (facts, mut touched) = (&mut self.facts, Touched::default());
        let narrowed = bound.map_or(Ok(()), |(other, about)| facts.narrow(other, &about, &mut touched));
        let added = narrowed.and_then(|()| facts.propagate(&mut touched));
        Some(self.check_after(added, &touched, solver))
    }

    /// Drops the bindings, components and domains in which no live variable is.
    fn drop_dead(&mut self, live: &dyn Fn(Var) -> bool) {
        let mentioned = self.drop_bindings(live);
        let alive = |var: Var| live(var) || mentioned.contains(&var);
        self.drop_components(&alive);
        self.drop_domains(&alive);
    }

    /// Drops the bindings of dead variables (rule 4). Returns the variables that the remaining bindings mention.
    fn drop_bindings(&mut self, live: &dyn Fn(Var) -> bool) -> BTreeSet<Var> {
        let mut mentioned = BTreeSet::new();
        if self.trail.is_none() && !self.facts.bindings.unsorted().any(|(var, _)| live(var)) {
            self.facts.bindings = SortedMap::default();
            return mentioned;
        }
        let (facts, logged) = (&self.facts, self.trail.is_some());
        let wanted = facts.bindings.iter().filter(|(var, _)| logged || live(*var));
        let resolved: Vec<(Var, Term)> = wanted.map(|(var, value)| (var, facts.resolve(value))).collect();
        self.facts.bindings = resolved.iter().filter(|(var, _)| live(*var)).cloned().collect();
        for (var, value) in resolved {
            if live(var) {
                value.vars(&mut |var| _ = mentioned.insert(var));
            } else {
                self.log(|| Elimination::Bound { var, value });
            }
        }
        mentioned
    }

    /// Drops the components without a live variable: they were checked when they were made. Undecided ones leave a doubt.
    fn drop_components(&mut self, alive: &dyn Fn(Var) -> bool) {
        let mut walked = 0;
        let dead = self.facts.remaining().filter(|(_, term)| {
            walked += if term.is_small() { term.size() as usize } else { 0 };
            !term.any_var(&mut |var| alive(var))
        });
        let mut left: BTreeSet<Id> = dead.map(|(id, _)| id).collect();
        count_walked(walked);
        while let Some(seed) = left.pop_first() {
            let component = self.facts.component([seed]);
            left.retain(|id| !component.ids.contains(id));
            if !component.vars.iter().any(|var| alive(*var)) {
                self.drop_component(&component);
            }
        }
    }

    fn drop_component(&mut self, component: &Component) {
        let rest = self.facts.rest.as_deref();
        let open = rest.and_then(|rest| component.ids.iter().find_map(|id| rest.open.get(id)).copied());
        if self.trail.is_some() {
            self.log_component(component, open.is_some());
        }
        self.doubt = self.doubt.or(open);
        self.facts.take_out(component);
    }

    fn log_component(&mut self, component: &Component, open: bool) {
        if open {
            let constraints = self.facts.part(component).conditions();
            let vars = component.vars.iter().copied().collect();
            return self.log(|| Elimination::Projected { vars, constraints });
        }
        let model = self.facts.rest.as_ref().map(|rest| rest.model.clone()).unwrap_or_default();
        for var in &component.vars {
            let value = model.get(var).cloned().unwrap_or_else(|| self.domain(*var).first(*var));
            self.log(|| Elimination::Bound { var: *var, value: Term::constant(value) });
        }
    }

    /// Drops the domains of dead variables that no constraint mentions: no domain is empty.
    fn drop_domains(&mut self, alive: &dyn Fn(Var) -> bool) {
        let Store { facts, trail, .. } = self;
        let rest = facts.rest.as_deref();
        let constrained = |var: Var| rest.is_some_and(|rest| rest.of_var.contains_key(var));
        let keep = |var: Var, _: &Domain| alive(var) || constrained(var);
        facts.domains.retain(keep, |var, domain| {
            if let Some(trail) = trail {
                trail.push(Elimination::Bound { var, value: Term::constant(domain.first(var)) });
            }
        });
    }

    /// Eliminates dead variables from components with live ones, until no rule applies; returns whether any was eliminated.
    fn project_all(&mut self, live: &dyn Fn(Var) -> bool, solver: &mut Solver) -> bool {
        let Some(rest) = &self.facts.rest else { return false };
        let mut pending: BTreeSet<Var> = rest.of_var.keys().filter(|var| !live(*var)).collect();
        let mut any = false;
        let last = made().saturating_add(5 * limits::ATTEMPT);
        while let Some(var) = pending.pop_first().filter(|_| made() <= last) {
            let Some(rest) = &self.facts.rest else { break };
            let few = rest.of_var.get(var).is_some_and(|ids| ids.len() <= CONSTRAINTS);
            if !few || self.is_in_binding(var) {
                continue;
            }
            let ids = rest.of(var);
            let Some(projection) = projection(&self.facts, rest, var, &ids) else { continue };
            let neighbours = self.eliminate(var, &ids, projection, solver);
            pending.extend(neighbours.into_iter().filter(|other| !live(*other)));
            any = true;
        }
        any
    }

    /// Replaces the constraints of a variable by their projection. Returns the other variables that the constraints mentioned.
    fn eliminate(&mut self, var: Var, ids: &[Id], projection: Projection, solver: &mut Solver) -> SmallVec<[Var; 8]> {
        let doubt = self.doubt();
        let domain = self.facts.domains.remove(var).unwrap_or(Domain::ALL);
        let rest = self.facts.rest_mut();
        let removed: SmallVec<[Term; 8]> = ids.iter().filter_map(|id| rest.remove(*id)).collect();
        let mut neighbours = SmallVec::new();
        removed.iter().for_each(|term| term.vars(&mut |other| neighbours.push(other)));
        neighbours.retain(|other| *other != var);
        self.log(|| {
            let constraints = domain.conditions(&Term::var(var)).into_iter().chain(removed).collect();
            Elimination::Projected { vars: vec![var], constraints }
        });
        let mut touched = Touched::default();
        let facts = &mut self.facts;
        let added = match projection {
            Projection::Bound(other, about) => {
                facts.narrow(other, &about, &mut touched).and_then(|()| facts.propagate(&mut touched))
            }
            Projection::Conditions(list) => list.into_iter().try_for_each(|next| facts.conjoin(next, &mut touched)),
        };
        // The projection is implied by the constraints before, so only a component that was never decided can be in conflict.
        if self.check_after(added, &touched, solver) != Answer::Unsat {
            self.doubt = self.doubt.or(doubt);
        }
        neighbours
    }
}

/// A replacement for `∃var. constraints`, of the same meaning.
enum Projection {
    /// A bound of one other variable.
    Bound(Var, About<'static>),
    /// These conditions.
    Conditions(Vec<Term>),
}

/// The replacement for `∃var. constraints`, if a rule gives one.
fn projection(facts: &Facts, rest: &Residual, var: Var, ids: &[Id]) -> Option<Projection> {
    let terms: SmallVec<[&Term; 8]> = ids.iter().filter_map(|id| rest.terms.get(id)).collect();
    if let [only] = terms.as_slice()
        && let Some((other, about)) = inequality(only).and_then(|linear| bound_of_other(facts.domain(var), var, linear))
    {
        return Some(Projection::Bound(other, about));
    }
    let exact = without_favours(facts, var, &terms).or_else(|| paired(facts, var, &terms));
    let exact = exact.or_else(|| without_bit(facts, rest, var, &terms));
    exact.or_else(|| without_cases(facts, var, &terms)).map(Projection::Conditions)
}

/// The bound of y that stands for `±x ± y + c <= 0`, the only constraint of x (rule 2). Some x satisfies it if and only if the
/// end of the domain of x that asks least of y does.
fn bound_of_other(domain: &Domain, var: Var, linear: &Linear) -> Option<(Var, About<'static>)> {
    let [(a, of_a), (b, of_b)] = linear.terms() else { return None };
    let (a, b) = (a.as_var()?, b.as_var()?);
    let (own, other, factor) = if a == var { (of_a, b, of_b) } else { (of_b, a, of_a) };
    let least = match own.to_i64()? {
        1 => domain.lo()?.clone(),
        -1 => domain.hi()?.neg(),
        _ => return None,
    };
    let left = linear.constant().add(&least);
    match factor.to_i64()? {
        1 => Some((other, About::AtMost(left.neg()))),
        -1 => Some((other, About::AtLeast(left))),
        _ => None,
    }
}

/// Tests whether a variable with plain bounds can satisfy an inequality whatever the other variable is: it has no bound on that side.
fn is_unbounded_towards(domain: &Domain, var: Var, linear: &Linear) -> bool {
    match sign_of(linear, var) {
        Some(1) => domain.lo().is_none(),
        Some(_) => domain.hi().is_none(),
        None => false,
    }
}

/// The replacement by rule 2, for inequalities with coefficient ±1 and plain bounds: every lower bound is paired with every upper
/// one.
fn paired(facts: &Facts, var: Var, terms: &[&Term]) -> Option<Vec<Term>> {
    let domain = facts.domain(var);
    if var.sort != Sort::Int || !domain.is_interval() {
        return None;
    }
    let linears: Option<SmallVec<[&Linear; 8]>> = terms.iter().map(|term| inequality(term)).collect();
    let sides = BoundPairs::of(var, linears?)?;
    let atom = Term::var(var);
    let mut news = sides.paired();
    // With x >= lo, x + r <= 0 is lo + r <= 0; with x <= hi, l - x <= 0 is l - hi <= 0.
    let ends = |lines: &[Linear], end: Int| -> Vec<Term> {
        lines.iter().map(|line| Term::le0(line.without(&atom).plus_constant(&end))).collect()
    };
    news.extend(domain.lo().into_iter().flat_map(|lo| ends(&sides.upper, lo.clone())));
    news.extend(domain.hi().into_iter().flat_map(|hi| ends(&sides.lower, hi.neg())));
    news.sort();
    news.dedup();
    let bounds = usize::from(domain.lo().is_some()) + usize::from(domain.hi().is_some());
    let before = sides.lower.len() + sides.upper.len() + bounds;
    if news.len() > before {
        news.retain(|term| facts.decide(term) != Some(true));
    }
    (news.len() <= before).then_some(news)
}

/// The demands that the literals of a variable make on its value.
#[derive(Default)]
struct Demands {
    /// The number of disequalities: each forbids at most one value.
    apart: usize,
    /// Set if a literal asks for a value that is large enough; the next ones: small enough, true, false.
    large: bool,
    small: bool,
    truth: bool,
    falsity: bool,
}

/// The replacement by rules 1 and 3, also within clauses: if one value makes all literals of the variable true at once, each of
/// them is as good as true. They must be disequalities, or bounds from one side.
fn without_favours(facts: &Facts, var: Var, terms: &[&Term]) -> Option<Vec<Term>> {
    let mut wishes = Demands::default();
    let left: Option<Vec<Term>> = terms.iter().map(|term| granted(term, var, &mut wishes, limits::DEPTH)).collect();
    grantable(facts.domain(var), var, &wishes).then_some(left?)
}

fn grantable(domain: &Domain, var: Var, wishes: &Demands) -> bool {
    if var.sort == Sort::Bool {
        return domain.is_all() && !(wishes.truth && wishes.falsity) && wishes.apart == 0;
    }
    let plain = domain.inside().is_empty() && domain.only().is_none();
    match (wishes.large, wishes.small) {
        (true, true) => false,
        (true, false) => plain && domain.hi().is_none(),
        (false, true) => plain && domain.lo().is_none(),
        (false, false) => domain.has_more_than(wishes.apart),
    }
}

/// The condition with every literal of `var` made true; `None` if the variable occurs in anything else.
fn granted(term: &Term, var: Var, wishes: &mut Demands, depth: u32) -> Option<Term> {
    if !term.mentions(var) {
        return Some(term.clone());
    }
    match term.kind() {
        Kind::And(parts) if depth > 0 => {
            let left: Option<Vec<Term>> = parts.iter().map(|part| granted(part, var, wishes, depth - 1)).collect();
            left.map(Term::and_all)
        }
        Kind::Or(parts) if depth > 0 => {
            let left: Option<Vec<Term>> = parts.iter().map(|part| granted(part, var, wishes, depth - 1)).collect();
            left.map(Term::or_all)
        }
        _ => wish(term, var, wishes).then(Term::truth),
    }
}

/// Notes the demand of a literal on `var`; returns false if the literal is neither a bound nor a disequality.
fn wish(literal: &Term, var: Var, wishes: &mut Demands) -> bool {
    match literal.kind() {
        Kind::Var(_) => wishes.truth = true,
        Kind::Le0(linear) => match sign_of(linear, var) {
            Some(1) => wishes.small = true,
            Some(_) => wishes.large = true,
            None => return false,
        },
        Kind::Not(inner) => match inner.kind() {
            Kind::Var(_) => wishes.falsity = true,
            Kind::Eq0(linear) if sign_of(linear, var).is_some() => wishes.apart += 1,
            Kind::Eq(a, b) if var.sort != Sort::Bool && stands_apart(a, b, var) => wishes.apart += 1,
            _ => return false,
        },
        _ => return false,
    }
    true
}

/// The sign of the coefficient of a variable, if it is an atom of the sum and occurs in no other atom.
fn sign_of(linear: &Linear, var: Var) -> Option<i32> {
    let atom = Term::var(var);
    let inside = linear.terms().iter().any(|(known, _)| *known != atom && known.mentions(var));
    let sign = linear.coefficient(&atom).signum();
    (!inside && sign != 0).then_some(sign)
}

/// Tests whether one side is the variable, and the other side does not mention it.
fn stands_apart(a: &Term, b: &Term, var: Var) -> bool {
    (a.as_var() == Some(var) && !b.mentions(var)) || (b.as_var() == Some(var) && !a.mentions(var))
}
