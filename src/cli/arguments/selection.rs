//! The choices that several commands offer: a specification, and a format.
//!
//! `--spec queue --set LIMIT=3` is the protocol `queue` of a file, with another constant.

use super::values::ConstantArg;
use clap::{Args, ValueEnum};

/// The specification of a file that is meant, with its constants.
#[derive(Args, Debug, Clone, Default)]
pub struct SpecArguments {
    /// The machine or protocol to use, if the file has several
    #[arg(long, value_name = "NAME")]
    pub spec: Option<String>,
    /// Override a constant of the specification (can be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub constants: Vec<ConstantArg>,
}

/// The format in which a verdict is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text for people
    Text,
    /// One JSON object per recording, on a line of its own
    Json,
}
