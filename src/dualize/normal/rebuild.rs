//! Parts as memory: each content becomes a value of fresh variables, and which box of a part it is a selector.

use super::super::candidate::Candidate;
use super::super::cells;
use super::super::focus;
use super::super::frontier::Judge;
use super::super::havoc::Cell;
use super::atoms::Set;
use super::boxes::{Part, Sum};
use super::content::{Content, Shape};
use super::lists;
use super::row::rewritten;
use crate::scalar::{Scalar, Sort};
use crate::solve::{Domain, Store};
use crate::term::{Term, Var};
use crate::value::{self, Alternatives, Entry, Presence, Truth, Value};

/// A cell of so many shapes is a union; of more known values, a table.
const LIFTED: usize = 2;
/// A part of more boxes than this stays several candidates.
const SELECTED: usize = 64;

impl Judge {
    /// Writes the parts of a sum into memory, where that makes no more candidates than this; whether it does.
    pub(super) fn rebuild(
        &mut self,
        candidates: &mut Vec<Candidate>,
        cells: &[Cell],
        (sum, groups): (&Sum, &[Vec<usize>]),
        most: usize,
    ) -> bool {
        let mut parts = sum.parts();
        for part in parts.iter_mut().filter(|part| !self.is_keyed(part, cells, groups)) {
            sum.split(part);
        }
        parts.sort_by_key(|part| part.boxes.len());
        let several = parts.iter().filter(|part| !self.is_selected(part, cells, groups)).map(|part| part.boxes.len());
        // What is told apart here may have been one candidate with a variable.
        if several.product::<usize>() > most {
            return false;
        }
        let mut base = candidates[0].clone();
        base.store = focus::known_beside(&base, cells);
        let mut rebuilt = vec![base];
        for part in &parts {
            rebuilt = rebuilt.into_iter().flat_map(|base| self.with_part(base, cells, (sum, groups, part))).collect();
        }
        for candidate in &mut rebuilt {
            (candidate.growth.choices, candidate.growth.variables, candidate.growth.open) = (0, 0, true);
        }
        *candidates = rebuilt;
        true
    }

    /// Tests whether a part is written into memory, with a selector if it has several boxes.
    fn is_selected(&self, part: &Part, cells: &[Cell], groups: &[Vec<usize>]) -> bool {
        part.boxes.len() == 1 || (part.boxes.len() <= SELECTED && self.is_keyed(part, cells, groups))
    }

    /// Tests whether a part is read by entries.
    fn is_keyed(&self, part: &Part, cells: &[Cell], groups: &[Vec<usize>]) -> bool {
        let mut own = part.cells.iter().flat_map(|group| &groups[*group]).map(|cell| &cells[*cell]);
        own.all(|cell| cell.key.is_some() && self.spec.program.keyed[cell.slot as usize])
    }

    /// A candidate with what a part may hold in addition.
    fn with_part(
        &mut self,
        mut base: Candidate,
        cells: &[Cell],
        (sum, groups, part): (&Sum, &[Vec<usize>], &Part),
    ) -> Vec<Candidate> {
        if part.boxes.len() > 1 && !self.is_selected(part, cells, groups) {
            let each = part.boxes.iter().map(|own| Part { cells: part.cells.clone(), boxes: vec![own.clone()] });
            return each.flat_map(|own| self.with_part(base.clone(), cells, (sum, groups, &own))).collect();
        }
        let guards = self.selector(part.boxes.len(), &mut base.store);
        for (at, group) in part.cells.iter().enumerate() {
            let mut contents: Vec<(&Set, Term)> = Vec::new();
            for (own, guard) in part.boxes.iter().zip(&guards) {
                match contents.iter_mut().find(|(set, _)| **set == own[at]) {
                    Some((_, other)) => *other = Term::or(other, guard),
                    None => contents.push((&own[at], guard.clone())),
                }
            }
            let mut made: Vec<(Term, Vec<Entry>)> = Vec::new();
            for (set, guard) in contents {
                let contents = sum.contents(*group, set);
                let inner = self.selector(contents.len(), &mut base.store);
                for (content, inner) in contents.iter().zip(inner) {
                    made.push((Term::and(&guard, &inner), self.entries(content, &mut base.store)));
                }
            }
            for (position, cell) in groups[*group].iter().enumerate() {
                let alternatives = made.iter().map(|(guard, entries)| (guard.clone(), entries[position].clone()));
                cells::write(&mut base.process, &cells[*cell], selected(alternatives.collect()));
            }
        }
        vec![base]
    }

    /// Conditions of which exactly one holds.
    pub(in crate::dualize) fn selector(&mut self, ways: usize, store: &mut Store) -> Vec<Term> {
        match ways {
            0 | 1 => vec![Term::truth()],
            2 => {
                let first = self.fresh.variable(Sort::Bool);
                let second = Term::not(&first);
                vec![first, second]
            }
            ways => {
                let index = self.index(ways, store);
                (0..ways as i64).map(|at| Term::eq(&index, &Term::int(at))).collect()
            }
        }
    }

    /// A fresh integer from 0 to below n.
    fn index(&mut self, n: usize, store: &mut Store) -> Term {
        let index = self.fresh.variable(Sort::Int);
        if let (Some(var), Some(domain)) = (index.as_var(), Domain::of((0..n as i64).map(Scalar::int))) {
            store.set_domain(var, domain);
        }
        index
    }

    /// What cells hold, in terms of fresh variables.
    fn entries(&mut self, content: &Content, store: &mut Store) -> Vec<Entry> {
        match content {
            Content::Shapes(shapes) => vec![self.entry(shapes, store)],
            Content::Linked { entries, facts } => {
                let mut renamed: Vec<(Var, Term)> = Vec::new();
                let mut fresh = self.fresh;
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
                self.fresh = fresh;
                store.assume_all(facts, &mut self.solver);
                entries
            }
        }
    }

    fn entry(&mut self, shapes: &[Shape], store: &mut Store) -> Entry {
        let there: Vec<&Shape> = shapes.iter().filter(|shape| **shape != Shape::Missing).collect();
        let presence = match (there.len(), shapes.len() - there.len()) {
            (0, _) => return Entry::HIDDEN,
            (_, 0) => Truth::Known(true),
            _ => Truth::Term(self.fresh.variable(Sort::Bool)),
        };
        Entry::when(presence, self.sum(&there, store))
    }

    /// One of some shapes.
    fn sum(&mut self, shapes: &[&Shape], store: &mut Store) -> Value {
        let known: Option<Vec<Value>> = shapes.iter().map(|shape| shape.known().cloned()).collect();
        if let Some(known) = known.filter(|known| known.len() > LIFTED) {
            return Value::one_of(&self.index(known.len(), store), &known);
        }
        let guards = self.selector(shapes.len(), store);
        value::union(
            guards.into_iter().zip(shapes).map(|(guard, shape)| (guard, self.value(shape, store))).collect::<Vec<_>>(),
        )
    }

    fn value(&mut self, shape: &Shape, store: &mut Store) -> Value {
        match shape {
            Shape::Missing => Value::Absent,
            Shape::Known(known) => known.clone(),
            Shape::Leaf(sort, domain) => {
                let term = self.fresh.variable(*sort);
                if let Some(var) = term.as_var() {
                    store.set_domain(var, domain.clone());
                }
                Value::Term(term)
            }
            Shape::List(elements) => lists::of(elements, &mut || self.fresh.variable(Sort::Bool)),
            Shape::Data(tag, fields) => {
                Value::data(*tag, fields.iter().map(|field| self.value(field, store)).collect::<Vec<_>>())
            }
        }
    }
}

/// One of some entries, by conditions of which exactly one holds; which one is decided where it is read.
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
