//! Operations in the shape of Porcupine, as the robustness tests of etcd write them.

use std::fmt::Write as _;

use crate::command::run;
use crate::http::testing::said;

const SPEC: &str = "tests/data/porcupine/etcd.may";

/// A range of one key, as Go writes it; what was found is the value and its revision.
fn range(client: u64, call: i64, found: Option<(&str, i64)>, revision: i64, end: i64) -> String {
    let kvs = found.map_or(String::new(), |(value, at)| {
        format!(r#"{{"Key":"a","Value":{{"Value":"{value}"}},"ModRevision":{at},"Version":1}}"#)
    });
    let count = u8::from(found.is_some());
    format!(
        r#"{{"ClientId":{client},"Input":{{"Type":"range","LeaseGrant":null,"LeaseRevoke":null,"Range":{{"Start":"a","End":"","Limit":0,"Revision":0}},"Txn":null,"Defragment":null,"Compact":null}},"Call":{call},"Output":{{"Txn":null,"Range":{{"KVs":[{kvs}],"Count":{count}}},"LeaseGrant":null,"LeaseRevoke":null,"Defragment":null,"Compact":null,"ClientError":"","Revision":{revision},"Persisted":false,"PersistedRevision":0,"Error":""}},"Return":{end}}}"#
    )
}

/// A put, which fails if the time of return is 0, and of which only the effect is known if the revision is 0.
fn put(client: u64, call: i64, value: &str, revision: i64, end: i64) -> String {
    let (txn, error) = match end {
        0 => ("null", "etcdserver: request timed out"),
        _ => (r#"{"Failure":false,"Results":[{"KVs":null,"Count":0,"Deleted":0}]}"#, ""),
    };
    let is_persisted = end != 0 && revision == 0;
    format!(
        r#"{{"ClientId":{client},"Input":{{"Type":"txn","Range":null,"Txn":{{"Conditions":null,"OperationsOnSuccess":[{{"Type":"put-operation","Range":{{"Start":"","End":"","Limit":0}},"Put":{{"Key":"a","Value":{{"Value":"{value}"}},"LeaseID":0}},"Delete":{{"Key":""}}}}],"OperationsOnFailure":null}}}},"Call":{call},"Output":{{"Txn":{txn},"Range":null,"Revision":{revision},"Persisted":{is_persisted},"Error":"{error}"}},"Return":{end}}}"#
    )
}

fn validated(operations: &[String]) -> (Option<i32>, String) {
    let text = operations.iter().fold(String::new(), |mut text, operation| {
        _ = writeln!(text, "{operation}");
        text
    });
    let output = run(&["validate", SPEC, "-"], &text);
    (output.status.code(), said(&output))
}

#[test]
fn operations_are_judged_in_the_order_of_their_times() {
    let first = put(0, 10, "1", 2, 20);
    for (others, code, what) in [
        (vec![range(1, 30, Some(("1", 2)), 2, 40)], 0, "accept (4 events)"),
        (vec![range(1, 30, None, 1, 40)], 1, "reject at line 2"),
        // The file of another client comes later, with earlier times.
        (vec![range(1, 1, None, 1, 5)], 0, "accept (4 events)"),
        (vec![range(1, 1, None, 1, 10)], 0, "accept (4 events)"),
        (vec![range(1, 20, None, 1, 30)], 0, "accept (4 events)"),
        (vec![range(1, 21, None, 1, 30)], 1, "reject at line 2"),
        // A put without an answer may be done now, later, or never.
        (vec![put(1, 25, "2", 0, 0), range(0, 30, Some(("2", 3)), 3, 40)], 0, "accept"),
        (
            vec![put(1, 25, "2", 0, 0), range(0, 30, Some(("1", 2)), 2, 40), range(0, 50, Some(("2", 3)), 3, 60)],
            0,
            "accept",
        ),
        (
            vec![put(1, 25, "2", 0, 0), range(0, 30, Some(("2", 3)), 3, 40), range(0, 50, Some(("1", 2)), 2, 60)],
            1,
            "line 4",
        ),
        // One that is known to have been done was done.
        (vec![put(1, 25, "2", 0, 30), range(0, 31, Some(("2", 3)), 3, 40)], 0, "accept"),
        (vec![put(1, 25, "2", 0, 30), range(0, 31, Some(("1", 2)), 2, 40)], 1, "line 3"),
        // Operations of one client may overlap.
        (vec![put(0, 15, "2", 3, 30), range(0, 16, Some(("1", 2)), 2, 40)], 0, "accept"),
    ] {
        let all = [std::slice::from_ref(&first), &others[..]].concat();
        let (found, said) = validated(&all);
        assert!(found == Some(code) && said.contains(what), "{others:#?}: {said}");
        // As one list, everything stands on one line.
        let (found, said) = validated(&[format!("[{}]", all.join(","))]);
        assert_eq!(found, Some(code), "{said}");
    }
    let (_, said) = validated(&[format!("[{},{}]", first, range(1, 30, None, 1, 40))]);
    assert!(said.contains("reject at operation 2 of line 1"), "{said}");
}

#[test]
fn operations_are_converted() {
    let text = format!("{}\n{}\n", put(3, 10, "1", 2, 20), range(1, 15, None, 1, 17));
    let converted = run(&["convert", "-", "--for", SPEC], &text);
    let lines = String::from_utf8_lossy(&converted.stdout).into_owned();
    let clients: Vec<&str> = lines.lines().skip(1).map(|line| &line[..9]).collect();
    assert_eq!(clients, [r#"{"c": 3, "#, r#"{"c": 1, "#, r#"{"c": 1, "#, r#"{"c": 3, "#], "{lines}");
    assert_eq!(run(&["validate", SPEC, "-"], &lines).status.code(), Some(0));
    let output = run(&["convert", "-"], &text);
    assert!(said(&output).contains("--for says by which specification these operations are read"), "{}", said(&output));
}

#[test]
fn what_is_no_operation_is_named() {
    let good = put(0, 10, "1", 2, 20);
    for (bad, why, place) in [
        (good.replace("\"Call\":10", "\"Call\":\"ten\""), "invalid type", "<stdin>:2:"),
        (good.replace("\"Call\":10,", ""), "missing field `Call`", "<stdin>:2:"),
        (good.replace("\"Key\":\"a\"", "\"Key\":7"), "the Input of this operation", "<stdin>:2:"),
        (good[..100].to_owned(), "must be escaped", "<stdin>:2:"),
        (good.replace("\"ClientId\":0", "\"ClientId\":-1"), "invalid value", "<stdin>:2:"),
    ] {
        let (code, said) = validated(&[good.clone(), bad]);
        assert!(code == Some(2) && said.contains(why) && said.contains(place), "{said}");
    }
}
