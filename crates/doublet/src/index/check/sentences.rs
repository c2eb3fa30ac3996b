//! Sentences: look up, leave out boilerplate, add up.

use super::super::Index;
use super::super::model::{SentenceFacts, WHOLE};
use super::{Answer, CheckOptions, CheckScratch, FoundSource, Passage, part_and_document};
use crate::error::Result;
use crate::method::sentences::align::{Run, TRIED};
use crate::method::sentences::verdict::{Copied, Hit, SourceShare, add_up, runs};
use crate::method::sentences::{Fingerprinter, counted};

impl Index {
    pub(super) fn check_sentences(
        &self,
        fingerprinter: &Fingerprinter,
        text: &str,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        fingerprinter.fingerprint(text, &mut scratch.found);
        scratch.hits.clear();
        scratch.boilerplate.clear();
        for sentence in 0..scratch.found.list.len() {
            self.look_up(sentence, options, scratch)?;
        }
        let (same, beyond) = self.same_texts(options.sources.most(), scratch)?;
        let CheckScratch {
            found,
            hits,
            boilerplate,
            ..
        } = scratch;
        let words = |&sentence: &u32| found.list[sentence as usize].words;
        let left_out: u32 = boilerplate.iter().map(words).sum();
        let counted = counted(found.words, left_out);
        let mut copied = add_up(&found.list, counted, hits);
        let mut known: Vec<u64> = copied.sources.iter().map(|share| share.source).collect();
        known.sort_unstable();
        let unnamed = |source: &&u64| known.binary_search(source).is_err();
        let unnamed = beyond.iter().filter(unnamed).count();
        if !same.is_empty() {
            take_as_whole(&mut copied, &known, &same);
        }
        let decision = options.decision(&self.options);
        let mut sources = Vec::new();
        for (rank, share) in copied.sources.iter().enumerate() {
            let alone = || share.is_copy(&copied, &decision);
            if options.sources.wants(rank, alone) {
                let whole = same.binary_search(&share.source).is_ok();
                sources.push(self.found(share, whole, &copied, scratch)?);
            }
        }
        Ok(Answer {
            duplicate: copied.is_copy(&decision),
            share: copied.share(),
            sentences: Some((copied.sentences, copied.of_sentences)),
            boilerplate: scratch.boilerplate.len() as u32,
            found: copied.sources.len() + unnamed,
            sources,
        })
    }

    /// Adds the hits of a sentence, or the sentence to the boilerplate.
    fn look_up(
        &self,
        sentence: usize,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<()> {
        let CheckScratch {
            found,
            hits,
            ranges,
            boilerplate,
            ..
        } = scratch;
        let most = options.rule.most;
        if self.find(found.list[sentence].key, ranges)? > most {
            let mut live = 0;
            self.for_each_live(ranges, |_, _| {
                live += 1;
                live <= most
            })?;
            if live > most {
                boilerplate.push(sentence as u32);
                return Ok(());
            }
        }
        // Of a source that repeats the sentence, a few places are enough to make passages.
        let (mut last, mut places) = (None, 0);
        self.for_each_live(ranges, |source, place| {
            places = if last == Some(source) { places + 1 } else { 1 };
            last = Some(source);
            if places <= TRIED {
                hits.push(Hit {
                    source,
                    sentence: sentence as u32,
                    place,
                });
            }
            true
        })
    }

    /// The first so many documents of the same words, in order, and those beyond.
    fn same_texts(&self, most: usize, scratch: &mut CheckScratch) -> Result<(Vec<u64>, Vec<u64>)> {
        let CheckScratch { found, ranges, .. } = scratch;
        let (mut same, mut beyond) = (Vec::new(), Vec::new());
        if found.words == 0 || self.find(found.identity, ranges)? == 0 {
            return Ok((same, beyond));
        }
        self.for_each_live(ranges, |source, place| {
            match place == WHOLE {
                true if same.len() < most => same.push(source),
                true => beyond.push(source),
                false => {}
            }
            true
        })?;
        Ok((same, beyond))
    }

    fn facts_of(&self, source: u64) -> Result<SentenceFacts> {
        let (part, document) = part_and_document(source);
        let facts = self.parts[part].part.document(document)?.facts;
        SentenceFacts::read(facts)
            .ok_or_else(|| self.damaged(source, "what it keeps of a document"))
    }

    fn found(
        &self,
        share: &SourceShare,
        whole: bool,
        copied: &Copied,
        scratch: &CheckScratch,
    ) -> Result<FoundSource> {
        let facts = self.facts_of(share.source)?;
        let sentences = &scratch.found.list;
        if whole {
            let ends = sentences.first().zip(sentences.last());
            let there = facts.places.first().zip(facts.places.last());
            let passage = ends.zip(there).map(|((first, last), there)| Passage {
                here: first.start..last.end,
                there: there.0.start..there.1.end,
            });
            return self.source_of(share, copied, passage.into_iter().collect());
        }
        let passage = |run: &Run| {
            let last = run.there as usize + run.here.len() - 1;
            let (first, last) = (
                facts.places.get(run.there as usize)?,
                facts.places.get(last)?,
            );
            let here = &sentences[run.here.start as usize..run.here.end as usize];
            Some(Passage {
                here: here.first()?.start..here.last()?.end,
                there: first.start..last.end,
            })
        };
        let runs = runs(sentences.len(), &scratch.hits[share.hits.clone()]);
        let passages = runs.iter().map(passage);
        let passages: Option<Vec<Passage>> = passages.collect();
        let passages = passages
            .ok_or_else(|| self.damaged(share.source, "a fingerprint leads to no sentence"))?;
        self.source_of(share, copied, passages)
    }

    fn source_of(
        &self,
        share: &SourceShare,
        copied: &Copied,
        passages: Vec<Passage>,
    ) -> Result<FoundSource> {
        Ok(FoundSource {
            id: self.id_of(share.source)?,
            score: share.share(copied),
            sentences: Some((share.sentences, share.own_share(copied))),
            scores: None,
            passages,
        })
    }
}

/// A text that stands in the index as it is, is copied as a whole, common words and all, and from the first such document.
///
/// `known` are the sources that have shares already, in order.
fn take_as_whole(copied: &mut Copied, known: &[u64], same: &[u64]) {
    copied.sentences = copied.of_sentences;
    copied.words = copied.of_words;
    for &source in same {
        if known.binary_search(&source).is_err() {
            copied.sources.push(SourceShare {
                source,
                sentences: 0,
                words: 0,
                own_words: 0,
                hits: 0..0,
            });
        }
    }
    let is_same = |share: &SourceShare| same.binary_search(&share.source).is_ok();
    for share in &mut copied.sources {
        share.own_words = 0;
        if is_same(share) {
            share.sentences = copied.of_sentences;
            share.words = copied.of_words;
            share.own_words = if share.source == same[0] {
                copied.of_words
            } else {
                0
            };
        }
    }
    copied.sources.sort_by_key(|share| {
        let rank = (is_same(share), share.sentences, share.words);
        (std::cmp::Reverse(rank), share.source)
    });
}
