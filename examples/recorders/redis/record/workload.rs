//! The requests to Redis: random commands on a few keys, drawn by a seed.
//!
//! Values are small integers, integers near the limits of 64 bits, texts that are almost integers, and words. Times to live are
//! in the past, far in the future, or one second, which is then waited for.

use mayhap::choice::{ChoiceError, Choices};

use super::exchange::Request;
use crate::recorder::Settings;
use crate::recorder::keys::{Keys, Turn};

/// The values, besides drawn integers.
const TEXTS: [&str; 12] = [
    "",
    "x",
    "hello",
    "not a number",
    "007",
    "0",
    "-5",
    "12 ",
    "+3",
    "-0",
    "9223372036854775808",
    "-9223372036854775808",
];
/// A time to live in seconds that is longer than any recording.
const FAR: i64 = 3600;

/// The next step of the workload.
pub enum Step {
    /// Send this request now.
    Ask(Request),
    /// Send this request after a value with a time to live of one second has expired.
    AskLater(Request),
}

/// The source of requests.
pub struct Workload {
    keys: Keys,
}

impl Workload {
    /// A workload that has drawn nothing.
    pub fn new(settings: &Settings) -> Workload {
        Workload { keys: Keys::new(settings) }
    }

    /// Draws the next step.
    pub fn next_step(&mut self) -> Result<Step, ChoiceError> {
        Ok(match self.keys.turn()? {
            Turn::Over(key) => Step::AskLater(Request::Get { key }),
            Turn::Short(key) => Step::Ask(Request::Expire { key, seconds: 1 }),
            Turn::Free => Step::Ask(self.request()?),
        })
    }

    fn request(&mut self) -> Result<Request, ChoiceError> {
        let key = self.keys.draw()?;
        Ok(match self.keys.choices.choose("request", 40)? {
            0..7 => Request::Get { key },
            7..12 => Request::Set { key, value: self.value()? },
            12 | 13 => Request::SetNx { key, value: self.value()? },
            14 | 15 => Request::GetSet { key, value: self.value()? },
            16..20 => Request::Incr { key },
            20..23 => Request::Decr { key },
            23..26 => Request::Append { key, value: self.value()? },
            26 | 27 => Request::Strlen { key },
            28 | 29 => Request::Del(self.keys.several(key)?),
            30..32 => Request::Exists(self.keys.several(key)?),
            32..34 => Request::Expire { key, seconds: self.seconds()? },
            34 => Request::Persist { key },
            35..38 => Request::Ttl { key },
            38 if self.keys.choices.choose("flush all", 2 * self.keys.count)? == 0 => Request::FlushAll,
            _ => Request::Get { key },
        })
    }

    fn value(&mut self) -> Result<String, ChoiceError> {
        match self.keys.choices.choose("kind of value", 8)? {
            0..4 => Ok(self.keys.choices.choose("number", 1000)?.to_string()),
            4 => Ok((i64::MAX - self.keys.choices.choose("large number", 3)? as i64).to_string()),
            _ => Ok(TEXTS[self.keys.choices.choose("text", TEXTS.len())?].to_owned()),
        }
    }

    fn seconds(&mut self) -> Result<i64, ChoiceError> {
        Ok([0, -1, FAR, FAR, FAR, 10 * FAR][self.keys.choices.choose("seconds", 6)?])
    }
}
