//! The server's own work: the `step`s of its specification, taken for real between two requests.
//!
//! `step { n := n + 1; }` is taken now and then: before each request, as often as a choice by [`RARITY`] says so.

use super::draw::Variety;
use super::{Begun, Given, Server, Stop};
use crate::choice::Choices;
use crate::spec::Site;

/// The weights of taking a step before a request, and then perhaps another one, and of taking none.
const RARITY: [u64; 2] = [1, 3];
/// No more steps than this are taken before one request; and where all choices are to be visited.
const STEPS: [usize; 2] = [16, 2];
/// A request that has no run is tried again after each of so many steps.
const WAITED: usize = 64;

impl Server {
    /// Lets the server do what it may do by itself; how often, and what, is drawn. A step that has no run is not taken.
    /// Where the specification has no `step`, nothing is drawn.
    ///
    /// # Errors
    /// Where a step is faulty, or the source of choices fails. What was taken before has happened.
    pub(super) fn idle(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let steps = self.spec.program.steps.len();
        for _ in 0..self.drawing.bound(STEPS) {
            if steps == 0 || source.weighted("a step of the server", &RARITY).map_err(Stop::Choice)? != 0 {
                return Ok(());
            }
            self.act(source)?;
        }
        Ok(())
    }

    /// Lets the server do one of the things that it may do by itself, if that has a run now.
    pub(super) fn act(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let step = source.choose("which step", self.spec.program.steps.len()).map_err(Stop::Choice)?;
        match self.step(step, source) {
            Ok(()) | Err(Stop::Stuck(_)) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    /// Returns the number of steps that a request waits for that has no run.
    pub(super) fn patience(&self) -> usize {
        match self.drawing.variety {
            Variety::Wide if !self.spec.program.steps.is_empty() => WAITED,
            Variety::Wide | Variety::Small => 0,
        }
    }

    /// Takes the step of that number, in the order of the declarations; choices are drawn. Nothing has happened where it
    /// stops.
    ///
    /// # Errors
    /// Where it has no run; where there is no such step, that is a choice that does not fit.
    pub fn step(&mut self, step: usize, source: &mut dyn Choices) -> Result<(), Stop> {
        let begun = self.begun(step)?;
        self.section(begun, source).map(drop)
    }

    /// Takes the step of that number with known choices.
    ///
    /// # Errors
    /// Where they do not fit.
    pub fn step_given(&mut self, step: usize, given: Vec<Given>) -> Result<(), Stop> {
        let begun = self.begun(step)?;
        self.begin(begun);
        self.replay(given).map(drop)
    }

    fn begun(&self, step: usize) -> Result<Begun<'static>, Stop> {
        if step < self.spec.program.steps.len() { Ok(Begun::Step(step)) } else { Err(Stop::Mismatch(Site(0))) }
    }
}
