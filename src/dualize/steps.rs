//! Steps of the server while a section runs: what it touches, and which of a step's choices are followed.
//!
//! For example the run of `Touch("a")` touches the sessions under "a"; so the step that lets one expire is fired with the choice
//! "a", and no other one.

use super::candidate::Candidate;
use super::journal::Journal;
use super::touch::{Choices, Class, Wanted};
use crate::spec::Site;
use crate::spec::code::Program;
use crate::symbolic::Infeasible;
use crate::value::{self, Truth, Value};

/// The part that steps of the server have in what sections do.
#[derive(Clone, Default, Debug)]
pub(super) struct Steps {
    /// The classes that the runs of a request touch, where that is to be noticed.
    pub(super) touched: Option<Vec<Class>>,
    /// The runs of a step that are followed; `None` is all.
    pub(super) wanted: Option<Wanted>,
    /// The steps that are fired before a request.
    pub(super) journal: Journal,
    /// Set where candidates are kept apart, as putting together what steps lead to did not come to an end.
    pub(super) keeps_apart: bool,
}

impl Steps {
    /// The choices that are followed there.
    fn wanted_at(&mut self, site: Site) -> Option<&mut Choices> {
        self.wanted.as_mut().filter(|wanted| wanted.site == site).map(|wanted| &mut wanted.choices)
    }

    /// The only element of a collection that is chosen there, and the condition on which it is in it; where what could be chosen is
    /// listed, nothing is. `None` where the elements are not known, or all are followed.
    pub(super) fn only_element(&mut self, over: &Value, site: Site) -> Option<Result<(Truth, Value), Infeasible>> {
        let choices = self.wanted_at(site)?;
        let elements = value::elements(over).ok().filter(|all| all.iter().all(|(_, element)| element.is_known()));
        match choices {
            Choices::Only(only) => {
                let there =
                    elements?.into_iter().filter(|(_, element)| element == only).map(|(there, _)| there.truth());
                Some(Ok((there.fold(Truth::Known(false), Truth::or), only.clone())))
            }
            Choices::Listed(_) => {
                choices.list(elements.map(|all| all.into_iter().map(|(_, element)| element).collect()));
                Some(Err(Infeasible))
            }
        }
    }

    /// The condition on which a choice is followed there.
    pub(super) fn follow_where(&mut self, chosen: &Value, site: Site) -> Truth {
        match self.wanted_at(site) {
            None => Truth::Known(true),
            Some(Choices::Only(only)) => value::equal(chosen, only).unwrap_or(Truth::Known(true)),
            Some(choices) => {
                choices.list(None);
                Truth::Known(false)
            }
        }
    }

    /// Tests whether one of several elements is followed there.
    pub(super) fn follow(&mut self, element: &Value, site: Site) -> bool {
        match self.wanted_at(site) {
            None => true,
            Some(Choices::Only(only)) => value::equal(element, only) != Ok(Truth::Known(false)),
            Some(choices) => {
                choices.list(Some(vec![element.clone()]));
                false
            }
        }
    }

    /// Notices what the run of a request has touched since the last event.
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
