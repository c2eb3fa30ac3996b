//! The front door says what the doors behind it say.

use std::collections::BTreeSet;

use doublet::Detector;
use doublet::dedup::{DedupOptions, dedup};
use doublet::method::{MatchOptions, Method};
use doublet::progress::Silent;
use proptest::prelude::*;

use crate::harness::{Texts, options};

#[test]
fn nothing_and_empty_texts_are_no_duplicates() {
    for method in Method::ALL {
        let detector = Detector::new(MatchOptions::new(method)).unwrap();
        let none: [(u8, &str); 0] = [];
        assert_eq!(
            detector.find_duplicates(none).unwrap().count(),
            0,
            "{method}"
        );
        let texts = [(1, ""), (2, " "), (3, "one word"), (4, "one word")];
        let kept = detector.deduplicate(texts).unwrap();
        let kept: Vec<u8> = kept.into_kept().map(|(id, _)| id).collect();
        assert_eq!(kept, [1, 2, 3], "{method}");
        assert!(!detector.compare("", "").unwrap().is_match, "{method}");
        assert!(
            detector.compare("one word", "One word.").unwrap().is_match,
            "{method}"
        );
    }
}

#[test]
fn an_option_out_of_range_is_refused_at_the_door() {
    let mut options = MatchOptions::default();
    options.shingle.size = 0;
    let refused = Detector::new(options).unwrap_err().to_string();
    assert!(refused.contains("1 to 1000"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn texts_in_memory_are_matched_and_removed_like_files(
        texts in prop::collection::vec("(a|b|c|d|one|two| |[.] ){0,14}", 1..14),
        method in prop::sample::select(Method::ALL.to_vec()),
        metric in prop::sample::select(vec![0usize, 1, 2, 3]),
        threshold in prop::sample::select(vec!["0.3", "0.6", "0.9"]),
    ) {
        let mut join = options(method.metrics()[metric % method.metrics().len()], threshold, 2);
        join.matching.method = method;
        let detector = Detector::new(join.matching.clone()).unwrap();
        let numbered = || (0u32..).zip(&texts);
        let found = detector.find_duplicates(numbered()).unwrap();
        let pairs: Vec<(u32, u32)> = found.pairs().iter().map(|pair| (*pair.a, *pair.b)).collect();
        let files = Texts::new(&texts, &[]);
        let expected: Vec<(u32, u32)> = files.pairs(&join).into_iter().map(|(a, b, _)| (a, b)).collect();
        prop_assert_eq!(pairs.len() as u64, found.count());
        prop_assert_eq!(pairs, expected);

        let unique = detector.deduplicate(numbered()).unwrap();
        let removed: BTreeSet<u32> = unique.removed().map(|(text, _)| text.0).collect();
        let place = tempfile::tempdir().unwrap();
        join.matching = join.matching.for_removal();
        let dedup_options = DedupOptions::new(join, place.path().join("out"));
        let summary = dedup(&files.source, &dedup_options, &Silent).unwrap();
        prop_assert_eq!(summary.removed, removed.len() as u64);
        prop_assert_eq!(summary.kept + summary.empty, unique.kept().count() as u64);
        let decision = dedup_options.join.decision();
        for ((_, text), (_, kept)) in unique.removed() {
            // Terms weigh something else in a collection.
            if method != Method::Terms {
                let compared = doublet::method::Fitted::of_texts(&dedup_options.join.matching, &[kept, text]).unwrap();
                prop_assert!(method.unit().is_some() || decision.is_match(&compared.decide(kept, text)));
            }
        }
    }
}
