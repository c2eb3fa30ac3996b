//! Stage 8, report: the rows of Parquet files that stay.
//!
//! In: for each row in order, whether it stays, and what leaves its text. Out: a Parquet file with the schema of the input. Rows are told one by one
//! and files one after the other; when a file is done, it is read once more and filtered batch by batch.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::ArrowError;
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::parquet_output::ParquetOutput;
use crate::error::Result;
use crate::files::TemporaryFile;
use crate::read::{GROUP, ParquetFile, ROWS, SourceFile, guarded, map_texts, without};

const BATCH: usize = 4096;

/// Filters the rows of files that share a schema into one file.
pub(super) struct RowFilter {
    output: ParquetOutput<TemporaryFile>,
    schema: SchemaRef,
    /// The file whose rows are being told, and what was said of them.
    current: Option<Told>,
}

/// What was said of the rows of a file.
struct Told {
    /// Number of the file in the collection, in which it may stand twice.
    number: u32,
    path: PathBuf,
    /// The column of the text.
    field: String,
    stays: Vec<bool>,
    /// What leaves the texts of some rows.
    cuts: BTreeMap<usize, Vec<Range<usize>>>,
}

impl RowFilter {
    /// Writes into `file`, which will be `output`, with the schema and the compression of the file at `like`.
    pub(super) fn create(file: TemporaryFile, output: &Path, like: &Path) -> Result<Self> {
        let source = open(&ParquetFile::open(like)?, like)?;
        let schema = source.schema().clone();
        let groups = source.metadata().row_groups();
        let compression = groups
            .first()
            .and_then(|group| group.columns().first())
            .map_or(Compression::SNAPPY, |column| column.compression());
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        Ok(RowFilter {
            output: ParquetOutput::new(file, output, schema.clone(), Some(properties))?,
            schema,
            current: None,
        })
    }

    /// Whether the file has the schema that is being written.
    pub(super) fn takes(&self, path: &Path) -> bool {
        let schema = |file| Ok(open(&file, path)?.schema().clone());
        ParquetFile::open(path)
            .and_then(schema)
            .is_ok_and(|schema| schema == self.schema)
    }

    /// Tells of the next row, which is in the file of this number, whether it stays, and what leaves its text.
    pub(super) fn row(
        &mut self,
        (number, file): (u32, &SourceFile),
        stays: Option<Vec<Range<usize>>>,
    ) -> Result<()> {
        let current = self.current.as_ref();
        if current.is_none_or(|told| told.number != number) {
            self.write_current()?;
        }
        let told = self.current.get_or_insert_with(|| Told {
            number,
            path: file.path().to_owned(),
            field: file.text_field().to_owned(),
            stays: Vec::new(),
            cuts: BTreeMap::new(),
        });
        let row = told.stays.len();
        told.stays.push(stays.is_some());
        if let Some(cut) = stays.filter(|cut| !cut.is_empty()) {
            told.cuts.insert(row, cut);
        }
        Ok(())
    }

    fn write_current(&mut self) -> Result<()> {
        let Some(told) = self.current.take() else {
            return Ok(());
        };
        let file = ParquetFile::open(&told.path)?;
        let mut at = 0;
        let mut end = self.copy(&file, &told, &mut at, BATCH)?;
        if end.is_err() && file.failure().is_none() {
            // What breaks off was rejected from there on, and read in smaller steps up to there.
            end = self.copy(&file, &told, &mut at, ROWS)?;
        }
        let is_lost = told
            .stays
            .get(at..)
            .is_some_and(|rest| rest.contains(&true));
        match (is_lost, end) {
            (false, _) if file.failure().is_none() => Ok(()),
            (_, Err(error)) => Err(file.error(&told.path, || error.to_string())),
            _ => Err(file.error(&told.path, || {
                "it has fewer rows than before: it must not change during a run".to_owned()
            })),
        }
    }

    /// Copies the rows that stay from row `at` on, which moves along, a batch of `size` at a time. Gives the error at which the file
    /// breaks off, if it does.
    fn copy(
        &mut self,
        file: &ParquetFile,
        told: &Told,
        at: &mut usize,
        size: usize,
    ) -> Result<Result<(), ParquetError>> {
        let path = &told.path;
        let failed = |error: &ParquetError| file.error(path, || error.to_string());
        let source = open(file, path)?.with_batch_size(size).with_offset(*at);
        let mut batches = guarded(|| source.build()).map_err(|error| failed(&error))?;
        loop {
            let batch = match guarded(|| batches.next().transpose().map_err(Into::into)) {
                Ok(Some(batch)) => batch,
                Ok(None) => return Ok(Ok(())),
                Err(error) => return Ok(Err(error)),
            };
            let rows = told.stays.get(*at..).unwrap_or_default();
            let stays: BooleanArray = (0..batch.num_rows())
                .map(|row| Some(rows.get(row).copied().unwrap_or(false)))
                .collect();
            let kept = told
                .shortened(&batch, *at)
                .and_then(|batch| filter_record_batch(&batch, &stays))
                .map_err(|error| failed(&error.into()))?;
            *at += batch.num_rows();
            self.output.write(&kept, GROUP)?;
        }
    }

    /// Writes the footer and gives the file back.
    pub(super) fn finish(mut self) -> Result<TemporaryFile> {
        self.write_current()?;
        self.output.finish()
    }
}

impl Told {
    /// The batch that begins with row `at`, without what leaves its texts.
    fn shortened(&self, batch: &RecordBatch, at: usize) -> Result<RecordBatch, ArrowError> {
        if self.cuts.range(at..at + batch.num_rows()).next().is_none() {
            return Ok(batch.clone());
        }
        let mut change = |row: usize, text: &str| {
            let rest = without(text.as_bytes(), self.cuts.get(&(at + row))?);
            Some(String::from_utf8_lossy(&rest).into_owned())
        };
        let changed = map_texts(batch, &self.field, &mut change)?;
        changed.ok_or_else(|| ArrowError::SchemaError(format!("no column `{}`", self.field)))
    }
}

fn open(file: &ParquetFile, path: &Path) -> Result<ParquetRecordBatchReaderBuilder<ParquetFile>> {
    guarded(|| ParquetRecordBatchReaderBuilder::try_new(file.clone()))
        .map_err(|error| file.error(path, || error.to_string()))
}
