//! The methods of the language, one row each: the types that have the method, and the types of its arguments and its result.
//!
//! `m.get(k)` of a `map<K, V>` takes a `K` and yields an `option<V>`.

use super::requirements::Need;
use crate::diagnostic::Span;
use crate::spec::check::checked::Builtin;
use crate::spec::check::context::Checker;
use crate::spec::check::infer::parts;
use crate::spec::types::{BOOL, INT, STRING, Type, TypeId};

/// A type in a signature, relative to the receiver's type.
#[derive(Clone, Copy, Debug)]
enum Scheme {
    /// The receiver's type.
    Own,
    /// The type of a map's keys, of the elements of a list or set, or of an option's value.
    Key,
    /// The type of a map's values.
    Value,
    /// A pair of a map's key and value types.
    Pair,
    Known(TypeId),
    Option(&'static Scheme),
    List(&'static Scheme),
    Set(&'static Scheme),
}

use Scheme::{Key, Known, Own, Pair, Value};

/// A row: the types that have the method, its name, its meaning, its parameters and its result.
type Method = (fn(&Type) -> bool, &'static str, Builtin, &'static [Scheme], Scheme);

const MAP: fn(&Type) -> bool = |ty| matches!(ty, Type::Map(..));
const SET: fn(&Type) -> bool = |ty| matches!(ty, Type::Set(_));
const LIST: fn(&Type) -> bool = |ty| matches!(ty, Type::List(_));
const OPTION: fn(&Type) -> bool = |ty| matches!(ty, Type::Option(_));
const TEXT: fn(&Type) -> bool = |ty| matches!(ty, Type::Str | Type::Bytes);
const STR: fn(&Type) -> bool = |ty| *ty == Type::Str;
const NUMBER: fn(&Type) -> bool = |ty| *ty == Type::Int;

static METHODS: &[Method] = &[
    (MAP, "get", Builtin::Get, &[Key], Scheme::Option(&Value)),
    (MAP, "get_or", Builtin::GetOr, &[Key, Value], Value),
    (MAP, "contains", Builtin::Contains, &[Key], Known(BOOL)),
    (MAP, "remove", Builtin::Remove, &[Key], Own),
    (MAP, "with", Builtin::With, &[Key, Value], Own),
    (MAP, "keys", Builtin::Keys, &[], Scheme::Set(&Key)),
    (MAP, "values", Builtin::Values, &[], Scheme::List(&Value)),
    (MAP, "to_list", Builtin::Entries, &[], Scheme::List(&Pair)),
    (SET, "to_list", Builtin::ToList, &[], Scheme::List(&Key)),
    (LIST, "starts_with", Builtin::BeginsWith, &[Own], Known(BOOL)),
    (OPTION, "or", Builtin::Or, &[Key], Key),
    (TEXT, "contains", Builtin::ContainsText, &[Own], Known(BOOL)),
    (TEXT, "starts_with", Builtin::StartsWith, &[Own], Known(BOOL)),
    (TEXT, "ends_with", Builtin::EndsWith, &[Own], Known(BOOL)),
    (STR, "split", Builtin::Split, &[Own], Scheme::List(&Own)),
    (STR, "lower", Builtin::Lower, &[], Own),
    (STR, "to_int", Builtin::ToInt, &[], Scheme::Option(&Known(INT))),
    (NUMBER, "to_string", Builtin::ToString, &[], Known(STRING)),
];

/// The signature of a method for one receiver type.
pub(crate) struct Signature {
    pub(crate) builtin: Builtin,
    pub(crate) params: Vec<TypeId>,
    pub(crate) result: TypeId,
}

/// The names of the methods of a type.
pub(crate) fn methods(head: &Type) -> Vec<&'static str> {
    METHODS.iter().filter(|method| method.0(head)).map(|method| method.1).collect()
}

/// The method of that name for a type whose outermost constructor is `head`. If the method sorts, the unit will check that the elements are
/// ordered.
pub(crate) fn signature(cx: &mut Checker, ty: TypeId, head: &Type, name: &str, span: Span) -> Option<Signature> {
    let (_, name, builtin, params, result) = METHODS.iter().find(|method| method.1 == name && method.0(head))?;
    let parts = parts(head);
    if builtin.counts() {
        cx.need(parts[0], span, Need::sortable(name));
    }
    let params = params.iter().map(|param| instance(cx, param, ty, &parts)).collect();
    Some(Signature { builtin: *builtin, params, result: instance(cx, result, ty, &parts) })
}

/// The type that a scheme stands for if the receiver has the type `own`, which is built from `parts`.
fn instance(cx: &mut Checker, scheme: &Scheme, own: TypeId, parts: &[TypeId]) -> TypeId {
    let ty = match scheme {
        Scheme::Own => return own,
        Scheme::Key => return parts[0],
        Scheme::Value => return parts[1],
        Scheme::Known(ty) => return *ty,
        Scheme::Pair => Type::Tuple(parts.to_vec()),
        Scheme::Option(of) => Type::Option(instance(cx, of, own, parts)),
        Scheme::List(of) => Type::List(instance(cx, of, own, parts)),
        Scheme::Set(of) => Type::Set(instance(cx, of, own, parts)),
    };
    cx.build(ty)
}
