//! The open configurations of a search, which are still to be followed: taken in the order of events, or the last one added first.
//!
//! ```text
//! branch 7, before event 12     Write(1) is served | Write(2) is served | …     the alternatives at a branch
//! ```

use std::collections::BTreeMap;

use super::configuration::{Branch, Configuration};
use super::forms::StateNumber;

/// Taken configurations stay in the list of additions until it is this much longer than twice the open ones: clearing fewer does not pay.
const FEW: usize = 1_024;

/// A configuration that is still to be followed.
pub(super) struct OpenConfiguration {
    pub(super) configuration: Configuration,
    /// Set if serving the request whose answer is seen next was tried already: only other requests are left to try.
    pub(super) rest: bool,
    /// Its number among all that were added.
    number: u64,
}

/// The configurations that are still to be followed.
#[derive(Default)]
pub(super) struct OpenConfigurations {
    /// The configurations before each event, in the order in which they were added.
    by_event: BTreeMap<usize, Vec<OpenConfiguration>>,
    last: u64,
    /// The order of additions, if the last one added is taken first.
    last_first: Option<LastFirst>,
}

/// The order in which the last configuration added is taken first.
#[derive(Default)]
struct LastFirst {
    /// The places of all configurations in the order in which they were added; some were taken since.
    added: Vec<Branch>,
    /// The number of open configurations.
    len: usize,
    /// The configuration that was chosen to be taken next, before the last one.
    next: Option<Branch>,
}

impl OpenConfigurations {
    /// No configurations yet; the last one added will be taken first.
    pub(super) fn last_first() -> OpenConfigurations {
        OpenConfigurations { last_first: Some(LastFirst::default()), ..OpenConfigurations::default() }
    }

    /// Adds a configuration before an event.
    pub(super) fn add(&mut self, at: usize, configuration: Configuration, rest: bool) {
        self.last += 1;
        let number = self.last;
        self.by_event.entry(at).or_default().push(OpenConfiguration { configuration, rest, number });
        if let Some(LastFirst { added, len, .. }) = &mut self.last_first {
            *len += 1;
            if added.len() > FEW + 2 * *len {
                added.retain(|place| position(&self.by_event, *place).is_some());
            }
            added.push(Branch { at, number });
        }
    }

    /// Tests whether no configuration is open.
    pub(super) fn is_empty(&self) -> bool {
        self.by_event.is_empty()
    }

    /// The first event before which a configuration is open.
    pub(super) fn first_event(&self) -> Option<usize> {
        self.by_event.first_key_value().map(|(at, _)| *at)
    }

    /// The open configurations, each with the event before which it is.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &Configuration)> {
        self.by_event.iter().flat_map(|(at, open)| open.iter().map(|open| (*at, &open.configuration)))
    }

    /// The states of the open configurations.
    pub(super) fn states(&self) -> impl Iterator<Item = StateNumber> {
        self.each().map(|(_, configuration)| configuration.state)
    }

    /// Drops the configurations before earlier events than this one.
    pub(super) fn drop_before(&mut self, at: usize) {
        while let Some(entry) = self.by_event.first_entry().filter(|entry| *entry.key() < at) {
            let dropped = entry.remove().len();
            self.last_first.iter_mut().for_each(|order| order.len -= dropped);
        }
    }

    /// Takes the next configuration, with the event before which it is.
    pub(super) fn take_next(&mut self) -> Option<(usize, OpenConfiguration)> {
        let Some(order) = &mut self.last_first else {
            let (at, open) = self.by_event.first_key_value()?;
            let place = Branch { at: *at, number: open.last()?.number };
            return self.take(place);
        };
        if let Some(place) = order.next.take()
            && let Some(taken) = self.take(place)
        {
            return Some(taken);
        }
        while let Some(place) = self.last_first.as_mut()?.added.pop() {
            if let Some(taken) = self.take(place) {
                return Some(taken);
            }
        }
        None
    }

    /// Chooses the configuration that is taken next, if the last one added would be.
    pub(super) fn choose(&mut self, place: Branch) {
        self.last_first.iter_mut().for_each(|order| order.next = Some(place));
    }

    /// The open alternatives to the request that was served at a branch.
    pub(super) fn alternatives(&self, branch: Branch) -> impl Iterator<Item = (Branch, &OpenConfiguration)> {
        let open = self.by_event.get(&branch.at).into_iter().flatten();
        let open = open.filter(move |open| open.configuration.branch == branch);
        open.map(move |open| (Branch { at: branch.at, number: open.number }, open))
    }

    fn take(&mut self, place: Branch) -> Option<(usize, OpenConfiguration)> {
        let position = position(&self.by_event, place)?;
        let open = self.by_event.get_mut(&place.at)?;
        let mut taken = open.remove(position);
        if open.is_empty() {
            self.by_event.remove(&place.at);
        }
        self.last_first.iter_mut().for_each(|order| order.len -= 1);
        // The requests that are left to try are alternatives at the same branch.
        if !taken.rest {
            taken.configuration.branch = place;
        }
        Some((place.at, taken))
    }
}

/// The position of an open configuration among those before its event.
fn position(by_event: &BTreeMap<usize, Vec<OpenConfiguration>>, Branch { at, number }: Branch) -> Option<usize> {
    by_event.get(&at)?.binary_search_by_key(&number, |open| open.number).ok()
}
