//! Systems in Rust, in this process and as adapters: what they answer, and each way in which they go wrong.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mayhap::Spec;
use mayhap::report::campaign::{CampaignVerdict, text};
use mayhap::sut::{
    AsyncSut, Awaiting, InProcess, OwnThread, Sut, SutAnswer, SutEvent, SutEventKind, SutFailure, SutFailureKind,
    System, serve,
};
use mayhap::value::Value;

use super::{answer, check_failure, counter, next};

/// A counter. Requests from 901 on are answered in odd ways.
#[derive(Default)]
struct Counter(AtomicI64);

impl Sut for Counter {
    type Request = i64;
    type Response = i64;

    fn ask(&self, _: u64, request: i64) -> SutAnswer<i64> {
        match request {
            901 => SutAnswer::Lost,
            902 => SutAnswer::Refused,
            903 => SutAnswer::Closed,
            904 => panic!("I do not count {request}"),
            905 => {
                std::thread::sleep(Duration::from_secs(3));
                SutAnswer::Is(0)
            }
            _ => SutAnswer::Is(self.0.fetch_add(request, Ordering::SeqCst) + request),
        }
    }
}

/// Asks a client's request and takes what comes first.
fn asked(system: &mut dyn System, client: u64, request: i64) -> Result<SutEvent, SutFailure> {
    system.send(client, &Value::from(request))?;
    next(system)
}

fn in_process(clients: u64) -> impl System {
    let mut system = InProcess::new(&counter(), Counter::default).expect("the types fit");
    system.reset(clients).expect("a fresh one");
    system
}

#[test]
fn a_value_of_this_process_is_asked() {
    let mut system = in_process(2);
    for _ in 0..2 {
        assert_eq!(asked(&mut system, 1, 5), Ok(answer(1, 5)));
        assert_eq!(asked(&mut system, 2, 5), Ok(answer(2, 10)));
        for (request, kind) in [(901, SutEventKind::Lost), (902, SutEventKind::Refused), (903, SutEventKind::Closed)] {
            assert_eq!(asked(&mut system, 2, request), Ok(SutEvent { client: 2, kind }));
        }
        assert_eq!(asked(&mut system, 2, 5), Ok(answer(2, 15)));
        system.reset(2).expect("a fresh one");
    }
    check_failure(system.crash(), SutFailureKind::Start, "cannot be killed");
}

#[test]
fn a_client_who_is_alone_sees_the_same_whatever_the_clock_says() {
    let mut system = in_process(1);
    let mut sum = 0;
    for request in 1..=200 {
        sum += request;
        system.send(1, &Value::from(request)).expect("sent");
        assert_eq!(system.next(Instant::now()), Ok(Some(answer(1, sum))));
    }
    assert_eq!(system.next(Instant::now()), Ok(None));
}

#[test]
fn a_number_that_the_program_cannot_hold_is_refused() {
    let mut system = in_process(1);
    let large: num_bigint::BigInt = "123456789012345678901234567890".parse().expect("a number");
    system.send(1, &Value::Scalar(mayhap::scalar::Scalar::Int(large.into()))).expect("sent");
    assert_eq!(next(&mut system), Ok(SutEvent { client: 1, kind: SutEventKind::Refused }));
}

#[test]
fn a_panic_is_a_crash_with_its_place() {
    let mut system = in_process(1);
    let found = asked(&mut system, 1, 904);
    check_failure(found, SutFailureKind::Crash, "the system panicked at tests/it/sut/rust.rs:");
    system.reset(1).expect("a fresh one");
    check_failure(asked(&mut system, 1, 904), SutFailureKind::Crash, ": I do not count 904");
    system.reset(1).expect("a fresh one");
    assert_eq!(asked(&mut system, 1, 1), Ok(answer(1, 1)));
}

#[test]
fn a_request_that_hangs_is_given_up() {
    let mut system = in_process(2);
    assert_eq!(asked(&mut system, 2, 1), Ok(answer(2, 1)));
    let began = Instant::now();
    system.send(1, &Value::from(905)).expect("sent");
    assert_eq!(system.next(Instant::now() + Duration::from_millis(30)), Ok(None));
    assert_eq!(asked(&mut system, 2, 1), Ok(answer(2, 2)));
    system.close(1).expect("given up");
    assert_eq!(asked(&mut system, 1, 1), Ok(answer(1, 3)));
    system.reset(1).expect("a fresh one");
    assert_eq!(asked(&mut system, 1, 1), Ok(answer(1, 1)));
    assert!(began.elapsed() < Duration::from_secs(2));
}

/// Answers with a text.
struct Wrong;

impl Sut for Wrong {
    type Request = i64;
    type Response = String;

    fn ask(&self, _: u64, request: i64) -> SutAnswer<String> {
        SutAnswer::Is(format!("{request} or so"))
    }
}

#[test]
fn types_that_do_not_fit_are_found_as_soon_as_can_be() {
    let texts =
        Spec::from_text("protocol p { request string; response int; on q { reply 0; } }").expect("a specification");
    let found = InProcess::new(&texts, Counter::default).map(|_| ()).expect_err("the types do not fit");
    assert_eq!(found.kind, SutFailureKind::Adapter);
    let text = "the program's types do not fit the specification's: the request \"a\" is no i64: invalid type: string";
    assert!(found.what.starts_with(text), "{found}");

    let mut system = InProcess::new(&counter(), || Wrong).expect("requests fit");
    let found = asked(&mut system, 1, 5);
    check_failure(
        found,
        SutFailureKind::Adapter,
        r#"the program's types do not fit the specification's: `"5 or so"` is no"#,
    );
}

/// A counter whose answers take a while.
#[derive(Default)]
struct Slow(AtomicI64);

impl AsyncSut for Slow {
    type Request = i64;
    type Response = i64;

    async fn ask(&self, _: u64, request: i64) -> SutAnswer<i64> {
        let woken = Mutex::new(false);
        std::future::poll_fn(|context| {
            if std::mem::replace(&mut *woken.lock().expect("not poisoned"), true) {
                return std::task::Poll::Ready(());
            }
            let waker = context.waker().clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(5));
                waker.wake();
            });
            std::task::Poll::Pending
        })
        .await;
        SutAnswer::Is(self.0.fetch_add(request, Ordering::SeqCst) + request)
    }
}

#[test]
fn futures_are_awaited_on_the_threads_of_their_clients() {
    let mut system = InProcess::new(&counter(), || Awaiting::new(Slow::default(), OwnThread)).expect("the types fit");
    system.reset(2).expect("a fresh one");
    for client in [1, 2] {
        system.send(client, &Value::from(1)).expect("sent");
    }
    let mut seen: Vec<_> = (0..2).map(|_| next(&mut system).expect("an answer").kind).collect();
    seen.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(seen, [1, 2].map(|n: i64| SutEventKind::Answer(Value::from(n))));
}

/// An adapter of the library, talked to by its lines.
struct Talk {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    adapter: JoinHandle<Result<(), String>>,
}

impl Talk {
    fn begin() -> Talk {
        let ((input, to), (from, output)) = (pipe().expect("a pipe"), pipe().expect("a pipe"));
        let counter = |_| Ok::<_, String>(Counter::default());
        let adapter = std::thread::spawn(move || serve(counter, BufReader::new(input), output));
        Talk { to, from: BufReader::new(from), adapter }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("it reads");
    }

    /// Says a line and hears one.
    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("it answers");
        answer.trim_end().to_owned()
    }

    fn end(self) -> Result<(), String> {
        drop(self.to);
        self.adapter.join().expect("no panic")
    }
}

#[test]
fn a_value_is_served_as_an_adapter() {
    let mut talk = Talk::begin();
    for (line, answer) in [
        (r#"{"mayhap": 1, "spec": "counter", "clients": 2}"#, r#"{"ready": true}"#),
        (r#"{"c": 1, "q": 5}"#, r#"{"c": 1, "connection": 1, "a": 5}"#),
        (r#"{"reset": 2}"#, r#"{"ready": true}"#),
        (r#"{"c": 1, "q": 5}"#, r#"{"c": 1, "connection": 1, "a": 5}"#),
        (r#"{"c": 2, "q": 6}"#, r#"{"c": 2, "connection": 1, "a": 11}"#),
        (r#"{"c": 1, "q": 901}"#, r#"{"c": 1, "connection": 1, "lost": true}"#),
        (r#"{"c": 1, "connection": 2, "q": 902}"#, r#"{"c": 1, "connection": 2, "refused": true}"#),
        (r#"{"c": 1, "connection": 2, "q": 903}"#, r#"{"c": 1, "connection": 2, "closed": true}"#),
        (r#"{"c": 1, "connection": 3, "q": 99999999999999999999}"#, r#"{"c": 1, "connection": 3, "refused": true}"#),
    ] {
        assert_eq!(talk.ask(line), answer, "{line}");
        if answer.contains("lost") {
            // It was sent on the connection that has ended.
            talk.say(r#"{"c": 1, "q": 902}"#);
        }
    }
    // Whoever is stuck is left alone.
    talk.say(r#"{"c": 1, "connection": 3, "q": 905}"#);
    talk.say(r#"{"c": 1, "close": true}"#);
    assert_eq!(talk.ask(r#"{"c": 1, "connection": 4, "q": 1}"#), r#"{"c": 1, "connection": 4, "a": 12}"#);
    assert_eq!(talk.ask(r#"{"reset": 2}"#), r#"{"ready": true}"#);
    talk.say(r#"{"end": true}"#);
    assert_eq!(talk.end(), Ok(()));
}

#[test]
fn an_adapter_of_the_library_says_what_it_does_not_understand() {
    for (line, why) in [
        ("hello", "line 1, hello: expected `{`, found `hello`"),
        (r#"{"mayhap": 2, "spec": "x", "clients": 1}"#, "it speaks version 2 of the protocol, this program version 1"),
        (r#"{"q": 1}"#, "it lacks the key \"c\""),
    ] {
        let mut talk = Talk::begin();
        talk.say(line);
        let ended = talk.end();
        assert!(ended.as_ref().is_err_and(|error| error.contains(why)), "{ended:?}");
    }
}

/// A system that begins anew only a few times.
struct Worn<S> {
    system: S,
    resets: u32,
}

impl<S: System> System for Worn<S> {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        self.system.send(client, request)
    }

    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure> {
        self.system.next(until)
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.system.close(client)
    }

    fn reset(&mut self, clients: u64) -> Result<(), SutFailure> {
        self.resets = self.resets.checked_sub(1).ok_or(SutFailure::new(SutFailureKind::Start, "it is worn out"))?;
        self.system.reset(clients)
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        self.system.crash()
    }

    fn last_output(&mut self, _: Option<Instant>) -> Vec<String> {
        vec!["so long".to_owned()]
    }
}

#[test]
fn what_was_found_before_a_system_could_not_be_reset_is_reported() {
    struct Wrong;
    impl Sut for Wrong {
        type Request = i64;
        type Response = i64;
        fn ask(&self, _: u64, _: i64) -> SutAnswer<i64> {
            SutAnswer::Is(1_000)
        }
    }
    let tested = |resets| {
        let mut system = Worn { system: InProcess::new(&counter(), || Wrong).expect("the types fit"), resets };
        mayhap::test(&counter()).max_failures(0).check_system(&mut system)
    };
    let report = tested(100);
    let kinds: Vec<_> = report.failures.iter().map(|failure| failure.kind.word()).collect();
    assert_eq!((report.verdict, &kinds[..]), (CampaignVerdict::Violation, &["violation", "failed start"][..]));
    assert_eq!(report.failures[1].last_output, ["so long"]);
    let report = tested(0);
    assert_eq!((report.verdict, report.failures.len()), (CampaignVerdict::Broken, 1));
}

#[test]
fn a_fault_of_the_specification_is_said_as_such_with_one_client() {
    let faulty = |what: &str| {
        let spec = Spec::from_text(&format!(
            "protocol counter {{ request int; response int; var n: int = 0; var m: map<int, int> = {{}}; var l: list<int> = [];
                on q {{ n := n + q; {what} reply n; }} }}"
        ));
        mayhap::test(&spec.unwrap()).requests(300).check(Counter::default)
    };
    for what in [
        "if n == 3 { n := l[0]; }",
        "if n == 3 { n := m[n]; }",
        "if n > 3 { n := l[q]; }",
        "if n > 3 { l := l[2..1]; }",
        "let x = choose int; if n > 3 { assume x > 0 && x < 2; n := l[x]; }",
        "if n > 3 { m[0] := m[n]; }",
    ] {
        let report = faulty(what);
        let is_said = |why: &String| why.contains("the specification") && !why.contains("concurrent");
        assert!(report.undecided.iter().all(is_said), "{what}: {:?}", report.undecided);
        assert_eq!(report.verdict, CampaignVerdict::Unknown, "{what}");
    }
}

#[test]
fn no_branch_is_said_to_be_never_reached_that_a_run_reached() {
    struct Late(bool);
    impl Sut for Late {
        type Request = i64;
        type Response = i64;
        fn ask(&self, _: u64, request: i64) -> SutAnswer<i64> {
            SutAnswer::Is(if self.0 { 7_000_007 } else { request.min(6) })
        }
    }
    let spec = Spec::from_text(
        "protocol late { request int; response int;
            on q { either { reply 7000007; } or {} reply if q < 6 { q } else { 6 }; } }",
    );
    let spec = spec.unwrap();
    let tested = |clients| {
        let runs = AtomicI64::new(0);
        let make = move || Late(runs.fetch_add(1, Ordering::SeqCst) == 24);
        text::text(&mayhap::test(&spec).clients(clients).requests(400).steps(8).check(make))
    };
    let alone = tested(1);
    assert!(!alone.contains("reached"), "{alone}");
    let several = tested(3);
    assert!(!several.contains("never reached"), "{several}");
}
