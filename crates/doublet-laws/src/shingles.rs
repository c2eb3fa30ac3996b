//! Laws of scores: those of two texts are what sets of word runs say, the same from both sides and by every fingerprint.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use doublet::method::Explanation;
use doublet::method::shingles::{Prepared, Preparer, Tokens};
use doublet::options::{FingerprintKind, ShingleOptions};
use doublet::scores::{Metric, Scores};

use crate::words::options_of;

const METRICS: [Metric; 4] = [
    Metric::Resemblance,
    Metric::Coverage,
    Metric::Containment,
    Metric::ContainmentCoverage,
];

/// Scores of two texts, which a zero byte parts.
pub fn shingles(data: &[u8]) {
    let [bits, size, rest @ ..] = data else {
        return;
    };
    let middle = rest
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(rest.len() / 2);
    let a = String::from_utf8_lossy(&rest[..middle]);
    let b = String::from_utf8_lossy(rest.get(middle + 1..).unwrap_or_default());
    let size = usize::from(size % 8) + 1;
    let normalize = options_of(*bits);
    let mut all = Vec::new();
    for (kind, used) in [
        (FingerprintKind::Fold, 64),
        (FingerprintKind::Rabin, 64),
        (FingerprintKind::Fold, 16),
    ] {
        let shingle = ShingleOptions {
            size,
            fingerprint: kind,
            bits: used,
        };
        let preparer = Preparer::new(&normalize, &shingle).expect("options in range");
        prepared_alike(&preparer, &a);
        let found = preparer.explain(&a, &b);
        mirrored(&found, &preparer.explain(&b, &a));
        covers(&preparer, (&a, &found.passages_a), found.scores.covered_a);
        covers(&preparer, (&b, &found.passages_b), found.scores.covered_b);
        let expected = brute_force(&preparer.tokens(&a), &preparer.tokens(&b), size);
        assert_eq!(found.scores, expected, "scores of {a:?} and {b:?}");
        all.push(found);
    }
    assert!(
        all.iter().all(|found| *found == all[0]),
        "fingerprints make a difference"
    );
    for metric in METRICS {
        let score = all[0].scores.score(metric);
        assert!((0.0..=1.0).contains(&score), "{metric} is {score}");
        let same = a == b && !all[0].passages_a.is_empty();
        assert!(
            !same || score == 1.0,
            "{metric} of a text and itself is {score}"
        );
    }
}

/// That the two ways to the shingles of a text lead to the same.
fn prepared_alike(preparer: &Preparer, text: &str) {
    let mut prepared = Prepared::default();
    preparer.prepare(text, &mut prepared);
    let tokens = preparer.tokens(text);
    assert_eq!(prepared.shingles, tokens.shingles, "other shingles");
    assert_eq!(
        prepared.tokens as usize,
        tokens.len(),
        "another number of tokens"
    );
    let expected = match tokens.len() {
        0 => 0,
        count => count.saturating_sub(preparer.shingle_size()) + 1,
    };
    assert_eq!(
        tokens.shingles.len(),
        expected,
        "another number of shingles"
    );
}

/// That two explanations say the same from either side.
fn mirrored(one: &Explanation, other: &Explanation) {
    let Scores {
        common,
        distinct_a,
        distinct_b,
        covered_a,
        covered_b,
        tokens_a,
        tokens_b,
        compared,
        weights,
    } = one.scores;
    let turned = Scores {
        common,
        distinct_a: distinct_b,
        distinct_b: distinct_a,
        covered_a: covered_b,
        covered_b: covered_a,
        tokens_a: tokens_b,
        tokens_b: tokens_a,
        compared,
        weights,
    };
    assert_eq!(other.scores, turned, "other scores from the other side");
    let passages = (&other.passages_b, &other.passages_a);
    assert_eq!(
        (&one.passages_a, &one.passages_b),
        passages,
        "other passages from the other side"
    );
}

/// That passages stand in order and apart, and hold the tokens that are covered.
fn covers(preparer: &Preparer, (text, passages): (&str, &[Range<usize>]), covered: u32) {
    let mut last = 0;
    let spans = preparer.tokens(text).spans;
    let mut inside = 0;
    for passage in passages {
        assert!(
            last <= passage.start && passage.start < passage.end,
            "out of order: {passages:?}"
        );
        assert!(
            text.get(passage.clone()).is_some(),
            "within a character: {passage:?}"
        );
        let within = |(start, end): &&(u32, u32)| {
            passage.start <= *start as usize && *end as usize <= passage.end
        };
        inside += spans.iter().filter(within).count();
        last = passage.end;
    }
    assert_eq!(inside, covered as usize, "passages cover other tokens");
}

/// The counts by sets of word runs.
fn brute_force(a: &Tokens, b: &Tokens, size: usize) -> Scores {
    let (runs_a, runs_b) = (runs(a, size), runs(b, size));
    let common: BTreeSet<_> = runs_a
        .keys()
        .filter(|run| runs_b.contains_key(*run))
        .collect();
    let covered = |runs: &BTreeMap<Vec<&str>, BTreeSet<usize>>| {
        let places = common.iter().filter_map(|run| runs.get(*run)).flatten();
        places.collect::<BTreeSet<_>>().len() as u32
    };
    Scores {
        common: common.len() as u32,
        distinct_a: runs_a.len() as u32,
        distinct_b: runs_b.len() as u32,
        covered_a: covered(&runs_a),
        covered_b: covered(&runs_b),
        tokens_a: a.len() as u32,
        tokens_b: b.len() as u32,
        ..Scores::default()
    }
}

/// Each run of words with the places that it covers.
fn runs(tokens: &Tokens, size: usize) -> BTreeMap<Vec<&str>, BTreeSet<usize>> {
    let forms: Vec<&str> = (0..tokens.len()).map(|token| tokens.form(token)).collect();
    let size = size.min(forms.len());
    let mut runs: BTreeMap<Vec<&str>, BTreeSet<usize>> = BTreeMap::new();
    if size > 0 {
        for (start, run) in forms.windows(size).enumerate() {
            runs.entry(run.to_vec())
                .or_default()
                .extend(start..start + size);
        }
    }
    runs
}
