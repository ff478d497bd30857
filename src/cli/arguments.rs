//! The command line as data: every command with its options, its help and its examples.
//!
//! `mayhap validate kv.may trace.ndjson --stats` parses to a [`Command::Validate`] with one trace.

use super::values::{ConstantArg, RangeArg, command, count, positive, seconds};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Could a server that follows this specification have done that?
///
/// A specification (*.may) is a nondeterministic server; mayhap turns it inside out and judges what a real one answered.
#[derive(Parser, Debug)]
#[command(name = "mayhap", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  accepted, nothing wrong      3  inconclusive: a limit or the solver's doubt
  1  rejected, a violation found  4  the system under test or the harness failed
  2  could not do the job: usage, specification, trace, nothing tested
  130  interrupted

Start with:
  mayhap check specs/cmp_rst.may
  mayhap simulate specs/cmp_rst.may --steps 10 --out trace.ndjson
  mayhap validate specs/cmp_rst.may trace.ndjson";

const SERVE_HELP: &str = r#"Examples:
  echo 5 | mayhap serve specs/cmp_rst.may --stdio
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:7000 --seed 7 --trace trace.ndjson
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:0      any free port; the address is printed

A client writes one request a line and reads one answer a line, in the order of its requests;
blank lines are passed over. A request whose handler ends without an answer gets no line at all.
Over TCP every connection is a client of its own (`on … from c`); requests are handled one at a
time, in the order in which they arrive.

What is no request, and what the specification has no answer for, is answered by one line
{"$error": KIND, "message": …, "line": N}; nothing has happened then, nobody else notices, and the
connection goes on (with cut_off, busy and stopping it ends). KIND is
  malformed   no JSON, or no value of the request's type ("column" says where)
  too_long    a line of more than 1048576 bytes; the rest of it is passed over
  cut_off     the client's end came in the middle of a line
  outside     the request breaks the client's duty, or no handler takes it
  fault       the specification itself is wrong at a place that the request reaches
  stuck       an `assume` or `where` cannot hold: no run of the server answers this request, and
              there is no other client that could change that (while there is one, it waits)
  limit       a limit was reached
  busy        there are as many connections as --clients allows
  stopping    the server ends

--trace writes each request that was handled, in that order, for `mayhap validate`; a line is in the
file before its answer is sent. With --tcp, "c" is the number of the connection. A request that got
no answer cannot stand beside a "c": it has none, or, where the specification asks for it (`from`),
it is written as "lost" (the client gave up), which claims a little less.

Exit codes: 0 where standard input ended; 130 where it was interrupted (SIGINT, SIGTERM, SIGHUP: the
request at hand is finished, the trace is complete; a second signal ends it at once); 2 instead of
either where some request met a fault of the specification or was stuck, 3 where one met a limit."#;

const EXPLORE_HELP: &str = "\
Examples:
  mayhap explore specs/cmp_rst.may --steps 3 --range request=0..2
  mayhap explore specs/kv.may --versus mine.may
  mayhap explore --cmd 'python3 transfer.py'
  mayhap explore --cmd ./fast --versus ./simple
  mayhap explore --cmd ./server --sample 1000 --seed 7
  mayhap explore --cmd ./server --replay c1:coin:0.2.1:3c03c7

A specification is run as a server, once for every way in which the client can make --steps requests
and the server can choose; the output of a run is its trace. Integers are in the ranges, a text is
\"a\" or \"b\", a list, set or map has at most one element, an option within an option, or what else is
nested twice, is at its end; the server takes at most two of its own steps before a request. What
the client must not ask and what an `assume` or `where` forbids are runs that do not exist.

A program, a command for the shell, finds descriptor 3 open. To choose it writes a line there,
  choose which way 3
and reads a line: 0, 1 or 2. It is run once for every sequence of answers, and what it prints to
standard output is that run's output. `refuse LABEL` ends a run that is to count as none.
docs/CHOICES.md has the rules, with programs in C and Python.

Exit codes:
  0    all runs were visited (with --sample: as many as asked for) and, with --versus, no output
       belongs to one program only
  1    with --versus: one does
  2    the specification is faulty, or stuck (a request has no run); there was nothing to explore
       (every run is refused); the program cannot be started; a file or an option is wrong
  3    a run does not end (--timeout, --choices), --runs was reached, or another limit was
  4    the program died or broke the rules of choosing: it chose from nothing, was not
       deterministic, or went on where its run had ended
  130  interrupted, with what to --resume";

/// What mayhap can do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Parse, resolve, type-check and lint specifications; nothing runs
    #[command(after_help = "\
Examples:
  mayhap check specs/*.may
  mayhap check --deny-warnings - < draft.may

What is checked, but cannot be run yet (calling a peer, say), is a warning. Exit codes: 0 no error,
2 an error, or with --deny-warnings a warning.")]
    Check(Check),
    /// Put specifications into the one layout; comments survive
    #[command(after_help = "\
Examples:
  mayhap fmt specs/*.may            rewrite the files that differ
  mayhap fmt --check specs/*.may    only say which differ (exit code 1)
  mayhap fmt - < draft.may          from standard input to standard output")]
    Fmt(Fmt),
    /// Print the validator that a specification turns into
    #[command(after_help = "\
Example:
  mayhap dualize specs/cmp_rst_machine.may")]
    Dualize(Dualize),
    /// Run a specification as a server against a random client and print the trace
    #[command(after_help = "\
Examples:
  mayhap simulate specs/kv.may --steps 100 --seed 7 --out trace.ndjson
  mayhap simulate specs/cmp_rst.may --range request=0..10 --range choose=0..10

A drawn request that breaks the client's duty (`expects`), or that no handler takes, is drawn again,
by preference as one that the state makes possible; only where none is found the trace ends early
(exit code 2). The same seed and options give the same trace, byte for byte.")]
    Simulate(Simulate),
    /// Run a specification as a real server: one JSON value a line
    #[command(after_help = SERVE_HELP)]
    Serve(Serve),
    /// Judge recorded traces
    #[command(after_help = "\
Examples:
  mayhap validate specs/cmp_rst.may trace.ndjson
  mayhap validate specs/kv_etag.may monday.ndjson tuesday.ndjson --no-evidence
  record | mayhap validate specs/kv.may - --format json

A trace is NDJSON, one event a line: {\"q\": 5, \"a\": 1}. With several traces there is one line
each, in their order, and the exit code is the worst: 1 over 3 over 0; 2 always wins.")]
    Validate(Validate),
    /// Visit every behaviour of a specification, or every run of a program, up to a bound
    #[command(after_help = EXPLORE_HELP)]
    Explore(Explore),
    /// Print a completion script for a shell
    #[command(after_help = "\
Example:
  mayhap completions bash > ~/.local/share/bash-completion/completions/mayhap")]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

/// Which specification of a file, with which constants.
#[derive(Args, Debug, Clone, Default)]
pub struct Selection {
    /// The machine or protocol, where the file has several
    #[arg(long, value_name = "NAME")]
    pub spec: Option<String>,
    /// Another value for a constant of the specification (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub constants: Vec<ConstantArg>,
}

/// `mayhap check`
#[derive(Args, Debug)]
pub struct Check {
    /// Exit with 2 if there is a warning
    #[arg(long)]
    pub deny_warnings: bool,
    /// Specifications; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `mayhap fmt`
#[derive(Args, Debug)]
pub struct Fmt {
    /// Change nothing; exit with 1 if a file is not in the layout
    #[arg(long)]
    pub check: bool,
    /// Specifications; `-` is standard input, written to standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `mayhap dualize`
#[derive(Args, Debug)]
pub struct Dualize {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which specification.
    #[command(flatten)]
    pub selection: Selection,
}

/// `mayhap simulate`
#[derive(Args, Debug)]
pub struct Simulate {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How many requests the client makes
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count, allow_hyphen_values = true)]
    pub steps: u64,
    /// Where all choices are drawn from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// How many clients there are
    #[arg(long, value_name = "C", default_value_t = 1)]
    pub clients: u64,
    /// The network between client and server
    #[arg(long, value_enum, default_value_t = Net::Sync)]
    pub net: Net,
    /// Write the trace here instead of to standard output
    #[arg(long, value_name = "F")]
    pub out: Option<PathBuf>,
    /// Where integers are drawn from: request=LO..HI or choose=LO..HI, HI excluded
    #[arg(long = "range", value_name = "WHAT=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<RangeArg>,
    /// Which specification.
    #[command(flatten)]
    pub selection: Selection,
}

/// `mayhap serve`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("transport").required(true)))]
pub struct Serve {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Serve one client, on standard input and output
    #[arg(long, group = "transport")]
    pub stdio: bool,
    /// Listen for connections; port 0 is any free one
    #[arg(long, value_name = "HOST:PORT", group = "transport")]
    pub tcp: Option<String>,
    /// Where all choices are drawn from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Write what happens here, as NDJSON that `mayhap validate` reads
    #[arg(long, value_name = "F")]
    pub trace: Option<PathBuf>,
    /// How many connections there may be at once
    #[arg(long, value_name = "C", default_value_t = 1000, conflicts_with = "stdio")]
    pub clients: usize,
    /// Where the server's integers are drawn from: choose=LO..HI, HI excluded
    #[arg(long = "range", value_name = "choose=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<RangeArg>,
    /// Which specification.
    #[command(flatten)]
    pub selection: Selection,
}

/// `mayhap validate`
#[derive(Args, Debug)]
pub struct Validate {
    /// The specification
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Traces; `-` is standard input
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// The network between client and server
    #[arg(long, value_enum)]
    pub net: Option<Net>,
    /// How the verdict is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Also tell how much work it was
    #[arg(long)]
    pub stats: bool,
    /// Write the witness of an accepted trace here, as NDJSON
    #[arg(long, value_name = "F")]
    pub witness: Option<PathBuf>,
    /// Give the verdict only: no witness, no reason
    #[arg(long, conflicts_with_all = ["witness", "check_reason"])]
    pub no_evidence: bool,
    /// Judge again exactly what the reason of a rejection claims
    #[arg(long)]
    pub check_reason: bool,
    /// How many traces are judged at the same time; 0 is one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// Which specification.
    #[command(flatten)]
    pub selection: Selection,
}

/// `mayhap explore`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("explored").required(true)))]
pub struct Explore {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE", group = "explored")]
    pub file: Option<PathBuf>,
    /// A program instead, a command for the shell
    #[arg(long, value_name = "COMMAND", group = "explored", value_parser = command)]
    #[arg(conflicts_with_all = ["file", "steps", "clients", "ranges", "spec", "constants"])]
    pub cmd: Option<String>,
    /// Another specification, or another program, whose outputs are to be the same
    #[arg(long, value_name = "OTHER")]
    pub versus: Option<String>,
    /// How many requests the client makes
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count, allow_hyphen_values = true)]
    pub steps: u64,
    /// How many clients there are
    #[arg(long, value_name = "C", default_value_t = NonZeroUsize::MIN, value_parser = positive)]
    pub clients: NonZeroUsize,
    /// Which integers there are: request=LO..HI or choose=LO..HI, HI excluded; 0..3 where nothing is said
    #[arg(long = "range", value_name = "WHAT=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<RangeArg>,
    /// Which specification.
    #[command(flatten)]
    pub selection: Selection,
    /// The order of the runs
    #[arg(long, value_enum, default_value_t = Order::DepthFirst)]
    pub order: Order,
    /// Draw that many runs instead of visiting all; if there are no more (nor more than 1024), visit them all
    #[arg(long, value_name = "N", conflicts_with = "order", value_parser = positive)]
    pub sample: Option<NonZeroUsize>,
    /// Where they are drawn from
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    pub seed: u64,
    /// Visit one run only, that of a token
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["order", "sample", "resume", "versus"])]
    pub replay: Option<String>,
    /// Go on with a search that was interrupted (may be repeated)
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["order", "sample", "versus"])]
    pub resume: Vec<String>,
    /// Visit at most that many runs
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Cut a run that asks for more choices
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub choices: usize,
    /// How long a run of a program may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, conflicts_with = "file")]
    #[arg(allow_hyphen_values = true)]
    pub timeout: Duration,
    /// How many runs at a time; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// How many outputs are shown
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub show: usize,
}

impl Explore {
    /// The specifications that are to be read.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let versus = self.versus.iter().filter(|_| self.file.is_some()).map(PathBuf::from);
        self.file.iter().cloned().chain(versus).collect()
    }
}

/// The order in which runs are visited.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// In lexicographic order of the choices.
    DepthFirst,
    /// Those with fewer choices first.
    BreadthFirst,
}

/// A network between client and server.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Net {
    /// One request at a time, answered before the next.
    Sync,
    /// Connections with unbounded delay each way: not supported yet.
    Tcp,
}

/// How a verdict is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a trace, on a line.
    Json,
}
