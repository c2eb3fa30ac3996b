//! The collections that are measured on: made here once, or given.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;

use super::record::Collection;
use crate::corpus::{self, Kind, stats};

/// A collection to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) kind: Kind,
    pub(super) documents: usize,
}

impl FromStr for Size {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, number) = text.split_once(':').unwrap_or(("documents", text));
        let kind = Kind::from_str(kind, false)
            .map_err(|_| anyhow!("`{text}`: write N, short:N, short-zh:N or messages:N"))?;
        let number = number.replace('_', "").parse();
        Ok(Self {
            kind,
            documents: number.with_context(|| format!("`{text}`: no number of texts"))?,
        })
    }
}

/// The collection of a size, made unless it is there.
pub(crate) fn make(
    folder: &Path,
    kind: Kind,
    documents: usize,
    from: &[PathBuf],
) -> Result<Collection> {
    let output = folder.join(format!("{}-{documents}.jsonl", kind.name()));
    // What does not say its kind is incomplete, or was made by other rules.
    if corpus::info(&output)["kind"] != kind.name() {
        corpus::run(&corpus::Args {
            documents: Some(documents),
            targets: None,
            words: None,
            kind,
            from: from.to_vec(),
            seed: 1,
            stats: false,
            output: output.clone(),
        })?;
    }
    Ok(Collection {
        kind: Some(kind),
        ..describe(&output)?
    })
}

/// A collection with its counts, from the file beside it or counted.
pub(crate) fn describe(path: &Path) -> Result<Collection> {
    let path = path
        .canonicalize()
        .with_context(|| format!("`{}` does not exist", path.display()))?;
    let bytes = std::fs::metadata(&path)?.len();
    let info = corpus::info(&path);
    let field = |name: &str| info[name].as_u64().map(|number| number as usize);
    let (documents, words) = match (field("documents"), field("words")) {
        (Some(documents), Some(words)) => (documents, words),
        _ => count(&path)?,
    };
    Ok(Collection {
        path,
        documents,
        words,
        bytes,
        kind: None,
    })
}

fn count(path: &Path) -> Result<(usize, usize)> {
    let (mut documents, mut words) = (0, 0);
    stats::each_text(path, |_, text| {
        documents += 1;
        words += stats::words(text).len();
    })?;
    Ok((documents, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_of_documents_or_short_messages() {
        let size: Size = "short:1_000".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::Short, 1000));
        let size: Size = "20000".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::Documents, 20_000));
        let size: Size = "short-zh:5".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::ShortZh, 5));
        assert!("many".parse::<Size>().is_err());
        assert!("long:5".parse::<Size>().is_err());
    }
}
