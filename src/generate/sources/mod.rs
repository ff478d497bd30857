//! The sources of values, and the factors by which a user weighs them.

pub(crate) mod domain;
pub(crate) mod held;
pub(crate) mod seen_values;
pub(crate) mod vocabulary;
mod words;

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueSource {
    /// The values of the type.
    Domain,
    /// The few keys of the run.
    Keys,
    /// The states that explain the observations.
    State,
    /// The answers of the run.
    Trace,
    /// The parts of the value, each drawn by itself.
    Parts,
}

/// The sources, in the order of their weights.
pub(super) const SOURCES: [ValueSource; 5] =
    [ValueSource::Domain, ValueSource::Keys, ValueSource::State, ValueSource::Trace, ValueSource::Parts];

/// The names of the sources, in the same order.
const NAMES: [&str; 5] = ["domain", "keys", "state", "trace", "parts"];

/// The factors of the weights of sources, as in `trace=2,state=0`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceWeights([u64; 5]);

impl Default for SourceWeights {
    /// Leaves all weights as they are.
    fn default() -> SourceWeights {
        SourceWeights([1; 5])
    }
}

impl SourceWeights {
    /// Reads the factors from a text.
    ///
    /// # Errors
    /// The part of the text that is wrong.
    pub fn read(text: &str) -> Result<SourceWeights, String> {
        let SourceWeights(mut factors) = SourceWeights::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let read = |(name, factor): (&str, &str)| {
                let at = NAMES.iter().position(|known| *known == name.trim())?;
                Some((at, factor.trim().parse::<u64>().ok().filter(|factor| *factor <= 1_000)?))
            };
            let (at, factor) = part.split_once('=').and_then(read).ok_or_else(|| {
                format!(
                    "`{part}` is no weight of a source: expected {} and a number up to 1000, as in `trace=2`",
                    NAMES.join(", ")
                )
            })?;
            factors[at] = factor;
        }
        Ok(SourceWeights(factors))
    }

    /// Tests whether values are taken from a source.
    pub(super) fn takes(self, source: ValueSource) -> bool {
        self.0[source as usize] > 0
    }

    /// The weights of the sources at a place, from those without factors.
    pub(super) fn of(self, first: &[u64; 5]) -> [u64; 5] {
        std::array::from_fn(|at| first[at] * self.0[at])
    }
}
