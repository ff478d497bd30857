//! The search for the answers that a rejection needs, from the last one to the first. With more known answers a rejected event
//! stays rejected. So the search looks for the last answer such that it and the answers after it leave no explanation.
//!
//! ```text
//! ?  ?  ?  known  known  rejected        so nothing before matters
//! ?  ?  ?    ?    known  accepted        so the fourth is needed
//! ```

use std::convert::Infallible;

use crate::judge::least_above;

/// The answers without which the event would not be rejected, and then the answers for which this was not found out. `rejects` tests
/// whether the event is still rejected if these answers are known; false if this was not found out. `is_spent` tests whether further
/// questions are not worth asking.
pub(super) fn needed<S>(
    search: &mut S,
    is_spent: impl Fn(&S) -> bool,
    mut rejects: impl FnMut(&mut S, &[usize]) -> bool,
    answers: Vec<usize>,
) -> (Vec<usize>, Vec<usize>) {
    let (mut needed, mut rest) = (Vec::new(), answers);
    while !rest.is_empty() && !rejects(search, &needed) {
        if is_spent(search) {
            return (needed, rest);
        }
        let all = rest.len();
        let with_last = |last: usize| Ok(last == all || rejects(search, &[&needed, &rest[all - last..]].concat()));
        let Ok(last) = least_above::<Infallible>(0, all, with_last);
        let last = last.unwrap_or(all);
        let after = rest.split_off(all - last);
        needed.push(after[0]);
        rest = after[1..].to_vec();
    }
    (needed, Vec::new())
}
