//! Every struct and enum must have a finite value, the least fixed point of: an enum has one if some variant has, a struct
//! if all of its fields have, options, lists, sets and maps always.
//!
//! `struct Node { next: Node }` has none, `struct Node { next: option<Node> }` has.

use super::context::Checker;
use crate::diagnostic::Diagnostic;
use crate::spec::types::{Type, TypeId, Types};
use crate::syntax::ast::{Item, ItemKind, Name};
use rustc_hash::FxHashSet;

/// Which structs and enums are known to have a finite value.
struct Inhabited {
    structs: Vec<bool>,
    enums: Vec<bool>,
}

impl<'a> Checker<'a> {
    /// Reports structs and enums without a finite value.
    pub(super) fn check_inhabited(&mut self, items: &[&'a Item]) {
        let known = inhabited(&self.types);
        for item in items {
            match &item.kind {
                ItemKind::Struct { name, .. } | ItemKind::Enum { name, .. } => self.check_finite_value(name, &known),
                ItemKind::Use(_) | ItemKind::Const { .. } | ItemKind::Alias { .. } | ItemKind::Token(_) => {}
                ItemKind::Function { .. } | ItemKind::Machine { .. } | ItemKind::Protocol { .. } => {}
            }
        }
    }

    fn check_finite_value(&mut self, name: &Name, known: &Inhabited) {
        let (fine, what, expected) = match self.own_type(name) {
            Some(Type::Struct(index)) => (
                known.structs[index as usize],
                "struct",
                "expected its recursion to go through an option, a list or an enum",
            ),
            Some(Type::Enum(index)) if self.types.enums[index as usize].variants.is_empty() => {
                (false, "enum", "expected a variant")
            }
            Some(Type::Enum(index)) => {
                (known.enums[index as usize], "enum", "expected a variant that does not contain the enum again")
            }
            Some(_) | None => return,
        };
        if !fine {
            let report = Diagnostic::error(name.span, format!("the {what} `{}` has no finite value", name.text));
            self.report(report.label(expected));
        }
    }
}

fn inhabited(types: &Types) -> Inhabited {
    let empty = types.enums.iter().map(|def| def.variants.is_empty()).collect();
    let mut known = Inhabited { structs: vec![false; types.structs.len()], enums: empty };
    let mut changed = true;
    while changed {
        changed = false;
        for (index, def) in types.structs.iter().enumerate() {
            let now = known.structs[index] || def.fields.iter().all(|field| has_value(types, &known, field.1));
            changed |= now != std::mem::replace(&mut known.structs[index], now);
        }
        for (index, def) in types.enums.iter().enumerate() {
            let some =
                |fields: &[(Option<String>, TypeId)]| fields.iter().all(|field| has_value(types, &known, field.1));
            let now = known.enums[index] || def.variants.iter().any(|variant| some(&variant.fields));
            changed |= now != std::mem::replace(&mut known.enums[index], now);
        }
    }
    known
}

fn has_value(types: &Types, known: &Inhabited, ty: TypeId) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match types.get(ty) {
            Type::Struct(index) if !known.structs[*index as usize] => return false,
            Type::Enum(index) if !known.enums[*index as usize] => return false,
            Type::Tuple(of) if seen.insert(ty) => todo.extend(of),
            Type::Struct(_) | Type::Enum(_) | Type::Tuple(_) | Type::Error => {}
            Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client | Type::Json => {}
            Type::Token(_) => {}
            Type::Option(_) | Type::List(_) | Type::Set(_) | Type::Map(..) => {}
        }
    }
    true
}
