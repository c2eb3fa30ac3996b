//! The texts that others copy: articles, with what their newspapers print under them.
//!
//! As in `plan`, a text is decided by the seed and its own number alone, so that it can be made again
//! where something is copied from it.

use super::super::random::{Random, mix};
use super::super::stats;
use super::Shape;
use super::notices;
use super::prose::{Prose, is_final};
use super::reword::reword;

/// The share of sources that print what another has printed.
const REPUBLISHED: f64 = 0.025;
/// How likely a sentence is changed then, and the end left out.
const CHANGED: f64 = 0.15;
const CUT: f64 = 0.3;
/// How likely a sentence ends its paragraph.
const PARAGRAPH: f64 = 0.25;

/// One sentence of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

/// Where a sentence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Written for this text.
    Own,
    /// A line that stands under many texts.
    Notice,
    /// Taken from a source.
    Copied { source: usize, changed: bool },
}

impl Sentence {
    pub(crate) fn own(text: String) -> Self {
        Self {
            text,
            origin: Origin::Own,
        }
    }

    pub(crate) fn notice(text: String) -> Self {
        Self {
            text,
            origin: Origin::Notice,
        }
    }

    /// Without a mark at its end, as headlines are.
    fn is_headline(&self) -> bool {
        !self.text.ends_with(is_final)
    }
}

/// All sources, ready to be made text by text.
pub(crate) struct Sources<'a> {
    pub(crate) prose: &'a Prose<'a>,
    pub(crate) shape: Shape,
    pub(crate) seed: u64,
}

impl Sources<'_> {
    /// The source that this one prints again.
    pub(crate) fn republishes(&self, text: usize) -> Option<usize> {
        let mut random = self.random(text, 1);
        if !self.is_republished(text) {
            return None;
        }
        (0..100)
            .map(|_| random.below(text))
            .find(|&earlier| !self.is_republished(earlier))
    }

    fn is_republished(&self, text: usize) -> bool {
        text > 0 && self.random(text, 2).chance(REPUBLISHED)
    }

    pub(crate) fn sentences(&self, text: usize) -> Vec<Sentence> {
        match self.republishes(text) {
            Some(earlier) => self.again(text, earlier),
            None => self.new_text(text),
        }
    }

    /// A headline, sentences, notices.
    fn new_text(&self, text: usize) -> Vec<Sentence> {
        let mut random = self.random(text, 3);
        let length = self.shape.draw_sentences(&mut random);
        let notices = self.notices(text);
        let mut writer = self.prose.writer(&mut random, self.shape.words);
        for notice in &notices {
            writer.make_up_for(stats::words(&notice.text).len());
        }
        let own = length.saturating_sub(notices.len()).max(2);
        let mut sentences: Vec<Sentence> = (0..own)
            .map(|_| Sentence::own(writer.sentence(&mut random)))
            .collect();
        let headline = &mut sentences[0].text;
        headline.truncate(headline.trim_end_matches(is_final).len());
        sentences.extend(notices);
        sentences
    }

    /// What the earlier text says, with small changes, under notices of its own.
    fn again(&self, text: usize, earlier: usize) -> Vec<Sentence> {
        let mut random = self.random(text, 4);
        let mut sentences = self.new_text(earlier);
        sentences.retain(|sentence| sentence.origin == Origin::Own);
        if random.chance(CUT) {
            sentences.truncate((sentences.len() * 3 / 4).max(2));
        }
        for sentence in &mut sentences {
            if random.chance(CHANGED) {
                sentence.text = reword(&sentence.text, self.prose, &mut random);
            }
        }
        sentences.extend(self.notices(text));
        sentences
    }

    fn notices(&self, text: usize) -> Vec<Sentence> {
        let lines = notices::OF_SOURCES.draw(&mut self.random(text, 5));
        lines.into_iter().map(Sentence::notice).collect()
    }

    /// The text as it is written.
    pub(crate) fn write(&self, text: usize, sentences: &[Sentence]) -> String {
        write(sentences, &mut self.random(text, 6))
    }

    fn random(&self, text: usize, stream: u64) -> Random {
        Random::new(mix(self.seed).wrapping_add(stream), mix(text as u64))
    }
}

/// Sentences in paragraphs; headlines and notices stand alone.
pub(crate) fn write(sentences: &[Sentence], random: &mut Random) -> String {
    let mut text = String::new();
    for (number, sentence) in sentences.iter().enumerate() {
        text.push_str(&sentence.text);
        let Some(next) = sentences.get(number + 1) else {
            break;
        };
        let alone =
            |sentence: &Sentence| sentence.origin == Origin::Notice || sentence.is_headline();
        let paragraph = alone(sentence) || alone(next) || random.chance(PARAGRAPH);
        text.push_str(if paragraph { "\n\n" } else { " " });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn some_sources_print_others_again() {
        check(|sources, _| {
            let texts = 0..sources.shape.texts;
            let links: Vec<(usize, usize)> = texts
                .filter_map(|text| Some((text, sources.republishes(text)?)))
                .collect();
            let share = links.len() as f64 / sources.shape.texts as f64;
            assert!((0.02..0.03).contains(&share), "{share}");
            for (text, earlier) in links.into_iter().take(50) {
                assert!(earlier < text && sources.republishes(earlier).is_none());
                let mut original = sources.sentences(earlier);
                original.retain(|sentence| sentence.origin == Origin::Own);
                let same = sources
                    .sentences(text)
                    .iter()
                    .filter(|s| original.contains(s))
                    .count();
                assert!(3 * same >= original.len(), "{same} of {}", original.len());
            }
        });
    }

    #[test]
    fn a_headline_stands_alone() {
        check(|sources, _| {
            let sentences = sources.sentences(0);
            let text = sources.write(0, &sentences);
            assert_eq!(text.split("\n\n").next(), Some(&*sentences[0].text));
            assert!(sentences[0].is_headline() && !sentences[1].is_headline());
        });
    }
}
