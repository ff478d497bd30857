//! Walking and rewriting the terms that a process mentions.
//!
//! Everything that a process still mentions between two sections is in its roots ([`Process::roots`]): the memory, the tasks, the
//! messages under way, and the expanded parts of unknown values.

use rustc_hash::FxHashMap;

use crate::process::Process;
use crate::term::{Term, Var};
use crate::value::{Entry, Presence, Substitution, Truth, Value};

/// Calls a function on each term that a process mentions.
pub(super) fn visit(process: &Process, visit: &mut dyn FnMut(&Term)) {
    process.roots().for_each(|root| root.visit_terms(visit));
}

/// Replaces each term for which a function gives another one.
pub(super) fn rewrite(process: &mut Process, to: &mut dyn FnMut(&Term) -> Option<Term>) {
    let mut substitution = Substitution::everywhere(to);
    process.rewrite(&mut |value| substitution.apply(value));
}

/// Replaces each term in the registers of the task, and in the expanded parts of unknown values, for which a function gives another one.
pub(super) fn rewrite_task(process: &mut Process, to: &mut dyn FnMut(&Term) -> Option<Term>) {
    let mut substitution = Substitution::everywhere(to);
    process.rewrite_task(&mut |value| substitution.apply(value));
}

/// An entry with its terms rewritten.
pub(super) fn rewritten(entry: &Entry, to: &mut dyn FnMut(&Term) -> Option<Term>) -> Entry {
    let presence = match &entry.presence {
        Presence::When(condition) => to(condition).map_or_else(|| entry.truth(), Truth::of),
        Presence::Always | Presence::Never => entry.truth(),
    };
    let value = Substitution::everywhere(to).apply(&entry.value).unwrap_or_else(|| entry.value.clone());
    Entry::when(presence, value)
}

/// Calls a function on each variable of an entry.
pub(super) fn visit_entry(entry: &Entry, visit: &mut dyn FnMut(Var)) {
    if let Presence::When(condition) = &entry.presence {
        condition.vars(&mut |var| visit(var));
    }
    if entry.presence != Presence::Never {
        entry.value.visit_variables(visit);
    }
}

/// The new form of a term, if it differs from the old one.
pub(super) fn changed(old: &Term, new: Term) -> Option<Term> {
    (new != *old).then_some(new)
}

/// Names for variables, in the order in which they are met: of `#7 + #5 < #7` they are #1 and #2.
#[derive(Default)]
pub(super) struct Renaming(FxHashMap<Var, u64>);

impl Renaming {
    /// Gives a variable the next name, unless it has one.
    pub(super) fn meet(&mut self, var: Var) {
        let next = self.0.len() as u64 + 1;
        self.0.entry(var).or_insert(next);
    }

    /// A term with these names, if that changes it.
    pub(super) fn term(&self, term: &Term) -> Option<Term> {
        let renamed = term.substitute(&mut |var| {
            let id = *self.0.get(&var)?;
            (id != var.id).then(|| Term::var(Var { id, sort: var.sort }))
        });
        changed(term, renamed)
    }

    /// A value with these names, if that changes it.
    pub(super) fn value(&self, value: &Value) -> Option<Value> {
        Substitution::everywhere(&mut |term| self.term(term)).apply(value)
    }

    /// Facts with these names, sorted.
    pub(super) fn facts(&self, facts: &[Term]) -> Vec<Term> {
        let mut facts: Vec<Term> = facts.iter().map(|fact| self.term(fact).unwrap_or_else(|| fact.clone())).collect();
        facts.sort();
        facts
    }
}
