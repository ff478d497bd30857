//! The keys of a workload: which one comes next, and when a short time to live is tried and waited for.
//!
//! With 2,000 commands and one wait, about the thousandth puts a time of one second on a key, and the next one finds out
//! what became of it.

use mayhap::choice::{ChoiceError, Choices, Random};

use super::Settings;

/// What the next command is about.
pub enum Turn {
    /// This key gets a time of one second.
    Short(String),
    /// The time of this key is to be over.
    Over(String),
    /// Anything.
    Free,
}

/// The source of keys, and of all other choices of a workload.
pub struct Keys {
    /// What decides.
    pub choices: Random,
    /// How many keys there are.
    pub count: usize,
    /// After how many commands there is a wait, and how many waits are left.
    waits: (u64, u64),
    asked: u64,
    /// The key whose time runs out.
    short: Option<String>,
}

impl Keys {
    /// Nothing has been asked.
    pub fn new(settings: &Settings) -> Keys {
        let every = (settings.skip + settings.requests) / (settings.waits + 1) + 1;
        let choices = Random::new(settings.seed);
        Keys { choices, count: settings.keys.max(1), waits: (every, settings.waits), asked: 0, short: None }
    }

    /// What the next command is about.
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

    /// A key.
    pub fn draw(&mut self) -> Result<String, ChoiceError> {
        Ok(format!("k{}", self.choices.choose("key", self.count)?))
    }

    /// Mostly this key alone, else up to two more, which may be the same.
    pub fn several(&mut self, key: String) -> Result<Vec<String>, ChoiceError> {
        let mut keys = vec![key];
        for _ in 0..self.choices.choose("keys", 6)?.saturating_sub(3) {
            keys.push(self.draw()?);
        }
        Ok(keys)
    }
}
