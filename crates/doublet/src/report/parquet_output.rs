//! A Parquet file on its way out, whose errors are those of the system where it refuses.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::error::{Error, Result, io_error};

/// Writes batches into a file, which is given back at the end.
pub(crate) struct ParquetOutput<W: Write + Send> {
    writer: ArrowWriter<Handle<W>>,
    file: Arc<Mutex<W>>,
    schema: SchemaRef,
    path: PathBuf,
}

/// The file, which stays ours while the writer has it: it gives none back after an error, and no error after all is written.
struct Handle<W>(Arc<Mutex<W>>);

impl<W: Write> Write for Handle<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .flush()
    }
}

impl<W: Write + Send> ParquetOutput<W> {
    /// Begins a file that is called by `path`.
    pub(crate) fn new(
        file: W,
        path: &Path,
        schema: SchemaRef,
        properties: Option<WriterProperties>,
    ) -> Result<Self> {
        let file = Arc::new(Mutex::new(file));
        let writer = ArrowWriter::try_new(Handle(Arc::clone(&file)), schema.clone(), properties);
        Ok(Self {
            writer: writer.map_err(failed(path))?,
            file,
            schema,
            path: path.to_owned(),
        })
    }

    /// Adds rows; what is held back is written when it is more than `most` bytes.
    pub(crate) fn write(&mut self, batch: &RecordBatch, most: usize) -> Result<()> {
        self.writer.write(batch).map_err(failed(&self.path))?;
        if self.writer.in_progress_size() > most {
            self.writer.flush().map_err(failed(&self.path))?;
        }
        Ok(())
    }

    /// Adds rows as columns of the schema.
    pub(crate) fn write_columns(&mut self, columns: Vec<ArrayRef>) -> Result<()> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        let batch = batch.map_err(|error| bad(&self.path, &error.to_string()))?;
        self.write(&batch, usize::MAX)
    }

    /// Writes the footer and gives the file back.
    pub(crate) fn finish(self) -> Result<W> {
        self.writer.close().map_err(failed(&self.path))?;
        let file = Arc::into_inner(self.file);
        let file = file.ok_or_else(|| bad(&self.path, "it is written elsewhere"))?;
        Ok(file.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

fn bad(path: &Path, reason: &str) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason: format!("cannot write Parquet: {reason}"),
    }
}

/// What the system said, where it is that which failed.
fn failed(path: &Path) -> impl FnOnce(ParquetError) -> Error {
    move |error| match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => io_error("write", path)(*cause),
            Err(other) => bad(path, &other.to_string()),
        },
        other => bad(path, &other.to_string()),
    }
}
