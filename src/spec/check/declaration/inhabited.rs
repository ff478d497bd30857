//! The check that every struct and enum has a finite value.
//!
//! `struct Node { next: Node }` has none, `struct Node { next: option<Node> }` has one. The types with a finite value are a least fixed
//! point: an enum has one if some variant has, a struct if all of its fields have; options, lists, sets and maps always have one.

use crate::spec::check::context::Checker;
use crate::spec::types::{Type, TypeId, Types};
use crate::syntax::ast::Name;

/// Reports those of the named structs and enums that have no finite value.
pub(crate) fn check_inhabited(cx: &mut Checker, names: &[&Name]) {
    let known = inhabited(&cx.types);
    for name in names {
        let Some(ty) = cx.names.own_type(name) else { continue };
        let finite = known[ty.number() as usize];
        let (fine, what, expected) = match cx.types.get(ty) {
            Type::Struct(_) => (finite, "struct", "expected its recursion to go through an option, a list or an enum"),
            Type::Enum(index) if cx.types.enums[*index as usize].variants.is_empty() => {
                (false, "enum", "expected a variant")
            }
            _ => (finite, "enum", "expected a variant that does not contain the enum again"),
        };
        if !fine {
            cx.error(name.span, format!("the {what} `{}` has no finite value", name.text), expected);
        }
    }
}

/// A flag for each type: true if it has a finite value. An enum without variants counts as if it had one, so that only the enum is reported
/// and not the types that use it.
fn inhabited(types: &Types) -> Vec<bool> {
    let mut known = vec![false; types.count()];
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..known.len() {
            let now = known[index] || has_value(types, &known, TypeId::of_number(index as u32));
            changed |= now != std::mem::replace(&mut known[index], now);
        }
    }
    known
}

fn has_value(types: &Types, known: &[bool], ty: TypeId) -> bool {
    let is_known = |ty: &TypeId| known[ty.number() as usize];
    match types.get(ty) {
        Type::Struct(index) => types.structs[*index as usize].fields.iter().all(|field| is_known(&field.1)),
        Type::Enum(index) => {
            let variants = &types.enums[*index as usize].variants;
            variants.is_empty() || variants.iter().any(|variant| variant.fields.iter().all(|field| is_known(&field.1)))
        }
        Type::Tuple(of) => of.iter().all(is_known),
        Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client | Type::Json => true,
        Type::Option(_) | Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Token(_) | Type::Error => true,
    }
}
