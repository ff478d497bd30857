//! Encoding of values as JSON: one line, fields in the order of declaration, keys and elements in the order of values.
//!
//! An unknown part becomes a hole. Nothing here is recursive, so values may be nested as deeply as a specification makes them.
//!
//! ```
//! use mayhap::json::encode;
//! use mayhap::spec::types::{BOOL, INT, Types};
//! use mayhap::value::Value;
//! let mut types = Types::new();
//! let pair = types.tuple(vec![INT, BOOL]);
//! assert_eq!(encode(&types, pair, &Value::data(0, [Value::from(3), Value::from(true)])), "[3, true]");
//! assert_eq!(encode(&types, pair, &Value::Absent), r#"{"$any": null}"#);
//! ```

use super::decode::Marks;
use super::scalars;
use super::text::quote;
use crate::scalar::Scalar;
use crate::spec::types::{ERROR, EnumDef, Type, TypeId, Types};
use crate::value::{Map, OpenItem, Value};

/// Encodes `value`, of type `id`, as JSON on one line; an unknown part of it becomes `{"$any": null}`.
#[must_use]
pub fn encode(types: &Types, id: TypeId, value: &Value) -> String {
    let mut out = String::new();
    encode_into(&mut out, types, id, value);
    out
}

/// Appends the result of [`encode`].
pub fn encode_into(out: &mut String, types: &Types, id: TypeId, value: &Value) {
    write(out, types, id, value, Marks::Read);
}

/// Encodes a value for other programs: an object that looks like a hole or a `{"$lit": v}` is not wrapped.
pub fn encode_plain(types: &Types, id: TypeId, value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, types, id, value, Marks::Literal);
    out
}

/// Encodes a value as [`encode_plain`] does, without the members of objects that are `None`.
pub fn encode_given(types: &Types, id: TypeId, value: &Value) -> String {
    let mut out = String::new();
    write_members(&mut out, types, id, value, Marks::Literal, WrittenMembers::Given);
    out
}

fn write(out: &mut String, types: &Types, id: TypeId, value: &Value, marks: Marks) {
    write_members(out, types, id, value, marks, WrittenMembers::All);
}

/// The members of objects that are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenMembers {
    /// All of them; an `option<json>` that is `None` is none.
    All,
    /// Those that are not `None`.
    Given,
}

fn write_members(out: &mut String, types: &Types, id: TypeId, value: &Value, marks: Marks, members: WrittenMembers) {
    if let Value::Scalar(scalar) = value {
        return scalars::write(out, scalar, marks);
    }
    let mut encoder = JsonEncoder { types, out, todo: vec![Todo::Value(id, value)], marks, members };
    while let Some(task) = encoder.todo.pop() {
        match task {
            Todo::Value(id, value) => encoder.value(id, value),
            Todo::Text(text) => encoder.out.push_str(text),
            Todo::Quoted(text) => quote(encoder.out, text),
            Todo::EndLiteral => encoder.end_literal(),
        }
    }
}

/// A part that is still to be written, on a stack whose top is the next one.
enum Todo<'v> {
    Value(TypeId, &'v Value),
    Text(&'static str),
    Quoted(&'v str),
    EndLiteral,
}

struct JsonEncoder<'v, 'o> {
    types: &'v Types,
    out: &'o mut String,
    todo: Vec<Todo<'v>>,
    marks: Marks,
    members: WrittenMembers,
}

const HOLE: &str = "{\"$any\": null}";

/// The element in the place of items of a list that may be missing.
static ANY: Value = Value::Any;

/// A member of an object: its key, its type and its value.
type NamedValue<'v> = (&'v str, TypeId, &'v Value);

impl<'v> JsonEncoder<'v, '_> {
    fn value(&mut self, id: TypeId, value: &'v Value) {
        match value {
            Value::Scalar(scalar) => scalars::write(self.out, scalar, self.marks),
            Value::Data { tag, .. } => self.data(id, *tag, value.fields()),
            Value::List(list) => {
                let of = self.element(id);
                self.array(list.iter().map(|value| (of, value)));
            }
            Value::Open(list) => {
                let of = self.element(id);
                let element = |item: &'v OpenItem| if let OpenItem::One(value) = item { value } else { &ANY };
                self.array(list.iter().map(|item| (of, element(item))));
            }
            Value::Map(map) => self.map(id, map),
            Value::Term(_) | Value::Union(_) | Value::Unknown(_) | Value::Any | Value::Absent => {
                self.out.push_str(HOLE)
            }
        }
    }

    fn element(&self, id: TypeId) -> TypeId {
        match self.types.get(id) {
            Type::List(of) | Type::Set(of) => *of,
            _ => id,
        }
    }

    fn data(&mut self, id: TypeId, tag: u32, fields: &'v [Value]) {
        let types = self.types;
        match (types.get(id), fields) {
            (Type::Option(of), [some]) => self.todo.push(Todo::Value(*of, some)),
            (Type::Tuple(of), _) => self.array(of.iter().copied().zip(fields)),
            (Type::Struct(index), _) => {
                let named = types.structs[*index as usize].fields.iter().zip(fields);
                self.fields(named.map(|((name, of), value)| (name.as_str(), *of, value)).collect());
            }
            (Type::Enum(index), _) => self.variant(&types.enums[*index as usize], tag, fields),
            (Type::Error, _) => self.untyped(tag, fields),
            _ => self.out.push_str("null"),
        }
    }

    /// Writes a value of unknown type: the number of its constructor, then its fields.
    fn untyped(&mut self, tag: u32, fields: &'v [Value]) {
        self.out.push_str(if fields.is_empty() { "" } else { "[" });
        scalars::write(self.out, &Scalar::int(i64::from(tag)), self.marks);
        if !fields.is_empty() {
            self.todo.push(Todo::Text("]"));
            self.todo.extend(fields.iter().rev().flat_map(|field| [Todo::Value(ERROR, field), Todo::Text(", ")]));
        }
    }

    fn variant(&mut self, def: &'v EnumDef, tag: u32, fields: &'v [Value]) {
        let Some(variant) = def.variants.get(tag as usize) else { return self.out.push_str(HOLE) };
        if variant.fields.is_empty() {
            return quote(self.out, &variant.name);
        }
        self.open_object(Some(&variant.name));
        quote(self.out, &variant.name);
        self.out.push_str(": ");
        let typed = variant.fields.iter().zip(fields);
        match variant.fields.as_slice() {
            [(None, of)] => self.todo.extend(fields.iter().take(1).map(|value| Todo::Value(*of, value))),
            [(Some(_), _), ..] => {
                self.fields(
                    typed.map(|((name, of), value)| (name.as_deref().unwrap_or_default(), *of, value)).collect(),
                );
            }
            _ => self.array(typed.map(|((_, of), value)| (*of, value))),
        }
    }

    fn map(&mut self, id: TypeId, map: &'v Map) {
        let Ok(entries) = map.entries() else { return self.out.push_str(HOLE) };
        let entries: Vec<_> = entries.into_iter().map(|(key, entry)| (key, &entry.value)).collect();
        match self.types.get(id) {
            Type::Map(key, of) if *self.types.get(*key) == Type::Str => {
                self.object(entries.into_iter().map(|(key, value)| (text(key), *of, value)).collect());
            }
            Type::Map(key, of) => self.pairs(*key, *of, &entries),
            _ => {
                let of = self.element(id);
                self.array(entries.into_iter().map(|(element, _)| (of, element)));
            }
        }
    }

    fn pairs(&mut self, key: TypeId, of: TypeId, entries: &[(&'v Value, &'v Value)]) {
        self.out.push('[');
        self.todo.push(Todo::Text("]"));
        for (index, (name, value)) in entries.iter().enumerate().rev() {
            let open = if index > 0 { ", [" } else { "[" };
            let pair =
                [Todo::Text("]"), Todo::Value(of, value), Todo::Text(", "), Todo::Value(key, name), Todo::Text(open)];
            self.todo.extend(pair);
        }
    }

    fn array(&mut self, elements: impl DoubleEndedIterator<Item = (TypeId, &'v Value)>) {
        self.out.push('[');
        self.todo.push(Todo::Text("]"));
        let mut elements = elements.rev().peekable();
        while let Some((of, value)) = elements.next() {
            self.todo.push(Todo::Value(of, value));
            self.todo.extend(elements.peek().map(|_| Todo::Text(", ")));
        }
    }

    /// Writes the fields of a struct or variant.
    fn fields(&mut self, mut fields: Vec<NamedValue<'v>>) {
        if self.members == WrittenMembers::Given {
            let is_option = |of: &TypeId| matches!(self.types.get(*of), Type::Option(_));
            fields.retain(|(_, of, value)| **value != Value::NONE || !is_option(of));
        }
        self.object(fields);
    }

    fn object(&mut self, mut members: Vec<NamedValue<'v>>) {
        members.retain(|(_, of, value)| **value != Value::NONE || !self.types.is_option_of_json(*of));
        let only = if let [(name, _, _)] = members.as_slice() { Some(*name) } else { None };
        let is_like_reference = members.len() > 1 && members[0].0 == "$ref";
        self.open_object(if is_like_reference { Some("$ref") } else { only });
        for (index, (name, of, value)) in members.into_iter().enumerate().rev() {
            self.todo.extend([Todo::Value(of, value), Todo::Text(": "), Todo::Quoted(name)]);
            self.todo.extend((index > 0).then_some(Todo::Text(", ")));
        }
    }

    /// Writes an opening brace and puts the closing one on the stack. If the object would be read as a mark, it is wrapped in a `$lit`: its
    /// only key is `$any` or `$lit`, or its first key is `$ref`.
    fn open_object(&mut self, telling_key: Option<&str>) {
        if self.marks == Marks::Read && matches!(telling_key, Some("$any" | "$lit" | "$ref")) {
            self.marks = Marks::Literal;
            self.out.push_str("{\"$lit\": ");
            self.todo.push(Todo::EndLiteral);
        }
        self.out.push('{');
        self.todo.push(Todo::Text("}"));
    }

    fn end_literal(&mut self) {
        self.marks = Marks::Read;
        self.out.push('}');
    }
}

/// The text of a key; the keys of objects are known strings.
fn text(key: &Value) -> &str {
    match key {
        Value::Scalar(scalar) => scalar.as_str().unwrap_or_default(),
        _ => "",
    }
}
