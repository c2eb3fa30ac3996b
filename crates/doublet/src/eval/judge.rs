//! The truth laid over the records of a run: which pairs are judged, which of them are duplicates, and two halves of it all.
//!
//! Either the labelled pairs alone are judged, or all pairs among some texts, of which those that are not said to be duplicates
//! are different. Settings are chosen on one half and scored on the other. Where all pairs are judged, texts that hang
//! together by the truth stay in one half, and pairs across the halves are in neither.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use serde::Serialize;

use super::tally::Found;
use super::truth::{Id, LabelledPair, Labels, Membership, Truth};
use crate::document::DocId;
use crate::error::{Error, Result, clip};
use crate::matches::{Documents, Match, Source};
use crate::report::pairs::plain_key;
use crate::union_find::UnionFind;

/// Stands for no component: a text that is not judged.
pub(super) const NONE: u32 = u32::MAX;
/// The most pairs of a complete join that another is judged by.
const MOST_PAIRS: u64 = 50_000_000;

/// What counts for pairs that the truth does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlabelled {
    /// They are not judged.
    Ignore,
    /// They are different texts.
    Different,
}

/// How the truth is taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgeOptions {
    /// What counts for pairs that the truth does not name. By default they are ignored where the truth names different texts
    /// too, or clusters; where it names duplicates alone, they are different.
    pub unlabelled: Option<Unlabelled>,
    /// An unknown id is an error.
    pub strict: bool,
    /// Only pairs of a text and a reference are looked for.
    pub across_only: bool,
    /// Where the random numbers begin that make the halves and the intervals.
    pub seed: u64,
}

/// One half of the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The one that settings are chosen on.
    Chosen,
    /// The one that they are scored on.
    HeldOut,
}

impl Half {
    pub(super) fn alternating(at: usize) -> Self {
        if at.is_multiple_of(2) {
            Self::Chosen
        } else {
            Self::HeldOut
        }
    }
}

/// A pair that is known to be a duplicate, or not to be one; `a` is the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedPair {
    /// The text that stands first.
    pub a: DocId,
    /// The other.
    pub b: DocId,
    /// Whether they are duplicates.
    pub duplicate: bool,
    /// Where the truth says so; 0 where no file does.
    pub line: u64,
    /// The half it is in.
    pub half: Half,
}

/// What is judged.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// These pairs, in the order of the truth.
    Pairs(Vec<JudgedPair>),
    /// All pairs among some texts.
    All(Components),
}

/// Texts by what hangs together.
#[derive(Clone, Debug)]
pub(super) struct Components {
    /// The component of each text.
    pub(super) of: Vec<u32>,
    /// The half of each component.
    pub(super) halves: Vec<Half>,
    pub(super) duplicates: Duplicates,
}

/// The pairs that are duplicates.
#[derive(Clone, Debug)]
pub(super) enum Duplicates {
    /// These.
    Pairs(Vec<JudgedPair>),
    /// All of one component.
    Clusters,
}

/// Figures of the truth, as it was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// What the rows are: pairs, clusters, targets.
    pub kind: &'static str,
    /// Rows that say something of their own.
    pub rows: u64,
    /// Rows left out because they say the same as another.
    pub repeated: u64,
    /// Rows left out because their label says that it is unsure.
    pub unsure: u64,
    /// Rows left out because they pair a text with itself.
    pub with_itself: u64,
    /// Rows left out because an id of theirs is not in the input.
    pub unknown: u64,
    /// The first such id, and its line.
    #[serde(skip)]
    pub first_unknown: Option<(String, u64)>,
    /// Rows left out because pairs within the input are not looked for beside references.
    pub not_looked_for: u64,
    /// Texts among which pairs are judged; those of the labelled pairs.
    pub documents: u64,
    /// Pairs, or copied texts, that are duplicates.
    pub duplicates: u64,
    /// Pairs, or texts, that are known to be none; `None`: all others.
    pub different: Option<u64>,
}

/// The truth, ready to judge by.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(super) known: Known,
    pub(super) seed: u64,
    facts: Facts,
}

impl Judge {
    /// Lays labelled pairs or clusters over the records of a run.
    ///
    /// # Errors
    /// When the truth tells of targets, no row of it is about two texts of the input, it knows no duplicate, or `strict` is set
    /// and it has an unknown id.
    pub fn new(
        truth: &Truth,
        documents: &Documents,
        source: &Source,
        options: JudgeOptions,
    ) -> Result<Self> {
        let mut laying = Laying {
            truth,
            documents,
            source,
            options,
            places: Places::find(&truth.ids, documents, source),
            facts: Facts {
                kind: truth.kind(),
                rows: truth.rows() as u64,
                repeated: truth.repeated,
                unsure: truth.unsure,
                ..Facts::default()
            },
        };
        let known = match &truth.labels {
            Labels::Pairs(pairs) => laying.pairs(pairs)?,
            Labels::Clusters(members) => laying.clusters(members)?,
            Labels::Targets(_) => {
                return Err(laying.bad("it tells of texts and their sources, not of pairs"));
            }
        };
        let facts = laying.facts;
        Ok(Self {
            known,
            seed: options.seed,
            facts,
        })
    }

    /// What another run found is the truth: its pairs are the duplicates, all others are different.
    ///
    /// # Errors
    /// When it found too many pairs to keep.
    pub fn of_found(found: &Found<'_>, source: &Source, seed: u64) -> Result<Self> {
        let (documents, count) = (found.documents, found.matches.count());
        if count > MOST_PAIRS {
            return Err(Error::Option {
                option: "baseline",
                value: String::new(),
                expected: format!(
                    "the complete join has {count} pairs; up to {MOST_PAIRS} can be compared with: raise the threshold, or take a part of the input"
                ),
            });
        }
        let mut pairs = Vec::with_capacity(count as usize);
        found.matches.for_each(documents, |pair: Match| {
            pairs.push(judged(pair.a.0, pair.b.0, true, 0));
            Ok::<(), Error>(())
        })?;
        let facts = Facts {
            kind: "baseline",
            rows: count,
            duplicates: count,
            documents: documents.len() as u64,
            ..Facts::default()
        };
        let components = Components::of_pairs(pairs, documents, source, seed);
        Ok(Self {
            known: Known::All(components),
            seed,
            facts,
        })
    }

    /// Figures of the truth, as it was taken.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether the labelled pairs alone are judged.
    pub fn is_labelled_only(&self) -> bool {
        matches!(self.known, Known::Pairs(_))
    }

    /// The labelled pairs, where they alone are judged.
    pub fn labelled_pairs(&self) -> Option<&[JudgedPair]> {
        match &self.known {
            Known::Pairs(pairs) => Some(pairs),
            Known::All(_) => None,
        }
    }
}

fn judged(x: u32, y: u32, duplicate: bool, line: u64) -> JudgedPair {
    JudgedPair {
        a: DocId(x.min(y)),
        b: DocId(x.max(y)),
        duplicate,
        line,
        half: Half::Chosen,
    }
}

/// Where the ids of a truth stand among the records.
pub(super) struct Places {
    input: Vec<Option<u32>>,
    references: Vec<Option<u32>>,
}

impl Places {
    /// Looks the ids up, by their content; where a string and a number look the same, the one that is written as in the truth.
    pub(super) fn find(ids: &[Id], documents: &Documents, source: &Source) -> Self {
        let mut by_text: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, id) in (0..).zip(ids) {
            by_text.entry(&id.text).or_default().push(number);
        }
        let mut places = Self {
            input: vec![None; ids.len()],
            references: vec![None; ids.len()],
        };
        for text in 0..documents.len() as u32 {
            let key = documents.key(DocId(text), source);
            let Some(numbers) = by_text.get(plain_key(&key).as_str()) else {
                continue;
            };
            let side = match text < documents.references() {
                true => &mut places.input,
                false => &mut places.references,
            };
            for &number in numbers {
                let json = ids[number as usize].json.as_deref();
                let place = &mut side[number as usize];
                if place.is_none() || json == Some(key.as_json()) {
                    *place = Some(text);
                }
            }
        }
        places
    }

    /// The record of the input, or else the reference.
    pub(super) fn any(&self, id: u32) -> Option<u32> {
        self.in_input(id).or(self.in_references(id))
    }

    pub(super) fn in_input(&self, id: u32) -> Option<u32> {
        self.input[id as usize]
    }

    pub(super) fn in_references(&self, id: u32) -> Option<u32> {
        self.references[id as usize]
    }

    /// The records of a pair, across if that can be. A reference may have the id of a text.
    pub(super) fn pair(&self, a: u32, b: u32) -> Option<(u32, u32)> {
        let across = |x: u32, y: u32| Some((self.in_input(x)?, self.in_references(y)?));
        let any = || Some((self.any(a)?, self.any(b)?));
        across(a, b).or_else(|| across(b, a)).or_else(any)
    }
}

/// A truth that is being laid over a run.
struct Laying<'a> {
    truth: &'a Truth,
    documents: &'a Documents,
    source: &'a Source,
    options: JudgeOptions,
    places: Places,
    facts: Facts,
}

impl Laying<'_> {
    fn bad(&self, reason: &str) -> Error {
        Error::BadFile {
            path: self.truth.path.clone(),
            reason: reason.to_owned(),
        }
    }

    /// A row with an id that no record has.
    fn unknown(&mut self, ids: &[u32], line: u64) -> Result<()> {
        let unknown = ids.iter().find(|&&id| self.places.any(id).is_none());
        let text = unknown.map_or("", |&id| &self.truth.ids[id as usize].text);
        if self.options.strict {
            return Err(self.bad(&format!(
                "line {line}: no record has the id `{}` (`--strict` stops at the first)",
                clip(text)
            )));
        }
        self.facts.unknown += 1;
        let first = &mut self.facts.first_unknown;
        first.get_or_insert_with(|| (text.to_owned(), line));
        Ok(())
    }

    fn nothing_left(&self) -> Error {
        if self.facts.not_looked_for > 0 {
            return self.bad(
                "all rows are about pairs within the input or within the references, and with `--against` only pairs of a text and a reference are looked for: leave out `--against`",
            );
        }
        let example = match &self.facts.first_unknown {
            Some((id, line)) => format!(" (line {line} has `{}`)", clip(id)),
            None => String::new(),
        };
        self.bad(&format!(
            "no row is about texts of the input{example}: are ids in another field (`--id-field`), or is it the truth of another collection?"
        ))
    }

    fn pairs(&mut self, rows: &[LabelledPair]) -> Result<Known> {
        let mut pairs: Vec<JudgedPair> = Vec::with_capacity(rows.len());
        // Two ids of the file may be one record: `1` and `"1"`.
        let mut told: HashMap<(DocId, DocId), usize> = HashMap::new();
        for row in rows {
            let Some((a, b)) = self.places.pair(row.a, row.b) else {
                self.unknown(&[row.a, row.b], row.line)?;
                continue;
            };
            if a == b {
                self.facts.with_itself += 1;
                continue;
            }
            let is_reference = |text: u32| text >= self.documents.references();
            let across = is_reference(a) != is_reference(b);
            let within_references = is_reference(a) && is_reference(b);
            if within_references || self.options.across_only && !across {
                self.facts.not_looked_for += 1;
                continue;
            }
            let pair = judged(a, b, row.duplicate, row.line);
            let first = *told.entry((pair.a, pair.b)).or_insert(pairs.len());
            match pairs.get(first) {
                None => pairs.push(pair),
                Some(other) if other.duplicate == pair.duplicate => self.facts.repeated += 1,
                Some(other) => {
                    let (line, other) = (pair.line, other.line);
                    return Err(self.bad(&format!(
                        "line {line}: the label of these two texts is another on line {other}: keep one of the two rows"
                    )));
                }
            }
        }
        if pairs.is_empty() {
            return Err(self.nothing_left());
        }
        let duplicates = pairs.iter().filter(|pair| pair.duplicate).count();
        if duplicates == 0 {
            return Err(self.bad(
                "it knows no duplicate, so there is no recall to measure: label some pairs 1, or say which labels mean a duplicate by `--positive`",
            ));
        }
        self.facts.duplicates = duplicates as u64;
        let by_default = match duplicates == pairs.len() && !self.truth.is_sample {
            true => Unlabelled::Different,
            false => Unlabelled::Ignore,
        };
        match self.options.unlabelled.unwrap_or(by_default) {
            Unlabelled::Ignore => {
                self.facts.different = Some((pairs.len() - duplicates) as u64);
                let texts = pairs.iter().flat_map(|pair| [pair.a.0, pair.b.0]);
                self.facts.documents = distinct(texts.collect());
                self.halve(&mut pairs);
                Ok(Known::Pairs(pairs))
            }
            Unlabelled::Different => {
                pairs.retain(|pair| pair.duplicate);
                self.facts.documents = self.documents.len() as u64;
                let seed = self.options.seed;
                let all = Components::of_pairs(pairs, self.documents, self.source, seed);
                Ok(Known::All(all))
            }
        }
    }

    /// Puts every other pair of each label into the other half.
    fn halve(&self, pairs: &mut [JudgedPair]) {
        let hash = |text: DocId| hash(text, self.documents, self.source, self.options.seed);
        let key = |pair: &JudgedPair| (pair.duplicate, hash(pair.a) ^ hash(pair.b).rotate_left(1));
        let mut order: Vec<((bool, u64), usize)> = pairs.iter().map(key).zip(0..).collect();
        order.sort_unstable();
        for (at, (_, pair)) in order.into_iter().enumerate() {
            pairs[pair].half = Half::alternating(at);
        }
    }

    fn clusters(&mut self, rows: &[Membership]) -> Result<Known> {
        if self.documents.references() < self.documents.len() as u32 {
            return Err(self.bad(
                "a truth of clusters goes without `--against`, beside which only pairs with a reference are looked for: give pairs, or targets and sources",
            ));
        }
        let mut of = vec![NONE; self.documents.len()];
        let mut sizes: Vec<u64> = Vec::new();
        for row in rows {
            let Some(text) = self.places.any(row.id) else {
                self.unknown(&[row.id], row.line)?;
                continue;
            };
            match of[text as usize] {
                NONE => of[text as usize] = row.cluster,
                same if same == row.cluster => {
                    self.facts.repeated += 1;
                    continue;
                }
                _ => {
                    let reason = "this text is in another cluster above, by an id written otherwise: keep one of the two rows";
                    return Err(self.bad(&format!("line {}: {reason}", row.line)));
                }
            }
            let cluster = row.cluster as usize;
            sizes.resize(sizes.len().max(cluster + 1), 0);
            sizes[cluster] += 1;
        }
        self.facts.documents = sizes.iter().sum();
        if self.facts.documents == 0 {
            return Err(self.nothing_left());
        }
        self.facts.duplicates = sizes
            .iter()
            .map(|size| size * size.saturating_sub(1) / 2)
            .sum();
        if self.facts.duplicates == 0 {
            return Err(
                self.bad("no cluster has two texts of the input, so there is no recall to measure")
            );
        }
        if self.options.unlabelled == Some(Unlabelled::Different) {
            self.facts.documents = self.documents.len() as u64;
            let next = (sizes.len() as u32)..;
            let unlisted = of.iter_mut().filter(|cluster| **cluster == NONE);
            for (cluster, next) in unlisted.zip(next) {
                *cluster = next;
            }
        }
        let seed = self.options.seed;
        let all = Components::new(of, Duplicates::Clusters, self.documents, self.source, seed);
        Ok(Known::All(all))
    }
}

/// How many different numbers there are.
fn distinct(mut numbers: Vec<u32>) -> u64 {
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() as u64
}

fn hash(text: DocId, documents: &Documents, source: &Source, seed: u64) -> u64 {
    xxh3_64_with_seed(documents.key(text, source).as_json().as_bytes(), seed)
}

impl Components {
    fn of_pairs(pairs: Vec<JudgedPair>, documents: &Documents, source: &Source, seed: u64) -> Self {
        let mut sets = UnionFind::new(documents.len());
        for pair in &pairs {
            sets.union(pair.a.0, pair.b.0);
        }
        let texts = 0..documents.len() as u32;
        let of = texts.map(|text| sets.find(text)).collect();
        Self::new(of, Duplicates::Pairs(pairs), documents, source, seed)
    }

    /// Numbers the components anew, by their first texts, and puts every other one into the other half, large ones first.
    fn new(
        mut of: Vec<u32>,
        mut duplicates: Duplicates,
        documents: &Documents,
        source: &Source,
        seed: u64,
    ) -> Self {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut components: Vec<(std::cmp::Reverse<u64>, u64, usize)> = Vec::new();
        for (text, component) in (0..).zip(&mut of) {
            if *component == NONE {
                continue;
            }
            let next = components.len() as u32;
            *component = *numbers.entry(*component).or_insert(next);
            if *component == next {
                let hash = hash(DocId(text), documents, source, seed);
                components.push((std::cmp::Reverse(0), hash, next as usize));
            }
            components[*component as usize].0.0 += 1;
        }
        let mut halves = vec![Half::Chosen; components.len()];
        components.sort_unstable();
        for (at, (_, _, component)) in components.into_iter().enumerate() {
            halves[component] = Half::alternating(at);
        }
        if let Duplicates::Pairs(pairs) = &mut duplicates {
            for pair in pairs {
                pair.half = halves[of[pair.a.index()] as usize];
            }
        }
        Self {
            of,
            halves,
            duplicates,
        }
    }

    /// The component of a text, if it is judged in this half, or at all.
    pub(super) fn judged(&self, text: u32, half: Option<Half>) -> Option<u32> {
        let component = self.of[text as usize];
        let is_judged =
            component != NONE && half.is_none_or(|half| self.halves[component as usize] == half);
        is_judged.then_some(component)
    }
}
