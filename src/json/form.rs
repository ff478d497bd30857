//! How the values of each type stand in a text as it is usually written: what is always the same, with gaps for the parts.
//!
//! The fields of `struct Tag { weak: bool, opaque: Opaque }` are what stands in the gaps of `{"weak": …, "opaque": …}`, those
//! of the variant `Put` in the gaps of `{"Put": {"key": …, "value": …}}`, and a variant without fields is text without gaps.
//! Programs write either a space behind each comma and each colon, or none.
//!
//! ```
//! use mayhap::json::{Forms, Scanner, Spacing};
//! use mayhap::spec::types::{BOOL, INT, Types};
//! use mayhap::value::Value;
//! let mut types = Types::new();
//! let pair = types.tuple(vec![INT, BOOL]);
//! let mut scanner = Scanner::new("[5, true] and so on");
//! let value = Forms::new(&types, Spacing::Spaced).next(&types, pair, &mut scanner);
//! assert_eq!((value, scanner.offset()), (Some(Value::data(0, [Value::from(5), Value::from(true)])), 9));
//! ```

use super::text::quote;
use crate::spec::types::{Type, TypeId, Types};

/// How a program writes commas and colons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// With a space behind each, as this program and Python do.
    Spaced,
    /// Without, as serde and JavaScript do.
    Compact,
}

/// The forms of all types of a specification in one spacing.
#[derive(Debug)]
pub struct Forms {
    by_type: Vec<Form>,
}

/// How the values of a type are usually written.
#[derive(Debug)]
pub(super) enum Form {
    Int,
    Bool,
    Str,
    Bytes,
    Token,
    Option(TypeId),
    List(TypeId),
    /// One template for each constructor, in the order of their tags.
    Data(Box<[Template]>),
    /// Nothing is known of it here.
    Other,
}

/// What is always the same in the text of a constructor, and the gaps in it.
#[derive(Debug)]
pub(super) struct Template {
    /// Everything before the first gap.
    pub begin: Box<str>,
    pub gaps: Box<[Gap]>,
}

/// Where a field stands.
#[derive(Debug)]
pub(super) struct Gap {
    pub of: TypeId,
    /// What stands between the field and the next gap, or the end.
    pub behind: Box<str>,
}

impl Forms {
    /// The forms of `types`.
    #[must_use]
    pub fn new(types: &Types, spacing: Spacing) -> Forms {
        let ids = (0..types.count() as u32).map(TypeId::of_number);
        Forms { by_type: ids.map(|id| form(types, id, spacing)).collect() }
    }

    #[inline]
    pub(super) fn of(&self, id: TypeId) -> &Form {
        self.by_type.get(id.number() as usize).unwrap_or(&Form::Other)
    }
}

fn form(types: &Types, id: TypeId, spacing: Spacing) -> Form {
    match types.get(id) {
        Type::Int => Form::Int,
        Type::Bool => Form::Bool,
        Type::Str => Form::Str,
        Type::Bytes => Form::Bytes,
        Type::Token(_) => Form::Token,
        Type::Option(of) => Form::Option(*of),
        Type::List(of) => Form::List(*of),
        Type::Tuple(_) => data([template(spacing, "[".into(), &types.fields(id, 0), "]")]),
        Type::Struct(_) => data([template(spacing, "{".into(), &types.fields(id, 0), "}")]),
        Type::Enum(index) => {
            let variants = types.enums[*index as usize].variants.iter().zip(0..);
            data(variants.map(|(variant, tag)| variant_template(spacing, &variant.name, &types.fields(id, tag))))
        }
        Type::Set(_) | Type::Map(..) | Type::Client | Type::Unit | Type::Error => Form::Other,
    }
}

/// A constructor's form, unless a name in it could be read as a mark, `$any` or `$lit`.
fn data(templates: impl IntoIterator<Item = Template>) -> Form {
    let templates: Box<[Template]> = templates.into_iter().collect();
    let may_be_mark = |template: &Template| template.begin.contains("{\"$");
    if templates.iter().any(may_be_mark) { Form::Other } else { Form::Data(templates) }
}

fn variant_template(spacing: Spacing, name: &str, fields: &[(Option<&str>, TypeId)]) -> Template {
    let (open, close) = match fields {
        [] => return template(spacing, key("", name, ""), &[], ""),
        [(Some(_), _), ..] => ("{", "}}"),
        [(None, _)] => ("", "}"),
        [(None, _), ..] => ("[", "]}"),
    };
    template(spacing, key("{", name, spacing.colon()) + open, fields, close)
}

fn template(spacing: Spacing, open: String, fields: &[(Option<&str>, TypeId)], close: &str) -> Template {
    let (mut texts, mut text) = (Vec::new(), open);
    for (name, _) in fields {
        text += if texts.is_empty() { "" } else { spacing.comma() };
        text += &name.map_or(String::new(), |name| key("", name, spacing.colon()));
        texts.push(std::mem::take(&mut text));
    }
    texts.push(text + close);
    let mut texts = texts.into_iter().map(String::into_boxed_str);
    let begin = texts.next().unwrap_or_default();
    Template { begin, gaps: fields.iter().zip(texts).map(|((_, of), behind)| Gap { of: *of, behind }).collect() }
}

fn key(before: &str, name: &str, behind: &str) -> String {
    let mut text = String::from(before);
    quote(&mut text, name);
    text + behind
}

impl Spacing {
    fn comma(self) -> &'static str {
        match self {
            Spacing::Spaced => ", ",
            Spacing::Compact => ",",
        }
    }

    fn colon(self) -> &'static str {
        match self {
            Spacing::Spaced => ": ",
            Spacing::Compact => ":",
        }
    }
}
