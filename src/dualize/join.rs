//! Joining candidates that are equal but for one value (semantics, *Forgetting, exactly*): one candidate with a set of values.
//!
//! A server that walks over hidden places 0, 1, 2 … is one candidate whose place is a variable in an explicit set, not one
//! candidate for each place. The variable is in its slot and nowhere else, and all else is known: so the two candidates
//! together are exactly the joined one. What a request makes of a joined candidate must be as simple again; where it is not (the
//! value went to another slot, or into a product), its values are told apart before the request, and stay so in that slot.

use super::candidate::{Alive, Candidate, Joined};
use super::frontier::{Judge, Perhaps, Received};
use crate::scalar::{Scalar, Sort};
use crate::solve::{Domain, Store};
use crate::spec::Spec;
use crate::term::{Term, Var};
use crate::value::Value;

/// More candidates than this are not compared pair by pair.
const COMPARED: usize = 32;
/// A joined candidate of which a request makes more than this is told apart.
const RESULTS: usize = 16;
/// The values of so many candidates are told apart again.
const VALUES: usize = 4096;

impl Judge {
    /// Joins candidates that are equal but for the values of one slot.
    pub(super) fn join_candidates(&mut self, candidates: &mut Vec<Candidate>) {
        let kept = self.options.keep_choices || self.options.keep_answers;
        if !self.options.join || kept || !self.spec.program.steps.is_empty() || candidates.len() > COMPARED {
            return;
        }
        // Two known states are judged faster than one that is not known.
        if candidates.len() == 2 && candidates.iter().all(Candidate::is_known) {
            return;
        }
        let mut at = 0;
        while at + 1 < candidates.len() {
            let mut other = at + 1;
            while other < candidates.len() {
                let [one, two] =
                    candidates.get_disjoint_mut([at, other]).unwrap_or_else(|_| unreachable!("at < other"));
                if self.join_two(one, two) {
                    self.spares.take(candidates.remove(other));
                    self.counts.merges += 1;
                } else {
                    other += 1;
                }
            }
            at += 1;
        }
    }

    /// Makes the first candidate both, where that is one candidate.
    fn join_two(&mut self, one: &mut Candidate, two: &mut Candidate) -> bool {
        let simple = |candidate: &Candidate| candidate.is_clean() && !candidate.process.has_seen();
        let Some(slot) = different(one, two).filter(|_| simple(one) && simple(two)) else { return false };
        if self.apart.contains(&slot) || !is_known_beside(one, slot) || !is_known_beside(two, slot) {
            return false;
        }
        let (Some((sort, mine)), Some((_, theirs))) = (values(one, slot), values(two, slot)) else { return false };
        let Some(union) = mine.union(&theirs) else { return false };
        if union == theirs {
            std::mem::swap(one, two);
        } else if union != mine {
            self.hold(one, slot, sort, union);
        }
        true
    }

    /// Makes a candidate, of which all but a slot is known, hold any of these values there.
    fn hold(&mut self, candidate: &mut Candidate, slot: u32, sort: Sort, values: Domain) {
        let fresh = self.fresh.variable(sort);
        let Some(var) = fresh.as_var() else { return };
        candidate.process.memory[slot as usize] = Value::Term(fresh);
        candidate.store = Store::default();
        candidate.store.set_domain(var, values);
        candidate.joined = Some(Joined { var, slot });
        (candidate.fresh, candidate.unseen, candidate.open) = (0, 0, false);
    }

    /// [`Judge::respond`]; where what it makes of a joined candidate is not simple, that of each of its values.
    pub(super) fn respond_joined(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        received: &Received<'_>,
        others: &mut Vec<Candidate>,
    ) -> Alive {
        let Some(Joined { slot, .. }) = candidate.joined else {
            return self.respond(spec, candidate, received, others);
        };
        let (before, first) = (self.spares.copy(candidate), others.len());
        let (cut, perhaps) = (self.cut.take(), std::mem::take(&mut self.perhaps));
        let alive = self.respond(spec, candidate, received, others);
        let decided = self.cut.is_none() && self.perhaps == Perhaps::default() && others.len() - first < RESULTS;
        (self.cut, self.perhaps) = (cut, perhaps);
        let mut results = others[first..].iter_mut().chain((alive == Alive::Yes).then_some(candidate));
        if decided && results.all(|result| self.stays_simple(result)) {
            self.spares.take(before);
            return alive;
        }
        others.truncate(first);
        self.apart.push(slot);
        for mut piece in told_apart(before) {
            if self.respond(spec, &mut piece, received, others) == Alive::Yes {
                others.push(piece);
            }
        }
        Alive::No
    }

    /// Whether what stands for the joined values is still in its slot alone, known by its values alone. A term that is
    /// computed from it gets a name.
    fn stays_simple(&mut self, candidate: &mut Candidate) -> bool {
        let Some(Joined { var, slot }) = candidate.joined else { return true };
        let memory = &candidate.process.memory;
        let stored_elsewhere =
            candidate.process.stored().iter().any(|at| at != slot && mentions(&memory[at as usize], var));
        if stored_elsewhere || !candidate.is_clean() {
            return false;
        }
        let value = &memory[slot as usize];
        if !mentions(value, var) {
            // Written over: dead, as any other unknown may be.
            candidate.joined = None;
            candidate.leave(var);
            return true;
        }
        let Value::Term(term) = value else { return false };
        let term = term.clone();
        let Some(named) = self.simplest(&mut candidate.store, &term) else { return false };
        candidate.joined = named.as_var().map(|var| Joined { var, slot });
        if candidate.joined.is_none() {
            candidate.leave(var);
        }
        candidate.process.memory[slot as usize] = Value::of_term(named);
        true
    }

    /// A term as a known value, or as a variable that is known by its values alone.
    fn simplest(&mut self, store: &mut Store, term: &Term) -> Option<Term> {
        let term = store.resolve(term);
        if term.as_const().is_some() {
            return Some(term);
        }
        if term.as_var().is_some() {
            return store.is_free(&term).then_some(term);
        }
        store.name_range(&term, &self.fresh.variable(term.sort()))
    }

    /// Tells the values of all joined candidates apart, and joins none from now on.
    pub(super) fn tell_all_apart(&mut self) {
        self.options.join = false;
        self.candidates = std::mem::take(&mut self.candidates).into_iter().flat_map(told_apart).collect();
    }
}

/// The slot in which alone two candidates differ, by its value or by what is known of it.
fn different(one: &Candidate, two: &Candidate) -> Option<u32> {
    if let (Some(mine), true) = (one.joined, one.joined == two.joined) {
        let same = one.process.memory == two.process.memory;
        return same.then_some(mine.slot);
    }
    let both = one.process.memory.iter().zip(&two.process.memory);
    let mut slots = both.enumerate().filter(|(_, (mine, theirs))| mine != theirs).map(|(slot, _)| slot);
    let slot = slots.next()?;
    if slots.next().is_some() { None } else { u32::try_from(slot).ok() }
}

/// Whether all is known but what is in a slot.
fn is_known_beside(candidate: &Candidate, slot: u32) -> bool {
    let noted = candidate.fresh == 0 && !candidate.open && candidate.joined.is_none_or(|joined| joined.slot == slot);
    let beside = candidate.process.memory.iter().enumerate().filter(|(at, _)| *at != slot as usize);
    noted || beside.into_iter().all(|(_, value)| value.is_known())
}

/// The values that a slot may have, if they are integers or booleans and that is all that is known of them.
fn values(candidate: &Candidate, slot: u32) -> Option<(Sort, Domain)> {
    let (sort, range) = match &candidate.process.memory[slot as usize] {
        Value::Scalar(known) => (known.sort(), Domain::single_value(known)),
        Value::Term(term) => (term.sort(), candidate.store.range(term)?),
        _ => return None,
    };
    matches!(sort, Sort::Int | Sort::Bool).then_some((sort, range))
}

fn mentions(value: &Value, var: Var) -> bool {
    let mut found = false;
    value.visit_terms(&mut |term: &Term| found |= term.mentions(var));
    found
}

/// A candidate for each value of a joined one; itself, with an unknown as any other, where they are too many.
fn told_apart(mut candidate: Candidate) -> Vec<Candidate> {
    let Some(Joined { var, slot }) = candidate.joined.take() else { return vec![candidate] };
    if candidate.process.memory[slot as usize] != Value::Term(Term::var(var)) {
        candidate.open = true;
        return vec![candidate];
    }
    let both = [Scalar::Bool(false), Scalar::Bool(true)];
    let values = if var.sort == Sort::Bool { Some(both.to_vec()) } else { candidate.store.domain(var).values(VALUES) };
    let Some(values) = values else {
        candidate.open = true;
        return vec![candidate];
    };
    candidate.store.release(var);
    let with = |value: Scalar| {
        let mut piece = candidate.clone();
        piece.process.memory[slot as usize] = Value::Scalar(value);
        piece
    };
    values.into_iter().map(with).collect()
}
