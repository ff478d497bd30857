//! Files and standard input (`-`), and the messages about files that cannot be read.
//!
//! A directory, a missing file and a file that is not UTF-8 have different messages, with the name that the user gave.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use mayhap::validate::spec_file;
pub use mayhap::validate::spec_file::reason;

/// The number of bytes of a trace that are read at once.
pub const READ_AHEAD: usize = 1 << 18;

/// Tests whether a path stands for standard input: it is `-`.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The size of a file in bytes; 0 if it is unknown.
pub fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |known| known.len())
}

/// Tests whether a path names a regular file, which can be read again.
pub fn is_file(path: &Path) -> bool {
    !is_stdin(path) && path.metadata().is_ok_and(|data| data.is_file())
}

/// Tests whether standard input is a regular file, so that all of it is there.
pub fn is_redirected() -> bool {
    std::fs::metadata("/dev/stdin").is_ok_and(|input| input.is_file())
}

/// The name of a file in messages.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() }
}

/// Checks that a file would not overwrite one that is read.
///
/// # Errors
/// Both are the same file; the message has one line.
pub fn apart<'i>(out: &Path, inputs: impl IntoIterator<Item = &'i Path>) -> Result<(), String> {
    let Ok(there) = out.canonicalize() else { return Ok(()) };
    match inputs.into_iter().find(|input| input.canonicalize().is_ok_and(|input| input == there)) {
        Some(input) => Err(format!("{}: refusing to overwrite this file: it is read as {}", shown(out), shown(input))),
        None => Ok(()),
    }
}

/// Creates a file. It may replace an existing one, but not one that is read.
///
/// # Errors
/// The file cannot be created; the message has one line.
pub fn create(path: &Path, read: &Path) -> Result<File, String> {
    apart(path, [read])?;
    File::create(path).map_err(|cause| unwritable(path, &cause))
}

/// The text of a specification.
///
/// # Errors
/// A message, one line: the file cannot be read, is too large, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, String> {
    spec_file::text(&shown(path), open(path)?)
}

/// Opens a file as a stream.
///
/// # Errors
/// The file cannot be opened; the message has one line.
pub fn open(path: &Path) -> Result<Box<dyn Read>, String> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|cause| unreadable(path, &cause))?;
    if file.metadata().is_ok_and(|data| data.is_dir()) {
        return Err(format!("{}: this is a directory, expected a file", shown(path)));
    }
    Ok(Box::new(file))
}

/// Replaces the content of a file as a whole, or creates the file.
///
/// # Errors
/// The file cannot be written, and is as it was; the message has one line.
pub fn write_text(path: &Path, text: &str) -> Result<(), String> {
    replace(path, text).map_err(|cause| unwritable(path, &cause))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // The target of a symbolic link is replaced, and not the link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".mayhap-tmp");
    let scratch = path.with_file_name(name);
    let written = || -> io::Result<()> {
        let mut file = File::create(&scratch)?;
        file.write_all(text.as_bytes())?;
        if let Ok(there) = std::fs::metadata(&path) {
            file.set_permissions(there.permissions())?;
        }
        std::fs::rename(&scratch, &path)
    };
    written().inspect_err(|_| _ = std::fs::remove_file(&scratch))
}

/// The message that a file cannot be written, with the cause.
pub fn unwritable(path: &Path, cause: &io::Error) -> String {
    format!("{}: cannot write: {}", shown(path), reason(cause))
}

/// The message that a file cannot be read, with the cause.
pub fn unreadable(path: &Path, cause: &io::Error) -> String {
    format!("{}: cannot read: {}", shown(path), reason(cause))
}
