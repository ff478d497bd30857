//! One protocol, written in several ways, has one verdict and about one cost.
//!
//! `pick f in [Sent, Lost] where f != Sent || up` and `choose f: Fate where f != Sent || up` are one choice; `reply Ok { tag: Some(t) }`
//! shows what `reply t` shows.

use crate::judge::{compiled, exchanges, text};
use mayhap::judge::Judge;
use mayhap::term::made;
use mayhap::{Options, Verdict};

/// The work on one formulation may be so many times that on the cheapest.
const TIMES: u64 = 20;

/// Judges lines by each formulation: verdict, forks and work in made terms.
fn judged(formulations: &[(String, String)]) -> Vec<(Verdict, u64, u64)> {
    let judge = |(text, lines): &(String, String)| {
        let spec = compiled(text);
        let mut judge = Judge::new(spec.clone(), Options::default());
        let before = made();
        exchanges(&spec, lines).iter().all(|exchange| judge.observe(exchange));
        (judge.verdict(), judge.counts().forks, made() - before)
    };
    formulations.iter().map(judge).collect()
}

/// Two replicas, each difference of which is sent on, missed or reported; `FATE` is the choice between these.
const REPLICAS: &str = r#"
    enum Fate { Sent, Unseen, Skipped, Broken }
    struct Named { name: string, code: int }
    enum Request { Write { side: int, name: string, text: string }, Sync, Dump { side: int } }
    enum Response { Done, Exit(int), Texts(map<string, string>) }
    struct Two { a: string, b: string, code: int }
    def meet(a: string, b: string): Two = {
        let clash = a != "" && b != "";
        FATE
        let new = if b == "" { a } else { b };
        Two { a: if sent { new } else { a }, b: if sent { new } else { b }, code: code }
    };
    protocol replicas {
        request Request;
        response Response;
        var sides: map<int, map<string, string>> = {1: {}, 2: {}};
        on Write { side, name, text } {
            sides[side] := {n: if n == name { text } else { sides[side][n] } for n in sides[side].keys() + {name}};
            reply Done;
        }
        on Sync {
            let names = sides[1].keys() + sides[2].keys();
            let met = {n: meet(sides[1].get_or(n, ""), sides[2].get_or(n, "")) for n in names};
            sides := {1: {n: met[n].a for n in names}, 2: {n: met[n].b for n in names}};
            reply Exit(if any n in names: met[n].code == 2 { 2 } else if any n in names: met[n].code == 1 { 1 } else { 0 });
        }
        on Dump { side } { reply Texts(sides[side]); }
    }"#;

const CODES: &str =
    "let sent = fate == Sent; let code = if fate == Skipped { 1 } else if fate == Broken { 2 } else { 0 };";

/// Writes to either side, and now and then they are synchronized, where everything is sent on but what clashes.
fn synchronized() -> String {
    let mut lines = String::new();
    for round in 0..12 {
        for name in ["a", "b", "c"] {
            let side = (round + name.len()) % 2 + 1;
            lines += &format!(
                "{{\"q\": {{\"Write\": {{\"side\": {side}, \"name\": \"{name}\", \"text\": \"{round}\"}}}}, \"a\": \"Done\"}}\n"
            );
        }
        lines += "{\"q\": \"Sync\", \"a\": {\"Exit\": 1}}\n";
    }
    lines
}

#[test]
fn a_choice_among_few_constants_is_one_symbol_however_it_is_written() {
    let of_fate = |choice: &str| REPLICAS.replace("FATE", &format!("let fate = {choice}; {CODES}"));
    let bools = "let sent = choose bool && !clash; let skipped = choose bool; let broken = choose bool;
        let code = if sent { 0 } else if broken { 2 } else if skipped { 1 } else { 0 };";
    let named = "let fate = pick f in [Named { name: \"p\", code: 0 }, Named { name: \"u\", code: 0 }, Named { name: \"s\", code: 1 },
            Named { name: \"b\", code: 2 }] where f.name != \"p\" || !clash;
        let sent = fate.name == \"p\"; let code = fate.code;";
    let texts = [
        REPLICAS.replace("FATE", bools),
        of_fate("choose f: Fate where f != Sent || !clash"),
        of_fate("pick f in [Sent, Unseen, Skipped, Broken] where f != Sent || !clash"),
        of_fate("pick (if clash { [Unseen, Skipped, Broken] } else { [Sent, Unseen, Skipped, Broken] })"),
        of_fate("either Unseen or Skipped or Broken or (if clash { Unseen } else { Sent })"),
        REPLICAS.replace("FATE", named),
    ];
    let formulations: Vec<_> = texts.into_iter().map(|text| (text, synchronized())).collect();
    let judged = judged(&formulations);
    let least = judged.iter().map(|(.., work)| *work).min().unwrap_or_default();
    for (at, (verdict, forks, work)) in judged.iter().enumerate() {
        assert!(verdict.is_accept() && *forks == 0, "{at}: {verdict:?}, {forks} forks");
        assert!(*work <= least * TIMES, "{at}: {work} made terms, {least} at least");
    }
}

/// The whole synchronizer: trees of files, and a recording of a thousand operations that a real one made.
#[test]
fn what_became_of_each_difference_is_one_symbol_in_trees_too() {
    let spec = text("tests/data/cost/synchronizer.may");
    let lines = text("tests/data/cost/synchronized.ndjson");
    let of_fate = |choice: &str| {
        let then = "if fate == Propagated {
                let new = if a == g { b } else { a };
                Three { a: new, b: new, g: new, skipped: false, broken: false }
            } else { Three { a, b, g, skipped: fate == Skipped, broken: fate == Broken } }";
        spec.replace("            FATE", &format!("let fate = {choice}; {then}"))
    };
    let bools = "let done = choose bool && !clash; let skipped = choose bool; let broken = choose bool;
            let new = if a == g { b } else { a };
            Three { a: if done { new } else { a }, b: if done { new } else { b }, g: if done { new } else { g },
                skipped: !done && skipped, broken: !done && broken }";
    let texts = [
        spec.replace("            FATE", bools),
        of_fate("choose f: Fate where f != Propagated || !clash"),
        of_fate("pick f in [Propagated, Unseen, Skipped, Broken] where f != Propagated || !clash"),
        of_fate("pick (if clash { [Unseen, Skipped, Broken] } else { [Propagated, Unseen, Skipped, Broken] })"),
        of_fate("either Unseen or Skipped or Broken or (if clash { Unseen } else { Propagated })"),
    ];
    let formulations: Vec<_> = texts.into_iter().map(|text| (text, lines.clone())).collect();
    let judged = judged(&formulations);
    let least = judged.iter().map(|(.., work)| *work).min().unwrap_or_default();
    for (at, (verdict, _, work)) in judged.iter().enumerate() {
        assert!(verdict.is_accept(), "{at}: {verdict:?}");
        assert!(*work <= 3 * least && *work < 400_000, "{at}: {work} made terms, {least} at least");
    }
}

/// A file whose strong tags stand for one content each; `TAG` is the type of the tag, and `GET` what a request for it does.
const TAGGED: &str = r#"
    token Opaque;
    struct Tag { weak: bool, opaque: Opaque }
    enum Request { Put(bytes), Get }
    enum Response { Done, Ok { tag: TAG, body: bytes } }
    protocol tagged {
        request Request;
        response Response;
        var body: bytes = "";
        var tag: TAG = choose;
        var past: map<Opaque, bytes> = {};
        on Put(b) { body := b; tag := choose; reply Done; }
        on Get { GET }
    }"#;

/// The type of a tag, what a request for it does, and how it is written in an answer.
type Tagged<'t> = (&'t str, String, &'t dyn Fn(usize) -> String);

/// So many writes, each read once; the last one shows the tag of the one `again` writes before it, if there is one.
fn tagged(tag: &dyn Fn(usize) -> String, again: Option<usize>) -> String {
    let mut lines = String::new();
    let n = 200;
    for at in 0..n {
        let shown = again.filter(|_| at + 1 == n).map_or(at, |again| at - again);
        lines += &format!("{{\"q\": {{\"Put\": \"b{at}\"}}, \"a\": \"Done\"}}\n");
        lines += &format!("{{\"q\": \"Get\", \"a\": {{\"Ok\": {{\"tag\": {}, \"body\": \"b{at}\"}}}}}}\n", tag(shown));
    }
    lines
}

#[test]
fn a_tag_that_the_answer_shows_costs_the_same_wherever_it_is() {
    let plain = |at: usize| format!("\"t{at}\"");
    let inside = |at: usize| format!("{{\"weak\": false, \"opaque\": \"t{at}\"}}");
    let kept = |key: &str| format!("assume past.get_or({key}, body) == body; past[{key}] := body;");
    let formulations: [Tagged<'_>; 8] = [
        (
            "Opaque",
            format!("let t: Opaque = choose; assume t == tag; {} reply Ok {{ tag: t, body }};", kept("t")),
            &plain,
        ),
        ("Opaque", format!("{} reply Ok {{ tag, body }};", kept("tag")), &plain),
        (
            "Opaque",
            format!("let t = choose x: Opaque where x == tag; {} reply Ok {{ tag: t, body }};", kept("t")),
            &plain,
        ),
        (
            "Opaque",
            "let t: Opaque = choose; assume t == tag; assume !past.contains(t) || past[t] == body; past[t] := body;
                reply Ok { tag: t, body };"
                .to_owned(),
            &plain,
        ),
        (
            "option<Opaque>",
            format!(
                "let t: option<Opaque> = choose; assume t == tag; if t is Some(o) {{ {} }} reply Ok {{ tag: t, body }};",
                kept("o")
            ),
            &plain,
        ),
        (
            "option<Opaque>",
            format!("let t: Opaque = choose; assume Some(t) == tag; {} reply Ok {{ tag: Some(t), body }};", kept("t")),
            &plain,
        ),
        ("Tag", format!("if !tag.weak {{ {} }} reply Ok {{ tag, body }};", kept("tag.opaque")), &inside),
        (
            "option<Tag>",
            format!(
                "let t: option<Tag> = choose; assume t == tag; if t is Some(o) && !o.weak {{ {} }} reply Ok {{ tag: t, body }};",
                kept("o.opaque")
            ),
            &inside,
        ),
    ];
    for again in [None, Some(1), Some(150)] {
        let lines =
            |(tag, get, shown): &Tagged<'_>| (TAGGED.replace("TAG", tag).replace("GET", get), tagged(shown, again));
        let judged = judged(&formulations.iter().map(lines).collect::<Vec<_>>());
        let least = judged.iter().map(|(.., work)| *work).min().unwrap_or_default();
        for (at, (verdict, _, work)) in judged.iter().enumerate() {
            match again {
                None => assert!(verdict.is_accept(), "{at}: {verdict:?}"),
                Some(_) => assert_eq!(*verdict, Verdict::Reject { event: 400, event_from: None }, "{at}"),
            }
            assert!(*work <= least * TIMES, "{at}: {work} made terms, {least} at least");
        }
    }
}
