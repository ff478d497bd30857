//! The command line of `mayhap watch`, as data.
//!
//! `mayhap watch kv.may --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080` parses to [`WatchArguments`] with these addresses.

use crate::cli::arguments::selection::SpecArguments;
use crate::cli::arguments::values::{count, seconds};
use clap::Args;
use mayhap::sut::process::ready::checked_address;
use std::path::PathBuf;
use std::time::Duration;

/// The help on `mayhap watch` beside its options.
pub const WATCH_HELP: &str = "\
Examples:
  mayhap watch specs/http.may --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080
  mayhap watch kv.may --listen 0.0.0.0:8081 --upstream db:8080 --record today.ndjson --state kv.state

It listens for clients, and passes each byte on to the server, and back, unchanged and at once. What
passes is judged: HTTP by the http block of the specification, or one JSON value a line if it has none.
What no server of the specification could have answered is printed when it happens; then judging goes
on from any state. Nothing is ever refused; only if 64 MiB wait to be judged, bytes are passed on later.

Requests that the specification says nothing of are passed on, too. If they may have changed something
(all but GET, HEAD, OPTIONS and TRACE), judging goes on from any state.

With --state, the state of judging is kept in a file when watching ends, and goes on from there the
next time. If the server was used meanwhile without being watched, remove that file. If watching ended
in another way (SIGKILL), it goes on from any state.

Watching ends with Ctrl-C or SIGTERM. Exit codes: 0 if nothing was rejected, 1 if something was, 2 if it
could not begin, 3 if nothing was rejected and some of it was too hard to decide.";

/// `mayhap watch`
#[derive(Args, Debug)]
pub struct WatchArguments {
    /// The specification
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Address to listen at for clients; port 0 is any free port
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: String,
    /// Address of the server: HOST:PORT, or http://HOST:PORT/PREFIX if the path of each request begins with a prefix
    #[arg(long, value_name = "ADDRESS", value_parser = server)]
    pub upstream: UpstreamArg,
    /// Write a recording for `mayhap validate` to this file
    #[arg(long, value_name = "F")]
    pub record: Option<PathBuf>,
    /// Keep the state of judging in this file
    #[arg(long, value_name = "F")]
    pub state: Option<PathBuf>,
    /// The server has just been started: it is as the specification begins [default: it is in any state]
    #[arg(long)]
    pub fresh: bool,
    /// Seconds of work to spend on the explanations of one event; after that it is unknown whether it is explained
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds, allow_hyphen_values = true)]
    pub exchange_time: Duration,
    /// MiB of memory to spend on the explanations; beyond that it may be unknown whether an event is explained
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = count::<usize>, allow_hyphen_values = true)]
    pub memory: usize,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

/// `HOST:PORT` or `http://HOST:PORT/PREFIX`: the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UpstreamArg {
    /// The host and the port.
    pub address: String,
    /// The prefix of the paths of judged requests, without a slash at the end.
    pub prefix: String,
}

fn server(text: &str) -> Result<UpstreamArg, String> {
    if text.starts_with("https://") {
        return Err("what is encrypted cannot be watched: put `mayhap watch` after what ends TLS".to_owned());
    }
    let rest = text.strip_prefix("http://").or(text.strip_prefix("tcp:")).unwrap_or(text);
    let (address, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    Ok(UpstreamArg { address: checked_address(address)?, prefix: prefix.trim_end_matches('/').to_owned() })
}
