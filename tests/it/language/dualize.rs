//! `mayhap dualize`: what it prints is kept beside the specifications' traces; `BLESS=1` writes it anew.

use crate::command::{check, mayhap};
use crate::golden::{files, golden};
use crate::judge::root;

const SHOWN: &[&str] =
    &["cmp_rst", "cmp_rst_machine", "cmp_set", "cmp_set_machine", "counter", "register", "kv", "kv_etag", "idgen"];

#[test]
fn the_printed_validators_are_as_reviewed() {
    for name in SHOWN {
        let output = mayhap(&["dualize", &format!("specs/{name}.may")]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}");
        let actual = String::from_utf8(output.stdout).unwrap();
        golden(&root().join(format!("tests/data/dualize/{name}.txt")), &actual);
    }
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
    let parts = [
        "    fresh   #x1 for `choose`\n    let     x = ",
        "\n    vs      vs!m[q] := \"pick one\" + \"a // b\"",
        "    fresh   #x1 for `either`\n",
        "a = either x or { let `choose` = \"x { y\"; `choose` }",
    ];
    check(&["dualize", "-"], by_statement, 0, &parts);
}

#[test]
fn all_shipped_specifications_can_be_shown() {
    for (path, _) in files("specs", "may") {
        let of_clients_that_wait = &["validator ", "initially", "step ("][..];
        let (code, shown) = match path.parent().is_some_and(|folder| folder.ends_with("network")) {
            true => (2, &["not possible over the synchronous network"][..]),
            false => (0, of_clients_that_wait),
        };
        check(&["dualize", path.to_str().unwrap()], "", code, shown);
    }
}
