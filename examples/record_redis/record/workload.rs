//! What is asked of Redis: seeded random commands on a few keys.
//!
//! Values are small integers, integers near the ends of 64 bits, texts that are almost integers, and words. Times to live
//! are over at once, far away, or one second, which is then waited for.

use mayhap::choice::{ChoiceError, Choices, Random};

use super::exchange::Request;
use super::recorder::Settings;

/// What values are, besides integers that are drawn.
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
/// Times to live that no recording lives to see.
const FAR: i64 = 3600;

/// What to do next.
pub enum Step {
    /// Ask this now.
    Ask(Request),
    /// Ask this when a value whose time to live was one second is gone.
    AskLater(Request),
}

/// The source of requests.
pub struct Workload {
    choices: Random,
    keys: usize,
    /// After how many commands there is a wait, and how many waits are left.
    waits: (u64, u64),
    asked: u64,
    /// The key of a value that has just got a time to live of one second, or perhaps has no value.
    short: Option<String>,
}

impl Workload {
    /// Nothing has been asked.
    pub fn new(settings: &Settings) -> Workload {
        let every = (settings.skip + settings.requests) / (settings.waits + 1) + 1;
        Workload {
            choices: Random::new(settings.seed),
            keys: settings.keys.max(1),
            waits: (every, settings.waits),
            asked: 0,
            short: None,
        }
    }

    /// Decides what to do next.
    pub fn next_step(&mut self) -> Result<Step, ChoiceError> {
        self.asked += 1;
        if let Some(key) = self.short.take() {
            return Ok(Step::AskLater(Request::Get { key }));
        }
        if self.waits.1 > 0 && self.asked.is_multiple_of(self.waits.0) {
            self.waits.1 -= 1;
            let key = self.key()?;
            self.short = Some(key.clone());
            return Ok(Step::Ask(Request::Expire { key, seconds: 1 }));
        }
        self.request().map(Step::Ask)
    }

    fn request(&mut self) -> Result<Request, ChoiceError> {
        let key = self.key()?;
        Ok(match self.choices.choose(40)? {
            0..7 => Request::Get { key },
            7..12 => Request::Set { key, value: self.value()? },
            12 | 13 => Request::SetNx { key, value: self.value()? },
            14 | 15 => Request::GetSet { key, value: self.value()? },
            16..20 => Request::Incr { key },
            20..23 => Request::Decr { key },
            23..26 => Request::Append { key, value: self.value()? },
            26 | 27 => Request::Strlen { key },
            28 | 29 => Request::Del(self.several(key)?),
            30..32 => Request::Exists(self.several(key)?),
            32..34 => Request::Expire { key, seconds: self.seconds()? },
            34 => Request::Persist { key },
            35..38 => Request::Ttl { key },
            38 if self.choices.choose(2 * self.keys)? == 0 => Request::FlushAll,
            _ => Request::Get { key },
        })
    }

    fn key(&mut self) -> Result<String, ChoiceError> {
        Ok(format!("k{}", self.choices.choose(self.keys)?))
    }

    /// Mostly this key alone, else up to two more, which may be the same.
    fn several(&mut self, key: String) -> Result<Vec<String>, ChoiceError> {
        let mut keys = vec![key];
        for _ in 0..self.choices.choose(6)?.saturating_sub(3) {
            keys.push(self.key()?);
        }
        Ok(keys)
    }

    fn value(&mut self) -> Result<String, ChoiceError> {
        match self.choices.choose(8)? {
            0..4 => Ok(self.choices.choose(1000)?.to_string()),
            4 => Ok((i64::MAX - self.choices.choose(3)? as i64).to_string()),
            _ => Ok(TEXTS[self.choices.choose(TEXTS.len())?].to_owned()),
        }
    }

    fn seconds(&mut self) -> Result<i64, ChoiceError> {
        Ok([0, -1, FAR, FAR, FAR, 10 * FAR][self.choices.choose(6)?])
    }
}
