//! Sentences of a length asked for, by the walk along real text.
//!
//! `walk` makes texts and lets sentences end where the source ends them. Here sentences are what is counted, so each
//! gets a length, goes on until it is reached, and ends at a word that can end a sentence. What it is longer or shorter
//! than asked for, the next one of the text makes up.

use super::super::random::Random;
use super::super::source::{Source, Word};
use super::super::walk;

/// The deviation of the logarithm of the number of words.
const SIGMA: f64 = 0.4;
const LEAST: f64 = 5.0;
const MOST: f64 = 70.0;
/// So many more words to find one that can end the sentence.
const OVERRUN: usize = 6;
/// Other places to look at where the source goes on.
const TRIES: usize = 8;
/// How likely a word that says something gives way to another: many newspapers and authors write less alike than
/// the two of the source. `benchmarks/README.md` says how this was set.
const VARIED: f64 = 0.3;
/// Words that no sentence ends with.
const WEAK: [&str; 64] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "but", "by", "can", "could", "for", "from", "had", "has", "have", "he",
    "his", "if", "in", "into", "is", "it", "its", "may", "more", "mr", "not", "of", "on", "or",
    "our", "she", "should", "so", "some", "such", "than", "that", "the", "their", "there", "they",
    "this", "to", "was", "we", "were", "when", "which", "while", "who", "will", "with", "would",
    "you",
];

/// Real text, and where its sentences begin.
pub(crate) struct Prose<'a> {
    source: &'a Source,
    /// By register, without what looks like a headline in capitals or a table.
    starts: Vec<Vec<u32>>,
}

impl<'a> Prose<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        let is_start = |&&position: &&u32| begins_sentence(source.form(source.word(position)));
        let starts = source
            .registers()
            .iter()
            .map(|register| register.iter().filter(is_start).copied().collect())
            .filter(|starts: &Vec<u32>| !starts.is_empty())
            .collect::<Vec<_>>();
        Self {
            starts: if starts.is_empty() {
                source.registers().to_vec()
            } else {
                starts
            },
            source,
        }
    }

    /// A writer of one text, in one register, with so many words a sentence on average.
    pub(crate) fn writer(&self, random: &mut Random, words: f64) -> Writer<'_> {
        Writer {
            source: self.source,
            starts: walk::register(&self.starts, random),
            words,
            owed: 0.0,
        }
    }

    /// A word that says something.
    pub(crate) fn content_word(&self, random: &mut Random) -> &str {
        let word = content_word(self.source, random, |_| true);
        word.map_or("matter", |word| self.source.form(word))
    }
}

/// A word that says something, as often as it stands in the source; none if there are hardly any.
fn content_word(
    source: &Source,
    random: &mut Random,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<Word> {
    let word = |_| source.word(random.below(source.len()) as u32);
    let is_good = |form: &str| is_content(form) && is_wanted(form);
    (0..100).map(word).find(|&word| is_good(source.form(word)))
}

fn starts_with_capital(form: &str) -> bool {
    form.starts_with(char::is_uppercase)
}

/// Writes the sentences of one text.
pub(crate) struct Writer<'a> {
    source: &'a Source,
    starts: &'a [u32],
    words: f64,
    /// Words that the sentences so far are too short by.
    owed: f64,
}

impl Writer<'_> {
    /// The next sentence: it begins with a capital and ends with a mark.
    pub(crate) fn sentence(&mut self, random: &mut Random) -> String {
        let wanted = random.log_normal(self.words, SIGMA).clamp(LEAST, MOST) + self.owed;
        let (text, words) = self.walk(random, wanted.clamp(LEAST, MOST) as usize);
        // What cannot be made up soon is let go, or one long sentence would be followed by many short ones.
        self.owed = (wanted - words as f64).clamp(-3.0 * self.words, 3.0 * self.words);
        text
    }

    /// A line of so many words was put in that is not by this writer.
    pub(crate) fn make_up_for(&mut self, words: usize) {
        self.owed += self.words - words as f64;
    }

    fn walk(&self, random: &mut Random, length: usize) -> (String, usize) {
        let mut position = self.start(random);
        let mut text = String::new();
        let mut count = 0;
        loop {
            let here = self.word(random, position);
            let form = self.source.form(here);
            append(&mut text, form);
            count += self.source.count(here);
            let is_over = count >= length && (can_end(form) || count >= length + OVERRUN);
            match self.next(random, position, count + 1 < length) {
                Some(next) if !is_over => position = next,
                // Hardly a word yet, or a source that hardly holds one.
                _ if !is_over && count < LEAST as usize && text.len() < 200 => {
                    position = self.start(random)
                }
                _ => return (finish(&text), count),
            }
        }
    }

    /// The word of this place, or another in its stead.
    fn word(&self, random: &mut Random, position: u32) -> Word {
        let word = self.source.word(position);
        let form = self.source.form(word);
        if random.chance(VARIED) && is_content(form) {
            // A capital after an abbreviation would look like a new sentence.
            let is_alike = |other: &str| starts_with_capital(other) == starts_with_capital(form);
            content_word(self.source, random, is_alike).unwrap_or(word)
        } else {
            walk::written(self.source, random, word)
        }
    }

    fn start(&self, random: &mut Random) -> u32 {
        self.starts[random.below(self.starts.len())]
    }

    /// Where the sentence goes on, if it may, and not to the end of another as long as words are wanted.
    fn next(&self, random: &mut Random, position: u32, is_wanted: bool) -> Option<u32> {
        let places = self.source.places_of_word(position);
        let mut next = None;
        for number in 0..TRIES {
            let place = if number == 0 {
                walk::step(self.source, random, position)
            } else {
                places[random.below(places.len())]
            };
            let follows =
                place as usize + 1 < self.source.len() && !self.source.word(place).ends_sentence();
            if follows {
                next = Some(place + 1);
                if !is_wanted || !self.source.word(place + 1).ends_sentence() {
                    break;
                }
            }
        }
        next
    }
}

/// Add a word. A full stop before it goes, unless a small letter shows that the sentence goes on: it is one sentence, and
/// whoever cuts the text shall find one.
fn append(text: &mut String, form: &str) {
    let open = text.trim_end_matches(['"', '\'', ')', ']', '>', '”', '’']);
    if open.ends_with(is_final) && !form.starts_with(char::is_lowercase) {
        text.truncate(open.trim_end_matches(is_final).len());
    }
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
    text.push_str(form);
}

/// A capital and small letters.
fn begins_sentence(form: &str) -> bool {
    let mut letters = form.trim_start_matches(['"', '\'', '“']).chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_none_or(char::is_lowercase)
}

/// A word without the marks around it.
pub(crate) fn core(form: &str) -> &str {
    form.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Long enough, of letters, and none of those that stand everywhere.
pub(crate) fn is_content(core: &str) -> bool {
    core.len() >= 5 && core.chars().all(char::is_alphabetic) && !is_weak(core)
}

fn is_weak(core: &str) -> bool {
    WEAK.binary_search(&&*core.to_lowercase()).is_ok()
}

fn can_end(form: &str) -> bool {
    let core = core(form);
    core.chars().count() > 1 && !is_weak(core)
}

/// A capital at the beginning, a mark at the end.
pub(crate) fn finish(text: &str) -> String {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_final(c));
    let mut letters = text.chars();
    let mut finished: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    finished.push_str(letters.as_str());
    if !finished.ends_with(is_final) {
        finished.push('.');
    }
    finished
}

/// Whether a sentence may end with this mark.
pub(crate) fn is_final(mark: char) -> bool {
    matches!(mark, '.' | '!' | '?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_and_end_like_sentences() {
        let source = Source::from_texts(&[
            "The cat sat on the mat near the house. The dog saw the cat, and the cat ran.",
            "A house near the river was sold to the owner of the mat. Nobody saw the dog.",
        ]);
        let prose = Prose::new(&source);
        let mut random = Random::new(1, 1);
        let mut writer = prose.writer(&mut random, 9.0);
        for _ in 0..200 {
            let sentence = writer.sentence(&mut random);
            assert!(sentence.starts_with(char::is_uppercase), "{sentence}");
            assert!(sentence.ends_with(is_final), "{sentence}");
            let last = sentence.rsplit(' ').next().unwrap_or("");
            assert!(sentence.len() > 60 || can_end(last), "{sentence}");
        }
    }

    #[test]
    fn marks_and_capitals_are_put_right() {
        assert_eq!(finish("the dog saw it,"), "The dog saw it.");
        assert_eq!(finish("\"Who?\""), "\"Who?");
        assert_eq!(core("(Tokyo),"), "Tokyo");
    }

    #[test]
    fn a_sentence_is_one_sentence() {
        let mut text = String::new();
        for form in [
            "Mr.", "J.", "Smith", "of", "Acme", "Inc.", "said", "\"yes.\"", "To", "all", ".", "5",
        ] {
            append(&mut text, form);
        }
        assert_eq!(text, "Mr J Smith of Acme Inc. said \"yes To all 5");
    }

    #[test]
    fn headlines_begin_no_sentence() {
        assert!(begins_sentence("The") && begins_sentence("\"A") && begins_sentence("He's"));
        assert!(!begins_sentence("TOKYO") && !begins_sentence("the") && !begins_sentence("<BT>"));
    }

    #[test]
    fn weak_words_are_sorted() {
        assert!(WEAK.is_sorted());
    }
}
