//! Limits of values, as comments and as duties of the client.
//!
//! For example `minimum: 1, maximum: 100` is "from 1 to 100", and for an integer `n` the duty `n >= 1 && n <= 100`.

use crate::scalar::Int;

use super::document::tree::Tree;

/// The limits of values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ValueLimits {
    /// The least integer.
    least: Option<Int>,
    /// The greatest integer.
    greatest: Option<Int>,
    /// The least length of a string or an array.
    shortest: Option<Int>,
    /// The greatest length of a string or an array.
    longest: Option<Int>,
    /// The limits that no condition expresses, in words.
    words: Vec<String>,
}

/// The limits that a schema states itself.
pub fn limits_of(tree: &Tree) -> ValueLimits {
    let mut words = Vec::new();
    let mut bound = |key: &str, exclusive: &str, beyond: Int, word: &str| {
        let inside = tree.text_of(key).map(|text| (text, false));
        let outside = tree.text_of(exclusive).filter(|text| Int::parse(text).is_some()).map(|text| (text, true));
        let (text, is_exclusive) = outside.or(inside)?;
        let is_exclusive = is_exclusive || tree.has(exclusive);
        match Int::parse(text) {
            Some(int) if is_exclusive => Some(int.add(&beyond)),
            Some(int) => Some(int),
            None => {
                words.push(format!("{word} {text}"));
                None
            }
        }
    };
    let least = bound("minimum", "exclusiveMinimum", Int::ONE, "at least");
    let greatest = bound("maximum", "exclusiveMaximum", Int::small(-1), "at most");
    let length = |keys: [&str; 2]| keys.iter().find_map(|key| Int::parse(tree.text_of(key)?));
    let (shortest, longest) = (length(["minLength", "minItems"]), length(["maxLength", "maxItems"]));
    let format = tree.text_of("format").filter(|format| !matches!(*format, "int32" | "int64" | "float" | "double"));
    words.extend(format.map(|format| format!("format: {format}")));
    words.extend(tree.text_of("pattern").map(|pattern| format!("matches {pattern}")));
    words.extend(tree.text_of("multipleOf").map(|factor| format!("a multiple of {factor}")));
    words.extend(tree.has("uniqueItems").then(|| "no element twice".to_owned()));
    ValueLimits { least, greatest, shortest, longest, words }
}

impl ValueLimits {
    /// The limits of values that have both limits.
    pub fn and(self, other: ValueLimits) -> ValueLimits {
        let pick = |a: Option<Int>, b: Option<Int>, is_better: fn(&Int, &Int) -> bool| match (a, b) {
            (Some(a), Some(b)) => Some(if is_better(&a, &b) { a } else { b }),
            (known, None) | (None, known) => known,
        };
        let words = [self.words, other.words].concat();
        ValueLimits {
            least: pick(self.least, other.least, |a, b| a > b),
            greatest: pick(self.greatest, other.greatest, |a, b| a < b),
            shortest: pick(self.shortest, other.shortest, |a, b| a > b),
            longest: pick(self.longest, other.longest, |a, b| a < b),
            words,
        }
    }

    /// The limits of values that have either limits: none unless both are equal.
    pub fn or(self, other: ValueLimits) -> ValueLimits {
        if self == other { self } else { ValueLimits::default() }
    }

    /// The limits of a value in words; `unit` is the unit of its length, if it has a length.
    pub fn words(&self, unit: Option<&str>) -> Vec<String> {
        let range = |least: &Option<Int>, greatest: &Option<Int>, unit: &str| match (least, greatest) {
            (Some(least), Some(greatest)) => Some(format!("from {least} to {}", counted(greatest, unit))),
            (Some(least), None) if *least == Int::ZERO && !unit.is_empty() => None,
            (Some(least), None) => Some(format!("at least {}", counted(least, unit))),
            (None, Some(greatest)) => Some(format!("at most {}", counted(greatest, unit))),
            (None, None) => None,
        };
        let length = unit.and_then(|unit| range(&self.shortest, &self.longest, unit));
        let ranges = [range(&self.least, &self.greatest, ""), length];
        ranges.into_iter().flatten().chain(self.words.iter().cloned()).collect()
    }

    /// The conditions on an integer of this name.
    pub fn of_integer(&self, name: &str) -> Vec<String> {
        conditions(name, &self.least, &self.greatest)
    }

    /// The conditions on a string or list of this name.
    pub fn of_length(&self, name: &str) -> Vec<String> {
        let shortest = self.shortest.clone().filter(|shortest| *shortest != Int::ZERO);
        conditions(&format!("len({name})"), &shortest, &self.longest)
    }
}

/// A number with its unit: `1 character`, `2 characters`.
fn counted(number: &Int, unit: &str) -> String {
    let unit = if *number == Int::ONE { unit.trim_end_matches('s') } else { unit };
    format!("{number}{unit}")
}

fn conditions(value: &str, least: &Option<Int>, greatest: &Option<Int>) -> Vec<String> {
    let least = least.iter().map(|least| format!("{value} >= {least}"));
    let greatest = greatest.iter().map(|greatest| format!("{value} <= {greatest}"));
    least.chain(greatest).collect()
}
