//! Reading a trace a second time, for evidence: from its file, or from a copy of a stream.
//!
//! Judging keeps no history. So a stream, or the content of a compressed file, is copied to an unnamed file, which the system
//! removes at the end.

use super::compressed::Decompressed;
use crate::cli::terminal::files;
use mayhap::limits::end;
use mayhap::session::{OpenAt, RecordingSource, TracePart};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A trace that is being read, and can be read again.
pub struct RereadableTrace {
    /// The trace.
    pub input: BufReader<Tee>,
}

/// A reader that copies everything that it reads.
pub struct Tee {
    source: Box<dyn Read>,
    kept: RereadSource,
}

/// A reader that counts the bytes that it reads.
struct CountedBytes {
    source: Box<dyn Read>,
    read: Arc<AtomicU64>,
}

/// The source for reading a trace again.
enum RereadSource {
    /// The file itself.
    File(PathBuf),
    /// A file with a copy of everything read so far.
    Spool(File),
    /// A file with the whole decompressed trace.
    Whole(File),
    /// No source, as the trace is not needed again.
    Nothing,
}

/// The choice whether a trace may be needed again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rereading {
    /// The trace may be needed again.
    Again,
    /// Reading the trace once is enough.
    Once,
}

impl RereadableTrace {
    /// Opens a trace.
    ///
    /// # Errors
    /// The trace cannot be opened or copied; the message has one line.
    pub fn open(path: &Path, need: Rereading, read: Arc<AtomicU64>) -> Result<RereadableTrace, String> {
        let counted = CountedBytes { source: files::open(path)?, read };
        let mut opened = Decompressed::of(Box::new(counted)).map_err(|cause| files::unreadable(path, &cause))?;
        let unkept = |cause| format!("cannot keep {}: {cause}", files::shown(path));
        let (source, kept): (Box<dyn Read>, _) = match need {
            _ if opened.is_compressed => {
                let file = spool().map_err(unkept)?;
                // All of it is decompressed before it is judged, as only its end shows whether it is damaged.
                io::copy(&mut opened.input, &mut &file).map_err(|cause| files::unreadable(path, &cause))?;
                (Box::new(FilePlace { file: file.try_clone().map_err(unkept)?, at: 0 }), RereadSource::Whole(file))
            }
            Rereading::Once => (opened.input, RereadSource::Nothing),
            Rereading::Again if files::is_file(path) => (opened.input, RereadSource::File(path.to_path_buf())),
            Rereading::Again => (opened.input, RereadSource::Spool(spool().map_err(unkept)?)),
        };
        Ok(RereadableTrace { input: BufReader::with_capacity(files::READ_AHEAD, Tee { source, kept }) })
    }
}

impl RecordingSource for RereadableTrace {
    fn input(&mut self) -> &mut dyn BufRead {
        &mut self.input
    }

    fn forget(&mut self) {
        let kept = &mut self.input.get_mut().kept;
        if let RereadSource::Spool(_) = kept {
            *kept = RereadSource::Nothing;
        }
    }

    fn size(&self) -> Option<u64> {
        match &self.input.get_ref().kept {
            RereadSource::File(path) => Some(files::size(path)),
            RereadSource::Whole(file) => file.metadata().ok().map(|of| of.len()),
            RereadSource::Spool(_) | RereadSource::Nothing => None,
        }
    }

    fn anew(&mut self, part: TracePart) -> Result<Box<dyn BufRead>, String> {
        let unreadable = |cause| format!("cannot read the recording again: {cause}");
        if part == TracePart::All && self.size().is_none() {
            io::copy(&mut self.input, &mut io::sink()).map_err(unreadable)?;
        }
        self.input.get_ref().kept.open_at(0)
    }

    fn reopened(self: Box<Self>) -> OpenAt {
        let kept = self.input.into_inner().kept;
        Box::new(move |bytes| kept.open_at(bytes))
    }
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

/// The bytes that are read at once when a trace is read again.
const AGAIN: usize = 1 << 16;

fn open_at(path: &Path, bytes: u64) -> Result<Box<dyn BufRead>, String> {
    let unreadable =
        |cause: io::Error| format!("{}: cannot read it again: {}", files::shown(path), files::reason(&cause));
    let mut file = File::open(path).map_err(unreadable)?;
    file.seek(SeekFrom::Start(bytes)).map_err(unreadable)?;
    Ok(Box::new(BufReader::with_capacity(AGAIN, file)))
}

/// A position in a file that has other readers.
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

/// A new file that nobody else can see.
///
/// # Errors
/// The file cannot be made.
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
        if end::is_stopped() {
            return Err(io::Error::other("interrupted"));
        }
        let read = self.source.read(buffer)?;
        if let RereadSource::Spool(file) = &mut self.kept {
            // Another reader may have moved the position in the file.
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
