//! One mistake of a system is one cause, at whatever requests it shows; two mistakes are two.

use std::path::Path;
use std::sync::{Arc, Mutex};

use mayhap::Spec;
use mayhap::report::campaign::CampaignReport;
use mayhap::sut::{Sut, SutAnswer};
use serde::{Deserialize, Serialize};

use super::testing::{empty_directory, has_python};
use crate::command::{file, run};

/// A register with a version, read and written under conditions on its version.
const REGISTER: &str = "
    enum Request {
        Read { only_at: option<int>, not_at: option<int> },
        Ask { only_at: option<int>, not_at: option<int> },
        Write { value: int, only_at: option<int>, not_at: option<int> },
        Clear { only_at: option<int>, not_at: option<int> },
    }
    enum Response { Value { value: int, version: int }, Version(int), Written(int), Cleared, Refused, Unchanged }

    protocol register {
        request Request;
        response Response;
        var value: int = 0;
        var version: int = 0;

        on Read { only_at, not_at } {
            check(only_at);
            if not_at == Some(version) { reply Unchanged; }
            reply Value { value, version };
        }
        on Ask { only_at, not_at } {
            check(only_at);
            if not_at == Some(version) { reply Unchanged; }
            reply Version(version);
        }
        on Write { value: new, only_at, not_at } {
            check(only_at);
            if not_at == Some(version) { reply Refused; }
            value := new;
            version := version + 1;
            reply Written(version);
        }
        on Clear { only_at, not_at } {
            check(only_at);
            if not_at == Some(version) { reply Refused; }
            value := 0;
            version := version + 1;
            reply Cleared;
        }
        proc check(only_at: option<int>) { if only_at is Some(v) && v != version { reply Refused; } }
    }
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// `only_at` is not looked at by any request.
    OnlyAt,
    /// `not_at` is not looked at when the register is written or cleared.
    NotAt,
    /// The version does not grow when the register is cleared.
    Clearing,
}

#[derive(Deserialize)]
enum Request {
    Read { only_at: Option<i64>, not_at: Option<i64> },
    Ask { only_at: Option<i64>, not_at: Option<i64> },
    Write { value: i64, only_at: Option<i64>, not_at: Option<i64> },
    Clear { only_at: Option<i64>, not_at: Option<i64> },
}

#[derive(Serialize)]
enum Response {
    Value { value: i64, version: i64 },
    Version(i64),
    Written(i64),
    Cleared,
    Refused,
    Unchanged,
}

struct Register {
    mistakes: Vec<Mistake>,
    value_and_version: Mutex<(i64, i64)>,
}

impl Register {
    fn answer(&self, request: Request) -> Response {
        let makes = |mistake| self.mistakes.contains(&mistake);
        let (value, version) = &mut *self.value_and_version.lock().unwrap();
        let (Request::Read { only_at, not_at }
        | Request::Ask { only_at, not_at }
        | Request::Write { only_at, not_at, .. }
        | Request::Clear { only_at, not_at }) = request;
        let is_known = not_at == Some(*version);
        match request {
            _ if !makes(Mistake::OnlyAt) && only_at.is_some_and(|at| at != *version) => Response::Refused,
            Request::Read { .. } | Request::Ask { .. } if is_known => Response::Unchanged,
            Request::Read { .. } => Response::Value { value: *value, version: *version },
            Request::Ask { .. } => Response::Version(*version),
            _ if is_known && !makes(Mistake::NotAt) => Response::Refused,
            Request::Write { value: new, .. } => {
                (*value, *version) = (new, *version + 1);
                Response::Written(*version)
            }
            Request::Clear { .. } => {
                (*value, *version) = (0, *version + i64::from(!makes(Mistake::Clearing)));
                Response::Cleared
            }
        }
    }
}

impl Sut for Register {
    type Request = Request;
    type Response = Response;

    fn ask(&self, _: u64, request: Request) -> SutAnswer<Response> {
        SutAnswer::Is(self.answer(request))
    }
}

fn tested(mistakes: &'static [Mistake], clients: u64) -> CampaignReport {
    let spec: Arc<Spec> = Spec::from_text(REGISTER).unwrap_or_else(|why| panic!("{why}"));
    let test = mayhap::test(&spec).clients(clients).seed(1).requests(1_500).max_failures(0);
    test.check(|| Register { mistakes: mistakes.to_vec(), value_and_version: Mutex::default() })
}

fn causes(report: &CampaignReport) -> Vec<Vec<&str>> {
    report.failures.iter().map(|failure| failure.names().collect()).collect()
}

#[test]
fn a_mistake_is_one_cause_at_all_requests() {
    let report = tested(&[Mistake::OnlyAt], 1);
    let found = causes(&report);
    for request in ["Read", "Ask", "Write", "Clear"] {
        assert!(found.concat().iter().any(|name| name.contains(request)), "{request}: {found:#?}");
    }
    // Another request has a name of its own, without a place, and the first one is no other.
    let has_place = |name: &String| name.contains(".may:");
    assert!(!report.failures.iter().any(|failure| failure.also.iter().any(has_place)), "{found:#?}");
    // What a read, a write and a clearing answer wrongly is of three sorts.
    assert!(found.len() <= 4, "{found:#?}");
}

/// What `mayhap test` prints after sixty requests; all failures are found.
fn tested_by_command(spec: &Path, sut: &str, kept: &Path, more: &[&str]) -> String {
    let [spec, kept] = [spec, kept].map(|path| path.display().to_string());
    let arguments = ["test", &spec, "--sut", sut, "--regressions", &kept, "--seed", "1", "--requests", "60"];
    let output = run(&[&arguments[..], &["--max-failures", "0"], more].concat(), "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An adapter that cannot make any request of the system, and ends with the name of the request.
const HELPLESS: &str = r#"import json, sys
for m in map(json.loads, sys.stdin):
    if "spec" in m or "reset" in m: print('{"ready": true}', flush=True)
    elif "q" in m: raise ValueError(f"no {list(m['q'])[0]!r} after {m['c']} tries")
"#;

#[test]
fn what_an_adapter_says_of_all_requests_is_one_cause() {
    if !has_python() {
        return;
    }
    let spec = file("helpless.may", REGISTER);
    let sut = format!("stdio:python3 -SB {}", file("helpless.py", HELPLESS).display());
    let kept = empty_directory("helpless");
    let said = tested_by_command(&spec, &sut, &kept, &[]);
    let again = tested_by_command(&spec, &sut, &kept, &[]);
    assert!(again.contains(": no other violation"), "a regression has the cause: {again}");
    assert!(said.contains(": 1 failure of the adapter") && said.contains("also:   failure of the adapter"), "{said}");
}

/// Four requests over HTTP, of which only the status 200 is described.
const UNDESCRIBED: &str = r#"
    enum Request { Show, List, Make, Drop }
    enum Response { Done }
    protocol undescribed {
        request Request;
        response Response;
        http {
            Show => GET "/show";
            List => GET "/list";
            Make => POST "/make";
            Drop => DELETE "/drop";
            200 => Done;
        }
        on _ { reply Done; }
    }
"#;

/// A server that has nothing to show or list, and fails when something is made or dropped.
const FAILING: &str = r#"import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self):
        self.send_response(404 if self.command == "GET" else 500)
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_GET = do_POST = do_DELETE = answer
    def log_message(self, *_): pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

#[test]
fn a_status_that_is_not_described_is_one_cause_but_each_failure_of_the_server_is_its_own() {
    if !has_python() {
        return;
    }
    let (spec, server) = (file("undescribed.may", UNDESCRIBED), file("failing.py", FAILING));
    let port = crate::sut::free_port();
    let (sut, start) = (format!("http://127.0.0.1:{port}"), format!("python3 -SB {} {port}", server.display()));
    let more = ["--start", &start, "--reset", "none", "--clients", "1"];
    let said = tested_by_command(&spec, &sut, &empty_directory("undescribed"), &more);
    assert!(said.contains(": 3 violations"), "{said}");
    assert!(said.contains("also:   List 404") || said.contains("also:   Show 404"), "{said}");
}

#[test]
fn two_mistakes_are_two_causes() {
    let report = tested(&[Mistake::NotAt, Mistake::Clearing], 1);
    let found = causes(&report);
    let with_condition = |names: &Vec<&str>| names.iter().any(|name| name.contains("not_at"));
    assert!(found.iter().any(with_condition) && !found.iter().all(with_condition), "{found:#?}");
    assert!(found.len() <= 5, "{found:#?}");
    assert!(tested(&[], 3).failures.is_empty());
}
