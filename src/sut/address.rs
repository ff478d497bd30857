//! The addresses of systems, as `--sut` takes them, and the systems at them.
//!
//! ```
//! use mayhap::sut::SutAddress;
//! assert_eq!("127.0.0.1:7000".parse(), Ok(SutAddress::Tcp("127.0.0.1:7000".into())));
//! assert_eq!("stdio:python3 adapter.py".parse(), Ok(SutAddress::Stdio("python3 adapter.py".into())));
//! assert!("udp:127.0.0.1:7000".parse::<SutAddress>().is_err());
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::played::PlayedPeers;
use super::process::ready::{checked_address, has_port};
use super::process::{Launcher, ResetWay, StartOptions};
use super::stdio::{AdapterReset, StdioSystem};
use super::tcp::TcpSystem;
use super::tcp::dialect::LineDialect;
use super::tcp::http::HttpDialect;
use super::tcp::stream::SystemPlace;
#[cfg(feature = "tls")]
use super::tcp::tls::TlsClient;
use super::{SutFailure, SutFailureKind, System};
use crate::spec::Spec;

/// The address of a system under test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutAddress {
    /// A host and a port, with one connection for each client, and one JSON value on each line.
    Tcp(String),
    /// A command that starts an adapter, with all clients on its standard input and output.
    Stdio(String),
    /// The URL of an HTTP server.
    Http(String),
}

/// The kinds of addresses, for error messages.
const KINDS: &str = "a system is tcp:HOST:PORT (or HOST:PORT), stdio:COMMAND, or http://HOST:PORT (https://HOST)";

impl FromStr for SutAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<SutAddress, String> {
        if let Some(command) = text.strip_prefix("stdio:") {
            let command = command.trim();
            let missing = || format!("stdio: names no command; {KINDS}");
            return if command.is_empty() { Err(missing()) } else { Ok(SutAddress::Stdio(command.to_owned())) };
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(SutAddress::Http(text.to_owned()));
        }
        let address = checked_address(text.strip_prefix("tcp:").unwrap_or(text));
        address.map(SutAddress::Tcp).map_err(|error| format!("{error}; {KINDS}"))
    }
}

impl fmt::Display for SutAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SutAddress::Tcp(address) => write!(f, "tcp:{address}"),
            SutAddress::Stdio(command) => write!(f, "stdio:{command}"),
            SutAddress::Http(url) => f.write_str(url),
        }
    }
}

/// The parts of `http://HOST:PORT/PATH` or `https://HOST/PATH`.
struct HttpUrl {
    is_secure: bool,
    /// The host, with its port if it has one in the URL.
    host: String,
    /// The host and the port.
    address: String,
    /// The beginning of the path of each request.
    path: String,
}

impl FromStr for HttpUrl {
    type Err = String;

    fn from_str(url: &str) -> Result<HttpUrl, String> {
        let (is_secure, rest) = match url.strip_prefix("https://") {
            Some(rest) => (true, rest),
            None => (false, url.strip_prefix("http://").ok_or_else(|| format!("{url} is no URL; {KINDS}"))?),
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if let Some(odd) = path.chars().find(|c| !c.is_ascii_graphic() || matches!(c, '?' | '#')) {
            return Err(format!("{url}: {odd:?} cannot stand in the path that all requests begin with"));
        }
        let address =
            if has_port(host) { host.to_owned() } else { format!("{host}:{}", if is_secure { 443 } else { 80 }) };
        let address = checked_address(&address).map_err(|error| format!("{error}; {KINDS}"))?;
        Ok(HttpUrl { is_secure, host: host.to_owned(), address, path: path.to_owned() })
    }
}

/// Opens the system at an address. It is started at its first reset.
///
/// # Errors
/// The options do not fit together, or the specification cannot be tested at this address.
pub fn open(spec: &Arc<Spec>, address: &SutAddress, start: &StartOptions) -> Result<Box<dyn System>, SutFailure> {
    match address {
        SutAddress::Tcp(address) => {
            let launcher = Launcher::new(start, Some(address))?;
            let peers = PlayedPeers::open(spec, &start.peers)?;
            Ok(Box::new(TcpSystem::new(LineDialect::new(spec), SystemPlace::plain(address), launcher, peers)))
        }
        SutAddress::Stdio(command) => {
            if !spec.program.peers.is_empty() {
                let what =
                    "the specification calls peers, and an adapter has no words for that: --sut tcp:HOST:PORT has";
                return Err(SutFailure::new(SutFailureKind::Start, what));
            }
            let launcher = Launcher::new(start, None)?;
            let is_left = start.reset == Some(ResetWay::Nothing);
            let resets = if is_left { AdapterReset::Never } else { AdapterReset::Asked };
            Ok(Box::new(StdioSystem::new(spec, command, launcher, resets, start.patience)))
        }
        SutAddress::Http(url) => {
            let failed = |what| SutFailure::new(SutFailureKind::Start, what);
            if spec.http.is_none() {
                let name = &spec.program.name;
                return Err(failed(format!("{url} cannot be tested: the specification {name} has no http block")));
            }
            let HttpUrl { is_secure, host, address, path } = url.parse().map_err(failed)?;
            let launcher = Launcher::new(start, Some(&address))?;
            let dialect = HttpDialect::new(spec, &host, &path, &start.headers);
            let place = if is_secure { secure(&address, start).map_err(failed)? } else { SystemPlace::plain(&address) };
            Ok(Box::new(TcpSystem::new(dialect, place, launcher, PlayedPeers::open(spec, &start.peers)?)))
        }
    }
}

/// The place of a system that uses TLS.
#[cfg(feature = "tls")]
fn secure(address: &str, start: &StartOptions) -> Result<SystemPlace, String> {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let tls = TlsClient::new(host, &start.trust)?;
    Ok(SystemPlace { address: address.to_owned(), tls: Some(tls) })
}

#[cfg(not(feature = "tls"))]
fn secure(address: &str, _: &StartOptions) -> Result<SystemPlace, String> {
    Err(format!("https://{address}: this build has no TLS; it is in the feature `tls`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        for text in ["tcp:localhost:7000", "stdio:./adapter 7", "http://127.0.0.1:80", "https://example.org/api"] {
            assert_eq!(text.parse::<SutAddress>().map(|address| address.to_string()).as_deref(), Ok(text));
        }
        for text in
            ["", "stdio:", "stdio: ", "tcp:", "localhost", "localhost:", "udp:localhost:7000", "localhost:99999"]
        {
            let error = text.parse::<SutAddress>().unwrap_err();
            assert!(error.contains("stdio:COMMAND"), "{text}: {error}");
        }
    }
}
