//! Explicit sets of values: integers that lie close together are kept as a bit set, other values as a list.
//!
//! For example `{4, 6, 8}` is the bits `10101` from 4 up; moved by one it is the same bits from 5 up. Such a set is all that is known
//! of a hidden random walk. A step of the walk moves, cuts and unites sets, all in a few machine words.

use crate::scalar::{Int, Scalar};
use crate::term::KeySet;
use im::OrdSet;
use smallvec::SmallVec;

/// Integers are kept as bits if the largest minus the smallest is less than this.
const SPAN: i64 = 4096;
/// The number of bits of a word.
const WORD: usize = 64;

/// A set of scalars of one sort. Equal sets have equal forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueSet {
    /// At least one integer, the largest less than [`SPAN`] above the smallest.
    Dense(Dense),
    /// Any other values.
    Listed(OrdSet<Scalar>),
}

/// Integers as bits: of `{4, 6, 68}` the least is 4, and the words are `…0101` and `…0001`.
///
/// 1. The first bit is set: it stands for `least`; the last word is not zero.
/// 2. The set spans at most `SPAN` integers, each of which is at least `SPAN` away from the ends of `i64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dense {
    least: i64,
    bits: SmallVec<[u64; 4]>,
}

use ValueSet::{Dense as Bits, Listed};

impl ValueSet {
    /// The set of these values.
    pub(crate) fn of(values: impl IntoIterator<Item = Scalar>) -> ValueSet {
        let list: SmallVec<[Scalar; 16]> = values.into_iter().collect();
        Dense::of(&list).map_or_else(|| Listed(list.into_iter().collect()), Bits)
    }

    /// The integers from one to another, if they are not too many.
    pub(crate) fn neighbours(lo: &Int, hi: &Int) -> Option<ValueSet> {
        let (least, last) = (lo.to_i64()?, hi.sub(lo).to_i64().filter(|span| (0..SPAN).contains(span))?);
        if !has_room(least, hi.to_i64()?) {
            return Some(ValueSet::of((0..=last).map(|n| Scalar::Int(lo.add(&Int::small(n))))));
        }
        let mut bits = SmallVec::from_elem(u64::MAX, last as usize / WORD + 1);
        if let Some(word) = bits.last_mut() {
            *word >>= WORD - 1 - last as usize % WORD;
        }
        Some(Bits(Dense { least, bits }))
    }

    /// The integers of a set between two ends; `None` if the set cannot list only these, or the ends are too far apart.
    pub(crate) fn found(set: &KeySet, lo: &Int, hi: &Int) -> Option<ValueSet> {
        let (least, greatest) = (lo.to_i64()?, hi.to_i64()?);
        let span = greatest.checked_sub(least).filter(|span| (0..SPAN).contains(span) && has_room(least, greatest))?;
        let mut bits = SmallVec::from_elem(0, span as usize / WORD + 1);
        let listed = set.between((least, greatest), &mut |value| self::set(&mut bits, (value - least) as usize));
        listed.then(|| Dense::normalized(least, bits))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Bits(dense) => dense.bits.iter().map(|word| word.count_ones() as usize).sum(),
            Listed(list) => list.len(),
        }
    }

    pub(crate) fn contains(&self, scalar: &Scalar) -> bool {
        match self {
            Bits(dense) => scalar.as_int().and_then(Int::to_i64).is_some_and(|value| dense.contains(value)),
            Listed(list) => list.contains(scalar),
        }
    }

    pub(crate) fn least(&self) -> Option<Scalar> {
        match self {
            Bits(dense) => Some(Scalar::int(dense.least)),
            Listed(list) => list.get_min().cloned(),
        }
    }

    pub(crate) fn greatest(&self) -> Option<Scalar> {
        match self {
            Bits(dense) => Some(Scalar::int(dense.least + dense.last() as i64)),
            Listed(list) => list.get_max().cloned(),
        }
    }

    /// All values, in order.
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = Scalar> + '_> {
        match self {
            Bits(dense) => Box::new(dense.iter().map(Scalar::int)),
            Listed(list) => Box::new(list.iter().cloned()),
        }
    }

    /// The values that pass a test.
    pub(crate) fn filter(&self, keep: impl Fn(&Scalar) -> bool) -> ValueSet {
        match self {
            Bits(dense) => {
                let kept = dense.iter().filter(|value| keep(&Scalar::int(*value)));
                Dense::among(dense.least, dense.bits.len(), kept)
            }
            Listed(list) => ValueSet::of(list.iter().filter(|scalar| keep(scalar)).cloned()),
        }
    }

    /// The values other than this one.
    pub(crate) fn without(&self, scalar: &Scalar) -> ValueSet {
        self.filter(|value| value != scalar)
    }

    /// The integers between two ends, and all values that are no integers.
    pub(crate) fn between(&self, lo: Option<&Int>, hi: Option<&Int>) -> ValueSet {
        let inside = |value: &Int| lo.is_none_or(|lo| lo <= value) && hi.is_none_or(|hi| value <= hi);
        let ends = [self.least(), self.greatest()];
        // Most of the time all values lie between the ends.
        if ends.iter().flatten().all(|end| end.as_int().is_none_or(inside)) {
            return self.clone();
        }
        self.filter(|scalar| scalar.as_int().is_none_or(inside))
    }

    /// The union of both sets.
    pub(crate) fn union(&self, other: &ValueSet) -> ValueSet {
        if let (Bits(a), Bits(b)) = (self, other)
            && let Some(both) = a.union(b)
        {
            return Bits(both);
        }
        ValueSet::of(self.iter().chain(other.iter()))
    }

    /// The values that are not in another set.
    pub(crate) fn minus(&self, others: &ValueSet) -> ValueSet {
        self.filter(|scalar| !others.contains(scalar))
    }
}

impl Dense {
    fn of(values: &[Scalar]) -> Option<Dense> {
        let ints: Option<SmallVec<[i64; 16]>> = values.iter().map(|scalar| scalar.as_int()?.to_i64()).collect();
        let ints = ints?;
        let (least, greatest) = (*ints.iter().min()?, *ints.iter().max()?);
        let span = greatest.checked_sub(least).filter(|span| *span < SPAN)?;
        if !has_room(least, greatest) {
            return None;
        }
        let mut bits = SmallVec::from_elem(0, span as usize / WORD + 1);
        ints.iter().for_each(|value| set(&mut bits, (value - least) as usize));
        Some(Dense { least, bits })
    }

    /// The set of these integers, which are `least` or more and fit in the given number of words.
    fn among(least: i64, words: usize, values: impl Iterator<Item = i64>) -> ValueSet {
        let mut bits = SmallVec::from_elem(0, words);
        values.for_each(|value| set(&mut bits, (value - least) as usize));
        Dense::normalized(least, bits)
    }

    /// The set of these bits, of which the first stands for `least`, in normal form: first bit set, last word not zero.
    fn normalized(least: i64, mut bits: SmallVec<[u64; 4]>) -> ValueSet {
        while bits.last() == Some(&0) {
            bits.pop();
        }
        let Some(word) = bits.iter().position(|word| *word != 0) else { return Listed(OrdSet::new()) };
        let skipped = word * WORD + bits[word].trailing_zeros() as usize;
        if skipped > 0 {
            bits = moved_down(&bits, skipped);
        }
        Bits(Dense { least: least + skipped as i64, bits })
    }

    /// The position of the last bit that is set.
    fn last(&self) -> usize {
        let last = self.bits[self.bits.len() - 1];
        (self.bits.len() - 1) * WORD + (WORD - 1 - last.leading_zeros() as usize)
    }

    fn contains(&self, value: i64) -> bool {
        let at = value.checked_sub(self.least).and_then(|at| usize::try_from(at).ok());
        at.is_some_and(|at| self.bits.get(at / WORD).is_some_and(|word| word >> (at % WORD) & 1 == 1))
    }

    fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        let ones = |word: u64| std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
        self.bits.iter().enumerate().flat_map(move |(at, word)| {
            let first = self.least + (at * WORD) as i64;
            ones(*word).take_while(|rest| *rest != 0).map(move |rest| first + i64::from(rest.trailing_zeros()))
        })
    }

    fn union(&self, other: &Dense) -> Option<Dense> {
        let (low, high) = if self.least <= other.least { (self, other) } else { (other, self) };
        let by = usize::try_from(high.least - low.least).ok()?;
        let last = low.last().max(by + high.last());
        if last >= SPAN as usize {
            return None;
        }
        let mut bits = low.bits.clone();
        bits.resize(last / WORD + 1, 0);
        let (words, shift) = (by / WORD, by % WORD);
        for (at, word) in high.bits.iter().enumerate() {
            bits[at + words] |= word << shift;
            if shift > 0 && word >> (WORD - shift) != 0 {
                bits[at + words + 1] |= word >> (WORD - shift);
            }
        }
        Some(Dense { least: low.least, bits })
    }
}

/// Tests whether no sum of an integer from `least` to `greatest` with one of less than [`SPAN`] in size overflows.
fn has_room(least: i64, greatest: i64) -> bool {
    least.checked_sub(SPAN).is_some() && greatest.checked_add(SPAN).is_some()
}

fn set(bits: &mut SmallVec<[u64; 4]>, at: usize) {
    bits[at / WORD] |= 1 << (at % WORD);
}

/// The bits from position `by` on.
fn moved_down(bits: &[u64], by: usize) -> SmallVec<[u64; 4]> {
    let (words, shift) = (by / WORD, by % WORD);
    let word = |at: usize| bits.get(at).copied().unwrap_or(0);
    let mut moved: SmallVec<[u64; 4]> = (words..bits.len())
        .map(|at| if shift == 0 { word(at) } else { word(at) >> shift | word(at + 1) << (WORD - shift) })
        .collect();
    while moved.len() > 1 && moved.last() == Some(&0) {
        moved.pop();
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use std::collections::BTreeSet;

    fn scalars(values: &BTreeSet<i64>) -> ValueSet {
        ValueSet::of(values.iter().copied().map(Scalar::int))
    }

    /// Every operation does to the bits what it does to a plain set, and its result is in normal form.
    #[test]
    fn bits_are_sets() {
        let mut random = numbers(7);
        let mut below = |n: u64| random(n) as i64;
        for round in 0..2_000 {
            let span = [3, 64, 65, 300, 5000][round % 5];
            let from = below(400) - 200;
            let mut draw = |n: u64| -> BTreeSet<i64> { (0..n).map(|_| from + below(span)).collect() };
            let (a, b) = (draw(1 + round as u64 % 40), draw(round as u64 % 9));
            let (x, y) = (scalars(&a), scalars(&b));
            let (lo, hi) = (from + below(span), from + below(span));
            assert_eq!(x.union(&y), scalars(&(&a | &b)));
            assert_eq!(x.between(Some(&Int::small(lo)), Some(&Int::small(hi))), {
                scalars(&a.iter().copied().filter(|n| lo <= *n && *n <= hi).collect())
            });
            assert_eq!(x.between(None, Some(&Int::small(hi))), scalars(&a.range(..=hi).copied().collect()));
            assert_eq!(x.filter(|n| y.contains(n)), scalars(&(&a & &b)));
            assert_eq!(x.without(&Scalar::int(lo)), scalars(&a.iter().copied().filter(|n| *n != lo).collect()));
            assert_eq!(x.minus(&y), scalars(&(&a - &b)));
            let (least, last) = (lo.min(hi), lo.max(hi));
            let found = ValueSet::found(&KeySet::of(x.iter()), &Int::small(least), &Int::small(last));
            assert!(found.is_none_or(|found| found == scalars(&a.range(least..=last).copied().collect())));
            assert_eq!(x.len(), a.len());
            let near = ValueSet::neighbours(&Int::small(lo.min(hi)), &Int::small(lo.max(hi)));
            assert!(near.is_none_or(|near| near == scalars(&(lo.min(hi)..=lo.max(hi)).collect())));
            assert!(x.iter().eq(a.iter().copied().map(Scalar::int)));
            assert_eq!(
                (x.least(), x.greatest()),
                (a.first().copied().map(Scalar::int), a.last().copied().map(Scalar::int))
            );
        }
    }

    #[test]
    fn far_apart_or_other_values_are_listed() {
        let far = ValueSet::of([i64::MIN, i64::MAX].map(Scalar::int));
        assert!(matches!(far, Listed(_)) && far.contains(&Scalar::int(i64::MAX)));
        assert_eq!(ValueSet::of([i64::MAX, i64::MAX - 1].map(Scalar::int)).len(), 2);
        let texts = ValueSet::of(["a", "b"].map(Scalar::str));
        assert_eq!(texts.without(&Scalar::str("a")), ValueSet::of([Scalar::str("b")]));
    }
}
