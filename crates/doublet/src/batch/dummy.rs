//! The join of the method that only tests have: every text is compared with every other.

use std::sync::Arc;

use super::finish::Search;
use super::{Join, Joined};
use crate::candidates::pairs::{Limits, Round};
use crate::error::Result;
use crate::matches::{BlockRows, CandidatePair, Identical, Wanted};
use crate::method::dummy::Fitted;

impl Join<'_> {
    pub(crate) fn dummy(self) -> Result<Joined> {
        let mut documents = self.read_documents(
            Vec::new,
            |rows, block, _| {
                rows.push(BlockRows::of(block, self.options, |_, text| {
                    Ok(Fitted::count(text))
                })?);
                Ok(())
            },
            Ok,
        )?;
        documents.check_keys(self.source)?;
        let identical = Identical::take(&mut documents);
        let has_letters = |text: &u32| documents.tokens[*text as usize] > 0;
        let texts = (0..documents.len() as u32).filter(|text| identical.is_first(*text));
        let search = AllPairs {
            texts: texts.filter(has_letters).collect(),
            wanted: self.wanted(&documents),
        };
        let fitted = crate::method::Fitted::Dummy(Arc::new(Fitted));
        self.finish((documents, identical), fitted, &search)
    }
}

struct AllPairs {
    texts: Vec<u32>,
    wanted: Wanted,
}

impl Search for AllPairs {
    fn expected(&self) -> u64 {
        0
    }

    fn candidates(&self, _: &Join<'_>, _: Round<'_>, _: &Limits<'_>) -> Result<Vec<CandidatePair>> {
        let texts = self.texts.iter().enumerate();
        let pairs = texts.flat_map(|(place, &a)| {
            let others = self.texts[place + 1..].iter();
            others.map(move |&b| CandidatePair { a, b })
        });
        Ok(pairs
            .filter(|pair| self.wanted.pair(pair.a, pair.b))
            .collect())
    }

    fn pushes(&self, _: Round<'_>, _: &Limits<'_>) -> Result<u64> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use crate::batch::{JoinOptions, find_matches, score_between};
    use crate::cluster::ClusterOptions;
    use crate::dedup::{DedupOptions, dedup};
    use crate::document::DocId;
    use crate::index::IndexOptions;
    use crate::kernel::Kernel;
    use crate::matches::Source;
    use crate::method::{Fitted, MatchOptions, Method};
    use crate::options::{ReadOptions, Resources};
    use crate::progress::Silent;
    use crate::read::{CodePoints, Collection};
    use crate::scores::Metric;

    fn join(directory: &Path) -> JoinOptions {
        let resources = Resources {
            threads: 2,
            memory: 1 << 28,
            temp_dir: directory.to_owned(),
        };
        JoinOptions::new(MatchOptions::new(Method::Dummy), resources)
    }

    fn source(directory: &Path) -> Source {
        let path = directory.join("in.jsonl");
        let texts = ["stone", "notes!", "onsets", "water", "!"];
        let lines = texts.map(|text| format!("{{\"text\": \"{text}\"}}\n"));
        std::fs::write(&path, lines.concat()).unwrap();
        let inputs = [path.to_string_lossy().into_owned()];
        let input = Collection::open(&inputs, &ReadOptions::default(), directory).unwrap();
        Source {
            input,
            references: None,
        }
    }

    #[test]
    fn a_new_method_runs_wherever_methods_do() {
        let place = tempfile::tempdir().unwrap();
        let (source, join) = (source(place.path()), join(place.path()));
        let joined = find_matches(&source, &join, &Silent).unwrap();
        assert_eq!(joined.matches.count(), 3);
        let (a, b) = (DocId(0), DocId(3));
        let scored = score_between(&source, &joined, &join, &[(a, b)], &Silent).unwrap();
        assert_eq!(scored[0].unwrap().score(Metric::Resemblance), 2.0 / 8.0);

        let fitted = Fitted::of_texts(&join.matching, &["stone", "tones"]).unwrap();
        assert_eq!(fitted.explain("stone", "tones").passages_a.len(), 5);
        assert_eq!(
            fitted.decide("stone", "note").score(Metric::Resemblance),
            0.8
        );
        assert!(fitted.details("stone", "note").is_empty());
        let seen = fitted.inspector(&join.matching);
        let seen = seen.text("noon", &mut CodePoints::of_text("noon"));
        assert_eq!(seen[0].1.to_string(), r#"["n","o"]"#);

        let directory = place.path().join("out");
        let options = DedupOptions::new(join, directory.clone());
        let summary = dedup(&source, &options, &Silent).unwrap();
        assert_eq!((summary.kept, summary.removed, summary.empty), (2, 2, 1));
        let report = std::fs::read_to_string(directory.join("report.html")).unwrap();
        assert!(report.contains("dummy"));
    }

    #[test]
    fn what_a_method_has_not_is_refused_by_its_row() {
        let place = tempfile::tempdir().unwrap();
        let mut join = join(place.path());
        let index = IndexOptions {
            matching: join.matching.clone(),
            texts: true,
        };
        assert!(index.check().is_err());
        let cluster = ClusterOptions::for_removal(&join.matching);
        assert!(Kernel::new(join.matching.clone(), cluster).is_err());
        assert!(
            Method::Dummy
                .expect_options(false, |name| name == "recall")
                .is_err()
        );
        join.matching.metric = Metric::Coverage;
        assert!(join.matching.check().is_err());
    }

    /// Counts the files that name the method, with its own two.
    #[test]
    fn a_new_method_touches_few_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
            .unwrap()
            .map(|entry| entry.unwrap().path().join("src"))
            .filter(|path| path.is_dir())
            .collect();
        let mut touched = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    if text.contains("Dummy") || text.contains("mod dummy") {
                        touched.push(path);
                    }
                }
            }
        }
        let own = |path: &&PathBuf| !path.ends_with("dummy.rs");
        let others = touched.iter().filter(own).count();
        // With the method itself and its plan.
        assert!(others + 2 <= 10, "{touched:?}");
        assert!(others > 0);
    }
}
