//! The tree of a JSON or YAML text, each node with its place.
//!
//! `{"type": "string"}` is an object with one member, whose key and value are texts.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::diagnostic::{Diagnostic, Span};

/// A thing that was read, or what is wrong and where.
pub type Described<T> = Result<T, Box<Diagnostic>>;

/// The most levels that a text may be nested.
pub const MAX_LEVELS: usize = 256;

/// A node of the tree.
#[derive(Debug)]
pub struct Tree {
    /// Its kind, with its parts.
    pub kind: TreeKind,
    /// Its place: that of its first line at least.
    pub span: Span,
}

/// The kinds of nodes.
#[derive(Debug)]
pub enum TreeKind {
    /// A text, a number, `true`, `false` or `null`: what it is depends on whether it stood in quotes.
    Scalar(ScalarText),
    /// An array.
    List(Vec<Rc<Tree>>),
    /// An object.
    Object(Vec<TreeMember>),
}

/// A scalar as it was written.
#[derive(Debug)]
pub struct ScalarText {
    /// The text, without quotes and escapes.
    pub text: String,
    /// Set if it was written in quotes: then it is no number, and not `null`.
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

    /// The members of an object; none of anything else.
    pub fn members(&self) -> &[TreeMember] {
        if let TreeKind::Object(members) = &self.kind { members } else { &[] }
    }

    /// The elements of a list; none of anything else.
    pub fn elements(&self) -> &[Rc<Tree>] {
        if let TreeKind::List(elements) = &self.kind { elements } else { &[] }
    }

    /// The text of a scalar, in quotes or not; none of `null`.
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

    /// The text of a scalar that stood in no quotes.
    pub fn plain(&self) -> Option<&str> {
        match &self.kind {
            TreeKind::Scalar(scalar) if !scalar.is_quoted => Some(&scalar.text),
            _ => None,
        }
    }

    /// The boolean, if this is one.
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
    /// It is none.
    pub fn object(&self, what: &str) -> Described<&[TreeMember]> {
        match &self.kind {
            TreeKind::Object(members) => Ok(members),
            _ => Err(self.wrong(format!("{what} is {}", self.shown()), "expected an object")),
        }
    }

    /// The elements of a list.
    ///
    /// # Errors
    /// It is none.
    pub fn list(&self, what: &str) -> Described<&[Rc<Tree>]> {
        match &self.kind {
            TreeKind::List(elements) => Ok(elements),
            _ => Err(self.wrong(format!("{what} is {}", self.shown()), "expected a list")),
        }
    }

    /// The text of a scalar.
    ///
    /// # Errors
    /// It is none.
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

/// An object of these members, unless two have the same key.
///
/// # Errors
/// Two have.
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
