//! Removals that are known beforehand.

use super::*;

/// A chain of texts of which only neighbours match.
fn chain(length: u64) -> Vec<String> {
    let text = |from: u64| (from..from + 20).map(|n| word(n) + " ").collect();
    (0..length).map(|n| text(3 * n)).collect()
}

#[test]
fn a_long_chain_is_cut_where_texts_do_not_match() {
    let texts = Texts::new(&chain(400), &[]);
    let mut join = options(Metric::Resemblance, "0.6", 1);
    for spanning in [None, Some(0)] {
        join.spanning = spanning;
        let star = run(
            &texts,
            &join,
            clustering(&join, Linkage::Star, Keep::Central),
        );
        assert_eq!(star.summary.below_threshold, 0);
        let connected = run(
            &texts,
            &join,
            clustering(&join, Linkage::Connected, Keep::First),
        );
        assert_eq!(connected.summary.removed, 399);
        assert!(connected.summary.below_threshold > 390);
        let told = |ran: &Ran| {
            ran.summary
                .warnings
                .iter()
                .any(|text| text.contains("below the threshold"))
        };
        assert!(
            told(&connected) && !told(&star),
            "{:?}",
            connected.summary.warnings
        );
        let is_partly_compared = star
            .summary
            .warnings
            .iter()
            .any(|text| text.contains("only some of its representatives"));
        assert_eq!(is_partly_compared, spanning.is_some());
        // A representative and its two neighbours: about every third text is kept.
        assert!(
            (130..=140).contains(&star.summary.kept),
            "{}",
            star.summary.kept
        );
    }
}

/// More references are in one component than it has comparisons for.
#[test]
fn matches_with_references_count_where_comparisons_end() {
    let texts = chain(400);
    let references: Vec<String> = (0..30).map(|n| texts[13 * n].clone() + "more").collect();
    let texts = Texts::new(&texts, &references);
    let mut join = options(Metric::Resemblance, "0.6", 1);
    join.spanning = Some(0);
    let ran = run(
        &texts,
        &join,
        clustering(&join, Linkage::Star, Keep::Central),
    );
    let kept: BTreeSet<u32> = ran.removed.values().map(|(kept, ..)| *kept).collect();
    let references = kept.iter().filter(|kept| **kept >= 400).count();
    assert_eq!(references, 30);
    assert_eq!(ran.summary.below_threshold, 0);
}

#[test]
fn representatives_that_most_match_leave_fewer_texts() {
    // The first text of each five matches the other four, which do not match one another.
    let five = |n: u64| {
        let words = |range: std::ops::Range<u64>| {
            range
                .map(|own| word(100 * n + own) + " ")
                .collect::<String>()
        };
        let hub = words(0..20);
        let spokes = (0..4).map(move |spoke| {
            words(spoke * 5..20) + &words(0..spoke * 5) + &words(40 + 6 * spoke..46 + 6 * spoke)
        });
        spokes.chain([hub]).collect::<Vec<_>>()
    };
    let texts: Vec<String> = (0..20).flat_map(five).collect();
    let texts = Texts::new(&texts, &[]);
    let join = options(Metric::Resemblance, "0.7", 1);
    let kept = |keep| {
        run(&texts, &join, clustering(&join, Linkage::Star, keep))
            .summary
            .kept
    };
    assert_eq!(kept(Keep::Central), 20);
    assert_eq!(kept(Keep::First), 80);
}

#[test]
fn only_what_the_kept_text_contains_is_removed() {
    let long: String = (0..20).map(|n| word(n) + " ").collect();
    let clipped: String = (0..17).map(|n| word(n) + " ").collect();
    let extended = format!("{long}and a word");
    let texts = Texts::new(&[clipped, long, extended], &[]);
    let join = options(Metric::Resemblance, "0.6", 1);
    let cluster = ClusterOptions {
        removal: Some(join.removal_rule("0".parse().ok())),
        ..clustering(&join, Linkage::Star, Keep::Central)
    };
    let ran = run(&texts, &join, cluster);
    let kept: Vec<u32> = ran.removed.values().map(|(kept, ..)| *kept).collect();
    assert_eq!(ran.removed.keys().copied().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(kept, [2, 2], "the longest contains both");
}

#[test]
fn texts_kept_for_their_words_are_counted() {
    let text = |from: u64| (from..from + 20).map(|n| word(n) + " ").collect::<String>();
    // Each pair shares 18 of its 20 words.
    let texts: Vec<String> = (0..6)
        .flat_map(|n| [text(100 * n), text(100 * n + 2)])
        .collect();
    let texts = Texts::new(&texts, &[]);
    let join = options(Metric::Resemblance, "0.5", 1);
    for linkage in [Linkage::Star, Linkage::Connected, Linkage::Complete] {
        for (most_lost, removed) in [(None, 6), (Some("2"), 6), (Some("1"), 0), (Some("0.05"), 0)] {
            let cluster = ClusterOptions {
                removal: Some(join.removal_rule(most_lost.map(|most| most.parse().unwrap()))),
                ..clustering(&join, linkage, Keep::First)
            };
            let summary = run(&texts, &join, cluster).summary;
            assert_eq!(
                (summary.removed, summary.kept_for_loss),
                (removed, Some(6 - removed)),
                "{linkage:?} {most_lost:?}"
            );
        }
    }
}

#[test]
fn copies_are_removed_though_another_text_may_not_be() {
    let texts = [
        "a price of 12 euros",
        "a price of 13 euros",
        "a price of 13 euros",
        "A price of 13 euros.",
    ];
    let texts = Texts::new(&texts.map(str::to_owned), &[]);
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    for (linkage, keep) in [
        (Linkage::Star, Keep::Central),
        (Linkage::Connected, Keep::First),
    ] {
        let cluster = ClusterOptions {
            removal: Some(join.removal_rule("0".parse().ok())),
            ..clustering(&join, linkage, keep)
        };
        let ran = run(&texts, &join, cluster);
        let kept: Vec<(u32, u32)> = ran
            .removed
            .iter()
            .map(|(text, (kept, ..))| (*text, *kept))
            .collect();
        assert_eq!(kept, [(2, 1), (3, 1)]);
        assert_eq!(
            (ran.summary.kept_for_loss, ran.summary.differ_in_numbers),
            (Some(1), 0)
        );
        assert_eq!(ran.clusters.len(), 1);
        check_clusters(&ran, "copies");
    }
}

#[test]
fn only_numbers_are_told_of_where_other_words_are_left_out_too() {
    let texts = [
        "a price of 12 euros",
        "the price of 12 euros",
        "a price of 13 euros",
    ];
    let texts = Texts::new(&texts.map(str::to_owned), &[]);
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    join.matching.normalize.stop_words = vec!["a".to_owned(), "the".to_owned()];
    let ran = run(&texts, &join, clustering(&join, Linkage::Star, Keep::First));
    assert_eq!((ran.summary.removed, ran.summary.differ_in_numbers), (2, 1));
}

#[test]
fn references_are_no_cluster_when_the_text_is_kept_for_its_words() {
    let texts = Texts::new(
        &["a price of 12 euros".to_owned()],
        &[
            "a price of 13 euros".to_owned(),
            "a price of 13 euros".to_owned(),
        ],
    );
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    let cluster = ClusterOptions {
        removal: Some(join.removal_rule("0".parse().ok())),
        ..clustering(&join, Linkage::Star, Keep::Central)
    };
    let ran = run(&texts, &join, cluster);
    assert_eq!(
        (
            ran.summary.removed,
            ran.summary.kept_for_loss,
            ran.summary.clusters
        ),
        (0, Some(1), 0)
    );
    assert!(ran.clusters.is_empty());
}

#[test]
fn no_text_is_removed_for_one_that_it_contains() {
    let words = |from: u64, count: u64| (from..from + count).map(|n| word(n) + " ").collect();
    let quoted: String = words(0, 12);
    let article: String = words(100, 60) + &quoted + &words(200, 60);
    let spam = quoted.repeat(40);
    assert!(spam.len() > article.len());
    for metric in [Metric::Containment, Metric::ContainmentCoverage] {
        let join = options(metric, "0.8", 3);
        for linkage in [Linkage::Star, Linkage::Complete] {
            for keep in [Keep::Central, Keep::First, Keep::Last, Keep::Longest] {
                let cluster = || clustering(&join, linkage, keep.clone());
                let against = Texts::new(from_ref(&article), from_ref(&quoted));
                let ran = run(&against, &join, cluster());
                assert_eq!(ran.summary.removed, 0, "{metric} {linkage:?} {keep}");
                let together = Texts::new(&[article.clone(), spam.clone()], &[]);
                let ran = run(&together, &join, cluster());
                let article_is_gone = ran.removed.contains_key(&0);
                assert!(!article_is_gone, "{metric} {linkage:?} {keep}");
            }
            let reversed = Texts::new(from_ref(&quoted), from_ref(&article));
            let ran = run(&reversed, &join, clustering(&join, linkage, Keep::First));
            assert_eq!(ran.removed[&0].1, 1.0, "the article contains it");
        }
    }
    let join = options(Metric::Containment, "0.8", 3);
    let chained = Texts::new(&[quoted, article], &[]);
    let ran = run(
        &chained,
        &join,
        clustering(&join, Linkage::Connected, Keep::First),
    );
    assert_eq!((ran.summary.removed, ran.summary.below_threshold), (1, 1));
}

#[test]
fn words_that_the_method_leaves_out_are_lost_too() {
    let check = |texts: [&str; 2], join: &JoinOptions, lost: u64| {
        let texts = Texts::new(&texts.map(str::to_owned), &[]);
        let cluster = clustering(join, Linkage::Star, Keep::First);
        let ran = run(&texts, join, cluster.clone());
        let losses: Vec<u64> = ran.removed.values().map(|(.., lost)| *lost).collect();
        assert_eq!(losses, [lost], "{:?}", join.matching.method);
        let strict = ClusterOptions {
            removal: Some(join.removal_rule("0".parse().ok())),
            ..cluster
        };
        assert_eq!(run(&texts, join, strict).summary.removed, 0);
    };
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.stop_words = vec!["not".to_owned()];
    check(
        ["you should take this drug", "you should not take this drug"],
        &join,
        1,
    );
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    check(
        ["a price of 12 and 13 euros", "a price of 99 and 14 euros"],
        &join,
        2,
    );
}

#[test]
fn references_alone_are_no_cluster() {
    let text = |from: u64| (from..from + 20).map(|n| word(n) + " ").collect::<String>();
    let texts = Texts::new(&[text(0), text(50)], &[text(100), text(100), text(0)]);
    let join = options(Metric::Resemblance, "0.8", 2);
    for linkage in [Linkage::Star, Linkage::Connected, Linkage::Complete] {
        let ran = run(&texts, &join, clustering(&join, linkage, Keep::Central));
        assert_eq!(
            (ran.clusters.len(), ran.summary.removed),
            (1, 1),
            "{linkage:?}"
        );
    }
}

#[test]
fn numbers_tell_texts_apart() {
    let texts = ["Apple iPhone 12 64GB", "Apple iPhone 13 128GB"].map(str::to_owned);
    let texts = Texts::new(&texts, &[]);
    for way in WAYS.map(|(method, _)| (method, method.metrics()[0])) {
        let mut join = join_options(way, "0.8");
        join.matching.terms.candidates = Candidates::default();
        assert!(texts.pairs(&join).is_empty(), "{}", way.0);
    }
}

#[test]
fn a_warning_tells_of_removals_that_differ_in_numbers_only() {
    let texts = [
        "M1 rose 12 million in the week of May 7",
        "M1 rose 9 million in the week of May 14",
        "M1 rose",
    ];
    let texts = Texts::new(&texts.map(str::to_owned), &[]);
    let mut join = options(Metric::Containment, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    let ran = run(
        &texts,
        &join,
        clustering(&join, Linkage::Star, Keep::Longest),
    );
    assert_eq!((ran.summary.removed, ran.summary.differ_in_numbers), (2, 1));
    let warnings = ran.summary.warnings;
    assert!(
        warnings.iter().any(|text| text.contains("only in numbers")),
        "{warnings:?}"
    );
}
