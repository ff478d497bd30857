//! A program that saves a file on a disk that may lose power at any point. What is on the disk afterwards?
//!
//! The disk keeps everything that was synced. Of what was only written, it keeps what is chosen, in any order. Saving must leave
//! the old content or the new one, and nothing else. `cargo run --example crashing_disk` shows that it does if it writes another
//! file, syncs it and renames it, and what goes wrong without one of these.

use mayhap::choice::{Chooser, Odometer, Report, explore};
use std::collections::BTreeMap;

const OLD: &str = "old";
const NEW: &str = "new content";

/// A disk, with what it certainly keeps.
struct Disk<'c, 's> {
    choices: &'c mut Chooser<'s>,
    files: BTreeMap<&'static str, String>,
    /// The synced content of each file, which a write that was not synced may leave.
    synced: BTreeMap<&'static str, String>,
}

/// The loss of power.
struct Crash;

impl Disk<'_, '_> {
    fn operation(&mut self) -> Result<(), Crash> {
        if self.choices.flip("crash") { Err(Crash) } else { Ok(()) }
    }

    fn write(&mut self, name: &'static str, content: &str) -> Result<(), Crash> {
        self.operation()?;
        self.files.insert(name, content.into());
        Ok(())
    }

    fn sync(&mut self, name: &'static str) -> Result<(), Crash> {
        self.operation()?;
        self.synced.insert(name, self.files[name].clone());
        Ok(())
    }

    fn rename(&mut self, from: &'static str, to: &'static str) -> Result<(), Crash> {
        self.operation()?;
        let content = self.files.remove(from).unwrap_or_default();
        let synced = self.synced.remove(from).unwrap_or_default();
        self.files.insert(to, content);
        self.synced.insert(to, synced);
        Ok(())
    }

    /// The content of a file after a crash. Of a write that was not synced, any prefix may have reached the disk.
    fn after_crash(&mut self, name: &'static str) -> String {
        let (content, synced) = (self.files[name].clone(), self.synced.get(name).cloned().unwrap_or_default());
        if content == synced || self.choices.flip("nothing reached the disk") {
            return synced;
        }
        let kept = self.choices.choose("bytes that reached the disk", content.len() + 1);
        content[..kept].into()
    }
}

/// The ways to save a file.
#[derive(Clone, Copy, Debug)]
pub enum Saving {
    /// Writes over the old content.
    InPlace,
    /// Writes another file and renames it.
    Renamed,
    /// Writes another file, syncs it and renames it.
    SyncedAndRenamed,
}

impl Saving {
    fn save(self, disk: &mut Disk) -> Result<(), Crash> {
        match self {
            Saving::InPlace => {
                disk.write("file", NEW)?;
                disk.sync("file")
            }
            Saving::Renamed => {
                disk.write("other", NEW)?;
                disk.rename("other", "file")
            }
            Saving::SyncedAndRenamed => {
                disk.write("other", NEW)?;
                disk.sync("other")?;
                disk.rename("other", "file")
            }
        }
    }
}

/// Saves a file on every possible disk.
pub fn every_disk(saving: Saving) -> Report {
    explore(Odometer::new(), |choices| {
        let files = BTreeMap::from([("file", OLD.to_owned())]);
        let mut disk = Disk { choices, synced: files.clone(), files };
        // The power may also be lost right after the last operation.
        let crashed = saving.save(&mut disk).and_then(|()| disk.operation()).is_err();
        let content = if crashed { disk.after_crash("file") } else { disk.files["file"].clone() };
        match content.as_str() {
            OLD | NEW => Ok(()),
            other => Err(format!("neither old nor new: {:?}", &other[..other.len().min(3)])),
        }
    })
}

#[allow(dead_code, reason = "a program of its own; tests call the functions above")]
pub fn main() {
    for saving in [Saving::InPlace, Saving::Renamed, Saving::SyncedAndRenamed] {
        println!("{saving:?}: {}\n", every_disk(saving));
    }
}
