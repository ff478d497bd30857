//! What a request has to do with what the server does by itself: a step that has nothing to do with it comes after it.
//!
//! If a step and a request touch different parts of the state (`footprint`), then it makes no difference which of them comes
//! first. So a step is taken before a request only if the request touches what the step touches, or touches what another
//! such step touches. For example before `Touch("a")` it matters whether the session "a" has expired, and nothing else does.
//! The note `proofs-notes/steps.md` says why nothing is lost.

use super::candidate::{Alive, Candidate};
use super::frontier::Judge;
use crate::process::{Choice, Touched};
use crate::solve::Store;
use crate::spec::Site;
use crate::spec::code::Program;
use crate::value::{self, Truth, Value};

/// Runs of steps that may have to do with each other: those of a component, or those of a component at one key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Class {
    pub(super) component: u32,
    /// The key; `None` is any.
    pub(super) key: Option<Value>,
}

/// A class of runs that may come before the request.
#[derive(Clone, Debug)]
struct Offer {
    class: Class,
    /// Whether all steps that were taken have been touched before.
    follows: Truth,
    /// What is known on the path of the request, where that matters.
    store: Option<Store>,
}

/// What the run of a request touches, and how that extends what was taken before it.
#[derive(Clone, Default, Debug)]
pub(super) struct Watch {
    pub(super) taken: Vec<Class>,
    offers: Vec<Offer>,
}

impl Class {
    /// The class of the runs that touch the same.
    fn of(program: &Program, touched: &Touched) -> Option<Class> {
        let component = program.component_of.get(touched.slot as usize).copied().flatten()?;
        let keyed = program.components[component as usize].keyed;
        Some(Class { component, key: touched.key.clone().filter(|_| keyed) })
    }

    /// Where a run of this class has to do with one of the other.
    pub(super) fn meets(&self, other: &Class) -> Truth {
        if self.component != other.component {
            return Truth::Known(false);
        }
        match (&self.key, &other.key) {
            (Some(a), Some(b)) => value::equal(a, b).unwrap_or(Truth::Known(true)),
            (None, _) | (_, None) => Truth::Known(true),
        }
    }
}

/// Where each class is one that was touched.
fn all_touched(program: &Program, taken: &[Class], touched: &[Touched]) -> Truth {
    let mut all = Truth::Known(true);
    for class in taken {
        let mut one = Truth::Known(false);
        for touch in touched.iter().filter_map(|touch| Class::of(program, touch)) {
            one = one.or(class.meets(&touch));
        }
        all = all.and(one);
    }
    all
}

/// Whether a condition can be excluded at once.
fn excluded(condition: &Truth, store: Option<&Store>) -> bool {
    match condition {
        Truth::Known(known) => !known,
        Truth::Term(term) => store.is_some_and(|store| store.decide(term) == Some(false)),
    }
}

impl Watch {
    /// Nothing has been noticed yet of a request that comes after these steps.
    pub(super) fn after(taken: Vec<Class>) -> Watch {
        Watch { taken, offers: Vec::new() }
    }

    /// Whether steps of a component may come before the request at all.
    pub(super) fn concerns(&self, component: u32) -> bool {
        let taken = self.taken.iter().map(|class| class.component);
        taken.chain(self.offers.iter().map(|offer| offer.class.component)).any(|other| other == component)
    }

    /// Whether a run of a step may come before the request: it is of a class that was taken, or that is offered.
    pub(super) fn admits(&self, class: &Class) -> bool {
        let offered = |offer: &Offer| {
            let condition = offer.follows.clone().and(offer.class.meets(class));
            !excluded(&condition, offer.store.as_ref())
        };
        self.taken.iter().any(|taken| !excluded(&class.meets(taken), None)) || self.offers.iter().any(offered)
    }

    /// The condition on which a run is of a class that was taken or offered, as far as it can be said of the run alone.
    pub(super) fn condition(&self, class: &Class) -> Truth {
        if self.offers.iter().any(|offer| offer.store.is_some()) {
            return Truth::Known(true);
        }
        let all = self.taken.iter().chain(self.offers.iter().map(|offer| &offer.class));
        all.fold(Truth::Known(false), |any, other| any.or(class.meets(other)))
    }
}

/// Where a step of a component chooses its key, and which keys are followed.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) site: Site,
    pub(super) component: u32,
    pub(super) watch: Watch,
}

impl Wanted {
    fn class(&self, key: &Value) -> Class {
        Class { component: self.component, key: Some(key.clone()) }
    }

    /// Whether runs with this key are followed.
    pub(super) fn admits(&self, key: &Value) -> bool {
        self.watch.admits(&self.class(key))
    }

    /// The condition on which a chosen key is followed.
    fn condition(&self, choice: &Choice, chosen: &Value) -> Truth {
        let Choice::Element(over, _) = choice else { return self.watch.condition(&self.class(chosen)) };
        let Ok(elements) = value::elements(over) else { return Truth::Known(true) };
        let admitted = elements.iter().filter(|(_, element)| self.admits(element));
        let is_chosen = |element: &Value| value::equal(chosen, element).unwrap_or(Truth::Known(true));
        admitted.fold(Truth::Known(false), |any, (_, element)| any.or(is_chosen(element)))
    }
}

impl Judge {
    /// Follows a choice only where it is a wanted key.
    pub(super) fn want(&mut self, candidate: &mut Candidate, choice: &Choice, chosen: &Value, site: Site) -> Alive {
        match &self.wanted {
            Some(wanted) if wanted.site == site => {
                let condition = wanted.condition(choice, chosen);
                candidate.require(condition, None, &mut self.solver)
            }
            Some(_) | None => Alive::Yes,
        }
    }

    /// Notices what the run of a request has touched since the last event.
    pub(super) fn notice(&mut self, program: &Program, candidate: &mut Candidate) {
        let Some(watch) = &mut self.watch else { return };
        let touched = candidate.process.touched();
        for at in candidate.noticed..touched.len() {
            let Some(class) = Class::of(program, &touched[at]) else { continue };
            let follows = all_touched(program, &watch.taken, &touched[..=at]);
            if excluded(&follows, Some(&candidate.store)) {
                continue;
            }
            let is_known = class.key.as_ref().is_none_or(Value::is_known) && follows.is_true();
            let is_same = |offer: &Offer| offer.store.is_none() && offer.class == class;
            if !(is_known && watch.offers.iter().any(is_same)) {
                let store = (!is_known).then(|| candidate.store.clone());
                watch.offers.push(Offer { class, follows, store });
            }
        }
        candidate.noticed = candidate.noticed.max(touched.len());
    }

    /// Whether a run of the request certainly left out something that one of the steps before it touched: then that step
    /// comes after it as well.
    pub(super) fn could_wait(program: &Program, taken: &[Class], after: &Candidate) -> bool {
        excluded(&all_touched(program, taken, after.process.touched()), Some(&after.store))
    }
}
