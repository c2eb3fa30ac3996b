//! docs/versions.md lists every format with its number; the code has the last word.

use std::path::Path;

use crate::workspace;

/// Names of constants that are versions of what is kept, or of what numbers texts become.
fn is_version(name: &str) -> bool {
    name == "FORMAT" || name == "VERSION" || name.ends_with("_VERSION")
}

/// The version constants of a file of Rust: name and number.
fn constants(source: &str) -> Vec<(String, String)> {
    let lines = source.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let (name, rest) = line.strip_prefix("const ")?.split_once(": u32 = ")?;
        Some((name.to_owned(), rest.trim_end_matches(';').to_owned()))
    });
    lines.filter(|(name, _)| is_version(name)).collect()
}

fn walk(folder: &Path, found: &mut Vec<(String, String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let root = workspace::root().join("crates/doublet/src");
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            let source = std::fs::read_to_string(&path).unwrap();
            let all = constants(&source).into_iter();
            found.extend(all.map(|(constant, number)| (name.clone(), constant, number)));
        }
    }
}

#[test]
fn the_page_of_versions_has_the_numbers_of_the_code() {
    let root = workspace::root();
    let mut found = Vec::new();
    walk(&root.join("crates/doublet/src"), &mut found);
    assert!(found.len() > 8, "{found:?}");
    let page = std::fs::read_to_string(root.join("docs/versions.md")).unwrap();
    for (file, constant, number) in found {
        let row = format!("| {number} | `{constant}` in `{file}` |");
        assert!(page.contains(&row), "docs/versions.md lacks `{row}`");
    }
}
