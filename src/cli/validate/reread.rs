//! Reading a trace a second time, for evidence: from its file, or from a copy of a stream.
//!
//! Judging keeps no history. So a stream, or the content of a compressed file, is copied to a file without a name, which the system removes
//! in the end.

use super::compressed::Decompressed;
use crate::cli::terminal::files;
use mayhap::spec::Spec;
use mayhap::validate::StoredTrace;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A trace that is read, and can be read again.
pub struct RereadableTrace {
    /// The trace.
    pub input: BufReader<Tee>,
}

/// Passes on what it reads, and keeps it.
pub struct Tee {
    source: Box<dyn Read>,
    kept: RereadSource,
}

/// Counts the bytes that are read of a file.
struct CountedBytes {
    source: Box<dyn Read>,
    read: Arc<AtomicU64>,
}

/// The source from which a trace can be read again, if there is one.
enum RereadSource {
    /// The file is still there.
    File(PathBuf),
    /// A copy of what was read so far is in this file.
    Spool(File),
    /// All of it is in this file.
    Whole(File),
    /// It is not needed again.
    Nothing,
}

/// Says whether a trace may be needed again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rereading {
    /// It may be needed again.
    Again,
    /// Reading it once is enough.
    Once,
}

impl RereadableTrace {
    /// Opens a trace.
    ///
    /// # Errors
    /// A message, one line.
    pub fn open(path: &Path, need: Rereading, read: Arc<AtomicU64>) -> Result<RereadableTrace, String> {
        let counted = CountedBytes { source: files::open(path)?, read };
        let mut opened = Decompressed::of(Box::new(counted)).map_err(|cause| files::unreadable(path, &cause))?;
        let unkept = |cause| format!("cannot keep {}: {cause}", files::shown(path));
        let (source, kept): (Box<dyn Read>, _) = match need {
            _ if opened.is_compressed => {
                let file = spool().map_err(unkept)?;
                // All of it is decompressed before any is judged: only its end shows whether it is damaged.
                io::copy(&mut opened.input, &mut &file).map_err(|cause| files::unreadable(path, &cause))?;
                (Box::new(FilePlace { file: file.try_clone().map_err(unkept)?, at: 0 }), RereadSource::Whole(file))
            }
            Rereading::Once => (opened.input, RereadSource::Nothing),
            Rereading::Again if files::is_file(path) => (opened.input, RereadSource::File(path.to_path_buf())),
            Rereading::Again => (opened.input, RereadSource::Spool(spool().map_err(unkept)?)),
        };
        Ok(RereadableTrace { input: BufReader::with_capacity(files::READ_AHEAD, Tee { source, kept }) })
    }

    /// Keeps nothing of what is read: it is not needed again.
    pub fn forget(&mut self) {
        self.input.get_mut().kept = RereadSource::Nothing;
    }

    /// Opens the trace anew, at its beginning: all of it, or what was read of it so far, and perhaps somewhat more.
    ///
    /// # Errors
    /// A message, one line.
    pub fn anew(&mut self, part: TracePart) -> Result<Box<dyn BufRead>, String> {
        let unreadable = |cause| format!("cannot read the recording again: {cause}");
        if part == TracePart::All
            && !matches!(self.input.get_ref().kept, RereadSource::File(_) | RereadSource::Whole(_))
        {
            io::copy(&mut self.input, &mut io::sink()).map_err(unreadable)?;
        }
        self.input.get_ref().kept.open_at(0)
    }

    /// Turns what was read of the trace, its first `length` exchanges, into a recording that can be read again.
    #[must_use]
    pub fn again(
        self,
        spec: &Arc<Spec>,
        length: usize,
    ) -> StoredTrace<impl Fn(u64) -> Result<Box<dyn BufRead>, String>> {
        let kept = self.input.into_inner().kept;
        StoredTrace::new(spec, length, move |bytes| kept.open_at(bytes))
    }
}

/// The part of a trace that is read again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TracePart {
    /// As far as it was read.
    Read,
    /// To its end.
    All,
}

impl RereadSource {
    fn open_at(&self, bytes: u64) -> Result<Box<dyn BufRead>, String> {
        match self {
            RereadSource::File(path) => open_at(path, bytes),
            RereadSource::Nothing => Ok(Box::new(io::empty())),
            RereadSource::Spool(file) | RereadSource::Whole(file) => {
                let file = file.try_clone().map_err(|cause| format!("cannot read the recording again: {cause}"))?;
                Ok(Box::new(BufReader::with_capacity(AGAIN, FilePlace { file, at: bytes })))
            }
        }
    }
}

/// The number of bytes that are read at once if a part of a trace is read again.
const AGAIN: usize = 1 << 16;

fn open_at(path: &Path, bytes: u64) -> Result<Box<dyn BufRead>, String> {
    let unreadable =
        |cause: io::Error| format!("{}: cannot read it again: {}", files::shown(path), files::reason(&cause));
    let mut file = File::open(path).map_err(unreadable)?;
    file.seek(SeekFrom::Start(bytes)).map_err(unreadable)?;
    Ok(Box::new(BufReader::with_capacity(AGAIN, file)))
}

/// A place in a file that others read, too.
struct FilePlace {
    file: File,
    at: u64,
}

impl Read for FilePlace {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(self.at))?;
        let read = self.file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// A new file that nothing else can see.
///
/// # Errors
/// The system's.
pub fn spool() -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("mayhap-{}-{}.spool", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

impl Read for Tee {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        if let RereadSource::Spool(file) = &mut self.kept {
            // Whoever reads it again moves the place in it.
            file.seek(SeekFrom::End(0))?;
            file.write_all(&buffer[..read])?;
        }
        Ok(read)
    }
}

impl Read for CountedBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
