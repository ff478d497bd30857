//! Writing parts back into memory: each content becomes a value of fresh variables, and a selector says which box of a part it is.

use super::atoms::AtomSet;
use super::cells;
use super::cells::{Cell, mentioned};
use super::content::{Content, DomainTree};
use super::lists;
use super::sum::{Factor, Sum};
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::terms::rewritten;
use crate::limits;
use crate::process::Fresh;
use crate::scalar::{Scalar, Sort};
use crate::solve::{Connections, Domain, Solver, Store};
use crate::term::{Term, Var};
use crate::value::{self, Alternatives, Entry, Presence, Truth, Value};

/// The boxes of a part that is written into memory with a selector.
const SELECTED: usize = 64;

/// The parts of a sum of boxes as memory, in terms of fresh variables.
struct Rebuild<'r> {
    fresh: &'r mut Fresh,
    solver: &'r mut Solver,
    /// For each variable of the server, `true` if only single entries of it are read.
    keyed: &'r [bool],
    cells: &'r [Cell],
    sum: &'r Sum,
    /// The groups of cells that the sum is over, by their positions.
    groups: &'r [Vec<usize>],
}

/// Writes the parts of a sum into memory, if that makes at most `most` candidates; returns whether it does.
pub(crate) fn rebuild(
    context: &mut Context,
    candidates: &mut Vec<Candidate>,
    cells: &[Cell],
    sum: &Sum,
    groups: &[Vec<usize>],
    most: usize,
) -> bool {
    let Context { fresh, solver, spec, .. } = context;
    let mut rebuild = Rebuild { fresh, solver, keyed: &spec.program.keyed, cells, sum, groups };
    let mut parts = sum.parts();
    for part in parts.iter_mut().filter(|part| !rebuild.is_keyed(part)) {
        sum.split(part);
    }
    parts.sort_by_key(|part| part.boxes.len());
    let several = parts.iter().filter(|part| !rebuild.is_selected(part)).map(|part| part.boxes.len());
    // Boxes that are told apart here may have been one candidate with a variable, so there may be more candidates than before.
    if several.product::<usize>() > most {
        return false;
    }
    let mut base = candidates[0].clone();
    base.store = known_beside(&base, cells);
    let mut rebuilt = vec![base];
    for part in &parts {
        rebuilt = rebuilt.into_iter().flat_map(|base| rebuild.with_part(base, part)).collect();
    }
    for candidate in &mut rebuilt {
        (candidate.growth.choices, candidate.growth.variables, candidate.growth.open) = (0, 0, true);
    }
    *candidates = rebuilt;
    true
}

/// A candidate's store without the constraints on the variables of some cells; no other cell is connected with these.
fn known_beside(candidate: &Candidate, cells: &[Cell]) -> Store {
    let mut store = candidate.store.clone();
    store.remove_part(&Connections::of([&candidate.store]).close(mentioned(candidate, cells).collect()));
    store
}

impl Rebuild<'_> {
    /// Tests whether a part is written into memory, with a selector if it has several boxes.
    fn is_selected(&self, part: &Factor) -> bool {
        part.boxes.len() == 1 || (part.boxes.len() <= SELECTED && self.is_keyed(part))
    }

    /// Tests whether the server reads the cells of a part as single entries only.
    fn is_keyed(&self, part: &Factor) -> bool {
        let mut own = part.cells.iter().flat_map(|group| &self.groups[*group]).map(|cell| &self.cells[*cell]);
        own.all(|cell| cell.key.is_some() && self.keyed[cell.slot as usize])
    }

    /// The candidates that hold a part in addition to `base`: one, or, without a selector, one for each box.
    fn with_part(&mut self, mut base: Candidate, part: &Factor) -> Vec<Candidate> {
        if part.boxes.len() > 1 && !self.is_selected(part) {
            let each = part.boxes.iter().map(|own| Factor { cells: part.cells.clone(), boxes: vec![own.clone()] });
            return each.flat_map(|own| self.with_part(base.clone(), &own)).collect();
        }
        let guards = selector(self.fresh, part.boxes.len(), &mut base.store);
        for (at, group) in part.cells.iter().enumerate() {
            let mut contents: Vec<(&AtomSet, Term)> = Vec::new();
            for (own, guard) in part.boxes.iter().zip(&guards) {
                match contents.iter_mut().find(|(set, _)| **set == own[at]) {
                    Some((_, other)) => *other = Term::or(other, guard),
                    None => contents.push((&own[at], guard.clone())),
                }
            }
            let mut made: Vec<(Term, Vec<Entry>)> = Vec::new();
            for (set, guard) in contents {
                let contents = self.sum.contents(*group, set);
                let inner = selector(self.fresh, contents.len(), &mut base.store);
                for (content, inner) in contents.iter().zip(inner) {
                    made.push((Term::and(&guard, &inner), self.entries(content, &mut base.store)));
                }
            }
            for (position, cell) in self.groups[*group].iter().enumerate() {
                let alternatives = made.iter().map(|(guard, entries)| (guard.clone(), entries[position].clone()));
                cells::write(&mut base.process, &self.cells[*cell], selected(alternatives.collect()));
            }
        }
        vec![base]
    }

    /// The entries of a content's cells, in terms of fresh variables.
    fn entries(&mut self, content: &Content, store: &mut Store) -> Vec<Entry> {
        match content {
            Content::Shapes(shapes) => vec![self.entry(shapes, store)],
            Content::Linked { entries, facts } => {
                let mut renamed: Vec<(Var, Term)> = Vec::new();
                let fresh = &mut *self.fresh;
                let mut rename = |term: &Term| {
                    Some(term.substitute(&mut |var| {
                        let known = renamed.iter().find(|(other, _)| *other == var).map(|(_, term)| term.clone());
                        Some(known.unwrap_or_else(|| {
                            let new = fresh.variable(var.sort);
                            renamed.push((var, new.clone()));
                            new
                        }))
                    }))
                };
                let entries = entries.iter().map(|entry| rewritten(entry, &mut rename)).collect();
                let facts: Vec<Term> = facts.iter().filter_map(&mut rename).collect();
                store.assume_all(facts, self.solver);
                entries
            }
        }
    }

    fn entry(&mut self, shapes: &[DomainTree], store: &mut Store) -> Entry {
        let there: Vec<&DomainTree> = shapes.iter().filter(|shape| **shape != DomainTree::Missing).collect();
        let presence = match (there.len(), shapes.len() - there.len()) {
            (0, _) => return Entry::HIDDEN,
            (_, 0) => Truth::Known(true),
            _ => Truth::Term(self.fresh.variable(Sort::Bool)),
        };
        Entry::when(presence, self.sum(&there, store))
    }

    /// A value that is one of some shapes.
    fn sum(&mut self, shapes: &[&DomainTree], store: &mut Store) -> Value {
        let known: Option<Vec<Value>> = shapes.iter().map(|shape| shape.known().cloned()).collect();
        if let Some(known) = known.filter(|known| known.len() > limits::FEWEST) {
            return value::one_of(&index(self.fresh, known.len(), store), &known);
        }
        let guards = selector(self.fresh, shapes.len(), store);
        value::union(
            guards.into_iter().zip(shapes).map(|(guard, shape)| (guard, self.value(shape, store))).collect::<Vec<_>>(),
        )
    }

    fn value(&mut self, shape: &DomainTree, store: &mut Store) -> Value {
        match shape {
            DomainTree::Missing => Value::Absent,
            DomainTree::Known(known) => known.clone(),
            DomainTree::Leaf(sort, domain) => {
                let term = self.fresh.variable(*sort);
                if let Some(var) = term.as_var() {
                    store.set_domain(var, domain.clone());
                }
                Value::Term(term)
            }
            DomainTree::List(elements) => lists::of(elements, &mut || self.fresh.variable(Sort::Bool)),
            DomainTree::Data(tag, fields) => {
                Value::data(*tag, fields.iter().map(|field| self.value(field, store)).collect::<Vec<_>>())
            }
        }
    }
}

/// Conditions on fresh variables, of which exactly one holds.
fn selector(fresh: &mut Fresh, ways: usize, store: &mut Store) -> Vec<Term> {
    match ways {
        0 | 1 => vec![Term::truth()],
        2 => {
            let first = fresh.variable(Sort::Bool);
            let second = Term::not(&first);
            vec![first, second]
        }
        ways => {
            let index = index(fresh, ways, store);
            (0..ways as i64).map(|at| Term::eq(&index, &Term::int(at))).collect()
        }
    }
}

/// A fresh integer from 0 to n - 1.
fn index(fresh: &mut Fresh, n: usize, store: &mut Store) -> Term {
    let index = fresh.variable(Sort::Int);
    if let (Some(var), Some(domain)) = (index.as_var(), Domain::of((0..n as i64).map(Scalar::int))) {
        store.set_domain(var, domain);
    }
    index
}

/// An entry that is one of several, by conditions of which exactly one holds; a reader of the entry decides which.
fn selected(alternatives: Vec<(Term, Entry)>) -> Entry {
    if let [(_, only)] = &alternatives[..] {
        return only.clone();
    }
    let there = alternatives.iter().map(|(guard, entry)| Truth::of(guard.clone()).and(entry.truth()).term());
    let presence = Truth::of(Term::or_all(there));
    let there = alternatives.into_iter().filter(|(_, entry)| entry.presence != Presence::Never);
    let pairs: Vec<(Term, Value)> = there.map(|(guard, entry)| (guard, entry.value)).collect();
    let value = if pairs.len() > 1 { Value::Union(Alternatives::apart(pairs)) } else { value::union(pairs) };
    Entry::when(presence, value)
}
