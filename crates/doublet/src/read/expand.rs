//! Stage 1, read: from the inputs of the command line to files.
//!
//! In: paths, directories, globs and `-`. Out: files in a defined order: inputs as given, the files of a directory or a
//! glob sorted by path. Hidden files are passed over, and in a directory so are files whose ending is not known, unless a
//! format is forced.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::GlobBuilder;
use walkdir::{DirEntry, WalkDir};

use super::detect::by_ending;
use super::table::{Table, Tables};
use crate::error::{Error, Result, io_error};

/// A file that was found, and what it is called.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) standard_input: bool,
    /// Whether it is that, a pipe or a device, and cannot be read twice.
    pub(super) is_stream: bool,
    /// Data in memory, which is no file.
    pub(super) table: Option<Arc<Table>>,
}

impl Found {
    fn new(path: PathBuf, name: &Path) -> Self {
        Found {
            name: name.to_string_lossy().into_owned(),
            path,
            standard_input: false,
            is_stream: false,
            table: None,
        }
    }
}

/// The files that `inputs` name. The files of a directory are called by their path in it when it is the only input, and by
/// their whole path otherwise, so that names stay apart.
pub(super) fn expand(
    inputs: &[String],
    format_is_forced: bool,
    tables: &Tables,
) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for input in inputs {
        let before = found.len();
        let path = Path::new(input);
        if let Some(table) = tables.get(input) {
            found.push(Found {
                table: Some(table.clone()),
                ..Found::new(PathBuf::new(), path)
            });
        } else if input == "-" {
            found.push(Found {
                standard_input: true,
                is_stream: true,
                ..Found::new(PathBuf::new(), path)
            });
        } else if path.is_dir() {
            directory(path, inputs.len() == 1, format_is_forced, &mut found)?;
            if found.len() == before {
                return Err(Error::EmptyDirectory(input.clone()));
            }
        } else if exists(path)? {
            found.push(Found {
                is_stream: is_stream(input),
                ..Found::new(path.to_owned(), path)
            });
        } else if input.contains(['*', '?', '[', '{']) {
            glob(input, &mut found)?;
        }
        if found.len() == before {
            return Err(Error::NoInput(input.clone()));
        }
    }
    Ok(found)
}

/// Whether there is such a file.
fn exists(path: &Path) -> Result<bool> {
    match path.try_exists() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(io_error("open", path)(error))
        }
        found => Ok(found.unwrap_or(false)),
    }
}

/// Whether an input can be read only once: standard input, a pipe such as `<(…)` makes, a device.
pub fn is_stream(input: &str) -> bool {
    let special = |data: std::fs::Metadata| !data.is_file() && !data.is_dir();
    input == "-" || Path::new(input).metadata().is_ok_and(special)
}

fn directory(root: &Path, alone: bool, forced: bool, found: &mut Vec<Found>) -> Result<()> {
    for path in files_below(root)? {
        let known = by_ending(&path.to_string_lossy()).is_some();
        if forced || known {
            let name = match path.strip_prefix(root) {
                Ok(inside) if alone => inside.to_owned(),
                _ => path.clone(),
            };
            found.push(Found::new(path, &name));
        }
    }
    Ok(())
}

fn glob(pattern: &str, found: &mut Vec<Found>) -> Result<()> {
    let matcher = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|_| Error::NoInput(pattern.to_owned()))?
        .compile_matcher();
    let mut root = PathBuf::new();
    for component in Path::new(pattern).components() {
        let part = component.as_os_str().to_string_lossy();
        if matches!(component, Component::Normal(_)) && part.contains(['*', '?', '[', '{']) {
            break;
        }
        root.push(component);
    }
    let here = root.as_os_str().is_empty();
    let start = if here { Path::new(".") } else { root.as_path() };
    if !start.is_dir() {
        return Ok(());
    }
    for path in files_below(start)? {
        let path = match path.strip_prefix("./") {
            Ok(inside) if here => inside.to_owned(),
            _ => path,
        };
        if matcher.is_match(&path) {
            found.push(Found::new(path.clone(), &path));
        }
    }
    Ok(())
}

/// All files below a directory that are not hidden, sorted by path.
fn files_below(root: &Path) -> Result<Vec<PathBuf>> {
    let visible = |entry: &DirEntry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    };
    let mut files = Vec::new();
    for entry in WalkDir::new(root)
        .follow_links(true)
        .into_iter()
        .filter_entry(visible)
    {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(root).to_owned();
            io_error("read", path)(error.into())
        })?;
        if entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(inputs: &[String], forced: bool) -> Vec<String> {
        let found = expand(inputs, forced, &Tables::new()).unwrap();
        found.into_iter().map(|file| file.name).collect()
    }

    #[test]
    fn directories_and_globs_are_sorted_and_hide_what_is_hidden() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["b.txt", "a.jsonl.gz", ".hidden.txt", "x.png", "sub/c.txt"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let root = dir.path().to_string_lossy().into_owned();
        let all = [root.clone()];
        assert_eq!(names(&all, false), ["a.jsonl.gz", "b.txt", "sub/c.txt"]);
        assert_eq!(
            names(&all, true),
            ["a.jsonl.gz", "b.txt", "sub/c.txt", "x.png"]
        );
        let flat = names(&[format!("{root}/*.txt")], false);
        assert_eq!(flat, [format!("{root}/b.txt")]);
        let deep = names(&[format!("{root}/**/*.txt")], false);
        assert_eq!(deep, [format!("{root}/b.txt"), format!("{root}/sub/c.txt")]);
        let missing = expand(&[format!("{root}/*.csv")], false, &Tables::new()).unwrap_err();
        assert!(matches!(missing, Error::NoInput(_)));
        assert!(expand(&[format!("{root}/none.txt")], false, &Tables::new()).is_err());
    }
}
