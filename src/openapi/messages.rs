//! The operations of a description with their parameters, contents and answers, in one form for OpenAPI 3 and Swagger 2.
//!
//! For example `paths: {/notes: {post: …}}` has the operation `POST /notes`.

use super::document::tree::{Described, Tree};
use super::document::{DescriptionForm, Document};

/// The methods that a path may have.
const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// An operation.
#[derive(Debug)]
pub struct DescribedOperation<'d> {
    /// Its method, in capitals.
    pub method: String,
    /// Its path, as in `/notes/{id}`.
    pub path: &'d str,
    /// The description of the operation.
    pub tree: &'d Tree,
    /// Its parameters, including those of its path.
    pub parameters: Vec<&'d Tree>,
    /// The form of the description.
    form: DescriptionForm,
}

/// A media type of content, with the schema.
#[derive(Clone, Copy, Debug)]
pub struct MediaContent<'d> {
    /// The media type, as in `application/json`.
    pub media: &'d str,
    /// The schema of the content.
    pub schema: Option<&'d Tree>,
}

/// The content of a request.
#[derive(Debug, Default)]
pub struct RequestContent<'d> {
    /// True if every request has content.
    pub is_required: bool,
    /// The media types that it may have.
    pub kinds: Vec<MediaContent<'d>>,
    /// The form fields, in Swagger.
    pub fields: Vec<&'d Tree>,
}

/// An answer.
#[derive(Debug)]
pub struct DescribedAnswer<'d> {
    /// Its status, as in `200`, `4XX` or `default`.
    pub status: &'d str,
    /// The description of the answer.
    pub tree: &'d Tree,
    /// The media types that its content may have.
    pub kinds: Vec<MediaContent<'d>>,
}

/// The operations of a description, in their order; if prefixes are given, only those of paths with one of the prefixes.
///
/// # Errors
/// The description is malformed.
pub fn operations<'d>(document: &'d Document<'d>, prefixes: &[String]) -> Described<Vec<DescribedOperation<'d>>> {
    let Some(paths) = document.root.get("paths") else {
        return Err(document.root.wrong("this description has no `paths`", "expected a member `paths`"));
    };
    let mut found = Vec::new();
    for member in document.resolve_names(paths)?.object("`paths`")? {
        let path = member.key.as_str();
        let is_wanted = prefixes.is_empty() || prefixes.iter().any(|prefix| path.starts_with(prefix.as_str()));
        if path.starts_with("x-") || !is_wanted {
            continue;
        }
        let item = document.resolve(&member.value)?;
        item.object("this path")?;
        let shared = parameters(document, item)?;
        for method in METHODS {
            let Some(tree) = item.get(method) else { continue };
            let tree = document.resolve(tree)?;
            tree.object("this operation")?;
            let mut own = parameters(document, tree)?;
            let key = |parameter: &Tree| {
                (parameter.text_of("name").map(str::to_owned), parameter.text_of("in").map(str::to_owned))
            };
            let inherited = shared.iter().filter(|shared| own.iter().all(|own| key(own) != key(shared)));
            let parameters = inherited.copied().collect::<Vec<_>>().into_iter().chain(own.drain(..)).collect();
            found.push(DescribedOperation {
                method: method.to_uppercase(),
                path,
                tree,
                parameters,
                form: document.form,
            });
        }
    }
    Ok(found)
}

fn parameters<'d>(document: &Document<'d>, tree: &'d Tree) -> Described<Vec<&'d Tree>> {
    let Some(written) = tree.get("parameters") else { return Ok(Vec::new()) };
    let mut found: Vec<&Tree> = Vec::new();
    for parameter in document.resolve(written)?.list("`parameters`")? {
        let parameter = document.resolve(parameter)?;
        for key in ["name", "in"] {
            let Some(text) = parameter.get(key) else {
                return Err(parameter.wrong(format!("this parameter has no `{key}`"), "expected one"));
            };
            text.word("this")?;
        }
        found.push(parameter);
    }
    Ok(found)
}

impl<'d> DescribedOperation<'d> {
    /// The operation as messages name it: `POST /notes`.
    pub fn shown(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The part of a request that holds a parameter: `path`, `query`, `header` or `cookie`.
    pub fn place_of(parameter: &'d Tree) -> &'d str {
        parameter.text_of("in").unwrap_or_default()
    }

    /// The schema of a parameter, if it has one.
    pub fn schema_of(&self, parameter: &'d Tree) -> Option<&'d Tree> {
        match self.form {
            DescriptionForm::Swagger => Some(parameter),
            DescriptionForm::OpenApi => parameter.get("schema"),
        }
    }

    /// The content of its requests, if it describes any.
    ///
    /// # Errors
    /// The description is malformed.
    pub fn content(&self, document: &'d Document<'d>) -> Described<Option<RequestContent<'d>>> {
        if self.form == DescriptionForm::Swagger {
            return Ok(self.swagger_content(document));
        }
        let Some(body) = self.tree.get("requestBody") else { return Ok(None) };
        let body = document.resolve(body)?;
        let kinds = contents(document, body)?;
        Ok(Some(RequestContent { is_required: body.has("required"), kinds, fields: Vec::new() }))
    }

    fn swagger_content(&self, document: &'d Document<'d>) -> Option<RequestContent<'d>> {
        let media = medias(self.tree, document, "consumes");
        let body = self.parameters.iter().find(|parameter| Self::place_of(parameter) == "body");
        if let Some(body) = body {
            let kinds = media.into_iter().map(|media| MediaContent { media, schema: body.get("schema") }).collect();
            return Some(RequestContent { is_required: body.has("required"), kinds, fields: Vec::new() });
        }
        let fields: Vec<&Tree> =
            self.parameters.iter().copied().filter(|field| Self::place_of(field) == "formData").collect();
        let is_file = fields.iter().any(|field| field.text_of("type") == Some("file"));
        let media = if is_file || media.iter().all(|media| *media == "multipart/form-data") && !is_default(&media) {
            "multipart/form-data"
        } else {
            "application/x-www-form-urlencoded"
        };
        let kinds = vec![MediaContent { media, schema: None }];
        (!fields.is_empty()).then_some(RequestContent { is_required: true, kinds, fields })
    }

    /// Its answers, in their order.
    ///
    /// # Errors
    /// The description is malformed.
    pub fn answers(&self, document: &'d Document<'d>) -> Described<Vec<DescribedAnswer<'d>>> {
        let Some(written) = self.tree.get("responses") else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for member in document.resolve_names(written)?.object("`responses`")? {
            if member.key.starts_with("x-") {
                continue;
            }
            let tree = document.resolve(&member.value)?;
            tree.object("this answer")?;
            let kinds = match (self.form, tree.get("schema")) {
                (DescriptionForm::OpenApi, _) => contents(document, tree)?,
                (DescriptionForm::Swagger, None) => Vec::new(),
                (DescriptionForm::Swagger, schema) => {
                    let media = medias(self.tree, document, "produces");
                    media.into_iter().map(|media| MediaContent { media, schema }).collect()
                }
            };
            found.push(DescribedAnswer { status: &member.key, tree, kinds });
        }
        Ok(found)
    }
}

/// Tests whether a list of media types is the default one.
fn is_default(media: &[&str]) -> bool {
    media == ["application/json"]
}

/// The media types of an operation in Swagger, or else those of the whole description, or else JSON.
fn medias<'d>(operation: &'d Tree, document: &'d Document<'d>, key: &str) -> Vec<&'d str> {
    let written = operation.get(key).or_else(|| document.root.get(key));
    let found: Vec<&str> = written.map_or(&[][..], Tree::elements).iter().filter_map(|media| media.text()).collect();
    if found.is_empty() { vec!["application/json"] } else { found }
}

/// The media types below `content`.
fn contents<'d>(document: &Document<'d>, tree: &'d Tree) -> Described<Vec<MediaContent<'d>>> {
    let Some(content) = tree.get("content") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for member in document.resolve_names(content)?.object("`content`")? {
        let of = document.resolve(&member.value)?;
        found.push(MediaContent { media: &member.key, schema: of.get("schema").filter(|schema| !schema.is_null()) });
    }
    Ok(found)
}

impl<'d> MediaContent<'d> {
    /// The media type without parameters, in lower case.
    pub fn kind(&self) -> String {
        self.media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Tests whether the content is JSON.
    pub fn is_json(&self) -> bool {
        let kind = self.kind();
        kind == "application/json"
            || kind.ends_with("+json")
            || kind == "*/*"
            || kind == "application/*"
            || kind == "text/json"
    }

    /// Tests whether the content is a text.
    pub fn is_text(&self) -> bool {
        let kind = self.kind();
        kind.starts_with("text/") || kind == "application/xml" || kind.ends_with("+xml") || kind.ends_with("yaml")
    }
}
