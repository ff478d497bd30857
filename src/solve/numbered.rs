//! Numbered states: terms that have few values together, whatever leads to them, are columns of a table.
//!
//! ```text
//! a = #1,   b = if #2 { #1 } else { #3 },   #1 || #3              before
//! a = [false, true, true][#4],   b = [true, false, true][#4]      after, with 0 to 2 for #4
//! ```
//!
//! One variable after the other gets each of its values; what is the same then is followed once. So the work depends on how many
//! states there are on the way, not on how many assignments.

use rustc_hash::{FxHashMap, FxHashSet};

use super::domains::domain::Domain;
use super::forgetting::trail::Elimination;
use super::{Solver, Store};
use crate::scalar::{Int, Scalar};
use crate::term::{Column, Term, Var, count_walked, made};

/// The columns that are looked at in pairs, and the values of a variable that are followed.
const WIDTH: usize = 64;
/// The most states that are followed, and the most work on finding them, in made terms. What has more is left as it is.
const STATES: usize = 1024;
const WORK: u64 = 100_000;

/// Tests whether a variable has so few values that [`number`] gives it each of them.
#[must_use]
pub fn has_few_values(store: &Store, var: Var) -> bool {
    store.few_values(var, WIDTH).is_some()
}

/// The rest of the conditions, and of the terms, under some values.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Partial {
    conditions: Vec<Term>,
    terms: Vec<Term>,
}

/// Replaces all that is known of some variables, with which no others are connected, by numbers of states: the values that the
/// terms have together. Terms that have nothing to do with each other are in different tables, whose numbers are independent. Returns what
/// each term is in terms of these numbers. `None`, and nothing is done, if there are many states.
pub fn number(
    store: &mut Store,
    vars: &FxHashSet<Var>,
    terms: &[Term],
    fresh: &mut dyn FnMut() -> Term,
    solver: &Solver,
) -> Option<FxHashMap<Term, Term>> {
    if vars.iter().any(|var| store.is_in_binding(*var)) {
        return None;
    }
    let mut conditions: Vec<Term> = vars.iter().flat_map(|var| store.constraints_on(*var)).cloned().collect();
    conditions.sort_unstable();
    conditions.dedup();
    let rows = rows(store, Partial { conditions: conditions.clone(), terms: terms.to_vec() }, solver)?;
    let (mut known, mut numbers) = (FxHashMap::default(), Vec::new());
    for columns in independent(&rows) {
        let states = projected(&rows, &columns);
        let last = states.len().checked_sub(1)?;
        let index = if last == 0 { Term::int(0) } else { fresh() };
        numbers.extend(index.as_var().map(|number| (number, last)));
        for (place, column) in columns.into_iter().enumerate() {
            let values = Column::new(states.iter().map(|state| (*state[place]).clone()).collect::<Vec<_>>())?;
            known.insert(terms[column].clone(), Term::table(&index, &values));
        }
    }
    if store.trail().is_some() {
        let equations = terms.iter().map(|term| Term::eq(term, &known[term]));
        let domains = vars.iter().flat_map(|var| store.domain(*var).conditions(&Term::var(*var)));
        let constraints = conditions.into_iter().chain(domains).chain(equations).collect();
        store.log(|| Elimination::Projected { vars: vars.iter().copied().collect(), constraints });
    }
    store.remove_part(vars);
    for (number, last) in numbers {
        store.set_domain(number, Domain::interval(Some(Int::ZERO), Some(Int::from(last as i64))));
    }
    Some(known)
}

/// Groups of columns that say nothing of each other: the rows are all combinations of the rows of each group.
fn independent(rows: &[Vec<Scalar>]) -> Vec<Vec<usize>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut groups: Vec<Vec<usize>> = (0..width).map(|column| vec![column]).collect();
    if width > WIDTH {
        return vec![(0..width).collect()];
    }
    let values: Vec<usize> = (0..width).map(|column| projected(rows, &[column]).len()).collect();
    for (left, right) in (0..width).flat_map(|right| (0..right).map(move |left| (left, right))) {
        let group = |groups: &[Vec<usize>], column| groups.iter().position(|group| group.contains(&column));
        let (Some(one), Some(other)) = (group(&groups, left), group(&groups, right)) else { continue };
        if one != other && projected(rows, &[left, right]).len() < values[left] * values[right] {
            let joined = groups.swap_remove(one.max(other));
            groups[one.min(other)].extend(joined);
        }
    }
    // Three columns may be dependent although each two of them are not.
    let combinations = groups.iter().try_fold(1_usize, |all, group| all.checked_mul(projected(rows, group).len()));
    if combinations == Some(rows.len()) { groups } else { vec![(0..width).collect()] }
}

/// The distinct rows of some columns, in order.
fn projected<'r>(rows: &'r [Vec<Scalar>], columns: &[usize]) -> Vec<Vec<&'r Scalar>> {
    let row = |row: &'r Vec<Scalar>| columns.iter().map(|column| &row[*column]).collect();
    let distinct: FxHashSet<Vec<&Scalar>> = rows.iter().map(row).collect();
    let mut distinct: Vec<_> = distinct.into_iter().collect();
    distinct.sort_unstable();
    distinct
}

/// The values that the terms have together under the assignments that satisfy the conditions, in order; `None` if they are many.
fn rows(store: &Store, whole: Partial, solver: &Solver) -> Option<Vec<Vec<Scalar>>> {
    let last_made = made().saturating_add(WORK).min(solver.last_made());
    let order = order(&whole);
    let mut open: FxHashSet<Partial> = [whole].into_iter().collect();
    for var in order {
        let values = store.few_values(var, WIDTH)?;
        let mut next: FxHashSet<Partial> = FxHashSet::default();
        for partial in &open {
            for value in &values {
                count_walked(partial.terms.len());
                next.extend(partial.with(var, value));
                if next.len() > STATES || made() > last_made {
                    return None;
                }
            }
        }
        open = next;
    }
    let known = |partial: Partial| partial.terms.iter().map(|term| term.as_const().cloned()).collect();
    let mut rows: Vec<Vec<Scalar>> = open.into_iter().map(known).collect::<Option<_>>()?;
    rows.sort_unstable();
    Some(rows)
}

/// The variables in the order in which they get values: those of small terms first, so that few terms are open at a time.
fn order(whole: &Partial) -> Vec<Var> {
    let mut parts: Vec<&Term> = whole.terms.iter().chain(&whole.conditions).collect();
    parts.sort_by_key(|term| term.size());
    let (mut order, mut met) = (Vec::new(), FxHashSet::default());
    for part in parts {
        let mut own = Vec::new();
        part.vars(&mut |var| own.extend(met.insert(var).then_some(var)));
        own.sort_unstable();
        order.extend(own);
    }
    order
}

impl Partial {
    /// The rest if a variable has a value; `None` if a condition does not hold then.
    fn with(&self, var: Var, value: &Scalar) -> Option<Partial> {
        let value = Term::constant(value.clone());
        let under = |term: &Term| {
            if term.mentions(var) {
                term.substitute(&mut |own| (own == var).then(|| value.clone()))
            } else {
                term.clone()
            }
        };
        let mut conditions = Vec::new();
        for condition in self.conditions.iter().map(under) {
            match condition.as_bool() {
                Some(true) => {}
                Some(false) => return None,
                None => conditions.push(condition),
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        Some(Partial { conditions, terms: self.terms.iter().map(under).collect() })
    }
}
