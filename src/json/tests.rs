//! Cases of reading and writing values, as data: a type, a text, and the canonical text or the error.

use super::*;
use crate::spec::types::*;
use crate::value::Value;

/// The types of the tests by their names.
struct World {
    types: Types,
    ids: Vec<(&'static str, TypeId)>,
}

impl World {
    fn new() -> World {
        let mut types = Types::new();
        types.tokens.push("Opaque".into());
        let token = types.intern(Type::Token(0));
        let option_token = types.option(token);
        let option_int = types.option(INT);
        let fields = |fields: &[(&str, TypeId)]| fields.iter().map(|(n, t)| (n.to_string(), *t)).collect::<Vec<_>>();
        let tag = types.intern(Type::Struct(0));
        let tag_fields = fields(&[("weak", BOOL), ("opaque", token), ("age", option_int)]);
        types.structs.push(StructDef { name: "Tag".into(), fields: tag_fields, open: false });
        let open = types.intern(Type::Struct(1));
        types.structs.push(StructDef { name: "Open".into(), fields: fields(&[("$any", INT)]), open: true });
        let tree = types.intern(Type::Enum(0));
        let list_int = types.list(INT);
        let variants = vec![
            VariantDef { name: "Leaf".into(), fields: vec![], open: false },
            VariantDef { name: "One".into(), fields: vec![(None, tree)], open: false },
            VariantDef { name: "Two".into(), fields: vec![(None, tree), (None, list_int)], open: false },
            VariantDef {
                name: "Named".into(),
                fields: vec![(Some("tag".into()), tag), (Some("n".into()), option_int)],
                open: false,
            },
        ];
        types.enums.push(EnumDef { name: "Tree".into(), variants });
        let option_json = types.option(JSON);
        let row = types.intern(Type::Struct(2));
        let row_fields = fields(&[("extra", option_json), ("n", INT)]);
        types.structs.push(StructDef { name: "Row".into(), fields: row_fields, open: true });
        let rows = types.list(row);
        let jsons = types.set(JSON);
        let counts = types.map(JSON, INT);
        let set = types.set(STRING);
        let map = types.map(STRING, INT);
        let nested = types.map(STRING, map);
        let pairs = types.map(INT, BOOL);
        let tuple = types.tuple(vec![INT, STRING, option_token]);
        let ids = vec![
            ("int", INT),
            ("bool", BOOL),
            ("string", STRING),
            ("bytes", BYTES),
            ("client", CLIENT),
            ("token", token),
            ("option", option_int),
            ("tag", tag),
            ("open", open),
            ("tree", tree),
            ("list", list_int),
            ("set", set),
            ("map", map),
            ("nested", nested),
            ("pairs", pairs),
            ("tuple", tuple),
            ("json", JSON),
            ("row", row),
            ("rows", rows),
            ("jsons", jsons),
            ("counts", counts),
        ];
        World { types, ids }
    }

    fn id(&self, name: &str) -> TypeId {
        self.ids.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// Reads a text and writes the value again; or returns the offset and the error.
    fn through(&self, name: &str, text: &str) -> Result<String, String> {
        let id = self.id(name);
        let value = decode(&self.types, id, text).map_err(|error| format!("{}: {error}", error.offset))?;
        let written = encode(&self.types, id, &value);
        assert_eq!(decode(&self.types, id, &written).as_ref(), Ok(&value), "{written}");
        Ok(written)
    }
}

#[test]
fn values_are_read_and_written() {
    let world = World::new();
    for (name, text, canonical) in [
        ("int", "5", "5"),
        ("int", " -0 ", "0"),
        ("int", "\"0012\"", "12"),
        ("int", "123456789012345678901234567890", "123456789012345678901234567890"),
        ("int", "\"-9223372036854775809\"", "-9223372036854775809"),
        ("int", "-999999999999999999", "-999999999999999999"),
        ("int", "1000000000000000000", "1000000000000000000"),
        ("int", "9223372036854775807", "9223372036854775807"),
        ("bool", "true", "true"),
        ("string", r#""\u00e9\ud83d\ude00""#, r#""é😀""#),
        ("bytes", r#""é""#, r#""é""#),
        ("bytes", r#"{"$bytes": "/w=="}"#, r#"{"$bytes": "/w=="}"#),
        ("bytes", r#"{"$bytes": "w6k="}"#, r#""é""#),
        ("bytes", "[]", r#""""#),
        ("bytes", "[255, 0]", r#"{"$bytes": "/wA="}"#),
        ("client", "7", "7"),
        ("token", "5", "5"),
        ("token", r#""5""#, r#""5""#),
        ("option", "null", "null"),
        ("option", "1", "1"),
        ("tag", r#"{"opaque":"x","weak":false}"#, r#"{"weak": false, "opaque": "x", "age": null}"#),
        ("tag", r#"{"weak":true,"opaque":1,"age":2}"#, r#"{"weak": true, "opaque": 1, "age": 2}"#),
        ("open", r#"{"x": [{"$any": null}], "$any": 3}"#, r#"{"$lit": {"$any": 3}}"#),
        ("tree", r#""Leaf""#, r#""Leaf""#),
        ("tree", r#"{"Leaf": null}"#, r#""Leaf""#),
        ("tree", r#"{"One": {"One": "Leaf"}}"#, r#"{"One": {"One": "Leaf"}}"#),
        ("tree", r#"{"Two": ["Leaf", [1, 2]]}"#, r#"{"Two": ["Leaf", [1, 2]]}"#),
        (
            "tree",
            r#"{"Named": {"tag": {"weak": true, "opaque": 1}}}"#,
            r#"{"Named": {"tag": {"weak": true, "opaque": 1, "age": null}, "n": null}}"#,
        ),
        ("list", "[]", "[]"),
        ("list", "[3,1,2]", "[3, 1, 2]"),
        ("set", r#"["b","a"]"#, r#"["a", "b"]"#),
        ("map", "{}", "{}"),
        ("map", r#"{"b":1,"a":2}"#, r#"{"a": 2, "b": 1}"#),
        ("map", r#"{"$lit": {"$any": 1}}"#, r#"{"$lit": {"$any": 1}}"#),
        ("map", r#"{"$any": 1}"#, r#"{"$lit": {"$any": 1}}"#),
        ("map", r#"{"$lit": 1, "b": 2}"#, r#"{"$lit": 1, "b": 2}"#),
        ("map", r#"[["a", 1]]"#, r#"{"a": 1}"#),
        ("nested", r#"{"$lit": {"$any": {"$lit": 1}}}"#, r#"{"$lit": {"$any": {"$lit": 1}}}"#),
        ("pairs", "[[10,true],[9,false]]", "[[9, false], [10, true]]"),
        ("pairs", r#"{"10": true}"#, "[[10, true]]"),
        ("tuple", r#"[1,"x",null]"#, r#"[1, "x", null]"#),
    ] {
        assert_eq!(world.through(name, text).as_deref(), Ok(canonical), "{name} {text}");
    }
}

/// Numbers are compared exactly and members in any order; a text that would be read as a mark is wrapped.
#[test]
fn opaque_values_are_one_text() {
    let world = World::new();
    for (name, text, canonical) in [
        ("json", "1.50", "1.5"),
        ("json", "-0", "0"),
        ("json", "1e400000000", "1e400000000"),
        ("json", r#"{"b":[1, 1.0,10E-1],"a":{"y":null,"x":true}}"#, r#"{"a": {"x": true, "y": null}, "b": [1, 1, 1]}"#),
        ("json", r#"{"é": 1, "z": 2, "\u0061": "\u00e9\/", "": false}"#, r#"{"": false, "a": "é/", "z": 2, "é": 1}"#),
        ("json", r#" [ ] "#, "[]"),
        ("json", "{ }", "{}"),
        ("json", r#"{"$any": 1}"#, r#"{"$any": 1}"#),
        ("json", r#"{"a": {"$lit": {"$any": null}}}"#, r#"{"$lit": {"a": {"$any": null}}}"#),
        ("json", r#"{"$lit": {"$any": null}}"#, r#"{"$lit": {"$any": null}}"#),
        ("json", r#"[{"$lit": {"$lit": 1}}]"#, r#"{"$lit": [{"$lit": 1}]}"#),
        ("json", r#""{\"$any\": null}""#, r#""{\"$any\": null}""#),
        ("row", r#"{"extra": null, "n": 1}"#, r#"{"extra": null, "n": 1}"#),
        ("row", r#"{"n": 1, "and": [{"$any": null}]}"#, r#"{"n": 1}"#),
        ("rows", r#"[{"x": 1, "n": 1, "extra": [2.50]}, {"n": 2}]"#, r#"[{"extra": [2.5], "n": 1}, {"n": 2}]"#),
        ("jsons", r#"[2, 1e0, null]"#, "[1, 2, null]"),
        ("counts", r#"[[{"b": 1, "a": 2}, 3]]"#, r#"[[{"a": 2, "b": 1}, 3]]"#),
    ] {
        assert_eq!(world.through(name, text).as_deref(), Ok(canonical), "{name} {text}");
    }
    for (name, text, error) in [
        ("json", "", "0: expected json (any value), found the end"),
        ("json", "[1, nul]", "4: at [1]: expected json (any value), found `nul`"),
        ("json", "01", "0: a number has no leading zeros"),
        ("json", r#"{"b": 1, "a": 2, "b": 3}"#, r#"17: the key "b" stands twice"#),
        ("json", r#"{"a": [1, {"x": 1, "\u0078": 1}]}"#, r#"19: at ["a"][1]: the key "x" stands twice"#),
        ("json", r#"{"a": {"$any": null}}"#, r#"6: at ["a"]: expected a value: only a recording may have holes"#),
        ("jsons", "[1, 10e-1]", "4: this element stands twice"),
    ] {
        assert_eq!(world.through(name, text), Err(error.to_string()), "{name} {text}");
    }
    let hole = decode_recorded(&world.types, JSON, r#"[{"$any": null}]"#).unwrap_err().to_string();
    assert_eq!(hole, "at [0]: a hole cannot stand for a part of a `json`: put one in the place of the whole");
    assert_eq!(decode_recorded(&world.types, JSON, r#"{"$any": null}"#), Ok(Value::Any));
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(world.through("json", &nested(MAX_DEPTH)), Ok(nested(MAX_DEPTH)));
    assert!(world.through("json", &nested(100_000)).unwrap_err().ends_with("nested more deeply than 512 levels"));
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let world = World::new();
    for (name, text, error) in [
        ("int", "true", "0: expected int, found `true`"),
        ("int", "007", "0: a number has no leading zeros"),
        ("int", "-", "1: expected a digit"),
        ("int", "\"x\"", "0: expected int, found the string \"x\""),
        ("int", "1 2", "2: expected the end, found a number"),
        ("int", "", "0: expected int, found the end"),
        ("bool", "0", "0: expected bool, found a number"),
        ("bool", "truely", "0: expected bool, found `truely`"),
        ("string", "null", "0: expected string, found `null`"),
        ("string", r#""\ud800""#, "1: half of a surrogate pair is no character"),
        ("bytes", r#"{"$bytes": "?"}"#, "11: this is no base64: Invalid symbol 63, offset 0."),
        ("bytes", "[256]", "1: expected an octet, 0 to 255"),
        ("bytes", "{}", "1: expected the key \"$bytes\", found `}`"),
        ("client", "-1", "0: expected a client's number, 0 to 18446744073709551615"),
        ("token", "true", "0: expected Opaque (a string or number), found `true`"),
        ("option", "\"\"", "0: expected int, found the string \"\""),
        ("tag", "5", "0: expected Tag (an object), found a number"),
        ("tag", r#"{"weak": true}"#, "13: the field \"opaque\" (Opaque) is missing"),
        ("tag", r#"{"weak": true, "opaqe": 1}"#, "15: Tag has no field \"opaqe\"; did you mean \"opaque\"?"),
        ("tag", r#"{"weak": true, "weak": 1}"#, "15: the field \"weak\" stands twice"),
        ("tag", r#"{"weak": 1}"#, "9: at .weak: expected bool, found a number"),
        ("tree", r#""Leef""#, "0: Tree has no variant \"Leef\"; did you mean \"Leaf\"?"),
        ("tree", r#"{"Zebra": 1}"#, "1: Tree has no variant \"Zebra\""),
        ("tree", r#""One""#, "0: the variant \"One\" carries something: {\"One\": …}"),
        ("tree", r#"{"Leaf": 1}"#, "9: at .Leaf: expected null: this variant carries nothing, found a number"),
        (
            "tree",
            r#"{"Named": null}"#,
            "10: at .Named: expected an object, what this variant carries: {\"tag\": …}, found `null`",
        ),
        (
            "tree",
            r#"{"Two": null}"#,
            "8: at .Two: expected an array of 2 values, what this variant carries, found `null`",
        ),
        ("tree", r#"{"One": "Leaf", "Two": 1}"#, "14: expected `}`: a value of Tree is one variant, found `,`"),
        ("tree", "7", "0: expected Tree (a variant: \"V\" or {\"V\": …}), found a number"),
        ("tree", r#"{"Two": ["Leaf"]}"#, "8: at .Two: expected an array of 2 values, found 1"),
        ("tree", r#"{"Two": ["Leaf", [1], 2]}"#, "22: at .Two[2]: expected `]` after 2 values, found a number"),
        (
            "tree",
            r#"{"One": {"Named": {"tag": {"weak": 0}}}}"#,
            "35: at .One.Named.tag.weak: expected bool, found a number",
        ),
        ("list", "[1, true]", "4: at [1]: expected int, found `true`"),
        ("list", "[1 2]", "3: expected `,` or `]`, found a number"),
        ("list", "{}", "0: expected list<int> (an array), found an object"),
        ("set", r#"["a", "b", "a"]"#, "11: this element stands twice"),
        ("map", r#"{"a": 1, "b": 2, "\u0061": 3}"#, "17: this key stands twice"),
        ("map", r#"{"a": true}"#, "6: at [\"a\"]: expected int, found `true`"),
        ("map", "5", "0: expected map<string, int> (an object), found a number"),
        ("pairs", "[[1]]", "1: at [0]: expected an array of 2 values, found 1"),
        ("pairs", "[[1, true], [1, false]]", "12: this key stands twice"),
        ("tuple", "[1]", "0: expected an array of 3 values, found 1"),
        ("list", r#"[{"$any": null}]"#, "1: at [0]: expected a value: only a recording may have holes"),
        ("int", r#"{"$any": null}"#, "0: expected a value: only a recording may have holes"),
    ] {
        assert_eq!(world.through(name, text), Err(error.to_string()), "{name} {text}");
    }
}

#[test]
fn an_answer_may_be_a_hole() {
    let World { types, .. } = World::new();
    assert_eq!(decode_recorded(&types, INT, r#" {"$any" : null } "#), Ok(Value::Any));
    assert_eq!(decode_recorded(&types, INT, "5"), Ok(Value::from(5)));
    assert_eq!(decode_recorded(&types, INT, r#"{"$lit": 5}"#), Ok(Value::from(5)));
    assert!(decode_recorded(&types, INT, r#"{"$any": null} 1"#).is_err());
    assert!(decode_recorded(&types, INT, r#"{"$any": 1}"#).is_err());
}

#[test]
fn size_and_depth() {
    let mut world = World::new();
    let long = "9".repeat(10_000);
    assert_eq!(world.through("int", &long).as_deref(), Ok(long.as_str()));
    let tree = |depth: usize| format!("{}\"Leaf\"{}", "{\"One\": ".repeat(depth), "}".repeat(depth));
    assert_eq!(world.through("tree", &tree(MAX_DEPTH - 1)), Ok(tree(MAX_DEPTH - 1)));
    let too_deep = world.through("tree", &tree(100_000)).unwrap_err();
    assert!(too_deep.ends_with("nested more deeply than 512 levels"), "{}", &too_deep[..100]);
    let brackets = "[".repeat(100_000);
    assert_eq!(world.through("list", &brackets), Err("1: at [0]: expected int, found an array".into()));
    let mut deep = INT;
    (0..600).for_each(|_| deep = world.types.list(deep));
    assert!(decode(&world.types, deep, &brackets).is_err());
}

#[test]
fn serde_types_are_values() {
    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Tag {
        weak: bool,
        opaque: String,
        age: Option<u64>,
    }
    let world = World::new();
    let tag = Tag { weak: true, opaque: "x".into(), age: Some(u64::MAX) };
    let value = from_serde(&world.types, world.id("tag"), &tag).unwrap();
    assert_eq!(to_serde::<Tag>(&world.types, world.id("tag"), &value).as_ref(), Ok(&tag));
    let error = from_serde(&world.types, world.id("tag"), &5).unwrap_err();
    assert_eq!(error.to_string(), "expected Tag (an object), found a number");
}

/// An object has the same value for every order and white space of its fields.
#[test]
fn fields_in_any_order_and_spacing() {
    let world = World::new();
    let fields = [("weak", "true"), ("opaque", "\"x\""), ("age", "5")];
    let expected = world.through("tag", r#"{"weak": true, "opaque": "x", "age": 5}"#);
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for [before, colon, comma] in [["", ":", ","], ["", ": ", ", "], ["", " :", " ,"], [" ", "\t: ", "\n,\r "]] {
            let text: Vec<String> =
                order.iter().map(|at| format!("{before}\"{}\"{colon}{}", fields[*at].0, fields[*at].1)).collect();
            assert_eq!(world.through("tag", &format!("{{{}}}", text.join(comma))), expected);
        }
        let twice: Vec<String> = order.iter().map(|at| format!("\"{}\": {}", fields[*at].0, fields[*at].1)).collect();
        let text = format!("{{{}, {}}}", twice.join(", "), twice[1]);
        assert!(world.through("tag", &text).unwrap_err().contains("stands twice"), "{text}");
    }
    // A name in backquotes may contain a quote, which JSON escapes.
    let mut types = Types::new();
    types.structs.push(StructDef { name: "Odd".into(), fields: vec![("a\"b".into(), INT)], open: false });
    let odd = types.intern(Type::Struct(0));
    assert!(decode(&types, odd, r#"{"a\"b": 1}"#).is_ok());
    assert!(decode(&types, odd, r#"{"a"b": 1}"#).is_err());
    let escaped = r#"{"we\u0061k": true, "opaque": "x", "age": 5}"#;
    assert_eq!(world.through("tag", escaped), expected);
}

#[test]
fn an_integer_has_no_point_and_no_exponent() {
    for text in ["1.5", "1.0", "1e3"] {
        let error = decode(&Types::new(), INT, text).unwrap_err().to_string();
        let written = "an integer is written without a point or an exponent, as in 1000";
        assert_eq!(error, format!("expected a whole number, found \"{text}\": {written}"));
    }
}
