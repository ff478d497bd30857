//! Specifications: read from a file or a text, and what can be done with them.

use crate::cli::load;
use crate::errors::Kind;
use crate::events::Events;
use crate::judged::{Judged, Source, judge};
use crate::session::Session;
use mayhap::choice::counted;
use mayhap::spec::load::Text;
use mayhap::spec::{Selection, SpecError, Tasks};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A specification, compiled.
#[pyclass(frozen, module = "mayhap._mayhap")]
pub struct Spec {
    /// The specification.
    pub spec: Arc<mayhap::Spec>,
}

#[pymethods]
impl Spec {
    /// Reads a specification from its file, and the files that it uses from the same directory.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, name: Option<String>, constants: Vec<(String, String)>) -> PyResult<Spec> {
        let first = load::text(&path).map_err(|why| Kind::Spec.error(py, &format!("error: {why}")))?;
        compiled(py, &path, first, name, constants)
    }

    /// Reads a specification from a text.
    #[staticmethod]
    fn of_text(py: Python<'_>, text: String, name: Option<String>, constants: Vec<(String, String)>) -> PyResult<Spec> {
        let first = Text { name: "<text>".to_owned(), text };
        compiled(py, Path::new("<text>"), first, name, constants)
    }

    /// The name of the machine or protocol.
    #[getter]
    fn name(&self) -> &str {
        &self.spec.program.name
    }

    /// Judges a recording in a file.
    fn judge_file(&self, py: Python<'_>, path: PathBuf, options: Vec<String>) -> PyResult<Judged> {
        judge(py, &self.spec, Source::File(path), &options)
    }

    /// Judges events.
    fn judge_events(&self, py: Python<'_>, events: &Events, options: Vec<String>) -> PyResult<Judged> {
        judge(py, &self.spec, Source::Lines(events.lines.clone()), &options)
    }

    /// Begins a session over a network, or continues a saved one.
    fn session(
        &self,
        py: Python<'_>,
        net: Option<&str>,
        saved: Option<&str>,
        seconds: f64,
        memory: usize,
    ) -> PyResult<Session> {
        Session::begin(py, &self.spec, net, saved, (seconds, memory))
    }
}

fn compiled(
    py: Python<'_>,
    path: &Path,
    first: Text,
    name: Option<String>,
    set: Vec<(String, String)>,
) -> PyResult<Spec> {
    let path = path.to_path_buf();
    let selection = Selection { name, set, tasks: Tasks::Either, ..Selection::default() };
    let shown = first.name.clone();
    let compiled = crate::working::run(py, move || load::compile_text(&path, first, &selection))?;
    let spec = compiled.map_err(|refused| Kind::Spec.error(py, &refusal(&refused, &shown)))?;
    Ok(Spec { spec })
}

/// What the command prints of the errors of a specification.
fn refusal(refused: &SpecError, name: &str) -> String {
    let count = refused.diagnostics.iter().filter(|found| found.is_error()).count();
    format!("{refused}\nerror: {name}: {}", counted(count as u64, "error"))
}
