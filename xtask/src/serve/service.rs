//! A `doublet serve` that is measured: started, watched through the system, ended.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

/// A service that runs; killed when dropped.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Service {
    /// Serves an index on a free port. What it logs goes to a file.
    pub(crate) fn start(binary: &Path, index: &Path, log: &Path, options: &[&str]) -> Result<Self> {
        let mut child = Command::new(binary)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--log",
                "json",
                "--index",
            ])
            .arg(index)
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{}`", binary.display()))?;
        let stderr = child.stderr.take().context("no standard error")?;
        let mut lines = BufReader::new(stderr);
        let mut log = std::fs::File::create(log)?;
        let address = loop {
            let mut line = String::new();
            let read = lines.read_line(&mut line)?;
            log.write_all(line.as_bytes())?;
            ensure!(read > 0, "`doublet serve` ended before it listened: {line}");
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if event["event"] == "listening" {
                let address = event["address"].as_str().unwrap_or_default();
                break address.parse().context("no address to reach it at")?;
            }
            if event.is_null() {
                eprint!("{line}");
            }
        };
        std::thread::spawn(move || std::io::copy(&mut lines, &mut log));
        Ok(Self { child, address })
    }

    /// Asks it to end, and waits for it.
    pub(crate) fn stop(mut self) -> Result<()> {
        kill(self.pid(), Signal::SIGTERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "`doublet serve` ended with {status}");
        Ok(())
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// From now on the peak of its memory is counted anew.
    pub(crate) fn reset_peak(&self) -> Result<()> {
        let path = format!("/proc/{}/clear_refs", self.child.id());
        std::fs::write(&path, "5").with_context(|| format!("cannot write `{path}`"))
    }

    /// Its memory: now, at the peak, and how much of it is its own, not files of the index that the system may take away.
    pub(crate) fn memory(&self) -> Result<Memory> {
        let path = format!("/proc/{}/status", self.child.id());
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{path}`"))?;
        let field = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            let kilobytes =
                line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
            kilobytes.map_or(0, |kilobytes| kilobytes << 10)
        };
        Ok(Memory {
            resident: field("VmRSS:"),
            peak: field("VmHWM:"),
            own: field("RssAnon:"),
        })
    }

    /// Processor seconds that it has used so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name, in parentheses, may hold anything.
        let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut ticks = fields.split_whitespace().skip(11).take(2);
        let mut next = || ticks.next().and_then(|ticks| ticks.parse::<f64>().ok());
        let (user, system) = (next().unwrap_or(0.0), next().unwrap_or(0.0));
        // Linux counts a hundredth of a second as a tick for everybody.
        Ok((user + system) / 100.0)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Bytes of memory that a service has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) resident: u64,
    pub(crate) peak: u64,
    pub(crate) own: u64,
}

impl Memory {
    pub(crate) fn to_json(self) -> Value {
        json!({"resident_bytes": self.resident, "peak_bytes": self.peak, "own_bytes": self.own})
    }
}
