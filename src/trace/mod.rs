//! Traces: the observations of a tester, one event a line, read as a stream and written.
//!
//! The format is NDJSON. `{"q": 5, "a": 1}` is a whole exchange, `{"c": 1, "q": 5}` a request of connection 1 whose answer is on a later
//! line, `{"c": 1, "lost": true}` a client that gave up, and `{"restart": true}` a system that was killed and started again. The order of
//! lines is the order in which the tester observed the events. Histories of other tools are read as the same events (`TraceFormat`,
//! `JepsenTrace`, `HarTrace`, `PorcupineTrace`).
//!
//! The type of a query or an answer depends on the specification, which is not known here: [`TraceEvent`] is generic over it, and the
//! [`TraceReader`] returns each as the [`Raw`] text in the line.
//!
//! ```
//! use mayhap::trace::{EventKind, TraceReader, Response};
//! let mut reader = TraceReader::new("{\"q\": 5, \"a\": 1, \"note\": \"first\"}\n".as_bytes());
//! let line = reader.next_line()?.expect("one event");
//! let EventKind::Exchange { query, reply: Response::Answer(answer) } = &line.event.kind else { panic!() };
//! assert_eq!((query.text, answer.text, line.event.line), ("5", "1", 1));
//! assert_eq!(line.notes(), [("note".to_string(), "\"first\"")]);
//! # Ok::<(), mayhap::trace::TraceError>(())
//! ```

mod error;
mod event;
mod format;
mod har;
mod jepsen;
mod line;
mod places;
mod porcupine;
mod reader;

pub use error::TraceError;
pub use event::{EventKind, PeerEvent, PeerMessage, Response, TraceEvent};
pub use format::TraceFormat;
pub use har::{HarCounts, HarTrace};
pub use jepsen::{ExchangePart, FailRule, JepsenCounts, JepsenEvent, JepsenRules, JepsenTrace, NilRule};
pub use line::{Header, Raw, TraceLine};
pub use places::{EventPlace, Places};
pub use porcupine::PorcupineTrace;
pub use reader::{MAX_LINE_BYTES, NextLine, TracePosition, TraceReader};
