//! A look ahead of a session: a peer of the system is called, and it depends on its answer whether the client keeps its duty.
//!
//! ```text
//! on q { let a = call source, q; expects a != Some(0); reply a; }       the source must not answer 0
//! ```

use super::Session;
use super::engine::SessionEngine;
use crate::judge::Judge;
use crate::network::{NetworkChoice, Observation};
use crate::trace::TraceEvent;
use crate::value::Value;

/// The states of a session in which a peer has just been called.
pub struct CallAhead {
    judge: Judge,
    net: NetworkChoice,
    /// The number of the call.
    exchange: u64,
}

#[doc(hidden)]
impl Session {
    /// The states after these further events, the last of which is a call of a peer. `None` if they are not known.
    pub fn call_ahead(&self, events: impl IntoIterator<Item = TraceEvent<Value>>) -> Option<CallAhead> {
        let SessionEngine::Network(networked) = &self.engine else { return None };
        let (mut judge, mut numbering) = networked.ahead()?;
        let mut exchange = None;
        for event in events {
            let line = event.line;
            for observation in numbering.made(judge.spec(), event).ok()? {
                if !judge.observe_over(&*self.net.network(), line, &observation) {
                    return None;
                }
                exchange = if let Observation::Called(seen) = observation { Some(seen.exchange) } else { None };
            }
        }
        Some(CallAhead { judge, net: self.net, exchange: exchange? })
    }
}

impl CallAhead {
    /// Tests whether the client keeps its duty if the peer gives this answer, or (`None`) fails.
    #[must_use]
    pub fn keeps_duty(&self, answer: Option<&Value>) -> bool {
        self.judge.keeps_duty(&*self.net.network(), self.exchange, answer)
    }
}
