//! The requests of a recording that are without an answer at the same time, which say whether a limit of a network was ever met.

use rustc_hash::FxHashMap;

use super::Observation;
use crate::process::Port;

/// The most requests that are without an answer at once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MostOutstanding {
    /// Those of one connection.
    pub each: usize,
    /// The most on all connections together; requests that were given up count up to the next restart.
    pub all: usize,
}

impl MostOutstanding {
    /// Counts them in a recording, if each request has one answer at most.
    ///
    /// ```
    /// use mayhap::network::{MostOutstanding, Observation};
    /// use mayhap::process::Port;
    /// use mayhap::value::Value;
    /// let sent = |port| Observation::Request(Port(port), Value::from(0));
    /// let events = [sent(1), sent(2), Observation::Answer(Port(1), None), sent(1)];
    /// assert_eq!(MostOutstanding::of(&events), MostOutstanding { each: 1, all: 2 });
    /// ```
    #[must_use]
    pub fn of<'o>(observations: impl IntoIterator<Item = &'o Observation>) -> MostOutstanding {
        let (mut own, mut all): (FxHashMap<Port, usize>, usize) = (FxHashMap::default(), 0);
        let mut most = MostOutstanding::default();
        for observation in observations {
            match observation {
                Observation::Request(port, _) => {
                    let own = own.entry(*port).or_default();
                    (*own, all) = (*own + 1, all + 1);
                    most = MostOutstanding { each: most.each.max(*own), all: most.all.max(all) };
                }
                Observation::Answer(port, _) => {
                    let own = own.entry(*port).or_default();
                    let answered = usize::from(*own > 0);
                    (*own, all) = (*own - answered, all - answered);
                }
                Observation::Restart => {
                    own.clear();
                    all = 0;
                }
                _ => {}
            }
        }
        most
    }
}
