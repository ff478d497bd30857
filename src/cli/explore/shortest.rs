//! The shortest run to a fault: with the fewest requests, and among those with the fewest choices.
//!
//! A search through all choices in lexicographic order may meet a fault after requests that have nothing to do with it. So the
//! behaviours of 0, 1, 2 … requests are visited once more, those with fewer choices first, until one fails.

use super::is_interrupted;
use super::ran::{StuckRun, Trouble};
use super::specification::Behaviours;
use mayhap::choice::{BreadthFirst, Chooser, Explore, Failure};
use std::ops::ControlFlow;

/// The most runs that are visited for each number of requests.
const RUNS: u64 = 20_000;

/// A shorter run to the fault than the known one; `None` if there is none, or it would take too long to find.
pub fn shortest(behaviours: &Behaviours, known: &StuckRun, choices: usize) -> Option<(Failure, Trouble)> {
    let requests = known.trace.lines().count() as u64 + 1;
    (0..=requests).find_map(|requests| {
        let behaviours = behaviours.of(requests);
        let mut met = None;
        let search = Explore::new(BreadthFirst::new()).runs(RUNS).choices(choices).until_failure().shrinking(0);
        let watch = |_| if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let report = search.watched(watch).run(|c: &mut Chooser| match behaviours.run(c) {
            Ok(_) => Ok(()),
            Err(trouble) => {
                let message = trouble.to_string();
                met = Some(trouble);
                Err(message)
            }
        });
        let failure = report.failures.into_iter().next()?;
        let trouble = met.filter(|met| matches!(met, Trouble::Stopped(_)))?;
        Some((failure, trouble))
    })
}
