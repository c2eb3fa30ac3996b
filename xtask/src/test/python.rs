//! Python environments for tests, and the programs that some of them need.
//!
//! What is missing is installed from the distribution's packages as root, or by sudo if the user asks for it; otherwise a message
//! says what to install.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::profiles;
use crate::workspace;

/// Names under which distributions have the browser.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// An environment: its folder among what is built, and what it holds.
pub(super) struct Environment {
    folder: &'static str,
    requirements: &'static [&'static str],
}

/// That of the service and its page.
pub(super) const SERVICE: Environment = Environment {
    folder: "venv-tests",
    requirements: &["tests/api/requirements.txt", "tests/page/requirements.txt"],
};
/// That of the Python package.
pub(super) const PACKAGE: Environment = Environment {
    folder: "venv-wheel",
    requirements: &["crates/doublet-python/tests/requirements.txt"],
};

/// What the chosen tests need besides Python.
pub(super) struct Needs {
    pub(super) browser: bool,
    pub(super) java: bool,
}

/// Make sure that the programs are there.
fn find_programs(needs: &Needs, may_install: bool) -> Result<()> {
    let mut missing = Vec::new();
    if !has_venv() {
        missing.extend(["python3", "python3-venv"]);
    }
    if needs.browser && browser().is_none() {
        missing.push("chromium");
    }
    if needs.java && !succeeds("java", &["-version"]) {
        missing.push("default-jre-headless");
    }
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing, may_install)
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
fn install(packages: &[&str], may_install: bool) -> Result<()> {
    let line = format!(
        "apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    );
    let Some(start) = as_root(may_install) else {
        bail!(
            "missing packages: {}. The Python tests need them: install them (on Debian or Ubuntu `sudo {line}`, or `cargo xtask test --install`), or skip these tests with `cargo xtask test --skip api,page,python`",
            packages.join(", ")
        );
    };
    let run = |line: &[&str]| {
        workspace::run_command(&[start, &["env", "DEBIAN_FRONTEND=noninteractive"], line].concat())
    };
    let head = ["apt-get", "install", "-y", "--no-install-recommends"];
    let installed =
        run(&["apt-get", "update", "-q"]).and_then(|()| run(&[&head, packages].concat()));
    installed.with_context(|| {
        format!("cannot install {}: install them by hand, or skip these tests with `cargo xtask test --skip api,page,python`", packages.join(", "))
    })
}

/// What a command that installs packages begins with; nothing where that is not allowed or there is no way.
fn as_root(may_install: bool) -> Option<&'static [&'static str]> {
    if !succeeds("apt-get", &["--version"]) {
        return None;
    }
    let user = Command::new("id").arg("-u").output().ok()?;
    match user.stdout.trim_ascii() {
        b"0" => Some(&[]),
        _ => may_install.then_some(&["sudo"]),
    }
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

impl Environment {
    /// A program of the environment.
    pub(super) fn program(&self, name: &str) -> Result<String> {
        let folder = profiles()?.join(self.folder);
        Ok(folder.join("bin").join(name).display().to_string())
    }

    /// Make sure that it and the programs are there.
    pub(super) fn prepare(&self, needs: &Needs, may_install: bool) -> Result<()> {
        find_programs(needs, may_install)?;
        self.make()
    }

    /// Make it unless it is there with what is pinned now.
    fn make(&self) -> Result<()> {
        let folder = profiles()?.join(self.folder);
        let mut pins = String::new();
        for name in self.requirements {
            let file = workspace::root().join(name);
            pins += &std::fs::read_to_string(&file)
                .with_context(|| format!("cannot read `{}`", file.display()))?;
        }
        let mark = folder.join("pins.txt");
        if std::fs::read_to_string(&mark).is_ok_and(|made| made == pins) {
            return Ok(());
        }
        let name = folder.display().to_string();
        workspace::run_command(&["python3", "-m", "venv", "--clear", &name])?;
        let required = self.requirements.iter().flat_map(|name| ["-r", name]);
        self.install(&required.collect::<Vec<_>>())?;
        write(&mark, &pins)
    }

    /// Install packages of Python.
    pub(super) fn install(&self, packages: &[&str]) -> Result<()> {
        let python = self.program("python")?;
        let head = [
            python.as_str(),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ];
        workspace::run_command(&[&head, packages].concat())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
