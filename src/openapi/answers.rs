//! The answers of operations: a variant for each status and content, with its line of the `http` block.
//!
//! For example `201` with a `Note` as JSON is `201 => Created(body json);`, and `default` is
//! `_ => Other { status: status, body: body json };`.

use std::ops::Range;

use crate::spec::http::is_header_name;

use super::document::tree::{Described, Tree};
use super::messages::{DescribedAnswer, DescribedOperation};
use super::naming::{TakenNames, alike, camel, plain};
use super::shape::SchemaView;
use super::types::{
    DefinitionBody, Direction, JSON, STRING, WrittenField, WrittenType, WrittenTypes, commented, sentence,
};

/// All statuses of answers.
const ANY: Range<u16> = 200..600;

/// The statuses that a variant of an answer stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerStatus {
    /// One status.
    Is(u16),
    /// All statuses without a variant of their own.
    Others,
}

/// The content of an answer, with its codec.
pub type AnswerContent = (WrittenType, &'static str);

/// A variant of `Response`.
#[derive(Debug)]
pub struct AnswerVariant {
    /// Its statuses.
    pub status: AnswerStatus,
    /// Its content, if it has any.
    pub content: Option<AnswerContent>,
    /// Its headers, each as a field.
    pub headers: Vec<(WrittenField, String)>,
    /// The comments before it.
    pub comments: Vec<String>,
    /// The requests that it answers, by index.
    pub to: Vec<usize>,
    /// Its name.
    pub name: String,
    /// The word for its content, which distinguishes its name if other variants have the same status.
    word: String,
}

/// An answer that a handler may give.
#[derive(Debug)]
pub struct AnswerBranch {
    /// The index of its variant.
    pub variant: usize,
    /// The condition on `status`, if that is a field.
    pub condition: Option<String>,
}

/// The answers of all operations.
#[derive(Debug, Default)]
pub struct AnswerVariants {
    /// The variants.
    pub variants: Vec<AnswerVariant>,
}

/// An answer as it was read, before it has a variant.
struct ReadAnswer {
    content: Option<AnswerContent>,
    headers: Vec<(WrittenField, String)>,
    comments: Vec<String>,
}

/// The answers of an operation, with remarks for its comment.
#[derive(Debug, Default)]
pub struct OperationAnswers {
    /// The answers that its handler may give.
    pub branches: Vec<AnswerBranch>,
    /// The parts that are left out, in words.
    pub remarks: Vec<String>,
    /// The JSON media types that its answers have.
    pub json: Vec<String>,
    /// The media types that the client does not ask for.
    pub passed_over: Vec<String>,
    /// True if it describes an answer to invalid requests.
    pub refuses: bool,
}

impl AnswerVariants {
    /// Adds the answers of an operation, whose request has this index and name.
    ///
    /// # Errors
    /// The description is malformed.
    pub fn take<'d>(
        &mut self,
        types: &mut WrittenTypes<'d>,
        operation: &DescribedOperation<'d>,
        number: usize,
        name: &str,
    ) -> Described<OperationAnswers> {
        let mut found = OperationAnswers::default();
        let mut others: Vec<(Range<u16>, ReadAnswer)> = Vec::new();
        let mut named: Vec<u16> = Vec::new();
        for answer in operation.answers(types.schemas.document)? {
            let status = statuses(&answer)?;
            let mut read = || read_answer(types, operation, &answer, name, &mut found);
            match status {
                ReadStatus::Is(status) if status < 200 => {
                    found.remarks.push(format!("the status {status} is left out, as it is no answer"));
                }
                ReadStatus::Is(status) => {
                    let read = read()?;
                    found.refuses |= matches!(status, 400 | 422);
                    named.push(status);
                    let variant = self.variant(types, AnswerStatus::Is(status), read, number);
                    found.branches.push(AnswerBranch { variant, condition: None });
                }
                ReadStatus::Range(first) => {
                    let read = read()?;
                    found.refuses |= first == 400;
                    others.push((first..first + 100, read));
                }
                ReadStatus::Default => {
                    let read = read()?;
                    found.refuses = true;
                    others.push((ANY, read));
                }
            }
        }
        if let Some((ranges, read)) = united(others, &mut found.remarks) {
            let variant = self.variant(types, AnswerStatus::Others, read, number);
            let condition = but_for(ranges, &named);
            found.branches.push(AnswerBranch { variant, condition: Some(condition) });
        }
        if !found.passed_over.is_empty() {
            let others = found.passed_over.join(" and ");
            found.remarks.push(format!("answers as {others} are left out, and not asked for"));
        }
        if found.branches.is_empty() {
            found.remarks.push("no answer is described: any status is allowed".to_owned());
            let read = ReadAnswer { content: None, headers: Vec::new(), comments: Vec::new() };
            let variant = self.variant(types, AnswerStatus::Others, read, number);
            let condition = Some(but_for(vec![ANY], &[]));
            found.branches.push(AnswerBranch { variant, condition });
            found.refuses = true;
        }
        Ok(found)
    }

    /// The variant of an answer: a known one with the same status, content and headers, or a new one.
    fn variant(&mut self, types: &WrittenTypes<'_>, status: AnswerStatus, read: ReadAnswer, to: usize) -> usize {
        let same_headers = |known: &[(WrittenField, String)]| {
            let key = |headers: &[(WrittenField, String)]| -> Vec<(String, WrittenType)> {
                headers.iter().map(|(field, name)| (name.clone(), field.ty.clone())).collect()
            };
            key(known) == key(&read.headers)
        };
        let is_it = |known: &AnswerVariant| {
            known.status == status && known.content == read.content && same_headers(&known.headers)
        };
        if let Some(at) = self.variants.iter().position(is_it) {
            let known = &mut self.variants[at];
            if !known.to.contains(&to) {
                known.to.push(to);
            }
            return at;
        }
        let ReadAnswer { content, headers, comments } = read;
        let word = content.as_ref().map_or_else(|| "Empty".to_owned(), |(ty, _)| word_of(types, ty, &phrase(status)));
        let name = String::new();
        self.variants.push(AnswerVariant { status, content, headers, comments, to: vec![to], name, word });
        self.variants.len() - 1
    }

    /// Names each variant after its status; the content is added if several variants have the status.
    pub fn name_all(&mut self) {
        let mut taken = TakenNames::default();
        let statuses: Vec<AnswerStatus> = self.variants.iter().map(|variant| variant.status).collect();
        for variant in &mut self.variants {
            let phrase = phrase(variant.status);
            let is_only = statuses.iter().filter(|status| **status == variant.status).count() == 1;
            variant.name = taken.take(&if is_only { phrase } else { format!("{phrase}{}", variant.word) });
        }
        self.variants.iter_mut().filter(|variant| variant.to.len() > 1).for_each(|variant| variant.comments.clear());
    }

    /// The variants in the order of their statuses.
    pub fn in_order(&self) -> Vec<&AnswerVariant> {
        let mut ordered: Vec<&AnswerVariant> = self.variants.iter().collect();
        ordered.sort_by_key(|variant| match variant.status {
            AnswerStatus::Is(status) => status,
            AnswerStatus::Others => u16::MAX,
        });
        ordered
    }

    /// Tests whether the line of a variant must name the requests that it answers, since another line could apply to its statuses.
    pub fn needs_requests(&self, variant: &AnswerVariant, count: usize) -> bool {
        let like_it = self.variants.iter().filter(|other| other.status == variant.status);
        if like_it.count() > 1 {
            return true;
        }
        match variant.status {
            AnswerStatus::Others => variant.to.len() < count,
            AnswerStatus::Is(_) => self.variants.iter().any(|other| {
                other.status == AnswerStatus::Others && other.to.iter().any(|to| !variant.to.contains(to))
            }),
        }
    }
}

/// The word for the type of a variant's content, which follows the status in the variant's name.
fn word_of(types: &WrittenTypes<'_>, ty: &WrittenType, phrase: &str) -> String {
    match ty {
        WrittenType::Plain(name) => camel(name),
        WrittenType::Defined(number) => {
            // The type of a single answer is named like the request, with the status at its end.
            let name = &types.definitions[*number].wanted;
            name.strip_suffix(phrase).unwrap_or(name).to_owned()
        }
        WrittenType::Option(of) => word_of(types, of, phrase),
        WrittenType::List(of) => format!("{}List", word_of(types, of, phrase)),
        WrittenType::Map(of) => format!("{}Map", word_of(types, of, phrase)),
    }
}

/// A status key of a description.
enum ReadStatus {
    Is(u16),
    /// A range such as `4XX`, by its first status.
    Range(u16),
    Default,
}

fn statuses(answer: &DescribedAnswer<'_>) -> Described<ReadStatus> {
    let text = answer.status;
    if text == "default" {
        return Ok(ReadStatus::Default);
    }
    let digit = text.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or_default() as u16;
    let is_range = text.len() == 3 && text[1..].eq_ignore_ascii_case("xx");
    match text.parse::<u16>() {
        Ok(status) if (100..1000).contains(&status) => Ok(ReadStatus::Is(status)),
        _ if is_range && (2..=5).contains(&digit) => Ok(ReadStatus::Range(digit * 100)),
        _ => {
            let expected = "expected one from 100 to 999, a range such as `4XX`, or `default`";
            Err(answer.tree.wrong(format!("`{text}` is no status"), expected))
        }
    }
}

/// The answers to several ranges of statuses combined into one.
fn united(
    mut others: Vec<(Range<u16>, ReadAnswer)>,
    remarks: &mut Vec<String>,
) -> Option<(Vec<Range<u16>>, ReadAnswer)> {
    let ranges: Vec<Range<u16>> = others.iter().map(|(range, _)| range.clone()).collect();
    let key = |answer: &ReadAnswer| {
        let headers: Vec<String> = answer.headers.iter().map(|(_, name)| name.clone()).collect();
        (answer.content.clone(), headers)
    };
    let (_, first) = others.first()?;
    let first_key = key(first);
    if others.iter().all(|(_, other)| key(other) == first_key) {
        return Some((ranges, others.swap_remove(0).1));
    }
    remarks.push("the answers to ranges of statuses differ: their content is any JSON".to_owned());
    let content = Some((JSON.optional(), "json"));
    Some((ranges, ReadAnswer { content, headers: Vec::new(), comments: Vec::new() }))
}

/// The condition that a status is in one of some ranges, and has no answer of its own.
fn but_for(mut ranges: Vec<Range<u16>>, named: &[u16]) -> String {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u16>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    let within = joined.iter().map(|range| format!("status >= {} && status < {}", range.start, range.end));
    let within: Vec<String> = within.collect();
    let within = if within.len() == 1 { within.concat() } else { format!("({})", within.join(" || ")) };
    let named: Vec<String> =
        named.iter().filter(|status| joined.iter().any(|range| range.contains(status))).map(u16::to_string).collect();
    match named.as_slice() {
        [] => within,
        [only] => format!("{within} && status != {only}"),
        several => format!("{within} && !(status in {{{}}})", several.join(", ")),
    }
}

/// Adds a media type, unless it is there.
fn add(kinds: &mut Vec<String>, media: &str) {
    if kinds.iter().all(|known| known != media) {
        kinds.push(media.to_owned());
    }
}

/// Reads the description of an answer.
fn read_answer<'d>(
    types: &mut WrittenTypes<'d>,
    operation: &DescribedOperation<'d>,
    answer: &DescribedAnswer<'d>,
    name: &str,
    found: &mut OperationAnswers,
) -> Described<ReadAnswer> {
    // A description that only repeats the name of the status says nothing.
    let description = answer.tree.text_of("description");
    let description = description.filter(|text| alike(text) != alike(&status_word(answer.status)));
    let mut comments = commented(description, Vec::new());
    let mut headers = Vec::new();
    let mut names = TakenNames::of(&["status", "body"]);
    let described =
        answer.tree.get("headers").map(|headers| types.schemas.document.resolve_names(headers)).transpose()?;
    for member in described.map_or(Ok(&[][..]), |headers| headers.object("`headers`"))? {
        if !is_header_name(&member.key) || member.key.eq_ignore_ascii_case("content-type") {
            found.remarks.push(format!("the header {:?} of an answer is left out", member.key));
            continue;
        }
        let header = types.schemas.document.resolve(&member.value)?;
        headers.push((header_field(types, header, &member.key, name, &mut names)?, member.key.clone()));
    }
    let is_without = operation.method == "HEAD" || matches!(answer.status, "204" | "205" | "304");
    if is_without && !answer.kinds.is_empty() && operation.method != "HEAD" {
        found.remarks.push(format!("an answer with the status {} has no content", answer.status));
    }
    let json = answer.kinds.iter().find(|kind| kind.is_json());
    let content = match (json, answer.kinds.first()) {
        (_, None) => None,
        _ if is_without => None,
        (Some(json), _) => {
            let context = format!("{name}{}", status_word(answer.status));
            add(&mut found.json, json.media);
            let others = answer.kinds.iter().filter(|kind| !kind.is_json());
            others.for_each(|other| add(&mut found.passed_over, other.media));
            let ty = match json.schema {
                None => JSON,
                Some(schema) => {
                    let typed = types.typed(&SchemaView::of(schema), Direction::Received, &context)?;
                    comments.extend(typed.remarks.iter().filter_map(|remark| sentence(remark)));
                    if *typed.ty.inner() == JSON { JSON } else { typed.ty }
                }
            };
            Some((ty, "json"))
        }
        (None, Some(other)) if other.is_text() => Some((STRING, "raw")),
        (None, Some(_)) => Some((WrittenType::Plain("bytes"), "raw")),
    };
    Ok(ReadAnswer { content, headers, comments })
}

/// The field for a header.
fn header_field<'d>(
    types: &mut WrittenTypes<'d>,
    header: &'d Tree,
    name: &str,
    operation: &str,
    names: &mut TakenNames,
) -> Described<WrittenField> {
    // In Swagger, the header itself holds the type.
    let schema = header.get("schema").or_else(|| header.get("type").map(|_| header));
    let is_required = header.get("schema").is_some() && header.has("required");
    let (mut words, mut limits) = (Vec::new(), Default::default());
    let ty = match schema {
        None => STRING,
        Some(schema) => {
            let context = format!("{operation}{}", camel(name));
            let typed = types.typed(&SchemaView::of(schema), Direction::Received, &context)?;
            words = typed.limits.words(typed.ty.unit());
            limits = typed.limits;
            let ty = typed.ty.inner().clone();
            if is_header_text(types, &ty) { ty } else { STRING }
        }
    };
    let comments = commented(header.text_of("description"), words);
    let ty = if is_required { ty } else { ty.optional() };
    Ok(WrittenField { name: names.take(&plain(name).to_lowercase()), ty, comments, limits })
}

/// Tests whether values of a type can be written as the text of a header.
fn is_header_text(types: &WrittenTypes<'_>, ty: &WrittenType) -> bool {
    match ty {
        WrittenType::Plain(name) => matches!(*name, "int" | "bool" | "string"),
        WrittenType::Defined(number) => !matches!(types.definitions[*number].body, DefinitionBody::Record { .. }),
        WrittenType::Option(_) | WrittenType::List(_) | WrittenType::Map(_) => false,
    }
}

/// The word for a status in the name of a type.
fn status_word(status: &str) -> String {
    match status.parse::<u16>() {
        Ok(status) => phrase(AnswerStatus::Is(status)),
        Err(_) if status == "default" => "Other".to_owned(),
        Err(_) => camel(&format!("Status {status}")),
    }
}

/// The name of a status, as a variant is called.
fn phrase(status: AnswerStatus) -> String {
    let AnswerStatus::Is(status) = status else { return "Other".to_owned() };
    let known = match status {
        200 => "Ok",
        201 => "Created",
        202 => "Accepted",
        203 => "NonAuthoritative",
        204 => "NoContent",
        205 => "ResetContent",
        206 => "PartialContent",
        207 => "MultiStatus",
        300 => "MultipleChoices",
        301 => "MovedPermanently",
        302 => "Found",
        303 => "SeeOther",
        304 => "NotModified",
        307 => "TemporaryRedirect",
        308 => "PermanentRedirect",
        400 => "BadRequest",
        401 => "Unauthorized",
        402 => "PaymentRequired",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "LengthRequired",
        412 => "PreconditionFailed",
        413 => "ContentTooLarge",
        415 => "UnsupportedMediaType",
        416 => "RangeNotSatisfiable",
        422 => "Unprocessable",
        423 => "Locked",
        428 => "PreconditionRequired",
        429 => "TooManyRequests",
        500 => "InternalServerError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        _ => return format!("Status{status}"),
    };
    known.to_owned()
}
