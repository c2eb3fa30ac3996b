//! What the arguments come to in the library.

use std::sync::Arc;

use anyhow::{Context, Result};
use doublet::batch::{JoinOptions, MANY_PAIRS};
use doublet::cluster::{ClusterOptions, Keep, Linkage};
use doublet::files;
use doublet::matches::Source;
use doublet::method::terms::background::Background;
use doublet::method::terms::weights::Weighting;
use doublet::method::terms::{TermOptions, segment_signature};
use doublet::method::{MatchOptions, Method};
use doublet::normalize::stop_words;
use doublet::options::{
    Format, NormalizeOptions, Numbers, ReadOptions, Resources, ShingleOptions, TokenKind,
};
use doublet::scores::Metric;
use doublet::segment::Segmenter;
use doublet::threshold::Threshold;
use serde_json::{Map, Value, json};

use super::choices::{ACCENTS, CASE, CandidatesBy, SWITCH, name_of};
use super::{
    ClusterArguments, CommonArguments, MatchArguments, ReadArguments, ResourceArguments,
    TextArguments,
};
use crate::console::Console;

impl ReadArguments {
    pub(crate) fn resolve(&self, keep: Option<&Keep>) -> ReadOptions {
        ReadOptions {
            format: self.format,
            text_field: self.text_field.clone(),
            id_field: self.id_field.clone(),
            rank_field: match keep {
                Some(Keep::Field { name, .. }) => Some(name.clone()),
                _ => None,
            },
            renumber: self.renumber,
            strict: self.strict,
        }
    }
}

impl MatchArguments {
    /// Whether a method was given.
    pub(crate) fn has_method(&self) -> bool {
        self.method.is_some()
    }

    pub(crate) fn method(&self) -> Method {
        self.method.unwrap_or_default()
    }

    pub(crate) fn metric(&self) -> Metric {
        let own = match self.sketches.estimate {
            true => Metric::Agreement,
            false => self.method().metrics()[0],
        };
        self.metric.unwrap_or(own)
    }

    pub(crate) fn threshold(&self) -> Result<Threshold> {
        if let Some(given) = self.distance()? {
            return Ok(given);
        }
        match (self.threshold, self.sentences.min_share) {
            (Some(threshold), Some(share)) if threshold != share => anyhow::bail!(
                "`--threshold {threshold}` and `--min-share {share}` are the same thing: give one of them"
            ),
            (Some(given), _) | (None, Some(given)) => Ok(given),
            (None, None) => Ok(self.method().threshold()),
        }
    }

    /// What tokens are called.
    pub(crate) fn token_word(&self) -> &'static str {
        match self.text.tokens {
            TokenKind::Words => "words",
            TokenKind::Spaces => "tokens",
            TokenKind::Characters => "characters",
        }
    }

    /// Whether a threshold is given.
    pub(crate) fn has_threshold(&self) -> bool {
        self.threshold.is_some()
    }

    /// Where random numbers begin.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn normalize(&self) -> Result<NormalizeOptions> {
        self.text.normalize(self.word_method())
    }

    /// Refuses options that were given and do nothing for a method.
    pub(crate) fn expect_options(&self, method: Method) -> Result<()> {
        method.expect_options(self.terms_vote(), |option| self.given.has(option))?;
        match self.terms.candidates {
            Some(candidates) => Ok(method.expect_candidates(candidates.name())?),
            None => Ok(()),
        }
    }

    /// What makes two texts a match.
    pub(crate) fn options(&self, removes: bool) -> Result<MatchOptions> {
        Ok(MatchOptions {
            method: self.method(),
            metric: self.metric(),
            threshold: self.threshold()?,
            normalize: self.normalize()?,
            shingle: self.shingle(),
            terms: self.terms()?,
            sketches: self.sketches()?,
            sentences: self.sentences(removes)?,
            simhash: self.simhash(),
        })
    }

    /// The options of `terms`.
    fn terms(&self) -> Result<TermOptions> {
        let given = &self.terms;
        self.expect_options(self.method())?;
        if !self.word_method().info().weighs_terms {
            return Ok(TermOptions::default());
        }
        let mut options = TermOptions {
            language: self.text.lang,
            fold_elongation: self.text.fold_elongation,
            ..TermOptions::default()
        };
        if let Some(path) = &given.weights {
            options.weights.read(path)?;
        }
        anyhow::ensure!(
            given.weights.is_none() || given.weighting != Some(Weighting::Log),
            "`--weights` has no meaning with `--weighting log`, which knows no intervals: leave out one of them"
        );
        if let Some(weighting) = given.weighting {
            options.weights.weighting = weighting;
        }
        if let Some(count) = given.features {
            options.features.count = count;
        }
        if let Some(gram) = given.gram {
            options.features.gram = gram;
        }
        if let Some(short) = given.short {
            options.features.short = short;
        }
        if let Some(candidates) = given.candidates {
            options.candidates = match candidates {
                CandidatesBy::Terms(candidates) => candidates,
                CandidatesBy::Sketches(_) => anyhow::bail!(
                    "`--candidates {}` goes with `--method minhash`; the method is `terms`",
                    candidates.name()
                ),
            };
        }
        options.check()?;
        options.transitivity = given.transitivity.unwrap_or(false);
        if let Some(path) = &given.background {
            let signature = segment_signature(&self.normalize()?, &options);
            options.background = Some(Arc::new(Background::read(path, &signature)?));
        }
        Ok(options)
    }

    pub(crate) fn shingle(&self) -> ShingleOptions {
        ShingleOptions {
            size: self.shingle,
            fingerprint: self.fingerprint,
            bits: self.fingerprint_bits,
        }
    }

    fn describe_terms(&self, join: &TermOptions, options: &mut Value) {
        let given = &self.terms;
        options["fold-elongation"] = join.fold_elongation.into();
        options["candidates"] = join.candidates.name().into();
        options["transitivity"] = name_of(SWITCH, join.transitivity).into();
        options["background"] = json!(given.background);
        options["weights"] = json!(given.weights);
        options["weighting"] = join.weights.weighting.name().into();
        options["features"] = join.features.count.to_string().into();
        options["gram"] = join.features.gram.into();
        options["short"] = join.features.short.into();
    }
}

impl TextArguments {
    pub(crate) fn normalize(&self, method: Method) -> Result<NormalizeOptions> {
        let mut words = Vec::new();
        for list in &self.stop_words {
            words.extend(read_stop_words(list)?);
        }
        words.sort_unstable();
        words.dedup();
        let tokens = self.tokens;
        let numbers = self.numbers;
        if tokens != TokenKind::Words {
            anyhow::ensure!(
                method.info().has_shingles,
                "`--tokens {}` goes with shingles: with `--method shingles`, minhash or simhash; here it is `{method}`",
                self.tokens.name()
            );
            anyhow::ensure!(
                tokens != TokenKind::Characters || self.stop_words.is_empty(),
                "`--stop-words` goes with words: leave it out, or take `--tokens spaces`"
            );
            anyhow::ensure!(
                numbers.is_none_or(|numbers| numbers == Numbers::Keep),
                "`--numbers` other than keep goes with `--tokens words`"
            );
        }
        Ok(NormalizeOptions {
            tokens,
            numbers: numbers.unwrap_or(NormalizeOptions::default().numbers),
            fold_case: self.case,
            fold_accents: self.accents,
            ascii: self.ascii,
            stop_words: words,
        })
    }

    /// Warns of stop words that are of no use.
    pub(crate) fn warn(&self, console: &Console) -> Result<()> {
        for list in self.stop_words.iter().filter(|list| is_file(list)) {
            let words = read_stop_words(list)?;
            let unusable = unusable(&words);
            if !unusable.is_empty() {
                console.warning(&format!(
                    "stop words that are not one word each are passed over: {}",
                    unusable.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The options that shape terms, as `doublet background` needs them.
    pub(crate) fn terms(&self) -> TermOptions {
        TermOptions {
            language: self.lang,
            fold_elongation: self.fold_elongation,
            ..TermOptions::default()
        }
    }
}

/// Whether a list is in a file, and not that of a language.
fn is_file(list: &str) -> bool {
    !stop_words::LANGUAGES.contains(&list) && std::path::Path::new(list).exists()
}

/// A language's list, or the list in a file.
fn read_stop_words(list: &str) -> Result<Vec<String>> {
    if !is_file(list) {
        return Ok(stop_words::stop_words(list)?);
    }
    let text = files::read_to_string(list)
        .with_context(|| format!("cannot read stop words from `{list}`"))?;
    Ok(stop_words::parse(&text))
}

/// Words of a list that are not one word each, and so are passed over.
fn unusable(words: &[String]) -> Vec<&str> {
    let segmenter = Segmenter::new(&NormalizeOptions::default());
    let tokens = |word: &String| {
        let mut count = 0;
        segmenter.tokens(word, |_| count += 1);
        count
    };
    words
        .iter()
        .filter(|word| tokens(word) != 1)
        .map(String::as_str)
        .collect()
}

impl ClusterArguments {
    /// The same arguments with the defaults for removing whole texts: each is removed for one that it matches.
    pub(crate) fn for_removal(&self, matching: &MatchArguments) -> Self {
        let mut arguments = self.clone();
        let linkage = *arguments.linkage.get_or_insert(Linkage::Star);
        let finds_parts = matching.method().finds_parts(matching.metric());
        let keep = Keep::for_removal(linkage, finds_parts);
        arguments.keep.get_or_insert(keep);
        arguments
    }

    fn linkage(&self) -> Linkage {
        self.linkage.unwrap_or(Linkage::Connected)
    }

    pub(crate) fn keep(&self) -> &Keep {
        self.keep.as_ref().unwrap_or(&Keep::First)
    }

    pub(crate) fn resolve(&self, metric: Metric) -> ClusterOptions {
        ClusterOptions {
            linkage: self.linkage(),
            keep: self.keep().clone(),
            metric,
            removal: None,
        }
    }
}

impl ResourceArguments {
    pub(crate) fn resolve(&self) -> Result<Resources> {
        let defaults = Resources::default();
        let threads = self.threads.unwrap_or(defaults.threads);
        anyhow::ensure!(
            (1..=1024).contains(&threads),
            "`--threads {threads}`: give 1 to 1024"
        );
        Ok(Resources {
            threads,
            memory: self.memory.unwrap_or(defaults.memory),
            temp_dir: self.temp_dir.clone().unwrap_or(defaults.temp_dir),
        })
    }
}

impl CommonArguments {
    /// Opens the inputs and references; `temporary` holds what must be spooled.
    pub(crate) fn open(
        &self,
        console: &Console,
        keep: Option<&Keep>,
        temporary: &std::path::Path,
    ) -> Result<Source> {
        let options = self.read.resolve(keep);
        let is_standard = |input: &String| input == "-";
        if self.inputs.iter().any(is_standard) && self.against.iter().any(is_standard) {
            return Err(doublet::Error::SecondStandardInput.into());
        }
        let input = console.open(&self.inputs, &options, temporary)?;
        let references = match &self.against[..] {
            [] => None,
            against => {
                let first = input.rows_in_memory();
                Some(console.open_from(first, against, &options, temporary)?)
            }
        };
        Ok(Source { input, references })
    }

    /// The join for a similarity matrix, or, with clusters, for what they need; `removes` says whether whole texts are removed
    /// for it.
    pub(crate) fn join(
        &self,
        cluster: Option<&ClusterArguments>,
        removes: bool,
    ) -> Result<JoinOptions> {
        let keep = cluster.map(ClusterArguments::keep);
        let linkage = cluster.map(ClusterArguments::linkage);
        let connected = linkage == Some(Linkage::Connected);
        let spans = connected || linkage == Some(Linkage::Star);
        let transitivity = self.matching.terms.transitivity;
        if let Some(linkage) = linkage.filter(|_| !connected)
            && transitivity == Some(true)
        {
            anyhow::bail!(
                "`--transitivity on` leaves out pairs that `--linkage {}` needs: give `--linkage connected`, or `--transitivity off`",
                linkage.name()
            );
        }
        let mut matching = self.matching.options(removes)?;
        if matching.method.info().weighs_terms && transitivity.is_none() {
            matching.terms.transitivity = connected;
        }
        Ok(JoinOptions {
            across_only: cluster.is_none() && !self.against.is_empty(),
            rank: keep.map_or(doublet::matches::RankBy::Nothing, Keep::rank_by),
            strict: self.read.strict,
            renumber: self.read.renumber,
            spanning: spans.then_some(MANY_PAIRS),
            ..JoinOptions::new(matching, self.resources.resolve()?)
        })
    }

    /// All options in force, by their names on the command line.
    pub(crate) fn describe(
        &self,
        cluster: &ClusterArguments,
        join: &JoinOptions,
    ) -> Map<String, Value> {
        let (read, matching, text) = (&self.read, &self.matching, &self.matching.text);
        let (resources, join) = (&join.resources, &join.matching);
        let mut options = json!({
            "input": self.inputs,
            "against": self.against,
            "format": read.format.map(Format::name),
            "text-field": read.text_field,
            "id-field": read.id_field,
            "renumber": read.renumber,
            "strict": read.strict,
            "method": join.method.name(),
            "metric": join.metric.name(),
            "threshold": join.threshold.value(),
            "shingle": matching.shingle,
            "tokens": text.tokens.name(),
            "numbers": join.normalize.numbers.name(),
            "case": name_of(CASE, text.case),
            "accents": name_of(ACCENTS, text.accents),
            "ascii": text.ascii,
            "stop-words": text.stop_words,
            "lang": text.lang.code(),
            "fingerprint": matching.fingerprint.name(),
            "fingerprint-bits": matching.fingerprint_bits,
            "seed": matching.seed,
            "linkage": cluster.linkage().name(),
            "keep": cluster.keep().to_string(),
            "threads": resources.threads,
            "memory": resources.memory,
        });
        if join.method.info().weighs_terms {
            matching.describe_terms(&join.terms, &mut options);
        }
        if join.method.info().has_sketches {
            matching.describe_sketches(&join.sketches, &mut options);
        }
        if join.method.info().has_voters {
            matching.describe_simhash(join, &mut options);
        }
        if join.method.unit().is_some() {
            let sentences = &join.sentences;
            options["background"] = json!(matching.terms.background);
            options["df-cutoff"] = sentences.cutoff.unwrap_or_default().to_string().into();
            options["reorder"] = name_of(SWITCH, sentences.reorder).into();
            options["min-words"] = sentences.least.into();
            options["min-sentences"] = match sentences.rule.sentences {
                Some(least) => least.into(),
                None => "off".into(),
            };
            options["max-occurrences"] = sentences.rule.most.into();
        }
        match options {
            Value::Object(options) => options,
            _ => Map::new(),
        }
    }
}

/// A number of bytes that is worth being called memory.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        bytes if bytes >= 1 << 20 => Ok(bytes),
        _ => Err("give at least 1M".to_owned()),
    }
}

/// A number of bytes: `500M`, `8G`, `1048576`.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let upper = upper.strip_suffix('I').unwrap_or(upper);
    let (digits, unit) = match upper.char_indices().last() {
        Some((at, 'K')) => (&upper[..at], 1 << 10),
        Some((at, 'M')) => (&upper[..at], 1 << 20),
        Some((at, 'G')) => (&upper[..at], 1 << 30),
        Some((at, 'T')) => (&upper[..at], 1u64 << 40),
        _ => (upper, 1),
    };
    let number: f64 = digits
        .trim()
        .parse()
        .map_err(|_| "give a size such as 500M or 8G".to_owned())?;
    let bytes = number * unit as f64;
    match bytes.is_finite() && bytes >= 0.0 {
        true => Ok(bytes as u64),
        false => Err("give a size such as 500M or 8G".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("8G", 8 << 30),
            ("500m", 500 << 20),
            ("1.5GiB", 3 << 29),
            ("2048KB", 2 << 20),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert!(parse_size("lots").is_err());
        assert!(parse_size("12").is_err());
    }
}
