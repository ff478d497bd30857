//! Schemas without what only wraps them: a reference, `allOf` of one schema, `anyOf` of one and `null`.
//!
//! `{anyOf: [{$ref: "#/components/schemas/Note"}, {type: "null"}]}` is the schema `Note`, or `null`.

use super::document::TreeNode;
use super::document::tree::{Described, Tree};
use super::shape::{SchemaView, Schemas};

/// A schema without what only wraps it.
#[derive(Clone, Debug)]
pub struct UnwrappedSchema<'d> {
    /// The schema inside.
    pub view: SchemaView<'d>,
    /// Set if `null` is allowed besides.
    pub is_nullable: bool,
    /// Set if it is only read.
    pub is_read_only: bool,
    /// Set if it is only written.
    pub is_write_only: bool,
    /// Its description.
    pub description: Option<&'d str>,
}

/// A schema without references and what else only wraps it: `allOf` of one, `oneOf` of one and `null`.
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
    // Each turn goes into the schema; one that goes on for longer leads to itself.
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

/// The schema that another one only wraps, if it does; and whether `null` is allowed besides.
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
