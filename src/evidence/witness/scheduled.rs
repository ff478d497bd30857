//! The witness of an accepted history: the order in which its requests were served, and what the server chose for each.
//!
//! With its requests in the order of service, a history is a trace, and its witness is found and replayed as for any trace. If
//! nobody saw the answer to a request, this answer is a hole. Requests that were never served are not in the trace.
//!
//! ```text
//! 1 {"c":1,"q":5}   2 {"c":2,"q":3}   3 {"c":2,"a":0}   4 {"c":1,"a":1}      recorded
//! {"line":1,"after":1,…,"a":1}   {"line":2,"after":2,…,"a":0}               the request of line 1 is served first, after line 1
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;

use super::find::witness_in_parts;
use super::{Initial, Segment, WitnessError};
use crate::judge::Options;
use crate::search::History;
use crate::spec::Spec;

/// Finds a witness of a history with this order of service, and hands over its replayed parts. The search ends if `give` answers
/// with a break.
///
/// # Errors
/// If the order does not explain the history, or the values could not be found.
pub fn witness_of_order(
    spec: &Arc<Spec>,
    options: &Options,
    history: &History,
    order: &[(u64, u64)],
    give: &mut dyn FnMut(Segment) -> ControlFlow<()>,
) -> Result<Initial, WitnessError> {
    let exchanges = history.in_order(order);
    let moment = |place: u64| (place as usize).checked_sub(1).and_then(|place| order.get(place)).copied();
    let found = witness_in_parts(spec, options, &exchanges, &mut |mut segment| {
        for step in &mut segment.steps {
            if let Some((after, line)) = moment(step.line) {
                (step.after, step.line) = (Some(after), line);
            }
        }
        give(segment)
    });
    found.map_err(|error| match error {
        // A wrong order from the search is a bug, too.
        WitnessError::NotAccepted => {
            WitnessError::DoesNotReplay { line: 0, why: "no run serves the requests in this order".to_owned() }
        }
        WitnessError::DoesNotReplay { line, why } => {
            WitnessError::DoesNotReplay { line: moment(line).map_or(line, |(_, line)| line), why }
        }
        error => error,
    })
}
