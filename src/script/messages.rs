//! The messages of a run so far, and the requests that a script makes from them.
//!
//! A reference is first looked up in the typed value of its message. Only if that fails, it is looked up in JSON.
//!
//! ```
//! use mayhap::Spec;
//! use mayhap::script::{MessageKind, Messages, PlacedReference, Reference, RequestTemplate};
//! use mayhap::value::Value;
//! let spec = Spec::from_text("protocol p { request int; response int; on q { reply q + 1; } }")?;
//! let mut messages = Messages::new(&spec);
//! messages.push(1, MessageKind::Request, Value::from(5));
//! messages.push(2, MessageKind::Response, Value::from(6));
//! let references = vec![PlacedReference { at: vec![], to: Reference::read("2").unwrap() }];
//! let template = RequestTemplate { value: Value::from(0), references };
//! assert_eq!(template.instantiate(&messages), Value::from(6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::part::{changed, exact_part, smallest, type_at};
use super::reference::first_part;
use super::{JsonTree, PlacedReference, Reference, RequestTemplate};
use crate::choice::Random;
use crate::json;
use crate::scalar::Int;
use crate::server::{Ranges, Reply, Server};
use crate::spec::Spec;
use crate::spec::types::{Type, TypeId, Types};
use crate::value::Value;

/// The sender of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageKind {
    /// A client.
    Request,
    /// The system.
    Response,
}

/// The messages of a run so far, in the order in which they were observed.
#[derive(Debug)]
pub struct Messages {
    spec: Arc<Spec>,
    entries: Vec<LabelledMessage>,
    by_label: FxHashMap<u64, usize>,
    functions: RefCell<FxHashMap<String, Option<Arc<Spec>>>>,
}

/// A message of a run.
#[derive(Debug)]
struct LabelledMessage {
    label: u64,
    kind: MessageKind,
    value: Value,
    /// The message as JSON, after it was first asked for.
    tree: OnceCell<Option<JsonTree>>,
}

impl Messages {
    /// No messages.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> Messages {
        let (by_label, functions) = (FxHashMap::default(), RefCell::default());
        Messages { spec: spec.clone(), entries: Vec::new(), by_label, functions }
    }

    /// Adds a message, which was just observed.
    pub fn push(&mut self, label: u64, kind: MessageKind, value: Value) {
        self.by_label.entry(label).or_insert(self.entries.len());
        self.entries.push(LabelledMessage { label, kind, value, tree: OnceCell::new() });
    }

    /// The number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tests whether there are no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The message with this label.
    #[must_use]
    pub fn get(&self, label: u64) -> Option<(MessageKind, &Value)> {
        self.by_label.get(&label).map(|at| (self.entries[*at].kind, &self.entries[*at].value))
    }

    fn type_of(&self, kind: MessageKind) -> TypeId {
        match kind {
            MessageKind::Request => self.spec.program.request,
            MessageKind::Response => self.spec.program.response,
        }
    }

    fn tree(&self, at: usize) -> Option<&JsonTree> {
        let LabelledMessage { kind, value, tree, .. } = &self.entries[at];
        let read = || JsonTree::read(&json::encode(&self.spec.types, self.type_of(*kind), value)).ok();
        tree.get_or_init(read).as_ref()
    }

    /// The result of a pure function of the specification; `None` if there is no such function, or it has no result.
    fn apply(&self, function: &str, argument: impl FnOnce(TypeId) -> Option<Value>) -> Option<(TypeId, Value)> {
        let spec = {
            let mut known = self.functions.borrow_mut();
            known.entry(function.to_owned()).or_insert_with(|| self.spec.applying(function)).clone()?
        };
        let argument = argument(spec.program.request)?;
        let mut source = Random::new(0);
        let mut server = Server::new(spec.clone(), Ranges::default(), &mut source).ok()?;
        match server.handle(&argument, 1, &mut source).ok()? {
            Reply::Answer(result) => Some((spec.program.response, result)),
            Reply::Nothing => None,
        }
    }

    /// The part of a message as a value of a type, after the function of the reference was applied to it.
    fn through(&self, via: Option<&String>, ty: TypeId, part: &Value, wanted: TypeId) -> Option<Value> {
        let types = &self.spec.types;
        match via {
            None => fitted(types, ty, part, wanted),
            Some(function) => {
                let (ty, result) = self.apply(function, |parameter| fitted(types, ty, part, parameter))?;
                fitted(types, ty, &result, wanted)
            }
        }
    }

    fn through_json(&self, via: Option<&String>, part: &JsonTree, wanted: TypeId) -> Option<Value> {
        let types = &self.spec.types;
        let decoded = |ty| json::decode(types, ty, &part.text()).ok();
        match via {
            None => decoded(wanted),
            Some(function) => {
                let (ty, result) = self.apply(function, decoded)?;
                fitted(types, ty, &result, wanted)
            }
        }
    }
}

impl Reference {
    /// The value of a type that the reference stands for in its own message; `None` if there is none.
    #[must_use]
    pub fn evaluate_there(&self, messages: &Messages, wanted: TypeId) -> Option<Value> {
        let LabelledMessage { kind, value, .. } = &messages.entries[*messages.by_label.get(&self.label)?];
        let (ty, part) = exact_part(&messages.spec.types, messages.type_of(*kind), value, &self.path)?;
        self.moved(messages.through(self.via.as_ref(), ty, &part, wanted)?)
    }

    /// The value of a type that the reference stands for among the messages of a run, after the label of its message. Messages
    /// and elements that are missing are replaced by others. `None` if no message has such a part of this type.
    #[must_use]
    pub fn evaluate(&self, messages: &Messages, wanted: TypeId) -> Option<(u64, Value)> {
        if let Some(found) = self.evaluate_there(messages, wanted) {
            return Some((self.label, found));
        }
        let own = messages.by_label.get(&self.label).copied();
        let others = (0..messages.entries.len()).filter(|at| Some(*at) != own);
        own.into_iter().chain(others).find_map(|at| {
            let accept = &mut |part: &JsonTree| self.moved(messages.through_json(self.via.as_ref(), part, wanted)?);
            let found = first_part(messages.tree(at)?, &self.path, accept)?;
            Some((messages.entries[at].label, found))
        })
    }
}

impl Reference {
    /// The value with the number added; `None` if it is no integer.
    fn moved(&self, value: Value) -> Option<Value> {
        match &value {
            _ if self.plus == 0 => Some(value),
            Value::Data { tag: 1, .. } => Some(Value::some(self.moved(value.fields().first()?.clone())?)),
            _ => Some(Value::Scalar(value.as_int()?.add(&Int::from(self.plus)).into())),
        }
    }
}

impl RequestTemplate {
    /// The request after these messages. A reference that stands for nothing among them becomes the smallest value of its type.
    #[must_use]
    pub fn instantiate(&self, messages: &Messages) -> Value {
        let (types, ty) = (&messages.spec.types, messages.spec.program.request);
        let mut request = self.value.clone();
        for PlacedReference { at, to } in &self.references {
            let found = changed(types, ty, &request, at, &mut |wanted, _| {
                to.evaluate(messages, wanted).map_or_else(|| smallest(types, wanted), |(_, found)| found)
            });
            request = found.unwrap_or(request);
        }
        request
    }

    /// The template with the values that its references had when it was sent as this request.
    #[must_use]
    pub fn sent_as(&self, types: &Types, ty: TypeId, request: Value) -> RequestTemplate {
        let mut references = Vec::new();
        for PlacedReference { at, to } in &self.references {
            // The place inside of an option stands for the option, which may have become `None`.
            let at = at_option(types, ty, &self.value, at);
            if changed(types, ty, &request, &at, &mut |_, part| part.clone()).is_some() {
                references.push(PlacedReference { at, to: to.clone() });
            }
        }
        RequestTemplate { value: request, references }
    }
}

/// The place of the outermost option that contains just this place, or the place itself.
fn at_option(types: &Types, ty: TypeId, value: &Value, at: &[usize]) -> Vec<usize> {
    let mut place = at.to_vec();
    while let Some((0, outer)) = place.split_last() {
        let outer = type_at(types, ty, value, outer);
        if !outer.is_some_and(|outer| matches!(types.get(outer), Type::Option(_))) {
            break;
        }
        place.pop();
    }
    place
}

/// A value of one type as a value of another one, if its JSON is one, perhaps with other options around it.
fn fitted(types: &Types, ty: TypeId, value: &Value, wanted: TypeId) -> Option<Value> {
    if !value.is_known() {
        return None;
    }
    if ty == wanted {
        return Some(value.clone());
    }
    match (types.get(ty), types.get(wanted)) {
        (_, Type::Option(of)) if *of == ty => Some(Value::some(value.clone())),
        (Type::Option(of), _) if *of == wanted => value.fields().first().cloned(),
        _ => json::decode(types, wanted, &json::encode(types, ty, value)).ok(),
    }
}
