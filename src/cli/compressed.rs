//! Recordings that are compressed with gzip or zstd, read as if they were not; they are known by their first bytes, whatever their name.
//!
//! `mayhap validate kv.may monday.ndjson.gz` and `zstdcat monday.ndjson.zst | mayhap validate kv.may -` read what they should; so does
//! `mayhap validate kv.may - < monday.ndjson.zst`.

use super::files;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// A stream as it was before it was compressed.
pub struct Decompressed {
    /// The stream.
    pub input: Box<dyn Read>,
    /// True if its bytes are not those of the file, in which one cannot go to a place of it.
    pub is_compressed: bool,
}

impl Decompressed {
    /// Decompresses a stream, if it is compressed. Its first bytes are waited for.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub fn of(source: Box<dyn Read>) -> io::Result<Decompressed> {
        let mut source = BufReader::with_capacity(files::READ_AHEAD, source);
        let begin = loop {
            match source.fill_buf() {
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                found => break found?,
            }
        };
        let format = CompressedFormat::of(begin);
        let input: Box<dyn Read> = match format {
            None => Box::new(source),
            Some(CompressedFormat::Gzip) => {
                Box::new(NamedDecoder { decoder: MultiGzDecoder::new(source), name: "gzip" })
            }
            Some(CompressedFormat::Zstd) => {
                Box::new(NamedDecoder { decoder: zstd::Decoder::with_buffer(source)?, name: "zstd" })
            }
        };
        Ok(Decompressed { input, is_compressed: format.is_some() })
    }
}

/// The ways in which a stream may be compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CompressedFormat {
    Gzip,
    Zstd,
}

impl CompressedFormat {
    /// The format of a stream that begins with these bytes.
    fn of(begin: &[u8]) -> Option<CompressedFormat> {
        match begin {
            [0x1f, 0x8b, ..] => Some(CompressedFormat::Gzip),
            // A frame, or one that is passed over, as parallel compressors write it first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(CompressedFormat::Zstd),
            _ => None,
        }
    }
}

/// A decoder whose errors say what is wrong with the file.
struct NamedDecoder<D> {
    decoder: D,
    name: &'static str,
}

/// Something that decompresses what it reads.
trait Decoder: Read {
    /// Tests whether it has read the beginning of a file of its format.
    fn has_begun(&self) -> bool {
        true
    }
}

impl<R: BufRead> Decoder for MultiGzDecoder<R> {
    fn has_begun(&self) -> bool {
        self.header().is_some()
    }
}

impl<R: BufRead> Decoder for zstd::Decoder<'_, R> {}

impl<D: Decoder> Read for NamedDecoder<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer).and_then(|read| {
            // Less than a header is no end.
            let is_cut = read == 0 && !buffer.is_empty() && !self.decoder.has_begun();
            if is_cut { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(read) }
        });
        read.map_err(|cause| match cause.kind() {
            ErrorKind::Interrupted => cause,
            ErrorKind::UnexpectedEof => {
                let why = format!("this {} file is cut off: it ends in the middle of its data", self.name);
                io::Error::new(ErrorKind::UnexpectedEof, why)
            }
            kind => io::Error::new(kind, format!("this {} file is damaged: {cause}", self.name)),
        })
    }
}
