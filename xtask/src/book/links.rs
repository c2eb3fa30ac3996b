//! Whether every link of the finished book leads somewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::files_below;

/// Pages of mdBook's own, whose links are those of others.
const MADE: [&str; 3] = ["404.html", "print.html", "toc.html"];

/// Links that lead to no file, or to no place in it.
pub(super) fn dead(book: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for path in files_below(book)? {
        if path.extension().is_some_and(|ending| ending == "html") {
            pages.insert(path.clone(), std::fs::read_to_string(&path)?);
        }
    }
    let mut dead = Vec::new();
    for (path, text) in &pages {
        let name = path.strip_prefix(book)?.to_string_lossy();
        if MADE.contains(&name.as_ref()) {
            continue;
        }
        for link in links(text) {
            if !leads_somewhere(&pages, path, link) {
                dead.push(format!("{name}: {link}"));
            }
        }
    }
    Ok(dead)
}

/// What `href` and `src` say, but for other hosts.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let after = |mark| text.split(mark).skip(1);
    after(" href=\"")
        .chain(after(" src=\""))
        .filter_map(|rest| rest.split('"').next())
        .filter(|link| !link.contains(':') && !link.is_empty())
}

fn leads_somewhere(pages: &BTreeMap<PathBuf, String>, from: &Path, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.parent().unwrap_or(Path::new(""));
    let goal = match file {
        "" => from.to_owned(),
        _ => folder.join(file),
    };
    let Ok(goal) = goal.canonicalize() else {
        return false;
    };
    let page = pages.get(&goal);
    anchor.is_empty() || page.is_none_or(|text| text.contains(&format!("id=\"{anchor}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_page() {
        let page =
            "<a href=\"x.html#y\">x</a> <img src=\"z.svg\"> <a href=\"https://example.org\">";
        assert_eq!(links(page).collect::<Vec<_>>(), ["x.html#y", "z.svg"]);
    }
}
