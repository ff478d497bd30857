//! Files with expected contents beside them, and trees without places.

use std::fmt::Debug;
use std::path::Path;

/// All files with this extension below a folder, sorted, with their texts.
pub fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push((path.to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Compares with the file beside `path` that has this extension, or writes it where `BLESS` is set.
pub fn golden(path: &str, extension: &str, actual: &str) {
    let expected = Path::new(path).with_extension(extension);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&expected, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&expected).unwrap_or_default();
    assert_eq!(actual, expected, "{path}");
}

/// A tree without places and numbers, and with the texts of its comments.
pub fn shape(tree: &impl Debug) -> String {
    let mut text = format!("{tree:?}");
    for (begin, end) in [("Span {", "}"), ("NodeId(", ")")] {
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(begin) {
            kept.push_str(&rest[..at]);
            let after = &rest[at..];
            rest = &after[after.find(end).map_or(after.len(), |end| end + 1)..];
        }
        kept.push_str(rest);
        text = kept;
    }
    text
}
