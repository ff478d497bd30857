//! A section with known values: the policy of a concrete run.
//!
//! Choices are drawn, or given by a witness. A condition holds or does not hold, so nothing forks.

use std::collections::VecDeque;

use super::draw::Drawing;
use super::section::{RunPath, SectionEnd};
use super::{AtYield, Given, Reply, SectionDone, Stop, Suspension};
use crate::choice::Choices;
use crate::process::{Choice, Fault, Fresh, Limit, PeerCalls};
use crate::spec::types::ERROR;
use crate::spec::{Site, Spec, TypeId};
use crate::symbolic::{Chosen, Fork, Policy};
use crate::term::Term;
use crate::value::{Truth, Value};

/// The source of a section's choices.
pub(super) enum ChoiceSource<'s> {
    /// The choices are drawn.
    Drawn(&'s mut dyn Choices),
    /// The choices are given.
    Given(VecDeque<Given>),
}

/// A concrete run.
pub(super) struct Run<'r, 's> {
    pub spec: &'r Spec,
    pub drawing: &'r mut Drawing,
    pub source: ChoiceSource<'s>,
    /// The choices so far, with their types; the type of an element is not known.
    pub made: &'r mut Vec<(Given, TypeId)>,
    /// The source of symbols, of which a concrete run needs none.
    pub fresh: Fresh,
    pub at_yield: AtYield,
    /// The event that suspended the task.
    pub suspension: &'r mut Option<Suspension>,
}

impl Policy for Run<'_, '_> {
    type Path = RunPath;
    type Stopped = SectionEnd;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.fresh
    }

    fn restrict(&mut self, _: &mut RunPath, _: Vec<Term>, _: u64, _: Site) -> Result<(), SectionEnd> {
        Err(Stop::Limit(Limit::Undecidable).into())
    }

    fn choose(&mut self, path: &mut RunPath, Chosen { choice, site, .. }: Chosen) -> Result<(), SectionEnd> {
        let value = self.chosen(&choice, site)?;
        self.made.push((Given::Value(value.clone()), choice.value_type()));
        path.process.resume(value);
        Ok(())
    }

    fn fork(&mut self, _: &mut RunPath, _: Fork) -> Result<(), SectionEnd> {
        Err(Stop::Limit(Limit::Undecidable).into())
    }

    fn select(&mut self, path: &mut RunPath, ways: usize, site: Site) -> Result<(), SectionEnd> {
        self.announce(site);
        let elements = path.process.elements();
        let way = match &mut self.source {
            ChoiceSource::Drawn(choices) => choices.choose(self.drawing.label("way"), ways).map_err(Stop::Choice)?,
            ChoiceSource::Given(given) => match given.pop_front() {
                Some(Given::Way(way)) if way < ways => way,
                Some(Given::Element(element) | Given::Value(element)) => {
                    elements.iter().position(|known| *known == element).ok_or(Stop::Mismatch(site))?
                }
                Some(Given::Way(_)) | None => return Err(Stop::Mismatch(site).into()),
            },
        };
        let made = elements.get(way).map_or(Given::Way(way), |element| Given::Element(element.clone()));
        self.made.push((made, ERROR));
        path.process.select(way);
        Ok(())
    }

    fn assume(&mut self, _: &mut RunPath, condition: Truth, site: Site) -> Result<(), SectionEnd> {
        if condition == Truth::Known(false) { Err(Stop::Stuck(site).into()) } else { Ok(()) }
    }

    fn expects(&mut self, _: &mut RunPath, duty: Truth, site: Site) -> Result<(), SectionEnd> {
        if duty == Truth::Known(false) { Err(Stop::Outside(site).into()) } else { Ok(()) }
    }

    fn fault(&mut self, _: &mut RunPath, _: Truth, fault: Fault) -> Result<(), SectionEnd> {
        Err(Stop::Fault(fault).into())
    }

    fn cut(&mut self, _: &mut RunPath, _: Truth, limit: Limit, _: Option<Site>) -> Result<(), SectionEnd> {
        Err(Stop::Limit(limit).into())
    }

    fn pause(&mut self, path: &mut RunPath) -> Result<(), SectionEnd> {
        let site = path.process.site(&self.spec.program);
        let Some(done) = self.at_yield.meet(&mut path.process) else { return Ok(()) };
        *self.suspension = Some(Suspension::Yielded(site));
        Err(SectionEnd(Ok(done)))
    }

    fn call(&mut self, path: &mut RunPath, calls: PeerCalls) -> Result<(), SectionEnd> {
        *self.suspension = Some(Suspension::Called(calls.clone()));
        path.process.suspend_calling(calls);
        Err(SectionEnd(Ok(SectionDone::Suspended)))
    }

    fn end(&mut self, path: &mut RunPath, answer: Option<(Value, Site)>) -> SectionEnd {
        path.process.rest();
        SectionEnd(Ok(SectionDone::Ended(answer.map_or(Reply::Nothing, |(answer, _)| Reply::Answer(answer)))))
    }
}

impl Run<'_, '_> {
    fn chosen(&mut self, choice: &Choice, site: Site) -> Result<Value, Stop> {
        self.announce(site);
        match &mut self.source {
            ChoiceSource::Drawn(choices) => {
                let drawn = self.drawing.choosing(&self.spec.types, *choices).choice(choice);
                drawn.map_err(Stop::Choice)?.ok_or(Stop::Stuck(site))
            }
            ChoiceSource::Given(given) => match given.pop_front() {
                Some(Given::Value(value)) => {
                    self.drawing.see(&value);
                    Ok(value)
                }
                Some(Given::Way(_) | Given::Element(_)) | None => Err(Stop::Mismatch(site)),
            },
        }
    }

    /// Names the choice that comes next.
    fn announce(&mut self, site: Site) {
        if self.drawing.naming.is_some() {
            let (subject, line) = self.spec.choice_at(site);
            self.drawing.draw_for(subject, &line);
        }
    }
}
