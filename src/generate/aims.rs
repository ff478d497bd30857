//! The aims of a campaign. Each can be left out, to measure how much it gains.
//!
//! `CampaignAims { swarm: false, ..CampaignAims::default() }` makes runs that all have the same bounds.

/// The ways in which a campaign comes to its requests, beside drawing them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CampaignAims {
    /// It begins with scripts that were made from the specification alone.
    pub corpus: bool,
    /// Each run draws bounds of its own.
    pub swarm: bool,
    /// Several clients ask for one key at the same moment.
    pub races: bool,
}

impl CampaignAims {
    /// Requests are only drawn.
    pub const NONE: CampaignAims = CampaignAims { corpus: false, swarm: false, races: false };
}

impl Default for CampaignAims {
    fn default() -> CampaignAims {
        CampaignAims { corpus: true, swarm: true, races: true }
    }
}
