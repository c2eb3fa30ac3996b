//! The terms of many texts, counted: one [`Vocabulary`] a thread, brought together at the end.

use hashbrown::HashTable;

use super::segment::Group;
use crate::fingerprint::hash::{finish, hash_bytes};

/// How often a term was seen in each group.
pub type Votes = [u64; Group::ALL.len()];

/// Stands for no ballot and for no text.
const NONE: u32 = u32::MAX;

/// Terms with their numbers and counts.
#[derive(Debug, Default)]
pub struct Vocabulary {
    table: HashTable<u32>,
    entries: Vec<Entry>,
    forms: Vec<u8>,
    /// Votes of the terms that were seen in several groups.
    ballots: Vec<Votes>,
    text: u32,
    /// Texts that were begun.
    pub texts: u64,
    /// Terms that were added, each time it was.
    pub tokens: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    hash: u64,
    start: usize,
    length: u32,
    documents: u32,
    /// The text in which it was seen last.
    last: u32,
    ballot: u32,
    /// How often it was seen in its first group.
    frequency: u64,
    group: Group,
}

impl Vocabulary {
    /// What follows is the terms of another text.
    pub fn begin_text(&mut self) {
        self.text = (self.text + 1) % NONE;
        self.texts += 1;
    }

    /// Counts a term of the text at hand, and gives its number.
    pub fn add(&mut self, form: &str, group: Group) -> u32 {
        self.tokens += 1;
        let hash = hash_bytes(form.as_bytes());
        let (entries, forms) = (&self.entries, &self.forms);
        let same = |&id: &u32| {
            let entry = &entries[id as usize];
            entry.hash == hash && forms[entry.start..][..entry.length as usize] == *form.as_bytes()
        };
        let id = match self.table.find(finish(hash), same) {
            Some(&id) => id,
            None => self.insert(form, hash, group),
        };
        let entry = &mut self.entries[id as usize];
        if entry.last != self.text {
            entry.last = self.text;
            entry.documents += 1;
        }
        if entry.group == group {
            entry.frequency += 1;
        } else {
            if entry.ballot == NONE {
                entry.ballot = self.ballots.len() as u32;
                self.ballots.push(Votes::default());
            }
            self.ballots[entry.ballot as usize][group as usize] += 1;
        }
        id
    }

    fn insert(&mut self, form: &str, hash: u64, group: Group) -> u32 {
        let id = self.entries.len() as u32;
        self.entries.push(Entry {
            hash,
            start: self.forms.len(),
            length: form.len() as u32,
            documents: 0,
            last: NONE,
            ballot: NONE,
            frequency: 0,
            group,
        });
        self.forms.extend_from_slice(form.as_bytes());
        let entries = &self.entries;
        self.table
            .insert_unique(finish(hash), id, |&id| finish(entries[id as usize].hash));
        id
    }

    /// Number of distinct terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let entry = size_of::<Entry>() + size_of::<u32>() + 1;
        (self.entries.len() * entry + self.forms.len() + self.ballots.len() * size_of::<Votes>())
            as u64
    }

    /// The normal form of a term.
    pub fn form(&self, id: u32) -> &str {
        let entry = &self.entries[id as usize];
        std::str::from_utf8(&self.forms[entry.start..][..entry.length as usize]).unwrap_or_default()
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
    (best.unwrap_or(Group::Other), votes.iter().sum())
}

/// Goes through the terms of several vocabularies in the order of their forms. `each` gets a form, its votes, its texts and
/// hash, and its number in each vocabulary that has it, as pairs of vocabulary and number.
pub fn merge(
    parts: &[Vocabulary],
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
        let term = ("[abä]{1,9}", group);
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
                    let id = part.add(form, *group);
                    prop_assert_eq!(part.form(id), form);
                    votes.entry(form.clone()).or_default()[*group as usize] += 1;
                    documents.entry(form.clone()).or_default().insert(number);
                }
            }
            let orders: Vec<_> = parts.iter().map(Vocabulary::sorted).collect();
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
