//! Shows how far a run is: a bar on a terminal, plain lines elsewhere, nothing when told to be quiet.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use doublet::progress::{Observer, Unit};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a plain line is written.
const EVERY: Duration = Duration::from_secs(10);

/// Temporary directories that must not outlive the process.
static REMOVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Has a temporary directory removed should the process be ended before it can tidy up.
pub(crate) fn remove_on_exit(directory: &Path) {
    lock(&REMOVE).push(directory.to_owned());
}

/// Watches a run for the person at the terminal, and passes Ctrl-C on.
pub(crate) struct Display {
    shown: Shown,
    stop: Arc<AtomicBool>,
}

enum Shown {
    Nothing,
    Bar(Mutex<ProgressBar>),
    Lines(Mutex<Lines>),
}

struct Lines {
    name: &'static str,
    unit: Unit,
    total: Option<u64>,
    done: u64,
    since: Instant,
    last: Instant,
}

impl Display {
    /// A display on standard error. From now on Ctrl-C ends the run in an orderly way; a second one at once.
    pub(crate) fn new(quiet: bool) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        // A handler that is set already does the same.
        let _set = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                for directory in lock(&REMOVE).iter() {
                    let _gone = std::fs::remove_dir_all(directory);
                }
                std::process::exit(130);
            }
        });
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            Shown::Bar(Mutex::new(ProgressBar::hidden()))
        } else {
            let now = Instant::now();
            Shown::Lines(Mutex::new(Lines {
                name: "",
                unit: Unit::Bytes,
                total: None,
                done: 0,
                since: now,
                last: now,
            }))
        };
        Self { shown, stop }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        match &self.shown {
            Shown::Bar(bar) => lock(bar).finish_and_clear(),
            Shown::Lines(lines) => lock(lines).end(),
            Shown::Nothing => {}
        }
    }
}

impl Observer for Display {
    fn stage(&self, name: &'static str, total: Option<u64>, unit: Unit) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => {
                let mut bar = lock(bar);
                bar.finish_and_clear();
                *bar = new_bar(name, total, unit);
            }
            Shown::Lines(lines) => lock(lines).begin(name, total, unit),
        }
    }

    fn advance(&self, amount: u64) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => lock(bar).inc(amount),
            Shown::Lines(lines) => lock(lines).advance(amount),
        }
    }

    fn note(&self, text: &str) {
        // Nobody may be listening.
        let write = || writeln!(std::io::stderr(), "note: {text}").unwrap_or_default();
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => lock(bar).suspend(write),
            Shown::Lines(_) => write(),
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn new_bar(name: &'static str, total: Option<u64>, unit: Unit) -> ProgressBar {
    let template = match (total, unit) {
        (Some(_), Unit::Bytes) => {
            "{prefix:>18} {bar:30} {percent:>3} %  {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left"
        }
        (Some(_), Unit::Count(_)) => {
            "{prefix:>18} {bar:30} {percent:>3} %  {human_pos} of {human_len} {msg}, {per_sec:.0}, {eta} left"
        }
        (None, _) => "{prefix:>18} {spinner} {elapsed}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar.set_prefix(name);
    if let Unit::Count(what) = unit {
        bar.set_message(what);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Lines {
    fn begin(&mut self, name: &'static str, total: Option<u64>, unit: Unit) {
        self.end();
        let now = Instant::now();
        *self = Self {
            name,
            unit,
            total,
            done: 0,
            since: now,
            last: now,
        };
    }

    fn advance(&mut self, amount: u64) {
        self.done += amount;
        if self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            self.print(true);
        }
    }

    fn end(&mut self) {
        if !self.name.is_empty() {
            self.print(false);
            self.name = "";
        }
    }

    fn print(&self, going: bool) {
        let seconds = self.since.elapsed().as_secs_f64();
        let rate = self.done as f64 / seconds.max(1e-9);
        let amount = |value: u64| match self.unit {
            Unit::Bytes => HumanBytes(value).to_string(),
            Unit::Count(what) => format!("{} {what}", HumanCount(value)),
        };
        let mut line = format!("{}: ", self.name);
        if self.done > 0 {
            line += &format!("{}, {}/s, ", amount(self.done), amount(rate as u64));
        }
        line += &format!("{seconds:.1} s");
        if let (true, Some(total)) = (going, self.total) {
            let left = total.saturating_sub(self.done) as f64 / rate.max(1e-9);
            line += &format!(", {left:.0} s left");
        }
        // Nobody may be listening.
        let _ignored = writeln!(std::io::stderr(), "{line}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
