//! Analyses of the code of a specification: facts that hold in every run, for the passes and for the modules that run the code.

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
