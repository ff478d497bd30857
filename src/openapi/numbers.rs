//! Limits of numbers, and numbers within them.
//!
//! For example at least 0.5 and below 0.9 there are 0.5, 0.51, 0.7 and 0.89.

use crate::scalar::Int;

use super::decimal::Decimal;

/// The most numbers that are drawn.
const NUMBERS: usize = 9;
/// Usual numbers, in tenths.
const USUAL: [i64; 9] = [0, 10, 20, 25, 70, -10, -15, 1_000, 5];

/// The formats of integers that bound them.
const WIDTHS: [(&str, &str, &str); 8] = [
    ("int8", "-128", "127"),
    ("int16", "-32768", "32767"),
    ("int32", "-2147483648", "2147483647"),
    ("int64", "-9223372036854775808", "9223372036854775807"),
    ("uint8", "0", "255"),
    ("uint16", "0", "65535"),
    ("uint32", "0", "4294967295"),
    ("uint64", "0", "18446744073709551615"),
];

/// The limits of a number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NumberLimits {
    /// The least number, and a flag that is true if it is not allowed itself.
    pub least: Option<(Decimal, bool)>,
    /// The greatest number, and a flag that is true if it is not allowed itself.
    pub greatest: Option<(Decimal, bool)>,
    /// The numbers of which it is a multiple.
    pub factors: Vec<Decimal>,
    /// The format that bounds it, as an index of `WIDTHS`.
    width: Option<usize>,
}

impl NumberLimits {
    /// Adds the bounds of a format such as `int32`.
    pub fn bounded_by(&mut self, format: &str) {
        self.width = WIDTHS.iter().position(|(name, ..)| *name == format);
    }

    /// Removes the bounds of a format.
    pub fn forget_width(&mut self) {
        self.width = None;
    }

    /// The limits of numbers that have both limits.
    pub fn and(self, other: NumberLimits) -> NumberLimits {
        let pick = |a: Option<(Decimal, bool)>, b: Option<(Decimal, bool)>, sign: i32| match (a, b) {
            (Some(a), Some(b)) => {
                let scale = a.0.scale().max(b.0.scale());
                let order = a.0.at(scale).0.sub(&b.0.at(scale).0).signum() * sign;
                Some(if order > 0 || order == 0 && a.1 { a } else { b })
            }
            (known, None) | (None, known) => known,
        };
        let mut factors = self.factors;
        factors.extend(other.factors.into_iter().filter(|factor| !factors.contains(factor)).collect::<Vec<_>>());
        NumberLimits {
            least: pick(self.least, other.least, 1),
            greatest: pick(self.greatest, other.greatest, -1),
            factors,
            width: self.width.or(other.width),
        }
    }

    /// The name of the width, if nothing else limits the number.
    pub fn width_name(&self) -> Option<String> {
        let is_alone = self.least.is_none() && self.greatest.is_none() && self.factors.is_empty();
        self.width.filter(|_| is_alone).map(|width| WIDTHS[width].0.to_uppercase())
    }

    /// The least and the greatest number that is allowed and has at most `scale` digits after the point, each multiplied by ten to the
    /// power of `scale`.
    pub fn range(&self, scale: u32) -> (Option<Int>, Option<Int>) {
        let least = self.least.as_ref().map(|(number, is_exclusive)| match number.at(scale) {
            (units, true) if !is_exclusive => units,
            (units, _) => units.add(&Int::ONE),
        });
        let greatest = self.greatest.as_ref().map(|(number, is_exclusive)| match number.at(scale) {
            (units, true) if *is_exclusive => units.sub(&Int::ONE),
            (units, _) => units,
        });
        (least, greatest)
    }

    /// The conditions on an integer of this name.
    pub fn conditions(&self, name: &str) -> Vec<String> {
        let (least, greatest) = self.range(0);
        let least = least.map(|least| format!("{name} >= {least}"));
        let greatest = greatest.map(|greatest| format!("{name} <= {greatest}"));
        let whole = self.factors.iter().map(|factor| factor.at(0)).filter(|(_, is_exact)| *is_exact);
        let factors = whole.filter(|(factor, _)| !factor.is_zero() && *factor != Int::ONE);
        let factors = factors.map(|(factor, _)| format!("{name} % {} == 0", factor.abs()));
        least.into_iter().chain(greatest).chain(factors).collect()
    }

    /// Numbers within the limits; none if there are no limits.
    pub fn drawn(&self, is_whole: bool) -> Option<Vec<String>> {
        if *self == NumberLimits::default() {
            return None;
        }
        let bounds = self.least.iter().chain(&self.greatest).map(|(number, _)| number);
        let finest = bounds.chain(&self.factors).map(Decimal::scale).max().unwrap_or_default();
        let scale = if is_whole { 0 } else { finest + 1 };
        let (mut least, mut greatest) = self.range(scale);
        if let (Some(width), 0) = (self.width, scale) {
            let (_, low, high) = WIDTHS[width];
            least = least.or(Int::parse(low));
            greatest = greatest.or(Int::parse(high));
        }
        let factors = self.factors.iter().map(|factor| factor.at(scale)).filter(|(_, is_exact)| *is_exact);
        let factors: Vec<Int> = factors.map(|(factor, _)| factor.abs()).filter(|factor| !factor.is_zero()).collect();
        let is_in = |units: &Int| {
            least.as_ref().is_none_or(|least| units >= least)
                && greatest.as_ref().is_none_or(|greatest| units <= greatest)
                && factors.iter().all(|factor| units.modulo(factor).is_zero())
        };
        let step = factors.iter().fold(Int::ONE, |step, factor| step.mul(factor).floor_div(&step.gcd(factor)));
        let mut found: Vec<Int> = Vec::new();
        for candidate in candidates(&least, &greatest, &step, scale) {
            let below = candidate.sub(&candidate.modulo(&step));
            for units in [below.clone(), below.add(&step)] {
                if is_in(&units) && !found.contains(&units) && found.len() < NUMBERS {
                    found.push(units);
                }
            }
        }
        (!found.is_empty()).then(|| found.iter().map(|units| Decimal::shown(units, scale)).collect())
    }
}

/// Numbers at and between the bounds, and usual ones.
fn candidates(least: &Option<Int>, greatest: &Option<Int>, step: &Int, scale: u32) -> Vec<Int> {
    let mut found = Vec::new();
    if let (Some(least), Some(greatest)) = (least, greatest) {
        found.push(least.add(&greatest.sub(least).floor_div(&Int::small(2))));
    }
    if let Some(least) = least {
        found.extend([least.clone(), least.add(&step.mul(&Int::small(8)))]);
    }
    found.extend(greatest.iter().flat_map(|greatest| [greatest.clone(), greatest.sub(step)]));
    let unit = (0..scale).fold(Int::ONE, |unit, _| unit.mul(&Int::small(10)));
    let usual = USUAL.iter().map(|tenths| Int::small(*tenths).mul(&unit));
    found.extend(
        usual.filter(|units| units.modulo(&Int::small(10)).is_zero()).map(|units| units.floor_div(&Int::small(10))),
    );
    found
}
