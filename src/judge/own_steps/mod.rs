//! The server's own steps while a section runs: the parts of the state that the section touches, the choices of a step that are
//! followed, and the steps that were fired.
//!
//! `Touch("a")` touches the session under "a", so before it the step that lets a session expire is fired with the choice "a" only. In
//! general, a step and a request that touch different parts of the state (`footprint`) commute. So a step sleeps until a request
//! touches a part that the step touches (partial-order reduction).

pub(crate) mod changed_place;
pub(crate) mod fire;
pub(crate) mod merged_steps;
pub(crate) mod optional_step;
pub(crate) mod wake;

use super::candidate::Candidate;
use crate::process::TouchedPart;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::{self, Substitution, Truth, Value};

/// A class of runs of steps, which may depend on each other: those of a component, or those of a component at one key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    pub(super) component: u32,
    /// The key, which is known; `None` is any key.
    pub(super) key: Option<Value>,
}

impl Class {
    /// Tests whether all runs of another class are of this one.
    pub(super) fn contains(&self, other: &Class) -> bool {
        self.component == other.component && (self.key.is_none() || self.key == other.key)
    }

    /// The class of the runs that touch a part of the state; `None` if no step does.
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

/// A step to be fired; `wanted` restricts its choice, and `None` allows any.
#[derive(Clone, Debug)]
pub(super) struct Firing {
    pub(super) step: usize,
    /// The component of the step.
    pub(super) component: u32,
    pub(super) wanted: Option<WantedRuns>,
}

/// The runs of a step that are followed.
#[derive(Clone, Debug)]
pub(super) struct WantedRuns {
    /// The place where the step chooses.
    pub(super) site: Site,
    pub(super) choices: FollowedChoices,
}

/// The choices of a step that are followed at a node.
#[derive(Clone, Debug)]
pub(super) enum FollowedChoices {
    /// This choice.
    Only(Value),
    /// No choice: the possible ones are listed; `None` if some of them are not known.
    Listed(Option<Vec<Value>>),
}

impl FollowedChoices {
    /// Adds elements that could be chosen to the list; `None` makes the list unknown.
    pub(super) fn list(&mut self, elements: Option<Vec<Value>>) {
        if let FollowedChoices::Listed(listed) = self {
            *listed = listed.take().zip(elements).map(|(mut all, more)| {
                all.extend(more);
                all
            });
        }
    }
}

/// The steps that the server may have taken by itself before a request, for the witness of that exchange.
///
/// For example, if each of the sessions {"a", "b"} may expire, the step that drops "a" is fired from {"a", "b"}, and the step that drops
/// "b" from {"a" if #1, "b"}. As the results are merged, candidates do not say which steps led to them. So each fired step is noted with
/// the states from which it was fired. A state after a firing is a state before it, or the step leads to it from such a state.
#[derive(Clone, Default, Debug)]
pub struct Before {
    /// The steps that were fired, in order.
    pub fired: Vec<Fired>,
    /// The states in which the server may have been when it took the request.
    pub states: Vec<Candidate>,
    /// The number of the last variable that these states may mention: variables of later choices have greater numbers.
    pub(super) last: u64,
}

/// A step that was fired.
#[derive(Clone, Debug)]
pub struct Fired {
    /// The states that it was fired from.
    pub states: Vec<Candidate>,
    pub(super) firing: Firing,
}

/// The data about steps that a judge keeps while sections run.
#[derive(Clone, Default, Debug)]
pub(super) struct Steps {
    /// The classes that the runs of a request touch, if these are collected.
    pub(super) touched: Option<Vec<Class>>,
    /// The runs of a step that are followed; `None` is all.
    pub(super) wanted: Option<WantedRuns>,
    /// The steps that are fired before a request, if these are collected.
    pub(super) journal: Option<Before>,
    /// Set if candidates are kept apart, because merging the results of steps did not come to an end.
    pub(super) keeps_apart: bool,
}

impl Steps {
    /// Notes a step that was fired from some states, if fired steps are collected.
    pub(super) fn note_firing(&mut self, fired: impl FnOnce() -> Option<Fired>) {
        if let Some(journal) = &mut self.journal {
            journal.fired.extend(fired());
        }
    }

    /// The choices that are followed at a node; `None` is all.
    fn wanted_at(&mut self, site: Site) -> Option<&mut FollowedChoices> {
        self.wanted.as_mut().filter(|wanted| wanted.site == site).map(|wanted| &mut wanted.choices)
    }

    /// The only element of a collection that is followed at a node, with the condition on which the collection has it; infeasible if
    /// choices are only listed. `None` if the elements are not known, or if all choices are followed.
    pub(super) fn only_element(&mut self, over: &Value, site: Site) -> Option<Result<(Truth, Value), Infeasible>> {
        let choices = self.wanted_at(site)?;
        let elements = value::elements(over).ok().filter(|all| all.iter().all(|(_, element)| element.is_known()));
        match choices {
            FollowedChoices::Only(only) => {
                let there =
                    elements?.into_iter().filter(|(_, element)| element == only).map(|(there, _)| there.truth());
                Some(Ok((there.fold(Truth::Known(false), Truth::or), only.clone())))
            }
            FollowedChoices::Listed(_) => {
                choices.list(elements.map(|all| all.into_iter().map(|(_, element)| element).collect()));
                Some(Err(Infeasible))
            }
        }
    }

    /// The condition on which a choice is followed at a node.
    pub(super) fn follow_where(&mut self, chosen: &Value, site: Site) -> Truth {
        match self.wanted_at(site) {
            None => Truth::Known(true),
            Some(FollowedChoices::Only(only)) => value::equal(chosen, only).unwrap_or(Truth::Known(true)),
            Some(choices) => {
                choices.list(None);
                Truth::Known(false)
            }
        }
    }

    /// Tests whether the choice of an element is followed at a node.
    pub(super) fn follow(&mut self, element: &Value, site: Site) -> bool {
        match self.wanted_at(site) {
            None => true,
            Some(FollowedChoices::Only(only)) => value::equal(element, only) != Ok(Truth::Known(false)),
            Some(choices) => {
                choices.list(Some(vec![element.clone()]));
                false
            }
        }
    }

    /// Notices the classes that the run of a request has touched since it was last noticed.
    pub(super) fn notice(&mut self, program: &Program, candidate: &mut Candidate) {
        let Some(classes) = &mut self.touched else { return };
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
