//! Uniting texts that no answer shows: it makes no difference which of them the server holds.
//!
//! ```text
//! seen later: "ab", "abc"       "a", "ab"        are prefixes of one of these: kept apart
//!                               "b", "ba", "aa"  are prefixes of none, whatever is added to them: one state
//! ```
//!
//! If many clients add to one text at once, there are as many texts as orders, and no answer shows nearly all of them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::OrderRules;
use crate::judge::Candidate;
use crate::scalar::Scalar;
use crate::search::forms::{StateForm, StateNumber, state_form};
use crate::search::history::History;
use crate::spec::Spec;
use crate::spec::analysis::shown::shown;
use crate::value::{Entry, Map, Value};

/// The patience with forms of requests whose answers were not seen.
const PATIENCE_FOR_FORMS: u64 = 64;
/// The entries of a map that are united with those of another.
const ENTRIES: usize = 64;

/// The use that a search makes of states that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Likeness {
    /// The first state stands for all that are like it; the state at the end of an order may be another one in fact.
    One,
    /// Each state stands for itself, but is not followed if one like it was met; an order leads to the state at its end.
    Covered,
}

/// The texts that the answers of a history show, and the text that stands for all others.
pub(crate) struct UnseenTexts {
    pub(crate) likeness: Likeness,
    /// The texts in answers.
    seen: Vec<Arc<str>>,
    /// The variables whose texts are only kept, added to and shown; `None` before they are first needed.
    variables: Option<Vec<usize>>,
    /// The first text that was met that is a prefix of none of them.
    unseen: Option<Arc<str>>,
    /// No states count as alike before this many requests were run.
    patience: u64,
    /// The first state of each form, with one text in the place of all unseen ones; `first` has the first state like each state.
    forms: FxHashMap<StateForm, StateNumber>,
    first: FxHashMap<StateNumber, StateNumber>,
    /// Set if states were found alike.
    pub(crate) has_united: bool,
}

impl UnseenTexts {
    /// The texts of a history; `None` if the texts in an answer cannot be listed.
    pub(crate) fn of(history: &History, rules: OrderRules, likeness: Likeness) -> Option<UnseenTexts> {
        let mut seen = Vec::new();
        let mut answers = history.requests.iter().filter_map(|request| request.exchange.observed.answer());
        let is_known = rules.uses_all_rules() && answers.all(|answer| add_texts(answer, &mut seen).is_some());
        let patience = rules.patience().min(PATIENCE_FOR_FORMS);
        let (forms, first) = (FxHashMap::default(), FxHashMap::default());
        let (variables, unseen, has_united) = (None, None, false);
        is_known.then_some(UnseenTexts { likeness, seen, variables, unseen, patience, forms, first, has_united })
    }

    /// These texts, for a search that begins after this many requests were run.
    pub(crate) fn after(self, runs: u64) -> UnseenTexts {
        UnseenTexts { patience: self.patience.saturating_add(runs), ..self }
    }

    /// Tests whether it pays to look for states that are alike, after this many requests were run.
    pub(crate) fn is_due(&self, runs: u64) -> bool {
        runs >= self.patience
    }

    /// The first state that was looked up and differs from this one, with these candidates, only in texts that no answer shows.
    pub(crate) fn first_like(&mut self, spec: &Spec, state: StateNumber, candidates: &[Candidate]) -> StateNumber {
        if let Some(known) = self.first.get(&state) {
            return *known;
        }
        let variables = self.variables.take().unwrap_or_else(|| self.prepared(spec));
        let mut united = if variables.is_empty() { Vec::new() } else { candidates.to_vec() };
        for candidate in &mut united {
            for variable in &variables {
                if let Some(united) = self.united(&candidate.process.memory[*variable]) {
                    candidate.process.memory[*variable] = united;
                }
            }
        }
        self.variables = Some(variables);
        if united.is_empty() {
            return state;
        }
        let first = *self.forms.entry(state_form(&united)).or_insert(state);
        self.first.insert(state, first);
        self.has_united |= first != state;
        first
    }

    /// Forgets all states but those that are needed.
    pub(crate) fn keep(&mut self, is_needed: impl Fn(StateNumber) -> bool) {
        self.forms.retain(|_, first| is_needed(*first));
        self.first.retain(|state, first| is_needed(*state) && is_needed(*first));
    }

    /// The variables whose texts are only kept, added to and shown; sorts the seen texts.
    fn prepared(&mut self, spec: &Spec) -> Vec<usize> {
        self.seen.sort_unstable();
        self.seen.dedup();
        shown(spec).iter().zip(0..).filter(|(shown, _)| **shown).map(|(_, at)| at).collect()
    }

    /// A value with one text in the place of all unseen ones; `None` if it has none.
    fn united(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::Scalar(Scalar::Str(text)) if self.is_unseen(text) => {
                let unseen = self.unseen.get_or_insert_with(|| text.clone());
                (unseen != text).then(|| Value::Scalar(Scalar::Str(unseen.clone())))
            }
            Value::Data { tag, fields: Some(fields), .. } => {
                let united: Vec<Option<Value>> = fields.iter().map(|field| self.united(field)).collect();
                let both = || united.iter().zip(fields.iter()).map(|(new, old)| new.as_ref().unwrap_or(old).clone());
                united.iter().any(Option::is_some).then(|| Value::data(*tag, both().collect::<Vec<_>>()))
            }
            Value::Map(map) if map.bound() <= ENTRIES => self.united_entries(map).map(Value::Map),
            _ => None,
        }
    }

    fn united_entries(&mut self, map: &Map) -> Option<Map> {
        let entries: Vec<(&Value, &Entry)> = map.entries().ok()?;
        let united = entries
            .into_iter()
            .filter_map(|(key, entry)| Some((key, Entry { value: self.united(&entry.value)?, ..entry.clone() })));
        let united: Vec<(&Value, Entry)> = united.collect();
        let mut new = map.clone();
        let is_changed = !united.is_empty();
        united.into_iter().for_each(|(key, entry)| new.set_in_place(key, Some(entry)));
        is_changed.then_some(new)
    }

    /// Tests whether a text is a prefix of no text in an answer.
    fn is_unseen(&self, text: &str) -> bool {
        let next = self.seen.partition_point(|seen| seen.as_ref() < text);
        self.seen.get(next).is_none_or(|seen| !seen.starts_with(text))
    }
}

/// Adds the texts in a value, including keys of maps; `None` if they cannot be listed.
fn add_texts(value: &Value, texts: &mut Vec<Arc<str>>) -> Option<()> {
    match value {
        Value::Scalar(Scalar::Str(text)) => texts.push(text.clone()),
        Value::Scalar(_) | Value::Any => {}
        Value::Data { .. } => value.fields().iter().try_for_each(|field| add_texts(field, texts))?,
        Value::List(list) => list.iter().try_for_each(|element| add_texts(element, texts))?,
        Value::Map(map) => {
            for (key, entry) in map.entries().ok()? {
                add_texts(key, texts)?;
                add_texts(&entry.value, texts)?;
            }
        }
        _ => return None,
    }
    Some(())
}
