//! Requests that are generated: one seed gives the same ones, they are values of their type and keep their client's duty, and their
//! references point at what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::coverage::SpecCoverage;
use mayhap::details::Observed;
use mayhap::generate::{CampaignAims, GenerateSettings, Generator, SourceWeights, corpus};
use mayhap::json::{decode, encode};
use mayhap::script::{PathStep, RecordedOutcome, Reference, Script, ScriptStep};
use mayhap::server::{Ranges, Reply, Server};
use mayhap::term::made;
use mayhap::value::Value;
use mayhap::{Exchange, Spec};

use crate::judge::compiled;
use crate::shipped::{self, Shipped};

/// The requests of one run, and of all of them.
const RUN: usize = 60;
const REQUESTS: usize = 600;

/// What was sent and what came back: the label, the client, the request as JSON with its references, and the answer.
struct Sent {
    label: u64,
    client: u64,
    request: String,
    references: Vec<(Vec<usize>, Reference)>,
    answer: Option<String>,
}

/// Runs in which the specification itself, as a server, is asked what a generator says.
fn drive(spec: &Arc<Spec>, settings: GenerateSettings, seed: u64) -> Vec<Vec<Sent>> {
    let (mut generator, mut choices) = (Generator::new(spec, settings), Random::new(seed));
    let mut runs = Vec::new();
    for _ in 0..REQUESTS / RUN {
        let mut server = Server::new(spec.clone(), Ranges::default(), &mut choices).expect("a server");
        generator.begin_run(&mut choices).expect("a run");
        let mut run: Vec<Sent> = Vec::new();
        while run.len() < RUN {
            let state: Vec<Value> = server.state()[..spec.program.state_slots()].to_vec();
            let plan = generator.wave(&[&state], 2 * run.len() as u64 + 1, &mut choices).expect("a plan");
            if plan.asks.is_empty() {
                break;
            }
            for ask in &plan.asks {
                let value = &ask.request.value;
                generator.sent(value);
                let reply = match server.handle(value, ask.client, &mut choices) {
                    Ok(reply) => reply,
                    Err(stop) => panic!("{}: {stop:?}", encode(&spec.types, spec.program.request, value)),
                };
                let references = ask.request.references.iter().map(|placed| (placed.at.clone(), placed.to.clone()));
                run.push(Sent {
                    label: ask.label,
                    client: ask.client,
                    request: encode(&spec.types, spec.program.request, value),
                    references: references.collect(),
                    answer: match reply {
                        Reply::Answer(answer) => {
                            generator.answered(ask.label, &answer);
                            Some(encode(&spec.types, spec.program.response, &answer))
                        }
                        Reply::Nothing => None,
                    },
                });
            }
        }
        runs.push(run);
    }
    runs
}

fn each(check: impl Fn(&Shipped, &Arc<Spec>, u64)) {
    for shipped in shipped::all() {
        let spec = shipped.compile().expect("a specification");
        for clients in [1, 3] {
            check(&shipped, &spec, clients);
        }
    }
}

#[test]
fn one_seed_gives_one_sequence_of_requests_that_keep_their_duty() {
    each(|shipped, spec, clients| {
        let settings = GenerateSettings { clients, depth: 2, ..GenerateSettings::default() };
        let texts = |seed| {
            let runs = drive(spec, settings.clone(), seed);
            runs.concat_requests()
        };
        let first = texts(1);
        assert_eq!(first, texts(1), "{}", shipped.name);
        let kinds: BTreeMap<&String, usize> = first.iter().fold(BTreeMap::new(), |mut counts, (_, text)| {
            *counts.entry(text).or_default() += 1;
            counts
        });
        assert!(kinds.len() > 1, "{}: all requests are {kinds:?}", shipped.name);
    });
}

#[test]
fn requests_are_values_of_their_type() {
    each(|shipped, spec, clients| {
        for sent in drive(spec, GenerateSettings { clients, ..GenerateSettings::default() }, 2).iter().flatten() {
            let again = decode(&spec.types, spec.program.request, &sent.request);
            let again = again.unwrap_or_else(|error| panic!("{}: {}: {error:?}", shipped.name, sent.request));
            assert_eq!(encode(&spec.types, spec.program.request, &again), sent.request, "{}", shipped.name);
        }
    });
}

#[test]
fn references_point_at_messages_that_have_the_value() {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    each(|shipped, spec, clients| {
        for run in drive(spec, GenerateSettings { clients, ..GenerateSettings::default() }, 3) {
            let answers: BTreeMap<u64, &String> =
                run.iter().filter_map(|sent| Some((sent.label + 1, sent.answer.as_ref()?))).collect();
            for sent in &run {
                for (at, to) in &sent.references {
                    assert!(to.label < sent.label, "{}: {to:?} in {}", shipped.name, sent.label);
                    let message = answers.get(&to.label).unwrap_or_else(|| panic!("{}: {to:?}", shipped.name));
                    let referred = at_path(message, to);
                    let own = at_place(spec, &sent.request, at);
                    assert_eq!(referred, own, "{}: {to:?} of {message} at {at:?} of {}", shipped.name, sent.request);
                }
            }
        }
    });
    for name in ["kv_etag", "static_etag", "queue", "sessions", "pages", "idgen", "versions", "lease", "memcached"] {
        let spec = shipped::named(name).compile().expect("a specification");
        let runs = drive(&spec, GenerateSettings::default(), 4);
        found.insert(name.to_owned(), runs.iter().flatten().map(|sent| sent.references.len()).sum());
    }
    let without: Vec<&String> = found.iter().filter(|(_, count)| **count == 0).map(|(name, _)| name).collect();
    assert!(without.is_empty(), "no references in {without:?}");
}

#[test]
fn the_corpus_comes_to_nearly_all_branches_again() {
    for shipped in shipped::all() {
        let spec = shipped.compile().expect("a specification");
        let (most, part) = match shipped.name.as_str() {
            // The data of 1 MiB that memcached refuses is never drawn, and few requests come to all of what it does.
            "memcached" => (24, 6),
            // A constant allows what processes see of each other while a path is resolved.
            "posix" => (24, 7),
            _ => (16, 8),
        };
        let mut longest: Vec<usize> = [1, 2, 3].map(|seed| longest_of_corpus(&spec, seed, part)).into();
        longest.sort_unstable();
        println!("{}: {longest:?} requests", shipped.name);
        assert!(longest[1] <= most, "{}: {longest:?}", shipped.name);
    }
}

/// The number of requests of the longest script of a corpus, which comes to so many tenths of the branches.
fn longest_of_corpus(spec: &Arc<Spec>, seed: u64, part: usize) -> usize {
    let scripts = corpus(spec, 500, &mut Random::new(seed)).expect("a corpus");
    let mut coverage = SpecCoverage::new(spec);
    for script in &scripts {
        // What the server chose is not in the script: what it has answered is.
        coverage.observe_run(&exchanges(script));
    }
    let (covered, all) = (coverage.covered(), coverage.branches().len());
    let never: Vec<usize> = coverage.never().map(|branch| branch.line).collect();
    assert!(covered * 10 >= all * part, "{}: {covered} of {all}, never {never:?}", spec.program.name);
    scripts.iter().map(|script| script.steps.len() / 2).max().unwrap_or_default()
}

/// The exchanges of a script, as they were recorded.
fn exchanges(script: &Script) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for step in &script.steps {
        match step {
            ScriptStep::Ask { client, request, .. } => {
                let (line, observed) = (exchanges.len() as u64 + 1, Observed::Nothing);
                exchanges.push(Exchange { line, client: *client, request: request.value.clone(), observed });
            }
            ScriptStep::Await { seen: RecordedOutcome::Answer(answer), .. } => {
                let last = exchanges.last_mut().expect("a request");
                last.observed = Observed::Answer(answer.clone());
            }
            _ => {}
        }
    }
    exchanges
}

#[test]
fn sources_are_weighed_by_the_factors_of_a_user() {
    let spec = shipped::named("kv_etag").compile().expect("a specification");
    let references = |weights: &str| {
        let weights = SourceWeights::read(weights).expect("weights");
        let runs = drive(&spec, GenerateSettings { weights, ..GenerateSettings::default() }, 1);
        runs.iter().flatten().map(|sent| sent.references.len()).sum::<usize>()
    };
    let (none, usual, many) = (references("trace=0, state=0"), references(""), references("trace=50"));
    assert!(none == 0 && usual > 0 && many > usual, "{none} {usual} {many}");
    assert!(SourceWeights::read("luck=1").is_err() && SourceWeights::read("trace=many").is_err());
}

/// The value at a reference's path of a message.
fn at_path(message: &str, reference: &Reference) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(message).expect("JSON");
    for step in &reference.path {
        value = match step {
            PathStep::Field(name) => value[name].take(),
            PathStep::Element(number) => value[number - 1].take(),
        };
    }
    match reference.plus {
        0 => value,
        plus => (value.as_i64().expect("a number") + plus).into(),
    }
}

/// The value at a place of a request.
fn at_place(spec: &Spec, request: &str, at: &[usize]) -> serde_json::Value {
    let mut ty = spec.program.request;
    let mut value = decode(&spec.types, ty, request).expect("a request");
    for number in at {
        (ty, value) = match &value {
            Value::Data { tag, .. } => (spec.types.fields(ty, *tag)[*number].1, value.fields()[*number].clone()),
            Value::List(list) => (spec.types.parts(ty)[0], list[*number].clone()),
            other => panic!("{other:?} has no part {number}"),
        };
    }
    serde_json::from_str(&encode(&spec.types, ty, &value)).expect("JSON")
}

trait Requests {
    fn concat_requests(&self) -> Vec<(u64, String)>;
}

impl Requests for Vec<Vec<Sent>> {
    fn concat_requests(&self) -> Vec<(u64, String)> {
        self.iter().flatten().map(|sent| (sent.client, sent.request.clone())).collect()
    }
}

#[test]
fn aimed_requests_come_to_what_fits_the_state() {
    // Of a thousand numbers one is held, and only its holder may give it back.
    let text = "enum Request { Take, Give(int) } enum Response { Taken(int), Given, NotYours }
        protocol holds {
            request Request; response Response;
            var held: map<int, client> = {};
            on Take from c { let n = choose n: int where 0 <= n && n < 1000 && !held.contains(n); held[n] := c; reply Taken(n); }
            on Give(n) from c {
                if held.get(n) == Some(c) { held := held.remove(n); reply Given; }
                reply NotYours;
            }
        }";
    let spec = Spec::from_text(text).unwrap();
    let given = |outcomes| {
        let aims = CampaignAims { outcomes, ..CampaignAims::default() };
        let runs = drive(&spec, GenerateSettings { clients: 3, aims, ..GenerateSettings::default() }, 4);
        runs.iter().flatten().filter(|sent| sent.answer.as_deref() == Some("\"Given\"")).count()
    };
    assert!(given(true) > given(false), "{} {}", given(true), given(false));
}

/// A specification of requests over HTTP whose head has words of HTTP.
const HEADS: &str = "
    enum Response { Yes, No }
    struct Request { method: string, range: option<string>, hops: int, dated: int, languages: list<string>, headers: map<string, string> }
    protocol p {
        request Request;
        response Response;
        http {
            Request { method, range, hops, dated, languages, headers } => {method} \"/\" {
                \"Range\": range, \"Max-Forwards\": hops, \"If-Modified-Since\": date(dated), \"Accept-Language\": languages,
            } headers headers;
            200 => Yes;
            _ => No;
        }
        on q { reply if q.headers.contains(\"te\") { Yes } else { No }; }
    }";

/// A server whose requests are all rare: no usual value keeps their duty.
const RARE: &str = "enum Request { Even(int), Named { name: string, number: int }, Above(int) }
protocol rare {
    request Request;
    response int;
    var least: int = 123456;
    on Even(n) { expects n > 1000 && n % 2 == 0 && n % 1024 != 0; reply n; }
    on Named { name, number } { expects name.starts_with(\"order-\") && len(name) > 8 && number < 3; reply number; }
    on Above(n) { expects n > least + 17 && n < 1000000; least := least + 1; reply least; }
}";

#[test]
fn requests_that_keep_a_rare_duty_are_found() {
    let spec = compiled(RARE);
    let runs = drive(&spec, GenerateSettings::default(), 0);
    let requests: Vec<&str> = runs.iter().flatten().map(|sent| &*sent.request).collect();
    assert_eq!(requests.len(), REQUESTS);
    for (variant, least) in [("Even", 10), ("Named", 5), ("Above", 10)] {
        let different: BTreeSet<&&str> = requests.iter().filter(|request| request.contains(variant)).collect();
        assert!(different.len() >= least, "{variant}: {different:?}");
    }
    // Without a state, as property tests draw them, those that keep it in any state; no `Above` does.
    let (mut generator, mut choices) = (Generator::new(&spec, GenerateSettings::default()), Random::new(1));
    for _ in 0..20 {
        let request = generator.request(&mut choices).expect("a request");
        let json = encode(&spec.types, spec.program.request, &request);
        assert!(json.contains("Above") || generator.keeps_duty(&request), "{json}");
    }
}

#[test]
fn the_vocabulary_of_http_is_drawn_where_it_fits() {
    let spec = Spec::from_text(HEADS).unwrap_or_else(|error| panic!("{error}"));
    let requests = drive(&spec, GenerateSettings::default(), 1);
    let requests: Vec<serde_json::Value> =
        requests.iter().flatten().map(|sent| serde_json::from_str(&sent.request).expect("JSON")).collect();
    let count = |part: &str, value: serde_json::Value| requests.iter().filter(|request| request[part] == value).count();
    for method in ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"] {
        assert!(count("method", method.into()) > 10, "{method}");
    }
    assert_eq!(count("method", "TRACE".into()) + count("method", "CONNECT".into()), 0);
    assert!(count("range", "bytes=-2".into()) > 10 && count("range", "bytes=0-1,3-4".into()) > 10);
    assert!(count("hops", 10.into()) > 10 && count("dated", 784_111_777.into()) > 10);
    let has_language =
        |request: &&serde_json::Value| request["languages"].as_array().unwrap().contains(&"de-CH;q=0.5".into());
    assert!(requests.iter().filter(has_language).count() > 10);
    let with = |name: &str| {
        let values = requests.iter().filter_map(|request| request["headers"].get(name));
        values.map(|value| value.as_str().unwrap()).collect::<Vec<&str>>()
    };
    // A known header has values of its own. Those that stand elsewhere in the message, or go with something else, are not drawn.
    assert!(with("cache-control").len() > 10 && with("cache-control").iter().all(|value| value.contains(['-'])));
    assert!(with("if-none-match").iter().all(|value| ["*", "\"a\"", "W/\"a\""].contains(value)));
    for name in [
        "range",
        "max-forwards",
        "if-modified-since",
        "accept-language",
        "host",
        "connection",
        "expect",
        "via",
        "if-range",
    ] {
        assert!(with(name).is_empty(), "{name}");
    }
    // The specification knows when `TE` is sent.
    assert!(with("te").contains(&"trailers"));
    assert!(with("a").len() > 10, "other headers are drawn, too");
}

/// A function that calls itself as often as an unknown number says has thousands of paths, each longer than the last one.
#[test]
fn requests_take_little_work_although_their_paths_have_no_end() {
    let counted = |text: String| {
        text.replace("Write { fd: Fd, data: bytes },", "Write { fd: Fd, count: int },")
            .replace(
                "on Write { fd, data } from c {",
                "on Write { fd, count } from c { let data = times(\"x\", count);",
            )
            .replace("Write.data: [\"\", \"x\", \"yz\", LONG];", "")
    };
    let spec = compiled(&counted(shipped::named("posix").text));
    let before = made();
    let requests: usize = drive(&spec, GenerateSettings::default(), 1).iter().map(Vec::len).sum();
    let each = (made() - before) / requests as u64;
    assert!(each < 10_000, "{each} terms for each request");
}
