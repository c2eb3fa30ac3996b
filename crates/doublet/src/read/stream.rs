//! Stage 1, read: the bytes of one file, unpacked.
//!
//! In: a file, compressed or not, or a Parquet file turned into lines of JSON. Out: one stream of bytes with offsets that
//! can be read again: those of the file itself, or of a spool that the first pass writes beside cutting. A stream that
//! breaks off in the middle is not an error: it ends there, with a reason.

use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::columnar::Rows;
use super::detect::Compression;
use super::spool::{Finished, Spool};
use crate::error::{Result, io_error};
use crate::files::File;

/// How much of the file on disk a stream has used up, and whether reading it failed.
#[derive(Clone, Debug, Default)]
pub(super) struct Gauge {
    used: Arc<AtomicU64>,
    failed: Arc<AtomicBool>,
}

/// Reads a file and keeps the gauge.
struct Metered {
    file: File,
    gauge: Gauge,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer);
        match &read {
            Ok(count) => {
                self.gauge.used.fetch_add(*count as u64, Ordering::Relaxed);
            }
            // Whoever reads tries again.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.gauge.failed.store(true, Ordering::Relaxed),
        }
        read
    }
}

/// Reads a spool from the start, while others read it elsewhere; the gauge runs at the pace of the packed file.
struct Replay {
    spool: Arc<Spool>,
    offset: u64,
    len: u64,
    packed: u64,
    gauge: Gauge,
}

impl Read for Replay {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.spool.backing.read_at(buffer, self.offset);
        match &read {
            Ok(count) => self.offset += *count as u64,
            // Whoever reads tries again.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.gauge.failed.store(true, Ordering::Relaxed),
        }
        let share = self.offset as f64 / self.len.max(1) as f64;
        let used = (share * self.packed as f64) as u64;
        self.gauge
            .used
            .store(used.min(self.packed), Ordering::Relaxed);
        read
    }
}

/// The bytes of one file, read once from the start.
pub(super) struct Stream {
    reader: Box<dyn Read + Send>,
    gauge: Gauge,
    path: PathBuf,
    packing: &'static str,
    /// Where the bytes are written on the way, and how many have been.
    spool: Option<Arc<Spool>>,
    spooled: u64,
    /// Why the stream ends before its time; known beforehand when a spool is read again.
    foretold: Option<String>,
    ended: bool,
}

impl Stream {
    fn new(reader: Box<dyn Read + Send>, gauge: Gauge, path: &Path) -> Self {
        Stream {
            reader,
            gauge,
            path: path.to_owned(),
            packing: "file",
            spool: None,
            spooled: 0,
            foretold: None,
            ended: false,
        }
    }

    /// A file as it is on disk, from `offset` on. Unpacking always starts at 0.
    pub(super) fn file(path: &Path, compression: Compression, offset: u64) -> Result<Self> {
        let gauge = Gauge::default();
        let mut file = File::open(path).map_err(io_error("open", path))?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))
                .map_err(io_error("read", path))?;
            gauge.used.store(offset, Ordering::Relaxed);
        }
        let metered = Metered {
            file,
            gauge: gauge.clone(),
        };
        let reader = unpack(metered, compression).map_err(io_error("unpack", path))?;
        let mut stream = Stream::new(reader, gauge, path);
        stream.packing = compression.name();
        Ok(stream)
    }

    /// The rows of a Parquet file as lines of JSON.
    pub(super) fn rows(path: &Path, rows: Rows) -> Self {
        let gauge = Gauge {
            used: rows.used(),
            failed: rows.failed(),
        };
        let mut stream = Stream::new(Box::new(rows), gauge, path);
        stream.packing = "Parquet";
        stream
    }

    /// A spool that is finished, from `offset` on. `packed` is the size of the file it was made from.
    pub(super) fn replay(
        path: &Path,
        spool: Arc<Spool>,
        end: &Finished,
        packed: u64,
        offset: u64,
    ) -> Self {
        let gauge = Gauge::default();
        let replay = Replay {
            spool,
            offset,
            len: end.len,
            packed,
            gauge: gauge.clone(),
        };
        let mut stream = Stream::new(Box::new(replay), gauge, path);
        stream.foretold.clone_from(&end.damage);
        stream
    }

    /// Writes every byte into `spool` as it is read.
    pub(super) fn spooled_into(mut self, spool: Arc<Spool>) -> Self {
        self.spool = Some(spool);
        self
    }

    /// Reads until `buffer` holds `want` bytes or the stream ends. Returns whether it has ended.
    pub(super) fn fill(&mut self, buffer: &mut Vec<u8>, want: usize) -> Result<bool> {
        let before = buffer.len();
        let missing = want.saturating_sub(before);
        if missing > 0 && !self.ended {
            // What was read before an error is in the buffer.
            buffer.reserve(missing);
            match (&mut self.reader).take(missing as u64).read_to_end(buffer) {
                Ok(count) => self.ended = count < missing,
                Err(error) => self.broken(error)?,
            }
        }
        self.spool_up(&buffer[before..])?;
        Ok(self.ended)
    }

    /// The file cannot be read: an error. It can, but what is in it breaks off: damage.
    fn broken(&mut self, error: std::io::Error) -> Result<()> {
        if self.packing == "file" || self.gauge.failed.load(Ordering::Relaxed) {
            return Err(io_error("read", &self.path)(error));
        }
        self.ended = true;
        self.foretold = Some(match error.kind() {
            ErrorKind::UnexpectedEof => format!(
                "{} stream ends early; the file is truncated or damaged: fetch it again",
                self.packing
            ),
            _ => format!(
                "{} stream is corrupt ({error}); the file is damaged: fetch it again",
                self.packing
            ),
        });
        Ok(())
    }

    fn spool_up(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(spool) = &self.spool else {
            return Ok(());
        };
        spool
            .backing
            .write_all_at(bytes, self.spooled)
            .map_err(io_error("write a temporary copy of", &self.path))?;
        self.spooled += bytes.len() as u64;
        if self.ended {
            let end = Finished {
                len: self.spooled,
                damage: self.foretold.clone(),
            };
            // Set once only: the stream ends once.
            let _ = spool.finished.set(end);
        }
        Ok(())
    }

    /// Why the stream ended before its time, once it has ended.
    pub(super) fn damage(&self) -> Option<&str> {
        self.foretold.as_deref().filter(|_| self.ended)
    }

    /// Bytes of the file on disk that are used up.
    pub(super) fn used(&self) -> u64 {
        self.gauge.used.load(Ordering::Relaxed)
    }
}

fn unpack(metered: Metered, compression: Compression) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(metered),
        Compression::Gzip => {
            let packed = BufReader::with_capacity(1 << 18, metered);
            Box::new(flate2::bufread::MultiGzDecoder::new(packed))
        }
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(metered)?;
            // Files packed with `--long` need a wider window than the default allows.
            decoder.window_log_max(31)?;
            Box::new(decoder)
        }
    })
}
