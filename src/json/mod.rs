//! Values and JSON: how what a server was asked and what it answered stands in a trace.
//!
//! The conventions are serde's: numbers however large, `"Unit"`, `{"Variant": {fields}}`, `{"Variant": value}`, options
//! as null or the value. Nothing here builds a tree of JSON: text is read directly under the type it must have.
//!
//! ```
//! use mayhap::json::Scanner;
//! let mut scanner = Scanner::new(r#" {"key": "x\n", "size": 12} "#);
//! assert_eq!(scanner.skip()?, r#"{"key": "x\n", "size": 12}"#);
//! scanner.end()?;
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

mod error;
mod scan;
mod text;

pub use error::JsonError;
pub use scan::Scanner;
pub use text::quoted;
