//! A section whose values are known: the policy of a run for real.
//!
//! Choices are drawn, or given by a witness; a condition holds or it does not, so nothing forks.

use std::collections::VecDeque;

use super::draw::Drawing;
use super::section::{Ended, Path};
use super::{Given, Reply, Stop};
use crate::choice::Choices;
use crate::process::{Choice, Fault, Fresh, Limit};
use crate::spec::types::ERROR;
use crate::spec::{Site, Spec, TypeId};
use crate::symbolic::{Chosen, Fork, Policy};
use crate::term::Term;
use crate::value::{Truth, Value};

/// The source of a section's choices.
pub(crate) enum Source<'s> {
    /// They are drawn.
    Drawn(&'s mut dyn Choices),
    /// They are known.
    Given(VecDeque<Given>),
}

/// The choices that a section made.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub given: Vec<Given>,
    /// Their types; that of an element is not known.
    pub types: Vec<TypeId>,
}

/// A run for real.
pub(super) struct Run<'r, 's> {
    pub spec: &'r Spec,
    pub drawing: &'r mut Drawing,
    pub source: Source<'s>,
    pub made: &'r mut Made,
    /// Symbols, of which it needs none.
    pub fresh: Fresh,
}

impl Policy for Run<'_, '_> {
    type Path = Path;
    type Stopped = Ended;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.fresh
    }

    fn restrict(&mut self, _: &mut Path, _: Vec<Term>, _: u64, _: Site) -> Result<(), Ended> {
        Err(Stop::Limit(Limit::Undecidable).into())
    }

    fn choose(&mut self, path: &mut Path, Chosen { choice, site, .. }: Chosen) -> Result<(), Ended> {
        let value = self.chosen(&choice, site)?;
        self.made.given.push(Given::Value(value.clone()));
        self.made.types.push(choice.value_type());
        path.process.resume(value);
        Ok(())
    }

    fn fork(&mut self, _: &mut Path, _: Fork) -> Result<(), Ended> {
        Err(Stop::Limit(Limit::Undecidable).into())
    }

    fn select(&mut self, path: &mut Path, ways: usize, site: Site) -> Result<(), Ended> {
        self.announce(site);
        let elements = path.process.elements();
        let way = match &mut self.source {
            Source::Drawn(choices) => choices.choose(self.drawing.label("way"), ways).map_err(Stop::Choice)?,
            Source::Given(given) => match given.pop_front() {
                Some(Given::Way(way)) if way < ways => way,
                Some(Given::Element(element) | Given::Value(element)) => {
                    elements.iter().position(|known| *known == element).ok_or(Stop::Mismatch(site))?
                }
                Some(Given::Way(_)) | None => return Err(Stop::Mismatch(site).into()),
            },
        };
        let made = elements.get(way).map_or(Given::Way(way), |element| Given::Element(element.clone()));
        self.made.given.push(made);
        self.made.types.push(ERROR);
        path.process.select(way);
        Ok(())
    }

    fn assume(&mut self, _: &mut Path, condition: Truth, site: Site) -> Result<(), Ended> {
        if condition == Truth::Known(false) { Err(Stop::Stuck(site).into()) } else { Ok(()) }
    }

    fn expects(&mut self, _: &mut Path, duty: Truth, site: Site) -> Result<(), Ended> {
        if duty == Truth::Known(false) { Err(Stop::Outside(site).into()) } else { Ok(()) }
    }

    fn fault(&mut self, _: &mut Path, _: Truth, fault: Fault) -> Result<(), Ended> {
        Err(Stop::Fault(fault).into())
    }

    fn cut(&mut self, _: &mut Path, _: Truth, limit: Limit, _: Option<Site>) -> Result<(), Ended> {
        Err(Stop::Limit(limit).into())
    }

    fn end(&mut self, path: &mut Path, answer: Option<(Value, Site)>) -> Ended {
        path.process.rest();
        Ended(Ok(answer.map_or(Reply::Nothing, |(answer, _)| Reply::Answer(answer))))
    }
}

impl Run<'_, '_> {
    fn chosen(&mut self, choice: &Choice, site: Site) -> Result<Value, Stop> {
        self.announce(site);
        match &mut self.source {
            Source::Drawn(choices) => {
                let drawn = self.drawing.choice(&self.spec.types, choice, *choices);
                drawn.map_err(Stop::Choice)?.ok_or(Stop::Stuck(site))
            }
            Source::Given(given) => match given.pop_front() {
                Some(Given::Value(value)) => {
                    self.drawing.see(&value);
                    Ok(value)
                }
                Some(Given::Way(_) | Given::Element(_)) | None => Err(Stop::Mismatch(site)),
            },
        }
    }

    /// Says what is chosen next.
    fn announce(&mut self, site: Site) {
        if self.drawing.place.is_some() {
            let (subject, line) = self.spec.choice_at(site);
            self.drawing.draw_for(subject, &line);
        }
    }
}
