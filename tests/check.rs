//! The checker: golden diagnostics for each case, and no error in any specification that is shipped or shared.
//!
//! A case is a file `tests/data/check/*.may` with the expected output beside it (`*.txt`); `BLESS=1 cargo test --test
//! check` writes the outputs anew, to be reviewed as a diff.

use mayhap::diagnostic::{Colour, Diagnostic, Sources};
use mayhap::spec::load::{Text, load};
use std::fs;
use std::path::{Path, PathBuf};

/// What `check` says of a file, rendered.
fn output(path: &Path) -> (String, Vec<Diagnostic>) {
    let text = fs::read_to_string(path).expect("a case is readable");
    let name = path.file_name().expect("a case has a name").to_string_lossy().into_owned();
    let mut sources = Sources::default();
    let mut beside = |used: &str| {
        let name = format!("{used}.may");
        let text = fs::read_to_string(path.with_file_name(&name)).map_err(|_| "no such file".to_owned())?;
        Ok(Text { name, text })
    };
    let (loaded, mut found) = load(Text { name, text }, &mut beside, &mut sources);
    found.extend(loaded.check().1);
    (found.iter().map(|finding| sources.render(finding, Colour::Never) + "\n").collect(), found)
}

fn specifications(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the directory is there") {
        let path = entry.expect("the directory is readable").path();
        if path.is_dir() {
            found.extend(specifications(&path));
        } else if path.extension().is_some_and(|extension| extension == "may") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn here(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

#[test]
fn every_case_says_what_it_should() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in specifications(&here("tests/data/check")) {
        let (actual, _) = output(&path);
        let golden = path.with_extension("txt");
        if bless {
            fs::write(&golden, &actual).expect("the output can be written");
        } else if fs::read_to_string(&golden).unwrap_or_default() != actual {
            wrong.push(format!("{}:\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shipped_and_shared_specifications_have_no_errors() {
    for directory in ["specs", "../shared/conformance", "../shared/specs"].map(here) {
        if !directory.exists() {
            continue;
        }
        for path in specifications(&directory) {
            let (text, found) = output(&path);
            assert!(!found.iter().any(Diagnostic::is_error), "{}:\n{text}", path.display());
        }
    }
}
