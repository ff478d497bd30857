//! The loop of a test: it keeps clients busy, feeds the session, stops and resets, and makes no other decisions.
//!
//! ```text
//! generate ──plan──▶ wave ──requests──▶ System          a wave: the requests of clients overlap, and at its end nothing is under way
//!     ▲                │ events
//!     └── states ── Session ──▶ explained, or rejected: shrink, report, keep
//! ```
//!
//! A [`Campaign`] consists of runs, each of which begins with a reset. A run consists of waves.

mod answering;
mod believed;
mod builder;
mod campaign;
mod causes;
mod counted;
mod covered;
mod failure;
mod found;
mod mutants;
mod regressions;
mod run;
mod trial;
mod waves;

pub use crate::mutate::{starting_scripts, starting_scripts_within};
pub use builder::{SystemTest, test};
pub use campaign::{AFTERWARDS, Campaign, CampaignSettings, Follower};
pub use failure::{Failing, not_started};
pub use mutants::MutantTester;
pub use regressions::{KeptRuns, Regressions, ReplayedScript, UnreadScript, read_script, replay};
pub use run::{Judging, LiveRun, OutsideRequest, RunState};
pub use trial::{LiveTrial, ScriptRun, run_once};
pub use waves::{LiveEvent, LiveEventKind, WaitLimits};
