//! The package, as users of the library and of `cargo install` get it: what is in it, and what is built for whom.
//!
//! `cargo` itself is asked, and looks at nothing but this checkout: `--offline`, and no crate is built.

use std::path::Path;
use std::process::Command;

/// What only the command needs; a library user builds none of it.
const OF_THE_COMMAND: &[&str] =
    &["clap", "clap_complete", "ctrlc", "flate2", "granit_parser", "indicatif", "mimalloc", "zstd"];

/// What only a feature of the library needs.
const OF_A_FEATURE: &str = "proptest";

/// What a subcommand of cargo prints, line by line.
fn cargo(arguments: &[&str]) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(["--offline", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The names of all crates that are built with these features.
fn built(features: &[&str]) -> Vec<String> {
    let tree = cargo(&[&["tree", "--edges", "normal", "--prefix", "none", "--format", "{lib}"], features].concat());
    assert!(tree.iter().any(|name| name == "mayhap"), "{tree:?}");
    tree
}

#[test]
fn the_library_does_not_build_what_the_command_needs() {
    let (library, command) = (built(&["--no-default-features"]), built(&[]));
    for name in OF_THE_COMMAND {
        assert!(command.iter().any(|other| other == name), "`{name}` is not built for the command either");
        assert!(!library.iter().any(|other| other == name), "`{name}` is built for users of the library");
    }
    let with_feature = built(&["--no-default-features", "--features", OF_A_FEATURE]);
    for (tree, is_built) in [(library, false), (with_feature, true)] {
        assert_eq!(tree.iter().any(|other| other == OF_A_FEATURE), is_built, "{tree:?}");
    }
}

/// Whether the package holds a file at or below this path.
fn holds(files: &[String], path: &str) -> bool {
    files.iter().any(|file| file == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
}

#[test]
fn the_package_has_what_is_built_and_read_and_no_test_data() {
    let files = cargo(&["package", "--list", "--allow-dirty"]);
    let needed = ["src/lib.rs", "src/main.rs", "specs/kv_etag.may", "examples/first_steps.rs", "docs/LANGUAGE.md"];
    let texts = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.lock"];
    for path in needed.iter().chain(&texts) {
        assert!(holds(&files, path), "{path} is missing");
    }
    for path in ["tests", "benches", "target", ".ci", "Makefile"] {
        assert!(!holds(&files, path), "{path} is in the package");
    }
    let size = |file: &String| std::fs::metadata(root(file)).map_or(0, |file| file.len());
    let total: u64 = files.iter().map(size).sum();
    assert!(total < 7 << 20, "{total} bytes; crates.io takes 10 MiB compressed");
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The paths that `include_str!` and `include_bytes!` name in a source of the package, relative to the crate.
fn included(source: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("include_str!(\"").skip(1) {
        let mut path: Vec<&str> = source.split('/').collect();
        path.pop();
        for step in part.split('"').next().unwrap_or_default().split('/') {
            if step == ".." {
                path.pop();
            } else {
                path.push(step);
            }
        }
        found.push(path.join("/"));
    }
    found
}

#[test]
fn what_the_sources_include_is_in_the_package() {
    assert_eq!(included("src/a/b.rs", "include_str!(\"../../docs/X.md\")"), ["docs/X.md"]);
    let files = cargo(&["package", "--list", "--allow-dirty"]);
    let sources = files.iter().filter(|file| file.ends_with(".rs") && file.as_str() != "build.rs");
    let mut seen = 0;
    for source in sources {
        let text = std::fs::read_to_string(root(source)).unwrap();
        for path in included(source, &text) {
            assert!(holds(&files, &path), "{source} includes {path}, which is not in the package");
            seen += 1;
        }
    }
    assert!(seen > 0, "nothing is included any more: this test tests nothing");
}

/// The most that the front page of the library's documentation may list: who reads it for the first time reads all of it. Tests begin at
/// `test`, `requests`, or `interface` with `check_interface`, so that none of the others can go for one of them.
const FRONT_PAGE: usize = 21;

#[test]
fn the_front_page_of_the_library_is_short() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.iter().enumerate().filter(|(at, _)| *at == 0 || lines[at - 1] != "#[doc(hidden)]");
    let items: Vec<&str> = shown.filter_map(|(_, line)| line.strip_prefix("pub ")).collect();
    let named = |item: &&str| 1 + item.matches(',').count();
    let count: usize = items.iter().map(named).sum();
    assert!(count <= FRONT_PAGE, "{count} items, at most {FRONT_PAGE}: {items:#?}");
}
