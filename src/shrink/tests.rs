//! Failures of small systems with planted bugs: the exact minimum, and the number of runs to find it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::choice::{Choices, Random};
use crate::json;
use crate::judge::Options;
use crate::script::{MessageKind, Messages, PlannedAsk, RecordedOutcome, ScriptHeader, ScriptStep};
use crate::session::{Session, SessionProgress};
use crate::trace::{EventKind, TraceEvent};
use crate::value::Value;

const STORE: &str = r#"
    token Id;
    enum StoreQuery { Get(string), Put { key: string, value: string, old: option<string> }, Del(string), New, Use(Id), Add(int), Many(list<int>) }
    enum StoreAnswer { Found(option<string>), Done, Made(Id), Yes, No, Sum(int) }
    protocol store {
        request StoreQuery;
        response StoreAnswer;
        var data: map<string, string> = {};
        var ids: set<Id> = {};
        var sum: int = 0;
        on Get(k) { reply Found(data.get(k)); }
        on Put { key, value, old } { data[key] := value; reply Done; }
        on Del(k) { data := data.remove(k); reply Done; }
        on New { let id = choose x: Id where !(x in ids); ids := ids + {id}; reply Made(id); }
        on Use(id) { if id in ids { reply Yes; } reply No; }
        on Add(n) { sum := sum + n; reply Sum(sum); }
        on Many(l) { reply Sum(len(l)); }
    }
"#;

/// A bug of the system.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Planted {
    /// A read does not see the second write of a key.
    StaleRead,
    /// Values are cut to 16 characters.
    Truncates,
    /// `Del` of an existing key is answered, and does nothing.
    KeepsDeleted,
    /// After twenty writes, further ones do nothing.
    FullAtTwenty,
    /// An identifier is forgotten when another one is made.
    ForgetsIds,
    /// The sum is one too large after 1000 or more was added at once.
    WrongSum,
    /// Lists that begin with 7 and have at least three elements get one more.
    Sevens,
    /// A read finds nothing, in three of ten cases.
    SometimesLost,
    /// Of two `Add` of different clients that are under way together, one is answered wrongly.
    LostUpdate,
    /// Of two such `Add`, one is answered wrongly in three of ten cases.
    SometimesLostUpdate,
    /// `Put` with `old` does nothing.
    IgnoresOld,
}

/// The system. It answers requests in the order in which they come, and sees which others are under way.
struct PlantedSystem {
    planted: Planted,
    data: BTreeMap<String, String>,
    first: BTreeMap<String, String>,
    ids: usize,
    sum: i64,
    writes: usize,
}

impl PlantedSystem {
    fn new(planted: Planted) -> PlantedSystem {
        let (data, first) = (BTreeMap::new(), BTreeMap::new());
        PlantedSystem { planted, data, first, ids: 0, sum: 0, writes: 0 }
    }

    /// The answer to a request as JSON, while this number of other requests is under way.
    fn answer(&mut self, query: &str, others: usize, chance: &mut Random) -> String {
        let tree = crate::script::JsonTree::read(query).unwrap();
        let text = |tree: &crate::script::JsonTree| {
            json::Scanner::new(&tree.text()).string().map(|text| text.into_owned()).unwrap_or_else(|_| tree.text())
        };
        let planted = self.planted;
        let is_unlucky = chance.choose("luck", 10).unwrap() < 3;
        if let Some(key) = tree.member("Get").map(text) {
            let stale = self.first.get(&key).filter(|_| planted == Planted::StaleRead);
            let found = stale.or(self.data.get(&key)).filter(|_| planted != Planted::SometimesLost || !is_unlucky);
            return format!("{{\"Found\": {}}}", found.map_or("null".into(), |value| json::quoted(value)));
        }
        if let Some(put) = tree.member("Put") {
            let (key, mut value) = (text(put.member("key").unwrap()), text(put.member("value").unwrap()));
            self.writes += 1;
            if planted == Planted::Truncates {
                value = value.chars().take(16).collect();
            }
            let ignored = planted == Planted::IgnoresOld && put.member("old").unwrap().text() != "null";
            if !(ignored || planted == Planted::FullAtTwenty && self.writes > 20) {
                self.first.entry(key.clone()).or_insert(value.clone());
                self.data.insert(key, value);
            }
            return "\"Done\"".into();
        }
        if let Some(key) = tree.member("Del").map(text) {
            if planted != Planted::KeepsDeleted {
                self.data.remove(&key);
                self.first.remove(&key);
            }
            return "\"Done\"".into();
        }
        if let Some(id) = tree.member("Use").map(text) {
            let number: usize = id.strip_prefix("id").and_then(|number| number.parse().ok()).unwrap_or(usize::MAX);
            let is_known = number <= self.ids && (planted != Planted::ForgetsIds || number == self.ids);
            return if is_known { "\"Yes\"" } else { "\"No\"" }.into();
        }
        if let Some(number) = tree.member("Add") {
            let number: i64 = number.text().parse().unwrap();
            let loses = planted == Planted::LostUpdate || planted == Planted::SometimesLostUpdate && is_unlucky;
            self.sum += number;
            let seen = if others > 0 && loses { self.sum - 1 } else { self.sum };
            return format!("{{\"Sum\": {}}}", seen + i64::from(planted == Planted::WrongSum && number >= 1000));
        }
        if let Some(list) = tree.member("Many") {
            let elements = list.elements().unwrap();
            let is_odd = planted == Planted::Sevens && elements.len() > 2 && elements[0].text() == "7";
            return format!("{{\"Sum\": {}}}", elements.len() + usize::from(is_odd));
        }
        self.ids += 1;
        format!("{{\"Made\": \"id{}\"}}", self.ids)
    }
}

/// A trial that runs scripts against such a system.
struct PlantedTrial {
    spec: Arc<Spec>,
    planted: Planted,
    chance: Random,
    runs: u64,
}

/// A run under way.
struct PlantedRun<'t> {
    trial: &'t mut PlantedTrial,
    system: PlantedSystem,
    session: Session,
    messages: Messages,
    /// The requests without an answer so far.
    open: Vec<(u64, u64, Value)>,
    steps: Vec<ScriptStep>,
}

impl PlantedRun<'_> {
    fn observe(&mut self, client: u64, kind: EventKind<Value>) -> bool {
        let line = self.steps.len() as u64 + 1;
        let progress = self.session.push(TraceEvent { line, client: Some(client), kind }).unwrap();
        matches!(progress, SessionProgress::Rejected(_))
            || matches!(self.session.settle(), SessionProgress::Rejected(_))
    }

    fn send(&mut self, PlannedAsk { label, client, request, .. }: &PlannedAsk) -> bool {
        let spec = self.trial.spec.clone();
        let sent = request.instantiate(&self.messages);
        self.messages.push(*label, MessageKind::Request, sent.clone());
        self.open.push((*label, *client, sent.clone()));
        let failed = self.observe(*client, EventKind::Request(sent.clone()));
        let request = request.sent_as(&spec.types, spec.program.request, sent);
        self.steps.push(ScriptStep::Ask { label: *label, client: *client, request });
        failed
    }

    /// Answers a request, and before it the earlier ones of its client. Returns the cause if an answer cannot be explained.
    fn answer(&mut self, label: u64) -> Option<String> {
        let client = self.open.iter().find(|(own, ..)| *own == label)?.1;
        let earlier: Vec<u64> = self.open.iter().filter(|(_, own, _)| *own == client).map(|(own, ..)| *own).collect();
        let due = earlier.into_iter().take_while(|own| *own != label).chain([label]);
        due.collect::<Vec<_>>().into_iter().find_map(|label| self.answer_next(label))
    }

    fn answer_next(&mut self, label: u64) -> Option<String> {
        let spec = self.trial.spec.clone();
        let at = self.open.iter().position(|(own, ..)| *own == label)?;
        let (_, client, request) = self.open.remove(at);
        let query = json::encode(&spec.types, spec.program.request, &request);
        let is_other = |(_, other, request): &&(u64, u64, Value)| {
            *other != client && json::encode(&spec.types, spec.program.request, request).starts_with("{\"Add\"")
        };
        let others = self.open.iter().filter(is_other).count();
        let text = self.system.answer(&query, others, &mut self.trial.chance);
        let answer = json::decode(&spec.types, spec.program.response, &text).unwrap();
        self.messages.push(label + 1, MessageKind::Response, answer.clone());
        let failed = self.observe(client, EventKind::Answer(answer.clone()));
        self.steps.push(ScriptStep::Await { label, seen: RecordedOutcome::Answer(answer) });
        let name = |text: &str| text.chars().filter(char::is_ascii_alphabetic).take(3).collect::<String>();
        failed.then(|| format!("{} {}", name(&query), name(&text)))
    }
}

impl Trial for PlantedTrial {
    fn run(&mut self, script: &Script) -> TrialOutcome {
        self.runs += 1;
        let spec = self.spec.clone();
        let (system, session) = (PlantedSystem::new(self.planted), Session::tcp(&spec, Options::default()));
        let messages = Messages::new(&spec);
        let mut run = PlantedRun { trial: self, system, session, messages, open: Vec::new(), steps: Vec::new() };
        for ask in script.plan().asks {
            for label in &ask.after {
                if let Some(cause) = run.answer(*label) {
                    return TrialOutcome::Fails { cause, recorded: Script::of_run(ScriptHeader::default(), run.steps) };
                }
            }
            run.send(&ask);
        }
        while let Some((label, ..)) = run.open.first() {
            if let Some(cause) = run.answer(*label) {
                return TrialOutcome::Fails { cause, recorded: Script::of_run(ScriptHeader::default(), run.steps) };
            }
        }
        TrialOutcome::Passes
    }
}

/// A long random script that fails in some run.
fn failing(trial: &mut PlantedTrial, seed: u64, clients: usize) -> (String, Script) {
    let mut source = Random::new(seed);
    let mut draw = |arity: usize| source.choose("drawn", arity).unwrap();
    let spec = trial.spec.clone();
    for _ in 0..200 {
        let mut steps = Vec::new();
        let mut ids: Vec<u64> = Vec::new();
        for number in 0..60 {
            let label = 2 * number + 1;
            let key = format!("\"k{}\"", draw(3));
            let value = "v".repeat(1 + draw(40)) + &draw(9).to_string();
            let old = if draw(2) == 0 { "null".to_owned() } else { key.clone() };
            let list: Vec<String> = (0..draw(9)).map(|_| draw(20).to_string()).collect();
            let id = ids
                .get(draw(ids.len().max(1)))
                .map_or("\"other\"".to_owned(), |label| format!("{{\"$ref\": \"{label}@Made\", \"was\": \"id\"}}"));
            let query = match draw(8) {
                0 | 1 => format!("{{\"Get\": {key}}}"),
                2 | 3 => format!("{{\"Put\": {{\"key\": {key}, \"value\": \"{value}\", \"old\": {old}}}}}"),
                4 => format!("{{\"Del\": {key}}}"),
                5 => format!("{{\"Add\": {}}}", draw(2_000)),
                6 => format!("{{\"Many\": [{}]}}", list.join(", ")),
                _ if draw(2) == 0 => {
                    ids.push(label + 1);
                    "\"New\"".to_owned()
                }
                _ => format!("{{\"Use\": {id}}}"),
            };
            steps.push(format!("{{\"n\": {label}, \"c\": {}, \"q\": {query}}}", 1 + draw(clients)));
        }
        let mut script = Script::read(&spec, &steps.join("\n")).unwrap();
        // Each answer comes before the next request, or before the one after it.
        let asks = std::mem::take(&mut script.steps);
        let mut open: Vec<ScriptStep> = Vec::new();
        for ask in asks {
            let ScriptStep::Ask { label, .. } = &ask else { continue };
            if open.len() > draw(clients) {
                script.steps.append(&mut open);
            }
            open.push(ScriptStep::Await { label: *label, seen: RecordedOutcome::Lost });
            script.steps.push(ask);
        }
        script.steps.append(&mut open);
        if let TrialOutcome::Fails { cause, recorded } = trial.run(&script) {
            return (cause, recorded);
        }
    }
    panic!("it never fails");
}

/// The planted bug, the number of clients, the smallest script, and the greatest median number of runs.
const CASES: &[(Planted, usize, &[&str], u64)] = &[
    (
        Planted::StaleRead,
        1,
        &[
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "a", "old": null}}, "a": "Done"}"#,
            r#"{"n": 3, "c": 1, "q": {"Put": {"key": "a", "value": "b", "old": null}}, "a": "Done"}"#,
            r#"{"n": 5, "c": 1, "q": {"Get": "a"}, "a": {"Found": "a"}}"#,
        ],
        20,
    ),
    (
        Planted::Truncates,
        1,
        &[
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "aaaaaaaaaaaaaaaaa", "old": null}}, "a": "Done"}"#,
            r#"{"n": 3, "c": 1, "q": {"Get": "a"}, "a": {"Found": "aaaaaaaaaaaaaaaa"}}"#,
        ],
        20,
    ),
    (
        Planted::KeepsDeleted,
        1,
        &[
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "a", "old": null}}, "a": "Done"}"#,
            r#"{"n": 3, "c": 1, "q": {"Del": "a"}, "a": "Done"}"#,
            r#"{"n": 5, "c": 1, "q": {"Get": "a"}, "a": {"Found": "a"}}"#,
        ],
        20,
    ),
    (
        Planted::ForgetsIds,
        1,
        &[
            r#"{"n": 1, "c": 1, "q": "New", "a": {"Made": "id1"}}"#,
            r#"{"n": 3, "c": 1, "q": "New", "a": {"Made": "id2"}}"#,
            r#"{"n": 5, "c": 1, "q": {"Use": {"$ref": "2@Made", "was": "id1"}}, "a": "No"}"#,
        ],
        20,
    ),
    (Planted::WrongSum, 1, &[r#"{"n": 1, "c": 1, "q": {"Add": 1000}, "a": {"Sum": 1001}}"#], 30),
    (Planted::Sevens, 1, &[r#"{"n": 1, "c": 1, "q": {"Many": [7, 0, 0]}, "a": {"Sum": 4}}"#], 30),
    (
        Planted::IgnoresOld,
        1,
        &[
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "a", "old": "a"}}, "a": "Done"}"#,
            r#"{"n": 3, "c": 1, "q": {"Get": "a"}, "a": {"Found": null}}"#,
        ],
        20,
    ),
    (
        Planted::StaleRead,
        3,
        &[
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "a", "old": null}}, "a": "Done"}"#,
            r#"{"n": 3, "c": 1, "q": {"Put": {"key": "a", "value": "b", "old": null}}, "a": "Done"}"#,
            r#"{"n": 5, "c": 1, "q": {"Get": "a"}, "a": {"Found": "a"}}"#,
        ],
        20,
    ),
    (
        Planted::LostUpdate,
        3,
        &[
            r#"{"n": 1, "c": 1, "q": {"Add": 0}}"#,
            r#"{"n": 3, "c": 2, "q": {"Add": 0}}"#,
            r#"{"n": 2, "c": 1, "a": {"Sum": -1}}"#,
        ],
        30,
    ),
    (
        Planted::SometimesLost,
        1,
        &[
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "a", "old": null}}, "a": "Done"}"#,
            r#"{"n": 3, "c": 1, "q": {"Get": "a"}, "a": {"Found": null}}"#,
        ],
        150,
    ),
    (
        Planted::SometimesLostUpdate,
        3,
        &[
            r#"{"together": [1, 3], "offset_ms": [0, 0]}"#,
            r#"{"n": 1, "c": 1, "q": {"Add": 0}}"#,
            r#"{"n": 3, "c": 2, "q": {"Add": 0}}"#,
            r#"{"n": 2, "c": 1, "a": {"Sum": -1}}"#,
        ],
        250,
    ),
];

fn spec() -> Arc<Spec> {
    Spec::from_text(STORE).unwrap()
}

fn body(spec: &Spec, script: &Script) -> String {
    script.write(spec).lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[test]
fn small_failures_reach_their_minimum() {
    let spec = spec();
    let mut wrong = Vec::new();
    for (planted, clients, minimum, most) in CASES {
        let mut runs = Vec::new();
        for seed in 0..5 {
            let mut trial = PlantedTrial { spec: spec.clone(), planted: *planted, chance: Random::new(seed), runs: 0 };
            let (cause, script) = failing(&mut trial, seed, *clients);
            trial.runs = 0;
            let shrunk = shrink(&spec, &script, &[], &cause, &mut trial, ShrinkBudget::default());
            let found = body(&spec, &shrunk.script);
            let what = format!(
                "{planted:?}, seed {seed}, {cause}: {} runs, fails {:?}, of {}",
                shrunk.runs,
                shrunk.fails,
                script.steps.len()
            );
            assert_eq!(shrunk.runs, trial.runs);
            if found != minimum.join("\n") || !shrunk.minimal {
                wrong.push(format!("{what}\n{found}"));
            }
            runs.push(shrunk.runs);
        }
        runs.sort_unstable();
        if runs[2] > *most {
            wrong.push(format!("{planted:?}: {runs:?} runs"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn long_failures_reach_their_minimum() {
    let spec = spec();
    let mut trial =
        PlantedTrial { spec: spec.clone(), planted: Planted::FullAtTwenty, chance: Random::new(1), runs: 0 };
    let (cause, script) = failing(&mut trial, 3, 1);
    let shrunk = shrink(&spec, &script, &[], &cause, &mut trial, ShrinkBudget::default());
    assert_eq!(super::edit::labels(&shrunk.script).len(), 22);
    assert!(shrunk.minimal && shrunk.runs <= 125, "{}", shrunk.runs);
}

#[test]
fn a_large_number_near_a_shown_one_becomes_a_reference() {
    let spec = spec();
    let lines = |last: &str| {
        [
            r#"{"n": 1, "c": 1, "q": {"Add": 5}, "a": {"Sum": 1795867095}}"#,
            r#"{"n": 3, "c": 1, "q": {"Add": 300000}, "a": {"Sum": 300000}}"#,
            &format!(r#"{{"n": 5, "c": 1, "q": {{"Many": [{last}, 300000, 6]}}, "a": {{"Sum": 3}}}}"#),
        ]
        .join("\n")
    };
    for (given, anchored) in [
        ("1795867096", r#"{"$ref": "2@Sum", "was": 1795867096, "plus": 1}"#),
        ("1795867094", r#"{"$ref": "2@Sum", "was": 1795867094, "plus": -1}"#),
        ("1795867095", r#"{"$ref": "2@Sum", "was": 1795867095}"#),
        ("1795867195", "1795867195"),
    ] {
        let script = Script::read(&spec, &lines(given)).unwrap();
        let anchored_script = super::anchored::anchored(&spec, &script);
        assert_eq!(body(&spec, &anchored_script), lines(anchored), "{given}");
    }
}

#[test]
fn a_reference_whose_message_is_left_out_has_another_source() {
    let spec = spec();
    let made = |label: u64, id: &str| format!(r#"{{"n": {label}, "c": 1, "q": "New", "a": {{"Made": "{id}"}}}}"#);
    let used = |label: u64, from: u64, id: &str| {
        format!(r#"{{"n": {label}, "c": 1, "q": {{"Use": {{"$ref": "{from}@Made", "was": "{id}"}}}}, "a": "Yes"}}"#)
    };
    let all = [made(1, "x"), made(3, "y"), made(5, "x"), made(7, "z"), used(9, 2, "x")];
    let script = Script::read(&spec, &all.join("\n")).unwrap();
    for (kept, from) in [([3, 5, 7, 9], 6), ([3, 7, 9, 9], 8), ([1, 3, 7, 9], 2)] {
        let part = super::edit::keeping(&script, &kept.into_iter().collect());
        let rebound = body(&spec, &super::edit::rebound(&spec, part));
        assert!(rebound.ends_with(&used(9, from, "x")), "{kept:?}: {rebound}");
    }
}
