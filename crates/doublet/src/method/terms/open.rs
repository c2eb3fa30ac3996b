//! A segmenter for a run: the language that most of its texts are in is found first.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::method::terms::TermOptions;
use crate::normalize::signature;
use crate::options::NormalizeOptions;
use crate::read::{Collection, SourceFile};
use crate::segment::terms::{Language, SegmentOptions, TermSegmenter, majority};

/// Version of everything that decides where terms begin and end, and what their forms and groups are.
pub const SEGMENT_VERSION: u32 = 1;
/// Blocks of a collection that are looked at, about.
const BLOCKS: u64 = 8;
/// Texts of a block that are looked at.
const TEXTS: usize = 200;

impl TermSegmenter {
    /// A segmenter for the texts of some collections. Texts that do not tell their language are taken to be in that of most.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn for_collections<'a>(
        normalize: &NormalizeOptions,
        options: &TermOptions,
        collections: impl Iterator<Item = &'a Collection>,
    ) -> Result<Self> {
        let fallback = fallback_language(options, collections)?;
        Ok(Self::with_fallback(normalize, options, fallback))
    }

    /// A segmenter for these texts.
    pub fn for_texts(normalize: &NormalizeOptions, options: &TermOptions, texts: &[&str]) -> Self {
        Self::with_fallback(normalize, options, majority(texts.iter().copied()))
    }

    /// A segmenter for texts that are in `fallback` where they do not tell their language, unless one is given for all.
    pub fn with_fallback(
        normalize: &NormalizeOptions,
        options: &TermOptions,
        fallback: Language,
    ) -> Self {
        let options = SegmentOptions {
            language: options.language,
            fallback: match options.language {
                Language::Auto => fallback,
                given => given,
            },
            fold_elongation: options.fold_elongation,
        };
        Self::new(normalize, &options)
    }
}

/// The language that most texts of some collections are in, by a sample; the one given, if there is one.
///
/// # Errors
/// When a file cannot be read.
pub fn fallback_language<'a>(
    options: &TermOptions,
    collections: impl Iterator<Item = &'a Collection>,
) -> Result<Language> {
    if options.language != Language::Auto {
        return Ok(options.language);
    }
    let mut texts = Vec::new();
    for collection in collections {
        sample(collection, &mut texts)?;
    }
    Ok(majority(texts.iter().map(String::as_str)))
}

/// Takes texts from blocks spread over a collection.
fn sample(collection: &Collection, texts: &mut Vec<String>) -> Result<()> {
    let files = collection.files().iter();
    let bytes: u64 = files.map(SourceFile::expected_bytes).sum();
    let every = (bytes >> 20) / BLOCKS;
    let mut blocks = collection.sample_blocks(every.max(1) as usize)?;
    while let Some(block) = blocks.next_block()? {
        let step = block.len().div_ceil(TEXTS).max(1);
        for index in (0..block.len()).step_by(step) {
            if let Ok(record) = block.decode(index) {
                texts.push(record.text.into_owned());
            }
        }
    }
    Ok(())
}

/// The options that decide what terms a text has, in words: tables of counts go together only when these are the same.
pub fn segment_signature(normalize: &NormalizeOptions, options: &TermOptions) -> String {
    format!(
        "segmenter {SEGMENT_VERSION}, lang {}, {}, fold-elongation {}",
        options.language.code(),
        signature(normalize),
        options.fold_elongation,
    )
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(code: &str) -> Result<Self, Error> {
        let lower = code.to_ascii_lowercase();
        // A region or a script may follow: zh-TW, zh-Hant, en_GB.
        let main = lower.split(['-', '_']).next().unwrap_or_default();
        Self::from_code(main).ok_or_else(|| {
            let codes: Vec<&str> = Self::ALL.iter().map(|language| language.code()).collect();
            Error::Option {
                option: "lang",
                value: code.to_owned(),
                expected: format!("give auto or one of {}", codes.join(", ")),
            }
        })
    }
}
