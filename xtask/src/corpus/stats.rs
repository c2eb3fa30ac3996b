//! How natural a collection is: words per text, and how many runs of five words stand in one text only.
//!
//! Runs are counted by a 64-bit hash. Of large collections only a sample of the *runs* is counted, but
//! each in all of its places, so the shares are unbiased; ranks and counts of the commonest are then
//! those of the sample.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::random::mix;

const SHINGLE: usize = 5;
/// Sample the runs beyond about so many occurrences.
const SAMPLE: u64 = 10_000_000;

/// One occurrence of a run of words.
struct Occurrence {
    run: u64,
    text: u32,
    in_copy: bool,
}

/// What was counted.
struct Counts {
    texts: usize,
    words: usize,
    bytes: u64,
    /// One run in so many was looked at.
    one_in: u64,
    occurrences: Vec<Occurrence>,
}

/// Measure a collection and print the result.
pub(crate) fn print(collection: &Path, truth: &Path) -> Result<()> {
    let copies = ids(truth, "b")?;
    let mut counts = count(collection, &copies)?;
    println!(
        "texts {}, of them copies {}; bytes {}; words {} ({:.1} a text)",
        counts.texts,
        copies.len(),
        counts.bytes,
        counts.words,
        counts.words as f64 / counts.texts.max(1) as f64
    );
    report("all texts", &counts);
    counts.occurrences.retain(|occurrence| !occurrence.in_copy);
    report("without copies", &counts);
    let samples = examples(collection, &commonest(&counts, 5))?;
    println!("commonest runs (of one in {}):", counts.one_in);
    for (documents, words) in samples {
        println!("  {documents:>8} texts: {words}");
    }
    Ok(())
}

fn ids(path: &Path, field: &str) -> Result<HashSet<String>> {
    let mut ids = HashSet::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        ids.extend(row[field].as_str().map(str::to_owned));
    }
    Ok(ids)
}

fn count(collection: &Path, copies: &HashSet<String>) -> Result<Counts> {
    let bytes = std::fs::metadata(collection)?.len();
    let mut counts = Counts {
        texts: 0,
        words: 0,
        bytes,
        one_in: (bytes / 6 / SAMPLE).max(1),
        occurrences: Vec::new(),
    };
    each_text(collection, |id, text| {
        let hashes = word_hashes(text);
        let in_copy = copies.contains(id);
        let here = counts.texts as u32;
        counts.texts += 1;
        counts.words += hashes.len();
        for window in hashes.windows(SHINGLE) {
            let run = run_hash(window);
            if run.is_multiple_of(counts.one_in) {
                counts.occurrences.push(Occurrence {
                    run,
                    text: here,
                    in_copy,
                });
            }
        }
    })?;
    counts.occurrences.sort_by_key(|o| (o.run, o.text));
    Ok(counts)
}

/// Visit the id and text of every line of a collection.
pub(crate) fn each_text(collection: &Path, mut visit: impl FnMut(&str, &str)) -> Result<()> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(collection)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        let record: Value = serde_json::from_slice(&line)?;
        visit(
            record["id"].as_str().unwrap_or(""),
            record["text"].as_str().unwrap_or(""),
        );
        line.clear();
    }
    Ok(())
}

/// Words in the sense of the tool, written down a second time so that one can check the other: runs of
/// letters, folded; runs of digits; single characters of scripts without spaces.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = Class::Other;
    for character in text.chars() {
        let class = class(character);
        match (class, last) {
            (Class::Ignored, _) => continue,
            (Class::Mark, Class::Other) | (Class::Other, _) => {}
            (Class::Mark, _) | (Class::Letter, Class::Letter) | (Class::Digit, Class::Digit) => {
                if let Some(word) = words.last_mut() {
                    word.push(character);
                }
            }
            (Class::Letter | Class::Digit | Class::Single, _) => words.push(character.to_string()),
        }
        // A mark belongs to what stands before it.
        if class != Class::Mark {
            last = class;
        }
    }
    words.iter_mut().for_each(fold);
    words
}

/// Case and compatible forms: capitals first, for `ß` and `SS` are the same.
fn fold(word: &mut String) {
    if word.is_ascii() {
        word.make_ascii_lowercase();
        return;
    }
    let folded: String = word
        .nfkc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    *word = folded.nfkc().collect();
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Mark,
    Digit,
    /// A word by itself: Han, Kana, Thai and the like.
    Single,
    /// Soft hyphens and joiners: as if they were not there.
    Ignored,
    Other,
}

fn class(character: char) -> Class {
    match character {
        // In NFKC this letter is nothing but a space and a mark.
        '\u{37A}' => Class::Other,
        '\u{ad}' | '\u{34f}' | '\u{200c}' | '\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            Class::Ignored
        }
        '\u{fe00}'..='\u{fe0f}' => Class::Ignored,
        _ if is_combining_mark(character) => Class::Mark,
        _ if is_unspaced(character) && character.is_alphabetic() => Class::Single,
        _ if character.is_numeric() => Class::Digit,
        _ if character.is_alphabetic() => Class::Letter,
        _ => Class::Other,
    }
}

/// Of a script that puts no spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3fffd}')
}

fn word_hashes(text: &str) -> Vec<u64> {
    let hash = |word: &String| word.bytes().fold(7, |h, b| mix(h ^ u64::from(b)));
    words(text).iter().map(hash).collect()
}

fn run_hash(window: &[u64]) -> u64 {
    window.iter().fold(0, |run, word| mix(run ^ word))
}

fn documents(run: &[Occurrence]) -> usize {
    run.chunk_by(|a, b| a.text == b.text).count()
}

fn report(label: &str, counts: &Counts) {
    let (mut distinct, mut single, mut single_occurrences) = (0usize, 0usize, 0usize);
    let mut frequencies = Vec::new();
    for run in counts.occurrences.chunk_by(|a, b| a.run == b.run) {
        let documents = documents(run);
        distinct += 1;
        if documents == 1 {
            single += 1;
            single_occurrences += run.len();
        } else {
            frequencies.push(documents);
        }
    }
    frequencies.sort_unstable_by(|a, b| b.cmp(a));
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    println!(
        "{label}: runs of {SHINGLE} words in one text only: {:.1} % of occurrences, {:.1} % of {} distinct",
        share(single_occurrences, counts.occurrences.len()),
        share(single, distinct),
        distinct as u64 * counts.one_in
    );
    let ranks: Vec<String> = [1u64, 10, 100, 1_000, 10_000, 100_000]
        .iter()
        .filter_map(|&rank| {
            let index = rank.div_ceil(counts.one_in) as usize - 1;
            Some(format!("#{rank} {}", frequencies.get(index)?))
        })
        .collect();
    println!(
        "  texts that hold the n-th commonest run: {}",
        ranks.join(", ")
    );
}

/// The commonest runs with their document counts.
fn commonest(counts: &Counts, how_many: usize) -> Vec<(u64, usize)> {
    let runs = counts.occurrences.chunk_by(|a, b| a.run == b.run);
    let mut runs: Vec<(u64, usize)> = runs.map(|run| (run[0].run, documents(run))).collect();
    runs.sort_by_key(|&(run, documents)| (std::cmp::Reverse(documents), run));
    runs.truncate(how_many);
    runs
}

/// The words of some runs, found by reading the collection until each was seen.
fn examples(collection: &Path, runs: &[(u64, usize)]) -> Result<Vec<(usize, String)>> {
    let mut found: HashMap<u64, String> = HashMap::new();
    each_text(collection, |_, text| {
        if found.len() == runs.len() {
            return;
        }
        let hashes = word_hashes(text);
        for (index, window) in hashes.windows(SHINGLE).enumerate() {
            let run = run_hash(window);
            if runs.iter().any(|&(wanted, _)| wanted == run) {
                found
                    .entry(run)
                    .or_insert_with(|| words(text)[index..index + SHINGLE].join(" "));
            }
        }
    })?;
    let name = |&(run, documents): &(u64, usize)| (documents, found[&run].clone());
    Ok(runs.iter().map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_folded_and_numbers_kept() {
        assert_eq!(
            words("The U.S. rose 5.93%"),
            ["the", "u", "s", "rose", "5", "93"]
        );
        assert_eq!(words("Straße 12a"), ["strasse", "12", "a"]);
        assert_eq!(words("Cafe\u{301} so\u{ad}ft"), ["café", "soft"]);
        assert_eq!(words("a重复 ² _b"), ["a", "重", "复", "2", "b"]);
    }
}
