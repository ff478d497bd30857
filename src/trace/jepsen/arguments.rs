//! The values for a variant's fields in the value of an operation.
//!
//! ```text
//!   :value [2 4]         Cas(int, int)              2, 4
//!   :value [7 [2 4]]     Cas(int, int, int)         7, 2, 4      a key, and what belongs to it
//!   :value [7 nil]       Read(int)                  7
//!   :value [7 3]         Read(int), an answer       3            the key is that of the request
//!   :value [7 3]         Read(list<int>)            [7 3]        one value
//! ```

use super::edn::Edn;
use super::event::ExchangePart;
use super::json::{JsonWriter, text};
use crate::spec::types::VariantDef;

/// The value of a missing field.
static NIL: Edn<'static> = Edn::Nil;

/// The values for the fields of a variant; none if the whole value is the content of the variant.
pub(super) fn arguments<'e, 'v>(
    writer: JsonWriter<'_>,
    part: ExchangePart,
    known: &VariantDef,
    value: &'e Edn<'v>,
) -> Option<Vec<&'e Edn<'v>>> {
    let fields = &known.fields;
    match value {
        Edn::Map(entries) => {
            let has = |name: &Option<String>, key: &Edn<'_>| name.as_deref() == text(key);
            let is_known = entries.keys().all(|key| fields.iter().any(|(name, _)| name.is_some() && has(name, key)));
            let of = |name| entries.iter().find(|(key, _)| has(name, key)).map_or(&NIL, |(_, value)| value);
            (is_known && !fields.is_empty()).then(|| fields.iter().map(|(name, _)| of(name)).collect())
        }
        Edn::Vector(parts) | Edn::List(parts) => of_list(writer, part, known, value, parts),
        _ => matches!(&fields[..], [(Some(_), _)]).then(|| vec![value]),
    }
}

/// The values for the fields of a variant in a list.
fn of_list<'e, 'v>(
    writer: JsonWriter<'_>,
    part: ExchangePart,
    known: &VariantDef,
    value: &'e Edn<'v>,
    parts: &'e [Edn<'v>],
) -> Option<Vec<&'e Edn<'v>>> {
    let count = known.fields.len();
    if let [(_, of)] = &known.fields[..]
        && writer.takes_list(*of)
    {
        return Some(vec![value]);
    }
    let is_nil = |part: &Edn<'_>| matches!(part, Edn::Nil);
    match parts {
        _ if count == 0 => None,
        [_, own] if count == 1 && part == ExchangePart::Answer => Some(vec![own]),
        _ if parts.len() == count => Some(parts.iter().collect()),
        [key, Edn::Vector(rest) | Edn::List(rest)] if rest.len() + 1 == count => {
            Some(std::iter::once(key).chain(rest).collect())
        }
        _ if parts.len() > count && parts[count..].iter().all(is_nil) => Some(parts[..count].iter().collect()),
        _ => None,
    }
}
