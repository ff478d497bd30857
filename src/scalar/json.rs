//! JSON values that are only compared: each is a canonical text, which all texts of equal values have in common.
//!
//! For example `1.50`, `15e-1` and `1.5` are one number, and `1e999999999` takes ten octets: a number is its digits and a power of
//! ten of any size, so numbers are compared exactly. The members of an object stand in the order of their names; the reader of a
//! text sorts them (`mayhap::json`).
//!
//! ```
//! use mayhap::scalar::Json;
//! assert_eq!(Json::number("15e-1").to_string(), "1.5");
//! assert_eq!(Json::number("-0.0e7"), Json::number("0"));
//! ```

use super::Int;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A JSON value in canonical form, so that equal values are equal texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Json(Arc<str>);

/// A canonical number has at most this many zeros before or after its digits; one that needs more has an exponent.
const ZEROS: usize = 20;

impl Json {
    /// `null`.
    #[must_use]
    pub fn null() -> Json {
        Json("null".into())
    }

    /// The number that `text` denotes, which must be a JSON number.
    #[must_use]
    pub fn number(text: &str) -> Json {
        Json(number(text).into())
    }

    /// The string of these letters and digits, none of which needs an escape.
    #[must_use]
    pub fn word(text: &str) -> Json {
        Json(format!("\"{text}\"").into())
    }

    /// The value with this canonical text.
    pub(crate) fn of_canonical(text: &str) -> Json {
        Json(text.into())
    }

    /// The canonical text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The canonical text of a JSON number.
///
/// Its absolute value is digits, the first and the last of them no zero, times a power of ten. It is written out if that takes few
/// zeros, else with the point after the first digit and an exponent.
pub(crate) fn number(text: &str) -> Cow<'_, str> {
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |unsigned| ("-", unsigned));
    let is_plain = |octets: &[u8]| octets.len() <= ZEROS && octets.iter().all(u8::is_ascii_digit);
    if is_plain(unsigned.as_bytes()) {
        return Cow::Borrowed(if unsigned == "0" { unsigned } else { text });
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return Cow::Borrowed("0");
    }
    // The number is 0.DIGITS times ten to the power of `point`.
    let leading = all.len() - all.trim_start_matches('0').len();
    let exponent = Int::parse(exponent.trim_start_matches('+')).unwrap_or_default();
    let point = exponent.add(&Int::from(whole.len())).sub(&Int::from(leading));
    Cow::Owned(format!("{sign}{}", positive(digits, &point)))
}

/// The canonical text of 0.DIGITS times ten to the power of `point`.
fn positive(digits: &str, point: &Int) -> String {
    let length = digits.len() as i64;
    match point.to_i64() {
        Some(point) if point >= length && point - length <= ZEROS as i64 => {
            format!("{digits}{}", "0".repeat((point - length) as usize))
        }
        Some(point) if 0 < point && point < length => {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{whole}.{fraction}")
        }
        Some(point) if -(ZEROS as i64) <= point && point <= 0 => {
            format!("0.{}{digits}", "0".repeat(-point as usize))
        }
        _ => {
            let (first, others) = digits.split_at(1);
            let dot = if others.is_empty() { "" } else { "." };
            format!("{first}{dot}{others}e{}", point.sub(&Int::ONE))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn numbers_in_canonical_form() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0", "0"),
            ("0.000", "0"),
            ("-0e99999999999999999999", "0"),
            ("7", "7"),
            ("-7", "-7"),
            ("1.0", "1"),
            ("1.50", "1.5"),
            ("15e-1", "1.5"),
            ("0.15E+1", "1.5"),
            ("-12.340e2", "-1234"),
            ("1e3", "1000"),
            ("1000", "1000"),
            ("100000000000000000000", "100000000000000000000"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e21"),
            ("1000000000000000000000", "1e21"),
            ("12345678901234567890123456789000", "12345678901234567890123456789000"),
            ("0.001", "0.001"),
            ("1e-21", "0.000000000000000000001"),
            ("1e-22", "1e-22"),
            ("0.10000000000000000000000000000000000001", "0.10000000000000000000000000000000000001"),
            ("1.5e300", "1.5e300"),
            ("150e298", "1.5e300"),
            ("1e999999999999999999999999", "1e999999999999999999999999"),
            ("10e999999999999999999999998", "1e999999999999999999999999"),
            ("12e-9223372036854775808", "1.2e-9223372036854775807"),
        ] {
            assert_eq!(number(text), canonical, "{text}");
            assert_eq!(number(canonical), canonical, "{text}");
        }
    }

    /// Two numbers have the same canonical text if and only if they are equal as fractions: checked for all pairs of some numbers.
    #[test]
    fn equal_numbers_and_no_others_are_one_text() {
        let mut texts = Vec::new();
        for sign in ["", "-"] {
            for whole in ["0", "1", "10", "12", "100"] {
                for fraction in ["", ".0", ".1", ".2", ".01", ".10", ".12"] {
                    for exponent in ["", "e0", "E+1", "e-1", "e2", "e-2", "e23", "e-23"] {
                        texts.push(format!("{sign}{whole}{fraction}{exponent}"));
                    }
                }
            }
        }
        // The number as a multiple of 10^-30.
        let scaled = |text: &String| {
            let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let power = 30 + exponent.parse::<i64>().unwrap() - fraction.len() as i64;
            format!("{whole}{fraction}").parse::<BigInt>().unwrap() * BigInt::from(10).pow(power as u32)
        };
        let all: Vec<(BigInt, Json)> = texts.iter().map(|text| (scaled(text), Json::number(text))).collect();
        for (size, json) in &all {
            for (other_size, other) in &all {
                assert_eq!(size == other_size, json == other, "{json} {other}");
            }
        }
    }
}
