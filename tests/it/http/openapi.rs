//! Specifications out of OpenAPI descriptions: those of `tests/data/openapi`, each beside its description, and what is no description.
//!
//! `tests/data/openapi/store.json` becomes `store.may`, which is checked, and whose requests and answers are written as HTTP and read.

use std::collections::BTreeSet;
use std::path::Path;

use mayhap::Spec;
use mayhap::choice::Random;
use mayhap::diagnostic::{Colour, Sources};
use mayhap::generate::{GenerateSettings, Generator};
use mayhap::http::{answer_of, message_of_answer, message_of_request, request_of};
use mayhap::openapi::{DescriptionText, specification};
use mayhap::server::{Ranges, Reply, Server};
use mayhap::spec::load::{Text, load};
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{parse, print};
use mayhap::value::Value;

use crate::command::{file, place, run};
use crate::golden::golden;
use crate::judge::{root, text};
use crate::random::is_long;
use crate::real::skipped;
use crate::sut::free_port;

/// The descriptions, relative to the crate, with the specifications that they become.
const DESCRIPTIONS: [(&str, &str); 6] = [
    ("tests/data/openapi/store.json", "tests/data/openapi/store.may"),
    ("tests/data/openapi/forum.yaml", "tests/data/openapi/forum.may"),
    ("tests/data/openapi/accounts.yaml", "tests/data/openapi/accounts.may"),
    ("tests/data/openapi/odd.json", "tests/data/openapi/odd.may"),
    ("tests/data/openapi/bits.yaml", "tests/data/openapi/bits.may"),
    ("examples/service/openapi.yaml", "tests/data/openapi/notes.may"),
];

/// The specification of a description, or what is wrong with it, as it is shown.
fn made(name: &str, text: &str, paths: &[&str]) -> Result<String, String> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    specification(DescriptionText { name, text, file, paths: &paths })
        .map_err(|flaw| sources.render(&flaw, Colour::Never))
}

/// The findings of `mayhap check`, warnings included.
fn findings(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let file = Text { name: "made.may".to_owned(), text: text.to_owned() };
    let (loaded, mut findings) = load(file, &mut |_| Err("no such file".to_owned()), &mut sources);
    findings.extend(loaded.check().1);
    findings.iter().map(|finding| sources.render(finding, Colour::Never)).collect()
}

/// Fails unless a specification is free of errors and warnings, and in the one layout.
fn is_sound(name: &str, text: &str) {
    assert_eq!(findings(text), [""; 0], "{name}:\n{text}");
    let parsed = parse(text, Default::default(), NodeId(0));
    assert_eq!(print(&parsed.file, text), text, "{name}: not in the layout");
}

#[test]
fn descriptions_become_specifications() {
    for (from, to) in DESCRIPTIONS {
        let name = Path::new(from).file_name().unwrap().to_str().unwrap();
        let made = made(name, &text(from), &[]).unwrap_or_else(|flaw| panic!("{from}: {flaw}"));
        golden(&root().join(to), &made);
        is_sound(from, &made);
    }
}

/// Each request and answer that can be written as HTTP is read as itself, and each variant can be written.
#[test]
fn their_requests_and_answers_are_written_and_read() {
    for (_, to) in DESCRIPTIONS {
        let spec = Spec::from_text(&text(to)).unwrap_or_else(|error| panic!("{to}: {error}"));
        let (mut choices, mut generator) = (Random::new(11), Generator::new(&spec, GenerateSettings::default()));
        let (mut sent, mut answered) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..40 {
            let mut server = Server::new(spec.clone(), Ranges::default(), &mut choices).expect("a server");
            generator.begin_run(&mut choices).expect("a run");
            for wave in 0..20 {
                for ask in generator.wave(&[], 1_000 * wave + 1, &mut choices).expect("a plan").asks {
                    let request = ask.request.value;
                    let Some(message) = message_of_request(&spec, &request) else { continue };
                    assert_eq!(request_of(&spec, &message).as_ref(), Ok(&request), "{to}: {message:?}");
                    sent.insert(constructor(&request));
                    let Ok(Reply::Answer(answer)) = server.handle(&request, 1, &mut choices) else { continue };
                    let Some(message) = message_of_answer(&spec, &request, &answer) else { continue };
                    // Where any status is described, one without content may be chosen, too.
                    if !matches!(message.status(), Some(204 | 304)) || message.body.is_some() {
                        assert_eq!(answer_of(&spec, &request, &message).as_ref(), Ok(&answer), "{to}: {message:?}");
                    }
                    answered.insert(constructor(&answer));
                }
            }
        }
        let forms = spec.http.as_deref().expect("an http block");
        let requests: BTreeSet<u32> = forms.requests.iter().filter_map(|form| form.tag).collect();
        let answers: BTreeSet<u32> = forms.answers.iter().filter_map(|form| form.tag).collect();
        assert_eq!((&sent, &answered), (&requests, &answers), "{to}");
    }
}

/// The JSON contents of requests that are drawn for a description.
fn drawn(text: &str, count: usize) -> Vec<serde_json::Value> {
    let made = made("a.yaml", text, &[]).unwrap_or_else(|flaw| panic!("{flaw}"));
    is_sound("a.yaml", &made);
    let spec = Spec::from_text(&made).unwrap();
    let (mut choices, mut generator) = (Random::new(7), Generator::new(&spec, GenerateSettings::default()));
    let mut drawn = Vec::new();
    while drawn.len() < count {
        let request = generator.request(&mut choices).expect("a request");
        let message = message_of_request(&spec, &request).expect("a message");
        drawn.push(serde_json::from_slice(message.body.as_deref().unwrap_or(b"null")).expect("JSON"));
    }
    drawn
}

#[test]
fn drawn_requests_keep_the_limits_of_their_schemas() {
    let text = text("tests/data/openapi/bits.yaml");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for body in drawn(&text, 300) {
        let int = |key: &str| body[key].as_i64().unwrap_or_else(|| panic!("{key}: {body}"));
        assert!(i32::try_from(int("i32")).is_ok() && u8::try_from(int("u8")).is_ok(), "{body}");
        let half = body["half"].as_f64().unwrap();
        assert!(half > 0.5 && half <= 0.9, "{body}");
        assert!(int("five") == 6 && int("even") % 2 == 0, "{body}");
        let code = body["code"].as_str().unwrap();
        assert!(code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()), "{body}");
        let ids: Vec<i64> = body["ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        let unique: BTreeSet<&i64> = ids.iter().collect();
        assert!((1..=2).contains(&ids.len()) && unique.len() == ids.len(), "{body}");
        assert!(ids.iter().all(|id| (1..=9).contains(id)), "{body}");
        assert!(body["when"].as_str().unwrap().contains('T') && body["kind"] == "only", "{body}");
        if let Some(nested) = body["nested"].as_object() {
            assert!((1..=3).contains(&nested["n"].as_i64().unwrap()), "{body}");
        }
        seen.extend(["i32", "half", "code", "ids", "when"].map(|key| format!("{key} {}", body[key])));
    }
    assert!(seen.len() > 20, "{seen:?}");
}

/// Schemas whose values have limits, and a test of each drawn value.
#[test]
fn drawn_values_are_allowed_by_their_schema() {
    type Test = fn(&serde_json::Value) -> bool;
    let cases: [(&str, Test); 17] = [
        ("{ oneOf: [{ type: string, format: uri }, { type: string, enum: [''] }] }", |v| {
            v.as_str().unwrap().starts_with("http")
        }),
        ("{ type: string, format: uuid }", |v| v.as_str().unwrap().len() == 36),
        ("{ type: string, format: date }", |v| v.as_str().unwrap().len() == 10),
        ("{ type: string, format: ipv4, maxLength: 9 }", |v| v.as_str().unwrap().len() <= 9),
        ("{ type: string, format: decimal, pattern: '^-?\\d{0,3}(?:\\.\\d{0,2})?$' }", |v| {
            v.as_str().unwrap().parse::<f64>().is_ok()
        }),
        ("{ type: string, minLength: 2, maxLength: 3 }", |v| (2..=3).contains(&v.as_str().unwrap().chars().count())),
        ("{ type: string, pattern: '^[a-f]+-[0-9]{2}$' }", |v| v.as_str().unwrap().contains('-')),
        ("{ type: string, format: unheard-of, example: shown }", |v| v == "shown"),
        ("{ type: string, enum: ['a`b', 'c`d'] }", |v| v.as_str().unwrap().contains('`')),
        ("{ type: integer, enum: [3, 5] }", |v| v == 3 || v == 5),
        ("{ type: integer, minimum: 0.5, maximum: 2.5 }", |v| v == 1 || v == 2),
        ("{ type: integer, multipleOf: 7, minimum: 1 }", |v| v.as_i64().unwrap() % 7 == 0 && v.as_i64().unwrap() > 0),
        ("{ type: number, multipleOf: 0.25, minimum: 0, exclusiveMaximum: 1 }", |v| {
            (v.as_f64().unwrap() * 4.0).fract() == 0.0
        }),
        ("{ type: number }", |v| v.is_number()),
        ("{ type: [string, integer] }", |v| v.is_string() || v.is_i64()),
        ("{ type: array, minItems: 2, items: { type: string, format: email } }", |v| {
            v.as_array().unwrap().len() >= 2 && v.as_array().unwrap().iter().all(|e| e.as_str().unwrap().contains('@'))
        }),
        ("{ type: object, additionalProperties: { type: integer, minimum: 5 } }", |v| {
            v.as_object().unwrap().values().all(|n| n.as_i64().unwrap() >= 5)
        }),
    ];
    for (schema, is_allowed) in cases {
        // An answer that refuses requests is described, so that no duty keeps the limits.
        let member = format!("{{ type: object, required: [v], properties: {{ v: {schema} }} }}");
        let content = format!("{{ required: true, content: {{ application/json: {{ schema: {member} }} }} }}");
        let answers = "{ '200': { description: ok }, '422': { description: refused } }";
        let text = format!(
            "openapi: 3.1.0\npaths: {{ /a: {{ post: {{ requestBody: {content}, responses: {answers} }} }} }}\n"
        );
        for body in drawn(&text, 60) {
            assert!(is_allowed(&body["v"]), "{schema}: {body}");
        }
    }
}

#[test]
fn equal_inline_schemas_have_one_type() {
    let content = "content: { application/json: { schema: { type: object, required: [why], properties: { why: { type: string } } } } }";
    let get = format!("get: {{ responses: {{ '404': {{ description: no, {content} }} }} }}");
    let made = made("a.yaml", &format!("openapi: 3.1.0\npaths: {{ /a: {{ {get} }}, /b: {{ {get} }} }}"), &[]).unwrap();
    assert!(made.matches("struct ").count() == 1 && made.matches("404").count() == 1, "{made}");
}

fn constructor(value: &Value) -> u32 {
    if let Value::Data { tag, .. } = value { *tag } else { 0 }
}

#[test]
fn only_some_paths_are_taken() {
    let store = text("tests/data/openapi/store.json");
    let made = |paths: &[&str]| made("store.json", &store, paths);
    let inventory = made(&["/inventory"]).unwrap();
    is_sound("inventory", &inventory);
    assert!(inventory.contains("Inventory,\n}") && !inventory.contains("Pet {"), "{inventory}");
    let both = made(&["/inventory", "/pets/{petId}/image", "/pets/{petId}"]).unwrap();
    assert!(both.contains("GetPet") && both.contains("Inventory") && !both.contains("AddPet"), "{both}");
    let nothing = made(&["/nowhere"]).unwrap_err();
    assert!(nothing.contains("no operation is described") && nothing.contains("store.json:13:12"), "{nothing}");
    let nothing = made(&["/pets/{petId}/image"]).unwrap_err();
    assert!(nothing.contains("no operation can be written") && nothing.contains("multipart/form-data"), "{nothing}");
}

/// A description of one operation that answers with this schema, as YAML.
fn answering(schema: &str) -> String {
    let content = format!("content: {{ application/json: {{ schema: {schema} }} }}");
    let answers = format!("{{ '200': {{ description: ok, {content} }} }}");
    format!("openapi: 3.0.0\npaths:\n  /a:\n    get: {{ operationId: get, responses: {answers} }}\n")
}

#[test]
fn schemas_become_types() {
    for (schema, ty) in [
        ("{ type: integer, format: int64 }", "int"),
        ("{ type: number }", "json"),
        ("{ type: string, nullable: true }", "option<string>"),
        ("{ type: [boolean, 'null'] }", "option<bool>"),
        ("{ type: array, items: { type: array, items: { type: string } } }", "list<list<string>>"),
        ("{ type: array }", "list<json>"),
        ("{ type: object }", "map<string, json>"),
        ("{ type: object, additionalProperties: { type: integer } }", "map<string, int>"),
        ("{}", "json"),
        ("{ anyOf: [{ type: 'null' }, { type: integer }] }", "option<int>"),
        ("{ oneOf: [{ type: integer }, { type: string }] }", "json"),
        ("{ oneOf: [{ type: string, enum: [a] }, { type: string, enum: [b, a] }] }", "GetOk"),
        ("{ allOf: [{ type: number }, { type: integer }] }", "int"),
        ("{ enum: [1, 2] }", "json"),
        ("{ type: string, enum: [1, 2] }", "GetOk"),
        ("{ type: string, enum: ['a`b'] }", "string"),
        ("{ properties: { a: {} } }", "GetOk"),
        ("{ type: array, items: { nullable: true } }", "list<json>"),
    ] {
        let made = made("a.yaml", &answering(schema), &[]).unwrap_or_else(|flaw| panic!("{schema}: {flaw}"));
        is_sound(schema, &made);
        assert!(made.contains(&format!(" Ok({ty})")), "{schema} is no {ty}:\n{made}");
    }
    let union = answering(
        "{ oneOf: [{ required: [k, a], properties: { k: { enum: [a] }, a: { type: integer } } }, { required: [k], properties: { k: { enum: [b] } } }] }",
    );
    let union = made("a.yaml", &union, &[]).unwrap();
    assert!(union.contains("struct GetOk { k: GetOkK, a: option<int>, .. }"), "{union}");
    assert!(union.contains("enum GetOkK { a, b }"), "{union}");
}

#[test]
fn what_is_no_description_is_refused_with_its_place() {
    let paths = "paths: { /a: { get: { responses: { '200': { description: ok } } } } }";
    for (text, parts) in [
        ("", &["this file is empty", "a.yaml:1:1"] as &[&str]),
        ("hello", &["this file is a text", "expected an object"]),
        ("a: [1", &["this is no YAML", "a.yaml:1"]),
        ("a: b: c", &["this is no YAML", "a.yaml:1:5"]),
        ("a:\n  - b\n c", &["this is no YAML", "a.yaml:3"]),
        ("[1]: 2", &["this key is no text", "a.yaml:1:1"]),
        ("a: &a [*a]", &["a.yaml:1:8"]),
        ("a: 1\nb: 2\na: 3", &["a second member `a`", "a.yaml:3:1"]),
        ("{\"openapi\": \"3.0.0\",}", &["this is no JSON", "a.yaml:1:21", "expected a key in double quotes"]),
        ("{\"a\": 1, \"a\": 2}", &["a second member `a`", "a.yaml:1:10"]),
        ("{\"a\": nul}", &["this is no JSON", "a.yaml:1:7"]),
        ("info: {}", &["this file is no OpenAPI description", "expected a member `openapi`"]),
        ("openapi: 4.0.0", &["`4.0.0` is no version that can be read", "expected 3.x or 2.0"]),
        ("openapi: [3]", &["`a list` is no version"]),
        ("openapi: 3.0.0", &["this description has no `paths`"]),
        ("openapi: 3.0.0\npaths: [a]", &["`paths` is a list", "a.yaml:2:8"]),
        ("openapi: 3.0.0\npaths: {}", &["no operation is described", "expected a path with a method"]),
        ("openapi: 3.0.0\npaths: { /a: 5 }", &["this path is a number", "a.yaml:2:14"]),
        ("openapi: 3.0.0\npaths: { /a: { get: [] } }", &["this operation is a list"]),
        ("openapi: 3.0.0\npaths: { /a: { get: { parameters: [{ in: path }] } } }", &["no `name`", "a.yaml:2:36"]),
        (
            "openapi: 3.0.0\npaths: { /a: { get: { parameters: [{ name: a, in: nowhere }] } } }",
            &["`nowhere` is no place of a parameter"],
        ),
        ("openapi: 3.0.0\npaths: { /a: { get: { responses: { 20: {} } } } }", &["`20` is no status", "a.yaml:2:40"]),
        (
            "openapi: 3.0.0\npaths: { /a: { get: { responses: { $ref: '#/paths/~1a/get/responses' } } } }",
            &["leads to itself"],
        ),
        (
            "openapi: 3.0.0\npaths: { /a: { get: { parameters: [{ $ref: '#/components/parameters/A' }] } } }\ncomponents: { $ref: c.yaml }",
            &["`c.yaml` is in another file"],
        ),
    ] {
        let flaw = made("a.yaml", text, &[]).unwrap_err();
        parts.iter().for_each(|part| assert!(flaw.contains(part), "{text:?}: {part:?} is not in\n{flaw}"));
    }
    for (schema, part) in [
        ("{ $ref: '#/components/schemas/A' }", "`#/components/schemas/A` leads nowhere"),
        ("{ $ref: 'other.yaml#/A' }", "`other.yaml#/A` is in another file"),
        ("{ $ref: '#A' }", "`#A` names no place"),
        ("{ $ref: [] }", "this reference is a list"),
        ("{ type: text }", "`text` is no type"),
        ("{ properties: [] }", "`properties` is a list"),
        ("{ allOf: {} }", "`allOf` is an object"),
        ("[]", "this schema is a list"),
        ("{ enum: a }", "`enum` is a text"),
    ] {
        let flaw = made("a.yaml", &answering(schema), &[]).unwrap_err();
        assert!(flaw.contains(part) && flaw.contains("a.yaml:4:"), "{schema}: {part:?} is not in\n{flaw}");
    }
    assert!(made("a.yaml", &format!("openapi: 3.2.0\n{paths}"), &[]).is_ok());
}

/// A reference to another file in each place where a description may have one.
#[test]
fn references_to_other_files_are_refused_with_their_place() {
    let content = |of: &str| format!("{{ responses: {{ '200': {{ description: ok, {of} }} }} }}");
    for paths in [
        "{ $ref: b.yaml }".to_owned(),
        "{ /a: { $ref: b.yaml } }".to_owned(),
        "{ /a: { get: { $ref: b.yaml } } }".to_owned(),
        "{ /a: { get: { operationId: a, $ref: b.yaml#/get } } }".to_owned(),
        "{ /a: { get: { parameters: { $ref: b.yaml } } } }".to_owned(),
        "{ /a: { parameters: [{ $ref: b.yaml }], get: {} } }".to_owned(),
        "{ /a: { post: { requestBody: { $ref: b.yaml } } } }".to_owned(),
        "{ /a: { post: { requestBody: { content: { $ref: b.yaml } } } } }".to_owned(),
        "{ /a: { get: { responses: { $ref: b.yaml } } } }".to_owned(),
        "{ /a: { get: { responses: { '200': { $ref: b.yaml } } } } }".to_owned(),
        format!("{{ /a: {{ get: {} }} }}", content("content: { $ref: b.yaml }")),
        format!("{{ /a: {{ get: {} }} }}", content("content: { application/json: { $ref: b.yaml } }")),
        format!("{{ /a: {{ get: {} }} }}", content("headers: { $ref: b.yaml }")),
        format!("{{ /a: {{ get: {} }} }}", content("headers: { ETag: { $ref: b.yaml } }")),
        format!(
            "{{ /a: {{ get: {} }} }}",
            content("content: { application/json: { schema: { properties: { $ref: b.yaml } } } }")
        ),
    ] {
        let flaw = made("a.yaml", &format!("openapi: 3.1.0\npaths: {paths}"), &[]).unwrap_err();
        assert!(flaw.contains("is in another file") && flaw.contains("redocly bundle"), "{paths}: {flaw}");
        assert!(flaw.contains("a.yaml:2:"), "{paths}: {flaw}");
    }
    // Within the file, an operation may be a reference, and the way may lead over another reference.
    let within = "openapi: 3.1.0\npaths: { /a: { get: { $ref: '#/components/x/Get' } } }\ncomponents: { x: { Get: { $ref: '#/components/y' } }, \
                  y: { responses: { '200': { $ref: '#/components/x/Get/z' } }, z: { description: ok } } }";
    let made = made("a.yaml", within, &[]).unwrap_or_else(|flaw| panic!("{flaw}"));
    assert!(made.contains("200 => Ok;"), "{made}");
}

/// Flow collections may end in any column that other readers of YAML accept.
#[test]
fn flow_collections_may_end_in_the_column_of_their_key() {
    for end in ["        }", "         }", "          }", "            }", "       }"] {
        let example = format!(
            "example: {{\n          \"80/tcp\": {{}},\n          \"443/tcp\": [\n          1\n          ]\n{end}"
        );
        let text = format!(
            "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      responses:\n        '200':\n          description: ok\n\
             info:\n    x:\n      y:\n        {example}\n        title: after\n"
        );
        made("a.yaml", &text, &[]).unwrap_or_else(|flaw| panic!("{end:?}: {flaw}"));
    }
}

/// Input that would take all memory or time of a careless reader.
#[test]
fn hostile_descriptions_end_soon() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let yaml_deep = format!("a: {deep}");
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..20 {
        let parts = vec![format!("*a{}", n - 1); 10];
        laughs.push_str(&format!("a{n}: &a{n} [{}]\n", parts.join(", ")));
    }
    let json_deep = format!("{{\"a\": {deep}}}");
    for (text, part) in [(&json_deep, "levels deep"), (&yaml_deep, ""), (&laughs, "more than 20000000 nodes")] {
        let flaw = made("a.yaml", text, &[]).unwrap_err();
        assert!(flaw.contains(part), "{flaw}");
    }
    let mut schemas = String::new();
    for n in 0..40 {
        let next = format!("{{ $ref: '#/components/schemas/S{}' }}", n + 1);
        schemas.push_str(&format!("    S{n}: {{ allOf: [{next}, {next}] }}\n"));
    }
    let first = answering("{ $ref: '#/components/schemas/S0' }");
    let doubling = format!("{first}components:\n  schemas:\n{schemas}    S40: {{ type: integer }}\n");
    let flaw = made("a.yaml", &doubling, &[]).unwrap_err();
    assert!(flaw.contains("refer to each other too often"), "{flaw}");
    let circle = "components:\n  schemas:\n    A: { $ref: '#/components/schemas/B' }\n    B: { $ref: '#/components/schemas/A' }\n";
    let flaw = made("a.yaml", &(answering("{ $ref: '#/components/schemas/A' }") + circle), &[]).unwrap_err();
    assert!(flaw.contains("leads to itself"), "{flaw}");
}

/// Descriptions that are cut off, or lack a line: each is refused with a message, or gives a specification that is sound.
#[test]
fn damaged_descriptions_never_give_a_broken_specification() {
    let (mut made_some, mut refused) = (0, 0);
    for (from, _) in DESCRIPTIONS {
        let whole = text(from);
        let lines: Vec<&str> = whole.lines().collect();
        let without = (0..lines.len()).map(|skipped| {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != skipped).map(|(_, line)| *line);
            kept.collect::<Vec<_>>().join("\n")
        });
        let cut = (0..whole.len()).step_by(97).filter_map(|end| whole.get(..end).map(str::to_owned));
        for damaged in without.chain(cut) {
            match made("a.yaml", &damaged, &[]) {
                Ok(made) => {
                    made_some += 1;
                    assert_eq!(findings(&made), [""; 0], "{damaged}\n{made}");
                }
                Err(flaw) => {
                    refused += 1;
                    assert!(flaw.starts_with("error: ") && flaw.contains("a.yaml:"), "{flaw}");
                }
            }
        }
    }
    assert!(made_some > 100 && refused > 50, "{made_some} made, {refused} refused");
}

/// `docs/HTTP.md`: the service does what its file says, and one rule finds its mistake.
#[test]
fn from_a_description_to_the_mistake_of_a_service() {
    if !Path::new("/usr/bin/python3").exists() {
        return skipped("python3 is not installed");
    }
    let page = text("docs/HTTP.md");
    let first = text("tests/data/openapi/notes.may");
    let old: &str = "    on DeleteNote { .. } { either { reply NoContent; } or { reply NotFound; } }\n";
    assert!(page.contains(old.trim()) && first.contains(old), "the page shows the handlers");
    let rule = page.split("```text\n").find(|part| part.starts_with("var deleted")).expect("a rule");
    let rule = rule.split("```").next().unwrap_or_default();
    let protocol = first.replace(old, "");
    let (before, after) = protocol.split_once("    // Each handler").expect("handlers");
    let second = format!("{before}{rule}\n    // Each handler{after}");
    assert_eq!(findings(&second), [""; 0]);
    let few = if is_long() { "600" } else { "150" };
    for (name, spec, requests, code, words) in [
        ("openapi_first.may", &first, few, 0, "no violation"),
        ("openapi_rule.may", &second, "600", 1, "✗ only \"NotFound\" was possible"),
    ] {
        let (spec, port) = (file(name, spec), free_port());
        let address = format!("http://127.0.0.1:{port}");
        let start = format!("python3 examples/service/notes.py {port}");
        let kept = place(&format!("{name} kept"));
        _ = std::fs::remove_dir_all(&kept);
        let arguments = [
            "test",
            spec.to_str().unwrap(),
            "--sut",
            &address,
            "--start",
            &start,
            "--seed",
            "1",
            "--requests",
            requests,
        ];
        let output = run(&[&arguments[..], &["--regressions", kept.to_str().unwrap()]].concat(), "");
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn if_every_answer_is_allowed_their_form_is_tested() {
    let open = "enum Q { Get } enum A { Here(int), Gone } protocol open { request Q; response A;
        on Get { either { reply Here(choose); } or { reply Gone; } }
        http { Get => GET \"/\"; 200 => Here(body json); 404 => Gone; } }";
    let spec = file("openapi_open.may", open);
    let served = crate::http::testing::Served::start(spec.to_str().unwrap(), &["--seed", "3"]);
    let address = served.1.clone();
    let kept = place("openapi open kept");
    _ = std::fs::remove_dir_all(&kept);
    for (name, text, code, words) in [
        ("openapi_open.may", open.to_owned(), 0, "only the form of the answers was tested"),
        ("openapi_open_text.may", open.replace("Here(int)", "Here(bool)"), 1, "is no answer of the specification"),
    ] {
        let spec = file(name, &text);
        let fixed = ["test", spec.to_str().unwrap(), "--sut", &address, "--seed", "1", "--requests", "200"];
        let output = run(&[&fixed[..], &["--shrink-time", "0", "--regressions", kept.to_str().unwrap()]].concat(), "");
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && said.contains(words), "{said}");
    }
}
