//! What the server may have done by itself before a request: the closure of the candidates under `step` (semantics 4).
//!
//! Each step is run as a section of its own, again and again, until it leads to nothing but candidates that are equal to, or
//! covered by, known ones. For example `step { let x = pick s; s := s - {x}; }` leads from `{1, 2}` to `{1}`, `{2}` and `{}`,
//! and from there to nothing new. A step that stores nothing, or the same again, leads nowhere. What is known is kept in
//! the form without dead variables, so that `step { n := choose x: int where x >= n; }` leads to one candidate and no more.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::candidate::{Alive, Candidate, Logged};
use super::frontier::Judge;
use super::observe::Seen;
use super::{Observed, subsume};
use crate::process::Limit;
use crate::spec::Spec;
use crate::term::Term;
use crate::value::Value;

/// The number of candidates before a request at which no more steps are followed.
pub const CLOSURE_LIMIT: usize = 4_096;
/// With more candidates that have variables than this, new ones are not compared with them one by one.
const GENERAL_LIMIT: usize = 64;

/// Candidates, no two of which are equal, and of which the first ones have been stepped from.
#[derive(Default)]
struct Known {
    candidates: Vec<Candidate>,
    /// Where those of one form are: a clean one, or else a doubtful one.
    forms: FxHashMap<(Vec<Value>, Vec<Term>), usize>,
    /// Those whose memory has variables: only they may cover one of another form.
    general: Vec<usize>,
}

impl Judge {
    /// Adds to the candidates what the server may have made of them by itself.
    pub(super) fn close(&mut self, spec: &Spec) {
        if spec.program.steps.is_empty() {
            return;
        }
        let limit = self.options.candidates.min(CLOSURE_LIMIT);
        let mut known = Known::default();
        for mut candidate in std::mem::take(&mut self.candidates) {
            self.forget(&mut candidate);
            self.learn(candidate, &mut known);
        }
        let mut at = 0;
        while at < known.candidates.len() {
            if known.candidates.len() > limit {
                self.cut.get_or_insert((Limit::Steps, None));
                break;
            }
            for step in 0..spec.program.steps.len() {
                for next in self.stepped(spec, &known.candidates[at], step) {
                    self.learn(next, &mut known);
                }
            }
            at += 1;
        }
        subsume::drop_covered(&mut known.candidates, &mut self.solver);
        self.candidates = known.candidates;
    }

    /// The candidates to which one step leads from another one.
    fn stepped(&mut self, spec: &Spec, from: &Candidate, step: usize) -> Vec<Candidate> {
        let mut first = from.clone();
        self.log(&mut first, || Logged::Step(step));
        first.process.step(&spec.program, step);
        let mut others = Vec::new();
        if self.explore(spec, &mut first, &Seen::new(&Observed::Nothing), &mut others) == Alive::Yes {
            others.push(first);
        }
        others.retain(|candidate| changes(from, candidate));
        for candidate in &mut others {
            self.tidy(candidate);
            self.forget(candidate);
        }
        others
    }

    /// Adds a candidate, unless it is known or covered.
    fn learn(&mut self, candidate: Candidate, known: &mut Known) {
        let next = known.candidates.len();
        let form = match known.forms.entry(subsume::canonical(&candidate)) {
            Entry::Occupied(form) if known.candidates[*form.get()].is_clean() || !candidate.is_clean() => {
                self.counts.merges += 1;
                return;
            }
            form => form,
        };
        let mut general = known.general.iter().take(GENERAL_LIMIT).map(|at| &known.candidates[*at]);
        if general.any(|general| subsume::covers(general, &candidate, &mut self.solver)) {
            self.counts.subsumptions += 1;
            return;
        }
        form.insert_entry(next);
        if candidate.process.memory.iter().any(has_variables) {
            known.general.push(next);
        }
        known.candidates.push(candidate);
    }
}

/// Whether a step stored something else than was there.
fn changes(from: &Candidate, to: &Candidate) -> bool {
    to.process.stored().any(|slot| from.process.memory[slot as usize] != to.process.memory[slot as usize])
}

fn has_variables(value: &Value) -> bool {
    let mut found = false;
    value.visit_variables(&mut |_| found = true);
    found
}
