//! The synchronous network: one request at a time, and no other one before its answer is seen. Internal steps happen before the task of
//! the request begins.

use super::{Network, Observation, ServerMove};
use crate::process::Situation;

/// One request after the other.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sync;

impl Network for Sync {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        let Situation { arrived, suspended, sent, .. } = situation;
        let is_served = arrived.is_empty() && suspended.is_empty();
        match observation {
            Observation::Request(..) | Observation::End => is_served && sent.is_empty(),
            Observation::Answer(port, _) => is_served && sent == &[*port],
            Observation::Lost(_) | Observation::Closed(_) | Observation::Noticed(_) => false,
            Observation::Called(_) | Observation::CallLost(_) => false,
            Observation::CallAnswered(..) | Observation::AnswerSent(..) => false,
            Observation::Restart => true,
        }
    }

    fn moves(&self, situation: &Situation, observation: &Observation) -> Vec<ServerMove> {
        match situation {
            Situation { suspended, .. } if !suspended.is_empty() => vec![ServerMove::Resume(0)],
            Situation { arrived, .. } if !arrived.is_empty() => vec![ServerMove::Receive(0), ServerMove::Step],
            _ if *observation == Observation::Restart => vec![ServerMove::Step],
            _ => Vec::new(),
        }
    }
}
