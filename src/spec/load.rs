//! Reading a specification and all files that it uses; texts come from a loader, so this module reads no files itself.
//!
//! `use tags;` in `kv.may` asks the loader for `tags`. A file is read once, however often it is used; files that use each
//! other in a circle are an error.

use super::check::{Checked, Completeness, check};
use super::order::components;
use crate::diagnostic::{Diagnostic, Sources, Span};
use crate::syntax::ast::{File, ItemKind, Name, NodeId};
use crate::syntax::parse;
use rustc_hash::FxHashMap;

/// A text and the name that messages show for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The name, for example `specs/tags.may`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A function that finds the text for a name after `use`, or says why it cannot.
pub type Loader<'l> = dyn FnMut(&str) -> Result<Text, String> + 'l;

/// The trees of all files of a specification.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The file that was asked for first, then the files that it uses.
    pub files: Vec<File>,
    /// The outcome of the reading: [`Completeness::Complete`] if all files are there and free of syntax errors, and none use each
    /// other in a circle.
    pub reading: Completeness,
    /// The first number that no node has.
    pub next: NodeId,
}

impl Loaded {
    /// Resolves and types the files.
    #[must_use]
    pub fn check(&self) -> (Checked<'_>, Vec<Diagnostic>) {
        check(&self.files, self.reading)
    }
}

/// Reads `first` and the files that it uses. The diagnostics are those of reading; [`Loaded::check`] finds the rest.
pub fn load(first: Text, loader: &mut Loader<'_>, sources: &mut Sources) -> (Loaded, Vec<Diagnostic>) {
    let mut reader =
        Reader { next: NodeId(0), files: Vec::new(), diagnostics: Vec::new(), known: FxHashMap::default() };
    let (_, base) = first.name.rsplit_once(['/', '\\']).unwrap_or(("", &first.name));
    let stem = base.strip_suffix(".may").unwrap_or(base).to_owned();
    reader.known.insert(stem, Some(0));
    reader.read(&first, sources);
    let mut needs = Vec::new();
    while let Some(file) = reader.files.get(needs.len()) {
        let uses: Vec<Name> = uses(file).cloned().collect();
        needs.push(reader.follow(&uses, loader, sources));
    }
    reader.report_circles(&needs);
    let broken = reader.diagnostics.iter().any(Diagnostic::is_error);
    let reading = if broken { Completeness::Broken } else { Completeness::Complete };
    (Loaded { files: reader.files, reading, next: reader.next }, reader.diagnostics)
}

/// The names after `use`.
fn uses(file: &File) -> impl Iterator<Item = &Name> {
    file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Use(name) => Some(name),
        ItemKind::Const { .. } | ItemKind::Alias { .. } | ItemKind::Token(_) | ItemKind::Struct { .. } => None,
        ItemKind::Enum { .. } | ItemKind::Function { .. } | ItemKind::Machine { .. } | ItemKind::Protocol { .. } => {
            None
        }
    })
}

struct Reader {
    next: NodeId,
    files: Vec<File>,
    diagnostics: Vec<Diagnostic>,
    /// The index of the file with each name; none if the loader found no text.
    known: FxHashMap<String, Option<usize>>,
}

impl Reader {
    fn read(&mut self, text: &Text, sources: &mut Sources) -> usize {
        let file = sources.add(&text.name, &text.text);
        let parsed = parse(&text.text, file, self.next);
        self.next = parsed.next;
        self.diagnostics.extend(parsed.diagnostics);
        self.files.push(parsed.file);
        self.files.len() - 1
    }

    /// Reads the used files that are not read yet; returns the index of each used file.
    fn follow(&mut self, uses: &[Name], loader: &mut Loader<'_>, sources: &mut Sources) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for name in uses {
            if let Some(first) = seen.insert(&name.text, name.span) {
                let report = Diagnostic::warning(name.span, format!("`{}` is used twice", name.text));
                self.diagnostics.push(report.also(first, "it is used here"));
                continue;
            }
            if !self.known.contains_key(&name.text) {
                let index = self.fetch(name, loader, sources);
                self.known.insert(name.text.clone(), index);
            }
            found.extend(self.known[&name.text]);
        }
        found
    }

    fn fetch(&mut self, name: &Name, loader: &mut Loader<'_>, sources: &mut Sources) -> Option<usize> {
        match loader(&name.text) {
            Ok(text) => Some(self.read(&text, sources)),
            Err(why) => {
                let report = Diagnostic::error(name.span, format!("cannot read `{}`", name.text));
                self.diagnostics
                    .push(report.label(format!("expected a file `{}.may` beside this one", name.text)).help(why));
                None
            }
        }
    }

    fn report_circles(&mut self, needs: &[Vec<usize>]) {
        for component in components(needs).into_iter().filter(|component| component.cyclic) {
            let inside = |name: &&Name| {
                let target = self.known.get(&name.text).copied().flatten();
                target.is_some_and(|target| component.nodes.contains(&target))
            };
            let mut edges = component.nodes.iter().flat_map(|&node| uses(&self.files[node]).filter(inside));
            let Some(first) = edges.next() else { continue };
            let report = Diagnostic::error(first.span, "these files use each other in a cycle");
            let report = report.label("expected a file that does not use this one");
            let report = edges.fold(report, |report, edge| report.also(edge.span, "and here"));
            self.diagnostics.push(report);
        }
    }
}
