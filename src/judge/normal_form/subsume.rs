//! Subsumption: a candidate is dropped if another one covers it, and so accepts all of its futures.
//!
//! A is covered by B when a substitution of B's variables by A's terms makes the memories equal and A's store implies B's:
//! `{n: 5}` by `{n: #1}` with `#1 > 3`. A doubtful candidate never hides a clean one.

use rustc_hash::FxHashMap;

use crate::judge::candidate::Candidate;
use crate::limits;
use crate::solve::Solver;
use crate::term::{Kind, Term, Var};
use crate::value::{Base, Entry, Keys, ListItem, ListItems, Map, OpenList, Truth, Value, View};

/// The candidates that are compared each with each.
const COVERED: usize = 64;

/// Drops candidates that another one covers.
pub(crate) fn drop_covered(candidates: &mut Vec<Candidate>, solver: &mut Solver) {
    if candidates.len() < 2 || candidates.len() > COVERED {
        return;
    }
    let mut at = 0;
    while at < candidates.len() {
        let covered =
            (0..candidates.len()).any(|other| other != at && covers(&candidates[other], &candidates[at], solver));
        if covered {
            candidates.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Tests whether `general` accepts every future of `special`.
pub(crate) fn covers(general: &Candidate, special: &Candidate, solver: &mut Solver) -> bool {
    if (!general.is_clean() && special.is_clean()) || general.process.situation() != special.process.situation() {
        return false;
    }
    let mut matching = Matching { general, terms: FxHashMap::default(), open: Vec::new() };
    let mut held = general.process.held().zip(special.process.held());
    if !held.all(|(general, special)| matching.value(general, special)) {
        return false;
    }
    // Parts of unknown values that only the special candidate expanded narrow it further, so they need no match.
    let theirs = &special.process.unknowns;
    let mut seen = general.process.unknowns.seen();
    if !seen.all(|(id, general)| theirs.seen_of(id).is_some_and(|special| matching.value(general, special))) {
        return false;
    }
    if !matching.is_complete() {
        return false;
    }
    let constraints = general.store.constraints();
    matching.satisfy(&constraints);
    let implied: Vec<Term> =
        constraints.iter().map(|term| term.substitute(&mut |var| matching.terms.get(&var).cloned())).collect();
    special.store.implies(&implied, solver) == Some(true)
}

/// A substitution of the general candidate's variables, found by walking the values of both.
struct Matching<'g> {
    general: &'g Candidate,
    terms: FxHashMap<Var, Term>,
    /// Pairs of a general term and the special one that it must become, in which some variables were not matched yet.
    open: Vec<(Term, Term)>,
}

impl Matching<'_> {
    fn value(&mut self, general: &Value, special: &Value) -> bool {
        match (general, special) {
            (Value::Term(general), special) => special.as_term().is_some_and(|special| self.term(general, &special)),
            (Value::Scalar(a), Value::Scalar(b)) => a == b,
            (Value::Data { tag: a, .. }, Value::Data { tag: b, .. }) => {
                a == b
                    && general.fields().len() == special.fields().len()
                    && general.fields().iter().zip(special.fields()).all(|(a, b)| self.value(a, b))
            }
            (Value::Unknown(a), Value::Unknown(b)) => a == b,
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.value(a, b))
            }
            (Value::Open(a), Value::Open(b)) => self.open_list(a, ListItems::Open(b)),
            (Value::Open(a), Value::List(b)) => self.open_list(a, ListItems::Known(b)),
            (Value::Map(a), Value::Map(b)) => self.map(a, b),
            (Value::Union(a), Value::Union(b)) => b.iter().all(|(guard, special)| {
                let each = |(own, value): &(Term, Value)| {
                    self.or_undo(|matching| matching.value(value, special) && matching.term(own, guard))
                };
                a.iter().any(each)
            }),
            (Value::Union(a), _) => a.iter().any(|(guard, value)| {
                self.or_undo(|matching| matching.term(guard, &Term::truth()) && matching.value(value, special))
            }),
            (Value::Absent, Value::Absent) => true,
            _ => false,
        }
    }

    /// Matches a list with stretches or optional elements, element by element. If that fails, each optional element is matched with the
    /// next element of the other list if both have the same known value, and is absent otherwise.
    fn open_list(&mut self, general: &OpenList, special: ListItems<'_>) -> bool {
        let one_by_one =
            |matching: &mut Self| general.iter().zip(special.iter()).all(|(a, b)| matching.item(a.look(), b));
        if general.len() == special.count() && self.or_undo(one_by_one) {
            return true;
        }
        let mut left = special.iter().peekable();
        for item in general.iter() {
            let fits = match item.look() {
                ListItem::Maybe(optional) => {
                    let next = left.next_if(|next| optional.value.is_known() && next.value() == Some(&optional.value));
                    let there = next.and_then(ListItem::element).map_or(Truth::Known(false), |(there, _)| there);
                    self.term(&optional.presence, &there.term())
                }
                certain => left.next().is_some_and(|next| self.item(certain, next)),
            };
            if !fits {
                return false;
            }
        }
        left.next().is_none()
    }

    fn item(&mut self, general: ListItem<'_>, special: ListItem<'_>) -> bool {
        match (general, special) {
            (ListItem::One(a), ListItem::One(b)) => self.value(a, b),
            (ListItem::Maybe(a), ListItem::Maybe(b)) => {
                self.term(&a.presence, &b.presence) && self.value(&a.value, &b.value)
            }
            (ListItem::Rest(a), ListItem::Rest(b)) => a.unknown == b.unknown && self.term(&a.length, &b.length),
            _ => false,
        }
    }

    fn map(&mut self, a: &Map, b: &Map) -> bool {
        if a.is_known() && b.is_known() {
            return a == b;
        }
        // A map may not be counted if it started unknown, and else it may: each kind covers only maps of its own kind.
        if b.base().is_some() && a.base().is_some_and(|base| self.is_any(base)) {
            return self.beside_any(a, b);
        }
        let bases = [a, b].map(|map| map.base().map(|base| (base.unknown, base.view, &base.others)));
        if bases[0] != bases[1] {
            return false;
        }
        let (Some(own), Some(theirs)) = (a.decided_entries(), b.decided_entries()) else { return false };
        if own.iter().chain(&theirs).all(|(key, _)| key.is_known()) {
            let is_own = |key: &Value| own.binary_search_by(|(known, _)| (*known).cmp(key)).is_ok();
            return theirs.iter().all(|(key, _)| is_own(key)) && self.entries(&own, b);
        }
        own.len() == theirs.len()
            && own.iter().zip(theirs.iter()).all(|((k, v), (l, w))| {
                self.value(k, l) && self.term(&v.truth().term(), &w.truth().term()) && self.value(&v.value, &w.value)
            })
    }

    /// Matches each entry with what the special map has under its key.
    fn entries(&mut self, own: &[(&Value, &Entry)], special: &Map) -> bool {
        own.iter().all(|(key, entry)| match special.get(key) {
            Ok((there, value)) => {
                self.term(&entry.truth().term(), &there.clone().term())
                    && (there.is_false() || self.value(&entry.value, &value))
            }
            Err(_) => false,
        })
    }

    /// Tests whether a base may be any map: it was never looked at, and stands at one place only.
    fn is_any(&self, base: &Base) -> bool {
        let blank = base.keys == Keys::Endless && base.view == View::Whole;
        let mut places = 0;
        let mut count = |value: &Value| value.visit_unknowns(&mut |id| places += usize::from(id == base.unknown.id));
        let process = &self.general.process;
        process.roots().for_each(&mut count);
        let seen = process.unknowns.seen_of(base.unknown.id).is_some();
        blank && base.touched.is_empty() && base.others.is_none() && !seen && places == 1
    }

    /// Matches a map on a base that may be any map: only its own entries matter.
    fn beside_any(&mut self, general: &Map, special: &Map) -> bool {
        general.decided_entries().is_some_and(|own| self.entries(&own, special))
    }

    fn term(&mut self, general: &Term, special: &Term) -> bool {
        if let Kind::Var(var) = general.kind() {
            return match self.terms.get(var) {
                Some(bound) => bound == special,
                None => {
                    self.terms.insert(*var, special.clone());
                    true
                }
            };
        }
        match special.as_bool() {
            Some(holds) => self.oblige(general, holds),
            None => self.align(general, special),
        }
        self.becomes(general, special).unwrap_or_else(|| {
            self.open.push((general.clone(), special.clone()));
            true
        })
    }

    /// Matches the variables of a term with those of the term that it must become: a single variable with a single one there, or, if
    /// the terms are equal, each variable with itself.
    fn align(&mut self, general: &Term, special: &Term) {
        let (own, theirs) = (only_var(general), only_var(special));
        if let (Some(own), Some(theirs)) = (own, theirs)
            && !self.terms.contains_key(&own)
            && general.substitute(&mut |_| Some(Term::var(theirs))) == *special
        {
            self.terms.insert(own, Term::var(theirs));
        } else if general == special {
            general.vars(&mut |var| _ = self.terms.entry(var).or_insert_with(|| Term::var(var)));
        }
    }

    /// Matches variables of a condition that must come out as `holds`, as far as that determines them. If the condition is on one
    /// variable with few values, the variable is matched with the first value that fits.
    fn oblige(&mut self, condition: &Term, holds: bool) {
        match condition.kind() {
            Kind::Var(var) => _ = self.terms.entry(*var).or_insert_with(|| Term::from(holds)),
            Kind::Not(inner) => self.oblige(inner, !holds),
            Kind::And(parts) if holds => parts.iter().for_each(|part| self.oblige(part, true)),
            Kind::Or(parts) if !holds => parts.iter().for_each(|part| self.oblige(part, false)),
            _ => {
                let Some(var) = only_var(condition).filter(|var| !self.terms.contains_key(var)) else { return };
                let values = self.general.store.few_values(var, limits::CASES).unwrap_or_default();
                let fits = |value: &Term| condition.substitute(&mut |_| Some(value.clone())).as_bool() == Some(holds);
                if let Some(value) = values.into_iter().map(Term::constant).find(fits) {
                    self.terms.insert(var, value);
                }
            }
        }
    }

    /// Matches variables that only constraints mention, as far as the constraints determine them. Any other variable keeps its name: it
    /// stands for the special candidate's variable of that name.
    fn satisfy(&mut self, constraints: &[Term]) {
        let mut matched = 0;
        while matched < self.terms.len() {
            matched = self.terms.len();
            for constraint in constraints {
                let known = |var: Var| self.terms.get(&var).filter(|term| term.as_const().is_some()).cloned();
                let left = constraint.substitute(&mut { known });
                self.oblige(&left, true);
            }
        }
    }

    /// Tests whether a term becomes another one under the substitution found so far; `None` if a variable is not matched yet.
    fn becomes(&self, general: &Term, special: &Term) -> Option<bool> {
        let mut complete = true;
        general.vars(&mut |var| complete &= self.terms.contains_key(&var));
        complete.then(|| general.substitute(&mut |var| self.terms.get(&var).cloned()) == *special)
    }

    /// Tests whether all terms become what they must.
    fn is_complete(&self) -> bool {
        self.open.iter().all(|(general, special)| self.becomes(general, special) == Some(true))
    }

    /// Tries to match something; if that fails, the matches that it made are forgotten.
    fn or_undo(&mut self, matches: impl FnOnce(&mut Self) -> bool) -> bool {
        let (terms, open) = (self.terms.clone(), self.open.len());
        let found = matches(self);
        if !found {
            self.terms = terms;
            self.open.truncate(open);
        }
        found
    }
}

/// The only variable of a term.
fn only_var(term: &Term) -> Option<Var> {
    let (mut only, mut several) = (None, false);
    term.vars(&mut |var| several |= *only.get_or_insert(var) != var);
    only.filter(|_| !several)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::covers;
    use crate::choice::numbers;
    use crate::judge::Candidate;
    use crate::process::Process;
    use crate::scalar::{Scalar, Sort};
    use crate::solve::Solver;
    use crate::spec::Spec;
    use crate::term::{Term, Var};
    use crate::value::{OpenItem, Substitution, Truth, Value};

    /// A list some of whose elements are there under variables with these numbers, or negations of them.
    fn list(next: &mut dyn FnMut(u64) -> u64, first: u64) -> Value {
        let mut elements = im::Vector::new();
        for _ in 0..next(5) {
            let var = Term::var(Var { id: first + next(4), sort: Sort::Bool });
            let there = match next(4) {
                0 => Truth::Known(true),
                1 => Truth::Term(Term::not(&var)),
                _ => Truth::Term(var),
            };
            elements.extend(OpenItem::under(there, Value::from(next(3) as i64)));
        }
        Value::sequence(elements)
    }

    /// The lists that one stands for.
    fn lists(value: &Value, first: u64) -> BTreeSet<Value> {
        let of = |assignment: u64| {
            let mut known = |term: &Term| {
                let bit = |var: Var| Some(Scalar::Bool(assignment >> (var.id - first) & 1 == 1));
                term.eval(&mut { bit }).map(Term::constant)
            };
            Substitution::everywhere(&mut known).apply(value).unwrap_or_else(|| value.clone())
        };
        (0..16).map(of).collect()
    }

    #[test]
    fn a_list_that_covers_another_stands_for_all_that_it_does() {
        let spec =
            Spec::from_text("protocol p { request int; response int; var l: list<int> = []; on q { reply q; } }");
        let spec = spec.unwrap_or_else(|error| panic!("{error}"));
        let candidate = |list: &Value| {
            let mut process = Process::new(&spec.program);
            process.memory = vec![list.clone()];
            Candidate::new(process)
        };
        let (mut next, mut solver) = (numbers(1), Solver::default());
        let (mut covered, mut of_other_lengths) = (0, 0);
        for _ in 0..20_000 {
            let (general, special) = (list(&mut next, 1), list(&mut next, 11));
            if covers(&candidate(&general), &candidate(&special), &mut solver) {
                assert!(lists(&special, 11).is_subset(&lists(&general, 1)), "{general:?} covers {special:?}");
                covered += 1;
                of_other_lengths += u32::from(general.breadth() != special.breadth());
            }
        }
        assert!(covered > 1_000 && of_other_lengths > 500, "{covered}, {of_other_lengths} of other lengths");
    }
}
