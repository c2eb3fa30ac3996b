//! Paper 000, figures 7 to 10 of the page: run time and storage as collections grow.

use anyhow::Result;
use serde_json::Value;

use super::figures::{correlation, count, decimal, duration, megabytes, number, of};
use super::page::{Item, Page, Verdict};
use crate::terms::scaling;

/// From this correlation on growth is called linear.
const LINEAR: f64 = 0.99;

/// Run time and storage of one kind of text.
pub(super) struct Growth {
    kind: &'static str,
    names: [&'static str; 2],
    abouts: [&'static str; 2],
    paper: &'static str,
    files: [&'static str; 2],
}

impl Growth {
    pub(super) const MESSAGES: Self = Self {
        kind: "messages",
        names: ["Figure 7", "Figure 9"],
        abouts: ["run time, short messages", "storage, short messages"],
        paper: "almost linear up to 12 million messages, 735 MB (figures in the drawing only)",
        files: ["000-figure-7.svg", "000-figure-9.svg"],
    };
    pub(super) const TITLES: Self = Self {
        kind: "titles",
        names: ["Figure 8", "Figure 10"],
        abouts: ["run time, titles", "storage, titles"],
        paper: "almost linear up to 5 million titles, 157 MB (figures in the drawing only)",
        files: ["000-figure-8.svg", "000-figure-10.svg"],
    };
}

/// The section about one kind of text, and its two figures.
pub(super) fn growth(page: &mut Page, rows: &[Value], growth: &Growth) -> Result<()> {
    let own = of(rows, "scaling");
    let own: Vec<&Value> = own
        .into_iter()
        .filter(|row| row["kind"] == growth.kind)
        .collect();
    page.heading(&format!(
        "{} and {}: {}",
        growth.names[0],
        growth.names[1].replace("Figure ", ""),
        growth.kind
    ));
    page.text(&format!(
        "`doublet dedup --method terms --candidates features --linkage connected`, with transitivity, on the first part of one made collection of {} in English and Chinese by turns; one run of each size. \
         Dashed: in proportion to the first.",
        growth.kind
    ));
    let [time, memory] = growth.files;
    let time = page.drawing(growth.abouts[0], time);
    let memory = page.drawing(growth.abouts[1], memory);
    scaling::draw(&own, growth.kind, [&time, &memory])?;
    let line = |row: &&Value| {
        let (median, cost) = (&row["median"], &row["cost_per_message"]);
        vec![
            count(number(&row["documents"])),
            megabytes(number(&row["bytes"])),
            decimal(number(&median["wall_seconds"]), 2),
            decimal(number(&median["cpu_seconds"]), 2),
            megabytes(number(&median["peak_bytes"])),
            count(number(&row["comparisons"])),
            format!("×{}", decimal(number(&cost["cpu"]), 2)),
            format!("×{}", decimal(number(&cost["memory"]), 2)),
        ]
    };
    page.table(
        &[
            growth.kind,
            "file",
            "wall s",
            "CPU s",
            "peak memory",
            "comparisons",
            "CPU a text",
            "memory a text",
        ],
        &own.iter().map(line).collect::<Vec<_>>(),
    );
    for (place, figure) in ["cpu_seconds", "peak_bytes"].into_iter().enumerate() {
        page.item(growth_item(&own, growth, place, figure));
    }
    Ok(())
}

fn growth_item(rows: &[&Value], growth: &Growth, place: usize, figure: &str) -> Item {
    let points: Vec<(f64, f64)> = rows
        .iter()
        .map(|row| (number(&row["documents"]), number(&row["median"][figure])))
        .collect();
    let linear = correlation(&points);
    let last = rows.last().map_or(&Value::Null, |row| *row);
    let largest = count(number(&last["documents"]));
    let median = &last["median"];
    let cost = |name: &str| decimal(number(&last["cost_per_message"][name]), 2);
    let ours = if place == 0 {
        let (wall, cpu) = (
            number(&median["wall_seconds"]),
            number(&median["cpu_seconds"]),
        );
        format!(
            "{largest} in {} ({} of CPU time), ×{} of the smallest size for a text",
            duration(wall),
            duration(cpu),
            cost("cpu")
        )
    } else {
        format!(
            "{largest} in {}, ×{} of the smallest size for a text",
            megabytes(number(&median["peak_bytes"])),
            cost("memory")
        )
    };
    Item {
        name: growth.names[place],
        about: growth.abouts[place],
        paper: growth.paper.to_owned(),
        ours: format!(
            "{ours}; correlation with the number of texts {}",
            decimal(linear, 3)
        ),
        verdict: Verdict::of(&[linear >= LINEAR]),
        rule: "if the correlation is 0.99 or more",
        why: "Texts are made, not real; two threads here, a server with four CPUs and 8 GB there; part of the memory is the same for every size",
    }
}
