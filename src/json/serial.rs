//! The connection to serde: a program's own types are read as values, and values are returned as such types.
//!
//! ```
//! use mayhap::json::{from_serde, to_serde};
//! use mayhap::spec::types::{INT, Types};
//! let mut types = Types::new();
//! let list = types.list(INT);
//! let value = from_serde(&types, list, &vec![1, 2, 3])?;
//! assert_eq!(to_serde::<Vec<i64>>(&types, list, &value)?, [1, 2, 3]);
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use super::{JsonError, decode, encode};
use crate::spec::types::{TypeId, Types};
use crate::value::Value;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The type of Rust for any JSON.
pub const RUST_TYPE: &str = "serde_json::Value";

/// The value of type `id` that `data` serialises to.
///
/// # Errors
/// `data` does not serialise, or not to a value of the type; the offset of the error is one into its JSON.
pub fn from_serde<T: Serialize + ?Sized>(types: &Types, id: TypeId, data: &T) -> Result<Value, JsonError> {
    decode(types, id, &line(data)?)
}

/// `value`, of type `id`, as a type of the program.
///
/// # Errors
/// The program's type does not fit, or the value is not known.
pub fn to_serde<T: DeserializeOwned>(types: &Types, id: TypeId, value: &Value) -> Result<T, JsonError> {
    from_line(&encode(types, id, value))
}

/// The JSON on a line as a type of the program.
///
/// # Errors
/// The text is not JSON, or does not fit the type.
pub fn from_line<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|error| JsonError::new(error.column().saturating_sub(1), error.to_string()))
}

/// A JSON text of any number of lines as a type of the program.
///
/// # Errors
/// The text is not JSON, or does not fit the type.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|error| {
        let line: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let column = error.column().saturating_sub(1);
        let offset = (0..=(line + column).min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        JsonError::new(offset.unwrap_or_default(), message)
    })
}

/// JSON text that is serialised unchanged inside of other data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawJson(pub String);

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawJson, D::Error> {
        Ok(RawJson(Box::<RawValue>::deserialize(deserializer)?.get().to_owned()))
    }
}

/// `data` as JSON on one line.
///
/// # Errors
/// `data` does not serialise, for example a map whose keys are no strings.
pub fn line<T: Serialize + ?Sized>(data: &T) -> Result<String, JsonError> {
    serde_json::to_string(data).map_err(|error| JsonError::new(0, error.to_string()))
}
