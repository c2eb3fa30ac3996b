//! Real text, read and indexed so that the generator can walk along it.
//!
//! In come JSON lines with a `text` (and perhaps a `lang`); out comes one long array of words, as they
//! are written, with the ends of sentences marked, and two indexes: where else a word stands, and
//! where else it stands after the same word. A source is of one script. With spaces, what they separate are
//! the words, and texts of scripts without are left out: the peers would see other words there than we do.
//! Chinese is cut into words by a dictionary and its sentences are clauses; see `chinese`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::chinese::{self, Cutter};
use super::random::mix;
use super::stats;

/// How often one and the same sentence is taken over.
const REPEATS: u32 = 2;

/// A word that stands in no more places than this is rare.
const RARE: u32 = 10;

/// A word of a text: the number of its written form, and two flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word(u32);

const SENTENCE_END: u32 = 1 << 31;
const PARAGRAPH_END: u32 = 1 << 30;

impl Word {
    pub(crate) fn new(form: u32) -> Self {
        Self(form)
    }

    pub(crate) fn form(self) -> usize {
        (self.0 & !(SENTENCE_END | PARAGRAPH_END)) as usize
    }

    pub(crate) fn ends_sentence(self) -> bool {
        self.0 & SENTENCE_END != 0
    }

    pub(crate) fn ends_paragraph(self) -> bool {
        self.0 & PARAGRAPH_END != 0
    }

    pub(crate) fn with_sentence_end(self) -> Self {
        Self(self.0 | SENTENCE_END)
    }

    pub(crate) fn with_paragraph_end(self) -> Self {
        Self(self.0 | SENTENCE_END | PARAGRAPH_END)
    }

    /// The form without flags.
    pub(crate) fn bare(self) -> Self {
        Self(self.form() as u32)
    }

    /// Keep the flags of this word, with another form.
    pub(crate) fn with_form_of(self, other: Self) -> Self {
        Self(self.0 & (SENTENCE_END | PARAGRAPH_END) | other.form() as u32)
    }
}

/// How the words of a source are told apart and joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Script {
    /// With spaces between words.
    #[default]
    Spaced,
    /// Without.
    Chinese,
}

/// The source text and its indexes.
pub(crate) struct Source {
    script: Script,
    words: Vec<Word>,
    forms: Vec<String>,
    /// How many words the tool will see in each form: `U.S.` is two, `--` none.
    counts: Vec<u32>,
    /// Rare words that may stand for each other, and for each form its group, if it is rare.
    rare_groups: Vec<Vec<Word>>,
    rare_group: Vec<Option<u32>>,
    /// Starts of sentences, by register (a file and a language).
    registers: Vec<Vec<u32>>,
    /// Positions grouped by word, and where each word's group begins.
    by_word: Vec<u32>,
    word_groups: Vec<u32>,
    /// Positions grouped by word and predecessor, and for each position its group: start, length.
    by_pair: Vec<u32>,
    pair_groups: Vec<(u32, u32)>,
}

impl Source {
    /// Read and index what the files have in this script.
    pub(crate) fn read(files: &[PathBuf], script: Script) -> Result<Self> {
        let mut builder = Builder::new(script);
        for file in files {
            builder
                .add_file(file)
                .with_context(|| format!("cannot read `{}`", file.display()))?;
        }
        builder.finish()
    }

    #[cfg(test)]
    pub(crate) fn from_texts(texts: &[&str]) -> Self {
        Self::of_script(texts, Script::Spaced)
    }

    #[cfg(test)]
    pub(crate) fn of_script(texts: &[&str], script: Script) -> Self {
        let mut builder = Builder::new(script);
        for text in texts {
            builder.add_text(text, "", 0);
        }
        builder.finish().expect("there is text")
    }

    pub(crate) fn script(&self) -> Script {
        self.script
    }

    /// What stands between two words of a line.
    pub(crate) fn joint(&self, before: Word, after: Word) -> &'static str {
        match self.script {
            Script::Spaced => " ",
            Script::Chinese => chinese::joint(self.form(before), self.form(after)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn word(&self, position: u32) -> Word {
        self.words[position as usize]
    }

    pub(crate) fn form(&self, word: Word) -> &str {
        &self.forms[word.form()]
    }

    /// How many words the tool sees in this one.
    pub(crate) fn count(&self, word: Word) -> usize {
        self.counts[word.form()] as usize
    }

    /// Words as rare as this one, of the same register, case and punctuation; none if it is not rare.
    pub(crate) fn peers_of_rare(&self, word: Word) -> Option<&[Word]> {
        let group = self.rare_group[word.form()]?;
        Some(&self.rare_groups[group as usize])
    }

    pub(crate) fn registers(&self) -> &[Vec<u32>] {
        &self.registers
    }

    /// Every place where the word at this position stands.
    pub(crate) fn places_of_word(&self, position: u32) -> &[u32] {
        let form = self.word(position).form();
        let (start, end) = (self.word_groups[form], self.word_groups[form + 1]);
        &self.by_word[start as usize..end as usize]
    }

    /// Every place where the word at this position stands after the same word as here.
    pub(crate) fn places_of_pair(&self, position: u32) -> &[u32] {
        let (start, length) = self.pair_groups[position as usize];
        &self.by_pair[start as usize..(start + length) as usize]
    }
}

#[derive(Default)]
struct Builder {
    script: Script,
    /// Only for Chinese.
    cutter: Option<Cutter>,
    words: Vec<Word>,
    forms: Vec<String>,
    form_numbers: HashMap<String, u32>,
    registers: Vec<Vec<u32>>,
    register_numbers: HashMap<(usize, String), usize>,
    /// How often each sentence was met, by its hash.
    sentences: HashMap<u64, u32>,
    files: usize,
}

impl Builder {
    fn new(script: Script) -> Self {
        Self {
            script,
            cutter: (script == Script::Chinese).then(Cutter::new),
            ..Self::default()
        }
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let file = self.files;
        self.files += 1;
        for (number, line) in open(path)?.split(b'\n').enumerate() {
            let line = line?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record: Value = serde_json::from_slice(&line)
                .with_context(|| format!("line {} is no JSON", number + 1))?;
            let language = record["lang"].as_str().unwrap_or("");
            if let Some(text) = record["text"].as_str() {
                self.add_text(text, language, file);
            }
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str, language: &str, file: usize) {
        let of_script = written_without_spaces(text) == (self.script == Script::Chinese);
        if !of_script {
            return;
        }
        let register = self.register(file, language);
        match self.script {
            Script::Spaced => self.add_spaced(text, register),
            Script::Chinese => self.add_chinese(text, register),
        }
    }

    fn add_chinese(&mut self, text: &str, register: usize) {
        for clause in chinese::clauses(text) {
            let pieces = match &self.cutter {
                Some(cutter) => cutter.words(clause),
                None => Vec::new(),
            };
            let number = |piece: String| Word::new(self.form_number(&piece));
            let sentence: Vec<Word> = pieces.into_iter().map(number).collect();
            if !sentence.is_empty() {
                self.add_sentence(&sentence, register);
            }
        }
    }

    fn add_spaced(&mut self, text: &str, register: usize) {
        let mut sentence = Vec::new();
        let pieces = text.split_whitespace();
        let mut pieces = pieces
            .filter(|piece| !piece.contains(stats::is_unspaced))
            .peekable();
        while let Some(piece) = pieces.next() {
            sentence.push(Word::new(self.form_number(piece)));
            if pieces
                .peek()
                .is_none_or(|next| is_sentence_end(piece, next))
            {
                self.add_sentence(&sentence, register);
                sentence.clear();
            }
        }
    }

    /// Add a sentence unless it was often there: notices under every text of a source would drown the
    /// rest in a collection many times as large.
    fn add_sentence(&mut self, sentence: &[Word], register: usize) {
        let fold = |hash, word: &Word| mix(hash ^ word.form() as u64);
        let seen = self
            .sentences
            .entry(sentence.iter().fold(0, fold))
            .or_insert(0);
        *seen += 1;
        if *seen > REPEATS {
            return;
        }
        self.registers[register].push(self.words.len() as u32);
        self.words.extend_from_slice(sentence);
        if let Some(last) = self.words.last_mut() {
            *last = last.with_sentence_end();
        }
    }

    fn register(&mut self, file: usize, language: &str) -> usize {
        let next = self.registers.len();
        let number = *self
            .register_numbers
            .entry((file, language.to_owned()))
            .or_insert(next);
        if number == next {
            self.registers.push(Vec::new());
        }
        number
    }

    fn form_number(&mut self, piece: &str) -> u32 {
        if let Some(&number) = self.form_numbers.get(piece) {
            return number;
        }
        let number = self.forms.len() as u32;
        self.forms.push(piece.to_owned());
        self.form_numbers.insert(piece.to_owned(), number);
        number
    }

    fn finish(mut self) -> Result<Source> {
        ensure!(
            !self.words.is_empty(),
            "no text {} was found in the source: name one that has some with `--from`",
            match self.script {
                Script::Spaced => "with spaces between its words",
                Script::Chinese => "in Chinese",
            }
        );
        self.registers.retain(|starts| !starts.is_empty());
        let (by_word, word_groups) = group_by_word(&self.words, self.forms.len());
        let (by_pair, pair_groups) = group_by_pair(&self.words);
        let (rare_groups, rare_group) =
            group_rare(&self.words, &self.forms, &word_groups, &self.registers);
        let count = |form: &String| stats::words(form).len() as u32;
        Ok(Source {
            script: self.script,
            words: self.words,
            counts: self.forms.iter().map(count).collect(),
            forms: self.forms,
            registers: self.registers,
            rare_groups,
            rare_group,
            by_word,
            word_groups,
            by_pair,
            pair_groups,
        })
    }
}

/// A counting sort of the positions by word.
fn group_by_word(words: &[Word], forms: usize) -> (Vec<u32>, Vec<u32>) {
    let mut groups = vec![0u32; forms + 1];
    for word in words {
        groups[word.form() + 1] += 1;
    }
    for form in 0..forms {
        groups[form + 1] += groups[form];
    }
    let mut next = groups.clone();
    let mut positions = vec![0u32; words.len()];
    for (position, word) in words.iter().enumerate() {
        let slot = &mut next[word.form()];
        positions[*slot as usize] = position as u32;
        *slot += 1;
    }
    (positions, groups)
}

/// Positions sorted by word and predecessor; for each position, the start and length of its group.
/// A word that starts a sentence follows the end of the one before, as it does in the text.
fn group_by_pair(words: &[Word]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let key = |position: u32| {
        let before = position.checked_sub(1).map(|p| words[p as usize].form());
        (before, words[position as usize].form())
    };
    let mut positions: Vec<u32> = (0..words.len() as u32).collect();
    positions.sort_by_key(|&position| (key(position), position));
    let mut groups = vec![(0, 0); words.len()];
    let mut start = 0;
    for group in positions.chunk_by(|&a, &b| key(a) == key(b)) {
        for &position in group {
            groups[position as usize] = (start, group.len() as u32);
        }
        start += group.len() as u32;
    }
    (positions, groups)
}

/// Rare forms by register, first letter's class and last mark, so that one can take another's place.
fn group_rare(
    words: &[Word],
    forms: &[String],
    word_groups: &[u32],
    registers: &[Vec<u32>],
) -> (Vec<Vec<Word>>, Vec<Option<u32>>) {
    let mut groups: Vec<Vec<Word>> = Vec::new();
    let mut group_of = vec![None; forms.len()];
    let mut numbers = HashMap::new();
    for (position, register) in registers_of_words(words.len(), registers) {
        let form = words[position].form();
        let places = word_groups[form + 1] - word_groups[form];
        if places > RARE || group_of[form].is_some() {
            continue;
        }
        let next = groups.len();
        let number = *numbers
            .entry((register, looks(&forms[form])))
            .or_insert(next);
        if number == next {
            groups.push(Vec::new());
        }
        groups[number].push(words[position].bare());
        group_of[form] = Some(number as u32);
    }
    (groups, group_of)
}

/// Each position with the number of its register.
fn registers_of_words(words: usize, registers: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let mut starts: Vec<(u32, usize)> = Vec::new();
    for (number, register) in registers.iter().enumerate() {
        starts.extend(register.iter().map(|&start| (start, number)));
    }
    starts.sort_unstable();
    let mut rows = Vec::with_capacity(words);
    for (index, &(start, register)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(words, |next| next.0 as usize);
        rows.extend((start as usize..end).map(|position| (position, register)));
    }
    rows
}

/// How a word looks from afar: whether it begins with a capital, a small letter, a digit or a mark, and
/// the mark that ends it.
fn looks(form: &str) -> (u8, Option<char>) {
    let first = match form.chars().next() {
        Some(c) if c.is_uppercase() => 0,
        Some(c) if c.is_alphabetic() => 1,
        Some(c) if c.is_numeric() => 2,
        _ => 3,
    };
    let last = form.chars().next_back().filter(|c| !c.is_alphanumeric());
    (first, last)
}

/// A full stop, question or exclamation mark, perhaps with a closing quote, and then no small letter.
fn is_sentence_end(piece: &str, next: &str) -> bool {
    let closed = piece.trim_end_matches(['"', '\'', ')', ']', '»', '”', '“', '’']);
    let stopped = closed.ends_with(['.', '!', '?', '…']);
    stopped && !next.starts_with(char::is_lowercase) && closed.chars().count() > 2
}

/// True if over a fiftieth of a text belongs to scripts that put no spaces between words.
fn written_without_spaces(text: &str) -> bool {
    let unspaced = text.chars().filter(|&c| stats::is_unspaced(c)).count();
    unspaced * 50 > text.chars().count()
}

/// Open a file, through Zstandard if it begins like one.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let mut magic = [0; 4];
    let is_zstd = File::open(path)?.read_exact(&mut magic).is_ok() && magic == *b"\x28\xb5\x2f\xfd";
    let file = File::open(path)?;
    if is_zstd {
        return Ok(Box::new(BufReader::new(zstd::Decoder::new(file)?)));
    }
    Ok(Box::new(BufReader::new(file)))
}

/// The JSON lines files among `paths`, folders looked through, in the order of their names.
pub(crate) fn find_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut entries = std::fs::read_dir(path)?
                .map(|entry| entry.map(|e| e.path()))
                .collect::<std::io::Result<Vec<_>>>()?;
            entries.retain(|entry| entry.is_dir() || is_collection(entry));
            entries.sort();
            files.extend(find_files(&entries)?);
        } else if path.is_file() {
            files.push(path.clone());
        } else {
            bail!("`{}` does not exist", path.display());
        }
    }
    Ok(files)
}

fn is_collection(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    name.ends_with(".jsonl") && !name.ends_with("truth.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_stops_before_capitals() {
        assert!(is_sentence_end("year.", "The"));
        assert!(is_sentence_end("\"Never!\"", "She"));
        assert!(!is_sentence_end("approx.", "five"));
        assert!(!is_sentence_end("U.", "Nations"));
        assert!(!is_sentence_end("year", "The"));
    }

    #[test]
    fn places_of_a_pair_share_both_words() {
        let source = Source::from_texts(&["the cat sat. The cat ran and the cat slept"]);
        let cat = |position: u32| source.form(source.word(position)) == "cat";
        assert!(source.places_of_word(1).iter().all(|&p| cat(p)));
        assert_eq!(source.places_of_word(1).len(), 3);
        assert_eq!(source.places_of_pair(1), [1, 8]);
    }

    #[test]
    fn flags_do_not_change_the_form() {
        let word = Word::new(17).with_paragraph_end();
        assert_eq!(word.form(), 17);
        assert!(word.ends_sentence() && word.ends_paragraph());
        assert_eq!(word.bare(), Word::new(17));
    }

    #[test]
    fn a_source_takes_its_own_script_only() {
        let texts = ["重复的文本，很多", "spaced text here"];
        let forms = |script| Source::of_script(&texts, script).forms;
        assert_eq!(forms(Script::Spaced), ["spaced", "text", "here"]);
        assert_eq!(forms(Script::Chinese), ["重复", "的", "文本，", "很多"]);
        assert!(written_without_spaces("重复的文本 in a corpus"));
        assert!(!written_without_spaces("doppelter Text"));
    }
}
