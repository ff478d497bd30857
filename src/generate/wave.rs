//! The requests that are sent together: a wave. With one client a wave is mostly one request; with several, requests meet.
//!
//! A *race* is requests of several clients with one key, at least one of which changes something, released together. The wave after
//! it is a reader of that key.

use std::time::Duration;

use super::{Generator, KeptDrawing, KeptIn, WantedRequest};
use crate::choice::{ChoiceError, Choices};
use crate::script::{Plan, PlannedAsk};
use crate::value::Value;

/// The weights of waves in which clients overlap, race, and of one request alone.
const KINDS: [u64; 3] = [5, 3, 2];
/// The weights of the same if there are no races.
const KINDS_WITHOUT_RACES: [u64; 3] = [5, 0, 2];
/// Readers after a race, at most.
const READERS: usize = 2;

/// A wave that takes longer to judge is followed by smaller ones.
const SLOW: Duration = Duration::from_millis(20);
/// The fewest requests to which waves are cut: a race of two.
const FEWEST: usize = 2;

/// The most requests of a wave: as many as the judge can follow. The orders in which the server may have served overlapping requests
/// are up to exponentially many.
#[derive(Debug)]
pub(super) struct WaveRoom(usize);

impl Default for WaveRoom {
    fn default() -> WaveRoom {
        WaveRoom(usize::MAX)
    }
}

impl WaveRoom {
    fn learn(&mut self, asked: usize, took: Duration) {
        if took > SLOW {
            self.0 = (asked / 2).max(FEWEST);
        } else if asked >= self.0 {
            self.0 = self.0.saturating_add(1);
        }
    }
}

/// The progress of a run's waves.
#[derive(Debug, Default)]
pub(super) struct Waves {
    /// The key that readers are to look at next, and how many of them are left.
    readers: Option<(usize, usize)>,
    barriers: u32,
}

impl Generator {
    /// Adapts the size of later waves to the time that judging a wave of `asked` requests took. With one client the size stays as it is:
    /// one seed is one test.
    pub fn judged(&mut self, asked: usize, took: Duration) {
        if self.settings.clients > 1 {
            self.room.learn(asked, took);
        }
    }

    /// The next requests, all of which are answered before the next call. `states` are the memories of the explanations that are left,
    /// as far as they are known; the first request has the label `next`, which is odd.
    ///
    /// # Errors
    /// If the source of choices fails.
    pub fn wave(&mut self, states: &[&[Value]], next: u64, choices: &mut dyn Choices) -> Result<Plan, ChoiceError> {
        let mut planning = Planning { generator: self, states, choices, plan: Plan::default(), next };
        if let Some((key, left)) = planning.generator.waves.readers.take() {
            planning.generator.waves.readers = (left > 1).then_some((key, left - 1));
            planning.reader(key)?;
        } else if planning.generator.swarm.clients == 1 {
            planning.overlap(1)?;
        } else {
            let kinds = if planning.generator.settings.aims.races { KINDS } else { KINDS_WITHOUT_RACES };
            match planning.choices.weighted("kind of wave", &kinds)? {
                0 => planning.overlap(planning.generator.swarm.clients)?,
                1 => planning.race()?,
                _ => planning.alone()?,
            }
        }
        if planning.plan.asks.is_empty() {
            planning.any()?;
        }
        Ok(planning.plan)
    }
}

struct Planning<'p> {
    generator: &'p mut Generator,
    states: &'p [&'p [Value]],
    choices: &'p mut dyn Choices,
    plan: Plan,
    next: u64,
}

impl Planning<'_> {
    /// Each client has a few requests under way.
    fn overlap(&mut self, clients: u64) -> Result<(), ChoiceError> {
        let (length, depth) = (self.generator.swarm.length, self.generator.swarm.depth);
        // Alone, a client sends more than one request at once only if it does not wait for the answers.
        let length = if clients == 1 { length.min(depth) } else { length };
        let rounds = 1 + self.choices.choose("rounds", length)?;
        for _ in 0..rounds {
            for client in 1..=clients {
                let after = self.waits_for(client, depth);
                let is_full = self.plan.asks.len() >= self.generator.room.0;
                if is_full || !self.ask(client, None, None, after, None)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The request of a client that must be answered before its next one is sent, if at most `depth` may be under way.
    fn waits_for(&self, client: u64, depth: usize) -> Vec<u64> {
        let own = self.plan.asks.iter().rev().filter(|ask| ask.client == client);
        own.map(|ask| ask.label).nth(depth - 1).into_iter().collect()
    }

    /// Several clients ask for one key at once.
    fn race(&mut self) -> Result<(), ChoiceError> {
        let swarm = &self.generator.swarm;
        let (keys, all) = (swarm.keys, swarm.clients);
        let key = self.choices.choose("key of a race", keys)?;
        let clients = 2 + self.choices.choose("clients of a race", all as usize - 1)? as u64;
        let first = self.choices.choose("first client of a race", all as usize)? as u64;
        let writers = self.variants(false);
        self.generator.waves.barriers += 1;
        let barrier = Some(self.generator.waves.barriers);
        let same = self.choices.choose("one form", 2)? == 0;
        let one = if same { self.one_of(&writers)? } else { None };
        for number in 0..clients.min(self.generator.room.0 as u64) {
            let client = (first + number) % all + 1;
            let variant = match one {
                Some(one) => Some(one),
                None if number == 0 => self.one_of(&writers)?,
                None => None,
            };
            if !self.ask(client, variant, Some(key), Vec::new(), barrier)? {
                break;
            }
        }
        let readers = self.choices.choose("readers", READERS + 1)?;
        self.generator.waves.readers = (readers > 0).then_some((key, readers));
        Ok(())
    }

    /// One client looks at a key.
    fn reader(&mut self, key: usize) -> Result<(), ChoiceError> {
        let readers = self.variants(true);
        let variant = self.one_of(&readers)?;
        let client = 1 + self.choices.choose("client", self.generator.swarm.clients as usize)? as u64;
        self.ask(client, variant, Some(key), Vec::new(), None).map(|_| ())
    }

    fn alone(&mut self) -> Result<(), ChoiceError> {
        let client = 1 + self.choices.choose("client", self.generator.swarm.clients as usize)? as u64;
        self.ask(client, None, None, Vec::new(), None).map(|_| ())
    }

    /// Any request at all: those that the run uses may all break the client's duty now.
    fn any(&mut self) -> Result<(), ChoiceError> {
        let variants = self.generator.reads.len();
        let first = self.choices.choose("variant", variants)?;
        for number in 0..variants {
            if self.ask(1, Some((first + number) % variants), None, Vec::new(), None)? {
                break;
            }
        }
        Ok(())
    }

    /// The variants that the run uses: those that change nothing, or the others.
    fn variants(&self, reads: bool) -> Vec<usize> {
        let generator = &self.generator;
        let is_used = |tag: &usize| {
            let weights = &generator.swarm.variants[0];
            weights.get(*tag).is_none_or(|weight| reads || *weight > 0)
        };
        (0..generator.reads.len()).filter(|tag| generator.reads[*tag] == reads).filter(is_used).collect()
    }

    fn one_of(&mut self, variants: &[usize]) -> Result<Option<usize>, ChoiceError> {
        if variants.is_empty() {
            return Ok(None);
        }
        self.choices.choose("variant", variants.len()).map(|at| Some(variants[at]))
    }

    /// Adds a request to the wave; false if none was found, or if it must be the only one.
    fn ask(
        &mut self,
        client: u64,
        variant: Option<usize>,
        only_key: Option<usize>,
        after: Vec<u64>,
        barrier: Option<u32>,
    ) -> Result<bool, ChoiceError> {
        let wanted = WantedRequest { client, states: self.states, variant, only_key };
        let Some(KeptDrawing { template, kept }) = self.generator.draw(&wanted, self.choices)? else {
            return Ok(false);
        };
        let is_first = self.plan.asks.is_empty();
        if kept == KeptIn::TheseStates && !is_first {
            return Ok(false);
        }
        let label = self.next;
        self.next += 2;
        let ask = PlannedAsk { label, client, request: template, after, delay: 0.0, barrier, restart: false };
        self.plan.asks.push(ask);
        Ok(kept == KeptIn::AnyState)
    }
}
