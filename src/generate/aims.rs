//! The aims of a campaign. Each can be switched off, to measure its gain.
//!
//! `CampaignAims { swarm: false, ..CampaignAims::default() }` gives all runs the same bounds.

/// The ways in which a campaign makes requests, besides drawing them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CampaignAims {
    /// The campaign begins with scripts that are made from the specification alone.
    pub corpus: bool,
    /// Each run draws its own bounds.
    pub swarm: bool,
    /// Requests are aimed at rare outcomes.
    pub outcomes: bool,
    /// Several clients ask for one key at the same moment.
    pub races: bool,
}

impl CampaignAims {
    /// No aims: all requests are drawn.
    pub const NONE: CampaignAims = CampaignAims { corpus: false, swarm: false, outcomes: false, races: false };
}

impl Default for CampaignAims {
    fn default() -> CampaignAims {
        CampaignAims { corpus: true, swarm: true, outcomes: true, races: true }
    }
}
