//! The tree of a JSON or YAML text; each node has its place.
//!
//! For example `{"type": "string"}` is an object with one member, whose key and value are texts.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::diagnostic::{Diagnostic, Span};

/// The result of reading a description.
pub type Described<T> = Result<T, Box<Diagnostic>>;

/// The largest depth to which a text may be nested, which bounds the stack that reading needs.
pub const MAX_LEVELS: usize = 256;

/// A node of the tree.
#[derive(Debug)]
pub struct Tree {
    /// Its kind, with its parts.
    pub kind: TreeKind,
    /// Its place, or for an object or a list the place of its beginning.
    pub span: Span,
}

/// The kinds of nodes.
#[derive(Debug)]
pub enum TreeKind {
    /// A text, a number, `true`, `false` or `null`; quotes make it a text.
    Scalar(ScalarText),
    /// An array.
    List(Vec<Rc<Tree>>),
    /// An object.
    Object(Vec<TreeMember>),
}

/// A scalar with the text that was written.
#[derive(Debug)]
pub struct ScalarText {
    /// The text, without quotes and escapes.
    pub text: String,
    /// True if it was written in quotes, so that it is no number, boolean or `null`.
    pub is_quoted: bool,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct TreeMember {
    /// Its key.
    pub key: String,
    /// The place of the key.
    pub span: Span,
    /// Its value.
    pub value: Rc<Tree>,
}

impl Tree {
    /// The member with this key, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.members().iter().find(|member| member.key == key).map(|member| &*member.value)
    }

    /// The members of an object; empty for other nodes.
    pub fn members(&self) -> &[TreeMember] {
        if let TreeKind::Object(members) = &self.kind { members } else { &[] }
    }

    /// The elements of a list; empty for other nodes.
    pub fn elements(&self) -> &[Rc<Tree>] {
        if let TreeKind::List(elements) = &self.kind { elements } else { &[] }
    }

    /// The text of a scalar, with or without quotes; none for `null` and other nodes.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            TreeKind::Scalar(scalar) if !self.is_null() => Some(&scalar.text),
            _ => None,
        }
    }

    /// Tests whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.plain().is_some_and(|text| matches!(text, "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The text of a scalar without quotes.
    pub fn plain(&self) -> Option<&str> {
        match &self.kind {
            TreeKind::Scalar(scalar) if !scalar.is_quoted => Some(&scalar.text),
            _ => None,
        }
    }

    /// The value of a boolean; none for other nodes.
    pub fn boolean(&self) -> Option<bool> {
        match self.plain()? {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// Tests whether the member with this key is `true`.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).and_then(Tree::boolean) == Some(true)
    }

    /// The text of the member with this key.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Tree::text)
    }

    /// The members of an object.
    ///
    /// # Errors
    /// The node is no object; `what` names the node in the report.
    pub fn object(&self, what: &str) -> Described<&[TreeMember]> {
        match &self.kind {
            TreeKind::Object(members) => Ok(members),
            _ => Err(self.wrong(format!("{what} is {}", self.shown()), "expected an object")),
        }
    }

    /// The elements of a list.
    ///
    /// # Errors
    /// The node is no list; `what` names the node in the report.
    pub fn list(&self, what: &str) -> Described<&[Rc<Tree>]> {
        match &self.kind {
            TreeKind::List(elements) => Ok(elements),
            _ => Err(self.wrong(format!("{what} is {}", self.shown()), "expected a list")),
        }
    }

    /// The text of a scalar.
    ///
    /// # Errors
    /// The node is no scalar, or is `null`; `what` names the node in the report.
    pub fn word(&self, what: &str) -> Described<&str> {
        self.text().ok_or_else(|| self.wrong(format!("{what} is {}", self.shown()), "expected a text"))
    }

    /// An error at this node.
    pub fn wrong(&self, message: impl Into<String>, expected: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(self.span, message).label(expected))
    }

    /// The kind of this node, in words.
    pub fn shown(&self) -> &'static str {
        match &self.kind {
            TreeKind::Object(_) => "an object",
            TreeKind::List(_) => "a list",
            TreeKind::Scalar(_) if self.is_null() => "null",
            TreeKind::Scalar(scalar) if scalar.is_quoted => "a text",
            TreeKind::Scalar(_) if self.boolean().is_some() => "a boolean",
            TreeKind::Scalar(scalar) if scalar.text.parse::<f64>().is_ok() => "a number",
            TreeKind::Scalar(_) => "a text",
        }
    }
}

/// An object of these members.
///
/// # Errors
/// Two members have the same key.
pub fn object_of(members: Vec<TreeMember>) -> Described<TreeKind> {
    let mut known = FxHashSet::default();
    match members.iter().find(|member| !known.insert(member.key.as_str())) {
        None => Ok(TreeKind::Object(members)),
        Some(TreeMember { key, span, .. }) => {
            let report = Diagnostic::error(*span, format!("a second member `{key}`"));
            Err(Box::new(report.label("expected each key once in an object")))
        }
    }
}
