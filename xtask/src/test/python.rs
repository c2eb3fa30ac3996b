//! A Python environment for tests, and the browser that some of them need.
//!
//! What is missing is installed from the distribution's packages where that can be done without asking (as root, or by sudo
//! without a password); elsewhere a message says what to install.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::profiles;
use crate::workspace;

/// What the environment holds.
const REQUIREMENTS: [&str; 2] = ["tests/api/requirements.txt", "tests/page/requirements.txt"];
/// Names under which distributions have the browser.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Make sure that everything is there.
pub(super) fn prepare(with_browser: bool) -> Result<()> {
    let mut missing = Vec::new();
    if !has_venv() {
        missing.extend(["python3", "python3-venv"]);
    }
    if with_browser && browser().is_none() {
        missing.push("chromium");
    }
    if !missing.is_empty() {
        install(&missing)?;
    }
    environment()
}

/// Whether environments can be made: distributions split the module off.
fn has_venv() -> bool {
    succeeds("python3", &["-c", "import ensurepip, venv"])
}

/// The browser: what `CHROMIUM` names, or the first that is there.
pub(super) fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&paths);
    let found = || {
        folders.find_map(|folder| {
            let programs = BROWSERS.map(|name| folder.join(name));
            programs.into_iter().find(|program| program.is_file())
        })
    };
    named.filter(|program| program.is_file()).or_else(found)
}

/// Install packages of the distribution.
fn install(packages: &[&str]) -> Result<()> {
    let line = format!(
        "apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    );
    let Some(start) = as_root() else {
        bail!(
            "the tests of the service and its page need {}: install them (on Debian or Ubuntu: `sudo {line}`), or leave these tests out with `cargo xtask test --skip api,page`",
            packages.join(" and ")
        );
    };
    let run = |line: &[&str]| {
        workspace::run_command(&[start, &["env", "DEBIAN_FRONTEND=noninteractive"], line].concat())
    };
    let head = ["apt-get", "install", "-y", "--no-install-recommends"];
    let installed =
        run(&["apt-get", "update", "-q"]).and_then(|()| run(&[&head, packages].concat()));
    installed.with_context(|| {
        format!("cannot install {}: do it by hand, or leave these tests out with `cargo xtask test --skip api,page`", packages.join(" and "))
    })
}

/// What a command that may install packages begins with; nothing if there is no way.
fn as_root() -> Option<&'static [&'static str]> {
    if !succeeds("apt-get", &["--version"]) {
        return None;
    }
    let user = Command::new("id").arg("-u").output().ok()?;
    match user.stdout.trim_ascii() {
        b"0" => Some(&[]),
        _ if succeeds("sudo", &["-n", "true"]) => Some(&["sudo", "-n"]),
        _ => None,
    }
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn folder() -> Result<PathBuf> {
    Ok(profiles()?.join("venv-tests"))
}

/// A program of the environment.
pub(super) fn program(name: &str) -> Result<String> {
    Ok(folder()?.join("bin").join(name).display().to_string())
}

/// Make the environment unless it is there with what is pinned now.
fn environment() -> Result<()> {
    let folder = folder()?;
    let mut pins = String::new();
    for file in REQUIREMENTS.map(|name| workspace::root().join(name)) {
        pins += &std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read `{}`", file.display()))?;
    }
    let mark = folder.join("pins.txt");
    if std::fs::read_to_string(&mark).is_ok_and(|made| made == pins) {
        return Ok(());
    }
    let name = folder.display().to_string();
    workspace::run_command(&["python3", "-m", "venv", "--clear", &name])?;
    let python = program("python")?;
    let mut line = vec![
        python.as_str(),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    for name in REQUIREMENTS {
        line.extend(["-r", name]);
    }
    workspace::run_command(&line)?;
    write(&mark, &pins)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
