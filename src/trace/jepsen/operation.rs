//! An operation of a Jepsen history: a process invokes a function, or learns the outcome.
//!
//! In `{:process 3, :type :ok, :f :read, :value 4, :time 99}` process 3 learns that its `:read` returned 4; `:time` is a note.

use super::edn::{Edn, EdnForm, EdnMap};
use super::json::is_tuple;
use crate::json::{Decoded, JsonError};
use std::borrow::Cow;

/// A record of a history.
pub(super) enum JepsenRecord<'a> {
    Operation(Operation<'a>),
    /// An operation that no client did: its process has a name, such as `:nemesis`.
    NoClient,
    /// A line that records nothing.
    Nothing,
}

/// An invocation of a client, or its outcome.
#[derive(Debug)]
pub(super) struct Operation<'a> {
    pub(super) line: u64,
    /// Its number among the operations that begin on this line, from 1.
    pub(super) nth: u32,
    /// The byte at which it begins.
    pub(super) offset: usize,
    /// The process, if it is given: histories of one client or without invocations may leave it out.
    pub(super) process: Option<u64>,
    pub(super) kind: OperationKind,
    /// The function, if it is given: histories of transactions may leave it out.
    pub(super) function: Option<String>,
    pub(super) key: Option<EdnForm<'a>>,
    pub(super) value: EdnForm<'a>,
    /// The other keys, with their values.
    pub(super) notes: Vec<(Cow<'a, str>, EdnForm<'a>)>,
}

/// The type of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OperationKind {
    /// The request is sent.
    Invoke,
    /// Its answer came.
    Ok,
    /// The request had no effect, which may be its answer.
    Fail,
    /// No answer came.
    Info,
}

/// The process that does an operation.
pub(super) enum Invoker {
    Client(u64),
    Other,
}

impl OperationKind {
    pub(super) fn of(name: &str, offset: usize) -> Decoded<OperationKind> {
        match name {
            "invoke" => Ok(OperationKind::Invoke),
            "ok" => Ok(OperationKind::Ok),
            "fail" => Ok(OperationKind::Fail),
            "info" => Ok(OperationKind::Info),
            _ => Err(JsonError::new(offset, format!("expected :invoke, :ok, :fail or :info, found :{name}"))),
        }
    }
}

impl Invoker {
    pub(super) fn numbered(text: &str, offset: usize) -> Decoded<Invoker> {
        let expected = || {
            let message = format!("expected the number of a process, or a name such as :nemesis, found {text:?}");
            JsonError::new(offset, message)
        };
        text.parse().map(Invoker::Client).map_err(|_| expected())
    }

    fn of(form: &EdnForm<'_>) -> Decoded<Invoker> {
        match &form.value {
            Edn::Key(_) | Edn::Str(_) | Edn::Symbol(_) => Ok(Invoker::Other),
            other => Invoker::numbered(&other.to_string(), form.offset),
        }
    }
}

/// The values of an operation's keys, not interpreted yet.
#[derive(Default)]
struct Fields<'a> {
    process: Option<EdnForm<'a>>,
    kind: Option<EdnForm<'a>>,
    function: Option<EdnForm<'a>>,
    key: Option<EdnForm<'a>>,
    value: Option<EdnForm<'a>>,
    notes: Vec<(Cow<'a, str>, EdnForm<'a>)>,
}

impl<'a> Fields<'a> {
    fn add(&mut self, key: EdnForm<'a>, value: EdnForm<'a>) -> Decoded<()> {
        let name = match &key.value {
            Edn::Key(name) | Edn::Str(name) | Edn::Symbol(name) => name.clone(),
            _ => return Err(JsonError::new(key.offset, "expected a key such as :process, :type, :f or :value")),
        };
        let slot = match name.as_ref() {
            "process" => &mut self.process,
            "type" => &mut self.kind,
            "f" => &mut self.function,
            "key" => &mut self.key,
            "value" => &mut self.value,
            _ if self.notes.iter().any(|(known, _)| *known == name) => return Err(twice(&key, &name)),
            _ => {
                self.notes.push((name, value));
                return Ok(());
            }
        };
        if slot.replace(value).is_some() { Err(twice(&key, &name)) } else { Ok(()) }
    }
}

fn twice(key: &EdnForm<'_>, name: &str) -> JsonError {
    JsonError::new(key.offset, format!("the key :{name} stands twice"))
}

impl<'a> Operation<'a> {
    /// The name of a function.
    pub(super) fn named(form: &EdnForm<'_>) -> Decoded<String> {
        match &form.value {
            Edn::Key(name) | Edn::Str(name) | Edn::Symbol(name) => Ok(variant(name)),
            _ => Err(JsonError::new(form.offset, "expected the name of a function, such as :read")),
        }
    }

    /// The record of a map.
    pub(super) fn of_map(map: EdnMap<'a>) -> Decoded<JepsenRecord<'a>> {
        let EdnMap { line, nth, offset, .. } = map;
        let mut fields = Fields::default();
        map.fields.into_iter().try_for_each(|(key, value)| fields.add(key, value))?;
        let missing = |what| move || JsonError::new(offset, format!("expected the key {what} in this operation"));
        let process = match fields.process.as_ref().map(Invoker::of).transpose()? {
            Some(Invoker::Other) => return Ok(JepsenRecord::NoClient),
            Some(Invoker::Client(process)) => Some(process),
            None => None,
        };
        let kind = fields.kind.ok_or_else(missing(":type"))?;
        let kind = match &kind.value {
            Edn::Key(name) | Edn::Str(name) | Edn::Symbol(name) => OperationKind::of(name, kind.offset)?,
            _ => return Err(JsonError::new(kind.offset, "expected :invoke, :ok, :fail or :info")),
        };
        let function = fields.function.filter(|function| !matches!(function.value, Edn::Nil));
        Ok(JepsenRecord::Operation(Operation {
            line,
            nth,
            offset,
            process,
            kind,
            function: function.as_ref().map(Operation::named).transpose()?,
            key: fields.key.filter(|key| !matches!(key.value, Edn::Nil)),
            value: fields.value.map_or(EdnForm { value: Edn::Nil, offset }, pair),
            notes: fields.notes,
        }))
    }

    /// Tests whether the outcome of the request is unknown.
    pub(super) fn is_lost(&self) -> bool {
        let timed_out = |value: &Edn<'_>| matches!(value, Edn::Key(text) | Edn::Str(text) if text == "timed-out");
        let by_error = |value: &Edn<'_>| match value {
            Edn::Vector(parts) => parts.first().is_some_and(timed_out),
            other => timed_out(other),
        };
        let error = self.notes.iter().find(|(name, _)| name == "error");
        match self.kind {
            OperationKind::Info => true,
            OperationKind::Fail => {
                timed_out(&self.value.value) || error.is_some_and(|(_, error)| by_error(&error.value))
            }
            OperationKind::Invoke | OperationKind::Ok => false,
        }
    }
}

/// The value, as a list of key and value if it is a tagged pair such as `#jepsen.independent.Tuple{:key 7, :value 3}`.
pub(super) fn pair(form: EdnForm<'_>) -> EdnForm<'_> {
    let EdnForm { value: Edn::Tagged(tag, of), offset } = &form else { return form };
    if !is_tuple(tag) {
        return form;
    }
    let value = match &**of {
        Edn::Map(entries) => {
            let part = |name| entries.get(&Edn::key(name)).cloned().unwrap_or(Edn::Nil);
            Edn::Vector(vec![part("key"), part("value")])
        }
        other => other.clone(),
    };
    EdnForm { value, offset: *offset }
}

/// The name of the variant for a function: `:compare-and-set` is `CompareAndSet`.
fn variant(function: &str) -> String {
    let parts = function.split(['-', '/', '.']);
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    parts.map(capital).collect()
}
