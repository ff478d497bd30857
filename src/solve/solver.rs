//! The solver: limits, statistics, and the tiers that search. It belongs to a validator, never to a candidate.
//!
//! Z3 sees variables renumbered in their order: `#7 * #8 == 15` and `#107 * #108 == 15` are the same question to it.

use super::differences::bounds;
use super::facts::Facts;
use super::forgetting::eliminate::inequality;
use super::tiers::search::CaseSearch;
use super::tiers::z3;
use super::{Answer, Solved, Why};
use crate::limits;
use crate::scalar::{Int, Sort};
use crate::term::{Linear, Term, Var, made};
use std::time::{Duration, Instant};

/// The tiers that may answer if bindings and domains do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiers {
    /// All of them.
    All,
    /// All but Z3.
    WithoutZ3,
    /// Z3 alone (to compare with).
    OnlyZ3,
}

/// Limits of one solver; reaching one gives [`Answer::Unknown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of conditions that one search may add: a clause costs one or two. A question that needs more goes to Z3.
    pub search: u32,
    /// Z3's deterministic limit of effort for one question (its `rlimit`): about half a second, which only systems of thousands
    /// of inequalities need.
    pub effort: u32,
    /// Z3's limit of effort for one question about products and quotients, about ten milliseconds: they are decided at once
    /// or hardly ever.
    pub effort_nonlinear: u32,
    /// Z3's limit of effort for one question about the inside of strings: they too are decided soon or hardly ever.
    pub effort_text: u32,
    /// Wall-clock backstop for one question to Z3; the limit of effort normally comes first, and gives the same answer on
    /// every machine.
    pub time: Duration,
    /// Wall-clock backstop for one question about products and quotients.
    pub time_nonlinear: Duration,
    /// Wall-clock backstop for one question about the inside of strings.
    pub time_text: Duration,
    /// The tiers that may answer.
    pub tiers: Tiers,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            search: limits::SEARCH_LIMIT,
            effort: limits::Z3_EFFORT,
            effort_nonlinear: limits::Z3_EFFORT / 25,
            effort_text: limits::Z3_EFFORT / 25,
            time: Duration::from_secs(5),
            time_nonlinear: Duration::from_secs(1),
            time_text: Duration::from_millis(50),
            tiers: Tiers::All,
        }
    }
}

/// More inequalities than this, not all of them plain, are a system, which goes to Z3 without a search.
const SYSTEM: usize = 32;

/// Counts of the answers of each tier and of undecided questions, and the time spent in Z3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Answers by folding, bindings and domains.
    pub by_domain: u64,
    /// Answers by the cached model.
    pub by_model: u64,
    /// Answers by closure of differences, or by case splits.
    pub by_search: u64,
    /// Questions that reached Z3, answered or not.
    pub z3_checks: u64,
    /// Time spent in Z3.
    pub z3_time: Duration,
    /// Questions left undecided.
    pub unknown: u64,
}

impl Statistics {
    /// The work that the questions to Z3 count as, in made terms.
    #[must_use]
    pub fn z3_work(&self) -> u64 {
        self.z3_checks * limits::Z3_QUESTION
    }
}

/// Answers questions about stores.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// The limits of what may be spent.
    pub limits: Limits,
    /// The statistics of what was spent.
    pub statistics: Statistics,
    /// The number of terms made by this thread after which neither search nor Z3 answers a question any more.
    pub last_made: Option<u64>,
}

impl Solver {
    /// A solver with these limits.
    pub fn new(limits: Limits) -> Solver {
        Solver { limits, ..Solver::default() }
    }

    /// Asks Z3 alone whether the conditions hold together; `Sat` only with a model that was checked.
    pub fn ask_z3(&mut self, conditions: &[Term]) -> Answer {
        match self.z3(conditions) {
            Solved::Sat(_) => Answer::Sat,
            Solved::Unsat => Answer::Unsat,
            Solved::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Decides facts that share no variable with other facts. If they were `undecided`, and no variable has become known since, Z3
    /// is not asked again.
    pub(super) fn decide(&mut self, facts: &Facts, undecided: Option<Why>) -> Solved {
        let tiers = self.limits.tiers;
        if tiers != Tiers::OnlyZ3 {
            let budget =
                if undecided.is_some() { self.limits.search / limits::BRIEF_SHARE as u32 } else { self.limits.search };
            if let Some(verdict) = self.search(facts, budget) {
                self.statistics.by_search += 1;
                return verdict;
            }
        }
        if let Some(why) = undecided.filter(|_| tiers == Tiers::All) {
            return Solved::Unknown(why);
        }
        if made() > self.last_made() || limits::end::is_over() {
            return Solved::Unknown(Why::Effort);
        }
        let verdict = self.z3_renumbered(&facts.conditions());
        self.statistics.unknown += u64::from(matches!(verdict, Solved::Unknown(_)));
        verdict
    }

    /// Looks for a model or a refutation: by closure if all constraints are differences, else by case splits; a system is left to
    /// Z3.
    fn search(&self, facts: &Facts, budget: u32) -> Option<Solved> {
        if let Some(solved) = bounds::decide(facts) {
            return Some(solved);
        }
        if is_system(facts) {
            return None;
        }
        let solved = CaseSearch::new(budget, self.last_made()).run(facts.clone())?;
        let Solved::Sat(model) = &solved else { return Some(solved) };
        facts.conditions().iter().all(|condition| model.satisfies(condition)).then_some(solved)
    }

    /// The number of terms made by this thread after which questions are given up.
    pub(super) fn last_made(&self) -> u64 {
        self.last_made.unwrap_or(u64::MAX)
    }

    /// Asks Z3 with the variables renumbered in their order, so that its answer does not depend on how many variables were made
    /// before.
    fn z3_renumbered(&mut self, conditions: &[Term]) -> Solved {
        let naming = Naming::of(conditions);
        let renumbered: Vec<Term> = conditions.iter().map(|condition| naming.canonical(condition)).collect();
        naming.original(self.z3(&renumbered))
    }

    fn z3(&mut self, conditions: &[Term]) -> Solved {
        if self.limits.tiers == Tiers::WithoutZ3 {
            return Solved::Unknown(Why::SwitchedOff);
        }
        let start = Instant::now();
        let verdict = match z3::check(conditions, &self.limits) {
            Ok(Some(model)) if conditions.iter().all(|condition| model.satisfies(condition)) => Solved::Sat(model),
            // A model that does not check out proves nothing.
            Ok(Some(_)) => Solved::Unknown(Why::Text),
            Ok(None) => Solved::Unsat,
            Err(why) => Solved::Unknown(why),
        };
        self.statistics.z3_checks += 1;
        self.statistics.z3_time += start.elapsed();
        verdict
    }
}

/// Tests whether the facts are a system: many inequalities, some with coefficients other than ±1 or with computed atoms. Z3 has
/// methods for these, search has none.
fn is_system(facts: &Facts) -> bool {
    let Some(rest) = facts.rest.as_ref().filter(|rest| rest.terms.len() > SYSTEM) else { return false };
    let linears: Option<Vec<&Linear>> = rest.terms.values().map(inequality).collect();
    let plain = |(atom, coefficient): &(Term, Int)| atom.as_var().is_some() && coefficient.abs() == Int::ONE;
    linears.is_some_and(|linears| !linears.iter().all(|linear| linear.terms().iter().all(plain)))
}

/// The variables of a question in their order: the position of a variable is its canonical number.
struct Naming {
    vars: Vec<Var>,
}

impl Naming {
    fn of(conditions: &[Term]) -> Naming {
        let mut vars = std::collections::BTreeSet::new();
        conditions.iter().for_each(|condition| condition.vars(&mut |var| _ = vars.insert(var)));
        Naming { vars: vars.into_iter().collect() }
    }

    fn canonical(&self, condition: &Term) -> Term {
        condition.substitute(&mut |var| {
            let id = self.vars.binary_search(&var).ok()? as u64;
            Some(Term::var(Var { id, sort: canonical_sort(var.sort) }))
        })
    }

    fn original(&self, verdict: Solved) -> Solved {
        let Solved::Sat(model) = verdict else { return verdict };
        let named = model.iter().filter_map(|(var, value)| Some((*self.vars.get(var.id as usize)?, value.clone())));
        Solved::Sat(named.collect())
    }
}

/// The sort of a variable in a question to Z3. Tokens of two types never meet, so all token types become one.
fn canonical_sort(sort: Sort) -> Sort {
    if let Sort::Token(_) = sort { Sort::ANY_TOKEN } else { sort }
}
