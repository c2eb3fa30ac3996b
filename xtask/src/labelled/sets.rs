//! The labelled sets, each as two halves: a collection of its own with its own truth.
//!
//! Where only duplicates are listed, texts are split so that those that hang together by the truth stay together; where pairs
//! have labels, the pairs are split, and a text may stand in both halves. Which half is told by a hash of an id.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::strip;
use crate::doublet::Doublet;
use crate::sentences::tool::each_line;

/// Pages of one place are the same page if they resemble each other at least so much.
const SAME_PAGE: &str = "0.5";

/// What the truth of a set says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pairs of duplicates; all others are different.
    Duplicates,
    /// The same between two sources; pairs within one are not judged.
    Sides,
    /// Pairs with labels; others are not judged.
    Labels,
    /// Pages by where they stand, in HTML; same place and similar is a duplicate, all others are different.
    Pages,
}

/// A labelled set, where it lies, and from where thresholds are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    texts: &'static str,
    truth: &'static str,
    /// The lowest threshold for single words, shingles of several, up to three characters, and more.
    lowest: [f64; 4],
}

const fn set(
    name: &'static str,
    kind: Kind,
    texts: &'static str,
    truth: &'static str,
    lowest: [f64; 4],
) -> Set {
    Set {
        name,
        kind,
        texts,
        truth,
        lowest,
    }
}

/// All sets. The lowest thresholds keep the lists of pairs short.
pub(crate) const SETS: [Set; 6] = [
    set(
        "cora",
        Kind::Duplicates,
        "biblio/cora.jsonl.zst",
        "biblio/cora.truth.jsonl.zst",
        [0.15, 0.03, 0.3, 0.15],
    ),
    set(
        "dblp_acm",
        Kind::Sides,
        "biblio/dblp_acm.jsonl.zst",
        "biblio/dblp_acm.truth.jsonl.zst",
        [0.3, 0.1, 0.4, 0.2],
    ),
    set(
        "plagiarism_short",
        Kind::Labels,
        "plagiarism_short/texts.jsonl.zst",
        "plagiarism_short/truth.jsonl",
        [0.02, 0.01, 0.2, 0.02],
    ),
    set(
        "boost",
        Kind::Pages,
        "debian_html/boost.jsonl.zst",
        "debian_html/boost.samepath.jsonl.zst",
        [0.7, 0.5, 0.7, 0.7],
    ),
    set(
        "lo-help",
        Kind::Pages,
        "debian_html/lo-help.jsonl.zst",
        "debian_html/lo-help.samepath.jsonl.zst",
        [0.6, 0.4, 0.6, 0.6],
    ),
    set(
        "mrpc",
        Kind::Labels,
        "mrpc/texts.jsonl.zst",
        "mrpc/truth.jsonl",
        [0.2, 0.02, 0.35, 0.15],
    ),
];

impl Set {
    /// The lowest threshold for shingles of so many words or characters.
    pub(crate) fn lowest_of(&self, is_words: bool, shingle: usize) -> f64 {
        match (is_words, shingle) {
            (true, 1) => self.lowest[0],
            (true, _) => self.lowest[1],
            (false, ..=3) => self.lowest[2],
            (false, _) => self.lowest[3],
        }
    }
}

/// One half of a set.
#[derive(Debug)]
pub(crate) struct Half {
    pub(crate) texts: PathBuf,
    pub(crate) truth: PathBuf,
    /// The source of each text, where there are two.
    pub(crate) sides: HashMap<String, String>,
    pub(crate) documents: usize,
    pub(crate) duplicates: usize,
    /// Labelled pairs that are none.
    pub(crate) different: usize,
}

/// Pairs as the truth lists them.
type Truth = BTreeMap<(String, String), bool>;

/// Split a set and write its halves into a folder.
pub(crate) fn prepare(
    set: &Set,
    data: &Path,
    folder: &Path,
    doublet: &Doublet,
) -> Result<[Half; 2]> {
    let mut texts = Vec::new();
    let path = data.join(set.texts);
    ensure!(
        path.is_file(),
        "`{}` does not exist: say where the data is with `--data`",
        path.display()
    );
    each_line(&path, |row| {
        texts.push(row.clone());
        Some(())
    })?;
    let truth = data.join(set.truth);
    if set.kind == Kind::Labels {
        let truth = labels(&truth)?;
        return halves(set, folder, &texts, |h| labelled_half(&truth, h));
    }
    let (truth, groups) = if set.kind == Kind::Pages {
        pages(set, &truth, folder, &mut texts, doublet)?
    } else {
        let truth = labels(&truth)?;
        let groups = groups(&texts, &truth);
        (truth, groups)
    };
    halves(set, folder, &texts, |half| {
        let own: BTreeSet<String> = groups
            .iter()
            .filter(|(_, group)| half_of(group) == half)
            .map(|(id, _)| id.clone())
            .collect();
        let truth = truth.iter().filter(|((a, _), _)| own.contains(a));
        let truth = truth.map(|(pair, label)| (pair.clone(), *label)).collect();
        (own, truth)
    })
}

/// The labelled pairs of a half, and the texts in them.
fn labelled_half(truth: &Truth, half: usize) -> (BTreeSet<String>, Truth) {
    let own: Truth = truth
        .iter()
        .filter(|((a, b), _)| half_of(&format!("{a} {b}")) == half)
        .map(|(pair, label)| (pair.clone(), *label))
        .collect();
    let texts = own.keys().flat_map(|(a, b)| [a.clone(), b.clone()]);
    (texts.collect(), own)
}

fn halves(
    set: &Set,
    folder: &Path,
    texts: &[Value],
    of: impl Fn(usize) -> (BTreeSet<String>, Truth),
) -> Result<[Half; 2]> {
    let write = |half: usize| {
        let (own, truth) = of(half);
        write_half(set, folder, half, texts, &own, &truth)
    };
    Ok([write(0)?, write(1)?])
}

fn write_half(
    set: &Set,
    folder: &Path,
    half: usize,
    texts: &[Value],
    own: &BTreeSet<String>,
    truth: &Truth,
) -> Result<Half> {
    let path = |what: &str| folder.join(format!("{}-{}.{what}.jsonl", set.name, half + 1));
    let (texts_path, truth_path) = (path("texts"), path("truth"));
    let mut file = BufWriter::new(File::create(&texts_path)?);
    let mut sides = HashMap::new();
    let mut documents = 0;
    for row in texts {
        let id = row["id"].as_str().unwrap_or_default();
        if own.contains(id) {
            writeln!(file, "{}", json!({"id": id, "text": row["text"]}))?;
            documents += 1;
            if let (Kind::Sides, Some(side)) = (set.kind, row["side"].as_str()) {
                sides.insert(id.to_owned(), side.to_owned());
            }
        }
    }
    file.flush()?;
    let mut file = BufWriter::new(File::create(&truth_path)?);
    for ((a, b), label) in truth {
        writeln!(
            file,
            "{}",
            json!({"a": a, "b": b, "label": u8::from(*label)})
        )?;
    }
    file.flush()?;
    let duplicates = truth.values().filter(|label| **label).count();
    Ok(Half {
        texts: texts_path,
        truth: truth_path,
        sides,
        documents,
        duplicates,
        different: truth.len() - duplicates,
    })
}

/// Labelled pairs, smaller id first.
fn labels(path: &Path) -> Result<Truth> {
    let mut truth = Truth::new();
    each_line(path, |row| {
        let (a, b) = (row["a"].as_str()?, row["b"].as_str()?);
        truth.insert(pair(a, b), row["label"].as_u64()? == 1);
        Some(())
    })?;
    Ok(truth)
}

fn pair(a: &str, b: &str) -> (String, String) {
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    (a.to_owned(), b.to_owned())
}

/// Each text with the least id among those that it hangs together with.
fn groups(texts: &[Value], truth: &Truth) -> BTreeMap<String, String> {
    let ids = texts.iter().filter_map(|row| row["id"].as_str());
    let mut groups: BTreeMap<String, String> =
        ids.map(|id| (id.to_owned(), id.to_owned())).collect();
    // A pair joins two groups; passes end when none does any more.
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for ((a, b), _) in truth.iter().filter(|(_, label)| **label) {
            let (Some(of_a), Some(of_b)) = (groups.get(a).cloned(), groups.get(b).cloned()) else {
                continue;
            };
            if of_a != of_b {
                let least = of_a.min(of_b);
                groups.insert(a.clone(), least.clone());
                groups.insert(b.clone(), least);
                has_changed = true;
            }
        }
    }
    groups
}

/// The pages that are listed, without tags; the truth: those of one place that are similar; and their places.
fn pages(
    set: &Set,
    truth: &Path,
    folder: &Path,
    texts: &mut Vec<Value>,
    doublet: &Doublet,
) -> Result<(Truth, BTreeMap<String, String>)> {
    let mut places = BTreeMap::new();
    each_line(truth, |row| {
        places.insert(row["id"].as_str()?.to_owned(), row["cluster"].to_string());
        Some(())
    })?;
    texts.retain(|row| row["id"].as_str().is_some_and(|id| places.contains_key(id)));
    let all = folder.join(format!("{}.jsonl", set.name));
    let mut file = BufWriter::new(File::create(&all)?);
    for row in texts.iter_mut() {
        let text = row["text"].as_str().context("a page without text")?;
        row["text"] = strip::text_of(text).into();
        writeln!(file, "{}", json!({"id": row["id"], "text": row["text"]}))?;
    }
    file.flush()?;
    let similar = folder.join(format!("{}.similar.jsonl", set.name));
    doublet
        .program("pairs", &all, &similar, &["--threshold", SAME_PAGE])
        .measure()?;
    let mut truth = Truth::new();
    each_line(&similar, |row| {
        let (a, b) = (row["a"].as_str()?, row["b"].as_str()?);
        if places.get(a) == places.get(b) {
            truth.insert(pair(a, b), true);
        }
        Some(())
    })?;
    Ok((truth, places))
}

/// 0 or 1, by a hash (FNV-1a) that is the same everywhere.
fn half_of(key: &str) -> usize {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // Alone it hardly mixes the last letters into its high bits.
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    usize::from(mixed >> 63 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_about_even_and_never_change() {
        let second = (0..1000).filter(|n| half_of(&format!("id-{n}")) == 1);
        assert_eq!(second.count(), 472);
    }

    #[test]
    fn texts_that_hang_together_are_one_group() {
        let texts: Vec<Value> = ["a", "b", "c", "d", "e"].map(|id| json!({"id": id})).into();
        let truth = Truth::from([
            (pair("e", "d"), true),
            (pair("d", "b"), true),
            (pair("a", "c"), false),
        ]);
        let groups = groups(&texts, &truth);
        let of = |id: &str| groups[id].as_str();
        assert_eq!(["a", "b", "c", "d", "e"].map(of), ["a", "b", "c", "b", "b"]);
    }

    #[test]
    fn labelled_pairs_are_split_not_texts() {
        let pairs = (0..50).map(|n| (pair("original", &format!("answer-{n}")), n % 2 == 0));
        let truth: Truth = pairs.collect();
        let (first, second) = (labelled_half(&truth, 0), labelled_half(&truth, 1));
        assert_eq!(first.1.len() + second.1.len(), 50);
        assert!(first.0.contains("original") && second.0.contains("original"));
    }
}
