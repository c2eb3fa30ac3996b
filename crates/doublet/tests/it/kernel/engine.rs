//! A small engine that runs the kernels as a cluster would: rows are dealt out among tasks at random, shuffled and sorted in between.

use std::collections::{BTreeMap, BTreeSet};

use doublet::batch::JoinOptions;
use doublet::cluster::ClusterOptions;
use doublet::kernel::Kernel;
use doublet::kernel::cluster::{Component, Member};
use doublet::kernel::components::Forest;
use doublet::kernel::learn::Learner;
use doublet::kernel::meet::{BOTH, Meet, MeetRow, Met, MetKind, SentenceRow};
use doublet::kernel::prepare::{PrepareScratch, TextKeys};
use doublet::kernel::survey::{Survey, Surveyed};
use doublet::kernel::verify::{Chunk, TextSums, scores_of_copy, scores_of_sums};
use doublet::matches::Rank;
use doublet::scores::Scores;

/// Texts of a key past which it is cut into blocks, and into how many buckets of texts.
const LIMIT: usize = 3;
const BUCKETS: u64 = 3;

/// A cluster of a few tasks; the seed decides who gets what, and what texts are called.
pub(crate) struct Engine<'a> {
    pub(crate) kernel: Kernel,
    texts: &'a [String],
    seed: u64,
    tasks: u64,
    prepared: Vec<TextKeys>,
    /// The first copy of each text.
    firsts: Vec<usize>,
    boilerplate: BTreeMap<usize, u64>,
}

/// A number that looks random.
fn mix(mut number: u64) -> u64 {
    number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// Two texts by number, with their scores.
pub(crate) type Pair = (usize, usize, Scores);

impl<'a> Engine<'a> {
    /// Learns what there is to learn of the texts, and prepares them.
    pub(crate) fn new(
        texts: &'a [String],
        options: &JoinOptions,
        cluster: &ClusterOptions,
        (seed, tasks): (u64, u64),
    ) -> Self {
        let kernel = Kernel::new(options.matching.clone(), cluster.clone()).unwrap();
        Self::of_kernel(texts, kernel, (seed, tasks))
    }

    /// The same with a kernel of its own.
    pub(crate) fn of_kernel(
        texts: &'a [String],
        kernel: Kernel,
        (seed, tasks): (u64, u64),
    ) -> Self {
        let mut engine = Self {
            kernel,
            texts,
            seed,
            tasks,
            prepared: Vec::new(),
            firsts: Vec::new(),
            boilerplate: BTreeMap::new(),
        };
        while engine.kernel.survey_kind().is_some() {
            let model = engine.learn();
            engine.kernel = Kernel::of_model(&model).unwrap();
        }
        engine.kernel = Kernel::of_model(&engine.kernel.model().unwrap()).unwrap();
        engine.prepare();
        engine
    }

    fn doc(&self, text: usize) -> i64 {
        mix(text as u64 ^ self.seed.rotate_left(32)) as i64
    }

    fn text(&self, doc: i64) -> usize {
        (0..self.texts.len())
            .find(|&text| self.doc(text) == doc)
            .unwrap()
    }

    /// Deals rows out among tasks, and each task's in an order of its own.
    fn deal<T>(&self, rows: Vec<T>, salt: u64) -> Vec<Vec<T>> {
        let mut tasks: Vec<Vec<(u64, T)>> = (0..self.tasks).map(|_| Vec::new()).collect();
        for (place, row) in (0..).zip(rows) {
            let number = mix(self.seed ^ mix(salt ^ place));
            tasks[(number % self.tasks) as usize].push((number, row));
        }
        tasks
            .into_iter()
            .map(|mut task| {
                task.sort_by_key(|(number, _)| *number);
                task.into_iter().map(|(_, row)| row).collect()
            })
            .collect()
    }

    fn learn(&self) -> Vec<u8> {
        let bytes: usize = self.texts.iter().map(String::len).sum();
        let every = self
            .kernel
            .sample_every(self.texts.len() as u64, bytes as u64);
        let sampled = |text: &usize| (self.doc(*text) as u64).is_multiple_of(every);
        let texts: Vec<usize> = (0..self.texts.len()).filter(sampled).collect();
        let mut found = Surveyed::default();
        for task in self.deal(texts, 1) {
            let mut survey = Survey::new(&self.kernel);
            for text in task {
                survey.add(&self.texts[text], &mut found);
            }
            survey.finish(&mut found);
        }
        let mut learner = Learner::default();
        for part in self.deal(found.parts, 2).into_iter().flatten() {
            learner.add_part(&self.kernel, &part).unwrap();
        }
        let mut sums: BTreeMap<(String, i32), (u64, u64)> = BTreeMap::new();
        for row in found.counts {
            let sum = sums.entry((row.form, row.group)).or_default();
            sum.0 += row.occurrences;
            sum.1 += row.texts;
        }
        for ((form, group), (occurrences, texts)) in
            self.deal(sums.into_iter().collect(), 3).concat()
        {
            learner.add_count(&form, group, occurrences, texts).unwrap();
        }
        learner
            .finish(&self.kernel, self.texts.len() as u64)
            .unwrap()
    }

    fn prepare(&mut self) {
        self.prepared = vec![TextKeys::default(); self.texts.len()];
        for task in self.deal((0..self.texts.len()).collect(), 4) {
            let mut scratch = PrepareScratch::default();
            let mut found = TextKeys::default();
            for text in task {
                self.kernel
                    .prepare(&self.texts[text], &mut scratch, &mut found)
                    .unwrap();
                self.prepared[text].clone_from(&found);
            }
        }
        let mut firsts = BTreeMap::new();
        for (text, found) in self.prepared.iter().enumerate() {
            let first = match found.tokens {
                0 => text,
                _ => *firsts.entry(found.identity).or_insert(text),
            };
            self.firsts.push(first);
        }
    }

    /// The keys of the first of each group of copies; sentences of all texts, for copies have the same words, but not always the same
    /// sentences.
    fn rows(&self) -> Vec<MeetRow> {
        let mut rows = Vec::new();
        for (text, found) in self.prepared.iter().enumerate() {
            if self.firsts[text] != text && !self.kernel.has_sentences() {
                continue;
            }
            let row = MeetRow {
                side: BOTH,
                doc: self.doc(text),
                traits: found.traits,
                ..MeetRow::default()
            };
            rows.extend(found.keys.iter().enumerate().map(|(place, &key)| MeetRow {
                key,
                probe: place < found.probes,
                ..row
            }));
            rows.extend(found.sentences.iter().map(|sentence| MeetRow {
                key: (sentence.key >> 64) as u64,
                sentence: SentenceRow {
                    rest: sentence.key as u64,
                    words: sentence.words,
                    occurrences: sentence.occurrences,
                },
                ..row
            }));
        }
        rows
    }

    /// Cuts keys of many texts into blocks.
    fn blocks(&self, rows: Vec<MeetRow>) -> Vec<MeetRow> {
        if self.kernel.has_sentences() {
            return rows;
        }
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for row in &rows {
            *counts.entry(row.key).or_default() += 1;
        }
        let mut cut = Vec::new();
        for row in rows {
            if counts[&row.key] <= LIMIT {
                cut.push(row);
                continue;
            }
            let bucket = mix(row.doc as u64) % BUCKETS;
            for other in 0..BUCKETS {
                let (low, high) = (bucket.min(other), bucket.max(other));
                let side = match low == high {
                    true => BOTH,
                    false => u8::from(bucket == high),
                };
                let block = (1 + low * BUCKETS + high) as i32;
                cut.push(MeetRow { block, side, ..row });
            }
        }
        cut
    }

    /// The meetings, added up.
    pub(crate) fn meet(&self) -> Vec<Met> {
        let mut tasks: Vec<Vec<MeetRow>> = (0..self.tasks).map(|_| Vec::new()).collect();
        for row in self.deal(self.blocks(self.rows()), 5).concat() {
            let block = if self.kernel.has_sentences() {
                0
            } else {
                row.block
            };
            let task = mix(row.key ^ mix(block as u64)) % self.tasks;
            tasks[task as usize].push(row);
        }
        let mut sums: BTreeMap<(MetKind, i64, i64), Met> = BTreeMap::new();
        for mut task in tasks {
            task.sort_by_key(|row| (row.key, row.block));
            let mut meet = Meet::new(&self.kernel).unwrap();
            let (mut found, mut out) = (Vec::new(), Vec::new());
            for row in &task {
                while !meet.push(row, &mut out) {
                    found.append(&mut out);
                }
            }
            while !meet.finish(&mut out) {
                found.append(&mut out);
            }
            found.append(&mut out);
            for row in found {
                let sum = sums.entry((row.kind, row.a, row.b)).or_insert(Met {
                    count: 0,
                    words: (0, 0),
                    ..row
                });
                assert_eq!(sum.least, row.least);
                sum.count += row.count;
                sum.words.0 += row.words.0;
                sum.words.1 += row.words.1;
            }
        }
        sums.into_values().collect()
    }

    /// All matches between texts that are no copies of one another, the first copy of each standing for the others.
    pub(crate) fn matches(&mut self) -> Vec<Pair> {
        let met = self.meet();
        let of_kind = |kind| met.iter().filter(move |row| row.kind == kind);
        for row in of_kind(MetKind::Words) {
            self.boilerplate.insert(self.text(row.a), row.words.0);
        }
        let keys = of_kind(MetKind::Boilerplate);
        let keys: Vec<u128> = keys
            .map(|row| u128::from(row.a as u64) << 64 | u128::from(row.b as u64))
            .collect();
        let is_first = |doc: i64| self.firsts[self.text(doc)] == self.text(doc);
        let pairs = of_kind(MetKind::Pair);
        let pairs: Vec<&Met> = pairs
            .filter(|row| is_first(row.a) && is_first(row.b))
            .collect();
        if self.kernel.has_sentences() {
            let model = self.kernel.with_boilerplate(keys).unwrap();
            self.kernel = Kernel::of_model(&model).unwrap();
            let decided: Vec<Pair> = pairs.into_iter().map(|row| self.decide(row)).collect();
            let pairs = decided.iter().map(|&(a, b, _)| (a, b)).collect();
            // Another look at the texts comes to the same.
            assert_eq!(sorted(self.verify(pairs)), sorted(decided.clone()));
            let is_match = |(_, _, scores): &Pair| self.kernel.is_match(scores);
            return sorted(decided.into_iter().filter(is_match).collect());
        }
        let enough = pairs.into_iter().filter(|row| row.count >= row.least);
        let candidates: BTreeSet<(usize, usize)> = enough
            .map(|row| {
                let (a, b) = (self.text(row.a), self.text(row.b));
                assert!(self.kernel.is_one_sided() || row.a < row.b);
                (a.min(b), a.max(b))
            })
            .collect();
        let mut found = self.verify(candidates.into_iter().collect());
        found.retain(|(_, _, scores)| self.kernel.is_match(scores));
        sorted(found)
    }

    fn sums(&self, text: usize, covered: u64) -> TextSums {
        TextSums {
            covered,
            distinct: self.prepared[text].distinct,
            tokens: self.prepared[text].tokens,
            boilerplate: self.boilerplate.get(&text).copied().unwrap_or(0),
        }
    }

    fn decide(&self, row: &Met) -> Pair {
        let (a, b) = (self.text(row.a), self.text(row.b));
        let (x, y) = (self.sums(a, row.words.0), self.sums(b, row.words.1));
        let scores = scores_of_sums(u64::from(row.count), &x, &y);
        match a < b {
            true => (a, b, scores),
            false => (b, a, scores.swapped()),
        }
    }

    fn verify(&self, pairs: Vec<(usize, usize)>) -> Vec<Pair> {
        let mut found = Vec::new();
        for task in self.deal(pairs, 6) {
            let mut chunk = Chunk::new(&self.kernel);
            // Chunks of a few pairs, whose texts come in first.
            for pairs in task.chunks(4) {
                chunk.clear();
                for &text in pairs.iter().flat_map(|(a, b)| [b, a]) {
                    chunk.add(self.doc(text), &self.texts[text]).unwrap();
                }
                for &(a, b) in pairs {
                    let scores = chunk.compare(self.doc(a), self.doc(b));
                    found.push((a, b, scores.unwrap()));
                }
            }
        }
        found
    }

    /// All matches, those of copies included.
    pub(crate) fn all_pairs(&self, matches: &[Pair]) -> Vec<Pair> {
        let group = |first: usize| {
            let texts = 0..self.texts.len();
            texts.filter(move |&text| self.firsts[text] == first)
        };
        let mut all = Vec::new();
        for &(a, b, scores) in matches {
            for x in group(a) {
                all.extend(group(b).map(|y| match x < y {
                    true => (x, y, scores),
                    false => (y, x, scores.swapped()),
                }));
            }
        }
        for first in (0..self.texts.len()).filter(|&text| self.prepared[text].tokens > 0) {
            let copies: Vec<usize> = group(first).collect();
            for (place, &x) in copies.iter().enumerate() {
                let scores = scores_of_copy(&self.sums(x, 0), self.prepared[x].weight);
                all.extend(copies[place + 1..].iter().map(|&y| (x, y, scores)));
            }
        }
        sorted(all)
    }

    /// The clusters: of each the representative, and all texts.
    pub(crate) fn clusters(
        &self,
        matches: &[Pair],
        ranks: &[Option<Rank>],
    ) -> Vec<(usize, Vec<usize>)> {
        let copies = self.firsts.iter().enumerate();
        let copies = copies.map(|(text, &first)| (self.doc(first), self.doc(text)));
        let edges = matches.iter().map(|&(a, b, _)| (self.doc(a), self.doc(b)));
        let roots = self.components(copies.chain(edges).collect());
        let mut rows: BTreeMap<i64, (Vec<usize>, Vec<Pair>)> = BTreeMap::new();
        for text in 0..self.texts.len() {
            if let Some(root) = roots.get(&self.doc(text)) {
                rows.entry(*root).or_default().0.push(text);
            }
        }
        for pair in self.deal(matches.to_vec(), 7).concat() {
            rows.get_mut(&roots[&self.doc(pair.0)])
                .unwrap()
                .1
                .push(pair);
        }
        let metric = self.kernel.options().metric;
        let mut members: Vec<Member> = Vec::new();
        for (texts, pairs) in rows.into_values() {
            let mut component = Component::default();
            for text in texts {
                let first = self.doc(self.firsts[text]);
                component.add_text(self.doc(text), first, ranks[text].clone());
            }
            for (a, b, scores) in pairs {
                let score = scores.score(metric);
                component
                    .add_match((self.doc(a), self.doc(b)), score, scores)
                    .unwrap();
            }
            component.clusters(&self.kernel, &mut members).unwrap();
        }
        let mut clusters: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
        for member in members {
            let first = self.text(member.cluster);
            let empty = || (self.text(member.representative), Vec::new());
            let cluster = clusters.entry(first).or_insert_with(empty);
            assert_eq!(cluster.1.len(), member.place as usize);
            cluster.1.push(self.text(member.doc));
        }
        clusters.into_values().collect()
    }

    /// The root of every text that is connected with another: contracted task by task, then all at once.
    fn components(&self, edges: Vec<(i64, i64)>) -> BTreeMap<i64, i64> {
        let mut whole = Forest::default();
        for task in self.deal(edges, 8) {
            let mut forest = Forest::default();
            task.iter().for_each(|&(a, b)| forest.add(a, b));
            let found = forest.take();
            found
                .into_iter()
                .for_each(|(doc, root)| whole.add(root, doc));
        }
        whole.take().into_iter().collect()
    }
}

fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_by_key(|&(a, b, _)| (a, b));
    pairs
}
