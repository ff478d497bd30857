//! Specifications generated from OpenAPI descriptions: types, the `http` block, and handlers that allow every described answer.
//!
//! | file | its one job |
//! |---|---|
//! | `document/tree.rs`, `from_json.rs`, `from_yaml.rs` | the text as a tree with places |
//! | `document/mod.rs` | the version, and the targets of references |
//! | `shape.rs`, `limits.rs`, `unwrapped.rs` | schemas, merged, and without schemas that only wrap others |
//! | `numbers.rs`, `decimal.rs` | limits of numbers, and numbers within them |
//! | `messages.rs` | operations with their parameters, contents and answers |
//! | `ids.rs` | the ids that the service generates |
//! | `types.rs`, `unite.rs` | types for schemas |
//! | `requests.rs`, `answers.rs` | variants of requests and answers, with their lines |
//! | `drawn` | the values that requests have: drawn ones, and duties |
//! | `naming.rs`, `text.rs` | names, and the text |

mod answers;
mod decimal;
mod document;
mod drawn;
mod ids;
mod limits;
mod messages;
mod naming;
mod numbers;
mod requests;
mod shape;
mod text;
mod types;
mod unite;
mod unwrapped;

use crate::diagnostic::{Diagnostic, FileId};
use crate::syntax::ast::NodeId;
use crate::syntax::{parse, print};

use answers::AnswerVariants;
use document::tree::{Described, Tree};
use document::{DescriptionForm, Document};
use drawn::{DrawnList, lists, records};
use ids::KnownIds;
use messages::operations;
use naming::{TakenNames, one_line, plain};
use requests::{UnwrittenOperation, is_quotable, request_of};
use shape::Schemas;
use text::{FirstSpec, WrittenRequest};
use types::{Definition, DefinitionBody, WrittenType, WrittenTypes, sentence};
use unite::{make_finite, renumbered, united, wanted_names};

/// The names that generated types cannot have, since the language or the generated protocol uses them.
const RESERVED: [&str; 16] = [
    "int", "bool", "string", "bytes", "client", "json", "token", "option", "list", "set", "map", "Request", "Response",
    "Some", "None", "_",
];

/// A description, and the part of it to generate a specification from.
#[derive(Clone, Copy, Debug)]
pub struct DescriptionText<'t> {
    /// The name of the file, for the generated comment.
    pub name: &'t str,
    /// Its text: JSON if it begins with a brace, else YAML.
    pub text: &'t str,
    /// The number of the file in diagnostics.
    pub file: FileId,
    /// The prefixes of the paths to include; all paths if the list is empty.
    pub paths: &'t [String],
}

/// Generates the specification of a description, in the standard layout.
///
/// # Errors
/// The description cannot be read.
pub fn specification(described: DescriptionText<'_>) -> Result<String, Box<Diagnostic>> {
    let DescriptionText { name, text, file, paths } = described;
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    let tree = if is_json {
        document::from_json::tree_of_json(text, file)?
    } else {
        document::from_yaml::tree_of_yaml(text, file)?
    };
    let document = Document::of(&tree)?;
    let text = written(&document, name, paths)?;
    let parsed = parse(&text, file, NodeId(0));
    Ok(print(&parsed.file, &text))
}

/// Generates the text of a specification, not laid out yet.
fn written(document: &Document<'_>, name: &str, paths: &[String]) -> Described<String> {
    let operations = operations(document, paths)?;
    let schemas = Schemas::of(document);
    let ids = KnownIds::of(&schemas, &operations)?;
    let mut types = WrittenTypes::of(schemas, ids);
    let mut answers = AnswerVariants::default();
    let (mut requests, mut left_out) = (Vec::new(), Vec::new());
    let mut names = TakenNames::of(&["_"]);
    for operation in &operations {
        let mut variant = match request_of(&mut types, operation, &mut names)? {
            Ok(variant) => variant,
            Err(UnwrittenOperation(why)) => {
                left_out.extend(one_line(&format!("{} is left out: {why}", operation.shown()), types::COMMENT));
                continue;
            }
        };
        let answered = answers.take(&mut types, operation, requests.len(), &variant.name)?;
        let mut remarks: Vec<String> = answered.remarks.iter().filter_map(|remark| sentence(remark)).collect();
        remarks.dedup();
        variant.comments.extend(remarks);
        if !answered.passed_over.is_empty() && answered.json.iter().all(|media| is_quotable(media)) {
            variant.headers.push(("Accept".to_owned(), format!("\"{}\"", answered.json.join(", "))));
        }
        requests.push(WrittenRequest { variant, branches: answered.branches, has_duties: !answered.refuses });
    }
    if requests.is_empty() {
        let place = document.root.get("paths").unwrap_or(document.root);
        let message = if operations.is_empty() { "no operation is described" } else { "no operation can be written" };
        let why = left_out.first().map_or("expected a path with a method, as in `/notes: {get: …}`", String::as_str);
        return Err(place.wrong(message, why));
    }
    answers.name_all();
    let became = united(&types);
    let mut definitions = types.definitions;
    for definition in &mut definitions {
        if let DefinitionBody::Record { fields, .. } = &mut definition.body {
            fields.iter_mut().for_each(|field| field.ty = renumbered(&field.ty, &became));
        }
    }
    make_finite(&mut definitions);
    for request in &mut requests {
        request.variant.fields.iter_mut().for_each(|(field, _)| field.ty = renumbered(&field.ty, &became));
    }
    let mut taken = TakenNames::of(&RESERVED);
    let wanted = wanted_names(&definitions, &became);
    let is_used = used(&definitions, &requests, &answers);
    let wanted = wanted.into_iter().zip(is_used).map(|(wanted, is_used)| wanted.filter(|_| is_used));
    let names: Vec<Option<String>> = wanted.map(|wanted| Some(taken.take(&wanted?))).collect();
    let title = document.root.get("info").and_then(|info| info.text_of("title")).unwrap_or("service");
    let protocol = taken.take(&plain(title).to_lowercase());
    let head = head(document, name, title);
    let drawn = drawn_lists(&definitions, &names, &requests, &mut taken);
    let spec = FirstSpec {
        head: &head,
        protocol: &protocol,
        definitions: &definitions,
        names: &names,
        requests: &requests,
        answers: &answers,
        left_out: &left_out,
        drawn: &drawn,
    };
    Ok(spec.text())
}

/// The constants that list the values that are drawn for the fields of requests, and of the structs in them.
fn drawn_lists(
    definitions: &[Definition],
    names: &[Option<String>],
    requests: &[WrittenRequest],
    taken: &mut TakenNames,
) -> Vec<DrawnList> {
    let mut fields = Vec::new();
    for WrittenRequest { variant, .. } in requests {
        let of = variant.fields.iter();
        fields.extend(of.map(|(field, _)| (format!("Request.{}.{}", variant.name, field.name), field)));
    }
    let sent =
        records(definitions, requests.iter().flat_map(|request| &request.variant.fields).map(|(field, _)| field));
    for number in sent {
        let (DefinitionBody::Record { fields: own, .. }, Some(name)) = (&definitions[number].body, &names[number])
        else {
            continue;
        };
        fields.extend(own.iter().map(|field| (format!("{name}.{}", field.name), field)));
    }
    lists(fields, definitions, taken)
}

/// A flag for each definition: true if a request or an answer uses it.
fn used(definitions: &[Definition], requests: &[WrittenRequest], answers: &AnswerVariants) -> Vec<bool> {
    let mut todo: Vec<&WrittenType> = Vec::new();
    for request in requests {
        todo.extend(request.variant.fields.iter().map(|(field, _)| &field.ty));
    }
    for variant in &answers.variants {
        todo.extend(variant.content.iter().map(|(ty, _)| ty));
        todo.extend(variant.headers.iter().map(|(field, _)| &field.ty));
    }
    let mut used = vec![false; definitions.len()];
    while let Some(ty) = todo.pop() {
        match ty {
            WrittenType::Plain(_) => {}
            WrittenType::Option(of) | WrittenType::List(of) | WrittenType::Map(of) => todo.push(of),
            WrittenType::Defined(number) if used[*number] => {}
            WrittenType::Defined(number) => {
                used[*number] = true;
                if let DefinitionBody::Record { fields, .. } = &definitions[*number].body {
                    todo.extend(fields.iter().map(|field| &field.ty));
                }
            }
        }
    }
    used
}

/// The generated comment at the beginning: the origin of the specification, and the commands that test a service with it.
fn head(document: &Document<'_>, name: &str, title: &str) -> Vec<String> {
    let version = document.root.get("info").and_then(|info| info.text_of("version"));
    let about = [Some(title), version].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = one_line(&format!("{about}, out of {name}."), types::COMMENT).into_iter().collect();
    lines.push(String::new());
    let address = format!("http://127.0.0.1:8080{}", base(document));
    lines.extend(one_line(&format!("mayhap test THIS_FILE --sut {address}"), types::COMMENT));
    let security = match document.form {
        DescriptionForm::OpenApi => document.root.get("components").and_then(|of| of.get("securitySchemes")),
        DescriptionForm::Swagger => document.root.get("securityDefinitions"),
    };
    for member in security.map_or(&[][..], Tree::members) {
        let scheme = document.resolve(&member.value).unwrap_or(&member.value);
        lines.extend(one_line(&credentials(&member.key, scheme), types::COMMENT));
    }
    for key in ["webhooks", "x-webhooks"] {
        if document.root.get(key).is_some() {
            lines.push("Left out: webhooks, which are requests of the service.".to_owned());
        }
    }
    lines
}

/// The option of the command line that sends the credentials of a security scheme.
fn credentials(name: &str, scheme: &Tree) -> String {
    let header = match (scheme.text_of("type"), scheme.text_of("in"), scheme.text_of("name")) {
        (Some("apiKey"), Some("header"), Some(header)) => format!("'{header}: ${{KEY}}'"),
        (Some("apiKey"), Some("cookie"), Some(cookie)) => format!("'Cookie: {cookie}=${{KEY}}'"),
        (Some("apiKey"), _, Some(parameter)) => {
            return format!("Left out: {name}, a parameter `{parameter}` of the query string.");
        }
        (Some("basic"), ..) => "'Authorization: Basic ${KEY}'".to_owned(),
        (Some("http"), ..) if scheme.text_of("scheme").is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic")) => {
            "'Authorization: Basic ${KEY}'".to_owned()
        }
        _ => "'Authorization: Bearer ${TOKEN}'".to_owned(),
    };
    format!("{name}: add `--header {header}`.")
}

/// The path that precedes all others, if the description has a server with a path.
fn base<'d>(document: &Document<'d>) -> &'d str {
    let path = match document.form {
        DescriptionForm::OpenApi => {
            let servers = document.root.get("servers").map_or(&[][..], Tree::elements);
            let url = servers.first().and_then(|server| server.text_of("url")).unwrap_or_default();
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            rest.find('/').map_or("", |at| &rest[at..])
        }
        DescriptionForm::Swagger => document.root.text_of("basePath").unwrap_or_default(),
    };
    path.trim_end_matches('/')
}
