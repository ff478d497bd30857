//! The `generate` block of a protocol: its weights, and its lists of values and of lengths.
//!
//! `Put: 5;` stands for a variant, `Put.key: ["a", "b"];` lists values of the field, or of its elements if it is a collection. A `json` and a
//! token are written as texts.

use super::names::BASIC_TYPES;
use crate::diagnostic::{Diagnostic, Span};
use crate::scalar::Int;
use crate::spec::check::checked::{Generate, Protocol, VarDef};
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::expression::choice::without_choices;
use crate::spec::check::report::{did_you_mean, helped, mistake};
use crate::spec::check::statement::body::item;
use crate::spec::generation::{
    GenerationList, GenerationPlace, ListForm, ListOf, MOST_LENGTH, MOST_WEIGHT, field_name, owner_name,
};
use crate::spec::types::{ERROR, INT, STRING, Type, TypeId, Types};
use crate::syntax::ast::{
    Expr, ExprKind, GenerateField, GenerateLine, GenerateTarget, Member, MemberKind, Name, UnaryOp,
};

/// Checks the `generate` block of a protocol whose other members are declared.
pub(crate) fn generate<'a>(cx: &mut Checker<'a>, members: &'a [Member], protocol: &mut Protocol<'a>) {
    let outer = std::mem::take(&mut cx.members);
    let mut first: Option<Generate<'a>> = None;
    for member in members {
        let MemberKind::Generate(lines) = &member.kind else { continue };
        if first.is_some() {
            cx.error(member.span, "a second `generate` block", "expected only one");
            continue;
        }
        let mut checking = BlockCheck { protocol, block: Generate::default(), lines: Vec::new() };
        lines.iter().for_each(|line| checking.line(cx, line));
        checking.variants_left(cx);
        first = Some(checking.block);
    }
    cx.members = outer;
    protocol.generate = first;
}

/// The thing that a target denotes.
#[derive(Clone, PartialEq)]
enum Target {
    Variant(TypeId, u32),
    Type(TypeId),
    Field { owner: TypeId, tag: u32, index: usize },
}

/// The state of checking one block.
struct BlockCheck<'p, 'a> {
    protocol: &'p Protocol<'a>,
    block: Generate<'a>,
    /// The lines so far.
    lines: Vec<(bool, Target, Span)>,
}

impl<'a> BlockCheck<'_, 'a> {
    fn line(&mut self, cx: &mut Checker<'a>, line: &'a GenerateLine) {
        let (target, value) = (&line.kind.target, &line.kind.value);
        let weight = match &value.kind {
            ExprKind::Int(weight) if !target.is_length => Some(weight),
            _ => None,
        };
        let Some(meant) = self.target(cx, target, weight.is_some()) else { return };
        let is_known =
            |(is_length, other, _): &&(bool, Target, Span)| *is_length == target.is_length && *other == meant;
        if let Some((_, _, before)) = self.lines.iter().find(is_known) {
            let report = mistake(target.span, format!("a second line for `{}`", written(target)), "expected one line");
            return cx.report(report.also(*before, "the first one is here"));
        }
        self.lines.push((target.is_length, meant.clone(), target.span));
        match (meant, weight) {
            (Target::Variant(ty, tag), Some(weight)) => self.weight(cx, (ty, tag), weight, value.span),
            (Target::Variant(..), None) => {
                let message = format!("the weight of `{}` is an integer", target.owner.text);
                cx.error(value.span, message, format!("expected an integer from 0 to {MOST_WEIGHT}"));
            }
            (Target::Type(ty), _) => self.list(cx, GenerationPlace::Type(ty), ty, line),
            (Target::Field { .. }, Some(_)) => {
                let report = mistake(value.span, "a field has no weight", "expected a list of its values, or a range");
                cx.report(report.help("a list of one value is `[5]`; weights are those of requests: `Put: 5;`"));
            }
            (Target::Field { owner, tag, index }, None) => {
                let ty = cx.types.fields(owner, tag)[index].1;
                let name = field_name(&cx.types, owner, tag, index);
                self.list(cx, GenerationPlace::Field(name), ty, line);
            }
        }
    }

    fn weight(&mut self, cx: &mut Checker<'a>, (ty, tag): (TypeId, u32), weight: &Int, span: Span) {
        match weight.to_i64().and_then(|weight| u64::try_from(weight).ok()).filter(|weight| *weight <= MOST_WEIGHT) {
            Some(weight) => self.block.generation.weights.push((ty, tag, weight)),
            None => cx.error(span, "this weight is too great", format!("expected an integer from 0 to {MOST_WEIGHT}")),
        }
    }

    /// A line with a list or range, for a place of this type.
    fn list(&mut self, cx: &mut Checker<'a>, place: GenerationPlace, ty: TypeId, line: &'a GenerateLine) {
        let (target, value) = (&line.kind.target, &line.kind.value);
        let layers = layers(&cx.types, ty);
        if target.is_length && !has_length(&cx.types, layers[0]) {
            let message = format!("the values of type `{}` have no length", cx.types.name(ty));
            return cx.error(target.span, message, "expected a text, bytes, a list, a set or a map");
        }
        if place == GenerationPlace::Type(self.protocol.request) && matches!(cx.types.get(ty), Type::Enum(_)) {
            let message = format!("`{}` is the type of the requests themselves", target.owner.text);
            return cx.error(target.span, message, "expected a request with its weight, or a field of a request");
        }
        self.lint(cx, &place, target);
        let (of, item_type) = match target.is_length {
            true => (ListOf::Lengths, INT),
            false => {
                let of = written_as(&cx.types, item_type(&layers, value));
                (ListOf::Values(of), of)
            }
        };
        let errors = cx.errors();
        let form = match &value.kind {
            ExprKind::Range(from, to) if item_type == INT => {
                self.variable(cx, &target.owner, from, INT);
                self.variable(cx, &target.owner, to, INT);
                ListForm::Range
            }
            _ => {
                let ty = cx.types.intern(Type::List(item_type));
                self.variable(cx, &target.owner, value, ty);
                ListForm::List
            }
        };
        if cx.errors() == errors {
            check_items(cx, value, target.is_length);
        }
        self.block.generation.lists.push(GenerationList { place, of, form });
    }

    /// A variable that holds the value of an expression.
    fn variable(&mut self, cx: &mut Checker<'a>, name: &'a Name, value: &'a Expr, ty: TypeId) {
        without_choices(cx, "a `generate` block", |cx| item(cx, &[], value, Want::of(ty)));
        self.block.values.push(VarDef { name, ty, value });
    }

    /// Warns if no request, and no answer of a peer, has values of a type.
    fn lint(&self, cx: &mut Checker<'a>, place: &GenerationPlace, target: &GenerateTarget) {
        let GenerationPlace::Type(ty) = place else { return };
        let (types, wanted) = (&cx.types, cx.types.get(*ty));
        let has = |drawn: TypeId| types.find(drawn, &mut |part| part == wanted).is_some();
        let peers = self.protocol.peers.iter().map(|peer| peer.response);
        if !peers.chain([self.protocol.request]).any(has) {
            let message = format!("no request has a value of type `{}`", target.owner.text);
            cx.report(Diagnostic::warning(target.span, message).help("the line changes nothing"));
        }
    }

    /// Reports an enum of which no variant is left.
    fn variants_left(&self, cx: &mut Checker<'a>) {
        let weights = &self.block.generation.weights;
        for (ty, _, _) in weights {
            let Type::Enum(at) = cx.types.get(*ty) else { continue };
            let zero = weights.iter().filter(|(other, _, weight)| other == ty && *weight == 0).count();
            if zero == cx.types.enums[*at as usize].variants.len() {
                let is_own =
                    |(_, target, _): &&(bool, Target, Span)| matches!(target, Target::Variant(of, _) if of == ty);
                let last = self.lines.iter().rev().find(is_own).map_or(Span::default(), |(_, _, span)| *span);
                let message = format!("nothing of `{}` is left to draw", cx.types.name(*ty));
                return cx.error(last, message, "expected a variant with a weight above 0");
            }
        }
    }

    /// The thing that a target denotes; reports a name that is unknown here.
    fn target(&self, cx: &mut Checker<'a>, target: &GenerateTarget, is_weight: bool) -> Option<Target> {
        let name = &target.owner;
        match &target.field {
            Some(field) => {
                let (owner, tag) = self.owner(cx, name)?;
                let index = self.field(cx, owner, tag, field)?;
                Some(Target::Field { owner, tag, index })
            }
            None => {
                let basic = BASIC_TYPES.iter().find(|(basic, _)| *basic == name.text).and_then(|(_, ty)| *ty);
                let ty = basic.or_else(|| cx.names.ty(&name.text));
                let variant = self.variant(cx, name);
                match (ty, variant) {
                    (_, Some((ty, tag))) if is_weight => Some(Target::Variant(ty, tag)),
                    (Some(_), None) if is_weight => {
                        let message = format!("the type `{}` has no weight", name.text);
                        cx.error(target.span, message, "expected a request, or a variant of another type");
                        None
                    }
                    (Some(ERROR), _) => None,
                    (Some(ty), _) => Some(Target::Type(ty)),
                    (None, Some((ty, tag))) if !target.is_length => Some(Target::Variant(ty, tag)),
                    (None, _) if target.is_length => self.unknown(cx, name, "there is no type"),
                    (None, _) => self.unknown(cx, name, "there is no request and no type"),
                }
            }
        }
    }

    /// The variant of this name: a request, or else the only one of its name.
    fn variant(&self, cx: &Checker<'a>, name: &Name) -> Option<(TypeId, u32)> {
        let known = cx.names.variants.get(name.text.as_str())?;
        let is_request = |(ty, _): &&(TypeId, u32)| *ty == self.protocol.request;
        match known.as_slice() {
            [one] => Some(*one),
            several => several.iter().find(is_request).copied(),
        }
    }

    /// The struct or variant of this name.
    fn owner(&self, cx: &mut Checker<'a>, name: &Name) -> Option<(TypeId, u32)> {
        let of_struct = cx.names.ty(&name.text).filter(|ty| matches!(cx.types.get(*ty), Type::Struct(_)));
        match (self.variant(cx, name), of_struct) {
            (Some((ty, tag)), of_struct) if ty == self.protocol.request || of_struct.is_none() => Some((ty, tag)),
            (_, Some(ty)) => Some((ty, 0)),
            _ => self.unknown(cx, name, "there is no request and no struct"),
        }
    }

    fn field(&self, cx: &mut Checker<'a>, owner: TypeId, tag: u32, field: &GenerateField) -> Option<usize> {
        let fields = cx.types.fields(owner, tag);
        let found = match field {
            GenerateField::Name(name) => fields.iter().position(|(known, _)| *known == Some(name.text.as_str())),
            GenerateField::Number(number, _) => {
                let number = *number as usize;
                fields.get(number).filter(|(name, _)| name.is_none()).map(|_| number)
            }
        };
        if found.is_none() {
            let names: Vec<&str> = fields.iter().filter_map(|(name, _)| *name).collect();
            let (shown, help) = match field {
                GenerateField::Name(name) => (name.text.clone(), did_you_mean(&name.text, names.iter().copied())),
                GenerateField::Number(number, _) => (number.to_string(), None),
            };
            let numbered = (!fields.is_empty() && names.is_empty()).then(|| "the first field is 0".to_owned());
            let message = format!("`{}` has no field `{shown}`", owner_name(&cx.types, owner, tag));
            let help = numbered.or(help);
            drop(fields);
            cx.report_missing(helped(mistake(field.span(), message, "expected one of its fields"), help));
        }
        found
    }

    fn unknown<T>(&self, cx: &mut Checker<'a>, name: &Name, message: &str) -> Option<T> {
        let known = cx.names.variants.get(name.text.as_str()).map_or(0, Vec::len);
        let requests: Vec<String> = match cx.types.get(self.protocol.request) {
            Type::Enum(at) => cx.types.enums[*at as usize].variants.iter().map(|known| known.name.clone()).collect(),
            _ => Vec::new(),
        };
        let structs = cx.types.structs.iter().map(|known| known.name.as_str());
        let help = match known {
            0 => did_you_mean(&name.text, requests.iter().map(String::as_str).chain(structs)),
            1 => Some(format!("`len({}.f)` is the length of its field `f`", name.text)),
            _ => Some("several types have a variant of this name".to_owned()),
        };
        let message = format!("{message} `{}`", name.text);
        cx.report_missing(helped(mistake(name.span, message, "expected a request or a type"), help));
        None
    }
}

/// A target as it is written.
fn written(target: &GenerateTarget) -> String {
    let owner = &target.owner.text;
    let of = match &target.field {
        None => owner.clone(),
        Some(GenerateField::Name(field)) => format!("{owner}.{}", field.text),
        Some(GenerateField::Number(number, _)) => format!("{owner}.{number}"),
    };
    if target.is_length { format!("len({of})") } else { of }
}

/// A type without options, the type of its elements without options if it is a collection, and so on.
fn layers(types: &Types, ty: TypeId) -> Vec<TypeId> {
    let mut layers = Vec::new();
    let mut next = Some(ty);
    while let Some(ty) = next {
        next = match types.get(ty) {
            Type::Option(of) => Some(*of),
            Type::List(of) | Type::Set(of) | Type::Map(_, of) => {
                layers.push(ty);
                Some(*of)
            }
            _ => {
                layers.push(ty);
                None
            }
        };
    }
    layers
}

fn has_length(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Str | Type::Bytes | Type::List(_) | Type::Set(_) | Type::Map(..))
}

/// The type of the items of a list: the innermost elements of a collection, unless the items are written as collections.
fn item_type(layers: &[TypeId], list: &Expr) -> TypeId {
    let written = match &list.kind {
        ExprKind::List(items) => items.iter().map(nesting).max().unwrap_or_default(),
        _ => 0,
    };
    layers[(layers.len() - 1).saturating_sub(written)]
}

/// The number of collections around the innermost elements of a literal.
fn nesting(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::List(items) | ExprKind::Set(items) => 1 + items.iter().map(nesting).max().unwrap_or_default(),
        ExprKind::Map(entries) => 1 + entries.iter().map(|(_, value)| nesting(value)).max().unwrap_or_default(),
        ExprKind::EmptyBraces => 1,
        _ => 0,
    }
}

/// The type as which the values of a type are written.
fn written_as(types: &Types, ty: TypeId) -> TypeId {
    if matches!(types.get(ty), Type::Json | Type::Token(_)) { STRING } else { ty }
}

/// Reports a list without items, and lengths that no value can have, as far as they are literals.
fn check_items(cx: &mut Checker, list: &Expr, is_length: bool) {
    let (is_empty, items) = match &list.kind {
        ExprKind::List(items) => (items.is_empty(), items.iter().map(|item| (item.span, literal(item))).collect()),
        ExprKind::Range(from, to) => {
            let [first, end] = [literal(from), literal(to)];
            let last = end.as_ref().map(|end| end.sub(&Int::ONE));
            let is_empty = first.as_ref().zip(end.as_ref()).is_some_and(|(first, end)| end <= first);
            (is_empty, vec![(from.span, first), (to.span, last)])
        }
        _ => (false, Vec::new()),
    };
    if is_empty {
        return cx.error(list.span, "nothing is left to draw", "expected at least one value");
    }
    let has_it = |length: &Int| length.to_i64().is_some_and(|length| (0..=MOST_LENGTH).contains(&length));
    let wrong = items.into_iter().filter(|(_, length)| is_length && length.as_ref().is_some_and(|it| !has_it(it)));
    for (span, _) in wrong.collect::<Vec<_>>() {
        cx.error(span, "no drawn value has this length", format!("expected a length from 0 to {MOST_LENGTH}"));
    }
}

/// The value of an integer literal.
fn literal(expr: &Expr) -> Option<Int> {
    match &expr.kind {
        ExprKind::Int(int) => Some(int.clone()),
        ExprKind::Unary(UnaryOp::Neg, of) => literal(of).map(|int| int.neg()),
        ExprKind::Paren(of) => literal(of),
        _ => None,
    }
}
