//! The pages as mdBook can read them: all in one folder, and no link that leaves the book.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::files_below;

/// Where the pages are.
const DOCS: &str = "docs";
/// Their contents.
const CONTENTS: &str = "SUMMARY.md";
/// Where other files go that pages link to.
const FILES: &str = "files";
/// What a link to the README of the project leads to.
const FIRST: &str = "introduction.md";

/// Puts the pages together below `target`.
pub(super) fn put_together(root: &Path, target: &Path) -> Result<()> {
    if target.exists() {
        std::fs::remove_dir_all(target)?;
    }
    let docs = root.join(DOCS);
    let contents = std::fs::read_to_string(docs.join(CONTENTS))?;
    let pages = Pages::of(root, &contents);
    let source = target.join("src");
    for path in files_below(&docs)? {
        let name = path.strip_prefix(&docs)?;
        if is_page(&path) {
            pages.put(&Path::new(DOCS).join(name), name, &source)?;
        } else {
            let settings = matches!(name.to_str(), Some("book.toml" | "book.css"));
            copy(&path, &if settings { target } else { &source }.join(name))?;
        }
    }
    for (file, page) in &pages.from_elsewhere {
        pages.put(file, page, &source)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    make_folder(to)?;
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
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

/// The pages of the book.
struct Pages<'a> {
    root: &'a Path,
    /// Of a file from the root that the contents name: what its page is called.
    from_elsewhere: BTreeMap<PathBuf, PathBuf>,
}

impl<'a> Pages<'a> {
    fn of(root: &'a Path, contents: &str) -> Self {
        let mut from_elsewhere = BTreeMap::new();
        with_links(contents, |link| {
            let file = plain(&Path::new(DOCS).join(link));
            if !file.starts_with(DOCS) {
                from_elsewhere.insert(file.clone(), called(&file));
            }
            link.to_owned()
        });
        Self {
            root,
            from_elsewhere,
        }
    }

    /// Writes a file, named from the root, as a page, and what it links to beside the pages.
    fn put(&self, file: &Path, page: &Path, source: &Path) -> Result<()> {
        let text = std::fs::read_to_string(self.root.join(file))
            .with_context(|| format!("cannot read {}", file.display()))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut others = Vec::new();
        let text = with_links(&text, |link| self.link(page, folder, link, &mut others));
        let goal = source.join(page);
        make_folder(&goal)?;
        std::fs::write(goal, text)?;
        for other in others {
            copy(&self.root.join(&other), &source.join(copied(&other)))?;
        }
        Ok(())
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
        let goal = match (self.from_elsewhere.get(&file), file.strip_prefix(DOCS)) {
            (Some(page), _) => page.clone(),
            (None, Ok(page)) => page.to_owned(),
            (None, Err(_)) if file == Path::new("README.md") => FIRST.into(),
            (None, Err(_)) => {
                others.push(file.clone());
                copied(&file)
            }
        };
        let up = "../".repeat(page.components().count() - 1);
        format!("{up}{}{anchor}", goal.to_string_lossy())
    }
}

/// What the page of a file is called: `samples.md` for `samples/README.md`, `changelog.md` for `CHANGELOG.md`.
fn called(file: &Path) -> PathBuf {
    let name = file.to_string_lossy().to_lowercase();
    PathBuf::from(name.replace("/readme.md", ".md").replace('/', "-"))
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
        let contents = "- [a](a.md)\n- [b](../CONTRIBUTING.md)\n- [c](../samples/README.md)\n";
        let pages = Pages::of(&root, contents);
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
