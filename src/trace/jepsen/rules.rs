//! The rules by which operations become requests and answers.
//!
//! ```text
//!   :invoke :cas [2 4]                  "q": {"Cas": [2, 4]}       the function names the variant
//!   :invoke :read nil                   "q": "Read"
//!   :invoke :put "x", :key "k"          "q": {"Put": ["k", "x"]}   nil instead of "x": {"Put": "k"}
//!   :ok :read 3                         "a": {"Read": 3}
//!   :ok :txn [[:append :x 1]]           "a": {"Txn": [{"Append": ["x", 1]}]}
//!   :fail                               "a": "Fail", or the request is dropped
//!   :info, :timed-out                   "lost": true
//! ```

use super::super::line::is_meaningful;
use super::arguments::arguments;
use super::edn::{Edn, EdnForm};
use super::event::ExchangePart;
use super::json::{HOLE, JsonWriter, NilMeaning};
use super::names::{is_same, variant};
use super::operation::{Operation, OperationKind};
use crate::json::{Decoded, JsonError, quoted};
use crate::spec::Spec;
use crate::spec::types::{EnumDef, Type, TypeId, Types, VariantDef};
use std::borrow::Cow;
use std::sync::Arc;

/// The meaning of `:fail`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FailRule {
    /// It is an answer: the request was served and did not succeed.
    #[default]
    Answer,
    /// The request had no effect: it is dropped.
    Drop,
}

/// The meaning of nil in an answer, if the types do not decide it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NilRule {
    /// It is null.
    Null,
    /// It is an unknown value.
    Any,
}

/// The rules of a reader of Jepsen histories.
#[derive(Clone, Debug, Default)]
pub struct JepsenRules {
    /// The meaning of `:fail` for functions that are not in `fail_of`.
    pub fail: FailRule,
    /// The functions with their own meaning of `:fail`, such as `read`.
    pub fail_of: Vec<(String, FailRule)>,
    /// The meaning of nil in an answer; if there is none, the types decide.
    pub nil: Option<NilRule>,
    /// The specification with the types of requests and answers, if it is known.
    pub spec: Option<Arc<Spec>>,
}

/// The content of a variant for a function.
enum Carried<'o, 'a> {
    Key(&'o EdnForm<'a>),
    KeyAndValue(&'o EdnForm<'a>, &'o EdnForm<'a>),
    Value(&'o EdnForm<'a>),
    Nothing,
}

impl JepsenRules {
    fn types(&self) -> Option<&Types> {
        self.spec.as_deref().map(|spec| &spec.types)
    }

    /// The meaning of `:fail` for a function.
    pub(super) fn fail(&self, function: &str) -> FailRule {
        let own = self.fail_of.iter().rev().find(|(name, _)| is_same(name, function));
        own.map_or(self.fail, |(_, rule)| *rule)
    }

    /// The first function in `fail_of` that no variant of the requests stands for, with the names of the variants.
    pub fn unknown_function(&self) -> Option<(&str, Vec<&str>)> {
        let def = self.enumerated(self.spec.as_ref().map(|spec| spec.program.request))?;
        let (unknown, _) = self.fail_of.iter().find(|(name, _)| variant(def, name).is_none())?;
        Some((unknown, def.variants.iter().map(|variant| variant.name.as_str()).collect()))
    }

    /// The function of operations that name none: the only variant of the requests, else `Txn`, as in histories of transactions.
    pub(super) fn only_function(&self) -> String {
        let def = self.enumerated(self.spec.as_ref().map(|spec| spec.program.request));
        match def.map(|def| &def.variants[..]) {
            Some([only]) => only.name.clone(),
            _ => "Txn".to_owned(),
        }
    }

    /// The request for an operation as JSON, from its function and the value of its invocation.
    pub(super) fn request(&self, operation: &Operation<'_>, function: &str, value: &EdnForm<'_>) -> Decoded<String> {
        let of = self.spec.as_ref().map(|spec| spec.program.request);
        let known = self.variant(of, function);
        let is_option =
            |at: usize| known.and_then(|known| known.fields.get(at)).is_some_and(|(_, of)| self.is_option(*of));
        let fields = known.map_or(0, |known| known.fields.len());
        let is_nothing = matches!(value.value, Edn::Nil) || self.is_of_answer(operation, function);
        let carried = match (&operation.key, is_nothing) {
            (Some(key), true) if fields == 2 && is_option(1) => Carried::KeyAndValue(key, value),
            (Some(key), true) => Carried::Key(key),
            (Some(key), false) => Carried::KeyAndValue(key, value),
            (None, true) if fields == 1 && is_option(0) => Carried::Value(value),
            (None, true) => Carried::Nothing,
            (None, false) => Carried::Value(value),
        };
        self.text(ExchangePart::Request, of, function, known, carried, NilMeaning::Null)
    }

    /// Tests whether the value of a request belongs to its answer. Some tools write it there once it is known, and the variant of the
    /// request has no field for it.
    pub(super) fn is_of_answer(&self, operation: &Operation<'_>, function: &str) -> bool {
        let Some(program) = self.spec.as_ref().map(|spec| &spec.program) else { return false };
        let fields = |of| self.variant(Some(of), function).map(|variant| variant.fields.len());
        let keys = usize::from(operation.key.is_some());
        fields(program.request) == Some(keys) && fields(program.response) == Some(keys + 1)
    }

    /// The answer in an operation as JSON. A value equal to that of the invocation may be a mere repetition.
    pub(super) fn answer(&self, operation: &Operation<'_>, function: &str, invoked: &str) -> Decoded<String> {
        if operation.kind == OperationKind::Fail {
            return Ok("\"Fail\"".to_owned());
        }
        let nil = match (self.nil, &self.spec) {
            (Some(NilRule::Null), _) => NilMeaning::Null,
            (Some(NilRule::Any), _) => NilMeaning::Hole,
            (None, Some(_)) => NilMeaning::ByType,
            (None, None) => NilMeaning::Unknown,
        };
        let of = self.spec.as_ref().map(|spec| spec.program.response);
        let known = self.variant(of, function);
        let value = &operation.value;
        let carries_nothing = known.is_some_and(|known| known.fields.is_empty());
        let is_repeated = || matches!(value.value, Edn::Nil) || value.value.to_string() == invoked;
        let carried = match &operation.key {
            _ if carries_nothing && is_repeated() => Carried::Nothing,
            None => Carried::Value(value),
            Some(key) => Carried::KeyAndValue(key, value),
        };
        self.text(ExchangePart::Answer, of, function, known, carried, nil)
    }

    fn is_option(&self, of: TypeId) -> bool {
        self.types().is_some_and(|types| matches!(types.get(of), Type::Option(_)))
    }

    fn enumerated(&self, of: Option<TypeId>) -> Option<&EnumDef> {
        let types = self.types()?;
        match types.get(of?) {
            Type::Enum(index) => types.enums.get(*index as usize),
            _ => None,
        }
    }

    /// The variant of a type that stands for a function.
    fn variant(&self, of: Option<TypeId>, name: &str) -> Option<&VariantDef> {
        variant(self.enumerated(of)?, name)
    }

    /// A variant with its content as JSON; the content alone if the type is no enum.
    fn text(
        &self,
        part: ExchangePart,
        of: Option<TypeId>,
        function: &str,
        known: Option<&VariantDef>,
        carried: Carried<'_, '_>,
        nil: NilMeaning,
    ) -> Decoded<String> {
        let writer = JsonWriter { types: self.types(), nil };
        let keys = JsonWriter { nil: NilMeaning::Null, ..writer };
        let field = |at: usize| known.and_then(|known| known.fields.get(at)).map(|(_, of)| *of);
        let name = known.map_or(function, |known| &known.name);
        let mut out = String::new();
        if let (Carried::Value(value), Some(of)) = (&carried, of.filter(|of| self.enumerated(Some(*of)).is_none())) {
            put(writer, value, Some(of), &mut out)?;
            return Ok(out);
        }
        if let (Carried::Value(value), Some(known)) = (&carried, known)
            && let Some(values) = arguments(writer, part, known, &value.value)
        {
            let written = writer.variant(known, &values, 0, &mut out);
            return written.map(|()| out).map_err(|why| JsonError::new(value.offset, why));
        }
        if let (Carried::KeyAndValue(key, value), Some(known)) = (&carried, known)
            && known.fields.first().is_some_and(|(name, _)| name.is_some())
        {
            let written = writer.variant(known, &[&key.value, &value.value], 0, &mut out);
            return written.map(|()| out).map_err(|why| JsonError::new(value.offset, why));
        }
        out.push_str(&format!("{{{}: ", quoted(name)));
        match carried {
            Carried::Nothing => return Ok(quoted(name)),
            Carried::Key(key) => put(keys, key, field(0), &mut out)?,
            Carried::Value(value) => carry(writer, value, known, &mut out)?,
            Carried::KeyAndValue(key, value) => {
                out.push('[');
                put(keys, key, field(0), &mut out)?;
                out.push_str(", ");
                put(writer, value, field(1), &mut out)?;
                out.push(']');
            }
        }
        out.push('}');
        Ok(out)
    }

    /// The other keys of an operation, as further keys of the event's line.
    pub(super) fn notes(operation: &Operation<'_>, keeps_value: bool) -> Decoded<String> {
        let mut out = String::new();
        let value = (Cow::Borrowed("value"), &operation.value);
        let value = Some(value).filter(|(_, value)| keeps_value && !matches!(value.value, Edn::Nil));
        let others = operation.notes.iter().map(|(name, form)| (name.clone(), form));
        for (name, form) in value.into_iter().chain(others) {
            let mark = if is_meaningful(&name) { ":" } else { "" };
            out.push_str(&format!(", {}: ", quoted(&format!("{mark}{name}"))));
            put(JsonWriter { types: None, nil: NilMeaning::Null }, form, None, &mut out)?;
        }
        Ok(out)
    }
}

/// Appends the value as the content of a variant.
fn carry(writer: JsonWriter<'_>, value: &EdnForm<'_>, known: Option<&VariantDef>, out: &mut String) -> Decoded<()> {
    let fields = known.map_or(&[][..], |known| &known.fields);
    let is_apart = fields.len() > 1 || fields.first().is_some_and(|(name, _)| name.is_some());
    if matches!(value.value, Edn::Nil) && is_apart && writer.nil == NilMeaning::ByType {
        out.push_str(HOLE);
        return Ok(());
    }
    put(writer, value, fields.first().filter(|_| !is_apart).map(|(_, of)| *of), out)
}

fn put(writer: JsonWriter<'_>, form: &EdnForm<'_>, of: Option<TypeId>, out: &mut String) -> Decoded<()> {
    writer.write(&form.value, of, out).map_err(|why| JsonError::new(form.offset, why))
}
