//! `cargo xtask book`: the documentation as a book, in `target/book`.
//!
//! Pages in `docs` link to files all over the project, and some chapters are such files: the contents, `docs/SUMMARY.md`, name them. A book knows
//! its own pages only. So the pages are first put together in `target/book-source`: links between pages lead to pages, and other files that are linked to
//! come along in `files/`. mdBook then makes the book, and every link of it is followed once.

mod links;
mod source;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::workspace;

/// The mdBook that the pages are made for.
const VERSION: &str = "0.5.4";
const SOURCE: &str = "target/book-source";
const BOOK: &str = "target/book";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Open the book in a browser
    #[arg(long)]
    open: bool,
    /// Run the commands of the pages first and write down what they print, and draw the pictures and the page of options again
    #[arg(long)]
    update: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.update {
        let test = "cargo test --package doublet-cli --test it book::";
        workspace::run_command(&["sh", "-c", &format!("INSTA_UPDATE=always {test}")])?;
    }
    let program = mdbook()?;
    let root = workspace::root();
    let (source, book) = (root.join(SOURCE), root.join(BOOK));
    source::put_together(&root, &source)?;
    workspace::run_command(&[
        &program,
        "build",
        SOURCE,
        "--dest-dir",
        &book.to_string_lossy(),
    ])?;
    let dead = links::dead(&book)?;
    ensure!(
        dead.is_empty(),
        "links that lead nowhere:\n{}",
        dead.join("\n")
    );
    let first = book.join("index.html");
    println!("{}", first.display());
    if args.open {
        workspace::run_command(&[opener(), &first.to_string_lossy()])?;
    }
    Ok(())
}

/// The program, installed within `target` unless it is there.
fn mdbook() -> Result<String> {
    let path = Path::new("target/tools/bin/mdbook");
    let known = workspace::root().join(path);
    let program = known.to_string_lossy().into_owned();
    let is_right = |said: String| said.trim().trim_start_matches("mdbook v") == VERSION;
    let there =
        known.exists() && workspace::output_of(&[&program, "--version"]).is_ok_and(is_right);
    if !there {
        let root = workspace::root().join("target/tools");
        let (root, build) = (root.to_string_lossy(), root.join("build"));
        workspace::run_command(&[
            "cargo",
            "install",
            "mdbook",
            "--locked",
            "--version",
            VERSION,
            "--no-default-features",
            "--features",
            "search",
            "--root",
            &root,
            "--target-dir",
            &build.to_string_lossy(),
        ])?;
        // Some hundred megabytes that nobody needs again.
        std::fs::remove_dir_all(build)?;
    }
    Ok(program)
}

fn opener() -> &'static str {
    if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    }
}

/// All files below a folder, in order.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files_below(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
