//! The requests to memcached, drawn by a seed, with the cas uniques that were seen.
//!
//! A third of the commands read. Data is a small number, a number near 2^64, a number with zeros or blanks around it, or no
//! number. A `cas` has the last unique that was seen for its key, an earlier one, or an invented one.

use std::collections::HashMap;

use mayhap::choice::{ChoiceError, Choices};

use super::exchange::{Answer, Request};
use crate::recorder::Settings;
use crate::recorder::keys::{Keys, Turn};

/// The number of uniques that are remembered for each key.
const REMEMBERED: usize = 3;
/// The data of items, besides drawn numbers.
const TEXTS: [&str; 12] = [
    "",
    "x",
    "hello",
    "not a number",
    "007",
    "0",
    "-5",
    "12 ",
    "10x",
    "18446744073709551615",
    "1e3",
    "99999999999999999999",
];
/// A time in seconds that is longer than any recording.
const FAR: i64 = 3600;

/// The next step of the workload.
pub enum Step {
    /// Send this request now.
    Ask(Request),
    /// Send this request after an item with a time of one second has expired.
    AskLater(Request),
}

/// The source of requests.
pub struct Workload {
    keys: Keys,
    /// The uniques that were seen for each key, the newest last.
    seen: HashMap<String, Vec<u64>>,
}

impl Workload {
    /// A workload that has seen nothing.
    pub fn new(settings: &Settings) -> Workload {
        Workload { keys: Keys::new(settings), seen: HashMap::new() }
    }

    /// Draws the next step.
    pub fn next_step(&mut self) -> Result<Step, ChoiceError> {
        Ok(match self.keys.turn()? {
            Turn::Over(key) => Step::AskLater(Request::Gets(vec![key])),
            Turn::Short(key) => Step::Ask(Request::Set { key, flags: 0, exptime: 1, data: "short".to_owned() }),
            Turn::Free => Step::Ask(self.request()?),
        })
    }

    /// Draws whether a command is sent with `noreply`; it may be if it leaves no doubt about what the key holds.
    pub fn wants_no_answer(&mut self, request: &Request) -> Result<bool, ChoiceError> {
        let plain = matches!(request, Request::Set { .. } | Request::Delete { .. } | Request::FlushAll);
        Ok(plain && self.keys.choices.choose("wants no answer", 20)? == 0)
    }

    /// Remembers the uniques in an answer.
    pub fn learn(&mut self, answer: &Answer) {
        let Answer::Values(entries) = answer else { return };
        for entry in entries {
            let Some(unique) = entry.unique else { continue };
            let seen = self.seen.entry(entry.key.clone()).or_default();
            seen.retain(|earlier| *earlier != unique);
            seen.push(unique);
            if seen.len() > REMEMBERED {
                seen.remove(0);
            }
        }
    }

    fn request(&mut self) -> Result<Request, ChoiceError> {
        let key = self.keys.draw()?;
        Ok(match self.keys.choices.choose("request", 36)? {
            0..5 => Request::Get(self.keys.several(key)?),
            5..12 => Request::Gets(self.keys.several(key)?),
            12..17 => Request::Set { key, flags: self.flags()?, exptime: self.exptime()?, data: self.data()? },
            17..19 => Request::Add { key, flags: self.flags()?, exptime: self.exptime()?, data: self.data()? },
            19..21 => Request::Replace { key, flags: self.flags()?, exptime: self.exptime()?, data: self.data()? },
            21 => Request::Append { key, data: self.data()? },
            22 => Request::Prepend { key, data: self.data()? },
            23..27 => {
                let unique = self.unique(&key)?;
                Request::Cas { key, flags: self.flags()?, exptime: self.exptime()?, data: self.data()?, unique }
            }
            27 | 28 => Request::Delete { key },
            29..32 => Request::Incr { key, delta: self.delta()? },
            32..34 => Request::Decr { key, delta: self.delta()? },
            34 => Request::Touch { key, exptime: self.exptime()? },
            _ if self.keys.choices.choose("flush all", 2 * self.keys.count)? == 0 => Request::FlushAll,
            _ => Request::Gets(vec![key]),
        })
    }

    fn data(&mut self) -> Result<String, ChoiceError> {
        match self.keys.choices.choose("kind of value", 8)? {
            0..4 => Ok(self.keys.choices.choose("number", 1000)?.to_string()),
            4 => Ok((u64::MAX - self.keys.choices.choose("large number", 10)? as u64).to_string()),
            _ => Ok(TEXTS[self.keys.choices.choose("text", TEXTS.len())?].to_owned()),
        }
    }

    fn flags(&mut self) -> Result<u32, ChoiceError> {
        Ok([0, 0, 0, 1, 7, u32::MAX][self.keys.choices.choose("flags", 6)?])
    }

    /// An expiry time: mostly none, and now and then one in the past or far in the future.
    fn exptime(&mut self) -> Result<i64, ChoiceError> {
        Ok(match self.keys.choices.choose("expiry", 40)? {
            0 => -1,
            1 => FAR,
            _ => 0,
        })
    }

    fn delta(&mut self) -> Result<i128, ChoiceError> {
        Ok(match self.keys.choices.choose("kind of delta", 40)? {
            0 => -1,
            1 => 1 << 64,
            2..6 => i128::from(u64::MAX) - self.keys.choices.choose("large delta", 10)? as i128,
            6..16 => self.keys.choices.choose("middling delta", 1000)? as i128,
            _ => self.keys.choices.choose("small delta", 10)? as i128,
        })
    }

    fn unique(&mut self, key: &str) -> Result<u64, ChoiceError> {
        let choice = self.keys.choices.choose("kind of unique", 8)?;
        let seen = self.seen.get(key).map_or(&[][..], Vec::as_slice);
        match (choice, seen) {
            (0, _) | (_, []) => Ok(self.keys.choices.choose("unique", 100_000)? as u64 + 1),
            (1, seen) => Ok(seen[self.keys.choices.choose("seen unique", seen.len())?]),
            (_, [.., newest]) => Ok(*newest),
        }
    }
}
