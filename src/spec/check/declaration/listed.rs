//! Constants that list the values drawn for a field: their names have a point, as in ``const `Request.Put.key`: list<string>``.

use crate::diagnostic::Diagnostic;
use crate::spec::check::checked::Const;
use crate::spec::types::{Type, TypeId, Types};

/// Warns about a constant with the name of a field that lists no values of such a field.
pub(crate) fn lint(types: &Types, constant: &Const<'_>) -> Option<Diagnostic> {
    let name = &constant.name.text;
    let (owner, field) = name.rsplit_once('.')?;
    let warn = |message: String, help: &str| Some(Diagnostic::warning(constant.name.span, message).help(help));
    let Some(ty) = field_of(types, owner, field) else {
        let help =
            "a constant whose name has a point lists the values that are drawn for a field, as in `Request.Put.key`";
        return warn(format!("no struct or variant has a field of the name `{name}`"), help);
    };
    match types.get(constant.ty) {
        Type::List(of) if fits(types, *of, ty) => None,
        _ => warn(
            format!("`{}` lists no values of `{}`", types.name(constant.ty), types.name(ty)),
            "expected a list of values of the field, or of its elements; a `json` or a token is written as a text",
        ),
    }
}

/// The type of a field of a struct, or of a variant that is named after its enum.
fn field_of(types: &Types, owner: &str, field: &str) -> Option<TypeId> {
    if let Some(of) = types.structs.iter().find(|of| of.name == owner) {
        return of.fields.iter().find(|(name, _)| name == field).map(|(_, ty)| *ty);
    }
    let (of, variant) = owner.split_once('.')?;
    let of = types.enums.iter().find(|known| known.name == of)?;
    let variant = of.variants.iter().find(|known| known.name == variant)?;
    variant.fields.iter().find(|(name, _)| name.as_deref() == Some(field)).map(|(_, ty)| *ty)
}

/// Tests whether a listed value can be one of a type, or of its elements.
fn fits(types: &Types, listed: TypeId, ty: TypeId) -> bool {
    listed == ty
        || match (types.get(listed), types.get(ty)) {
            (Type::Str, Type::Json | Type::Token(_)) => true,
            (Type::List(listed), Type::List(of)) if fits(types, *listed, *of) => true,
            (_, Type::Option(of) | Type::List(of) | Type::Set(of) | Type::Map(_, of)) => fits(types, listed, *of),
            _ => false,
        }
}
