//! The form of a type: a tree with a node for each place at which a request or an answer has a value.
//!
//! `enum Request { Get { key: string }, Put { key: string, value: string } }` has four nodes: the request, the keys of both
//! variants, and the value. Facts about a place, such as the values that make sense there, are kept by the number of its node.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::content::HttpContent;
use super::sources::vocabulary::KnownField;
use crate::scalar::{Scalar, Sort};
use crate::server::{ListedValues, PlaceList};
use crate::spec::analysis::links::PartStep;
use crate::spec::generation::field_name;
use crate::spec::http::{HttpCodec, HttpForms, TextPart};
use crate::spec::{Type, TypeId, Types};
use crate::value::{Entry, Value};

/// The most nodes of a form that are told apart by their places; further nodes are told apart only by their types and names.
const MANY_NODES: usize = 2_048;

/// The form of a type. Node 0 is the whole value.
#[derive(Default, Debug)]
pub(super) struct TypeForm {
    pub nodes: Vec<FormNode>,
    /// Set if some values of the type are not drawn: the specification has a `generate` block, or headers are a map.
    pub is_narrow: bool,
}

/// A place in the values of a type.
#[derive(Debug)]
pub(super) struct FormNode {
    pub ty: TypeId,
    /// The name of the innermost field around the place.
    pub name: Option<String>,
    /// The content of the place over HTTP, if its codec says what it is.
    pub content: Option<HttpContent>,
    /// Set if the place is in the head of a message over HTTP.
    pub is_in_head: bool,
    /// Scalars that the place may have over HTTP, if its part of the message is known.
    pub words: Vec<Scalar>,
    /// The known header fields, if the place holds the other headers of a message.
    pub fields: Vec<KnownField>,
    pub kind: FormKind,
    /// The values that the specification lists for the place, if it lists any.
    pub listed: Option<PlaceList>,
    /// The lengths that the specification lists for the place, in increasing order, if it lists any.
    pub lengths: Option<Arc<[usize]>>,
    /// The weights of the variants, if the values of the place have variants.
    pub weights: Vec<u64>,
    /// The depth of the flattest value at the place.
    pub height: u32,
}

/// The parts of the values at a place, as numbers of nodes.
#[derive(Clone, Debug)]
pub(super) enum FormKind {
    /// The only value of the type.
    Nothing,
    Leaf(Sort),
    Option(usize),
    /// A struct or tuple.
    Fields(Vec<usize>),
    /// The fields of each variant.
    Variants(Vec<Vec<usize>>),
    List(usize),
    Set(usize),
    Map(usize, usize),
}

impl TypeForm {
    /// The form of a type.
    pub fn of(types: &Types, ty: TypeId) -> TypeForm {
        TypeForm::listing(types, ty, &ListedValues::default())
    }

    /// The form of a type, with the values that are listed for its fields.
    pub fn listing(types: &Types, ty: TypeId, listed: &ListedValues) -> TypeForm {
        let mut building = FormBuilding {
            types,
            listed,
            form: TypeForm { nodes: Vec::new(), is_narrow: !listed.is_open() },
            open: Vec::new(),
            shared: FxHashMap::default(),
        };
        building.node(ty, PlaceName::default());
        let mut form = building.form;
        form.find_heights();
        form
    }

    /// The node of a field of a variant; without variants, of a field of the value, or of the value itself.
    pub fn field(&self, tag: Option<u32>, index: usize) -> Option<usize> {
        match (&self.nodes[0].kind, tag) {
            (FormKind::Variants(variants), Some(tag)) => variants.get(tag as usize)?.get(index).copied(),
            (FormKind::Fields(fields), _) => fields.get(index).copied(),
            _ => (index == 0).then_some(0),
        }
    }

    /// Notes which parts of requests stand in the head of a message over HTTP, and what its headers are.
    pub fn note_requests(&mut self, forms: &HttpForms) {
        for request in &forms.requests {
            let named = request.query.iter().chain(&request.headers).map(|(_, part)| part);
            for part in request.path.iter().chain(named).chain([&request.method]) {
                let TextPart::Field(field) = part else { continue };
                self.note_head(request.tag, field.index);
            }
            for field in [&request.rest, &request.whole_query, &request.other_headers].into_iter().flatten() {
                self.note_head(request.tag, field.index);
            }
            for (_, part) in &request.headers {
                let TextPart::Field(field) = part else { continue };
                self.note_content(request.tag, field.index, field.codec);
            }
        }
    }

    /// Notes what the parts of answers are over HTTP.
    pub fn note_answers(&mut self, forms: &HttpForms) {
        for answer in &forms.answers {
            for (index, source) in answer.sources.iter().enumerate() {
                source.iter().for_each(|source| self.note_content(answer.tag, index, source.codec));
            }
        }
    }

    fn note_head(&mut self, tag: Option<u32>, index: usize) {
        for node in self.field(tag, index).map_or_else(Vec::new, |node| self.below(node)) {
            self.nodes[node].is_in_head = true;
        }
    }

    fn note_content(&mut self, tag: Option<u32>, index: usize, codec: HttpCodec) {
        let (Some(node), Some(content)) = (self.field(tag, index), HttpContent::of(codec)) else { return };
        for node in self.below(node) {
            let FormNode { kind, content: own, .. } = &mut self.nodes[node];
            if matches!(kind, FormKind::Leaf(sort) if *sort == content.sort()) {
                *own = own.or(Some(content));
            }
        }
    }

    /// A place, and the places inside of it.
    pub fn below(&self, node: usize) -> Vec<usize> {
        let mut found = vec![node];
        let mut at = 0;
        while at < found.len() {
            let parts = match &self.nodes[found[at]].kind {
                FormKind::Leaf(_) | FormKind::Nothing => Vec::new(),
                FormKind::Option(of) | FormKind::List(of) | FormKind::Set(of) => vec![*of],
                FormKind::Map(key, of) => vec![*key, *of],
                FormKind::Fields(fields) => fields.clone(),
                FormKind::Variants(variants) => variants.concat(),
            };
            let new: Vec<usize> = parts.into_iter().filter(|part| !found.contains(part)).collect();
            found.extend(new);
            at += 1;
        }
        found
    }

    fn find_heights(&mut self) {
        loop {
            let heights: Vec<u32> = (0..self.nodes.len()).map(|node| self.height(node)).collect();
            if self.nodes.iter().zip(&heights).all(|(node, height)| node.height == *height) {
                return;
            }
            self.nodes.iter_mut().zip(heights).for_each(|(node, height)| node.height = height);
        }
    }

    fn height(&self, node: usize) -> u32 {
        match &self.nodes[node].kind {
            FormKind::Fields(fields) => self.height_of_fields(fields),
            FormKind::Variants(variants) => {
                variants.iter().map(|fields| self.height_of_fields(fields)).min().unwrap_or_default()
            }
            FormKind::Nothing | FormKind::Leaf(_) | FormKind::Option(_) => 0,
            FormKind::List(_) | FormKind::Set(_) | FormKind::Map(..) => 0,
        }
    }

    /// The node at the end of a path into a value.
    pub fn at(&self, path: &[PartStep]) -> Option<usize> {
        path.iter().try_fold(0, |node, step| match (&self.nodes[node].kind, step) {
            (FormKind::Option(of), PartStep::Field(1, 0)) => Some(*of),
            (FormKind::List(of) | FormKind::Set(of) | FormKind::Map(of, _), PartStep::Element) => Some(*of),
            (FormKind::Map(_, of), PartStep::Entry) => Some(*of),
            (FormKind::Fields(fields), PartStep::Field(_, index)) => fields.get(*index as usize).copied(),
            (FormKind::Variants(variants), PartStep::Field(tag, index)) => {
                variants.get(*tag as usize)?.get(*index as usize).copied()
            }
            _ => None,
        })
    }

    /// Tests whether values of this variant are drawn at all.
    pub fn draws(&self, variant: usize) -> bool {
        self.nodes[0].weights.get(variant) != Some(&0)
    }

    /// Tests whether the specification lets a value be drawn at a place.
    pub fn allows(&self, node: usize, value: &Value) -> bool {
        if !self.is_narrow {
            return true;
        }
        let place = &self.nodes[node];
        if let Some(list) = place.listed.as_ref().filter(|list| list.is_strict) {
            return list.values.contains(value);
        }
        let is_long_enough = place.lengths.as_ref().is_none_or(|lengths| has_length(value, lengths));
        is_long_enough && self.allows_parts(node, value)
    }

    fn allows_parts(&self, node: usize, value: &Value) -> bool {
        let all = |fields: &[usize]| fields.iter().zip(value.fields()).all(|(field, part)| self.allows(*field, part));
        match (&self.nodes[node].kind, value) {
            (FormKind::Option(of), Value::Data { tag: 1, .. }) => all(&[*of]),
            (FormKind::Fields(fields), Value::Data { .. }) => all(fields),
            (FormKind::Variants(variants), Value::Data { tag, .. }) => {
                self.nodes[node].weights[*tag as usize] > 0 && all(&variants[*tag as usize])
            }
            (FormKind::List(of), Value::List(list)) => list.iter().all(|part| self.allows(*of, part)),
            (FormKind::Set(of), Value::Map(map)) => map.looked_at().all(|(part, _)| self.allows(*of, part)),
            (FormKind::Map(key, of), Value::Map(map)) => {
                let is_field = |name: &Value, value: &Value| {
                    let fields = &self.nodes[node].fields;
                    fields.iter().all(|field| field.allows(name, value))
                };
                let allows = |(part, entry): (&Value, &Entry)| {
                    is_field(part, &entry.value) && self.allows(*key, part) && self.allows(*of, &entry.value)
                };
                map.looked_at().all(allows)
            }
            _ => true,
        }
    }

    /// The depth of the flattest value with these fields.
    pub fn height_of_fields(&self, fields: &[usize]) -> u32 {
        fields.iter().map(|field| self.nodes[*field].height.saturating_add(1)).max().unwrap_or_default()
    }
}

/// Tests whether a value has one of these lengths, which increase. A set or map may have fewer elements, as some are drawn twice.
fn has_length(value: &Value, lengths: &[usize]) -> bool {
    let is_listed = |length: usize| lengths.binary_search(&length).is_ok();
    match value {
        Value::Scalar(Scalar::Str(text)) => is_listed(text.chars().count()),
        Value::Scalar(Scalar::Bytes(octets)) => is_listed(octets.len()),
        Value::List(list) => is_listed(list.len()),
        Value::Map(map) if map.bound() == 0 => is_listed(0),
        Value::Map(map) => lengths.last().is_some_and(|most| map.bound() <= *most),
        _ => true,
    }
}

/// The name of the innermost field around a place, and its whole name, as in `Note.due`.
#[derive(Clone, Copy, Default)]
struct PlaceName<'n> {
    own: Option<&'n str>,
    whole: Option<&'n str>,
    /// Set if the place is the whole field, not an element of it.
    is_outermost: bool,
}

impl PlaceName<'_> {
    fn of_elements(self) -> Self {
        PlaceName { is_outermost: false, ..self }
    }
}

/// The key of a node that several places share: their type, their name, and the values and lengths listed for them.
type SharedPlace = (TypeId, Option<String>, Option<PlaceList>, Option<Arc<[usize]>>);

struct FormBuilding<'t> {
    types: &'t Types,
    listed: &'t ListedValues,
    form: TypeForm,
    /// The types of the nodes that are being built, from the root.
    open: Vec<(TypeId, usize)>,
    /// The nodes that several places share.
    shared: FxHashMap<SharedPlace, usize>,
}

impl FormBuilding<'_> {
    fn node(&mut self, ty: TypeId, name: PlaceName<'_>) -> usize {
        let around = self.open.iter().find(|(open, _)| *open == ty && self.types.is_recursive(ty));
        if let Some((_, node)) = around {
            return *node;
        }
        let listed = self.listed.values(self.types, name.whole, ty);
        let lengths = self.listed.lengths(name.whole.filter(|_| name.is_outermost), ty);
        let named = (ty, name.own.map(str::to_owned), listed.clone(), lengths.clone());
        let is_shared = self.form.nodes.len() >= MANY_NODES;
        if let Some(node) = self.shared.get(&named).filter(|_| is_shared) {
            return *node;
        }
        let node = self.form.nodes.len();
        let (kind, name_of_node, weights) = (FormKind::Nothing, named.1.clone(), self.weights(ty));
        self.form.nodes.push(FormNode {
            ty,
            name: name_of_node,
            content: None,
            is_in_head: false,
            words: Vec::new(),
            fields: Vec::new(),
            kind,
            listed,
            lengths,
            weights,
            height: u32::MAX,
        });
        if is_shared {
            self.shared.insert(named, node);
        }
        self.open.push((ty, node));
        self.form.nodes[node].kind = self.kind(ty, name);
        self.open.pop();
        node
    }

    fn weights(&self, ty: TypeId) -> Vec<u64> {
        match self.types.get(ty) {
            Type::Enum(at) => {
                let variants = self.types.enums[*at as usize].variants.len() as u32;
                (0..variants).map(|tag| self.listed.weight(ty, tag)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn kind(&mut self, ty: TypeId, name: PlaceName<'_>) -> FormKind {
        let types = self.types;
        match types.get(ty) {
            Type::Unit | Type::Error => FormKind::Nothing,
            Type::Int => FormKind::Leaf(Sort::Int),
            Type::Bool => FormKind::Leaf(Sort::Bool),
            Type::Str => FormKind::Leaf(Sort::Str),
            Type::Bytes => FormKind::Leaf(Sort::Bytes),
            Type::Client => FormKind::Leaf(Sort::Client),
            Type::Json => FormKind::Leaf(Sort::Json),
            Type::Token(token) => FormKind::Leaf(Sort::Token(*token)),
            Type::Option(of) => FormKind::Option(self.node(*of, name)),
            Type::List(of) => FormKind::List(self.node(*of, name.of_elements())),
            Type::Set(of) => FormKind::Set(self.node(*of, name.of_elements())),
            Type::Map(key, of) => {
                FormKind::Map(self.node(*key, PlaceName::default()), self.node(*of, name.of_elements()))
            }
            Type::Tuple(_) | Type::Struct(_) => FormKind::Fields(self.fields(ty, 0)),
            Type::Enum(at) => {
                let variants = types.enums[*at as usize].variants.len() as u32;
                FormKind::Variants((0..variants).map(|tag| self.fields(ty, tag)).collect())
            }
        }
    }

    fn fields(&mut self, ty: TypeId, tag: u32) -> Vec<usize> {
        let types = self.types;
        let field = |(at, (name, of)): (usize, (Option<&str>, TypeId))| {
            let whole = field_name(types, ty, tag, at);
            self.node(of, PlaceName { own: name, whole: Some(&whole), is_outermost: true })
        };
        types.fields(ty, tag).into_iter().enumerate().map(field).collect()
    }
}
