//! The types that `mayhap types` prints: they are compiled here, and hold what the specification says.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::command::{check, mayhap};

#[rustfmt::skip]
#[allow(dead_code, nonstandard_style, clippy::upper_case_acronyms)] // Some names are no names as Rust likes them, and not all types are asked for.
#[path = "../../data/types/kv_etag.rs"]
mod kv_etag;
#[rustfmt::skip]
#[allow(dead_code, nonstandard_style, clippy::upper_case_acronyms)]
#[path = "../../data/types/sync.rs"]
mod sync;
#[rustfmt::skip]
#[allow(dead_code, nonstandard_style, clippy::upper_case_acronyms)]
#[path = "../../data/types/documents.rs"]
mod documents;
#[rustfmt::skip]
#[allow(dead_code, nonstandard_style, clippy::upper_case_acronyms)]
#[path = "../../data/types/names.rs"]
mod names;
#[rustfmt::skip]
#[allow(dead_code, nonstandard_style, clippy::upper_case_acronyms)]
#[path = "../../data/types/idgen.rs"]
mod idgen;

/// The output of the command, without what it complains about.
fn printed(arguments: &[&str]) -> String {
    let output = mayhap(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that a type holds a value: it is the same when it is written again.
fn hold<T: Serialize + DeserializeOwned>(value: &Value) {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"));
    assert_eq!(serde_json::to_value(&typed).unwrap(), *value);
}

/// Checks that the types of a specification are those in its file, and hold drawn requests and answers.
fn are_held<Q: Serialize + DeserializeOwned, A: Serialize + DeserializeOwned>(
    spec: &str,
    options: &[&str],
    file: &str,
) {
    let kept = std::fs::read_to_string(format!("tests/data/types/{file}.rs")).unwrap();
    assert_eq!(printed(&[&["types", spec], options].concat()), kept, "{spec}");
    let mut met = 0;
    for line in printed(&["simulate", spec, "--steps", "300", "--seed", "5"]).lines() {
        let exchange: Value = serde_json::from_str(line).unwrap();
        if let Some(request) = exchange.get("q") {
            hold::<Q>(request);
            met += 1;
        }
        exchange.get("a").into_iter().for_each(hold::<A>);
    }
    assert!(met >= 100, "{spec}: {met} requests");
}

#[test]
fn types_of_rust_hold_requests_and_answers() {
    are_held::<kv_etag::Request, kv_etag::Response>("specs/kv_etag.may", &[], "kv_etag");
    are_held::<sync::Request, sync::Response>("specs/sync.may", &[], "sync");
    are_held::<documents::Request, documents::Response>("specs/documents.may", &[], "documents");
    hold::<names::Request>(&serde_json::json!({"Blob": {"$bytes": "gA=="}}));
    are_held::<names::Request, names::Option>("tests/data/types/names.may", &["--int", "i128"], "names");
}

#[test]
fn ids_are_what_the_program_has() {
    let kept = std::fs::read_to_string("tests/data/types/idgen.rs").unwrap();
    assert_eq!(printed(&["types", "specs/idgen.may", "--token", "u64"]), kept);
    hold::<idgen::Response>(&serde_json::json!({"Fresh": 7}));
    check(&["types", "tests/data/missing.may"], "", 2, &["cannot read"]);
    check(&["types", "-"], "protocol p { request int; }", 2, &["error"]);
}
