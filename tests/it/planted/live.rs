//! A running server with a planted bug, which is asked what a trace says.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::manifest::{Failure, Planted};
use super::second::{Listening, open};
use crate::judge::{root, text};

/// Longer than an answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time after which a server that does not answer hangs.
const HANGS: Duration = Duration::from_millis(500);
/// Attempts at what depends on chance.
const ATTEMPTS: u64 = 30;

/// A line of a trace, or a half of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A client asks.
    Ask { client: u64, request: Value },
    /// It gets this answer.
    Answer { client: u64, answer: Value },
}

/// The steps of a trace, and the number of its lines.
pub fn steps(trace: &str) -> (Vec<Step>, usize) {
    let text = text(trace);
    let mut steps = Vec::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let client = line["c"].as_u64().unwrap_or(1);
        let mut taken = |name: &str| line.as_object_mut().and_then(|line| line.remove(name));
        steps.extend(taken("q").map(|request| Step::Ask { client, request }));
        steps.extend(taken("a").map(|answer| Step::Answer { client, answer }));
    }
    (steps, text.lines().count())
}

/// A connection, from which whole lines are read.
struct Link {
    stream: BufReader<TcpStream>,
    /// The number of its requests without an answer.
    open: usize,
}

/// What comes instead of an answer.
#[derive(Clone, PartialEq, Debug)]
enum Seen {
    Answer(Value),
    Instead(Failure),
}

impl Link {
    fn read(&mut self, patience: Duration) -> Seen {
        self.stream.get_ref().set_read_timeout(Some(patience)).unwrap();
        let mut line = String::new();
        self.open -= 1;
        match self.stream.read_line(&mut line) {
            Ok(0) => Seen::Instead(Failure::Crash),
            Ok(_) => serde_json::from_str(&line).map_or(Seen::Instead(Failure::Garbage), Seen::Answer),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Seen::Instead(Failure::Crash),
            Err(_) => Seen::Instead(Failure::Hang),
        }
    }
}

/// What runs.
pub enum Running {
    Process(Child),
    /// A store of this process, which listens.
    Here {
        _listening: Listening,
    },
}

/// A running server, and connections to it.
pub struct Live {
    pub running: Running,
    address: SocketAddr,
    links: BTreeMap<u64, Link>,
}

impl Live {
    /// Starts a server on a free port: `python3 … --bug NAME`, or `rust STORE --bug NAME` in this process.
    pub fn start(command: &[String]) -> Live {
        match command {
            [rust, store, bug @ ..] if rust == "rust" => {
                let listening = Listening::start(open(store, bug.get(1).map(String::as_str), 0), 0);
                Live {
                    address: listening.address,
                    running: Running::Here { _listening: listening },
                    links: BTreeMap::new(),
                }
            }
            command => Live::process(command),
        }
    }

    fn process(command: &[String]) -> Live {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .args(["--seed", "0"])
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
        let address = first.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{command:?}: {first:?}"));
        Live { address: address.parse().unwrap(), running: Running::Process(child), links: BTreeMap::new() }
    }

    fn link(&mut self, client: u64) -> &mut Link {
        let address = self.address;
        self.links.entry(client).or_insert_with(|| {
            let stream = TcpStream::connect(address).unwrap();
            stream.set_nodelay(true).unwrap();
            Link { stream: BufReader::new(stream), open: 0 }
        })
    }

    /// A server that ends may have done so before it is asked.
    fn ask(&mut self, client: u64, request: &Value) {
        let link = self.link(client);
        link.open += 1;
        _ = link.stream.get_mut().write_all(format!("{request}\n").as_bytes());
    }

    /// Connects all clients, so that requests which are to overlap leave at once.
    fn connect(&mut self, steps: &[Step]) {
        for step in steps {
            let (Step::Ask { client, .. } | Step::Answer { client, .. }) = step;
            self.link(*client);
        }
    }

    /// Asks what the steps say and compares the answers; what is different, in words.
    fn compare(&mut self, steps: &[Step], failure: Failure) -> Result<(), String> {
        self.connect(steps);
        for step in steps {
            match step {
                Step::Ask { client, request } => self.ask(*client, request),
                Step::Answer { client, answer } => {
                    let seen = self.link(*client).read(PATIENCE);
                    if seen != Seen::Answer(answer.clone()) {
                        return Err(format!("{seen:?} instead of {answer}"));
                    }
                }
            }
        }
        let patience = if failure == Failure::Hang { HANGS } else { PATIENCE };
        let open = self.links.values_mut().filter(|link| link.open > 0 && failure != Failure::Violation);
        let others: Vec<Seen> =
            open.map(|link| link.read(patience)).filter(|seen| *seen != Seen::Instead(failure)).collect();
        if others.is_empty() { Ok(()) } else { Err(format!("{others:?}")) }
    }

    /// Asks what the steps say, and the trace with the answers that come. A request that waits for another client's next one
    /// may have none.
    pub fn answers(mut self, steps: &[Step]) -> String {
        self.connect(steps);
        let mut trace = String::new();
        let mut owed: VecDeque<u64> = VecDeque::new();
        let mut last_is_answer = true;
        for step in steps.iter().chain([&Step::Answer { client: 0, answer: Value::Null }]) {
            match step {
                Step::Ask { client, request } => {
                    if last_is_answer {
                        self.collect(&mut owed, &mut trace);
                    }
                    last_is_answer = false;
                    self.ask(*client, request);
                    owed.push_back(*client);
                    writeln!(trace, "{}", json!({"c": client, "q": request})).unwrap();
                }
                Step::Answer { .. } => last_is_answer = true,
            }
        }
        self.collect(&mut owed, &mut trace);
        trace
    }

    fn collect(&mut self, owed: &mut VecDeque<u64>, trace: &mut String) {
        for client in owed.drain(..) {
            match self.link(client).read(PATIENCE) {
                Seen::Answer(answer) => writeln!(trace, "{}", json!({"c": client, "a": answer})).unwrap(),
                Seen::Instead(failure) => writeln!(trace, "{failure:?}").unwrap(),
            }
        }
    }
}

/// A failing test leaves nothing running.
impl Drop for Live {
    fn drop(&mut self) {
        if let Running::Process(child) = &mut self.running {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// Asks the server what the bug's trace says; what it answers instead. Several attempts are made at a race.
pub fn shows(bug: &Planted) -> Result<(), String> {
    let (steps, _) = steps(&bug.trace);
    let attempts = if bug.clients > 1 { ATTEMPTS } else { 1 };
    let mut seen = Ok(());
    for _ in 0..attempts {
        seen = Live::start(&bug.command).compare(&steps, bug.failure);
        if seen.is_ok() {
            break;
        }
    }
    seen
}
