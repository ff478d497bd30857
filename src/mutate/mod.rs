//! Mutants: a specification with one small change, as a mistake in a server would be.
//!
//! ```
//! use mayhap::{Spec, mutate::mutants};
//! let spec = Spec::from_text("protocol p { request int; response bool; var n: int = 0;
//!     on q { n := n + q; reply n < 9; } }")?;
//! let listed: Vec<String> = mutants(&spec).iter().map(|mutant| mutant.to_string()).collect();
//! assert_eq!(listed[0], "specification:1: replace `0` with `1`");
//! assert!(listed.contains(&"specification:2: delete `n := n + q;`".to_owned()));
//! assert!(listed.contains(&"specification:2: replace `n < 9` with `n <= 9`".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A mutant compiles, and its code differs from that of the specification and of all other mutants. A change that certainly only takes
//! choices away, such as `x > 2` for `x > 1` after `where`, is no mutant: the specification allows all that such a server does.

mod change;
mod corpus;
mod difference;
mod domain;
mod expressions;
mod judged;
mod score;
mod settings;
mod statements;
mod walk;

use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::FxHashSet;

pub use corpus::{killing_scripts, starting_scripts, starting_scripts_within};
pub use difference::{Comparing, Equivalence, SearchBound, SearchBudget, classify};
pub use score::{KillOutcome, Killer, MutantFate, MutationScore, fate};
pub use settings::Setting;

use crate::diagnostic::Span;
use crate::spec::{Spec, SpecError};
use change::TextChange;

/// A specification with one small change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Its number, from 1, in the order of the text.
    pub number: usize,
    /// The file and the line of the change: `specs/kv.may:12`.
    pub place: String,
    /// The change in words.
    pub change: String,
    span: Span,
    with: String,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.change)
    }
}

impl Mutant {
    /// The changed specification; its places are those of the original text.
    ///
    /// # Errors
    /// This is no mutant of the specification.
    pub fn of(&self, spec: &Spec) -> Result<Arc<Spec>, SpecError> {
        spec.altered(self.span, &self.with)
    }
}

/// The mutants of a specification, in the order of the text.
#[must_use]
pub fn mutants(spec: &Spec) -> Vec<Mutant> {
    mutants_of(spec, walk::changes(spec))
}

/// The mutants for at most `most` changes, spread over the text, since compiling all changes may take long.
fn some_mutants(spec: &Spec, most: usize) -> Vec<Mutant> {
    let changes = walk::changes(spec);
    let step = changes.len().div_ceil(most.max(1)).max(1);
    mutants_of(spec, changes.into_iter().step_by(step))
}

fn mutants_of(spec: &Spec, changes: impl IntoIterator<Item = TextChange>) -> Vec<Mutant> {
    let mut codes: FxHashSet<String> = FxHashSet::default();
    codes.insert(code(spec));
    let mut found = Vec::new();
    for change in changes {
        let is_new = |mutant: Arc<Spec>| codes.insert(code(&mutant));
        if spec.altered(change.span, &change.with).is_ok_and(is_new) {
            let (line, _) = spec.sources.line_column(change.span);
            let place = format!("{}:{line}", spec.sources.name(change.span.file));
            let number = found.len() + 1;
            found.push(Mutant { number, place, change: change.words, span: change.span, with: change.with });
        }
    }
    found
}

/// The code of a specification without the numbers of its nodes: specifications with equal code behave equally.
fn code(spec: &Spec) -> String {
    let program = &spec.program;
    let functions = program.functions.iter().map(|function| (&function.code, function.registers));
    let mut written = String::new();
    _ = write!(written, "{:?}{:?}", program.constants, functions.collect::<Vec<_>>());
    let mut parts = written.split("NodeId(");
    let mut code = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| code.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_digit())));
    code
}
