//! Training of taggers from treebanks, and their score.
//!
//! An averaged perceptron learns twice: once with every feature, to see which matter most, and once with those alone. Messages
//! are often written without capitals and run on over several sentences, so some sentences are shown in lower case, a few in
//! capitals, and some follow the one before as if in the same text. All is a function of data and options: integers and a
//! generator with a fixed seed, the same bytes each time.

use std::collections::HashMap;

use super::features::{OWN, PLACES, RIGHT, boundary, transition, word_features};
use super::model::{LANES, Model};
use super::treebank::Sentence;
use super::{Memo, Tagger};
use crate::segment::terms::Group;

/// How to train.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Rounds over the sentences, in each of the two passes.
    pub epochs: usize,
    /// Times a feature must be met to count at all.
    pub minimum_count: u32,
    /// Features kept at most.
    pub features: usize,
    /// Smallest weight that is kept, of 127.
    pub smallest_weight: i8,
    /// By how much the right tag must win, or the weights change.
    pub margin: i32,
    /// Percentage of sentences shown in lower case.
    pub lower_percent: u64,
    /// Percentage of sentences shown in capitals.
    pub upper_percent: u64,
    /// Percentage of sentences that continue the one before.
    pub join_percent: u64,
    /// Start of the random numbers.
    pub seed: u64,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            epochs: 8,
            minimum_count: 1,
            features: 16_000,
            smallest_weight: 6,
            margin: 20,
            lower_percent: 20,
            upper_percent: 2,
            join_percent: 20,
            seed: 0x5DEE_CE66_D1CE_5EED,
        }
    }
}

/// Share of words that got the right answer, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The very tag.
    pub tags: f64,
    /// A tag of the right group of terms.
    pub groups: f64,
    /// Words scored.
    pub words: usize,
}

/// Score of a tagger on sentences, each a text of its own.
pub fn accuracy(tagger: &Tagger, sentences: &[Sentence]) -> Accuracy {
    let (mut memo, mut found) = (Memo::default(), Vec::new());
    let (mut tags, mut groups, mut words) = (0_usize, 0_usize, 0_usize);
    for sentence in sentences {
        let forms: Vec<&str> = sentence.words.iter().map(String::as_str).collect();
        tagger.tag(&forms, &mut memo, &mut found);
        for (found, gold) in found.iter().zip(&sentence.tags) {
            tags += usize::from(found == gold);
            groups += usize::from(Group::from(*found) == Group::from(*gold));
        }
        words += forms.len();
    }
    let share = |right| right as f64 / words.max(1) as f64;
    Accuracy {
        tags: share(tags),
        groups: share(groups),
        words,
    }
}

/// Trains a model.
pub fn train(sentences: &[Sentence], options: &TrainOptions) -> Model {
    let mut trainer = Trainer::new(sentences, options);
    trainer.run();
    trainer.keep(options.features);
    trainer.run();
    trainer.model()
}

/// Ways to write a sentence: as it is, in lower case, in capitals.
const CASES: usize = 3;

/// A sentence as numbers of forms, for each way to write it.
struct Example {
    forms: [Vec<usize>; CASES],
    /// The first word as the first of a text.
    first: [usize; CASES],
    lanes: Vec<usize>,
}

/// Weights of a feature: `now`, and the sum of all changes times the step they were made at.
#[derive(Clone, Default)]
struct Weights {
    feature: u32,
    count: u32,
    now: [i32; LANES],
    dated: [i64; LANES],
}

impl Weights {
    fn average(&self, lane: usize, steps: i64) -> f64 {
        f64::from(self.now[lane]) - self.dated[lane] as f64 / steps as f64
    }
}

struct Trainer<'a> {
    options: &'a TrainOptions,
    examples: Vec<Example>,
    /// Features of a form by place, as numbers of weights.
    forms: Vec<[Vec<usize>; PLACES]>,
    weights: Vec<Weights>,
    /// Weights of the tags before a word, by number of transition.
    transitions: Vec<[usize; 2]>,
    boundary: [usize; 2],
    steps: i64,
}

impl<'a> Trainer<'a> {
    fn new(sentences: &[Sentence], options: &'a TrainOptions) -> Self {
        let mut interner = Interner::default();
        let mut examples = Vec::with_capacity(sentences.len());
        for sentence in sentences
            .iter()
            .filter(|sentence| !sentence.words.is_empty())
        {
            let written = [
                sentence.words.clone(),
                sentence
                    .words
                    .iter()
                    .map(|word| word.to_lowercase())
                    .collect(),
                sentence
                    .words
                    .iter()
                    .map(|word| word.to_uppercase())
                    .collect(),
            ];
            examples.push(Example {
                first: [0, 1, 2].map(|case| interner.form(&written[case][0], true)),
                forms: [0, 1, 2].map(|case| {
                    let words = written[case].iter();
                    words.map(|word| interner.form(word, false)).collect()
                }),
                lanes: sentence.tags.iter().map(|tag| tag.lane()).collect(),
            });
        }
        let boundary = [0, 1].map(|edge| interner.feature(boundary(edge), u32::MAX));
        let pairs = (0..=LANES).flat_map(|before| (0..=LANES).map(move |last| (last, before)));
        let transitions = pairs
            .map(|(last, before)| transition(last, before).map(|f| interner.feature(f, u32::MAX)))
            .collect();
        // Every way of writing has counted the words once.
        let minimum = options.minimum_count * CASES as u32;
        let mut trainer = Self {
            options,
            examples,
            forms: interner.forms,
            weights: interner.weights,
            transitions,
            boundary,
            steps: 1,
        };
        trainer.retain(|weights| weights.count >= minimum);
        trainer
    }

    /// Forgets the features that fail; weight 0 takes their place and never changes.
    fn retain(&mut self, keep: impl Fn(&Weights) -> bool) {
        let mut kept = vec![Weights::default()];
        let mut moved = vec![0; self.weights.len()];
        for (at, weights) in self.weights.iter().enumerate().skip(1) {
            if keep(weights) {
                moved[at] = kept.len();
                kept.push(weights.clone());
            }
        }
        self.weights = kept;
        for features in self.forms.iter_mut().flatten() {
            features.iter_mut().for_each(|at| *at = moved[*at]);
            features.retain(|at| *at != 0);
        }
        let transitions = self.transitions.iter_mut().flatten();
        transitions
            .chain(&mut self.boundary)
            .for_each(|at| *at = moved[*at]);
    }

    /// Keeps the features whose weights are greatest and starts afresh.
    fn keep(&mut self, count: usize) {
        let importance = |weights: &Weights| -> f64 {
            (0..LANES)
                .map(|lane| weights.average(lane, self.steps).abs())
                .sum()
        };
        let mut all: Vec<(f64, u32)> = self
            .weights
            .iter()
            .map(|weights| (importance(weights), weights.feature))
            .collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.truncate(count);
        let mut kept: Vec<u32> = all
            .iter()
            .filter(|(weight, _)| *weight > 0.0)
            .map(|(_, feature)| *feature)
            .collect();
        kept.sort_unstable();
        self.retain(|weights| kept.binary_search(&weights.feature).is_ok());
        for weights in &mut self.weights {
            (weights.now, weights.dated) = ([0; LANES], [0; LANES]);
        }
        self.steps = 1;
    }

    fn run(&mut self) {
        let mut random = Random(self.options.seed);
        let mut order: Vec<usize> = (0..self.examples.len()).collect();
        for _ in 0..self.options.epochs {
            for at in (1..order.len()).rev() {
                order.swap(at, random.below(at as u64 + 1) as usize);
            }
            for &at in &order {
                let (forms, lanes) = self.text(at, &mut random);
                self.learn(&forms, &lanes);
            }
        }
    }

    /// A text of one sentence or two, in one of the ways of writing.
    fn text(&self, at: usize, random: &mut Random) -> (Vec<usize>, Vec<usize>) {
        let roll = random.below(100);
        let case = if roll < self.options.lower_percent {
            1
        } else {
            2 * usize::from(roll < self.options.lower_percent + self.options.upper_percent)
        };
        let joined = at > 0 && random.below(100) < self.options.join_percent;
        let (mut forms, mut lanes) = (Vec::new(), Vec::new());
        for example in &self.examples[at - usize::from(joined)..=at] {
            forms.extend_from_slice(&example.forms[case]);
            lanes.extend_from_slice(&example.lanes);
        }
        forms[0] = self.examples[at - usize::from(joined)].first[case];
        (forms, lanes)
    }

    fn learn(&mut self, forms: &[usize], lanes: &[usize]) {
        let mut transition = 0;
        let mut active = Vec::new();
        for (at, &gold) in lanes.iter().enumerate() {
            active.clear();
            active.extend_from_slice(&self.forms[forms[at]][OWN]);
            match at.checked_sub(1) {
                Some(before) => active.extend_from_slice(&self.forms[forms[before]][super::LEFT]),
                None => active.push(self.boundary[0]),
            }
            match forms.get(at + 1) {
                Some(after) => active.extend_from_slice(&self.forms[*after][RIGHT]),
                None => active.push(self.boundary[1]),
            }
            active.extend_from_slice(&self.transitions[transition]);
            let mut sums = self.sums(&active);
            let guess = greatest(&sums);
            sums[gold] -= self.options.margin;
            let rival = greatest(&sums);
            if rival != gold {
                self.change(&active, gold, 1);
                self.change(&active, rival, -1);
            }
            self.steps += 1;
            transition = Model::next_transition(transition, guess);
        }
    }

    fn sums(&self, active: &[usize]) -> [i32; LANES] {
        let mut sums = [0; LANES];
        for at in active {
            let row = &self.weights[*at].now;
            for lane in 0..LANES {
                sums[lane] += row[lane];
            }
        }
        sums
    }

    fn change(&mut self, active: &[usize], lane: usize, by: i32) {
        for at in active.iter().filter(|at| **at != 0) {
            self.weights[*at].now[lane] += by;
            self.weights[*at].dated[lane] += i64::from(by) * self.steps;
        }
    }

    /// Averages the weights and rounds them to bytes.
    fn model(mut self) -> Model {
        self.weights.remove(0);
        self.weights.sort_unstable_by_key(|weights| weights.feature);
        let averages: Vec<[f64; LANES]> = self
            .weights
            .iter()
            .map(|weights| std::array::from_fn(|lane| weights.average(lane, self.steps)))
            .collect();
        let mut sizes: Vec<f64> = averages
            .iter()
            .flatten()
            .map(|weight| weight.abs())
            .collect();
        sizes.sort_by(f64::total_cmp);
        // The few greatest weights are cut, so that the others keep more of their bits.
        let cut = (sizes.len() - sizes.len() / 5000).saturating_sub(1);
        let greatest = sizes.get(cut).copied().unwrap_or(1.0);
        let scale = 127.0 / greatest.max(f64::MIN_POSITIVE);
        let mut features = Vec::new();
        let mut rows = Vec::new();
        for (weights, average) in self.weights.iter().zip(&averages) {
            let row: [i8; LANES] = average.map(|weight| {
                let rounded = (weight * scale).round().clamp(-127.0, 127.0) as i8;
                if rounded.abs() < self.options.smallest_weight {
                    0
                } else {
                    rounded
                }
            });
            if row != [0; LANES] {
                features.push(weights.feature);
                rows.push(row);
            }
        }
        Model::new(features, &rows)
    }
}

/// Lane of the greatest score, the first of equals.
fn greatest(sums: &[i32; LANES]) -> usize {
    (0..LANES).rev().max_by_key(|lane| sums[*lane]).unwrap_or(0)
}

/// Gives forms and features their numbers.
#[derive(Default)]
struct Interner {
    form_numbers: HashMap<(String, bool), usize>,
    forms: Vec<[Vec<usize>; PLACES]>,
    feature_numbers: HashMap<u32, usize>,
    weights: Vec<Weights>,
    buffer: String,
}

impl Interner {
    fn form(&mut self, word: &str, first: bool) -> usize {
        let number = match self.form_numbers.get(&(word.to_owned(), first)) {
            Some(number) => *number,
            None => {
                let mut features: [Vec<u32>; PLACES] = Default::default();
                word_features(word, first, &mut self.buffer, &mut |place, feature| {
                    features[place].push(feature);
                });
                let numbers = features.map(|all| all.into_iter().map(|f| self.number(f)).collect());
                self.forms.push(numbers);
                let number = self.forms.len() - 1;
                self.form_numbers.insert((word.to_owned(), first), number);
                number
            }
        };
        for feature in self.forms[number].iter().flatten() {
            self.weights[*feature].count += 1;
        }
        number
    }

    fn number(&mut self, feature: u32) -> usize {
        if self.weights.is_empty() {
            self.weights.push(Weights::default());
        }
        *self.feature_numbers.entry(feature).or_insert_with(|| {
            self.weights.push(Weights {
                feature,
                ..Weights::default()
            });
            self.weights.len() - 1
        })
    }

    fn feature(&mut self, feature: u32, count: u32) -> usize {
        let number = self.number(feature);
        self.weights[number].count = count;
        number
    }
}

/// Xorshift numbers, shuffled by a multiplication.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(number) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::terms::tagger::treebank::{EXAMPLE, read_treebank};

    #[test]
    fn training_learns_and_repeats_itself() {
        let sentences = read_treebank(&EXAMPLE.repeat(3), "en");
        let bytes = train(&sentences, &TrainOptions::default()).to_bytes();
        assert_eq!(
            bytes,
            train(&sentences, &TrainOptions::default()).to_bytes()
        );
        let tagger = Tagger::new(Model::from_bytes(&bytes).expect("a model"));
        let score = accuracy(&tagger, &sentences);
        assert_eq!((score.tags, score.groups), (1.0, 1.0));
        let nothing = accuracy(&Tagger::new(train(&[], &TrainOptions::default())), &[]);
        assert_eq!(nothing.words, 0);
    }
}
