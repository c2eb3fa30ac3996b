//! Paper 004, measured: the slides' small examples, the three estimators on drawn and on real pairs, and the seven steps of clustering.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::setting::Setting;
use super::unvalidated::{Shingled, scores, shingled};
use crate::corpus::Kind;
use crate::doublet;
use crate::sketches::estimators;
use crate::terms::finder::{Pair, read_pairs};
use crate::terms::texts::Texts;
use crate::terms::transitivity;

/// The sketches, and the size of each.
pub(super) const SKETCHES: [(&str, usize); 3] =
    [("permutations", 200), ("smallest", 200), ("modulo", 4)];
/// The slides' threshold.
const THRESHOLD: &str = "0.8";
/// Real collections for clustering.
const COLLECTIONS: [&str; 3] = ["reuters21578", "bbc_news", "gnad_test"];
/// Real pairs from this resemblance on are estimated, in bands of a tenth.
const FROM: f64 = 0.3;
pub(super) const BANDS: usize = 7;
/// Potential pairs to look at, and what they are drawn by.
const POTENTIAL: usize = 10_000;
const SEED: u64 = 1;
const INIGO: &str = "My name is Inigo Montoya. You killed my father. Prepare to die";

/// The rows of the page.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Value>> {
    let mut rows = vec![inigo(setting)?];
    let binary = setting.doublet.binary();
    rows.extend(estimators::measure(Some(binary), setting.sizes.trials)?);
    rows.extend(real_estimates(setting)?);
    for texts in setting.collections(&COLLECTIONS)? {
        rows.push(near_duplicates(setting, &texts)?);
        for (sketch, _) in SKETCHES {
            rows.push(steps(setting, &texts, sketch)?);
        }
    }
    Ok(rows)
}

/// The 4-shingling of the slides.
fn inigo(setting: &Setting) -> Result<Value> {
    let file = setting.work.join("inigo.txt");
    std::fs::write(&file, INIGO)?;
    let printed = setting.ask(&["inspect", &file.display().to_string(), "--shingle", "4"])?;
    let shingles = &printed.first().context("`inspect` printed nothing")?["shingles"];
    Ok(json!({"experiment": "inigo", "shingles": shingles}))
}

/// The slides' algorithm on a collection: what each step counts.
fn steps(setting: &Setting, texts: &Texts, sketch: &str) -> Result<Value> {
    let output = setting.work.join("papers-out");
    let options = [
        "--method",
        "minhash",
        "--sketch",
        sketch,
        "--candidates",
        "values",
        "--estimate",
        "--threshold",
        THRESHOLD,
    ];
    println!("  seven steps by {sketch}: {}", texts.name);
    let run = setting.doublet.dedup(&texts.path, &output, &options)?;
    doublet::clear(&output)?;
    Ok(json!({
        "experiment": "steps",
        "collection": texts.name,
        "texts": texts.len(),
        "sketch": sketch,
        "steps": run.summary["sketches"]["steps"],
        "removed": run.count("removed")?,
        "wall_seconds": run.usage.wall_seconds,
        "peak_bytes": run.usage.peak_bytes,
    }))
}

/// How many texts have a near-duplicate by exact resemblance, the clusters, and whether duplicates of duplicates are duplicates.
fn near_duplicates(setting: &Setting, texts: &Texts) -> Result<Value> {
    let output = setting.work.join("papers-out");
    let options = ["--metric", "resemblance", "--threshold", THRESHOLD];
    let run = setting.doublet.dedup(&texts.path, &output, &options)?;
    doublet::clear(&output)?;
    let pairs = exact_pairs(setting, texts, THRESHOLD)?;
    let check = transitivity::check(&pairs, POTENTIAL, SEED);
    let (clusters, removed) = (run.count("clusters")?, run.count("removed")?);
    Ok(json!({
        "experiment": "near-duplicates",
        "collection": texts.name,
        "texts": texts.len(),
        "pairs": pairs.len(),
        "clusters": clusters,
        "involved": clusters + removed,
        "potential_pairs": check.potential,
        "wrong": check.wrong,
    }))
}

fn exact_pairs(setting: &Setting, texts: &Texts, threshold: &str) -> Result<Vec<Pair>> {
    pairs(
        setting,
        texts,
        &["--metric", "resemblance", "--threshold", threshold],
    )
}

fn pairs(setting: &Setting, texts: &Texts, options: &[&str]) -> Result<Vec<Pair>> {
    let output = setting.work.join("papers-pairs.jsonl");
    let program = setting
        .doublet
        .program("pairs", &texts.path, &output, options);
    program.measure()?;
    let pairs = read_pairs(Path::new(&output), texts)?;
    doublet::clear(&output)?;
    Ok(pairs)
}

/// A pair whose resemblance is known, with the number of its distinct shingles.
struct Known {
    resemblance: f64,
    union: usize,
}

/// What the sketches make of real pairs, by band of their resemblance: mean and spread of the error beside theory's.
fn real_estimates(setting: &Setting) -> Result<Vec<Value>> {
    let texts = match setting.unpacked("reuters21578", setting.sizes.estimated)? {
        Some(texts) => texts,
        None => {
            let made = setting.make(Kind::Documents, setting.sizes.estimated)?;
            Texts::read("made", &made.path)?
        }
    };
    let known = known_pairs(setting, &texts)?;
    let mut rows = Vec::new();
    for (sketch, size) in SKETCHES {
        let mut bands = vec![Band::default(); BANDS];
        for seed in 1..=setting.sizes.seeds {
            println!("  estimates by {sketch}, seed {seed}: {}", texts.name);
            let estimates = estimates(setting, &texts, sketch, seed)?;
            for (key, pair) in &known {
                let variance = theory(sketch, size as f64, pair);
                // What shares no value at all is no pair of the tool's; an estimate of nothing is 0.
                let estimate = estimates.get(key).copied().unwrap_or(0.0);
                if let Some(variance) = variance {
                    bands[band(pair.resemblance)].add(estimate - pair.resemblance, variance);
                }
            }
        }
        rows.extend(bands.iter().enumerate().map(|(number, band)| {
            let mut row = band.to_json();
            row["experiment"] = json!("real-estimates");
            row["collection"] = json!(texts.name);
            row["texts"] = json!(texts.len());
            row["seeds"] = json!(setting.sizes.seeds);
            row["sketch"] = json!(sketch);
            row["from"] = json!(FROM + number as f64 / 10.0);
            row
        }));
    }
    Ok(rows)
}

/// All pairs from `FROM` on that are not identical.
fn known_pairs(setting: &Setting, texts: &Texts) -> Result<Vec<((u32, u32), Known)>> {
    let pairs = exact_pairs(setting, texts, &FROM.to_string())?;
    let wanted: HashSet<u32> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    let shingled = shingled(texts, |number| wanted.contains(&number))?;
    let known = |pair: &Pair| {
        let (a, b): (&Shingled, &Shingled) =
            (&shingled[pair.a as usize], &shingled[pair.b as usize]);
        let own = scores(a, b, None);
        let known = Known {
            resemblance: own.resemblance,
            union: own.union,
        };
        (own.resemblance >= FROM && own.resemblance < 1.0).then_some((pair.key(), known))
    };
    Ok(pairs.iter().filter_map(known).collect())
}

/// The estimates of all pairs that share a value.
fn estimates(
    setting: &Setting,
    texts: &Texts,
    sketch: &str,
    seed: u64,
) -> Result<HashMap<(u32, u32), f64>> {
    let seed = seed.to_string();
    let options = [
        "--method",
        "minhash",
        "--sketch",
        sketch,
        "--seed",
        &seed,
        "--candidates",
        "values",
        "--min-common",
        "1",
        "--estimate",
        "--threshold",
        "0.05",
    ];
    let pairs = pairs(setting, texts, &options)?;
    Ok(pairs.iter().map(|pair| (pair.key(), pair.score)).collect())
}

/// The variance of an estimate by theory; none where the sketches may be empty.
fn theory(sketch: &str, size: f64, pair: &Known) -> Option<f64> {
    let (r, union) = (pair.resemblance, pair.union as f64);
    let draws = match sketch {
        "permutations" => return Some(r * (1.0 - r) / size),
        "modulo" => union / size,
        _ => size.min(union),
    };
    // A sample of a few values is often empty, and then says nothing.
    let is_sound = sketch != "modulo" || draws >= 10.0;
    is_sound.then(|| r * (1.0 - r) / draws * (union - draws) / (union - 1.0).max(1.0))
}

fn band(resemblance: f64) -> usize {
    let band = ((resemblance - FROM) * 10.0 + 1e-9).floor().max(0.0);
    (band as usize).min(BANDS - 1)
}

/// Errors of estimates in a band.
#[derive(Clone, Copy, Debug, Default)]
struct Band {
    estimates: usize,
    errors: f64,
    squares: f64,
    variances: f64,
}

impl Band {
    fn add(&mut self, error: f64, variance: f64) {
        self.estimates += 1;
        self.errors += error;
        self.squares += error * error;
        self.variances += variance;
    }

    fn to_json(self) -> Value {
        let size = self.estimates.max(1) as f64;
        json!({
            "estimates": self.estimates,
            "mean_error": self.errors / size,
            "spread": (self.squares / size).sqrt(),
            "theory": (self.variances / size).sqrt(),
        })
    }
}

/// Rows of a matrix, counted from 1, in which a column has a 1.
pub(super) type Column<'a> = &'a [usize];

/// The share of rows with a 1 in both columns among those with a 1 in either.
pub(super) fn jaccard(a: Column<'_>, b: Column<'_>) -> f64 {
    let common = a.iter().filter(|row| b.contains(row)).count();
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}

/// The first row with a 1 under each order of the rows.
pub(super) fn signature(column: Column<'_>, orders: &[[usize; 5]]) -> Vec<usize> {
    let first = |order: &[usize; 5]| order.iter().copied().find(|row| column.contains(row));
    orders.iter().filter_map(first).collect()
}

/// The least value of each hash function over the rows of a column: one pass, a slot for each function.
pub(super) fn slots(column: Column<'_>, functions: &[fn(usize) -> usize]) -> Vec<usize> {
    let mut slots = vec![usize::MAX; functions.len()];
    for &row in column {
        for (slot, function) in slots.iter_mut().zip(functions) {
            *slot = (*slot).min(function(row));
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_hold_a_tenth_each() {
        assert_eq!([0.3, 0.39, 0.4, 0.999].map(band), [0, 0, 1, 6]);
    }

    #[test]
    fn theory_knows_when_nothing_is_left_to_chance() {
        let pair = |union| Known {
            resemblance: 0.5,
            union,
        };
        assert_eq!(theory("permutations", 200.0, &pair(10)), Some(0.25 / 200.0));
        // All shingles are in the sketch.
        assert_eq!(theory("smallest", 200.0, &pair(150)), Some(0.0));
        assert_eq!(theory("modulo", 4.0, &pair(20)), None);
        let modulo = theory("modulo", 4.0, &pair(401)).expect("enough values");
        assert!((modulo - 0.25 / 100.25 * 300.75 / 400.0).abs() < 1e-12);
    }

    #[test]
    fn errors_add_up() {
        let mut band = Band::default();
        band.add(0.1, 0.04);
        band.add(-0.1, 0.04);
        let row = band.to_json();
        assert_eq!(row["mean_error"], 0.0);
        assert_eq!((&row["spread"], &row["theory"]), (&json!(0.1), &json!(0.2)));
    }

    #[test]
    fn slots_hold_the_least_value() {
        let functions: [fn(usize) -> usize; 2] = [|x| x % 5, |x| (2 * x + 1) % 5];
        assert_eq!(slots(&[1, 3, 4], &functions), [1, 2]);
        assert_eq!(slots(&[2, 3, 5], &functions), [0, 0]);
    }
}
