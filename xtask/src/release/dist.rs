//! `cargo xtask dist`: the archive of a program for one system, with its manual pages, completions and licences, and its SHA-256.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::tar::{Entry, pack};
use super::{packages, texts};
use crate::doublet::PROFILE;
use crate::workspace;

/// 1980, the first year that every archiver knows.
const FIRST: u64 = 315_532_800;
/// Files of the repository that go along.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];
const SHELLS: [(&str, &str); 5] = [
    ("bash", "doublet.bash"),
    ("zsh", "_doublet"),
    ("fish", "doublet.fish"),
    ("powershell", "_doublet.ps1"),
    ("elvish", "doublet.elv"),
];

/// What to pack.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The system, as Cargo names it [default: this one]
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// A program that is built already, instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// A program of the same version that runs here, to write manual pages and completions, where the packed one does not
    #[arg(long, value_name = "FILE")]
    writer: Option<PathBuf>,
    /// Where the archive goes
    #[arg(short, long, value_name = "DIR", default_value = "target/archives")]
    output: PathBuf,
}

/// Builds if need be, packs, and names what was made.
pub(crate) fn run(args: &Args) -> Result<()> {
    let target = match &args.target {
        Some(target) => target.clone(),
        None => host()?,
    };
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => build(&target)?,
    };
    let writer = args.writer.as_ref().unwrap_or(&binary);
    let version = version(writer)?;
    let name = format!("doublet-{version}-{target}");
    let mut entries = written_by(writer)?;
    entries.push(Entry {
        name: format!(
            "doublet{}",
            if target.contains("windows") {
                ".exe"
            } else {
                ""
            }
        ),
        bytes: read(&binary)?,
        program: true,
    });
    for document in DOCUMENTS {
        entries.push(plain(document, read(&workspace::root().join(document))?));
    }
    let licences = texts::collected(&packages::all()?)?;
    entries.push(plain("THIRD-PARTY.txt", licences.into_bytes()));
    for entry in &mut entries {
        entry.name = format!("{name}/{}", entry.name);
    }
    let archive = pack(&entries, time()?)?;
    let folder = workspace::root().join(&args.output);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make `{}`", folder.display()))?;
    let file = format!("{name}.tar.gz");
    write(&folder.join(&file), &archive)?;
    let sum = format!("{}  {file}\n", sha256(&archive));
    write(&folder.join(format!("{file}.sha256")), sum.as_bytes())?;
    print!("{sum}");
    Ok(())
}

/// Builds the program for a system; on Linux with musl it is static.
fn build(target: &str) -> Result<PathBuf> {
    let line = [
        "cargo",
        "build",
        "--profile",
        PROFILE,
        "--locked",
        "--package",
        "doublet-cli",
        "--target",
        target,
    ];
    workspace::run_command(&line)?;
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let program = if target.contains("windows") {
        "doublet.exe"
    } else {
        "doublet"
    };
    Ok(workspace::root()
        .join(folder)
        .join(target)
        .join(PROFILE)
        .join(program))
}

/// The system that this runs on.
fn host() -> Result<String> {
    let told = workspace::output_of(&["rustc", "-vV"])?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// The version of a program, which must be that of the workspace.
fn version(program: &Path) -> Result<String> {
    let told = output(program, &["--version"])?;
    let told = String::from_utf8_lossy(&told);
    let version = told.trim().strip_prefix("doublet ").unwrap_or(told.trim());
    let expected = workspace_version()?;
    ensure!(
        version == expected,
        "`{}` is {version}, and this is {expected}: build it anew",
        program.display()
    );
    Ok(expected)
}

/// The version that all crates share.
pub(super) fn workspace_version() -> Result<String> {
    let manifest = workspace::root().join("Cargo.toml");
    let text = String::from_utf8(read(&manifest)?).context("Cargo.toml is no text")?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("version = "));
    Ok(line
        .context("Cargo.toml has no version")?
        .trim_matches('"')
        .to_owned())
}

/// The pages and scripts that a program writes of itself.
fn written_by(program: &Path) -> Result<Vec<Entry>> {
    let place = tempfile::tempdir().context("no place for the manual pages")?;
    let folder = place
        .path()
        .to_str()
        .context("the path of a temporary folder is no text")?;
    output(program, &["man", folder])?;
    let mut entries = Vec::new();
    for page in std::fs::read_dir(place.path())? {
        let page = page?;
        let name = page.file_name().to_string_lossy().into_owned();
        entries.push(plain(&format!("man/man1/{name}"), read(&page.path())?));
    }
    for (shell, file) in SHELLS {
        let script = output(program, &["completions", shell])?;
        entries.push(plain(&format!("completions/{file}"), script));
    }
    Ok(entries)
}

fn plain(name: &str, bytes: Vec<u8>) -> Entry {
    Entry {
        name: name.to_owned(),
        bytes,
        program: false,
    }
}

/// The time that all files bear: that of the sources, if it is told (reproducible-builds.org).
fn time() -> Result<u64> {
    match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => seconds
            .parse()
            .context("SOURCE_DATE_EPOCH is no number of seconds"),
        Err(_) => Ok(FIRST),
    }
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn output(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let ran = Command::new(program).args(arguments).output();
    let ran = ran.with_context(|| format!("cannot start `{}`", program.display()))?;
    ensure!(
        ran.status.success(),
        "`{} {}` failed: {}",
        program.display(),
        arguments.join(" "),
        String::from_utf8_lossy(&ran.stderr)
    );
    Ok(ran.stdout)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }

    #[test]
    fn crates_ask_for_the_version_they_are_released_with() {
        let version = workspace_version().unwrap();
        for package in ["doublet-server", "doublet-cli"] {
            let path = workspace::root()
                .join("crates")
                .join(package)
                .join("Cargo.toml");
            let manifest = std::fs::read_to_string(path).unwrap();
            for line in manifest
                .lines()
                .filter(|line| line.contains("path = \"../"))
            {
                assert!(
                    line.contains(&format!("version = \"{version}\"")),
                    "{package}: {line}"
                );
            }
        }
    }
}
