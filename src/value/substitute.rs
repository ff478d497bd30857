//! Substitution in the terms inside values, and visitors of their terms and variables.

use std::sync::Arc;

use super::map::Scope;
use super::unknown::rewritten;
use super::{Alternatives, List, OpenItem, OpenList, Optional, Truth, Unseen, Value, optional};
use crate::scalar::Scalar;
use crate::term::{Term, Var};

/// A list of more elements than this is walked only by a substitution everywhere, not by one in pending writes.
const WALKED: usize = 32;

/// A symbolic leaf of a value.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'v> {
    /// A term.
    Term(&'v Term),
    /// The guards of alternatives, each with its value.
    Guards(&'v [(Term, Value)]),
}

/// A function on terms that is applied throughout a value; it gives `None` for a term that stays.
pub struct Substitution<'a> {
    term: &'a mut dyn FnMut(&Term) -> Option<Term>,
    scope: Scope,
}

impl<'a> Substitution<'a> {
    /// Applies a function to every term.
    pub fn everywhere(term: &'a mut dyn FnMut(&Term) -> Option<Term>) -> Substitution<'a> {
        Substitution { term, scope: Scope::Everything }
    }

    /// Applies a function to the terms outside of collections, in short lists and in pending writes of maps, but not in long lists and
    /// placed entries: its cost does not grow with the collections.
    pub fn pending(term: &'a mut dyn FnMut(&Term) -> Option<Term>) -> Substitution<'a> {
        Substitution { term, scope: Scope::Pending }
    }

    /// The rewritten value, or `None` if nothing changed, so that shared nodes stay shared.
    pub fn apply(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::Scalar(_) | Value::Absent | Value::Data { fields: None, .. } => None,
            Value::Unknown(_) | Value::Any => None,
            Value::Term(term) => (self.term)(term).map(Value::of_term),
            Value::Data { tag, fields: Some(fields), .. } => {
                rewritten(fields.iter(), |value| self.apply(value)).map(|fields| Value::data(*tag, fields))
            }
            Value::List(list) => self.list(list).map(Value::List),
            Value::Open(list) => self.open_list(list).map(Value::sequence),
            Value::Map(map) => {
                let scope = self.scope;
                map.rewrite(&mut |value| self.apply(value), scope).map(Value::Map)
            }
            Value::Union(alternatives) => self.union(alternatives),
        }
    }

    /// Rewrites a value in place. A map that is not shared is not copied.
    pub fn apply_in_place(&mut self, value: &mut Value) {
        if let Value::Map(map) = value {
            let scope = self.scope;
            map.rewrite_in_place(&mut |value| self.apply(value), scope);
        } else if let Some(rewritten) = self.apply(value) {
            *value = rewritten;
        }
    }

    /// The rewritten list, or `None` if nothing changed. Like the entries of maps, long lists are not walked in the pending scope.
    fn list(&mut self, list: &Arc<List>) -> Option<Arc<List>> {
        if self.scope == Scope::Pending && list.len() > WALKED {
            return None;
        }
        let changes: Vec<(usize, Value)> =
            list.iter().enumerate().filter_map(|(at, value)| Some((at, self.apply(value)?))).collect();
        if changes.is_empty() {
            return None;
        }
        let mut rewritten = list.clone();
        let target = Arc::make_mut(&mut rewritten);
        for (at, value) in changes {
            target.set(at, value);
        }
        Some(rewritten)
    }

    fn open_list(&mut self, list: &OpenList) -> Option<OpenList> {
        if self.scope == Scope::Pending && list.len() > WALKED {
            return None;
        }
        let mut changes = Vec::new();
        for (at, item) in list.iter().enumerate() {
            let change = match item {
                OpenItem::One(value) => self.apply(value).map(|value| Some(OpenItem::One(value))),
                OpenItem::Maybe(optional) => self.optional(optional),
                OpenItem::Rest(rest) => (self.term)(&rest.length)
                    .map(|length| Some(OpenItem::Rest(Arc::new(Unseen { unknown: rest.unknown, length })))),
            };
            changes.extend(change.map(|change| (at, change)));
        }
        (!changes.is_empty()).then(|| optional::changed(list, changes))
    }

    /// The rewritten optional element: `Some(None)` if it turns out not to be present, `None` if nothing changed.
    fn optional(&mut self, optional: &Optional) -> Option<Option<OpenItem>> {
        let presence = (self.term)(&optional.presence);
        if presence.as_ref().and_then(Term::as_bool) == Some(false) {
            return Some(None);
        }
        let value = self.apply(&optional.value);
        if presence.is_none() && value.is_none() {
            return None;
        }
        let presence = presence.unwrap_or_else(|| optional.presence.clone());
        Some(OpenItem::under(Truth::of(presence), value.unwrap_or_else(|| optional.value.clone())))
    }

    fn union(&mut self, alternatives: &Alternatives) -> Option<Value> {
        let mut rewritten: Option<Vec<(Term, Value)>> = None;
        for (at, (guard, value)) in alternatives.iter().enumerate() {
            let new_guard = (self.term)(guard);
            let known = new_guard.as_ref().and_then(Term::as_bool);
            if known == Some(true) {
                // The guards of the other alternatives exclude this one.
                return Some(self.apply(value).unwrap_or_else(|| value.clone()));
            }
            let new_value = if known == Some(false) { None } else { self.apply(value) };
            if rewritten.is_none() && (new_guard.is_some() || new_value.is_some()) {
                rewritten = Some(alternatives[..at].to_vec());
            }
            if let (Some(list), None) = (&mut rewritten, known) {
                list.push((new_guard.unwrap_or_else(|| guard.clone()), new_value.unwrap_or_else(|| value.clone())));
            }
        }
        rewritten.map(|pairs| alternatives.read_like(pairs))
    }
}

#[doc(hidden)]
impl Value {
    /// Tests whether the value has a term other than a variable, outside of collections.
    #[must_use]
    pub fn has_computed(&self) -> bool {
        match self {
            Value::Term(term) => term.as_var().is_none(),
            Value::Data { .. } => self.fields().iter().any(Value::has_computed),
            Value::Union(alternatives) => {
                alternatives.iter().any(|(guard, value)| guard.as_var().is_none() || value.has_computed())
            }
            Value::Scalar(_) | Value::Absent | Value::Unknown(_) | Value::Any => false,
            Value::List(_) | Value::Open(_) | Value::Map(_) => false,
        }
    }

    /// Tests whether every term in the value is a variable or a negated one, and the value has no collection in it.
    pub(super) fn has_only_variables(&self) -> bool {
        match self {
            Value::Term(term) => term.is_literal(),
            Value::Data { .. } => self.fields().iter().all(Value::has_only_variables),
            Value::Union(alternatives) => {
                alternatives.iter().all(|(guard, value)| guard.is_literal() && value.has_only_variables())
            }
            Value::Scalar(_) | Value::Absent | Value::Unknown(_) | Value::Any => true,
            Value::List(_) | Value::Open(_) | Value::Map(_) => false,
        }
    }

    /// Tests whether the value has a term, outside of collections.
    #[must_use]
    pub fn has_terms(&self) -> bool {
        match self {
            Value::Term(_) | Value::Union(_) => true,
            Value::Data { .. } => self.fields().iter().any(Value::has_terms),
            Value::Scalar(_) | Value::Absent | Value::Unknown(_) | Value::Any => false,
            Value::List(_) | Value::Open(_) | Value::Map(_) => false,
        }
    }

    /// Calls a function on every term inside, guards and presence conditions included.
    pub fn visit_terms(&self, visit: &mut dyn FnMut(&Term)) {
        self.visit_leaves(&mut |leaf| match leaf {
            Leaf::Term(term) => visit(term),
            Leaf::Guards(alternatives) => alternatives.iter().for_each(|(guard, _)| visit(guard)),
        });
    }

    /// Calls a function on every symbolic leaf inside, guards and presence conditions included; returns the number of values that were
    /// walked.
    pub fn visit_leaves(&self, visit: &mut dyn FnMut(Leaf<'_>)) -> u32 {
        match self {
            Value::Scalar(_) | Value::Absent | Value::Unknown(_) | Value::Any => 1,
            Value::Term(term) => {
                visit(Leaf::Term(term));
                1
            }
            Value::Data { .. } => 1 + self.fields().iter().map(|field| field.visit_leaves(visit)).sum::<u32>(),
            Value::List(list) => 1 + list.iter().map(|element| element.visit_leaves(visit)).sum::<u32>(),
            Value::Open(list) => {
                let mut walked = 1;
                for item in list.iter().map(OpenItem::look) {
                    item.presence()
                        .or(item.rest().map(|rest| &rest.length))
                        .into_iter()
                        .for_each(|term| visit(Leaf::Term(term)));
                    walked += item.value().map_or(1, |value| value.visit_leaves(visit));
                }
                walked
            }
            Value::Map(map) => {
                let visit = std::cell::RefCell::new(visit);
                let mut walked = 1;
                map.visit(&mut |value| walked += value.visit_leaves(&mut **visit.borrow_mut()), &mut |term| {
                    (visit.borrow_mut())(Leaf::Term(term));
                });
                walked
            }
            Value::Union(alternatives) => {
                visit(Leaf::Guards(alternatives));
                1 + alternatives.iter().map(|(_, value)| value.visit_leaves(visit)).sum::<u32>()
            }
        }
    }

    /// Calls a function on every known scalar inside, keys of maps included. Open lists, and maps whose entries cannot be listed, are
    /// left out.
    pub fn visit_scalars<'v>(&'v self, visit: &mut dyn FnMut(&'v Scalar)) {
        match self {
            Value::Scalar(scalar) => visit(scalar),
            Value::Data { .. } => self.fields().iter().for_each(|field| field.visit_scalars(visit)),
            Value::List(list) => list.iter().for_each(|element| element.visit_scalars(visit)),
            Value::Map(map) => {
                for (key, entry) in map.entries().unwrap_or_default() {
                    key.visit_scalars(visit);
                    entry.value.visit_scalars(visit);
                }
            }
            _ => {}
        }
    }

    /// Calls a function on every variable inside, perhaps more than once.
    pub fn visit_variables(&self, visit: &mut dyn FnMut(Var)) {
        self.visit_terms(&mut |term| term.vars(&mut |var| visit(var)));
    }

    /// The value after a condition was decided: guards, presences and pending comparisons that are this condition are gone.
    #[must_use]
    pub fn decide(&self, condition: &Term, truth: bool) -> Value {
        if let Value::Open(list) = self {
            return optional::decided(list, condition, truth).map_or_else(|| self.clone(), Value::sequence);
        }
        let negated = Term::not(condition);
        let constant = |holds: bool| Some(Term::constant(Scalar::Bool(holds)));
        let mut decide = |term: &Term| {
            if term == condition {
                constant(truth)
            } else if *term == negated {
                constant(!truth)
            } else {
                None
            }
        };
        let decided = Substitution::everywhere(&mut decide).apply(self).unwrap_or_else(|| self.clone());
        decided.decide_maps(condition, truth)
    }

    fn decide_maps(&self, condition: &Term, truth: bool) -> Value {
        let decide = |value: &Value| value.decide_maps(condition, truth);
        match self {
            Value::Map(map) => Value::Map(map.decide(condition, truth).with_values(&decide)),
            Value::Data { tag, fields: Some(fields), .. } => {
                Value::data(*tag, fields.iter().map(decide).collect::<Vec<_>>())
            }
            Value::List(list) => Value::list(list.iter().map(decide)),
            Value::Open(_) => self.decide(condition, truth),
            Value::Union(alternatives) => {
                let decided = alternatives.iter().map(|(guard, value)| (guard.clone(), decide(value)));
                alternatives.read_like(decided.collect())
            }
            Value::Scalar(_) | Value::Term(_) | Value::Absent | Value::Data { fields: None, .. } => self.clone(),
            Value::Unknown(_) | Value::Any => self.clone(),
        }
    }
}
