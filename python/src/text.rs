//! Python objects as JSON text: what `json.dumps` would write, with a place for whatever has no such form.
//!
//! `{"Put": ("a", 1)}` becomes `{"Put": ["a", 1]}`. Integers may be of any size, and of any type that has `__index__`.

use crate::errors;
use mayhap::json::{quote, string_length};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use std::fmt::Write;

/// The most levels of nesting; deeper objects contain themselves, or are refused by the reader anyway.
const DEEPEST: usize = 200;

/// An object that has no form as JSON: the way to it, innermost step first, and the reason.
#[derive(Debug)]
pub struct Unfit {
    way: Vec<String>,
    why: String,
}

impl Unfit {
    /// A misfit of the object itself.
    pub fn new(why: impl Into<String>) -> Unfit {
        Unfit { way: Vec::new(), why: why.into() }
    }

    /// The misfit as one of the object around: `step` leads to the part, as in `['q']`.
    pub fn within(mut self, step: String) -> Unfit {
        self.way.push(step);
        self
    }

    /// The place, as an expression of Python, and the reason: `events[2]['q']: …`.
    pub fn said(&self, whole: &str) -> String {
        let way: String = self.way.iter().rev().map(String::as_str).collect();
        format!("{whole}{way}: {}", self.why)
    }
}

/// The step to the part with this key.
pub fn step(key: &str) -> String {
    format!("['{}']", key.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Appends an object as JSON.
///
/// # Errors
/// A part of it has no form as JSON.
pub fn write(out: &mut String, object: &Bound<'_, PyAny>) -> Result<(), Unfit> {
    part(out, object, 0)
}

fn part(out: &mut String, object: &Bound<'_, PyAny>, depth: usize) -> Result<(), Unfit> {
    if depth > DEEPEST {
        return Err(Unfit::new("nested too deeply"));
    }
    if let Ok(text) = object.cast::<PyString>() {
        string(out, text)
    } else if let Ok(truth) = object.cast::<PyBool>() {
        out.push_str(if truth.is_true() { "true" } else { "false" });
        Ok(())
    } else if object.is_instance_of::<PyInt>() {
        integer(out, object)
    } else if let Ok(dict) = object.cast::<PyDict>() {
        members(out, dict, depth)
    } else if let Ok(list) = object.cast::<PyList>() {
        elements(out, list.iter(), depth)
    } else if object.is_none() {
        out.push_str("null");
        Ok(())
    } else if let Ok(number) = object.cast::<PyFloat>() {
        float(out, number)
    } else if let Ok(tuple) = object.cast::<PyTuple>() {
        elements(out, tuple.iter(), depth)
    } else {
        other(out, object, depth)
    }
}

/// Appends an object of a less usual type.
fn other(out: &mut String, object: &Bound<'_, PyAny>, depth: usize) -> Result<(), Unfit> {
    if let Ok(set) = object.cast::<PySet>() {
        return elements(out, set.iter(), depth);
    }
    if let Ok(set) = object.cast::<PyFrozenSet>() {
        return elements(out, set.iter(), depth);
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return octets(out, bytes);
    }
    let name = type_name(object);
    if matches!(&*name, "numpy.bool" | "numpy.bool_") {
        let truth = object.is_truthy().map_err(|error| Unfit::new(errors::shown(object.py(), &error)))?;
        out.push_str(if truth { "true" } else { "false" });
        return Ok(());
    }
    if let Ok(index) = object.call_method0("__index__") {
        return integer(out, &index);
    }
    let hint = match name.rsplit('.').next() {
        Some("coroutine") => ": a coroutine that nobody awaited; asyncio.run(…) gives its result",
        Some("NAType" | "NaTType") => ": leave the key out where there is no value",
        _ => "",
    };
    Err(Unfit::new(format!(
        "{name} has no form as JSON{hint} (dict, list, tuple, set, str, bytes, bool, int and None have one)"
    )))
}

/// The name of the type of an object, with its module unless it is built in.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    let class = object.get_type();
    class.fully_qualified_name().map_or_else(|_| "this object".to_owned(), |name| name.to_string())
}

fn string(out: &mut String, text: &Bound<'_, PyString>) -> Result<(), Unfit> {
    let text = text.to_cow().map_err(|_| Unfit::new("a string with a lone surrogate, which is no text"))?;
    quote(out, &text);
    Ok(())
}

fn integer(out: &mut String, number: &Bound<'_, PyAny>) -> Result<(), Unfit> {
    match number.extract::<i64>() {
        Ok(small) => _ = write!(out, "{small}"),
        Err(_) => {
            let json = number.py().import("mayhap._json");
            let digits = json.and_then(|json| json.call_method1("digits", (number,))?.extract::<String>());
            out.push_str(&digits.map_err(|error| Unfit::new(errors::shown(number.py(), &error)))?);
        }
    }
    Ok(())
}

fn float(out: &mut String, object: &Bound<'_, PyFloat>) -> Result<(), Unfit> {
    if let Some(text) = kept_text(object) {
        out.push_str(&text);
        return Ok(());
    }
    let number = object.value();
    if !number.is_finite() {
        let shown = number.to_string().to_lowercase();
        let hint =
            if number.is_nan() { ": leave the key out where there is none (pandas writes NaN there)" } else { "" };
        return Err(Unfit::new(format!("{shown} is no value{hint}")));
    }
    _ = write!(out, "{number:?}");
    Ok(())
}

/// The text of a number that has kept it, as it came.
fn kept_text(object: &Bound<'_, PyFloat>) -> Option<String> {
    if object.is_exact_instance_of::<PyFloat>() {
        return None;
    }
    let class = object.py().import("mayhap._json").and_then(|json| json.getattr("Number")).ok()?;
    object.is_instance(&class).ok().filter(|is_one| *is_one)?;
    object.getattr("text").and_then(|text| text.extract()).ok()
}

fn octets(out: &mut String, bytes: &Bound<'_, PyBytes>) -> Result<(), Unfit> {
    match str::from_utf8(bytes.as_bytes()) {
        Ok(text) => quote(out, text),
        Err(_) => {
            let encoded = bytes.py().import("base64").and_then(|module| module.call_method1("b64encode", (bytes,)));
            let encoded = encoded.and_then(|encoded| encoded.call_method0("decode")?.extract::<String>());
            let encoded = encoded.map_err(|error| Unfit::new(errors::shown(bytes.py(), &error)))?;
            _ = write!(out, "{{\"$bytes\": \"{encoded}\"}}");
        }
    }
    Ok(())
}

fn elements<'py>(
    out: &mut String,
    elements: impl Iterator<Item = Bound<'py, PyAny>>,
    depth: usize,
) -> Result<(), Unfit> {
    out.push('[');
    for (at, element) in elements.enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        part(out, &element, depth + 1).map_err(|unfit| unfit.within(format!("[{at}]")))?;
    }
    out.push(']');
    Ok(())
}

/// Appends a dict: an object if its keys are strings, and else a list of pairs, which is the form of other maps.
fn members(out: &mut String, dict: &Bound<'_, PyDict>, depth: usize) -> Result<(), Unfit> {
    let is_object = dict.iter().all(|(key, _)| key.is_instance_of::<PyString>());
    out.push(if is_object { '{' } else { '[' });
    for (at, (key, value)) in dict.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        out.push_str(if is_object { "" } else { "[" });
        part(out, &key, depth + 1).map_err(|unfit| unfit.within(" (a key)".to_owned()))?;
        out.push_str(if is_object { ": " } else { ", " });
        part(out, &value, depth + 1).map_err(|unfit| {
            let key = key.repr().map(|text| text.to_string()).unwrap_or_default();
            unfit.within(format!("[{key}]"))
        })?;
        out.push_str(if is_object { "" } else { "]" });
    }
    out.push(if is_object { '}' } else { ']' });
    Ok(())
}

/// The way to the part of a JSON text at a character, as an expression of Python, and the text from there on: `['q'][2]`.
pub fn at(text: &str, character: usize) -> (String, &str) {
    let offset = text.char_indices().nth(character).map_or(text.len(), |(offset, _)| offset);
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next().filter(|_| text.len() - rest.len() < offset) {
        let length = if first == '"' { string_length(rest) } else { first.len_utf8() };
        match first {
            '{' => steps.push(Step::Key("", true)),
            '[' => steps.push(Step::Index(0)),
            '}' | ']' => _ = steps.pop(),
            '"' => {
                if let Some(Step::Key(key, true)) = steps.last_mut() {
                    *key = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
                }
            }
            ':' => steps.iter_mut().last().into_iter().for_each(Step::begin_value),
            ',' => steps.iter_mut().last().into_iter().for_each(Step::advance),
            _ => {}
        }
        rest = &rest[length..];
    }
    if rest.starts_with(['}', ']']) {
        // What is missing is missing in the whole.
        steps.pop();
    }
    (steps.iter().map(Step::shown).collect(), &text[offset..])
}

/// A step into an array, or into an object; there it is known whether the key is still to come.
enum Step<'t> {
    Index(usize),
    Key(&'t str, bool),
}

impl Step<'_> {
    fn begin_value(&mut self) {
        if let Step::Key(_, is_before) = self {
            *is_before = false;
        }
    }

    fn advance(&mut self) {
        match self {
            Step::Index(index) => *index += 1,
            Step::Key(key, is_before) => (*key, *is_before) = ("", true),
        }
    }

    fn shown(&self) -> String {
        match self {
            Step::Index(index) => format!("[{index}]"),
            Step::Key("", true) => String::new(),
            Step::Key(key, _) => step(key),
        }
    }
}

/// What a Python object of this JSON text may be that does not fit: a line of help, or nothing.
pub fn hint(found: &str) -> String {
    let word = found.split(|c: char| ",]} \n".contains(c)).next().unwrap_or_default();
    let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    if is_number && word.contains(['.', 'e', 'E']) {
        format!(
            "help: {word} is a float: where an integer is meant, write int(…), or give a column of pandas the type Int64\n"
        )
    } else if word == "null" {
        "help: null is None, or a missing value of pandas: it is the value none of an option; leave out the key of an event without value\n".to_owned()
    } else {
        String::new()
    }
}
