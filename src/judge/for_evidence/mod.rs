//! What evidence asks of the judge: judges that know less or keep more, and the decided part of a run.

pub(crate) mod decided;
pub(crate) mod derived;
