//! The results directory of `doublet dedup`: what was removed, and which options the run had.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed, xxh3_128};

use crate::error::{Error, Result, io_error};
use crate::files::{self, File};
use crate::report::summary::InputLine;

/// The file of the removals.
const REMOVED: &str = "removed.jsonl";
/// The file of the options.
const SUMMARY: &str = "summary.json";

/// A line of `removed.jsonl`.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    representative: &'a RawValue,
    score: Option<f64>,
    lost: Option<u64>,
    cluster: Option<u64>,
}

/// What `summary.json` says of the input.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Summary {
    read: u64,
    bytes: u64,
    options: Map<String, Value>,
    inputs: Option<Vec<InputLine>>,
    against: Option<Vec<InputLine>>,
}

/// A removal, as small as it can be: a run may have millions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removal {
    /// Where its line starts.
    pub(super) offset: u64,
    /// Hash of its id.
    pub(super) id: u128,
    /// Hash of the id of the text that is kept for it.
    pub(super) representative: u128,
    pub(super) score: Option<f64>,
    pub(super) lost: u64,
    /// Number of its cluster.
    pub(super) cluster: Option<u64>,
    /// A random number that decides who is asked about first.
    pub(super) lot: u64,
}

/// A removed text, as `removed.jsonl` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// Its id, as JSON.
    pub id: String,
    /// The id of the text that is kept for it, as JSON.
    pub representative: String,
    /// Their score, if one was computed.
    pub score: Option<f64>,
    /// Words of it that the kept text does not have.
    pub lost: u64,
    /// Number of its cluster.
    pub cluster: Option<u64>,
}

/// A run of `dedup`, by what it left in its directory.
#[derive(Debug)]
pub struct Run {
    directory: PathBuf,
    /// Equal for the same removals: a hash of `removed.jsonl`.
    pub id: String,
    /// The seed of the sample.
    pub seed: u64,
    summary: Summary,
    pub(super) removals: Vec<Removal>,
    /// Removals of each cluster.
    clusters: HashMap<u64, u64>,
    /// What may be names of files in ids that are made of file and line.
    pub(super) names: BTreeSet<String>,
}

/// The file of an id that may be made of file and line.
fn file_of(id: &str) -> Option<String> {
    let text: String = serde_json::from_str(id).ok()?;
    let (file, line) = text.rsplit_once(':')?;
    let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    is_line.then(|| file.to_owned())
}

/// The hash of an id.
pub(super) fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}

impl Run {
    /// Reads what the run removed.
    ///
    /// # Errors
    /// When the directory does not hold the results of a run that removes whole texts.
    pub fn open(directory: &Path, seed: u64) -> Result<Self> {
        let summary = read_summary(directory)?;
        let mut run = Self {
            directory: directory.to_owned(),
            id: String::new(),
            seed,
            summary,
            removals: Vec::new(),
            clusters: HashMap::new(),
            names: BTreeSet::new(),
        };
        if run.option("remove") == Some("passages") {
            return Err(Error::BadFile {
                path: directory.join(SUMMARY),
                reason: "the run removed passages (`--remove passages`); `audit` judges texts that were removed as a whole".to_owned(),
            });
        }
        run.read_removals()?;
        Ok(run)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Texts that were removed.
    pub fn len(&self) -> usize {
        self.removals.len()
    }

    /// Whether nothing was removed.
    pub fn is_empty(&self) -> bool {
        self.removals.is_empty()
    }

    /// Records that the run read, without references.
    pub(super) fn read(&self) -> u64 {
        self.summary.read
    }

    /// Bytes that the run read, references included.
    pub(super) fn bytes(&self) -> u64 {
        self.summary.bytes
    }

    /// An option of the run that is a word.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.summary.options.get(name)?.as_str()
    }

    /// An option of the run that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.summary.options.get(name)?.as_f64()
    }

    /// Whether an option of the run was switched on.
    pub fn is_on(&self, name: &str) -> bool {
        let value = self.summary.options.get(name);
        value.and_then(Value::as_bool).unwrap_or(false)
    }

    /// What the run read: its inputs, or with `against` its references.
    pub fn inputs(&self, against: bool) -> Vec<InputLine> {
        let (recorded, option) = match against {
            false => (&self.summary.inputs, "input"),
            true => (&self.summary.against, "against"),
        };
        if let Some(recorded) = recorded {
            return recorded.clone();
        }
        // Written by a version that did not record paths.
        let typed = self.summary.options.get(option).and_then(Value::as_array);
        let typed = typed.into_iter().flatten().filter_map(Value::as_str);
        typed
            .map(|given| InputLine {
                given: given.to_owned(),
                path: Path::new(given).exists().then(|| given.to_owned()),
            })
            .collect()
    }

    /// Texts in the cluster of a removal, the kept one included.
    pub(super) fn cluster_size(&self, cluster: Option<u64>) -> u64 {
        let removed = cluster.and_then(|cluster| self.clusters.get(&cluster));
        removed.map_or(2, |removed| removed + 1)
    }

    fn path(&self) -> PathBuf {
        self.directory.join(REMOVED)
    }

    fn read_removals(&mut self) -> Result<()> {
        let path = self.path();
        let file = File::open(&path).map_err(io_error("open", &path))?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut contents = Xxh3::new();
        let (mut line, mut offset) = (Vec::new(), 0);
        for number in 1.. {
            line.clear();
            let read = reader.read_until(b'\n', &mut line);
            let read = read.map_err(io_error("read", &path))?;
            if read == 0 {
                break;
            }
            contents.update(&line);
            let row = parse(&path, number, &line)?;
            self.push(&row, offset);
            offset += read as u64;
        }
        self.id = format!("{:032x}", contents.digest128());
        Ok(())
    }

    /// Adds a removal.
    fn push(&mut self, row: &Line<'_>, offset: u64) {
        let (id, representative) = (row.id.get(), row.representative.get());
        self.removals.push(Removal {
            offset,
            id: hash(id),
            representative: hash(representative),
            score: row.score,
            lost: row.lost.unwrap_or(0),
            cluster: row.cluster,
            lot: xxh3_64_with_seed(id.as_bytes(), self.seed),
        });
        if let Some(cluster) = row.cluster {
            *self.clusters.entry(cluster).or_default() += 1;
        }
        self.names.extend(file_of(id));
        self.names.extend(file_of(representative));
    }

    /// These removals, read again.
    pub(super) fn removed(&self, numbers: &[usize]) -> Result<Vec<Removed>> {
        let path = self.path();
        let mut file = File::open(&path).map_err(io_error("open", &path))?;
        let mut found = Vec::with_capacity(numbers.len());
        let mut line = Vec::new();
        for &number in numbers {
            let removal = self.removals[number];
            file.seek(SeekFrom::Start(removal.offset))
                .map_err(io_error("read", &path))?;
            line.clear();
            BufReader::new(&file)
                .read_until(b'\n', &mut line)
                .map_err(io_error("read", &path))?;
            let row = parse(&path, number + 1, &line)?;
            found.push(Removed {
                id: row.id.get().to_owned(),
                representative: row.representative.get().to_owned(),
                score: row.score,
                lost: removal.lost,
                cluster: row.cluster,
            });
        }
        Ok(found)
    }
}

fn parse<'a>(path: &Path, number: usize, line: &'a [u8]) -> Result<Line<'a>> {
    serde_json::from_slice(line).map_err(|error| Error::BadFile {
        path: path.to_owned(),
        reason: format!("line {number}: not a removal ({error}): run `doublet dedup` again"),
    })
}

fn read_summary(directory: &Path) -> Result<Summary> {
    let path = directory.join(SUMMARY);
    let there = path.exists() && directory.join(REMOVED).exists();
    if !there {
        return Err(Error::BadFile {
            path: directory.to_owned(),
            reason: format!(
                "not a directory of `doublet dedup` results (no `{SUMMARY}` or `{REMOVED}`): give the directory that `dedup -o` wrote"
            ),
        });
    }
    let bytes = files::read(&path).map_err(io_error("read", &path))?;
    serde_json::from_slice(&bytes).map_err(|error| Error::BadFile {
        path,
        reason: format!("not the summary of a run ({error}): run `doublet dedup` again"),
    })
}
