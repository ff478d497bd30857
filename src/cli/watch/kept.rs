//! The file of `--state`: the session of a watcher that has ended, or a mark that a watcher is running.
//!
//! ```text
//! {"mayhap_watch":2,"place":{"line":1042,"connected":3,"is_of_any":true,"recording":{"file":"today.ndjson","bytes":81920}}}
//! {"mayhap_session":1,…}          what `Session::save` wrote
//! ```
//!
//! While a watcher runs, the place is `null`. A watcher that finds this knows that the one before did not end in good order.

use crate::cli::terminal::files;
use mayhap::json::{from_line, line};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
struct KeptHeader {
    mayhap_watch: u32,
    /// The place; `None` while a watcher runs.
    place: Option<KeptPlace>,
}

/// The recording of a session. The session does not continue another recording, or one that has changed.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct KeptRecording {
    /// The name of the file, as the user gave it.
    pub file: PathBuf,
    /// The length of the file in bytes.
    pub bytes: u64,
}

impl KeptRecording {
    /// The recording as it is now; `None` if there is none.
    pub fn of(path: &Path) -> Option<KeptRecording> {
        let bytes = fs::metadata(path).ok()?.len();
        Some(KeptRecording { file: path.to_owned(), bytes })
    }
}

/// The place from which a session continues.
#[derive(Serialize, Deserialize)]
pub struct KeptPlace {
    /// The last line of the recording.
    pub line: u64,
    /// The number of connections so far.
    pub connected: u64,
    /// Set if the session began from any state.
    pub is_of_any: bool,
    /// The recording, if there was one.
    pub recording: Option<KeptRecording>,
}

/// The content of the file.
pub enum LeftState {
    /// No file, as there was no watcher before.
    Nothing,
    /// A mark that a watcher was running, and did not end in good order.
    Unfinished,
    /// A saved session, and the place from which it continues.
    Session(KeptPlace, String),
}

/// Reads the file.
///
/// # Errors
/// The file cannot be read, or was written by another program; the message has one line.
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

/// Writes the mark that a watcher is running.
///
/// # Errors
/// The file cannot be written; the message has one line.
pub fn mark(path: &Path) -> Result<(), String> {
    write(path, None, "")
}

/// Writes the session of a watcher that ends.
///
/// # Errors
/// The file cannot be written; the message has one line.
pub fn save(path: &Path, place: KeptPlace, saved: &str) -> Result<(), String> {
    write(path, Some(place), saved)
}

/// Replaces the file as a whole, or not at all.
fn write(path: &Path, place: Option<KeptPlace>, saved: &str) -> Result<(), String> {
    let header = line(&KeptHeader { mayhap_watch: VERSION, place }).map_err(|error| error.to_string())?;
    files::write_text(path, &format!("{header}\n{saved}"))
}
