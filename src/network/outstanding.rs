//! The numbers of requests of a recording that are without an answer at once, which say whether a limit of a network was ever met.

use rustc_hash::FxHashMap;

use super::Observation;
use crate::process::Port;

/// The most requests of one connection that are without an answer at once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MostOutstanding {
    /// The most on one connection.
    pub each: usize,
}

impl MostOutstanding {
    /// Counts the unanswered requests in a recording, if each request has at most one answer.
    ///
    /// ```
    /// use mayhap::network::{MostOutstanding, Observation};
    /// use mayhap::process::Port;
    /// use mayhap::value::Value;
    /// let sent = |port| Observation::Request(Port(port), Value::from(0));
    /// let events = [sent(1), sent(2), Observation::Answer(Port(1), None), sent(1)];
    /// assert_eq!(MostOutstanding::of(&events), MostOutstanding { each: 1 });
    /// ```
    #[must_use]
    pub fn of<'o>(observations: impl IntoIterator<Item = &'o Observation>) -> MostOutstanding {
        let mut own: FxHashMap<Port, usize> = FxHashMap::default();
        let mut most = MostOutstanding::default();
        for observation in observations {
            match observation {
                Observation::Request(port, _) => {
                    let own = own.entry(*port).or_default();
                    *own += 1;
                    most.each = most.each.max(*own);
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
}
