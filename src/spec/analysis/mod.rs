//! Analyses of the code of a specification: facts that hold in every run, for the passes and for the modules that run the code.
//!
//! Four of them ask where the value of a register comes from. They walk the code in one way (`dataflow`), each with a lattice of its own, as
//! they need different truths: `links` all that *may* be there, up to a limit, as a hint; `shown` all that may be there, without a limit;
//! `partition` the one part that *must* be there, until another task may have changed it; `provenance` the path to one choice that must be
//! there.

pub(crate) mod cells;
pub(crate) mod dataflow;
pub(crate) mod facts;
pub(crate) mod keyed;
pub mod links;
pub mod partition;
pub(crate) mod provenance;
pub mod pure;
pub(crate) mod reply_shapes;
pub mod section_ahead;
pub mod shown;
pub(crate) mod sinking;
pub(crate) mod unordered;
