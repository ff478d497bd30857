//! The search for the answers that a rejection needs, from their end. If more answers are known, the event stays rejected. So the search
//! looks for the last answer such that it and the answers after it leave no explanation.
//!
//! ```text
//! ?  ?  ?  known  known  rejected        so nothing before matters
//! ?  ?  ?    ?    known  accepted        so the fourth is needed
//! ```

/// Questions about a rejection: which answers it needs.
pub(super) trait NeededSearch {
    /// Tests whether the event is still rejected with these answers; false if that was not found out.
    fn rejects(&mut self, known: &[usize]) -> bool;

    /// Tests whether nothing more is to be found out.
    fn is_spent(&self) -> bool;
}

/// The answers without which the event would not be rejected, and then those for which this was not found out.
pub(super) fn needed(search: &mut impl NeededSearch, answers: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let (mut needed, mut rest) = (Vec::new(), answers);
    while !rest.is_empty() && !search.rejects(&needed) {
        if search.is_spent() {
            return (needed, rest);
        }
        let mut with_last = |last: usize| search.rejects(&[&needed, &rest[rest.len() - last..]].concat());
        // The last `short` of the rest do not suffice, the last `long` do.
        let (mut short, mut long) = (0, 1);
        while long < rest.len() && !with_last(long) {
            (short, long) = (long, 2 * long);
        }
        let last = least_between(short, long.min(rest.len()), with_last);
        let behind = rest.split_off(rest.len() - last);
        needed.push(behind[0]);
        rest = behind[1..].to_vec();
    }
    (needed, Vec::new())
}

/// The least number that a test holds of, by bisection: above `short`, of which it does not hold, and up to `long`, of which it does.
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
