//! The searches of one program or specification, with the strategy and the bounds in the options.
//!
//! `--sample 100` is two searches: the first visits all runs if there are few; if there are more, the second draws runs.

use super::outputs::Outputs;
use super::ran::Trouble;
use super::{ExploreSubject, Options, Order, SubjectReport, is_interrupted};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mayhap::choice::{
    BreadthFirst, Chooser, Ended, Explore, Flaky, Odometer, Replay, Report, SMALL, Sampled, Step, Strategy, counted,
    token,
};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// A subject as a function for the library. It fails if a run has no output.
type Explorable<'p> = dyn Fn(&mut Chooser) -> Result<(), String> + Sync + 'p;

/// The outputs of runs, and their troubles.
type Gatherings = (Outputs, Vec<Trouble>);

/// A subject with its name, and the options of its exploration.
#[derive(Clone, Copy)]
pub struct NamedSubject<'o, 's> {
    pub name: &'o str,
    pub subject: &'s ExploreSubject<'o>,
    pub options: &'s Options,
}

impl<'o> NamedSubject<'o, '_> {
    /// Explores the subject with the strategy in the options.
    pub fn searched(&self) -> Result<SubjectReport<'o>, token::TokenError> {
        if let Some(runs) = self.options.sample {
            return Ok(self.sampled(runs.get() as u64));
        }
        if self.options.order == Order::BreadthFirst {
            let anew = "a breadth-first search cannot be resumed, a depth-first one can";
            return Ok(self.visited(vec![BreadthFirst::new()], |_| Some(anew.to_owned())));
        }
        let resume = |saved: &String| Odometer::resume(saved, self.options.choices, |c| self.subject.run(c).map(drop));
        let resumed: Vec<Odometer> = self.options.resume.iter().map(resume).collect::<Result<_, _>>()?;
        let parts = if resumed.is_empty() { vec![Odometer::new()] } else { resumed };
        let saved =
            |parts: &[Odometer]| parts.iter().map(|part| format!(" --resume {}", part.save())).collect::<String>();
        Ok(self.visited(parts, |parts| {
            Some(saved(parts)).filter(|saved| !saved.is_empty()).map(|saved| format!("go on with{saved}"))
        }))
    }

    /// Visits the runs of several searches.
    pub fn visited<S: Strategy + Send>(
        &self,
        parts: Vec<S>,
        go_on: impl Fn(&[S]) -> Option<String>,
    ) -> SubjectReport<'o> {
        let jobs = self.options.jobs;
        let (report, seen, parts) =
            self.search(parts, |search, one| if jobs == 1 { search.run(one) } else { search.run_on(jobs, one) });
        self.found(report, seen, go_on(&parts))
    }

    /// Visits all runs if there are few, and otherwise draws this number. The runs that were visited before it was known that
    /// there are more are no sample, and are forgotten.
    pub fn sampled(&self, runs: u64) -> SubjectReport<'o> {
        let (seed, jobs) = (self.options.seed, self.options.jobs);
        let few = runs.min(SMALL).min(self.options.runs.unwrap_or(u64::MAX));
        let (report, seen, _) = self.search(vec![Odometer::new()], |search, one| search.run_if_few(few, one));
        if let Some(report) = report {
            return self.found(report, seen, Some(format!("go on with --sample {runs} --seed {seed}")));
        }
        // Even one thread draws in rounds, so that the runs drawn before a failure do not depend on the number of threads.
        let drawn = vec![Sampled::new(seed, runs)];
        let (report, seen, parts) = self.search(drawn, |search, one| search.run_on(jobs, one));
        let left: u64 = parts.iter().map(Sampled::left).sum();
        self.found(
            report,
            seen,
            Some(format!("go on with other runs: --sample {left} --seed {}", seed.wrapping_add(1))),
        )
    }

    /// Explores within the bounds in the options. Returns the report, the outputs, and the searches that are left.
    fn search<S: Strategy + Send, R>(
        &self,
        parts: Vec<S>,
        run: impl FnOnce(&mut Explore<S>, &Explorable) -> R,
    ) -> (R, Gatherings, Vec<S>) {
        let progress = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        progress.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let runs = self.options.runs.unwrap_or(u64::MAX);
        let search = Explore::of(parts).runs(runs).choices(self.options.choices).until_failure().shrinking(0);
        let mut search = search.watched(|so_far| {
            progress.set_message(format!("{}: {}", self.name, counted(so_far.runs, "run")));
            if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let seen: Mutex<Gatherings> = Mutex::default();
        let report = run(&mut search, &|c| self.one(c, &seen));
        let rest = search.into_rest();
        progress.finish_and_clear();
        (report, seen.into_inner().unwrap_or_else(PoisonError::into_inner), rest)
    }

    /// Makes one run, and notes its output or trouble.
    fn one(&self, c: &mut Chooser, seen: &Mutex<Gatherings>) -> Result<(), String> {
        let ran = self.subject.run(c);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        match ran {
            Ok(ran) => seen.0.add(ran),
            Err(Trouble::Escaped(error)) => return Err(error.to_string()),
            Err(trouble) => {
                seen.1.push(trouble.clone());
                return Err(trouble.to_string());
            }
        }
        Ok(())
    }

    /// Repeats a run that ended in trouble. Returns how it ends this time if this differs; `None` also if the repetition is
    /// interrupted. Differences in standard error do not count.
    fn flaky(&self, trouble: &Trouble, run: &[Step]) -> Option<Flaky> {
        let (again, (_, troubles), _) = self.search(vec![Replay::new(run.to_vec())], |search, one| search.run(one));
        match (again.mistake, troubles.into_iter().next()) {
            _ if again.ended == Ended::Interrupted => None,
            (Some(mistake), _) => Some(Flaky::Escaped(mistake.error)),
            (None, Some(other)) if other.is_like(trouble) => None,
            (None, Some(other)) => Some(Flaky::Failed(other.to_string())),
            (None, None) => Some(Flaky::Passed),
        }
    }

    fn found(&self, mut report: Report, (outputs, troubles): Gatherings, go_on: Option<String>) -> SubjectReport<'o> {
        let trouble = report.failures.first().and_then(|failure| {
            let is_it = |trouble: &Trouble| trouble.to_string() == failure.message;
            troubles.into_iter().find(|it| is_it(it) && it.run().is_none_or(|run| *run == failure.run))
        });
        let repeats = matches!(self.subject, ExploreSubject::Program(_)) && report.ended != Ended::Replayed;
        if let (Some(trouble), Some(failure)) = (trouble.as_ref().filter(|_| repeats), report.failures.first_mut()) {
            failure.flaky = self.flaky(trouble, &failure.run);
        }
        let (output, empty) = (self.subject.output(), self.subject.empty());
        SubjectReport { name: self.name, output, empty, report, outputs, trouble, go_on }
    }
}
