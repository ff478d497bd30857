//! A lookup under a key that is not known costs the same, however long the history is.
//!
//! A blob store shows the id of a blob some requests after it was put, an authorization server hands out a token later than it makes it:
//! until then the id differs from all ids that stand for something else.

use crate::judge::{compiled, exchanges};
use crate::workload::{simulate, workload};
use mayhap::judge::Judge;
use mayhap::term::made;
use mayhap::{Exchange, Options, Spec, Verdict};
use std::sync::Arc;

/// Four times as many exchanges may take this many tenths of the work: now and then a pass goes over the whole state, which grows.
const GROWTH: u64 = 55;
/// The number of exchanges of the shorter recording, about.
const FEW: u64 = 1_000;

const BLOBS: &str = r#"
    token Id;
    enum Request { Put { name: string, body: bytes }, Stat { name: string }, Get { id: Id } }
    enum Response { Done, Missing, Is { id: Id, size: int }, Content(bytes) }
    protocol blobs {
        request Request;
        response Response;
        var names: map<string, (Id, bytes)> = {};
        var contents: map<Id, bytes> = {};
        on Put { name, body } {
            let id = choose i: Id where contents.get_or(i, body) == body;
            contents[id] := body;
            names[name] := (id, body);
            reply Done;
        }
        on Stat { name } {
            match names.get(name) { None => { reply Missing; } Some((id, body)) => { reply Is { id, size: len(body) }; } }
        }
        on Get { id } {
            match contents.get(id) { None => { reply Missing; } Some(body) => { reply Content(body); } }
        }
    }"#;

/// Two blobs are put before the id of the first one is shown; every seventh has a content that others had.
fn blobs(count: u64) -> String {
    let body = |n: u64| if n.is_multiple_of(7) { format!("same {}", n % 5) } else { format!("b{n}") };
    let each = |round: u64| {
        let [one, two, old] = [2 * round, 2 * round + 1, 2 * (round / 2)];
        let stat = |name: &str, n: u64| {
            format!(r#"{{"q":{{"Stat":{{"name":"{name}"}}}},"a":{{"Is":{{"id":"i{n}","size":{}}}}}}}"#, body(n).len())
        };
        [
            format!(r#"{{"q":{{"Put":{{"name":"a","body":"{}"}}}},"a":"Done"}}"#, body(one)),
            format!(r#"{{"q":{{"Put":{{"name":"b","body":"{}"}}}},"a":"Done"}}"#, body(two)),
            stat("a", one),
            format!(r#"{{"q":{{"Get":{{"id":"i{old}"}}}},"a":{{"Content":"{}"}}}}"#, body(old)),
            stat("b", two),
        ]
        .join("\n")
    };
    (0..count / 5).map(each).collect::<Vec<String>>().join("\n")
}

const TOKENS: &str = r#"
    token Token;
    struct Grant { user: string, scope: int }
    enum Request { Authorize { user: string, scope: int }, Exchange { user: string }, Check { token: Token }, Revoke { user: string } }
    enum Response { Done, Denied, Granted { token: Token, scope: int }, Is(Grant) }
    protocol tokens {
        request Request;
        response Response;
        var waiting: map<string, Token> = {};
        var grants: map<Token, Grant> = {};
        on Authorize { user, scope } {
            let token = choose t: Token where !grants.contains(t);
            grants[token] := Grant { user, scope };
            waiting[user] := token;
            reply Done;
        }
        on Exchange { user } {
            match waiting.get(user) {
                None => { reply Denied; }
                Some(token) => { waiting := waiting.remove(user); reply Granted { token, scope: grants[token].scope }; }
            }
        }
        on Check { token } {
            match grants.get(token) { None => { reply Denied; } Some(grant) => { reply Is(grant); } }
        }
        on Revoke { user } {
            grants := {t: g for (t, g) in grants if g.user != user};
            waiting := waiting.remove(user);
            reply Done;
        }
    }"#;

/// Two tokens are made before the first one is handed out; now and then one of two users is forgotten while both wait for theirs.
fn tokens(count: u64) -> String {
    let each = |round: u64| {
        let [one, two] = [2 * round, 2 * round + 1];
        let authorize =
            |user: &str, n: u64| format!(r#"{{"q":{{"Authorize":{{"user":"{user}","scope":{}}}}},"a":"Done"}}"#, n % 5);
        let exchange = |user: &str, n: u64| {
            let granted = format!(r#"{{"Granted":{{"token":"t{n}","scope":{}}}}}"#, n % 5);
            format!(r#"{{"q":{{"Exchange":{{"user":"{user}"}}}},"a":{granted}}}"#)
        };
        let check = |n: u64, user: &str| {
            let is = format!(r#"{{"Is":{{"user":"{user}","scope":{}}}}}"#, n % 5);
            format!(r#"{{"q":{{"Check":{{"token":"t{n}"}}}},"a":{is}}}"#)
        };
        let mut lines = vec![authorize("a", one), authorize("b", two)];
        if round % 20 == 19 {
            lines.push(r#"{"q":{"Revoke":{"user":"a"}},"a":"Done"}"#.to_owned());
            lines.push(r#"{"q":{"Exchange":{"user":"a"}},"a":"Denied"}"#.to_owned());
        } else {
            lines.extend([exchange("a", one), check(one, "a")]);
        }
        lines.push(exchange("b", two));
        if round % 20 == 9 {
            lines.push(r#"{"q":{"Revoke":{"user":"b"}},"a":"Done"}"#.to_owned());
        }
        lines.join("\n")
    };
    (0..count / 5).map(each).collect::<Vec<String>>().join("\n")
}

const PAIRS: &str = r#"
    token Tag;
    enum Request { Put { path: string, body: bytes }, Get { path: string } }
    enum Response { Done, Is { tag: Tag, body: bytes } }
    protocol pairs {
        request Request;
        response Response;
        var files: map<string, (Tag, bytes)> = {};
        var past: map<(string, Tag), bytes> = {};
        on Put { path, body } {
            let tag = choose t: Tag where past.get_or((path, t), body) == body;
            files[path] := (tag, body);
            reply Done;
        }
        on Get { path } {
            let (tag, body) = files.get_or(path, (choose, ""));
            past[(path, tag)] := body;
            reply Is { tag, body };
        }
    }"#;

/// Three files are put, and then read in another order.
fn pairs(count: u64) -> String {
    let each = |round: u64| {
        let put = |n: u64| format!(r#"{{"q":{{"Put":{{"path":"p{n}","body":"b{round}"}}}},"a":"Done"}}"#);
        let get = |n: u64| {
            format!(r#"{{"q":{{"Get":{{"path":"p{n}"}}}},"a":{{"Is":{{"tag":"t{round}","body":"b{round}"}}}}}}"#)
        };
        [put(0), put(1), put(2), get(1), get(0), get(2)].join("\n")
    };
    (0..count / 6).map(each).collect::<Vec<String>>().join("\n")
}

/// The verdict on exchanges, and the work in made terms.
fn judged(spec: &Arc<Spec>, exchanges: &[Exchange]) -> (Verdict, u64) {
    let mut judge = Judge::new(spec.clone(), Options::default());
    let before = made();
    exchanges.iter().all(|exchange| judge.observe(exchange));
    (judge.verdict(), made() - before)
}

/// Checks that the work grows as the recording does, and that one wrong answer at the end is rejected.
fn check(text: &str, lines: fn(u64) -> String, wrong: &str) {
    let spec = compiled(text);
    let [few, many] = [FEW, 4 * FEW].map(|count| judged(&spec, &exchanges(&spec, &lines(count))));
    assert!(few.0.is_accept() && many.0.is_accept(), "{:?} {:?}", few.0, many.0);
    assert!(
        many.1 * 10 <= few.1 * GROWTH,
        "{} made terms for {FEW} exchanges, {} for four times as many",
        few.1,
        many.1
    );
    let with_mistake = format!("{}\n{wrong}", lines(FEW));
    let (verdict, _) = judged(&spec, &exchanges(&spec, &with_mistake));
    assert!(matches!(verdict, Verdict::Reject { .. }), "{verdict:?} after {wrong}");
}

#[test]
fn ids_that_are_shown_late_cost_the_same_after_a_long_history() {
    check(BLOBS, blobs, r#"{"q":{"Get":{"id":"i8"}},"a":{"Content":"another"}}"#);
    check(TOKENS, tokens, r#"{"q":{"Check":{"token":"t0"}},"a":{"Is":{"user":"a","scope":0}}}"#);
    check(PAIRS, pairs, r#"{"q":{"Get":{"path":"p0"}},"a":{"Is":{"tag":"t9","body":"b9"}}}"#);
}

#[test]
fn the_tags_of_http_cost_the_same_after_a_long_history() {
    let judged = |count| {
        let recording = simulate(&workload("http", "specs/http.may"), count, 4);
        judged(&recording.spec, &recording.exchanges)
    };
    let [few, many] = [FEW, 4 * FEW].map(judged);
    assert!(few.0.is_accept() && many.0.is_accept());
    assert!(
        many.1 * 10 <= few.1 * GROWTH,
        "{} made terms for {FEW} exchanges, {} for four times as many",
        few.1,
        many.1
    );
}
