//! The second part of the planted bugs: stores in Rust, asked by real threads.
//!
//! `open("strings", Some("racing-incr"), 0)` is a store of strings in which two Incr at once may both answer 1. It is asked as a
//! value, or over TCP: `Listening::start(store, 0)`. Requests and answers are JSON as the specifications write it.

mod cache;
mod small;
mod strings;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// The variable that says which store a process serves.
const SERVED: &str = "MAYHAP_PLANTED";

/// A store that threads ask at once.
pub trait Store: Send + Sync {
    fn ask(&self, name: &str, carried: &Value) -> Value;
}

/// The bug that a store has, if any.
#[derive(Clone, Debug)]
pub struct Bug(Option<String>);

impl Bug {
    fn is(&self, name: &str) -> bool {
        self.0.as_deref() == Some(name)
    }

    /// Lets other threads have their turn where a racy store does not keep its lock.
    fn switch(&self, name: &str) {
        if self.is(name) {
            thread::sleep(Duration::from_micros(300));
        }
    }
}

/// A fresh store. The versions of a cache have numbers that are multiples of three, plus 1, 2, …: those from this one on.
pub fn open(store: &str, bug: Option<&str>, versions: u64) -> Arc<dyn Store> {
    let bug = Bug(bug.map(str::to_owned));
    match store {
        "strings" => Arc::new(strings::Strings::new(bug)),
        "cache" => Arc::new(cache::Cache::new(bug, versions * 3)),
        "log" => Arc::new(small::Log::new(bug)),
        "bank" => Arc::new(small::Bank::new(bug)),
        "sessions" => Arc::new(small::Sessions::new(bug)),
        _ => panic!("no store `{store}`"),
    }
}

/// Asks a store: a request is `"FlushAll"` or `{"Get": …}`.
pub fn ask(store: &dyn Store, request: &Value) -> Value {
    match request {
        Value::String(name) => store.ask(name, &Value::Null),
        request => {
            let (name, carried) = request.as_object().and_then(|request| request.iter().next()).expect("a request");
            store.ask(name, carried)
        }
    }
}

/// An integer of a request.
fn integer(value: &Value) -> i128 {
    value.to_string().trim_matches('"').parse().unwrap_or(i128::MAX)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The texts of a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().map(text)
}

/// A store that listens on a free port, with a thread for each connection.
pub struct Listening {
    pub address: SocketAddr,
    ended: Arc<AtomicBool>,
}

impl Listening {
    /// At this port, or at a free one for 0.
    pub fn start(store: Arc<dyn Store>, port: u16) -> Listening {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let address = listener.local_addr().unwrap();
        let ended = Arc::new(AtomicBool::new(false));
        let end = ended.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::Relaxed) {
                    break;
                }
                let store = store.clone();
                thread::spawn(move || serve(&*store, &stream));
            }
        });
        Listening { address, ended }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        _ = TcpStream::connect(self.address);
    }
}

/// The shell command that serves a store at a port, by this program: `STORE [BUG]` is in a variable.
pub fn command(words: &[String], port: u16) -> String {
    let [_, store, bug @ ..] = words else { panic!("{words:?}") };
    let bug = bug.get(1).map_or("", String::as_str);
    let program = std::env::current_exe().unwrap();
    let test = "planted::second::a_store_is_served_where_it_is_asked_for";
    format!("{SERVED}='{port} {store} {bug}' {} {test} --exact", program.display())
}

/// For a process that is started for it; in a run of the tests it does nothing.
#[test]
fn a_store_is_served_where_it_is_asked_for() {
    let Ok(asked) = std::env::var(SERVED) else { return };
    let mut words = asked.split_whitespace();
    let (port, store) = (words.next().unwrap().parse().unwrap(), words.next().unwrap());
    // Nobody guesses the versions.
    let versions = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_micros();
    let _listening = Listening::start(open(store, words.next(), versions.into()), port);
    loop {
        thread::park();
    }
}

/// Answers the requests of a connection until it ends.
fn serve(store: &dyn Store, mut stream: &TcpStream) {
    _ = stream.set_nodelay(true);
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let request = serde_json::from_str(&line).expect("a line of JSON");
        if stream.write_all(format!("{}\n", ask(store, &request)).as_bytes()).is_err() {
            break;
        }
    }
}
