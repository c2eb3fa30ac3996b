//! The truth table in `tests/data/pairs`: two texts and what is expected of them, through the library.

use std::path::Path;

use doublet::method::shingles::Preparer;
use doublet::normalize::stop_words::stop_words;
use doublet::options::{FingerprintKind, NormalizeOptions, Numbers, ShingleOptions};
use doublet::scores::{Scores, Weights};

struct Case {
    size: usize,
    normalize: NormalizeOptions,
    scores: Scores,
    a: String,
    b: String,
}

impl Case {
    fn parse(text: &str) -> Self {
        let (head, texts) = text.split_once("--- a\n").unwrap();
        let (a, b) = texts.split_once("\n--- b\n").unwrap_or_else(|| {
            // The first text is empty.
            ("", texts.strip_prefix("--- b\n").unwrap())
        });
        let field = |name: &str| {
            let line = head
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or_default().trim().to_owned()
        };
        let number = |name: &str| field(name).parse().unwrap();
        let two = |name: &str| {
            let numbers: Vec<u32> = field(name)
                .split_whitespace()
                .map(|n| n.parse().unwrap())
                .collect();
            (numbers[0], numbers[1])
        };
        let (distinct, covered, tokens) = (two("distinct"), two("covered"), two("tokens"));
        Self {
            size: number("shingle") as usize,
            normalize: normalize(&field("options")),
            scores: Scores {
                common: number("common"),
                distinct_a: distinct.0,
                distinct_b: distinct.1,
                covered_a: covered.0,
                covered_b: covered.1,
                tokens_a: tokens.0,
                tokens_b: tokens.1,
                compared: 0,
                weights: Weights::default(),
            },
            a: a.to_owned(),
            b: b.strip_suffix('\n').unwrap_or(b).to_owned(),
        }
    }
}

fn normalize(words: &str) -> NormalizeOptions {
    let mut options = NormalizeOptions::default();
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("stop-words", language) => options.stop_words = stop_words(language).unwrap(),
            ("numbers", "keep") => options.numbers = Numbers::Keep,
            ("numbers", "token") => options.numbers = Numbers::Token,
            ("numbers", "drop") => options.numbers = Numbers::Drop,
            ("case", "keep") => options.fold_case = false,
            ("accents", "fold") => options.fold_accents = true,
            ("ascii", _) => options.ascii = true,
            other => panic!("unknown option {other:?}"),
        }
    }
    options
}

#[test]
fn every_pair_has_the_scores_of_the_table() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pairs");
    let mut cases = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        cases += 1;
        let case = Case::parse(&std::fs::read_to_string(&path).unwrap());
        for fingerprint in [FingerprintKind::Fold, FingerprintKind::Rabin] {
            let shingle = ShingleOptions {
                size: case.size,
                fingerprint,
                ..ShingleOptions::default()
            };
            let preparer = Preparer::new(&case.normalize, &shingle).unwrap();
            let found = preparer.explain(&case.a, &case.b).scores;
            assert_eq!(found, case.scores, "{}", path.display());
            let back = preparer.explain(&case.b, &case.a).scores;
            assert_eq!(
                back,
                case.scores.swapped(),
                "{}, the other way round",
                path.display()
            );
        }
    }
    assert!(cases >= 30, "only {cases} cases");
}
