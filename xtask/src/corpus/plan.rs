//! Which text of a collection is new and which is a copy, of what, and how edited.
//!
//! Every text is decided by the seed and its own number alone, so texts can be made in any order, on
//! any number of threads, and an original is made again where its copy needs it instead of being kept.

use super::edit::{self, Kind, Material};
use super::random::{Random, mix};
use super::source::{Source, Word};
use super::walk;

/// The share of texts that are copies.
const COPIES: f64 = 0.20;
/// The share of copies whose original is a copy itself.
const COPIES_OF_COPIES: f64 = 0.03;
/// One hub for so many texts, of which this share are its copies: 20 to 100.
const TEXTS_PER_HUB: usize = 5_000;
const HUB_COPIES: std::ops::Range<f64> = 0.005..0.020;
const BOILERPLATE_PARAGRAPHS: u64 = 50;

/// What kind of text is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Words per text, on average.
    pub(crate) words: f64,
    /// The deviation of the logarithm of the number of words.
    pub(crate) sigma: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// How many words a text may go on to end its sentence.
    pub(crate) overrun: usize,
}

/// Where a copy comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Copy {
    pub(crate) original: usize,
    pub(crate) kind: Kind,
    pub(crate) rate: f64,
}

/// A whole collection, ready to be made text by text.
pub(crate) struct Plan<'a> {
    source: &'a Source,
    seed: u64,
    texts: usize,
    shape: Shape,
    /// The texts with many copies, sorted.
    hubs: Vec<usize>,
    boilerplate: Vec<Vec<Word>>,
}

/// Independent streams of random numbers for one text.
enum Stream {
    Role,
    Text,
    Edit,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(source: &'a Source, seed: u64, texts: usize, shape: Shape) -> Self {
        let length = |random: &mut Random| 12 + random.below(45).min(shape.words as usize);
        let boilerplate = (0..BOILERPLATE_PARAGRAPHS)
            .map(|number| {
                let mut random = Random::new(seed ^ 0xb01d, number);
                let length = length(&mut random);
                walk::text(source, &mut random, length, shape.overrun)
            })
            .collect();
        // Hubs stand in the first quarter, so that most texts can be copies of theirs.
        let hub = |number: usize| mix(seed ^ mix(number as u64)) as usize % (texts / 4 + 1);
        let mut hubs: Vec<usize> = (0..texts / TEXTS_PER_HUB).map(hub).collect();
        hubs.sort_unstable();
        Self {
            source,
            seed,
            texts,
            shape,
            hubs,
            boilerplate,
        }
    }

    pub(crate) fn texts(&self) -> usize {
        self.texts
    }

    /// The origin of a text; none if it is new.
    pub(crate) fn copy(&self, text: usize) -> Option<Copy> {
        let random = &mut self.random(text, &Stream::Role);
        let role = random.unit();
        if !self.is_copy(text, role) {
            return None;
        }
        let original = match self.hub(text) {
            Some((hub, share)) if role < share => hub,
            _ => self.earlier(random, text),
        };
        let kind = Kind::draw(random);
        let rate = kind.draw_rate(random);
        Some(Copy {
            original,
            kind,
            rate,
        })
    }

    /// `role` is the first random number of the text's stream of that name.
    fn is_copy(&self, text: usize, role: f64) -> bool {
        role < COPIES && text != 0 && self.hubs.binary_search(&text).is_err()
    }

    /// The hub that this text may copy, and how likely it does: texts are dealt out to the hubs in turn.
    fn hub(&self, text: usize) -> Option<(usize, f64)> {
        let hub = *self.hubs.get(text % self.hubs.len().max(1))?;
        let spread = HUB_COPIES.end - HUB_COPIES.start;
        let share = HUB_COPIES.start + spread * Random::new(self.seed, hub as u64).unit();
        (hub < text).then_some((hub, share))
    }

    /// An earlier text, seldom a copy.
    fn earlier(&self, random: &mut Random, text: usize) -> usize {
        let copied = random.chance(COPIES_OF_COPIES);
        for _ in 0..100 {
            let earlier = random.below(text);
            let role = self.random(earlier, &Stream::Role).unit();
            if self.is_copy(earlier, role) == copied {
                return earlier;
            }
        }
        0
    }

    /// The words of a text.
    pub(crate) fn words(&self, text: usize) -> Vec<Word> {
        let Some(copy) = self.copy(text) else {
            return self.new_text(text);
        };
        let material = Material {
            source: self.source,
            boilerplate: &self.boilerplate,
        };
        let original = self.words(copy.original);
        let mut random = self.random(text, &Stream::Edit);
        edit::copy(&material, &mut random, &original, copy.kind, copy.rate)
    }

    fn new_text(&self, text: usize) -> Vec<Word> {
        let mut random = self.random(text, &Stream::Text);
        let Shape {
            words,
            sigma,
            least,
            most,
            overrun,
        } = self.shape;
        let length = random.log_normal(words, sigma).clamp(least, most) as usize;
        walk::text(self.source, &mut random, length, overrun)
    }

    fn random(&self, text: usize, stream: &Stream) -> Random {
        let stream = match stream {
            Stream::Role => 1,
            Stream::Text => 2,
            Stream::Edit => 3,
        };
        Random::new(mix(self.seed).wrapping_add(stream), mix(text as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::edit::KINDS;

    const SHAPE: Shape = Shape {
        words: 30.0,
        sigma: 0.5,
        least: 5.0,
        most: 200.0,
        overrun: 20,
    };

    fn check(test: impl Fn(&Plan<'_>)) {
        let source = Source::from_texts(&[
            "The cat sat on the mat. The dog sat on the cat. A cat on the mat ran. \
             The mat on the cat was the mat of the dog.",
        ]);
        test(&Plan::new(&source, 1, 40_000, SHAPE));
    }

    #[test]
    fn a_fifth_are_copies_of_earlier_texts() {
        check(|plan| {
            let copies: Vec<(usize, Copy)> = (0..plan.texts())
                .filter_map(|text| Some((text, plan.copy(text)?)))
                .collect();
            let share = copies.len() as f64 / plan.texts() as f64;
            assert!((share - COPIES).abs() < 0.01, "{share}");
            assert!(copies.iter().all(|(text, copy)| copy.original < *text));
            for (kind, hundredths) in KINDS {
                let count = copies.iter().filter(|(_, copy)| copy.kind == kind).count();
                let share = count as f64 / copies.len() as f64;
                assert!(
                    (share - hundredths as f64 / 100.0).abs() < 0.02,
                    "{kind:?} {share}"
                );
            }
        });
    }

    #[test]
    fn hubs_have_many_copies_and_few_copies_are_copied() {
        check(|plan| {
            let mut copies = vec![0; plan.texts()];
            let mut second_hand = 0;
            for copy in (0..plan.texts()).filter_map(|text| plan.copy(text)) {
                copies[copy.original] += 1;
                second_hand += usize::from(plan.copy(copy.original).is_some());
            }
            assert_eq!(plan.hubs.len(), 8);
            for &hub in &plan.hubs {
                assert!((15..=130).contains(&copies[hub]), "{}", copies[hub]);
            }
            assert!((100..500).contains(&second_hand), "{second_hand}");
        });
    }

    #[test]
    fn a_text_is_the_same_whenever_it_is_made() {
        check(|plan| {
            let forwards: Vec<_> = (0..200).map(|text| plan.words(text)).collect();
            let mut backwards: Vec<_> = (0..200).rev().map(|text| plan.words(text)).collect();
            backwards.reverse();
            assert_eq!(forwards, backwards);
        });
    }
}
