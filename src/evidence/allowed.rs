//! The answers to a request that the specification would have allowed, given what was observed before it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::describe::{Fact, PartNames, resolved};
use crate::json;
use crate::judge::{Candidate, Exchange, Judge, Observed};
use crate::limits;
use crate::process::Process;
use crate::scalar::Int;
use crate::server::Completion;
use crate::solve::{Answer, Limits, Solver, Store};
use crate::spec::Spec;
use crate::term::{Kind, Term, Var};
use crate::value::{Leaf, Presence, Substitution, Truth, Value, equal};

/// The cases into which an answer is taken.
const CASES: usize = 256;
/// The values of a variable that are put into an answer.
const VALUES: usize = 64;

/// One kind of answer that was possible.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Possibility {
    /// This answer, as JSON; parts that are not determined are written `#1`, `#2` …
    Answer {
        /// The answer.
        json: String,
        /// The facts that are known of its undetermined parts.
        where_: Vec<Fact>,
    },
    /// No answer at all.
    Nothing,
    /// Further answers, which are not listed, or perhaps none: not all were looked for.
    More,
}

impl Possibility {
    /// The JSON of an answer, if all of its parts are known.
    #[must_use]
    pub fn in_full(&self, spec: &Spec) -> Option<String> {
        let is_value = |json: &str| json::decode_recorded(&spec.types, spec.program.response, json).is_ok();
        match self {
            Possibility::Answer { json, where_ } if where_.is_empty() => {
                Some(json.clone()).filter(|json| is_value(json))
            }
            Possibility::Answer { .. } | Possibility::Nothing | Possibility::More => None,
        }
    }
}

/// The most answers that are listed; [`Possibility::More`] stands for the others.
const LISTED: usize = 8;
/// The most work on the answers, in made terms.
const EFFORT: u64 = 200_000;
/// The most excluded values that are listed one by one; more are described as a set.
const FEW: usize = 8;

/// An answer that was possible, and the constraints on its variables.
struct Possible {
    answer: Value,
    store: Store,
    /// The state after the answer, which knows what was found out about unknown values.
    process: Process,
    /// The condition that it is not the excluded answer, if the condition mentions several variables and is too long to be shown.
    other: Option<Term>,
}

/// The answers that a judge allows to the next request. An answer that is a case of another one is not listed.
#[must_use]
pub fn allowed(spec: &Arc<Spec>, before: &Judge, exchange: &Exchange) -> Vec<Possibility> {
    allowed_but(spec, before, exchange, None).into_iter().map(|(possibility, _)| possibility).collect()
}

/// The answers that a judge allows to the next request, without one that is known to be impossible. Each comes with one concrete
/// answer of its kind, if one was found.
pub(super) fn allowed_but(
    spec: &Arc<Spec>,
    before: &Judge,
    exchange: &Exchange,
    impossible: Option<&Value>,
) -> Vec<(Possibility, Option<Value>)> {
    if exchange.is_restart() {
        return Vec::new();
    }
    let mut judge = before.clone();
    judge.follow_at_most(limits::FOLLOWED_BRIEFLY.max(before.candidates().len()), EFFORT);
    let answers = judge.answers(&Exchange { observed: Observed::Any, ..exchange.clone() });
    let is_silent = answers.iter().any(|(answer, _)| answer.is_none());
    let mut more = answers.len() > limits::FOLLOWED_BRIEFLY || judge.is_cut();
    let mut possible: Vec<Possible> = Vec::new();
    let mut solver = Solver::new(Limits::default());
    for (answer, candidate) in answers.into_iter().take(limits::FOLLOWED_BRIEFLY) {
        let Some(answer) = answer else { continue };
        if !candidate.is_clean() {
            // It may be impossible.
            more = true;
            continue;
        }
        let (cases, all) = Possible::of(&answer, &candidate, &mut solver).cases(&mut solver);
        more |= !all;
        for mut new in cases {
            match impossible.map_or(Some(true), |impossible| new.exclude(impossible, &mut solver)) {
                Some(true) => {}
                Some(false) => continue,
                None => more = true,
            }
            if !possible.iter().any(|other| other.covers(&new, &mut solver)) {
                possible.retain(|other| !new.covers(other, &mut solver));
                possible.push(new);
            }
        }
    }
    let mut found: Vec<(Possibility, Option<Value>)> = possible
        .iter()
        .map(|possible| (possible.shown(spec, &mut solver), possible.example(spec, &mut solver)))
        .collect();
    found.extend(is_silent.then_some((Possibility::Nothing, None)));
    found.sort();
    found.dedup_by(|(later, _), (earlier, _)| later == earlier);
    if found.len() > LISTED || more {
        found.truncate(LISTED);
        found.push((Possibility::More, None));
    }
    found
}

impl Possible {
    /// The answer that a candidate gives.
    fn of(answer: &Value, candidate: &Candidate, solver: &mut Solver) -> Possible {
        let store = candidate.store.clone();
        let answer = resolved(&store, &candidate.process.unknowns.expanded(answer));
        Possible { answer, store, process: candidate.process.clone(), other: None }.forgotten(solver)
    }

    /// One concrete answer of this kind; `None` if the solver finds none.
    fn example(&self, spec: &Spec, solver: &mut Solver) -> Option<Value> {
        if self.answer.is_known() {
            return Some(self.answer.clone());
        }
        let mut store = self.store.clone();
        if self.other.as_ref().is_some_and(|other| store.assume(other, solver) != Answer::Sat) {
            return None;
        }
        let model = store.model(&[], solver, &mut |_| 0).ok()?;
        let answer = Completion { types: &spec.types, model: &model, process: &self.process }.value(&self.answer);
        answer.is_known().then_some(answer)
    }

    /// Excludes an answer, and returns whether others are left; `None` if it cannot be excluded.
    fn exclude(&mut self, impossible: &Value, solver: &mut Solver) -> Option<bool> {
        let is_other = match equal(&self.answer, impossible).ok()? {
            Truth::Known(is_it) => return Some(!is_it),
            Truth::Term(is_it) => Term::not(&is_it),
        };
        let mut others = self.store.clone();
        match others.assume(&is_other, solver) {
            Answer::Sat => {}
            Answer::Unsat => return Some(false),
            Answer::Unknown(_) => return None,
        }
        let mut variables = FxHashSet::default();
        is_other.vars(&mut |var| _ = variables.insert(var));
        if variables.len() == 1 {
            self.store = others;
        } else {
            self.other = Some(is_other);
        }
        Some(true)
    }

    /// Eliminates the variables that the answer does not mention, and keeps what they require of the others.
    fn forgotten(mut self, solver: &mut Solver) -> Possible {
        let mut mentioned = FxHashSet::default();
        self.answer.visit_variables(&mut |var| _ = mentioned.insert(var));
        self.store.forget(&|var| mentioned.contains(&var), solver);
        self
    }

    /// Splits the answer into cases, one for each value of a variable that has few values and occurs inside of a term. Also
    /// returns whether these are all cases.
    fn cases(self, solver: &mut Solver) -> (Vec<Possible>, bool) {
        let (mut open, mut cases) = (vec![self], Vec::new());
        while let Some(possible) = open.pop() {
            match possible.with_each_value(solver) {
                Some(each) => open.extend(each),
                None => cases.push(possible),
            }
            if cases.len() > CASES {
                return (cases, open.is_empty());
            }
        }
        (cases, true)
    }

    /// The answer for each value of a variable that occurs inside of a term; `None` if no such variable has few values.
    fn with_each_value(&self, solver: &mut Solver) -> Option<Vec<Possible>> {
        let with_values = |var: Var| Some((var, self.store.few_values(var, VALUES)?));
        let (var, values) = self.listed().into_iter().find_map(with_values)?;
        let mut each = Vec::new();
        for value in values {
            let (mut store, value) = (self.store.clone(), Term::constant(value));
            match store.assume(&Term::eq(&Term::var(var), &value), solver) {
                Answer::Sat => {}
                Answer::Unsat => continue,
                Answer::Unknown(_) => return None,
            }
            let process = self.process.clone();
            let with_value = |term: &Term| term.substitute(&mut |other| (other == var).then(|| value.clone()));
            let mut resolve = |term: &Term| Some(store.resolve(&with_value(term)));
            let answer = Substitution::everywhere(&mut resolve).apply(&self.answer)?;
            each.push(Possible { answer, store, process, other: None }.forgotten(solver));
        }
        Some(each)
    }

    /// The variables that are not shown by themselves: they occur inside of a term, or decide between alternatives in several
    /// places.
    fn listed(&self) -> Vec<Var> {
        let (mut shown, mut deciding, mut listed) = (Vec::new(), Vec::new(), Vec::new());
        self.answer.visit_leaves(&mut |leaf| match leaf {
            Leaf::Term(term) => match term.as_var() {
                Some(var) => shown.push(var),
                None => term.vars(&mut |var| listed.push(var)),
            },
            Leaf::Guards(alternatives) => {
                let mut of_these = FxHashSet::default();
                alternatives.iter().for_each(|(guard, _)| guard.vars(&mut |var| _ = of_these.insert(var)));
                let (again, first): (Vec<Var>, Vec<Var>) = of_these.into_iter().partition(|var| deciding.contains(var));
                deciding.extend(first);
                listed.extend(again);
            }
        });
        listed.extend(deciding.into_iter().filter(|var| shown.contains(var)));
        listed
    }

    /// Tests whether a condition certainly holds.
    fn entails(&self, condition: &Term, solver: &mut Solver) -> bool {
        let is_impossible = || self.store.clone().assume(&Term::not(condition), solver) == Answer::Unsat;
        self.store.decide(condition).unwrap_or_else(is_impossible)
    }

    fn shown(&self, spec: &Spec, solver: &mut Solver) -> Possibility {
        let mut names = PartNames::anonymous();
        let json = names.render(&spec.types, spec.program.response, &self.store, &self.answer);
        let constraints: Vec<Term> = self.store.constraints().into_iter().flat_map(one_by_one).collect();
        let mut where_ = names.facts(&constraints);
        if self.has_hidden_conditions(&names, &constraints, solver) {
            where_.push(Fact::new("further conditions hold"));
        }
        if self.other.is_some() {
            where_.push(Fact::new("it is another answer"));
        }
        Possibility::Answer { json, where_ }
    }

    /// Tests whether conditions hold of parts of the answer that are not shown, besides that no list is shorter than empty.
    fn has_hidden_conditions(&self, names: &PartNames, constraints: &[Term], solver: &mut Solver) -> bool {
        let (mut own, mut lengths) = (FxHashSet::default(), Store::default());
        self.answer.visit_variables(&mut |var| _ = own.insert(var));
        let (mut is_fixed, mut of_lengths) = (false, FxHashSet::default());
        self.answer.visit_rests(&mut |rest| {
            lengths.assume(&Term::at_least(&rest.length, &Int::ZERO), solver);
            // The length is known, or that of another part.
            is_fixed |= rest.length.as_int().is_some_and(|length| *length != Int::ZERO);
            rest.length.vars(&mut |var| is_fixed |= names.has(var) || !of_lengths.insert(var));
        });
        let is_hidden =
            |constraint: &&Term| !names.has_all_of(constraint) && constraint.any_var(&mut |var| own.contains(&var));
        let mut lacks_entries = false;
        self.answer.visit_bases(&mut |_, map| {
            let is_missing = map.looked_at().any(|(_, entry)| entry.presence == Presence::Never);
            let has_no_others =
                map.base().and_then(|base| base.others.as_ref()).is_some_and(|others| others.as_bool() == Some(false));
            lacks_entries |= is_missing || has_no_others || map.pending().any(|(_, entry, _)| entry.is_none());
        });
        is_fixed
            || lacks_entries
            || constraints.iter().filter(is_hidden).any(|constraint| lengths.decide(constraint) != Some(true))
    }

    /// Tests whether this answer covers all values of `other`. This holds if `other` is this answer with terms in the place of its
    /// variables, and these terms satisfy all constraints on the variables.
    fn covers(&self, other: &Possible, solver: &mut Solver) -> bool {
        let mut bound = Vec::new();
        if !matches(&self.answer, &other.answer, &mut bound) {
            return false;
        }
        let of = |var: Var| bound.iter().find(|(own, _)| *own == var).map(|(_, term)| term.clone());
        self.store.constraints().iter().all(|constraint| {
            let mut all = true;
            let holds = constraint.substitute(&mut |var| {
                let term = of(var);
                all &= term.is_some();
                term
            });
            // A constraint on hidden variables alone can be satisfied, as the candidate is possible.
            let none = !constraint.any_var(&mut |var| of(var).is_some());
            none || (all && other.entails(&holds, solver))
        })
    }
}

/// Tests whether `special` is `general` with terms in the place of variables; adds the term of each variable to `bound`.
fn matches(general: &Value, special: &Value, bound: &mut Vec<(Var, Term)>) -> bool {
    match (general, special) {
        (Value::Term(term), _) => match (term.as_var(), special.as_term()) {
            (Some(var), Some(term)) => match bound.iter().find(|(own, _)| *own == var) {
                Some((_, other)) => *other == term,
                None => {
                    bound.push((var, term));
                    true
                }
            },
            _ => false,
        },
        (Value::Data { tag: a, .. }, Value::Data { tag: b, .. }) => {
            let (general, special) = (general.fields(), special.fields());
            a == b
                && general.len() == special.len()
                && general.iter().zip(special).all(|(general, special)| matches(general, special, bound))
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(general, special)| matches(general, special, bound))
        }
        _ => general.is_known() && general == special,
    }
}

/// The condition, or, if it excludes a few values, one condition for each of them.
fn one_by_one(condition: Term) -> Vec<Term> {
    match condition.kind() {
        Kind::Not(inner) => match inner.kind() {
            Kind::Member(subject, set) if set.len() <= FEW => {
                set.sorted().into_iter().map(|value| Term::ne(subject, &Term::constant(value))).collect()
            }
            _ => vec![condition],
        },
        _ => vec![condition],
    }
}
