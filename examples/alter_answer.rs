//! Copies a recording for `specs/memcached.may` or `specs/redis_strings.may`, with one answer altered.
//!
//! A number becomes another number; data becomes other data or none; a status another status of the same command; and a cas
//! unique is a little off. Most such copies must be rejected. A few are allowed, as the specification leaves servers some
//! freedom.
//!
//! ```text
//! cargo run --example alter_answer -- memcached.ndjson altered.ndjson --seed 3
//! ```
//!
//! Exit codes: 0 altered, 2 wrong usage, an unreadable recording, or none of its answers can be altered.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use mayhap::choice::{ChoiceError, Choices, Random};
use serde_json::{Value, json};

/// Copy a recording of memcached or Redis with one answer altered.
#[derive(Parser)]
struct Arguments {
    /// The recording
    recording: PathBuf,
    /// Where the altered copy goes
    copy: PathBuf,
    /// What decides which answer is altered, and how
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// An answer that was altered.
#[derive(Clone, Debug)]
pub struct Alteration {
    /// The line in the trace, from 1.
    pub line: usize,
    /// The line before the alteration.
    pub was: String,
    /// The line after the alteration.
    pub is: String,
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Alteration { line, was, is } = self;
        write!(f, "line {line} was {was}, and is {is}")
    }
}

/// Commands, with statuses that may replace each other.
const STATUSES: [(&[&str], &[&str]); 6] = [
    (&["Add", "Replace", "Append", "Prepend"], &["Stored", "NotStored"]),
    (&["Cas"], &["Stored", "Exists", "NotFound"]),
    (&["Delete"], &["Deleted", "NotFound"]),
    (&["Touch"], &["Touched", "NotFound"]),
    (&["Incr", "Decr"], &["NotFound", "NotANumber"]),
    (&["Incr", "Decr"], &["NotAnInteger", "Overflow"]),
];

/// Alters one answer of a trace. `None` if none of a hundred drawn lines has an answer that can be altered.
pub fn alter(trace: &str, choices: &mut impl Choices) -> Option<Alteration> {
    let lines: Vec<&str> = trace.lines().collect();
    (0..100).find_map(|_| {
        let index = choices.choose("line", lines.len()).ok()?;
        let is = altered(lines[index], choices)?;
        Some(Alteration { line: index + 1, was: lines[index].to_owned(), is })
    })
}

/// The line with another answer; `None` if no other answer makes sense.
fn altered(line: &str, choices: &mut impl Choices) -> Option<String> {
    let mut exchange: Value = serde_json::from_str(line).ok()?;
    let answer = another(&exchange["q"], &exchange["a"], choices).ok()??;
    exchange["a"] = answer;
    Some(exchange.to_string())
}

fn another(request: &Value, answer: &Value, choices: &mut impl Choices) -> Result<Option<Value>, ChoiceError> {
    let name = request.as_object().and_then(|request| request.keys().next()).map(String::as_str);
    Ok(if let Some(status) = answer.as_str() {
        other_status(name.unwrap_or_default(), status, choices)?
    } else if let Some(number) = answer["Number"].as_i64() {
        Some(json!({"Number": other_number(number, choices)?}))
    } else if let Some(entries) = answer["Values"].as_array() {
        Some(json!({"Values": other_entries(request, entries, choices)?}))
    } else if let Some(text) = answer.get("Text") {
        let other = text.as_str().map(|text| other_text(text, choices)).transpose()?;
        Some(json!({"Text": other.unwrap_or_else(|| Some("7".to_owned()))}))
    } else {
        None
    })
}

/// Another status that the command may have.
fn other_status(command: &str, status: &str, choices: &mut impl Choices) -> Result<Option<Value>, ChoiceError> {
    let Some((_, statuses)) = STATUSES.iter().find(|(names, all)| names.contains(&command) && all.contains(&status))
    else {
        return Ok(None);
    };
    let others: Vec<&str> = statuses.iter().copied().filter(|other| *other != status).collect();
    Ok(Some(json!(others[choices.choose("status", others.len())?])))
}

/// For 0 and 1 the other one of them; otherwise a neighbour of the number, or a number further away.
fn other_number(number: i64, choices: &mut impl Choices) -> Result<i64, ChoiceError> {
    Ok(match (number, choices.choose("number", 4)?) {
        (0 | 1, 0..3) => 1 - number,
        (_, 0 | 1) => number.saturating_add(1),
        (_, 2) => number.saturating_sub(1),
        _ => number.saturating_add(100),
    })
}

/// No text, or the text with something added or removed.
fn other_text(text: &str, choices: &mut impl Choices) -> Result<Option<String>, ChoiceError> {
    Ok(match choices.choose("text", 3)? {
        0 => None,
        1 if !text.is_empty() => Some(text.chars().skip(1).collect()),
        _ => Some(format!("{text}1")),
    })
}

/// The items without one, or with other data, flags or cas unique in one; if there are no items, an invented one.
fn other_entries(request: &Value, entries: &[Value], choices: &mut impl Choices) -> Result<Vec<Value>, ChoiceError> {
    let mut entries = entries.to_vec();
    let asked = request.get("Gets").or_else(|| request.get("Get"));
    if entries.is_empty() {
        let key = asked.map(|keys| keys[0].clone()).unwrap_or_default();
        let mut entry = json!({"key": key, "flags": 0, "data": "7"});
        if request.get("Gets").is_some() {
            entry["unique"] = json!(1 + choices.choose("unique", 1000)?);
        }
        return Ok(vec![entry]);
    }
    let place = choices.choose("entry", entries.len())?;
    match choices.choose("change of an entry", 4)? {
        0 => {
            entries.remove(place);
        }
        1 => entries[place]["flags"] = json!(entries[place]["flags"].as_u64().unwrap_or_default() ^ 1),
        2 if entries[place].get("unique").is_some() => {
            let unique = entries[place]["unique"].as_u64().unwrap_or_default();
            entries[place]["unique"] = json!((unique + choices.choose("unique", 3)? as u64 * 2).saturating_sub(1));
        }
        _ => {
            let data = entries[place]["data"].as_str().unwrap_or_default().to_owned();
            entries[place]["data"] = json!(other_text(&data, choices)?.unwrap_or_else(|| format!("{data} ")));
        }
    }
    Ok(entries)
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(alteration) => {
            eprintln!("alter_answer: {alteration}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("alter_answer: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Alteration, String> {
    let Arguments { recording, copy, seed } = arguments;
    let trace = fs::read_to_string(recording).map_err(|error| format!("{}: {error}", recording.display()))?;
    let alteration = alter(&trace, &mut Random::new(*seed))
        .ok_or_else(|| format!("{}: no answer can be altered", recording.display()))?;
    let lines = trace.lines().enumerate().map(|(index, line)| {
        let line = if index + 1 == alteration.line { &alteration.is } else { line };
        line.to_owned() + "\n"
    });
    fs::write(copy, lines.collect::<String>()).map_err(|error| format!("{}: {error}", copy.display()))?;
    Ok(alteration)
}
