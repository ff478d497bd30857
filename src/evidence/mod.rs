//! Why: a second pass over the same exchanges (contract, *Evidence*).
//!
//! An accepted trace has a *witness*: concrete values for every internal choice, replayed on the concrete server before it
//! is shown. A rejected one has a *reason*: the answers that, together, leave no explanation, and none of which can be
//! left out.

mod allowed;
mod describe;
mod learned;
mod reason;
mod witness;

pub use allowed::{Allowed, allowed};
pub use describe::{Fact, State};
pub use learned::{Learned, learned};
pub use reason::{Minimality, Reason, check_reason, reason};
pub use witness::{Witness, WitnessError, WitnessStep, witness};

use std::sync::Arc;

use crate::dualize::{Exchange, Judge, Observed, Options};
use crate::spec::Spec;

/// The judge after some exchanges, the answers of those that are not kept replaced by holes.
fn judged<'e>(spec: &Arc<Spec>, options: &Options, exchanges: impl Iterator<Item = (&'e Exchange, Keep)>) -> Judge {
    let mut judge = Judge::new(spec.clone(), options.clone());
    for (exchange, keep) in exchanges {
        let alive = match keep {
            Keep::Answer => judge.observe(exchange),
            Keep::Hole => judge.observe(&without_answer(exchange)),
        };
        if !alive {
            break;
        }
    }
    judge
}

/// Whether an answer is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keep {
    /// It is.
    Answer,
    /// It is replaced by a hole.
    Hole,
}

/// The exchange with its answer replaced by a hole.
fn without_answer(exchange: &Exchange) -> Exchange {
    let observed = match &exchange.observed {
        Observed::Answer(_) | Observed::Any => Observed::Any,
        Observed::Nothing => Observed::Nothing,
        Observed::Lost => Observed::Lost,
    };
    Exchange { observed, ..exchange.clone() }
}
