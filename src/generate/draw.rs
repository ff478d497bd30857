//! Drawing a request: the value at each place is from the domain, the state or the trace, or is made of such parts.
//!
//! A tag from an answer becomes a reference to this answer, along with the tag itself.

use super::form::{FormKind, FormNode, TypeForm};
use super::sources::domain::{ValueDomain, ValueSizes, letters};
use super::sources::held;
use super::sources::seen_values::SeenValues;
use super::sources::{SOURCES, SourceWeights, ValueSource};
use super::swarm::Swarm;
use crate::choice::{ChoiceError, Choices};
use crate::scalar::{Int, Scalar, Sort};
use crate::script::{PlacedReference, RequestTemplate};
use crate::server::PlaceList;
use crate::spec::analysis::links::LinkedPart;
use crate::spec::{TypeId, Types};
use crate::value::{Map, Value};

/// The greatest depth of drawn values, unless their type has none that are flatter.
const DEPTH: usize = 6;
/// The weights of 0, 1, 2, 3, 4 and more elements of a list, a set or a map.
const ELEMENTS: [u64; 6] = [4, 12, 8, 4, 2, 1];
/// The most further elements, of usual values and of long ones.
const MORE: [usize; 2] = [4, 32];
/// The most characters of a long text in the head of a message over HTTP, unless the specification names a greater length. A server may
/// refuse a longer head (RFC 9110, section 5.4): Apache 2.4 takes lines of 8190 octets, with the name of the field.
const LONGEST_IN_HEAD: usize = 257;
/// The number of lengths listed for a place that most draws take one of: the least.
const FIRST_LENGTHS: usize = 8;

/// The facts about a place of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceFacts {
    /// The weights of the sources of the place's values.
    pub weights: [u64; 5],
    /// The places in the state whose values make sense here.
    pub states: Vec<LinkedPart>,
    /// The kind of values in the trace that make sense here.
    pub kind: Option<usize>,
    /// Set if a scalar never becomes a reference, as the server does not choose the values that make sense here.
    pub is_literal: bool,
}

/// Draws one request.
pub(super) struct Drawer<'d> {
    pub types: &'d Types,
    pub form: &'d TypeForm,
    pub places: &'d [PlaceFacts],
    pub domain: &'d ValueDomain,
    pub swarm: &'d Swarm,
    pub seen: &'d SeenValues,
    pub states: &'d [&'d [Value]],
    /// The one key that is used, if requests are to have a key in common.
    pub only_key: Option<usize>,
    pub choices: &'d mut dyn Choices,
    pub at: Vec<usize>,
    pub references: Vec<PlacedReference>,
    pub weights: SourceWeights,
}

type DrawnValue<T> = Result<T, ChoiceError>;

impl Drawer<'_> {
    /// Draws a request, of this variant if one is given.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn request(mut self, variant: Option<usize>) -> DrawnValue<RequestTemplate> {
        let value = match (&self.form.nodes[0].kind, variant) {
            (FormKind::Variants(variants), Some(tag)) if tag < variants.len() && self.form.draws(tag) => {
                self.fields(&variants[tag], tag as u32, DEPTH)?
            }
            _ => self.value(0, DEPTH)?,
        };
        Ok(RequestTemplate { value, references: self.references })
    }

    fn value(&mut self, node: usize, depth: usize) -> DrawnValue<Value> {
        let facts = &self.places[node];
        let mut weights = self.weights.of(&facts.weights);
        if self.states.is_empty() || facts.states.is_empty() {
            weights[2] = 0;
        }
        if facts.kind.is_none_or(|kind| self.seen.last(kind).is_empty()) {
            weights[3] = 0;
        }
        let source = if weights.iter().all(|weight| *weight == 0) {
            ValueSource::Parts
        } else {
            SOURCES[self.choices.weighted("source", &weights)?]
        };
        let known = self.references.len();
        let drawn = match source {
            ValueSource::Keys => self.key(node)?,
            ValueSource::State => self.of_state(node)?,
            ValueSource::Trace => self.of_trace(node)?,
            ValueSource::Domain | ValueSource::Parts => None,
        };
        match drawn {
            Some(value) if self.form.allows(node, &value) => Ok(value),
            _ => {
                self.references.truncate(known);
                self.parts(node, depth)
            }
        }
    }

    fn key(&mut self, node: usize) -> DrawnValue<Option<Value>> {
        let FormKind::Leaf(sort) = self.form.nodes[node].kind else { return Ok(None) };
        let number = match self.only_key {
            Some(key) => key % self.swarm.keys,
            None => self.choices.choose("key", self.swarm.keys)?,
        };
        if let Some(PlaceList { values, .. }) = &self.form.nodes[node].listed {
            return Ok(Some(values[(self.swarm.first_key + number) % values.len()].clone()));
        }
        Ok(Some(Value::Scalar(self.swarm.key(sort, number))))
    }

    /// Draws a value from a state. It becomes a reference if the client can only know it from an answer.
    fn of_state(&mut self, node: usize) -> DrawnValue<Option<Value>> {
        let places = &self.places[node].states;
        let place = &places[self.choices.choose("place of the state", places.len())?];
        let state = self.states[self.choices.choose("state", self.states.len())?];
        let Some(value) = held::draw(place, state, self.choices)? else { return Ok(None) };
        let known = self.references.len();
        if !self.places[node].is_literal {
            self.refer(self.form.nodes[node].ty, self.places[node].kind, &value);
        }
        self.beside(node, value, known).map(Some)
    }

    /// A known number, or seldom one beside it; so are the references from `known` on.
    fn beside(&mut self, node: usize, value: Value, known: usize) -> DrawnValue<Value> {
        let beside = match self.form.nodes[node].kind.is(Sort::Int) {
            true => [0, 1, -1][self.choices.weighted("beside", &[12, 1, 1])?],
            false => 0,
        };
        let (Some(int), true) = (value.as_int(), beside != 0) else { return Ok(value) };
        self.references[known..].iter_mut().for_each(|reference| reference.to.plus = beside);
        Ok(Value::Scalar(int.add(&Int::from(beside)).into()))
    }

    /// Draws a value from an answer, mostly from one of the last ones.
    fn of_trace(&mut self, node: usize) -> DrawnValue<Option<Value>> {
        let Some(kind) = self.places[node].kind else { return Ok(None) };
        let last = self.seen.last(kind);
        let count = if self.choices.choose("newest", 2)? == 0 { last.len().min(2) } else { last.len() };
        let seen = &last[last.len() - 1 - self.choices.choose("value seen", count)?];
        let (is_scalar, known) = (matches!(seen.value, Value::Scalar(_)), self.references.len());
        let ty = self.form.nodes[node].ty;
        let is_new = || !self.places[node].is_literal && self.seen.origin(ty, Some(kind), &seen.value).is_some();
        if !is_scalar || is_new() {
            self.references.push(self.seen.reference(self.types, &self.at, seen));
        }
        self.beside(node, seen.value.clone(), known).map(Some)
    }

    /// Adds references for the scalars of a value that come from an answer.
    fn refer(&mut self, ty: TypeId, kind: Option<usize>, value: &Value) {
        match value {
            Value::Scalar(_) => {
                let origin = self.seen.origin(ty, kind, value);
                self.references.extend(origin.map(|seen| self.seen.reference(self.types, &self.at, seen)));
            }
            Value::Data { tag, .. } => {
                let types = self.types;
                let typed = types.fields(ty, *tag).into_iter().zip(value.fields());
                for (number, ((_, ty), part)) in typed.enumerate() {
                    self.at.push(number);
                    self.refer(ty, self.seen.kind_of_type(ty), part);
                    self.at.pop();
                }
            }
            _ => {}
        }
    }

    /// Draws a value part by part.
    fn parts(&mut self, node: usize, depth: usize) -> DrawnValue<Value> {
        if let Some(PlaceList { values, .. }) = &self.form.nodes[node].listed {
            return Ok(values[self.choices.choose("listed value", values.len())?].clone());
        }
        let length = self.length(node)?;
        Ok(match &self.form.nodes[node].kind {
            FormKind::Nothing => Value::UNIT,
            FormKind::Leaf(sort) => Value::Scalar(self.leaf(node, *sort, length)?),
            FormKind::Option(_) if depth == 0 || self.choices.weighted("option", &self.swarm.options[node])? == 0 => {
                Value::NONE
            }
            FormKind::Option(of) => Value::some(self.part(0, *of, depth)?),
            FormKind::Fields(fields) => self.fields(fields, 0, depth)?,
            FormKind::Variants(variants) => {
                let tag = self.variant(node, variants, depth)?;
                self.fields(&variants[tag], tag as u32, depth)?
            }
            FormKind::List(of) => Value::list(self.several(*of, depth, length)?),
            FormKind::Set(of) => {
                let elements = self.without_references(|drawer| drawer.several(*of, depth, length))?;
                Value::Map(Map::of(elements.into_iter().map(|element| (element, Value::UNIT))))
            }
            FormKind::Map(key, of) => {
                let entries = self.without_references(|drawer| {
                    let keys = drawer.several(*key, depth, length)?;
                    let entries = keys.into_iter().map(|key| drawer.entry(node, key, *of, depth));
                    entries.collect::<DrawnValue<Vec<(Value, Value)>>>()
                });
                Value::Map(Map::of(entries?))
            }
        })
    }

    /// Draws an entry of a map with this key, or a known header field in its place.
    fn entry(&mut self, node: usize, key: Value, of: usize, depth: usize) -> DrawnValue<(Value, Value)> {
        let fields = &self.form.nodes[node].fields;
        if !fields.is_empty() && self.choices.choose("known header", 2)? == 1 {
            let field = fields[self.choices.choose("header", fields.len())?];
            let value = field.values[self.choices.choose("value of the header", field.values.len())?];
            return Ok((Value::str(field.name), Value::str(value)));
        }
        Ok((key, self.value(of, depth.saturating_sub(1))?))
    }

    fn part(&mut self, number: usize, node: usize, depth: usize) -> DrawnValue<Value> {
        self.at.push(number);
        let drawn = self.value(node, depth.saturating_sub(1));
        self.at.pop();
        drawn
    }

    fn fields(&mut self, fields: &[usize], tag: u32, depth: usize) -> DrawnValue<Value> {
        let drawn = fields.iter().enumerate().map(|(number, node)| self.part(number, *node, depth));
        Ok(Value::data(tag, drawn.collect::<DrawnValue<Vec<Value>>>()?))
    }

    /// Draws a variant that the run uses, or, inside of deeply nested values, the flattest one.
    fn variant(&mut self, node: usize, variants: &[Vec<usize>], depth: usize) -> DrawnValue<usize> {
        let (weights, own) = (&self.swarm.variants[node], &self.form.nodes[node].weights);
        if depth > 0 && weights.len() == variants.len() {
            let weights: Vec<u64> = weights.iter().zip(own).map(|(weight, own)| weight * own).collect();
            let is_empty = weights.iter().all(|weight| *weight == 0);
            return self.choices.weighted("variant", if is_empty { own } else { &weights });
        }
        let height = |tag: &usize| self.form.height_of_fields(&variants[*tag]);
        let flattest = (0..variants.len()).filter(|tag| own[*tag] > 0).min_by_key(height);
        Ok(flattest.unwrap_or_default())
    }

    /// Draws a length that is listed for the place, if there are such; mostly one of the first.
    fn length(&mut self, node: usize) -> DrawnValue<Option<usize>> {
        let Some(lengths) = &self.form.nodes[node].lengths else { return Ok(None) };
        let is_any = self.choices.choose("any length", 4)? == 1;
        let among = if is_any { lengths.len() } else { lengths.len().min(FIRST_LENGTHS) };
        Ok(Some(lengths[self.choices.choose("listed length", among)?]))
    }

    /// Draws a scalar; a text or bytes of this length if one is given.
    fn leaf(&mut self, node: usize, sort: Sort, length: Option<usize>) -> DrawnValue<Scalar> {
        let FormNode { is_in_head, words, .. } = &self.form.nodes[node];
        let drawn = if !words.is_empty() && self.choices.choose("word of HTTP", 2)? == 1 {
            words[self.choices.choose("word", words.len())?].clone()
        } else {
            let longest = if *is_in_head { LONGEST_IN_HEAD } else { usize::MAX };
            self.domain.draw(sort, (self.swarm.sizes, longest), self.choices)?
        };
        let Some(length) = length else { return Ok(drawn) };
        let is_usual = self.choices.choose("usual text", 2)? == 0;
        if is_usual && self.form.allows(node, &Value::Scalar(drawn.clone())) {
            return Ok(drawn);
        }
        let text = letters(length, self.choices)?;
        Ok(if sort == Sort::Bytes { Scalar::bytes(text.as_bytes()) } else { Scalar::Str(text) })
    }

    fn several(&mut self, of: usize, depth: usize, length: Option<usize>) -> DrawnValue<Vec<Value>> {
        if let Some(length) = length {
            return (0..length).map(|number| self.part(number, of, depth)).collect();
        }
        let mut count = if depth == 0 { 0 } else { self.choices.weighted("elements", &ELEMENTS)? };
        if count == ELEMENTS.len() - 1 {
            let most = MORE[usize::from(self.swarm.sizes == ValueSizes::Long)];
            count += self.choices.choose("more elements", most)?;
        }
        (0..count).map(|number| self.part(number, of, depth)).collect()
    }

    /// Draws the parts of a set or map, which hold no references.
    fn without_references<T>(&mut self, draw: impl FnOnce(&mut Self) -> DrawnValue<T>) -> DrawnValue<T> {
        let before = self.references.len();
        let drawn = draw(self);
        self.references.truncate(before);
        drawn
    }
}

impl FormKind {
    fn is(&self, sort: Sort) -> bool {
        matches!(self, FormKind::Leaf(own) if *own == sort)
    }
}
