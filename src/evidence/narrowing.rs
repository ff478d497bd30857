//! The search for the answers that a rejection needs, from the last one to the first. With more known answers a rejected event
//! stays rejected. So the search looks for the last answer such that it and the answers after it leave no explanation.
//!
//! ```text
//! ?  ?  ?  known  known  rejected        so nothing before matters
//! ?  ?  ?    ?    known  accepted        so the fourth is needed
//! ```

/// The questions that find the needed answers of a rejection.
pub(super) trait NeededSearch {
    /// Tests whether the event is still rejected if these answers are known; false if this was not found out.
    fn rejects(&mut self, known: &[usize]) -> bool;

    /// Tests whether the budget is spent, so that further questions are not worth asking.
    fn is_spent(&self) -> bool;
}

/// The answers without which the event would not be rejected, and then the answers for which this was not found out.
pub(super) fn needed(search: &mut impl NeededSearch, answers: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let (mut needed, mut rest) = (Vec::new(), answers);
    while !rest.is_empty() && !search.rejects(&needed) {
        if search.is_spent() {
            return (needed, rest);
        }
        let mut with_last = |last: usize| search.rejects(&[&needed, &rest[rest.len() - last..]].concat());
        // The last `short` answers of the rest do not suffice, and the last `long` do.
        let (mut short, mut long) = (0, 1);
        while long < rest.len() && !with_last(long) {
            (short, long) = (long, 2 * long);
        }
        let last = least_between(short, long.min(rest.len()), with_last);
        let after = rest.split_off(rest.len() - last);
        needed.push(after[0]);
        rest = after[1..].to_vec();
    }
    (needed, Vec::new())
}

/// The least number for which a test holds, by bisection. The test does not hold for `short`, and holds for `long`.
pub(super) fn least_between(mut short: usize, mut long: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    while short + 1 < long {
        let middle = short.midpoint(long);
        if holds(middle) {
            long = middle;
        } else {
            short = middle;
        }
    }
    long
}
