//! The validator that a specification turns into, for people to read: Figure 3.2, for any specification.
//!
//! For compare-and-reset: a state stays if `q <= #(vs!n)` and 0 is the answer; if `#(vs!n) < q`, a fresh `#x1` becomes
//! what `n` is known by, and 1 is the answer. If variables or requests hold collections, the same is told statement by
//! statement instead of path by path.

mod names;
mod paths;
mod statements;

use super::{Quote, quoted, shortened};
use crate::diagnostic::Span;
use crate::judge;
use crate::spec::Spec;

/// The column at which the remarks begin, which name the lines of the specification.
const REMARKS: usize = 58;
/// Quoted lines of the specification are cut here.
const QUOTED: usize = 50;

/// The words before what is done at a restart.
const AT_RESTART: &str = "at a restart, from each state (vs, cs); what was under way is lost";

/// The validator of a specification, its last line ended.
#[must_use]
pub fn dualized(spec: &Spec) -> String {
    let mut page = ValidatorPage { spec, lines: Vec::new() };
    page.head();
    let by_itself = !spec.program.steps.is_empty();
    match judge::unbounded(spec) {
        None if !by_itself => paths::write(&mut page),
        None | Some(_) => statements::write(&mut page),
    }
    page.foot();
    page.lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The lines written so far.
struct ValidatorPage<'s> {
    spec: &'s Spec,
    lines: Vec<String>,
}

impl ValidatorPage<'_> {
    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// A line with the place that it comes from, quoted.
    fn remarked(&mut self, text: &str, span: Span, quote: Quote) {
        let (line, _) = self.spec.sources.line_column(span);
        let code = quoted(self.spec, span, quote);
        self.line(format!("{text:<REMARKS$}  line {line}: {}", shortened(&code, QUOTED)));
    }

    /// A line with the number of the line that it comes from.
    fn numbered(&mut self, text: &str, span: Span) {
        let (line, _) = self.spec.sources.line_column(span);
        self.line(format!("{text:<REMARKS$}  line {line}"));
    }

    fn head(&mut self) {
        let program = &self.spec.program;
        let variables: Vec<String> = self.variables();
        self.line(format!("validator {}", program.name));
        self.line("");
        self.line("  A state is a pair (vs, cs): vs says by which symbol each variable of the server is known,");
        self.line("  cs is the set of constraints on these symbols. #(vs!v) is the symbol of the variable v.");
        let listed = if variables.is_empty() { "none".to_owned() } else { variables.join(", ") };
        self.line(format!("  Variables: {listed}."));
        self.line("  The validator keeps every state that explains the exchanges seen so far.");
        self.line("");
    }

    fn variables(&self) -> Vec<String> {
        let program = &self.spec.program;
        let slots = program.slots.iter().take(program.state_slots());
        let shown = |name: &str| name.trim_start_matches('!').to_owned();
        slots.map(|slot| format!("{}: {}", shown(&slot.name), self.spec.types.name(slot.ty))).collect()
    }

    fn foot(&mut self) {
        self.line("");
        self.line("A path whose constraints cannot hold together gives no state. None left: REJECT.");
    }
}
