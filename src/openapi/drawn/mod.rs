//! The values that requests have: those that the tester draws, and the conditions that are duties of the client.
//!
//! For example a member `size` with `minimum: 1, maximum: 9` is drawn from 1, 2, 3, 5, 8 and 9, and has the duty
//! `size >= 1 && size <= 9`. A text of the format `uuid` is drawn from some, without a duty.

mod duties;
mod formats;
mod lists;
mod pattern;

pub use duties::LimitedRecords;
pub use lists::{DrawnList, lists, records};

use super::limits::ValueLimits;
use super::numbers::NumberLimits;
use super::types::{Definition, DefinitionBody, INT, JSON, STRING, WrittenType};

/// Texts of several lengths; those of a length that is allowed are drawn.
const WORDS: [&str; 11] = ["a", "b", "c", "ab", "xyz", "a b", "é", "50%", "\"q\"", "hello", "0"];
/// The longest text that is written for a limit.
const LONGEST: usize = 256;
/// The most elements of a list that is written.
const ELEMENTS: usize = 12;
/// The most lists that are written.
const LISTS: usize = 4;

/// The values that are drawn for a field.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DrawnValues {
    /// The type of each.
    pub ty: String,
    /// The values, as a specification writes them.
    pub values: Vec<String>,
    /// The name of what they have in common, as in `UUID`.
    pub name: Option<String>,
}

/// The values that are drawn for a type with these limits; none if any value of the type may be drawn.
pub fn drawn(ty: &WrittenType, limits: &ValueLimits, definitions: &[Definition]) -> Option<DrawnValues> {
    let of = |ty: &str, values: Vec<String>, name: Option<String>| {
        (!values.is_empty()).then(|| DrawnValues { ty: ty.to_owned(), values, name })
    };
    match ty {
        WrittenType::Option(inner) => drawn(inner, limits, definitions),
        WrittenType::Map(inner) => drawn(inner, limits.elements.as_deref()?, definitions),
        WrittenType::List(inner) => match whole_lists(inner, limits, definitions) {
            Some(lists) => Some(lists),
            None => drawn(inner, limits.elements.as_deref()?, definitions),
        },
        WrittenType::Defined(number) => match definitions[*number].body {
            DefinitionBody::Token => of("string", quoted(&texts(limits)?), format_name(limits)),
            DefinitionBody::Choices(_) | DefinitionBody::Record { .. } => None,
        },
        _ if *ty == INT => of("int", whole_numbers(limits)?, limits.number.width_name()),
        _ if *ty == STRING => of("string", quoted(&texts(limits)?), format_name(limits)),
        _ if *ty == JSON => {
            let name = (limits.is_number && limits.number == NumberLimits::default()).then(|| "NUMBER".to_owned());
            of("string", quoted(&json_texts(limits)?), name.filter(|_| limits.listed.is_none()))
        }
        WrittenType::Plain("bool") => of("bool", limits.listed.clone()?, None),
        WrittenType::Plain(_) => None,
    }
}

/// The name of the format that alone says which texts are drawn.
fn format_name(limits: &ValueLimits) -> Option<String> {
    let format = limits.format.as_ref()?;
    let is_alone = limits.listed.is_none() && !limits.has_length() && limits.patterns.is_empty();
    let letters = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    is_alone.then(|| format.chars().map(letters).collect())
}

/// Texts as literals.
fn quoted(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| crate::json::quoted(text)).collect()
}

fn whole_numbers(limits: &ValueLimits) -> Option<Vec<String>> {
    match &limits.listed {
        Some(listed) => Some(listed.clone()),
        None => limits.number.drawn(true),
    }
}

/// The JSON of values.
fn json_texts(limits: &ValueLimits) -> Option<Vec<String>> {
    if let Some(listed) = &limits.listed {
        return Some(listed.clone());
    }
    if limits.is_number {
        return Some(
            limits.number.drawn(false).unwrap_or_else(|| ["0", "1", "2.5", "100", "-1.5"].map(str::to_owned).to_vec()),
        );
    }
    Some(limits.examples.clone()).filter(|examples| !examples.is_empty())
}

/// The texts that are drawn; none if any text may be.
fn texts(limits: &ValueLimits) -> Option<Vec<String>> {
    if let Some(listed) = &limits.listed {
        return Some(listed.iter().filter_map(|text| crate::json::from_text(text).ok()).collect());
    }
    if limits.is_number {
        return json_texts(limits);
    }
    if !limits.either.is_empty() {
        let found: Vec<String> = limits.either.iter().filter_map(texts).flatten().collect();
        return Some(found).filter(|found| !found.is_empty());
    }
    let fits = |text: &String| {
        limits.allows_length(text.chars().count()) && limits.patterns.iter().all(|pattern| pattern::fits(pattern, text))
    };
    let of_format = || Some(formats::texts(limits.format.as_deref()?).iter().map(|text| (*text).to_owned()).collect());
    let of_pattern = || Some(pattern::texts(limits.patterns.first()?));
    let of_example = || Some(limits.examples.iter().filter_map(|text| crate::json::from_text(text).ok()).collect());
    let of_length = || limits.has_length().then(|| words(limits));
    let sources: [&dyn Fn() -> Option<Vec<String>>; 4] = [&of_format, &of_pattern, &of_example, &of_length];
    let is_limited = limits.format.is_some() || !limits.patterns.is_empty() || limits.has_length();
    let drawn = |source: &&dyn Fn() -> Option<Vec<String>>| {
        let fitting: Vec<String> = source()?.into_iter().filter(&fits).collect();
        (!fitting.is_empty()).then_some(fitting)
    };
    if is_limited { sources.iter().find_map(drawn) } else { None }
}

/// Texts of the lengths that are allowed.
fn words(limits: &ValueLimits) -> Vec<String> {
    let (least, most) = (limits.least_length(), limits.greatest_length());
    let mut found: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    found.retain(|word| limits.allows_length(word.chars().count()));
    // An empty text is allowed by most descriptions, and by few services.
    let long = [Some(least), least.checked_add(1), most].into_iter().flatten().filter(|length| *length > 0);
    for length in long.filter(|length| *length <= LONGEST && limits.allows_length(*length)) {
        let text = "x".repeat(length);
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The lists that are drawn if their lengths are limited, or no element may be there twice.
fn whole_lists(of: &WrittenType, limits: &ValueLimits, definitions: &[Definition]) -> Option<DrawnValues> {
    if !limits.has_length() && !limits.is_unique {
        return None;
    }
    let elements = limits.elements.as_deref().and_then(|elements| drawn(of, elements, definitions));
    let elements = match elements {
        Some(elements) => elements,
        None if *of == INT => simple("int", &["0", "1", "2", "7"]),
        None if *of == STRING => simple("string", &["\"a\"", "\"b\"", "\"c\"", "\"ab\""]),
        None => return None,
    };
    let count = elements.values.len();
    let lengths = [0, 1, 2, 3].map(|more| limits.least_length() + more);
    let most = if limits.is_unique { count.min(ELEMENTS) } else { ELEMENTS };
    let lengths = lengths.into_iter().filter(|length| limits.allows_length(*length) && *length <= most);
    let list = |(number, length): (usize, usize)| {
        let elements = (0..length).map(|at| elements.values[(number + at) % count].as_str());
        format!("[{}]", elements.collect::<Vec<_>>().join(", "))
    };
    let mut values: Vec<String> = lengths.enumerate().map(list).collect();
    // More lists of the least length have other elements.
    for number in 1..count {
        let first = limits.least_length().max(1);
        let another = list((number, first));
        if values.len() < LISTS && limits.allows_length(first) && first <= most && !values.contains(&another) {
            values.push(another);
        }
    }
    (!values.is_empty()).then(|| DrawnValues { ty: format!("list<{}>", elements.ty), values, name: None })
}

fn simple(ty: &str, values: &[&str]) -> DrawnValues {
    DrawnValues { ty: ty.to_owned(), values: values.iter().map(|value| (*value).to_owned()).collect(), name: None }
}
