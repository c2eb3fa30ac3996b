//! What should become of texts, found the slow and obvious way: a set of the sentences seen so far, as strings.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use doublet::batch::JoinOptions;
use doublet::method::Method;
use doublet::method::sentences::{Fingerprinter, SentenceOptions};

/// A text as a plain reader sees it.
pub(super) struct Seen {
    /// Each sentence: its place, the words that count as one string if there are enough, and how many words it has in all.
    pub(super) sentences: Vec<(Range<usize>, Option<String>, u64)>,
    pub(super) words: Vec<String>,
}

pub(super) struct Reader {
    counting: Fingerprinter,
    all: Fingerprinter,
    /// Words of a sentence that counts.
    least: usize,
}

impl Reader {
    pub(super) fn new(join: &JoinOptions) -> Self {
        let normalize = &join.matching.normalize;
        let make = |options: &SentenceOptions| {
            let common = options.common_of_texts(normalize, &["x"]);
            options.fingerprinter(Method::Sentences, normalize, common)
        };
        let all = SentenceOptions {
            common: Some(Arc::default()),
            reorder: false,
            ..join.matching.sentences.clone()
        };
        Self {
            counting: make(&join.matching.sentences),
            all: make(&all),
            least: join.matching.sentences.least.max(1),
        }
    }

    pub(super) fn see(&self, text: &str) -> Seen {
        let (mut sentences, mut words) = (Vec::new(), Vec::new());
        self.counting.explain(text, |range, kept, _| {
            let key = (kept.len() >= self.least).then(|| kept.join(" "));
            sentences.push((range, key, 0));
        });
        let mut index = 0;
        self.all.explain(text, |_, all, _| {
            sentences[index].2 = all.len() as u64;
            words.extend(all);
            index += 1;
        });
        Seen { sentences, words }
    }
}

/// What should become of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Fate {
    Empty,
    /// Another has the same words.
    Copy,
    /// These sentences are repeated and leave it; if the text is no copy, none.
    Cut(Vec<usize>),
}

pub(super) fn reference(input: &[Seen], references: &[Seen], join: &JoinOptions) -> Vec<Fate> {
    let rule = join.matching.sentences.rule;
    let mut occurrences: HashMap<&str, u64> = HashMap::new();
    for text in input.iter().chain(references) {
        for key in text
            .sentences
            .iter()
            .filter_map(|sentence| sentence.1.as_deref())
        {
            *occurrences.entry(key).or_default() += 1;
        }
    }
    let (mut sentences, mut wholes) = (HashSet::new(), HashSet::new());
    for text in references {
        wholes.insert(&text.words);
        sentences.extend(
            text.sentences
                .iter()
                .filter_map(|sentence| sentence.1.as_deref()),
        );
    }
    let mut fates = Vec::new();
    for text in input {
        if text.words.is_empty() {
            fates.push(Fate::Empty);
            continue;
        }
        if !wholes.insert(&text.words) {
            fates.push(Fate::Copy);
            continue;
        }
        let repeated: Vec<usize> = (0..text.sentences.len())
            .filter(|&index| {
                let key = text.sentences[index].1.as_deref();
                key.is_some_and(|key| sentences.contains(key) && occurrences[key] <= rule.most)
            })
            .collect();
        let distinct: HashSet<&str> = repeated
            .iter()
            .filter_map(|&index| text.sentences[index].1.as_deref())
            .collect();
        let words: u64 = repeated.iter().map(|&index| text.sentences[index].2).sum();
        let enough = rule
            .sentences
            .is_some_and(|least| distinct.len() >= least as usize);
        // Boilerplate is no part of the whole, unless there is nothing else.
        let is_boilerplate = |key: &Option<String>| {
            let key = key.as_deref();
            key.is_some_and(|key| occurrences[key] > rule.most)
        };
        let counted = text.sentences.iter().filter(|s| !is_boilerplate(&s.1));
        let whole = match counted.map(|sentence| sentence.2).sum::<u64>() {
            0 => text.words.len() as u64,
            counted => counted,
        };
        let share = words as f64 >= join.matching.threshold.value() * whole as f64 - 1e-9;
        let is_copy = words > 0 && (enough || share);
        sentences.extend(
            text.sentences
                .iter()
                .filter_map(|sentence| sentence.1.as_deref()),
        );
        fates.push(Fate::Cut(if is_copy { repeated } else { Vec::new() }));
    }
    fates
}
