//! Random changes of an index of sentences against a plain model: a list of texts, compared as strings.

use std::collections::BTreeSet;
use std::sync::Arc;

use doublet::batch::JoinOptions;
use doublet::index::{Answer, CheckOptions, Checker, Index, IndexWriter, Named};
use doublet::method::Method;
use doublet::method::sentences::common::CommonWords;
use doublet::method::sentences::{CopyRule, SentenceOptions};
use doublet::progress::Silent;
use doublet::scores::Metric;
use proptest::prelude::*;

use super::{Place, adding, index_options};
use crate::harness::options;

const COMMON: [&str; 2] = ["the", "some"];

/// What is done to an index.
#[derive(Clone, Debug)]
enum Step {
    Add {
        records: Vec<(u8, String)>,
        every: Option<u64>,
        /// So little memory that every block makes a part.
        small: bool,
    },
    Remove(Vec<u8>),
    Compact,
    Reopen,
}

/// A text as words and sentences, by splitting strings.
struct Cut {
    words: Vec<String>,
    /// The words that are left of each sentence, and how many it had.
    sentences: Vec<(String, u64)>,
    /// Whether so few are left that the sentence counts only beside a longer one.
    short: Vec<bool>,
}

impl Cut {
    fn new(text: &str, options: &JoinOptions) -> Self {
        let (mut words, mut sentences, mut short) = (Vec::new(), Vec::new(), Vec::new());
        let whole = options.matching.method == Method::Imatch;
        let units: Vec<String> = match whole {
            true => vec![text.replace('.', " ")],
            false => text.split('.').map(str::to_owned).collect(),
        };
        for unit in units {
            let unit = unit.to_lowercase();
            let all: Vec<&str> = unit.split_whitespace().collect();
            words.extend(all.iter().map(|word| (*word).to_owned()));
            let mut left: Vec<&str> = all.clone();
            left.retain(|word| !COMMON.contains(word));
            if options.matching.sentences.reorder {
                left.sort_unstable();
            }
            let few = !whole && left.len() < options.matching.sentences.least;
            if whole {
                left.dedup();
            }
            if !left.is_empty() {
                short.push(few);
                sentences.push((left.join(" "), all.len() as u64));
            }
        }
        Self {
            words,
            sentences,
            short,
        }
    }

    fn keys(&self) -> Vec<&str> {
        self.sentences.iter().map(|(key, _)| key.as_str()).collect()
    }

    fn distinct(&self, sentences: &BTreeSet<usize>) -> usize {
        let keys: BTreeSet<&str> = sentences.iter().map(|&n| self.keys()[n]).collect();
        keys.len()
    }

    fn words_of(&self, sentences: &BTreeSet<usize>) -> u64 {
        sentences.iter().map(|&n| self.sentences[n].1).sum()
    }
}

/// What a model says of a text.
#[derive(Debug, Default, PartialEq)]
struct Expected {
    duplicate: bool,
    words: (u64, u64),
    sentences: (u32, u32),
    sources: Vec<ExpectedSource>,
}

#[derive(Clone, Debug, PartialEq)]
struct ExpectedSource {
    number: usize,
    same: bool,
    sentences: u32,
    words: u64,
    own: u64,
}

/// Texts by their ids, in the order in which they were added.
struct Model {
    options: JoinOptions,
    documents: Vec<(u8, String)>,
}

impl Model {
    fn apply(&mut self, step: &Step) {
        match step {
            Step::Add { records, .. } => {
                for (id, text) in records {
                    self.documents.retain(|(other, _)| other != id);
                    self.documents.push((*id, text.clone()));
                }
            }
            Step::Remove(ids) => self.documents.retain(|(id, _)| !ids.contains(id)),
            Step::Compact | Step::Reopen => {}
        }
    }

    fn check(&self, text: &str) -> Expected {
        let text = Cut::new(text, &self.options);
        let documents: Vec<Cut> = self
            .documents
            .iter()
            .map(|(_, text)| Cut::new(text, &self.options))
            .collect();
        let rule = self.options.matching.sentences.rule;
        let counts = |key: &str| {
            let all = documents.iter().flat_map(Cut::keys);
            all.filter(|other| *other == key).count() as u64 <= rule.most
        };
        let everything: BTreeSet<usize> = (0..text.sentences.len()).collect();
        let (mut found, mut all_found) = (Vec::new(), BTreeSet::new());
        for (number, document) in documents.iter().enumerate() {
            let same = !text.words.is_empty() && document.words == text.words;
            let keys = document.keys();
            let meets = |n: usize, place: usize| {
                let key = text.keys().get(n).copied();
                key.is_some_and(|key| keys.get(place) == Some(&key) && counts(key))
            };
            // From a sentence on, in both texts alike, there is a longer one before the texts part.
            let joins = |n: usize, place: usize, step: usize| {
                let along = (0..).map(|k: usize| {
                    (
                        n.wrapping_add(k.wrapping_mul(step)),
                        place.wrapping_add(k.wrapping_mul(step)),
                    )
                });
                let mut along = along.take_while(|&(n, place)| meets(n, place));
                along.any(|(n, _)| !text.short[n])
            };
            let back = usize::MAX;
            let stands = |n: &usize| {
                (0..keys.len()).any(|place| joins(*n, place, 1) || joins(*n, place, back))
            };
            let stands: BTreeSet<usize> = everything.iter().copied().filter(stands).collect();
            all_found.extend(stands.iter().copied());
            if same || !stands.is_empty() {
                found.push((number, same, stands));
            }
        }
        let any_same = found.iter().position(|(_, same, _)| *same);
        // Words of boilerplate do not count, unless there are no others.
        let boilerplate = everything
            .iter()
            .copied()
            .filter(|&n| !counts(text.keys()[n]))
            .collect();
        let all = text.words.len() as u64;
        let whole = match all - text.words_of(&boilerplate) {
            0 => all,
            counted => counted,
        };
        let distinct = text.distinct(&everything) as u32;
        let mut sources: Vec<ExpectedSource> = found
            .iter()
            .map(|(number, same, stands)| ExpectedSource {
                number: *number,
                same: *same,
                sentences: if *same {
                    distinct
                } else {
                    text.distinct(stands) as u32
                },
                words: if *same { whole } else { text.words_of(stands) },
                own: 0,
            })
            .collect();
        match any_same {
            Some(first) => sources[first].own = whole,
            None => {
                let mut left = all_found.clone();
                while !left.is_empty() {
                    let gain = |n: usize| {
                        text.words_of(&found[n].2.intersection(&left).copied().collect())
                    };
                    let best = (0..found.len()).rev().max_by_key(|&n| gain(n)).unwrap();
                    sources[best].own = gain(best);
                    left.retain(|n| !found[best].2.contains(n));
                }
            }
        }
        sources.sort_by_key(|s| std::cmp::Reverse((s.same, s.sentences, s.words, s.own)));
        let (sentences, words) = match any_same {
            Some(_) => (distinct, whole),
            None => (text.distinct(&all_found) as u32, text.words_of(&all_found)),
        };
        let threshold = self.options.matching.threshold.value();
        Expected {
            duplicate: rule.sentences.is_some_and(|least| sentences >= least)
                || (words > 0 && words as f64 >= threshold * whole as f64 - 1e-9),
            words: (words, whole),
            sentences: (sentences, distinct),
            sources,
        }
    }

    /// That an index says of a text what the model says.
    fn compare(&self, index: &Index, text: &str) -> Result<(), TestCaseError> {
        let asked = CheckOptions::of(index.options());
        let mut checker = Checker::new(index);
        let answer = checker.check(text, &asked).unwrap();
        let expected = self.check(text);
        let share = |words: u64| match expected.words.1 {
            0 => 0.0,
            all => words as f64 / all as f64,
        };
        prop_assert_eq!(answer.duplicate, expected.duplicate, "{}", text);
        prop_assert_eq!(answer.share, share(expected.words.0));
        prop_assert_eq!(answer.sentences, Some(expected.sentences));
        prop_assert_eq!(answer.found, expected.sources.len());
        prop_assert_eq!(answer.sources.len(), expected.sources.len());
        for (source, expected) in answer.sources.iter().zip(&expected.sources) {
            let (id, _) = self.documents[expected.number];
            prop_assert_eq!(&source.id, &format!("\"{id}\""), "{:?}", answer.sources);
            prop_assert_eq!(source.score, share(expected.words));
            prop_assert_eq!(
                source.sentences,
                Some((expected.sentences, share(expected.own)))
            );
        }
        self.compare_passages(text, &answer, &expected)?;
        let first = CheckOptions {
            sources: Named::Best(1),
            ..asked
        };
        let mut short = answer;
        short.sources.truncate(1);
        prop_assert_eq!(checker.check(text, &first).unwrap(), short);
        Ok(())
    }

    /// That passages have the same words in both texts and leave nothing out.
    fn compare_passages(
        &self,
        text: &str,
        answer: &Answer,
        expected: &Expected,
    ) -> Result<(), TestCaseError> {
        for (source, expected) in answer.sources.iter().zip(&expected.sources) {
            let there = &self.documents[expected.number].1;
            let mut covered = 0;
            let mut last = 0;
            for passage in &source.passages {
                prop_assert!(passage.here.start >= last && passage.here.end > passage.here.start);
                last = passage.here.end;
                let here = Cut::new(&text[passage.here.clone()], &self.options);
                let length = (passage.there.end - passage.there.start) as usize;
                let there: String = there
                    .chars()
                    .skip(passage.there.start as usize)
                    .take(length)
                    .collect();
                let there = Cut::new(&there, &self.options);
                if expected.same {
                    // The whole of both, however they are cut.
                    prop_assert_eq!(&here.words, &there.words, "{} from {:?}", text, source);
                    continue;
                }
                prop_assert_eq!(here.keys(), there.keys(), "{} from {:?}", text, source);
                covered += here.sentences.iter().map(|(_, words)| words).sum::<u64>();
            }
            if !expected.same {
                prop_assert_eq!(covered, expected.words);
            }
        }
        Ok(())
    }

    /// That an index holds what the model holds, and answers alike.
    fn compare_all(&self, index: &Index, texts: &[String]) -> Result<(), TestCaseError> {
        let mut found = Vec::new();
        let push = |id: &str, text: Option<&str>| {
            found.push((id.to_owned(), text.map(str::to_owned)));
            Ok(())
        };
        index.for_each_document(push).unwrap();
        let kept = index.options().texts;
        let document =
            |(id, text): &(u8, String)| (format!("\"{id}\""), kept.then(|| text.clone()));
        let documents: Vec<_> = self.documents.iter().map(document).collect();
        prop_assert_eq!(found, documents);
        prop_assert_eq!(index.info().documents, self.documents.len() as u64);
        for id in 0..IDS {
            let there = self.documents.iter().any(|(other, _)| *other == id);
            prop_assert_eq!(index.contains(&format!("\"{id}\"")).unwrap(), there);
            prop_assert!(!index.contains(&id.to_string()).unwrap());
        }
        for text in texts
            .iter()
            .chain(self.documents.iter().take(4).map(|(_, text)| text))
        {
            self.compare(index, text)?;
        }
        let glued: String = self
            .documents
            .iter()
            .rev()
            .take(3)
            .map(|(_, text)| text.as_str())
            .collect();
        self.compare(index, &glued)
    }
}

const IDS: u8 = 12;

fn sentence() -> impl Strategy<Value = String> {
    let first = prop::sample::select(vec!["Kilometre", "Limestone", "The", "漢字"]);
    let word = prop::sample::select(vec![
        "kilometre",
        "limestone",
        "the",
        "some",
        "microbe",
        "12",
    ]);
    let end = prop::sample::select(vec![" again. ", " again.\r\n", " "]);
    (first, prop::collection::vec(word, 0..3), end)
        .prop_map(|(first, words, end)| format!("{first} {}{end}", words.join(" ")))
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(sentence(), 0..5).prop_map(|sentences| sentences.concat())
}

fn step() -> impl Strategy<Value = Step> {
    let records = prop::collection::vec((0..IDS, text()), 0..9);
    let every = prop::option::of(1u64..5);
    let add = (records, every, any::<bool>()).prop_map(|(records, every, small)| Step::Add {
        records,
        every,
        small,
    });
    prop_oneof![
        4 => add,
        2 => prop::collection::vec(0..IDS, 1..4).prop_map(Step::Remove),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

fn sentence_options(imatch: bool, reorder: bool, rule: CopyRule, threshold: &str) -> JoinOptions {
    let mut options = options(Metric::ContainmentCoverage, threshold, 5);
    options.matching.method = if imatch {
        Method::Imatch
    } else {
        Method::Sentences
    };
    let common = COMMON.map(str::to_owned).to_vec();
    options.matching.sentences = SentenceOptions {
        common: Some(Arc::new(CommonWords::new(common))),
        reorder: reorder || imatch,
        least: 1,
        rule,
        ..SentenceOptions::default()
    };
    options
}

/// Does a step, and says what the index claims to have done.
fn apply(
    writer: &mut IndexWriter,
    place: &Place,
    step: &Step,
    model: &Model,
) -> Result<(), TestCaseError> {
    match step {
        Step::Add {
            records,
            every,
            small,
        } => {
            let named: Vec<_> = records
                .iter()
                .map(|(id, text)| (id.to_string(), text.clone()))
                .collect();
            let mut adding = adding();
            adding.commit_every = *every;
            adding.resources.threads = records.len() % 3 + 1;
            if *small {
                adding.resources.memory = 1;
            }
            let added = writer
                .add(&place.collection(&named), &adding, &Silent)
                .unwrap();
            let distinct: BTreeSet<u8> = records.iter().map(|(id, _)| *id).collect();
            let known = model
                .documents
                .iter()
                .filter(|(id, _)| distinct.contains(id))
                .count();
            prop_assert_eq!(added.added, records.len() as u64);
            prop_assert_eq!(
                added.replaced,
                (known + records.len() - distinct.len()) as u64
            );
        }
        Step::Remove(ids) => {
            let named: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
            let found = writer.remove(&named, &Silent).unwrap();
            for (number, (id, found)) in ids.iter().zip(found).enumerate() {
                let there = model.documents.iter().any(|(other, _)| other == id);
                prop_assert_eq!(found, there && !ids[..number].contains(id));
            }
        }
        Step::Compact => {
            writer.compact(&Silent).unwrap();
            let info = writer.index().info();
            prop_assert!(info.parts <= 1 && info.dead == 0);
        }
        Step::Reopen => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn an_index_is_a_list_of_texts(
        steps in prop::collection::vec(step(), 1..8),
        texts in prop::collection::vec(text(), 1..4),
        keep: bool,
        imatch in prop::bool::weighted(0.2),
        reorder: bool,
        words in 1usize..4,
        least in prop::option::of(1u32..4),
        most in prop::sample::select(vec![1u64, 2, 300]),
        threshold in prop::sample::select(vec!["0.25", "0.5", "1"]),
    ) {
        let rule = CopyRule { sentences: least, most };
        let mut options = sentence_options(imatch, reorder, rule, threshold);
        options.matching.sentences.least = words;
        let place = Place::new();
        let mut writer = IndexWriter::create(&place.index(), &index_options(&options, keep), None).unwrap();
        let mut model = Model { options, documents: Vec::new() };
        for step in &steps {
            let snapshot = Index::open(&place.index()).unwrap();
            apply(&mut writer, &place, step, &model)?;
            // Whoever opened the index before goes on seeing what was there.
            model.compare_all(&snapshot, &texts[..1])?;
            model.apply(step);
            if matches!(step, Step::Reopen) {
                drop(writer);
                writer = IndexWriter::open(&place.index()).unwrap();
            }
            model.compare_all(writer.index(), &texts[..1])?;
            place.verify().unwrap();
        }
        model.compare_all(&place.open(), &texts)?;
    }
}

/// The same words, cut otherwise: found as a whole, in one passage.
#[test]
fn the_same_words_in_other_sentences() {
    let rule = CopyRule {
        sentences: None,
        most: 1,
    };
    let options = sentence_options(false, true, rule, "1");
    let texts = [
        "Kilometre limestone. Microbe limestone. ".to_owned(),
        "Kilometre limestone microbe limestone. ".to_owned(),
        "Kilometre. Limestone microbe. Limestone. ".to_owned(),
    ];
    let records: Vec<(u8, String)> = (0..).zip(texts.clone()).collect();
    let place = Place::with(&index_options(&options, true), &super::numbered(&texts));
    let model = Model {
        options,
        documents: records,
    };
    for text in &texts {
        model
            .compare_all(&place.open(), std::slice::from_ref(text))
            .unwrap();
        assert_eq!(model.check(text).sources.len(), 3);
    }
}
