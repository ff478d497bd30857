//! The weights of the sources of values, adapted by what brought new branches or pairs of branches.
//!
//! A source that has brought something new in one of four requests is drawn up to four times as often as at first; one that brings
//! nothing more comes back to its first weight.

use std::fmt::Write;

use smallvec::SmallVec;

use super::form::TypeForm;
use crate::spec::{Spec, Type};

/// The sources of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueSource {
    /// The values of its type.
    Domain,
    /// The few keys of the run.
    Keys,
    /// The states that explain what was seen.
    State,
    /// The answers.
    Trace,
    /// Its parts, one by one.
    Parts,
}

/// The sources, in the order of their weights.
pub(super) const SOURCES: [ValueSource; 5] =
    [ValueSource::Domain, ValueSource::Keys, ValueSource::State, ValueSource::Trace, ValueSource::Parts];

/// The names of the sources, in the same order.
const NAMES: [&str; 5] = ["domain", "keys", "state", "trace", "parts"];
/// The weight that counts as 1.
const UNIT: u64 = 16;
/// The most that is added to it, for what brings something new each time.
const BONUS: u64 = 48;
/// As many requests that bring nothing are counted at first.
const DOUBT: u64 = 4;

/// The sources that a request was drawn from, by the number of the place.
pub(super) type SourcesTaken = SmallVec<[(u32, u32); 8]>;

/// Factors by which the weights of all sources are multiplied, as `trace=2,state=0`; they do not adapt then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceWeights([u64; 5]);

impl Default for SourceWeights {
    /// The weights stay as they are at first.
    fn default() -> SourceWeights {
        SourceWeights([1; 5])
    }
}

impl SourceWeights {
    /// The factors that a text gives.
    ///
    /// # Errors
    /// The part of it that is none.
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
}

/// The success of a source at a place.
#[derive(Clone, Copy, Default, Debug)]
struct Success {
    taken: u64,
    news: u64,
}

/// The success of all sources.
#[derive(Debug)]
pub(super) struct Learning {
    by_place: Vec<[Success; 5]>,
    frozen: Option<SourceWeights>,
}

impl Learning {
    /// Nothing was learned yet.
    pub fn new(places: usize, frozen: Option<SourceWeights>) -> Learning {
        Learning { by_place: vec![[Success::default(); 5]; places], frozen }
    }

    /// The weights of the sources of a place, whose first weights are these.
    pub fn weights(&self, place: usize, first: &[u64; 5]) -> [u64; 5] {
        if let Some(SourceWeights(factors)) = &self.frozen {
            return std::array::from_fn(|at| first[at] * factors[at]);
        }
        let factor = |Success { taken, news }: Success| UNIT + BONUS * news.min(taken + DOUBT) / (taken + DOUBT);
        std::array::from_fn(|at| first[at] * factor(self.by_place[place][at]))
    }

    /// Takes up that a request was drawn from these sources, and how much was new after it.
    pub fn learn(&mut self, taken: &SourcesTaken, news: u64) {
        for (place, source) in taken {
            let success = &mut self.by_place[*place as usize][*source as usize];
            success.taken += 1;
            success.news += news;
        }
    }

    /// The weights of the sources, added up over all places: the shares in which they are taken.
    pub fn totals(&self, first: &[[u64; 5]]) -> Vec<(&'static str, f64)> {
        let mut totals = [0.0; 5];
        for (place, first) in first.iter().enumerate() {
            let weights = self.weights(place, first);
            let all: u64 = weights.iter().sum();
            totals.iter_mut().zip(weights).for_each(|(total, weight)| *total += weight as f64 / all.max(1) as f64);
        }
        let all: f64 = totals.iter().sum();
        NAMES.iter().copied().zip(totals.map(|total| total / all.max(f64::MIN_POSITIVE))).collect()
    }

    /// The weights of each place with more than one source, a line each.
    pub fn shown(&self, spec: &Spec, form: &TypeForm, first: &[[u64; 5]]) -> String {
        let mut text = String::new();
        for (place, name) in names(spec, form).iter().enumerate() {
            let weights = self.weights(place, &first[place]);
            if weights.iter().filter(|weight| **weight > 0).count() < 2 {
                continue;
            }
            let all: u64 = weights.iter().sum();
            let shares = NAMES.iter().zip(weights).filter(|(_, weight)| *weight > 0);
            let shares: Vec<String> = shares.map(|(name, weight)| format!("{name} {} %", weight * 100 / all)).collect();
            _ = writeln!(text, "{name}: {}", shares.join(", "));
        }
        text
    }
}

/// The names of the places of a request.
fn names(spec: &Spec, form: &TypeForm) -> Vec<String> {
    let mut names = vec![String::new(); form.nodes.len()];
    names[0] = "request".to_owned();
    for node in 0..form.nodes.len() {
        let own = names[node].clone();
        for (step, part) in form.parts(node) {
            let variant = match (spec.types.get(form.nodes[node].ty), step) {
                (Type::Enum(at), Some((tag, _))) => {
                    spec.types.enums[*at as usize].variants.get(tag as usize).map(|variant| variant.name.clone())
                }
                _ => None,
            };
            let begin = match (variant, node) {
                (Some(variant), 0) => variant,
                (Some(variant), _) => format!("{own}.{variant}"),
                (None, _) => own.clone(),
            };
            names[part] = match (step, &form.nodes[part].name) {
                (Some(_), Some(name)) => format!("{begin}.{name}"),
                (Some((_, index)), None) => format!("{begin}.{index}"),
                (None, _) => begin,
            };
        }
    }
    names
}
