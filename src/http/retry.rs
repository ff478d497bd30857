//! The time that a server asks to wait before the next request.
//!
//! `Retry-After: 120` is two minutes; `Retry-After: Fri, 31 Dec 1999 23:59:59 GMT` is the time from the `Date` of the message to that date
//! (RFC 9110, section 10.2.3).

use std::time::{Duration, SystemTime};

use super::message::HttpMessage;
use super::texts::time_of;

/// The time that a message asks to wait; none if the message has no valid `Retry-After`. Without a `Date`, the wait starts at `now`.
#[must_use]
pub fn retry_after(message: &HttpMessage, now: SystemTime) -> Option<Duration> {
    let text = message.header("Retry-After")?;
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is longer than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let begin = message.header("Date").and_then(|date| time_of(date.trim())).unwrap_or(now);
    Some(time_of(text)?.duration_since(begin).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::message::HttpHead;
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(946_684_700);
        let after = |headers: &[(&str, &str)]| {
            let header = |(name, value): &(&str, &str)| ((*name).to_owned(), value.as_bytes().to_vec());
            let headers = headers.iter().map(header).collect();
            let head = HttpHead::Answer { status: 429 };
            retry_after(&HttpMessage { head, headers, body: None, keeps_alive: true }, now).map(|time| time.as_secs())
        };
        let date = "Fri, 31 Dec 1999 23:59:59 GMT";
        assert_eq!(after(&[]), None);
        assert_eq!(after(&[("Retry-After", " 120 ")]), Some(120));
        assert_eq!(after(&[("Retry-After", "99999999999999999999")]), Some(u64::MAX));
        assert_eq!(after(&[("Retry-After", date)]), Some(99));
        assert_eq!(after(&[("Retry-After", date), ("Date", "Fri, 31 Dec 1999 23:59:49 GMT")]), Some(10));
        assert_eq!(after(&[("Retry-After", date), ("Date", "Sat, 01 Jan 2000 23:59:49 GMT")]), Some(0));
        for odd in ["", "soon", "-1", "1.5"] {
            assert_eq!(after(&[("Retry-After", odd)]), None, "{odd}");
        }
    }
}
