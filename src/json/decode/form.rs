//! The usual JSON text of the values of each type: fixed text with gaps for the parts.
//!
//! The fields of `struct Tag { weak: bool, opaque: Opaque }` fill the gaps of `{"weak": …, "opaque": …}`, those of the variant `Put` the
//! gaps of `{"Put": {"key": …, "value": …}}`; a variant without fields is text without gaps. Programs write either a space after each comma
//! and each colon, or none.
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

use super::interner::Interner;
use super::words::{LastWord, Piece};
use crate::json::text::quote;
use crate::spec::types::{Type, TypeId, Types};
use std::collections::HashSet;

/// The way in which a program writes commas and colons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// A space after each comma and colon, as this program and Python write.
    Spaced,
    /// No spaces, as serde and JavaScript write.
    Compact,
}

/// The forms of all types of a specification in one spacing.
#[derive(Debug)]
pub struct Forms {
    pub(crate) by_type: Vec<Form>,
    /// The strings that were read before.
    pub(crate) known: Interner,
}

/// The way in which the values of a type are usually written.
#[derive(Debug)]
pub(crate) enum Form {
    Int,
    Bool,
    Str,
    Bytes,
    Token,
    Option(TypeId),
    List(TypeId),
    Data(Templates),
    /// No usual form; the decoder reads these values.
    Other,
}

/// The usual texts of the constructors of a type, found by one octet in which most of them differ.
///
/// ```text
///   {"Get":   {"Put":   {"Del":        `at` is 2, where they begin with G, P and D: first['P'] is 1, the tag of `Put`
/// ```
///
/// Invariants:
/// 1. Each template's beginning is longer than `at`, unless there is none.
/// 2. From `first[octet]`, `next` leads through all tags whose templates have the octet at `at`, the lowest first.
#[derive(Debug)]
pub(crate) struct Templates {
    /// The templates of the constructors, in the order of their tags.
    by_tag: Box<[Template]>,
    /// The position of this octet in the beginnings of all templates.
    at: usize,
    /// The first constructor whose template has a given octet at this position; [`NONE`] if there is none.
    first: Box<[u32; 256]>,
}

/// A value of `first` and `next` that is no constructor's tag.
const NONE: u32 = u32::MAX;

/// The usual text of a constructor: its fixed text, and the gaps in it.
#[derive(Debug)]
pub(crate) struct Template {
    /// The text before the first gap.
    begin: Piece,
    pub gaps: Box<[Gap]>,
    /// The next constructor with the same octet at the position `at` of [`Templates`], or [`NONE`].
    next: u32,
}

/// A gap in a template, which a field fills.
#[derive(Debug)]
pub(crate) struct Gap {
    pub of: TypeId,
    /// The text between this gap and the next one, or the end.
    pub text_after: Piece,
}

impl Forms {
    /// The forms of `types`.
    #[must_use]
    pub fn new(types: &Types, spacing: Spacing) -> Forms {
        let ids = (0..types.count() as u32).map(TypeId::of_number);
        Forms { by_type: ids.map(|id| form(types, id, spacing)).collect(), known: Interner::default() }
    }
}

fn form(types: &Types, id: TypeId, spacing: Spacing) -> Form {
    match types.get(id) {
        Type::Int => Form::Int,
        Type::Bool => Form::Bool,
        Type::Str => Form::Str,
        Type::Bytes => Form::Bytes,
        Type::Token(_) => Form::Token,
        Type::Option(_) if types.is_option_of_json(id) => Form::Other,
        Type::Option(of) => Form::Option(*of),
        Type::List(of) => Form::List(*of),
        Type::Tuple(_) => data([template(spacing, "[".into(), &types.fields(id, 0), "]")]),
        Type::Struct(_) => data([template(spacing, "{".into(), &types.fields(id, 0), "}")]),
        Type::Enum(index) => {
            let variants = types.enums[*index as usize].variants.iter().zip(0..);
            data(variants.map(|(variant, tag)| variant_template(spacing, &variant.name, &types.fields(id, tag))))
        }
        Type::Set(_) | Type::Map(..) | Type::Client | Type::Json | Type::Unit | Type::Error => Form::Other,
    }
}

/// The form of a type with these constructors; [`Form::Other`] if a name in it could be read as a mark, such as `$any`.
fn data(templates: impl IntoIterator<Item = Template>) -> Form {
    let templates: Box<[Template]> = templates.into_iter().collect();
    let may_be_mark = |template: &Template| template.begin.octets().windows(3).any(|three| three == b"{\"$");
    if templates.iter().any(may_be_mark) { Form::Other } else { Form::Data(Templates::new(templates)) }
}

impl Templates {
    fn new(mut by_tag: Box<[Template]>) -> Templates {
        let octet = |template: &Template, at: usize| template.begin.octets()[at];
        let shortest = by_tag.iter().map(|template| template.begin.octets().len()).min().unwrap_or(0);
        let different = |at: &usize| by_tag.iter().map(|template| octet(template, *at)).collect::<HashSet<_>>().len();
        let at = (0..shortest).rev().max_by_key(different).unwrap_or(0);
        let mut first = Box::new([NONE; 256]);
        for (tag, template) in by_tag.iter_mut().enumerate().rev() {
            template.next = std::mem::replace(&mut first[usize::from(octet(template, at))], tag as u32);
        }
        Templates { by_tag, at, first }
    }

    /// The constructor whose beginning `octets` have, with its tag, and the octets after this beginning. `tail` holds the end of the text.
    pub(crate) fn find<'t, 'a>(&'t self, octets: &'a [u8], tail: LastWord) -> Option<(u32, &'t Template, &'a [u8])> {
        let mut tag = self.first[usize::from(*octets.get(self.at)?)];
        while let Some(template) = self.by_tag.get(tag as usize) {
            match template.begin.rest_after(octets, tail) {
                Some(rest) => return Some((tag, template, rest)),
                None => tag = template.next,
            }
        }
        None
    }
}

fn variant_template(spacing: Spacing, name: &str, fields: &[(Option<&str>, TypeId)]) -> Template {
    let (open, close) = match fields {
        [] => return template(spacing, key("", name, ""), &[], ""),
        [(Some(_), _), ..] => ("{", "}}"),
        [(None, _)] => ("", "}"),
        [(None, _), ..] => ("[", "]}"),
    };
    template(spacing, key("{", name, spacing.separators()[1]) + open, fields, close)
}

fn template(spacing: Spacing, open: String, fields: &[(Option<&str>, TypeId)], close: &str) -> Template {
    let [comma, colon] = spacing.separators();
    let (mut texts, mut text) = (Vec::new(), open);
    for (name, _) in fields {
        text += if texts.is_empty() { "" } else { comma };
        text += &name.map_or(String::new(), |name| key("", name, colon));
        texts.push(std::mem::take(&mut text));
    }
    texts.push(text + close);
    let mut pieces = texts.iter().map(|text| Piece::new(text));
    let begin = pieces.next().unwrap_or_else(|| Piece::new(""));
    let gaps = fields.iter().zip(pieces).map(|((_, of), text_after)| Gap { of: *of, text_after }).collect();
    Template { begin, gaps, next: NONE }
}

fn key(before: &str, name: &str, after: &str) -> String {
    let mut text = String::from(before);
    quote(&mut text, name);
    text + after
}

impl Spacing {
    /// The comma and the colon, with a space if there is one.
    fn separators(self) -> [&'static str; 2] {
        match self {
            Spacing::Spaced => [", ", ": "],
            Spacing::Compact => [",", ":"],
        }
    }
}
