//! Schemas inside of schemas that only wrap them: a reference, `allOf` of one schema, `anyOf` of one schema and `null`.
//!
//! For example `{anyOf: [{$ref: "#/components/schemas/Note"}, {type: "null"}]}` is the schema `Note`, or `null`.

use super::document::TreeNode;
use super::document::tree::{Described, Tree};
use super::shape::{SchemaView, Schemas};

/// A schema inside of all schemas that only wrap it.
#[derive(Clone, Debug)]
pub struct UnwrappedSchema<'d> {
    /// The schema inside.
    pub view: SchemaView<'d>,
    /// True if the wrappers also allow `null`.
    pub is_nullable: bool,
    /// True if a wrapper is read-only.
    pub is_read_only: bool,
    /// True if a wrapper is write-only.
    pub is_write_only: bool,
    /// The outermost description.
    pub description: Option<&'d str>,
}

/// Removes references, `allOf` of one schema, and `oneOf` or `anyOf` of one schema and `null`.
///
/// # Errors
/// A reference leads nowhere.
pub fn unwrapped<'d>(schemas: &Schemas<'d>, view: &SchemaView<'d>) -> Described<UnwrappedSchema<'d>> {
    let SchemaView::Of(TreeNode(tree)) = view else { return unwrapped_parts(schemas, view) };
    let mut found = UnwrappedSchema {
        view: view.clone(),
        is_nullable: false,
        is_read_only: false,
        is_write_only: false,
        description: None,
    };
    let mut at: &Tree = tree;
    // Each turn removes one wrapper. After 64 turns the schema is assumed to contain itself.
    for _ in 0..64 {
        found.is_nullable |= at.has("nullable") || at.has("x-nullable");
        found.is_read_only |= at.has("readOnly");
        found.is_write_only |= at.has("writeOnly");
        found.description = found.description.or_else(|| at.text_of("description"));
        if at.get("$ref").is_some() {
            at = schemas.document.resolve(at)?;
            continue;
        }
        let Some((inner, is_nullable)) = wrapped(at) else { break };
        found.is_nullable |= is_nullable;
        at = inner;
    }
    found.view = SchemaView::of(at);
    Ok(found)
}

fn unwrapped_parts<'d>(schemas: &Schemas<'d>, view: &SchemaView<'d>) -> Described<UnwrappedSchema<'d>> {
    let (SchemaView::All(views) | SchemaView::Any(views)) = view else { return unwrapped(schemas, view) };
    let parts = views.iter().map(|view| unwrapped(schemas, view)).collect::<Described<Vec<_>>>()?;
    let inner = parts.iter().map(|part| part.view.clone());
    let is_all = matches!(view, SchemaView::All(_));
    let holds = |test: fn(&UnwrappedSchema<'d>) -> bool| {
        if is_all { parts.iter().any(test) } else { parts.iter().all(test) }
    };
    Ok(UnwrappedSchema {
        view: if is_all { SchemaView::all(inner) } else { SchemaView::any(inner) },
        is_nullable: parts.iter().any(|part| part.is_nullable),
        is_read_only: holds(|part| part.is_read_only),
        is_write_only: holds(|part| part.is_write_only),
        description: parts.iter().find_map(|part| part.description),
    })
}

/// The schema that another one only wraps, if it does, and a flag that is true if `null` is also allowed.
fn wrapped(tree: &Tree) -> Option<(&Tree, bool)> {
    let says_more = ["properties", "items", "enum", "required", "additionalProperties", "const"];
    if says_more.iter().any(|key| tree.get(key).is_some()) {
        return None;
    }
    let lists: Vec<(&str, &Tree)> =
        ["allOf", "oneOf", "anyOf"].iter().filter_map(|key| Some((*key, tree.get(key)?))).collect();
    let [(key, parts)] = lists.as_slice() else { return None };
    let of: Vec<&Tree> = parts.elements().iter().map(|part| &**part).filter(|part| !is_null(part)).collect();
    let is_nullable = of.len() < parts.elements().len();
    let [only] = of.as_slice() else { return None };
    (*key != "allOf" || !is_nullable).then_some((only, is_nullable))
}

/// Tests whether a schema allows `null` only.
fn is_null(tree: &Tree) -> bool {
    let all_null =
        |values: &Tree| !values.elements().is_empty() && values.elements().iter().all(|value| value.is_null());
    tree.get("type").is_some_and(|ty| ty.is_null() || ty.text() == Some("null"))
        || tree.get("enum").is_some_and(all_null)
        || tree.get("const").is_some_and(Tree::is_null)
}
