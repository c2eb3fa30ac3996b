//! Edited copies: what happens to a text when it is taken over.

use super::random::Random;
use super::source::{Script, Source, Word};
use super::touch;

/// Kinds of copy, with their shares in hundredths.
pub(crate) type Kinds = [(Kind, usize)];

/// The kinds of copy of a document.
pub(crate) const DOCUMENT_KINDS: &Kinds = &[
    (Kind::Substitution, 20),
    (Kind::Insertion, 15),
    (Kind::Deletion, 15),
    (Kind::Boilerplate, 15),
    (Kind::Shuffled, 10),
    (Kind::Truncation, 10),
    (Kind::Exact, 15),
];

/// The kinds of copy of a message. Most are the same or differ in what says little.
pub(crate) const MESSAGE_KINDS: &Kinds = &[
    (Kind::Exact, 50),
    (Kind::Particles, 15),
    (Kind::Punctuation, 8),
    (Kind::Numbers, 5),
    (Kind::Substitution, 8),
    (Kind::Insertion, 5),
    (Kind::Deletion, 5),
    (Kind::Truncation, 4),
];

/// Rates at which words are replaced, added, left out, or cut off.
const RATES: [f64; 8] = [0.01, 0.02, 0.03, 0.05, 0.10, 0.15, 0.20, 0.30];

/// How a copy differs from its original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Substitution,
    Insertion,
    Deletion,
    Boilerplate,
    Shuffled,
    Truncation,
    Exact,
    /// Particles and pronouns changed.
    Particles,
    /// Digits changed.
    Numbers,
    /// Marks changed.
    Punctuation,
}

/// A change of the written text.
pub(crate) type Touch = fn(&str, Script, &mut Random) -> String;

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Substitution => "substitution",
            Self::Insertion => "insertion",
            Self::Deletion => "deletion",
            Self::Boilerplate => "boilerplate",
            Self::Shuffled => "shuffled",
            Self::Truncation => "truncation",
            Self::Exact => "exact",
            Self::Particles => "particles",
            Self::Numbers => "numbers",
            Self::Punctuation => "punctuation",
        }
    }

    /// What the kind does to the written text; none if it leaves it alone or edits its words.
    pub(crate) fn touch(self) -> Option<Touch> {
        match self {
            Self::Particles => Some(touch::particles),
            Self::Numbers => Some(touch::numbers),
            Self::Punctuation => Some(touch::punctuation),
            _ => None,
        }
    }

    /// Whether a copy of this kind has the words of its original.
    pub(crate) fn keeps_words(self) -> bool {
        self == Self::Exact || self.touch().is_some()
    }

    /// A kind, by the shares given.
    pub(crate) fn draw(random: &mut Random, kinds: &Kinds) -> Self {
        let mut chosen = random.below(100);
        for &(kind, share) in kinds {
            if chosen < share {
                return kind;
            }
            chosen -= share;
        }
        Self::Exact
    }

    /// Whether the kind comes in degrees.
    pub(crate) fn draw_rate(self, random: &mut Random) -> f64 {
        match self {
            Self::Substitution | Self::Insertion | Self::Deletion | Self::Truncation => {
                RATES[random.below(RATES.len())]
            }
            _ => 0.0,
        }
    }
}

/// What an edit may draw on.
pub(crate) struct Material<'a> {
    pub(crate) source: &'a Source,
    /// Paragraphs that sites put above and below their texts.
    pub(crate) boilerplate: &'a [Vec<Word>],
}

impl Material<'_> {
    /// A word of the source, as often as it stands there.
    fn word(&self, random: &mut Random) -> Word {
        self.source
            .word(random.below(self.source.len()) as u32)
            .bare()
    }
}

/// A copy of `original`, its words edited. An edit at a rate changes at least one word.
pub(crate) fn copy(
    material: &Material<'_>,
    random: &mut Random,
    original: &[Word],
    kind: Kind,
    rate: f64,
) -> Vec<Word> {
    match kind {
        Kind::Substitution => substitute(material, random, original, rate),
        Kind::Insertion => insert(material, random, original, rate),
        Kind::Deletion => delete(random, original, rate),
        Kind::Boilerplate => wrap(material, random, original),
        Kind::Shuffled => shuffle(random, original),
        Kind::Truncation => truncate(original, rate),
        Kind::Exact | Kind::Particles | Kind::Numbers | Kind::Punctuation => original.to_vec(),
    }
}

/// Which words an edit touches: each at the rate, and one for certain.
pub(super) fn touched(random: &mut Random, length: usize, rate: f64) -> Vec<bool> {
    let mut touched: Vec<bool> = (0..length).map(|_| random.chance(rate)).collect();
    if let Some(word) = touched.get_mut(random.below(length)) {
        *word = true;
    }
    touched
}

fn substitute(
    material: &Material<'_>,
    random: &mut Random,
    original: &[Word],
    rate: f64,
) -> Vec<Word> {
    let touched = touched(random, original.len(), rate);
    let replace = |(&word, touched): (&Word, bool)| {
        if touched {
            word.with_form_of(material.word(random))
        } else {
            word
        }
    };
    original.iter().zip(touched).map(replace).collect()
}

fn insert(material: &Material<'_>, random: &mut Random, original: &[Word], rate: f64) -> Vec<Word> {
    let touched = touched(random, original.len(), rate);
    let mut copy = Vec::with_capacity(original.len() * 5 / 4);
    for (&word, touched) in original.iter().zip(touched) {
        if touched {
            copy.push(material.word(random));
        }
        copy.push(word);
    }
    copy
}

/// Leave words out; a text never loses all of them.
fn delete(random: &mut Random, original: &[Word], rate: f64) -> Vec<Word> {
    let touched = touched(random, original.len(), rate);
    let kept = original.iter().zip(touched).filter(|&(_, t)| !t);
    let copy: Vec<Word> = kept.map(|(&word, _)| word).collect();
    if copy.is_empty() {
        return original.to_vec();
    }
    copy
}

/// A header above, a footer below, or both.
fn wrap(material: &Material<'_>, random: &mut Random, original: &[Word]) -> Vec<Word> {
    let sides = random.below(3);
    let mut copy = Vec::new();
    if sides != 0 {
        copy.extend(paragraph(material, random));
    }
    copy.extend_from_slice(original);
    if sides != 1 {
        if let Some(last) = copy.last_mut() {
            *last = last.with_paragraph_end();
        }
        copy.extend(paragraph(material, random));
    }
    copy
}

fn paragraph(material: &Material<'_>, random: &mut Random) -> Vec<Word> {
    let mut words = material.boilerplate[random.below(material.boilerplate.len())].clone();
    if let Some(last) = words.last_mut() {
        *last = last.with_paragraph_end();
    }
    words
}

fn shuffle(random: &mut Random, original: &[Word]) -> Vec<Word> {
    let mut sentences: Vec<&[Word]> = original.split_inclusive(|w| w.ends_sentence()).collect();
    random.shuffle(&mut sentences);
    sentences.concat()
}

/// Cut the end off.
fn truncate(original: &[Word], rate: f64) -> Vec<Word> {
    let cut = ((original.len() as f64 * rate) as usize).max(1);
    original[..original.len().saturating_sub(cut).max(1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, rate: f64, holds: impl Fn(&[Word], &[Word]) -> bool) {
        let source = Source::from_texts(&["a bb cc dd. Ee ff gg hh. Ii jj kk ll. Mm nn oo pp"]);
        let original: Vec<Word> = (0..16).map(|p| source.word(p)).collect();
        let boilerplate = [original[..4].to_vec()];
        let material = Material {
            source: &source,
            boilerplate: &boilerplate,
        };
        for stream in 0..50 {
            let copy = copy(
                &material,
                &mut Random::new(1, stream),
                &original,
                kind,
                rate,
            );
            assert!(holds(&original, &copy), "{kind:?}: {original:?} {copy:?}");
        }
    }

    #[test]
    fn each_kind_does_what_it_says() {
        let sorted = |words: &[Word]| {
            let mut forms: Vec<usize> = words.iter().map(|w| w.form()).collect();
            forms.sort_unstable();
            forms
        };
        check(Kind::Exact, 0.0, |a, b| a == b);
        check(Kind::Substitution, 0.3, |a, b| a.len() == b.len());
        check(Kind::Insertion, 0.01, |a, b| a.len() < b.len());
        check(Kind::Deletion, 0.01, |a, b| a.len() > b.len());
        check(Kind::Truncation, 0.3, |a, b| b.len() == 12 && a[..12] == *b);
        check(Kind::Shuffled, 0.0, |a, b| sorted(a) == sorted(b));
        check(Kind::Boilerplate, 0.0, |a, b| {
            let is_core = |w: &[Word]| sorted(w) == sorted(a);
            b.windows(a.len()).any(is_core) && b.len() > a.len()
        });
    }

    #[test]
    fn shares_of_kinds_add_up() {
        for kinds in [DOCUMENT_KINDS, MESSAGE_KINDS] {
            assert_eq!(kinds.iter().map(|(_, share)| share).sum::<usize>(), 100);
        }
    }
}
