//! Where a command's words go, and where its data comes from.
//!
//! On a terminal: results on standard output, everything else on standard error, with a bar that shows how far a run is (plain
//! lines where nobody looks, nothing when told to be quiet). For a program that calls the commands: everything into memory, and
//! tables of that program in the place of files.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use doublet::files;
use doublet::index::Index;
use doublet::options::ReadOptions;
use doublet::progress::{Observer, Unit};
use doublet::read::{Collection, Tables};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::display::{DIM, WARNING};
use crate::{requests, terminal};

/// How often a plain line is written.
const EVERY: Duration = Duration::from_secs(10);

/// What a command has to do with the world.
pub struct Console {
    /// What the command says, if it is kept.
    said: Option<Arc<Mutex<Said>>>,
    shown: Mutex<Shown>,
    listener: Option<Listener>,
    stop: Arc<AtomicBool>,
    /// Whether a run is under way that looks at whether it should stop.
    orderly: Arc<AtomicBool>,
    tables: Tables,
    index: Option<Index>,
    program: Vec<OsString>,
    arguments: Vec<OsString>,
}

/// What a command said, where that is kept in memory.
#[derive(Debug, Default)]
pub struct Said {
    /// What goes to standard output, plain.
    pub output: Vec<u8>,
    /// What the person who started the run should know.
    pub warnings: Vec<String>,
    /// The rows that `dedup` keeps of tables.
    pub kept: Option<Vec<u64>>,
}

/// Hears of each stage at its start and at its end. The run waits until it returns.
pub type Listener = Box<dyn Fn(Progress) + Send + Sync>;

/// How far a stage is: at its start nothing is done, at its end all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: &'static str,
    /// How much is done.
    pub done: u64,
    /// How much there is to do, if known.
    pub total: Option<u64>,
    /// What is counted.
    pub unit: Unit,
}

enum Shown {
    Nothing,
    /// What a person will want to know, and no progress.
    Notes,
    Bar(ProgressBar),
    Lines(Lines),
    Asked(Option<Progress>),
}

struct Lines {
    name: &'static str,
    unit: Unit,
    total: Option<u64>,
    done: u64,
    since: Instant,
    last: Instant,
}

impl Console {
    /// A terminal. `program` is what starts this program again, if it is not the running executable.
    pub fn terminal(program: Vec<OsString>, arguments: Vec<OsString>) -> Self {
        Self {
            said: None,
            shown: Mutex::new(Shown::Nothing),
            listener: None,
            stop: Arc::default(),
            orderly: Arc::default(),
            tables: Tables::new(),
            index: None,
            program,
            arguments,
        }
    }

    /// Memory. An input that is the name of a table is that table.
    pub fn memory(program: Vec<OsString>, arguments: Vec<OsString>, tables: Tables) -> Self {
        Self {
            said: Some(Arc::default()),
            shown: Mutex::new(Shown::Asked(None)),
            tables,
            ..Self::terminal(program, arguments)
        }
    }

    /// Has the listener called for every stage of the run, if what is said is kept in memory.
    pub fn with_listener(self, listener: Listener) -> Self {
        let listener = Some(listener);
        Self { listener, ..self }
    }

    /// Has `check` ask this index instead of the one that it would open.
    pub fn with_index(self, index: Index) -> Self {
        let index = Some(index);
        Self { index, ..self }
    }

    /// Ends the run in an orderly way.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How far the run is, where it reports that to a program; nothing between two stages.
    pub fn progress(&self) -> Option<Progress> {
        match &*lock(&self.shown) {
            Shown::Asked(progress) => progress.map(Progress::within),
            _ => None,
        }
    }

    /// Ends the last stage of a run that is done.
    pub(crate) fn end_stage(&self) {
        let ended = match &mut *lock(&self.shown) {
            Shown::Asked(progress) => progress.take(),
            _ => None,
        };
        self.report(ended.map(Progress::at_end));
    }

    /// Begins a stage that is reported to a program. The listener is called without the lock, for it may ask how far the run is.
    fn begin_stage(&self, begun: Progress) {
        self.end_stage();
        self.report(Some(begun));
        if let Shown::Asked(progress) = &mut *lock(&self.shown) {
            *progress = Some(begun);
        }
    }

    fn report(&self, progress: Option<Progress>) {
        if let (Some(listener), Some(progress)) = (&self.listener, progress) {
            listener(progress);
        }
    }

    /// What was said so far, where that is kept. It is not said again.
    pub fn take(&self) -> Said {
        let said = self.said.as_ref();
        said.map(|said| std::mem::take(&mut *lock(said)))
            .unwrap_or_default()
    }

    /// Whether a run is under way that ends by itself when it is told to.
    pub(crate) fn is_orderly(&self) -> bool {
        self.orderly.load(Ordering::SeqCst)
    }

    /// What was typed, without the program's name.
    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// What starts this program again.
    pub(crate) fn program(&self) -> std::io::Result<Vec<OsString>> {
        match self.program.is_empty() {
            true => Ok(vec![std::env::current_exe()?.into_os_string()]),
            false => Ok(self.program.clone()),
        }
    }

    /// Whether it is a program that called, and nobody looks.
    pub(crate) fn is_memory(&self) -> bool {
        self.said.is_some()
    }

    /// Whether more than errors is said; a program decides itself what it tells.
    pub(crate) fn speaks(&self, quiet: bool) -> bool {
        !quiet || self.is_memory()
    }

    /// Whether results are read by a person.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.is_memory() && std::io::stdout().is_terminal()
    }

    /// The index that is asked whatever the arguments say.
    pub(crate) fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// Opens inputs: files, or tables by their names.
    pub(crate) fn open(
        &self,
        inputs: &[String],
        options: &ReadOptions,
        temporary: &Path,
    ) -> Result<Collection> {
        self.open_from(0, inputs, options, temporary)
    }

    /// The same; rows of tables without ids are numbered from `first` on.
    pub(crate) fn open_from(
        &self,
        first: u64,
        inputs: &[String],
        options: &ReadOptions,
        temporary: &Path,
    ) -> Result<Collection> {
        // Standard input may never end, and who waits for it looks at nothing else.
        let orderly = self.orderly.swap(false, Ordering::SeqCst);
        // Asked after that, so that a request is either found here or ends the process.
        let opened = match self.stop.load(Ordering::SeqCst) {
            true => Err(doublet::Error::Interrupted),
            false => Collection::open_among(inputs, options, temporary, &self.tables, first),
        };
        self.orderly.store(orderly, Ordering::SeqCst);
        Ok(opened?)
    }

    /// Whether an input is a table.
    pub(crate) fn has_table(&self, name: &str) -> bool {
        self.tables.contains_key(name)
    }

    /// A file that holds what is named: the file itself, or a table written into the directory.
    pub(crate) fn file(&self, path: &Path, temporary: &Path) -> Result<PathBuf> {
        let found = path
            .to_str()
            .and_then(|name| self.tables.get_key_value(name));
        let Some((name, table)) = found else {
            return Ok(path.to_owned());
        };
        let file = temporary.join(format!("{name}.parquet"));
        table.write(&file)?;
        Ok(file)
    }

    /// Where results go.
    pub(crate) fn out(&self) -> Box<dyn Write + Send> {
        match &self.said {
            Some(said) => Box::new(Output(said.clone())),
            None => Box::new(std::io::stdout()),
        }
    }

    /// Where results with styles go.
    pub(crate) fn styled(&self) -> Box<dyn Write + Send> {
        match &self.said {
            Some(_) => Box::new(anstream::StripStream::new(self.out())),
            None => Box::new(anstream::stdout()),
        }
    }

    /// Where everything goes that is no result.
    pub(crate) fn err(&self) -> Box<dyn Write + Send> {
        match &self.said {
            Some(_) => Box::new(std::io::sink()),
            None => Box::new(anstream::stderr()),
        }
    }

    /// Gives a warning.
    pub(crate) fn warning(&self, text: &str) {
        match &self.said {
            Some(said) => lock(said).warnings.push(text.to_owned()),
            None => {
                let _ignored = writeln!(self.err(), "{WARNING}warning{WARNING:#}: {text}");
            }
        }
    }

    /// Says something that is no result.
    pub(crate) fn remark(&self, text: &str) {
        let _ignored = writeln!(self.err(), "{DIM}{text}{DIM:#}");
    }

    /// Tells which rows of tables are kept.
    pub(crate) fn keep(&self, rows: Vec<u64>) {
        if let Some(said) = &self.said {
            lock(said).kept = Some(rows);
        }
    }

    /// Hears Ctrl-C and other requests to end. A run that is under way ends in an orderly way, and at once when asked again;
    /// whatever is not under way ends at once. No temporary file is left.
    pub(crate) fn hear(&self) {
        let (stop, orderly) = (Arc::clone(&self.stop), Arc::clone(&self.orderly));
        // Where they cannot be heard, they end the process at once.
        let _heard = requests::on_request(move || {
            let again = stop.swap(true, Ordering::SeqCst);
            if again || !orderly.load(Ordering::SeqCst) {
                files::remove_temporary();
                terminal::restore();
                if !again {
                    crate::display::error(&doublet::Error::Interrupted.into());
                }
                std::process::exit(if again { 130 } else { 2 });
            }
        });
    }

    /// From now on a run is under way that stops when it is told to, and it is shown how far it is.
    pub(crate) fn watch(&self, quiet: bool) {
        if self.is_memory() {
            return;
        }
        self.orderly.store(true, Ordering::Relaxed);
        *lock(&self.shown) = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            Shown::Bar(ProgressBar::hidden())
        } else {
            let now = Instant::now();
            Shown::Lines(Lines {
                name: "",
                unit: Unit::Bytes,
                total: None,
                done: 0,
                since: now,
                last: now,
            })
        };
    }

    /// From now on a request to end ends the process at once.
    pub(crate) fn rest(&self) {
        self.orderly.store(false, Ordering::Relaxed);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        match &mut *lock(&self.shown) {
            Shown::Bar(bar) => bar.finish_and_clear(),
            Shown::Lines(lines) => lines.end(),
            Shown::Nothing | Shown::Notes | Shown::Asked(_) => {}
        }
    }

    /// Results follow, while the run goes on. Where they go to the terminal that the bar is on, no other is drawn.
    pub(crate) fn begin_results(&self) {
        self.finish();
        let mut shown = lock(&self.shown);
        if matches!(*shown, Shown::Bar(_)) && self.is_terminal() {
            *shown = Shown::Notes;
        }
    }
}

impl Observer for Console {
    fn stage(&self, stage: &'static str, total: Option<u64>, unit: Unit) {
        if self.is_memory() {
            let done = 0;
            return self.begin_stage(Progress {
                stage,
                done,
                total,
                unit,
            });
        }
        match &mut *lock(&self.shown) {
            Shown::Nothing | Shown::Notes | Shown::Asked(_) => {}
            Shown::Bar(bar) => {
                bar.finish_and_clear();
                *bar = new_bar(stage, total, unit);
            }
            Shown::Lines(lines) => lines.begin(stage, total, unit),
        }
    }

    fn advance(&self, amount: u64) {
        match &mut *lock(&self.shown) {
            Shown::Nothing | Shown::Notes | Shown::Asked(None) => {}
            Shown::Bar(bar) => bar.inc(amount),
            Shown::Lines(lines) => lines.advance(amount),
            Shown::Asked(Some(progress)) => progress.done += amount,
        }
    }

    fn note(&self, text: &str) {
        // Nobody may be listening.
        let write = || writeln!(std::io::stderr(), "note: {text}").unwrap_or_default();
        match &*lock(&self.shown) {
            Shown::Nothing => {}
            Shown::Bar(bar) => bar.suspend(write),
            Shown::Notes | Shown::Lines(_) => write(),
            Shown::Asked(_) => self.warning(text),
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Progress {
    /// As it is reported while the stage lasts: a total may be an estimate.
    fn within(self) -> Self {
        let done = self.total.map_or(self.done, |total| self.done.min(total));
        Self { done, ..self }
    }

    /// The same stage when it has ended.
    fn at_end(self) -> Self {
        let done = self.total.unwrap_or(self.done);
        let total = Some(done);
        Self {
            done,
            total,
            ..self
        }
    }
}

/// Writes into what is kept of a command's words.
struct Output(Arc<Mutex<Said>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        lock(&self.0).output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
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
