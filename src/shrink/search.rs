//! The adoption of candidates: one is run, and adopted if it fails for the same cause, and, if the failure is flaky, often
//! enough.
//!
//! Runs are remembered by the text of their script, so no script is run again to learn what is known.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::anchored::anchored;
use super::edit::{asks, finished, merged, steps_text};
use super::odds::{OddsVerdict, RatioTest};
use super::predict::Predictor;
use super::{ShrinkBudget, ShrunkScript, Trial, TrialOutcome};
use crate::generate::{GenerateSettings, Generator};
use crate::limits::end;
use crate::script::Script;
use crate::spec::Spec;
use crate::sut::SutFailure;

/// The most runs of the whole script before the failure counts as not reproducible.
const PATIENCE: u64 = 30;
/// The number of failures among these runs that is enough.
const ENOUGH: u64 = 3;
/// The fewest runs of the result of a flaky failure.
const FLAKY_RUNS: u64 = 20;
/// The number of runs that measure how often a flaky failure shows.
const MEASURED: u64 = 10;
/// The number of breakdowns in a row after which the search ends.
const BREAKDOWNS: u32 = 3;
/// The most rounds of shrinking, as a result that is not confirmed is shrunk again.
const ROUNDS: u32 = 3;

/// The reason why the search ends early.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Halt {
    /// The budget is used up, or nobody needs a smaller script.
    Budget,
    /// The system broke down several times in a row.
    Failure(SutFailure),
}

/// The runs of one script.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct RunTally {
    failed: u64,
    runs: u64,
}

/// A search for a smaller script.
pub(super) struct ScriptSearch<'t> {
    pub spec: Arc<Spec>,
    trial: &'t mut dyn Trial,
    budget: ShrinkBudget,
    cause: String,
    runs: u64,
    breakdowns: u32,
    tallies: FxHashMap<String, RunTally>,
    others: Vec<(String, Script)>,
    /// The test that decides about candidates, after the failure turned out to be flaky.
    test: Option<RatioTest>,
    pub predictor: Predictor,
    /// A generator that knows what may be drawn, if the specification has a `generate` block.
    generator: Option<Generator>,
    /// The smallest script so far.
    pub best: Script,
    /// Set after a run has failed again.
    is_reproduced: bool,
    /// Set after all values were made simple at once, or this was tried.
    pub all_simplified: bool,
}

impl<'t> ScriptSearch<'t> {
    pub(super) fn new(
        spec: &Arc<Spec>,
        failing: &Script,
        cause: &str,
        trial: &'t mut dyn Trial,
        budget: ShrinkBudget,
    ) -> ScriptSearch<'t> {
        let (tallies, others) = (FxHashMap::default(), Vec::new());
        let predictor = Predictor::new(spec);
        let generator = spec.generation.as_ref().map(|_| Generator::new(spec, GenerateSettings::default()));
        let (spec, cause, best) = (spec.clone(), cause.to_owned(), failing.clone());
        ScriptSearch {
            spec,
            trial,
            budget,
            cause,
            runs: 0,
            breakdowns: 0,
            tallies,
            others,
            test: None,
            predictor,
            generator,
            best,
            is_reproduced: false,
            all_simplified: false,
        }
    }

    /// Runs the whole search; returns whether the result is locally minimal.
    pub(super) fn whole(&mut self, reason: &[u64]) -> Result<bool, Halt> {
        if !self.begin(reason)? {
            return Ok(false);
        }
        for _ in 0..ROUNDS {
            self.measure()?;
            self.simplify()?;
            self.finish();
            if self.confirm()? {
                return Ok(true);
            }
            // The failure is flaky, so candidates that were dropped after one passing run may fail, too.
            self.expect_share();
        }
        Ok(false)
    }

    /// Adopts the first candidate from the reason that fails. If none does, runs the whole script several times.
    fn begin(&mut self, reason: &[u64]) -> Result<bool, Halt> {
        let whole = anchored(&self.spec, &self.best);
        if self.adopt_of_reason(&whole, reason)? {
            return Ok(true);
        }
        let key = steps_text(&self.spec, &whole);
        let mut last = None;
        while self.tally(&key).runs < PATIENCE && self.tally(&key).failed < ENOUGH {
            last = self.run(&whole, &key)?.or(last);
        }
        let Some(last) = last else { return Ok(false) };
        self.best = last;
        self.is_reproduced = true;
        self.expect_share();
        self.adopt_of_reason(&whole, reason)?;
        Ok(true)
    }

    /// Tries all single changes again and again until none is adopted.
    fn simplify(&mut self) -> Result<(), Halt> {
        loop {
            let before = steps_text(&self.spec, &self.best);
            self.delete_all_waits()?;
            self.delete_requests()?;
            self.delete_waits()?;
            self.make_sequential()?;
            self.simplify_values()?;
            if steps_text(&self.spec, &self.best) == before {
                return Ok(());
            }
        }
    }

    /// Runs a candidate, unless it is known; returns whether it was adopted.
    pub(super) fn consider(&mut self, candidate: Script) -> Result<bool, Halt> {
        let key = steps_text(&self.spec, &candidate);
        if self.is_reproduced && key == steps_text(&self.spec, &self.best) || self.leaves_domain(&candidate) {
            return Ok(false);
        }
        let adopted = match self.test {
            None if self.tally(&key).runs > 0 => None,
            None => self.run(&candidate, &key)?,
            Some(test) => self.kept_by(test, &candidate, &key)?,
        };
        if let Some(recorded) = adopted {
            // Answers may have come in another order. The runs of the candidate count for the observed script.
            let tally = self.tally(&key);
            self.tallies.entry(steps_text(&self.spec, &recorded)).or_insert(tally);
            self.best = recorded;
            self.is_reproduced = true;
            return Ok(true);
        }
        Ok(false)
    }

    /// Tests whether a candidate has requests that the specification lets not be drawn, and the best script has none.
    fn leaves_domain(&self, candidate: &Script) -> bool {
        let Some(generator) = &self.generator else { return false };
        let is_within = |script: &Script| asks(script).all(|(_, _, request)| generator.allows(&request.value));
        !is_within(candidate) && is_within(&self.best)
    }

    fn kept_by(&mut self, test: RatioTest, candidate: &Script, key: &str) -> Result<Option<Script>, Halt> {
        let mut last = None;
        loop {
            let RunTally { failed, runs } = self.tally(key);
            match (test.decision(failed, runs), last) {
                (OddsVerdict::No, _) => return Ok(None),
                (OddsVerdict::Yes, Some(last)) => return Ok(Some(last)),
                // It was kept before, as a part of a larger script that was measured.
                (OddsVerdict::Yes, None) => last = self.run(candidate, key)?,
                (OddsVerdict::Open, before) => last = self.run(candidate, key)?.or(before),
            }
        }
    }

    /// Tests whether the failure is flaky.
    pub(super) fn is_flaky(&self) -> bool {
        self.test.is_some()
    }

    fn tally(&self, key: &str) -> RunTally {
        self.tallies.get(key).copied().unwrap_or_default()
    }

    /// Runs a script once; returns the observed run if it failed for the cause.
    fn run(&mut self, script: &Script, key: &str) -> Result<Option<Script>, Halt> {
        if end::is_over() || self.runs >= self.budget.runs {
            return Err(Halt::Budget);
        }
        self.runs += 1;
        let outcome = self.trial.run(script);
        if end::is_over() && matches!(outcome, TrialOutcome::Error(_)) {
            return Err(Halt::Budget);
        }
        let tally = self.tallies.entry(key.to_owned()).or_default();
        // A breakdown says nothing about the script, so it does not count as a run.
        tally.runs += u64::from(!matches!(outcome, TrialOutcome::Error(_)));
        self.breakdowns = if let TrialOutcome::Error(_) = outcome { self.breakdowns + 1 } else { 0 };
        match outcome {
            TrialOutcome::Passes => Ok(None),
            TrialOutcome::Enough => Err(Halt::Budget),
            TrialOutcome::Error(failure) if self.breakdowns >= BREAKDOWNS => Err(Halt::Failure(failure)),
            TrialOutcome::Error(_) => Ok(None),
            TrialOutcome::Fails { cause, recorded } if cause == self.cause => {
                tally.failed += 1;
                Ok(Some(merged(&self.spec, script, &recorded)))
            }
            TrialOutcome::Fails { cause, recorded } => {
                if self.others.iter().all(|(other, _)| *other != cause) {
                    self.others.push((cause, merged(&self.spec, script, &recorded)));
                }
                Ok(None)
            }
        }
    }

    /// Brings the best script into its final form.
    fn finish(&mut self) {
        let key = steps_text(&self.spec, &self.best);
        self.best = finished(&self.spec, &self.best);
        // The requests are the same under other numbers, so the runs count for the final form.
        let tally = self.tally(&key);
        self.tallies.entry(steps_text(&self.spec, &self.best)).or_insert(tally);
    }

    /// Runs the best script until its result is confirmed; returns whether it fails as often as it should.
    fn confirm(&mut self) -> Result<bool, Halt> {
        let best = self.best.clone();
        let key = steps_text(&self.spec, &best);
        let wanted = match self.test {
            None => self.tally(&key).runs + self.budget.confirm,
            Some(_) => (self.tally(&key).runs + self.budget.confirm).max(FLAKY_RUNS),
        };
        while self.tally(&key).runs < wanted {
            if let Some(recorded) = self.run(&best, &key)? {
                self.best.steps = recorded.steps;
            }
            let RunTally { failed, runs } = self.tally(&key);
            if self.test.is_none() && failed < runs {
                break;
            }
        }
        let RunTally { failed, runs } = self.tally(&key);
        // Answers may have come in another order. The runs count for the observed script.
        self.tallies.insert(steps_text(&self.spec, &self.best), RunTally { failed, runs });
        Ok(failed == runs || self.test.is_some_and(|test| test.decision(failed, runs) != OddsVerdict::No))
    }

    /// Measures how often a flaky failure shows in the best script, after its racing requests are released together.
    fn measure(&mut self) -> Result<(), Halt> {
        if self.test.is_none() {
            return Ok(());
        }
        self.release_together()?;
        let best = self.best.clone();
        let key = steps_text(&self.spec, &best);
        for _ in 0..MEASURED {
            self.run(&best, &key)?;
        }
        self.expect_share();
        Ok(())
    }

    /// Treats the failure as flaky, and expects it as often as it showed in the best script.
    fn expect_share(&mut self) {
        let RunTally { failed, runs } = self.tally(&steps_text(&self.spec, &self.best));
        let share = (failed as f64 + 0.5) / (runs as f64 + 1.0);
        self.test = Some(RatioTest::for_share(share));
        self.all_simplified = false;
    }

    pub(super) fn result(self, minimal: bool, stopped: Option<SutFailure>) -> ShrunkScript {
        let script = finished(&self.spec, &self.best);
        let RunTally { failed, runs } = [&script, &self.best]
            .map(|script| self.tally(&steps_text(&self.spec, script)))
            .into_iter()
            .max_by_key(|tally| tally.runs)
            .unwrap_or_default();
        let ScriptSearch { runs: all, others, .. } = self;
        ShrunkScript { script, runs: all, fails: (failed, runs), others, minimal, stopped }
    }
}
