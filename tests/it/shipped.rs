//! The specifications in `specs/`, with the traces that are kept of them: what tests over all of them share.
//!
//! `shipped::all()` has one entry a file; `kv_etag` has, among others, the accepted trace `kv_etag/accept_tagged.ndjson`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayhap::Spec;
use mayhap::diagnostic::Sources;
use mayhap::error::SpecError;
use mayhap::syntax::ast::{ItemKind, MemberKind, NodeId};
use mayhap::syntax::parse;

/// How a specification says that its server was reset.
const FRESH: &str = "const FRESH: bool = true;";

/// These go through whole trees of files, which unknown ones do not allow: they cannot start unknown.
const KNOWN: [&str; 2] = ["posix", "sync"];

/// A shipped specification.
pub struct Shipped {
    /// Its name: that of its file.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All of them, by name.
pub fn all() -> Vec<Shipped> {
    let entries = fs::read_dir(root().join("specs")).expect("specs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "may"));
    paths.sort();
    paths.into_iter().map(Shipped::read).collect()
}

/// The one of this name.
pub fn named(name: &str) -> Shipped {
    Shipped::read(root().join(format!("specs/{name}.may")))
}

impl Shipped {
    fn read(path: PathBuf) -> Shipped {
        let text = fs::read_to_string(&path).expect("text");
        Shipped { name: path.file_stem().expect("a name").to_string_lossy().into_owned(), path, text }
    }

    /// It, compiled as it is.
    pub fn compile(&self) -> Result<Arc<Spec>, SpecError> {
        Spec::from_text(&self.text)
    }

    /// It, started with nothing known of its variables: with `FRESH` set to false where it has that constant, else with
    /// `choose` in place of every initial value. Nothing for a machine, or where there is no variable.
    pub fn unknown(&self) -> Option<Result<Arc<Spec>, SpecError>> {
        let text = self.unknown_text();
        (text != self.text).then(|| Spec::from_text(&text))
    }

    /// The text of that; its own where there is no variable, or where nothing may be unknown.
    pub fn unknown_text(&self) -> String {
        if KNOWN.contains(&self.name.as_str()) {
            return self.text.clone();
        }
        if self.text.contains(FRESH) {
            return self.text.replacen(FRESH, "const FRESH: bool = false;", 1);
        }
        let mut text = self.text.clone();
        let mut initial = self.initial_values();
        initial.sort_unstable();
        for (start, end) in initial.iter().rev() {
            text.replace_range(*start as usize..*end as usize, "choose");
        }
        text
    }

    /// Where the initial values of its variables stand.
    fn initial_values(&self) -> Vec<(u32, u32)> {
        let file = Sources::default().add(&self.name, &self.text);
        let items = parse(&self.text, file, NodeId(0)).file.items;
        let protocols = items.iter().filter_map(|item| match &item.kind {
            ItemKind::Protocol { members, .. } => Some(members),
            _ => None,
        });
        let variables = protocols.flatten().filter_map(|member| match &member.kind {
            MemberKind::Var { value, .. } => Some((value.span.start, value.span.end)),
            _ => None,
        });
        variables.collect()
    }

    /// The kept traces with this verdict, by name.
    pub fn traces(&self, verdict: &str) -> Vec<(String, String)> {
        let traces = root().join("tests/data/traces");
        let manifest = fs::read_to_string(traces.join("manifest.tsv")).expect("the manifest");
        let rows = manifest.lines().skip(1).map(|row| row.split('\t').collect::<Vec<&str>>());
        let own = format!("{}.may", self.name);
        rows.filter(|row| row[0] == own && row[2] == verdict)
            .map(|row| (row[1].to_owned(), fs::read_to_string(traces.join(row[1])).expect("the trace")))
            .collect()
    }
}
