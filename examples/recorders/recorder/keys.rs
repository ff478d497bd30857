//! The keys of a workload: which key comes next, and when a short time to live is set and waited for.
//!
//! With 2,000 commands and one wait, about the thousandth command gives a key a time of one second, and the next one finds out
//! what has become of it.

use mayhap::choice::{ChoiceError, Choices, Random};

use super::Settings;

/// The subject of the next command.
pub enum Turn {
    /// This key gets a time of one second.
    Short(String),
    /// The time of this key must have run out.
    Over(String),
    /// Any key.
    Free,
}

/// The source of keys, and of all other choices of a workload.
pub struct Keys {
    /// The source of choices.
    pub choices: Random,
    /// The number of keys.
    pub count: usize,
    /// The number of commands before each wait, and the number of waits that are left.
    waits: (u64, u64),
    asked: u64,
    /// The key whose time runs out.
    short: Option<String>,
}

impl Keys {
    /// A source that has drawn nothing.
    pub fn new(settings: &Settings) -> Keys {
        let every = (settings.skip + settings.requests) / (settings.waits + 1) + 1;
        let choices = Random::new(settings.seed);
        Keys { choices, count: settings.keys.max(1), waits: (every, settings.waits), asked: 0, short: None }
    }

    /// The subject of the next command.
    pub fn turn(&mut self) -> Result<Turn, ChoiceError> {
        self.asked += 1;
        if let Some(key) = self.short.take() {
            return Ok(Turn::Over(key));
        }
        if self.waits.1 == 0 || !self.asked.is_multiple_of(self.waits.0) {
            return Ok(Turn::Free);
        }
        self.waits.1 -= 1;
        let key = self.draw()?;
        self.short = Some(key.clone());
        Ok(Turn::Short(key))
    }

    /// Draws a key.
    pub fn draw(&mut self) -> Result<String, ChoiceError> {
        Ok(format!("k{}", self.choices.choose("key", self.count)?))
    }

    /// The given key, and now and then up to two more keys, which may be equal.
    pub fn several(&mut self, key: String) -> Result<Vec<String>, ChoiceError> {
        let mut keys = vec![key];
        for _ in 0..self.choices.choose("keys", 6)?.saturating_sub(3) {
            keys.push(self.draw()?);
        }
        Ok(keys)
    }
}
