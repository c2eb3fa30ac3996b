//! The commands of one page, run one after the other by `sh` in a directory with the samples.
//!
//! `doublet` is the program that was built. A command fails if its exit status is not 0, unless the next one is `echo $?`. `doublet serve`
//! is left running at a port of its own, which takes the place of the usual one in the commands after it.

use std::path::Path;
use std::process::{Command, Stdio};

use super::page::{Page, Shown, root};
use crate::harness::Place;
use crate::serving::Serving;

/// Where `doublet serve` listens unless it is told otherwise.
const USUAL_ADDRESS: &str = "http://127.0.0.1:8080";

pub(crate) struct Session {
    place: Place,
    services: Vec<Serving>,
    /// Exit status of the last command.
    status: i32,
}

impl Session {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        copy(&root().join("samples"), &place.path().join("samples"));
        Self {
            place,
            services: Vec::new(),
            status: 0,
        }
    }

    /// What it printed, to standard output and error as they came.
    pub(crate) fn run(&mut self, command: &str) -> String {
        if command.starts_with("doublet serve ") {
            let line = format!("exec {command} --listen 127.0.0.1:0");
            let mut started = self.shell(&line);
            started.stdin(Stdio::null());
            self.services.push(Serving::of(started));
            self.status = 0;
            return String::new();
        }
        let said = self.place.path().join(".said");
        let file = std::fs::File::create(&said).unwrap();
        let line = format!("(exit {}); {}", self.status, self.addressed(command));
        let mut started = self.shell(&line);
        started
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        self.status = started.status().unwrap().code().unwrap_or(-1);
        let said = String::from_utf8(std::fs::read(&said).unwrap()).unwrap();
        match self.services.last() {
            Some(service) => said.replace(&service.url(), USUAL_ADDRESS),
            None => said,
        }
    }

    pub(crate) fn status(&self) -> i32 {
        self.status
    }

    fn addressed(&self, command: &str) -> String {
        match self.services.last() {
            Some(service) => command.replace(USUAL_ADDRESS, &service.url()),
            None => command.to_owned(),
        }
    }

    fn shell(&self, line: &str) -> Command {
        let programs = Path::new(env!("CARGO_BIN_EXE_doublet")).parent().unwrap();
        let mut path = programs.as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .env("PATH", path)
            .env("HOME", self.place.path())
            .env("LC_ALL", "C.UTF-8")
            .env_remove("DOUBLET_TOKEN")
            .current_dir(self.place.path());
        command
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Whether a failure of the first is told by the second.
pub(crate) fn tells_the_status(next: Option<&Shown>) -> bool {
    next.is_some_and(|next| next.command.starts_with("echo $?"))
}

/// The page with what commands printed in the place of what it showed.
pub(crate) fn rewritten(page: &Page, changes: &[(&Shown, String)]) -> String {
    let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
    for (shown, said) in changes.iter().rev() {
        let said = said.lines().map(|line| {
            let line = format!("{}{line}", shown.indent);
            line.trim_end().to_owned()
        });
        lines.splice(shown.place.clone(), said.collect::<Vec<_>>());
    }
    lines.push(String::new());
    lines.join("\n")
}
