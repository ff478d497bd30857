//! Integers without bounds: a machine word if it fits, a shared big integer if it must.
//!
//! Division is Coq's `Z.div`: towards minus infinity, `x / 0 = 0`; the remainder keeps `x = y * (x / y) + x % y`, so `x % 0 = x`.
//!
//! ```
//! use mayhap::scalar::Int;
//! let big = Int::from(i64::MAX).add(&Int::ONE);
//! assert_eq!(big.to_string(), "9223372036854775808");
//! assert_eq!(big.sub(&Int::ONE).to_i64(), Some(i64::MAX));
//! ```

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// An integer of any size. Values that fit 64 bits are always stored inline, so equality and hashing are structural.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Arc<BigInt>),
}

use Repr::{Big, Small};

impl Int {
    /// 0.
    pub const ZERO: Int = Int(Small(0));
    /// 1.
    pub const ONE: Int = Int(Small(1));
    /// −1.
    pub const MINUS_ONE: Int = Int(Small(-1));

    /// The integer `value`, also in constants.
    pub const fn small(value: i64) -> Int {
        Int(Small(value))
    }

    /// Tests whether the value fits a machine word.
    pub fn is_small(&self) -> bool {
        matches!(self.0, Small(_))
    }

    /// The number of bits of its absolute value.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Small(value) => u64::from(u64::BITS - value.unsigned_abs().leading_zeros()),
            Big(value) => value.bits(),
        }
    }

    /// The value as a machine word, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        if let Small(value) = self.0 { Some(value) } else { None }
    }

    /// The value as an index or a length, if it fits.
    pub fn to_usize(&self) -> Option<usize> {
        self.to_i64().and_then(|value| usize::try_from(value).ok())
    }

    /// Tests whether a text can be read as a number: [`Int::parse`].
    pub fn is_written(text: &str) -> bool {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Reads an optional `-` and at least one decimal digit; `None` for anything else. Leading zeros are allowed, and `-0` is 0.
    pub fn parse(text: &str) -> Option<Int> {
        if !Int::is_written(text) {
            return None;
        }
        match text.parse::<i64>() {
            Ok(value) => Some(Int(Small(value))),
            Err(_) => BigInt::parse_bytes(text.as_bytes(), 10).map(Int::from),
        }
    }

    /// The value as a big integer.
    pub fn big(&self) -> BigInt {
        match &self.0 {
            Small(value) => BigInt::from(*value),
            Big(value) => (**value).clone(),
        }
    }

    /// The sum.
    pub fn add(&self, other: &Int) -> Int {
        if let (Small(x), Small(y)) = (&self.0, &other.0)
            && let Some(sum) = x.checked_add(*y)
        {
            return Int(Small(sum));
        }
        Int::from(self.big() + other.big())
    }

    /// The difference.
    pub fn sub(&self, other: &Int) -> Int {
        if let (Small(x), Small(y)) = (&self.0, &other.0)
            && let Some(difference) = x.checked_sub(*y)
        {
            return Int(Small(difference));
        }
        Int::from(self.big() - other.big())
    }

    /// The product.
    pub fn mul(&self, other: &Int) -> Int {
        if let (Small(x), Small(y)) = (&self.0, &other.0)
            && let Some(product) = x.checked_mul(*y)
        {
            return Int(Small(product));
        }
        Int::from(self.big() * other.big())
    }

    /// The negation.
    pub fn neg(&self) -> Int {
        match &self.0 {
            Small(x) if *x != i64::MIN => Int(Small(-x)),
            _ => Int::from(-self.big()),
        }
    }

    /// The quotient rounded towards minus infinity; `x / 0 = 0`.
    pub fn floor_div(&self, other: &Int) -> Int {
        if other.is_zero() {
            return Int::ZERO;
        }
        match (&self.0, &other.0) {
            (Small(x), Small(y)) if *y != -1 => Int(Small(Integer::div_floor(x, y))),
            _ => Int::from(self.big().div_floor(&other.big())),
        }
    }

    /// The remainder of [`Int::floor_div`]: zero, or of the divisor's sign; `x % 0 = x`.
    pub fn modulo(&self, other: &Int) -> Int {
        if other.is_zero() {
            return self.clone();
        }
        match (&self.0, &other.0) {
            (Small(_), Small(-1)) => Int::ZERO,
            (Small(x), Small(y)) => Int(Small(Integer::mod_floor(x, y))),
            _ => Int::from(self.big().mod_floor(&other.big())),
        }
    }

    /// The greatest common divisor, never negative; `gcd(0, x) = |x|`.
    pub fn gcd(&self, other: &Int) -> Int {
        match (self.to_i64(), other.to_i64()) {
            (Some(x), Some(y)) if x != i64::MIN && y != i64::MIN => Int(Small(x.gcd(&y))),
            _ => Int::from(self.big().gcd(&other.big())),
        }
    }

    /// Tests whether this is 0.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// −1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(value) => value.signum() as i32,
            Big(value) => {
                if value.is_negative() {
                    -1
                } else {
                    i32::from(!value.is_zero())
                }
            }
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Int {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Int {
        match value.to_i64() {
            Some(small) => Int(Small(small)),
            None => Int(Big(Arc::new(value))),
        }
    }
}

macro_rules! from_primitive {
    ($($narrow:ty),*; $($wide:ty),*) => {
        $(impl From<$narrow> for Int {
            fn from(value: $narrow) -> Int {
                Int(Small(value as i64))
            }
        })*
        $(impl From<$wide> for Int {
            fn from(value: $wide) -> Int {
                i64::try_from(value).map_or_else(|_| Int::from(BigInt::from(value)), |small| Int(Small(small)))
            }
        })*
    };
}

from_primitive!(i32, i64, u32, u8; u64, usize, i128, u128);

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Small(x), Small(y)) => x.cmp(y),
            (Small(_), Big(y)) => {
                if y.is_negative() {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Big(x), Small(_)) => {
                if x.is_negative() {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (Big(x), Big(y)) => x.cmp(y),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(value) => fmt::Display::fmt(value, f),
            Big(value) => fmt::Display::fmt(value, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edge() -> impl Strategy<Value = i64> {
        prop_oneof![-9i64..9, Just(i64::MIN), Just(i64::MAX), Just(i64::MIN + 1), any::<i64>()]
    }

    /// Tests whether the value is stored inline if it fits a machine word.
    fn canonical(value: &Int) -> bool {
        value.to_i64().is_some() || value.big().to_i64().is_none()
    }

    #[test]
    fn division_by_zero_is_zero() {
        let seven = Int::from(7);
        assert_eq!((seven.floor_div(&Int::ZERO), seven.modulo(&Int::ZERO)), (Int::ZERO, seven));
    }

    #[test]
    fn parse_is_strict_about_signs_and_blanks() {
        for bad in ["", "-", "+1", " 1", "1 ", "1_0", "--1", "٣"] {
            assert_eq!(Int::parse(bad), None, "{bad:?}");
        }
        assert_eq!((Int::parse("-0"), Int::parse("007")), (Some(Int::ZERO), Some(Int::from(7))));
        assert_eq!(Int::parse("-9223372036854775809").unwrap().to_string(), "-9223372036854775809");
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers(x in edge(), y in edge()) {
            let (p, q) = (Int::from(x), Int::from(y));
            let (bx, by) = (BigInt::from(x), BigInt::from(y));
            let results = [(p.add(&q), &bx + &by), (p.sub(&q), &bx - &by), (p.mul(&q), &bx * &by), (p.neg(), -&bx)];
            for (ours, theirs) in results {
                prop_assert!(canonical(&ours));
                prop_assert_eq!(ours.big(), theirs);
            }
            prop_assert_eq!(p.gcd(&q).big(), bx.gcd(&by));
            prop_assert_eq!(p.cmp(&q), bx.cmp(&by));
        }

        #[test]
        fn division_law(x in edge(), y in edge()) {
            let (p, q) = (Int::from(x), Int::from(y));
            let (quotient, remainder) = (p.floor_div(&q), p.modulo(&q));
            prop_assert!(canonical(&quotient) && canonical(&remainder));
            prop_assert_eq!(&q.mul(&quotient).add(&remainder), &p);
            if y != 0 {
                prop_assert!(remainder.is_zero() || remainder.signum() == q.signum());
                prop_assert!(remainder.abs() < q.abs());
            }
        }

        #[test]
        fn prints_and_parses(x in any::<i128>()) {
            prop_assert_eq!(Int::parse(&x.to_string()), Some(Int::from(x)));
        }
    }
}
