//! Paper 004, the page: sketches, what they estimate, and clustering by them.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::figures::{count, decimal, list, megabytes, number, of, percent, span, text};
use super::page::{Item, Page, Verdict};
use super::sketches::{self, Column, SKETCHES};
use crate::draw::{self, Axis, Corner, Line, Panel};
use crate::sketches::estimators;

pub(super) const EXPECTED: [&str; 9] = [
    "Duplication",
    "Transitivity",
    "Shingles",
    "Jaccard",
    "Signatures",
    "Row hashing",
    "Estimators",
    "Estimators, real pairs",
    "Clustering",
];

/// The slides' first example, and the columns and orders of their second and third.
const JACCARD: [Column<'static>; 2] = [&[2, 3, 5], &[1, 3, 5, 6]];
const COLUMNS: [Column<'static>; 3] = [&[1, 3, 4], &[2, 5], &[1, 2, 4]];
const ORDERS: [[usize; 5]; 3] = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 4, 5, 1, 2]];
const SLOTS: [Column<'static>; 2] = [&[1, 3, 4], &[2, 3, 5]];
/// Real pairs come in groups and share permutations, so the bounds are wider than for drawn ones.
const BIAS: f64 = 0.01;
const DEVIATION: f64 = 0.2;
/// A band says something from this many estimates on.
const ENOUGH: f64 = 100.0;
/// By how much the clusters of a sketch may differ in number from the exact ones.
const CLUSTERS: f64 = 0.1;

/// The whole page.
pub(super) fn page(folder: &Path, rows: &[Value]) -> Result<Page> {
    let title = "Sketches: the slides and the method `minhash`";
    let mut page = Page::new(folder, "004-sketches.md", title);
    page.introduce(
        "The method is described in [minhash.md](../minhash.md). The slides show methods and small examples, no measurements: the estimators are held against their theorem, the clustering against the exact answer. \
         *Permutations* are the slides' multiple sketches (200), *smallest* is F_m (m = 200), *modulo* is V_n (n = 4). Collections:",
    );
    let line = |row: &&Value| {
        vec![
            text(&row["collection"]).to_owned(),
            count(number(&row["texts"])),
            "clustering".to_owned(),
        ]
    };
    let mut lines: Vec<Vec<String>> = of(rows, "near-duplicates").iter().map(line).collect();
    if let Some(row) = of(rows, "real-estimates").first() {
        let name = format!("{}, the first texts", text(&row["collection"]));
        lines.push(vec![
            name,
            count(number(&row["texts"])),
            "estimators on real pairs".to_owned(),
        ]);
    }
    page.introduce_table(&["collection", "texts", "used for"], &lines);
    duplication(&mut page, rows);
    examples(&mut page, rows);
    drawn_pairs(&mut page, rows)?;
    real_pairs(&mut page, rows)?;
    clustering(&mut page, rows);
    Ok(page)
}

fn duplication(page: &mut Page, rows: &[Value]) {
    let own = of(rows, "near-duplicates");
    page.heading("How much is duplicated, and whether that is transitive");
    page.text(
        "By exact resemblance of 5-shingles at 0.8. A potential pair (a, c) has a b that is a near-duplicate of both; it is wrong if a and c are not (at most 10,000 are drawn by a fixed seed).",
    );
    let share = |row: &Value| number(&row["involved"]) / number(&row["texts"]);
    let wrong = |row: &Value| number(&row["wrong"]) / number(&row["potential_pairs"]).max(1.0);
    let line = |row: &&Value| {
        vec![
            text(&row["collection"]).to_owned(),
            count(number(&row["texts"])),
            count(number(&row["pairs"])),
            count(number(&row["involved"])),
            percent(share(row), 1),
            count(number(&row["clusters"])),
            count(number(&row["potential_pairs"])),
            percent(wrong(row), 2),
        ]
    };
    page.table(
        &[
            "collection",
            "texts",
            "pairs",
            "texts in a pair",
            "share",
            "clusters",
            "potential pairs",
            "wrong",
        ],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    page.item(Item {
        name: "Duplication",
        about: "share of near-duplicates",
        paper: "about 30 % of the pages of the Web".to_owned(),
        ours: list(own.iter().map(|row| (text(&row["collection"]), percent(share(row), 1)))),
        verdict: Verdict::of(&own.iter().map(|row| (0.2..=0.4).contains(&share(row))).collect::<Vec<_>>()),
        rule: "where 20 to 40 % of the texts are in a pair",
        why: "Collections of news, which their makers cleaned, are not a crawl of the Web with its mirrors and session ids",
    });
    let counted: Vec<&&Value> = own
        .iter()
        .filter(|row| number(&row["potential_pairs"]) > 0.0)
        .collect();
    page.item(Item {
        name: "Transitivity",
        about: "near-duplicates of near-duplicates",
        paper: "not transitive, though sometimes used transitively".to_owned(),
        ours: if counted.is_empty() {
            "no text has two near-duplicates".to_owned()
        } else {
            format!(
                "of the potential pairs wrong: {}",
                list(
                    counted
                        .iter()
                        .map(|row| (text(&row["collection"]), percent(wrong(row), 2)))
                )
            )
        },
        verdict: Verdict::of(&[counted.iter().any(|row| wrong(row) > 0.0)]),
        rule: "if any is wrong",
        why: "How many depends on the chains in a collection",
    });
}

fn examples(page: &mut Page, rows: &[Value]) {
    page.heading("The small examples");
    let shingles = of(rows, "inigo")
        .first()
        .map_or(f64::NAN, |row| number(&row["shingles"]["distinct"]));
    page.item(Item {
        name: "Shingles",
        about: "the 4-shingling of \"My name is Inigo Montoya …\"",
        paper: "9 shingles".to_owned(),
        ours: format!(
            "{} shingles (`doublet inspect --shingle 4`)",
            count(shingles)
        ),
        verdict: Verdict::of(&[shingles == 9.0]),
        rule: "if the number is the same",
        why: "",
    });
    let jaccard = sketches::jaccard(JACCARD[0], JACCARD[1]);
    page.item(Item {
        name: "Jaccard",
        about: "two columns of six rows",
        paper: "2/5 = 0.4".to_owned(),
        ours: decimal(jaccard, 1),
        verdict: Verdict::of(&[jaccard == 0.4]),
        rule: "if the number is the same",
        why: "",
    });
    signatures(page);
    let functions: [fn(usize) -> usize; 2] = [|x| x % 5, |x| (2 * x + 1) % 5];
    let slots = SLOTS.map(|column| sketches::slots(column, &functions));
    page.item(Item {
        name: "Row hashing",
        about: "slots after one pass, h(x) = x mod 5 and g(x) = 2x + 1 mod 5",
        paper: "C1: 1, 2; C2: 0, 0".to_owned(),
        ours: format!(
            "C1: {}, {}; C2: {}, {}",
            slots[0][0], slots[0][1], slots[1][0], slots[1][1]
        ),
        verdict: Verdict::of(&[slots == [[1, 2], [0, 0]]]),
        rule: "if all numbers are the same",
        why: "",
    });
}

fn signatures(page: &mut Page) {
    let signatures = COLUMNS.map(|column| sketches::signature(column, &ORDERS));
    let agreeing = |a: usize, b: usize| {
        let equal = signatures[a]
            .iter()
            .zip(&signatures[b])
            .filter(|(x, y)| x == y);
        equal.count() as f64 / ORDERS.len() as f64
    };
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let columns = pairs.map(|(a, b)| decimal(sketches::jaccard(COLUMNS[a], COLUMNS[b]), 2));
    let agreed = pairs.map(|(a, b)| decimal(agreeing(a, b), 2));
    page.text("Three columns, their signatures under three orders of the rows (the slides have the same), and how similar they are:");
    let order = |number: usize| ORDERS[number].map(|row| row.to_string()).concat();
    let line = |number: usize| {
        let mut line = vec![format!("order ({})", order(number))];
        line.extend(
            signatures
                .iter()
                .map(|signature| signature[number].to_string()),
        );
        line
    };
    page.table(
        &["", "S1", "S2", "S3"],
        &(0..ORDERS.len()).map(line).collect::<Vec<_>>(),
    );
    let lines = [
        ("columns", "0.00, 0.50, 0.25", &columns),
        ("signatures", "0.00, 0.67, 0.00", &agreed),
    ];
    let table: Vec<Vec<String>> = lines
        .iter()
        .map(|(name, paper, ours)| vec![(*name).to_owned(), (*paper).to_owned(), ours.join(", ")])
        .collect();
    page.table(&["1–2, 1–3, 2–3", "the slides", "ours"], &table);
    let is_same = signatures == [[1, 4, 3], [2, 5, 5], [1, 4, 4]];
    page.item(Item {
        name: "Signatures",
        about: "three columns, three orders",
        paper: "S1 1 4 3, S2 2 5 5, S3 1 4 4; by columns 0.00, 0.50, 0.25, by signatures 0.00, 0.67, 0.00".to_owned(),
        ours: format!("by columns {}, by signatures {}", columns.join(", "), agreed.join(", ")),
        verdict: Verdict::of(&[is_same, lines.iter().all(|(_, paper, ours)| *paper == ours.join(", "))]),
        rule: "if all numbers are the same",
        why: "",
    });
}

fn drawn_pairs(page: &mut Page, rows: &[Value]) -> Result<()> {
    let own = of(rows, estimators::EXPERIMENT);
    let trials = own.first().map_or(f64::NAN, |row| number(&row["trials"]));
    page.heading("The estimators on drawn pairs");
    page.text(&format!(
        "Pairs of sets with 1,000 shingles between them, drawn at random, {} for each of 20 similarities (`crates/doublet/examples/estimators.rs`): bias with ± 2 standard errors, and spread on the lines of theory.",
        count(trials)
    ));
    let path = page.drawing(
        "bias and spread of the three estimators",
        "004-estimators.svg",
    );
    estimators::show(&own, &path)?;
    let agreements = estimators::agreements(&own)?;
    let line = |agreement: &estimators::Agreement| {
        vec![
            agreement.sketch.to_owned(),
            decimal(agreement.errors, 1),
            percent(agreement.deviation, 1),
        ]
    };
    page.table(
        &[
            "sketch",
            "largest bias, in standard errors",
            "spread, farthest from theory",
        ],
        &agreements.iter().map(line).collect::<Vec<_>>(),
    );
    let entry = |agreement: &estimators::Agreement| {
        (
            agreement.sketch,
            format!(
                "bias up to {} standard errors, spread within {} of theory",
                decimal(agreement.errors, 1),
                percent(agreement.deviation, 1)
            ),
        )
    };
    page.item(Item {
        name: "Estimators",
        about: "the three estimators, on drawn pairs",
        paper: "all are unbiased: the mean is R; two minima agree with probability R".to_owned(),
        ours: list(agreements.iter().map(entry)),
        verdict: Verdict::of(&agreements.iter().map(|agreement| agreement.is_right()).collect::<Vec<_>>()),
        rule: "where the bias is at most 4 standard errors and the spread within 5 % of theory's at every similarity",
        why: "Permutations here are x ↦ a·x + b, not all permutations",
    });
    Ok(())
}

fn real_pairs(page: &mut Page, rows: &[Value]) -> Result<()> {
    let own = of(rows, "real-estimates");
    let seeds = own.first().map_or(f64::NAN, |row| number(&row["seeds"]));
    page.heading("The estimators on real pairs");
    page.text(&format!(
        "All pairs of resemblance 0.3 and more (identical ones left out) of the collection, their estimates by each sketch with {} seeds, less their resemblance. *Theory* is the spread that the formulas of minhash.md give for \
         those pairs. For `modulo`, pairs with fewer than 40 shingles between them are left out, for their sketches are often empty.",
        count(seeds)
    ));
    let path = page.drawing("error of the estimates on real pairs", "004-real-pairs.svg");
    draw_real(&own, &path)?;
    let line = |row: &&Value| {
        let from = number(&row["from"]);
        vec![
            text(&row["sketch"]).to_owned(),
            format!("{from:.1}–{:.1}", from + 0.1),
            count(number(&row["estimates"])),
            format!("{:+.4}", number(&row["mean_error"])).replace('-', "−"),
            decimal(number(&row["spread"]), 4),
            decimal(number(&row["theory"]), 4),
        ]
    };
    page.table(
        &[
            "sketch",
            "resemblance",
            "estimates",
            "mean error",
            "spread",
            "theory",
        ],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    let enough = || own.iter().filter(|row| number(&row["estimates"]) >= ENOUGH);
    let bias: Vec<f64> = enough().map(|row| number(&row["mean_error"])).collect();
    let deviation: Vec<f64> = enough()
        .filter(|row| number(&row["theory"]) > 0.0)
        .map(|row| number(&row["spread"]) / number(&row["theory"]) - 1.0)
        .collect();
    let is_near = |figures: &[f64], bound: f64| {
        !figures.is_empty() && figures.iter().all(|figure| figure.abs() <= bound)
    };
    let signed = |figure: f64| format!("{figure:+.4}").replace('-', "−");
    page.item(Item {
        name: "Estimators, real pairs",
        about: "the three estimators, on pairs of real texts",
        paper: "as above".to_owned(),
        ours: format!(
            "mean error {}; spread {} of theory's, less one",
            span(&bias, signed),
            span(&deviation, |figure| percent(figure, 0).replace('-', "−"))
        ),
        verdict: Verdict::of(&[is_near(&bias, BIAS), is_near(&deviation, DEVIATION)]),
        rule: "if in every band of at least 100 estimates the mean error is at most 0.01 and the spread within 20 % of theory's",
        why: "Real pairs share texts and permutations, so that errors come in groups; few seeds",
    });
    Ok(())
}

fn draw_real(rows: &[&Value], path: &Path) -> Result<()> {
    let (mut errors, mut spreads) = (Vec::new(), Vec::new());
    for ((sketch, _), colour) in SKETCHES.iter().zip(draw::COLOURS) {
        let points = |figure: &str| -> Vec<(f64, f64)> {
            let own = rows
                .iter()
                .filter(|row| row["sketch"] == *sketch && number(&row["estimates"]) >= 1.0);
            own.map(|row| (number(&row["from"]) + 0.05, number(&row[figure])))
                .collect()
        };
        errors.push(Line::new(sketch, colour, points("mean_error")));
        spreads.push(
            Line::new("", colour, points("theory"))
                .dashed()
                .without_dots(),
        );
        spreads.push(Line::new("", colour, points("spread")).unconnected());
    }
    let reach = draw::most(&errors, |point| point.1.abs()).max(0.005) * 1.6;
    let panels = [
        Panel {
            title: "Mean error of the estimates",
            x: Axis::linear("resemblance", 0.28..1.02),
            y: Axis::linear("mean estimate less resemblance", -reach..reach),
            lines: &errors,
            legend: Some(Corner::UpperRight),
        },
        Panel {
            title: "Spread: measured (dots), theory (lines)",
            x: Axis::linear("resemblance", 0.28..1.02),
            y: Axis::linear(
                "standard deviation of the estimate",
                0.0..draw::most(&spreads, |point| point.1).max(0.01) * 1.15,
            ),
            lines: &spreads,
            legend: None,
        },
    ];
    draw::draw(&panels, path)
}

fn clustering(page: &mut Page, rows: &[Value]) {
    let own = of(rows, "steps");
    page.heading("The seven steps of clustering");
    page.text(
        "`doublet dedup --method minhash --candidates values --estimate --threshold 0.8` counts what each step of the slides' algorithm handles: (1) sketches of distinct texts, (2) ⟨value, text⟩ pairs, (3) different values, and those that several texts share, \
         (4) triplets ⟨a, b, 1⟩, (5) different pairs among them, (6) pairs that share enough, (7) clusters, copies included. *Exact* are the clusters by exact resemblance.",
    );
    let line = |row: &&Value| {
        let step = |name: &str| count(number(&row["steps"][name]));
        vec![
            text(&row["collection"]).to_owned(),
            text(&row["sketch"]).to_owned(),
            step("sketches"),
            step("values"),
            step("distinct_values"),
            step("shared_values"),
            step("triplets"),
            step("pairs"),
            step("joined"),
            step("clusters"),
            count(exact_clusters(rows, row)),
            decimal(number(&row["wall_seconds"]), 2),
            megabytes(number(&row["peak_bytes"])),
        ]
    };
    page.table(
        &[
            "collection",
            "sketch",
            "1 sketches",
            "2 values",
            "3 different",
            "3 shared",
            "4 triplets",
            "5 pairs",
            "6 joined",
            "7 clusters",
            "exact",
            "wall s",
            "peak memory",
        ],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    let case = |row: &&Value| {
        let (ours, exact) = (number(&row["steps"]["clusters"]), exact_clusters(rows, row));
        (ours - exact).abs() <= CLUSTERS * exact
    };
    let entry = |row: &&Value| {
        let figure = format!(
            "{} of {}",
            count(number(&row["steps"]["clusters"])),
            count(exact_clusters(rows, row))
        );
        format!(
            "{}, {}: {figure}",
            text(&row["collection"]),
            text(&row["sketch"])
        )
    };
    page.item(Item {
        name: "Clustering",
        about: "clusters by the seven steps",
        paper: "an algorithm, no counts".to_owned(),
        ours: format!("clusters, beside exact ones: {}", own.iter().map(entry).collect::<Vec<_>>().join("; ")),
        verdict: Verdict::of(&own.iter().map(case).collect::<Vec<_>>()),
        rule: "where the number of clusters is within 10 % of the exact one",
        why: "A pair near 0.8 falls on either side by chance, and a short `modulo` sketch knows little; step 4 grows with the square of the texts that share a value",
    });
}

/// The clusters of a row's collection by exact resemblance.
fn exact_clusters(rows: &[Value], row: &Value) -> f64 {
    let own = of(rows, "near-duplicates");
    let exact = own
        .iter()
        .find(|other| other["collection"] == row["collection"]);
    exact.map_or(f64::NAN, |exact| number(&exact["clusters"]))
}
