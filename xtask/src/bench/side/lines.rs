//! What a record says, as the lines of a table.

use anyhow::{Context, Result};
use serde_json::Value;

/// The median of a figure over the runs, and the least and the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

/// One tool on one collection.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) collection: String,
    pub(super) documents: u64,
    pub(super) tool: String,
    pub(super) version: String,
    /// doublet's; a peer has none.
    pub(super) method: Option<String>,
    pub(super) threshold: f64,
    pub(super) runs: usize,
    /// Why there are no figures.
    pub(super) stopped: Option<String>,
    pub(super) cpu: Option<Figure>,
    pub(super) wall: Option<Figure>,
    /// In megabytes.
    pub(super) peak: Option<Figure>,
    pub(super) recall: Option<f64>,
    pub(super) precision: Option<f64>,
    pub(super) own_recall: Option<f64>,
    pub(super) own_precision: Option<f64>,
    pub(super) is_same_answer: bool,
}

impl Line {
    /// A row of a record.
    pub(super) fn read(row: &Value) -> Result<Self> {
        let word = |name: &str| row[name].as_str().map(str::to_owned);
        let needed = |name: &str| word(name).with_context(|| format!("a row without `{name}`"));
        let figure = |name: &str, unit: f64| {
            let of = |which: &str| Some(row[which][name].as_f64()? / unit);
            Some(Figure {
                median: of("median")?,
                least: of("least")?,
                most: of("most")?,
            })
        };
        Ok(Self {
            collection: needed("collection")?,
            documents: row["documents"].as_u64().context("no documents")?,
            tool: needed("tool")?,
            version: needed("version")?,
            method: word("method"),
            threshold: row["threshold"].as_f64().context("no threshold")?,
            runs: row["runs"].as_array().map_or(0, Vec::len),
            stopped: word("stopped"),
            cpu: figure("cpu_seconds", 1.0),
            wall: figure("wall_seconds", 1.0),
            peak: figure("peak_bytes", 1e6),
            recall: row["recall"].as_f64(),
            precision: row["precision"].as_f64(),
            own_recall: row["own_words"]["recall"].as_f64(),
            own_precision: row["own_words"]["precision"].as_f64(),
            is_same_answer: row["same_answer"] != false,
        })
    }

    pub(super) fn is_peer(&self) -> bool {
        self.method.is_none()
    }

    /// The tool, and doublet's method.
    pub(super) fn name(&self) -> String {
        match &self.method {
            Some(method) => format!("{} {method}", self.tool),
            None => self.tool.clone(),
        }
    }
}

/// What is different in a list, in the order of first occurrence.
pub(super) fn distinct(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

/// With so many digits as can be told apart.
pub(super) fn number(figure: f64) -> String {
    if figure < 10.0 {
        format!("{figure:.2}")
    } else if figure < 100.0 {
        format!("{figure:.1}")
    } else {
        format!("{figure:.0}")
    }
}

/// A share in per cent; what is not quite everything is not shown as 100.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    if text == "100.0" && share < 1.0 {
        "99.9+".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A line of the collection `c` with a middle, a tenth less and a tenth more.
    pub(in super::super) fn line(tool: &str, method: Option<&str>, cpu: f64, recall: f64) -> Line {
        let usage = |factor: f64| {
            json!({"cpu_seconds": cpu * factor, "wall_seconds": cpu * factor / 2.0,
                "peak_bytes": 5e6 * factor})
        };
        let row = json!({"collection": "c", "documents": 10, "tool": tool, "version": "1",
            "method": method, "threshold": 0.7, "median": usage(1.0), "least": usage(0.9),
            "most": usage(1.1), "runs": [{}, {}, {}], "recall": recall, "precision": 0.5,
            "own_words": {"recall": 0.25, "precision": 0.75}});
        Line::read(&row).expect("a good row")
    }

    #[test]
    fn rows_are_read() {
        let read = line("rensa", None, 2.0, 0.9);
        let cpu = read.cpu.expect("a figure");
        assert_eq!((cpu.median, cpu.least, cpu.most), (2.0, 1.8, 2.2));
        assert_eq!(read.peak.expect("a figure").median, 5.0);
        assert_eq!((read.runs, read.own_precision), (3, Some(0.75)));
        assert!(read.is_peer());
        assert_eq!(
            line("doublet", Some("minhash"), 1.0, 1.0).name(),
            "doublet minhash"
        );
        assert!(Line::read(&json!({"tool": "rensa"})).is_err());
    }

    #[test]
    fn a_stopped_tool_has_no_figures() {
        let row = json!({"collection": "c", "documents": 10, "tool": "x", "version": "1",
            "threshold": 0.7, "median": null, "runs": [], "stopped": "over 10 min"});
        let line = Line::read(&row).expect("a good row");
        assert_eq!((line.cpu, line.recall, line.runs), (None, None, 0));
        assert_eq!(line.stopped.as_deref(), Some("over 10 min"));
    }

    #[test]
    fn numbers_are_as_long_as_they_are_worth() {
        assert_eq!(number(1.234), "1.23");
        assert_eq!(number(12.34), "12.3");
        assert_eq!(number(1234.5), "1234");
        assert_eq!(percent(1.0), "100.0");
        assert_eq!(percent(0.9999), "99.9+");
        assert_eq!(percent(0.874), "87.4");
    }
}
