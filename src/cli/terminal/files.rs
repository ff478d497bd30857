//! Files and standard input: `-`, and what is said about those that cannot be read.
//!
//! A directory, a missing file and one that is not UTF-8 each have their own message, with the name that was asked for.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The largest specification that is read: spans are 32 bits wide, and nobody writes this much by hand.
const LARGEST_SPEC: u64 = 1 << 28;

/// The number of bytes of a trace that are read at once.
pub const READ_AHEAD: usize = 1 << 18;

/// Tests whether a path stands for standard input: it is `-`.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The size of a file in bytes; 0 if it is not known.
pub fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |known| known.len())
}

/// Tests whether a path is that of a file, which can be read again.
pub fn is_file(path: &Path) -> bool {
    !is_stdin(path) && path.metadata().is_ok_and(|data| data.is_file())
}

/// Tests whether standard input is a file, which is all there.
pub fn is_redirected() -> bool {
    std::fs::metadata("/dev/stdin").is_ok_and(|input| input.is_file())
}

/// The name of a file in messages.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() }
}

/// That a file is not written over one that is read.
///
/// # Errors
/// A message, one line, if both are the same file.
pub fn apart<'i>(out: &Path, inputs: impl IntoIterator<Item = &'i Path>) -> Result<(), String> {
    let Ok(there) = out.canonicalize() else { return Ok(()) };
    match inputs.into_iter().find(|input| input.canonicalize().is_ok_and(|input| input == there)) {
        Some(input) => Err(format!("{}: refusing to overwrite this file: it is read as {}", shown(out), shown(input))),
        None => Ok(()),
    }
}

/// A new file, in the place of one that may be there, but of none that is read.
///
/// # Errors
/// A message, one line.
pub fn create(path: &Path, read: &Path) -> Result<File, String> {
    apart(path, [read])?;
    File::create(path).map_err(|cause| unwritable(path, &cause))
}

/// The text of a specification.
///
/// # Errors
/// A message, one line: the file cannot be read, is too large, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let mut limited = open(path)?.take(LARGEST_SPEC + 1);
    limited.read_to_end(&mut bytes).map_err(|cause| unreadable(path, &cause))?;
    if bytes.len() as u64 > LARGEST_SPEC {
        return Err(format!(
            "{}: this file is larger than {LARGEST_SPEC} bytes, the limit for specifications",
            shown(path)
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("{}:{line}: this file is not valid UTF-8", shown(path))
    })
}

/// A file as a stream.
///
/// # Errors
/// A message, one line.
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

/// Replaces the contents of a file, whole or not at all; makes one that is not there.
///
/// # Errors
/// A message, one line; the file is as it was.
pub fn write_text(path: &Path, text: &str) -> Result<(), String> {
    replace(path, text).map_err(|cause| unwritable(path, &cause))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // What a symbolic link points to is replaced, not the link.
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

/// Says that a file cannot be written, and why.
pub fn unwritable(path: &Path, cause: &io::Error) -> String {
    format!("{}: cannot write: {}", shown(path), reason(cause))
}

/// Says that a file cannot be read, and why.
pub fn unreadable(path: &Path, cause: &io::Error) -> String {
    format!("{}: cannot read: {}", shown(path), reason(cause))
}

/// The cause without the number that the system gives it.
pub fn reason(cause: &io::Error) -> String {
    let text = cause.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
