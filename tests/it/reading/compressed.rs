//! Recordings that are compressed: read by their first bytes, whatever their name, and refused as a whole if they are damaged anywhere.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::command::{check, file, mayhap, simulated};

const SPEC: &str = "specs/kv.may";

/// A recording that is accepted, of some hundred lines.
fn recording() -> String {
    simulated(Path::new(SPEC), "--steps 300 --seed 3")
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Each format with its name, and what it makes of a text.
type Format = (&'static str, fn(&str) -> Vec<u8>);
const FORMATS: [Format; 2] = [("gzip", gzip), ("zstd", zstd)];

fn judge(name: &str, bytes: &[u8], code: i32, parts: &[&str]) {
    let path = file(name, bytes);
    check(&["validate", SPEC, path.to_str().unwrap()], "", code, parts);
}

#[test]
fn a_compressed_recording_has_the_verdict_and_the_reason_of_what_is_in_it() {
    let accepted = recording();
    let rejected = accepted.clone() + "{\"q\": {\"Get\": \"never\"}, \"a\": {\"Get\": [\"never\", \"x\"]}}\n";
    for (name, compress) in FORMATS {
        judge(&format!("accepted.{name}"), &compress(&accepted), 0, &["accept (300 events)"]);
        judge(
            &format!("plainly.ndjson.{name}"),
            &compress(&rejected),
            1,
            &["reject at line 301", "only {\"Get\": [\"never\", \"\"]}"],
        );
        // Several at once, one after another, and a history of another format.
        let (half, rest) = accepted.split_at(accepted[..accepted.len() / 2].rfind('\n').unwrap() + 1);
        judge(&format!("joined.{name}"), &[compress(half), compress(rest)].concat(), 0, &["accept (300 events)"]);
        let history =
            "{:process 0 :type :invoke :f :get :key :x}\n{:process 0 :type :ok :f :get :key :x :value \"\"}\n";
        judge(&format!("history.{name}"), &compress(history), 0, &["accept (2 events)"]);
        let path = file(&format!("converted.{name}"), compress(history));
        check(&["convert", path.to_str().unwrap()], "", 0, &["{\"c\": 0, \"q\": {\"Get\": \"x\"}}"]);
        judge(&format!("empty.{name}"), &compress(""), 2, &["no events, so nothing was tested"]);
    }
    judge("plain.gz", accepted.as_bytes(), 0, &["accept (300 events)"]);
}

#[test]
fn a_compressed_recording_may_come_from_a_pipe() {
    for (name, compress) in FORMATS {
        let path = file(&format!("piped.{name}"), compress(&recording()));
        let mut command = mayhap(&["validate", SPEC, "-"]);
        let output = command.stdin(std::fs::File::open(path).unwrap()).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("<stdin>: accept (300 events)"), "{output:?}");
    }
}

#[test]
fn what_stands_after_the_end_is_called_so() {
    for (name, compress) in FORMATS {
        let whole = compress(&recording());
        judge(&format!("twice.{name}"), &[&whole[..], &compress("\n")].concat(), 0, &["accept (300 events)"]);
        for (at, rubbish) in
            [&b"rubbish"[..], b"\0", b"\0\0\0\0\0\0\0\0\0\0\0\0", b"{\"q\": 5, \"a\": 1}\n"].iter().enumerate()
        {
            let why = format!("this {name} file is damaged: something that is no {name} stands after its end");
            judge(&format!("rubbish{at}.{name}"), &[&whole[..], rubbish].concat(), 2, &[&why]);
        }
    }
}

/// A verdict on the part of a recording that can be read would be one on something else.
#[test]
fn a_recording_that_is_damaged_or_cut_off_anywhere_has_no_verdict() {
    let rejected = "{\"q\": {\"Get\": \"x\"}, \"a\": {\"Get\": [\"x\", \"other\"]}}\n".to_owned() + &recording();
    for (name, compress) in FORMATS {
        let whole = compress(&rejected);
        judge(&format!("whole.{name}"), &whole, 1, &["reject at line 1"]);
        for length in [5, 20, whole.len() / 2, whole.len() - 1] {
            let why = format!("this {name} file is cut off: it ends in the middle of its data");
            judge(&format!("cut{length}.{name}"), &whole[..length], 2, &[&why]);
        }
        for at in [whole.len() / 3, whole.len() / 2, whole.len() - 6] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x11;
            let path = file(&format!("damaged{at}.{name}"), &damaged);
            let output = mayhap(&["validate", SPEC, path.to_str().unwrap()]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let is_told = said.contains(&format!("this {name} file is damaged")) || said.contains("is cut off");
            assert!(output.status.code() == Some(2) && is_told && output.stdout.is_empty(), "{output:?}");
        }
        judge(
            &format!("behind.{name}"),
            &[&whole[..], b"more than a header"].concat(),
            2,
            &[&format!("this {name} file is damaged")],
        );
    }
}
