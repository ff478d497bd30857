//! The requests of operations: a variant for each operation, and its line of the `http` block.
//!
//! For example `POST /notes` with the content `{text}` is `Create { text } => POST "/notes" body json { text };`.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::spec::http::is_header_name;

use super::document::tree::{Described, Tree};
use super::ids::prefixes;
use super::limits::ValueLimits;
use super::messages::{DescribedOperation, MediaContent, RequestContent};
use super::naming::{TakenNames, camel, can_be_name, plain};
use super::shape::{SchemaView, ValueKinds};
use super::types::{
    Definition, DefinitionBody, Direction, INT, JSON, STRING, TypedSchema, WrittenField, WrittenType, WrittenTypes,
    commented, sentence,
};
use super::unwrapped::unwrapped;

/// The characters of a path that are written as `%XX`.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'\\').add(b'^').add(b'|');

/// The headers that mayhap writes itself, so that no field is made for them.
const OWN_HEADERS: [&str; 4] = ["content-length", "transfer-encoding", "connection", "host"];
/// The headers that a description states in other places than its parameters.
const OTHER_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// A variant of `Request`.
#[derive(Debug)]
pub struct RequestVariant {
    /// Its name.
    pub name: String,
    /// The comments before it.
    pub comments: Vec<String>,
    /// Its fields, each with its name in the line of the `http` block.
    pub fields: Vec<(WrittenField, String)>,
    /// The method.
    pub method: String,
    /// The path and the query string.
    pub target: String,
    /// The headers: each a name, with a field or a text in quotes.
    pub headers: Vec<(String, String)>,
    /// The text after `body` in the line.
    pub content: Option<String>,
}

/// The reason why no line of the `http` block can express an operation.
pub struct UnwrittenOperation(pub String);

/// The variant of an operation, or the reason why there is none.
///
/// # Errors
/// The description is malformed.
pub fn request_of<'d>(
    types: &mut WrittenTypes<'d>,
    operation: &DescribedOperation<'d>,
    names: &mut TakenNames,
) -> Described<Result<RequestVariant, UnwrittenOperation>> {
    let own = operation.tree.text_of("operationId").map(camel).filter(|name| !name.is_empty());
    let unnamed = || camel(&format!("{} {}", operation.method.to_lowercase(), operation.path));
    let name = names.take(&own.unwrap_or_else(unnamed));
    let text = operation.tree.text_of("summary").or_else(|| operation.tree.text_of("description"));
    let mut comments = commented(text, Vec::new());
    if operation.tree.has("deprecated") {
        comments.push("Deprecated.".to_owned());
    }
    let request = RequestVariant {
        name,
        comments,
        fields: Vec::new(),
        method: operation.method.clone(),
        target: String::new(),
        headers: Vec::new(),
        content: None,
    };
    let mut building = RequestBuilding { types, operation, request, names: TakenNames::default(), why: None };
    // The members of the content keep their names; other fields with the same name are renamed.
    building.content()?;
    let members = building.request.fields.len();
    building.path()?;
    building.parameters()?;
    building.request.fields.rotate_left(members);
    Ok(match building.why {
        Some(why) => Err(UnwrittenOperation(why)),
        None => Ok(building.request),
    })
}

/// The type of a field, with the description of the field.
struct DescribedType<'d> {
    typed: TypedSchema,
    description: Option<&'d str>,
}

struct RequestBuilding<'b, 'd> {
    types: &'b mut WrittenTypes<'d>,
    operation: &'b DescribedOperation<'d>,
    request: RequestVariant,
    /// The names of the fields so far.
    names: TakenNames,
    /// The reason to leave the operation out, if there is one.
    why: Option<String>,
}

impl<'d> RequestBuilding<'_, 'd> {
    fn remark(&mut self, words: &str) {
        self.request.comments.extend(sentence(words));
    }

    fn leave_out(&mut self, why: String) {
        self.why.get_or_insert(why);
    }

    /// Adds a field; returns its name in the line of the `http` block.
    fn field(&mut self, place: &str, wanted: &str, described: DescribedType<'_>, is_required: bool) -> String {
        let DescribedType { typed, description } = described;
        let name = self.names.take_or(wanted, &format!("_in_{place}"));
        let ty = if is_required { typed.ty } else { typed.ty.optional() };
        let words = typed.limits.words(ty.unit()).into_iter().chain(typed.remarks);
        let comments = commented(description, words.collect());
        let limits = typed.limits;
        self.request.fields.push((WrittenField { name: name.clone(), ty, comments, limits }, name.clone()));
        name
    }

    fn context(&self, name: &str) -> String {
        format!("{}{}", self.request.name, camel(name))
    }

    /// Adds the fields of the path.
    fn path(&mut self) -> Described<()> {
        let path = self.operation.path;
        let (before, fragment) = path.split_once('#').map_or((path, None), |(before, rest)| (before, Some(rest)));
        if fragment.is_some() {
            self.leave_out("its path has a `#`".to_owned());
        }
        let known = prefixes(path);
        let last_property = known.last().and_then(|prefix| self.types.ids.in_path(&prefix.path)).cloned();
        let mut target = if before.starts_with('/') { String::new() } else { "/".to_owned() };
        let mut rest = before;
        let mut is_after_field = false;
        while let Some((text, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                self.leave_out("a `{` in its path is not closed".to_owned());
                break;
            };
            if is_after_field && text.is_empty() {
                self.leave_out("two parameters stand next to each other in its path".to_owned());
            }
            target.extend(utf8_percent_encode(text, ESCAPED));
            let at = known.iter().find(|prefix| prefix.parameter == name);
            let id = at.and_then(|prefix| self.types.ids.in_path(&prefix.path)).cloned();
            let is_last = at.map(|prefix| &prefix.path) == known.last().map(|prefix| &prefix.path);
            let parameter = self.parameter("path", name);
            let DescribedType { mut typed, description } = self.parameter_type(parameter, name)?;
            let mut wanted = plain(name);
            match (&id, typed.ty == STRING || typed.ty == INT) {
                (Some(super::ids::PathId { token: Some(token), .. }), true) if typed.ty == STRING => {
                    typed.ty = WrittenType::Defined(*token);
                    typed.limits = typed.limits.of_id();
                }
                (Some(id), true) => {
                    typed.limits.number.forget_width();
                    if is_last && last_property.is_some() {
                        wanted = plain(&id.property);
                    }
                }
                _ => {}
            }
            if !self.is_text(&typed.ty) {
                typed.remarks.push("sent as a text, as it is no single value".to_owned());
                typed.ty = STRING;
            }
            let field = self.field("path", &wanted, DescribedType { typed, description }, true);
            target.push_str(&format!("{{{field}}}"));
            is_after_field = true;
            rest = after;
        }
        target.extend(utf8_percent_encode(rest, ESCAPED));
        self.request.target = target;
        Ok(())
    }

    /// The parameter of this name in this part of the request, if it is described.
    fn parameter(&self, place: &str, name: &str) -> Option<&'d Tree> {
        let is_it = |parameter: &&&Tree| {
            DescribedOperation::place_of(parameter) == place && parameter.text_of("name") == Some(name)
        };
        self.operation.parameters.iter().find(is_it).copied()
    }

    fn parameter_type(&mut self, parameter: Option<&'d Tree>, name: &str) -> Described<DescribedType<'d>> {
        let text = || TypedSchema { ty: STRING, limits: Default::default(), remarks: Vec::new() };
        let Some(parameter) = parameter else { return Ok(DescribedType { typed: text(), description: None }) };
        let description = parameter.text_of("description");
        let Some(schema) = self.operation.schema_of(parameter) else {
            let mut typed = text();
            typed.remarks.push("sent as a text, as it has no schema".to_owned());
            return Ok(DescribedType { typed, description });
        };
        let context = self.context(name);
        let mut typed = self.types.typed_named(name, &SchemaView::of(schema), Direction::Sent, &context)?;
        // An absent parameter stands for `null`.
        typed.ty = typed.ty.inner().clone();
        as_text(&mut typed);
        Ok(DescribedType { typed, description })
    }

    /// Adds the fields of the query string and of headers.
    fn parameters(&mut self) -> Described<()> {
        let mut query = Vec::new();
        for parameter in self.operation.parameters.clone() {
            let name = parameter.text_of("name").unwrap_or_default();
            let is_required = parameter.has("required");
            match DescribedOperation::place_of(parameter) {
                "path" if !self.operation.path.contains(&format!("{{{name}}}")) => {
                    self.remark(&format!("the parameter `{name}` is left out, as the path does not have it"));
                }
                "query" => {
                    if name.is_empty() || name.contains(|c: char| c.is_control() || " #\"<>=&{}?\\".contains(c)) {
                        self.left_out(name, is_required, "it has no name that can stand in a path");
                        continue;
                    }
                    if let Some(field) = self.single(parameter, name, is_required)? {
                        query.push(format!("{name}={{{field}}}"));
                    }
                }
                "header" if OTHER_HEADERS.contains(&name.to_ascii_lowercase().as_str()) => {
                    self.remark(&format!("the header {name} is left out: `--header '{name}: …'` adds it"));
                }
                "header" if !is_header_name(name) || OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) => {
                    self.left_out(name, is_required, "no header of this name can be sent");
                }
                "header" => {
                    if let Some(field) = self.single(parameter, name, is_required)? {
                        self.request.headers.push((name.to_owned(), format!("`{field}`")));
                    }
                }
                "cookie" => {
                    self.remark(&format!("the cookie `{name}` is left out: `--header 'Cookie: {name}=…'` adds it"));
                }
                "path" | "body" | "formData" => {}
                other => {
                    let place = parameter.get("in").unwrap_or(parameter);
                    let known = "expected path, query, header or cookie";
                    return Err(place.wrong(format!("`{other}` is no place of a parameter"), known));
                }
            }
        }
        if !query.is_empty() {
            self.request.target.push(if self.request.target.contains('?') { '&' } else { '?' });
            self.request.target.push_str(&query.join("&"));
        }
        Ok(())
    }

    fn left_out(&mut self, name: &str, is_required: bool, why: &str) {
        if is_required {
            self.leave_out(format!("it needs the parameter `{name}`: {why}"));
        } else {
            self.remark(&format!("the parameter `{name}` is left out: {why}"));
        }
    }

    /// Adds the field of a parameter that is written as one text, or as several in the query; returns its name in the line.
    fn single(&mut self, parameter: &'d Tree, name: &str, is_required: bool) -> Described<Option<String>> {
        let place = DescribedOperation::place_of(parameter);
        let is_query = place == "query";
        let DescribedType { mut typed, description } = self.parameter_type(Some(parameter), name)?;
        let is_list = matches!(&typed.ty, WrittenType::List(of) if self.is_text(of));
        let is_repeated = match (parameter.text_of("collectionFormat"), parameter.text_of("style")) {
            (Some(format), _) => format == "multi",
            (None, Some(style)) if style != "form" => false,
            (None, _) => parameter.get("explode").is_none_or(|explode| explode.boolean() != Some(false)),
        };
        let is_plain_list = self.operation.schema_of(parameter).is_some_and(|schema| !std::ptr::eq(schema, parameter));
        let is_written = match is_list {
            // Swagger separates elements by commas unless the format says otherwise.
            true if is_query => is_repeated && (is_plain_list || parameter.text_of("collectionFormat").is_some()),
            true => true,
            false => self.is_text(&typed.ty),
        };
        if !is_written {
            if !is_required {
                self.left_out(name, false, "it is no single value");
                return Ok(None);
            }
            typed.ty = STRING;
            typed.remarks.push("sent as a text, as it is no single value".to_owned());
        }
        let wanted = if is_query { plain(name) } else { plain(name).to_lowercase() };
        // An empty list has no text in the query, so it is the same as an absent one.
        let is_required = is_required || is_query && matches!(typed.ty, WrittenType::List(_));
        Ok(Some(self.field(place, &wanted, DescribedType { typed, description }, is_required)))
    }

    /// Tests whether values of a type are written as a text.
    fn is_text(&self, ty: &WrittenType) -> bool {
        match ty {
            WrittenType::Plain(name) => matches!(*name, "int" | "bool" | "string"),
            WrittenType::Defined(number) => match &self.types.definitions[*number] {
                Definition { body: DefinitionBody::Token | DefinitionBody::Choices(_), .. } => true,
                Definition { body: DefinitionBody::Record { .. }, .. } => false,
            },
            WrittenType::Option(_) | WrittenType::List(_) | WrittenType::Map(_) => false,
        }
    }

    /// Adds the fields of the content.
    fn content(&mut self) -> Described<()> {
        let document = self.types.schemas.document;
        let Some(content) = self.operation.content(document)? else { return Ok(()) };
        let kinds = &content.kinds;
        let form = kinds.iter().find(|kind| kind.kind() == "application/x-www-form-urlencoded");
        if let Some(json) = kinds.iter().find(|kind| kind.is_json()) {
            return self.json(&content, json);
        }
        if let Some(form) = form {
            return self.form(&content, form);
        }
        let Some(other) = kinds.first() else {
            if content.is_required {
                self.leave_out("nothing is said of its content".to_owned());
            }
            return Ok(());
        };
        if other.kind().starts_with("multipart/") {
            if content.is_required {
                self.leave_out(format!("its content is {}, which mayhap does not write", other.kind()));
            } else {
                self.remark(&format!("the content is left out: mayhap does not write {}", other.kind()));
            }
            return Ok(());
        }
        let ty = if other.is_text() { STRING } else { WrittenType::Plain("bytes") };
        let typed = TypedSchema { ty, limits: Default::default(), remarks: vec![format!("as it is: {}", other.media)] };
        let field = self.field("content", "body", DescribedType { typed, description: None }, content.is_required);
        if is_quotable(other.media) {
            self.request.headers.push(("Content-Type".to_owned(), format!("{:?}", other.media)));
        }
        self.request.content = Some(format!("raw(`{field}`)"));
        Ok(())
    }

    /// Adds the fields of JSON content: the members of an object become fields of the request.
    fn json(&mut self, content: &RequestContent<'d>, json: &MediaContent<'d>) -> Described<()> {
        if !matches!(json.kind().as_str(), "application/json" | "*/*" | "application/*") && is_quotable(json.media) {
            self.request.headers.push(("Content-Type".to_owned(), format!("{:?}", json.media)));
        }
        let Some(schema) = json.schema else {
            let typed = TypedSchema { ty: JSON, limits: Default::default(), remarks: Vec::new() };
            let field = self.field("content", "body", DescribedType { typed, description: None }, content.is_required);
            self.request.content = Some(format!("json(`{field}`)"));
            return Ok(());
        };
        let part = unwrapped(&self.types.schemas, &SchemaView::of(schema))?;
        let shape = self.types.schemas.shape(&part.view)?;
        let is_object =
            shape.kinds == ValueKinds::OBJECT && !(shape.properties.is_empty() && shape.required.is_empty());
        let is_always = content.is_required || !shape.required.is_empty();
        if !is_object || !is_always || part.is_nullable || shape.is_nullable == Some(true) {
            let context = self.context("body");
            let typed = self.types.typed(&SchemaView::of(schema), Direction::Sent, &context)?;
            let field = self.field(
                "content",
                "body",
                DescribedType { typed, description: part.description },
                content.is_required,
            );
            self.request.content = Some(format!("json(`{field}`)"));
            return Ok(());
        }
        if !content.is_required {
            self.remark("the content may be left out; it is always sent");
        }
        let context = self.types.schemas.document.name(part.view.trees()[0]).map(camel);
        let context = context.unwrap_or_else(|| self.request.name.clone());
        let remarks = shape.remarks.clone();
        let record = self.types.fields(&shape, Direction::Sent, &context)?;
        remarks.iter().chain(&record.remarks).for_each(|remark| self.remark(remark));
        let mut members = Vec::new();
        for field in record.fields {
            self.names.take(&field.name);
            members.push(format!("`{}`", field.name));
            let name = field.name.clone();
            self.request.fields.push((field, name));
        }
        self.request.content = Some(format!("json {{ {} }}", members.join(", ")));
        Ok(())
    }

    /// Adds the form fields.
    fn form(&mut self, content: &RequestContent<'d>, form: &MediaContent<'d>) -> Described<()> {
        let mut fields: Vec<(String, SchemaView<'d>, bool)> = Vec::new();
        for field in &content.fields {
            let name = field.text_of("name").unwrap_or_default();
            fields.push((name.to_owned(), SchemaView::of(field), field.has("required")));
        }
        if let Some(schema) = form.schema {
            let shape = self.types.schemas.shape(&SchemaView::of(schema))?;
            for property in &shape.properties {
                let is_required = shape.requires(&property.name);
                fields.push((property.name.clone(), property.view.clone(), is_required));
            }
        }
        let mut members = Vec::new();
        for (name, view, is_required) in fields {
            let part = unwrapped(&self.types.schemas, &view)?;
            let context = self.context(&name);
            let mut typed = self.types.typed_named(&name, &view, Direction::Sent, &context)?;
            typed.ty = typed.ty.inner().clone();
            as_text(&mut typed);
            let is_list = matches!(&typed.ty, WrittenType::List(of) if self.is_text(of));
            let is_written = can_be_name(&name) && !part.is_read_only && (is_list || self.is_text(&typed.ty));
            if !is_written {
                self.left_out(&name, is_required && !part.is_read_only, "it is no single value");
                continue;
            }
            let described = DescribedType { typed, description: part.description };
            let field = self.field("content", &name, described, is_required || is_list);
            members.push(format!("`{field}`"));
        }
        self.request.content = Some(format!("form {{ {} }}", members.join(", ")));
        Ok(())
    }
}

/// Makes a number that is written as a text an integer, or a string if no whole number is allowed.
fn as_text(typed: &mut TypedSchema) {
    let number = |limits: &ValueLimits| if limits.allows_whole() { INT } else { STRING };
    typed.ty = match &typed.ty {
        ty if *ty == JSON && typed.limits.is_number => number(&typed.limits),
        WrittenType::List(of) if **of == JSON => match typed.limits.elements.as_deref() {
            Some(elements) if elements.is_number => WrittenType::List(Box::new(number(elements))),
            _ => return,
        },
        _ => return,
    };
    let said = "a number: `int` if it is whole";
    typed.remarks.iter_mut().for_each(|remark| *remark = remark.replace(said, "a number: whole ones are sent"));
    if typed.ty == STRING {
        typed.remarks = vec!["a number, as a text".to_owned()];
    }
}

/// Tests whether a text can stand in quotes without escapes.
pub fn is_quotable(text: &str) -> bool {
    !text.contains(|c: char| c == '"' || c == '\\' || c.is_control() || !c.is_ascii())
}
