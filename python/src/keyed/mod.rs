//! Recordings that are judged key by key, in parts that have nothing to do with each other: what `mayhap.spark` needs.
//!
//! Rows of a table are packed by the bucket of their key, merged again in the order of time, and judged by one session for each key.
//!
//! ```text
//! rows in any order  ──Router──▶  packed rows of a bucket  ──Judge──▶  one verdict for each key
//! ```

mod judge;
mod merging;
mod packing;
mod reading;
mod router;

pub use judge::Judge;
pub use router::Router;

use crate::errors::Kind;
use mayhap::json::encode;
use mayhap::network::NetworkChoice;
use mayhap::report;
use mayhap::session::is_order;
use mayhap::spec::analysis::partition::RequestKeys;
use mayhap::trace::{EventKind, Response, TraceEvent};
use mayhap::value::Value;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use reading::{Misread, RowReader};
use std::sync::Arc;

/// The keys of a specification whose keys have nothing to do with each other.
#[pyclass(frozen, module = "mayhap._mayhap")]
pub struct Keys {
    known: Arc<Keyed>,
}

/// A specification with its keys, and the network that is between clients and server.
pub struct Keyed {
    spec: Arc<mayhap::Spec>,
    keys: RequestKeys,
    net: NetworkChoice,
}

/// The reason why an event cannot be judged by its key.
type Refused = String;

/// What a row of a stream is: a word, its client, and the key of its request as a text.
type ReadRow = (&'static str, u64, Option<String>);

#[pymethods]
impl Keys {
    /// The keys, if each can be judged alone over a network.
    #[new]
    fn new(py: Python<'_>, spec: &crate::spec::Spec, net: &str) -> PyResult<Keys> {
        let net: NetworkChoice = net.parse().map_err(|why: String| Kind::Usage.error(py, &format!("error: {why}")))?;
        let known = Keyed::of(&spec.spec, net).map_err(|why| Kind::Spec.error(py, &format!("error: {why}")))?;
        Ok(Keys { known: Arc::new(known) })
    }

    /// Reads lines, and returns for each the kind of the event, its client, and the key of its request; `name` names what is wrong with
    /// a line, by its index.
    fn read<'py>(&self, py: Python<'py>, lines: Vec<PyBackedStr>, name: &Bound<'py, PyAny>) -> PyResult<Vec<ReadRow>> {
        let mut reader = RowReader::new(&self.known.spec);
        let mut read = |line: &str| Ok(self.known.row(&reader.event(line.as_bytes())?)?);
        let rows = lines
            .iter()
            .enumerate()
            .map(|(row, line)| read(line).map_err(|misread: Misread| misread.raised(py, name, row)));
        rows.collect()
    }

    /// Tests whether a restart changes nothing but what is under way.
    #[getter]
    fn ignores_restarts(&self) -> bool {
        self.known.spec.program.restarts.is_none()
    }
}

impl Keyed {
    /// The keys of a specification.
    ///
    /// # Errors
    /// The keys cannot be judged one by one over this network.
    fn of(spec: &Arc<mayhap::Spec>, net: NetworkChoice) -> Result<Keyed, String> {
        let program = &spec.program;
        let name = &program.name;
        let keys = RequestKeys::find(program)
            .map_err(|_| format!("`{name}` cannot be judged key by key: it is judged {}", report::partition(spec)))?;
        let refused = |why: &str| Err(format!("`{name}` cannot be judged key by key: {why}"));
        if program.names_clients {
            return refused(
                "its handlers ask which client sent a request (`from`), and a client has one name for all keys",
            );
        }
        if program.opens.is_some() || program.closes.is_some() {
            return refused("`on open` and `on close` are about all requests of a connection");
        }
        let is_judged = net.is_sync() || net == NetworkChoice::TCP && is_order(&spec.for_networks());
        if !is_judged {
            return refused("over a network only servers are that answer each request once, at once, over tcp");
        }
        if net.is_sync() && !spec.asynchronous().is_empty() {
            return refused("its handlers wait for each other");
        }
        Ok(Keyed { spec: spec.clone(), keys, net })
    }

    /// The key of a request; nothing if it touches no entry.
    fn key(&self, request: &Value) -> Result<Option<Value>, Refused> {
        self.keys.key(request).map_err(|_| "the key of the request was not recorded".to_owned())
    }

    /// The key of a request as a text: a string itself, and any other key as JSON.
    fn key_text(&self, request: &Value, key: &Value) -> String {
        let (types, asked) = (&self.spec.types, self.spec.program.request);
        let of_field = |(variant, at): (u32, u32)| Some(types.fields(asked, variant).get(at as usize)?.1);
        let json = encode(types, self.keys.field(request).and_then(of_field).unwrap_or(asked), key);
        plain_string(&json).unwrap_or(json)
    }

    /// Checks that an event is one that can be judged by a key over the network.
    fn admit(&self, event: &TraceEvent<Value>) -> Result<(), Refused> {
        match &event.kind {
            EventKind::Exchange { .. } => Ok(()),
            EventKind::Restart if self.keys.meet_at_restarts() => {
                Err("a restart couples keys: what `on restart` does is about several keys together".to_owned())
            }
            EventKind::Restart => Ok(()),
            _ if self.net.is_sync() => {
                Err("this is no whole exchange, which has \"q\" and \"a\": single events are judged with net=\"tcp\""
                    .to_owned())
            }
            EventKind::Request(_) | EventKind::Answer(_) | EventKind::Lost | EventKind::Closed => Ok(()),
            _ => Err("such events are not judged key by key".to_owned()),
        }
    }

    /// The request that is under way after an event, if it has sent one that it has no answer to.
    fn sent<'e>(&self, event: &'e TraceEvent<Value>) -> Option<&'e Value> {
        match &event.kind {
            EventKind::Request(request) => Some(request),
            EventKind::Exchange { query, reply: Response::NotOwed } if !self.net.is_sync() => Some(query),
            _ => None,
        }
    }

    fn row(&self, event: &TraceEvent<Value>) -> Result<ReadRow, Refused> {
        self.admit(event)?;
        let key = match request(event) {
            Some(request) => self.key(request)?.map(|key| self.key_text(request, &key)),
            None => None,
        };
        let kind = match event.kind {
            _ if self.sent(event).is_some() => "request",
            EventKind::Exchange { .. } => "exchange",
            EventKind::Restart => "restart",
            _ => "end",
        };
        Ok((kind, event.client.unwrap_or(1), key))
    }
}

/// The request of an event that has one.
fn request(event: &TraceEvent<Value>) -> Option<&Value> {
    match &event.kind {
        EventKind::Request(request) | EventKind::Exchange { query: request, .. } => Some(request),
        _ => None,
    }
}

/// The text of a JSON string; nothing if the JSON is no string.
fn plain_string(json: &str) -> Option<String> {
    json.starts_with('"').then(|| mayhap::json::Scanner::new(json).string().ok().map(std::borrow::Cow::into_owned))?
}
