//! The pages: `docs/peers.md`, and the short table between two marks in the README.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::lines::{Figure, Line, distinct, number, percent};
use super::wins;
use crate::workspace;

const PAGE: &str = "docs/peers.md";
const README: &str = "README.md";
const BEGIN: &str = "<!-- peers -->";
const END: &str = "<!-- /peers -->";
const COMMAND: &str = "cargo xtask bench --peers";

/// What is needed to read the tables.
const NOTES: &str = "\
- **Same question.** Every tool gets the same file of JSON lines, resemblance (Jaccard similarity) of sets of word 5-grams, and the same threshold. Peers sign with 128 \
permutations; rensa, gaoya and datatrove have 16 bands of 8 rows, datasketch and text-dedup the bands that they choose themselves. All may use the same number of threads or processes. A run is the \
whole program, from its start to the written pairs.
- **CPU** is user and system time of all processes. **Peak** memory is the larger of two figures: the largest resident size that one process reached, by the system's accounting, and, where \
there are several processes, the most that the sum of their proportional set sizes was seen to be, looked at fifty times a second or less. One way for all; what lies between two looks is missed.
- **Median (least–most)** over the runs, which go in rounds, every tool once a round. A peer whose first run takes over two minutes is run once and marked so; one that takes longer than the limit is stopped.
- **Recall and precision** are against the complete join of `doublet shingles`, over doublet's words: cut at punctuation, Chinese by the character. doublet's own 100 % is so by definition; \
`cargo xtask bench --check` tests it against an independent program.
- **By its own words**: peers cut texts in other ways, so what they miss or add is in part a difference of opinion. For these two columns the collection is written again in exactly the words of that peer and joined \
completely; what is still missing or added is the peer's own loss. Collections above 200,000 documents are left out, for it takes minutes.
- **rensa** and **datasketch** get words between white space in small letters, **gaoya** cuts at punctuation and white space of ASCII; they keep candidates whose sketches agree enough, so precision by their own words below 100 % is the error of an estimate. Texts shorter than a shingle are one shingle \
for rensa and datasketch, and are left out for gaoya, which would find all of them alike.
- **text-dedup** reports clusters and keeps one text of each; it has no pairs and compares nothing after its bands met. All pairs within a cluster are counted as its answer, which costs precision where clusters are chains. \
It cuts at every character that is no letter, digit or `_`, and leaves out texts of fewer than five such pieces.
- **datatrove** compares nothing after its buckets met. Two texts that met in a bucket are counted as a pair of its answer; the later stages, which cluster and filter, are in its time. Texts are simplified as \
it does by default (no punctuation, numbers alike, no accents) and cut at white space, for its tokenisers for languages want models from the network. The file is first divided into as many as there are workers, within its time. It leaves out texts of fewer than five words.
- **laws_zh**, and the Chinese half of **nus_sms**, have no spaces between words. What the peers take for a word is a line or a clause there, so word 5-grams mean little to them: their low recall says that they were not made for it, not that they are broken.
- **debian_html** is raw HTML, boost and LibreOffice help in one file, tags and all. **biblio** is cora and dblp_acm in one file.
- Some of text-dedup's and datatrove's work is not for finding pairs: both write the texts that they keep.
";

/// Write both pages from a record.
pub(super) fn write(record: &Path) -> Result<()> {
    let path = workspace::root().join(PAGE);
    std::fs::write(&path, page(record)?)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    println!("page: {PAGE}");
    let (record, lines) = read(record)?;
    let path = workspace::root().join(README);
    let readme = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    match between_marks(&readme, &short(&record, &lines)) {
        Some(changed) => std::fs::write(&path, changed)?,
        None => println!("{README} has no `{BEGIN}` and `{END}`: it was left as it is"),
    }
    Ok(())
}

/// All of `docs/peers.md`.
pub(super) fn page(record: &Path) -> Result<String> {
    let name = record.file_stem().unwrap_or_default().display().to_string();
    let (record, lines) = read(record)?;
    let parts = [
        "# Side by side with peers".to_owned(),
        format!(
            "`{COMMAND}`, record [{name}](../benchmarks/record/{name}.json). {}",
            circumstances(&record, &lines)
        ),
        summary(&lines),
        "## Where a peer wins".to_owned(),
        winners(&lines),
        "## All figures".to_owned(),
        table(&lines),
        answers(&lines),
        "## How to read it".to_owned(),
        NOTES.trim_end().to_owned(),
    ];
    Ok(parts.join("\n\n") + "\n")
}

fn read(path: &Path) -> Result<(Value, Vec<Line>)> {
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let record: Value = serde_json::from_slice(&text)?;
    let rows = record["rows"].as_array().context("a record without rows")?;
    let lines = rows.iter().map(Line::read).collect::<Result<_>>()?;
    Ok((record, lines))
}

/// What stands in the README.
fn short(record: &Value, lines: &[Line]) -> String {
    let parts = [
        format!(
            "`{COMMAND}`; all figures, how they were measured and [where a peer wins]({PAGE}#where-a-peer-wins) stand in [{PAGE}]({PAGE}). {}",
            circumstances(record, lines)
        ),
        summary(lines),
    ];
    let wins = wins::wins(lines);
    let wins = match wins.len() {
        0 => "No peer wins in any of them.".to_owned(),
        _ => format!("Where a peer wins:\n\n{}", list(&wins)),
    };
    format!("{}\n\n{wins}", parts.join("\n\n"))
}

/// Put a text between the marks.
fn between_marks(page: &str, text: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{text}\n{END}{after}"))
}

/// When, on what, how often.
fn circumstances(record: &Value, lines: &[Line]) -> String {
    let machine = &record["machine"];
    let word = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    let memory = machine["memory"].as_str().and_then(gigabytes);
    let versions = distinct(
        lines
            .iter()
            .map(|line| format!("{} {}", line.tool, line.version)),
    );
    let threshold = lines.first().map_or(0.0, |line| line.threshold);
    let runs = lines.iter().map(|line| line.runs).max().unwrap_or(0);
    format!(
        "{}, {} ({} cores, {} GB), {} threads, threshold {threshold}, {}; {}.",
        word(&record["date"]),
        word(&machine["cpu"]),
        machine["cores"],
        memory.unwrap_or_default(),
        machine["threads"],
        match runs {
            1 => "one run of each".to_owned(),
            _ => format!("medians of {runs} runs"),
        },
        versions.join(", ")
    )
}

/// `12345678 kB` in gigabytes.
fn gigabytes(text: &str) -> Option<String> {
    let kilobytes: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(format!("{:.0}", kilobytes * 1024.0 / 1e9))
}

/// A row for each collection, a column for each tool.
fn summary(lines: &[Line]) -> String {
    let tools = distinct(lines.iter().map(Line::name));
    let mut rows = vec![
        format!("| collection | {} |", tools.join(" | ")),
        format!("|---|{}", "---|".repeat(tools.len())),
    ];
    for collection in distinct(lines.iter().map(|line| line.collection.clone())) {
        let here = lines.iter().filter(|line| line.collection == collection);
        let here: Vec<&Line> = here.collect();
        let cells = tools.iter().map(|tool| {
            let line = here.iter().find(|line| line.name() == *tool);
            line.map_or("–".to_owned(), |line| brief(line))
        });
        let cells: Vec<String> = cells.collect();
        rows.push(format!("| {collection} | {} |", cells.join(" | ")));
    }
    let key = "CPU seconds, peak megabytes, recall / precision in per cent against doublet's complete join; *own*: by the peer's own words, which is what to judge its method by.";
    format!("{}\n\n{key}", rows.join("\n"))
}

fn brief(line: &Line) -> String {
    let shares = line.recall.zip(line.precision);
    match (line.cpu, line.peak, shares) {
        (Some(cpu), Some(peak), Some((recall, precision))) => {
            let both = |recall, precision| format!("{} / {}", percent(recall), percent(precision));
            let own = line.own_recall.zip(line.own_precision);
            let own = own.map(|(recall, precision)| format!(", *own* {}", both(recall, precision)));
            format!(
                "{} s, {:.0} MB, {}{}",
                number(cpu.median),
                peak.median,
                both(recall, precision),
                own.unwrap_or_default()
            )
        }
        _ => line.stopped.clone().unwrap_or_else(|| "–".to_owned()),
    }
}

/// Everything: a row for each collection and tool.
fn table(lines: &[Line]) -> String {
    let mut rows = vec![
        "| collection | documents | tool | CPU s | wall s | peak MB | recall % | precision % | by its own words: recall % | precision % |".to_owned(),
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    rows.extend(lines.iter().map(full));
    rows.join("\n")
}

fn full(line: &Line) -> String {
    let share = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    let cells = match &line.stopped {
        Some(reason) => [reason.as_str(), reason, "–"].map(str::to_owned),
        None => [
            spread(line.cpu, line.runs, number),
            spread(line.wall, line.runs, number),
            spread(line.peak, line.runs, |megabytes| format!("{megabytes:.0}")),
        ],
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        line.collection,
        line.documents,
        line.name(),
        cells.join(" | "),
        share(line.recall),
        share(line.precision),
        share(line.own_recall),
        share(line.own_precision),
    )
}

/// The median, and the least and the most if there are several runs.
fn spread(figure: Option<Figure>, runs: usize, write: fn(f64) -> String) -> String {
    match figure {
        None => "–".to_owned(),
        Some(figure) if runs == 1 => format!("{} (one run)", write(figure.median)),
        Some(figure) => format!(
            "{} ({}–{})",
            write(figure.median),
            write(figure.least),
            write(figure.most)
        ),
    }
}

fn winners(lines: &[Line]) -> String {
    let mut parts = Vec::new();
    let wins = wins::wins(lines);
    if !wins.is_empty() {
        parts.push(format!(
            "By medians, against either of doublet's two methods:\n\n{}",
            list(&wins)
        ));
    }
    let without = wins::without_wins(lines);
    if !without.is_empty() {
        parts.push(format!(
            "Nowhere, in nothing of this, on {}: CPU time, wall time, memory, recall, recall by its own words, precision.",
            without.join(", ")
        ));
    }
    parts.join("\n\n")
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    items.join("\n")
}

/// Whether tools answer the same each time, for recall and precision are those of the last run.
fn answers(lines: &[Line]) -> String {
    let changing = lines.iter().filter(|line| !line.is_same_answer);
    let changing = changing.map(|line| format!("{} on {}", line.name(), line.collection));
    let changing: Vec<String> = changing.collect();
    if changing.is_empty() {
        "Every tool gave the same answer in each of its runs, so recall and precision have no spread.".to_owned()
    } else {
        format!(
            "Recall and precision are those of the last run. Not the same in every run: {}.",
            changing.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::line;
    use super::*;

    #[test]
    fn a_row_shows_medians_with_their_spread() {
        let row = full(&line("rensa", None, 2.0, 0.874));
        assert_eq!(
            row,
            "| c | 10 | rensa | 2.00 (1.80–2.20) | 1.00 (0.90–1.10) | 5 (4–6) | 87.4 | 50.0 | 25.0 | 75.0 |"
        );
    }

    #[test]
    fn a_single_run_and_a_stopped_one_are_marked() {
        let mut once = line("rensa", None, 250.0, 1.0);
        once.runs = 1;
        assert!(full(&once).contains("| 250 (one run) | 125 (one run) | 5 (one run) | 100.0 |"));
        let mut stopped = line("slow", None, 1.0, 1.0);
        stopped.stopped = Some("over 10 min".to_owned());
        (stopped.recall, stopped.precision) = (None, None);
        (stopped.own_recall, stopped.own_precision) = (None, None);
        assert_eq!(
            full(&stopped),
            "| c | 10 | slow | over 10 min | over 10 min | – | – | – | – | – |"
        );
        assert_eq!(brief(&stopped), "over 10 min");
    }

    #[test]
    fn the_summary_has_a_column_for_each_tool() {
        let mut lines = [
            line("doublet", Some("minhash"), 1.0, 1.0),
            line("rensa", None, 2.0, 0.9),
        ];
        (lines[0].own_recall, lines[0].own_precision) = (None, None);
        let expected = "| collection | doublet minhash | rensa |\n|---|---|---|\n\
            | c | 1.00 s, 5 MB, 100.0 / 50.0 | 2.00 s, 5 MB, 90.0 / 50.0, *own* 25.0 / 75.0 |";
        assert!(summary(&lines).starts_with(expected));
    }

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let page = "a\n<!-- peers -->\nold\n<!-- /peers -->\nb\n";
        let changed = between_marks(page, "new").expect("marks");
        assert_eq!(changed, "a\n<!-- peers -->\nnew\n<!-- /peers -->\nb\n");
        assert_eq!(between_marks(&changed, "new"), Some(changed.clone()));
        assert_eq!(between_marks("a", "new"), None);
    }

    #[test]
    fn changing_answers_are_named() {
        let mut lines = [line("rensa", None, 2.0, 0.9)];
        assert!(answers(&lines).starts_with("Every tool gave the same"));
        lines[0].is_same_answer = false;
        assert!(answers(&lines).ends_with("Not the same in every run: rensa on c."));
    }
}
