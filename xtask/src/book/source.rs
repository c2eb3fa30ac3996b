//! The pages as mdBook can read them: includes written out, and no link that leaves the book.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::files_below;

/// Where the pages are.
const DOCS: &str = "docs";
/// Where other files go that pages link to.
const FILES: &str = "files";
const INCLUDE: &str = "{{#include ";
/// What a link to the README of the project leads to.
const FIRST: &str = "introduction.md";

/// Puts the pages together below `target`.
pub(super) fn put_together(root: &Path, target: &Path) -> Result<()> {
    if target.exists() {
        std::fs::remove_dir_all(target)?;
    }
    let docs = root.join(DOCS);
    let pages = Pages::of(root, &docs)?;
    for path in files_below(&docs)? {
        let name = path.strip_prefix(&docs)?;
        let goal = match name.to_str() {
            Some("book.toml" | "book.css") => target.join(name),
            _ => target.join("src").join(name),
        };
        make_folder(&goal)?;
        if !is_page(&path) {
            std::fs::copy(&path, goal)?;
            continue;
        }
        let (page, others) = pages.rewritten(name)?;
        std::fs::write(goal, page)?;
        for other in others {
            let goal = target.join("src").join(copied(&other));
            make_folder(&goal)?;
            std::fs::copy(root.join(&other), goal)?;
        }
    }
    let settings = target.join("book.toml");
    let toml = std::fs::read_to_string(&settings)?;
    std::fs::write(settings, toml.replace("src = \".\"", "src = \"src\""))?;
    Ok(())
}

fn make_folder(path: &Path) -> Result<()> {
    let folder = path.parent().context("a file without a folder")?;
    Ok(std::fs::create_dir_all(folder)?)
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

/// Where a file outside of the pages goes. A page must not end in `md`, for mdBook would lead to a page of that name.
fn copied(path: &Path) -> PathBuf {
    let name = path.to_string_lossy();
    let ending = if name.ends_with(".md") { ".txt" } else { "" };
    Path::new(FILES).join(format!("{name}{ending}"))
}

/// The pages, and which file of the project each takes in.
struct Pages<'a> {
    root: &'a Path,
    /// Of a file from the root: its page from `docs`.
    included: BTreeMap<PathBuf, PathBuf>,
}

impl<'a> Pages<'a> {
    fn of(root: &'a Path, docs: &Path) -> Result<Self> {
        let mut included = BTreeMap::from([(PathBuf::from("README.md"), PathBuf::from(FIRST))]);
        for path in files_below(docs)? {
            if is_page(&path)
                && let Some(file) = included_file(&std::fs::read_to_string(&path)?)
            {
                let page = path.strip_prefix(docs)?;
                included.insert(plain(&Path::new(DOCS).join(file)), page.to_owned());
            }
        }
        Ok(Self { root, included })
    }

    /// A page as mdBook is to read it, and the other files that it links to, from the root.
    fn rewritten(&self, page: &Path) -> Result<(String, Vec<PathBuf>)> {
        let own = Path::new(DOCS).join(page);
        let text = std::fs::read_to_string(self.root.join(&own))?;
        let (text, file) = match included_file(&text) {
            Some(name) => {
                let file = plain(&Path::new(DOCS).join(name));
                let text = std::fs::read_to_string(self.root.join(&file))
                    .with_context(|| format!("{} includes {}", own.display(), file.display()))?;
                (text, file)
            }
            None => (text, own),
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut others = Vec::new();
        let text = with_links(&text, |link| self.link(page, folder, link, &mut others));
        Ok((text, others))
    }

    /// Where a link of a page leads within the book.
    fn link(&self, page: &Path, folder: &Path, link: &str, others: &mut Vec<PathBuf>) -> String {
        if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
            return link.to_owned();
        }
        let (file, anchor) = match link.split_once('#') {
            Some((file, anchor)) => (file, format!("#{anchor}")),
            None => (link, String::new()),
        };
        let mut file = plain(&folder.join(file));
        if self.root.join(&file).is_dir() {
            file.push("README.md");
        }
        let goal = match (self.included.get(&file), file.strip_prefix(DOCS)) {
            (Some(page), _) => page.clone(),
            (None, Ok(page)) => page.to_owned(),
            (None, Err(_)) => {
                others.push(file.clone());
                copied(&file)
            }
        };
        let up = "../".repeat(page.components().count() - 1);
        format!("{up}{}{anchor}", goal.to_string_lossy())
    }
}

/// The file that a page consists of.
fn included_file(text: &str) -> Option<&str> {
    text.strip_prefix(INCLUDE)?.trim_end().strip_suffix("}}")
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The text with other links; what is code stays as it is.
fn with_links(text: &str, mut change: impl FnMut(&str) -> String) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut within = false;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        within ^= fence;
        if fence || within {
            changed.push_str(line);
            continue;
        }
        for (number, piece) in line.split('`').enumerate() {
            if number > 0 {
                changed.push('`');
            }
            if number % 2 == 1 {
                changed.push_str(piece);
                continue;
            }
            let mut rest = piece;
            while let Some((before, after)) = rest.split_once("](") {
                let end = after.find(')').unwrap_or(0);
                changed.push_str(before);
                changed.push_str("](");
                changed.push_str(&change(&after[..end]));
                rest = &after[end..];
            }
            changed.push_str(rest);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_change_and_code_does_not() {
        let text =
            "[a](x.md) and `[b](y)` and [`c`](z#w)\n```console\n$ [d](v)\n```\n![e](u.svg)\n";
        let changed = with_links(text, |link| link.to_uppercase());
        let expected =
            "[a](X.MD) and `[b](y)` and [`c`](Z#W)\n```console\n$ [d](v)\n```\n![e](U.SVG)\n";
        assert_eq!(changed, expected);
    }

    #[test]
    fn links_stay_within_the_book() {
        let root = crate::workspace::root();
        let pages = Pages {
            root: &root,
            included: BTreeMap::from([("CONTRIBUTING.md".into(), "contributing.md".into())]),
        };
        let mut others = Vec::new();
        let mut link = |page: &str, folder: &str, link: &str| {
            pages.link(Path::new(page), Path::new(folder), link, &mut others)
        };
        assert_eq!(link("a.md", "docs", "terms.md#weights"), "terms.md#weights");
        assert_eq!(
            link("papers/x.md", "docs/papers", "../terms.md"),
            "../terms.md"
        );
        assert_eq!(
            link("a.md", "docs", "../CONTRIBUTING.md"),
            "contributing.md"
        );
        assert_eq!(
            link("samples.md", "samples", "../docs/terms.md"),
            "terms.md"
        );
        assert_eq!(link("a.md", "docs", "../LICENSE-MIT"), "files/LICENSE-MIT");
        assert_eq!(
            link("a.md", "docs", "https://example.org/x"),
            "https://example.org/x"
        );
        assert_eq!(others, [PathBuf::from("LICENSE-MIT")]);
    }
}
