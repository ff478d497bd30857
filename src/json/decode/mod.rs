//! Decoding of JSON to values, directed by the type of the value.
//!
//! No tree of JSON is built. Errors name what was expected, the place in the text, and the part of the value.
//!
//! ```
//! use mayhap::json::decode;
//! use mayhap::spec::types::{INT, Types};
//! use mayhap::value::Value;
//! let mut types = Types::new();
//! let list = types.list(INT);
//! assert_eq!(decode(&types, list, "[1, 2]"), Ok(Value::list([Value::from(1), Value::from(2)])));
//! assert_eq!(decode(&types, list, "[1, true]").unwrap_err().to_string(), "at [1]: expected int, found `true`");
//! ```

pub(crate) mod form;
pub(crate) mod interner;
pub(crate) mod quick;
pub(crate) mod scan;
pub(crate) mod strings;
pub(crate) mod words;

use super::mark::{Marked, mark};
use super::{Decoded, JsonError, Scanner};
use crate::diagnostic::suggest;
use crate::spec::types::{EnumDef, StructDef, Type, TypeId, Types, VariantDef};
use crate::value::{Map, Value};
use smallvec::SmallVec;
use std::sync::Arc;

/// The largest depth to which the lists, structs, options … of a value may be nested, which bounds the stack that reading needs.
pub const MAX_DEPTH: usize = 512;

/// The message about a hole in a text that is no recording.
pub(super) const NO_HOLES: &str = "expected a value: only a recording may have holes";

/// Decodes a value of type `id`.
///
/// # Errors
/// The text is not JSON, is no value of the type, is nested more deeply than [`MAX_DEPTH`], or has a hole.
pub fn decode(types: &Types, id: TypeId, text: &str) -> Decoded<Value> {
    whole(types, id, text, (Marks::Read, Holes::Refused))
}

/// Decodes a value of type `id` that another program wrote: `{"$any": null}` and `{"$lit": 5}` are ordinary objects.
///
/// # Errors
/// As [`decode`].
pub fn decode_plain(types: &Types, id: TypeId, text: &str) -> Decoded<Value> {
    whole(types, id, text, (Marks::Literal, Holes::Refused))
}

/// Decodes a recorded value of type `id`. A hole is [`Value::Any`], and a reference is the value that was recorded with it.
///
/// # Errors
/// As [`decode`]; and if an element of a set or a key of a map is a hole.
pub fn decode_recorded(types: &Types, id: TypeId, text: &str) -> Decoded<Value> {
    whole(types, id, text, (Marks::Read, Holes::Read))
}

/// The message about a reference in a text that is no recording.
const NO_REFERENCES: &str = "expected a value: only a recording may have references";

/// Decodes the next recorded value of type `id`, at this depth of nesting.
pub(super) fn next_within(types: &Types, id: TypeId, scanner: &mut Scanner<'_>, depth: usize) -> Decoded<Value> {
    next(types, id, scanner, (Marks::Read, Holes::Read), depth)
}

fn whole(types: &Types, id: TypeId, text: &str, rules: (Marks, Holes)) -> Decoded<Value> {
    let mut scanner = Scanner::new(text);
    let value = next(types, id, &mut scanner, rules, 0)?;
    scanner.end()?;
    Ok(value)
}

fn next(
    types: &Types,
    id: TypeId,
    scanner: &mut Scanner<'_>,
    (marks, holes): (Marks, Holes),
    depth: usize,
) -> Decoded<Value> {
    if let Type::Int = types.get(id)
        && let Some(small) = scanner.small_number()
    {
        return Ok(Value::from(small));
    }
    let mut decoder = JsonDecoder { types, scanner: *scanner, depth, marks, holes };
    let value = decoder.value(id).map_err(|error| match holes {
        Holes::Read => error.about_holes(scanner.text),
        Holes::Refused => error,
    })?;
    *scanner = decoder.scanner;
    Ok(value)
}

/// The treatment of `$any` and `$lit`: inside of `{"$lit": v}` they are ordinary keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Read,
    Literal,
}

/// The treatment of holes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holes {
    /// A hole is an error: only recordings have unknown parts.
    Refused,
    /// A hole is a value of which nothing is known.
    Read,
}

pub(super) struct JsonDecoder<'t, 'a> {
    types: &'t Types,
    pub(super) scanner: Scanner<'a>,
    depth: usize,
    pub(super) marks: Marks,
    pub(super) holes: Holes,
}

impl<'t, 'a> JsonDecoder<'t, 'a> {
    fn value(&mut self, id: TypeId) -> Decoded<Value> {
        if self.marks == Marks::Read {
            let at = self.scanner.here();
            match mark(&mut self.scanner) {
                None => (),
                Some(Marked::Hole) if self.holes == Holes::Read => return Ok(Value::Any),
                Some(Marked::Hole) => return Err(JsonError::new(at, NO_HOLES)),
                Some(Marked::Literal) => return self.literal(|this| this.value(id)),
                Some(Marked::Reference(was)) if self.holes == Holes::Read => {
                    return self.at(was, |this| this.value(id));
                }
                Some(Marked::Reference(_)) => return Err(JsonError::new(at, NO_REFERENCES)),
            }
        }
        let types = self.types;
        match types.get(id) {
            Type::Int => self.scanner.int().map(Value::Scalar),
            Type::Bool => self.scanner.bool().map(Value::Scalar),
            Type::Str => self.scanner.str().map(Value::Scalar),
            Type::Bytes => self.scanner.bytes().map(Value::Scalar),
            Type::Client => self.scanner.client().map(Value::Scalar),
            Type::Json => self.json().map(Value::Scalar),
            Type::Token(_) => self.scanner.token(self.types, id).map(Value::Scalar),
            Type::Option(_) if !self.types.is_option_of_json(id) && self.scanner.literal("null") => Ok(Value::NONE),
            Type::Option(of) => self.deeper(|this| this.value(*of)).map(Value::some),
            Type::List(of) => self.deeper(|this| this.list(id, *of)),
            Type::Set(of) => self.deeper(|this| this.set(id, *of)),
            Type::Map(key, of) => self.deeper(|this| this.map(id, *key, *of)),
            Type::Tuple(of) => self.deeper(|this| this.exactly(id, of)).map(|fields| Value::data(0, fields)),
            Type::Struct(index) => self.deeper(|this| this.structure(id, &types.structs[*index as usize])),
            Type::Enum(index) => self.deeper(|this| this.variant(id, &types.enums[*index as usize])),
            Type::Unit | Type::Error => Err(self.expected(id)),
        }
    }

    /// Reads a hole that stands for all fields of a variant, if there is one.
    fn is_hole(&mut self) -> bool {
        let mut ahead = self.scanner;
        let readable = self.marks == Marks::Read && self.holes == Holes::Read;
        let found = readable && matches!(mark(&mut ahead), Some(Marked::Hole));
        if found {
            self.scanner = ahead;
        }
        found
    }

    /// Reads the value `v` of a `{"$lit": v}` and its closing brace; everything before `v` has been read.
    pub(super) fn literal<T>(&mut self, read: impl FnOnce(&mut Self) -> Decoded<T>) -> Decoded<T> {
        self.marks = Marks::Literal;
        let value = read(self)?;
        self.marks = Marks::Read;
        self.scanner.expect(b'}')?;
        Ok(value)
    }

    /// Reads the text at another place, then returns to this place.
    pub(super) fn at<T>(&mut self, place: Scanner<'a>, read: impl FnOnce(&mut Self) -> Decoded<T>) -> Decoded<T> {
        let after = std::mem::replace(&mut self.scanner, place);
        let value = self.deeper(read)?;
        self.scanner = after;
        Ok(value)
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Decoded<T>) -> Decoded<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested more deeply than {MAX_DEPTH} levels");
            return Err(JsonError::new(self.scanner.offset(), message));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn structure(&mut self, id: TypeId, def: &'t StructDef) -> Decoded<Value> {
        let field = |index: usize| (def.fields[index].0.as_str(), def.fields[index].1);
        Ok(Value::data(0, self.record(id, def.fields.len(), field, OtherFields::of(def.open))?))
    }

    fn list(&mut self, id: TypeId, of: TypeId) -> Decoded<Value> {
        let mut elements = Vec::new();
        self.array(id, |this, _| {
            elements.push(this.value(of)?);
            Ok(())
        })?;
        Ok(Value::list(elements))
    }

    fn set(&mut self, id: TypeId, of: TypeId) -> Decoded<Value> {
        let mut entries = Vec::new();
        self.array(id, |this, _| {
            let at = this.scanner.here();
            entries.push((at, this.value(of)?, Value::UNIT));
            Ok(())
        })?;
        distinct(entries, "element")
    }

    /// Reads a map: an object, or an array of pairs.
    fn map(&mut self, id: TypeId, key: TypeId, of: TypeId) -> Decoded<Value> {
        let mut entries = Vec::new();
        if self.scanner.peek() == Some(b'{') {
            self.sequence(id, b'{', b'}', |this, _| {
                let at = this.scanner.here();
                let name = Scanner::string(&mut this.scanner.clone())?;
                let key = this.value(key)?;
                this.scanner.expect(b':')?;
                let value = this.value(of).map_err(|error| error.within(&format!("[{name:?}]")))?;
                entries.push((at, key, value));
                Ok(())
            })?;
        } else {
            self.array(id, |this, _| {
                let at = this.scanner.here();
                let pair = this.exactly(id, &[key, of])?;
                entries.push((at, pair[0].clone(), pair[1].clone()));
                Ok(())
            })?;
        }
        distinct(entries, "key")
    }

    /// Reads an array of values, each with its own type.
    fn exactly(&mut self, id: TypeId, of: &[TypeId]) -> Decoded<Arc<[Value]>> {
        let mut fields: SmallVec<[Value; 8]> = SmallVec::new();
        let at = self.scanner.here();
        self.array(id, |this, index| {
            let Some(of) = of.get(index) else {
                return Err(this.scanner.expected(&format!("`]` after {index} values")));
            };
            fields.push(this.value(*of)?);
            Ok(())
        })?;
        if fields.len() < of.len() {
            let (count, found) = (of.len(), fields.len());
            return Err(JsonError::new(at, format!("expected an array of {count} values, found {found}")));
        }
        Ok(packed(&mut fields))
    }

    /// Reads an object with named fields, in any order; an absent option is `None`.
    fn record(
        &mut self,
        id: TypeId,
        count: usize,
        field: impl Fn(usize) -> (&'t str, TypeId),
        others: OtherFields,
    ) -> Decoded<Arc<[Value]>> {
        let mut slots: SmallVec<[Value; 8]> = SmallVec::new();
        self.sequence(id, b'{', b'}', |this, position| {
            let at = this.scanner.here();
            if position == slots.len() && position < count && this.scanner.eat_key(field(position).0) {
                slots.push(this.value_within(field(position))?);
                return Ok(());
            }
            // The fields are not in order. Fields that are not read yet are `Absent`, a value that JSON does not have.
            slots.resize(count, Value::Absent);
            let key = this.scanner.string()?;
            this.scanner.expect(b':')?;
            let is_key = |index: &usize| field(*index).0 == key;
            let index = Some(position).filter(|p| *p < count).filter(is_key).or_else(|| (0..count).find(is_key));
            match index {
                Some(index) if !matches!(slots[index], Value::Absent) => Err(twice(at, "field", &key)),
                Some(index) => {
                    slots[index] = this.value_within(field(index))?;
                    Ok(())
                }
                None if others == OtherFields::Ignored => this.scanner.skip().map(|_| ()),
                None => Err(this.no_such("field", &key, at, id, (0..count).map(|index| field(index).0))),
            }
        })?;
        slots.resize(count, Value::Absent);
        let end = self.scanner.offset() - 1;
        for (index, slot) in slots.iter_mut().enumerate() {
            if let Value::Absent = slot {
                *slot = self.absent(end, field(index))?;
            }
        }
        Ok(packed(&mut slots))
    }

    fn value_within(&mut self, (name, id): (&str, TypeId)) -> Decoded<Value> {
        self.value(id).map_err(|error| error.within(&format!(".{name}")))
    }

    /// Returns the value of a field that is absent in the object: `None` for an option, an error for any other type.
    fn absent(&self, end: usize, (name, id): (&str, TypeId)) -> Decoded<Value> {
        match self.types.get(id) {
            Type::Option(_) => Ok(Value::NONE),
            _ => Err(JsonError::new(end, format!("the field \"{name}\" ({}) is missing", self.types.name(id)))),
        }
    }

    fn variant(&mut self, id: TypeId, def: &'t EnumDef) -> Decoded<Value> {
        let at = self.scanner.here();
        match self.scanner.peek() {
            Some(b'"') => {
                let name = self.scanner.string()?;
                let (tag, variant) = self.variant_named(id, def, &name, at)?;
                if variant.fields.is_empty() {
                    return Ok(Value::unit(tag));
                }
                Err(JsonError::new(at, format!("the variant \"{name}\" carries something: {{\"{name}\": …}}")))
            }
            Some(b'{') => self.variant_object(id, def),
            _ => Err(self.expected(id)),
        }
    }

    fn variant_object(&mut self, id: TypeId, def: &'t EnumDef) -> Decoded<Value> {
        self.scanner.expect(b'{')?;
        let (tag, variant) = self.variant_key(id, def)?;
        let fields = self.payload(id, variant).map_err(|error| error.within(&format!(".{}", variant.name)))?;
        if !self.scanner.eat(b'}') {
            return Err(self.scanner.expected(&format!("`}}`: a value of {} is one variant", self.types.name(id))));
        }
        Ok(Value::data(tag, fields))
    }

    /// Reads the key of an object, which names the variant.
    fn variant_key(&mut self, id: TypeId, def: &'t EnumDef) -> Decoded<(u32, &'t VariantDef)> {
        let at = self.scanner.here();
        if let Some(tag) = def.variants.iter().position(|variant| self.scanner.eat_key(&variant.name)) {
            return Ok((tag as u32, &def.variants[tag]));
        }
        let name = self.scanner.string()?;
        let named = self.variant_named(id, def, &name, at)?;
        self.scanner.expect(b':')?;
        Ok(named)
    }

    fn variant_named(&mut self, id: TypeId, def: &'t EnumDef, name: &str, at: usize) -> Decoded<(u32, &'t VariantDef)> {
        let names = || def.variants.iter().map(|variant| variant.name.as_str());
        let tag = names().position(|known| known == name);
        let tag = tag.ok_or_else(|| self.no_such("variant", name, at, id, names()))?;
        Ok((tag as u32, &def.variants[tag]))
    }

    /// Reads the fields of a variant: an object for named fields, a value for one, an array for several, null for none.
    fn payload(&mut self, id: TypeId, variant: &'t VariantDef) -> Decoded<Arc<[Value]>> {
        let fields = &variant.fields;
        let several = fields.len() > 1 || fields.first().is_some_and(|(name, _)| name.is_some());
        if several && self.is_hole() {
            return Ok(fields.iter().map(|_| Value::Any).collect());
        }
        if several && !matches!(self.scanner.peek(), Some(b'{' | b'[')) {
            return Err(self.scanner.expected(&super::error::carried(fields)));
        }
        match fields.as_slice() {
            [] if self.scanner.literal("null") => Ok(Arc::default()),
            [] => Err(self.scanner.expected("null: this variant carries nothing")),
            [(Some(_), _), ..] => {
                let field = |index: usize| (fields[index].0.as_deref().unwrap_or_default(), fields[index].1);
                self.record(id, fields.len(), field, OtherFields::of(variant.open))
            }
            [(None, of)] => Ok([self.value(*of)?].into()),
            [(None, _), ..] => self.exactly(id, &fields.iter().map(|(_, of)| *of).collect::<SmallVec<[TypeId; 8]>>()),
        }
    }

    pub(super) fn array(&mut self, id: TypeId, mut each: impl FnMut(&mut Self, usize) -> Decoded<()>) -> Decoded<()> {
        self.sequence(id, b'[', b']', |this, index| {
            each(this, index).map_err(|error| error.within(&format!("[{index}]")))
        })
    }

    /// Reads elements between two brackets, separated by commas.
    pub(super) fn sequence(
        &mut self,
        id: TypeId,
        open: u8,
        close: u8,
        mut each: impl FnMut(&mut Self, usize) -> Decoded<()>,
    ) -> Decoded<()> {
        if !self.scanner.eat(open) {
            return Err(self.expected(id));
        }
        if self.scanner.eat(close) {
            return Ok(());
        }
        for index in 0.. {
            each(self, index)?;
            if !self.scanner.eat(b',') {
                break;
            }
        }
        if self.scanner.eat(close) {
            Ok(())
        } else {
            Err(self.scanner.expected(&format!("`,` or `{}`", char::from(close))))
        }
    }

    #[cold]
    fn expected(&mut self, id: TypeId) -> JsonError {
        let form = match self.types.get(id) {
            Type::List(_) | Type::Set(_) => " (an array)",
            Type::Map(key, _) if *self.types.get(*key) == Type::Str => " (an object)",
            Type::Map(..) => " (an array of pairs)",
            Type::Tuple(_) => " (an array)",
            Type::Struct(_) => " (an object)",
            Type::Enum(_) => " (a variant: \"V\" or {\"V\": …})",
            Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client => "",
            Type::Json | Type::Token(_) | Type::Option(_) | Type::Error => "",
        };
        let what = self.types.name(id) + form;
        self.scanner.expected(&what)
    }

    #[cold]
    fn no_such<'n>(
        &self,
        what: &str,
        name: &str,
        at: usize,
        id: TypeId,
        known: impl Iterator<Item = &'n str>,
    ) -> JsonError {
        let of = self.types.name(id);
        let mut message = format!("{of} has no {what} {name:?}");
        if let Some(near) = suggest(name, known) {
            message += &format!("; did you mean {near:?}?");
        }
        JsonError::new(at, message)
    }
}

/// Moves values into one allocation.
fn packed(fields: &mut [Value]) -> Arc<[Value]> {
    fields.iter_mut().map(|field| std::mem::replace(field, Value::Absent)).collect()
}

/// The treatment of fields that the type does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherFields {
    Ignored,
    Refused,
}

impl OtherFields {
    /// The treatment for a type, which may be declared open.
    fn of(is_open: bool) -> OtherFields {
        if is_open { OtherFields::Ignored } else { OtherFields::Refused }
    }
}

/// A map (or set) with distinct keys; each entry comes with its place in the text, for errors.
fn distinct(entries: Vec<(usize, Value, Value)>, what: &str) -> Decoded<Value> {
    if let Some((at, ..)) = entries.iter().find(|(_, key, _)| key.has_holes()) {
        let message = format!("a hole cannot stand for one {what} or a part of it: put one in the place of the whole");
        return Err(JsonError::new(*at, message));
    }
    let map = Map::of(entries.iter().map(|(_, key, value)| (key.clone(), value.clone())));
    if map.bound() == entries.len() {
        return Ok(Value::Map(map));
    }
    let mut seen = std::collections::HashSet::new();
    let second = entries.iter().find(|(_, key, _)| !seen.insert(key)).map_or(0, |entry| entry.0);
    Err(JsonError::new(second, format!("this {what} stands twice")))
}

pub(super) fn twice(at: usize, what: &str, name: &str) -> JsonError {
    JsonError::new(at, format!("the {what} {name:?} stands twice"))
}
