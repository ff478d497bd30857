//! A candidate as boxes: the contents of cells that are independent of each other.
//!
//! With `#1` in 0 to 1, a = #1 and b = #1 + 1 are two boxes, {a: 0, b: 1} and {a: 1, b: 2}; with `#2` in 0 to 9, a = #2 and
//! b = 5 are one, {a: 0 to 9, b: 5}. Cells that depend on each other and cannot be listed are linked: they share one content.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::cells;
use super::cells::{Cell, variables};
use super::content::{Content, DomainTree};
use super::lists::Element;
use crate::judge::candidate::Candidate;
use crate::judge::normal_form::groups;
use crate::judge::terms;
use crate::judge::terms::{Renaming, changed, rewritten};
use crate::limits;
use crate::scalar::{Int, Scalar, Sort};
use crate::solve::{Answer, Connections, Domain, Solver, Store};
use crate::term::{Kind, Term, Var};
use crate::value::{Entry, OpenItem, OpenList, Presence, Value};

/// The shapes of a value.
const SHAPES: usize = 256;
/// The values of a variable that each become a shape.
const VALUES: usize = 64;

/// The entries of a candidate, or of a part of it, in some cells.
///
/// 1. Every constraint in `store` was decided.
/// 2. The bindings of `store` have been substituted into `entries`.
#[derive(Clone)]
pub(crate) struct CellRow {
    pub(crate) entries: Vec<Entry>,
    pub(crate) store: Store,
}

/// A case split: conditions of which exactly one holds.
type CaseSplit = Vec<Term>;

/// The reason why a value is no single shape: it may be another one in each of these cases; `None` if there is no case split.
type NoShape = Option<CaseSplit>;

/// The case split on a condition.
fn either(condition: &Term) -> CaseSplit {
    vec![condition.clone(), Term::not(condition)]
}

/// The case split on the values of a variable.
fn by_value((var, values): (Var, Vec<Scalar>)) -> CaseSplit {
    values.into_iter().map(|value| Term::eq(&Term::var(var), &Term::constant(value))).collect()
}

impl CellRow {
    /// The entries of a candidate in some cells.
    pub(crate) fn of(candidate: &Candidate, cells: &[Cell]) -> CellRow {
        let entries = cells.iter().map(|cell| cells::read(&candidate.process, cell)).collect();
        CellRow { entries, store: candidate.store.clone() }
    }

    /// The entries, with the domains and constraints of their variables: rows that are equal in these stand for the same states.
    pub(crate) fn state(self) -> (Vec<Entry>, BTreeMap<Var, Domain>, BTreeSet<Term>) {
        let own: FxHashSet<Var> = self.entries.iter().flat_map(variables).collect();
        let vars = self.connected(own);
        let facts = vars.iter().flat_map(|var| self.store.constraints_on(*var)).cloned().collect();
        (self.entries, vars.into_iter().map(|var| (var, self.store.domain(var).clone())).collect(), facts)
    }

    /// Splits the row into rows whose cells are independent; `None` if there are more than `limit`. Groups of cells that case splits
    /// cannot make independent are added to `linked`.
    pub(crate) fn independent(
        self,
        limit: usize,
        linked: &mut Vec<Vec<usize>>,
        solver: &mut Solver,
    ) -> Option<Vec<CellRow>> {
        let (mut open, mut rows, mut taken) = (vec![self], Vec::new(), 0);
        while let Some(row) = open.pop() {
            taken += 1;
            let groups = row.groups();
            let cases = groups.iter().find_map(|group| row.shared(group));
            match cases {
                Some(cases) => open.extend(row.cases(&cases, solver)?),
                None => {
                    linked.extend(groups);
                    rows.push(row);
                }
            }
            if open.len() + rows.len() > limit || taken > 2 * limits::ROWS {
                return None;
            }
        }
        Some(rows)
    }

    /// The groups of cells that share variables, or whose variables are in one constraint; those of one cell are left out.
    fn groups(&self) -> Vec<Vec<usize>> {
        let with_vars = |(at, entry): (usize, &Entry)| (at, self.connected(variables(entry)));
        let open = self.entries.iter().enumerate().map(with_vars).filter(|(_, vars)| !vars.is_empty());
        groups::sharing(open).into_iter().map(|(cells, _)| cells).filter(|cells| cells.len() > 1).collect()
    }

    /// Some variables, and those that constraints connect with them.
    fn connected(&self, vars: FxHashSet<Var>) -> FxHashSet<Var> {
        Connections::by_constraints(&self.store).close(vars)
    }

    /// The variables among some that have few values, each with these values.
    fn few(&self, vars: impl IntoIterator<Item = Var>) -> impl Iterator<Item = (Var, Vec<Scalar>)> {
        vars.into_iter().filter_map(|var| Some((var, self.store.few_values(var, limits::CASES)?)))
    }

    /// The case split on a variable of few values on which several cells of a group depend.
    fn shared(&self, group: &[usize]) -> Option<CaseSplit> {
        let own: Vec<FxHashSet<Var>> = group.iter().map(|at| variables(&self.entries[*at])).collect();
        let all: FxHashSet<Var> = own.iter().flatten().copied().collect();
        let cells = |var: &Var| own.iter().filter(|vars| vars.contains(var)).count();
        let links = |var: &Var| cells(var) > 1 || self.store.is_constrained(*var);
        let few = self.few(self.connected(all).into_iter().filter(links));
        few.min_by_key(|(var, values)| (std::cmp::Reverse(cells(var)), values.len(), var.id)).map(by_value)
    }

    /// The row in each case that is possible; `None` if it is undecided whether one is.
    fn cases(&self, cases: &CaseSplit, solver: &mut Solver) -> Option<Vec<CellRow>> {
        let mut rows = Vec::new();
        for condition in cases {
            let mut store = self.store.clone();
            match store.assume(condition, solver) {
                Answer::Sat => rows.push(CellRow { entries: self.resolved(condition, &store), store }),
                Answer::Unsat => {}
                Answer::Unknown(_) => return None,
            }
        }
        Some(rows)
    }

    /// The entries after a condition was assumed, in the store that assumed it.
    fn resolved(&self, condition: &Term, store: &Store) -> Vec<Entry> {
        let negated = Term::not(condition);
        let constant = |holds: bool| if holds { Term::truth() } else { Term::falsity() };
        let assumed = |node: &Term| match node {
            node if node == condition => Some(constant(true)),
            node if *node == negated => Some(constant(false)),
            _ => None,
        };
        let decided = |node: &Term| match node {
            node if node.sort() != Sort::Bool || node.as_const().is_some() => None,
            node => store.decide(node).map(constant),
        };
        let alone = !condition.any_var(&mut |var| self.store.is_constrained(var));
        let mut resolve = |term: &Term| {
            // Nothing follows for other variables.
            if alone && !term.any_var(&mut |var| condition.mentions(var)) {
                return None;
            }
            changed(term, store.resolve(&term.replace(&assumed)).replace(&decided))
        };
        self.entries.iter().map(|entry| rewritten(entry, &mut resolve)).collect()
    }

    /// The content of some cells.
    pub(crate) fn content(&self, cells: &[usize], solver: &mut Solver) -> Content {
        if let [only] = cells
            && let Some(shapes) = self.shapes(*only, solver)
        {
            return Content::of(shapes);
        }
        self.linked(cells, solver)
    }

    /// The shapes that a cell may hold, if its content is a sum of shapes.
    fn shapes(&self, cell: usize, solver: &mut Solver) -> Option<Vec<DomainTree>> {
        let mut open = vec![CellRow { entries: vec![self.entries[cell].clone()], store: self.store.clone() }];
        let (mut shapes, mut taken): (FxHashSet<DomainTree>, usize) = (FxHashSet::default(), 0);
        while let Some(mut row) = open.pop() {
            taken += 1;
            if let Some(cases) = row.restricted(solver) {
                open.extend(row.cases(&cases, solver)?);
            } else if let Some(listed) = row.listed() {
                shapes.extend(listed);
            } else {
                match row.shape() {
                    Ok(shape) => _ = shapes.insert(shape),
                    Err(Some(cases)) => open.extend(row.cases(&cases, solver)?),
                    Err(None) => return None,
                }
            }
            if open.len() + shapes.len() > SHAPES || taken > 2 * SHAPES {
                return None;
            }
        }
        Some(shapes.into_iter().collect())
    }

    /// The case split on a variable of few values that constraints connect with those of the row's only cell, if there is one. All other
    /// variables are forgotten first.
    fn restricted(&mut self, solver: &mut Solver) -> Option<CaseSplit> {
        let own = variables(&self.entries[0]);
        if !own.iter().any(|var| self.store.is_constrained(*var)) {
            return None;
        }
        self.store.forget(&|var| own.contains(&var), solver);
        // Forgetting a variable may have bound another one.
        let mut resolve = |term: &Term| changed(term, self.store.resolve(term));
        self.entries = self.entries.iter().map(|entry| rewritten(entry, &mut resolve)).collect();
        let constrained = self.connected(own.clone()).into_iter().filter(|var| self.store.is_constrained(*var));
        self.few(constrained).min_by_key(|(var, values)| (values.len(), !own.contains(var), var.id)).map(by_value)
    }

    /// The values of the row's only cell if it depends on one variable: the rows of a table.
    fn listed(&self) -> Option<Vec<DomainTree>> {
        let entry = &self.entries[0];
        let mut vars = variables(entry).into_iter();
        let var = vars.next().filter(|var| vars.next().is_none() && !self.store.is_constrained(*var))?;
        let shape = |value: Scalar| {
            let known = Term::constant(value);
            let mut with_value =
                |term: &Term| Some(term.substitute(&mut |other| (other == var).then(|| known.clone())));
            let one = rewritten(entry, &mut with_value);
            match one.presence {
                Presence::Never => Some(DomainTree::Missing),
                Presence::Always if one.value.is_known() => Some(DomainTree::Known(one.value)),
                Presence::Always | Presence::When(_) => None,
            }
        };
        self.store.few_values(var, VALUES)?.into_iter().map(shape).collect()
    }

    /// The shape of the row's only cell.
    fn shape(&self) -> Result<DomainTree, NoShape> {
        let entry = &self.entries[0];
        match &entry.presence {
            Presence::Never => Ok(DomainTree::Missing),
            Presence::When(condition) => Err(Some(either(condition))),
            Presence::Always => self.shape_of(&entry.value),
        }
    }

    fn shape_of(&self, value: &Value) -> Result<DomainTree, NoShape> {
        match value {
            Value::Data { tag, .. } => {
                let fields = value.fields().iter().map(|field| self.shape_of(field)).collect::<Result<Vec<_>, _>>()?;
                self.are_apart(value.fields())?;
                Ok(DomainTree::Data(*tag, fields))
            }
            Value::Term(term) => self.shape_of_term(term),
            Value::Union(alternatives) => Err(Some(either(&alternatives[0].0))),
            Value::Scalar(_) | Value::Absent | Value::List(_) | Value::Map(_) if known(value) => {
                Ok(DomainTree::Known(value.clone()))
            }
            Value::Scalar(_) | Value::Absent | Value::List(_) | Value::Map(_) => Err(None),
            Value::Open(list) => self.shape_of_list(list).ok_or(None),
            Value::Unknown(_) | Value::Any => Err(None),
        }
    }

    /// The shape of a list of known elements, each certain or optional, independently of the others.
    fn shape_of_list(&self, list: &OpenList) -> Option<DomainTree> {
        let mut met = FxHashSet::default();
        let element = |item: &OpenItem| {
            let (is_optional, value) = match item {
                OpenItem::Rest(_) => return None,
                OpenItem::Maybe(optional) => {
                    let var = optional.presence.as_var()?;
                    (self.store.is_alone(var) && met.insert(var)).then_some(())?;
                    (true, &optional.value)
                }
                OpenItem::One(value) => (false, value),
            };
            value.is_known().then(|| Element { value: value.clone(), is_optional })
        };
        list.iter().map(element).collect::<Option<Vec<Element>>>().map(DomainTree::List)
    }

    /// Fails if two values share a variable, directly or through constraints.
    fn are_apart(&self, values: &[Value]) -> Result<(), NoShape> {
        let mut met = FxHashSet::default();
        for value in values {
            let vars = self.connected(variables(&Entry::always(value.clone())));
            if let Some(shared) = vars.iter().find(|var| met.contains(*var)) {
                return Err(self.few([*shared]).next().map(by_value));
            }
            met.extend(vars);
        }
        Ok(())
    }

    /// The values of a variable, or of a variable and a constant, if no more is known of the variable than its domain.
    fn domain(&self, term: &Term) -> Option<Domain> {
        let (var, by) = match (term.as_var(), term.kind()) {
            (Some(var), _) => (var, None),
            (None, Kind::Linear(sum)) => match sum.terms() {
                [(atom, factor)] if *factor == Int::ONE => (atom.as_var()?, Some(sum.constant())),
                _ => return None,
            },
            (None, _) => return None,
        };
        let domain = self.store.is_alone(var).then(|| self.store.domain(var))?;
        by.map_or_else(|| Some(domain.clone()), |by| domain.moved(by))
    }

    fn shape_of_term(&self, term: &Term) -> Result<DomainTree, NoShape> {
        if let Some(domain) = self.domain(term) {
            return Ok(DomainTree::leaf(term.sort(), domain));
        }
        if let Some(condition) = condition_in(term) {
            return Err(Some(either(&condition)));
        }
        let mut vars = Vec::new();
        term.vars(&mut |var| vars.push(var));
        Err(self.few(vars).min_by_key(|(_, values)| values.len()).map(by_value))
    }

    /// The content of cells that depend on each other, with renumbered variables.
    fn linked(&self, cells: &[usize], solver: &mut Solver) -> Content {
        let entries: Vec<&Entry> = cells.iter().map(|at| &self.entries[*at]).collect();
        let live: FxHashSet<Var> = entries.iter().flat_map(|entry| variables(entry)).collect();
        let mut store = self.store.clone();
        store.forget(&|var| live.contains(&var), solver);
        let facts = store.constraints();
        let mut renaming = Renaming::default();
        entries.iter().for_each(|entry| terms::visit_entry(entry, &mut |var| renaming.meet(var)));
        facts.iter().for_each(|fact| fact.vars(&mut |var| renaming.meet(var)));
        let entries = entries.iter().map(|entry| rewritten(entry, &mut |term| renaming.term(term))).collect();
        Content::Linked { entries, facts: renaming.facts(&facts) }
    }
}

/// Tests whether a value is known or absent.
fn known(value: &Value) -> bool {
    matches!(value, Value::Absent) || value.is_known()
}

/// A condition inside a term on which its value depends.
fn condition_in(term: &Term) -> Option<Term> {
    let mut found: Option<Term> = None;
    term.visit(&mut |node| {
        if let (Kind::Ite(condition, ..), None) = (node.kind(), &found) {
            found = Some(condition.clone());
        }
    });
    let compound = |term: &&Term| term.sort() == Sort::Bool && term.as_var().is_none();
    found.or_else(|| Some(term).filter(compound).cloned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::choice::numbers;
    use crate::solve::Limits;
    use crate::value::Truth;

    const TRUTHS: u64 = 4;
    const INDICES: [u64; 2] = [10, 11];

    fn truth(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Bool })
    }

    fn index(id: u64) -> Term {
        Term::var(Var { id, sort: Sort::Int })
    }

    fn literal(random: &mut impl FnMut(u64) -> u64) -> Term {
        match random(3) {
            0 => Term::eq(&index(INDICES[random(2) as usize]), &Term::int(random(3) as i64)),
            1 => truth(random(TRUTHS)).not(),
            _ => truth(random(TRUTHS)),
        }
    }

    /// All values of the variables.
    fn worlds() -> impl Iterator<Item = impl Fn(Var) -> Option<Scalar>> {
        let both = 3 * 3;
        (0..(1 << TRUTHS) * both).map(move |world: u64| {
            move |var: Var| match var.sort {
                Sort::Bool => Some(Scalar::Bool(((world / both) >> var.id) & 1 == 1)),
                _ if var.id == INDICES[0] => Some(Scalar::int((world % both % 3) as i64)),
                _ => Some(Scalar::int((world % both / 3) as i64)),
            }
        })
    }

    /// The value of an entry in a world, if it is there.
    fn held(entry: &Entry, world: &impl Fn(Var) -> Option<Scalar>) -> Option<Scalar> {
        let is_there = entry.truth().term().eval(&mut |var| world(var)) == Some(Scalar::Bool(true));
        let value = match &entry.value {
            Value::Term(term) => term.eval(&mut |var| world(var)),
            Value::Scalar(scalar) => Some(scalar.clone()),
            other => panic!("{other:?}"),
        };
        value.filter(|_| is_there)
    }

    fn listed(shape: &DomainTree) -> Vec<Option<Scalar>> {
        match shape {
            DomainTree::Missing => vec![None],
            DomainTree::Known(Value::Scalar(scalar)) => vec![Some(scalar.clone())],
            DomainTree::Leaf(_, domain) => domain.values(99).unwrap().into_iter().map(Some).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// An entry with a random value and presence, in which the bindings of a store are substituted.
    fn entry(random: &mut impl FnMut(u64) -> u64, store: &Store) -> Entry {
        let value = match random(2) {
            0 => index(INDICES[0]),
            _ => Term::ite(&truth(random(TRUTHS)), &Term::int(7), &Term::int(8)),
        };
        let value = store.resolve(&value);
        let value = value.as_const().cloned().map_or_else(|| Value::Term(value.clone()), Value::Scalar);
        let presence = if random(2) == 0 { Term::truth() } else { store.resolve(&literal(random)) };
        Entry::when(Truth::of(presence), value)
    }

    #[test]
    fn a_cell_holds_what_it_may_hold() {
        let (mut random, mut compared, mut alone) = (numbers(5), 0, 0);
        let bounds = INDICES.map(index).into_iter();
        let bounds = bounds.flat_map(|index| [Term::at_least(&index, &0.into()), Term::at_most(&index, &2.into())]);
        let bounds: Vec<Term> = bounds.collect();
        for _ in 0..3_000 {
            let (mut store, mut solver) = (Store::default(), Solver::new(Limits::default()));
            let mut clause = || Term::or_all((0..1 + random(3)).map(|_| literal(&mut random)).collect::<Vec<_>>());
            let facts: Vec<Term> = (0..5).map(|_| clause()).chain(bounds.clone()).collect();
            if facts.iter().any(|fact| store.assume(fact, &mut solver) != Answer::Sat) {
                continue;
            }
            let entry = entry(&mut random, &store);
            let fact = Entry::when(Truth::of(Term::and_all(facts.clone())), Value::from(true));
            let possible = worlds().filter(|world| held(&fact, world).is_some());
            let wanted: BTreeSet<Option<Scalar>> = possible.map(|world| held(&entry, &world)).collect();
            let row = CellRow { entries: vec![entry.clone()], store };
            let Some(shapes) = row.shapes(0, &mut solver) else { continue };
            let Content::Shapes(sum) = Content::of(shapes) else { panic!("no sum") };
            let holds: BTreeSet<Option<Scalar>> = sum.iter().flat_map(listed).collect();
            assert_eq!(holds, wanted, "{entry:?} where {facts:?}");
            compared += 1;
            alone += usize::from(wanted.len() == 1);
        }
        assert!(compared > 1_000 && alone > 50, "{compared}, of which {alone} have one value");
    }
}
