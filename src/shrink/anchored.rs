//! References to what the server chose: for each token and each large integer in a request that an answer has shown.
//!
//! `{"modified": 1795867096}` after an answer with the date 1795867095 becomes a reference to that date, plus 1: in another run the date is
//! another one.

use rustc_hash::FxHashSet;

use crate::scalar::{Int, Scalar};
use crate::script::{PlacedReference, RecordedOutcome, Reference, ScalarPart, Script, ScriptStep, scalar_parts};
use crate::spec::Spec;

/// An integer beyond this one that is at most [`NEAR`] from one that was seen is not near it by chance. Dates are such integers.
const FAR: u64 = 100_000;
const NEAR: i64 = 2;

/// The script with a reference for each token and each large integer that an earlier answer has shown, as another run may show others; a
/// large integer may also be near one that was shown. The references lead to the answer that showed the value first. References to parts
/// without scalars are removed.
pub(super) fn anchored(spec: &Spec, script: &Script) -> Script {
    let mut shown = ShownScalars::default();
    let mut changed = script.clone();
    let (types, program) = (&spec.types, &spec.program);
    for step in &mut changed.steps {
        match step {
            ScriptStep::Await { label, seen: RecordedOutcome::Answer(answer) } => {
                for part in scalar_parts(types, program.response, answer) {
                    shown.add(*label + 1, &part);
                }
            }
            ScriptStep::Ask { request, .. } => {
                let parts = scalar_parts(types, program.request, &request.value);
                let of_parts = |placed: &PlacedReference| {
                    let mut inside = parts.iter().filter(|part| part.at.starts_with(&placed.at));
                    match (inside.next(), inside.next()) {
                        (None, _) => None,
                        (Some(part), None) if matches!(part.scalar, Scalar::Token(_)) => {
                            Some(match shown.source(part.scalar) {
                                Some(to) => PlacedReference { at: part.at.clone(), to },
                                None => placed.clone(),
                            })
                        }
                        (Some(_), _) => Some(placed.clone()),
                    }
                };
                let mut references: Vec<PlacedReference> = request.references.iter().filter_map(of_parts).collect();
                for part in &parts {
                    let is_placed = references.iter().any(|reference| part.at.starts_with(&reference.at));
                    let to = if is_placed { None } else { shown.source(part.scalar) };
                    if to.is_none() && !is_placed {
                        shown.own.insert(part.scalar.clone());
                    }
                    references.extend(to.map(|to| PlacedReference { at: part.at.clone(), to }));
                }
                request.references = references;
            }
            _ => {}
        }
    }
    changed
}

/// The scalars that answers have shown, and those that requests had before.
#[derive(Default)]
struct ShownScalars {
    shown: Vec<(Scalar, Reference)>,
    own: FxHashSet<Scalar>,
}

impl ShownScalars {
    fn add(&mut self, label: u64, part: &ScalarPart<'_>) {
        let is_new = self.shown.iter().all(|(scalar, _)| scalar != part.scalar);
        let is_chosen_by_server = match part.scalar {
            Scalar::Token(_) => true,
            Scalar::Int(int) => is_far(int) && !self.own.contains(part.scalar),
            _ => false,
        };
        if is_new && is_chosen_by_server {
            let to = Reference { label, path: part.path.clone(), via: None, plus: 0 };
            self.shown.push((part.scalar.clone(), to));
        }
    }

    /// The reference to a scalar, or from a large integer to one near it.
    fn source(&self, scalar: &Scalar) -> Option<Reference> {
        if let Some((_, to)) = self.shown.iter().find(|(own, _)| own == scalar) {
            return Some(to.clone());
        }
        let Scalar::Int(int) = scalar else { return None };
        let apart = |own: &Scalar| match own {
            Scalar::Int(own) => int.sub(own).to_i64().filter(|apart| apart.abs() <= NEAR),
            _ => None,
        };
        let near = self.shown.iter().rev().filter_map(|(own, to)| Some((apart(own)?, to)));
        near.min_by_key(|(apart, _)| apart.abs()).map(|(plus, to)| Reference { plus, ..to.clone() })
    }
}

fn is_far(int: &Int) -> bool {
    int.to_i64().is_none_or(|int| int.unsigned_abs() > FAR)
}
