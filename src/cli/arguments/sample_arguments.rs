//! The command line of `mayhap sample`, as data.
//!
//! `mayhap sample kv.may --requests 3 --count all` parses to [`SampleArguments`] with three requests and no other number of paths.

use super::selection::SpecArguments;
use super::values::{count, positive, seconds};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// The help on `mayhap sample` beside its options.
pub const SAMPLE_HELP: &str = "\
Examples:
  mayhap sample specs/kv.may
  mayhap sample specs/kv_etag.may --requests 3 --count 100 --out suite
  mayhap sample specs/kv_etag.may --count all --count-only
  mayhap sample examples/graphs/dichotomy.graph --length 50 --count all --count-only

A path is what some requests of one client do, from the initial state: the branches that their
handlers take, one after the other. Each feasible path that was not drawn yet is equally likely to
be the next one, however deep it is. With --out each path is a script, whose requests take it:
`mayhap replay` and `mayhap test --regressions` run such scripts.

If FILE ends in .graph, it is a program that is written as a graph, and a path leads from its entry
to its end. docs/PATHS.md has the format.

Exit codes: 0 if as many paths were drawn as asked for, or all that are feasible; 2 if the file is
wrong, or no path leads to its end; 3 if the time was over before; 130 if interrupted.";

/// `mayhap sample`
#[derive(Args, Debug)]
pub struct SampleArguments {
    /// The specification, or a graph (*.graph); `-` is a specification on standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Number of requests of a path
    #[arg(long, value_name = "N", default_value = "2", value_parser = positive, allow_hyphen_values = true)]
    pub requests: NonZeroUsize,
    /// Maximum number of edges of a path of a graph
    #[arg(long, value_name = "N", value_parser = count::<usize>, allow_hyphen_values = true)]
    pub length: Option<usize>,
    /// Number of paths, or `all` (default: 10; with --count-only: all)
    #[arg(long, value_name = "K", value_parser = paths, allow_hyphen_values = true)]
    pub count: Option<WantedPaths>,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = count::<u64>, allow_hyphen_values = true)]
    pub seed: u64,
    /// Write each path to a file in this directory
    #[arg(long, value_name = "DIR", conflicts_with = "count_only")]
    pub out: Option<PathBuf>,
    /// Print each path, with --out, too
    #[arg(long, conflicts_with = "count_only")]
    pub list: bool,
    /// Only print how many paths there are
    #[arg(long)]
    pub count_only: bool,
    /// Number of times that the body of a loop runs in a request
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count::<usize>, allow_hyphen_values = true)]
    pub loops: usize,
    /// Number of calls of one procedure that are under way at once
    #[arg(long, value_name = "N", default_value = "2", value_parser = positive, allow_hyphen_values = true)]
    pub calls: NonZeroUsize,
    /// Time limit, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, allow_hyphen_values = true)]
    pub time: Duration,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// The number of paths that are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WantedPaths {
    /// At most this number.
    AtMost(u64),
    /// All of them.
    All,
}

fn paths(text: &str) -> Result<WantedPaths, String> {
    if text == "all" { Ok(WantedPaths::All) } else { count(text).map(WantedPaths::AtMost) }
}
