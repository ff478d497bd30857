//! The lines of an `http` block: how requests and answers look on the wire.
//!
//! `Get { key } => GET "/kv/{key}";` is a request line, `200 => Value { text: body };` an answer line.

use crate::diagnostic::Span;

use super::{Name, Spanned, TextLiteral};

/// A line of an `http` block.
pub type HttpLine = Spanned<HttpLineKind>;

/// The kinds of lines of an `http` block.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpLineKind {
    /// `Get { key, tag } => GET "/kv/{key}" { "If-Match": etag(tag) };`
    Request(HttpRequestLine),
    /// `200 to Get => Ok { value: body json };`
    Answer(HttpAnswerLine),
}

/// The form of a request on the wire.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpRequestLine {
    /// The requests of the line, with names for their fields.
    pub shape: HttpShape<Name>,
    /// `GET`
    pub method: HttpMethod,
    /// `"/kv/{key}"`
    pub target: HttpText,
    /// The headers besides those that every message has.
    pub headers: Vec<HttpHeader>,
    /// The field that holds all other headers, if the line has one: `headers others`.
    pub other_headers: Option<Name>,
    /// The content, if there is any.
    pub body: Option<HttpBody>,
}

/// The method of a request line.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpMethod {
    /// `GET`
    Is(Name),
    /// `{field}`
    Field(Name),
}

/// `"Name": "text"`, `"Name": codec(field)` or `"Name": field` in a request line.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpHeader {
    /// The name of the header.
    pub name: HttpText,
    /// Its value.
    pub value: HttpHeaderValue,
}

/// The value of a header of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpHeaderValue {
    /// A fixed text.
    Fixed(HttpText),
    /// The text of a field.
    Field(HttpField),
}

/// A field of a request, and the codec that writes it: `etags(tags)`.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpField {
    /// The name that the shape gives to the field.
    pub name: Name,
    /// The codec; if none is written, the type of the field determines it.
    pub codec: Option<Name>,
}

/// The content of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpBody {
    /// `body codec(field)`
    Whole(HttpField),
    /// `body json { a, b }`, `body form { a, b }`: an object with these members.
    Members {
        /// `json` or `form`
        codec: Name,
        /// The fields; each becomes a member with the name that the shape gives to it.
        fields: Vec<Name>,
        /// The place, both braces included.
        span: Span,
    },
}

/// The meaning of an answer on the wire.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpAnswerLine {
    /// The statuses of the line.
    pub statuses: Vec<HttpStatus>,
    /// The requests that the line is for; all requests if the list is empty.
    pub to: Vec<Name>,
    /// The answer, and the message parts that its fields are taken from.
    pub value: HttpAnswer,
}

/// The statuses of an answer line.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpStatus {
    /// `404`
    Is(u16, Span),
    /// `_`
    Any(Span),
}

/// The value that an answer line gives.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpAnswer {
    /// A constructor: `Ok { value: body json }`.
    Shape(HttpShape<HttpSource>),
    /// A part of the message is the whole answer: `body json`.
    Source(HttpSource),
}

/// The message part that a value is taken from.
pub type HttpSource = Spanned<HttpSourceKind>;

/// The parts of the message of an answer.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum HttpSourceKind {
    /// `status`
    Status,
    /// `header "ETag" as etag`
    Header { name: HttpText, codec: Option<Name> },
    /// `headers`
    Headers,
    /// `body json`
    Body { codec: Option<Name> },
}

/// A struct or variant with a `T` for each field.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpShape<T> {
    /// The name of the struct or variant; a name without fields may also stand for a whole request.
    pub name: Name,
    /// The fields.
    pub fields: HttpFields<T>,
    /// Its place.
    pub span: Span,
}

/// The fields of a shape.
#[derive(Clone, PartialEq, Debug)]
pub enum HttpFields<T> {
    /// `V`
    Unit,
    /// `V(a, b)`
    Tuple(Vec<T>),
    /// `V { f: a, g: b }`; `V { f }` is `V { f: f }`.
    Record(Vec<(Name, T)>),
}

/// A string with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpText {
    /// The string.
    pub text: TextLiteral,
    /// Its place.
    pub span: Span,
}
