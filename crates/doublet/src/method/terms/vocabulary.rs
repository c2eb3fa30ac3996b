//! The terms of many texts, counted: one [`Vocabulary`] a thread, brought together at the end.
//!
//! A term's counts and its form, unless it is long, stand in the slot of the hash table: one look is one or two cache lines.

use hashbrown::HashTable;

use crate::hash::{finish, hash_bytes};
use crate::segment::terms::Group;

/// How often a term was seen in each group.
pub type Votes = [u64; Group::ALL.len()];

/// Stands for no ballot, and in place of a text for a term that is new.
const NONE: u32 = u32::MAX;
/// In place of a text: none has it yet.
const NO_TEXT: u32 = u32::MAX - 1;
/// Bytes of a form that stand with its counts; longer ones stand apart.
const INLINE: usize = 16;

/// Counts terms, text by text.
#[derive(Debug, Default)]
pub struct Vocabulary {
    table: HashTable<Entry>,
    counted: Counted,
    text: u32,
}

/// Terms with their counts, by number.
#[derive(Debug, Default)]
pub struct Counted {
    entries: Vec<Entry>,
    /// Forms that are too long to stand with their counts.
    long: Vec<u8>,
    /// Votes of the terms that were seen in several groups.
    ballots: Vec<Votes>,
    /// Texts that were begun.
    pub texts: u64,
    /// Terms that were added, each time one was.
    pub tokens: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    hash: u64,
    /// The form, or where it starts among the long ones.
    form: [u8; INLINE],
    length: u32,
    id: u32,
    documents: u32,
    /// The text in which it was seen last.
    last: u32,
    ballot: u32,
    group: Group,
    /// How often it was seen in its first group.
    frequency: u64,
}

impl Entry {
    fn vote(&mut self, ballots: &mut Vec<Votes>, group: Group, votes: u64) {
        if self.group == group {
            self.frequency += votes;
            return;
        }
        if self.ballot == NONE {
            self.ballot = ballots.len() as u32;
            ballots.push(Votes::default());
        }
        ballots[self.ballot as usize][group as usize] += votes;
    }

    fn form<'a>(&'a self, long: &'a [u8]) -> &'a [u8] {
        let length = self.length as usize;
        if length <= INLINE {
            return &self.form[..length];
        }
        let mut start = [0; 8];
        start.copy_from_slice(&self.form[..8]);
        &long[u64::from_le_bytes(start) as usize..][..length]
    }
}

impl Vocabulary {
    /// What follows is the terms of another text.
    pub fn begin_text(&mut self) {
        self.text = (self.text + 1) % NO_TEXT;
        self.counted.texts += 1;
    }

    /// Counts a term of the text at hand, and gives its number and the hash of its form.
    pub fn add(&mut self, form: &str, group: Group) -> (u32, u64) {
        let text = self.text;
        self.counted.tokens += 1;
        let (entry, ballots) = self.entry(form, group);
        if entry.last != text {
            entry.last = text;
            entry.documents += 1;
        }
        entry.vote(ballots, group, 1);
        (entry.id, entry.hash)
    }

    /// Takes in a term that was counted elsewhere: so often in a group, and in so many texts.
    pub(crate) fn add_counted(&mut self, form: &str, group: Group, votes: u64, documents: u64) {
        self.counted.tokens += votes;
        let (entry, ballots) = self.entry(form, group);
        let documents = u32::try_from(documents).unwrap_or(u32::MAX);
        entry.documents = entry.documents.saturating_add(documents);
        entry.vote(ballots, group, votes);
    }

    /// Takes in texts that were counted elsewhere.
    pub(crate) fn add_texts(&mut self, texts: u64) {
        self.counted.texts += texts;
    }

    /// The entry of a term, and the votes of those that have several groups.
    fn entry(&mut self, form: &str, group: Group) -> (&mut Entry, &mut Vec<Votes>) {
        let Counted { long, ballots, .. } = &mut self.counted;
        let bytes = form.as_bytes();
        let (hash, id) = (hash_bytes(bytes), self.table.len() as u32);
        let same = |entry: &Entry| entry.hash == hash && entry.form(long) == bytes;
        let slot = self
            .table
            .entry(finish(hash), same, |entry| finish(entry.hash));
        let slot = slot.or_insert_with(|| Entry {
            hash,
            form: [0; INLINE],
            length: bytes.len() as u32,
            id,
            documents: 0,
            last: NONE,
            ballot: NONE,
            group,
            frequency: 0,
        });
        let entry = slot.into_mut();
        if entry.last == NONE {
            entry.last = NO_TEXT;
            if bytes.len() <= INLINE {
                entry.form[..bytes.len()].copy_from_slice(bytes);
            } else {
                entry.form[..8].copy_from_slice(&(long.len() as u64).to_le_bytes());
                long.extend_from_slice(bytes);
            }
        }
        (entry, ballots)
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let Counted { long, ballots, .. } = &self.counted;
        let entries = self.table.capacity() * (size_of::<Entry>() + 1);
        (entries + long.len() + size_of_val(ballots.as_slice())) as u64
    }

    /// Ends the counting.
    pub fn finish(self) -> Counted {
        let mut counted = self.counted;
        counted.entries = self.table.into_iter().collect();
        counted.entries.sort_unstable_by_key(|entry| entry.id);
        counted
    }
}

impl Counted {
    /// Number of distinct terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The normal form of a term.
    pub fn form(&self, id: u32) -> &str {
        let form = self.entries[id as usize].form(&self.long);
        std::str::from_utf8(form).unwrap_or_default()
    }

    /// Hash of the normal form.
    pub fn hash(&self, id: u32) -> u64 {
        self.entries[id as usize].hash
    }

    /// Texts in which a term stands.
    pub fn documents(&self, id: u32) -> u64 {
        u64::from(self.entries[id as usize].documents)
    }

    /// How often a term was seen in each group.
    pub fn votes(&self, id: u32) -> Votes {
        let entry = &self.entries[id as usize];
        let mut votes = match entry.ballot {
            NONE => Votes::default(),
            ballot => self.ballots[ballot as usize],
        };
        votes[entry.group as usize] = entry.frequency;
        votes
    }

    /// The terms by their normal forms, in the order of bytes.
    pub fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<(u64, u32)> = (0..self.entries.len() as u32)
            .map(|id| (first_bytes(self.form(id)), id))
            .collect();
        order.sort_unstable_by(|x, y| {
            x.0.cmp(&y.0)
                .then_with(|| self.form(x.1).cmp(self.form(y.1)))
        });
        order.into_iter().map(|(_, id)| id).collect()
    }
}

/// The first eight bytes of a form as a number that sorts like them.
fn first_bytes(form: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = form.len().min(8);
    bytes[..length].copy_from_slice(&form.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

/// The group of most votes, and all votes together. Of groups with as many the first counts.
pub fn elect(votes: &Votes) -> (Group, u64) {
    let best = Group::ALL
        .into_iter()
        .rev()
        .max_by_key(|&group| votes[group as usize]);
    (
        best.unwrap_or(Group::Other),
        votes.iter().copied().fold(0, u64::saturating_add),
    )
}

/// Goes through the terms of several vocabularies in the order of their forms. `each` gets a form, its votes, its texts and
/// hash, and its number in each vocabulary that has it, as pairs of vocabulary and number.
pub fn merge(
    parts: &[Counted],
    orders: &[Vec<u32>],
    mut each: impl FnMut(&str, &Votes, u64, u64, &[(usize, u32)]),
) {
    let mut heads: Vec<usize> = vec![0; parts.len()];
    let form_at = |part: usize, head: usize| {
        let id = orders[part].get(head)?;
        Some(parts[part].form(*id))
    };
    let mut found: Vec<(usize, u32)> = Vec::new();
    loop {
        let forms = heads.iter().enumerate();
        let least = forms.filter_map(|(part, &head)| form_at(part, head)).min();
        let Some(form) = least else { break };
        found.clear();
        let (mut votes, mut documents, mut hash) = (Votes::default(), 0, 0);
        for (part, head) in heads.iter_mut().enumerate() {
            if form_at(part, *head) != Some(form) {
                continue;
            }
            let (id, vocabulary) = (orders[part][*head], &parts[part]);
            *head += 1;
            found.push((part, id));
            documents += vocabulary.documents(id);
            hash = vocabulary.hash(id);
            let more = vocabulary.votes(id);
            votes
                .iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
        each(form, &votes, documents, hash, &found);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    type Texts = Vec<Vec<(String, Group)>>;

    fn texts() -> impl Strategy<Value = Texts> {
        let group = prop::sample::select(Group::ALL.to_vec());
        let term = ("[abä]{1,2}|[abä]{14,18}", group);
        prop::collection::vec(prop::collection::vec(term, 0..8), 0..20)
    }

    proptest! {
        #[test]
        fn counts_are_those_of_plain_maps(texts in texts(), threads in 1usize..4) {
            let mut parts: Vec<Vocabulary> = (0..threads).map(|_| Vocabulary::default()).collect();
            let mut votes: BTreeMap<String, Votes> = BTreeMap::new();
            let mut documents: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
            for (number, text) in texts.iter().enumerate() {
                let part = &mut parts[number % threads];
                part.begin_text();
                for (form, group) in text {
                    part.add(form, *group);
                    votes.entry(form.clone()).or_default()[*group as usize] += 1;
                    documents.entry(form.clone()).or_default().insert(number);
                }
            }
            let parts: Vec<Counted> = parts.into_iter().map(Vocabulary::finish).collect();
            let orders: Vec<_> = parts.iter().map(Counted::sorted).collect();
            let mut merged = Vec::new();
            merge(&parts, &orders, |form, votes, documents, hash, found| {
                assert!(!found.is_empty() && found.iter().all(|&(part, id)| parts[part].form(id) == form));
                assert_eq!(hash, hash_bytes(form.as_bytes()));
                merged.push((form.to_owned(), *votes, documents as usize));
            });
            let expected: Vec<_> = votes.into_iter().map(|(form, votes)| {
                let documents = documents[&form].len();
                (form, votes, documents)
            }).collect();
            prop_assert_eq!(merged, expected);
        }
    }

    #[test]
    fn the_group_of_most_votes_wins_and_the_first_among_equals() {
        let mut votes = Votes::default();
        votes[Group::Verb as usize] = 2;
        votes[Group::Noun as usize] = 2;
        votes[Group::Other as usize] = 1;
        assert_eq!(elect(&votes), (Group::Noun, 5));
        votes[Group::Verb as usize] = 3;
        assert_eq!(elect(&votes), (Group::Verb, 6));
    }
}
