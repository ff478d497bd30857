//! The requests that are sent together: a wave. With one client a wave is mostly one request; with several clients, requests
//! overlap.
//!
//! A *race* is a wave of requests of several clients with one key, released at once. At least one of them changes something. One or
//! two waves after it read the same key.

use std::collections::VecDeque;
use std::time::Duration;

use super::aim::OutcomeAim;
use super::{Generator, InStates, KeptDrawing, KeptIn, KnownServer, WantedRequest};
use crate::choice::{ChoiceError, Choices};
use crate::script::{Plan, PlannedAsk};
use crate::value::Value;

/// The weights of the kinds of waves: clients overlap, clients race, and one request alone.
const KINDS: [u64; 3] = [5, 3, 2];
/// The weights of the kinds of waves without races.
const KINDS_WITHOUT_RACES: [u64; 3] = [5, 0, 2];
/// The most waves that read the key after a race.
const READERS: usize = 2;

/// The time for judging a wave beyond which later waves are smaller.
const SLOW: Duration = Duration::from_millis(20);
/// The fewest requests that a smaller wave keeps: two are enough for a race.
const FEWEST: usize = 2;
/// The most requests of the first wave.
const FIRST: usize = 4;

/// The most requests in a wave, which is the number that the judge can follow. The number of orders of overlapping requests may
/// be exponential, so waves begin small, and never again get as large as one that was too hard to judge event by event.
#[derive(Debug)]
pub(super) struct WaveRoom {
    now: usize,
    most: usize,
}

impl Default for WaveRoom {
    fn default() -> WaveRoom {
        WaveRoom { now: FIRST, most: usize::MAX }
    }
}

impl WaveRoom {
    fn learn(&mut self, asked: usize, took: Duration, is_decided: bool) {
        if !is_decided {
            self.most = self.most.min(asked.saturating_sub(1)).max(FEWEST);
        }
        if took > SLOW || !is_decided {
            self.now = (asked / 2).max(FEWEST);
        } else if asked >= self.now {
            self.now = self.now.saturating_add(1).min(self.most);
        }
    }
}

/// The progress of the waves in a run.
#[derive(Debug, Default)]
pub(super) struct Waves {
    /// The next waves, if they are about one key.
    coming: VecDeque<KeyWave>,
    barriers: u32,
}

/// A wave of one request with a key.
#[derive(Clone, Copy, Debug)]
struct KeyWave {
    key: usize,
    use_of_key: UseOfKey,
}

/// The use that a request makes of a key.
#[derive(Clone, Copy, Debug)]
enum UseOfKey {
    /// The request changes nothing.
    Reads,
    /// The request may change something; its variant, if that is known.
    Writes(Option<usize>),
}

impl Generator {
    /// Adapts the size of later waves to the time that judging a wave of `asked` requests took, and to whether it was decided. With one
    /// client the size is fixed, so that one seed always gives the same test.
    pub fn judged(&mut self, asked: usize, took: Duration, is_decided: bool) {
        if self.settings.clients > 1 {
            self.room.learn(asked, took, is_decided);
        }
    }

    /// Makes the next waves write a key, mostly write it again, and read it, so that time can pass between them.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn age(&mut self, choices: &mut dyn Choices) -> Result<(), ChoiceError> {
        let key = choices.choose("key that ages", self.swarm.keys)?;
        let second = if choices.choose("read first", 5)? == 0 { UseOfKey::Reads } else { UseOfKey::Writes(None) };
        let uses = [UseOfKey::Writes(None), second, UseOfKey::Reads];
        self.waves.coming = uses.into_iter().map(|use_of_key| KeyWave { key, use_of_key }).collect();
        Ok(())
    }

    /// Tests whether requests of a variant are drawn at all, as the specification does not give it the weight 0.
    #[must_use]
    pub fn draws(&self, variant: usize) -> bool {
        self.form.draws(variant)
    }

    /// Tests whether the specification lets a request be drawn.
    #[must_use]
    pub fn allows(&self, request: &Value) -> bool {
        self.form.allows(0, request)
    }

    /// Makes the next requests for a server that is in one of these states.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn wave(&mut self, states: &[&[Value]], next: u64, choices: &mut dyn Choices) -> Result<Plan, ChoiceError> {
        self.wave_for(&InStates(states), next, choices)
    }

    /// Makes the next requests, which must all end before the next call. The first request has the label `next`, which is odd.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn wave_for(
        &mut self,
        server: &dyn KnownServer,
        next: u64,
        choices: &mut dyn Choices,
    ) -> Result<Plan, ChoiceError> {
        self.outcomes.iter_mut().for_each(OutcomeAim::begin_wave);
        let mut planning = Planning { generator: self, server, choices, plan: Plan::default(), next };
        if let Some(coming) = planning.generator.waves.coming.pop_front() {
            planning.of_key(coming)?;
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
    server: &'p dyn KnownServer,
    choices: &'p mut dyn Choices,
    plan: Plan,
    next: u64,
}

impl Planning<'_> {
    /// Adds a few requests of each client.
    fn overlap(&mut self, clients: u64) -> Result<(), ChoiceError> {
        let (length, depth) = (self.generator.swarm.length, self.generator.swarm.depth);
        // A single client sends several requests in a wave only if it may have them under way together.
        let length = if clients == 1 { length.min(depth) } else { length };
        let rounds = 1 + self.choices.choose("rounds", length)?;
        let room = if clients == 1 { usize::MAX } else { self.generator.room.now };
        // If there is no room for all clients, each has its turn to be among the first.
        let is_narrow = room < clients as usize;
        let first = if is_narrow { self.choices.choose("first client", clients as usize)? as u64 } else { 0 };
        for _ in 0..rounds {
            for number in 0..clients {
                let client = (first + number) % clients + 1;
                let after = self.waits_for(client, depth);
                let is_full = self.plan.asks.len() >= room;
                if is_full || !self.ask(client, &[], None, after, None)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The request of a client that must be answered before its next one, so that at most `depth` are under way.
    fn waits_for(&self, client: u64, depth: usize) -> Vec<u64> {
        let own = self.plan.asks.iter().rev().filter(|ask| ask.client == client);
        own.map(|ask| ask.label).nth(depth - 1).into_iter().collect()
    }

    /// Adds requests of several clients with one key, which are released at once.
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
        let mut variants = writers;
        for number in 0..clients.min(self.generator.room.now as u64) {
            let client = (first + number) % all + 1;
            if !self.ask(client, &variants, Some(key), Vec::new(), barrier)? {
                break;
            }
            variants = self.last_variant().filter(|_| same).into_iter().collect();
        }
        let readers = self.choices.choose("readers", READERS + 1)?;
        let reader = KeyWave { key, use_of_key: UseOfKey::Reads };
        self.generator.waves.coming = vec![reader; readers].into();
        Ok(())
    }

    /// Adds a request that uses a key. If the key is written twice, both requests are of one variant half of the time.
    fn of_key(&mut self, KeyWave { key, use_of_key }: KeyWave) -> Result<(), ChoiceError> {
        let variants = match use_of_key {
            UseOfKey::Writes(Some(variant)) => vec![variant],
            use_of_key => self.variants(matches!(use_of_key, UseOfKey::Reads)),
        };
        let client = 1 + self.choices.choose("client", self.generator.swarm.clients as usize)? as u64;
        self.ask(client, &variants, Some(key), Vec::new(), None)?;
        let is_same = self.choices.choose("same form", 2)? == 0;
        let variant = self.last_variant().filter(|_| is_same);
        for coming in &mut self.generator.waves.coming {
            if let UseOfKey::Writes(same) = &mut coming.use_of_key {
                *same = variant;
            }
        }
        Ok(())
    }

    /// The variant of the last request of this wave.
    fn last_variant(&self) -> Option<usize> {
        self.plan.asks.last().map(|ask| ask.request.value.variant() as usize)
    }

    fn alone(&mut self) -> Result<(), ChoiceError> {
        let client = 1 + self.choices.choose("client", self.generator.swarm.clients as usize)? as u64;
        self.ask(client, &[], None, Vec::new(), None).map(|_| ())
    }

    /// Adds a request of any variant, as all requests that the run uses may break the client's duty now.
    fn any(&mut self) -> Result<(), ChoiceError> {
        let variants = self.generator.reads.len();
        let first = self.choices.choose("variant", variants)?;
        for number in 0..variants {
            if self.ask(1, &[(first + number) % variants], None, Vec::new(), None)? {
                break;
            }
        }
        Ok(())
    }

    /// The variants that change nothing, or the other variants that the run uses.
    fn variants(&self, reads: bool) -> Vec<usize> {
        let generator = &self.generator;
        let is_used = |tag: &usize| {
            if !generator.draws(*tag) {
                return false;
            }
            let weights = &generator.swarm.variants[0];
            weights.get(*tag).is_none_or(|weight| reads || *weight > 0)
        };
        (0..generator.reads.len()).filter(|tag| generator.reads[*tag] == reads).filter(is_used).collect()
    }

    /// Adds a request to the wave. Returns false if none was found, or if no other request may follow it.
    fn ask(
        &mut self,
        client: u64,
        variants: &[usize],
        only_key: Option<usize>,
        after: Vec<u64>,
        barrier: Option<u32>,
    ) -> Result<bool, ChoiceError> {
        let wanted = WantedRequest { client, server: self.server, variants, only_key };
        let Some(KeptDrawing { template, kept }) = self.generator.draw(&wanted, self.choices)? else {
            return Ok(false);
        };
        let is_first = self.plan.asks.is_empty();
        if kept == KeptIn::TheseStates && !is_first {
            return Ok(false);
        }
        let label = self.next;
        self.next += 2;
        let ask = PlannedAsk { after, barrier, ..PlannedAsk::new(label, client, template) };
        self.plan.asks.push(ask);
        Ok(kept == KeptIn::AnyState)
    }
}
