//! How good an answer about the targets is: which are copies, and of what.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::tool::{Answer, each_line};
use crate::corpus;

/// What is known about the targets.
pub(crate) struct Truth {
    targets: HashMap<String, Known>,
    /// Sources that print another again, and which.
    originals: HashMap<String, String>,
}

/// What is known about one target.
struct Known {
    is_duplicate: bool,
    kind: String,
    sources: Vec<String>,
}

impl Truth {
    /// The truth files of a collection of sources and of its targets.
    pub(crate) fn read(sources: &Path, targets: &Path) -> Result<Self> {
        let mut truth = Self {
            targets: HashMap::new(),
            originals: HashMap::new(),
        };
        each_line(&corpus::truth_path(targets), |row| truth.add_target(row))?;
        each_line(&corpus::truth_path(sources), |row| truth.add_link(row))?;
        Ok(truth)
    }

    fn add_target(&mut self, row: &Value) -> Option<()> {
        let source = |source: &Value| source["id"].as_str().map(str::to_owned);
        let known = Known {
            is_duplicate: row["duplicate"].as_bool()?,
            kind: row["kind"].as_str()?.to_owned(),
            sources: row["sources"]
                .as_array()?
                .iter()
                .map(source)
                .collect::<Option<_>>()?,
        };
        self.targets.insert(row["id"].as_str()?.to_owned(), known);
        Some(())
    }

    fn add_link(&mut self, row: &Value) -> Option<()> {
        self.originals
            .insert(row["b"].as_str()?.to_owned(), row["a"].as_str()?.to_owned());
        Some(())
    }

    fn known(&self, answer: &Answer) -> Result<&Known> {
        let known = self.targets.get(&answer.id);
        known.with_context(|| format!("the truth says nothing about `{}`", answer.id))
    }

    /// A source, or what it prints again: who copied one has copied the other.
    fn original<'a>(&'a self, source: &'a str) -> &'a str {
        self.originals.get(source).map_or(source, String::as_str)
    }

    /// How good a decision about the targets is.
    pub(crate) fn judge(
        &self,
        answers: &[Answer],
        decide: impl Fn(&Answer) -> bool,
    ) -> Result<Quality> {
        ensure!(
            answers.len() == self.targets.len(),
            "{} answers for {} targets",
            answers.len(),
            self.targets.len()
        );
        let mut quality = Quality::default();
        for answer in answers {
            let known = self.known(answer)?;
            let kind = quality.kinds.entry(known.kind.clone()).or_default();
            let is_found = decide(answer);
            kind.texts += 1;
            kind.found += usize::from(is_found);
            quality.wanted += usize::from(known.is_duplicate);
            quality.found += usize::from(is_found);
            quality.right += usize::from(is_found && known.is_duplicate);
        }
        Ok(quality)
    }

    /// How well the sources of the copies that were found are named.
    pub(crate) fn judge_sources(&self, answers: &[Answer]) -> Result<Division> {
        let mut division = Division::default();
        for answer in answers {
            let known = self.known(answer)?;
            if known.is_duplicate && answer.is_duplicate {
                division.add(
                    self.distinct(&answer.sources),
                    &self.distinct(&known.sources),
                );
            }
        }
        Ok(division)
    }

    /// Sources in their order, each but once, what is printed again taken for the original.
    fn distinct<'a>(&'a self, sources: &'a [String]) -> Vec<&'a str> {
        let mut distinct = Vec::new();
        for source in sources {
            let original = self.original(source);
            if !distinct.contains(&original) {
                distinct.push(original);
            }
        }
        distinct
    }
}

/// What was found, what of it is right, and what should have been found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quality {
    pub(crate) found: usize,
    pub(crate) right: usize,
    pub(crate) wanted: usize,
    kinds: BTreeMap<String, Found>,
}

/// What was found of one kind of target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    texts: usize,
    found: usize,
}

impl Quality {
    /// 1 if nothing was found.
    pub(crate) fn precision(&self) -> f64 {
        share(self.right, self.found, 1.0)
    }

    pub(crate) fn recall(&self) -> f64 {
        share(self.right, self.wanted, 0.0)
    }

    pub(crate) fn f1(&self) -> f64 {
        share(2 * self.right, self.found + self.wanted, 0.0)
    }

    pub(crate) fn to_json(&self) -> Value {
        let kind =
            |(name, kind): (&String, &Found)| (name.clone(), json!([kind.found, kind.texts]));
        let kinds: serde_json::Map<String, Value> = self.kinds.iter().map(kind).collect();
        json!({
            "found": self.found,
            "right": self.right,
            "wanted": self.wanted,
            "precision": rounded(self.precision()),
            "recall": rounded(self.recall()),
            "f1": rounded(self.f1()),
            "found_of_kind": kinds,
        })
    }
}

/// How the sources named first agree with the true ones: as many are looked at as are true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Division {
    texts: usize,
    /// Texts whose first source is a true one.
    first: usize,
    named: usize,
    right: usize,
    wanted: usize,
    /// Texts with several sources, and those of them for which all are named.
    several: usize,
    several_complete: usize,
}

impl Division {
    fn add(&mut self, mut named: Vec<&str>, wanted: &[&str]) {
        self.texts += 1;
        self.first += usize::from(named.first().is_some_and(|first| wanted.contains(first)));
        named.truncate(wanted.len());
        let right = named
            .iter()
            .filter(|source| wanted.contains(source))
            .count();
        self.named += named.len();
        self.right += right;
        self.wanted += wanted.len();
        self.several += usize::from(wanted.len() > 1);
        self.several_complete += usize::from(wanted.len() > 1 && right == wanted.len());
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "texts": self.texts,
            "first_right": rounded(share(self.first, self.texts, 0.0)),
            "source_precision": rounded(share(self.right, self.named, 1.0)),
            "source_recall": rounded(share(self.right, self.wanted, 0.0)),
            "texts_of_several": self.several,
            "several_complete": rounded(share(self.several_complete, self.several, 0.0)),
        })
    }
}

/// The area under the curve: how likely a score of the first kind is higher than one of the second; ties are halves.
pub(crate) fn area(high: &[f64], low: &[f64]) -> f64 {
    let beats = |high: f64, low: f64| match high.total_cmp(&low) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let sum: f64 = high
        .iter()
        .flat_map(|&high| low.iter().map(move |&low| beats(high, low)))
        .sum();
    sum / (high.len() * low.len()).max(1) as f64
}

fn share(part: usize, whole: usize, of_none: f64) -> f64 {
    if whole == 0 {
        of_none
    } else {
        part as f64 / whole as f64
    }
}

/// With five digits.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e5).round() / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Truth {
        let mut truth = Truth {
            targets: HashMap::new(),
            originals: HashMap::new(),
        };
        for row in [
            json!({"id": "t1", "duplicate": true, "kind": "clip", "sources": [{"id": "s1"}]}),
            json!({"id": "t2", "duplicate": true, "kind": "pasted", "sources": [{"id": "s2"}, {"id": "s3"}]}),
            json!({"id": "t3", "duplicate": false, "kind": "quote", "sources": [{"id": "s1"}]}),
            json!({"id": "t4", "duplicate": false, "kind": "own", "sources": []}),
        ] {
            truth.add_target(&row).expect("a good row");
        }
        truth
            .add_link(&json!({"a": "s3", "b": "s9"}))
            .expect("a good row");
        truth
    }

    fn answer(id: &str, sentences: u64, sources: &[&str]) -> Answer {
        Answer {
            id: id.to_owned(),
            is_duplicate: sentences >= 3,
            share: 0.0,
            sentences,
            sources: sources.iter().map(|&source| source.to_owned()).collect(),
        }
    }

    fn answers() -> Vec<Answer> {
        vec![
            answer("t1", 2, &["s1"]),
            answer("t2", 4, &["s9", "s3", "s4", "s2"]),
            answer("t3", 3, &["s1"]),
            answer("t4", 0, &[]),
        ]
    }

    #[test]
    fn decisions_are_judged() {
        let truth = truth();
        let by_tool = truth
            .judge(&answers(), |answer| answer.is_duplicate)
            .expect("all are known");
        assert_eq!((by_tool.found, by_tool.right, by_tool.wanted), (2, 1, 2));
        assert_eq!(
            (by_tool.precision(), by_tool.recall(), by_tool.f1()),
            (0.5, 0.5, 0.5)
        );
        assert_eq!(by_tool.to_json()["found_of_kind"]["quote"], json!([1, 1]));
        let by_one = truth
            .judge(&answers(), |answer| answer.sentences >= 1)
            .expect("all are known");
        assert_eq!(by_one.recall(), 1.0);
        let none = truth.judge(&answers(), |_| false).expect("all are known");
        assert_eq!(
            (none.precision(), none.recall(), none.f1()),
            (1.0, 0.0, 0.0)
        );
        assert!(truth.judge(&answers()[1..], |_| true).is_err());
    }

    #[test]
    fn what_prints_a_source_again_stands_for_it() {
        let division = truth().judge_sources(&answers()).expect("all are known");
        // s9 and s3 are one, and of the two that count, s3 is right and s4 is not.
        let expected = Division {
            texts: 1,
            first: 1,
            named: 2,
            right: 1,
            wanted: 2,
            several: 1,
            several_complete: 0,
        };
        assert_eq!(division, expected);
    }

    #[test]
    fn the_area_is_a_half_for_a_score_that_tells_nothing() {
        assert_eq!(area(&[0.9, 0.8], &[0.1, 0.0]), 1.0);
        assert_eq!(area(&[0.5, 0.5], &[0.5]), 0.5);
        assert_eq!(area(&[0.1, 0.6], &[0.3]), 0.5);
        assert_eq!(area(&[0.0], &[1.0]), 0.0);
    }
}
