//! The sentence that says whether histories of concurrent clients can be judged key by key, and if not, why.
//!
//! A store that touches only `data[key]` can be; `total := total + 1` couples all keys.

use super::place;
use crate::spec::Spec;
use crate::spec::analysis::partition::{RequestKeys, Unpartitioned};

/// The sentence for a specification, with the line that decides it.
#[must_use]
pub fn partition(spec: &Spec) -> String {
    let (why, site) = match RequestKeys::find(&spec.program) {
        Ok(_) => return "key by key, if no client has two requests under way".to_owned(),
        Err(Unpartitioned::Step(site)) => ("the server does something by itself", site),
        Err(Unpartitioned::Initial(site)) => ("the initial state may say something of several keys together", site),
        Err(Unpartitioned::Touched(site)) => ("more is touched than what one part of the request is the key of", site),
    };
    format!("as one, not key by key: {why} {}", place(spec, site))
}
