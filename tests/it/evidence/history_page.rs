//! The page that draws histories: what stands in it, that it is one file that fetches nothing, and that a browser draws it.
//!
//! `tests/data/history` has traces with the data that their pages hold; `BLESS=1` writes the data anew. Where no Chromium is
//! installed the test of a browser says so and does nothing, except with `CI=true`, where it fails.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{check, file, place, run};
use crate::golden::golden;
use crate::real::skipped;

const SPEC: &str = "specs/cmp_set.may";
/// A server that does more than answering.
const SHOP: &str = "tests/data/history/shop.may";

/// The page of these traces, and the exit code of the command that wrote it.
#[track_caller]
fn page(name: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let path = place(name);
    let arguments = [&["validate"], arguments, &["--html", path.to_str().unwrap()]].concat();
    let output = run(&arguments, "");
    let text = std::fs::read_to_string(&path);
    (text.unwrap_or_else(|error| panic!("{error}: {output:?}")), output.status.code())
}

/// The traces that a page holds, as it holds them.
fn data(page: &str) -> Vec<&str> {
    let blocks = page.split("<script type=\"application/json\"").skip(1);
    blocks.map(|block| block.split_once('>').unwrap().1.split_once("</script>").unwrap().0).collect()
}

fn parsed(page: &str) -> Vec<Value> {
    data(page).into_iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// A history of clients that answer each other's requests by chance: client c sends c + 1, 2 c + 1, …
fn many(clients: u64, requests: u64) -> String {
    let (mut text, mut highest) = (String::new(), 0);
    for round in 0..requests / clients {
        for client in 0..clients {
            text += &format!("{{\"c\": {client}, \"q\": {}}}\n", (round + 1) * (client + 1));
        }
        for client in (0..clients).rev() {
            let asked = (round + 1) * (client + 1);
            text += &format!("{{\"c\": {client}, \"a\": {}}}\n", u64::from(asked > highest));
            highest = highest.max(asked);
        }
    }
    text
}

#[test]
fn a_page_holds_what_its_trace_is_known_to_hold() {
    let cases = [
        ("clients", 0, SPEC),
        ("rejected", 1, SPEC),
        ("unasked", 1, SPEC),
        ("one_client", 1, SPEC),
        ("keys", 0, "specs/kv.may"),
        ("shop", 0, SHOP),
        ("shop_rejected", 1, SHOP),
    ];
    for (name, code, spec) in cases {
        let trace = format!("tests/data/history/{name}.ndjson");
        let (page, exit) = page(&format!("{name}.html"), &[spec, &trace]);
        assert_eq!(exit, Some(code), "{name}");
        let [trace] = &parsed(&page)[..] else { panic!("{name}: one trace") };
        let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/history/{name}.json"));
        golden(&expected, &(serde_json::to_string_pretty(trace).unwrap() + "\n"));
    }
}

#[test]
fn each_request_stands_in_the_page_once_and_is_served_while_it_is_under_way() {
    let trace = many(5, 200);
    let path = file("each.ndjson", &trace);
    let (page, code) = page("each.html", &[SPEC, path.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let page = &parsed(&page)[0];
    let requests = page["requests"].as_array().unwrap();
    let sent: Vec<u64> = requests.iter().map(|request| request["sent"].as_u64().unwrap()).collect();
    let asked = (1..).zip(trace.lines()).filter(|(_, line)| line.contains("\"q\""));
    assert_eq!(sent, asked.map(|(number, _)| number).collect::<Vec<u64>>());
    let mut served: Vec<(u64, u64)> = Vec::new();
    for request in requests {
        let behind = request["behind"].as_u64().unwrap();
        assert!(request["sent"].as_u64().unwrap() <= behind && behind < request["end"].as_u64().unwrap(), "{request}");
        served.push((request["place"].as_u64().unwrap(), behind));
    }
    served.sort_unstable();
    assert!(served.iter().map(|(place, _)| *place).eq(1..=requests.len() as u64));
    assert!(served.windows(2).all(|two| two[0].1 <= two[1].1), "{served:?}");
}

#[test]
fn a_page_is_one_file_that_fetches_nothing() {
    let (page, _) = page("alone.html", &[SPEC, "tests/data/history/clients.ndjson"]);
    for word in
        ["http:", "https:", "src=", "href=", "url(", "@import", "import(", "fetch(", "XMLHttpRequest", "WebSocket"]
    {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\""));
}

#[test]
fn what_was_observed_does_not_end_the_data() {
    let value = r#"</script><script>alert(1)</script><!-- ]]> <b>\"\\\u0000\u2028&amp;"#;
    let ask = |c: u64, request: &str| format!("{{\"c\": {c}, \"q\": {request}}}\n{{\"c\": {c}, \"a\": {request}}}\n");
    let spec = file("echo.may", "protocol echo { request string; response string; on q { reply q; } }");
    let path = file("hostile.ndjson", ask(1, &format!("\"{value}\"")) + &ask(2, "\"plain\""));
    let (page, code) = page("hostile.html", &[spec.to_str().unwrap(), path.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let trace = &parsed(&page)[0];
    let text: String = serde_json::from_str(&format!("\"{value}\"")).unwrap();
    let shown: String = serde_json::from_str(trace["requests"][0]["request"].as_str().unwrap()).unwrap();
    assert_eq!(shown, text);
    assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2));
    assert!(!page.contains("<!--"));
}

/// Several traces are on one page; one that cannot be judged is there, with the error.
#[test]
fn several_traces_share_a_page() {
    let broken = file("broken.ndjson", "{\"c\": 1, \"q\": 5\n");
    let traces = ["tests/data/history/clients.ndjson", "tests/data/history/rejected.ndjson", broken.to_str().unwrap()];
    let (page, code) = page("several.html", &[&[SPEC], &traces[..]].concat());
    assert_eq!(code, Some(2));
    let verdicts: Vec<Value> = parsed(&page).iter().map(|trace| trace["verdict"].clone()).collect();
    assert_eq!(verdicts, [Value::from("accept"), Value::from("reject"), Value::Null]);
    assert!(parsed(&page)[2]["explanation"].to_string().contains("broken.ndjson:1:"));
    assert!(page.contains("data-worst=\"true\"") && page.matches("data-worst=\"true\"").count() == 1);
}

#[test]
fn a_page_does_not_replace_what_is_read() {
    let path = file("kept.ndjson", "{\"c\": 1, \"q\": 5}\n");
    let path = path.to_str().unwrap();
    check(&["validate", SPEC, path, "--html", path], "", 2, &["refusing to overwrite"]);
    check(&["validate", SPEC, path, "--html", "no/such/directory/h.html"], "", 2, &["cannot write"]);
    check(&["validate", SPEC, path, "--html", "h.html", "--no-evidence"], "", 2, &["cannot be used with"]);
}

#[test]
fn a_trace_that_is_too_long_to_be_drawn_has_its_verdict() {
    let path = file("long.ndjson", "{\"q\": 0, \"a\": 0}\n".repeat(100_001));
    let (page, code) = page("long.html", &[SPEC, path.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let trace = &parsed(&page)[0];
    assert_eq!((&trace["verdict"], trace["requests"].as_array().unwrap().len()), (&Value::from("accept"), 0));
    assert!(trace["explanation"].to_string().contains("more than 100000 requests are not drawn"), "{trace}");
}

/// The browser that is installed, if one is.
fn browser() -> Option<&'static str> {
    let is_there =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there)
}

/// The document that a browser makes of a page, at the state that the address tells. One that has much else to do may tell it before
/// anything is drawn: then it is asked again.
fn drawn(browser: &str, page: &Path, state: &str) -> String {
    let mut document = String::new();
    for _ in 0..3 {
        document = document_of(browser, page, state);
        if document.contains(" in view.") {
            break;
        }
    }
    document
}

fn document_of(browser: &str, page: &Path, state: &str) -> String {
    // Two browsers cannot have one profile.
    let profile: PathBuf = page.with_extension("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--window-size=1280,900"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--dump-dom", &format!("file://{}{state}", page.display())])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_browser_draws_a_page_and_filters_it() {
    let Some(browser) = browser() else { return skipped("no Chromium is installed, so no page is drawn") };
    let path = file("browser.ndjson", many(10, 10_000));
    let (page, _) = page("browser.html", &[SPEC, path.to_str().unwrap(), "tests/data/history/rejected.ndjson"]);
    let seen = |state: &str, parts: &[&str]| {
        let document = drawn(browser, &place("browser.html"), state);
        let body = document.split("<noscript>").nth(1).unwrap_or_default().split("<script").next().unwrap_or_default();
        assert!(body.contains("id=\"broken\" role=\"alert\" hidden"), "{state}: {body}");
        parts.iter().for_each(|part| assert!(body.contains(part), "{state}: {part} is not in {body}"));
    };
    // The rejected one is shown first, and what decided it is selected.
    seen(
        "",
        &[
            "reject</span>",
            "at line 6 of",
            "All of 3 requests on 3 clients",
            "no run of the specification explains this",
        ],
    );
    seen("#trace=1&zoom=40&line=5000", &["accept</span>", "All of 10,000 requests on 10 clients", "lines 5000 to 50"]);
    seen("#trace=1&client=3,4&find=77", &["of 10,000 requests on 2 clients"]);
    let place = &parsed(&page)[0]["requests"][0]["place"];
    let selected = format!("as number {place} of 10000");
    seen("#trace=1&select=1", &[&selected, "lines 1 to "]);
}

/// Sections, messages, calls and steps are drawn, and told of where they are selected.
#[test]
fn a_browser_draws_what_was_judged_event_by_event() {
    let Some(browser) = browser() else { return skipped("no Chromium is installed, so no page is drawn") };
    let traces = ["tests/data/history/shop.ndjson", "tests/data/history/shop_rejected.ndjson"];
    page("shop_browser.html", &[&[SHOP], &traces[..]].concat());
    let cases: [(&str, &[&str]); 4] = [
        (
            "#trace=1",
            &["accept</span>", "All of 10 items on 6 lanes", "a message of the server", "a section of the server"],
        ),
        (
            "#trace=1&select=3",
            &["in 3 sections of 8: number 3 after line 5", "sends {\"News\": [\"tea\", 5]} to client 1"],
        ),
        ("#trace=1&select=8", &["<dt>message</dt>", "{\"News\": [\"tea\", 5]}"]),
        ("#trace=2", &["at line 14 of", "no run of the specification explains this", "line 11</button>"]),
    ];
    for (state, parts) in cases {
        let document = drawn(browser, &place("shop_browser.html"), state);
        let body = document.split("<noscript>").nth(1).unwrap_or_default().split("<script").next().unwrap_or_default();
        assert!(body.contains("id=\"broken\" role=\"alert\" hidden"), "{state}: {body}");
        parts.iter().for_each(|part| assert!(body.contains(part), "{state}: {part} is not in {body}"));
    }
}
