//! Removing passages: repeated sentences leave the later texts, whatever is left of these stays.
//!
//! Reads the texts that repeat something once more, writes `removed.jsonl`, and gives what leaves each text. Order decides, not
//! clusters: references come first, then the input as it stands.

use std::collections::BTreeMap;

use super::{DedupOptions, Remove, Run};
use crate::batch::repeats::Repeated;
use crate::cluster::{Keep, Linkage};
use crate::document::DocId;
use crate::error::{Error, Result};
use crate::files::output::OutputFile;
use crate::matches::Source;
use crate::method::{Fitted, Method};
use crate::options::Format;
use crate::parallel;
use crate::passages::{Outcome, Passage, PassageCutter};
use crate::progress::{self, Observer, Unit};
use crate::report::html::{CutPassages, PassageRow};
use crate::report::kept::Cuts;
use crate::report::page::excerpt;
use crate::report::pairs::plain_key;
use crate::report::records::{RecordLines, RemovedLine};

/// Texts that are cut at a time.
const BATCH: usize = 256;
/// Passages listed on the page.
const LONGEST: usize = 20;

/// What leaves the input.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// What leaves texts that stay.
    pub(super) cuts: Cuts,
    /// Texts that leave as a whole.
    pub(super) removed: Vec<DocId>,
    /// The figures of both, and the longest passages.
    pub(super) figures: CutPassages,
}

/// That passages can be removed from this source by these options.
///
/// # Errors
/// When they cannot: what to do instead.
pub(super) fn check(source: &Source, options: &DedupOptions) -> Result<()> {
    if options.remove == Remove::Documents {
        return Ok(());
    }
    let refuse = |option: &'static str, value: String, expected: String| {
        Err(Error::Option {
            option,
            value,
            expected,
        })
    };
    let passages = || "passages".to_owned();
    let method = options.join.matching.method;
    if method != Method::Sentences {
        let expected = format!("goes with `--method sentences`; the method is `{method}`");
        return refuse("remove", passages(), expected);
    }
    let decides = "with `--remove passages` the order of the input decides, and the first text that has a passage keeps it";
    if options.cluster.keep != Keep::First {
        let expected = format!("{decides}: leave it out, and sort the input");
        return refuse("keep", options.cluster.keep.to_string(), expected);
    }
    if options.cluster.linkage != Linkage::Connected {
        let linkage = format!("{:?}", options.cluster.linkage).to_lowercase();
        return refuse("linkage", linkage, format!("{decides}: leave it out"));
    }
    let is_markup = |format| matches!(format, Format::Html | Format::Xml | Format::Warc);
    let files = source.input.files();
    if let Some(file) = files.iter().find(|file| file.is_in_memory()) {
        let expected = format!(
            "passages are cut out of files, and `{}` is in memory: give a file",
            file.name()
        );
        return refuse("remove", passages(), expected);
    }
    match files.iter().find(|file| is_markup(file.format())) {
        Some(file) => {
            let expected = format!(
                "passages cannot be cut out of markup, and `{}` is {}: turn it into text or JSON lines first, or give `--remove documents`",
                file.name(),
                format!("{:?}", file.format()).to_uppercase()
            );
            refuse("remove", passages(), expected)
        }
        None => Ok(()),
    }
}

/// Finds what leaves each text, and writes `removed.jsonl`.
pub(super) fn cut(run: &Run<'_>, observer: &dyn Observer) -> Result<Cut> {
    let (Fitted::Sentences(found), Some(repeats)) = (&run.joined.fitted, &run.joined.repeats)
    else {
        return Ok(Cut::default());
    };
    let join = &run.options.join;
    let documents = run.documents();
    let cutter = PassageCutter::new(run.source, documents, found, join.matching.metric);
    let mut writing = Writing {
        run,
        lines: RecordLines {
            documents,
            source: run.source,
        },
        file: run.create("removed.jsonl")?,
        line: Vec::new(),
        clusters: run.cluster_numbers(),
        copies: &repeats.copies,
        emptied: BTreeMap::new(),
        cut: Cut::default(),
    };
    let texts = Some(repeats.in_part);
    progress::begin(observer, "cutting passages", texts, Unit::Count("texts"))?;
    repeats.for_each(|texts| {
        for batch in texts.chunks(BATCH) {
            let cut = |index: usize| {
                let (text, repeated): &(u32, Vec<Repeated>) = &batch[index];
                cutter.cut(*text, repeated)
            };
            let outcomes = parallel::map(join.resources.threads, batch.len(), cut)?;
            for ((text, _), outcome) in batch.iter().zip(outcomes) {
                writing.outcome(*text, outcome)?;
            }
            progress::advance(observer, batch.len() as u64)?;
        }
        Ok(())
    })?;
    writing.finish()
}

/// `removed.jsonl` under way, and what it comes to.
struct Writing<'a> {
    run: &'a Run<'a>,
    lines: RecordLines<'a>,
    file: OutputFile,
    line: Vec<u8>,
    /// The cluster of each text; none is the largest number.
    clusters: Vec<u32>,
    /// Exact copies whose lines are still to be written.
    copies: &'a [(u32, u32)],
    /// The representatives of texts of which nothing remained, and the scores.
    emptied: BTreeMap<u32, (u32, f64)>,
    cut: Cut,
}

impl Writing<'_> {
    /// Takes the next text that is a copy in part.
    fn outcome(&mut self, text: u32, outcome: Outcome) -> Result<()> {
        self.copies_before(text)?;
        match outcome {
            Outcome::Emptied {
                representative,
                score,
            } => {
                self.emptied.insert(text, (representative, score));
                self.removed(text, representative, score)
            }
            Outcome::Shortened(passages) => self.shortened(DocId(text), &passages),
        }
    }

    /// Writes the exact copies that stand before a text.
    fn copies_before(&mut self, text: u32) -> Result<()> {
        while let [(copy, original), later @ ..] = self.copies
            && *copy < text
        {
            self.copies = later;
            // The text of the same words may be gone itself.
            let (representative, score) = match self.emptied.get(original) {
                Some(emptied) => *emptied,
                None => {
                    let scores = self.run.documents().identical_scores(*copy);
                    (
                        *original,
                        scores.score(self.run.options.join.matching.metric),
                    )
                }
            };
            self.removed(*copy, representative, score)?;
        }
        Ok(())
    }

    fn removed(&mut self, text: u32, representative: u32, score: f64) -> Result<()> {
        let cluster = self.clusters.get(text as usize).copied();
        let cluster = cluster.filter(|number| *number != u32::MAX);
        self.line.clear();
        let removed = RemovedLine {
            cluster: cluster.map(|number| number as usize),
            document: DocId(text),
            representative: DocId(representative),
            score,
            // Each of its sentences is in a text that stays.
            lost: 0,
        };
        self.lines.removed(&removed, &mut self.line);
        self.cut.removed.push(DocId(text));
        self.file.write(&self.line)
    }

    fn shortened(&mut self, text: DocId, passages: &[Passage]) -> Result<()> {
        for passage in passages {
            self.line.clear();
            self.lines.passage(text, passage, &mut self.line);
            self.file.write(&self.line)?;
            self.note(text, passage);
        }
        self.cut.figures.texts += u64::from(!passages.is_empty());
        Ok(())
    }

    fn note(&mut self, text: DocId, passage: &Passage) {
        let characters = passage.here.end - passage.here.start;
        let Cut { cuts, figures, .. } = &mut self.cut;
        figures.passages += 1;
        figures.sentences += passage.sentences;
        figures.characters += characters;
        // A record has fewer bytes than this.
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        cuts.0
            .push((text, byte(passage.bytes.start), byte(passage.bytes.end)));
        let longest = &mut figures.longest;
        let at = longest.partition_point(|row| row.characters >= characters);
        if at < LONGEST {
            let key = |text| plain_key(&self.run.documents().key(text, self.run.source));
            let row = PassageRow {
                key: key(text),
                source: key(DocId(passage.source)),
                sentences: passage.sentences,
                characters,
                excerpt: excerpt(passage.text.trim()),
            };
            longest.insert(at, row);
            longest.truncate(LONGEST);
        }
    }

    fn finish(mut self) -> Result<Cut> {
        self.copies_before(u32::MAX)?;
        self.file.finish()?;
        Ok(self.cut)
    }
}
