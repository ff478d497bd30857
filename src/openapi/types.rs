//! The types of a specification, made from schemas: structs, enums of names, lists, maps, and `json` for what has no type.
//!
//! For example an object with a required `text` and an optional `size` is `struct Note { text: string, size: option<int>, .. }`.

use rustc_hash::FxHashMap;

use super::document::TreeNode;
use super::document::tree::Described;
use super::ids::KnownIds;
use super::limits::ValueLimits;
use super::naming::{alike, camel, can_be_name, one_line};
use super::shape::{OtherMembers, SchemaShape, SchemaView, Schemas, ValueKinds};
use super::unwrapped::unwrapped;

/// The largest number of characters of a generated comment, so that it fits on a line.
pub const COMMENT: usize = 100;

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum WrittenType {
    /// `int`, `bool`, `string`, `bytes` or `json`
    Plain(&'static str),
    /// A definition, by its index.
    Defined(usize),
    /// `option<T>`
    Option(Box<WrittenType>),
    /// `list<T>`
    List(Box<WrittenType>),
    /// `map<string, T>`
    Map(Box<WrittenType>),
}

/// The type of any JSON value.
pub const JSON: WrittenType = WrittenType::Plain("json");
/// The type of strings.
pub const STRING: WrittenType = WrittenType::Plain("string");
/// The type of integers.
pub const INT: WrittenType = WrittenType::Plain("int");

impl WrittenType {
    /// The option of this type; an option stays as it is.
    pub fn optional(self) -> WrittenType {
        if let WrittenType::Option(_) = self { self } else { WrittenType::Option(Box::new(self)) }
    }

    /// The unit in which the length of a value is counted; none if it has no length.
    pub fn unit(&self) -> Option<&'static str> {
        match self.inner() {
            WrittenType::List(_) => Some(" elements"),
            WrittenType::Plain("string") => Some(" characters"),
            _ => None,
        }
    }

    /// The type inside an option; other types stay as they are.
    pub fn inner(&self) -> &WrittenType {
        if let WrittenType::Option(of) = self { of } else { self }
    }
}

/// The direction in which a value is sent: a service does not get read-only members, a client does not get write-only ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// From the client to the service.
    Sent,
    /// From the service to the client.
    Received,
}

/// A type with a name.
#[derive(Debug)]
pub struct Definition {
    /// The name that it should get.
    pub wanted: String,
    /// The direction of its values; none if both directions have the same type.
    pub direction: Option<Direction>,
    /// The comments before it.
    pub comments: Vec<String>,
    /// Its kind, with its parts.
    pub body: DefinitionBody,
}

/// The kinds of types with names.
#[derive(Debug)]
pub enum DefinitionBody {
    /// `token Id;`
    Token,
    /// `enum Color { red, green }`
    Choices(Vec<String>),
    /// `struct R { f: T, .. }`
    Record {
        /// Its fields.
        fields: Vec<WrittenField>,
        /// True if other members are ignored.
        is_open: bool,
    },
}

/// A field of a struct or a variant.
#[derive(Clone, Debug)]
pub struct WrittenField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: WrittenType,
    /// The comment before it.
    pub comments: Vec<String>,
    /// The limits of its values.
    pub limits: ValueLimits,
}

/// The type of a schema, with the facts that a type cannot express.
#[derive(Debug)]
pub struct TypedSchema {
    /// The type.
    pub ty: WrittenType,
    /// The limits of its values.
    pub limits: ValueLimits,
    /// Remarks for a comment.
    pub remarks: Vec<String>,
}

/// The types of a description, built on demand.
#[derive(Debug)]
pub struct WrittenTypes<'d> {
    /// The schemas.
    pub schemas: Schemas<'d>,
    /// The ids that path parameters take.
    pub ids: KnownIds<'d>,
    /// All named types.
    pub definitions: Vec<Definition>,
    /// The structs so far, each with a flag that is true if its values may be `null`.
    known: FxHashMap<(SchemaView<'d>, Direction), (usize, bool)>,
    choices: FxHashMap<Vec<String>, usize>,
    /// The schemas whose types are being built, for the detection of recursion.
    open: Vec<(SchemaView<'d>, Direction)>,
}

impl<'d> WrittenTypes<'d> {
    /// Starts with the types of ids.
    pub fn of(schemas: Schemas<'d>, ids: KnownIds<'d>) -> WrittenTypes<'d> {
        let definitions = ids.tokens.iter().map(|token| Definition {
            wanted: token.name.clone(),
            direction: None,
            comments: token.comments.clone(),
            body: DefinitionBody::Token,
        });
        let definitions = definitions.collect();
        WrittenTypes {
            schemas,
            ids,
            definitions,
            known: FxHashMap::default(),
            choices: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// Builds the type of a schema; `context` is the name for types without a name of their own.
    ///
    /// # Errors
    /// The schema is malformed.
    pub fn typed(&mut self, view: &SchemaView<'d>, direction: Direction, context: &str) -> Described<TypedSchema> {
        let unwrapped = unwrapped(&self.schemas, view)?;
        let mut typed = match self.ids.token(view) {
            Some(token) => {
                let limits = self.schemas.shape(view)?.limits.of_id();
                TypedSchema { ty: WrittenType::Defined(token), limits, remarks: Vec::new() }
            }
            None => self.unwrapped_type(&unwrapped.view, direction, context)?,
        };
        if unwrapped.is_nullable {
            typed.ty = typed.ty.optional();
        }
        Ok(typed)
    }

    /// Builds the type of a property or parameter; an id token if its name is that of one.
    ///
    /// # Errors
    /// The schema is malformed.
    pub fn typed_named(
        &mut self,
        name: &str,
        view: &SchemaView<'d>,
        direction: Direction,
        context: &str,
    ) -> Described<TypedSchema> {
        let mut typed = self.typed(view, direction, context)?;
        if let (Some(token), true) = (self.ids.named(name), *typed.ty.inner() == STRING) {
            let id = WrittenType::Defined(token);
            typed.ty = if let WrittenType::Option(_) = typed.ty { id.optional() } else { id };
            typed.limits = typed.limits.of_id();
        }
        Ok(typed)
    }

    fn unwrapped_type(&mut self, view: &SchemaView<'d>, direction: Direction, context: &str) -> Described<TypedSchema> {
        let key = (view.clone(), direction);
        if let Some((known, is_nullable)) = self.known.get(&key) {
            let ty = WrittenType::Defined(*known);
            let ty = if *is_nullable { ty.optional() } else { ty };
            return Ok(TypedSchema { ty, limits: ValueLimits::default(), remarks: Vec::new() });
        }
        if self.open.contains(&key) {
            let remarks = vec!["it may contain itself, which only objects can".to_owned()];
            return Ok(TypedSchema { ty: JSON, limits: ValueLimits::default(), remarks });
        }
        let shape = self.schemas.shape(view)?;
        let is_nullable = shape.is_nullable == Some(true);
        self.open.push(key);
        let typed = self.shaped(view, shape, direction, context);
        self.open.pop();
        let mut typed = typed?;
        if is_nullable && typed.ty != JSON {
            typed.ty = typed.ty.optional();
        }
        Ok(typed)
    }

    fn shaped(
        &mut self,
        view: &SchemaView<'d>,
        mut shape: SchemaShape<'d>,
        direction: Direction,
        context: &str,
    ) -> Described<TypedSchema> {
        let mut remarks = std::mem::take(&mut shape.remarks);
        let mut limits = std::mem::take(&mut shape.limits);
        let ty = match shape.kinds {
            ValueKinds::OBJECT if shape.properties.is_empty() && shape.required.is_empty() => {
                let of = match &shape.others {
                    OtherMembers::Of(others) => self.part(others, direction, context, &mut limits, &mut remarks)?,
                    OtherMembers::Unspecified | OtherMembers::Forbidden => JSON,
                };
                WrittenType::Map(Box::new(of))
            }
            ValueKinds::OBJECT => {
                let number = self.record(view, shape, direction, context, std::mem::take(&mut remarks))?;
                WrittenType::Defined(number)
            }
            ValueKinds::ARRAY => {
                let of = match &shape.items {
                    Some(items) => self.part(items, direction, context, &mut limits, &mut remarks)?,
                    None => JSON,
                };
                WrittenType::List(Box::new(of))
            }
            ValueKinds::STRING => match shape.values.take() {
                Some(values) if values.iter().all(|value| can_be_name(value)) && !values.is_empty() => {
                    WrittenType::Defined(self.choices(view, values, context))
                }
                Some(values) if values.is_empty() => {
                    remarks.push("no string is allowed, by the description".to_owned());
                    STRING
                }
                Some(values) => {
                    let quoted: Vec<String> = values.iter().map(|value| crate::json::quoted(value)).collect();
                    remarks.push(format!("one of {}", quoted.join(", ")));
                    limits.listed = Some(quoted);
                    STRING
                }
                None => STRING,
            },
            ValueKinds::INTEGER => INT,
            ValueKinds::BOOLEAN => WrittenType::Plain("bool"),
            ValueKinds::NUMBER => {
                remarks.push("a number: `int` if it is whole".to_owned());
                limits.is_number = true;
                JSON
            }
            ValueKinds::ALL => JSON,
            ValueKinds::NONE => {
                remarks.push("no value but null".to_owned());
                JSON
            }
            kinds => {
                remarks.push("values of several kinds".to_owned());
                limits.examples = kinds.examples();
                JSON
            }
        };
        Ok(TypedSchema { ty, limits, remarks })
    }

    /// Builds the type of the elements of a list or map.
    fn part(
        &mut self,
        view: &SchemaView<'d>,
        direction: Direction,
        context: &str,
        around: &mut ValueLimits,
        remarks: &mut Vec<String>,
    ) -> Described<WrittenType> {
        let typed = self.typed(view, direction, context)?;
        let words = typed.limits.words(typed.ty.unit()).into_iter().chain(typed.remarks);
        remarks.extend(words.map(|words| format!("each: {words}")));
        around.elements = Some(Box::new(typed.limits));
        // Outside of a named field, an option of JSON is not distinct from JSON.
        Ok(if *typed.ty.inner() == JSON { JSON } else { typed.ty })
    }

    fn choices(&mut self, view: &SchemaView<'d>, values: Vec<String>, context: &str) -> usize {
        if let Some(known) = self.choices.get(&values) {
            return *known;
        }
        let number = self.definitions.len();
        let wanted = self.wanted(view, context);
        let comments = self.described(view);
        let body = DefinitionBody::Choices(values.clone());
        self.definitions.push(Definition { wanted, direction: None, comments, body });
        self.choices.insert(values, number);
        number
    }

    /// Builds the struct of a shape.
    fn record(
        &mut self,
        view: &SchemaView<'d>,
        shape: SchemaShape<'d>,
        direction: Direction,
        context: &str,
        remarks: Vec<String>,
    ) -> Described<usize> {
        let number = self.definitions.len();
        let wanted = self.wanted(view, context);
        let body = DefinitionBody::Record { fields: Vec::new(), is_open: true };
        let comments = self.described(view);
        self.definitions.push(Definition { wanted: wanted.clone(), direction: Some(direction), comments, body });
        self.known.insert((view.clone(), direction), (number, shape.is_nullable == Some(true)));
        let RecordFields { fields, is_open, remarks: more } = self.fields(&shape, direction, &wanted)?;
        let remarks = remarks.into_iter().chain(more).filter_map(|remark| sentence(&remark));
        let definition = &mut self.definitions[number];
        definition.comments.extend(remarks);
        definition.body = DefinitionBody::Record { fields, is_open };
        let known = if self.own_name(view).is_none() { (0..number).find(|at| self.is_like(*at, number)) } else { None };
        let Some(known) = known else { return Ok(number) };
        self.known.insert((view.clone(), direction), (known, shape.is_nullable == Some(true)));
        if number + 1 == self.definitions.len() {
            self.definitions.pop();
        }
        Ok(known)
    }

    /// Tests whether two structs of one direction have the same fields, with the same limits.
    fn is_like(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|number| &self.definitions[number]);
        let key = |field: &WrittenField| (field.name.clone(), field.ty.clone(), field.limits.clone().alone());
        match (&one.body, &other.body) {
            (DefinitionBody::Record { fields: a, is_open: x }, DefinitionBody::Record { fields: b, is_open: y }) => {
                one.direction == other.direction && x == y && a.iter().map(key).eq(b.iter().map(key))
            }
            _ => false,
        }
    }

    /// Builds the fields of an object.
    ///
    /// # Errors
    /// A schema is malformed.
    pub fn fields(&mut self, shape: &SchemaShape<'d>, direction: Direction, context: &str) -> Described<RecordFields> {
        let mut record = RecordFields { is_open: shape.others != OtherMembers::Forbidden, ..RecordFields::default() };
        let mut hidden = Vec::new();
        for property in &shape.properties {
            let part = unwrapped(&self.schemas, &property.view)?;
            let is_hidden = match direction {
                Direction::Sent => part.is_read_only,
                Direction::Received => part.is_write_only,
            };
            if is_hidden {
                hidden.push(property.name.as_str());
                continue;
            }
            if !can_be_name(&property.name) {
                record
                    .remarks
                    .push(format!("the member {:?} is left out: the language has no such name", property.name));
                continue;
            }
            let inner = format!("{context}{}", camel(&property.name));
            let typed = self.typed_named(&property.name, &property.view, direction, &inner)?;
            let is_required = shape.requires(&property.name);
            let ty = match direction {
                _ if !is_required => typed.ty.optional(),
                // What is `None` is not sent.
                Direction::Sent => typed.ty.inner().clone(),
                Direction::Received => typed.ty,
            };
            let words = typed.limits.words(ty.unit()).into_iter().chain(typed.remarks);
            let comments = commented(part.description, words.collect());
            let limits = typed.limits;
            record.fields.push(WrittenField { name: property.name.clone(), ty, comments, limits });
        }
        for name in &shape.required {
            let is_known = shape.property(name).is_some() || record.fields.iter().any(|field| field.name == *name);
            if !is_known && can_be_name(name) {
                let limits = ValueLimits::default();
                record.fields.push(WrittenField { name: name.clone(), ty: JSON, comments: Vec::new(), limits });
            }
        }
        if let OtherMembers::Of(_) = shape.others {
            record.remarks.push("the members that have no name are left out".to_owned());
        }
        if !hidden.is_empty() {
            let why =
                if direction == Direction::Sent { "not sent, as only read" } else { "not there, as only written" };
            record.remarks.push(format!("{why}: {}", hidden.join(", ")));
        }
        Ok(record)
    }

    /// The structs of schemas that occur in both directions: each the one that is sent, and the one that is received.
    pub fn both_ways(&self) -> Vec<(usize, usize)> {
        let sent = self.known.iter().filter(|((_, direction), _)| *direction == Direction::Sent);
        let pair = |((view, _), (sent, _)): (&(SchemaView<'d>, Direction), &(usize, bool))| {
            let (received, _) = self.known.get(&(view.clone(), Direction::Received))?;
            Some((*sent, *received))
        };
        sent.filter_map(pair).collect()
    }

    /// The name that the description gives to a schema.
    fn own_name(&self, view: &SchemaView<'d>) -> Option<&'d str> {
        if let SchemaView::Of(TreeNode(tree)) = view { self.schemas.document.name(tree) } else { None }
    }

    /// The name that the type of a view should get.
    fn wanted(&self, view: &SchemaView<'d>, context: &str) -> String {
        let name = self.own_name(view).map(camel).filter(|name| !name.is_empty()).unwrap_or_else(|| context.to_owned());
        if name.is_empty() { "Value".to_owned() } else { name }
    }

    /// The comment of a type, from the description of its schema.
    fn described(&self, view: &SchemaView<'d>) -> Vec<String> {
        let SchemaView::Of(TreeNode(tree)) = view else { return Vec::new() };
        let text = tree.text_of("description").or_else(|| tree.text_of("title"));
        commented(text.filter(|text| alike(text) != alike(&self.wanted(view, ""))), Vec::new())
    }
}

/// The fields of an object, with the facts that fields cannot express.
#[derive(Debug, Default)]
pub struct RecordFields {
    /// The fields.
    pub fields: Vec<WrittenField>,
    /// True if there may be other members.
    pub is_open: bool,
    /// Remarks for a comment.
    pub remarks: Vec<String>,
}

/// A comment: a description and remarks, on one line if they fit.
pub fn commented(description: Option<&str>, words: Vec<String>) -> Vec<String> {
    let described = description.and_then(|text| one_line(text, COMMENT));
    if words.is_empty() {
        return described.into_iter().collect();
    }
    let words = words.join(", ");
    match described {
        Some(text) if text.chars().count() + words.chars().count() + 3 <= COMMENT => {
            vec![format!("{} ({words})", text.trim_end_matches('.'))]
        }
        described => described.into_iter().chain(sentence(&words)).collect(),
    }
}

/// The words as a sentence, with a capital letter; none for an empty text.
pub fn sentence(words: &str) -> Option<String> {
    let line = one_line(words, COMMENT)?;
    let mut letters = line.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}
