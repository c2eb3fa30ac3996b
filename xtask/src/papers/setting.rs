//! On what the papers are redone: stored texts where they are, made ones in their place, and how large.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;

use super::Args;
use crate::bench;
use crate::bench::record::Collection;
use crate::corpus::{self, Kind};
use crate::doublet::{self, Doublet};
use crate::terms::texts::{Copies, Source, Texts};
use crate::workspace;

/// Where the quick form makes and writes everything.
const QUICK: &str = "target/papers-quick";

/// How large things are.
pub(super) struct Sizes {
    pub(super) documents: &'static [usize],
    pub(super) messages: &'static [usize],
    pub(super) titles: &'static [usize],
    /// Messages in made collections of which the right pairs are known.
    pub(super) judged: usize,
    /// Sources of which posts are clipped; none: as many as in the paper.
    pub(super) sources: Option<usize>,
    /// Trials of each point of an estimator.
    pub(super) trials: u32,
    /// Texts of a real collection whose estimates are looked at pair by pair.
    pub(super) estimated: usize,
    /// Seeds of the sketches there.
    pub(super) seeds: u64,
}

const FULL: Sizes = Sizes {
    documents: &[10_000, 30_000, 100_000, 300_000, 1_000_000],
    messages: &[1_000_000, 2_000_000, 4_000_000, 8_000_000, 12_000_000],
    titles: &[500_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000],
    judged: 100_000,
    sources: None,
    trials: 10_000,
    estimated: 6_000,
    seeds: 5,
};

const SMALL: Sizes = Sizes {
    documents: &[100, 200, 400],
    messages: &[200, 400, 800],
    titles: &[200, 400, 800],
    judged: 400,
    sources: Some(1_200),
    trials: 40,
    estimated: 300,
    seeds: 2,
};

/// Data, sizes, tool and folders of a run.
pub(super) struct Setting {
    pub(super) is_quick: bool,
    pub(super) sizes: &'static Sizes,
    /// The options of the tool for other commands.
    pub(super) tool: doublet::Args,
    pub(super) doublet: Doublet,
    /// Where collections and answers go.
    pub(super) work: PathBuf,
    /// None: nothing but the project's own texts.
    data: Option<PathBuf>,
    /// The data folder was named, so collections are made from it too.
    is_named: bool,
}

impl Setting {
    pub(super) fn new(args: &Args) -> Result<Self> {
        let mut tool = args.doublet.clone();
        if args.quick && tool.work.is_none() {
            tool.work = Some(QUICK.into());
        }
        let doublet = Doublet::find(&tool)?;
        // The example of the estimators may lie beside it.
        tool.doublet = Some(doublet.binary().to_owned());
        let default = || workspace::root().join(corpus::DATA);
        let data = args.data.clone().unwrap_or_else(default);
        Ok(Self {
            is_quick: args.quick,
            sizes: if args.quick { &SMALL } else { &FULL },
            work: tool.folder()?,
            tool,
            doublet,
            is_named: args.data.is_some(),
            data: (!args.quick && data.is_dir()).then_some(data),
        })
    }

    /// Where the pages go.
    pub(super) fn pages(args: &Args) -> PathBuf {
        let default = if args.quick {
            Path::new(QUICK).join("pages")
        } else {
            "docs/papers".into()
        };
        workspace::root().join(args.output.clone().unwrap_or(default))
    }

    /// The data folder; one that is not there if there is none, which other commands understand.
    pub(super) fn data(&self) -> PathBuf {
        let none = || self.work.join("no-data");
        self.data.clone().unwrap_or_else(none)
    }

    /// A stored collection, if it is there.
    pub(super) fn stored(&self, name: &str) -> Option<PathBuf> {
        let path = self.data.as_ref()?.join(name).join("texts.jsonl.zst");
        path.is_file().then_some(path)
    }

    /// The texts that a kind of collection is made from, for `--from` of other commands.
    pub(super) fn material(&self, kind: Kind) -> Vec<PathBuf> {
        match &self.data {
            // What a collection is made from without being told: it may be there already.
            Some(_) if !self.is_named => Vec::new(),
            Some(data) => corpus::material(data, kind),
            None => vec![corpus::sample()],
        }
    }

    /// A made collection.
    pub(super) fn make(&self, kind: Kind, documents: usize) -> Result<Collection> {
        bench::make(&self.work, kind, documents, &self.material(kind))
    }

    /// The first so many texts of a stored collection, as plain JSON lines with ids of their own.
    pub(super) fn unpacked(&self, name: &str, limit: usize) -> Result<Option<Texts>> {
        let Some(path) = self.stored(name) else {
            return Ok(None);
        };
        let source = Source {
            name: name.to_owned(),
            path,
            language: None,
        };
        let file = match limit {
            usize::MAX => format!("{name}.jsonl"),
            limit => format!("{name}-first-{limit}.jsonl"),
        };
        let folder = self.work.join("papers");
        std::fs::create_dir_all(&folder)?;
        Texts::select(&source, Copies::Take, limit, &folder.join(file)).map(Some)
    }

    /// These stored collections as far as they are there, or a made one if none is.
    pub(super) fn collections(&self, names: &[&str]) -> Result<Vec<Texts>> {
        let mut collections = Vec::new();
        for name in names {
            collections.extend(self.unpacked(name, usize::MAX)?);
        }
        if collections.is_empty() {
            let made = self.make(Kind::Documents, self.sizes.documents[1])?;
            collections.push(Texts::read("made", &made.path)?);
        }
        Ok(collections)
    }

    /// What `compare` or `inspect` prints as JSON, one value a line.
    pub(super) fn ask(&self, line: &[&str]) -> Result<Vec<Value>> {
        let binary = self.doublet.binary().display().to_string();
        let text = workspace::output_of(&[&[binary.as_str()], line].concat())?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines
            .map(|line| serde_json::from_str(line).map_err(anyhow::Error::from))
            .collect()
    }
}

/// The stored collections that the papers are redone on, and what is done without each.
pub(super) const WANTED: [(&str, &str); 9] = [
    (
        "nus_sms",
        "recall, transitivity and precision of `terms` on made messages only",
    ),
    (
        "zh_reviews",
        "no reviews for `terms`; Chinese is made from messages alone",
    ),
    (
        "ko_headlines",
        "no headlines among the precisions of `terms`",
    ),
    (
        "germeval_tweets",
        "no tweets among the precisions of `terms`",
    ),
    (
        "mrpc",
        "no labelled news sentences among the precisions of `terms`",
    ),
    (
        "reuters21578",
        "no newswire; where nothing else is left, made documents",
    ),
    (
        "bbc_news",
        "no BBC news; where nothing else is left, made documents",
    ),
    ("gnad_test", "no German newspaper for `shingles`"),
    ("plagiarism_short", "no answers of students for `sentences`"),
];

/// What is missing, in words; none of it in the quick form, which wants none.
pub(super) fn missing(setting: &Setting) -> Vec<String> {
    if setting.is_quick {
        return Vec::new();
    }
    let lacking = WANTED
        .iter()
        .filter(|(name, _)| setting.stored(name).is_none());
    lacking
        .map(|(name, without)| format!("`{name}` is missing: {without}"))
        .collect()
}
