//! The manifest of planted bugs, as data.

use crate::judge::text;

const PLANTED: &str = "tests/data/planted";

/// The part of the bugs that one is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Those that generation and shrinking are measured by.
    First,
    /// Those by which it is seen whether they fit the first ones only.
    Second,
}

/// What a bug leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// An answer that the specification does not allow.
    Violation,
    /// The end of the server.
    Crash,
    /// No answer, although the server runs.
    Hang,
    /// A line that is no answer.
    Garbage,
}

/// A row of the manifest.
pub struct Planted {
    pub name: String,
    pub part: Part,
    pub spec: String,
    pub options: String,
    /// The program and its arguments, but for `--port` and `--seed`.
    pub command: Vec<String>,
    pub kind: String,
    pub failure: Failure,
    /// The number of clients that it takes.
    pub clients: usize,
    /// The least number of requests that it takes.
    pub requests: usize,
    pub trace: String,
}

impl Planted {
    /// The command of the server without the bug.
    pub fn correct(&self) -> Vec<String> {
        self.command.iter().take_while(|word| *word != "--bug").cloned().collect()
    }
}

fn row(line: &str) -> Planted {
    let columns: Vec<&str> = line.split('\t').collect();
    let [name, set, spec, options, command, kind, failure, clients, requests, trace, _] =
        columns.try_into().unwrap_or_else(|_| panic!("eleven columns: {line}"));
    Planted {
        name: name.to_owned(),
        part: match set {
            "first" => Part::First,
            "second" => Part::Second,
            _ => panic!("{line}"),
        },
        spec: format!("specs/{spec}"),
        options: options.to_owned(),
        command: command.split(' ').map(str::to_owned).collect(),
        kind: kind.to_owned(),
        failure: match failure {
            "violation" => Failure::Violation,
            "crash" => Failure::Crash,
            "hang" => Failure::Hang,
            "garbage" => Failure::Garbage,
            _ => panic!("{line}"),
        },
        clients: clients.parse().unwrap(),
        requests: requests.parse().unwrap(),
        trace: format!("{PLANTED}/{trace}"),
    }
}

/// All planted bugs.
pub fn all() -> Vec<Planted> {
    text(format!("{PLANTED}/manifest.tsv")).lines().skip(1).map(row).collect()
}
