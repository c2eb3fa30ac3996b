//! Both charts, as files of their own and within a page.

use super::*;

const NASTY: &str = "</svg><script>alert(1)</script>\"'&\u{0}\u{ffff}";

fn axis(name: &str, values: Vec<String>) -> Axis {
    Axis {
        name: name.into(),
        values,
    }
}

fn lines(points: usize) -> LineChart {
    let series = |name: &str, from: f64, slope: f64| Series {
        name: name.into(),
        values: (0..points)
            .map(|i| from + slope * i as f64 / points as f64)
            .collect(),
        band: Vec::new(),
    };
    let mut f1 = series("F1", 0.6, 0.2);
    f1.band = f1.values.iter().map(|v| (v - 0.02, v + 0.02)).collect();
    LineChart {
        title: "F1 by threshold".into(),
        x: axis(
            "threshold",
            (0..points).map(|i| format!("0.{i:03}")).collect(),
        ),
        y_name: "Score".into(),
        series: vec![
            series("Precision", 0.5, 0.5),
            series("Recall", 0.95, -0.4),
            f1,
        ],
        main: 2,
        best: Some(BestPoint {
            series: 2,
            point: points / 2,
            label: "best F1".into(),
        }),
        ..LineChart::default()
    }
}

fn map(rows: usize, columns: usize) -> HeatMap {
    let cell = |r: usize, c: usize| ((r * 7 + c * 3) % 41) as f64 / 41.0;
    HeatMap {
        title: "F1 by width and threshold".into(),
        name: "F1".into(),
        columns: axis(
            "threshold",
            (0..columns).map(|c| format!("0.{c:02}")).collect(),
        ),
        rows: axis("width", (0..rows).map(|r| r.to_string()).collect()),
        values: (0..rows)
            .map(|r| (0..columns).map(|c| cell(r, c)).collect())
            .collect(),
        best: Some((rows / 2, columns / 3)),
    }
}

/// Whether every tag is closed in order, and nothing but tags holds `<`.
fn check_markup(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, _) = part
            .split_once('>')
            .unwrap_or_else(|| panic!("unclosed tag: {part}"));
        let name = tag
            .split([' ', '/', '\n'])
            .find(|n| !n.is_empty())
            .unwrap_or("");
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "in {part}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

fn check(svg: &str) {
    check_markup(svg);
    for odd in ["NaN", "inf\"", "\"inf", "-inf", "\0", "\u{ffff}"] {
        assert!(!svg.contains(odd), "{odd} in {svg}");
    }
    assert!(svg.contains("role=\"img\""));
}

#[test]
fn charts_of_any_size_are_drawn() {
    for points in [0, 1, 2, 14, 100, 3000] {
        let chart = lines(points);
        check(&chart.svg());
        check(&chart.inline("chart"));
        assert!(
            chart.svg().len() < 250_000,
            "{points}: {}",
            chart.svg().len()
        );
    }
    for (rows, columns) in [(0, 0), (0, 3), (1, 1), (2, 30), (20, 20), (200, 200)] {
        let map = map(rows, columns);
        check(&map.svg());
        check(&map.inline("map"));
        assert!(map.svg().len() < 1_000_000);
    }
}

#[test]
fn nothing_foreign_becomes_markup() {
    let mut chart = lines(3);
    chart.title = NASTY.into();
    chart.x = axis(NASTY, vec![NASTY.into(); 3]);
    chart.y_name = NASTY.into();
    chart.series[1].name = NASTY.into();
    chart.best = Some(BestPoint {
        series: 0,
        point: 0,
        label: NASTY.into(),
    });
    let mut map = map(2, 2);
    map.title = NASTY.into();
    map.name = NASTY.into();
    map.columns = axis(NASTY, vec![NASTY.into(); 2]);
    map.rows = axis(NASTY, vec![NASTY.into(); 2]);
    for svg in [chart.svg(), chart.inline("x"), map.svg(), map.inline("x")] {
        check(&svg);
        assert!(!svg.contains("<script"), "{svg}");
        assert!(svg.contains("&lt;script&gt;"));
    }
}

#[test]
fn what_is_no_number_is_left_out() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, f64::MIN];
    let mut chart = lines(5);
    chart.x.values = ["NaN", "inf", "-inf", "1e999", "x"]
        .map(String::from)
        .into();
    for series in &mut chart.series {
        series.values = odd.to_vec();
        series.band = odd.map(|v| (v, v)).to_vec();
    }
    let svg = chart.svg();
    check_markup(&svg);
    assert!(
        !svg.contains("<path") && !svg.contains("class=\"best-ring"),
        "{svg}"
    );
    let mut map = map(1, 5);
    map.values = vec![odd.to_vec()];
    check(&map.svg());
    // Rows that are too short are empty cells.
    map.values = vec![vec![0.5]];
    assert_eq!(map.svg().matches(">–</text>").count(), 4);
}

#[test]
fn a_gap_parts_a_line() {
    let mut chart = lines(7);
    chart.series.truncate(1);
    chart.series[0].values[3] = f64::NAN;
    assert_eq!(chart.svg().matches("<path class=\"line").count(), 2);
}

#[test]
fn the_figures_are_there_in_words() {
    let words = lines(4).svg();
    assert!(
        words.contains("Line chart of Precision, Recall, F1 by threshold. Marked: best F1."),
        "{words}"
    );
    assert!(
        words.contains("threshold 0.000: Precision 0.500, Recall 0.950, F1 0.600"),
        "{words}"
    );
    let words = map(2, 2).svg();
    assert!(
        words.contains("Marked as best: 0.171 at width 1 and threshold 0.00."),
        "{words}"
    );
}

#[test]
fn every_cell_of_a_large_map_has_its_figure() {
    let svg = map(20, 20).svg();
    assert_eq!(svg.matches("<text class=\"cell ").count(), 400);
    assert_eq!(svg.matches("best-cell\" x").count(), 1);
    assert!(svg.contains(">.17</text>"));
}

#[test]
fn the_same_data_gives_the_same_bytes() {
    assert_eq!(lines(30).svg(), lines(30).svg());
    assert_eq!(map(9, 9).inline("m"), map(9, 9).inline("m"));
}
