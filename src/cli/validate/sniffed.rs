//! The format of a recording, its network and the specification that it names, judged by its first bytes.
//!
//! Without `--net`, a recording is taken to be of TCP if its first event is no whole exchange: `{"c": 1, "q": 5}`.

use mayhap::network::NetworkChoice;
use mayhap::script::JsonTree;
use mayhap::trace::{EventKind, Header, TraceFormat, TraceReader};
use std::io::BufRead;

/// The format of a trace, judged by the bytes that have arrived.
pub fn sniffed_format(input: &mut impl BufRead) -> TraceFormat {
    TraceFormat::sniffed(input.fill_buf().unwrap_or_default())
}

/// The network of a trace, judged by the lines that have arrived. Scripts have TCP, as their requests may overlap later. For
/// other traces the first event that is no restart decides.
pub fn sniffed_network(input: &mut impl BufRead, format: TraceFormat) -> NetworkChoice {
    if format != TraceFormat::Ndjson {
        return NetworkChoice::TCP;
    }
    let arrived = input.fill_buf().unwrap_or_default();
    if is_script(arrived) {
        return NetworkChoice::TCP;
    }
    let mut reader = TraceReader::new(arrived);
    loop {
        return match reader.next_line() {
            Ok(Some(line)) if matches!(line.event.kind, EventKind::Restart) => continue,
            Ok(Some(line)) if !matches!(line.event.kind, EventKind::Exchange { .. }) => NetworkChoice::TCP,
            Ok(_) | Err(_) => NetworkChoice::SYNC,
        };
    }
}

/// The first line of a trace, which names its specification, judged by the bytes that have arrived.
pub fn sniffed_header(input: &mut impl BufRead, format: TraceFormat) -> Option<Header> {
    if format != TraceFormat::Ndjson {
        return None;
    }
    let mut reader = TraceReader::new(input.fill_buf().unwrap_or_default());
    // An error in this line, or after it, is reported when the trace is read.
    _ = reader.next_line();
    reader.header().cloned()
}

/// Tests whether the first line is the header of a script, as it names a cause or a system.
fn is_script(arrived: &[u8]) -> bool {
    let begin = arrived.trim_ascii_start();
    let line = begin.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(JsonTree::Object(members)) = JsonTree::read(str::from_utf8(line).unwrap_or_default()) else { return false };
    let has = |key: &str| members.iter().any(|(name, _)| name == key);
    has("mayhap") && (has("cause") || has("sut"))
}
