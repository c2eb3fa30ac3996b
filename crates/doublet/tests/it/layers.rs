//! The modules of the library use only those below them, without exception.

use std::path::{Path, PathBuf};

/// The top-level modules, each above all that it may use.
const LAYERS: [&str; 33] = [
    "names",
    "error",
    "document",
    "random",
    "threshold",
    "progress",
    "parallel",
    "fenced",
    "signals",
    "union_find",
    "hash",
    "scores",
    "files",
    "options",
    "normalize",
    "segment",
    "fingerprint",
    "sketch",
    "read",
    "method",
    "matches",
    "candidates",
    "cluster",
    "batch",
    "index",
    "passages",
    "report",
    "kernel",
    "dedup",
    "eval",
    "advise",
    "audit",
    "detector",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn layer(module: &str) -> usize {
    let found = LAYERS.iter().position(|layer| *layer == module);
    found.unwrap_or_else(|| panic!("`{module}` is not in LAYERS: put it above what it uses"))
}

/// Every file of the library with its top-level module; files of tests are left out.
fn files(root: &Path, folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if name != "tests" {
                files(root, &path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "lib.rs" {
            let inside = path.strip_prefix(root).unwrap();
            let top = inside.iter().next().unwrap().to_str().unwrap();
            found.push((top.trim_end_matches(".rs").to_owned(), path));
        }
    }
}

/// The lines of code before the tests of a file, with their numbers.
fn code(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(source.lines());
    let lines = lines.take_while(|(_, line)| *line != "mod tests {");
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn modules_use_only_those_below_them() {
    let mut all = Vec::new();
    files(&source(), &source(), &mut all);
    assert!(all.len() > 200, "{} files", all.len());
    let mut wrong = Vec::new();
    for (module, path) in all {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in code(&text) {
            for used in line.split("crate::").skip(1) {
                let end = used.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
                let used = &used[..end.unwrap_or(used.len())];
                let item = used.starts_with(|c: char| !c.is_ascii_lowercase());
                if !item && used != module && layer(used) >= layer(&module) {
                    let place = path.strip_prefix(source()).unwrap().display();
                    wrong.push(format!("{place}:{number}: `{module}` uses `{used}`"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "a lower module uses a higher one:\n{}",
        wrong.join("\n")
    );
}

/// What differs between methods is in the rows of `method/info.rs`, so that a front end treats a new one right.
#[test]
fn front_ends_do_not_ask_which_method() {
    let mut wrong = Vec::new();
    for package in ["doublet-cli", "doublet-server", "doublet-python"] {
        let root = source().join("../..").join(package).join("src");
        let mut found = Vec::new();
        files(&root, &root, &mut found);
        assert!(!found.is_empty(), "{package}");
        for (_, path) in found {
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, line) in code(&text) {
                // Methods of HTTP are all capitals.
                let mut words = line.split("Method::").skip(1);
                let named = words.any(|word| word.chars().nth(1).is_some_and(char::is_lowercase));
                let asks = ["== Method::", "!= Method::", "matches!("];
                let asks = asks.iter().any(|how| line.contains(how));
                let is_arm = line.trim_start().starts_with(['M', '|']) && line.contains("=>");
                if named && (asks || is_arm) {
                    wrong.push(format!("{}:{number}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "ask `Method::info` instead:\n{}",
        wrong.join("\n")
    );
}
