//! The command line of `mayhap test` and `mayhap replay`, as data.
//!
//! `mayhap test kv.may --sut 127.0.0.1:7000 --clients 8` parses to [`TestArguments`] with eight clients.

use super::selection::SpecArguments;
use super::values::{command, count, header, positive, probability, rate, seconds, seconds_or_zero, size, until};
use clap::Args;
use mayhap::generate::SourceWeights;
use mayhap::network::NetworkChoice;
use mayhap::report::campaign::wanted::RequestedReport;
use mayhap::sut::process::ready::ReadySign;
use mayhap::sut::process::{ResetWay, StartOptions, TlsTrust};
use mayhap::sut::{PeerAddress, SutAddress};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The help on `mayhap test` beside its options.
pub const TEST_HELP: &str = "\
Examples:
  mayhap test specs/kv_etag.may --sut 127.0.0.1:7000
  mayhap test specs/kv_etag.may --sut 127.0.0.1:7000 --start './server 7000' --reset restart
  mayhap test specs/redis_strings.may --sut 'stdio:python3 adapter.py 6379' --clients 8
  mayhap test specs/kv.may --sut 127.0.0.1:7000 --start './server 7000' --crash 0.01
  mayhap test specs/kv.may --sut 127.0.0.1:7000 --report json:out.json,html:out.html

The system is asked random requests of the specification's type. The judge follows each answer. The
first one that no server of the specification could give is a violation: it is shrunk to the fewest
requests that still show it, and kept in --regressions, where the next test begins with it.

--sut is one of
  tcp:HOST:PORT or HOST:PORT   a connection for each client, with one JSON value a line
  http://HOST:PORT             a web server or service, by the http block of the specification
  https://HOST:PORT            the same with TLS
  stdio:COMMAND                an adapter, which talks to the system: see docs/TESTING.md

Without --reset and --start the system is not reset: then nothing is assumed about its state.

In a project, mayhap.toml says these options: see docs/TESTING.md.

One seed gives one test: its standard output is the same, byte for byte, if the system is
deterministic. Times and rates go to standard error.

Exit codes:
  0    no violation
  1    a violation was found
  2    the command could not do its job, or no answer was ever forced, so that nothing was tested
  3    no violation, but some answers were too hard to decide, or the specification is at fault
  4    the system or its adapter broke down: it crashed, hung, or sent something that is no answer
  130  interrupted, and nothing was found before";

/// The directory of regressions, unless another one is said; a configuration has it beside itself.
pub const REGRESSIONS: &str = "mayhap-regressions";

/// The number of requests of a test, unless another one is said.
const USUAL_REQUESTS: u64 = 10_000;

/// The help on `mayhap replay` beside its options.
pub const REPLAY_HELP: &str = "\
Examples:
  mayhap replay mayhap-regressions/48-put-nocontent.ndjson
  mayhap replay mayhap-regressions/*.ndjson --sut 127.0.0.1:7000 --start ./server
  mayhap replay found.ndjson --for specs/kv_etag.may --export rust

A script says for which specification and system it was found, but no command of it is run, except
with --trust-script: the options, or mayhap.toml, say how the system is started.

Each script is run up to --times times, and gets a line: `fixed`, `fails 20 of 20`, `fails
otherwise` (and why), `outside the specification`, `undecided` or `error`.

Exit codes: 0 all are fixed; 1 one fails; 2 a script does not fit the specification; 3 one is
undecided; 4 the system could not be run; 130 interrupted.";

/// The system under test.
#[derive(Args, Clone, Debug)]
pub struct SutArguments {
    /// The system: tcp:HOST:PORT, HOST:PORT, http://HOST:PORT, https://HOST:PORT or stdio:COMMAND
    #[arg(long, value_name = "SYSTEM")]
    pub sut: Option<SutAddress>,
    /// Place at which a peer of the system is played, as in store=127.0.0.1:7001, 'shard(2)=127.0.0.1:7002' or origin=http://127.0.0.1:8085
    /// (can be repeated)
    #[arg(long = "peer", value_name = "NAME=ADDRESS")]
    pub peers: Vec<PeerAddress>,
    /// Start the system with this shell command, and stop it at the end
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    pub start: Option<String>,
    /// The sign that a started system is ready: tcp:HOST:PORT, http:URL, line:REGEX or SECONDS [default: its port can be connected to]
    #[arg(long, value_name = "SIGN", requires = "start")]
    pub ready: Option<ReadySign>,
    /// The way to reset the system before each run: restart, none, a shell command that is run while the system runs, or
    /// `restart: COMMAND`, whose command removes what the system stored [default: restart with --start, else none]
    #[arg(long, value_name = "HOW")]
    pub reset: Option<ResetWay>,
    /// Seconds that an answer may take
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds, allow_hyphen_values = true)]
    pub deadline: Duration,
    /// Number of clients
    #[arg(long, value_name = "C", default_value = "3", value_parser = clap::value_parser!(NonZeroU64))]
    pub clients: NonZeroU64,
    /// Header of every request over HTTP, as in 'Authorization: Bearer ${TOKEN}': ${TOKEN} is a variable of the environment (can be
    /// repeated)
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// Trust certificates that an authority in this PEM file has signed, too, at https://
    #[arg(long, value_name = "FILE", conflicts_with = "tls_insecure")]
    pub tls_ca: Option<PathBuf>,
    /// Trust any certificate at https://
    #[arg(long)]
    pub tls_insecure: bool,
    /// The network between the clients and the system
    #[arg(long, value_name = "NET", default_value_t = NetworkChoice::TCP)]
    pub net: NetworkChoice,
    /// Profile of the configuration that is used
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Configuration [default: mayhap.toml, here or in a directory above]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long)]
    pub no_config: bool,
    /// The typed options with which a script is run again, as they are typed.
    #[arg(skip)]
    pub again: String,
}

/// `mayhap test`
#[derive(Args, Debug)]
pub struct TestArguments {
    /// The specification
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The system.
    #[command(flatten)]
    pub system: SutArguments,
    /// Number of requests [default: 10000; with --until or --sample, no limit]
    #[arg(long, value_name = "N", value_parser = count::<u64>, allow_hyphen_values = true)]
    pub requests: Option<u64>,
    /// End as soon as every branch of the specification was taken N times [default: 10], or after 10000 requests in a row that took none of
    /// those that are left
    #[arg(long, value_name = "covered[=N]", value_parser = until)]
    pub until: Option<u64>,
    /// Run K feasible paths of the specification, drawn uniformly, instead of random requests: see docs/PATHS.md
    #[arg(long, value_name = "K", value_parser = positive, conflicts_with_all = ["until", "crash", "waits"])]
    pub sample: Option<NonZeroUsize>,
    /// Number of requests of each of these paths
    #[arg(long, value_name = "N", default_value = "2", value_parser = positive, requires = "sample")]
    pub sample_requests: NonZeroUsize,
    /// Seconds after which the test ends
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub time: Option<Duration>,
    /// Number of requests of the longest runs; the system is reset after each run
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(NonZeroU64))]
    pub steps: NonZeroU64,
    /// Number of causes after which the test ends; 0: it goes on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<usize>, allow_hyphen_values = true)]
    pub max_failures: usize,
    /// Seed of all that is drawn [default: drawn, and printed]
    #[arg(long, value_name = "S", value_parser = count::<u64>, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Most requests a second
    #[arg(long, value_name = "R", value_parser = rate, allow_hyphen_values = true)]
    pub rate: Option<f64>,
    /// Share of the requests before which the system is killed and started again, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability, allow_hyphen_values = true)]
    #[arg(requires = "start")]
    pub crash: f64,
    /// Seconds to wait before some of the requests, such as times after which something expires: each a little shorter or longer, or in two
    /// parts (several with commas) [default: 1 over HTTP, else none]
    #[arg(long, value_name = "S", value_delimiter = ',', value_parser = seconds)]
    pub waits: Option<Vec<Duration>>,
    /// The most characters or bytes of a long value, as in 64KiB; a length that the specification names is drawn, too
    #[arg(long, value_name = "SIZE", default_value = "8KiB", value_parser = size)]
    pub largest: usize,
    /// Let clients over HTTP send requests before their earlier ones are answered, as over TCP
    #[arg(long)]
    pub pipeline: bool,
    /// Seconds to spend on shrinking a failure; 0 leaves it as it was found
    #[arg(long, value_name = "S", default_value = "30", value_parser = seconds_or_zero, allow_hyphen_values = true)]
    pub shrink_time: Duration,
    /// Directory of regressions: run first, and written
    #[arg(long, value_name = "DIR", default_value = REGRESSIONS)]
    pub regressions: PathBuf,
    /// Factors of the weights of the sources of values, as in trace=2,state=0
    #[arg(long, value_name = "WEIGHTS", value_parser = SourceWeights::read, default_value = "", hide_default_value = true)]
    pub generate: SourceWeights,
    /// Write reports: json:F, junit:F, html:F or mermaid:F (several with commas)
    #[arg(long, value_name = "FORMAT:F", value_delimiter = ',')]
    pub report: Vec<RequestedReport>,
    /// File of known causes, which do not fail the test
    #[arg(long, value_name = "F")]
    pub baseline: Option<PathBuf>,
    /// Write the causes that were found to the file of --baseline
    #[arg(long, requires = "baseline")]
    pub baseline_update: bool,
    /// Send one request of each kind, say what comes back, and end
    #[arg(long)]
    pub check_adapter: bool,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// `mayhap replay`
#[derive(Args, Clone, Debug)]
pub struct ReplayArguments {
    /// Scripts to run
    #[arg(required = true, value_name = "SCRIPT")]
    pub scripts: Vec<PathBuf>,
    /// The system.
    #[command(flatten)]
    pub system: SutArguments,
    /// Most runs of a script that passes
    #[arg(long, value_name = "N", default_value = "20", value_parser = positive)]
    pub times: std::num::NonZeroUsize,
    /// Run the commands that stand in the scripts
    #[arg(long)]
    pub trust_script: bool,
    /// Print the scripts as a test in a language instead of running them
    #[arg(long, value_name = "LANGUAGE")]
    pub export: Option<ExportLanguage>,
    /// The specification [default: what the script says]
    #[arg(long = "for", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// The languages that a script can be printed in.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportLanguage {
    /// A `#[test]`.
    Rust,
}

impl TestArguments {
    /// The most requests of the test.
    #[must_use]
    pub fn most_requests(&self) -> u64 {
        self.requests.unwrap_or(if self.until.is_some() || self.sample.is_some() { u64::MAX } else { USUAL_REQUESTS })
    }
}

impl SutArguments {
    /// The way to start and reset the system, until the flag is set.
    #[must_use]
    pub fn start_options(&self, stop: &Arc<AtomicBool>) -> StartOptions {
        StartOptions {
            command: self.start.clone(),
            ready: self.ready.clone(),
            reset: self.reset.clone(),
            patience: StartOptions::default().patience.max(self.deadline),
            stop: stop.clone(),
            headers: self.headers.clone(),
            peers: self.peers.clone(),
            trust: match (&self.tls_ca, self.tls_insecure) {
                (_, true) => TlsTrust::Anything,
                (Some(file), false) => TlsTrust::File(file.clone()),
                (None, false) => TlsTrust::Machine,
            },
        }
    }

    /// Tests whether the system is as it was started at the beginning of each run.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        match &self.reset {
            Some(ResetWay::Nothing) => false,
            Some(ResetWay::Restart | ResetWay::RestartAfter(_) | ResetWay::Command(_)) => true,
            None => self.start.is_some() || matches!(self.sut, Some(SutAddress::Stdio(_))),
        }
    }
}
