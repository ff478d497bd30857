//! The size of a script, and plans under other labels.

use super::{Plan, Script, ScriptStep};

impl Script {
    /// The number of its requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.steps.iter().filter(|step| matches!(step, ScriptStep::Ask { .. })).count() as u64
    }

    /// The largest number of a client.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.asked().map(|(_, client)| client).max().unwrap_or(1)
    }

    /// The client that sends the request of a label; 1 if none does.
    #[must_use]
    pub fn client_of(&self, label: u64) -> u64 {
        self.asked().find(|(asked, _)| *asked == label).map_or(1, |(_, client)| client)
    }

    fn asked(&self) -> impl Iterator<Item = (u64, u64)> {
        self.steps.iter().filter_map(|step| match step {
            ScriptStep::Ask { label, client, .. } => Some((*label, *client)),
            ScriptStep::Await { .. } | ScriptStep::Seen { .. } => None,
            ScriptStep::Wait(_) | ScriptStep::Together { .. } | ScriptStep::Restart => None,
        })
    }
}

impl Plan {
    /// The plan under labels that begin with this one, of clients up to this one: the others are taken by turns.
    #[must_use]
    pub fn moved(mut self, first: u64, clients: u64) -> Plan {
        let by = first - 1;
        for ask in &mut self.asks {
            ask.label += by;
            ask.client = (ask.client - 1) % clients.max(1) + 1;
            ask.after.iter_mut().for_each(|label| *label += by);
            ask.request.references.iter_mut().for_each(|placed| placed.to.label += by);
        }
        self
    }
}
