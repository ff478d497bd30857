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
    /// The name of the protocol that was asked for.
    name: Option<String>,
    /// The constants that were set.
    constants: Vec<(String, String)>,
}

/// What a specification is made of: the names and texts of its files, the name of the protocol, and the constants that were set.
type Parts = (Vec<(String, String)>, Option<String>, Vec<(String, String)>);

#[pymethods]
impl Spec {
    /// Reads a specification from its file, and the files that it uses from the same directory.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, name: Option<String>, constants: Vec<(String, String)>) -> PyResult<Spec> {
        let first = load::text(&path).map_err(|why| Kind::Spec.error(py, &format!("error: {why}")))?;
        let loaded = path.clone();
        compiled(py, first, (name, constants), move |first, selection| load::compile_text(&loaded, first, selection))
    }

    /// Reads a specification from a text.
    #[staticmethod]
    fn of_text(py: Python<'_>, text: String, name: Option<String>, constants: Vec<(String, String)>) -> PyResult<Spec> {
        let first = Text { name: "<text>".to_owned(), text };
        let path = Path::new("<text>");
        compiled(py, first, (name, constants), move |first, selection| load::compile_text(path, first, selection))
    }

    /// Makes a specification of its parts, elsewhere: no file is read.
    #[staticmethod]
    fn of_parts(py: Python<'_>, parts: Parts) -> PyResult<Spec> {
        let (files, name, constants) = parts;
        let mut texts = files.into_iter().map(|(name, text)| Text { name, text });
        let first = texts.next().ok_or_else(|| Kind::Usage.error(py, "error: a specification has a text"))?;
        let used: Vec<Text> = texts.collect();
        compiled(py, first, (name, constants), move |first, selection| {
            let mut find = |name: &str| {
                let is_it = |text: &&Text| stem(&text.name) == name;
                used.iter().find(is_it).cloned().ok_or_else(|| format!("`{name}` is not among the parts"))
            };
            mayhap::Spec::compile(first, &mut find, selection)
        })
    }

    /// The parts of which the specification can be made elsewhere.
    #[getter]
    fn parts(&self) -> Parts {
        // The texts of constants that were set stand after the files.
        let count = self.spec.sources.len() - self.constants.len();
        let files = self.spec.sources.files().take(count).map(|(name, text)| (name.to_owned(), text.to_owned()));
        (files.collect(), self.name.clone(), self.constants.clone())
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
    first: Text,
    (name, constants): (Option<String>, Vec<(String, String)>),
    compile: impl FnOnce(Text, &Selection) -> Result<Arc<mayhap::Spec>, SpecError> + Send + 'static,
) -> PyResult<Spec> {
    let (set, tasks) = (constants.clone(), Tasks::Either);
    let selection = Selection { name: name.clone(), set, tasks, ..Selection::default() };
    let shown = first.name.clone();
    let compiled = crate::working::run(py, move || compile(first, &selection))?;
    let spec = compiled.map_err(|refused| Kind::Spec.error(py, &refusal(&refused, &shown)))?;
    Ok(Spec { spec, name, constants })
}

/// The name by which other files use a file: `tags` for `specs/tags.may`.
fn stem(name: &str) -> &str {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    base.strip_suffix(".may").unwrap_or(base)
}

/// What the command prints of the errors of a specification.
fn refusal(refused: &SpecError, name: &str) -> String {
    let count = refused.diagnostics.iter().filter(|found| found.is_error()).count();
    format!("{refused}\nerror: {name}: {}", counted(count as u64, "error"))
}
