//! The messages that a client may see next on its connection.
//!
//! ```text
//! c1 Take    c2 Take    c1 ?        the server may have answered c1 with 1 or with 2
//! ```

use super::composition::Composition;
use crate::judge::Judge;
use crate::judge::candidate::Candidate;
use crate::judge::tasks;
use crate::network::{Network, Observation, PacketOrder};
use crate::process::Port;
use crate::value::Value;

impl Judge {
    /// The messages that may be seen next on a connection, each with a state in which it is. `None` if they are not all known.
    #[must_use]
    pub(crate) fn next_messages(&self, network: &dyn Network, port: Port) -> Option<Vec<(Value, Candidate)>> {
        let (mut context, spec) = (self.context.clone(), self.context.spec.clone());
        self.frontier.begin_exchange(&mut context);
        let options = context.options.clone();
        let composed = Composition::new(&spec, network, &options);
        let ready = tasks::before(&mut context, composed, self.candidates().to_vec(), &Observation::Answer(port, None));
        if context.is_cut() {
            return None;
        }
        let most = if network.order() == PacketOrder::Free { usize::MAX } else { 1 };
        let messages = |candidate: &Candidate| {
            let of_port = candidate.process.sent().iter().filter(|sent| sent.port == port);
            of_port.take(most).map(|sent| (sent.value.clone(), candidate.clone())).collect::<Vec<_>>()
        };
        Some(ready.iter().flat_map(messages).collect())
    }
}
