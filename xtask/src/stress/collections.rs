//! The hostile collections: what each consists of, and what is known of it beforehand.
//!
//! A collection is written by rule from a fixed seed, in full size or a share of it, so that
//! what must be kept of it is known without looking.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::corpus::random::Random;

/// Words that own texts are made of.
const VOCABULARY: usize = 50_000;
const SEED: u64 = 9;
/// The number of the one large text of a collection.
const LARGE: u64 = 5;
/// Copies of a text of long words, of which one is in capitals.
const CASES: u64 = 3;

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
    /// Each text matches the one before it and the one after it.
    Chain,
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

    /// Writes it into the folder and says what is known of it.
    pub(crate) fn make(self, folder: &Path, share: u64) -> Result<(PathBuf, Known)> {
        let path = folder.join(format!("hostile-{}-{share}.jsonl", self.name()));
        let mut writer = Writer::create(&path)?;
        let known = self.write(share, &mut writer)?;
        writer.finish(&path)?;
        Ok((path, known))
    }

    /// What is known of so many records of it, but for the texts of `Tiny` that are alike by chance.
    fn known(self, records: u64) -> Known {
        let (mut empty, mut distinct, mut near) = (0, records, Near::Nothing);
        match self {
            Self::Identical => distinct = 1,
            // Copies of each, that differ in case alone.
            Self::LongWords => distinct = records.div_ceil(CASES),
            Self::LongIds => distinct = records.div_ceil(2),
            Self::Chain => near = Near::Chain,
            Self::Emoji | Self::Marks | Self::ZeroWidth => near = Near::Unknown,
            Self::Empty => empty = records,
            Self::Passage
            | Self::Notice
            | Self::Gigabyte
            | Self::OneWord
            | Self::Tiny
            | Self::Numbers
            | Self::RightToLeft => {}
        }
        Known {
            records,
            empty,
            distinct,
            near,
        }
    }

    fn write(self, share: u64, out: &mut Writer) -> Result<Known> {
        let records = self.records(share);
        let mut known = self.known(records);
        let random = &mut Random::new(SEED, self as u64);
        match self {
            Self::Identical => {
                let text = prose(random, 40);
                out.all(records, |_, line| line.push_str(&text))?;
            }
            Self::Passage => around_a_passage(50, records, random, out)?,
            Self::Notice => around_a_passage(2_000, records, random, out)?,
            Self::Chain => chain(records, out)?,
            Self::Gigabyte => {
                let bytes = 1_000_000_000 / share as usize;
                out.all(records, |number, line| {
                    long(if number == LARGE { bytes } else { 300 }, random, line);
                })?;
            }
            Self::OneWord => {
                let most = 10_000_000 / share as usize;
                out.all(records, |number, line| match number {
                    LARGE => line.push_str(&"again ".repeat(most)),
                    _ => line.push_str(&prose(random, 60)),
                })?;
            }
            Self::Tiny => known.distinct = tiny(records, random, out)?,
            Self::LongWords => {
                let length = (1_000_000 / share as usize).max(20_000);
                out.all(records, |number, line| long_words(length, number, line))?;
            }
            Self::Numbers => out.all(records, |_, line| numbers(random, line))?,
            Self::Emoji => out.all(records, |_, line| emoji(random, line))?,
            Self::Marks => out.all(records, |_, line| marks(random, line))?,
            Self::RightToLeft => out.all(records, |_, line| right_to_left(random, line))?,
            Self::ZeroWidth => out.all(records, |number, line| zero_width(number, random, line))?,
            Self::Empty => {
                let nothing = ["", " ", "\u{a0}\u{3000}", "...", "\t \n"];
                out.all(records, |number, line| {
                    line.push_str(nothing[number as usize % 5])
                })?;
            }
            Self::LongIds => {
                out.id_length = 10_000;
                out.all(records, |number, line| {
                    let random = &mut Random::new(SEED, 1_000_000 + number / 2);
                    line.push_str(&prose(random, 40));
                })?;
            }
        }
        Ok(known)
    }
}

/// A passage of 300 words in every text, before, within or behind so many words of its own.
fn around_a_passage(own: usize, records: u64, random: &mut Random, out: &mut Writer) -> Result<()> {
    let passage = prose(random, 300);
    out.all(records, |number, line| {
        let before = number as usize % 3 * own / 2;
        line.push_str(&prose(random, before));
        let _ = write!(line, " {passage} ");
        line.push_str(&prose(random, own - before));
    })
}

/// A window of 100 words that moves by 8: of 96 shingles 88 stay, of the next but one 80.
fn chain(records: u64, out: &mut Writer) -> Result<()> {
    let stream: Vec<String> = (0..100 + 8 * records as usize).map(word_of).collect();
    out.all(records, |number, line| {
        let start = 8 * number as usize;
        line.push_str(&stream[start..start + 100].join(" "));
    })
}

fn long(bytes: usize, random: &mut Random, line: &mut String) {
    while line.len() < bytes {
        line.push_str(&prose(random, 100));
        line.push(' ');
    }
}

/// Texts of one to three words of a hundred; gives how many different ones there are. One too short for a shingle is one as it is, so
/// that only texts of the same words are alike.
fn tiny(records: u64, random: &mut Random, out: &mut Writer) -> Result<u64> {
    let mut seen = HashSet::new();
    out.all(records, |_, line| {
        let words: Vec<usize> = (0..=random.below(3)).map(|_| random.below(100)).collect();
        for word in &words {
            line.push_str(&word_of(*word));
            line.push(' ');
        }
        seen.insert(words);
    })?;
    Ok(seen.len() as u64)
}

fn long_words(length: usize, number: u64, line: &mut String) {
    let random = &mut Random::new(SEED, 1_000 + number / CASES);
    for _ in 0..3 {
        let word: String = (0..length).map(|_| letter(random)).collect();
        let word = if number % CASES == 1 {
            word.to_uppercase()
        } else {
            word
        };
        let _ = write!(line, "{word} ");
    }
}

fn numbers(random: &mut Random, line: &mut String) {
    for _ in 0..20 + random.below(20) {
        let _ = write!(line, "{} ", random.below(100_000_000));
    }
}

fn emoji(random: &mut Random, line: &mut String) {
    for _ in 0..30 {
        line.extend(char::from_u32(0x1f600 + random.below(80) as u32));
        line.push_str(["", " ", "\u{200d}", "\u{fe0f}"][random.below(4)]);
    }
}

fn marks(random: &mut Random, line: &mut String) {
    for _ in 0..8 {
        line.push(letter(random));
        let count = 1_000 + random.below(2_000);
        line.extend((0..count).filter_map(|_| char::from_u32(0x300 + random.below(0x60) as u32)));
        line.push(' ');
    }
}

fn right_to_left(random: &mut Random, line: &mut String) {
    for _ in 0..40 {
        line.push_str(["", "\u{202e}", "\u{200f}", "\u{2067}"][random.below(4)]);
        let first = [0x5d0, 0x627][random.below(2)];
        line.extend((0..6).filter_map(|_| char::from_u32(first + random.below(26) as u32)));
        line.push(' ');
    }
}

/// Zero-width characters within words, and in every tenth text nothing else.
fn zero_width(number: u64, random: &mut Random, line: &mut String) {
    if number % 10 == 9 {
        line.push_str(&"\u{200b}\u{feff}\u{2060}".repeat(50));
        return;
    }
    for word in prose(random, 30).split(' ') {
        let half = word.len() / 2;
        let _ = write!(line, "{}\u{200b}{} ", &word[..half], &word[half..]);
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
