//! Values that are known from the specification alone: small ones first, then larger ones, and those at its boundaries.
//!
//! If a specification says `len(data) > 1024`, texts of 1023, 1024 and 1025 characters are among those that are drawn.

use std::sync::Arc;

use crate::choice::{ChoiceError, Choices};
use crate::scalar::{Int, Json, Scalar, Sort};
use crate::server::ListedValues;
use crate::spec::Spec;
use crate::spec::code::{Op, Unary};
use crate::value::Value;

/// The most characters of a drawn text.
const LONGEST: i64 = 1 << 21;
/// The most bytes of texts that most runs draw; longer ones are drawn in few runs.
const LONG: usize = 300;
/// The number of the greatest powers of two to which most long texts are near.
const GREAT: usize = 2;
/// The most constants of a specification that are used.
const CONSTANTS: usize = 64;
/// Texts that are or resemble integers.
const DIGITS: [&str; 14] = [
    "0",
    "1",
    "2",
    "7",
    "10",
    "99",
    "-1",
    "007",
    "+1",
    "1 ",
    "-0",
    "1x",
    "18446744073709551615",
    "9223372036854775807",
];
/// Texts that programs often mishandle when they quote, split, count or store texts.
const AWKWARD: [&str; 12] = [" ", "\"", "\\", "'", "\n", "\0", "%", "/", "a b", "é", "日本", "😀"];
/// Bytes that are no text, or end one.
const OCTETS: [&[u8]; 5] = [b"\x80", b"\xff\xfe", b"\0", b"\r\n", b"\xc3"];
/// JSON values.
const JSON: [&str; 8] = ["null", "0", "1", "\"a\"", "\"b\"", "[]", "{\"a\": 1}", "{\"a\": 1, \"b\": [2]}"];

/// The values that are drawn if nothing else is known.
#[derive(Debug, Default)]
pub(crate) struct ValueDomain {
    /// The integers of the specification, and their neighbours.
    integers: Vec<Int>,
    /// The texts of the specification.
    texts: Vec<Arc<str>>,
    /// The octets of the specification.
    octets: Vec<Arc<[u8]>>,
    /// The lengths that may matter to the specification.
    lengths: Vec<usize>,
    /// Set if the specification reads texts as integers.
    reads_integers: bool,
    /// The most characters of a long text, unless the specification names a greater length.
    largest: usize,
}

/// The sizes of the values in a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum ValueSizes {
    /// Small integers and short texts, with few exceptions.
    #[default]
    Small,
    /// Values at the boundaries, too.
    Any,
    /// Texts of any length, too.
    Long,
}

impl ValueDomain {
    /// The values of a specification: those in its instructions, and its computed constants, without those listed for fields.
    pub fn of(spec: &Spec, computed: &[Value], listed: &ListedValues, largest: usize) -> ValueDomain {
        let mut domain = ValueDomain { largest, ..ValueDomain::default() };
        let code = spec.program.functions.iter().flat_map(|function| &function.code);
        domain.reads_integers = code.map(Op::plain).any(|op| matches!(op, Op::Unary { op: Unary::ToInt, .. }));
        let constants = spec.program.constants.iter().chain(computed);
        constants.filter(|constant| !listed.has(constant)).for_each(|constant| domain.take(constant));
        domain.integers.sort();
        domain.integers.dedup();
        domain.lengths.sort_unstable();
        domain.lengths.dedup();
        domain.texts.sort();
        domain.texts.dedup();
        domain
    }

    fn take(&mut self, constant: &Value) {
        match constant {
            Value::Scalar(Scalar::Int(int)) if self.integers.len() < CONSTANTS => {
                self.integers.extend([int.sub(&Int::ONE), int.clone(), int.add(&Int::ONE)]);
                let length = int.to_i64().filter(|length| (2..LONGEST).contains(length));
                self.lengths
                    .extend(length.into_iter().flat_map(|length| [length - 1, length, length + 1]).map(|n| n as usize));
            }
            Value::Scalar(Scalar::Str(text)) if self.texts.len() < CONSTANTS => {
                self.texts.push(text.clone());
                if text.chars().count() > 1 {
                    self.take(&Value::from(text.chars().count() as i64));
                }
            }
            Value::Scalar(Scalar::Bytes(octets)) if self.octets.len() < CONSTANTS => {
                self.octets.push(octets.clone());
                if octets.len() > 1 {
                    self.take(&Value::from(octets.len() as i64));
                }
            }
            Value::Data { .. } => constant.fields().iter().for_each(|field| self.take(field)),
            Value::List(list) => list.iter().take(CONSTANTS).for_each(|element| self.take(element)),
            Value::Map(map) => map.looked_at().take(CONSTANTS).for_each(|(key, entry)| {
                self.take(key);
                self.take(&entry.value);
            }),
            _ => {}
        }
    }

    /// Tests whether the specification has a text.
    pub fn has_text(&self, text: &str) -> bool {
        self.texts.binary_search_by(|own| (**own).cmp(text)).is_ok()
    }

    /// Draws a value of a sort. A long text has this number of characters at most, unless the specification names a greater length.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn draw(
        &self,
        sort: Sort,
        (sizes, longest): (ValueSizes, usize),
        choices: &mut dyn Choices,
    ) -> Result<Scalar, ChoiceError> {
        Ok(match sort {
            Sort::Bool => Scalar::Bool(choices.choose("bool", 2)? == 1),
            Sort::Int => Scalar::Int(self.integer(sizes, choices)?),
            Sort::Str => Scalar::Str(self.text((sizes, longest), choices)?),
            Sort::Bytes if choices.choose("no text", 12)? == 0 => {
                Scalar::bytes(OCTETS[choices.choose("octets", OCTETS.len())?])
            }
            Sort::Bytes if !self.octets.is_empty() && choices.choose("octets of the specification", 4)? == 0 => {
                Scalar::Bytes(self.octets[choices.choose("octets", self.octets.len())?].clone())
            }
            Sort::Bytes => Scalar::bytes(self.text((sizes, longest), choices)?.as_bytes()),
            Sort::Client => Scalar::Client(1 + choices.choose("client", 3)? as u64),
            Sort::Json => Scalar::Json(Json::of_canonical(JSON[choices.choose("json", JSON.len())?])),
            Sort::Token(_) => Scalar::token(&format!("t{}", 1 + choices.choose("token", 3)?)),
        })
    }

    fn integer(&self, sizes: ValueSizes, choices: &mut dyn Choices) -> Result<Int, ChoiceError> {
        let boundaries = u64::from(sizes != ValueSizes::Small);
        let constants = if self.integers.is_empty() { 0 } else { 2 + 4 * boundaries };
        let weights = [12, constants, 2, 1, 2 * boundaries, boundaries];
        Ok(match choices.weighted("kind of integer", &weights)? {
            0 => Int::small(choices.choose("small integer", 4)? as i64),
            1 => self.integers[choices.choose("integer of the specification", self.integers.len())?].clone(),
            2 => Int::small(choices.choose("integer", 20)? as i64),
            3 => Int::small(-1 - choices.choose("negative integer", 3)? as i64),
            4 => Int::small(choices.choose("larger integer", 1_000)? as i64),
            _ => {
                let power = (0..choices.choose("power of two", 66)?).fold(Int::ONE, |n, _| n.add(&n));
                let beside = power.add(&Int::small(choices.choose("beside a power of two", 3)? as i64 - 1));
                if choices.choose("sign", 4)? == 0 { beside.neg() } else { beside }
            }
        })
    }

    fn text(&self, (sizes, longest): (ValueSizes, usize), choices: &mut dyn Choices) -> Result<Arc<str>, ChoiceError> {
        let digits = if self.reads_integers { 8 } else { 0 };
        let literals = if self.texts.is_empty() { 0 } else { 2 };
        let long = if sizes == ValueSizes::Long { 20 } else { 0 };
        let weights = [12, digits, literals, u64::from(sizes != ValueSizes::Small), long, 1];
        Ok(match choices.weighted("kind of text", &weights)? {
            0 => {
                let short = ["a", "b", "c", "x", "y", "z", "ab", "xyz", ""];
                short[choices.choose("short text", short.len())?].into()
            }
            1 => DIGITS[choices.choose("digits", DIGITS.len())?].into(),
            2 => self.texts[choices.choose("text of the specification", self.texts.len())?].clone(),
            3 => letters(self.length(LONG, longest, choices)?, choices)?,
            5 => AWKWARD[choices.choose("awkward text", AWKWARD.len())?].into(),
            _ => letters(self.length(usize::MAX, longest, choices)?, choices)?,
        })
    }

    /// Draws a length that may matter, up to a greatest one; one that the specification does not name, up to `longest`.
    fn length(&self, greatest: usize, longest: usize, choices: &mut dyn Choices) -> Result<usize, ChoiceError> {
        let own: Vec<usize> = self.lengths.iter().copied().filter(|length| *length <= greatest).collect();
        if own.is_empty() || choices.choose("length of the specification", 2)? == 0 {
            let longest = greatest.min(longest).min(self.largest);
            let powers = longest.max(1).ilog2() as usize + 1;
            // What is cut, split or kept elsewhere is mostly long.
            let is_great = greatest > LONG && choices.choose("great length", 3)? > 0;
            let least = if is_great { powers.saturating_sub(GREAT) } else { 0 };
            let power = 1_usize << (least + choices.choose("power of a length", powers - least)?);
            return Ok((power + choices.choose("beside a length", 3)?).saturating_sub(1).min(longest));
        }
        Ok(own[choices.choose("length", own.len())?])
    }
}

/// A text of one letter, with another letter at its end, so that a cut text differs from the whole.
pub(crate) fn letters(length: usize, choices: &mut dyn Choices) -> Result<Arc<str>, ChoiceError> {
    let last = char::from(b'a' + choices.choose("last letter", 3)? as u8);
    let mut text = "x".repeat(length.saturating_sub(1));
    text.extend((length > 0).then_some(last));
    Ok(text.into())
}
