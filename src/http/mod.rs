//! HTTP/1.1: messages as bytes, and as requests and answers of a specification.
//!
//! | file | its one job |
//! |---|---|
//! | `message.rs` | whole messages out of bytes as they come, and into bytes |
//! | `texts.rs` | scalars, lists, dates and entity tags ⇄ texts of paths, parameters and headers |
//! | `body.rs` | values ⇄ the content of messages |
//! | `parts.rs` | the value of a field, out of the header or the content that it stands in |
//! | `headers.rs` | all headers of a message as a map |
//! | `retry.rs` | how long a server asks to be left alone |
//! | `requests.rs`, `answers.rs` | values ⇄ messages, by the lines of an `http` block |

mod answers;
mod body;
mod headers;
mod message;
mod parts;
mod requests;
mod retry;
mod texts;

pub use answers::{answer_of, is_refusal, message_of_answer};
pub use message::{Framing, HttpHead, HttpMessage, MalformedMessage, MessageBuffer, shown_bytes, shown_message};
pub use requests::{is_header_said, message_of_request, request_of, says_all_headers};
pub use retry::retry_after;
