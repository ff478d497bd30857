//! The evidence for a verdict, from a second pass over the same exchanges.
//!
//! An accepted trace has a *witness*: concrete values for every internal choice, replayed on the concrete server before it is
//! shown. A rejected trace has a *reason*: a minimal set of answers that nothing explains together. A recording of concurrent
//! clients has the order in which their requests were served, or the *conflict* of their answers.

mod allowed;
mod change;
mod conflict;
mod describe;
mod example;
mod learned;
mod narrowing;
mod networked;
mod reason;
mod value_reason;
mod why;
mod witness;

pub use allowed::{Possibility, allowed};
pub(crate) use change::path as cell_path;
pub use conflict::{AnswerConflict, OtherAnswers, check_conflict, conflict};
pub use describe::{Fact, KnownState};
pub use example::example;
pub use learned::{Contribution, Learned, StateClaim};
pub use networked::network_witness::{
    NetworkRecording, NetworkWitness, PendingPart, SectionWork, WitnessCall, WitnessEnd, WitnessMessage, WitnessSection,
};
pub use networked::witness_of_recording;
pub use reason::{Budget, Cause, Minimality, Reason, Rechecked, check_reason, reason};
pub use value_reason::{AnswerValues, answer_values, check_values};
pub use why::{WhyRejected, why};
pub use witness::backward::witness_in_segments;
pub use witness::find::{witness, witness_in_parts};
pub use witness::forward::witness_forwards;
pub use witness::scheduled::witness_of_order;
pub use witness::{Initial, Segment, Witness, WitnessError, WitnessOwn, WitnessStep};
