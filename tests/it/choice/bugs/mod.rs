//! Planted bugs of many kinds, each with the least run that shows it: what makes failing runs smaller is measured by them.

mod lists;
pub mod loops;
mod schedules;
mod stores;
mod values;

use mayhap::choice::{ChoiceError, Choices, Chooser, Coverage, Explore, Label, Random, Step, Strategy};

/// A program with a planted bug.
pub struct Bug {
    pub name: &'static str,
    pub program: fn(&mut Chooser),
    /// The picks of the least failing run in shortlex order.
    pub least: Vec<usize>,
}

/// All of them.
pub fn all() -> Vec<Bug> {
    [lists::bugs(), schedules::bugs(), stores::bugs(), values::bugs()].into_iter().flatten().collect()
}

/// Runs drawn one after the other, so that what is found first is no small one.
struct Drawn {
    random: Random,
    run: Vec<Step>,
}

/// The runs that are drawn until one fails.
const DRAWN: u64 = 200_000;

/// The first failing run that a seed leads to.
pub fn failing(program: fn(&mut Chooser), seed: u64) -> Option<Vec<Step>> {
    let drawn = Drawn { random: Random::new(seed), run: Vec::new() };
    let report = Explore::new(drawn).runs(DRAWN).until_failure().shrinking(0).run(program);
    report.failures.into_iter().next().map(|failure| failure.run)
}

impl Choices for Drawn {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let pick = self.random.branch(label, arity, weights)?;
        self.run.push(Step { label, arity, pick });
        Ok(pick)
    }
}

impl Strategy for Drawn {
    fn run(&self) -> &[Step] {
        &self.run
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        self.run.clear();
        Ok(true)
    }

    fn restart(&mut self) {
        self.run.clear();
    }

    fn is_done(&self) -> bool {
        false
    }

    fn coverage(&self) -> Coverage {
        Coverage::Sample
    }

    fn split(&mut self) -> Option<Drawn> {
        None
    }
}
