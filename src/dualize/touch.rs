//! The link between a request and what the server does by itself: a step sleeps until a request touches what it touches.
//!
//! If a step and a request touch different parts of the state (`footprint`), it makes no difference which of them comes
//! first. For example before `Touch("a")` it matters whether the session "a" has expired, and nothing else does.

use super::candidate::Candidate;
use super::frontier::Judge;
use crate::process::Touched;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::{self, Substitution, Truth, Value};

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
    fn of(program: &Program, touched: &Touched, candidate: &Candidate) -> Option<Class> {
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

/// The classes that the runs of a request touch.
#[derive(Clone, Default, Debug)]
pub(super) struct Watch(pub(super) Vec<Class>);

/// Which runs of a step are followed.
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
    fn list(&mut self, elements: Option<Vec<Value>>) {
        if let Choices::Listed(listed) = self {
            *listed = listed.take().zip(elements).map(|(mut all, more)| {
                all.extend(more);
                all
            });
        }
    }
}

impl Judge {
    /// The wanted choice of a step from a collection, which is assumed to be there, or what it could choose is listed; nothing where
    /// that is not known, or the choice is another one.
    pub(super) fn wanted_element(
        &mut self,
        candidate: &mut Candidate,
        over: &Value,
        site: Site,
    ) -> Option<Result<Value, Infeasible>> {
        let wanted = self.wanted.as_mut().filter(|wanted| wanted.site == site)?;
        let elements = value::elements(over).ok().filter(|all| all.iter().all(|(_, element)| element.is_known()));
        match &wanted.choices {
            Choices::Only(only) => {
                let only = only.clone();
                let there =
                    elements?.into_iter().filter(|(_, element)| *element == only).map(|(there, _)| there.truth());
                let there = there.fold(Truth::Known(false), Truth::or);
                Some(candidate.require(there, None, &mut self.solver).map(|()| only))
            }
            Choices::Listed(_) => {
                wanted.choices.list(elements.map(|all| all.into_iter().map(|(_, element)| element).collect()));
                Some(Err(Infeasible))
            }
        }
    }

    /// Follows a choice of a step only where it is the wanted one.
    pub(super) fn want(&mut self, candidate: &mut Candidate, chosen: &Value, site: Site) -> Result<(), Infeasible> {
        let Some(wanted) = self.wanted.as_mut().filter(|wanted| wanted.site == site) else { return Ok(()) };
        match &wanted.choices {
            Choices::Only(only) => {
                let condition = value::equal(chosen, only).unwrap_or(Truth::Known(true));
                candidate.require(condition, None, &mut self.solver)
            }
            Choices::Listed(_) => {
                wanted.choices.list(None);
                Err(Infeasible)
            }
        }
    }

    /// Tests whether a step is followed with one of several elements.
    pub(super) fn wants(&mut self, element: &Value, site: Site) -> bool {
        let Some(wanted) = self.wanted.as_mut().filter(|wanted| wanted.site == site) else { return true };
        match &wanted.choices {
            Choices::Only(only) => value::equal(element, only) != Ok(Truth::Known(false)),
            Choices::Listed(_) => {
                wanted.choices.list(Some(vec![element.clone()]));
                false
            }
        }
    }

    /// Notices what the run of a request has touched since the last event.
    pub(super) fn notice(&mut self, program: &Program, candidate: &mut Candidate) {
        let Some(Watch(classes)) = &mut self.watch else { return };
        let touched = candidate.process.touched();
        for touched in &touched[candidate.noticed.min(touched.len())..] {
            let Some(class) = Class::of(program, touched, candidate) else { continue };
            if !classes.iter().any(|known| known.contains(&class)) {
                classes.push(class);
            }
        }
        candidate.noticed = candidate.noticed.max(touched.len());
    }
}
