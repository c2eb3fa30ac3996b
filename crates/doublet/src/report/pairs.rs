//! Pairs as JSON lines, CSV or Parquet, chosen by the file's ending.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_schema::{DataType, Field, Schema};

use super::parquet_output::ParquetOutput;
use super::score::push_score;
use crate::document::Key;
use crate::error::{Error, Result};
use crate::files::output::OutputFile;
use crate::method::Method;
use crate::scores::{Metric, Scores};

/// Rows that go into one batch of a Parquet file.
const BATCH: usize = 1 << 16;
/// Names of the scores of pairs; those of sketches have the last alone.
pub const SCORES: [&str; 8] = [
    "resemblance",
    "coverage",
    "containment_a",
    "containment_b",
    "coverage_a",
    "coverage_b",
    "degree",
    "agreement",
];
const DEGREE: usize = 6;
const AGREEMENT: usize = 7;

/// Which scores a pair has.
#[derive(Clone, Copy)]
enum Columns {
    /// What the texts share.
    Texts,
    /// The same, and the degree.
    Weighted,
    /// How far two sketches agree, and nothing else.
    Sketches,
}

impl Columns {
    fn new(metric: Metric, weighted: bool) -> Self {
        match metric {
            Metric::Agreement => Self::Sketches,
            _ if weighted => Self::Weighted,
            _ => Self::Texts,
        }
    }

    fn range(self) -> Range<usize> {
        match self {
            Self::Texts => 0..DEGREE,
            Self::Weighted => 0..AGREEMENT,
            Self::Sketches => AGREEMENT..SCORES.len(),
        }
    }

    fn names(self) -> &'static [&'static str] {
        &SCORES[self.range()]
    }
}

/// In the order of [`SCORES`].
fn values(scores: &Scores) -> [f64; SCORES.len()] {
    let (containment_a, containment_b) = scores.containment();
    let (coverage_a, coverage_b) = scores.one_sided_coverage();
    [
        scores.score(Metric::Resemblance),
        scores.score(Metric::Coverage),
        containment_a,
        containment_b,
        coverage_a,
        coverage_b,
        scores.score(Metric::Degree),
        scores.score(Metric::Agreement),
    ]
}

/// The names of the scores that pairs of a method and a metric have.
pub fn score_columns(method: Method, metric: Metric) -> &'static [&'static str] {
    Columns::new(metric, method.info().weighs_terms).names()
}

/// The score of this name, if there is one.
pub fn score_of_name(scores: &Scores, name: &str) -> Option<f64> {
    let place = SCORES.iter().position(|known| *known == name)?;
    Some(values(scores)[place])
}

/// Every score of a pair that was found by a metric, with its name.
pub fn named_scores(scores: &Scores, metric: Metric) -> impl Iterator<Item = (&'static str, f64)> {
    let range = Columns::new(metric, scores.is_weighted()).range();
    SCORES
        .into_iter()
        .zip(values(scores))
        .take(range.end)
        .skip(range.start)
}

/// One pair as a line of JSON, without the line's end.
pub fn json_line(a: &Key<'_>, b: &Key<'_>, scores: &Scores, metric: Metric, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"a\": ");
    out.extend_from_slice(a.as_json().as_bytes());
    out.extend_from_slice(b", \"b\": ");
    out.extend_from_slice(b.as_json().as_bytes());
    out.extend_from_slice(b", \"score\": ");
    push_score(scores.score(metric), out);
    out.extend_from_slice(b", \"metric\": \"");
    out.extend_from_slice(metric.name().as_bytes());
    out.push(b'"');
    for (name, value) in named_scores(scores, metric) {
        out.extend_from_slice(b", \"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\": ");
        push_score(value, out);
    }
    out.push(b'}');
}

/// Writes pairs to a file that appears when finished.
pub struct PairWriter {
    metric: Metric,
    columns: Columns,
    line: Vec<u8>,
    format: PairFormat,
}

enum PairFormat {
    Json(OutputFile),
    Csv(OutputFile),
    Parquet(Box<ParquetPairs>),
}

impl PairWriter {
    /// Begins a file of pairs found by a method; `.csv` and `.parquet` choose those formats, any other ending JSON lines.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path, method: Method, metric: Metric) -> Result<Self> {
        let columns = Columns::new(metric, method.info().weighs_terms);
        let ending = path.extension().and_then(|ending| ending.to_str());
        let format = match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => {
                let mut file = OutputFile::create(path)?;
                let header = format!("a,b,score,metric,{}\n", columns.names().join(","));
                file.write(header.as_bytes())?;
                PairFormat::Csv(file)
            }
            Some("parquet") => PairFormat::Parquet(Box::new(ParquetPairs::create(path, columns)?)),
            Some("gz" | "zst" | "xlsx") => {
                return Err(Error::Option {
                    option: "output",
                    value: path.display().to_string(),
                    expected: "pairs are written as .jsonl, .csv or .parquet".to_owned(),
                });
            }
            _ => PairFormat::Json(OutputFile::create(path)?),
        };
        Ok(Self {
            metric,
            columns,
            line: Vec::new(),
            format,
        })
    }

    /// Adds a pair.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&mut self, a: &Key<'_>, b: &Key<'_>, scores: &Scores) -> Result<()> {
        self.line.clear();
        match &mut self.format {
            PairFormat::Json(file) => {
                json_line(a, b, scores, self.metric, &mut self.line);
                self.line.push(b'\n');
                file.write(&self.line)
            }
            PairFormat::Csv(file) => {
                csv_row(a, b, scores, (self.metric, self.columns), &mut self.line);
                file.write(&self.line)
            }
            PairFormat::Parquet(file) => file.push(a, b, scores, self.metric),
        }
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<()> {
        match self.format {
            PairFormat::Json(file) | PairFormat::Csv(file) => file.finish(),
            PairFormat::Parquet(file) => file.finish(),
        }
    }
}

/// A key as a person writes it: the content of a string, any other scalar as it is.
pub fn plain_key(key: &Key<'_>) -> String {
    serde_json::from_str::<String>(key.as_json()).unwrap_or_else(|_| key.as_json().to_owned())
}

fn csv_row(
    a: &Key<'_>,
    b: &Key<'_>,
    scores: &Scores,
    (metric, columns): (Metric, Columns),
    out: &mut Vec<u8>,
) {
    for key in [a, b] {
        let key = plain_key(key);
        if key.contains([',', '"', '\n', '\r']) {
            out.extend_from_slice(format!("\"{}\"", key.replace('"', "\"\"")).as_bytes());
        } else {
            out.extend_from_slice(key.as_bytes());
        }
        out.push(b',');
    }
    push_score(scores.score(metric), out);
    out.push(b',');
    out.extend_from_slice(metric.name().as_bytes());
    for value in &values(scores)[columns.range()] {
        out.push(b',');
        push_score(*value, out);
    }
    out.push(b'\n');
}

/// Pairs on their way into a Parquet file.
struct ParquetPairs {
    output: ParquetOutput<OutputFile>,
    keys: [StringBuilder; 2],
    metric: StringBuilder,
    numbers: [Float64Builder; SCORES.len() + 1],
    columns: Columns,
    rows: usize,
}

impl ParquetPairs {
    fn create(path: &Path, columns: Columns) -> Result<Self> {
        let field = |name: &str, kind| Field::new(name, kind, false);
        let mut fields = vec![
            field("a", DataType::Utf8),
            field("b", DataType::Utf8),
            field("score", DataType::Float64),
            field("metric", DataType::Utf8),
        ];
        let scores = columns.names().iter();
        fields.extend(scores.map(|name| field(name, DataType::Float64)));
        let schema = Arc::new(Schema::new(fields));
        let file = OutputFile::create(path)?;
        Ok(Self {
            output: ParquetOutput::new(file, path, schema, None)?,
            keys: Default::default(),
            metric: StringBuilder::new(),
            numbers: Default::default(),
            columns,
            rows: 0,
        })
    }

    fn push(&mut self, a: &Key<'_>, b: &Key<'_>, scores: &Scores, metric: Metric) -> Result<()> {
        for (builder, key) in self.keys.iter_mut().zip([a, b]) {
            builder.append_value(plain_key(key));
        }
        self.metric.append_value(metric.name());
        let [score, rest @ ..] = &mut self.numbers;
        score.append_value(scores.score(metric));
        for (builder, value) in rest.iter_mut().zip(&values(scores)[self.columns.range()]) {
            builder.append_value(*value);
        }
        self.rows += 1;
        if self.rows >= BATCH {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.rows = 0;
        let [a, b] = &mut self.keys;
        let [score, rest @ ..] = &mut self.numbers;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(a.finish()),
            Arc::new(b.finish()),
            Arc::new(score.finish()),
            Arc::new(self.metric.finish()),
        ];
        for (_, builder) in self.columns.names().iter().zip(rest) {
            columns.push(Arc::new(builder.finish()));
        }
        self.output.write_columns(columns)
    }

    fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.output.finish()?.finish()
    }
}
