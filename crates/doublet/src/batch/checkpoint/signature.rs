//! Of which run a state is: the options that decide the result, and the files that were read.
//!
//! Threads, memory and the place for temporary files decide nothing and may be others when a run is continued.

use std::fmt::{Debug, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::manifest::anew;
use crate::batch::JoinOptions;
use crate::error::{Error, Result};
use crate::hash::HASH_VERSION;
use crate::matches::RankBy;
use crate::matches::Source;
use crate::method::MatchOptions;
use crate::method::sentences::SENTENCE_VERSION;
use crate::method::terms::SEGMENT_VERSION;
use crate::normalize;
use crate::read::SourceFile;
use crate::segment::sentences::SPLITTER_VERSION;
use crate::sketch::SKETCH_VERSION;

/// What a run is told apart by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signature {
    /// Names and values, in words.
    options: Vec<(String, String)>,
    /// The input, then the references.
    files: Vec<FileMark>,
}

/// A file, and whether it is still the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileMark {
    name: String,
    reference: bool,
    bytes: u64,
    /// Seconds and nanoseconds, where the system tells.
    modified: String,
}

impl Signature {
    /// That of a run about to begin.
    pub(super) fn of(source: &Source, options: &JoinOptions) -> Self {
        let mut files = Vec::new();
        for (reference, collection) in [
            (false, Some(&source.input)),
            (true, source.references.as_ref()),
        ] {
            for file in collection.iter().flat_map(|collection| collection.files()) {
                files.push(FileMark::of(file, reference));
            }
        }
        let mut options = describe(options);
        let format = |file: &SourceFile| format!("{:?} {}", file.format(), file.fields());
        let mut formats: Vec<String> = source.files().map(format).collect();
        formats.dedup();
        let formats = formats.join("; ");
        options.push(("format, text-field, id-field, keep".to_owned(), formats));
        Self { options, files }
    }

    /// That a run is the one whose state this is.
    pub(super) fn ensure_same(&self, run: &Self, directory: &Path) -> Result<()> {
        let Some(difference) = self.difference(run) else {
            return Ok(());
        };
        Err(Error::Resume(format!(
            "`{}` has the state of another run: {difference}; or {}",
            directory.display(),
            anew(directory)
        )))
    }

    /// What differs, and how to get along with it.
    fn difference(&self, run: &Self) -> Option<String> {
        if let Some((name, was, is)) = self.differing_option(run) {
            return Some(format!(
                "`{name}` was {was} and is {is}; give the options as they were"
            ));
        }
        let changed = self
            .files
            .iter()
            .zip(&run.files)
            .find(|(was, is)| was != is);
        match changed {
            Some((was, is)) if (&was.name, was.reference) == (&is.name, is.reference) => {
                Some(format!(
                    "`{}` changed since (it had {} bytes, modified {}, and has {}, modified {}); bring it back as it was",
                    is.name, was.bytes, was.modified, is.bytes, is.modified
                ))
            }
            Some((was, is)) => Some(format!(
                "`{}` stands where `{}` was read; give the files as they were",
                is.name, was.name
            )),
            None => match self.files.len() == run.files.len() {
                true => None,
                false => Some(format!(
                    "it read {} files and there are {} now; give the files as they were",
                    self.files.len(),
                    run.files.len()
                )),
            },
        }
    }

    /// The first option that differs, with both values.
    fn differing_option<'a>(&'a self, run: &'a Self) -> Option<(&'a str, &'a str, &'a str)> {
        let value = |options: &'a [(String, String)], name: &str| {
            let found = options.iter().find(|(other, _)| other == name);
            found.map_or("unknown", |(_, value)| value.as_str())
        };
        let names = run
            .options
            .iter()
            .chain(&self.options)
            .map(|(name, _)| name);
        let mut all = names.map(|name| {
            let (was, is) = (value(&self.options, name), value(&run.options, name));
            (name.as_str(), was, is)
        });
        all.find(|(_, was, is)| was != is)
    }
}

impl FileMark {
    fn of(file: &SourceFile, reference: bool) -> Self {
        let since = file.modified;
        let since = since.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let seconds =
            |since: std::time::Duration| format!("{}.{:09}", since.as_secs(), since.subsec_nanos());
        Self {
            name: file.name().to_owned(),
            reference,
            bytes: file.size,
            modified: since.map_or_else(|| "unknown".to_owned(), seconds),
        }
    }
}

/// Versions of all that decides what numbers a text becomes.
const VERSIONS: [u32; 5] = [
    HASH_VERSION,
    SKETCH_VERSION,
    SEGMENT_VERSION,
    SENTENCE_VERSION,
    SPLITTER_VERSION,
];

/// Every option of a join, by name. A new option has to be named here, or left out on purpose.
fn describe(options: &JoinOptions) -> Vec<(String, String)> {
    let JoinOptions {
        matching,
        resources: _,
        across_only,
        rank,
        strict,
        renumber,
        spanning,
        most_pairs: _,
        many,
        repeats,
        checkpoint: _,
    } = options;
    let MatchOptions {
        method,
        metric,
        threshold,
        normalize,
        shingle,
        terms,
        sketches,
        sentences,
        simhash,
    } = matching;
    let rank = match rank {
        RankBy::Nothing => "nothing",
        RankBy::Length => "length",
        RankBy::Field => "field",
    };
    let byte_order = if cfg!(target_endian = "little") {
        "little"
    } else {
        "big"
    };
    [
        ("method", method.to_string()),
        ("metric", metric.to_string()),
        ("threshold", threshold.value().to_string()),
        ("words", normalize::signature(normalize)),
        ("shingle", format!("{shingle:?}")),
        ("terms", digest(terms)),
        ("sketch", sketches.kind.name().to_owned()),
        ("sketch-size", sketches.size.to_string()),
        ("seed", sketches.seed.to_string()),
        ("candidates", sketches.meet_by.name().to_owned()),
        ("recall", sketches.recall.to_string()),
        ("min-common", format!("{:?}", sketches.least)),
        (
            "bands",
            sketches
                .bands
                .map_or(String::new(), |bands| bands.to_string()),
        ),
        ("sentences", digest(sentences)),
        ("voters", format!("{:?}", simhash.voters).to_lowercase()),
        ("across only", across_only.to_string()),
        ("ranked by", rank.to_owned()),
        ("strict", strict.to_string()),
        ("renumber", renumber.to_string()),
        ("spanning", format!("{spanning:?}")),
        ("many", many.to_string()),
        ("repeats", repeats.to_string()),
        ("byte order", byte_order.to_owned()),
        ("versions", format!("{VERSIONS:?}")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

/// A number that stands for options that may be long, such as a whole table of words.
fn digest(options: &impl Debug) -> String {
    let mut hash = Digest(Xxh3::new());
    // Nothing in a digest can fail.
    let _written = write!(hash, "{options:?}");
    format!("{:016x}", hash.0.digest())
}

struct Digest(Xxh3);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
