//! Paper 001, measured: its worked example, run time and memory as collections grow, pairs at 90 %, and what validation changes.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::setting::Setting;
use super::unvalidated::{Scored, Shingled, scored_pairs, scores, shingled};
use crate::bench::check::TOLERANCE;
use crate::bench::contender;
use crate::bench::peers::Pythons;
use crate::bench::record::Collection;
use crate::bench::rounds::{self, Tools};
use crate::corpus::Kind;
use crate::terms::texts::Texts;
use crate::{bench, doublet, workspace};

pub(super) const METRICS: [&str; 2] = ["resemblance", "coverage"];
/// From this similarity on the paper validates.
const VALIDATED: f64 = 0.7;
/// The tool's pairs are taken from here on, since fingerprints may lift some over the threshold.
const FROM: &str = "0.6";
/// Primes to divide fingerprints by, each the largest of so many bits. The paper took one "according to available RAM".
pub(super) const MODULI: [(u32, u64); 5] = [
    (16, 65_521),
    (20, 1_048_573),
    (24, 16_777_213),
    (28, 268_435_399),
    (32, 4_294_967_291),
];
/// Real collections; German newspaper text is what the paper had.
const COLLECTIONS: [&str; 5] = [
    "gnad_test",
    "reuters21578",
    "bbc_news",
    "manpages",
    "nus_sms",
];
/// Where many pairs are near, and texts long enough to be validated.
const VALIDATION: [&str; 3] = ["gnad_test", "reuters21578", "bbc_news"];
const ROSE: &str = "a rose is a rose is a rose";

/// The rows of the page.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Value>> {
    let mut rows = example(setting)?;
    for &size in setting.sizes.documents {
        let collection = setting.make(Kind::Documents, size)?;
        rows.extend(time_and_memory(setting, &collection, "figure-1", "made")?);
    }
    for texts in setting.collections(&COLLECTIONS)? {
        let collection = bench::describe(&texts.path)?;
        rows.extend(time_and_memory(setting, &collection, "real", &texts.name)?);
        rows.extend(at_ninety(setting, &texts)?);
    }
    for texts in setting.collections(&VALIDATION)? {
        rows.extend(validation(setting, &texts)?);
    }
    let made = setting.make(Kind::Documents, setting.sizes.documents[1])?;
    rows.extend(validation(
        setting,
        &Texts::read("made, smaller", &made.path)?,
    )?);
    Ok(rows)
}

/// The two lines about an author, and the rose.
fn example(setting: &Setting) -> Result<Vec<Value>> {
    let samples = workspace::root().join("samples");
    let [a, b] =
        ["rulff-a.txt", "rulff-b.txt"].map(|name| samples.join(name).display().to_string());
    // Below the threshold the tool would say so by its exit status.
    let line = [
        "compare",
        &a,
        &b,
        "--stop-words",
        "de",
        "--threshold",
        "0.1",
        "--json",
    ];
    let printed = setting.ask(&line)?;
    let mut compared = printed
        .first()
        .context("`compare --json` printed nothing")?
        .clone();
    compared["experiment"] = json!("example");
    // A record is of no machine.
    for (side, name) in [("a", "samples/rulff-a.txt"), ("b", "samples/rulff-b.txt")] {
        compared[side] = json!(name);
    }
    let rose = setting.work.join("rose.txt");
    std::fs::write(&rose, ROSE)?;
    let printed = setting.ask(&["inspect", &rose.display().to_string(), "--shingle", "4"])?;
    let shingles = &printed.first().context("`inspect` printed nothing")?["shingles"];
    Ok(vec![
        compared,
        json!({"experiment": "rose", "shingles": shingles}),
    ])
}

/// Both metrics on one collection, as `bench --scaling` runs them.
fn time_and_memory(
    setting: &Setting,
    collection: &Collection,
    experiment: &str,
    name: &str,
) -> Result<Vec<Value>> {
    let contenders = METRICS
        .iter()
        .map(|metric| contender::shingles(metric, VALIDATED))
        .collect::<Result<Vec<_>>>()?;
    let tools = Tools {
        doublet: Some(setting.doublet.clone()),
        pythons: Pythons::new(),
        folder: setting.work.clone(),
    };
    let rule = rounds::Setting {
        runs: 1,
        threads: setting.tool.threads,
        threshold: VALIDATED,
        check: false,
        limit: Duration::MAX,
        compare_answers: false,
    };
    let (rows, _) = rounds::measure(&rule, &tools, &contenders, collection)?;
    let described = rows.iter().map(|row| {
        let mut row = row.to_json();
        row["experiment"] = json!(experiment);
        row["collection"] = json!(name);
        row
    });
    Ok(described.collect())
}

/// Pairs, texts and clusters at 90 % by each metric.
fn at_ninety(setting: &Setting, texts: &Texts) -> Result<Vec<Value>> {
    let output = setting.work.join("papers-out");
    let row = |metric: &str| {
        let options = ["--metric", metric, "--threshold", "0.9"];
        let run = setting.doublet.dedup(&texts.path, &output, &options)?;
        doublet::clear(&output)?;
        let (clusters, removed) = (run.count("clusters")?, run.count("removed")?);
        Ok(json!({
            "experiment": "ninety",
            "collection": texts.name,
            "metric": metric,
            "texts": run.count("read")?,
            "tokens": run.count("tokens")?,
            "pairs": run.count("pairs")?,
            "clusters": clusters,
            "involved": clusters + removed,
        }))
    };
    METRICS.into_iter().map(row).collect()
}

/// What fingerprints add to the scores, by metric and modulus.
fn validation(setting: &Setting, texts: &Texts) -> Result<Vec<Value>> {
    let output = setting.work.join("papers-pairs.jsonl");
    let mut rows = Vec::new();
    for metric in METRICS {
        let options = ["--metric", metric, "--threshold", FROM];
        let program = setting
            .doublet
            .program("pairs", &texts.path, &output, &options);
        program.measure()?;
        let pairs = scored_pairs(&output, texts)?;
        doublet::clear(&output)?;
        let wanted: HashSet<u32> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let shingled = shingled(texts, |number| wanted.contains(&number))?;
        let off = pairs
            .iter()
            .filter(|pair| !is_confirmed(pair, &shingled))
            .count();
        let below = pairs
            .iter()
            .filter(|pair| pair.coverage < pair.resemblance - TOLERANCE);
        let below = below.count();
        for (bits, modulus) in MODULI {
            let differences = differences(&pairs, &shingled, metric, modulus);
            let size = differences.len().max(1) as f64;
            rows.push(json!({
                "experiment": "validation",
                "collection": texts.name,
                "texts": texts.len(),
                "metric": metric,
                "bits": bits,
                "modulus": modulus,
                "pairs": differences.len(),
                "mean": differences.iter().sum::<f64>() / size,
                "most": differences.iter().copied().fold(0.0, f64::max),
                "scored": pairs.len(),
                "scored_otherwise": off,
                "coverage_below_resemblance": below,
            }));
        }
    }
    Ok(rows)
}

/// Whether the tool's scores are those computed here.
fn is_confirmed(pair: &Scored, shingled: &[Shingled]) -> bool {
    let own = scores(&shingled[pair.a as usize], &shingled[pair.b as usize], None);
    let near = |here: f64, there: f64| (here - there).abs() <= TOLERANCE;
    near(own.resemblance, pair.resemblance) && near(own.coverage, pair.coverage)
}

/// By how much fingerprints alone score each pair higher, of the pairs that reach the threshold by them.
fn differences(pairs: &[Scored], shingled: &[Shingled], metric: &str, modulus: u64) -> Vec<f64> {
    let difference = |pair: &Scored| {
        let (a, b) = (&shingled[pair.a as usize], &shingled[pair.b as usize]);
        let (first, valid) = (scores(a, b, Some(modulus)), scores(a, b, None));
        let (first, valid) = match metric {
            "coverage" => (first.coverage, valid.coverage),
            _ => (first.resemblance, valid.resemblance),
        };
        (first >= VALIDATED).then_some(first - valid)
    };
    pairs.iter().filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_are_the_largest_primes_of_their_bits() {
        let is_prime = |number: u64| {
            let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
            divisors.all(|divisor| !number.is_multiple_of(divisor))
        };
        for (bits, modulus) in MODULI {
            assert!(is_prime(modulus), "{modulus}");
            assert!((modulus + 1..1 << bits).all(|larger| !is_prime(larger)));
        }
    }

    #[test]
    fn only_pairs_above_the_threshold_are_validated() {
        let texts = ["a b c d e f g h", "a b c d e f g h", "a b c d e x y z"];
        let shingled: Vec<Shingled> = texts.iter().map(|text| Shingled::new(text)).collect();
        let pair = |a, b, resemblance| Scored {
            a,
            b,
            resemblance,
            coverage: resemblance,
        };
        let pairs = [pair(0, 1, 1.0), pair(0, 2, 1.0 / 7.0)];
        assert_eq!(
            differences(&pairs, &shingled, "resemblance", MODULI[4].1),
            [0.0]
        );
        assert!(is_confirmed(&pairs[0], &shingled) && !is_confirmed(&pairs[1], &shingled));
        // Everything is alike modulo 1.
        assert_eq!(
            differences(&pairs, &shingled, "resemblance", 1),
            [0.0, 1.0 - 1.0 / 7.0]
        );
    }
}
