//! `cargo xtask licences`: docs/third-party.md, which names everything of others that is in doublet, and the texts of their
//! licences for archives and wheels.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::packages::{self, Package, Use};
use super::texts;
use crate::workspace;

const PAGE: &str = "docs/third-party.md";
/// What stands before the tables, by hand: data that no package manager knows of.
const DATA: &str = include_str!("data.md");
/// The crates, each of which brings its licence along when it is published.
const CRATES: [&str; 4] = ["doublet", "doublet-server", "doublet-cli", "doublet-python"];
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What to write.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Write the texts of the licences into this file, and no page
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
    /// Write nothing; fail if the page is not what it would be
    #[arg(long, conflicts_with = "texts")]
    check: bool,
}

/// Writes the page, or the texts.
pub(crate) fn run(args: &Args) -> Result<()> {
    let packages = packages::all()?;
    if let Some(path) = &args.texts {
        return std::fs::write(path, texts::collected(&packages)?)
            .with_context(|| format!("cannot write `{}`", path.display()));
    }
    let (path, page) = (workspace::root().join(PAGE), page(&packages));
    if args.check {
        let is = std::fs::read_to_string(&path).unwrap_or_default();
        ensure!(
            is == page,
            "`{PAGE}` is out of date: run `cargo xtask licences`"
        );
        return Ok(());
    }
    std::fs::write(&path, page).with_context(|| format!("cannot write `{PAGE}`"))?;
    for name in LICENCES {
        for package in CRATES {
            let from = workspace::root().join(name);
            let to = workspace::root().join("crates").join(package).join(name);
            std::fs::copy(from, &to).with_context(|| format!("cannot write `{}`", to.display()))?;
        }
    }
    Ok(())
}

fn page(packages: &[Package]) -> String {
    let mut page = DATA.to_owned();
    for (used, heading, what) in [
        (
            Use::Inside,
            "Crates inside",
            "Their code is in the program, the service and the wheel, on one of the released systems at least.",
        ),
        (
            Use::Building,
            "Crates that build",
            "Macros and build scripts: they run while doublet is built and are in nothing that is released.",
        ),
        (
            Use::Testing,
            "Crates that test",
            "Tests and the project's automation (`xtask`).",
        ),
        (
            Use::Elsewhere,
            "Crates for other systems",
            "`Cargo.lock` names them for systems that nothing is released for.",
        ),
    ] {
        let rows: Vec<&Package> = packages
            .iter()
            .filter(|package| package.used == used)
            .collect();
        if rows.is_empty() {
            continue;
        }
        let _infallible = write!(
            page,
            "\n## {heading}\n\n{what}\n\n| crate | version | licence |\n|---|---|---|\n"
        );
        for package in rows {
            let Package {
                name,
                version,
                licence,
                repository,
                ..
            } = package;
            let name = match repository {
                Some(link) => format!("[{name}]({link})"),
                None => name.clone(),
            };
            let _infallible = writeln!(page, "| {name} | {version} | {licence} |");
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read(name: &str) -> String {
        std::fs::read_to_string(workspace::root().join(name)).unwrap()
    }

    /// The packages of the lock file that come from a registry.
    fn locked() -> BTreeSet<(String, String)> {
        let lock = read("Cargo.lock");
        let blocks = lock.split("[[package]]").skip(1);
        let from_elsewhere = blocks.filter(|block| block.contains("\nsource = "));
        let value = |block: &str, key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key));
            line.unwrap().trim_matches('"').to_owned()
        };
        from_elsewhere
            .map(|block| (value(block, "name = "), value(block, "version = ")))
            .collect()
    }

    fn listed() -> BTreeSet<(String, String)> {
        let page = read(PAGE);
        let crates = page.split("## Crates inside").nth(1).unwrap();
        let rows = crates.lines().filter_map(|line| line.strip_prefix("| "));
        let rows = rows.filter(|row| !row.starts_with("crate |"));
        rows.map(|row| {
            let mut cells = row.split(" | ");
            let name = cells.next().unwrap().trim_start_matches('[');
            let name = name.split(']').next().unwrap();
            (name.to_owned(), cells.next().unwrap().to_owned())
        })
        .collect()
    }

    #[test]
    fn the_page_names_what_the_lock_file_names() {
        let (locked, listed) = (locked(), listed());
        let missing: Vec<_> = locked.difference(&listed).collect();
        let gone: Vec<_> = listed.difference(&locked).collect();
        assert!(
            missing.is_empty() && gone.is_empty(),
            "run `cargo xtask licences`: missing {missing:?}, gone {gone:?}"
        );
        assert!(read(PAGE).starts_with(DATA), "run `cargo xtask licences`");
    }

    #[test]
    fn every_crate_brings_the_licences() {
        for name in LICENCES {
            for package in CRATES {
                let copy = read(&format!("crates/{package}/{name}"));
                assert_eq!(copy, read(name), "run `cargo xtask licences`");
            }
        }
    }

    #[test]
    fn the_same_systems_are_named_everywhere() {
        let deny = read("deny.toml");
        let workflows =
            read(".github/workflows/release.yml") + &read(".github/workflows/wheels.yml");
        for target in super::super::TARGETS {
            assert!(deny.contains(&format!("\"{target}\"")), "{target}");
            assert!(workflows.contains(&format!("target: {target}")), "{target}");
        }
    }

    #[test]
    fn the_lock_file_has_one_source() {
        let lock = read("Cargo.lock");
        let sources: BTreeSet<&str> = lock
            .lines()
            .filter(|line| line.starts_with("source = "))
            .collect();
        let expected = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        assert_eq!(sources.into_iter().collect::<Vec<_>>(), [expected]);
        let blocks = lock.split("[[package]]").skip(1);
        for block in blocks.filter(|block| block.contains("\nsource = ")) {
            assert!(block.contains("\nchecksum = "), "{block}");
        }
    }
}
