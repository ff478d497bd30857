//! Systems in Rust: a value that answers requests, with requests and answers as types of the program.
//!
//! ```
//! use mayhap::sut::{Sut, SutAnswer};
//! use std::sync::atomic::{AtomicI64, Ordering};
//!
//! /// A counter: what was added is answered.
//! #[derive(Default)]
//! struct Counter(AtomicI64);
//!
//! impl Sut for Counter {
//!     type Request = i64;
//!     type Response = i64;
//!
//!     fn ask(&self, _client: u64, request: i64) -> SutAnswer<i64> {
//!         SutAnswer::Is(self.0.fetch_add(request, Ordering::SeqCst) + request)
//!     }
//! }
//! assert_eq!(Counter::default().ask(1, 5), SutAnswer::Is(5));
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json;

/// A system under test; several clients may ask at once, each from a thread of its own.
pub trait Sut: Send + Sync + 'static {
    /// The type of requests, which are read from the JSON of the specification's requests.
    type Request: DeserializeOwned;
    /// The type of answers, which are written as the JSON of the specification's answers.
    type Response: Serialize;

    /// Sends a request to the system. A client sends its next request only after this one has its answer.
    fn ask(&self, client: u64, request: Self::Request) -> SutAnswer<Self::Response>;

    /// Tells the system that a client gives up its connection.
    fn close(&self, client: u64) {
        let _ = client;
    }
}

/// The outcome of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutAnswer<R> {
    /// The system gave this answer.
    Is(R),
    /// No answer came; the request may have taken effect.
    Lost,
    /// The request certainly took no effect, as if it had never been sent.
    Refused,
    /// The system ended the connection.
    Closed,
}

/// The outcome of a request, with its answer as JSON.
pub(crate) type RawAnswer = SutAnswer<String>;

/// Sends a request that is given as JSON. A request with a number that the program's type cannot hold is refused.
///
/// # Errors
/// The program's type does not fit the request, or its answer does not serialise. The message says which.
pub(crate) fn ask_json<S: Sut>(sut: &S, client: u64, request: &str) -> Result<RawAnswer, String> {
    let asked = match json::from_line::<S::Request>(request) {
        Ok(asked) => asked,
        Err(_) if json::from_line::<S::Request>(&with_small_numbers(request)).is_ok() => return Ok(SutAnswer::Refused),
        Err(error) => {
            let name = std::any::type_name::<S::Request>();
            return Err(format!("the request {request} is no {name}: {error}"));
        }
    };
    Ok(match sut.ask(client, asked) {
        SutAnswer::Is(answer) => {
            let line = json::line(&answer);
            SutAnswer::Is(line.map_err(|error| format!("the answer to {request} cannot be written: {error}"))?)
        }
        SutAnswer::Lost => SutAnswer::Lost,
        SutAnswer::Refused => SutAnswer::Refused,
        SutAnswer::Closed => SutAnswer::Closed,
    })
}

/// The JSON with 1 in the place of each number.
fn with_small_numbers(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('"') { json::string_length(rest) } else { number_length(rest) };
        out.push_str(if rest.starts_with('"') { &rest[..length] } else { "1" });
        rest = &rest[length..];
    }
    out + rest
}

fn number_length(text: &str) -> usize {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes;

    impl Sut for Bytes {
        type Request = (String, u8);
        type Response = u8;

        fn ask(&self, _: u64, (_, byte): (String, u8)) -> SutAnswer<u8> {
            SutAnswer::Is(byte)
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused_and_other_types_are_errors() {
        let ask = |request: &str| ask_json(&Bytes, 1, request);
        assert_eq!(ask(r#"["a", 7]"#), Ok(SutAnswer::Is("7".into())));
        for request in [r#"["a", 256]"#, r#"["a", -1]"#, r#"["a \" 2", 123456789012345678901234567890]"#] {
            assert_eq!(ask(request), Ok(SutAnswer::Refused), "{request}");
        }
        for request in [r#"[1, 7]"#, r#"["a"]"#, r#"{"Get": 7}"#] {
            assert!(ask(request).is_err_and(|error| error.contains("is no (alloc::string::String, u8)")), "{request}");
        }
    }

    #[test]
    fn only_numbers_are_made_small() {
        let text = r#"{"a\"-5": [-17, 2.5e+9, "12\\", "\"3"], "b": null}"#;
        assert_eq!(with_small_numbers(text), r#"{"a\"-5": [1, 1, "12\\", "\"3"], "b": null}"#);
    }
}
