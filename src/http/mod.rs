//! HTTP/1.1: messages as bytes, and as requests and answers of a specification.
//!
//! | file | its one job |
//! |---|---|
//! | `message.rs` | complete messages from bytes that arrive in pieces, and messages to bytes |
//! | `texts.rs` | scalars, lists, dates and entity tags ⇄ texts of paths, parameters and headers |
//! | `body.rs` | values ⇄ the content of messages |
//! | `parts.rs` | the value of a field, from a header or the content |
//! | `headers.rs` | all headers of a message as a map |
//! | `retry.rs` | the time that `Retry-After` asks to wait |
//! | `requests.rs`, `answers.rs` | values ⇄ messages, by the lines of an `http` block |

mod answers;
mod body;
mod headers;
mod message;
mod parts;
mod requests;
mod retry;
mod texts;

pub use answers::{answer_of, is_refusal, is_status_asked_for, message_of_answer};
pub use message::{Framing, HttpHead, HttpMessage, MalformedMessage, MessageBuffer, shown_bytes, shown_message};
pub use requests::{
    is_header_said, message_of_request, request_of, requests_of_unknown_content, says_all_headers, why_unsent,
};
pub use retry::retry_after;
