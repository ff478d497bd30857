//! The text of a specification, before it is laid out.
//!
//! All names are written in backquotes; the printer removes those that are not needed.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::answers::{AnswerBranch, AnswerStatus, AnswerVariant, AnswerVariants};
use super::drawn::{DrawnList, LimitedRecords, records};
use super::requests::RequestVariant;
use super::types::{Definition, DefinitionBody, WrittenField, WrittenType};

/// A request, with the answers that its handler may give.
#[derive(Debug)]
pub struct WrittenRequest {
    /// The variant.
    pub variant: RequestVariant,
    /// The answers that the handler may give.
    pub branches: Vec<AnswerBranch>,
    /// True if the handler states the duties of the client.
    pub has_duties: bool,
}

/// All parts of a generated specification.
#[derive(Debug)]
pub struct FirstSpec<'s> {
    /// The comments at its beginning.
    pub head: &'s [String],
    /// The name of the protocol.
    pub protocol: &'s str,
    /// The types.
    pub definitions: &'s [Definition],
    /// The names of the types; none for a type that is not used.
    pub names: &'s [Option<String>],
    /// The requests.
    pub requests: &'s [WrittenRequest],
    /// The answers.
    pub answers: &'s AnswerVariants,
    /// The operations that are left out, each with the reason.
    pub left_out: &'s [String],
    /// The constants that list the drawn values of fields.
    pub drawn: &'s [DrawnList],
}

/// The length after which the list of requests in an answer's line continues on another line.
const LONGEST_TO: usize = 90;

/// A name in backquotes.
fn name(text: &str) -> String {
    format!("`{text}`")
}

fn comments(out: &mut String, comments: &[String]) {
    for comment in comments {
        _ = writeln!(out, "// {}", comment.trim());
    }
}

impl FirstSpec<'_> {
    /// The whole text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        comments(&mut out, self.head);
        out.push('\n');
        for (definition, name) in self.definitions.iter().zip(self.names) {
            if let Some(name) = name {
                self.definition(&mut out, definition, name);
            }
        }
        self.requests(&mut out);
        self.responses(&mut out);
        self.drawn(&mut out);
        let limited = LimitedRecords::of(self.definitions, self.names);
        self.limits(&mut out, &limited);
        _ = writeln!(out, "protocol {} {{\nrequest Request;\nresponse Response;\n", name(self.protocol));
        self.wire(&mut out);
        comments(&mut out, &[
            "Each handler allows every answer that the description names, as nothing is said yet of what the service".into(),
            "remembers. To go on, add variables, and replace a handler by what the request does and answers.".into(),
        ]);
        self.requests.iter().for_each(|request| self.handler(&mut out, request, &limited));
        out.push_str("}\n");
        out
    }

    fn ty(&self, ty: &WrittenType) -> String {
        match ty {
            WrittenType::Plain(plain) => (*plain).to_owned(),
            WrittenType::Defined(number) => name(self.names[*number].as_deref().unwrap_or_default()),
            WrittenType::Option(of) => format!("option<{}>", self.ty(of)),
            WrittenType::List(of) => format!("list<{}>", self.ty(of)),
            WrittenType::Map(of) => format!("map<string, {}>", self.ty(of)),
        }
    }

    fn definition(&self, out: &mut String, definition: &Definition, own: &str) {
        comments(out, &definition.comments);
        match &definition.body {
            DefinitionBody::Token => _ = writeln!(out, "token {};", name(own)),
            DefinitionBody::Choices(values) => {
                let values: Vec<String> = values.iter().map(|value| name(value)).collect();
                _ = writeln!(out, "enum {} {{ {} }}", name(own), values.join(", "));
            }
            DefinitionBody::Record { fields, is_open } => {
                _ = writeln!(out, "struct {} {{", name(own));
                self.fields(out, fields.iter());
                out.push_str(if *is_open { "..\n}\n" } else { "}\n" });
            }
        }
        out.push('\n');
    }

    fn fields<'f>(&self, out: &mut String, fields: impl Iterator<Item = &'f WrittenField>) {
        for field in fields {
            comments(out, &field.comments);
            _ = writeln!(out, "{}: {},", name(&field.name), self.ty(&field.ty));
        }
    }

    fn requests(&self, out: &mut String) {
        out.push_str("enum `Request` {\n");
        for WrittenRequest { variant, .. } in self.requests {
            comments(out, &variant.comments);
            out.push_str(&name(&variant.name));
            if !variant.fields.is_empty() {
                out.push_str(" {\n");
                self.fields(out, variant.fields.iter().map(|(field, _)| field));
                out.push('}');
            }
            out.push_str(",\n");
        }
        out.push_str("}\n\n");
    }

    fn responses(&self, out: &mut String) {
        out.push_str("enum `Response` {\n");
        let mut described: FxHashSet<&str> = FxHashSet::default();
        for variant in self.answers.in_order() {
            comments(out, &variant.comments);
            out.push_str(&name(&variant.name));
            match (&variant.content, is_record(variant)) {
                (None, false) => {}
                (Some((ty, _)), false) => _ = write!(out, "({})", self.ty(ty)),
                (content, true) => {
                    out.push_str(" {\n");
                    if variant.status == AnswerStatus::Others {
                        out.push_str("`status`: int,\n");
                    }
                    if let Some((ty, _)) = content {
                        _ = writeln!(out, "`body`: {},", self.ty(ty));
                    }
                    for (field, header) in &variant.headers {
                        // A header is described only once.
                        let is_new = described.insert(header);
                        comments(out, if is_new { &field.comments } else { &[] });
                        _ = writeln!(out, "{}: {},", name(&field.name), self.ty(&field.ty));
                    }
                    out.push('}');
                }
            }
            out.push_str(",\n");
        }
        out.push_str("}\n\n");
    }

    /// Writes the `http` block.
    fn wire(&self, out: &mut String) {
        out.push_str("http {\n");
        for left_out in self.left_out {
            _ = writeln!(out, "// {left_out}");
        }
        for WrittenRequest { variant, .. } in self.requests {
            out.push_str(&name(&variant.name));
            if !variant.fields.is_empty() {
                let bound = variant.fields.iter().map(|(field, bound)| match field.name == *bound {
                    true => name(bound),
                    false => format!("{}: {}", name(&field.name), name(bound)),
                });
                _ = write!(out, " {{ {} }}", bound.collect::<Vec<_>>().join(", "));
            }
            _ = write!(out, " => {} \"{}\"", variant.method, variant.target);
            if !variant.headers.is_empty() {
                let headers = variant.headers.iter().map(|(header, value)| format!("\"{header}\": {value}"));
                _ = write!(out, " {{ {} }}", headers.collect::<Vec<_>>().join(", "));
            }
            if let Some(content) = &variant.content {
                _ = write!(out, " body {content}");
            }
            out.push_str(";\n");
        }
        for variant in self.answers.in_order() {
            let status = match variant.status {
                AnswerStatus::Is(status) => status.to_string(),
                AnswerStatus::Others => "_".to_owned(),
            };
            let answer = wired_answer(variant);
            for to in self.requests_of(variant) {
                _ = writeln!(out, "{status}{to} => {answer};");
            }
        }
        out.push_str("}\n\n");
    }

    /// The lists of requests for the lines of an answer: one list for each line, each of limited length.
    fn requests_of(&self, variant: &AnswerVariant) -> Vec<String> {
        if !self.answers.needs_requests(variant, self.requests.len()) {
            return vec![String::new()];
        }
        let mut lines: Vec<String> = Vec::new();
        for number in &variant.to {
            let own = name(&self.requests[*number].variant.name);
            match lines.last_mut().filter(|line| line.len() + own.len() < LONGEST_TO) {
                Some(line) => _ = write!(line, ", {own}"),
                None => lines.push(format!(" to {own}")),
            }
        }
        lines
    }

    /// Writes the lists of drawn values.
    fn drawn(&self, out: &mut String) {
        if self.drawn.is_empty() {
            return;
        }
        comments(
            out,
            &["The values that the tester draws for fields. To have all values of a field drawn, remove its constant."
                .into()],
        );
        for DrawnList { name: own, ty, value } in self.drawn {
            _ = writeln!(out, "const {}: list<{ty}> = {value};", name(own));
        }
        out.push('\n');
    }

    /// Writes the functions that test whether structs are within their limits, for the structs that duties name.
    fn limits(&self, out: &mut String, limited: &LimitedRecords<'_>) {
        let fields =
            self.requests.iter().filter(|request| request.has_duties).flat_map(|request| &request.variant.fields);
        let records = records(self.definitions, fields.map(|(field, _)| field));
        for number in records.into_iter().filter(|number| limited.has(*number)) {
            let ty = self.ty(&WrittenType::Defined(number));
            let conditions = limited.of_record(number, "it").join(" && ");
            _ = writeln!(out, "fn {}(it: {ty}): bool = {conditions};\n", limited.name(number));
        }
    }

    /// Writes the handler of a request.
    fn handler(&self, out: &mut String, request: &WrittenRequest, limited: &LimitedRecords<'_>) {
        let mut duties: Vec<(&str, String)> = Vec::new();
        for (field, _) in request.variant.fields.iter().filter(|_| request.has_duties) {
            let own = name(&field.name);
            let (ty, value) = match &field.ty {
                WrittenType::Option(of) => (&**of, "value"),
                ty => (ty, own.as_str()),
            };
            let conditions = limited.conditions(value, ty, &field.limits, 0).join(" && ");
            match &field.ty {
                _ if conditions.is_empty() => {}
                WrittenType::Option(_) => {
                    duties.push((&field.name, format!("if {own} is Some(value) {{ expects {conditions}; }}\n")));
                }
                _ => duties.push((&field.name, format!("expects {conditions};\n"))),
            }
        }
        _ = write!(out, "on {}", name(&request.variant.name));
        if !request.variant.fields.is_empty() {
            let named = duties.iter().map(|(field, _)| format!("{}, ", name(field)));
            let rest = if duties.len() == request.variant.fields.len() { "" } else { ".." };
            _ = write!(out, " {{ {}{rest} }}", named.collect::<String>());
        }
        out.push_str(" {\n");
        duties.iter().for_each(|(_, duty)| out.push_str(duty));
        let branches: Vec<String> = request.branches.iter().map(|branch| self.reply(branch)).collect();
        match branches.as_slice() {
            [only] => out.push_str(only),
            several => _ = write!(out, "either {{ {} }}", several.join(" } or { ")),
        }
        out.push_str("\n}\n");
    }

    /// The reply with an answer whose unknown parts are chosen.
    fn reply(&self, branch: &AnswerBranch) -> String {
        let variant = &self.answers.variants[branch.variant];
        let own = name(&variant.name);
        if !is_record(variant) {
            return format!("reply {own}{};", if variant.content.is_some() { "(choose)" } else { "" });
        }
        let status =
            branch.condition.as_ref().map(|condition| format!("let code = choose status: int where {condition};"));
        let mut fields = Vec::new();
        fields.extend(status.is_some().then(|| "`status`: code".to_owned()));
        fields.extend(variant.content.is_some().then(|| "`body`: choose".to_owned()));
        fields.extend(variant.headers.iter().map(|(field, _)| format!("{}: choose", name(&field.name))));
        format!("{} reply {own} {{ {} }};", status.unwrap_or_default(), fields.join(", "))
    }
}

/// The right side of an answer's line.
fn wired_answer(variant: &AnswerVariant) -> String {
    let own = name(&variant.name);
    let content = variant.content.as_ref().map(|(_, codec)| format!("body {codec}"));
    if !is_record(variant) {
        return content.map_or(own.clone(), |content| format!("{own}({content})"));
    }
    let status = (variant.status == AnswerStatus::Others).then(|| "`status`: status".to_owned());
    let body = content.map(|content| format!("`body`: {content}"));
    let header = |(field, header): &(WrittenField, String)| format!("{}: header \"{header}\"", name(&field.name));
    let headers = variant.headers.iter().map(header);
    let sources: Vec<String> = status.into_iter().chain(body).chain(headers).collect();
    format!("{own} {{ {} }}", sources.join(", "))
}

/// Tests whether a variant has named fields.
fn is_record(variant: &AnswerVariant) -> bool {
    variant.status == AnswerStatus::Others || !variant.headers.is_empty()
}
