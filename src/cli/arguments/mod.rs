//! The command line as data: every command with its options, its help and its examples.
//!
//! `mayhap validate kv.may trace.ndjson --stats` parses to a [`Command::Validate`] with one trace.

pub(crate) mod mutate_arguments;
pub(crate) mod new_arguments;
pub(crate) mod recording;
pub(crate) mod sample_arguments;
pub(crate) mod selection;
pub(crate) mod testing_arguments;
pub mod values;

pub use selection::{Format, SpecArguments};

use super::watch::arguments::{WATCH_HELP, WatchArguments};
use clap::{Args, Parser, Subcommand, ValueEnum};
use mayhap::network::NetworkChoice;
use mayhap::sut::PeerAddress;
use mutate_arguments::{MUTATE_HELP, MutateArguments};
use new_arguments::{NEW_HELP, NewArguments};
use recording::{CONVERT_HELP, RecordedAs};
use sample_arguments::{SAMPLE_HELP, SampleArguments};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use testing_arguments::{REPLAY_HELP, ReplayArguments, TEST_HELP, TestArguments};
use values::{RangeArg, command, count, positive, seconds};

/// Could a server that follows this specification have done that?
///
/// A specification (*.may) is a nondeterministic server. mayhap turns it inside out, and judges a real server's answers.
#[derive(Parser, Debug)]
#[command(name = "mayhap", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The command that is to be run.
    #[command(subcommand)]
    pub command: Command,
    /// Condition under which messages are colored
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// The condition under which messages are coloured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// If standard error is a terminal, NO_COLOR is not set and TERM is not dumb
    #[default]
    Auto,
    /// In files and pipes, too
    Always,
    /// Without color
    Never,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    accepted, or nothing is wrong
  1    rejected, or a violation was found
  2    the command could not do its job: bad usage, specification or recording, or nothing was tested
  3    inconclusive: a limit was reached, or the solver could not decide
  4    the system under test or the recorder failed
  130  interrupted

Get started:
  mayhap check specs/cmp_rst.may
  mayhap simulate specs/cmp_rst.may --steps 10 --out trace.ndjson
  mayhap validate specs/cmp_rst.may trace.ndjson";

const SERVE_HELP: &str = r#"Examples:
  echo 5 | mayhap serve specs/cmp_rst.may --stdio
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:7000 --seed 7 --trace trace.ndjson
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:0      use any free port, and print the address
  mayhap serve examples/service/notes.may --http 127.0.0.1:8080
  mayhap serve cache.may --tcp 127.0.0.1:7000 --peer origin=127.0.0.1:7001

A client writes one request per line and reads one answer per line, in the order of its requests.
Blank lines are ignored. If the handler of a request ends without an answer, no line is written for
it. Over TCP, every connection is a separate client (`on … from c`). Requests are handled one at a
time, in the order in which they arrive; if a handler yields, others are handled before it goes
on (unless the protocol is `serial`). While no request arrives, the server takes its `step`s from
time to time.

Over TCP a client also gets what it did not ask for (`send`), one message a line, and its connection
may be ended (`close`). If a client leaves 10000 lines unread, it is cut off. If `on open` sends the
client something, such as a banner, it runs when the connection is made; otherwise it runs before
the first request.

With --http, a message of HTTP is the request that the http block of the specification says, and its
answer is the message that the block says. A message that is no request is answered with 400, 404 or
405; a request without an answer with 400 (malformed, outside), 503 (stuck, busy, stopping) or 500.
Its content is {"$error": KIND, "message": …}.

A peer is another server that the specification calls: each call is a connection to the address that
--peer gives, a line with the request, and a line with the answer. A peer has failed (`None`) if it
cannot be reached, takes more than 10 seconds, or answers with no value of its type.
--peer 'store("a")=HOST:PORT' is the address of the peer with this key, and --peer store=HOST:PORT
the address of all others.

A line that is not a request, or that the specification has no answer for, is answered with
{"$error": KIND, "message": …, "line": N}. It has no effect on the server or on other clients, and
the connection stays open (except after cut_off, busy and stopping). KIND is
  malformed   not JSON, or not a value of the request's type ("column" says where)
  too_long    the line has more than 16777216 bytes; the rest of it is ignored
  cut_off     the connection ended in the middle of a line
  outside     the request violates an `expects`, or no handler accepts it
  fault       the request reaches a mistake in the specification
  stuck       an `assume` or `where` cannot hold: no run of the server answers this request (as
              long as there are other clients, whose requests may change that, the request waits)
  limit       a limit was reached
  busy        there are already as many connections as --clients allows
  stopping    the server is shutting down

--trace records each request that was handled, in this order, for `mayhap validate`. A line is
written before its answer is sent. With --tcp, "c" is the number of the connection. A line with a
"c" must have an answer. So if a request has no answer, its line has no "c"; or, if the
specification uses the client (`from`), the line says "lost" (the client gave up), which claims
slightly less. With --tcp and a specification that yields or does more than answering, each event
has a line of its own, as `mayhap validate --net tcp` reads them; a client that leaves is "lost".

Exit codes: 0 at the end of standard input; 130 if interrupted by SIGINT, SIGTERM or SIGHUP (the
current request is finished and the recording is complete; a second signal exits immediately).
Instead of either, 2 if a request reached a fault of the specification or was stuck, and 3 if a
request reached a limit."#;

const EXPLORE_HELP: &str = "\
Examples:
  mayhap explore specs/cmp_rst.may --steps 3 --range request=0..2
  mayhap explore specs/kv.may --versus mine.may
  mayhap explore --cmd 'python3 transfer.py'
  mayhap explore --cmd ./fast --versus ./simple
  mayhap explore --cmd ./server --sample 1000 --seed 7
  mayhap explore --cmd ./server --replay c1:coin:0.2.1:3c03c7

A specification is run as a server, once for every combination of --steps requests of its clients
and of the server's choices; the output of a run is its recording. Integers are limited to the
ranges, a text is \"a\" or \"b\", a list, set or map has at most one element, values are nested at
most twice, and the server takes at most two steps before a request. Runs in which the client
violates an `expects`, or the server an `assume` or `where`, do not exist.

A program is a shell command, for which file descriptor 3 is open. To make a choice, it writes
  choose which way 3
to this descriptor (a label, and the number of alternatives), and reads a line from it: 0, 1 or 2.
The program is run once for every sequence of such answers. What it prints to standard output is
the output of the run. `refuse LABEL` ends a run that does not count. docs/CHOICES.md has the rules,
and programs in C and Python.

Exit codes:
  0    all runs were visited (with --sample: as many as requested) and, with --versus, both have
       the same outputs
  1    with --versus: the outputs differ
  2    the specification has a fault, or is stuck (a request has no run); there was nothing to
       explore (every run was refused); the program cannot be started; a file or an option is wrong
  3    a run does not end (--timeout, --choices), --runs was reached, or another limit was
  4    the program died or violated the rules of choosing: it chose from nothing, was not
       deterministic, or continued after the end of its run
  130  interrupted (SIGINT, SIGTERM, SIGHUP), with a token for --resume; a second signal ends it
       without one";

/// A command of mayhap, with its options.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check specifications for errors and probable mistakes
    #[command(after_help = "\
Examples:
  mayhap check specs/*.may
  mayhap check --deny-warnings - < draft.may
  mayhap check --cost specs/kv_etag.may

Nothing is run, except with --cost: then each specification is simulated with one random client and
its peers, and the judge follows the run. A fault of this run is reported. If a specification does
more than answering (it calls a peer, sends unasked or closes a connection), a note says that it
needs `--net tcp`; a note is no warning.

Exit codes: 0 without errors; 2 with an error, with a fault that --cost met, or, with
--deny-warnings, with a warning.")]
    Check(Check),
    /// Format specifications
    #[command(after_help = "\
Examples:
  mayhap fmt specs/*.may            format files in place
  mayhap fmt --check specs/*.may    only report files that are not formatted (exit code 1)
  mayhap fmt - < draft.may          format standard input to standard output")]
    Fmt(Fmt),
    /// Print the validator that a specification is turned into
    #[command(after_help = "\
Example:
  mayhap dualize specs/cmp_rst_machine.may")]
    Dualize(Dualize),
    /// Print the types of requests and answers as types of Rust
    #[command(after_help = "\
Examples:
  mayhap types specs/kv_etag.may > tests/kv_types.rs
  mayhap types specs/idgen.may --token u64

The types have the JSON of the specification by serde. In a test, `mod kv_types;` and
`impl mayhap::Sut for Store { type Request = kv_types::Request; … }` use them.")]
    Types(TypesArguments),
    /// Run a specification as a server against a random client, and print the recording
    #[command(after_help = "\
Examples:
  mayhap simulate specs/kv.may --steps 100 --seed 7 --out trace.ndjson
  mayhap simulate specs/cmp_rst.may --range request=0..10 --range choose=0..10
  mayhap simulate specs/register.may --clients 4 --net tcp --lost 5 --out concurrent.ndjson

A random request that breaks the client's duty (`expects`), or that no handler accepts, is
drawn again, preferably from the requests that the state allows. Only if none is found, the
recording ends early, with exit code 2. The same seed and options give the same
recording, byte for byte.

With --net tcp, clients do not wait for each other: the network delays requests and answers, and
each line is one event, in the order in which the clients send and see them. Requests that were
sent are answered before the recording ends, except those that the server never answers. If all
clients wait for ever, the recording ends early, with exit code 2.")]
    Simulate(Simulate),
    /// Run a specification as a server that reads and writes one JSON value per line
    #[command(after_help = SERVE_HELP)]
    Serve(Serve),
    /// Judge recordings
    #[command(after_help = "\
Examples:
  mayhap validate specs/cmp_rst.may trace.ndjson
  mayhap validate specs/kv_etag.may monday.ndjson tuesday.ndjson --no-evidence
  record | mayhap validate specs/kv.may - --format json
  mayhap validate specs/cmp_set.may clients.ndjson --html history.html
  mayhap validate specs/cas_register.may history.edn --fail drop

A recording is NDJSON with one exchange per line, such as {\"q\": 5, \"a\": 1}. If it is compressed
(.gz, .zst), it is decompressed to a temporary file first. Several recordings get one line each, in
the given order, and the worst exit code: 2 wins over 1, 1 over 3, and 3 over 0.

A history that Jepsen or Elle recorded (EDN, JSON, or the lines of jepsen.log) is read as `mayhap
convert` reads it. A nil in an answer is null if its type is an option, and otherwise unknown.

Exit codes: 0 accept; 1 reject; 2 no verdict, as the recording or the specification is wrong, or
nothing was answered, so that nothing was tested; 3 unknown, as a limit was reached.")]
    Validate(Validate),
    /// Translate the history of another tool into a recording
    #[command(after_help = CONVERT_HELP)]
    Convert(Convert),
    /// Visit every behaviour of a specification, or every run of a program, up to a bound
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreArguments),
    /// Draw feasible paths of a specification uniformly, each with requests that take it
    #[command(after_help = SAMPLE_HELP)]
    Sample(SampleArguments),
    /// List the mutants of a specification: is it good enough to find them?
    #[command(after_help = MUTATE_HELP)]
    Mutate(MutateArguments),
    /// Write a first specification of a service out of its OpenAPI description
    #[command(after_help = NEW_HELP)]
    New(NewArguments),
    /// Test a live system
    #[command(after_help = TEST_HELP)]
    Test(Box<TestArguments>),
    /// Run scripts that showed failures again
    #[command(after_help = REPLAY_HELP)]
    Replay(Box<ReplayArguments>),
    /// Judge live traffic: stand between clients and a server
    #[command(after_help = WATCH_HELP)]
    Watch(WatchArguments),
    /// Print a completion script for a shell
    #[command(after_help = "\
Example:
  mayhap completions bash > ~/.local/share/bash-completion/completions/mayhap")]
    Completions {
        /// The shell to print a completion script for
        shell: clap_complete::Shell,
    },
}

/// `mayhap check`
#[derive(Args, Debug)]
pub struct Check {
    /// Exit with 2 if there is a warning
    #[arg(long)]
    pub deny_warnings: bool,
    /// Also simulate each specification, judge the run, and say what makes judging it expensive
    #[arg(long)]
    pub cost: bool,
    /// Number of requests to simulate with --cost
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = count::<u64>, allow_hyphen_values = true)]
    #[arg(requires = "cost")]
    pub steps: u64,
    /// Seed of the random choices with --cost
    #[arg(long, value_name = "S", default_value_t = 0, requires = "cost", value_parser = count::<u64>)]
    pub seed: u64,
    /// Range to draw integers from with --cost: request=LO..HI (default: 0..10) or choose=LO..HI; HI is excluded (can be repeated)
    #[arg(long = "range", value_name = "WHAT=LO..HI", allow_hyphen_values = true, requires = "cost")]
    pub ranges: Vec<RangeArg>,
    /// Specifications to check; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `mayhap fmt`
#[derive(Args, Debug)]
pub struct Fmt {
    /// Do not change files; exit with 1 if a file is not formatted
    #[arg(long)]
    pub check: bool,
    /// Specifications to format; `-` is standard input, written to standard output
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
    pub selection: SpecArguments,
}

/// `mayhap types`
#[derive(Args, Debug)]
pub struct TypesArguments {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
    /// Type for `int`
    #[arg(long, value_name = "TYPE", default_value = "i64")]
    pub int: String,
    /// Type for tokens: a text, or a number such as u64
    #[arg(long, value_name = "TYPE", default_value = "String")]
    pub token: String,
}

/// `mayhap simulate`
#[derive(Args, Debug)]
pub struct Simulate {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Number of requests that all clients make together
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count::<u64>, allow_hyphen_values = true)]
    pub steps: u64,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = count::<u64>, allow_hyphen_values = true)]
    pub seed: u64,
    /// Number of clients
    #[arg(long, value_name = "C", default_value_t = 1, value_parser = count::<u64>, allow_hyphen_values = true)]
    pub clients: u64,
    /// The network between clients and server: sync, tcp, fifo or udp, as in `udp,loss`
    ///
    /// Parameters follow after commas: connections=N (at most N connections at once); for udp also loss (an eighth of the packets never
    /// arrives) and duplication (a sixteenth arrives twice).
    #[arg(long, value_name = "NET", default_value_t = NetworkChoice::SYNC)]
    pub net: NetworkChoice,
    /// Number of requests that a client may send without waiting for an answer (not with --net sync)
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive, allow_hyphen_values = true)]
    pub pipeline: NonZeroUsize,
    /// Percentage of the requests that their clients give up waiting for (not with --net sync)
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100))]
    pub lost: u64,
    /// Write the trace to this file instead of standard output
    #[arg(long, value_name = "F")]
    pub out: Option<PathBuf>,
    /// Range to draw integers from: request=LO..HI or choose=LO..HI; HI is excluded (can be repeated)
    #[arg(long = "range", value_name = "WHAT=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<RangeArg>,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
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
    /// Listen for TCP connections; port 0 is any free port
    #[arg(long, value_name = "HOST:PORT", group = "transport")]
    pub tcp: Option<String>,
    /// Listen for HTTP, by the http block of the specification; port 0 is any free port
    #[arg(long, value_name = "HOST:PORT", group = "transport")]
    pub http: Option<String>,
    /// Address of a peer that the specification calls, as in store=127.0.0.1:7001, or 'store("a")=127.0.0.1:7002' for the peer with this
    /// key (can be repeated)
    #[arg(long = "peer", value_name = "NAME=HOST:PORT", conflicts_with = "stdio")]
    pub peers: Vec<PeerAddress>,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = count::<u64>, allow_hyphen_values = true)]
    pub seed: u64,
    /// Write a recording for `mayhap validate` to this file
    #[arg(long, value_name = "F")]
    pub trace: Option<PathBuf>,
    /// Serve this mutant of the specification instead, by its number (`mayhap mutate` lists them)
    #[arg(long, value_name = "N", value_parser = count::<usize>, allow_hyphen_values = true)]
    pub mutant: Option<usize>,
    /// Maximum number of concurrent connections
    #[arg(long, value_name = "C", default_value = "1000", value_parser = positive, conflicts_with = "stdio")]
    pub clients: NonZeroUsize,
    /// Range to draw the server's integers from: choose=LO..HI; HI is excluded [default with --http: choose=0..1000000]
    #[arg(long = "range", value_name = "choose=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<RangeArg>,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// `mayhap validate`
#[derive(Args, Debug)]
pub struct Validate {
    /// The specification
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Recordings to judge; `-` is standard input
    #[arg(required = true, value_name = "RECORDING")]
    pub traces: Vec<PathBuf>,
    /// The network between clients and server: sync, tcp, fifo or udp, as in `udp,duplication` [default: sync if the recording begins with
    /// a whole exchange, else tcp]
    ///
    /// Parameters follow after commas: connections=N (at most N connections at once); for udp also duplication (packets may arrive twice).
    #[arg(long, value_name = "NET")]
    pub net: Option<NetworkChoice>,
    /// Format of the recordings.
    #[command(flatten)]
    pub recorded: RecordedAs,
    /// Format of the verdict
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Also print statistics about the work that was done
    #[arg(long)]
    pub stats: bool,
    /// Write the choices that explain an accepted recording to this file, as NDJSON
    #[arg(long, value_name = "F")]
    pub witness: Option<PathBuf>,
    /// Write a page for a browser that draws the histories: who asked what when, and the reason of the verdict
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Only print the verdict, without a witness or a reason
    #[arg(long, conflicts_with_all = ["witness", "check_reason", "html"])]
    pub no_evidence: bool,
    /// Verify the reason of a rejection, by judging again exactly what it claims
    #[arg(long)]
    pub check_reason: bool,
    /// Seconds to spend on the reason of a rejection; after that the reason found so far is printed
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds, allow_hyphen_values = true)]
    #[arg(conflicts_with = "no_evidence")]
    pub reason_time: Duration,
    /// Seconds of work to spend on the explanations of one exchange; after that the verdict may be unknown
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds, allow_hyphen_values = true)]
    pub exchange_time: Duration,
    /// MiB of memory to spend on the explanations; beyond that the verdict may be unknown
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = count::<usize>, allow_hyphen_values = true)]
    pub memory: usize,
    /// Number of recordings to judge in parallel; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = count::<usize>)]
    #[arg(allow_hyphen_values = true)]
    pub jobs: usize,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// `mayhap convert`
#[derive(Args, Debug)]
pub struct Convert {
    /// The history; `-` is standard input
    #[arg(value_name = "HISTORY")]
    pub trace: PathBuf,
    /// Format of the history.
    #[command(flatten)]
    pub recorded: RecordedAs,
    /// Specification of the history: its types say what nil means, and each value is checked against them
    #[arg(long = "for", value_name = "FILE")]
    pub target: Option<PathBuf>,
    /// Write the trace to this file instead of standard output
    #[arg(long, value_name = "F")]
    pub out: Option<PathBuf>,
    /// Which specification of that file.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// `mayhap explore`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("explored").required(true)))]
pub struct ExploreArguments {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE", group = "explored")]
    pub file: Option<PathBuf>,
    /// Explore a program instead of a specification, given as a shell command
    #[arg(long, value_name = "COMMAND", group = "explored", value_parser = command)]
    #[arg(conflicts_with_all = ["file", "steps", "clients", "ranges", "spec", "constants"])]
    pub cmd: Option<String>,
    /// Compare with another specification, or with --cmd another program: do both have the same outputs?
    #[arg(long, value_name = "OTHER")]
    pub versus: Option<String>,
    /// Number of requests that all clients make together
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count::<u64>, allow_hyphen_values = true)]
    pub steps: u64,
    /// Number of clients
    #[arg(long, value_name = "C", default_value_t = NonZeroUsize::MIN, value_parser = positive)]
    pub clients: NonZeroUsize,
    /// Range of integers: request=LO..HI or choose=LO..HI; HI is excluded (can be repeated; default: 0..3)
    #[arg(long = "range", value_name = "WHAT=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<RangeArg>,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
    /// Order in which to visit the runs
    #[arg(long, value_enum, default_value_t = Order::DepthFirst)]
    pub order: Order,
    /// Visit N random runs instead of all; all, if there are at most N (and at most 1024)
    #[arg(long, value_name = "N", conflicts_with = "order", value_parser = positive)]
    pub sample: Option<NonZeroUsize>,
    /// Seed of the random runs
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample", value_parser = count::<u64>)]
    pub seed: u64,
    /// Only visit the run with this token
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["order", "sample", "resume", "versus"])]
    pub replay: Option<String>,
    /// Continue an interrupted search from its token (can be repeated)
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["order", "sample", "versus"])]
    pub resume: Vec<String>,
    /// Maximum number of runs to visit
    #[arg(long, value_name = "N", value_parser = count::<u64>, allow_hyphen_values = true)]
    pub runs: Option<u64>,
    /// Maximum number of choices in a run; longer runs are cut
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<usize>)]
    pub choices: usize,
    /// Time limit for each run of a program, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, conflicts_with = "file")]
    #[arg(allow_hyphen_values = true)]
    pub timeout: Duration,
    /// Number of runs to visit in parallel; 0 means one per core
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<usize>, allow_hyphen_values = true)]
    pub jobs: usize,
    /// Maximum number of outputs to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::<usize>, allow_hyphen_values = true)]
    pub show: usize,
}

impl ExploreArguments {
    /// The specifications to be read.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let versus = self.versus.iter().filter(|_| self.file.is_some()).map(PathBuf::from);
        self.file.iter().cloned().chain(versus).collect()
    }
}

/// The order in which runs are visited.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// In lexicographic order of the choices
    DepthFirst,
    /// Runs with fewer choices first
    BreadthFirst,
}
