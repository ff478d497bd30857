//! The requests of a recording that are without an answer at once: with one on each connection, nothing is overtaken.

use rustc_hash::FxHashMap;

use super::Observation;
use crate::process::Port;

/// The most requests of one connection that are without an answer at once, if each request has at most one answer.
///
/// ```
/// use mayhap::network::{Observation, most_outstanding};
/// use mayhap::process::Port;
/// use mayhap::value::Value;
/// let sent = |port| Observation::Request(Port(port), Value::from(0));
/// let events = [sent(1), sent(2), Observation::Answer(Port(1), None), sent(1)];
/// assert_eq!(most_outstanding(&events), 1);
/// ```
#[must_use]
pub fn most_outstanding<'o>(observations: impl IntoIterator<Item = &'o Observation>) -> usize {
    let mut own: FxHashMap<Port, usize> = FxHashMap::default();
    let mut most = 0;
    for observation in observations {
        match observation {
            Observation::Request(port, _) => {
                let own = own.entry(*port).or_default();
                *own += 1;
                most = most.max(*own);
            }
            Observation::Answer(port, _) => {
                let own = own.entry(*port).or_default();
                *own = own.saturating_sub(1);
            }
            Observation::Restart => own.clear(),
            _ => {}
        }
    }
    most
}
