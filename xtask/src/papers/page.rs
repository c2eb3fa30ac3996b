//! One page about a paper, as Markdown: what the paper says beside what was measured, tables, drawings.
//!
//! A page knows its drawings and which tables and figures of the paper it speaks of, so that it can be checked once it is written.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// How what was measured lies to what the paper says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Agrees,
    /// In a part of the collections, or with a part of what is said.
    Partly,
    Differs,
    /// The data is not there.
    Missing,
}

impl Verdict {
    /// By how many of the cases agree.
    pub(super) fn of(cases: &[bool]) -> Self {
        let agreeing = cases.iter().filter(|&&agrees| agrees).count();
        match agreeing {
            _ if cases.is_empty() => Self::Missing,
            0 => Self::Differs,
            all if all == cases.len() => Self::Agrees,
            _ => Self::Partly,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Partly => "partly",
            Self::Differs => "differs",
            Self::Missing => "not measured",
        }
    }
}

/// A table, figure or statement of a paper, redone.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Such as `Figure 3`.
    pub(super) name: &'static str,
    /// What it shows, in a few words.
    pub(super) about: &'static str,
    pub(super) paper: String,
    pub(super) ours: String,
    pub(super) verdict: Verdict,
    /// When it agrees: `if …` or, by collection, `where …`.
    pub(super) rule: &'static str,
    /// Why it may not.
    pub(super) why: &'static str,
}

/// A page being made.
pub(super) struct Page {
    folder: PathBuf,
    /// The file, without folder.
    pub(super) file: &'static str,
    pub(super) title: &'static str,
    head: String,
    body: String,
    pub(super) items: Vec<Item>,
    drawings: Vec<String>,
}

impl Page {
    pub(super) fn new(folder: &Path, file: &'static str, title: &'static str) -> Self {
        Self {
            folder: folder.to_owned(),
            file,
            title,
            head: String::new(),
            body: String::new(),
            items: Vec::new(),
            drawings: Vec::new(),
        }
    }

    /// A paragraph above the comparison.
    pub(super) fn introduce(&mut self, text: &str) {
        self.head.push_str(text);
        self.head.push_str("\n\n");
    }

    /// Paragraphs above all others.
    pub(super) fn introduce_first(&mut self, text: &str) {
        self.head.insert_str(0, &format!("{text}\n\n"));
    }

    /// A table above the comparison.
    pub(super) fn introduce_table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        self.introduce(&table(header, rows));
    }

    pub(super) fn item(&mut self, item: Item) {
        self.items.push(item);
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.text(&format!("## {text}"));
    }

    /// A paragraph.
    pub(super) fn text(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push_str("\n\n");
    }

    pub(super) fn table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        self.text(&table(header, rows));
    }

    /// Show a drawing, and say where it has to be drawn.
    pub(super) fn drawing(&mut self, alternative: &str, file: &str) -> PathBuf {
        self.text(&format!("![{alternative}]({file})"));
        self.drawings.push(file.to_owned());
        self.folder.join(file)
    }

    /// Put what is compared into the order of these names.
    pub(super) fn sort(&mut self, names: &[&str]) {
        let place = |item: &Item| names.iter().position(|name| *name == item.name);
        self.items
            .sort_by_key(|item| place(item).unwrap_or(usize::MAX));
    }

    /// The whole page.
    fn markdown(&self) -> String {
        let row = |item: &Item| {
            vec![
                format!("{}: {}", item.name, item.about),
                item.paper.clone(),
                item.ours.clone(),
                item.verdict.name().to_owned(),
                item.rule.to_owned(),
                item.why.to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = self.items.iter().map(row).collect();
        let header = [
            "",
            "the paper",
            "ours",
            "verdict",
            "agrees",
            "why they differ",
        ];
        format!(
            "# {}\n\n{}## The paper beside ours\n\n{}\n\n{}\n",
            self.title,
            self.head,
            table(&header, &rows),
            self.body.trim_end()
        )
    }

    /// Write it; the drawings must be there already.
    pub(super) fn write(&self) -> Result<()> {
        let path = self.folder.join(self.file);
        std::fs::write(&path, self.markdown())
            .with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Fail unless it is there with all its drawings and speaks of all of these; with `complete`, measured.
    pub(super) fn check(&self, expected: &[&str], complete: bool) -> Result<()> {
        let path = self.folder.join(self.file);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("`{}` was not written", path.display()))?;
        for name in expected {
            let item = self.items.iter().find(|item| item.name == *name);
            let item = item.with_context(|| format!("`{}` lacks {name}", self.file))?;
            ensure!(
                !complete || item.verdict != Verdict::Missing,
                "`{}`: {name} was not measured",
                self.file
            );
        }
        for odd in ["NaN", "null", "inf "] {
            ensure!(!text.contains(odd), "`{}` holds `{odd}`", self.file);
        }
        for drawing in &self.drawings {
            let drawn = std::fs::read_to_string(self.folder.join(drawing));
            let drawn = drawn.with_context(|| format!("`{drawing}` was not drawn"))?;
            ensure!(drawn.contains("</svg>"), "`{drawing}` is no whole drawing");
        }
        Ok(())
    }
}

/// A Markdown table. A column is set to the right if each of its cells begins with a digit, a sign or a dash.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let is_number = |cell: &String| {
        cell.is_empty() || cell.starts_with(|c: char| c.is_ascii_digit() || "+-−–×<".contains(c))
    };
    let mark = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column));
        let numbers = !rows.is_empty() && cells.all(is_number);
        if numbers { "---:" } else { "---" }
    };
    let marks: Vec<&str> = (0..header.len()).map(mark).collect();
    let line = |cells: Vec<&str>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![line(header.to_vec()), line(marks)];
    lines.extend(
        rows.iter()
            .map(|row| line(row.iter().map(String::as_str).collect())),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_count_what_agrees() {
        assert_eq!(Verdict::of(&[true, true]), Verdict::Agrees);
        assert_eq!(Verdict::of(&[true, false]), Verdict::Partly);
        assert_eq!(Verdict::of(&[false]), Verdict::Differs);
        assert_eq!(Verdict::of(&[]), Verdict::Missing);
    }

    #[test]
    fn numbers_stand_on_the_right() {
        let rows = [
            vec!["a".to_owned(), "12 %".to_owned()],
            vec!["3".to_owned(), "–".to_owned()],
        ];
        assert_eq!(
            table(&["x", "y"], &rows),
            "| x | y |\n| --- | ---: |\n| a | 12 % |\n| 3 | – |"
        );
    }

    #[test]
    fn a_page_without_its_drawing_is_found_out() {
        let folder = std::env::temp_dir().join(format!("doublet-page-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut page = Page::new(&folder, "p.md", "Title");
        page.item(Item {
            name: "Figure 1",
            about: "something",
            paper: "1".to_owned(),
            ours: "2".to_owned(),
            verdict: Verdict::Differs,
            rule: "if it is the same",
            why: "",
        });
        assert!(page.check(&["Figure 1"], true).is_err());
        page.write().expect("written");
        page.check(&["Figure 1"], true).expect("whole");
        assert!(page.check(&["Figure 2"], true).is_err());
        let path = page.drawing("lines", "f.svg");
        assert!(page.check(&[], true).is_err());
        std::fs::write(path, "<svg></svg>").expect("written");
        page.check(&[], true).expect("whole");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
