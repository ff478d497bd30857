//! `mayhap_adapter` for Python and for Node: what the adapters of users are made of.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayhap::Spec;
use mayhap::json::{decode, encode};
use mayhap::sut::process::StartOptions;
use mayhap::sut::{Leave, SutEvent, SutEventKind, SutFailureKind, System, open};
use mayhap::value::Value;

use super::{answer, check_failure, counter, next, outcomes};
use crate::command::{place, run};
use crate::real::skipped;

/// A counter for all clients, in each language. Requests from 901 on are answered in odd ways.
const COUNTERS: [(&str, &str); 2] = [
    (
        "python3",
        r#"
import mayhap_adapter as adapter, subprocess, threading, time
print("it begins")
n, both = 0, threading.Barrier(2, timeout=10)
class Counter(adapter.Client):
    def __init__(self):
        self.own, self.left = 0, threading.Event()
    def close(self):
        self.left.set()
    def ask(self, q):
        global n
        print("asked", q, flush=True)
        if q == 901: raise adapter.Lost
        if q == 902: return adapter.Refused
        if q == 903: time.sleep(0.02); raise adapter.Closed
        if q == 904: raise ConnectionResetError
        if q == 905: self.answer(-1); threading.Timer(0.02, self.answer, [-2]).start(); return -3
        if q == 906: raise ValueError("of\nno use")
        if q == 907: self.left.wait(60); raise OSError
        if q == 908: subprocess.run(["echo", "it is printed"])
        if q == 909: return self.own
        if q == 910: self.own += 1; return self.own
        if q == 911: both.wait()
        if q == 912: threading.Timer(0.02, self.answer, [q]).start(); return adapter.LATER
        if q == 913: threading.Timer(0.02, self.answer, [adapter.Closed]).start(); return q
        n += q
        return n
def reset():
    global n
    n = 0
adapter.serve(Counter, reset, closes=True)
"#,
    ),
    (
        "node",
        r#"
import * as adapter from "./examples/adapters/mayhap_adapter.mjs";
import { setTimeout as sleep } from "node:timers/promises";
console.log("it begins");
let [n, waiting] = [0, null];
class Counter extends adapter.Client {
    async open() { this.own = 0; this.left = new Promise((leave) => (this.leave = leave)); }
    async close() { this.leave(); }
    async ask(q) {
        console.log("asked", q);
        if (q == 901) throw new adapter.Lost();
        if (q == 902) return new adapter.Refused();
        if (q == 903) { await sleep(20); throw new adapter.Closed(); }
        if (q == 904) throw Object.assign(new Error(), { code: "ECONNRESET" });
        if (q == 905) { this.answer(-1); setTimeout(() => this.answer(-2), 20); return -3; }
        if (q == 906) throw new RangeError("of\nno use");
        if (q == 907) { await this.left; throw new Error(); }
        if (q == 908) process.stdout.write("it is printed\n");
        if (q == 909) return this.own;
        if (q == 910) return ++this.own;
        if (q == 911) await new Promise((go) => { if (waiting) { waiting(); go(); } else waiting = go; });
        if (q == 912) { setTimeout(() => this.answer(q), 20); return adapter.LATER; }
        if (q == 913) { setTimeout(() => this.answer(new adapter.Closed()), 20); return q; }
        return n += q;
    }
}
adapter.serve(Counter, async () => { n = 0; }, { closes: true });
"#,
    ),
];

/// The command that starts a program in a language.
fn command(language: &str, program: &str) -> String {
    let quoted = program.replace('\'', r"'\''");
    match language {
        "node" => format!("exec node --input-type=module -e '{quoted}'"),
        _ => format!("exec env PYTHONPATH=examples/adapters python3 -B -c '{quoted}'"),
    }
}

/// Tests whether there is this language here.
fn is_here(language: &str) -> bool {
    let is_here = std::process::Command::new(language).arg("--version").output().is_ok();
    if !is_here {
        skipped(&format!("{language} is not installed"));
    }
    is_here
}

/// A system of three clients behind a program in a language.
fn started(spec: &Arc<Spec>, language: &str, program: &str) -> Box<dyn System> {
    let address = format!("stdio:{}", command(language, program)).parse().expect("an address");
    let start = StartOptions { patience: Duration::from_secs(10), ..StartOptions::default() };
    let mut system = open(spec, &address, &start).unwrap_or_else(|failure| panic!("{failure}"));
    system.reset(3).unwrap_or_else(|failure| panic!("{failure}: {:?}", system.last_output(None)));
    system
}

/// Does something with a counter in each language.
fn with_counters(test: impl Fn(&str, &mut dyn System)) {
    for (language, program) in COUNTERS.into_iter().filter(|(language, _)| is_here(language)) {
        test(language, &mut *started(&counter(), language, program));
    }
}

fn send(system: &mut dyn System, client: u64, request: i64) {
    system.send(client, &Value::from(request)).expect("sent");
}

/// Asks a client's request and takes what comes first.
fn asked(system: &mut dyn System, client: u64, request: i64) -> SutEvent {
    send(system, client, request);
    next(system).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn everything_can_be_said() {
    with_counters(|language, system| {
        let said = [SutEventKind::Lost, SutEventKind::Refused, SutEventKind::Closed, SutEventKind::Closed];
        for (number, kind) in (1..).zip(said) {
            assert_eq!(asked(system, 2, 900 + number), SutEvent { client: 2, kind }, "{language}");
            assert_eq!(asked(system, 2, 1), answer(2, number), "{language}");
        }
        let seen = [asked(system, 1, 905), next(system).unwrap(), next(system).unwrap()];
        assert_eq!(seen, [-1, -3, -2].map(|n| answer(1, n)), "{language}");
        // One is answered later, and the next is asked before that.
        send(system, 1, 912);
        send(system, 1, 10);
        assert_eq!([(); 2].map(|()| next(system).unwrap()), [14, 912].map(|n| answer(1, n)), "{language}");
        // What is printed is for people, also by other programs.
        assert_eq!(asked(system, 3, 908), answer(3, 922), "{language}");
        let deadline = Instant::now() + Duration::from_secs(5);
        for line in ["it begins", "asked 908", "it is printed"] {
            let is_there = |system: &mut dyn System| system.last_output(None).iter().any(|printed| printed == line);
            while !is_there(system) {
                assert!(Instant::now() < deadline, "{language}: {:?}", system.last_output(None));
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    });
}

#[test]
fn clients_do_not_wait_for_each_other() {
    with_counters(|language, system| {
        send(system, 1, 911);
        send(system, 2, 911);
        send(system, 1, 1);
        let mut clients = [(); 3].map(|()| next(system).unwrap().client);
        clients.sort_unstable();
        assert_eq!(clients, [1, 1, 2], "{language}");
    });
}

#[test]
fn what_was_sent_on_a_connection_ends_with_it() {
    with_counters(|language, system| {
        let closed = SutEvent { client: 1, kind: SutEventKind::Closed };
        assert_eq!(asked(system, 1, 910), answer(1, 1), "{language}");
        // These wait behind the one that ends the connection.
        [903, 910, 910].into_iter().for_each(|request| send(system, 1, request));
        assert_eq!(next(system).unwrap(), closed, "{language}");
        assert_eq!(asked(system, 1, 909), answer(1, 0), "{language}");
        // This one is sent when the connection has ended, and its client has not heard of it.
        send(system, 1, 903);
        assert_eq!(system.next(Instant::now()), Ok(None), "{language}");
        std::thread::sleep(Duration::from_millis(100));
        send(system, 1, 910);
        assert_eq!(next(system).unwrap(), closed, "{language}");
        let began = Instant::now();
        assert_eq!(asked(system, 1, 910), answer(1, 1), "{language}");
        assert!(began.elapsed() < Duration::from_millis(90), "{language}: it is waited for more than was said");
        // Nothing was asked.
        assert_eq!(asked(system, 1, 913), answer(1, 913), "{language}");
        assert_eq!(next(system).unwrap(), closed, "{language}");
        assert_eq!(asked(system, 1, 909), answer(1, 0), "{language}");
    });
}

#[test]
fn a_client_ends_its_connection_and_its_next_request_opens_another() {
    with_counters(|language, system| {
        let leave = |system: &mut dyn System| system.leave(1, Duration::from_secs(10));
        assert!(system.can_leave(), "{language}");
        assert_eq!(leave(system), Ok(Leave::NotThere), "{language}");
        for _ in 0..2 {
            assert_eq!(asked(system, 1, 910), answer(1, 1), "{language}");
            assert_eq!(asked(system, 2, 909), answer(2, 0), "{language}");
            assert_eq!(leave(system), Ok(Leave::Noticed), "{language}");
            assert_eq!(leave(system), Ok(Leave::NotThere), "{language}");
            assert_eq!(asked(system, 1, 909), answer(1, 0), "{language}");
        }
        // The system has ended it before.
        assert_eq!(asked(system, 1, 903), SutEvent { client: 1, kind: SutEventKind::Closed }, "{language}");
        assert_eq!(leave(system), Ok(Leave::NotThere), "{language}");
        assert_eq!(system.next(Instant::now() + Duration::from_millis(50)), Ok(None), "{language}");
    });
    let program = "import mayhap_adapter as a\nclass C(a.Client):\n  def ask(self, q): return q\na.serve(C, None)";
    if is_here("python3") {
        let mut system = started(&counter(), "python3", program);
        assert_eq!(asked(&mut *system, 1, 5), answer(1, 5));
        assert!(!system.can_leave());
        assert_eq!(system.leave(1, Duration::from_secs(10)), Ok(Leave::NotThere));
        assert_eq!(asked(&mut *system, 1, 6), answer(1, 6));
    }
}

#[test]
fn a_request_under_way_ends_when_it_is_given_up() {
    with_counters(|language, system| {
        for _ in 0..2 {
            send(system, 1, 907);
            send(system, 1, 910);
            assert_eq!(system.next(Instant::now() + Duration::from_millis(50)), Ok(None), "{language}");
            system.close(1).expect("closed");
            assert_eq!(asked(system, 1, 909), answer(1, 0), "{language}");
            assert_eq!(asked(system, 2, 5), answer(2, 5), "{language}");
            send(system, 2, 907);
            assert_eq!(system.next(Instant::now() + Duration::from_millis(50)), Ok(None), "{language}");
            system.reset(3).unwrap_or_else(|failure| panic!("{language}: {failure}"));
        }
        assert_eq!(asked(system, 2, 7), answer(2, 7), "{language}");
    });
}

#[test]
fn a_mistake_of_the_adapter_is_shown() {
    with_counters(|language, system| {
        send(system, 1, 906);
        let name = if language == "node" { "RangeError" } else { "ValueError" };
        let text = format!("client 1 failed at the request 906: {name}: of no use");
        check_failure(next(system), SutFailureKind::Adapter, &text);
        let printed = system.last_output(None).join("\n");
        assert!(printed.contains(if language == "node" { "at Counter.ask" } else { "Traceback" }), "{printed}");
    });
    let mistakes = [
        ("class C(adapter.Client): pass\nreset = None", "NotImplementedError: C has no method for this request"),
        (
            "class C(adapter.Client):\n  def __init__(self): raise ConnectionRefusedError(\"nobody\")\nreset = None",
            "client 1 cannot open its connection: ConnectionRefusedError: nobody",
        ),
        (
            "class C(adapter.Client):\n  def ask(self, q): return {q}\nreset = None",
            "client 1 failed at the request 5: TypeError: an answer is JSON, and this is not: {5}",
        ),
        ("class C(adapter.Client): pass\ndef reset(): open(\"/no/such\")", "the reset failed: FileNotFoundError"),
        (
            "import threading\nclass C(adapter.Client):\n  def ask(self, q): threading.Thread(target=lambda: 1 / 0).start(); return adapter.LATER\nreset = None",
            "a thread of the adapter failed: ZeroDivisionError",
        ),
    ];
    for (program, expected) in mistakes {
        let program = format!("import mayhap_adapter as adapter\n{program}\nadapter.serve(C, reset)");
        check_mistake("python3", &program, expected);
    }
    let mistakes = [
        ("class C extends Client {}", "null", "Error: C has no method for this request"),
        (
            "class C extends Client { open() { throw new Error(\"nobody\"); } }",
            "null",
            "client 1 cannot open its connection: Error: nobody",
        ),
        (
            "class C extends Client { ask(q) { return 1e300; } }",
            "null",
            "client 1 failed at the request 5: TypeError: an answer is exact JSON, and this is not: 1e+300",
        ),
        ("class C extends Client {}", "() => nothing()", "the reset failed: ReferenceError"),
    ];
    for (program, reset, expected) in mistakes {
        let import = "import { Client, serve } from \"./examples/adapters/mayhap_adapter.mjs\";";
        check_mistake("node", &format!("{import}\n{program}\nserve(C, {reset});"), expected);
    }
}

/// Checks that an adapter ends with this line.
fn check_mistake(language: &str, program: &str, expected: &str) {
    if !is_here(language) {
        return;
    }
    let address = format!("stdio:{}", command(language, program)).parse().expect("an address");
    let mut system = open(&counter(), &address, &StartOptions::default()).expect("a system");
    let seen = system.reset(1).and_then(|()| system.send(1, &Value::from(5))).and_then(|()| next(&mut *system));
    let failure = seen.expect_err("a failure");
    assert!(failure.what.contains("exit status: 1") && failure.what.contains(expected), "{language}: {failure}");
}

/// Requests of each form, which are answered as they are.
const FORMS: &str = "struct Both { a: int, b: option<int> }
enum Message { Unit, One(int), Two(int, bytes), Named { a: int, b: option<int> }, Struct(Both), List(list<int>), Map(map<string, int>), Text(string) }
protocol forms { request Message; response Message; on q { reply q; } }";

const OF_EACH_FORM: [&str; 13] = [
    r#""Unit""#,
    r#"{"One": 9007199254740993}"#,
    r#"{"One": -123456789012345678901234567890}"#,
    r#"{"Two": [1, "é\u0000"]}"#,
    r#"{"Two": [1, {"$bytes": "/w=="}]}"#,
    r#"{"Named": {"a": 1, "b": 2}}"#,
    r#"{"Named": {"a": 1, "b": null}}"#,
    r#"{"Struct": {"a": 1, "b": 2}}"#,
    r#"{"List": []}"#,
    r#"{"List": [1, 18446744073709551616]}"#,
    r#"{"Map": {"x": 1, "__proto__": 12345678901234567}}"#,
    r#"{"Text": "\u2028\" 12345678901234567"}"#,
    r#"{"Text": "12345678901234567890"}"#,
];

#[test]
fn each_form_of_request_has_its_method() {
    let python = r#"
import mayhap_adapter as adapter
class Echo(adapter.Client):
    def Unit(self): return "Unit"
    def One(self, n): return {"One": n}
    def Two(self, n, raw): return {"Two": [n, adapter.to_bytes(raw)]}
    def Named(self, a, b): return {"Named": {"a": a, "b": b}}
    def Struct(self, a, b): return {"Struct": {"a": a, "b": b}}
    def List(self, *numbers): return {"List": numbers}
    def Map(self, **numbers): return {"Map": numbers}
    def Text(self, text): return {"Text": text}
adapter.serve(Echo, None)
"#;
    let node = r#"
import { Client, serve, toBytes } from "./examples/adapters/mayhap_adapter.mjs";
class Echo extends Client {
    Unit() { return "Unit"; }
    One(n) { return { One: n }; }
    async Two(n, raw) { return { Two: [n, toBytes(raw)] }; }
    Named({ a, b }) { return { Named: { a, b } }; }
    Struct(both) { return { Struct: both }; }
    List(...numbers) { return { List: numbers }; }
    Map(numbers) { return { Map: numbers }; }
    Text(text) { return { Text: text }; }
}
serve(Echo, null);
"#;
    let spec = Spec::from_text(FORMS).expect("it is a specification");
    for (language, program) in [("python3", python), ("node", node)].into_iter().filter(|(name, _)| is_here(name)) {
        let mut system = started(&spec, language, program);
        let requests = OF_EACH_FORM.map(|text| decode(&spec.types, spec.program.request, text).expect("a request"));
        let seen = outcomes(&mut *system, &requests, Duration::from_secs(10));
        for (request, seen) in requests.iter().zip(&seen) {
            let shown = encode(&spec.types, spec.program.request, request);
            assert_eq!(seen, &Ok(Some(SutEventKind::Answer(request.clone()))), "{language}: {shown}");
        }
        assert_eq!(seen.len(), requests.len());
    }
}

#[test]
fn the_adapters_of_a_store_have_ten_lines_and_do_what_they_should() {
    let stores = [
        ("python3", "store.py", "import mayhap_adapter", ".append(value)", ".insert(0, value)"),
        ("node", "store.mjs", "./mayhap_adapter.mjs", "?? \"\") + value", "?? \"\")"),
    ];
    for (language, name, import, right, wrong) in stores.into_iter().filter(|store| is_here(store.0)) {
        let file = format!("examples/adapters/{name}");
        let text = std::fs::read_to_string(&file).unwrap();
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with("\"\"\"");
        assert!(text.lines().filter(is_code).count() <= 10, "{file}");
        let here = Path::new("examples/adapters").canonicalize().unwrap();
        let import_here = match language {
            "node" => format!("{}/mayhap_adapter.mjs", here.display()),
            _ => format!("import sys; sys.path.append(\"{}\"); {import}", here.display()),
        };
        let faulty = place(&format!("faulty-{name}"));
        std::fs::write(&faulty, text.replace(import, &import_here).replace(right, wrong)).unwrap();
        for (file, clients, code) in
            [(Path::new(&file), "1", 0), (Path::new(&file), "4", 0), (&faulty, "1", 1), (&faulty, "3", 1)]
        {
            let regressions = place(&format!("adapters-{name}"));
            _ = std::fs::remove_dir_all(&regressions);
            let sut = format!("stdio:exec {language} {}", file.display());
            let arguments =
                ["test", "specs/kv.may", "--sut", &sut, "--clients", clients, "--seed", "5", "--requests", "400"];
            let output = run(&[&arguments[..], &["--regressions", regressions.to_str().unwrap()]].concat(), "");
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{sut}, {clients} clients: {said}");
        }
    }
}
