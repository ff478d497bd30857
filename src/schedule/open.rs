//! The configurations that a search still has to follow: taken from the first event on, or the last one that was added first.
//!
//! ```text
//! branch 7, before event 12     Write(1) is served | Write(2) is served | …     the alternatives at a branch
//! ```

use std::collections::BTreeMap;

use super::configuration::{Branch, Configuration};
use super::forms::StateNumber;

/// Among so few additions it does not pay to look for those that were taken.
const FEW: usize = 1_024;

/// A configuration that is still to be followed.
pub(super) struct OpenConfiguration {
    pub(super) configuration: Configuration,
    /// Set where that request was served behind it whose answer is seen next: only others are.
    pub(super) rest: bool,
    /// Its number among all that were added.
    number: u64,
}

/// An open configuration: the event before which it is, and its number.
pub(super) type OpenPlace = (usize, u64);

/// The configurations that are still to be followed.
#[derive(Default)]
pub(super) struct OpenConfigurations {
    /// By the event before which they are, in the order in which they were added.
    by_event: BTreeMap<usize, Vec<OpenConfiguration>>,
    /// All in that order, some of which were taken since.
    added: Vec<OpenPlace>,
    last: u64,
    len: usize,
    /// The one that is taken next, of the last ones.
    next: Option<OpenPlace>,
}

impl OpenConfigurations {
    /// Adds one before an event.
    pub(super) fn add(&mut self, at: usize, configuration: Configuration, rest: bool) {
        self.last += 1;
        let open = OpenConfiguration { configuration, rest, number: self.last };
        self.by_event.entry(at).or_default().push(open);
        self.len += 1;
        if self.added.len() > FEW + 2 * self.len {
            let by_event = &self.by_event;
            self.added.retain(|place| position(by_event, *place).is_some());
        }
        self.added.push((at, self.last));
    }

    /// Tests whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first event before which there is one.
    pub(super) fn first_event(&self) -> Option<usize> {
        self.by_event.first_key_value().map(|(at, _)| *at)
    }

    /// Each, with the event before which it is.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &Configuration)> {
        self.by_event.iter().flat_map(|(at, open)| open.iter().map(|open| (*at, &open.configuration)))
    }

    /// The states in which they are.
    pub(super) fn states(&self) -> impl Iterator<Item = StateNumber> {
        self.each().map(|(_, configuration)| configuration.state)
    }

    /// Drops those before the events from this one on.
    pub(super) fn drop_before(&mut self, at: usize) {
        while let Some(entry) = self.by_event.first_entry().filter(|entry| *entry.key() < at) {
            self.len -= entry.remove().len();
        }
    }

    /// Takes one of the first event.
    pub(super) fn take_first(&mut self) -> Option<(usize, OpenConfiguration)> {
        let (at, open) = self.by_event.first_key_value()?;
        self.take((*at, open.last()?.number))
    }

    /// Takes the one that was chosen, or the last one that was added.
    pub(super) fn take_last(&mut self) -> Option<(usize, OpenConfiguration)> {
        if let Some(taken) = self.next.take().and_then(|place| self.take(place)) {
            return Some(taken);
        }
        while let Some(place) = self.added.pop() {
            if let Some(taken) = self.take(place) {
                return Some(taken);
            }
        }
        None
    }

    /// Chooses the one that is taken next.
    pub(super) fn choose(&mut self, place: OpenPlace) {
        self.next = Some(place);
    }

    /// The open alternatives to what was served at a branch.
    pub(super) fn alternatives(&self, branch: Branch) -> impl Iterator<Item = (OpenPlace, &OpenConfiguration)> {
        let open = self.by_event.get(&branch.at).into_iter().flatten();
        open.filter(move |open| open.configuration.branch == branch).map(move |open| ((branch.at, open.number), open))
    }

    fn take(&mut self, (at, number): OpenPlace) -> Option<(usize, OpenConfiguration)> {
        let position = position(&self.by_event, (at, number))?;
        let open = self.by_event.get_mut(&at)?;
        let mut taken = open.remove(position);
        if open.is_empty() {
            self.by_event.remove(&at);
        }
        self.len -= 1;
        // What is served behind the rest is an alternative to what was served behind it before.
        if !taken.rest {
            taken.configuration.branch = Branch { at, number };
        }
        Some((at, taken))
    }
}

/// The position of an open configuration among those before its event.
fn position(by_event: &BTreeMap<usize, Vec<OpenConfiguration>>, (at, number): OpenPlace) -> Option<usize> {
    by_event.get(&at)?.binary_search_by_key(&number, |open| open.number).ok()
}
