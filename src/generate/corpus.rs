//! The corpus: short scripts that reach each branch of a specification, found with the specification itself as the server.
//!
//! Requests are generated until no more branches are reached. A script that reaches a new branch is made shorter: halves of its
//! requests, then single ones are left out, as long as one of a few runs still reaches the branch.

use std::sync::Arc;

use super::{GenerateSettings, Generator};
use crate::choice::{ChoiceError, Choices};
use crate::coverage::{CoverageNews, SpecCoverage, noted};
use crate::limits::end;
use crate::script::{MessageKind, Messages, RecordedOutcome, RequestTemplate, Script, ScriptHeader, ScriptStep};
use crate::server::{Ranges, Reply, Server};
use crate::spec::Spec;

/// The number of requests in one run.
const RUN: usize = 40;
/// The most runs that try to reach a branch, as each run draws other choices.
const TRIES: usize = 3;
/// The number of runs in a row without a new branch after which the search ends.
const IN_VAIN: usize = 10;

/// Finds scripts that reach each branch of a specification, the shortest first, with a limit on the requests that are served.
///
/// # Errors
/// The source of choices fails.
pub fn corpus(spec: &Arc<Spec>, requests: usize, choices: &mut dyn Choices) -> Result<Vec<Script>, ChoiceError> {
    let coverage = SpecCoverage::new(spec);
    let Some((noting, slot)) = coverage.noting().map(|(noting, slot)| (noting.clone(), slot)) else {
        return Ok(Vec::new());
    };
    let search = CorpusSearch { spec: noting, slot, coverage, left: requests, scripts: Vec::new() };
    let mut scripts = search.run(choices)?;
    scripts.sort_by_key(|script| script.steps.len());
    Ok(scripts)
}

/// A request of a script, with its outcome.
#[derive(Clone)]
struct CorpusStep {
    label: u64,
    request: RequestTemplate,
    reply: Reply,
}

struct CorpusSearch {
    spec: Arc<Spec>,
    slot: usize,
    coverage: SpecCoverage,
    /// The number of requests that may still be served.
    left: usize,
    scripts: Vec<Script>,
}

impl CorpusSearch {
    fn run(mut self, choices: &mut dyn Choices) -> Result<Vec<Script>, ChoiceError> {
        let mut generator = Generator::new(&self.spec, GenerateSettings::default());
        let mut in_vain = 0;
        while self.left > 0 && in_vain < IN_VAIN && !end::is_over() && self.coverage.never().next().is_some() {
            let before = self.coverage.covered();
            self.one_run(&mut generator, choices)?;
            in_vain = if self.coverage.covered() > before { 0 } else { in_vain + 1 };
        }
        Ok(self.scripts)
    }

    fn one_run(&mut self, generator: &mut Generator, choices: &mut dyn Choices) -> Result<(), ChoiceError> {
        let Ok(mut server) = Server::new(self.spec.clone(), Ranges::default(), choices) else { return Ok(()) };
        generator.begin_run(choices)?;
        let mut steps: Vec<CorpusStep> = Vec::new();
        while steps.len() < RUN && self.left > 0 && !end::is_over() {
            let label = 2 * steps.len() as u64 + 1;
            let plan = generator.wave(&[server.state()], label, choices)?;
            let Some(ask) = plan.asks.into_iter().next() else { return Ok(()) };
            let request = ask.request;
            generator.sent(&request.value);
            self.left -= 1;
            let Ok(reply) = server.handle(&request.value, 1, choices) else { return Ok(()) };
            if let Reply::Answer(answer) = &reply {
                generator.answered(label, answer);
            }
            steps.push(CorpusStep { label, request, reply });
            let taken = noted(server.state(), self.slot);
            if let Some(new) = taken.iter().find(|branch| self.coverage.branches()[**branch].taken == 0) {
                self.found(&steps, *new, choices)?;
            }
        }
        Ok(())
    }

    /// Adds a script to the corpus, as these steps reach a new branch.
    fn found(&mut self, steps: &[CorpusStep], branch: usize, choices: &mut dyn Choices) -> Result<(), ChoiceError> {
        let (steps, taken) = self.shortened(steps.to_vec(), branch, choices)?;
        let mut news = CoverageNews::default();
        for branches in taken {
            self.coverage.take(0, &branches, None, &mut news);
        }
        // The branch counts as taken, even if this run did not reach it.
        if self.coverage.branches()[branch].taken == 0 {
            self.coverage.take(0, &[branch], None, &mut news);
        }
        self.scripts.push(self.script(steps));
        Ok(())
    }

    /// Leaves out steps without which the branch is still reached. Returns the steps, and the branches that each of them takes.
    fn shortened(
        &mut self,
        mut steps: Vec<CorpusStep>,
        branch: usize,
        choices: &mut dyn Choices,
    ) -> Result<(Vec<CorpusStep>, Vec<Vec<usize>>), ChoiceError> {
        let mut taken = Vec::new();
        let mut size = steps.len() / 2;
        while size > 0 {
            let mut end = steps.len().saturating_sub(1);
            while end > 0 && !end::is_over() {
                let begin = end.saturating_sub(size);
                let kept: Vec<CorpusStep> = [&steps[..begin], &steps[end..]].concat();
                if let Some((shorter, branches)) = self.again(&kept, branch, choices)? {
                    (steps, taken) = (shorter, branches);
                }
                end = begin;
            }
            size /= 2;
        }
        Ok((steps, taken))
    }

    /// Runs steps again until the last one reaches the branch. Returns the steps as they were in this run, and the branches that
    /// each took.
    #[allow(clippy::type_complexity, reason = "a pair of what is told of each step")]
    fn again(
        &mut self,
        steps: &[CorpusStep],
        branch: usize,
        choices: &mut dyn Choices,
    ) -> Result<Option<(Vec<CorpusStep>, Vec<Vec<usize>>)>, ChoiceError> {
        for _ in 0..TRIES {
            let Ok(mut server) = Server::new(self.spec.clone(), Ranges::default(), choices) else { return Ok(None) };
            let (mut messages, mut again, mut taken) = (Messages::new(&self.spec), Vec::new(), Vec::new());
            for step in steps {
                let value = step.request.instantiate(&messages);
                let Ok(reply) = server.handle(&value, 1, choices) else { break };
                messages.push(step.label, MessageKind::Request, value.clone());
                if let Reply::Answer(answer) = &reply {
                    messages.push(step.label + 1, MessageKind::Response, answer.clone());
                }
                let request = step.request.sent_as(&self.spec.types, self.spec.program.request, value);
                again.push(CorpusStep { label: step.label, request, reply });
                taken.push(noted(server.state(), self.slot));
            }
            if again.len() == steps.len() && taken.last().is_some_and(|last| last.contains(&branch)) {
                return Ok(Some((again, taken)));
            }
        }
        Ok(None)
    }

    /// The script of these steps, with the labels 1, 3, 5, …; a reference to a message that was left out becomes a plain value.
    fn script(&self, mut steps: Vec<CorpusStep>) -> Script {
        let labels: Vec<u64> = steps.iter().map(|step| step.label).collect();
        let moved = |label: u64| labels.iter().position(|own| *own + 1 == label);
        let mut observed = Vec::new();
        for (at, step) in steps.iter_mut().enumerate() {
            let label = 2 * at as u64 + 1;
            let CorpusStep { request, reply, .. } = step;
            request.references.retain_mut(|placed| {
                let new = moved(placed.to.label);
                new.into_iter().for_each(|new| placed.to.label = 2 * new as u64 + 2);
                new.is_some()
            });
            observed.push(ScriptStep::Ask { label, client: 1, request: request.clone() });
            let seen = match reply {
                Reply::Answer(answer) => RecordedOutcome::Answer(answer.clone()),
                Reply::Nothing => RecordedOutcome::Nothing,
            };
            observed.push(ScriptStep::Await { label, seen });
        }
        Script::of_run(ScriptHeader { spec: self.spec.program.name.clone(), ..ScriptHeader::default() }, observed)
    }
}
