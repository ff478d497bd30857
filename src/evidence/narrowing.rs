//! The search for the answers that a rejection needs, from the last one to the first. With more known answers a rejected event
//! stays rejected. So the search looks for the last answer such that it and the answers after it leave no explanation.
//!
//! ```text
//! ?  ?  ?  known  known  rejected        so nothing before matters
//! ?  ?  ?    ?    known  accepted        so the fourth is needed
//! ```

use std::convert::Infallible;

use crate::judge::least_above;

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
        let all = rest.len();
        let with_last = |last: usize| Ok(last == all || search.rejects(&[&needed, &rest[all - last..]].concat()));
        let Ok(last) = least_above::<Infallible>(0, all, with_last);
        let last = last.unwrap_or(all);
        let after = rest.split_off(all - last);
        needed.push(after[0]);
        rest = after[1..].to_vec();
    }
    (needed, Vec::new())
}
