//! From sentences that were found elsewhere to what is said of a text: is it a copy, of what, and in which parts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::Sentence;
use super::align::{Run, align};
use crate::method::Decision;

/// A sentence of the text that stands in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The source. Sources are ranked by this number where nothing else tells them apart.
    pub source: u64,
    /// Number of the sentence among those of the text.
    pub sentence: u32,
    /// Its number in the source.
    pub place: u32,
}

/// What is copied of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Distinct sentences that stand in some source.
    pub sentences: u32,
    /// Distinct sentences of the text.
    pub of_sentences: u32,
    /// Words of all sentences that stand in some source.
    pub words: u64,
    /// Words of the text that count: all but those of boilerplate.
    pub of_words: u64,
    /// The sources, those with most copied sentences first.
    pub sources: Vec<SourceShare>,
}

/// What one source has of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceShare {
    /// The source, as in its hits.
    pub source: u64,
    /// Distinct sentences of the text that stand in it.
    pub sentences: u32,
    /// Words of the text that stand in it.
    pub words: u64,
    /// Words of the text that are put down to this source when every sentence is put down to one.
    pub own_words: u64,
    /// Which of the hits, once they are in order, are its own.
    pub hits: Range<usize>,
}

impl Copied {
    /// Whether the text is a copy: enough sentences, or a large enough share.
    pub fn is_copy(&self, decision: &Decision) -> bool {
        decision.is_copy(self.sentences, (self.words, self.of_words))
    }

    /// The share of the text's words that is copied.
    pub fn share(&self) -> f64 {
        quotient(self.words, self.of_words)
    }
}

impl SourceShare {
    /// The share of the text's words that stands in this source.
    pub fn share(&self, copied: &Copied) -> f64 {
        quotient(self.words, copied.of_words)
    }

    /// Whether the text would be a copy if this were the only source.
    pub fn is_copy(&self, copied: &Copied, decision: &Decision) -> bool {
        decision.is_copy(self.sentences, (self.words, copied.of_words))
    }

    /// The share of the text's words that is put down to this source.
    pub fn own_share(&self, copied: &Copied) -> f64 {
        quotient(self.own_words, copied.of_words)
    }
}

fn quotient(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Adds up hits, which may come in any order and are put in order. `words` are those of the text that
/// count.
pub fn add_up(sentences: &[Sentence], words: u32, hits: &mut Vec<Hit>) -> Copied {
    leave_out_lone(sentences, hits);
    hits.sort_unstable();
    hits.dedup();
    let tally = Tally::new(sentences);
    let mut sources = Vec::new();
    let mut start = 0;
    for group in hits.chunk_by(|x, y| x.source == y.source) {
        sources.push(tally.source(group, start));
        start += group.len();
    }
    let mut found = vec![false; sentences.len()];
    for hit in hits.iter() {
        found[hit.sentence as usize] = true;
    }
    let found: Vec<u32> = (0..sentences.len() as u32)
        .filter(|&sentence| found[sentence as usize])
        .collect();
    tally.divide(hits, &mut sources);
    sources.sort_by_key(|share| {
        let rank = (share.sentences, share.words, share.own_words);
        (Reverse(rank), share.source)
    });
    Copied {
        sentences: tally.distinct_of(&found),
        of_sentences: tally.count,
        words: tally.words_of(&found),
        of_words: u64::from(words),
        sources,
    }
}

/// Leaves out short sentences that no run of sentences joins to a longer one: others have the same by chance.
fn leave_out_lone(sentences: &[Sentence], hits: &mut Vec<Hit>) {
    let is_short = |hit: &Hit| sentences[hit.sentence as usize].short;
    if !hits.iter().any(is_short) {
        return;
    }
    // Hits of a run lie on one diagonal, side by side.
    let diagonal = |hit: &Hit| i64::from(hit.place) - i64::from(hit.sentence);
    hits.sort_unstable_by_key(|hit| (hit.source, diagonal(hit), hit.sentence));
    let goes_on = |x: &Hit, y: &Hit| {
        let same = x.source == y.source && diagonal(x) == diagonal(y);
        same && y.sentence - x.sentence <= 1
    };
    let runs = hits.chunk_by(goes_on);
    let kept = runs.filter(|run| !run.iter().all(is_short));
    *hits = kept.flatten().copied().collect();
}

/// Where the sentences of one source stand in a text of so many and in the source, given its hits in order.
pub fn runs(sentences: usize, hits: &[Hit]) -> Vec<Run> {
    let places: Vec<u32> = hits.iter().map(|hit| hit.place).collect();
    let mut ranges = vec![0..0; sentences];
    let mut start = 0;
    for group in hits.chunk_by(|x, y| x.sentence == y.sentence) {
        ranges[group[0].sentence as usize] = start..start + group.len();
        start += group.len();
    }
    align(sentences as u32, |sentence| {
        &places[ranges[sentence as usize].clone()]
    })
}

struct Tally<'a> {
    sentences: &'a [Sentence],
    /// Equal sentences have one number.
    distinct: Vec<u32>,
    count: u32,
}

impl<'a> Tally<'a> {
    fn new(sentences: &'a [Sentence]) -> Self {
        let mut keys: Vec<(u128, u32)> = (0..)
            .zip(sentences)
            .map(|(number, sentence)| (sentence.key, number))
            .collect();
        keys.sort_unstable();
        let mut distinct = vec![0; sentences.len()];
        let mut count = 0;
        for group in keys.chunk_by(|x, y| x.0 == y.0) {
            for &(_, sentence) in group {
                distinct[sentence as usize] = count;
            }
            count += 1;
        }
        Self {
            sentences,
            distinct,
            count,
        }
    }

    fn words(&self, sentence: u32) -> u64 {
        u64::from(self.sentences[sentence as usize].words)
    }

    fn words_of(&self, sentences: &[u32]) -> u64 {
        sentences.iter().map(|&sentence| self.words(sentence)).sum()
    }

    fn distinct_of(&self, sentences: &[u32]) -> u32 {
        if self.count as usize == self.sentences.len() {
            return sentences.len() as u32;
        }
        let numbers = sentences.iter().map(|&s| self.distinct[s as usize]);
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len() as u32
    }

    /// What one source has; its hits are in order of the sentences.
    fn source(&self, hits: &[Hit], start: usize) -> SourceShare {
        let groups = hits.chunk_by(|x, y| x.sentence == y.sentence);
        let found: Vec<u32> = groups.map(|group| group[0].sentence).collect();
        SourceShare {
            source: hits[0].source,
            sentences: self.distinct_of(&found),
            words: self.words_of(&found),
            own_words: 0,
            hits: start..start + hits.len(),
        }
    }

    /// Puts every copied sentence down to one source: the one that has most of what is left goes first, then the next.
    fn divide(&self, hits: &[Hit], sources: &mut [SourceShare]) {
        let mut taken = vec![false; self.sentences.len()];
        let gain = |share: &SourceShare, taken: &[bool]| {
            let hits = &hits[share.hits.clone()];
            let sentences = hits.chunk_by(|x, y| x.sentence == y.sentence);
            let free = sentences.filter(|group| !taken[group[0].sentence as usize]);
            free.map(|group| self.words(group[0].sentence)).sum::<u64>()
        };
        // Gains only shrink: one that is up to date and still the largest is the best there is.
        let shares = sources.iter().enumerate();
        let mut heap: BinaryHeap<(u64, Reverse<usize>)> = shares
            .map(|(source, share)| (share.words, Reverse(source)))
            .collect();
        while let Some((expected, Reverse(source))) = heap.pop() {
            let now = gain(&sources[source], &taken);
            if now == 0 {
                continue;
            }
            if now < expected {
                heap.push((now, Reverse(source)));
                continue;
            }
            sources[source].own_words = now;
            for hit in &hits[sources[source].hits.clone()] {
                taken[hit.sentence as usize] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::method::sentences::CopyRule;
    use crate::scores::Metric;
    use crate::threshold::Threshold;

    fn sentences(words: &[u32]) -> Vec<Sentence> {
        let one = |(n, &words): (usize, &u32)| Sentence {
            start: 10 * n,
            end: 10 * n + 9,
            words,
            short: false,
            key: n as u128,
        };
        words.iter().enumerate().map(one).collect()
    }

    fn hit(source: u64, sentence: u32, place: u32) -> Hit {
        Hit {
            source,
            sentence,
            place,
        }
    }

    #[test]
    fn a_text_glued_together_divides_among_its_sources() {
        let text = sentences(&[5, 5, 5, 5, 5, 5]);
        // Source 1 has the first three, source 2 the next two and one of the first.
        let mut hits = vec![
            hit(2, 3, 0),
            hit(2, 4, 1),
            hit(2, 0, 7),
            hit(1, 0, 4),
            hit(1, 1, 5),
            hit(1, 2, 6),
        ];
        let copied = add_up(&text, 30, &mut hits);
        assert_eq!((copied.sentences, copied.of_sentences), (5, 6));
        assert_eq!((copied.words, copied.of_words), (25, 30));
        let ranked: Vec<_> = copied
            .sources
            .iter()
            .map(|s| (s.source, s.sentences, s.own_words))
            .collect();
        assert_eq!(ranked, [(1, 3, 15), (2, 3, 10)]);
        assert_eq!(
            runs(6, &hits[copied.sources[0].hits.clone()]),
            [Run {
                here: 0..3,
                there: 4
            }]
        );
        assert_eq!(
            runs(6, &hits[copied.sources[1].hits.clone()]),
            [
                Run {
                    here: 0..1,
                    there: 7
                },
                Run {
                    here: 3..5,
                    there: 0
                }
            ]
        );
    }

    #[test]
    fn enough_sentences_or_enough_of_the_text() {
        let decide = |sentences| Decision {
            metric: Metric::ContainmentCoverage,
            threshold: Threshold::new(0.5).unwrap(),
            copies: Some(CopyRule {
                sentences,
                ..CopyRule::default()
            }),
            one_way: false,
        };
        let copied = |sentences, words, of_words| Copied {
            sentences,
            words,
            of_words,
            ..Copied::default()
        };
        let decision = decide(Some(3));
        assert!(copied(3, 10, 1000).is_copy(&decision));
        assert!(!copied(2, 10, 1000).is_copy(&decision));
        assert!(copied(1, 10, 20).is_copy(&decision));
        assert!(!copied(0, 0, 0).is_copy(&decision));
        assert!(!copied(30, 10, 1000).is_copy(&decide(None)));
    }

    #[test]
    fn a_short_sentence_counts_only_beside_a_longer_one() {
        let mut text = sentences(&[4, 1, 1, 4]);
        text[1].short = true;
        text[2].short = true;
        // In source 1 the first two stand side by side, in source 2 the second stands alone, and in 3 the two short ones do.
        let mut hits = vec![
            hit(1, 0, 7),
            hit(1, 1, 8),
            hit(2, 1, 0),
            hit(3, 1, 4),
            hit(3, 2, 5),
        ];
        let copied = add_up(&text, 10, &mut hits);
        assert_eq!((copied.sentences, copied.words), (2, 5));
        assert_eq!(copied.sources.len(), 1);
    }

    #[test]
    fn a_sentence_that_repeats_counts_once_but_covers_twice() {
        let mut text = sentences(&[4, 4, 4]);
        text[2].key = text[0].key;
        let copied = add_up(&text, 12, &mut vec![hit(0, 0, 0), hit(0, 2, 0)]);
        assert_eq!((copied.sentences, copied.of_sentences), (1, 2));
        assert_eq!(copied.words, 8);
    }

    proptest! {
        #[test]
        fn the_division_adds_up(
            words in prop::collection::vec(1u32..9, 1..12),
            hits in prop::collection::vec((0u64..5, any::<prop::sample::Index>(), 0u32..12), 0..40),
        ) {
            let text = sentences(&words);
            let mut hits: Vec<Hit> = hits.into_iter().map(|(source, at, place)| hit(source, at.index(text.len()) as u32, place)).collect();
            let copied = add_up(&text, words.iter().sum(), &mut hits);
            prop_assert_eq!(copied.sources.iter().map(|s| s.own_words).sum::<u64>(), copied.words);
            for source in &copied.sources {
                prop_assert!(source.own_words <= source.words && source.words <= copied.words);
                let covered: u64 = runs(text.len(), &hits[source.hits.clone()]).into_iter().flat_map(|run| run.here).map(|n| u64::from(words[n as usize])).sum();
                prop_assert_eq!(covered, source.words);
            }
        }
    }
}
