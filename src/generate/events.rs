//! The events of a run besides its requests: time that passes, connections that clients end, and kills of the system. They are drawn
//! here.
//!
//! ```text
//! a wait:           … Get a   2.1 s pass   Put b …
//! a key that ages:  … Put a   1.2 s pass   Put a   1.2 s pass   Get a …       of two seconds only the second Put knows how many are left
//!                   … Put a   1.2 s pass   Get a   1.2 s pass   Get a …
//! ```

use std::collections::VecDeque;

use crate::choice::{ChoiceError, Choices};
use crate::script::Plan;

/// A wait of one second begins at one wave in this number, on average; a shorter one begins more often, and a longer one less often.
const WAVES_APART: f64 = 150.0;
/// The fewest and the most such waves.
const FEWEST_APART: f64 = 20.0;
const MOST_APART: f64 = 250.0;
/// One wait in this number is a single one; the others come in pairs.
const SINGLE: usize = 3;
/// The factors of a wait that is a little too short, and of one that is a little longer than needed.
const UNDER: f64 = 0.95;
const OVER: f64 = 1.05;
/// The factor of each of two waits that are long enough together.
const PART: f64 = 0.6;
/// Clients end their connections in one run of this number.
const RUNS_WITH_CLOSES: usize = 2;
/// In such a run, a client ends its connection before one request of this number, on average.
const CLOSES_APART: usize = 40;

/// The events that runs may have.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EventSettings {
    /// The share of requests before which the system is killed and started again.
    pub crash: f64,
    /// The waits before some of the requests, in seconds.
    pub waits: Vec<f64>,
    /// The number of clients.
    pub clients: u64,
}

/// The events of the runs of a campaign.
pub struct RunEvents {
    settings: EventSettings,
    /// The waits of the next waves, in seconds, if these are drawn.
    waits: VecDeque<f64>,
    /// Set if clients end their connections in this run.
    closes: bool,
}

impl RunEvents {
    /// No events yet.
    #[must_use]
    pub fn new(settings: EventSettings) -> RunEvents {
        RunEvents { settings, waits: VecDeque::new(), closes: false }
    }

    /// Begins a run. `can_leave` is set if clients can end their connections.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn begin_run(&mut self, can_leave: bool, choices: &mut dyn Choices) -> Result<(), ChoiceError> {
        self.waits.clear();
        self.closes = can_leave && choices.choose("run with closes", RUNS_WITH_CLOSES)? == 0;
        Ok(())
    }

    /// Draws whether a wait begins at the next wave, if none is under way. Returns whether a key is to age in the next waves: it is written,
    /// written again or read after a first wait, and read after a second one. Each of the two is too short, and both together are long enough.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn begin_wait(&mut self, may_age: bool, choices: &mut dyn Choices) -> Result<bool, ChoiceError> {
        let waits = &self.settings.waits;
        if waits.is_empty() || self.is_waiting() {
            return Ok(false);
        }
        let wait = waits[choices.choose("seconds", waits.len())?];
        let apart = (WAVES_APART * wait).clamp(FEWEST_APART, MOST_APART);
        if choices.choose("wait", apart as usize)? > 0 {
            return Ok(false);
        }
        let ages = may_age && choices.choose("single wait", SINGLE)? > 0;
        if ages {
            self.waits.extend([0.0, PART * wait, PART * wait]);
        } else {
            self.waits.push_back(wait * [UNDER, OVER][choices.choose("under or over", 2)?]);
        }
        Ok(ages)
    }

    /// Tests whether some of the next waves wait.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.waits.is_empty()
    }

    /// The plan of the next wave with the events around its requests.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn around(&mut self, plan: Plan, choices: &mut dyn Choices) -> Result<Plan, ChoiceError> {
        let plan = self.with_crashes(plan, choices)?;
        let plan = self.with_closes(plan, choices)?;
        self.with_wait(plan, choices)
    }

    /// The plan, with the system killed before some of its requests.
    fn with_crashes(&self, mut plan: Plan, choices: &mut dyn Choices) -> Result<Plan, ChoiceError> {
        const PARTS: usize = 1_000_000;
        if self.settings.crash > 0.0 {
            for ask in &mut plan.asks {
                let drawn = choices.choose("crash", PARTS)?;
                ask.restart = (drawn as f64) < self.settings.crash * PARTS as f64;
            }
        }
        Ok(plan)
    }

    /// The plan, with connections that end before some of its requests. Requests at a barrier are released at once, so nothing comes
    /// before them.
    fn with_closes(&self, mut plan: Plan, choices: &mut dyn Choices) -> Result<Plan, ChoiceError> {
        if self.closes {
            for ask in plan.asks.iter_mut().filter(|ask| ask.barrier.is_none()) {
                if choices.choose("close", CLOSES_APART)? == 0 {
                    ask.closes.push(1 + choices.choose("client", self.settings.clients.max(1) as usize)? as u64);
                }
            }
        }
        Ok(plan)
    }

    /// The plan, with the wait of this wave before one of its requests. If it is not the first one, others may be under way meanwhile.
    fn with_wait(&mut self, mut plan: Plan, choices: &mut dyn Choices) -> Result<Plan, ChoiceError> {
        let mut free: Vec<_> = plan.asks.iter_mut().filter(|ask| ask.barrier.is_none()).collect();
        if free.is_empty() || self.waits.is_empty() {
            return Ok(plan);
        }
        let at = if free.len() > 1 { choices.choose("request after the wait", free.len())? } else { 0 };
        free[at].delay = self.waits.pop_front().unwrap_or_default();
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::Random;
    use crate::script::RequestTemplate;
    use crate::value::Value;

    const WAIT: f64 = 2.0;

    fn plan(requests: u64) -> Plan {
        let asks = (0..requests).flat_map(|at| {
            let request = RequestTemplate::plain(Value::from(true));
            Plan::of_one(2 * at + 1, at + 1, request).asks
        });
        Plan { asks: asks.collect(), ..Plan::default() }
    }

    fn events() -> RunEvents {
        RunEvents::new(EventSettings { waits: vec![WAIT], clients: 3, ..EventSettings::default() })
    }

    #[test]
    fn waits_of_two_seconds_take_little_more_time_than_one_wave_in_three_hundred() {
        const WAVES: usize = 200_000;
        let (mut events, mut choices) = (events(), Random::new(1));
        let (mut waited, mut pairs) = (0.0, 0);
        for _ in 0..WAVES {
            pairs += u32::from(events.begin_wait(true, &mut choices).unwrap());
            waited += events.around(plan(1), &mut choices).unwrap().asks[0].delay;
        }
        let usual = WAVES as f64 / 300.0 * WAIT;
        assert!(waited > usual && waited < 1.5 * usual, "{waited} s, not {usual} s");
        assert!(pairs > 150, "{pairs} of {WAVES} waves");
    }

    #[test]
    fn the_two_waits_of_a_pair_come_before_the_second_and_the_third_wave() {
        let (mut events, mut choices) = (events(), Random::new(1));
        while !events.begin_wait(true, &mut choices).unwrap() {
            events.begin_run(false, &mut choices).unwrap();
        }
        let mut delays = Vec::new();
        while events.is_waiting() {
            // Requests that are released at once are not waited for.
            let mut race = plan(2);
            race.asks.iter_mut().for_each(|ask| ask.barrier = Some(1));
            assert_eq!(events.around(race.clone(), &mut choices).unwrap(), race);
            delays.push(events.around(plan(1), &mut choices).unwrap().asks[0].delay);
        }
        assert_eq!(delays, [0.0, PART * WAIT, PART * WAIT]);
    }

    #[test]
    fn a_wait_may_come_while_other_requests_are_under_way() {
        let (mut events, mut choices) = (events(), Random::new(1));
        let mut places = [0; 3];
        while places.contains(&0) {
            while !events.is_waiting() {
                events.begin_wait(false, &mut choices).unwrap();
            }
            let waits = events.around(plan(3), &mut choices).unwrap().asks;
            places[waits.iter().position(|ask| ask.delay > 0.0).unwrap()] += 1;
        }
    }

    #[test]
    fn connections_end_only_where_clients_can_end_them() {
        let (mut events, mut choices) = (events(), Random::new(1));
        for can_leave in [false, true] {
            let mut closes = 0;
            for _ in 0..200 {
                events.begin_run(can_leave, &mut choices).unwrap();
                for _ in 0..50 {
                    let plan = events.around(plan(1), &mut choices).unwrap();
                    assert!(plan.asks[0].closes.iter().all(|client| (1..=3).contains(client)));
                    closes += plan.asks[0].closes.len();
                }
            }
            let expected = if can_leave { 60..250 } else { 0..1 };
            assert!(expected.contains(&closes), "{closes}");
        }
    }
}
