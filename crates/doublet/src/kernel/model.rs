//! What was learnt of a collection, as bytes that every task gets: a head in JSON and columns of numbers, packed.

use std::sync::Arc;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{knows_common, misfit};
use crate::cluster::ClusterOptions;
use crate::error::Result;
use crate::hash::HASH_VERSION;
use crate::method::MatchOptions;
use crate::method::terms::background::Background;
use crate::sketch::{Banding, SKETCH_VERSION};

const MAGIC: &[u8] = b"doublet model\n";
/// Version of the format.
const VERSION: u32 = 2;
const LEVEL: i32 = 3;

/// What was learnt.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) head: Head,
    pub(super) columns: Vec<Vec<u8>>,
}

/// What is short enough to be read by a person.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Head {
    versions: [u32; 3],
    options: MatchOptions,
    pub(super) cluster: ClusterOptions,
    /// Whether all is learnt that columns are for.
    pub(super) learnt: bool,
    /// The language of texts that do not tell theirs.
    pub(super) language: Option<String>,
    pub(super) bands: Option<Banding>,
    /// The common words of sentences.
    pub(super) common: Option<Vec<String>>,
    /// Bytes of each column.
    columns: Vec<usize>,
}

const VERSIONS: [u32; 3] = [VERSION, HASH_VERSION, SKETCH_VERSION];

impl Model {
    /// What is known before any text is read.
    pub(super) fn new(options: MatchOptions, cluster: ClusterOptions) -> Self {
        let known = options.method.unit().is_some() && knows_common(&options);
        let common = options.sentences.common.as_ref();
        let forms = || common.map_or_else(Vec::new, |common| common.forms().to_vec());
        let background = options.terms.background.clone();
        let mut model = Self {
            head: Head {
                versions: VERSIONS,
                cluster,
                learnt: false,
                language: None,
                bands: options.sketches.bands,
                common: known.then(forms),
                columns: Vec::new(),
                options,
            },
            columns: Vec::new(),
        };
        if let Some(background) = background {
            let (forms, lengths, frequencies, groups) = background.columns();
            model.push(forms);
            model.push(&lengths);
            model.push(frequencies);
            model.push(&groups);
        }
        model
    }

    /// The options, with the background table until the terms are weighed by it.
    pub(super) fn options(&self) -> Result<MatchOptions> {
        let mut options = self.head.options.clone();
        options.terms.background = None;
        if options.weighs_terms() && !self.head.learnt && !self.columns.is_empty() {
            let background = Background::of_columns(
                self.column(0)?,
                &self.column(1)?,
                self.column(2)?,
                &self.column(3)?,
            );
            options.terms.background = Some(Arc::new(background.ok_or_else(damaged)?));
        }
        Ok(options)
    }

    /// What tells tables apart, those of files or those that were learnt.
    pub(super) fn checksum(&self) -> String {
        let mut hash = Xxh3::new();
        let forms = self.head.common.iter().flatten().map(String::as_bytes);
        for part in forms.chain(self.columns.iter().map(Vec::as_slice)) {
            hash.update(&part.len().to_le_bytes());
            hash.update(part);
        }
        format!("{:016x}", hash.digest())
    }

    /// Begins the columns of what is learnt.
    pub(super) fn learn(&mut self) {
        self.head.learnt = true;
        self.columns.clear();
    }

    /// Adds a column of numbers.
    pub(super) fn push<T: Pod>(&mut self, numbers: &[T]) {
        self.columns.push(bytemuck::cast_slice(numbers).to_vec());
    }

    /// A column of numbers.
    pub(super) fn column<T: Pod>(&self, index: usize) -> Result<Vec<T>> {
        let bytes = self.columns.get(index).ok_or_else(damaged)?;
        if bytes.len() % size_of::<T>() != 0 {
            return Err(damaged());
        }
        Ok(bytemuck::pod_collect_to_vec(bytes))
    }

    /// The model as bytes.
    pub(super) fn write(&self) -> Result<Vec<u8>> {
        let head = Head {
            columns: self.columns.iter().map(Vec::len).collect(),
            ..self.head.clone()
        };
        let head = serde_json::to_vec(&head).map_err(|error| misfit(error.to_string()))?;
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head);
        self.columns.iter().for_each(|column| bytes.extend(column));
        let packed = zstd::bulk::compress(&bytes, LEVEL);
        let packed = packed.map_err(|error| misfit(format!("cannot pack the model: {error}")))?;
        let mut model = MAGIC.to_vec();
        model.extend((bytes.len() as u64).to_le_bytes());
        model.extend(packed);
        Ok(model)
    }

    /// The model of such bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let packed = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let (length, packed) = split_number(packed)?;
        let bytes = zstd::bulk::decompress(packed, length).map_err(|_| damaged())?;
        let (length, rest) = split_number(&bytes)?;
        let (head, mut rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let head: Head = serde_json::from_slice(head).map_err(|_| damaged())?;
        if head.versions != VERSIONS {
            return Err(misfit(
                "the model was learnt by another version of doublet: learn it again",
            ));
        }
        let mut columns = Vec::new();
        for &length in &head.columns {
            let column;
            (column, rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
            columns.push(column.to_vec());
        }
        Ok(Self { head, columns })
    }
}

fn split_number(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
    Ok((u64::from_le_bytes(*number) as usize, rest))
}

pub(super) fn damaged() -> crate::error::Error {
    misfit("the model is damaged, or is none: learn it again")
}
