//! The exceptions of the package, which are classes in Python: `mayhap/errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyType;

/// A class of exceptions of the package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `SpecError`
    Spec,
    /// `TraceError`
    Trace,
    /// `UsageError`
    Usage,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Spec => "SpecError",
            Kind::Trace => "TraceError",
            Kind::Usage => "UsageError",
        }
    }

    /// The exception with this text.
    pub fn error(self, py: Python<'_>, text: &str) -> PyErr {
        let class = py.import("mayhap.errors").and_then(|module| module.getattr(self.name()));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, (text.trim_end().to_owned(),)),
            Err(error) => error,
        }
    }

    /// The exception with this text and its cause.
    pub fn caused(self, py: Python<'_>, text: &str, cause: PyErr) -> PyErr {
        let error = self.error(py, text);
        error.set_cause(py, Some(cause));
        error
    }
}

/// The exception on one line: `ValueError: no such key`.
pub fn shown(py: Python<'_>, error: &PyErr) -> String {
    let name = error.get_type(py).qualname().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let said = error.value(py).str().map(|text| text.to_string()).unwrap_or_default();
    match said.lines().next() {
        Some(first) if !first.is_empty() => format!("{name}: {first}"),
        _ => name,
    }
}

/// Tests whether an exception is an ordinary one, and no request to end the program or the test.
pub fn is_ordinary(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<pyo3::exceptions::PyException>(py)
}
