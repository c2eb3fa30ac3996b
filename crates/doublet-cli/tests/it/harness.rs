//! A command in a directory of its own, and what came of it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::wait::wait_for;

/// A directory of its own for one test.
pub(crate) struct Place(TempDir);

/// What a command printed and its exit status.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// The lines of a file, as JSON.
    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        json_lines(&self.read(name))
    }

    pub(crate) fn summary(&self, directory: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{directory}/summary.json"))).unwrap()
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_doublet"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.path());
        command
    }

    /// Runs `doublet` with these arguments.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::new(
            &self
                .command(arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    }

    /// Runs `doublet` with a reader of its output who goes away.
    pub(crate) fn run_unread(&self, arguments: &str) -> Ran {
        let mut child = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        Ran::new(&child.wait_with_output().unwrap())
    }

    /// Waits until a run has made something of its own in a directory that holds one thing.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait_for_run(&self, directory: &str) {
        let path = self.path().join(directory);
        crate::wait::wait_until("a run to make a temporary file", || {
            std::fs::read_dir(&path).unwrap().count() > 1
        });
    }

    /// Runs `doublet` with this text on standard input.
    pub(crate) fn run_with(&self, arguments: &str, input: &[u8]) -> Ran {
        use std::io::Write;
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Whoever ended before has no need of it.
        match child.stdin.take().unwrap().write_all(input) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
        Ran::new(&child.wait_with_output().unwrap())
    }
}

/// Sends a signal to a run.
#[cfg(unix)]
pub(crate) fn send(signal: &str, child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    assert!(sent.unwrap().success());
}

/// A hang-up, or another request to end where these tests run under `nohup`: a hang-up is ignored then.
#[cfg(target_os = "linux")]
pub(crate) fn hang_up() -> &'static str {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap().trim(), 16).unwrap();
    if ignored & 1 == 0 { "-HUP" } else { "-TERM" }
}

/// Waits for the end of a run that was told to end.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    wait_for("the end of a run", || child.try_wait().unwrap())
}

impl Ran {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.status, 0, "{}", self.stderr);
        self
    }

    pub(crate) fn json(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A file of the project's samples.
pub(crate) fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../samples")
        .join(name)
}

/// Five records: two the same but for case, one near them, one other, one empty.
pub(crate) const FIVE: &str = r#"{"id": "a", "text": "the quick brown fox jumps over the lazy dog and runs away", "date": "2024-01-01", "n": 5}
{"id": 2, "text": "The quick brown fox jumps over the lazy dog, and runs away!", "date": "2024-03-01", "n": 1}
{"id": "c", "text": "the quick brown fox jumps over the lazy dog and runs home at once", "date": "2024-02-01", "n": 9}
{"id": "d", "text": "an entirely different text about the weather in the north of the country"}
{"id": "e", "text": "..."}
"#;

/// Numbers that look random, the same in every run.
#[derive(Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides.max(1)
    }
}
