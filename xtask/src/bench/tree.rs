//! A program with all of its processes: how much memory they take together, and how to stop them.
//!
//! The processes are those that descend from this one, by `/proc`. This one adopts the orphans among them, so that their
//! processor time is counted when they end. Memory is the sum of proportional set sizes, in which pages that
//! several processes share count once. It is looked at now and then, and only where there are several processes: the
//! system knows the peak of a single one by itself.

use std::collections::HashSet;
use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

/// How often to look, at most.
const INTERVAL: Duration = Duration::from_millis(20);
/// Looking at gigabytes takes time, of which the program is to lose one part in so many at most.
const PAUSE: u32 = 20;
/// How long orphans may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was seen of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The most that several processes took together; 0 if there was but one.
    pub(super) peak_bytes: u64,
    /// Whether it was stopped because it took too long.
    pub(super) is_over: bool,
}

/// Someone who looks at a running program.
pub(super) struct Watch {
    stop: Sender<()>,
    thread: JoinHandle<Seen>,
}

impl Watch {
    /// Look at the descendants of this process until told to stop; end them when the limit is over.
    pub(super) fn start(limit: Option<Duration>) -> Self {
        let (stop, stopped) = mpsc::channel();
        let start = Instant::now();
        let thread = thread::spawn(move || {
            let mut seen = Seen::default();
            let mut pause = INTERVAL;
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if limit.is_some_and(|limit| start.elapsed() > limit) {
                    seen.is_over = true;
                    end_all();
                    continue;
                }
                let begun = Instant::now();
                let processes = descendants(std::process::id(), &processes());
                if processes.len() > 1 {
                    let together = processes.iter().filter_map(|&id| proportional_size(id));
                    seen.peak_bytes = seen.peak_bytes.max(together.sum());
                }
                pause = INTERVAL.max(begun.elapsed() * PAUSE);
                if let Some(limit) = limit {
                    pause = pause.min(limit.saturating_sub(start.elapsed()).max(INTERVAL));
                }
            }
            seen
        });
        Self { stop, thread }
    }

    /// What was seen.
    pub(super) fn finish(self) -> Result<Seen> {
        // It may have ended by itself; then it has what it saw all the same.
        let _ = self.stop.send(());
        self.thread.join().map_err(|_| anyhow!("the watch failed"))
    }
}

/// From now on, orphans among the descendants become children of this process.
#[cfg(target_os = "linux")]
pub(super) fn adopt_orphans() -> Result<()> {
    Ok(nix::sys::prctl::set_child_subreaper(true)?)
}

/// Other systems give orphans to their first process: what they used is not counted.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt_orphans() -> Result<()> {
    Ok(())
}

/// Wait for the program itself, then for what it left behind.
pub(super) fn wait(child: &mut Child) -> Result<(std::process::ExitStatus, Instant)> {
    let status = child.wait()?;
    let end = Instant::now();
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => break,
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) if end.elapsed() > PATIENCE => end_all(),
            Ok(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
    Ok((status, end))
}

/// End every descendant; the caller calls again until none is left.
fn end_all() {
    for id in descendants(std::process::id(), &processes()) {
        // One that has just ended is no error.
        let _ = kill(Pid::from_raw(id as i32), Signal::SIGKILL);
    }
}

/// Every process with its parent.
fn processes() -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| {
        let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        Some((id, parent(&line)?))
    })
    .collect()
}

/// The parent by a line of `/proc/ID/stat`: `id (name) state parent`, where the name may hold anything.
fn parent(line: &str) -> Option<u32> {
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// All that descend from a process.
fn descendants(root: u32, processes: &[(u32, u32)]) -> Vec<u32> {
    let mut found = HashSet::from([root]);
    loop {
        let before = found.len();
        let children = processes
            .iter()
            .filter(|(_, parent)| found.contains(parent));
        let children: Vec<u32> = children.map(|&(id, _)| id).collect();
        found.extend(children);
        if found.len() == before {
            break;
        }
    }
    found.remove(&root);
    let mut found: Vec<u32> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The proportional set size in bytes; none of a process that has ended.
fn proportional_size(id: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_through_those_between() {
        let processes = [(5, 4), (4, 2), (3, 1), (2, 1), (9, 3), (7, 5)];
        assert_eq!(descendants(2, &processes), [4, 5, 7]);
        assert_eq!(descendants(9, &processes), [0; 0]);
    }

    #[test]
    fn a_name_may_hold_parentheses() {
        assert_eq!(parent("12 (a) b (c)) S 7 12 12"), Some(7));
        assert_eq!(parent("12"), None);
    }
}
