//! Fills in the page from what a run found: histograms, the largest clusters, and pairs worth a look.

use crate::cluster::Clusters;
use crate::document::DocId;
use crate::error::Result;
use crate::matches::{Documents, Match, Matches, Source, Verified};
use crate::method::Fitted;
use crate::method::numbers::without_other_numbers;
use crate::report::html::{ClusterRow, PairView, RejectedRow, ReportPage, SideText, ViewSection};
use crate::report::pairs::{named_scores, plain_key};
use crate::scores::Metric;

/// Pairs shown in each section.
pub(crate) const SHOWN: usize = 12;
/// Clusters listed.
const LISTED: usize = 100;
/// Characters of a representative that are shown in the list.
const EXCERPT: usize = 160;
/// Records of more bytes are not shown side by side: the page would take longer than the run.
const LONGEST: u32 = 1 << 20;
/// Bars of the histogram of scores.
const BARS: usize = 20;

/// What the page is made from.
pub(crate) struct PageSource<'a> {
    pub(crate) source: &'a Source,
    pub(crate) documents: &'a Documents,
    pub(crate) matches: &'a Matches,
    pub(crate) clusters: &'a Clusters,
    pub(crate) fitted: &'a Fitted,
    /// Whether shared passages may differ in numbers, which are then not marked as shared.
    pub(crate) numbers_differ: bool,
    /// The removals that lose most: the text, the one kept for it, and the words lost.
    pub(crate) worst: Vec<(DocId, DocId, u32)>,
    pub(crate) metric: Metric,
    pub(crate) threshold: f64,
    /// How many pairs are told, if only those that connect the clusters.
    pub(crate) spanning: Option<u64>,
    /// Whether a text goes.
    pub(crate) removed: &'a dyn Fn(DocId) -> bool,
}

impl PageSource<'_> {
    /// Adds everything that comes from the texts to the page.
    pub(crate) fn fill(&self, page: &mut ReportPage) -> Result<()> {
        page.size_histogram = self.size_histogram();
        page.largest = self.largest()?;
        let survey = self.survey();
        page.score_histogram = survey.histogram(self.threshold);
        page.views = vec![
            self.section(
                "The strongest pairs that are not identical",
                "Nearly the same text: is the difference one that matters?",
                &survey.strongest,
            )?,
            self.section(
                "The weakest pairs",
                "Just above the threshold: if these are no duplicates, raise it.",
                &survey.weakest,
            )?,
            self.lost_section()?,
            self.section(
                "From the largest clusters",
                "The representative and another member.",
                &self.cluster_pairs(),
            )?,
        ];
        page.views.retain(|section| !section.views.is_empty());
        let rejected = self.documents.rejections().iter().take(50);
        page.rejected = rejected
            .map(|(_, rejection)| RejectedRow {
                file: rejection.file.clone(),
                line: rejection.line,
                reason: rejection.reason.clone(),
            })
            .collect();
        Ok(())
    }

    fn size_histogram(&self) -> Vec<(u64, u64, u64)> {
        let mut bars: Vec<(u64, u64, u64)> = Vec::new();
        let mut from = 2;
        while bars.len() < 24 {
            let to = if from < 5 { from } else { from * 2 - 1 };
            bars.push((from, to, 0));
            from = to + 1;
        }
        for cluster in &self.clusters.0 {
            let size = cluster.members.len() as u64;
            if let Some(bar) = bars.iter_mut().find(|bar| bar.0 <= size && size <= bar.1) {
                bar.2 += 1;
            }
        }
        while bars.last().is_some_and(|bar| bar.2 == 0) {
            bars.pop();
        }
        bars
    }

    fn largest(&self) -> Result<Vec<ClusterRow>> {
        let mut order: Vec<usize> = (0..self.clusters.0.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(self.clusters.0[number].members.len()));
        order.truncate(LISTED);
        order.into_iter().map(|number| self.row(number)).collect()
    }

    fn row(&self, number: usize) -> Result<ClusterRow> {
        let cluster = &self.clusters.0[number];
        let text = self.text(cluster.representative)?;
        let members: Vec<String> = cluster
            .members
            .iter()
            .take(9)
            .map(|&member| self.key(member))
            .collect();
        Ok(ClusterRow {
            number: number as u64,
            representative: self.key(cluster.representative),
            size: cluster.members.len() as u64,
            weakest: cluster.weakest,
            excerpt: excerpt(&text),
            more: (cluster.members.len() - members.len()) as u64,
            members,
        })
    }

    fn cluster_pairs(&self) -> Vec<(DocId, DocId)> {
        let mut order: Vec<_> = self.clusters.0.iter().collect();
        order.sort_by_key(|cluster| std::cmp::Reverse(cluster.members.len()));
        let other = |cluster: &&crate::cluster::Cluster| {
            let last = cluster
                .members
                .iter()
                .rev()
                .find(|m| **m != cluster.representative)?;
            Some((cluster.representative, *last))
        };
        let short = |pair: &(DocId, DocId)| self.is_short(pair.0) && self.is_short(pair.1);
        order
            .iter()
            .filter_map(other)
            .filter(short)
            .take(SHOWN)
            .collect()
    }

    fn is_short(&self, document: DocId) -> bool {
        is_short(self.documents, document)
    }

    fn survey(&self) -> Survey {
        let mut survey = Survey::default();
        for pair in self.matches.between_distinct_texts(self.documents) {
            if self.is_short(pair.a) && self.is_short(pair.b) {
                survey.add(&pair, self.metric);
            }
        }
        // Where not all pairs are told, those that are count once each.
        let weight = |pair: &Verified| match self.spanning {
            Some(_) => 1,
            None => self.matches.weight(pair),
        };
        for pair in &self.matches.verified {
            let score = pair.scores(self.documents).score(self.metric);
            survey.bars.push((score, weight(pair)));
        }
        let different: u64 = self.matches.verified.iter().map(weight).sum();
        let all = self.spanning.unwrap_or_else(|| self.matches.count());
        survey.identical = all.saturating_sub(different);
        survey
    }

    fn section(&self, heading: &str, note: &str, pairs: &[(DocId, DocId)]) -> Result<ViewSection> {
        let views = pairs.iter().map(|&(a, b)| self.view(a, b));
        Ok(ViewSection {
            heading: heading.to_owned(),
            note: note.to_owned(),
            views: views.collect::<Result<_>>()?,
        })
    }

    /// The removals that lose most.
    fn lost_section(&self) -> Result<ViewSection> {
        let shown = |(removed, kept, _): &&(DocId, DocId, u32)| {
            self.is_short(*removed) && self.is_short(*kept)
        };
        let view = |&(removed, kept, lost): &(DocId, DocId, u32)| {
            let mut view = self.view(kept, removed)?;
            let words = if lost == 1 { "word" } else { "words" };
            view.note = format!("{lost} {words} lost");
            Ok(view)
        };
        let views = self.worst.iter().filter(shown).map(view);
        Ok(ViewSection {
            heading: "Removals that lose most".to_owned(),
            note: "The kept text and the removed one, by the number of words outside the passages they share. `--max-lost` limits it."
                .to_owned(),
            views: views.collect::<Result<_>>()?,
        })
    }

    fn view(&self, a: DocId, b: DocId) -> Result<PairView> {
        let mut view = view(
            self.source,
            self.documents,
            self.fitted,
            self.metric,
            (a, b),
        )?;
        if self.numbers_differ {
            view.a.shared = without_other_numbers(&view.a.text, &view.a.shared, &view.b.text);
            view.b.shared = without_other_numbers(&view.b.text, &view.b.shared, &view.a.text);
        }
        view.a.removed = (self.removed)(a);
        view.b.removed = (self.removed)(b);
        Ok(view)
    }

    fn key(&self, document: DocId) -> String {
        plain_key(&self.documents.key(document, self.source))
    }

    fn text(&self, document: DocId) -> Result<String> {
        self.source.text(document, self.documents)
    }
}

/// Two texts side by side, with what they share.
///
/// # Errors
/// When a text cannot be read again.
pub(crate) fn view(
    source: &Source,
    documents: &Documents,
    fitted: &Fitted,
    metric: Metric,
    (a, b): (DocId, DocId),
) -> Result<PairView> {
    let (text_a, text_b) = (source.text(a, documents)?, source.text(b, documents)?);
    let found = fitted.explain(&text_a, &text_b);
    // Sketches agree by estimate; what is shown here is what the texts share.
    let metric = match metric {
        Metric::Agreement => Metric::Resemblance,
        metric => metric,
    };
    let side = |document: DocId, text: String, shared| SideText {
        key: plain_key(&documents.key(document, source)),
        text,
        shared,
        removed: false,
    };
    Ok(PairView {
        score: found.scores.score(metric),
        metric: metric.to_string(),
        scores: named_scores(&found.scores, metric)
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        note: String::new(),
        a: side(a, text_a, found.passages_a),
        b: side(b, text_b, found.passages_b),
    })
}

/// Whether a record is short enough to be shown side by side.
pub(crate) fn is_short(documents: &Documents, document: DocId) -> bool {
    documents.place(document).length <= LONGEST
}

/// How a text begins, cut at a word if it is long.
pub(crate) fn excerpt(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(EXCERPT) else {
        return text.to_owned();
    };
    let cut = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    format!("{} …", text[..cut].trim_end())
}

/// The pairs seen, and the extreme ones among those of different texts.
#[derive(Default)]
struct Survey {
    bars: Vec<(f64, u64)>,
    identical: u64,
    strongest: Vec<(DocId, DocId)>,
    weakest: Vec<(DocId, DocId)>,
    scores: (Vec<f64>, Vec<f64>),
}

impl Survey {
    fn add(&mut self, pair: &Match, metric: Metric) {
        let score = pair.scores.score(metric);
        let ends = (pair.a, pair.b);
        if score < 1.0 {
            keep_least(-score, ends, &mut self.scores.0, &mut self.strongest);
        }
        keep_least(score, ends, &mut self.scores.1, &mut self.weakest);
    }

    fn histogram(&self, threshold: f64) -> Vec<(f64, f64, u64)> {
        let width = (1.0 - threshold) / BARS as f64;
        let mut bars: Vec<(f64, f64, u64)> = Vec::new();
        if width > 0.0 {
            let edge = |bar: usize| threshold + width * bar as f64;
            bars.extend((0..BARS).map(|bar| (edge(bar), edge(bar + 1), 0)));
        }
        let mut exact = self.identical;
        for &(score, weight) in &self.bars {
            let bar = ((score - threshold) / width) as usize;
            match bars.get_mut(bar) {
                Some(bar) if score < 1.0 => bar.2 += weight,
                _ if score < 1.0 => {
                    if let Some(last) = bars.last_mut() {
                        last.2 += weight;
                    }
                }
                _ => exact += weight,
            }
        }
        bars.push((1.0, 1.0, exact));
        bars
    }
}

/// Keeps the pairs with the least values, the least first.
fn keep_least(
    value: f64,
    pair: (DocId, DocId),
    values: &mut Vec<f64>,
    pairs: &mut Vec<(DocId, DocId)>,
) {
    let at = values.partition_point(|other| *other <= value);
    if at < SHOWN {
        values.insert(at, value);
        pairs.insert(at, pair);
        values.truncate(SHOWN);
        pairs.truncate(SHOWN);
    }
}
