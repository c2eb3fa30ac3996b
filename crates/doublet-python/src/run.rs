//! A command line with data in memory in the place of files.
//!
//! The command runs on a thread of its own. The thread that called waits for it without the lock of the interpreter. It passes on
//! the start and the end of every stage, for which the command waits, and looks several times a second whether there is a signal,
//! and how far the run is.

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use doublet::progress::Unit;
use doublet_cli::{Console, Progress, Said, Status};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::{errors, stream};

/// How often signals are looked for, and how far a stage is.
const STEP: Duration = Duration::from_millis(100);

/// As much stack as the first thread of a program has.
const STACK: usize = 8 << 20;

/// What a command came to.
#[pyclass(frozen, module = "doublet._native")]
pub(crate) struct Ran {
    /// 0: done; 1: what was asked for was not found.
    #[pyo3(get)]
    status: u8,
    /// What it wrote to standard output.
    #[pyo3(get)]
    output: Py<PyBytes>,
    /// What the person who started it should know.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// Of data in memory, the rows that stay: numbers of 64 bits, little-endian.
    #[pyo3(get)]
    kept: Option<Py<PyBytes>>,
}

/// Runs a command.
#[pyfunction]
#[pyo3(signature = (arguments, data=None, progress=None))]
pub(crate) fn run(
    py: Python<'_>,
    arguments: Vec<OsString>,
    data: Option<&Bound<'_, PyDict>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Ran> {
    let tables = stream::tables(py, data)?;
    let console = Console::memory(program(py)?, arguments, tables);
    watched(py, console, progress.as_ref())
}

/// The real command line, for a person at a terminal; gives the exit status.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    let console = Console::terminal(program(py)?, arguments);
    Ok(py.detach(|| doublet_cli::main(&console)))
}

/// What starts the command line again.
fn program(py: Python<'_>) -> PyResult<Vec<OsString>> {
    let executable = py.import("sys")?.getattr("executable")?;
    let python: OsString = executable.extract()?;
    Ok(vec![python, "-m".into(), "doublet".into()])
}

/// What the thread of a command sends to the one that called.
enum Message {
    /// A stage starts or ends; the command goes on when the sender is dropped.
    Stage(Progress, Sender<()>),
    Ended,
}

/// Runs the command of a console, which keeps what it says.
pub(crate) fn watched(
    py: Python<'_>,
    console: Console,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Ran> {
    let (send, receive) = mpsc::channel();
    let console = match progress {
        Some(_) => listening(console, send.clone()),
        None => console,
    };
    let (ended, raised) = std::thread::scope(|scope| {
        let console = &console;
        let work = move || {
            let ended = std::panic::catch_unwind(AssertUnwindSafe(|| doublet_cli::run(console)));
            // Whoever waits is there until this thread has ended.
            let _sent = send.send(Message::Ended);
            ended
        };
        let thread = std::thread::Builder::new().stack_size(STACK);
        let worker = thread.spawn_scoped(scope, work)?;
        let raised = follow(py, console, receive, progress);
        Ok::<_, PyErr>((py.detach(|| worker.join()), raised))
    })?;
    match (ended.and_then(|ended| ended), raised) {
        (_, Some(error)) => Err(error),
        (Ok(Ok(status)), None) => Ok(ran(py, status, console.take())),
        (Ok(Err(failure)), None) => Err(errors::of_failure(py, &failure)),
        (Err(panic), None) => Err(errors::panicked(py, &*panic)),
    }
}

/// Has the command send the start and the end of every stage, and wait until they were passed on.
fn listening(console: Console, send: Sender<Message>) -> Console {
    console.with_listener(Box::new(move |progress| {
        let (done, wait) = mpsc::channel();
        if send.send(Message::Stage(progress, done)).is_ok() {
            // Nothing is ever sent: it ends when the other side is dropped.
            let _dropped = wait.recv();
        }
    }))
}

/// Passes on how far the command is until it ends, and gives what was raised meanwhile. That stops the command.
fn follow(
    py: Python<'_>,
    console: &Console,
    mut receive: Receiver<Message>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Option<PyErr> {
    let mut raised = None;
    loop {
        let (back, message) = py.detach(move || {
            let message = receive.recv_timeout(STEP);
            (receive, message)
        });
        receive = back;
        let (now, waiting) = match message {
            Ok(Message::Stage(now, waiting)) => (Some(now), Some(waiting)),
            Err(RecvTimeoutError::Timeout) => (console.progress(), None),
            Ok(Message::Ended) | Err(RecvTimeoutError::Disconnected) => return raised,
        };
        if raised.is_none() {
            let looked = py.check_signals().and_then(|()| tell(py, now, progress));
            if let Err(error) = looked {
                console.stop();
                raised = Some(error);
            }
        }
        // Only now, so that a command that is to stop begins nothing new.
        drop(waiting);
    }
}

/// Tells how far the run is.
fn tell(
    py: Python<'_>,
    now: Option<Progress>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let (Some(callback), Some(now)) = (progress, now) else {
        return Ok(());
    };
    let unit = match now.unit {
        Unit::Bytes => "bytes",
        Unit::Count(what) => what,
    };
    callback.call1((now.stage, now.done, now.total, unit))?;
    // A callback that waits long does not keep others from running.
    py.check_signals()
}

fn ran(py: Python<'_>, status: Status, said: Said) -> Ran {
    let kept = said.kept.map(|rows| {
        let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        PyBytes::new(py, &bytes).unbind()
    });
    Ran {
        status: status as u8,
        output: PyBytes::new(py, &said.output).unbind(),
        warnings: said.warnings,
        kept,
    }
}
