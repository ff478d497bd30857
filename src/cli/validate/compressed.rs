//! Recordings that are compressed with gzip or zstd, read as if they were not; they are known by their first bytes, whatever their name.
//!
//! `mayhap validate kv.may monday.ndjson.gz` and `zstdcat monday.ndjson.zst | mayhap validate kv.may -` read what they should; so does
//! `mayhap validate kv.may - < monday.ndjson.zst`.

use crate::cli::terminal::files;
use flate2::bufread::GzDecoder;
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
            Some(format @ CompressedFormat::Gzip) => Box::new(CompressedParts::<GzDecoder<_>>::begin(format, source)?),
            Some(format @ CompressedFormat::Zstd) => {
                Box::new(CompressedParts::<zstd::Decoder<'_, _>>::begin(format, source)?)
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

    /// Tests whether another part of a file of this format may begin with these bytes. They may be cut off.
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

/// A compressed file: parts, one after another, each with an end of its own. Its errors say what is wrong with the file.
struct CompressedParts<D> {
    /// The decoder of the part that is read; none after an error.
    decoder: Option<D>,
    format: CompressedFormat,
}

/// Something that decompresses one part of what it reads.
trait Decoder: Read + Sized {
    type Source: BufRead;

    /// Begins a part.
    fn begin(source: Self::Source) -> io::Result<Self>;
    /// The bytes after the part, once it has ended.
    fn source(&mut self) -> &mut Self::Source;
    /// Ends it.
    fn end(self) -> Self::Source;
    /// Tests whether it has read the beginning of a part.
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

    /// Reads on; from part to part.
    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if !decoder.has_begun() {
                // Less than a header is no end.
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
