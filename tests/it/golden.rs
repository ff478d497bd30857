//! Files with expected contents beside them; `BLESS=1` writes these anew, to be reviewed as a diff.

use std::path::{Path, PathBuf};

use crate::judge::root;

/// All files with this extension below a folder, sorted, with their texts.
pub fn files(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// Compares with the file of expected contents, or writes it where `BLESS` is set.
pub fn golden(expected: &Path, actual: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(expected, actual).unwrap();
    }
    let known = std::fs::read_to_string(expected).unwrap_or_default();
    assert_eq!(actual, known, "{}: BLESS=1 writes it anew", expected.display());
}
