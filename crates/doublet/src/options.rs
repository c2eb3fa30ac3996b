//! The options of each stage: plain structs, each default written once, here.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::usable_memory;
use crate::names::named;

/// How inputs are read. See [`crate::read`].
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// `None`: by the file's ending, then by its content.
    pub format: Option<Format>,
    /// Where the text stands: a column, a JSON field, or a dotted path into nested JSON.
    pub text_field: String,
    /// Where the id stands; a record without it is called by file name and line number.
    pub id_field: String,
    /// The field that `--keep field:NAME` ranks by, if any.
    pub rank_field: Option<String>,
    /// Ignore ids and number the records from 0.
    pub renumber: bool,
    /// Stop at the first bad record.
    pub strict: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            text_field: "text".to_owned(),
            id_field: "id".to_owned(),
            rank_field: None,
            renumber: false,
            strict: false,
        }
    }
}

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// One JSON object a line.
    JsonLines,
    /// Comma-separated, with a header row.
    Csv,
    /// Tab-separated, with a header row.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Plain text, one text a file.
    Text,
    /// Plain text, one text a line.
    Lines,
    /// HTML, one text a file.
    Html,
    /// XML or TEI, one text a file.
    Xml,
    /// Web archive: one text a response, resource or conversion record.
    Warc,
}

named!(Format:
    JsonLines = "jsonl",
    Csv = "csv",
    Tsv = "tsv",
    Parquet = "parquet",
    Text = "text",
    Lines = "lines",
    Html = "html",
    Xml = "xml",
    Warc = "warc",
);

/// What the number runs of a text become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// One number token, the same for every number.
    Token,
    /// The digits as they are.
    Keep,
    /// Nothing.
    Drop,
}

named!(Numbers: Token = "token", Keep = "keep", Drop = "drop");

/// What a token is. See [`crate::segment`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenKind {
    /// A word or a number; what stands between them is not seen.
    #[default]
    Words,
    /// Whatever stands between white space, punctuation with it.
    Spaces,
    /// A character; a run of white space is one.
    Characters,
}

named!(TokenKind: Words = "words", Spaces = "spaces", Characters = "characters");

/// How texts are normalised. See [`crate::normalize`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NormalizeOptions {
    /// What a token is.
    pub tokens: TokenKind,
    /// What runs of digits become, where tokens are words; others keep them.
    pub numbers: Numbers,
    /// Whether `A` and `a` are one letter.
    pub fold_case: bool,
    /// Whether `é` and `e` are one letter.
    pub fold_accents: bool,
    /// Delete letters outside ASCII, as the paper on the IDS corpora did.
    pub ascii: bool,
    /// Words to leave out; they are normalised like the text. A word of several tokens leaves none out.
    pub stop_words: Vec<String>,
}

impl Default for NormalizeOptions {
    fn default() -> Self {
        Self {
            tokens: TokenKind::Words,
            numbers: Numbers::Keep,
            fold_case: true,
            fold_accents: false,
            ascii: false,
            stop_words: Vec::new(),
        }
    }
}

/// Which function turns a shingle into a fingerprint. See [`crate::fingerprint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FingerprintKind {
    /// Multiply-and-fold hash of the words, rolled over the text: the faster one.
    Fold,
    /// Rabin's fingerprint: the shingle's bytes as a polynomial, modulo an irreducible one of degree 64.
    Rabin,
}

named!(FingerprintKind: Fold = "fold", Rabin = "rabin");

/// How shingles are made and fingerprinted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShingleOptions {
    /// Words in a shingle.
    pub size: usize,
    /// The fingerprint function.
    pub fingerprint: FingerprintKind,
    /// Bits of the fingerprint that are used to find candidates, 16 to 64. Fewer bits never change the result.
    pub bits: u32,
}

impl Default for ShingleOptions {
    fn default() -> Self {
        Self {
            size: 5,
            fingerprint: FingerprintKind::Fold,
            bits: 64,
        }
    }
}

impl ShingleOptions {
    /// That every option is in range.
    ///
    /// # Errors
    /// When one is not.
    pub fn check(&self) -> Result<()> {
        if !(1..=1000).contains(&self.size) {
            return Err(Error::Option {
                option: "shingle",
                value: self.size.to_string(),
                expected: "a shingle has 1 to 1000 words".to_owned(),
            });
        }
        if !(16..=64).contains(&self.bits) {
            return Err(Error::Option {
                option: "fingerprint-bits",
                value: self.bits.to_string(),
                expected: "give 16 to 64 bits".to_owned(),
            });
        }
        Ok(())
    }
}

/// The resources a run may use.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Worker threads.
    pub threads: usize,
    /// Bytes that the working set may take; past it the join goes to `temp_dir`.
    pub memory: u64,
    /// Where temporary files go; a directory of the run's own is made in it and removed at the end.
    pub temp_dir: PathBuf,
}

/// All cores, three quarters of the memory that the process may use, and the system's temporary directory.
impl Default for Resources {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: usable_memory() / 4 * 3,
            temp_dir: std::env::temp_dir(),
        }
    }
}
