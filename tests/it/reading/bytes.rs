//! Whatever bytes come: traces and values are read without a panic, and what is written reads back the same.

use mayhap::json::{Scanner, decode, decode_recorded, encode, quoted};
use mayhap::spec::types::{BOOL, BYTES, EnumDef, INT, JSON, STRING, StructDef, Type, TypeId, Types, VariantDef};
use mayhap::trace::{NextLine, TraceReader};
use proptest::collection::vec;
use proptest::prelude::*;

/// A type with every form that a value can have, and texts that are nearly values of it.
fn everything() -> (Types, TypeId) {
    let mut types = Types::new();
    types.tokens.push("T".into());
    let token = types.intern(Type::Token(0));
    let option = types.option(token);
    let map = types.map(STRING, INT);
    let pairs = types.map(BYTES, BOOL);
    let set = types.set(INT);
    let tuple = types.tuple(vec![set, map, pairs]);
    let opaque = types.option(JSON);
    let fields = vec![("a".to_string(), option), ("b".to_string(), tuple), ("j".to_string(), opaque)];
    types.structs.push(StructDef { name: "S".into(), fields, open: true });
    let structure = types.intern(Type::Struct(0));
    let tree = types.intern(Type::Enum(0));
    let list = types.list(tree);
    let variants = vec![
        VariantDef { name: "U".into(), fields: vec![], open: false },
        VariantDef { name: "V".into(), fields: vec![(None, list)], open: false },
        VariantDef { name: "J".into(), fields: vec![(None, JSON)], open: false },
        VariantDef { name: "W".into(), fields: vec![(None, structure), (None, tree)], open: false },
        VariantDef {
            name: "X".into(),
            fields: vec![(Some("x".into()), option), (Some("$any".into()), INT)],
            open: false,
        },
    ];
    types.enums.push(EnumDef { name: "E".into(), variants });
    (types, tree)
}

/// Pieces of JSON of a kind, so that random texts get past the first character.
pub fn pieces(kind: &str) -> Vec<String> {
    let all: serde_json::Value = serde_json::from_str(&crate::judge::text("tests/data/pieces.json")).unwrap();
    all[kind].as_array().unwrap().iter().map(|piece| piece.as_str().unwrap().to_owned()).collect()
}

/// What lines are made of; `long` is something long.
const LINES: &[&[u8]] =
    &[b"\n", b"\n", b"\r\n", b"{\"q\": 2}", b" ", "é".as_bytes(), b"long", b"\xff", b"\xc3", "\u{feff}".as_bytes()];

fn text() -> impl Strategy<Value = String> {
    vec(proptest::sample::select(pieces("values")), 0..40).prop_map(|pieces| pieces.concat())
}

/// Any JSON, marks inside of it as literals.
fn opaque_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:e}")),
        any::<i128>().prop_map(|n| n.to_string()),
        ".*".prop_map(|s| quoted(&s)),
        Just(r#"{"$lit":{"$any":null}}"#.to_string()),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        let members = proptest::collection::btree_map(".*|\\$any", inner.clone(), 2..4).prop_map(|members| {
            let members: Vec<_> = members.iter().rev().map(|(k, v)| format!("{}:{v}", quoted(k))).collect();
            format!("{{{}}}", members.join(" ,"))
        });
        prop_oneof![vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(", "))), members]
    })
}

/// Texts that are values of [`everything`], written in any way that is allowed.
fn value_text() -> impl Strategy<Value = String> {
    let token =
        prop_oneof![Just("null".to_string()), any::<i128>().prop_map(|n| n.to_string()), ".*".prop_map(|s| quoted(&s))];
    let ints = proptest::collection::btree_set(any::<i64>(), 0..4).prop_map(|set| format!("{:?}", set));
    let map = proptest::collection::btree_map(".*|\\$any|\\$lit", any::<i64>(), 0..3).prop_map(|map| {
        let members: Vec<_> = map.iter().map(|(key, value)| format!("{}: {value}", quoted(key))).collect();
        format!("{{\"$lit\": {{{}}}}}", members.join(" , "))
    });
    let structure = (token.clone(), ints, map).prop_map(|(token, set, map)| {
        format!("{{\"b\": [{}, {map}, []], \"a\":{token}}}", set.replace('{', "[").replace('}', "]"))
    });
    let leaf = prop_oneof![
        Just("\"U\"".to_string()),
        opaque_text().prop_map(|json| format!("{{\"J\": {json}}}")),
        token.prop_map(|token| format!("{{\"X\": {{\"x\": {token}, \"$any\": 5}}}}"))
    ];
    leaf.prop_recursive(5, 20, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|all| format!("{{\"V\": [{}]}}", all.join(","))),
            (structure.clone(), inner).prop_map(|(s, e)| format!("{{ \"W\" : [ {s} , {e} ] }}")),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_a_trace_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        let mut reader = TraceReader::new(bytes.as_slice());
        while let Ok(Some(line)) = reader.next_line() {
            let _ = line.notes();
        }
    }

    /// However many octets arrive at once.
    #[test]
    fn lines_are_what_stands_between_their_ends(
        pieces in vec(proptest::sample::select(LINES), 0..60), long in 0usize..9_000, capacity in 1usize..5_000,
    ) {
        let long = "é".repeat(long / 2);
        let pieces = pieces.into_iter().map(|piece| if piece == b"long" { long.as_bytes() } else { piece });
        let trace = [b"{\"q\": 1}\n"].into_iter().map(|first| &first[..]).chain(pieces).collect::<Vec<_>>().concat();
        let mut reader = TraceReader::new(std::io::BufReader::with_capacity(capacity, trace.as_slice()));
        let mut bytes = 0;
        for (line, number) in trace.split_inclusive(|octet| *octet == b'\n').zip(1..) {
            bytes += line.len() as u64;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            if line.iter().all(|octet| b" \t\r".contains(octet)) {
                continue;
            }
            let next = reader.next_with(|text, number| Some((text.to_owned(), number)));
            match std::str::from_utf8(line) {
                Ok(text) => match next {
                    Ok(Some(NextLine::Quick(read))) => prop_assert_eq!(read, (text.to_owned(), number)),
                    _ => prop_assert!(false, "{} is not read", text),
                },
                Err(error) => {
                    let column = String::from_utf8_lossy(&line[..error.valid_up_to()]).chars().count() as u64 + 1;
                    let found = next.err().map(|error| (error.line, error.column));
                    prop_assert_eq!(found, Some((number, column)));
                }
            }
            prop_assert_eq!(reader.position().bytes, bytes);
        }
        prop_assert!(matches!(reader.next_with(|_, _| Some(())), Ok(None)));
        prop_assert_eq!(reader.position().bytes, trace.len() as u64);
    }

    #[test]
    fn any_pieces_are_a_trace_or_an_error(text in text()) {
        let mut reader = TraceReader::new(text.as_bytes());
        loop {
            match reader.next_line() {
                Ok(Some(line)) => drop((line.notes(), line.event.to_string())),
                Ok(None) => break,
                Err(error) => {
                    prop_assert!(error.render("t").contains("error: "));
                    break;
                }
            }
        }
    }

    #[test]
    fn any_pieces_are_a_value_or_an_error(text in text()) {
        let (types, id) = everything();
        for id in [id, INT, STRING, BYTES] {
            if let Err(error) = decode(&types, id, &text) {
                prop_assert!(error.offset <= text.len());
            }
            drop(decode_recorded(&types, id, &text));
        }
        if let Ok(skipped) = Scanner::new(&text).skip() {
            prop_assert!(text.contains(skipped));
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same(text in value_text()) {
        let (types, id) = everything();
        let value = decode(&types, id, &text).unwrap();
        let written = encode(&types, id, &value);
        prop_assert_eq!(decode(&types, id, &written), Ok(value.clone()), "{}", written);
        prop_assert_eq!(encode(&types, id, &decode(&types, id, &written).unwrap()), written);
    }
}

#[test]
fn a_truncated_line_90_000_is_told_with_its_place() {
    let mut trace = "{\"q\": 5, \"a\": 1}\n".repeat(89_999);
    trace += "{\"q\": 5, \"a\": {\"Ok\": ";
    let mut reader = TraceReader::new(trace.as_bytes());
    let error = loop {
        match reader.next_line() {
            Ok(line) => assert!(line.is_some()),
            Err(error) => break error,
        }
    };
    assert_eq!((error.line, error.column), (90_000, 22));
    assert_eq!(error.message, "expected a value, found the end");
    assert_eq!(reader.position().events, 90_000);
}

#[test]
fn a_value_100_000_deep_is_skipped_or_refused() {
    let (types, id) = everything();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let line = format!("{{\"note\": {deep}, \"q\": {deep}, \"a\": 1}}");
    assert!(TraceReader::new(line.as_bytes()).next_line().unwrap().is_some());
    assert!(decode(&types, id, &deep).is_err());
    let variants = format!("{}\"U\"{}", "{\"V\":[".repeat(100_000), "]}".repeat(100_000));
    let error = decode(&types, id, &variants).unwrap_err();
    assert!(error.message.starts_with("nested more deeply than 512 levels"), "{}", error.message);
}
