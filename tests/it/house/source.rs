//! The files of the crate that are checked.
//!
//! `sources("src")` has every file below `src`, by its path; an offence is told with it.

use std::fs;
use std::path::{Path, PathBuf};

pub struct Source {
    /// Relative to the crate.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The module below `src` that the file belongs to; empty for the roots of the library and the command.
    pub fn module(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        inside
            .split('/')
            .next()
            .filter(|name| !matches!(*name, "lib.rs" | "main.rs"))
            .unwrap_or("")
            .trim_end_matches(".rs")
    }

    /// The lines of code, without comments and without in-file tests; each with its number, from 1.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        let lines = self.text[..end].lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn sources(directory: &str) -> Vec<Source> {
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

pub fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).map(|all| all.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

/// Fails with all offences at once.
pub fn check(rule: &str, offences: Vec<String>) {
    assert!(offences.is_empty(), "{rule}:\n  {}", offences.join("\n  "));
}
