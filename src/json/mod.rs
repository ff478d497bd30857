//! Values and JSON: the form of requests and answers in a trace.
//!
//! The conventions are those of serde: numbers of any size, `"Unit"`, `{"Variant": {fields}}`, `{"Variant": value}`, options as null or the
//! value. Text is read directly as a value of its type, without a tree of JSON.
//!
//! ```
//! use mayhap::json::{decode, encode};
//! use mayhap::spec::types::{INT, STRING, Types};
//! let mut types = Types::new();
//! let map = types.map(STRING, INT);
//! let value = decode(&types, map, r#"{"b": 123456789012345678901234567890, "a": 1}"#)?;
//! assert_eq!(encode(&types, map, &value), r#"{"a": 1, "b": 123456789012345678901234567890}"#);
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

mod decode;
mod encode;
mod error;
mod mark;
mod members;
mod opaque;
mod scalars;
mod serial;
#[cfg(test)]
mod tests;
mod text;

pub use decode::form::{Forms, Spacing};
pub use decode::quick::FormReader;
pub use decode::scan::Scanner;
pub use decode::{MAX_DEPTH, decode, decode_plain, decode_recorded};
pub use encode::{encode, encode_given, encode_into, encode_plain};
pub use error::{Decoded, JsonError, JsonFlaw};
pub use mark::{RecordedReference, references};
pub use members::members;
pub use serial::{RUST_TYPE, RawJson, from_line, from_serde, from_text, line, to_serde};
pub use text::{quote, quoted, string_length};
