//! Scalars: the known leaves of every value. They are booleans, integers of any size, strings, octets, tokens, clients, and JSON
//! values that are only compared. Arithmetic is total (`x / 0 = 0`).
//!
//! ```
//! use mayhap::scalar::{Int, Scalar, Sort};
//! assert_eq!(Int::from(-7).floor_div(&Int::from(2)), Int::from(-4));
//! assert!(Sort::Str.admits(&Scalar::str("a")));
//! ```

mod int;
mod json;
pub mod text;

pub use int::Int;
pub use json::Json;
pub(crate) use json::number;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// An element of a token type: compared for equality, never inspected. `Number(5)` and `Text("5")` differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Token {
    /// A token that travels as a JSON string.
    Text(Arc<str>),
    /// A token that travels as a JSON number.
    Number(Int),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Text(text) => write!(f, "{text:?}"),
            Token::Number(number) => write!(f, "{number}"),
        }
    }
}

/// A known scalar. The order is total and only meaningful within one sort (false < true, numeric, by code points, by octets).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer of any size.
    Int(Int),
    /// A string of code points.
    Str(Arc<str>),
    /// A string of octets.
    Bytes(Arc<[u8]>),
    /// An element of a token type. The type is not recorded: tokens of two types are never compared.
    Token(Token),
    /// A client: a connection.
    Client(u64),
    /// A JSON value.
    Json(Json),
}

impl Scalar {
    /// The integer `value`.
    pub fn int(value: impl Into<Int>) -> Scalar {
        Scalar::Int(value.into())
    }

    /// The string `text`.
    pub fn str(text: &str) -> Scalar {
        Scalar::Str(text.into())
    }

    /// The octets `data`.
    pub fn bytes(data: &[u8]) -> Scalar {
        Scalar::Bytes(data.into())
    }

    /// The token that travels as the string `text`.
    pub fn token(text: &str) -> Scalar {
        Scalar::Token(Token::Text(text.into()))
    }

    /// The sort of this scalar; [`Sort::ANY_TOKEN`] for a token.
    pub fn sort(&self) -> Sort {
        match self {
            Scalar::Bool(_) => Sort::Bool,
            Scalar::Int(_) => Sort::Int,
            Scalar::Str(_) => Sort::Str,
            Scalar::Bytes(_) => Sort::Bytes,
            Scalar::Token(_) => Sort::ANY_TOKEN,
            Scalar::Client(_) => Sort::Client,
            Scalar::Json(_) => Sort::Json,
        }
    }

    /// The integer, if this is one.
    pub fn as_int(&self) -> Option<&Int> {
        if let Scalar::Int(value) = self { Some(value) } else { None }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Scalar::Bool(value) = self { Some(*value) } else { None }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Scalar::Str(value) = self { Some(value) } else { None }
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Scalar {
        Scalar::Bool(value)
    }
}

impl From<Int> for Scalar {
    fn from(value: Int) -> Scalar {
        Scalar::Int(value)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "{value}"),
            Scalar::Str(value) => write!(f, "{value:?}"),
            Scalar::Bytes(value) => write!(f, "b\"{}\"", value.escape_ascii()),
            Scalar::Token(value) => write!(f, "{value}"),
            Scalar::Client(value) => write!(f, "client {value}"),
            Scalar::Json(value) => write!(f, "{value}"),
        }
    }
}

/// The sort of a scalar: the set of which it is an element. Every sort but `Bool` has infinitely many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Sort {
    /// The truth values, false and true.
    Bool,
    /// All integers.
    Int,
    /// All finite strings of code points.
    Str,
    /// All finite strings of octets.
    Bytes,
    /// The elements of the token type with this number, an infinite set with equality only.
    Token(u32),
    /// All clients; there are infinitely many.
    Client,
    /// All JSON values, an infinite set with equality only.
    Json,
}

impl Sort {
    /// The sort of a known token, whose type is not recorded.
    pub const ANY_TOKEN: Sort = Sort::Token(u32::MAX);

    /// Tests whether `scalar` belongs to this sort (a token belongs to every token sort).
    pub fn admits(self, scalar: &Scalar) -> bool {
        match scalar.sort() {
            Sort::Token(_) => matches!(self, Sort::Token(_)),
            sort => self == sort,
        }
    }

    /// The simplest element of the sort: false, 0, "", b"", the token "t1", client 1, null.
    pub fn simplest(self) -> Scalar {
        match self {
            Sort::Bool => Scalar::Bool(false),
            Sort::Int => Scalar::Int(Int::ZERO),
            Sort::Str => Scalar::str(""),
            Sort::Bytes => Scalar::bytes(b""),
            Sort::Token(_) => Scalar::token("t1"),
            Sort::Client => Scalar::Client(1),
            Sort::Json => Scalar::Json(Json::null()),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Bool => "bool",
            Sort::Int => "int",
            Sort::Str => "string",
            Sort::Bytes => "bytes",
            Sort::Token(_) => "token",
            Sort::Client => "client",
            Sort::Json => "json",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_stay_small() {
        assert_eq!(std::mem::size_of::<Int>(), 16);
        assert_eq!(std::mem::size_of::<Scalar>(), 24);
        assert_eq!(std::mem::size_of::<Option<Scalar>>(), 24);
    }

    #[test]
    fn tokens_that_look_alike_differ() {
        assert_ne!(Token::Number(Int::from(5)), Token::Text("5".into()));
    }
}
