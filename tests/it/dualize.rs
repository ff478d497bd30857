//! `mayhap dualize`: what it prints is kept beside the specifications' traces; `BLESS=1` writes it anew.

use std::path::Path;

use crate::command::{check, file, mayhap, run};

const SHOWN: &[&str] =
    &["cmp_rst", "cmp_rst_machine", "cmp_set", "cmp_set_machine", "counter", "register", "kv", "kv_etag", "idgen"];

#[test]
fn the_printed_validators_are_as_reviewed() {
    for name in SHOWN {
        let output = mayhap(&["dualize", &format!("specs/{name}.may")]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}");
        let actual = String::from_utf8(output.stdout).unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/dualize/{name}.txt"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &actual).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(actual, expected, "{name}");
    }
}

#[test]
fn the_havocked_number_is_the_choice_of_the_step() {
    let parts = ["#(vs!2) < q", "vs!2 := #x1", "vs!0 := #x1", "a = 1", "None left: REJECT"];
    check(&["dualize", "specs/cmp_rst_machine.may"], "", 0, &parts);
    check(&["dualize", "specs/cmp_set.may"], "", 0, &["q <= #(vs!n)", "a = 0", "vs!n := q"]);
}

#[test]
fn what_happens_by_itself_is_told() {
    let parts = ["by itself, any number of times before a request", "vs!n := choose int"];
    let text = "protocol p { request int; response int; var n: int = 0; on q { reply n; } step { n := choose int; } }";
    check(&["dualize", "-"], text, 0, &parts);
}

#[test]
fn texts_are_quoted_as_they_stand_and_comments_are_left_out() {
    let text = r#"protocol p { request string; response string; var m: map<string, string> = {};
        on q { // said of q
            m[q] := "a //  b"; // said of m
            if q == "no // comment" { reply m[q]; }
            reply "c";
        } }"#;
    let output = run(&["dualize", "-"], text);
    let shown = String::from_utf8(output.stdout).unwrap();
    for part in [r#"vs!m[q] := "a //  b" "#, r#"cs      q == "no // comment" "#, r#"!(q == "no // comment")"#] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    assert!(!shown.contains("said of"), "{shown}");
}

#[test]
fn what_stands_in_a_text_is_no_code() {
    // Path by path: braces in a text end no head, comparisons and numbers of variables in it are no comparison and no variable.
    let by_path = r##"protocol p { request string; response string;
        on q {
            if q == "x { y" { reply "#1"; } // " { said
            if len(q.split(" <= ")) <= 3 { reply "a // b"; }
            reply "#0";
        } }"##;
    let parts = [
        r#"line 3: if q == "x { y""#,
        r##"line 3: if q == "x { y" { reply "#1"; }"##,
        r#"cs      len(q.split(" <= ")) < 9 "#,
        r#"a = "a // b" "#,
        r##"a = "#0" "##,
    ];
    check(&["dualize", "-"], by_path, 0, &parts);
    // Statement by statement: words in a text are no choices.
    let by_statement = r#"protocol p { request string; response string; var m: map<string, string> = {};
        on q {
            let x = "either you choose" + (choose string);
            m[q] := "pick one" + "a // b"; // said of m
            reply either x or { let `choose` = "x { y"; `choose` };
        } }"#;
    let shown = String::from_utf8(run(&["dualize", "-"], by_statement).stdout).unwrap();
    let parts = [
        "    fresh   #x1 for `choose`\n    let     x = ",
        "\n    vs      vs!m[q] := \"pick one\" + \"a // b\"",
        "    fresh   #x1 for `either`\n",
        "a = either x or { let `choose` = \"x { y\"; `choose` }",
    ];
    for part in parts {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    assert_eq!(shown.matches("fresh   #x").count(), 2, "{shown}");
}

#[test]
fn all_shipped_specifications_can_be_shown() {
    let specs = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs")).unwrap();
    for path in specs.map(|entry| entry.unwrap().path()) {
        check(&["dualize", path.to_str().unwrap()], "", 0, &["validator ", "initially", "step ("]);
    }
}

#[test]
fn paths_that_do_not_end_and_requests_that_none_takes_are_told() {
    let endless = file("endless.may", "protocol p { request int; response int; on q { while q > 0 {} reply 0; } }");
    check(&["dualize", endless.to_str().unwrap()], "", 0, &["cs      q < 1", "it is followed no further here"]);
    let partial = "enum R { A, B } protocol p { request R; response int; on A { reply 1; } }";
    check(&["dualize", "-"], partial, 0, &["step (B, a)", "outside the specification"]);
    check(&["dualize", "-"], "protocol p {", 2, &["error"]);
    check(&["dualize", "nowhere.may"], "", 2, &["nowhere.may"]);
}
