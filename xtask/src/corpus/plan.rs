//! Which text of a collection is new and which is a copy, of what, and how edited.
//!
//! Every text is decided by the seed and its own number alone, so texts can be made in any order, on
//! any number of threads, and an original is made again where its copy needs it instead of being kept.

use std::ops::Range;

use super::edit::{self, Kind, Kinds, Material};
use super::random::{Random, mix};
use super::source::{Script, Source, Word};
use super::{chinese, walk};

/// The share of copies whose original is a copy itself.
const COPIES_OF_COPIES: f64 = 0.03;
const BOILERPLATE_PARAGRAPHS: u64 = 50;

/// What kind of text is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Words per text, on average.
    pub(crate) words: f64,
    /// The deviation of the logarithm of the number of words.
    pub(crate) sigma: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// How many words a text may go on to end its sentence.
    pub(crate) overrun: usize,
    /// Without paragraphs.
    pub(crate) one_line: bool,
    /// The share of texts that are copies.
    pub(crate) copies: f64,
    pub(crate) kinds: &'static Kinds,
    pub(crate) hubs: Hubs,
}

/// Texts with many copies.
#[derive(Clone, Debug)]
pub(crate) struct Hubs {
    /// One hub for so many texts,
    pub(crate) every: usize,
    /// of which a share in this range are its copies.
    pub(crate) share: Range<f64>,
    /// The higher, the more hubs lie near the lower end of the range.
    pub(crate) skew: u32,
    /// So many texts at a time share their hubs: what is sent round today is not sent round for ever.
    pub(crate) stretch: usize,
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
    /// The texts with many copies, sorted, for each stretch of texts.
    hubs: Vec<Vec<usize>>,
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
        let starts = (0..texts).step_by(shape.hubs.stretch);
        let stretch = |start: usize| start..texts.min(start.saturating_add(shape.hubs.stretch));
        Self {
            source,
            seed,
            texts,
            hubs: starts
                .map(|start| hubs(seed, stretch(start), shape.hubs.every))
                .collect(),
            shape,
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
        let kind = Kind::draw(random, self.shape.kinds);
        let rate = kind.draw_rate(random);
        Some(Copy {
            original,
            kind,
            rate,
        })
    }

    /// `role` is the first random number of the text's stream of that name.
    fn is_copy(&self, text: usize, role: f64) -> bool {
        role < self.shape.copies && text != 0 && self.hubs_near(text).binary_search(&text).is_err()
    }

    /// The hubs of a text's stretch.
    fn hubs_near(&self, text: usize) -> &[usize] {
        &self.hubs[text / self.shape.hubs.stretch]
    }

    /// The hub that this text may copy, and how likely it does: texts are dealt out to the hubs in turn.
    fn hub(&self, text: usize) -> Option<(usize, f64)> {
        let hubs = self.hubs_near(text);
        let hub = *hubs.get(text % hubs.len().max(1))?;
        let Hubs { share, skew, .. } = &self.shape.hubs;
        let popularity = Random::new(self.seed, hub as u64).unit();
        let popularity = (1..*skew).fold(popularity, |power, _| power * popularity);
        let share = share.start + (share.end - share.start) * popularity;
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

    /// A text as it is written, and how many words it has (before small changes).
    pub(crate) fn text(&self, text: usize) -> (String, usize) {
        if let Some(copy) = self.copy(text)
            && copy.kind.keeps_words()
        {
            let (original, count) = self.text(copy.original);
            let Some(touch) = copy.kind.touch() else {
                return (original, count);
            };
            let mut random = self.random(text, &Stream::Edit);
            return (touch(&original, self.source.script(), &mut random), count);
        }
        let words = self.words(text);
        let count = words.iter().map(|&word| self.source.count(word)).sum();
        (self.write(&words), count)
    }

    fn write(&self, words: &[Word]) -> String {
        let mut text = String::new();
        for (index, &word) in words.iter().enumerate() {
            if let Some(&before) = index.checked_sub(1).and_then(|last| words.get(last)) {
                let paragraph = before.ends_paragraph() && !self.shape.one_line;
                let joint = self.source.joint(before, word);
                text.push_str(if paragraph { "\n\n" } else { joint });
            }
            text.push_str(self.source.form(word));
        }
        if self.source.script() == Script::Chinese {
            chinese::close(&mut text);
        }
        text
    }

    /// The words of a text. Small changes of the written text are not in them, so a copy of a copy starts
    /// without if it edits words.
    fn words(&self, text: usize) -> Vec<Word> {
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
            ..
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

/// The hubs of a stretch of texts, in its first quarter, so that most texts can be copies of theirs.
fn hubs(seed: u64, stretch: Range<usize>, every: usize) -> Vec<usize> {
    let numbers = stretch.start / every..stretch.end / every;
    let room = stretch.len() / 4 + 1;
    let hub = |number: usize| stretch.start + mix(seed ^ mix(number as u64)) as usize % room;
    let mut hubs: Vec<usize> = numbers.map(hub).collect();
    hubs.sort_unstable();
    hubs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::edit::{DOCUMENT_KINDS, MESSAGE_KINDS};

    const SHAPE: Shape = Shape {
        words: 30.0,
        sigma: 0.5,
        least: 5.0,
        most: 200.0,
        overrun: 20,
        one_line: false,
        copies: 0.2,
        kinds: DOCUMENT_KINDS,
        hubs: Hubs {
            every: 5_000,
            share: 0.005..0.020,
            skew: 1,
            stretch: usize::MAX,
        },
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
            assert!((share - SHAPE.copies).abs() < 0.01, "{share}");
            assert!(copies.iter().all(|(text, copy)| copy.original < *text));
            for &(kind, hundredths) in DOCUMENT_KINDS {
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
            assert_eq!(plan.hubs.concat().len(), 8);
            for &hub in plan.hubs.iter().flatten() {
                assert!((15..=130).contains(&copies[hub]), "{}", copies[hub]);
            }
            assert!((100..500).contains(&second_hand), "{second_hand}");
        });
    }

    #[test]
    fn a_text_is_the_same_whenever_it_is_made() {
        check(|plan| {
            let forwards: Vec<_> = (0..200).map(|text| plan.text(text)).collect();
            let mut backwards: Vec<_> = (0..200).rev().map(|text| plan.text(text)).collect();
            backwards.reverse();
            assert_eq!(forwards, backwards);
        });
    }

    #[test]
    fn hubs_are_copied_within_their_stretch() {
        let source = Source::from_texts(&["the cat sat on the mat. The dog sat"]);
        let mut shape = SHAPE;
        shape.hubs.every = 500;
        shape.hubs.stretch = 4_000;
        let plan = Plan::new(&source, 1, 10_000, shape);
        let counts: Vec<usize> = plan.hubs.iter().map(Vec::len).collect();
        assert_eq!(counts, [8, 8, 4]);
        for text in 0..plan.texts() {
            if let Some((hub, _)) = plan.hub(text) {
                assert_eq!(hub / 4_000, text / 4_000);
            }
        }
    }

    #[test]
    fn messages_are_lines_and_their_copies_differ_a_little() {
        let source = Source::of_script(&["我们明天去北京，你呢？好的。"], Script::Chinese);
        let shape = Shape {
            one_line: true,
            copies: 0.4,
            kinds: MESSAGE_KINDS,
            ..SHAPE
        };
        let plan = Plan::new(&source, 1, 500, shape);
        for text in 0..plan.texts() {
            let (written, _) = plan.text(text);
            assert!(!written.contains(['\n', ' ']), "{written}");
            if let Some(copy) = plan.copy(text) {
                let same = written == plan.text(copy.original).0;
                assert!(same || copy.kind != Kind::Exact);
                assert!(!same || copy.kind.touch().is_none());
            }
        }
    }
}
