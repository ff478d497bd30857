//! Limits of values, as comments and as duties of the client.
//!
//! For example `minimum: 1, maximum: 100` is "from 1 to 100", and for an integer `n` the duty `n >= 1 && n <= 100`.

use crate::scalar::Int;

use super::decimal::Decimal;
use super::document::tree::{Tree, TreeKind};
use super::numbers::NumberLimits;

/// The limits of values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ValueLimits {
    /// The limits of a number.
    pub number: NumberLimits,
    /// True if values are numbers that need not be whole.
    pub is_number: bool,
    /// The format of a string.
    pub format: Option<String>,
    /// The regular expressions that a string matches.
    pub patterns: Vec<String>,
    /// True if no element of an array is there twice.
    pub is_unique: bool,
    /// The JSON of the only allowed values, if the type does not list them.
    pub listed: Option<Vec<String>>,
    /// The JSON of some values that are allowed.
    pub examples: Vec<String>,
    /// The limits of which values have any; empty if all limits here hold.
    pub either: Vec<ValueLimits>,
    /// The limits of the elements of an array, or of the values of an object.
    pub elements: Option<Box<ValueLimits>>,
    /// The least integer.
    least: Option<Int>,
    /// The greatest integer.
    greatest: Option<Int>,
    /// The least length of a string or an array.
    shortest: Option<Int>,
    /// The greatest length of a string or an array.
    longest: Option<Int>,
    /// The limits in words that are no ranges.
    words: Vec<String>,
}

/// The limits that a schema states itself.
pub fn limits_of(tree: &Tree) -> ValueLimits {
    let mut words = Vec::new();
    let mut number = NumberLimits::default();
    let mut bound = |key: &str, exclusive: &str, beyond: Int, word: &str| {
        let inside = tree.text_of(key).map(|text| (text, false));
        let outside = tree.text_of(exclusive).filter(|text| Decimal::parse(text).is_some()).map(|text| (text, true));
        let (text, is_exclusive) = outside.or(inside)?;
        let is_exclusive = is_exclusive || tree.has(exclusive);
        let limit = Decimal::parse(text).map(|number| (number, is_exclusive));
        *(if key == "minimum" { &mut number.least } else { &mut number.greatest }) = limit;
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
    let format = tree.text_of("format");
    number.factors.extend(tree.text_of("multipleOf").and_then(Decimal::parse));
    number.bounded_by(format.unwrap_or_default());
    let shown = format.filter(|format| !matches!(*format, "int32" | "int64" | "float" | "double"));
    words.extend(shown.map(|format| format!("format: {format}")));
    words.extend(tree.text_of("pattern").map(|pattern| format!("matches {pattern}")));
    words.extend(tree.text_of("multipleOf").map(|factor| format!("a multiple of {factor}")));
    words.extend(tree.has("uniqueItems").then(|| "no element twice".to_owned()));
    ValueLimits {
        number,
        format: format.map(str::to_owned),
        patterns: tree.text_of("pattern").map(str::to_owned).into_iter().collect(),
        is_unique: tree.has("uniqueItems"),
        examples: examples(tree),
        least,
        greatest,
        shortest,
        longest,
        words,
        ..ValueLimits::default()
    }
}

/// The JSON of the scalars that a schema shows as examples.
fn examples(tree: &Tree) -> Vec<String> {
    let shown = ["default", "example", "examples"].iter().filter_map(|key| tree.get(key));
    let mut found: Vec<String> = Vec::new();
    for example in shown.flat_map(|shown| shown.elements().iter().map(|one| &**one).chain([shown])) {
        found.extend(json_of(example).filter(|json| !found.contains(json)));
    }
    found
}

/// The JSON of a scalar that is not `null`.
pub fn json_of(scalar: &Tree) -> Option<String> {
    let TreeKind::Scalar(_) = scalar.kind else { return None };
    let text = scalar.text()?;
    let is_plain = matches!(scalar.shown(), "a boolean" | "a number") && crate::json::from_text::<f64>(text).is_ok();
    Some(match scalar.boolean() {
        Some(boolean) => boolean.to_string(),
        None if is_plain => text.to_owned(),
        None => crate::json::quoted(text),
    })
}

impl ValueLimits {
    /// The limits without their words and examples.
    pub fn alone(self) -> ValueLimits {
        let elements = self.elements.map(|elements| Box::new(elements.alone()));
        ValueLimits { examples: Vec::new(), words: Vec::new(), elements, ..self }
    }

    /// The limits of texts alone that an id of the service has.
    pub fn of_id(self) -> ValueLimits {
        ValueLimits { format: self.format, patterns: self.patterns, ..ValueLimits::default() }
    }

    /// The limits of values that have both limits.
    pub fn and(self, other: ValueLimits) -> ValueLimits {
        let pick = |a: Option<Int>, b: Option<Int>, is_better: fn(&Int, &Int) -> bool| match (a, b) {
            (Some(a), Some(b)) => Some(if is_better(&a, &b) { a } else { b }),
            (known, None) | (None, known) => known,
        };
        ValueLimits {
            number: self.number.and(other.number),
            is_number: self.is_number || other.is_number,
            format: self.format.or(other.format),
            patterns: [self.patterns, other.patterns].concat(),
            is_unique: self.is_unique || other.is_unique,
            listed: match (self.listed, other.listed) {
                (Some(a), Some(b)) => Some(a.into_iter().filter(|value| b.contains(value)).collect()),
                (known, None) | (None, known) => known,
            },
            examples: [self.examples, other.examples].concat(),
            either: if self.either.is_empty() { other.either } else { self.either },
            elements: self.elements.or(other.elements),
            least: pick(self.least, other.least, |a, b| a > b),
            greatest: pick(self.greatest, other.greatest, |a, b| a < b),
            shortest: pick(self.shortest, other.shortest, |a, b| a > b),
            longest: pick(self.longest, other.longest, |a, b| a < b),
            words: [self.words, other.words].concat(),
        }
    }

    /// Tests whether a whole number is within the limits of a number.
    pub fn allows_whole(&self) -> bool {
        self.number == NumberLimits::default() || self.number.drawn(true).is_some()
    }

    /// Tests whether the length of a string or an array is limited.
    pub fn has_length(&self) -> bool {
        self.least_length() > 0 || self.longest.is_some()
    }

    /// The least length.
    pub fn least_length(&self) -> usize {
        self.shortest.as_ref().map_or(0, |shortest| shortest.to_usize().unwrap_or(usize::MAX))
    }

    /// The greatest length, if there is one.
    pub fn greatest_length(&self) -> Option<usize> {
        self.longest.as_ref().map(|longest| longest.to_usize().unwrap_or(usize::MAX))
    }

    /// Tests whether a length is allowed.
    pub fn allows_length(&self, length: usize) -> bool {
        length >= self.least_length() && self.greatest_length().is_none_or(|greatest| length <= greatest)
    }

    /// The limits of values that have either limits: if they differ, those that values are drawn by, and no others.
    pub fn or(self, other: ValueLimits) -> ValueLimits {
        if self == other {
            return self;
        }
        let each = |limits: ValueLimits| if limits.either.is_empty() { vec![limits] } else { limits.either };
        ValueLimits { either: [each(self), each(other)].concat(), ..ValueLimits::default() }
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
