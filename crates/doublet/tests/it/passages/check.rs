//! Holds what a run wrote against the reference.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use doublet::batch::JoinOptions;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::reference::{Fate, Reader, Seen, reference};
use super::{Ran, run};

/// Checks what a run wrote against the reference; `joinable` if every stretch can leave.
pub(super) fn check(input: &[String], references: &[String], join: &JoinOptions, joinable: bool) {
    let reader = Reader::new(join);
    let see = |texts: &[String]| {
        texts
            .iter()
            .map(|text| reader.see(text))
            .collect::<Vec<Seen>>()
    };
    let (seen, seen_references) = (see(input), see(references));
    let ran = run(input, references, join.clone());
    let mut check = Check {
        fates: reference(&seen, &seen_references, join),
        texts: input.iter().chain(references).collect(),
        seen: seen.iter().chain(&seen_references).collect(),
        wholes: HashMap::new(),
        cuts: BTreeMap::new(),
        ran: &ran,
        joinable,
    };
    check.read_removed();
    check.every_text_has_its_fate();
    check.every_sentence_stands_somewhere();
    check.sources_keep_what_is_put_down_to_them();
    check.figures_add_up();
    let mut other = join.clone();
    other.resources.threads = 3;
    other.resources.memory = 1;
    let again = run(input, references, other);
    assert_eq!(again.removed, ran.removed);
    assert_eq!(again.kept, ran.kept);
}

struct Check<'a> {
    /// Of the input.
    fates: Vec<Fate>,
    /// The input, then the references.
    texts: Vec<&'a String>,
    seen: Vec<&'a Seen>,
    ran: &'a Ran,
    /// Texts removed as a whole, and who stands for them.
    wholes: HashMap<usize, usize>,
    /// What left the others, in bytes.
    cuts: BTreeMap<usize, Vec<Range<usize>>>,
    joinable: bool,
}

impl Check<'_> {
    fn cut_of(&self, id: usize) -> &[Range<usize>] {
        self.cuts.get(&id).map_or(&[], Vec::as_slice)
    }

    fn passages(&self) -> Vec<&Value> {
        let lines = self.ran.removed.iter();
        lines.filter(|line| line["source"].is_u64()).collect()
    }

    fn read_removed(&mut self) {
        let mut last = None;
        for line in &self.ran.removed {
            let id = number(line, "id");
            assert!(last.is_none_or(|last| last <= id), "in input order");
            last = Some(id);
            if line["representative"].is_u64() {
                self.wholes.insert(id, number(line, "representative"));
                continue;
            }
            let text = self.texts[id];
            let range = byte_range(text, line, "start", "end");
            assert_eq!(line["text"].as_str().unwrap(), &text[range.clone()]);
            for bound in [range.start, range.end] {
                let mut clusters = text.grapheme_indices(true);
                let between = bound == text.len() || clusters.any(|(at, _)| at == bound);
                assert!(between, "a character was cut in two");
            }
            self.cuts.entry(id).or_default().push(range);
        }
        let stays = |id: &usize| !self.wholes.contains_key(id);
        assert!(self.wholes.values().all(stays), "a representative stays");
    }

    fn every_text_has_its_fate(&self) {
        let mut kept = self.ran.kept.iter();
        for (id, fate) in self.fates.iter().enumerate() {
            let is_whole = self.wholes.contains_key(&id);
            match fate {
                Fate::Copy => assert!(is_whole, "{id} is a copy"),
                Fate::Empty => assert_eq!(kept.next(), Some(self.texts[id])),
                Fate::Cut(expected) if is_whole => {
                    assert_eq!(*expected, keyed(self.seen[id]), "{id} lost all sentences");
                }
                Fate::Cut(expected) => {
                    self.sentences_leave_whole(id, expected);
                    assert_eq!(
                        kept.next(),
                        Some(&self.rest(id)),
                        "{id} without its passages"
                    );
                }
            }
        }
        assert_eq!(kept.next(), None, "nothing was invented");
    }

    fn sentences_leave_whole(&self, id: usize, expected: &[usize]) {
        let seen = self.seen[id];
        for (index, (place, ..)) in seen.sentences.iter().enumerate() {
            let cut = is_inside(self.cut_of(id), place);
            let should = expected.contains(&index);
            assert!(!cut || should, "{id}: sentence {index} was not to go");
            assert!(
                cut || !should || !self.joinable,
                "{id}: sentence {index} was to go"
            );
        }
    }

    /// What remains of a text.
    fn rest(&self, id: usize) -> String {
        let text = self.texts[id];
        let mut rest = text.clone();
        for range in self.cut_of(id).iter().rev() {
            rest.replace_range(range.clone(), "");
        }
        let space = |text: &str| {
            let (start, end) = (text.trim_start().len(), text.trim_end().len());
            (text.len() - start, text.len() - end)
        };
        assert_eq!(
            space(&rest),
            space(text),
            "no white space at the ends that was not there"
        );
        rest
    }

    /// Every sentence of a text that is no copy.
    fn every_sentence_stands_somewhere(&self) {
        let mut remaining: HashSet<&str> = HashSet::new();
        for (id, seen) in self.seen.iter().enumerate() {
            let stays = matches!(self.fates.get(id), None | Some(Fate::Cut(_)));
            if !stays || self.wholes.contains_key(&id) {
                continue;
            }
            for (place, key, _) in &seen.sentences {
                if !is_inside(self.cut_of(id), place) {
                    remaining.extend(key.as_deref());
                }
            }
        }
        for (seen, fate) in self.seen.iter().zip(&self.fates) {
            if matches!(fate, Fate::Cut(_)) {
                for key in seen.sentences.iter().filter_map(|s| s.1.as_deref()) {
                    assert!(remaining.contains(key), "{key} is gone");
                }
            }
        }
    }

    fn sources_keep_what_is_put_down_to_them(&self) {
        let input = self.fates.len();
        let place = |id: usize| if id >= input { 0 } else { id + 1 };
        let keys = |id: usize, range: &Range<usize>| -> Vec<&str> {
            let sentences = self.seen[id].sentences.iter();
            let inside = sentences.filter(|s| range.start <= s.0.start && s.0.end <= range.end);
            inside
                .filter_map(|sentence| sentence.1.as_deref())
                .collect()
        };
        for line in self.passages() {
            let (id, source) = (number(line, "id"), number(line, "source"));
            assert!(place(source) < place(id), "the source stands before");
            assert!(!self.wholes.contains_key(&source));
            let here = byte_range(self.texts[id], line, "start", "end");
            let there = byte_range(self.texts[source], line, "source_start", "source_end");
            assert_eq!(keys(id, &here), keys(source, &there));
            let overlaps = |cut: &Range<usize>| cut.start < there.end && there.start < cut.end;
            assert!(
                !self.cut_of(source).iter().any(overlaps),
                "the source keeps it"
            );
        }
    }

    fn figures_add_up(&self) {
        let summary = &self.ran.summary;
        let passages = self.passages();
        let sentences = passages.iter().map(|line| number(line, "sentences") as u64);
        let characters = passages
            .iter()
            .map(|line| line["text"].as_str().unwrap().chars().count() as u64);
        let empty = self
            .fates
            .iter()
            .filter(|fate| **fate == Fate::Empty)
            .count();
        assert_eq!(summary.read, self.fates.len() as u64);
        assert_eq!(summary.removed, self.wholes.len() as u64);
        assert_eq!(summary.empty, empty as u64);
        assert_eq!(summary.kept + summary.removed + summary.empty, summary.read);
        assert_eq!(summary.shortened, self.cuts.len() as u64);
        assert_eq!(summary.passages, passages.len() as u64);
        assert_eq!(summary.sentences_removed, sentences.sum::<u64>());
        assert_eq!(summary.characters_removed, characters.sum::<u64>());
    }
}

/// The sentences that have a fingerprint.
fn keyed(seen: &Seen) -> Vec<usize> {
    let sentences = seen.sentences.iter().enumerate();
    let keyed = sentences.filter(|(_, sentence)| sentence.1.is_some());
    keyed.map(|(index, _)| index).collect()
}

fn number(line: &Value, name: &str) -> usize {
    line[name].as_u64().unwrap() as usize
}

fn byte_of(text: &str, character: u64) -> usize {
    let mut bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    bytes.nth(character as usize).unwrap()
}

fn byte_range(text: &str, line: &Value, start: &str, end: &str) -> Range<usize> {
    let at = |name: &str| byte_of(text, line[name].as_u64().unwrap());
    at(start)..at(end)
}

fn is_inside(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    // Passages that touch are one cut.
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => merged.push(range.clone()),
        }
    }
    let inside = merged
        .iter()
        .any(|cut| cut.start <= range.start && range.end <= cut.end);
    let apart = merged
        .iter()
        .all(|cut| range.end <= cut.start || cut.end <= range.start);
    assert!(
        inside || apart,
        "a sentence was cut in two: {ranges:?} {range:?}"
    );
    inside
}
