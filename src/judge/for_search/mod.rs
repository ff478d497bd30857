//! The judge as a search for an order uses it: transitions between states, and the requests that may fail.

pub(crate) mod failures;
pub(crate) mod transitions;
