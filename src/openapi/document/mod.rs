//! A description as a whole: its version, and the nodes that its references lead to.
//!
//! `{"$ref": "#/components/schemas/Note"}` leads to the schema `Note`.

pub(crate) mod from_json;
pub(crate) mod from_yaml;
pub(crate) mod tree;

use std::ptr;

use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;

use tree::{Described, Tree};

/// The longest chain of references that is followed, so that a cycle is an error.
const MAX_REFERENCES: usize = 100;

/// The form of a description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DescriptionForm {
    /// Swagger 2.0
    Swagger,
    /// OpenAPI 3.0, 3.1 and 3.2
    OpenApi,
}

/// A node compared by its address: two nodes with the same content differ.
#[derive(Clone, Copy, Debug)]
pub struct TreeNode<'d>(pub &'d Tree);

impl PartialEq for TreeNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for TreeNode<'_> {}

impl std::hash::Hash for TreeNode<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        ptr::from_ref(self.0).hash(state);
    }
}

/// An OpenAPI or Swagger description.
#[derive(Debug)]
pub struct Document<'d> {
    /// The root of its tree.
    pub root: &'d Tree,
    /// Its form.
    pub form: DescriptionForm,
    /// The names of the schemas that the description lists by name.
    names: FxHashMap<TreeNode<'d>, &'d str>,
}

impl<'d> Document<'d> {
    /// The description in a tree.
    ///
    /// # Errors
    /// The tree is no description, or one of an unsupported version.
    pub fn of(root: &'d Tree) -> Described<Document<'d>> {
        root.object("this file")?;
        let form = match (root.get("openapi"), root.get("swagger")) {
            (Some(version), _) if version.text().is_some_and(|text| text.starts_with("3.")) => DescriptionForm::OpenApi,
            (None, Some(version)) if version.text().is_some_and(|text| text.starts_with('2')) => {
                DescriptionForm::Swagger
            }
            (Some(version), _) | (None, Some(version)) => {
                let shown = version.text().unwrap_or_else(|| version.shown());
                return Err(version.wrong(format!("`{shown}` is no version that can be read"), "expected 3.x or 2.0"));
            }
            (None, None) => {
                let report =
                    root.wrong("this file is no OpenAPI description", "expected a member `openapi` with its version");
                return Err(Box::new(
                    report.help("it begins with `openapi: 3.1.0`, or in Swagger with `swagger: \"2.0\"`"),
                ));
            }
        };
        let schemas = match form {
            DescriptionForm::OpenApi => root.get("components").and_then(|components| components.get("schemas")),
            DescriptionForm::Swagger => root.get("definitions"),
        };
        let members = schemas.map_or(&[][..], Tree::members);
        let names = members.iter().map(|member| (TreeNode(&member.value), member.key.as_str())).collect();
        Ok(Document { root, form, names })
    }

    /// The name of a schema, if it has one.
    pub fn name(&self, schema: &'d Tree) -> Option<&'d str> {
        self.names.get(&TreeNode(schema)).copied()
    }

    /// The node after all `$ref`s: the node itself, or the one that its reference leads to.
    ///
    /// # Errors
    /// The reference leads nowhere.
    pub fn resolve(&self, tree: &'d Tree) -> Described<&'d Tree> {
        self.resolve_within(tree, MAX_REFERENCES)
    }

    /// The node after all `$ref`s for an object whose keys are free names, such as `properties`: there, only a text is a reference.
    ///
    /// # Errors
    /// The reference leads nowhere.
    pub fn resolve_names(&self, tree: &'d Tree) -> Described<&'d Tree> {
        if tree.text_of("$ref").is_some() { self.resolve(tree) } else { Ok(tree) }
    }

    /// The node after at most this many `$ref`s.
    fn resolve_within(&self, tree: &'d Tree, most: usize) -> Described<&'d Tree> {
        let mut at = tree;
        for left in (0..most).rev() {
            match at.get("$ref") {
                None => return Ok(at),
                Some(reference) => at = self.target(reference, left)?,
            }
        }
        Err(tree
            .get("$ref")
            .unwrap_or(tree)
            .wrong("this reference leads to itself", "expected one that leads elsewhere"))
    }

    /// The node that a reference leads to; at most this many references are followed on the way.
    fn target(&self, reference: &'d Tree, most: usize) -> Described<&'d Tree> {
        let text = reference.word("this reference")?;
        let Some(pointer) = text.strip_prefix('#') else {
            let report = reference.wrong(format!("`{text}` is in another file"), "expected a reference into this file");
            return Err(Box::new(report.help("tools such as `redocly bundle` make one file of several")));
        };
        let mut at = self.root;
        if pointer.is_empty() {
            return Ok(at);
        }
        let Some(steps) = pointer.strip_prefix('/') else {
            return Err(
                reference.wrong(format!("`{text}` names no place"), "expected a path, as in `#/components/schemas/A`")
            );
        };
        for step in steps.split('/') {
            let step = percent_decode_str(step).decode_utf8_lossy().replace("~1", "/").replace("~0", "~");
            if at.get(&step).is_none() && at.text_of("$ref").is_some() {
                at = self.resolve_within(at, most)?;
            }
            let next = match step.parse::<usize>() {
                Ok(number) if !at.elements().is_empty() => at.elements().get(number).map(|element| &**element),
                _ => at.get(&step),
            };
            at = next.ok_or_else(|| {
                reference.wrong(format!("`{text}` leads nowhere"), &format!("there is no `{step}` in this file there"))
            })?;
        }
        Ok(at)
    }
}
