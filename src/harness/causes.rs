//! The causes of a campaign's failures: which failures are shown by one mistake of the system.
//!
//! `Head 412 (if_match Any, unmodified)` and `Get 412 (if_match Of, unmodified)` are one mistake if the server had to answer both by
//! the same `reply` of the specification. Two failures have one cause if
//!
//! * they are alike: the same requests and answers, and a statement in common ([`Failing::is_like`]), or
//! * the server had to answer by the same `reply` statements, and the requests have what the mistake needs. So if the server answers a
//!   `Get` as if it had no `if_match`, then it does so with a `Delete`. If something else is wrong, the answers must have one
//!   constructor, and the reasons a statement in common, or the request of one all optional parts of the other one. A statement that
//!   is possible for one only is no difference, as what is known of the state decides about it. Or
//! * the server answered as if the same earlier request had not been made: after `Put a "x"` and `Delete a` it answered `Get a` by
//!   `"x"`, and `List` by `["a"]`;
//! * both answers have the same status below 500, which the specification does not have for these requests; or
//! * the adapter complains in the same words, apart from numbers and quoted texts.

use std::cell::OnceCell;

use crate::coverage::Replies;
use crate::judge::{Exchange, Judge};
use crate::report::campaign::FailureKind;

use super::failure::{Failing, constructor, without_options, without_values};
use super::run::{Judging, LiveRun};

/// A failure with more exchanges is not looked at for a request that was answered as if it had not been made: each would be left out once.
const LEFT_OUT: usize = 8;

/// The least status that says that the server failed, so that each request with such an answer is a cause of its own.
const SERVER_ERROR: u16 = 500;

/// The causes that are known so far.
pub struct Causes<'j> {
    judging: &'j Judging,
    replies: OnceCell<Replies>,
    known: Vec<ShownCause>,
}

/// A failure, and the signs of the mistake that it shows.
struct ShownCause {
    failing: Failing,
    /// Looked for when they are needed first.
    signs: OnceCell<Signs>,
    /// The number of the failure in the report, from 0, if it is there.
    reported: Option<usize>,
}

/// The signs of a mistake in the script of a failure.
struct Signs {
    /// The exchanges before the failure and the one at which it shows, in an order of service; empty if none is known.
    exchanges: Vec<Exchange>,
    /// The statements by which the server may have answered instead; empty if they are not known.
    replies: Vec<usize>,
    /// True if everything is explained without the optional parts of the last request.
    ignores_options: bool,
    /// The constructor of the earlier request without which everything is explained, if nothing is without all optional parts of the
    /// last request, or without one of them.
    unmade: Option<String>,
}

/// A failure with a known cause.
pub struct SeenAgain {
    /// The number of the failure in the report, from 0, if it is there.
    pub reported: Option<usize>,
    /// The name of the cause, with the request and the answer of this failure.
    pub name: String,
}

impl<'j> Causes<'j> {
    /// The causes of these failures, which are not in the report.
    #[must_use]
    pub fn of(judging: &'j Judging, shown: &[Failing]) -> Causes<'j> {
        let known = shown.iter().map(|failing| ShownCause::new(failing.clone(), None)).collect();
        Causes { judging, replies: OnceCell::new(), known }
    }

    /// Adds the cause of a failure.
    pub fn add(&mut self, failing: Failing, reported: Option<usize>) {
        self.known.push(ShownCause::new(failing, reported));
    }

    /// Looks for the cause of a failure among the known ones.
    #[must_use]
    pub fn find(&self, failing: &Failing) -> Option<SeenAgain> {
        let alike = self.known.iter().find(|known| known.failing.is_like(failing));
        let known = alike.or_else(|| {
            let other = ShownCause::new(failing.clone(), None);
            self.known.iter().find(|known| self.are_one(known, &other))
        })?;
        let name = known.failing.cause_of(None, &failing.constructors);
        Some(SeenAgain { reported: known.reported, name })
    }

    /// Tests whether the violation of a run has a known cause, as far as this can be told without the reason, whose search may take
    /// longer than the run.
    #[must_use]
    pub fn has_violated(&self, run: &LiveRun, event: u64) -> bool {
        self.known.iter().any(|known| known.failing.is_violated_again(run, event))
    }

    fn signs<'c>(&self, cause: &'c ShownCause) -> &'c Signs {
        cause.signs.get_or_init(|| {
            let failing = &cause.failing;
            let exchanges = failing.exchanges(self.judging).unwrap_or_default();
            let replies = self.replies.get_or_init(|| Replies::of(&self.judging.spec)).possible(&exchanges);
            let ignores_options = !failing.options.is_empty() && self.are_ignored(&exchanges, |_| true);
            let ignores_one =
                || failing.names_of_options().into_iter().any(|one| self.are_ignored(&exchanges, |name| name == one));
            let unmade = if ignores_options || ignores_one() { None } else { self.unmade(&exchanges) };
            Signs { exchanges, replies, ignores_options, unmade }
        })
    }

    /// Tests whether exchanges are explained without some of the optional parts of the last request.
    fn are_ignored(&self, exchanges: &[Exchange], is_left_out: impl Fn(&str) -> bool) -> bool {
        let Some((last, before)) = exchanges.split_last() else { return false };
        let request = without_options(&self.judging.spec, &last.request, is_left_out);
        self.are_explained(before.iter().chain([&Exchange { request, ..last.clone() }]))
    }

    fn unmade(&self, exchanges: &[Exchange]) -> Option<String> {
        let (_, before) = exchanges.split_last().filter(|_| exchanges.len() <= LEFT_OUT)?;
        let is_rest_explained = |at: &usize| self.are_explained(before[..*at].iter().chain(&exchanges[at + 1..]));
        let unmade = (0..before.len()).rev().find(is_rest_explained)?;
        let spec = &self.judging.spec;
        constructor(spec, spec.program.request, &before[unmade].request)
    }

    fn are_explained<'e>(&self, mut exchanges: impl Iterator<Item = &'e Exchange>) -> bool {
        let Judging { spec, options, .. } = self.judging;
        let mut judge = Judge::new(spec.clone(), options.clone());
        exchanges.all(|exchange| judge.observe(exchange) && !judge.is_cut())
    }

    /// Tests whether two failures that are not alike show one mistake.
    fn are_one(&self, known: &ShownCause, other: &ShownCause) -> bool {
        let (own, failing) = (&known.failing, &other.failing);
        match (own.kind, failing.kind) {
            (FailureKind::Adapter, FailureKind::Adapter) => {
                without_values(&own.explanation.join("\n")) == without_values(&failing.explanation.join("\n"))
            }
            (FailureKind::Violation, FailureKind::Violation) if own.unfit.is_some() => {
                own.unfit == failing.unfit && own.unfit.as_ref().is_some_and(|unfit| unfit.status < SERVER_ERROR)
            }
            (FailureKind::Violation, FailureKind::Violation) => {
                let unmade = &self.signs(known).unmade;
                unmade.is_some() && *unmade == self.signs(other).unmade || self.are_one_choice(known, other)
            }
            _ => false,
        }
    }

    /// Tests whether the server had to make the same choice, and what it did instead is one mistake.
    fn are_one_choice(&self, known: &ShownCause, other: &ShownCause) -> bool {
        let (own, failing) = (&known.failing, &other.failing);
        let (names, others) = (own.names_of_options(), failing.names_of_options());
        let is_needed = match names.is_empty() {
            true => others.is_empty() && own.places.iter().any(|place| failing.places.contains(place)),
            false => names.is_subset(&others),
        };
        let is_ignored = || {
            let exchanges = &self.signs(other).exchanges;
            self.signs(known).ignores_options && self.are_ignored(exchanges, |name| names.contains(name))
        };
        is_needed
            && are_of_one_choice(&self.signs(known).replies, &self.signs(other).replies)
            && (own.answer == failing.answer || is_ignored())
    }
}

impl ShownCause {
    fn new(failing: Failing, reported: Option<usize>) -> ShownCause {
        ShownCause { failing, signs: OnceCell::new(), reported }
    }
}

/// Tests whether one of these has all statements of the other one.
fn are_of_one_choice(one: &[usize], other: &[usize]) -> bool {
    let within = |some: &[usize], all: &[usize]| !some.is_empty() && some.iter().all(|reply| all.contains(reply));
    within(one, other) || within(other, one)
}
