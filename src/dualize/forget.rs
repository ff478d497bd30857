//! Forgetting what cannot matter any more (semantics, *Forgetting, exactly*): mark and substitute.
//!
//! With `n = #1 + 1` and `#2 < #1`, nothing mentions `#2`: it is eliminated. When a candidate is looked through is free (`growth.rs`).

use rustc_hash::FxHashSet;

use super::candidate::{Candidate, State};
use super::frontier::Judge;
use super::verdict::Place;
use crate::process::Live;
use crate::symbolic::Infeasible;
use crate::term::{Term, Var};
use crate::value::{Substitution, Truth, Value};

impl Judge {
    /// After a section: what was written under keys that are known by now is put in its place, and, now and then, dead
    /// variables are forgotten.
    pub(super) fn tidy(&mut self, candidate: &mut Candidate) {
        if candidate.is_known() {
            return candidate.process.rest();
        }
        self.put_in_place(candidate);
        if self.is_due(candidate) {
            self.forget(candidate);
        }
    }

    /// The same after an exchange, when nothing but the candidate mentions its variables: its terms are named, too.
    pub(super) fn tidy_and_name(&mut self, candidate: &mut Candidate) {
        if candidate.is_known() {
            return candidate.process.rest();
        }
        self.put_in_place(candidate);
        candidate.growth.count_work(self.work.of_exchange(&self.solver));
        if self.is_due(candidate) {
            self.forget_and_name(candidate);
        }
    }

    /// The same where there are others: names would tell those apart that may be put together.
    pub(super) fn tidy_one_of_several(&mut self, candidate: &mut Candidate) {
        if self.may_unite() { self.tidy(candidate) } else { self.tidy_and_name(candidate) }
    }

    /// Forgets, and gives names to terms whose variables occur nowhere else.
    pub(super) fn forget_and_name(&mut self, candidate: &mut Candidate) {
        self.substitute_solved(candidate);
        if self.options.name && !self.options.keep_answers && candidate.growth.open {
            self.name_sums(candidate);
            self.use_diagrams(candidate);
        }
        if self.forget(candidate) && candidate.growth.open {
            self.name_terms(candidate);
        }
    }

    /// Puts decision diagrams in the places of large terms.
    fn use_diagrams(&mut self, candidate: &mut Candidate) {
        let State { process, store, .. } = &mut **candidate;
        store.use_diagrams(&mut self.solver);
        let mut diagram = |term: &Term| store.diagram(term);
        let mut substitution = Substitution::everywhere(&mut diagram);
        process.rewrite(&mut |value| substitution.apply(value));
    }

    fn is_due(&self, candidate: &Candidate) -> bool {
        self.options.forget && candidate.growth.is_due(candidate.store.searched())
    }

    fn put_in_place(&mut self, candidate: &mut Candidate) {
        candidate.process.rest();
        if candidate.store.has_bindings() {
            put_known(candidate);
        }
        if !candidate.process.stored().is_empty() {
            note_lost_keys(candidate);
            self.settle_written(candidate);
        }
        candidate.store.clear_news();
    }

    /// What was written with conditions in it is what is left of it after the answer was observed.
    fn settle_written(&self, candidate: &mut Candidate) {
        let State { process, store, .. } = &mut **candidate;
        let mut simplify = |term: &Term| changed(term, store.simplified(term, &self.solver));
        let mut settled = Substitution::everywhere(&mut simplify);
        let solved = store.has_news();
        process.change_stored(&mut |value| match value {
            Value::Map(map) if map.is_doubtful() || map.has_news() => {
                map.settle(solved, &mut |there| store.entails(there, &self.solver), &mut |inside| {
                    settled.apply(inside)
                });
                map.settle_pending(&mut |condition| store.entails(condition, &self.solver));
            }
            _ if !store.has_only_domains() && value.has_computed() => {
                *value = settled.apply(value).unwrap_or_else(|| value.clone())
            }
            _ => {}
        });
    }

    /// Assumes a condition. A variable that nothing but this condition mentions any more is forgotten at once.
    pub(super) fn assume_last(
        &mut self,
        candidate: &mut Candidate,
        condition: Truth,
        at: Place,
    ) -> Result<(), Infeasible> {
        if let Truth::Term(term) = &condition
            && let Some(var) =
                candidate.store.last_of(term).filter(|_| candidate.growth.is_soon_walked() && self.may_forget_at_once())
            && !candidate.process.mentions(var)
            && let Some(answer) = candidate.store.assume_without(term, var, &mut self.solver)
        {
            return candidate.told(answer, Some(at));
        }
        candidate.require(condition, Some(at), &mut self.solver)
    }

    /// Whether all that may mention a variable of a candidate is its process.
    pub(super) fn may_forget_at_once(&self) -> bool {
        self.options.forget && !self.options.keep_paths() && self.spec.program.steps.is_empty()
    }

    /// Substitutes what is solved into the memory.
    pub(super) fn substitute_solved(&mut self, candidate: &mut Candidate) {
        let State { process, store, .. } = &mut **candidate;
        if store.has_bindings() {
            let mut resolve = |term: &Term| changed(term, store.resolve(term));
            let mut substitution = Substitution::everywhere(&mut resolve);
            process.rewrite(&mut |value| substitution.apply(value));
        }
    }

    /// Places what waits to be written in maps under keys that became known, where that can be done.
    fn settle_waiting(&self, candidate: &mut Candidate) {
        let State { process, store, .. } = &mut **candidate;
        for value in &mut process.memory {
            if let Value::Map(map) = value
                && map.has_news()
            {
                map.settle_pending(&mut |condition| store.entails(condition, &self.solver));
            }
        }
    }

    /// Substitutes what is solved into the memory, and projects the variables that nothing mentions any more. Whether a term
    /// is left that is no variable.
    pub(super) fn forget(&mut self, candidate: &mut Candidate) -> bool {
        self.counts.projections += 1;
        self.substitute_solved(candidate);
        self.settle_waiting(candidate);
        let State { process, store, growth, .. } = &mut **candidate;
        if !self.options.keep_choices {
            process.prune_seen();
        }
        let Live { vars: live, computed, walked } = process.live(growth.walked / 2);
        store.forget(&|var| live.contains(&var), &mut self.solver);
        growth.begin(walked);
        growth.open = !live.is_empty() || process.has_unknowns();
        self.work.without_terms += u64::from(walked);
        self.counts.walked += u64::from(walked);
        computed
    }
}

/// Maps that take away a hidden key that nobody else knows any more decide early which it is.
fn note_lost_keys(candidate: &mut Candidate) {
    let memory = &candidate.process.memory;
    let takes_away = |slot: &usize| match &memory[*slot] {
        Value::Map(map) => map.has_news() && map.hidden_removals().next().is_some(),
        _ => false,
    };
    let slots: Vec<usize> = (0..memory.len()).filter(takes_away).collect();
    for slot in slots {
        let mut known: FxHashSet<Var> = FxHashSet::default();
        let roots =
            candidate.process.roots().filter(|root| !std::ptr::eq(*root, &raw const candidate.process.memory[slot]));
        roots.for_each(|root| {
            root.visit_variables(&mut |var| _ = known.insert(var));
        });
        if let Value::Map(map) = &mut candidate.process.memory[slot]
            && map.hidden_removals().any(|key| !known.contains(&key))
        {
            map.decide_early();
        }
    }
}

/// What was written, read, or asked of unknown maps under keys that are known by now is put in its place.
fn put_known(candidate: &mut Candidate) {
    let State { process, store, .. } = &mut **candidate;
    let mut resolve = |term: &Term| changed(term, store.resolve(term));
    process.change_stored(&mut |value| Substitution::pending(&mut resolve).apply_in_place(value));
    if store.has_news() {
        // What was solved for before was put in its place then, or is when it is forgotten.
        let mut news = |term: &Term| store.resolve_news(term);
        process.settle_read(&mut |value| Substitution::pending(&mut news).apply(value));
    }
    if process.has_seen() {
        process.rewrite_seen(&mut |value| Substitution::pending(&mut resolve).apply(value));
        process.settle_recent(&mut |value| Substitution::everywhere(&mut resolve).apply(value));
    }
}

fn changed(old: &Term, new: Term) -> Option<Term> {
    (new != *old).then_some(new)
}
