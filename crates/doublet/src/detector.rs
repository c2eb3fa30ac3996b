//! The front door: duplicates among two texts, or among texts in memory.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use crate::batch::{self, JoinOptions, MANY_PAIRS};
use crate::cluster::{ClusterOptions, Clusters};
use crate::error::{Error, Result};
use crate::files::TemporaryDirectory;
use crate::matches::{Match, Matches, Source};
use crate::method::{Explanation, Fitted, MatchOptions};
use crate::options::{ReadOptions, Resources};
use crate::progress::Silent;
use crate::read::{Collection, Table, Tables};
use crate::scores::{Metric, Scores};

/// What the texts in memory are called where something is said of them.
const NAME: &str = "texts";

/// Finds duplicates in memory.
///
/// ```
/// use doublet::Detector;
///
/// # fn main() -> doublet::Result<()> {
/// let texts = [
///     ("a", "The ferry left the harbour at noon with twelve sheep on board."),
///     ("b", "The ferry left the harbour at noon with twelve sheep on board!"),
///     ("c", "The ferry was not seen again."),
/// ];
/// let detector = Detector::default();
/// let found = detector.find_duplicates(texts)?;
/// for pair in found.pairs() {
///     assert_eq!((*pair.a, *pair.b, pair.score), ("a", "b", 1.0));
/// }
/// let kept: Vec<&str> = detector.deduplicate(texts)?.kept().map(|(id, _)| *id).collect();
/// assert_eq!(kept, ["a", "c"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Detector {
    options: MatchOptions,
    resources: Resources,
}

/// Two texts side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Whether they are duplicates.
    pub is_match: bool,
    /// The score that decides, by the metric of the options.
    pub score: f64,
    /// The counts of their words, and what they share.
    pub words: Explanation,
}

/// Two texts that are duplicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<'f, K> {
    /// The id of the text that comes first.
    pub a: &'f K,
    /// The id of the other.
    pub b: &'f K,
    /// The score, by the metric of the options.
    pub score: f64,
    /// The counts behind every score.
    pub counts: Scores,
}

/// The duplicates among some texts.
#[derive(Debug)]
pub struct Found<K> {
    ids: Vec<K>,
    metric: Metric,
    documents: crate::matches::Documents,
    matches: Matches,
}

/// Some texts without duplicates.
#[derive(Debug)]
pub struct Deduplicated<K, T> {
    texts: Vec<(K, T)>,
    /// For each text the one that is kept for it, if it is another.
    kept_for: Vec<Option<usize>>,
}

impl Detector {
    /// A detector of these options.
    ///
    /// # Errors
    /// When an option is out of range, or does not go with another.
    ///
    /// ```
    /// use doublet::method::{MatchOptions, Method};
    /// use doublet::Detector;
    ///
    /// # fn main() -> doublet::Result<()> {
    /// let mut options = MatchOptions::new(Method::Terms);
    /// options.threshold = "0.5".parse()?;
    /// let detector = Detector::new(options)?;
    /// assert!(detector.compare("see you at the station", "See you at the old station!")?.is_match);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(options: MatchOptions) -> Result<Self> {
        options.check()?;
        Ok(Self {
            options,
            resources: Resources::default(),
        })
    }

    /// The same with other threads, memory, and place for temporary files.
    #[must_use]
    pub fn with_resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Two texts side by side: their score, and the passages they share.
    ///
    /// # Errors
    /// When a thread fails.
    ///
    /// ```
    /// # fn main() -> doublet::Result<()> {
    /// let (a, b) = ("a rose is a rose is a rose", "He said: a rose is a rose is a flower.");
    /// let compared = doublet::Detector::default().compare(a, b)?;
    /// assert!(!compared.is_match);
    /// assert_eq!(&b[compared.words.passages_b[0].clone()], "a rose is a rose is a");
    /// # Ok(())
    /// # }
    /// ```
    pub fn compare(&self, a: &str, b: &str) -> Result<Comparison> {
        let fitted = Fitted::of_texts(&self.options, &[a, b])?;
        let decisive = fitted.decide(a, b);
        Ok(Comparison {
            is_match: self.options.decision(false).is_match(&decisive),
            score: decisive.score(self.options.metric),
            words: fitted.explain(a, b),
        })
    }

    /// The duplicates among some texts, each with its id. The texts are copied.
    ///
    /// # Errors
    /// When there are too many texts, or a temporary file cannot be written.
    pub fn find_duplicates<K, T: AsRef<str>>(
        &self,
        texts: impl IntoIterator<Item = (K, T)>,
    ) -> Result<Found<K>> {
        let (ids, texts): (Vec<K>, Vec<T>) = texts.into_iter().unzip();
        let join = JoinOptions::new(self.options.clone(), self.resources.clone());
        let joined =
            self.with_source(&texts, |source| batch::find_matches(source, &join, &Silent))?;
        Ok(Found {
            ids,
            metric: join.matching.metric,
            documents: joined.documents,
            matches: joined.matches,
        })
    }

    /// Some texts without those that are duplicates of one that is kept, as `doublet dedup` removes them: each of these has a score at
    /// or above the threshold with the text that is kept for it. The texts are copied.
    ///
    /// # Errors
    /// As [`Detector::find_duplicates`].
    pub fn deduplicate<K, T: AsRef<str>>(
        &self,
        texts: impl IntoIterator<Item = (K, T)>,
    ) -> Result<Deduplicated<K, T>> {
        let texts: Vec<(K, T)> = texts.into_iter().collect();
        let matching = self.options.clone().for_removal();
        let how = ClusterOptions::for_removal(&matching);
        let join = JoinOptions {
            rank: how.keep.rank_by(),
            spanning: Some(MANY_PAIRS),
            ..JoinOptions::new(matching, self.resources.clone())
        };
        let how = ClusterOptions {
            removal: Some(join.removal_rule(None)),
            ..how
        };
        let words: Vec<&str> = texts.iter().map(|(_, text)| text.as_ref()).collect();
        let Clusters(clusters) = self.with_source(&words, |source| {
            let mut joined = batch::find_matches(source, &join, &Silent)?;
            batch::clusters(source, &mut joined, &join, &how, &Silent)
        })?;
        let mut kept_for = vec![None; texts.len()];
        for cluster in &clusters {
            let kept = cluster.representative;
            let others = cluster.members.iter().filter(|member| **member != kept);
            others.for_each(|other| kept_for[other.index()] = Some(kept.index()));
        }
        Ok(Deduplicated { texts, kept_for })
    }

    /// Calls `run` with these texts as a source.
    fn with_source<T: AsRef<str>, R>(
        &self,
        texts: &[T],
        run: impl FnOnce(&Source) -> Result<R>,
    ) -> Result<R> {
        let options = ReadOptions {
            renumber: true,
            ..ReadOptions::default()
        };
        let directory = &self.resources.temp_dir;
        let temporary = TemporaryDirectory::create(directory, "doublet-").map_err(
            crate::error::io_error("make a temporary directory in", directory),
        )?;
        let field = Field::new(&options.text_field, DataType::LargeUtf8, false);
        let schema = Arc::new(Schema::new(vec![field]));
        let column = LargeStringArray::from_iter_values(texts.iter().map(AsRef::as_ref));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(column)]);
        let batch = batch.map_err(|error| Error::BadFile {
            path: PathBuf::from(NAME),
            reason: error.to_string(),
        })?;
        let table = Arc::new(Table::new(schema, vec![batch]));
        let tables = Tables::from([(NAME.to_owned(), table)]);
        let inputs = [NAME.to_owned()];
        let input = Collection::open_among(&inputs, &options, temporary.path(), &tables, 0)?;
        run(&Source {
            input,
            references: None,
        })
    }
}

impl<K> Found<K> {
    /// All pairs, in the order of their first texts, then of their second.
    pub fn pairs(&self) -> Vec<Pair<'_, K>> {
        let mut pairs = Vec::new();
        let Ok(()) = self.matches.for_each(&self.documents, |found: Match| {
            pairs.push(Pair {
                a: &self.ids[found.a.index()],
                b: &self.ids[found.b.index()],
                score: found.scores.score(self.metric),
                counts: found.scores,
            });
            Ok::<(), std::convert::Infallible>(())
        });
        pairs
    }

    /// Number of pairs.
    pub fn count(&self) -> u64 {
        self.matches.count()
    }
}

impl<K, T> Deduplicated<K, T> {
    /// The texts that are kept, in their order.
    pub fn kept(&self) -> impl Iterator<Item = &(K, T)> {
        let all = self.texts.iter().zip(&self.kept_for);
        all.filter(|(_, kept)| kept.is_none()).map(|(text, _)| text)
    }

    /// The texts that are removed, in their order, each with the one that is kept for it.
    pub fn removed(&self) -> impl Iterator<Item = (&(K, T), &(K, T))> {
        let all = self.texts.iter().zip(&self.kept_for);
        all.filter_map(|(text, kept)| Some((text, &self.texts[(*kept)?])))
    }

    /// The texts that are kept.
    pub fn into_kept(self) -> impl Iterator<Item = (K, T)> {
        let all = self.texts.into_iter().zip(self.kept_for);
        all.filter(|(_, kept)| kept.is_none()).map(|(text, _)| text)
    }
}
