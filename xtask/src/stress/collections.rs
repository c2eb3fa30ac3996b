//! The hostile collections: what each consists of, and what is known of it beforehand.
//!
//! A collection is written by rule from a fixed seed, in the size that the issue of hostile data is about or a share of it, so that
//! what must be kept of it is known without looking.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::corpus::random::Random;

/// Words that own texts are made of.
const VOCABULARY: usize = 50_000;
const SEED: u64 = 9;

/// A hostile collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Hostile {
    /// The same text again and again
    Identical,
    /// A passage of 300 words in every text, with 50 words of its own
    Passage,
    /// A passage of 300 words in every text, with 2,000 words of its own
    Notice,
    /// Each text resembles only the next
    Chain,
    /// One text of a gigabyte, and some small ones
    Gigabyte,
    /// One word, ten million times
    OneWord,
    /// Texts of one to three words
    Tiny,
    /// Words of a megabyte
    LongWords,
    /// Nothing but numbers
    Numbers,
    /// Nothing but emoji
    Emoji,
    /// Letters that carry thousands of combining marks
    Marks,
    /// Right-to-left text with marks of direction
    RightToLeft,
    /// Zero-width characters between letters and alone
    ZeroWidth,
    /// Texts without anything in them
    Empty,
    /// Ids of ten kilobytes
    LongIds,
}

/// What is known of a collection before anything looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) records: u64,
    /// Records without a token.
    pub(crate) empty: u64,
    /// Texts that stay when those of the same words go.
    pub(crate) distinct: u64,
    /// Whether `shingles` at 0.8 finds more than texts of the same words.
    pub(crate) near: Near,
}

/// What `--method shingles` finds at the usual threshold, other than texts of the same words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Near {
    /// Nothing.
    #[default]
    Nothing,
    /// All texts hang together.
    Everything,
    /// By rule not known.
    Unknown,
}

impl Hostile {
    /// How many records there are in full size.
    fn full(self) -> u64 {
        match self {
            Self::Identical | Self::Tiny => 1_000_000,
            Self::Passage | Self::Notice => 200_000,
            Self::Chain => 10_000,
            Self::Gigabyte | Self::OneWord => 101,
            Self::LongWords => 300,
            Self::Numbers | Self::Emoji | Self::RightToLeft | Self::ZeroWidth => 200_000,
            Self::Marks => 2_000,
            Self::Empty => 5_000_000,
            Self::LongIds => 50_000,
        }
    }

    /// The records at a share of the full size: a hundredth for tests. Where the size is in a text, the number stays.
    fn records(self, share: u64) -> u64 {
        match self {
            Self::Gigabyte | Self::OneWord => self.full(),
            _ => (self.full() / share).max(50),
        }
    }

    /// Its name, as on the command line.
    pub(crate) fn name(self) -> String {
        use clap::ValueEnum;
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Writes it into the folder, unless it is there, and says what is known of it.
    pub(crate) fn make(self, folder: &Path, share: u64) -> Result<(PathBuf, Known)> {
        let path = folder.join(format!("hostile-{}-{share}.jsonl", self.name()));
        let mut writer = Writer::create(&path)?;
        let known = self.write(share, &mut writer)?;
        writer.finish(&path)?;
        Ok((path, known))
    }

    fn write(self, share: u64, out: &mut Writer) -> Result<Known> {
        let records = self.records(share);
        let mut random = Random::new(SEED, self as u64);
        let mut known = Known {
            records,
            distinct: records,
            ..Known::default()
        };
        match self {
            Self::Identical => {
                let text = prose(&mut random, 40);
                known.distinct = 1;
                out.all(records, |_, line| line.push_str(&text))?;
            }
            Self::Passage | Self::Notice => {
                let passage = prose(&mut random, 300);
                let own = if self == Self::Passage { 50 } else { 2_000 };
                out.all(records, |number, line| {
                    // Before, within or behind what is the text's own.
                    let before = number as usize % 3 * own / 2;
                    line.push_str(&prose(&mut random, before));
                    let _ = write!(line, " {passage} ");
                    line.push_str(&prose(&mut random, own - before));
                })?;
            }
            Self::Chain => {
                // A window of 100 words that moves by 8 words: of 96 shingles 88 stay, of the next but one 80.
                let stream: Vec<String> = (0..100 + 8 * records as usize).map(word_of).collect();
                known.near = Near::Everything;
                out.all(records, |number, line| {
                    let start = 8 * number as usize;
                    line.push_str(&stream[start..start + 100].join(" "));
                })?;
            }
            Self::Gigabyte => {
                let bytes = 1_000_000_000 / share as usize;
                out.all(records, |number, line| {
                    let bytes = if number == 50 { bytes } else { 300 };
                    while line.len() < bytes {
                        line.push_str(&prose(&mut random, 100));
                        line.push(' ');
                    }
                })?;
            }
            Self::OneWord => {
                let most = 10_000_000 / share as usize;
                // All but the long one have a single word too few for a shingle, or some words of their own.
                out.all(records, |number, line| match number {
                    50 => line.push_str(&"again ".repeat(most)),
                    _ => line.push_str(&prose(&mut random, 60)),
                })?;
            }
            Self::Tiny => self.tiny(records, &mut random, out, &mut known)?,
            Self::LongWords => {
                let length = (1_000_000 / share as usize).max(20_000);
                known.distinct = records.div_ceil(3);
                out.all(records, |number, line| {
                    // Three copies of each, that differ in case alone.
                    let mut random = Random::new(SEED, 1_000 + number / 3);
                    for _ in 0..3 {
                        let word: String = (0..length).map(|_| letter(&mut random)).collect();
                        let word = if number % 3 == 1 {
                            word.to_uppercase()
                        } else {
                            word
                        };
                        let _ = write!(line, "{word} ");
                    }
                })?;
            }
            Self::Numbers => {
                // `shingles` takes all numbers for one token: texts of one length are one text.
                known.near = Near::Unknown;
                out.all(records, |_, line| {
                    for _ in 0..20 + random.below(20) {
                        let _ = write!(line, "{} ", random.below(100_000_000));
                    }
                })?;
            }
            Self::Emoji => {
                known.empty = 0;
                known.near = Near::Unknown;
                out.all(records, |_, line| {
                    for _ in 0..30 {
                        let emoji = 0x1f600 + random.below(80) as u32;
                        line.extend(char::from_u32(emoji));
                        line.push_str(["", " ", "\u{200d}", "\u{fe0f}"][random.below(4)]);
                    }
                })?;
            }
            Self::Marks => {
                known.near = Near::Unknown;
                out.all(records, |_, line| {
                    for _ in 0..8 {
                        line.push(letter(&mut random));
                        let marks = 1_000 + random.below(2_000);
                        line.extend(
                            (0..marks)
                                .filter_map(|_| char::from_u32(0x300 + random.below(0x60) as u32)),
                        );
                        line.push(' ');
                    }
                })?;
            }
            Self::RightToLeft => {
                out.all(records, |_, line| {
                    for _ in 0..40 {
                        line.push_str(["", "\u{202e}", "\u{200f}", "\u{2067}"][random.below(4)]);
                        let first = [0x5d0, 0x627][random.below(2)];
                        line.extend(
                            (0..6).filter_map(|_| char::from_u32(first + random.below(26) as u32)),
                        );
                        line.push(' ');
                    }
                })?;
            }
            Self::ZeroWidth => {
                // Two texts of which one has zero-width characters within its words, and one of nothing else.
                known.near = Near::Unknown;
                out.all(records, |number, line| {
                    if number % 10 == 9 {
                        line.push_str(&"\u{200b}\u{feff}\u{2060}".repeat(50));
                        return;
                    }
                    for word in prose(&mut random, 30).split(' ') {
                        let half = word.len() / 2;
                        let _ = write!(line, "{}\u{200b}{} ", &word[..half], &word[half..]);
                    }
                })?;
            }
            Self::Empty => {
                known.empty = records;
                out.all(records, |number, line| {
                    line.push_str(["", " ", "\u{a0}\u{3000}", "...", "\t \n"][number as usize % 5]);
                })?;
            }
            Self::LongIds => {
                out.id_length = 10_000;
                known.distinct = records.div_ceil(2);
                out.all(records, |number, line| {
                    let mut random = Random::new(SEED, 1_000_000 + number / 2);
                    line.push_str(&prose(&mut random, 40));
                })?;
            }
        }
        Ok(known)
    }

    /// Texts of one to three words of a hundred: there are at most 1,010,100 of them.
    fn tiny(
        self,
        records: u64,
        random: &mut Random,
        out: &mut Writer,
        known: &mut Known,
    ) -> Result<()> {
        let mut seen = std::collections::HashSet::new();
        // A text too short for a shingle is one as it is: only texts of the same words are alike.
        out.all(records, |_, line| {
            let words: Vec<usize> = (0..=random.below(3)).map(|_| random.below(100)).collect();
            for word in &words {
                line.push_str(&word_of(*word));
                line.push(' ');
            }
            seen.insert(words);
        })?;
        known.distinct = seen.len() as u64;
        Ok(())
    }
}

/// A file of JSON lines under way.
struct Writer {
    file: BufWriter<File>,
    /// Characters of an id, at least.
    id_length: usize,
}

impl Writer {
    fn create(path: &Path) -> Result<Self> {
        let temporary = path.with_extension("tmp");
        let file = File::create(&temporary);
        let file = file.with_context(|| format!("cannot write `{}`", temporary.display()))?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 20, file),
            id_length: 0,
        })
    }

    /// Writes so many records; `each` appends the text of one.
    fn all(&mut self, records: u64, mut each: impl FnMut(u64, &mut String)) -> Result<()> {
        let mut text = String::new();
        for number in 0..records {
            text.clear();
            each(number, &mut text);
            let id = format!("{number:0>width$}", width = self.id_length);
            serde_json::to_writer(&mut self.file, &serde_json::json!({"id": id, "text": text}))?;
            self.file.write_all(b"\n")?;
        }
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<()> {
        self.file.flush()?;
        Ok(std::fs::rename(path.with_extension("tmp"), path)?)
    }
}

/// So many words with a full stop now and then.
fn prose(random: &mut Random, words: usize) -> String {
    let mut text = String::with_capacity(words * 8);
    for number in 0..words {
        let word = word_of(random.below(VOCABULARY));
        if number % 12 == 0 {
            let (first, rest) = word.split_at(1);
            let _ = write!(text, "{}{rest}", first.to_uppercase());
        } else {
            text.push_str(&word);
        }
        text.push_str(match number % 12 {
            11 => ". ",
            _ if number + 1 == words => ".",
            _ => " ",
        });
    }
    text
}

/// A word for each number, of syllables.
fn word_of(number: usize) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    let (mut rest, mut word) = (number, String::new());
    loop {
        word.push(char::from(CONSONANTS[rest % CONSONANTS.len()]));
        rest /= CONSONANTS.len();
        word.push(char::from(VOWELS[rest % VOWELS.len()]));
        rest /= VOWELS.len();
        if rest == 0 {
            return word;
        }
    }
}

fn letter(random: &mut Random) -> char {
    char::from(b'a' + random.below(26) as u8)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_number_has_a_word_of_its_own() {
        let words: HashSet<String> = (0..VOCABULARY).map(word_of).collect();
        assert_eq!(words.len(), VOCABULARY);
    }

    #[test]
    fn a_collection_has_the_records_it_says() {
        let folder = std::env::temp_dir().join(format!("doublet-hostile-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for hostile in Hostile::value_variants() {
            let (path, known) = hostile.make(&folder, 2_000).expect("a collection");
            let text = std::fs::read_to_string(&path).expect("text");
            assert_eq!(text.lines().count() as u64, known.records, "{hostile:?}");
            let again = hostile.make(&folder, 2_000).expect("a collection");
            assert_eq!(std::fs::read_to_string(again.0).expect("text"), text);
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
