//! The checked form of an `http` block: how each request and each answer of a specification looks on the wire.
//!
//! `Get { key } => GET "/kv/{key}";` is a [`RequestForm`] whose path is the text `/kv/` and a field.

use crate::diagnostic::Span;
use crate::spec::types::TypeId;
use crate::value::Value;

/// The forms of all requests and answers, in the order in which they are tried.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpForms {
    /// The forms of requests.
    pub requests: Vec<RequestForm>,
    /// The forms of answers.
    pub answers: Vec<AnswerForm>,
}

impl HttpForms {
    /// The status of an answer to a request, each given by its constructor; of several statuses the first one. `None` if the answer
    /// does not tell it.
    #[must_use]
    pub fn status(&self, request: u32, answer: &Value) -> Option<u16> {
        let tag = if let Value::Data { tag, .. } = answer { Some(*tag) } else { None };
        let is_it = |form: &&AnswerForm| {
            (form.tag.is_none() || form.tag == tag) && (form.to.is_empty() || form.to.contains(&request))
        };
        let form = self.answers.iter().find(is_it)?;
        if let Some(known) = form.statuses.first()? {
            return Some(*known);
        }
        let is_status =
            |source: &Option<AnswerSource>| source.as_ref().is_some_and(|source| source.part == AnswerPart::Status);
        let field = answer.fields().get(form.sources.iter().position(is_status)?)?;
        u16::try_from(field.as_int()?.to_i64()?).ok()
    }
}

/// The form of the requests of one constructor.
#[derive(Clone, PartialEq, Debug)]
pub struct RequestForm {
    /// The constructor; none if the request type is no struct or enum, so that the request is the single field.
    pub tag: Option<u32>,
    /// The number of fields of the constructor.
    pub fields: usize,
    /// The method.
    pub method: TextPart,
    /// The host and the port of the server that a proxy is asked to reach; none if the request is not to a proxy.
    pub authority: Option<String>,
    /// The path, in parts.
    pub path: Vec<TextPart>,
    /// The field with the rest of the path, as it stands in the message, if the form has such a field.
    pub rest: Option<FieldForm>,
    /// The parameters of the query string.
    pub query: Vec<(String, TextPart)>,
    /// The field with the whole query string, as it stands in the message, if the form has such a field.
    pub whole_query: Option<FieldForm>,
    /// The headers besides those that every message has.
    pub headers: Vec<(String, TextPart)>,
    /// The field that holds all other headers, if the form has such a field.
    pub other_headers: Option<FieldForm>,
    /// The content.
    pub body: Option<BodyForm>,
}

/// A fixed text, or the text of a field.
#[derive(Clone, PartialEq, Debug)]
pub enum TextPart {
    /// A fixed text.
    Fixed(String),
    /// The text of a field.
    Field(FieldForm),
}

/// A field with its codec.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldForm {
    /// The index of the field; 0 if the request itself is the field.
    pub index: usize,
    /// Its type.
    pub ty: TypeId,
    /// The way in which the field is written.
    pub codec: HttpCodec,
}

/// The content of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum BodyForm {
    /// The text of a field.
    Whole(FieldForm),
    /// A JSON object with a member for each field.
    Members(Vec<(String, FieldForm)>),
    /// Form fields.
    Form(Vec<(String, FieldForm)>),
}

/// The form of answers of one constructor.
#[derive(Clone, PartialEq, Debug)]
pub struct AnswerForm {
    /// The statuses; `None` stands for any status.
    pub statuses: Vec<Option<u16>>,
    /// The constructors of the requests that have such answers; all requests if the list is empty.
    pub to: Vec<u32>,
    /// The constructor; none if the answer type is no struct or enum, so that the answer is the single field.
    pub tag: Option<u32>,
    /// The part of the message that each field is taken from; `None` for an option that is always `None`.
    pub sources: Vec<Option<AnswerSource>>,
    /// The place of the line.
    pub place: Span,
}

/// The part of an answer that a field is taken from.
#[derive(Clone, PartialEq, Debug)]
pub struct AnswerSource {
    /// The part.
    pub part: AnswerPart,
    /// The type of the field.
    pub ty: TypeId,
    /// The way in which the field is written.
    pub codec: HttpCodec,
}

/// A part of an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum AnswerPart {
    /// The status.
    Status,
    /// The value of a header.
    Header(String),
    /// All headers except the ones that other fields are taken from.
    Headers,
    /// The content.
    Body,
}

/// Tests whether a text is the name of a header (a token, RFC 9110, section 5.6.2).
#[must_use]
pub fn is_header_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Tests whether a header delimits a message: the writer of the message adds it, not a specification.
#[must_use]
pub fn is_framing(name: &str) -> bool {
    ["Content-Length", "Transfer-Encoding", "Connection"].iter().any(|framing| framing.eq_ignore_ascii_case(name))
}

/// Tests whether a text can be the value of a request's header: the receiver reads it as it was written.
#[must_use]
pub fn is_header_text(text: &str) -> bool {
    text.trim() == text && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// The ways in which a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HttpCodec {
    /// A string, integer, boolean, token or unit variant as its text.
    Text,
    /// A list or set of texts, separated by commas.
    List,
    /// Seconds since 1970 as a date of HTTP (RFC 9110, section 5.6.7).
    Date,
    /// An entity tag (RFC 9110, section 8.8.3).
    Etag,
    /// Entity tags separated by commas, or `*` (RFC 9110, section 13.1.1).
    Etags,
    /// JSON.
    Json,
    /// Octets as they are.
    Raw,
    /// Form fields, as in `a=1&b=2`.
    Form,
}

impl HttpCodec {
    /// All codecs.
    pub const ALL: [HttpCodec; 8] = [
        HttpCodec::Text,
        HttpCodec::List,
        HttpCodec::Date,
        HttpCodec::Etag,
        HttpCodec::Etags,
        HttpCodec::Json,
        HttpCodec::Raw,
        HttpCodec::Form,
    ];

    /// Its name in a specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HttpCodec::Text => "text",
            HttpCodec::List => "list",
            HttpCodec::Date => "date",
            HttpCodec::Etag => "etag",
            HttpCodec::Etags => "etags",
            HttpCodec::Json => "json",
            HttpCodec::Raw => "raw",
            HttpCodec::Form => "form",
        }
    }
}
