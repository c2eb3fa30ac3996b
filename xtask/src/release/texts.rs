//! The texts of the licences of everything inside a program, for archives and wheels: most of these licences ask for it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::packages::{Package, Use};
use crate::workspace;

/// How deep below a package the licences of code from others lie, as that of zstd in zstd-sys.
const DEPTH: usize = 3;
/// Beginnings of the names of licence files, in small letters.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];
const RULE: &str =
    "--------------------------------------------------------------------------------";
/// The data of others that is in the library's own folders.
const DATA: [&str; 1] = ["crates/doublet/src/segment/terms/tagger/data/LICENSE.md"];

/// One text file: each licence once, with the packages that bring it.
pub(crate) fn collected(packages: &[Package]) -> Result<String> {
    let mut bringing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in packages
        .iter()
        .filter(|package| package.used == Use::Inside)
    {
        let mut found = Vec::new();
        find(&package.folder, DEPTH, &mut found)?;
        if found.is_empty() {
            without.push(package);
        }
        for text in found {
            let name = format!("{} {}", package.name, package.version);
            let names = bringing.entry(text).or_default();
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
    }
    let mut page = String::from(
        "doublet contains software and data of others. Here are the licences that came with them.\n",
    );
    // In the order of the packages, not of the texts.
    let mut texts: Vec<_> = bringing.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    for (text, names) in texts {
        let _infallible = write!(page, "\n{RULE}\n{}\n{RULE}\n\n{text}\n", names.join(", "));
    }
    for name in DATA {
        let text = own(name)?;
        let _infallible = write!(
            page,
            "\n{RULE}\nTagger models\n{RULE}\n\n{}\n",
            text.trim_end()
        );
    }
    append_bare(&mut page, &without)?;
    Ok(page)
}

/// Packages that name a licence without bringing its text; their texts are the usual ones.
fn append_bare(page: &mut String, without: &[&Package]) -> Result<()> {
    let _infallible = write!(
        page,
        "\n{RULE}\nPackages that name their licence and bring no text of it\n{RULE}\n\n"
    );
    for package in without {
        let Package {
            name,
            version,
            licence,
            authors,
            ..
        } = package;
        let by = match authors.is_empty() {
            true => String::new(),
            false => format!(", by {}", authors.join(", ")),
        };
        let _infallible = writeln!(page, "{name} {version}: {licence}{by}");
    }
    let [mit, apache] = ["LICENSE-MIT", "LICENSE-APACHE"].map(own);
    // The terms alone: whose they are is said above.
    let mit = mit?;
    let terms = mit
        .split_once("Permission is hereby granted")
        .context("LICENSE-MIT has no permission")?;
    let _infallible = write!(
        page,
        "\nMIT:\n\nPermission is hereby granted{}\n",
        terms.1.trim_end()
    );
    let _infallible = write!(page, "\nApache-2.0:\n\n{}\n", apache?.trim_end());
    Ok(())
}

fn own(name: &str) -> Result<String> {
    let path = workspace::root().join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// The licence files in a folder and a few levels below it, by name.
fn find(folder: &Path, depth: usize, found: &mut Vec<String>) -> Result<()> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot look into `{}`", folder.display()))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    for path in paths {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        if path.is_dir() {
            if depth > 0 {
                find(&path, depth - 1, found)?;
            }
        } else if is_licence(&name) {
            // Some are in Latin-1; their texts matter, not their accents.
            let bytes = std::fs::read(&path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
            found.push(text.trim().to_owned());
        }
    }
    Ok(())
}

/// Whether a file, by its name in small letters, has a licence in it.
fn is_licence(name: &str) -> bool {
    let is_code = [".rs", ".py", ".c", ".h", ".html", ".spdx"]
        .iter()
        .any(|ending| name.ends_with(ending));
    !is_code && NAMES.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_files_are_known_by_their_names() {
        for name in [
            "license",
            "license-mit",
            "copying",
            "notice.txt",
            "unlicense",
            "licence.md",
        ] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["license.rs", "readme.md", "lib.rs", "cargo.toml"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn each_text_stands_once_with_all_that_bring_it() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, text: Option<&str>| {
            let below = folder.path().join(name).join("c/source");
            std::fs::create_dir_all(&below).unwrap();
            if let Some(text) = text {
                std::fs::write(below.join("LICENSE"), text).unwrap();
            }
            Package {
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
                licence: "MIT".to_owned(),
                authors: vec!["A. Writer".to_owned()],
                repository: None,
                folder: folder.path().join(name),
                used: Use::Inside,
            }
        };
        let packages = [
            package("one", Some("free as in air")),
            package("two", Some("free as in air\r\n")),
            package("bare", None),
        ];
        let page = collected(&packages).unwrap();
        assert_eq!(page.matches("free as in air").count(), 1);
        assert!(page.contains("one 1.0.0, two 1.0.0\n"));
        assert!(page.contains("bare 1.0.0: MIT, by A. Writer\n"));
        assert!(page.contains("CC BY-SA 4.0"));
        assert!(page.contains("Apache License"));
    }
}
