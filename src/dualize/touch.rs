//! The link between a request and what the server does by itself: a step sleeps until a request touches what it touches.
//!
//! If a step and a request touch different parts of the state (`footprint`), it makes no difference which of them comes
//! first. For example before `Touch("a")` it matters whether the session "a" has expired, and nothing else does.

use super::candidate::Candidate;
use crate::process::TouchedPart;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::term::Term;
use crate::value::{Substitution, Value};

/// Runs of steps that may have to do with each other: those of a component, or those of a component at one key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    pub(super) component: u32,
    /// The key, which is known; `None` is any.
    pub(super) key: Option<Value>,
}

impl Class {
    /// Tests whether all runs of another class are of this one.
    pub(super) fn contains(&self, other: &Class) -> bool {
        self.component == other.component && (self.key.is_none() || self.key == other.key)
    }

    /// The class of the runs that touch the same.
    pub(super) fn of(program: &Program, touched: &TouchedPart, candidate: &Candidate) -> Option<Class> {
        let component = program.component_of.get(touched.slot as usize).copied().flatten()?;
        let keyed = program.components[component as usize].keyed;
        let mut resolve = |term: &Term| Some(candidate.store.resolve(term));
        let known = |key: &Value| match key.is_known() {
            true => Some(key.clone()),
            false => Substitution::everywhere(&mut resolve).apply(key).filter(Value::is_known),
        };
        Some(Class { component, key: touched.key.as_ref().filter(|_| keyed).and_then(known) })
    }
}

/// A step with what it chooses first; `None` is anything.
#[derive(Clone, Debug)]
pub(super) struct Firing {
    pub(super) step: usize,
    /// The component that the step is of.
    pub(super) component: u32,
    pub(super) wanted: Option<Wanted>,
}

/// The runs of a step that are followed.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// The place where the step chooses.
    pub(super) site: Site,
    pub(super) choices: Choices,
}

/// The choices of a step that are followed there.
#[derive(Clone, Debug)]
pub(super) enum Choices {
    /// This.
    Only(Value),
    /// Nothing: what it could choose is listed; `None` where that is not known.
    Listed(Option<Vec<Value>>),
}

impl Choices {
    /// Adds what could be chosen to the list.
    pub(super) fn list(&mut self, elements: Option<Vec<Value>>) {
        if let Choices::Listed(listed) = self {
            *listed = listed.take().zip(elements).map(|(mut all, more)| {
                all.extend(more);
                all
            });
        }
    }
}
