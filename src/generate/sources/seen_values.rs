//! The values in the answers of a run, by kind, so that later requests can refer to them.
//!
//! After `{"Ok": {"value": "x", "tag": {"weak": true, "opaque": "33f"}}}` a `Tag`, a token `Opaque` and a text called `value` are
//! known, each with its place in the answer.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::generate::content::HttpContent;
use crate::generate::form::{FormKind, FormNode, TypeForm};
use crate::scalar::{Scalar, Sort};
use crate::script::{PathStep, PlacedReference, Reference};
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::Value;

/// The number of last values of each kind that are kept.
const KEPT: usize = 12;
/// The most values of one answer that are kept.
const TAKEN: usize = 32;
/// The most elements of one list that are looked at.
const ELEMENTS: usize = 4;
/// The most values whose origins are remembered.
const ORIGINS: usize = 4_096;
/// The most bytes of a text that requests refer to.
const LONG_TEXT: usize = 256;

/// The place of a part of a value: the numbers of fields and elements from the root.
pub(crate) type PartPlace = SmallVec<[u32; 6]>;

/// A value in an answer.
#[derive(Clone, Debug)]
pub(crate) struct SeenValue {
    pub value: Value,
    /// The label of the message.
    label: u64,
    at: PartPlace,
    message: Value,
}

/// The values in the answers of a run.
#[derive(Debug)]
pub(crate) struct SeenValues {
    answers: TypeForm,
    response: TypeId,
    /// The numbers of the kinds at each place of an answer: the kind by its name, and that of all values of its type.
    kinds_of: Vec<SmallVec<[usize; 2]>>,
    kinds: FxHashMap<(TypeId, KindName), usize>,
    /// The last values of each kind, the newest at the end.
    last: Vec<VecDeque<SeenValue>>,
    /// The newest place of each value of a type.
    origins: FxHashMap<(TypeId, Value), SeenValue>,
    /// The values of each kind that a request had before any answer.
    own: FxHashSet<(usize, Value)>,
}

impl SeenValues {
    /// An empty record for the answers of a specification.
    pub fn of_answers(spec: &Spec) -> SeenValues {
        let (types, response) = (&spec.types, spec.program.response);
        let mut answers = TypeForm::of(types, response);
        spec.http.iter().for_each(|forms| answers.note_answers(forms));
        SeenValues::of(types, (response, answers))
    }

    /// An empty record for answers of a type.
    pub fn of(types: &Types, (response, answers): (TypeId, TypeForm)) -> SeenValues {
        let mut kinds = FxHashMap::default();
        let mut kinds_of = Vec::new();
        for node in &answers.nodes {
            let own = KindName::of(types, node).into_iter();
            let own = own.flat_map(|name| [name, KindName::Any]);
            let mut numbers = SmallVec::new();
            for name in own {
                let next = kinds.len();
                let number = *kinds.entry((node.ty, name)).or_insert(next);
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            kinds_of.push(numbers);
        }
        let last = vec![VecDeque::new(); kinds.len()];
        let (origins, own) = (FxHashMap::default(), FxHashSet::default());
        SeenValues { answers, response, kinds_of, kinds, last, origins, own }
    }

    /// Tests whether answers have values with the name or the content of a place of a request. To be asked before [`SeenValues::kinds_for`].
    pub fn has_like(&self, types: &Types, node: &FormNode) -> bool {
        KindName::of(types, node).is_some_and(|name| self.kinds.contains_key(&(node.ty, name)))
    }

    /// The kinds of values that make sense at each place of a request: values of its name or content.
    pub fn kinds_for(&mut self, types: &Types, requests: &TypeForm) -> Vec<Option<usize>> {
        let of = |node: &FormNode| {
            let name = KindName::of(types, node)?;
            let next = self.kinds.len();
            Some(*self.kinds.entry((node.ty, name)).or_insert(next))
        };
        let kinds = requests.nodes.iter().map(of).collect();
        self.last.resize(self.kinds.len(), VecDeque::new());
        kinds
    }

    /// Forgets all values, as a new run begins.
    pub fn clear(&mut self) {
        self.last.iter_mut().for_each(VecDeque::clear);
        self.origins.clear();
        self.own.clear();
    }

    /// The last values of a kind, the newest at the end.
    pub fn last(&self, kind: usize) -> &VecDeque<SeenValue> {
        &self.last[kind]
    }

    /// Notes the values of a request, which stay literals later.
    pub fn ask(&mut self, requests: &TypeForm, kinds: &dyn Fn(usize) -> Option<usize>, request: &Value) {
        if self.own.len() < ORIGINS {
            self.take_own(requests, kinds, 0, request);
        }
    }

    fn take_own(&mut self, form: &TypeForm, kinds: &dyn Fn(usize) -> Option<usize>, node: usize, value: &Value) {
        if !matches!(value, Value::Scalar(_)) {
            return parts(form, node, value).for_each(|(_, node, part)| self.take_own(form, kinds, node, part));
        }
        // The server may still choose an integer that a request had.
        let is_int = value.as_int().is_some();
        let Some(kind) = kinds(node).filter(|_| refers(value) && !is_int) else { return };
        let is_new = !self.origins.contains_key(&(form.nodes[node].ty, value.clone()));
        if is_new {
            self.own.insert((kind, value.clone()));
        }
    }

    /// Notes the values of an answer.
    pub fn answer(&mut self, label: u64, answer: &Value) {
        let answers = std::mem::take(&mut self.answers);
        let mut taking =
            AnswerTaking { seen: self, form: &answers, label, message: answer, at: PartPlace::new(), left: TAKEN };
        taking.part(0, answer);
        self.answers = answers;
    }

    /// The newest place of a value in an answer; `None` if a request had the value before, as one of this kind.
    pub fn origin(&self, ty: TypeId, kind: Option<usize>, value: &Value) -> Option<&SeenValue> {
        let is_own = |kind| self.own.contains(&(kind, value.clone()));
        if self.origins.is_empty() || kind.is_some_and(is_own) { None } else { self.origins.get(&(ty, value.clone())) }
    }

    /// The kind of the values of a type, without a name.
    pub fn kind_of_type(&self, ty: TypeId) -> Option<usize> {
        self.kinds.get(&(ty, KindName::Any)).copied()
    }

    /// The reference from a place of a request to a value of an answer.
    pub fn reference(&self, types: &Types, at: &[usize], seen: &SeenValue) -> PlacedReference {
        let path = path(types, self.response, &seen.message, &seen.at);
        PlacedReference { at: at.to_vec(), to: Reference { label: seen.label, path, via: None, plus: 0 } }
    }
}

/// The name of a kind of values of one type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum KindName {
    /// All values of the type.
    Any,
    /// The values in fields of this name.
    Field(String),
    /// The values with this content over HTTP, whatever the fields are called.
    Content(HttpContent),
}

impl KindName {
    /// The name of the kind at a place; `None` if its values are never taken from answers. For a type of its own the name of the field
    /// does not matter.
    fn of(types: &Types, node: &FormNode) -> Option<KindName> {
        match types.get(node.ty) {
            Type::Token(_) | Type::Struct(_) | Type::Enum(_) => Some(KindName::Any),
            Type::Int | Type::Str | Type::Bytes | Type::Json => Some(match (node.content, &node.name) {
                (Some(content), _) => KindName::Content(content),
                (None, Some(name)) => KindName::Field(name.clone()),
                (None, None) => KindName::Any,
            }),
            Type::Unit | Type::Bool | Type::Client | Type::Error | Type::Option(_) => None,
            Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Tuple(_) => None,
        }
    }
}

/// Tests whether a scalar is worth a reference.
fn refers(value: &Value) -> bool {
    match value {
        Value::Scalar(Scalar::Str(text)) => text.len() <= LONG_TEXT,
        Value::Scalar(Scalar::Bytes(octets)) => octets.len() <= LONG_TEXT,
        Value::Scalar(Scalar::Int(_) | Scalar::Token(_)) => true,
        _ => false,
    }
}

/// The parts of a value, each with its number and the node of its place. Parts of maps and sets have no place.
pub(crate) fn parts<'v>(
    form: &'v TypeForm,
    node: usize,
    value: &'v Value,
) -> Box<dyn Iterator<Item = (u32, usize, &'v Value)> + 'v> {
    match (&form.nodes[node].kind, value) {
        (FormKind::Option(of), Value::Data { tag: 1, .. }) => {
            Box::new(value.fields().iter().map(|part| (0, *of, part)))
        }
        (FormKind::Fields(fields), Value::Data { .. }) => numbered(fields, value),
        (FormKind::Variants(variants), Value::Data { tag, .. }) => match variants.get(*tag as usize) {
            Some(fields) => numbered(fields, value),
            None => Box::new(std::iter::empty()),
        },
        (FormKind::List(of), Value::List(list)) => {
            Box::new(list.iter().take(ELEMENTS).enumerate().map(|(at, part)| (at as u32, *of, part)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

fn numbered<'v>(fields: &'v [usize], value: &'v Value) -> Box<dyn Iterator<Item = (u32, usize, &'v Value)> + 'v> {
    Box::new(fields.iter().zip(value.fields()).enumerate().map(|(at, (node, part))| (at as u32, *node, part)))
}

/// The values of one answer, while they are collected.
struct AnswerTaking<'s> {
    seen: &'s mut SeenValues,
    form: &'s TypeForm,
    label: u64,
    message: &'s Value,
    at: PartPlace,
    left: usize,
}

impl AnswerTaking<'_> {
    fn part(&mut self, node: usize, value: &Value) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        if self.form.nodes[node].kind.is_leaf() && value.is_known() && refers(value) {
            self.origin(node, value);
        }
        if node != 0 || !matches!(value, Value::Data { .. }) {
            self.seen.kinds_of[node].clone().into_iter().for_each(|kind| self.keep(kind, value));
        }
        let form = self.form;
        for (number, node, part) in parts(form, node, value) {
            self.at.push(number);
            self.part(node, part);
            self.at.pop();
        }
    }

    fn here(&self, value: &Value) -> SeenValue {
        SeenValue { value: value.clone(), label: self.label, at: self.at.clone(), message: self.message.clone() }
    }

    fn origin(&mut self, node: usize, value: &Value) {
        let known = (self.form.nodes[node].ty, value.clone());
        if self.seen.origins.len() >= ORIGINS {
            self.seen.origins.clear();
        }
        let here = self.here(value);
        self.seen.origins.insert(known, here);
    }

    fn keep(&mut self, kind: usize, value: &Value) {
        let here = self.here(value);
        let last = &mut self.seen.last[kind];
        if let Some(known) = last.iter().position(|seen| seen.value == *value) {
            last.remove(known);
        }
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back(here);
    }
}

impl FormKind {
    fn is_leaf(&self) -> bool {
        matches!(self, FormKind::Leaf(Sort::Int | Sort::Str | Sort::Bytes | Sort::Token(_)))
    }
}

/// The path in JSON to a place in a message.
fn path(types: &Types, mut ty: TypeId, message: &Value, at: &[u32]) -> Vec<PathStep> {
    let (mut path, mut value) = (Vec::new(), message);
    for number in at {
        let index = *number as usize;
        match (types.get(ty), value) {
            (Type::List(of), Value::List(list)) => {
                path.push(PathStep::Element(index + 1));
                (ty, value) = (*of, &list[index]);
            }
            (kind, Value::Data { tag, .. }) => {
                let fields = types.fields(ty, *tag);
                let is_several = fields.len() > 1;
                if let Type::Enum(at) = kind {
                    path.push(PathStep::Field(types.enums[*at as usize].variants[*tag as usize].name.clone()));
                }
                let (name, of) = fields[index];
                match (name, kind) {
                    (Some(name), _) => path.push(PathStep::Field(name.to_owned())),
                    (None, Type::Tuple(_)) => path.push(PathStep::Element(index + 1)),
                    (None, Type::Enum(_)) if is_several => path.push(PathStep::Element(index + 1)),
                    (None, _) => {}
                }
                (ty, value) = (of, &value.fields()[index]);
            }
            _ => break,
        }
    }
    path
}
