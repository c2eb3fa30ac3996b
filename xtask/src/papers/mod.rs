//! `cargo xtask papers`: every table and figure of the papers behind the methods, redone, into `docs/papers/`.
//!
//! Each paper has a file (or two) that measures, giving rows, and writes a page from rows: what the paper says beside ours, and why they
//! differ. Rows are kept as a record, so that pages can be written again without measuring. What is measured by other
//! commands too is measured by their code: `terms`, `sentences`, `sketches`, `bench`, `plot`. Sentences that judge are made from the figures;
//! those that explain stand in the source and hold whatever the figures are.
//!
//! `setting` knows collections and sizes, `page` makes a page and checks it, `figures` writes numbers and fits lines.

mod figures;
mod matrix;
mod matrix_page;
mod page;
mod partial_copies;
mod setting;
mod short_texts;
mod short_texts_growth;
mod short_texts_page;
mod sketches;
mod sketches_page;
mod unvalidated;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bench::record;
use crate::doublet;
use figures::{duration, text};
use page::{Page, table};
use setting::Setting;

/// What to do.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Small collections made from the project's own texts, into target/papers-quick: a test that all pages are made
    #[arg(long)]
    quick: bool,
    /// The folder with the stored texts [default: ../shared/data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where the pages go [default: docs/papers, or target/papers-quick/pages]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Measure only these papers: 000, 001, 003, 004; the others are taken from `--redraw`
    #[arg(long, value_delimiter = ',', requires = "redraw")]
    only: Vec<String>,
    /// Measure nothing, or what `--only` names, and write the pages from this record
    #[arg(long, value_name = "RECORD")]
    redraw: Option<PathBuf>,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// A paper, its page, and how both are made.
struct Paper {
    number: &'static str,
    title: &'static str,
    /// Tables and figures that the page must speak of.
    expected: &'static [&'static str],
    measure: fn(&Setting) -> Result<Vec<Value>>,
    page: fn(&Path, &[Value]) -> Result<Page>,
}

const PAPERS: [Paper; 4] = [
    Paper {
        number: "000",
        title: "C. Gong, Y. Huang, X. Cheng, S. Bai: *Detecting Near-Duplicates in Large-Scale Short Text Databases*, PAKDD 2008",
        expected: &short_texts_page::EXPECTED,
        measure: short_texts::measure,
        page: short_texts_page::page,
    },
    Paper {
        number: "001",
        title: "M. Kupietz: *Near-Duplicate Detection in the IDS Corpora of Written German*, Technical Report IDS-KT-2006-01, 2005",
        expected: &matrix_page::EXPECTED,
        measure: matrix::measure,
        page: matrix_page::page,
    },
    Paper {
        number: "003",
        title: "Y.-C. Yoon, M.-G. Jang, H.-K. Kim, S.-Y. Park: *Detecting Partial and Near Duplication in the Blogosphere*, IEICE Transactions E95-D, 2012",
        expected: &partial_copies::EXPECTED,
        measure: partial_copies::measure,
        page: partial_copies::page,
    },
    Paper {
        number: "004",
        title: "K. Radinsky, after C. Manning and P. Raghavan: *Duplicate detection*, slides",
        expected: &sketches_page::EXPECTED,
        measure: sketches::measure,
        page: sketches_page::page,
    },
];

/// Measure, keep the record, write the pages and their index, and look whether all of it is there.
pub(crate) fn run(args: &Args) -> Result<()> {
    let start = Instant::now();
    for number in &args.only {
        let is_known = PAPERS.iter().any(|paper| paper.number == number);
        ensure!(is_known, "`--only {number}`: there is 000, 001, 003, 004");
    }
    let mut rows = match &args.redraw {
        Some(record) => record::read(record)?,
        None => Vec::new(),
    };
    if args.redraw.is_none() || !args.only.is_empty() {
        measure(args, &mut rows)?;
    }
    let folder = Setting::pages(args);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make `{}`", folder.display()))?;
    let mut pages = Vec::new();
    for paper in &PAPERS {
        let own = rows.iter().filter(|row| row["paper"] == paper.number);
        let own: Vec<Value> = own.cloned().collect();
        let mut page = (paper.page)(&folder, &own)
            .with_context(|| format!("the page about {}", paper.number))?;
        page.introduce_run(paper, &own);
        page.sort(paper.expected);
        page.write()?;
        page.check(paper.expected, args.quick)?;
        pages.push(page);
    }
    let index = folder.join("README.md");
    std::fs::write(&index, index_page(&pages))
        .with_context(|| format!("cannot write `{}`", index.display()))?;
    let taken = duration(start.elapsed().as_secs_f64());
    println!(
        "wrote {} pages in {taken}: {}",
        pages.len(),
        folder.display()
    );
    Ok(())
}

/// Measure what was asked for, put it in the place of the rows that were there, and keep all as a record.
fn measure(args: &Args, rows: &mut Vec<Value>) -> Result<()> {
    let setting = Setting::new(args)?;
    let missing = setting::missing(&setting);
    for line in &missing {
        println!("{line} (in `{}`)", setting.data().display());
    }
    for paper in &PAPERS {
        if !args.only.is_empty() && !args.only.iter().any(|only| only == paper.number) {
            continue;
        }
        println!("\n{}: {}", paper.number, paper.title);
        let start = Instant::now();
        let mut own =
            (paper.measure)(&setting).with_context(|| format!("measuring for {}", paper.number))?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{}: {}", paper.number, duration(seconds));
        own.push(json!({
            "experiment": "run",
            "date": record::today(),
            "quick": setting.is_quick,
            "version": setting.doublet.version,
            "machine": record::machine(args.doublet.threads),
            "seconds": seconds.round(),
            "missing": missing,
        }));
        rows.retain(|row| row["paper"] != paper.number);
        for mut row in own {
            row["paper"] = json!(paper.number);
            rows.push(row);
        }
        // After each, so that what was measured is not lost if the next one fails.
        keep(&setting, rows)?;
    }
    Ok(())
}

/// Keep the rows, in the quick form where all else of it is.
fn keep(setting: &Setting, rows: &[Value]) -> Result<()> {
    let threads = setting.tool.threads;
    let path = if setting.is_quick {
        record::write_into(&setting.work, "papers", rows, threads)?
    } else {
        record::write("papers", rows, threads)?
    };
    println!("record: {}", path.display());
    Ok(())
}

impl Page {
    /// Which paper this is, and how and when it was redone.
    fn introduce_run(&mut self, paper: &Paper, rows: &[Value]) {
        let run = rows.iter().find(|row| row["experiment"] == "run");
        let run = run.cloned().unwrap_or_default();
        let machine = &run["machine"];
        let command = if run["quick"] == true {
            "cargo xtask papers --quick"
        } else {
            "cargo xtask papers"
        };
        let mut head = format!(
            "{}.\n\nWritten by `{command}` on {} with doublet {}, {} threads of {}; every figure is from one run unless it says \
             otherwise. Change the source of the command (`xtask/src/papers`), not this page. Where a paper shows a curve without \
             figures, what its text says of the curve is compared.",
            paper.title,
            text(&run["date"]),
            text(&run["version"]),
            machine["threads"],
            text(&machine["cpu"]),
        );
        let missing = run["missing"].as_array().cloned().unwrap_or_default();
        for line in &missing {
            head.push_str(&format!("\n\n**{}.**", text(line)));
        }
        self.introduce_first(&head);
    }
}

/// One line a table or figure.
fn index_page(pages: &[Page]) -> String {
    let mut sections = vec![
        "# The papers, redone".to_owned(),
        "Every table and figure of the papers behind doublet's methods, measured again: `cargo xtask papers` (`--quick` for a test on \
         small collections; `benchmarks/README.md` says more). *Agrees* and *differs* follow from the figures by the rule that stands \
         beside each on its page; *partly* is a part of the collections, or of what is said."
            .to_owned(),
    ];
    for (paper, page) in PAPERS.iter().zip(pages) {
        let row = |item: &page::Item| {
            vec![
                format!("[{}]({})", item.name, page.file),
                item.about.to_owned(),
                item.verdict.name().to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = page.items.iter().map(row).collect();
        sections.push(format!(
            "## {} – [{}]({})",
            paper.number, page.title, page.file
        ));
        sections.push(format!("{}.", paper.title));
        sections.push(table(&["", "what", "verdict"], &rows));
        if paper.number == "001" {
            sections.push("## 002 – the text of 000 once more".to_owned());
            sections.push(
                "002 is the text of 000 in another transcription, without its tables, figures and equations: there is nothing in it to \
                 redo that is not redone under 000."
                    .to_owned(),
            );
        }
    }
    sections.join("\n\n") + "\n"
}
