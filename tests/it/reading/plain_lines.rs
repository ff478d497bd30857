//! Lines as most programs write them are read in a way of their own: every line gives the same exchange, or the same error
//! at the same place, as when it is read in full.
//!
//! Lines of every shipped specification are taken apart, damaged and written otherwise: `{"q": {"Get": {"key": "a"}}, …`
//! without spaces, its keys in another order, a part replaced by a hole, a quote lost, cut off in the middle.

use std::sync::{Arc, LazyLock};

use crate::command::simulated;
use crate::judge::{compiled, text};
use crate::random::{Rng, is_long, rounds};
use crate::reading::bytes::pieces;
use crate::shipped;
use mayhap::json::{self, JsonError};
use mayhap::judge::Observed;
use mayhap::reading::{Events, Exchanges, FormatRules};
use mayhap::trace::{EventKind, Raw, Response, TraceError, TraceEvent, TraceFormat, TraceLine, TraceReader};
use mayhap::value::Value;
use mayhap::{Exchange, Spec};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as Json;

/// A specification and lines of its traces.
type World = (Arc<Spec>, Vec<String>);

static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| {
    let odd =
        (compiled(&text("tests/data/odd.may")), text("tests/data/odd.ndjson").lines().map(str::to_owned).collect());
    let simulated = shipped::all().into_iter().map(|shipped| {
        let trace = simulated(&shipped.path, "--steps 100 --seed 5");
        (shipped.compile().expect("it compiles"), trace.lines().map(str::to_owned).collect())
    });
    simulated.chain([odd]).collect()
});

/// The second exchange by the plain algorithm: the line as a whole, then its query and its answer.
fn in_full(spec: &Spec, trace: &[u8]) -> Result<Option<Exchange>, TraceError> {
    let mut reader = TraceReader::new(trace);
    reader.next_line()?;
    let decoded = match reader.next_line()? {
        None => return Ok(None),
        Some(line) => exchange(spec, &line),
    };
    decoded.map(Some).map_err(|error| reader.error_at(error.offset, error.to_string()))
}

fn exchange(spec: &Spec, line: &TraceLine) -> Result<Exchange, JsonError> {
    let EventKind::Exchange { query, reply } = &line.event.kind else { return Err(JsonError::new(0, "no exchange")) };
    let (types, program) = (&spec.types, &spec.program);
    let request =
        json::decode_recorded(types, program.request, query.text).map_err(|error| error.shifted_by(query.offset))?;
    let observed = match reply {
        Response::NotOwed => Observed::Nothing,
        Response::Lost => Observed::Lost,
        Response::Answer(answer) => match json::decode_recorded(types, program.response, answer.text) {
            Ok(Value::Any) => Observed::Any,
            Ok(value) => Observed::Answer(value),
            Err(error) => return Err(error.shifted_by(answer.offset)),
        },
    };
    Ok(Exchange { line: line.event.line, client: line.event.client.unwrap_or(1), request, observed })
}

/// Whether both ways read a line as an exchange, which is then the same, as the error would be. It stands after another line,
/// since the first one of a trace is always read in full: it may be the header.
fn same((spec, lines): &World, line: &[u8]) -> bool {
    let trace = [lines[0].as_bytes(), b"\n", line].concat();
    let mut exchanges = Exchanges::new(spec, trace.as_slice());
    assert!(matches!(exchanges.next_exchange(), Ok(Some(_))), "{}", lines[0]);
    let (read, plain) = (exchanges.next_exchange(), in_full(spec, &trace));
    let shown = || String::from_utf8_lossy(line);
    match (&read, &plain) {
        (Err(read), Err(plain)) if plain.message == "no exchange" => {
            assert!(read.message.starts_with("expected a whole exchange"), "{}: {read}", shown());
        }
        _ => assert_eq!(read, plain, "{}", shown()),
    }
    with_clients(line).iter().for_each(|line| same_event(spec, &lines[0], line));
    read.is_ok_and(|exchange| exchange.is_some())
}

/// The line itself, with a client, and its request and its answer on lines of their own.
fn with_clients(line: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = vec![line.to_vec()];
    for (begin, answer) in [("{\"c\": 7, ", ", \"a\": "), ("{\"c\":7,", ",\"a\":"), ("{\"c\": 007, ", ", \"a\": ")] {
        let behind = line.get(1..).unwrap_or_default();
        lines.push([begin.as_bytes(), behind].concat());
        if let Some(at) = behind.windows(answer.len()).rposition(|octets| octets == answer.as_bytes()) {
            lines.push([begin.as_bytes(), &behind[..at], b"}"].concat());
            lines.push([begin.trim_end_matches([',', ' ']).as_bytes(), &behind[at..]].concat());
        }
    }
    lines
}

/// Tests that the event of a line is the same, or the error is, as where it is read in full.
fn same_event(spec: &Arc<Spec>, first: &str, line: &[u8]) {
    let trace = [first.as_bytes(), b"\n", line].concat();
    let mut events = Events::open(spec, trace.as_slice(), TraceFormat::Ndjson, FormatRules::default());
    assert!(matches!(events.next_event(), Ok(Some(_))), "{first}");
    let mut reader = TraceReader::new(trace.as_slice());
    assert!(matches!(reader.next_line(), Ok(Some(_))), "{first}");
    let plain = match reader.next_line() {
        Ok(Some(line)) if matches!(line.event.kind, EventKind::Peer(_)) => return,
        Ok(line) => line.map(|line| event(spec, &line)).transpose(),
        Err(error) => return assert_eq!(events.next_event(), Err(error), "{}", String::from_utf8_lossy(line)),
    };
    let plain = plain.map_err(|error| reader.error_at(error.offset, error.to_string()));
    assert_eq!(events.next_event(), plain, "{}", String::from_utf8_lossy(line));
}

fn event(spec: &Spec, line: &TraceLine) -> Result<TraceEvent<Value>, JsonError> {
    let of =
        |ty, raw: &Raw| json::decode_recorded(&spec.types, ty, raw.text).map_err(|error| error.shifted_by(raw.offset));
    let (request, response) = (spec.program.request, spec.program.response);
    let kind = match &line.event.kind {
        EventKind::Request(query) => EventKind::Request(of(request, query)?),
        EventKind::Answer(answer) => EventKind::Answer(of(response, answer)?),
        EventKind::Lost => EventKind::Lost,
        EventKind::Closed => EventKind::Closed,
        EventKind::Exchange { query, reply } => EventKind::Exchange {
            query: of(request, query)?,
            reply: match reply {
                Response::Answer(answer) => Response::Answer(of(response, answer)?),
                Response::NotOwed => Response::NotOwed,
                Response::Lost => Response::Lost,
            },
        },
        other => panic!("{other:?} is no event of a client"),
    };
    Ok(TraceEvent { line: line.event.line, client: line.event.client, kind })
}

/// One change of a line.
#[derive(Clone, Debug)]
enum Damage {
    Octet(u8),
    Piece(String),
    Removed(usize),
    Twice(usize),
    CutOff,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<u8>().prop_map(Damage::Octet),
        proptest::sample::select(pieces("damage")).prop_map(Damage::Piece),
        (1usize..9).prop_map(Damage::Removed),
        (1usize..40).prop_map(Damage::Twice),
        Just(Damage::CutOff),
    ]
}

impl Damage {
    fn done(&self, line: &mut Vec<u8>, at: usize) {
        let at = at % line.len().max(1);
        let end = |length: usize| (at + length).min(line.len());
        match self {
            Damage::Octet(octet) => line.splice(at..end(1), [*octet]).for_each(drop),
            Damage::Piece(piece) => line.splice(at..at, piece.bytes()).for_each(drop),
            Damage::Removed(length) => line.drain(at..end(*length)).for_each(drop),
            Damage::Twice(length) => {
                let part = line[at..end(*length)].to_vec();
                line.splice(at..at, part).for_each(drop);
            }
            Damage::CutOff => line.truncate(at),
        }
    }
}

/// A change of what a line says.
#[derive(Clone, Debug)]
enum Change {
    /// The members of an object change places.
    Turned(usize),
    /// A member of an object is left out.
    Left(usize),
    Replaced(String),
    /// In `{"$lit": …}`.
    Literal,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (1usize..5).prop_map(Change::Turned),
        any::<usize>().prop_map(Change::Left),
        proptest::sample::select(pieces("parts")).prop_map(Change::Replaced),
        Just(Change::Literal),
    ]
}

impl Change {
    /// Changes the part of so much number in the order in which they stand; what is left to be counted.
    fn done(&self, part: &mut Json, left: &mut usize) {
        if *left == 0 {
            self.done_here(part);
        }
        *left = left.wrapping_sub(1);
        match part {
            Json::Array(parts) => parts.iter_mut().for_each(|part| self.done(part, left)),
            Json::Object(parts) => parts.iter_mut().for_each(|(_, part)| self.done(part, left)),
            _ => {}
        }
    }

    fn done_here(&self, part: &mut Json) {
        match (self, part) {
            (Change::Turned(by), Json::Object(parts)) => {
                let mut members: Vec<_> = std::mem::take(parts).into_iter().collect();
                let by = by % members.len().max(1);
                members.rotate_left(by);
                parts.extend(members);
            }
            (Change::Left(at), Json::Object(parts)) if !parts.is_empty() => {
                let at = at % parts.len();
                *parts =
                    std::mem::take(parts).into_iter().enumerate().filter(|(n, _)| *n != at).map(|(_, p)| p).collect();
            }
            (Change::Replaced(text), part) => *part = serde_json::from_str(text).expect("JSON"),
            (Change::Literal, part) => *part = serde_json::json!({ "$lit": part }),
            (Change::Turned(_) | Change::Left(_), _) => {}
        }
    }
}

/// How commas, colons and strings are written.
#[derive(Clone, Copy, Debug)]
struct Style {
    comma: &'static str,
    colon: &'static str,
    escaped: bool,
}

fn style() -> impl Strategy<Value = Style> {
    let texts = proptest::sample::select(&[(", ", ": "), (",", ":"), (" ,", " :\t"), (", ", ":")][..]);
    (texts, prop::bool::weighted(0.1)).prop_map(|((comma, colon), escaped)| Style { comma, colon, escaped })
}

impl Style {
    fn write(self, json: &Json, out: &mut String) {
        match json {
            Json::Object(parts) => {
                let parts = parts.iter().map(|(key, part)| (Some(key.as_str()), part));
                self.bracketed(["{", "}"], parts, out);
            }
            Json::Array(parts) => self.bracketed(["[", "]"], parts.iter().map(|part| (None, part)), out),
            Json::String(text) => self.string(text, out),
            Json::Null | Json::Bool(_) | Json::Number(_) => *out += &json.to_string(),
        }
    }

    fn bracketed<'j>(
        self,
        [open, close]: [&str; 2],
        parts: impl Iterator<Item = (Option<&'j str>, &'j Json)>,
        out: &mut String,
    ) {
        *out += open;
        for (number, (key, part)) in parts.enumerate() {
            *out += if number > 0 { self.comma } else { "" };
            if let Some(key) = key {
                self.string(key, out);
                *out += self.colon;
            }
            self.write(part, out);
        }
        *out += close;
    }

    fn string(self, text: &str, out: &mut String) {
        match text.chars().next().filter(|first| self.escaped && first.is_ascii_alphanumeric()) {
            Some(first) => *out += &format!("\"\\u{:04x}{}", u32::from(first), &json::quoted(&text[1..])[1..]),
            None => *out += &json::quoted(text),
        }
    }
}

/// Which line of which world.
fn line() -> impl Strategy<Value = (usize, String)> {
    (any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(world, line)| {
        let world = world.index(WORLDS.len());
        let lines = &WORLDS[world].1;
        (world, lines[line.index(lines.len())].clone())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn damaged_lines((world, line) in line(), damages in vec((damage(), any::<usize>()), 0..3), style in style()) {
        let mut text = String::new();
        style.write(&serde_json::from_str(&line).unwrap(), &mut text);
        let mut text = text.into_bytes();
        damages.iter().for_each(|(damage, at)| damage.done(&mut text, *at));
        same(&WORLDS[world], &text);
    }

    #[test]
    fn lines_that_say_something_else((world, line) in line(), changes in vec((change(), 0usize..12), 0..4), style in style()) {
        let mut json: Json = serde_json::from_str(&line).unwrap();
        changes.iter().for_each(|(change, at)| change.done(&mut json, &mut at.clone()));
        let mut text = String::new();
        style.write(&json, &mut text);
        same(&WORLDS[world], text.as_bytes());
    }
}

/// `MAYHAP_LONG` is how many thousands are tried.
fn cases() -> u32 {
    u32::try_from(rounds(5)).expect("some thousands") * 1_000
}

/// One of this number of lines is taken; with `MAYHAP_LONG`, one of a smaller number.
fn one_of(usual: usize, long: usize) -> usize {
    if is_long() { long } else { usual }
}

#[test]
fn every_line_in_every_style() {
    for world in WORLDS.iter() {
        for line in world.1.iter().step_by(one_of(4, 1)) {
            let json: Json = serde_json::from_str(line).unwrap();
            for (comma, colon) in [(", ", ": "), (",", ":"), (" ,", " :\t"), (", ", ":")] {
                let mut text = String::new();
                Style { comma, colon, escaped: false }.write(&json, &mut text);
                assert!(same(world, text.as_bytes()), "{text}");
                assert!(comma != ", " || colon != ": " || text == *line, "{text}");
            }
        }
    }
}

/// Each octet of a line is lost, stands twice, or is another one.
#[test]
fn every_octet_damaged() {
    let damages = [Damage::Removed(1), Damage::Twice(1), Damage::Octet(b'}'), Damage::Octet(b'"')];
    for world in WORLDS.iter() {
        for line in world.1.iter().step_by(one_of(300, 30)) {
            let compact = serde_json::from_str::<Json>(line).unwrap().to_string();
            for text in [line, &compact] {
                for (damage, at) in damages.iter().flat_map(|damage| (0..text.len()).map(move |at| (damage, at))) {
                    let mut text = text.clone().into_bytes();
                    damage.done(&mut text, at);
                    same(world, &text);
                }
            }
        }
    }
}

/// Strings and numbers of every length, with every kind of octet at every place.
#[test]
fn every_length() {
    let world = WORLDS.last().unwrap();
    let line = |text: &str, number: &str| {
        let texts = format!("{{\"text\": {text}, \"token\": {text}, \"octets\": {text}, \"number\": {number}}}");
        format!("{{\"q\": {{\"Texts\": {texts}}}, \"a\": [null, [{number}, {text}, {number}], {{\"Sort\": []}}]}}")
    };
    // The last ones are those around the words of a machine.
    let few = |length: &usize| is_long() || *length < 4 || matches!(*length, 7..10 | 15..20);
    for length in (0..20).filter(few) {
        for odd in ["", "a", "\"", "\\", "\\n", "\n", "\u{1}", "\u{7f}", "é", "\u{2028}", "😀"] {
            for at in 0..=length {
                let text = format!("\"{}{odd}{}\"", "x".repeat(at), "y".repeat(length - at));
                let is_text = !matches!(odd, "\"" | "\\" | "\n" | "\u{1}");
                // A backslash may go together with what follows it.
                assert!(same(world, line(&text, "1").as_bytes()) == is_text, "{text}");
            }
        }
        for sign in ["", "-", "+", "0", "-0"] {
            for behind in ["", ".", ".0", "e", "e0", "E1", "x", " ", "\"", "\u{0}", "é"] {
                let digits: String = "98765432101234567890".chars().take(length).collect();
                let number = format!("{sign}{digits}{behind}");
                let is_number = sign.len() + length > 0 && serde_json::from_str::<i128>(&number).is_ok();
                assert!(same(world, line("\"\"", &number).as_bytes()) == is_number, "{number}");
            }
        }
    }
}

/// Whatever was read before, and however lines arrive, each is read as it is by itself.
#[test]
fn lines_one_after_another() {
    let (spec, lines) = WORLDS.last().unwrap();
    let mut random = Rng::new(1);
    let mut texts = || {
        let letters: String = (0..random.below(18)).map(|_| *random.pick(&['a', 'é'])).collect();
        format!("{letters}{}", random.below(40))
    };
    let mut trace = format!("{}\n", lines[0]);
    for _ in 0..20_000 {
        let (text, token): (String, String) = (texts(), texts());
        let texts = format!("{{\"text\": \"{text}\", \"token\": \"{token}\", \"octets\": \"{text}\", \"number\": 1}}");
        trace += &format!("{{\"q\": {{\"Texts\": {texts}}}, \"a\": [null, [\"{token}\", \"\"], {{\"Sort\": []}}]}}\n");
    }
    for capacity in [100, 4_000, 1 << 18] {
        let input = || std::io::BufReader::with_capacity(capacity, trace.as_bytes());
        let (mut exchanges, mut reader) = (Exchanges::new(spec, input()), TraceReader::new(input()));
        for number in 0..20_001 {
            let read = exchanges.next_exchange().unwrap();
            assert_eq!(read, reader.next_line().unwrap().map(|line| exchange(spec, &line).unwrap()), "{number}");
            assert!(read.is_some());
        }
        assert_eq!((exchanges.next_exchange(), exchanges.position()), (Ok(None), reader.position()));
    }
}

/// What is nested as deeply as a value may be, and one level more.
#[test]
fn depth() {
    let world = WORLDS.last().unwrap();
    let around = |depth: usize, (open, inside, close): (&str, &str, &str)| {
        format!(
            "{{\"q\": {{\"Grow\": {}{inside}{}}}, \"a\": [null, [], {{\"Sort\": []}}]}}",
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    let ways = [
        ("{\"One\": ", "\"Leaf\"", "}"),
        ("{\"Two\": [1, ", "null", "]}"),
        ("{\"Two\": [1, ", "\"Leaf\"", "]}"),
        ("{\"Many\": [", "", "]}"),
        ("{\"Many\": [", "\"Leaf\"", "]}"),
    ];
    for way in ways {
        let is_read = |depth: usize| same(world, around(depth, way).as_bytes());
        // In great steps to where it is too deep, and then each depth in between.
        let step = one_of(16, 1);
        let rough: Vec<(usize, bool)> = (240..530).step_by(step).map(|depth| (depth, is_read(depth))).collect();
        assert!(rough.is_sorted_by(|a, b| a.1 >= b.1) && rough[0].1 && !rough[rough.len() - 1].1, "{way:?}");
        let deepest = rough.iter().rfind(|(_, read)| *read).expect("the first one").0;
        let read = (deepest..=deepest + step).map(is_read).collect::<Vec<_>>();
        assert!(read.is_sorted_by(|a, b| a >= b) && read[0] && !read[step], "{way:?}");
    }
}
