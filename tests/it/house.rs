//! The rules of the house, checked: layering, sizes, who may name which crate, documentation, the top level.
//!
//! The tables are data; `docs/ARCHITECTURE.md` explains them. A rule that is not checked here is a wish.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the lowest to the highest, each with those below it that it must not name all the same.
const LAYERS: &[(&str, &[&str])] = &[
    ("diagnostic", &[]),
    ("scalar", &["diagnostic"]),
    ("choice", &["diagnostic", "scalar"]),
    ("syntax", &["choice"]),
    ("term", &["diagnostic", "syntax", "choice"]),
    ("value", &["diagnostic", "syntax", "choice"]),
    ("solve", &["diagnostic", "syntax", "choice", "value"]),
    ("spec", &["choice", "solve"]),
    ("json", &["syntax", "choice", "solve"]),
    ("process", &["diagnostic", "syntax", "json", "choice", "solve"]),
    ("trace", &["syntax", "choice", "solve", "process"]),
    ("network", &["diagnostic", "syntax", "json", "choice", "solve"]),
    ("symbolic", &["diagnostic", "syntax", "json", "choice"]),
    ("server", &["diagnostic", "syntax"]),
    ("dualize", &["diagnostic", "syntax", "json", "choice", "server"]),
    ("validate", &["syntax", "server"]),
    ("paths", &["diagnostic", "syntax", "json", "server", "dualize"]),
    ("evidence", &["syntax"]),
    ("lint", &["server", "dualize"]),
    ("coverage", &["server"]),
    ("mutate", &["server"]),
    ("script", &["diagnostic", "syntax", "server"]),
    ("generate", &["diagnostic", "syntax", "server"]),
    ("shrink", &["diagnostic", "syntax", "server"]),
    ("sut", &["syntax", "process", "dualize", "solve"]),
    ("harness", &["syntax"]),
    ("report", &["solve"]),
    ("recorded", &["syntax", "solve"]),
    ("cli", &[]),
];

/// Crates that one file names, so that replacing them is replacing that file.
const NAMED_ONCE: &[&str] = &["z3", "pretty", "serde_json"];

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
    "specs",
    "proofs-notes",
    "tests",
    "benches",
    "examples",
    "docs",
];

/// Lines a file may have; in-file tests do not count.
const LONGEST_FILE: usize = 500;
/// Lines a function may have, unless it is one flat `match`.
const LONGEST_FUNCTION: usize = 70;
/// Lines an arm of a flat `match` may have, and lines around the `match`.
const LONGEST_ARM: usize = 12;

/// Modules whose files form no circle.
const NO_CIRCLES: &[&str] = &[
    "process",
    "value",
    "dualize",
    "server",
    "evidence",
    "symbolic",
    "diagnostic",
    "scalar",
    "choice",
    "syntax",
    "term",
    "json",
    "trace",
    "network",
    "validate",
    "report",
    "cli",
    "solve",
];
/// Modules of which no type has `impl` blocks in many files.
const FEW_IMPLS: &[&str] = &[
    "diagnostic",
    "scalar",
    "syntax",
    "choice",
    "term",
    "json",
    "trace",
    "network",
    "symbolic",
    "server",
    "dualize",
    "process",
    "value",
    "validate",
    "evidence",
    "report",
    "cli",
    "solve",
];
/// Files in which a type may have `impl` blocks: one that needs more has too many jobs.
const MOST_IMPLS: usize = 4;

struct Source {
    /// Relative to the crate.
    path: String,
    text: String,
}

impl Source {
    /// The module below `src` that the file belongs to; empty for the roots of the library and the command.
    fn module(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        inside
            .split('/')
            .next()
            .filter(|name| !matches!(*name, "lib.rs" | "main.rs"))
            .unwrap_or("")
            .trim_end_matches(".rs")
    }

    /// The lines of code, without comments and without in-file tests; each with its number, from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        let lines = self.text[..end].lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(directory: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut directories = vec![root().join(directory)];
    while let Some(directory) = directories.pop() {
        for path in entries(&directory) {
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
                found.push(Source { path: relative, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).map(|all| all.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

/// Fails with all offences at once.
fn check(rule: &str, offences: Vec<String>) {
    assert!(offences.is_empty(), "{rule}:\n  {}", offences.join("\n  "));
}

/// The modules that `crate::…` paths on a line name, also in `use crate::{a, b::c}`.
fn named(line: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let whole_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let rest = &line[at + "crate::".len()..];
        if !whole_word {
            continue;
        }
        let group = rest.strip_prefix('{').map(|group| group.split(',').map(str::trim).collect());
        for path in group.unwrap_or_else(|| vec![rest]) {
            let word: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            modules.extend((!word.is_empty()).then_some(word));
        }
    }
    modules
}

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

/// The files of a module, each with its path below it: `["map", "order"]`; the root, which lists them, is left out.
fn files_of(module: &str) -> Vec<(Vec<String>, Source)> {
    let of_module = sources(&format!("src/{module}")).into_iter().filter_map(|source| {
        let inside = source.path.strip_prefix(&format!("src/{module}/"))?.trim_end_matches(".rs");
        let path: Vec<String> = inside.split('/').filter(|part| *part != "mod").map(str::to_owned).collect();
        (!path.is_empty()).then_some((path, source))
    });
    of_module.collect()
}

/// The lines of code of a file, with each `use` on one line.
fn statements(source: &Source) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for (_, line) in source.code() {
        match statements.last_mut().filter(|last| last.trim_start().starts_with("use ") && !last.contains(';')) {
            Some(open) => open.push_str(line.trim()),
            None => statements.push(line.to_owned()),
        }
    }
    statements
}

/// The paths that a text begins with: `a::{b, c::{d, e}}` begins with three.
fn paths(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    let Some(group) = rest.strip_prefix('{') else { return vec![head.to_owned()] };
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            ',' | '}' if depth == 0 => {
                members.push(group[start..at].trim());
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    members.into_iter().flat_map(paths).map(|member| format!("{head}{member}")).collect()
}

/// The path below a module at which a `super::…` or `crate::module::…` path on a line of a file begins, and its own segments.
fn names_inside(module: &str, from: &[String], line: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let mut found = Vec::new();
    let own = format!("crate::{module}::");
    for prefix in [own.as_str(), "super::"] {
        for (at, _) in line.match_indices(prefix) {
            if line[..at].ends_with("super::") {
                continue;
            }
            let ups = line[at..].split("::").take_while(|segment| *segment == "super").count();
            let skip = if ups > 0 { ups * "super::".len() } else { prefix.len() };
            let base = if ups > 0 { from[..from.len().saturating_sub(ups)].to_vec() } else { Vec::new() };
            for path in paths(&line[at + skip..]) {
                found.push((base.clone(), path.split("::").map(str::to_owned).collect()));
            }
        }
    }
    found
}

/// Which files of a module name which, by their numbers. A file that lists parts of its own may name them, as the root does.
fn named_files(module: &str, files: &[(Vec<String>, Source)]) -> Vec<BTreeSet<usize>> {
    let number = |path: &[String]| files.iter().position(|(own, _)| own == path);
    let of_file = |(own, source): &(Vec<String>, Source)| {
        let mut named = BTreeSet::new();
        for line in statements(source) {
            for (mut path, segments) in names_inside(module, own, &line) {
                for segment in segments {
                    path.push(segment);
                    if number(&path).is_none() {
                        path.pop();
                        break;
                    }
                }
                named.extend(number(&path).filter(|_| !path.starts_with(own)));
            }
        }
        named
    };
    files.iter().map(of_file).collect()
}

/// The circles of a graph, of any length: the sets of nodes of which each leads to each other one.
fn circles(graph: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let reached = |from: usize| {
        let (mut met, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            open.extend(graph[at].iter().filter(|next| met.insert(**next)));
        }
        met
    };
    let reached: Vec<BTreeSet<usize>> = (0..graph.len()).map(reached).collect();
    let both = |a: usize, b: usize| reached[a].contains(&b) && reached[b].contains(&a);
    let all = (0..graph.len()).map(|of| (0..graph.len()).filter(|other| both(of, *other)).collect::<Vec<usize>>());
    all.enumerate().filter(|(of, circle)| circle.len() > 1 && circle[0] == *of).map(|(_, circle)| circle).collect()
}

#[test]
fn files_of_a_module_form_no_circle() {
    let mut offences = Vec::new();
    for module in NO_CIRCLES {
        let files = files_of(module);
        for circle in circles(&named_files(module, &files)) {
            let names: Vec<String> = circle.iter().map(|file| files[*file].0.join("/")).collect();
            offences.push(format!("src/{module}: {}", names.join(", ")));
        }
    }
    check("circles of files", offences);
}

/// The type that an `impl` block on a line is of: of `impl<'a> From<X> for m::Y<'a> {` it is `Y`.
fn implemented(line: &str) -> Option<String> {
    let rest = line.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<']))?;
    let mut depth = 0;
    let mut text = String::new();
    for c in rest.replace("->", "").chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '{' => break,
            c if depth == 0 => text.push(c),
            _ => {}
        }
    }
    let path = text.rsplit(" for ").next()?.split_whitespace().next()?.to_owned();
    path.rsplit("::").next().map(|name| name.trim_start_matches('&').to_owned())
}

#[test]
fn a_type_has_its_code_in_few_files() {
    let mut offences = Vec::new();
    for module in FEW_IMPLS {
        let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in sources("src").iter().filter(|source| source.module() == *module) {
            for name in source.code().filter_map(|(_, line)| implemented(line)) {
                files.entry(name).or_default().insert(source.path.clone());
            }
        }
        let many = files.iter().filter(|(_, files)| files.len() > MOST_IMPLS);
        offences.extend(many.map(|(name, files)| format!("src/{module}: {name} in {} files", files.len())));
    }
    check("types with `impl` blocks in more than four files", offences);
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

/// A function: its place, its number of lines, and whether nearly all of it is one flat `match`.
struct Function {
    place: String,
    lines: usize,
    is_flat_match: bool,
}

fn functions(source: &Source) -> Vec<Function> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| opens_function(line)) {
        let Some(end) = closing(&lines, start) else { continue };
        let lines = &lines[start..=end];
        let place = format!("{}:{}", source.path, start + 1);
        found.push(Function { place, lines: lines.len(), is_flat_match: is_flat_match(lines, indentation(line)) });
    }
    found
}

fn opens_function(line: &str) -> bool {
    let words = line.split_whitespace().take_while(|word| !word.contains('(') && *word != "{");
    let before_fn: Vec<_> = words.take_while(|word| *word != "fn").collect();
    let qualifiers = ["pub", "const", "async", "unsafe", "extern", "\"C\""];
    line.contains("fn ") && before_fn.iter().all(|word| qualifiers.contains(word) || word.starts_with("pub"))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The line that closes the block that opens at or behind `start`, by the formatter's indentation.
fn closing(lines: &[&str], start: usize) -> Option<usize> {
    let own = indentation(lines[start]);
    let first = lines[start].trim_end();
    if first.ends_with(';') || first.ends_with('}') {
        return Some(start);
    }
    let ends =
        |line: &str| indentation(line) == own && (line.trim_start().starts_with('}') || line.trim_end().ends_with(';'));
    (start + 1..lines.len()).find(|&at| ends(lines[at]))
}

fn is_flat_match(lines: &[&str], own: usize) -> bool {
    let is_match = |line: &&str| indentation(line) == own + 4 && line.contains("match ") && line.ends_with('{');
    let Some(start) = lines.iter().position(is_match) else { return false };
    let Some(end) = closing(lines, start) else { return false };
    let arms: Vec<usize> =
        (start + 1..end).filter(|&at| indentation(lines[at]) == own + 8 && lines[at].contains("=>")).collect();
    let longest = arms.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(usize::MAX);
    longest <= LONGEST_ARM && lines.len() - (end - start + 1) <= LONGEST_ARM
}

#[test]
fn functions_are_short() {
    let all: Vec<Function> = sources("src").iter().flat_map(functions).collect();
    let long = all.iter().filter(|function| function.lines > LONGEST_FUNCTION && !function.is_flat_match);
    let told = |function: &Function| format!("{}: {} lines", function.place, function.lines);
    check("functions of more than 70 lines that are no flat `match`", long.map(told).collect());
    let share = |limit: usize| all.iter().filter(|function| function.lines < limit).count() * 100 / all.len();
    assert!(share(40) >= 90, "{} % of the functions are under 40 lines, nine of ten should be", share(40));
    assert!(share(12) >= 50, "{} % of the functions are under 12 lines, most should be", share(12));
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
fn the_architecture_names_every_module() {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let modules: BTreeSet<String> = sources("src").iter().map(|source| source.module().to_string()).collect();
    let missing = modules.iter().filter(|name| !name.is_empty() && !text.contains(&format!("| `{name}` |")));
    check("modules without a row in docs/ARCHITECTURE.md", missing.cloned().collect());
}

#[test]
fn the_checks_see_what_they_should() {
    assert_eq!(named("use crate::{term, value::Value, self};"), ["term", "value", "self"]);
    assert_eq!(named("pub(in crate::spec) fn f(x: crate::term::Term)"), ["spec", "term"]);
    let long = format!("fn f() {{\n{}}}\n", "    x();\n".repeat(80));
    let flat = format!("pub fn f() {{\n    match x {{\n{}    }}\n}}\n", "        A => 1,\n".repeat(80));
    let of = |text: String| functions(&Source { path: "x".into(), text }).pop().unwrap();
    assert_eq!((of(long.clone()).lines, of(long).is_flat_match), (82, false));
    assert_eq!((of(flat.clone()).lines, of(flat).is_flat_match), (84, true));
    let inside = names_inside("value", &["map".into(), "order".into()], "use super::super::{merge, map::Map};");
    let owned = |path: &[&str]| (Vec::new(), path.iter().map(|segment| (*segment).to_owned()).collect());
    assert_eq!(inside, [owned(&["merge"]), owned(&["map", "Map"])]);
    assert_eq!(paths("a::{b, c::{d, e}, f};"), ["a::b", "a::c::d", "a::c::e", "a::f"]);
    let graph = [&[1][..], &[2], &[0, 3], &[4], &[]].map(|next| next.iter().copied().collect());
    assert_eq!(circles(&graph), [[0, 1, 2]]);
    let types = ["impl<'a> From<X> for m::Y<'a> {", "impl Z {", "implement();"].map(implemented);
    assert_eq!(types, [Some("Y".to_owned()), Some("Z".to_owned()), None]);
    assert!(opens_function("    pub(super) const fn f() {") && !opens_function("let f = |x: fn () | x;"));
}
