//! The built command, run with arguments and input: what the tests of the command line share.

mod bad_input;
mod judging;
mod transcripts;
mod usage;

use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command, its streams piped, in the directory of the crate.
pub fn mayhap(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mayhap"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command with `input` as standard input.
pub fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = mayhap(arguments).stdin(Stdio::piped()).spawn().unwrap();
    // A command that refuses its arguments does not read its input.
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Checks the exit code, and that standard output and standard error together contain each of `parts`.
pub fn check(arguments: &[&str], input: &str, code: i32, parts: &[&str]) {
    let output = run(arguments, input);
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{arguments:?}: {part:?} is not in:\n{text}");
    }
    assert!(!text.contains("panicked"), "{arguments:?}: {text}");
}

/// What a specification simulates, with these options.
pub fn simulated(path: &Path, options: &str) -> String {
    let arguments: Vec<&str> = ["simulate", path.to_str().unwrap()].into_iter().chain(options.split(' ')).collect();
    let output = run(&arguments, "");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A file with this content, at [`place`].
#[track_caller]
pub fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = place(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Where a file of this name may be written: each file of tests has a directory to itself.
#[track_caller]
pub fn place(name: &str) -> PathBuf {
    let tests = Path::new(Location::caller().file()).file_stem().unwrap();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(tests);
    std::fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}
