//! A real Redis is killed and started again, with clients at once: what it had acknowledged is there, as `redis_strings.may` says of
//! `appendfsync always`; where the end of its log is cut off, `redis_everysec.may` explains it, and where a command is cut out of the
//! middle, neither does.
//!
//! Where Redis is not installed the tests say so and do nothing, except with `CI=true`, where they fail.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use mayhap::reading::{Events, history};
use mayhap::session::{Session, SessionProgress};
use mayhap::trace::TraceFormat;
use mayhap::{Options, Spec, Verdict, search};
use serde_json::{Value, json};

use crate::random::Rng;
use crate::real::skipped;
use crate::recorder::Program;
use crate::recorder::server;
use crate::shipped;

const PROGRAM: Program = Program { name: "redis-server", package: "redis-server" };
/// How long a server may take to come up, and an answer to come.
const PATIENCE: Duration = Duration::from_secs(10);
const CLIENTS: u64 = 4;
const KEYS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A Redis that keeps a log, and what its clients saw of it.
struct Recorded {
    program: PathBuf,
    directory: PathBuf,
    fsync: &'static str,
    process: Child,
    port: u16,
    /// The connections, by client, each with the requests that have no answer.
    connections: BTreeMap<u64, (BufReader<TcpStream>, usize)>,
    trace: String,
    /// A number of its own for each value that is written.
    written: u64,
}

impl Recorded {
    /// A server with an empty log; nothing where Redis is missing and that is allowed.
    fn start(name: &str, fsync: &'static str) -> Option<Recorded> {
        let program = match server::find(PROGRAM) {
            Ok(program) => program,
            Err(missing) => {
                skipped(&missing.to_string());
                return None;
            }
        };
        let directory = std::env::temp_dir().join(format!("mayhap-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).unwrap();
        let (process, port) = run(&program, &directory, fsync);
        let trace = format!("{}\n", json!({"mayhap": 1, "spec": "redis_strings"}));
        let connections = BTreeMap::new();
        Some(Recorded { program, directory, fsync, process, port, connections, trace, written: 0 })
    }

    fn note(&mut self, line: &Value) {
        self.trace += &format!("{line}\n");
    }

    /// A client asks: the line is there before anything is sent.
    fn ask(&mut self, client: u64, request: &Value) {
        self.note(&json!({"c": client, "q": request}));
        let port = self.port;
        let (connection, waiting) = self.connections.entry(client).or_insert_with(|| (connect(port), 0));
        connection.get_mut().write_all(command(request).as_bytes()).unwrap();
        *waiting += 1;
    }

    /// A client sees the answer to its earliest request that has none.
    fn see(&mut self, client: u64) {
        let (connection, waiting) = self.connections.get_mut(&client).unwrap();
        *waiting -= 1;
        let answer = answer(connection);
        self.note(&json!({"c": client, "a": answer}));
    }

    fn exchange(&mut self, client: u64, request: &Value) {
        self.ask(client, request);
        self.see(client);
    }

    /// The number of requests of clients at once.
    fn work(&mut self, rng: &mut Rng, requests: usize) {
        let mut asked = 0;
        while asked < requests {
            let client = 1 + rng.below(CLIENTS as usize) as u64;
            let waiting = self.connections.get(&client).map_or(0, |(_, waiting)| *waiting);
            if waiting > 0 && rng.percent(60) {
                self.see(client);
            } else if waiting < 2 {
                self.written += 1;
                let request = request(rng, self.written);
                self.ask(client, &request);
                asked += 1;
            }
        }
    }

    /// Kills the server, lets somebody have the log meanwhile, and starts it again. The line of that is written once the process is gone,
    /// and before anything is sent to the next one: what was not read until then is lost.
    fn crash(&mut self, meanwhile: impl FnOnce(&Path)) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.connections.clear();
        meanwhile(&self.directory);
        self.note(&json!({"restart": true}));
        (self.process, self.port) = run(&self.program, &self.directory, self.fsync);
    }

    /// Every key is read.
    fn read_all(&mut self) {
        for key in KEYS {
            self.exchange(1, &json!({"Get": {"key": key}}));
        }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
        _ = fs::remove_dir_all(&self.directory);
    }
}

/// Starts a server on a free port of the loopback interface, and waits until it answers.
fn run(program: &Path, directory: &Path, fsync: &str) -> (Child, u16) {
    let port = crate::sut::free_port();
    #[expect(clippy::zombie_processes, reason = "who is given the process waits for it")]
    let mut process = Command::new(program)
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--loglevel", "warning"])
        .args(["--appendonly", "yes", "--appendfsync", fsync, "--auto-aof-rewrite-percentage", "0"])
        .args([Path::new("--dir"), directory])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    loop {
        // While it reads its log it says so.
        let is_up = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok_and(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut said = String::new();
            stream.write_all(b"PING\r\n").is_ok()
                && BufReader::new(stream).read_line(&mut said).is_ok()
                && said == "+PONG\r\n"
        });
        if is_up {
            return (process, port);
        }
        if began.elapsed() > PATIENCE {
            _ = process.kill();
            _ = process.wait();
            panic!("it does not come up");
        }
        sleep(Duration::from_millis(5));
    }
}

fn connect(port: u16) -> BufReader<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    BufReader::new(stream)
}

/// A request that writes more often than not.
fn request(rng: &mut Rng, number: u64) -> Value {
    let key = *rng.pick(&KEYS);
    match rng.below(8) {
        0 | 1 => json!({"Get": {"key": key}}),
        2 => json!({"Append": {"key": key, "value": format!("+{number}")}}),
        3 => json!({"Del": [key, *rng.pick(&KEYS)]}),
        4 => json!({"Incr": {"key": key}}),
        5 => json!({"SetNx": {"key": key, "value": format!("n{number}")}}),
        _ => json!({"Set": {"key": key, "value": format!("v{number}")}}),
    }
}

/// The command that a request is.
fn command(request: &Value) -> String {
    let (name, of) = request.as_object().and_then(|request| request.iter().next()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let arguments: Vec<String> = match of {
        Value::Array(keys) => keys.iter().map(text).collect(),
        of => ["key", "value"].iter().filter_map(|field| of.get(field)).map(text).collect(),
    };
    format!("{} {}\r\n", name.to_uppercase(), arguments.join(" "))
}

/// The next answer.
fn answer(connection: &mut BufReader<TcpStream>) -> Value {
    let mut line = String::new();
    connection.read_line(&mut line).unwrap();
    let said = line.trim_end();
    match said.split_at(1) {
        ("+", "OK") => json!("Ok"),
        (":", number) => json!({"Number": number.parse::<i64>().unwrap()}),
        ("$", "-1") => json!({"Text": null}),
        ("$", length) => {
            let mut text = vec![0; length.parse::<usize>().unwrap() + 2];
            connection.read_exact(&mut text).unwrap();
            json!({"Text": String::from_utf8_lossy(&text[..text.len() - 2])})
        }
        ("-", error) if error.contains("not an integer") => json!("NotAnInteger"),
        _ => panic!("{said:?} is no answer"),
    }
}

/// Cuts the commands of these places, counted from the last one, out of the log.
fn cut(directory: &Path, places: &[usize]) {
    let folder = directory.join("appendonlydir");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let log = files.filter(|path| path.to_string_lossy().ends_with(".incr.aof")).max().unwrap();
    let text = String::from_utf8(fs::read(&log).unwrap()).unwrap();
    let begins: Vec<usize> = text.match_indices('*').map(|(at, _)| at).collect();
    let commands: Vec<&str> =
        begins.iter().zip(begins.iter().skip(1).chain([&text.len()])).map(|(from, to)| &text[*from..*to]).collect();
    let count = commands.len();
    let kept = commands.iter().enumerate().filter(|(at, _)| !places.contains(&(count - 1 - at)));
    fs::write(&log, kept.map(|(_, command)| *command).collect::<String>()).unwrap();
}

/// The specification of a Redis that loses nothing, and of one that may lose its last commands.
fn specs() -> [Arc<Spec>; 2] {
    let everysec = crate::judge::text("specs/crash/redis_everysec.may");
    [shipped::named("redis_strings").compile().unwrap(), Spec::from_text(&everysec).unwrap()]
}

/// The verdict on a trace, as a whole and while it happens: both are the same.
fn judged(spec: &Arc<Spec>, trace: &str) -> Verdict {
    let mut events = Events::open(spec, trace.as_bytes(), TraceFormat::Ndjson, Default::default());
    let history = history(spec, &mut events, None).unwrap_or_else(|error| panic!("{}", error.render("trace")));
    let whole = search::judge(spec, &history, &Options::default()).verdict;
    let mut session = Session::tcp(spec, Options::default());
    for line in trace.lines().skip(1) {
        _ = session.push_line(line).unwrap_or_else(|error| panic!("{}", error.render(line)));
    }
    // What was too hard while it happened is judged as a whole.
    let last = session.settle();
    match &whole {
        Verdict::Accept { .. } => assert_eq!(last, SessionProgress::Explained, "{trace}"),
        // The session was given no first line.
        Verdict::Reject { event, .. } => assert_eq!(last, SessionProgress::Rejected(event - 1), "{trace}"),
        other => panic!("{other:?}: {trace}"),
    }
    whole
}

/// Works, is killed in the middle of it, and starts again, several times.
fn recorded(name: &str, fsync: &'static str) -> Option<String> {
    let mut redis = Recorded::start(name, fsync)?;
    let mut rng = Rng::new(7);
    for _ in 0..3 {
        redis.work(&mut rng, 25);
        redis.crash(|_| {});
        redis.read_all();
    }
    Some(redis.trace.clone())
}

#[test]
fn a_redis_that_syncs_always_loses_nothing() {
    let Some(trace) = recorded("redis-always", "always") else { return };
    for spec in specs() {
        assert!(judged(&spec, &trace).is_accept(), "{trace}");
    }
}

#[test]
fn a_redis_that_syncs_every_second_loses_the_last_commands_at_most() {
    let Some(trace) = recorded("redis-everysec", "everysec") else { return };
    let [_, everysec] = specs();
    assert!(judged(&everysec, &trace).is_accept(), "{trace}");
}

/// What was cut out of the log, from its end, and whether each specification explains that.
#[test]
fn what_is_cut_out_of_the_log_is_explained_where_it_is_the_end_of_it() {
    let cases: [(&[usize], bool, bool); 4] =
        [(&[], true, true), (&[0], false, true), (&[0, 1, 2], false, true), (&[1], false, false)];
    let [always, everysec] = specs();
    for (places, strictly, loosely) in cases {
        // With `everysec` a Redis acknowledges before it writes while the disk is busy; with `no` it always writes first.
        let Some(mut redis) = Recorded::start("redis-cut", "no") else { return };
        let mut rng = Rng::new(3);
        redis.work(&mut rng, 20);
        redis.crash(|_| {});
        redis.read_all();
        for (number, key) in KEYS.iter().enumerate() {
            redis.exchange(1, &json!({"Set": {"key": key, "value": format!("last{number}")}}));
        }
        redis.crash(|directory| cut(directory, places));
        redis.read_all();
        let trace = &redis.trace;
        assert_eq!(judged(&always, trace).is_accept(), strictly, "{places:?}: {trace}");
        assert_eq!(judged(&everysec, trace).is_accept(), loosely, "{places:?}: {trace}");
    }
}
