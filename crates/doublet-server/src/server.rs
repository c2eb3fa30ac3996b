//! Starts the service and ends it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use doublet::index::{LiveIndex, LiveOptions};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::listen::listen;
use crate::log::{Level, Log};
use crate::options::ServeOptions;
use crate::origin::Origins;
use crate::tls::Tls;
use crate::tokens::Tokens;

/// How often the history is written to its file.
const SAVE_EVERY: u32 = 10;

/// Why the service could not start, or did not end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The index cannot be opened or closed.
    Index(doublet::Error),
    /// An option does not do; the words say why and what to do.
    Option(String),
    /// The system refused.
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        cause: std::io::Error,
    },
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(error) => error.fmt(f),
            Self::Option(words) => f.write_str(words),
            Self::Io { doing, cause } => write!(f, "cannot {doing}: {cause}"),
        }
    }
}

impl std::error::Error for Error {}

/// A service that runs.
#[derive(Debug)]
pub struct Server {
    app: Arc<App>,
    tls: Option<Arc<Tls>>,
    address: SocketAddr,
    runtime: Runtime,
    ending: watch::Sender<bool>,
    listening: JoinHandle<()>,
}

impl Server {
    /// Opens the index of a directory and listens.
    ///
    /// # Errors
    /// When the index cannot be opened, an option does not do, or the address is taken.
    pub fn start(directory: &Path, options: ServeOptions) -> Result<Self, Error> {
        let tokens = options.token_file.as_deref().map(Tokens::open).transpose();
        let tokens = tokens.map_err(Error::Option)?;
        if tokens.is_none() && !options.listen.ip().is_loopback() && !options.insecure {
            return Err(Error::Option(format!(
                "`--listen {}` lets other machines in, and there are no tokens: give `--token-file`, or `--insecure` if whoever reaches it may ask and change everything",
                options.listen
            )));
        }
        let tls = options.tls.as_ref().map(Tls::open).transpose();
        let tls = tls.map_err(Error::Option)?.map(Arc::new);
        let origins = Origins::new(options.listen, &options.allow_hosts, &options.allow_origins);
        let origins = origins.map_err(Error::Option)?;
        let runtime = runtime(&options)?;
        let listen_at = options.listen;
        let bound = runtime.block_on(TcpListener::bind(listen_at));
        let bound = bound.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(io(format!("listen at {listen_at}")))?;
        let log = Arc::new(Log::start(&options.log).map_err(io("start a thread"))?);
        let live = LiveOptions {
            max_documents: options.max_documents,
            ..LiveOptions::default()
        };
        let index = LiveIndex::open(directory, live).map_err(Error::Index)?;
        let app = Arc::new(App::new(index, options, log, origins, tokens));
        app.note_point();
        let (ending, ended) = watch::channel(false);
        runtime.spawn(keep_history(Arc::clone(&app), ended.clone()));
        let listening = listen(listener, tls.clone(), Arc::clone(&app), ended);
        let listening = runtime.spawn(listening);
        app.log.event(
            Level::Info,
            "listening",
            &[("address", &address.to_string())],
        );
        Ok(Self {
            app,
            tls,
            address,
            runtime,
            ending,
            listening,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as a URL.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Reads tokens and certificates anew, as SIGHUP does. What cannot be read changes nothing, and is logged.
    pub fn reload(&self) {
        self.app.reload_tokens();
        let Some(tls) = &self.tls else {
            return;
        };
        match tls.reload() {
            Ok(()) => self.app.log.event(Level::Info, "certificates read", &[]),
            Err(reason) => {
                let fields = &[("reason", &*reason), ("kept", "those before")];
                self.app
                    .log
                    .event(Level::Error, "certificates not read", fields);
            }
        }
    }

    /// Takes no more connections, finishes what is in flight within the time of grace, and closes the index.
    ///
    /// # Errors
    /// When the index could not be closed; what was answered is in its journal.
    pub fn stop(self) -> Result<(), Error> {
        let Self {
            app,
            runtime,
            ending,
            listening,
            ..
        } = self;
        app.log.event(Level::Info, "ending", &[]);
        app.ending.store(true, Ordering::Relaxed);
        app.survey.cancel();
        let _told = ending.send(true);
        let _all_closed = runtime.block_on(listening);
        runtime.shutdown_timeout(Duration::from_secs(1));
        app.survey.join();
        app.note_point();
        app.save_history();
        let log = Arc::clone(&app.log);
        // Whoever still holds it is at work on a request that had its time of grace; the index closes when that ends.
        let closed = Arc::into_inner(app).map_or(Ok(()), |app| app.index.close());
        if let Err(error) = &closed {
            log.event(
                Level::Error,
                "index not closed",
                &[("reason", &error.to_string())],
            );
        }
        log.event(Level::Info, "ended", &[]);
        log.close();
        closed.map_err(Error::Index)
    }
}

/// Serves the index of a directory until the process is told to end by SIGTERM or SIGINT, and reads files anew on SIGHUP. `listening` is
/// told the URL, when signals are heard already.
///
/// # Errors
/// As [`Server::start`] and [`Server::stop`], or when signals cannot be waited for.
pub fn serve(
    directory: &Path,
    options: ServeOptions,
    listening: impl FnOnce(&str),
) -> Result<(), Error> {
    let server = Server::start(directory, options)?;
    tell_of_panics(Arc::clone(&server.app.log));
    let waited = server.runtime.block_on(wait(&server, listening));
    let stopped = server.stop();
    waited.map_err(io("wait for signals"))?;
    stopped
}

/// Logs where something panicked, and not what was said, for that may hold a text.
fn tell_of_panics(log: Arc<Log>) {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        log.event(Level::Error, "panic", &[("at", &place.unwrap_or_default())]);
    }));
}

fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
    let doing = doing.into();
    move |cause| Error::Io { doing, cause }
}

fn runtime(options: &ServeOptions) -> Result<Runtime, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match options.threads {
        0 => cores,
        threads => threads,
    };
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(2 * threads + 2)
        .thread_name("serve")
        .enable_all()
        .build()
        .map_err(io("start threads"))
}

/// Adds a point to the history every minute.
async fn keep_history(app: Arc<App>, mut ending: watch::Receiver<bool>) {
    let mut minutes = tokio::time::interval(Duration::from_secs(60));
    minutes.tick().await;
    for minute in 1u32.. {
        tokio::select! {
            _ = minutes.tick() => (),
            _ = ending.wait_for(|ending| *ending) => return,
        }
        let app = Arc::clone(&app);
        let noted = tokio::task::spawn_blocking(move || {
            app.note_point();
            if minute % SAVE_EVERY == 0 {
                app.save_history();
            }
        });
        let _noted = noted.await;
    }
}

#[cfg(unix)]
async fn wait(server: &Server, listening: impl FnOnce(&str)) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut end = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut again = signal(SignalKind::hangup())?;
    listening(&server.url());
    loop {
        tokio::select! {
            _ = end.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = again.recv() => server.reload(),
        }
    }
}

#[cfg(not(unix))]
async fn wait(server: &Server, listening: impl FnOnce(&str)) -> std::io::Result<()> {
    listening(&server.url());
    tokio::signal::ctrl_c().await
}
