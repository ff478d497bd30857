//! Limits on what is followed, and how each is told.
//!
//! For example *one request had more than 20000 possible paths*.

use std::fmt;

use crate::process::{self, Limit};

/// The number of paths of one request beyond which the judge gives up on the others.
pub(super) const PATH_LIMIT: u32 = 20_000;
/// The cost that the copies of the paths of one request may have together, in copied values.
pub(super) const COPY_LIMIT: usize = 20_000_000;
/// The number of candidates before a request at which no more of them are followed.
pub(super) const CLOSURE_LIMIT: usize = 4_096;

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Section => {
                write!(f, "a handler ran for more than {} instructions without an answer", process::SECTION_LIMIT)
            }
            Limit::Calls => write!(f, "calls were nested more than {} levels deep", process::CALL_LIMIT),
            Limit::Nodes => write!(
                f,
                "one request inspected more than {} nodes of recursive values that started unknown, or {} of one in an expression",
                process::NODE_LIMIT,
                process::GUARDED_NODE_LIMIT
            ),
            Limit::Stretch => write!(
                f,
                "one request inspected more than {} elements of a list of unknown length",
                process::STRETCH_LIMIT
            ),
            Limit::Pieces => {
                write!(f, "an unknown text was split into more than {} pieces", process::PIECES_LIMIT)
            }
            Limit::Range => {
                write!(f, "a range of unknown length may have more than {} integers", process::RANGE_LIMIT)
            }
            Limit::Undecidable => f.write_str("an operation on unknown values has no symbolic form"),
            Limit::Steps => {
                write!(f, "the server can reach more than {} states through steps", CLOSURE_LIMIT)
            }
            Limit::Effort => {
                f.write_str("to follow the possible explanations takes more work than the limit of effort allows")
            }
            Limit::Memory(most) => write!(f, "possible explanations took more than {most} MiB of memory"),
            Limit::Paths => write!(f, "one request had more than {} possible paths", PATH_LIMIT),
        }
    }
}
