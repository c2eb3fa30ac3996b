//! A reading that finds out which words are common among the sources.

use super::scan::{self, Extent};
use crate::error::Result;
use crate::method::sentences::ENOUGH_TEXTS;
use crate::method::sentences::common::{CommonWords, Cutoff};
use crate::method::sentences::words::{WordCutter, WordScratch};
use crate::method::terms::vocabulary::{Counted, Vocabulary};
use crate::method::terms::{Group, Language};
use crate::options::NormalizeOptions;
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, SourceFile};
use crate::segment::terms::detect;

/// One thread's state.
#[derive(Default)]
struct Counting {
    scratch: WordScratch,
    vocabulary: Vocabulary,
    languages: Vec<Language>,
}

impl Counting {
    fn block(&mut self, block: &Block, cutter: &WordCutter) {
        for (_, record) in block.readable() {
            count_words(
                cutter,
                &record.text,
                &mut self.scratch,
                &mut self.vocabulary,
            );
            if (self.languages.len() as u64) < ENOUGH_TEXTS {
                self.languages.push(detect(&record.text));
            }
        }
    }
}

/// Counts the words of a text.
pub(crate) fn count_words(
    cutter: &WordCutter,
    text: &str,
    scratch: &mut WordScratch,
    vocabulary: &mut Vocabulary,
) {
    vocabulary.begin_text();
    let mut form = Vec::new();
    cutter.words(text, scratch, |word| {
        form.clear();
        word.push_form(&mut form);
        let form = std::str::from_utf8(&form).unwrap_or_default();
        vocabulary.add(form, Group::Other);
    });
}

/// The common words of a collection: those above the cut-off, in a large collection by a sample of its blocks. Without a cut-off,
/// a collection too small to count has its function words for common ones.
///
/// # Errors
/// When a file cannot be read.
pub fn learn_common_words(
    sources: &Collection,
    normalize: &NormalizeOptions,
    cutoff: Option<Cutoff>,
    threads: usize,
    observer: &dyn Observer,
) -> Result<CommonWords> {
    if cutoff == Some(Cutoff::Off) {
        return Ok(CommonWords::default());
    }
    let bytes: u64 = sources.files().iter().map(SourceFile::expected_bytes).sum();
    let every = Cutoff::every(cutoff, bytes);
    let extent = match every {
        1 => Extent::Whole,
        every => Extent::OneIn(every as usize),
    };
    let total = sources.total_bytes().map(|total| total / every);
    progress::begin(observer, "counting words", total, Unit::Bytes)?;
    let cutter = WordCutter::new(normalize);
    let states = scan::scan(
        sources,
        extent,
        threads,
        observer,
        Counting::default,
        |counting, block| {
            counting.block(block, &cutter);
            Ok(())
        },
    )?;
    let mut languages = Vec::new();
    let mut parts: Vec<Counted> = Vec::new();
    for state in states {
        languages.extend(state.languages);
        parts.push(state.vocabulary.finish());
    }
    Ok(CommonWords::learned(&parts, &languages, normalize, cutoff))
}
