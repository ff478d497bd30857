//! The rules of the house, checked: layering, sizes, who may name which crate, documentation, the top level.
//!
//! The tables are data; `docs/ARCHITECTURE.md` explains them. A rule that is not checked here is a wish.

mod circles;
mod constants;
mod examples;
mod functions;
mod layers;
mod package;
mod pages;
pub mod source;
mod types;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use circles::{circles, files_of, named_files};
use functions::{Function, functions};
use layers::named;
use source::{Source, check, entries, root, sources};
use types::{declared, implemented};

/// The modules from the lowest to the highest, each with those below it that it must not name all the same.
const LAYERS: &[(&str, &[&str])] = &[
    ("limits", &[]),
    ("diagnostic", &[]),
    ("scalar", &["diagnostic"]),
    ("choice", &["diagnostic", "scalar"]),
    ("syntax", &["choice"]),
    ("term", &["diagnostic", "syntax", "choice"]),
    ("value", &["diagnostic", "syntax", "choice"]),
    ("solve", &["diagnostic", "syntax", "choice", "value"]),
    ("spec", &["choice", "solve"]),
    ("json", &["syntax", "choice", "solve"]),
    ("http", &["diagnostic", "syntax", "choice", "term", "solve"]),
    ("openapi", &["choice", "term", "value", "solve", "http"]),
    ("process", &["diagnostic", "syntax", "json", "http", "choice", "solve"]),
    ("trace", &["syntax", "choice", "solve", "process"]),
    ("network", &["diagnostic", "syntax", "json", "http", "choice", "solve"]),
    ("symbolic", &["diagnostic", "syntax", "json", "http", "choice"]),
    ("server", &["diagnostic", "syntax", "http"]),
    ("judge", &["diagnostic", "syntax", "json", "http", "choice", "server"]),
    ("search", &["diagnostic", "syntax", "json", "http", "choice", "server"]),
    ("reading", &["syntax", "server"]),
    ("validate", &["syntax", "server"]),
    ("evidence", &["syntax"]),
    ("report", &["solve"]),
    ("session", &["syntax", "server"]),
    ("recorded", &["syntax", "solve"]),
    ("script", &["diagnostic", "syntax"]),
    ("coverage", &[]),
    ("generate", &["diagnostic", "syntax"]),
    ("paths", &["http"]),
    ("sut", &["diagnostic", "syntax"]),
    ("mutate", &[]),
    ("shrink", &["diagnostic", "syntax"]),
    ("harness", &["diagnostic", "syntax"]),
    ("interface", &["diagnostic", "syntax"]),
    ("cli", &[]),
];

/// Crates that one file names, so that replacing them is replacing that file.
const NAMED_ONCE: &[&str] = &["z3", "pretty", "serde_json", "httparse", "httpdate", "clojure_reader", "granit_parser"];

/// What may lie at the top, besides the lock file, ignored and hidden entries.
const TOP_LEVEL: &[&str] = &[
    "Cargo.toml",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Makefile",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "src",
    "macros",
    "python",
    "specs",
    "proofs-notes",
    "tests",
    "benches",
    "examples",
    "docs",
    "findings",
];

/// Lines a file may have; in-file tests do not count.
const LONGEST_FILE: usize = 700;
/// Lines a function may have, unless it is one flat `match`.
const LONGEST_FUNCTION: usize = 70;

/// `#[inline]` in all: the compiler decides in a build with one unit, so that each has to be worth something.
const MOST_INLINES: usize = 18;

/// Files that a folder of `src` or `tests/it` may have.
const MOST_FILES: usize = 14;

/// Files in which a type may have `impl` blocks: one that needs more has too many jobs.
const MOST_IMPLS: usize = 4;

#[test]
fn a_module_names_only_what_its_layer_allows() {
    let row = |module: &str| LAYERS.iter().position(|(name, _)| *name == module);
    let mut offences = Vec::new();
    for source in sources("src").iter().filter(|source| !source.module().is_empty()) {
        let Some(own) = row(source.module()) else {
            offences.push(format!("{}: the module `{}` has no row in LAYERS", source.path, source.module()));
            continue;
        };
        for (number, line) in source.code() {
            for name in named(line).iter().filter(|name| *name != source.module()) {
                let allowed = row(name).is_some_and(|other| other < own && !LAYERS[own].1.contains(&name.as_str()));
                if !allowed && row(name).is_some() {
                    offences.push(format!("{}:{number}: `{}` must not name `{name}`", source.path, source.module()));
                }
            }
        }
    }
    check("layering (docs/ARCHITECTURE.md)", offences);
}

#[test]
fn files_of_a_module_form_no_circle() {
    let mut offences = Vec::new();
    for (module, _) in LAYERS {
        let files = files_of(module);
        for circle in circles(&named_files(module, &files)) {
            let names: Vec<String> = circle.iter().map(|file| files[*file].0.join("/")).collect();
            offences.push(format!("src/{module}: {}", names.join(", ")));
        }
    }
    check("circles of files", offences);
}

#[test]
fn a_folder_has_few_files() {
    let mut files: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut directories = ["src", "tests/it"].map(|directory| root().join(directory)).to_vec();
    while let Some(directory) = directories.pop() {
        for path in entries(&directory) {
            if path.is_dir() {
                directories.push(path);
            } else {
                *files.entry(directory.clone()).or_default() += 1;
            }
        }
    }
    let many = files.iter().filter(|(_, count)| **count > MOST_FILES);
    let offence = |(directory, count): (&PathBuf, &usize)| format!("{}: {count} files", directory.display());
    check("folders of more than 14 files", many.map(offence).collect());
}

#[test]
fn a_type_has_its_code_in_few_files() {
    let mut files: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for source in sources("src") {
        for name in source.code().filter_map(|(_, line)| implemented(line)) {
            files.entry((source.module().to_owned(), name)).or_default().insert(source.path.clone());
        }
    }
    let many = files.iter().filter(|(_, files)| files.len() > MOST_IMPLS);
    let offence = |((module, name), files): (&(String, String), &BTreeSet<String>)| {
        format!("src/{module}: {name} in {} files", files.len())
    };
    check("types with `impl` blocks in more than four files", many.map(offence).collect());
}

#[test]
fn a_type_has_its_name_for_itself() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources("src") {
        for (number, line) in source.code() {
            if let Some(name) = declared(line) {
                places.entry(name.to_owned()).or_default().push(format!("{}:{number}", source.path));
            }
        }
    }
    let shared = places.iter().filter(|(_, places)| places.len() > 1);
    check("names of several types", shared.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect());
}

#[test]
fn functions_are_short() {
    let all: Vec<Function> = sources("src").iter().flat_map(functions).collect();
    let long = all.iter().filter(|function| function.lines > LONGEST_FUNCTION && !function.is_flat_match);
    let shown = |function: &Function| format!("{}: {} lines", function.place, function.lines);
    check("functions of more than 70 lines that are no flat `match`", long.map(shown).collect());
    let share = |limit: usize| all.iter().filter(|function| function.lines < limit).count() * 100 / all.len();
    assert!(share(40) >= 90, "{} % of the functions are under 40 lines, nine of ten should be", share(40));
    assert!(share(12) >= 50, "{} % of the functions are under 12 lines, most should be", share(12));
}

#[test]
fn few_functions_ask_to_be_inlined() {
    let asks = |source: &Source| source.code().filter(|(_, line)| line.trim_start().starts_with("#[inline]")).count();
    let all: usize = sources("src").iter().map(asks).sum();
    assert!(all <= MOST_INLINES, "{all} functions ask for `#[inline]`, at most {MOST_INLINES} may");
}

#[test]
fn some_crates_are_named_in_one_file_each() {
    for name in NAMED_ONCE {
        let uses = |line: &str| {
            line.match_indices(name).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + name.len()..]);
                let word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                let path = !before.ends_with("::") && !before.ends_with("mod ");
                word && path && (after.starts_with("::") || (before.ends_with("use ") && after.starts_with(';')))
            })
        };
        let sources = sources("src");
        // A file that imports a module of that name means the module.
        let own =
            |line: &str| ["super::", "self::", "crate::"].iter().any(|from| line.contains(from)) && line.contains(name);
        let means_module = |source: &Source| source.code().any(|(_, line)| line.starts_with("use ") && own(line));
        let files: Vec<_> = sources
            .iter()
            .filter(|source| source.code().any(|(_, line)| uses(line)) && !means_module(source))
            .collect();
        let paths: Vec<_> = files.iter().map(|source| &source.path).collect();
        assert!(paths.len() <= 1, "the crate `{name}` is named in {paths:?}");
    }
}

#[test]
fn files_are_short_and_open_with_what_they_are() {
    let mut offences = Vec::new();
    for directory in ["src", "tests", "benches", "examples"] {
        for source in sources(directory) {
            if !source.text.starts_with("//! ") {
                offences.push(format!("{}: does not open with `//! ` and what it is", source.path));
            }
            let end = source.text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(source.text.len());
            let lines = source.text[..end].lines().count();
            let longest = if directory == "tests" { 600 } else { LONGEST_FILE };
            if lines > longest {
                offences.push(format!("{}: {lines} lines, at most {longest}", source.path));
            }
            let stem = Path::new(&source.path).file_stem().unwrap().to_string_lossy().into_owned();
            if ["utils", "util", "helpers", "helper", "common", "manager"].contains(&stem.as_str()) {
                offences.push(format!("{}: a name that says nothing", source.path));
            }
        }
    }
    check("files", offences);
}

#[test]
fn every_public_item_must_be_documented() {
    let library = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    assert!(library.contains("#![warn(missing_docs)]"), "src/lib.rs asks for documentation; .ci/run denies warnings");
    let silenced = |source: &Source| source.code().any(|(_, line)| line.contains("allow(missing_docs)"));
    check("missing_docs silenced", sources("src").into_iter().filter(silenced).map(|source| source.path).collect());
}

#[test]
fn the_top_level_is_the_table_of_contents() {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let present: BTreeSet<String> = entries(root()).iter().map(name).collect();
    let ignored = |name: &String| name.starts_with('.') || ["target", "Cargo.lock"].contains(&name.as_str());
    let extra = present.iter().filter(|name| !ignored(name) && !TOP_LEVEL.contains(&name.as_str()));
    check("not at the top level", extra.cloned().collect());
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (mut section, mut above, mut offences) = ("", "", Vec::new());
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.contains("dependencies") && line.contains('=') && !above.starts_with("# ") {
            offences.push(line.to_string());
        }
        above = line;
    }
    check("dependencies without a reason above them", offences);
}

#[test]
fn the_architecture_has_the_same_layers() {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        let [name, _, excluded] = cells.as_slice() else { return None };
        Some((name.trim_end_matches('`').to_owned(), excluded.trim_end_matches(" |").replace('–', "")))
    };
    let documented: Vec<(String, String)> = text.lines().filter_map(row).collect();
    let own = |(name, excluded): &(&str, &[&str])| ((*name).to_owned(), excluded.join(" "));
    let layers: Vec<(String, String)> = LAYERS.iter().map(own).collect();
    assert_eq!(documented, layers);
}
