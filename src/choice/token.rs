//! Runs and searches as texts to copy and paste: they have no spaces, nothing that a shell changes, and a checksum.
//!
//! A token has its kind, the labels, the steps and the checksum: `c1:die:0.6.5_0.6.2:4f1b2c` is a run that throws a 6 and a 3. A step is
//! the index of its label, its arity and its pick; a step of a search also has its end; `x9` repeats a step.
//!
//! ```
//! use mayhap_choice::{Step, token};
//! let run = vec![Step { label: "which way", arity: 3, pick: 2 }; 4];
//! let text = token::write(&run);
//! assert!(text.starts_with("c1:which+way:0.3.2x4:"));
//! assert_eq!(token::read(&text), Ok(run));
//! assert!(token::read(&text[1..]).is_err());
//! ```

use super::{Label, Step, label};
use std::fmt::{self, Write};

/// The largest number of steps in a token, which bounds the memory for reading a malicious one.
const MAX_STEPS: usize = 10_000_000;

const RUN: &str = "c1";
const SEARCH: &str = "s1";
const DONE: &str = "s1-done";

/// The reason why a text is no token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TokenError {
    /// The text is no token of this crate.
    NoToken,
    /// A run where a search is expected, or the other way round.
    OtherKind,
    /// The token was changed or cut off.
    Damaged,
    /// The token is from a program that asks for other choices.
    OtherProgram,
    /// The program interrupted its first run, so that it cannot be compared with the token.
    Interrupted,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TokenError::NoToken => "this is no token: one begins with `c1:` (a run) or `s1:` (a search)",
            TokenError::OtherKind => "this is a token of another kind: a run's begins with `c1:`, a search's with `s1`",
            TokenError::OtherProgram => {
                "the program has changed since the search was saved: its first run asks for something else"
            }
            TokenError::Interrupted => "interrupted before the search that was saved went on",
            TokenError::Damaged => "the token is damaged: its checksum does not fit, is all of it there?",
        })
    }
}

impl std::error::Error for TokenError {}

/// The token of a run.
#[must_use]
pub fn write(run: &[Step]) -> String {
    encode(RUN, run.iter().map(|step| (*step, None)), None)
}

/// The run in a token.
///
/// # Errors
/// The text is no token of a run.
pub fn read(text: &str) -> Result<Vec<Step>, TokenError> {
    let (kind, parts, _) = decode(text)?;
    let run = parts.into_iter().map(|(step, end)| end.is_none().then_some(step)).collect::<Option<_>>();
    if kind == RUN { run.ok_or(TokenError::Damaged) } else { Err(TokenError::OtherKind) }
}

/// A search between two runs: the decided prefix, the alternative at which it ends at each step, and the shape of its first run.
pub(super) struct Saved {
    pub run: Vec<Step>,
    pub ends: Vec<usize>,
    pub shape: Option<u32>,
    pub done: bool,
}

pub(super) fn write_search(Saved { run, ends, shape, done }: Saved) -> String {
    encode(if done { DONE } else { SEARCH }, run.into_iter().zip(ends.into_iter().map(Some)), shape)
}

pub(super) fn read_search(text: &str) -> Result<Saved, TokenError> {
    let (kind, parts, shape) = decode(text)?;
    if kind == RUN {
        return Err(TokenError::OtherKind);
    }
    let parts = parts.into_iter().map(|(step, end)| Some((step, end?))).collect::<Option<Vec<_>>>();
    let (run, ends) = parts.ok_or(TokenError::Damaged)?.into_iter().unzip();
    Ok(Saved { run, ends, shape, done: kind == DONE })
}

/// A hash of the labels and arities of a run, whatever its picks.
#[cold]
#[inline(never)]
pub(super) fn shape(run: &[Step]) -> u32 {
    folded(run.iter().flat_map(|step| step.label.bytes().chain(step.arity.to_le_bytes())))
}

fn encode(kind: &str, steps: impl Iterator<Item = BoundedStep>, shape: Option<u32>) -> String {
    let (mut labels, mut text): (Vec<Label>, _) = (Vec::new(), String::new());
    let mut steps = steps.peekable();
    while let Some((step, end)) = steps.next() {
        let number = labels.iter().position(|known| *known == step.label).unwrap_or_else(|| {
            labels.push(step.label);
            labels.len() - 1
        });
        let mut times = 1;
        while steps.next_if_eq(&(step, end)).is_some() {
            times += 1;
        }
        let separator = if text.is_empty() { "" } else { "_" };
        _ = write!(text, "{separator}{number}.{}.{}", step.arity, step.pick);
        _ = end.map(|end| write!(text, ".{end}"));
        _ = (times > 1).then(|| write!(text, "x{times}"));
    }
    let labels: Vec<String> = labels.into_iter().map(escaped).collect();
    let shape = shape.map(|shape| format!(":{shape:06x}")).unwrap_or_default();
    let body = format!("{kind}:{}:{text}{shape}", labels.join(","));
    format!("{body}:{:06x}", checksum(&body))
}

/// A step, in a search with the alternative at which the search ends there.
type BoundedStep = (Step, Option<usize>);

/// The kind of a token, its steps, and the shape of a search's first run.
fn decode(text: &str) -> Result<(&str, Vec<BoundedStep>, Option<u32>), TokenError> {
    let text = text.trim();
    let kind = text.split(':').next().filter(|kind| [RUN, SEARCH, DONE].contains(kind)).ok_or(TokenError::NoToken)?;
    let (body, sum) = text.rsplit_once(':').ok_or(TokenError::Damaged)?;
    if format!("{:06x}", checksum(body)) != sum {
        return Err(TokenError::Damaged);
    }
    fields(body).map(|(parts, shape)| (kind, parts, shape)).ok_or(TokenError::Damaged)
}

fn fields(body: &str) -> Option<(Vec<BoundedStep>, Option<u32>)> {
    let mut fields = body.split(':').skip(1);
    let (labels, text) = (fields.next()?, fields.next()?);
    let labels: Vec<Label> = labels.split(',').filter(|text| !text.is_empty()).map(unescaped).collect::<Option<_>>()?;
    let mut steps = Vec::new();
    for part in text.split('_').filter(|part| !part.is_empty()) {
        let (step, times) = part.split_once('x').unwrap_or((part, "1"));
        let numbers: Vec<usize> = step.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let (&[number, arity, pick], end) = (numbers.get(..3)?, numbers.get(3)) else { return None };
        let times = times.parse().ok().filter(|times| steps.len().checked_add(*times) <= Some(MAX_STEPS))?;
        let fits = pick < arity && end.is_none_or(|end| pick < *end && *end <= arity) && numbers.len() <= 4;
        let step = Step { label: labels.get(number)?, arity, pick };
        steps.extend(fits.then(|| std::iter::repeat_n((step, end.copied()), times))?);
    }
    let shape = fields.next().map(|shape| u32::from_str_radix(shape, 16)).transpose().ok()?;
    Some((steps, shape))
}

/// A label in a token: letters, digits, `-` and characters outside of ASCII stay; a space is `+`, others are `%` and two digits.
fn escaped(label: Label) -> String {
    let mut text = String::new();
    for c in label.chars() {
        match c {
            ' ' => text.push('+'),
            c if c.is_alphanumeric() || c == '-' => text.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| _ = write!(text, "%{byte:02x}")),
        }
    }
    text
}

fn unescaped(text: &str) -> Option<Label> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            byte => byte,
        });
    }
    label(&String::from_utf8(bytes).ok()?).ok()
}

fn checksum(text: &str) -> u32 {
    folded(text.bytes())
}

/// The 32-bit FNV-1a hash of Fowler, Noll and Vo, folded to 24 bits.
fn folded(bytes: impl Iterator<Item = u8>) -> u32 {
    let hash = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 24) & 0x00ff_ffff
}
