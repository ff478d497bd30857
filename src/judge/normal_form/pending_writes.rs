//! Pending writes of maps: once its key is known, a value is put in its place.
//!
//! `m[#1] := 5` waits in the map as long as #1 is open; once an answer said `#1 = 2`, it is the entry of 2.

use rustc_hash::FxHashSet;

use crate::judge::candidate::{Candidate, State};
use crate::judge::terms::changed;
use crate::solve::{Solver, entail};
use crate::term::{Term, Var};
use crate::value::{Substitution, Value};

/// Puts entries in their places whose keys have become known since they were written or read.
pub(crate) fn put_in_place(candidate: &mut Candidate, solver: &Solver) {
    candidate.process.rest();
    if candidate.store.has_bindings() {
        put_known(candidate);
    }
    if !candidate.process.stored().is_empty() {
        note_lost_keys(candidate);
        normalize(candidate, solver);
    }
    candidate.store.clear_news();
}

/// Simplifies entries that were written with conditions: after the answer was observed, some of the conditions are decided.
fn normalize(candidate: &mut Candidate, solver: &Solver) {
    let State { process, store, .. } = &mut **candidate;
    let mut simplify = |term: &Term| changed(term, entail::simplified(store, term, solver));
    let mut normalized = Substitution::everywhere(&mut simplify);
    let solved = store.has_news();
    process.change_stored(&mut |value| match value {
        Value::Map(map) if map.is_doubtful() || map.has_news() => {
            map.normalize(solved, &mut |there| entail::entails(store, there, solver), &mut |inside| {
                normalized.apply(inside)
            });
            map.normalize_pending(&mut |condition| entail::entails(store, condition, solver));
        }
        _ if !store.has_only_domains() && value.has_computed() => {
            *value = normalized.apply(value).unwrap_or_else(|| value.clone())
        }
        _ => {}
    });
}

/// Carries out pending writes of maps whose keys have become known, if possible.
pub(crate) fn place_waiting(candidate: &mut Candidate, solver: &Solver) {
    let State { process, store, .. } = &mut **candidate;
    for value in &mut process.memory {
        if let Value::Map(map) = value
            && map.has_news()
        {
            map.normalize_pending(&mut |condition| entail::entails(store, condition, solver));
        }
    }
}

/// Lets a map decide early which key it took away, if nothing else mentions that hidden key any more.
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

/// Puts entries in their places whose keys have become known since they were written, read, or expanded in unknown maps.
fn put_known(candidate: &mut Candidate) {
    let State { process, store, .. } = &mut **candidate;
    let mut resolve = |term: &Term| changed(term, store.resolve(term));
    process.change_stored(&mut |value| Substitution::pending(&mut resolve).apply_in_place(value));
    if store.has_news() {
        process.normalize_read(&mut |value| Substitution::pending(&mut resolve).apply(value));
    }
    if process.unknowns.has_seen() {
        process.unknowns.rewrite(&mut |value| Substitution::pending(&mut resolve).apply(value));
        process.normalize_recent(&mut |value| Substitution::everywhere(&mut resolve).apply(value));
    }
}
