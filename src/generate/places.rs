//! The sources that each place of a request has: a key is one of the run's few, a tag one that an answer had.
//!
//! In `Put { key: string, value: string, if_match: option<Tag> }` the first text is a key, as the state is a map of texts.

use super::draw::PlaceFacts;
use super::form::{FormKind, TypeForm};
use super::held::{StateStep, TypedPlace};
use crate::scalar::Sort;
use crate::spec::TypeId;

/// The facts about each place of a request.
pub(super) fn facts(form: &TypeForm, held: &[TypedPlace], kinds: &[Option<usize>]) -> Vec<PlaceFacts> {
    let keys = keys(form, held);
    let of = |node: usize| {
        let FormPlace { ty, name, sort } = FormPlace::of(form, node);
        let is_key = |place: &&TypedPlace| place.place.steps.last() == Some(&StateStep::Key);
        let like = held.iter().filter(|place| place.ty == ty);
        let (weights, states): ([u64; 5], Vec<&TypedPlace>) = match sort {
            Some(Sort::Bool | Sort::Client) => ([0; 5], Vec::new()),
            Some(Sort::Token(_)) => ([1, 2, 6, 8, 0], like.collect()),
            Some(_) if keys.contains(&node) => ([1, 12, 3, 1, 0], like.filter(is_key).collect()),
            Some(_) => ([8, 0, 3, 3, 0], like.filter(|place| name == Some(place.name.as_str())).collect()),
            None if node != 0 && kinds[node].is_some() => ([0, 0, 2, 5, 4], like.collect()),
            None => ([0; 5], Vec::new()),
        };
        let states = states.into_iter().map(|place| place.place.clone()).collect();
        PlaceFacts { weights, states, kind: kinds[node] }
    };
    (0..form.nodes.len()).map(of).collect()
}

/// A place of a request, as far as its sources depend on it.
struct FormPlace<'f> {
    ty: TypeId,
    name: Option<&'f str>,
    sort: Option<Sort>,
}

impl FormPlace<'_> {
    fn of(form: &TypeForm, node: usize) -> FormPlace<'_> {
        let node = &form.nodes[node];
        let sort = if let FormKind::Leaf(sort) = node.kind { Some(sort) } else { None };
        FormPlace { ty: node.ty, name: node.name.as_deref(), sort }
    }
}

/// The places of keys: in each variant the first scalar of a type that keys of the state have.
fn keys(form: &TypeForm, held: &[TypedPlace]) -> Vec<usize> {
    let is_key_type =
        |ty: TypeId| held.iter().any(|place| place.ty == ty && place.place.steps.last() == Some(&StateStep::Key));
    let variants: Vec<Vec<usize>> = match &form.nodes[0].kind {
        FormKind::Variants(variants) => variants.clone(),
        FormKind::Nothing | FormKind::Leaf(_) | FormKind::Option(_) | FormKind::Fields(_) => vec![vec![0]],
        FormKind::List(_) | FormKind::Set(_) | FormKind::Map(..) => vec![vec![0]],
    };
    let first = |fields: &Vec<usize>| {
        let mut open: Vec<usize> = fields.iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            match &form.nodes[node].kind {
                FormKind::Leaf(_) if is_key_type(form.nodes[node].ty) => return Some(node),
                FormKind::List(of) | FormKind::Set(of) | FormKind::Option(of) => open.push(*of),
                FormKind::Fields(fields) => open.extend(fields.iter().rev()),
                FormKind::Leaf(_) | FormKind::Nothing | FormKind::Variants(_) | FormKind::Map(..) => {}
            }
        }
        None
    };
    variants.iter().filter_map(first).collect()
}
