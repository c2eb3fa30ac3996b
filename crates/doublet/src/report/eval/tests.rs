//! The page as a whole.

use super::*;
use crate::report::chart::Axis;
use crate::report::html::{PairView, SideText, ViewSection};

const NASTY: &str = "</svg></script></style><img src=x onerror=alert(1)>\"'<!--\u{0}{{body}}";

fn measure(name: &str, value: f64, half: f64, meaning: &str) -> MeasureRow {
    MeasureRow {
        name: name.into(),
        value,
        low: Some(value - half),
        high: Some((value + half).min(1.0)),
        meaning: meaning.into(),
    }
}

fn measures() -> Vec<MeasureGroup> {
    let group = |name: &str, rows: Vec<MeasureRow>| MeasureGroup {
        name: name.into(),
        rows,
    };
    vec![
        group(
            "Pairs",
            vec![
                measure("Precision", 0.974, 0.012, meaning::PAIR_PRECISION),
                measure("Recall", 0.931, 0.02, meaning::PAIR_RECALL),
                measure("F1", 0.952, 0.014, meaning::PAIR_F1),
            ],
        ),
        group(
            "Clusters",
            vec![
                measure("Adjusted Rand index", 0.81, 0.05, meaning::ARI),
                measure("B³ precision", 0.987, 0.01, meaning::B3_PRECISION),
                measure("B³ recall", 0.942, 0.02, meaning::B3_RECALL),
                measure("B³ F1", 0.964, 0.015, meaning::B3_F1),
                MeasureRow {
                    name: "Set accuracy".into(),
                    value: f64::NAN,
                    meaning: meaning::SET_ACCURACY.into(),
                    ..MeasureRow::default()
                },
            ],
        ),
    ]
}

/// A curve that rises to `peak` and falls again.
fn hill(x: f64, peak: f64) -> f64 {
    0.95 - 1.6 * (x - peak) * (x - peak)
}

fn sweep(thresholds: usize) -> Sweep {
    let at = |i: usize| 0.3 + 0.65 * i as f64 / (thresholds.max(2) - 1) as f64;
    let row = |i: usize| SweepRow {
        at: vec![i],
        precision: 1.0 - 0.7 * (1.0 - at(i)) * (1.0 - at(i)),
        recall: 1.0 - 0.5 * at(i) * at(i),
        f1: hill(at(i), 0.65),
        f1_low: Some(hill(at(i), 0.65) - 0.03),
        f1_high: Some(hill(at(i), 0.65) + 0.03),
        more: vec![(1000 - i).to_string()],
    };
    Sweep {
        axes: vec![Axis {
            name: "threshold".into(),
            values: (0..thresholds).map(|i| format!("{:.3}", at(i))).collect(),
        }],
        rows: (0..thresholds).map(row).collect(),
        more: vec!["Pairs found".into()],
        best: Some(thresholds / 2),
        given: Some(thresholds - 2),
        held_out: Some(HeldOut {
            setting: "threshold 0.65".into(),
            chosen_f1: 0.953,
            f1: 0.948,
            low: Some(0.93),
            high: Some(0.96),
            given: Some(Given {
                setting: "threshold 0.8, the default".into(),
                f1: 0.917,
                gain_low: Some(0.012),
                gain_high: Some(0.05),
            }),
        }),
    }
}

fn grid(rows: usize, columns: usize) -> Sweep {
    let axis = |name: &str, n: usize| Axis {
        name: name.into(),
        values: (0..n)
            .map(|i| format!("{:.2}", i as f64 / n as f64))
            .collect(),
    };
    let cells = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let f1 = |r: usize, c: usize| {
        (hill(r as f64 / rows as f64, 0.5) + hill(c as f64 / columns as f64, 0.6) - 0.95).max(0.0)
    };
    Sweep {
        axes: vec![axis("min-idf", rows), axis("threshold", columns)],
        rows: cells
            .map(|(r, c)| SweepRow {
                at: vec![r, c],
                precision: 0.9,
                recall: 0.8,
                f1: f1(r, c),
                ..SweepRow::default()
            })
            .collect(),
        best: Some(rows / 2 * columns + columns * 3 / 5),
        ..Sweep::default()
    }
}

fn methods() -> Vec<MethodRow> {
    let method = |name: &str, f1: f64, seconds: f64, memory: u64| MethodRow {
        name: name.into(),
        threshold: Some(0.8),
        precision: f1 + 0.01,
        recall: f1 - 0.02,
        f1,
        f1_low: Some(f1 - 0.02),
        f1_high: Some(f1 + 0.015),
        seconds,
        cpu_seconds: Some(seconds * 1.9),
        peak_memory: memory,
        note: String::new(),
    };
    let mut all = vec![
        method("shingles", 0.952, 1.84, 312_000_000),
        method("minhash", 0.941, 1.21, 180_000_000),
        method("terms", 0.965, 3.7, 540_000_000),
        method("simhash", 0.61, 0.8, 90_000_000),
    ];
    all.push(MethodRow {
        name: "imatch".into(),
        precision: f64::NAN,
        recall: 0.0,
        f1: 0.0,
        seconds: 0.5,
        note: "finds nothing here: texts differ in at least one word".into(),
        ..MethodRow::default()
    });
    all
}

fn baseline() -> Baseline {
    Baseline {
        recall: 0.9912,
        precision: 1.0,
        documents: 100_000,
        all_pairs: 4_999_950_000,
        setting: BaselineSide {
            name: "minhash, recall 0.95".into(),
            pairs: 40_120,
            candidates: Some(61_002),
            verifications: Some(58_420),
            seconds: 1.21,
            peak_memory: 180_000_000,
        },
        complete: BaselineSide {
            name: "shingles, complete".into(),
            pairs: 40_476,
            candidates: Some(912_440),
            verifications: Some(812_001),
            seconds: 4.2,
            peak_memory: 412_000_000,
        },
    }
}

fn views() -> Vec<ViewSection> {
    let side = |key: &str, text: &str, shared: std::ops::Range<usize>| SideText {
        key: key.into(),
        text: text.into(),
        shared: vec![shared],
        removed: false,
    };
    let view = |score: f64, note: &str| PairView {
        a: side(
            "doc-17",
            "The harbour opens at six in the morning, every day but Sunday.",
            0..40,
        ),
        b: side(
            "doc-2204",
            "The harbour opens at six in the morning and closes at noon.",
            0..39,
        ),
        score,
        metric: "resemblance".into(),
        scores: vec![("resemblance".into(), score), ("containment_a".into(), 0.9)],
        note: note.into(),
    };
    vec![
        ViewSection {
            heading: "Strongest false positives".into(),
            note: "Labelled different, but found with a high score.".into(),
            views: vec![
                view(0.98, "labelled different, truth.jsonl line 17"),
                view(0.93, "labelled different, truth.jsonl line 430"),
            ],
        },
        ViewSection {
            heading: "Weakest false negatives".into(),
            note: "Labelled duplicates, but furthest below the threshold.".into(),
            views: vec![view(0.12, "labelled duplicates, truth.jsonl line 3")],
        },
    ]
}

fn full() -> EvalPage {
    EvalPage {
        title: "messages.jsonl".into(),
        version: "0.1.0".into(),
        command: "doublet eval messages.jsonl --truth truth.jsonl --sweep threshold=0.3..0.95:0.05".into(),
        input: vec!["messages.jsonl".into()],
        truth: [("Truth", "truth.jsonl"), ("Labelled pairs", "12,000"), ("Duplicates", "4,210"), ("Different", "7,790"), ("Texts", "100,000")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .into(),
        notes: vec![
            "Pairs without a label are not judged: the truth has labels of both kinds.".into(),
            "12 rows were left out, for they name ids that the input does not have.".into(),
        ],
        warnings: vec!["One pair in five of the truth has an id that is not in the input. Does `--id` name the right field?".into()],
        headline: Some(Headline { precision: 0.974, recall: 0.931, f1: 0.952, ..Headline::default() }),
        measures: measures(),
        intervals: "Intervals hold 95 % of 1,000 bootstrap samples of the truth.".into(),
        counts: Some(Confusion {
            true_positives: 3_920,
            false_positives: 105,
            false_negatives: 290,
            true_negatives: Some(7_685),
            ..Confusion::default()
        }),
        sweep: Some(sweep(13)),
        methods: methods(),
        best_method: Some(2),
        baseline: Some(baseline()),
        views: views(),
        options: vec![("method".into(), "shingles".into()), ("threshold".into(), "0.8".into())],
    }
}

fn check(html: &str) {
    for odd in ["NaN", "\"inf", "-inf", "\0"] {
        assert!(!html.contains(odd), "{odd}");
    }
    for tag in [
        "section", "table", "tbody", "tr", "div", "svg", "g", "details", "p", "ul", "dl", "figure",
        "span", "main",
    ] {
        let open =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(open, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    let links = html
        .split("href=\"#")
        .skip(1)
        .filter_map(|l| l.split('"').next());
    for link in links {
        assert_eq!(html.matches(&format!("id=\"{link}\"")).count(), 1, "{link}");
    }
    let mut ids: Vec<&str> = html
        .split(" id=\"")
        .skip(1)
        .filter_map(|l| l.split('"').next())
        .collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|w| w[0] != w[1]), "{ids:?}");
}

#[test]
fn the_result_stands_in_the_first_sentence() {
    let html = render(&full());
    check(&html);
    for part in [
        "Finds <strong>93.1\u{a0}%</strong> of the duplicates; <strong>97.4\u{a0}%</strong> of what it finds is right. F1 is 0.952.",
        "it reaches <strong>0.948 (0.930–0.960)</strong>, 0.031 more than",
        "The difference lies between +0.012 and +0.050.",
        "labelled different, truth.jsonl line 17",
        "<b>3,920</b>",
        "1 in 81,963 pairs",
        "<span class=\"badge best\">best</span>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn sections_without_data_are_absent() {
    let html = render(&EvalPage::default());
    check(&html);
    for id in [
        "judged", "measures", "sweep", "methods", "baseline", "errors", "run",
    ] {
        assert!(
            !html.contains(&format!("#{id}\"")) && !html.contains(&format!("id=\"{id}\"")),
            "{id}"
        );
    }
    let empty = EvalPage {
        sweep: Some(Sweep::default()),
        measures: vec![MeasureGroup::default()],
        views: vec![ViewSection::default()],
        ..EvalPage::default()
    };
    assert_eq!(render(&empty), html);
    assert_eq!(sweep_svg(&Sweep::default()), None);
}

#[test]
fn without_truth_the_baseline_speaks() {
    let html = render(&EvalPage {
        baseline: Some(baseline()),
        ..EvalPage::default()
    });
    check(&html);
    assert!(html.contains("Finds <strong>99.1\u{a0}%</strong> of what the complete join finds"));
    let nothing = Baseline {
        recall: f64::NAN,
        precision: f64::NAN,
        ..Baseline::default()
    };
    let html = render(&EvalPage {
        baseline: Some(nothing),
        ..EvalPage::default()
    });
    check(&html);
    assert!(html.contains("The complete join finds no pair"));
}

#[test]
fn what_cannot_be_computed_is_said() {
    let headline = |recall, precision| EvalPage {
        headline: Some(Headline {
            recall,
            precision,
            f1: f64::NAN,
            ..Headline::default()
        }),
        ..EvalPage::default()
    };
    assert!(render(&headline(f64::NAN, 0.0)).contains("The truth names no duplicates"));
    assert!(render(&headline(0.0, f64::NAN)).contains(
        "Finds <strong>0\u{a0}%</strong> of the duplicates; nothing that could be judged was found."
    ));
}

#[test]
fn odd_figures_never_reach_the_page() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300] {
        let mut page = full();
        for row in page.measures.iter_mut().flat_map(|g| &mut g.rows) {
            (row.value, row.low, row.high) = (odd, Some(odd), Some(odd));
        }
        page.headline = Some(Headline {
            recall: odd,
            precision: odd,
            f1: odd,
            ..Headline::default()
        });
        for method in &mut page.methods {
            (method.f1, method.seconds, method.cpu_seconds) = (odd, odd, Some(odd));
            (method.threshold, method.f1_low) = (Some(odd), Some(odd));
        }
        if let Some(sweep) = &mut page.sweep {
            for row in &mut sweep.rows {
                (row.f1, row.precision, row.f1_low) = (odd, odd, Some(odd));
            }
            if let Some(held) = &mut sweep.held_out {
                (held.f1, held.low, held.high) = (odd, Some(odd), Some(odd));
            }
        }
        check(&render(&page));
    }
}

#[test]
fn nothing_foreign_becomes_markup() {
    let nasty = || NASTY.to_owned();
    let mut page = full();
    page.title = nasty();
    page.command = nasty();
    page.input = vec![nasty()];
    page.truth = vec![(nasty(), nasty())];
    page.notes = vec![nasty()];
    page.warnings = vec![nasty()];
    page.intervals = nasty();
    page.options = vec![(nasty(), nasty())];
    page.headline = Some(Headline {
        things: nasty(),
        ..Headline::default()
    });
    page.counts = Some(Confusion {
        things: nasty(),
        ..Confusion::default()
    });
    page.measures[0] = MeasureGroup {
        name: nasty(),
        rows: vec![measure(NASTY, 0.5, 0.1, NASTY)],
    };
    page.methods[0].name = nasty();
    page.methods[0].note = nasty();
    page.views[0].views[0].note = nasty();
    if let Some(sweep) = &mut page.sweep {
        sweep.axes[0] = Axis {
            name: nasty(),
            values: vec![nasty(); 13],
        };
        sweep.more = vec![nasty()];
        sweep.rows[0].more = vec![nasty()];
        if let Some(held) = &mut sweep.held_out {
            held.setting = nasty();
            held.given = Some(Given {
                setting: nasty(),
                ..Given::default()
            });
        }
    }
    if let Some(baseline) = &mut page.baseline {
        baseline.setting.name = nasty();
    }
    let html = render(&page);
    assert!(!html.contains("<img") && !html.contains("<!--"));
    for (tag, times) in [
        ("</script>", 1),
        ("</style>", 1),
        ("<script", 1),
        ("<body", 1),
        ("<main", 1),
    ] {
        assert_eq!(html.matches(tag).count(), times, "{tag}");
    }
    check(&html);
}

#[test]
fn a_grid_is_a_heat_map_and_a_folded_table() {
    let page = EvalPage {
        sweep: Some(grid(20, 20)),
        ..EvalPage::default()
    };
    let html = render(&page);
    check(&html);
    assert!(html.contains("F1 of each setting; the chosen one is outlined."));
    assert!(html.contains("<details class=\"all\">\n<summary>All 400 settings"));
    assert!(html.len() < 400_000, "{}", html.len());
    assert!(sweep_svg(&grid(3, 4)).is_some_and(|svg| svg.contains("class=\"best-cell")));
    assert!(sweep_svg(&sweep(14)).is_some_and(|svg| svg.contains("class=\"best-ring")));
}

#[test]
fn settings_that_do_not_fit_the_axes_do_no_harm() {
    let mut wrong = sweep(14);
    wrong.rows[0].at = vec![99];
    wrong.rows[1].at = Vec::new();
    wrong.rows[2].at = vec![1, 2, 3];
    wrong.best = Some(99);
    check(&render(&EvalPage {
        sweep: Some(wrong.clone()),
        ..EvalPage::default()
    }));
    wrong.best = Some(1);
    wrong.axes = vec![Axis::default(); 3];
    check(&render(&EvalPage {
        sweep: Some(wrong.clone()),
        best_method: Some(7),
        ..EvalPage::default()
    }));
    wrong.axes = vec![Axis::default(); 2];
    check(&render(&EvalPage {
        sweep: Some(wrong),
        ..EvalPage::default()
    }));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let html = render(&full());
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert_eq!(html, render(&full()));
}

/// Writes pages to look at into the temporary directory.
#[test]
#[ignore = "for the eye"]
fn demo() -> std::io::Result<()> {
    let write = |name: &str, text: &str| std::fs::write(std::env::temp_dir().join(name), text);
    write("doublet-eval.html", &render(&full()))?;
    let mut page = full();
    page.sweep = Some(grid(20, 20));
    write("doublet-eval-grid.html", &render(&page))?;
    write(
        "doublet-eval-lines.svg",
        &sweep_svg(&sweep(66)).unwrap_or_default(),
    )?;
    write(
        "doublet-eval-grid.svg",
        &sweep_svg(&grid(5, 6)).unwrap_or_default(),
    )
}
