//! Stage 8, report: a file that is packed as it is written.
//!
//! In: bytes. Out: a temporary file that holds them plain, gzipped or as a Zstandard frame, the way the input was.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{Result, io_error};
use crate::files::TemporaryFile;
use crate::read::Compression;

type Buffered = BufWriter<TemporaryFile>;

/// Writes plain or packed.
pub(super) enum Packer {
    Plain(Buffered),
    Gzip(Option<flate2::write::GzEncoder<Buffered>>),
    Zstd(zstd::stream::write::Encoder<'static, Buffered>),
}

impl Packer {
    pub(super) fn new(file: TemporaryFile, compression: Compression, path: &Path) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, file);
        Ok(match compression {
            Compression::None => Packer::Plain(file),
            Compression::Gzip => Packer::Gzip(Some(gzip(file))),
            Compression::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(file, 3);
                Packer::Zstd(encoder.map_err(io_error("write", path))?)
            }
        })
    }

    /// Ends a gzip member and begins another.
    pub(super) fn end_member(&mut self, path: &Path) -> Result<()> {
        if let Packer::Gzip(encoder) = self
            && let Some(member) = encoder.take()
        {
            let file = member.finish().map_err(io_error("write", path))?;
            *encoder = Some(gzip(file));
        }
        Ok(())
    }

    pub(super) fn finish(self, path: &Path) -> Result<TemporaryFile> {
        let failed = || io_error("write", path);
        let buffered = match self {
            Packer::Plain(file) => file,
            Packer::Gzip(Some(encoder)) => encoder.finish().map_err(failed())?,
            Packer::Gzip(None) => return Err(failed()(std::io::ErrorKind::BrokenPipe.into())),
            Packer::Zstd(encoder) => encoder.finish().map_err(failed())?,
        };
        buffered
            .into_inner()
            .map_err(|error| failed()(error.into_error()))
    }
}

fn gzip(file: Buffered) -> flate2::write::GzEncoder<Buffered> {
    flate2::write::GzEncoder::new(file, flate2::Compression::default())
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Packer::Plain(file) => file.write(bytes),
            Packer::Gzip(Some(encoder)) => encoder.write(bytes),
            Packer::Gzip(None) => Err(std::io::ErrorKind::BrokenPipe.into()),
            Packer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Packer::Plain(file) => file.flush(),
            Packer::Gzip(Some(encoder)) => encoder.flush(),
            Packer::Gzip(None) => Ok(()),
            Packer::Zstd(encoder) => encoder.flush(),
        }
    }
}
