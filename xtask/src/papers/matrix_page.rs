//! Paper 001, the page: the similarity matrix by shared shingles and by coverage.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::figures::{
    correlation, count, decimal, duration, list, megabytes, number, of, percent, quadratic, span,
    text,
};
use super::matrix::{METRICS, MODULI};
use super::page::{Item, Page, Verdict};
use crate::draw::{self, Axis, Corner, Line, Panel};
use crate::plot::{self, PAPER_COVERAGE, PAPER_RESEMBLANCE};

pub(super) const EXPECTED: [&str; 8] = [
    "Example 1",
    "Section 2.3",
    "Section 2.4",
    "Figure 1a",
    "Figure 1b",
    "Regression",
    "Validation",
    "Pairs at 90 %",
];

/// Growth of memory is called linear from this correlation on.
const LINEAR: f64 = 0.99;
/// The paper's bound of what fingerprints add.
const ADDED: f64 = 0.001;
/// Fingerprints of about this many bits fit 4 GB of 2005: a table of 2^28 places.
const BITS: u64 = 28;

/// The whole page.
pub(super) fn page(folder: &Path, rows: &[Value]) -> Result<Page> {
    let title = "The similarity matrix: Kupietz and the method `shingles`";
    let mut page = Page::new(folder, "001-similarity-matrix.md", title);
    page.introduce(
        "The method is described in [shingles.md](../shingles.md). `ssr`, the shared shingle ratio, is `resemblance` here; `sscr`, the ratio of coverage by \
         shared shingles, is `coverage`. The corpora of the IDS are not public. Ours:",
    );
    introduce_collections(&mut page, rows);
    example(&mut page, rows);
    figure_1(&mut page, rows)?;
    real(&mut page, rows);
    validation(&mut page, rows)?;
    Ok(page)
}

fn introduce_collections(page: &mut Page, rows: &[Value]) {
    let line = |row: &&Value| {
        vec![
            text(&row["collection"]).to_owned(),
            count(number(&row["documents"])),
            count(number(&row["words"])),
            megabytes(number(&row["bytes"])),
        ]
    };
    let own = [of(rows, "real"), of(rows, "figure-1")].concat();
    let lines: Vec<Vec<String>> = own
        .iter()
        .filter(|row| row["metric"] == METRICS[0])
        .map(line)
        .collect();
    page.introduce_table(&["collection", "texts", "tokens", "file"], &lines);
    page.introduce(
        "Made collections are spliced from other texts, with known copies (`cargo xtask corpus`).",
    );
}

fn example(page: &mut Page, rows: &[Value]) {
    let row = of(rows, "example")
        .first()
        .map_or(Value::Null, |row| (*row).clone());
    let field = |name: &str| number(&row[name]);
    let (common, covered) = (field("common"), field("covered_a") + field("covered_b"));
    let union = field("distinct_a") + field("distinct_b") - common;
    let tokens = field("tokens_a") + field("tokens_b");
    let (resemblance, coverage) = (field("resemblance"), field("coverage"));
    page.heading("Example 1: two short newspaper texts");
    page.text("`doublet compare samples/rulff-a.txt samples/rulff-b.txt --stop-words de`:");
    let lines = [
        ["tokens of both", "44", &count(tokens)],
        ["shared 5-shingles", "8", &count(common)],
        ["different 5-shingles", "28", &count(union)],
        ["marked tokens", "40", &count(covered)],
        ["r by ssr", "0.2857", &decimal(resemblance, 4)],
        ["r by sscr", "0.9091", &decimal(coverage, 4)],
    ];
    let same: Vec<bool> = lines.iter().map(|[_, paper, ours]| paper == ours).collect();
    let lines: Vec<Vec<String>> = lines
        .iter()
        .map(|line| line.map(str::to_owned).to_vec())
        .collect();
    page.table(&["", "the paper", "ours"], &lines);
    page.item(Item {
        name: "Example 1",
        about: "the worked example",
        paper: "ssr 8/28 ≈ 0.2857, sscr 40/44 ≈ 0.9091".to_owned(),
        ours: format!(
            "{}/{} ≈ {}, {}/{} ≈ {}",
            count(common), count(union), decimal(resemblance, 4), count(covered), count(tokens), decimal(coverage, 4)
        ),
        verdict: Verdict::of(&same),
        rule: "if all six counts are the same",
        why: "The paper's list of fifty stop words is not printed; its normalised text leaves out `und`, its shingles have it, and the counts are those with it",
    });
    let rose = of(rows, "rose")
        .first()
        .map_or(f64::NAN, |row| number(&row["shingles"]["distinct"]));
    page.item(Item {
        name: "Section 2.3",
        about: "the 4-shingling of \"a rose is a rose is a rose\"",
        paper: "3 different shingles".to_owned(),
        ours: format!("{} different shingles", count(rose)),
        verdict: Verdict::of(&[rose == 3.0]),
        rule: "if the number is the same",
        why: "",
    });
}

/// One metric's rows of an experiment.
fn by_metric<'a>(rows: &'a [Value], experiment: &str, metric: &str) -> Vec<&'a Value> {
    let own = of(rows, experiment).into_iter();
    own.filter(|row| row["metric"] == metric).collect()
}

fn points(rows: &[&Value], figure: &str) -> Vec<(f64, f64)> {
    let point = |row: &&Value| (number(&row["words"]), number(&row["median"][figure]));
    rows.iter().map(point).collect()
}

fn figure_1(page: &mut Page, rows: &[Value]) -> Result<()> {
    page.heading("Figure 1: run time and memory");
    page.text(
        "`doublet pairs --threshold 0.7`, whole runs from reading to the written and validated pairs, on made collections. The paper's times are of its first pass, \
         without validation (5 and 4 minutes on six CPUs); dashed are its two regression curves.",
    );
    let time = page.drawing("run time against tokens, both metrics", "001-figure-1a.svg");
    let memory = page.drawing(
        "peak memory against tokens, both metrics",
        "001-figure-1b.svg",
    );
    let own: Vec<Value> = of(rows, "figure-1").into_iter().cloned().collect();
    plot::draw(&own, [&time, &memory])?;
    let line = |row: &Value| {
        let median = &row["median"];
        vec![
            count(number(&row["documents"])),
            count(number(&row["words"])),
            text(&row["metric"]).to_owned(),
            decimal(number(&median["wall_seconds"]), 2),
            decimal(number(&median["cpu_seconds"]), 2),
            megabytes(number(&median["peak_bytes"])),
            count(number(&row["pairs"])),
        ]
    };
    page.table(
        &[
            "texts",
            "tokens",
            "metric",
            "wall s",
            "CPU s",
            "peak memory",
            "pairs",
        ],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    let [plain, cover] = METRICS.map(|metric| by_metric(rows, "figure-1", metric));
    page.item(run_time_item(&plain, &cover));
    page.item(memory_item(&plain, &cover));
    let regression = regression_item(page, &plain, &cover);
    page.item(regression);
    Ok(())
}

fn run_time_item(plain: &[&Value], cover: &[&Value]) -> Item {
    let last = |rows: &[&Value]| {
        points(rows, "wall_seconds")
            .last()
            .copied()
            .unwrap_or((f64::NAN, f64::NAN))
    };
    let ((tokens, plain), (_, cover)) = (last(plain), last(cover));
    Item {
        name: "Figure 1a",
        about: "run time against tokens",
        paper: format!(
            "170 million tokens: ssr {}, sscr {} (×{} of ssr)",
            duration(PAPER_RESEMBLANCE.1),
            duration(PAPER_COVERAGE.1),
            decimal(PAPER_COVERAGE.1 / PAPER_RESEMBLANCE.1, 2)
        ),
        ours: format!(
            "{} million tokens: resemblance {}, coverage {} (×{} of resemblance)",
            decimal(tokens / 1e6, 1),
            duration(plain),
            duration(cover),
            decimal(cover / plain, 2)
        ),
        verdict: Verdict::of(&[cover > plain]),
        rule: "if coverage takes longer, as in the paper; the times themselves are not comparable",
        why: "Two cores of today against two CPUs at 1.2 GHz; filters that compare only texts which may reach 0.7, where the paper counts every shared shingle; made texts of several sources instead of one newspaper",
    }
}

fn memory_item(plain: &[&Value], cover: &[&Value]) -> Item {
    let linear = [plain, cover].map(|rows| correlation(&points(rows, "peak_bytes")));
    let last = |rows: &[&Value]| {
        points(rows, "peak_bytes")
            .last()
            .map_or(f64::NAN, |point| point.1)
    };
    Item {
        name: "Figure 1b",
        about: "memory against tokens",
        paper: "linear in the tokens, sscr slightly more than ssr (figures in the drawing only)"
            .to_owned(),
        ours: format!(
            "correlation with the tokens {}; largest collection: resemblance {}, coverage {}",
            span(&linear, |r| decimal(r, 3)),
            megabytes(last(plain)),
            megabytes(last(cover))
        ),
        verdict: Verdict::of(&[
            linear[0] >= LINEAR,
            linear[1] >= LINEAR,
            last(cover) >= last(plain),
        ]),
        rule: "if both correlations are 0.99 or more and coverage takes more",
        why: "The paper holds all fingerprints in a table that is indexed by them; ours keeps those a pair must share, and spills to disk past its limit (8 GB here)",
    }
}

fn regression_item(page: &mut Page, plain: &[&Value], cover: &[&Value]) -> Item {
    let at = PAPER_RESEMBLANCE.0;
    let mut lines = Vec::new();
    let mut shares = Vec::new();
    for (name, rows) in METRICS.iter().zip([plain, cover]) {
        let fit = quadratic(&points(rows, "wall_seconds"));
        let (a, b) = fit.unwrap_or((f64::NAN, f64::NAN));
        let share = a * at * at / (a * at * at + b * at);
        shares.push(share);
        lines.push(vec![
            format!("ours, {name}"),
            scientific(a),
            scientific(b),
            percent(share, 0),
            duration(a * at * at + b * at),
        ]);
    }
    let papers = [
        ("the paper, ssr", 8.30e-14, 16e-6),
        ("the paper, sscr", 2.18e-13, 9e-6),
    ];
    for (name, a, b) in papers {
        let seconds = a * at * at + b * at;
        lines.push(vec![
            name.to_owned(),
            scientific(a),
            scientific(b),
            percent(a * at * at / seconds, 0),
            duration(seconds),
        ]);
    }
    page.text(
        "Run time as a·n² + b·n for n tokens, fitted to the made collections, and what that gives at 170 million tokens. The paper prints the b of ssr as 16·10⁻⁵, which \
         would make over eight hours of its 1 h 23 min; 16·10⁻⁶ fits and is taken here.",
    );
    page.table(
        &[
            "",
            "a",
            "b",
            "share of the quadratic part",
            "170 million tokens",
        ],
        &lines,
    );
    Item {
        name: "Regression",
        about: "run time as a polynomial of the tokens",
        paper: "8.30·10⁻¹⁴ n² + 16·10⁻⁶ n by ssr, 2.18·10⁻¹³ n² + 9·10⁻⁶ n by sscr: at 170 million tokens 47 % and 80 % are quadratic".to_owned(),
        ours: format!("at 170 million tokens {} are quadratic by resemblance, {} by coverage", percent(shares[0], 0), percent(shares[1], 0)),
        verdict: Verdict::of(&[shares[0] <= 0.47 + 0.1, shares[1] <= 0.80 + 0.1, shares[1] > shares[0]]),
        rule: "if the quadratic part is no larger than the paper's (within ten points) and larger by coverage",
        why: "Few points, one run of each; filters keep most pairs from being looked at",
    }
}

/// With three digits and a power of ten.
fn scientific(number: f64) -> String {
    if number.is_finite() {
        let text = format!("{number:.2e}");
        text.replace('e', "·10^").replace('-', "−")
    } else {
        "–".to_owned()
    }
}

fn real(page: &mut Page, rows: &[Value]) {
    page.heading("Real collections");
    page.text("The same at 0.7 on stored texts as they are:");
    let line = |row: &&Value| {
        let median = &row["median"];
        vec![
            text(&row["collection"]).to_owned(),
            text(&row["metric"]).to_owned(),
            decimal(number(&median["wall_seconds"]), 2),
            megabytes(number(&median["peak_bytes"])),
            count(number(&row["pairs"])),
        ]
    };
    let own = of(rows, "real");
    page.table(
        &["collection", "metric", "wall s", "peak memory", "pairs"],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    page.text(
        "And near-duplicates at 90 %, copies included; *involved* are the texts in some pair:",
    );
    let ninety = of(rows, "ninety");
    let line = |row: &&Value| {
        vec![
            text(&row["collection"]).to_owned(),
            text(&row["metric"]).to_owned(),
            count(number(&row["pairs"])),
            count(number(&row["involved"])),
            count(number(&row["clusters"])),
        ]
    };
    page.table(
        &["collection", "metric", "pairs", "involved", "clusters"],
        &ninety.iter().map(line).collect::<Vec<_>>(),
    );
    let pairs = |metric: &str| by_metric(rows, "ninety", metric);
    let both: Vec<(&str, f64, f64)> = pairs(METRICS[0])
        .iter()
        .zip(pairs(METRICS[1]))
        .map(|(plain, cover)| {
            (
                text(&plain["collection"]),
                number(&plain["pairs"]),
                number(&cover["pairs"]),
            )
        })
        .filter(|(_, plain, cover)| *plain > 0.0 || *cover > 0.0)
        .collect();
    let entries = both
        .iter()
        .map(|(name, plain, cover)| (*name, format!("{} and {}", count(*cover), count(*plain))));
    page.item(Item {
        name: "Pairs at 90 %",
        about: "near-duplicates by each metric",
        paper: "about 7 million texts: more than 26 million pairs by sscr (about 200,000 texts, 140,000 clusters), about 8 million by ssr".to_owned(),
        ours: format!("pairs by coverage and by resemblance: {}", list(entries)),
        verdict: Verdict::of(&both.iter().map(|(_, plain, cover)| cover > plain).collect::<Vec<_>>()),
        rule: "where coverage finds more pairs than resemblance",
        why: "How many depends on the newspapers: columns, notices and tables that are printed daily",
    });
}

fn validation(page: &mut Page, rows: &[Value]) -> Result<()> {
    page.heading("Validation: what fingerprints add");
    page.text(
        "Scores by fingerprints alone, 64-bit hashes modulo a prime as in the paper, less those by the shingles themselves: the mean over all pairs that reach 0.7 by fingerprints (and 0.6 by \
         shingles). The paper's prime was chosen by the memory at hand; a table of 2²⁸ places fits the 4 GB it had. doublet's own scores are always of words. Less than zero is possible: shingles of one text may collide, too.",
    );
    let own = of(rows, "validation");
    let path = page.drawing(
        "mean difference by bits of the fingerprint",
        "001-validation.svg",
    );
    draw_validation(&own, &path)?;
    let line = |row: &&Value| {
        vec![
            text(&row["collection"]).to_owned(),
            text(&row["metric"]).to_owned(),
            count(number(&row["bits"])),
            count(number(&row["pairs"])),
            format!("{:+.7}", number(&row["mean"])).replace('-', "−"),
            format!("{:+.5}", number(&row["most"])).replace('-', "−"),
        ]
    };
    page.table(
        &[
            "collection",
            "metric",
            "bits of the prime",
            "pairs",
            "mean difference",
            "largest",
        ],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    let at_bits: Vec<&&Value> = own
        .iter()
        .filter(|row| row["bits"] == BITS && number(&row["pairs"]) > 0.0)
        .collect();
    let means: Vec<f64> = at_bits.iter().map(|row| number(&row["mean"])).collect();
    page.item(Item {
        name: "Validation",
        about: "mean difference of fingerprint scores and validated ones",
        paper: "below +0.001 by both metrics".to_owned(),
        ours: format!(
            "with a prime of {BITS} bits {}",
            span(&means, |mean| format!("{mean:+.7}").replace('-', "−"))
        ),
        verdict: Verdict::of(
            &means
                .iter()
                .map(|mean| mean.abs() < ADDED)
                .collect::<Vec<_>>(),
        ),
        rule: "where the mean is below 0.001",
        why: "Computed apart from the tool, whose scores are validated always",
    });
    let first = own
        .iter()
        .filter(|row| row["bits"] == u64::from(MODULI[0].0));
    let first: Vec<&&Value> = first.collect();
    let sum = |field: &str| first.iter().map(|row| number(&row[field])).sum::<f64>();
    let (scored, below, otherwise) = (
        sum("scored"),
        sum("coverage_below_resemblance"),
        sum("scored_otherwise"),
    );
    page.text(&format!(
        "Of {} scores of pairs, {} differ from those computed here a second time, and coverage is below resemblance in {}.",
        count(scored), count(otherwise), count(below)
    ));
    page.item(Item {
        name: "Section 2.4",
        about: "coverage is never below resemblance",
        paper: "sscr ≥ ssr".to_owned(),
        ours: format!("{} of {} pairs have coverage below resemblance", count(below), count(scored)),
        verdict: Verdict::of(&[below == 0.0]),
        rule: "if there is no such pair",
        why: "A text that repeats a shingle often and another that has it once can have more of their distinct shingles in common than of their words",
    });
    Ok(())
}

fn draw_validation(rows: &[&Value], path: &Path) -> Result<()> {
    let mut names: Vec<&str> = rows.iter().map(|row| text(&row["collection"])).collect();
    names.dedup();
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    let mut lines = Vec::new();
    for (number_of, name) in names.iter().enumerate() {
        for metric in METRICS {
            let own = rows
                .iter()
                .filter(|row| row["collection"] == *name && row["metric"] == metric);
            let points: Vec<(f64, f64)> = own
                .filter(|row| number(&row["mean"]) > 0.0)
                .map(|row| (number(&row["bits"]), number(&row["mean"])))
                .collect();
            if !points.is_empty() {
                let colour = draw::COLOURS[number_of % draw::COLOURS.len()];
                let line = Line::new(&format!("{name}, {metric}"), colour, points);
                lines.push(if metric == "coverage" {
                    line.dashed()
                } else {
                    line
                });
            }
        }
    }
    let bound = Line::new(
        "the paper's bound",
        draw::GREY,
        vec![(15.0, ADDED), (33.0, ADDED)],
    );
    lines.push(bound.dashed().without_dots());
    let least = draw::least(&lines, |point| point.1);
    let most = draw::most(&lines, |point| point.1);
    let panel = Panel {
        title: "Mean of fingerprint score less validated score (where it is not 0)",
        x: Axis::linear("bits of the prime", 15.0..33.0),
        y: Axis::logarithmic("mean difference", least * 0.5..most * 30.0)
            .written(|value| format!("{value:.0e}")),
        lines: &lines,
        legend: Some(Corner::UpperRight),
    };
    draw::draw(&[panel], path)
}
