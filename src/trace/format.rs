//! The formats of recordings, and their recognition by the first bytes.
//!
//! ```
//! use mayhap::trace::TraceFormat;
//! assert_eq!(TraceFormat::sniffed(b"{\"q\": 5, \"a\": 1}\n"), TraceFormat::Ndjson);
//! assert_eq!(TraceFormat::sniffed(b"[{:process 0, :type :invoke, :f :read}]"), TraceFormat::JepsenEdn);
//! assert_eq!(TraceFormat::sniffed(br#"[{"process": 0, "type": "invoke", "f": "read"}]"#), TraceFormat::JepsenJson);
//! assert_eq!(TraceFormat::sniffed(b"{ \"log\": {\"version\": \"1.2\""), TraceFormat::Har);
//! assert_eq!(TraceFormat::sniffed(b"{\"ClientId\": 0, \"Input\": 5, \"Call\": 1"), TraceFormat::Porcupine);
//! assert_eq!(TraceFormat::sniffed(b"INFO  jepsen.util - 0\t:invoke\t:read\tnil\n"), TraceFormat::JepsenLog);
//! ```

use super::line::is_meaningful;
use crate::json::Scanner;

/// A format of traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceFormat {
    /// The format of this program: one JSON object a line.
    #[default]
    Ndjson,
    /// A Jepsen history in EDN: maps in a vector, or one map after another.
    JepsenEdn,
    /// A Jepsen history whose operations are JSON objects.
    JepsenJson,
    /// The lines of `jepsen.log`.
    JepsenLog,
    /// A HAR file, as browsers and proxies write it.
    Har,
    /// Operations of Porcupine as JSON objects, as etcd's robustness tests write them.
    Porcupine,
}

impl TraceFormat {
    /// All formats.
    pub const ALL: [TraceFormat; 6] = [
        TraceFormat::Ndjson,
        TraceFormat::JepsenEdn,
        TraceFormat::JepsenJson,
        TraceFormat::JepsenLog,
        TraceFormat::Har,
        TraceFormat::Porcupine,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TraceFormat::Ndjson => "ndjson",
            TraceFormat::JepsenEdn => "jepsen-edn",
            TraceFormat::JepsenJson => "jepsen-json",
            TraceFormat::JepsenLog => "jepsen-log",
            TraceFormat::Har => "har",
            TraceFormat::Porcupine => "porcupine",
        }
    }

    /// The format of a trace that begins with these bytes; that of this program unless the bytes clearly show another.
    #[must_use]
    pub fn sniffed(begin: &[u8]) -> TraceFormat {
        let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
        let mut symbols = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b',');
        match (symbols.next(), symbols.next(), symbols.next()) {
            (Some(b'{'), Some(b':' | b';'), _) | (Some(b';' | b'('), _, _) => TraceFormat::JepsenEdn,
            (Some(b'[' | b'{'), ..) if begins_with(text, &["["], &["{", "\"ClientId\"", ":"]) => TraceFormat::Porcupine,
            // Its reader says that each event has a line of its own.
            (Some(b'['), Some(b'{'), Some(b'"')) if is_array_of_events(text) => TraceFormat::Ndjson,
            (Some(b'['), Some(b'{'), Some(b'"')) => TraceFormat::JepsenJson,
            (Some(b'{'), _, _) if begins_with(text, &[], &["{", "\"log\"", ":", "{"]) => TraceFormat::Har,
            (Some(b'{'), _, _) if is_operation(text) => TraceFormat::JepsenJson,
            (Some(b'{'), _, _) => TraceFormat::Ndjson,
            (Some(b'['), _, _) => TraceFormat::JepsenEdn,
            (Some(b'#'), Some(symbol), _) if symbol.is_ascii_alphabetic() || symbol == b'_' => TraceFormat::JepsenEdn,
            _ if has_word(text, b":invoke") => TraceFormat::JepsenLog,
            _ => TraceFormat::Ndjson,
        }
    }
}

/// Tests whether a text begins with a JSON object that has the key `type` of an operation, and no key of an event of this program.
fn is_operation(text: &[u8]) -> bool {
    let (keys, is_whole) = keys(text);
    is_whole && keys.iter().any(|key| key == "type") && !keys.iter().any(|key| is_ours(key))
}

/// Tests whether a text begins with an array whose first element has a key of an event of this program, and no key `type`.
fn is_array_of_events(text: &[u8]) -> bool {
    let Some(elements) = text.trim_ascii_start().strip_prefix(b"[") else { return false };
    let (keys, _) = keys(elements);
    keys.iter().any(|key| is_ours(key)) && !keys.iter().any(|key| key == "type")
}

/// Tests whether a key is one of an event of this program, and none of an operation of Jepsen.
fn is_ours(key: &str) -> bool {
    is_meaningful(key) && key != "key"
}

/// The keys of the JSON object with which a text begins, as far as they are there, and whether all are.
fn keys(text: &[u8]) -> (Vec<String>, bool) {
    let text = match str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    let (mut scanner, mut keys) = (Scanner::new(text), Vec::new());
    let read = scanner.several(b'{', b'}', |scanner| {
        keys.push(scanner.string()?.into_owned());
        scanner.expect(b':')?;
        scanner.skip().map(|_| ())
    });
    (keys, read.is_ok())
}

/// Tests whether a text begins with these words, with blanks between them; other words may come first.
fn begins_with(text: &[u8], perhaps: &[&str], words: &[&str]) -> bool {
    let mut rest = text.trim_ascii_start();
    let mut takes = |word: &&str| match rest.strip_prefix(word.as_bytes()) {
        Some(after) => {
            rest = after.trim_ascii_start();
            true
        }
        None => false,
    };
    perhaps.iter().for_each(|word| _ = takes(word));
    words.iter().all(takes)
}

/// Tests whether a word occurs in a text, between blanks.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    let is_blank = |at: usize| text.get(at).is_some_and(u8::is_ascii_whitespace);
    memchr::memmem::find_iter(text, word).any(|at| at > 0 && is_blank(at - 1) && is_blank(at + word.len()))
}
