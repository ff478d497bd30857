//! The file of `--state`: the session of a watcher that ended, or the mark of one that runs.
//!
//! ```text
//! {"mayhap_watch":1,"line":1042,"state":"any"}
//! {"mayhap_session":1,…}          what `Session::save` wrote
//! ```
//!
//! While the watcher runs, its state is `running`: if it ends without having written another one, the next one knows that.

use crate::cli::files;
use mayhap::json::{from_line, line};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The version of the form.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct KeptHeader {
    mayhap_watch: u32,
    line: u64,
    state: KeptState,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
enum KeptState {
    /// A watcher runs, or did.
    Running,
    /// The session began as the specification does.
    Start,
    /// The session began in any state.
    Any,
}

/// The thing that a watcher left.
pub enum LeftState {
    /// Nothing: there was none before.
    Nothing,
    /// A mark that it ran, and did not end in good order.
    Unfinished,
    /// A session that goes on after a line of the recording.
    Session {
        /// The line.
        line: u64,
        /// Set if it began in any state.
        is_of_any: bool,
        /// The session, as it was saved.
        saved: String,
    },
}

/// Reads what a watcher left.
///
/// # Errors
/// A message, one line: the file cannot be read, or another program wrote it.
pub fn read(path: &Path) -> Result<LeftState, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(LeftState::Nothing),
        Err(cause) => return Err(files::unreadable(path, &cause)),
    };
    let (header, saved) = text.split_once('\n').unwrap_or((&text, ""));
    let other = || format!("{}: this file is not a state that `mayhap watch` has kept", files::shown(path));
    let header: KeptHeader = from_line(header).map_err(|_| other())?;
    let saved = saved.to_owned();
    match header.state {
        _ if header.mayhap_watch != VERSION => Err(other()),
        KeptState::Running => Ok(LeftState::Unfinished),
        state => Ok(LeftState::Session { line: header.line, is_of_any: state == KeptState::Any, saved }),
    }
}

/// Marks that a watcher runs.
///
/// # Errors
/// A message, one line: the file cannot be written.
pub fn mark(path: &Path) -> Result<(), String> {
    write(path, &KeptHeader { mayhap_watch: VERSION, line: 0, state: KeptState::Running }, "")
}

/// Writes the session of a watcher that ends.
///
/// # Errors
/// A message, one line: the file cannot be written.
pub fn save(path: &Path, line: u64, is_of_any: bool, saved: &str) -> Result<(), String> {
    let state = if is_of_any { KeptState::Any } else { KeptState::Start };
    write(path, &KeptHeader { mayhap_watch: VERSION, line, state }, saved)
}

/// Replaces the file, whole or not at all.
fn write(path: &Path, header: &KeptHeader, saved: &str) -> Result<(), String> {
    let header = line(header).map_err(|error| error.to_string())?;
    files::write_text(path, &format!("{header}\n{saved}"))
}
