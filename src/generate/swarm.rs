//! The bounds of one run, which are drawn when it begins: its keys, its variants of requests, its number of clients, and so on.
//!
//! One run may use only `Put` and `Get` with the key "a"; the next one all variants but `Delete`, with three keys.

use std::sync::Arc;

use super::form::{FormKind, TypeForm};
use super::sources::domain::ValueSizes;
use crate::choice::{ChoiceError, Choices};
use crate::scalar::{Int, Scalar, Sort};

/// The keys of runs; most runs use the first ones.
const KEYS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// The weights of one to five keys.
const KEY_COUNTS: [u64; 5] = [6, 6, 4, 2, 1];
/// The weights of a variant that a run uses; one of them is drawn.
const VARIANT_WEIGHTS: [u64; 4] = [1, 2, 4, 8];
/// The weights of `None` and `Some` at an optional place, in runs in which each place has its own; one pair is drawn.
const OPTION_WEIGHTS: [[u64; 2]; 4] = [[1, 0], [4, 1], [1, 1], [1, 3]];
/// The weights of one or two keys in runs with long values, as these are to be read before others take their places.
const KEY_COUNTS_OF_LONG: [u64; 2] = [2, 1];
/// The factors by which a run prefers requests after which the state has more elements; one of them is drawn.
const GROWTH: [u64; 4] = [1, 4, 16, 64];
/// A run leaves out one variant in [`LEFT_OUT`], on average, if it leaves out any.
const LEFT_OUT: usize = 3;

/// The bounds of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Swarm {
    pub clients: u64,
    /// The most requests that a client has under way.
    pub depth: usize,
    /// The most requests of a client in a wave.
    pub length: usize,
    pub keys: usize,
    /// The number of the first key.
    pub first_key: usize,
    pub sizes: ValueSizes,
    /// The factor by which requests are preferred after which the state has more elements.
    pub growth: u64,
    /// The weights of the variants, by node of the form.
    pub variants: Vec<Vec<u64>>,
    /// The weights of `None` and `Some`, by node of the form, if the node is optional.
    pub options: Vec<[u64; 2]>,
}

impl Swarm {
    /// Draws the bounds of a run.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn draw(
        form: &TypeForm,
        (clients, depth, aims): (u64, usize, bool),
        choices: &mut dyn Choices,
    ) -> Result<Swarm, ChoiceError> {
        let sizes = match choices.weighted("sizes of values", &[9, 5, 3])? {
            0 => ValueSizes::Small,
            1 => ValueSizes::Any,
            _ => ValueSizes::Long,
        };
        let key_counts: &[u64] = if sizes == ValueSizes::Long { &KEY_COUNTS_OF_LONG } else { &KEY_COUNTS };
        let all = choices.choose("all clients", 3)? > 0;
        Ok(Swarm {
            clients: if all { clients } else { 1 + choices.choose("clients", clients as usize)? as u64 },
            depth: 1 + choices.choose("depth", depth.max(1))?,
            length: 1 + choices.weighted("length of waves", &[3, 3, 1])?,
            keys: 1 + choices.weighted("keys", key_counts)?,
            first_key: if choices.choose("other keys", 4)? == 0 {
                choices.choose("first key", KEYS.len())?
            } else {
                0
            },
            sizes,
            growth: if aims { GROWTH[choices.choose("growth", GROWTH.len())?] } else { 1 },
            variants: variants(form, choices)?,
            options: options(form, choices)?,
        })
    }

    /// The bounds of every run, if none are drawn: all clients, all variants alike, and a few keys.
    pub fn usual(form: &TypeForm, clients: u64, depth: usize) -> Swarm {
        let weights = |kind: &FormKind| match kind {
            FormKind::Variants(variants) => vec![1; variants.len()],
            _ => Vec::new(),
        };
        Swarm {
            clients,
            depth: depth.max(1),
            length: 2,
            keys: 3,
            first_key: 0,
            sizes: ValueSizes::Any,
            growth: GROWTH[1],
            variants: form.nodes.iter().map(|node| weights(&node.kind)).collect(),
            options: vec![[1, 1]; form.nodes.len()],
        }
    }

    /// The key with this number, as a value of a sort.
    pub fn key(&self, sort: Sort, number: usize) -> Scalar {
        let at = self.first_key + number;
        let text: Arc<str> = if at < KEYS.len() { KEYS[at].into() } else { format!("k{at}").into() };
        match sort {
            Sort::Int => Scalar::Int(Int::small(at as i64)),
            Sort::Str => Scalar::Str(text),
            Sort::Bytes => Scalar::bytes(text.as_bytes()),
            Sort::Token(_) => Scalar::token(&text),
            Sort::Bool | Sort::Client | Sort::Json => sort.simplest(),
        }
    }
}

/// Draws the weights of variants; half of the runs leave out some.
fn variants(form: &TypeForm, choices: &mut dyn Choices) -> Result<Vec<Vec<u64>>, ChoiceError> {
    let leaves_out = choices.choose("leave out variants", 2)? == 1;
    let mut all = Vec::with_capacity(form.nodes.len());
    for node in &form.nodes {
        let FormKind::Variants(variants) = &node.kind else {
            all.push(Vec::new());
            continue;
        };
        let mut weights = Vec::with_capacity(variants.len());
        for _ in variants {
            let is_out = leaves_out && choices.choose("leave out", LEFT_OUT)? == 0;
            let weight = VARIANT_WEIGHTS[choices.choose("weight", VARIANT_WEIGHTS.len())?];
            weights.push(if is_out { 0 } else { weight });
        }
        if weights.iter().all(|weight| *weight == 0) {
            weights.fill(1);
        }
        all.push(weights);
    }
    Ok(all)
}

/// Draws the weights of optional places. If there are several, each has its own weights in half of the runs.
fn options(form: &TypeForm, choices: &mut dyn Choices) -> Result<Vec<[u64; 2]>, ChoiceError> {
    let several = form.nodes.iter().filter(|node| matches!(node.kind, FormKind::Option(_))).nth(1).is_some();
    let are_alike = !several || choices.choose("optional parts alike", 2)? == 0;
    let weights = |kind: &FormKind| match kind {
        FormKind::Option(_) if !are_alike => Ok(OPTION_WEIGHTS[choices.choose("optional part", OPTION_WEIGHTS.len())?]),
        _ => Ok([1, 1]),
    };
    form.nodes.iter().map(|node| &node.kind).map(weights).collect()
}
