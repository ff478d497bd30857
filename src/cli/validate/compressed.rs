//! Recordings that are compressed with gzip or zstd, which are read like others. Their first bytes tell the format, whatever
//! their names.
//!
//! `mayhap validate kv.may monday.ndjson.gz`, `zstdcat monday.ndjson.zst | mayhap validate kv.may -` and
//! `mayhap validate kv.may - < monday.ndjson.zst` all work.

use crate::cli::terminal::files;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// A stream after decompression.
pub struct Decompressed {
    /// The stream.
    pub input: Box<dyn Read>,
    /// Set if the trace was compressed, so that positions in it are not positions in the file.
    pub is_compressed: bool,
}

impl Decompressed {
    /// Decompresses a stream if it is compressed. Waits for its first bytes.
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
            Some(format @ CompressedFormat::Gzip) => Box::new(CompressedParts::<GzDecoder<_>>::begin(format, source)?),
            Some(format @ CompressedFormat::Zstd) => {
                Box::new(CompressedParts::<zstd::Decoder<'_, _>>::begin(format, source)?)
            }
        };
        Ok(Decompressed { input, is_compressed: format.is_some() })
    }
}

/// The compression formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CompressedFormat {
    Gzip,
    Zstd,
}

impl CompressedFormat {
    /// The format of a stream with these first bytes; `None` if it is not compressed.
    fn of(begin: &[u8]) -> Option<CompressedFormat> {
        match begin {
            [0x1f, 0x8b, ..] => Some(CompressedFormat::Gzip),
            // A frame, or a skippable frame, which parallel compressors write first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(CompressedFormat::Zstd),
            _ => None,
        }
    }

    /// Tests whether another part of a file in this format may begin with these bytes, which may be cut off.
    fn may_begin(self, begin: &[u8]) -> bool {
        match (self, begin) {
            (CompressedFormat::Gzip, [0x1f]) => true,
            (CompressedFormat::Zstd, [0x28 | 0x50..=0x5f, rest @ ..]) if rest.len() < 3 => true,
            (format, begin) => CompressedFormat::of(begin) == Some(format),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            CompressedFormat::Gzip => "gzip",
            CompressedFormat::Zstd => "zstd",
        }
    }
}

/// A compressed file, which consists of parts, each with an end of its own. Its errors say what is wrong with the file.
struct CompressedParts<D> {
    /// The decoder of the current part; `None` after an error.
    decoder: Option<D>,
    format: CompressedFormat,
}

/// A decoder of one part of its source.
trait Decoder: Read + Sized {
    type Source: BufRead;

    /// Begins a part.
    fn begin(source: Self::Source) -> io::Result<Self>;
    /// The bytes after the part, when the part has ended.
    fn source(&mut self) -> &mut Self::Source;
    /// Ends the part, and returns the source.
    fn end(self) -> Self::Source;
    /// Tests whether the decoder has read the header of the part.
    fn has_begun(&self) -> bool {
        true
    }
}

impl<R: BufRead> Decoder for GzDecoder<R> {
    type Source = R;

    fn begin(source: R) -> io::Result<Self> {
        Ok(GzDecoder::new(source))
    }

    fn source(&mut self) -> &mut R {
        self.get_mut()
    }

    fn end(self) -> R {
        self.into_inner()
    }

    fn has_begun(&self) -> bool {
        self.header().is_some()
    }
}

impl<R: BufRead> Decoder for zstd::Decoder<'_, R> {
    type Source = R;

    fn begin(source: R) -> io::Result<Self> {
        Ok(zstd::Decoder::with_buffer(source)?.single_frame())
    }

    fn source(&mut self) -> &mut R {
        self.get_mut()
    }

    fn end(self) -> R {
        self.finish()
    }
}

impl<D: Decoder> CompressedParts<D> {
    /// A file that begins with the first part.
    fn begin(format: CompressedFormat, source: D::Source) -> io::Result<CompressedParts<D>> {
        Ok(CompressedParts { decoder: Some(D::begin(source)?), format })
    }

    /// Reads on, from part to part.
    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if !decoder.has_begun() {
                // The end of the input within a header is an error.
                return Err(ErrorKind::UnexpectedEof.into());
            }
            match decoder.source().fill_buf()? {
                [] => break,
                begin if self.format.may_begin(begin) => {
                    self.decoder = self.decoder.take().map(|decoder| D::begin(decoder.end())).transpose()?;
                }
                _ => {
                    let why = format!("something that is no {} stands after its end", self.format.name());
                    return Err(io::Error::new(ErrorKind::InvalidData, why));
                }
            }
        }
        Ok(0)
    }
}

impl<D: Decoder> Read for CompressedParts<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let name = self.format.name();
        self.next(buffer).map_err(|cause| match cause.kind() {
            ErrorKind::Interrupted => cause,
            ErrorKind::UnexpectedEof => {
                let why = format!("this {name} file is cut off: it ends in the middle of its data");
                io::Error::new(ErrorKind::UnexpectedEof, why)
            }
            kind => io::Error::new(kind, format!("this {name} file is damaged: {cause}")),
        })
    }
}
