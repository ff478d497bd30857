//! The open configurations of a search, which are still to be followed.
//!
//! ```text
//! branch 7, before event 12     Write(1) is served | Write(2) is served | …     the alternatives at a branch
//! ```

use std::collections::BTreeMap;

use super::configuration::{Branch, Configuration};
use super::forms::StateNumber;

/// Taken configurations stay in the list of the deepest until it is this much longer than twice the open ones: clearing fewer does not pay.
const FEW: usize = 1_024;

/// The two orders in which open configurations are taken out.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TakenFirst {
    /// One before the earliest event: all explanations of the events so far go on together.
    Earliest,
    /// The last one that was found deepest first, so that one explanation goes as far as it can; if there is none, one before the latest
    /// event.
    #[default]
    Deepest,
}

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
    /// The number of open configurations, and the number of the last one that was added.
    len: usize,
    last: u64,
    /// The places of those that were found deepest first, in the order in which they were added; some were taken since.
    deepest: Vec<Branch>,
    /// The configuration that was chosen to be taken before the deepest one.
    next: Option<Branch>,
    /// The order in which the last configuration was taken out: those that are added are found from it.
    taken: TakenFirst,
}

impl OpenConfigurations {
    /// Adds a configuration before an event.
    pub(super) fn add(&mut self, at: usize, configuration: Configuration, rest: bool) {
        self.last += 1;
        self.len += 1;
        let number = self.last;
        self.by_event.entry(at).or_default().push(OpenConfiguration { configuration, rest, number });
        if self.taken == TakenFirst::Deepest {
            if self.deepest.len() > FEW + 2 * self.len {
                self.deepest.retain(|place| position(&self.by_event, *place).is_some());
            }
            self.deepest.push(Branch { at, number });
        }
    }

    /// The first event before which a configuration is open.
    pub(super) fn first_event(&self) -> Option<usize> {
        self.by_event.first_key_value().map(|(at, _)| *at)
    }

    /// The states of the open configurations.
    pub(super) fn states(&self) -> impl Iterator<Item = StateNumber> {
        self.by_event.values().flatten().map(|open| open.configuration.state)
    }

    /// Takes a configuration out, with the event before which it is.
    pub(super) fn take(&mut self, first: TakenFirst) -> Option<(usize, OpenConfiguration)> {
        self.taken = first;
        match first {
            TakenFirst::Earliest => self.take_out(last_of(self.by_event.first_key_value()?)?),
            TakenFirst::Deepest => {
                if let Some(taken) = self.next.take().and_then(|place| self.take_out(place)) {
                    return Some(taken);
                }
                while let Some(place) = self.deepest.pop() {
                    if let Some(taken) = self.take_out(place) {
                        return Some(taken);
                    }
                }
                self.take_out(last_of(self.by_event.last_key_value()?)?)
            }
        }
    }

    /// One of the open configurations before the earliest event. Numbers that follow each other give ones that are far apart.
    pub(super) fn earliest(&self, number: u64) -> Option<Branch> {
        let (at, open) = self.by_event.first_key_value()?;
        // The golden ratio spreads its multiples evenly.
        let spread = u128::from(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let chosen = open.get(((spread * open.len() as u128) >> 64) as usize)?;
        Some(Branch { at: *at, number: chosen.number })
    }

    /// Chooses the configuration that is taken next, if the deepest one would be.
    pub(super) fn choose(&mut self, place: Branch) {
        self.next = Some(place);
    }

    /// The open alternatives to the request that was served at a branch.
    pub(super) fn alternatives(&self, branch: Branch) -> impl Iterator<Item = (Branch, &OpenConfiguration)> {
        let open = self.by_event.get(&branch.at).into_iter().flatten();
        let open = open.filter(move |open| open.configuration.branch == branch);
        open.map(move |open| (Branch { at: branch.at, number: open.number }, open))
    }

    fn take_out(&mut self, place: Branch) -> Option<(usize, OpenConfiguration)> {
        let position = position(&self.by_event, place)?;
        let open = self.by_event.get_mut(&place.at)?;
        let mut taken = open.remove(position);
        if open.is_empty() {
            self.by_event.remove(&place.at);
        }
        self.len -= 1;
        // The requests that are left to try are alternatives at the same branch.
        if !taken.rest {
            taken.configuration.branch = place;
        }
        Some((place.at, taken))
    }
}

/// The place of the last configuration that was added before an event.
fn last_of((at, open): (&usize, &Vec<OpenConfiguration>)) -> Option<Branch> {
    Some(Branch { at: *at, number: open.last()?.number })
}

/// The position of an open configuration among those before its event.
fn position(by_event: &BTreeMap<usize, Vec<OpenConfiguration>>, Branch { at, number }: Branch) -> Option<usize> {
    by_event.get(&at)?.binary_search_by_key(&number, |open| open.number).ok()
}
