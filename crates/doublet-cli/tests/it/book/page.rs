//! The pages of the book, the README and what the book takes in: their blocks of commands, links and headings.

use std::path::{Path, PathBuf};

/// What stands above a block whose commands are not run, with the reason.
const NOT_RUN: &str = "<!-- not run here: ";

/// Pages outside of `docs`.
const OTHERS: [&str; 7] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "deploy/README.md",
    "samples/README.md",
];

pub(crate) struct Page {
    /// From the root of the project, with slashes.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// What stands between two fences.
pub(crate) struct Block {
    pub(crate) language: String,
    /// The line of the first fence, from 1.
    pub(crate) line: usize,
    /// Why its commands are not run.
    pub(crate) not_run: Option<String>,
    pub(crate) commands: Vec<Shown>,
}

/// A command and what it prints, as a page shows them.
pub(crate) struct Shown {
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
    /// The lines of the page that `output` takes, from 0.
    pub(crate) place: std::ops::Range<usize>,
    /// What stands before each line of the block, in a list.
    pub(crate) indent: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages, in order of their names.
pub(crate) fn pages() -> Vec<Page> {
    let mut names: Vec<String> = OTHERS.map(str::to_owned).to_vec();
    list("docs", &mut names);
    names.sort();
    names
        .into_iter()
        .map(|name| Page {
            text: std::fs::read_to_string(root().join(&name)).unwrap(),
            name,
        })
        .collect()
}

fn list(folder: &str, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            list(&name, names);
        } else if name.ends_with(".md") {
            names.push(name);
        }
    }
}

impl Page {
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut blocks = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let content = lines[at].trim_start();
            let Some(language) = content.strip_prefix("```") else {
                at += 1;
                continue;
            };
            let indent = &lines[at][..lines[at].len() - content.len()];
            let end = (at + 1..lines.len())
                .find(|&line| lines[line].trim() == "```")
                .unwrap_or_else(|| panic!("{}:{}: a block that does not end", self.name, at + 1));
            let not_run = at.checked_sub(1).and_then(|above| {
                let reason = lines[above].trim().strip_prefix(NOT_RUN)?;
                Some(reason.strip_suffix(" -->").unwrap().to_owned())
            });
            blocks.push(Block {
                language: language.trim().to_owned(),
                line: at + 1,
                not_run,
                commands: commands(&lines, at + 1..end, indent),
            });
            at = end + 1;
        }
        blocks
    }

    /// The text without blocks, comments and code within lines: what has links and headings.
    pub(crate) fn prose(&self) -> String {
        let mut prose = String::new();
        let mut within = false;
        for line in self.text.lines() {
            if line.trim_start().starts_with("```") {
                within = !within;
            } else if !within {
                let outside = line.split('`').step_by(2);
                prose.extend(outside);
                prose.push('\n');
            }
        }
        prose
    }

    /// What headings are called in links.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let mut within = false;
        let mut anchors = Vec::new();
        for line in self.text.lines() {
            if line.trim_start().starts_with("```") {
                within = !within;
            }
            let title = line.trim_start_matches('#');
            if !within && title.len() < line.len() && title.starts_with(' ') {
                anchors.push(anchor(title));
            }
        }
        anchors
    }

    /// The code within lines.
    pub(crate) fn spans(&self) -> Vec<String> {
        let mut within = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            if line.trim_start().starts_with("```") {
                within = !within;
            } else if !within {
                prose.push_str(line);
                prose.push(if line.is_empty() { '`' } else { ' ' });
                // An empty line ends what was not closed.
                if line.is_empty() && prose.matches('`').count() % 2 == 1 {
                    prose.push('`');
                }
            }
        }
        let spans = prose.split('`').skip(1).step_by(2);
        spans.map(str::to_owned).collect()
    }
}

/// Letters, digits, `_` and `-` in small letters, a `-` for each space: as mdBook and GitHub do.
fn anchor(title: &str) -> String {
    title
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            _ => letter.is_alphanumeric().then_some(letter),
        })
        .collect()
}

fn commands(lines: &[&str], block: std::ops::Range<usize>, indent: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut continued = false;
    for at in block {
        let line = lines[at].strip_prefix(indent).unwrap_or(lines[at]);
        if let (true, Some(last)) = (continued, commands.last_mut()) {
            last.command.push('\n');
            last.command.push_str(line.trim_start());
            last.place = at + 1..at + 1;
        } else if let Some(command) = line.strip_prefix("$ ") {
            commands.push(Shown {
                line: at + 1,
                command: command.to_owned(),
                output: Vec::new(),
                place: at + 1..at + 1,
                indent: indent.to_owned(),
            });
        } else if let Some(last) = commands.last_mut() {
            last.output.push(line.to_owned());
            last.place.end = at + 1;
            continue;
        }
        continued = line.ends_with('\\');
    }
    commands
}
