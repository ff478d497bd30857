//! The content of scalars over HTTP, for the parts of requests and answers that an `http` block names.
//!
//! A text that a request writes as `etag(seen)` is an entity tag, and so is what an answer reads as `header "ETag" as etag`.

use crate::scalar::Sort;
use crate::spec::http::HttpCodec;

/// The content of a scalar over HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum HttpContent {
    /// An entity tag (RFC 9110, section 8.8.3).
    EntityTag,
    /// A date (RFC 9110, section 5.6.7).
    Date,
}

impl HttpContent {
    /// The content of the scalars in a field with this codec.
    pub fn of(codec: HttpCodec) -> Option<HttpContent> {
        match codec {
            HttpCodec::Etag | HttpCodec::Etags => Some(HttpContent::EntityTag),
            HttpCodec::Date => Some(HttpContent::Date),
            HttpCodec::Text | HttpCodec::List | HttpCodec::Json | HttpCodec::Raw | HttpCodec::Form => None,
        }
    }

    /// The sort of such scalars.
    pub fn sort(self) -> Sort {
        match self {
            HttpContent::Date => Sort::Int,
            HttpContent::EntityTag => Sort::Str,
        }
    }
}
