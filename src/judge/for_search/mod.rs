//! What a search for an order asks of the judge: transitions between states, and the requests that may fail.

pub(crate) mod failures;
pub(crate) mod transitions;
