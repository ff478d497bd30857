//! The sources of the values at each place of a request: a key is one of the few keys of the run, and a tag is one from an
//! answer.
//!
//! In `Put { key: string, value: string, if_match: option<Tag> }` the first text is a key, as `data[key]` looks it up. The second
//! one is stored and never compared.

use rustc_hash::FxHashSet;

use super::draw::PlaceFacts;
use super::form::{FormKind, TypeForm};
use super::sources::held::TypedPlace;
use crate::scalar::Sort;
use crate::spec::analysis::links::{LinkedPart, PartStep, RequestLinks};
use crate::spec::http::{HttpForms, TextPart};

/// The facts about each place of a request.
pub(super) fn facts(
    form: &TypeForm,
    held: &[TypedPlace],
    kinds: &[Option<usize>],
    links: &RequestLinks,
    named: &FxHashSet<usize>,
) -> Vec<PlaceFacts> {
    let linked = linked(form, held, links);
    let of = |node: usize| {
        let linked: &[LinkedPart] = &linked[node];
        LinkedPlace { form, held, links, linked, node, names_known: named.contains(&node) }.facts(kinds)
    };
    (0..form.nodes.len()).map(of).collect()
}

/// The places whose value stands in the path of a request over HTTP or has a content of its own there, if answers have values of
/// their kind: most name something that is known from an answer.
pub(super) fn named_over_http(
    form: &TypeForm,
    forms: Option<&HttpForms>,
    has_kind: impl Fn(usize) -> bool,
) -> FxHashSet<usize> {
    let mut found: FxHashSet<usize> =
        (0..form.nodes.len()).filter(|node| form.nodes[*node].content.is_some()).collect();
    for request in forms.map_or(&[][..], |forms| &forms.requests) {
        for part in &request.path {
            let TextPart::Field(field) = part else { continue };
            found.extend(form.field(request.tag, field.index));
        }
    }
    found.retain(|node| has_kind(*node));
    found
}

/// The parts of the state that the value at each place of a request is compared with, if they have its type.
fn linked(form: &TypeForm, held: &[TypedPlace], links: &RequestLinks) -> Vec<Vec<LinkedPart>> {
    let mut linked = vec![Vec::new(); form.nodes.len()];
    for (path, part) in &links.meets {
        let Some(node) = form.at(path) else { continue };
        if held.iter().any(|place| place.place == *part && place.ty == form.nodes[node].ty) {
            linked[node].push(part.clone());
        }
    }
    linked
}

/// A place of a request, and the parts of the state that its value is compared with.
struct LinkedPlace<'f> {
    form: &'f TypeForm,
    held: &'f [TypedPlace],
    links: &'f RequestLinks,
    linked: &'f [LinkedPart],
    node: usize,
    /// Set if the value names something that is mostly known from an answer.
    names_known: bool,
}

impl LinkedPlace<'_> {
    fn facts(&self, kinds: &[Option<usize>]) -> PlaceFacts {
        let kind = kinds[self.node];
        let is_chosen = self.linked.iter().any(|part| self.is_chosen(part));
        let is_own = self.linked.iter().any(|part| self.is_stored(part));
        let is_key = self
            .linked
            .iter()
            .any(|part| part.path.contains(&PartStep::Element) && !part.path.contains(&PartStep::Entry));
        let listed = self.form.nodes[self.node].listed.as_ref();
        let is_listed = listed.is_some();
        let FormKind::Leaf(sort) = self.form.nodes[self.node].kind else {
            let weights = if self.node != 0 && kind.is_some() { [0, 0, 2, 5, 4] } else { [0; 5] };
            return PlaceFacts { weights, states: self.like(), kind, is_literal: false };
        };
        let weights = match sort {
            Sort::Bool | Sort::Client => [0; 5],
            Sort::Token(_) if is_own => [1, 6, 4, 5, 0],
            Sort::Token(_) => [1, 1, 7, 8, 0],
            _ if self.names_known && self.linked.is_empty() => [3, 0, 1, 6, 0],
            // An answer may have had a value that a request may not have.
            _ if is_listed && self.linked.is_empty() => [1, 0, 0, 0, 0],
            _ if is_key && is_chosen && !is_own => [2, 0, 8, 6, 0],
            _ if is_key => [1, 12, 3, 1, 0],
            _ if is_chosen => [2, 0, 7, 5, 0],
            _ if !self.linked.is_empty() => [5, 0, 6, 2, 0],
            _ => [10, 0, 1, 2, 0],
        };
        let states = if self.linked.is_empty() { self.like() } else { self.linked.to_vec() };
        // In another run an answer may have a value that is not in the list.
        let is_only_listed = listed.is_some_and(|list| list.is_strict);
        PlaceFacts { weights, states, kind, is_literal: is_only_listed || sort == Sort::Int && !is_chosen }
    }

    /// The parts of the state with the type of the place. For a scalar that is no token, only those with its name, too.
    fn like(&self) -> Vec<LinkedPart> {
        let node = &self.form.nodes[self.node];
        let is_named = matches!(node.kind, FormKind::Leaf(sort) if !matches!(sort, Sort::Token(_)));
        let fits = |place: &&TypedPlace| {
            place.ty == node.ty && (!is_named || node.name.as_deref() == Some(place.name.as_str()))
        };
        self.held.iter().filter(fits).map(|place| place.place.clone()).collect()
    }

    fn is_chosen(&self, part: &LinkedPart) -> bool {
        self.links.chosen.iter().any(|chosen| chosen.slot == part.slot && part.path.starts_with(&chosen.path))
    }

    fn is_stored(&self, part: &LinkedPart) -> bool {
        self.links.stored.iter().any(|(_, stored)| stored == part)
    }
}
