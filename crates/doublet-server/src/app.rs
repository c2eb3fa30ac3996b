//! What all requests share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Instant;

use doublet::index::LiveIndex;

use crate::history::History;
use crate::limits::Limits;
use crate::log::{Level, Log, seconds};
use crate::metrics::{Metrics, Now};
use crate::options::ServeOptions;
use crate::origin::Origins;
use crate::request_id::RequestIds;
use crate::survey::Survey;
use crate::tokens::{Caller, Rights, Tokens};

/// The service, but for its connections.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) index: LiveIndex,
    pub(crate) options: ServeOptions,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) history: History,
    pub(crate) survey: Arc<Survey>,
    pub(crate) log: Arc<Log>,
    pub(crate) origins: Origins,
    pub(crate) request_ids: RequestIds,
    pub(crate) started: Instant,
    /// Whether no more is begun.
    pub(crate) ending: AtomicBool,
    tokens: Option<RwLock<Arc<Tokens>>>,
}

impl App {
    pub(crate) fn new(
        index: LiveIndex,
        options: ServeOptions,
        log: Arc<Log>,
        origins: Origins,
        tokens: Option<Tokens>,
    ) -> Self {
        Self {
            history: History::open(index.snapshot().directory()),
            index,
            limits: Limits::new(options.max_requests, options.max_bodies),
            metrics: Metrics::default(),
            survey: Arc::new(Survey::new(&options)),
            log,
            origins,
            request_ids: RequestIds::new(),
            started: Instant::now(),
            ending: AtomicBool::new(false),
            tokens: tokens.map(|tokens| RwLock::new(Arc::new(tokens))),
            options,
        }
    }

    /// Whether whoever reaches the service may ask it.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.is_none()
    }

    /// The tokens that are let in; `None` where there are none.
    pub(crate) fn tokens(&self) -> Option<Arc<Tokens>> {
        let tokens = self.tokens.as_ref()?.read();
        Some(Arc::clone(
            &tokens.unwrap_or_else(|poisoned| poisoned.into_inner()),
        ))
    }

    /// Who asks, where there are no tokens.
    pub(crate) fn anyone() -> Caller {
        Caller {
            rights: Rights::Write,
            name: None,
        }
    }

    /// Reads the tokens anew. A bad file changes nothing.
    pub(crate) fn reload_tokens(&self) {
        let (Some(path), Some(tokens)) = (&self.options.token_file, &self.tokens) else {
            return;
        };
        match Tokens::open(path) {
            Ok(read) => {
                let mut tokens = tokens
                    .write()
                    .unwrap_or_else(|poisoned| poisoned.into_inner());
                *tokens = Arc::new(read);
                self.log.event(Level::Info, "tokens read", &[]);
            }
            Err(reason) => {
                let fields = &[("reason", &*reason), ("kept", "those before")];
                self.log.event(Level::Error, "tokens not read", fields);
            }
        }
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    /// Adds a point to the history.
    pub(crate) fn note_point(&self) {
        let info = self.index.snapshot().info();
        self.history
            .add(seconds(), info.documents, info.bytes, &self.metrics);
    }

    /// Writes the history to its file.
    pub(crate) fn save_history(&self) {
        if let Err(error) = self.history.save() {
            let fields = &[("reason", &*error.to_string())];
            self.log.event(Level::Warning, "history not saved", fields);
        }
    }

    /// Figures as they are.
    pub(crate) fn now(&self) -> Now {
        Now {
            info: self.index.snapshot().info(),
            live: self.index.figures(),
            waiting: self.limits.requests.taken(),
            held: self.limits.bodies.taken(),
            uptime: self.started.elapsed(),
            log_dropped: self.log.dropped(),
        }
    }
}
