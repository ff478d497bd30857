//! A section that steps of the server have to do with: what it touches, and which of a step's choices are followed.

use super::candidate::Candidate;
use super::section::Section;
use super::touch::{Choices, Class, Watch};
use crate::spec::Site;
use crate::symbolic::Infeasible;
use crate::value::{self, Truth, Value};

impl Section<'_> {
    /// The wanted choice of a step from a collection, which is assumed to be there, or what it could choose is listed; nothing where
    /// that is not known, or the choice is another one.
    pub(super) fn wanted_element(
        &mut self,
        candidate: &mut Candidate,
        over: &Value,
        site: Site,
    ) -> Option<Result<Value, Infeasible>> {
        let wanted = self.judge.wanted.as_mut().filter(|wanted| wanted.site == site)?;
        let elements = value::elements(over).ok().filter(|all| all.iter().all(|(_, element)| element.is_known()));
        match &wanted.choices {
            Choices::Only(only) => {
                let only = only.clone();
                let there =
                    elements?.into_iter().filter(|(_, element)| *element == only).map(|(there, _)| there.truth());
                let there = there.fold(Truth::Known(false), Truth::or);
                Some(candidate.require(there, None, &mut self.judge.solver).map(|()| only))
            }
            Choices::Listed(_) => {
                wanted.choices.list(elements.map(|all| all.into_iter().map(|(_, element)| element).collect()));
                Some(Err(Infeasible))
            }
        }
    }

    /// Follows a choice of a step only where it is the wanted one.
    pub(super) fn want(&mut self, candidate: &mut Candidate, chosen: &Value, site: Site) -> Result<(), Infeasible> {
        let Some(wanted) = self.judge.wanted.as_mut().filter(|wanted| wanted.site == site) else { return Ok(()) };
        match &wanted.choices {
            Choices::Only(only) => {
                let condition = value::equal(chosen, only).unwrap_or(Truth::Known(true));
                candidate.require(condition, None, &mut self.judge.solver)
            }
            Choices::Listed(_) => {
                wanted.choices.list(None);
                Err(Infeasible)
            }
        }
    }

    /// Tests whether a step is followed with one of several elements.
    pub(super) fn wants(&mut self, element: &Value, site: Site) -> bool {
        let Some(wanted) = self.judge.wanted.as_mut().filter(|wanted| wanted.site == site) else { return true };
        match &wanted.choices {
            Choices::Only(only) => value::equal(element, only) != Ok(Truth::Known(false)),
            Choices::Listed(_) => {
                wanted.choices.list(Some(vec![element.clone()]));
                false
            }
        }
    }

    /// Notices what the run of a request has touched since the last event.
    pub(super) fn notice(&mut self, candidate: &mut Candidate) {
        let Some(Watch(classes)) = &mut self.judge.watch else { return };
        let touched = candidate.process.touched();
        for touched in &touched[candidate.noticed.min(touched.len())..] {
            let Some(class) = Class::of(&self.spec.program, touched, candidate) else { continue };
            if !classes.iter().any(|known| known.contains(&class)) {
                classes.push(class);
            }
        }
        candidate.noticed = candidate.noticed.max(touched.len());
    }
}
