//! The validator that a specification turns into, for people to read: Figure 3.2, for any specification.
//!
//! For compare-and-reset: if `q <= #(vs!n)` and the answer is 0, the state stays. If `#(vs!n) < q` and the answer is 1, `n`
//! becomes a fresh `#x1`. If variables or requests hold collections, the page goes through the statements instead of the paths.

mod names;
mod paths;
mod statements;

use super::{Quote, quoted, shortened};
use crate::diagnostic::{FileId, Span};
use crate::judge;
use crate::spec::Spec;
use crate::syntax::ast::{File, NodeId};
use crate::syntax::parse;
use std::collections::BTreeMap;

/// The column of the remarks, which give lines of the specification.
const REMARKS: usize = 58;
/// The most characters of a quoted line of the specification.
const QUOTED: usize = 50;

/// The heading of the handling of a restart.
const AT_RESTART: &str = "at a restart, from each state (vs, cs); what was under way is lost";

/// The page for a specification, with the end of its last line.
#[must_use]
pub fn dualized(spec: &Spec) -> String {
    let mut page = ValidatorPage { spec, parsed: BTreeMap::new(), lines: Vec::new() };
    page.head();
    let by_itself = !spec.program.steps.is_empty();
    match judge::unbounded(spec) {
        None if !by_itself => paths::write(&mut page),
        None | Some(_) => statements::write(&mut page),
    }
    page.foot();
    page.lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The page as far as it is written.
struct ValidatorPage<'s> {
    spec: &'s Spec,
    /// The files that were quoted so far.
    parsed: BTreeMap<FileId, File>,
    lines: Vec<String>,
}

impl ValidatorPage<'_> {
    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// Adds a line, with a remark that quotes the place that it comes from.
    fn remarked(&mut self, text: &str, span: Span, quote: Quote) {
        let (line, _) = self.spec.sources.line_column(span);
        let parsed = || parse(self.spec.sources.text(span.file), span.file, NodeId(0)).file;
        let file = self.parsed.entry(span.file).or_insert_with(parsed);
        let code = quoted(self.spec, file, span, quote);
        self.line(format!("{text:<REMARKS$}  line {line}: {}", shortened(&code, QUOTED)));
    }

    /// Adds a line, with a remark that gives the number of the line that it comes from.
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
