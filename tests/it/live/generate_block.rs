//! The `generate` block: what is drawn obeys it, and nothing else knows of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mayhap::Spec;
use mayhap::choice::Random;
use mayhap::generate::{GenerateSettings, Generator, PeerGenerator};
use mayhap::json::encode;
use mayhap::server::{Ranges, Reply, Server};
use serde_json::Value as Json;

use crate::command::{place, run};
use crate::real::skipped;

const DECLARED: &str = r#"
token Id;
struct Note { title: string, due: option<int> }
enum Kind { Open, Closed, Other(int) }
enum Request {
    Put { key: string, id: Id, note: Note, tags: list<string>, raw: bytes },
    Pair(string, int),
    Set { kind: Kind, many: set<int>, data: json, counts: map<string, int> },
    Never,
    Get { key: string },
}
enum Response { Done, Found { note: Note, key: string, id: Id }, Missing }
const KEYS: list<string> = ["k" + n for n in ["0", "1", "2"]];
protocol notes {
    request Request;
    response Response;
    peer origin: string -> Note;
    var notes: map<string, (Note, Id)> = {};
    on Put { key, id, note, tags: _, raw: _ } { notes[key] := (note, id); reply Done; }
    on Get { key } {
        match notes.get(key) {
            None => { reply either Missing or Found { note: Note { title: choose, due: choose }, key: choose, id: choose }; }
            Some((note, id)) => { reply Found { note, key, id }; }
        }
    }
    on Pair(_, _) { reply Done; }
    on Set { .. } { reply Done; }
    on Never { reply Missing; }
"#;

const BLOCK: &str = r#"
    generate {
        Put: 30;
        Pair: 3;
        Never: 0;
        Other: 0;
        Put.key: KEYS;
        Get.key: KEYS;
        Put.id: ["i", "j"];
        Note.due: 10..13;
        Pair.0: ["p"];
        Pair.1: 0 - 5..1000000000000;
        Set.many: [7, 8, 9];
        Set.data: ["[1.50]", "null"];
        Set.counts: [1];
        len(Put.tags): [0, 3, 40];
        len(Note.title): 2..6;
        len(Put.raw): 0..5000;
        len(Set.many): 1..3;
    }
"#;

fn spec(block: &str) -> Arc<Spec> {
    Spec::from_text(&format!("{DECLARED}{block}}}")).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs in which the specification itself is asked what a generator says: the requests.
fn drawn(spec: &Arc<Spec>, clients: u64) -> Vec<Json> {
    let settings = GenerateSettings { clients, ..GenerateSettings::default() };
    let (mut generator, mut choices) = (Generator::new(spec, settings), Random::new(clients));
    let mut requests = Vec::new();
    for _ in 0..60 {
        let mut server = Server::new(spec.clone(), Ranges::default(), &mut choices).expect("a server");
        generator.begin_run(&mut choices).expect("a run");
        for _ in 0..30 {
            let states = server.state()[..spec.program.state_slots()].to_vec();
            let plan = generator.wave(&[&states], 2 * requests.len() as u64 + 1, &mut choices).expect("a plan");
            for ask in &plan.asks {
                generator.sent(&ask.request.value);
                if let Ok(Reply::Answer(answer)) = server.handle(&ask.request.value, 1, &mut choices) {
                    generator.answered(ask.label, &answer);
                }
                requests.push(json(spec, &ask.request.value));
            }
        }
    }
    requests
}

fn json(spec: &Spec, request: &mayhap::value::Value) -> Json {
    serde_json::from_str(&encode(&spec.types, spec.program.request, request)).expect("it is JSON")
}

/// The number of times that each request, and each value at a place, was drawn. A list counts by its length, as its elements do.
#[derive(Default)]
struct Counts {
    requests: BTreeMap<String, usize>,
    values: BTreeMap<String, BTreeSet<String>>,
    lengths: BTreeMap<String, BTreeSet<usize>>,
}

impl Counts {
    fn of(requests: &[Json]) -> Counts {
        let mut counts = Counts::default();
        for request in requests {
            match request {
                Json::Object(of) => {
                    let (name, fields) = of.iter().next().expect("a request");
                    *counts.requests.entry(name.clone()).or_default() += 1;
                    counts.take(name, fields);
                }
                unit => *counts.requests.entry(unit.as_str().expect("a name").to_owned()).or_default() += 1,
            }
        }
        counts
    }

    fn take(&mut self, at: &str, value: &Json) {
        match value {
            Json::Object(of) if at.ends_with("counts") => of.values().for_each(|value| self.take(at, value)),
            Json::Object(of) if of.contains_key("$bytes") => {}
            Json::Object(of) => of.iter().for_each(|(name, value)| self.take(&format!("{at}.{name}"), value)),
            Json::Array(of) if at == "Pair" => {
                of.iter().enumerate().for_each(|(number, value)| self.take(&format!("{at}.{number}"), value));
            }
            Json::Array(of) if !at.ends_with("data") => {
                self.lengths.entry(at.to_owned()).or_default().insert(of.len());
                of.iter().for_each(|value| self.take(at, value));
            }
            scalar => {
                if let Json::String(text) = scalar {
                    self.lengths.entry(at.to_owned()).or_default().insert(text.chars().count());
                }
                self.values.entry(at.to_owned()).or_default().insert(scalar.to_string());
            }
        }
    }

    /// Checks that exactly these values were drawn at a place.
    fn check(&self, at: &str, values: &[&str]) {
        let drawn: Vec<&str> = self.values[at].iter().map(String::as_str).collect();
        assert_eq!(drawn, values, "{at}");
    }
}

#[test]
fn what_is_drawn_obeys_the_block() {
    let spec = spec(BLOCK);
    for clients in [1, 3] {
        let counts = Counts::of(&drawn(&spec, clients));
        counts.check("Put.key", &["\"k0\"", "\"k1\"", "\"k2\""]);
        counts.check("Get.key", &["\"k0\"", "\"k1\"", "\"k2\""]);
        counts.check("Put.id", &["\"i\"", "\"j\""]);
        counts.check("Put.note.due", &["10", "11", "12", "null"]);
        counts.check("Pair.0", &["\"p\""]);
        counts.check("Set.many", &["7", "8", "9"]);
        counts.check("Set.data", &["[1.5]", "null"]);
        counts.check("Set.counts", &["1"]);
        counts.check("Set.kind", &["\"Closed\"", "\"Open\""]);
        let pairs: Vec<i64> = counts.values["Pair.1"].iter().map(|number| number.parse().unwrap()).collect();
        assert!(pairs.iter().all(|number| (-5..1_000_000_000_000).contains(number)), "{pairs:?}");
        assert!(pairs.len() > 20 && pairs.iter().any(|number| *number > 1_000_000_000), "{pairs:?}");
        let lengths = |at: &str| counts.lengths[at].iter().copied().collect::<Vec<_>>();
        assert_eq!(lengths("Put.note.title"), [2, 3, 4, 5]);
        assert_eq!(lengths("Set.many"), [1, 2]);
        let raw = lengths("Put.raw");
        assert!(
            raw.contains(&0) && raw.iter().any(|length| *length > 2_000) && *raw.last().unwrap() < 5_000,
            "{raw:?}"
        );
        assert!(!counts.requests.contains_key("Never"), "{:?}", counts.requests);
        let count = |name: &str| counts.requests[name];
        assert!(count("Put") > 3 * count("Pair") && count("Pair") > count("Get"), "{:?}", counts.requests);
    }
}

#[test]
fn a_list_has_one_of_its_lengths() {
    let lengths = "generate { len(Put.tags): [0, 3, 40]; }";
    let requests = drawn(&spec(lengths), 1);
    let tags: BTreeSet<usize> = requests.iter().filter_map(|it| Some(it["Put"]["tags"].as_array()?.len())).collect();
    assert_eq!(tags, [0, 3, 40].into());
}

#[test]
fn the_lists_of_a_type_hold_everywhere_but_where_a_field_has_its_own() {
    let block = "generate { string: [\"s\", \"t\"]; Put.key: [\"k\"]; int: [5]; Kind: [Other(7)]; Note: [Note { title: \"n\", due: None }]; }";
    let counts = Counts::of(&drawn(&spec(block), 1));
    counts.check("Put.key", &["\"k\""]);
    counts.check("Get.key", &["\"s\"", "\"t\""]);
    counts.check("Put.tags", &["\"s\"", "\"t\""]);
    counts.check("Put.note.title", &["\"n\""]);
    counts.check("Put.note.due", &["null"]);
    counts.check("Pair.1", &["5"]);
    counts.check("Set.kind.Other", &["7"]);
    counts.check("Set.counts", &["5"]);
}

#[test]
fn whole_collections_can_be_listed() {
    let block = "generate { Put.tags: [[\"a\", \"b\"], []]; Set.many: [{1, 2}]; }";
    let requests = drawn(&spec(block), 1);
    let drawn = |name: &str, field: &str| {
        let at = |request: &Json| request[name].get(field).map(Json::to_string);
        requests.iter().filter_map(at).collect::<BTreeSet<String>>()
    };
    assert_eq!(drawn("Put", "tags"), ["[\"a\",\"b\"]".to_owned(), "[]".to_owned()].into());
    assert_eq!(drawn("Set", "many"), ["[1,2]".to_owned()].into());
}

#[test]
fn answers_of_peers_obey_it_too() {
    let spec = spec("generate { Note.title: [\"n\"]; int: 3..5; }");
    let (peers, mut choices) = (PeerGenerator::new(&spec), Random::new(1));
    let ty = spec.program.peers[0].response;
    let answers: BTreeSet<String> =
        (0..200).map(|_| encode(&spec.types, ty, &peers.answer(0, &mut choices).expect("an answer"))).collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let expected = ["3", "4", "null"].map(|due| format!("{{\"title\": \"n\", \"due\": {due}}}"));
    assert_eq!(answers, expected);
}

#[test]
fn a_simulated_client_draws_from_the_lists() {
    let spec = spec(BLOCK);
    let mut choices = Random::new(1);
    let mut server = Server::new(spec.clone(), Ranges::default(), &mut choices).expect("a server");
    let requests: Vec<Json> =
        (0..500).map(|_| json(&spec, &server.draw_request(&mut choices).expect("a request"))).collect();
    let counts = Counts::of(&requests);
    counts.check("Put.key", &["\"k0\"", "\"k1\"", "\"k2\""]);
    counts.check("Pair.0", &["\"p\""]);
    counts.check("Set.many", &["7", "8", "9"]);
    counts.check("Set.kind", &["\"Closed\"", "\"Open\""]);
    assert!(!counts.requests.contains_key("Never") && counts.requests["Put"] > 5 * counts.requests["Pair"]);
}

#[test]
fn the_program_is_the_same_without_the_block() {
    let (with, without) = (spec(BLOCK), spec(""));
    let [with, without] = [with, without].map(|spec| {
        let program = &spec.program;
        format!("{:?} {:?} {:?} {:?}", program.functions, program.constants, program.slots, program.keyed)
    });
    assert_eq!(with, without);
    // A list that cannot be computed is left out.
    let counts = Counts::of(&drawn(&spec("generate { Put.key: [KEYS[5]]; }"), 1));
    assert!(counts.values["Put.key"].len() > 3);
}

/// A store of texts that cuts long ones, and says what it was asked.
const CUTTING: &str = r#"
import mayhap_adapter, sys
class Store(mayhap_adapter.Client):
    values = {}
    def Put(self, key, body):
        print("Put", key, len(body), file=log, flush=True)
        self.values[key] = body[:5000]
        return "Done"
    def Get(self, key):
        print("Get", key, 0, file=log, flush=True)
        return {"Body": self.values[key]} if key in self.values else "Missing"
    def Shutdown(self):
        print("Shutdown", "", 0, file=log, flush=True)
        return "Done"
log = open(sys.argv[1], "w")
mayhap_adapter.serve(Store, Store.values.clear)
"#;

const CUT: &str = r#"
enum Request { Put { key: string, body: string }, Get { key: string }, Shutdown }
enum Response { Done, Body(string), Missing }
protocol cut {
    request Request;
    response Response;
    generate { Shutdown: 0; string: ["q", "r"]; Put.body: ["", LONG, SHORT]; }
    var texts: map<string, string> = {};
    on Put { key, body } { texts[key] := body; reply Done; }
    on Get { key } { match texts.get(key) { None => { reply Missing; } Some(body) => { reply Body(body); } } }
    on Shutdown { texts := {}; reply Done; }
}
"#;

#[test]
fn nothing_else_is_sent_to_a_system_even_while_a_script_is_made_smaller() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return skipped("python3 is not installed");
    }
    let texts = [("LONG", "é".repeat(6_000)), ("SHORT", "é".repeat(50))];
    let constants = texts.map(|(name, text)| format!("const {name}: string = \"{text}\";\n")).concat();
    let [spec, adapter, log] = ["cut.may", "cutting.py", "cut.log"].map(place);
    std::fs::write(&spec, constants + CUT).unwrap();
    std::fs::write(&adapter, CUTTING).unwrap();
    let regressions = place("cut");
    for clients in ["1", "3"] {
        _ = std::fs::remove_dir_all(&regressions);
        let command = format!("exec env PYTHONPATH=examples/adapters python3 -B {}", adapter.display());
        let sut = format!("stdio:{command} {}", log.display());
        let more = ["--clients", clients, "--seed", "1", "--requests", "500", "--regressions"];
        let first = ["test", spec.to_str().unwrap(), "--sut", &sut];
        let output = run(&[&first[..], &more, &[regressions.to_str().unwrap()]].concat(), "");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.code() == Some(1) && said.contains("to 2 requests"), "{clients} clients: {said}");
        let asked = std::fs::read_to_string(&log).unwrap();
        let asked: BTreeSet<&str> = asked.lines().collect();
        let lengths = ["0", "50", "6000"].map(|length| ["q", "r"].map(|key| format!("Put {key} {length}"))).concat();
        let all: Vec<String> = [lengths, ["q", "r"].map(|key| format!("Get {key} 0")).to_vec()].concat();
        assert!(asked.iter().all(|line| all.iter().any(|known| known == line)), "{clients} clients: {asked:?}");
    }
}
