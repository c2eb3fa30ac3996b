//! Brings together what the tasks of a survey saw, into the model that every later task gets. The order of the rows does not matter.

use super::plan::Plan;
use super::survey::{LANGUAGE, TEXTS, read_cells};
use super::{Kernel, misfit};
use crate::candidates::frequency::FrequencySample;
use crate::error::{Error, Result};
use crate::method::minhash::sample::{Sample, SampledText};
use crate::method::sentences::common::CommonWords;
use crate::method::terms::vocabulary::Vocabulary;
use crate::method::terms::{Group, Language, Lexicon};
use crate::segment::terms::most_frequent;

/// Takes in what was surveyed.
#[derive(Debug, Default)]
pub struct Learner {
    cells: Vec<u32>,
    sampled: Vec<SampledText>,
    vocabulary: Vocabulary,
    languages: Vec<(Language, u64)>,
}

impl Learner {
    /// Takes in a part.
    ///
    /// # Errors
    /// When it is not what a survey of this kernel gives.
    pub fn add_part(&mut self, kernel: &Kernel, part: &[u8]) -> Result<()> {
        match kernel.plan {
            Plan::Sketches { .. } => {
                let values = kernel.options.sketches.size;
                let texts = SampledText::read_all(part, values).ok_or_else(not_surveyed)?;
                self.sampled.extend(texts);
            }
            _ => self
                .cells
                .extend(read_cells(part).ok_or_else(not_surveyed)?),
        }
        Ok(())
    }

    /// Takes in how often a form was seen in a group.
    ///
    /// # Errors
    /// When it is not what a survey gives.
    pub fn add_count(
        &mut self,
        form: &str,
        group: i32,
        occurrences: u64,
        texts: u64,
    ) -> Result<()> {
        match group {
            TEXTS => self.vocabulary.add_texts(texts),
            LANGUAGE => {
                let language = Language::from_code(form).ok_or_else(not_surveyed)?;
                self.languages.push((language, occurrences));
            }
            group => {
                let group = usize::try_from(group).ok();
                let group = group.and_then(|group| Group::ALL.get(group));
                let group = *group.ok_or_else(not_surveyed)?;
                self.vocabulary.add_counted(form, group, occurrences, texts);
            }
        }
        Ok(())
    }

    /// The model that was learnt of a collection of so many texts.
    ///
    /// # Errors
    /// When there is nothing to learn, or the recall cannot be reached.
    pub fn finish(self, kernel: &Kernel, texts: u64) -> Result<Vec<u8>> {
        let options = &kernel.options;
        let mut model = kernel.model.clone();
        match &kernel.plan {
            _ if kernel.survey_kind().is_none() => {
                return Err(misfit("all there is to learn is learnt already"));
            }
            Plan::Prefixes { .. } => {
                let classes = self.frequencies().finish();
                model.learn();
                classes.words().iter().for_each(|words| model.push(words));
            }
            Plan::Probes { .. } => {
                let words: Vec<u64> = self.frequencies().words().collect();
                model.learn();
                model.push(&words);
            }
            Plan::Sketches { .. } => {
                let sample = Sample::new(self.sampled);
                let texts = (texts as f64).max(sample.len() as f64);
                let (sketches, threshold) = (&options.sketches, options.threshold);
                model.head.bands = Some(sample.choose_bands(sketches, threshold, texts)?);
            }
            Plan::Terms(None) => {
                let language = most_frequent(self.languages);
                model.head.language = Some(language.code().to_owned());
            }
            Plan::Terms(Some(_)) | Plan::Weighed(_) => {
                let counted = [self.vocabulary.finish()];
                let lexicon = Lexicon::of(&counted, &options.terms, 1)?;
                let (forms, lengths, documents, weights) = lexicon.columns();
                model.learn();
                model.push(forms.as_bytes());
                model.push(lengths);
                model.push(documents);
                model.push(weights);
            }
            Plan::Sentences(_) => {
                let languages = self.languages.iter();
                let each = |&(language, texts): &(Language, u64)| {
                    std::iter::repeat_n(language, usize::try_from(texts).unwrap_or(usize::MAX))
                };
                let languages: Vec<Language> = languages.flat_map(each).collect();
                let counted = [self.vocabulary.finish()];
                let (normalize, cutoff) = (&options.normalize, options.sentences.cutoff);
                let common = CommonWords::learned(&counted, &languages, normalize, cutoff);
                model.head.common = Some(common.forms().to_vec());
            }
        }
        model.write()
    }

    fn frequencies(&self) -> FrequencySample {
        let sample = FrequencySample::new(self.cells.len() as u64);
        self.cells.iter().for_each(|&cell| sample.add_sampled(cell));
        sample
    }
}

impl Kernel {
    /// The model with these fingerprints of sentences that occur too often to count.
    ///
    /// # Errors
    /// When the method has none.
    pub fn with_boilerplate(&self, mut keys: Vec<u128>) -> Result<Vec<u8>> {
        if !self.has_sentences() {
            let method = self.options.method;
            return Err(misfit(format!("`{method}` has no boilerplate")));
        }
        keys.sort_unstable();
        keys.dedup();
        let mut model = self.model.clone();
        model.learn();
        model.push(&keys);
        model.write()
    }
}

fn not_surveyed() -> Error {
    misfit("the rows are not what a survey with the same options gives")
}
