//! Files of programs that are parts of one: members of a protocol, or the body of a machine, with verdicts of traces under them.
//!
//! `on q { reply q; }` and below it `= reject 2: [[1, 1], [2, 7]]` says that the second answer is rejected. An exchange is a request
//! with its answer, a request alone, or an event as it stands in a trace. Lines that begin with `#` are comments.

use crate::judge::text;
use serde_json::{Value, json};

/// A program with its traces.
pub struct Program {
    pub members: String,
    pub cases: Vec<Case>,
}

/// A verdict, the event that it speaks of, and the lines of the trace.
pub struct Case {
    pub verdict: String,
    pub event: Option<usize>,
    pub trace: String,
}

/// The programs of `tests/data/programs/NAME.txt`.
pub fn read(name: &str) -> Vec<Program> {
    let text = text(format!("tests/data/programs/{name}.txt"));
    let blocks =
        text.split("\n\n").map(|block| block.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>());
    let program = |block: Vec<&str>| {
        let (cases, members): (Vec<&str>, Vec<&str>) = block.into_iter().partition(|line| line.starts_with("= "));
        Program { members: members.join("\n"), cases: cases.into_iter().map(case).collect() }
    };
    blocks.filter(|block| !block.is_empty()).map(program).collect()
}

fn case(line: &str) -> Case {
    let (head, exchanges) = line[2..].split_once(": ").unwrap_or_else(|| panic!("{line}"));
    let (verdict, event) = head.split_once(' ').unwrap_or((head, ""));
    let exchanges: Vec<Value> = serde_json::from_str(exchanges).unwrap_or_else(|error| panic!("{line}: {error}"));
    let event_of = |exchange: Value| match exchange.as_array().map(Vec::as_slice) {
        Some([q, a]) => json!({"q": q, "a": a}),
        Some([q]) => json!({"q": q}),
        _ => exchange,
    };
    let lines = exchanges.into_iter().map(|exchange| event_of(exchange).to_string() + "\n");
    Case { verdict: verdict.to_owned(), event: event.parse().ok(), trace: lines.collect() }
}
