//! `reply e then { … }` with a block that may be faulty: it runs over the answer that was seen, and a fault counts only there.
//!
//! `Take` answers some of the items; the block looks each of them up.

use std::sync::Arc;

use mayhap::Spec;
use mayhap::judge::{Judge, Options, judge_recorded};
use mayhap::network::Tcp;
use mayhap::reading::{Events, FormatRules, observations};
use mayhap::trace::TraceFormat;

use crate::judge::{Named, compiled, named, verdict};

const TAKE: &str = "enum Request { Add { name: string, price: int }, Take }
    enum Response { Added, Items(list<string>) }
    protocol shop {
        request Request;
        response Response;
        var prices: map<string, int> = {};
        var sold: int = 0;
        on Add { name, price } { prices[name] := price; reply Added; }
        on Take {
            let got = choose list<string>;
            reply Items(got) then {
                for g in got {
                    ASSUME
                    sold := sold + prices[g];
                    prices := prices.remove(g);
                }
            }
        }
    }";

/// Numbers of messages change when earlier messages are removed.
const MAILBOX: &str = "enum Untagged { Fetch { seq: int, uid: int }, Expunge(int), Exists(int) }
    enum Request { UidFetch(int), Noop }
    struct Response { untagged: list<Untagged>, ok: bool }
    protocol mailbox {
        request Request;
        response Response;
        var uids: list<int> = choose;
        on _ {
            let u = choose list<Untagged>;
            reply Response { untagged: u, ok: true } then { see(u); }
        }
        proc see(u: list<Untagged>) {
            for m in u {
                match m {
                    Fetch { seq, uid } => { assume 1 <= seq && seq <= len(uids) && uids[seq - 1] == uid; }
                    Expunge(seq) => {
                        assume 1 <= seq && seq <= len(uids);
                        uids := uids[0..seq - 1] + uids[seq..len(uids)];
                    }
                    Exists(n) => { assume n >= len(uids); }
                }
            }
        }
    }";

fn said(spec: &str, trace: &[&str]) -> (&'static str, Option<u64>) {
    named(&verdict(&compiled(spec), &trace.join("\n")))
}

/// The verdict on a recording over connections, which is the same event by event.
fn said_over_tcp(spec: &Arc<Spec>, trace: &str) -> Named {
    let mut events = Events::open(spec, trace.as_bytes(), TraceFormat::Ndjson, FormatRules::default());
    let events = observations(spec, &mut events).unwrap_or_else(|error| panic!("{}", error.render("t"))).events;
    let options = Options::default();
    let whole = named(&judge_recorded(spec, &Tcp, &events, &options).verdict());
    let mut judge = Judge::new(spec.clone(), options);
    _ = events.iter().all(|(line, event)| judge.observe_over(&Tcp, *line, event));
    assert_eq!(named(&judge.verdict()), whole, "{trace}");
    whole
}

#[test]
fn a_block_that_looks_up_what_was_answered_is_decided() {
    let guarded = TAKE.replace("ASSUME", "assume prices.contains(g);");
    let add = r#"{"q": {"Add": {"name": "a", "price": 1}}, "a": "Added"}"#;
    let take = r#"{"q": "Take", "a": {"Items": ["a"]}}"#;
    let none = r#"{"q": "Take", "a": {"Items": []}}"#;
    assert_eq!(said(&guarded, &[add, take, none]), ("accept", None));
    assert_eq!(said(&guarded, &[add, take, take]), ("reject", Some(3)));
    // A fault counts for the answer that was seen, and for no other one.
    let unguarded = TAKE.replace("ASSUME", "");
    assert_eq!(said(&unguarded, &[add, take, none]), ("accept", None));
    assert_eq!(said(&unguarded, &[add, take, take]), ("fault", Some(3)));
    assert_eq!(said(&unguarded, &[r#"{"q": "Take", "a": "Added"}"#]), ("reject", Some(1)));
}

#[test]
fn a_block_in_a_section_of_its_own_runs_over_the_answer_that_was_seen() {
    let exchange = |n: u64, q: &str, a: &str| {
        format!("{{\"n\": {n}, \"c\": 1, \"q\": {q}}}\n{{\"n\": {n}, \"c\": 1, \"a\": {a}}}\n")
    };
    let names: Vec<String> = ('a'..'m').map(|name| format!("\"{name}\"")).collect();
    let adds = names
        .iter()
        .zip(1..)
        .map(|(name, n)| exchange(n, &format!("{{\"Add\": {{\"name\": {name}, \"price\": 1}}}}"), "\"Added\""));
    let took = |names: &str| format!("{{\"Items\": [{names}]}}");
    let all = adds.collect::<String>() + &exchange(13, "\"Take\"", &took(&names.join(", ")));
    let none = all.clone() + &exchange(14, "\"Take\"", &took(""));
    let again = all + &exchange(14, "\"Take\"", &took("\"c\""));
    let over = |spec: &str, trace: &str| {
        said_over_tcp(&compiled(&spec.replace("let got", "yield; let got").replace("let u ", "yield; let u ")), trace)
    };
    let guarded = TAKE.replace("ASSUME", "assume prices.contains(g);");
    assert_eq!(over(&guarded, &none), ("accept", None));
    assert_eq!(over(&guarded, &again), ("reject", Some(28)));
    let unguarded = TAKE.replace("ASSUME", "");
    assert_eq!(over(&unguarded, &none), ("accept", None));
    assert_eq!(over(&unguarded, &again), ("fault", Some(28)));
    let fetch = |n: u64, seq: u64, uid: u64| {
        exchange(
            n,
            "\"Noop\"",
            &format!("{{\"untagged\": [{{\"Fetch\": {{\"seq\": {seq}, \"uid\": {uid}}}}}], \"ok\": true}}"),
        )
    };
    assert_eq!(over(MAILBOX, &(fetch(1, 16, 16) + &fetch(2, 16, 16))), ("accept", None));
    assert_eq!(over(MAILBOX, &(fetch(1, 16, 16) + &fetch(2, 16, 17))), ("reject", Some(4)));
}

#[test]
fn a_block_that_calls_a_proc_with_positions_and_slices_is_decided() {
    let fetch = r#"{"q": {"UidFetch": 16}, "a": {"untagged": [{"Fetch": {"seq": 3, "uid": 16}}], "ok": true}}"#;
    let again = |uid: u64| {
        format!(r#"{{"q": "Noop", "a": {{"untagged": [{{"Fetch": {{"seq": 3, "uid": {uid}}}}}], "ok": true}}}}"#)
    };
    assert_eq!(said(MAILBOX, &[fetch, &again(16)]), ("accept", None));
    assert_eq!(said(MAILBOX, &[fetch, &again(17)]), ("reject", Some(2)));
    let gone = r#"{"q": "Noop", "a": {"untagged": [{"Expunge": 1}], "ok": true}}"#;
    assert_eq!(said(MAILBOX, &[fetch, gone, &again(17)]), ("accept", None));
    let moved = r#"{"q": "Noop", "a": {"untagged": [{"Fetch": {"seq": 2, "uid": 17}}], "ok": true}}"#;
    assert_eq!(said(MAILBOX, &[fetch, gone, moved]), ("reject", Some(3)));
}
