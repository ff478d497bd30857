//! The file of `--state`: the session of a watcher that ended, or the mark of one that runs.
//!
//! ```text
//! {"mayhap_watch":2,"place":{"line":1042,"connected":3,"is_of_any":true,"recording":{"file":"today.ndjson","bytes":81920}}}
//! {"mayhap_session":1,…}          what `Session::save` wrote
//! ```
//!
//! While the watcher runs, the place is `null`: if it ends without having written another one, the next one knows that.

use crate::cli::terminal::files;
use mayhap::json::{from_line, line};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The version of the form.
const VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
struct KeptHeader {
    mayhap_watch: u32,
    /// None while a watcher runs.
    place: Option<KeptPlace>,
}

/// The recording that a session goes with: another one, or one that has changed since, is not gone on with.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct KeptRecording {
    /// The name that was given.
    pub file: PathBuf,
    /// Its length.
    pub bytes: u64,
}

impl KeptRecording {
    /// The recording as it is now, if there is one.
    pub fn of(path: &Path) -> Option<KeptRecording> {
        let bytes = fs::metadata(path).ok()?.len();
        Some(KeptRecording { file: path.to_owned(), bytes })
    }
}

/// The place that a session goes on from.
#[derive(Serialize, Deserialize)]
pub struct KeptPlace {
    /// The last line of the recording.
    pub line: u64,
    /// The number of connections so far.
    pub connected: u64,
    /// Set if the session began in any state.
    pub is_of_any: bool,
    /// The recording, if there was one.
    pub recording: Option<KeptRecording>,
}

/// The thing that a watcher left.
pub enum LeftState {
    /// Nothing: there was none before.
    Nothing,
    /// A mark that it ran, and did not end in good order.
    Unfinished,
    /// A session, as it was saved, and the place that it goes on from.
    Session(KeptPlace, String),
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
    match header {
        KeptHeader { mayhap_watch, .. } if mayhap_watch != VERSION => Err(other()),
        KeptHeader { place: None, .. } => Ok(LeftState::Unfinished),
        KeptHeader { place: Some(place), .. } => Ok(LeftState::Session(place, saved.to_owned())),
    }
}

/// Marks that a watcher runs.
///
/// # Errors
/// A message, one line: the file cannot be written.
pub fn mark(path: &Path) -> Result<(), String> {
    write(path, None, "")
}

/// Writes the session of a watcher that ends.
///
/// # Errors
/// A message, one line: the file cannot be written.
pub fn save(path: &Path, place: KeptPlace, saved: &str) -> Result<(), String> {
    write(path, Some(place), saved)
}

/// Replaces the file, whole or not at all.
fn write(path: &Path, place: Option<KeptPlace>, saved: &str) -> Result<(), String> {
    let header = line(&KeptHeader { mayhap_watch: VERSION, place }).map_err(|error| error.to_string())?;
    files::write_text(path, &format!("{header}\n{saved}"))
}
