//! The command line of `mayhap mutate`, as data.
//!
//! `mayhap mutate kv.may --score --seed 4` parses to [`MutateArguments`] with the seed 4.

use super::selection::{Format, SpecArguments};
use super::values::count;
use clap::Args;
use std::path::PathBuf;

/// The help on `mayhap mutate` beside its options.
pub const MUTATE_HELP: &str = "\
Examples:
  mayhap mutate specs/kv_etag.may
  mayhap mutate specs/kv_etag.may --score
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:7000 --mutant 3

A mutant is the specification with one small change, such as a mistake in a server: `<=` instead
of `<`, a condition or an assignment left out, another answer. A change that only takes choices away
from the server is no mutant: the specification allows all that such a server does.

With --score each mutant is tested. If it is not found, it is tested with other values of the
constants, too: truth values negated, large integers made small. A mutant that is still not found is
compared with the specification: it is missed if a few requests show a difference, else it is a
refinement, up to the printed bound. A bound of N requests and M values means that all sequences of
N requests were tried, in which each scalar is one of M values.

Exit codes: 0 if no mutant is missed, 1 if some are, 2 if there is none or the specification is
wrong, 3 if some were neither found, nor missed, nor a refinement, and 130 if interrupted.";

/// `mayhap mutate`
#[derive(Args, Debug)]
pub struct MutateArguments {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Test each mutant, and report which are found
    #[arg(long)]
    pub score: bool,
    /// Number of requests to test each mutant with
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = count::<u64>, requires = "score")]
    #[arg(allow_hyphen_values = true)]
    pub requests: u64,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, requires = "score", value_parser = count::<u64>)]
    #[arg(allow_hyphen_values = true)]
    pub seed: u64,
    /// Number of mutants to test in parallel; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, requires = "score", value_parser = count::<usize>)]
    #[arg(allow_hyphen_values = true)]
    pub jobs: usize,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}
