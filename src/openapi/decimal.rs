//! Decimal numbers of any size, as JSON writes them.
//!
//! For example `-2.50` is -25 tenths, or -250 hundredths.

use crate::scalar::Int;

/// The most digits after the point, so that a number such as `1e-999999999` takes no memory.
const MOST_DIGITS: i64 = 40;

/// A decimal number: an integer divided by a power of ten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    digits: Int,
    scale: u32,
}

fn power(scale: u32) -> Int {
    (0..scale).fold(Int::ONE, |power, _| power.mul(&Int::small(10)))
}

impl Decimal {
    /// Reads a number; none if the text is none, or one with too many digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i64 = exponent.trim_start_matches('+').parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = Int::parse(&format!("{whole}{fraction}"))?;
        let scale = fraction.len() as i64 - exponent;
        if scale.abs() > MOST_DIGITS || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        Some(match u32::try_from(scale) {
            Ok(scale) => Decimal { digits, scale },
            Err(_) => Decimal { digits: digits.mul(&power(scale.unsigned_abs() as u32)), scale: 0 },
        })
    }

    /// The number of digits after the point.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The number, multiplied by ten to the power of `scale`, and a flag that is true if this is an integer; else it is rounded down.
    pub fn at(&self, scale: u32) -> (Int, bool) {
        if scale >= self.scale {
            return (self.digits.mul(&power(scale - self.scale)), true);
        }
        let unit = power(self.scale - scale);
        (self.digits.floor_div(&unit), self.digits.modulo(&unit).is_zero())
    }

    /// The text of an integer divided by ten to the power of `scale`.
    pub fn shown(units: &Int, scale: u32) -> String {
        if scale == 0 {
            return units.to_string();
        }
        let digits = format!("{:0>width$}", units.abs().to_string(), width = scale as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
        let sign = if units.signum() < 0 { "-" } else { "" };
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_shown() {
        for (text, shown) in
            [("-2.50", "-2.5"), ("0.05", "0.05"), ("1e3", "1000"), ("12E-1", "1.2"), ("-0.5", "-0.5"), ("7", "7")]
        {
            let number = Decimal::parse(text).unwrap();
            assert_eq!(Decimal::shown(&number.at(3).0, 3), shown);
        }
        assert_eq!(Decimal::parse("-0.5").unwrap().at(0), (Int::small(-1), false));
        for text in ["", "a", "1e99999", "1.x", "."] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }
}
