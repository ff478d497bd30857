//! The facts about the requests of a history before any order of them is tried.
//!
//! A read that saw 5 changes nothing in any state, whoever sent it: the facts are those of its kind, which is a request with its answer.

use super::OrderRules;
use crate::search::history::{History, Request};
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;

/// The facts about a history that searches in it share.
pub(crate) struct HistoryFacts<'h> {
    pub(crate) history: &'h History,
    /// For each kind of request, `true` if it changes nothing in any state in which it gets its answer.
    pub(crate) changes_nothing: &'h [bool],
    /// The rules that leave out orders.
    pub(crate) rules: OrderRules,
}

/// The first `end` events of a history: answers after these events are not known.
#[derive(Clone, Copy)]
pub(crate) struct FirstEvents<'h> {
    pub(crate) known: &'h HistoryFacts<'h>,
    pub(crate) end: usize,
}

impl<'h> FirstEvents<'h> {
    pub(crate) fn about(self, request: usize) -> &'h Request {
        &self.known.history.requests[request]
    }
}

/// For each kind of request in a history, `true` if it changes nothing in any state in which it gets its answer.
pub(crate) fn changing_nothing(spec: &Spec, history: &History) -> Vec<bool> {
    let mut facts = RequestFacts::new(&spec.program);
    let mut changes_nothing: Vec<Option<bool>> = vec![None; history.kinds];
    for Request { kind, unseen, exchange, .. } in &history.requests {
        for (kind, answer) in [(*kind, exchange.observed.answer()), (*unseen, None)] {
            changes_nothing[kind as usize].get_or_insert_with(|| facts.changes_nothing(&exchange.request, answer));
        }
    }
    changes_nothing.into_iter().map(Option::unwrap_or_default).collect()
}

/// For each kind of request in a history, `true` if it changes nothing, and cannot fail, in any state.
pub(crate) fn harmless(spec: &Spec, history: &History) -> Vec<bool> {
    let mut facts = RequestFacts::new(&spec.program);
    let mut harmless = changing_nothing(spec, history);
    for Request { kind, unseen, exchange, .. } in &history.requests {
        let fails = facts.may_fail(&exchange.request);
        [kind, unseen].into_iter().for_each(|kind| harmless[*kind as usize] &= !fails);
    }
    harmless
}

impl HistoryFacts<'_> {
    pub(crate) fn changes_nothing(&self, request: usize, end: usize) -> bool {
        self.changes_nothing[self.history.requests[request].kind(end) as usize]
    }

    /// Tests whether it matters that a request is served: not if nobody sees its answer and it changes nothing.
    pub(crate) fn matters(&self, request: usize, end: usize) -> bool {
        let about = &self.history.requests[request];
        let is_used = about.is_owed(end) || about.chained || !self.rules.uses_all_rules();
        is_used || !self.changes_nothing(request, end)
    }
}
