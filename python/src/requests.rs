//! Requests of a specification, drawn by choices that are made in Python: Hypothesis makes them, and shrinks them.

use mayhap::choice::{ChoiceError, Choices, Label};
use mayhap::generate::{CampaignAims, GenerateSettings, Generator};
use mayhap::json::encode;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A source of requests.
#[pyclass(frozen, module = "mayhap._mayhap")]
pub struct Requests {
    spec: Arc<mayhap::Spec>,
    /// Generators that are not in use; a choice may wait for another thread.
    unused: Mutex<Vec<Generator>>,
}

#[pymethods]
impl Requests {
    /// The requests of a specification.
    #[new]
    fn new(spec: &crate::spec::Spec) -> Requests {
        Requests { spec: spec.spec.clone(), unused: Mutex::default() }
    }

    /// Draws a request, as JSON. `choose` gets a number n, and returns a number below n. The second result tells
    /// whether the request is known to keep the client's duty in any state.
    fn draw(&self, choose: Bound<'_, PyAny>) -> PyResult<(String, bool)> {
        let mut choices = PythonChoices { choose, failure: None };
        let unused = || self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        let mut generator = unused().pop().unwrap_or_else(|| Generator::new(&self.spec, settings()));
        let drawn = generator.request(&mut choices);
        let keeps_duty = drawn.as_ref().is_ok_and(|request| generator.keeps_duty(request));
        unused().push(generator);
        if let Some(failure) = choices.failure {
            return Err(failure);
        }
        let request = drawn.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((encode(&self.spec.types, self.spec.program.request, &request), keeps_duty))
    }
}

/// The settings by which a request depends on its choices alone, so that it can be drawn again.
fn settings() -> GenerateSettings {
    let aims = CampaignAims { outcomes: false, swarm: false, ..CampaignAims::default() };
    GenerateSettings { aims, ..GenerateSettings::default() }
}

/// Choices that a function in Python makes.
struct PythonChoices<'py> {
    choose: Bound<'py, PyAny>,
    /// What the function raised.
    failure: Option<PyErr>,
}

impl PythonChoices<'_> {
    fn below(&mut self, label: Label, bound: u64) -> Result<u64, ChoiceError> {
        let chosen = self.choose.call1((bound,)).and_then(|chosen| chosen.extract::<u64>());
        let chosen = chosen.and_then(|chosen| match chosen < bound {
            true => Ok(chosen),
            false => Err(PyValueError::new_err(format!("{chosen} is not below {bound}"))),
        });
        chosen.map_err(|error| {
            self.failure = Some(error);
            ChoiceError::Refused { label }
        })
    }
}

impl Choices for PythonChoices<'_> {
    fn branch(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let Some(weights) = weights else { return self.below(label, arity as u64).map(|pick| pick as usize) };
        let total = weights.iter().try_fold(0_u64, |sum, weight| sum.checked_add(*weight));
        // Weights beyond 64 bits are none that a person wrote.
        let Some(total) = total else { return self.below(label, arity as u64).map(|pick| pick as usize) };
        let mut left = self.below(label, total)?;
        let pick = weights.iter().position(|weight| match left.checked_sub(*weight) {
            Some(more) => {
                left = more;
                false
            }
            None => true,
        });
        Ok(pick.unwrap_or_default())
    }
}
