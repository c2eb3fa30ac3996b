//! Part-of-speech taggers: the Universal tag of each word of a text.
//!
//! An averaged perceptron, read from left to right. Every feature looks at one word or at the tags before it, so the score of
//! a tag is a sum of four rows: what the word says itself, what the word before and the word after say of it, and what the
//! two tags before say. The first three depend on one form only and are kept in a [`Memo`]; a word met before costs one look
//! there, three sums and the greatest of sixteen numbers. Words are those of UAX #29 without punctuation, so there are sixteen
//! tags to choose from and a row fills two registers.

mod features;
pub mod model;
pub mod train;
pub mod treebank;

use std::array::from_fn;
use std::sync::OnceLock;

use crate::hash::hash_bytes;
use features::{LEFT, MOST_FEATURES, OWN, PLACES, RIGHT, word_features};
use model::{LANES, Model, Scores};

/// A part of speech in the Universal scheme. Taggers never give `Punct`: punctuation is no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tag {
    /// Adjective.
    Adj,
    /// Preposition or postposition.
    Adp,
    /// Adverb.
    Adv,
    /// Auxiliary verb.
    Aux,
    /// Coordinating conjunction.
    Cconj,
    /// Determiner.
    Det,
    /// Interjection.
    Intj,
    /// Noun.
    Noun,
    /// Numeral.
    Num,
    /// Particle.
    Part,
    /// Pronoun.
    Pron,
    /// Proper noun.
    Propn,
    /// Punctuation.
    Punct,
    /// Subordinating conjunction.
    Sconj,
    /// Symbol.
    Sym,
    /// Verb.
    Verb,
    /// Anything else.
    X,
}

impl Tag {
    /// Every tag, in the order of its number.
    pub const ALL: [Self; 17] = [
        Self::Adj,
        Self::Adp,
        Self::Adv,
        Self::Aux,
        Self::Cconj,
        Self::Det,
        Self::Intj,
        Self::Noun,
        Self::Num,
        Self::Part,
        Self::Pron,
        Self::Propn,
        Self::Punct,
        Self::Sconj,
        Self::Sym,
        Self::Verb,
        Self::X,
    ];

    /// The tag's name in treebanks, such as `NOUN`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adj => "ADJ",
            Self::Adp => "ADP",
            Self::Adv => "ADV",
            Self::Aux => "AUX",
            Self::Cconj => "CCONJ",
            Self::Det => "DET",
            Self::Intj => "INTJ",
            Self::Noun => "NOUN",
            Self::Num => "NUM",
            Self::Part => "PART",
            Self::Pron => "PRON",
            Self::Propn => "PROPN",
            Self::Punct => "PUNCT",
            Self::Sconj => "SCONJ",
            Self::Sym => "SYM",
            Self::Verb => "VERB",
            Self::X => "X",
        }
    }

    /// The tag of that name in treebanks.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.name() == name)
    }

    /// Place of the tag in a row of scores; punctuation shares that of `X`.
    fn lane(self) -> usize {
        match self {
            Self::Punct => LANES - 1,
            tag if tag > Self::Punct => tag as usize - 1,
            tag => tag as usize,
        }
    }

    #[inline(always)]
    fn of_lane(lane: usize) -> Self {
        Self::ALL[lane + usize::from(lane >= Self::Punct as usize)]
    }
}

/// The languages that have a tagger, with their models.
static MODELS: [(&str, &[u8]); 9] = [
    ("de", include_bytes!("data/de.tags")),
    ("en", include_bytes!("data/en.tags")),
    ("es", include_bytes!("data/es.tags")),
    ("fr", include_bytes!("data/fr.tags")),
    ("ja", include_bytes!("data/ja.tags")),
    ("ko", include_bytes!("data/ko.tags")),
    ("nl", include_bytes!("data/nl.tags")),
    ("pt", include_bytes!("data/pt.tags")),
    ("ru", include_bytes!("data/ru.tags")),
];

/// Gives words their tags.
#[derive(Debug)]
pub struct Tagger {
    model: Model,
}

impl Tagger {
    /// A tagger with a model of one's own.
    pub fn new(model: Model) -> Self {
        Self { model }
    }

    /// The tagger of a language by its two-letter code; its model is unpacked on first use.
    pub fn of(language: &str) -> Option<&'static Self> {
        static TAGGERS: [OnceLock<Option<Tagger>>; MODELS.len()] =
            [const { OnceLock::new() }; MODELS.len()];
        let at = MODELS.iter().position(|(code, _)| *code == language)?;
        let load = || Model::from_bytes(MODELS[at].1).ok().map(Self::new);
        TAGGERS[at].get_or_init(load).as_ref()
    }

    /// Codes of the languages that have a tagger.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        MODELS.iter().map(|(code, _)| *code)
    }

    /// Writes the tag of each of the words of a text, in their order, to `tags`, which is emptied first.
    pub fn tag(&self, words: &[&str], memo: &mut Memo, tags: &mut Vec<Tag>) {
        tags.clear();
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        tags.reserve(words.len());
        memo.prepare();
        let model = &self.model;
        let mut transition = 0;
        // What the word to be tagged and the one before it say, and what it will say of the next.
        let found = memo.look(model, first, true);
        let mut sum = added(&found.rows[OWN], &model.boundary[0]);
        let mut left = found.rows[LEFT];
        for word in rest {
            let found = memo.look(model, word, false);
            let lane = best(&added(
                &added(&sum, &found.rows[RIGHT]),
                model.transition(transition),
            ));
            sum = added(&found.rows[OWN], &left);
            left = found.rows[LEFT];
            transition = Model::next_transition(transition, lane);
            tags.push(Tag::of_lane(lane));
        }
        let lane = best(&added(
            &added(&sum, &model.boundary[1]),
            model.transition(transition),
        ));
        tags.push(Tag::of_lane(lane));
    }
}

#[inline(always)]
fn added(a: &Scores, b: &Scores) -> Scores {
    Scores(from_fn(|lane| a.0[lane] + b.0[lane]))
}

/// Lane of the greatest score. The low bits of every score hold the lane, counted from behind, so the greatest number says
/// where it stood.
#[inline(always)]
fn best(scores: &Scores) -> usize {
    let half: [i16; 8] = from_fn(|lane| scores.0[lane].max(scores.0[lane + 8]));
    let quarter: [i16; 4] = from_fn(|lane| half[lane].max(half[lane + 4]));
    let greatest = quarter[0].max(quarter[2]).max(quarter[1].max(quarter[3]));
    LANES - 1 - (greatest as usize & (LANES - 1))
}

/// Forms kept at a time.
const SLOTS: usize = 16384;

/// Rows of scores of forms met lately. One per thread; it may serve several taggers in turn, and never changes what they say.
#[derive(Debug, Default)]
pub struct Memo {
    slots: Vec<Slot>,
    buffer: String,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Slot {
    rows: [Scores; PLACES],
    /// Hash of form, place in the text and model; 0 in an empty slot.
    key: u64,
}

impl Memo {
    fn prepare(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Slot::default());
        }
    }

    #[inline(always)]
    fn look(&mut self, model: &Model, word: &str, first: bool) -> &Slot {
        let mut key = hash_bytes(word.as_bytes()) ^ model.salt;
        if first {
            key = key.rotate_left(32) ^ 1;
        }
        let key = key.max(1);
        // A form has two places; a new one takes the first and moves what was there to the second.
        let first_place = (key >> 40) as usize % SLOTS;
        let second_place = first_place ^ 1;
        if self.slots[first_place].key == key {
            return &self.slots[first_place];
        }
        if self.slots[second_place].key != key {
            self.slots[second_place] = self.slots[first_place];
            let slot = &mut self.slots[first_place];
            fill(slot, model, word, first, &mut self.buffer);
            slot.key = key;
            return slot;
        }
        &self.slots[second_place]
    }
}

#[cold]
#[inline(never)]
fn fill(slot: &mut Slot, model: &Model, word: &str, first: bool, buffer: &mut String) {
    // Features without weights are dropped before the table is asked, by a step without a branch to guess wrong.
    let mut features = [(0, 0); MOST_FEATURES];
    let mut count = 0;
    word_features(word, first, buffer, &mut |place, feature| {
        features[count % MOST_FEATURES] = (place, feature);
        count += usize::from(model.may_have(feature));
    });
    let mut sums = [[0; LANES]; PLACES];
    for &(place, feature) in &features[..count.min(MOST_FEATURES)] {
        model.add(feature, &mut sums[place]);
    }
    slot.rows = from_fn(|place| Scores::packed(&sums[place], place == OWN));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tags(language: &str, words: &[&str]) -> Vec<Tag> {
        let tagger = Tagger::of(language).expect("a tagger");
        let mut tags = Vec::new();
        tagger.tag(words, &mut Memo::default(), &mut tags);
        tags
    }

    fn check(language: &str, text: &str, expected: &str) {
        let words: Vec<&str> = text.split(' ').collect();
        let found: Vec<&str> = tags(language, &words).into_iter().map(Tag::name).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn every_model_loads() {
        for (language, bytes) in MODELS {
            let model = Model::from_bytes(bytes).expect(language);
            assert_eq!(model.to_bytes(), bytes);
            assert!(Tagger::of(language).is_some());
        }
        assert!(Tagger::of("xx").is_none());
        assert!(Tagger::of("").is_none());
        let total: usize = MODELS.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(total < 1_200_000, "{total}");
    }

    #[test]
    fn tags_and_lanes() {
        for lane in 0..LANES {
            assert_eq!(Tag::of_lane(lane).lane(), lane);
        }
        for (number, tag) in Tag::ALL.into_iter().enumerate() {
            assert_eq!(tag as usize, number);
            assert_eq!(Tag::from_name(tag.name()), Some(tag));
        }
    }

    #[test]
    fn sure_sentences() {
        for (language, text, expected) in [
            (
                "en",
                "The old man bought two books in London",
                "DET ADJ NOUN VERB NUM NOUN ADP PROPN",
            ),
            ("en", "she can help me", "PRON AUX VERB PRON"),
            (
                "de",
                "Der Mann kauft ein neues Haus in Berlin",
                "DET NOUN VERB DET ADJ NOUN ADP PROPN",
            ),
            ("de", "heute ist das wetter gut", "ADV AUX DET NOUN ADJ"),
            (
                "fr",
                "Il travaille dans une grande entreprise",
                "PRON VERB ADP DET ADJ NOUN",
            ),
            (
                "fr",
                "le chat est dans la maison",
                "DET NOUN AUX ADP DET NOUN",
            ),
            (
                "es",
                "La ciudad tiene una iglesia muy antigua",
                "DET NOUN VERB DET NOUN ADV ADJ",
            ),
            (
                "pt",
                "A cidade tem uma igreja muito antiga",
                "DET NOUN VERB DET NOUN ADV ADJ",
            ),
            (
                "nl",
                "Hij woont in een groot huis",
                "PRON VERB ADP DET ADJ NOUN",
            ),
            (
                "ru",
                "Новый город находится на берегу реки",
                "ADJ NOUN VERB ADP NOUN NOUN",
            ),
            ("ru", "Он был в городе", "PRON AUX ADP NOUN"),
            ("ja", "私 は 学校 に 行く", "PRON ADP NOUN ADP VERB"),
            ("ko", "우리는 학교를 매우 좋아한다", "PRON NOUN ADV VERB"),
            ("ko", "그는 서울에서 친구를 만났다", "PRON NOUN NOUN VERB"),
        ] {
            check(language, text, expected);
        }
    }

    #[test]
    fn no_words_one_word_and_long_words() {
        assert!(tags("en", &[]).is_empty());
        assert_eq!(tags("en", &[""]).len(), 1);
        assert_eq!(tags("en", &["the"]), [Tag::Det]);
        for piece in ["a", "Ä", "私", "한", "\u{1112}\u{1161}", "😀", "9"] {
            let long = piece.repeat((1 << 20) / piece.len());
            assert_eq!(tags("en", &["a", &long, "b"]).len(), 3);
        }
    }

    proptest! {
        #[test]
        fn a_memo_changes_nothing(texts in prop::collection::vec(prop::collection::vec("[a-dA-B'0]{0,3}|\\PC{0,6}|[가-힣]{1,4}", 0..9), 1..9)) {
            let mut memo = Memo::default();
            for text in texts.iter().chain(&texts) {
                let words: Vec<&str> = text.iter().map(String::as_str).collect();
                for language in ["en", "ko", "de"] {
                    let mut found = Vec::new();
                    Tagger::of(language).expect("a tagger").tag(&words, &mut memo, &mut found);
                    prop_assert_eq!(found, tags(language, &words));
                }
            }
        }
    }
}
