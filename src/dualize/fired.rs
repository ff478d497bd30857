//! The steps that a server may have taken by itself before a request, as they are noted for a witness.

use super::candidate::Candidate;
use super::wake::Firing;

/// The steps that the server may have taken by itself before a request.
#[derive(Clone, Default, Debug)]
pub struct Before {
    /// The steps that were fired, in order.
    pub fired: Vec<Fired>,
    /// The states in which the server may have been when it took the request.
    pub states: Vec<Candidate>,
}

/// A step that was fired.
#[derive(Clone, Debug)]
pub struct Fired {
    /// The states that it was fired from.
    pub states: Vec<Candidate>,
    pub(super) firing: Firing,
}
