//! Names from other languages that this language does not have, with the words to write instead.
//!
//! `random()` is an unknown function; its help is to write `choose`.

use crate::spec::types::Type;

/// The help for an unknown value or function of that name.
pub(super) fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" | "nil" | "none" | "undefined" => "an option without a value is `None`",
        "True" | "TRUE" => "did you mean `true`?",
        "False" | "FALSE" => "did you mean `false`?",
        "random" | "rand" | "randint" | "Math" | "Random" => {
            "use a choice of the server: `choose int` is any integer, `pick 1..7` one of 1 to 6"
        }
        "not" => "`!` negates, as in `!b` and `!(x in s)`",
        "int" | "str" | "string" => "`s.to_int()` parses an integer, `n.to_string()` formats one",
        "size" | "length" | "count" => LENGTH,
        _ => return None,
    })
}

/// The help for an unknown type of that name.
pub(super) fn ty(name: &str) -> Option<&'static str> {
    Some(match name {
        "integer" | "Integer" | "i32" | "i64" | "u32" | "u64" | "usize" | "long" | "number" | "float" | "double" => {
            "numbers are integers of any size: `int`"
        }
        "boolean" | "Boolean" => "did you mean `bool`?",
        "str" | "text" | "char" => "did you mean `string`?",
        "array" | "Array" | "vec" | "Vec" | "seq" => "did you mean `list<T>`?",
        "dict" | "Dict" | "HashMap" | "hashmap" | "object" => "did you mean `map<K, V>`?",
        "optional" | "Optional" | "maybe" | "Maybe" => "did you mean `option<T>`?",
        _ => return None,
    })
}

/// The help for an unknown field or method of that name, for a value of this type.
pub(super) fn member(of: &Type, name: &str) -> Option<&'static str> {
    Some(match (of, name) {
        (Type::List(_) | Type::Set(_), "contains" | "includes" | "has") => "`x in xs` says whether `x` is an element",
        (Type::Set(_), "remove" | "delete" | "discard") => "`s - {x}` is the set without `x`",
        (Type::Set(_), "add" | "insert") => "`s + {x}` is the set with `x`",
        (Type::Map(..), "insert" | "put" | "set" | "add") => "`m[k] := v;` sets the value at `k`",
        (Type::Map(..), "delete") => "`m := m.remove(k);` removes the key `k`",
        (Type::Map(..), "has" | "contains_key" | "has_key") => "`m.contains(k)` says whether `k` is a key",
        (Type::List(_), "push" | "append" | "add") => "`xs + [x]` is the list with `x` at its end",
        (
            Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Str | Type::Bytes,
            "len" | "length" | "size" | "count",
        ) => LENGTH,
        _ => return None,
    })
}

const LENGTH: &str = "the number of elements is `len(x)`, a function";
