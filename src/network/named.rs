//! The network that is named on a command line: `tcp`, `udp,duplication`, `tcp,connections=4`.

use std::fmt;
use std::num::{IntErrorKind, NonZeroUsize};
use std::str::FromStr;

use super::{Fifo, Network, Sync, Tcp, Udp};

/// A kind of network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NetworkKind {
    Sync,
    Tcp,
    Fifo,
    Udp,
}

/// The names of the kinds.
const KINDS: [(&str, NetworkKind); 4] =
    [("sync", NetworkKind::Sync), ("tcp", NetworkKind::Tcp), ("fifo", NetworkKind::Fifo), ("udp", NetworkKind::Udp)];

/// A network with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkChoice {
    kind: NetworkKind,
    connections: Option<usize>,
    loss: bool,
    duplication: bool,
}

impl NetworkChoice {
    /// One request at a time.
    pub const SYNC: NetworkChoice = NetworkChoice::of(NetworkKind::Sync);
    /// Connections without limits.
    pub const TCP: NetworkChoice = NetworkChoice::of(NetworkKind::Tcp);

    const fn of(kind: NetworkKind) -> NetworkChoice {
        NetworkChoice { kind, connections: None, loss: false, duplication: false }
    }

    /// Tests whether clients wait for each answer.
    #[must_use]
    pub fn is_sync(&self) -> bool {
        self.kind == NetworkKind::Sync
    }

    /// The most connections that are open at once, if that is limited.
    #[must_use]
    pub fn connections(&self) -> Option<usize> {
        self.connections
    }

    /// Tests whether random clients lose packets; a recording is judged as if any packet may be lost.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.loss
    }

    /// Tests whether packets may come again.
    #[must_use]
    pub fn duplicates(&self) -> bool {
        self.duplication
    }

    /// Tests whether it does what TCP does if each connection has at most `most` requests without an answer, of a server that answers each
    /// once: nothing is overtaken.
    #[must_use]
    pub fn is_like_tcp(&self, most: usize) -> bool {
        match self.kind {
            NetworkKind::Tcp => true,
            NetworkKind::Udp => most <= 1 && !self.duplication,
            NetworkKind::Sync | NetworkKind::Fifo => false,
        }
    }

    /// The parameters that are set, as they are written on a command line.
    fn parameters(&self) -> Vec<String> {
        let connections = self.connections.map(|limit| format!("connections={limit}"));
        let flags = [("loss", self.loss), ("duplication", self.duplication)].into_iter().filter(|(_, is_set)| *is_set);
        connections.into_iter().chain(flags.map(|(name, _)| name.to_owned())).collect()
    }

    /// The model of the network.
    #[doc(hidden)]
    #[must_use]
    pub fn network(&self) -> Box<dyn Network> {
        match self.kind {
            NetworkKind::Sync => Box::new(Sync),
            NetworkKind::Tcp => Box::new(Tcp),
            NetworkKind::Fifo => Box::new(Fifo),
            NetworkKind::Udp => Box::new(Udp { duplication: self.duplication }),
        }
    }

    /// Adds a parameter.
    fn with(mut self, parameter: &str) -> Result<NetworkChoice, String> {
        let (name, value) = parameter.split_once('=').map_or((parameter, None), |(name, value)| (name, Some(value)));
        let number = || limit(name, value.unwrap_or_default());
        let given = self.parameters().into_iter().find(|given| given.split('=').next() == Some(name));
        if let Some(given) = given {
            return Err(format!("`{name}` is given twice: as `{given}`, and then as `{parameter}`"));
        }
        match (name, value) {
            _ if self.is_sync() => return Err("`sync` has no parameters".to_owned()),
            ("connections", _) => self.connections = Some(number()?),
            ("loss" | "duplication", _) if self.kind != NetworkKind::Udp => {
                return Err(format!("only `udp` has `{name}`"));
            }
            ("loss", None) => self.loss = true,
            ("duplication", None) => self.duplication = true,
            ("loss" | "duplication", Some(_)) => return Err(format!("`{name}` takes no value")),
            _ => {
                let all = "connections=N, and of `udp` loss and duplication";
                return Err(format!("there is no parameter `{parameter}`: expected {all}"));
            }
        }
        Ok(self)
    }
}

/// The value of a limit.
fn limit(name: &str, value: &str) -> Result<usize, String> {
    match value.parse::<NonZeroUsize>() {
        Ok(limit) => Ok(limit.get()),
        Err(why) if *why.kind() == IntErrorKind::PosOverflow => Err(format!("`{name}={value}` is too large")),
        Err(_) => Err(format!("expected a number of at least 1, as in `{name}=1`")),
    }
}

impl FromStr for NetworkChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<NetworkChoice, String> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) else {
            let names = KINDS.map(|(name, _)| name).join(", ");
            return Err(format!("there is no network `{name}`: expected one of {names}"));
        };
        parts.try_fold(NetworkChoice::of(*kind), NetworkChoice::with)
    }
}

/// Writes the name and the parameters, as on a command line.
impl fmt::Display for NetworkChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| name);
        f.write_str(name)?;
        self.parameters().iter().try_for_each(|parameter| write!(f, ",{parameter}"))
    }
}
